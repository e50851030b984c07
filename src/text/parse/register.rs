//! Parser of registers: `v5`, `s[2:3]`, `[s2,s3]`, `vcc`, `v1.h`.

use super::cursor::{Cursor, is_name};
use super::symbols::Symbols;
use super::{Kind, ParseError, Parser};
use crate::code::{AGPR, FLOAT, FLOAT_LAST, VECTOR_LAST, VGPR, VGPR_LAST};
use crate::table::{OperandTables, TextTables};
use crate::target::{OPERANDS, TEXT, Target};
use crate::value::Reg;

/// An upper bound of the number of registers of an operand.
const MOST_DWORDS: u16 = 64;

/// A run of registers, or a special register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The operand code of the first register; the codes of accumulation registers begin at `AGPR`.
    pub code: u16,
    /// The number of registers; 0 for a special register that takes the length of the operand.
    pub dwords: u16,
    pub half: Option<Half>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Half {
    Low,
    High,
}

/// The register file that the letters of a register's name select.
#[derive(Clone, Copy, PartialEq, Eq)]
enum File {
    Sgpr,
    Vgpr,
    Agpr,
    Ttmp,
}

impl File {
    fn of(name: &[u8]) -> Option<File> {
        match name {
            b"s" => Some(File::Sgpr),
            b"v" => Some(File::Vgpr),
            b"a" | b"acc" => Some(File::Agpr),
            b"ttmp" => Some(File::Ttmp),
            _ => None,
        }
    }
}

/// Whether a name is that of a register with a number, such as `v5`. No symbol can have such a name.
pub(super) fn is_numbered(name: &[u8]) -> bool {
    let letters = name.iter().take_while(|c| !c.is_ascii_digit()).count();
    let (file, digits) = (name.get(..letters).and_then(File::of), name.get(letters..).unwrap_or(&[]));
    file.is_some() && !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// A register's file and its number, or the special register with a code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Name {
    Numbered(File, u32),
    Special(u16),
    /// A special register of 64 bits.
    Pair(u16),
    /// `v[`, which is followed by numbers.
    Open(File),
}

/// Whether a word is the name of a register, or the name without `src_`.
pub(super) fn is_spelling(name: &[u8], word: &[u8]) -> bool {
    name == word || name.strip_prefix(b"src_") == Some(word)
}

/// The tables for reading registers.
pub(super) struct Registers {
    pub operands: &'static OperandTables,
    pub text: &'static TextTables,
    /// The number of vector registers: a run must not extend beyond the last one.
    pub vgprs: u16,
}

impl Registers {
    /// The registers of a target.
    pub fn of(target: Target) -> Registers {
        Registers { operands: OPERANDS[target as usize], text: TEXT[target as usize], vgprs: target.vgprs() }
    }

    /// The register that the name at the cursor means, and the number of bytes to skip; `None` for other names.
    fn name(&self, cursor: &Cursor) -> Option<(Name, usize)> {
        let word = cursor.name();
        let stem = word.iter().position(|&c| c == b'.').map_or(word, |dot| word.get(..dot).unwrap_or(word));
        let letters = stem.iter().position(u8::is_ascii_digit).unwrap_or(stem.len());
        // `v1.l` is half a register, and `v1.size` a symbol.
        let can_be_register = matches!(word.get(stem.len()..), Some(b"" | b".l" | b".h"));
        if let Some(file) = File::of(stem.get(..letters)?).filter(|_| can_be_register) {
            let digits = stem.get(letters..)?;
            if digits.is_empty() {
                let mut after = Cursor { at: cursor.at + stem.len(), ..*cursor };
                return after.eat(b'[').then_some((Name::Open(file), after.at - cursor.at));
            }
            if digits.iter().all(u8::is_ascii_digit) && digits.len() <= 6 {
                let number = digits.iter().fold(0, |n, &digit| 10 * n + u32::from(digit - b'0'));
                return Some((Name::Numbered(file, number), stem.len()));
            }
        }
        let is = |name: &str| !name.is_empty() && is_spelling(name.as_bytes(), word);
        let found = self.text.names.codes.iter().find(|(_, name, pair)| is(name) || is(pair))?;
        let &(code, name, pair) = found;
        let special = if is(pair) && !is(name) { Name::Pair(code) } else { Name::Special(code) };
        (!(FLOAT..=FLOAT_LAST).contains(&code)).then_some((special, word.len()))
    }

    /// Whether a register begins here.
    pub(super) fn is_here(&self, cursor: &Cursor) -> bool {
        self.name(cursor).is_some()
    }

    /// Reads the registers at the cursor, if there are any.
    pub fn read(&self, cursor: &mut Cursor, symbols: &dyn Symbols) -> Result<Option<Run>, ParseError> {
        cursor.blank();
        if cursor.peek() == b'[' { self.list(cursor, symbols) } else { self.single(cursor, symbols) }
    }

