//! Words: the bytes that decoders are asked about.

/// The length of the longest encoding in bytes: 5 dwords.
pub const MAX_BYTES: usize = 20;

/// Bytes to decode, in memory order: at most [`MAX_BYTES`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Word {
    bytes: [u8; MAX_BYTES],
    len: u8,
}

impl Word {
    /// A word with these bytes; if there are more than [`MAX_BYTES`], with the first [`MAX_BYTES`] of them.
    pub fn new(from: &[u8]) -> Word {
        let mut bytes = [0; MAX_BYTES];
        let len = from.len().min(MAX_BYTES);
        bytes[..len].copy_from_slice(&from[..len]);
        Word { bytes, len: len as u8 }
    }

    /// A word with the bytes of a text in hex digits; `None` if the text has other characters, an odd number of digits,
    /// or more than [`MAX_BYTES`] bytes.
    pub fn from_hex(hex: &str) -> Option<Word> {
        let digits: Option<Vec<u8>> = hex.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
        let digits = digits?;
        let bytes: Vec<u8> = digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect();
        (digits.len() % 2 == 0 && bytes.len() <= MAX_BYTES).then(|| Word::new(&bytes))
    }

    /// The bytes in memory order.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len.into()]
    }

    /// The first 16 bytes as a little-endian number; missing bytes are zero.
    pub fn bits(&self) -> u128 {
        let mut low = [0; 16];
        low.copy_from_slice(&self.bytes[..16]);
        u128::from_le_bytes(low)
    }

    /// The bytes as hex digits.
    pub fn hex(&self) -> String {
        hex(self.bytes())
    }
}

/// Bytes as hex digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
