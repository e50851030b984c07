//! Counters of outstanding operations, as written in `isa/counters.isa`.

use super::error::SourceLine;
use super::{Cells, Piece};

/// `counter vmcnt 15 gfx9=63 ; SOURCE`: a counter, with its greatest value.
#[derive(Debug)]
pub struct CounterRow {
    pub at: SourceLine,
    pub name: String,
    pub max: Cells<u8>,
    pub source: String,
}

/// `event lds lgkmcnt space:lds,flat lds ordered 1`: a kind of operations that a counter counts.
#[derive(Debug)]
pub struct EventRow {
    pub at: SourceLine,
    pub name: String,
    pub counter: String,
    pub which: Which,
    /// The name of an order. Events whose orders have the same name complete in the order of their issue. `None` if the
    /// events complete in any order.
    pub order: Option<String>,
    /// The registers that the operation holds until it completes: a variant of the library's `Holds`, in snake case;
    /// `-` for none.
    pub holds: String,
    /// The largest number that one operation adds to the counter.
    pub raises: Cells<u8>,
}

/// The set of operations of an event.
#[derive(Debug)]
pub enum Which {
    /// All operations that raise the counter.
    All,
    /// Mnemonics; one that ends in `*` stands for all mnemonics with that prefix.
    Ops(Vec<String>),
    /// Operations on these memory spaces: variants of `Space`, in snake case.
    Spaces(Vec<String>),
    /// Exports to the targets from the first number to the last.
    Exports(u32, u32),
}

/// `wait s_wait_loadcnt_dscnt loadcnt 13:8 dscnt 5:0`: an instruction that waits for counters.
#[derive(Debug)]
pub struct WaitRow {
    pub at: SourceLine,
    pub op: String,
    /// The targets on which the row holds; `None`: all targets that have the operation.
    pub there: Option<Cells<u8>>,
    /// The bits of the constant for each counter; empty if the instruction waits until every counter is 0.
    pub counters: Vec<(String, Piece)>,
}

/// `wait VINTERP.wait_exp expcnt`: a field that makes the operations of a format wait.
#[derive(Debug)]
pub struct FieldWaitRow {
    pub at: SourceLine,
    pub format: String,
    pub field: String,
    pub counter: String,
}

/// Whether the name is equal to the pattern, or begins with it if the pattern ends in `*`.
pub fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}
