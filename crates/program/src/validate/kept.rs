//! Compares relocations that no loader reads: the relocations of objects for a linker, which are compared as if they
//! were linked, and relocations that a linker has kept (`--emit-relocs`).

use alloc::collections::BTreeMap;

use amdgpu_object::elf::{self, Relocation, Section, Symbol};
use amdgpu_object::relocation_kinds::{Base, Formula, Part};

use super::Difference;
use super::pairs::Pairs;
use super::tables::{Files, Side};

impl Side<'_> {
    /// The sizes in bytes of the places that a linker fills in outside of code, by their addresses.
    pub fn filled(&self) -> BTreeMap<u64, usize> {
        self.places(false, |_| true)
    }

    /// The sizes in bytes of the places in code that a linker fills with parts of addresses, and not of distances.
    pub fn filled_in_code(&self) -> BTreeMap<u64, usize> {
        self.places(true, |formula| !formula.is_relative && formula.base == Base::Symbol)
    }

    fn places(&self, in_code: bool, is_one: impl Fn(&Formula) -> bool) -> BTreeMap<u64, usize> {
        let mut all = BTreeMap::new();
        let kept = self.sections.iter().filter(|table| table.kind == elf::SHT_RELA && !is_loaded(table));
        for table in kept {
            if self.sections.get(table.info).is_some_and(|target| is_loaded(target) && target.is_code() == in_code) {
                let places = self.file.relocations(self.file.contents(table).bytes);
                let formulas = places.filter_map(|place| Some((place.address, Formula::of(place.kind)?)));
                all.extend(
                    formulas.filter(|(_, formula)| is_one(formula)).map(|(place, formula)| (place, formula.size)),
                );
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
    section.is_loaded()
}

/// Compares a table of relocations with its counterpart.
pub fn compare(files: &Files<'_>, pairs: &Pairs, table: &Section, one: &[u8], other: &[u8]) -> Result<(), Difference> {
    let Files { old, new, .. } = files;
    let section = |side: &Side<'_>| side.sections.get(table.info).copied().filter(is_loaded);
    let sections = section(old).zip(section(new));
    let mut lower = Lower::default();
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
                Kept { files, pairs, sections, ends, formula }.is_same(&mut lower)
            }
            _ => a.addend == b.addend,
        };
        if !(is_placed && (a.kind, a.symbol) == (b.kind, b.symbol) && is_same) {
            return Err(Difference::Relocation { old: a.address });
        }
    }
    Ok(())
}

/// The relocations so far that are not for upper halves of distances.
#[derive(Default)]
struct Lower {
    /// The distances in the new file, by the symbols and distances in the old file.
    distances: BTreeMap<(u32, i64), i64>,
    /// The change of the distance of the last such relocation with each symbol.
    last: BTreeMap<u32, i64>,
}

impl Lower {
    /// Whether a relocation is not for an upper half, or changes as the relocation of its lower half does. The lower
    /// half is the earlier relocation with the same symbol and distance. In a source that states another distance for
    /// each half, the lower half is the last earlier relocation with the same symbol.
    fn goes_with(&mut self, part: Part, symbol: u32, old: i64, new: i64) -> bool {
        let change = new.wrapping_sub(old);
        if part != Part::High {
            self.distances.insert((symbol, old), new);
            self.last.insert(symbol, change);
            return true;
        }
        match self.distances.get(&(symbol, old)) {
            Some(lower) => *lower == new,
            None => self.last.get(&symbol) == Some(&change),
        }
    }
}

/// A relocation of one of the files.
struct End<'k, 'a> {
    side: &'k Side<'a>,
    symbol: Symbol,
    by: Relocation,
}

impl End<'_, '_> {
    /// The address of the symbol, plus the addend.
    fn goal(&self) -> u64 {
        self.symbol.address.wrapping_add_signed(self.by.addend)
    }

    /// The addend minus the address of the place, which is equal for both halves of a distance.
    fn distance(&self) -> i64 {
        self.by.addend.wrapping_sub_unsigned(self.by.address)
    }

    /// The number that a linker writes for the relocation.
    fn value(&self, formula: Formula) -> u64 {
        formula.value(self.symbol.address, self.by.addend, self.by.address)
    }

    /// Whether the place of the relocation holds the number that a linker writes.
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
    /// The old and the new section that the relocations apply to, if they are loaded.
    sections: Option<(Section, Section)>,
    ends: [End<'k, 'a>; 2],
    formula: Formula,
}

impl Kept<'_, '_> {
    /// Whether a linker writes numbers with the same meaning for both relocations. `lower`: the relocations so far that
    /// are not for upper halves.
    fn is_same(&self, lower: &mut Lower) -> bool {
        let Kept { files, sections, ends: [a, b], formula, .. } = self;
        let Some((section, new_section)) = sections else { return self.leads() };
        let is_filled = b.is_filled(new_section, *formula);
        let is_still = a.by.addend == b.by.addend && self.is_still(section, new_section);
        match section.is_code() {
            // The walk through the code passes over these numbers, so they have to be those of the linker, or
            // unchanged.
            true if !formula.is_relative => self.leads() && (is_filled || is_still),
            // The place of the table of addresses (GOT) in a linked file is not known.
            false if formula.base == Base::Entry => is_still && files.old.segments.is_empty(),
            // The walk through the code has compared the addresses that the code makes.
            true => {
                // The upper half must change as the lower half does, and the distance must change by less than 2 GiB.
                let is_whole = lower.goes_with(formula.part, a.by.symbol, a.distance(), b.distance());
                let is_near = i32::try_from(b.distance().wrapping_sub(a.distance())).is_ok();
                let is_value = formula.base == Base::Entry || is_filled || !a.is_filled(section, *formula);
                is_whole && is_near && is_value
            }
            // The descriptor is compared together with its symbol.
            false if files.entries.contains(&a.by.address) => is_filled,
            // A loader writes the value, which is compared together with the loader's table.
            false if files.pointers.contains(&a.by.address) => self.leads(),
            // A place that did not hold the linker's number, or whose number need not change, may also stay as it is.
            false => {
                let is_other = !a.is_filled(section, *formula) || a.value(*formula) == b.value(*formula);
                self.leads() && is_filled || is_still && is_other
            }
        }
    }

    /// Whether the addresses that both relocations name are counterparts.
    fn leads(&self) -> bool {
        let [a, b] = &self.ends;
        let section = self.files.old.sections.get(usize::from(a.symbol.section)).filter(|section| is_loaded(section));
        match section.is_some_and(Section::is_code) {
            true => self.pairs.is_in(true, a.goal(), b.goal()) || self.pairs.inside(a.goal()) == Some(b.goal()),
            false => a.by.addend == b.by.addend,
        }
    }

    /// Whether the places of both relocations have the same bytes.
    fn is_still(&self, section: &Section, new_section: &Section) -> bool {
        let [a, b] = &self.ends;
        let bytes = a.side.slice(section, a.by.address, self.formula.size);
        bytes.is_some() && bytes == b.side.slice(new_section, b.by.address, self.formula.size)
    }
}
