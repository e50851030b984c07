//! Statements about the counters of outstanding operations: `isa/counters.isa`.

use crate::build::model::error::{Result, SourceLine};
use crate::build::model::{CounterRow, EventRow, FieldWaitRow, WaitRow, Which};
use crate::build::parse::numbers::{bits, run, up_to};
use crate::build::parse::{Isa, Parser};

impl Parser {
    /// Reads a statement about counters. Returns `false` for any other statement.
    pub fn counters(&self, isa: &mut Isa, at: &SourceLine, key: &str, args: &[&str], about: &str) -> Result<bool> {
        match key {
            "counter" => {
                let [name, cells @ ..] = args else { return at.err("expected: counter NAME CELL...") };
                let max = self.cells(at, cells, |at, s| Ok(up_to(at, s, 255)? as u8))?;
                if about.is_empty() {
                    return at.err(format!("{name} has no source"));
                }
                let (name, source) = (name.to_string(), about.to_string());
                isa.counters.push(CounterRow { at: at.clone(), name, max, source });
            }
            "event" => {
                let [name, counter, which, order, holds, cells @ ..] = args else {
                    return at.err("expected: event NAME COUNTER WHICH ORDER HOLDS CELL...");
                };
                isa.events.push(EventRow {
                    at: at.clone(),
                    name: name.to_string(),
                    counter: counter.to_string(),
                    which: which_of(at, which)?,
                    order: (*order != "-").then(|| order.to_string()),
                    holds: holds.to_string(),
                    raises: self.cells(at, cells, |at, s| Ok(up_to(at, s, 15)? as u8))?,
                });
            }
            "wait" => {
                let [op, rest @ ..] = args else { return at.err("expected: wait OPERATION COUNTER BITS...") };
                if let (Some((format, field)), [counter]) = (op.split_once('.'), rest) {
                    let (format, field, counter) = (format.to_string(), field.to_string(), counter.to_string());
                    isa.field_waits.push(FieldWaitRow { at: at.clone(), format, field, counter });
                    return Ok(true);
                }
                let counters = match rest {
                    ["idle", ..] => Vec::new(),
                    [_, ..] if rest.len() % 2 == 0 => rest
                        .chunks(2)
                        .map(|pair| match bits(at, pair[1])?.pieces[..] {
                            [piece] => Ok((pair[0].to_string(), piece)),
                            _ => at.err("the count has more than one piece"),
                        })
                        .collect::<Result<_>>()?,
                    _ => return at.err("expected: wait OPERATION COUNTER BITS..."),
                };
                let there = match rest {
                    ["idle", cells @ ..] if !cells.is_empty() => {
                        Some(self.cells(at, cells, |at, s| Ok(up_to(at, s, 1)? as u8))?)
                    }
                    _ => None,
                };
                isa.waits.push(WaitRow { at: at.clone(), op: op.to_string(), there, counters });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Reads `all`, `op:image_bvh*,...`, `space:lds,flat` or `tgt:32-63`.
fn which_of(at: &SourceLine, s: &str) -> Result<Which> {
    let list = |s: &str| s.split(',').map(str::to_string).collect();
    match s.split_once(':') {
        None if s == "all" => Ok(Which::All),
        Some(("op", names)) => Ok(Which::Ops(list(names))),
        Some(("space", names)) => Ok(Which::Spaces(list(names))),
        Some(("tgt", range)) => {
            let (first, last) = run(at, range)?;
            Ok(Which::Exports(first, last))
        }
        _ => at.err(format!("`{s}` is neither `all` nor op:NAME,... nor space:NAME,... nor tgt:FIRST-LAST")),
    }
}
