//! Joins of the states of two paths, where the paths meet.

use super::in_flight::Held;
use super::past::{EMPTY, Past};
use super::room::{Capacity, Room};
use super::{Hazards, Pending, owed};
use crate::target::COUNTS;

impl<C: Capacity> Pending<C> {
    /// Joins the state of another path to the same place: takes the worse of both. Returns whether anything changed. A
    /// state can change only a limited number of times, so repeated joins come to an end.
    pub fn join(&mut self, other: &Pending<C>) -> bool {
        let msb = self.msb.joined(other.msb);
        let index = self.index.joined(other.index);
        let mut changed = other.overflowed && !self.overflowed || (msb, index) != (self.msb, self.index);
        self.overflowed |= other.overflowed;
        (self.msb, self.index) = (msb, index);
        for (most, other) in self.most.iter_mut().zip(other.most) {
            changed |= other > *most;
            *most = other.max(*most);
        }
        // If no known call has entered the function on one path, only the effect on the other path counts.
        if self.passed.is_empty() {
            changed |= !other.passed.is_empty();
            self.passed.clone_from(&other.passed);
        }
        for (passed, other) in self.passed.iter_mut().zip(other.passed.iter()) {
            let before = *passed;
            passed.join(other);
            changed |= *passed != before;
        }
        // Both lists are sorted, so each place is at or after the one before it.
        let mut at = 0;
        for new in other.held() {
            let later = self.held.get(at..).unwrap_or_default();
            at += later.iter().position(|held| held.key() >= new.key()).unwrap_or(later.len());
            changed |= self.merge_at(at, new);
        }
        changed
    }

    /// Joins as [`Pending::join`] does, after some turns of a loop: sets each counter that still grows to its greatest
    /// value.
    pub fn join_again(&mut self, other: &Pending<C>) -> bool {
        let before = self.most;
        let changed = self.join(other);
        for ((most, before), max) in self.most.iter_mut().zip(before).zip(COUNTS[self.target as usize].max) {
            if *most > before {
                *most = max;
            }
        }
        changed
    }

    /// Adds the entry of an operation on another path, or takes the worse of two entries with the same key. Returns
    /// whether anything changed.
    pub(super) fn merge(&mut self, new: &Held) -> bool {
        self.merge_at(self.place(new).unwrap_or_else(|place| place), new)
    }

    /// Merges an entry as [`Pending::merge`] does. `place` is that of the first entry whose key is not less than the
    /// new one's.
    fn merge_at(&mut self, place: usize, new: &Held) -> bool {
        let Some(old) = self.held.get_mut(place).filter(|old| old.key() == new.key()) else {
            // An entry without room is left out. If it replaced another entry, the next join would bring that entry
            // back.
            return self.held.put(place, *new) || !core::mem::replace(&mut self.overflowed, true);
        };
        let before = *old;
        if (new.age - new.loose, new.age) < (old.age - old.loose, old.age) {
            (old.age, old.loose, old.producer) = (new.age, new.loose, new.producer);
        }
        old.flat_pair |= new.flat_pair;
        old.maybe_done &= new.maybe_done;
        *old != before
    }
}

impl<C: Capacity> Hazards<C> {
    /// Joins the state of another path to the same place: takes the worse of both. Returns whether anything changed. A
    /// state can change only a limited number of times, so repeated joins come to an end.
    pub fn join(&mut self, other: &Self) -> bool {
        let simple =
            |state: &Self| (state.strict, state.modes, state.seen, state.msb, state.overflow, state.before_call);
        let before = simple(self);
        self.strict |= other.strict;
        self.modes = self.modes.worse(other.modes);
        self.seen.join(other.seen);
        self.msb = self.msb.joined(other.msb);
        self.before_call.worsen(&other.before_call);
        if other.overflow.rows != 0 {
            self.add_to_overflow(&other.overflow);
        }
        let mut changed = false;
        for past in other.past.iter().filter(|past| !past.is_over()) {
            changed |= self.merge(past);
        }
        for owed in other.owed.iter() {
            let (is_new, has_room) = owed::join(&mut self.owed, owed);
            changed |= is_new && has_room;
            if !has_room {
                self.add_to_overflow(&Past { rows: 1 << owed.row, inst: owed.inst, age: owed.age, ..EMPTY });
            }
        }
        changed || simple(self) != before
    }

    /// Adds an instruction, or takes the worse of two entries of the same instruction. If there is no room, the oldest
    /// instruction moves to `overflow`. Returns whether anything changed.
    pub(super) fn merge(&mut self, new: &Past) -> bool {
        let order = new.order();
        let at = self.past.partition_point(|past| past.order() < order);
        let mut alike = self.past.iter_mut().skip(at).take_while(|past| past.order() == order).peekable();
        let is_only = alike.peek().is_none();
        if let Some(same) = alike.find(|past| past.is_same_entry(new) || C::GROWS && past.implies(new)) {
            // If one path has the instruction twice, the later occurrence is the worse one.
            let before = *same;
            same.worsen(new);
            return *same != before;
        }
        if C::GROWS && !is_only {
            // An entry that the new one implies has the same order.
            self.past.keep(|past| !new.implies(past));
        }
        if self.past.put(at, *new) {
            return true;
        }
        let age = |past: &Past| (past.age.states, past.age.valu, past.order());
        let oldest = self.past.iter_mut().max_by_key(|past| age(past));
        match oldest.filter(|oldest| age(oldest) > age(new)) {
            Some(oldest) => {
                let dropped = core::mem::replace(oldest, EMPTY);
                self.add_to_overflow(&dropped);
                self.past.keep(|past| past.rows != 0);
                self.merge(new)
            }
            None => {
                let before = self.overflow;
                self.add_to_overflow(new);
                self.overflow != before
            }
        }
    }

    /// Adds an instruction that has no room to `overflow`.
    pub(super) fn add_to_overflow(&mut self, past: &Past) {
        self.overflow.worsen(past);
    }
}
