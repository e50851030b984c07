//! Writes a code object with changes to its code.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use amdgpu_isa::Target;
use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_object::elf::wide::{self, file_header, section_header, segment_header};
use amdgpu_object::elf::{self, File};
use amdgpu_object::relocation_kinds::{ABS64, NONE, RELATIVE64};
use amdgpu_object::{EM_AMDGPU, Image};

use crate::code::Number;
use crate::edits::second_entry;
use crate::layout::{Code, Layout, fills};
use crate::{Edits, Error, code, fixed};

/// The tags of entries of the dynamic table that hold addresses.
const DYNAMIC_ADDRESSES: [u64; 13] = [3, 4, 5, 6, 7, 12, 13, 17, 23, 25, 26, 36, 0x6fff_fef5];

/// The code object with the changes made: everything that points into its code is adapted, and all other bytes stay.
/// Without changes it is the same file, byte for byte.
///
/// `target` is the target of code outside of kernels; kernels have the lanes that their descriptors state.
///
/// # Errors
/// The file is damaged, or of a kind that cannot be changed; code uses its own address in an unknown way, a branch does
/// not reach its target any more, a relocation cannot be adapted, a change is not where an instruction begins, or a
/// kernel's second entry moves (see [`Edits::keep_second_entry`]).
pub fn rewrite(image: &Image<'_>, target: Target, edits: &Edits) -> Result<Vec<u8>, Error> {
    if edits.is_empty() {
        return Ok(image.bytes.into());
    }
    let file = File::parse(image.bytes)?;
    if !file.is_64 || !file.is_little || file.machine != EM_AMDGPU {
        return Err(Error::Layout);
    }
    if file.kind == elf::ET_REL {
        return Err(Error::Relocatable);
    }
    let layout = Layout::new(&file, image, edits)?;
    fixed::check(&layout, image, target)?;
    let mut sections: Vec<_> = image.sections.iter().collect();
    sections.sort_by_key(|section| section.address);
    let (mut out, mut from) = (Vec::with_capacity(image.bytes.len()), 0);
    let (mut numbers, mut changes) = (BTreeMap::new(), 0);
    for (section, code) in sections.into_iter().zip(&layout.codes) {
        let rewritten = code::rewrite(section, code, target, &layout)?;
        if rewritten.bytes.len() as u64 != code.size() {
            return Err(Error::JumpsIntoInstructions);
        }
        out.extend_from_slice(image.bytes.get(from..usize_of(code.header.offset)?).ok_or(Error::Layout)?);
        out.extend_from_slice(&rewritten.bytes);
        out.resize(out.len().saturating_add(usize_of(code.padding())?), 0);
        from = usize_of(code.file_end())?;
        changes += rewritten.changes;
        numbers.extend(rewritten.numbers);
    }
    if changes != edits.len() {
        return Err(Error::JumpsIntoInstructions);
    }
    out.extend_from_slice(image.bytes.get(from..).ok_or(Error::Layout)?);
    Writer { layout: &layout, target, out, numbers }.all()
}

fn usize_of(number: u64) -> Result<usize, Error> {
    usize::try_from(number).map_err(|_| Error::Layout)
}

/// The writer of everything but the code.
pub struct Writer<'w, 'a> {
    pub layout: &'w Layout<'w, 'a>,
    target: Target,
    out: Vec<u8>,
    /// The distances in code or descriptors, before and after the changes, by the old addresses of their places.
    pub numbers: BTreeMap<u64, Number>,
}

