//! Changes that make code clean.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::cell::RefCell;

use amdgpu_isa::flow::{Flow, Following};
use amdgpu_isa::{Field, Inst};

use crate::change::{self, Change};
use crate::edits::{EditedWalk, Edits, MachineState, Slot};

/// Inserts instructions until nothing is missing, or until no insertion helps. `first`: the state before a function;
/// `returns`: the address of the return at the end of a block, if its callers rely on all operations of the function
/// being done.
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
        let following = Following::new(flow, &group, |block| EditedWalk { now: first(block), edits: &planned, base });
        // After the code before an instruction has been repaired, fewer wait states may be missing before this
        // instruction.
        following.change_each(&mut |block, run: &EditedWalk<'_>, is_certain| {
            let mut is_changed = false;
            loop {
                let (at, returns) = ((block, &run.now), returns(block));
                let found = first_change(flow, base, &planned.borrow(), at, returns, is_certain, &mut hopeless);
                let Some(found) = found else { return is_changed };
                found.make(&mut planned.borrow_mut());
                is_changed = true;
            }
        });
    }
    *edits = planned.into_inner();
}

/// A change, with the place where it is made.
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

/// A clause that has begun. `come` is the number of its instructions so far.
struct Clause {
    address: u64,
    inst: Inst,
    come: u32,
}

impl Clause {
    fn of(address: u64, inst: &Inst) -> Option<Clause> {
        change::is_clause(inst).then_some(Clause { address, inst: *inst, come: 0 })
    }

    /// The number of instructions in the clause.
    fn len(&self) -> u32 {
        (self.inst.get(Field::Simm16).unwrap_or(0) & 63) + 1
    }

    /// An `s_clause` for the instructions so far; `None` for a single instruction, which needs no `s_clause`.
    fn cut(&self) -> Option<Inst> {
        let rest = self.inst.get(Field::Simm16).unwrap_or(0) & !63;
        self.inst.with(Field::Simm16, rest | (self.come.checked_sub(2)? + 1)).ok()
    }
}

/// The first change that an instruction of a block needs. Instructions that no change helps become `hopeless`.
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
            let missing = change::missing(&now, &inst, returns == Some(address));
            let change = if is_open { change::next_repair(&now, before, &inst, &missing) } else { Ok(None) };
            let waits = || !missing.counters().is_empty();
            match (change, clause.take().filter(|clause| clause.come < clause.len())) {
                (Err(_), _) => drop(hopeless.insert(address)),
                (Ok(Some(_)), _) if !distances && !waits() => return None,
                // An inserted instruction cannot be in a clause, so the clause ends before it.
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
            let can_change = inst.flags().is_wait() || change::is_nop(&inst) || inst.operands().count() == 1;
            let before = can_change.then(|| (slot, inst, now.clone()));
            now.run(slot, &inst, &old, offset);
            last = before;
        }
    }
    None
}
