//! Floats of 8, 6 and 4 bits. Each is exactly a double, and a double is rounded to one of them in one step.

use amdgpu_isa::meaning::FloatType;

/// A small float format: the widths of its exponent and its fraction, and its bias.
struct Format {
    exponent: u32,
    fraction: u32,
    bias: i32,
    /// The meaning of the highest codes.
    top: Top,
}

#[derive(Clone, Copy, PartialEq)]
enum Top {
    /// Infinity and NaN, as in IEEE 754.
    Ieee,
    /// No infinity; a NaN if all bits except the sign are set (E4M3 of OCP).
    OneNan,
    /// All codes are numbers, except for that of -0, 0x80, which is NaN (FNUZ).
    Fnuz,
    /// All codes are numbers: the format has neither infinity nor NaN.
    Numbers,
}

/// The format with these widths of exponent and fraction.
fn of(exponent: u32, fraction: u32, top: Top) -> Format {
    let bias = (1 << (exponent - 1)) - i32::from(top != Top::Fnuz);
    Format { exponent, fraction, bias, top }
}

fn format(ty: FloatType, fnuz: bool) -> Option<Format> {
    Some(match ty {
        FloatType::Fp8 => of(4, 3, if fnuz { Top::Fnuz } else { Top::OneNan }),
        FloatType::Bf8 => of(5, 2, if fnuz { Top::Fnuz } else { Top::Ieee }),
        FloatType::Fp6 => of(2, 3, Top::Numbers),
        FloatType::Bf6 => of(3, 2, Top::Numbers),
        FloatType::Fp4 => of(2, 1, Top::Numbers),
        _ => return None,
    })
}

/// The value of the bits; `None` if the type is not one of the small floats.
pub fn to_double(ty: FloatType, fnuz: bool, bits: u64) -> Option<f64> {
    let f = format(ty, fnuz)?;
    let negative = bits >> (f.exponent + f.fraction) & 1 == 1;
    let size = bits & ((1 << (f.exponent + f.fraction)) - 1);
    if f.top == Top::Fnuz && negative && size == 0 {
        return Some(f64::NAN);
    }
    let value = f.value(size);
    Some(if negative && !value.is_nan() { -value } else { value })
}

impl Format {
    /// The absolute value of a number with these bits of exponent and fraction.
    fn value(&self, bits: u64) -> f64 {
        let (top, ones) = ((1 << self.exponent) - 1, (1 << self.fraction) - 1);
        let (exponent, fraction) = (bits >> self.fraction, bits & ones);
        let power = |exponent: u64| 2f64.powi(exponent as i32 - self.bias - self.fraction as i32);
        match self.top {
            Top::OneNan if exponent == top && fraction == ones => f64::NAN,
            Top::Ieee if exponent == top && fraction != 0 => f64::NAN,
            Top::Ieee if exponent == top => f64::INFINITY,
            _ if exponent == 0 => fraction as f64 * power(1),
            _ => (fraction_unit(self) + fraction) as f64 * power(exponent),
        }
    }
}

/// The implied bit of a normal number, above its fraction.
fn fraction_unit(f: &Format) -> u64 {
    1 << f.fraction
}

/// The bits of the nearest number (of two equally near ones, of the even one); `None` if the type is not one of the
/// small floats. A value that is too large becomes the largest number if `saturates`, or if the format has neither
/// infinity nor NaN; else it becomes infinity or NaN.
pub fn from_double(ty: FloatType, fnuz: bool, value: f64, saturates: bool) -> Option<u64> {
    let f = format(ty, fnuz)?;
    let sign = u64::from(value.is_sign_negative()) << (f.exponent + f.fraction);
    let top_exponent = (1u64 << f.exponent) - 1;
    let (nan, infinity, largest) = match f.top {
        Top::Fnuz => (1 << (f.exponent + f.fraction), None, (1 << (f.exponent + f.fraction)) - 1),
        Top::OneNan => (sign | ((1 << (f.exponent + f.fraction)) - 1), None, (1 << (f.exponent + f.fraction)) - 2),
        Top::Ieee => (
            sign | ((1 << (f.exponent + f.fraction)) - 1),
            Some(top_exponent << f.fraction),
            (top_exponent << f.fraction) - 1,
        ),
        Top::Numbers => (sign | ((1 << (f.exponent + f.fraction)) - 1), None, (1 << (f.exponent + f.fraction)) - 1),
    };
    if value.is_nan() {
        return Some(nan);
    }
    // A value that is too large becomes the largest number, or infinity, or NaN if the format lacks infinity.
    let over = match (saturates || f.top == Top::Numbers, infinity) {
        (true, _) => largest,
        (false, Some(infinity)) => infinity,
        (false, None) => nan & !sign,
    };
    let size = value.abs();
    if size.is_infinite() {
        return Some(if f.top == Top::Fnuz && over == nan { nan } else { sign | over });
    }
    let exponent = if size == 0.0 { i32::MIN } else { (size.to_bits() >> 52) as i32 - 1023 };
    let least = 1 - f.bias;
    let unit = 2f64.powi(exponent.max(least) - f.fraction as i32);
    let steps = (size / unit).round_ties_even() as u64;
    let code = if exponent < least {
        steps
    } else {
        (((exponent - least + 1) as u64) << f.fraction) + steps - (1 << f.fraction)
    };
    if code > largest {
        return Some(if f.top == Top::Fnuz && over == nan { nan } else { sign | over });
    }
    // A format without -0 has only one zero.
    Some(if code == 0 && f.top == Top::Fnuz { 0 } else { sign | code })
}
