//! Rules about more than two instructions: two producers, what is counted between, and registers that were seen before.

use crate::hazards::pair::{holds, matches_two, scalars, written};
use crate::hazards::state::Past;
use crate::hazards::table::{HazardRow, HazardTables, Side, Upto, class};
use crate::hazards::{Need, Rule};
use crate::{Field, Inst};

/// How many of `HazardTables::counted` came after an instruction: the fewest and the most of all paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    fewest: u8,
    most: u8,
}

impl Counted {
    /// More than any rule counts. Loops come to an end there.
    const END: u8 = 15;
    pub(super) const NONE: Counted = Counted { fewest: 0, most: 0 };

    pub(super) fn pass(&mut self, count: u8) {
        self.fewest = self.fewest.saturating_add(count).min(Counted::END);
        self.most = self.most.saturating_add(count).min(Counted::END);
    }

    pub(super) fn worsen(&mut self, other: Counted) {
        self.fewest = self.fewest.min(other.fewest);
        self.most = self.most.max(other.most);
    }

    /// At least so many came on every path.
    pub(super) fn reaches(self, times: u8) -> bool {
        self.fewest >= times
    }
}

/// How many of those that the target's rules count the instruction is.
pub(super) fn counts(tables: &HazardTables, is: u8, inst: &Inst) -> u8 {
    let is_counted = || tables.counted.iter().any(|side| holds(side, inst));
    u8::from(is & class::COUNTED != 0 && is_counted())
}

/// A wait until some are left ends what the instruction may do: enough of them came behind it, and they are done in the order of their
/// issue. Transcendental operations among others are not.
pub(super) fn reaches(upto: &Upto, past: &Past, inst: &Inst) -> bool {
    let left = (inst.get(Field::Simm16).unwrap_or(0) as u16 >> upto.lsb & upto.mask) as u8;
    let is_trans = || HazardTables::of(inst).classes(&past.inst).any(|class| class.is & class::TRANS != 0);
    match upto.valu {
        _ if left == 0 => true,
        true => past.valu >= left && past.trans == if is_trans() { past.valu } else { 0 },
        false => past.mem >= left,
    }
}

/// Whether the expert mode is on behind the instruction, if it says so.
pub(super) fn turns_expert(tables: &HazardTables, inst: &Inst) -> Option<bool> {
    let is = |sides: &[Side]| sides.iter().any(|side| holds(side, inst));
    if is(tables.expert_on) { Some(true) } else { is(tables.expert_off).then_some(false) }
}

/// The second producer came soon behind the first one, and what is counted between both.
pub(super) fn are_near(row: &HazardRow, [first, second]: [&Past; 2]) -> bool {
    let between = first.valu.checked_sub(second.valu).and_then(|n| n.checked_sub(1));
    let is_near = between.zip(row.again).is_some_and(|(between, most)| between <= most);
    is_near && (!row.counted || first.counted.most > second.counted.fewest)
}

/// What two producers demand together: the second one behind the first, and both near enough.
pub(super) fn of_two(row: &HazardRow, both: [&Past; 2], distance: u8, inst: &Inst) -> Option<Need> {
    let [first, second] = both;
    let missing = distance.saturating_sub(second.valu);
    if missing == 0 || !are_near(row, both) {
        return None;
    }
    let register = matches_two(row, [&first.inst, &second.inst], inst)?;
    Some(Need { rule: Rule(row.rule), missing, producer: first.inst, register: Some(register) })
}

/// The scalar registers that were seen, by their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Seen(u128);

impl Seen {
    pub(super) const NOTHING: Seen = Seen(0);

    /// At the beginning of a function that others call: every register may have been seen, if nothing but a read of it counts.
    pub(super) const fn called(tables: &HazardTables) -> Seen {
        if tables.until_written { Seen::NOTHING } else { Seen(u128::MAX) }
    }

    pub(super) fn join(&mut self, other: Seen) {
        self.0 |= other.0;
    }

    /// The instruction is issued: whether registers of a producer were seen before. Where it is not the writes that end this, what the
    /// instruction itself reads counts, too.
    pub(super) fn issue(&mut self, tables: &HazardTables, is: u8, inst: &Inst) -> Seen {
        let read = match is & class::SEES {
            0 => 0,
            _ => tables.seen.iter().fold(0, |set, side| set | scalars(side, inst)),
        };
        let before = self.0;
        if tables.until_written && before != 0 {
            self.0 &= !written(inst);
        }
        self.0 |= read;
        match (tables.pairs, tables.until_written) {
            (true, _) => Seen(pairs(self.0)),
            (_, true) => Seen(before),
            _ => *self,
        }
    }

    /// Registers that the row's producer is about are among them.
    pub(super) fn has(self, row: &HazardRow, inst: &Inst) -> bool {
        scalars(&row.producer, inst) & self.0 != 0
    }
}

/// The registers, and the others of their aligned pairs.
const fn pairs(registers: u128) -> u128 {
    const EVEN: u128 = u128::MAX / 3;
    registers | (registers & EVEN) << 1 | registers >> 1 & EVEN
}
