//! Constraints: the demands of the tables on the words of an instruction.

pub(crate) mod image;
pub(crate) mod probe;
pub(crate) mod refusal;

use crate::code::is_inside;
use crate::kind::NONE;
use crate::opcode::{Field, Format};
use crate::shared::{RuleKind, constraint_flags};
use crate::table::sizes::{
    ANY_OPCODE_IN_SECOND_DWORD, CHECKED_FIELDS, CONSTRAINT_FLAGS, ConstraintIndex, OPCODE_SPACES, RULES,
};
use crate::table::{
    Bits, Check, Constraints, DecodeTables, FieldMap, IN_SECOND_DWORD, MAX_DWORDS, OpcodeSpace, Rule, Trailing,
    TrailingDword, Wide, paged,
};
use crate::target::{DECODE, Target};

/// The dwords of an instruction in pairs, because a load of 64 bits stalls after two stores of 32 bits.
pub(crate) type Pairs = [u64; MAX_DWORDS.div_ceil(2)];

#[inline(always)]
#[allow(clippy::useless_conversion)] // With few targets, a byte is enough for both.
pub(crate) fn constraints_of(t: &DecodeTables, op_index: u16) -> ConstraintIndex {
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
pub(crate) fn is_in_set(t: &DecodeTables, constraints: &Constraints, checked: usize, n: usize, bits: u64) -> bool {
    let (lsb, width) = CHECKED_FIELDS[checked % CHECKED_FIELDS.len()][n % 4];
    let group = t.code_groups[(bits >> lsb) as usize & ((1 << width) - 1) & 511];
    let set = t.sets.get(usize::from(constraints.sets[n % 4])).copied().unwrap_or(0);
    width == 0 || set >> (group & 63) & 1 == 1
}

/// The demands of constraints with the flag `WIDE` on the third and fourth dword.
pub(crate) fn wide_of(t: &DecodeTables, number: ConstraintIndex) -> Option<&Wide> {
    let is_wide = CONSTRAINT_FLAGS & t.constraints.get(usize::from(number))?.flags & constraint_flags::WIDE != 0;
    let at = t.wide.binary_search_by_key(&number, |w| w.0).ok();
    t.wides.get(at.and_then(|at| t.wide.get(at)).map_or(0, |wide| wide.1.into())).filter(|_| is_wide)
}

/// The trailing dword that the words announce, if `Constraints::trailing` has no flag for it, and the number of dwords
/// that follow.
pub(crate) fn listed(t: &DecodeTables, constraints: ConstraintIndex, bits: u64) -> Option<(TrailingDword, u8)> {
    let (of, list) = trailing_dwords(t, constraints)?;
    list.iter().find_map(|dword| {
        let dword = of.dword(*dword);
        let announcer = t.announcers.get(dword.announcer)?;
        announcer.is_in((bits >> (announcer.lsb & 63)) as u32).then_some((dword, announcer.dwords))
    })
}

/// The dwords that can follow, each as the argument of `Trailing::dword`.
pub(crate) fn trailing_dwords(t: &DecodeTables, constraints: ConstraintIndex) -> Option<(&Trailing, &'static [u8])> {
    // Only constraints of base forms have entries, and these constraints have the lowest numbers.
    let at = t.trailing.binary_search_by_key(&constraints, |of| ConstraintIndex::from(of.constraints)).ok()?;
    let of = t.trailing.get(at)?;
    Some((of, *t.trailing_dwords.get(usize::from(of.list))?))
}

/// The opcode index of the second operation, if the opcode space has two operations per instruction.
pub(crate) fn second_index(t: &DecodeTables, word: u32) -> Option<u16> {
    let opcode_space = opcode_space(t, word);
    opcode_space.is_dual().then(|| opcode_space.second_op_base + second_field(opcode_space, word))
}

/// The value of the second opcode field.
#[inline(always)]
pub(crate) fn second_field(opcode_space: &OpcodeSpace, word: u32) -> u16 {
    (word >> (opcode_space.high_op_field & 31)) as u16 & ((1 << (opcode_space.high_op_field >> 5)) - 1)
}

/// The formats that belong to constraints: that of the base words, and that of the trailing dword.
pub(crate) fn parts(t: &DecodeTables, constraints: ConstraintIndex) -> (Format, Option<Format>) {
    let constraints = t.constraints.get(usize::from(constraints));
    let parts = constraints.and_then(|c| t.parts.get(usize::from(c.parts)));
    parts.copied().unwrap_or((Format::Literal, None))
}

pub(crate) fn field_map(t: &DecodeTables, format: Format) -> Option<&FieldMap> {
    t.fields.iter().find(|m| m.format == format)
}

/// The lowest bit and the width of a field of the base format.
pub(crate) fn place(target: Target, format: Format, field: Field) -> Option<(u8, u8)> {
    let map = field_map(DECODE[target as usize], format)?;
    let mut from = map.fields.iter().skip_while(|f| f.0 != field);
    let lsb = from.next()?.1;
    Some((lsb, from.next().map_or(map.dwords * 32, |f| f.1) - lsb))
}

pub(crate) fn base_dwords(t: &DecodeTables, constraints: ConstraintIndex) -> u8 {
    field_map(t, parts(t, constraints).0).map_or(1, |m| m.dwords)
}

#[inline(always)]
pub(crate) fn opcode_space(t: &DecodeTables, word: u32) -> &OpcodeSpace {
    &t.opcode_spaces[usize::from(t.opcode_space_of[(word >> 23) as usize]) & (OPCODE_SPACES - 1)]
}

#[inline(always)]
pub(crate) fn op_index(opcode_space: &OpcodeSpace, bits: u64) -> u16 {
    let word = bits as u32;
    let mut op_index =
        opcode_space.base.wrapping_add((word >> (opcode_space.op_shift & 31)) as u16 & opcode_space.op_mask);
    let in_second = ANY_OPCODE_IN_SECOND_DWORD && opcode_space.second_op_base == IN_SECOND_DWORD;
    if opcode_space.high_op_field != 0
        && (CONSTRAINT_FLAGS & constraint_flags::DUAL == 0 || opcode_space.second_op_base == 0 || in_second)
    {
        let word = if in_second { (bits >> 32) as u32 } else { word };
        op_index = op_index.wrapping_add(second_field(opcode_space, word) * (opcode_space.op_mask + 1));
    }
    op_index
}

/// Bits that must be one, and the checks that the four checked fields cannot express.
pub(crate) fn further<'a>(
    t: &'a DecodeTables,
    number: ConstraintIndex,
    constraints: &Constraints,
) -> (u64, &'a [Check]) {
    if CONSTRAINT_FLAGS & constraints.flags & constraint_flags::FURTHER == 0 {
        return (0, &[]);
    }
    let ones = t.ones.binary_search_by_key(&number, |o| o.0).ok().and_then(|n| t.ones.get(n));
    let more = t.more.binary_search_by_key(&number, |o| o.0).ok().and_then(|n| t.more.get(n));
    (ones.map_or(0, |o| mask(t, o.1)), more.map_or(&[], |o| o.1))
}

