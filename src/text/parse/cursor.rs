//! Reading of characters, names and numbers from text.

use super::{Kind, ParseError, Span};

/// A position in a text, from which characters and names are read.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    pub text: &'t [u8],
    pub at: usize,
}

impl<'t> Cursor<'t> {
    pub fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text: text.as_bytes(), at: 0 }
    }

    /// The character that is `n` bytes after the position; 0 beyond the end.
    #[inline(always)]
    pub fn ahead(&self, n: usize) -> u8 {
        self.text.get(self.at + n).copied().unwrap_or(0)
    }

    /// The next character; 0 at the end.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.ahead(0)
    }

    /// The text from the position on.
    pub fn rest(&self) -> &'t [u8] {
        self.text.get(self.at..).unwrap_or(&[])
    }

    /// Skips blanks and comments. The end of a line is not a blank: it ends the instruction.
    #[inline(always)]
    pub fn blank(&mut self) {
        // Most blanks are a single space.
        self.at += usize::from(self.peek() == b' ');
        if CLASSES[usize::from(self.peek())] & BLANK != 0 {
            self.blanks();
        }
    }

    /// Skips any number of blanks and comments.
    fn blanks(&mut self) {
        while CLASSES[usize::from(self.peek())] & BLANK != 0 {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'/' if self.ahead(1) == b'*' => {
                    let rest = self.text.get(self.at + 2..).unwrap_or(&[]);
                    let Some(end) = rest.windows(2).position(|two| two == b"*/") else { return };
                    self.at += end + 4;
                }
                b'/' if self.ahead(1) == b'/' => self.at = self.line_end(),
                b';' => self.at = self.line_end(),
                _ => return,
            }
        }
    }

    fn line_end(&self) -> usize {
        let rest = self.rest();
        self.at + rest.iter().position(|&c| c == b'\n').unwrap_or(rest.len())
    }

    /// Skips lines with nothing but blanks and comments, and the blanks before the next text.
    pub fn lines(&mut self) {
        loop {
            self.blank();
            match self.peek() {
                b'\n' | b'\r' => self.at += 1,
                _ => return,
            }
        }
    }

    /// Skips blanks, and returns whether only lines without an instruction are left.
    #[inline]
    pub fn is_done(&mut self) -> bool {
        self.blank();
        if self.at >= self.text.len() {
            return true;
        }
        let mut after = *self;
        after.lines();
        after.at >= self.text.len()
    }

    /// Skips blanks, then the character if it is the next one; returns whether it was.
    #[inline]
    pub fn eat(&mut self, character: u8) -> bool {
        self.blank();
        let is_next = self.peek() == character;
        self.at += usize::from(is_next);
        is_next
    }

    /// Skips blanks, then these characters if they are the next ones; returns whether they were.
    pub fn eat_all(&mut self, characters: &[u8]) -> bool {
        self.blank();
        let are_next = self.text.get(self.at..).is_some_and(|rest| rest.starts_with(characters));
        self.at += if are_next { characters.len() } else { 0 };
        are_next
    }

    /// Skips blanks and a character, or fails.
    pub fn expect(&mut self, character: u8) -> Result<(), ParseError> {
        match self.eat(character) {
            true => Ok(()),
            false => Err(self.error(Kind::Character(character as char))),
        }
    }

    /// The name at the position, which may be empty; the position does not change.
    #[inline]
    pub fn name(&self) -> &'t [u8] {
        let rest = self.rest();
        let is_first = rest.first().is_some_and(|&c| is_name(c) && !c.is_ascii_digit());
        let len = if is_first { rest.iter().position(|&c| !is_name(c)).unwrap_or(rest.len()) } else { 0 };
        rest.get(..len).unwrap_or(&[])
    }

    /// The characters of a name or number at the position; perhaps none.
    pub fn word(&self) -> &'t [u8] {
        let rest = self.rest();
        rest.get(..rest.iter().position(|&c| !is_name(c)).unwrap_or(rest.len())).unwrap_or(&[])
    }

    /// Skips blanks, then the name if it is the next one; returns whether it was.
    pub fn eat_name(&mut self, name: &[u8]) -> bool {
        self.blank();
        let is_next = self.name() == name;
        self.at += if is_next { name.len() } else { 0 };
        is_next
    }

    /// Skips blanks, then a name and the character after it if both follow; returns whether they did.
    pub fn eat_call(&mut self, name: &[u8], character: u8) -> bool {
        self.blank();
        if self.name() != name {
            return false;
        }
        let mut after = Cursor { at: self.at + name.len(), ..*self };
        if !after.eat(character) {
            return false;
        }
        *self = after;
        true
    }

    /// The text between two positions.
    pub fn between(&self, start: usize, end: usize) -> &'t [u8] {
        self.text.get(start..end).unwrap_or(&[])
    }

    /// The names, numbers and single characters in the rest of the line, each with its position. Comments are left out.
    /// A comment without an end ends the iteration, so that the search for its end is not repeated after each word.
    pub fn words(self) -> impl Iterator<Item = (usize, &'t [u8])> {
        let mut cursor = self;
        core::iter::from_fn(move || {
            cursor.blank();
            let start = cursor.at;
            if cursor.peek() == b'\n' || cursor.peek() == b'/' && cursor.ahead(1) == b'*' {
                return None;
            }
            cursor.at += cursor.word().len().max(1);
            Some((start, cursor.text.get(start..cursor.at)?))
        })
    }

    /// Whether a name occurs in the rest of the line.
    pub fn has_name(&self, name: &[u8]) -> bool {
        self.words().any(|(_, word)| word == name)
    }

    /// The position of `::` in the rest of the line.
    pub fn find_dual(&self) -> Option<usize> {
        let is_dual = |at: usize| self.between(at, at + 2) == b"::";
        self.words().map(|(at, _)| at).find(|&at| is_dual(at))
    }

    /// Skips the text of an operand: up to a comma outside of brackets, or up to the end.
    pub fn skip_operand(&mut self) {
        let mut depth = 0usize;
        let mut ends = |word: &[u8]| {
            match word {
                b"[" | b"(" => depth += 1,
                b"]" | b")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && word == b","
        };
        let end = self.words().find(|(_, word)| ends(word));
        self.at = end.map_or_else(|| self.line_end(), |(at, _)| at);
    }

    /// Whether square brackets come next, perhaps after a minus: in the place of an operand, they hold registers.
    pub fn is_list(mut self) -> bool {
        self.eat(b'-');
        self.eat(b'[')
    }

    /// The number of operands in the rest of the line: texts with commas outside of brackets between them.
    pub fn operands(self) -> usize {
        let (mut cursor, mut count) = (self, 0);
        while !cursor.is_done() && !matches!(cursor.peek(), b'\n' | b'\r') {
            cursor.skip_operand();
            count += 1;
            cursor.eat(b',');
        }
        count
    }

    /// An error about the name, the number or the character at the position.
    pub fn error(&self, kind: Kind) -> ParseError {
        let mut start = *self;
        start.blank();
        let len = start.word().len().max(usize::from(start.peek() != 0));
        ParseError::new(Span::new(start.at, start.at + len), kind)
    }

    /// An error about the text from `start` to the position.
    pub fn error_since(&self, start: usize, kind: Kind) -> ParseError {
        let mut end = self.at;
        while end > start && self.between(end - 1, end).first().is_some_and(u8::is_ascii_whitespace) {
            end -= 1;
        }
        ParseError::new(Span::new(start, end), kind)
    }
}

/// Whether a character can be in a name.
#[inline]
pub(super) fn is_name(c: u8) -> bool {
    CLASSES[usize::from(c)] & NAME != 0
}

/// Whether an operand, in the printer's spelling, ends before this character; 0 stands for the end of the text.
#[cfg(feature = "fast")]
#[inline]
pub(super) fn ends_operand(c: u8) -> bool {
    CLASSES[usize::from(c)] & END != 0
}

/// Classes of characters: part of a name, end of an operand, or start of a text that [`Cursor::blank`] skips.
const NAME: u8 = 1;
const END: u8 = 2;
const BLANK: u8 = 4;
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut c = 0;
    while c < classes.len() {
        classes[c] = match c as u8 {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'.' | b'$' | b'@' => NAME,
            b' ' | b'\t' => END | BLANK,
            b',' | b'\n' | b'\r' | 0 => END,
            b'/' | b';' => BLANK,
            _ => 0,
        };
        c += 1;
    }
    classes
};
