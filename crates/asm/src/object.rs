//! Writes relocatable objects, byte for byte as LLVM's assembler does.

use std::borrow::Borrow;
use std::collections::HashMap;

use amdgpu_object::elf::wide::{RELOCATION, SHORT_RELOCATION, SYMBOL};
use amdgpu_object::elf::{
    ET_REL, SHF_EXCLUDE, SHF_GROUP, SHF_INFO_LINK, SHN_AMDGPU_LDS, SHN_COMMON, SHT_LLVM_ADDRSIG,
    SHT_LLVM_CALL_GRAPH_PROFILE, SHT_REL, SHT_RELA, SHT_STRTAB, SHT_SYMTAB, SHT_SYMTAB_SHNDX, STT_SECTION,
};
use object::elf::{GRP_COMDAT, SHN_ABS, SHT_GROUP};

use super::assembler::Section;
use super::elf::{EntrySection, File, Header, Identity, Names, SymbolEntry, symbol_table};
use super::resolve::{DefinedIn, Image, Referent, Relocation, Symbol};

/// Whether the relocations of a section have addends.
fn has_addends(image: &Image, section: &Section) -> bool {
    image.has_addends && section.kind != SHT_LLVM_CALL_GRAPH_PROFILE
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
    let mut table = Table::default();
    let names = table.add(".strtab", Header { kind: SHT_STRTAB, align: 1, ..Header::default() });
    let sections = Sections::of(image, &mut table);
    let mut symbols = Symbols::of(image, &sections);
    let header = Header { kind: SHT_SYMTAB, align: 8, entry: SYMBOL as u64, link: names, ..Header::default() };
    let of_symbols = table.add(".symtab", Header { info: symbols.locals, ..header });
    let header = Header { kind: SHT_SYMTAB_SHNDX, align: 4, entry: 4, link: of_symbols, ..Header::default() };
    let of_long_numbers = symbols.have_long_numbers().then(|| table.add(".symtab_shndx", header));
    let name_bytes = table.name(&mut symbols)?;

    let mut file = File::new(&[]);
    for (output, number) in image.sections.iter().zip(&sections.numbers) {
        table.put(&mut file, *number, &output.section.data);
        // A section without contents has a length, too.
        table.header(*number).len = output.section.len;
    }
    for group in &sections.groups {
        let kind = if group.of.1 { GRP_COMDAT } else { 0 };
        let words = [kind].into_iter().chain(group.members.iter().copied());
        table.put(&mut file, group.number, &words.flat_map(u32::to_le_bytes).collect::<Vec<u8>>());
        table.header(group.number).info = symbols.of_image[group.of.0];
    }
    let (entries, long_numbers) = symbol_table(&symbols.entries);
    table.put(&mut file, of_symbols, &entries);
    if let (Some(number), Some(numbers)) = (of_long_numbers, long_numbers) {
        table.put(&mut file, number, &numbers);
    }
    for (output, number) in image.sections.iter().zip(&sections.relocations) {
        if let Some(number) = *number {
            let has_addends = has_addends(image, &output.section);
            let all = output.relocations.iter().flat_map(|relocation| symbols.relocation(relocation, has_addends));
            table.put(&mut file, number, &all.collect::<Vec<u8>>());
        }
    }
    if let (Some(number), Some(all)) = (sections.addressed, &image.addressed) {
        let mut bytes = Vec::new();
        all.iter().for_each(|n| crate::leb::unsigned(symbols.of_image[*n].into(), &mut bytes));
        table.put(&mut file, number, &bytes);
    }
    table.put(&mut file, names, &name_bytes);
    table.link_to(of_symbols);
    let Image { abi, abi_version, flags, .. } = *image;
    Ok(file.finish(&table.headers, names, &Identity { abi, abi_version, kind: ET_REL, flags }))
}

