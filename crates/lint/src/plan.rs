//! Changes that make code clean.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::cell::RefCell;

use amdgpu_isa::flow::Flow;
use amdgpu_isa::{Field, Inst};

use crate::edits::{EditedWalk, Edits, MachineState, Slot};
use crate::mend::{self, Change};

/// After so many rounds the changes of all blocks are made at once: they may be more than are needed.
const ROUNDS: usize = 200;

/// Inserts instructions until nothing is missing, or until no insertion helps. `first`: what is known before a
/// function; `returns`: the address of the return at the end of a block to callers that rely on everything being done.
pub fn fix(
    flow: &Flow<'_>,
    base: u64,
    first: &dyn Fn(usize) -> MachineState,
    returns: &dyn Fn(usize) -> Option<u64>,
    edits: &mut Edits,
) {
    let planned = RefCell::new(core::mem::take(edits));
    for group in flow.groups() {
        let mut hopeless = BTreeSet::new();
        for round in 0..2 * ROUNDS {
            let changes = |block, now: &MachineState, hopeless: &mut BTreeSet<u64>| {
                first_change(flow, base, &planned.borrow(), (block, now), returns(block), true, hopeless).is_some()
            };
            let open = states(flow, &group, base, first, &planned, |block, now| changes(block, now, &mut hopeless));
            if open.is_empty() {
                break;
            }
            for (n, (block, now)) in open.iter().enumerate() {
                // A distance may be longer than it seems once what comes before has been mended.
                let distances = n == 0 || round >= ROUNDS;
                loop {
                    let found = first_change(
                        flow,
                        base,
                        &planned.borrow(),
                        (*block, now),
                        returns(*block),
                        distances,
                        &mut hopeless,
                    );
                    let Some(found) = found else { break };
                    found.make(&mut planned.borrow_mut());
                }
            }
        }
    }
    *edits = planned.into_inner();
}

/// The states before some blocks of a group, in its order.
fn states(
    flow: &Flow<'_>,
    group: &[usize],
    base: u64,
    first: &dyn Fn(usize) -> MachineState,
    edits: &RefCell<Edits>,
    mut wanted: impl FnMut(usize, &MachineState) -> bool,
) -> Vec<(usize, MachineState)> {
    let mut found = Vec::new();
    let groups = [group.to_vec()];
    flow.follow_groups(
        &groups,
        |block| EditedWalk { now: first(block), edits, base },
        |block, run: &EditedWalk<'_>| {
            if wanted(block, &run.now) {
                found.push((block, run.now.clone()));
            }
        },
    );
    let places: BTreeMap<usize, usize> = group.iter().copied().zip(0..).collect();
    found.sort_by_key(|(block, _)| places.get(block).copied());
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

    /// Number of its instructions.
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
    base: u64,
    edits: &Edits,
    (block, now): (usize, &MachineState),
    returns: Option<u64>,
    distances: bool,
    hopeless: &mut BTreeSet<u64>,
) -> Option<Found> {
    let mut now = now.clone();
    let mut last: Option<(Slot, Inst, MachineState)> = None;
    let mut clause: Option<Clause> = None;
    for (address, old) in flow.insts(block) {
        let offset = address.wrapping_sub(base) as u32;
        for (slot, inst) in edits.run(address, &old) {
            let before = last.as_ref().map(|(_, inst, now)| (inst, now));
            let is_open = matches!(slot, Slot::At(_)) && !hopeless.contains(&address);
            let missing = mend::missing(&now, &inst, returns == Some(address));
            let change = if is_open { mend::next_repair(&now, before, &inst, &missing) } else { Ok(None) };
            let waits = || !missing.counters().is_empty();
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
