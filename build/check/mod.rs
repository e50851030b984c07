//! Checks of the tables as they were read, before `lower`. `lower` makes further checks for each target.

pub mod counters;
pub mod facts;
pub mod hazards;
pub mod layout_assumptions;
#[cfg(any(feature = "meaning", test))]
pub mod meaning;
pub mod opcodes;
pub mod registers;

use std::collections::HashSet;

use crate::build::emit::camel;
use crate::build::emit::tables::UNNAMED;
use crate::build::kind::OperandKind;
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::*;
use crate::build::parse::numbers::number;
use crate::build::shared::{ADDRESS_STEPS, FLAGS, IMPLICIT, PURPOSES};

pub fn all(isa: &Isa) -> Result<()> {
    targets(isa)?;
    codes(isa)?;
    operand_types(isa)?;
    enums(isa)?;
    registers::check(isa)?;
    synonyms(isa)?;
    layout_assumptions::constants(isa)?;
    formats(isa)?;
    counters::check(isa)?;
    facts::check(isa)?;
    hazards::check(isa)
}

/// Checks that no two names are equal. The error is at the second one.
fn unique<'a>(names: impl Iterator<Item = (&'a SourceLine, &'a str)>, what: &str) -> Result<()> {
    let mut seen = HashSet::new();
    for (at, name) in names {
        if !seen.insert(name) {
            return at.err(format!("{what} {name} occurs twice"));
        }
    }
    Ok(())
}

fn targets(isa: &Isa) -> Result<()> {
    let names =
        isa.processors.iter().flat_map(|p| std::iter::once(&p.name).chain(&p.aliases).map(|n| (&p.at, n.as_str())));
    unique(names, "target name")?;
    for t in &isa.targets {
        let known = |name: &String| isa.traits.contains(name) || name == "wave32" || name == "wave64";
        if let Some(x) = t.traits.iter().find(|x| !known(x)) {
            return t.at.err(format!("unknown trait {x}"));
        }
    }
    for (i, p) in isa.processors.iter().enumerate() {
        if let Some(other) = isa.processors[..i].iter().find(|o| o.mach == p.mach) {
            return p.at.err(format!("{} has the ELF number of {}", p.name, other.name));
        }
    }
    Ok(())
}

fn codes(isa: &Isa) -> Result<()> {
    let is_source = |class: &str| ["ro", "lds"].contains(&class);
    if let Some(c) = isa.codes.iter().find(|c| c.name.starts_with("src_") && !is_source(&c.class)) {
        return c.at.err(format!("{} is of class {}, but codes named src_ can only be read", c.name, c.class));
    }
    for code in isa.codes.iter().filter(|c| UNNAMED.contains(&c.class.as_str())) {
        if code.pair.as_ref() != Some(&code.name) {
            return code.at.err(format!("{} is shown by its number, and has no name of its own in 64 bits", code.name));
        }
    }
    for t in &isa.targets {
        let mut taken = [false; 512];
        // The codes for "no address" are left out: other fields use them for registers.
        for code in isa.codes.iter().filter(|c| !c.is_no_address()) {
            let Some(&(a, b)) = code.range.of(&t.name) else { continue };
            for c in a..=b {
                if std::mem::replace(&mut taken[usize::from(c)], true) {
                    return code.at.err(format!("code {c} has two names on {}", t.name));
                }
            }
        }
    }
    Ok(())
}

fn operand_types(isa: &Isa) -> Result<()> {
    unique(isa.operand_types.iter().map(|k| (&k.at, k.name.as_str())), "operand type")?;
    for k in &isa.operand_types {
        for class in &k.takes {
            if let Some(name) = class.strip_prefix("enum:") {
                if !isa.enums.iter().any(|e| !e.bits && e.name == name) {
                    return k
                        .at
                        .err(format!("operand type {} takes the values of {name}, which is not an enum", k.name));
                }
            } else if class.starts_with(|c: char| c.is_ascii_digit()) {
                values(&k.at, class)?;
            } else if !isa.codes.iter().any(|c| &c.class == class) {
                return k.at.err(format!("operand type {} takes `{class}`, which is not a class of codes", k.name));
            }
        }
        let needed = if matches!(k.kind, OperandKind::Register(kind) if kind.is_flagged()) { 1 } else { 0 };
        if !(needed..=4).contains(&k.uses.len()) {
            return k.at.err(format!("operand type {} uses {} fields; it can use {needed} to 4", k.name, k.uses.len()));
        }
    }
    Ok(())
}

/// Reads `5` or `257-271`: values that an immediate may have, at most 511, because the library's sets have 512 bits.
pub fn values(at: &SourceLine, s: &str) -> Result<std::ops::RangeInclusive<u32>> {
    let (a, b) = s.split_once('-').unwrap_or((s, s));
    let (a, b) = (number(at, a)?, number(at, b)?);
    if a > b || b > 511 { at.err(format!("bad range of values `{s}`")) } else { Ok(a..=b) }
}

