//! The end of a source: values that were not known become bytes or relocations.

use std::collections::{HashMap, HashSet};

use amdgpu_object::elf::{SHF_ALLOC, SHT_NOTE, STT_SECTION};
use object::elf::{ELFOSABI_GNU, SHF_GNU_RETAIN, STB_GLOBAL, STB_LOCAL, STB_WEAK, STV_DEFAULT};

use super::assembler::{Assembler, Fixup, FixupKind, Section};
use super::expr::Expr;
use super::expr::Linear;
use super::flaw::{Flaw, Span};
use super::metadata::Pal;
use super::symbol::HIDDEN;
use super::table::{Def, OWN, SymbolId};
use super::target::Os;
use super::{Kind, metadata};
use amdgpu_object::relocation_kinds::{self as kinds, Formula};

/// A resolved source, which becomes a file.
#[derive(Clone, Debug)]
pub struct Image {
    pub flags: u32,
    pub abi: u8,
    pub abi_version: u8,
    pub sections: Vec<Output>,
    pub symbols: Vec<Symbol>,
    /// Whether relocations have addends. If not, the addends are in the sections.
    pub has_addends: bool,
    /// The symbols, as numbers in the image, whose addresses are significant: a linker does not merge them with other
    /// symbols.
    pub addressed: Option<Vec<usize>>,
    /// Whether the tables of names of a linked file are sorted.
    pub sorted_names: bool,
}

#[derive(Clone, Debug)]
pub struct Output {
    pub section: Section,
    /// The symbol that names the section's group, as a number in the image, and whether other objects may have the
    /// group.
    pub group: Option<(usize, bool)>,
    /// The section that this section follows (`SHF_LINK_ORDER`), as a number in the image.
    pub linked: Option<usize>,
    pub relocations: Vec<Relocation>,
}

#[derive(Clone, Debug)]
pub struct Relocation {
    pub offset: u64,
    pub kind: u32,
    pub of: Referent,
    pub addend: i64,
    pub place: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referent {
    Section(usize),
    /// The number of a symbol in the image.
    Symbol(usize),
    /// No symbol.
    None,
}

#[derive(Clone, Debug)]
pub struct Symbol {
    pub name: String,
    pub at: DefinedIn,
    pub value: u64,
    pub size: u64,
    pub kind: u8,
    pub bind: u8,
    pub visibility: u8,
    /// The place of the symbol's definition in the source.
    pub place: Span,
    /// The position of the symbol in the order of the symbols and sections of the source.
    pub order: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinedIn {
    Undefined,
    Absolute,
    Section(usize),
    /// A place in a workgroup's memory.
    Shared,
    /// A place that a linker chooses.
    Common,
    /// No place: the symbol only names the group whose first section has this number.
    Group(usize),
}

impl Assembler {
    /// Resolves all values. The returned assembler has the faults.
    pub fn finish(mut self) -> (Self, Option<Image>) {
        self.join_parts();
        self.find_numbers();
        self.fill_kernels();
        let Some(processor) = self.table.target else {
            if self.flaws.shown.is_empty() {
                let flaw = Flaw::new(Span::default(), "no processor is named: `.amdgcn_target` names one");
                self.fault(flaw.kind(Kind::NoProcessor));
            }
            return (self, None);
        };
        // A wrong statement may leave names undefined. So if the source had errors before this point, the faults that
        // are found from here on are dropped below.
        let so_far = Some(self.flaws.clone()).filter(|flaws| flaws.errors() > 0);
        std::mem::take(&mut self.late).into_iter().for_each(|flaw| self.fault(flaw));
        self.notes.extend(self.pal.take().and_then(Pal::note));
        self.write_notes();
        self.write_calls();
        if let Err(fault) = self.write_debug() {
            self.fault(fault);
        }
        self.name_sections();
        self.break_cycles();
        self.find_weak();
        for (n, section) in self.sections.iter().enumerate() {
            if let Some(group) = &section.identity.group {
                self.groups.entry(group.symbol).or_insert(n);
            }
        }
        self.find_kept();
        let (symbols, numbers) = self.symbols();
        let sections = self.outputs(&numbers);
        self.flaws = so_far.unwrap_or(self.flaws);
        let abi_version = if processor.os == Os::Hsa { self.version as u8 - 2 } else { 0 };
        let addressed = self.addressed.iter().filter_map(|id| *numbers.get(*id)?).collect();
        let addressed = Some(addressed).filter(|_| self.has_address_table);
        let is_kept = |output: &Output| output.section.flags & u64::from(SHF_GNU_RETAIN) != 0;
        let is_gnu = self.is_gnu || sections.iter().any(is_kept);
        let abi = match processor.os {
            Os::None if is_gnu => ELFOSABI_GNU,
            os => os.abi(),
        };
        let flags = self.flags.unwrap_or_else(|| processor.flags(self.version));
        let has_addends = self.has_addends();
        let sorted_names = self.sorted_names;
        let image = Image { flags, abi, abi_version, sections, symbols, has_addends, addressed, sorted_names };
        (self, Some(image))
    }

