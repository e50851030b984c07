//! Reads the words on the command line, in the forms that people copy: from a listing, a manual or a hex dump.

use crate::hex;

/// Reads words as bytes in memory order. `as_bytes`: whether all words are bytes in memory order, even those of eight
/// digits.
pub fn parse(words: &[String], as_bytes: bool) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for word in words {
        parse_one(word, as_bytes, &mut bytes).map_err(|e| format!("{:?}: {e}", word.escape_debug().to_string()))?;
    }
    // Each argument may be a single byte, so only all of them together must make whole dwords.
    if bytes.len() % 4 != 0 {
        return Err(format!("{} bytes do not make whole dwords; every instruction is made of those", bytes.len()));
    }
    Ok(bytes)
}

fn parse_one(word: &str, as_bytes: bool, bytes: &mut Vec<u8>) -> Result<(), String> {
    let mut part = Vec::new();
    let items: Vec<&str> = word.split([',', ':', ' ', '_', '\t']).filter(|s| !s.is_empty()).collect();
    if items.is_empty() {
        return Err("no digits".into());
    }
    for item in items {
        let bare = item.strip_prefix("0x").or(item.strip_prefix("0X"));
        let digits = bare.unwrap_or(item);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err("not a hexadecimal number".into());
        }
        match (digits.len(), bare.is_some()) {
            (2, _) => hex::parse(digits.as_bytes(), &mut part)?,
            (8, _) if as_bytes => hex::parse(digits.as_bytes(), &mut part)?,
            // If digits were missing, the result would be another instruction.
            (1..=7, true) => {
                return Err(format!("a dword has eight digits, and this has {}: write 0x{digits:0>8}", digits.len()));
            }
            (8, _) => {
                let word = u32::from_str_radix(digits, 16).map_err(|e| e.to_string())?;
                part.clear();
                part.extend_from_slice(&word.to_le_bytes());
            }
            (9.., true) => return Err("a dword has eight digits; give one WORD for each, the first one first".into()),
            (n, false) if n % 8 == 0 => hex::parse(digits.as_bytes(), &mut part)?,
            (n, false) => {
                return Err(format!("{n} digits are neither a byte (2), a dword (8), nor bytes of whole dwords"));
            }
            (0, true) => return Err("no digits".into()),
        }
        bytes.extend_from_slice(&part);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(words: &[&str], as_bytes: bool) -> Result<Vec<u8>, String> {
        parse(&words.iter().map(|w| w.to_string()).collect::<Vec<_>>(), as_bytes)
    }

    #[test]
    fn every_way_to_write_the_same_word() {
        let want = Ok(vec![0x80, 0x41, 0x80, 0xbe]);
        for way in ["0xBE804180", "BE804180", "80:41:80:be", "80,41,80,be", "80 41 80 be", "0x80,0x41,0x80,0xbe"] {
            assert_eq!(p(&[way], false), want, "{way}");
        }
        assert_eq!(p(&["80", "41", "80", "be"], false), want);
        assert_eq!(p(&["804180be"], true), want);
        assert_eq!(p(&["804180be01000000"], false), Ok(vec![0x80, 0x41, 0x80, 0xbe, 1, 0, 0, 0]));
        assert_eq!(p(&["0x00000001"], false), Ok(vec![1, 0, 0, 0]));
    }

    #[test]
    fn what_could_be_read_two_ways_is_refused() {
        for bad in
            ["", "0x", "xyz", "123", "0xC006010000000010", "80:41:80", "BE80418", "0xé", "0x1", "0xbf81", "0xBE80418"]
        {
            assert!(p(&[bad], false).is_err(), "{bad}");
        }
    }
}
