//! Writes relocatable objects.

use object::Endianness;
use object::write::elf::{FileHeader, Rel, SectionHeader, SectionIndex, Sym, SymbolIndex, Writer};

use super::finish::{At, Image, Of, Symbol};
use super::program::SHT_NOBITS;

pub const EM_AMDGPU: u16 = 224;
pub const SHN_ABS: u16 = 0xfff1;
/// Symbols in a workgroup's memory; the value is their alignment.
pub const SHN_AMDGPU_LDS: u16 = 0xff00;

/// Local symbols first.
pub fn sorted(symbols: &[Symbol]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|n| !symbols[*n].is_local());
    order
}

pub fn write(image: &Image) -> Result<Vec<u8>, String> {
    let mut buffer = Vec::new();
    let mut writer = Writer::new(Endianness::Little, true, &mut buffer);
    writer.reserve_file_header();
    writer.reserve_null_section_index();
    let mut indices: Vec<SectionIndex> = Vec::new();
    let mut names = Vec::new();
    let mut relocated = Vec::new();
    let rela: Vec<Vec<u8>> = image.sections.iter().map(|s| format!(".rela{}", s.section.name).into_bytes()).collect();
    for (output, rela) in image.sections.iter().zip(&rela) {
        indices.push(writer.reserve_section_index());
        names.push(writer.add_section_name(output.section.name.as_bytes()));
        relocated.push((!output.relocations.is_empty()).then(|| {
            writer.reserve_section_index();
            writer.add_section_name(rela)
        }));
    }
    writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();

    // The symbols of sections that relocations name, and then the others.
    writer.reserve_null_symbol_index();
    let mut section_symbols: Vec<Option<SymbolIndex>> = vec![None; indices.len()];
    for relocation in image.sections.iter().flat_map(|output| &output.relocations) {
        if let Of::Section(section) = relocation.of {
            section_symbols[section] = Some(SymbolIndex(0));
        }
    }
    let mut locals = 1;
    for (symbol, index) in section_symbols.iter_mut().zip(&indices).filter(|(symbol, _)| symbol.is_some()) {
        *symbol = Some(writer.reserve_symbol_index(Some(*index)));
        locals += 1;
    }
    let order = sorted(&image.symbols);
    let mut numbers = vec![SymbolIndex(0); order.len()];
    let mut strings = Vec::new();
    for n in &order {
        let symbol = &image.symbols[*n];
        locals += u32::from(symbol.is_local());
        strings.push(writer.add_string(symbol.name.as_bytes()));
        numbers[*n] = writer.reserve_symbol_index(match symbol.at {
            At::Section(section) => Some(indices[section]),
            _ => None,
        });
    }

    let mut offsets = Vec::new();
    for output in &image.sections {
        let section = &output.section;
        let len = if section.kind == SHT_NOBITS { 0 } else { section.data.len() };
        offsets.push(writer.reserve(len, section.align as usize));
    }
    let relocation_offsets: Vec<usize> = image
        .sections
        .iter()
        .map(|output| match output.relocations.len() {
            0 => 0,
            count => writer.reserve_relocations(count, true),
        })
        .collect();
    writer.reserve_symtab();
    writer.reserve_strtab();
    writer.reserve_shstrtab();
    writer.reserve_section_headers();

    let header = FileHeader {
        os_abi: image.abi,
        abi_version: image.abi_version,
        e_type: object::elf::ET_REL,
        e_machine: EM_AMDGPU,
        e_entry: 0,
        e_flags: image.flags,
    };
    writer.write_file_header(&header).map_err(|e| e.to_string())?;
    for output in &image.sections {
        if output.section.kind != SHT_NOBITS {
            writer.write_align(output.section.align as usize);
            writer.write(&output.section.data);
        }
    }
    for output in image.sections.iter().filter(|output| !output.relocations.is_empty()) {
        writer.write_align_relocation();
        for relocation in &output.relocations {
            let symbol = match relocation.of {
                Of::Section(section) => section_symbols[section].unwrap_or(SymbolIndex(0)),
                Of::Symbol(number) => numbers[number],
            };
            let rel = Rel {
                r_offset: relocation.offset,
                r_sym: symbol.0,
                r_type: relocation.kind,
                r_addend: relocation.addend,
            };
            writer.write_relocation(true, &rel);
        }
    }
    writer.write_null_symbol();
    for (index, _) in indices.iter().zip(&section_symbols).filter(|(_, symbol)| symbol.is_some()) {
        writer.write_symbol(&Sym {
            name: None,
            section: Some(*index),
            st_info: 3,
            st_other: 0,
            st_shndx: 0,
            st_value: 0,
            st_size: 0,
        });
    }
    for (n, name) in order.iter().zip(strings) {
        let symbol = &image.symbols[*n];
        let (section, number) = match symbol.at {
            At::Section(section) => (Some(indices[section]), 0),
            At::Undefined => (None, 0),
            At::Absolute => (None, SHN_ABS),
            At::Shared => (None, SHN_AMDGPU_LDS),
        };
        writer.write_symbol(&Sym {
            name: Some(name),
            section,
            st_info: symbol.bind << 4 | symbol.kind,
            st_other: symbol.visibility,
            st_shndx: number,
            st_value: symbol.value,
            st_size: symbol.size,
        });
    }
    writer.write_strtab();
    writer.write_shstrtab();
    writer.write_null_section_header();
    let symtab = writer.symtab_index();
    for (n, output) in image.sections.iter().enumerate() {
        let section = &output.section;
        writer.write_section_header(&SectionHeader {
            name: Some(names[n]),
            sh_type: section.kind,
            sh_flags: section.flags,
            sh_addr: 0,
            sh_offset: offsets[n] as u64,
            sh_size: section.len,
            sh_link: 0,
            sh_info: 0,
            sh_addralign: section.align,
            sh_entsize: section.entry,
        });
        if let Some(name) = relocated[n] {
            let (offset, count) = (relocation_offsets[n], output.relocations.len());
            writer.write_relocation_section_header(name, indices[n], symtab, offset, count, true);
        }
    }
    writer.write_symtab_section_header(locals);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(buffer)
}
