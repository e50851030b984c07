//! AMD GPU code objects: ELF with `e_machine` 224, relocatable or shared, of versions 2 to 6, of HSA, PAL and Mesa.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use amdgpu_isa::processor::Processor;

use crate::address_map::AddressMap;
use crate::error::{ElfFault, ElfPart, ErrorKind};
use crate::kernel_code::split;
use crate::name::shortened;
use crate::nesting::{NameBudget, Nesting};
use crate::notes::Notes;
use crate::relocations::Names;
use crate::symbols::{Tables, symbols};
use crate::{
    EM_AMDGPU, Image, Name, NewerVersion, Part, Result, Section, SkipReason, Symbol, SymbolKind, TargetId, Visitor, elf,
};

/// `EI_OSABI` of code objects for the HSA runtime. Only these code objects have the newer feature bits.
const ELFOSABI_AMDGPU_HSA: u8 = 64;

/// The bit for XNACK in the `e_flags` of version 2, which have no processor number. Numbers of GCN processors begin at
/// `FIRST_GCN_MACH`.
const XNACK_V2: u32 = 1;
const FIRST_GCN_MACH: u32 = 0x20;

/// Visits the code of a code object, and reports damage to it.
pub fn visit(file: &elf::File<'_>, label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    let (headers, missing) = file.sections();
    let notes = notes(file, &headers);
    let target = target(file, notes.target);
    if !file.is_64 || !file.is_little {
        return each(Part::Skipped { label, reason: SkipReason::Bits32(target) });
    }
    let mut faults = Faults(missing.into_iter().collect());
    let names = file.section_names(&headers);
    let mut budget = NameBudget::of(file.bytes);
    let (indices, mut sections) = code_sections(file, &headers, names, &mut budget, &mut faults)?;
    if sections.is_empty() {
        sections = executable_segments(file, &mut faults);
    }
    // The rest of a limit on the bytes of all sections: sections that overlap would show the same bytes again and
    // again.
    let mut left = file.bytes.len();
    for section in &mut sections {
        match left.checked_sub(section.bytes.len()) {
            Some(after) => left = after,
            None => {
                faults.add(|| (section_part(section.name.as_bytes()), ElfFault::Overlap));
                section.bytes = &[];
            }
        }
    }
    let mut addresses = AddressMap::of(file, &headers, names);
    let mut known = Names::new(file, &headers, names, &mut budget);
    known.pointers(&mut addresses)?;
    for (&index, &n) in &indices {
        if let Some(section) = sections.get_mut(n) {
            section.relocations = known.relocations(index)?.into();
            section.filled = if section.relocations.is_empty() { None } else { known.filled(index, section.bytes) };
        }
    }
    let mut tables = Tables { file, headers: &headers, budget: &mut budget, faults: &mut faults };
    let named = symbols(&mut tables, &notes.entries, &indices, &mut sections, &mut addresses);
    addresses.sort();
    addresses.arguments = notes.arguments;
    let metadata = notes.document;
    let named = named.map(|descriptors| split(&mut sections, descriptors));
    sections.retain(|section| !section.bytes.is_empty());
    if !sections.is_empty() {
        let offset = Some(nesting.base).filter(|_| !nesting.is_decompressed);
        let newer = newer_version(file.flags);
        let unknown_processor = unknown_processor(file);
        let bytes = file.bytes;
        let is_kernel = |symbol: &Symbol<'_>| symbol.kind == SymbolKind::Kernel;
        let has_kernels = sections.iter().any(|section| section.symbols.iter().any(is_kernel));
        let is_hsa = file.os_abi == ELFOSABI_AMDGPU_HSA;
        each(Part::Image(Image {
            label,
            offset,
            bytes,
            target,
            unknown_processor,
            sections,
            addresses,
            newer,
            metadata,
            has_kernels,
            is_hsa,
        }))?;
    } else if faults.0.is_empty() {
        each(Part::Skipped { label, reason: SkipReason::NoCode })?;
    }
    for fault in faults.0 {
        nesting.report(fault, each)?;
    }
    Ok(named?)
}

/// The first faults of one code object, because a file can have tens of thousands.
pub struct Faults(Vec<ErrorKind>);

impl Faults {
    /// The number of faults that are reported one by one; further faults become one [`ElfFault::More`].
    const MOST: usize = 8;

    pub fn add(&mut self, fault: impl FnOnce() -> (ElfPart, ElfFault)) {
        let (part, fault) = match self.0.len() {
            0..Self::MOST => fault(),
            _ => (ElfPart::File, ElfFault::More),
        };
        let fault = ErrorKind::elf(part, fault);
        if self.0.len() <= Self::MOST && !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }
}

