//! AMD GPU code objects: ELF with `e_machine` 224, relocatable or shared, of versions 2 to 6, of HSA, PAL and Mesa.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_isa::processor::Processor;

use super::TargetId;
use super::kernel_code::{kernel_code, split};
use super::notes::Notes;
use super::places::{Names, Places};
use super::{Found, Image, NameBudget, Nesting, Section, Symbol, SymbolKind, Visitor, elf};
use crate::error::Result;
use crate::escape;

/// `EI_OSABI` of code objects for the HSA runtime. Only these have the newer feature bits.
const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// `st_info` of kernels in version 2, whose symbols are those of descriptors that precede the code.
const STT_AMDGPU_HSA_KERNEL: u8 = 10;
const STT_NOTYPE: u8 = 0;
const STT_OBJECT: u8 = 1;
const STT_FUNC: u8 = 2;

/// Bits of `e_flags` in version 2, which has no number of a processor there. Numbers of GCN processors are greater.
const XNACK_V2: u32 = 1;
const FIRST_GCN_MACH: u32 = 0x20;

/// Visits the code of a code object, and reports what is damaged in it.
pub fn visit(file: &elf::File<'_>, label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let (headers, missing) = file.sections();
    let notes = notes(file, &headers);
    let target = target(file, notes.target);
    if !file.is_64 || !file.is_little {
        let of = target.map_or(String::new(), |id| format!(" for {id}"));
        return each(Found::Skipped { label, reason: format!("a code object{of} of 32 bits: it has no GCN code") });
    }
    let mut faults: Vec<String> = missing.into_iter().collect();
    let names = file.section_names(&headers);
    let mut budget = NameBudget::of(file.bytes);
    let (indices, mut sections) = code_sections(file, &headers, names, &mut budget, &mut faults)?;
    if sections.is_empty() {
        sections = executable_segments(file, &mut faults);
    }
    // Sections that overlap would be shown again and again.
    let mut left = file.bytes.len();
    for section in &mut sections {
        match left.checked_sub(section.bytes.len()) {
            Some(after) => left = after,
            None => {
                fault(&mut faults, || format!("section {} overlaps others", escape::short(&section.name)));
                section.bytes = &[];
            }
        }
    }
    let mut places = Places::of(file, &headers, names);
    let mut known = Names::new(file, &headers, names, &mut budget);
    known.pointers(&mut places)?;
    for (&index, &n) in &indices {
        if let Some(section) = sections.get_mut(n) {
            section.relocations = known.relocations(index)?.into();
        }
    }
    let mut tables = Tables { file, headers: &headers, budget: &mut budget, faults: &mut faults };
    let named = symbols(&mut tables, &notes.entries, &indices, &mut sections, &mut places);
    places.sort();
    places.arguments = notes.arguments;
    let named = named.map(|descriptors| split(&mut sections, descriptors));
    sections.retain(|section| !section.bytes.is_empty());
    if !sections.is_empty() {
        let note = generic_note(file.flags);
        each(Found::Image(Image { label, target, sections, places, note }))?;
    } else if faults.is_empty() {
        each(Found::Skipped { label, reason: "the code object has no executable section".into() })?;
    }
    for fault in faults {
        nesting.report(elf::damaged(fault), each)?;
    }
    named
}

/// What is to be said of a code object that a newer compiler made for a generic processor.
fn generic_note(flags: u32) -> Option<String> {
    let known = Processor::from_e_flags(flags)?.generic_version()?;
    let version = flags >> 24;
    (version > known.into()).then(|| {
        format!(
            "for version {version} of its generic processor, of which only version {known} and older are known here"
        )
    })
}

fn notes<'a>(file: &elf::File<'a>, headers: &[elf::Section]) -> Notes<'a> {
    let mut notes = Notes::default();
    let mut read = 0usize;
    let mut all: Vec<_> = headers.iter().filter(|s| s.kind == elf::SHT_NOTE).map(|s| file.contents(s)).collect();
    if all.is_empty() {
        let segments = file.segments().0.into_iter().filter(|segment| segment.kind == elf::PT_NOTE);
        all = segments.map(|segment| file.data(segment.offset, segment.size)).collect();
    }
    for data in all {
        read = read.saturating_add(data.bytes.len());
        // Notes that overlap would be read again and again.
        if read > file.bytes.len() {
            break;
        }
        notes.read(data.bytes);
    }
    notes
}

