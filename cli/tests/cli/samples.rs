//! Small containers, built byte by byte.

pub const S_NOP: u32 = 0xbf80_0000;
pub const S_ENDPGM: u32 = 0xbf81_0000;
/// `s_mov_b32 s0, 0x12345678`, with its literal.
pub const S_MOV: [u32; 2] = [0xbe80_00ff, 0x1234_5678];
/// A dword that is not an instruction: SOPP has no opcode 127.
pub const BAD: u32 = 0xbfff_0000;

pub const GFX942: u32 = 0x4c;
/// A processor that the library knows by name only.
pub const TURKS: u32 = 0x10;
const EM_AMDGPU: u16 = 224;
const EM_X86_64: u16 = 62;
/// The address at which the samples' `.text` is loaded.
pub const BASE: u64 = 0x1900;

pub fn s_branch(dwords: i16) -> u32 {
    0xbf82_0000 | u32::from(dwords as u16)
}

pub fn s_cbranch_scc1(dwords: i16) -> u32 {
    0xbf85_0000 | u32::from(dwords as u16)
}

pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

#[derive(Default, Clone)]
pub struct Section {
    pub name: &'static str,
    pub kind: u32,
    pub flags: u64,
    pub address: u64,
    pub data: Vec<u8>,
    pub link: u32,
    pub entry: u64,
}

