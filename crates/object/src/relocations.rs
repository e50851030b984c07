//! Relocations of code objects, for a linker and for a loader.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use crate::address_map::{AddressMap, Pointer};
use crate::error::ErrorKind;
use crate::image::FAR;
use crate::nesting::NameBudget;
use crate::relocation_kinds::{ABS64, Base, Formula, Part, RELATIVE64};
use crate::{Name, Relocation, elf};

/// The relocations of sections, and the names of symbols by their numbers. Each name is read once.
pub struct Names<'n, 'a> {
    file: &'n elf::File<'a>,
    headers: &'n [elf::Section],
    /// The names of sections.
    sections: &'a [u8],
    budget: &'n mut NameBudget,
    known: BTreeMap<(usize, u32), Option<Name<'a>>>,
    /// The table of names of each table of symbols, by the number of the table of symbols.
    strings: BTreeMap<usize, &'a [u8]>,
    /// The table of relocations of each section, by the number of the section.
    tables: BTreeMap<usize, &'n elf::Section>,
    /// The number of bytes of tables that may still be read, because tables that overlap would be read again and again.
    left: usize,
}

impl<'n, 'a> Names<'n, 'a> {
    pub fn new(
        file: &'n elf::File<'a>,
        headers: &'n [elf::Section],
        sections: &'a [u8],
        budget: &'n mut NameBudget,
    ) -> Self {
        let tables =
            headers.iter().filter(|table| [elf::SHT_RELA, elf::SHT_REL].contains(&table.kind) && table.info != 0);
        let tables = tables.map(|table| (table.info, table)).collect();
        let left = file.bytes.len();
        Names { file, headers, sections, budget, known: BTreeMap::new(), strings: BTreeMap::new(), tables, left }
    }

