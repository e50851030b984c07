//! The layout of a code object after its code has changed its length.

use alloc::vec::Vec;

use amdgpu_object::elf::{self, File};
use amdgpu_object::{Image, Section};

use crate::{Edits, Error};

const PAGE: u64 = 0x1000;
/// A segment that is read-only after loading.
const PT_GNU_RELRO: u32 = 0x6474_e552;

/// The number of bytes from an address to the end of its page.
pub fn fills(address: u64) -> u64 {
    (PAGE - address % PAGE) % PAGE
}

/// The file and the section with its code, before and after.
pub struct Layout<'f, 'a> {
    pub file: &'f File<'a>,
    pub sections: Vec<elf::Section>,
    pub segments: Vec<elf::Segment>,
    /// The number of the section with code.
    pub code: usize,
    edits: &'f Edits,
    /// The addresses of the beginning and end of the code.
    start: u64,
    end: u64,
    /// The distance by which everything after the code moves, in the file and in memory.
    shift: i64,
    /// The number of bytes by which the code becomes longer.
    grows: i64,
}

impl<'f, 'a> Layout<'f, 'a> {
    /// # Errors
    /// The file is damaged, or does not allow its code to change.
    pub fn new(file: &'f File<'a>, image: &Image<'_>, edits: &'f Edits) -> Result<Layout<'f, 'a>, Error> {
        let (sections, damaged) = file.sections();
        let (segments, damaged_too) = file.segments();
        if let Some(kind) = damaged.or(damaged_too) {
            return Err(kind.into());
        }
        if file.kind == elf::ET_REL {
            return Err(Error::Relocatable);
        }
        let mut code = sections.iter().enumerate().filter(|(_, section)| section.is_code());
        let (Some((code, header)), None) = (code.next(), code.next()) else { return Err(Error::ManySections) };
        let (start, end) = (header.address, header.address.checked_add(header.size).ok_or(Error::Layout)?);
        // Descriptors of version 2 divide the section.
        let is_whole = |section: &Section<'_>| (section.address, section.bytes.len() as u64) == (start, header.size);
        if !(image.sections.len() == 1 && image.sections.iter().all(is_whole)) {
            return Err(Error::Version2);
        }
        let grows = edits.moved(end).wrapping_sub(end) as i64;
        let mut layout = Layout { file, sections, segments, code, edits, start, end, shift: 0, grows };
        layout.shift = layout.shift()?;
        Ok(layout)
    }

    /// The header of the section with code.
    pub fn header(&self) -> Result<&elf::Section, Error> {
        self.sections.get(self.code).ok_or(Error::Layout)
    }

    /// The distance by which everything after the code moves: a multiple of all alignments there.
    fn shift(&self) -> Result<i64, Error> {
        let header = self.header()?;
        let code_end = header.offset.checked_add(header.size).ok_or(Error::Layout)?;
        let mut align = 8;
        for (number, section) in self.sections.iter().enumerate().filter(|(number, _)| *number != self.code) {
            let is_loaded = section.flags & elf::SHF_ALLOC != 0;
            let is_after = match is_loaded {
                true => section.address >= self.end,
                false => section.offset >= code_end,
            };
            // The parts after the code in memory are after it in the file, too, and do not overlap it.
            let has_bytes = section.kind != elf::SHT_NOBITS && section.size > 0;
            let is_clear = match is_after {
                true => section.offset >= code_end,
                false => section.offset.saturating_add(section.size) <= header.offset || number == 0,
            };
            if has_bytes && !is_clear {
                return Err(Error::Layout);
            }
            if is_after && is_loaded {
                align = align.max(section.align).max(if self.begins_page(section) { PAGE } else { 1 });
            }
        }
        let align = i64::try_from(align).map_err(|_| Error::Layout)?;
        let steps = self.grows.div_euclid(align) + i64::from(self.grows.rem_euclid(align) > 0);
        steps.checked_mul(align).ok_or(Error::Layout)
    }

    /// Whether a section begins with a page, so that the page before it is filled.
    fn begins_page(&self, section: &elf::Section) -> bool {
        let fills_up_to = |filler: &elf::Section| {
            filler.address.wrapping_add(filler.size) == section.address && self.is_filler(filler)
        };
        let begins = section.size > 0 && section.address % PAGE == 0;
        begins && self.sections.iter().any(fills_up_to)
    }

