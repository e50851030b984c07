//! The symbols of a code object, and its kernels.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;

use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_object::elf;
use amdgpu_object::relocation_kinds as kinds;
use object::elf::{
    STB_LOCAL, STB_WEAK, STT_FILE, STT_FUNC, STT_GNU_IFUNC, STT_OBJECT, STT_SECTION, STT_TLS, STV_DEFAULT, STV_HIDDEN,
    STV_INTERNAL, STV_PROTECTED,
};

use crate::code_object::{CodeObject, Relocation, Section, added};
use crate::elf::{Elf, Named};

#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    pub name: String,
    /// The number of the symbol's section; `None` for a symbol that is absolute, undefined, common or in LDS.
    pub section: Option<usize>,
    pub is_undefined: bool,
    pub is_shared: bool,
    /// Whether the symbol is common: a linker allocates its memory. Its value is then its alignment in bytes.
    pub is_common: bool,
    pub value: u64,
    pub size: u64,
    pub kind: u8,
    pub bind: u8,
    pub visibility: u8,
    /// Whether the directives of the symbol's kernel will make it protected. No earlier directive may make it
    /// protected, because the descriptor would become protected, too.
    pub is_protected_later: bool,
}

/// A kernel descriptor as text.
enum Described {
    /// As directives for the code whose symbol has this number.
    Directives(usize, KernelDescriptor),
    /// As numbers, but with an expression of symbols for the distance to the code. The values are the number of the
    /// section, the offset of the distance in the section, and the number of the code's symbol.
    Entry(usize, u64, usize),
}

/// A name as the assembler reads it.
pub fn name(text: &str) -> String {
    let is_plain = text.bytes().all(|c| c.is_ascii_alphanumeric() || b"_.$".contains(&c));
    if is_plain && !text.starts_with(|c: char| c.is_ascii_digit()) && !text.is_empty() && text != "." {
        return text.to_string();
    }
    quoted(text)
}

/// A text in quotes.
pub fn quoted(text: &str) -> String {
    quoted_bytes(text.as_bytes())
}

fn quoted_bytes(text: &[u8]) -> String {
    let mut out = String::from("\"");
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend(['\\', byte.into()]),
            b' '..=b'~' => out.push(byte.into()),
            _ => {
                let _ = write!(out, "\\{byte:03o}");
            }
        }
    }
    out + "\""
}

/// An entry for a section in the table of symbols.
#[derive(Clone, Copy, Debug)]
pub struct SectionEntry {
    /// The number of symbols of the source that come before it.
    before: usize,
    /// The number of the section.
    section: usize,
}

/// Reads the symbols, and the entries for sections among them. Adds a line to the comment `lost` for each symbol whose
/// name is not UTF-8.
pub fn read(file: &Elf<'_>, lost: &mut String) -> (Vec<Symbol>, Vec<SectionEntry>) {
    let mut found: Vec<(u32, Symbol)> = Vec::new();
    let mut of_sections = Vec::new();
    let mut add = |named: Named<'_>| {
        let elf::Symbol { kind, scope: (bind, other), address: value, size, .. } = named.symbol;
        let Ok(name) = named.text() else {
            let shown = quoted_bytes(named.name.unwrap_or_default());
            let _ = writeln!(lost, "// No source can have the symbol {shown}: its name is not UTF-8.");
            return;
        };
        if kind == STT_SECTION {
            of_sections.extend(named.section.map(|section| SectionEntry { before: found.len(), section }));
        }
        // Symbols without a name, symbols of sections and of files, and a linker's `_DYNAMIC` are left out.
        if name.is_empty() || [STT_SECTION, STT_FILE].contains(&kind) || name == "_DYNAMIC" {
            return;
        }
        let symbol = Symbol {
            name: name.to_string(),
            section: named.section,
            is_undefined: named.symbol.section == 0,
            is_shared: named.symbol.section == elf::SHN_AMDGPU_LDS,
            is_common: named.symbol.section == elf::SHN_COMMON,
            value,
            size,
            kind,
            bind,
            visibility: other & 3,
            is_protected_later: false,
        };
        found.push((named.symbol.name, symbol));
    };
    let is_stripped = file.named(&file.symbols).next().is_none();
    file.named(if is_stripped { &file.dynamic } else { &file.symbols }).for_each(&mut add);
    // A linker moves local symbols to the front, but leaves the names in the string table in the order of its input.
    // So the symbols get the order of their names in that table, if moving the local ones to the front gives the order
    // of the file. If only the dynamic symbols are left, they always get the order of their names.
    let mut named: Vec<&(u32, Symbol)> = found.iter().collect();
    named.sort_by_key(|(place, _)| *place);
    let is_local = |entry: &&&(u32, Symbol)| entry.1.bind == STB_LOCAL;
    let is_order = || {
        let partition = named.iter().filter(is_local).chain(named.iter().filter(|entry| !is_local(entry)));
        partition.eq(found.iter().collect::<Vec<_>>().iter())
    };
    if is_stripped || !file.is_object() && is_order() {
        return (named.into_iter().map(|(_, symbol)| symbol.clone()).collect(), Vec::new());
    }
    (found.into_iter().map(|(_, symbol)| symbol).collect(), of_sections)
}

