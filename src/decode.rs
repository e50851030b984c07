//! Decodes words into instructions.

pub(crate) mod class;
#[cfg(feature = "fast")]
pub(crate) mod fast;
pub(crate) mod probe;
mod refusal;
mod walk;

use crate::common::code;
use crate::shared::{RuleKind, marks};
use crate::table::{
    Bits, Check, Constraints, DecodeTables, FieldMap, IN_SECOND_DWORD, NONE, OpcodeSpace, OperandDesc, Rule, Trailing,
    TrailingDword, Wide, paged, trailing,
};
use crate::target::DECODE;
use crate::target::generated::{
    ANY_JOINED, ANY_OPCODE_IN_SECOND_DWORD, CHECKED_FIELDS, ConstraintIndex, MARKS, OPCODE_SPACES, RULES, TRAILING,
};
use crate::{DecodeError, Field, Format, Inst, Target};
#[cfg(feature = "fast")]
use {crate::target::FAST_DECODE, crate::target::generated::ANY_THIRD, fast::Fast};

use refusal::{reserved_bit, reserved_value, unknown};
pub use walk::{Decoded, Decoder, Invalid, WordDecoder};

/// Source codes that announce another dword.
const LITERAL: u32 = code::LITERAL as u32;
const SDWA: u32 = code::SDWA as u32;
const DPP: u32 = code::DPP as u32;

/// Dwords of the longest instruction of any target.
pub(crate) const MAX_DWORDS: usize = 5;

/// Decodes the first instruction of `bytes` (little-endian dwords, as in memory).
///
/// Bytes after the instruction do not matter. Never panics.
///
/// # Errors
/// The reason why the bytes are not an instruction; [`DecodeError::Truncated`] if more bytes could make them one.
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
    let first = match bytes.first_chunk() {
        Some(first) => decode_fast(target, u64::from_le_bytes(*first), || third(bytes)),
        None => bytes.first_chunk().and_then(|word| last(target, u32::from_le_bytes(*word))),
    };
    match first {
        Some((next, _)) => Ok(next.inst()),
        None => reference_bytes(target, bytes),
    }
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
    let first = match *dwords {
        [low, high, ..] => decode_fast(target, u64::from(low) | u64::from(high) << 32, || dwords.get(2).copied()),
        [word] => last(target, word),
        [] => None,
    };
    match first {
        Some((next, _)) => Ok(next.inst()),
        None => reference_words(target, dwords),
    }
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

/// The third dword, or an empty array if no quick path reads a third dword.
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

/// The third dword, if the quick path of some target needs it.
#[inline(always)]
fn third(bytes: &[u8]) -> Option<u32> {
    #[cfg(feature = "fast")]
    if ANY_THIRD {
        return bytes.get(8..).and_then(|rest| rest.first_chunk()).map(|third| u32::from_le_bytes(*third));
    }
    _ = bytes;
    None
}

/// Decodes a valid instruction of one to three dwords, and returns its length in bytes too. `None` leaves the words to
/// `reference`, which alone finds errors; that keeps this function short.
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

/// Decodes the last dword of the code.
#[inline]
fn last(target: Target, word: u32) -> Option<(Next, usize)> {
    decode_fast(target, word.into(), || None).filter(|&(_, len)| len == 4)
}

#[inline(always)]
#[allow(clippy::useless_conversion)] // With few targets, a byte is enough for both.
fn constraints_of(t: &DecodeTables, op_index: u16) -> ConstraintIndex {
    paged(t.pages, t.constraints_of, op_index.into()).unwrap_or(0).into()
}

/// The constraints of a form of an opcode index.
pub(crate) fn constraints_of_form(t: &DecodeTables, op_index: u16, form: u8) -> Option<ConstraintIndex> {
    let base = constraints_of(t, op_index);
    match form {
        0 => Some(base),
        1 | 2 => {
            let constraints = t.constraints.get(usize::from(base))?;
            t.forms.get(usize::from(constraints.forms))?.get(usize::from(form) - 1).copied()
        }
        _ => {
            let (of, list) = trailing_dwords(t, base)?;
            list.iter().map(|dword| of.dword(*dword)).find(|dword| dword.form == form).map(|dword| dword.of)
        }
    }
}

/// The mask with this index in `DecodeTables::zeros`.
#[inline(always)]
pub(crate) fn mask(t: &DecodeTables, number: u8) -> u64 {
    t.zeros.get(usize::from(number)).copied().unwrap_or(u64::MAX)
}

