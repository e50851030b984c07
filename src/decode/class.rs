//! Classes of instructions that are decoded in the same way, for the crate `prove`.

use crate::constraint::{constraints_of, constraints_of_form};
use crate::inst::Inst;
#[cfg(feature = "fast")]
use crate::table::sizes::OP_INDICES;
#[cfg(feature = "fast")]
use crate::target::FAST_DECODE;
use crate::target::{DECODE, DESCS, LENGTHS};

/// A class of instructions: the indices of the table entries with which all decoders and `length` read them.
///
/// Two instructions of one class are decoded by the same entries: the same values of their fields are accepted, and a
/// fault in an entry shows in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DecodingClass([u16; 9]);

impl DecodingClass {
    /// The class of an instruction.
    #[allow(clippy::useless_conversion)] // With few targets, a byte is enough for some of the numbers.
    pub fn of(inst: &Inst) -> DecodingClass {
        let (target, word) = (inst.target() as usize, inst.words().first().copied().unwrap_or(0));
        let (t, lead) = (DECODE[target], (word >> 23) as usize);
        let (index, form) = (inst.op_index() as u16, inst.form());
        let second = inst.second_index().map_or(0, |index| index as u16);
        let sized = t.sized.binary_search(&index).ok().and_then(|at| t.sized_numbers.get(at));
        // The entry of opcode index 0 stands for a missing second operation; this does no harm.
        DecodingClass([
            t.opcode_space_of[lead].into(),
            u16::from(form) << 8 | inst.len() as u16,
            constraints_of(t, index).into(),
            constraints_of_form(t, index, form).unwrap_or(0).into(),
            constraints_of(t, second).into(),
            fast_constraints_of(target, index),
            fast_constraints_of(target, second),
            sized.map_or(0, |number| u16::from(*number) + 1),
            LENGTHS[target].entries[lead].into(),
        ])
    }

    /// The signatures with which the instruction's operations are printed.
    pub fn signatures(inst: &Inst) -> [u16; 2] {
        let t = DESCS[inst.target() as usize];
        [inst.op_index(), inst.second_index().unwrap_or(0)].map(|index| t.number(index))
    }
}

/// The constraints of the fast path for an opcode index.
#[cfg(feature = "fast")]
#[allow(clippy::useless_conversion)]
fn fast_constraints_of(target: usize, index: u16) -> u16 {
    FAST_DECODE[target].constraints_of[usize::from(index) % OP_INDICES].into()
}

#[cfg(not(feature = "fast"))]
fn fast_constraints_of(_: usize, _: u16) -> u16 {
    0
}

/// A run of bits that a rule reads: its lowest bit, its width, and a number. For bits that decide whether the rule
/// applies, the number is the value that they must have; for the restricted bits, it is `Rule::n`. A run of width 0 is
/// unused.
pub type TiedBits = (u8, u8, u8);

/// The runs of bits that each rule of an instruction ties together: first the bits that the rule restricts, then the
/// bits that decide whether the rule applies.
pub fn tied(inst: &Inst) -> impl Iterator<Item = [TiedBits; 4]> {
    let t = DECODE[inst.target() as usize];
    let constraints = |index, form| {
        let number = constraints_of_form(t, index, form)?;
        let constraints = t.constraints.get(usize::from(number))?;
        t.rules.get(usize::from(constraints.rules)).copied()
    };
    let first = constraints(inst.op_index() as u16, inst.form());
    let second = inst.second_index().and_then(|index| constraints(index as u16, 0));
    first.into_iter().chain(second).flatten().map(|rule| {
        let [a, b, c] = rule.looks.map(|(bits, value)| (bits.0, bits.1, value));
        [(rule.field.0, rule.field.1, rule.n), a, b, c]
    })
}
