//! The parts that all ELF files have: the header of the file, the headers of sections, tables of symbols and of names.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use amdgpu_object::elf::SHN_LORESERVE;
use amdgpu_object::elf::wide::{FILE_HEADER, SECTION_HEADER, SEGMENT_HEADER, SYMBOL};
use object::elf::{EM_AMDGPU, SHN_XINDEX};

use crate::resolve::Symbol;

/// The alignment of the table of section headers in the file.
const HEADERS_ALIGN: usize = 8;

/// The header of a section, without the name.
#[derive(Clone, Copy, Default)]
pub struct Header {
    pub kind: u32,
    pub flags: u64,
    pub address: u64,
    pub offset: u64,
    pub len: u64,
    pub link: u32,
    pub info: u32,
    pub align: u64,
    pub entry: u64,
}

/// A segment: a part of the file that a loader reads.
pub struct Segment {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    /// The number of bytes in the file.
    pub len: u64,
    /// The number of bytes in memory.
    pub memory_len: u64,
    pub align: u64,
}

/// An entry of a table of symbols.
pub struct SymbolEntry {
    /// The offset of the name in the table of names.
    pub name: u32,
    pub info: u8,
    pub other: u8,
    pub section: EntrySection,
    pub value: u64,
    pub size: u64,
}

/// The section of a symbol.
#[derive(Clone, Copy)]
pub enum EntrySection {
    /// The section with this number in the file.
    Number(u32),
    /// A number with a special meaning, such as `SHN_ABS`.
    Special(u16),
}

impl EntrySection {
    /// Whether the number does not fit in the entry.
    pub fn is_long(self) -> bool {
        matches!(self, EntrySection::Number(number) if number >= SHN_LORESERVE.into())
    }
}

impl SymbolEntry {
    /// The entry of a symbol of the source, still without a name.
    pub fn of(symbol: &Symbol, section: EntrySection) -> SymbolEntry {
        let Symbol { bind, kind, visibility, value, size, .. } = *symbol;
        SymbolEntry { name: 0, info: bind << 4 | kind, other: visibility, section, value, size }
    }
}

/// The properties of a file that its header states.
pub struct Identity {
    pub abi: u8,
    pub abi_version: u8,
    /// The kind of file, such as `ET_REL`.
    pub kind: u16,
    pub flags: u32,
}

/// A file that is being written.
pub struct File {
    bytes: Vec<u8>,
    segments: usize,
}

impl File {
    /// A file with room for its header, and the headers of segments after it.
    pub fn new(segments: &[Segment]) -> File {
        let mut bytes = vec![0; FILE_HEADER];
        for segment in segments {
            bytes.extend([segment.kind, segment.flags].into_iter().flat_map(u32::to_le_bytes));
            let Segment { offset, address, len, memory_len, align, .. } = *segment;
            bytes.extend([offset, address, address, len, memory_len, align].into_iter().flat_map(u64::to_le_bytes));
        }
        File { bytes, segments: segments.len() }
    }

    /// The number of bytes that have been written.
    pub fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Adds zeros until the number of bytes is a multiple of `align`, and returns the new number of bytes.
    pub fn align(&mut self, align: u64) -> u64 {
        self.bytes.resize(self.bytes.len().next_multiple_of(align.max(1) as usize), 0);
        self.len()
    }

    /// Adds zeros up to an offset.
    pub fn pad_until(&mut self, offset: u64) {
        self.bytes.resize(self.bytes.len().max(offset as usize), 0);
    }

    pub fn put(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
    }

