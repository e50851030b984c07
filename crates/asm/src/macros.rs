//! Macros, repetitions, conditions and included files.

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::rc::Rc;

use super::arguments::{Argument, Arguments, Body, argument};
use super::assembler::{Assembler, Condition};
use super::encoding::source_text;
use super::flaw::{Flaw, Result, Span};
use super::scan::Scan;
use super::source::Line;

pub struct Macro {
    parameters: Parameters,
    body: Line,
    /// The number of calls of the macro so far.
    calls: Cell<usize>,
}

/// The parameters of a macro, and their positions by name.
#[derive(Default)]
struct Parameters {
    all: Vec<Parameter>,
    numbers: HashMap<String, usize>,
}

struct Parameter {
    name: String,
    default: Option<String>,
    required: bool,
    /// Whether the parameter takes the rest of the line.
    rest: bool,
}

/// The directives that begin a condition.
pub const CONDITIONS: [&str; 16] = [
    ".if",
    ".ifne",
    ".ifeq",
    ".ifge",
    ".ifgt",
    ".ifle",
    ".iflt",
    ".ifdef",
    ".ifndef",
    ".ifnotdef",
    ".ifb",
    ".ifnb",
    ".ifc",
    ".ifnc",
    ".ifeqs",
    ".ifnes",
];

/// The greatest length of an included file in bytes.
const LONGEST_FILE: u64 = 1 << 30;

/// Reads the name of a file.
fn file_name(place: Span, scan: &mut Scan<'_>) -> Result<String> {
    String::from_utf8(scan.string()?).map_err(|_| Flaw::new(place, "the name is not UTF-8"))
}

