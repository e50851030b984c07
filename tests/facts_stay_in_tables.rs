//! Facts about the hardware belong in `isa/`, not in hand-written Rust: the code of no package contains names of
//! generations, mnemonics, operations, operand codes or lists of formats. Comments and tests may name them, and so may
//! the lines of `ALLOWED`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The directories with the code that is checked.
const CODE: [&str; 6] = ["src", "build", "crates", "cli/src", "python/src", "web/src"];

/// Directories whose code has facts by its purpose, and the reason.
const LEFT_OUT: &[(&str, &str)] = &[("crates/llvm/src", "its rules describe where LLVM's disassemblers are wrong")];

/// The facts that code may name: the file, the name, the count, and the reason. A line that is not needed fails, too.
#[rustfmt::skip] // Each entry has one line.
const ALLOWED: &[(&str, &str, usize, &str)] = &[
    ("build/emit/builtin.rs", "s_add_u32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_addc_u32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_branch", 2, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_cmp_lg_u32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_code_end", 2, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_cselect_b32", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_getpc_b64", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_mov_b32", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_mov_b64", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_nop", 2, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_set_vgpr_msb", 1, "an operation after which numbers of registers are not enough: this is the list of them"),
    ("build/emit/builtin.rs", "s_setpc_b64", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_swappc_b64", 1, "operations that the assembler makes: this is the list of them"),
    ("build/emit/builtin.rs", "s_wait_idle", 1, "an instruction that ends a rule which no distance ends"),
    ("build/emit/builtin.rs", "s_wait_xcnt", 1, "an instruction that ends a rule which no distance ends"),
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
    ("build/lower/codes.rs", "DPP", 2, "names of extensions, by which the tables announce them"),
    ("build/lower/codes.rs", "LITERAL", 1, "names of extensions, by which the tables announce them"),
    ("build/lower/codes.rs", "LITERAL64", 1, "names of extensions, by which the tables announce them"),
    ("build/lower/codes.rs", "SDWA", 2, "names of extensions, by which the tables announce them"),
    ("build/lower/fast_texts.rs", "0xfe", 1, "a mask of eight bits without the lowest one"),
    ("build/lower/form.rs", "LITERAL", 1, "the extensions that are literals"),
    ("build/lower/form.rs", "LITERAL64", 1, "the extensions that are literals"),
    ("build/parse/formats.rs", "511", 1, "codes have nine bits"),
    ("cli/src/hostile.rs", "101", 2, "the exit code of a panic"),
    ("cli/src/hostile.rs", "gfx1100", 1, "samples that are damaged"),
    ("cli/src/hostile.rs", "gfx600", 1, "samples that are damaged"),
    ("cli/src/hostile.rs", "gfx900", 1, "samples that are damaged"),
    ("cli/src/hostile.rs", "gfx942", 1, "samples that are damaged"),
    ("cli/src/lint/progress.rs", "250", 1, "milliseconds"),
    ("crates/asm/src/debug/frames.rs", "0xc0", 1, "an operation of DWARF"),
    ("crates/asm/src/expr.rs", "GCN3", 2, "LLVM's number of a generation, which its metadata has"),
    ("crates/asm/src/expr.rs", "RDNA", 2, "LLVM's number of a generation, which its metadata has"),
    ("crates/asm/src/kernel_code.rs", "112", 1, "an offset in `amd_kernel_code_t`"),
    ("crates/asm/src/known.rs", "gfx942", 1, "a help text has an example"),
    ("crates/asm/src/resolve.rs", "s_nop", 1, "a message names it"),
    ("crates/eval/src/trig.rs", "239", 1, "Machin's formula"),
    ("crates/explain/src/diagram.rs", "VOP3P", 1, "an example of a diagram"),
    ("crates/explain/src/diagram.rs", "gfx942", 1, "an example of a diagram"),
    ("crates/explain/src/diagram.rs", "v_pk_fma_f16", 2, "an example of a diagram"),
    ("crates/lint/src/check/finding.rs", "s_nop", 2, "a message names it"),
    ("crates/lint/src/rules.rs", "RDNA1", 1, "a message names it"),
    ("crates/lint/src/rules.rs", "s_endpgm", 2, "a message names it"),
    ("crates/lint/src/rules.rs", "s_nop", 4, "a message names it"),
    ("crates/lint/src/rules.rs", "v_nop", 1, "a message names it"),
    ("crates/object/src/code_object.rs", "FIRST_GCN_MACH", 2, "ELF numbers below it are those of processors before the first one"),
    ("crates/object/src/image.rs", "GCN", 1, "a message names it"),
    ("crates/object/src/kernel_code.rs", "103", 1, "a size or an offset in `amd_kernel_code_t`"),
    ("crates/object/src/kernel_code.rs", "256", 1, "a size or an offset in `amd_kernel_code_t`"),
    ("crates/object/src/metadata.rs", "0xc0", 1, "a kind of MessagePack"),
    ("crates/object/src/metadata.rs", "0xd0", 2, "a kind of MessagePack"),
    ("crates/object/src/target_id.rs", "gfx942", 1, "a help text has an example"),
    ("crates/prove/src/words.rs", "106", 1, "values that are tried; any others would do"),
    ("crates/prove/src/words.rs", "126", 1, "values that are tried; any others would do"),
    ("crates/prove/src/words.rs", "233", 1, "values that are tried; any others would do"),
    ("crates/prove/src/words.rs", "240", 1, "values that are tried; any others would do"),
    ("crates/prove/src/words.rs", "249", 1, "values that are tried; any others would do"),
    ("crates/prove/src/words.rs", "250", 1, "values that are tried; any others would do"),
    ("src/book.rs", "gfx600", 1, "the condition under which the code of the book runs"),
    ("src/constraint/mod.rs", "511", 1, "a mask of nine bits"),
    ("src/imm.rs", "s_delay_alu", 1, "a name by which the docs are searched"),
    ("src/imm.rs", "s_sendmsg", 1, "a name by which the docs are searched"),
    ("src/imm.rs", "s_set_gpr_idx_on", 1, "a name by which the docs are searched"),
    ("src/imm/depctr.rs", "s_waitcnt_depctr", 1, "a name by which the docs are searched"),
    ("src/imm/waitcnt.rs", "s_waitcnt", 1, "a name by which the docs are searched"),
    ("src/inst.rs", "SNop", 1, "stands for an operation that the decoder never gives"),
    ("src/lib.rs", "gfx942", 1, "the condition under which the code of the README runs"),
    ("src/loadable/argument.rs", "104", 1, "a distance between a kernel's hidden arguments"),
    ("src/loadable/argument.rs", "112", 1, "a distance between a kernel's hidden arguments"),
    ("src/loadable/argument.rs", "192", 1, "a distance between a kernel's hidden arguments"),
    ("src/make/builder.rs", "Format::Nsa3", 1, "the extensions that hold registers of an address"),
    ("src/microcode.rs", "gfx942", 1, "the compiler names an example when something else is passed"),
    ("src/shared.rs", "0xc0", 2, "bits of `length`"),
    ("src/text/parse/fast.rs", "Format::Vbuffer", 1, "formats whose unused fields the quick parser must fill"),
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

/// The names in the tables: operand codes (the bounds of each row, except plain small numbers), mnemonics, the names of
/// operations in code, and formats.
struct Facts {
    codes: BTreeSet<u64>,
    mnemonics: BTreeSet<String>,
    operations: BTreeSet<String>,
    formats: BTreeSet<String>,
}

impl Facts {
    fn read() -> Facts {
        let (mut codes, mut mnemonics, mut formats) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
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
                    Some("format") => formats.extend(words.next().map(String::from)),
                    Some(mnemonic) if line.matches('|').count() == 4 && mnemonic != "does" => {
                        _ = mnemonics.insert(mnemonic.to_string())
                    }
                    _ => {}
                }
            }
        }
        assert!(codes.len() > 40 && codes.contains(&106) && codes.contains(&255), "{codes:?}");
        assert!(mnemonics.len() > 1_000 && mnemonics.contains("s_nop"), "{}", mnemonics.len());
        assert!(formats.len() > 40 && formats.contains("SOP1"), "{formats:?}");
        let operations = mnemonics.iter().map(|mnemonic| camel(mnemonic)).collect();
        Facts { codes, mnemonics, operations, formats }
    }

    /// The facts that a piece of code names, with their counts.
    fn named(&self, source: &str) -> BTreeMap<String, usize> {
        let mut all = BTreeMap::new();
        let mut found = |what: &str| *all.entry(what.to_string()).or_default() += 1;
        let (words, strings) = tokens(source);
        for (n, (word, line)) in words.iter().enumerate() {
            let before = |back: usize| n.checked_sub(back).map_or("", |n| &words[n].0);
            if is_generation(word) {
                found(word);
            }
            if before(1) == "Opcode" && self.operations.contains(word) {
                found(word);
            }
            // Two formats are allowed as a distinction, and three are a list.
            if before(1) == "Format" && before(3) == "Format" && before(5) == "Format" {
                found(&format!("Format::{word}"));
            }
            // A mask or a power of two is a code only if the line is about codes or registers.
            if number(word).is_some_and(|n| self.codes.contains(&n) && (!is_plain(n) || names_codes(&words, *line))) {
                found(word);
            }
        }
        for string in &strings {
            let parts = string.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for part in parts.filter(|part| self.mnemonics.contains(*part) || is_generation(part)) {
                found(part);
            }
            let begun = self.formats.iter().filter(|format| format.starts_with(string.as_str())).count();
            if self.formats.contains(string) || (string.len() >= 3 && begun >= 3) {
                found(string);
            }
        }
        all
    }
}

