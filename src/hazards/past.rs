//! Instructions from which the next ones must keep a distance.

use crate::hazards::steps::Age;
use crate::inst::Inst;
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
    /// The registers of the instruction's vector result that later instructions have overwritten, which ends some rows
    /// for these registers. Bit N stands for the N-th register, counted from 0.
    pub(super) gone: u32,
    /// The numbers of instructions issued after `inst`, by kind.
    pub(super) age: Age,
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
    last_states: 0,
    last_valu: 0,
};

/// A stand-in for the instructions before a function, at its beginning: no instruction has come after them, and no row
/// has ended.
pub(super) const BEFORE: Past =
    Past { rows: u128::MAX, age: Age::NEW, last_states: u8::MAX, last_valu: u8::MAX, ..EMPTY };

impl Default for Past {
    fn default() -> Past {
        EMPTY
    }
}

/// Equality of all fields but the place. Ages above the longest distance count as equal.
impl PartialEq for Past {
    fn eq(&self, other: &Past) -> bool {
        let of = |past: &Past| {
            let last = (past.last_states, past.last_valu);
            let Age { states, valu, .. } = past.age;
            (Age { states: states.min(last.0), valu: valu.min(last.1), ..past.age }, last)
        };
        of(self) == of(other) && self.is_of(other)
    }
}

impl Eq for Past {}

impl Past {
    /// The key that instructions are sorted by.
    pub(super) fn order(&self) -> impl Ord + Copy + use<> {
        (self.inst.order(), self.msb.bits(), self.inherited)
    }

    /// Whether both entries are of the same instruction, with the same registers and rows, and as many transcendental
    /// operations after it. The entries then differ at most in the other counts of their ages, and in their places.
    pub(super) fn is_of(&self, other: &Past) -> bool {
        let of = |past: &Past| (past.rows, past.armed, past.gone, past.age.trans, past.msb, past.inherited);
        self.inst == other.inst && of(self) == of(other)
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
            self.place = other.place;
        }
        self.rows |= other.rows;
        self.armed |= other.armed;
        self.age.worsen(&other.age);
        self.last_states = self.last_states.max(other.last_states);
        self.last_valu = self.last_valu.max(other.last_valu);
    }
}
