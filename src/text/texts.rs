//! Ready-made texts of operands, made when the library is compiled.

/// What stands behind a mnemonic.
pub(super) static SUFFIXES: [u64; 4] = [short(b" "), short(b"_e32 "), short(b"_e64 "), short(b" ")];

/// `s5, `, `v[4:5], ` and `-5, ` by operand codes, with their lengths in the last byte; that is 0 where a code is
/// something else, or not the same on all targets. One after the other:
///
/// * the codes of single registers, and accumulation registers behind the vector registers;
/// * scalar addresses, which are pairs;
/// * the codes of pairs, and pairs of accumulation registers.
pub(super) static TEXTS: [[u8; 16]; 0x800] = {
    let mut all = [[0; 16]; 0x800];
    let mut number = 0;
    while number < all.len() {
        let (n, text) = (number & 255, Text::new());
        let text = match number >> 8 {
            0 | 4 if n >= 128 => text.constant(n),
            0 if n <= SCALAR_LAST => text.register(b's', n),
            1 => text.register(b'v', n),
            2 => text.register(b'a', n),
            3 if n == 127 => text.word(b"off"),
            3 | 4 if n <= SCALAR_LAST => text.pair(b's', n & !1),
            0 if n == 106 => text.word(b"vcc_lo"),
            0 if n == 107 => text.word(b"vcc_hi"),
            0 if n == 126 => text.word(b"exec_lo"),
            0 if n == 127 => text.word(b"exec_hi"),
            3 | 4 if n == 106 => text.word(b"vcc"),
            4 if n == 126 => text.word(b"exec"),
            5 if n < 255 => text.pair(b'v', n),
            6 if n < 255 => text.pair(b'a', n),
            _ => text,
        };
        all[number] = text.comma();
        number += 1;
    }
    all
};

/// The number of no text.
pub(super) const NO_TEXT: u16 = 0x7ff;
/// What is added to the number of a register's text for that of a pair.
pub(super) const PAIR: u16 = 0x400;
/// The bit that the numbers of vector registers have, and scalar ones have not.
pub(super) const VECTOR: u16 = 0x100;

/// Scalar registers that every target has.
const SCALAR_LAST: usize = 101;

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

    const fn word(mut self, word: &[u8]) -> Text {
        let mut n = 0;
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

    /// What a constant's code stands for; nothing for other codes.
    const fn constant(self, code: usize) -> Text {
        match code {
            128..=192 => self.number(code - 128),
            193..=208 => self.byte(b'-').number(code - 192),
            240 => self.word(b"0.5"),
            241 => self.word(b"-0.5"),
            242 => self.word(b"1.0"),
            243 => self.word(b"-1.0"),
            244 => self.word(b"2.0"),
            245 => self.word(b"-2.0"),
            246 => self.word(b"4.0"),
            247 => self.word(b"-4.0"),
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

/// A text with its length in the last byte.
const fn short(text: &[u8]) -> u64 {
    let mut all = [0; 8];
    let mut n = 0;
    while n < text.len() {
        all[n] = text[n];
        n += 1;
    }
    all[7] = n as u8;
    u64::from_le_bytes(all)
}
