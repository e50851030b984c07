//! The text that is assembled: the lines of files and of expanded macros and repetitions, with their places.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::Kind;
use super::flaw::{Flaw, Span};

/// The greatest depth of nesting of macros, repetitions and included files.
const DEPTH: usize = 64;
/// The least number of bytes for which an expansion or an included file counts in the limit `Source::most`.
const EXPANSION: usize = 64;

/// Pairs of directives that begin and end a document. The lines between the two are not statements.
pub const DOCUMENTS: [(&str, &str); 2] =
    [(".amdgpu_metadata", ".end_amdgpu_metadata"), (".amdgpu_pal_metadata", ".end_amdgpu_pal_metadata")];

/// A text and its origin.
#[derive(Clone, Debug)]
pub struct File {
    pub name: String,
    /// The text as it was read.
    pub text: Arc<str>,
    /// The statement that caused the text to be read.
    pub from: Option<Span>,
    /// Whether the text is the expansion of a macro or a repetition.
    pub is_made: bool,
    /// The markers of a preprocessor, if `Options::follows_markers` is set.
    pub markers: Vec<Marker>,
}

/// A line `# 12 "file.s"` of a preprocessor: the next line is line 12 of that file.
#[derive(Clone, Debug)]
pub struct Marker {
    /// The number of the line after the marker, from 1 on.
    pub next: usize,
    pub line: usize,
    pub file: String,
}

impl Marker {
    fn all(text: &str) -> Vec<Marker> {
        let marker = |(n, line): (usize, &str)| {
            let (line, name) = line.strip_prefix('#')?.trim_start().split_once(char::is_whitespace)?;
            let name = name.trim_start().strip_prefix('"')?;
            let (file, _) = name.split_once('"')?;
            Some(Marker { next: n + 2, line: line.parse().ok()?, file: file.into() })
        };
        text.lines().enumerate().filter_map(marker).collect()
    }
}

/// A text that is being read.
struct Frame {
    file: usize,
    /// The text with blanks in place of comments, or zeros in documents; every other byte keeps its offset.
    code: Arc<str>,
    at: usize,
    /// The offsets of newlines in strings, which do not end a line.
    in_strings: Vec<usize>,
    /// The number of open conditions at the beginning of the text.
    conditions: usize,
    is_macro: bool,
}

/// A line of a text, without its comments.
#[derive(Clone)]
pub struct Line {
    pub file: usize,
    pub code: Arc<str>,
    pub range: Range<usize>,
}

impl Line {
    pub fn text(&self) -> &str {
        self.code.get(self.range.clone()).unwrap_or("")
    }

    pub fn place(&self, range: Range<usize>) -> Span {
        Span { file: self.file, start: self.range.start + range.start, end: self.range.start + range.end }
    }

    pub fn whole(&self) -> Span {
        let text = self.text();
        let start = text.len() - text.trim_start().len();
        self.place(start..text.trim_end().len().max(start))
    }
}

#[derive(Default)]
pub struct Source {
    pub files: Vec<File>,
    frames: Vec<Frame>,
    expanded: usize,
    /// Whether the rest of the source is not read.
    pub is_stopped: bool,
    /// The places of comments without an end.
    pub open_comments: Vec<Span>,
    /// The places of strings that continue in the next line.
    pub long_strings: Vec<Span>,
    has_long_strings: bool,
    /// The text that follows the directive that ended the block read last, in the line of this directive. Such text is
    /// an error.
    pub after_end: Option<Span>,
    /// The greatest size of all expansions and included files together, in bytes.
    pub most: usize,
    pub include: Vec<PathBuf>,
    /// Whether places follow the markers of a preprocessor.
    pub follows_markers: bool,
    /// Whether the source may not include other files.
    pub is_alone: bool,
}

