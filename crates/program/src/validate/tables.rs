//! Compares the tables of two files: headers, symbols, relocations, descriptors.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;

use amdgpu_isa::Target;
use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_object::elf::{self, File, Section, Segment, Symbol};
use amdgpu_object::relocation_kinds::RELATIVE64;

use super::pairs::Pairs;
use super::{Difference, kept};
use crate::edits::second_entry;
use crate::sections::are_apart;

/// Offsets in the file header: of the entry point, of the fields with the offsets of both tables of headers, and of the
/// remaining fields.
const HEADER: [usize; 4] = [24, 32, 40, 48];

/// The old and the new file, and places of the old file with values that may change.
pub struct Files<'a> {
    pub old: Side<'a>,
    pub new: Side<'a>,
    target: Target,
    /// The addresses in the old file of pointers that a loader fills in.
    pub pointers: BTreeSet<u64>,
    /// The addresses in the old file of the descriptor fields that hold the distance to the kernel.
    pub entries: BTreeSet<u64>,
    /// The sizes in bytes of the places that a linker fills in outside of code, by their addresses in the old file.
    filled: BTreeMap<u64, usize>,
}

/// The contents of one of the two files.
pub struct Side<'a> {
    pub file: File<'a>,
    pub sections: Vec<Section>,
    pub segments: Vec<Segment>,
    names: &'a [u8],
}

impl<'a> Side<'a> {
    fn read(bytes: &'a [u8]) -> Result<Side<'a>, Difference> {
        let file = File::parse(bytes).map_err(Difference::Damaged)?;
        let (sections, damaged) = file.sections();
        let (segments, damaged_too) = file.segments();
        if let Some(kind) = damaged.or(damaged_too) {
            return Err(Difference::Damaged(kind));
        }
        if !are_apart(&file, &sections) {
            return Err(Difference::Headers);
        }
        let names = file.section_names(&sections);
        Ok(Side { file, sections, segments, names })
    }

    fn name(&self, section: &Section) -> &'a [u8] {
        elf::text(self.names, section.name).unwrap_or_default()
    }

    /// The addresses of pointers that a loader fills in.
    fn pointers(&self) -> BTreeSet<u64> {
        let tables = self.sections.iter().filter(|table| table.kind == elf::SHT_RELA);
        let all = tables.flat_map(|table| self.file.relocations(self.file.contents(table).bytes));
        let pointers = all.filter(|relocation| relocation.kind == RELATIVE64).map(|relocation| relocation.address);
        let packed = self.sections.iter().filter(|table| table.kind == elf::SHT_RELR);
        let packed = packed.flat_map(|table| self.file.packed_relocations(self.file.contents(table).bytes));
        pointers.chain(packed).collect()
    }

    /// The addresses of the descriptor fields that hold the distance to the kernel.
    fn entries(&self) -> BTreeSet<u64> {
        let kinds = [elf::SHT_SYMTAB, elf::SHT_DYNSYM];
        let mut all = BTreeSet::new();
        for table in self.sections.iter().filter(|table| kinds.contains(&table.kind)) {
            let strings = self.sections.get(table.link).map(|strings| self.file.contents(strings).bytes);
            let strings = elf::texts(strings.unwrap_or_default());
            let symbols = self.file.symbols(self.file.contents(table).bytes);
            let descriptors = symbols.filter(|s| elf::text(strings, s.name).is_some_and(|name| name.ends_with(b".kd")));
            all.extend(descriptors.map(|symbol| symbol.address.wrapping_add(KernelDescriptor::ENTRY as u64)));
        }
        all
    }

    /// A field of 64 bits, `field` bytes after the beginning of a header at the offset `header`.
    fn header(&self, header: u64, field: u64) -> Option<u64> {
        let at = usize::try_from(header.checked_add(field)?).ok()?;
        self.file.bytes.get(at..)?.first_chunk().copied().map(u64::from_le_bytes)
    }

    /// The first `N` bytes at an address.
    fn at<const N: usize>(&self, address: u64) -> Option<[u8; N]> {
        let holds = |section: &&Section| {
            let is_loaded = section.is_loaded() && section.kind != elf::SHT_NOBITS;
            is_loaded && (section.address..section.address.saturating_add(section.size)).contains(&address)
        };
        let section = self.sections.iter().find(holds)?;
        self.slice(section, address, N)?.first_chunk().copied()
    }