/// Whether a checked field holds a value that the constraints allow there.
#[inline(always)]
fn is_in_set(t: &DecodeTables, constraints: &Constraints, checked: usize, n: usize, bits: u64) -> bool {
    let (lsb, width) = CHECKED_FIELDS[checked % CHECKED_FIELDS.len()][n % 4];
    let group = t.code_groups[(bits >> lsb) as usize & ((1 << width) - 1) & 511];
    let set = t.sets.get(usize::from(constraints.sets[n % 4])).copied().unwrap_or(0);
    width == 0 || set >> (group & 63) & 1 == 1
}

#[cold]
fn reference_bytes(target: Target, bytes: &[u8]) -> Result<Inst, DecodeError> {
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

/// Dwords in pairs. A load of the same width as the store before it does not stall.
type Pairs = [u64; MAX_DWORDS.div_ceil(2)];

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

/// The complete decoder, with errors.
fn reference(target: Target, mut pairs: Pairs, available: usize) -> Result<Inst, DecodeError> {
    if available == 0 {
        return Err(DecodeError::Truncated { needed: 4 });
    }
    let t = DECODE[target as usize];
    if t.opcode_space_of[(pairs[0] as u32 >> 23) as usize] == 0 {
        return Err(DecodeError::UnknownEncoding);
    }
    let opcode_space = opcode_space(t, pairs[0] as u32);
    let Some(found) = joined(t, pairs[0], pairs[1] as u32).or_else(|| find(t, pairs[0], opcode_space)) else {
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
    let marks = satisfied(t, found.constraints, checked, &pairs)?;
    if MARKS & marks & marks::DUAL != 0 {
        satisfied(t, found.second, checked, &pairs)?;
    }
    let half = |n: usize| (pairs[n / 2] >> (n % 2 * 32)) as u32;
    let words = [half(0), half(1), half(2), half(3), half(4)];
    let inst = Inst::new(target, words, found.meta(), found.dwords.into());
    if MARKS & marks & marks::SIZED != 0 {
        sized(t, &found).try_for_each(|desc| crate::codec::size(&inst, &desc))?;
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

/// Checks the words against constraints, and returns their marks.
fn satisfied(t: &DecodeTables, number: ConstraintIndex, checked: usize, pairs: &Pairs) -> Result<u8, DecodeError> {
    let constraints = t.constraints.get(usize::from(number)).ok_or(DecodeError::UnknownEncoding)?;
    let bits = pairs[0];
    let (ones, more) = further(t, number, constraints);
    let wrong = bits & mask(t, constraints.zeros) | !bits & ones;
    if wrong != 0 {
        return Err(reserved_bit(t, number, wrong.trailing_zeros() as u8));
    }
    let mut bad = refused(t, constraints, more, checked, bits);
    if MARKS & constraints.marks & marks::WIDE != 0 && bad.is_none() {
        bad = wide(t, number, pairs[1])?;
    }
    if let Some(bad) = bad.or_else(|| broken(t, constraints, pairs)) {
        return Err(reserved_value(t, number, bad));
    }
    Ok(constraints.marks)
}

/// The demands of constraints with the mark `WIDE` on the third and fourth dword.
pub(crate) fn wide_of(t: &DecodeTables, number: ConstraintIndex) -> Option<&Wide> {
    let is_wide = MARKS & t.constraints.get(usize::from(number))?.marks & marks::WIDE != 0;
    let at = t.wide.binary_search_by_key(&number, |w| w.0).ok();
    t.wides.get(at.and_then(|at| t.wide.get(at)).map_or(0, |wide| wide.1.into())).filter(|_| is_wide)
}

/// Checks the third and fourth dword.
fn wide(t: &DecodeTables, number: ConstraintIndex, bits: u64) -> Result<Option<Bad>, DecodeError> {
    let Some(wide) = wide_of(t, number) else { return Ok(None) };
    let wrong = bits & mask(t, wide.zeros) | !bits & mask(t, wide.ones);
    if wrong != 0 {
        return Err(reserved_bit(t, number, 64 + wrong.trailing_zeros() as u8));
    }
    // These checks count bits from the third dword on.
    Ok(refused_by(t, wide.checks, bits).map(|bad| Bad { lsb: bad.lsb + 64, ..bad }))
}

/// The trailing dword that the words announce, if `trailing` has no flag for it.
fn listed(t: &DecodeTables, constraints: ConstraintIndex, bits: u64) -> Option<(TrailingDword, u8)> {
    let (of, list) = trailing_dwords(t, constraints)?;
    list.iter().find_map(|dword| {
        let dword = of.dword(*dword);
        let announcer = t.announcers.get(dword.announcer)?;
        announcer.is_in((bits >> (announcer.lsb & 63)) as u32).then_some((dword, announcer.dwords))
    })
}

/// The dwords that can follow, each as the argument of `Trailing::dword`.
fn trailing_dwords(t: &DecodeTables, constraints: ConstraintIndex) -> Option<(&Trailing, &'static [u8])> {
    // Only base forms have entries, and these have the lowest numbers.
    let at = t.trailing.binary_search_by_key(&constraints, |of| ConstraintIndex::from(of.constraints)).ok()?;
    let of = t.trailing.get(at)?;
    Some((of, *t.trailing_dwords.get(usize::from(of.list))?))
}

/// A cheaper test to make before `may_follow`: `false` if no code in the word can announce a dword.
#[inline(always)]
pub(crate) fn may_be_long(trailing: u8, word: u32) -> bool {
    // The codes of SDWA, DPP and literals are the highest scalar codes.
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
fn joined(t: &DecodeTables, first: u64, third: u32) -> Option<Found> {
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
    let wide = MARKS & constraints.marks & marks::WIDE != 0;
    let dwords = if wide { base_dwords(t, base) } else { 1 + u8::from(constraints.trailing & trailing::TWO != 0) };
    let mut found = Found { op_index, form: 0, constraints: base, second: 0, dwords };
    if may_follow(constraints.trailing, word) {
        found.dwords += 1;
        let form = match word & 0x1ff {
            SDWA if constraints.trailing & trailing::SDWA != 0 => 1,
            DPP if constraints.trailing & trailing::DPP != 0 => 2,
            _ if MARKS & constraints.marks & marks::DUAL != 0 => 0,
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
    if MARKS & constraints.marks & marks::DUAL != 0 {
        found.second = constraints_of(t, second_index(t, word)?);
        let second = t.constraints.get(usize::from(found.second)).filter(|_| found.second != 0)?;
        // Both operations share one literal.
        if second.trailing & trailing::ALWAYS != 0 || listed(t, found.second, bits).is_some() {
            found.dwords = dwords + 1;
        }
    }
    Some(found)
}

/// The opcode index of the second operation, if the opcode space has two operations per instruction.
pub(crate) fn second_index(t: &DecodeTables, word: u32) -> Option<u16> {
    let opcode_space = opcode_space(t, word);
    let is_dual = opcode_space.second != 0 && opcode_space.second != IN_SECOND_DWORD;
    is_dual.then(|| opcode_space.second + second_field(opcode_space, word))
}

/// The value of the second opcode field.
#[inline(always)]
fn second_field(opcode_space: &OpcodeSpace, word: u32) -> u16 {
    (word >> (opcode_space.seg & 31)) as u16 & ((1 << (opcode_space.seg >> 5)) - 1)
}

/// The formats that belong to constraints: that of the base words, and that of the trailing dword.
pub(crate) fn parts(t: &DecodeTables, constraints: ConstraintIndex) -> (Format, Option<Format>) {
    let constraints = t.constraints.get(usize::from(constraints));
    let parts = constraints.and_then(|c| t.parts.get(usize::from(c.parts)));
    parts.copied().unwrap_or((Format::Literal, None))
}

fn field_map(t: &DecodeTables, format: Format) -> Option<&FieldMap> {
    t.fields.iter().find(|m| m.format == format)
}

/// The lowest bit and the width of a field of the base format.
pub(crate) fn place(target: Target, format: Format, field: Field) -> Option<(u8, u8)> {
    let map = field_map(DECODE[target as usize], format)?;
    let mut from = map.fields.iter().skip_while(|f| f.0 != field);
    let lsb = from.next()?.1;
    Some((lsb, from.next().map_or(map.dwords * 32, |f| f.1) - lsb))
}

fn base_dwords(t: &DecodeTables, constraints: ConstraintIndex) -> u8 {
    field_map(t, parts(t, constraints).0).map_or(1, |m| m.dwords)
}

#[inline(always)]
fn opcode_space(t: &DecodeTables, word: u32) -> &OpcodeSpace {
    &t.opcode_spaces[usize::from(t.opcode_space_of[(word >> 23) as usize]) & (OPCODE_SPACES - 1)]
}

#[inline(always)]
fn op_index(opcode_space: &OpcodeSpace, bits: u64) -> u16 {
    let word = bits as u32;
    let mut op_index =
        opcode_space.base.wrapping_add((word >> (opcode_space.op_shift & 31)) as u16 & opcode_space.op_mask);
    let in_second = ANY_OPCODE_IN_SECOND_DWORD && opcode_space.second == IN_SECOND_DWORD;
    if opcode_space.seg != 0 && (MARKS & marks::DUAL == 0 || opcode_space.second == 0 || in_second) {
        let word = if in_second { (bits >> 32) as u32 } else { word };
        op_index = op_index.wrapping_add(second_field(opcode_space, word) * (opcode_space.op_mask + 1));
    }
    op_index
}

/// Bits that must be one, and the checks that the four checked fields cannot express.
fn further<'a>(t: &'a DecodeTables, number: ConstraintIndex, constraints: &Constraints) -> (u64, &'a [Check]) {
    if MARKS & constraints.marks & marks::FURTHER == 0 {
        return (0, &[]);
    }
    let ones = t.ones.binary_search_by_key(&number, |o| o.0).ok().and_then(|n| t.ones.get(n));
    let more = t.more.binary_search_by_key(&number, |o| o.0).ok().and_then(|n| t.more.get(n));
    (ones.map_or(0, |o| mask(t, o.1)), more.map_or(&[], |o| o.1))
}

/// A field whose value is not allowed: its lowest bit, width and value.
struct Bad {
    lsb: u8,
    width: u8,
    value: u16,
}

fn refused(t: &DecodeTables, constraints: &Constraints, more: &[Check], checked: usize, bits: u64) -> Option<Bad> {
    let field = (0..4).find(|&n| !is_in_set(t, constraints, checked, n, bits));
    let bad = field.map(|n| {
        let (lsb, width) = CHECKED_FIELDS[checked % CHECKED_FIELDS.len()][n % 4];
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

impl Bits {
    /// The value of these bits in the words.
    fn of(self, pairs: &Pairs) -> u16 {
        let Bits(lsb, width) = self;
        let pair = pairs.get(usize::from(lsb / 64)).copied().unwrap_or(0);
        let word = if lsb & 32 == 0 { pair as u32 } else { (pair >> 32) as u32 };
        (word >> (lsb & 31)) as u16 & ((1u32 << (width & 15)) - 1) as u16
    }
}

/// The field that the first broken rule of the constraints names.
fn broken(t: &DecodeTables, constraints: &Constraints, pairs: &Pairs) -> Option<Bad> {
    let rules = if RULES == 0 { &[][..] } else { t.rules.get(usize::from(constraints.rules))? };
    let rule = rules.iter().find(|rule| !keeps(t, rule, pairs))?;
    Some(Bad { lsb: rule.field.0, width: rule.field.1, value: rule.field.of(pairs) })
}

/// Whether the words keep a rule. The code for kinds of rules that no enabled target uses is left out.
fn keeps(t: &DecodeTables, rule: &Rule, pairs: &Pairs) -> bool {
    let has = |kind: RuleKind| kind.is_in(RULES);
    let value = rule.field.of(pairs);
    let inside = |registers: u16| value + registers <= 256;
    if has(RuleKind::Image) && rule.kind == RuleKind::Image {
        let [(dmask, _), (tfe, _), (d16, _)] = &rule.looks;
        let [dmask, tfe, d16] = [dmask.of(pairs), tfe.of(pairs), d16.of(pairs)];
        return inside(crate::codec::mimg_dwords(rule.n, dmask, tfe != 0, d16 != 0));
    }
    if rule.looks.iter().any(|(bits, value)| bits.of(pairs) != u16::from(*value)) {
        return true;
    }
    match rule.kind {
        RuleKind::Room if has(RuleKind::Room) => inside(rule.n.into()),
        RuleKind::Scalar if has(RuleKind::Scalar) => in_set(t.scalars, value.into()),
        RuleKind::Value if has(RuleKind::Value) => value == u16::from(rule.n),
        _ => false,
    }
}

#[inline]
fn in_set(set: &[u32; 16], code: usize) -> bool {
    set[code / 32 % 16] >> (code % 32) & 1 == 1
}
