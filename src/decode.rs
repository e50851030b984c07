//! From words to instructions.

#[cfg(not(target_os = "none"))]
pub(crate) mod hot;

use crate::common::code;
use crate::table::{Check, Class, DecodeTables, Family, FieldMap, Follow, NONE, paged, special, tail};
use crate::target::DECODE;
use crate::target::generated::{FAMILIES, LANES, RULES, SETS, TAILS};
use crate::{DecodeError, Field, Format, Inst, Target};
#[cfg(not(target_os = "none"))]
use {crate::target::HOT, hot::Hot};

/// Codes that announce a dword.
const LITERAL: u32 = code::LITERAL as u32;
const SDWA: u32 = code::SDWA as u32;
const DPP: u32 = code::DPP as u32;

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
    let first = match bytes.first_chunk() {
        Some(first) => quick(target, u64::from_le_bytes(*first)),
        None => bytes.first_chunk().and_then(|word| last(target, u32::from_le_bytes(*word))),
    };
    match first {
        Some((next, _)) => Ok(next.inst()),
        None => careful_bytes(target, bytes),
    }
}

/// How bare metal decodes, for the proofs: they run elsewhere.
#[doc(hidden)]
pub fn decode_small(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    careful_bytes(target, bytes)
}

/// Decodes the first instruction of a slice of dwords. Like [`decode`] otherwise.
///
/// # Errors
/// As [`decode`].
#[inline]
pub fn decode_words(target: Target, dwords: &[u32]) -> Result<Inst, DecodeError> {
    let first = match *dwords {
        [low, high, ..] => quick(target, u64::from(low) | u64::from(high) << 32),
        [word] => last(target, word),
        [] => None,
    };
    match first {
        Some((next, _)) => Ok(next.inst()),
        None => careful_words(target, dwords),
    }
}

/// An instruction of one dword or two, as it is kept until somebody wants it: its bits, and `Inst::meta`; if that is zero,
/// there is none.
#[derive(Clone, Copy, Debug, Default)]
struct Next {
    bits: u64,
    meta: u32,
}

impl Next {
    #[inline(always)]
    fn inst(self) -> Inst {
        Inst::of(self.bits, self.meta)
    }
}

/// Decodes what has one or two dwords and is in order. Whatever else there is, `careful` decides: it alone knows
/// errors, so that this is short. Returns the length too.
#[cfg(not(target_os = "none"))]
#[inline(always)]
fn quick(target: Target, bits: u64) -> Option<(Next, usize)> {
    let Hot { meta, all, more } = match hot::look(HOT[target as usize], bits) {
        Some(hot) => hot,
        None => hot::any(target, bits)?,
    };
    // What stands behind the instruction is not part of it.
    Some((Next { bits: bits & all, meta }, 4 + (more & 4) as usize))
}

#[cfg(target_os = "none")]
#[inline(always)]
fn quick(_: Target, _: u64) -> Option<(Next, usize)> {
    None
}

/// What stands at the end: one dword, behind which there is nothing.
#[inline]
fn last(target: Target, word: u32) -> Option<(Next, usize)> {
    quick(target, word.into()).filter(|&(_, len)| len == 4)
}

#[inline(always)]
fn class_of(t: &DecodeTables, slot: u16) -> u8 {
    paged(&t.pages, &t.class_of, slot.into()).unwrap_or(0)
}

#[inline(always)]
fn zeros(t: &DecodeTables, class: &Class) -> u64 {
    t.zeros.get(usize::from(class.zeros)).copied().unwrap_or(u64::MAX)
}

/// The field in a lane is of the class's set.
#[inline(always)]
fn in_lane(t: &DecodeTables, class: &Class, lanes: usize, n: usize, bits: u64) -> bool {
    let (lsb, width) = LANES[lanes % LANES.len()][n % 4];
    let kind = t.kinds[(bits >> lsb) as usize & ((1 << width) - 1) & 511];
    width == 0 || t.sets[usize::from(class.sets[n % 4]) & (SETS - 1)] >> (kind & 63) & 1 == 1
}

#[cold]
fn careful_bytes(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
    let mut pairs = Pairs::default();
    let mut rest = bytes;
    for pair in &mut pairs {
        let Some((both, behind)) = rest.split_first_chunk() else {
            *pair = rest.first_chunk().map_or(0, |word| u32::from_le_bytes(*word).into());
            break;
        };
        *pair = u64::from_le_bytes(*both);
        rest = behind;
    }
    careful(target, pairs, bytes.len() / 4)
}

