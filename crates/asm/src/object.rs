//! Writes relocatable objects.

use std::collections::HashMap;

use amdgpu_object::elf::{
    SHF_EXCLUDE, SHF_GROUP, SHF_INFO_LINK, SHN_AMDGPU_LDS, SHT_LLVM_ADDRSIG, SHT_LLVM_CALL_GRAPH_PROFILE, SHT_NOBITS,
    SHT_REL, SHT_RELA,
};
use object::Endianness;
use object::elf::{EM_AMDGPU, SHN_ABS, SHN_COMMON};
use object::write::StringId;
use object::write::elf::{FileHeader, Rel, SectionHeader, SectionIndex, Sym, SymbolIndex, Writer};

use super::assembler::Section;
use super::resolve::{At, Image, Of, Output, Symbol};

/// The lengths of a relocation with and without an addend, in bytes.
const RELA: u64 = 24;
const REL: u64 = 16;

/// Whether the relocations of a section have addends.
fn has_addends(image: &Image, section: &Section) -> bool {
    image.has_addends && section.kind != SHT_LLVM_CALL_GRAPH_PROFILE
}

/// A group of sections. Groups are in the order of their first sections.
struct Members {
    of: (usize, bool),
    index: SectionIndex,
    /// The first section, as a number in the image.
    first: usize,
    name: StringId,
    sections: Vec<SectionIndex>,
    offset: usize,
}

/// The group whose first section has this number.
fn group_of(groups: &[Members], first: usize) -> Option<&Members> {
    groups.get(groups.binary_search_by_key(&first, |group| group.first).ok()?)
}

/// The numbers of the symbols, local symbols first.
pub fn sorted(symbols: &[Symbol]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|n| !symbols[*n].is_local());
    order
}

