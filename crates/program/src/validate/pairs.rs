//! The pairs of an old and a new address.

use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::RangeInclusive;

/// The counterparts of addresses of code, as the walk found them.
#[derive(Default)]
pub struct Pairs {
    /// By the old address of an instruction: its new address, and the new addresses by which it may be named.
    code: BTreeMap<u64, (u64, RangeInclusive<u64>)>,
    /// The addresses of the instructions of the new code.
    starts: BTreeSet<u64>,
    /// The other sections: the addresses of their beginning and end in the old file, and of their beginning in the new
    /// one.
    data: BTreeMap<u64, (u64, u64)>,
}

impl Pairs {
    /// `names` is the range from the first to the last instruction that may stand for this one as a target, because
    /// only neutral instructions, and ones that both files have, are between them.
    pub fn add(&mut self, old: u64, new: u64, names: RangeInclusive<u64>) {
        self.code.insert(old, (new, names));
    }

    /// Records the end of code, if no instruction is there.
    pub fn add_end(&mut self, old: u64, new: u64) {
        self.code.entry(old).or_insert((new, new..=new));
    }

    pub fn add_section(&mut self, old: u64, end: u64, new: u64) {
        self.data.insert(old, (end, new));
    }

    /// The new addresses that an old one may have. At the border of two sections without code, the first byte of the
    /// second is meant.
    pub fn of(&self, old: u64) -> Option<RangeInclusive<u64>> {
        let data = || self.data_at(old).map(|new| new..=new);
        if self.data.contains_key(&old) {
            return data();
        }
        self.of_code(old).or_else(data)
    }

    /// The new addresses that an old address of code, or of its end, may have.
    pub fn of_code(&self, old: u64) -> Option<RangeInclusive<u64>> {
        self.code.get(&old).map(|(_, names)| names.clone())
    }

    /// Whether an address of the new file may stand for one of the old file.
    pub fn is(&self, old: u64, new: u64) -> bool {
        let is_code = self.code.contains_key(&old) && !self.data.contains_key(&old);
        self.of(old).is_some_and(|range| range.contains(&new)) && (!is_code || self.starts.contains(&new))
    }

    /// Records an instruction of the new code, or its end.
    pub fn add_start(&mut self, new: u64) {
        self.starts.insert(new);
    }

    /// The counterpart of an address of code in the middle of an instruction.
    pub fn inside(&self, old: u64) -> Option<u64> {
        let (start, (new, _)) = self.code.range(..old).next_back()?;
        (!self.code.contains_key(&old)).then(|| new.wrapping_add(old - start))
    }

    /// [`Pairs::is`] for an address in a section with code, if `is_code`.
    pub fn is_in(&self, is_code: bool, old: u64, new: u64) -> bool {
        match is_code {
            true => self.of_code(old).is_some_and(|range| range.contains(&new)) && self.starts.contains(&new),
            false => self.is(old, new),
        }
    }

    /// The counterpart of an instruction itself.
    pub fn inst(&self, old: u64) -> Option<u64> {
        self.code.get(&old).map(|(new, _)| *new)
    }

    /// The new address of a byte of a section without code, or of its end.
    fn data_at(&self, old: u64) -> Option<u64> {
        let (start, (end, new)) = self.data.range(..=old).next_back()?;
        (old <= *end).then(|| new.wrapping_add(old - start))
    }
}