    /// The `len` bytes at an address of a section.
    pub fn slice(&self, section: &Section, address: u64, len: usize) -> Option<&'a [u8]> {
        let from = usize::try_from(address.checked_sub(section.address)?).ok()?;
        self.file.contents(section).bytes.get(from..)?.get(..len)
    }
}

impl<'a> Files<'a> {
    pub fn read(old: &'a [u8], new: &'a [u8], target: Target) -> Result<Files<'a>, Difference> {
        let (old, new) = (Side::read(old)?, Side::read(new)?);
        let (pointers, entries, filled) = (old.pointers(), old.entries(), old.filled());
        Ok(Files { old, new, target, pointers, entries, filled })
    }

    /// Pairs the loaded sections without code.
    pub fn pair_sections(&self, pairs: &mut Pairs) {
        for (old, new) in self.old.sections.iter().zip(&self.new.sections) {
            if old.is_loaded() && !old.is_code() && old.size > 0 {
                pairs.add_section(old.address, old.address.saturating_add(old.size), new.address);
            }
        }
    }
}

/// Compares everything but the code.
pub fn compare(files: &Files<'_>, pairs: &Pairs) -> Result<(), Difference> {
    let Files { old, new, .. } = files;
    header(old, new, pairs)?;
    if old.sections.len() != new.sections.len() || old.segments.len() != new.segments.len() {
        return Err(Difference::Headers);
    }
    for (number, (one, other)) in old.sections.iter().zip(&new.sections).enumerate() {
        section(files, pairs, number, one, other)
            .map_err(|difference| difference.unwrap_or_else(|| Difference::Section { name: name(old, one) }))?;
    }
    for (number, (one, other)) in old.segments.iter().zip(&new.segments).enumerate() {
        let at = |side: &Side<'_>, field| side.header(side.file.segment_header(number), field);
        // The physical address, which no system uses, keeps its distance from the virtual one, and the alignment stays.
        let physical = |side, segment: &Segment| at(side, 24).map(|physical| physical.wrapping_sub(segment.address));
        let is_fixed = at(old, 48) == at(new, 48) && physical(old, one) == physical(new, other);
        (is_fixed && segment(files, one, other)).then_some(()).ok_or(Difference::Segment { number })?;
    }
    Ok(())
}

fn name(side: &Side<'_>, section: &Section) -> String {
    String::from_utf8_lossy(side.name(section)).into_owned()
}

fn header(old: &Side<'_>, new: &Side<'_>, pairs: &Pairs) -> Result<(), Difference> {
    let [entry, .., rest] = HEADER;
    let same = |from: usize, to: usize| old.file.bytes.get(from..to) == new.file.bytes.get(from..to);
    let at = |side: &Side<'_>| side.file.bytes.get(entry..)?.first_chunk().copied().map(u64::from_le_bytes);
    let is_entry = match (at(old), at(new)) {
        (Some(0), Some(0)) => true,
        (Some(one), Some(other)) => pairs.is(one, other),
        _ => false,
    };
    (same(0, entry) && same(rest, 64) && is_entry).then_some(()).ok_or(Difference::Headers)
}

