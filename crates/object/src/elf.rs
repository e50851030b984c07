//! ELF files, read so that damage to one part does not hide the other parts: every table and section is read
//! separately, and cut off at the end of the file.
//!
//! This layer below [`visit`](crate::visit) is for programs that need headers, symbol tables and relocations as they
//! are.

pub mod wide;

use alloc::vec::Vec;

use crate::error::{ElfFault, ElfPart, ErrorKind};

/// A section of the program's own data or code.
pub const SHT_PROGBITS: u32 = 1;
/// The table of all symbols.
pub const SHT_SYMTAB: u32 = 2;
/// A table of strings.
pub const SHT_STRTAB: u32 = 3;
/// A table of relocations with addends.
pub const SHT_RELA: u32 = 4;
/// A table by which a loader finds symbols.
pub const SHT_HASH: u32 = 5;
/// The table that tells a loader what to load and relocate.
pub const SHT_DYNAMIC: u32 = 6;
/// The type of sections of notes.
pub const SHT_NOTE: u32 = 7;
/// A section without bytes in the file.
pub const SHT_NOBITS: u32 = 8;
/// A table of relocations without addends.
pub const SHT_REL: u32 = 9;
/// The table of symbols that a loader reads.
pub const SHT_DYNSYM: u32 = 11;
/// Pointers to functions that run at the start.
pub const SHT_INIT_ARRAY: u32 = 14;
/// Pointers to functions that run at the end.
pub const SHT_FINI_ARRAY: u32 = 15;
/// Pointers to functions that run before those of [`SHT_INIT_ARRAY`].
pub const SHT_PREINIT_ARRAY: u32 = 16;
/// A table with the section number of each symbol, in files with more sections than a symbol's own field can name.
pub const SHT_SYMTAB_SHNDX: u32 = 18;
/// A packed table of relocations of pointers into the file.
pub const SHT_RELR: u32 = 19;
/// A table of relocations in a compact form, which this package does not read.
pub const SHT_CREL: u32 = 0x4000_0014;
/// The numbers of the symbols whose addresses matter (`SHT_LLVM_ADDRSIG`). Linked files lack this section.
pub const SHT_LLVM_ADDRSIG: u32 = 0x6fff_4c03;
/// The numbers of calls between functions (`SHT_LLVM_CALL_GRAPH_PROFILE`).
pub const SHT_LLVM_CALL_GRAPH_PROFILE: u32 = 0x6fff_4c09;
/// A table by which a loader finds symbols, in GNU's format.
pub const SHT_GNU_HASH: u32 = 0x6fff_fff6;
/// The versions of symbols that the file defines.
pub const SHT_GNU_VERDEF: u32 = 0x6fff_fffd;
/// The versions of symbols that the file needs.
pub const SHT_GNU_VERNEED: u32 = 0x6fff_fffe;
/// The number of the version of each symbol.
pub const SHT_GNU_VERSYM: u32 = 0x6fff_ffff;
/// The flag of sections that can be written.
pub const SHF_WRITE: u64 = 1;
/// The flag of sections that are loaded.
pub const SHF_ALLOC: u64 = 2;
/// The flag of sections with code.
pub const SHF_EXECINSTR: u64 = 4;
/// The flag of sections whose equal entries a linker may merge into one.
pub const SHF_MERGE: u64 = 0x10;
/// The flag of sections whose entries are strings.
pub const SHF_STRINGS: u64 = 0x20;
/// The flag of sections whose `info` is the number of a section.
pub const SHF_INFO_LINK: u64 = 0x40;
/// The flag of sections that a linker puts in the order of the sections that they belong to.
pub const SHF_LINK_ORDER: u64 = 0x80;
/// The flag of sections in a group.
pub const SHF_GROUP: u64 = 0x200;
/// The flag of sections with data of each thread.
pub const SHF_TLS: u64 = 0x400;
/// The flag of sections that a linker keeps although nothing refers to them.
pub const SHF_GNU_RETAIN: u64 = 0x20_0000;
/// The flag of sections that a linker drops.
pub const SHF_EXCLUDE: u64 = 0x8000_0000;
/// The flags of sections by their letters in `.section`.
pub const FLAG_LETTERS: [(char, u64); 10] = [
    ('a', SHF_ALLOC),
    ('w', SHF_WRITE),
    ('x', SHF_EXECINSTR),
    ('M', SHF_MERGE),
    ('S', SHF_STRINGS),
    ('G', SHF_GROUP),
    ('T', SHF_TLS),
    ('o', SHF_LINK_ORDER),
    ('R', SHF_GNU_RETAIN),
    ('e', SHF_EXCLUDE),
];
/// The type of segments that are loaded.
pub const PT_LOAD: u32 = 1;
/// The type of segments of notes.
pub const PT_NOTE: u32 = 4;
/// The type of segments that become read-only when a loader has relocated them.
pub const PT_GNU_RELRO: u32 = 0x6474_e552;
/// The flag of segments with code.
pub const PF_X: u32 = 1;
/// The kind of files for a linker.
pub const ET_REL: u16 = 1;
/// The kind of a file that is linked to fixed addresses.
pub const ET_EXEC: u16 = 2;
/// The kind of files for a loader.
pub const ET_DYN: u16 = 3;
/// The type of symbols that stand for sections.
pub const STT_SECTION: u8 = 3;
/// The first section number with a special meaning.
pub const SHN_LORESERVE: u16 = 0xff00;
/// The section number of common symbols, for which a linker allocates memory.
pub const SHN_COMMON: u16 = 0xfff2;
/// The section number in place of one that does not fit in its field, and is stored elsewhere.
pub const SHN_XINDEX: u16 = 0xffff;
/// The section number of symbols in the LDS of a workgroup. The value of such a symbol is its alignment in bytes.
pub const SHN_AMDGPU_LDS: u16 = 0xff00;

