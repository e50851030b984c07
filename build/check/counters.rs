//! Checks of `isa/counters.isa`.

use crate::build::check::facts::SPACES;
use crate::build::check::unique;
use crate::build::emit::facts::ALL_COUNTERS;
use crate::build::model::error::{Result, SourceLine};
use crate::build::model::*;

/// The variants of `Holds` in src/table/counters.rs.
const HOLDS: [&str; 6] = ["-", "results", "ordered", "loose", "sources", "data"];

pub fn check(isa: &Isa) -> Result<()> {
    unique(isa.counters.iter().map(|c| (&c.at, c.name.as_str())), "counter")?;
    unique(isa.waits.iter().map(|w| (&w.at, w.op.as_str())), "wait")?;
    for c in &isa.counters {
        known(&c.at, &c.name)?;
    }
    for e in &isa.events {
        known(&e.at, &e.counter)?;
        if !HOLDS.contains(&e.holds.as_str()) {
            return e.at.err(format!("an operation cannot hold `{}`", e.holds));
        }
        match &e.which {
            Which::Ops(patterns) => {
                for pattern in patterns {
                    is_there(isa, &e.at, pattern)?;
                }
            }
            Which::Spaces(names) => {
                if let Some(name) = names.iter().find(|name| !SPACES.contains(&name.as_str())) {
                    return e.at.err(format!("unknown space `{name}`"));
                }
            }
            Which::All | Which::Exports(..) => {}
        }
        for t in &isa.targets {
            if e.raises.of(&t.name).is_some() && !has(isa, &e.counter, &t.name) {
                return e.at.err(format!("{} has no {}", t.name, e.counter));
            }
        }
    }
    for w in &isa.field_waits {
        known(&w.at, &w.counter)?;
        let format = isa.formats.iter().find(|f| f.name == w.format);
        if !format.is_some_and(|f| f.fields.iter().any(|field| field.name == w.field)) {
            return w.at.err(format!("{} is not a field of a format {}", w.field, w.format));
        }
    }
    for w in &isa.waits {
        is_there(isa, &w.at, &w.op)?;
        for (counter, _) in &w.counters {
            known(&w.at, counter)?;
        }
    }
    Ok(())
}

fn has(isa: &Isa, counter: &str, target: &str) -> bool {
    isa.counters.iter().any(|c| c.name == counter && c.max.of(target).is_some())
}

fn known(at: &SourceLine, counter: &str) -> Result<()> {
    match ALL_COUNTERS.contains(&counter) {
        true => Ok(()),
        false => at.err(format!("src/facts.rs has no counter `{counter}`")),
    }
}

fn is_there(isa: &Isa, at: &SourceLine, pattern: &str) -> Result<()> {
    match isa.formats.iter().flat_map(|f| &f.rows).any(|row| fits(pattern, &row.mnemonic)) {
        true => Ok(()),
        false => at.err(format!("there is no operation `{pattern}`")),
    }
}
