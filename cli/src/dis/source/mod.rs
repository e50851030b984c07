//! `dis --asm`: a code object as a source from which `asm` makes the same sections.

mod code;
mod data;
mod relative;
mod symbols;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::io::Write;

use amdgpu_asm::metadata::{self, Note};
use amdgpu_isa as lib;
use amdgpu_object::relocation_kinds as kinds;
use object::read::elf::{ElfFile64, FileHeader as _, SectionHeader as _};
use object::{
    LittleEndian, Object as _, ObjectComdat as _, ObjectKind, ObjectSection as _, ObjectSymbol as _, SectionIndex, elf,
};

use crate::error::{Error, Result};
use crate::isa::{Filler, KernelDescriptor, Target};
use amdgpu_object::TargetId;
pub use code::variant;
use relative::Relative;
use symbols::{Symbol, name};

const ELFOSABI_HSA: u8 = 64;

/// The file that is written as a source, with its names, symbols and relocations.
struct Source<'a> {
    file: ElfFile64<'a, LittleEndian>,
    /// The target of code outside of kernels.
    target: Target,
    symbols: Vec<Symbol>,
    /// Comments on the symbols that the source cannot have.
    lost: String,
    /// The numbers of the symbols, by name.
    names: HashMap<String, Vec<usize>>,
    /// The relocations of each section, by place.
    relocations: BTreeMap<usize, BTreeMap<u64, Relocation>>,
    /// The addresses that the code of each section makes relative to itself.
    relative: BTreeMap<usize, Relative>,
    /// The sections whose beginning needs a label.
    named: BTreeSet<usize>,
    /// Whether there is a single section of code.
    has_one_code: bool,
    /// The descriptors that become directives, each after the numbers of its symbol and of the symbol of its code.
    kernels: Vec<(usize, usize, KernelDescriptor)>,
}

#[derive(Clone, Debug)]
struct Relocation {
    kind: u32,
    /// The symbol, or a label of a section, with the number that is added.
    of: String,
    /// The number of the section that the value points into, and the offset there, if no symbol is named.
    goal: Option<(usize, i64)>,
    /// Whether no table has the relocation: a linker has applied it, and the code shows what it was.
    is_made: bool,
}

impl Relocation {
    fn new(kind: u32, of: String) -> Relocation {
        Relocation { kind, of, goal: None, is_made: false }
    }

    /// A relocation with a place in a section, which gets its label when all sections are known.
    fn within(kind: u32, section: usize, offset: i64) -> Relocation {
        Relocation { goal: Some((section, offset)), ..Relocation::new(kind, String::new()) }
    }
}

/// A section that is written to the source.
struct Section<'a> {
    index: usize,
    name: String,
    kind: u32,
    flags: u64,
    entry: u64,
    align: u64,
    address: u64,
    size: u64,
    /// The rest of the section's directive: its group, and the number that distinguishes it from other sections with
    /// its name.
    apart: String,
    bytes: &'a [u8],
}

