//! Parser of constants: the operand code of an inline constant, or the literal.

use super::symbols::Integer;
use super::{Kind, ParseError, Parser, Reading, literal64};
use crate::code::floats::F16_BITS;
use crate::code::*;
use crate::codec::EncodedOperand;
use crate::codec::inline_constant::{Number, bfloat, constant, is_wide, narrow_float};
use crate::opcode::Format;
use crate::table::{DataType, OperandDesc};

/// Whether a double is not 0, but too small for the operand's type.
fn vanishes(ty: DataType, bits: u64) -> bool {
    let least = match ty {
        DataType::F16 | DataType::PkF16 => 6.103_515_625e-5,
        DataType::F32 | DataType::PkF32 | DataType::Bits | DataType::I32 | DataType::Bf16 | DataType::PkBf16 => {
            f64::from(f32::MIN_POSITIVE)
        }
        _ => return false,
    };
    let magnitude = f64::from_bits(bits & !(1 << 63));
    let exact = match ty {
        DataType::F16 | DataType::PkF16 => false,
        _ => f64::from(magnitude as f32) == magnitude,
    };
    magnitude != 0.0 && magnitude < least && !exact
}

/// Whether a double is in the range of a float of 16 bits.
fn is_half(bits: u64) -> bool {
    !vanishes(DataType::F16, bits) && narrow_float(bits, true).is_some()
}

/// Whether a sign of an operand of this type is the sign of a float.
pub(super) fn is_float(ty: DataType) -> bool {
    matches!(ty, DataType::PkF16 | DataType::F16 | DataType::F32 | DataType::F64 | DataType::Bf16)
}

impl Parser<'_, '_> {
    /// Reads a number, and returns whether its value is open: see [`Integer::open`].
    pub(super) fn number(&mut self, stop: u8) -> Result<(Number, bool), ParseError> {
        if let Some(bits) = self.cursor.float() {
            return Ok((Number::Float(bits), false));
        }
        if self.cursor.is_list() {
            return Err(self.cursor.error(Kind::Expression));
        }
        let Integer { value, open } = self.cursor.expression(self.symbols, stop)?;
        Ok((Number::Int(value), open))
    }

    /// Reads a number in `lit(...)`, whose value must be fixed.
    pub(super) fn known_number(&mut self) -> Result<Number, ParseError> {
        let start = self.cursor.at;
        match self.number(b')')? {
            (number, false) => Ok(number),
            (_, true) => Err(self.cursor.error_since(start, Kind::Open)),
        }
    }

    /// The operand code for a number, and the literal if the code announces one.
    pub(super) fn constant(&self, desc: &OperandDesc, number: Number) -> Option<(u16, u32)> {
        let all = self.text.code_at.get(usize::from(FLOAT_LAST)).is_some_and(|&number| number != 0);
        // An integer of 32 bits is the upper half of a double.
        let number = match (desc.ty, number) {
            (DataType::F64, Number::Int(n)) if of_int(n).is_none() && u32::try_from(n).is_ok() => {
                Number::Float((n as u64) << 32)
            }
            // The bits of a double can be those of an inline integer.
            (ty, Number::Float(bits)) if is_wide(ty, desc.dwords.into()) && of_int(bits as i64).is_some() => {
                Number::Int(bits as i64)
            }
            _ => number,
        };
        let ty = match (desc.ty, number) {
            // LLVM's assembler reads a float for a 16-bit integer as a float of 32 bits. Unless the integers are
            // packed, the float must be in the range of a float of 16 bits.
            (DataType::I16, Number::Float(bits)) if !is_half(bits) => return None,
            (DataType::PkI16, Number::Float(bits)) if vanishes(DataType::F32, bits) => return None,
            (DataType::I16 | DataType::PkI16, Number::Float(_)) => DataType::F32,
            (DataType::I16, Number::Int(n))
                if self.reading == Reading::Halves && F16_BITS.iter().any(|bits| i64::from(*bits) == n) =>
            {
                DataType::F16
            }
            // In a scalar comparison, an integer of more than 16 bits needs `lit(...)`, which the printer writes.
            (DataType::F16, Number::Int(n))
                if self.form.signature.format == Format::Sopc && !(-0x8000..=0xffff).contains(&n) =>
            {
                return None;
            }
            (DataType::F16, Number::Int(_)) if self.has_whole_literals() => DataType::I32,
            (ty, Number::Float(bits)) if vanishes(ty, bits) => return None,
            (ty, _) => ty,
        };
        let inline = |number| constant(ty, desc.dwords.into(), number, all);
        // A literal holds only the upper half of a double. With its lower half cleared, the double can equal an inline
        // constant.
        let half = || match number {
            Number::Float(bits) if ty == DataType::F64 && !self.takes_literal64(desc) => match bits & !0xffff_ffff {
                0 => inline(Number::Int(0)),
                upper => inline(Number::Float(upper)),
            },
            _ => None,
        };
        inline(number).or_else(half).or_else(|| Some((LITERAL, self.literal(desc, number)?)))
    }