/// Compares a section with its counterpart. The error is `None` if the section as a whole differs.
fn section(
    files: &Files<'_>,
    pairs: &Pairs,
    number: usize,
    one: &Section,
    other: &Section,
) -> Result<(), Option<Difference>> {
    let Files { old, new, .. } = files;
    let fixed = |section: &Section| (section.kind, section.flags, section.link, section.info, section.align);
    // The last field of a section header is the size of the section's entries.
    let entry = |side: &Side<'_>| side.header(side.file.section_header(number), 56);
    let is_same = fixed(one) == fixed(other) && old.name(one) == new.name(other) && entry(old) == entry(new);
    // Tools can set an alignment without moving the section, so only the distance from the old address matters.
    let is_aligned = other.align <= 1 || other.address.wrapping_sub(one.address) % other.align == 0;
    if !is_same || !is_aligned {
        return Err(None);
    }
    let is_fixed = number > 0 || one == other;
    // Without segments, nothing ties addresses to offsets in the file.
    let is_placed = match one.is_loaded() && !files.old.segments.is_empty() {
        true => placed(files, one, other),
        false => one.address == other.address,
    };
    if !(is_fixed && is_placed) {
        return Err(None);
    }
    if one.is_code() {
        return Ok(());
    }
    let (a, b) = (old.file.contents(one), new.file.contents(other));
    if b.missing.is_some() || (one.kind != elf::SHT_NOBITS && a.bytes.len() != b.bytes.len()) {
        return Err(None);
    }
    match one.kind {
        elf::SHT_NOBITS => nobits(one, other).then_some(()).ok_or(None),
        elf::SHT_SYMTAB | elf::SHT_DYNSYM => symbols(files, pairs, number, a.bytes, b.bytes).map_err(Some),
        elf::SHT_RELA if !one.is_loaded() => kept::compare(files, pairs, one, a.bytes, b.bytes).map_err(Some),
        elf::SHT_RELA => relocations(files, pairs, one.link, a.bytes, b.bytes).map_err(Some),
        elf::SHT_CREL | elf::SHT_SYMTAB_SHNDX => Err(None),
        // A table of an unknown type may hold addresses, and then it must not stay the same.
        _ if one.is_loaded() && !one.has_known_type() => Err(None),
        elf::SHT_RELR => packed(files, pairs, a.bytes, b.bytes).then_some(()).ok_or(None),
        elf::SHT_DYNAMIC => dynamic(pairs, a.bytes, b.bytes).then_some(()).ok_or(None),
        _ => data(files, pairs, one, a.bytes, b.bytes),
    }
}

/// Whether a loaded section has the same distance from the beginning of its segment in memory as in the file. A section
/// without contents (NOBITS) has to follow the same section as in the old file.
fn placed(files: &Files<'_>, one: &Section, other: &Section) -> bool {
    let holds = |segment: &Segment, section: &Section| {
        let end = segment.address.saturating_add(segment.memory_size);
        let last = section.address.saturating_add(section.size);
        segment.kind == elf::PT_LOAD && section.address >= segment.address && last <= end
    };
    let in_file = |section: &Section| match section.kind {
        elf::SHT_NOBITS => u64::MAX,
        _ => section.offset.wrapping_add(section.size),
    };
    if other.kind == elf::SHT_NOBITS {
        return bound(files, one.offset, other.offset, in_file);
    }
    let mut segments = files.old.segments.iter().zip(&files.new.segments).filter(|(old, _)| holds(old, one));
    segments.all(|(_, new)| {
        let is_near = other.address.wrapping_sub(new.address) == other.offset.wrapping_sub(new.offset);
        holds(new, other) && is_near
    })
}

/// Whether a section without bytes keeps its size, or fills the rest of a page in both files.
fn nobits(one: &Section, other: &Section) -> bool {
    const PAGE: u64 = 0x1000;
    let ends = |section: &Section| (section.address.wrapping_add(section.size)) % PAGE == 0;
    one.size == other.size || one.align <= 1 && ends(one) && ends(other) && other.size < PAGE
}

fn symbols(files: &Files<'_>, pairs: &Pairs, table: usize, one: &[u8], other: &[u8]) -> Result<(), Difference> {
    let Files { old, new, .. } = files;
    // The table of names is compared elsewhere, as a section.
    let strings = old.sections.get(table).and_then(|table| old.sections.get(table.link));
    let names = elf::texts(strings.map_or(&[][..], |strings| old.file.contents(strings).bytes));
    for (number, (a, b)) in old.file.symbols(one).zip(new.file.symbols(other)).enumerate() {
        let fixed = |symbol: &Symbol| (symbol.name, symbol.kind, symbol.scope, symbol.section);
        let is_same = fixed(&a) == fixed(&b);
        let unlike = Difference::Symbol { number };
        if !is_same {
            return Err(unlike);
        }
        let section = old.sections.get(usize::from(a.section)).filter(|_| a.section != 0);
        let Some(section) = section.filter(|section| section.is_loaded()) else {
            if (a.address, a.size) == (b.address, b.size) {
                continue;
            }
            return Err(unlike);
        };
        let is_code = section.is_code();
        // Another section may begin where code ends.
        let new_section = new.sections.get(usize::from(a.section));
        let end = |section: &Section| section.address.wrapping_add(section.size);
        let ends = |old: u64, there: u64| {
            is_code && old == end(section) && new_section.is_some_and(|section| end(section) == there)
        };
        let is_placed = match a.kind {
            elf::STT_SECTION => new_section.is_some_and(|section| section.address == b.address),
            _ => pairs.is_in(is_code, a.address, b.address) || ends(a.address, b.address),
        };
        let (a_end, b_end) = (a.address.wrapping_add(a.size), b.address.wrapping_add(b.size));
        let is_sized = match (a.size, is_code) {
            (0, _) => b.size == 0,
            (_, false) => a.size == b.size,
            (_, true) => pairs.is_in(true, a_end, b_end) || pairs.inside(a_end) == Some(b_end) || ends(a_end, b_end),
        };
        if !(is_placed && is_sized) {
            return Err(unlike);
        }
        let is_descriptor = elf::text(names, a.name).is_some_and(|name| name.ends_with(b".kd")) && !is_code;
        if is_descriptor {
            descriptor(files, pairs, a.address, b.address)?;
        }
    }
    Ok(())
}

