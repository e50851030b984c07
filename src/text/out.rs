//! A line of text under construction.

use crate::table::sizes::ANY_LITERAL64;

/// Size of the buffer in bytes. It is greater than the length of any instruction's text. On targets with literals of 64
/// bits, scaled matrix operations have the longest texts. On other targets, image samples whose two resources end in
/// vcc have the longest texts: `tests/newer.rs` has one of 249 characters.
pub(super) const SIZE: usize = if ANY_LITERAL64 { 512 } else { 288 };
/// Number of bytes after the end, for copies of a fixed size. Only the first bytes of such a copy belong to the text.
pub(super) const SLACK: usize = 48;

/// The text under construction, to be written in one piece.
///
/// The text is ASCII. A text that is too long would be truncated, but none is too long.
#[derive(Clone)]
pub(super) struct Out {
    pub(super) buffer: [u8; SIZE + SLACK],
    pub(super) len: usize,
}

/// The digits of a byte in decimal, and the number of digits.
static DECIMAL: [[u8; 4]; 256] = {
    let mut all = [[0; 4]; 256];
    let mut n = 0;
    while n < 256 {
        let (a, b, c) = (b'0' + (n / 100) as u8, b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8);
        all[n] = match n {
            0..10 => [c, 0, 0, 1],
            10..100 => [b, c, 0, 2],
            _ => [a, b, c, 3],
        };
        n += 1;
    }
    all
};

/// Texts of lists of two or three bits (`[0,1]`, `[1,0,1]`), lowest bit first, with their lengths. The index of a list
/// is its bits with a one above them.
pub(super) static LISTS: [[u8; 8]; 16] = {
    let mut all = [[0; 8]; 16];
    let mut n = 4;
    while n < 16 {
        let (a, b, c) = (b'0' + (n & 1) as u8, b'0' + (n >> 1 & 1) as u8, b'0' + (n >> 2 & 1) as u8);
        all[n] = if n < 8 { [b'[', a, b',', b, b']', 0, 0, 5] } else { [b'[', a, b',', b, b',', c, b']', 7] };
        n += 1;
    }
    all
};

impl Out {
    pub const fn new() -> Self {
        Out { buffer: [0; SIZE + SLACK], len: 0 }
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or(&self.buffer)
    }

    /// Removes a space at the start.
    pub fn trim(&mut self) {
        if self.len > 0 && self.buffer.first() == Some(&b' ') {
            self.buffer.copy_within(1.., 0);
            self.len -= 1;
        }
    }

    /// Copies all of `bytes`, but only the first `len` become part of the text.
    #[inline(always)]
    pub fn part<const N: usize>(&mut self, bytes: &[u8; N], len: usize) {
        const { assert!(N <= SLACK) };
        // The condition tells the compiler that there is room.
        if self.len < SIZE {
            if let Some(to) = self.buffer.get_mut(self.len..self.len + N) {
                to.copy_from_slice(bytes);
            }
            self.len += len;
        }
    }

    #[inline(always)]
    pub fn byte(&mut self, b: u8) {
        self.part(&[b], 1);
    }

    /// Writes a text whose length is known at compile time.
    #[inline(always)]
    pub fn literal<const N: usize>(&mut self, s: &[u8; N]) {
        self.part(s, N);
    }

    pub fn str(&mut self, s: &str) {
        if self.len < SIZE {
            let end = (self.len + s.len()).min(SIZE + SLACK);
            if let (Some(to), Some(from)) = (self.buffer.get_mut(self.len..end), s.as_bytes().get(..end - self.len)) {
                // `copy_from_slice` would link a panic, although it is never reached.
                to.iter_mut().zip(from).for_each(|(to, from)| *to = *from);
            }
            self.len = end;
        }
    }

    /// Writes a number of up to three digits.
    #[inline(always)]
    pub fn small(&mut self, n: u8) {
        let digits = &DECIMAL[usize::from(n)];
        self.part(digits, usize::from(digits[3]));
    }

    #[inline]
    pub fn dec(&mut self, n: u32) {
        match n {
            0..256 => self.small(n as u8),
            256..25_600 => {
                self.small((n / 100) as u8);
                self.literal(&[b'0' + (n / 10 % 10) as u8, b'0' + (n % 10) as u8]);
            }
            _ => self.large(n),
        }
    }

    fn large(&mut self, n: u32) {
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

    /// Writes a list such as `[1,0]` of the bits in `shown`, lowest bit first; bits that are not in `used` are shown as
    /// 0.
    #[inline]
    pub fn bits(&mut self, value: u32, used: u32, shown: u8) {
        match shown {
            0b11 | 0b111 => {
                let list = &LISTS[((value & used & u32::from(shown)) | (u32::from(shown) + 1)) as usize % LISTS.len()];
                self.part(list, list[7].into());
            }
            _ => self.other_bits(value, used, shown),
        }
    }

    fn other_bits(&mut self, value: u32, used: u32, shown: u8) {
        self.byte(b'[');
        let (mut bits, mut left) = (value & used, shown);
        while left != 0 {
            if left & 1 == 1 {
                self.literal(&[b'0' + (bits & 1) as u8, b',']);
            }
            (bits, left) = (bits >> 1, left >> 1);
        }
        // The last comma is replaced by the bracket.
        if let Some(last) = self.buffer.get_mut(self.len.wrapping_sub(1)) {
            *last = b']';
        }
    }

    pub fn signed(&mut self, n: i32) {
        if n < 0 {
            self.byte(b'-');
        }
        self.dec(n.unsigned_abs());
    }

    /// Writes `0x` and the digits without leading zeros.
    pub fn hex(&mut self, n: u32) {
        // Spread the digits: one per byte, lowest digit first.
        let n = u64::from(n);
        let n = (n | n << 16) & 0x0000_ffff_0000_ffff;
        let n = (n | n << 8) & 0x00ff_00ff_00ff_00ff;
        let n = (n | n << 4) & 0x0f0f_0f0f_0f0f_0f0f;
        // Digits above 9 become letters.
        const ONES: u64 = 0x0101_0101_0101_0101;
        let letters = (n + 6 * ONES) >> 4 & ONES;
        let digits = n + letters * u64::from(b'a' - b'9' - 1) + ONES * u64::from(b'0');
        let zeros = (n | 1).leading_zeros() / 8;
        self.literal(b"0x");
        self.part(&(digits << (8 * zeros)).to_be_bytes(), 8 - zeros as usize);
    }

    /// Writes a number of 64 bits as `hex` does.
    pub fn hex64(&mut self, n: u64) {
        let (high, low) = ((n >> 32) as u32, n as u32);
        if high == 0 {
            return self.hex(low);
        }
        self.hex(high);
        for digit in (0..8).rev() {
            let digit = (low >> (4 * digit)) as u8 & 15;
            self.byte(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
        }
    }

    pub fn signed_hex(&mut self, n: i32) {
        if n < 0 {
            self.byte(b'-');
        }
        self.hex(n.unsigned_abs());
    }
}