fn enums(isa: &Isa) -> Result<()> {
    unique(isa.limits.iter().map(|l| (&l.at, l.name.as_str())), "limit")?;
    unique(isa.msb.iter().map(|(at, field, _)| (at, field.as_str())), "msb")?;
    let last =
        |row: &DwarfRow| u32::from(row.number) + row.registers.map_or(0, |(first, last)| u32::from(last - first));
    for (n, row) in isa.dwarf.iter().enumerate() {
        let meets = |other: &DwarfRow| u32::from(row.number) <= last(other) && u32::from(other.number) <= last(row);
        if isa.dwarf[..n].iter().any(meets) {
            return row.at.err(format!("a register has the number {} already", row.number));
        }
    }
    for (at, field, _) in &isa.msb {
        if !isa.formats.iter().flat_map(|f| &f.fields).any(|f| f.name == *field) {
            return at.err(format!("no format has the field {field}"));
        }
    }
    unique(isa.directives.iter().map(|d| (&d.at, d.name.as_str())), "directive")?;
    unique(isa.kernel.iter().map(|k| (&k.at, k.name.as_str())), "kernel number")?;
    for bits in [false, true] {
        let what = if bits { "constant" } else { "enum" };
        unique(isa.enums.iter().filter(|e| e.bits == bits).map(|e| (&e.at, e.name.as_str())), what)?;
    }
    for e in &isa.enums {
        if e.values.is_empty() {
            return e.at.err(format!("{} has no values", e.name));
        }
        unique(e.values.iter().map(|v| (&v.at, v.name.as_str())), "value")?;
        for t in &isa.targets {
            let cells = e.values.iter().filter_map(|v| v.value.of(&t.name).map(|c| (&v.at, c.as_str())));
            unique(cells, "number")?;
        }
        for value in &e.values {
            let Some((list, _)) = &value.operations else { continue };
            if e.name != "sendmsg" || !["gs_op", "sysmsg_op"].contains(&list.as_str()) {
                return value.at.err(format!("{list} is not a list of operations of a message"));
            }
        }
        for (n, value) in e.values.iter().enumerate() {
            let Some(was) = &value.was else { continue };
            let Some(old) = e.values[..n].iter().find(|old| old.name == *was && old.was.is_none()) else {
                return value.at.err(format!("{was} is not an earlier value of {}", e.name));
            };
            let has = |value: &EnumValue, t: &TargetRow| value.value.of(&t.name).is_some();
            if let Some(t) = isa.targets.iter().find(|t| has(old, t) && has(value, t)) {
                return value.at.err(format!("{} has {was} as well", t.name));
            }
        }
    }
    Ok(())
}

/// Checks that a synonym has a meaning and does not hide a name of the tables.
fn synonyms(isa: &Isa) -> Result<()> {
    unique(isa.synonyms.iter().map(|s| (&s.at, s.name.as_str())), "synonym")?;
    let values = || isa.enums.iter().flat_map(|e| &e.values);
    for t in &isa.targets {
        let spelling = |row: &Row| row.opcode.of(&t.name).map(|(_, own)| own.as_ref().unwrap_or(&row.mnemonic).clone());
        let mut names: HashSet<String> = isa.formats.iter().flat_map(|f| &f.rows).filter_map(spelling).collect();
        names.extend(values().filter(|v| v.value.of(&t.name).is_some()).map(|v| v.name.clone()));
        for s in &isa.synonyms {
            let Some((means, implied)) = s.of(&t.name)? else { continue };
            let mut fields = isa.formats.iter().flat_map(|f| &f.fields);
            if let Some((name, _)) = implied.filter(|(name, _)| !fields.any(|field| field.name == *name)) {
                return s.at.err(format!("{name}, which {} implies, is not a field", s.name));
            }
            if names.contains(&s.name) {
                return s.at.err(format!("{} is a name on {}", s.name, t.name));
            }
            // Targets of a generation differ in a few operations; the first one has all operations that synonyms name.
            let is_first = isa.targets.iter().find(|other| other.from == t.from).is_some_and(|f| f.name == t.name);
            if is_first && !names.contains(means.strip_suffix("_e64").unwrap_or(means)) {
                return s.at.err(format!("{} has no {means}", t.name));
            }
        }
    }
    Ok(())
}

