//! Instructions, also with symbols whose values are open (not known yet).

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::LazyLock;

use amdgpu_isa::operands::{Special, dwarf_register};
use amdgpu_isa::text::expression::character;
use amdgpu_isa::text::{Integer, ParseError, ParseErrorKind, Suggestion, Symbols, parse_with};
use amdgpu_isa::{Inst, Reg, Target, Value};

use super::assembler::{Assembler, FixupKind};
use super::expr::{Expr, Linear};
use super::flaw::{Flaw, Result};
use super::scan::{Scan, is_name};
use super::table::{Def, Table};

/// The symbols of the source, for the parser of instructions.
struct Names<'t> {
    table: &'t Table,
    /// Pairs of a name in the text that is parsed, and the name in the source that it replaces.
    spelled: &'t [(String, String)],
    /// Whether the parser takes open values for known numbers, as it has to for the target of a branch.
    is_branch: bool,
    open: RefCell<Open>,
}

/// The symbols of an instruction: whether it has symbols whose values are open, and where.
#[derive(Default)]
struct Open {
    has_any: bool,
    /// Whether the expression that is being read has a symbol whose value is open.
    is_here: bool,
    /// The length of the last symbol of the expression that is being read.
    last: usize,
    /// The places of expressions that are only a symbol, whether its value is open or not.
    names: Vec<std::ops::Range<usize>>,
    /// The places of the expressions that have symbols whose values are open, for all encodings that were tried.
    places: Vec<std::ops::Range<usize>>,
}

impl Open {
    /// The places of the expressions with open values for the encoding that was tried last, from the last place to the
    /// first.
    fn of_last(&self) -> Vec<std::ops::Range<usize>> {
        let mut last: Vec<std::ops::Range<usize>> = Vec::new();
        for place in self.places.iter().rev() {
            match last.last() {
                Some(after) if place.start > after.start => break,
                Some(after) if place.start == after.start => {}
                _ => last.push(place.clone()),
            }
        }
        last
    }
}

impl Symbols for Names<'_> {
    fn value(&self, name: &str) -> Option<Integer> {
        // The modifier `sext` of a register is not the name of a symbol.
        if name == "sext" {
            return None;
        }
        self.open.borrow_mut().last = name.len();
        let spelled = self.spelled.iter().find(|(instead, _)| instead == name);
        let key = spelled.map_or(name, |(_, spelled)| spelled.trim_matches('"'));
        let known = self.table.find(key).and_then(|id| match &self.table.get(id).def {
            Def::Variable(expr) => self.table.value(expr).ok(),
            _ => None,
        });
        if let Some(value) = known {
            return Some(Integer { value, open: false });
        }
        let mut open = self.open.borrow_mut();
        (open.has_any, open.is_here) = (true, true);
        Some(Integer { value: 0, open: !self.is_branch })
    }

    fn expression(&self, place: amdgpu_isa::text::Span) {
        let place = place.start as usize..place.end as usize;
        let mut open = self.open.borrow_mut();
        if std::mem::take(&mut open.last) == place.len() {
            open.names.push(place.clone());
        }
        if std::mem::take(&mut open.is_here) {
            open.places.push(place);
        }
    }
}

