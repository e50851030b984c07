//! Sines of angles in turns, and the parts of 2/pi that reduce large angles.

use std::f64::consts::TAU;

use amdgpu_isa::meaning::FloatType;

use crate::float::Number;

/// The sine of an angle in turns, exact at quarters of a turn.
pub fn sin(turns: f64) -> f64 {
    quarter(turns, 0)
}

/// The cosine of an angle in turns, exact at quarters of a turn.
pub fn cos(turns: f64) -> f64 {
    quarter(turns, 1)
}

fn quarter(turns: f64, more: i64) -> f64 {
    if !turns.is_finite() {
        return f64::NAN;
    }
    // The sine of a zero is the same zero, with its sign.
    if turns == 0.0 && more == 0 {
        return turns;
    }
    // The remainder is exact and has the sign of the angle, so a small negative angle is not rounded to a whole turn.
    let rest = turns % 1.0;
    let nearest = (rest * 4.0).round();
    // The angle is at most 1/8 of a turn from the nearest quarter, and the difference is exact.
    let angle = (rest - nearest / 4.0) * TAU;
    let result = match (nearest as i64 + more).rem_euclid(4) {
        0 => angle.sin(),
        1 => angle.cos(),
        2 => -angle.sin(),
        _ => -angle.cos(),
    };
    // All other zeros are positive.
    if result == 0.0 { 0.0 } else { result }
}

/// Part `n` of the bits of 2/pi, with 53 bits, counted from a place that depends on the exponent of `x`.
pub fn part_of_two_over_pi(x: Number, n: i128) -> Number {
    let exponent = x.exponent();
    let shift = (n & 31) * 53 + (exponent - 1077).max(0);
    let bits = two_over_pi();
    // The part begins after `shift` bits of the fraction.
    let mut part = 0u64;
    for k in 0..53 {
        let bit = bits.get((shift + k) as usize).copied().unwrap_or(0);
        part = part << 1 | u64::from(bit);
    }
    let scale = -53 - shift + if exponent >= 1968 { 128 } else { 0 };
    let number = Number::from_double(FloatType::F64, part as f64);
    let rules = crate::float::Rules { mode: Default::default(), fnuz: false };
    number.scale(scale, &rules).unwrap_or(number)
}

/// The first 1,201 bits of the fraction of 2/pi, by Machin's formula: pi = 16 atan(1/5) - 4 atan(1/239).
fn two_over_pi() -> Vec<u8> {
    const DWORDS: usize = 42;
    // Numbers are in fixed point, with one dword before the point and DWORDS after it.
    let divide = |number: &mut [u32], by: u64| {
        let mut rest = 0u64;
        for dword in number.iter_mut().rev() {
            let now = rest << 32 | u64::from(*dword);
            (*dword, rest) = ((now / by) as u32, now % by);
        }
    };
    let add = |to: &mut [u32], from: &[u32], negative: bool| {
        let mut carry = i64::from(negative);
        for (a, &b) in to.iter_mut().zip(from) {
            let b = if negative { !b } else { b };
            let sum = i64::from(*a) + i64::from(b) + carry;
            (*a, carry) = (sum as u32, sum >> 32);
        }
    };
    let atan = |of: u64, times: u32| {
        let mut power = vec![0u32; DWORDS + 1];
        power[DWORDS] = times;
        divide(&mut power, of);
        let mut sum = power.clone();
        for k in 1..1400 {
            divide(&mut power, of * of);
            let mut term = power.clone();
            divide(&mut term, 2 * k + 1);
            add(&mut sum, &term, k % 2 == 1);
        }
        sum
    };
    let mut pi = atan(5, 16);
    let other = atan(239, 4);
    add(&mut pi, &other, true);
    // Divides 2 by pi, bit by bit.
    let mut rest = vec![0u32; DWORDS + 1];
    rest[DWORDS] = 2;
    let mut bits = Vec::new();
    for _ in 0..1201 {
        let mut carry = 0;
        for dword in rest.iter_mut() {
            (*dword, carry) = (*dword << 1 | carry, *dword >> 31);
        }
        let is_less = rest.iter().rev().lt(pi.iter().rev());
        if !is_less {
            add(&mut rest, &pi, true);
        }
        bits.push(u8::from(!is_less));
    }
    bits
}