#[cold]
fn careful_words(target: Target, dwords: &[u32]) -> Result<Inst, DecodeError> {
    let mut pairs = Pairs::default();
    for (pair, two) in pairs.iter_mut().zip(dwords.chunks(2)) {
        *pair = two.iter().rev().fold(0, |both, word| both << 32 | u64::from(*word));
    }
    careful(target, pairs, dwords.len())
}

/// Dwords, two in one: what is written in one piece and read in one piece need not wait in between.
type Pairs = [u64; MAX_DWORDS.div_ceil(2)];

/// What the codes say, before anything is checked.
struct Found {
    slot: u16,
    form: u8,
    /// Of the form.
    class: u8,
    dwords: u8,
}

impl Found {
    fn meta(&self) -> u32 {
        Inst::meta(self.slot.into(), self.form, self.class)
    }
}

/// Decodes, or says why not.
fn careful(target: Target, mut pairs: Pairs, available: usize) -> Result<Inst, DecodeError> {
    if available == 0 {
        return Err(DecodeError::Truncated { needed: 4 });
    }
    let t = DECODE[target as usize];
    if t.families_of[(pairs[0] as u32 >> 23) as usize] == 0 {
        return Err(DecodeError::UnknownEncoding);
    }
    let family = family(t, pairs[0] as u32);
    let Some(found) = find(t, pairs[0], family) else {
        return Err(unknown(t, pairs[0] as u32));
    };
    if available < usize::from(found.dwords) {
        return Err(DecodeError::Truncated { needed: found.dwords * 4 });
    }
    // What stands behind the instruction is not part of it.
    for (pair, before) in pairs.iter_mut().zip([0, 2, 4]) {
        *pair &= match found.dwords.saturating_sub(before) {
            0 => 0,
            1 => u32::MAX.into(),
            _ => u64::MAX,
        };
    }
    let class = t.classes.get(usize::from(found.class)).ok_or(DecodeError::UnknownEncoding)?;
    let bits = pairs[0];
    let lanes = usize::from(family.lanes);
    let (ones, more) = further(t, found.class, class);
    let wrong = bits & zeros(t, class) | !bits & ones;
    if wrong != 0 {
        return Err(reserved_bit(t, &found, wrong.trailing_zeros() as u8));
    }
    if let Some(bad) = refused(t, class, more, lanes, bits) {
        return Err(reserved_value(t, &found, bad, 0));
    }
    if class.special != 0 {
        ties(t, class, (more, lanes), bits)?;
    }
    if RULES & class.special & special::WIDE != 0 {
        wide(t, &found, pairs[1] as u32)?;
    }
    let [a, b, c] = pairs.map(|pair| [pair as u32, (pair >> 32) as u32]);
    let words = [a[0], a[1], b[0], b[1], c[0]];
    let inst = Inst::new(target, words, found.meta(), found.dwords.into());
    if RULES & class.special & special::SIZED != 0 {
        crate::codec::sizes(&inst)?;
    }
    Ok(inst)
}

/// What must hold of the third dword.
fn wide(t: &DecodeTables, found: &Found, word: u32) -> Result<(), DecodeError> {
    let Some(wide) = t.wide.iter().find(|w| w.class == found.class) else { return Ok(()) };
    let wrong = word & wide.zeros | !word & wide.ones;
    if wrong != 0 {
        return Err(reserved_bit(t, found, 64 + wrong.trailing_zeros() as u8));
    }
    match refused_by(t, wide.checks, word.into()) {
        Some(bad) => Err(reserved_value(t, found, bad, 64)),
        None => Ok(()),
    }
}

/// What follows the base words where `tail` has no flag for it.
fn listed(t: &DecodeTables, class: u8, bits: u64) -> Option<&Follow> {
    follows(t, class).find(|f| {
        let value = (bits >> (f.lsb & 63)) as u16 & ((1u32 << f.width) - 1) as u16;
        (f.first..=f.last).contains(&value)
    })
}

fn follows(t: &DecodeTables, class: u8) -> impl Iterator<Item = &Follow> {
    t.follows.iter().filter(move |f| f.class == class)
}

/// A cheap question before `may_follow`: the codes that announce a dword are few.
#[inline(always)]
pub(crate) fn may_be_long(tail: u8, word: u32) -> bool {
    // SDWA, DPP and literals are the greatest codes of scalars.
    tail & tail::ALWAYS != 0 || word & 0xff >= SDWA || word & 0xff00 == LITERAL << 8
}