fn target(file: &elf::File<'_>, noted: Option<TargetId>) -> Option<TargetId> {
    let (abi, flags) = ((file.os_abi, file.abi_version), file.flags);
    let v2_flags = abi == (ELFOSABI_AMDGPU_HSA, 0) && flags & 0xff < FIRST_GCN_MACH;
    let processor = Processor::from_e_flags(flags).filter(|_| !v2_flags);
    let Some(processor) = processor else {
        let xnack = v2_flags && flags & XNACK_V2 != 0;
        return noted.map(|mut id| {
            if xnack && id.features.is_empty() {
                id.features.push(("xnack".into(), true));
            }
            id
        });
    };
    // V2 (version 0) has no such bits; V3 has only "on"; V4 and later have "any", "off" and "on".
    let feature = |name: &str, v3: u32, v4_shift: u32| {
        let on = match abi {
            (ELFOSABI_AMDGPU_HSA, 0) => return None,
            (ELFOSABI_AMDGPU_HSA, 2..) => match flags >> v4_shift & 3 {
                2 => false,
                3 => true,
                _ => return None,
            },
            _ if flags & v3 != 0 => true,
            _ => return None,
        };
        Some((name.to_string(), on))
    };
    let features = [feature("sramecc", 0x200, 10), feature("xnack", 0x100, 8)].into_iter().flatten().collect();
    Some(TargetId { processor: processor.name().to_string(), features })
}

type Indices = HashMap<usize, usize>;

fn code_sections<'a>(
    file: &elf::File<'a>,
    headers: &[elf::Section],
    names: &'a [u8],
    budget: &mut NameBudget,
    faults: &mut Vec<String>,
) -> Result<(Indices, Vec<Section<'a>>)> {
    let mut indices = HashMap::new();
    let mut sections = Vec::new();
    for (index, section) in headers.iter().enumerate().filter(|(_, section)| section.is_code()) {
        let name = match elf::text(names, section.name) {
            Some(name) => escape::name(budget.spend(name)?),
            None => Cow::Borrowed("(unnamed)"),
        };
        let data = file.contents(section);
        if let Some(missing) = data.missing {
            fault(faults, || format!("section {}: {missing}", escape::short(&name)));
        }
        if data.bytes.is_empty() {
            continue;
        }
        indices.insert(index, sections.len());
        sections.push(Section {
            name,
            address: section.address,
            bytes: data.bytes,
            symbols: Vec::new(),
            relocations: [].into(),
        });
    }
    Ok((indices, sections))
}

/// Faults of one code object that are told apart. A file can have tens of thousands.
const MAX_FAULTS: usize = 8;

fn fault(faults: &mut Vec<String>, what: impl FnOnce() -> String) {
    let what = match faults.len() {
        0..MAX_FAULTS => what(),
        _ => "more is wrong than what is told here".into(),
    };
    if faults.len() <= MAX_FAULTS && !faults.contains(&what) {
        faults.push(what);
    }
}

/// A code object copied out of a running process may have lost its section headers; the loader needs only these.
fn executable_segments<'a>(file: &elf::File<'a>, faults: &mut Vec<String>) -> Vec<Section<'a>> {
    let (segments, missing) = file.segments();
    faults.extend(missing);
    let mut sections = Vec::new();
    for segment in segments.iter().filter(|s| s.kind == elf::PT_LOAD && s.flags & elf::PF_X != 0) {
        let data = file.data(segment.offset, segment.size);
        if let Some(missing) = data.missing {
            fault(faults, || format!("an executable segment: {missing}"));
        }
        if !data.bytes.is_empty() {
            let name = Cow::Borrowed("(segment)");
            sections.push(Section {
                name,
                address: segment.address,
                bytes: data.bytes,
                symbols: Vec::new(),
                relocations: [].into(),
            });
        }
    }
    sections
}

struct Tables<'f, 'a> {
    file: &'f elf::File<'a>,
    headers: &'f [elf::Section],
    budget: &'f mut NameBudget,
    faults: &'f mut Vec<String>,
}

