//! Waits and `s_nop` that can be weaker or removed, because no later instruction needs them.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::RefCell;

use amdgpu_isa::facts::Counter;
use amdgpu_isa::flow::{Exit, Flow, Following};
use amdgpu_isa::hazards::Wait;
use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::{Field, Inst};

use crate::change;
use crate::edits::{EditedWalk, Edits, Hazards, MachineState, Pending, Slot};

/// The number of instructions after a wait that are searched for an instruction that needs the wait.
const AHEAD: usize = 512;
/// The number of instructions after a change that are searched for an instruction that the change brings too close to
/// an earlier one.
const NEAR: usize = 128;

/// Plans all changes of a control flow that make waits weaker and take wait states away. `first`: the state at the
/// beginning of a function.
pub fn trim(flow: &Flow<'_>, base: u64, first: &dyn Fn(usize) -> MachineState, edits: &mut Edits) {
    let planned = RefCell::new(core::mem::take(edits));
    for group in flow.groups() {
        let first = |block| EditedWalk { now: first(block), edits: &planned, base };
        let mut following = Following::new(flow, &group, first);
        if !following.settle() {
            continue;
        }
        for place in 0..following.len() {
            let before = planned.borrow().len();
            following.from_place(place, &mut |block, run: &EditedWalk<'_>| {
                let trim = Trim { flow, edits: &planned, base };
                trim.block(block, &run.now);
            });
            // Only the states after the changes are different, and have to be computed again.
            if planned.borrow().len() != before {
                following.touch(place);
                following.settle();
            }
        }
    }
    *edits = planned.into_inner();
}

/// A search for replacements of instructions that only take time.
pub struct Trim<'a, 'c> {
    /// The control flow of the code.
    pub flow: &'a Flow<'c>,
    /// The changes so far.
    pub edits: &'a RefCell<Edits>,
    /// The address of the code's first byte.
    pub base: u64,
}

/// The weakest sufficient wait for a counter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Enough {
    /// The greatest value to wait for that is sufficient; `None` if no wait for the counter is needed.
    pub at_most: Option<u8>,
    /// The address of an instruction that needs the wait.
    pub needed_at: Option<u64>,
}

impl Trim<'_, '_> {
    /// Plans the changes of a block.
    fn block(&self, block: usize, now: &MachineState) {
        let mut now = now.clone();
        for (n, (address, old)) in self.flow.insts(block).enumerate() {
            let offset = address.wrapping_sub(self.base) as u32;
            let changed = self.edits.borrow().at(address).is_some();
            let new = if changed { None } else { self.shorter(block, n, address, &now, &old) };
            if let Some(new) = new {
                self.edits.borrow_mut().replace(Slot::At(address), &old, new);
                if let Some(new) = new {
                    now.run(Slot::At(address), &new, &old, offset);
                }
                continue;
            }
            for (slot, inst) in self.edits.borrow().run(address, &old) {
                now.run(slot, &inst, &old, offset);
            }
        }
    }

    /// The weakest sufficient replacement of an instruction that waits; `Some(None)` if no instruction is needed,
    /// `None` if the instruction has to stay.
    fn shorter(&self, block: usize, n: usize, address: u64, now: &MachineState, inst: &Inst) -> Option<Option<Inst>> {
        if change::is_nop(inst) {
            return (n > 0 || !self.follows_branch(block)).then(|| self.shorter_nop(block, address, now, inst))?;
        }
        inst.flags().is_wait().then(|| self.weaker_wait(block, address, now, inst))?
    }

    /// Whether the block before this one on some path ends with a branch, jump or call: some assemblers put an `s_nop`
    /// after a branch whose offset the hardware of a generation cannot handle.
    pub fn follows_branch(&self, block: usize) -> bool {
        let exit = |block: &usize| self.flow.blocks().get(*block).map(|block| block.exit);
        self.flow.predecessors(block).iter().any(|from| !matches!(exit(from), Some(Exit::Next)))
    }

