//! The values of a field that are tried.

use std::mem::{Discriminant, discriminant};

use amdgpu_isa::layout::FieldInfo;
use amdgpu_isa::{DecodeError, Format, Inst, Opcode, Target, Value};

use crate::check::{Subject, Words, bytes};
use crate::forms::width;
use crate::words::set;

/// The width in bits of the widest fields that can be looked up as a whole. Wider ones are numbers, and the decoder
/// never looks at all their bits together.
pub const NARROW: u8 = 12;

/// The number of values that are spread over a wide field.
const SPREAD: u32 = 1 << 10;

/// Literals with bits set in both halves that print specially, because an inline constant has the same value: integers
/// from -16 to -1, and 1/(2*pi) as a float and as the upper half of a double.
const CONSTANTS: [u32; 18] = [
    0xffff_fff0,
    0xffff_fff1,
    0xffff_fff2,
    0xffff_fff3,
    0xffff_fff4,
    0xffff_fff5,
    0xffff_fff6,
    0xffff_fff7,
    0xffff_fff8,
    0xffff_fff9,
    0xffff_fffa,
    0xffff_fffb,
    0xffff_fffc,
    0xffff_fffd,
    0xffff_fffe,
    0xffff_ffff,
    0x3e22_f983,
    0x3fc4_5f30,
];

/// The greatest value of a field.
fn last(field: &FieldInfo) -> u32 {
    u32::MAX >> (32 - width(field))
}

/// Values of a wide field that may mean something else than their neighbours: 0 to 64, values with one bit set or with
/// one bit clear, the value with all bits set and, for a whole dword, `CONSTANTS`.
pub fn special(field: &FieldInfo) -> Vec<u32> {
    let last = last(field);
    let bits = (0..width(field)).flat_map(|bit| [1 << bit, last & !(1 << bit)]);
    let constants = if last == u32::MAX { &CONSTANTS[..] } else { &[last] };
    (0..=64).chain(bits).chain(constants.iter().copied()).collect()
}

/// The number of values that are spread over a wide field, and a function for the n-th of them.
pub fn spread(field: &FieldInfo) -> (u64, impl Fn(u64) -> u32) {
    // The factor is odd, so that no bit stays the same.
    let step = (last(field) / SPREAD) | 1;
    (SPREAD.into(), move |number| number as u32 * step)
}

/// The number of all values of a field, and a function for the n-th of them. For a whole dword, all values of each half
/// are tried, with zeros in the other half.
pub fn all(field: &FieldInfo) -> (u64, impl Fn(u64) -> u32) {
    let whole = width(field) == 32;
    let count = if whole { 2 << 16 } else { 1 << width(field) };
    (count, move |number| if whole { (number as u32 / 2) << (number % 2 * 16) } else { number as u32 })
}

/// The meaning of an instruction's words, apart from the value of a field.
#[derive(PartialEq)]
enum Meaning {
    Is(Opcode, Format, Option<Format>, usize, Option<Discriminant<Value>>),
    IsNot(Discriminant<DecodeError>),
}

fn meaning(field: &FieldInfo, decoded: Result<Inst, DecodeError>) -> Meaning {
    match decoded {
        Ok(inst) => {
            let operand = inst.operands().find(|operand| operand.role == Some(field.field));
            let kind = operand.map(|operand| discriminant(&operand.value));
            Meaning::Is(inst.opcode(), inst.format(), inst.extension(), inst.len(), kind)
        }
        Err(error) => Meaning::IsNot(discriminant(&error)),
    }
}

/// The values of a field at which its meaning changes: the first and the last of each run of values that are decoded in
/// the same way. For fields of at most four bits, all values; for fields wider than `NARROW`, four values.
pub fn ends(subject: &impl Subject, target: Target, start: &Words, field: &FieldInfo) -> Vec<u32> {
    let last = last(field);
    match width(field) {
        0..=4 => (0..=last).collect(),
        5..=NARROW => {
            let at = |value| {
                let mut words = *start;
                set(&mut words, field, value);
                meaning(field, subject.decode(target, &bytes(&words)))
            };
            let mut ends = vec![0];
            let mut before = at(0);
            for value in 1..=last {
                let now = at(value);
                if now != before {
                    ends.extend([value - 1, value]);
                }
                before = now;
            }
            ends.push(last);
            ends.dedup();
            ends
        }
        wide => vec![0, 1, 1 << (wide - 1), last],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// Each half of a dword takes every value, and so does every narrower field.
    #[test]
    fn all_values_of_a_field_are_tried() {
        let fields = || Target::Gfx900.layouts().iter().flat_map(|layout| layout.fields);
        let of = |bits| fields().find(|field| width(field) == bits).expect("some field has so many bits");
        let tried = |bits| {
            let (count, value) = all(of(bits));
            (0..count).map(value).collect::<HashSet<_>>()
        };
        let halves = (0..1 << 16).flat_map(|half| [half, half << 16]);
        assert_eq!(tried(32), halves.collect());
        for bits in [1, 9, 16] {
            assert_eq!(tried(bits), (0..1 << bits).collect(), "{bits} bits");
        }
    }
}
