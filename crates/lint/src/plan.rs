//! Which changes make code clean, and which ones only make it shorter.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::facts::Counter;
use amdgpu_isa::flow::{Exit, Flow};
use amdgpu_isa::{Field, Inst};

use crate::edits::{Edits, Now, Run, Slot};
use crate::mend::{self, Change};

/// After so many rounds the changes of all blocks are made at once: they may be more than are needed.
const ROUNDS: usize = 200;
/// How far ahead a change is followed that makes code shorter.
const AHEAD: usize = 4096;

/// What is inserted so that nothing is missing, as far as that helps. `first`: what is known in front of a function.
pub fn fix(flow: &Flow<'_>, base: u64, first: &dyn Fn(usize) -> Now, edits: &mut Edits) {
    for group in flow.groups() {
        let mut hopeless = BTreeSet::new();
        for round in 0..2 * ROUNDS {
            let changes = |edits: &Edits, block, now: &Now, hopeless: &mut BTreeSet<u64>| {
                first_change(flow, edits, base, block, now, true, hopeless).is_some()
            };
            let open = states(flow, &group, base, first, edits, |block, now| changes(edits, block, now, &mut hopeless));
            if open.is_empty() {
                break;
            }
            for (n, (block, now)) in open.iter().enumerate() {
                // A distance may be longer than it seems once what comes before has been mended.
                let distances = n == 0 || round >= ROUNDS;
                while let Some(found) = first_change(flow, edits, base, *block, now, distances, &mut hopeless) {
                    found.make(edits);
                }
            }
        }
    }
}

/// What is taken away, or made weaker, because nothing that follows can tell.
pub fn trim(flow: &Flow<'_>, base: u64, first: &dyn Fn(usize) -> Now, edits: &mut Edits) {
    for group in flow.groups() {
        // The blocks behind this place of the group are open.
        let mut done = None;
        loop {
            let place = |block: usize| group.iter().position(|other| *other == block);
            let is_open = |block, now: &Now| place(block) > done && first_trim(flow, edits, base, block, now).is_some();
            let open = states(flow, &group, base, first, edits, is_open);
            let Some((block, now)) = open.first() else { break };
            while let Some(found) = first_trim(flow, edits, base, *block, now) {
                found.make(edits);
            }
            done = place(*block);
        }
    }
}

/// The states in front of some blocks of a group, in its order.
fn states(
    flow: &Flow<'_>,
    group: &[usize],
    base: u64,
    first: &dyn Fn(usize) -> Now,
    edits: &Edits,
    mut wanted: impl FnMut(usize, &Now) -> bool,
) -> Vec<(usize, Now)> {
    let mut found = Vec::new();
    let groups = [group.to_vec()];
    flow.follow_groups(
        &groups,
        |block| Run { now: first(block), edits, base },
        |block, run: &Run<'_>| {
            if wanted(block, &run.now) {
                found.push((block, run.now.clone()));
            }
        },
    );
    found.sort_by_key(|(block, _)| group.iter().position(|other| other == block));
    found
}

/// A change and where it is made.
enum Found {
    Insert(u64, Vec<Inst>),
    Replace(Slot, Inst, Option<Inst>),
}

impl Found {
    fn make(self, edits: &mut Edits) {
        match self {
            Found::Insert(address, insts) => edits.insert(address, &insts),
            Found::Replace(slot, old, new) => edits.replace(slot, &old, new),
        }
    }
}

/// A clause that has begun: how many instructions of it have come.
struct Clause {
    address: u64,
    inst: Inst,
    come: u32,
}

impl Clause {
    fn of(address: u64, inst: &Inst) -> Option<Clause> {
        mend::is_clause(inst).then_some(Clause { address, inst: *inst, come: 0 })
    }

    /// How many instructions it has.
    fn len(&self) -> u32 {
        (self.inst.get(Field::Simm16).unwrap_or(0) & 63) + 1
    }

    /// A clause of those that have come; none if that is one.
    fn cut(&self) -> Option<Inst> {
        let rest = self.inst.get(Field::Simm16).unwrap_or(0) & !63;
        self.inst.with(Field::Simm16, rest | (self.come.checked_sub(2)? + 1)).ok()
    }
}

