//! Writes relocatable objects.

use object::Endianness;
use object::elf::{EM_AMDGPU, SHN_ABS, SHN_COMMON};
use object::write::StringId;
use object::write::elf::{FileHeader, Rel, SectionHeader, SectionIndex, Sym, SymbolIndex, Writer};

use super::assembler::{SHF_GROUP, SHT_NOBITS};
use super::resolve::{At, Image, Of, Symbol};
use crate::elf::SHN_AMDGPU_LDS;

const SHT_RELA: u32 = 4;
const SHF_INFO_LINK: u64 = 0x40;
/// The length of a relocation.
const RELA: u64 = 24;

/// A group of sections.
struct Members {
    of: (usize, bool),
    index: SectionIndex,
    /// The first section, as a number in the image.
    first: usize,
    name: StringId,
    sections: Vec<SectionIndex>,
    offset: usize,
}

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
    let mut groups: Vec<Members> = Vec::new();
    let rela: Vec<Vec<u8>> = image.sections.iter().map(|s| format!(".rela{}", s.section.name).into_bytes()).collect();
    for (output, rela) in image.sections.iter().zip(&rela) {
        let group = output.group.map(|of| {
            // A group is in front of its first section.
            groups.iter().position(|group| group.of == of).unwrap_or_else(|| {
                let index = writer.reserve_section_index();
                let name = writer.add_section_name(b".group");
                groups.push(Members { of, index, first: indices.len(), name, sections: Vec::new(), offset: 0 });
                groups.len() - 1
            })
        });
        let index = writer.reserve_section_index();
        indices.push(index);
        names.push(writer.add_section_name(output.section.name.as_bytes()));
        let members = group.and_then(|group| groups.get_mut(group)).map(|group| &mut group.sections);
        relocated.push((!output.relocations.is_empty()).then(|| {
            let rela_index = writer.reserve_section_index();
            (writer.add_section_name(rela), rela_index)
        }));
        if let Some(members) = members {
            members.push(index);
            members.extend(relocated.last().copied().flatten().map(|(_, index)| index));
        }
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
            At::Group(first) => groups.iter().find(|group| group.first == first).map(|group| group.index),
            _ => None,
        });
    }

    let mut offsets = Vec::new();
    for output in &image.sections {
        let section = &output.section;
        offsets.push(match section.kind {
            SHT_NOBITS => writer.reserved_len(),
            _ => writer.reserve(section.data.len(), section.align as usize),
        });
    }
    for group in &mut groups {
        group.offset = writer.reserve_comdat(group.sections.len());
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
    for group in &groups {
        match group.of.1 {
            true => writer.write_comdat_header(),
            false => {
                writer.write_align(4);
                writer.write(&[0; 4]);
            }
        }
        group.sections.iter().for_each(|section| writer.write_comdat_entry(*section));
    }
    for output in image.sections.iter().filter(|output| !output.relocations.is_empty()) {
        writer.write_align_relocation();
        for relocation in &output.relocations {
            let symbol = match relocation.of {
                Of::Section(section) => section_symbols[section].unwrap_or(SymbolIndex(0)),
                Of::Symbol(number) => numbers[number],
                Of::None => SymbolIndex(0),
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
            At::Group(first) => (groups.iter().find(|group| group.first == first).map(|group| group.index), 0),
            At::Common => (None, SHN_COMMON),
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
        if let Some(group) = groups.iter().find(|group| group.first == n) {
            let (symbol, count) = (numbers[group.of.0], group.sections.len());
            writer.write_comdat_section_header(group.name, symtab, symbol, group.offset, count);
        }
        writer.write_section_header(&SectionHeader {
            name: Some(names[n]),
            sh_type: section.kind,
            sh_flags: section.flags,
            sh_addr: 0,
            sh_offset: offsets[n] as u64,
            sh_size: section.len,
            sh_link: output.linked.map_or(0, |linked| indices[linked].0),
            sh_info: 0,
            sh_addralign: section.align,
            sh_entsize: section.entry,
        });
        if let Some((name, _)) = relocated[n] {
            writer.write_section_header(&SectionHeader {
                name: Some(name),
                sh_type: SHT_RELA,
                // As LLVM has it.
                sh_flags: if output.group.is_some() { SHF_GROUP } else { SHF_INFO_LINK },
                sh_addr: 0,
                sh_offset: relocation_offsets[n] as u64,
                sh_size: output.relocations.len() as u64 * RELA,
                sh_link: symtab.0,
                sh_info: indices[n].0,
                sh_addralign: 8,
                sh_entsize: RELA,
            });
        }
    }
    writer.write_symtab_section_header(locals);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(buffer)
}
