//! Objects for a linker, laid out in memory as a linker could: each section has an address, and the relocations have
//! been applied. Code that changes linked files can then change these objects, too, and the result becomes an object
//! for a linker again.
//!
//! Every section has room after it, so that no section moves when code becomes longer. Symbols that the object does not
//! define, and the entries of the table of addresses (GOT), lie in section 0, after all other sections: 32-bit
//! distances that are not sign-extended reach only later addresses.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use amdgpu_isa::Target;
use amdgpu_object::elf::wide::{self, file_header, section_header};
use amdgpu_object::elf::{self, File, Section};
use amdgpu_object::relocation_kinds::{Base, Formula, Part};

use crate::sections::{are_apart, check_types};
use crate::{Edits, Error, implicit};

/// The number of bytes for each symbol in section 0: a symbol that the object does not define is at the beginning, and
/// the symbol's entry in the table of addresses is at `ENTRY`.
const STRIDE: u64 = 0x1000;
const ENTRY: u64 = 0x800;
/// The least room after a section, and the least alignment of sections, in bytes.
const ROOM: u64 = 0x1_0000;
/// The offset of the address in the header of a section.
const ADDRESS: u64 = section_header::ADDRESS as u64;

/// An object for a linker, laid out with addresses for its sections.
///
/// ```
/// use amdgpu_isa::{Target, parse};
/// use amdgpu_object::{Error, Part};
/// use amdgpu_program::{Edits, Placed, rewrite, validate};
///
/// let object = include_bytes!("../tests/call.o"); // see its source, tests/call.s
/// let placed = Placed::new(object)?.expect("it is an object for a linker");
/// let nop = parse(Target::Gfx942, "s_nop 0").unwrap();
/// let mut edits = Edits::default();
/// amdgpu_object::visit(placed.bytes(), None, |part| {
///     if let Part::Image(image) = part {
///         edits.insert(image.kernels().next().unwrap().address, &[nop]);
///     }
///     Ok::<(), Error>(())
/// }).unwrap();
/// let longer = placed.rewrite(Target::Gfx942, &edits)?;
/// assert!(longer.len() > object.len());
/// validate(object, &longer, Target::Gfx942, |inst| *inst == nop).unwrap();
/// # Ok::<(), amdgpu_program::Error>(())
/// ```
pub struct Placed<'a> {
    plain: &'a [u8],
    /// The object with addends in all tables of relocations.
    old: Cow<'a, [u8]>,
    places: Places,
    bytes: Vec<u8>,
}

