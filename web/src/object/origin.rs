//! Relations between instructions, along all paths through a function: the origins of the values that an instruction
//! reads, the operations that a wait waits for, and the waits for an operation.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use amdgpu_isa::facts::{Counter, Flag, RegSet};
use amdgpu_isa::hazards::{Conflict, Pending};
use amdgpu_isa::{Inst, Reg};
use serde::Serialize;

use super::CodeObject;
use super::index::LABEL;
use super::paths::{Block, Paths};
use crate::registers;

/// The greatest number of instructions that are searched for one answer.
const MOST: usize = 20_000;

/// One more than the greatest value of any counter.
const MOST_OUTSTANDING: u8 = 64;

/// Another instruction, and the registers or the counter that relate the two.
#[derive(Serialize)]
pub struct Origin {
    row: usize,
    address: String,
    what: String,
    mnemonic: &'static str,
    /// Whether the relation is only possible.
    perhaps: bool,
}

/// The relations of an instruction to others.
#[derive(Serialize, Default)]
pub struct Origins {
    /// The last writers of the registers that the instruction reads.
    values: Vec<Origin>,
    /// The registers that the instruction reads and that have their values from the beginning of the function.
    given: String,
    /// The operations for which the instruction waits, if no earlier instruction has waited for them.
    awaited: Vec<Origin>,
    /// The waits for this operation.
    done: Vec<Origin>,
}

/// A piece of a path: rows of a block, and the state of the search.
struct Piece<S> {
    block: Option<usize>,
    rows: (usize, usize),
    state: S,
}

impl CodeObject {
    pub fn origins(&self, row: usize, inst: &Inst) -> Origins {
        self.with_paths(row, |paths| {
            let (values, given) = self.values(paths, row, inst);
            let waits = inst.waits();
            let counters = Counter::ALL.iter();
            let awaited = counters.filter_map(|counter| Some((*counter, waits.get(*counter)?)));
            let awaited = awaited.flat_map(|(counter, left)| self.awaited(paths, row, counter, left)).collect();
            let done = inst.counters().iter().flat_map(|counter| self.done(paths, row, inst, counter)).collect();
            Origins { values, given: registers::text(given), awaited, done }
        })
    }

    /// The last writers, the nearest first, and the registers whose values come from the beginning of the function.
    fn values(&self, paths: &Paths, row: usize, inst: &Inst) -> (Vec<Origin>, RegSet) {
        let nothing = RegSet::new(inst.target());
        let (mut given, mut found) = (nothing, Found::default());
        // The registers for which each block has already been searched from its end.
        let mut seen: HashMap<usize, RegSet> = HashMap::new();
        let mut open = VecDeque::from([self.up_to(paths, row, inst.reads())]);
        let mut left = MOST;
        while let Some(Piece { block, rows, state: mut wanted }) = open.pop_front() {
            for (row, earlier) in self.backwards(rows, &mut left) {
                let writes = earlier.writes() & wanted;
                wanted = wanted - writes;
                found.add(row, &earlier, writes, false);
                // The registers that the called function writes are not known.
                if earlier.flags().contains(Flag::Call) {
                    found.add(row, &earlier, wanted, true);
                    wanted = nothing;
                }
                if wanted.is_empty() {
                    break;
                }
            }
            let Some(block) = block.and_then(|block| paths.block(block)).filter(|_| left > 0 && !wanted.is_empty())
            else {
                continue;
            };
            if block.is_entry {
                given |= wanted;
            }
            for &before in &block.before {
                let known = seen.entry(before).or_insert(nothing);
                let more = wanted - *known;
                *known |= more;
                if !more.is_empty() {
                    open.extend(whole(paths, before, more));
                }
            }
        }
        // EXEC and MODE are left out, because nearly every instruction reads them unchanged.
        let mut usual = nothing;
        [Reg::Exec, Reg::Mode].into_iter().for_each(|register| usual.insert(register));
        (found.origins(self), given - usual)
    }

    /// The operations that have raised a counter and can be outstanding at a wait that leaves some of them, the nearest
    /// first.
    fn awaited(&self, paths: &Paths, row: usize, counter: Counter, left: u8) -> Vec<Origin> {
        let mut found = Found::default();
        // The state of a path: the operations so far, and the greatest number of them that an earlier wait has left
        // outstanding.
        let mut seen = BTreeSet::new();
        let mut open = VecDeque::from([self.up_to(paths, row, (0, MOST_OUTSTANDING))]);
        let mut budget = MOST;
        while let Some(Piece { block, rows, state: (mut passed, mut most) }) = open.pop_front() {
            for (row, earlier) in self.backwards(rows, &mut budget) {
                if let Some(left) = earlier.waits().get(counter) {
                    most = most.min(left.saturating_add(passed));
                }
                // A function that is called is taken to wait for everything.
                if earlier.flags().contains(Flag::Call) {
                    most = passed;
                }
                if passed >= most {
                    break;
                }
                if earlier.counters().contains(counter) {
                    if passed >= left {
                        found.count(row, &earlier, counter, left > 0 && !in_order(&earlier, counter));
                    }
                    passed += 1;
                }
            }
            let Some(block) = block.and_then(|block| paths.block(block)).filter(|_| budget > 0 && passed < most) else {
                continue;
            };
            for &before in &block.before {
                if seen.insert((before, passed, most)) {
                    open.extend(whole(paths, before, (passed, most)));
                }
            }
        }
        found.origins(self)
    }

