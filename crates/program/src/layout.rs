//! The layout of a code object after its code has changed its length.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use amdgpu_object::Image;
use amdgpu_object::elf::{self, File};

use crate::sections::{are_apart, check_types};
use crate::{Edits, Error};

const PAGE: u64 = 0x1000;
/// The greatest alignment, in bytes, of a section after code that changes its length. Up to this number of zeros are
/// written before the section.
const MOST_ALIGN: u64 = 1 << 24;

/// The number of bytes from an address to the next page; 0 if a page begins at the address.
pub fn fills(address: u64) -> u64 {
    (PAGE - address % PAGE) % PAGE
}

/// The file and its sections with code, before and after the changes.
pub struct Layout<'f, 'a> {
    pub file: &'f File<'a>,
    pub sections: Vec<elf::Section>,
    pub segments: Vec<elf::Segment>,
    /// The sections with code, in the order of their addresses.
    pub codes: Vec<Code>,
    /// The position of each section in `codes`, by the number of the section.
    numbers: BTreeMap<usize, usize>,
    edits: &'f Edits,
    /// Whether all sections keep their addresses, because no segment ties the addresses to offsets in the file.
    pub is_fixed: bool,
}

/// A section with code.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The number of the section.
    pub number: usize,
    /// The header of the section.
    pub header: elf::Section,
    /// The old address of the first byte; `end` is the old address after the last byte.
    start: u64,
    end: u64,
    /// The number of bytes by which the beginning of the section moves in the file; `after` is the number by which
    /// everything after the section moves. In memory, both move by the same numbers, unless sections keep their
    /// addresses.
    before: i64,
    after: i64,
    /// The number of bytes by which the section becomes longer; below 0 if it becomes shorter.
    grows: i64,
}

impl Code {
    /// The number of zeros that are written after the section.
    pub fn padding(&self) -> u64 {
        self.after.wrapping_sub(self.before).wrapping_sub(self.grows).try_into().unwrap_or(0)
    }

    /// The new length of the section in bytes.
    pub fn size(&self) -> u64 {
        self.header.size.wrapping_add_signed(self.grows)
    }

    /// The old offset, in the file, after the last byte of the section.
    pub fn file_end(&self) -> u64 {
        self.header.offset.saturating_add(self.header.size)
    }

    /// The number of bytes by which this code lengthens a part of the file or of memory that contains it. `own_end` is
    /// the end of the code, and `end` the end of the part.
    fn lengthens(&self, own_end: u64, end: u64) -> i64 {
        if end == own_end { self.grows } else { self.after.wrapping_sub(self.before) }
    }
}

impl<'f, 'a> Layout<'f, 'a> {
    /// The layout of a file with these changes to its code.
    ///
    /// # Errors
    /// The file is damaged, or does not allow its code to change.
    pub fn new(file: &'f File<'a>, image: &Image<'_>, edits: &'f Edits) -> Result<Layout<'f, 'a>, Error> {
        let (sections, damaged) = file.sections();
        let (segments, damaged_too) = file.segments();
        if let Some(kind) = damaged.or(damaged_too) {
            return Err(kind.into());
        }
        if sections.is_empty() {
            return Err(Error::NoSections);
        }
        check_types(file, &sections)?;
        if !are_apart(file, &sections) {
            return Err(Error::Layout);
        }
        let is_fixed = segments.is_empty();
        let own = sections.iter().copied().enumerate().filter(|(_, section)| section.is_code());
        let mut headers: Vec<(usize, elf::Section)> = own.collect();
        headers.sort_by_key(|(_, header)| header.address);
        let mut whole: Vec<_> = image.sections.iter().map(|own| (own.address, own.bytes.len() as u64)).collect();
        whole.sort_unstable();
        // Kernel descriptors of version 2 are in the code: such a section of the file becomes several sections of the
        // image.
        if headers.is_empty() || !headers.iter().map(|(_, header)| (header.address, header.size)).eq(whole) {
            return Err(Error::Version2);
        }
        let mut layout =
            Layout { file, sections, segments, codes: Vec::new(), numbers: BTreeMap::new(), edits, is_fixed };
        let align = layout.align(&headers)?;
        let mut before = 0i64;
        for (number, header) in headers {
            let (start, end) = (header.address, header.address.checked_add(header.size).ok_or(Error::Layout)?);
            let grows = edits.moved_in(start, end).wrapping_sub(end) as i64;
            let steps = grows.div_euclid(align) + i64::from(grows.rem_euclid(align) > 0);
            let after = steps.checked_mul(align).and_then(|shift| before.checked_add(shift)).ok_or(Error::Layout)?;
            layout.numbers.insert(number, layout.codes.len());
            layout.codes.push(Code { number, header, start, end, before, after, grows });
            before = after;
        }
        layout.check()?;
        Ok(layout)
    }

