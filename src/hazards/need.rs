//! Waits that instructions perform, and waits that they need.

use crate::imm::{Imm, Waitcnt};
use crate::inst::Inst;
use crate::opcode::{Field, Special};
use crate::table::Counter;
use crate::target::{COUNTS, Target};
use crate::value::{Operand, Reg, Value};

/// A missing wait until a counter is at or below a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wait {
    /// The counter.
    pub counter: Counter,
    /// The greatest value of the counter at which the outstanding operation is certainly done: less than the counter's
    /// maximum.
    pub at_most: u8,
    /// The conflict that the wait prevents.
    pub conflict: Conflict,
    /// A register that the operation holds and the instruction accesses.
    pub register: Option<Reg>,
    /// The `producer` that [`Pending::issue`](crate::hazards::Pending::issue) got for the operation.
    pub producer: u32,
    /// The reason why the wait may be unnecessary; `None` if it is certainly needed.
    pub doubt: Option<Doubt>,
    /// The kind of the operation, as `isa/counters.isa` calls it, such as `smem`.
    pub kind: &'static str,
    /// The manuals that describe the counter.
    pub source: &'static str,
}

/// A reason why a wait or a distance may be unnecessary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Doubt {
    /// The operation may be done already: the code has waited for the other counter of a flat operation. Or the code
    /// has waited as if younger flat operations were done later; on targets before RDNA1, they may be done first.
    Flat,
    /// The upper bits of the register's number are unknown: paths with different bits meet (CDNA5).
    Bank,
    /// The instruction accesses the register only if an index, which is unknown, is great enough: `v_movrels_b32`, or
    /// any vector operation after `s_set_gpr_idx_on`.
    Index,
    /// The register belongs to the address of an image only if the image has enough dimensions. Up to GCN 1.4 and
    /// CDNA2, the image's resource states how many dimensions the image has; the instruction's words do not.
    Dimensions,
}

impl Doubt {
    /// Whether the doubt is about the next instruction, not about the operation. A later instruction that certainly
    /// accesses the register then still needs the wait.
    pub(super) const fn is_of_consumer(self) -> bool {
        matches!(self, Doubt::Index | Doubt::Dimensions)
    }
}

/// The conflict that a wait prevents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Conflict {
    /// A read of a result that is not there yet.
    Read,
    /// A write to a register that the late result then overwrites.
    Overwrite,
    /// A write to a register that the operation still reads.
    Source,
}

/// The waits that an instruction needs, at most one for each counter: the strictest sure one, or the strictest one if
/// none is sure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Waits {
    by_counter: [Option<Wait>; Counter::ALL.len()],
    /// The strictest number of each counter, from sure and unsure waits.
    strictest: Waitcnt,
}

impl Wait {
    /// Whether the wait is certainly needed, that is, there is no [`doubt`](Wait::doubt).
    pub const fn is_sure(&self) -> bool {
        self.doubt.is_none()
    }
}

impl Waits {
    /// Whether no wait is missing.
    pub fn is_empty(&self) -> bool {
        self.by_counter.iter().all(Option::is_none)
    }

    /// The waits, at most one for each counter.
    pub fn iter(&self) -> impl Iterator<Item = Wait> + '_ {
        self.by_counter.iter().copied().flatten()
    }

    /// The numbers that inserted waits must have so that no wait is missing: the strictest for each counter, from sure
    /// and unsure waits.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::hazards::Pending;
    /// use amdgpu_isa::{Target, decode_words};
    /// use amdgpu_isa::imm::Waitcnt;
    /// let load = decode_words(Target::Gfx942, &[0xc002_0100, 0]).unwrap(); // s_load_dword s4, s[0:1], 0x0
    /// let mov = decode_words(Target::Gfx942, &[0xbe85_0004]).unwrap(); // s_mov_b32 s5, s4
    /// let mut pending = Pending::new(Target::Gfx942);
    /// pending.issue(&load, 0);
    /// assert_eq!(pending.needs(&mov).waitcnt(), Waitcnt::new().with_lgkmcnt(0));
    /// # }
    /// ```
    pub fn waitcnt(&self) -> Waitcnt {
        self.strictest
    }

    /// Keeps the stricter wait for a counter; a sure one counts as stricter than an unsure one.
    pub(crate) fn add(&mut self, wait: Wait) {
        let Some(place) = self.by_counter.get_mut(wait.counter as usize) else { return };
        let least = self.strictest.get(wait.counter).map_or(wait.at_most, |least| least.min(wait.at_most));
        self.strictest = self.strictest.with(wait.counter, least);
        let is_stricter = |old: &Wait| (!wait.is_sure(), wait.at_most) < (!old.is_sure(), old.at_most);
        if place.as_ref().is_none_or(is_stricter) {
            *place = Some(wait);
        }
    }
}

/// The wait that an instruction itself performs before it reads anything: the counter and the number.
pub(crate) fn own_wait(inst: &Inst) -> Option<(Counter, u8)> {
    let all = COUNTS[inst.target() as usize].fields;
    if all.is_empty() {
        return None;
    }
    let own = inst.format();
    let (_, field, counter) = all.iter().find(|(format, ..)| *format == own)?;
    Some((*counter, inst.get(*field)? as u8))
}

pub(crate) fn wait_of(inst: &Inst) -> Waitcnt {
    let tables = COUNTS[inst.target() as usize];
    let opcode = inst.opcode();
    let Some((_, parts)) = tables.waits.iter().find(|(op, _)| *op == opcode) else {
        return match inst.imm() {
            Some(Imm::Waitcnt(wait)) => wait,
            _ => Waitcnt::new(),
        };
    };
    let is_added = |operand: Operand| match operand.value {
        Value::Reg(reg) => reg != Reg::Special(Special::Null),
        _ => false,
    };
    if inst.operands().any(is_added) {
        return Waitcnt::new();
    }
    if parts.is_empty() {
        let there = Counter::ALL.iter().zip(tables.max).filter(|(_, max)| *max > 0);
        return there.fold(Waitcnt::new(), |all, (counter, _)| all.with(*counter, 0));
    }
    let constant = inst.get(Field::Simm16).unwrap_or(0) as u16;
    let counts = parts.iter().map(|&(counter, lsb, mask)| (counter, (constant >> lsb & mask) as u8));
    counts.fold(Waitcnt::new(), |all, (counter, count)| all.with(counter, count))
}

impl Counter {
    /// The manuals that describe the counter; `None` if the target does not have it.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::facts::Counter;
    /// assert!(Counter::Vmcnt.source(Target::Gfx942).unwrap().contains("CDNA"));
    /// assert_eq!(Counter::Loadcnt.source(Target::Gfx942), None);
    /// # }
    /// ```
    pub fn source(self, target: Target) -> Option<&'static str> {
        let tables = COUNTS[target as usize];
        let is_there = tables.max.get(self as usize).is_some_and(|max| *max > 0);
        is_there.then(|| tables.sources.get(self as usize).copied()).flatten()
    }
}

impl Inst {
    /// The counters that the instruction waits for (`s_waitcnt` or any other wait), and the greatest numbers at which
    /// the wait ends.
    ///
    /// A number to which the instruction adds a scalar register is not known, and is left out.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// use amdgpu_isa::imm::Waitcnt;
    /// let wait = decode_words(Target::Gfx942, &[0xbf8c_c07f]).unwrap(); // s_waitcnt lgkmcnt(0)
    /// assert_eq!(wait.waits(), Waitcnt::new().with_lgkmcnt(0));
    /// # }
    /// ```
    pub fn waits(&self) -> Waitcnt {
        wait_of(self)
    }
}
