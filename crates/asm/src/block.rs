//! Macros, repetitions, conditions and included files.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;
use std::rc::Rc;

use super::flaw::{Flaw, Result};
use super::program::{Assembler, Condition};
use super::scan::{Scan, is_name};
use super::source::Line;

pub struct Macro {
    parameters: Parameters,
    body: Line,
}

/// The parameters of a macro, and their numbers by their names.
#[derive(Default)]
struct Parameters {
    all: Vec<Parameter>,
    numbers: HashMap<String, usize>,
}

struct Parameter {
    name: String,
    default: Option<String>,
    required: bool,
    /// It takes all that is left.
    rest: bool,
}

/// The longest file that is included.
const LONGEST: u64 = 1 << 30;

impl Assembler {
    /// A directive between lines that are skipped.
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

    /// Whether the directive is about conditions.
    pub fn condition(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        let holds = match word {
            ".else" | ".elseif" => {
                let Some((condition, from)) = self.conditions.pop() else {
                    return Err(Flaw::new(place, "there is no .if above"));
                };
                let new = match (condition, word) {
                    (Condition::Open, ".else") => Condition::Taken,
                    (Condition::Open, _) if self.number(scan)? != 0 => Condition::Taken,
                    (Condition::Open, _) => Condition::Open,
                    _ => Condition::Done,
                };
                self.conditions.push((new, from));
                return Ok(true);
            }
            ".endif" => {
                return match self.conditions.pop() {
                    Some(_) => Ok(true),
                    None => Err(Flaw::new(place, "there is no .if above")),
                };
            }
            ".ifdef" | ".ifndef" | ".ifnotdef" => {
                let name = scan.name()?;
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
            ".iflt" => self.number(scan)? < 0,
            _ => return Ok(false),
        };
        scan.end()?;
        self.conditions.push((if holds { Condition::Taken } else { Condition::Open }, place));
        Ok(true)
    }

    /// Whether the directive begins or ends a block.
    pub fn block(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        let none = |end: &str| Flaw::new(place, format!("no {end} follows"));
        match word {
            ".macro" => {
                let head = self.macro_head(scan);
                let body = self.source.block(&[".macro"], &[".endm", ".endmacro"]).ok_or_else(|| none(".endm"))?;
                let (name, parameters) = head?;
                self.macros.insert(name, Rc::new(Macro { parameters, body }));
            }
            ".endm" | ".endmacro" => return Err(Flaw::new(place, "there is no .macro above")),
            ".exitm" => {
                let open = self.source.exit_macro().ok_or_else(|| Flaw::new(place, "this is in no macro"))?;
                self.conditions.truncate(open);
            }
            ".purgem" => {
                let name = scan.name()?;
                self.macros.remove(&name).ok_or_else(|| Flaw::new(place, format!("there is no macro {name}")))?;
            }
            ".rept" | ".rep" => {
                let count = self.number(scan);
                let body = self.repeated(none)?;
                let count = usize::try_from(count?).map_err(|_| Flaw::new(place, "the number is negative"))?;
                let text = body.text();
                if text.len().saturating_mul(count) > self.source.most {
                    return Err(Flaw::new(place, "the repetition is too long"));
                }
                self.source.push(
                    "a repetition".into(),
                    &text.repeat(count),
                    Some(place),
                    true,
                    self.conditions.len(),
                )?;
            }
            ".irp" | ".irpc" => {
                let name = scan.name();
                scan.eat(",");
                let values: Vec<String> = match word {
                    ".irp" => arguments(scan.rest()).into_iter().map(|(_, text)| text).collect(),
                    _ => scan.rest().trim().chars().map(String::from).collect(),
                };
                let body = self.repeated(none)?;
                let name = name?;
                let mut text = String::new();
                for value in &values {
                    text += &self.substitute(body.text(), |word| (word == name).then_some(value.as_str()));
                    if text.len() > self.source.most {
                        return Err(Flaw::new(place, "the repetition is too long"));
                    }
                }
                self.source.push("a repetition".into(), &text, Some(place), true, self.conditions.len())?;
            }
            ".endr" => return Err(Flaw::new(place, "there is no .rept above")),
            ".include" => {
                let name = String::from_utf8(scan.string()?).map_err(|_| Flaw::new(place, "the name is not UTF-8"))?;
                let text = self.find(&name).map_err(|why| Flaw::new(place, why))?;
                self.source.push(name, &text, Some(place), false, self.conditions.len())?;
                self.look_for_counts();
            }
            ".incbin" => {
                let name = String::from_utf8(scan.string()?).map_err(|_| Flaw::new(place, "the name is not UTF-8"))?;
                let bytes = self.read(&name).map_err(|why| Flaw::new(place, why))?;
                let skip = if scan.eat(",") { self.number(scan)? } else { 0 };
                let count = if scan.eat(",") { self.number(scan)? } else { i64::MAX };
                let range = |n: i64| usize::try_from(n).map_err(|_| Flaw::new(place, "the number is negative"));
                let part = bytes.get(range(skip)?..).unwrap_or(&[]);
                self.emit(part.get(..range(count)?).unwrap_or(part), place)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn repeated(&mut self, none: impl Fn(&str) -> Flaw) -> Result<Line> {
        self.source.block(&[".rept", ".rep", ".irp", ".irpc"], &[".endr"]).ok_or_else(|| none(".endr"))
    }

    fn read(&self, name: &str) -> std::result::Result<Vec<u8>, String> {
        if self.source.is_alone {
            return Err(format!("cannot read {name:?}: this source stands alone"));
        }
        let here = std::iter::once(PathBuf::new());
        let mut why = String::new();
        for directory in here.chain(self.source.include.iter().cloned()) {
            match File::open(directory.join(name)) {
                Ok(file) => {
                    let mut bytes = Vec::new();
                    // A device can have no end.
                    let read = file.take(LONGEST + 1).read_to_end(&mut bytes);
                    read.map_err(|e| format!("cannot read {name:?}: {e}"))?;
                    return match bytes.len() as u64 > LONGEST {
                        true => Err(format!("{name:?} is longer than {LONGEST} bytes")),
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
        String::from_utf8(self.read(name)?)
            .map_err(|e| format!("{name:?} is not UTF-8 at byte {}", e.utf8_error().valid_up_to()))
    }

    fn macro_head(&mut self, scan: &mut Scan<'_>) -> Result<(String, Parameters)> {
        let name = scan.name()?;
        scan.eat(",");
        let mut parameters = Parameters::default();
        while !scan.is_done() {
            let start = scan.at;
            let mut parameter = Parameter { name: scan.name()?, default: None, required: false, rest: false };
            let is_behind_rest = parameters.all.last().is_some_and(|last| last.rest);
            let number = parameters.all.len();
            if is_behind_rest || parameters.numbers.insert(parameter.name.clone(), number).is_some() {
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
                let rest = scan.rest();
                let (len, text) = argument(rest);
                scan.at += len;
                parameter.default = Some(text);
            }
            parameters.all.push(parameter);
            scan.eat(",");
        }
        Ok((name, parameters))
    }

    /// Goes on with what a macro becomes.
    pub fn expand(&mut self, name: &str, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.whole();
        let Some(called) = self.macros.get(name).cloned() else { return Ok(()) };
        let Macro { parameters: Parameters { all: parameters, numbers }, body } = &*called;
        let mut values: Vec<Option<String>> = vec![None; parameters.len()];
        let rest = scan.rest();
        for (n, (start, text)) in arguments(rest).into_iter().enumerate() {
            let named = text.split_once('=').and_then(|(key, value)| {
                let at = *numbers.get(key.trim())?;
                Some((at, value.trim().to_string()))
            });
            let (at, text) = named.unwrap_or((n, text));
            match (parameters.get(at), values.get_mut(at)) {
                (Some(parameter), Some(value)) if parameter.rest => {
                    *value = Some(rest.get(start..).unwrap_or("").trim().to_string());
                    break;
                }
                (_, Some(value)) => *value = Some(text),
                _ => return Err(Flaw::new(place, format!("{name} takes {} arguments", parameters.len()))),
            }
        }
        for (parameter, value) in parameters.iter().zip(&mut values) {
            *value = value.take().filter(|value| !value.is_empty()).or(parameter.default.clone());
            if value.is_none() && parameter.required {
                return Err(Flaw::new(place, format!("the argument {} of {name} is missing", parameter.name)));
            }
        }
        let value = |word: &str| Some(values.get(*numbers.get(word)?)?.as_deref().unwrap_or(""));
        let text = self.substitute(body.text(), value);
        self.expansions += 1;
        self.source.push(format!("the macro {name}"), &text, Some(place), true, self.conditions.len())
    }

    /// Puts arguments in the places of `\name`, and the number of the expansion in that of `\@`.
    fn substitute<'v>(&self, body: &str, value: impl Fn(&str) -> Option<&'v str>) -> String {
        let mut out = String::with_capacity(body.len());
        let mut rest = body;
        while let Some(at) = rest.find('\\') {
            // What is too long will be refused.
            if out.len() > self.source.most {
                return out;
            }
            out += rest.get(..at).unwrap_or("");
            let behind = rest.get(at + 1..).unwrap_or("");
            let len = behind.bytes().position(|c| !is_name(c) || c == b'.' || c == b'@').unwrap_or(behind.len());
            let word = behind.get(..len).unwrap_or("");
            rest = behind.get(len..).unwrap_or("");
            if let Some(value) = value(word) {
                out += value;
            } else if word.is_empty() && behind.starts_with('@') {
                out += &self.expansions.to_string();
                rest = behind.get(1..).unwrap_or("");
            } else if word.is_empty() && behind.starts_with("()") {
                rest = behind.get(2..).unwrap_or("");
            } else {
                out.push('\\');
                out += word;
            }
        }
        out += rest;
        out
    }
}

/// The length of an argument, and its text.
fn argument(text: &str) -> (usize, String) {
    let (mut depth, mut quoted) = (0i32, false);
    for (at, c) in text.char_indices() {
        match c {
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            ',' if depth <= 0 => return (at, text.get(..at).unwrap_or("").trim().to_string()),
            _ => {}
        }
    }
    (text.len(), text.trim().to_string())
}

/// The arguments of a macro, and where each begins.
fn arguments(text: &str) -> Vec<(usize, String)> {
    let (mut all, mut at) = (Vec::new(), 0);
    if text.trim().is_empty() {
        return all;
    }
    loop {
        let (len, value) = argument(text.get(at..).unwrap_or(""));
        all.push((at, value));
        at += len + 1;
        if at > text.len() {
            return all;
        }
    }
}