    /// The symbols of the object in their order, and for each symbol of the source its number among them.
    fn symbols(&mut self) -> (Vec<Symbol>, Vec<Option<usize>>) {
        let needed = self.needed();
        let mut numbers = vec![None; self.table.all().len()];
        let mut symbols = Vec::new();
        let mut ordered: Vec<SymbolId> = (0..numbers.len()).collect();
        ordered.sort_by_key(|id| self.table.get(*id).order.unwrap_or(u32::MAX));
        let renamed: HashSet<SymbolId> = self.versions.iter().map(|version| version.of).collect();
        for id in ordered {
            // A version alone does not make an undefined symbol.
            if !needed[id] && renamed.contains(&id) && matches!(self.table.get(id).def, Def::Undefined) {
                continue;
            }
            match self.symbol(id, needed[id]) {
                Ok(Some(mut symbol)) => {
                    // A symbol with an unknown size still has an entry in the table.
                    match self.size(id, symbol.at) {
                        Ok(size) => symbol.size = size,
                        Err(fault) => self.fault(fault),
                    }
                    numbers[id] = Some(symbols.len());
                    symbols.push(symbol);
                }
                Ok(None) => {}
                Err(fault) => self.fault(fault),
            }
        }
        self.add_versions(&mut symbols, &mut numbers);
        (symbols, numbers)
    }

    /// The sections of the object, with the values that are known and relocations for the others.
    fn outputs(&mut self, numbers: &[Option<usize>]) -> Vec<Output> {
        let mut requested = self.requested(numbers);
        let mut outputs = Vec::new();
        for index in 0..self.sections.len() {
            let fixups = std::mem::take(&mut self.sections[index].fixups);
            // Relocations of `.reloc` with a number come before the relocations of values. Relocations of `.reloc` with
            // a label come after the relocations of values.
            let (mut relocations, last) = requested.remove(&index).unwrap_or_default();
            for fixup in &fixups {
                match self.resolve(fixup, index, numbers) {
                    Ok(Some(relocation)) => relocations.push(relocation),
                    Ok(None) => {}
                    Err(fault) => self.fault(fault),
                }
            }
            relocations.extend(last);
            let section = self.sections[index].clone();
            let linked = section.identity.of.and_then(|of| {
                let place = self.table.location(of).map(|(section, _)| section);
                place.or_else(|| self.first_section(&self.table.get(of).name))
            });
            let group = section.identity.group.as_ref();
            let group = group.and_then(|group| Some(((*numbers.get(group.symbol)?)?, group.is_comdat)));
            outputs.push(Output { section, group, linked, relocations });
        }
        outputs
    }

