//! What the tables say of operations besides their operands: spaces, counters, flags of forms, and which operation does
//! the same with its sources swapped. `src/facts.rs` and `src/convert/` ask for it.

use std::fmt::Write;

use crate::build::emit::camel;
use crate::build::error::{Place, Result};
use crate::build::lower::{NONE, Target};
use crate::build::model::*;
use crate::build::tables::{FLAGS, flag_bits};

/// The variants of `Space` in src/facts.rs.
const SPACES: [&str; 9] = ["scalar", "buffer", "image", "flat", "global", "scratch", "lds", "gds", "export"];

/// Flags that a row can do without although `counts` gives it them.
const COUNTERS: [&str; 3] = ["vmcnt", "expcnt", "lgkmcnt"];

/// The statements that have no cells.
pub fn line(f: &mut Format, at: &Place, key: &str, args: &[&str]) -> Result<bool> {
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
        _ => return Ok(false),
    }
    Ok(true)
}

pub fn check(isa: &Isa) -> Result<()> {
    for f in &isa.formats {
        if let Some((at, name)) = &f.space {
            if !SPACES.contains(&name.as_str()) {
                return at.err(format!("unknown space `{name}`"));
            }
        }
        for c in &f.counts {
            if !COUNTERS.contains(&c.counter.as_str()) {
                return c.at.err(format!("unknown counter `{}`", c.counter));
            }
            let flags = c.cells.cells.iter().flatten().flat_map(|cell| cell.split(','));
            if let Some(flag) = flags.filter(|x| *x != "all").find(|x| !FLAGS.contains(x)) {
                return c.at.err(format!("`{flag}` is no flag of rows, nor `all`"));
            }
        }
        for w in &f.whens {
            if let Some(flag) = w.flags.iter().find(|x| !FLAGS.contains(&x.trim_start_matches('-'))) {
                return w.at.err(format!("`{flag}` is no flag"));
            }
            match &w.field {
                Some(name) if !f.fields.iter().any(|x| &x.name == name) => {
                    return w.at.err(format!("`when` names {name}, which is no field of {}", f.name));
                }
                None if !f.extension => {
                    return w.at.err(format!("{} is no extension: its rows say what always holds", f.name));
                }
                _ => {}
            }
        }
        for d in &f.defaults {
            if !f.fields.iter().any(|x| x.name == d.field) {
                return d.at.err(format!("{} is no field of {}", d.field, f.name));
            }
            let same = |o: &&FieldDefault| o.neutral == d.neutral && o.field == d.field && o.value != d.value;
            if isa.formats.iter().flat_map(|f| &f.defaults).any(|o| same(&o)) {
                return d.at.err(format!("{} has another value elsewhere", d.field));
            }
        }
        for row in &f.rows {
            let minus = row.flags.iter().find_map(|x| x.strip_prefix('-').filter(|x| !COUNTERS.contains(x)));
            if let Some(flag) = minus {
                return row.at.err(format!("`{flag}` is no counter: a row that lacks it leaves it out"));
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

/// Operations that do the same with their sources swapped. `v_cmp_lt_*` stands for all that begin so.
fn pairs(isa: &Isa) -> Result<Vec<(&Place, String, String)>> {
    let mut all = Vec::new();
    for f in &isa.formats {
        for Swap { at, names: [a, b] } in &f.swaps {
            let before = all.len();
            for row in &f.rows {
                let other = match (a.strip_suffix('*'), b.strip_suffix('*')) {
                    (Some(a), Some(b)) => row.mnemonic.strip_prefix(a).map(|rest| format!("{b}{rest}")),
                    _ => (row.mnemonic == *a).then(|| b.clone()),
                };
                let Some(other) = other else { continue };
                if all.iter().any(|(_, name, _): &(_, String, _)| *name == row.mnemonic) {
                    // Another row of the same operation.
                    continue;
                }
                if !f.rows.iter().any(|r| r.mnemonic == other) {
                    return at.err(format!("{} has no operation {other}", f.name));
                }
                all.push((at, row.mnemonic.clone(), other));
            }
            if all.len() == before {
                return at.err(format!("{} has no operation {a}", f.name));
            }
        }
    }
    Ok(all)
}

/// The flags of a row on a target: its own, and the counters that its format gives it. A swap whose other operation the
/// target lacks is none.
pub fn flags(isa: &Isa, def: &Format, row: &Row, target: &str) -> Vec<String> {
    let lacks_partner = || {
        let swap = isa.swaps.iter().find(|(a, b)| [a, b].contains(&&row.mnemonic));
        swap.is_some_and(|(a, b)| {
            let other = if *a == row.mnemonic { b } else { a };
            !def.rows.iter().any(|r| r.mnemonic == *other && r.opcode.of(target).is_some())
        })
    };
    let kept = |flag: &&String| !flag.starts_with('-') && (*flag != "commute" || !lacks_partner());
    let mut all: Vec<String> = row.flags.iter().filter(kept).cloned().collect();
    for c in &def.counts {
        let counts = c
            .cells
            .of(target)
            .is_some_and(|cell| cell.split(',').any(|flag| flag == "all" || row.flags.iter().any(|own| own == flag)));
        let excepted = row.flags.iter().any(|own| own.strip_prefix('-') == Some(&c.counter));
        if counts && !excepted && !all.contains(&c.counter) {
            all.push(c.counter.clone());
        }
    }
    all
}

/// The pairs, by their names.
pub fn swaps(isa: &Isa) -> Result<Vec<(String, String)>> {
    Ok(pairs(isa)?.into_iter().map(|(_, a, b)| (a, b)).collect())
}

/// What all targets share: `SPACES` by the number of the format, `SWAPS` by the first operation.
pub fn common(w: &mut String, isa: &Isa, formats: &[&Format], ops: &[String]) {
    let space = |f: &&Format| match &f.space {
        Some((_, name)) => format!("Some(Space::{})", camel(name)),
        None => "None".into(),
    };
    let spaces: Vec<String> = formats.iter().map(space).collect();
    writeln!(w, "pub(crate) static SPACES: [Option<Space>; {}] = [{}];", spaces.len(), spaces.join(", ")).unwrap();
    let bus: Vec<bool> = formats.iter().map(|f| f.bus).collect();
    writeln!(w, "pub(crate) static BUS: [bool; {}] = {bus:?};", bus.len()).unwrap();
    for (name, neutral) in [("DEFAULTS", false), ("NEUTRALS", true)] {
        let of_all = formats.iter().flat_map(|f| &f.defaults).filter(|d| d.neutral == neutral);
        let mut all: Vec<String> = of_all.map(|d| format!("(Field::{}, {})", camel(&d.field), d.value)).collect();
        all.sort();
        all.dedup();
        let (count, all) = (all.len(), all.join(", "));
        writeln!(w, "#[allow(dead_code)]\npub(crate) static {name}: [(Field, u16); {count}] = [{all}];").unwrap();
    }
    let there = |name: &String| ops.contains(name);
    let swaps = isa.swaps.iter().filter(|(a, b)| there(a) && there(b));
    let swaps: Vec<String> = swaps.map(|(a, b)| format!("(Opcode::{}, Opcode::{})", camel(a), camel(b))).collect();
    writeln!(w, "pub(crate) static SWAPS: [(Opcode, Opcode); {}] = [{}];", swaps.len(), swaps.join(", ")).unwrap();
}

/// `FactTables` of one target.
pub fn tables(w: &mut String, t: &Target) {
    write!(w, "pub(crate) static FACTS: FactTables = FactTables {{ whens: &[").unwrap();
    for f in &t.formats {
        for when in &f.def.whens {
            let bits = |name: &String| f.fields.iter().find(|(field, _)| &field.name == name).map(|(_, bits)| bits);
            let bit = match &when.field {
                None => NONE,
                // A field that the target lacks, or ignores, is never set.
                Some(name) => match bits(name).filter(|b| !b.ignored) {
                    Some(bits) => bits.pieces[0].lsb,
                    None => continue,
                },
            };
            let (clear, set): (Vec<String>, Vec<String>) = when.flags.iter().cloned().partition(|x| x.starts_with('-'));
            let clear: Vec<String> = clear.iter().map(|x| x[1..].to_string()).collect();
            let format = camel(&f.def.name);
            let (set, clear) = (flag_bits(&set), flag_bits(&clear));
            write!(w, "When {{ format: Format::{format}, bit: {bit}, set: {set:#x}, clear: {clear:#x} }},").unwrap();
        }
    }
    let code = |name: &str| {
        let row = t.codes.iter().find(|c| c.name == name);
        row.and_then(|c| c.range.of(&t.row.name)).map_or(NONE.into(), |&(first, _)| first)
    };
    let codes = [
        "vcc_lo",
        "exec_lo",
        "m0",
        "flat_scratch_lo",
        "xnack_mask_lo",
        "src_vccz",
        "src_execz",
        "src_scc",
        "src_lds_direct",
    ];
    let codes: Vec<String> = codes.iter().map(|name| code(name).to_string()).collect();
    writeln!(w, "], codes: Codes::new([{}]), bus: {} }};", codes.join(", "), t.row.bus).unwrap();
}