impl<'a> Tables<'_, 'a> {
    /// Calls `each` with every symbol that has a name, of both symbol tables.
    fn each(&mut self, mut each: impl FnMut(&elf::Symbol, &'a [u8])) -> Result<()> {
        for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
            // A file has one of each.
            let Some(table) = self.headers.iter().find(|section| section.kind == kind) else { continue };
            let data = self.file.contents(table);
            let strings = self.headers.get(table.link).map(|strings| self.file.contents(strings));
            let strings =
                strings.unwrap_or(elf::Data { bytes: &[], missing: Some("there is no table of names".into()) });
            for missing in [data.missing, strings.missing].into_iter().flatten() {
                fault(self.faults, || format!("symbols at {:#x}: {missing}", table.offset));
            }
            let strings = elf::texts(strings.bytes);
            let mut nameless = 0u64;
            for symbol in self.file.symbols(data.bytes) {
                match elf::text(strings, symbol.name) {
                    Some(b"") => {}
                    Some(name) => each(&symbol, self.budget.spend(name)?),
                    None => nameless += 1,
                }
            }
            if nameless > 0 {
                fault(self.faults, || {
                    format!("symbols at {:#x}: {nameless} have names outside of the table of names", table.offset)
                });
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Kernels<'a> {
    /// Lanes of a wave, by the kernels' names.
    names: HashMap<&'a [u8], Option<u16>>,
    /// Descriptors, by the kernels' names.
    descriptors: HashMap<&'a [u8], [u8; 64]>,
    /// Names by entry address. The order lets a section find its own without a search through all of them.
    entries: BTreeMap<u64, &'a [u8]>,
}

impl Kernels<'_> {
    fn lanes(&self, name: &[u8], address: u64) -> Option<u16> {
        let name = self.entries.get(&address).copied().unwrap_or(name);
        self.names.get(name).copied().flatten()
    }

    fn descriptor(&self, name: &[u8], address: u64) -> Option<[u8; 64]> {
        let name = self.entries.get(&address).copied().unwrap_or(name);
        self.descriptors.get(name).copied()
    }

    fn contains(&self, name: &[u8], address: u64) -> bool {
        self.names.contains_key(name) || self.entries.contains_key(&address)
    }
}

/// Finds the symbols of the sections. Returns the descriptors among the code of each section.
fn symbols<'a>(
    tables: &mut Tables<'_, 'a>,
    entry_points: &[(&'a [u8], Option<u16>)],
    indices: &Indices,
    sections: &mut [Section<'a>],
    places: &mut Places<'a>,
) -> Result<Vec<Vec<Range<u64>>>> {
    let mut kernels = Kernels { names: entry_points.iter().copied().collect(), ..Kernels::default() };
    let (file, headers) = (tables.file, tables.headers);
    tables.each(|symbol, name| {
        let Some(kernel) = name.strip_suffix(b".kd") else { return };
        let Some(section) = headers.get(usize::from(symbol.section)) else { return };
        let descriptor = symbol.address.checked_sub(section.address).and_then(|from| {
            let bytes = file.contents(section).bytes.get(usize::try_from(from).ok()?..)?;
            bytes.first_chunk().copied().map(KernelDescriptor::from_bytes)
        });
        if let Some(descriptor) = &descriptor {
            kernels.descriptors.insert(kernel, descriptor.to_bytes());
        }
        let lanes = |d: KernelDescriptor| if d.properties().wavefront_size32() { 32 } else { 64 };
        kernels.names.insert(kernel, descriptor.map(lanes));
        // In a relocatable object the offset is still a relocation, so use the name alone.
        if file.kind == elf::ET_REL {
            return;
        }
        if let Some(descriptor) = descriptor {
            kernels.entries.insert(symbol.address.wrapping_add_signed(descriptor.entry()), kernel);
        }
    })?;
    let mut descriptors: Vec<Vec<Range<u64>>> = vec![Vec::new(); sections.len()];
    tables.each(|symbol, name| {
        if ![STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_AMDGPU_HSA_KERNEL].contains(&symbol.kind) {
            return;
        }
        if let Some(section) = headers.get(usize::from(symbol.section)) {
            places.symbol(file, section, symbol, name);
        }
        let Some(&index) = indices.get(&usize::from(symbol.section)) else { return };
        let (Some(section), Some(descriptors)) = (sections.get_mut(index), descriptors.get_mut(index)) else { return };
        let mut address = symbol.address;
        let mut kind = match symbol.kind {
            _ if kernels.contains(name, address) => SymbolKind::Kernel,
            STT_FUNC | STT_AMDGPU_HSA_KERNEL => SymbolKind::Function,
            _ => SymbolKind::Other,
        };
        let mut lanes = kernels.lanes(name, address).filter(|_| kind == SymbolKind::Kernel);
        let mut size = symbol.size;
        if symbol.kind == STT_AMDGPU_HSA_KERNEL {
            if let Some((start, its)) = kernel_code(section, address) {
                descriptors.push(address..start);
                size = size.saturating_sub(start - address);
                (address, kind, lanes) = (start, SymbolKind::Kernel, its);
            }
        }
        let descriptor = kernels.descriptor(name, address).filter(|_| kind == SymbolKind::Kernel);
        section.symbols.push(Symbol { name: escape::name(name), address, size, kind, lanes, descriptor });
    })?;
    // The descriptor names a kernel even if the kernel's own symbol was stripped.
    for section in sections {
        let end = section.address.saturating_add(section.bytes.len() as u64);
        let named: HashSet<u64> = section.symbols.iter().map(|s| s.address).collect();
        for (&address, &name) in kernels.entries.range(section.address..end) {
            if !named.contains(&address) {
                let lanes = kernels.lanes(name, address);
                let (kind, descriptor) = (SymbolKind::Kernel, kernels.descriptor(name, address));
                section.symbols.push(Symbol { name: escape::name(name), address, size: 0, kind, lanes, descriptor });
            }
        }
        // Global symbols are in both tables.
        section.symbols.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
        section.symbols.dedup_by(|a, b| a.address == b.address && a.name == b.name);
        // Functions that are no kernels are most likely called by their neighbours.
        let mut lanes = section.symbols.iter().find_map(|symbol| symbol.lanes);
        for symbol in &mut section.symbols {
            symbol.lanes = symbol.lanes.or(lanes);
            lanes = symbol.lanes;
        }
    }
    Ok(descriptors)
}
