//! Sets of operand codes.

use core::fmt;

/// A set of operand codes: 0 to 255 are scalar registers and constants as the target numbers them, 256 to 511 vector
/// registers, 512 to 767 accumulation registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CodeSet([u64; CodeSet::WORDS]);

impl CodeSet {
    const WORDS: usize = 12;
    const CODES: u16 = 64 * CodeSet::WORDS as u16;

    pub(super) const EMPTY: CodeSet = CodeSet([0; CodeSet::WORDS]);

    pub(super) fn insert(&mut self, code: u16) {
        if let Some(word) = self.0.get_mut(usize::from(code / 64)) {
            *word |= 1 << (code % 64);
        }
    }

    /// Whether the code is in the set.
    pub fn contains(&self, code: u16) -> bool {
        self.0.get(usize::from(code / 64)).is_some_and(|word| word >> (code % 64) & 1 == 1)
    }

    /// Whether the set has no codes.
    pub fn is_empty(&self) -> bool {
        self.0 == [0; CodeSet::WORDS]
    }

    /// The codes, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = u16> + use<> {
        let set = *self;
        (0..CodeSet::CODES).filter(move |&code| set.contains(code))
    }

    /// The codes as runs, each given by its first and last code, in ascending order.
    pub fn ranges(&self) -> impl Iterator<Item = (u16, u16)> + use<> {
        let set = *self;
        let firsts = self.iter().filter(move |&code| !code.checked_sub(1).is_some_and(|before| set.contains(before)));
        firsts.map(move |first| {
            let last = (first..CodeSet::CODES).take_while(|&code| set.contains(code)).last();
            (first, last.unwrap_or(first))
        })
    }
}

impl fmt::Debug for CodeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ranges()).finish()
    }
}