/// Compares a kernel descriptor with its counterpart: the kernels must be counterparts, and all but the distance to the
/// kernel must be equal.
fn descriptor(files: &Files<'_>, pairs: &Pairs, old: u64, new: u64) -> Result<(), Difference> {
    let unlike = Difference::Descriptor { old };
    let read = |side: &Side<'_>, address: u64| side.at::<{ KernelDescriptor::SIZE }>(address);
    let (Some(a), Some(b)) = (read(&files.old, old), read(&files.new, new)) else { return Err(unlike) };
    let (a, mut b) = (KernelDescriptor::from_bytes(a), KernelDescriptor::from_bytes(b));
    let (entry, there) = (old.wrapping_add_signed(a.entry()), new.wrapping_add_signed(b.entry()));
    let is_aligned = there % KernelDescriptor::ENTRY_ALIGN == entry % KernelDescriptor::ENTRY_ALIGN;
    let is_entry = pairs.is(entry, there) && is_aligned;
    // The second entry, for arguments that are already in registers, has no label, and its distance from the first
    // entry must not change.
    let is_second = |distance: u64| pairs.is_in(true, entry.wrapping_add(distance), there.wrapping_add(distance));
    let is_entry = is_entry && second_entry(files.target, &a).is_none_or(is_second);
    b.set_entry(a.entry());
    (is_entry && a.to_bytes() == b.to_bytes()).then_some(()).ok_or(unlike)
}

fn relocations(files: &Files<'_>, pairs: &Pairs, link: usize, one: &[u8], other: &[u8]) -> Result<(), Difference> {
    let Files { old, new, .. } = files;
    let symbol = |side: &Side<'_>, number: u32| {
        let table = side.sections.get(link)?;
        side.file.symbol(side.file.contents(table).bytes, number).filter(|symbol| symbol.section != 0)
    };
    for (a, b) in old.file.relocations(one).zip(new.file.relocations(other)) {
        let is_same = (a.kind, a.symbol) == (b.kind, b.symbol) && pairs.is(a.address, b.address);
        let goal = match (a.kind, symbol(old, a.symbol), symbol(new, b.symbol)) {
            (RELATIVE64, ..) => pairs.is(a.addend as u64, b.addend as u64),
            (_, Some(one), Some(other)) if a.symbol != 0 => {
                let goal = |symbol: Symbol, addend| symbol.address.wrapping_add_signed(addend);
                pairs.is(goal(one, a.addend), goal(other, b.addend))
            }
            _ => a.addend == b.addend,
        };
        if !(is_same && goal) {
            return Err(Difference::Relocation { old: a.address });
        }
    }
    Ok(())
}

/// Whether the pointers that both packed tables list are counterparts, and point to counterparts.
fn packed(files: &Files<'_>, pairs: &Pairs, one: &[u8], other: &[u8]) -> bool {
    let Files { old, new, .. } = files;
    let value = |side: &Side<'_>, place: u64| side.at(place).map(u64::from_le_bytes);
    let leads = |(old_place, place): (u64, u64)| {
        let values = value(old, old_place).zip(value(new, place));
        pairs.is(old_place, place) && values.is_some_and(|(old, new)| pairs.is(old, new))
    };
    let places = || (old.file.packed_relocations(one), new.file.packed_relocations(other));
    let (before, after) = places();
    let is_complete = before.count() == after.count();
    let (before, after) = places();
    is_complete && before.zip(after).all(leads)
}

