//! Writes a code object with changes to its code.

use alloc::vec::Vec;

use amdgpu_isa::Target;
use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_object::elf::{self, File};
use amdgpu_object::{EM_AMDGPU, Image};

use crate::edits::second_entry;
use crate::layout::{Layout, fills};
use crate::{Edits, Error, code};

/// Relocations of an address in 64 bits, and of an address in the code object itself.
const ABS64: u32 = 3;
const RELATIVE64: u32 = 13;
/// The tables of relocations that are not read here. A file that has one of them is refused.
const SHT_REL: u32 = 9;
const SHT_RELR: u32 = 19;
/// Entries of the dynamic table that hold addresses.
const DYNAMIC_ADDRESSES: [u64; 12] = [3, 4, 5, 6, 7, 12, 13, 17, 23, 25, 26, 0x6fff_fef5];

/// The code object with the changes made: everything that points into its code follows, and all other bytes stay.
/// Without changes it is the same file, byte for byte.
///
/// `target` is the target of code outside of kernels; kernels have the waves of their descriptors.
///
/// # Errors
/// The file is damaged, or of a kind that cannot be changed; code uses its own address in an unknown way, or a branch
/// does not reach its target any more; a kernel's second entry moves, see [`Edits::keep_second_entry`].
pub fn rewrite(image: &Image<'_>, target: Target, edits: &Edits) -> Result<Vec<u8>, Error> {
    if edits.is_empty() {
        return Ok(image.bytes.into());
    }
    let file = File::parse(image.bytes)?;
    if !file.is_64 || !file.is_little || file.machine != EM_AMDGPU {
        return Err(Error::Layout);
    }
    let layout = Layout::new(&file, image, edits)?;
    let section = image.sections.first().ok_or(Error::Layout)?;
    let code = code::rewrite(section, target, &layout)?;
    let header = *layout.header()?;
    let (from, to) = (usize_of(header.offset)?, usize_of(header.offset + header.size)?);
    if code.len() as u64 != layout.len(header.offset, header.size, (header.offset, header.offset + header.size)) {
        return Err(Error::JumpsIntoInstructions);
    }
    let mut out = image.bytes.get(..from).ok_or(Error::Layout)?.to_vec();
    out.extend_from_slice(&code);
    out.resize(out.len().saturating_add(usize_of(layout.padding())?), 0);
    out.extend_from_slice(image.bytes.get(to..).ok_or(Error::Layout)?);
    Writer { layout: &layout, target, out }.all()
}

fn usize_of(number: u64) -> Result<usize, Error> {
    usize::try_from(number).map_err(|_| Error::Layout)
}

