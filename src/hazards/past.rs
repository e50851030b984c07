//! Instructions from which the next ones must keep a distance.

use crate::hazards::pair::parts;
use crate::hazards::steps::Age;
use crate::hazards::table::longest;
use crate::hazards::uses::Uses;
use crate::inst::Inst;
use crate::table::hazards::HazardTables;
use crate::vgpr_msb::VgprMsb;

/// An earlier instruction, and the rows of the rule tables in which it is a producer.
#[derive(Clone, Copy, Debug)]
pub struct Past {
    /// The rows in which the instruction is a producer and that nothing has ended: bit N stands for row N.
    pub(super) rows: u128,
    /// The rows whose further condition is met: the intermediate instruction has come, this is the second producer, or
    /// the registers were seen before.
    pub(super) armed: u128,
    pub(super) inst: Inst,
    pub(super) msb: VgprMsb,
    /// The place that `Hazards::issue_at` got for the instruction.
    pub(super) place: u32,
    /// Whether a caller issued the instruction.
    pub(super) inherited: bool,
    /// The registers of the instruction's vector result that later instructions have overwritten. Some rows have ended
    /// for these registers. Bit N stands for the N-th register, counted from 0.
    pub(super) gone: u32,
    /// The numbers of instructions issued after `inst`, by kind.
    pub(super) age: Age,
    /// A number that instructions share if no row distinguishes them: see [`kind`]. 0 if only the same instruction
    /// counts as equal.
    pub(super) kind: u32,
    /// The longest distance of the rows, in wait states.
    pub(super) last_states: u8,
    /// The longest distance of the rows, in vector operations.
    pub(super) last_valu: u8,
}

pub(super) const EMPTY: Past = Past {
    rows: 0,
    armed: 0,
    inst: Inst::of(0, 0, 0),
    msb: VgprMsb::ENTRY,
    place: 0,
    inherited: false,
    gone: 0,
    age: Age::OLD,
    kind: 0,
    last_states: 0,
    last_valu: 0,
};

/// A stand-in for the instructions before a function, at its beginning: no instruction has come after them, and no row
/// has ended.
pub(super) fn before_call(tables: &HazardTables) -> Past {
    let lasts = tables.rows.iter().map(|row| row.lasts).filter(|lasts| *lasts != u8::MAX).max().unwrap_or(0);
    let last_states = longest(u128::MAX, tables.lasts_states).max(lasts);
    let last_valu = longest(u128::MAX, tables.lasts_valu).max(Age::MOST);
    Past { rows: u128::MAX, age: Age::NEW, last_states, last_valu, ..EMPTY }
}

impl Default for Past {
    fn default() -> Past {
        EMPTY
    }
}

/// Equality of all fields but the place. Ages above the longest distance count as equal, and so do instructions that no
/// row distinguishes.
impl PartialEq for Past {
    fn eq(&self, other: &Past) -> bool {
        let of = |past: &Past| {
            let last = (past.last_states, past.last_valu);
            let Age { states, valu, .. } = past.age;
            (Age { states: states.min(last.0), valu: valu.min(last.1), ..past.age }, last)
        };
        of(self) == of(other) && self.is_same_entry(other)
    }
}

impl Eq for Past {}

impl Past {
    /// The key that instructions are sorted by.
    pub(super) fn order(&self) -> impl Ord + Copy + use<> {
        let (meta, words) = self.inst.order();
        let words = if self.has_kind() { Default::default() } else { words };
        (meta, self.kind, words, self.msb.bits(), self.inherited)
    }

    /// Whether both entries are of the same instruction, with the same registers and rows, and as many transcendental
    /// operations after it. The entries then differ at most in the other counts of their ages, and in their places.
    /// Instructions that no row distinguishes count as the same.
    pub(super) fn is_same_entry(&self, other: &Past) -> bool {
        let of = |past: &Past| (past.rows, past.armed, past.gone, past.age.trans, past.msb, past.inherited, past.kind);
        of(self) == of(other) && self.is_same(other)
    }

    /// Whether both entries are of the same instruction, or of instructions that are the same for all of the rows.
    fn is_same(&self, other: &Past) -> bool {
        self.inst == other.inst || self.has_kind() && is_alike(self, other)
    }

    /// Whether this entry makes every demand that `other` makes on later instructions: it is of the same instruction,
    /// is not older, and lacks none of the rows and registers.
    pub(super) fn implies(&self, other: &Past) -> bool {
        let of =
            |past: &Past| (past.age.trans, past.age.by_kind, past.age.counted, past.msb, past.inherited, past.kind);
        let distance = |past: &Past| (past.age.states.min(past.last_states), past.age.valu.min(past.last_valu));
        let (own, others) = (distance(self), distance(other));
        (other.rows & !self.rows, other.armed & !self.armed, self.gone & !other.gone) == (0, 0, 0)
            && (own.0 <= others.0 && own.1 <= others.1)
            && of(self) == of(other)
            && self.is_same(other)
    }

    /// Whether other instructions may be of the same kind: always `false` in a bounded state. Without an allocator, all
    /// states are bounded.
    fn has_kind(&self) -> bool {
        cfg!(feature = "alloc") && self.kind != 0
    }

    /// Whether no rule with this instruction as its producer can apply any more.
    pub(super) fn is_over(&self) -> bool {
        self.rows == 0 || self.is_far()
    }

    /// Whether the longest distances in both units have passed.
    pub(super) fn is_far(&self) -> bool {
        self.age.states >= self.last_states && self.age.valu >= self.last_valu
    }

    /// Takes the worse of both entries.
    pub(super) fn worsen(&mut self, other: &Past) {
        if self.rows == 0 {
            *self = *other;
            return;
        }
        if other.age.states < self.age.states {
            (self.inst, self.place) = (other.inst, other.place);
        }
        self.rows |= other.rows;
        self.armed |= other.armed;
        self.age.worsen(&other.age);
        self.last_states = self.last_states.max(other.last_states);
        self.last_valu = self.last_valu.max(other.last_valu);
    }
}

/// A hash of the [`parts`] of a producer, never 0; or 0 if only the same instruction counts as equal to the producer.
pub(super) fn kind(tables: &HazardTables, rows: u128, uses: &Uses<'_>) -> u32 {
    let is_about_registers = tables.numbered(rows).all(|(_, row)| row.is_about_registers());
    if !is_about_registers || uses.inst.perhaps_read().1 != 0 {
        return 0;
    }
    let mix = |hash: u32, n: usize| (hash ^ n as u32).wrapping_mul(0x9e37_79b1).rotate_left(15);
    parts(tables, rows, uses).fold(0, |hash, (first, count)| mix(mix(hash, first), count)) | 1
}

/// Whether two instructions of the same kind are the same for all of their rows.
fn is_alike(a: &Past, b: &Past) -> bool {
    let (one, other) = (Uses::of(&a.inst, a.msb), Uses::of(&b.inst, b.msb));
    let tables = HazardTables::of(&a.inst);
    a.inst.order().0 == b.inst.order().0 && parts(tables, a.rows, &one).eq(parts(tables, b.rows, &other))
}
