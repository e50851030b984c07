//! Follows instructions along all paths.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use super::{Exit, Flow};
use crate::Inst;
use crate::hazards::{Hazards, Pending};

/// How often a block is passed at most. What the library follows needs a few times.
const MOST: u16 = 1000;

/// Something that instructions change as they run, and of which the worst is taken where paths meet.
pub trait State: Clone {
    /// An instruction runs, which begins at this offset of the code, in bytes.
    fn step(&mut self, inst: &Inst, offset: u32);

    /// Another path leads to the same place. Returns whether anything changed.
    fn join(&mut self, other: &Self) -> bool;

    /// A call, which `step` has seen, has returned.
    fn returned(&mut self) {}
}

/// A function that is called begins and ends with a wait for everything (LLVM's calling convention).
impl State for Pending {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.issue(inst, offset);
    }

    fn join(&mut self, other: &Pending) -> bool {
        Pending::join(self, other)
    }

    fn returned(&mut self) {
        self.clear();
    }
}

impl State for Hazards {
    fn step(&mut self, inst: &Inst, _: u32) {
        self.issue(inst);
    }

    fn join(&mut self, other: &Hazards) -> bool {
        Hazards::join(self, other)
    }
}

impl Flow<'_> {
    /// Follows a state along all paths from the entries, and calls `each` with every block that they reach and the worst
    /// state in front of it: functions one after the other. `first` is the state at the beginning of a function.
    ///
    /// Returns whether every state is final. It is not if `join` does not come to an end.
    pub fn follow<S: State>(&self, first: impl Fn(usize) -> S, each: impl FnMut(usize, &S)) -> bool {
        self.follow_groups(&self.groups(), first, each)
    }

    /// The same for some of the [`groups`](Flow::groups), which do not depend on each other.
    pub fn follow_groups<S: State>(
        &self,
        groups: &[Vec<usize>],
        first: impl Fn(usize) -> S,
        mut each: impl FnMut(usize, &S),
    ) -> bool {
        // The place of each block in its group.
        let mut places = vec![0usize; self.blocks().len()];
        let mut is_final = true;
        for group in groups {
            for (place, block) in group.iter().enumerate() {
                places.iter_mut().skip(*block).take(1).for_each(|x| *x = place);
            }
            is_final &= self.follow_group(group, &places, &first, &mut each);
        }
        is_final
    }

    fn follow_group<S: State>(
        &self,
        group: &[usize],
        places: &[usize],
        first: &impl Fn(usize) -> S,
        each: &mut impl FnMut(usize, &S),
    ) -> bool {
        // Where paths meet; a block to which one way leads gets its state from that. By the blocks' places.
        let mut before: Vec<Option<Box<S>>> = vec![None; group.len()];
        let mut passed = vec![0u16; group.len()];
        let mut is_final = true;
        let mut open = BTreeSet::new();
        for ((place, block), before) in group.iter().enumerate().zip(&mut before) {
            if self.blocks().get(*block).is_some_and(|block| block.is_entry) {
                *before = Some(Box::new(first(*block)));
                open.insert(place);
            }
        }
        while let Some(place) = open.pop_first() {
            let (Some(&block), Some(Some(state))) = (group.get(place), before.get(place)) else { continue };
            let mut way = vec![(block, S::clone(state))];
            while let Some((block, mut state)) = way.pop() {
                if let Some(times) = places.get(block).and_then(|place| passed.get_mut(*place)) {
                    *times += 1;
                    if *times > MOST {
                        is_final = false;
                        continue;
                    }
                }
                self.pass(block, &mut state);
                for &next in self.successors(block) {
                    if !self.is_meeting(next) {
                        way.push((next, state.clone()));
                        continue;
                    }
                    let Some((place, old)) = places.get(next).and_then(|place| Some((*place, before.get_mut(*place)?)))
                    else {
                        continue;
                    };
                    let changed = match old {
                        Some(old) => old.join(&state),
                        None => {
                            *old = Some(Box::new(state.clone()));
                            true
                        }
                    };
                    if changed {
                        open.insert(place);
                    }
                }
            }
        }
        for (block, state) in group.iter().zip(before) {
            let Some(state) = state else { continue };
            let mut way = vec![(*block, *state)];
            while let Some((block, mut state)) = way.pop() {
                each(block, &state);
                let mut alone = self.successors(block).iter().filter(|next| !self.is_meeting(**next)).peekable();
                if alone.peek().is_some() {
                    self.pass(block, &mut state);
                    way.extend(alone.map(|next| (*next, state.clone())));
                }
            }
        }
        is_final
    }

    /// Several ways lead to a block.
    fn is_meeting(&self, block: usize) -> bool {
        self.predecessors(block).len() != 1 || self.blocks().get(block).is_some_and(|block| block.is_entry)
    }

    /// A block runs.
    pub fn pass<S: State>(&self, block: usize, state: &mut S) {
        self.insts(block).for_each(|(address, inst)| state.step(&inst, self.offset_of(address)));
        if matches!(self.blocks().get(block).map(|block| block.exit), Some(Exit::Call { .. })) {
            state.returned();
        }
    }

    /// The offset of an address in the code, in bytes.
    pub fn offset_of(&self, address: u64) -> u32 {
        self.offset(address).and_then(|offset| u32::try_from(offset).ok()).unwrap_or(u32::MAX)
    }
}
