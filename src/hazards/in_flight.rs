//! The registers that outstanding operations hold.

use crate::flags::Flags;
use crate::hazards::uses::{Use, Uses};
use crate::inst::Inst;
use crate::opcode::Field;
use crate::registers::RegSet;
use crate::table::hazards::file;
use crate::table::{Counters, Event, Holds, NONE, Which};
use crate::target::{COUNTS, Target};
use crate::vgpr_msb::VgprMsb;

/// A run of registers that an outstanding operation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Held {
    /// The first register, as a bit of `RegSet`.
    pub first: u16,
    /// The number of registers.
    pub count: u16,
    /// The number of the operation's kind (its event) in the target's table.
    pub event: u8,
    /// Whether the operation was outstanding when the function began.
    pub inherited: bool,
    /// The number of younger operations of the same order: of the kinds that are done in order with this operation.
    pub age: u8,
    /// The number of operations counted in `age` that may be done before this one.
    pub loose: u8,
    /// Whether this is one of the two entries of a flat operation, which has an entry for each of its two counters.
    pub flat_pair: bool,
    /// Whether the operation is perhaps done, but not for certain: only one of a flat operation's two counters tells
    /// when it is done, or flat operations may have been done before older ones.
    pub maybe_done: bool,
    /// Whether the upper bits of the registers' numbers are unknown.
    pub any_bank: bool,
    /// The `producer` that `Pending::issue` got for the operation.
    pub producer: u32,
}

/// The effect of a function so far on the operations of an event that were outstanding when the function began.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Passed {
    /// The least value of `Held::at_most` whose operations are done now; `u16::MAX` if there is none.
    pub done_at: u16,
    /// The increase of `Held::age` of the operations that are still outstanding.
    pub age: u8,
    /// The increase of `Held::loose` of these operations.
    pub loose: u8,
}

impl Passed {
    pub const NOTHING: Passed = Passed { done_at: u16::MAX, age: 0, loose: 0 };
    /// The effect of a wait for all operations. None is left, so another path determines the increases of ages where
    /// paths meet.
    pub const FINISHED: Passed = Passed { done_at: 0, age: u8::MAX, loose: 0 };

    /// Notes a wait until at most `at_most` operations of the counter are left.
    pub(super) fn wait(&mut self, at_most: u8, event: &Event) {
        let older = if event.keeps_order() { self.age.saturating_sub(self.loose) } else { 0 };
        // `Held::at_most` is 0 for an event without an order.
        let done_at = if at_most == 0 { 0 } else { at_most.saturating_sub(older).into() };
        self.end_at(done_at);
    }

    /// Notes that the operations whose `Held::at_most` is at least `done_at` are done.
    fn end_at(&mut self, done_at: u16) {
        self.done_at = self.done_at.min(done_at);
        if self.done_at == 0 {
            *self = Passed::FINISHED;
        }
    }

    /// Notes a younger operation of the same order, which may be done first if `is_loose`.
    pub(super) fn raise(&mut self, is_loose: bool) {
        if self.done_at != 0 {
            self.age = self.age.saturating_add(1);
            self.loose = self.loose.saturating_add(is_loose.into());
        }
    }

    pub fn join(&mut self, other: &Passed) {
        self.done_at = self.done_at.max(other.done_at);
        let certain = self.age.saturating_sub(self.loose).min(other.age.saturating_sub(other.loose));
        self.age = self.age.min(other.age);
        self.loose = self.age.saturating_sub(certain);
    }

    /// Adds the effect of a function that was called.
    pub(super) fn then(&mut self, other: &Passed, event: &Event) {
        let older = if event.keeps_order() { self.age.saturating_sub(self.loose) } else { 0 };
        (self.age, self.loose) = (self.age.saturating_add(other.age), self.loose.saturating_add(other.loose));
        self.end_at(match other.done_at {
            u16::MAX => u16::MAX,
            done_at => done_at.saturating_sub(older.into()),
        });
    }
}

