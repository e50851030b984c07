//! Facts about the hardware belong in `isa/`, not in hand-written Rust: code must not contain names of generations,
//! mnemonics or operand codes. Comments and tests may name them, and so may the lines of `ALLOWED`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The facts that code may name: the file, the name, how often, and why. A line that is not needed fails, too.
#[rustfmt::skip] // One line for each.
const ALLOWED: &[(&str, &str, usize, &str)] = &[
    ("build/check/mod.rs", "511", 1, "the greatest value that nine bits hold: sets of values have so many bits"),
    ("build/emit/builtin.rs", "s_add_u32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_addc_u32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_branch", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_cmp_lg_u32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_code_end", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_cselect_b32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_getpc_b64", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_mov_b32", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_mov_b64", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_nop", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_set_vgpr_msb", 1, "an operation after which numbers of registers are not enough: this is the list of them"),
    ("build/emit/builtin.rs", "s_setpc_b64", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_swappc_b64", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_wait_idle", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_waitcnt", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_waitcnt_depctr", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_waitcnt_vscnt", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "v_dual_fmamk_f32", 1, "a constant stands between its sources: the second is the third one where registers have upper bits"),
    ("build/emit/builtin.rs", "v_fmamk_f16", 1, "a constant stands between its sources: the second is the third one where registers have upper bits"),
    ("build/emit/builtin.rs", "v_fmamk_f32", 1, "a constant stands between its sources: the second is the third one where registers have upper bits"),
    ("build/emit/builtin.rs", "v_fmamk_f64", 1, "a constant stands between its sources: the second is the third one where registers have upper bits"),
    ("build/emit/builtin.rs", "v_mov_b32", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "v_nop", 1, "the operation that stands for nothing between vector operations: this is the list of them"),
    ("build/emit/builtin.rs", "v_wmma_ld_scale16_paired_b64", 1, "its registers hold scales, and have no upper bits"),
    ("build/emit/builtin.rs", "v_wmma_ld_scale_paired_b32", 1, "its registers hold scales, and have no upper bits"),
    ("build/emit/names.rs", "255", 1, "a byte that says that the target has no such register"),
    ("build/emit/fast_text.rs", "128", 1, "the bits of a rotated integer"),
    ("build/emit/operand_texts.rs", "128", 1, "behind the greatest branch distance with a text: a mask of seven bits reads it"),
    ("build/emit/operand_texts.rs", "0x100", 1, "sections of the texts, as src/text/texts.rs has them"),
    ("build/emit/operand_texts.rs", "0xff", 2, "a mask of eight bits"),
    ("build/emit/decode.rs", "256", 3, "the number of values of a byte"),
    ("build/emit/operand_texts.rs", "255", 1, "the last vector register that a tuple's text names"),
    ("build/emit/types.rs", "128", 1, "bits of an integer"),
    ("build/lower/cases.rs", "0x7f", 1, "a mask of seven bits, as a scalar address has"),
    ("build/lower/fast_texts.rs", "0x7f", 2, "masks of seven bits"),
    ("build/lower/fast_texts.rs", "0xfe", 1, "a mask of eight bits without the lowest one"),
    ("build/lower/fast_texts.rs", "127", 1, "one less than the bits of a rotated integer"),
    ("build/lower/fast_texts.rs", "128", 3, "the bits of a rotated integer"),
    ("build/lower/fast_texts.rs", "0xff", 2, "a mask of eight bits"),
    ("build/lower/layout.rs", "0xff", 1, "a mask of eight bits"),
    ("build/lower/mod.rs", "128", 1, "the bits of the widest format"),
    ("build/lower/pages.rs", "255", 1, "the greatest number of a byte; `room` refuses more"),
    ("build/lower/sets.rs", "256", 2, "values of a field of eight bits, above which a flag stands"),
    ("build/lower/sets.rs", "511", 1, "the greatest value that nine bits hold: sets of values have so many bits"),
    ("build/parse/counters.rs", "255", 1, "a counter has at most eight bits"),
    ("build/parse/formats.rs", "128", 1, "the bits of the widest format"),
    ("build/parse/formats.rs", "511", 1, "codes have nine bits"),
    ("build/parse/lines.rs", "127", 1, "the last bit of the widest format"),
    ("build/parse/lines.rs", "255", 2, "an ELF number has a byte, and so has the version of a generic processor"),
    ("build/parse/lines.rs", "256", 1, "the greatest scale of an operand type"),
    ("build/parse/lines.rs", "511", 1, "codes have nine bits"),
    ("build/parse/mod.rs", "511", 1, "codes have nine bits"),
    ("build/parse/numbers.rs", "127", 1, "the last bit of the widest format"),
    ("build/parse/rows.rs", "127", 1, "the last bit of the widest format"),
    ("src/assembler/emit.rs", "255", 1, "a count is told up to the greatest byte"),
    ("src/book.rs", "gfx600", 1, "the condition under which the code of the book runs"),
    ("src/capi.rs", "0xff", 1, "an ELF number has a byte"),
    ("src/codec/register.rs", "0x80", 1, "the bit of a field that says which half of a register is meant"),
    ("src/codec/register.rs", "0xff", 1, "a mask of eight bits"),
    ("src/decode.rs", "0x1ff", 2, "a mask of nine bits"),
    ("src/decode.rs", "0xff", 3, "a mask of eight bits"),
    ("src/constraint/mod.rs", "511", 1, "a mask of nine bits"),
    ("src/imm.rs", "s_delay_alu", 1, "a name by which the docs are searched"),
    ("src/imm.rs", "s_sendmsg", 1, "a name by which the docs are searched"),
    ("src/imm.rs", "s_set_gpr_idx_on", 1, "a name by which the docs are searched"),
    ("src/imm.rs", "s_waitcnt", 1, "a name by which the docs are searched"),
    ("src/imm.rs", "s_waitcnt_depctr", 1, "a name by which the docs are searched"),
    ("src/kind/mod.rs", "0xff", 1, "NONE"),
    ("src/lib.rs", "gfx942", 1, "the condition under which the code of the README runs"),
    ("src/loadable/argument.rs", "104", 1, "a distance between a kernel's hidden arguments"),
    ("src/loadable/argument.rs", "112", 1, "a distance between a kernel's hidden arguments"),
    ("src/loadable/argument.rs", "192", 1, "a distance between a kernel's hidden arguments"),
    ("src/loadable/metadata.rs", "0x100", 1, "a number of MessagePack with two bytes"),
    ("src/loadable/metadata.rs", "0x7f", 1, "the greatest number of MessagePack in its first byte"),
    ("src/loadable/metadata.rs", "0x80", 2, "a number of MessagePack with a byte of its own, and a map"),
    ("src/loadable/metadata.rs", "0xff", 1, "the greatest byte"),
    ("src/loadable/metadata.rs", "amdgcn", 1, "the triple of every target"),
    ("src/make/modifiers.rs", "255", 1, "a mask of eight bits"),
    ("src/make/operand.rs", "255", 2, "the greatest constant in eight bits"),
    ("src/make/resolve.rs", "0x80", 1, "PAIR, a bit beside the number of a class"),
    ("src/table/values.rs", "0x7f", 1, "a mask of seven bits, as a scalar address has"),
    ("src/processor.rs", "0xff", 1, "an ELF number has a byte"),
    ("src/shared.rs", "0x100", 1, "the texts of vector registers come before those of accumulation registers"),
    ("src/shared.rs", "0x80", 1, "a bit of `length`"),
    ("src/shared.rs", "0xc0", 2, "bits of `length`"),
    ("src/shared.rs", "127", 1, "the code of `off` that ready-made texts know: build/lower/fast_texts.rs gives none to targets with another"),
    ("src/shared.rs", "128", 2, "a bit of `trailing` and one of `class`"),
    ("src/shared.rs", "256", 1, "a bit of `class`"),
    ("src/target.rs", "0xff", 1, "an ELF number has a byte"),
    ("src/microcode.rs", "gfx942", 1, "the compiler names an example when something else is passed"),
    ("src/text/out.rs", "256", 5, "sizes of buffers, and numbers of up to three digits"),
    ("src/text/parse/cursor.rs", "256", 2, "the number of values of a byte"),
    ("src/text/parse/fast.rs", "128", 2, "characters that the quick parser looks ahead"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The `.rs` files below a directory.
fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(sources(&path));
        } else if path.extension().is_some_and(|x| x == "rs") {
            all.push(path);
        }
    }
    all
}

