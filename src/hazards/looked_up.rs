//! Needs and effects of an instruction whose registers and rules have been looked up: see [`Next`].

use crate::hazards::next::Next;
use crate::hazards::{Capacity, Hazards, Needs, Pending, Waits};

impl<C: Capacity> Pending<C> {
    /// The result of [`Pending::needs`] for an instruction that has been looked up.
    pub fn needs_next(&self, next: &Next<'_>) -> Waits {
        match next.uses.msb == self.msb {
            true => self.needs_of(&next.uses),
            false => self.needs(next.uses.inst),
        }
    }

    /// Issues an instruction that has been looked up, as [`Pending::issue`] does.
    pub fn issue_next(&mut self, next: &Next<'_>, producer: u32) {
        match next.uses.msb == self.msb {
            true => self.issue_of(&next.uses, producer),
            false => self.issue(next.uses.inst, producer),
        }
    }
}

impl<C: Capacity> Hazards<C> {
    /// The result of [`Hazards::needs`] for an instruction that has been looked up.
    pub fn needs_next(&self, next: &Next<'_>) -> Needs {
        if !self.knows(next) {
            return self.needs(next.uses.inst);
        }
        let mut needs = Needs::default();
        self.each_of(next, |need| needs.add(need));
        needs
    }

    /// Issues an instruction that has been looked up, as [`Hazards::issue_at`] does.
    pub fn issue_next(&mut self, next: &Next<'_>, place: u32) {
        match self.knows(next) {
            true => self.step_of(next, place, true),
            false => self.issue_at(next.uses.inst, place),
        }
    }

    fn knows(&self, next: &Next<'_>) -> bool {
        next.uses.msb == self.msb && next.uses.inst.target() == self.target
    }
}
