//! AMD GPU code objects: ELF with `e_machine` 224, relocatable or shared.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use object::elf::{EM_AMDGPU, SHF_EXECINSTR};
use object::read::ObjectSection as _;
use object::{File, FileFlags, Object as _, ObjectKind, ObjectSegment as _, ObjectSymbol as _};
use object::{SectionFlags, SectionIndex, SectionKind, SegmentFlags, SymbolKind as ElfSymbol};

use super::{Found, Image, NameBudget, Section, Symbol, SymbolKind, TargetId, mach};
use crate::error::{Error, Result};
use crate::escape;

/// `EI_OSABI` of code objects for the HSA runtime. Only these have the newer feature bits.
const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// The bytes of the field `kernel_code_entry_byte_offset` in a kernel descriptor.
const KD_ENTRY: std::ops::Range<usize> = 16..24;
/// The bytes of the field `kernel_code_properties`.
const KD_PROPERTIES: std::ops::Range<usize> = 56..58;
/// The bit `ENABLE_WAVEFRONT_SIZE32` of that field. Waves have 64 lanes without it.
const WAVE32: u16 = 1 << 10;

fn damaged(what: &str, e: object::Error) -> Error {
    Error::input(format!("the ELF file is damaged or cut off: {what}: {e}"))
}

pub fn is_amdgpu(bytes: &[u8]) -> Result<bool> {
    // Byte 5 of the identification gives the byte order of the rest.
    let field = bytes.get(18..20).and_then(|b| <[u8; 2]>::try_from(b).ok());
    match (field, bytes.get(5)) {
        (Some(b), Some(1)) => Ok(u16::from_le_bytes(b) == EM_AMDGPU),
        (Some(_), Some(2)) => Ok(false),
        (Some(_), _) => Err(Error::input("the ELF header names no byte order")),
        (None, _) => Err(Error::input(format!("the ELF file is cut off inside its header, at {} bytes", bytes.len()))),
    }
}

pub fn image<'a>(bytes: &'a [u8], label: &'a str) -> Result<Found<'a>> {
    let file = File::parse(bytes).map_err(|e| damaged("headers", e))?;
    let target = target(&file);
    let mut budget = NameBudget::of(bytes);
    let (indices, mut sections) = code_sections(&file, &mut budget)?;
    if sections.is_empty() {
        sections = executable_segments(&file)?;
        if sections.is_empty() {
            return Ok(Found::Skipped { label, reason: "the code object has no executable section".into() });
        }
    }
    let total = sections.iter().fold(0usize, |sum, s| sum.saturating_add(s.bytes.len()));
    if total > bytes.len() {
        return Err(Error::input("the ELF file is damaged: its code sections overlap"));
    }
    let kernels = kernels(&file, &mut budget)?;
    symbols(&file, &indices, &mut sections, &kernels, &mut budget)?;
    Ok(Found::Image(Image { label, target, sections }))
}

fn target(file: &File<'_>) -> Option<TargetId> {
    let FileFlags::Elf { os_abi, abi_version, e_flags } = file.flags() else { return None };
    let processor = mach::name(e_flags)?.to_string();
    // V2 (version 0) has no such bits; V3 has only "on"; V4 and later have "any", "off" and "on".
    let feature = |name: &str, v3: u32, v4_shift: u32| {
        let on = match (os_abi, abi_version) {
            (ELFOSABI_AMDGPU_HSA, 0) => return None,
            (ELFOSABI_AMDGPU_HSA, 2..) => match e_flags >> v4_shift & 3 {
                2 => false,
                3 => true,
                _ => return None,
            },
            _ if e_flags & v3 != 0 => true,
            _ => return None,
        };
        Some((name.to_string(), on))
    };
    let features = [feature("sramecc", 0x200, 10), feature("xnack", 0x100, 8)].into_iter().flatten().collect();
    Some(TargetId { processor, features })
}

fn code_sections<'a>(
    file: &File<'a>,
    budget: &mut NameBudget,
) -> Result<(HashMap<SectionIndex, usize>, Vec<Section<'a>>)> {
    let mut indices = HashMap::new();
    let mut sections = Vec::new();
    for section in file.sections() {
        let executable =
            matches!(section.flags(), SectionFlags::Elf { sh_flags } if sh_flags & u64::from(SHF_EXECINSTR) != 0);
        if !executable || section.kind() == SectionKind::UninitializedData || section.size() == 0 {
            continue;
        }
        let name = section.name_bytes().map_err(|e| damaged("a section's name", e))?;
        let name = escape::name(budget.spend(name)?);
        let bytes = section.data().map_err(|e| damaged(&format!("section {name}"), e))?;
        indices.insert(section.index(), sections.len());
        sections.push(Section { name, address: section.address(), bytes, symbols: Vec::new() });
    }
    Ok((indices, sections))
}

