//! Writes code objects that a runtime loads: as a linker does, it assigns addresses and applies relocations.

mod defined;
mod file;
pub mod inputs;
mod layout;
mod merged;
mod tables;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use amdgpu_object::elf::wide;
use amdgpu_object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, SHT_NOBITS, SHT_NOTE, SHT_PROGBITS};
use amdgpu_object::relocation_kinds::{Base, Formula};
use object::elf::{PF_R, PF_W, PF_X, PT_DYNAMIC, PT_GNU_RELRO, PT_GNU_STACK, PT_LOAD, PT_NOTE, PT_PHDR};
use object::elf::{SHT_DYNAMIC, SHT_DYNSYM, SHT_FINI_ARRAY, SHT_GNU_HASH, SHT_HASH, SHT_INIT_ARRAY, SHT_PREINIT_ARRAY};
use object::elf::{SHT_RELA, SHT_STRTAB, STB_WEAK};

use super::elf::{Header, Segment};
use super::flaw::{Flaw, Span};
use super::resolve::{DefinedIn, Image, Referent, Relocation, Symbol};
use crate::Kind;
use amdgpu_object::relocation_kinds as kinds;
use layout::Layout;
use tables::{Dynamic, dynamic_symbols};

const PAGE: u64 = 0x1000;
const PROGRAM_HEADER: u64 = wide::SEGMENT_HEADER as u64;
const FILE_HEADER: u64 = wide::FILE_HEADER as u64;
const SYMBOL: u64 = wide::SYMBOL as u64;
const RELOCATION: u64 = wide::RELOCATION as u64;
const GOT: &str = ".got";
const DYNAMIC: &str = ".dynamic";
const RELOCATIONS: &str = ".rela.dyn";
/// Sections of a source that become read-only after loading: data with addresses, and zeros.
const RELRO_DATA: &str = ".data.rel.ro";
const RELRO_BSS: &str = ".bss.rel.ro";
/// The sections that become read-only after loading, in their order.
const RELRO: [&str; 5] = [RELRO_DATA, DYNAMIC, GOT, RELRO_BSS, RELRO_PADDING];
/// The types of sections with pointers to functions that a loader calls.
const ARRAYS: [u32; 3] = [SHT_PREINIT_ARRAY, SHT_INIT_ARRAY, SHT_FINI_ARRAY];
const RELRO_PADDING: &str = ".relro_padding";

/// A section of the file.
pub struct Chunk {
    pub name: String,
    kind: u32,
    flags: u64,
    align: u64,
    entry: u64,
    link: &'static str,
    info: u32,
    data: Vec<u8>,
    len: u64,
    address: u64,
    offset: u64,
    /// The sections of the source in this section, each with its offset.
    pub inputs: Vec<(usize, u64)>,
}

impl Chunk {
    fn new(name: &str, kind: u32, flags: u64, align: u64, entry: u64, link: &'static str) -> Chunk {
        let (name, data) = (name.to_string(), Vec::new());
        Chunk {
            name,
            kind,
            flags,
            align,
            entry,
            link,
            info: 0,
            data,
            len: 0,
            address: 0,
            offset: 0,
            inputs: Vec::new(),
        }
    }

    /// The header of the section. `numbers` has the numbers of the sections that do not come from the source.
    fn header(&self, numbers: &HashMap<&str, u32>) -> Header {
        let &Chunk { kind, flags, address, offset, len, info, align, entry, .. } = self;
        let link = numbers.get(self.link).copied().unwrap_or(0);
        Header { kind, flags, address, offset, len, link, info, align, entry }
    }

    /// Whether the section does not come from the source.
    fn is_made(&self) -> bool {
        self.inputs.is_empty()
    }

    fn with(self, data: Vec<u8>) -> Chunk {
        Chunk { len: data.len() as u64, data, ..self }
    }

    /// The position of the section in memory: read-only data, code, data that the loader writes, then writable data.
    fn rank(&self) -> u8 {
        match (is_loaded(self.flags), self.flags & (SHF_WRITE | SHF_EXECINSTR)) {
            (false, _) => 9,
            _ if self.kind == SHT_NOTE => 0,
            (_, 0) if self.is_made() => 1,
            (_, 0) => 2,
            (_, SHF_EXECINSTR) => 3,
            _ if ARRAYS.contains(&self.kind) => 4,
            // A source that was made from a linked file has a section `.got`, too.
            _ if self.is_made() || [RELRO_DATA, GOT, RELRO_BSS].contains(&self.name.as_str()) => 4,
            _ if self.kind == SHT_NOBITS => 6,
            _ => 5,
        }
    }

