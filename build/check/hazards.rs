//! Checks of the rules about hazards.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::hazards::*;
use crate::build::model::*;
use crate::build::shared::FLAGS;

/// The register files of operands: the bits of the module `file` in src/table/hazards.rs, in this order.
pub const FILES: [&str; 8] = ["s", "vcc", "exec", "m0", "v", "z", "d", "sgpr"];
/// Overlaps of registers: variants of `Overlap` in src/table/hazards.rs.
pub const OVERLAPS: [&str; 6] = ["-", "share", "same", "other", "hwreg", "parity"];
/// Further conditions: variants of `Differs` in src/table/hazards.rs.
pub const DIFFERS: [&str; 3] = ["op=", "op!", "passes"];
pub const UNITS: [&str; 3] = ["states", "valu", "event"];
pub const SOURCES: [&str; 5] = ["manual", "llvm", "mesa", "reported", "proposed"];
/// Modes to which rules can be restricted: fields of `HazardTables` in src/table/hazards.rs.
pub const MODES: [&str; 2] = ["xnack", "expert"];
/// The words of `Watched::how`; `-` if only the read registers themselves count as seen.
const WAYS: [&str; 3] = ["-", "pairs", "until written"];
/// The words of a statement `indexed`, in the order of their bits: the sources, the destinations, the end of the mode.
pub const INDEXED: [&str; 3] = ["r", "w", "off"];
/// Kinds that the tables must define, because the generator uses them: vector operations, and transcendental
/// operations.
const KNOWN: [&str; 2] = ["valu", "trans"];
/// An optional kind that the generator uses: accesses to memory, including scalar ones.
const ACCESS: &str = "access";
/// The kind that no instruction has: it stands for the beginning of a kernel.
pub const BEGIN: &str = "begin";

pub fn check(isa: &Isa) -> Result<()> {
    let all = &isa.hazards;
    let Some(first) = all.rules.first() else { return Ok(()) };
    let Some(nop) = &all.nop else { return first.at.err("no `nop` says how to wait") };
    field(isa, &nop.at, &nop.field)?;
    if let Some(name) = KNOWN.iter().find(|name| !all.kinds.iter().any(|k| k.name == **name)) {
        return first.at.err(format!("there is no kind {name}"));
    }
    kinds(isa)?;
    for watched in all.seen.iter().chain(&all.counted) {
        watched.sides.iter().try_for_each(|side| self::side(isa, &watched.at, side))?;
        known(&watched.at, "way to watch", &watched.how, &WAYS)?;
    }
    all.expert.iter().try_for_each(|(at, _, side)| self::side(isa, at, side))?;
    for (at, what, kind) in &all.indexed {
        known(at, "kind of index", what, &INDEXED)?;
        if !all.kinds.iter().any(|k| k.name == *kind) {
            return at.err(format!("unknown kind {kind}"));
        }
    }
    for (n, rule) in all.rules.iter().enumerate() {
        if all.rules[..n].iter().any(|other| other.id == rule.id) {
            return rule.at.err(format!("rule {} occurs twice", rule.id));
        }
        if rule.text.is_empty() || rule.source.is_empty() {
            return rule.at.err("the rule lacks a text or a source");
        }
        known(&rule.at, "overlap", &rule.registers.overlap, &OVERLAPS)?;
        if let Some(differs) = &rule.registers.differs {
            known(&rule.at, "condition on both", differs, &DIFFERS)?;
        }
        known(&rule.at, "unit", &rule.unit, &UNITS)?;
        rule.when.iter().try_for_each(|mode| known(&rule.at, "mode", mode, &MODES))?;
        rule.from.iter().try_for_each(|from| known(&rule.at, "source", from, &SOURCES))?;
        let operands = |sides: &[Side]| sides.iter().all(|side| side.operands.is_some());
        if ["share", "same", "other", "parity"].contains(&rule.registers.overlap.as_str())
            && !(operands(&rule.producer) && operands(&rule.consumer))
        {
            return rule.at.err("the rule compares operands, but does not say which");
        }
        if rule.registers.overlap == "parity" && rule.again.is_none() {
            return rule.at.err("`parity` compares registers of two producers");
        }
        if let Some(name) = &rule.registers.field {
            field(isa, &rule.at, name)?;
        }
        if let Some(kind) = rule.then.as_ref().filter(|kind| !all.kinds.iter().any(|k| k.name == **kind)) {
            return rule.at.err(format!("unknown kind {kind}"));
        }
        let ends_by_operands = |side: &Side| !side.over || side.operands.is_some();
        if rule.producer.iter().chain(&rule.consumer).any(|side| side.over) || !rule.ends.iter().all(ends_by_operands) {
            return rule.at.err("`over` is for operands of what ends the rule");
        }
        for side in rule.producer.iter().chain(&rule.consumer).chain(&rule.ends).chain(&rule.then_side) {
            self::side(isa, &rule.at, side)?;
        }
        for entry in &rule.distance.entries {
            if let Some(text) = &entry.value {
                distance(&rule.at, text)?;
            }
        }
    }
    Ok(())
}