/// The directives for symbols whose addresses are significant. `numbers` has the numbers of these symbols in their
/// table, in LEB128. `None` if one of them has no name.
pub fn addressed(file: &Elf<'_>, numbers: &[u8]) -> Option<String> {
    let mut out = String::from("\t.addrsig\n");
    for bytes in numbers.split_inclusive(|byte| byte & 0x80 == 0) {
        let number = bytes
            .iter()
            .rev()
            .try_fold(0usize, |number, byte| Some(number.checked_mul(0x80)? | usize::from(byte & 0x7f)))?;
        let symbol = file.symbol(file.symbols.as_ref()?, u32::try_from(number).ok()?)?;
        let shown = symbol.text().ok().filter(|name| !name.is_empty())?;
        let _ = writeln!(out, "\t.addrsig_sym {}", name(shown));
    }
    (numbers.last().is_none_or(|byte| byte & 0x80 == 0)).then_some(out)
}

impl CodeObject<'_> {
    /// Finds the descriptors that directives can express, and the wave size of code outside of kernels.
    pub fn find_kernels(&mut self, sections: &[Section<'_>]) {
        let (mut kernels, mut entries) = (Vec::new(), Vec::new());
        for (n, symbol) in self.symbols.iter().enumerate() {
            match self.kernel(n, symbol, sections) {
                Some(Described::Directives(code, descriptor)) => kernels.push((n, code, descriptor)),
                Some(Described::Entry(section, place, code)) => entries.push((section, place, code)),
                None => {}
            }
        }
        for (section, place, code) in entries {
            let Some(code) = self.symbols.get(code) else { continue };
            let of = added(name(&code.name), KernelDescriptor::ENTRY as i64);
            let relocation = Relocation { is_made: true, ..Relocation::new(kinds::REL64, of) };
            self.relocations.entry(section).or_default().entry(place).or_insert(relocation);
        }
        let lanes = |descriptor: &KernelDescriptor| descriptor.wave_size(self.target);
        if !kernels.is_empty() && kernels.iter().all(|(_, _, descriptor)| lanes(descriptor) == 64) {
            self.target = self.target.with_wave_size(64).unwrap_or(self.target);
        }
        for (descriptor, code, _) in &kernels {
            let is_default = self.symbols.get(*descriptor).is_some_and(|it| it.visibility == STV_DEFAULT);
            if let Some(code) = self.symbols.get_mut(*code).filter(|code| code.visibility == STV_PROTECTED) {
                code.is_protected_later |= is_default;
            }
        }
        self.kernels = kernels;
    }

    /// The descriptor that begins at a symbol.
    fn kernel(&self, n: usize, symbol: &Symbol, sections: &[Section<'_>]) -> Option<Described> {
        let name = symbol.name.strip_suffix(".kd")?;
        let section =
            sections.iter().find(|section| Some(section.index) == symbol.section && section.flags & 4 == 0)?;
        let offset = symbol.value.checked_sub(section.address)?;
        let at = usize::try_from(offset).ok()?;
        let bytes = section.bytes.get(at..at.checked_add(KernelDescriptor::SIZE)?)?;
        let descriptor = KernelDescriptor::from_bytes(bytes.try_into().ok()?);
        let is_unique = self.with_name(&symbol.name) == [n];
        let &code_number = self.with_name(name).first()?;
        let code = self.symbols.get(code_number)?;
        let entry = KernelDescriptor::ENTRY as u64 + offset;
        let is_linked = match self.relocations.get(&section.index).and_then(|all| all.get(&entry)) {
            Some(relocation) => {
                relocation.kind == kinds::REL64
                    && relocation.of == added(self::name(name), 16)
                    && descriptor.entry() == 0
            }
            None => code.section.is_some() && symbol.value.wrapping_add_signed(descriptor.entry()) == code.value,
        };
        if !is_linked {
            return None;
        }
        let others = self.relocations.get(&section.index).map_or(0, |all| all.range(offset..offset + 64).count());
        let is_one = others <= usize::from(descriptor.entry() == 0);
        // The directives of a kernel give the descriptor the visibility of the code, and then make the code protected
        // if it had the default visibility.
        let has_default = (symbol.kind, symbol.size) == (STT_OBJECT, KernelDescriptor::SIZE as u64)
            && symbol.bind == code.bind
            && code.visibility != STV_DEFAULT
            && (symbol.visibility != STV_DEFAULT || code.visibility == STV_PROTECTED);
        let lanes = self.target.with_wave_size(descriptor.wave_size(self.target)).unwrap_or(self.target);
        match is_unique && is_one && has_default && descriptor.is_text(lanes) {
            true => Some(Described::Directives(code_number, descriptor)),
            false => Some(Described::Entry(section.index, entry, code_number)),
        }
    }

    /// The symbols of a section, with their numbers.
    pub fn symbols_in(&self, section: &Section<'_>) -> impl Iterator<Item = (usize, &Symbol)> {
        let numbers = self.in_sections.get(&section.index).into_iter().flatten();
        numbers.filter_map(|n| Some((*n, self.symbols.get(*n)?)))
    }

    /// The symbols of a section, by their offsets.
    pub fn symbols_at(&self, section: &Section<'_>) -> Vec<(u64, usize)> {
        let mut all: Vec<_> =
            self.symbols_in(section).map(|(n, symbol)| (symbol.value.wrapping_sub(section.address), n)).collect();
        all.sort();
        all
    }

    /// Writes the directives before the label of a symbol, with its size as a number if `has_size`.
    pub fn attributes(&self, symbol: &Symbol, has_size: bool, out: &mut String) {
        let shown = name(&symbol.name);
        if !symbol.is_protected_later {
            self.visibility(symbol, out);
        }
        let kind = match symbol.kind {
            STT_OBJECT => "object",
            STT_FUNC => "function",
            STT_GNU_IFUNC if !self.is_hsa() => {
                let _ = writeln!(out, "\t.amdgpu_hsa_kernel {shown}");
                ""
            }
            STT_GNU_IFUNC => "gnu_indirect_function",
            STT_TLS => "tls_object",
            _ => "",
        };
        if !kind.is_empty() {
            let _ = writeln!(out, "\t.type {shown},@{kind}");
        }
        if has_size && symbol.size != 0 {
            let _ = writeln!(out, "\t.size {shown}, {}", symbol.size);
        }
    }

    /// Writes the size of a symbol as the distance from its label to here, so that the size stays right if the source
    /// is edited.
    pub fn size_up_to_here(&self, n: usize, out: &mut String) {
        if let Some(symbol) = self.symbols.get(n) {
            let shown = name(&symbol.name);
            let _ = writeln!(out, "\t.size {shown}, .-{shown}");
        }
    }

    /// The symbols of code that end at the start of an instruction or at the end of the section, by the offset of the
    /// end.
    pub fn ends(
        &self,
        section: &Section<'_>,
        symbols: &[(u64, usize)],
        starts: &BTreeSet<u64>,
    ) -> BTreeMap<u64, Vec<usize>> {
        let mut ends = BTreeMap::<u64, Vec<usize>>::new();
        for (offset, n) in symbols.iter().filter(|(offset, n)| starts.contains(offset) && self.is_first(*n)) {
            let size = self.symbols.get(*n).map_or(0, |symbol| symbol.size);
            let end = offset.saturating_add(size);
            if size != 0 && (starts.contains(&end) || end == section.size) {
                ends.entry(end).or_default().push(*n);
            }
        }
        ends
    }

    /// Writes the directive for a symbol's visibility, unless that is the default.
    pub fn visibility(&self, symbol: &Symbol, out: &mut String) {
        let shown = name(&symbol.name);
        let visibility = match symbol.visibility {
            STV_INTERNAL => "internal",
            STV_HIDDEN => "hidden",
            STV_PROTECTED => "protected",
            _ => "",
        };
        if !visibility.is_empty() {
            let _ = writeln!(out, "\t.{visibility} {shown}");
        }
    }

    /// Whether the symbol is the first one with its name: the assembler can define a name only once.
    pub fn is_first(&self, n: usize) -> bool {
        self.symbols.get(n).is_some_and(|symbol| self.with_name(&symbol.name).first() == Some(&n))
    }

    /// The numbers of the symbols that have this name.
    fn with_name(&self, name: &str) -> &[usize] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// Writes a label, or an assignment if no label can be there, after the directives of the symbol.
    pub fn define(&self, n: usize, offset: Option<u64>, has_size: bool, out: &mut String) {
        let Some(symbol) = self.symbols.get(n) else { return };
        if self.kernels.iter().any(|(descriptor, ..)| *descriptor == n) {
            return;
        }
        if !self.is_first(n) {
            let _ = writeln!(out, "// A second symbol {} is here.", name(&symbol.name));
            return;
        }
        self.attributes(symbol, has_size, out);
        let shown = name(&symbol.name);
        let _ = match offset {
            None => writeln!(out, "{shown}:"),
            Some(offset) => writeln!(out, "\t.set {shown}, .{:+}", offset as i64),
        };
    }

    /// The directives that name all symbols in the order of their table, so that the assembler has the same order, with
    /// the values of symbols outside of sections. In an object for a linker, the table has entries for sections among
    /// the local symbols, which have directives, too.
    pub fn declarations(&self, sections: &[Section<'_>]) -> String {
        let mut out = String::new();
        let is_linked = !self.file.is_object();
        let mut symbols: Vec<(usize, &Symbol)> =
            self.symbols.iter().enumerate().filter(|(n, _)| self.is_first(*n)).collect();
        let mut entries = if is_linked { &[] } else { self.declared_entries(sections) };
        // The first section of each name. `.text` is there from the beginning.
        let firsts: HashMap<&str, &Section<'_>> = sections.iter().rev().map(|of| (of.name.as_str(), of)).collect();
        let declare = |entry: &SectionEntry, out: &mut String| {
            let place = sections.binary_search_by_key(&entry.section, |section| section.index);
            let section = place.ok().and_then(|place| sections.get(place)).filter(|section| section.name != ".text");
            if let Some(section) = section.filter(|section| firsts[section.name.as_str()].index == section.index) {
                let _ = writeln!(out, "\t.local {}", name(&section.name));
            }
        };
        if !entries.is_empty() {
            symbols.sort_by_key(|(_, symbol)| symbol.bind == STB_LOCAL);
        }
        for (n, symbol) in symbols {
            while let [first, rest @ ..] = entries {
                if symbol.bind != STB_LOCAL || first.before > n {
                    break;
                }
                declare(first, &mut out);
                entries = rest;
            }
            let shown = name(&symbol.name);
            if symbol.is_undefined && firsts.contains_key(symbol.name.as_str()) {
                let _ =
                    writeln!(out, "\t.error \"no source can have both the undefined symbol and the section {shown}\"");
                continue;
            }
            if symbol.section.is_some() || symbol.bind != STB_LOCAL {
                let bind = match symbol.bind {
                    // A linker has made the symbol local.
                    STB_LOCAL if is_linked && [STV_HIDDEN, STV_INTERNAL].contains(&symbol.visibility) => "globl",
                    STB_LOCAL => "local",
                    STB_WEAK => "weak",
                    _ => "globl",
                };
                let _ = writeln!(out, "\t.{bind} {shown}");
            }
            if symbol.section.is_some() {
                continue;
            }
            if symbol.is_common {
                self.visibility(symbol, &mut out);
                let power = symbol.value.max(1).ilog2();
                let _ = writeln!(out, "\t.comm {shown}, {}, {power}", symbol.size);
                continue;
            }
            self.attributes(symbol, true, &mut out);
            if symbol.is_shared {
                let _ = writeln!(out, "\t.amdgpu_lds {shown}, {}, {}", symbol.size, symbol.value.max(1));
            } else if !symbol.is_undefined {
                let _ = writeln!(out, "\t.set {shown}, {:#x}", symbol.value);
            }
        }
        entries.iter().for_each(|entry| declare(entry, &mut out));
        out
    }

    /// The entries for sections in the table of symbols that need directives. Those at the end of the table do not: the
    /// assembler puts them there when it makes the sections in their order. But a merged section gets its entry earlier
    /// if a value names it, and values name merged sections instead of labels in them.
    fn declared_entries(&self, sections: &[Section<'_>]) -> &[SectionEntry] {
        let last = self.symbols.iter().rposition(|symbol| symbol.bind == STB_LOCAL).map_or(0, |last| last + 1);
        let is_merged = |entry: &SectionEntry| {
            let place = sections.binary_search_by_key(&entry.section, |section| section.index);
            place.is_ok_and(|place| sections[place].flags & elf::SHF_MERGE != 0)
        };
        let (mut declared, mut next) = (&*self.section_entries, usize::MAX);
        while let [rest @ .., entry] = declared {
            if entry.before < last || entry.section > next || is_merged(entry) {
                break;
            }
            (declared, next) = (rest, entry.section);
        }
        declared
    }
}