    /// The number of the section's segment; 9 for a section that is not loaded.
    fn segment(&self) -> u8 {
        [0, 0, 0, 1, 2, 3, 3].get(usize::from(self.rank())).copied().unwrap_or(9)
    }
}

/// Whether a section with these flags is loaded.
fn is_loaded(flags: u64) -> bool {
    flags & SHF_ALLOC != 0
}

/// The bytes of a linked code object. `strip` leaves out the symbol table that no loader reads.
pub fn write(image: &Image, strip: bool) -> Result<Vec<u8>, Vec<Flaw>> {
    let mut image = Cow::Borrowed(image);
    for (n, symbol) in defined::symbols(&image) {
        image.to_mut().symbols[n] = symbol;
    }
    let image = &*image;
    all_fine(unresolved(image))?;

    let dynamic = dynamic_symbols(&image.symbols);
    let pointers = Pointers::of(image, &dynamic);
    let mut chunks = inputs::inputs(image);
    let moved = chunks.iter_mut().flat_map(|chunk| merged::merge(chunk, image)).collect();
    add_tables(&mut chunks, &dynamic, &pointers);
    let is_array = |chunk: &Chunk| ARRAYS.contains(&chunk.kind);
    let order =
        |chunk: &Chunk| RELRO.iter().position(|name| chunk.name == *name || *name == RELRO_DATA && is_array(chunk));
    chunks.sort_by_key(|chunk| (chunk.rank(), order(chunk).filter(|_| chunk.rank() == 4)));

    let segments = place(&mut chunks);
    let layout = Layout::of(&chunks, moved);
    let mut written = Written { layout, dynamic: &dynamic, got: &pointers.got, loaded: Vec::new(), faults: Vec::new() };
    written.apply_all(&mut chunks, image);
    written.fill_got(&chunks, &image.symbols);
    let Written { layout, loaded, faults, .. } = written;
    all_fine(faults)?;

    let symbols = dynamic.symbols(&image.symbols, &layout);
    let tags = tables::dynamic(&layout, &dynamic, loaded.len() as u64, pointers.relative, tables::arrays(&chunks));
    for (name, bytes) in [(".dynsym", symbols), (RELOCATIONS, tables::relocations(loaded)), (DYNAMIC, tags)] {
        if let Some(chunk) = chunks.iter_mut().find(|chunk| chunk.name == name && chunk.is_made()) {
            chunk.data = bytes;
        }
    }
    file::write(image, &chunks, &segments, &layout, strip).map_err(|why| vec![Flaw::new(Span::default(), why)])
}

