//! Statements of a format, except its rows.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::*;
use crate::build::parse::Parser;
use crate::build::parse::numbers::{bits, number, run, up_to};
use crate::build::parse::rows::{means, token, with_type};

/// The greatest operand code of a source.
const LAST_CODE: u32 = 511;

/// Reads `format NAME BITS [extension | shares FORMAT]`.
pub fn format(at: &SourceLine, args: &[&str]) -> Result<Format> {
    let (name, bits, rest) = match args {
        [n, b, rest @ ..] => (n, number(at, b)?, rest),
        _ => return at.err("expected: format NAME BITS"),
    };
    if ![32, 64, 96, 128].contains(&bits) {
        return at.err(format!("a format has 32, 64, 96 or 128 bits, not {bits}"));
    }
    let (extension, shares) = match rest {
        [] => (false, None),
        ["extension"] => (true, None),
        ["shares", f] => (false, Some(f.to_string())),
        _ => return at.err("expected nothing, `extension` or `shares FORMAT` after the width"),
    };
    Ok(Format {
        at: at.clone(),
        name: name.to_string(),
        bits: bits as u8,
        extension,
        shares,
        about: String::new(),
        source: Source::default(),
        generations: Vec::new(),
        counted: None,
        takes: Vec::new(),
        suffix: String::new(),
        assembler: AssemblerFacts::default(),
        bare: Vec::new(),
        literal: Vec::new(),
        literal64: Vec::new(),
        dual: None,
        reads: Vec::new(),
        extends: Vec::new(),
        replaces: Vec::new(),
        halves: Vec::new(),
        succeeds: Vec::new(),
        space: None,
        bus: false,
        apart: false,
        defaults: Vec::new(),
        counts: Vec::new(),
        counters: Vec::new(),
        whens: Vec::new(),
        swaps: Vec::new(),
        renames: Vec::new(),
        fixed: Vec::new(),
        only: Vec::new(),
        unused: Vec::new(),
        does: Vec::new(),
        lanes: Vec::new(),
        means: Vec::new(),
        fields: Vec::new(),
        macros: Vec::new(),
        rows: Vec::new(),
    })
}

/// Reads a place in a manual: a section with its tables, such as `13.1.1:64,65`, or the name of the format in the
/// manual.
fn place(at: &SourceLine, cell: &str) -> Result<String> {
    let is_number = |s: &str| !s.is_empty() && s.chars().all(|c| c.is_ascii_digit());
    let (section, tables) = cell.split_once(':').map_or((cell, None), |(section, tables)| (section, Some(tables)));
    if tables.is_none() && section.starts_with(|c: char| c.is_ascii_uppercase()) {
        return Ok(format!(", {section}"));
    }
    let tables: Vec<&str> = tables.iter().flat_map(|tables| tables.split(',')).collect();
    if !section.split('.').chain(tables.iter().copied()).all(is_number) {
        return at.err(format!("expected SECTION:TABLE,TABLE or the manual's name of the format, found `{cell}`"));
    }
    Ok(match tables[..] {
        [] => format!(" {section}"),
        [one] => format!(" {section}, table {one}"),
        [a, b] => format!(" {section}, tables {a} and {b}"),
        [first, .., last] => format!(" {section}, tables {first} to {last}"),
    })
}

