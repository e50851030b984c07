//! Operand codes: the codes of registers and constants that are the same on all targets.

pub(crate) mod floats;

pub(crate) use crate::opcode::code::*;

/// The code of the first accumulation register. Accumulation registers have no codes in hardware (a separate bit turns
/// a vector register into one), so this library gives them the codes after those of the hardware.
pub(crate) const AGPR: u16 = VGPR_LAST + 1;
#[cfg(any(feature = "make", feature = "text"))]
pub(crate) const AGPR_LAST: u16 = AGPR + VECTOR_LAST;
/// The number of the last vector register, and of the last accumulation register.
pub(crate) const VECTOR_LAST: u16 = VGPR_LAST - VGPR;

/// Whether a tuple of vector registers ends within a file of `vgprs` registers.
pub(crate) const fn is_inside(register: u16, dwords: u16, vgprs: u16) -> bool {
    register + dwords <= vgprs
}

/// The alignment of a tuple of `dwords` scalar registers.
#[inline(always)]
pub(crate) const fn scalar_align(dwords: u16) -> u16 {
    let length = dwords.next_power_of_two();
    if length < SCALAR_ALIGN { length } else { SCALAR_ALIGN }
}

/// The register at which the tuple of `dwords` registers begins, in hardware and in text, if a field names `register`.
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
