//! Writer of the ELF file: headers, tables of symbols, descriptors, code.

use alloc::vec::Vec;

use super::{CodeObject, CodeObjectError, Kernel, metadata};
use crate::descriptor::KernelDescriptor;
use crate::target::Target;

const PAGE: u64 = 0x1000;
const FILE_HEADER: usize = 64;
const PROGRAM_HEADER: usize = 56;
const PROGRAM_HEADERS: usize = 6;
const SYMBOL: usize = 24;
const CODE_ALIGN: usize = KernelDescriptor::ENTRY_ALIGN as usize;
const DESCRIPTOR_ALIGN: usize = 64;

const FUNCTION: u8 = 1 << 4 | 2;
const OBJECT: u8 = 1 << 4 | 1;
const PROTECTED: u8 = 3;
const SECTION_NAMES: &[u8] = b"\0.note\0.dynsym\0.hash\0.dynstr\0.rodata\0.text\0.dynamic\0.shstrtab\0";

/// A part of the file: its offset in the file, its address in memory, and its length in bytes.
#[derive(Clone, Copy, Default)]
struct Part {
    offset: u64,
    address: u64,
    len: u64,
}

struct Out(Vec<u8>);

impl Out {
    fn halves(&mut self, values: &[u16]) {
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
    }

    fn words(&mut self, values: &[u32]) {
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
    }

    fn longs(&mut self, values: &[u64]) {
        values.iter().for_each(|value| self.0.extend(value.to_le_bytes()));
    }

    /// Begins a part at the next offset that is a multiple of `align`. The address of the part is `shift` above this
    /// offset.
    fn begin(&mut self, align: usize, shift: u64) -> Part {
        self.0.resize(self.0.len().checked_next_multiple_of(align).unwrap_or(self.0.len()), 0);
        let offset = self.0.len() as u64;
        Part { offset, address: offset + shift, len: 0 }
    }

    fn end(&self, part: Part) -> Part {
        Part { len: (self.0.len() as u64).saturating_sub(part.offset), ..part }
    }

    /// Adds a part with the given bytes.
    fn part(&mut self, align: usize, shift: u64, bytes: &[u8]) -> Part {
        let part = self.begin(align, shift);
        self.0.extend(bytes);
        self.end(part)
    }
}

/// The distance of each kernel's code from that of the first kernel, in bytes.
fn code_offsets<'a>(object: &CodeObject<'a>) -> impl Iterator<Item = u64> + use<'a> {
    object.kernels.iter().scan(0u64, |end, kernel| {
        let offset = *end;
        let len = kernel.code.len() as u64 * 4;
        *end = offset.saturating_add(len).checked_next_multiple_of(CODE_ALIGN as u64)?;
        Some(offset)
    })
}

fn hash(name: impl Iterator<Item = u8>) -> u32 {
    name.fold(0u32, |hash, byte| {
        let hash = (hash << 4).wrapping_add(byte.into());
        let high = hash & 0xf000_0000;
        (hash ^ high >> 24) & !high
    })
}

/// The parts of the file that headers name.
#[derive(Clone, Copy)]
struct Parts {
    note: Part,
    symbols: Part,
    hash_table: Part,
    strings: Part,
    descriptors: Part,
    code: Part,
    dynamic: Part,
}