    /// The shortest sufficient `s_nop` in place of one whose wait states a rule needs; `Some(None)` if none is needed.
    /// `None` if the `s_nop` has to stay, because a rule needs all its wait states, or because no rule needs any of
    /// them, so that its purpose is not known.
    pub fn shorter_nop(&self, block: usize, address: u64, now: &MachineState, inst: &Inst) -> Option<Option<Inst>> {
        let states = inst.get(Field::Simm16)?;
        let is_needed = |new: Option<&Inst>| !self.keeps_distance(block, address, &now.hazards, (inst, new), true);
        if !is_needed(None) {
            return None;
        }
        // The search goes from long to short, because no shorter `s_nop` is enough where a longer one is not. Most
        // searches end after the first step.
        let shorter = (0..states).rev().map(|n| inst.with(Field::Simm16, n).ok()).chain([None]);
        let does = |new: &Option<Inst>| self.keeps_distance(block, address, &now.hazards, (inst, new.as_ref()), false);
        shorter.take_while(does).last()
    }

    /// The weakest sufficient replacement of a wait; `Some(None)` if no wait is needed, `None` if the wait has to stay.
    fn weaker_wait(&self, block: usize, address: u64, now: &MachineState, inst: &Inst) -> Option<Option<Inst>> {
        // A wait stays if the upper bits of some registers' numbers are not known.
        if now.pending.is_banked() {
            return None;
        }
        let wait = inst.waits();
        change::wait(inst.target(), &wait)?;
        let mut weakest = wait;
        for counter in wait.counters().iter() {
            let (at_most, most) = (wait.get(counter)?, now.pending.most(counter));
            let enough = match most <= at_most {
                true => None,
                // A wait for memory may have a reason that registers do not show.
                false if now.memory[counter as usize] || !now.pending.follows(counter) => continue,
                false => match self.enough(block, address, &now.pending, &weakest, counter) {
                    Some(enough) => enough.at_most,
                    None => continue,
                },
            };
            weakest = enough.map_or(weakest.without(counter), |count| weakest.with(counter, count));
        }
        if weakest == wait {
            return None;
        }
        let new = match weakest.counters().is_empty() {
            true => None,
            false => Some(change::wait(inst.target(), &weakest)?),
        };
        self.keeps_distance(block, address, &now.hazards, (inst, new.as_ref()), false).then_some(new)
    }

    /// The weakest sufficient wait for a counter in place of the one at an address; `None` if nothing weaker is enough.
    /// `wait`: the instruction's wait, with the values that have already been made weaker.
    pub fn enough(
        &self,
        block: usize,
        address: u64,
        before: &Pending,
        wait: &Waitcnt,
        counter: Counter,
    ) -> Option<Enough> {
        let at_most = wait.get(counter)?;
        let after = |wait: &Waitcnt| {
            let mut after = before.clone().in_function();
            after.wait_for(wait);
            after
        };
        let mut enough = Enough { at_most: None, needed_at: None };
        let pair = Pair { with: after(wait), without: after(&wait.without(counter)), raised: 0 };
        let mut open = vec![(block, Some(address), pair)];
        let mut left = AHEAD;
        let mut seen: Vec<(usize, Pair)> = Vec::new();
        while let Some((block, passed, mut pair)) = open.pop() {
            if passed.is_none() {
                if seen.iter().any(|(b, other)| (*b, other) == (block, &pair)) {
                    continue;
                }
                seen.push((block, pair.clone()));
            }
            for (at, old) in self.flow.insts_from(block, passed.unwrap_or(0)).skip(usize::from(passed.is_some())) {
                if pair.with == pair.without {
                    break;
                }
                left = left.checked_sub(1)?;
                let offset = at.wrapping_sub(self.base) as u32;
                for (_, inst) in self.edits.borrow().run(at, &old) {
                    if orders(&inst) && pair.without.most(counter) > pair.with.most(counter) {
                        return None;
                    }
                    let most = pair.with.most(counter);
                    let (with, without) = (pair.with.needs(&inst), pair.without.needs(&inst));
                    // A need that is not sure can be stricter than a sure need of the same instruction.
                    let strictest = without.waitcnt().get(counter);
                    let is_strictest = |need: &Wait| strictest == Some(need.at_most);
                    if with.waitcnt() != without.waitcnt() && !without.iter().any(|need| is_strictest(&need)) {
                        return None;
                    }
                    for need in without.iter().filter(|need| !with.iter().any(|other| other == *need)) {
                        // Up to `raised` younger operations came after the wait. A wait before these operations has to
                        // leave that many fewer operations outstanding.
                        let count = need
                            .at_most
                            .checked_sub(pair.raised)
                            .filter(|_| need.counter == counter && need.is_sure())?;
                        if count <= at_most {
                            return None;
                        }
                        if enough.at_most.is_none_or(|known| count < known) {
                            enough = Enough { at_most: Some(count), needed_at: Some(at) };
                        }
                    }
                    pair.with.issue(&inst, offset);
                    pair.without.issue(&inst, offset);
                    // A counter at its greatest value does not show how many operations an instruction adds, so each
                    // instruction counts as at least one.
                    if inst.counters().contains(counter) {
                        pair.raised = pair.raised.saturating_add(1).max(pair.with.most(counter).saturating_sub(most));
                    }
                }
            }
            if pair.with == pair.without {
                continue;
            }
            match self.flow.blocks().get(block).map(|block| block.exit) {
                Some(Exit::End) => {}
                Some(Exit::Next | Exit::Jump | Exit::Branch) => {
                    open.extend(self.flow.successors(block).iter().map(|next| (*next, None, pair.clone())));
                }
                _ => return None,
            }
        }
        Some(enough)
    }

