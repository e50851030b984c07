//! YAML as LLVM's assembler reads it in metadata. LLVM's assembler accepts more than the standard allows: tabs in
//! indentation, lists and maps in brackets that continue at the beginning of a line, lists that begin in the line of
//! their key.
//!
//! A reader turns the text into tokens, with marks where lists and maps begin and end by indentation. The token before
//! a colon becomes a key only when the colon is read.

use std::collections::VecDeque;

use rmpv::Value;

use super::metadata::{Fault, order, scalar, tagged};

/// The greatest depth of nesting in a document.
pub const DEPTH: usize = 64;
/// The characters that separate words in a line. Zeros take the place of comments of the assembler.
const BLANKS: [char; 3] = [' ', '\t', '\0'];
/// The greatest number of characters of a key that a line has before its colon.
const KEY: isize = 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// `---`.
    Start,
    /// `...`.
    Stop,
    /// The end of the text.
    End,
    /// The beginning of a list by its indentation; `BlockMap` is the beginning of a map, and `BlockEnd` ends either.
    BlockList,
    BlockMap,
    BlockEnd,
    /// A dash before an item of a list.
    Item,
    Key,
    /// The colon after a key.
    Colon,
    /// A bracket, a brace or a comma.
    Mark(u8),
    /// An anchor or a tag.
    Property,
    /// A text in quotes or without.
    Plain,
    /// The lines after `|` and `>`.
    Lines(String),
}

#[derive(Clone, Debug)]
struct Token {
    kind: Kind,
    start: usize,
    end: usize,
}

/// A token that becomes a key if a colon follows in its line.
struct Candidate {
    /// The number of the token among all of them.
    number: usize,
    line: usize,
    column: isize,
    flow: usize,
}

/// The ways in which the items of a list, or the pairs of a map, are told apart.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    /// By indentation.
    Block,
    /// A list in the column of its key, or a map of one pair.
    Short,
    /// By brackets and commas.
    Flow,
}

#[derive(Default)]
struct Reader<'t> {
    text: &'t str,
    at: usize,
    line: usize,
    /// The column, which counts characters, from 0 on.
    column: isize,
    /// The columns of the blocks around the current one. `indent` is the column of the current one, or -1 outside of
    /// all blocks.
    outer: Vec<isize>,
    indent: isize,
    /// The number of open brackets and braces.
    flow: usize,
    /// Whether a key may begin here.
    can_begin: bool,
    /// Whether the last token ends with a bracket or a quote, so that a colon just after it needs no blank.
    is_adjacent: bool,
    candidates: Vec<Candidate>,
    tokens: VecDeque<Token>,
    /// The number of tokens that were taken.
    taken: usize,
}

/// Whether a character can be in a text.
fn is_text(c: char) -> bool {
    matches!(c, '\t' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fefe}' | '\u{ff00}'..='\u{fffd}' | '\u{10000}'..)
}

