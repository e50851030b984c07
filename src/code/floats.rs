//! Bits of the inline floating-point constants, starting at the code `FLOAT`. Not every target has the last one.

use super::FLOATS;

const COUNT: usize = FLOATS.len();

pub(crate) const F64_BITS: [u64; COUNT] = {
    let (mut all, mut n) = ([0; COUNT], 0);
    while n < COUNT {
        all[n] = FLOATS[n].to_bits();
        n += 1;
    }
    all
};

pub(crate) const F32_BITS: [u32; COUNT] = {
    let (mut all, mut n) = ([0; COUNT], 0);
    while n < COUNT {
        all[n] = (FLOATS[n] as f32).to_bits();
        n += 1;
    }
    all
};

/// The constants as half floats. Integer operands of 16 bits read the same bits.
pub(crate) const F16_BITS: [u16; COUNT] = {
    let (mut all, mut n) = ([0; COUNT], 0);
    while n < COUNT {
        all[n] = half(FLOATS[n]);
        n += 1;
    }
    all
};

/// Rounds a double to a half, to nearest with ties to even. A value that is too great becomes infinite.
pub(crate) const fn half(value: f64) -> u16 {
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
    // The significand with its leading one, cut to the remaining bits and rounded.
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
