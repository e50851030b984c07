//! Floats of 8, 6 and 4 bits: each is exactly a double, and a double is rounded to them once.

use amdgpu_isa::meaning::FloatType;

/// The parts of a small format.
struct Format {
    exponent: u32,
    fraction: u32,
    bias: i32,
    /// What the highest codes are.
    top: Top,
}

#[derive(Clone, Copy, PartialEq)]
enum Top {
    /// Infinity and NaN, as IEEE 754 has them.
    Ieee,
    /// One NaN, all bits set but the sign (E4M3 of OCP).
    OneNan,
    /// Numbers; 0x80 is NaN (FNUZ).
    Fnuz,
    /// Numbers.
    Numbers,
}

fn format(ty: FloatType, fnuz: bool) -> Option<Format> {
    let of = |exponent, fraction, bias, top| Some(Format { exponent, fraction, bias, top });
    match ty {
        FloatType::Fp8 if fnuz => of(4, 3, 8, Top::Fnuz),
        FloatType::Bf8 if fnuz => of(5, 2, 16, Top::Fnuz),
        FloatType::Fp8 => of(4, 3, 7, Top::OneNan),
        FloatType::Bf8 => of(5, 2, 15, Top::Ieee),
        FloatType::Fp6 => of(2, 3, 1, Top::Numbers),
        FloatType::Bf6 => of(3, 2, 3, Top::Numbers),
        FloatType::Fp4 => of(2, 1, 1, Top::Numbers),
        _ => None,
    }
}

/// The double with the value of the bits; `None` if the type is not a small one.
pub fn to_double(ty: FloatType, fnuz: bool, bits: u64) -> Option<f64> {
    let f = format(ty, fnuz)?;
    let (exponent, fraction) = ((bits >> f.fraction) & ((1 << f.exponent) - 1), bits & ((1 << f.fraction) - 1));
    let negative = bits >> (f.exponent + f.fraction) & 1 == 1;
    let all_exponent = exponent == (1 << f.exponent) - 1;
    let value = match f.top {
        Top::Fnuz if negative && exponent == 0 && fraction == 0 => return Some(f64::NAN),
        Top::OneNan if all_exponent && fraction == (1 << f.fraction) - 1 => f64::NAN,
        Top::Ieee if all_exponent && fraction != 0 => f64::NAN,
        Top::Ieee if all_exponent => f64::INFINITY,
        _ if exponent == 0 => fraction as f64 * 2f64.powi(1 - f.bias - f.fraction as i32),
        _ => (fraction_unit(&f) + fraction) as f64 * 2f64.powi(exponent as i32 - f.bias - f.fraction as i32),
    };
    Some(if negative && !value.is_nan() { -value } else { value })
}

/// The scale that a byte is, in a format of scales: they have no sign. `None` for an unknown format.
pub fn scale(format: &str, bits: u64) -> Option<f64> {
    let bits = bits & 0xff;
    let numbers = |fraction: u32, bias: i32, nan: u64| {
        let bits = bits & nan;
        let (exponent, fraction_bits) = ((bits >> fraction) as i32, bits & ((1 << fraction) - 1));
        let unit = if exponent == 0 { 0 } else { 1 << fraction };
        let value = (unit + fraction_bits) as f64 * 2f64.powi(exponent.max(1) - bias - fraction as i32);
        if bits == nan { f64::NAN } else { value }
    };
    Some(match format {
        "E8" if bits == 0xff => f64::NAN,
        "E8" => 2f64.powi(bits as i32 - 127),
        "E5M3" => numbers(3, 15, 0xff),
        "E4M3" => numbers(3, 7, 0x7f),
        _ => return None,
    })
}

/// The implied bit of a normal number.
fn fraction_unit(f: &Format) -> u64 {
    1 << f.fraction
}

/// The bits of the nearest number, the even one of two. What is too large is the largest number if `saturates`, else
/// infinity or NaN.
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
    // Without infinity, NaN stands for what is too large, unless it saturates.
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
    // Without -0 a zero has no sign.
    Some(if code == 0 && f.top == Top::Fnuz { 0 } else { sign | code })
}