impl Assembler {
    pub fn instruction(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.whole();
        let text = scan.rest().trim_end();
        let processor = self.processor(place)?;
        let target = processor.target;
        let spelling = Spelling::of(text);
        let spelled = spelling.as_ref().map_or(text, |spelling| &spelling.text);
        let (mut parsed, mut open) = self.parse(target, spelled, spelling.as_ref());
        let mut values = None;
        if parsed.is_err() {
            // In some places the parser takes only numbers, so the symbols' values are put into the text there.
            let with_values = Spelling::with_values(spelled, &self.table);
            let again = with_values.map(|values| (self.parse(target, &values.text, spelling.as_ref()), values));
            if let Some((again, with_values)) = again.filter(|((again, _), _)| again.is_ok()) {
                ((parsed, open), values) = (again, Some(with_values));
            }
        }
        // The offset in the line for an offset in the text that was parsed.
        let source = |at: usize| {
            let at = values.as_ref().map_or(at, |values: &Spelling| values.place(at));
            scan.at + spelling.as_ref().map_or(at, |spelling| spelling.place(at))
        };
        let inst = parsed.map_err(|e| {
            let (start, end) = (e.span.start as usize, e.span.end.max(e.span.start) as usize);
            let fault = Flaw::new(scan.line.place(source(start)..source(end)), e.to_string());
            match e.kind {
                ParseErrorKind::Mnemonic if self.flaws.shown.len() < self.suggestions => unknown(fault, target, text),
                ParseErrorKind::Symbol | ParseErrorKind::Name(_) => {
                    let is_shown = self.flaws.shown.len() < self.suggestions;
                    let elsewhere = is_shown.then(|| Suggestion::for_error(target, spelled, &e).elsewhere).flatten();
                    match (elsewhere, e.kind) {
                        (Some(other), _) => fault.note(format!("{other} has it")),
                        (None, ParseErrorKind::Symbol) => fault.note("no register and no symbol above has this name"),
                        _ => fault,
                    }
                }
                ParseErrorKind::Open if self.flaws.shown.len() < self.suggestions => {
                    self.name_or_open(fault, target, spelled, e)
                }
                _ if self.flaws.shown.len() < self.suggestions => {
                    match Suggestion::for_error(target, spelled, &e).encodings {
                        encodings if encodings.is_empty() => fault,
                        encodings => fault.note(format!("possible with{encodings}")),
                    }
                }
                _ => fault,
            }
        })?;
        let no_register = |place: &std::ops::Range<usize>| {
            let (name, place) = (spelled.get(place.clone())?, source(place.start)..source(place.end));
            let message = format!("{} has no register {name}", target.processor());
            is_register(target, name).then(|| Flaw::new(scan.line.place(place), message))
        };
        if let Some(fault) = open.names.iter().find_map(no_register) {
            return Err(fault);
        }
        let inst = inst.with_filler(self.filler.unwrap_or(processor.processor.filler()));
        let bytes = &*bytes(&inst);
        self.count_registers(&inst);
        if !open.has_any {
            return self.emit(bytes, place);
        }
        let places = open.of_last().into_iter().map(|place| source(place.start)..source(place.end)).collect::<Vec<_>>();
        let (expr, at, operand) = self.open_operand(scan, &places)?;
        let width = if inst.literal64().is_some() { 8 } else { 4 };
        match names_branch(&inst) {
            true if operand.trim_start_matches(['(', ' ', '\t']).starts_with('+') => {
                Err(Flaw::new(at, "a branch goes to a label or a number, without a sign"))
            }
            true if !matches!(expr, Expr::Symbol(..)) => {
                let fault = Flaw::new(at, "a branch goes to a label or a number, not to a sum");
                Err(fault.note("`.set name, label+4` gives a name to a place that has no label"))
            }
            true => self.emit_branch(&inst, bytes, expr, at),
            false if !inst.takes_symbol() => Err(Flaw::new(at, "this operand can only be a value that is known here")),
            false => self.emit_fixup(bytes, bytes.len() as u64 - u64::from(width), FixupKind::Literal(width), expr, at),
        }
    }

    /// The error about an open value. If the name is one that only other targets have, or a name in parentheses that is
    /// similar to a known one, the error is an unknown name with a suggestion.
    fn name_or_open(&self, fault: Flaw, target: Target, text: &str, error: ParseError) -> Flaw {
        let (start, end) = (error.span.start as usize, error.span.end as usize);
        let name = text.get(start..end).unwrap_or("");
        let is_symbol = self.table.find(name).is_some_and(|id| !matches!(self.table.get(id).def, Def::Undefined));
        if is_symbol {
            return fault;
        }
        let is_argument = text.get(..start).is_some_and(|before| before.trim_end().ends_with('('));
        let suggestion = Suggestion::for_error(target, text, &ParseError { kind: ParseErrorKind::Symbol, ..error });
        let message = "unknown name".to_string();
        match suggestion {
            Suggestion { elsewhere: Some(other), .. } => Flaw { message, ..fault }.note(format!("{other} has it")),
            Suggestion { nearest: Some(near), .. } if is_argument => {
                Flaw { message, ..fault }.note(format!("{near} is similar"))
            }
            _ => fault,
        }
    }

    /// Parses an instruction. Returns it with its symbols whose values are open.
    fn parse(
        &self,
        target: Target,
        text: &str,
        spelling: Option<&Spelling>,
    ) -> (std::result::Result<Inst, ParseError>, Open) {
        let spelled = spelling.map_or(&[][..], |spelling| &spelling.names);
        let mut names = Names { table: &self.table, spelled, is_branch: false, open: RefCell::default() };
        let mut parsed = parse_with(target, text, &names);
        if matches!(parsed, Err(e) if e.kind == ParseErrorKind::Open) {
            names.is_branch = true;
            names.open.take();
            let branch = parse_with(target, text, &names);
            // The instruction may be a branch with wrong text after its target.
            let is_wrong_after = matches!((branch, parsed), (Err(b), Err(p))
                if b.kind == ParseErrorKind::Unexpected && b.span.start >= p.span.end);
            let is_branch = branch.is_ok_and(|inst| inst.operands().any(|o| matches!(o.value, Value::Label(_))));
            if is_branch || is_wrong_after {
                parsed = branch;
            }
        }
        (parsed, names.open.take())
    }