/// Writes the part of the file after the code.
struct Writer<'w, 'a> {
    layout: &'w Layout<'w, 'a>,
    target: Target,
    out: Vec<u8>,
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
        tables(elf::SHT_RELA).try_for_each(|table| self.relocations(table))?;
        tables(elf::SHT_DYNAMIC).try_for_each(|table| self.dynamic(table))?;
        // The relocations that a linker keeps (`--emit-relocs`) are of kinds that are not known here.
        let is_linked = |section: &elf::Section| section.kind == elf::SHT_RELA && section.flags & elf::SHF_ALLOC == 0;
        let is_unread = |section: &elf::Section| {
            section.size > 0 && ([SHT_REL, SHT_RELR].contains(&section.kind) || is_linked(section))
        };
        if layout.sections.iter().any(is_unread) {
            return Err(Error::Layout);
        }
        self.descriptors()?;
        Ok(self.out)
    }

    /// Writes a number at an offset of the old file.
    fn put(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let at = usize_of(self.layout.offset(offset)?)?;
        let to = at.checked_add(bytes.len()).and_then(|end| self.out.get_mut(at..end)).ok_or(Error::Layout)?;
        to.copy_from_slice(bytes);
        Ok(())
    }

    fn put64(&mut self, offset: u64, value: u64) -> Result<(), Error> {
        self.put(offset, &value.to_le_bytes())
    }

    fn file_header(&mut self) -> Result<(), Error> {
        let bytes = self.layout.file.bytes;
        // The entry point, and the offsets of the headers of segments and sections.
        for (at, is_address) in [(24, true), (32, false), (40, false)] {
            let field = bytes.get(at..at + 8).and_then(|field| field.try_into().ok()).ok_or(Error::Layout)?;
            let old = u64::from_le_bytes(field);
            let new = if is_address { self.layout.address(old) } else { self.layout.offset(old)? };
            self.put64(at as u64, new)?;
        }
        Ok(())
    }

    fn section(&mut self, number: usize, section: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let at = layout.file.section_header(number);
        let is_loaded = section.flags & elf::SHF_ALLOC != 0;
        let is_code = number == layout.code;
        let address = match is_loaded && !is_code {
            true => layout.address_in(number, section.address),
            false => section.address,
        };
        let size = match is_code {
            true => layout.len(section.address, section.size, layout.code_addresses()),
            false => self.size(section, address),
        };
        self.put64(at + 16, address)?;
        self.put64(at + 24, if is_code { section.offset } else { layout.offset(section.offset)? })?;
        self.put64(at + 32, size)
    }

    /// The new size of a section without code. A section that fills a page up to its end still does.
    fn size(&self, section: &elf::Section, address: u64) -> u64 {
        match self.layout.is_filler(section) {
            true => fills(address),
            false => section.size,
        }
    }

    fn segment(&mut self, number: usize, segment: &elf::Segment) -> Result<(), Error> {
        let layout = self.layout;
        let at = layout.file.segment_header(number);
        let code = *layout.header()?;
        let in_file = (code.offset, code.offset + code.size);
        let is_code = segment.offset == code.offset && segment.address == code.address;
        let offset = if is_code { segment.offset } else { layout.offset(segment.offset)? };
        let address = match is_code || segment.address < code.address {
            true => segment.address,
            false => layout.address_in(usize::MAX, segment.address),
        };
        let mut memory = layout.len(segment.address, segment.memory_size, layout.code_addresses());
        // The segment ends with the section that ends there.
        let end = segment.address.wrapping_add(segment.memory_size);
        let is_last = |section: &&elf::Section| {
            let has_size = section.size > 0 || self.layout.is_filler(section);
            section.kind == elf::SHT_NOBITS && has_size && section.address.wrapping_add(section.size) == end
        };
        if let Some(last) = layout.sections.iter().find(is_last) {
            let start = layout.address_in(usize::MAX, last.address);
            memory = start.wrapping_add(self.size(last, start)).wrapping_sub(address);
        }
        self.put64(at + 8, offset)?;
        self.put64(at + 16, address)?;
        self.put64(at + 24, address)?;
        self.put64(at + 32, layout.len(segment.offset, segment.size, in_file))?;
        self.put64(at + 40, memory)
    }

    fn symbols(&mut self, table: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let is_loaded = |section: &elf::Section| section.flags & elf::SHF_ALLOC != 0;
        let data = layout.file.contents(table).bytes;
        for (number, symbol) in layout.file.symbols(data).enumerate() {
            let section = usize::from(symbol.section);
            if !layout.sections.get(section).is_some_and(is_loaded) {
                continue;
            }
            let at = table.offset + number as u64 * 24;
            let start = self.symbol(&symbol);
            let end = symbol.address.wrapping_add(symbol.size);
            let size = match symbol.size {
                0 => 0,
                _ => layout.address_in(section, end).wrapping_sub(start),
            };
            let size = if section == layout.code { size } else { symbol.size };
            self.put64(at + 8, start)?;
            self.put64(at + 16, size)?;
        }
        Ok(())
    }

    /// The new address of a symbol.
    fn symbol(&self, symbol: &elf::Symbol) -> u64 {
        let section = usize::from(symbol.section);
        match symbol.kind == elf::STT_SECTION && section == self.layout.code {
            true => symbol.address,
            false => self.layout.address_in(section, symbol.address),
        }
    }

    fn relocations(&mut self, table: &elf::Section) -> Result<(), Error> {
        let layout = self.layout;
        let is_loaded = |section: &elf::Section| section.flags & elf::SHF_ALLOC != 0;
        let data = layout.file.contents(table).bytes;
        let symbols = layout.sections.get(table.link).map_or(&[][..], |symbols| layout.file.contents(symbols).bytes);
        for (number, relocation) in layout.file.relocations(data).enumerate() {
            let at = table.offset + number as u64 * 24;
            let addend = match (relocation.kind, layout.file.symbol(symbols, relocation.symbol)) {
                (RELATIVE64, _) => layout.address(relocation.addend as u64) as i64,
                // A pointer into the middle of something moves with its target.
                (_, Some(symbol)) if layout.sections.get(usize::from(symbol.section)).is_some_and(is_loaded) => {
                    let goal = layout.address(symbol.address.wrapping_add_signed(relocation.addend));
                    goal.wrapping_sub(self.symbol(&symbol)) as i64
                }
                _ => relocation.addend,
            };
            let is_known = [ABS64, RELATIVE64].contains(&relocation.kind);
            if !is_known && addend != relocation.addend {
                return Err(Error::Layout);
            }
            self.put64(at, layout.address(relocation.address))?;
            self.put64(at + 16, addend as u64)?;
            self.pointer(&relocation)?;
        }
        Ok(())
    }

    /// Writes a pointer to its place, if the file has it there, and to the table.
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
        for (number, entry) in data.chunks_exact(16).enumerate() {
            let (tag, value) = entry.split_at(8);
            let [tag, value] = [tag, value].map(|half| half.try_into().map_or(0, u64::from_le_bytes));
            if DYNAMIC_ADDRESSES.contains(&tag) {
                self.put64(table.offset + number as u64 * 16 + 8, self.layout.address_in(usize::MAX, value))?;
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
                if is_kernel && symbol.section != 0 && usize::from(symbol.section) != layout.code {
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
        self.put64(offset + KernelDescriptor::ENTRY as u64, distance)
    }
}
