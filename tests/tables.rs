//! A bad table never compiles: the build reports the file, the line and the reason.
//!
//! `tests/tables/good` is a small instruction set that the build accepts. `tests/tables/bad.rs` damages it in one place
//! at a time, at least once for every message of `build/`.

#[path = "tables/bad.rs"]
mod bad;
#[path = "../build/mod.rs"]
mod build;

use std::path::{Path, PathBuf};

const GOOD: [(&str, &str); 18] = [
    ("descriptor.isa", include_str!("tables/good/descriptor.isa")),
    ("counters.isa", include_str!("tables/good/counters.isa")),
    ("dpp.isa", include_str!("tables/good/dpp.isa")),
    ("dual.isa", include_str!("tables/good/dual.isa")),
    ("enums.isa", include_str!("tables/good/enums.isa")),
    ("global.isa", include_str!("tables/good/global.isa")),
    ("hazards.isa", include_str!("tables/good/hazards.isa")),
    ("literal.isa", include_str!("tables/good/literal.isa")),
    ("mem.isa", include_str!("tables/good/mem.isa")),
    ("opcodes.isa", include_str!("tables/good/opcodes.isa")),
    ("operands.isa", include_str!("tables/good/operands.isa")),
    ("sdwa.isa", include_str!("tables/good/sdwa.isa")),
    ("smem.isa", include_str!("tables/good/smem.isa")),
    ("sop.isa", include_str!("tables/good/sop.isa")),
    ("targets.isa", include_str!("tables/good/targets.isa")),
    ("vop.isa", include_str!("tables/good/vop.isa")),
    ("vop3.isa", include_str!("tables/good/vop3.isa")),
    ("wide.isa", include_str!("tables/good/wide.isa")),
];

/// The generated files, or the build's error message.
fn generate(tables: &[(&str, String)]) -> Result<Vec<(String, String)>, String> {
    build::parse_all(tables.iter().map(|(name, text)| (*name, text.as_str())))
        // These tables have a complete target with features of RDNA that build/emit/make does not support yet.
        .and_then(|isa| build::generate(&isa, |feature| feature != "make"))
        .map_err(|e| e.to_string())
}

/// The good tables with one piece of one file replaced.
fn damaged(file: &str, piece: &str, by: &str) -> Vec<(&'static str, String)> {
    let damage = |(name, text): (&'static str, &str)| {
        if name != file {
            return (name, text.to_string());
        }
        assert_eq!(text.matches(piece).count(), 1, "{file}: `{piece}` does not stand there exactly once");
        (name, text.replacen(piece, by, 1))
    };
    GOOD.into_iter().map(damage).collect()
}

#[test]
fn the_tables_to_be_damaged_are_good() {
    let files = generate(&GOOD.map(|(name, text)| (name, text.to_string()))).unwrap();
    // The code for disabled targets is empty, because no target is disabled.
    let is_right =
        |name: &str, text: &str| (name.ends_with(".rs") || name == "texts") && text.is_empty() == (name == "off.rs");
    assert!(files.iter().all(|(name, text)| is_right(name, text)));
}