/// A dword follows the base word, if the operation has all that `tail` names.
#[inline(always)]
pub(crate) fn may_follow(tail: u8, word: u32) -> bool {
    let (low, src0, high) = (word & 0xff, word & 0x1ff, word >> 8 & 0xff);
    tail & tail::ALWAYS != 0
        || tail & tail::SSRC0 != 0 && low == LITERAL
        || tail & tail::SSRC1 != 0 && high == LITERAL
        || tail & tail::SRC0 != 0 && src0 == LITERAL
        || tail & tail::SDWA != 0 && src0 == SDWA
        || tail & tail::DPP != 0 && src0 == DPP
}

/// Dwords of an instruction whose first dword does not tell.
pub(crate) fn dwords(target: Target, bits: u64, available: usize) -> Option<u8> {
    let t = DECODE[target as usize];
    let found = find(t, bits, family(t, bits as u32))?;
    // The second dword may announce a third.
    let announced = TAILS & tail::LIST != 0 && available < 2 && follows(t, found.class).any(|f| f.lsb >= 32);
    (!announced).then_some(found.dwords)
}

/// What the first dword or two say: the operation, its form and its length.
fn find(t: &DecodeTables, bits: u64, family: &Family) -> Option<Found> {
    let word = bits as u32;
    let slot = slot(family, word);
    let base = class_of(t, slot);
    if base == 0 {
        return None;
    }
    let class = t.classes.get(usize::from(base))?;
    let wide = RULES & class.special & special::WIDE != 0;
    let dwords = 1 + u8::from(class.tail & tail::TWO != 0) + u8::from(wide && is_three(t, base));
    let mut found = Found { slot, form: 0, class: base, dwords };
    if may_follow(class.tail, word) {
        found.dwords += 1;
        let form = match word & 0x1ff {
            SDWA if class.tail & tail::SDWA != 0 => 1,
            DPP if class.tail & tail::DPP != 0 => 2,
            _ => return Some(found),
        };
        (found.form, found.class) = (form, *t.forms.get(usize::from(class.forms))?.get(usize::from(form) - 1)?);
    } else if TAILS & class.tail & tail::LIST != 0 {
        if let Some(follow) = listed(t, base, bits) {
            found.dwords += 1;
            if follow.form != 0 {
                (found.form, found.class) = (follow.form, follow.of);
            }
        }
    }
    Some(found)
}

/// The base format has three dwords.
fn is_three(t: &DecodeTables, class: u8) -> bool {
    field_map(t, parts(t, class).0).is_some_and(|m| m.dwords == 3)
}

#[inline(always)]
fn family(t: &DecodeTables, word: u32) -> &Family {
    &t.families[usize::from(t.families_of[(word >> 23) as usize]) & (FAMILIES - 1)]
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

/// Bits that must be one, and checks that fit no lane.
fn further<'a>(t: &'a DecodeTables, number: u8, class: &Class) -> (u64, &'a [Check]) {
    if RULES & class.special & special::FURTHER == 0 {
        return (0, &[]);
    }
    let ones = t.ones.iter().find(|o| o.0 == number).map_or(0, |o| o.1);
    (ones, t.more.iter().find(|o| o.0 == number).map_or(&[], |o| o.1))
}

/// A field, by its lowest bit, width and value, that is in no set that it must be in.
struct Bad {
    lsb: u8,
    width: u8,
    value: u16,
}

fn refused(t: &DecodeTables, class: &Class, more: &[Check], lanes: usize, bits: u64) -> Option<Bad> {
    let lane = (0..4).find(|&n| !in_lane(t, class, lanes, n, bits));
    let bad = lane.map(|n| {
        let (lsb, width) = LANES[lanes % LANES.len()][n % 4];
        Bad { lsb, width, value: (bits >> lsb) as u16 & ((1 << width) - 1) }
    });
    bad.or_else(|| refused_by(t, more, bits))
}