/// The sections of the file, from section 1 on.
#[derive(Default)]
struct Table {
    names: Vec<String>,
    headers: Vec<(u32, Header)>,
}

impl Table {
    /// Adds a section, and returns its number.
    fn add(&mut self, name: &str, header: Header) -> u32 {
        self.names.push(name.to_string());
        self.headers.push((0, header));
        self.headers.len() as u32
    }

    /// Gives the sections and symbols their names, and returns the bytes of the table of names.
    fn name(&mut self, symbols: &mut Symbols<'_>) -> Result<Vec<u8>, String> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).chain(symbols.names.iter().copied()).collect();
        let Names { bytes, offsets } = Names::sorted(&names)?;
        let of_sections = self.headers.iter_mut().map(|(name, _)| name);
        let of_symbols = symbols.entries.iter_mut().map(|entry| &mut entry.name);
        of_sections.chain(of_symbols).zip(offsets).for_each(|(name, offset)| *name = offset);
        Ok(bytes)
    }

    fn header(&mut self, number: u32) -> &mut Header {
        &mut self.headers[number as usize - 1].1
    }

    /// Writes the contents of a section.
    fn put(&mut self, file: &mut File, number: u32, bytes: &[u8]) {
        let header = self.header(number);
        (header.offset, header.len) = (file.align(header.align), bytes.len() as u64);
        file.put(bytes);
    }

    /// Links the sections that have numbers of symbols to the table of symbols.
    fn link_to(&mut self, symbols: u32) {
        const KINDS: [u32; 5] = [SHT_REL, SHT_RELA, SHT_GROUP, SHT_LLVM_ADDRSIG, SHT_LLVM_CALL_GRAPH_PROFILE];
        let linked = self.headers.iter_mut().filter(|(_, header)| KINDS.contains(&header.kind));
        linked.for_each(|(_, header)| header.link = symbols);
    }
}

/// A group of sections.
struct Group {
    /// The symbol that names the group, as a number in the image, and whether other objects may have the group.
    of: (usize, bool),
    /// The first section, as a number in the image.
    first: usize,
    number: u32,
    /// The numbers of the group's sections. Tables of relocations are among them.
    members: Vec<u32>,
}

/// The numbers in the file of the sections of the image, and of the sections that belong to them.
struct Sections {
    numbers: Vec<u32>,
    /// The number of the relocations of each section that has some.
    relocations: Vec<Option<u32>>,
    /// The groups in the order of their first sections.
    groups: Vec<Group>,
    /// The section with the symbols whose addresses are significant, if there is one.
    addressed: Option<u32>,
}

impl Sections {
    fn of(image: &Image, table: &mut Table) -> Sections {
        let (numbers, relocations, groups) = (Vec::new(), Vec::new(), Vec::new());
        let mut all = Sections { numbers, relocations, groups, addressed: None };
        let mut group_numbers = HashMap::new();
        for output in &image.sections {
            let group = output.group.map(|of| {
                // A group comes before its first section.
                *group_numbers.entry(of).or_insert_with(|| {
                    let number =
                        table.add(".group", Header { kind: SHT_GROUP, align: 4, entry: 4, ..Header::default() });
                    all.groups.push(Group { of, first: all.numbers.len(), number, members: Vec::new() });
                    all.groups.len() - 1
                })
            });
            let Section { name, kind, flags, align, entry, .. } = &output.section;
            let header = Header { kind: *kind, flags: *flags, align: *align, entry: *entry, ..Header::default() };
            let number = table.add(name, header);
            all.numbers.push(number);
            let relocations = (!output.relocations.is_empty()).then(|| {
                let has_addends = has_addends(image, &output.section);
                let (prefix, kind, len) =
                    if has_addends { (".rela", SHT_RELA, RELOCATION) } else { (".rel", SHT_REL, SHORT_RELOCATION) };
                // A table in a group has one flag, any other table the other one, as in LLVM.
                let flags = if group.is_some() { SHF_GROUP } else { SHF_INFO_LINK };
                let header = Header { kind, flags, info: number, align: 8, entry: len as u64, ..Header::default() };
                table.add(&format!("{prefix}{name}"), header)
            });
            if let Some(group) = group.and_then(|group| all.groups.get_mut(group)) {
                group.members.extend([number].into_iter().chain(relocations));
            }
            all.relocations.push(relocations);
        }
        for (output, number) in image.sections.iter().zip(&all.numbers) {
            if let Some(linked) = output.linked {
                table.header(*number).link = all.numbers[linked];
            }
        }
        let addressed = Header { kind: SHT_LLVM_ADDRSIG, flags: SHF_EXCLUDE, align: 1, ..Header::default() };
        all.addressed = image.addressed.as_ref().map(|_| table.add(".llvm_addrsig", addressed));
        all
    }

