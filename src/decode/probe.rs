//! Which values single fields may hold: asked of the tables that decoding looks at, without an instruction.

use super::{class_of, class_of_form, family, further, in_lane, in_set, parts, refused_by, slot, zeros};
use crate::inst::layout;
use crate::shared::marks;
use crate::table::{Check, Class, DecodeTables, Item, NONE};
use crate::target::DECODE;
use crate::target::generated::LANES;
use crate::{Field, Format, Target};

/// The slot of a number in a format's opcode field; `None` if no operation has the number.
pub(crate) fn slot_of(target: Target, format: Format, number: u16) -> Option<u16> {
    let t = DECODE[target as usize];
    let is_of = |slot: &u16| {
        let class = class_of(t, *slot);
        class != 0 && parts(t, class).0 == format
    };
    let mut joined = t.joined.iter().filter(|joined| number <= joined.op_mask).map(|joined| joined.base + number);
    if let Some(slot) = joined.find(is_of) {
        return Some(slot);
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
    Some(slot(family(t, word as u32), word as u32)).filter(is_of)
}

/// What decoding asks of a form of an operation.
#[derive(Clone, Copy)]
pub(crate) struct Probe {
    t: &'static DecodeTables,
    class: &'static Class,
    /// The checks that fit no lane, and those of the third dword and the fourth.
    more: &'static [Check],
    wide: &'static [Check],
    /// Bits that must be zero, and that must be one.
    zeros: u128,
    ones: u128,
    lanes: usize,
}

impl Probe {
    /// Of the base form, or of the first or second one with a dword behind the base words.
    pub(crate) fn new(target: Target, slot: u16, form: u8) -> Option<Probe> {
        let t = DECODE[target as usize];
        let number = class_of_form(t, slot, form)?;
        let class = t.classes.get(usize::from(number)).filter(|_| number != 0)?;
        // Two operations that are one are found as the first of them, in its family.
        let joined = t.joined.iter().find(|joined| (joined.base..=joined.base + joined.op_mask).contains(&slot));
        let family = match joined {
            Some(joined) => family(t, joined.values.0 as u32),
            None => t.families.iter().rev().find(|f| f.base <= slot)?,
        };
        let (ones, more) = further(t, number, class);
        let third = t.wide.iter().find(|w| w.class == number);
        let (wide, zeros_behind, ones_behind) = third.map_or((&[][..], 0, 0), |w| (w.checks, w.zeros, w.ones));
        Some(Probe {
            t,
            class,
            more,
            wide,
            zeros: u128::from(zeros(t, class)) | u128::from(zeros_behind) << 64,
            ones: u128::from(ones) | u128::from(ones_behind) << 64,
            lanes: family.lanes.into(),
        })
    }

    /// A bit may have this value; if it is not there, it is zero.
    pub(crate) fn can_be(&self, bit: u8, value: bool) -> bool {
        if bit == NONE {
            return !value;
        }
        let forced = if value { self.zeros } else { self.ones };
        forced.wrapping_shr(bit.into()) & 1 == 0
    }

    /// The field of an item may hold a value, as far as other fields have no say in it. `flag`: the bit that some fields
    /// have besides, which says whether a destination is returned, what an address is, ...
    pub(crate) fn accepts(&self, item: &Item, value: u32, flag: bool) -> bool {
        let place = |value: u32| {
            let low = u128::from(value & ((1u64 << item.lo_width) - 1) as u32).wrapping_shl(item.lsb.into());
            let rest = u128::from(value >> item.lo_width);
            let high = if item.hi == NONE { 0 } else { rest.wrapping_shl(item.hi.into()) };
            low | high
        };
        let (bits, mask) = (place(value), place(((1u64 << item.width) - 1) as u32));
        if bits & self.zeros != 0 || !bits & mask & self.ones != 0 {
            return false;
        }
        if item.lsb >= 64 {
            return self.is_taken(self.wide, item.lsb - 64, (bits >> 64) as u64, flag);
        }
        let bits = bits as u64;
        let lanes = LANES.get(self.lanes).into_iter().flatten().enumerate();
        let mut mine = lanes.filter(|(_, (lsb, width))| *width > 0 && *lsb == item.lsb);
        mine.all(|(n, _)| in_lane(self.t, self.class, self.lanes, n, bits))
            && self.is_taken(self.more, item.lsb, bits, flag)
    }

    fn is_taken(&self, checks: &[Check], lsb: u8, bits: u64, flag: bool) -> bool {
        checks.iter().filter(|c| c.lsb == lsb).all(|check| {
            let with = if check.hi == NONE { 0 } else { u64::from(flag) << (check.hi & 63) };
            refused_by(self.t, core::slice::from_ref(check), bits | with).is_none()
        })
    }

    /// The code is that of a scalar register.
    pub(crate) fn is_scalar(&self, code: u16) -> bool {
        in_set(self.t.scalars, code.into())
    }

    /// The operation knows the lds bit.
    pub(crate) fn has_lds(&self) -> bool {
        self.class.marks & marks::LDS != 0
    }

    /// The operation knows the d16 bit.
    pub(crate) fn has_d16(&self) -> bool {
        self.class.marks & marks::D16 != 0
    }
}