/// The value of the first document with contents; `None` if there is none. Maps are in the order of their keys, as LLVM
/// writes them.
pub fn parse(text: &str) -> Result<Option<Value>, Fault> {
    let mut reader = Reader { text, indent: -1, can_begin: true, ..Reader::default() };
    loop {
        if reader.peek()?.kind == Kind::Start {
            reader.next();
        }
        let value = reader.node(0)?;
        if value.is_some() {
            return Ok(value);
        }
        match reader.peek()?.kind {
            Kind::Stop => reader.next(),
            Kind::Start => {}
            Kind::End => return Ok(None),
            _ => return Err(reader.expected("a map")),
        }
    }
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    /// The byte `ahead` bytes after the current one; a newline after the end of the text.
    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    fn is_blank(&self, ahead: usize) -> bool {
        BLANKS.contains(&char::from(self.byte(ahead))) || b"\r\n".contains(&self.byte(ahead))
    }

    /// Whether the byte `ahead` bytes after the current one can be in a text without quotes.
    fn is_plain(&self, ahead: usize) -> bool {
        !(self.is_blank(ahead) || self.flow > 0 && b",[]{}".contains(&self.byte(ahead)))
    }

    /// Passes `len` bytes of a line.
    fn pass(&mut self, len: usize) {
        self.column += self.rest().get(..len).map_or(0, |passed| passed.chars().count()) as isize;
        self.at += len;
    }

    fn pass_while(&mut self, is: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.pass(rest.find(|c| !is(c)).unwrap_or(rest.len()));
    }

    fn eat_newline(&mut self) -> bool {
        let len = ["\r\n", "\n", "\r"].into_iter().find(|newline| self.rest().starts_with(newline)).map_or(0, str::len);
        if len > 0 {
            (self.at, self.line, self.column) = (self.at + len, self.line + 1, 0);
        }
        len > 0
    }

    /// An error at a place. An error at the end of the text is placed at the end of the last line with contents.
    fn wrong(&self, at: usize, why: impl Into<String>) -> Fault {
        (why.into(), at.min(self.text.trim_end().len()))
    }

    /// The error that something is missing before the next token.
    fn expected(&self, what: &str) -> Fault {
        let at = self.tokens.front().map_or(self.at, |token| token.start);
        self.wrong(at, format!("not YAML: {what} expected here"))
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push_back(Token { kind, start, end: self.at });
    }

    /// Remembers that the next token, which begins in a column, may be a key or the beginning of one.
    fn remember(&mut self, column: isize) {
        if std::mem::take(&mut self.can_begin) {
            let number = self.taken + self.tokens.len();
            self.candidates.push(Candidate { number, line: self.line, column, flow: self.flow });
        }
    }

    /// Forgets the last token that may be a key, inside of the current brackets.
    fn forget(&mut self) {
        if self.candidates.last().is_some_and(|last| last.flow == self.flow) {
            self.candidates.pop();
        }
    }

    /// Ends the blocks to the right of a column.
    fn close(&mut self, column: isize) {
        while self.flow == 0 && self.indent > column {
            self.push(Kind::BlockEnd, self.at);
            self.indent = self.outer.pop().unwrap_or(-1);
        }
    }

    /// Begins a block before a token, if the column is to the right of the current block.
    fn open(&mut self, column: isize, kind: Kind, before: usize) {
        if self.flow == 0 && self.indent < column {
            self.outer.push(std::mem::replace(&mut self.indent, column));
            self.tokens.insert(before, Token { kind, start: self.at, end: self.at });
        }
    }

    /// Returns the next token without taking it.
    fn peek(&mut self) -> Result<&Token, Fault> {
        while self.tokens.is_empty() || self.candidates.first().is_some_and(|one| one.number == self.taken) {
            self.read()?;
        }
        self.tokens.front().ok_or_else(|| (String::new(), 0))
    }

    /// Takes the token that was peeked at.
    fn next(&mut self) {
        self.taken += usize::from(self.tokens.pop_front().is_some());
    }

    /// Reads one token, and the marks before it.
    fn read(&mut self) -> Result<(), Fault> {
        loop {
            self.pass_while(|c| BLANKS.contains(&c));
            let is_first = self.column == 0 && self.taken + self.tokens.len() == 0;
            let is_directive = |rest: &str| rest.starts_with("%YAML ") || rest.starts_with("%TAG ");
            if self.byte(0) == b'#' || is_first && is_directive(self.rest()) {
                self.pass_while(is_text);
            }
            if self.at == self.text.len() || !self.eat_newline() {
                break;
            }
            self.can_begin |= self.flow == 0;
        }
        let (line, column, start) = (self.line, self.column, self.at);
        self.candidates.retain(|one| one.line == line && one.column + KEY >= column);
        let document = match self.rest() {
            "" => Some(Kind::End),
            rest if column == 0 && rest.starts_with("---") && self.is_blank(3) => Some(Kind::Start),
            rest if column == 0 && rest.starts_with("...") && self.is_blank(3) => Some(Kind::Stop),
            _ => None,
        };
        if let Some(kind) = document {
            self.close(-1);
            self.candidates.clear();
            self.can_begin = false;
            self.pass(self.rest().len().min(3));
            self.push(kind, start);
            return Ok(());
        }
        self.close(column);
        let was_adjacent = std::mem::take(&mut self.is_adjacent);
        let kind = match self.byte(0) {
            mark @ (b'[' | b'{') => {
                self.remember(column);
                self.pass(1);
                (self.can_begin, self.flow) = (true, self.flow + 1);
                Kind::Mark(mark)
            }
            mark @ (b']' | b'}' | b',') => {
                self.forget();
                self.pass(1);
                self.can_begin = mark == b',';
                if mark != b',' {
                    (self.is_adjacent, self.flow) = (true, self.flow.saturating_sub(1));
                }
                Kind::Mark(mark)
            }
            mark @ (b'-' | b'?') if self.is_blank(1) => {
                let is_item = mark == b'-';
                self.open(column, if is_item { Kind::BlockList } else { Kind::BlockMap }, self.tokens.len());
                self.forget();
                self.pass(1);
                self.can_begin = is_item || self.flow == 0;
                if is_item { Kind::Item } else { Kind::Key }
            }
            b':' if !self.is_plain(1) || was_adjacent => {
                let key = self.candidates.pop();
                self.can_begin = key.is_none() && self.flow == 0;
                let (mut before, mut from) = (self.tokens.len(), column);
                if let Some(key) = key {
                    (before, from) = (key.number.saturating_sub(self.taken).min(before), key.column);
                    let start = self.tokens.get(before).map_or(start, |token| token.start);
                    self.tokens.insert(before, Token { kind: Kind::Key, start, end: start });
                }
                self.open(from, Kind::BlockMap, before);
                self.pass(1);
                Kind::Colon
            }
            b'*' => return Err((String::from("metadata has no aliases"), start)),
            mark @ (b'&' | b'!') => {
                self.pass(1);
                let ends = if mark == b'&' { "[]{},:" } else { "" };
                self.pass_while(|c| is_text(c) && !BLANKS.contains(&c) && !ends.contains(c));
                if mark == b'&' && self.at == start + 1 {
                    return Err(self.wrong(start, "not YAML: the name is missing"));
                }
                self.remember(column);
                Kind::Property
            }
            b'|' | b'>' if self.flow == 0 => return self.lines(),
            quote @ (b'"' | b'\'') => {
                // The column and the line stay those of the quote, so a key can extend over several lines.
                let end = self.quoted(quote);
                self.at = end.ok_or_else(|| self.wrong(start, "not YAML: this quote has no end"))?;
                self.remember(column);
                self.is_adjacent = true;
                Kind::Plain
            }
            c if !b"-?:,[]{}#&*!|>'\"%@`".contains(&c) || b"-?:".contains(&c) && self.is_plain(1) => {
                self.plain()?;
                self.remember(column);
                Kind::Plain
            }
            _ => return Err(self.wrong(start, "not YAML: a text that begins with this has to be in quotes")),
        };
        self.push(kind, start);
        Ok(())
    }

    /// The place after the quote that ends a text in quotes.
    fn quoted(&self, quote: u8) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let mut at = self.at + 1;
        loop {
            match *bytes.get(at)? {
                b'\\' if quote == b'"' => at += 2,
                byte if byte != quote => at += 1,
                _ if quote == b'\'' && bytes.get(at + 1) == Some(&quote) => at += 2,
                _ => return Some(at + 1),
            }
        }
    }

    /// Passes a text without quotes, which can continue in lines that are indented more than its block.
    fn plain(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.byte(0) != b'#' {
            let rest = self.rest();
            let end = rest.char_indices().find(|(at, c)| !is_text(*c) || !self.is_plain(at + usize::from(*c == ':')));
            self.pass(end.map_or(rest.len(), |(at, _)| at));
            // Blanks belong to the text only if the text goes on after them.
            let (end, line) = (self.at, self.line);
            while self.at < self.text.len() && self.is_blank(0) {
                if self.byte(0) == b'\t' && self.line > line && self.column <= self.indent {
                    return Err(self.wrong(self.at, "not YAML: blanks expected before the rest of a text, not a tab"));
                }
                if !self.eat_newline() {
                    self.pass(1);
                }
            }
            if self.at == end || self.flow == 0 && self.column <= self.indent {
                self.at = end;
                break;
            }
        }
        match self.at == start {
            true => Err(self.wrong(start, "not YAML: this character has to be in quotes")),
            false => Ok(()),
        }
    }

    /// Reads the lines after `|` or `>`.
    fn lines(&mut self) -> Result<(), Fault> {
        let is_folded = self.byte(0) == b'>';
        self.pass(1);
        let (mut chomp, mut indent) = (None, 0);
        for _ in 0..2 {
            match self.byte(0) {
                c @ (b'+' | b'-') if chomp.is_none() => chomp = Some(c),
                c @ b'1'..=b'9' if indent == 0 => indent = isize::from(c - b'0'),
                _ => break,
            }
            self.pass(1);
        }
        self.pass_while(|c| BLANKS.contains(&c));
        if self.byte(0) == b'#' {
            self.pass_while(is_text);
        }
        if !self.eat_newline() && self.at < self.text.len() {
            return Err(self.wrong(self.at, "not YAML: the text begins in the next line"));
        }
        let (start, outer) = (self.at, self.indent.max(0));
        let (mut out, mut breaks) = (String::new(), 0);
        while self.at < self.text.len() {
            let limit = indent;
            let spaces = self.rest().bytes().take_while(|c| *c == b' ').count();
            let spaces = if limit > 0 { spaces.min(limit as usize) } else { spaces };
            let line = self.rest().get(spaces..).unwrap_or("").split(['\r', '\n', '\0']).next().unwrap_or("");
            if !line.is_empty() {
                let column = spaces as isize;
                if column <= outer || column < limit && line.starts_with('#') {
                    break;
                }
                if column < limit {
                    return Err(self.wrong(self.at, "not YAML: this line is indented less than the text above"));
                }
                indent = column;
                if breaks > 0 && is_folded && !out.is_empty() {
                    if breaks == 1 {
                        out.push(' ');
                    }
                    breaks -= 1;
                }
                out.extend(std::iter::repeat_n('\n', breaks));
                out += line;
                breaks = 0;
            }
            self.pass_while(|c| !matches!(c, '\r' | '\n'));
            self.eat_newline();
            breaks += 1;
        }
        let count = match chomp {
            Some(b'-') => 0,
            Some(_) => breaks,
            None => usize::from(!out.is_empty()),
        };
        out.extend(std::iter::repeat_n('\n', count));
        self.can_begin |= self.flow == 0;
        self.push(Kind::Lines(out), start);
        Ok(())
    }

    /// Reads the value that begins here; `None` if there is none.
    fn node(&mut self, depth: usize) -> Result<Option<Value>, Fault> {
        let mut tag = None;
        while let Token { kind: Kind::Property, start, end } = *self.peek()? {
            let property = self.text.get(start..end).filter(|property| property.starts_with('!'));
            if property.is_some() && tag.is_some() {
                return Err((String::from("the value has a tag already"), start));
            }
            tag = tag.or(property);
            self.next();
        }
        let token = self.peek()?.clone();
        let start = token.start;
        if depth >= DEPTH && !matches!(token.kind, Kind::Plain | Kind::Lines(_)) {
            return Err((format!("the document is nested deeper than {DEPTH}"), start));
        }
        let text = match token.kind {
            Kind::Item => return self.list(Style::Short, depth).map(Some),
            Kind::Key => return self.map(Style::Short, depth).map(Some),
            Kind::BlockList | Kind::BlockMap | Kind::Mark(b'[' | b'{') => {
                self.next();
                let style = if matches!(token.kind, Kind::Mark(_)) { Style::Flow } else { Style::Block };
                let is_list = matches!(token.kind, Kind::BlockList | Kind::Mark(b'['));
                return if is_list { self.list(style, depth) } else { self.map(style, depth) }.map(Some);
            }
            Kind::Plain => unquoted(self.text.get(start..token.end).unwrap_or("")).map_err(|why| (why, start))?,
            Kind::Lines(text) => text,
            Kind::Mark(_) if depth == 0 => return Err(self.expected("a map")),
            _ => return Ok(None),
        };
        self.next();
        match tag {
            Some(tag) => tagged(tag, &text).map_err(|why| (why.into(), start)),
            None => Ok(scalar(&text)),
        }
        .map(Some)
    }

    /// Reads a value, which can be left out: LLVM reads a missing value as an empty list.
    fn value(&mut self, depth: usize) -> Result<Value, Fault> {
        Ok(self.node(depth + 1)?.unwrap_or(Value::Array(Vec::new())))
    }

    fn list(&mut self, style: Style, depth: usize) -> Result<Value, Fault> {
        let (mut list, mut needs_comma) = (Vec::new(), false);
        loop {
            match (style, &self.peek()?.kind) {
                (Style::Block | Style::Short, Kind::Item) => {
                    self.next();
                    list.push(self.value(depth)?);
                }
                (Style::Flow, Kind::Mark(b',')) => {
                    self.next();
                    needs_comma = false;
                }
                (Style::Block, Kind::BlockEnd) | (Style::Flow, Kind::Mark(b']')) => {
                    self.next();
                    break;
                }
                (Style::Short, _) => break,
                (Style::Block, _) => return Err(self.expected("a dash or a line that is indented less")),
                (Style::Flow, Kind::Start | Kind::Stop | Kind::End) => return Err(self.expected("`]`")),
                (Style::Flow, _) if needs_comma => return Err(self.expected("`,` or `]`")),
                (Style::Flow, _) => {
                    list.push(self.value(depth)?);
                    needs_comma = true;
                }
            }
        }
        Ok(Value::Array(list))
    }

    fn map(&mut self, style: Style, depth: usize) -> Result<Value, Fault> {
        let mut map: Vec<(Value, Value, usize)> = Vec::new();
        loop {
            let Token { kind, start, .. } = self.peek()?.clone();
            match (style, kind) {
                (_, Kind::Key) | (Style::Flow, Kind::Plain) => {
                    let key = self.key()?;
                    let value = match self.peek()?.kind {
                        Kind::Colon => {
                            self.next();
                            match self.peek()?.kind {
                                Kind::BlockEnd | Kind::Key => Value::Array(Vec::new()),
                                _ => self.value(depth)?,
                            }
                        }
                        Kind::BlockEnd | Kind::Key | Kind::Mark(b'}' | b',') => Value::Array(Vec::new()),
                        _ => return Err(self.expected("a colon after the key")),
                    };
                    map.push((key, value, start));
                    if style == Style::Short {
                        break;
                    }
                }
                (Style::Block, Kind::BlockEnd) | (Style::Flow, Kind::Mark(b'}')) => {
                    self.next();
                    break;
                }
                (Style::Flow, Kind::Mark(b',')) => self.next(),
                (Style::Flow, _) => return Err(self.expected("a key, `,` or `}`")),
                _ => return Err(self.expected("a key with a colon")),
            }
        }
        map.sort_by(|a, b| order(&a.0).cmp(&order(&b.0)));
        let twice = map.windows(2).find(|two| matches!(two, [a, b] if a.0 == b.0));
        if let Some([_, (_, _, place)]) = twice {
            return Err(("this key is here twice".into(), *place));
        }
        Ok(Value::Map(map.into_iter().map(|(key, value, _)| (key, value)).collect()))
    }

    /// Reads a key. As in LLVM, the tag of a key has no effect.
    fn key(&mut self) -> Result<Value, Fault> {
        if self.peek()?.kind == Kind::Key {
            self.next();
        }
        while self.peek()?.kind == Kind::Property {
            self.next();
        }
        let Token { kind, start, end } = self.peek()?.clone();
        if kind != Kind::Plain {
            return Err((String::from("a key is missing, or it is not a word"), start));
        }
        self.next();
        let text = unquoted(self.text.get(start..end).unwrap_or("")).map_err(|why| (why, start))?;
        Ok(scalar(&text))
    }
}

