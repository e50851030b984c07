//! The parts of ELF code objects that the examples need: the positions of kernels, and space for more code.
#![allow(dead_code)] // Each example uses only a part.

use amdgpu_isa::Target;
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol, SymbolKind, elf};

pub type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// A kernel: its name, the address and size of its code, and its descriptor.
pub struct Kernel {
    pub name: String,
    pub address: u64,
    pub size: u64,
    pub descriptor: [u8; 64],
}

/// The code of an object: an executable section.
pub struct Text {
    pub address: u64,
    /// The offset of the section's first byte in the file.
    pub offset: usize,
    pub len: usize,
}

pub struct CodeObject {
    pub target: Target,
    pub kernels: Vec<Kernel>,
    pub text: Text,
}

/// Reads the sections and symbols that the examples need.
pub fn read(bytes: &[u8]) -> Result<CodeObject> {
    let file = ElfFile64::<LittleEndian>::parse(bytes)?;
    let flags = file.elf_header().e_flags.get(LittleEndian);
    let processor = Target::from_e_flags(flags).ok_or("the library knows no such target")?;
    let text = file.section_by_name(".text").ok_or("there is no code")?;
    let (offset, len) = text.file_range().ok_or("the code is not in the file")?;
    let text = Text { address: text.address(), offset: offset as usize, len: len as usize };

    // A symbol NAME.kd is the descriptor of a kernel. The distance to the kernel's code begins at its byte 16.
    let mut kernels = Vec::new();
    for symbol in file.dynamic_symbols() {
        let Some(name) = symbol.name()?.strip_suffix(".kd") else { continue };
        let section = file.section_by_index(symbol.section_index().ok_or("a descriptor is nowhere")?)?;
        let descriptor: [u8; 64] =
            section.data_range(symbol.address(), 64)?.ok_or("a descriptor is cut off")?.try_into()?;
        let distance = u64::from_le_bytes(descriptor[16..24].try_into()?);
        let address = symbol.address().wrapping_add(distance);
        let here = |s: &object::read::elf::ElfSymbol64<'_, '_, LittleEndian>| {
            s.address() == address && s.kind() == SymbolKind::Text
        };
        let size = file.dynamic_symbols().find(here).ok_or("a kernel has no symbol")?.size();
        kernels.push(Kernel { name: name.to_string(), address, size, descriptor });
    }
    kernels.sort_by_key(|kernel| kernel.address);
    let target = match lanes(&kernels)? {
        Some(lanes) => processor.with_wave_size(lanes).ok_or("the processor has no such waves")?,
        None => processor,
    };
    Ok(CodeObject { target, kernels, text })
}

/// The wave size of the kernels, which is not in the flags of the file; `None` if there are no kernels.
fn lanes(kernels: &[Kernel]) -> Result<Option<u16>> {
    // ENABLE_WAVEFRONT_SIZE32, in the field `kernel_code_properties` at byte 56.
    let lanes = |kernel: &Kernel| if kernel.descriptor[57] & 4 == 0 { 64 } else { 32 };
    let mut all = kernels.iter().map(lanes);
    let first = all.next();
    if all.any(|other| Some(other) != first) {
        return Err("the kernels have waves of different sizes".into());
    }
    Ok(first)
}

/// A new segment of code: its address, and the bytes of its program header, the only old bytes that it changes.
pub struct Segment {
    pub address: u64,
    pub header: std::ops::Range<usize>,
}

/// Appends a segment of code, at the next page after everything else. Its header replaces PT_GNU_STACK, which
/// GPUs do not use.
pub fn append_segment(bytes: &mut Vec<u8>, code: impl FnOnce(u64) -> Result<Vec<u8>>) -> Result<Segment> {
    const PAGE: u64 = 0x1000;
    const HEADER: usize = size_of::<elf::ProgramHeader64<LittleEndian>>();
    let file = ElfFile64::<LittleEndian>::parse(&bytes[..])?;
    let headers = file.elf_program_headers();
    let first = file.elf_header().e_phoff.get(LittleEndian) as usize;
    let end = headers.iter().map(|h| h.p_vaddr.get(LittleEndian) + h.p_memsz.get(LittleEndian)).max().unwrap_or(0);
    let unused = headers.iter().position(|h| h.p_type.get(LittleEndian) == elf::PT_GNU_STACK);
    let header = first + unused.ok_or("no program header is free")? * HEADER;

    bytes.resize(bytes.len().next_multiple_of(PAGE as usize), 0);
    let (offset, address) = (bytes.len() as u64, end.next_multiple_of(PAGE));
    let code = code(address)?;
    let fields: [(usize, &[u8]); 8] = [
        (0, &elf::PT_LOAD.to_le_bytes()),
        (4, &(elf::PF_R | elf::PF_X).to_le_bytes()),
        (8, &offset.to_le_bytes()),
        (16, &address.to_le_bytes()),
        (24, &address.to_le_bytes()),
        (32, &(code.len() as u64).to_le_bytes()),
        (40, &(code.len() as u64).to_le_bytes()),
        (48, &PAGE.to_le_bytes()),
    ];
    for (at, field) in fields {
        bytes[header + at..][..field.len()].copy_from_slice(field);
    }
    bytes.extend(code);
    Ok(Segment { address, header: header..header + HEADER })
}
