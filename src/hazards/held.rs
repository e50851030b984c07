//! What outstanding operations hold.

use crate::table::{Event, Holds, NONE, Which};
use crate::target::COUNTS;
use crate::{Field, Inst, Operand, RegSet, Target};

/// A run of registers that an outstanding operation holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// A bit of `RegSet`.
    pub first: u16,
    pub count: u16,
    pub event: u8,
    /// How many operations of the same order were issued after it, at most the counter's greatest value.
    pub age: u8,
    /// How many of these were perhaps done before it.
    pub loose: u8,
    /// Another counter holds the same registers.
    pub twin: bool,
    /// It is done if flat operations did what this asks for: the other counter says that it is done, but which of the two
    /// counts is not known; or no flat operation was done before older ones.
    pub doubt: bool,
    pub producer: u32,
}

impl Held {
    pub const NONE: Held =
        Held { first: 0, count: 0, event: 0, age: 0, loose: 0, twin: false, doubt: false, producer: 0 };

    pub fn key(&self) -> (u16, u16, u8) {
        (self.first, self.count, self.event)
    }

    /// The greatest number of the counter at which it is done for certain.
    pub fn at_most(&self, event: &Event) -> u8 {
        if event.order == NONE || event.holds == Holds::Loose { 0 } else { self.age.saturating_sub(self.loose) }
    }
}

impl Event {
    pub fn fits(&self, inst: &Inst) -> bool {
        match self.which {
            Which::All => true,
            Which::Ops(ops) => ops.binary_search(&inst.opcode()).is_ok(),
            Which::Spaces(spaces) => inst.space().is_some_and(|space| spaces.contains(&space)),
            Which::Exports(first, last) => {
                inst.get(Field::Tgt).is_some_and(|tgt| (first.into()..=last.into()).contains(&tgt))
            }
        }
    }

    /// The registers that the operation holds.
    pub fn held(&self, inst: &Inst) -> RegSet {
        match self.holds {
            Holds::Nothing => RegSet::new(inst.target()),
            Holds::Results | Holds::Ordered | Holds::Loose => inst.writes(),
            Holds::Sources => inst.reads_at_issue().vectors(),
            Holds::Data => {
                let data = |operand: &Operand| operand.role == Some(Field::Vdata) && operand.access.reads();
                let none = RegSet::new(inst.target());
                inst.operands().filter(data).fold(none, |mut set, operand| {
                    set.insert_operand(&operand);
                    set
                })
            }
        }
    }

    pub fn holds_results(&self) -> bool {
        matches!(self.holds, Holds::Results | Holds::Ordered | Holds::Loose)
    }
}

/// The events of an instruction, with their numbers.
pub(super) fn events(inst: &Inst) -> impl Iterator<Item = (u8, &'static Event)> + '_ {
    let all = COUNTS[inst.target() as usize].events;
    inst.counters().iter().filter_map(move |counter| {
        let mut all = (0u8..).zip(all);
        all.find(|(_, event)| event.counter == counter && event.fits(inst))
    })
}

pub(super) fn event(target: Target, number: u8) -> Option<&'static Event> {
    COUNTS[target as usize].events.get(usize::from(number))
}
