//! The assembler, which reads statements, and collects sections, symbols and values that are not known yet.

use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use amdgpu_isa::Filler;
use amdgpu_isa::asm::Far;
use amdgpu_object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHF_TLS, SHT_NOBITS, SHT_PROGBITS};
use object::elf::STT_TLS;

use super::expr::{Expr, Reader};
use super::fault::Lines;
use super::flaw::{Flaw, Flaws, Result, Span};
use super::kernel::{Kernel, is_kernel_directive};
use super::metadata::{Note, Pal};
use super::scan::{Head, Scan};
use super::source::{Line, Source};
use super::table::{Def, SymbolId, Table};
use super::target::Processor;
use super::{Kind, Options};

#[derive(Clone, Debug)]
pub struct Section {
    pub name: String,
    pub kind: u32,
    pub flags: u64,
    pub entry: u64,
    /// The properties that distinguish this section from other sections of its name.
    pub identity: SectionIdentity,
    pub align: u64,
    pub data: Vec<u8>,
    /// The length of the section in bytes. If the section has contents, `data` has the same length.
    pub len: u64,
    /// If the section is one part of a section ([`SectionIdentity::part`]): the offset of the part in the whole, in
    /// bytes, as the earlier reading of the source found it.
    pub base: u64,
    pub fixups: Vec<Fixup>,
    /// The position of the section's symbol in the order of the object's symbols.
    pub order: u32,
}

/// The properties that distinguish sections of one name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct SectionIdentity {
    /// The group. Of the groups with the same symbol, a linker keeps only one if they are COMDAT groups.
    pub group: Option<Group>,
    pub unique: Option<u32>,
    /// A label of the section whose order this section follows in a linked file (`SHF_LINK_ORDER`).
    pub of: Option<SymbolId>,
    /// The number of this part of a section, whose parts are joined at the end.
    pub part: u32,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Group {
    pub symbol: SymbolId,
    /// Whether other objects may have the same group.
    pub is_comdat: bool,
}

/// A value that is not known at its place in the source.
#[derive(Clone, Debug)]
pub struct Fixup {
    pub offset: u64,
    pub kind: FixupKind,
    pub expr: Expr,
    pub place: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FixupKind {
    /// A number of bytes of data.
    Data(u8),
    /// The literal of an instruction, with its number of bytes.
    Literal(u8),
    /// The distance of the branch at the offset; the branch has this number among all branches of the source.
    Branch(u32),
    /// A half of the distance of a long branch, counted from the offset `from` of the section.
    Distance { from: u64, is_high: bool },
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// The lines after the condition are read.
    Taken,
    /// The condition has no value, because of an error. The lines after the condition are read, and so are lines after
    /// a later `.elseif` or `.else`.
    Failed,
    /// No lines have been read so far. Lines after a later `.elseif` or `.else` can be read.
    Open,
    /// No further lines are read, whether an `.else` follows or not.
    Done,
    /// The lines after the `.else` are read.
    Else,
    /// The lines after the `.else` are not read.
    Closed,
}

impl Condition {
    /// Whether lines are read in this state.
    pub fn is_taken(self) -> bool {
        matches!(self, Condition::Taken | Condition::Failed | Condition::Else)
    }
}

/// Values that are known only at the end of a source, although statements depend on them: the source is read again
/// until the values stay the same.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Guess {
    /// The numbers in directives that depend on later lines, in the order of the directives.
    pub later: Vec<i64>,
    /// The offsets of the parts of sections.
    pub bases: HashMap<(String, SectionIdentity), u64>,
    /// The lanes of kernels, by their names.
    pub lanes: HashMap<String, u16>,
}

