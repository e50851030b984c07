//! A bad table never compiles: the build says which line of which file is wrong, and why.
//!
//! `tests/tables/good` is a small instruction set that the build takes. `tests/tables/bad.rs` damages it in one place at
//! a time, at least once for every message of `build/`.

#[path = "tables/bad.rs"]
mod bad;
#[path = "../build/mod.rs"]
mod build;

use std::path::Path;

const GOOD: [(&str, &str); 13] = [
    ("dpp.isa", include_str!("tables/good/dpp.isa")),
    ("dual.isa", include_str!("tables/good/dual.isa")),
    ("enums.isa", include_str!("tables/good/enums.isa")),
    ("global.isa", include_str!("tables/good/global.isa")),
    ("literal.isa", include_str!("tables/good/literal.isa")),
    ("mem.isa", include_str!("tables/good/mem.isa")),
    ("operands.isa", include_str!("tables/good/operands.isa")),
    ("sdwa.isa", include_str!("tables/good/sdwa.isa")),
    ("smem.isa", include_str!("tables/good/smem.isa")),
    ("sop.isa", include_str!("tables/good/sop.isa")),
    ("targets.isa", include_str!("tables/good/targets.isa")),
    ("vop.isa", include_str!("tables/good/vop.isa")),
    ("wide.isa", include_str!("tables/good/wide.isa")),
];

/// The message, or the generated files.
fn generate(tables: &[(&str, String)]) -> Result<Vec<(String, String)>, String> {
    build::parse_all(tables.iter().map(|(name, text)| (*name, text.as_str())))
        // They give a whole target things of RDNA that build/make does not know yet.
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
    assert!(files.iter().all(|(name, text)| (name.ends_with(".rs") || name == "texts") && !text.is_empty()));
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

/// More classes and slots than the library can number: too long to stand in a list.
#[test]
fn too_many_classes_or_slots_are_refused() {
    let row = |n: usize| format!("op_{n} | vaddr:b{} vdata=b{} | | | {n} .\n", n % 32 * 32 + 32, n / 32 * 32 + 32);
    let rows: String = (0..256).map(row).collect();
    let ops = "ops\nm_load   | vdata=b32@rtn vaddr:b32 offen idxen lds acc opsel[0,2] glc | | | 0 .\nm_noload | any:reserved | | | 1 .\n";
    let mem = |from, to: &str| damaged("mem.isa", from, to);
    let narrow = "field op       op    23:18 .\n";
    let mut wide = mem(ops, &format!("ops\n{rows}"));
    let (_, text) = wide.iter_mut().find(|(n, _)| *n == "mem.isa").unwrap();
    // Room for 256 opcodes: SEG moves down.
    *text = text.replace("25:24=00", "15=0").replace(narrow, "field op op 25:18 .\n");
    *text = text.replace("field reserved const 15    .\n", "");
    let wide: Vec<_> = wide.into_iter().filter(|(n, _)| *n != "global.isa").collect();
    assert_eq!(generate(&wide).unwrap_err(), "targets.isa:2: ta has 265 classes, and src/ has 8 bits for their number");

    let mut long = damaged("smem.isa", "op    25:18 .", "op    25:12 .");
    let (_, text) = long.iter_mut().find(|(n, _)| *n == "smem.isa").unwrap();
    *text = text.replace("13:0", "11:0").replace("field r          const 16:15 .\n", "");
    *text = text.replace("field soffset_en flag  14    .\nfield imm        flag  17    .\n", "");
    *text = text.replace("field imm        flag  17    .\n", "").replace("field soffset_en flag  14    .\n", "");
    *text = text.replace("offset:b32 ", "any:base ");
    assert_eq!(
        generate(&long).unwrap_err(),
        "targets.isa:2: ta has 17472 slots, and src/ has 13 bits for their number"
    );
}

/// Who adds a check to the build adds a table that it refuses.
#[test]
fn every_message_of_the_build_has_a_bad_table() {
    let expected = |m: &str| bad::ALL.iter().any(|(.., e)| matches(m, e.splitn(3, ':').nth(2).unwrap().trim_start()));
    let elsewhere = ["{} has {n} {what}, and src/ has {bits} bits for their number"];
    let mut messages = 0;
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/build")).unwrap() {
        let path = entry.unwrap().path();
        let file = path.file_name().unwrap().to_string_lossy();
        // It makes errors of messages, and has none itself. The good tables have things of RDNA that build/make does not
        // know: what it refuses are damages of the real ones, below.
        if file == "error.rs" || file == "make" {
            continue;
        }
        let source = std::fs::read_to_string(&path).unwrap();
        for message in messages_of(&source) {
            messages += 1;
            assert!(expected(message) || elsewhere.contains(&message), "build/{file}: no bad table for `{message}`");
        }
    }
    assert!(messages > 80, "only {messages} messages were found: does this test still read the sources right?");
}

/// What build/make refuses: damages of the real tables.
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
    for entry in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/build/make")).unwrap() {
        let source = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        messages.extend(messages_of(&source).into_iter().map(String::from));
    }
    assert!(messages.len() > 4, "only {messages:?} were found");
    for &(file, piece, by, expected) in bad::OF_CONSTRUCTORS {
        let mut tables = real.clone();
        let (_, text) = tables.iter_mut().find(|(name, _)| name == file).unwrap();
        assert_eq!(text.matches(piece).count(), 1, "{file}: `{piece}` does not stand there exactly once");
        *text = text.replacen(piece, by, 1);
        let enabled = |feature: &str| ["gfx942", "make"].contains(&feature);
        let parsed = build::parse_all(tables.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let said = parsed.and_then(|isa| build::generate(&isa, enabled)).map_err(|e| e.to_string());
        assert_eq!(said.err().as_deref(), Some(expected), "{file}: `{piece}` -> `{by}`");
        let message = expected.splitn(3, ':').nth(2).unwrap().trim_start();
        messages.retain(|m| !matches(m, message));
    }
    // Nothing of the targets that are whole is so long.
    messages.retain(|m| !m.ends_with("and src/make holds two or four"));
    assert!(messages.is_empty(), "no bad table for {messages:?}");
}

/// The string literals behind `.err(`, `.error(` and the `format!(` in them.
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

/// Whether `text` is what the format string makes, whatever its `{}` stand for.
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
    let all = build::generate(&isa, |_| true).unwrap_or_else(|e| panic!("{e}"));
    let again = build::read(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/isa"))).unwrap();
    assert_eq!(all, build::generate(&again, |_| true).unwrap());
    for target in &isa.targets {
        let alone = build::generate(&isa, |feature| feature == target.feature()).unwrap_or_else(|e| panic!("{e}"));
        let types = alone.iter().find(|(name, _)| name == "types.rs").map_or("", |(_, text)| text);
        assert!(types.contains(&format!("pub mod {} {{", target.name)), "{} alone has no module", target.name);
    }
}

#[test]
fn a_directory_that_is_not_there_is_an_error() {
    let error = build::read(Path::new("no such directory")).unwrap_err();
    assert!(error.to_string().starts_with("no such directory:0: "), "{error}");
}