/// The bytes of the file. `descriptors` has the descriptor of each kernel.
pub fn write(
    object: &CodeObject<'_>,
    target: Target,
    descriptors: &[KernelDescriptor],
) -> Result<Vec<u8>, CodeObjectError> {
    let kernels = object.kernels;
    let all: u64 =
        kernels.iter().map(|kernel| kernel.code.len() as u64 * 4 + kernel.name.len() as u64 * 8 + 4096).sum();
    if all > u32::MAX.into() {
        return Err(CodeObjectError::Size);
    }
    let mut out = Out(Vec::new());
    out.0.resize(FILE_HEADER + PROGRAM_HEADERS * PROGRAM_HEADER, 0);
    let note = note(&mut out, &metadata::document(object, descriptors));
    let count = kernels.len() * 2 + 1;
    let symbols = Part { len: (count * SYMBOL) as u64, ..out.begin(8, 0) };
    out.0.resize(out.0.len() + count * SYMBOL, 0);
    let hash_table = hash_table(&mut out, kernels, count);
    let (names, name_offsets) = names(kernels);
    let strings = out.part(1, 0, &names);
    let (descriptors, entries) = descriptors_and_symbols(&mut out, object, descriptors, &name_offsets);
    let code = out.begin(CODE_ALIGN, PAGE);
    for kernel in kernels {
        out.begin(CODE_ALIGN, PAGE);
        out.words(kernel.code);
    }
    let code = out.end(code);
    let dynamic = dynamic(&mut out, symbols, strings, hash_table);
    let parts = Parts { note, symbols, hash_table, strings, descriptors, code, dynamic };
    let (headers, sections) = section_headers(&mut out, &parts);

    let mut head = Out(Vec::new());
    // 64 bits, little-endian, for the HSA runtime, whose ABI version 4 means code objects of version 6.
    head.0.extend(*b"\x7fELF\x02\x01\x01\x40\x04\0\0\0\0\0\0\0");
    head.halves(&[3, 224]);
    head.words(&[1]);
    head.longs(&[0, FILE_HEADER as u64, headers]);
    head.words(&[object.flags(target)]);
    head.halves(&[FILE_HEADER as u16, PROGRAM_HEADER as u16, PROGRAM_HEADERS as u16, 64, sections, sections - 1]);
    program_headers(&mut head, &parts);
    for (place, bytes) in [(0, &head.0), (symbols.offset as usize, &entries)] {
        for (to, from) in out.0.iter_mut().skip(place).zip(bytes) {
            *to = *from;
        }
    }
    Ok(out.0)
}

/// Writes the note with the metadata.
fn note(out: &mut Out, document: &[u8]) -> Part {
    let note = out.begin(4, 0);
    out.words(&[7, document.len() as u32, 32]);
    out.0.extend(b"AMDGPU\0\0");
    out.0.extend(document);
    out.begin(4, 0).offset.checked_sub(note.offset).map_or(note, |len| Part { len, ..note })
}