/// The entries of the table of symbols in order, local symbols first. A section has an entry if a relocation names it.
fn entries(image: &Image) -> Vec<Of> {
    let mut is_named = vec![false; image.sections.len()];
    for relocation in image.sections.iter().flat_map(|output| &output.relocations) {
        if let Of::Section(section) = relocation.of {
            is_named[section] = true;
        }
    }
    let sections = image.sections.iter().enumerate().filter(|(n, _)| is_named[*n]);
    let sections = sections.map(|(n, output)| (false, output.section.order, Of::Section(n)));
    let symbols = image.symbols.iter().enumerate();
    let symbols = symbols.map(|(n, symbol)| (!symbol.is_local(), symbol.order, Of::Symbol(n)));
    let mut entries: Vec<_> = sections.chain(symbols).collect();
    entries.sort_by_key(|(is_global, order, _)| (*is_global, *order));
    entries.into_iter().map(|(_, _, entry)| entry).collect()
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
    let mut group_numbers = HashMap::new();
    let rela = |output: &Output| {
        let prefix = if has_addends(image, &output.section) { ".rela" } else { ".rel" };
        format!("{prefix}{}", output.section.name).into_bytes()
    };
    let rela: Vec<Vec<u8>> = image.sections.iter().map(rela).collect();
    for (output, rela) in image.sections.iter().zip(&rela) {
        let group = output.group.map(|of| {
            // A group comes before its first section.
            *group_numbers.entry(of).or_insert_with(|| {
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
    let addressed_name = image.addressed.as_ref().map(|_| {
        writer.reserve_section_index();
        writer.add_section_name(b".llvm_addrsig")
    });
    writer.reserve_symtab_section_index();
    writer.reserve_strtab_section_index();
    writer.reserve_shstrtab_section_index();

    writer.reserve_null_symbol_index();
    let entries = entries(image);
    let mut section_symbols: Vec<SymbolIndex> = vec![SymbolIndex(0); indices.len()];
    let mut numbers = vec![SymbolIndex(0); image.symbols.len()];
    let mut strings = vec![None; image.symbols.len()];
    let mut locals = 1;
    for entry in &entries {
        let n = match entry {
            Of::Section(section) => {
                section_symbols[*section] = writer.reserve_symbol_index(Some(indices[*section]));
                locals += 1;
                continue;
            }
            Of::Symbol(n) => *n,
            Of::None => continue,
        };
        let symbol = &image.symbols[n];
        locals += u32::from(symbol.is_local());
        strings[n] = Some(writer.add_string(symbol.name.as_bytes()));
        numbers[n] = writer.reserve_symbol_index(match symbol.at {
            At::Section(section) => Some(indices[section]),
            At::Group(first) => group_of(&groups, first).map(|group| group.index),
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
    let mut addressed = Vec::new();
    for n in image.addressed.iter().flatten() {
        crate::leb::unsigned(numbers[*n].0.into(), &mut addressed);
    }
    let addressed_offset = writer.reserve(addressed.len(), 1);
    for group in &mut groups {
        group.offset = writer.reserve_comdat(group.sections.len());
    }
    let relocation_offsets: Vec<usize> = image
        .sections
        .iter()
        .map(|output| match output.relocations.len() {
            0 => 0,
            count => writer.reserve_relocations(count, has_addends(image, &output.section)),
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
    writer.write(&addressed);
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
                Of::Section(section) => section_symbols[section],
                Of::Symbol(number) => numbers[number],
                Of::None => SymbolIndex(0),
            };
            let rel = Rel {
                r_offset: relocation.offset,
                r_sym: symbol.0,
                r_type: relocation.kind,
                r_addend: relocation.addend,
            };
            writer.write_relocation(has_addends(image, &output.section), &rel);
        }
    }
    writer.write_null_symbol();
    for entry in &entries {
        let n = match entry {
            Of::Section(section) => {
                writer.write_symbol(&Sym {
                    name: None,
                    section: Some(indices[*section]),
                    st_info: 3,
                    st_other: 0,
                    st_shndx: 0,
                    st_value: 0,
                    st_size: 0,
                });
                continue;
            }
            Of::Symbol(n) => *n,
            Of::None => continue,
        };
        let symbol = &image.symbols[n];
        let (section, number) = match symbol.at {
            At::Section(section) => (Some(indices[section]), 0),
            At::Group(first) => (group_of(&groups, first).map(|group| group.index), 0),
            At::Common => (None, SHN_COMMON),
            At::Undefined => (None, 0),
            At::Absolute => (None, SHN_ABS),
            At::Shared => (None, SHN_AMDGPU_LDS),
        };
        writer.write_symbol(&Sym {
            name: strings[n],
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
        if let Some(group) = group_of(&groups, n) {
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
            sh_link: match output.linked {
                Some(linked) => indices[linked].0,
                // The entries of the section name symbols of this table.
                None if section.kind == SHT_LLVM_CALL_GRAPH_PROFILE => symtab.0,
                None => 0,
            },
            sh_info: 0,
            sh_addralign: section.align,
            sh_entsize: section.entry,
        });
        if let Some((name, _)) = relocated[n] {
            let (kind, len) = if has_addends(image, section) { (SHT_RELA, RELA) } else { (SHT_REL, REL) };
            writer.write_section_header(&SectionHeader {
                name: Some(name),
                sh_type: kind,
                // LLVM sets these flags.
                sh_flags: if output.group.is_some() { SHF_GROUP } else { SHF_INFO_LINK },
                sh_addr: 0,
                sh_offset: relocation_offsets[n] as u64,
                sh_size: output.relocations.len() as u64 * len,
                sh_link: symtab.0,
                sh_info: indices[n].0,
                sh_addralign: 8,
                sh_entsize: len,
            });
        }
    }
    if let Some(name) = addressed_name {
        writer.write_section_header(&SectionHeader {
            name: Some(name),
            sh_type: SHT_LLVM_ADDRSIG,
            sh_flags: SHF_EXCLUDE,
            sh_addr: 0,
            sh_offset: addressed_offset as u64,
            sh_size: addressed.len() as u64,
            sh_link: symtab.0,
            sh_info: 0,
            sh_addralign: 1,
            sh_entsize: 0,
        });
    }
    writer.write_symtab_section_header(locals);
    writer.write_strtab_section_header();
    writer.write_shstrtab_section_header();
    Ok(buffer)
}
