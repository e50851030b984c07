//! Names the reason for a refusal: the format, the field, and the bits.

use super::{Bad, constraints_of, field_map, op_index, opcode_space, parts, second_field};
use crate::error::DecodeError;
use crate::opcode::{Field, Format};
use crate::table::sizes::ConstraintIndex;
use crate::table::{DecodeTables, IN_SECOND_DWORD};

/// The error for words that select no operation.
#[cold]
pub(crate) fn unknown(t: &DecodeTables, bits: u64) -> DecodeError {
    let word = bits as u32;
    let opcode_space = opcode_space(t, word);
    let op_index = op_index(opcode_space, bits);
    let opcode = (word >> (opcode_space.op_shift & 31)) as u16 & opcode_space.op_mask;
    // Take the format from any valid opcode nearby. FLAT's segments are separate formats; the halves of a split opcode
    // are not.
    let seg_base = op_index.wrapping_sub(opcode);
    let format_of = |s: u16| {
        let constraints = constraints_of(t, s);
        (constraints != 0).then(|| parts(t, constraints).0)
    };
    // The high part of a split opcode does not distinguish formats, so the lower half can provide the format.
    let mask = (1u32 << opcode_space.op_bits) - 1;
    let near = (seg_base..=seg_base.saturating_add(opcode_space.op_mask)).find_map(format_of);
    let lower_half =
        || (opcode_space.base..seg_base).find_map(format_of).filter(|_| mask > opcode_space.op_mask.into());
    let number = match opcode_space.second_op_base {
        0 | IN_SECOND_DWORD => op_index.wrapping_sub(opcode_space.base) & mask as u16,
        // The opcodes of both operations, combined as in the field `op`.
        _ => opcode | second_field(opcode_space, word) << opcode_space.op_mask.count_ones(),
    };
    match near.or_else(lower_half) {
        Some(format) => DecodeError::UnknownOpcode { format, opcode: number },
        None => DecodeError::UnknownEncoding,
    }
}

pub(crate) fn reserved_bit(t: &DecodeTables, number: ConstraintIndex, bit: u8) -> DecodeError {
    let (format, field, _) = field_at(t, number, bit);
    DecodeError::ReservedBits { format, field, bit }
}

/// The error for a field value that is not allowed. The check can cover more bits than the field has.
pub(crate) fn reserved_value(t: &DecodeTables, number: ConstraintIndex, bad: Bad) -> DecodeError {
    let (_, field, end) = field_at(t, number, bad.lsb);
    let width = bad.width.min(end - bad.lsb);
    let value = bad.value & ((1u32 << width) - 1) as u16;
    DecodeError::ReservedValue { field: field.unwrap_or(Field::Reserved), value, lsb: bad.lsb, width }
}

/// The format and the field that a bit belongs to, in the base format or in the trailing dword's, and the first bit
/// after the field.
fn field_at(t: &DecodeTables, number: ConstraintIndex, bit: u8) -> (Format, Option<Field>, u8) {
    let (base, extension) = parts(t, number);
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
    let base_bits = field_map(t, base).map_or(32, |m| m.dwords * 32);
    match (bit.checked_sub(base_bits), extension) {
        (Some(bit), Some(format)) => {
            let (format, field, end) = field(format, bit);
            (format, field, end.saturating_add(base_bits))
        }
        _ => field(base, bit),
    }
}
