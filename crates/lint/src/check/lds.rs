//! Data in LDS that one wave stores and others load after a barrier.

use alloc::collections::BTreeSet;

use amdgpu_isa::Inst;
use amdgpu_isa::facts::{Counter, Flags, Purpose, Space};
use amdgpu_isa::hazards::Next;
use amdgpu_isa::imm::Waitcnt;

use super::path;
use super::{Check, What};
use crate::change;

/// The accesses of a wave to LDS on which later accesses of this or another wave may depend. No register shows this
/// dependence.
#[derive(Clone, Copy, PartialEq)]
pub struct Lds {
    /// For each counter, the youngest operation that may still have to write LDS.
    writes: [Option<Access>; Counter::ALL.len()],
    /// The youngest operation that may still have to read LDS to copy it to memory.
    reads: Option<Access>,
    /// The last barrier, if a write was outstanding there.
    passed: Option<Passed>,
}

/// An operation that may still be outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Access {
    /// The number of later operations that the counter counts: the operation is done when at most this number is left.
    pub age: u8,
    /// The offset of the operation in the code, in bytes.
    pub offset: u32,
    /// The counter that tells when the operation is done.
    pub counter: Counter,
    /// Whether the operation copies data from memory or to memory.
    is_copy: bool,
    /// Whether a caller issued the operation.
    is_inherited: bool,
}

/// A barrier after which an earlier write to LDS may still be outstanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Passed {
    /// Whether all waves have certainly arrived. After only the signal of a split barrier, they may not have.
    all_arrived: bool,
    /// The offset of the barrier, or of its signal, in the code.
    pub barrier: u32,
    /// The write that may still be outstanding.
    pub write: Access,
}

/// The part of a barrier that an instruction performs.
#[derive(Clone, Copy, PartialEq)]
enum Barrier {
    /// Both the signal and the wait.
    Whole,
    /// The signal.
    Signal,
    /// The wait.
    Wait,
}

impl Barrier {
    fn of(inst: &Inst, flags: Flags) -> Option<Barrier> {
        if !flags.is_wave_barrier() {
            return None;
        }
        match inst.opcode().purpose()? {
            Purpose::Barrier => Some(Barrier::Whole),
            Purpose::BarrierSignal => Some(Barrier::Signal),
            Purpose::BarrierWait => Some(Barrier::Wait),
            _ => None,
        }
    }
}

impl Access {
    fn of(inst: &Inst, offset: u32) -> Option<Access> {
        // If an operation has two counters, the first one counts its accesses to memory.
        let counter = inst.counters().iter().next()?;
        let is_copy = inst.memory().any(|access| access.space != Space::Lds);
        Some(Access { age: 0, offset, counter, is_copy, is_inherited: false })
    }

    /// Whether the operation is done when at most `at_most` operations of the counter are left. A copy counts as done
    /// after any wait for its counter.
    fn is_done(&self, counter: Counter, at_most: u8) -> bool {
        self.counter == counter && (self.is_copy || self.age >= at_most)
    }
}

/// Whether an instruction loads from LDS, and whether it stores there.
fn lds(inst: &Inst) -> (bool, bool) {
    let own = || inst.memory().filter(|access| access.space == Space::Lds);
    (own().any(|access| access.access.reads()), own().any(|access| access.access.writes()))
}

impl Lds {
    /// A state with no outstanding accesses.
    pub const NOTHING: Lds = Lds { writes: [None; Counter::ALL.len()], reads: None, passed: None };

    /// The barrier before an instruction that loads from LDS, and the write that may still be outstanding after the
    /// barrier.
    pub fn early(&self, inst: &Inst) -> Option<Passed> {
        self.passed.filter(|passed| passed.all_arrived && lds(inst).0)
    }

    /// The operation that may still read LDS where an instruction writes it.
    pub fn still_read(&self, inst: &Inst) -> Option<Access> {
        self.reads.filter(|_| lds(inst).1)
    }

    /// Updates the state for an instruction.
    pub fn step(&mut self, next: &Next<'_>, offset: u32) {
        let (inst, flags, counters) = (next.inst(), next.flags(), next.counters());
        if flags.is_wait() {
            let wait = inst.waits();
            wait.counters().iter().for_each(|counter| self.wait(counter, wait.get(counter).unwrap_or(0)));
        }
        if let Some(barrier) = Barrier::of(inst, flags) {
            self.barrier(barrier, offset);
        }
        if !flags.is_load() && !flags.is_store() && counters.is_empty() {
            return;
        }
        let (loads, stores) = lds(inst);
        // Later loads after the same barrier are not reported.
        if loads && self.passed.is_some_and(|passed| passed.all_arrived) {
            self.passed = None;
        }
        if stores {
            self.reads = None;
        }
        // Scalar loads do not complete in order, so a count of later operations does not include them.
        if inst.memory().any(|access| access.space != Space::Scalar) {
            let own = self.writes.iter_mut().chain([&mut self.reads]).flatten();
            own.filter(|access| counters.contains(access.counter))
                .for_each(|access| access.age = access.age.saturating_add(1));
        }
        let Some(access) = Access::of(inst, offset) else { return };
        // An atomic operation of ASYNCcnt signals a barrier in LDS, and stores no data.
        let is_signal = flags.is_atomic() && access.counter == Counter::Asynccnt;
        if stores && !is_signal {
            if let Some(place) = self.writes.get_mut(access.counter as usize) {
                *place = Some(access);
            }
        }
        if loads && access.is_copy {
            self.reads = Some(access);
        }
    }

