//! The facts of `isa/counters.isa` for one target.

use crate::{Counter, Field, Format, Opcode, Space};

/// Counters of outstanding operations.
pub(crate) struct CountTables {
    /// The greatest value of each `Counter`; 0 if the target lacks it.
    pub max: [u8; Counter::ALL.len()],
    /// The source of the facts about each counter.
    pub sources: [&'static str; Counter::ALL.len()],
    /// The kinds of operations. An operation belongs to the first kind of a counter that matches it.
    pub events: &'static [Event],
    /// The instructions that wait, besides `s_waitcnt`. An instruction without counts waits until all counters are 0.
    pub waits: &'static [(Opcode, Counts)],
    /// Fields by which all operations of a format wait before they read anything.
    pub fields: &'static [(Format, Field, Counter)],
}

/// The lowest bit and the mask of the count for each counter.
pub(crate) type Counts = &'static [(Counter, u8, u16)];

/// A kind of operations that a counter counts.
pub(crate) struct Event {
    pub name: &'static str,
    pub counter: Counter,
    pub which: Which,
    /// Events with the same number complete in the order of their issue. `NONE`: they complete in any order.
    pub order: u8,
    pub holds: Holds,
    /// The greatest number by which one operation raises the counter.
    pub raises: u8,
}

/// The operations of an event, among those that raise its counter.
#[allow(dead_code)] // A few targets need not have each.
pub(crate) enum Which {
    All,
    /// These operations, in the order of the enum.
    Ops(&'static [Opcode]),
    Spaces(&'static [Space]),
    /// Exports to targets in this range.
    Exports(u8, u8),
}

/// The registers that an operation holds until it completes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // The same.
pub(crate) enum Holds {
    Nothing,
    /// The registers that it writes.
    Results,
    /// The registers that it writes; later operations of the kind write theirs later.
    Ordered,
    /// The registers that it writes, but the operation may complete before older ones of its order.
    Loose,
    /// The vector registers that it reads.
    Sources,
    /// The vector registers that it reads as data.
    Data,
}
