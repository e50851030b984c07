//! Operand codes: their meanings, and the codes of registers and constants.

use super::EncodedOperand;
use crate::code::*;
use crate::inst::Inst;
use crate::opcode::Special;
use crate::table::sizes::ANY_LITERAL64;
use crate::target::{FACTS, OPERANDS, Target};
use crate::value::{InlineFloat, NO_SPECIAL, Reg, Value, find};

/// The meaning of a code other than a literal. Scalar tuples begin at the aligned register, as the hardware reads them.
pub(crate) fn meaning(target: Target, code: u16, dwords: u16) -> Value {
    let t = OPERANDS[target as usize];
    match code {
        AGPR.. => Value::Reg(Reg::Agpr((code - AGPR) as u8)),
        VGPR.. => Value::Reg(Reg::Vgpr(code - VGPR)),
        FLOAT..=FLOAT_LAST => Value::Float(InlineFloat::of(code)),
        INT..=NEGATIVE_LAST => Value::Int(int_of(code).unwrap_or(0)),
        _ if code <= t.sgpr_last => Value::Reg(Reg::Sgpr(aligned(code, dwords) as u8)),
        _ if code >= t.ttmp_first && code <= t.ttmp_last => {
            Value::Reg(Reg::Ttmp(aligned(code - t.ttmp_first, dwords) as u8))
        }
        // No decoded instruction holds an unused code.
        _ => Special::of(target, code).map_or(Value::Off, |special| Value::Reg(Reg::Special(special))),
    }
}

/// The encoded operand of a code; a literal is read from the dword at the end of the instruction.
#[inline(always)]
pub(super) fn coded(inst: &Inst, code: u16) -> EncodedOperand {
    match code {
        LITERAL => EncodedOperand::Literal(inst.last_dword()),
        _ if is_literal64(inst, code) => EncodedOperand::Literal64(inst.last_two()),
        code => EncodedOperand::Code(code),
    }
}

/// Whether the code announces a literal of 64 bits.
#[inline(always)]
pub(crate) fn is_literal64(inst: &Inst, code: u16) -> bool {
    code == LITERAL64 && has_literal64(inst.target())
}

/// Whether the target has literals of 64 bits.
#[inline(always)]
pub(crate) fn has_literal64(target: Target) -> bool {
    ANY_LITERAL64 && OPERANDS[target as usize].has_literal64
}

impl EncodedOperand {
    /// The value that the operand iterator gives.
    pub(crate) fn value(self, target: Target, dwords: u16) -> Value {
        match self {
            EncodedOperand::Code(code) | EncodedOperand::Soffset(code) => meaning(target, code, dwords),
            EncodedOperand::High(code) => Value::Reg(Reg::VgprHigh((code - VGPR) as u8)),
            EncodedOperand::Vcc => Value::Reg(Reg::Vcc),
            EncodedOperand::Off => Value::Off,
            EncodedOperand::Number(n) | EncodedOperand::RegisterPlusOffset(_, n) | EncodedOperand::Attr(n, _) => {
                Value::Imm(n as i32)
            }
            EncodedOperand::Label(n) => Value::Label(n),
            EncodedOperand::Literal(dword) => Value::Literal(dword),
            EncodedOperand::Literal64(_) => Value::Literal64,
        }
    }

    /// The reverse of [`EncodedOperand::value`]; `None` if no field can hold the value.
    pub(crate) fn of(target: Target, value: Value) -> Option<EncodedOperand> {
        let t = OPERANDS[target as usize];
        let code = match value {
            Value::Reg(Reg::Sgpr(n)) if u16::from(n) <= t.sgpr_last => n.into(),
            Value::Reg(Reg::Ttmp(n)) => t.ttmp_first + u16::from(n),
            Value::Reg(Reg::Special(special)) => special.code(target)?.into(),
            Value::Reg(Reg::Vgpr(n)) if n <= VECTOR_LAST => VGPR + n,
            Value::Reg(Reg::Agpr(n)) => AGPR + u16::from(n),
            Value::Reg(Reg::VgprHigh(n)) => return Some(EncodedOperand::High(VGPR + u16::from(n))),
            Value::Reg(Reg::Vcc) => return Some(EncodedOperand::Vcc),
            Value::Int(n) => of_int(n.into())?,
            Value::Float(float) => float.code(),
            Value::Literal(dword) => return Some(EncodedOperand::Literal(dword)),
            Value::Imm(n) => return Some(EncodedOperand::Number(n.into())),
            Value::Label(n) => return Some(EncodedOperand::Label(n)),
            Value::Off => return Some(EncodedOperand::Off),
            // `Value::Literal64` does not hold the literal's value.
            Value::Reg(_) | Value::Literal64 => return None,
        };
        Some(EncodedOperand::Code(code))
    }
}

/// The code of vcc.
pub(crate) fn vcc(target: Target) -> u16 {
    FACTS[target as usize].codes.vcc.into()
}

/// The code that means "neither a scalar nor a vector address"; `u16::MAX` if the target has none.
pub(crate) fn neither(target: Target) -> u16 {
    OPERANDS[target as usize].neither
}

/// The code that means "no scalar address".
pub(crate) fn off(target: Target) -> u16 {
    OPERANDS[target as usize].off
}

impl Special {
    /// The operand code on a target; `None` if the target lacks the register.
    pub(crate) fn code(self, target: Target) -> Option<u8> {
        FACTS[target as usize].specials.get(self as usize).copied().filter(|&code| code != NO_SPECIAL)
    }

    /// The special register or source with this operand code on a target.
    pub(crate) fn of(target: Target, code: u16) -> Option<Special> {
        find(FACTS[target as usize].specials, code)
    }
}