    /// The greatest alignment of the loaded sections after the first code: these sections move by multiples of it.
    fn align(&self, headers: &[(usize, elf::Section)]) -> Result<i64, Error> {
        let first = headers.first().map(|(_, header)| *header).ok_or(Error::Layout)?;
        let is_after = |section: &&elf::Section| match self.is_fixed {
            false => section.address >= first.address.saturating_add(first.size),
            true => section.offset >= first.offset.saturating_add(first.size),
        };
        let loaded = self.sections.iter().filter(|section| section.is_loaded());
        let align = loaded.filter(is_after).fold(8, |align: u64, section| {
            align.max(section.align).max(if self.begins_page(section) { PAGE } else { 1 })
        });
        // If addresses do not depend on offsets in the file, sections need no alignment in the file.
        match align {
            _ if self.is_fixed => Ok(align.min(PAGE) as i64),
            0..=MOST_ALIGN => Ok(align as i64),
            _ => Err(Error::Layout),
        }
    }

    /// Checks that nothing overlaps code in the file. Also checks that sections after code in memory are after it in
    /// the file, or, if sections keep their addresses, that code does not reach the next section.
    fn check(&self) -> Result<(), Error> {
        let is_loaded = |section: &elf::Section| section.is_loaded();
        let has_bytes = |section: &elf::Section| section.kind != elf::SHT_NOBITS && section.size > 0;
        let in_file = self.sections.iter().enumerate().filter(|(number, section)| *number > 0 && has_bytes(section));
        let mut in_file: Vec<(usize, &elf::Section)> = in_file.collect();
        in_file.sort_by_key(|(_, section)| section.offset);
        // The lowest address of all sections that are later in the file than a section, in the reverse order of the
        // file.
        let mut lowest = Vec::with_capacity(in_file.len());
        let mut low = u64::MAX;
        for (_, section) in in_file.iter().rev() {
            lowest.push(low);
            low = if is_loaded(section) { low.min(section.address) } else { low };
        }
        let mut starts: Vec<u64> = self.sections.iter().filter(|s| is_loaded(s)).map(|s| s.address).collect();
        starts.sort_unstable();
        let (mut end, mut highest, mut last) = (0u64, 0u64, 0u64);
        let next = in_file.iter().skip(1).map(|(_, section)| section.offset).chain([u64::MAX]);
        for (((number, section), low), next) in in_file.iter().zip(lowest.iter().rev()).zip(next) {
            if let Some(code) = self.code(*number) {
                let new_end = code.end.wrapping_add_signed(code.grows);
                let is_ordered = last <= code.start && (self.is_fixed || highest < code.end && *low >= code.end);
                last = code.end;
                let after = starts.get(starts.partition_point(|start| *start < code.end));
                let has_room = !self.is_fixed || after.is_none_or(|after| *after >= new_end);
                if end > section.offset || next < code.file_end() || !is_ordered || !has_room {
                    return Err(Error::Layout);
                }
            }
            end = end.max(section.offset.saturating_add(section.size));
            highest = if is_loaded(section) { highest.max(section.address) } else { highest };
        }
        Ok(())
    }

    /// The section with code that has a number.
    pub fn code(&self, section: usize) -> Option<&Code> {
        self.codes.get(*self.numbers.get(&section)?)
    }

    /// Whether a section begins where a page begins, and another section fills the page before it.
    fn begins_page(&self, section: &elf::Section) -> bool {
        let fills_up_to = |filler: &elf::Section| {
            filler.address.wrapping_add(filler.size) == section.address && self.is_filler(filler)
        };
        let begins = section.size > 0 && section.address % PAGE == 0;
        begins && self.sections.iter().any(fills_up_to)
    }

    /// Whether a section fills the last page of a segment that is read-only after loading. Such a section is empty if
    /// the last page is already full.
    pub fn is_filler(&self, section: &elf::Section) -> bool {
        let end = section.address.wrapping_add(section.size);
        let is_end = |segment: &elf::Segment| {
            segment.kind == elf::PT_GNU_RELRO && segment.address.wrapping_add(segment.memory_size) == end
        };
        let has_no_bytes = section.kind == elf::SHT_NOBITS && section.is_loaded();
        let is_full = section.align == 1 && section.size == fills(section.address);
        has_no_bytes && is_full && self.segments.iter().any(is_end)
    }