/// Letters after a backslash, and the characters for them.
const ESCAPES: (&str, &str) =
    ("0abt\tnvfre \"/\\N_LP", "\0\x07\x08\t\t\n\x0b\x0c\r\x1b \"/\\\u{85}\u{a0}\u{2028}\u{2029}");

/// The text of a scalar: without quotes and escapes, and with the blanks around a newline as one blank. Of several
/// newlines in a row, the first one is left out.
fn unquoted(raw: &str) -> Result<String, String> {
    let quote = raw.chars().next().filter(|c| matches!(c, '"' | '\''));
    let mut rest = match quote {
        Some(_) => raw.get(1..raw.len().saturating_sub(1)).unwrap_or(""),
        None => raw.trim_end_matches(['\r', '\n', ' ', '\t', '\0']),
    };
    let special = ['\r', '\n', if quote == Some('"') { '\\' } else { '\'' }];
    let special = if quote.is_some() { &special[..] } else { &special[..2] };
    let (mut out, mut breaks) = (String::new(), 0);
    while let Some((before, after)) = rest.find(special).map(|at| rest.split_at(at)) {
        if !after.starts_with(['\r', '\n']) {
            out += before;
            rest = after.get(1..).unwrap_or("");
            rest = if quote == Some('"') { escape(rest, &mut out)? } else { rest.strip_prefix('\'').unwrap_or(rest) };
            if quote == Some('\'') {
                out.push('\'');
            }
            breaks = 0;
            continue;
        }
        let kept = before.trim_end_matches(BLANKS);
        out += kept;
        breaks = if kept.is_empty() { breaks + 1 } else { 1 };
        if breaks == 2 {
            out.pop();
        }
        out.push(if breaks == 1 { ' ' } else { '\n' });
        rest = after.strip_prefix("\r\n").or(after.get(1..)).unwrap_or("").trim_start_matches([' ', '\t']);
    }
    Ok(out + rest)
}

