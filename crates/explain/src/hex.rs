//! Writes and reads hexadecimal without the formatting machinery, because a large listing is mostly hex digits.

/// The two digits of each byte.
type Digits = [[u8; 2]; 256];

static LOWER: Digits = digits(b"0123456789abcdef");
static UPPER: Digits = digits(b"0123456789ABCDEF");

const fn digits(alphabet: &[u8; 16]) -> Digits {
    let mut all = [[0; 2]; 256];
    let mut n = 0;
    while n < 256 {
        all[n] = [alphabet[n >> 4], alphabet[n & 15]];
        n += 1;
    }
    all
}

/// The sixteen digits of a number.
fn all(value: u64, digits: &Digits) -> [u8; 16] {
    let mut text = [0; 16];
    for (pair, byte) in text.chunks_exact_mut(2).zip(value.to_be_bytes()) {
        pair.copy_from_slice(&digits[usize::from(byte)]);
    }
    text
}

/// The eight upper-case digits of a dword.
#[inline(always)]
pub fn dword(value: u32) -> [u8; 8] {
    let mut text = [0; 8];
    for (pair, byte) in text.chunks_exact_mut(2).zip(value.to_be_bytes()) {
        pair.copy_from_slice(&UPPER[usize::from(byte)]);
    }
    text
}

fn push(out: &mut Vec<u8>, value: u64, least: u32, digits: &Digits) {
    let count = least.max(needed(value)).min(16) as usize;
    out.extend_from_slice(&all(value, digits)[16 - count..]);
}

/// Writes a value with upper-case digits: at least `digits` of them (at most 16), or more if the value needs them.
pub fn upper(out: &mut Vec<u8>, value: u64, digits: u32) {
    push(out, value, digits, &UPPER);
}

/// Writes a value with lower-case digits: at least `digits` of them (at most 16), or more if the value needs them.
pub fn lower(out: &mut Vec<u8>, value: u64, digits: u32) {
    push(out, value, digits, &LOWER);
}

/// Writes bytes in memory order, with two lower-case digits for each.
pub fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    for &b in bytes {
        out.extend_from_slice(&LOWER[usize::from(b)]);
    }
}

fn needed(value: u64) -> u32 {
    (64 - value.leading_zeros()).div_ceil(4).max(1)
}

/// Parses pairs of digits into `out`, which is cleared first.
pub fn parse(text: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    out.clear();
    if text.is_empty() {
        return Err("no bytes given".into());
    }
    if let Some(bad) = text.iter().find(|b| !b.is_ascii_hexdigit()) {
        return Err(format!("{:?} is not a hexadecimal digit", char::from(*bad)));
    }
    if text.len() % 2 != 0 {
        return Err(format!("{} hexadecimal digits do not make whole bytes", text.len()));
    }
    let digit = |b: u8| char::from(b).to_digit(16).unwrap_or(0) as u8;
    out.extend(text.chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(f: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut v = Vec::new();
        f(&mut v);
        String::from_utf8(v).unwrap()
    }

    #[test]
    fn widens_when_the_value_needs_it() {
        assert_eq!(s(|o| upper(o, 0xab, 4)), "00AB");
        assert_eq!(s(|o| upper(o, 0xabcde, 4)), "ABCDE");
        assert_eq!(s(|o| lower(o, u64::MAX, 1)), "ffffffffffffffff");
        assert_eq!(s(|o| lower(o, 0, 1)), "0");
    }

    #[test]
    fn refuses_what_is_not_bytes() {
        let mut v = vec![1];
        assert!(parse(b"", &mut v).is_err());
        assert!(parse(b"abc", &mut v).is_err());
        assert!(parse(b"0x12", &mut v).is_err());
        assert!(parse(b"be804180", &mut v).is_ok());
        assert_eq!(v, [0xbe, 0x80, 0x41, 0x80]);
    }
}
