//! Decodes words into instructions.

pub(crate) mod canonical;
pub(crate) mod class;
#[cfg(feature = "fast")]
pub(crate) mod fast;
mod walk;

use crate::constraint::refusal::{reserved_bit, reserved_value, unknown};
use crate::constraint::{
    Bad, Pairs, base_dwords, broken, constraints_of, further, listed, mask, op_index, opcode_space, refused,
    refused_by, second_index, wide_of,
};
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::opcode::code;
use crate::shared::constraint_flags;
#[cfg(feature = "fast")]
use crate::table::sizes::ANY_THIRD;
use crate::table::sizes::{ANY_JOINED, CONSTRAINT_FLAGS, ConstraintIndex, TRAILING};
use crate::table::{DecodeTables, OpcodeSpace, OperandDesc, trailing};
#[cfg(feature = "fast")]
use crate::target::FAST_DECODE;
use crate::target::{DECODE, Target};

#[cfg(feature = "fast")]
use fast::Fast;

pub use walk::{Decoded, Decoder, Invalid, WordDecoder};

/// Source codes that announce another dword.
const LITERAL: u32 = code::LITERAL as u32;
const SDWA: u32 = code::SDWA as u32;
const DPP: u32 = code::DPP as u32;

/// Decodes the first instruction of `bytes` (little-endian dwords, as in memory).
///
/// Bytes after the instruction do not matter. The function never panics.
///
/// # Errors
/// The reason why the bytes are not an instruction; [`DecodeError::Truncated`] if more bytes could make one.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::{Opcode, Target, decode};
/// let inst = decode(Target::Gfx942, &[0x01, 0x05, 0x04, 0x80]).unwrap();
/// assert_eq!(inst.opcode(), Opcode::SAddU32);
/// assert_eq!(inst.len(), 4);
/// assert_eq!(inst.to_string(), "s_add_u32 s4, s1, s5");
/// # }
/// # #[cfg(all(feature = "gfx942", feature = "text"))]
/// # extern crate std;
/// # #[cfg(all(feature = "gfx942", feature = "text"))]
/// # use std::string::ToString;
/// ```
#[inline]
#[doc(alias = "disassemble")]
#[doc(alias = "getInstruction")]
#[doc(alias = "LLVMDisasmInstruction")]
pub fn decode(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    match fast_bytes(target, bytes) {
        Some(inst) => Ok(inst),
        None => reference_bytes(target, bytes),
    }
}

/// The first instruction of `bytes`, if the fast path finds it.
#[inline(always)]
pub(crate) fn fast_bytes(target: Target, bytes: &[u8]) -> Option<Inst> {
    let first = match bytes.first_chunk() {
        Some(first) => decode_fast(target, u64::from_le_bytes(*first), || third(bytes)),
        None => bytes.first_chunk().and_then(|word| last(target, u32::from_le_bytes(*word))),
    };
    first.map(|(next, _)| next.inst())
}

/// Decodes as a build without the feature `fast` does, so that the proofs can compare both decoders in one build.
#[doc(hidden)]
pub fn decode_small(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    reference_bytes(target, bytes)
}

/// Decodes the first instruction of a slice of dwords, like [`decode`].
///
/// # Errors
/// As for [`decode`].
#[inline]
pub fn decode_words(target: Target, dwords: &[u32]) -> Result<Inst, DecodeError> {
    match fast_words(target, dwords) {
        Some(inst) => Ok(inst),
        None => reference_words(target, dwords),
    }
}

/// The first instruction of `dwords`, if the fast path finds it.
#[inline(always)]
pub(crate) fn fast_words(target: Target, dwords: &[u32]) -> Option<Inst> {
    let first = match *dwords {
        [low, high, ..] => decode_fast(target, u64::from(low) | u64::from(high) << 32, || dwords.get(2).copied()),
        [word] => last(target, word),
        [] => None,
    };
    first.map(|(next, _)| next.inst())
}

