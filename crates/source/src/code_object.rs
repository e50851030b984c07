//! The parts of a code object from which its source is written.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use amdgpu_asm::metadata::{self, Note};
use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_isa::processor::Processor;
use amdgpu_isa::{Filler, Target};
use amdgpu_object::TargetId;
use amdgpu_object::elf::{
    FLAG_LETTERS, SHF_LINK_ORDER, SHF_MERGE, SHF_STRINGS, SHT_LLVM_ADDRSIG, SHT_LLVM_CALL_GRAPH_PROFILE, SHT_RELR,
    STT_SECTION,
};
use amdgpu_object::relocation_kinds::{self as kinds, Formula};
use object::elf;

use crate::elf::{Elf, Group, Open};
use crate::error::Error;
use crate::relative::Relative;
use crate::symbols::{self, SectionEntry, Symbol, name};

type Result<T> = std::result::Result<T, Error>;

const ELFOSABI_HSA: u8 = 64;
/// The ABI versions (`EI_ABIVERSION`) that `.amdhsa_code_object_version` can express; the number in the directive is 2
/// greater.
const VERSIONS: std::ops::RangeInclusive<u8> = 2..=4;

/// The types of sections that the assembler makes itself.
const MADE: [u32; 12] = [
    elf::SHT_NULL,
    elf::SHT_SYMTAB,
    elf::SHT_STRTAB,
    elf::SHT_RELA,
    elf::SHT_HASH,
    elf::SHT_DYNAMIC,
    elf::SHT_REL,
    elf::SHT_DYNSYM,
    elf::SHT_SYMTAB_SHNDX,
    elf::SHT_GNU_HASH,
    elf::SHT_GROUP,
    SHT_RELR,
];
/// The types of sections whose contents do not depend on the numbers of symbols and sections.
const PLAIN: [u32; 6] = [
    elf::SHT_PROGBITS,
    elf::SHT_NOTE,
    elf::SHT_NOBITS,
    elf::SHT_INIT_ARRAY,
    elf::SHT_FINI_ARRAY,
    elf::SHT_PREINIT_ARRAY,
];
/// The flag that `sh_info` is the number of a section. Only tables for linkers need it, so the source does not state
/// it.
const MADE_FLAGS: u64 = amdgpu_object::elf::SHF_INFO_LINK;

fn is_packed(header: &amdgpu_object::elf::Section) -> bool {
    header.kind == SHT_RELR
}

/// The file that is written as a source, with its names, symbols and relocations.
pub struct CodeObject<'a> {
    pub file: Elf<'a>,
    /// The target of code outside of kernels.
    pub target: Target,
    pub symbols: Vec<Symbol>,
    /// The entries for sections in the table of symbols of an object for a linker.
    pub section_entries: Vec<SectionEntry>,
    /// Comments on what the source cannot have or keep, and the `.error` if numbers may be pointers.
    pub lost: String,
    /// The directives for the symbols of an object for a linker whose addresses are significant.
    addressed: String,
    /// The numbers of the symbols, by name.
    pub names: HashMap<String, Vec<usize>>,
    /// The numbers of the symbols of each section, by the number of the section.
    pub in_sections: HashMap<usize, Vec<usize>>,
    /// The relocations of each section, by their offsets in the section.
    pub relocations: BTreeMap<usize, BTreeMap<u64, Relocation>>,
    /// For each section, the addresses that its code computes relative to its own position.
    pub relative: BTreeMap<usize, Relative>,
    /// The sections whose beginning needs a label.
    pub named: BTreeSet<usize>,
    /// Whether there is at most one section of code.
    pub has_one_code: bool,
    /// The descriptors that become directives, each after the numbers of its symbol and of the symbol of its code.
    pub kernels: Vec<(usize, usize, KernelDescriptor)>,
}

#[derive(Clone, Debug)]
pub struct Relocation {
    pub kind: u32,
    /// The symbol, or a label of a section, with the number that is added.
    pub of: String,
    /// The number of the section that the value points into, and the offset there, if no symbol is named.
    pub goal: Option<(usize, i64)>,
    /// Whether no table has the relocation, because it was found from code or from a descriptor.
    pub is_made: bool,
}

