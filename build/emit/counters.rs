//! Writes the facts of `isa/counters.isa` for one target: `CountTables` in src/table/counters.rs.

use crate::build::emit::camel;
use crate::build::emit::facts::ALL_COUNTERS;
use crate::build::lower::{LFormat, NONE, Target};
use crate::build::model::*;
use crate::build::writer::{put, putln};

/// Writes the tables. `opcodes` are the operations of all enabled targets, in the order of the enum.
pub fn tables(w: &mut String, isa: &Isa, t: &Target, opcodes: &[String]) {
    let target = t.row.name.as_str();
    let max = |name: &&str| isa.counters.iter().find(|c| c.name == *name).and_then(|c| c.max.of(target));
    let max: Vec<u8> = ALL_COUNTERS.iter().map(|name| max(name).copied().unwrap_or(0)).collect();
    let mut orders: Vec<&String> = Vec::new();
    let source = |name: &&'static str| isa.counters.iter().find(|c| c.name == *name).map_or("", |c| &c.source);
    let sources: Vec<&str> = ALL_COUNTERS.iter().map(source).collect();
    putln!(w, "pub(crate) static COUNTS: CountTables = CountTables {{ max: {max:?}, sources: {sources:?}, events: &[");
    for e in &isa.events {
        let Some(raises) = e.raises.of(target) else { continue };
        let which = match &e.which {
            Which::All => "All".into(),
            Which::Ops(patterns) => {
                let there = |name: &&String| t.operations.iter().flatten().any(|op| op.mnemonic == **name);
                let fitting = |name: &&String| patterns.iter().any(|pattern| fits(pattern, name));
                let names = opcodes.iter().filter(fitting).filter(there);
                let names: Vec<String> = names.map(|name| format!("Opcode::{}", camel(name))).collect();
                format!("Ops(&[{}])", names.join(", "))
            }
            Which::Spaces(names) => {
                let names: Vec<String> = names.iter().map(|name| format!("Space::{}", camel(name))).collect();
                format!("Spaces(&[{}])", names.join(", "))
            }
            Which::Exports(first, last) => format!("Exports({first}, {last})"),
        };
        let order = match &e.order {
            None => NONE.to_string(),
            Some(name) => {
                let known = orders.iter().position(|order| *order == name);
                let number = known.unwrap_or(orders.len());
                if known.is_none() {
                    orders.push(name);
                }
                number.to_string()
            }
        };
        let holds = if e.holds == "-" { "Nothing".into() } else { camel(&e.holds) };
        let (name, counter) = (&e.name, camel(&e.counter));
        putln!(
            w,
            "Event {{ name: {name:?}, counter: Counter::{counter}, which: Which::{which}, order: {order}, holds: Holds::{holds}, raises: {raises} }},"
        );
    }
    put!(w, "], waits: &[");
    let holds = |wait: &&WaitRow| wait.there.as_ref().is_none_or(|there| there.of(target).is_some());
    let exists = |wait: &&WaitRow| t.operations.iter().flatten().any(|op| op.mnemonic == wait.op);
    for wait in isa.waits.iter().filter(holds).filter(exists) {
        let parts = wait.counters.iter().map(|(counter, piece)| {
            format!("(Counter::{}, {}, {})", camel(counter), piece.lsb, (1u16 << piece.width) - 1)
        });
        let parts: Vec<String> = parts.collect();
        put!(w, "(Opcode::{}, &[{}]),", camel(&wait.op), parts.join(", "));
    }
    put!(w, "], fields: &[");
    for wait in &isa.field_waits {
        let has =
            |f: &&LFormat| f.def.name == wait.format && f.fields.iter().any(|(field, _)| field.name == wait.field);
        if t.formats.iter().any(|f| has(&f)) {
            let (format, field) = (camel(&wait.format), camel(&wait.field));
            put!(w, "(Format::{format}, Field::{field}, Counter::{}),", camel(&wait.counter));
        }
    }
    putln!(w, "] }};");
}