impl Source {
    /// Begins to read a text, after which reading continues in the current text.
    pub fn push(
        &mut self,
        name: String,
        text: &str,
        from: Option<Span>,
        is_macro: bool,
        open: usize,
    ) -> Result<(), Flaw> {
        let fault = |message: &str| Flaw::new(from.unwrap_or_default(), message);
        if self.frames.len() >= DEPTH {
            self.stop();
            return Err(fault(&format!("macros, repetitions and files are nested deeper than {DEPTH}")));
        }
        if from.is_some() {
            self.expanded = self.expanded.saturating_add(text.len().max(EXPANSION));
        }
        if self.expanded > self.most {
            self.stop();
            return Err(self.too_long(from.unwrap_or_default()));
        }
        let text: Arc<str> = text.into();
        let file = self.files.len();
        let (mut code, mut in_strings) = (text.clone(), Vec::new());
        // An expansion has no comments, because they have been replaced by blanks in its source.
        if !is_macro || self.has_long_strings {
            let stripped = without_comments(&text);
            if !is_macro {
                self.open_comments.extend(stripped.open.map(|start| Span { file, start, end: start + 2 }));
                let long = stripped.long_strings.iter().map(|start| Span { file, start: *start, end: start + 1 });
                self.long_strings.extend(long);
                code = stripped.code.into();
            }
            self.has_long_strings |= !stripped.in_strings.is_empty();
            in_strings = stripped.in_strings;
        }
        let markers = if self.follows_markers && !is_macro { Marker::all(&text) } else { Vec::new() };
        self.files.push(File { name, text, from, is_made: is_macro, markers });
        self.frames.push(Frame { file: self.files.len() - 1, code, at: 0, in_strings, conditions: open, is_macro });
        Ok(())
    }

    /// Ends the expansion of a macro or a repetition that is being read. Returns the number of conditions that were
    /// open at its beginning.
    pub fn exit_macro(&mut self) -> Option<usize> {
        let at = self.frames.iter().rposition(|frame| frame.is_macro)?;
        let open = self.frames.get(at)?.conditions;
        self.frames.truncate(at);
        Some(open)
    }

    /// The error about expansions that become too long.
    pub fn too_long(&self, place: Span) -> Flaw {
        let message = format!("macros and repetitions become more than {} bytes", self.most);
        Flaw::new(place, message).kind(Kind::Expansion)
    }

    /// Ends the reading of all texts.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.frames.clear();
    }

    pub fn next_line(&mut self) -> Option<Line> {
        loop {
            let frame = self.frames.last_mut()?;
            if frame.at >= frame.code.len() {
                self.frames.pop();
                continue;
            }
            return Some(frame.line());
        }
    }

    /// Reads the next line of the current text; `None` at its end.
    fn next_here(&mut self) -> Option<Line> {
        let frame = self.frames.last_mut()?;
        (frame.at < frame.code.len()).then(|| frame.line())
    }

    /// Skips and returns the lines up to one that begins with a word of `end`. A word of `open` begins an inner block.
    /// An inner block also ends with a word of `end`.
    pub fn block(&mut self, open: &[&str], end: &[&str]) -> Option<Line> {
        let (mut body, mut depth): (Option<Line>, usize) = (None, 0);
        while let Some(line) = self.next_here() {
            // Words inside of blocks are recognized only in lower case.
            let text = line.text().trim_start();
            let first = text.split(|c: char| !c.is_ascii() || !super::scan::is_name(c as u8)).next().unwrap_or("");
            let body = body.get_or_insert_with(|| Line { range: line.range.start..line.range.start, ..line.clone() });
            if end.contains(&first) {
                if depth == 0 {
                    let from = line.text().len() - text.len() + first.len();
                    let is_last = text.get(first.len()..).unwrap_or("").trim().is_empty();
                    self.after_end = (!is_last).then(|| line.place(from..line.text().len()));
                    return Some(body.clone());
                }
                depth -= 1;
            } else if open.contains(&first) {
                depth += 1;
            }
            body.range.end = (line.range.end + 1).min(line.code.len());
        }
        None
    }
}

impl Frame {
    fn line(&mut self) -> Line {
        let rest = self.code.get(self.at..).unwrap_or("");
        let mut len = rest.find('\n').unwrap_or(rest.len());
        while self.in_strings.binary_search(&(self.at + len)).is_ok() {
            let next = rest.get(len + 1..).unwrap_or("");
            len += 1 + next.find('\n').unwrap_or(next.len());
        }
        let range = self.at..self.at + len;
        self.at += len + 1;
        Line { file: self.file, code: self.code.clone(), range }
    }
}

/// A text without its comments.
struct Stripped {
    code: String,
    /// The offset of a comment without an end.
    open: Option<usize>,
    /// The offsets of strings that continue in the next line, and of the newlines in them.
    long_strings: Vec<usize>,
    in_strings: Vec<usize>,
}