fn kinds(isa: &Isa) -> Result<()> {
    let all = &isa.hazards;
    for (n, kind) in all.kinds.iter().enumerate() {
        for term in &kind.terms {
            match term {
                Term::Formats(names) => {
                    if let Some(name) = names.iter().find(|name| !isa.formats.iter().any(|f| f.name == **name)) {
                        return kind.at.err(format!("unknown format {name}"));
                    }
                }
                Term::Flag(name, _) if !FLAGS.contains(&name.as_str()) => {
                    return kind.at.err(format!("unknown flag {name}"));
                }
                Term::Is(name, _) => {
                    let is = |k: &Kind| k.name == *name;
                    if !all.kinds[..n].iter().any(is) || all.kinds[n..].iter().any(is) {
                        return kind.at.err(format!("{name} is not a kind that is complete above this line"));
                    }
                }
                Term::Names(patterns) => {
                    let names = || isa.formats.iter().flat_map(|f| &f.rows).map(|row| row.mnemonic.as_str());
                    if let Some(pattern) = patterns.iter().find(|p| !names().any(|name| matches(p, name))) {
                        return kind.at.err(format!("no operation is called {pattern}"));
                    }
                }
                _ => {}
            }
        }
        let referred = all.kinds.iter().flat_map(|k| &k.terms).any(|t| matches!(t, Term::Is(n, _) if *n == kind.name));
        let expert = all.expert.iter().map(|(_, _, side)| side);
        let seen = all.seen.iter().chain(&all.counted).flat_map(|watched| &watched.sides);
        let sides = all
            .rules
            .iter()
            .flat_map(|r| r.producer.iter().chain(&r.consumer).chain(&r.ends).chain(&r.then_side))
            .chain(seen)
            .chain(expert);
        let then = all.rules.iter().any(|rule| rule.then.as_ref() == Some(&kind.name));
        let known = KNOWN.contains(&kind.name.as_str()) || kind.name == ACCESS;
        let is_about =
            |side: &Side| side.kind == kind.name || side.upto.as_ref().is_some_and(|upto| upto.what == kind.name);
        let indexed = all.indexed.iter().any(|(.., name)| *name == kind.name);
        if !referred && !then && !known && !indexed && !sides.into_iter().any(is_about) {
            return kind.at.err(format!("no rule is about {}", kind.name));
        }
    }
    Ok(())
}

