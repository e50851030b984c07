//! Reads names, strings and expressions from a line.

use std::ops::Range;

use super::encoding::byte_of;
use super::flaw::{Flaw, Result, Span};
use super::source::Line;

/// The beginning of a statement.
pub enum Head {
    /// A label, which has been read with its colon. The beginning of another statement can follow.
    Label(String),
    /// A name that gets a value, which has been read with the sign `=`.
    Assignment(String),
    /// The first word of any other statement.
    Word(String),
}

/// A position in a line, from which names, strings and expressions are read.
#[derive(Clone)]
pub struct Scan<'a> {
    pub line: &'a Line,
    text: &'a str,
    pub at: usize,
}

/// Whether a character can be in a name.
pub fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$' | b'@' | b'?')
}

/// Whether a word cannot be a name: `@` or `$` alone, or one that begins with `?`.
fn is_sign(word: &str) -> bool {
    matches!(word, "@" | "$") || word.starts_with('?')
}

impl<'a> Scan<'a> {
    pub fn new(line: &'a Line) -> Scan<'a> {
        Scan { line, text: line.text(), at: 0 }
    }

    pub fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The text from `before` bytes before this position to `after` bytes after it; empty if the line does not have all
    /// of these bytes.
    pub fn around(&self, before: usize, after: usize) -> &'a str {
        self.text.get(self.at.saturating_sub(before)..self.at + after).unwrap_or("")
    }

    pub fn ahead(&self, n: usize) -> u8 {
        self.text.as_bytes().get(self.at + n).copied().unwrap_or(0)
    }

    pub fn peek(&self) -> u8 {
        self.ahead(0)
    }

    pub fn blank(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\r' | 0x0b | 0x0c) {
            self.at += 1;
        }
    }

    pub fn is_done(&mut self) -> bool {
        self.blank();
        self.at >= self.text.len()
    }

    pub fn eat(&mut self, what: &str) -> bool {
        self.blank();
        let is_next = self.rest().starts_with(what);
        self.at += if is_next { what.len() } else { 0 };
        is_next
    }

    /// An error about the text from `start` to the current position.
    pub fn since(&self, start: usize, message: impl Into<String>) -> Flaw {
        Flaw::new(self.line.place(start..self.at.max(start)), message)
    }

    /// An error about the text at the current position.
    pub fn fault(&mut self, message: impl Into<String>) -> Flaw {
        self.blank();
        let len = self.rest().bytes().position(|c| !is_name(c)).unwrap_or(self.rest().len());
        let len = if len == 0 { self.rest().chars().next().map_or(0, char::len_utf8) } else { len };
        Flaw::new(self.line.place(self.at..self.at + len), message)
    }

    pub fn place(&self, start: usize) -> Span {
        self.line.place(start..self.at)
    }

    pub fn expect(&mut self, what: &str) -> Result<()> {
        if self.eat(what) { Ok(()) } else { Err(self.fault(format!("`{what}` expected"))) }
    }

    /// Fails if text follows.
    pub fn end(&mut self) -> Result<()> {
        if self.is_done() { Ok(()) } else { Err(self.fault("the end of the line expected")) }
    }

    /// Reads the characters of a name; returns an empty text if there are none.
    pub fn word(&mut self) -> &'a str {
        self.blank();
        let rest = self.rest();
        let len = rest.bytes().position(|c| !is_name(c)).unwrap_or(rest.len());
        self.at += len;
        rest.get(..len).unwrap_or("")
    }

    /// Reads the name of a symbol or section, which can be in quotes.
    pub fn name(&mut self) -> Result<String> {
        self.blank();
        if self.peek() == b'"' {
            let start = self.at;
            return String::from_utf8(self.string()?).map_err(|_| self.since(start, "the name is not UTF-8"));
        }
        if self.peek().is_ascii_digit() {
            return Err(self.fault("a name expected"));
        }
        let start = self.at;
        match self.word() {
            "" => Err(self.fault("a name expected")),
            word if is_sign(word) => Err(self.since(start, "a name expected")),
            word => Ok(word.to_string()),
        }
    }

    /// Reads the beginning of a statement. Returns it with the range of its name.
    pub fn head(&mut self) -> Result<(Head, Range<usize>)> {
        self.blank();
        let start = self.at;
        let name = match self.peek() {
            b'"' => self.name()?,
            _ => self.word().to_string(),
        };
        let range = start..self.at;
        self.blank();
        let begins_with_digit =
            name.starts_with(|c: char| c.is_ascii_digit()) && self.text.as_bytes().get(start) != Some(&b'"');
        let begins_with_sign = is_sign(self.text.get(range.clone()).unwrap_or(""));
        let can_be_label = !begins_with_sign && (!begins_with_digit || name.bytes().all(|c| c.is_ascii_digit()));
        if self.peek() == b':' && self.ahead(1) != b':' && !name.is_empty() && can_be_label {
            self.at += 1;
            return Ok((Head::Label(name), range));
        }
        let can_be_set = !name.is_empty() && !begins_with_digit && !begins_with_sign;
        if self.peek() == b'=' && self.ahead(1) != b'=' && can_be_set {
            self.at += 1;
            self.at += usize::from(self.peek() == b'=');
            return Ok((Head::Assignment(name), range));
        }
        Ok((Head::Word(name), range))
    }

    /// Reads a string in quotes, as bytes.
    pub fn string(&mut self) -> Result<Vec<u8>> {
        self.blank();
        let start = self.at;
        if self.peek() != b'"' {
            return Err(self.fault("a string expected"));
        }
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let byte = self.peek();
            self.at += 1;
            match byte {
                0 if self.at > self.text.len() => {
                    let line = self.text.get(start..).and_then(|text| text.lines().next()).map_or(0, str::len);
                    self.at = start + line;
                    return Err(self.since(start, "the string has no end"));
                }
                b'"' => return Ok(out),
                b'\\' => out.push(self.escaped()?),
                byte => match self.text.get(self.at - 1..).and_then(|text| text.chars().next()) {
                    Some(c) if !c.is_ascii() => {
                        self.at += c.len_utf8() - 1;
                        match byte_of(c) {
                            Some(byte) => out.push(byte),
                            None => out.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
                        }
                    }
                    _ => out.push(byte),
                },
            }
        }
    }

    fn escaped(&mut self) -> Result<u8> {
        let start = self.at - 1;
        let byte = self.peek();
        self.at += 1;
        Ok(match byte {
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            b'"' | b'\\' => byte,
            b'0'..=b'7' => {
                let mut value = u32::from(byte - b'0');
                while let (digit @ b'0'..=b'7', true) = (self.peek(), self.at < start + 4) {
                    value = value * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                u8::try_from(value).map_err(|_| self.since(start, "the number is more than a byte"))?
            }
            b'x' | b'X' => {
                if !self.peek().is_ascii_hexdigit() {
                    return Err(self.since(start, "hexadecimal digits expected"));
                }
                let mut value = 0u32;
                while let Some(digit) = char::from(self.peek()).to_digit(16) {
                    value = value << 4 & 0xff | digit;
                    self.at += 1;
                }
                value as u8
            }
            _ => {
                self.at = self.at.min(self.text.len());
                return Err(self.since(start, "no such escape"));
            }
        })
    }
}
