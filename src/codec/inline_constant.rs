//! The code or the literal of a number.

use crate::code::floats::{F16_BITS, F32_BITS, F64_BITS, half};
use crate::code::{FLOAT, FLOATS, INT, LITERAL, of_int};
use crate::table::DataType;

/// A number that an operand takes as an inline constant or as a literal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Int(i64),
    /// The bits of a double.
    Float(u64),
}

/// The width that `find` uses for a bf16.
const BF16: u8 = 17;

/// The code of the inline float with these bits.
#[inline]
const fn find(bits: u64, width: u8, all: bool) -> Option<u16> {
    let mut i = 0;
    while i < FLOATS.len() {
        let is = match width {
            16 => F16_BITS[i] as u64,
            32 => F32_BITS[i] as u64,
            // A bf16 is the upper half of a float.
            BF16 => (F32_BITS[i] >> 16) as u64,
            _ => F64_BITS[i],
        };
        if is == bits && (all || i + 1 < FLOATS.len()) {
            return Some(FLOAT + i as u16);
        }
        i += 1;
    }
    None
}

/// A float rounded to a bf16, to nearest with ties to even.
#[inline(always)]
pub(crate) const fn bfloat(bits: u32) -> u32 {
    let odd = bits >> 16 & 1;
    let up = bits & 0x8000 != 0 && (bits & 0x7fff != 0 || odd == 1);
    (bits >> 16) + up as u32
}

/// A double as the bits of a float, or of a half if `short`; `None` if the double is finite and the result would be
/// infinite.
#[inline(always)]
pub(crate) const fn narrow_float(value: u64, short: bool) -> Option<u32> {
    let v = f64::from_bits(value);
    let bits = if short { half(v) as u32 } else { (v as f32).to_bits() };
    let infinite = if short { bits & 0x7fff == 0x7c00 } else { bits & 0x7fff_ffff == 0x7f80_0000 };
    if infinite && value << 1 != 0xffe0_0000_0000_0000 { None } else { Some(bits) }
}

/// The 64-bit literal that holds a number; `None` if the operand does not take one.
#[cfg(feature = "make")]
#[inline]
pub(crate) const fn long_literal(ty: DataType, dwords: u16, number: Number) -> Option<u64> {
    match number {
        _ if dwords != 2 || matches!(ty, DataType::PkI32 | DataType::PkF32) => None,
        Number::Int(value) => Some(value as u64),
        Number::Float(_) if matches!(ty, DataType::I64) => None,
        Number::Float(bits) => Some(bits),
    }
}

/// Whether a constant in an operand of this type and length has 64 bits.
#[inline]
pub(crate) const fn is_wide(ty: DataType, dwords: u16) -> bool {
    let packed32 = matches!(ty, DataType::PkI32 | DataType::PkF32);
    matches!(ty, DataType::F64 | DataType::I64) || dwords == 2 && !packed32
}

/// The code of a constant in an operand of this type and length, and the literal if the code announces one, by the
/// rules of LLVM's assembler. `all`: whether the target has all inline floats, including the last one.
#[inline]
pub(crate) const fn constant(ty: DataType, dwords: u16, number: Number, all: bool) -> Option<(u16, u32)> {
    const fn small(v: i64) -> Option<(u16, u32)> {
        match of_int(v) {
            Some(code) => Some((code, 0)),
            None => None,
        }
    }
    let wide = is_wide(ty, dwords);
    let short = matches!(ty, DataType::F16 | DataType::PkF16 | DataType::I16 | DataType::PkI16);
    let (float, value) = match number {
        Number::Int(value) => (false, value as u64),
        Number::Float(bits) => (true, bits),
    };
    if wide {
        if !float {
            if let Some(found) = small(value as i64) {
                return Some(found);
            }
        } else if value == 0 {
            return Some((INT, 0));
        }
        if let Some(code) = find(value, 64, all) {
            return Some((code, 0));
        }
        // The literal of a double is its upper half. For an integer, sign and zero extension must give the same value.
        return match (matches!(ty, DataType::F64), float) {
            (true, true) if value as u32 == 0 => Some((LITERAL, (value >> 32) as u32)),
            (false, false) if value >> 31 == 0 => Some((LITERAL, value as u32)),
            _ => None,
        };
    }
    let bits = if !float {
        let v = value as i64;
        let narrow = matches!(ty, DataType::F16 | DataType::I16 | DataType::Bf16);
        let (least, most) = if narrow { (-0x8000, 0xffff) } else { (i32::MIN as i64, u32::MAX as i64) };
        if v < least || v > most {
            return None;
        }
        // 0xffffffff is -1, and so is 0xffff where a float of 16 bits is expected.
        let signed = match ty {
            DataType::I16 => v,
            _ if narrow => v as i16 as i64,
            _ => v as i32 as i64,
        };
        if let Some(found) = small(signed) {
            return Some(found);
        }
        if matches!(ty, DataType::F16 | DataType::Bf16) { v as u16 as u32 } else { v as u32 }
    } else {
        let Some(bits) = narrow_float(value, short) else { return None };
        let as_int = if short { bits as u16 as i16 as i64 } else { bits as i32 as i64 };
        // Zero, and denormals with the bits of a small integer, are inline integers.
        if let (0.., Some(found)) = (as_int, small(as_int)) {
            return Some(found);
        }
        bits
    };
    // Look for an inline constant before rounding to bf16: a bf16 operand has the inline constants of an f32.
    let upper = float && matches!(ty, DataType::Bf16 | DataType::PkBf16);
    let inline = match ty {
        DataType::I16 => None,
        DataType::F16 | DataType::PkF16 => find(bits as u64, 16, all),
        DataType::Bf16 | DataType::PkBf16 if !float => find(bits as u64, BF16, all),
        _ => find(bits as u64, 32, all),
    };
    match inline {
        Some(code) => Some((code, 0)),
        None if upper => Some((LITERAL, bfloat(bits))),
        None => Some((LITERAL, bits)),
    }
}
