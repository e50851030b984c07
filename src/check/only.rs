//! Values of fields that an operation cannot have, although they decode.

use crate::inst::Inst;
use crate::opcode::{Field, Format, ONLY};
use crate::table::Only;
use crate::target::FACTS;

/// The values that fields of the operation can have, of the fields that cannot have all.
fn of(inst: &Inst) -> impl Iterator<Item = &'static Only> {
    let op_index = inst.op_index();
    // The rows have the order of their first operations.
    let rows = FACTS[inst.target() as usize].only.iter();
    rows.take_while(move |only| usize::from(only.first) <= op_index).filter(move |only| op_index <= only.last.into())
}

/// Whether the format has operations with a field that cannot have all values.
#[inline]
pub(crate) fn has_only(format: Format) -> bool {
    ONLY.get(format as usize).is_some_and(|only| *only)
}

/// The first field with a value that the operation cannot have, and that value.
#[inline]
pub(crate) fn excluded(inst: &Inst) -> Option<(Field, u32)> {
    if has_only(inst.format()) { find(inst) } else { None }
}

#[inline(never)]
fn find(inst: &Inst) -> Option<(Field, u32)> {
    of(inst).find_map(|only| {
        let value = inst.get(only.field)?;
        if only.condition.is_some_and(|(other, needed)| inst.get(other) != Some(needed.into())) {
            return None;
        }
        let is_in = 1u128.checked_shl(value >> (only.shift & 31)).is_some_and(|bit| only.values & bit != 0);
        (!is_in).then_some((only.field, value))
    })
}

/// The smallest value that the field can have in the operation.
#[cfg(feature = "arbitrary")]
pub(crate) fn smallest(inst: &Inst, field: Field) -> u32 {
    of(inst).find(|only| only.field == field).map_or(0, |only| only.values.trailing_zeros() << (only.shift & 31))
}