#[test]
fn every_damage_is_refused_with_file_line_and_reason() {
    let mut faults = Vec::new();
    for &(file, piece, by, expected) in bad::ALL {
        match generate(&damaged(file, piece, by)) {
            Err(message) if message == expected => {}
            Err(message) => {
                faults.push(format!("{file}: `{piece}` -> `{by}`\n  says   {message}\n  not    {expected}"))
            }
            Ok(_) => faults.push(format!("{file}: `{piece}` -> `{by}`\n  is taken, instead of {expected}")),
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Rules read fields at the positions in the tables.
#[test]
fn rules_move_with_their_fields() {
    let rules = |tables: &[(&str, String)]| {
        let files = generate(tables).unwrap();
        let (_, rest) = files.into_iter().find(|(name, _)| name == "tables_ta.rs").unwrap();
        let (_, rest) = rest.split_once("\nrules: &[\n").unwrap();
        rest.split_once("\n],").unwrap().0.to_string()
    };
    let bits = |kind: &str, field: &str, n: u8, looks: [&str; 3]| {
        let looks = looks.map(|look| format!("(Bits({look}")).join(", ");
        format!("Rule {{ kind: RuleKind::{kind}, field: Bits({field}), n: {n}, looks: [{looks}] }}")
    };
    const NONE: &str = "0, 0), 0)";
    let never =
        |lds: &str, acc: &str| bits("Forbidden", acc, 0, [&format!("{lds}, 1), 1)"), &format!("{acc}), 1)"), NONE]);
    let pair = |vaddr: &str, offen: u8, idxen: u8| {
        bits("RegisterRun", vaddr, 2, [&format!("{offen}, 1), 1)"), &format!("{idxen}, 1), 1)"), NONE])
    };
    let scalar = |field: &str, looks: [&str; 2]| bits("Scalar", field, 0, [looks[0], looks[1], NONE]);
    let global = |addr: &str, saddr: &str| bits("RegisterRun", addr, 2, [&format!("{saddr}), 127)"), NONE, NONE]);
    let moved: [(&str, &str, &str, String, String); 6] = [
        (
            "mem.isa",
            "field offen    flag  12\nfield idxen    flag  13\nfield glc      rtn   14",
            "field idxen flag 12\nfield glc rtn 13\nfield offen flag 14",
            pair("32, 8", 12, 13),
            pair("32, 8", 14, 12),
        ),
        (
            "mem.isa",
            "39:32\nfield vdata    vdata 47:40",
            "47:40\nfield vdata vdata 39:32",
            pair("32, 8", 12, 13),
            pair("40, 8", 12, 13),
        ),
        (
            "mem.isa",
            "54:48\nfield acc      flag  55",
            "55:49\nfield acc flag 48",
            never("16", "55, 1"),
            never("16", "48, 1"),
        ),
        (
            "global.isa",
            "gaddr 39:32\nfield low      const 47:40\nfield saddr    num   54:48\nfield high     const 63:55",
            "gaddr 47:40\nfield low const 39:32\nfield saddr num 55:49\nfield high const 63:56,48",
            global("32, 8", "48, 7"),
            global("40, 8", "49, 7"),
        ),
        (
            "smem.isa",
            "14\nfield r          const 16:15\nfield imm        flag  17",
            "15\nfield r const 17,14\nfield imm flag 16",
            scalar("57, 7", ["14, 1), 1)", NONE]),
            scalar("57, 7", ["15, 1), 1)", NONE]),
        ),
        (
            "smem.isa",
            "52:32\nfield s          const 56:53",
            "53:33\nfield s const 56:54,32",
            scalar("32, 7", ["17, 1), 0)", "14, 1), 0)"]),
            scalar("33, 7", ["17, 1), 0)", "14, 1), 0)"]),
        ),
    ];
    let before = rules(&GOOD.map(|(name, text)| (name, text.to_string())));
    for (file, piece, by, was, is) in moved {
        let after = rules(&damaged(file, piece, by));
        assert!(before.contains(&was), "{was} is not among\n{before}");
        assert!(after.contains(&is), "{file}: `{piece}` -> `{by}`: {is} is not among\n{after}");
    }
}

/// Tables with more groups of codes than the fast path can number, and with more opcode indices than the library can.
/// Such tables are too long for the list of damages.
#[test]
fn too_many_groups_of_codes_are_left_out_and_too_many_opcode_indices_refused() {
    let row = |n: usize| format!("op_{n} | vaddr.vgpr:b{} vdata=b{} | | | {n}\n", n % 32 * 32 + 32, n / 32 * 32 + 32);
    let rows: String = (0..256).map(row).collect();
    let ops = "ops\nm_load   | vdata=b32@rtn vaddr:b32 offen idxen lds acc opsel[0,2] glc | | | 0\nm_noload | any:reserved | | | 1\n";
    let mem = |from, to: &str| damaged("mem.isa", from, to);
    let narrow = "field op       op    23:18\n";
    let mut wide = mem(ops, &format!("ops\n{rows}"));
    let (_, text) = wide.iter_mut().find(|(n, _)| *n == "mem.isa").unwrap();
    // SEG moves down, to make room for 256 opcodes.
    *text = text.replace("rows 2", "rows 256").replace("25:24=00", "15=0").replace(narrow, "field op op 25:18\n");
    *text = text.replace("field reserved const 15\n", "");
    let (_, numbers) = wide.iter_mut().find(|(n, _)| *n == "opcodes.isa").unwrap();
    *numbers = numbers.replace(" m_load", " op_0").replace(" m_noload", " op_1").replace(" g_load", " op_2");
    *numbers += &(3..256).map(|n| format!("{} op_{n}\n", n + 10)).collect::<String>();
    let wide: Vec<_> = wide.into_iter().filter(|(n, _)| !["global.isa", "counters.isa"].contains(n)).collect();
    // The fast path has 32 groups, and leaves some constraints to the longer path.
    assert_eq!(generate(&wide).err(), None);

    let mut long = damaged("smem.isa", "op    25:18", "op    25:12");
    let (_, text) = long.iter_mut().find(|(n, _)| *n == "smem.isa").unwrap();
    *text = text.replace("13:0", "11:0").replace("field r          const 16:15\n", "");
    *text = text.replace("field soffset_en flag  14\nfield imm        flag  17\n", "");
    *text = text.replace("field imm        flag  17\n", "").replace("field soffset_en flag  14\n", "");
    *text = text.replace("offset:b32 ", "any:base ");
    assert_eq!(
        generate(&long).unwrap_err(),
        "targets.isa:2: ta has 18272 opcode indices, and src/ has 14 bits for their number"
    );
}

/// For every message of the build, except a few, there is a bad table that the build refuses with this message.
#[test]
fn every_message_of_the_build_has_a_bad_table() {
    let expected = |m: &str| bad::ALL.iter().any(|(.., e)| matches(m, e.splitn(3, ':').nth(2).unwrap().trim_start()));
    let elsewhere = [
        // Tables that exceed these limits would be too long for the list of damages, too.
        "{name} has more than {ROWS} rows of hazards",
        "{name} has too many kinds of instructions",
        "{} has {n} {what}, and src/ has {bits} bits for their number",
    ];
    let mut messages = 0;
    for path in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/build"))) {
        let source = std::fs::read_to_string(&path).unwrap();
        for message in messages_of(&source) {
            messages += 1;
            let file = path.display();
            assert!(expected(message) || elsewhere.contains(&message), "{file}: no bad table for `{message}`");
        }
    }
    assert!(messages > 80, "only {messages} messages were found: does this test still read the sources right?");
}

/// The files that contain messages. `error.rs` is left out, because it makes errors from messages and has none itself.
/// So is build/emit/make, which does not support features of RDNA that the good tables have; a test below damages real
/// tables for its messages.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        match path.file_name().and_then(|name| name.to_str()) {
            Some("error.rs" | "make") => {}
            _ if path.is_dir() => all.extend(sources(&path)),
            _ => all.push(path),
        }
    }
    all
}