/// A 64-bit little-endian ELF file: header, section contents, section headers.
pub fn elf(machine: u16, kind: u16, flags: u32, sections: &[Section]) -> Vec<u8> {
    let mut names = vec![0u8];
    let mut headers = vec![0u8; 64];
    let mut body = Vec::new();
    let named = Section { name: ".shstrtab", kind: 3, ..Section::default() };
    for section in sections.iter().chain([&named]) {
        let name = names.len() as u32;
        names.extend_from_slice(section.name.as_bytes());
        names.push(0);
        let data = if section.name == ".shstrtab" { &names } else { &section.data };
        while body.len() % 8 != 0 {
            body.push(0);
        }
        let offset = 64 + body.len() as u64;
        body.extend_from_slice(data);
        headers.extend(name.to_le_bytes());
        headers.extend(section.kind.to_le_bytes());
        for field in [section.flags, section.address, offset, data.len() as u64] {
            headers.extend(field.to_le_bytes());
        }
        headers.extend(section.link.to_le_bytes());
        headers.extend(1u32.to_le_bytes());
        headers.extend(8u64.to_le_bytes());
        headers.extend(section.entry.to_le_bytes());
    }
    let count = sections.len() as u16 + 2;
    let mut file = b"\x7fELF\x02\x01\x01\x40\x04\0\0\0\0\0\0\0".to_vec();
    file.extend(kind.to_le_bytes());
    file.extend(machine.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    for field in [0, 0, 64 + body.len() as u64] {
        file.extend(field.to_le_bytes());
    }
    file.extend(flags.to_le_bytes());
    for field in [64, 56, 0, 64, count, count - 1] {
        file.extend(u16::to_le_bytes(field));
    }
    file.extend(body);
    file.extend(headers);
    file
}

/// A linked code object with two functions: `first`, a kernel with a descriptor, and `second` after it.
pub fn code_object_flags(flags: u32, first: &[u32], second: &[u32]) -> Vec<u8> {
    code_object_properties(flags, 0, first, second)
}

/// A code object as [`code_object_flags`] makes it, whose descriptor has these `kernel_code_properties`.
pub fn code_object_properties(flags: u32, properties: u16, first: &[u32], second: &[u32]) -> Vec<u8> {
    let descriptor = 0x1000u64;
    let mut kd = vec![0u8; 64];
    kd[56..58].copy_from_slice(&properties.to_le_bytes());
    kd[16..24].copy_from_slice(&(BASE - descriptor).to_le_bytes());
    let strings = b"\0first\0first.kd\0second\0".to_vec();
    let symbol = |name: u32, info: u8, section: u16, value: u64, size: u64| {
        let mut s = name.to_le_bytes().to_vec();
        s.extend([info, 0]);
        s.extend(section.to_le_bytes());
        s.extend(value.to_le_bytes());
        s.extend(size.to_le_bytes());
        s
    };
    let (len1, len2) = (4 * first.len() as u64, 4 * second.len() as u64);
    let symbols = [
        vec![0; 24],
        symbol(1, 0x12, 1, BASE, len1),
        symbol(7, 0x11, 2, descriptor, 64),
        symbol(16, 0x12, 1, BASE + len1, len2),
    ]
    .concat();
    let code = bytes(&[first, second].concat());
    let default = Section::default;
    elf(
        EM_AMDGPU,
        3,
        flags,
        &[
            Section { name: ".text", kind: 1, flags: 6, address: BASE, data: code, ..default() },
            Section { name: ".rodata", kind: 1, flags: 2, address: descriptor, data: kd, ..default() },
            Section { name: ".symtab", kind: 2, data: symbols, link: 4, entry: 24, ..default() },
            Section { name: ".strtab", kind: 3, data: strings, ..default() },
        ],
    )
}

/// A code object for a processor, with unspecified features.
pub fn code_object(mach: u32) -> Vec<u8> {
    let first = [S_NOP, s_cbranch_scc1(1), BAD, S_MOV[0], S_MOV[1], s_branch(-4), S_ENDPGM];
    code_object_flags(0x500 | mach, &first, &[s_branch(-8), S_ENDPGM])
}

/// A host program with `bundles` where HIP puts them.
pub fn host(bundles: Vec<u8>) -> Vec<u8> {
    host_section(".hip_fatbin", bundles)
}

pub fn host_section(name: &'static str, bundles: Vec<u8>) -> Vec<u8> {
    let section = Section { name, kind: 1, flags: 2, data: bundles, ..Section::default() };
    elf(EM_X86_64, 3, 0, &[section])
}

pub fn bundle(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let table: usize = entries.iter().map(|(id, _)| 24 + id.len()).sum();
    let mut file = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    file.extend((entries.len() as u64).to_le_bytes());
    let mut body = Vec::new();
    for (id, data) in entries {
        let offset = 32 + table + body.len();
        for field in [offset, data.len(), id.len()] {
            file.extend((field as u64).to_le_bytes());
        }
        file.extend_from_slice(id.as_bytes());
        body.extend_from_slice(data);
    }
    file.extend(body);
    file
}

/// An LLVM offload binary.
pub fn offload(triple: &str, arch: &str, image: &[u8]) -> Vec<u8> {
    // The header and the entry, two pairs of offsets, and the texts.
    let texts = format!("triple\0{triple}\0arch\0{arch}\0");
    let (at_strings, at_texts) = (32 + 40, 32 + 40 + 32);
    let at_triple = at_texts + 7;
    let at_arch = at_triple + triple.len() + 1;
    let at_image = (at_texts + texts.len()).next_multiple_of(8);
    let mut file = b"\x10\xff\x10\xad\x01\0\0\0".to_vec();
    let strings = [at_texts, at_triple, at_arch, at_arch + 5];
    let fields = [at_image + image.len(), 32, 40, 0, at_strings, 2, at_image, image.len()];
    fields.iter().chain(&strings).for_each(|&f| file.extend((f as u64).to_le_bytes()));
    file.extend(texts.bytes());
    file.resize(at_image, 0);
    file.extend_from_slice(image);
    file
}

pub const HOST_ID: &str = "host-x86_64-unknown-linux-gnu--";
pub const ID_942: &str = "hipv4-amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-";
pub const ID_TURKS: &str = "hip-amdgcn-amd-amdhsa--turks";

/// A bundle with an empty entry for the host, an entry for a target that is not in the build, one for a target that is,
/// and an entry without code.
pub fn usual_bundle() -> Vec<u8> {
    bundle(&[
        (HOST_ID, b""),
        (ID_TURKS, &code_object(TURKS)),
        (ID_942, &code_object(GFX942)),
        ("hipv4-amdgcn-amd-amdhsa--gfx1100", b""),
    ])
}

#[derive(Clone, Copy, Debug)]
pub enum Method {
    Zlib,
    Zstd,
}

pub fn pack(method: Method, plain: &[u8]) -> Vec<u8> {
    match method {
        Method::Zlib => miniz_oxide::deflate::compress_to_vec_zlib(plain, 6),
        Method::Zstd => ruzstd::encoding::compress_to_vec(plain, ruzstd::encoding::CompressionLevel::Fastest),
    }
}

/// A compressed bundle with the data `packed`, whose header claims `size` bytes.
pub fn compressed(version: u16, method: u16, packed: &[u8], size: u64) -> Vec<u8> {
    let mut file = b"CCOB".to_vec();
    file.extend(version.to_le_bytes());
    file.extend(method.to_le_bytes());
    match version {
        1 => {}
        2 => file.extend((24 + packed.len() as u32).to_le_bytes()),
        _ => file.extend((32 + packed.len() as u64).to_le_bytes()),
    }
    match version {
        1 | 2 => file.extend((size as u32).to_le_bytes()),
        _ => file.extend(size.to_le_bytes()),
    }
    file.extend([0; 8]);
    file.extend_from_slice(packed);
    file
}

pub fn compress(version: u16, method: Method, plain: &[u8]) -> Vec<u8> {
    compressed(version, method as u16, &pack(method, plain), plain.len() as u64)
}

/// An LLVM offload binary of version 2, which can hold several images.
pub fn offload_v2(images: &[(&str, &str, &[u8])]) -> Vec<u8> {
    let mut file = b"\x10\xff\x10\xad\x02\0\0\0".to_vec();
    let mut at = 32 + 40 * images.len();
    let (mut entries, mut body) = (Vec::new(), Vec::new());
    for (triple, arch, image) in images {
        let texts = format!("triple\0{triple}\0arch\0{arch}\0");
        let at_texts = at + 48;
        let at_triple = at_texts + 7;
        let at_arch = at_triple + triple.len() + 1;
        let at_image = (at_texts + texts.len()).next_multiple_of(8);
        entries.extend([0, at, 2, at_image, image.len()]);
        for field in [at_texts, at_triple, triple.len(), at_arch, at_arch + 5, arch.len()] {
            body.extend((field as u64).to_le_bytes());
        }
        body.extend(texts.bytes());
        body.resize(at_image - 32 - 40 * images.len(), 0);
        body.extend_from_slice(image);
        body.resize(body.len().next_multiple_of(8), 0);
        at = 32 + 40 * images.len() + body.len();
    }
    [at, 32, images.len()].iter().chain(&entries).for_each(|&field| file.extend((field as u64).to_le_bytes()));
    file.extend(body);
    file
}

/// An archive as `ar` makes it.
pub fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut file = b"!<arch>\n".to_vec();
    for (name, data) in members {
        let mut header = format!("{name}/").into_bytes();
        header.resize(16, b' ');
        header.extend(format!("{:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 0, 644, data.len()).bytes());
        file.extend(header);
        file.extend_from_slice(data);
        file.resize(file.len().next_multiple_of(2), b'\n');
    }
    file
}

/// A section with one note.
pub fn note(name: &str, kind: u32, contents: &[u8]) -> Section {
    let mut data = Vec::new();
    [name.len() as u32 + 1, contents.len() as u32, kind].iter().for_each(|field| data.extend(field.to_le_bytes()));
    for part in [name.as_bytes(), &[0]] {
        data.extend_from_slice(part);
    }
    data.resize(data.len().next_multiple_of(4), 0);
    data.extend_from_slice(contents);
    data.resize(data.len().next_multiple_of(4), 0);
    Section { name: ".note", kind: 7, data, ..Section::default() }
}

/// A code object with these flags and this note, and the ABI version in its header.
pub fn noted(flags: u32, version: u8, note: Section) -> Vec<u8> {
    let code = Section { name: ".text", kind: 1, flags: 6, address: BASE, data: bytes(&[S_NOP]), ..Section::default() };
    let mut file = elf(EM_AMDGPU, 3, flags, &[code, note]);
    file[8] = version;
    file
}
