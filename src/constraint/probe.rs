//! Determines which values single fields may hold, from the decoder's tables and without an instruction.

use super::{
    constraints_of, constraints_of_form, further, in_set, is_in_set, mask, op_index, opcode_space, parts, refused_by,
    wide_of,
};
use crate::opcode::{Field, Format};
use crate::operation::layout;
use crate::shared::constraint_flags;
use crate::table::sizes::CHECKED_FIELDS;
use crate::table::{Check, Constraints, DecodeTables, NONE, OperandDesc};
use crate::target::{DECODE, Target};

/// The opcode index of a number in a format's opcode field; `None` if no operation has that number.
pub(crate) fn index_of(target: Target, format: Format, number: u16) -> Option<u16> {
    let t = DECODE[target as usize];
    let is_of = |op_index: &u16| {
        let constraints = constraints_of(t, *op_index);
        constraints != 0 && parts(t, constraints).0 == format
    };
    let mut joined = t.joined.iter().filter(|joined| number <= joined.op_mask).map(|joined| joined.base + number);
    if let Some(op_index) = joined.find(is_of) {
        return Some(op_index);
    }
    let there = layout(target, format).filter(|l| !l.extension)?;
    let (mut word, mut op_bits) = (0u64, 0);
    for info in there.fields.iter().filter(|info| info.lsb < 32) {
        let is_op = info.field == Field::Op;
        let value = if is_op { number } else { info.fixed.unwrap_or(0) };
        word |= (u64::from(value) & ((1 << info.width) - 1)) << info.lsb;
        if info.hi_width > 0 {
            word |= (u64::from(value) >> info.width & ((1 << info.hi_width) - 1)) << info.hi;
        }
        if is_op {
            op_bits = info.width + info.hi_width;
        }
    }
    if u32::from(number) >> op_bits != 0 {
        return None;
    }
    Some(op_index(opcode_space(t, word as u32), word)).filter(is_of)
}

/// The decoder's constraints for a form of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Probe {
    t: &'static DecodeTables,
    constraints: &'static Constraints,
    /// The checks that the four checked fields cannot express, and the checks of the third and fourth dword.
    more: &'static [Check],
    wide: &'static [Check],
    /// Bits that must be zero, and bits that must be one.
    zeros: u128,
    ones: u128,
    checked: usize,
}

impl Probe {
    /// The constraints of a form: 0 is the base form, other numbers are forms with a trailing dword.
    pub(crate) fn new(target: Target, op_index: u16, form: u8) -> Option<Probe> {
        let t = DECODE[target as usize];
        let number = constraints_of_form(t, op_index, form)?;
        let constraints = t.constraints.get(usize::from(number)).filter(|_| number != 0)?;
        // The decoder finds the opcode space of a joined operation by its first two dwords.
        let joined = t.joined.iter().find(|joined| (joined.base..=joined.base + joined.op_mask).contains(&op_index));
        let opcode_space = match joined {
            Some(joined) => opcode_space(t, joined.values.0 as u32),
            None => t.opcode_spaces.iter().rev().find(|f| f.base <= op_index)?,
        };
        let (ones, more) = further(t, number, constraints);
        let third = wide_of(t, number);
        let (wide, zeros_after, ones_after) =
            third.map_or((&[][..], 0, 0), |w| (w.checks, mask(t, w.zeros), mask(t, w.ones)));
        Some(Probe {
            t,
            constraints,
            more,
            wide,
            zeros: u128::from(mask(t, constraints.zeros)) | u128::from(zeros_after) << 64,
            ones: u128::from(ones) | u128::from(ones_after) << 64,
            checked: opcode_space.checked.into(),
        })
    }

    /// Whether a bit may have this value. A missing bit (`NONE`) is zero.
    pub(crate) fn can_be(&self, bit: u8, value: bool) -> bool {
        if bit == NONE {
            return !value;
        }
        let forced = if value { self.zeros } else { self.ones };
        forced.wrapping_shr(bit.into()) & 1 == 0
    }

    /// Whether the field of a descriptor may hold a value, apart from rules that depend on other fields. `flag` is the
    /// extra bit that is checked together with some fields, for example whether a destination is returned, or whether
    /// the field holds the code of a scalar.
    pub(crate) fn accepts(&self, desc: &OperandDesc, value: u32, flag: bool) -> bool {
        let place = |value: u32| {
            let low = u128::from(value & ((1u64 << desc.lo_width) - 1) as u32).wrapping_shl(desc.lsb.into());
            let rest = u128::from(value >> desc.lo_width);
            let high = if desc.hi == NONE { 0 } else { rest.wrapping_shl(desc.hi.into()) };
            low | high
        };
        let (bits, mask) = (place(value), place(((1u64 << desc.width) - 1) as u32));
        if bits & self.zeros != 0 || !bits & mask & self.ones != 0 {
            return false;
        }
        if desc.lsb >= 64 {
            return self.is_taken(self.wide, desc.lsb - 64, (bits >> 64) as u64, flag);
        }
        let bits = bits as u64;
        let checked = CHECKED_FIELDS.get(self.checked).into_iter().flatten().enumerate();
        let mut mine = checked.filter(|(_, (lsb, width))| *width > 0 && *lsb == desc.lsb);
        mine.all(|(n, _)| is_in_set(self.t, self.constraints, self.checked, n, bits))
            && self.is_taken(self.more, desc.lsb, bits, flag)
    }

    fn is_taken(&self, checks: &[Check], lsb: u8, bits: u64, flag: bool) -> bool {
        checks.iter().filter(|c| c.lsb == lsb).all(|check| {
            let with = if check.hi == NONE { 0 } else { u64::from(flag) << (check.hi & 63) };
            refused_by(self.t, core::slice::from_ref(check), bits | with).is_none()
        })
    }

    /// Whether the code is a scalar register.
    pub(crate) fn is_scalar(&self, code: u16) -> bool {
        in_set(self.t.scalars, code.into())
    }

    /// Whether the operation has the lds bit.
    pub(crate) fn has_lds(&self) -> bool {
        self.constraints.flags & constraint_flags::LDS != 0
    }

    /// Whether the operation has a d16 bit that packs two components per register.
    pub(crate) fn has_d16(&self) -> bool {
        self.constraints.flags & constraint_flags::D16 != 0
    }
}
