//! Earlier instructions with rules that no distance ends: another instruction has to come before the consumer.

use super::room::Room;
use super::steps::Age;
use crate::inst::Inst;
use crate::vgpr_msb::VgprMsb;

/// An earlier instruction, and a rule that demands another instruction before some registers are used.
#[derive(Clone, Copy, Debug)]
pub struct Owed {
    /// The number of the rule's row in the tables.
    pub row: u8,
    /// Whether the row's further condition is met: the intermediate instruction has come, or the registers were seen
    /// before.
    pub armed: bool,
    /// Whether a caller issued the instruction.
    pub inherited: bool,
    /// Whether the instruction reads the registers only if an image has enough dimensions.
    pub perhaps: bool,
    /// The first register, as a bit of `RegSet`.
    pub first: u16,
    /// The number of registers; 0 if the row is not about registers.
    pub count: u16,
    /// The earlier instruction.
    pub inst: Inst,
    pub msb: VgprMsb,
    /// The place that `Hazards::issue_at` got for the instruction.
    pub place: u32,
    /// The numbers of instructions issued after `inst`, by kind.
    pub age: Age,
}

/// Equality of all fields but the instruction, the upper bits of its registers, and its place.
impl PartialEq for Owed {
    fn eq(&self, other: &Owed) -> bool {
        let of = |owed: &Owed| (owed.row, owed.armed, owed.inherited, owed.perhaps, owed.first, owed.count, owed.age);
        of(self) == of(other)
    }
}

impl Eq for Owed {}

impl Default for Owed {
    fn default() -> Owed {
        Owed::NONE
    }
}

impl Owed {
    pub const NONE: Owed = Owed {
        row: 0,
        armed: false,
        inherited: false,
        perhaps: false,
        first: 0,
        count: 0,
        inst: Inst::of(0, 0, 0),
        msb: VgprMsb::ENTRY,
        place: 0,
        age: Age::OLD,
    };

    fn key(&self) -> (u8, u16) {
        (self.row, self.first)
    }

    fn end(&self) -> u16 {
        self.first + self.count
    }

    /// The parts of the entry below these registers and above them.
    fn without(&self, (first, count): (u16, u16)) -> [Option<Owed>; 2] {
        let before = Owed { count: first.saturating_sub(self.first).min(self.count), ..*self };
        let from = (first + count).max(self.first).min(self.end());
        let after = Owed { first: from, count: self.end() - from, ..*self };
        [before, after].map(|rest| (rest.count > 0).then_some(rest))
    }

    /// Whether this entry demands at least as much as `other` for the registers that both entries have.
    fn replaces(&self, other: &Owed) -> bool {
        let demands = (!self.armed, self.perhaps) <= (!other.armed, other.perhaps);
        self.row == other.row && self.inherited == other.inherited && demands
    }

    /// Whether this entry can stand for both entries where two paths meet. The effect of a wait depends on the number
    /// of transcendental operations, so the same number of them must have come after both instructions.
    fn includes(&self, other: &Owed) -> bool {
        self.replaces(other) && self.age.trans == other.age.trans
    }

    /// Takes the worse of both ages. Returns whether the age changed.
    fn worsen(&mut self, other: &Owed) -> bool {
        let before = self.age;
        self.age.worsen(&other.age);
        if self.age.states < before.states {
            (self.inst, self.msb, self.place) = (other.inst, other.msb, other.place);
        }
        self.age != before
    }

    fn meets(&self, (first, count): (u16, u16)) -> bool {
        self.first < first + count && first < self.end()
    }
}

/// Adds the entry of an issued instruction, and removes its registers from older entries of the same row. Returns
/// whether there was room.
pub fn add(all: &mut impl Room<Owed>, new: Owed) -> bool {
    put(all, new, |old| new.replaces(old))
}

/// Adds an entry, and removes its registers from the entries that `is_meant` selects. Returns whether there was room.
fn put(all: &mut impl Room<Owed>, new: Owed, is_meant: impl Fn(&Owed) -> bool) -> bool {
    if new.count == 0 {
        all.keep(|old| !(is_meant(old) && old.count == 0));
    } else {
        take(all, (new.first, new.count), is_meant);
    }
    let at = all.partition_point(|old| old.key() <= new.key());
    all.put(at, new)
}

/// Removes registers from the entries that `is_meant` selects.
pub fn take(all: &mut impl Room<Owed>, run: (u16, u16), is_meant: impl Fn(&Owed) -> bool) {
    let mut n = 0;
    while let Some(old) = all.get(n).copied() {
        n += 1;
        if old.count == 0 || old.row == GONE || !old.meets(run) || !is_meant(&old) {
            continue;
        }
        let [before, after] = old.without(run);
        let Some(place) = all.get_mut(n - 1) else { continue };
        match (before, after) {
            (Some(before), after) => {
                *place = before;
                if let Some(after) = after {
                    all.put(n, after);
                }
            }
            (None, Some(after)) => *place = after,
            (None, None) => place.row = GONE,
        }
    }
    all.keep(|owed| owed.row != GONE);
}

/// The row of an entry that is to be removed: a number that no row of a table has.
const GONE: u8 = u8::MAX;

/// Adds the entry of another path, except the registers for which an existing entry demands as much already. Returns
/// whether anything is new, and whether there was room.
pub fn join(all: &mut impl Room<Owed>, new: &Owed) -> (bool, bool) {
    if new.count == 0 {
        let known = all.iter_mut().find(|old| old.count == 0 && old.includes(new));
        return match known {
            Some(known) => (known.worsen(new), true),
            None => (true, put(all, *new, |old| new.includes(old))),
        };
    }
    let (mut rest, mut is_new, mut has_room) = (Some(*new), false, true);
    while let Some(part) = rest {
        // The first entry that can stand for `part` and has one of its registers.
        let known = all.iter().filter(|old| old.includes(&part) && old.meets((part.first, part.count)));
        let known = known.min_by_key(|old| old.first).copied();
        let [before, after] = match known {
            Some(known) => part.without((known.first, known.count)),
            None => [Some(part), None],
        };
        if let Some(before) = before {
            is_new = true;
            has_room &= put(all, before, |old| before.includes(old));
        }
        if let Some(mut both) = known {
            if both.worsen(&part) {
                let first = both.first.max(part.first);
                (both.first, both.count) = (first, both.end().min(part.end()) - first);
                is_new = true;
                has_room &= put(all, both, |old| both.includes(old));
            }
        }
        rest = after;
    }
    (is_new, has_room)
}