    /// The section of a symbol in the file.
    fn of_symbol(&self, symbol: &Symbol) -> EntrySection {
        match symbol.at {
            DefinedIn::Section(section) => EntrySection::Number(self.numbers[section]),
            DefinedIn::Group(first) => {
                let group = self.groups.binary_search_by_key(&first, |group| group.first);
                EntrySection::Number(group.map_or(0, |group| self.groups[group].number))
            }
            DefinedIn::Undefined => EntrySection::Number(0),
            DefinedIn::Common => EntrySection::Special(SHN_COMMON),
            DefinedIn::Absolute => EntrySection::Special(SHN_ABS),
            DefinedIn::Shared => EntrySection::Special(SHN_AMDGPU_LDS),
        }
    }
}

/// The table of symbols.
struct Symbols<'a> {
    entries: Vec<SymbolEntry>,
    /// The name of each entry.
    names: Vec<&'a str>,
    /// The number of local entries, including the empty first entry.
    locals: u32,
    /// The number of the entry of each section of the image, or 0.
    of_sections: Vec<u32>,
    /// The number of the entry of each symbol of the image.
    of_image: Vec<u32>,
}

impl<'a> Symbols<'a> {
    fn of(image: &'a Image, sections: &Sections) -> Symbols<'a> {
        let (of_sections, of_image) = (vec![0; image.sections.len()], vec![0; image.symbols.len()]);
        let mut all = Symbols { entries: Vec::new(), names: Vec::new(), locals: 1, of_sections, of_image };
        for (referent, number) in entries(image).into_iter().zip(1..) {
            match referent {
                Referent::Section(n) => {
                    all.of_sections[n] = number;
                    all.locals += 1;
                    let section = EntrySection::Number(sections.numbers[n]);
                    let (name, info, other, value, size) = (0, STT_SECTION, 0, 0, 0);
                    all.entries.push(SymbolEntry { name, info, other, section, value, size });
                    all.names.push("");
                }
                Referent::Symbol(n) => {
                    let symbol = &image.symbols[n];
                    all.of_image[n] = number;
                    all.locals += u32::from(symbol.is_local());
                    all.entries.push(SymbolEntry::of(symbol, sections.of_symbol(symbol)));
                    all.names.push(&symbol.name);
                }
                Referent::None => {}
            }
        }
        all
    }

    fn have_long_numbers(&self) -> bool {
        self.entries.iter().any(|entry| entry.section.is_long())
    }

    /// The bytes of a relocation.
    fn relocation(&self, relocation: &Relocation, has_addend: bool) -> impl Iterator<Item = u8> + use<> {
        let symbol = match relocation.of {
            Referent::Section(section) => self.of_sections[section],
            Referent::Symbol(n) => self.of_image[n],
            Referent::None => 0,
        };
        let info = u64::from(symbol) << 32 | u64::from(relocation.kind);
        let addend = has_addend.then_some(relocation.addend as u64);
        [relocation.offset, info].into_iter().chain(addend).flat_map(u64::to_le_bytes)
    }
}