/// Whether a file begins as ELF files do.
pub fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}

/// A file with its header.
pub struct File<'a> {
    /// All bytes of the file.
    pub bytes: &'a [u8],
    /// Whether addresses have 64 bits.
    pub is_64: bool,
    /// Whether the low byte of a number comes first.
    pub is_little: bool,
    /// The system, `EI_OSABI`.
    pub os_abi: u8,
    /// The version of the system's ABI, `EI_ABIVERSION`.
    pub abi_version: u8,
    /// The kind of file, such as [`ET_REL`].
    pub kind: u16,
    /// The machine, `e_machine`.
    pub machine: u16,
    /// The address at which execution begins, `e_entry`.
    pub entry: u64,
    /// The processor and its features, `e_flags`.
    pub flags: u32,
    segments: Table,
    sections: Table,
    names: usize,
}

/// The table of the headers of all sections or segments.
struct Table {
    offset: u64,
    entry: usize,
    count: u64,
}

/// The header of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The offset of the section's name in the table of names.
    pub name: u32,
    /// The type of the section, such as [`SHT_NOTE`].
    pub kind: u32,
    /// A sum of flags, such as [`SHF_ALLOC`].
    pub flags: u64,
    /// The address of the first byte.
    pub address: u64,
    /// The offset in the file of the first byte.
    pub offset: u64,
    /// The size in bytes.
    pub size: u64,
    /// The number of an associated section, such as the table of names for a table of symbols.
    pub link: usize,
    /// Further information, such as the number of the section to which relocations apply.
    pub info: usize,
    /// The alignment in bytes: the address is a multiple of it.
    pub align: u64,
    /// The length of an entry in bytes, if the contents are a table of entries with one length.
    pub entry: u64,
}

/// The header of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The type of the segment, such as [`PT_LOAD`].
    pub kind: u32,
    /// A sum of flags, such as [`PF_X`].
    pub flags: u32,
    /// The address of the first byte.
    pub address: u64,
    /// The offset in the file of the first byte.
    pub offset: u64,
    /// The number of bytes in the file.
    pub size: u64,
    /// The number of bytes in memory.
    pub memory_size: u64,
}

/// A symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The offset of the symbol's name in the table of names.
    pub name: u32,
    /// The type of the named thing, such as [`STT_SECTION`].
    pub kind: u8,
    /// The binding, `st_bind`, and the visibility, `st_other`.
    pub scope: (u8, u8),
    /// The number of the symbol's section.
    pub section: u16,
    /// The address; in a file for a linker, the offset in the section.
    pub address: u64,
    /// The size in bytes.
    pub size: u64,
}

/// A place that a linker or loader fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// The address of the place; in a file for a linker, the offset in the section.
    pub address: u64,
    /// The number of the relocation's kind.
    pub kind: u32,
    /// The number of the symbol.
    pub symbol: u32,
    /// The number that is added to the symbol's address.
    pub addend: i64,
}

impl Section {
    /// Whether the section is loaded.
    pub fn is_loaded(&self) -> bool {
        self.flags & SHF_ALLOC != 0
    }

