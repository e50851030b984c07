//! Hints about code that may be as intended: waits and `s_nop` that are not needed, and registers that nothing wrote.

use alloc::vec::Vec;

use core::cell::RefCell;

use amdgpu_isa::facts::RegSet;
use amdgpu_isa::hazards::Next;
use amdgpu_isa::{Field, Reg};

use super::{Check, What};
use crate::change;
use crate::edits::{Edits, MachineState, Pending};
use crate::trim::Trim;

impl Check<'_, '_, '_> {
    /// Reports waits and `s_nop`s that are not needed, or could be weaker or shorter.
    pub fn superfluous(&mut self, block: usize, address: u64, next: &Next<'_>, now: &MachineState) {
        let inst = next.inst();
        let (is_wait, is_nop) = (next.flags().is_wait(), change::is_nop(inst));
        if !is_wait && !is_nop {
            return;
        }
        let edits = RefCell::new(Edits::default());
        let trim = Trim { flow: self.flow(), edits: &edits, base: self.of.section().address };
        if is_nop {
            let hazards = now.hazards.clone().strictly();
            let is_first = self.start(block) == address && trim.follows_branch(block);
            let now = MachineState { hazards, pending: now.pending.clone(), memory: now.memory };
            let shorter = if is_first { None } else { trim.shorter_nop(block, address, &now, inst) };
            let Some(shorter) = shorter else { return };
            let enough = shorter.and_then(|shorter| shorter.get(Field::Simm16));
            self.say(address, inst, What::SuperfluousNop { enough });
            return;
        }
        let wait = inst.waits();
        // Only a wait that one instruction for counters can replace is reported. Another wait, such as one for
        // everything, may wait for more than counters.
        if change::wait(inst.target(), &wait).is_none() {
            return;
        }
        for counter in wait.counters().iter() {
            let at_most = wait.get(counter).unwrap_or(0);
            match now.pending.most(counter) {
                most if most <= at_most => self.say(address, inst, What::SuperfluousWait { counter, most }),
                most => {
                    let enough = trim.enough(block, address, &now.pending, &wait, counter);
                    let found = enough.and_then(|enough| enough.at_most.zip(enough.needed_at));
                    if let Some((enough, needed_at)) = found.filter(|(enough, _)| *enough < most) {
                        self.say(address, inst, What::StrongWait { counter, enough, needed_at });
                    }
                }
            }
        }
    }

    /// Reports registers that nothing wrote.
    pub fn unwritten(&mut self, address: u64, next: &Next<'_>, pending: &Pending, written: &RegSet) {
        if pending.is_banked() {
            return;
        }
        let mut reads = RegSet::new(self.flow().target());
        // Reading a destination only to keep a part of it is not a use of its value.
        next.insert_into(&mut reads, |access| access.reads() && !access.writes());
        let unwritten = (reads & self.of.general) - *written;
        if !unwritten.is_empty() {
            let unwritten: Vec<Reg> = unwritten.iter().collect();
            self.say(address, next.inst(), What::UnwrittenRegister(unwritten));
        }
    }
}
