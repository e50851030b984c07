//! Instructions, also with symbols whose values are open (not known yet).

use std::cell::RefCell;

use amdgpu_isa::operands::Special;
use amdgpu_isa::signature::{DataType, Signature};
use amdgpu_isa::text::expression::character;
use amdgpu_isa::text::{Integer, ParseError, ParseErrorKind, Suggestion, Symbols, parse_with};
use amdgpu_isa::{Field, Inst, Reg, Target, Value};

use super::assembler::{Assembler, FixupKind};
use super::expr::{Expr, Linear, is_function};
use super::flaw::{Flaw, Result};
use super::scan::{Scan, is_name};
use super::table::{Def, Table};

/// The symbols of the source, for the parser of instructions.
struct Names<'t> {
    table: &'t Table,
    /// Pairs of a name in the text that is parsed, and the name in the source that it replaces.
    spelled: &'t [(String, String)],
    /// Whether open values count as known numbers, as the target of a branch needs.
    is_branch: bool,
    /// The names whose values are open.
    open: RefCell<Vec<String>>,
}

impl Symbols for Names<'_> {
    fn value(&self, name: &str) -> Option<Integer> {
        // The modifier `sext` of a register is not the name of a symbol.
        if name == "sext" {
            return None;
        }
        let spelled = self.spelled.iter().find(|(instead, _)| instead == name);
        let key = spelled.map_or(name, |(_, spelled)| spelled.trim_matches('"'));
        let known = self.table.find(key).and_then(|id| match &self.table.get(id).def {
            Def::Variable(expr) => self.table.value(expr).ok(),
            _ => None,
        });
        if let Some(value) = known {
            return Some(Integer { value, open: false });
        }
        self.open.borrow_mut().push(spelled.map_or(name, |(_, spelled)| spelled).to_string());
        Some(Integer { value: 0, open: !self.is_branch })
    }
}

impl Assembler {
    pub fn instruction(&mut self, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.whole();
        let text = scan.rest().trim_end();
        let target = self.processor(place)?.target;
        let mut spelling = Spelling::of(text);
        let mut parsed =
            self.parse(target, spelling.as_ref().map_or(text, |spelling| &spelling.text), spelling.as_ref());
        if parsed.0.is_err() {
            // The parser takes only numbers in some places, where the text gets the symbols' values.
            let values = Spelling::with_values(spelling.as_ref().map_or(text, |spelling| &spelling.text), &self.table);
            let again = values.map(|values| (self.parse(target, &values, spelling.as_ref()), values));
            if let Some((again, values)) = again.filter(|((again, _), _)| again.is_ok()) {
                parsed = again;
                spelling = spelling.map(|spelling| Spelling { text: values, ..spelling });
            }
        }
        let (parsed, open) = parsed;
        let inst = parsed.map_err(|e| {
            let at = |at: u32| scan.at + spelling.as_ref().map_or(at as usize, |spelling| spelling.place(at as usize));
            let fault = Flaw::new(scan.line.place(at(e.span.start)..at(e.span.end.max(e.span.start))), e.to_string());
            match e.kind {
                ParseErrorKind::Mnemonic if self.flaws.shown.len() < self.suggestions => unknown(fault, target, text),
                ParseErrorKind::Symbol | ParseErrorKind::Name(_) => {
                    let text = spelling.as_ref().map_or(text, |spelling| &spelling.text);
                    let is_shown = self.flaws.shown.len() < self.suggestions;
                    let elsewhere = is_shown.then(|| Suggestion::for_error(target, text, &e).elsewhere).flatten();
                    match (elsewhere, e.kind) {
                        (Some(other), _) => fault.note(format!("{other} has it")),
                        (None, ParseErrorKind::Symbol) => fault.note("no register and no symbol above has this name"),
                        _ => fault,
                    }
                }
                ParseErrorKind::Open if self.flaws.shown.len() < self.suggestions => {
                    let text = spelling.as_ref().map_or(text, |spelling| &spelling.text);
                    self.name_or_open(fault, target, text, e)
                }
                _ => fault,
            }
        })?;
        let inst = self.filler.map_or(inst, |filler| inst.with_filler(filler));
        let bytes = &*bytes(&inst);
        self.count_registers(&inst);
        if open.is_empty() {
            return self.emit(bytes, place);
        }
        let (expr, at, operand) = self.open_operand(scan, &open)?;
        if !names_branch(&inst) && is_register(operand) {
            return Err(Flaw::new(at, format!("{} has no register {operand}", target.processor())));
        }
        let width = if inst.literal64().is_some() { 8 } else { 4 };
        match names_branch(&inst) {
            true if !matches!(expr, Expr::Symbol(..)) => {
                let fault = Flaw::new(at, "a branch goes to a label or a number, not to a sum");
                Err(fault.note("`.set name, label+4` gives a name to a place that has no label"))
            }
            true => self.emit_branch(&inst, bytes, expr, at),
            false if !holds_open(&inst) => Err(Flaw::new(at, "this operand can only be a value that is known here")),
            false => self.emit_fixup(bytes, bytes.len() as u64 - u64::from(width), FixupKind::Literal(width), expr, at),
        }
    }

