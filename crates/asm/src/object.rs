//! Writes relocatable objects.

use std::borrow::Borrow;
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
use super::resolve::{DefinedIn, Image, Output, Referent, Symbol};

/// The lengths of a relocation with and without an addend, in bytes.
const RELA: u64 = amdgpu_object::elf::wide::RELOCATION as u64;
const REL: u64 = amdgpu_object::elf::wide::SHORT_RELOCATION as u64;

/// Whether the relocations of a section have addends.
fn has_addends(image: &Image, section: &Section) -> bool {
    image.has_addends && section.kind != SHT_LLVM_CALL_GRAPH_PROFILE
}

/// A group of sections.
struct Group {
    /// The symbol that names the group, as a number in the image, and whether other objects may have the group.
    of: (usize, bool),
    index: SectionIndex,
    /// The first section, as a number in the image.
    first: usize,
    name: StringId,
    sections: Vec<SectionIndex>,
}

/// The numbers of the symbols, local symbols first.
pub fn sorted(symbols: &[impl Borrow<Symbol>]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..symbols.len()).collect();
    order.sort_by_key(|n| !symbols[*n].borrow().is_local());
    order
}

/// The entries of the table of symbols in order, local symbols first. A section has an entry if a relocation names it.
fn entries(image: &Image) -> Vec<Referent> {
    let mut is_named = vec![false; image.sections.len()];
    for relocation in image.sections.iter().flat_map(|output| &output.relocations) {
        if let Referent::Section(section) = relocation.of {
            is_named[section] = true;
        }
    }
    let sections = image.sections.iter().enumerate().filter(|(n, _)| is_named[*n]);
    let sections = sections.map(|(n, output)| (false, output.section.order, Referent::Section(n)));
    let symbols = image.symbols.iter().enumerate();
    let symbols = symbols.map(|(n, symbol)| (!symbol.is_local(), symbol.order, Referent::Symbol(n)));
    let mut entries: Vec<_> = sections.chain(symbols).collect();
    entries.sort_by_key(|(is_global, order, _)| (*is_global, *order));
    entries.into_iter().map(|(_, _, entry)| entry).collect()
}

/// The bytes of a relocatable object.
pub fn write(image: &Image) -> Result<Vec<u8>, String> {
    let mut buffer = Vec::new();
    let relocation_names: Vec<Vec<u8>> = image.sections.iter().map(|output| relocation_name(image, output)).collect();
    let mut writer = Writer::new(Endianness::Little, true, &mut buffer);
    writer.reserve_file_header();
    let sections = Sections::reserve(image, &relocation_names, &mut writer);
    let symbols = Symbols::reserve(image, &sections, &mut writer);
    let contents = Contents::reserve(image, &sections, &symbols, &mut writer);
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
    let object = Object { image, sections, symbols, contents };
    object.write_contents(&mut writer);
    object.write_relocations(&mut writer);
    object.write_symbols(&mut writer);
    writer.write_strtab();
    writer.write_shstrtab();
    object.write_section_headers(&mut writer);
    Ok(buffer)
}

/// The name of the section with the relocations of a section.
fn relocation_name(image: &Image, output: &Output) -> Vec<u8> {
    let prefix = if has_addends(image, &output.section) { ".rela" } else { ".rel" };
    format!("{prefix}{}", output.section.name).into_bytes()
}

/// The indices and names of the sections.
struct Sections {
    indices: Vec<SectionIndex>,
    names: Vec<StringId>,
    /// The name and index of the relocations of each section that has some.
    relocations: Vec<Option<(StringId, SectionIndex)>>,
    /// The groups in the order of their first sections.
    groups: Vec<Group>,
    /// The name of the section with the symbols whose addresses are significant, if there is one.
    addressed: Option<StringId>,
}

