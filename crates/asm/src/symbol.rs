//! Directives of symbols and relocations.

use amdgpu_object::elf::{SHF_ALLOC, SHF_EXCLUDE, SHF_WRITE, SHT_LLVM_CALL_GRAPH_PROFILE, SHT_NOBITS};
use object::elf::{STB_GLOBAL, STB_LOCAL, STB_WEAK, STT_FUNC, STT_OBJECT, STV_HIDDEN, STV_INTERNAL, STV_PROTECTED};

use super::assembler::Assembler;
use super::expr::Expr;
use super::flaw::{Flaw, Result, Span};
use super::scan::Scan;
use super::table::{Def, SymbolId};
use crate::Kind;
use amdgpu_object::relocation_kinds as kinds;

/// The binding `STB_GNU_UNIQUE`.
const UNIQUE: u8 = 10;

/// Types of symbols, each with two names, from the weakest to the strongest.
const TYPES: [(&str, &str, u8); 7] = [
    ("notype", "STT_NOTYPE", 0),
    ("object", "STT_OBJECT", STT_OBJECT),
    ("gnu_unique_object", "STT_OBJECT", STT_OBJECT),
    ("common", "STT_COMMON", STT_OBJECT),
    ("function", "STT_FUNC", STT_FUNC),
    ("gnu_indirect_function", "STT_GNU_IFUNC", 10),
    ("tls_object", "STT_TLS", 6),
];

/// Kinds of relocations by their names in `.reloc`.
const RELOCATIONS: [(&str, u32); 17] = [
    ("R_AMDGPU_NONE", kinds::NONE),
    ("R_AMDGPU_ABS32_LO", kinds::ABS32_LO),
    ("R_AMDGPU_ABS32_HI", kinds::ABS32_HI),
    ("R_AMDGPU_ABS64", kinds::ABS64),
    ("R_AMDGPU_REL32", kinds::REL32),
    ("R_AMDGPU_REL64", kinds::REL64),
    ("R_AMDGPU_ABS32", kinds::ABS32),
    ("R_AMDGPU_GOTPCREL", kinds::GOTPCREL),
    ("R_AMDGPU_GOTPCREL32_LO", kinds::GOTPCREL32_LO),
    ("R_AMDGPU_GOTPCREL32_HI", kinds::GOTPCREL32_HI),
    ("R_AMDGPU_REL32_LO", kinds::REL32_LO),
    ("R_AMDGPU_REL32_HI", kinds::REL32_HI),
    ("R_AMDGPU_RELATIVE64", kinds::RELATIVE64),
    ("R_AMDGPU_REL16", kinds::REL16),
    ("BFD_RELOC_NONE", kinds::NONE),
    ("BFD_RELOC_32", kinds::ABS32),
    ("BFD_RELOC_64", kinds::ABS64),
];

/// A relocation that `.reloc` asks for.
#[derive(Clone, Debug)]
pub struct Asked {
    pub section: usize,
    pub offset: Expr,
    pub kind: u32,
    pub expr: Option<Expr>,
    /// Whether the relocation names hidden symbols themselves, and not their places in sections.
    pub names_hidden: bool,
    pub place: Span,
}

/// Calls of one symbol by another, which `.cg_profile` counts.
#[derive(Clone, Debug)]
pub struct Calls {
    /// The caller and the callee.
    pub symbols: [(SymbolId, Span); 2],
    pub count: u64,
}

/// A name with a version, which `.symver` gives a symbol.
#[derive(Clone, Debug)]
pub struct Version {
    pub of: SymbolId,
    pub name: String,
    /// Whether the symbol keeps its own name, too.
    pub keeps: bool,
    pub place: Span,
}

/// The prefix of names that are not in the table of symbols.
pub const HIDDEN: &str = ".L";

/// The stronger of two types; the second one if they are equally strong.
pub fn stronger(a: u8, b: u8) -> u8 {
    let rank = |kind: u8| TYPES.iter().position(|(.., known)| *known == kind).unwrap_or(TYPES.len());
    if rank(b) >= rank(a) { b } else { a }
}

