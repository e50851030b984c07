//! Rules about more than two instructions: two producers, counted instructions, and registers that were seen before.

use crate::hazards::Need;
use crate::hazards::pair::{Match, holds, matches_two, scalars, written};
use crate::hazards::past::Past;
use crate::hazards::uses::Uses;
use crate::inst::Inst;
use crate::opcode::Field;
use crate::table::hazards::{HazardRow, HazardTables, Side, Upto, class};

/// The numbers of instructions after an earlier one, for each kind that rules count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Age {
    /// The number of wait states.
    pub states: u8,
    /// The number of vector operations.
    pub valu: u8,
    /// The number of transcendental operations.
    pub trans: u8,
    /// The numbers of operations of the two kinds in `HazardRow::counts`. Only an entry for a single row (`Owed`)
    /// counts them.
    pub by_kind: [u8; 2],
    pub counted: Counted,
}

impl Age {
    /// The age of an instruction that has just been issued.
    pub const NEW: Age = Age { states: 0, valu: 0, trans: 0, by_kind: [0; 2], counted: Counted::NONE };
    /// An age greater than any rule counts.
    pub const OLD: Age =
        Age { states: u8::MAX, valu: u8::MAX, trans: Age::MOST_TRANS, by_kind: [Age::MOST; 2], counted: Counted::NONE };
    /// The greatest count of transcendental operations: more than any row asks for.
    const MOST_TRANS: u8 = 8;
    /// The greatest count of operations of a kind: at least as many as a wait can leave outstanding.
    pub(super) const MOST: u8 = 63;

    /// The age that one instruction adds. `states` is its number of wait states, `is` has the flags of its class, and
    /// `counted` is 1 if it is one of `HazardTables::counted`, otherwise 0.
    pub(super) fn step(states: u8, is: u16, counted: u8) -> Age {
        let of = |flag: u16| u8::from(is & flag != 0);
        let counted = Counted { fewest: counted, most: counted };
        Age { states, valu: of(class::VALU), trans: of(class::TRANS), by_kind: [0; 2], counted }
    }

    /// Adds the age of further instructions.
    #[inline]
    pub(super) fn add(&mut self, more: &Age) {
        self.states = self.states.saturating_add(more.states);
        self.valu = self.valu.saturating_add(more.valu);
        // Most instructions add 0 to the following counts.
        if more.trans != 0 {
            self.trans = self.trans.saturating_add(more.trans).min(Age::MOST_TRANS);
        }
        if more.counted.most != 0 {
            self.counted.add(more.counted);
        }
    }

    /// Adds an operation of these kinds, as far as waits that end the row count them.
    pub(super) fn add_kinds(&mut self, row: &HazardRow, kinds: u16) {
        for (count, of) in self.by_kind.iter_mut().zip(row.counts) {
            *count = count.saturating_add(u8::from(kinds & of != 0)).min(Age::MOST);
        }
    }

    /// The number of operations of a kind that is counted by the waits which end the row.
    fn of_kind(&self, row: &HazardRow, kind: u16) -> u8 {
        self.by_kind.into_iter().zip(row.counts).find(|(_, of)| *of == kind).map_or(0, |(count, _)| count)
    }

    /// Removes counts that make no difference to a row that no distance ends. `is_counted` tells whether a wait that
    /// leaves some operations can end the row.
    pub(super) fn cut(&mut self, row: &HazardRow, is_counted: bool) {
        self.states = if row.lasts == u8::MAX { 0 } else { self.states.min(row.lasts) };
        self.valu = if is_counted { self.valu.min(Age::MOST) } else { 0 };
        if !is_counted {
            (self.trans, self.by_kind) = (0, [0; 2]);
        }
        if row.times == u8::MAX && !row.counted {
            self.counted = Counted::NONE;
        }
    }

    /// Takes the worse of the ages on two paths.
    pub(super) fn worsen(&mut self, other: &Age) {
        self.states = self.states.min(other.states);
        self.valu = self.valu.min(other.valu);
        self.trans = self.trans.min(other.trans);
        self.by_kind = [self.by_kind[0].min(other.by_kind[0]), self.by_kind[1].min(other.by_kind[1])];
        self.counted.worsen(other.counted);
    }
}

/// The number of instructions of `HazardTables::counted` since an earlier instruction: the least and the greatest
/// number on any path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    fewest: u8,
    most: u8,
}

impl Counted {
    /// The greatest count, above all that rules ask for. Counts in loops stop at this number.
    const END: u8 = 15;
    pub(super) const NONE: Counted = Counted { fewest: 0, most: 0 };

    fn add(&mut self, more: Counted) {
        self.fewest = self.fewest.saturating_add(more.fewest).min(Counted::END);
        self.most = self.most.saturating_add(more.most).min(Counted::END);
    }

    fn worsen(&mut self, other: Counted) {
        self.fewest = self.fewest.min(other.fewest);
        self.most = self.most.max(other.most);
    }

    /// Whether at least `times` instructions came on every path.
    pub(super) fn is_at_least(self, times: u8) -> bool {
        self.fewest >= times
    }
}