/// Writes the hash table of the symbols, which has as many buckets as symbols.
fn hash_table(out: &mut Out, kernels: &[Kernel<'_>], symbols: usize) -> Part {
    let table = out.begin(4, 0);
    out.words(&[symbols as u32, symbols as u32]);
    let hashes: Vec<u32> = (kernels.iter())
        .flat_map(|kernel| [hash(kernel.name.bytes()), hash(kernel.name.bytes().chain(*b".kd"))])
        .map(|hash| hash.checked_rem(symbols as u32).unwrap_or(0))
        .collect();
    // The table has the first symbol of each bucket, and for each symbol the next one of its bucket.
    let next = |from: usize, bucket: u32| {
        let mut rest = hashes.iter().enumerate().skip(from);
        rest.find(|(_, hash)| **hash == bucket).map_or(0, |(n, _)| n as u32 + 1)
    };
    for bucket in 0..symbols as u32 {
        out.words(&[next(0, bucket)]);
    }
    out.words(&[0]);
    for (n, hash) in hashes.iter().enumerate() {
        out.words(&[next(n + 1, *hash)]);
    }
    out.end(table)
}

/// The names of the symbols, and the offsets of two names for each kernel: that of its code, and that of its
/// descriptor, which ends in `.kd`.
fn names(kernels: &[Kernel<'_>]) -> (Vec<u8>, Vec<[u32; 2]>) {
    let mut names = Vec::new();
    names.push(0);
    let offsets = kernels
        .iter()
        .map(|kernel| {
            let code = names.len() as u32;
            names.extend(kernel.name.bytes());
            names.push(0);
            let descriptor = names.len() as u32;
            names.extend(kernel.name.bytes());
            names.extend(b".kd\0");
            [code, descriptor]
        })
        .collect();
    (names, offsets)
}

/// Writes the descriptors, each with the distance to its kernel's code, which follows all descriptors. Also returns the
/// table of symbols.
fn descriptors_and_symbols(
    out: &mut Out,
    object: &CodeObject<'_>,
    descriptors: &[KernelDescriptor],
    names: &[[u32; 2]],
) -> (Part, Vec<u8>) {
    let mut entries = Out(Vec::new());
    entries.0.resize(SYMBOL, 0);
    let part = out.begin(DESCRIPTOR_ALIGN, 0);
    // The code has memory pages of its own: its address is one page above its offset in the file.
    let end = part.offset + (object.kernels.len() * KernelDescriptor::SIZE) as u64;
    let code_offset = end.checked_next_multiple_of(CODE_ALIGN as u64).unwrap_or(end);
    let code_address = code_offset + PAGE;
    let places = object.kernels.iter().zip(descriptors).zip(code_offsets(object)).zip(names);
    for (((kernel, descriptor), offset), [code_name, descriptor_name]) in places {
        let address = out.0.len() as u64;
        let mut descriptor = *descriptor;
        descriptor.set_entry((code_address + offset).wrapping_sub(address) as i64);
        out.0.extend(descriptor.to_bytes());
        let mut symbol = |name: u32, kind: u8, section: u16, address: u64, len: u64| {
            entries.words(&[name]);
            entries.0.extend([kind, PROTECTED]);
            entries.halves(&[section]);
            entries.longs(&[address, len]);
        };
        symbol(*code_name, FUNCTION, 6, code_address + offset, kernel.code.len() as u64 * 4);
        symbol(*descriptor_name, OBJECT, 5, address, KernelDescriptor::SIZE as u64);
    }
    (out.end(part), entries.0)
}

/// Writes the tags that tell a loader where the tables are.
fn dynamic(out: &mut Out, symbols: Part, strings: Part, hash_table: Part) -> Part {
    let dynamic = out.begin(8, 2 * PAGE);
    let tags = [
        (6, symbols.address),
        (11, SYMBOL as u64),
        (5, strings.address),
        (10, strings.len),
        (4, hash_table.address),
        (0, 0),
    ];
    for (tag, value) in tags {
        out.longs(&[tag, value]);
    }
    out.end(dynamic)
}

/// Writes the names and headers of the sections. Returns the offset of the headers, and their number.
fn section_headers(out: &mut Out, parts: &Parts) -> (u64, u16) {
    let Parts { note, symbols, hash_table, strings, descriptors, code, dynamic } = *parts;
    let names = out.part(1, 0, SECTION_NAMES);
    let headers = out.begin(8, 0);
    let sections = [
        (1, 7, 2, note, 0, 0, 4, 0),
        (7, 11, 2, symbols, 4, 1, 8, SYMBOL as u64),
        (15, 5, 2, hash_table, 2, 0, 4, 4),
        (21, 3, 2, strings, 0, 0, 1, 0),
        (29, 1, 2, descriptors, 0, 0, DESCRIPTOR_ALIGN as u64, 0),
        (37, 1, 6, code, 0, 0, CODE_ALIGN as u64, 0),
        (43, 6, 3, dynamic, 4, 0, 8, 16),
        (52, 3, 0, Part { address: 0, ..names }, 0, 0, 1, 0),
    ];
    out.longs(&[0; 8]);
    for (name, kind, flags, part, link, info, align, entry) in sections {
        out.words(&[name, kind]);
        out.longs(&[flags, part.address, part.offset, part.len]);
        out.words(&[link, info]);
        out.longs(&[align, entry]);
    }
    (headers.offset, sections.len() as u16 + 1)
}

/// Writes the headers of the segments.
fn program_headers(out: &mut Out, parts: &Parts) {
    let Parts { note, symbols, hash_table, strings, descriptors, code, dynamic } = *parts;
    let read_only = [note, symbols, hash_table, strings, descriptors];
    let end = read_only.iter().map(|part| part.offset + part.len).max().unwrap_or(0);
    let own = Part {
        offset: FILE_HEADER as u64,
        address: FILE_HEADER as u64,
        len: (PROGRAM_HEADERS * PROGRAM_HEADER) as u64,
    };
    let segments = [
        (6, 4, own, 8),
        (1, 4, Part { len: end, ..Part::default() }, PAGE),
        (1, 5, code, PAGE),
        (1, 6, dynamic, PAGE),
        (2, 6, dynamic, 8),
        (4, 4, note, 4),
    ];
    for (kind, flags, part, align) in segments {
        out.words(&[kind, flags]);
        out.longs(&[part.offset, part.address, part.address, part.len, part.len, align]);
    }
}