impl Writer<'_, '_> {
    fn all(mut self) -> Result<Vec<u8>, Error> {
        self.file_header()?;
        let layout = self.layout;
        layout.sections.iter().enumerate().try_for_each(|(number, section)| self.section(number, section))?;
        layout.segments.iter().enumerate().try_for_each(|(number, segment)| self.segment(number, segment))?;
        let tables = |kind| layout.sections.iter().filter(move |section| section.kind == kind);
        for table in tables(elf::SHT_SYMTAB).chain(tables(elf::SHT_DYNSYM)) {
            self.symbols(table)?;
        }
        tables(elf::SHT_DYNAMIC).try_for_each(|table| self.dynamic(table))?;
        // Relocations without addends can only stay if they merely name functions.
        let is_name = |entry: &&[u8]| entry.get(8..12) == Some(&NONE.to_le_bytes());
        for table in tables(elf::SHT_REL) {
            let mut entries = layout.file.contents(table).bytes.chunks_exact(wide::SHORT_RELOCATION);
            let is_loaded = layout.sections.get(table.info).is_some_and(|target| target.is_loaded());
            if let Some(entry) = entries.find(|entry| is_loaded || !is_name(entry)) {
                let address = entry.first_chunk().map_or(0, |address| u64::from_le_bytes(*address));
                return Err(Error::Relocation { address });
            }
        }
        tables(elf::SHT_RELR).try_for_each(|table| self.packed(table))?;
        self.descriptors()?;
        for table in tables(elf::SHT_RELA) {
            if table.is_loaded() { self.relocations(table)? } else { self.kept(table)? }
        }
        Ok(self.out)
    }

