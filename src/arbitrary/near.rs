//! Words that are nearly an instruction.

use ::arbitrary::{Error, Result, Unstructured};

use super::put;
use super::valid::{padded, place, valid};
use crate::check::RuleError;
use crate::decode::{decode, decode_words};
use crate::error::DecodeError;
use crate::inst::{HeldField, Inst};
use crate::table::MAX_DWORDS;
use crate::target::Target;
use crate::value::{Reg, Value};

/// The defect of words that are nearly a valid instruction: see [`near_valid`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Broken {
    /// The words do not decode.
    Decode(DecodeError),
    /// The words decode, but [`Inst::check`] refuses them.
    Rule(RuleError),
}

/// Bytes that are one change away from a valid instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NearValid {
    /// The valid instruction.
    pub valid: Inst,
    /// The defect.
    pub broken: Broken,
    bytes: [u8; 4 * MAX_DWORDS],
    words: [u32; MAX_DWORDS],
    /// The number of bytes in `bytes` that belong to the result.
    len: u8,
}

impl NearValid {
    /// The bytes; fewer than the valid instruction has if its end is cut off.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.len.into()).unwrap_or(&self.bytes)
    }

    /// The bytes as dwords, without an incomplete dword at the end, which only [`near_valid_bytes`] makes.
    pub fn words(&self) -> &[u32] {
        self.words.get(..usize::from(self.len / 4)).unwrap_or(&self.words)
    }

    fn new(valid: Inst, words: [u32; MAX_DWORDS], len: usize) -> Option<NearValid> {
        let mut bytes = [0; 4 * MAX_DWORDS];
        for (to, word) in bytes.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        let broken = match decode(valid.target(), bytes.get(..len)?) {
            Ok(inst) => Broken::Rule(inst.check().err()?),
            Err(error) => Broken::Decode(error),
        };
        Some(NearValid { valid, broken, bytes, words, len: len as u8 })
    }
}

/// Words that are not a valid instruction, and the reason: a valid instruction with one bit flipped, with another value
/// in one field, or without its last dwords.
///
/// If the instruction allows such a change, one result in four is cut off or has a bit flipped, one in two has a
/// forbidden value in a field, and one in four breaks a rule beyond decoding. The function takes at most 3 bytes more
/// than [`valid`]. The result has whole dwords, at least one; [`near_valid_bytes`] cuts off single bytes.
///
/// # Errors
/// Errors of [`Unstructured`]; no bytes are known to cause one.
pub fn near_valid(target: Target, u: &mut Unstructured<'_>) -> Result<NearValid> {
    near(target, u, 4)
}

/// Like [`near_valid`], but an instruction whose end is cut off has any number of bytes, even none: for decoders that
/// take bytes.
///
/// # Errors
/// The errors of [`near_valid`].
pub fn near_valid_bytes(target: Target, u: &mut Unstructured<'_>) -> Result<NearValid> {
    near(target, u, 1)
}

/// Nearly valid words. If they are cut off, a multiple of `unit` bytes is left, which is 0 only if `unit` is 1.
fn near(target: Target, u: &mut Unstructured<'_>, unit: usize) -> Result<NearValid> {
    let valid = valid(target, u)?;
    let (kind, place): (u8, u8) = u.arbitrary()?;
    let near = match kind % 8 {
        0 => cut(&valid, place, unit),
        1 => turn(&valid, place),
        2..=5 => reserve(&valid, place, u.arbitrary()?),
        _ => break_rule(&valid, place, u.arbitrary()?),
    };
    // Some instructions have no field with a forbidden value, and `s_movk_i32` of RDNA3.5 does not even have a bit
    // whose change makes it invalid. If no other change works, the plainest instruction is changed instead.
    let any =
        |valid: &Inst| turn(valid, place).or_else(|| reserve(valid, place, 0)).or_else(|| cut(valid, place, unit));
    let plainest = || plainest(target).ok();
    near.or_else(|| any(&valid)).or_else(|| any(&plainest()?)).ok_or(Error::IncorrectFormat)
}

/// The instruction that [`valid`] makes from no bytes. On every target, it becomes invalid if a certain bit is flipped.
fn plainest(target: Target) -> Result<Inst> {
    valid(target, &mut Unstructured::new(&[]))
}

/// Cuts off the end of an instruction, so that a multiple of `unit` bytes is left.
fn cut(valid: &Inst, place: u8, unit: usize) -> Option<NearValid> {
    let least = unit / 4;
    let choices = (valid.len() / unit).checked_sub(least).filter(|choices| *choices > 0)?;
    NearValid::new(*valid, padded(valid), (usize::from(place) % choices + least) * unit)
}

/// The changed words, with the old length or the length that they now need. Dwords beyond the original length are zero.
fn changed(valid: &Inst, words: [u32; MAX_DWORDS]) -> Option<NearValid> {
    let len = match decode_words(valid.target(), words.get(..valid.len() / 4)?) {
        Err(DecodeError::Truncated { needed }) => needed.into(),
        _ => valid.len(),
    };
    NearValid::new(*valid, words, len)
}

/// Flips one bit so that the words become invalid. The search for such a bit begins at bit `place`.
fn turn(valid: &Inst, place: u8) -> Option<NearValid> {
    let bits = valid.len() * 8;
    (0..bits).find_map(|n| {
        let mut words = padded(valid);
        put(&mut words, ((usize::from(place) + n) % bits) as u8, 1, |bit| !bit);
        changed(valid, words)
    })
}

/// Gives a field a forbidden value. The search for such a field begins at field number `at`, and the search for a value
/// at twice `start`.
fn reserve(valid: &Inst, at: u8, start: u8) -> Option<NearValid> {
    // The encoding and the operation are kept.
    let fields =
        || valid.fields().filter(|held| held.info.fixed.is_none() && held.info.field != crate::opcode::Field::Op);
    let count = fields().count();
    (0..count).find_map(|n| {
        let HeldField { first_bit: first, info: field, .. } = fields().nth((usize::from(at) + n) % count)?;
        let values = 1u32 << field.width.min(10);
        (0..values).find_map(|n| {
            let mut words = padded(valid);
            put(&mut words, first + field.lsb, field.width, |_| (u32::from(start) * 2 + n) % values);
            let near = changed(valid, words)?;
            matches!(near.broken, Broken::Decode(_)).then_some(near)
        })
    })
}

/// Changes the field of a register so that the instruction breaks a rule beyond decoding. The search for a suitable
/// field begins at number `at` of the register operands, and the search for a value at twice `start`.
fn break_rule(valid: &Inst, at: u8, start: u8) -> Option<NearValid> {
    let registers =
        || valid.operands().filter(|o| matches!(o.value, Value::Reg(Reg::Sgpr(_) | Reg::Vgpr(_) | Reg::Agpr(_))));
    let count = registers().count();
    (0..count).find_map(|n| {
        let (lsb, width, _) = place(valid, registers().nth((usize::from(at) + n) % count)?.role?)?;
        let values = 1u32 << width.min(9);
        (0..values).find_map(|n| {
            let mut words = padded(valid);
            put(&mut words, lsb, width, |_| (u32::from(start) * 2 + n) % values);
            let near = changed(valid, words)?;
            matches!(near.broken, Broken::Rule(_)).then_some(near)
        })
    })
}
