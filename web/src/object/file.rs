//! The ELF file: code, symbols, kernel descriptors.

use amdgpu_isa::Target;
use amdgpu_isa::kernel::{KernelDescriptor, Registers};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SectionKind, SymbolKind};
use serde::Serialize;

type File<'a> = ElfFile64<'a, LittleEndian>;

/// Code from one symbol to the next: no instruction reaches into another function.
pub struct Region {
    pub target: Target,
    pub address: u64,
    /// Where it is in the code of all sections together.
    pub start: usize,
    pub end: usize,
    /// The names of what begins here.
    pub names: Vec<String>,
    pub is_kernel: bool,
}

#[derive(Serialize)]
pub struct Descriptor {
    pub name: String,
    pub address: u64,
    target: &'static str,
    /// The parts that are not what they are by default, and the registers, named as in `.amdhsa_` directives.
    directives: Vec<(String, u32)>,
    words: [u32; 16],
    #[serde(skip)]
    lanes: u16,
}

pub struct Read {
    pub target: Target,
    pub code: Vec<u8>,
    pub regions: Vec<Region>,
    pub kernels: Vec<Descriptor>,
}

pub fn read(bytes: &[u8]) -> Result<Read, String> {
    let file = File::parse(bytes).map_err(|error| no_object(bytes, &error.to_string()))?;
    let flags = file.elf_header().e_flags.get(LittleEndian);
    let is_gpu = file.elf_header().e_machine.get(LittleEndian) == object::elf::EM_AMDGPU;
    if !is_gpu {
        return Err("this ELF file is for another machine than an AMD GPU; `llvm-objcopy --dump-section=.hip_fatbin=FILE` takes code out of a host program".into());
    }
    let target = Target::from_e_flags(flags);
    let target = target.ok_or_else(|| format!("e_flags {flags:#x} are those of no GPU that this page knows"))?;
    let kernels = kernels(&file, target);
    let target = kernels.first().and_then(|kernel| target.with_wave_size(kernel.lanes)).unwrap_or(target);
    let mut read = Read { target, code: Vec::new(), regions: Vec::new(), kernels };
    let symbols = symbols(&file);
    for section in file.sections().filter(|section| section.kind() == SectionKind::Text) {
        let data = section.data().map_err(|error| format!("section {}: {error}", section.name().unwrap_or("?")))?;
        // Sections that overlap would take more and more room.
        if read.code.len() + data.len() > bytes.len() {
            return Err("its sections overlap".into());
        }
        if !data.is_empty() {
            add(&mut read, section.address(), data, &symbols);
        }
    }
    if read.code.is_empty() {
        return Err("this code object has no code".into());
    }
    Ok(read)
}

/// What else the file could be.
fn no_object(bytes: &[u8], error: &str) -> String {
    let bundle = bytes.starts_with(b"__CLANG_OFFLOAD_BUNDLE__") || bytes.starts_with(b"CCOB");
    match bundle {
        true => "this is an offload bundle: `clang-offload-bundler --unbundle` takes a code object out of it, and `amdgpu-isa dis` reads it as it is".into(),
        false => format!("this is no code object, an ELF file of 64 bits: {error}"),
    }
}

/// Functions and kernels by address, each once.
fn symbols(file: &File<'_>) -> Vec<(u64, String)> {
    let all = file.symbols().chain(file.dynamic_symbols());
    let code = all.filter(|symbol| symbol.kind() == SymbolKind::Text && symbol.is_definition());
    let mut all: Vec<(u64, String)> =
        code.filter_map(|symbol| Some((symbol.address(), symbol.name().ok()?.to_string()))).collect();
    all.sort();
    all.dedup();
    all
}

fn kernels(file: &File<'_>, target: Target) -> Vec<Descriptor> {
    let mut all: Vec<Descriptor> = file
        .symbols()
        .chain(file.dynamic_symbols())
        .filter_map(|symbol| {
            let name = symbol.name().ok()?.strip_suffix(".kd")?.to_string();
            let section = file.section_by_index(symbol.section_index()?).ok()?;
            let bytes: [u8; 64] = section.data_range(symbol.address(), 64).ok()??.try_into().ok()?;
            let descriptor = KernelDescriptor::from_bytes(bytes);
            let lanes = descriptor.wave_size(target);
            let target = target.with_wave_size(lanes).unwrap_or(target);
            Some(Descriptor {
                name,
                address: symbol.address().wrapping_add_signed(descriptor.entry()),
                target: target.name(),
                directives: directives(&descriptor, target),
                words: descriptor.words(),
                lanes,
            })
        })
        .collect();
    all.sort_by(|a, b| (a.address, &a.name).cmp(&(b.address, &b.name)));
    all.dedup_by(|a, b| (a.address, &a.name) == (b.address, &b.name));
    all
}

fn directives(descriptor: &KernelDescriptor, target: Target) -> Vec<(String, u32)> {
    let Registers { vgprs, sgprs, .. } = descriptor.registers(target);
    let registers = [("next_free_vgpr".to_string(), vgprs.into()), ("next_free_sgpr".to_string(), sgprs.into())];
    let set = target.directives().iter().map(|d| (d.name().to_string(), descriptor.bits(d), d.default()));
    let set = set.filter(|(_, value, default)| value != default).map(|(name, value, _)| (name, value));
    registers.into_iter().chain(set).collect()
}

/// Divides a section into regions.
fn add(read: &mut Read, address: u64, data: &[u8], symbols: &[(u64, String)]) {
    // Every region begins at a dword.
    read.code.resize(read.code.len().next_multiple_of(4), 0);
    let base = read.code.len();
    read.code.extend_from_slice(data);
    let offset =
        |symbol: &u64| usize::try_from(symbol.checked_sub(address)?).ok().filter(|offset| *offset < data.len());
    let mut starts: Vec<(usize, Vec<String>)> = vec![(0, Vec::new())];
    for (symbol, name) in symbols {
        let Some(offset) = offset(symbol).filter(|offset| offset % 4 == 0) else { continue };
        match starts.last_mut() {
            Some((last, names)) if *last == offset => names.push(name.clone()),
            _ => starts.push((offset, vec![name.clone()])),
        }
    }
    let ends: Vec<usize> = starts.iter().skip(1).map(|(start, _)| *start).chain([data.len()]).collect();
    let mut target = read.target;
    for ((start, names), end) in starts.into_iter().zip(ends) {
        let address = address.wrapping_add(start as u64);
        let kernel = read.kernels.iter().find(|kernel| kernel.address == address);
        // A function runs in waves of the kernel in front of it, for all that can be seen.
        target = kernel.and_then(|kernel| target.with_wave_size(kernel.lanes)).unwrap_or(target);
        read.regions.push(Region {
            target,
            address,
            start: base + start,
            end: base + end,
            names,
            is_kernel: kernel.is_some(),
        });
    }
}