    /// Computes the numbers that depend on later lines.
    fn find_numbers(&mut self) {
        for (expr, place) in std::mem::take(&mut self.later) {
            match self.table.value(&expr) {
                Ok(value) => self.found.later.push(value),
                Err((why, _)) => {
                    self.found.later.push(0);
                    self.late.push(Flaw::new(place, why));
                }
            }
        }
        if self.found != self.guess && self.is_last_round {
            self.fault(Flaw::new(Span::default(), "numbers depend on themselves: what they count changes with them"));
        }
    }

    /// Adds symbols for the names with versions, or renames their symbols.
    fn add_versions(&mut self, symbols: &mut Vec<Symbol>, numbers: &mut [Option<usize>]) {
        let versions = std::mem::take(&mut self.versions);
        let first = u32::MAX - versions.len() as u32;
        for (version, order) in versions.into_iter().zip(first..) {
            let Some(number) = numbers.get(version.of).copied().flatten() else { continue };
            let Some(symbol) = symbols.get(number).cloned() else { continue };
            let (plain, tail) = version.name.split_once('@').unwrap_or((&version.name, ""));
            let is_defined = symbol.at != DefinedIn::Undefined;
            let name = match tail.strip_prefix("@@") {
                Some(tail) => format!("{plain}{}{tail}", if is_defined { "@@" } else { "@" }),
                None if tail.starts_with('@') && !is_defined => {
                    self.fault(Flaw::new(
                        version.place,
                        format!("the default version of `{}` is not defined", symbol.name),
                    ));
                    continue;
                }
                None => version.name.clone(),
            };
            if is_defined && version.keeps && !tail.starts_with("@@") {
                symbols.push(Symbol { name, order, ..symbol });
            } else {
                (symbols[number].name, symbols[number].order) = (name, order);
            }
        }
    }

    /// The relocations of `.reloc`, by their sections. The first list has the relocations whose offset is a number, and
    /// the second list the relocations whose offset is a label.
    fn requested(&mut self, numbers: &[Option<usize>]) -> HashMap<usize, (Vec<Relocation>, Vec<Relocation>)> {
        let mut requested = HashMap::<usize, (Vec<Relocation>, Vec<Relocation>)>::new();
        for one in std::mem::take(&mut self.relocations) {
            let fault = |why: &str| Flaw::new(one.place, why);
            let offset = self.table.linear(&one.offset, super::expr::TOP).ok().and_then(|sum| self.table.place(&sum));
            let found = match offset {
                Some((section, offset)) if offset >= 0 || section.is_none() => {
                    // LLVM's assembler takes only 32 bits of the number.
                    Ok((section.unwrap_or(one.section), u64::from(offset as u32), section.is_some()))
                }
                _ => Err(fault("the place of a relocation is a number, or a label and a number")),
            };
            let of = one.expr.as_ref().map(|expr| self.table.linear(expr, super::expr::TOP));
            let of = match of {
                None => Ok((Referent::None, 0)),
                Some(Ok(Linear { constant, terms, .. })) => match terms[..] {
                    [] => Ok((Referent::None, constant)),
                    [(id, 1)] => {
                        // `.reloc` names a local symbol itself, and not a place in the symbol's section.
                        let is_named = one.names_hidden || !self.table.get(id).name.starts_with(HIDDEN);
                        let number = Some(id).filter(|_| is_named).and_then(|id| numbers.get(id).copied().flatten());
                        let of = number.map(|number| (Referent::Symbol(number), constant));
                        let of = of.or_else(|| self.of(id, constant, numbers));
                        of.ok_or_else(|| fault("not defined"))
                    }
                    _ => Err(fault("a relocation is of one symbol")),
                },
                Some(Err((why, _))) => Err(fault(&why)),
            };
            match (found, of) {
                (Ok((section, offset, is_at_label)), Ok((of, addend))) => {
                    let relocation = Relocation { offset, kind: one.kind, of, addend, place: one.place };
                    let (at_numbers, at_labels) = requested.entry(section).or_default();
                    (if is_at_label { at_labels } else { at_numbers }).push(relocation);
                }
                (Err(flaw), _) | (_, Err(flaw)) => self.fault(flaw),
            }
        }
        requested
    }

