//! Writes the file of a linked code object.

use amdgpu_object::elf::SHF_MERGE;
use object::Endianness;
use object::elf::{EM_AMDGPU, SHN_ABS, STB_LOCAL, STV_HIDDEN, STV_PROTECTED};
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, SectionIndex, Sym, Writer};

use super::{Chunk, Layout, strings};
use crate::object::sorted;
use crate::resolve::{At, Image, Symbol};

/// The bytes of the file. `strip` leaves out the symbol table that no loader reads.
pub fn write(
    image: &Image,
    chunks: &[Chunk],
    segments: &[ProgramHeader],
    layout: &Layout,
    strip: bool,
) -> Result<Vec<u8>, String> {
    let mut buffer = Vec::new();
    let mut writer = Writer::new(Endianness::Little, true, &mut buffer);
    writer.reserve_file_header();
    writer.reserve_program_headers(segments.len() as u32);
    writer.reserve_null_section_index();
    let mut names = Vec::new();
    for chunk in chunks {
        writer.reserve_section_index();
        names.push(writer.add_section_name(chunk.name.as_bytes()));
        writer.reserve_until(chunk.offset as usize);
        writer.reserve(chunk.data.len(), 1);
    }
    // Hidden symbols become local in a linked file.
    let hide = |symbol: &Symbol| {
        let is_hidden = symbol.visibility != STV_PROTECTED && symbol.visibility != 0 && symbol.at != At::Undefined;
        Symbol { bind: if is_hidden { STB_LOCAL } else { symbol.bind }, ..symbol.clone() }
    };
    // Names of places in merged sections are only for the linker, so they are left out.
    let is_kept = |symbol: &&Symbol| match symbol.at {
        At::Section(n) => !symbol.name.starts_with(".L") || image.sections[n].section.flags & SHF_MERGE == 0,
        _ => true,
    };
    let kept: Vec<&Symbol> = image.symbols.iter().filter(|_| !strip).filter(is_kept).collect();
    let symbols: Vec<Symbol> = kept.iter().copied().map(hide).collect();
    let index = |section: usize| layout.indices.get(&section).map(|n| SectionIndex((*n).into()));
    let order = sorted(&symbols);
    let locals = order.iter().filter(|n| symbols[**n].is_local()).count();
    let own = chunks.iter().position(|chunk| chunk.name == ".dynamic" && chunk.is_made()).unwrap_or(0);
    let (mut strings, mut own_name) = (Vec::new(), None);
    if !strip {
        writer.reserve_symtab_section_index();
    }
    writer.reserve_shstrtab_section_index();
    if !strip {
        writer.reserve_strtab_section_index();
        writer.reserve_null_symbol_index();
        for n in &order {
            strings.push(writer.add_string(symbols[*n].name.as_bytes()));
            writer.reserve_symbol_index(None);
        }
        own_name = Some(writer.add_string(b"_DYNAMIC"));
        writer.reserve_symbol_index(None);
    }
    writer.reserve_symtab();
    writer.reserve_shstrtab();
    writer.reserve_strtab();
    writer.reserve_section_headers();
    let header = FileHeader {
        os_abi: image.abi,
        abi_version: image.abi_version,
        e_type: object::elf::ET_DYN,
        e_machine: EM_AMDGPU,
        e_entry: 0,
        e_flags: image.flags,
    };
    writer.write_file_header(&header).map_err(|e| e.to_string())?;
    writer.write_align_program_headers();
    segments.iter().for_each(|segment| writer.write_program_header(segment));
    for chunk in chunks {
        writer.pad_until(chunk.offset as usize);
        writer.write(&chunk.data);
    }
    writer.write_null_symbol();
    let dynamic = Sym {
        name: own_name,
        section: Some(SectionIndex(own as u32 + 1)),
        st_info: STB_LOCAL << 4,
        st_other: STV_HIDDEN,
        st_shndx: 0,
        st_value: chunks.get(own).map_or(0, |chunk| chunk.address),
        st_size: 0,
    };
    for (at, n) in order.iter().enumerate() {
        if at == locals {
            writer.write_symbol(&dynamic);
        }
        let symbol = &symbols[*n];
        let section = match symbol.at {
            At::Section(section) => index(section),
            _ => None,
        };
        writer.write_symbol(&Sym {
            name: Some(strings[at]),
            section,
            st_info: symbol.bind << 4 | symbol.kind,
            st_other: symbol.visibility,
            st_shndx: if symbol.at == At::Absolute { SHN_ABS } else { 0 },
            st_value: layout.value(symbol),
            st_size: symbol.size,
        });
    }
    if locals == order.len() && !strip {
        writer.write_symbol(&dynamic);
    }
    writer.write_shstrtab();
    writer.write_strtab();
    writer.write_null_section_header();
    for (chunk, name) in chunks.iter().zip(names) {
        let link = chunks.iter().position(|other| other.name == chunk.link && !chunk.link.is_empty());
        writer.write_section_header(&SectionHeader {
            name: Some(name),
            sh_type: chunk.kind,
            sh_flags: chunk.flags,
            sh_addr: chunk.address,
            sh_offset: chunk.offset,
            sh_size: chunk.len,
            sh_link: link.map_or(0, |n| n as u32 + 1),
            sh_info: chunk.info,
            sh_addralign: chunk.align,
            sh_entsize: chunk.entry,
        });
    }
    writer.write_symtab_section_header(locals as u32 + 2);
    writer.write_shstrtab_section_header();
    writer.write_strtab_section_header();
    if image.sorted_names {
        return Ok(buffer);
    }
    // A linker adds the local symbols of its inputs, their other symbols, and its own.
    let mut numbers = vec![0; symbols.len()];
    for (at, n) in order.iter().enumerate() {
        numbers[*n] = if at < locals { at + 1 } else { at + 2 };
    }
    let names = sorted(&kept).into_iter().map(|n| numbers[n]);
    Ok(strings::in_order(buffer, (!strip).then(|| names.chain([locals + 1]))))
}