    /// Reads a register or a run that is not a list: a list cannot contain lists.
    fn single(&self, cursor: &mut Cursor, symbols: &dyn Symbols) -> Result<Option<Run>, ParseError> {
        cursor.blank();
        let start = cursor.at;
        let Some((name, len)) = self.name(cursor) else { return Ok(None) };
        cursor.at += len;
        let run = match name {
            Name::Open(file) => {
                let first = cursor.integer(symbols)?;
                let last = if cursor.eat(b':') { cursor.integer(symbols)? } else { first };
                cursor.expect(b']')?;
                self.between(file, first, last)
            }
            Name::Numbered(file, number) => self.run(file, number, 1),
            Name::Special(code) => Ok(Run { code, dwords: if self.is_any(code) { 0 } else { 1 }, half: None }),
            Name::Pair(code) => Ok(Run { code, dwords: 2, half: None }),
        };
        let mut run = run.map_err(|kind| cursor.error_since(start, kind))?;
        let ends = !is_name(cursor.ahead(2));
        if run.dwords == 1 && cursor.peek() == b'.' && ends && (VGPR..AGPR).contains(&run.code) {
            run.half = match cursor.ahead(1) {
                b'l' => Some(Half::Low),
                b'h' => Some(Half::High),
                _ => None,
            };
            cursor.at += if run.half.is_some() { 2 } else { 0 };
        }
        Ok(Some(run))
    }

    /// Whether a special register can be an operand of any length.
    fn is_any(&self, code: u16) -> bool {
        let found = self.text.names.codes.iter().find(|c| c.0 == code);
        found.is_some_and(|(_, name, pair)| name == pair)
    }

    /// The run from one number to another.
    fn between(&self, file: File, first: i64, last: i64) -> Result<Run, Kind> {
        if first < 0 || last < 0 {
            return Err(Kind::Negative);
        }
        if last < first {
            return Err(Kind::Backward);
        }
        let first = first.min(u16::MAX.into());
        // A run beyond the last register gives the error `Beyond`, however long it is.
        let length = last.wrapping_sub(first).min(i64::from(u16::MAX) - 1) as u16 + 1;
        let run = self.run(file, first as u32, length)?;
        if length > MOST_DWORDS { Err(Kind::Length(length)) } else { Ok(run) }
    }

    fn run(&self, file: File, first: u32, dwords: u16) -> Result<Run, Kind> {
        let t = self.operands;
        let (base, last, reg): (_, _, fn(u16) -> Reg) = match file {
            File::Sgpr => (0, t.sgpr_last, |n| Reg::Sgpr(n as u8)),
            File::Vgpr => (VGPR, VGPR_LAST, Reg::Vgpr),
            File::Agpr => (AGPR, AGPR + VECTOR_LAST, |n| Reg::Agpr(n as u8)),
            File::Ttmp => (t.ttmp_first, t.ttmp_last, |n| Reg::Ttmp(n as u8)),
        };
        // Runs of vector registers can extend beyond the last register that has a code.
        let most = if file == File::Vgpr { base + self.vgprs - 1 } else { last };
        let start = u32::from(base) + first;
        match start <= last.into() && start + u32::from(dwords) - 1 <= most.into() {
            true => Ok(Run { code: base + first as u16, dwords, half: None }),
            false => Err(Kind::Beyond(reg(last - base))),
        }
    }

    /// Reads a list of consecutive registers: `[s2,s3]`.
    fn list(&self, cursor: &mut Cursor, symbols: &dyn Symbols) -> Result<Option<Run>, ParseError> {
        let start = cursor.at;
        cursor.at += 1;
        let mut all: Option<Run> = None;
        loop {
            let place = cursor.at;
            let Some(next) = self.single(cursor, symbols)? else {
                return Err(cursor.error(Kind::Register));
            };
            let follows = |run: &Run| run.code + run.dwords == next.code && next.dwords == 1 && next.half.is_none();
            all = match all {
                None if next.dwords == 1 || !cursor.between(place, cursor.at).contains(&b'[') => Some(next),
                Some(run) if follows(&run) => Some(Run { dwords: run.dwords + 1, ..run }),
                _ => return Err(cursor.error_since(place, Kind::NotConsecutive)),
            };
            if !cursor.eat(b',') {
                break;
            }
        }
        cursor.expect(b']')?;
        // As in LLVM's assembler, a list can contain the lower half of a register only if it contains nothing else.
        match all.filter(|run| run.half.is_none() || run.half == Some(Half::Low) && run.dwords == 1) {
            Some(run) => Ok(Some(run)),
            None => Err(cursor.error_since(start, Kind::Register)),
        }
    }
}

impl Parser<'_, '_> {
    pub(super) fn registers(&self) -> Registers {
        Registers { operands: self.operands, text: self.text, vgprs: self.words.target.vgprs() }
    }
}
