//! Waits and distances for emitters of code.

use core::fmt;

use crate::compose::compose;
use crate::hazards::next::Next;
use crate::hazards::uses::Uses;
use crate::hazards::{Hazards, Modes, Need, Pending};
use crate::imm::{Imm, Waitcnt};
use crate::inst::Inst;
use crate::opcode::{Field, Special, well_known};
use crate::table::Counter;
use crate::target::{COUNTS, Target};
use crate::value::{Reg, Value};

/// [`Pending`] and [`Hazards`] in one, for emitters of code: [`Guard::before`] makes the waits and other instructions
/// that an instruction needs before it.
///
/// A guard is a bounded value and needs no heap. When it is full, it waits for more than is needed.
///
/// Where paths meet, [`Guard::join`] takes the worse of two states: keep a copy at a branch, and join it at the
/// branch's label. The label of a loop is emitted before the branch back to it: call [`Guard::settle`], which waits for
/// everything, before the label and before this branch. Distances across the branch back are not kept: let
/// `amdgpu_lint::repair` insert the instructions that are missing on any path of the finished code.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::hazards::Guard;
/// use amdgpu_isa::{Target, decode_words};
/// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap(); // global_load_dword v0, v1, s[0:1]
/// let add = decode_words(Target::Gfx942, &[0x0204_0500]).unwrap(); // v_add_f32_e32 v2, v0, v2
/// let (mut guard, mut code) = (Guard::new(Target::Gfx942), Vec::new());
/// for inst in [load, add] {
///     guard.before(&inst, |extra| code.extend_from_slice(extra.words())).unwrap();
///     code.extend_from_slice(inst.words());
/// }
/// assert_eq!(code, [0xdc50_8000, 0x0000_0001, 0xbf8c_0f70, 0x0204_0500]); // s_waitcnt vmcnt(0)
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    pending: Pending,
    hazards: Hazards,
}

/// The reason why a guard refuses an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GuardError {
    /// The instruction is of this target, but the guard is for another one, or for waves of another size.
    Target(Target),
    /// The instruction has a need that no instruction ends.
    Need(Need),
}

impl fmt::Display for GuardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuardError::Target(target) => write!(f, "the instruction is of {target}, and the guard is not"),
            GuardError::Need(need) => need.fmt(f),
        }
    }
}

impl core::error::Error for GuardError {}

impl Guard {
    /// A guard for code that is still empty.
    pub const fn new(target: Target) -> Guard {
        Guard { pending: Pending::new(target), hazards: Hazards::new(target) }
    }

    /// A guard that also keeps the distances that one source demands and another one denies.
    pub const fn strict(target: Target) -> Guard {
        Guard { pending: Pending::new(target), hazards: Hazards::strict(target) }
    }

    /// The guard in these modes, instead of [`Modes::NEITHER`].
    #[must_use]
    pub fn with(self, modes: Modes) -> Guard {
        Guard { hazards: self.hazards.with(modes), ..self }
    }

    /// The state of the outstanding operations.
    pub const fn pending(&self) -> &Pending {
        &self.pending
    }

    /// The state of the earlier instructions from which the next ones must keep a distance.
    pub const fn hazards(&self) -> &Hazards {
        &self.hazards
    }

    /// Passes to `take` the instructions that `inst` needs before it (waits, `s_nop`, `v_nop` and others), then issues
    /// `inst`. `take` does not get `inst` itself, so that the caller can put a label before it.
    ///
    /// # Errors
    /// The instruction is of another target; or it has a need that no instruction ends. `take` may already have
    /// received waits.
    pub fn before(&mut self, inst: &Inst, mut take: impl FnMut(&Inst)) -> Result<(), GuardError> {
        if inst.target() != self.hazards.target() {
            return Err(GuardError::Target(inst.target()));
        }
        if self.pending.is_incomplete() {
            self.settle(&mut take);
        }
        // `pending` and `hazards` both follow the upper bits of registers' numbers. These bits differ only rarely.
        let next = Next::new(inst, self.hazards.msb());
        let other = (self.pending.msb() != next.uses.msb).then(|| Uses::of(inst, self.pending.msb()));
        let uses = other.as_ref().unwrap_or(&next.uses);
        let needs = self.pending.is_met(uses).then(|| self.pending.needs_met(uses).waitcnt());
        let needs = needs.filter(|needs| !needs.counters().is_empty());
        let is_ready = needs.is_none();
        if let Some(needs) = needs {
            self.wait(&needs, &mut take);
        }
        let pending = &mut self.pending;
        let prepared = self.hazards.prepare(&next, |filler| {
            pending.issue(filler, 0);
            take(filler);
        });
        prepared.map_err(GuardError::Need)?;
        self.hazards.step_of(&next, 0, true);
        // The needs are looked up again only after waits: `issue_of` resolves the doubts that these waits leave about
        // flat operations.
        match is_ready {
            true => self.pending.issue_ready(uses, 0),
            false => self.pending.issue_of(uses, 0),
        }
        Ok(())
    }

