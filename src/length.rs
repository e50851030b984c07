//! Finds the length of an instruction from as few bits as possible. It has small tables of its own, so that a program
//! that needs only lengths links no others.

use crate::Target;
use crate::decode::{may_be_long, may_follow};
use crate::shared::length::{JOINED, KIND, ONE, TWO, UNKNOWN};
use crate::table::Joined;
use crate::target::LENGTHS;
use crate::target::generated::{ANY_JOINED, ANY_UNKNOWN_LENGTH};

/// Length in bytes of the instruction that begins with these bytes, without checking that it is valid.
///
/// If [`decode`](crate::decode()) accepts the bytes, the result is the [`Inst::len`](crate::Inst::len) of the
/// instruction. `None` if no encoding has the first bits, or if too few bytes are given to find the length. Faster than
/// decoding, for programs that skip most or all instructions.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{Target, length};
/// assert_eq!(length(Target::Gfx942, &[0x01, 0x05, 0x04, 0x80]), Some(4)); // s_add_u32 s4, s1, s5
/// assert_eq!(length(Target::Gfx942, &[0xff, 0x05, 0x04, 0x80]), Some(8)); // with a literal
/// # }
/// ```
#[inline]
pub fn length(target: Target, bytes: &[u8]) -> Option<usize> {
    let word = u32::from_le_bytes(*bytes.first_chunk()?);
    // Branches instead of arithmetic: a branch is predicted, so the next step need not wait for the loads of this one.
    let entry = LENGTHS[target as usize].entries[(word >> 23) as usize];
    if entry == TWO {
        Some(8)
    } else if !may_be_long(entry, word) {
        (entry != 0).then_some(4)
    } else {
        long(target, entry, bytes)
    }
}

fn long(target: Target, entry: u8, bytes: &[u8]) -> Option<usize> {
    let word = u32::from_le_bytes(*bytes.first_chunk()?);
    if ANY_JOINED && entry == JOINED {
        return Some(joined(target, bytes, word));
    }
    if ANY_UNKNOWN_LENGTH && entry == UNKNOWN {
        return unknown(target, bytes, word);
    }
    if !may_follow(entry, word) {
        return (entry != 0).then_some(4);
    }
    if entry & KIND == ONE {
        return Some(8);
    }
    let other = LENGTHS[target as usize].others.iter().find(|o| word & o.mask == o.value);
    let longer = other.is_none_or(|o| may_follow(o.trailing, word));
    Some(if longer { 8 } else { 4 })
}

/// Two dwords, or four where those after it make it another operation.
fn joined(target: Target, bytes: &[u8], word: u32) -> usize {
    let word_at = |first: usize| bytes.get(first..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let (second, third) = (word_at(4).unwrap_or(0), word_at(8).unwrap_or(0));
    let first = u64::from(word) | u64::from(second) << 32;
    let is_joined = |(joined, valid): &(Joined, &[u8])| {
        let opcode = joined.opcode(first, third).map(usize::from);
        opcode.is_some_and(|n| valid.get(n / 8).is_some_and(|bits| bits >> (n % 8) & 1 == 1))
    };
    if LENGTHS[target as usize].joined.iter().any(is_joined) { 16 } else { 8 }
}

/// The length where the first nine bits do not determine it: the second dword can announce a third, or two more dwords
/// can make it another operation.
fn unknown(target: Target, bytes: &[u8], word: u32) -> Option<usize> {
    let word_at = |first: usize| bytes.get(first..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let (second, third) = (word_at(4), word_at(8));
    let bits = u64::from(word) | u64::from(second.unwrap_or(0)) << 32;
    let dwords = crate::decode::dwords(target, bits, third.unwrap_or(0), 1 + usize::from(second.is_some()))?;
    Some(usize::from(dwords) * 4)
}