impl Relocation {
    pub fn new(kind: u32, of: String) -> Relocation {
        Relocation { kind, of, goal: None, is_made: false }
    }

    /// A relocation whose value is a place in a section. It gets the label of the place when all sections are known.
    fn within(kind: u32, section: usize, offset: i64) -> Relocation {
        Relocation { goal: Some((section, offset)), ..Relocation::new(kind, String::new()) }
    }
}

/// A section that is written to the source.
pub struct Section<'a> {
    pub index: usize,
    pub name: String,
    pub kind: u32,
    pub flags: u64,
    pub entry: u64,
    pub align: u64,
    pub address: u64,
    pub size: u64,
    /// Whether the directive names the section whose order this section follows (`SHF_LINK_ORDER`).
    pub is_linked: bool,
    /// The end of the section's directive: the section whose order this section follows, its group, and the number that
    /// distinguishes the section from others of its name.
    pub apart: String,
    pub bytes: &'a [u8],
}

impl Section<'_> {
    /// Whether a loader puts the section into memory.
    pub fn is_loaded(&self) -> bool {
        self.flags & u64::from(elf::SHF_ALLOC) != 0
    }

    /// The address after the last byte of the section.
    pub fn end(&self) -> u64 {
        self.address.wrapping_add(self.size)
    }
}

/// The loaded section that contains an address. An empty section contains the address at which it is.
fn loaded_at<'s, 'a>(sections: &'s [Section<'a>], address: u64) -> Option<&'s Section<'a>> {
    sections.iter().find(|section| {
        section.is_loaded() && (section.address..section.address.wrapping_add(section.size.max(1))).contains(&address)
    })
}