/// A code object copied out of a running process may have lost its section headers; the loader needs only these.
fn executable_segments<'a>(file: &File<'a>) -> Result<Vec<Section<'a>>> {
    let mut sections = Vec::new();
    for segment in file.segments() {
        if matches!(segment.flags(), SegmentFlags::Elf { p_flags } if p_flags & object::elf::PF_X != 0) {
            let bytes = segment.data().map_err(|e| damaged("an executable segment", e))?;
            if !bytes.is_empty() {
                let name = Cow::Borrowed("(segment)");
                sections.push(Section { name, address: segment.address(), bytes, symbols: Vec::new() });
            }
        }
    }
    Ok(sections)
}

#[derive(Default)]
struct Kernels<'a> {
    /// Lanes of a wave, by the kernels' names.
    names: HashMap<&'a [u8], Option<u16>>,
    /// Names by entry address. The order lets a section find its own without a search through all of them.
    entries: BTreeMap<u64, &'a [u8]>,
}

impl Kernels<'_> {
    fn lanes(&self, name: &[u8], address: u64) -> Option<u16> {
        let name = self.entries.get(&address).copied().unwrap_or(name);
        self.names.get(name).copied().flatten()
    }

    fn contains(&self, name: &[u8], address: u64) -> bool {
        self.names.contains_key(name) || self.entries.contains_key(&address)
    }
}

fn kernels<'a>(file: &File<'a>, budget: &mut NameBudget) -> Result<Kernels<'a>> {
    let mut kernels = Kernels::default();
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        let name = budget.spend(symbol.name_bytes().map_err(|e| damaged("a symbol's name", e))?)?;
        let Some(kernel) = name.strip_suffix(b".kd") else { continue };
        let Some(section) = symbol.section_index().and_then(|i| file.section_by_index(i).ok()) else { continue };
        let read = |bytes: std::ops::Range<usize>| {
            let descriptor = section.data_range(symbol.address(), bytes.end as u64).ok().flatten();
            descriptor.and_then(|d| d.get(bytes))
        };
        let properties = read(KD_PROPERTIES).and_then(|b| b.try_into().ok()).map(u16::from_le_bytes);
        kernels.names.insert(kernel, properties.map(|bits| if bits & WAVE32 == 0 { 64 } else { 32 }));
        // In a relocatable object the offset is still a relocation, so use the name alone.
        if file.kind() == ObjectKind::Relocatable {
            continue;
        }
        if let Some(offset) = read(KD_ENTRY).and_then(|b| b.try_into().ok()) {
            let entry = symbol.address().wrapping_add_signed(i64::from_le_bytes(offset));
            kernels.entries.insert(entry, kernel);
        }
    }
    Ok(kernels)
}

fn symbols<'a>(
    file: &File<'a>,
    indices: &HashMap<SectionIndex, usize>,
    sections: &mut [Section<'a>],
    kernels: &Kernels<'a>,
    budget: &mut NameBudget,
) -> Result<()> {
    for symbol in file.symbols().chain(file.dynamic_symbols()) {
        if !matches!(symbol.kind(), ElfSymbol::Text | ElfSymbol::Data | ElfSymbol::Unknown | ElfSymbol::Label) {
            continue;
        }
        let section = symbol.section_index().and_then(|i| indices.get(&i)).and_then(|&i| sections.get_mut(i));
        let Some(section) = section else { continue };
        let name = budget.spend(symbol.name_bytes().map_err(|e| damaged("a symbol's name", e))?)?;
        if name.is_empty() {
            continue;
        }
        let kind = match symbol.kind() {
            _ if kernels.contains(name, symbol.address()) => SymbolKind::Kernel,
            ElfSymbol::Text => SymbolKind::Function,
            _ => SymbolKind::Other,
        };
        let lanes = kernels.lanes(name, symbol.address()).filter(|_| kind == SymbolKind::Kernel);
        section.symbols.push(Symbol { name: escape::name(name), address: symbol.address(), kind, lanes });
    }
    // The descriptor names a kernel even if the kernel's own symbol was stripped.
    for section in sections {
        let end = section.address.saturating_add(section.bytes.len() as u64);
        let named: HashSet<u64> = section.symbols.iter().map(|s| s.address).collect();
        for (&address, &name) in kernels.entries.range(section.address..end) {
            if !named.contains(&address) {
                let lanes = kernels.lanes(name, address);
                section.symbols.push(Symbol { name: escape::name(name), address, kind: SymbolKind::Kernel, lanes });
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
    Ok(())
}
