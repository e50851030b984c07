//! Words in the making.

use crate::decode::MAX_DWORDS;
use crate::table::{NONE, OperandDesc};
use crate::{FieldInfo, Inst, Layout, Target};

/// Why an operand or a modifier cannot stand in its field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// There is nothing like that.
    Operand,
    /// A number that does not fit: the least that does, and the greatest.
    Range { min: i64, max: i64 },
    /// A second literal with another value.
    TwoLiterals,
}

/// Words in the making: those of a form, or of an instruction that is changed.
pub(crate) struct Words {
    pub target: Target,
    /// The base format.
    pub layout: &'static Layout,
    /// The dwords, and zeros behind them.
    pub dwords: [u32; MAX_DWORDS],
    /// What shall stand behind all others.
    pub literal: Option<u32>,
    /// Bits that an operand has decided, where operands share them: all have to agree.
    decided: u128,
}

impl Words {
    pub(crate) fn new(target: Target, layout: &'static Layout) -> Words {
        Words { target, layout, dwords: [0; MAX_DWORDS], literal: None, decided: 0 }
    }

    /// Those of an instruction.
    pub(crate) fn of(inst: &Inst) -> Option<Words> {
        let mut words = Words::new(inst.target(), crate::inst::layout(inst.target(), inst.format())?);
        words.dwords.iter_mut().zip(inst.words()).for_each(|(to, &from)| *to = from);
        Some(words)
    }

    /// A run of bits within a dword, counted from the first.
    pub(crate) fn put(&mut self, lsb: u8, width: u8, value: u32) {
        let mask = ((1u64 << width) - 1) as u32;
        if let Some(word) = self.dwords.get_mut(usize::from(lsb / 32)) {
            *word = *word & !(mask << (lsb % 32)) | (value & mask) << (lsb % 32);
        }
    }

    pub(crate) fn get(&self, lsb: u8, width: u8) -> u32 {
        let word = self.dwords.get(usize::from(lsb / 32)).copied().unwrap_or(0);
        (u64::from(word >> (lsb % 32)) & ((1u64 << width) - 1)) as u32
    }

    /// A bit; a position of `NONE` stays as it is.
    pub(crate) fn set(&mut self, bit: u8, on: bool) {
        if bit != NONE {
            self.put(bit, 1, on.into());
        }
    }

    pub(crate) fn is_set(&self, bit: u8) -> bool {
        bit != NONE && self.get(bit, 1) == 1
    }

    /// A bit that operands share, which have to agree about it; one that is not there is 0.
    pub(super) fn decide(&mut self, bit: u8, on: bool) -> Result<(), Refused> {
        let mask = 1u128.checked_shl(bit.into()).unwrap_or(0);
        if mask == 0 && on || self.decided & mask != 0 && self.is_set(bit) != on {
            return Err(Refused::Operand);
        }
        self.decided |= mask;
        self.set(bit, on);
        Ok(())
    }

    /// A field of the format whose first bit is `first`. What does not fit is cut off.
    pub(crate) fn field(&mut self, first: u8, info: &FieldInfo, value: u32) {
        self.put(first + info.lsb, info.width, value);
        if info.hi_width > 0 {
            self.put(first + info.hi, info.hi_width, value >> info.width);
        }
    }

    /// The raw value of a descriptor's field.
    pub(crate) fn desc(&mut self, desc: &OperandDesc, value: u32) -> Result<(), Refused> {
        if u64::from(value) >> desc.width != 0 {
            return Err(Refused::Operand);
        }
        self.put(desc.lsb, desc.lo_width, value);
        if desc.hi != NONE {
            self.put(desc.hi, desc.width - desc.lo_width, value >> desc.lo_width);
        }
        Ok(())
    }

    /// The literal, of which there is one.
    pub(super) fn put_literal(&mut self, dword: u32) -> Result<(), Refused> {
        match self.literal.replace(dword) {
            Some(other) if other != dword => Err(Refused::TwoLiterals),
            _ => Ok(()),
        }
    }
}