    /// The name of a symbol of a table, or of the section that the symbol stands for.
    fn of(&mut self, table: usize, number: u32) -> Result<Option<Name<'a>>, ErrorKind> {
        if let Some(known) = self.known.get(&(table, number)) {
            return Ok(*known);
        }
        let name = match self.find(table, number) {
            Some(name) => Some(self.budget.spend(name)?.into()),
            None => None,
        };
        self.known.insert((table, number), name);
        Ok(name)
    }

    fn find(&mut self, table: usize, number: u32) -> Option<&'a [u8]> {
        let (file, headers) = (self.file, self.headers);
        let symbols = headers.get(table)?;
        let symbol = file.symbol(file.contents(symbols).bytes, number)?;
        if symbol.kind == elf::STT_SECTION {
            let section = headers.get(usize::from(symbol.section))?;
            return elf::text(self.sections, section.name);
        }
        let read = || headers.get(symbols.link).map_or(&[][..], |strings| elf::texts(file.contents(strings).bytes));
        let strings = self.strings.entry(table).or_insert_with(read);
        elf::text(strings, symbol.name).filter(|name| !name.is_empty())
    }

    fn entries(&mut self, table: &elf::Section) -> impl Iterator<Item = elf::Relocation> + use<'n, 'a> {
        let bytes = self.file.contents(table).bytes;
        let fits = self.left.checked_sub(bytes.len());
        self.left = fits.unwrap_or(self.left);
        self.list(table, if fits.is_some() { bytes } else { &[] })
    }

    /// The entries in the bytes of a table. Entries without addends get the numbers at their places.
    fn list(&self, table: &elf::Section, bytes: &'a [u8]) -> impl Iterator<Item = elf::Relocation> + use<'n, 'a> {
        let (file, is_short) = (self.file, table.kind == elf::SHT_REL);
        let section = self.headers.get(table.info).map_or(&[][..], |section| file.contents(section).bytes);
        let (short, long) = if is_short { (bytes, &[][..]) } else { (&[][..], bytes) };
        let short = file.short_relocations(short).map(|entry| {
            let place = usize::try_from(entry.address).ok().and_then(|at| section.get(at..));
            let addend = place.zip(Formula::of(entry.kind)).map_or(0, |(place, formula)| formula.addend_at(place));
            elf::Relocation { addend, ..entry }
        });
        short.chain(file.relocations(long))
    }

    /// The relocations of a section, in the order of their addresses.
    pub fn relocations(&mut self, section: usize) -> Result<Vec<Relocation<'a>>, ErrorKind> {
        let mut all = Vec::new();
        let Some(table) = self.tables.get(&section).copied().filter(|_| self.file.kind == elf::ET_REL) else {
            return Ok(all);
        };
        let address = self.headers.get(section).map_or(0, |section| section.address);
        for entry in self.entries(table) {
            if let Some(symbol) = self.of(table.link, entry.symbol)? {
                let address = address.wrapping_add(entry.address);
                all.push(Relocation { address, kind: entry.kind, symbol, addend: entry.addend });
            }
        }
        all.sort_by_key(|relocation| relocation.address);
        Ok(all)
    }

    /// The code of a section of an object for a linker, with the distances to the section's own symbols filled in.
    /// Branches to other sections stay unchanged, and all other relocations get values at or near the address [`FAR`].
    /// `None` if the section has no relocations.
    pub fn filled(&mut self, section: usize, code: &[u8]) -> Option<Vec<u8>> {
        let table = self.tables.get(&section).copied().filter(|_| self.file.kind == elf::ET_REL)?;
        let symbols = self.headers.get(table.link).map_or(&[][..], |symbols| self.file.contents(symbols).bytes);
        let mut filled = code.to_vec();
        for entry in self.list(table, self.file.contents(table).bytes) {
            let Some(formula) = Formula::of(entry.kind) else { continue };
            let symbol = self.file.symbol(symbols, entry.symbol);
            let is_own = |symbol: &elf::Symbol| usize::from(symbol.section) == section;
            if formula.part == Part::Dwords && !symbol.as_ref().is_some_and(is_own) {
                continue;
            }
            let own = symbol.filter(is_own).filter(|_| formula.base == Base::Symbol && formula.is_relative);
            let value = formula.value(own.map_or(FAR, |symbol| symbol.address), entry.addend, entry.address);
            let at = usize::try_from(entry.address).ok().and_then(|at| filled.get_mut(at..)?.get_mut(..formula.size));
            if let Some(at) = at {
                at.iter_mut().zip(value.to_le_bytes()).for_each(|(to, from)| *to = from);
            }
        }
        Some(filled)
    }

    /// Adds to `map` the places of a linked file that a loader fills in.
    pub fn pointers(&mut self, map: &mut AddressMap<'a>) -> Result<(), ErrorKind> {
        let loaded = |kind: u32| {
            let is_loaded = |table: &&elf::Section| table.kind == kind && table.is_loaded();
            // A file has at most one loaded table of each kind.
            self.headers.iter().find(is_loaded).filter(|_| self.file.kind != elf::ET_REL)
        };
        let (table, packed) = (loaded(elf::SHT_RELA), loaded(elf::SHT_RELR));
        if let Some(packed) = packed {
            let is_held =
                |section: &&elf::Section| section.is_loaded() && section.kind != elf::SHT_NOBITS && section.size > 0;
            let mut sections: Vec<&elf::Section> = self.headers.iter().filter(is_held).collect();
            sections.sort_by_key(|section| section.address);
            let value = |place: u64| {
                let last = sections.partition_point(|section| section.address <= place).checked_sub(1)?;
                let section = sections.get(last)?;
                let from = Some(place - section.address).filter(|from| *from < section.size)?;
                let bytes = self.file.data(section.offset.checked_add(from)?, 8).bytes;
                bytes.try_into().ok().map(u64::from_le_bytes)
            };
            let all = self.file.packed_relocations(self.file.contents(packed).bytes);
            map.pointers.extend(all.filter_map(|place| Some((place, Pointer::Address(value(place)?)))));
        }
        let Some(table) = table else { return Ok(()) };
        for entry in self.entries(table) {
            let pointer = match entry.kind {
                RELATIVE64 => Some(Pointer::Address(entry.addend as u64)),
                ABS64 => self.of(table.link, entry.symbol)?.map(|name| Pointer::Symbol(name, entry.addend)),
                _ => None,
            };
            map.pointers.extend(pointer.map(|pointer| (entry.address, pointer)));
        }
        Ok(())
    }
}
