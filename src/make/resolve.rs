//! Resolves an operand to its code: its class, whether its registers exist, and which constant has its value.

use super::error::BuildError;
use super::op::{self, class};
use crate::DataType;
use crate::Field;
use crate::codec::code::*;
use crate::codec::constants::{F16_BITS, F32_BITS, F64_BITS, half};

/// The operand codes of a target, and its rules for register tuples.
pub(crate) struct Rules {
    pub sgpr_last: u16,
    pub ttmp_first: u16,
    pub ttmp_last: u16,
    pub vcc: u16,
    /// The null register: any number of registers, and not on the constant bus. `u16::MAX`: the target has none.
    pub null: u16,
    /// The code that means "no scalar address".
    pub off: u16,
    /// The code of each `Special`, or 255.
    pub specials: &'static [u8],
    /// For each code below the vector registers: its class, counted from one (0: none), and `PAIR`.
    pub classes: [u8; VGPR as usize],
    /// Whether vector tuples must begin at even registers.
    pub aligned: bool,
    /// Export targets and interpolation parameters that exist, one bit each.
    pub exp_targets: [u64; 1],
    pub interp_params: [u64; 1],
}

/// Marks codes that can be operands of 64 bits.
const PAIR: u8 = 0x80;

impl Rules {
    /// The class of a code; 0 if the code is unused on this target.
    #[inline]
    const fn class(&self, code: u16) -> u16 {
        match code {
            0..VGPR => match self.classes[code as usize] & !PAIR {
                0 => 0,
                n => 1 << (n - 1),
            },
            VGPR..=VGPR_LAST => class::VGPR,
            AGPR..=AGPR_LAST => class::AGPR,
            op::OFF => class::OFF,
            _ => 0,
        }
    }

    /// The code of a special register's number, if the target has it.
    pub(crate) const fn special(&self, number: u16) -> Option<u16> {
        let n = (number - op::SPECIAL) as usize;
        if n < self.specials.len() && self.specials[n] as u16 != LITERAL { Some(self.specials[n] as u16) } else { None }
    }

    /// Whether a run of `n` dwords that begins at a code exists and is aligned.
    #[inline]
    const fn is_run(&self, class: u16, code: u16, n: u16) -> bool {
        match class {
            _ if n <= 1 || code == self.null => true,
            class::VGPR | class::AGPR => is_inside(code % VGPR, n) && !(self.aligned && code % 2 == 1),
            class::SGPR => code % scalar_align(n) == 0 && code + n - 1 <= self.sgpr_last,
            class::TTMP => (code - self.ttmp_first) % scalar_align(n) == 0 && code + n - 1 <= self.ttmp_last,
            class::LITERAL => n == 2,
            class::INT | class::FLOAT | class::OFF => true,
            _ => n == 2 && self.classes[(code % VGPR) as usize] & PAIR != 0,
        }
    }
}

#[inline]
const fn find(bits: u64, width: u8, rules: &Rules) -> Option<u16> {
    let mut i = 0;
    while i < FLOATS.len() {
        let is = match width {
            16 => F16_BITS[i] as u64,
            32 => F32_BITS[i] as u64,
            _ => F64_BITS[i],
        };
        let code = FLOAT + i as u16;
        if is == bits && rules.class(code) == class::FLOAT {
            return Some(code);
        }
        i += 1;
    }
    None
}

/// A float rounded to a bf16, to nearest with ties to even.
#[inline(always)]
const fn bfloat(bits: u32) -> u32 {
    let odd = bits >> 16 & 1;
    let up = bits & 0x8000 != 0 && (bits & 0x7fff != 0 || odd == 1);
    (bits >> 16) + up as u32
}

/// A double as the bits of a float, or of a half if `short`; `None` if it is finite and too great.
#[inline(always)]
pub(crate) const fn narrow_float(value: u64, short: bool) -> Option<u32> {
    let v = f64::from_bits(value);
    let bits = if short { half(v) as u32 } else { (v as f32).to_bits() };
    let infinite = if short { bits & 0x7fff == 0x7c00 } else { bits & 0x7fff_ffff == 0x7f80_0000 };
    if infinite && value << 1 != 0xffe0_0000_0000_0000 { None } else { Some(bits) }
}

