//! Parser of literals of 64 bits.

use super::Parser;
use crate::codec::EncodedOperand;
use crate::codec::inline_constant::Number;
use crate::kind::{NONE, NumberKind, OperandKind, RegisterKind};
use crate::table::{DataType, OperandDesc};
use crate::target::OPERANDS;

/// The bits of a number in an operand of 64 bits. If the operand is a double, an integer of 32 bits is its upper half.
fn bits(desc: &OperandDesc, number: Number) -> Option<u64> {
    let is_double = desc.ty == DataType::F64;
    match number {
        Number::Int(n) if is_double && (i64::from(i32::MIN)..=u32::MAX.into()).contains(&n) => {
            Some(u64::from(n as u32) << 32)
        }
        Number::Int(n) => Some(n as u64),
        Number::Float(bits) => is_double.then_some(bits),
    }
}

/// Whether the operand has a bit that negates it.
pub(super) fn can_be_negated(desc: &OperandDesc) -> bool {
    desc.kind.signs().is_some_and(|signs| signs.positions()[0] != NONE)
}

/// Whether the operand is the literal that an operation always has.
pub(super) fn is_literal(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Number(NumberKind::Literal { .. }))
}

impl Parser<'_, '_> {
    /// Whether the operand can be a literal of 64 bits. The test is not complete: the decoder refuses further cases.
    pub(super) fn takes_literal64(&self, desc: &OperandDesc) -> bool {
        let is_source = is_literal(desc) || matches!(desc.kind, OperandKind::Register(RegisterKind::Code { .. }));
        let is_short = self.form.layout.bits == 32 && self.form.extension.is_none();
        OPERANDS[self.words.target as usize].has_literal64 && is_source && is_short && desc.dwords == 2
    }

    /// Whether the text can be `lit64(...)`. As in LLVM's assembler, `lit64(...)` can also mean a literal of 32 bits.
    /// On targets with literals of 64 bits, only short encodings accept it: long encodings have no room for 64 bits,
    /// and LLVM 24 refuses it there. On other targets, a float of a short vector operation does not accept it, nor does
    /// an operand of a long encoding that can be negated.
    pub(super) fn may_say_lit64(&self, desc: &OperandDesc) -> bool {
        let is_short = self.form.layout.bits == 32;
        let may = match OPERANDS[self.words.target as usize].has_literal64 {
            true => is_short,
            false if is_short => !self.is_float_without_signs(desc),
            false => !can_be_negated(desc),
        };
        may && self.form.extension.is_none()
    }

    /// Whether the operation always has a literal of 64 bits, which all of its sources share.
    fn needs_literal64(&self) -> bool {
        self.form.descs().any(|desc| is_literal(desc) && desc.dwords == 2)
    }

    /// The literal of a number that is not an inline constant, in an operand that can be a literal of 64 bits. The
    /// literal has 32 bits if a literal of this size has the same value.
    pub(super) fn long_or_short(&self, desc: &OperandDesc, number: Number) -> Option<EncodedOperand> {
        let bits = bits(desc, number)?;
        Some(match desc.ty {
            _ if self.needs_literal64() => EncodedOperand::Literal64(bits),
            DataType::F64 if bits as u32 == 0 => EncodedOperand::Literal((bits >> 32) as u32),
            DataType::F64 => EncodedOperand::Literal64(bits),
            _ if bits >> 31 == 0 => EncodedOperand::Literal(bits as u32),
            _ => EncodedOperand::Literal64(bits),
        })
    }

    /// The 32-bit literal for an integer whose 64 bits are a double with a lower half of zero: the upper half. `None`
    /// for other numbers, and on targets without literals of 64 bits.
    pub(super) fn upper_half(&self, desc: &OperandDesc, number: Number) -> Option<EncodedOperand> {
        let takes_double = OPERANDS[self.words.target as usize].has_literal64 && desc.ty == DataType::F64;
        match number {
            Number::Int(n) if takes_double && n as u32 == 0 => Some(EncodedOperand::Literal((n as u64 >> 32) as u32)),
            _ => None,
        }
    }

    /// The literal of 64 bits that an operation always has, with this number.
    pub(super) fn mandatory_literal64(&self, desc: &OperandDesc, number: Number) -> Option<EncodedOperand> {
        bits(desc, number).map(EncodedOperand::Literal64)
    }
}

/// The literal of 64 bits of the number in `lit64(...)`.
pub(super) fn exactly(desc: &OperandDesc, number: Number) -> Option<EncodedOperand> {
    match number {
        Number::Int(n) => Some(EncodedOperand::Literal64(n as u64)),
        Number::Float(bits) => (desc.ty == DataType::F64).then_some(EncodedOperand::Literal64(bits)),
    }
}