impl Held {
    pub const NONE: Held = Held {
        first: 0,
        count: 0,
        event: 0,
        inherited: false,
        age: 0,
        loose: 0,
        flat_pair: false,
        maybe_done: false,
        any_bank: false,
        producer: 0,
    };

    /// The key that operations are sorted by: the first register, the number of registers, the event and two flags, as
    /// one number, because keys are compared often.
    pub fn key(&self) -> u64 {
        let registers = u64::from(self.first) << 32 | u64::from(self.count) << 16;
        registers | u64::from(self.event) << 8 | u64::from(self.inherited) << 1 | u64::from(self.any_bank)
    }

    /// The greatest value of the counter at which the operation is certainly done.
    pub(super) fn at_most(&self, event: &Event) -> u8 {
        if event.keeps_order() { self.age.saturating_sub(self.loose) } else { 0 }
    }
}

impl Event {
    /// Whether operations of the kind are done in order, so that a wait that leaves some of them outstanding leaves the
    /// youngest ones.
    pub fn keeps_order(&self) -> bool {
        self.order != NONE && self.holds != Holds::Loose
    }

    pub fn fits(&self, inst: &Inst, facts: u32) -> bool {
        match self.which {
            Which::All => true,
            Which::Ops(ops) => ops.binary_search(&inst.opcode()).is_ok(),
            Which::Spaces(spaces) => inst.space_of(facts).is_some_and(|space| spaces.contains(&space)),
            Which::Exports(first, last) => {
                inst.get(Field::Tgt).is_some_and(|tgt| (first.into()..=last.into()).contains(&tgt))
            }
        }
    }

    /// Passes to `take` the runs of registers that the operation holds.
    pub(super) fn each_run(&self, uses: &Uses<'_>, flags: Flags, mut take: impl FnMut(u16, u16)) {
        match self.holds {
            Holds::Nothing => {}
            Holds::Results | Holds::Ordered | Holds::Loose => uses.each_run(|one| one.access.writes(), take),
            Holds::Sources => {
                let is_meant = |one: &Use| is_read_at_issue(one, flags) && RegSet::is_vector(one.run().0);
                uses.each_run(is_meant, &mut take);
                // The operation reads EXEC late, together with the data, but M0 when it is issued.
                uses.each_run(|one| one.access.reads() && one.files & file::EXEC != 0, take);
            }
            Holds::Data => {
                let is_data = |one: &Use| one.role == Some(Field::Vdata) && one.access.reads();
                match uses.msb == VgprMsb::ENTRY {
                    true => uses.each_run(is_data, take),
                    false => Uses::of(uses.inst, VgprMsb::ENTRY).each_run(is_data, take),
                }
            }
        }
    }

    pub fn holds_results(&self) -> bool {
        matches!(self.holds, Holds::Results | Holds::Ordered | Holds::Loose)
    }
}

/// Whether an instruction with these flags reads the operand when it is issued. A load can keep a part of its
/// destination, but reads this part, if at all, only when the data arrives.
pub(super) fn is_read_at_issue(one: &Use, flags: Flags) -> bool {
    let is_kept = one.access.writes() && flags.is_load() && !flags.is_atomic();
    one.access.reads() && !is_kept
}

/// The events of an instruction that has these facts, with their numbers: at most one for each of `counters`.
pub(super) fn events_of(
    inst: &Inst,
    facts: u32,
    counters: Counters,
) -> impl Iterator<Item = (u8, &'static Event)> + '_ {
    let all = COUNTS[inst.target() as usize].events;
    counters.iter().filter_map(move |counter| {
        let mut all = (0u8..).zip(all);
        all.find(|(_, event)| event.counter == counter && event.fits(inst, facts))
    })
}

pub(super) fn event(target: Target, number: u8) -> Option<&'static Event> {
    COUNTS[target as usize].events.get(usize::from(number))
}