    /// Whether a section fills the last page of a segment that is read-only after loading. The section is empty if
    /// there is nothing to fill.
    pub fn is_filler(&self, section: &elf::Section) -> bool {
        let end = section.address.wrapping_add(section.size);
        let is_end = |segment: &elf::Segment| {
            segment.kind == PT_GNU_RELRO && segment.address.wrapping_add(segment.memory_size) == end
        };
        let has_no_bytes = section.kind == elf::SHT_NOBITS && section.flags & elf::SHF_ALLOC != 0;
        let is_full = section.align == 1 && section.size == fills(section.address);
        has_no_bytes && is_full && self.segments.iter().any(is_end)
    }

    /// The number of zeros after the code.
    pub fn padding(&self) -> u64 {
        self.shift.wrapping_sub(self.grows).try_into().unwrap_or(0)
    }

    /// The new value of an address that points to something.
    pub fn address(&self, address: u64) -> u64 {
        self.address_in(if self.is_code(address) { self.code } else { usize::MAX }, address)
    }

    /// Whether an address points into the code. The end of the code counts, unless another section begins there.
    pub fn is_code(&self, address: u64) -> bool {
        let begins = |section: &elf::Section| {
            section.flags & elf::SHF_ALLOC != 0 && section.size > 0 && section.address == address
        };
        match address {
            _ if address == self.end && self.end > self.start => !self.sections.iter().any(begins),
            _ => (self.start..=self.end).contains(&address),
        }
    }

    /// The new value of an address of a section. A section that begins where the code ends moves with the rest of the
    /// file; the end itself does not. An address beyond the end that belongs to the code stays as far from the end.
    pub fn address_in(&self, section: usize, address: u64) -> u64 {
        let is_code = section == self.code;
        match address {
            _ if address < self.start => address,
            _ if address > self.end && is_code => self.edits.moved(self.end).wrapping_add(address - self.end),
            _ if address == self.end && !is_code => address.wrapping_add_signed(self.shift),
            _ if address <= self.end => self.edits.moved(address),
            _ => address.wrapping_add_signed(self.shift),
        }
    }

    /// The new offset of a byte of the file.
    pub fn offset(&self, offset: u64) -> Result<u64, Error> {
        let header = self.header()?;
        Ok(match offset {
            _ if offset <= header.offset => offset,
            _ if offset < header.offset.saturating_add(header.size) => offset,
            _ => offset.wrapping_add_signed(self.shift),
        })
    }

    /// The new length of a part that begins at an offset or an address. `code` is the beginning and end of the code, in
    /// the same terms.
    pub fn len(&self, start: u64, len: u64, code: (u64, u64)) -> u64 {
        let end = start.saturating_add(len);
        match code {
            (from, to) if start <= from && end == to && len > 0 => len.wrapping_add_signed(self.grows),
            (from, to) if start <= from && end > to => len.wrapping_add_signed(self.shift),
            _ => len,
        }
    }

    /// The addresses where the code begins and ends.
    pub fn code_addresses(&self) -> (u64, u64) {
        (self.start, self.end)
    }

    /// Whether an address is that of a loaded byte, or of the end of a loaded part.
    pub fn is_loaded(&self, address: u64) -> bool {
        let end = |section: &elf::Section| section.address.saturating_add(section.size);
        let holds = |section: &elf::Section| (section.address..=end(section)).contains(&address);
        self.sections.iter().any(|section| section.flags & elf::SHF_ALLOC != 0 && section.size > 0 && holds(section))
    }

    /// The offset in the old file of the byte at an address; `None` if no section has it.
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        let has_bytes =
            |section: &&elf::Section| section.flags & elf::SHF_ALLOC != 0 && section.kind != elf::SHT_NOBITS;
        let mut offsets = self.sections.iter().filter(has_bytes).filter_map(|section| {
            let from = address.checked_sub(section.address).filter(|from| *from < section.size)?;
            section.offset.checked_add(from)
        });
        offsets.next()
    }

    /// The changes.
    pub fn edits(&self) -> &Edits {
        self.edits
    }
}