    /// The error about an open value. Its name may be a value that other targets have or, in parentheses, be similar to
    /// a known name.
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

    /// Parses an instruction. Returns it with the names whose values are open.
    fn parse(
        &self,
        target: Target,
        text: &str,
        spelling: Option<&Spelling>,
    ) -> (std::result::Result<Inst, ParseError>, Vec<String>) {
        let spelled = spelling.map_or(&[][..], |spelling| &spelling.names);
        let mut names = Names { table: &self.table, spelled, is_branch: false, open: RefCell::default() };
        let mut parsed = parse_with(target, text, &names);
        if matches!(parsed, Err(e) if e.kind == ParseErrorKind::Open) {
            names.is_branch = true;
            names.open.take();
            let branch = parse_with(target, text, &names);
            // The instruction may be a branch with wrong text after its target.
            let is_wrong_behind = matches!((branch, parsed), (Err(b), Err(p))
                if b.kind == ParseErrorKind::Unexpected && b.span.start >= p.span.end);
            let is_branch = branch.is_ok_and(|inst| inst.operands().any(|o| matches!(o.value, Value::Label(_))));
            if is_branch || is_wrong_behind {
                parsed = branch;
            }
        }
        (parsed, names.open.take())
    }

    /// The expression of the operand that contains open symbols, its place and its text.
    fn open_operand<'s>(&mut self, scan: &'s Scan<'_>, open: &[String]) -> Result<(Expr, super::flaw::Span, &'s str)> {
        let mut part = scan.clone();
        part.word();
        let mut found: Option<(usize, usize)> = None;
        let text = part.rest();
        let (mut from, mut depth) = (part.at, 0i32);
        let end = part.at + text.len();
        for (n, c) in text.char_indices().chain([(text.len(), ',')]) {
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                ',' if depth <= 0 || part.at + n == end => {
                    let operand = scan.line.text().get(from..part.at + n).unwrap_or("");
                    if let Some(at) = open.iter().find_map(|name| name_at(operand, name)) {
                        from += begins_at(operand, at);
                        // LLVM's assembler does not accept a second open operand, even an equal one.
                        if found.is_some() {
                            let place = scan.line.place(from..part.at + n);
                            return Err(Flaw::new(place, "a second operand whose value is open"));
                        }
                        found = Some((from, part.at + n));
                    }
                    from = part.at + n + 1;
                }
                _ => {}
            }
        }
        let (from, _) = found.unwrap_or((part.at, end));
        part.at = from;
        part.blank();
        let from = part.at;
        let first = part.rest().split(|c: char| !c.is_ascii() || !is_name(c as u8)).next().unwrap_or("");
        let is_open = |name: &str| open.iter().any(|other| other == name);
        let is_unknown = || self.table.find(first).is_none_or(|id| matches!(self.table.get(id).def, Def::Undefined));
        let is_other = first.starts_with(|c: char| !c.is_ascii_digit()) && !is_open(first) && is_unknown();
        let is_call = part.rest().get(first.len()..).is_some_and(|rest| rest.trim_start().starts_with('('));
        let expr = self.expression(&mut part)?;
        // The parser of instructions took these names for values of this operand.
        let read = scan.line.text().get(from..part.at).unwrap_or("");
        if is_other && !is_call || open.iter().any(|name| name_at(read, name).is_none()) {
            return Err(Flaw::new(part.place(from), "a comma is missing before this operand"));
        }
        Ok((expr, part.place(from), read.trim()))
    }

    /// Raises the symbols that count registers to the registers of an instruction.
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

/// Whether the literal can be a value that a linker fills in. LLVM's assembler accepts such values as sources of 32
/// bits that can also be registers, in the longest encodings only as integers, and as sources of 64 bits of scalar
/// operations.
fn holds_open(inst: &Inst) -> bool {
    use DataType::{Bf16, F16, F32, I16};
    let format = inst.format().name();
    let mut forms = inst.opcode().signatures(inst.target()).filter(|form| form.format() == inst.format());
    let types = forms.next();
    inst.operands().filter(|operand| operand.role != Some(Field::Literal)).any(|operand| {
        let same = |form: &Signature| form.operands().find(|other| Some(other.field) == operand.role);
        let ty = types.as_ref().and_then(same).map(|other| other.ty);
        match operand.value {
            Value::Literal(_) if operand.bits != 32 || matches!(ty, Some(F16 | Bf16 | I16)) => false,
            Value::Literal(_) if format.starts_with("VOP3") => format != "VOP3P" && ty != Some(F32),
            Value::Literal(_) => true,
            Value::Literal64 => format.starts_with("SOP"),
            _ => false,
        }
    })
}

