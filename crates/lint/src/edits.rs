//! Code as it runs with changes that are not made yet.

use amdgpu_isa::Inst;
use amdgpu_isa::facts::Counter;
use amdgpu_isa::flow::State;
use amdgpu_isa::hazards::{Hazards, Pending};
pub use amdgpu_program::{Edit, Edits, Slot};

/// What is known in front of an instruction.
#[derive(Clone, PartialEq)]
pub struct Now {
    /// Operations that are outstanding.
    pub pending: Pending,
    /// Operations that the next ones may come too close to.
    pub hazards: Hazards,
    /// Operations of these counters may be outstanding that hold no registers: someone waits for memory.
    pub memory: [bool; Counter::ALL.len()],
}

impl Now {
    /// An instruction of changed code, where the code had `old`: what it waits for only since the change says nothing of what
    /// the code knows.
    pub fn run(&mut self, slot: Slot, inst: &Inst, old: &Inst, offset: u32) {
        if inst.flags().is_wait() && inst != old {
            let (new, before) = (inst.waits(), old.waits());
            let was = |counter: &Counter| matches!(slot, Slot::At(_)) && before.get(*counter) <= new.get(*counter);
            let known = new.counters().iter().filter(|counter| before.get(*counter).is_some() && was(counter));
            self.pending.assume(&known.fold(new, |new, counter| new.without(counter)));
        }
        self.issue(inst, offset);
    }

    /// Takes note of an instruction of the code as it is. `offset`: its offset in bytes.
    pub fn issue(&mut self, inst: &Inst, offset: u32) {
        self.pending.issue(inst, offset);
        self.hazards.issue(inst);
        if inst.flags().is_wait() {
            let wait = inst.waits();
            let done = wait.counters().iter().filter(|counter| wait.get(*counter) == Some(0));
            done.for_each(|counter| self.memory[counter as usize] = false);
        }
        if inst.flags().is_atomic() || inst.flags().is_store() || inst.writes().is_empty() {
            inst.counters().iter().for_each(|counter| self.memory[counter as usize] = true);
        }
    }
}

/// Follows code as if the changes were made.
#[derive(Clone)]
pub struct Run<'e> {
    /// What is known in front of the next instruction.
    pub now: Now,
    /// The changes.
    pub edits: &'e Edits,
    /// The address of the code's first byte.
    pub base: u64,
}

impl State for Run<'_> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        match self.edits.at(self.base.wrapping_add(offset.into())) {
            None => self.now.issue(inst, offset),
            Some(_) => {
                let insts = self.edits.run(self.base.wrapping_add(offset.into()), inst);
                insts.iter().for_each(|(slot, new)| self.now.run(*slot, new, inst, offset));
            }
        }
    }

    fn join(&mut self, other: &Self) -> bool {
        let before = self.now.memory;
        self.now.memory.iter_mut().zip(other.now.memory).for_each(|(one, other)| *one |= other);
        let pending = self.now.pending.join(&other.now.pending);
        self.now.hazards.join(&other.now.hazards) | pending | (self.now.memory != before)
    }

    fn returned(&mut self) {
        self.now.pending.returned();
        self.now.hazards.returned();
        self.now.memory = [true; Counter::ALL.len()];
    }
}
