//! What is perhaps meant so: waits and s_nop that are not needed, and registers that nothing wrote.

use alloc::vec::Vec;

use amdgpu_isa::facts::{Counter, RegSet};
use amdgpu_isa::hazards::{Hazards, Pending};
use amdgpu_isa::{Field, Inst, Reg};

use super::{Check, What};
use crate::edits::{Edits, Now};
use crate::plan::{Ahead, shorter_nop};

impl Check<'_, '_, '_> {
    pub fn waits_for_nothing(&mut self, address: u64, inst: &Inst, pending: &Pending) {
        let wait = inst.waits();
        let idle = |counter: Counter| wait.get(counter).is_some_and(|at_most| pending.most(counter) <= at_most);
        for counter in wait.counters().iter().filter(|counter| idle(*counter)) {
            self.say(address, inst, What::SuperfluousWait { counter, most: pending.most(counter) });
        }
    }

    /// The first instruction behind a wait, in the same block, that needs the counter would be content with a weaker one. What
    /// orders accesses to memory, such as a barrier, ends the search.
    pub fn waits_for_more(&mut self, address: u64, inst: &Inst, pending: &Pending, rest: &[(u64, Inst)]) {
        let wait = inst.waits();
        for counter in wait.counters().iter() {
            let Some(at_most) = wait.get(counter).filter(|at_most| pending.most(counter) > *at_most) else { continue };
            let behind = |at_most: Option<u8>| {
                let mut pending = *pending;
                pending.wait_for(&at_most.map_or(wait.without(counter), |at_most| wait.with(counter, at_most)));
                pending
            };
            let Some(first) = first_need(behind(None), counter, rest) else { continue };
            let up_to = rest.get(..=first).unwrap_or(rest);
            let is_enough = |at_most: &u8| first_need(behind(Some(*at_most)), counter, up_to).is_none();
            let enough = (at_most..pending.most(counter)).take_while(is_enough).last().unwrap_or(at_most);
            if let (true, Some((needed_at, _))) = (enough > at_most, rest.get(first)) {
                self.say(address, inst, What::StrongWait { counter, enough, needed_at: *needed_at });
            }
        }
    }

    pub fn unwritten(&mut self, address: u64, inst: &Inst, written: &RegSet) {
        let mut reads = RegSet::new(self.flow().target());
        // A destination that is kept in part is no use of its value.
        inst.operands()
            .filter(|operand| operand.access.reads() && !operand.access.writes())
            .for_each(|o| reads.insert_operand(&o));
        let unwritten = (reads & self.of.general) - *written;
        if !unwritten.is_empty() {
            let unwritten: Vec<Reg> = unwritten.iter().collect();
            self.say(address, inst, What::UnwrittenRegister(unwritten));
        }
    }

    /// Nothing that follows would need more with a shorter one, or none, even where sources disagree.
    pub fn superfluous_nop(&mut self, block: usize, address: u64, inst: &Inst, (pending, hazards): (Pending, Hazards)) {
        let now = Now { pending, hazards: hazards.strictly(), memory: [true; Counter::ALL.len()] };
        let (edits, base) = (Edits::default(), self.of.section().address);
        let ahead = Ahead { flow: self.flow(), edits: &edits, base };
        let Some(shorter) = shorter_nop(&ahead, block, address, &now, inst) else { return };
        let enough = shorter.and_then(|shorter| shorter.get(Field::Simm16));
        self.say(address, inst, What::SuperfluousNop { enough });
    }
}

/// The first instruction that needs a wait for the counter, up to one that waits for it or orders accesses to memory.
fn first_need(mut pending: Pending, counter: Counter, insts: &[(u64, Inst)]) -> Option<usize> {
    for (n, (_, inst)) in insts.iter().enumerate() {
        if pending.needs(inst).iter().any(|wait| wait.counter == counter && wait.sure) {
            return Some(n);
        }
        let flags = inst.flags();
        let waits = flags.is_wait() && inst.waits().get(counter).is_some();
        let orders = flags.is_wave_barrier() || flags.is_atomic() || flags.has_side_effects() && !flags.is_wait();
        if waits || orders || flags.is_terminator() || flags.is_call() {
            return None;
        }
        pending.issue(inst, 0);
    }
    None
}