fn section_part(name: &[u8]) -> ElfPart {
    ElfPart::Section(shortened(name))
}

/// The version of the generic processor, if it is newer than the version that this library knows.
fn newer_version(flags: u32) -> Option<NewerVersion> {
    let known = Processor::from_e_flags(flags)?.generic_version()?.into();
    let version = flags >> 24;
    (version > known).then_some(NewerVersion { version, known })
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
        // All notes together may be as long as the file: without this limit, notes that overlap would be read again and
        // again.
        if read > file.bytes.len() {
            break;
        }
        notes.read(data.bytes);
    }
    notes
}

/// Whether `e_flags` are those of version 2, which have no processor number.
fn has_v2_flags(file: &elf::File<'_>) -> bool {
    (file.os_abi, file.abi_version) == (ELFOSABI_AMDGPU_HSA, 0) && file.flags & 0xff < FIRST_GCN_MACH
}

/// The code object at the beginning of the bytes, if there is one.
pub fn at_beginning(bytes: &[u8]) -> Option<elf::File<'_>> {
    elf::File::parse(bytes).ok().filter(|file| elf::is_elf(bytes) && file.machine == EM_AMDGPU)
}

/// The processor of a code object: its name, or its number if the library does not know it; `None` if the code object
/// states none.
pub fn processor(file: &elf::File<'_>) -> Option<String> {
    let (headers, _) = file.sections();
    let id = target(file, notes(file, &headers).target);
    let number = || unknown_processor(file).map(|number| format!("processor {number:#x}"));
    id.map(|id| id.processor).or_else(number)
}

/// The number of the processor, if this library does not know it.
fn unknown_processor(file: &elf::File<'_>) -> Option<u8> {
    let number = file.flags as u8;
    let is_known = number == 0 || has_v2_flags(file) || Processor::from_e_flags(file.flags).is_some();
    (!is_known).then_some(number)
}

fn target(file: &elf::File<'_>, noted: Option<TargetId>) -> Option<TargetId> {
    let (abi, flags) = ((file.os_abi, file.abi_version), file.flags);
    let v2_flags = has_v2_flags(file);
    let processor = Processor::from_e_flags(flags).filter(|_| !v2_flags);
    let Some(processor) = processor else {
        let xnack = v2_flags && flags & XNACK_V2 != 0;
        return noted.map(|mut id| {
            if xnack && id.features.is_empty() {
                id.features.push((TargetId::XNACK.into(), true));
            }
            id
        });
    };
    // With a processor number, version 2 (ABI version 0) has no feature bits. Version 3 has only "on"; version 4 and
    // later have "any", "off" and "on".
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
    let features =
        [feature(TargetId::SRAMECC, 0x200, 10), feature(TargetId::XNACK, 0x100, 8)].into_iter().flatten().collect();
    Some(TargetId { processor: processor.name().to_string(), features })
}

/// The position of each section with code in the list of all sections with code, by the section's number in the file.
pub type Indices = BTreeMap<usize, usize>;

fn code_sections<'a>(
    file: &elf::File<'a>,
    headers: &[elf::Section],
    names: &'a [u8],
    budget: &mut NameBudget,
    faults: &mut Faults,
) -> Result<(Indices, Vec<Section<'a>>), ErrorKind> {
    let mut indices = BTreeMap::new();
    let mut sections = Vec::new();
    for (index, section) in headers.iter().enumerate().filter(|(_, section)| section.is_code()) {
        let name = match elf::text(names, section.name) {
            Some(name) => budget.spend(name)?,
            None => b"(unnamed)",
        };
        let data = file.contents(section);
        if let Some(missing) = data.missing {
            faults.add(|| (section_part(name), missing));
        }
        if data.bytes.is_empty() {
            continue;
        }
        indices.insert(index, sections.len());
        sections.push(Section::new(name.into(), section.address, data.bytes));
    }
    Ok((indices, sections))
}

/// The segments with code, as sections. A code object copied out of a running process may have lost its section
/// headers, and the loader needs only program headers.
fn executable_segments<'a>(file: &elf::File<'a>, faults: &mut Faults) -> Vec<Section<'a>> {
    let (segments, missing) = file.segments();
    faults.0.extend(missing);
    let mut sections = Vec::new();
    for segment in segments.iter().filter(|s| s.kind == elf::PT_LOAD && s.flags & elf::PF_X != 0) {
        let data = file.data(segment.offset, segment.size);
        if let Some(missing) = data.missing {
            faults.add(|| (ElfPart::CodeSegment, missing));
        }
        if !data.bytes.is_empty() {
            sections.push(Section::new(Name::from("(segment)"), segment.address, data.bytes));
        }
    }
    sections
}