/// Replaces comments by blanks. As in LLVM's assembler, YAML documents can have line comments, too. Zeros replace the
/// comments in documents, because a blank there would belong to a text.
fn without_comments(text: &str) -> Stripped {
    let (mut open, mut long_strings, mut in_strings) = (None, Vec::new(), Vec::new());
    let mut out = text.as_bytes().to_vec();
    let (mut at, mut end, mut is_line_start, mut document): (usize, usize, bool, Option<&str>) = (0, 0, true, None);
    // Whether the line has only labels so far, and the last byte that is not a blank.
    let (mut is_label, mut last) = (true, 0);
    let mut filler = b' ';
    while at < out.len() {
        if at > end || at == 0 {
            let rest = text.as_bytes().get(at..).unwrap_or(&[]);
            end = at + rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        }
        if is_line_start {
            let line = text.get(at..end).unwrap_or("").trim();
            let word = line.split(|c: char| !c.is_ascii() || !super::scan::is_name(c as u8)).next().unwrap_or("");
            let was_document = document.is_some();
            document = match document {
                Some(last) => Some(last).filter(|last| *last != word),
                None => DOCUMENTS.iter().find(|(first, _)| *first == word).map(|(_, last)| *last),
            };
            (is_line_start, is_label, last) = (false, true, 0);
            filler = if was_document && document.is_some() { 0 } else { b' ' };
            if line.starts_with('#') {
                let from = at + text.get(at..end).and_then(|line| line.find('#')).unwrap_or(0);
                blank(&mut out, from..end, filler);
                at = end;
                continue;
            }
        }
        let next = |n: usize| byte_at(text, at + n);
        // A line comment. One with `#` begins a line, or follows its labels.
        let is_after_label = is_label && last == b':' && document.is_none();
        if next(0) == b';' || next(0) == b'/' && next(1) == b'/' || next(0) == b'#' && is_after_label {
            blank(&mut out, at..end, filler);
            at = end;
            continue;
        }
        match next(0) {
            b'\n' => is_line_start = true,
            b'"' => {
                let (start, known) = (at, in_strings.len());
                at = string_end(text, at, &mut in_strings);
                if in_strings.len() > known && at < out.len() {
                    long_strings.push(start);
                }
            }
            b'/' if next(1) == b'*' && document.is_none() => {
                let close = text.as_bytes().get(at + 2..).and_then(|rest| rest.windows(2).position(|two| two == b"*/"));
                if close.is_none() {
                    open = Some(at);
                }
                let close = close.map_or(out.len(), |len| at + len + 4);
                // Newlines are replaced, too, so the text after the comment belongs to the line in which the comment
                // began.
                if let Some(comment) = out.get_mut(at..close) {
                    comment.fill(b' ');
                }
                at = close;
                continue;
            }
            // A character in quotes does not begin a comment. In documents, the quote after it may be missing.
            b'\'' if document.is_some() && !line_break(text.get(at..at + 3)) => at += 2,
            b'\'' if next(1) == b'\\' && next(3) == b'\'' => at += 3,
            b'\'' if next(1) != b'\n' && next(2) == b'\'' => at += 2,
            b' ' | b'\t' => {}
            byte => {
                is_label &= byte == b':' || super::scan::is_name(byte);
                last = byte;
            }
        }
        at += 1;
    }
    Stripped { code: String::from_utf8(out).unwrap_or_default(), open, long_strings, in_strings }
}

/// The offset of the quote that ends the string at `start`, or an offset past the text if there is none. Adds the
/// offsets of the newlines in the string to `newlines`.
fn string_end(text: &str, start: usize, newlines: &mut Vec<usize>) -> usize {
    let mut at = start + 1;
    while at < text.len() && byte_at(text, at) != b'"' {
        at += usize::from(byte_at(text, at) == b'\\');
        if byte_at(text, at) == b'\n' {
            newlines.push(at);
        }
        at += 1;
    }
    at
}

fn line_break(part: Option<&str>) -> bool {
    part.is_none_or(|part| part.contains('\n'))
}

fn byte_at(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// Overwrites a range, except for newlines.
fn blank(out: &mut [u8], range: Range<usize>, filler: u8) {
    for byte in out.get_mut(range).into_iter().flatten().filter(|byte| **byte != b'\n') {
        *byte = filler;
    }
}