/// Decodes base words of one or two dwords, given as `bits`, with their literal.
#[cfg(feature = "make")]
#[inline]
pub(crate) fn decode_pair(target: Target, bits: u64, dwords: usize, literal: Option<u32>) -> Option<Inst> {
    if literal.is_none() {
        if let Some((next, _)) = decode_fast(target, bits, || None) {
            return Some(next.inst());
        }
    }
    let (low, high, last) = (bits as u32, (bits >> 32) as u32, literal.unwrap_or(0));
    let words = if dwords == 1 { [low, last, 0] } else { [low, high, last] };
    decode_words(target, words.get(..dwords + usize::from(literal.is_some())).unwrap_or(&words)).ok()
}

/// A decoded instruction of one to three dwords, before it becomes an `Inst`: its bits and its `Inst::meta`. A `meta`
/// of zero means that there is no instruction.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    bits: u64,
    #[cfg(feature = "fast")]
    third: Third,
    meta: u32,
}

/// The third dword, or an empty array if no fast path reads a third dword.
#[cfg(feature = "fast")]
type Third = [u32; ANY_THIRD as usize];

impl Next {
    #[inline(always)]
    fn inst(self) -> Inst {
        #[cfg(feature = "fast")]
        let third = self.third.first().copied().unwrap_or(0);
        #[cfg(not(feature = "fast"))]
        let third = 0;
        Inst::of(self.bits, third, self.meta)
    }
}

/// The third dword, if the fast path of some target needs it.
#[inline(always)]
fn third(bytes: &[u8]) -> Option<u32> {
    #[cfg(feature = "fast")]
    if ANY_THIRD {
        return bytes.get(8..).and_then(|rest| rest.first_chunk()).map(|third| u32::from_le_bytes(*third));
    }
    _ = bytes;
    None
}

/// Decodes an instruction of one to three dwords, and returns its length in bytes too; `None` if `reference` must
/// decode the words. Only `reference` finds errors, which keeps this function short.
#[cfg(feature = "fast")]
#[inline(always)]
fn decode_fast(target: Target, bits: u64, third: impl FnOnce() -> Option<u32>) -> Option<(Next, usize)> {
    // The third dword is read late, because few instructions have one.
    let (Fast { meta, all, more }, third) = match fast::look(FAST_DECODE[target as usize], bits) {
        Some(fast) => (fast, 0),
        None => {
            let third = third();
            let fast = fast::any(target, bits, third)?;
            let third = if ANY_THIRD && fast.more > 4 { third? } else { 0 };
            (fast, third)
        }
    };
    // Clear the bits after the instruction.
    let more = more & if ANY_THIRD { 12 } else { 4 };
    Some((Next { bits: bits & all, third: [third; ANY_THIRD as usize], meta }, 4 + more as usize))
}

#[cfg(not(feature = "fast"))]
#[inline(always)]
fn decode_fast(_: Target, _: u64, _: impl FnOnce() -> Option<u32>) -> Option<(Next, usize)> {
    None
}

/// Decodes the last dword of the code, if the fast path finds an instruction of one dword there.
#[inline]
fn last(target: Target, word: u32) -> Option<(Next, usize)> {
    decode_fast(target, word.into(), || None).filter(|&(_, len)| len == 4)
}

#[cold]
fn reference_bytes(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    let mut pairs = Pairs::default();
    let mut rest = bytes;
    for pair in &mut pairs {
        let Some((both, after)) = rest.split_first_chunk() else {
            *pair = rest.first_chunk().map_or(0, |word| u32::from_le_bytes(*word).into());
            break;
        };
        *pair = u64::from_le_bytes(*both);
        rest = after;
    }
    reference(target, pairs, bytes.len() / 4)
}

#[cold]
fn reference_words(target: Target, dwords: &[u32]) -> Result<Inst, DecodeError> {
    let mut pairs = Pairs::default();
    for (pair, two) in pairs.iter_mut().zip(dwords.chunks(2)) {
        *pair = two.iter().rev().fold(0, |both, word| both << 32 | u64::from(*word));
    }
    reference(target, pairs, dwords.len())
}

/// The operation, form and length that the codes in the words select, before the words are checked.
struct Found {
    op_index: u16,
    form: u8,
    /// Constraints of the form.
    constraints: ConstraintIndex,
    /// Constraints of the second operation; 0 if there is only one operation.
    second: ConstraintIndex,
    dwords: u8,
}

