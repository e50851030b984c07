//! Counters of outstanding operations, as `isa/counters.isa` has them.

use super::error::SourceLine;
use super::{Cells, Piece};

/// `counter vmcnt 15 gfx9=63 ; SOURCE`: the greatest value.
#[derive(Debug)]
pub struct CounterRow {
    pub at: SourceLine,
    pub name: String,
    pub max: Cells<u8>,
    pub source: String,
}

/// `event lds lgkmcnt space:lds,flat lds ordered 1`: a kind of operations of a counter.
#[derive(Debug)]
pub struct EventRow {
    pub at: SourceLine,
    pub name: String,
    pub counter: String,
    pub which: Which,
    /// Events of one order are done in the order of their issue; `None`: in any order.
    pub order: Option<String>,
    /// Variant of the library's `Holds`, in snake case; `-`: nothing.
    pub holds: String,
    /// The most by which one operation raises the counter.
    pub raises: Cells<u8>,
}

/// The operations of an event.
#[derive(Debug)]
pub enum Which {
    /// All that raise the counter.
    All,
    /// Mnemonics; with `*` at the end, all that begin so.
    Ops(Vec<String>),
    /// Variants of `Space`, in snake case.
    Spaces(Vec<String>),
    /// Exports to one of these.
    Exports(u32, u32),
}

/// `wait s_wait_loadcnt_dscnt loadcnt 13:8 dscnt 5:0`
#[derive(Debug)]
pub struct WaitRow {
    pub at: SourceLine,
    pub op: String,
    /// The bits of the constant for each counter; none: it waits until every counter is 0.
    pub counters: Vec<(String, Piece)>,
}

/// `wait VINTERP.wait_exp expcnt`: a field by which the operations of a format wait.
#[derive(Debug)]
pub struct FieldWaitRow {
    pub at: SourceLine,
    pub format: String,
    pub field: String,
    pub counter: String,
}

/// Whether the name is the pattern, or begins like one that ends in `*`.
pub fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}
