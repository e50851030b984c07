//! Hexadecimal, both ways, without the formatting machinery: a large listing is mostly hex digits.

const LOWER: &[u8; 16] = b"0123456789abcdef";
const UPPER: &[u8; 16] = b"0123456789ABCDEF";

fn push(out: &mut Vec<u8>, value: u64, digits: u32, alphabet: &[u8; 16]) {
    for i in (0..digits).rev() {
        out.push(alphabet[(value >> (4 * i)) as usize & 15]);
    }
}

/// At least `digits` upper-case digits, more when the value needs them.
pub fn upper(out: &mut Vec<u8>, value: u64, digits: u32) {
    push(out, value, digits.max(needed(value)), UPPER);
}

/// At least `digits` lower-case digits, more when the value needs them.
pub fn lower(out: &mut Vec<u8>, value: u64, digits: u32) {
    push(out, value, digits.max(needed(value)), LOWER);
}

/// Bytes in memory order, two lower-case digits each.
pub fn bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    for &b in bytes {
        push(out, u64::from(b), 2, LOWER);
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
