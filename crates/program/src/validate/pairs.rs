//! Which address of the new file is which of the old one.

use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::RangeInclusive;

/// The counterparts of addresses of code, as they were found by walking.
#[derive(Default)]
pub struct Pairs {
    /// By the old address of an instruction: where it is, and where it may be named.
    code: BTreeMap<u64, (u64, RangeInclusive<u64>)>,
    /// Where the instructions of the new code begin.
    starts: BTreeSet<u64>,
    /// The addresses of other sections: where they begin and end in the old file, and begin in the new one.
    data: BTreeMap<u64, (u64, u64)>,
}

impl Pairs {
    /// `names`: from the first to the last instruction that is as good for who comes from elsewhere, because only neutral ones
    /// are between them and what both files have.
    pub fn add(&mut self, old: u64, new: u64, names: RangeInclusive<u64>) {
        self.code.insert(old, (new, names));
    }

    pub fn add_section(&mut self, old: u64, end: u64, new: u64) {
        self.data.insert(old, (end, new));
    }

    /// Where what was at an address may be named. Where a section begins that has no code, its first byte is meant.
    pub fn of(&self, old: u64) -> Option<RangeInclusive<u64>> {
        let data = || self.data_at(old).map(|new| new..=new);
        if self.data.contains_key(&old) {
            return data();
        }
        self.of_code(old).or_else(data)
    }

    /// Where code may be named that was at an address, or its end.
    pub fn of_code(&self, old: u64) -> Option<RangeInclusive<u64>> {
        self.code.get(&old).map(|(_, names)| names.clone())
    }

    /// Whether an address of the new file may stand for one of the old file.
    pub fn is(&self, old: u64, new: u64) -> bool {
        let is_code = self.code.contains_key(&old) && !self.data.contains_key(&old);
        self.of(old).is_some_and(|range| range.contains(&new)) && (!is_code || self.starts.contains(&new))
    }

    /// Takes note of an instruction of the new code, or of its end.
    pub fn add_start(&mut self, new: u64) {
        self.starts.insert(new);
    }

    /// The counterpart of an address of code in the middle of an instruction.
    pub fn inside(&self, old: u64) -> Option<u64> {
        let (start, (new, _)) = self.code.range(..old).next_back()?;
        (!self.code.contains_key(&old)).then(|| new.wrapping_add(old - start))
    }

    /// [`Pairs::is`] of what a section has that has code, if `is_code`.
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

    /// Where a byte of a section without code is, or its end.
    fn data_at(&self, old: u64) -> Option<u64> {
        let (start, (end, new)) = self.data.range(..=old).next_back()?;
        (old <= *end).then(|| new.wrapping_add(old - start))
    }
}