/// A field whose value is not allowed: its lowest bit, width and value.
pub(crate) struct Bad {
    pub lsb: u8,
    pub width: u8,
    pub value: u16,
}

pub(crate) fn refused(
    t: &DecodeTables,
    constraints: &Constraints,
    more: &[Check],
    checked: usize,
    bits: u64,
) -> Option<Bad> {
    let field = (0..4).find(|&n| !is_in_set(t, constraints, checked, n, bits));
    let bad = field.map(|n| {
        let (lsb, width) = CHECKED_FIELDS[checked % CHECKED_FIELDS.len()][n % 4];
        Bad { lsb, width, value: (bits >> lsb) as u16 & ((1 << width) - 1) }
    });
    bad.or_else(|| refused_by(t, more, bits))
}

/// The first check that does not hold.
pub(crate) fn refused_by(t: &DecodeTables, checks: &[Check], bits: u64) -> Option<Bad> {
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
    pub(crate) fn of(self, pairs: &Pairs) -> u16 {
        let Bits(lsb, width) = self;
        let pair = pairs.get(usize::from(lsb / 64)).copied().unwrap_or(0);
        let word = if lsb & 32 == 0 { pair as u32 } else { (pair >> 32) as u32 };
        (word >> (lsb & 31)) as u16 & ((1u32 << (width & 15)) - 1) as u16
    }
}

/// The field of the first rule of the constraints that the words break, and its value.
pub(crate) fn broken(t: &DecodeTables, constraints: &Constraints, pairs: &Pairs) -> Option<Bad> {
    let rules = if RULES == 0 { &[][..] } else { t.rules.get(usize::from(constraints.rules))? };
    let rule = rules.iter().find(|rule| !keeps(t, rule, pairs))?;
    Some(Bad { lsb: rule.field.0, width: rule.field.1, value: rule.field.of(pairs) })
}

/// Whether the words keep a rule. The code for kinds of rules that no enabled target uses is left out.
pub(crate) fn keeps(t: &DecodeTables, rule: &Rule, pairs: &Pairs) -> bool {
    let has = |kind: RuleKind| kind.is_in(RULES);
    let value = rule.field.of(pairs);
    let inside = |registers: u16| is_inside(value, registers, t.vgprs);
    if has(RuleKind::Image) && rule.kind == RuleKind::Image {
        let [(dmask, _), (tfe, _), (d16, _)] = &rule.looks;
        let [dmask, tfe, d16] = [dmask.of(pairs), tfe.of(pairs), d16.of(pairs)];
        return inside(image::image_data_dwords(rule.n, dmask, tfe != 0, d16 != 0));
    }
    if rule.looks.iter().any(|(bits, value)| bits.of(pairs) != u16::from(*value)) {
        return true;
    }
    match rule.kind {
        RuleKind::RegisterRun if has(RuleKind::RegisterRun) => inside(rule.n.into()),
        RuleKind::Scalar if has(RuleKind::Scalar) => in_set(t.scalars, value.into()),
        RuleKind::Value if has(RuleKind::Value) => value == u16::from(rule.n),
        _ => false,
    }
}

#[inline]
pub(crate) fn in_set(set: &[u32; 16], code: usize) -> bool {
    set[code / 32 % 16] >> (code % 32) & 1 == 1
}