fn unknown(fault: Flaw, target: Target, text: &str) -> Flaw {
    let name = target.processor();
    let message = format!("{} on {name}", fault.message);
    match Suggestion::of(target, text) {
        // The target has the operation, but only as the second of two operations in one instruction.
        Suggestion { elsewhere: Some(other), .. } if other.processor() == name => {
            Flaw { message: "this operation can only be the second of two".into(), ..fault }
        }
        Suggestion { elsewhere: Some(other), .. } => Flaw { message, ..fault }.note(format!("{other} has it")),
        Suggestion { nearest: Some(near), .. } => Flaw { message, ..fault }.note(format!("{near} is similar")),
        _ => Flaw { message, ..fault },
    }
}

/// The offset of a name in a text, as a whole word.
fn name_at(text: &str, name: &str) -> Option<usize> {
    let edge = |byte: Option<&u8>| !byte.is_some_and(|c| is_name(*c));
    let mut all = text.match_indices(name).map(|(at, _)| at);
    all.find(|at| {
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        edge(before) && edge(text.as_bytes().get(at + name.len()))
    })
}

/// The offset of the operand that contains the name at `at`, if the operand before it lacks its comma: that of the last
/// word or parenthesis, up to the name, that a blank divides from the end of an operand.
fn begins_at(text: &str, at: usize) -> usize {
    let (mut begin, mut after_operand, mut blank, mut word, mut n) = (0, false, false, "", 0);
    let bytes = text.as_bytes();
    while let Some(&c) = bytes.get(n).filter(|_| n <= at) {
        let is_word = is_name(c) || matches!(c, b'\'' | b'"');
        // A blank can stand between a function and its arguments.
        if (is_word || c == b'(' && !is_function(word)) && after_operand && blank {
            begin = n;
        }
        let len = match bytes.get(n..) {
            Some([quote @ (b'\'' | b'"'), rest @ ..]) => rest.iter().position(|c| c == quote).map_or(1, |len| len + 2),
            Some(rest) if is_word => rest.iter().position(|c| !is_name(*c)).unwrap_or(rest.len()),
            _ => 1,
        };
        let is_blank = matches!(c, b' ' | b'\t');
        word = if is_blank { word } else { text.get(n..n + len).unwrap_or("") };
        after_operand = is_word || matches!(c, b')' | b']') || is_blank && after_operand;
        blank = is_blank;
        n += len;
    }
    begin
}

/// Whether some target has a register of this name, which therefore cannot be the name of a symbol that is an operand.
fn is_register(name: &str) -> bool {
    let is_half = |name: &str| name.ends_with("_lo") || name.ends_with("_hi");
    let is = |special: &Special| {
        let other = special.name();
        // The prefix can be left out, but not for halves.
        let short = other.strip_prefix("src_").filter(|short| !is_half(short));
        other == name || short == Some(name) || !other.starts_with("src_") && other.strip_suffix("_lo") == Some(name)
    };
    Special::ALL.iter().any(is)
}

/// The text of an instruction with replacements for forms that the parser does not know: numeric labels (`1b`) and
/// names in quotes become other names, and characters in quotes become numbers.
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
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            new.places.push((new.text.len(), at));
            // The pattern of lanes in quotes after `swizzle` is not a name.
            let is_pattern = text.get(..at).is_some_and(|before| before.contains("swizzle"));
            let quoted = (rest.starts_with('"') && !is_pattern).then(|| quoted(rest)).flatten();
            let len = rest.bytes().position(|c| !is_name(c)).unwrap_or(rest.len());
            let word = rest.get(..len).unwrap_or("");
            let character = character(rest);
            if let Some(len) = quoted {
                // A modifier such as `@rel32@lo` belongs to the name.
                let behind = rest.get(len..).filter(|behind| behind.starts_with('@')).unwrap_or("");
                let end = behind.bytes().position(|c| !is_name(c)).unwrap_or(behind.len());
                let name = format!("$q{}{}", new.names.len(), behind.get(..end).unwrap_or(""));
                let len = len + end;
                let spelled = rest.get(..len).unwrap_or("");
                new.text += &name;
                new.names.push((name, spelled.to_string()));
                at += len;
            } else if let Some((value, len)) = character {
                new.text += &value.to_string();
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

    /// The text with the values of symbols in place of their names; `None` if it names no symbol with a value.
    fn with_values(text: &str, table: &Table) -> Option<String> {
        let (mut out, mut rest, mut any) = (String::new(), text, false);
        while !rest.is_empty() {
            let len = rest.bytes().position(|c| !is_name(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(len);
            let value = table.find(word).and_then(|id| match &table.get(id).def {
                Def::Variable(Expr::Int(value)) if !out.is_empty() => Some(*value),
                _ => None,
            });
            match value {
                Some(value) => {
                    out += &value.to_string();
                    any = true;
                }
                None => out += word,
            }
            let len = after.bytes().position(is_name).unwrap_or(after.len());
            out += after.get(..len).unwrap_or("");
            rest = after.get(len..).unwrap_or("");
        }
        any.then_some(out)
    }

    /// The offset in the source for an offset in the text.
    fn place(&self, at: usize) -> usize {
        let before = self.places.partition_point(|(new, _)| *new <= at);
        let before = before.checked_sub(1).and_then(|n| self.places.get(n));
        before.map_or(at, |(new, old)| old + at - new)
    }
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
