//! Compares relocations that no loader reads: those of objects for a linker, which are compared as if they were linked,
//! and those that a linker has kept.

use alloc::collections::BTreeMap;

use amdgpu_object::elf::{self, Relocation, Section, Symbol};
use amdgpu_object::relocation_kinds::{Base, Formula, Part};

use super::Difference;
use super::pairs::Pairs;
use super::tables::{Files, Side};

impl Side<'_> {
    /// The sizes in bytes of the places without code that a linker fills in, by their addresses.
    pub fn filled(&self) -> BTreeMap<u64, usize> {
        let mut all = BTreeMap::new();
        let kept = self.sections.iter().filter(|table| table.kind == elf::SHT_RELA && !is_loaded(table));
        for table in kept {
            if self.sections.get(table.info).is_some_and(|target| is_loaded(target) && !target.is_code()) {
                let places = self.file.relocations(self.file.contents(table).bytes);
                all.extend(places.filter_map(|place| Some((place.address, Formula::of(place.kind)?.size))));
            }
        }
        all
    }

    /// The symbol of a relocation.
    fn symbol_of(&self, table: &Section, relocation: &Relocation) -> Option<Symbol> {
        let symbols = self.sections.get(table.link)?;
        self.file.symbol(self.file.contents(symbols).bytes, relocation.symbol)
    }
}

fn is_loaded(section: &Section) -> bool {
    section.flags & elf::SHF_ALLOC != 0
}

/// Compares a table of relocations with its counterpart.
pub fn compare(files: &Files<'_>, pairs: &Pairs, table: &Section, one: &[u8], other: &[u8]) -> Result<(), Difference> {
    let Files { old, new, .. } = files;
    let section = |side: &Side<'_>| side.sections.get(table.info).copied().filter(is_loaded);
    let sections = section(old).zip(section(new));
    let mut distances = BTreeMap::new();
    for (a, b) in old.file.relocations(one).zip(new.file.relocations(other)) {
        let is_placed = match sections {
            Some((section, _)) if section.is_code() => {
                pairs.inside(a.address).or_else(|| pairs.inst(a.address)) == Some(b.address)
            }
            Some(_) => pairs.is(a.address, b.address),
            None => a.address == b.address,
        };
        let symbols = old.symbol_of(table, &a).zip(new.symbol_of(table, &b));
        let is_same = match (symbols, Formula::of(a.kind)) {
            (Some((one, other)), Some(formula)) => {
                let ends = [End { side: old, symbol: one, by: a }, End { side: new, symbol: other, by: b }];
                Kept { files, pairs, sections, ends, formula }.is_same(&mut distances)
            }
            _ => a.addend == b.addend,
        };
        if !(is_placed && (a.kind, a.symbol) == (b.kind, b.symbol) && is_same) {
            return Err(Difference::Relocation { old: a.address });
        }
    }
    Ok(())
}

/// A relocation of one of the files.
struct End<'k, 'a> {
    side: &'k Side<'a>,
    symbol: Symbol,
    by: Relocation,
}

impl End<'_, '_> {
    /// The address that it names.
    fn goal(&self) -> u64 {
        self.symbol.address.wrapping_add_signed(self.by.addend)
    }

    /// The addend minus the address of the place: both halves of one distance have the same.
    fn distance(&self) -> i64 {
        self.by.addend.wrapping_sub_unsigned(self.by.address)
    }

    /// The number that a linker writes to its place.
    fn value(&self, formula: Formula) -> u64 {
        formula.value(self.symbol.address, self.by.addend, self.by.address)
    }

    /// Whether its place in a section has the number that a linker writes there.
    fn is_filled(&self, section: &Section, formula: Formula) -> bool {
        let value = self.value(formula).to_le_bytes();
        let bytes = self.side.slice(section, self.by.address, formula.size);
        bytes.is_some() && value.get(..formula.size) == bytes
    }
}

/// A relocation and its counterpart.
struct Kept<'k, 'a> {
    files: &'k Files<'a>,
    pairs: &'k Pairs,
    /// The sections of the places, if they are loaded.
    sections: Option<(Section, Section)>,
    ends: [End<'k, 'a>; 2],
    formula: Formula,
}

impl Kept<'_, '_> {
    /// Whether a linker writes counterparts for both. `distances`: the distances of the lower halves so far in the new
    /// file, by the symbols and distances of the old file.
    fn is_same(&self, distances: &mut BTreeMap<(u32, i64), i64>) -> bool {
        let Kept { files, sections, ends: [a, b], formula, .. } = self;
        let Some((section, new_section)) = sections else { return self.leads() };
        let is_filled = b.is_filled(new_section, *formula);
        let is_still = a.by.addend == b.by.addend && self.is_still(section, new_section);
        match section.is_code() {
            // The walk through the code has compared the numbers there.
            true if !formula.is_relative => self.leads(),
            // Nothing tells where the table of addresses of a linked file is.
            false if formula.base == Base::Entry => is_still && files.old.segments.is_empty(),
            // The walk through the code has compared the addresses that it makes.
            true => {
                let key = (a.by.symbol, a.distance());
                if formula.part != Part::High {
                    distances.insert(key, b.distance());
                }
                // The upper half has the distance of the lower one, and code does not move far.
                let is_whole = distances.get(&key).is_some_and(|lower| *lower == b.distance());
                let is_near = i32::try_from(b.distance().wrapping_sub(a.distance())).is_ok();
                let is_value = formula.base == Base::Entry || is_filled || !a.is_filled(section, *formula);
                is_whole && is_near && is_value
            }
            // The descriptor is compared with its symbol.
            false if files.entries.contains(&a.by.address) => is_filled,
            // A loader writes what is there, which is compared with its own table.
            false if files.pointers.contains(&a.by.address) => self.leads(),
            // Another number than that of the linker has stayed, or the same number is meant.
            false => {
                let is_other = !a.is_filled(section, *formula) || a.value(*formula) == b.value(*formula);
                self.leads() && is_filled || is_still && is_other
            }
        }
    }

    /// Whether both name counterparts.
    fn leads(&self) -> bool {
        let [a, b] = &self.ends;
        let section = self.files.old.sections.get(usize::from(a.symbol.section)).filter(|section| is_loaded(section));
        match section.is_some_and(Section::is_code) {
            true => self.pairs.is_in(true, a.goal(), b.goal()) || self.pairs.inside(a.goal()) == Some(b.goal()),
            false => a.by.addend == b.by.addend,
        }
    }

    /// Whether both places have the same bytes.
    fn is_still(&self, section: &Section, new_section: &Section) -> bool {
        let [a, b] = &self.ends;
        let bytes = a.side.slice(section, a.by.address, self.formula.size);
        bytes.is_some() && bytes == b.side.slice(new_section, b.by.address, self.formula.size)
    }
}