fn side(isa: &Isa, at: &SourceLine, side: &Side) -> Result<()> {
    if !isa.hazards.kinds.iter().any(|k| k.name == side.kind) {
        return at.err(format!("unknown kind {}", side.kind));
    }
    for condition in &side.conditions {
        match condition {
            Condition::Seen if isa.hazards.seen.is_empty() => {
                return at.err("no `seen` says which registers count as seen");
            }
            Condition::Form(name) if !isa.formats.iter().any(|f| f.extension && f.name == *name) => {
                return at.err(format!("{name} is not an extension"));
            }
            Condition::Flag(name) if !FLAGS.contains(&name.as_str()) => return at.err(format!("unknown flag {name}")),
            Condition::Bits(name, ..) | Condition::Value(name, ..) | Condition::NoRegister(name) => {
                field(isa, at, name)?;
            }
            Condition::Hwreg(name, _) => {
                let table = isa.enums.iter().find(|e| e.name == "hwreg");
                if !table.is_some_and(|e| e.values.iter().any(|v| v.name == *name)) {
                    return at.err(format!("unknown hardware register {name}"));
                }
            }
            _ => {}
        }
    }
    if let Some(upto) = &side.upto {
        if !isa.hazards.kinds.iter().any(|kind| kind.name == upto.what) {
            return at.err(format!("there is no kind {} to count", upto.what));
        }
    }
    if let Some(operands) = &side.operands {
        if let Some(name) = &operands.only {
            let is_numbered = name.strip_prefix('s').is_some_and(|n| n.parse::<u8>().is_ok());
            if !is_numbered && !isa.codes.iter().any(|code| code.name == *name) {
                return at.err(format!("unknown register {name}"));
            }
        }
        operands.files.iter().try_for_each(|file| known(at, "register file", file, &FILES))?;
        let names = operands.fields.iter().filter(|name| !["*", "-"].contains(&name.as_str()));
        names.into_iter().try_for_each(|name| field(isa, at, name))?;
    }
    Ok(())
}

fn field(isa: &Isa, at: &SourceLine, name: &str) -> Result<()> {
    // vcc is a valid name here, although it is not a field: it stands for the operand vcc that only the text shows.
    if name == "vcc" || isa.formats.iter().any(|f| f.fields.iter().any(|x| x.name == name)) {
        return Ok(());
    }
    at.err(format!("no format has a field {name}"))
}

fn known(at: &SourceLine, what: &str, name: &str, all: &[&str]) -> Result<()> {
    if all.contains(&name) { Ok(()) } else { at.err(format!("unknown {what} `{name}`")) }
}

/// Whether a name matches a pattern such as `v_mfma_*_f64`, in which `*` stands for any text.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == name,
        Some((start, rest)) => name
            .strip_prefix(start)
            .is_some_and(|name| (0..=name.len()).any(|n| name.is_char_boundary(n) && matches(rest, &name[n..]))),
    }
}

/// The numbers of passes that a distance can depend on.
pub const PASSES: [u8; 5] = [2, 4, 8, 16, 32];

/// Reads `5`, `P+2` or `2:5,P+4`. `P` is the number of passes, and a distance after `2:` is only for operations with 2
/// passes. Each distance can be followed by `/` and the greater distance that only one source demands. Returns the
/// distance on which the sources agree, and the greatest distance, for each number of passes.
pub fn distance(at: &SourceLine, text: &str) -> Result<[(u8, u8); 5]> {
    let mut all = [(0, 0); 5];
    let mut given = [false; 5];
    for part in text.split(',') {
        let (only, value) = match part.split_once(':') {
            Some((only, value)) => (Some(number(at, only)?), value),
            None => (None, part),
        };
        let (agreed, most) = value.split_once('/').unwrap_or((value, value));
        for (n, passes) in PASSES.into_iter().enumerate() {
            if !given[n] && only.is_none_or(|only| only == passes) {
                (all[n], given[n]) = ((expression(at, agreed, passes)?, expression(at, most, passes)?), true);
            }
        }
    }
    if given.contains(&false) {
        return at.err(format!("`{text}` does not cover all numbers of passes"));
    }
    if all.iter().any(|(agreed, most)| agreed > most) {
        return at.err(format!("`{text}`: the distance after `/` must not be the smaller one"));
    }
    Ok(all)
}

fn expression(at: &SourceLine, text: &str, passes: u8) -> Result<u8> {
    match text.strip_prefix('P') {
        None => number(at, text),
        Some("") => Ok(passes),
        Some(rest) => match (rest.strip_prefix('+'), rest.strip_prefix('-')) {
            (Some(n), _) => Ok(passes + number(at, n)?),
            (_, Some(n)) => Ok(passes.saturating_sub(number(at, n)?)),
            _ => at.err(format!("`{text}` is not a distance")),
        },
    }
}

fn number(at: &SourceLine, text: &str) -> Result<u8> {
    crate::build::parse::numbers::up_to(at, text, 99).map(|n| n as u8)
}