impl<'a> Placed<'a> {
    /// Lays an object out; `None` if the file is already linked.
    ///
    /// # Errors
    /// The file is damaged or cannot be laid out, or the place or the distance of a relocation does not fit.
    pub fn new(file: &'a [u8]) -> Result<Option<Placed<'a>>, Error> {
        let parsed = File::parse(file)?;
        if !is_relocatable(&parsed) {
            return Ok(None);
        }
        let old = implicit::with_addends(file)?;
        let parsed = File::parse(&old)?;
        let places = Places::new(&parsed)?;
        let bytes = places.link(&parsed)?;
        Ok(Some(Placed { plain: file, old, places, bytes }))
    }

    /// The object as if it were linked, with the addresses to which [`Edits`] refer.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The number of the section that contains an address, and the offset in this section, in bytes.
    pub fn origin(&self, address: u64) -> Option<(usize, u64)> {
        self.places.origin(address)
    }

    /// The object with the changes made, still for a linker: its relocations and symbols are adapted, and all other
    /// bytes stay.
    ///
    /// # Errors
    /// The errors of [`rewrite`](crate::rewrite()), with sections and offsets in place of addresses:
    /// [`Error::InSection`].
    pub fn rewrite(&self, target: Target, edits: &Edits) -> Result<Vec<u8>, Error> {
        let mut result = Err(Error::Layout);
        crate::visit(&self.bytes, &mut |image| result = crate::rewrite(image, target, edits));
        let new = result.map_err(|error| self.located(error))?;
        let new = self.places.unlink(&File::parse(&self.old)?, &File::parse(&new)?)?;
        implicit::without_addends(self.plain, &self.old, new)
    }

    /// The name of the section that contains an address, with U+FFFD in place of bytes that are not UTF-8, and the
    /// offset in this section, in bytes.
    pub fn place(&self, address: u64) -> Option<(String, u64)> {
        let (number, offset) = self.origin(address)?;
        let file = File::parse(&self.old).ok()?;
        let (sections, _) = file.sections();
        let name = elf::text(file.section_names(&sections), sections.get(number)?.name).unwrap_or_default();
        Some((String::from_utf8_lossy(name).into_owned(), offset))
    }

    /// The error with the section and the offset of its place, instead of the address that this layout gives.
    fn located(&self, error: Error) -> Error {
        let mut inside = None;
        let error = error.at(|address| match self.place(address) {
            Some((section, offset)) => {
                inside = Some(section);
                offset
            }
            None => address,
        });
        match inside {
            Some(section) => Error::InSection { section, reason: Box::new(error) },
            None => error,
        }
    }

    /// Another object with the same sections, as if it were linked, with the same address for each section.
    pub(crate) fn link(&self, other: &[u8]) -> Result<Vec<u8>, Error> {
        let other = implicit::with_addends(other)?;
        let other = File::parse(&other)?;
        if is_relocatable(&other) { self.places.link(&other) } else { Err(Error::Layout) }
    }
}

/// The addresses for the sections of an object for a linker.
struct Places {
    /// The address and the room in bytes of each section; `None` for a section that is not loaded.
    sections: Vec<Option<(u64, u64)>>,
    /// The address and the size of section 0, for symbols that the object does not define.
    outside: (u64, u64),
}

/// Whether a file is an object for a linker.
fn is_relocatable(file: &File<'_>) -> bool {
    file.is_64 && file.is_little && file.kind == elf::ET_REL
}

/// The sections of a file, or an error if some are missing.
fn sections(file: &File<'_>) -> Result<Vec<Section>, Error> {
    let (sections, damaged) = file.sections();
    match damaged {
        Some(kind) => Err(kind.into()),
        None => Ok(sections),
    }
}

/// The sections of a kind, such as tables of symbols or of relocations.
fn tables(sections: &[Section], kind: u32) -> impl Iterator<Item = &Section> {
    sections.iter().filter(move |section| section.kind == kind)
}

impl Places {
    /// The addresses for a file's sections, in the order of the sections in the file.
    ///
    /// # Errors
    /// The file is damaged, or has tables that cannot be read or overlap.
    fn new(file: &File<'_>) -> Result<Places, Error> {
        let sections = sections(file)?;
        check_types(file, &sections)?;
        if !are_apart(file, &sections) {
            return Err(Error::Layout);
        }
        let symbols =
            tables(&sections, elf::SHT_SYMTAB).map(|table| table.size / wide::SYMBOL as u64).max().unwrap_or(0);
        let mut places = Places { sections: alloc::vec![None; sections.len()], outside: (0, 0) };
        let mut order: Vec<usize> = (1..sections.len()).collect();
        order.sort_by_key(|number| sections.get(*number).map(|section| section.offset));
        let mut next = ROOM;
        for number in order {
            let Some(section) = sections.get(number).filter(|section| section.is_loaded()) else {
                continue;
            };
            let align = section.align.max(ROOM);
            let address = next.checked_next_multiple_of(align).ok_or(Error::Layout)?;
            let room = section.size.saturating_mul(2).saturating_add(ROOM);
            next = address.saturating_add(room);
            if let Some(place) = places.sections.get_mut(number) {
                *place = Some((address, room));
            }
        }
        let start = next.checked_next_multiple_of(STRIDE).ok_or(Error::Layout)?;
        places.outside = (start, symbols.saturating_add(1).saturating_mul(STRIDE));
        Ok(places)
    }

