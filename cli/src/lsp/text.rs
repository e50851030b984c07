//! The text of a document: bytes, and the lines and characters that the protocol counts.

use std::ops::Range;

use lsp_types::{Position, TextDocumentContentChangeEvent};

/// The unit in which the protocol counts the characters of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    #[default]
    Utf16,
}

impl Encoding {
    fn len(self, text: &str) -> usize {
        match self {
            Encoding::Utf8 => text.len(),
            Encoding::Utf16 => text.encode_utf16().count(),
        }
    }
}

/// A text with its lines.
#[derive(Clone, Debug)]
pub struct Text {
    encoding: Encoding,
    text: String,
    /// The first bytes of the lines as the protocol counts them: `\n`, `\r\n` or `\r` ends a line.
    lines: Vec<usize>,
    /// The first bytes of the lines as the assembler counts them: only `\n` ends a line.
    source_lines: Vec<usize>,
}

impl Text {
    pub fn new(text: String, encoding: Encoding) -> Text {
        let bytes = text.as_bytes();
        let ends = |at: &usize| match bytes.get(*at) {
            Some(b'\n') => true,
            Some(b'\r') => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        };
        let after = |at: usize| at + 1;
        let lines = std::iter::once(0).chain((0..bytes.len()).filter(ends).map(after)).collect();
        let newlines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let source_lines = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
        Text { encoding, text, lines, source_lines }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text in a range of bytes. A bound within a character moves to the beginning of the character.
    pub fn get(&self, range: Range<usize>) -> &str {
        self.text.get(self.floor(range.start)..self.floor(range.end.max(range.start))).unwrap_or("")
    }

    /// The beginning of the character that a byte is in.
    fn floor(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    pub fn position(&self, at: usize) -> Position {
        let at = self.floor(at);
        let line = self.lines.partition_point(|start| *start <= at).saturating_sub(1);
        let start = self.lines.get(line).copied().unwrap_or(0);
        let character = self.encoding.len(self.text.get(start..at).unwrap_or(""));
        let limited = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position::new(limited(line), limited(character))
    }

    pub fn range(&self, range: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(self.position(range.start), self.position(range.end.max(range.start)))
    }

    /// The byte at a position. A position after the end of a line counts as its end.
    pub fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.lines.get(line).copied() else { return self.text.len() };
        let end = self.lines.get(line + 1).copied().unwrap_or(self.text.len());
        let contents = self.text.get(start..end).unwrap_or("").trim_end_matches(['\r', '\n']);
        let (mut at, mut units) = (start, 0);
        for c in contents.chars() {
            units += self.encoding.len(c.encode_utf8(&mut [0; 4]));
            if units > position.character as usize {
                break;
            }
            at += c.len_utf8();
        }
        at
    }

    /// The byte of a line and a column as the assembler counts them, from 1 on.
    pub fn source_offset(&self, line: usize, column: usize) -> usize {
        let start = self.source_lines.get(line.saturating_sub(1)).copied().unwrap_or(self.text.len());
        self.floor(start.saturating_add(column.saturating_sub(1)))
    }

    /// The number of the line that a byte is in, as the assembler counts lines, from 1 on.
    pub fn source_line(&self, at: usize) -> usize {
        self.source_lines.partition_point(|start| *start <= at)
    }

    /// The range of the line that a byte is in, without blanks at its end, as the assembler counts lines.
    pub fn line_at(&self, at: usize) -> Range<usize> {
        let line = self.source_line(at);
        let start = self.source_lines.get(line.saturating_sub(1)).copied().unwrap_or(0);
        let end = self.source_lines.get(line).map_or(self.text.len(), |next| next.saturating_sub(1));
        let len = self.text.get(start..end).map_or(0, |text| text.trim_end().len());
        start..start + len
    }

    /// Makes a change of the editor.
    pub fn change(&mut self, change: TextDocumentContentChangeEvent) {
        let mut text = std::mem::take(&mut self.text);
        match change.range {
            None => text = change.text,
            Some(range) => {
                self.text = text;
                let (start, end) = (self.offset(range.start), self.offset(range.end));
                text = std::mem::take(&mut self.text);
                text.replace_range(start.min(end)..end.max(start), &change.text);
            }
        }
        *self = Text::new(text, self.encoding);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_units_of_the_encoding() {
        let source = "a\u{e9}\u{1f600}b\r\n\rc";
        for (encoding, column) in [(Encoding::Utf8, 7), (Encoding::Utf16, 4)] {
            let text = Text::new(source.into(), encoding);
            let at = source.find('b').unwrap();
            assert_eq!(text.position(at), Position::new(0, column));
            assert_eq!(text.offset(Position::new(0, column)), at);
            assert_eq!(text.position(source.len()), Position::new(2, 1));
            assert_eq!(text.offset(Position::new(0, 99)), at + 1, "the end of the line");
            assert_eq!(text.offset(Position::new(9, 0)), source.len());
            assert_eq!(text.offset(Position::new(0, column - 1)), at - 4, "a character is whole");
            assert_eq!(text.source_offset(2, 2), source.len() - 1);
        }
    }

    #[test]
    fn changes_are_made_in_their_order() {
        let mut text = Text::new("one\ntw\u{f6}\n".into(), Encoding::Utf16);
        let change = |start, end, text: &str| TextDocumentContentChangeEvent {
            range: Some(lsp_types::Range::new(start, end)),
            range_length: None,
            text: text.into(),
        };
        text.change(change(Position::new(1, 2), Position::new(1, 3), "o"));
        text.change(change(Position::new(2, 0), Position::new(2, 0), "three\n"));
        text.change(change(Position::new(1, 0), Position::new(0, 3), "/"));
        text.change(change(Position::new(u32::MAX, 0), Position::new(7, u32::MAX), "."));
        assert_eq!(text.as_str(), "one/two\nthree\n.");
        text.change(TextDocumentContentChangeEvent { range: None, range_length: None, text: String::new() });
        assert_eq!((text.as_str(), text.position(5)), ("", Position::new(0, 0)));
    }
}