    /// Whether the meaning of the section's contents is known by its type: code or data whose addresses have
    /// relocations, or a table that holds no addresses or that this package reads. A table of another type, such as
    /// Android's packed relocations, may hold addresses that nobody adapts.
    pub fn has_known_type(&self) -> bool {
        let data = [SHT_PROGBITS, SHT_NOBITS, SHT_NOTE, SHT_PREINIT_ARRAY, SHT_INIT_ARRAY, SHT_FINI_ARRAY];
        let names = [SHT_STRTAB, SHT_HASH, SHT_GNU_HASH, SHT_GNU_VERDEF, SHT_GNU_VERNEED, SHT_GNU_VERSYM];
        let read = [SHT_SYMTAB, SHT_DYNSYM, SHT_DYNAMIC, SHT_REL, SHT_RELA, SHT_RELR];
        [data, names, read].iter().any(|kinds| kinds.contains(&self.kind))
    }

    /// Whether the section has code in the file.
    pub fn is_code(&self) -> bool {
        self.flags & SHF_EXECINSTR != 0 && self.kind != SHT_NOBITS && self.size > 0
    }
}

/// The bytes of a range of the file, as far as they exist.
pub struct Data<'a> {
    /// The bytes that exist.
    pub bytes: &'a [u8],
    /// The error, if some bytes do not exist.
    pub missing: Option<ElfFault>,
}

