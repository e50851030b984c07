//! Instructions from arbitrary bytes, for fuzzing.

use ::arbitrary::{Arbitrary, Error, Result, Unstructured};

use crate::decode::MAX_DWORDS;
use crate::{DecodeError, Inst, Layout, Opcode, Target, decode_words};

/// More changes than any words need: each field of a check runs through its values at most once.
const MAX_CHANGES: usize = 8192;

/// A legal instruction of any enabled target: first the target and the operation, then its words, in which
/// what the decoder refuses is changed until it takes them. Takes 24 bytes or less; zeros give the plainest one.
impl<'a> Arbitrary<'a> for Inst {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Inst> {
        let target = *u.choose(Target::ALL)?;
        let (mut words, mut len) = operation(target, u)?;
        for _ in 0..MAX_CHANGES {
            match decode_words(target, words.get(..len).unwrap_or(&words)) {
                Ok(inst) => return Ok(inst),
                Err(DecodeError::Truncated { needed }) => {
                    let dwords = usize::from(needed / 4).min(MAX_DWORDS);
                    for word in words.get_mut(len..dwords).unwrap_or(&mut []) {
                        *word = u.arbitrary()?;
                    }
                    len = dwords;
                }
                Err(DecodeError::ReservedBits { bit, .. }) => {
                    put(&mut words, bit, 1, |b| !b);
                }
                // The next value up: every value is met in the end.
                Err(DecodeError::ReservedValue { lsb, width, .. }) => {
                    put(&mut words, lsb, width, |v| v.wrapping_add(1))
                }
                Err(_) => break,
            }
        }
        Err(Error::IncorrectFormat)
    }

    fn size_hint(_: usize) -> (usize, Option<usize>) {
        (0, Some(4 + MAX_DWORDS * 4))
    }
}

/// The base words of any operation that the target has, with arbitrary bits in all other fields.
fn operation(target: Target, u: &mut Unstructured<'_>) -> Result<([u32; MAX_DWORDS], usize)> {
    let first = u.choose_index(Opcode::ALL.len())?;
    // The target may lack it; one behind it will do.
    let all = Opcode::ALL.iter().cycle().skip(first).take(Opcode::ALL.len());
    let Some(opcode) = all.copied().find(|op| op.encodings(target).next().is_some()) else {
        return Err(Error::IncorrectFormat);
    };
    let encoding = u.choose_index(opcode.encodings(target).count())?;
    let Some((format, number)) = opcode.encodings(target).nth(encoding) else { return Err(Error::IncorrectFormat) };
    let Some(layout) = target.layouts().iter().find(|l| l.format == format) else {
        return Err(Error::IncorrectFormat);
    };
    let len = usize::from(layout.bits / 32);
    let mut words = [0; MAX_DWORDS];
    for word in words.get_mut(..len).unwrap_or(&mut []) {
        *word = u.arbitrary()?;
    }
    encode(layout, number, &mut words);
    Ok((words, len))
}

/// Puts in the encoding bits and the number of the operation.
fn encode(layout: &Layout, number: u16, words: &mut [u32; MAX_DWORDS]) {
    for field in layout.fields {
        let value = field.fixed.or((field.field == crate::Field::Op).then_some(number));
        if let Some(value) = value {
            put(words, field.lsb, field.width, |_| value.into());
            if field.hi_width > 0 {
                put(words, field.hi, field.hi_width, |_| u32::from(value) >> field.width);
            }
        }
    }
}

/// Changes a run of bits; `lsb` counts from the start of the instruction.
fn put(words: &mut [u32; MAX_DWORDS], lsb: u8, width: u8, new: impl Fn(u32) -> u32) {
    let at = usize::from(lsb / 32);
    let shift = lsb % 32;
    // No field lies in two dwords.
    if let Some(word) = words.get_mut(at) {
        let mask = ((1u64 << width) - 1) as u32;
        let value = new(*word >> shift & mask) & mask;
        *word = *word & !(mask << shift) | value << shift;
    }
}