/// The messages of build/emit/make, from damaged real tables.
#[test]
fn what_constructors_cannot_be_made_of_is_refused() {
    let isa = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/isa"));
    let mut real: Vec<(String, String)> = std::fs::read_dir(isa)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "isa"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into(), std::fs::read_to_string(path).unwrap()))
        .collect();
    real.sort();
    let mut messages = Vec::new();
    for path in sources(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/build/emit/make"))) {
        let source = std::fs::read_to_string(path).unwrap();
        messages.extend(messages_of(&source).into_iter().map(String::from));
    }
    assert!(messages.len() > 4, "only {messages:?} were found");
    let (_, targets) = real.iter().find(|(name, _)| name == "targets.isa").unwrap();
    let is_row = |line: &str| line.split_whitespace().take(2).eq(["target", "gfx942"]);
    let row = format!("targets.isa:{}:", targets.lines().position(is_row).unwrap() + 1);
    for &(file, piece, by, expected) in bad::OF_CONSTRUCTORS {
        let mut tables = real.clone();
        let (_, text) = tables.iter_mut().find(|(name, _)| name == file).unwrap();
        assert_eq!(text.matches(piece).count(), 1, "{file}: `{piece}` does not stand there exactly once");
        *text = text.replacen(piece, by, 1);
        // An operation that gets another name keeps its number.
        let (_, numbers) = tables.iter_mut().find(|(name, _)| name == "opcodes.isa").unwrap();
        *numbers = numbers.replace(&format!(" {}\n", piece.trim()), &format!(" {}\n", by.trim()));
        let target = if file == "vopd.isa" { "gfx1100" } else { "gfx942" };
        let enabled = |feature: &str| [target, "make"].contains(&feature);
        let parsed = build::parse_all(tables.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let said = parsed.and_then(|isa| build::generate(&isa, enabled)).map_err(|e| e.to_string());
        let expected = expected.replace("targets.isa:gfx942:", &row);
        assert_eq!(said.err(), Some(expected.clone()), "{file}: `{piece}` -> `{by}`");
        let message = expected.splitn(3, ':').nth(2).unwrap().trim_start();
        messages.retain(|m| !matches(m, message));
    }
    // No complete target has an instruction so long that the build would give this message.
    messages.retain(|m| !m.ends_with("and src/make holds two or four"));
    assert!(messages.is_empty(), "no bad table for {messages:?}");
}

/// The string literals after `.err(`, `.error(` and the `format!(` in them.
fn messages_of(source: &str) -> Vec<&str> {
    let after = |call: &str| source.match_indices(call).map(|(at, s)| at + s.len()).collect::<Vec<_>>();
    let starts = [after(".err("), after(".error(")].concat();
    let literal = |at: usize| {
        let text = source[at..].trim_start();
        let text = text.strip_prefix("format!(").unwrap_or(text).trim_start();
        let text = text.strip_prefix('"').unwrap_or_else(|| panic!("no message at `{}`", &text[..text.len().min(60)]));
        &text[..text.find('"').expect("the literal ends")]
    };
    starts.into_iter().map(literal).collect()
}

