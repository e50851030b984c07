//! Counters of outstanding operations, and the facts of `isa/counters.isa` for one target.

use core::fmt;

use super::Space;
use crate::opcode::{Field, Format, Opcode};

macro_rules! counters {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        /// A counter of outstanding operations on any generation: an operation raises the counter when the operation is
        /// issued, and lowers the counter when the operation completes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Counter {
            $($(#[$doc])* $name,)*
        }
        impl Counter {
            /// Every counter.
            pub const ALL: &'static [Counter] = &[$(Counter::$name),*];

            /// The field that names the counter in errors.
            pub(crate) const fn field(self) -> Field {
                match self {
                    $(Counter::$name => Field::$name,)*
                }
            }
        }
    };
}

// The first three counters are the parts of `s_waitcnt`, in the order of isa/enums.isa; the first four have the order
// of `FLAGS` in src/shared.rs. `ALL_COUNTERS` in build/emit/facts.rs lists all counters.
counters! {
    /// Vector memory; on RDNA1 to RDNA3 only loads, and atomic operations that return a value.
    Vmcnt;
    /// Exports, direct loads from LDS (from RDNA3 on), and operations that still have to read their data from
    /// registers: GDS operations up to RDNA2, and stores on GCN 1.0.
    Expcnt;
    /// LDS, GDS, scalar memory (constants) and messages.
    Lgkmcnt;
    /// Vector memory stores, and atomic operations that do not return a value, on RDNA1 to RDNA3.
    Vscnt;
    /// Vector memory loads, and atomic operations that return a value, from RDNA4 on. Loads through a sampler and ray
    /// intersections have counters of their own on the targets with `Samplecnt` and `Bvhcnt`.
    Loadcnt;
    /// Vector memory stores, and atomic operations that do not return a value, from RDNA4 on.
    Storecnt;
    /// Loads through a sampler, on RDNA4 and GFX13.
    Samplecnt;
    /// Ray intersections, on RDNA4.
    Bvhcnt;
    /// LDS, from RDNA4 on.
    Dscnt;
    /// Scalar memory and messages, from RDNA4 on.
    Kmcnt;
    /// Translations of addresses, on CDNA5. After its translation, an operation's sources may be overwritten.
    Xcnt;
    /// Asynchronous copies between memory and LDS, and asynchronous arrivals at barriers, from gfx1250 on.
    Asynccnt;
    /// Copies of tensors, from gfx1250 on.
    Tensorcnt;
}

impl Counter {
    /// The name, such as `vmcnt`.
    pub fn name(self) -> &'static str {
        self.field().name()
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of [`Counter`]s, such as those that an instruction raises: [`Inst::counters`](crate::Inst::counters).
///
/// ```
/// use amdgpu_isa::facts::{Counter, Counters};
/// let set = Counters::new().with(Counter::Lgkmcnt).with(Counter::Vmcnt);
/// assert!(set.contains(Counter::Vmcnt) && !set.contains(Counter::Expcnt));
/// assert!(set.iter().eq([Counter::Vmcnt, Counter::Lgkmcnt]));
/// assert_eq!(set.to_string(), "vmcnt, lgkmcnt");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Counters(pub(crate) u16);

impl Counters {
    /// The empty set.
    pub const fn new() -> Counters {
        Counters(0)
    }

    /// The set with one more counter.
    pub const fn with(self, counter: Counter) -> Counters {
        Counters(self.0 | 1 << counter as u16)
    }

    /// Whether the counter is in the set.
    pub const fn contains(self, counter: Counter) -> bool {
        self.0 >> counter as u16 & 1 == 1
    }

    /// Whether the set is empty.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x0204_0501]).unwrap(); // v_add_f32 v2, v1, v2
    /// assert!(add.counters().is_empty());
    /// # }
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Iterates over the counters.
    pub fn iter(self) -> impl Iterator<Item = Counter> {
        let mut left = self.0;
        core::iter::from_fn(move || {
            let counter = Counter::ALL.get(left.trailing_zeros() as usize).copied();
            left &= left.wrapping_sub(1);
            counter
        })
    }
}

impl fmt::Debug for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, counter) in self.iter().enumerate() {
            f.write_str(if n == 0 { "" } else { ", " })?;
            f.write_str(counter.name())?;
        }
        Ok(())
    }
}

/// The facts about the counters of one target.
pub(crate) struct CountTables {
    /// The greatest value of each `Counter`; 0 if the target lacks it.
    pub max: [u8; Counter::ALL.len()],
    /// The source of the facts about each counter.
    pub sources: [&'static str; Counter::ALL.len()],
    /// The kinds of operations. An operation belongs to the first kind of a counter that matches it.
    pub events: &'static [Event],
    /// The instructions that wait for counters. `s_waitcnt` is among them only if it waits for all counters. An
    /// instruction without counts waits until all counters are 0.
    pub waits: &'static [(Opcode, Counts)],
    /// Fields such as `wait_exp`, with which all operations of a format wait for a counter before they read anything.
    pub fields: &'static [(Format, Field, Counter)],
}

/// The lowest bit and the mask of the count for each counter.
pub(crate) type Counts = &'static [(Counter, u8, u16)];

/// A kind of operations that a counter counts.
pub(crate) struct Event {
    pub name: &'static str,
    pub counter: Counter,
    pub which: Which,
    /// Operations of events with the same number complete in the order of their issue; with `NONE`, in any order.
    pub order: u8,
    pub holds: Holds,
    /// The largest number that one operation adds to the counter.
    pub raises: u8,
}

/// The operations of an event, among those that raise its counter.
#[allow(dead_code)] // The tables of a few targets may lack some variants.
pub(crate) enum Which {
    All,
    /// The operations of the list, in the order of `Opcode`.
    Ops(&'static [Opcode]),
    Spaces(&'static [Space]),
    /// Exports to targets in this range.
    Exports(u8, u8),
}

/// The registers that an operation holds until it completes.
#[derive(Clone, Copy, PartialEq, Eq)]
#[allow(dead_code)] // As for `Which`.
pub(crate) enum Holds {
    Nothing,
    /// The registers that the operation writes.
    Results,
    /// The registers that the operation writes; operations of the kind write their registers in the order of issue.
    Ordered,
    /// The registers that the operation writes; the operation may complete before older ones with the same `order`.
    Loose,
    /// The vector registers that the operation reads, and EXEC.
    Sources,
    /// The vector registers that the operation reads as data.
    Data,
}