impl Sections {
    fn reserve<'a>(image: &'a Image, relocation_names: &'a [Vec<u8>], writer: &mut Writer<'a>) -> Sections {
        writer.reserve_null_section_index();
        let mut all = Sections {
            indices: Vec::new(),
            names: Vec::new(),
            relocations: Vec::new(),
            groups: Vec::new(),
            addressed: None,
        };
        let mut group_numbers = HashMap::new();
        for (output, relocation_name) in image.sections.iter().zip(relocation_names) {
            let group = output.group.map(|of| {
                // A group comes before its first section.
                *group_numbers.entry(of).or_insert_with(|| {
                    let index = writer.reserve_section_index();
                    let name = writer.add_section_name(b".group");
                    all.groups.push(Group { of, index, first: all.indices.len(), name, sections: Vec::new() });
                    all.groups.len() - 1
                })
            });
            let index = writer.reserve_section_index();
            all.indices.push(index);
            all.names.push(writer.add_section_name(output.section.name.as_bytes()));
            let relocations = (!output.relocations.is_empty()).then(|| {
                let index = writer.reserve_section_index();
                (writer.add_section_name(relocation_name), index)
            });
            if let Some(group) = group.and_then(|group| all.groups.get_mut(group)) {
                group.sections.push(index);
                group.sections.extend(relocations.map(|(_, index)| index));
            }
            all.relocations.push(relocations);
        }
        all.addressed = image.addressed.as_ref().map(|_| {
            writer.reserve_section_index();
            writer.add_section_name(b".llvm_addrsig")
        });
        writer.reserve_symtab_section_index();
        writer.reserve_strtab_section_index();
        writer.reserve_shstrtab_section_index();
        all
    }

    /// The number of the group whose first section this is.
    fn group_of(&self, first: usize) -> Option<usize> {
        self.groups.binary_search_by_key(&first, |group| group.first).ok()
    }

    /// The index of the section that a symbol names, if it names one.
    fn index_of(&self, symbol: &Symbol) -> Option<SectionIndex> {
        match symbol.at {
            DefinedIn::Section(section) => Some(self.indices[section]),
            DefinedIn::Group(first) => self.group_of(first).map(|group| self.groups[group].index),
            _ => None,
        }
    }
}

/// The entries of the table of symbols.
struct Symbols {
    entries: Vec<Referent>,
    /// The number of local entries, including the empty first entry.
    locals: u32,
    /// The entry of each section of the image, or 0.
    of_sections: Vec<SymbolIndex>,
    /// The entry of each symbol of the image, and its name.
    indices: Vec<SymbolIndex>,
    names: Vec<Option<StringId>>,
}

impl Symbols {
    fn reserve<'a>(image: &'a Image, sections: &Sections, writer: &mut Writer<'a>) -> Symbols {
        writer.reserve_null_symbol_index();
        let mut all = Symbols {
            entries: entries(image),
            locals: 1,
            of_sections: vec![SymbolIndex(0); image.sections.len()],
            indices: vec![SymbolIndex(0); image.symbols.len()],
            names: vec![None; image.symbols.len()],
        };
        for entry in &all.entries {
            match *entry {
                Referent::Section(section) => {
                    all.of_sections[section] = writer.reserve_symbol_index(Some(sections.indices[section]));
                    all.locals += 1;
                }
                Referent::Symbol(n) => {
                    let symbol = &image.symbols[n];
                    all.locals += u32::from(symbol.is_local());
                    all.names[n] = Some(writer.add_string(symbol.name.as_bytes()));
                    all.indices[n] = writer.reserve_symbol_index(sections.index_of(symbol));
                }
                Referent::None => {}
            }
        }
        all
    }
}

/// The offsets in the file of the contents of sections, groups and relocations.
struct Contents {
    sections: Vec<usize>,
    /// The bytes that name the symbols whose addresses are significant, and their offset.
    addressed: (Vec<u8>, usize),
    groups: Vec<usize>,
    relocations: Vec<usize>,
}

impl Contents {
    fn reserve(image: &Image, sections: &Sections, symbols: &Symbols, writer: &mut Writer<'_>) -> Contents {
        let mut offsets = Vec::new();
        for Output { section, .. } in &image.sections {
            offsets.push(match section.kind {
                SHT_NOBITS => writer.reserved_len(),
                _ => writer.reserve(section.data.len(), section.align as usize),
            });
        }
        let mut addressed = Vec::new();
        for n in image.addressed.iter().flatten() {
            crate::leb::unsigned(symbols.indices[*n].0.into(), &mut addressed);
        }
        let addressed_offset = writer.reserve(addressed.len(), 1);
        let groups = sections.groups.iter().map(|group| writer.reserve_comdat(group.sections.len())).collect();
        let mut relocations = Vec::new();
        for output in &image.sections {
            relocations.push(match output.relocations.len() {
                0 => 0,
                count => writer.reserve_relocations(count, has_addends(image, &output.section)),
            });
        }
        Contents { sections: offsets, addressed: (addressed, addressed_offset), groups, relocations }
    }
}

/// An object whose parts have their positions. The parts are written in the order of these positions.
struct Object<'a> {
    image: &'a Image,
    sections: Sections,
    symbols: Symbols,
    contents: Contents,
}