impl Found {
    fn meta(&self) -> u32 {
        Inst::meta(self.op_index.into(), self.form)
    }
}

/// Decodes any instruction, and finds errors.
fn reference(target: Target, mut pairs: Pairs, available: usize) -> Result<Inst, DecodeError> {
    if available == 0 {
        return Err(DecodeError::Truncated { needed: 4 });
    }
    let t = DECODE[target as usize];
    if t.opcode_space_of[(pairs[0] as u32 >> 23) as usize] == 0 {
        return Err(DecodeError::UnknownEncoding);
    }
    let opcode_space = opcode_space(t, pairs[0] as u32);
    let Some(found) = find_joined(t, pairs[0], pairs[1] as u32).or_else(|| find(t, pairs[0], opcode_space)) else {
        return Err(unknown(t, pairs[0]));
    };
    if available < usize::from(found.dwords) {
        return Err(DecodeError::Truncated { needed: found.dwords * 4 });
    }
    // Clear the bits after the instruction.
    for (pair, before) in pairs.iter_mut().zip([0, 2, 4]) {
        *pair &= match found.dwords.saturating_sub(before) {
            0 => 0,
            1 => u32::MAX.into(),
            _ => u64::MAX,
        };
    }
    let checked = usize::from(opcode_space.checked);
    let flags = check_constraints(t, found.constraints, checked, &pairs)?;
    if CONSTRAINT_FLAGS & flags & constraint_flags::DUAL != 0 {
        check_constraints(t, found.second, checked, &pairs)?;
    }
    let half = |n: usize| (pairs[n / 2] >> (n % 2 * 32)) as u32;
    let words = [half(0), half(1), half(2), half(3), half(4)];
    let inst = Inst::new(target, words, found.meta(), found.dwords.into());
    if CONSTRAINT_FLAGS & flags & constraint_flags::SIZED != 0 {
        sized(t, &found).try_for_each(|desc| crate::codec::check_length(&inst, &desc))?;
    }
    Ok(inst)
}

/// The operands whose length other fields determine.
fn sized(t: &'static DecodeTables, found: &Found) -> impl Iterator<Item = OperandDesc> + use<> {
    let number = t.sized.binary_search(&found.op_index).ok().and_then(|n| t.sized_numbers.get(n));
    let (number, form) = (number.copied(), found.form);
    let mine = t.sized_operands.iter().filter(move |of| Some(of.number) == number && of.form == form);
    mine.filter_map(|of| {
        let shape = t.sized_shapes.get(usize::from(of.shape))?;
        Some(OperandDesc { kind: shape.kind.with_shape(of.address), dwords: of.dwords, ..*shape })
    })
}

/// Checks the words against constraints, and returns the flags of the constraints.
fn check_constraints(
    t: &DecodeTables,
    number: ConstraintIndex,
    checked: usize,
    pairs: &Pairs,
) -> Result<u8, DecodeError> {
    let constraints = t.constraints.get(usize::from(number)).ok_or(DecodeError::UnknownEncoding)?;
    let bits = pairs[0];
    let (ones, more) = further(t, number, constraints);
    let wrong = bits & mask(t, constraints.zeros) | !bits & ones;
    if wrong != 0 {
        return Err(reserved_bit(t, number, wrong.trailing_zeros() as u8));
    }
    let mut bad = refused(t, constraints, more, checked, bits);
    if CONSTRAINT_FLAGS & constraints.flags & constraint_flags::WIDE != 0 && bad.is_none() {
        bad = check_high_dwords(t, number, pairs[1])?;
    }
    if let Some(bad) = bad.or_else(|| broken(t, constraints, pairs)) {
        return Err(reserved_value(t, number, bad));
    }
    Ok(constraints.flags)
}