impl Parser {
    /// Reads a statement of a format. `key` is its first word, and `about` is the text after a semicolon.
    pub fn format_line(
        &self,
        f: &mut Format,
        at: &SourceLine,
        line: &str,
        key: &str,
        args: &[&str],
        about: &str,
    ) -> Result<()> {
        let words = |args: &[&str]| args.iter().map(|s| s.to_string()).collect();
        match key {
            "about" => f.about = line["about".len()..].trim().to_string(),
            "source" => {
                if !args.is_empty() {
                    f.source.places = self.cells(at, args, place)?;
                }
                f.source.note = about.to_string();
            }
            "in" => f.generations = args.iter().map(|word| self.generation(at, word)).collect::<Result<_>>()?,
            "bus" => f.bus = true,
            "apart" => f.apart = true,
            "means" => f.means.push(means(at, line)?),
            "default" => f.defaults.push(default(at, args, false)?),
            "neutral" => f.defaults.push(default(at, args, true)?),
            "rows" => f.counted = Some((at.clone(), self.cells(at, args, |_, s| Ok(s.to_string()))?)),
            "takes" => f.takes.push(self.takes(at, args)?),
            "suffix" => f.suffix = args.join(" "),
            "assembler" => f.assembler = assembler(at, args)?,
            "bare" => f.bare = words(args),
            "literal" => f.literal = words(args),
            "literal64" => f.literal64 = words(args),
            "reads" => {
                let [register, targets @ ..] = args else { return at.err("expected: reads REGISTER GENERATION...") };
                f.reads.push((register.to_string(), words(targets)));
            }
            "extend" => f.extends.push(extend(at, args)?),
            "dual" => {
                let [x, y] = args else { return at.err("expected: dual LETTER LETTER") };
                f.dual = Some([x.to_string(), y.to_string()]);
            }
            "replace" => f.replaces.push(replace(at, args)?),
            "half" => f.halves.push(half(at, args)?),
            "succeeds" => f.succeeds.push(succeeds(at, args)?),
            "field" => f.fields.push(self.field(at, args, about)?),
            "macro" => {
                let [name, "=", words @ ..] = args else { return at.err("expected: macro NAME = WORD...") };
                if f.macros.iter().any(|(n, _)| n == name) {
                    return at.err(format!("macro {name} is defined twice"));
                }
                let tokens = words.iter().map(|w| token(at, w)).collect::<Result<Vec<_>>>()?;
                f.macros.push((name.to_string(), tokens));
            }
            "counts" => f.counts.push(self.counts(at, key, args)?),
            "counter" => f.counters.push(self.counts(at, key, args)?),
            "only" => f.only.push(self.only(at, args)?),
            "unused" => f.unused.push(self.unused(at, args)?),
            _ if facts(f, at, key, args)? => {}
            _ => return at.err(format!("unknown word `{key}`")),
        }
        Ok(())
    }

    /// Reads a word of `in GENERATION... GENERATION=-...`.
    fn generation(&self, at: &SourceLine, word: &str) -> Result<Entry<()>> {
        let (place, needs) = word.split_once('@').map_or((word, None), |(p, needs)| (p, Some(needs.to_string())));
        match place.split_once('=').unwrap_or((place, "")) {
            (node, off @ ("" | "-")) if self.nodes.iter().any(|n| n == node) => {
                Ok(Entry { node: Some(node.to_string()), value: off.is_empty().then_some(()), needs })
            }
            _ => at.err(format!("expected: in GENERATION... GENERATION=-..., found `{word}`")),
        }
    }

    /// Reads `field NAME TYPE CELL...`.
    fn field(&self, at: &SourceLine, args: &[&str], about: &str) -> Result<Field> {
        let [name, operand_type, cells @ ..] = args else { return at.err("expected: field NAME TYPE CELL...") };
        let bits = self.cells(at, cells, bits)?;
        Ok(Field {
            at: at.clone(),
            name: name.to_string(),
            operand_type: operand_type.trim_end_matches(['~', '+']).to_string(),
            ignored_if_unused: operand_type.ends_with('~'),
            overlay: operand_type.ends_with('+'),
            bits,
            about: about.to_string(),
        })
    }

    /// Reads `counts COUNTER CELL...` or `counter COUNTER CELL...`.
    fn counts(&self, at: &SourceLine, key: &str, args: &[&str]) -> Result<Counts> {
        let [counter, cells @ ..] = args else { return at.err(format!("expected: {key} COUNTER CELL...")) };
        let cells = self.cells(at, cells, |_, s| Ok(s.to_string()))?;
        Ok(Counts { at: at.clone(), counter: counter.to_string(), cells })
    }

    /// Reads `only OPERATIONS FIELD CELL... [if FIELD=VALUES...]`.
    fn only(&self, at: &SourceLine, args: &[&str]) -> Result<Only> {
        let [pattern, field, cells @ ..] = args else {
            return at.err("expected: only OPERATIONS FIELD CELL... [if FIELD=VALUES...]");
        };
        let mut parts = cells.splitn(2, |word| *word == "if");
        let (cells, words) = (parts.next().unwrap_or(&[]), parts.next().unwrap_or(&[]));
        let condition = |word: &&str| match word.split_once('=') {
            Some((field, set)) => Ok((field.to_string(), values(at, set)?)),
            None => at.err(format!("expected `if FIELD=VALUES`, found `{word}`")),
        };
        let conditions = words.iter().map(condition).collect::<Result<Vec<(String, Values)>>>()?;
        if let Some((field, _)) = conditions.iter().find(|(_, values)| values.shift > 0) {
            return at.err(format!("a condition of {field} is a set of values below 128"));
        }
        let values = self.cells(at, cells, values)?;
        Ok(Only { at: at.clone(), pattern: pattern.to_string(), field: field.to_string(), values, conditions })
    }