/// The first change that an instruction of a block needs. Those that nothing helps become hopeless.
fn first_change(
    flow: &Flow<'_>,
    edits: &Edits,
    base: u64,
    block: usize,
    now: &Now,
    distances: bool,
    hopeless: &mut BTreeSet<u64>,
) -> Option<Found> {
    let mut now = now.clone();
    let mut last: Option<(Slot, Inst, Now)> = None;
    let mut clause: Option<Clause> = None;
    for (address, old) in flow.insts(block) {
        let offset = address.wrapping_sub(base) as u32;
        for (slot, inst) in edits.run(address, &old) {
            let before = last.as_ref().map(|(_, inst, now)| (inst, now));
            let is_open = matches!(slot, Slot::At(_)) && !hopeless.contains(&address);
            let change = if is_open { mend::change(&now, before, &inst) } else { Ok(None) };
            let waits = || now.pending.needs(&inst).iter().any(|wait| wait.sure);
            match (change, clause.take().filter(|clause| clause.come < clause.len())) {
                (Err(_), _) => drop(hopeless.insert(address)),
                (Ok(Some(_)), _) if !distances && !waits() => return None,
                // Nothing else may be in a clause.
                (Ok(Some(_)), Some(clause)) if clause.come > 0 => {
                    return Some(Found::Replace(Slot::At(clause.address), clause.inst, clause.cut()));
                }
                (Ok(Some(Change::Insert(insts))), Some(clause)) => return Some(Found::Insert(clause.address, insts)),
                (Ok(Some(Change::Insert(insts))), None) => return Some(Found::Insert(address, insts)),
                (Ok(Some(Change::Last(new))), _) => {
                    let (slot, old, _) = last?;
                    return Some(Found::Replace(slot, old, Some(new)));
                }
                (Ok(None), begun) => clause = begun,
            }
            if let Some(clause) = &mut clause {
                clause.come += 1;
            }
            clause = Clause::of(address, &inst).or(clause);
            let can_change = inst.flags().is_wait() || mend::is_nop(&inst) || inst.operands().count() == 1;
            let before = can_change.then(|| (slot, inst, now.clone()));
            now.run(slot, &inst, &old, offset);
            last = before;
        }
    }
    None
}

/// The first change that makes a block shorter, or a wait weaker.
fn first_trim(flow: &Flow<'_>, edits: &Edits, base: u64, block: usize, now: &Now) -> Option<Found> {
    let mut now = now.clone();
    let ahead = Ahead { flow, edits, base };
    let after_branch = flow
        .predecessors(block)
        .iter()
        .any(|from| flow.blocks().get(*from).is_some_and(|block| !matches!(block.exit, Exit::Next)));
    for (n, (address, old)) in flow.insts(block).enumerate() {
        let offset = address.wrapping_sub(base) as u32;
        for (slot, inst) in edits.run(address, &old) {
            // Some assemblers put an s_nop behind a branch whose offset a generation cannot take.
            if mend::is_nop(&inst) && !(n == 0 && after_branch) {
                if let Some(new) = shorter_nop(&ahead, block, address, &now, &inst) {
                    return Some(Found::Replace(slot, inst, new));
                }
            }
            // With these, not every need is known.
            let is_known = !now.pending.is_banked() && !now.pending.is_incomplete();
            if inst.flags().is_wait() && is_known {
                if let Some(new) =
                    weaker_waits(&now, &inst).find(|new| ahead.can_be(block, address, &now, &inst, new.as_ref()))
                {
                    return Some(Found::Replace(slot, inst, new));
                }
            }
            now.issue(&inst, offset);
        }
    }
    None
}

/// What an `s_nop` can be replaced with, if that is shorter: none, or the shortest one.
pub fn shorter_nop(ahead: &Ahead<'_, '_>, block: usize, address: u64, now: &Now, inst: &Inst) -> Option<Option<Inst>> {
    let states = inst.get(Field::Simm16).unwrap_or(0);
    // If one state less is too few, so are others: most need all.
    let shorter = (0..states).rev().map(|n| inst.with(Field::Simm16, n).ok()).chain([None]);
    shorter.take_while(|new| ahead.can_be(block, address, now, inst, new.as_ref())).last()
}