    /// Writes the notes to their section.
    pub fn write_notes(&mut self) {
        let notes = std::mem::take(&mut self.notes);
        if notes.is_empty() {
            return;
        }
        let is_hsa = self.table.target.is_some_and(|target| target.os == Os::Hsa);
        let before = (self.table.section, self.previous);
        self.section(".note", SHT_NOTE, if is_hsa { SHF_ALLOC } else { 0 }, 0);
        let section = self.here_mut();
        section.align = section.align.max(4);
        section.data.resize(section.data.len().next_multiple_of(4), 0);
        section.data.extend(metadata::notes(&notes));
        section.len = section.data.len() as u64;
        (self.table.section, self.previous) = before;
    }

    /// Makes the name of each section a local symbol for its beginning, unless a symbol with this name is defined. In
    /// LLVM, a directive after the section could still make this symbol weak, or hidden.
    fn name_sections(&mut self) {
        for section in 0..self.sections.len() {
            let Some(id) = self.table.find(&self.sections[section].name) else { continue };
            let symbol = self.table.get_mut(id);
            if matches!(symbol.def, Def::Undefined) {
                // Relocations then name the section, and the table of symbols has no symbol of this name.
                (symbol.def, symbol.name) = (Def::Label { section, offset: 0 }, String::new());
                symbol.bind = None;
            }
        }
    }

    fn symbol(&self, id: SymbolId, is_needed: bool) -> Result<Option<Symbol>, Flaw> {
        let symbol = self.table.get(id);
        // The assembler's own symbols are in the object's table only if the source sets them.
        let has_own_name = self.has_addends() && symbol.name.starts_with(OWN) && matches!(symbol.def, Def::Variable(_));
        let is_own = (symbol.is_own || has_own_name) && !symbol.is_set;
        let is_weak = symbol.bind == Some(STB_WEAK) && is_needed && !matches!(symbol.def, Def::Undefined);
        let is_hidden_name = symbol.name.starts_with(HIDDEN) && !is_weak && !self.kept.contains(&id);
        let is_of_group = self.groups.contains_key(&id);
        let is_local_name = symbol.name.is_empty() || is_hidden_name || is_own;
        let (at, value) = match &symbol.def {
            Def::Undefined if is_local_name && (is_needed || is_of_group) => {
                // If an undefined label has no name, the fault is reported for the value that needs the label.
                return match symbol.name.as_str() {
                    "" => Ok(None),
                    name => Err(Flaw::new(symbol.place, format!("{name} is not defined"))),
                };
            }
            Def::Undefined if is_of_group && !is_needed => (DefinedIn::Group(self.groups[&id]), 0),
            Def::Undefined if !is_needed && symbol.order.is_none() => return Ok(None),
            Def::Shared { .. } if !is_needed && symbol.order.is_none() => return Ok(None),
            Def::Variable(_) if symbol.is_weak_name => return Ok(None),
            _ if is_local_name && !is_of_group => return Ok(None),
            Def::Undefined => (DefinedIn::Undefined, 0),
            Def::Label { section, offset } => (DefinedIn::Section(*section), *offset),
            Def::Shared { align } => (DefinedIn::Shared, *align),
            Def::Common { align } => (DefinedIn::Common, *align),
            Def::Variable(expr) => {
                let linear =
                    self.table.linear(expr, super::expr::TOP).map_err(|(why, _)| Flaw::new(symbol.place, why))?;
                match (self.table.fold(&linear), self.table.place(&linear), &linear.terms[..]) {
                    (Ok(value), ..) => (DefinedIn::Absolute, value as u64),
                    (_, Some((Some(section), offset)), _) => (DefinedIn::Section(section), offset as u64),
                    // The symbol is another name of an undefined symbol, which relocations name instead.
                    (.., [(of, 1)]) if matches!(self.table.get(*of).def, Def::Undefined) => return Ok(None),
                    (Err((why, _)), ..) => return Err(Flaw::new(symbol.place, why)),
                }
            }
        };
        let is_weak = self.weak.get(id) == Some(&true);
        let default = if at != DefinedIn::Undefined {
            STB_LOCAL
        } else if is_weak {
            STB_WEAK
        } else {
            STB_GLOBAL
        };
        let bind = symbol.bind.unwrap_or(default);
        let kind = super::symbol::stronger(symbol.kind, self.base(id, at).map_or(0, |base| base.kind));
        // A symbol without a name stands for a section that names a group.
        let kind = if symbol.name.is_empty() { STT_SECTION } else { kind };
        let (name, visibility) = (symbol.name.clone(), symbol.visibility);
        let order = symbol.order.unwrap_or(u32::MAX);
        Ok(Some(Symbol { name, at, value, size: 0, kind, bind, visibility, place: symbol.place, order }))
    }

