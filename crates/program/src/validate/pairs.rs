//! Pairs of an old and a new address.

use alloc::collections::{BTreeMap, BTreeSet};
use core::ops::RangeInclusive;

use amdgpu_isa::Inst;

/// The counterparts of addresses, as the walk through the code finds them.
#[derive(Default)]
pub struct Pairs {
    /// The new address of each instruction, with the range of new addresses that may stand for it as a target, by its
    /// old address.
    code: BTreeMap<u64, (u64, RangeInclusive<u64>)>,
    /// The addresses of the instructions in the new code, and of its end.
    starts: BTreeSet<u64>,
    /// The old end and the new beginning of each section without code, by the address of its old beginning.
    data: BTreeMap<u64, (u64, u64)>,
    /// The sizes in bytes of the old places in code that a linker fills with parts of addresses, by their addresses.
    filled: BTreeMap<u64, usize>,
}

impl Pairs {
    /// Records the new address of an instruction. `names` is the range from the first to the last new instruction that
    /// may stand for it as a target, because only neutral instructions are between them.
    pub fn add(&mut self, old: u64, new: u64, names: RangeInclusive<u64>) {
        self.code.insert(old, (new, names));
    }

    /// Records the end of code, unless an instruction is at this address.
    pub fn add_end(&mut self, old: u64, new: u64) {
        self.code.entry(old).or_insert((new, new..=new));
    }

    pub fn add_section(&mut self, old: u64, end: u64, new: u64) {
        self.data.insert(old, (end, new));
    }

    /// Records the places in code that a linker fills with parts of addresses, whose relocations are compared apart.
    pub fn set_filled(&mut self, places: BTreeMap<u64, usize>) {
        self.filled = places;
    }

    /// Whether two instructions differ only in a number that a linker fills in. `old` is the address of the first.
    pub fn differ_as_filled(&self, old: u64, one: &Inst, other: &Inst) -> bool {
        let end = old.wrapping_add(one.len() as u64);
        let is_filled = |at: u64| {
            let place =
                self.filled.range(old..end).find(|(place, size)| (**place..**place + **size as u64).contains(&at));
            place.is_some()
        };
        let words = one.words().iter().zip(other.words()).enumerate();
        let mut differing = words.filter(|(_, (a, b))| a != b).map(|(n, _)| old.wrapping_add(4 * n as u64)).peekable();
        one.len() == other.len() && differing.peek().is_some() && differing.all(is_filled)
    }

    /// The new addresses that may stand for an old address. At the border of two sections without code, the address
    /// means the second section.
    pub fn of(&self, old: u64) -> Option<RangeInclusive<u64>> {
        let data = || self.data_at(old).map(|new| new..=new);
        if self.data.contains_key(&old) {
            return data();
        }
        self.of_code(old).or_else(data)
    }

    /// The new addresses that may stand for an old address of code, or of its end.
    pub fn of_code(&self, old: u64) -> Option<RangeInclusive<u64>> {
        self.code.get(&old).map(|(_, names)| names.clone())
    }

    /// Whether the address `new` of the new file may stand for the address `old` of the old file.
    pub fn is(&self, old: u64, new: u64) -> bool {
        let is_code = self.code.contains_key(&old) && !self.data.contains_key(&old);
        self.of(old).is_some_and(|range| range.contains(&new)) && (!is_code || self.starts.contains(&new))
    }

    /// Records the address of an instruction in the new code, or of the end of this code.
    pub fn add_start(&mut self, new: u64) {
        self.starts.insert(new);
    }

    /// The counterpart of an address of code in the middle of an instruction.
    pub fn inside(&self, old: u64) -> Option<u64> {
        let (start, (new, _)) = self.code.range(..old).next_back()?;
        (!self.code.contains_key(&old)).then(|| new.wrapping_add(old - start))
    }

    /// Whether the address `new` of the new file may stand for the address `old` of the old file. `is_code`: whether
    /// `old` is an address of code; otherwise, the result is that of [`Pairs::is`].
    pub fn is_in(&self, is_code: bool, old: u64, new: u64) -> bool {
        match is_code {
            true => self.of_code(old).is_some_and(|range| range.contains(&new)) && self.starts.contains(&new),
            false => self.is(old, new),
        }
    }

    /// The new address of the instruction at an old address.
    pub fn inst(&self, old: u64) -> Option<u64> {
        self.code.get(&old).map(|(new, _)| *new)
    }

    /// The new address of a byte of a section without code, or of its end.
    fn data_at(&self, old: u64) -> Option<u64> {
        let (start, (end, new)) = self.data.range(..=old).next_back()?;
        (old <= *end).then(|| new.wrapping_add(old - start))
    }
}
