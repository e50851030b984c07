//! Conversion of decimal digits, or of a number of many bits, to the nearest float. The parser of `core` is exact, too,
//! but contains code that can panic.

/// The number of digits that are read exactly. A number halfway between two floats has at most 767 digits, so further
/// digits matter only by whether one of them is not 0.
const DIGITS: usize = 800;
/// The number of dwords of the greatest number in a computation, which has 1,200 digits and the bits of a quotient.
const LIMBS: usize = 130;
/// Powers of ten that an f64 holds exactly.
const EXACT: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
];

/// The bits of the f64 nearest to a number of the form `12.5e-3` without a sign; if two are equally near, the even one.
pub fn nearest(text: &[u8]) -> u64 {
    const INFINITE: u64 = 0x7ff << 52;
    let is_exponent = |c: &u8| matches!(c, b'e' | b'E');
    let mut parts = text.splitn(2, is_exponent);
    let mantissa = parts.next().unwrap_or(&[]);
    let given = exponent(parts.next().unwrap_or(&[]));
    // `places`: the number of digits after the point; `digits`: the digits from the first one that is not 0.
    let mut places = mantissa.iter().position(|c| *c == b'.').map_or(0, |point| mantissa.len() - 1 - point) as i64;
    let digits = || mantissa.iter().filter(|c| c.is_ascii_digit()).map(|c| u32::from(c - b'0')).skip_while(|d| *d == 0);
    let count = digits().count();
    if count == 0 {
        return 0;
    }
    let top = given.saturating_sub(places).saturating_add(count as i64);
    if top > 310 {
        return INFINITE;
    }
    if top < -330 {
        return 0;
    }
    let mut number = Big::of(0);
    digits().take(DIGITS).for_each(|digit| number.multiply(10, digit));
    if count > DIGITS {
        // One more digit, 0 or 1, stands for all further digits: rounding depends only on whether they are all 0.
        let more = digits().skip(DIGITS).any(|digit| digit != 0);
        number.multiply(10, more.into());
        places -= (count - DIGITS - 1) as i64;
    }
    let power = given - places;
    if let (Some(digits), Some(scale)) = (number.exact(), EXACT.get(power.unsigned_abs() as usize)) {
        // Both numbers are exact, so the result is rounded only once.
        return if power < 0 { digits / scale } else { digits * scale }.to_bits();
    }
    let mut divisor = Big::of(1);
    let scaled = if power < 0 { &mut divisor } else { &mut number };
    scaled.multiply_by_power_of_ten(power.unsigned_abs() as usize);
    // The shift makes the quotient of `number` and `divisor` lie between a half and two.
    let up = number.bits() as i32 - divisor.bits() as i32;
    if up < 0 {
        number.shift_left(up.unsigned_abs() as usize)
    } else {
        divisor.shift_left(up as usize)
    }
    let mut quotient = 0u64;
    for _ in 0..64 {
        let fits = number.subtract(&divisor);
        quotient = quotient << 1 | u64::from(fits);
        number.shift_left(1);
    }
    rounded(quotient, up, !number.is_zero())
}

/// The bits of the f64 nearest to `value * 2^power`; if two are equally near, the even one. `power` is between -4000
/// and 4000.
pub fn scaled(value: u64, power: i32) -> u64 {
    if value == 0 { 0 } else { rounded(value, 63 + power, false) }
}

/// The value of a decimal number with or without a sign, saturated.
fn exponent(text: &[u8]) -> i64 {
    let digits = text.iter().filter(|c| c.is_ascii_digit());
    let value = digits.fold(0, |value: i64, c| (value * 10 + i64::from(c - b'0')).min(1 << 40));
    if text.first() == Some(&b'-') { -value } else { value }
}

