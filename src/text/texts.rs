//! Ready-made texts of operands, made when the library is compiled.

use crate::target::generated::{SCALAR_LAST, SHARED_CODES};

/// `s5, `, `v[4:5], ` and `-5, ` by operand codes, with their lengths in the last byte; that is `MISSING` where a code is
/// something else, or not the same on all targets. One after the other:
///
/// * the codes of single registers, and accumulation registers behind the vector registers;
/// * scalar addresses, which are pairs;
/// * the codes of pairs, and pairs of accumulation registers;
/// * small numbers;
/// * the codes of four registers;
/// * numbers in hexadecimal;
/// * counters that are waited for;
/// * the codes of sixteen registers.
pub(super) static TEXTS: Aligned<[[u8; 16]; 0x1000]> = Aligned({
    let mut all = [[0; 16]; 0x1000];
    let mut number = 0;
    while number < all.len() {
        let (n, text) = (number & 255, Text::new());
        let text = match number >> 8 {
            0 | 4 if n >= 128 => text.constant(n),
            0 if n < SCALARS => text.register(b's', n),
            1 => text.register(b'v', n),
            2 => text.register(b'a', n),
            3 if n == OFF => text.word(b"off"),
            3 | 4 if n < SCALARS => text.tuple(b's', n & !1, 2),
            5 if n < 255 => text.tuple(b'v', n, 2),
            6 if n < 255 => text.tuple(b'a', n, 2),
            7 if n <= 64 => text.number(n),
            8 if n < SCALARS => text.tuple(b's', n & !3, 4),
            9 if n < 253 => text.tuple(b'v', n, 4),
            10 if n < 253 => text.tuple(b'a', n, 4),
            11 => text.hex(n),
            13 if n < SCALARS => text.tuple(b's', n & !3, 16),
            14 if n < 241 => text.tuple(b'v', n, 16),
            15 if n < 241 => text.tuple(b'a', n, 16),
            12 => {
                all[number] = text.counter(n / 16, n % 16);
                number += 1;
                continue;
            }
            _ => text,
        };
        all[number] = text.comma();
        number += 1;
    }
    all[EMPTY] = [0; 16];
    all[BLANK] = Text::new().byte(b' ').padded();
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
});

/// No text lies in two lines of the cache.
#[repr(align(64))]
pub(super) struct Aligned<T>(pub T);

/// In the place of the length of a text that is not there: its lowest four bits are zero, so that nothing is put down.
pub(super) const MISSING: u8 = 0x80;
/// The number of a text that is there, and has no bytes.
const EMPTY: usize = 0xfff;
/// The number of a blank: two bytes behind the last text are not printed.
const BLANK: usize = 0xffe;
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
        let mut n = if self.1 + word.len() > 13 { word.len() } else { 0 };
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

    const fn tuple(self, file: u8, n: usize, registers: usize) -> Text {
        self.byte(file).byte(b'[').number(n).byte(b':').number(n + registers - 1).byte(b']')
    }

    const fn hex(self, n: usize) -> Text {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let text = self.byte(b'0').byte(b'x');
        let text = if n >= 16 { text.byte(DIGITS[n >> 4]) } else { text };
        text.byte(DIGITS[n & 15])
    }

    /// What is waited for, and a blank; behind the last one two.
    const fn counter(self, which: usize, n: usize) -> [u8; 16] {
        match (which, n) {
            // If all are at their maximum, all are printed.
            (0, 15) | (4.., _) => self.padded(),
            (1, 15) => self.byte(b' ').padded(),
            (3, 15) => [0; 16],
            (0 | 1, _) => self.word(b"lgkmcnt(").number(n).word(b")").word(b"  ").padded(),
            _ => self.word(b"vmcnt(").number(n).word(b") ").padded(),
        }
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
        if self.1 == 0 { self.padded() } else { self.byte(b',').byte(b' ').padded() }
    }

    const fn padded(mut self) -> [u8; 16] {
        self.0[15] = if self.1 == 0 { MISSING } else { self.1 as u8 };
        self.0
    }
}