/// What a wait could be replaced with, the weakest first, one counter after the other.
fn weaker_waits<'i>(now: &'i Now, inst: &'i Inst) -> impl Iterator<Item = Option<Inst>> + use<'i> {
    let wait = inst.waits();
    let is_known = mend::wait(inst.target(), &wait).is_some();
    let counters: Vec<Counter> = wait.counters().iter().filter(|_| is_known).collect();
    counters.into_iter().flat_map(move |counter| {
        let at_most = wait.get(counter).unwrap_or(0);
        let most = now.pending.most(counter);
        let without = wait.without(counter);
        let gone =
            if without.counters().is_empty() { Some(None) } else { mend::wait(inst.target(), &without).map(Some) };
        // Who waits for memory has a reason that registers do not show.
        let is_memory = now.memory[counter as usize] || !now.pending.follows(counter);
        let more = if is_memory { at_most } else { most };
        let can_go = most <= at_most || more > at_most;
        let weaker = (at_most + 1..more).rev().map(move |count| mend::wait(inst.target(), &wait.with(counter, count)));
        gone.filter(|_| can_go).into_iter().chain(weaker.flatten().map(Some))
    })
}

/// Looks whether what follows can tell two states apart.
pub struct Ahead<'a, 'c> {
    /// The control flow of the code.
    pub flow: &'a Flow<'c>,
    /// The changes so far.
    pub edits: &'a Edits,
    /// The address of the code's first byte.
    pub base: u64,
}

impl Ahead<'_, '_> {
    /// An instruction can be replaced, or taken away.
    pub fn can_be(&self, block: usize, address: u64, now: &Now, old: &Inst, new: Option<&Inst>) -> bool {
        let offset = address.wrapping_sub(self.base) as u32;
        let (mut with, mut without) = (now.clone(), now.clone());
        with.issue(old, offset);
        if let Some(new) = new {
            without.issue(new, offset);
        }
        self.is_same(block, address, with, without)
    }

    /// Behind the instruction at an address of a block, needs are the same on all ways, and where the order of accesses to
    /// memory matters, no more is outstanding without something than with it.
    fn is_same(&self, block: usize, address: u64, with: Now, without: Now) -> bool {
        let mut open = vec![(block, Some(address), with, without)];
        let mut left = AHEAD;
        let mut seen: Vec<(usize, Now, Now)> = Vec::new();
        while let Some((block, behind, mut with, mut without)) = open.pop() {
            if behind.is_none() {
                let is_it = |(b, one, other): &(usize, Now, Now)| (*b, one, other) == (block, &with, &without);
                if seen.iter().any(is_it) {
                    continue;
                }
                seen.push((block, with.clone(), without.clone()));
            }
            let insts = self.flow.insts(block).filter(|(at, _)| behind.is_none_or(|behind| *at > behind));
            for (at, old) in insts {
                if with == without {
                    break;
                }
                let Some(fewer) = left.checked_sub(1) else { return false };
                left = fewer;
                let offset = at.wrapping_sub(self.base) as u32;
                for (_, inst) in self.edits.run(at, &old) {
                    if without.pending.is_incomplete()
                        || without.pending.is_banked()
                        || without.hazards.needs(&inst) != with.hazards.needs(&inst)
                        || without.pending.needs(&inst) != with.pending.needs(&inst)
                        || orders(&inst) && is_more(&without, &with)
                    {
                        return false;
                    }
                    with.issue(&inst, offset);
                    without.issue(&inst, offset);
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
                _ => return false,
            }
        }
        true
    }
}

/// The order of this instruction and others' accesses to memory may matter.
fn orders(inst: &Inst) -> bool {
    let flags = inst.flags();
    flags.is_wave_barrier() || flags.is_atomic() || flags.is_store() || flags.has_side_effects() && !flags.is_wait()
}

fn is_more(one: &Now, other: &Now) -> bool {
    Counter::ALL.iter().any(|counter| one.pending.most(*counter) > other.pending.most(*counter))
}