impl Assembler {
    /// Handles a directive about a symbol. Returns whether `word` is one.
    pub fn of_symbol(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        match word {
            ".globl" | ".global" | ".local" | ".weak" | ".protected" | ".hidden" | ".internal" | ".no_dead_strip"
            | ".memtag" => {
                while !scan.is_done() {
                    let (id, place) = self.symbol_name(scan)?;
                    self.attribute(word, id, place)?;
                    if !scan.eat(",") {
                        break;
                    }
                    if scan.is_done() {
                        return Err(scan.fault("a name expected"));
                    }
                }
            }
            ".type" => self.symbol_type(scan)?,
            ".size" => {
                let (id, _) = self.symbol_name(scan)?;
                scan.expect(",")?;
                scan.blank();
                let from = scan.at;
                let expr = self.expression(scan)?;
                self.table.get_mut(id).size = Some((expr, scan.place(from)));
            }
            ".set" | ".equ" | ".equiv" => {
                scan.blank();
                let from = scan.at;
                let name = scan.name()?;
                let place = scan.place(from);
                if name == "." {
                    return Err(Flaw::new(place, "a name expected").note("`. = PLACE` goes on there"));
                }
                scan.expect(",")?;
                self.assign(&name, place, scan, word != ".equiv")?;
            }
            ".weakref" => {
                let (id, place) = self.symbol_name(scan)?;
                scan.expect(",")?;
                let (of, _) = self.symbol_name(scan)?;
                let symbol = self.table.get(id);
                let is_same = matches!(symbol.def, Def::Variable(Expr::Symbol(other, None)) if other == of);
                if !(symbol.is_weak_name && is_same) {
                    self.not_defined(id, place)?;
                }
                let symbol = self.table.get_mut(id);
                (symbol.def, symbol.is_weak_name) = (Def::Variable(Expr::Symbol(of, None)), true);
            }
            ".symver" => self.version(scan)?,
            ".comm" | ".common" | ".lcomm" => self.common(word, scan)?,
            ".reloc" => self.relocation(scan)?,
            ".cg_profile" => self.calls(scan)?,
            _ => return Ok(false),
        }
        scan.end().map(|()| true)
    }

    pub fn symbol_name(&mut self, scan: &mut Scan<'_>) -> Result<(usize, Span)> {
        scan.blank();
        let from = scan.at;
        let is_here = scan.around(0, 1) == ".";
        let name = scan.name()?;
        let place = scan.place(from);
        if is_here && name == "." {
            return Err(Flaw::new(place, "a name expected"));
        }
        Ok((self.table.id(&name, place), place))
    }

    /// Gives a symbol the binding or visibility that a directive names.
    fn attribute(&mut self, word: &str, id: SymbolId, place: Span) -> Result<()> {
        let is_hidden_name = self.table.get(id).name.starts_with(HIDDEN);
        if is_hidden_name && matches!(word, ".globl" | ".global" | ".no_dead_strip") {
            let message = format!("a name that begins with `{HIDDEN}` stays in its source");
            return Err(Flaw::new(place, message));
        }
        let is_section = self.first_section(&self.table.get(id).name).is_some();
        if is_section && matches!(word, ".globl" | ".global") {
            return Err(Flaw::new(place, format!("`{}` is a section, and local", self.table.get(id).name)));
        }
        self.table.register(id);
        let symbol = self.table.get_mut(id);
        let visible = [(".protected", STV_PROTECTED), (".hidden", STV_HIDDEN), (".internal", STV_INTERNAL)];
        if let Some((_, visibility)) = visible.iter().find(|(name, _)| *name == word) {
            symbol.visibility = *visibility;
            return Ok(());
        }
        let bind = match word {
            ".globl" | ".global" => STB_GLOBAL,
            ".local" => STB_LOCAL,
            ".weak" => STB_WEAK,
            _ => {
                symbol.bind = symbol.bind.or(matches!(symbol.def, Def::Undefined).then_some(STB_GLOBAL));
                return Ok(());
            }
        };
        let before = symbol.bind.replace(bind).filter(|before| *before != bind);
        match before {
            // Any symbol can become weak, but a local one does so with a warning.
            Some(STB_LOCAL) if bind == STB_WEAK => {
                let message = format!("`{}` is .local above, and weak from here on", symbol.name);
                self.warn(place, &message);
                Ok(())
            }
            Some(before) if bind != STB_WEAK => {
                let names = [(STB_LOCAL, ".local"), (STB_GLOBAL, ".globl"), (STB_WEAK, ".weak")];
                let name = names.iter().find(|(of, _)| *of == before).map_or("of another kind", |(_, name)| *name);
                Err(Flaw::new(place, format!("`{}` is {name} above, which {word} would change", symbol.name)))
            }
            _ => Ok(()),
        }
    }