fn all_fine(faults: Vec<Flaw>) -> Result<(), Vec<Flaw>> {
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// The relocations of all sections that are loaded.
fn relocations(image: &Image) -> impl Iterator<Item = &Relocation> {
    image.sections.iter().filter(|output| is_loaded(output.section.flags)).flat_map(|output| &output.relocations)
}

/// The errors about uses of symbols that have no address, and about symbols that only a linker of several objects can
/// place.
fn unresolved(image: &Image) -> Vec<Flaw> {
    let mut faults = Vec::new();
    for relocation in relocations(image) {
        let Referent::Symbol(n) = relocation.of else { continue };
        let symbol = &image.symbols[n];
        let (why, kind) = match symbol.at {
            DefinedIn::Undefined if symbol.bind != STB_WEAK => ("is not defined", Kind::Undefined),
            DefinedIn::Shared => ("is in a workgroup's memory, where a linker has to place it", Kind::Shared),
            _ => continue,
        };
        faults.push(Flaw::new(relocation.place, format!("`{}` {why}", symbol.name)).kind(kind));
    }
    for symbol in image.symbols.iter().filter(|symbol| symbol.at == DefinedIn::Common) {
        let message = format!("`{}` is a common variable, which a linker has to place", symbol.name);
        faults.push(Flaw::new(symbol.place, message).kind(Kind::Shared));
    }
    faults
}

/// The addresses that the loader writes into memory.
struct Pointers {
    /// The entries of the table of addresses (GOT), each with its offset in the table.
    got: BTreeMap<(usize, bool), u64>,
    /// The number of addresses, including those in the table of addresses.
    count: usize,
    /// The number of addresses that do not depend on another module.
    relative: u64,
}

impl Pointers {
    fn of(image: &Image, dynamic: &Dynamic) -> Pointers {
        let is_got = |kind: u32| Formula::of(kind).is_some_and(|formula| formula.base == Base::Entry);
        let is_replaceable = |n: usize| image.symbols[n].is_replaceable() && dynamic.number(n).is_some();
        let is_named = |of: Referent| matches!(of, Referent::Symbol(n) if is_replaceable(n));
        let mut entries: BTreeSet<(usize, bool)> = BTreeSet::new();
        let (mut count, mut relative) = (0, 0);
        for relocation in relocations(image) {
            if is_got(relocation.kind) {
                entries.insert(key(relocation.of));
            }
            let is_pointer = relocation.kind == kinds::ABS64;
            count += usize::from(is_pointer);
            relative += u64::from(is_pointer && !is_named(relocation.of));
        }
        // As in LLVM's linker, the entries of global symbols come first, in the order of the symbols.
        let is_local = |n: usize| image.symbols.get(n).is_some_and(Symbol::is_local);
        let mut entries: Vec<(usize, bool)> = entries.into_iter().collect();
        entries.sort_by_key(|&(n, is_symbol)| (!is_symbol, is_symbol && is_local(n), n));
        count += entries.len();
        relative += entries.iter().filter(|entry| !is_named(of_key(**entry))).count() as u64;
        Pointers { got: entries.into_iter().zip((0..).step_by(8)).collect(), count, relative }
    }
}

/// Adds the sections that a linker makes, with zeros in place of contents that depend on addresses.
fn add_tables(chunks: &mut Vec<Chunk>, dynamic: &Dynamic, pointers: &Pointers) {
    let alloc = SHF_ALLOC;
    let zeros = |count: usize, size: usize| vec![0; count * size];
    let symbols = Chunk { info: 1, ..Chunk::new(".dynsym", SHT_DYNSYM, alloc, 8, SYMBOL, ".dynstr") };
    chunks.push(symbols.with(vec![0; dynamic.symbols_len()]));
    chunks.push(Chunk::new(".gnu.hash", SHT_GNU_HASH, alloc, 8, 0, ".dynsym").with(dynamic.gnu_hash()));
    chunks.push(Chunk::new(".hash", SHT_HASH, alloc, 4, 4, ".dynsym").with(dynamic.hash()));
    chunks.push(Chunk::new(".dynstr", SHT_STRTAB, alloc, 1, 0, "").with(dynamic.strings.clone()));
    if pointers.count > 0 {
        let table = Chunk::new(RELOCATIONS, SHT_RELA, alloc, 8, RELOCATION, ".dynsym");
        chunks.push(table.with(zeros(pointers.count, wide::RELOCATION)));
    }
    let tags = tables::tags(chunks, pointers.count > 0, pointers.relative > 0);
    let table = Chunk::new(DYNAMIC, SHT_DYNAMIC, alloc | SHF_WRITE, 8, wide::DYNAMIC as u64, ".dynstr");
    chunks.push(table.with(zeros(tags, wide::DYNAMIC)));
    if !pointers.got.is_empty() {
        let table = Chunk::new(GOT, SHT_PROGBITS, alloc | SHF_WRITE, 8, 0, "");
        chunks.push(table.with(zeros(pointers.got.len(), 8)));
    }
    // The bytes after the table of addresses, up to the end of its page, become read-only with the table.
    chunks.push(Chunk::new(RELRO_PADDING, SHT_NOBITS, alloc | SHF_WRITE, 1, 0, ""));
}

fn key(of: Referent) -> (usize, bool) {
    match of {
        Referent::Section(n) => (n, false),
        Referent::Symbol(n) => (n, true),
        Referent::None => (usize::MAX, true),
    }
}

/// The symbol or section of an entry of the table of addresses.
fn of_key((n, is_symbol): (usize, bool)) -> Referent {
    if is_symbol { Referent::Symbol(n) } else { Referent::Section(n) }
}

/// Assigns addresses, and offsets in the file. Returns the program headers.
fn place(chunks: &mut [Chunk]) -> Vec<Segment> {
    let mut kinds: Vec<u8> = chunks.iter().map(Chunk::segment).filter(|segment| *segment < 9).collect();
    kinds.dedup();
    let has_notes = chunks.iter().any(|chunk| chunk.rank() == 0);
    // The headers besides those of the segments are for the table of headers itself, .dynamic, the part that is
    // read-only after loading, the stack, and the notes, if there are any.
    let count = 1 + kinds.len() as u64 + 3 + u64::from(has_notes);
    let headers = FILE_HEADER + count * PROGRAM_HEADER;
    let (mut address, mut offset, mut segment) = (headers, headers, 0);
    // The end of the last section before padding.
    let mut end = headers;
    for chunk in chunks.iter_mut() {
        let is_first = chunk.segment() != segment;
        if is_first {
            segment = chunk.segment();
            // A new segment begins in the next page, at the offset in the page at which the last segment ended, in
            // memory and in the file.
            address = if segment < 9 { address.next_multiple_of(PAGE) + end % PAGE } else { 0 };
            offset += if segment < 9 { address.wrapping_sub(offset) % PAGE } else { 0 };
        }
        if segment < 9 {
            let padding = address.next_multiple_of(chunk.align) - address;
            address += padding;
            // The file has no bytes for a section without contents.
            offset += if chunk.kind == SHT_NOBITS && !is_first { 0 } else { padding };
            chunk.address = address;
            let is_padding = chunk.name == RELRO_PADDING && chunk.is_made();
            if is_padding {
                chunk.len = address.next_multiple_of(PAGE) - address;
            }
            end = if is_padding { address } else { address + chunk.len };
            address += chunk.len;
        } else {
            offset = offset.next_multiple_of(chunk.align);
        }
        chunk.offset = offset;
        offset += chunk.data.len() as u64;
    }
    program_headers(chunks, &kinds, count)
}

/// The program headers: for their own table, the segments, the dynamic table, the part that is read-only after loading,
/// the stack, and the notes.
fn program_headers(chunks: &[Chunk], kinds: &[u8], count: u64) -> Vec<Segment> {
    let header = |kind: u32, flags: u32, align: u64, of: &dyn Fn(&Chunk) -> bool| {
        let all: Vec<&Chunk> = chunks.iter().filter(|chunk| of(chunk)).collect();
        let (first, last) = (all.first()?, all.last()?);
        let is_first = kind == PT_LOAD && first.segment() == 0;
        let (offset, address) = if is_first { (0, 0) } else { (first.offset, first.address) };
        let memory_len = last.address + last.len - address;
        let len = all.iter().map(|chunk| chunk.offset + chunk.data.len() as u64).max()? - offset;
        Some(Segment { kind, flags, offset, address, len, memory_len, align })
    };
    let plain = |kind: u32, flags: u32, at: u64, len: u64, align: u64| Segment {
        kind,
        flags,
        offset: at,
        address: at,
        len,
        memory_len: len,
        align,
    };
    let mut all = vec![plain(PT_PHDR, PF_R, FILE_HEADER, count * PROGRAM_HEADER, 8)];
    for kind in kinds {
        let flags = [PF_R, PF_R | PF_X, PF_R | PF_W, PF_R | PF_W].get(usize::from(*kind)).copied().unwrap_or(PF_R);
        all.extend(header(PT_LOAD, flags, PAGE, &|chunk| chunk.segment() == *kind));
    }
    all.extend(header(PT_DYNAMIC, PF_R | PF_W, 8, &|chunk| chunk.name == DYNAMIC && chunk.is_made()));
    all.extend(header(PT_GNU_RELRO, PF_R, 1, &|chunk| chunk.segment() == 2));
    all.push(plain(PT_GNU_STACK, PF_R | PF_W, 0, 0, 0));
    all.extend(header(PT_NOTE, PF_R, 4, &|chunk| chunk.rank() == 0));
    all
}

struct Written<'a> {
    layout: Layout,
    dynamic: &'a Dynamic,
    got: &'a BTreeMap<(usize, bool), u64>,
    /// The relocations for the loader: address, kind, symbol and addend.
    loaded: Vec<(u64, u32, u32, i64)>,
    faults: Vec<Flaw>,
}

