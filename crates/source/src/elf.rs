//! The tables of an ELF file: sections, symbols, relocations and groups with their names.

use std::collections::BTreeMap;

use amdgpu_object::elf::{
    self, File, SHN_LORESERVE, SHN_XINDEX, SHT_DYNSYM, SHT_REL, SHT_RELA, SHT_SYMTAB, SHT_SYMTAB_SHNDX, Section, text,
    texts,
};
use amdgpu_object::{ElfPart, ErrorKind};
use object::elf::{GRP_COMDAT, SHT_GROUP};

use crate::error::Error;

type Result<T> = std::result::Result<T, Error>;

/// A file of 64 bits with its tables.
pub struct Elf<'a> {
    pub file: File<'a>,
    /// The headers of all sections. Section 0 has no contents.
    pub sections: Vec<Section>,
    names: &'a [u8],
    pub symbols: Option<Symbols<'a>>,
    /// The symbols that a loader reads.
    pub dynamic: Option<Symbols<'a>>,
    /// The tables of relocations of each section that has some, by numbers of sections.
    relocations: BTreeMap<usize, Vec<usize>>,
}

/// A table of symbols.
pub struct Symbols<'a> {
    /// The number of the table's section.
    number: usize,
    entries: &'a [u8],
    names: &'a [u8],
    /// The numbers of the symbols' sections that do not fit in the symbols, as words.
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
    /// The numbers of the sections and of their relocations.
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
        let mut elf = Elf { file, sections, names, symbols: None, dynamic: None, relocations };
        elf.symbols = elf.table(SHT_SYMTAB)?;
        elf.dynamic = elf.table(SHT_DYNSYM)?;
        Ok(elf)
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
        let names = self.sections.get(section.link).map_or(Ok(&[][..]), |names| self.bytes(names))?;
        let is_numbers = |other: &&Section| other.kind == SHT_SYMTAB_SHNDX && other.link == number;
        let long_numbers = self.sections.iter().find(is_numbers).map_or(Ok(&[][..]), |of| self.bytes(of))?;
        Ok(Some(Symbols { number, entries: self.bytes(section)?, names: texts(names), long_numbers }))
    }

    /// The symbols of a table from the first one that is not empty, with their names.
    pub fn named(&self, table: &Option<Symbols<'a>>) -> impl Iterator<Item = Named<'a>> {
        let numbers = |table: &Symbols<'_>| 1..(table.entries.len() / elf::wide::SYMBOL) as u32;
        let all = table.iter().flat_map(move |table| numbers(table).map(move |n| (table, n)));
        all.map_while(|(table, number)| self.symbol(table, number)).collect::<Vec<_>>().into_iter()
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

    /// The relocations of a section with symbols of the table of all symbols.
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
            let open = |relocation| Open { relocation, has_addend };
            match has_addend {
                true => all.extend(self.file.relocations(bytes).map(open)),
                false => all.extend(self.file.short_relocations(bytes).map(open)),
            }
        }
        Ok(all)
    }

    /// The groups whose symbols have names.
    pub fn groups(&self) -> impl Iterator<Item = Group<'a>> {
        self.sections.iter().filter(|section| section.kind == SHT_GROUP).filter_map(|section| {
            let symbol = self.symbol(self.symbols.as_ref()?, u32::try_from(section.info).ok()?)?;
            let words = self.bytes(section).ok()?.chunks_exact(4);
            let mut words = words.filter_map(|word| word.first_chunk().map(|word| u32::from_le_bytes(*word)));
            let is_comdat = words.next()? & GRP_COMDAT != 0;
            let name = std::str::from_utf8(symbol.name?).ok()?;
            Some(Group { name, is_comdat, members: words.map(|number| number as usize).collect() })
        })
    }
}