    /// Reads `unused OPERATIONS FIELD CELL...`.
    fn unused(&self, at: &SourceLine, args: &[&str]) -> Result<Unused> {
        let [pattern, field, cells @ ..] = args else { return at.err("expected: unused OPERATIONS FIELD CELL...") };
        let values = self.cells(at, cells, fillers)?;
        let dpp = pattern.strip_prefix("dpp:");
        Ok(Unused {
            at: at.clone(),
            pattern: dpp.unwrap_or(pattern).to_string(),
            dpp: dpp.is_some(),
            field: field.to_string(),
            values,
        })
    }

    /// Reads `takes FORMAT CELL... OLD->NEW... -FLAG... FORM:MACRO...`.
    fn takes(&self, at: &SourceLine, args: &[&str]) -> Result<Takes> {
        let [format, words @ ..] = args else { return at.err("expected: takes FORMAT CELL... OLD->NEW... -FLAG...") };
        let (mut cells, mut renames, mut without, mut forms) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for word in words {
            if let Some((old, new)) = word.split_once("->") {
                let (old, access) = match old.strip_suffix(['=', ':']) {
                    Some(name) if old.ends_with('=') => (name, Some(Access::Write)),
                    Some(name) => (name, Some(Access::Read)),
                    None => (old, None),
                };
                let (new, operand_type) = with_type(new);
                renames.push(Rename { old: old.to_string(), access, new, operand_type });
            } else if let Some(flag) = word.strip_prefix('-') {
                without.push(flag.to_string());
            } else if let Some((form, macro_name)) = word.split_once(':') {
                forms.push((form.to_string(), macro_name.to_string()));
            } else {
                cells.push(*word);
            }
        }
        let add = self.cells(at, &cells, |at, s| Ok(up_to(at, s, 0xffff)? as u16))?;
        Ok(Takes { at: at.clone(), format: format.to_string(), add, renames, without, forms })
    }
}

/// Reads `default FIELD VALUE` or `neutral FIELD VALUE`.
fn default(at: &SourceLine, args: &[&str], neutral: bool) -> Result<FieldDefault> {
    let [field, value] = args else {
        return at.err(format!("expected: {} FIELD VALUE", if neutral { "neutral" } else { "default" }));
    };
    let value = up_to(at, value, u32::MAX)?;
    Ok(FieldDefault { at: at.clone(), neutral, field: field.to_string(), value })
}

/// Reads `extend FORMAT FIELD CODE GENERATION...`.
fn extend(at: &SourceLine, args: &[&str]) -> Result<Extend> {
    let [format, field, codes, targets @ ..] = args else {
        return at.err("expected: extend FORMAT FIELD CODE GENERATION...");
    };
    let (code, last_code) = run(at, codes)?;
    if last_code > LAST_CODE {
        return at.err(format!("`{codes}` is more than {LAST_CODE}"));
    }
    Ok(Extend {
        at: at.clone(),
        format: format.to_string(),
        field: field.to_string(),
        code: code as u16,
        last_code: last_code as u16,
        targets: targets.iter().map(|t| t.to_string()).collect(),
    })
}

/// Reads `replace OPERAND KIND [FIELD] [@GENERATION,...]`.
fn replace(at: &SourceLine, args: &[&str]) -> Result<Replace> {
    let (args, targets) = match args {
        [args @ .., last] if last.starts_with('@') => (args, last[1..].split(',').collect()),
        _ => (args, Vec::new()),
    };
    let (operand, operand_type, field) = match args {
        [o, k] => (o, k, None),
        [o, k, f] => (o, k, Some(f.to_string())),
        _ => return at.err("expected: replace OPERAND KIND [FIELD] [@GENERATION,...]"),
    };
    let (operand, read_as) = with_type(operand);
    Ok(Replace {
        at: at.clone(),
        operand,
        read_as,
        operand_type: operand_type.to_string(),
        field,
        targets: targets.iter().map(|t| t.to_string()).collect(),
    })
}

/// Reads `half FIELD TYPE MODIFIER...`.
fn half(at: &SourceLine, args: &[&str]) -> Result<HalfField> {
    let [field, operand_type, words @ ..] = args else { return at.err("expected: half FIELD TYPE MODIFIER...") };
    let (field, read_as) = with_type(field);
    Ok(HalfField {
        field,
        read_as,
        operand_type: (*operand_type != "-").then(|| operand_type.to_string()),
        tokens: words.iter().map(|w| token(at, w)).collect::<Result<_>>()?,
    })
}