/// Adds the character for what is after a backslash, and returns the text after it.
fn escape<'t>(text: &'t str, out: &mut String) -> Result<&'t str, String> {
    let mut rest = text.chars();
    let Some(c) = rest.next() else { return Ok(text) };
    let digits = match c {
        'x' => 2,
        'u' => 4,
        'U' => 8,
        '\r' | '\n' => {
            let text = text.strip_prefix("\r\n").unwrap_or(rest.as_str());
            return Ok(text.trim_start_matches([' ', '\t']));
        }
        _ => {
            let known = ESCAPES.0.chars().zip(ESCAPES.1.chars()).find(|(name, _)| *name == c);
            let (_, value) = known.ok_or_else(|| format!("there is no escape \\{c}; \\\\ is a backslash"))?;
            out.push(value);
            return Ok(rest.as_str());
        }
    };
    let (digits, rest) =
        rest.as_str().split_at_checked(digits).ok_or_else(|| format!("\\{c} needs {digits} digits"))?;
    // A sign is not a digit.
    let value = Some(digits).filter(|digits| !digits.starts_with('+'));
    let value = value.and_then(|digits| u32::from_str_radix(digits, 16).ok()).and_then(char::from_u32);
    out.push(value.unwrap_or(char::REPLACEMENT_CHARACTER));
    Ok(rest)
}