/// Whether a word has the name of a generation in it, such as `gfx942`, `CDNA3` or `is_rdna`.
fn is_generation(word: &str) -> bool {
    let lower = word.to_lowercase();
    let gfx = lower.match_indices("gfx").any(|(at, _)| lower[at + 3..].starts_with(|c: char| c.is_ascii_digit()));
    // `amdgcn` is the architecture of all generations.
    let lower = lower.replace("amdgcn", "");
    gfx || ["rdna", "cdna", "gcn"].iter().any(|name| lower.contains(name))
}

/// The name of an operation in code: `SNop` for `s_nop`.
fn camel(mnemonic: &str) -> String {
    let parts = mnemonic.split('_').map(|part| part[..part.len().min(1)].to_uppercase() + part.get(1..).unwrap_or(""));
    parts.collect()
}

/// Whether a number is often a mask or a size.
fn is_plain(n: u64) -> bool {
    n.is_power_of_two() || (n + 1).is_power_of_two()
}

/// Whether a line of code names codes or registers.
fn names_codes(words: &[(String, usize)], line: usize) -> bool {
    const PARTS: [&str; 8] = ["code", "codes", "operand", "reg", "sgpr", "sgprs", "src", "vgpr"];
    let here = words.iter().filter(|(_, of)| *of == line);
    here.flat_map(|(word, _)| word.split('_')).any(|part| PARTS.contains(&part.to_lowercase().as_str()))
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

/// The words of Rust code with the numbers of their lines, and its strings: without comments, and without anything
/// after `#[cfg(test)]`.
fn tokens(source: &str) -> (Vec<(String, usize)>, Vec<String>) {
    let end = ["#[cfg(test)]", "#[cfg(all(test"].iter().filter_map(|mark| source.find(mark)).min();
    let code: Vec<char> = source[..end.unwrap_or(source.len())].chars().collect();
    let (mut words, mut strings, mut at, mut line) = (Vec::new(), Vec::new(), 0, 0);
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
                words.push((word, line));
            }
            [c, ..] => {
                line += usize::from(*c == '\n');
                at += 1;
            }
            [] => {}
        }
    }
    (words, strings)
}