impl<'a> File<'a> {
    /// Reads the header.
    ///
    /// # Errors
    /// The header is incomplete, or does not name a width or an order of bytes.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, ErrorKind> {
        let cut = || ErrorKind::elf(ElfPart::File, ElfFault::Header { len: bytes.len() });
        let [class, order, _, os_abi, abi_version] = *bytes.get(4..9).and_then(|b| b.first_chunk()).ok_or_else(cut)?;
        let (is_64, is_little) = match (class, order) {
            (1 | 2, 1 | 2) => (class == 2, order == 1),
            (1 | 2, _) => return Err(ErrorKind::ByteOrder { order }),
            _ => return Err(ErrorKind::Class { class }),
        };
        let empty = || Table { offset: 0, entry: 0, count: 0 };
        let mut file = File {
            bytes,
            is_64,
            is_little,
            os_abi,
            abi_version,
            kind: 0,
            machine: 0,
            entry: 0,
            flags: 0,
            segments: empty(),
            sections: empty(),
            names: 0,
        };
        let read = |at, width| file.number(bytes, at, width).ok_or_else(cut);
        let (kind, machine) = (read(16, 2)? as u16, read(18, 2)? as u16);
        // The entry point is the first of three fields of this width.
        let word = if is_64 { 8 } else { 4 };
        let entry = read(24, word)?;
        let flags_at = 24 + 3 * word;
        let segments = Table {
            offset: read(24 + word, word)?,
            entry: read(flags_at + 6, 2)? as usize,
            count: read(flags_at + 8, 2)?,
        };
        let mut sections = Table {
            offset: read(24 + 2 * word, word)?,
            entry: read(flags_at + 10, 2)? as usize,
            count: read(flags_at + 12, 2)?,
        };
        let mut names = read(flags_at + 14, 2)? as usize;
        let flags = read(flags_at, 4)? as u32;
        // Numbers that need more than 16 bits are in the first section header.
        if let Some(first) = file.headers(&Table { count: 1, ..sections }).0.next().and_then(|h| file.section(h)) {
            if sections.count == 0 && sections.offset != 0 {
                sections.count = first.size;
            }
            if names == usize::from(SHN_XINDEX) {
                names = first.link;
            }
        }
        (file.kind, file.machine, file.entry, file.flags) = (kind, machine, entry, flags);
        (file.segments, file.sections, file.names) = (segments, sections, names);
        Ok(file)
    }

    fn number(&self, bytes: &[u8], at: usize, width: usize) -> Option<u64> {
        let field = bytes.get(at..at.checked_add(width)?)?;
        let add = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if self.is_little { field.iter().rev().fold(0, add) } else { field.iter().fold(0, add) })
    }

    /// The complete headers of a table, and the fault if there should be more.
    fn headers(&self, table: &Table) -> (impl Iterator<Item = &'a [u8]> + use<'a>, Option<ElfFault>) {
        let size = (table.entry as u64).saturating_mul(table.count);
        let data = self.data(table.offset, size);
        let missing = match table.count {
            0 => None,
            _ if table.entry < 32 => Some(ElfFault::EntrySize(table.entry)),
            _ => data.missing,
        };
        let bytes = if table.entry < 32 { &[] } else { data.bytes };
        (bytes.chunks_exact(table.entry.max(1)), missing)
    }

    /// The offset of a section's header in the file.
    pub fn section_header(&self, number: usize) -> u64 {
        self.sections.offset.saturating_add((self.sections.entry as u64).saturating_mul(number as u64))
    }

    /// The offset of a segment's header in the file.
    pub fn segment_header(&self, number: usize) -> u64 {
        self.segments.offset.saturating_add((self.segments.entry as u64).saturating_mul(number as u64))
    }

    /// The size of the tables of headers in bytes, as the file's header states it.
    pub(crate) fn size_of_headers(&self) -> usize {
        let size = |table: &Table| usize::try_from(table.count).unwrap_or(usize::MAX).saturating_mul(table.entry);
        size(&self.sections).saturating_add(size(&self.segments))
    }

    /// The offset after the last byte that a header names; `None` if it does not fit in a `usize`.
    pub(crate) fn end(&self) -> Option<usize> {
        let tables = [&self.sections, &self.segments];
        let tables = tables.map(|table| (table.offset, (table.entry as u64).saturating_mul(table.count)));
        let (sections, segments) = (self.sections().0, self.segments().0);
        let held = sections.iter().filter(|section| section.kind != SHT_NOBITS);
        let parts = held.map(|section| (section.offset, section.size));
        let parts = parts.chain(segments.iter().map(|segment| (segment.offset, segment.size))).chain(tables);
        let ends = parts.filter(|(_, size)| *size > 0).map(|(offset, size)| offset.saturating_add(size));
        usize::try_from(ends.max().unwrap_or(0)).ok()
    }

    /// The section headers that exist, and the error if some are missing.
    pub fn sections(&self) -> (Vec<Section>, Option<ErrorKind>) {
        let (headers, missing) = self.headers(&self.sections);
        let missing = missing.map(|fault| ErrorKind::elf(ElfPart::SectionHeaders(self.sections.offset), fault));
        (headers.map_while(|header| self.section(header)).collect(), missing)
    }

    fn section(&self, header: &[u8]) -> Option<Section> {
        let word = if self.is_64 { 8 } else { 4 };
        let read = |at, width| self.number(header, at, width);
        Some(Section {
            name: read(0, 4)? as u32,
            kind: read(4, 4)? as u32,
            flags: read(8, word)?,
            address: read(8 + word, word)?,
            offset: read(8 + 2 * word, word)?,
            size: read(8 + 3 * word, word)?,
            link: read(8 + 4 * word, 4)? as usize,
            info: read(12 + 4 * word, 4)? as usize,
            align: read(16 + 4 * word, word)?,
            entry: read(16 + 5 * word, word)?,
        })
    }

    /// The program headers that exist, and the error if some are missing.
    pub fn segments(&self) -> (Vec<Segment>, Option<ErrorKind>) {
        let (headers, missing) = self.headers(&self.segments);
        let missing = missing.map(|fault| ErrorKind::elf(ElfPart::ProgramHeaders(self.segments.offset), fault));
        let segment = |header: &[u8]| {
            let read = |at, width| self.number(header, at, width);
            Some(match self.is_64 {
                true => Segment {
                    kind: read(0, 4)? as u32,
                    flags: read(4, 4)? as u32,
                    offset: read(8, 8)?,
                    address: read(16, 8)?,
                    size: read(32, 8)?,
                    memory_size: read(40, 8)?,
                },
                false => Segment {
                    kind: read(0, 4)? as u32,
                    flags: read(24, 4)? as u32,
                    offset: read(4, 4)?,
                    address: read(8, 4)?,
                    size: read(16, 4)?,
                    memory_size: read(20, 4)?,
                },
            })
        };
        (headers.map_while(segment).collect(), missing)
    }

    /// The symbols of a table of a 64-bit file.
    pub fn symbols(&self, table: &'a [u8]) -> impl Iterator<Item = Symbol> + use<'_, 'a> {
        table.chunks_exact(wide::SYMBOL).map_while(|entry| self.read_symbol(entry))
    }

    /// The symbol with a number in a table of a 64-bit file.
    pub fn symbol(&self, table: &[u8], number: u32) -> Option<Symbol> {
        let at = usize::try_from(number).ok()?.checked_mul(wide::SYMBOL)?;
        self.read_symbol(table.get(at..at.checked_add(wide::SYMBOL)?)?)
    }

    fn read_symbol(&self, entry: &[u8]) -> Option<Symbol> {
        Some(Symbol {
            name: self.number(entry, 0, 4)? as u32,
            kind: entry.get(4)? & 0xf,
            scope: (entry.get(4)? >> 4, *entry.get(5)?),
            section: self.number(entry, 6, 2)? as u16,
            address: self.number(entry, wide::symbol::ADDRESS, 8)?,
            size: self.number(entry, wide::symbol::SIZE, 8)?,
        })
    }

    /// The relocations of a table of a 64-bit file.
    pub fn relocations(&self, table: &'a [u8]) -> impl Iterator<Item = Relocation> + use<'_, 'a> {
        table.chunks_exact(wide::RELOCATION).map_while(|entry| {
            Some(Relocation {
                address: self.number(entry, wide::relocation::ADDRESS, 8)?,
                kind: self.number(entry, 8, 4)? as u32,
                symbol: self.number(entry, 12, 4)? as u32,
                addend: self.number(entry, wide::relocation::ADDEND, 8)? as i64,
            })
        })
    }

    /// The relocations of a table without addends of a 64-bit file: each addend is 0.
    pub fn short_relocations(&self, table: &'a [u8]) -> impl Iterator<Item = Relocation> + use<'_, 'a> {
        table.chunks_exact(wide::SHORT_RELOCATION).map_while(|entry| {
            Some(Relocation {
                address: self.number(entry, wide::relocation::ADDRESS, 8)?,
                kind: self.number(entry, 8, 4)? as u32,
                symbol: self.number(entry, 12, 4)? as u32,
                addend: 0,
            })
        })
    }

    /// The addresses of the pointers that a packed table of relocations ([`SHT_RELR`]) names, in order. A loader adds
    /// the address at which the file is loaded to each pointer.
    pub fn packed_relocations(&self, table: &'a [u8]) -> impl Iterator<Item = u64> + use<'_, 'a> {
        let numbers = table.chunks_exact(8).map_while(|entry| self.number(entry, 0, 8));
        // An even number is the address of a pointer. In an odd number, bits 1 to 63 tell which of the next 63 places
        // of 8 bytes are pointers. These places begin after the previous pointer of an even number, or after the 63
        // places of the previous odd number.
        let places = numbers.scan(0u64, |next, number| {
            let (start, bits, count) = match number & 1 {
                0 => (number, 1, 1),
                _ => (*next, number >> 1, 63),
            };
            *next = start.wrapping_add(8 * count);
            Some((0..count).filter(move |bit| bits >> bit & 1 == 1).map(move |bit| start.wrapping_add(8 * bit)))
        });
        // The number of pointers is limited: they do not overlap, so the file cannot hold more of them.
        places.flatten().take(self.bytes.len() / 8)
    }

    /// The table with the names of sections; empty if there is none.
    pub fn section_names(&self, sections: &[Section]) -> &'a [u8] {
        sections.get(self.names).map_or(&[], |section| texts(self.contents(section).bytes))
    }

    /// The bytes of a section; empty if it has none in the file.
    pub fn contents(&self, section: &Section) -> Data<'a> {
        if section.kind == SHT_NOBITS {
            return Data { bytes: &[], missing: None };
        }
        self.data(section.offset, section.size)
    }

    /// A range of bytes of the file.
    pub fn data(&self, offset: u64, size: u64) -> Data<'a> {
        let len = self.bytes.len();
        let from = usize::try_from(offset).unwrap_or(len).min(len);
        let rest = self.bytes.get(from..).unwrap_or_default();
        match usize::try_from(size).ok().and_then(|size| rest.get(..size)) {
            // An empty part may have any offset.
            Some(bytes) if size == 0 || offset <= len as u64 => Data { bytes, missing: None },
            _ => Data { bytes: rest, missing: Some(ElfFault::Cut { size, offset, len }) },
        }
    }
}

/// The part of a table of texts up to its last zero byte. (Each text ends with a zero byte.) Without this cut, each
/// search for a missing end would take as long as the table.
pub fn texts(table: &[u8]) -> &[u8] {
    let end = table.iter().rposition(|&b| b == 0).map_or(0, |last| last + 1);
    table.get(..end).unwrap_or_default()
}

/// The text at an offset of a table that [`texts`] returned; `None` if the offset is not in the table.
pub fn text(table: &[u8], offset: u32) -> Option<&[u8]> {
    let tail = table.get(usize::try_from(offset).ok()?..)?;
    tail.get(..tail.iter().position(|&b| b == 0)?)
}
