//! Modifiers: their values, defaults, and values without an effect.

use super::{Refused, Words, bits, is_signed, sign_extended, value};
use crate::inst::Inst;
#[cfg(feature = "make")]
use crate::kind::ListStyle;
use crate::kind::{ModifierKind, NONE, OperandKind, Position};
use crate::opcode::{DEFAULTS, Field, NEUTRALS};
use crate::table::OperandDesc;

/// Width in bits of each of the two lower parts of the truth table of `v_bitop3`.
pub(crate) const TABLE: u8 = 3;

/// The positions of the two lower parts of a truth table that is in three fields.
fn table_parts(desc: &OperandDesc) -> Option<[Position; 2]> {
    match desc.kind {
        OperandKind::Modifier(ModifierKind::Bitop3 { middle, low }) if middle != NONE => Some([middle, low]),
        _ => None,
    }
}

/// All bits of a modifier. The truth table of `v_bitop3` takes the bits of modifiers that this operation lacks.
pub(crate) fn modifier_bits(desc: &OperandDesc, inst: &Inst) -> u32 {
    match table_parts(desc) {
        Some([middle, low]) => {
            value(desc, inst) << (2 * TABLE) | bits(inst, middle, TABLE) << TABLE | bits(inst, low, TABLE)
        }
        None => value(desc, inst),
    }
}

/// Sets the bits of a modifier.
pub(crate) fn put_modifier(desc: &OperandDesc, value: u32, words: &mut Words) -> Result<(), Refused> {
    let Some([middle, low]) = table_parts(desc) else { return words.put_value(desc, value) };
    words.put(middle, TABLE, value >> TABLE);
    words.put(low, TABLE, value);
    words.put_value(desc, value >> (2 * TABLE))
}

/// The value of a modifier; in fields of fewer than eight bits, only the bits that the operation uses.
pub(crate) fn modifier(desc: &OperandDesc, inst: &Inst) -> i64 {
    let raw = modifier_bits(desc, inst);
    match desc.kind {
        OperandKind::Modifier(ModifierKind::Bitop3 { .. }) => raw.into(),
        _ if is_signed(desc) => sign_extended(raw, desc.width),
        _ if desc.width < 8 => (raw & u32::from(desc.used_bits)).into(),
        _ => raw.into(),
    }
}

/// The default value of a modifier; `None` if the caller must give a value.
#[cfg(feature = "make")]
pub(crate) fn default(desc: &OperandDesc) -> Option<u32> {
    match desc.kind {
        OperandKind::Modifier(ModifierKind::List(ListStyle::Ones)) => Some(desc.used_bits.into()),
        OperandKind::Modifier(kind) if !kind.is_optional() => None,
        _ => Some(default_of(desc.field)),
    }
}

/// The default value of a field.
#[cfg_attr(not(any(feature = "make", feature = "text")), allow(dead_code))]
#[inline]
pub(crate) fn default_of(field: Field) -> u32 {
    if has_default(field) { find(&DEFAULTS, field) } else { 0 }
}

/// Whether a field has a default value other than 0.
#[cfg_attr(not(any(feature = "make", feature = "text")), allow(dead_code))]
#[inline]
pub(crate) const fn has_default(field: Field) -> bool {
    let (word, bit) = (field as usize / 64, field as usize % 64);
    word < LISTED.len() && LISTED[word] >> bit & 1 == 1
}

/// The fields in `DEFAULTS`, a bit for each.
#[cfg_attr(not(any(feature = "make", feature = "text")), allow(dead_code))]
const LISTED: [u64; Field::ALL.len().div_ceil(64)] = {
    let (mut listed, mut n) = ([0; Field::ALL.len().div_ceil(64)], 0);
    while n < DEFAULTS.len() {
        let field = DEFAULTS[n].0 as usize;
        listed[field / 64] |= 1 << (field % 64);
        n += 1;
    }
    listed
};

/// The value with which a field has no effect.
pub(crate) fn neutral(field: Field) -> u32 {
    find(&NEUTRALS, field)
}

/// The value with which a modifier has no effect.
pub(crate) fn neutral_of(desc: &OperandDesc) -> u32 {
    match desc.field {
        // The bound_ctrl of permlane swaps is a part of op_sel.
        Field::BoundCtrl if desc.kind != OperandKind::Modifier(ModifierKind::DppBound) => 0,
        field => neutral(field),
    }
}

/// A field's value in a table; 0 for a field that the table lacks.
fn find(table: &[(Field, u32)], field: Field) -> u32 {
    table.iter().find(|(of, _)| *of == field).map_or(0, |(_, value)| *value)
}
