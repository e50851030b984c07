//! From an operand to its code: which class it is of, whether the registers exist, and which constant has a value.

use crate::table::Ty;

use super::error::BuildError;
use super::op::{self, class};
use crate::Field;

/// What the codes of a target are, and what it demands of register tuples.
pub(crate) struct Rules {
    pub sgpr_last: u16,
    pub ttmp_first: u16,
    pub ttmp_last: u16,
    /// Codes below 128 that are special registers: those that can be read alone, and those that are 64 bits.
    pub special: u128,
    pub special_pairs: u128,
    /// The same for codes from 192 on, which can only be read.
    pub constants: u64,
    pub constant_pairs: u64,
    /// The code of each `Special`, or 255.
    pub specials: &'static [u8],
    /// Vector tuples begin at even registers.
    pub aligned: bool,
    /// There is an inline constant 1/(2*pi).
    pub inv2pi: bool,
    /// Export targets and interpolation parameters that exist, a bit each.
    pub exp_targets: [u64; 1],
    pub interp_params: [u64; 1],
}

impl Rules {
    /// The class of a code; 0: it is nothing on this target.
    #[inline]
    const fn class(&self, code: u16) -> u16 {
        match code {
            0..=123 if code <= self.sgpr_last => class::SGPR,
            0..=127 if code >= self.ttmp_first && code <= self.ttmp_last => class::TTMP,
            0..=127 if self.special >> code & 1 == 0 => 0,
            124 => class::M0,
            126 | 127 => class::EXEC,
            0..=123 | 125 => class::SYS,
            128..=208 => class::INT,
            240..=247 => class::FLOAT,
            248 => class::FLOAT * self.inv2pi as u16,
            254 => class::LDS,
            255 => class::LITERAL,
            209..=253 => class::RO * (self.constants >> (code - 192) & 1) as u16,
            256..=511 => class::VGPR,
            512..=767 => class::AGPR,
            op::OFF => class::OFF,
            _ => 0,
        }
    }

    /// The code of a special register's number, if the target has it.
    pub(crate) const fn special(&self, number: u16) -> Option<u16> {
        let n = (number - op::SPECIAL) as usize;
        if n < self.specials.len() && self.specials[n] != 255 { Some(self.specials[n] as u16) } else { None }
    }

    /// A run of `n` dwords from a code on exists and is aligned.
    #[inline]
    const fn is_run(&self, class: u16, code: u16, n: u16) -> bool {
        const SCALAR: u16 = class::SGPR | class::TTMP;
        if n <= 1 {
            return true;
        }
        if class & (class::VGPR | class::AGPR) != 0 {
            return (code & 255) + n <= 256 && !(self.aligned && code & 1 == 1);
        }
        if class & SCALAR != 0 {
            let (first, last) = match class {
                class::SGPR => (0, self.sgpr_last),
                _ => (self.ttmp_first, self.ttmp_last),
            };
            let mask = if n == 2 { 1 } else { 3 };
            return (code - first) & mask == 0 && code + n - 1 <= last;
        }
        match class {
            class::SYS | class::EXEC | class::M0 => n == 2 && self.special_pairs >> code & 1 == 1,
            class::RO | class::LDS => n == 2 && self.constant_pairs >> (code - 192) & 1 == 1,
            class::LITERAL => n == 2,
            _ => true,
        }
    }
}

/// Bits of the constants 240 to 248, and how often each is met.
const F32_BITS: [u32; 9] = [
    0x3f00_0000,
    0xbf00_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x4000_0000,
    0xc000_0000,
    0x4080_0000,
    0xc080_0000,
    0x3e22_f983,
];
const F16_BITS: [u32; 9] = [0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118];
const F64_BITS: [u64; 9] = [
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x4000_0000_0000_0000,
    0xc000_0000_0000_0000,
    0x4010_0000_0000_0000,
    0xc010_0000_0000_0000,
    0x3fc4_5f30_6dc9_c882,
];

#[inline]
const fn find(bits: u64, width: u8, inv2pi: bool) -> Option<u16> {
    let mut i = 0;
    while i < if inv2pi { 9 } else { 8 } {
        let is = match width {
            16 => F16_BITS[i] as u64,
            32 => F32_BITS[i] as u64,
            _ => F64_BITS[i],
        };
        if is == bits {
            return Some(240 + i as u16);
        }
        i += 1;
    }
    None
}

