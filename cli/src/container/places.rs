//! What a code object knows of addresses: its sections, symbols, pointers and relocations, and the arguments of its kernels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::{NameBudget, elf};
use crate::error::Result;
use crate::escape;

/// What the addresses of a code object stand for. A relocatable one has no addresses yet.
#[derive(Default)]
pub struct Places<'a> {
    /// In the order of their addresses.
    sections: Vec<Part<'a>>,
    /// In the order of their addresses.
    symbols: Vec<Part<'a>>,
    /// The addresses that a loader fills in, with what they are the address of; in order.
    pointers: Vec<(u64, Pointer)>,
    /// The arguments of kernels, by the kernels' names.
    pub arguments: HashMap<Cow<'a, str>, Vec<Argument<'a>>>,
}

/// A section or a symbol.
struct Part<'a> {
    address: u64,
    size: u64,
    name: Cow<'a, str>,
}

/// What the loader writes to a place.
enum Pointer {
    /// The address of a symbol, and what is added to it.
    Symbol(Arc<str>, i64),
    Address(u64),
}

/// An argument of a kernel.
pub struct Argument<'a> {
    /// Its own name, or what it is.
    pub name: Cow<'a, str>,
    /// In bytes, from the begin of the kernel's arguments.
    pub offset: u64,
    pub size: u64,
}

/// What a linker is to put into code.
pub struct Relocation {
    pub address: u64,
    /// The number of its kind.
    pub kind: u32,
    /// The name of the symbol, or of the section.
    pub of: Arc<str>,
    pub addend: i64,
}

/// What is at an address: the name of a symbol or section, and how far behind its beginning.
pub type Named<'p> = (&'p str, i64);

/// Relocations of an address in 64 bits, and of an address in the code object itself.
const ABS64: u32 = 3;
const RELATIVE64: u32 = 13;

impl<'a> Places<'a> {
    /// The places of a code object that is linked. Its symbols come one by one, and then [`Places::sort`].
    pub fn of(file: &elf::File<'a>, headers: &[elf::Section], names: &'a [u8]) -> Places<'a> {
        let mut places = Places::default();
        if file.kind == elf::ET_REL {
            return places;
        }
        let loaded = |section: &&elf::Section| section.flags & elf::SHF_ALLOC != 0 && section.size > 0;
        let part = |section: &elf::Section| {
            let name = escape::name(elf::text(names, section.name)?);
            Some(Part { address: section.address, size: section.size, name })
        };
        places.sections = headers.iter().filter(loaded).filter_map(part).collect();
        places
    }

    pub fn symbol(&mut self, file: &elf::File<'_>, section: &elf::Section, symbol: &elf::Symbol, name: &'a [u8]) {
        if file.kind != elf::ET_REL && section.flags & elf::SHF_ALLOC != 0 {
            self.symbols.push(Part { address: symbol.address, size: symbol.size, name: escape::name(name) });
        }
    }

    pub fn sort(&mut self) {
        self.sections.sort_by_key(|part| part.address);
        // Of several the first by name, as in the listing. Global symbols are in two tables.
        self.symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        self.symbols.dedup_by(|a, b| (a.address, &a.name) == (b.address, &b.name));
        self.pointers.sort_by_key(|(address, _)| *address);
    }

    /// The symbol that an address is in, or else the section.
    pub fn name(&self, address: u64) -> Option<Named<'_>> {
        let of = |part: &'_ Part<'a>| (part.address, part.size);
        let section = before(&self.sections, address).filter(|part| address - part.address <= part.size)?;
        let symbol = before(&self.symbols, address).filter(|symbol| symbol.address >= section.address);
        let (start, size) = symbol.map_or((0, 0), of);
        // A symbol without a size goes on to the next one.
        let part = symbol.filter(|_| address == start || size == 0 || address - start < size).unwrap_or(section);
        Some((&part.name, (address - part.address) as i64))
    }

    /// What the loader writes to an address.
    pub fn pointer(&self, address: u64) -> Option<Named<'_>> {
        let found = self.pointers.binary_search_by_key(&address, |(address, _)| *address).ok()?;
        match &self.pointers.get(found)?.1 {
            Pointer::Address(goal) => self.name(*goal),
            Pointer::Symbol(name, addend) => Some((name, *addend)),
        }
    }
}