impl Assembler {
    /// Handles a line among skipped lines, in which only directives about conditions have an effect.
    pub fn skipped(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.whole();
        match word {
            ".else" | ".elseif" | ".endif" => self.condition(word, scan).map(|_| ()),
            _ if word.starts_with(".if") => {
                self.conditions.push((Condition::Done, place));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Handles a directive about conditions. Returns whether `word` is one.
    pub fn condition(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        let holds = match word {
            ".else" | ".elseif" => {
                let Some((condition, from)) = self.conditions.pop() else {
                    return Err(Flaw::new(place, format!("{word} without an .if above")));
                };
                // An error in the directive, such as a value that cannot be computed, leaves the condition as it was.
                self.conditions.push((condition, from));
                let new = match (condition, word) {
                    (Condition::Else | Condition::Closed, _) => {
                        return Err(Flaw::new(place, format!("{word} after the .else of the same .if")));
                    }
                    (Condition::Open | Condition::Failed, ".else") => Condition::Else,
                    (_, ".else") => Condition::Closed,
                    (Condition::Open | Condition::Failed, _) if self.number(scan)? != 0 => Condition::Taken,
                    (Condition::Open | Condition::Failed, _) => Condition::Open,
                    _ => Condition::Done,
                };
                if matches!(condition, Condition::Open | Condition::Failed) || word == ".else" {
                    scan.end()?;
                }
                self.conditions.pop();
                self.conditions.push((new, from));
                return Ok(true);
            }
            ".endif" => {
                scan.end()?;
                return match self.conditions.pop() {
                    Some(_) => Ok(true),
                    None => Err(Flaw::new(place, ".endif without an .if above")),
                };
            }
            _ if !CONDITIONS.contains(&word) => return Ok(false),
            _ => {
                // If the value cannot be computed, the lines after the directive are read. As in LLVM's assembler, the
                // lines after a later `.elseif` or `.else` are read, too, unless an outer condition holds.
                let is_inner = self.conditions.last().is_some_and(|(outer, _)| *outer == Condition::Taken);
                self.conditions.push((if is_inner { Condition::Taken } else { Condition::Failed }, place));
                let holds = self.holds(word, place, scan)?;
                scan.end()?;
                self.conditions.pop();
                holds
            }
        };
        self.conditions.push((if holds { Condition::Taken } else { Condition::Open }, place));
        Ok(true)
    }

    /// Whether the lines after a condition are read.
    fn holds(&mut self, word: &str, place: Span, scan: &mut Scan<'_>) -> Result<bool> {
        Ok(match word {
            ".ifdef" | ".ifndef" | ".ifnotdef" => {
                let name = scan.name()?;
                if name.starts_with(super::table::OWN) {
                    self.table.id(&name, place);
                }
                let found = self.table.find(&name).map(|id| &self.table.get(id).def);
                let is_defined = found.is_some_and(|def| !matches!(def, super::table::Def::Undefined));
                is_defined == (word == ".ifdef")
            }
            ".ifb" | ".ifnb" => {
                let is_blank = scan.is_done();
                scan.at = scan.line.range.len();
                is_blank == (word == ".ifb")
            }
            ".ifc" | ".ifnc" => {
                let text = scan.rest();
                scan.at = scan.line.range.len();
                let (a, b) = text.split_once(',').ok_or_else(|| Flaw::new(place, "two texts with a comma expected"))?;
                (a.trim() == b.trim()) == (word == ".ifc")
            }
            ".ifeqs" | ".ifnes" => {
                let a = scan.string()?;
                scan.expect(",")?;
                (a == scan.string()?) == (word == ".ifeqs")
            }
            ".if" | ".ifne" => self.number(scan)? != 0,
            ".ifeq" => self.number(scan)? == 0,
            ".ifge" => self.number(scan)? >= 0,
            ".ifgt" => self.number(scan)? > 0,
            ".ifle" => self.number(scan)? <= 0,
            _ => self.number(scan)? < 0,
        })
    }

    /// Handles a directive that begins or ends a block, or reads a file. Returns whether `word` is one.
    pub fn block(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        match word {
            ".macro" => self.define_macro(place, scan)?,
            // In a repetition, LLVM's assembler takes `.endm` for the end of the repetition.
            ".endm" | ".endmacro" => {
                _ = self.source.exit_macro().ok_or_else(|| Flaw::new(place, "there is no .macro above"))?;
            }
            ".exitm" => {
                let open = self.source.exit_macro().ok_or_else(|| Flaw::new(place, "this is in no macro"))?;
                self.conditions.truncate(open);
            }
            ".purgem" => {
                let name = scan.name()?;
                self.macros.remove(&name).ok_or_else(|| Flaw::new(place, format!("there is no macro {name}")))?;
            }
            ".rept" | ".rep" => self.repeat(place, scan)?,
            ".irp" | ".irpc" => self.repeat_for_values(word == ".irpc", place, scan)?,
            // In a macro, LLVM's assembler takes `.endr` for the end of the macro.
            ".endr" => _ = self.source.exit_macro().ok_or_else(|| Flaw::new(place, "there is no .rept above"))?,
            ".include" => {
                let name = file_name(place, scan)?;
                let text = self.find(&name).map_err(|why| Flaw::new(place, why))?;
                self.source.push(name, &text, Some(place), false, self.conditions.len())?;
                self.look_for_counts();
            }
            ".incbin" => self.include_bytes(place, scan)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads `.macro NAME PARAMETERS...` and the body of the macro.
    fn define_macro(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        let (name, parameters) = self.macro_head(scan)?;
        let body = self.source.block(&[".macro"], &[".endm", ".endmacro"]);
        let body = body.ok_or_else(|| Flaw::new(place, "no .endm follows"))?;
        self.check_end()?;
        if self.macros.contains_key(&name) {
            let flaw = Flaw::new(place, format!("there is a macro {name} already"));
            return Err(flaw.note("`.purgem` takes it away"));
        }
        self.macros.insert(name, Rc::new(Macro { parameters, body, calls: Cell::new(0) }));
        Ok(())
    }

    /// Reads `.rept COUNT` and the lines to repeat, and continues with the repetitions.
    fn repeat(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        let count = self.number(scan)?;
        let count = usize::try_from(count).map_err(|_| Flaw::new(place, "the number is negative"))?;
        scan.end()?;
        let body = self.repeated(place)?;
        let text = body.text();
        if text.len().saturating_mul(count) > self.source.most {
            return Err(self.source.too_long(place));
        }
        let text = match text.contains('\\') {
            false => text.repeat(count),
            true => {
                let round = |count| Body { count, number: None, ..self.body(text) }.substitute(|_| None);
                (0..count).map(round).collect()
            }
        };
        self.source.push("a repetition".into(), &text, Some(place), true, self.conditions.len())
    }

    /// Reads `.irp NAME, VALUES...` and the lines to repeat, and continues with the repetitions, one for each value.
    /// With `by_character`, the directive is `.irpc`, in which each character of a single text is a value.
    fn repeat_for_values(&mut self, by_character: bool, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        let name = scan.name()?;
        scan.expect(",")?;
        let start = scan.at;
        let (mut arguments, mut values) = (Arguments::new(scan.rest()), Vec::new());
        while !arguments.is_done() {
            values.push(self.argument(&mut arguments, scan, start)?);
            arguments.separator();
        }
        if by_character {
            if values.len() != 1 || values.iter().any(|value| value.tokens != 1) {
                let message = "one word or text without operators expected, whose characters become values";
                return Err(Flaw::new(place, message));
            }
            let value = values.pop().unwrap_or_default();
            let text = value.written.unwrap_or(value.text);
            values = text.chars().map(|c| Argument { text: c.into(), ..Argument::default() }).collect();
        }
        let body = self.repeated(place)?;
        let mut text = String::new();
        for (count, value) in values.iter().enumerate() {
            let body = Body { count, ..self.body(body.text()) };
            text += &body.substitute(|word| (word == name).then_some(value.text.as_str()));
            if text.len() > self.source.most {
                return Err(self.source.too_long(place));
            }
        }
        self.source.push("a repetition".into(), &text, Some(place), true, self.conditions.len())
    }

    /// Reads `.incbin "FILE", SKIP, COUNT`, and emits the bytes of the file.
    fn include_bytes(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        let bytes = self.read(&file_name(place, scan)?).map_err(|why| Flaw::new(place, why))?;
        let is_skipped = scan.eat(",") && !scan.rest().trim_start().starts_with(',');
        let skip = if is_skipped { self.number(scan)? } else { 0 };
        let count = if scan.eat(",") { self.number(scan)? } else { i64::MAX };
        scan.end()?;
        let skip = usize::try_from(skip).map_err(|_| Flaw::new(place, "the number is negative"))?;
        let part = bytes.get(skip..).unwrap_or(&[]);
        match usize::try_from(count) {
            Ok(count) => self.emit(part.get(..count).unwrap_or(part), place)?,
            Err(_) => self.warn(place, "a number of bytes below 0 has no effect"),
        }
        Ok(())
    }

    /// Reads the lines of a repetition that begins at a place.
    fn repeated(&mut self, place: Span) -> Result<Line> {
        let body = self.source.block(&[".rept", ".rep", ".irp", ".irpc"], &[".endr"]);
        let body = body.ok_or_else(|| Flaw::new(place, "no .endr follows"))?;
        self.check_end()?;
        Ok(body)
    }

    /// Fails if text follows the end of the last block in its line.
    pub fn check_end(&mut self) -> Result<()> {
        let place = self.source.after_end.take();
        place.map_or(Ok(()), |place| Err(Flaw::new(place, "the end of the line expected")))
    }

    fn read(&self, name: &str) -> std::result::Result<Vec<u8>, String> {
        if self.source.is_alone {
            return Err(format!("cannot read {name:?}: this source may not include files"));
        }
        let here = std::iter::once(PathBuf::new());
        let mut why = String::new();
        for directory in here.chain(self.source.include.iter().cloned()) {
            match File::open(directory.join(name)) {
                Ok(file) => {
                    let mut bytes = Vec::new();
                    // A file that is a device can be endless.
                    let read = file.take(LONGEST_FILE + 1).read_to_end(&mut bytes);
                    read.map_err(|e| format!("cannot read {name:?}: {e}"))?;
                    return match bytes.len() as u64 > LONGEST_FILE {
                        true => Err(format!("{name:?} is longer than {LONGEST_FILE} bytes")),
                        false => Ok(bytes),
                    };
                }
                Err(e) if why.is_empty() => why = e.to_string(),
                Err(_) => {}
            }
        }
        Err(format!("cannot read {name:?}: {why}"))
    }

    fn find(&self, name: &str) -> std::result::Result<String, String> {
        Ok(source_text(&self.read(name)?).into_owned())
    }

    fn macro_head(&mut self, scan: &mut Scan<'_>) -> Result<(String, Parameters)> {
        let name = scan.name()?;
        scan.eat(",");
        let mut parameters = Parameters::default();
        while !scan.is_done() {
            let start = scan.at;
            let mut parameter = Parameter { name: scan.name()?, default: None, required: false, rest: false };
            let is_after_rest = parameters.all.last().is_some_and(|last| last.rest);
            let number = parameters.all.len();
            if is_after_rest || parameters.numbers.insert(parameter.name.clone(), number).is_some() {
                return Err(scan.since(start, "no such parameter can follow"));
            }
            if scan.eat(":") {
                match scan.word() {
                    "req" => parameter.required = true,
                    "vararg" => parameter.rest = true,
                    _ => return Err(scan.since(start, "`req` or `vararg` expected after the colon")),
                }
            }
            if scan.eat("=") {
                scan.blank();
                let read = argument(scan.rest());
                let (len, value) =
                    read.map_err(|(at, why)| Flaw::new(scan.line.place(scan.at + at..scan.at + at), why))?;
                scan.at += len;
                parameter.default = Some(value.text);
            }
            parameters.all.push(parameter);
            scan.eat(",");
        }
        Ok((name, parameters))
    }

    /// Continues with the expansion of a macro.
    pub fn expand(&mut self, name: &str, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.whole();
        let Some(expanded) = self.macros.get(name).cloned() else { return Ok(()) };
        let Macro { parameters: Parameters { all: parameters, numbers }, body, .. } = &*expanded;
        let start = scan.at;
        let at = |at: usize| scan.line.place(start + at..start + at);
        let mut values: Vec<Option<String>> = vec![None; parameters.len()];
        let (mut arguments, mut is_named, mut n) = (Arguments::new(scan.rest()), false, 0);
        while !arguments.is_done() {
            let from = arguments.at;
            let parameter = match arguments.name() {
                Some(key) => {
                    is_named = true;
                    let number = numbers.get(&key).copied();
                    number.ok_or_else(|| Flaw::new(at(from), format!("the macro {name} has no parameter {key}")))?
                }
                None if is_named => {
                    return Err(Flaw::new(at(from), "an argument without a name cannot follow one with a name"));
                }
                None => n,
            };
            let Some(there) = parameters.get(parameter) else {
                return Err(Flaw::new(at(from), format!("{name} takes {} arguments", parameters.len())));
            };
            let text = if there.rest && parameter == n {
                let text = arguments.rest().trim_end().to_string();
                arguments.at = arguments.text.len();
                text
            } else {
                self.argument(&mut arguments, scan, start)?.text
            };
            if !text.is_empty() {
                values[parameter] = Some(text);
            }
            n += 1;
            let end = arguments.at;
            if arguments.separator() && n == parameters.len() {
                return Err(Flaw::new(at(end), format!("{name} takes {n} arguments, and more than these are here")));
            }
        }
        for (parameter, value) in parameters.iter().zip(&mut values) {
            if value.is_none() && parameter.required {
                return Err(Flaw::new(place, format!("the argument {} of {name} is missing", parameter.name)));
            }
            *value = value.take().or(parameter.default.clone());
        }
        let value = |word: &str| Some(values.get(*numbers.get(word)?)?.as_deref().unwrap_or(""));
        let text = Body { count: expanded.calls.get(), ..self.body(body.text()) }.substitute(value);
        expanded.calls.set(expanded.calls.get() + 1);
        self.expansions += 1;
        self.source.push(format!("the macro {name}"), &text, Some(place), true, self.conditions.len())
    }

    /// Reads the next of the arguments, which begin at `start`. With `.altmacro`, it can also be `%` and a value, or a
    /// text between `<` and `>`.
    fn argument(&mut self, arguments: &mut Arguments<'_>, scan: &Scan<'_>, start: usize) -> Result<Argument> {
        let from = arguments.at;
        let written =
            |from: usize, arguments: &Arguments<'_>| arguments.text.get(from..arguments.at).map(str::to_string);
        if self.is_alternate && arguments.rest().starts_with('%') {
            let mut part = scan.clone();
            part.at = start + from + 1;
            let text = self.number(&mut part)?.to_string();
            arguments.at = part.at - start;
            return Ok(Argument { text, written: written(from, arguments), tokens: 1, at: from, name: None });
        }
        if let Some(text) = self.is_alternate.then(|| arguments.bracketed()).flatten() {
            let written = written(from + 1, arguments).and_then(|text| Some(text.strip_suffix('>')?.to_string()));
            return Ok(Argument { text, written, tokens: 1, at: from, name: None });
        }
        arguments.next().map_err(|(of, why)| Flaw::new(scan.line.place(start + of..start + of), why))
    }

    /// The body of a macro or repetition with the settings for its expansion here.
    fn body<'b>(&self, text: &'b str) -> Body<'b> {
        let (number, most) = (Some(self.expansions), self.source.most);
        Body { text, number, count: 0, is_alternate: self.is_alternate, most }
    }
}