impl Written<'_> {
    /// Applies the relocations of all sections of the source.
    fn apply_all(&mut self, chunks: &mut [Chunk], image: &Image) {
        let mut places = BTreeMap::new();
        for (n, chunk) in chunks.iter().enumerate() {
            places.extend(chunk.inputs.iter().map(|(section, start)| (*section, (n, *start))));
        }
        for (section, output) in image.sections.iter().enumerate() {
            let Some(&(chunk, start)) = places.get(&section) else { continue };
            for relocation in &output.relocations {
                let relocation = Relocation { offset: start + relocation.offset, ..relocation.clone() };
                self.apply(&mut chunks[chunk], &relocation, &image.symbols);
            }
        }
    }

    fn apply(&mut self, chunk: &mut Chunk, relocation: &Relocation, symbols: &[Symbol]) {
        if relocation.kind == kinds::NONE {
            return;
        }
        let place = chunk.address + relocation.offset;
        let to = self.layout.address(relocation.of, relocation.addend, symbols);
        // The loader does not relocate sections outside of segments, such as tables for debuggers.
        let is_loaded = is_loaded(chunk.flags);
        if relocation.kind == kinds::ABS64 && is_loaded {
            self.load(place, relocation.of, relocation.addend, symbols);
            return;
        }
        let is_moved = match relocation.of {
            Referent::Section(_) => true,
            Referent::Symbol(n) => matches!(symbols[n].at, DefinedIn::Section(_)),
            Referent::None => false,
        };
        if relocation.kind == kinds::ABS32 && is_loaded && is_moved {
            let message = "the loader decides this address, which takes 64 bits";
            self.faults.push(Flaw::new(relocation.place, message).note("`.quad` has room for it"));
            return;
        }
        let Some(formula) = Formula::of(relocation.kind) else {
            self.faults.push(Flaw::new(relocation.place, "only a loader can apply a relocation of this kind"));
            return;
        };
        let open = match relocation.of {
            Referent::Symbol(n) if symbols[n].is_replaceable() && is_loaded && formula.base == Base::Symbol => Some(n),
            _ => None,
        };
        if open.is_some_and(|n| symbols[n].at != DefinedIn::Undefined || relocation.kind != kinds::ABS32_LO) {
            let name = open.map_or("", |n| &symbols[n].name);
            let message = format!("another module could replace `{name}`");
            let note = "`.protected` or `.hidden` keeps it, and @gotpcrel32 finds the one that is taken";
            self.faults.push(Flaw::new(relocation.place, message).note(note));
            return;
        }
        let value = match formula.base {
            Base::Symbol => formula.value(to, 0, place),
            Base::Entry => {
                let slot = self.got.get(&key(relocation.of)).copied().unwrap_or(0);
                let table = self.layout.addresses.get(GOT).copied().unwrap_or(0);
                formula.value(table + slot, relocation.addend, place)
            }
        };
        let (width, bits) = (formula.size, formula.size * 8);
        let fits = width == 8
            || if formula.is_signed() {
                (-1i64 << (bits - 1)..1i64 << (bits - 1)).contains(&(value as i64))
            } else {
                value >> bits == 0
            };
        if !fits {
            self.faults.push(Flaw::new(relocation.place, "the place is too far away"));
            return;
        }
        let at = relocation.offset as usize;
        if let Some(there) = chunk.data.get_mut(at..at + width) {
            there.copy_from_slice(value.to_le_bytes().get(..width).unwrap_or(&[]));
        }
    }

    /// Adds a relocation that makes the loader write an address.
    fn load(&mut self, place: u64, of: Referent, addend: i64, symbols: &[Symbol]) {
        if let Referent::Symbol(n) = of {
            if let Some(number) = self.dynamic.number(n).filter(|_| symbols[n].is_replaceable()) {
                self.loaded.push((place, kinds::ABS64, number, addend));
                return;
            }
        }
        let to = self.layout.address(of, addend, symbols);
        self.loaded.push((place, kinds::RELATIVE64, 0, to as i64));
    }

    fn fill_got(&mut self, chunks: &[Chunk], symbols: &[Symbol]) {
        let Some(table) = chunks.iter().find(|chunk| chunk.name == GOT && chunk.is_made()) else { return };
        let mut all: Vec<_> = self.got.iter().map(|(key, slot)| (*slot, *key)).collect();
        all.sort();
        for (slot, entry) in all {
            self.load(table.address + slot, of_key(entry), 0, symbols);
        }
    }
}
