//! From words to instructions.

use crate::table::{Check, Class, DecodeTables, Family, NONE, special, tail};
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
pub fn decode(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    let mut words = [0u32; MAX_DWORDS];
    let mut available = 0;
    for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(4)) {
        *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        available += 1;
    }
    decode_array(target, words, available)
}

/// Decodes the first instruction of a slice of dwords. Like [`decode`] otherwise.
///
/// # Errors
/// As [`decode`].
pub fn decode_words(target: Target, dwords: &[u32]) -> Result<Inst, DecodeError> {
    let mut words = [0u32; MAX_DWORDS];
    let mut available = 0;
    for (word, &d) in words.iter_mut().zip(dwords) {
        *word = d;
        available += 1;
    }
    decode_array(target, words, available)
}

/// A slot, a shape and a number of dwords, before anything is checked.
struct Found {
    slot: u16,
    shape: u16,
    dwords: u8,
}

#[inline]
fn decode_array(target: Target, mut words: [u32; MAX_DWORDS], available: usize) -> Result<Inst, DecodeError> {
    if available == 0 {
        return Err(DecodeError::Truncated { needed: 4 });
    }
    let t = DECODE[target as usize];
    let found = find(t, target, words[0])?;
    let dwords = usize::from(found.dwords);
    if available < dwords {
        return Err(DecodeError::Truncated { needed: found.dwords * 4 });
    }
    // What stands behind the instruction is not part of it.
    for word in words.iter_mut().skip(dwords) {
        *word = 0;
    }
    let class = &t.classes[usize::from(t.class_of[usize::from(found.shape)])];
    let bits = u64::from(words[0]) | u64::from(words[1]) << 32;
    if bits & class.mask != class.value || !checks(t, class).iter().all(|c| allowed(t, c, bits)) {
        return Err(refusal(t, target, &found, class, bits));
    }
    if class.special != 0 {
        ties(t, class, bits)?;
    }
    Ok(Inst::new(target, words, found.slot, found.shape, found.dwords))
}

/// What the first dword says: the operation, its form and its length.
#[inline]
fn find(t: &DecodeTables, target: Target, word: u32) -> Result<Found, DecodeError> {
    let number = t.lut[(word >> 23) as usize];
    if number == 0 {
        return Err(DecodeError::UnknownEncoding);
    }
    let family = &t.families[usize::from(number) - 1];
    let slot = slot(family, word);
    let local = t.shape_of[usize::from(slot)];
    if local == 0 {
        return Err(unknown_opcode(family, target, slot, word));
    }
    let shape = family.shapes + u16::from(local) - 1;
    let class = &t.classes[usize::from(t.class_of[usize::from(shape)])];
    let mut found = Found { slot, shape, dwords: family.dwords };
    if class.tail != 0 {
        follow(t, class.tail, word, &mut found);
    }
    Ok(found)
}

#[inline]
fn slot(family: &Family, word: u32) -> u16 {
    let op = (word >> family.op_shift) as u16 & family.op_mask;
    let seg = (word >> family.seg_shift) as u16 & u16::from(family.seg_mask);
    family.base + (op | seg << family.op_bits)
}

/// The dword that follows, if one does.
#[inline]
fn follow(t: &DecodeTables, tail: u8, word: u32, found: &mut Found) {
    let src0 = word & 0x1ff;
    let literal = tail & tail::ALWAYS != 0
        || tail & tail::SSRC0 != 0 && word & 0xff == 255
        || tail & tail::SSRC1 != 0 && word >> 8 & 0xff == 255
        || tail & tail::SRC0 != 0 && src0 == 255;
    let form = if tail & tail::SDWA != 0 && src0 == 249 {
        t.forms_of[usize::from(found.shape)][0]
    } else if tail & tail::DPP != 0 && src0 == 250 {
        t.forms_of[usize::from(found.shape)][1]
    } else {
        0
    };
    if form != 0 {
        found.shape = form - 1;
        found.dwords += 1;
    } else if literal {
        found.dwords += 1;
    }
}

#[inline]
fn checks<'a>(t: &'a DecodeTables, class: &Class) -> &'a [Check] {
    let first = usize::from(class.first);
    t.checks.get(first..first + usize::from(class.checks)).unwrap_or(&[])
}

/// The value of the field, with the flag on top if there is one.
#[inline]
fn field_value(c: &Check, bits: u64) -> u16 {
    let mut value = (bits >> c.lsb) as u16 & ((1u16 << c.width) - 1);
    if c.hi != NONE {
        value |= ((bits >> c.hi) as u16 & 1) << c.width;
    }
    value
}

#[inline]
fn allowed(t: &DecodeTables, c: &Check, bits: u64) -> bool {
    let code = usize::from((field_value(c, bits) << c.shift) + c.add);
    in_set(&t.sets[usize::from(c.set)], code)
}

#[inline]
fn in_set(set: &[u32; 16], code: usize) -> bool {
    set[code / 32 % 16] >> (code % 32) & 1 == 1
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
    // The family's format: that of the first shape in it. FLAT's segments are formats of their own.
    let seg_base = slot - opcode;
    let t = DECODE[target as usize];
    let near = (seg_base..seg_base + family.op_mask + 1).find_map(|s| {
        let local = *t.shape_of.get(usize::from(s))?;
        let shape = family.shapes + u16::from(local.checked_sub(1)?);
        Some(OPERANDS[target as usize].shapes.get(usize::from(shape))?.format)
    });
    match near {
        Some(format) => DecodeError::UnknownOpcode { format, opcode },
        None => DecodeError::UnknownEncoding,
    }
}

/// Finds out what is wrong with words that some check has refused.
#[cold]
fn refusal(t: &DecodeTables, target: Target, found: &Found, class: &Class, bits: u64) -> DecodeError {
    let wrong = (bits & class.mask) ^ class.value;
    if wrong != 0 {
        let bit = wrong.trailing_zeros() as u8;
        let (format, field) = field_at(target, found, bit);
        return DecodeError::ReservedBits { format, field, bit };
    }
    for c in checks(t, class) {
        if !allowed(t, c, bits) {
            let value = (bits >> c.lsb) as u16 & ((1u16 << c.width) - 1);
            return DecodeError::ReservedValue { field: c.field, value, lsb: c.lsb, width: c.width };
        }
    }
    DecodeError::UnknownEncoding
}

/// The field that a bit belongs to, in the base format or in the extension behind it.
fn field_at(target: Target, found: &Found, bit: u8) -> (Format, Option<Field>) {
    let shape = &OPERANDS[target as usize].shapes[usize::from(found.shape)];
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

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.bytes.get(self.offset..)?;
        if rest.is_empty() {
            return None;
        }
        let at = self.offset;
        let result = decode(self.target, rest);
        let item = match result {
            Ok(inst) => {
                self.offset += inst.len();
                Ok(inst)
            }
            Err(error) => {
                let mut word = [0; 4];
                let len = rest.len().min(4);
                for (to, from) in word.iter_mut().zip(rest) {
                    *to = *from;
                }
                self.offset += len;
                Err(Invalid { word: u32::from_le_bytes(word), len: len as u8, error })
            }
        };
        Some((at, item))
    }
}

impl core::iter::FusedIterator for Decoder<'_> {}