/// Checks the third and fourth dword.
fn check_high_dwords(t: &DecodeTables, number: ConstraintIndex, bits: u64) -> Result<Option<Bad>, DecodeError> {
    let Some(wide) = wide_of(t, number) else { return Ok(None) };
    let wrong = bits & mask(t, wide.zeros) | !bits & mask(t, wide.ones);
    if wrong != 0 {
        return Err(reserved_bit(t, number, 64 + wrong.trailing_zeros() as u8));
    }
    // The bit numbers of these checks count from the third dword.
    Ok(refused_by(t, wide.checks, bits).map(|bad| Bad { lsb: bad.lsb + 64, ..bad }))
}

/// Whether a code in the word can announce another dword: a cheap test to make before `may_follow`.
#[inline(always)]
pub(crate) fn may_be_long(trailing: u8, word: u32) -> bool {
    // SDWA has the lowest of the codes that `may_follow` looks for.
    trailing & trailing::ALWAYS != 0 || word & 0xff >= SDWA || word & 0xff00 == LITERAL << 8
}

/// Whether a dword follows the base word. `trailing` lists the dwords that can follow the operation.
#[inline(always)]
pub(crate) fn may_follow(trailing: u8, word: u32) -> bool {
    let (low, src0, high) = (word & 0xff, word & 0x1ff, word >> 8 & 0xff);
    trailing & trailing::ALWAYS != 0
        || trailing & trailing::SSRC0 != 0 && low == LITERAL
        || trailing & trailing::SSRC1 != 0 && high == LITERAL
        || trailing & trailing::SRC0 != 0 && src0 == LITERAL
        || trailing & trailing::SDWA != 0 && src0 == SDWA
        || trailing & trailing::DPP != 0 && src0 == DPP
}

/// Finds an operation of four dwords whose first two dwords are an instruction of their own.
fn find_joined(t: &DecodeTables, first: u64, third: u32) -> Option<Found> {
    if !ANY_JOINED {
        return None;
    }
    let op_index = t.joined.iter().find_map(|j| Some(j.base + j.opcode(first, third)?))?;
    let constraints = constraints_of(t, op_index);
    (constraints != 0).then_some(Found { op_index, form: 0, constraints, second: 0, dwords: 4 })
}

/// Finds the operation, its form and its length from the first one or two dwords.
fn find(t: &DecodeTables, bits: u64, opcode_space: &OpcodeSpace) -> Option<Found> {
    let word = bits as u32;
    let op_index = op_index(opcode_space, bits);
    let base = constraints_of(t, op_index);
    if base == 0 {
        return None;
    }
    let constraints = t.constraints.get(usize::from(base))?;
    let wide = CONSTRAINT_FLAGS & constraints.flags & constraint_flags::WIDE != 0;
    let dwords = if wide { base_dwords(t, base) } else { 1 + u8::from(constraints.trailing & trailing::TWO != 0) };
    let mut found = Found { op_index, form: 0, constraints: base, second: 0, dwords };
    if may_follow(constraints.trailing, word) {
        found.dwords += 1;
        let form = match word & 0x1ff {
            SDWA if constraints.trailing & trailing::SDWA != 0 => 1,
            DPP if constraints.trailing & trailing::DPP != 0 => 2,
            _ if CONSTRAINT_FLAGS & constraints.flags & constraint_flags::DUAL != 0 => 0,
            _ => return Some(found),
        };
        if form != 0 {
            (found.form, found.constraints) =
                (form, *t.forms.get(usize::from(constraints.forms))?.get(usize::from(form) - 1)?);
        }
    } else if TRAILING & constraints.trailing & trailing::LIST != 0 {
        if let Some((dword, dwords)) = listed(t, base, bits) {
            found.dwords += dwords;
            if dword.form != 0 {
                (found.form, found.constraints) = (dword.form, dword.of);
            }
        }
    }
    if CONSTRAINT_FLAGS & constraints.flags & constraint_flags::DUAL != 0 {
        found.second = constraints_of(t, second_index(t, word)?);
        let second = t.constraints.get(usize::from(found.second)).filter(|_| found.second != 0)?;
        // Both operations share one literal.
        if second.trailing & trailing::ALWAYS != 0 || listed(t, found.second, bits).is_some() {
            found.dwords = dwords + 1;
        }
    }
    Some(found)
}