    /// Passes to `take` the waits for everything that is outstanding. Later instructions must still keep their
    /// distances.
    pub fn settle(&mut self, mut take: impl FnMut(&Inst)) {
        let is_open = |counter: &&Counter| self.pending.most(**counter) > 0 && self.pending.follows(**counter);
        let all = Counter::ALL.iter().filter(is_open).fold(Waitcnt::new(), |all, counter| all.with(*counter, 0));
        self.wait(&all, &mut take);
        self.pending.forget();
    }

    /// Joins the guard of another path to the same place: takes the worse of both. Returns whether anything changed.
    pub fn join(&mut self, other: &Guard) -> bool {
        self.pending.join(&other.pending) | self.hazards.join(&other.hazards)
    }

    /// Notes the return from a function that waits for everything, or the beginning of such a function.
    pub fn called(&mut self) {
        self.pending.clear();
        self.hazards.returned();
    }

    fn wait(&mut self, wanted: &Waitcnt, take: &mut impl FnMut(&Inst)) {
        let (pending, hazards) = (&mut self.pending, &mut self.hazards);
        wanted.each_inst(pending.target(), |wait| {
            pending.issue(wait, 0);
            hazards.issue(wait);
            take(wait);
        });
    }
}

impl Waitcnt {
    /// Passes to `take` as few instructions as are enough to wait for these counters on a target: `s_waitcnt` for the
    /// counters in its constant, and others for the remaining ones. Counters that the target lacks are left out, and so
    /// are counts that are too great for an instruction, which no counter can reach.
    ///
    /// ```
    /// # #[cfg(feature = "gfx1200-wave32")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::facts::Counter;
    /// use amdgpu_isa::imm::Waitcnt;
    /// let mut words = Vec::new();
    /// let wait = Waitcnt::new().with(Counter::Loadcnt, 0).with(Counter::Dscnt, 1).with(Counter::Kmcnt, 0);
    /// wait.each_inst(Target::Gfx1200, |inst| words.extend_from_slice(inst.words()));
    /// assert_eq!(words, [0xbfc8_0001, 0xbfc7_0000]); // s_wait_loadcnt_dscnt 0x1; s_wait_kmcnt 0x0
    /// # }
    /// ```
    pub fn each_inst(&self, target: Target, mut take: impl FnMut(&Inst)) {
        let mut left = *self;
        let is_one = |counter: &Counter| left.only(*counter).encode(target).is_ok();
        let first = left
            .counters()
            .iter()
            .filter(is_one)
            .fold(Waitcnt::new(), |all, counter| all.with(counter, left.get(counter).unwrap_or(0)));
        let simm16 = (!first.counters().is_empty()).then(|| first.encode(target).ok()).flatten();
        let all = simm16.and_then(|bits| compose(target, well_known::S_WAITCNT, &[(Field::Simm16, bits.into())]).ok());
        // On some targets, `s_waitcnt` ignores its constant.
        let is_ignored = |inst: &Inst| COUNTS[target as usize].waits.iter().any(|(op, _)| *op == inst.opcode());
        if let Some(inst) = all.filter(|inst| matches!(inst.imm(), Some(Imm::Waitcnt(_))) && !is_ignored(inst)) {
            take(&inst);
            left = first.counters().iter().fold(left, |left, counter| left.without(counter));
        }
        // Each round takes the instruction that waits for as many of the remaining counters as possible.
        while let Some((inst, waits)) = left.next_inst(target) {
            take(&inst);
            left = waits.counters().iter().fold(left, |left, counter| left.without(counter));
        }
    }

    fn only(&self, counter: Counter) -> Waitcnt {
        self.get(counter).map_or(Waitcnt::new(), |count| Waitcnt::new().with(counter, count))
    }

    fn next_inst(&self, target: Target) -> Option<(Inst, Waitcnt)> {
        let rows = COUNTS[target as usize].waits.iter().filter(|(_, parts)| !parts.is_empty());
        let bits = |parts: &[(Counter, u8, u16)]| {
            parts.iter().try_fold(0, |bits, (counter, lsb, mask)| {
                let count = u16::from(self.get(*counter)?);
                (count <= *mask).then_some(bits | count << lsb)
            })
        };
        let wanted = rows.filter_map(|(opcode, parts)| Some((opcode, parts.len(), bits(parts)?)));
        let (opcode, _, bits) = wanted.max_by_key(|(_, len, _)| *len)?;
        let inst = compose(target, Some(*opcode), &[(Field::Simm16, bits.into())]).ok()?;
        let null = Value::Reg(Reg::Special(Special::Null));
        let inst = inst.with_operand(Field::Sdst, null).unwrap_or(inst);
        Some((inst, inst.waits())).filter(|(_, waits)| !waits.counters().is_empty())
    }
}