/// Writes the source.
pub fn run(bytes: &[u8], mut out: impl Write) -> Result<()> {
    if !amdgpu_object::elf::is_elf(bytes) {
        return Err(Error::input(
            "--asm takes one code object: take it out of its container first, with `llvm-objdump --offloading` or `ar x`",
        ));
    }
    let file = ElfFile64::parse(bytes).map_err(|e| Error::input(format!("no code object: {e}")))?;
    let mut source = Source::new(file)?;
    let sections = source.sections()?;
    source.find_kernels(&sections);
    source.follow(&sections);
    out.write_all(source.head()?.as_bytes())?;
    out.write_all(source.lost.as_bytes())?;
    out.write_all(source.declarations().as_bytes())?;
    let mut filler = source.target.filler();
    for section in &sections {
        let mut text = String::new();
        match source.notes(section) {
            Some(notes) => {
                source.begin(section, &mut text);
                text += &notes;
            }
            None => source.section(section, &mut filler, &mut text),
        }
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(())
}

impl<'a> Source<'a> {
    fn new(file: ElfFile64<'a, LittleEndian>) -> Result<Source<'a>> {
        let header = file.elf_header();
        let flags = header.e_flags(LittleEndian);
        if header.e_machine(LittleEndian) != amdgpu_object::EM_AMDGPU {
            return Err(Error::input("this is not a code object of an AMD GPU"));
        }
        let processor = lib::processor::Processor::from_e_flags(flags);
        let lacks = || {
            let number = flags as u8;
            let name = processor.map_or(String::new(), |known| format!(" ({})", known.name()));
            Error::input(format!("the code object is for processor {number:#x}{name}, which this build does not know"))
        };
        let target = processor.and_then(lib::processor::Processor::target).ok_or_else(lacks)?;
        Ok(Source {
            file,
            target,
            symbols: Vec::new(),
            lost: String::new(),
            names: HashMap::new(),
            relocations: BTreeMap::new(),
            relative: BTreeMap::new(),
            named: BTreeSet::new(),
            has_one_code: true,
            kernels: Vec::new(),
        })
    }

    /// Writes the processor and the version of the file.
    fn head(&self) -> Result<String> {
        let header = self.file.elf_header();
        let (flags, abi, version) = (header.e_flags(LittleEndian), header.e_ident.os_abi, header.e_ident.abi_version);
        let os = match abi {
            ELFOSABI_HSA => "amd-amdhsa",
            65 => "amd-amdpal",
            66 => "mesa-mesa3d",
            _ => "-",
        };
        if abi == ELFOSABI_HSA && !(2..=4).contains(&version) {
            return Err(Error::input("only code objects of versions 4 to 6 have a source"));
        }
        let setting = |name: &str, has: bool, on: u32, shift: u32| match (abi, flags >> shift & 3) {
            _ if !has => None,
            (ELFOSABI_HSA, 2) => Some((name.to_string(), false)),
            (ELFOSABI_HSA, 3) => Some((name.to_string(), true)),
            (ELFOSABI_HSA, _) => None,
            _ => (flags & on == 0).then(|| (name.to_string(), false)),
        };
        let settings = [
            setting("sramecc", self.target.has_sramecc(), 0x200, 10),
            setting("xnack", self.target.has_xnack(), 0x100, 8),
        ];
        let features = settings.into_iter().flatten().collect();
        let processor =
            lib::processor::Processor::from_e_flags(flags).map_or("", lib::processor::Processor::name).to_string();
        let mut out = format!("\t.amdgcn_target \"amdgcn-{os}--{}\"\n", TargetId { processor, features });
        if abi == ELFOSABI_HSA {
            let _ = writeln!(out, "\t.amdhsa_code_object_version {}", version + 2);
        }
        if self.file.symbol_table().is_none() {
            out += "// The file is stripped, as `asm --strip` makes it.\n";
        }
        if self.file.kind() != ObjectKind::Relocatable && !self.has_names_in_order() {
            out += "// The names are sorted, as `asm --sorted-names` makes them.\n";
        }
        Ok(out)
    }

    /// Whether the names of sections are in the order of the sections, as linkers write them.
    fn has_names_in_order(&self) -> bool {
        let places: Vec<u32> =
            self.file.sections().map(|section| section.elf_section_header().sh_name(LittleEndian)).collect();
        let mut seen = BTreeSet::new();
        let firsts: Vec<u32> = places.into_iter().filter(|place| seen.insert(*place)).collect();
        firsts.is_sorted()
    }

    /// The sections that become text. The assembler makes the other sections itself.
    fn sections(&mut self) -> Result<Vec<Section<'a>>> {
        let fail = |e: object::Error| Error::input(format!("the code object is damaged: {e}"));
        let mut all = Vec::new();
        let mut relocated = BTreeMap::new();
        let (groups, mut seen) = (self.groups(), HashMap::new());
        self.symbols = symbols::read(&self.file, &mut self.lost);
        for (n, symbol) in self.symbols.iter().enumerate() {
            self.names.entry(symbol.name.clone()).or_default().push(n);
        }
        for section in self.file.sections() {
            let header = section.elf_section_header();
            let kind = header.sh_type(LittleEndian);
            let called = section.name().map_err(fail)?.to_string();
            let is_made =
                [elf::SHT_NULL, elf::SHT_SYMTAB, elf::SHT_STRTAB, elf::SHT_RELA, elf::SHT_HASH, elf::SHT_DYNAMIC]
                    .contains(&kind)
                    || [elf::SHT_REL, elf::SHT_DYNSYM, elf::SHT_SYMTAB_SHNDX, elf::SHT_GNU_HASH].contains(&kind)
                    || called == ".relro_padding";
            if is_made || ![elf::SHT_PROGBITS, elf::SHT_NOTE, elf::SHT_NOBITS].contains(&kind) {
                continue;
            }
            let mut places = BTreeMap::new();
            let is_object = self.file.kind() == object::ObjectKind::Relocatable;
            // A linker has applied the relocations that it keeps, and those for a loader are in another section.
            for (offset, relocation) in section.relocations().filter(|_| is_object) {
                let object::RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
                let object::RelocationTarget::Symbol(index) = relocation.target() else { continue };
                let symbol = self.file.symbol_by_index(index).map_err(fail)?;
                let addend = relocation.addend();
                let relocation = match (symbol.kind(), symbol.section_index()) {
                    (object::SymbolKind::Section, Some(index)) => Relocation::within(r_type, index.0, addend),
                    _ => Relocation::new(r_type, added(name(symbol.name().map_err(fail)?), addend)),
                };
                places.insert(offset, relocation);
            }
            let index = section.index().0;
            relocated.insert(index, places);
            let group = groups.get(&index).cloned().unwrap_or_default();
            let others = seen.entry((called.clone(), group.clone())).or_insert(0u32);
            let apart = if *others == 0 { group } else { format!("{group},unique,{others}") };
            *others += 1;
            let bytes = if kind == elf::SHT_NOBITS { &[] } else { section.data().map_err(fail)? };
            all.push(Section {
                index,
                name: called,
                kind,
                flags: header.sh_flags(LittleEndian),
                entry: header.sh_entsize(LittleEndian),
                align: section.align().max(1),
                address: section.address(),
                size: section.size(),
                apart,
                bytes,
            });
        }
        self.dynamic(&all, &mut relocated).map_err(fail)?;
        self.relocations = relocated;
        self.has_one_code = all.iter().filter(|section| section.flags & u64::from(elf::SHF_EXECINSTR) != 0).count() < 2;
        Ok(all)
    }

    /// The groups of sections, as the ends of their directives.
    fn groups(&self) -> HashMap<usize, String> {
        let mut groups = HashMap::new();
        for group in self.file.comdats() {
            let Ok(of) = group.name() else { continue };
            let kind = if group.kind() == object::ComdatKind::Any { ",comdat" } else { "" };
            groups.extend(group.sections().map(|section| (section.0, format!(",{}{kind}", name(of)))));
        }
        groups
    }

    /// The values that a loader would write into sections.
    fn dynamic(
        &self,
        sections: &[Section<'a>],
        relocated: &mut BTreeMap<usize, BTreeMap<u64, Relocation>>,
    ) -> std::result::Result<(), object::Error> {
        let Some(all) = self.file.dynamic_relocations() else { return Ok(()) };
        let at = |address: u64| {
            sections.iter().find(|s| s.flags & 2 != 0 && (s.address..s.address + s.size.max(1)).contains(&address))
        };
        for (address, relocation) in all {
            let object::RelocationFlags::Elf { r_type } = relocation.flags() else { continue };
            let Some(section) = at(address) else { continue };
            let place = match relocation.target() {
                object::RelocationTarget::Symbol(index) if r_type != kinds::RELATIVE64 => {
                    let table = self.file.dynamic_symbol_table();
                    let symbol =
                        table.map(|table| object::ObjectSymbolTable::symbol_by_index(&table, index)).transpose()?;
                    let name = name(symbol.map_or(Ok(""), |symbol| symbol.name())?);
                    Relocation::new(kinds::ABS64, added(name, relocation.addend()))
                }
                _ => {
                    let Some(there) = at(relocation.addend() as u64) else { continue };
                    let offset = (relocation.addend() as u64).wrapping_sub(there.address) as i64;
                    Relocation::within(kinds::ABS64, there.index, offset)
                }
            };
            relocated.entry(section.index).or_default().insert(address - section.address, place);
        }
        Ok(())
    }

    /// The source of a section of notes, if the assembler makes the same section of it.
    fn notes(&self, section: &Section<'_>) -> Option<String> {
        if section.kind != elf::SHT_NOTE || section.name != ".note" {
            return None;
        }
        let (mut rest, mut parts, mut text) = (section.bytes, Vec::new(), String::new());
        let is_hsa = self.file.elf_header().e_ident.os_abi == ELFOSABI_HSA;
        while !rest.is_empty() {
            let number = |n: usize| Some(u32::from_le_bytes(rest.get(n * 4..n * 4 + 4)?.try_into().ok()?));
            let (name_len, len, kind) = (number(0)? as usize, number(1)? as usize, number(2)?);
            let from = 12 + name_len.checked_next_multiple_of(4)?;
            let (name, contents) = (rest.get(12..12 + name_len)?, rest.get(from..from.checked_add(len)?)?);
            rest = rest.get(from + len.checked_next_multiple_of(4)?..)?;
            match (name, kind) {
                (b"AMDGPU\0", metadata::DOCUMENT) => {
                    let name = if is_hsa { "metadata" } else { "pal_metadata" };
                    let document = metadata::decode(contents)?;
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

    /// The directive of a section.
    fn begin(&self, section: &Section<'_>, out: &mut String) {
        let mut flags = String::new();
        let letters = [
            (2, 'a'),
            (1, 'w'),
            (4, 'x'),
            (0x10, 'M'),
            (0x20, 'S'),
            (0x200, 'G'),
            (0x20_0000, 'R'),
            (0x8000_0000, 'e'),
        ];
        // Where a linker has joined texts and constants of several lengths, nothing can be merged, and no directive says so.
        let is_joined = section.flags & 0x10 != 0 && section.entry == 0;
        let has = if is_joined { section.flags & !0x30 } else { section.flags };
        flags.extend(letters.iter().filter(|(bit, _)| has & bit != 0).map(|(_, letter)| letter));
        let kind = match section.kind {
            elf::SHT_NOTE => "note",
            elf::SHT_NOBITS => "nobits",
            _ => "progbits",
        };
        let entry = if has & 0x10 != 0 { format!(",{}", section.entry) } else { String::new() };
        let _ = writeln!(out, "\n\t.section {},\"{flags}\",@{kind}{entry}{}", name(&section.name), section.apart);
    }

    fn section(&self, section: &Section<'_>, filler: &mut Filler, out: &mut String) {
        self.begin(section, out);
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

    fn relocations<'s>(
        &'s self,
        section: &Section<'_>,
    ) -> impl Fn(u64, u64) -> Option<(u64, &'s Relocation)> + use<'s, 'a> {
        // The first relocation in a range.
        let all = self.relocations.get(&section.index);
        move |from, to| all?.range(from..to).next().map(|(at, relocation)| (*at, relocation))
    }
}

/// A name with a number that is added.
fn added(name: String, addend: i64) -> String {
    match addend {
        0 => name,
        1.. => format!("{name}+{addend}"),
        _ => format!("{name}-{}", addend.unsigned_abs()),
    }
}

/// The number of a section in a table of symbols.
fn number(index: Option<SectionIndex>) -> Option<usize> {
    index.map(|index| index.0)
}
