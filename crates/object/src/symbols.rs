//! The symbols of code: kernels with their descriptors, functions, and labels.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use amdgpu_isa::kernel::KernelDescriptor;

use crate::address_map::AddressMap;
use crate::code_object::{Faults, Indices};
use crate::error::{ElfFault, ElfPart, ErrorKind};
use crate::kernel_code::kernel_code;
use crate::nesting::NameBudget;
use crate::{Result, Section, Symbol, SymbolKind, elf};

/// The symbol type of kernels in version 2, whose symbols name the descriptors that precede the code.
const STT_AMDGPU_HSA_KERNEL: u8 = 10;
const STT_NOTYPE: u8 = 0;
const STT_OBJECT: u8 = 1;
const STT_FUNC: u8 = 2;

/// The tables of symbols of a file.
pub struct Tables<'f, 'a> {
    pub file: &'f elf::File<'a>,
    pub headers: &'f [elf::Section],
    pub budget: &'f mut NameBudget,
    pub faults: &'f mut Faults,
}

impl<'a> Tables<'_, 'a> {
    /// Calls `each` with every named symbol of both symbol tables.
    fn each(&mut self, mut each: impl FnMut(&elf::Symbol, &'a [u8])) -> Result<(), ErrorKind> {
        for kind in [elf::SHT_SYMTAB, elf::SHT_DYNSYM] {
            // A file has only one table of each kind.
            let Some(table) = self.headers.iter().find(|section| section.kind == kind) else { continue };
            let data = self.file.contents(table);
            let strings = self.headers.get(table.link).map(|strings| self.file.contents(strings));
            let strings = strings.unwrap_or(elf::Data { bytes: &[], missing: Some(ElfFault::NoNames) });
            let part = ElfPart::Symbols(table.offset);
            for missing in [data.missing, strings.missing].into_iter().flatten() {
                self.faults.add(|| (part.clone(), missing));
            }
            let strings = elf::texts(strings.bytes);
            let mut count = 0u64;
            for symbol in self.file.symbols(data.bytes) {
                match elf::text(strings, symbol.name) {
                    Some(b"") => {}
                    Some(name) => each(&symbol, self.budget.spend(name)?),
                    None => count += 1,
                }
            }
            if count > 0 {
                self.faults.add(|| (part, ElfFault::NamesOutside { count }));
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct Kernels<'a> {
    /// The lanes of the kernels' waves, by the kernels' names.
    lanes: BTreeMap<&'a [u8], Option<u16>>,
    /// The kernel descriptors, by the kernels' names.
    descriptors: BTreeMap<&'a [u8], KernelDescriptor>,
    /// The kernels' names by entry address, so that a section finds its own kernels without a search through all of
    /// them.
    entries: BTreeMap<u64, &'a [u8]>,
}

impl<'a> Kernels<'a> {
    /// Reads the kernel descriptors that symbols name. `entry_points` are the kernels that the metadata names.
    fn find(tables: &mut Tables<'_, 'a>, entry_points: &[(&'a [u8], Option<u16>)]) -> Result<Kernels<'a>, ErrorKind> {
        let mut kernels = Kernels { lanes: entry_points.iter().copied().collect(), ..Kernels::default() };
        let (file, headers) = (tables.file, tables.headers);
        tables.each(|symbol, name| {
            let Some(kernel) = name.strip_suffix(b".kd") else { return };
            let Some(section) = headers.get(usize::from(symbol.section)) else { return };
            let descriptor = symbol.address.checked_sub(section.address).and_then(|from| {
                let bytes = file.contents(section).bytes.get(usize::try_from(from).ok()?..)?;
                bytes.first_chunk().copied().map(KernelDescriptor::from_bytes)
            });
            if let Some(descriptor) = descriptor {
                kernels.descriptors.insert(kernel, descriptor);
            }
            let lanes = |d: KernelDescriptor| if d.properties().wavefront_size32() { 32 } else { 64 };
            kernels.lanes.insert(kernel, descriptor.map(lanes));
            // In a relocatable object, the entry offset is still a relocation, so only the kernel's name is used.
            if file.kind == elf::ET_REL {
                return;
            }
            if let Some(descriptor) = descriptor {
                kernels.entries.insert(symbol.address.wrapping_add_signed(descriptor.entry()), kernel);
            }
        })?;
        Ok(kernels)
    }

    fn lanes(&self, name: &[u8], address: u64) -> Option<u16> {
        let name = self.entries.get(&address).copied().unwrap_or(name);
        self.lanes.get(name).copied().flatten()
    }

    fn descriptor(&self, name: &[u8], address: u64) -> Option<KernelDescriptor> {
        let name = self.entries.get(&address).copied().unwrap_or(name);
        self.descriptors.get(name).copied()
    }

    fn contains(&self, name: &[u8], address: u64) -> bool {
        self.lanes.contains_key(name) || self.entries.contains_key(&address)
    }
}

/// Finds the symbols of the sections. Returns, for each section, the address ranges of the descriptors among its code.
pub fn symbols<'a>(
    tables: &mut Tables<'_, 'a>,
    entry_points: &[(&'a [u8], Option<u16>)],
    indices: &Indices,
    sections: &mut [Section<'a>],
    addresses: &mut AddressMap<'a>,
) -> Result<Vec<Vec<Range<u64>>>, ErrorKind> {
    let kernels = Kernels::find(tables, entry_points)?;
    let (file, headers) = (tables.file, tables.headers);
    let mut descriptors: Vec<Vec<Range<u64>>> = vec![Vec::new(); sections.len()];
    tables.each(|symbol, name| {
        if ![STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_AMDGPU_HSA_KERNEL].contains(&symbol.kind) {
            return;
        }
        if let Some(section) = headers.get(usize::from(symbol.section)) {
            addresses.symbol(file, section, symbol, name);
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
        section.symbols.push(Symbol { name: name.into(), address, size, kind, lanes, descriptor });
    })?;
    sections.iter_mut().for_each(|section| complete(section, &kernels));
    Ok(descriptors)
}

/// Adds the kernels of a section whose symbols were stripped, sorts the symbols, and gives each the lanes of its waves.
fn complete<'a>(section: &mut Section<'a>, kernels: &Kernels<'a>) {
    // The descriptor names a kernel even if the kernel's own symbol was stripped.
    let end = section.address.saturating_add(section.bytes.len() as u64);
    let named: BTreeSet<u64> = section.symbols.iter().map(|s| s.address).collect();
    for (&address, &name) in kernels.entries.range(section.address..end) {
        if !named.contains(&address) {
            let lanes = kernels.lanes(name, address);
            let (kind, descriptor) = (SymbolKind::Kernel, kernels.descriptor(name, address));
            section.symbols.push(Symbol { name: name.into(), address, size: 0, kind, lanes, descriptor });
        }
    }
    // Global symbols are in both tables.
    section.symbols.sort_by(|a, b| (a.address, a.name).cmp(&(b.address, b.name)));
    section.symbols.dedup_by(|a, b| a.address == b.address && a.name == b.name);
    // A function or label without lanes gets those of the kernel before it, or else of the first kernel, because that
    // kernel most likely runs its code.
    let mut lanes = section.symbols.iter().find_map(|symbol| symbol.lanes);
    for symbol in &mut section.symbols {
        symbol.lanes = symbol.lanes.or(lanes);
        lanes = symbol.lanes;
    }
}
