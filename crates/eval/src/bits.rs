//! Values of up to 1,024 bits.

/// A value as dwords, the lowest one first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bits(pub Vec<u32>);

impl Bits {
    /// The `count` bits from bit `first` on; bits past the end are 0.
    pub fn get(&self, first: u32, count: u32) -> u128 {
        let mut value = 0u128;
        let mut at = 0;
        while at < count.min(128) {
            let (dword, shift) = ((first + at) / 32, (first + at) % 32);
            let part = u128::from(self.0.get(dword as usize).copied().unwrap_or(0) >> shift);
            value |= part << at;
            at += 32 - shift;
        }
        if count < 128 { value & ((1 << count) - 1) } else { value }
    }

    /// Replaces `count` bits from bit `first` on; bits past the end are dropped.
    pub fn set(&mut self, first: u32, count: u32, value: u128) {
        for n in 0..count.min(128) {
            let (dword, bit) = ((first + n) / 32, (first + n) % 32);
            if let Some(dword) = self.0.get_mut(dword as usize) {
                *dword = *dword & !(1 << bit) | ((value >> n & 1) as u32) << bit;
            }
        }
    }

    pub fn len(&self) -> u32 {
        self.0.len() as u32 * 32
    }
}
