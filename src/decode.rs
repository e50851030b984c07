//! From words to instructions.

use crate::common::number;
use crate::table::{Check, Class, DecodeTables, Family, Follow, NO_SHAPE, NONE, special, tail};
use crate::target::generated::ANY_SIZED;
use crate::target::{DECODE, LAYOUT, OPERANDS};
use crate::{DecodeError, Field, Format, Inst, Target};

/// Dwords of the longest instruction of any target.
pub(crate) const MAX_DWORDS: usize = 5;

/// Decodes the first instruction of `bytes` (little-endian dwords, as in memory).
///
/// Looks at no byte behind the instruction, and never panics.
///
/// # Errors
/// Why the bytes are no instruction; [`DecodeError::Truncated`] if more bytes could make them one.
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
pub fn decode(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    match bytes.first_chunk().and_then(|first| quick(target, u64::from_le_bytes(*first))) {
        Some(inst) => Ok(inst),
        None => careful_bytes(target, bytes),
    }
}

/// Decodes the first instruction of a slice of dwords. Like [`decode`] otherwise.
///
/// # Errors
/// As [`decode`].
#[inline]
pub fn decode_words(target: Target, dwords: &[u32]) -> Result<Inst, DecodeError> {
    let first = match *dwords {
        [low, high, ..] => quick(target, u64::from(low) | u64::from(high) << 32),
        _ => None,
    };
    match first {
        Some(inst) => Ok(inst),
        None => careful_words(target, dwords),
    }
}

/// Decodes what has one or two dwords and is in order. Whatever else there is, `careful` decides: it alone knows
/// errors, so that this is short.
#[inline(always)]
fn quick(target: Target, bits: u64) -> Option<Inst> {
    let meta = recognise(target, bits);
    // What stands behind the instruction is not part of it.
    let high = if meta >> 29 == 1 { 0 } else { (bits >> 32) as u32 };
    (meta != 0).then(|| Inst::from_parts(target, [bits as u32, high, 0, 0, 0], meta))
}

/// `Inst::meta` without the target; zero for what `careful` must look at. A call whose arguments and result fit in
/// registers: inlined, it would make every loop around it spill its own.
#[inline(never)]
fn recognise(target: Target, bits: u64) -> u32 {
    find_quick(DECODE[target as usize], bits).unwrap_or(0)
}

#[inline(always)]
fn find_quick(t: &DecodeTables, bits: u64) -> Option<u32> {
    let word = bits as u32;
    let family = family(t, word)?;
    let slot = slot(family, word);
    let mut shape = shape(t, family, slot)?;
    let mut class = t.classes.get(usize::from(shape))?;
    let mut dwords = class.dwords;
    if may_be_long(class.tail, word) && may_follow(class.tail, word) {
        dwords += 1;
        if let Some(form) = form(t, class.tail, shape, word) {
            shape = form;
            class = t.classes.get(usize::from(form))?;
        }
    } else if class.tail & tail::LIST != 0 {
        if let Some(follow) = listed(t, shape, bits) {
            dwords += 1;
            if let Some(form) = follow.form.checked_sub(1) {
                shape = form;
                class = t.classes.get(usize::from(form))?;
            }
        }
    }
    // A table says nothing of bits behind the instruction.
    let good = dwords <= 2 && satisfies(t, class, bits) && (class.special == 0 || rare(t, class, bits));
    good.then(|| Inst::meta(slot, shape, dwords))
}

#[cold]
fn careful_bytes(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    let mut words = [0u32; MAX_DWORDS];
    let mut available = 0;
    let mut rest = bytes;
    for word in &mut words {
        let Some((chunk, behind)) = rest.split_first_chunk() else { break };
        *word = u32::from_le_bytes(*chunk);
        rest = behind;
        available += 1;
    }
    careful(target, words, available)
}

#[cold]
fn careful_words(target: Target, dwords: &[u32]) -> Result<Inst, DecodeError> {
    let mut words = [0u32; MAX_DWORDS];
    words.iter_mut().zip(dwords).for_each(|(word, &d)| *word = d);
    careful(target, words, dwords.len())
}