#[derive(Default)]
pub struct Assembler {
    pub source: Source,
    pub table: Table,
    pub sections: Vec<Section>,
    /// The numbers of the sections, by name and identity.
    known: HashMap<(String, SectionIdentity), usize>,
    pub macros: HashMap<String, Rc<super::macros::Macro>>,
    pub conditions: Vec<(Condition, Span)>,
    pub kernels: Vec<Kernel>,
    /// The kernel whose directives are being read.
    pub kernel: Option<Kernel>,
    /// The `.amd_kernel_code_t` descriptor that is being read, which is for a runtime other than HSA's.
    pub kernel_code: Option<super::kernel_code::KernelCode>,
    pub flaws: Flaws,
    /// Flaws that LLVM's assembler finds at the end of the source. They count only if the source has no other errors.
    pub late: Vec<Flaw>,
    /// The number of faults after which errors about unknown names suggest no similar names, because the search takes
    /// long.
    pub suggestions: usize,
    /// The sections to which `.popsection` returns, each with the section to which `.previous` then returns.
    pub stack: Vec<(usize, Option<usize>)>,
    pub previous: Option<usize>,
    pub expansions: u64,
    /// Whether macros are read as after `.altmacro`.
    pub is_alternate: bool,
    /// The greatest size of a section in bytes.
    pub longest: u64,
    /// The ABI version of code objects.
    pub version: u32,
    pub wave: Option<u16>,
    /// The filler that `.amdgpu_isa_fill` or an option names.
    pub filler: Option<Filler>,
    /// The value of `e_flags` that `.amdgpu_isa_flags` states.
    pub flags: Option<u32>,
    /// Whether the tables of names of a linked file are sorted.
    pub sorted_names: bool,
    pub notes: Vec<Note>,
    /// Whether a symbol has a type or a binding that only systems of GNU know.
    pub is_gnu: bool,
    /// The metadata for the runtime of PAL.
    pub pal: Option<Pal>,
    pub debug: super::debug::Debug,
    /// The registers for long branches.
    pub far: Option<Far>,
    /// The number of branches so far.
    pub branches: u32,
    /// The numbers of the branches that become long branches. `too_far` has the numbers of other branches that do not
    /// reach their targets.
    pub long: BTreeSet<u32>,
    pub too_far: Vec<u32>,
    /// The numbers of the branches that get an `s_nop` after them. `broken` has the numbers of other branches that need
    /// one.
    pub padded: BTreeSet<u32>,
    pub broken: Vec<u32>,
    /// The values that an earlier round has found, which this round uses.
    pub guess: Guess,
    /// Whether this round is the last one, so that the source is not read again.
    pub is_last_round: bool,
    /// The number of the first section of each name.
    firsts: HashMap<String, usize>,
    /// Whether other objects may have the same group, by the symbols of the groups so far.
    pub comdats: HashMap<SymbolId, bool>,
    /// The number of the first section of each group, by the group's symbol.
    pub groups: HashMap<SymbolId, usize>,
    /// Whether each symbol is named only through aliases of `.weakref`.
    pub weak: Vec<bool>,
    /// Local symbols that relocations name. (For other local symbols, relocations name the section.)
    pub kept: BTreeSet<SymbolId>,
    /// The values that this round finds, for the next round.
    pub found: Guess,
    /// The expressions of numbers that are known only at the end of the source.
    pub later: Vec<(Expr, Span)>,
    /// The relocations that `.reloc` asks for.
    pub relocations: Vec<super::symbol::Asked>,
    /// The counts of calls from `.cg_profile`.
    pub calls: Vec<super::symbol::Calls>,
    /// Whether the object has a table of symbols with significant addresses (`.addrsig`).
    pub has_address_table: bool,
    /// Whether `.comment` has a text; a zero byte precedes the first text.
    pub has_ident: bool,
    pub addressed: Vec<SymbolId>,
    /// The versioned names that `.symver` gives to symbols.
    pub versions: Vec<super::symbol::Version>,
    /// The offsets at which the bytes of statements begin, for each section, if the caller wants to know the places of
    /// bytes.
    pub spans: Option<Vec<Vec<(u64, Span)>>>,
}