impl Object<'_> {
    fn write_contents(&self, writer: &mut Writer<'_>) {
        for Output { section, .. } in &self.image.sections {
            if section.kind != SHT_NOBITS {
                writer.write_align(section.align as usize);
                writer.write(&section.data);
            }
        }
        writer.write(&self.contents.addressed.0);
        for group in &self.sections.groups {
            match group.of.1 {
                true => writer.write_comdat_header(),
                false => {
                    writer.write_align(4);
                    writer.write(&[0; 4]);
                }
            }
            group.sections.iter().for_each(|section| writer.write_comdat_entry(*section));
        }
    }

    fn write_relocations(&self, writer: &mut Writer<'_>) {
        for output in self.image.sections.iter().filter(|output| !output.relocations.is_empty()) {
            writer.write_align_relocation();
            for relocation in &output.relocations {
                let symbol = match relocation.of {
                    Referent::Section(section) => self.symbols.of_sections[section],
                    Referent::Symbol(n) => self.symbols.indices[n],
                    Referent::None => SymbolIndex(0),
                };
                let rel = Rel {
                    r_offset: relocation.offset,
                    r_sym: symbol.0,
                    r_type: relocation.kind,
                    r_addend: relocation.addend,
                };
                writer.write_relocation(has_addends(self.image, &output.section), &rel);
            }
        }
    }

    fn write_symbols(&self, writer: &mut Writer<'_>) {
        writer.write_null_symbol();
        for entry in &self.symbols.entries {
            match *entry {
                Referent::Section(section) => writer.write_symbol(&Sym {
                    name: None,
                    section: Some(self.sections.indices[section]),
                    st_info: 3,
                    st_other: 0,
                    st_shndx: 0,
                    st_value: 0,
                    st_size: 0,
                }),
                Referent::Symbol(n) => {
                    let symbol = &self.image.symbols[n];
                    writer.write_symbol(&Sym {
                        name: self.symbols.names[n],
                        section: self.sections.index_of(symbol),
                        st_info: symbol.bind << 4 | symbol.kind,
                        st_other: symbol.visibility,
                        st_shndx: match symbol.at {
                            DefinedIn::Section(_) | DefinedIn::Group(_) | DefinedIn::Undefined => 0,
                            DefinedIn::Common => SHN_COMMON,
                            DefinedIn::Absolute => SHN_ABS,
                            DefinedIn::Shared => SHN_AMDGPU_LDS,
                        },
                        st_value: symbol.value,
                        st_size: symbol.size,
                    });
                }
                Referent::None => {}
            }
        }
    }

    fn write_section_headers(&self, writer: &mut Writer<'_>) {
        writer.write_null_section_header();
        let symtab = writer.symtab_index();
        for (n, output) in self.image.sections.iter().enumerate() {
            if let Some(number) = self.sections.group_of(n) {
                let group = &self.sections.groups[number];
                let (symbol, count) = (self.symbols.indices[group.of.0], group.sections.len());
                writer.write_comdat_section_header(group.name, symtab, symbol, self.contents.groups[number], count);
            }
            writer.write_section_header(&self.section_header(n, output, symtab));
            if let Some((name, _)) = self.sections.relocations[n] {
                writer.write_section_header(&self.relocations_header(n, name, output, symtab));
            }
        }
        if let Some(name) = self.sections.addressed {
            let (bytes, offset) = &self.contents.addressed;
            writer.write_section_header(&SectionHeader {
                name: Some(name),
                sh_type: SHT_LLVM_ADDRSIG,
                sh_flags: SHF_EXCLUDE,
                sh_addr: 0,
                sh_offset: *offset as u64,
                sh_size: bytes.len() as u64,
                sh_link: symtab.0,
                sh_info: 0,
                sh_addralign: 1,
                sh_entsize: 0,
            });
        }
        writer.write_symtab_section_header(self.symbols.locals);
        writer.write_strtab_section_header();
        writer.write_shstrtab_section_header();
    }

    fn section_header(&self, n: usize, output: &Output, symtab: SectionIndex) -> SectionHeader {
        let section = &output.section;
        SectionHeader {
            name: Some(self.sections.names[n]),
            sh_type: section.kind,
            sh_flags: section.flags,
            sh_addr: 0,
            sh_offset: self.contents.sections[n] as u64,
            sh_size: section.len,
            sh_link: match output.linked {
                Some(linked) => self.sections.indices[linked].0,
                // The entries of this section have the numbers of symbols in the table of symbols.
                None if section.kind == SHT_LLVM_CALL_GRAPH_PROFILE => symtab.0,
                None => 0,
            },
            sh_info: 0,
            sh_addralign: section.align,
            sh_entsize: section.entry,
        }
    }

    /// The header of the relocations of the section with this number.
    fn relocations_header(&self, n: usize, name: StringId, output: &Output, symtab: SectionIndex) -> SectionHeader {
        let has_addends = has_addends(self.image, &output.section);
        let (kind, len) = if has_addends { (SHT_RELA, RELA) } else { (SHT_REL, REL) };
        SectionHeader {
            name: Some(name),
            sh_type: kind,
            // LLVM sets these flags.
            sh_flags: if output.group.is_some() { SHF_GROUP } else { SHF_INFO_LINK },
            sh_addr: 0,
            sh_offset: self.contents.relocations[n] as u64,
            sh_size: output.relocations.len() as u64 * len,
            sh_link: symtab.0,
            sh_info: self.sections.indices[n].0,
            sh_addralign: 8,
            sh_entsize: len,
        }
    }
}