    /// The symbol from which a symbol takes its size and type, because the symbol is another name of it; `None` if the
    /// symbol is not another name.
    fn base(&self, id: SymbolId, at: DefinedIn) -> Option<&super::table::Symbol> {
        if !matches!((&self.table.get(id).def, at), (Def::Variable(_), DefinedIn::Section(_))) {
            return None;
        }
        let mut base = id;
        // No value depends on itself any more, so each step leads to another symbol, and one step for each symbol is
        // enough.
        for _ in self.table.all() {
            let Def::Variable(expr) = &self.table.get(base).def else { break };
            let [(of, _)] = self.table.linear(expr, super::expr::TOP).ok()?.terms[..] else { return None };
            base = of;
        }
        Some(self.table.get(base))
    }

    /// The first symbol with a size of its own to which a symbol leads, directly or through names without a size.
    fn sized(&self, id: SymbolId) -> Option<&super::table::Symbol> {
        let mut symbol = self.table.get(id);
        for _ in self.table.all() {
            let Def::Variable(Expr::Symbol(of, None)) = symbol.def else { return None };
            symbol = self.table.get(of);
            if symbol.size.is_some() {
                return Some(symbol);
            }
        }
        None
    }

    fn size(&self, id: SymbolId, at: DefinedIn) -> Result<u64, Flaw> {
        let size = self.table.get(id).size.as_ref();
        match size.or_else(|| self.base(id, at).map(|base| self.sized(id).unwrap_or(base))?.size.as_ref()) {
            Some((expr, place)) => self.known(expr, *place).map(|size| size as u64),
            None => Ok(0),
        }
    }

