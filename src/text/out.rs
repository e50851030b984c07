//! A small buffer in front of a writer: text is put together here and handed on in one piece.

use core::fmt::{self, Write};

const SIZE: usize = 192;

pub(super) struct Out<'a> {
    to: &'a mut dyn Write,
    buffer: [u8; SIZE],
    len: usize,
    result: fmt::Result,
}

impl<'a> Out<'a> {
    pub fn new(to: &'a mut dyn Write) -> Self {
        Out { to, buffer: [0; SIZE], len: 0, result: Ok(()) }
    }

    /// Only ASCII is ever put in.
    fn flush(&mut self) {
        if let (Ok(()), Some(bytes)) = (self.result, self.buffer.get(..self.len)) {
            self.result = match core::str::from_utf8(bytes) {
                Ok(text) => self.to.write_str(text),
                Err(_) => Err(fmt::Error),
            };
        }
        self.len = 0;
    }

    pub fn finish(mut self) -> fmt::Result {
        self.flush();
        self.result
    }

    /// Takes away a blank at the start of what has not been handed on.
    pub fn trim(&mut self) {
        if self.len > 0 && self.buffer.first() == Some(&b' ') {
            self.buffer.copy_within(1.., 0);
            self.len -= 1;
        }
    }

    pub fn byte(&mut self, b: u8) {
        if self.len >= SIZE {
            self.flush();
        }
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = b;
            self.len += 1;
        }
    }

    pub fn str(&mut self, s: &str) {
        if self.len + s.len() > SIZE {
            self.flush();
        }
        match self.buffer.get_mut(self.len..self.len + s.len()) {
            Some(slot) => {
                slot.copy_from_slice(s.as_bytes());
                self.len += s.len();
            }
            // Longer than the whole buffer; no table has such a text.
            None => s.bytes().for_each(|b| self.byte(b)),
        }
    }

    pub fn dec(&mut self, n: u32) {
        let mut digits = [0u8; 10];
        let mut at = digits.len();
        let mut n = n;
        loop {
            at -= 1;
            if let Some(d) = digits.get_mut(at) {
                *d = b'0' + (n % 10) as u8;
            }
            n /= 10;
            if n == 0 || at == 0 {
                break;
            }
        }
        for &d in digits.get(at..).unwrap_or(&[]) {
            self.byte(d);
        }
    }

    pub fn signed(&mut self, n: i32) {
        if n < 0 {
            self.byte(b'-');
        }
        self.dec(n.unsigned_abs());
    }

    /// `0x` and no leading zeros.
    pub fn hex(&mut self, n: u32) {
        self.str("0x");
        let digits = (32 - (n | 1).leading_zeros()).div_ceil(4);
        for i in (0..digits).rev() {
            let d = (n >> (4 * i)) as u8 & 15;
            self.byte(if d < 10 { b'0' + d } else { b'a' + d - 10 });
        }
    }

    pub fn signed_hex(&mut self, n: i32) {
        if n < 0 {
            self.byte(b'-');
        }
        self.hex(n.unsigned_abs());
    }
}
