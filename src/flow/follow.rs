//! Follows instructions along all paths.

use alloc::vec::Vec;

use super::{Flow, Following};
use crate::Inst;
use crate::hazards::{Capacity, Hazards, Pending};

/// Something that instructions change as they run, and of which the worst is taken where paths meet.
///
/// Calls of functions in the code are followed: a function begins with the worst that its callers left ([`State::enter`]), and
/// each caller goes on with its own state and with that of the function's end ([`State::returned_from`]).
pub trait State: Clone {
    /// An instruction runs, which begins at this offset of the code, in bytes.
    fn step(&mut self, inst: &Inst, offset: u32);

    /// Another path leads to the same place. Returns whether anything changed.
    fn join(&mut self, other: &Self) -> bool;

    /// [`State::join`] in a loop that was passed a few times: a value that grows with each turn becomes the greatest one that it can
    /// be.
    fn join_again(&mut self, other: &Self) -> bool {
        self.join(other)
    }

    /// A function that is not known returns to the code after a call, which `step` has seen.
    fn returned(&mut self) {}

    /// A function begins. The state is that of the call, which becomes the caller's.
    fn enter(&mut self) {}

    /// A function returns. What its callers left before is taken out of the state, since each of them knows its own.
    fn leave(&mut self) {}

    /// A function returns to the code after a call, which `step` has seen. `exit`: the state at the function's end,
    /// after [`State::leave`].
    fn returned_from(&mut self, _exit: &Self) {
        self.returned();
    }
}

/// A function that is not known begins and ends with a wait for everything (LLVM's calling convention).
impl<C: Capacity> State for Pending<C> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.issue(inst, offset);
    }

    fn join(&mut self, other: &Self) -> bool {
        Pending::join(self, other)
    }

    fn join_again(&mut self, other: &Self) -> bool {
        Pending::join_again(self, other)
    }

    fn returned(&mut self) {
        self.clear();
    }

    fn enter(&mut self) {
        Pending::enter(self);
    }

    fn leave(&mut self) {
        Pending::leave(self);
    }

    fn returned_from(&mut self, exit: &Self) {
        Pending::returned_from(self, exit);
    }
}

impl<C: Capacity> State for Hazards<C> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.issue_at(inst, offset);
    }

    fn join(&mut self, other: &Self) -> bool {
        Hazards::join(self, other)
    }

    fn returned(&mut self) {
        Hazards::returned(self);
    }

    fn enter(&mut self) {
        Hazards::enter(self);
    }

    fn leave(&mut self) {
        Hazards::leave(self);
    }

    fn returned_from(&mut self, exit: &Self) {
        Hazards::returned_from(self, exit);
    }
}

impl Flow<'_> {
    /// Follows a state along all paths from the entries, and calls `each` with every block that they reach and the
    /// worst state before it: functions one after the other. `first` is the state at the beginning of a function.
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
        let mut is_final = true;
        for group in groups {
            let mut following = Following::new(self, group, &first);
            is_final &= following.settle();
            following.each(&mut each);
        }
        is_final
    }

    /// Several ways lead to a block.
    pub(super) fn is_meeting(&self, block: usize) -> bool {
        self.predecessors(block).len() != 1 || self.blocks().get(block).is_some_and(|block| block.is_entry)
    }

    /// Runs a block, up to a call at its end.
    pub(super) fn run<S: State>(&self, block: usize, state: &mut S) {
        self.insts(block).for_each(|(address, inst)| state.step(&inst, self.offset_of(address)));
    }

    /// The offset of an address in the code, in bytes.
    pub fn offset_of(&self, address: u64) -> u32 {
        self.offset(address).and_then(|offset| u32::try_from(offset).ok()).unwrap_or(u32::MAX)
    }
}