    /// The distance by which contents move in memory if they move by `distance` in the file.
    fn in_memory(&self, distance: i64) -> i64 {
        if self.is_fixed { 0 } else { distance }
    }

    /// The new value of an address, in whatever section it is.
    pub fn address(&self, address: u64) -> u64 {
        self.address_in(self.code_of(address).unwrap_or(usize::MAX), address)
    }

    /// The number of the section with code that an address points into. The end of the section counts as inside, unless
    /// another section begins there.
    pub fn code_of(&self, address: u64) -> Option<usize> {
        let begins = |section: &elf::Section| section.is_loaded() && section.size > 0 && section.address == address;
        let code = self.last(|code| code.start <= address)?;
        let is_inside = match address.cmp(&code.end) {
            Ordering::Less => true,
            Ordering::Equal => !self.sections.iter().any(begins),
            Ordering::Greater => false,
        };
        is_inside.then_some(code.number)
    }

    /// The last section with code for which `is_before` holds; `is_before` must hold for all earlier sections, too.
    fn last(&self, is_before: impl Fn(&Code) -> bool) -> Option<&Code> {
        self.codes.get(self.codes.partition_point(is_before).checked_sub(1)?)
    }

    /// The new value of an address that belongs to a section. A section that begins where code ends moves with the rest
    /// of the file, but the end of the code does not. An address of the code beyond its end keeps its distance from the
    /// end.
    pub fn address_in(&self, section: usize, address: u64) -> u64 {
        let own = self.code(section).filter(|code| code.start <= address);
        let Some(code) = own.or_else(|| self.last(|code| code.start <= address)) else { return address };
        let moved = |address| self.edits.moved_in(code.start, address).wrapping_add_signed(self.in_memory(code.before));
        match address {
            _ if address > code.end && own.is_some() => moved(code.end).wrapping_add(address - code.end),
            _ if address < code.end || own.is_some() => moved(address),
            _ => address.wrapping_add_signed(self.in_memory(code.after)),
        }
    }

    /// The new address of an instruction of a section with code, after the instructions that are inserted before it.
    pub fn inst(&self, code: &Code, address: u64) -> u64 {
        self.address_in(code.number, address).wrapping_add_signed(self.edits.inserted(address))
    }

    /// The new target of a branch in a section with code.
    pub fn target_of(&self, code: &Code, goal: u64) -> u64 {
        match (code.start..=code.end).contains(&goal) {
            true => self.address_in(code.number, goal),
            false => self.address(goal),
        }
    }

    /// The new offset of a byte of the file.
    pub fn offset(&self, offset: u64) -> u64 {
        let before = self.last(|code| code.file_end() <= offset);
        before.map_or(offset, |code| offset.wrapping_add_signed(code.after))
    }

    /// The new length of a part of the file, which begins at the old offset `start`.
    pub fn file_len(&self, start: u64, len: u64) -> u64 {
        self.len((start, len), |code| (code.header.offset, code.file_end()))
    }

    /// The new length of a part of memory, which begins at the old address `start`.
    pub fn memory_len(&self, start: u64, len: u64) -> u64 {
        self.len((start, len), |code| (code.start, code.end))
    }

    fn len(&self, (start, len): (u64, u64), of: impl Fn(&Code) -> (u64, u64)) -> u64 {
        let end = start.saturating_add(len);
        let inside =
            self.codes.iter().map(|code| (code, of(code))).filter(|(_, (from, to))| start <= *from && *to <= end);
        inside.fold(len, |len, (code, (_, to))| len.wrapping_add_signed(code.lengthens(to, end)))
    }

    /// Whether an address is in a loaded section or at its end.
    pub fn is_loaded(&self, address: u64) -> bool {
        let end = |section: &elf::Section| section.address.saturating_add(section.size);
        let holds = |section: &elf::Section| (section.address..=end(section)).contains(&address);
        self.sections.iter().any(|section| section.is_loaded() && section.size > 0 && holds(section))
    }

    /// The offset, in the old file, of the byte at an old address; `None` if no section contains the byte.
    pub fn offset_of(&self, address: u64) -> Option<u64> {
        let has_bytes = |section: &&elf::Section| section.is_loaded() && section.kind != elf::SHT_NOBITS;
        let mut offsets = self.sections.iter().filter(has_bytes).filter_map(|section| {
            let from = address.checked_sub(section.address).filter(|from| *from < section.size)?;
            section.offset.checked_add(from)
        });
        offsets.next()
    }

    /// The changes that the layout is for.
    pub fn edits(&self) -> &Edits {
        self.edits
    }
}
