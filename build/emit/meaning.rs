//! Writes the formulas of operations.

use crate::build::check::meaning;
use crate::build::emit::{camel, opcodes};
use crate::build::lower::{Target, meaning as lower_meaning};
use crate::build::model::error::Result;
use crate::build::model::{EnumValue, Isa, Meanings};
use crate::build::parse::numbers::number;
use crate::build::writer::{put, putln};
use std::collections::HashSet;

/// Writes `MEANINGS`: the formulas in the order of the operations, each with a bit for each target for which it holds.
pub fn table(isa: &Isa, targets: &[Target], meanings: &Meanings) -> Result<String> {
    meaning::check(isa, targets, meanings)?;
    let names = |t: &Target| t.operations.iter().flatten().map(|operation| operation.mnemonic.clone()).collect();
    let there: Vec<HashSet<String>> = targets.iter().map(names).collect();
    let mut rows = Vec::new();
    for op in &opcodes(isa, targets) {
        let mut texts: Vec<(&str, u128)> = Vec::new();
        for (n, t) in targets.iter().enumerate() {
            if !there[n].contains(op) {
                continue;
            }
            let Some((_, text)) = meanings.get(op).and_then(|cells| cells.of(&t.row.name)) else { continue };
            match texts.iter_mut().find(|known| known.0 == text) {
                Some(known) => known.1 |= 1 << n,
                None => texts.push((text, 1 << n)),
            }
        }
        rows.extend(texts.iter().map(|(text, set)| format!("(Opcode::{}, {set:#x}, {text:?})", camel(op))));
    }
    let mut out = String::new();
    putln!(out, "static MEANINGS: [(Opcode, u128, &str); {}] = [{}];", rows.len(), rows.join(",\n"));
    source_lanes(&mut out, isa, targets);
    lanes(&mut out, isa, targets)?;
    values(&mut out, isa)?;
    fields(&mut out, isa)?;
    for name in ["keeps-half", "omod-flush"] {
        let set = targets.iter().enumerate().filter(|(_, t)| t.row.has(name)).fold(0u128, |set, (n, _)| set | 1 << n);
        putln!(out, "static {}: u128 = {set:#x};", name.to_uppercase().replace('-', "_"));
    }
    Ok(out)
}

/// Writes `SOURCE_LANES`: the lanes in which operations read a source, in the order of the operations.
fn source_lanes(out: &mut String, isa: &Isa, targets: &[Target]) {
    let mut rows = Vec::new();
    for op in &opcodes(isa, targets) {
        let all = lower_meaning::lanes(isa, op);
        rows.extend(all.iter().map(|lane| format!("(Opcode::{}, {}, {:?})", camel(op), lane.source, lane.text)));
    }
    let (count, rows) = (rows.len(), rows.join(",\n"));
    putln!(out, "static SOURCE_LANES: [(Opcode, u8, &str); {count}] = [{rows}];");
}

/// Writes `VALUE_MEANINGS`: the effects of the named values of enums, and the effect if no value is named.
fn values(out: &mut String, isa: &Isa) -> Result<()> {
    let mut rows = Vec::new();
    for table in isa.enums.iter().filter(|table| !table.means.is_empty()) {
        for means in &table.means {
            meaning::value(&means.at, &means.text)?;
            for name in &means.names {
                if name != "-" && table.values.iter().all(|value| value.name != *name) {
                    return means.at.err(format!("{} has no value {name}", table.name));
                }
                rows.push(format!("({:?}, {name:?}, {:?})", table.name, means.text));
            }
        }
        let is_known = |value: &EnumValue| table.means.iter().any(|means| means.names.contains(&value.name));
        if let Some(value) = table.values.iter().find(|value| !is_known(value)) {
            return value.at.err(format!("no line says what {} means", value.name));
        }
    }
    let (count, rows) = (rows.len(), rows.join(",\n"));
    putln!(out, "static VALUE_MEANINGS: [(&str, &str, &str); {count}] = [{rows}];");
    Ok(())
}

/// Writes `FIELD_MEANINGS`: the effects of the values of fields.
fn fields(out: &mut String, isa: &Isa) -> Result<()> {
    let mut rows = Vec::new();
    for format in &isa.formats {
        for means in &format.means {
            meaning::value(&means.at, &means.text)?;
            for name in &means.names {
                if format.fields.iter().all(|field| field.name != *name) {
                    return means.at.err(format!("{} has no field {name}", format.name));
                }
                rows.push(format!("(Format::{}, Field::{}, {:?})", camel(&format.name), camel(name), means.text));
            }
        }
    }
    let (count, rows) = (rows.len(), rows.join(",\n"));
    putln!(out, "static FIELD_MEANINGS: [(Format, Field, &str); {count}] = [{rows}];");
    Ok(())
}

/// Writes `LANES`: for each run of values of `dpp_ctrl`, the formula of the lane that a lane reads.
fn lanes(out: &mut String, isa: &Isa, targets: &[Target]) -> Result<()> {
    let mut rows: Vec<(u16, u16, &str, u128)> = Vec::new();
    for table in isa.enums.iter().filter(|table| !table.lanes.is_empty()) {
        for (at, name, formula) in &table.lanes {
            let Some(value) = table.values.iter().find(|value| value.name == *name) else {
                return at.err(format!("{} has no value {name}", table.name));
            };
            meaning::dpp_lane(at, formula)?;
            for (n, t) in targets.iter().enumerate() {
                let Some(run) = value.value.of(&t.row.name) else { continue };
                let (first, last) = run.split_once('-').unwrap_or((run, run));
                let number = |text| number(at, text).map(|n| n as u16);
                let (first, last) = (number(first)?, number(last)?);
                match rows.iter_mut().find(|row| (row.0, row.1, row.2) == (first, last, formula.as_str())) {
                    Some(row) => row.3 |= 1 << n,
                    None => rows.push((first, last, formula, 1 << n)),
                }
            }
        }
        if let Some(value) = table.values.iter().find(|v| !table.lanes.iter().any(|(_, name, _)| *name == v.name)) {
            return value.at.err(format!("no line says which lane {} reads", value.name));
        }
    }
    let (count, mut texts) = (rows.len(), String::new());
    for (first, last, formula, set) in rows {
        put!(texts, "({first}, {last}, {set:#x}, {formula:?}), ");
    }
    putln!(out, "static LANES: [(u16, u16, u128, &str); {count}] = [{texts}];");
    Ok(())
}