    /// The bytes of the file: adds the headers of sections, and fills in the header of the file. The headers begin with
    /// that of section 1, each with the offset of its name; `names` is the number of the section with these names.
    pub fn finish(mut self, headers: &[(u32, Header)], names: u32, identity: &Identity) -> Vec<u8> {
        let start = self.align(HEADERS_ALIGN as u64);
        // Numbers that do not fit in the header of the file are in the header of section 0.
        let count = headers.len() as u64 + 1;
        let fits = |number: u64| number < SHN_LORESERVE.into();
        let zero = Header {
            len: if fits(count) { 0 } else { count },
            link: if fits(names.into()) { 0 } else { names },
            ..Header::default()
        };
        for (name, header) in [(0, zero)].iter().chain(headers) {
            let Header { kind, flags, address, offset, len, link, info, align, entry } = *header;
            self.bytes.extend([*name, kind].into_iter().flat_map(u32::to_le_bytes));
            self.bytes.extend([flags, address, offset, len].into_iter().flat_map(u64::to_le_bytes));
            self.bytes.extend([link, info].into_iter().flat_map(u32::to_le_bytes));
            self.bytes.extend([align, entry].into_iter().flat_map(u64::to_le_bytes));
        }
        let mut header = Vec::with_capacity(FILE_HEADER);
        header.extend(*b"\x7fELF");
        // 64 bits, the low byte first, version 1.
        header.extend([2, 1, 1, identity.abi, identity.abi_version]);
        header.resize(16, 0);
        header.extend([identity.kind, EM_AMDGPU].into_iter().flat_map(u16::to_le_bytes));
        header.extend(1u32.to_le_bytes());
        let (segments, segment_len) = if self.segments == 0 { (0, 0) } else { (FILE_HEADER, SEGMENT_HEADER) };
        header.extend([0, segments as u64, start].into_iter().flat_map(u64::to_le_bytes));
        header.extend(identity.flags.to_le_bytes());
        let sizes = [FILE_HEADER, segment_len, self.segments, SECTION_HEADER].map(|number| number as u16);
        header.extend(sizes.into_iter().flat_map(u16::to_le_bytes));
        let count = if fits(count) { count as u16 } else { 0 };
        let names = if fits(names.into()) { names as u16 } else { SHN_XINDEX };
        header.extend([count, names].into_iter().flat_map(u16::to_le_bytes));
        if let Some(place) = self.bytes.get_mut(..header.len()) {
            place.copy_from_slice(&header);
        }
        self.bytes
    }
}

/// The bytes of a table of symbols. If the number of a section does not fit in a symbol's own field, the second table
/// has the numbers for all symbols.
pub fn symbol_table(entries: &[SymbolEntry]) -> (Vec<u8>, Option<Vec<u8>>) {
    let mut table = vec![0; SYMBOL];
    let mut numbers = vec![0u32];
    for SymbolEntry { name, info, other, section, value, size } in entries {
        let (short, long) = match *section {
            EntrySection::Special(number) => (number, 0),
            EntrySection::Number(number) if section.is_long() => (SHN_XINDEX, number),
            EntrySection::Number(number) => (number as u16, 0),
        };
        numbers.push(long);
        table.extend(name.to_le_bytes());
        table.extend([*info, *other]);
        table.extend(short.to_le_bytes());
        table.extend([*value, *size].into_iter().flat_map(u64::to_le_bytes));
    }
    let is_needed = entries.iter().any(|entry| entry.section.is_long());
    (table, is_needed.then(|| numbers.into_iter().flat_map(u32::to_le_bytes).collect()))
}

/// A table of names, and the offset of each name in it.
pub struct Names {
    pub bytes: Vec<u8>,
    pub offsets: Vec<u32>,
}

impl Names {
    /// The table as LLVM's assembler and `llvm-objcopy` write it: the names are in the descending order of their bytes
    /// from the last one to the first, and a name with which another one ends is a part of that one.
    pub fn sorted(names: &[&str]) -> Result<Names, String> {
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|a, b| names[*b].bytes().rev().cmp(names[*a].bytes().rev()));
        let (mut bytes, mut offsets, mut last) = (vec![0], vec![0; names.len()], "");
        for n in order {
            let name = names[n];
            if !last.ends_with(name) {
                add(&mut bytes, name)?;
                last = name;
            }
            // The first byte ends the empty name.
            offsets[n] = if name.is_empty() { 0 } else { offset(bytes.len() - 1 - name.len())? };
        }
        Ok(Names { bytes, offsets })
    }

    /// The table as `ld.lld` writes it for symbols: the names in their order, each of them whole.
    pub fn in_order(names: &[&str]) -> Result<Names, String> {
        let mut bytes = vec![0];
        let add = |name: &&str| if name.is_empty() { Ok(0) } else { add(&mut bytes, name) };
        let offsets = names.iter().map(add).collect::<Result<_, _>>()?;
        Ok(Names { bytes, offsets })
    }

    /// The table as `ld.lld` writes it for sections: like [`Names::in_order`], but each name is in it once.
    pub fn unique(names: &[&str]) -> Result<Names, String> {
        let (mut bytes, mut known) = (vec![0], HashMap::from([("", 0)]));
        let mut offsets = Vec::new();
        for name in names {
            offsets.push(match known.entry(*name) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => *new.insert(add(&mut bytes, name)?),
            });
        }
        Ok(Names { bytes, offsets })
    }
}

/// Adds a name to a table, and returns its offset.
fn add(table: &mut Vec<u8>, name: &str) -> Result<u32, String> {
    let start = offset(table.len())?;
    table.extend(name.as_bytes());
    table.push(0);
    Ok(start)
}

fn offset(at: usize) -> Result<u32, String> {
    u32::try_from(at).map_err(|_| "the names of sections and symbols have more than 4 GiB".to_string())
}
