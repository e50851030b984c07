//! The flags of rows, and operations with the same result when their sources are swapped.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::*;
use crate::build::shared::FLAGS;

/// Operations with the same result when their sources are swapped. `v_cmp_lt_*` means all names with this prefix.
pub fn pairs(isa: &Isa) -> Result<Vec<(&SourceLine, String, String)>> {
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
                    // Another row of the operation has the pair already.
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

/// The flags of a row on a target: the row's own flags, the counters from its format, and `half` if it keeps a part of
/// its destination. If the target lacks the partner of a swap, the operation is not commutable. If the target's
/// constant bus carries only one scalar, `one_scalar` is left out.
pub fn flags(isa: &Isa, def: &Format, row: &Row, target: &str) -> Vec<String> {
    let lacks_partner = || {
        let swap = isa.swaps.iter().find(|(a, b)| [a, b].contains(&&row.mnemonic));
        swap.is_some_and(|(a, b)| {
            let other = if *a == row.mnemonic { b } else { a };
            !def.rows.iter().any(|r| r.mnemonic == *other && r.opcode.of(target).is_some())
        })
    };
    let bus = isa.targets.iter().find(|t| t.name == target).map_or(0, |t| t.bus);
    let kept = |flag: &&String| match flag.as_str() {
        "commute" => !lacks_partner(),
        "one_scalar" => bus > 1,
        flag => !flag.starts_with('-'),
    };
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
    let keeps = |token: &Token| matches!(token, Token::Operand { kept, .. } if kept.iter().any(|t| t == target));
    if row.tokens.iter().any(keeps) {
        all.push("half".into());
    }
    // The order of flags is fixed, and does not depend on the row.
    all.sort_by_key(|flag| FLAGS.iter().position(|f| f == flag));
    all
}

/// The names in the pairs of operations.
pub fn swaps(isa: &Isa) -> Result<Vec<(String, String)>> {
    Ok(pairs(isa)?.into_iter().map(|(_, a, b)| (a, b)).collect())
}
