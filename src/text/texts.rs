//! Ready-made texts of operands, made when the library is compiled.

use crate::target::generated::{SCALAR_LAST, SHARED_CODES};

/// `s5, `, `v[4:5], ` and `-5, ` by operand codes, with their lengths in the last byte; that is 0 where a code is
/// something else, or not the same on all targets. One after the other:
///
/// * the codes of single registers, and accumulation registers behind the vector registers;
/// * scalar addresses, which are pairs;
/// * the codes of pairs, and pairs of accumulation registers;
/// * small numbers.
pub(super) static TEXTS: [[u8; 16]; 0x800] = {
    let mut all = [[0; 16]; 0x800];
    let mut number = 0;
    while number < all.len() {
        let (n, text) = (number & 255, Text::new());
        let text = match number >> 8 {
            0 | 4 if n >= 128 => text.constant(n),
            0 if n < SCALARS => text.register(b's', n),
            1 => text.register(b'v', n),
            2 => text.register(b'a', n),
            3 if n == OFF => text.word(b"off"),
            3 | 4 if n < SCALARS => text.pair(b's', n & !1),
            5 if n < 255 => text.pair(b'v', n),
            6 if n < 255 => text.pair(b'a', n),
            7 if n <= 64 => text.number(n),
            _ => text,
        };
        all[number] = text.comma();
        number += 1;
    }
    let mut n = 0;
    while n < SHARED_CODES.len() {
        let (code, name, pair) = (SHARED_CODES[n].0 as usize, SHARED_CODES[n].1, SHARED_CODES[n].2);
        all[code] = Text::new().word(name.as_bytes()).comma();
        // Of a constant it depends on the type which of two names is that of a pair.
        if code < 128 {
            all[0x300 + code] = if code == OFF { all[0x300 + code] } else { Text::new().word(pair.as_bytes()).comma() };
            all[0x400 + code] = Text::new().word(pair.as_bytes()).comma();
        } else if equal(name.as_bytes(), pair.as_bytes()) {
            all[0x400 + code] = Text::new().word(pair.as_bytes()).comma();
        }
        n += 1;
    }
    all
};

/// The number of no text.
pub(super) const NO_TEXT: usize = 0x7ff;
/// What is added to the number of a register's text for that of a pair.
pub(super) const PAIR: usize = 0x400;
/// The bit that the numbers of vector registers have, and scalar ones have not.
pub(super) const VECTOR: usize = 0x100;

/// Codes of scalar registers.
const SCALARS: usize = SCALAR_LAST as usize + 1;
/// The code that is no register as a scalar address, as in src/operand/values.rs.
const OFF: usize = 127;

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut n = 0;
    while n < a.len() && n < b.len() && a[n] == b[n] {
        n += 1;
    }
    n == a.len() && n == b.len()
}

/// A text under construction, for tables that are made when the library is compiled.
#[derive(Clone, Copy)]
struct Text([u8; 16], usize);

impl Text {
    const fn new() -> Text {
        Text([0; 16], 0)
    }

    const fn byte(mut self, byte: u8) -> Text {
        self.0[self.1] = byte;
        self.1 += 1;
        self
    }

    /// A word, if there is room for it.
    const fn word(mut self, word: &[u8]) -> Text {
        let mut n = if word.len() > 13 { word.len() } else { 0 };
        while n < word.len() {
            self = self.byte(word[n]);
            n += 1;
        }
        self
    }

    const fn number(self, n: usize) -> Text {
        let text = if n >= 100 { self.byte(b'0' + (n / 100) as u8) } else { self };
        let text = if n >= 10 { text.byte(b'0' + (n / 10 % 10) as u8) } else { text };
        text.byte(b'0' + (n % 10) as u8)
    }

    const fn register(self, file: u8, n: usize) -> Text {
        self.byte(file).number(n)
    }

    const fn pair(self, file: u8, n: usize) -> Text {
        self.byte(file).byte(b'[').number(n).byte(b':').number(n + 1).byte(b']')
    }

    /// What an integer's code stands for; nothing for other codes.
    const fn constant(self, code: usize) -> Text {
        match code {
            128..=192 => self.number(code - 128),
            193..=208 => self.byte(b'-').number(code - 192),
            _ => self,
        }
    }

    /// With a comma behind it, and its length; nothing if there is nothing.
    const fn comma(self) -> [u8; 16] {
        if self.1 == 0 {
            return [0; 16];
        }
        let mut text = self.byte(b',').byte(b' ');
        text.0[15] = text.1 as u8;
        text.0
    }
}