/// The bits of the f64 nearest to `quotient / 2^63 * 2^up`. If `above` is set, the exact number is a little greater
/// than this product.
fn rounded(quotient: u64, up: i32, above: bool) -> u64 {
    let zeros = quotient.leading_zeros();
    let digits = quotient.wrapping_shl(zeros) | u64::from(above);
    let exponent = up - zeros as i32;
    if exponent > 1023 {
        return 0x7ff << 52;
    }
    // 53 digits remain, or fewer for subnormal numbers.
    let drop = 11 + (-1022 - exponent).max(0) as u32;
    let kept = digits.checked_shr(drop).unwrap_or(0);
    let rest = digits & 1u64.checked_shl(drop).unwrap_or(0).wrapping_sub(1);
    let half = 1u64.checked_shl(drop - 1).unwrap_or(u64::MAX);
    let up = rest > half || rest == half && kept & 1 == 1;
    // The first digit, which the f64 does not store, and a carry both add to the exponent.
    let exponent = (exponent + 1022).max(0) as u64;
    (exponent << 52) + kept + u64::from(up)
}

/// A large natural number, as dwords from the lowest to the highest.
struct Big {
    limbs: [u32; LIMBS],
    len: usize,
}

impl Big {
    fn of(n: u32) -> Big {
        let mut limbs = [0; LIMBS];
        let [first, ..] = &mut limbs;
        *first = n;
        Big { limbs, len: 1 }
    }

    fn used(&self) -> &[u32] {
        self.limbs.get(..self.len).unwrap_or(&self.limbs)
    }

    fn push(&mut self, limb: u32) {
        if let Some(place) = self.limbs.get_mut(self.len).filter(|_| limb != 0) {
            *place = limb;
            self.len += 1;
        }
    }

    fn multiply(&mut self, factor: u32, add: u32) {
        let mut carry = u64::from(add);
        for limb in self.limbs.iter_mut().take(self.len) {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = carry as u32;
            carry >>= 32;
        }
        self.push(carry as u32);
    }

    fn multiply_by_power_of_ten(&mut self, power: usize) {
        (0..power / 9).for_each(|_| self.multiply(1_000_000_000, 0));
        (0..power % 9).for_each(|_| self.multiply(10, 0));
    }

    fn shift_left(&mut self, bits: usize) {
        let (limbs, bits) = (bits / 32, bits % 32);
        let mut carry = 0u64;
        for limb in self.limbs.iter_mut().take(self.len) {
            carry |= u64::from(*limb) << bits;
            *limb = carry as u32;
            carry >>= 32;
        }
        self.push(carry as u32);
        if limbs > 0 {
            let shifted = |n: usize| n.checked_sub(limbs).and_then(|n| self.limbs.get(n)).copied();
            self.limbs = core::array::from_fn(|n| shifted(n).unwrap_or(0));
            self.len = (self.len + limbs).min(LIMBS);
        }
    }

    /// Subtracts the other number unless it is greater, and returns whether it did.
    fn subtract(&mut self, other: &Big) -> bool {
        let len = self.len.max(other.len);
        let pairs = || self.limbs.iter().zip(&other.limbs).take(len);
        if pairs().rev().find(|(a, b)| a != b).is_some_and(|(a, b)| a < b) {
            return false;
        }
        let mut borrow = false;
        for (a, b) in self.limbs.iter_mut().zip(&other.limbs).take(len) {
            let (less, first) = a.overflowing_sub(*b);
            let (less, second) = less.overflowing_sub(borrow.into());
            (*a, borrow) = (less, first || second);
        }
        true
    }

    fn is_zero(&self) -> bool {
        self.used().iter().all(|limb| *limb == 0)
    }

    fn bits(&self) -> usize {
        let places = 1..=self.len;
        let top = self.used().iter().zip(places).filter(|(limb, _)| **limb != 0).last();
        top.map_or(0, |(limb, n)| n * 32 - limb.leading_zeros() as usize)
    }

    /// The number, if it is less than 2^53.
    fn exact(&self) -> Option<f64> {
        let [low, high, ..] = self.limbs;
        let value = u64::from(high) << 32 | u64::from(low);
        (self.bits() <= 53).then_some(value as f64)
    }
}