    /// Reads `.type NAME, @function`.
    fn symbol_type(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let (id, _) = self.symbol_name(scan)?;
        scan.eat(",");
        scan.blank();
        let at = scan.at;
        let has_sign = scan.eat("@") || scan.eat("%") || scan.eat("#");
        let is_text = scan.peek() == b'"';
        let word = if is_text { scan.name()? } else { scan.word().to_string() };
        let found = TYPES.iter().position(|(name, long, _)| *name == word || *long == word);
        let kind = match found {
            Some(found) if has_sign || is_text || word.starts_with("STT_") || !word.is_empty() => TYPES[found].2,
            _ => {
                let names: Vec<String> = TYPES.iter().map(|(name, ..)| format!("@{name}")).collect();
                return Err(scan.since(at, "no such type of a symbol").note(format!("known are {}", names.join(", "))));
            }
        };
        self.table.register(id);
        let symbol = self.table.get_mut(id);
        symbol.kind = stronger(symbol.kind, kind);
        if word == "gnu_unique_object" {
            symbol.bind = Some(UNIQUE);
        }
        self.is_gnu |= ["gnu_unique_object", "gnu_indirect_function", "STT_GNU_IFUNC"].contains(&word.as_str());
        Ok(())
    }

    /// Reads `.amdgpu_lds NAME, SIZE, ALIGNMENT`.
    pub fn shared(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let (id, place) = self.symbol_name(scan)?;
        scan.expect(",")?;
        scan.blank();
        let from = scan.at;
        let size = self.number(scan)?;
        let most = self.processor(place)?.target.lds_size().into();
        if !(0..=most).contains(&size) {
            return Err(scan.since(from, format!("a size from 0 to {most} expected")));
        }
        scan.blank();
        let at = scan.at;
        let align = if scan.eat(",") { self.number(scan)? } else { 4 };
        let align = u64::try_from(align).ok().filter(|align| align.is_power_of_two() && *align < 1 << 31);
        let align = align.ok_or_else(|| scan.since(at, "the alignment is not a power of two below 2^31"))?;
        scan.end()?;
        let symbol = self.table.get(id);
        let is_same = matches!(symbol.def, Def::Shared { align: before } if before == align)
            && matches!(symbol.size, Some((Expr::Int(before), _)) if before == size);
        if !is_same {
            self.not_defined(id, place)?;
        }
        let symbol = self.table.get_mut(id);
        (symbol.def, symbol.kind, symbol.place) = (Def::Shared { align }, STT_OBJECT, place);
        symbol.bind = symbol.bind.or(Some(STB_GLOBAL));
        symbol.size = Some((Expr::Int(size), place));
        Ok(())
    }