/// A slot, a shape and a number of dwords, before anything is checked.
struct Found {
    slot: u16,
    shape: u16,
    dwords: u8,
}

/// Decodes, or says why not.
fn careful(target: Target, mut words: [u32; MAX_DWORDS], available: usize) -> Result<Inst, DecodeError> {
    if available == 0 {
        return Err(DecodeError::Truncated { needed: 4 });
    }
    let t = DECODE[target as usize];
    let bits = u64::from(words[0]) | u64::from(words[1]) << 32;
    let found = find(t, target, bits, available)?;
    let dwords = usize::from(found.dwords);
    if available < dwords {
        return Err(DecodeError::Truncated { needed: found.dwords * 4 });
    }
    // What stands behind the instruction is not part of it.
    for word in words.iter_mut().skip(dwords) {
        *word = 0;
    }
    let class = t.classes.get(usize::from(found.shape)).ok_or(DecodeError::UnknownEncoding)?;
    let bits = u64::from(words[0]) | u64::from(words[1]) << 32;
    if !satisfies(t, class, bits) || bits & ones(t, class) != ones(t, class) {
        return Err(refusal(t, target, &found, class, bits));
    }
    ties(t, class, bits)?;
    if class.special & special::WIDE != 0 {
        wide(t, target, &found, words[2])?;
    }
    let inst = Inst::new(target, words, found.slot, found.shape, found.dwords);
    if ANY_SIZED && class.special & special::SIZED != 0 {
        crate::operand::sizes(&inst)?;
    }
    Ok(inst)
}

/// What must hold of the third dword.
fn wide(t: &DecodeTables, target: Target, found: &Found, word: u32) -> Result<(), DecodeError> {
    let Ok(at) = t.wide.binary_search_by_key(&found.shape, |w| w.shape) else { return Ok(()) };
    let Some(wide) = t.wide.get(at) else { return Ok(()) };
    let wrong = word & wide.zeros | !word & wide.ones;
    if wrong != 0 {
        let bit = 64 + wrong.trailing_zeros() as u8;
        let (format, field) = field_at(target, found, bit);
        return Err(DecodeError::ReservedBits { format, field, bit });
    }
    let first = usize::from(wide.first);
    for c in t.checks.get(first..first + usize::from(wide.checks)).unwrap_or(&[]) {
        // `allowed` counts bits modulo 64.
        if !allowed(t, c, word.into()) {
            let value = (word >> (c.lsb & 31)) as u16 & c.mask;
            return Err(DecodeError::ReservedValue {
                field: c.field,
                value,
                lsb: c.lsb,
                width: c.mask.count_ones() as u8,
            });
        }
    }
    Ok(())
}

/// What follows the base words where `tail` has no flag for it.
#[inline(never)]
fn listed(t: &DecodeTables, shape: u16, bits: u64) -> Option<&Follow> {
    follows(t, shape).find(|f| {
        let value = (bits >> (f.lsb & 63)) as u16 & ((1u32 << f.width) - 1) as u16;
        (f.first..=f.last).contains(&value)
    })
}

fn follows(t: &DecodeTables, shape: u16) -> impl Iterator<Item = &Follow> {
    let first = t.follows.partition_point(|f| f.shape < shape);
    t.follows.get(first..).unwrap_or(&[]).iter().take_while(move |f| f.shape == shape)
}

/// A cheap question before `may_follow`: the codes that announce a dword are few.
#[inline(always)]
pub(crate) fn may_be_long(tail: u8, word: u32) -> bool {
    tail & tail::ALWAYS != 0 || word & 0xff >= 249 || word & 0xff00 == 0xff00
}

/// A dword follows the base word, if the operation has all that `tail` names.
#[inline(always)]
pub(crate) fn may_follow(tail: u8, word: u32) -> bool {
    let (low, src0, high) = (word & 0xff, word & 0x1ff, word >> 8 & 0xff);
    tail & tail::ALWAYS != 0
        || tail & tail::SSRC0 != 0 && low == 255
        || tail & tail::SSRC1 != 0 && high == 255
        || tail & tail::SRC0 != 0 && src0 == 255
        || tail & tail::SDWA != 0 && src0 == 249
        || tail & tail::DPP != 0 && src0 == 250
}