impl<'a> CodeObject<'a> {
    /// Reads the header of a file.
    pub fn new(bytes: &'a [u8]) -> Result<CodeObject<'a>> {
        if !amdgpu_object::elf::is_elf(bytes) {
            return Err(Error::NoElf);
        }
        let file = Elf::parse(bytes)?;
        let (flags, abi, version) = (file.file.flags, file.file.os_abi, file.file.abi_version);
        if file.file.machine != amdgpu_object::EM_AMDGPU {
            return Err(Error::OtherMachine);
        }
        let processor = Processor::from_e_flags(flags);
        let lacks = || Error::UnknownProcessor { number: flags as u8, name: processor.map(Processor::name) };
        let target = processor.and_then(Processor::target).ok_or_else(lacks)?;
        if abi == ELFOSABI_HSA && !VERSIONS.contains(&version) {
            return Err(Error::Version(version));
        }
        Ok(CodeObject {
            file,
            target,
            symbols: Vec::new(),
            section_entries: Vec::new(),
            lost: String::new(),
            addressed: String::new(),
            names: HashMap::new(),
            in_sections: HashMap::new(),
            relocations: BTreeMap::new(),
            relative: BTreeMap::new(),
            named: BTreeSet::new(),
            has_one_code: true,
            kernels: Vec::new(),
        })
    }

    /// The target of code outside of kernels.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The usual filler in code for the file's processor.
    pub fn filler(&self) -> Filler {
        let processor = Processor::from_e_flags(self.file.file.flags);
        processor.map_or(self.target.filler(), Processor::filler)
    }

    /// The text before the sections.
    pub fn begin(&self, sections: &[Section<'_>]) -> String {
        self.head() + &self.kept() + &self.lost + &self.declarations(sections) + &self.addressed
    }

    /// The text of a section. `filler` is the filler that holds before the section, and is set to the one that holds
    /// after it.
    pub fn part(&self, section: &Section<'_>, filler: &mut Filler) -> String {
        let mut text = String::from("\n");
        match self.notes(section) {
            Some(notes) => {
                self.directive(section, &mut text);
                text += &notes;
            }
            None => self.section(section, filler, &mut text),
        }
        text
    }

    /// Comments on the tables of relocations that a linker has kept (`--emit-relocs`), which no directive makes, and on
    /// packed relocations.
    fn kept(&self) -> String {
        let is_kept = |section: &&amdgpu_object::elf::Section| {
            [elf::SHT_RELA, elf::SHT_REL].contains(&section.kind) && !section.is_loaded()
        };
        let tables = self.file.sections.iter().filter(is_kept);
        let names: Vec<String> = tables.filter_map(|section| self.file.name(section).ok().map(name)).collect();
        let mut out = String::new();
        if !self.file.is_object() && !names.is_empty() {
            let _ =
                writeln!(out, "// No source can have the relocations that a linker has kept: {}.", names.join(", "));
        }
        if self.file.sections.iter().any(is_packed) {
            out += "// The packed relocations (`-z pack-relative-relocs`) become plain ones.\n";
        }
        out
    }

    /// The directives for the processor and the version of the file, with comments on how to assemble it.
    fn head(&self) -> String {
        let (flags, abi, version) = (self.file.file.flags, self.file.file.os_abi, self.file.file.abi_version);
        let os = match abi {
            ELFOSABI_HSA => "amd-amdhsa",
            65 => "amd-amdpal",
            66 => "mesa-mesa3d",
            _ => "-",
        };
        let setting = |name: &str, has: bool, on: u32, shift: u32| match (abi, flags >> shift & 3) {
            _ if !has => None,
            (ELFOSABI_HSA, 2) => Some((name.to_string(), false)),
            (ELFOSABI_HSA, 3) => Some((name.to_string(), true)),
            (ELFOSABI_HSA, _) => None,
            _ => (flags & on == 0).then(|| (name.to_string(), false)),
        };
        let settings = [
            setting(TargetId::SRAMECC, self.target.has_sramecc(), 0x200, 10),
            setting(TargetId::XNACK, self.target.has_xnack(), 0x100, 8),
        ];
        let features = settings.into_iter().flatten().collect();
        let processor = Processor::from_e_flags(flags).map_or("", Processor::name).to_string();
        let triple = format!("amdgcn-{os}--{}", TargetId { processor, features });
        let mut out = format!("\t.amdgcn_target \"{triple}\"\n");
        // The flags may differ from the usual ones, because compilers differ in the settings that a processor has.
        if amdgpu_asm::Processor::flags_of(&triple).is_some_and(|usual| usual != flags) {
            let _ = writeln!(out, "\t.amdgpu_isa_flags {flags:#x}");
        }
        if abi == ELFOSABI_HSA {
            let _ = writeln!(out, "\t.amdhsa_code_object_version {}", version + 2);
        }
        if self.is_stripped() {
            out += "// The file is stripped, as `asm --strip` makes it.\n";
        }
        if self.has_sorted_names() {
            out += "// The names are sorted, as `asm --sorted-names` makes them.\n";
        }
        out
    }

    /// Whether the file is for the runtime of HSA.
    pub fn is_hsa(&self) -> bool {
        self.file.file.os_abi == ELFOSABI_HSA
    }

    /// Whether the file lacks the table of symbols that no loader reads.
    pub fn is_stripped(&self) -> bool {
        self.file.symbols.is_none()
    }

    /// Whether the file is linked and the names of its sections are in another order than the sections. Linkers write
    /// the names in the order of the sections.
    pub fn has_sorted_names(&self) -> bool {
        let places = self.file.numbered().map(|(_, section)| section.name);
        let mut seen = BTreeSet::new();
        let firsts: Vec<u32> = places.filter(|place| seen.insert(*place)).collect();
        !self.file.is_object() && !firsts.is_sorted()
    }

    /// The sections that are written to the source. The assembler makes some of the others itself; `lost` gets a
    /// comment on each of the rest. Also finds the symbols, their names, and the relocations.
    pub fn sections(&mut self) -> Result<Vec<Section<'a>>> {
        let mut all = Vec::new();
        let mut relocated = BTreeMap::new();
        let (groups, mut seen) = (self.groups()?, HashMap::new());
        // The number of the first section of each name.
        let numbered = self.file.numbered().filter_map(|(n, section)| Some((self.file.name(section).ok()?, n)));
        let firsts: HashMap<&str, usize> = numbered.collect::<Vec<_>>().into_iter().rev().collect();
        (self.symbols, self.section_entries) = symbols::read(&self.file, &mut self.lost);
        for (n, symbol) in self.symbols.iter().enumerate() {
            self.names.entry(symbol.name.clone()).or_default().push(n);
            if let Some(section) = symbol.section {
                self.in_sections.entry(section).or_default().push(n);
            }
        }
        if self.file.numbered().next().is_none() {
            return Err(Error::NoSections);
        }
        for (index, section) in self.file.numbered() {
            let kind = section.kind;
            let own_name = self.file.name(section)?.to_string();
            if MADE.contains(&kind) || own_name == ".relro_padding" {
                continue;
            }
            if section.flags & u64::from(elf::SHF_COMPRESSED) != 0 {
                return Err(Error::Compressed(own_name));
            }
            // Sections of these two types hold numbers of symbols or sections. So do sections of types outside of
            // `PLAIN` that name another section.
            let is_list = [SHT_LLVM_ADDRSIG, SHT_LLVM_CALL_GRAPH_PROFILE].contains(&kind);
            if kind == SHT_LLVM_ADDRSIG && self.file.is_object() {
                if let Some(directives) = symbols::addressed(&self.file, self.file.bytes(section)?) {
                    self.addressed = directives;
                    continue;
                }
            }
            if is_list || !PLAIN.contains(&kind) && (section.link, section.info) != (0, 0) {
                let shown = name(&own_name);
                let _ = writeln!(self.lost, "// No source can have the section {shown} of type {kind:#x}.");
                continue;
            }
            let bytes = self.file.bytes(section)?;
            let (places, lost) = self.linked_places(index, bytes)?;
            relocated.insert(index, places);
            if lost > 0 {
                let shown = name(&own_name);
                let _ = writeln!(
                    self.lost,
                    "// No source can have {lost} relocations of {shown}, which have no symbol, or a place of another one."
                );
            }
            let group = groups.get(&index).cloned().unwrap_or_default();
            let others = seen.entry((own_name.clone(), group.clone())).or_insert(0u32);
            let linked = self.linked_to(section, &firsts).map_or(String::new(), |of| format!(",{}", name(of)));
            let apart = if *others == 0 { linked.clone() + &group } else { format!("{linked}{group},unique,{others}") };
            *others += 1;
            all.push(Section {
                index,
                name: own_name,
                kind,
                flags: section.flags,
                entry: section.entry,
                align: section.align.max(1),
                address: section.address,
                size: section.size,
                is_linked: !linked.is_empty(),
                apart,
                bytes,
            });
        }
        self.dynamic(&all, &mut relocated)?;
        self.relocations = relocated;
        self.lost += &self.lacking(&all);
        self.has_one_code = all.iter().filter(|section| section.flags & u64::from(elf::SHF_EXECINSTR) != 0).count() < 2;
        Ok(all)
    }

    /// The relocations of a section of an object for a linker, by place, and the number of those that no source can have.
    /// `bytes` are the section's contents.
    fn linked_places(&self, section: usize, bytes: &[u8]) -> Result<(BTreeMap<u64, Relocation>, usize)> {
        let (mut places, mut lost) = (BTreeMap::new(), 0);
        // Only an object for a linker has open relocations of a section. A linker has applied the relocations that it
        // keeps, and relocations for a loader are in another section.
        let (true, Some(symbols)) = (self.file.is_object(), &self.file.symbols) else { return Ok((places, 0)) };
        for Open { relocation, has_addend } in self.file.relocations(section)? {
            let offset = relocation.address;
            if relocation.symbol == 0 {
                lost += 1;
                continue;
            }
            let symbol = self.file.symbol(symbols, relocation.symbol);
            let symbol = symbol.ok_or(Error::Lacking("a relocation names a symbol that does not exist"))?;
            let addend = match has_addend {
                false => {
                    let place = usize::try_from(offset).ok().and_then(|offset| bytes.get(offset..));
                    place.zip(Formula::of(relocation.kind)).map_or(0, |(place, formula)| formula.addend_at(place))
                }
                true => relocation.addend,
            };
            let relocation = match (symbol.symbol.kind, symbol.section) {
                (STT_SECTION, Some(index)) => Relocation::within(relocation.kind, index, addend),
                _ => Relocation::new(relocation.kind, added(name(symbol.text()?), addend)),
            };
            lost += usize::from(places.insert(offset, relocation).is_some());
        }
        Ok((places, lost))
    }

    /// The name of the section of an object for a linker whose order this section follows, if no section before that one
    /// has its name. `firsts` has the number of the first section of each name.
    fn linked_to(&self, section: &amdgpu_object::elf::Section, firsts: &HashMap<&str, usize>) -> Option<&'a str> {
        let of = self.file.sections.get(section.link).filter(|_| section.flags & SHF_LINK_ORDER != 0)?;
        let own_name = self.file.name(of).ok()?;
        (self.file.is_object() && firsts.get(own_name) == Some(&section.link)).then_some(own_name)
    }

