//! JSON that a terminal can show: names are as in the file, with invisible characters as JSON escapes.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter};

use crate::escape;

struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~');
        if fragment.as_bytes().iter().all(is_plain) || fragment.chars().all(escape::is_plain) {
            return CompactFormatter.write_string_fragment(out, fragment);
        }
        for c in fragment.chars() {
            let mut buffer = [0; 4];
            match c {
                c if escape::is_plain(c) => out.write_all(c.encode_utf8(&mut buffer).as_bytes())?,
                c => c.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| write!(out, "\\u{unit:04x}"))?,
            }
        }
        Ok(())
    }
}

/// Writes a value in one line.
pub fn write(out: &mut impl Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Visible)).map_err(io::Error::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_and_nothing_invisible_is_written() {
        let all: String = ('\0'..=char::MAX).collect();
        let mut out = Vec::new();
        write(&mut out, &all).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert!(text.chars().all(escape::is_plain));
        assert_eq!(serde_json::from_str::<String>(&text).expect("a string"), all);
    }
}
