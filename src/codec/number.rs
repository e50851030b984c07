//! Constants in a field, and modifiers.

use super::code::{last_dword, last_two};
use super::{Coded, Refused, Words, bits, is_signed, sign_extended, value};
use crate::common::{DEFAULTS, NEUTRALS};
use crate::table::{NONE, OperandDesc, OperandType};
use crate::{Field, Inst};

/// Bits of the channel of an interpolation attribute.
const CHANNEL: u8 = 2;
/// Bits of each of the two lower parts of a truth table.
pub(crate) const TABLE: u8 = 3;

pub(super) fn read(desc: &OperandDesc, inst: &Inst) -> Option<Coded> {
    let raw = value(desc, inst);
    Some(match desc.operand_type {
        OperandType::Literal if desc.dwords == 2 => Coded::Literal64(last_two(inst)),
        OperandType::Literal => Coded::Literal(last_dword(inst)),
        OperandType::Label => Coded::Label(raw as u16 as i16),
        OperandType::SignedHex => Coded::Number(sign_extended(raw, desc.width)),
        OperandType::Attr if desc.aux[0] != NONE => Coded::Attr(raw.into(), bits(inst, desc.aux[0], CHANNEL) as u8),
        kind if kind.is_number() => Coded::Number(raw.into()),
        _ => return None,
    })
}

pub(super) fn encode(desc: &OperandDesc, coded: Coded, words: &mut Words) -> Result<(), Refused> {
    match (desc.operand_type, coded) {
        (OperandType::Literal, Coded::Literal(dword)) => words.put_literal(dword),
        (OperandType::Literal, Coded::Literal64(bits)) => words.put_literal64(bits),
        (OperandType::SignedHex, Coded::Number(n)) => encode_number(desc, n, words),
        (OperandType::Label, Coded::Label(distance)) => words.desc(desc, u32::from(distance as u16)),
        (OperandType::Attr, Coded::Attr(n, channel)) => {
            words.put(desc.aux[0], CHANNEL, channel.into());
            encode_number(desc, n, words)
        }
        (kind, Coded::Number(n)) if kind.is_number() => encode_number(desc, n, words),
        _ => Err(Refused::Operand),
    }
}

/// Stores a number in the field of a descriptor, if it fits.
pub(crate) fn encode_number(desc: &OperandDesc, n: i64, words: &mut Words) -> Result<(), Refused> {
    let (min, max) = range(desc);
    if !(min..=max).contains(&n) {
        return Err(Refused::Range { min, max });
    }
    words.desc(desc, (n as u64 & ((1u64 << desc.width) - 1)) as u32)
}

/// The least and the greatest number that fit in a descriptor's field.
pub(crate) fn range(desc: &OperandDesc) -> (i64, i64) {
    let values = 1i64 << desc.width;
    if is_signed(desc) { (-values / 2, values / 2 - 1) } else { (0, values - 1) }
}

/// The truth table of `v_bitop3`, in the bits of modifiers that have no meaning for it.
pub(crate) fn bitop3(desc: &OperandDesc, inst: &Inst) -> u32 {
    if desc.aux[0] == NONE {
        return value(desc, inst);
    }
    value(desc, inst) << (2 * TABLE) | bits(inst, desc.aux[0], TABLE) << TABLE | bits(inst, desc.aux[1], TABLE)
}

/// All bits of a modifier.
pub(crate) fn held(desc: &OperandDesc, inst: &Inst) -> u32 {
    if desc.operand_type == OperandType::Bitop3 { bitop3(desc, inst) } else { value(desc, inst) }
}

/// Sets the bits of a modifier.
pub(crate) fn hold(desc: &OperandDesc, value: u32, words: &mut Words) -> Result<(), Refused> {
    if desc.operand_type != OperandType::Bitop3 || desc.aux[0] == NONE {
        return words.desc(desc, value);
    }
    words.put(desc.aux[0], TABLE, value >> TABLE);
    words.put(desc.aux[1], TABLE, value);
    words.desc(desc, value >> (2 * TABLE))
}

/// The value of a modifier; in fields of fewer than eight bits, only the bits that the row uses.
pub(crate) fn modifier(desc: &OperandDesc, inst: &Inst) -> i64 {
    let raw = held(desc, inst);
    match desc.operand_type {
        OperandType::Bitop3 => raw.into(),
        _ if is_signed(desc) => sign_extended(raw, desc.width),
        _ if desc.width < 8 => (raw & u32::from(desc.used)).into(),
        _ => raw.into(),
    }
}

/// The default value of a modifier; `None` if it must be given.
#[cfg(feature = "make")]
pub(crate) fn default(desc: &OperandDesc) -> Option<u32> {
    match desc.operand_type {
        OperandType::ListOnes => Some(desc.used.into()),
        OperandType::DppCtrl | OperandType::Dpp8 | OperandType::Dmask => None,
        _ => Some(default_of(desc.field)),
    }
}

/// The default value of a field.
pub(crate) fn default_of(field: Field) -> u32 {
    find(&DEFAULTS, field)
}

/// The value of a field that has no effect.
pub(crate) fn neutral(field: Field) -> u32 {
    find(&NEUTRALS, field)
}

/// The value of a modifier that has no effect.
pub(crate) fn neutral_of(desc: &OperandDesc) -> u32 {
    match desc.field {
        // The bound_ctrl of permlane swaps is a part of op_sel.
        Field::BoundCtrl if desc.operand_type != OperandType::DppBound => 0,
        field => neutral(field),
    }
}

/// A field's value in a table; fields that the table lacks have 0.
fn find(table: &[(Field, u32)], field: Field) -> u32 {
    table.iter().find(|(of, _)| *of == field).map_or(0, |(_, value)| *value)
}
