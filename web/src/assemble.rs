//! Assembles text to words.

use amdgpu_isa::text::{ParseErrorKind, Suggestion};
use amdgpu_isa::{Target, parse};
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

pub fn all(target: Target, text: &str) -> Assembled {
    let mut made = Assembled::default();
    let mut before = 0;
    for (line, whole) in text.split('\n').enumerate() {
        let end = whole.find("//").into_iter().chain(whole.find(';')).min().unwrap_or(whole.len());
        let code = &whole[..end];
        match code.trim().strip_prefix(".long") {
            _ if code.trim().is_empty() => {}
            Some(number) => long(number, line, before, units(code), &mut made),
            None => instruction(target, code, line, before, &mut made),
        }
        before += units(whole) + 1;
    }
    made
}

/// The length of a text in the browser.
fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

fn long(number: &str, line: usize, start: usize, length: usize, made: &mut Assembled) {
    let number = number.trim();
    let value = match number.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => number.parse().ok(),
    };
    match value {
        Some(value) => made.words.push(value),
        None => made.errors.push(Wrong {
            line,
            start,
            end: start + length,
            message: "expected a number of 32 bits after .long".into(),
            nearest: None,
            elsewhere: None,
        }),
    }
}

fn instruction(target: Target, code: &str, line: usize, before: usize, made: &mut Assembled) {
    match parse(target, code) {
        Ok(inst) => made.words.extend(inst.words()),
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