    /// Reads `.comm NAME, SIZE, ALIGNMENT`, where the alignment is the exponent of a power of two, or `.lcomm NAME,
    /// SIZE`.
    fn common(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<()> {
        let (id, place) = self.symbol_name(scan)?;
        scan.expect(",")?;
        scan.blank();
        let from = scan.at;
        let size = self.number(scan)?;
        let size = u64::try_from(size).map_err(|_| scan.since(from, "the size is negative"))?;
        let mut align = 1;
        if scan.eat(",") {
            scan.blank();
            let from = scan.at;
            if word == ".lcomm" {
                return Err(scan.fault(".lcomm has no alignment on AMD GPUs"));
            }
            let exponent = self.number(scan)?;
            let exponent = u32::try_from(exponent).ok().filter(|exponent| *exponent < 32);
            align = 1 << exponent.ok_or_else(|| scan.since(from, "an exponent from 0 to 31 expected"))?;
        }
        let symbol = self.table.get(id);
        let is_same = matches!(symbol.def, Def::Common { align: before } if before == align)
            && matches!(symbol.size, Some((Expr::Int(before), _)) if before as u64 == size);
        if !is_same {
            self.not_defined(id, place)?;
        }
        let is_local = word == ".lcomm" || symbol.bind == Some(STB_LOCAL);
        self.table.register(id);
        let mut def = Def::Common { align };
        if is_local {
            if align > self.longest {
                let message = format!("a section can be aligned to {} bytes at most", self.longest);
                return Err(Flaw::new(place, message).kind(Kind::Section));
            }
            let (section, previous) = (self.table.section, self.previous);
            self.section(".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0);
            let here = self.here_mut();
            here.align = here.align.max(align);
            here.len = here.len.next_multiple_of(align);
            def = Def::Label { section: self.table.section, offset: self.here().len };
            let room = self.room(size, place);
            if room.is_ok() {
                self.here_mut().len += size;
            }
            (self.table.section, self.previous) = (section, previous);
            room?;
        }
        let symbol = self.table.get_mut(id);
        (symbol.def, symbol.kind, symbol.place) = (def, STT_OBJECT, place);
        symbol.bind = symbol.bind.or(Some(if is_local { STB_LOCAL } else { STB_GLOBAL }));
        symbol.size = Some((Expr::Int(size as i64), place));
        Ok(())
    }

    /// Reads `.symver NAME, NAME@VERSION`.
    fn version(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let (of, _) = self.symbol_name(scan)?;
        scan.expect(",")?;
        scan.blank();
        let from = scan.at;
        let name = scan.name()?;
        let place = scan.place(from);
        if !name.contains('@') {
            return Err(Flaw::new(place, "`@` and a version expected in the name"));
        }
        let keeps = !scan.eat(",");
        if !keeps && scan.word() != "remove" {
            return Err(scan.since(from, "`remove` expected"));
        }
        self.versions.push(Version { of, name, keeps, place });
        Ok(())
    }

    /// Reads `.reloc OFFSET, NAME, EXPRESSION`.
    fn relocation(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let offset = self.expression(scan)?;
        let place = scan.place(from);
        if self.table.linear(&offset, super::expr::TOP).is_ok_and(|sum| sum.terms.len() > 1) {
            return Err(Flaw::new(place, "the place of a relocation is a number, or a label and a number"));
        }
        scan.expect(",")?;
        scan.blank();
        let at = scan.at;
        let name = scan.name()?;
        let kind = RELOCATIONS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        let kind = kind.ok_or_else(|| scan.since(at, "no relocation of AMD GPUs has this name"))?;
        let expr = if scan.eat(",") { Some(self.expression(scan)?) } else { None };
        expr.iter().for_each(|expr| self.table.register_all(expr));
        self.relocations.push(Asked { section: self.table.section, offset, kind, expr, names_hidden: true, place });
        Ok(())
    }

    /// Reads `.cg_profile CALLER, CALLEE, COUNT`.
    fn calls(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let caller = self.symbol_name(scan)?;
        scan.expect(",")?;
        let callee = self.symbol_name(scan)?;
        scan.expect(",")?;
        scan.blank();
        if !scan.peek().is_ascii_digit() {
            return Err(scan.fault("a number expected"));
        }
        let count = self.number(scan)? as u64;
        self.calls.push(Calls { symbols: [caller, callee], count });
        Ok(())
    }

    /// Puts the counts of calls into their section, with a relocation for each symbol.
    pub fn write_calls(&mut self) {
        let calls = std::mem::take(&mut self.calls);
        if calls.is_empty() {
            return;
        }
        let width = 8;
        let section = self.section(".llvm.call-graph-profile", SHT_LLVM_CALL_GRAPH_PROFILE, SHF_EXCLUDE, width);
        for (n, Calls { symbols, count }) in calls.into_iter().enumerate() {
            for (id, place) in symbols {
                let symbol = self.table.get(id);
                if symbol.name.starts_with(".L") && matches!(symbol.def, Def::Undefined) {
                    let message = format!("{} is not defined", symbol.name);
                    self.fault(Flaw::new(place, message));
                    continue;
                }
                self.table.register(id);
                let (offset, expr) = (Expr::Int((n as u64 * width) as i64), Some(Expr::Symbol(id, None)));
                let (kind, names_hidden) = (kinds::NONE, false);
                self.relocations.push(Asked { section, offset, kind, expr, names_hidden, place });
            }
            let here = self.here_mut();
            here.data.extend(count.to_le_bytes());
            here.len = here.data.len() as u64;
        }
    }
}
