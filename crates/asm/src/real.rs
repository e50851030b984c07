//! Floating-point numbers in data, as LLVM's assembler reads them.

use super::flaw::Result;
use super::scan::Scan;

/// Reads a number. Returns its 64 bits, or 32 if not `is_double`.
pub fn read(is_double: bool, scan: &mut Scan<'_>) -> Result<u64> {
    scan.blank();
    let from = scan.at;
    let is_negative = scan.peek() == b'-';
    if matches!(scan.peek(), b'-' | b'+') {
        scan.at += 1;
        scan.blank();
    }
    let rest = scan.rest();
    let len = rest.bytes().position(|c| matches!(c, b',' | b' ' | b'\t')).unwrap_or(rest.len());
    scan.at += len;
    let text = rest.get(..len).unwrap_or("").to_ascii_lowercase();
    let sign = u64::from(is_negative) << if is_double { 63 } else { 31 };
    let bits = bits(&text, is_double).ok_or_else(|| scan.since(from, "not a floating-point number"))?;
    Ok(bits | sign)
}

pub fn bits(text: &str, is_double: bool) -> Option<u64> {
    match text {
        "inf" | "infinity" => Some(if is_double { 0x7ff << 52 } else { 0xff << 23 }),
        "nan" => Some(if is_double { u64::MAX >> 1 } else { u64::from(u32::MAX >> 1) }),
        _ => {
            if let Some(digits) = text.strip_prefix("0x") {
                return hexadecimal(digits, is_double);
            }
            if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                return None;
            }
            // An exponent without digits is 0.
            let text = text.strip_suffix(['+', '-']).filter(|text| text.ends_with('e')).unwrap_or(text);
            let text = text.strip_suffix('e').filter(|text| !text.contains('e')).unwrap_or(text);
            Some(match is_double {
                true => text.parse::<f64>().ok()?.to_bits(),
                false => text.parse::<f32>().ok()?.to_bits().into(),
            })
        }
    }
}

/// The bits of a number such as `1c2.2ap3`: hexadecimal digits, and a power of two.
fn hexadecimal(text: &str, is_double: bool) -> Option<u64> {
    let (digits, power) = text.split_once('p')?;
    let power: i64 = power.parse::<i32>().ok()?.into();
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && part.is_empty() {
        return None;
    }
    // The value has up to 120 bits; any digit that does not fit and is not 0 sets its last bit.
    let (mut value, mut exponent) = (0u128, power - 4 * part.len() as i64);
    for c in whole.chars().chain(part.chars()) {
        let digit = u128::from(c.to_digit(16)?);
        if value >> 116 == 0 {
            value = value << 4 | digit;
        } else {
            value |= u128::from(digit != 0);
            exponent += 4;
        }
    }
    let (precision, least, bias): (i64, i64, i64) = if is_double { (53, -1074, 1023) } else { (24, -149, 127) };
    if value == 0 {
        return Some(0);
    }
    let bits = 128 - i64::from(value.leading_zeros());
    let drop = (bits - precision).max(least - exponent);
    let mut rounded = match u32::try_from(drop) {
        Ok(0) => value,
        Ok(drop) if drop > 127 => 0,
        Ok(drop) => {
            let (kept, lost, half) = (value >> drop, value & ((1 << drop) - 1), 1u128 << (drop - 1));
            kept + u128::from(lost > half || lost == half && kept & 1 == 1)
        }
        Err(_) => value << (-drop).min(precision),
    };
    exponent += drop;
    if rounded >> precision != 0 {
        rounded >>= 1;
        exponent += 1;
    }
    if rounded >> (precision - 1) == 0 {
        return Some(rounded as u64); // denormal, and its exponent is the least one
    }
    let biased = exponent + precision - 1 + bias;
    if biased > 2 * bias {
        return Some((2 * bias as u64 + 1) << (precision - 1));
    }
    Some((biased as u64) << (precision - 1) | rounded as u64 & ((1 << (precision - 1)) - 1))
}