    /// The first waits after an operation that end only when it is done.
    fn done(&self, paths: &Paths, row: usize, inst: &Inst, counter: Counter) -> Vec<Origin> {
        let mut found = Found::default();
        let is_ordered = in_order(inst, counter);
        let mut seen = BTreeSet::new();
        let here = paths.block_of(row);
        let end = here.and_then(|block| paths.block(block)).map_or(row + 1, |block| block.rows.1);
        // The number of later operations of the counter.
        let mut open = VecDeque::from([Piece { block: here, rows: (row + 1, end), state: 0u8 }]);
        let mut budget = MOST;
        while let Some(Piece { block, rows: (first, end), state: mut later_count }) = open.pop_front() {
            let mut over = false;
            for row in first..end {
                let Some(later) = self.inst(row).filter(|_| spend(&mut budget)) else { continue };
                let waits = later
                    .waits()
                    .get(counter)
                    .filter(|left| if is_ordered { *left <= later_count } else { *left == 0 });
                if waits.is_some() {
                    found.count(row, &later, counter, false);
                }
                later_count = later_count.saturating_add(later.counters().contains(counter).into());
                over = waits.is_some() || later.flags().contains(Flag::Call) || later_count >= MOST_OUTSTANDING;
                if over {
                    break;
                }
            }
            let Some(block) = block.and_then(|block| paths.block(block)).filter(|_| !over && budget > 0) else {
                continue;
            };
            for &after in &block.after {
                if seen.insert((after, later_count)) {
                    open.extend(whole(paths, after, later_count));
                }
            }
        }
        found.origins(self)
    }

    /// The rows before a row, in its block. If it is in no block: the rows before it, as long as each only leads to the
    /// next one.
    fn up_to<S>(&self, paths: &Paths, row: usize, state: S) -> Piece<S> {
        let block = paths.block_of(row);
        let first = block.and_then(|block| paths.block(block)).map(|block| block.rows.0);
        let first = first.unwrap_or_else(|| {
            let falls = |row: &usize| {
                let is_label = self.index.rows.get(*row).is_some_and(|entry| entry & LABEL != 0);
                is_label || self.inst(*row).is_some_and(|inst| !inst.flags().contains(Flag::NoFallthrough))
            };
            let near = row.saturating_sub(MOST / 10)..row;
            row - near.rev().take_while(falls).count()
        });
        Piece { block, rows: (first, row), state }
    }

    fn backwards<'o>(
        &'o self,
        rows: (usize, usize),
        budget: &'o mut usize,
    ) -> impl Iterator<Item = (usize, Inst)> + 'o {
        let insts = (rows.0..rows.1).rev().filter_map(|row| Some((row, self.inst(row)?)));
        insts.take_while(move |_| spend(budget))
    }
}

/// All rows of a block.
fn whole<S>(paths: &Paths, number: usize, state: S) -> Option<Piece<S>> {
    let Block { rows, .. } = paths.block(number)?;
    Some(Piece { block: Some(number), rows: *rows, state })
}

fn spend(budget: &mut usize) -> bool {
    let is_left = *budget > 0;
    *budget = budget.saturating_sub(1);
    is_left
}

/// Whether operations like this one are done in the order in which they were issued. They are if the same operation can
/// write the same registers again without a wait.
fn in_order(inst: &Inst, counter: Counter) -> bool {
    let mut pending = Pending::new(inst.target());
    pending.issue(inst, 0);
    let overwrites = |wait: &amdgpu_isa::hazards::Wait| wait.counter == counter && wait.conflict == Conflict::Overwrite;
    !pending.needs(inst).iter().any(|wait| overwrites(&wait))
}

/// The instructions that were found, by rows, in the order in which they were found.
#[derive(Default)]
struct Found {
    order: Vec<usize>,
    rows: BTreeMap<usize, (Inst, What, bool)>,
}

#[derive(Clone, Copy)]
enum What {
    Registers(RegSet),
    Counter(Counter),
}

impl Found {
    fn add(&mut self, row: usize, inst: &Inst, registers: RegSet, perhaps: bool) {
        if registers.is_empty() {
            return;
        }
        match self.rows.get_mut(&row) {
            Some((_, What::Registers(known), _)) => *known |= registers,
            _ => self.put(row, inst, What::Registers(registers), perhaps),
        }
    }

    fn count(&mut self, row: usize, inst: &Inst, counter: Counter, perhaps: bool) {
        if !self.rows.contains_key(&row) {
            self.put(row, inst, What::Counter(counter), perhaps);
        }
    }

    fn put(&mut self, row: usize, inst: &Inst, what: What, perhaps: bool) {
        self.order.push(row);
        self.rows.insert(row, (*inst, what, perhaps));
    }

    fn origins(&self, object: &CodeObject) -> Vec<Origin> {
        let origin = |row: &usize| {
            let (inst, what, perhaps) = self.rows.get(row)?;
            let (_, address, _) = object.place(object.index.rows.get(*row).copied().unwrap_or(0) & !LABEL);
            Some(Origin {
                row: *row,
                address: format!("{address:X}"),
                what: match what {
                    What::Registers(set) => registers::text(*set),
                    What::Counter(counter) => counter.to_string(),
                },
                mnemonic: inst.mnemonic(),
                perhaps: *perhaps,
            })
        };
        self.order.iter().filter_map(origin).collect()
    }
}