#[test]
fn code_names_no_facts() {
    let facts = Facts::read();
    let mut files: Vec<PathBuf> = CODE.iter().flat_map(|dir| sources(&root().join(dir))).collect();
    files.push(root().join("build.rs"));
    assert!(files.len() > 400, "only {} files were found", files.len());
    let mut found = BTreeMap::new();
    for path in files {
        let file = path.strip_prefix(root()).unwrap().display().to_string();
        let is_test = file.ends_with("/tests.rs") || file.split('/').any(|part| ["tests", "examples"].contains(&part));
        if is_test || LEFT_OUT.iter().any(|(dir, _)| file.starts_with(dir)) {
            continue;
        }
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

/// The search finds facts in code, and nothing else.
#[test]
fn facts_are_found() {
    let facts = Facts::read();
    let named = |source: &str| facts.named(source).into_iter().collect::<Vec<_>>();
    let one = |what: &str| vec![(what.to_string(), 1)];
    assert_eq!(named("const VCC: u16 = 106;"), one("106"));
    assert_eq!(named("code == 0xff"), one("0xff"));
    assert_eq!(named("word & 0xff"), []);
    assert_eq!(named("Opcode::VReadlaneB32 => 1, Opcode::ALL => 2"), one("VReadlaneB32"));
    assert_eq!(named("Format::Sop1 | Format::Sop2"), []);
    assert_eq!(named("Format::Sop1 | Format::Sop2 | Format::Sopc"), one("Format::Sopc"));
    assert_eq!(named("name.starts_with(\"VOP3\")"), one("VOP3"));
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