    /// Writes the bytes of a value, or returns the relocation that a linker needs for it.
    fn resolve(
        &mut self,
        fixup: &Fixup,
        section: usize,
        numbers: &[Option<usize>],
    ) -> Result<Option<Relocation>, Flaw> {
        let fault = |why: String| Flaw::new(fixup.place, why);
        let mut linear = self.table.linear(&fixup.expr, super::expr::TOP).map_err(|(why, _)| fault(why))?;
        let place = fixup.offset;
        match fixup.kind {
            FixupKind::Branch(number) => return self.resolve_branch(fixup, number, section, &linear, numbers),
            FixupKind::Distance { from, is_high } => {
                let to =
                    self.place_in(section, &linear).ok_or_else(|| fault("the place is in another section".into()))?;
                let distance = to.wrapping_sub(from);
                let half = if is_high { distance >> 32 } else { distance & 0xffff_ffff };
                return self.store(fixup, section, 4, half as i64).map(|()| None);
            }
            _ => {}
        }
        // The literal of an instruction is the distance from the literal itself, unless its expression is absolute.
        let width = if let FixupKind::Data(width) | FixupKind::Literal(width) = fixup.kind { width } else { 4 };
        let mut from_here = matches!(fixup.kind, FixupKind::Literal(_)) && !fixup.expr.is_absolute();
        if !from_here || linear.terms.is_empty() {
            if let Ok(value) = self.table.fold(&linear) {
                return self.store(fixup, section, width, value).map(|()| None);
            }
        }
        from_here |= self.count_from_here(&mut linear, place, section);
        let [(id, 1)] = linear.terms[..] else {
            let why = self.table.fold(&linear).err().map_or("no linker can compute this".into(), |(why, _)| why);
            return Err(fault(why));
        };
        if let (None, true, Some(offset)) = (linear.variant, from_here, self.offset_in(id, section)) {
            // A symbol that is not local could be replaced by a definition in another object.
            if self.table.get(id).bind.unwrap_or(STB_LOCAL) == STB_LOCAL {
                let value = (offset as i64).wrapping_add(linear.constant).wrapping_sub(place as i64);
                return self.store(fixup, section, width, value).map(|()| None);
            }
        }
        // A literal of 64 bits can hold a half of an address; the relocation does not change the other dword.
        let fits = |kind: &u32| {
            let size = Formula::of(*kind).map_or(0, |formula| formula.size);
            size <= usize::from(width) && !(from_here && *kind == kinds::ABS64)
        };
        let kind = match (linear.variant, width, from_here) {
            (None, 8, false) => kinds::ABS64,
            (None, 8, true) => kinds::REL64,
            (None, 4, true) => kinds::REL32,
            (None, 4, false) => kinds::ABS32,
            (Some(name), ..) => {
                let named = kinds::of_modifier(name).filter(fits);
                named.ok_or_else(|| fault(format!("@{name} does not fit in {width} bytes")))?
            }
            _ => return Err(fault(format!("no relocation has {width} bytes"))),
        };
        let Some((of, addend)) = self.of(id, linear.constant, numbers) else {
            // At the place where the source names the symbol first, the error has already been reported for the symbol
            // itself.
            return if self.table.get(id).place == fixup.place { Ok(None) } else { Err(fault("not defined".into())) };
        };
        // The addend is in the relocation, or else in the bytes of the value.
        let here = if self.has_addends() { 0 } else { addend & (-1i64 as u64 >> (64 - 8 * u32::from(width))) as i64 };
        self.store(fixup, section, width, here)?;
        Ok(Some(Relocation { offset: place, kind, of, addend, place: fixup.place }))
    }

    /// Whether relocations have addends, as only the runtime of HSA expects.
    fn has_addends(&self) -> bool {
        self.table.target.is_none_or(|target| target.os == Os::Hsa)
    }

    /// Turns a difference from a label of a section into a distance from `place` in this section. Returns whether
    /// `linear` is such a difference.
    pub fn count_from_here(&self, linear: &mut Linear, place: u64, section: usize) -> bool {
        let is_here = |(id, times): &(SymbolId, i64)| *times == -1 && self.offset_in(*id, section).is_some();
        let Some(n) = linear.terms.iter().position(is_here) else { return false };
        let (id, _) = linear.terms.remove(n);
        let offset = self.offset_in(id, section).unwrap_or(0);
        linear.constant = linear.constant.wrapping_add((place as i64).wrapping_sub(offset as i64));
        true
    }

    fn offset_in(&self, id: SymbolId, section: usize) -> Option<u64> {
        self.table.location(id).filter(|(there, _)| *there == section).map(|(_, offset)| offset)
    }

    /// The symbol and the addend of a relocation. Local symbols become places in their section.
    fn of(&self, id: SymbolId, addend: i64, numbers: &[Option<usize>]) -> Option<(Referent, i64)> {
        let symbol = self.table.get(id);
        let is_local = symbol.bind.unwrap_or(STB_LOCAL) == STB_LOCAL && !self.keeps_symbol(id, addend);
        match self.table.location(id) {
            Some((section, offset)) if is_local => {
                Some((Referent::Section(section), addend.wrapping_add(offset as i64)))
            }
            _ => Some((Referent::Symbol((*numbers.get(id)?)?), addend)),
        }
    }