    /// The expression, the place and the text of the operand that contains open symbols. `places` are the places of all
    /// such operands, from the last one to the first.
    fn open_operand<'s>(
        &mut self,
        scan: &'s Scan<'_>,
        places: &[std::ops::Range<usize>],
    ) -> Result<(Expr, super::flaw::Span, &'s str)> {
        // LLVM's assembler does not accept a second open operand, even an equal one.
        let from = match places {
            [place] => place.start,
            [.., second, _] => {
                return Err(Flaw::new(scan.line.place(second.clone()), "a second operand whose value is open"));
            }
            [] => return Err(Flaw::new(scan.line.whole(), "this operand can only be a value that is known here")),
        };
        let mut part = scan.clone();
        part.at = from;
        let expr = self.expression(&mut part)?;
        let read = scan.line.text().get(from..part.at).unwrap_or("");
        Ok((expr, part.place(from), read.trim()))
    }

    /// Raises the symbols that count registers to the numbers of registers that an instruction needs.
    pub fn count_registers(&mut self, inst: &Inst) {
        if !self.table.counts_registers {
            return;
        }
        let registers = registers(inst);
        for (id, used) in self.table.counts().into_iter().zip([registers.0, registers.1]) {
            let symbol = self.table.get_mut(id);
            if let Def::Variable(Expr::Int(value)) = &mut symbol.def {
                *value = (*value).max(used.into());
            }
        }
    }

    /// The branch at `from` with the target that `linear` means, which must be in the same section.
    pub fn branch(
        &self,
        bytes: &[u8],
        from: u64,
        linear: &Linear,
        section: usize,
    ) -> std::result::Result<Inst, String> {
        let target = self.table.target.ok_or("no processor")?.target;
        let inst = amdgpu_isa::decode(target, bytes).map_err(|e| e.to_string())?;
        let to = match linear.terms[..] {
            [(id, 1)] => match self.table.location(id) {
                Some((there, offset)) if there == section => offset.wrapping_add_signed(linear.constant),
                _ => return Err("the place is in another section".into()),
            },
            _ => return Err("a label expected".into()),
        };
        inst.with_branch_target(from, to).map_err(|e| e.to_string())
    }
}

/// The bytes of an instruction.
pub fn bytes(inst: &Inst) -> Vec<u8> {
    let mut bytes = vec![0; inst.len()];
    // The buffer is long enough.
    let _ = inst.encode(&mut bytes);
    bytes
}

/// The numbers of vector and scalar registers up to the last one that operands name. As in LLVM's assembler,
/// accumulation registers do not count.
fn registers(inst: &Inst) -> (u16, u16) {
    let (mut vector, mut scalar) = (0, 0);
    for operand in inst.operands() {
        let dwords = operand.bits.div_ceil(32);
        match operand.value {
            Value::Reg(Reg::Vgpr(n)) => vector = vector.max(n + dwords),
            Value::Reg(Reg::Sgpr(n)) => scalar = scalar.max(u16::from(n) + dwords),
            _ => {}
        }
    }
    (vector, scalar)
}

/// Whether the instruction has a branch target.
fn names_branch(inst: &Inst) -> bool {
    inst.operands().any(|operand| matches!(operand.value, Value::Label(_)))
}

fn unknown(fault: Flaw, target: Target, text: &str) -> Flaw {
    let name = target.processor();
    let message = format!("{} on {name}", fault.message);
    match Suggestion::of(target, text) {
        Suggestion { elsewhere: Some(other), .. } => Flaw { message, ..fault }.note(format!("{other} has it")),
        Suggestion { nearest: Some(near), .. } => Flaw { message, ..fault }.note(format!("{near} is similar")),
        _ => Flaw { message, ..fault },
    }
}

/// Whether some target has a register of this name. If so, an operand with this name is not a symbol.
fn is_register(target: Target, name: &str) -> bool {
    static NAMES: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let names = |special: &Special| {
            let name = special.name();
            // The prefix `src_` can be left out, except for halves.
            let short = name.strip_prefix("src_").filter(|short| !short.ends_with("_lo") && !short.ends_with("_hi"));
            let pair = name.strip_suffix("_lo").filter(|_| !name.starts_with("src_"));
            [Some(name), short, pair].into_iter().flatten().map(str::to_string).collect::<Vec<_>>()
        };
        Special::ALL.iter().flat_map(names).collect()
    });
    NAMES.contains(name) || dwarf_register(target, name).is_some()
}

/// The text of an instruction with replacements for forms that the parser does not know: numeric labels (`1b`) and
/// names in quotes become other names, characters in quotes become numbers, and the part of an address follows its
/// symbol (`sym+4@rel32@lo`).
struct Spelling {
    text: String,
    /// The new names, each with the text in the source.
    names: Vec<(String, String)>,
    /// Pairs of an offset in the text and the offset in the source.
    places: Vec<(usize, usize)>,
}