impl Assembler {
    pub fn new(options: &Options) -> Assembler {
        let &Options { longest_section: longest, suggestions, long_branches: far, wave, filler, sorted_names, .. } =
            options;
        let mut new = Assembler {
            version: super::target::VERSION,
            longest,
            suggestions,
            far,
            wave,
            filler,
            sorted_names,
            ..Assembler::default()
        };
        (new.source.most, new.source.is_alone) = (options.longest_expansion, options.is_alone);
        new.source.include = options.include.clone();
        new.source.follows_markers = options.follows_markers;
        new.spans = options.keeps_places.then(Vec::new);
        new.section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0);
        new.previous = None;
        new
    }

    /// Reads the whole source.
    pub fn run(&mut self) {
        self.look_for_counts();
        while let Some(line) = self.source.next_line() {
            if let Err(fault) = self.statement(&line) {
                self.fault(fault);
            }
        }
        for place in std::mem::take(&mut self.source.open_comments) {
            self.fault(Flaw::new(place, "the comment has no `*/`"));
        }
        for place in std::mem::take(&mut self.source.long_strings) {
            self.warn(place, "the string goes on in the next line");
        }
        if self.source.is_stopped {
            self.kernel = None;
            return;
        }
        if let Some(code) = self.kernel_code.take() {
            self.fault(self.unclosed("the descriptor has no .end_amd_kernel_code_t", code.place));
        }
        if let Some((_, place)) = self.conditions.first() {
            self.fault(self.unclosed("the condition has no .endif", *place));
        }
        if let Some(kernel) = self.kernel.take().filter(|kernel| kernel.is_whole) {
            self.fault(self.unclosed("the kernel has no .end_amdhsa_kernel", kernel.place));
        }
    }

    /// The error about a block without an end. As in LLVM's assembler, the error is at the end of the source.
    pub fn unclosed(&self, message: &str, begin: Span) -> Flaw {
        let end = self.source.files.first().map_or(0, |file| file.text.len());
        let flaw = Flaw::new(Span { file: 0, start: end, end }, message);
        match Lines::new(&self.source.files).place(begin) {
            Some(place) => flaw.note(format!("it begins at {}:{}", place.file, place.line)),
            None => flaw,
        }
    }

    /// Finds out whether the text that was read last names a symbol that counts registers. (Counting takes long, so
    /// registers are counted only if a text names such a symbol.)
    pub fn look_for_counts(&mut self) {
        let asks =
            |file: &super::source::File| [".amdgcn.next_free_", ".kernel."].iter().any(|name| file.text.contains(name));
        self.table.counts_registers |= self.source.files.last().is_some_and(asks);
    }

    pub fn fault(&mut self, fault: Flaw) {
        self.flaws.add(fault);
    }

    fn statement(&mut self, line: &Line) -> Result<()> {
        let mut scan = Scan::new(line);
        if scan.is_done() {
            return Ok(());
        }
        if self.conditions.last().is_some_and(|(condition, _)| !condition.is_taken()) {
            let word = scan.word().to_ascii_lowercase();
            return self.skipped(&word, &mut scan);
        }
        if let Some(code) = self.kernel_code.take() {
            return self.kernel_code_line(code, &mut scan);
        }
        loop {
            if scan.is_done() {
                return Ok(());
            }
            let (head, range) = scan.head()?;
            let place = line.place(range.clone());
            let is_inside = matches!(&head, Head::Word(name) if is_kernel_directive(name));
            let kernel = if is_inside { None } else { self.kernel.take() };
            // After a wrong directive, the end of the kernel may be missing because of the same error, so a missing end
            // is not reported.
            if kernel.is_some_and(|kernel| kernel.is_whole) {
                return Err(Flaw::new(place, "only .amdhsa_ directives can be between .amdhsa_kernel and its end"));
            }
            let name = match head {
                Head::Label(name) if name == "." && scan.line.text().get(range.clone()) == Some(".") => {
                    return Err(Flaw::new(place, "`.` is the current place, not a label"));
                }
                Head::Label(name) => {
                    self.label(&name, place)?;
                    continue;
                }
                Head::Assignment(name) => return self.assign(&name, place, &mut scan, true),
                Head::Word(name) => name,
            };
            if self.macros.contains_key(&name) {
                return self.expand(&name, &mut scan);
            }
            if name.starts_with('.') {
                return self.directive(&name, range.start, &mut scan);
            }
            scan.at = range.start;
            return self.instruction(&mut scan);
        }
    }

    pub fn expression(&mut self, scan: &mut Scan<'_>) -> Result<Expr> {
        self.sync();
        Reader { scan, table: &mut self.table }.expression()
    }

    /// Reads an expression whose value is known.
    pub fn number(&mut self, scan: &mut Scan<'_>) -> Result<i64> {
        scan.blank();
        let start = scan.at;
        let expr = self.expression(scan)?;
        self.known(&expr, scan.place(start))
    }

    pub fn known(&self, expr: &Expr, place: Span) -> Result<i64> {
        self.table.value(expr).map_err(|(why, first)| {
            let fault = Flaw::new(place, why);
            match first {
                Some(_) => fault.note("only values defined above are known here"),
                None => fault,
            }
        })
    }

    /// Tells the table of symbols the current offset, which is the length of the current section.
    pub fn sync(&mut self) {
        self.table.offset = self.here().len;
    }

    pub fn here(&self) -> &Section {
        &self.sections[self.table.section]
    }

    pub fn here_mut(&mut self) -> &mut Section {
        &mut self.sections[self.table.section]
    }

    /// Switches to the section with a name, which is made if it does not exist.
    pub fn section(&mut self, name: &str, kind: u32, flags: u64, entry: u64) -> usize {
        self.section_apart(name, kind, flags, entry, SectionIdentity::default())
    }

    /// The number of the section with a name and identity.
    pub fn find_section(&self, name: &str, identity: &SectionIdentity) -> Option<usize> {
        self.known.get(&(name.to_string(), identity.clone())).copied()
    }

    /// The number of the section with this name and the default identity, or else of the first section of this name.
    pub fn first_section(&self, name: &str) -> Option<usize> {
        let plain = self.find_section(name, &SectionIdentity::default());
        plain.or_else(|| self.firsts.get(name).copied())
    }

    pub fn section_apart(&mut self, name: &str, kind: u32, flags: u64, entry: u64, identity: SectionIdentity) -> usize {
        let index = self.find_section(name, &identity).unwrap_or_else(|| {
            self.known.insert((name.to_string(), identity.clone()), self.sections.len());
            let is_other = self.firsts.contains_key(name);
            self.firsts.entry(name.to_string()).or_insert(self.sections.len());
            let is_first =
                name == ".text" && identity == SectionIdentity { part: identity.part, ..SectionIdentity::default() };
            let align = if is_first { 4 } else { 1 };
            let base = self.guess.bases.get(&(name.to_string(), identity.clone())).copied().unwrap_or(0);
            // A symbol of this name that a value above names stands for the section.
            let named = self.table.find(name).filter(|_| !is_other).and_then(|id| self.table.get(id).order);
            let (name, order) = (name.to_string(), named.unwrap_or_else(|| self.table.next_order()));
            self.sections.push(Section {
                name,
                kind,
                flags,
                entry,
                identity,
                align,
                data: Vec::new(),
                len: 0,
                base,
                fixups: Vec::new(),
                order,
            });
            self.sections.len() - 1
        });
        self.switch(index);
        index
    }

    /// Computes the numbers of sections by name again.
    pub fn number_sections(&mut self) {
        let names = self.sections.iter().enumerate();
        self.known = names.map(|(n, section)| ((section.name.clone(), section.identity.clone()), n)).collect();
        let names = self.sections.iter().enumerate().rev();
        self.firsts = names.map(|(n, section)| (section.name.clone(), n)).collect();
    }

    pub fn switch(&mut self, index: usize) {
        if self.table.section != index {
            self.debug.leave_line();
        }
        self.previous = Some(self.table.section);
        self.table.section = index;
    }

    pub fn emit(&mut self, bytes: &[u8], place: Span) -> Result<()> {
        self.line_entry();
        self.emit_padding(bytes, place)
    }

    /// Emits bytes without an entry in the table of lines.
    pub fn emit_padding(&mut self, bytes: &[u8], place: Span) -> Result<()> {
        self.room(bytes.len() as u64, place)?;
        let (number, start) = (self.table.section, self.here().len);
        if let Some(spans) = &mut self.spans {
            spans.resize_with(spans.len().max(number + 1), Vec::new);
            // A statement that emits bytes several times has one entry.
            if let Some(spans) = spans.get_mut(number).filter(|spans| spans.last().is_none_or(|last| last.1 != place)) {
                spans.push((start, place));
            }
        }
        let section = self.here_mut();
        if section.kind == SHT_NOBITS {
            if bytes.iter().any(|byte| *byte != 0) {
                let flaw = Flaw::new(place, format!("{} holds no contents, only zeros", section.name));
                self.late.push(flaw);
            }
        } else {
            section.data.extend_from_slice(bytes);
        }
        self.here_mut().len += bytes.len() as u64;
        Ok(())
    }

    /// Fails if `more` bytes would make the section longer than [`Assembler::longest`].
    pub fn room(&self, more: u64, place: Span) -> Result<()> {
        match self.here().len.saturating_add(more) > self.longest {
            true => {
                let message = format!("the section would have more than {} bytes", self.longest);
                Err(Flaw::new(place, message).kind(Kind::Section))
            }
            false => Ok(()),
        }
    }

    /// Emits bytes in which the value of an expression is filled in later, at the offset `at`.
    pub fn emit_fixup(&mut self, bytes: &[u8], at: u64, kind: FixupKind, expr: Expr, place: Span) -> Result<()> {
        let section = self.here();
        if section.kind == SHT_NOBITS {
            let flaw = Flaw::new(place, format!("{} holds no contents", section.name));
            self.late.push(flaw);
            return Ok(());
        }
        let offset = section.len + at;
        self.table.register_all(&expr);
        self.emit(bytes, place)?;
        self.here_mut().fixups.push(Fixup { offset, kind, expr, place });
        Ok(())
    }

    fn label(&mut self, name: &str, place: Span) -> Result<()> {
        self.sync();
        if name.bytes().all(|c| c.is_ascii_digit()) {
            self.table.define_number(name);
            return Ok(());
        }
        if let Some(lanes) = self.guess.lanes.get(name).copied() {
            self.set_wave(lanes);
        }
        let id = self.table.id_again(name, place);
        self.not_defined(id, place)?;
        let (section, offset) = (self.table.section, self.table.offset);
        self.table.register(id);
        let kind = if self.here().flags & SHF_TLS != 0 { STT_TLS } else { 0 };
        let symbol = self.table.get_mut(id);
        let def = Def::Label { section, offset };
        (symbol.def, symbol.place, symbol.kind) = (def, place, symbol.kind.max(kind));
        Ok(())
    }

    /// Fails if a symbol has a value, or has the name of a section: the section is the value of this name.
    pub fn not_defined(&self, id: SymbolId, place: Span) -> Result<()> {
        let symbol = self.table.get(id);
        match symbol.def {
            Def::Undefined if self.firsts.contains_key(&symbol.name) => {
                Err(Flaw::new(place, format!("`{}` is a section already", symbol.name)))
            }
            Def::Undefined => Ok(()),
            _ => Err(Flaw::new(place, format!("`{}` is defined already", symbol.name))),
        }
    }

    /// Reads the value in `name = value` or `.set name, value`. `again` tells whether the symbol may already have a
    /// value.
    pub fn assign(&mut self, name: &str, place: Span, scan: &mut Scan<'_>, again: bool) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let expr = self.expression(scan)?;
        let of = scan.place(from);
        scan.end()?;
        if name == "." {
            return self.advance(expr, 0, of);
        }
        let id = if again { self.table.id_again(name, place) } else { self.table.id(name, place) };
        self.not_defined(id, place)?;
        let is_named_above = self.table.get(id).order.is_some();
        self.table.register(id);
        self.table.register_all(&expr);
        let value = self.table.value(&expr).map_or_else(|_| self.table.joined(expr), Expr::Int);
        let symbol = self.table.get_mut(id);
        (symbol.def, symbol.place, symbol.is_set, symbol.may_change) = (Def::Variable(value), place, true, again);
        symbol.is_named_above = is_named_above;
        Ok(())
    }

    /// Returns the value of a number that may be known only at the end of the source. If it is not known yet, the
    /// result is the value from the earlier round.
    pub fn later(&mut self, expr: Expr, place: Span) -> Result<i64> {
        if let Ok(value) = self.table.value(&expr) {
            return Ok(value);
        }
        let guess = self.guess.later.get(self.later.len()).copied().unwrap_or(0);
        self.later.push((expr, place));
        Ok(guess)
    }

    pub fn processor(&self, place: Span) -> Result<Processor> {
        let flaw = || Flaw::new(place, "which processor is this for? `.amdgcn_target` says it");
        self.table.target.ok_or_else(|| flaw().kind(Kind::NoProcessor))
    }

    /// Continues with waves of `lanes` lanes, if the processor has such waves.
    pub fn set_wave(&mut self, lanes: u16) {
        if let Some(processor) = &mut self.table.target {
            processor.target = processor.target.with_wave_size(lanes).unwrap_or(processor.target);
        }
    }

    pub fn set_target(&mut self, new: Processor, place: Span) -> Result<()> {
        match self.table.target {
            Some(old) if (old.processor, old.xnack, old.sramecc) != (new.processor, new.xnack, new.sramecc) => {
                let name = old.processor.name();
                Err(Flaw::new(place, format!("the code is for {name} with other settings, or for another processor")))
            }
            Some(old) if old.says_os && old.os != new.os => {
                Err(Flaw::new(place, "the code is for another runtime, or for none"))
            }
            Some(old) => {
                // The earlier statement may have only a processor's name, without a runtime, so the new runtime counts.
                self.table.target = Some(Processor { os: new.os, says_os: new.says_os, ..old });
                Ok(())
            }
            None => {
                let sized = self.wave.map(|lanes| new.with_waves(lanes));
                // The target is set before the error is returned, so that the rest of the source has no further errors.
                self.table.target = Some(sized.as_ref().and_then(|sized| sized.clone().ok()).unwrap_or(new));
                sized.transpose().map(|_| ()).map_err(|message| Flaw::new(place, message))
            }
        }
    }
}