/// The first check that does not hold.
fn refused_by(t: &DecodeTables, checks: &[Check], bits: u64) -> Option<Bad> {
    let check = checks.iter().find(|c| {
        let flag = if c.hi == NONE { 0 } else { (bits >> (c.hi & 63)) as u16 & 1 };
        let value = ((bits >> (c.lsb & 63)) as u16 & c.mask) + flag * (c.mask + 1);
        let byte = t.allowed.get(usize::from(c.first) + usize::from(value));
        byte.is_none_or(|byte| byte & c.bit == 0)
    })?;
    let value = (bits >> (check.lsb & 63)) as u16 & check.mask;
    Some(Bad { lsb: check.lsb, width: check.mask.count_ones() as u8, value })
}

#[inline]
fn in_set(set: &[u32; 16], code: usize) -> bool {
    set[code / 32 % 16] >> (code % 32) & 1 == 1
}

/// Rules that tie several fields. Their positions are those of the formats that have the rule, which no generation
/// has moved so far; the tables name the rule, the build checks the positions.
fn ties(t: &DecodeTables, class: &Class, (more, lanes): (&[Check], usize), bits: u64) -> Result<(), DecodeError> {
    let has = |rule: u16| RULES & class.special & rule != 0;
    let at = |lsb: u32, width: u32| (bits >> lsb) as u16 & ((1u32 << width) - 1) as u16;
    let bad = |field, lsb: u8, width: u8| {
        Err(DecodeError::ReservedValue { field, value: at(lsb.into(), width.into()), lsb, width })
    };
    let offen_and_idxen = at(12, 2) == 3;
    if has(special::BUF_VADDR) && offen_and_idxen && at(32, 8) == 255 {
        return bad(Field::Vaddr, 32, 8);
    }
    if has(special::ADDR64) && at(15, 1) == 1 {
        if at(12, 2) != 0 {
            return bad(Field::Addr64, 15, 1);
        }
        if at(32, 8) == 255 {
            return bad(Field::Vaddr, 32, 8);
        }
    }
    let (lds, acc) = (at(16, 1) == 1, at(55, 1) == 1);
    // The bit is acc, or tfe where there are no accumulation registers.
    if has(special::LDS_ALONE) && lds && acc {
        return bad(Field::Acc, 55, 1);
    }
    let (glc, tfe) = (at(16, 1) == 1, at(55, 1) == 1);
    if has(special::RETURN_TFE) && glc && tfe {
        // One register more fits if the tuple fits one register further on.
        let next = bits.checked_add(1 << 56);
        let fits = |bits| refused(t, class, more, lanes, bits).is_none();
        if !next.is_some_and(fits) {
            return bad(Field::Vdst, 56, 8);
        }
    }
    if has(special::MIMG) {
        let dwords = crate::codec::mimg_dwords(class.special, at(8, 4), at(16, 1) == 1, at(63, 1) == 1);
        if at(40, 8) + dwords > 256 {
            return bad(Field::Vdata, 40, 8);
        }
    }
    let no_saddr = at(48, 7) == 127;
    if has(special::GLOBAL_ADDR) && no_saddr && at(32, 8) == 255 {
        return bad(Field::Addr, 32, 8);
    }
    if has(special::SMEM_OFFSET | special::SMEM_ONE_OFFSET) {
        let two = has(special::SMEM_OFFSET);
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

/// Why there is no such operation.
#[cold]
fn unknown(t: &DecodeTables, word: u32) -> DecodeError {
    let family = family(t, word);
    let slot = slot(family, word);
    let opcode = (word >> (family.op_shift & 31)) as u16 & family.op_mask;
    // The family's format: that of the first class in it. FLAT's segments are formats of their own; the halves of a
    // split opcode are not.
    let seg_base = slot.wrapping_sub(opcode);
    let format_of = |s: u16| {
        let class = class_of(t, s);
        (class != 0).then(|| parts(t, class).0)
    };
    // The high part of a split opcode tells no format from another.
    let mask = (1u32 << family.op_bits) - 1;
    let near = (seg_base..=seg_base.saturating_add(family.op_mask)).find_map(format_of);
    let lower_half = || (family.base..seg_base).find_map(format_of).filter(|_| mask > family.op_mask.into());
    match near.or_else(lower_half) {
        Some(format) => DecodeError::UnknownOpcode { format, opcode: slot.wrapping_sub(family.base) & mask as u16 },
        None => DecodeError::UnknownEncoding,
    }
}

fn reserved_bit(t: &DecodeTables, found: &Found, bit: u8) -> DecodeError {
    let (format, field, _) = field_at(t, found, bit);
    DecodeError::ReservedBits { format, field, bit }
}

/// `first`: what the bits are counted from. A lane can be wider than the field in it.
fn reserved_value(t: &DecodeTables, found: &Found, bad: Bad, first: u8) -> DecodeError {
    let lsb = first + bad.lsb;
    let (_, field, end) = field_at(t, found, lsb);
    let width = bad.width.min(end - lsb);
    let value = bad.value & ((1u32 << width) - 1) as u16;
    DecodeError::ReservedValue { field: field.unwrap_or(Field::Reserved), value, lsb, width }
}

/// The formats of a class: of the base words, and of the dword behind them.
pub(crate) fn parts(t: &DecodeTables, class: u8) -> (Format, Option<Format>) {
    let class = t.classes.get(usize::from(class));
    let parts = class.and_then(|c| t.parts.get(usize::from(c.parts)));
    parts.copied().unwrap_or((Format::Literal, None))
}

fn field_map(t: &DecodeTables, format: Format) -> Option<&FieldMap> {
    t.fields.iter().find(|m| m.format == format)
}

/// The format and the field that a bit belongs to, in the base format or in the extension behind it, and the bit behind
/// the field.
fn field_at(t: &DecodeTables, found: &Found, bit: u8) -> (Format, Option<Field>, u8) {
    let (base, extension) = parts(t, found.class);
    let field = |format: Format, bit: u8| {
        let Some(map) = field_map(t, format) else { return (format, None, u8::MAX) };
        let (mut field, mut end) = (None, map.dwords * 32);
        for &(next, lsb) in map.fields {
            if lsb > bit {
                end = lsb;
                break;
            }
            field = Some(next);
        }
        (format, field, end)
    };
    let behind = field_map(t, base).map_or(32, |m| m.dwords * 32);
    match (bit.checked_sub(behind), extension) {
        (Some(bit), Some(format)) => {
            let (format, field, end) = field(format, bit);
            (format, field, end.saturating_add(behind))
        }
        _ => field(base, bit),
    }
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
    /// Bytes of all.
    len: usize,
    /// What is left, behind `next`.
    rest: &'a [u8],
    /// What has been decoded ahead, if anything.
    #[cfg(not(target_os = "none"))]
    next: Next,
}

impl<'a> Decoder<'a> {
    /// A walk from the first byte.
    pub fn new(target: Target, bytes: &'a [u8]) -> Self {
        Decoder {
            target,
            len: bytes.len(),
            rest: bytes,
            #[cfg(not(target_os = "none"))]
            next: Next::default(),
        }
    }

    /// What has been decoded ahead. Decodes the next one.
    ///
    /// What is done with an instruction often ends in a branch that is predicted wrongly: how many operands are there?
    /// What comes behind that begins anew; the next instruction, which comes before, does not.
    #[cfg(not(target_os = "none"))]
    #[inline(always)]
    fn ahead(&mut self) -> Option<Inst> {
        let next = self.next;
        if next.meta == 0 {
            return None;
        }
        self.look();
        Some(next.inst())
    }

    #[cfg(not(target_os = "none"))]
    #[inline(always)]
    fn look(&mut self) {
        let next = match self.rest.first_chunk() {
            Some(bits) => quick(self.target, u64::from_le_bytes(*bits)),
            None => None,
        };
        self.next = Next::default();
        if let Some((next, len)) = next {
            self.next = next;
            self.rest = self.rest.get(len..).unwrap_or(&[]);
        }
    }

    /// The next item where nothing has been decoded ahead. Takes the state itself, and not its place: so it can stay in
    /// registers.
    #[cold]
    #[inline(never)]
    fn slow(mut self) -> (Self, Option<Result<Inst, Invalid>>) {
        if self.rest.is_empty() {
            return (self, None);
        }
        let item = careful_bytes(self.target, self.rest).map_err(|error| invalid(self.rest, error));
        let len = item.as_ref().map_or_else(|invalid| invalid.len.into(), Inst::len);
        self.rest = self.rest.get(len..).unwrap_or(&[]);
        #[cfg(not(target_os = "none"))]
        self.look();
        (self, Some(item))
    }
}

impl Iterator for Decoder<'_> {
    type Item = (usize, Result<Inst, Invalid>);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let at = self.len - self.rest.len();
        #[cfg(not(target_os = "none"))]
        if let Some(inst) = self.ahead() {
            return Some((at - inst.len(), Ok(inst)));
        }
        let (behind, item) = self.clone().slow();
        *self = behind;
        Some((at, item?))
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