    fn wait(&mut self, counter: Counter, at_most: u8) {
        for place in self.writes.iter_mut().chain([&mut self.reads]) {
            *place = place.filter(|access| !access.is_done(counter, at_most));
        }
        self.passed = self.passed.filter(|passed| !(passed.write.is_copy && passed.write.counter == counter));
    }

    fn barrier(&mut self, barrier: Barrier, offset: u32) {
        if barrier == Barrier::Wait {
            if let Some(passed) = &mut self.passed {
                passed.all_arrived = true;
            }
            return;
        }
        let write = self.writes.iter().flatten().min().copied();
        self.passed = write.map(|write| Passed { all_arrived: barrier == Barrier::Whole, barrier: offset, write });
    }

    /// Joins the state of another path that leads to the same place. Returns whether anything changed.
    pub fn join(&mut self, other: &Lds) -> bool {
        let before = *self;
        let accesses = self.writes.iter_mut().chain([&mut self.reads]);
        for (own, other) in accesses.zip(other.writes.iter().chain([&other.reads])) {
            *own = [*own, *other].into_iter().flatten().min();
        }
        // A barrier at which all waves have arrived takes precedence.
        self.passed =
            [self.passed, other.passed].into_iter().flatten().min_by_key(|passed| (!passed.all_arrived, *passed));
        *self != before
    }

    /// Notes that a called function begins.
    pub fn enter(&mut self) {
        self.writes.iter_mut().chain([&mut self.reads]).flatten().for_each(|access| access.is_inherited = true);
        if let Some(passed) = &mut self.passed {
            passed.write.is_inherited = true;
        }
    }

    /// Notes that the function returns.
    pub fn leave(&mut self) {
        for place in self.writes.iter_mut().chain([&mut self.reads]) {
            *place = place.filter(|access| !access.is_inherited);
        }
        self.passed = self.passed.filter(|passed| !passed.write.is_inherited);
    }
}

/// The counters for which some instruction waits until at most a number of operations other than 0 is left.
pub fn counted(insts: impl Iterator<Item = Inst>) -> BTreeSet<Counter> {
    let waits = insts.filter(|inst| inst.flags().is_wait()).map(|inst| inst.waits());
    waits.flat_map(|wait| wait.counters().iter().filter(move |counter| wait.get(*counter) != Some(0))).collect()
}

impl Check<'_, '_, '_> {
    /// Reports data in LDS that an instruction loads or overwrites too early.
    pub fn lds(&mut self, block: usize, address: u64, inst: &Inst, state: &Lds) {
        let base = self.of.section().address;
        if let Some(passed) = state.early(inst).filter(|passed| !self.counts(&passed.write)) {
            let (barrier, store) = (base.wrapping_add(passed.barrier.into()), passed.write.offset);
            let what =
                What::LdsAfterBarrier { counter: passed.write.counter, at_most: passed.write.age, load: address };
            // Several loads may follow the same barrier, which is reported only once.
            if self.barriers.insert((barrier, store)) {
                self.lds_finding(None, barrier, what, &passed.write);
            }
        }
        if let Some(read) = state.still_read(inst).filter(|read| !self.counts(read)) {
            let what = What::LdsStillRead { counter: read.counter, at_most: read.age };
            self.lds_finding(Some(block), address, what, &read);
        }
    }

    /// Whether the access is a copy, and some wait leaves operations of the copy's counter outstanding. Such code
    /// counts its copies, and fills one part of LDS while it uses another part, so it is not reported.
    fn counts(&self, access: &Access) -> bool {
        access.is_copy && self.counted.contains(&access.counter)
    }

    fn lds_finding(&mut self, block: Option<usize>, address: u64, what: What, access: &Access) {
        let producer = self.of.section().address.wrapping_add(access.offset.into());
        let mut finding = self.of.finding(address, self.of.inst(address), what);
        finding.producer = self.of.place(producer);
        let block = block.or_else(|| path::block_of(self.flow(), address));
        if let Some(block) = block.filter(|_| self.may_search()) {
            finding.path = path::shortest(self.flow(), producer, (block, address), &mut self.steps_left);
        }
        let wait = Waitcnt::new().with(access.counter, access.age);
        finding.repair = change::waits(self.flow().target(), &wait).unwrap_or_default();
        self.found.push(finding);
    }
}
