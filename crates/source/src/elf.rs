//! The tables of an ELF file: sections, symbols, relocations and groups with their names.

use std::cell::Cell;
use std::collections::BTreeMap;

use amdgpu_object::elf::{
    self, File, SHN_LORESERVE, SHN_XINDEX, SHT_DYNSYM, SHT_REL, SHT_RELA, SHT_STRTAB, SHT_SYMTAB, SHT_SYMTAB_SHNDX,
    Section, text, texts,
};
use amdgpu_object::{ElfPart, ErrorKind};
use object::elf::{GRP_COMDAT, SHT_GROUP};

use crate::error::Error;

type Result<T> = std::result::Result<T, Error>;

/// The greatest sum of the lengths of symbols' names, as a multiple of the file's length. Names that end alike share
/// their bytes, but not as often as this.
const MOST_NAMES: usize = 64;

/// A file of 64 bits with its tables.
pub struct Elf<'a> {
    pub file: File<'a>,
    /// The headers of all sections. Section 0 has no contents.
    pub sections: Vec<Section>,
    names: &'a [u8],
    pub symbols: Option<Symbols<'a>>,
    /// The symbols that a loader reads.
    pub dynamic: Option<Symbols<'a>>,
    /// For each section that has relocations: the numbers of the sections with these tables.
    relocations: BTreeMap<usize, Vec<usize>>,
    /// The number of relocations that may still be read. Tables that overlap could have any number of them.
    left: Cell<usize>,
}

/// A table of symbols.
pub struct Symbols<'a> {
    /// The number of the table's section.
    number: usize,
    entries: &'a [u8],
    names: &'a [u8],
    /// A word for each symbol: the number of its section, if the number does not fit in the symbol's own field.
    long_numbers: &'a [u8],
}

/// A symbol with its name.
pub struct Named<'a> {
    pub symbol: elf::Symbol,
    /// The bytes of the name; `None` if the table of names does not have it.
    pub name: Option<&'a [u8]>,
    /// The number of the symbol's section, if it is in one.
    pub section: Option<usize>,
}

impl<'a> Named<'a> {
    /// The name, which has to be a text.
    pub fn text(&self) -> Result<&'a str> {
        let name = self.name.and_then(|name| std::str::from_utf8(name).ok());
        name.ok_or(Error::Lacking("a symbol has no name that is a text"))
    }
}

/// A relocation of a section.
pub struct Open {
    pub relocation: elf::Relocation,
    /// Whether the table has the addend. If not, it is at the place of the relocation.
    pub has_addend: bool,
}

/// A group of sections.
pub struct Group<'a> {
    /// The name of the symbol that names the group.
    pub name: &'a str,
    /// Whether other objects may have the group, too.
    pub is_comdat: bool,
    /// The numbers of the group's sections. Tables of relocations are among them.
    pub members: Vec<usize>,
}