    /// For each section in a group, by its number: the end of its `.section` directive, which names the group.
    fn groups(&self) -> Result<HashMap<usize, String>> {
        let mut groups = HashMap::new();
        for Group { name: of, is_comdat, members } in self.file.groups()? {
            let kind = if is_comdat { ",comdat" } else { "" };
            groups.extend(members.into_iter().map(|section| (section, format!(",{}{kind}", name(of)))));
        }
        Ok(groups)
    }

    /// Adds the relocations for a loader, the values that it would write into sections.
    fn dynamic(
        &self,
        sections: &[Section<'a>],
        relocated: &mut BTreeMap<usize, BTreeMap<u64, Relocation>>,
    ) -> Result<()> {
        // Packed relocations add to the numbers in the file.
        for address in self.packed() {
            let Some(section) = loaded_at(sections, address) else { continue };
            let offset = address - section.address;
            let bytes = usize::try_from(offset).ok().and_then(|offset| section.bytes.get(offset..)?.first_chunk());
            let Some(goal) = bytes.map(|bytes| u64::from_le_bytes(*bytes)) else { continue };
            relocated.entry(section.index).or_default().insert(offset, self.pointer(sections, goal));
        }
        for Open { relocation, .. } in self.file.loaded_relocations()? {
            let address = relocation.address;
            let Some(section) = loaded_at(sections, address) else { continue };
            let place = match (relocation.symbol, &self.file.dynamic) {
                (1.., Some(symbols)) if relocation.kind != kinds::RELATIVE64 => {
                    let symbol = self.file.symbol(symbols, relocation.symbol);
                    let symbol = symbol.ok_or(Error::Lacking("a relocation names a symbol that does not exist"))?;
                    Relocation::new(kinds::ABS64, added(name(symbol.text()?), relocation.addend))
                }
                _ => self.pointer(sections, relocation.addend as u64),
            };
            relocated.entry(section.index).or_default().insert(address - section.address, place);
        }
        Ok(())
    }

    /// The relocation of a pointer to an address. An address that no section contains can be the end of a section: that
    /// of `__init_array_end`, or of a section that the assembler makes itself and that begins there. Any other address
    /// becomes an error in the source.
    fn pointer(&self, sections: &[Section<'a>], goal: u64) -> Relocation {
        let named = |section: &&Section<'_>| {
            self.symbols.iter().any(|symbol| symbol.section == Some(section.index) && symbol.value == goal)
        };
        let ends = || sections.iter().filter(|section| section.is_loaded() && section.end() == goal);
        match loaded_at(sections, goal).or_else(|| ends().find(named)).or_else(|| ends().next()) {
            Some(there) => Relocation::within(kinds::ABS64, there.index, goal.wrapping_sub(there.address) as i64),
            // The source gets an error in place of the pointer.
            None => Relocation::new(kinds::RELATIVE64, String::new()),
        }
    }

    /// The addresses of the pointers that packed tables of relocations name.
    fn packed(&self) -> Vec<u64> {
        let tables = self.file.sections.iter().filter(|section| is_packed(section));
        let tables = tables.filter_map(|section| self.file.bytes(section).ok());
        tables.flat_map(|table| self.file.file.packed_relocations(table)).collect()
    }

    /// The source of a section of notes, if the assembler makes the same section of it.
    fn notes(&self, section: &Section<'_>) -> Option<String> {
        if section.kind != elf::SHT_NOTE || section.name != ".note" {
            return None;
        }
        let (mut rest, mut parts, mut text) = (section.bytes, Vec::new(), String::new());
        let is_hsa = self.is_hsa();
        while !rest.is_empty() {
            let number = |n: usize| Some(u32::from_le_bytes(rest.get(n * 4..n * 4 + 4)?.try_into().ok()?));
            let (name_len, len, kind) = (number(0)? as usize, number(1)? as usize, number(2)?);
            let from = 12 + name_len.checked_next_multiple_of(4)?;
            let (name, contents) = (rest.get(12..12 + name_len)?, rest.get(from..from.checked_add(len)?)?);
            rest = rest.get(from + len.checked_next_multiple_of(4)?..)?;
            match (name, kind) {
                (b"AMDGPU\0", metadata::DOCUMENT) => {
                    let name = if is_hsa { "metadata" } else { "pal_metadata" };
                    let document = metadata::decode(contents, is_hsa)?;
                    let _ = write!(text, "\t.amdgpu_{name}\n{document}\t.end_amdgpu_{name}\n");
                }
                (b"AMD\0", metadata::ISA_NAME) => {
                    let id = std::str::from_utf8(contents).ok()?;
                    let _ = writeln!(text, "\t.amd_amdgpu_isa {}", symbols::quoted(id));
                }
                _ => return None,
            }
            parts.push(Note { name: name.to_vec(), kind, contents: contents.to_vec() });
        }
        (metadata::notes(&parts) == section.bytes).then_some(text)
    }

    /// Writes the directive of a section.
    fn directive(&self, section: &Section<'_>, out: &mut String) {
        let mut flags = String::new();
        // In `.section`, the flag `SHF_LINK_ORDER` needs the name of another section.
        let letters = || FLAG_LETTERS.iter().filter(|(_, flag)| *flag != SHF_LINK_ORDER || section.is_linked);
        // A linker that has joined texts and constants of several lengths leaves the flags of merged sections with the
        // entry size 0. No directive can state this. Instead, an empty section of the same name has these flags, and a
        // linker joins the two.
        let is_joined = section.flags & SHF_MERGE != 0 && section.entry == 0;
        let has = if is_joined { section.flags & !(SHF_MERGE | SHF_STRINGS) } else { section.flags };
        if is_joined {
            let texts = if section.flags & SHF_STRINGS != 0 { "S" } else { "" };
            let Section { name: whole, index, .. } = section;
            let _ = writeln!(out, "\t.section {},\"aM{texts}\",@progbits,1,unique,{index}", name(whole));
        }
        flags.extend(letters().filter(|(_, flag)| has & flag != 0).map(|(letter, _)| letter));
        let kind = match section.kind {
            elf::SHT_NOTE => "note".into(),
            elf::SHT_NOBITS => "nobits".into(),
            elf::SHT_PROGBITS => "progbits".into(),
            elf::SHT_INIT_ARRAY => "init_array".into(),
            elf::SHT_FINI_ARRAY => "fini_array".into(),
            elf::SHT_PREINIT_ARRAY => "preinit_array".into(),
            kind => format!("{kind:#x}"),
        };
        let entry = if has & SHF_MERGE != 0 { format!(",{}", section.entry) } else { String::new() };
        let known = letters().fold(MADE_FLAGS, |known, (_, flag)| known | flag);
        let _ = writeln!(out, "\t.section {},\"{flags}\",@{kind}{entry}{}", name(&section.name), section.apart);
        if section.flags & !known != 0 {
            let _ = writeln!(out, "// No source can have the flags {:#x} of this section.", section.flags & !known);
        }
    }

    fn section(&self, section: &Section<'_>, filler: &mut Filler, out: &mut String) {
        self.directive(section, out);
        if section.align > 1 {
            let _ = writeln!(out, "\t.p2align {}", section.align.ilog2());
        }
        if self.named.contains(&section.index) {
            let _ = writeln!(out, ".Lsection{}:", section.index);
        }
        match section.flags & u64::from(elf::SHF_EXECINSTR) {
            0 => self.data(section, out),
            _ => self.code(section, filler, out),
        }
    }

    pub fn relocations<'s>(
        &'s self,
        section: &Section<'_>,
    ) -> impl Fn(u64, u64) -> Option<(u64, &'s Relocation)> + use<'s, 'a> {
        // The first relocation in a range.
        let all = self.relocations.get(&section.index);
        move |from, to| all?.range(from..to).next().map(|(at, relocation)| (*at, relocation))
    }
}

/// A name with a number that is added.
pub fn added(name: String, addend: i64) -> String {
    match addend {
        0 => name,
        1.. => format!("{name}+{addend}"),
        _ => format!("{name}-{}", addend.unsigned_abs()),
    }
}
