//! Checks of the properties of operations: spaces, counters, flags, defaults and swaps.

use crate::build::emit::facts::ALL_COUNTERS;
use crate::build::lower::facts::pairs;
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::shared::FLAGS;

/// The variants of `Space` in src/table/effects.rs.
pub const SPACES: [&str; 9] = ["scalar", "buffer", "image", "flat", "global", "scratch", "lds", "gds", "export"];

/// The flags that `counts` sets and that a row can exclude.
pub const COUNTERS: [&str; 4] = ["vmcnt", "expcnt", "lgkmcnt", "vscnt"];

pub fn check(isa: &Isa) -> Result<()> {
    for f in &isa.formats {
        if let Some((at, name)) = &f.space {
            if !SPACES.contains(&name.as_str()) {
                return at.err(format!("unknown space `{name}`"));
            }
        }
        counters(f)?;
        conditions(f)?;
        patterns(f)?;
        defaults(isa, f)?;
        for row in &f.rows {
            let minus = row.flags.iter().find_map(|x| x.strip_prefix('-').filter(|x| !COUNTERS.contains(x)));
            if let Some(flag) = minus {
                return row.at.err(format!("`{flag}` is not a counter, and a row can exclude only counters"));
            }
        }
    }
    let pairs = pairs(isa)?;
    for (n, (at, a, b)) in pairs.iter().enumerate() {
        if pairs[..n].iter().any(|(_, x, y)| [a, b].contains(&x) || [a, b].contains(&y)) {
            return at.err(format!("{a} or {b} is swapped twice"));
        }
    }
    Ok(())
}

/// Checks that `counts` and `counter` name counters that exist, and that `counts` names flags of rows.
fn counters(f: &Format) -> Result<()> {
    for c in &f.counts {
        if !COUNTERS.contains(&c.counter.as_str()) {
            return c.at.err(format!("unknown counter `{}`", c.counter));
        }
        let cells = c.cells.entries.iter().filter_map(|entry| entry.value.as_deref());
        let flags = cells.flat_map(|cell| cell.split(','));
        if let Some(flag) = flags.filter(|x| *x != "all").find(|x| !FLAGS.contains(x)) {
            return c.at.err(format!("`{flag}` is neither a flag of rows nor `all`"));
        }
    }
    for c in &f.counters {
        if !COUNTERS.contains(&c.counter.as_str()) {
            return c.at.err(format!("`{}` is not a counter among the flags", c.counter));
        }
        let mut names = c.cells.entries.iter().filter_map(|entry| entry.value.as_deref());
        if let Some(name) = names.find(|name| !ALL_COUNTERS.contains(name)) {
            return c.at.err(format!("src/facts.rs has no counter `{name}`"));
        }
    }
    Ok(())
}

/// Checks the statements `when` and `always`: their fields and flags exist, and only extensions have `always`.
fn conditions(f: &Format) -> Result<()> {
    for w in &f.whens {
        if let Some(flag) = w.flags.iter().find(|x| !FLAGS.contains(&x.trim_start_matches('-'))) {
            return w.at.err(format!("`{flag}` is not a flag"));
        }
        match &w.field {
            Some(name) if !f.fields.iter().any(|x| &x.name == name) => {
                return w.at.err(format!("`when` names {name}, which is not a field of {}", f.name));
            }
            None if !f.extension => {
                return w.at.err(format!("{} is not an extension: its rows say what always holds", f.name));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Checks that the operations and fields exist that `fixed`, `renames`, `only` and `unused` name.
fn patterns(f: &Format) -> Result<()> {
    for fixed in &f.fixed {
        if !f.fields.iter().any(|x| x.name == fixed.field) {
            return fixed.at.err(format!("`fixed` names {}, which is not a field of {}", fixed.field, f.name));
        }
        if !f.rows.iter().any(|row| fits(&fixed.pattern, &row.mnemonic)) {
            return fixed.at.err(format!("{} has no operation {}", f.name, fixed.pattern));
        }
    }
    for Swap { at, names } in &f.renames {
        if let Some(name) = names.iter().find(|name| !f.rows.iter().any(|row| row.mnemonic == **name)) {
            return at.err(format!("{} has no operation {name}", f.name));
        }
    }
    for only in &f.only {
        for field in std::iter::once(&only.field).chain(only.conditions.iter().map(|(field, _)| field)) {
            if !f.fields.iter().any(|x| x.name == *field) {
                return only.at.err(format!("`only` names {field}, which is not a field of {}", f.name));
            }
        }
        if !f.rows.iter().any(|row| fits(&only.pattern, &row.mnemonic)) {
            return only.at.err(format!("{} has no operation {}", f.name, only.pattern));
        }
    }
    for unused in &f.unused {
        if !f.fields.iter().any(|x| x.name == unused.field) {
            return unused.at.err(format!("`unused` names {}, which is not a field of {}", unused.field, f.name));
        }
        if !f.rows.iter().any(|row| fits(&unused.pattern, &row.mnemonic)) {
            return unused.at.err(format!("{} has no operation {}", f.name, unused.pattern));
        }
    }
    Ok(())
}

/// Checks that the fields of `default` and `neutral` exist, and have the same value in all formats.
fn defaults(isa: &Isa, f: &Format) -> Result<()> {
    for d in &f.defaults {
        if !f.fields.iter().any(|x| x.name == d.field) {
            return d.at.err(format!("{} is not a field of {}", d.field, f.name));
        }
        let same = |o: &&FieldDefault| o.neutral == d.neutral && o.field == d.field && o.value != d.value;
        if isa.formats.iter().flat_map(|f| &f.defaults).any(|o| same(&o)) {
            return d.at.err(format!("{} has another value elsewhere", d.field));
        }
    }
    Ok(())
}