impl Spelling {
    /// The text with replacements; `None` if it needs none.
    fn of(text: &str) -> Option<Spelling> {
        let is_number = |word: &str| {
            let digits = word.strip_suffix(['b', 'f']).unwrap_or("");
            !digits.is_empty() && digits.bytes().all(|c| c.is_ascii_digit())
        };
        let mut new = Spelling { text: String::new(), names: Vec::new(), places: Vec::new() };
        let (mut at, mut any) = (0, false);
        let swizzle = text.find("swizzle");
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            new.places.push((new.text.len(), at));
            // The pattern of lanes in quotes after `swizzle` is not a name.
            let is_pattern = swizzle.is_some_and(|swizzle| swizzle < at);
            let quoted = (rest.starts_with('"') && !is_pattern).then(|| quoted(rest)).flatten();
            let len = rest.bytes().position(|c| !is_name(c)).unwrap_or(rest.len());
            let word = rest.get(..len).unwrap_or("");
            let character = character(rest);
            if let Some(len) = quoted {
                let name = format!("$q{}", new.names.len());
                let spelled = rest.get(..len).unwrap_or("");
                new.text += &name;
                new.names.push((name, spelled.to_string()));
                at += len;
            } else if let Some((value, len)) = character {
                new.text += &value.to_string();
                at += len;
            } else if let Some((before, part)) = word.split_once('@').filter(|_| !rest.starts_with(is_letter)) {
                // `+4@rel32@lo` and `(sym+4)@rel32@lo`
                new.text += before;
                let part = format!("@{part}");
                if !new.insert_after_symbol(&part) {
                    new.text += &part;
                }
                at += len;
            } else if is_number(word) {
                let name = format!("${word}");
                new.text += &name;
                new.names.push((name, word.to_string()));
                at += len;
            } else {
                let len = if len == 0 { rest.chars().next().map_or(1, char::len_utf8) } else { len };
                new.text += rest.get(..len).unwrap_or("");
                at += len;
                continue;
            }
            any = true;
        }
        new.places.push((new.text.len(), at));
        any.then_some(new)
    }

    /// Inserts the part of an address after the only symbol of the last operand; returns `false` if the operand has no
    /// symbol or several.
    fn insert_after_symbol(&mut self, part: &str) -> bool {
        let start = self.text.rfind(',').or_else(|| self.text.find(char::is_whitespace)).unwrap_or(0);
        let (mut end, mut symbols) = (start, 0);
        let mut at = start;
        for word in self.text.get(start..).unwrap_or("").split_inclusive(|c: char| !u8::try_from(c).is_ok_and(is_name))
        {
            let name = word.trim_end_matches(|c: char| !u8::try_from(c).is_ok_and(is_name));
            if name.starts_with(is_letter) {
                (end, symbols) = (at + name.len(), symbols + 1);
            }
            at += word.len();
        }
        if symbols != 1 {
            return false;
        }
        self.text.insert_str(end, part);
        for (new, _) in self.places.iter_mut().filter(|(new, _)| *new >= end) {
            *new += part.len();
        }
        true
    }

    /// The text with the values of symbols in place of their names; `None` if it names no symbol with a value.
    fn with_values(text: &str, table: &Table) -> Option<Spelling> {
        let mut new = Spelling { text: String::new(), names: Vec::new(), places: Vec::new() };
        let (mut rest, mut any) = (text, false);
        while !rest.is_empty() {
            let len = rest.bytes().position(|c| !is_name(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(len);
            let value = table.find(word).and_then(|id| match &table.get(id).def {
                Def::Variable(Expr::Int(value)) if !new.text.is_empty() => Some(*value),
                _ => None,
            });
            new.places.push((new.text.len(), text.len() - rest.len()));
            match value {
                Some(value) => {
                    new.text += &value.to_string();
                    any = true;
                }
                None => new.text += word,
            }
            new.places.push((new.text.len(), text.len() - after.len()));
            let len = after.bytes().position(is_name).unwrap_or(after.len());
            new.text += after.get(..len).unwrap_or("");
            rest = after.get(len..).unwrap_or("");
        }
        any.then_some(new)
    }

    /// The offset in the source for an offset in the text.
    fn place(&self, at: usize) -> usize {
        let before = self.places.partition_point(|(new, _)| *new <= at);
        let before = before.checked_sub(1).and_then(|n| self.places.get(n));
        before.map_or(at, |(new, old)| old + at - new)
    }
}

/// Whether a word that begins with this character is a name.
fn is_letter(c: char) -> bool {
    c.is_ascii_alphabetic() || matches!(c, '_' | '.' | '$')
}

/// The length of the name in quotes at the beginning of a text.
fn quoted(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '"' if !escaped => return Some(at + 1),
            _ => escaped = c == '\\' && !escaped,
        }
    }
    None
}