/// A double as a half, rounded to the nearest, ties to even. What is too great is infinite.
const fn half(value: f64) -> u16 {
    let bits = value.to_bits();
    let sign = (bits >> 48) as u16 & 0x8000;
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1023;
    let fraction = bits & ((1 << 52) - 1);
    if exponent == 1024 {
        return sign | 0x7c00 | if fraction != 0 { 0x200 } else { 0 };
    }
    if exponent < -25 {
        return sign;
    }
    // The significand with its leading one, cut to the bits that are left, and rounded.
    let full = fraction | 1 << 52;
    let shift = if exponent < -14 { 42 + (-14 - exponent) } else { 42 } as u32;
    let kept = full >> shift;
    let rest = full & ((1 << shift) - 1);
    let middle = 1u64 << (shift - 1);
    let up = (rest > middle || rest == middle && kept & 1 == 1) as u64;
    let base = if exponent < -14 { 0 } else { ((exponent + 14) as u64) << 10 };
    let sum = base + kept + up;
    if sum >= 0x7c00 { sign | 0x7c00 } else { sign | sum as u16 }
}

/// The bits of a float, rounded to those of its upper half.
#[inline(always)]
const fn bfloat(bits: u32) -> u32 {
    let odd = bits >> 16 & 1;
    let up = bits & 0x8000 != 0 && (bits & 0x7fff != 0 || odd == 1);
    (bits >> 16) + up as u32
}

/// The bits of a double as a float, or as a half; `None` if it is finite and too great.
#[inline(always)]
pub(crate) const fn narrow_float(value: u64, short: bool) -> Option<u32> {
    let v = f64::from_bits(value);
    let bits = if short { half(v) as u32 } else { (v as f32).to_bits() };
    let infinite = if short { bits & 0x7fff == 0x7c00 } else { bits & 0x7fff_ffff == 0x7f80_0000 };
    if infinite && value << 1 != 0xffe0_0000_0000_0000 { None } else { Some(bits) }
}

/// The code of a constant, and the literal if the code is 255. The rules are those of LLVM's assembler.
#[inline]
pub(crate) const fn constant(ty: Ty, n: u16, code: u16, value: u64, inv2pi: bool) -> Option<(u16, u32)> {
    const fn small(v: i64) -> Option<(u16, u32)> {
        match v {
            0..=64 => Some((128 + v as u16, 0)),
            -16..=-1 => Some(((192 - v) as u16, 0)),
            _ => None,
        }
    }
    let packed32 = matches!(ty, Ty::PkI32 | Ty::PkF32);
    let wide = matches!(ty, Ty::F64 | Ty::I64) || n == 2 && !packed32;
    let short = matches!(ty, Ty::F16 | Ty::PkF16 | Ty::I16 | Ty::PkI16);
    let float = code == op::FLOAT;
    if wide {
        if !float {
            if let Some(found) = small(value as i64) {
                return Some(found);
            }
        } else if value == 0 {
            return Some((128, 0));
        }
        if let Some(code) = find(value, 64, inv2pi) {
            return Some((code, 0));
        }
        // The literal of a float is its upper half. Of an integer, sign and zero extension must mean the same.
        return match (matches!(ty, Ty::F64), float) {
            (true, true) if value as u32 == 0 => Some((255, (value >> 32) as u32)),
            (false, false) if value >> 31 == 0 => Some((255, value as u32)),
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
        let narrow = matches!(ty, Ty::F16 | Ty::I16 | Ty::Bf16);
        if narrow && (v > 0xffff || v < -0x8000) {
            return None;
        }
        if narrow { v as u16 as u32 } else { v as u32 }
    } else {
        let Some(bits) = narrow_float(value, short) else { return None };
        let as_int = if short { bits as u16 as i16 as i64 } else { bits as i32 as i64 };
        // A denormal that is a small integer, or zero.
        if let (0..=64, Some(found)) = (as_int, small(as_int)) {
            return Some(found);
        }
        bits
    };
    // Before it is one: an inline constant of a bf16 is that of the float.
    let upper = float && matches!(ty, Ty::Bf16 | Ty::PkBf16);
    let inline = match ty {
        Ty::I16 | Ty::PkI16 => None,
        Ty::F16 | Ty::PkF16 => find(bits as u64, 16, inv2pi),
        _ => find(bits as u64, 32, inv2pi),
    };
    match inline {
        Some(code) => Some((code, 0)),
        None if upper => Some((255, bfloat(bits))),
        None => Some((255, bits)),
    }
}

/// The code (AccVGPRs from 512 on) and the literal of an operand, if it can stand where only `allowed` classes can.
#[inline]
pub(crate) const fn resolve(
    rules: &Rules,
    field: Field,
    allowed: u16,
    ty: Ty,
    n: u16,
    code: u16,
    value: u64,
) -> Result<(u16, u32), BuildError> {
    let (code, literal) = match code {
        op::INT | op::FLOAT => match constant(ty, n, code, value, rules.inv2pi) {
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

/// What makes two reads over the constant bus the same read; 0 if the code is none. Codes below 256 are scalars.
#[inline]
pub(crate) const fn bus_key(rules: &Rules, code: u16, literal: u32) -> u64 {
    let class = rules.class(code);
    if class & class::BUS == 0 {
        0
    } else if code == 255 {
        1 << 32 | literal as u64
    } else {
        code as u64 + 1
    }
}