    /// Whether an integer has 32 bits where a float of 16 bits is read, as in LLVM: in scalar operations with one
    /// source and in scalar comparisons.
    fn has_whole_literals(&self) -> bool {
        matches!(self.form.signature.format, Format::Sop1 | Format::Sopc)
    }

    /// The literal for a number, which must fit the operand's type.
    fn literal(&self, desc: &OperandDesc, number: Number) -> Option<u32> {
        // Such operations use only the lower half of the literal, but their text shows all its bits.
        if let (Number::Int(_), true) = (number, self.has_whole_literals()) {
            return self.any_literal(desc, number);
        }
        let short = matches!(desc.ty, DataType::F16 | DataType::PkF16 | DataType::I16 | DataType::PkI16);
        match (desc.ty, number) {
            // A literal holds the upper half of a double.
            (DataType::F64, Number::Float(bits)) => Some((bits >> 32) as u32),
            (DataType::I64, Number::Float(_)) => None,
            (DataType::Bits, Number::Float(_)) if desc.dwords == 2 => None,
            (_, Number::Float(bits)) => narrow_float(bits, short),
            (DataType::F16, Number::Int(n)) => (-0x8000..=0xffff).contains(&n).then_some((n as u16).into()),
            (DataType::I16, Number::Int(n)) => (-0x8000..=0xffff).contains(&n).then_some(n as u32),
            (_, Number::Int(n)) => (i64::from(i32::MIN)..=u32::MAX.into()).contains(&n).then_some(n as u32),
        }
    }

    /// The literal for a number if the text shows all its bits, including the upper 16.
    fn any_literal(&self, desc: &OperandDesc, number: Number) -> Option<u32> {
        match number {
            Number::Int(n) => (i64::from(i32::MIN)..=u32::MAX.into()).contains(&n).then_some(n as u32),
            Number::Float(_) => self.literal(desc, number),
        }
    }

    /// The literal for a number in `lit(...)`. A negative integer for a 16-bit float is cut to 16 bits. A float for a
    /// 16-bit integer must be in the range of a 16-bit float, and becomes a float of 32 bits.
    pub(super) fn forced_literal(&self, desc: &OperandDesc, number: Number) -> Option<u32> {
        match (desc.ty, number) {
            (DataType::F16, Number::Int(n)) if (-0x8000..0).contains(&n) => Some((n as u16).into()),
            (DataType::I16 | DataType::PkI16, Number::Float(bits)) => {
                if is_half(bits) {
                    narrow_float(bits, false)
                } else {
                    None
                }
            }
            (ty, Number::Float(bits)) if vanishes(ty, bits) => None,
            (DataType::Bf16 | DataType::PkBf16, Number::Float(bits)) => narrow_float(bits, false).map(bfloat),
            _ => self.any_literal(desc, number),
        }
    }

    /// Reads the literal that an operation always has.
    pub(super) fn mandatory_literal(&mut self, desc: &OperandDesc) -> Result<EncodedOperand, ParseError> {
        self.cursor.blank();
        let start = self.cursor.at;
        if self.cursor.is_done() {
            return Err(self.cursor.error(Kind::Missing(desc.field)));
        }
        let is_lit64 = self.cursor.eat_call(b"lit64", b'(');
        // As in LLVM's assembler, a literal of 32 bits that is not a float can be `lit64(...)`, too.
        if is_lit64 && !self.takes_literal64(desc) && is_float(desc.ty) {
            return Err(self.cursor.error_since(start, Kind::NoLiteral64));
        }
        let is_call = is_lit64 || self.cursor.eat_call(b"lit", b'(');
        let number = if is_call { self.known_number()? } else { self.number(0)?.0 };
        if is_call {
            self.cursor.expect(b')')?;
        }
        if matches!(number, Number::Float(bits) if vanishes(desc.ty, bits)) {
            return Err(self.cursor.error_since(start, Kind::Constant(desc.field)));
        }
        let literal = match self.takes_literal64(desc) {
            true if is_lit64 => literal64::exactly(desc, number),
            true => self.mandatory_literal64(desc, number),
            false => self.any_literal(desc, number).map(EncodedOperand::Literal),
        };
        literal.ok_or_else(|| self.cursor.error_since(start, Kind::Constant(desc.field)))
    }
}