fn dynamic(pairs: &Pairs, one: &[u8], other: &[u8]) -> bool {
    let entry = |bytes: &[u8]| {
        let (tag, value) = bytes.split_at(8);
        [tag, value].map(|half| half.try_into().map_or(0, u64::from_le_bytes))
    };
    one.chunks_exact(16).zip(other.chunks_exact(16)).all(|(one, other)| {
        let ([tag, a], [other_tag, b]) = (entry(one), entry(other));
        tag == other_tag && (a == b || pairs.is(a, b))
    })
}

/// Compares the bytes of a section, which must be equal except in pointers, in entry fields of descriptors, and where a
/// linker fills in numbers.
fn data(
    files: &Files<'_>,
    pairs: &Pairs,
    section: &Section,
    one: &[u8],
    other: &[u8],
) -> Result<(), Option<Difference>> {
    if one == other {
        return Ok(());
    }
    if !section.is_loaded() {
        return Err(None);
    }
    let Files { pointers, entries, filled, .. } = files;
    for (n, (a, b)) in one.chunks(8).zip(other.chunks(8)).enumerate().filter(|(_, (a, b))| a != b) {
        let address = section.address.wrapping_add(n as u64 * 8);
        let number = |bytes: &[u8]| bytes.try_into().ok().map(u64::from_le_bytes);
        let is_led = |(old, new)| pairs.is(old, new);
        let is_pointer = pointers.contains(&address) && number(a).zip(number(b)).is_some_and(is_led);
        // The entry fields of descriptors are compared with the descriptors' symbols, and the places that a linker
        // fills in with their relocations.
        let is_filled = |at: u64| {
            let last = filled.range(..=at).next_back();
            last.is_some_and(|(place, size)| at - place < *size as u64)
        };
        let differs = a.iter().zip(b).enumerate().filter(|(_, (a, b))| a != b);
        let mut differs = differs.map(|(byte, _)| address.wrapping_add(byte as u64));
        if !(is_pointer || entries.contains(&address) || differs.all(is_filled)) {
            return Err(None);
        }
    }
    Ok(())
}

/// Whether a segment begins and ends with the same sections, in the file and in memory, and has no new contents.
fn segment(files: &Files<'_>, one: &Segment, other: &Segment) -> bool {
    if (one.kind, one.flags) != (other.kind, other.flags) {
        return false;
    }
    let memory = |section: &Section| (section.address, section.size);
    let file = |section: &Section| match section.kind {
        elf::SHT_NOBITS => (section.offset, 0),
        _ => (section.offset, section.size),
    };
    let ends = |extent: (u64, u64)| extent.0.wrapping_add(extent.1);
    bound(files, one.address, other.address, |section| memory(section).0)
        && bound(files, one.offset, other.offset, |section| file(section).0)
        && bound(files, ends((one.address, one.memory_size)), ends((other.address, other.memory_size)), |section| {
            ends(memory(section))
        })
        && bound(files, ends((one.offset, one.size)), ends((other.offset, other.size)), |section| ends(file(section)))
}

/// Whether a segment's bound moves with a section that has the same bound. If no section has this bound, the distance
/// between the bound and the last section before it must stay.
fn bound(files: &Files<'_>, one: u64, other: u64, of: impl Fn(&Section) -> u64) -> bool {
    // A NOBITS section of size 0 counts, because it may fill a page in the new file.
    let has_place = |section: &Section| section.size > 0 || section.kind == elf::SHT_NOBITS;
    let is_loaded = |section: &Section| section.is_loaded() && has_place(section);
    let pairs = || files.old.sections.iter().zip(&files.new.sections).filter(|(old, _)| is_loaded(old));
    let mut there = pairs().filter(|(old, _)| of(old) == one).peekable();
    if there.peek().is_some() {
        return there.any(|(_, new)| of(new) == other);
    }
    let last = pairs().filter(|(old, _)| of(old) < one).max_by_key(|(old, _)| of(old));
    last.map_or(0, |(old, new)| of(new).wrapping_sub(of(old))) == other.wrapping_sub(one)
}