/// The first by name of the last parts at or before an address.
fn before<'p, 'a>(parts: &'p [Part<'a>], address: u64) -> Option<&'p Part<'a>> {
    let last = parts.partition_point(|part| part.address <= address).checked_sub(1)?;
    let at = parts.get(last)?.address;
    parts.get(parts.partition_point(|part| part.address < at))
}

/// The names of symbols by their numbers, each of which is read once, and the relocations of sections.
pub struct Names<'n, 'a> {
    file: &'n elf::File<'a>,
    headers: &'n [elf::Section],
    /// The names of sections.
    sections: &'a [u8],
    budget: &'n mut NameBudget,
    known: HashMap<(usize, u32), Option<Arc<str>>>,
    /// The names of each table of symbols.
    strings: HashMap<usize, &'a [u8]>,
    /// The relocations of each section.
    tables: HashMap<usize, &'n elf::Section>,
    /// How many bytes of tables may still be read: those that overlap would be read again and again.
    left: usize,
}

impl<'n, 'a> Names<'n, 'a> {
    pub fn new(
        file: &'n elf::File<'a>,
        headers: &'n [elf::Section],
        sections: &'a [u8],
        budget: &'n mut NameBudget,
    ) -> Self {
        let tables = headers.iter().filter(|table| table.kind == elf::SHT_RELA && table.info != 0);
        let tables = tables.map(|table| (table.info, table)).collect();
        let left = file.bytes.len();
        Names { file, headers, sections, budget, known: HashMap::new(), strings: HashMap::new(), tables, left }
    }

    /// The name of a symbol of a table, or of the section that it stands for.
    fn of(&mut self, table: usize, number: u32) -> Result<Option<Arc<str>>> {
        if let Some(known) = self.known.get(&(table, number)) {
            return Ok(known.clone());
        }
        let name = match self.find(table, number) {
            Some(name) => Some(escape::name(self.budget.spend(name)?).into()),
            None => None,
        };
        self.known.insert((table, number), name.clone());
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
        self.file.relocations(if fits.is_some() { bytes } else { &[] })
    }

    /// The relocations of a section, in the order of their addresses.
    pub fn relocations(&mut self, section: usize) -> Result<Vec<Relocation>> {
        let mut all = Vec::new();
        let Some(table) = self.tables.get(&section).copied().filter(|_| self.file.kind == elf::ET_REL) else {
            return Ok(all);
        };
        let address = self.headers.get(section).map_or(0, |section| section.address);
        for entry in self.entries(table) {
            if let Some(of) = self.of(table.link, entry.symbol)? {
                let address = address.wrapping_add(entry.address);
                all.push(Relocation { address, kind: entry.kind, of, addend: entry.addend });
            }
        }
        all.sort_by_key(|relocation| relocation.address);
        Ok(all)
    }

    /// What a loader fills in, of a file that is linked.
    pub fn pointers(&mut self, places: &mut Places<'a>) -> Result<()> {
        let is_loaded = |table: &&elf::Section| table.kind == elf::SHT_RELA && table.flags & elf::SHF_ALLOC != 0;
        // A file has one of them.
        let Some(table) = self.headers.iter().find(is_loaded).filter(|_| self.file.kind != elf::ET_REL) else {
            return Ok(());
        };
        for entry in self.entries(table) {
            let pointer = match entry.kind {
                RELATIVE64 => Some(Pointer::Address(entry.addend as u64)),
                ABS64 => self.of(table.link, entry.symbol)?.map(|name| Pointer::Symbol(name, entry.addend)),
                _ => None,
            };
            places.pointers.extend(pointer.map(|pointer| (entry.address, pointer)));
        }
        Ok(())
    }
}