/// Dwords of an instruction whose first dword does not tell.
pub(crate) fn dwords(target: Target, bits: u64, available: usize) -> Option<u8> {
    find(DECODE[target as usize], target, bits, available).ok().map(|found| found.dwords)
}

/// What the first dword or two say: the operation, its form and its length.
fn find(t: &DecodeTables, target: Target, bits: u64, available: usize) -> Result<Found, DecodeError> {
    let word = bits as u32;
    let family = family(t, word).ok_or(DecodeError::UnknownEncoding)?;
    let slot = slot(family, word);
    let Some(shape) = shape(t, family, slot) else {
        return Err(unknown_opcode(family, target, slot, word));
    };
    let class = t.classes.get(usize::from(shape)).ok_or(DecodeError::UnknownEncoding)?;
    let mut found = Found { slot, shape, dwords: class.dwords };
    let tail = class.tail;
    if may_follow(tail, word) {
        found.dwords += 1;
        found.shape = form(t, tail, shape, word).unwrap_or(shape);
    } else if tail & tail::LIST != 0 {
        // The second dword may announce a third.
        let second = follows(t, shape).any(|f| f.lsb >= 32);
        if second && available < 2 {
            return Err(DecodeError::Truncated { needed: found.dwords * 4 });
        }
        if let Some(follow) = listed(t, shape, bits) {
            found.dwords += 1;
            found.shape = follow.form.checked_sub(1).unwrap_or(shape);
        }
    }
    Ok(found)
}

#[inline(always)]
fn family(t: &DecodeTables, word: u32) -> Option<&Family> {
    match t.lut[(word >> 23) as usize] {
        0 => None,
        number => Some(&t.families[usize::from(number) % 32]),
    }
}

#[inline(always)]
fn shape(t: &DecodeTables, family: &Family, slot: u16) -> Option<u16> {
    match *t.shape_of.get(usize::from(slot))? {
        0 => None,
        local => Some(family.shapes.wrapping_add(local.into())),
    }
}

/// The shape of the extended form, if the dword behind the base word makes one.
#[inline(always)]
fn form(t: &DecodeTables, tail: u8, shape: u16, word: u32) -> Option<u16> {
    let [sdwa, dpp] = *t.forms_of.get(usize::from(shape))?;
    let form = match word & 0x1ff {
        249 if tail & tail::SDWA != 0 => sdwa,
        250 if tail & tail::DPP != 0 => dpp,
        _ => 0,
    };
    form.checked_sub(1)
}

#[inline(always)]
fn slot(family: &Family, word: u32) -> u16 {
    let mut slot = family.base.wrapping_add((word >> (family.op_shift & 31)) as u16 & family.op_mask);
    if family.seg != 0 {
        let seg = (word >> (family.seg & 31)) as u16 & ((1 << (family.seg >> 5)) - 1);
        slot = slot.wrapping_add(seg * (family.op_mask + 1));
    }
    slot
}

/// The bits that must be one.
fn ones(t: &DecodeTables, class: &Class) -> u64 {
    t.ones.get(usize::from(class.ones)).copied().unwrap_or(0)
}

/// All that the class demands, but for what `special` names.
#[inline(always)]
fn satisfies(t: &DecodeTables, class: &Class, bits: u64) -> bool {
    if bits & class.zeros != 0 {
        return false;
    }
    // Most classes have one check or two; a slice of them would cost more than it saves.
    let first = usize::from(class.first);
    let end = first + usize::from(class.checks);
    (first..end).all(|n| t.checks.get(n).is_some_and(|c| allowed(t, c, bits)))
}

#[inline(always)]
fn checks<'a>(t: &'a DecodeTables, class: &Class) -> &'a [Check] {
    let first = usize::from(class.first);
    t.checks.get(first..first + usize::from(class.checks)).unwrap_or(&[])
}

