//! What `isa/counters.isa` says about one target.

use crate::{Counter, Field, Format, Opcode, Space};

/// Counters of outstanding operations.
pub(crate) struct CountTables {
    /// The greatest value of each `Counter`; 0: the target lacks it.
    pub max: [u8; Counter::ALL.len()],
    /// Where the facts about each are from.
    pub sources: [&'static str; Counter::ALL.len()],
    /// The kinds of operations; of a counter, the first one that fits.
    pub events: &'static [Event],
    /// What waits, besides `s_waitcnt`. Without counts: until all are 0.
    pub waits: &'static [(Opcode, Counts)],
    /// Fields by which all operations of a format wait, before they read anything.
    pub fields: &'static [(Format, Field, Counter)],
}

/// The lowest bit and the mask of the count for each counter.
pub(crate) type Counts = &'static [(Counter, u8, u16)];

/// A kind of operations of a counter.
pub(crate) struct Event {
    pub name: &'static str,
    pub counter: Counter,
    pub which: Which,
    /// Events with the same number are done in the order of their issue; `NONE`: in any order.
    pub order: u8,
    pub holds: Holds,
    /// The most by which one operation raises the counter.
    pub raises: u8,
}

/// The operations of an event, among those that raise its counter.
#[allow(dead_code)] // A few targets need not have each.
pub(crate) enum Which {
    All,
    /// In the order of the enum.
    Ops(&'static [Opcode]),
    Spaces(&'static [Space]),
    /// Exports to targets in this range.
    Exports(u8, u8),
}

/// What an operation holds until it is done.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // The same.
pub(crate) enum Holds {
    Nothing,
    /// The registers that it writes.
    Results,
    /// The same, and later operations of the kind write them later.
    Ordered,
    /// The same as `Results`; it may be done before older ones of its order.
    Loose,
    /// The vector registers that it reads.
    Sources,
    /// Those of them that are its data.
    Data,
}