/// The number that the instruction adds to `Age::counted`: 1 if the target's rules count it, otherwise 0.
pub(super) fn counted(tables: &HazardTables, is: u16, uses: &Uses<'_>) -> u8 {
    let is_counted = || tables.counted.iter().any(|side| holds(side, uses));
    u8::from(is & class::COUNTED != 0 && is_counted())
}

/// Whether the wait `inst` ends a row of the producer: the wait leaves no operations outstanding, or at most as many as
/// came after the producer. Vector operations complete in order only if the producer and all later ones are
/// transcendental, or none of them is. Other operations are counted only with `row`; without `row`, only a wait that
/// leaves none of them ends the row.
pub(super) fn wait_ends(upto: &Upto, (row, producer, age): (Option<&HazardRow>, &Inst, &Age), inst: &Inst) -> bool {
    let left = (inst.get(Field::Simm16).unwrap_or(0) as u16 >> upto.lsb & upto.mask) as u8;
    let is_trans = || HazardTables::of(inst).classes(producer).is() & class::TRANS != 0;
    match upto.kind {
        _ if left == 0 => true,
        0 => age.valu >= left && age.trans == if is_trans() { age.valu.min(Age::MOST_TRANS) } else { 0 },
        kind => row.is_some_and(|row| age.of_kind(row, kind) >= left),
    }
}

/// Whether the expert mode is on after the instruction; `None` if the instruction does not change the mode.
pub(super) fn expert_after(tables: &HazardTables, uses: &Uses<'_>) -> Option<bool> {
    let is = |sides: &[Side]| sides.iter().any(|side| holds(side, uses));
    if is(tables.expert_on) { Some(true) } else { is(tables.expert_off).then_some(false) }
}

/// The need that two producers cause together, if the second one came soon enough after the first.
pub(super) fn need_of_two(row: &HazardRow, both: [&Past; 2], distance: u8, consumer: &Uses<'_>) -> Option<Need> {
    let [first, second] = both;
    let missing = distance.saturating_sub(second.age.valu);
    let between = first.age.valu.checked_sub(second.age.valu)?.checked_sub(1)?;
    // Instructions that the row counts must come between the two producers, not just after the second one.
    let lacks_counted = row.counted && first.age.counted.most <= second.age.counted.fewest;
    if missing == 0 || between > row.again? || lacks_counted {
        return None;
    }
    let uses = both.map(|past| Uses::of(&past.inst, past.msb));
    let register = matches_two(row, [&uses[0], &uses[1]], consumer)?;
    Some(Need::of(row, missing, (first.inst, first.place), Match::sure(Some(register))))
}

/// Whether a producer that has just been issued makes a pair with an earlier producer of the row, which has this age.
/// Only a limited number of vector operations may come between the two. If the row counts instructions, at least one of
/// these must come between the two.
pub(super) fn makes_pair(row: &HazardRow, age: &Age) -> bool {
    row.again.is_some_and(|again| age.valu.saturating_sub(1) <= again) && (!row.counted || age.counted.most > 0)
}

/// The scalar registers that instructions of `HazardTables::seen` have accessed, as bits by their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen(u128);

impl Seen {
    pub(super) const NOTHING: Seen = Seen(0);

    /// The registers that were seen at the beginning of a called function: none if writes make registers unseen again,
    /// otherwise perhaps all.
    pub(super) const fn called(tables: &HazardTables) -> Seen {
        if tables.until_written { Seen::NOTHING } else { Seen(u128::MAX) }
    }

    pub(super) fn join(&mut self, other: Seen) {
        self.0 |= other.0;
    }

    /// Issues the instruction, and returns the registers that count as seen for its own rows. If the rules are about
    /// pairs, these are all registers seen so far, with the others of their pairs. Otherwise, if writes make registers
    /// unseen again, these are the registers seen before the instruction. In all other cases, the registers that the
    /// instruction itself makes seen are included.
    #[inline]
    pub(super) fn issue(&mut self, tables: &HazardTables, is: u16, uses: &Uses<'_>) -> Seen {
        let read = match is & class::SEES {
            0 => 0,
            _ => tables.seen.iter().fold(0, |set, side| set | scalars(side, uses)),
        };
        let before = self.0;
        if before | read == 0 {
            return Seen::NOTHING;
        }
        if tables.until_written && before != 0 {
            self.0 &= !written(uses);
        }
        self.0 |= read;
        match (tables.pairs, tables.until_written) {
            (true, _) => Seen(pairs(self.0)),
            (_, true) => Seen(before),
            _ => *self,
        }
    }

    /// Whether the instruction has one of these registers in an operand that the row's producer side is about.
    pub(super) fn has(self, row: &HazardRow, uses: &Uses<'_>) -> bool {
        scalars(&row.producer, uses) & self.0 != 0
    }
}

/// The registers, and the other registers of their aligned pairs.
const fn pairs(registers: u128) -> u128 {
    const EVEN: u128 = u128::MAX / 3;
    registers | (registers & EVEN) << 1 | registers >> 1 & EVEN
}
