//! The state of the machine in code with changes that have not been made yet.

use core::cell::RefCell;

use amdgpu_isa::facts::Counter;
use amdgpu_isa::flow::State;
use amdgpu_isa::hazards::{self, Next, Unbounded};
use amdgpu_isa::{Inst, Target};
pub use amdgpu_program::{Edit, Edits, Slot};

/// Outstanding operations, without a limit on their number.
pub type Pending = hazards::Pending<Unbounded>;
/// Earlier instructions from which later ones must keep a distance, without a limit on their number.
pub type Hazards = hazards::Hazards<Unbounded>;

/// The state of the machine before an instruction.
#[derive(Clone, PartialEq)]
pub struct MachineState {
    /// Operations that are outstanding.
    pub pending: Pending,
    /// Earlier instructions from which later ones must keep a distance.
    pub hazards: Hazards,
    /// For each counter, whether stores, atomic operations or operations that write no registers may be outstanding.
    /// Waits for such operations order memory accesses.
    pub memory: [bool; Counter::ALL.len()],
}

impl MachineState {
    /// The state before the first instruction.
    pub fn new(target: Target) -> MachineState {
        let (pending, hazards) = (Pending::unbounded(target), Hazards::unbounded(target));
        MachineState { pending, hazards, memory: [false; Counter::ALL.len()] }
    }

    /// Runs an instruction of the changed code in the place of `old`. Waits that only the change adds are assumed
    /// ([`Pending::assume`]): unlike the waits of the original code, they do not show which memory a flat operation
    /// accesses.
    pub fn run(&mut self, slot: Slot, inst: &Inst, old: &Inst, offset: u32) {
        if inst.flags().is_wait() && inst != old {
            let (new, before) = (inst.waits(), old.waits());
            let was = |counter: &Counter| matches!(slot, Slot::At(_)) && before.get(*counter) <= new.get(*counter);
            let known = new.counters().iter().filter(|counter| before.get(*counter).is_some() && was(counter));
            self.pending.assume(&known.fold(new, |new, counter| new.without(counter)));
        }
        self.issue(inst, offset);
    }

    /// Updates the state for an instruction. `offset`: the offset of the instruction in the code, in bytes.
    pub fn issue(&mut self, inst: &Inst, offset: u32) {
        self.issue_next(&Next::new(inst, self.pending.msb()), offset);
    }

    /// Does the work of [`MachineState::issue`] for an instruction that has been looked up.
    pub fn issue_next(&mut self, next: &Next<'_>, offset: u32) {
        self.pending.issue_next(next, offset);
        self.hazards.issue_next(next, offset);
        let (inst, flags, counters) = (next.inst(), next.flags(), next.counters());
        if flags.is_wait() {
            let wait = inst.waits();
            let done = wait.counters().iter().filter(|counter| wait.get(*counter) == Some(0));
            done.for_each(|counter| self.memory[counter as usize] = false);
        }
        if !counters.is_empty() && (flags.is_atomic() || flags.is_store() || inst.writes().is_empty()) {
            counters.iter().for_each(|counter| self.memory[counter as usize] = true);
        }
    }
}

impl State for MachineState {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.issue(inst, offset);
    }

    fn join(&mut self, other: &MachineState) -> bool {
        let before = self.memory;
        self.memory.iter_mut().zip(other.memory).for_each(|(one, other)| *one |= other);
        let pending = self.pending.join(&other.pending);
        self.hazards.join(&other.hazards) | pending | (self.memory != before)
    }

    fn join_again(&mut self, other: &MachineState) -> bool {
        let before = self.memory;
        self.memory.iter_mut().zip(other.memory).for_each(|(one, other)| *one |= other);
        let pending = self.pending.join_again(&other.pending);
        self.hazards.join(&other.hazards) | pending | (self.memory != before)
    }

    fn returned(&mut self) {
        self.pending.returned();
        self.hazards.returned();
        self.memory = [true; Counter::ALL.len()];
    }

    fn enter(&mut self) {
        self.pending.enter();
        self.hazards.enter();
    }

    fn leave(&mut self) {
        self.pending.leave();
        self.hazards.leave();
    }

    fn returned_from(&mut self, exit: &MachineState) {
        self.pending.returned_from(&exit.pending);
        self.hazards.returned_from(&exit.hazards);
        self.memory = exit.memory;
    }
}

/// A walk through code as if the changes were made.
#[derive(Clone)]
pub struct EditedWalk<'e> {
    /// The state before the next instruction.
    pub now: MachineState,
    /// The changes to the code, which the walk takes as made.
    pub edits: &'e RefCell<Edits>,
    /// The address of the code's first byte.
    pub base: u64,
}

impl State for EditedWalk<'_> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        let (address, edits) = (self.base.wrapping_add(offset.into()), self.edits.borrow());
        match edits.at(address) {
            None => self.now.issue(inst, offset),
            Some(_) => {
                let insts = edits.run(address, inst);
                insts.iter().for_each(|(slot, new)| self.now.run(*slot, new, inst, offset));
            }
        }
    }

    fn join(&mut self, other: &Self) -> bool {
        self.now.join(&other.now)
    }

    fn join_again(&mut self, other: &Self) -> bool {
        self.now.join_again(&other.now)
    }

    fn returned(&mut self) {
        self.now.returned();
    }

    fn enter(&mut self) {
        self.now.enter();
    }

    fn leave(&mut self) {
        self.now.leave();
    }

    fn returned_from(&mut self, exit: &Self) {
        self.now.returned_from(&exit.now);
    }
}