fn formats(isa: &Isa) -> Result<()> {
    unique(isa.formats.iter().map(|f| (&f.at, f.name.as_str())), "format")?;
    for f in &isa.formats {
        if f.about.is_empty() || f.source.is_empty() {
            return f.at.err(format!("format {} lacks an `about` or a `source` line", f.name));
        }
        let field = |name: &str| f.fields.iter().any(|x| x.name == name);
        if let Some(name) = f.literal.iter().map(|n| n.split('@').next().unwrap_or(n)).find(|n| !field(n)) {
            return f.at.err(format!("`literal` names {name}, which is not a field of {}", f.name));
        }
        if let Some(e) = f.extends.iter().find(|e| !field(&e.field)) {
            return e.at.err(format!("`extend` names {}, which is not a field of {}", e.field, f.name));
        }
        for s in &f.succeeds {
            let Some(old) = isa.formats.iter().find(|o| o.name == s.format) else {
                return s.at.err(format!("succeeds {}, which is not a format", s.format));
            };
            let known = |(a, b): &&(String, String)| !(old.fields.iter().any(|x| x.name == *a) && field(b));
            if let Some((a, b)) = s.renames.iter().find(known) {
                return s.at.err(format!("{a} is not a field of {}, or {b} is not one of {}", old.name, f.name));
            }
        }
        macros(f)?;
        addresses(isa, f)?;
        for t in &isa.targets {
            on_target(f, t)?;
        }
        for r in &f.replaces {
            if !isa.operand_types.iter().any(|k| k.name == r.operand_type) {
                return r.at.err(format!("unknown operand type `{}`", r.operand_type));
            }
        }
        for row in &f.rows {
            if let Some(flag) = row.flags.iter().find(|x| !FLAGS.contains(&x.trim_start_matches('-'))) {
                return row.at.err(format!("unknown flag `{flag}`"));
            }
            if let Some(step) = row.address.as_ref().filter(|x| !ADDRESS_STEPS.contains(&x.as_str())) {
                return row.at.err(format!("unknown step of an address `{step}`"));
            }
            if let Some(purpose) = row.purpose.as_ref().filter(|x| !PURPOSES.contains(&x.as_str())) {
                return row.at.err(format!("unknown purpose `{purpose}`"));
            }
            if let Some(reg) =
                row.reads.iter().chain(&row.writes).find(|x| !IMPLICIT.contains(&x.trim_start_matches('-')))
            {
                return row.at.err(format!("unknown implicit register `{reg}`"));
            }
        }
    }
    Ok(())
}

/// Checks that an address in vector registers has the same data type in all rows: other fields determine how many
/// registers it has, so the data type has no meaning.
fn addresses(isa: &Isa, f: &Format) -> Result<()> {
    let is_sized = |name: &str| {
        isa.operand_types
            .iter()
            .any(|k| k.name == name && matches!(k.kind, OperandKind::Address(kind) if kind.is_vector()))
    };
    for field in f.fields.iter().filter(|field| is_sized(&field.operand_type)) {
        let mut first = None;
        for row in &f.rows {
            for token in &row.tokens {
                let Token::Operand { name, operand_type: None, ty, .. } = token else { continue };
                if *name == field.name && *first.get_or_insert(ty) != ty {
                    return row.at.err(format!("{name} is {ty} here, and another type in the first row that has it"));
                }
            }
        }
    }
    Ok(())
}

/// Checks that no macro uses itself, directly or through other macros.
fn macros(f: &Format) -> Result<()> {
    // Each step removes the macros that use no remaining macro.
    let mut left: Vec<&(String, Vec<Token>)> = f.macros.iter().collect();
    loop {
        let open = |t: &Token| matches!(t, Token::Word(w) if left.iter().any(|(n, _)| n == w));
        let next: Vec<_> = left.iter().copied().filter(|(_, tokens)| tokens.iter().any(open)).collect();
        match next.first() {
            None => return Ok(()),
            Some((name, _)) if next.len() == left.len() => {
                return f.at.err(format!("macro {name} of {} uses itself", f.name));
            }
            Some(_) => left = next,
        }
    }
}

/// Checks that a target has as many operations of the format as the statement `rows` says.
fn counted(f: &Format, t: &TargetRow, rows: usize) -> Result<()> {
    let said = f.counted.as_ref().and_then(|(at, rows)| Some((at, rows.of(&t.name)?)));
    match said {
        None => f.at.err(format!("`rows` does not say how many operations of {} {} has", f.name, t.name)),
        Some((_, said)) if *said == rows.to_string() => Ok(()),
        Some((at, said)) => at.err(format!("{} has {rows} operations of {}, not {said}", t.name, f.name)),
    }
}

/// Checks a format's fields and rows on one target.
fn on_target(f: &Format, t: &TargetRow) -> Result<()> {
    let target = t.name.as_str();
    let fields: Vec<_> = f.fields.iter().filter_map(|x| Some((x, x.bits.of(target)?))).collect();
    unique(fields.iter().filter(|(x, _)| x.name != "reserved").map(|(x, _)| (&x.at, x.name.as_str())), "field")?;
    for (field, bits) in &fields {
        if bits.pieces.len() > 2 || bits.width() > 32 {
            return field.at.err(format!("field {} has more than two pieces, or more than 32 bits", field.name));
        }
    }
    let rows: Vec<_> = f.rows.iter().filter(|r| r.opcode.of(target).is_some()).collect();
    if !f.extension && !fields.is_empty() {
        counted(f, t, rows.len())?;
    }
    if let (true, Some(row)) = (fields.is_empty(), rows.first()) {
        return row.at.err(format!("{target} has no format {}", f.name));
    }
    // Names that differ only in underscores would become the same variant of the opcode enum.
    let names: Vec<String> = rows.iter().map(|r| camel(&r.mnemonic)).collect();
    unique(rows.iter().zip(&names).map(|(r, n)| (&r.at, n.as_str())), "operation")
}