/// The field, with the flag on top if there is one, has a value that its set contains.
#[inline(always)]
fn allowed(t: &DecodeTables, c: &Check, bits: u64) -> bool {
    let mut value = (bits >> (c.lsb & 63)) as u16 & c.mask;
    if c.hi != NONE && bits >> (c.hi & 63) & 1 == 1 {
        value |= c.mask + 1;
    }
    t.allowed.get(usize::from(c.first) + usize::from(value)).is_some_and(|byte| byte & c.bit != 0)
}

#[inline]
fn in_set(set: &[u32; 16], code: usize) -> bool {
    set[code / 32 % 16] >> (code % 32) & 1 == 1
}

/// What few classes demand.
#[cold]
fn rare(t: &DecodeTables, class: &Class, bits: u64) -> bool {
    let careful = class.special & special::SIZED != 0;
    !careful && bits & ones(t, class) == ones(t, class) && ties(t, class, bits).is_ok()
}

/// Rules that tie several fields. Their positions are those of the formats that have the rule, which no generation
/// has moved so far; the tables name the rule, the build checks the positions.
fn ties(t: &DecodeTables, class: &Class, bits: u64) -> Result<(), DecodeError> {
    let at = |lsb: u32, width: u32| (bits >> lsb) as u16 & ((1u32 << width) - 1) as u16;
    let bad = |field, lsb: u8, width: u8| {
        Err(DecodeError::ReservedValue { field, value: at(lsb.into(), width.into()), lsb, width })
    };
    let offen_and_idxen = at(12, 2) == 3;
    if class.special & special::BUF_VADDR != 0 && offen_and_idxen && at(32, 8) == 255 {
        return bad(Field::Vaddr, 32, 8);
    }
    if class.special & special::ADDR64 != 0 && at(15, 1) == 1 {
        if at(12, 2) != 0 {
            return bad(Field::Addr64, 15, 1);
        }
        if at(32, 8) == 255 {
            return bad(Field::Vaddr, 32, 8);
        }
    }
    let (lds, acc) = (at(16, 1) == 1, at(55, 1) == 1);
    // The bit is acc, or tfe where there are no accumulation registers.
    if class.special & special::LDS_ALONE != 0 && lds && acc {
        return bad(Field::Acc, 55, 1);
    }
    let (glc, tfe) = (at(16, 1) == 1, at(55, 1) == 1);
    if class.special & special::RETURN_TFE != 0 && glc && tfe {
        // One register more fits if the tuple fits one register further on.
        let further = bits.checked_add(1 << 56);
        if !further.is_some_and(|bits| checks(t, class).iter().all(|c| allowed(t, c, bits))) {
            return bad(Field::Vdst, 56, 8);
        }
    }
    if class.special & special::MIMG != 0 {
        let dwords = crate::operand::mimg_dwords(class.special, at(8, 4), at(16, 1) == 1, at(63, 1) == 1);
        if at(40, 8) + dwords > 256 {
            return bad(Field::Vdata, 40, 8);
        }
    }
    let no_saddr = at(48, 7) == 127;
    if class.special & special::GLOBAL_ADDR != 0 && no_saddr && at(32, 8) == 255 {
        return bad(Field::Addr, 32, 8);
    }
    if class.special & (special::SMEM_OFFSET | special::SMEM_ONE_OFFSET) != 0 {
        let two = class.special & special::SMEM_OFFSET != 0;
        let (soffset_en, imm) = (two && at(14, 1) == 1, at(17, 1) == 1);
        if soffset_en && !in_set(t.scalars, at(57, 7).into()) {
            return bad(Field::Soffset, 57, 7);
        }
        if !soffset_en && !imm && !in_set(t.scalars, at(32, 7).into()) {
            return bad(Field::Offset, 32, 7);
        }
    }
    Ok(())
}

