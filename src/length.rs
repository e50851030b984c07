//! Finds the length of an instruction from as few bits as possible. The function `length` has small tables of its own,
//! so that a program that needs only lengths links no other tables.

use crate::decode::{may_be_long, may_follow};
use crate::shared::length::{KIND, LISTED, ONE, TWO};
use crate::table::sizes::{ANY_JOINED, ANY_LISTED_LENGTH};
use crate::table::{Joined, LengthList, LengthTables};
use crate::target::{LENGTHS, Target};

/// Length in bytes of the instruction that begins with these bytes, without checking that the bytes decode.
///
/// If [`decode`](crate::decode()) accepts the bytes, the result is the [`Inst::len`](crate::Inst::len) of the
/// instruction. The result is `None` if no encoding has the first bits, or if there are too few bytes to find the
/// length. Finding the length is faster than decoding, for programs that skip most or all instructions.
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
    // Use branches instead of arithmetic: a branch is predicted, so the next step need not wait for the loads of this
    // one.
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
    // The caller has handled a plain `TWO`.
    if ANY_LISTED_LENGTH && entry & KIND == TWO {
        let t = LENGTHS[target as usize];
        return listed(t, t.lists.get(usize::from(entry ^ LISTED))?, bytes);
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

fn listed(t: &LengthTables, list: &LengthList, bytes: &[u8]) -> Option<usize> {
    let word_at = |dword: usize| bytes.get(dword * 4..)?.first_chunk().map(|word| u32::from_le_bytes(*word));
    let word = word_at(0)?;
    if ANY_JOINED && list.joined {
        let (first, third) = (u64::from(word) | u64::from(word_at(1).unwrap_or(0)) << 32, word_at(2).unwrap_or(0));
        let is_joined = |(joined, valid): &(Joined, &[u8])| {
            let opcode = joined.opcode(first, third).map(usize::from);
            opcode.is_some_and(|n| valid.get(n / 8).is_some_and(|bits| bits >> (n % 8) & 1 == 1))
        };
        if t.joined.iter().any(is_joined) {
            return Some(16);
        }
    }
    let op = (word >> (list.op_shift & 31)) as u16 & ((1 << (list.op_width & 15)) - 1);
    let has = list.runs.iter().take_while(|run| run.0 <= op).last().map_or(u8::MAX, |run| run.1);
    let mut dwords = list.dwords;
    for (n, announcer) in list.announcers.iter().enumerate() {
        if has >> (n & 7) & 1 == 0 {
            continue;
        }
        if announcer.is_in(word_at(usize::from(announcer.lsb / 32))? >> (announcer.lsb & 31)) {
            dwords += announcer.dwords;
            break;
        }
    }
    Some(usize::from(dwords) * 4)
}
