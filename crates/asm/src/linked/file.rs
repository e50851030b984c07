//! Writes the file of a linked code object.

use std::collections::HashMap;

use amdgpu_object::elf::SHF_MERGE;
use object::Endianness;
use object::elf::{EM_AMDGPU, SHN_ABS, STB_LOCAL, STV_HIDDEN, STV_PROTECTED};
use object::write::StringId;
use object::write::elf::{FileHeader, ProgramHeader, SectionHeader, SectionIndex, Sym, Writer};

use super::{Chunk, DYNAMIC, Layout, strings};
use crate::object::sorted;
use crate::resolve::{DefinedIn, Image, Symbol};

/// The table of symbols that no loader reads.
struct Symbols<'a> {
    /// The symbols of the image in the table.
    kept: Vec<&'a Symbol>,
    /// The symbols of `kept` as they are in the file, where hidden symbols are local.
    hidden: Vec<Symbol>,
    /// The numbers of the symbols in the order of the file, local symbols first.
    order: Vec<usize>,
    locals: usize,
}

impl<'a> Symbols<'a> {
    fn of(image: &'a Image) -> Symbols<'a> {
        let hide = |symbol: &Symbol| {
            let is_hidden =
                symbol.visibility != STV_PROTECTED && symbol.visibility != 0 && symbol.at != DefinedIn::Undefined;
            Symbol { bind: if is_hidden { STB_LOCAL } else { symbol.bind }, ..symbol.clone() }
        };
        // Names of places in merged sections are only for the linker, so they are left out.
        let is_kept = |symbol: &&Symbol| match symbol.at {
            DefinedIn::Section(n) => !symbol.name.starts_with(".L") || image.sections[n].section.flags & SHF_MERGE == 0,
            _ => true,
        };
        let kept: Vec<&Symbol> = image.symbols.iter().filter(is_kept).collect();
        let hidden: Vec<Symbol> = kept.iter().copied().map(hide).collect();
        let order = sorted(&hidden);
        let locals = order.iter().filter(|n| hidden[**n].is_local()).count();
        Symbols { kept, hidden, order, locals }
    }

    /// Adds the names of the symbols to the file in their order, and then the name `_DYNAMIC`, whose symbol follows the
    /// local symbols in the table.
    fn reserve<'s>(&'s self, writer: &mut Writer<'s>) -> (Vec<StringId>, StringId) {
        writer.reserve_strtab_section_index();
        writer.reserve_null_symbol_index();
        let mut add = |name: &'s [u8]| {
            writer.reserve_symbol_index(None);
            writer.add_string(name)
        };
        let names = self.order.iter().map(|n| add(self.hidden[*n].name.as_bytes())).collect();
        (names, add(b"_DYNAMIC"))
    }

    fn write(
        &self,
        writer: &mut Writer,
        names: &(Vec<StringId>, StringId),
        own: SectionIndex,
        layout: &Layout,
        at: u64,
    ) {
        let dynamic = Sym {
            name: Some(names.1),
            section: Some(own),
            st_info: STB_LOCAL << 4,
            st_other: STV_HIDDEN,
            st_shndx: 0,
            st_value: at,
            st_size: 0,
        };
        let mut all: Vec<Sym> = Vec::new();
        for (n, name) in self.order.iter().zip(&names.0) {
            let symbol = &self.hidden[*n];
            let section = match symbol.at {
                DefinedIn::Section(section) => layout.indices.get(&section).map(|n| SectionIndex((*n).into())),
                _ => None,
            };
            all.push(Sym {
                name: Some(*name),
                section,
                st_info: symbol.bind << 4 | symbol.kind,
                st_other: symbol.visibility,
                st_shndx: if symbol.at == DefinedIn::Absolute { SHN_ABS } else { 0 },
                st_value: layout.value(symbol),
                st_size: symbol.size,
            });
        }
        all.insert(self.locals, dynamic);
        all.iter().for_each(|symbol| writer.write_symbol(symbol));
    }

    /// The numbers of the symbols in the order in which a linker adds their names: the local symbols of its inputs, the
    /// other symbols of its inputs, and its own.
    fn by_name(&self) -> impl Iterator<Item = usize> + use<> {
        let mut numbers = vec![0; self.hidden.len()];
        for (at, n) in self.order.iter().enumerate() {
            numbers[*n] = if at < self.locals { at + 1 } else { at + 2 };
        }
        sorted(&self.kept).into_iter().map(move |n| numbers[n]).chain([self.locals + 1])
    }
}

/// The bytes of the file. `strip` leaves out the symbol table that no loader reads.
pub fn write(
    image: &Image,
    chunks: &[Chunk],
    segments: &[ProgramHeader],
    layout: &Layout,
    strip: bool,
) -> Result<Vec<u8>, String> {
    let symbols = (!strip).then(|| Symbols::of(image));
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
    if symbols.is_some() {
        writer.reserve_symtab_section_index();
    }
    writer.reserve_shstrtab_section_index();
    let symbol_names = symbols.as_ref().map(|symbols| symbols.reserve(&mut writer));
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
    if let (Some(symbols), Some(names)) = (&symbols, &symbol_names) {
        let own = chunks.iter().position(|chunk| chunk.name == DYNAMIC && chunk.is_made()).unwrap_or(0);
        let address = chunks.get(own).map_or(0, |chunk| chunk.address);
        symbols.write(&mut writer, names, SectionIndex(own as u32 + 1), layout, address);
    }
    writer.write_shstrtab();
    writer.write_strtab();
    write_headers(&mut writer, chunks, &names);
    writer.write_symtab_section_header(symbols.as_ref().map_or(0, |symbols| symbols.locals as u32 + 2));
    writer.write_shstrtab_section_header();
    writer.write_strtab_section_header();
    match image.sorted_names {
        true => Ok(buffer),
        false => Ok(strings::in_order(buffer, symbols.as_ref().map(Symbols::by_name))),
    }
}

fn write_headers(writer: &mut Writer, chunks: &[Chunk], names: &[StringId]) {
    let made = chunks.iter().enumerate().filter(|(_, chunk)| chunk.is_made());
    let numbers: HashMap<&str, u32> = made.map(|(n, chunk)| (chunk.name.as_str(), n as u32 + 1)).collect();
    writer.write_null_section_header();
    for (chunk, name) in chunks.iter().zip(names) {
        writer.write_section_header(&SectionHeader {
            name: Some(*name),
            sh_type: chunk.kind,
            sh_flags: chunk.flags,
            sh_addr: chunk.address,
            sh_offset: chunk.offset,
            sh_size: chunk.len,
            sh_link: numbers.get(chunk.link).copied().unwrap_or(0),
            sh_info: chunk.info,
            sh_addralign: chunk.align,
            sh_entsize: chunk.entry,
        });
    }
}
