//! Operand codes: their meanings, and the codes of registers and constants.

use super::Coded;
pub(crate) use crate::common::code::*;
use crate::target::generated::ANY_LITERAL64;
use crate::target::{FACTS, OPERANDS};
use crate::{InlineFloat, Inst, Reg, Special, Target, Value};

/// The code of the first accumulation register. Accumulation registers follow the hardware's codes: a separate bit
/// turns a vector register into one.
pub(crate) const AGPR: u16 = VGPR_LAST + 1;
#[cfg(any(feature = "make", feature = "text"))]
pub(crate) const AGPR_LAST: u16 = AGPR + VECTOR_LAST;
/// The number of the last register of either file.
pub(crate) const VECTOR_LAST: u16 = VGPR_LAST - VGPR;

/// Whether a tuple of vector registers ends within its file.
pub(crate) const fn is_inside(register: u16, dwords: u16) -> bool {
    register + dwords <= VECTOR_LAST + 1
}

/// The alignment of a tuple of this many scalar registers.
#[inline(always)]
pub(crate) const fn scalar_align(dwords: u16) -> u16 {
    let length = dwords.next_power_of_two();
    if length < SCALAR_ALIGN { length } else { SCALAR_ALIGN }
}

/// The first register of the tuple that hardware reads, and text shows, for a scalar register's number.
#[inline(always)]
pub(crate) const fn aligned(register: u16, dwords: u16) -> u16 {
    register & !(scalar_align(dwords) - 1)
}

/// The code of the inline integer with this value.
#[inline(always)]
pub(crate) const fn of_int(value: i64) -> Option<u16> {
    const MOST: i64 = (INT_LAST - INT) as i64;
    const LEAST: i64 = -((NEGATIVE_LAST - NEGATIVE) as i64) - 1;
    match value {
        0..=MOST => Some(INT + value as u16),
        LEAST..=-1 => Some(NEGATIVE + (-1 - value) as u16),
        _ => None,
    }
}

/// The value of an inline integer.
#[inline(always)]
pub(crate) const fn int_of(code: u16) -> Option<i8> {
    match code {
        INT..=INT_LAST => Some((code - INT) as i8),
        NEGATIVE..=NEGATIVE_LAST => Some(-1 - (code - NEGATIVE) as i8),
        _ => None,
    }
}

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

/// Converts a code; a literal is read from the dword at the end of the instruction.
#[inline(always)]
pub(super) fn coded(inst: &Inst, code: u16) -> Coded {
    match code {
        LITERAL => Coded::Literal(last_dword(inst)),
        _ if is_literal64(inst, code) => Coded::Literal64(last_two(inst)),
        code => Coded::Code(code),
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

/// The last two dwords of the instruction.
pub(crate) fn last_two(inst: &Inst) -> u64 {
    match inst.words() {
        [.., low, high] => u64::from(*low) | u64::from(*high) << 32,
        _ => 0,
    }
}

pub(crate) fn last_dword(inst: &Inst) -> u32 {
    inst.words().last().copied().unwrap_or(0)
}

impl Coded {
    /// The value in the form of the operand iterator.
    pub(crate) fn value(self, target: Target, dwords: u16) -> Value {
        match self {
            Coded::Code(code) | Coded::Soffset(code) => meaning(target, code, dwords),
            Coded::High(code) => Value::Reg(Reg::VgprHigh((code - VGPR) as u8)),
            Coded::Vcc => Value::Reg(Reg::Vcc),
            Coded::Off => Value::Off,
            Coded::Number(n) | Coded::Both(_, n) | Coded::Attr(n, _) => Value::Imm(n as i32),
            Coded::Label(n) => Value::Label(n),
            Coded::Literal(dword) => Value::Literal(dword),
            Coded::Literal64(_) => Value::Literal64,
        }
    }

    /// The reverse of [`Coded::value`]; `None` if no field can hold the value.
    pub(crate) fn of(target: Target, value: Value) -> Option<Coded> {
        let t = OPERANDS[target as usize];
        let code = match value {
            Value::Reg(Reg::Sgpr(n)) if u16::from(n) <= t.sgpr_last => n.into(),
            Value::Reg(Reg::Ttmp(n)) => t.ttmp_first + u16::from(n),
            Value::Reg(Reg::Special(special)) => special.code(target)?.into(),
            Value::Reg(Reg::Vgpr(n)) if n <= VECTOR_LAST => VGPR + n,
            Value::Reg(Reg::Agpr(n)) => AGPR + u16::from(n),
            Value::Reg(Reg::VgprHigh(n)) => return Some(Coded::High(VGPR + u16::from(n))),
            Value::Reg(Reg::Vcc) => return Some(Coded::Vcc),
            Value::Int(n) => of_int(n.into())?,
            Value::Float(float) => float.code(),
            Value::Literal(dword) => return Some(Coded::Literal(dword)),
            Value::Imm(n) => return Some(Coded::Number(n.into())),
            Value::Label(n) => return Some(Coded::Label(n)),
            Value::Off => return Some(Coded::Off),
            // The value of a 64-bit literal is not in `value`.
            Value::Reg(_) | Value::Literal64 => return None,
        };
        Some(Coded::Code(code))
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