/// The code of a constant, and the literal if the code announces one. Follows the rules of LLVM's assembler.
#[inline]
pub(crate) const fn constant(ty: DataType, n: u16, code: u16, value: u64, rules: &Rules) -> Option<(u16, u32)> {
    const fn small(v: i64) -> Option<(u16, u32)> {
        match of_int(v) {
            Some(code) => Some((code, 0)),
            None => None,
        }
    }
    let packed32 = matches!(ty, DataType::PkI32 | DataType::PkF32);
    let wide = matches!(ty, DataType::F64 | DataType::I64) || n == 2 && !packed32;
    let short = matches!(ty, DataType::F16 | DataType::PkF16 | DataType::I16 | DataType::PkI16);
    let float = code == op::FLOAT;
    if wide {
        if !float {
            if let Some(found) = small(value as i64) {
                return Some(found);
            }
        } else if value == 0 {
            return Some((INT, 0));
        }
        if let Some(code) = find(value, 64, rules) {
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
        if let Some(found) = small(v) {
            return Some(found);
        }
        if v > u32::MAX as i64 || v < i32::MIN as i64 {
            return None;
        }
        let narrow = matches!(ty, DataType::F16 | DataType::I16 | DataType::Bf16);
        if narrow && (v > 0xffff || v < -0x8000) {
            return None;
        }
        if narrow { v as u16 as u32 } else { v as u32 }
    } else {
        let Some(bits) = narrow_float(value, short) else { return None };
        let as_int = if short { bits as u16 as i16 as i64 } else { bits as i32 as i64 };
        // Denormals with the bits of a small integer, and zero.
        if let (0.., Some(found)) = (as_int, small(as_int)) {
            return Some(found);
        }
        bits
    };
    // Look for an inline constant before rounding to bf16: a bf16 operand has those of an f32.
    let upper = float && matches!(ty, DataType::Bf16 | DataType::PkBf16);
    let inline = match ty {
        DataType::I16 | DataType::PkI16 => None,
        DataType::F16 | DataType::PkF16 => find(bits as u64, 16, rules),
        _ => find(bits as u64, 32, rules),
    };
    match inline {
        Some(code) => Some((code, 0)),
        None if upper => Some((LITERAL, bfloat(bits))),
        None => Some((LITERAL, bits)),
    }
}

/// The code (AccVGPRs from 512 on) and the literal of an operand, if one of the `allowed` classes contains it.
#[inline]
pub(crate) const fn resolve(
    rules: &Rules,
    field: Field,
    allowed: u16,
    ty: DataType,
    n: u16,
    code: u16,
    value: u64,
) -> Result<(u16, u32), BuildError> {
    let (code, literal) = match code {
        op::INT | op::FLOAT => match constant(ty, n, code, value, rules) {
            Some(found) => found,
            None => return Err(BuildError::Constant(field)),
        },
        op::TTMP..=0x5ff if code - op::TTMP <= rules.ttmp_last - rules.ttmp_first => {
            (code - op::TTMP + rules.ttmp_first, 0)
        }
        op::SGPR..=0x6ff if code - op::SGPR <= rules.sgpr_last => (code - op::SGPR, 0),
        op::SPECIAL..=0x7df => match rules.special(code) {
            Some(code) => (code, 0),
            None => (code, 0),
        },
        _ => (code, value as u32),
    };
    let class = rules.class(code);
    if class & allowed == 0 {
        return Err(match class {
            class::LITERAL => BuildError::NoLiteral { field, format: None },
            _ => BuildError::Operand { field, given: op::given(rules, code, value) },
        });
    }
    if !rules.is_run(class, code, n) {
        return Err(BuildError::Registers { field, given: op::given(rules, code, value), dwords: n as u8 });
    }
    Ok((code, literal))
}

/// Marks the key of a read of more than one register over the constant bus.
const RUN: u64 = 1 << 40;

/// The key of a read of scalar registers over the constant bus. Equal keys are one read, as src/codec/bus.rs counts them.
#[inline(always)]
pub(crate) const fn scalar_key(code: u64, dwords: usize) -> u64 {
    (code + 1) | if dwords > 1 { RUN } else { 0 }
}

/// Two reads over the constant bus with equal keys are one read; 0 if the code is not read over the bus.
#[inline]
pub(crate) const fn bus_key(rules: &Rules, code: u16, literal: u32, dwords: usize) -> u64 {
    let class = rules.class(code);
    if class & class::BUS == 0 || code == rules.null {
        0
    } else if code == LITERAL {
        1 << 32 | literal as u64
    } else {
        // What can only be read has one name for all widths.
        scalar_key(code as u64, if class == class::RO { 1 } else { dwords })
    }
}
