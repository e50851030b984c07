//! States that follow instructions along all paths.

use super::Flow;
use crate::hazards::{Capacity, Hazards, Pending};
use crate::inst::Inst;

/// A state that instructions change as they run. Where paths meet, their states are joined to the worse of both.
///
/// Calls of functions in the code are followed: a function begins with the worst state of its callers
/// ([`State::enter`]), and each caller continues with its own state and the state at the function's end
/// ([`State::returned_from`]).
pub trait State: Clone {
    /// Runs an instruction, which begins at this offset of the code, in bytes.
    fn step(&mut self, inst: &Inst, offset: u32);

    /// Joins the state of another path to the same position. Returns whether anything changed.
    fn join(&mut self, other: &Self) -> bool;

    /// Joins as [`State::join`] does, after some iterations of a loop: a value that grows with each iteration becomes
    /// the greatest possible one.
    fn join_again(&mut self, other: &Self) -> bool {
        self.join(other)
    }

    /// Returns from an unknown function to the code after a call. `step` has already run the call.
    fn returned(&mut self) {}

    /// Enters a function: marks everything in the state of the call as added by callers, for [`State::leave`] to
    /// remove.
    fn enter(&mut self) {}

    /// Leaves a function: removes everything from the state that callers added before the call, since each caller has
    /// its own part.
    fn leave(&mut self) {}

    /// Returns from a function to the code after a call. `step` has already run the call. `exit` is the state at the
    /// function's end, after [`State::leave`].
    fn returned_from(&mut self, _exit: &Self) {
        self.returned();
    }
}

/// Unknown functions begin and end with a wait for all operations (LLVM's calling convention).
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
    /// Whether paths may meet at a block.
    pub(super) fn is_meeting(&self, block: usize) -> bool {
        self.meetings.get(block).copied().unwrap_or(true)
    }

    /// Runs the instructions of a block, with a call at its end, but not the called function.
    pub(super) fn run<S: State>(&self, block: usize, state: &mut S) {
        self.insts(block).for_each(|(address, inst)| state.step(&inst, self.offset_of(address)));
    }

    /// The offset of an address in the code, in bytes; `u32::MAX` if there is none.
    pub fn offset_of(&self, address: u64) -> u32 {
        self.offset(address).and_then(|offset| u32::try_from(offset).ok()).unwrap_or(u32::MAX)
    }
}
