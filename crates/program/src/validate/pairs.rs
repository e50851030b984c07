//! Which address of the new file is which of the old one.

use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::RangeInclusive;

/// The counterparts of addresses of code, as they were found by walking.
#[derive(Default)]
pub struct Pairs {
    /// By the old address of an instruction: where it is, and where the neutral instructions in front of it begin.
    code: BTreeMap<u64, (u64, u64)>,
    /// Where the instructions of the new code begin.
    starts: BTreeSet<u64>,
    /// The addresses of other sections: where they begin and end in the old file, and begin in the new one.
    data: BTreeMap<u64, (u64, u64)>,
}

impl Pairs {
    pub fn add(&mut self, old: u64, new: u64, run: u64) {
        self.code.insert(old, (new, run));
    }

    pub fn add_section(&mut self, old: u64, end: u64, new: u64) {
        self.data.insert(old, (end, new));
    }

    /// Where what was at an address may be named: at its counterpart, or at a neutral instruction in front of that.
    pub fn of(&self, old: u64) -> Option<RangeInclusive<u64>> {
        if let Some((new, run)) = self.code.get(&old) {
            return Some(*run..=*new);
        }
        let new = self.data_at(old)?;
        Some(new..=new)
    }

    /// Whether an address of the new file may stand for one of the old file.
    pub fn is(&self, old: u64, new: u64) -> bool {
        let is_start = || !self.code.contains_key(&old) || self.starts.contains(&new);
        self.of(old).is_some_and(|range| range.contains(&new)) && is_start()
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