#[cold]
fn unknown_opcode(family: &Family, target: Target, slot: u16, word: u32) -> DecodeError {
    let opcode = (word >> family.op_shift) as u16 & family.op_mask;
    // The family's format: that of the first shape in it. FLAT's segments are formats of their own; the halves of a
    // split opcode are not.
    let seg_base = slot - opcode;
    let t = DECODE[target as usize];
    let format_of = |s: u16| {
        let local = *t.shape_of.get(usize::from(s))?;
        let shape = if local == 0 { return None } else { family.shapes.wrapping_add(local.into()) };
        Some(OPERANDS[target as usize].shapes.get(usize::from(shape))?.format)
    };
    let near = (seg_base..=seg_base + family.op_mask).find_map(format_of);
    let lower_half =
        || (family.base..seg_base).find_map(format_of).filter(|&f| number(target, f, u16::MAX) > family.op_mask);
    match near.or_else(lower_half) {
        Some(format) => DecodeError::UnknownOpcode { format, opcode: number(target, format, slot - family.base) },
        None => DecodeError::UnknownEncoding,
    }
}

/// Finds out what is wrong with words that some check has refused.
#[cold]
fn refusal(t: &DecodeTables, target: Target, found: &Found, class: &Class, bits: u64) -> DecodeError {
    let wrong = bits & class.zeros | !bits & ones(t, class);
    if wrong != 0 {
        let bit = wrong.trailing_zeros() as u8;
        let (format, field) = field_at(target, found, bit);
        return DecodeError::ReservedBits { format, field, bit };
    }
    for c in checks(t, class) {
        if !allowed(t, c, bits) {
            let value = (bits >> c.lsb) as u16 & c.mask;
            return DecodeError::ReservedValue { field: c.field, value, lsb: c.lsb, width: c.mask.count_ones() as u8 };
        }
    }
    DecodeError::UnknownEncoding
}

/// The field that a bit belongs to, in the base format or in the extension behind it.
fn field_at(target: Target, found: &Found, bit: u8) -> (Format, Option<Field>) {
    let shape = OPERANDS[target as usize].shapes.get(usize::from(found.shape)).unwrap_or(&NO_SHAPE);
    let parts = crate::inst::parts(target, shape, found.dwords);
    for (part, first) in parts.into_iter().flatten() {
        let layout = LAYOUT[target as usize].formats.iter().find(|l| l.format == part);
        let inside = layout.into_iter().flat_map(|l| l.fields).find(|f| {
            let at = bit.wrapping_sub(first);
            !f.overlay && (at.wrapping_sub(f.lsb) < f.width || f.hi != NONE && at.wrapping_sub(f.hi) < f.hi_width)
        });
        if let Some(f) = inside {
            return (part, Some(f.field));
        }
    }
    (shape.format, None)
}

/// A dword that is no instruction, met while walking code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The dword; the last one of a slice may lack bytes, which are zero here.
    pub word: u32,
    /// Bytes of it that are there: 4, or less at the end of a slice.
    pub len: u8,
    /// Why it is no instruction.
    pub error: DecodeError,
}

/// Walks code: yields each instruction with its offset in bytes, and each dword that is none.
///
/// After a dword that is no instruction the walk goes on with the next one.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    target: Target,
    bytes: &'a [u8],
    offset: usize,
}

impl<'a> Decoder<'a> {
    /// A walk from the first byte.
    pub fn new(target: Target, bytes: &'a [u8]) -> Self {
        Decoder { target, bytes, offset: 0 }
    }
}

impl Iterator for Decoder<'_> {
    type Item = (usize, Result<Inst, Invalid>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.offset..)?;
        let at = self.offset;
        let first = rest.first_chunk().and_then(|first| quick(self.target, u64::from_le_bytes(*first)));
        if let Some(inst) = first {
            self.offset += inst.len();
            return Some((at, Ok(inst)));
        }
        if rest.is_empty() {
            return None;
        }
        let item = match careful_bytes(self.target, rest) {
            Ok(inst) => {
                self.offset += inst.len();
                Ok(inst)
            }
            Err(error) => {
                let invalid = invalid(rest, error);
                self.offset += usize::from(invalid.len);
                Err(invalid)
            }
        };
        Some((at, item))
    }
}

#[cold]
fn invalid(rest: &[u8], error: DecodeError) -> Invalid {
    let mut word = [0; 4];
    let len = rest.len().min(4);
    for (to, from) in word.iter_mut().zip(rest) {
        *to = *from;
    }
    Invalid { word: u32::from_le_bytes(word), len: len as u8, error }
}

impl core::iter::FusedIterator for Decoder<'_> {}