    /// Writes bytes to the place that was at an offset in the old file.
    pub fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let at = usize_of(self.layout.offset(offset))?;
        let to = at.checked_add(bytes.len()).and_then(|end| self.out.get_mut(at..end)).ok_or(Error::Layout)?;
        to.copy_from_slice(bytes);
        Ok(())
    }

    pub fn put64(&mut self, offset: u64, value: u64) -> Result<(), Error> {
        self.put(offset, &value.to_le_bytes())
    }

    /// Writes a field of the header, or of the entry of a table, that was at an offset in the old file.
    pub fn field(&mut self, header: u64, field: usize, value: u64) -> Result<(), Error> {
        self.put64(header + field as u64, value)
    }

    fn file_header(&mut self) -> Result<(), Error> {
        let bytes = self.layout.file.bytes;
        // The fields are the entry point, and the offsets of the headers of segments and sections.
        for (at, is_address) in
            [(file_header::ENTRY, true), (file_header::SEGMENTS, false), (file_header::SECTIONS, false)]
        {
            let field = bytes.get(at..at + 8).and_then(|field| field.try_into().ok()).ok_or(Error::Layout)?;
            let old = u64::from_le_bytes(field);
            let new = if is_address { self.layout.address(old) } else { self.layout.offset(old) };
            self.put64(at as u64, new)?;
        }
        Ok(())
    }

    fn section(&mut self, number: usize, section: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let at = layout.file.section_header(number);
        let is_loaded = section.is_loaded();
        let address = if is_loaded { layout.address_in(number, section.address) } else { section.address };
        let size = layout.code(number).map_or_else(|| self.size(section, address), Code::size);
        self.field(at, section_header::ADDRESS, address)?;
        self.field(at, section_header::OFFSET, layout.offset(section.offset))?;
        self.field(at, section_header::SIZE, size)
    }

    /// The new size of a section without code at its new address. A section that fills its page up to the end still
    /// fills the page at its new address.
    fn size(&self, section: &elf::Section, address: u64) -> u64 {
        match self.layout.is_filler(section) {
            true => fills(address),
            false => section.size,
        }
    }

    fn segment(&mut self, number: usize, segment: &elf::Segment) -> Result<(), Error> {
        let layout = self.layout;
        let at = layout.file.segment_header(number);
        // A segment that begins with code moves in memory as this code moves.
        let code = layout.codes.iter().find(|code| code.header.address == segment.address);
        let address = layout.address_in(code.map_or(usize::MAX, |code| code.number), segment.address);
        let mut memory = layout.memory_len(segment.address, segment.memory_size);
        // A segment that ended with a section without bytes still ends with it.
        let end = segment.address.wrapping_add(segment.memory_size);
        let is_last = |section: &&elf::Section| {
            let has_size = section.size > 0 || self.layout.is_filler(section);
            section.kind == elf::SHT_NOBITS && has_size && section.address.wrapping_add(section.size) == end
        };
        if let Some(last) = layout.sections.iter().find(is_last) {
            let start = layout.address_in(usize::MAX, last.address);
            memory = start.wrapping_add(self.size(last, start)).wrapping_sub(address);
        }
        self.field(at, segment_header::OFFSET, layout.offset(segment.offset))?;
        self.field(at, segment_header::ADDRESS, address)?;
        self.field(at, segment_header::PHYSICAL, address)?;
        self.field(at, segment_header::SIZE, layout.file_len(segment.offset, segment.size))?;
        self.field(at, segment_header::MEMORY_SIZE, memory)
    }

    fn symbols(&mut self, table: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let is_loaded = |section: &elf::Section| section.is_loaded();
        let data = layout.file.contents(table).bytes;
        for (number, symbol) in layout.file.symbols(data).enumerate() {
            let section = usize::from(symbol.section);
            if !layout.sections.get(section).is_some_and(is_loaded) {
                continue;
            }
            let at = table.offset + (number * wide::SYMBOL) as u64;
            let start = self.symbol(&symbol);
            let end = symbol.address.wrapping_add(symbol.size);
            let size = match symbol.size {
                0 => 0,
                _ => layout.address_in(section, end).wrapping_sub(start),
            };
            let size = if layout.code(section).is_some() { size } else { symbol.size };
            self.field(at, wide::symbol::ADDRESS, start)?;
            self.field(at, wide::symbol::SIZE, size)?;
        }
        Ok(())
    }

    /// The new address of a symbol.
    pub fn symbol(&self, symbol: &elf::Symbol) -> u64 {
        self.beside(symbol, symbol.address)
    }

    /// The new value of an address that belongs to the section of a symbol.
    pub fn beside(&self, symbol: &elf::Symbol, address: u64) -> u64 {
        let section = usize::from(symbol.section);
        let is_loaded = |section: &elf::Section| section.is_loaded();
        match self.layout.sections.get(section).is_some_and(is_loaded) {
            true => self.layout.address_in(section, address),
            false => address,
        }
    }

    fn relocations(&mut self, table: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let is_loaded = |section: &elf::Section| section.is_loaded();
        let data = layout.file.contents(table).bytes;
        let symbols = layout.sections.get(table.link).map_or(&[][..], |symbols| layout.file.contents(symbols).bytes);
        for (number, relocation) in layout.file.relocations(data).enumerate() {
            let at = table.offset + (number * wide::RELOCATION) as u64;
            let addend = match (relocation.kind, layout.file.symbol(symbols, relocation.symbol)) {
                (RELATIVE64, _) => layout.address(relocation.addend as u64) as i64,
                // A pointer to a place at a distance from the symbol follows this place.
                (_, Some(symbol)) if layout.sections.get(usize::from(symbol.section)).is_some_and(is_loaded) => {
                    let goal = self.beside(&symbol, symbol.address.wrapping_add_signed(relocation.addend));
                    goal.wrapping_sub(self.symbol(&symbol)) as i64
                }
                _ => relocation.addend,
            };
            let is_known = [ABS64, RELATIVE64].contains(&relocation.kind);
            if !is_known && addend != relocation.addend {
                return Err(Error::Layout);
            }
            self.field(at, wide::relocation::ADDRESS, layout.address(relocation.address))?;
            self.field(at, wide::relocation::ADDEND, addend as u64)?;
            self.pointer(&relocation)?;
        }
        Ok(())
    }

    /// Writes the pointers that a packed table lists, and the addresses in the table.
    fn packed(&mut self, table: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let data = layout.file.contents(table).bytes;
        for place in layout.file.packed_relocations(data) {
            let offset = layout.offset_of(place).ok_or(Error::Layout)?;
            let at = usize_of(offset)?;
            let old = layout.file.bytes.get(at..).and_then(|bytes| bytes.first_chunk()).ok_or(Error::Layout)?;
            self.put64(offset, layout.address(u64::from_le_bytes(*old)))?;
        }
        // The bits of the table encode distances between the pointers' places, so all these places have to move by the
        // same distance.
        let moved = |place: u64| layout.address(place).wrapping_sub(place);
        let mut first = None;
        for (number, entry) in data.chunks_exact(8).enumerate() {
            let entry = entry.try_into().map_or(0, u64::from_le_bytes);
            if entry & 1 == 0 {
                first = Some(entry);
                self.put64(table.offset + number as u64 * 8, layout.address(entry))?;
            }
        }
        let mut places = layout.file.packed_relocations(data);
        match first.is_none_or(|first| places.all(|place| moved(place) == moved(first))) {
            true => Ok(()),
            false => Err(Error::Layout),
        }
    }

    /// Writes the pointer of a relocation to its place, if the old file had the pointer there.
    fn pointer(&mut self, relocation: &elf::Relocation) -> Result<(), Error> {
        let layout = self.layout;
        let Some(offset) = layout.offset_of(relocation.address).filter(|_| relocation.kind == RELATIVE64) else {
            return Ok(());
        };
        let at = usize_of(offset)?;
        let old = layout.file.bytes.get(at..at.saturating_add(8)).and_then(|bytes| bytes.try_into().ok());
        match old.map(i64::from_le_bytes) {
            Some(old) if old == relocation.addend && old != 0 => self.put64(offset, layout.address(old as u64)),
            _ => Ok(()),
        }
    }

    fn dynamic(&mut self, table: &elf::Section) -> Result<(), Error> {
        let data = self.layout.file.contents(table).bytes;
        for (number, entry) in data.chunks_exact(wide::DYNAMIC).enumerate() {
            let (tag, value) = entry.split_at(wide::DYNAMIC_VALUE);
            let [tag, value] = [tag, value].map(|half| half.try_into().map_or(0, u64::from_le_bytes));
            if DYNAMIC_ADDRESSES.contains(&tag) {
                let at = table.offset + (number * wide::DYNAMIC) as u64;
                self.field(at, wide::DYNAMIC_VALUE, self.layout.address_in(usize::MAX, value))?;
            }
        }
        Ok(())
    }

    /// Writes the distance of each kernel from its descriptor.
    fn descriptors(&mut self) -> Result<(), Error> {
        let layout = self.layout;
        let kinds = [elf::SHT_SYMTAB, elf::SHT_DYNSYM];
        for table in layout.sections.iter().filter(|section| kinds.contains(&section.kind)) {
            let data = layout.file.contents(table).bytes;
            let names = layout.sections.get(table.link).map_or(&[][..], |names| layout.file.contents(names).bytes);
            let names = elf::texts(names);
            for symbol in layout.file.symbols(data) {
                let is_kernel = elf::text(names, symbol.name).is_some_and(|name| name.ends_with(b".kd"));
                if is_kernel && symbol.section != 0 && layout.code(symbol.section.into()).is_none() {
                    self.descriptor(symbol.address)?;
                }
            }
        }
        Ok(())
    }

    fn descriptor(&mut self, address: u64) -> Result<(), Error> {
        let layout = self.layout;
        let Some(offset) = layout.offset_of(address) else { return Ok(()) };
        let at = usize_of(offset)?;
        let Some(bytes) = layout.file.bytes.get(at..).and_then(|bytes| bytes.first_chunk()) else { return Ok(()) };
        let descriptor = KernelDescriptor::from_bytes(*bytes);
        let entry = address.wrapping_add_signed(descriptor.entry());
        let moves = |distance: u64| layout.address(entry.wrapping_add(distance)).wrapping_sub(layout.address(entry));
        if second_entry(self.target, &descriptor).is_some_and(|distance| moves(distance) != distance) {
            return Err(Error::SecondEntry { address: entry });
        }
        let distance = layout.address(entry).wrapping_sub(layout.address(address));
        let place = address.wrapping_add(KernelDescriptor::ENTRY as u64);
        self.numbers.insert(place, (descriptor.entry() as u64, distance));
        self.put64(offset + KernelDescriptor::ENTRY as u64, distance)
    }
}