    /// Whether later instructions need the same distances if `new` replaces an instruction, or if the instruction is
    /// removed (`None`). If `alone`, later `s_nop`s do not count as wait states in the changed code, and a search that
    /// cannot be finished gives `true`.
    fn keeps_distance(
        &self,
        block: usize,
        address: u64,
        before: &Hazards,
        (old, new): (&Inst, Option<&Inst>),
        alone: bool,
    ) -> bool {
        let offset = address.wrapping_sub(self.base) as u32;
        let mut with = before.clone().in_function();
        let mut without = with.clone();
        // A changed `s_nop` matters only to distances from the instructions before it.
        let is_nop = change::is_nop(old);
        let issue = |hazards: &mut Hazards, inst: &Inst, offset: u32| match is_nop {
            true => hazards.pass(inst),
            false => hazards.issue_at(inst, offset),
        };
        issue(&mut with, old, offset);
        if let Some(new) = new {
            issue(&mut without, new, offset);
        }
        let mut open = vec![(block, Some(address), with, without)];
        let mut left = NEAR;
        let mut seen: Vec<(usize, Hazards, Hazards)> = Vec::new();
        while let Some((block, passed, mut with, mut without)) = open.pop() {
            if passed.is_none() {
                if seen.iter().any(|(b, one, other)| (*b, one, other) == (block, &with, &without)) {
                    continue;
                }
                seen.push((block, with.clone(), without.clone()));
            }
            for (at, old) in self.flow.insts_from(block, passed.unwrap_or(0)).skip(usize::from(passed.is_some())) {
                if with == without {
                    break;
                }
                let Some(fewer) = left.checked_sub(1) else { return alone };
                left = fewer;
                let offset = at.wrapping_sub(self.base) as u32;
                for (_, inst) in self.edits.borrow().run(at, &old) {
                    if without.needs(&inst) != with.needs(&inst) {
                        return false;
                    }
                    issue(&mut with, &inst, offset);
                    if !(alone && change::is_nop(&inst)) {
                        issue(&mut without, &inst, offset);
                    }
                }
            }
            if with == without {
                continue;
            }
            match self.flow.blocks().get(block).map(|block| block.exit) {
                Some(Exit::End) => {}
                Some(Exit::Next | Exit::Jump | Exit::Branch) => {
                    let next = self.flow.successors(block).iter();
                    open.extend(next.map(|next| (*next, None, with.clone(), without.clone())));
                }
                _ => return alone,
            }
        }
        true
    }
}

/// The outstanding operations after code with a wait, and after the same code without it.
#[derive(Clone, PartialEq)]
struct Pair {
    with: Pending,
    without: Pending,
    /// The greatest number of operations of the counter that have been issued after the wait.
    raised: u8,
}

/// Whether the order between an instruction and the accesses of other waves to memory may matter.
fn orders(inst: &Inst) -> bool {
    let flags = inst.flags();
    let has_effects = flags.has_side_effects() && !flags.is_wait() && !flags.is_terminator();
    flags.is_wave_barrier() || flags.is_atomic() || flags.is_store() || has_effects
}