impl<'a> Elf<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Elf<'a>> {
        let file = File::parse(bytes).map_err(Error::Elf)?;
        if !file.is_64 || !file.is_little {
            return Err(Error::Format);
        }
        let (sections, missing) = file.sections();
        if let Some(missing) = missing {
            return Err(Error::Elf(missing));
        }
        let mut relocations = BTreeMap::<usize, Vec<usize>>::new();
        for (number, section) in sections.iter().enumerate() {
            if [SHT_REL, SHT_RELA].contains(&section.kind) {
                relocations.entry(section.info).or_default().push(number);
            }
        }
        let names = file.section_names(&sections);
        let left = Cell::new(bytes.len() / elf::wide::SHORT_RELOCATION);
        let mut elf = Elf { file, sections, names, symbols: None, dynamic: None, relocations, left };
        elf.symbols = elf.table(SHT_SYMTAB)?;
        elf.dynamic = elf.table(SHT_DYNSYM)?;
        if elf.is_object() {
            elf.check_relocations()?;
            let lacks_section = |named: Named<'_>| match named.section {
                Some(number) => number >= elf.sections.len(),
                None => named.symbol.section == SHN_XINDEX,
            };
            if elf.named(&elf.symbols).any(lacks_section) {
                return Err(Error::Lacking("a symbol is in a section that does not exist"));
            }
        }
        Ok(elf)
    }

    /// Fails if relocations of an object for a linker are in a form that is not read, belong to no section, or name
    /// symbols of another table.
    fn check_relocations(&self) -> Result<()> {
        if self.sections.iter().any(|section| section.kind == elf::SHT_CREL) {
            return Err(Error::CompactRelocations);
        }
        let of_symbols = self.symbols.as_ref().map(|table| table.number);
        for (of, tables) in &self.relocations {
            let tables = tables.iter().filter_map(|n| self.sections.get(*n));
            if tables.clone().any(|table| table.size > 0 && Some(table.link) != of_symbols) {
                return Err(Error::Lacking("relocations name symbols of no table"));
            }
            if tables.clone().any(|table| table.size > 0) && !(1..self.sections.len()).contains(of) {
                return Err(Error::Lacking("relocations belong to no section"));
            }
            let is_cut = |table: &Section| {
                let entry = if table.kind == SHT_RELA { elf::wide::RELOCATION } else { elf::wide::SHORT_RELOCATION };
                table.size % entry as u64 != 0
            };
            if tables.clone().any(is_cut) {
                return Err(Error::Lacking("a table of relocations ends in the middle of one"));
            }
        }
        Ok(())
    }

    /// Whether the file is an object for a linker.
    pub fn is_object(&self) -> bool {
        self.file.kind == elf::ET_REL
    }

    /// The sections with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &Section)> {
        self.sections.iter().enumerate().skip(1)
    }

    pub fn name(&self, section: &Section) -> Result<&'a str> {
        let name = text(self.names, section.name).and_then(|name| std::str::from_utf8(name).ok());
        name.ok_or(Error::Lacking("a section has no name that is a text"))
    }

    /// The bytes of a section; empty if it has none in the file.
    pub fn bytes(&self, section: &Section) -> Result<&'a [u8]> {
        let data = self.file.contents(section);
        match data.missing {
            None => Ok(data.bytes),
            Some(fault) => {
                Err(Error::Elf(ErrorKind::Elf { part: ElfPart::Section(self.name(section)?.into()), fault }))
            }
        }
    }

    /// The first table of symbols of this type.
    fn table(&self, kind: u32) -> Result<Option<Symbols<'a>>> {
        let Some((number, section)) = self.numbered().find(|(_, section)| section.kind == kind) else {
            return Ok(None);
        };
        let names = self.sections.get(section.link).filter(|names| names.kind == SHT_STRTAB);
        let names = self.bytes(names.ok_or(Error::Lacking("the table of symbols has no table of names"))?)?;
        let is_numbers = |other: &&Section| other.kind == SHT_SYMTAB_SHNDX && other.link == number;
        let long_numbers = self.sections.iter().find(is_numbers).map_or(Ok(&[][..]), |of| self.bytes(of))?;
        let entries = self.bytes(section)?;
        if entries.len() % elf::wide::SYMBOL != 0 {
            return Err(Error::Lacking("the table of symbols ends in the middle of a symbol"));
        }
        let symbols = Symbols { number, entries, names: texts(names), long_numbers };
        let len = |named: Named<'_>| named.name.map_or(0, <[u8]>::len);
        let most = self.file.bytes.len().saturating_mul(MOST_NAMES);
        let total = self
            .symbols_of(&symbols)
            .try_fold(0, |sum: usize, named| Some(sum + len(named)).filter(|sum| *sum <= most));
        total.map(|_| Some(symbols)).ok_or(Error::Lacking("the names of symbols overlap too often"))
    }

    /// The symbols of a table with their names, from symbol 1 on. Symbol 0 is none.
    fn symbols_of<'s>(&'s self, table: &'s Symbols<'a>) -> impl Iterator<Item = Named<'a>> + use<'s, 'a> {
        let numbers = 1..(table.entries.len() / elf::wide::SYMBOL) as u32;
        numbers.map_while(|number| self.symbol(table, number))
    }

    /// The symbols of a table with their names, from symbol 1 on.
    pub fn named<'s>(&'s self, table: &'s Option<Symbols<'a>>) -> impl Iterator<Item = Named<'a>> + use<'s, 'a> {
        table.iter().flat_map(|table| self.symbols_of(table))
    }

    /// The symbol with this number in a table.
    pub fn symbol(&self, table: &Symbols<'a>, number: u32) -> Option<Named<'a>> {
        let symbol = self.file.symbol(table.entries, number)?;
        let section = match symbol.section {
            0 => None,
            SHN_XINDEX => {
                let words = table.long_numbers.get(usize::try_from(number).ok()?.checked_mul(4)?..);
                words.and_then(|words| words.first_chunk()).map(|word| u32::from_le_bytes(*word) as usize)
            }
            SHN_LORESERVE.. => None,
            section => Some(section.into()),
        };
        Some(Named { symbol, name: text(table.names, symbol.name), section })
    }

    /// The relocations of a section, which name symbols in `symbols`.
    pub fn relocations(&self, section: usize) -> Result<Vec<Open>> {
        let of_symbols = self.symbols.as_ref().map(|table| table.number);
        let tables = self.relocations.get(&section).into_iter().flatten().filter_map(|n| self.sections.get(*n));
        self.read_relocations(tables.filter(|table| Some(table.link) == of_symbols))
    }

    /// The relocations for a loader.
    pub fn loaded_relocations(&self) -> Result<Vec<Open>> {
        let of_symbols = self.dynamic.as_ref().map(|table| table.number);
        let is_table = |section: &&Section| [SHT_REL, SHT_RELA].contains(&section.kind);
        let tables = self.sections.iter().filter(is_table);
        self.read_relocations(tables.filter(|table| Some(table.link) == of_symbols))
    }

    fn read_relocations<'s>(&self, tables: impl Iterator<Item = &'s Section>) -> Result<Vec<Open>> {
        let mut all = Vec::new();
        for table in tables {
            let (bytes, has_addend) = (self.bytes(table)?, table.kind == SHT_RELA);
            let count = bytes.len() / elf::wide::SHORT_RELOCATION;
            let left = self.left.get().checked_sub(count).ok_or(Error::Lacking("tables of relocations overlap"))?;
            self.left.set(left);
            let open = |relocation| Open { relocation, has_addend };
            match has_addend {
                true => all.extend(self.file.relocations(bytes).map(open)),
                false => all.extend(self.file.short_relocations(bytes).map(open)),
            }
        }
        Ok(all)
    }

    /// The groups of sections.
    pub fn groups(&self) -> Result<Vec<Group<'a>>> {
        let (mut all, mut left) = (Vec::new(), self.file.bytes.len() / 4);
        for section in self.sections.iter().filter(|section| section.kind == SHT_GROUP) {
            let number = u32::try_from(section.info).ok();
            let symbol = self.symbols.as_ref().zip(number).and_then(|(table, number)| self.symbol(table, number));
            let bytes = self.bytes(section)?;
            left = left.checked_sub(bytes.len() / 4).ok_or(Error::Lacking("groups of sections overlap"))?;
            let mut words = bytes.chunks_exact(4).filter_map(<[u8]>::first_chunk).map(|word| u32::from_le_bytes(*word));
            let symbol = symbol.ok_or(Error::Lacking("a group has no symbol"))?;
            let named_section = symbol.section.filter(|_| symbol.symbol.kind == elf::STT_SECTION);
            let name = match named_section.and_then(|number| self.sections.get(number)) {
                Some(section) => self.name(section)?,
                None => symbol.text()?,
            };
            let is_comdat = words.next().unwrap_or(0) & GRP_COMDAT != 0;
            all.push(Group { name, is_comdat, members: words.map(|number| number as usize).collect() });
        }
        Ok(all)
    }
}