/// Reads `succeeds FORMAT OLD=NEW...`.
fn succeeds(at: &SourceLine, args: &[&str]) -> Result<Succeeds> {
    let [format, renames @ ..] = args else { return at.err("expected: succeeds FORMAT OLD=NEW...") };
    let rename = |r: &&str| match r.split_once('=') {
        Some((old, new)) => Ok((old.to_string(), new.to_string())),
        None => at.err(format!("expected OLD=NEW, found `{r}`")),
    };
    let renames = renames.iter().map(rename).collect::<Result<Vec<_>>>()?;
    Ok(Succeeds { at: at.clone(), format: format.to_string(), renames })
}

/// Reads a set of values such as `0-9,12` or `0-4095`. In a set with values above 127, each bit stands for a run of
/// values, whose length is a power of two.
fn values(at: &SourceLine, s: &str) -> Result<Values> {
    let runs = s.split(',').map(|part| run(at, part)).collect::<Result<Vec<(u32, u32)>>>()?;
    let most = runs.iter().map(|run| run.1).max().unwrap_or(0);
    let whole = runs.iter().map(|(first, last)| first.trailing_zeros().min(last.trailing_ones())).min().unwrap_or(0);
    let shift = if most < u128::BITS { 0 } else { whole };
    if most >> shift >= u128::BITS {
        return at.err(format!("`{s}` is more than a set of values holds"));
    }
    let set = runs.iter().flat_map(|(first, last)| first >> shift..=last >> shift).fold(0, |set, n| set | 1 << n);
    Ok(Values { shift: shift as u8, set })
}

/// Reads `256,128`, the codes in a source that an operation does not have, up to LLVM 22 and from LLVM 23 on.
fn fillers(at: &SourceLine, s: &str) -> Result<[u32; 2]> {
    let Some((old, new)) = s.split_once(',') else {
        return at.err(format!("expected OLD,NEW, found `{s}`"));
    };
    Ok([up_to(at, old, LAST_CODE)?, up_to(at, new, LAST_CODE)?])
}

/// Reads `assembler FACT...`.
fn assembler(at: &SourceLine, args: &[&str]) -> Result<AssemblerFacts> {
    let mut facts = AssemblerFacts::default();
    for word in args {
        match word.strip_prefix("open=") {
            Some(set) if OPEN.contains(&set) => facts.open = set.to_string(),
            None if *word == "long" => facts.is_long = true,
            None if *word == "folds-signs" => facts.folds_signs = true,
            _ => return at.err(format!("`{word}` is none of long, folds-signs, open={}", OPEN.join("|"))),
        }
    }
    Ok(facts)
}

/// Reads a statement without cells, about properties of operations. Returns `false` for any other statement.
fn facts(f: &mut Format, at: &SourceLine, key: &str, args: &[&str]) -> Result<bool> {
    let strings = |list: &[&str]| list.iter().map(|s| s.to_string()).collect();
    match (key, args) {
        ("space", [name]) => f.space = Some((at.clone(), name.to_string())),
        ("space", _) => return at.err("expected: space NAME"),
        ("when", [field, flags @ ..]) if !flags.is_empty() => {
            f.whens.push(When { at: at.clone(), field: Some(field.to_string()), flags: strings(flags) });
        }
        ("when", _) => return at.err("expected: when FIELD FLAG..."),
        ("always", []) => return at.err("expected: always FLAG..."),
        ("always", flags) => f.whens.push(When { at: at.clone(), field: None, flags: strings(flags) }),
        ("swaps", [a, b]) => f.swaps.push(Swap { at: at.clone(), names: [a.to_string(), b.to_string()] }),
        ("swaps", _) => return at.err("expected: swaps OPERATION OPERATION"),
        ("renames", [a, b]) => f.renames.push(Swap { at: at.clone(), names: [a.to_string(), b.to_string()] }),
        ("renames", _) => return at.err("expected: renames OPERATION OPERATION"),
        ("fixed", [pattern, field, value]) => f.fixed.push(Fixed {
            at: at.clone(),
            pattern: pattern.to_string(),
            field: field.to_string(),
            value: up_to(at, value, 0xffff)?,
        }),
        ("fixed", _) => return at.err("expected: fixed OPERATIONS FIELD VALUE"),
        _ => return Ok(false),
    }
    Ok(true)
}
