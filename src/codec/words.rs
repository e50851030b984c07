//! Words under construction.

use crate::inst::Inst;
use crate::table::{FieldInfo, Layout, MAX_DWORDS, NONE, OperandDesc};
use crate::target::Target;

/// The reason why a field cannot hold an operand or modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The field does not accept the operand.
    Operand,
    /// The number is not in the range from `min` to `max`.
    Range { min: i64, max: i64 },
    /// The instruction would need a second literal with another value.
    TwoLiterals,
}

/// Words under construction: the words of a form, or of an instruction to be changed.
#[cfg_attr(feature = "text", derive(Clone))]
pub(crate) struct Words {
    pub target: Target,
    /// The layout of the base format.
    pub layout: &'static Layout,
    /// The dwords, padded with zeros.
    pub dwords: [u32; MAX_DWORDS],
    /// The literal to append, or the lower half of a literal of 64 bits.
    pub literal: Option<u32>,
    /// The upper half of a literal of 64 bits.
    literal_high: Option<u32>,
    /// Bits that operands have decided. Operands that share such a bit must agree.
    decided: u128,
}

impl Words {
    pub(crate) fn new(target: Target, layout: &'static Layout) -> Words {
        Words { target, layout, dwords: [0; MAX_DWORDS], literal: None, literal_high: None, decided: 0 }
    }

    /// The words of an instruction.
    pub(crate) fn of(inst: &Inst) -> Option<Words> {
        let mut words = Words::new(inst.target(), crate::operation::layout(inst.target(), inst.format())?);
        words.dwords.iter_mut().zip(inst.words()).for_each(|(to, &from)| *to = from);
        Some(words)
    }

    /// Stores a run of bits within a dword; `lsb` counts from the first dword.
    #[inline]
    pub(crate) fn put(&mut self, lsb: u8, width: u8, value: u32) {
        let mask = ((1u64 << width) - 1) as u32;
        if let Some(word) = self.dwords.get_mut(usize::from(lsb / 32)) {
            *word = *word & !(mask << (lsb % 32)) | (value & mask) << (lsb % 32);
        }
    }

    /// Sets bits of the first two dwords.
    pub(crate) fn fill(&mut self, bits: u64) {
        self.dwords.iter_mut().zip([bits as u32, (bits >> 32) as u32]).for_each(|(word, bits)| *word |= bits);
    }

    pub(crate) fn get(&self, lsb: u8, width: u8) -> u32 {
        let word = self.dwords.get(usize::from(lsb / 32)).copied().unwrap_or(0);
        (u64::from(word >> (lsb % 32)) & ((1u64 << width) - 1)) as u32
    }

    /// Sets or clears one bit; does nothing for the position `NONE`.
    pub(crate) fn set(&mut self, bit: u8, on: bool) {
        if bit != NONE {
            self.put(bit, 1, on.into());
        }
    }

    pub(crate) fn is_set(&self, bit: u8) -> bool {
        bit != NONE && self.get(bit, 1) == 1
    }

    /// Sets or clears a bit that several operands may share; the operands must agree. A missing bit counts as 0.
    pub(crate) fn decide(&mut self, bit: u8, on: bool) -> Result<(), Refused> {
        let mask = 1u128.checked_shl(bit.into()).unwrap_or(0);
        if mask == 0 && on || self.decided & mask != 0 && self.is_set(bit) != on {
            return Err(Refused::Operand);
        }
        self.decided |= mask;
        self.set(bit, on);
        Ok(())
    }

    /// Stores a field of a format; `first` is the first bit of the format. High bits that do not fit are cut off.
    #[inline]
    pub(crate) fn put_field(&mut self, first: u8, info: &FieldInfo, value: u32) {
        self.put(first + info.lsb, info.width, value);
        if info.hi_width > 0 {
            self.put(first + info.hi, info.hi_width, value >> info.width);
        }
    }

    /// Stores the raw value of a descriptor's field.
    #[inline]
    pub(crate) fn put_value(&mut self, desc: &OperandDesc, value: u32) -> Result<(), Refused> {
        if u64::from(value) >> desc.width != 0 {
            return Err(Refused::Operand);
        }
        self.put(desc.lsb, desc.lo_width, value);
        if desc.hi != NONE {
            self.put(desc.hi, desc.width - desc.lo_width, value >> desc.lo_width);
        }
        Ok(())
    }

    /// The raw value of a descriptor's field.
    #[cfg(feature = "text")]
    pub(crate) fn value(&self, desc: &OperandDesc) -> u32 {
        let low = self.get(desc.lsb, desc.lo_width);
        if desc.hi == NONE { low } else { low | self.get(desc.hi, desc.width - desc.lo_width) << desc.lo_width }
    }

    /// The literal of 64 bits, if there is one.
    #[cfg(feature = "text")]
    pub(crate) fn literal64(&self) -> Option<u64> {
        Some(u64::from(self.literal_high?) << 32 | u64::from(self.literal?))
    }

    /// Stores the literal; fails if another value is stored already.
    pub(crate) fn put_literal(&mut self, dword: u32) -> Result<(), Refused> {
        self.put_literals(dword, None)
    }

    /// Stores a literal of 64 bits.
    pub(super) fn put_literal64(&mut self, bits: u64) -> Result<(), Refused> {
        self.put_literals(bits as u32, Some((bits >> 32) as u32))
    }

    fn put_literals(&mut self, low: u32, high: Option<u32>) -> Result<(), Refused> {
        match self.literal {
            Some(other) if other != low || self.literal_high != high => return Err(Refused::TwoLiterals),
            _ => (self.literal, self.literal_high) = (Some(low), high),
        }
        Ok(())
    }

    /// The dwords of the literal.
    pub(crate) fn literals(&self) -> impl Iterator<Item = u32> + use<> {
        self.literal.into_iter().chain(self.literal_high)
    }
}