/// The names in the tables: operand codes (the bounds of each row, except plain small numbers), and mnemonics.
struct Facts {
    codes: BTreeSet<u64>,
    mnemonics: BTreeSet<String>,
}

impl Facts {
    fn read() -> Facts {
        let (mut codes, mut mnemonics) = (BTreeSet::new(), BTreeSet::new());
        for entry in std::fs::read_dir(root().join("isa")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|x| x != "isa") {
                continue;
            }
            let text = std::fs::read_to_string(path).unwrap();
            for line in text.lines().map(|line| line.split('#').next().unwrap()) {
                let mut words = line.split_whitespace();
                match words.next() {
                    Some("code" | "extend") => {
                        let bounds = words.skip(2).flat_map(|cell| cell.split(['-', '@', ':', '=']));
                        let numbers = bounds.filter_map(|n| n.parse::<u64>().ok());
                        codes.extend(numbers.filter(|n| *n >= 64));
                    }
                    Some(mnemonic) if line.matches('|').count() == 4 && mnemonic != "does" => {
                        _ = mnemonics.insert(mnemonic.to_string())
                    }
                    _ => {}
                }
            }
        }
        assert!(codes.len() > 40 && codes.contains(&106) && codes.contains(&255), "{codes:?}");
        assert!(mnemonics.len() > 1_000 && mnemonics.contains("s_nop"), "{}", mnemonics.len());
        Facts { codes, mnemonics }
    }

    /// The facts that a piece of code names, with their counts.
    fn named(&self, source: &str) -> BTreeMap<String, usize> {
        let mut all = BTreeMap::new();
        let mut found = |what: &str| *all.entry(what.to_string()).or_default() += 1;
        let (words, strings) = tokens(source);
        for word in &words {
            if is_generation(word) {
                found(word);
            }
            if number(word).is_some_and(|n| self.codes.contains(&n)) {
                found(word);
            }
        }
        for string in &strings {
            let parts = string.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for part in parts.filter(|part| self.mnemonics.contains(*part) || is_generation(part)) {
                found(part);
            }
        }
        all
    }
}