    /// The offset in a section of the place that an expression means; `None` if it means no place in this section.
    fn place_in(&self, section: usize, linear: &Linear) -> Option<u64> {
        let [(id, 1)] = linear.terms[..] else { return None };
        Some(self.offset_in(id, section)?.wrapping_add_signed(linear.constant))
    }

    fn resolve_branch(
        &mut self,
        fixup: &Fixup,
        number: u32,
        section: usize,
        linear: &Linear,
        numbers: &[Option<usize>],
    ) -> Result<Option<Relocation>, Flaw> {
        let fault = |why: String| Flaw::new(fixup.place, why);
        if let [(id, 1)] = linear.terms[..] {
            if matches!(self.table.get(id).def, Def::Undefined) {
                return Err(fault("undefined label".into()));
            }
            // A linker resolves branches to other sections and to global symbols.
            if self.offset_in(id, section).is_none() || self.table.get(id).bind.unwrap_or(STB_LOCAL) != STB_LOCAL {
                let (of, addend) = self.of(id, linear.constant, numbers).ok_or_else(|| fault("not defined".into()))?;
                // LLVM's assembler stores -1 here, the distance of a branch to itself.
                self.store(&Fixup { kind: FixupKind::Data(2), ..fixup.clone() }, section, 2, 0xffff)?;
                return Ok(Some(Relocation {
                    offset: fixup.offset,
                    kind: kinds::REL16,
                    of,
                    addend,
                    place: fixup.place,
                }));
            }
        }
        let at = fixup.offset as usize;
        let bytes = self.sections[section].data.get(at..(at + 8).min(self.sections[section].data.len())).unwrap_or(&[]);
        let branch = match self.branch(bytes, fixup.offset, linear, section) {
            Ok(branch) => branch,
            Err(_) if self.place_in(section, linear).is_some_and(|to| to.abs_diff(fixup.offset) % 4 != 0) => {
                return Err(fault("the place to branch to is not a multiple of 4 bytes away".into()));
            }
            Err(why) if self.place_in(section, linear).is_some() => {
                if self.far.is_some() {
                    self.too_far.push(number);
                }
                return Err(fault(why).kind(Kind::TooFar));
            }
            Err(why) => return Err(fault(why)),
        };
        if branch.is_broken_branch() {
            // An `s_nop` does not help if the target is counted from the branch itself.
            if self.padded.contains(&number) {
                return Err(fault(
                    "this processor cannot branch over 63 dwords, and an s_nop does not change that".into(),
                ));
            }
            self.broken.push(number);
        }
        let bytes = super::instruction::bytes(&branch);
        if let Some(there) = self.sections[section].data.get_mut(at..at + bytes.len()) {
            there.copy_from_slice(&bytes);
        }
        Ok(None)
    }

    fn store(&mut self, fixup: &Fixup, section: usize, width: u8, value: i64) -> Result<(), Flaw> {
        if !super::data::fits(value, width.into()) {
            return Err(Flaw::new(fixup.place, format!("{value} does not fit in {width} bytes")));
        }
        let (at, width) = (fixup.offset as usize, usize::from(width));
        if let Some(there) = self.sections[section].data.get_mut(at..at + width) {
            there.copy_from_slice(value.to_le_bytes().get(..width).unwrap_or(&[]));
        }
        Ok(())
    }
}

impl Symbol {
    pub fn is_local(&self) -> bool {
        self.bind == STB_LOCAL
    }

    /// Whether another module's definition could replace the symbol.
    pub fn is_replaceable(&self) -> bool {
        !self.is_local() && (self.at == DefinedIn::Undefined || self.visibility == STV_DEFAULT)
    }
}
