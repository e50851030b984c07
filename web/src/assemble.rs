//! Assembles text to words.

use amdgpu_isa::text::{ParseErrorKind, Suggestion};
use amdgpu_isa::{Filler, Target, parse};
use serde::Serialize;

#[derive(Serialize, Default)]
pub struct Assembled {
    words: Vec<u32>,
    errors: Vec<Wrong>,
}

/// An error in a line. `start` and `end` count UTF-16 units of the whole text, as the browser does.
#[derive(Serialize)]
struct Wrong {
    line: usize,
    start: usize,
    end: usize,
    message: String,
    /// A name that can be at this place instead.
    nearest: Option<&'static str>,
    /// A target that has the name.
    elsewhere: Option<&'static str>,
}

/// The directive that selects the filler of the instructions below it, as in sources.
const FILL: &str = ".amdgpu_isa_fill";

pub fn all(target: Target, text: &str) -> Assembled {
    let mut made = Assembled::default();
    let (mut before, mut filler) = (0, target.filler());
    for (line, whole) in text.split('\n').enumerate() {
        let end = whole.find("//").into_iter().chain(whole.find(';')).min().unwrap_or(whole.len());
        let code = &whole[..end];
        let trimmed = code.trim();
        if let Some(number) = trimmed.strip_prefix(".long") {
            match word(number) {
                Some(value) => made.words.push(value),
                None => made.refuse(line, before, code, "expected a number of 32 bits after .long"),
            }
        } else if let Some(name) = trimmed.strip_prefix(FILL).filter(|name| name.trim() != *name) {
            match Filler::named(name.trim()) {
                Some(named) => filler = named,
                None => made.refuse(line, before, code, "expected llvm22 or llvm23 after .amdgpu_isa_fill"),
            }
        } else if !trimmed.is_empty() {
            instruction((target, filler), code, line, before, &mut made);
        }
        before += units(whole) + 1;
    }
    made
}

impl Assembled {
    /// Adds an error about the whole line `code`, which begins at `start`.
    fn refuse(&mut self, line: usize, start: usize, code: &str, message: &str) {
        let (end, message) = (start + units(code), message.into());
        self.errors.push(Wrong { line, start, end, message, nearest: None, elsewhere: None });
    }
}

/// The length of a text in the browser.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

/// A number in hexadecimal after `0x`, or in decimal.
fn word(number: &str) -> Option<u32> {
    let number = number.trim();
    match number.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    }
}

fn instruction((target, filler): (Target, Filler), code: &str, line: usize, before: usize, made: &mut Assembled) {
    match parse(target, code) {
        Ok(inst) => made.words.extend(inst.with_filler(filler).words()),
        Err(error) => {
            let unknown = matches!(error.kind, ParseErrorKind::Mnemonic);
            let suggestion = unknown.then(|| Suggestion::of(target, code));
            let at = |byte: u32| before + units(code.get(..byte as usize).unwrap_or(code));
            made.errors.push(Wrong {
                line,
                start: at(error.span.start),
                end: at(error.span.end),
                message: error.to_string(),
                nearest: suggestion.and_then(|suggestion| suggestion.nearest),
                elsewhere: suggestion.and_then(|suggestion| suggestion.elsewhere).map(Target::name),
            });
        }
    }
}
