//! States at calls of functions, and at the ends of functions.

use super::in_flight::{Held, Passed, event};
use super::owed::{self, Owed};
use super::past::{EMPTY, Past, before_call};
use super::room::{Capacity, Room};
use super::steps::Seen;
use super::{Hazards, Pending};
use crate::table::NONE;
use crate::target::{COUNTS, HAZARDS};
use crate::vgpr_msb::VgprMsb;

impl<C: Capacity> Pending<C> {
    /// The state without the function's effect on its callers' operations, for comparisons within a function.
    #[must_use]
    pub fn in_function(mut self) -> Self {
        self.passed.cut(0);
        self
    }

    /// Enters a called function: from now on, the outstanding operations count as the caller's.
    pub fn enter(&mut self) {
        self.held.iter_mut().for_each(|held| held.inherited = true);
        // Operations that differed only in `inherited` have the same key now.
        let all = core::mem::replace(&mut self.held, C::Held::empty());
        for held in all.iter() {
            self.merge(held);
        }
        self.passed.cut(0);
        for number in 0..COUNTS[self.target as usize].events.len() {
            self.passed.put(number, Passed::NOTHING);
        }
    }

    /// Leaves a function: removes the operations of its callers, since each caller knows its own.
    pub fn leave(&mut self) {
        self.held.keep(|held| !held.inherited);
    }

    /// Returns from a called function, which began with [`Pending::enter`]. `exit` is the state at the function's end,
    /// perhaps joined with the states of other callers.
    pub fn returned_from(&mut self, exit: &Pending<C>) {
        if C::GROWS && exit.passed.is_empty() {
            // No path from a known call has reached the end yet, so no operation of a caller is left at the end.
            self.held.cut(0);
            self.passed.iter_mut().for_each(|own| *own = Passed::FINISHED);
        }
        let target = self.target;
        let passed = |held: &Held| exit.passed.get(usize::from(held.event));
        let of = |held: &Held| event(target, held.event).zip(passed(held).copied());
        self.retain(|held| of(held).is_none_or(|(event, passed)| u16::from(held.at_most(event)) < passed.done_at));
        for held in self.held.iter_mut() {
            let Some((event, passed)) = of(held) else { continue };
            held.maybe_done |= event.order != NONE && u16::from(held.age) >= passed.done_at;
            let max = COUNTS[target as usize].max.get(event.counter as usize).copied().unwrap_or(0);
            (held.age, held.loose) =
                (held.age.saturating_add(passed.age).min(max), held.loose.saturating_add(passed.loose).min(max));
        }
        for (number, (own, passed)) in (0..).zip(self.passed.iter_mut().zip(exit.passed.iter())) {
            if let Some(event) = event(target, number) {
                own.then(passed, event);
            }
        }
        for held in exit.held().filter(|held| !held.inherited) {
            self.merge(held);
        }
        (self.most, self.msb, self.overflowed) = (exit.most, exit.msb, self.overflowed | exit.overflowed);
        self.index = exit.index;
    }
}

impl<C: Capacity> Hazards<C> {
    /// The state without the function's effect on its callers' instructions, for comparisons within a function.
    #[must_use]
    pub fn in_function(mut self) -> Self {
        self.before_call = EMPTY;
        self
    }

    /// Returns from an unknown function, which may have read any scalar register.
    pub fn returned(&mut self) {
        self.seen.join(Seen::called(HAZARDS[self.target as usize]));
        self.msb = VgprMsb::ENTRY;
    }

    /// Enters a called function: from now on, all earlier instructions count as the caller's.
    pub fn enter(&mut self) {
        self.before_call = before_call(HAZARDS[self.target as usize]);
        let (past, owed) = (self.past.clone(), self.owed.clone());
        self.past.cut(0);
        self.owed.cut(0);
        for past in past.iter() {
            self.merge(&Past { inherited: true, ..*past });
        }
        for owed in owed.iter() {
            owed::join(&mut self.owed, &Owed { inherited: true, ..*owed });
        }
    }

    /// Leaves a function: removes the instructions of its callers, since each caller knows its own.
    pub fn leave(&mut self) {
        self.past.keep(|past| !past.inherited);
        self.owed.keep(|owed| !owed.inherited);
    }

    /// Returns from a called function, which began with [`Hazards::enter`]. `exit` is the state at the function's end,
    /// perhaps joined with the states of other callers.
    pub fn returned_from(&mut self, exit: &Self) {
        let (since, tables) = (exit.before_call, HAZARDS[self.target as usize]);
        for past in self.past.iter_mut().chain([&mut self.before_call]) {
            past.rows &= since.rows;
            past.armed |= past.rows & since.armed;
            past.age.add(&since.age);
        }
        self.past.keep(|past| !past.is_over());
        self.owed.keep(|owed| since.rows >> owed.row & 1 == 1);
        for owed in self.owed.iter_mut() {
            owed.armed |= since.armed >> owed.row & 1 == 1;
            owed.age.add(&since.age);
            if let Some(row) = tables.rows.get(usize::from(owed.row)) {
                owed.age.cut(row, tables.waited >> owed.row & 1 == 1);
            }
        }
        (self.seen, self.msb, self.modes) = (exit.seen, exit.msb, exit.modes);
        if exit.overflow.rows != 0 {
            self.add_to_overflow(&exit.overflow);
        }
        for past in exit.past.iter().filter(|past| !past.inherited) {
            self.merge(past);
        }
        for owed in exit.owed.iter().filter(|owed| !owed.inherited) {
            owed::join(&mut self.owed, owed);
        }
    }
}
