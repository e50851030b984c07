//! The arguments of macros and repetitions, and their substitution in a body, as LLVM's assembler does it: commas and
//! blanks separate arguments, except for blanks beside operators and between parentheses, and a text in quotes loses
//! its quotes.

/// An argument of a macro or a repetition.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Argument {
    /// The parameter that the argument names: `NAME=VALUE`.
    pub name: Option<String>,
    pub text: String,
    /// The characters of the argument in the line, if they differ from `text`.
    pub written: Option<String>,
    /// The byte at which the argument begins.
    pub at: usize,
    /// The number of words and signs in the argument.
    pub tokens: usize,
}

/// The kind of a piece of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Blank,
    Word,
    Text,
    Operator,
    Other,
}

/// Whether a character can be in the name of a parameter.
pub fn is_name(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'.' | b'$')
}

/// The kind of the first piece of the text, and its length.
fn token(text: &str) -> (Token, usize) {
    let bytes = text.as_bytes();
    let at = |n: usize| bytes.get(n).copied().unwrap_or(0);
    let while_ = |is: fn(u8) -> bool| bytes.iter().position(|c| !is(*c)).unwrap_or(bytes.len());
    match at(0) {
        b' ' | b'\t' => (Token::Blank, while_(|c| matches!(c, b' ' | b'\t'))),
        b'"' => {
            let mut end = 1;
            while end < bytes.len() && at(end) != b'"' {
                end += if at(end) == b'\\' { 2 } else { 1 };
            }
            (Token::Text, (end + 1).min(bytes.len()))
        }
        b'\'' => {
            let len = if at(1) == b'\\' { 4 } else { 3 };
            let is_char = at(len - 1) == b'\'' && text.is_char_boundary(len);
            (Token::Other, if is_char { len } else { 1 })
        }
        b'0'..=b'9' => {
            let mut end = while_(|c| c.is_ascii_alphanumeric() || c == b'.');
            let has_sign = |end: usize| {
                let is_exponent =
                    matches!((at(1) | 0x20, at(end - 1) | 0x20), (b'x', b'p') | (b'0'..=b'9' | b'.' | b'e', b'e'));
                is_exponent && matches!(at(end), b'+' | b'-') && at(end + 1).is_ascii_digit()
            };
            if has_sign(end) {
                end += 1;
                end += bytes.iter().skip(end).position(|c| !c.is_ascii_digit()).unwrap_or(bytes.len() - end);
            }
            (Token::Word, end)
        }
        c if c != b'.' && is_name(c) || c == b'.' && is_name(at(1)) => {
            (Token::Word, while_(|c| is_name(c) || matches!(c, b'@' | b'?')))
        }
        c @ (b'=' | b'|' | b'&' | b'<' | b'>') if at(1) == c => (Token::Operator, 2),
        b'!' | b'<' | b'>' if at(1) == b'=' => (Token::Operator, 2),
        b'<' if at(1) == b'>' => (Token::Operator, 2),
        b'=' => (Token::Other, 1),
        b'+' | b'-' | b'~' | b'/' | b'*' | b'.' | b'|' | b'^' | b'&' | b'!' | b'<' | b'>' => (Token::Operator, 1),
        _ => (Token::Other, text.chars().next().map_or(1, char::len_utf8)),
    }
}

/// Reads the argument at the beginning of the text. Returns its length and the argument, or the byte and the message of
/// an error.
pub fn argument(text: &str) -> Result<(usize, Argument), (usize, &'static str)> {
    let (mut out, mut at, mut depth) = (Argument::default(), 0, 0u32);
    loop {
        let rest = text.get(at..).unwrap_or("");
        let (mut kind, mut len) = token(rest);
        let mut was_blank = false;
        if depth == 0 {
            if kind == Token::Blank {
                at += len;
                (kind, len) = token(text.get(at..).unwrap_or(""));
                was_blank = true;
            }
            let sign = text.get(at..at + len).unwrap_or("");
            if kind == Token::Operator && !sign.is_empty() {
                out.text += sign;
                out.tokens += 1;
                at += len;
                at += blank(text.get(at..).unwrap_or(""));
                continue;
            }
            if was_blank && out.tokens > 0 || sign.starts_with(',') {
                break;
            }
        }
        let part = text.get(at..at + len).unwrap_or("");
        match part {
            "" => break,
            "=" => return Err((at, "the parameter's name expected before `=`")),
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        out.text += if kind == Token::Text { unquoted(part) } else { part };
        out.tokens += 1;
        at += len;
    }
    if depth > 0 {
        return Err((at, "`)` expected"));
    }
    Ok((at, out))
}

fn blank(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\r']).len()
}

fn unquoted(text: &str) -> &str {
    let text = text.strip_prefix('"').unwrap_or(text);
    text.strip_suffix('"').unwrap_or(text)
}

/// The name before `=`, and the length of the name and the sign, with blanks.
fn named(text: &str) -> Option<(String, usize)> {
    let (kind, len) = token(text);
    let name = text.get(..len).filter(|name| kind == Token::Word && !name.starts_with(|c: char| c.is_ascii_digit()))?;
    let at = len + blank(text.get(len..)?);
    let is_equal = text.get(at..)?.starts_with('=') && !text.get(at + 1..)?.starts_with('=');
    is_equal.then(|| (name.to_string(), at + 1 + blank(text.get(at + 1..).unwrap_or(""))))
}

/// A reader of arguments, one after the other. Each error holds the byte at which it occurs.
pub struct Arguments<'t> {
    pub text: &'t str,
    pub at: usize,
    /// Whether the rest of the text has no `>` that ends an argument after `<`.
    is_unclosed: bool,
}

