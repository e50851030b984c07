//! Makes a loadable kernel from nothing: instructions, a kernel descriptor, metadata, and the ELF file around them, for
//! MI300. Each item of the kernel stores its number.
//!
//! `cargo run --example kernel [-- OUT.co]`

use amdgpu_isa::asm::{Assembler, FixupSlot, LabelSlot};
use amdgpu_isa::{Target, parse};

#[path = "code_object/mod.rs"]
mod code_object;
use code_object::Result;

const TARGET: Target = Target::Gfx942;
const NAME: &str = "numbers";

/// When a wave begins, s[0:1] point to the kernel's arguments, s2 is the number of its group, and v0 is the number of
/// each item in the group, because the descriptor below enables these values.
const SOURCE: &str = "
s_load_dwordx2 s[0:1], s[0:1], 0x0
v_lshl_add_u32 v0, s2, 6, v0
v_lshlrev_b32_e32 v1, 2, v0
s_waitcnt lgkmcnt(0)
global_store_dword v1, v0, s[0:1]
s_endpgm
";

fn code() -> Result<Vec<u8>> {
    let mut words = [0u32; 64];
    let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
    let mut asm = Assembler::new(TARGET, &mut words, &mut labels, &mut fixups);
    for line in SOURCE.lines().filter(|line| !line.is_empty()) {
        let inst = parse(TARGET, line).map_err(|error| format!("{line}: {error}"))?;
        inst.check()?;
        asm.emit(inst)?;
    }
    let len = asm.finish()?.len();
    Ok(words[..len / 4].iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// The 64 bytes that tell the hardware how to start a wave. `entry` is the distance from these bytes to the code.
fn descriptor(entry: i64) -> [u8; 64] {
    let mut bytes = [0; 64];
    let mut put = |at: usize, value: &[u8]| bytes[at..][..value.len()].copy_from_slice(value);
    put(8, &8u32.to_le_bytes()); // bytes of arguments
    put(16, &entry.to_le_bytes());
    // COMPUTE_PGM_RSRC1: 8 vector and 16 scalar registers (both fields are 0), denormal numbers, DX10_CLAMP, IEEE_MODE.
    put(48, &0x00af_0000u32.to_le_bytes());
    // COMPUTE_PGM_RSRC2: two user registers, then the number of the group.
    put(52, &(2u32 << 1 | 1 << 7).to_le_bytes());
    // The two user registers are the pointer to the arguments.
    put(56, &(1u16 << 3).to_le_bytes());
    bytes
}

/// The parts of MessagePack that the metadata need.
enum Data {
    Number(u16),
    Text(String),
    List(Vec<Data>),
    Map(Vec<(&'static str, Data)>),
}

impl Data {
    fn write(&self, out: &mut Vec<u8>) {
        match self {
            Data::Number(n) => out.extend([0xcd, n.to_be_bytes()[0], n.to_be_bytes()[1]]),
            Data::Text(text) => text_to(out, text),
            Data::List(items) => {
                out.push(0x90 | items.len() as u8);
                items.iter().for_each(|item| item.write(out));
            }
            Data::Map(entries) => {
                out.push(0x80 | entries.len() as u8);
                for (key, value) in entries {
                    text_to(out, key);
                    value.write(out);
                }
            }
        }
    }
}

fn text_to(out: &mut Vec<u8>, text: &str) {
    out.extend([0xd9, text.len() as u8]);
    out.extend(text.as_bytes());
}

/// The metadata that the run-time library needs, as an ELF note.
fn note() -> Vec<u8> {
    use Data::*;
    let text = |text: &str| Text(text.to_string());
    let argument = Map(vec![
        (".size", Number(8)),
        (".offset", Number(0)),
        (".value_kind", text("global_buffer")),
        (".address_space", text("global")),
    ]);
    let kernel = Map(vec![
        (".name", text(NAME)),
        (".symbol", Text(format!("{NAME}.kd"))),
        (".args", List(vec![argument])),
        (".kernarg_segment_size", Number(8)),
        (".kernarg_segment_align", Number(8)),
        (".group_segment_fixed_size", Number(0)),
        (".private_segment_fixed_size", Number(0)),
        (".wavefront_size", Number(TARGET.wave_size())),
        (".max_flat_workgroup_size", Number(64)),
        (".sgpr_count", Number(9)),
        (".vgpr_count", Number(2)),
    ]);
    let metadata = Map(vec![
        ("amdhsa.version", List(vec![Number(1), Number(2)])),
        ("amdhsa.target", Text(format!("amdgcn-amd-amdhsa--{}", TARGET.processor()))),
        ("amdhsa.kernels", List(vec![kernel])),
    ]);
    let mut desc = Vec::new();
    metadata.write(&mut desc);
    let mut note = dwords(&[7, desc.len() as u32, 32]);
    note.extend(b"AMDGPU\0\0");
    note.extend(desc);
    note.resize(note.len().next_multiple_of(4), 0);
    note
}

fn dwords(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn qwords(values: &[u64]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A section: its name, its type, its flags, the index of the section that it refers to, the size of an entry, and its
/// contents.
struct Section(&'static str, u32, u64, u32, u64, Vec<u8>);

/// An ELF shared object with one kernel. Addresses are also offsets in the file.
pub fn code_object() -> Result<Vec<u8>> {
    const PAGE: usize = 0x1000;
    let code = code()?;
    let names = format!("\0{NAME}.kd\0{NAME}\0");
    let second = NAME.len() as u32 + 5;
    // The hash table has one bucket, with the descriptor and then the code.
    let hash = dwords(&[1, 3, 1, 0, 2, 0]);
    let headers = 64 + 6 * 56;
    let note = note();

    // The read-only parts come first, then the code, then the table for the loader.
    let dynsym = headers + note.len().next_multiple_of(8);
    let (hash_at, names_at) = (dynsym + 72, dynsym + 72 + hash.len());
    let rodata = (names_at + names.len()).next_multiple_of(64);
    let (text, dynamic_at) = (PAGE, PAGE + code.len().next_multiple_of(PAGE));
    // STB_GLOBAL, STV_PROTECTED: an object in section 5, and a function in section 6.
    let symbol = |name: u32, kind: u32, section: u32, address: usize, size: usize| {
        [dwords(&[name, 0x10 | kind | 3 << 8 | section << 16]), qwords(&[address as u64, size as u64])].concat()
    };
    let symbols = [vec![0; 24], symbol(1, 1, 5, rodata, 64), symbol(second, 2, 6, text, code.len())].concat();
    let dynamic =
        [(6, dynsym as u64), (11, 24), (5, names_at as u64), (10, names.len() as u64), (4, hash_at as u64), (0, 0)];
    let dynamic = qwords(&dynamic.map(|(tag, value)| [tag, value]).concat());

    let sections = [
        (headers, Section(".note", 7, 2, 0, 0, note.clone())),
        (dynsym, Section(".dynsym", 11, 2, 4, 24, symbols)),
        (hash_at, Section(".hash", 5, 2, 2, 4, hash)),
        (names_at, Section(".dynstr", 3, 2, 0, 0, names.into_bytes())),
        (rodata, Section(".rodata", 1, 2, 0, 0, descriptor(text as i64 - rodata as i64).to_vec())),
        (text, Section(".text", 1, 6, 0, 0, code.clone())),
        (dynamic_at, Section(".dynamic", 6, 3, 4, 16, dynamic.clone())),
    ];
    let mut bytes = vec![0; headers];
    let mut titles = vec![0];
    let mut table = vec![0; 64];
    for (at, Section(name, kind, flags, link, entry, contents)) in sections {
        bytes.resize(at, 0);
        table.extend(dwords(&[titles.len() as u32, kind]));
        table.extend(qwords(&[flags, at as u64, at as u64, contents.len() as u64]));
        table.extend(dwords(&[link, u32::from(kind == 11)]));
        let align = match name {
            ".text" => 256,
            ".rodata" => 64,
            ".note" => 4,
            _ => 8,
        };
        table.extend(qwords(&[align, entry]));
        titles.extend(name.bytes().chain([0]));
        bytes.extend(contents);
    }
    table.extend(dwords(&[titles.len() as u32, 3]));
    titles.extend(b".shstrtab\0");
    table.extend(qwords(&[0, 0, bytes.len() as u64, titles.len() as u64]));
    table.extend([dwords(&[0, 0]), qwords(&[1, 0])].concat());
    bytes.extend(titles);
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let sections_at = bytes.len() as u64;
    bytes.extend(table);

    // ELFCLASS64, little-endian; ELFOSABI_AMDGPU_HSA, code object version 5; ET_DYN, EM_AMDGPU.
    let mut header = b"\x7fELF\x02\x01\x01\x40\x03\0\0\0\0\0\0\0\x03\0\xe0\0\x01\0\0\0".to_vec();
    header.extend(qwords(&[0, 64, sections_at]));
    // The file is for any setting of XNACK and SRAM ECC.
    header.extend(dwords(&[TARGET.mach() | 0x500]));
    header.extend([64u16, 56, 6, 64, 9, 8].iter().flat_map(|value| value.to_le_bytes()));
    let dynamic_len = dynamic.len();
    for (kind, flags, at, len, align) in [
        (6, 4, 64, headers - 64, 8),
        (1, 4, 0, rodata + 64, PAGE),
        (1, 5, text, code.len(), PAGE),
        (1, 6, dynamic_at, dynamic_len, PAGE),
        (2, 6, dynamic_at, dynamic_len, 8),
        (4, 4, headers, note.len(), 4),
    ] {
        header.extend(dwords(&[kind, flags]));
        header.extend(qwords(&[at, at, at, len, len, align].map(|value| value as u64)));
    }
    bytes[..headers].copy_from_slice(&header);
    Ok(bytes)
}

fn main() -> Result<()> {
    let bytes = code_object()?;
    let object = code_object::read(&bytes)?;
    let [kernel] = &object.kernels[..] else { return Err("one kernel was made".into()) };
    println!("{}, for {}: {} bytes of code at {:#x}", kernel.name, object.target, kernel.size, kernel.address);
    if let Some(path) = std::env::args().nth(1) {
        std::fs::write(path, bytes)?;
    }
    Ok(())
}