/// Whether the format string can produce `text`, whatever its `{}` are.
fn matches(format: &str, text: &str) -> bool {
    let mut parts = format.split('{').map(|p| p.split_once('}').map_or(p, |(_, rest)| rest));
    let first = parts.next().expect("split yields something");
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut last = first;
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
        last = part;
    }
    rest.is_empty() || last.is_empty()
}

#[test]
fn the_real_tables_are_good_and_always_give_the_same_code() {
    let isa = build::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/isa"))).unwrap_or_else(|e| panic!("{e}"));
    build::generate(&isa, |_| true).unwrap_or_else(|e| panic!("{e}"));
    // The quick run tries an eighth of the targets.
    let step = if std::env::var_os("AMDGPU_ISA_FULL").is_some() { 1 } else { 8 };
    let some: Vec<String> = isa.targets.iter().step_by(step).map(|target| target.feature()).collect();
    let few = |feature: &str| !feature.starts_with("gfx") || some.iter().any(|one| one == feature);
    let again = build::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/isa"))).unwrap();
    assert_eq!(build::generate(&isa, few).unwrap(), build::generate(&again, few).unwrap());
    for target in isa.targets.iter().step_by(step) {
        let alone = build::generate(&isa, |feature| feature == target.feature()).unwrap_or_else(|e| panic!("{e}"));
        let types = alone.iter().find(|(name, _)| name == "types.rs").map_or("", |(_, text)| text);
        let module = build::model::module_name(&target.processor);
        assert!(types.contains(&format!("pub mod {module} {{")), "{} alone has no module", target.name);
    }
}

/// A page for each constructor would be most of the crate's documentation.
#[test]
fn constructors_are_in_tables_instead_of_pages() {
    let isa = build::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/isa"))).unwrap_or_else(|e| panic!("{e}"));
    let features = ["gfx942", "gfx1100", "make"];
    let files = build::generate(&isa, |feature| features.contains(&feature)).unwrap_or_else(|e| panic!("{e}"));
    let of = |start: &str, end: &str| -> String {
        let is_there = |(name, _): &&(String, String)| name.starts_with(start) && name.ends_with(end);
        files.iter().filter(is_there).map(|(_, text)| text.as_str()).collect()
    };
    let mut count = 0;
    for target in ["gfx942", "gfx1100"] {
        let (code, tables) = (of(&format!("make_{target}"), ".rs"), of(&format!("constructors_{target}"), ".md"));
        for text in code.split("\npub const fn ").collect::<Vec<_>>().windows(2) {
            let name = text[1].split(['<', '(']).next().unwrap();
            assert!(text[0].ends_with("\n#[cfg_attr(doc, doc(hidden))]\n#[inline]"), "{name} has a page");
            assert!(tables.contains(&format!("`{name}<")) || tables.contains(&format!("`{name}(")), "{name}");
            count += 1;
        }
    }
    assert!(count > 4000, "{count}");
}

#[test]
fn constructors_say_what_they_compute_if_formulas_are_there_and_nothing_else_changes() {
    let isa = build::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/isa"))).unwrap_or_else(|e| panic!("{e}"));
    let constructors = |features: &[&str]| {
        let files = build::generate(&isa, |feature| features.contains(&feature)).unwrap_or_else(|e| panic!("{e}"));
        files.into_iter().find(|(name, _)| name == "make_gfx1100.rs").map(|(_, text)| text).unwrap()
    };
    let plain = constructors(&["gfx1100-wave32", "make"]);
    let told = constructors(&["gfx1100-wave32", "make", "meaning"]);
    let is_told = |line: &&str| line.starts_with("/// Computes ") || line.starts_with("/// It ");
    assert_eq!(plain.lines().filter(is_told).count(), 0);
    let (before, _) = told.split_once("pub const fn v_add_f32_e32<").unwrap();
    assert!(
        before.ends_with("/// \n/// Computes `D.f32 = S0.f32 + S1.f32`.\n#[cfg_attr(doc, doc(hidden))]\n#[inline]\n")
    );
    assert!(told.contains("\n/// It waits"), "sentences");
    // Formulas only add lines to the documentation of functions.
    let functions = |text: &str| text.lines().filter(|line| line.starts_with("pub const fn ")).count();
    assert_eq!(functions(&plain), functions(&told));
    let lines: Vec<&str> = told.lines().filter(|line| !is_told(line) && line.trim_end() != "///").collect();
    assert_eq!(lines, plain.lines().filter(|line| line.trim_end() != "///").collect::<Vec<_>>());
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    let error = build::read(Path::new("no such directory")).unwrap_err();
    assert!(error.to_string().starts_with("no such directory:0: "), "{error}");
}