impl Arguments<'_> {
    pub fn new(text: &str) -> Arguments<'_> {
        Arguments { text, at: blank(text), is_unclosed: false }
    }

    pub fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// Reads the name of a parameter before the next argument, if there is one.
    pub fn name(&mut self) -> Option<String> {
        let (name, len) = named(self.rest())?;
        self.at += len;
        Some(name)
    }

    /// Reads the next argument, which can be empty.
    pub fn next(&mut self) -> Result<Argument, (usize, &'static str)> {
        let at = self.at;
        let (len, argument) = argument(self.rest()).map_err(|(of, why)| (at + of, why))?;
        self.at += len;
        Ok(Argument { at, ..argument })
    }

    /// Reads an argument between `<` and `>`, in which a character after `!` has no special meaning.
    pub fn bracketed(&mut self) -> Option<String> {
        let rest = self.rest().strip_prefix('<').filter(|_| !self.is_unclosed)?;
        let (mut out, mut is_escaped) = (String::new(), false);
        for (n, c) in rest.char_indices() {
            match c {
                '!' if !is_escaped => is_escaped = true,
                '>' if !is_escaped => {
                    self.at += n + 2;
                    return Some(out);
                }
                c => {
                    out.push(c);
                    is_escaped = false;
                }
            }
        }
        self.is_unclosed = true;
        None
    }

    /// Skips blanks and a comma. Returns whether there was a comma, or text follows.
    pub fn separator(&mut self) -> bool {
        self.at += blank(self.rest());
        let is_comma = self.rest().starts_with(',');
        self.at += usize::from(is_comma);
        self.at += blank(self.rest());
        is_comma || !self.rest().is_empty()
    }

    pub fn is_done(&self) -> bool {
        self.rest().trim().is_empty()
    }
}

/// The body of a macro or repetition, with the settings for its expansion.
pub struct Body<'b> {
    pub text: &'b str,
    /// The number that replaces `\@`; with `None`, `\@` stays in the text. `count` is the number that replaces `\+`.
    pub number: Option<u64>,
    pub count: usize,
    /// Whether parameters are also replaced without `\` before them, as with `.altmacro`.
    pub is_alternate: bool,
    /// The greatest length of the expanded text in bytes; the caller refuses a longer one.
    pub most: usize,
}

impl Body<'_> {
    /// The body with values in place of `\name`.
    pub fn substitute<'v>(&self, value: impl Fn(&str) -> Option<&'v str>) -> String {
        let mut out = String::with_capacity(self.text.len());
        let mut rest = self.text;
        while !rest.is_empty() && out.len() <= self.most {
            let plain = |c: u8| c != b'\\' && !(self.is_alternate && is_name(c));
            let len = rest.bytes().position(|c| !plain(c)).unwrap_or(rest.len());
            out += rest.get(..len).unwrap_or("");
            rest = rest.get(len..).unwrap_or("");
            let escaped = rest.strip_prefix('\\');
            let from = escaped.unwrap_or(rest);
            let len = from.bytes().position(|c| !is_name(c)).unwrap_or(from.len());
            let (word, after) = from.split_at(len);
            rest = after;
            if let Some(value) = value(word).filter(|_| !word.is_empty()) {
                out += value;
                rest = if self.is_alternate { rest.strip_prefix('&').unwrap_or(rest) } else { rest };
                continue;
            }
            match (escaped.is_some() && word.is_empty(), after.as_bytes().first(), self.number) {
                (true, Some(b'@'), Some(number)) => out += &number.to_string(),
                (true, Some(b'+'), _) => out += &self.count.to_string(),
                (true, Some(b'('), _) if after.starts_with("()") => {
                    rest = after.get(2..).unwrap_or("");
                    continue;
                }
                (is_alone, ..) => {
                    out += if escaped.is_some() { "\\" } else { "" };
                    out += word;
                    // The second of two backslashes does not begin a name.
                    if is_alone && after.starts_with('\\') {
                        out.push('\\');
                        rest = after.get(1..).unwrap_or("");
                    }
                    continue;
                }
            }
            rest = after.get(1..).unwrap_or("");
        }
        out += if out.len() <= self.most { rest } else { "" };
        out
    }
}
