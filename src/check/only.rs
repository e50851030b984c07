//! Values of fields that decode, but that the operation cannot have.

use crate::inst::Inst;
use crate::opcode::{Field, Format, ONLY};
use crate::table::Only;
use crate::target::FACTS;

/// The values that each field can have in the operation, for the fields that cannot have all values.
fn of(inst: &Inst) -> impl Iterator<Item = &'static Only> {
    let op_index = inst.op_index();
    // The rows are in the order of their first operations.
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
    of(inst).find_map(|only| broken(inst, only))
}

/// The field and its value, if the operation cannot have this value.
fn broken(inst: &Inst, only: &Only) -> Option<(Field, u32)> {
    let value = inst.get(only.field)?;
    let is_among = |value: u32, values: u128| 1u128.checked_shl(value).is_some_and(|bit| values & bit != 0);
    let holds = |(other, values): &(Field, u128)| inst.get(*other).is_some_and(|value| is_among(value, *values));
    let is_broken = only.conditions.iter().all(holds) && !is_among(value >> (only.shift & 31), only.values);
    is_broken.then_some((only.field, value))
}

/// The smallest value that the operation allows in a field which now has a forbidden value.
#[cfg(feature = "arbitrary")]
pub(crate) fn smallest(inst: &Inst, field: Field) -> u32 {
    let row = of(inst).find(|only| broken(inst, only).is_some_and(|(broken, _)| broken == field));
    row.map_or(0, |only| only.values.trailing_zeros() << (only.shift & 31))
}
