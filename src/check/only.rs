//! Values of fields that decode, but that the operation cannot have.

use core::fmt;

use crate::inst::Inst;
use crate::opcode::{Field, Format, ONLY};
use crate::table::Only;
use crate::target::{FACTS, Target};

/// The values that a field can have in an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Allowed(&'static Only);

impl Allowed {
    /// Whether the field can have the value.
    pub fn contains(self, value: u32) -> bool {
        is_among(value >> (self.0.shift & 31), self.0.values)
    }

    /// The least and the greatest value, if the field can have all values between them.
    pub fn range(self) -> Option<(u32, u32)> {
        let run = self.run(0)?;
        self.run(run.1.saturating_add(1)).is_none().then_some(run)
    }

    /// The first run of values from `least` on.
    fn run(self, least: u32) -> Option<(u32, u32)> {
        let Only { shift, values, .. } = *self.0;
        let shift = shift & 31;
        let first = values.checked_shr(least >> shift).filter(|rest| *rest != 0)?.trailing_zeros() + (least >> shift);
        let len = (values >> first).trailing_ones();
        Some(((first << shift).max(least), ((first + len) << shift) - 1))
    }
}

/// Numbers and ranges, such as `1, 2, 4 or 8` and `0 to 4 or 6`.
impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut next, mut separator) = (0, "");
        while let Some((first, last)) = self.run(next) {
            let is_range = last > first + 1;
            next = if is_range { last } else { first }.saturating_add(1);
            if !separator.is_empty() && self.run(next).is_none() {
                separator = " or ";
            }
            match is_range {
                true => write!(f, "{separator}{first} to {last}")?,
                false => write!(f, "{separator}{first}")?,
            }
            separator = ", ";
        }
        Ok(())
    }
}

fn is_among(value: u32, values: u128) -> bool {
    1u128.checked_shl(value).is_some_and(|bit| values & bit != 0)
}

/// The values that each field can have in an operation, for the fields that cannot have all values.
fn of(target: Target, op_index: usize) -> impl Iterator<Item = &'static Only> {
    // The rows are in the order of their first operations.
    let rows = FACTS[target as usize].only.iter();
    rows.take_while(move |only| usize::from(only.first) <= op_index).filter(move |only| op_index <= only.last.into())
}

/// The least and the greatest value that a field can have in an operation, whatever other fields hold.
#[cfg(feature = "text")]
pub(crate) fn limits(target: Target, op_index: usize, field: Field) -> Option<(u32, u32)> {
    let mut rows = of(target, op_index).filter(|only| only.field == field && only.conditions.is_empty());
    rows.find_map(|only| Allowed(only).range())
}

/// Whether the format has operations with a field that cannot have all values.
#[inline]
pub(crate) fn has_only(format: Format) -> bool {
    ONLY.get(format as usize).is_some_and(|only| *only)
}

/// The first field with a value that the operation cannot have, that value, and the values that it can have.
#[inline]
pub(crate) fn excluded(inst: &Inst) -> Option<(Field, u32, Allowed)> {
    if has_only(inst.format()) { find(inst) } else { None }
}

#[inline(never)]
fn find(inst: &Inst) -> Option<(Field, u32, Allowed)> {
    of(inst.target(), inst.op_index()).find_map(|only| Some((only.field, broken(inst, only)?, Allowed(only))))
}

/// The value of the field, if the operation cannot have this value.
fn broken(inst: &Inst, only: &'static Only) -> Option<u32> {
    let value = inst.get(only.field)?;
    let holds = |(other, values): &(Field, u128)| inst.get(*other).is_some_and(|value| is_among(value, *values));
    let is_broken = only.conditions.iter().all(holds) && !Allowed(only).contains(value);
    is_broken.then_some(value)
}

/// The smallest value that the operation allows in a field which now has a forbidden value.
#[cfg(feature = "arbitrary")]
pub(crate) fn smallest(inst: &Inst, field: Field) -> u32 {
    let mut rows = of(inst.target(), inst.op_index()).filter(|only| only.field == field);
    let row = rows.find(|only| broken(inst, only).is_some());
    row.map_or(0, |only| only.values.trailing_zeros() << (only.shift & 31))
}