/// `gfx942`, `CDNA3`, `is_rdna`: part of any name.
fn is_generation(word: &str) -> bool {
    let lower = word.to_lowercase();
    let gfx = lower.match_indices("gfx").any(|(at, _)| lower[at + 3..].starts_with(|c: char| c.is_ascii_digit()));
    gfx || ["rdna", "cdna", "gcn"].iter().any(|name| lower.contains(name))
}

/// The value of an integer, without its type and underscores.
fn number(word: &str) -> Option<u64> {
    let digits: String = word.chars().filter(|c| *c != '_').collect();
    let digits = digits.trim_end_matches("usize");
    let digits = ["u8", "u16", "u32", "u64", "u128", "i8", "i16", "i32", "i64"].iter().fold(digits, |d, ty| {
        if d.starts_with("0x") && !d.ends_with(ty) { d } else { d.strip_suffix(ty).unwrap_or(d) }
    });
    match digits.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// The words of Rust code, and its strings: without comments, and without anything after `#[cfg(test)]`.
fn tokens(source: &str) -> (Vec<String>, Vec<String>) {
    let end = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| source.find(mark)).min();
    let code: Vec<char> = source[..end.unwrap_or(source.len())].chars().collect();
    let (mut words, mut strings, mut at) = (Vec::new(), Vec::new(), 0);
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    while at < code.len() {
        let rest = &code[at..];
        match rest {
            ['/', '/', ..] => at += rest.iter().position(|&c| c == '\n').unwrap_or(rest.len()),
            ['"', ..] => {
                let mut string = String::new();
                at += 1;
                while at < code.len() && code[at] != '"' {
                    at += usize::from(code[at] == '\\');
                    string.extend(code.get(at));
                    at += 1;
                }
                at += 1;
                strings.push(string);
            }
            // A quote of a character literal, not the start of a string.
            ['\'', '\\', _, '\'', ..] => at += 4,
            ['\'', _, '\'', ..] => at += 3,
            [c, ..] if is_word(*c) => {
                let word: String = rest.iter().take_while(|&&c| is_word(c)).collect();
                at += word.len();
                words.push(word);
            }
            _ => at += 1,
        }
    }
    (words, strings)
}

#[test]
fn code_names_no_facts() {
    let facts = Facts::read();
    let mut files = sources(&root().join("src"));
    files.extend(sources(&root().join("build")));
    files.push(root().join("build.rs"));
    assert!(files.len() > 80, "only {} files were found", files.len());
    let mut found = BTreeMap::new();
    for path in files {
        let file = path.strip_prefix(root()).unwrap().display().to_string();
        for (what, count) in facts.named(&std::fs::read_to_string(&path).unwrap()) {
            found.insert((file.clone(), what), count);
        }
    }
    let mut faults = Vec::new();
    for &(file, what, count, why) in ALLOWED {
        assert!(!why.is_empty(), "{file}: {what} has no reason");
        match found.remove(&(file.to_string(), what.to_string())) {
            Some(n) if n == count => {}
            n => faults.push(format!("{file} names {what} {} times, and the list allows {count}", n.unwrap_or(0))),
        }
    }
    faults.extend(found.iter().map(|((file, what), count)| format!("(\"{file}\", \"{what}\", {count}, \"\"),")));
    assert!(faults.is_empty(), "facts belong into isa/:\n{}", faults.join("\n"));
}

/// The test finds such facts, and nothing else.
#[test]
fn facts_are_found() {
    let facts = Facts::read();
    let named = |source: &str| facts.named(source).into_iter().collect::<Vec<_>>();
    let one = |what: &str| vec![(what.to_string(), 1)];
    assert_eq!(named("const VCC: u16 = 106;"), one("106"));
    assert_eq!(named("code == 0xff"), one("0xff"));
    assert_eq!(named("code == 124_u16 // 125"), one("124_u16"));
    assert_eq!(named("match name { \"s_nop\" => 1 }"), one("s_nop"));
    assert_eq!(named("if target == Target::Gfx942 {}"), one("Gfx942"));
    assert_eq!(named("let is_rdna = true;"), one("is_rdna"));
    assert_eq!(named("t.generation() == \"CDNA3\""), one("CDNA3"));
    assert_eq!(named("f('\"', 5); /* */ g(\"\\\"s_nop\")"), one("s_nop"));
    let nothing = "/// `s_nop` of gfx942 is 127\nlet x106 = 5; // 106\n#[cfg(test)]\nmod tests { 106 }";
    assert_eq!(named(nothing), []);
    assert_eq!(named("\"global_addr\" => v[1060]"), []);
}