    /// The address of a section; 0 if it has none.
    fn address(&self, section: usize) -> u64 {
        self.sections.get(section).copied().flatten().map_or(0, |(address, _)| address)
    }

    /// The section whose room contains an address, and the offset in this section.
    fn origin(&self, address: u64) -> Option<(usize, u64)> {
        let holds = |place: &Option<(u64, u64)>| {
            place.is_some_and(|(from, room)| (from..from.saturating_add(room)).contains(&address))
        };
        let section = self.sections.iter().position(holds)?;
        Some((section, address - self.address(section)))
    }

    /// The object as if it were linked. Another object with the same sections gets the same addresses.
    ///
    /// # Errors
    /// The file is damaged or has other sections, a section exceeds its room, a relocation is outside of its section,
    /// or a branch does not reach its symbol.
    fn link(&self, file: &File<'_>) -> Result<Vec<u8>, Error> {
        let all = sections(file)?;
        let fits = |(section, place): (&Section, &Option<(u64, u64)>)| match place {
            Some((_, room)) => section.is_loaded() && section.size <= *room,
            None => true,
        };
        if all.len() != self.sections.len() || !all.iter().zip(&self.sections).all(fits) {
            return Err(Error::Layout);
        }
        let mut out = Writer { bytes: file.bytes.to_vec() };
        out.put(file_header::KIND as u64, &elf::ET_DYN.to_le_bytes())?;
        let outside = file.section_header(0);
        out.put(outside + section_header::KIND as u64, &elf::SHT_NOBITS.to_le_bytes())?;
        out.put(outside + section_header::FLAGS as u64, &elf::SHF_ALLOC.to_le_bytes())?;
        let (start, size) = self.outside;
        out.put(outside + ADDRESS, &start.to_le_bytes())?;
        out.put(outside + section_header::SIZE as u64, &size.to_le_bytes())?;
        for number in 1..all.len() {
            out.put(file.section_header(number) + ADDRESS, &self.address(number).to_le_bytes())?;
        }
        for table in tables(&all, elf::SHT_SYMTAB) {
            for (number, symbol) in file.symbols(file.contents(table).bytes).enumerate() {
                let at = table.offset + (number * wide::SYMBOL + wide::symbol::ADDRESS) as u64;
                out.put(at, &self.symbol(number as u32, &symbol).to_le_bytes())?;
            }
        }
        for table in tables(&all, elf::SHT_RELA) {
            self.relocations(file, &all, table, &mut out)?;
        }
        Ok(out.bytes)
    }

    /// The address of a symbol's bytes in section 0.
    fn outside(&self, symbol: u32) -> u64 {
        self.outside.0.wrapping_add(u64::from(symbol) * STRIDE)
    }

    /// The address of a symbol.
    fn symbol(&self, number: u32, symbol: &elf::Symbol) -> u64 {
        match symbol.section {
            0 | elf::SHN_COMMON if number > 0 => self.outside(number).wrapping_add(symbol.address),
            0 | elf::SHN_LORESERVE.. => symbol.address,
            section => self.address(section.into()).wrapping_add(symbol.address),
        }
    }

    /// Applies the relocations of a table, and changes the offsets of their places into addresses.
    fn relocations(&self, file: &File<'_>, all: &[Section], table: &Section, out: &mut Writer) -> Result<(), Error> {
        let base = self.address(table.info);
        let Some(section) = all.get(table.info).filter(|_| base != 0) else { return Ok(()) };
        let symbols = all.get(table.link).map_or(&[][..], |symbols| file.contents(symbols).bytes);
        for (number, relocation) in file.relocations(file.contents(table).bytes).enumerate() {
            let place = base.wrapping_add(relocation.address);
            out.put(table.offset + (number * wide::RELOCATION) as u64, &place.to_le_bytes())?;
            let Some(formula) = Formula::of(relocation.kind) else { continue };
            let symbol = file.symbol(symbols, relocation.symbol).ok_or(Error::Layout)?;
            let base = match formula.base {
                Base::Symbol => self.symbol(relocation.symbol, &symbol),
                Base::Entry => self.outside(relocation.symbol).wrapping_add(ENTRY),
            };
            let value = formula.value(base, relocation.addend, place);
            let bytes = value.to_le_bytes();
            let bytes = bytes.get(..formula.size).unwrap_or_default();
            // A branch has to reach its symbol in this layout, although the linker's layout may be closer.
            let is_near = formula.part != Part::Dwords || i16::try_from(value as i64).is_ok();
            let is_inside = relocation.address.saturating_add(formula.size as u64) <= section.size;
            if !(is_near && is_inside && section.kind != elf::SHT_NOBITS) {
                return Err(Error::Relocation { address: relocation.address });
            }
            out.put(section.offset.saturating_add(relocation.address), bytes)?;
        }
        Ok(())
    }

    /// Turns the changed and laid-out object `new` into an object for a linker again. `old` is the unchanged object
    /// before it was laid out.
    ///
    /// # Errors
    /// A file is damaged, or the files have different numbers of sections.
    fn unlink(&self, old: &File<'_>, new: &File<'_>) -> Result<Vec<u8>, Error> {
        let (before, after) = (sections(old)?, sections(new)?);
        if before.len() != after.len() {
            return Err(Error::Layout);
        }
        let mut out = Writer { bytes: new.bytes.to_vec() };
        out.put(file_header::KIND as u64, &elf::ET_REL.to_le_bytes())?;
        let outside = usize::try_from(old.section_header(0)).map_err(|_| Error::Layout)?;
        out.put(
            new.section_header(0),
            old.bytes.get(outside..).and_then(|old| old.get(..wide::SECTION_HEADER)).ok_or(Error::Layout)?,
        )?;
        for number in 1..after.len() {
            out.put(new.section_header(number) + ADDRESS, &before.get(number).map_or(0, |s| s.address).to_le_bytes())?;
        }
        let pairs = || before.iter().zip(&after);
        for (one, other) in pairs().filter(|(one, _)| one.kind == elf::SHT_SYMTAB) {
            let (a, b) = (old.symbols(old.contents(one).bytes), new.symbols(new.contents(other).bytes));
            for (number, (a, b)) in a.zip(b).enumerate() {
                let value = match b.section {
                    0 | elf::SHN_LORESERVE.. => a.address,
                    section => b.address.wrapping_sub(self.address(section.into())),
                };
                let at = other.offset + (number * wide::SYMBOL + wide::symbol::ADDRESS) as u64;
                out.put(at, &value.to_le_bytes())?;
            }
        }
        for (one, other) in pairs().filter(|(one, _)| one.kind == elf::SHT_RELA) {
            let base = self.address(other.info);
            let (Some(from), Some(to)) = (before.get(one.info), after.get(other.info)) else { continue };
            if base == 0 {
                continue;
            }
            let (a, b) = (old.relocations(old.contents(one).bytes), new.relocations(new.contents(other).bytes));
            for (number, (a, b)) in a.zip(b).enumerate() {
                let place = b.address.wrapping_sub(base);
                out.put(other.offset + (number * wide::RELOCATION) as u64, &place.to_le_bytes())?;
                // The place gets back the bytes that it had in the old object.
                let Some(formula) = Formula::of(a.kind) else { continue };
                let bytes = old.data(from.offset.saturating_add(a.address), formula.size as u64).bytes;
                out.put(to.offset.saturating_add(place), bytes)?;
            }
        }
        Ok(out.bytes)
    }
}

/// A file whose bytes are overwritten in place.
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn put(&mut self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        let at = usize::try_from(at).map_err(|_| Error::Layout)?;
        let to = at.checked_add(bytes.len()).and_then(|end| self.bytes.get_mut(at..end)).ok_or(Error::Layout)?;
        to.copy_from_slice(bytes);
        Ok(())
    }
}
