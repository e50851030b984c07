//! Parser of constants with parts, and of other numbers.

use super::symbols::Integer;
use super::{Kind, ParseError, Parser, Span, Symbols, operation};
use crate::codec::EncodedOperand;
use crate::error::FieldError;
use crate::imm::{DelayAlu, Depctr, GprIdx, Hwreg, Sendmsg, Waitcnt};
use crate::kind::{NONE, Notation, NumberKind, OperandKind, PartsKind, Position};
use crate::opcode::Field;
use crate::table::{Counter, OperandDesc};
use crate::target::IMMS;

/// The positions and the greatest values of the operation and the stream of a message. LLVM's assembler encodes both
/// in the same way on all targets.
const OP_AT: u32 = 4;
const OP_MOST: u8 = 7;
const STREAM_AT: u32 = 8;
const STREAM_MOST: u8 = 3;

/// The least and the greatest value of each part of `hwreg(...)`.
const IDS: [i64; 2] = [0, 63];
const OFFSETS: [i64; 2] = [0, 31];
const SIZES: [i64; 2] = [1, 32];

/// The symbols of an expression: first these names with their values, then other symbols.
struct Names<'a> {
    names: &'a [(u16, &'a str)],
    symbols: &'a dyn Symbols,
}

impl Symbols for Names<'_> {
    fn value(&self, name: &str) -> Option<Integer> {
        match self.names.iter().find(|(_, known)| *known == name) {
            Some((value, _)) => Some(Integer { value: (*value).into(), open: false }),
            None => self.symbols.value(name),
        }
    }

    fn expression(&self, place: Span) {
        self.symbols.expression(place);
    }
}

impl Parser<'_, '_> {
    pub(super) fn immediate(&mut self, desc: &OperandDesc) -> Result<EncodedOperand, ParseError> {
        if self.cursor.is_done() {
            return Err(self.cursor.error(Kind::Missing(desc.field)));
        }
        let start = self.cursor.at;
        let OperandKind::Number(kind) = desc.kind else { return Err(self.cursor.error(Kind::Unexpected)) };
        // As in LLVM's assembler, a bracket in these operands is an error of an expression; in others, it begins
        // registers.
        let is_any = matches!(kind, NumberKind::Plain(_) | NumberKind::Label | NumberKind::Literal { .. })
            && kind != NumberKind::Plain(Notation::Endpgm);
        if is_any && self.cursor.is_list() {
            return Err(self.cursor.error(Kind::Expression));
        }
        // In a plain number, which cannot be a literal, `lit(...)` and `lit64(...)` mean the number in the parentheses.
        let notation = if let NumberKind::Plain(notation) = kind { Some(notation) } else { None };
        let takes_call = notation.is_some_and(|notation| notation != Notation::Endpgm);
        // Negative numbers are accepted, except in operands that are never signed.
        let has_sign = !matches!(
            kind,
            NumberKind::Parts(PartsKind::Sendmsg | PartsKind::Hwreg)
                | NumberKind::Plain(Notation::Endpgm | Notation::Events | Notation::Unsigned)
        );
        let least = if has_sign { i16::MIN.into() } else { 0 };
        if takes_call && (self.cursor.eat_call(b"lit64", b'(') || self.cursor.eat_call(b"lit", b'(')) {
            let value = self.within(desc.field, least, u16::MAX.into())?;
            self.cursor.expect(b')')?;
            return Ok(EncodedOperand::Number(if desc.width == 16 { (value as u16).into() } else { value }));
        }
        let found = match kind {
            NumberKind::Label => {
                if self.is_register_ahead() {
                    return Err(self.cursor.error(Kind::Operand(desc.field)));
                }
                let value = self.within(desc.field, i16::MIN.into(), u16::MAX.into())?;
                return Ok(EncodedOperand::Label(value as u16 as i16));
            }
            NumberKind::Attribute { channel } => return self.attribute(channel, desc),
            NumberKind::Choice(list) => {
                self.name_or(desc.field, self.text.names.of_number(list), list.unnamed().as_bytes())?
            }
            NumberKind::Parts(kind) => match kind {
                PartsKind::Waitcnt => self.waitcnt()?,
                PartsKind::Hwreg => self.hwreg()?,
                PartsKind::Sendmsg => self.sendmsg()?,
                PartsKind::GprIdx => self.gpr_idx()?,
                PartsKind::Depctr => self.depctr()?,
                PartsKind::DelayAlu => self.delay_alu()?,
            },
            NumberKind::Plain(Notation::Events) => self.events(desc.field)?,
            NumberKind::Plain(_) | NumberKind::Literal { .. } => None,
        };
        let names = if notation == Some(Notation::Version) { self.text.names.version } else { &[] };
        let names = Names { names, symbols: self.symbols };
        let (value, is_number) = match found {
            Some(value) => (value, false),
            None => (self.cursor.integer(&names)?, true),
        };
        let range = least..=i64::from(u16::MAX);
        let is_u16 = is_number && desc.width == 16 && !kind.is_signed();
        if is_u16 && !range.contains(&value) {
            let kind = Kind::Range { field: desc.field, min: *range.start(), max: *range.end() };
            return Err(self.cursor.error_since(start, kind));
        }
        Ok(EncodedOperand::Number(if is_u16 { (value as u16).into() } else { value }))
    }

    /// Reads a number from `min` to `max`.
    fn within(&mut self, field: Field, min: i64, max: i64) -> Result<i64, ParseError> {
        self.cursor.blank();
        let start = self.cursor.at;
        let value = self.cursor.integer(self.symbols)?;
        match (min..=max).contains(&value) {
            true => Ok(value),
            false => Err(self.cursor.error_since(start, Kind::Range { field, min, max })),
        }
    }

    /// Reads an attribute: `attr5.x`.
    fn attribute(&mut self, channel_at: Position, desc: &OperandDesc) -> Result<EncodedOperand, ParseError> {
        let error = self.cursor.error(Kind::Operand(desc.field));
        let name = self.cursor.name();
        let mut parts = name.strip_prefix(b"attr").ok_or(error)?.split(|&c| c == b'.');
        let (digits, channel) = (parts.next().ok_or(error)?, parts.next());
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) || digits.len() > 3 || parts.next().is_some() {
            return Err(error);
        }
        let number = digits.iter().fold(0, |n, &digit| 10 * n + i64::from(digit - b'0'));
        let channel = match channel {
            Some(b"x") => 0,
            Some(b"y") => 1,
            Some(b"z") => 2,
            Some(b"w") => 3,
            None if channel_at == NONE => 0,
            _ => return Err(error),
        };
        self.cursor.at += name.len();
        Ok(if channel_at == NONE { EncodedOperand::Number(number) } else { EncodedOperand::Attr(number, channel) })
    }

    /// Reads a name, or a prefix with a number for a value without a name.
    fn name_or(&mut self, field: Field, names: &[(u16, &str)], prefix: &[u8]) -> Result<Option<i64>, ParseError> {
        let name = self.cursor.name();
        let number = |digits: &[u8]| core::str::from_utf8(digits).ok()?.parse::<u16>().ok();
        let value = self.named(names, name).or_else(|| Some(number(name.strip_prefix(prefix)?)?.into()));
        let value = value.ok_or_else(|| self.cursor.error(Kind::Name(field)))?;
        self.cursor.at += name.len();
        Ok(Some(value.into()))
    }

    /// Reads a named value or a number.
    fn part(&mut self, field: Field, names: &[(u16, &str)], [min, max]: [i64; 2]) -> Result<u8, ParseError> {
        match self.name_of(names) {
            Some(value) => Ok(value),
            None => Ok(self.between(field, min, max)? as u8),
        }
    }

    /// Reads a named value. A name can be a synonym.
    fn name_of(&mut self, names: &[(u16, &str)]) -> Option<u8> {
        self.cursor.blank();
        let name = self.cursor.name();
        let synonym = || self.named(names, operation::meaning(self.words.target, name).0);
        let value = self.named(names, name).or_else(synonym)?;
        self.cursor.at += name.len();
        Some(value as u8)
    }

    fn encoded(&self, start: usize, result: Result<u16, FieldError>) -> Result<Option<i64>, ParseError> {
        match result {
            Ok(value) => Ok(Some(value.into())),
            Err(error) => Err(self.cursor.error_since(start, Kind::Part(error))),
        }
    }

    /// Skips the separator between two counters, if there is one, and returns whether another counter follows.
    fn next_counter(&mut self) -> Result<bool, ParseError> {
        let is_separated = self.cursor.eat(b'&') || self.cursor.eat(b',');
        match self.cursor.is_done() {
            true if is_separated => Err(self.cursor.error(Kind::Name(Field::Simm16))),
            is_done => Ok(!is_done),
        }
    }

    /// Reads `vmcnt(0) & lgkmcnt(1)`; `vmcnt_sat(99)` means the greatest count, if 99 does not fit.
    fn waitcnt(&mut self) -> Result<Option<i64>, ParseError> {
        let start = self.cursor.at;
        let target = self.words.target;
        let mut wait = Waitcnt::new();
        if self.cursor.name().is_empty() || !self.is_call() {
            return Ok(None);
        }
        loop {
            self.cursor.blank();
            let name = self.cursor.name();
            let (stem, saturates) = match name.strip_suffix(b"_sat") {
                Some(stem) => (stem, true),
                None => (name, false),
            };
            let named = |counter: &&Counter| counter.name().as_bytes() == stem;
            let known =
                Counter::ALL.iter().find(named).and_then(|&counter| Some((counter, Waitcnt::max(target, counter)?)));
            let Some((counter, max)) = known else { return Err(self.cursor.error(Kind::Name(Field::Simm16))) };
            self.cursor.at += name.len();
            self.cursor.expect(b'(')?;
            let place = self.cursor.at;
            let count = self.cursor.integer(self.symbols)?;
            let fits = u8::try_from(count).ok().filter(|&count| count <= max).or(saturates.then_some(max));
            let kind = Kind::Range { field: Field::Simm16, min: 0, max: max.into() };
            let count = fits.ok_or_else(|| self.cursor.error_since(place, kind))?;
            wait = if count == max { wait.without(counter) } else { wait.with(counter, count) };
            self.cursor.expect(b')')?;
            if !self.next_counter()? {
                break;
            }
        }
        self.encoded(start, wait.encode(target))
    }

    /// Reads `{ dont_wait_export_ready: 1 }`.
    fn events(&mut self, field: Field) -> Result<Option<i64>, ParseError> {
        if !self.cursor.eat(b'{') {
            return Ok(None);
        }
        let (mut bits, mut seen) = (0i64, 0i64);
        while !self.cursor.eat(b'}') {
            if seen != 0 {
                self.cursor.expect(b',')?;
                self.cursor.blank();
            }
            let start = self.cursor.at;
            let event = self.name_of(self.text.names.wait_event).ok_or_else(|| self.cursor.error(Kind::Name(field)))?;
            let bit = 1i64.checked_shl(event.into()).unwrap_or(0);
            if seen & bit != 0 {
                return Err(self.cursor.error_since(start, Kind::Duplicate(field)));
            }
            seen |= bit;
            self.cursor.expect(b':')?;
            bits |= if self.up_to(field, 1)? == 1 { bit } else { 0 };
        }
        Ok(Some(bits))
    }

    /// Whether a name and an opening parenthesis follow.
    fn is_call(&self) -> bool {
        let mut after = self.cursor;
        after.at += after.name().len();
        after.eat(b'(')
    }

    /// Reads `hwreg(HW_REG_MODE, 0, 4)`, or `{id: 1, offset: 0, size: 4}`, in which LLVM's assembler accepts no names.
    fn hwreg(&mut self) -> Result<Option<i64>, ParseError> {
        let start = self.cursor.at;
        let (mut id, mut offset, mut size) = (0, 0, 32);
        let is_bare = !self.cursor.eat_call(b"hwreg", b'(');
        if is_bare && self.cursor.peek() != b'{' {
            return Ok(None);
        }
        if is_bare && self.cursor.eat(b'{') {
            let mut seen = [false; 3];
            while !self.cursor.eat(b'}') {
                if seen != [false; 3] {
                    self.cursor.expect(b',')?;
                    self.cursor.blank();
                }
                let name = self.cursor.name();
                let (field, range, part, is_seen) = match name {
                    b"id" => (Field::Id, IDS, &mut id, &mut seen[0]),
                    b"offset" => (Field::Offset, OFFSETS, &mut offset, &mut seen[1]),
                    b"size" => (Field::Size, SIZES, &mut size, &mut seen[2]),
                    _ => return Err(self.cursor.error(Kind::Name(Field::Simm16))),
                };
                if core::mem::replace(is_seen, true) {
                    return Err(self.cursor.error(Kind::Duplicate(field)));
                }
                self.cursor.at += name.len();
                self.cursor.expect(b':')?;
                *part = self.part(field, &[], range)?;
            }
        } else {
            id = self.part(Field::Id, self.text.names.hwreg, IDS)?;
            if self.cursor.eat(b',') {
                offset = self.part(Field::Offset, &[], OFFSETS)?;
                self.cursor.expect(b',')?;
                size = self.part(Field::Size, &[], SIZES)?;
            }
        }
        if !is_bare {
            self.cursor.expect(b')')?;
        }
        self.encoded(start, Hwreg { id, offset, size }.encode(self.words.target))
    }

    /// Reads `sendmsg(MSG_GS, GS_OP_EMIT, 1)`. A message with a name has the parts that it needs; one with a number can
    /// have any parts, also on targets whose messages have none.
    fn sendmsg(&mut self) -> Result<Option<i64>, ParseError> {
        let start = self.cursor.at;
        if !self.cursor.eat_call(b"sendmsg", b'(') {
            return Ok(None);
        }
        self.cursor.blank();
        let (text, name_at) = (self.text, self.cursor.at);
        let (message, is_named) = match self.name_of(text.names.sendmsg) {
            Some(message) => (message, true),
            None => (self.up_to(Field::Message, u8::MAX.into())? as u8, false),
        };
        let after_message = self.cursor;
        let messages = &IMMS[self.words.target as usize];
        let operations = messages.operations_of(message);
        let ops = text.names.of_operations(messages.operations_after(message));
        let (mut op, mut stream) = (0, 0);
        if self.cursor.eat(b',') {
            self.cursor.blank();
            if is_named && operations.is_none() {
                return Err(self.cursor.error(Kind::Unexpected));
            }
            let place = self.cursor.at;
            op = match self.name_of(ops) {
                Some(op) => op,
                None => self.up_to(Field::Op, OP_MOST.into())? as u8,
            };
            let is_known = ops.iter().any(|(value, _)| *value == u16::from(op));
            if is_named && !(is_known && operations.is_some_and(|row| row.accepts(op))) {
                return Err(self.cursor.error_since(place, Kind::Name(Field::Op)));
            }
            if self.cursor.eat(b',') {
                self.cursor.blank();
                if is_named && !operations.is_some_and(|row| row.has_stream(op)) {
                    return Err(self.cursor.error(Kind::Unexpected));
                }
                stream = self.up_to(Field::Stream, STREAM_MOST.into())? as u8;
            }
        } else if is_named && operations.is_some_and(|row| !row.is_optional) {
            return Err(after_message.error_since(name_at, Kind::Missing(Field::Op)));
        }
        self.cursor.expect(b')')?;
        let message = Sendmsg { message, op: 0, stream: 0, rest: 0 }.encode(self.words.target);
        let parts = u16::from(op) << OP_AT | u16::from(stream) << STREAM_AT;
        match message {
            Ok(message) => self.encoded(start, Ok(message | parts)),
            Err(error) => Err(after_message.error_since(name_at, Kind::Part(error))),
        }
    }

    /// Reads `gpr_idx(SRC0,DST)`.
    fn gpr_idx(&mut self) -> Result<Option<i64>, ParseError> {
        let start = self.cursor.at;
        if !self.cursor.eat_call(b"gpr_idx", b'(') {
            return Ok(None);
        }
        let mut all = GprIdx::default();
        if !self.cursor.eat(b')') {
            loop {
                self.cursor.blank();
                let part = match self.cursor.name() {
                    b"SRC0" => &mut all.src0,
                    b"SRC1" => &mut all.src1,
                    b"SRC2" => &mut all.src2,
                    b"DST" => &mut all.dst,
                    _ => return Err(self.cursor.error(Kind::Name(Field::Simm16))),
                };
                if core::mem::replace(part, true) {
                    return Err(self.cursor.error(Kind::Duplicate(Field::Simm16)));
                }
                self.cursor.at += self.cursor.name().len();
                if !self.cursor.eat(b',') {
                    break;
                }
            }
            self.cursor.expect(b')')?;
        }
        self.encoded(start, all.encode(self.words.target))
    }

    /// Reads `depctr_va_vdst(0) depctr_sa_sdst(0)`.
    fn depctr(&mut self) -> Result<Option<i64>, ParseError> {
        let start = self.cursor.at;
        let target = self.words.target;
        let (mut wait, mut seen) = (Depctr::default(), 0u32);
        if self.cursor.name().is_empty() || !self.is_call() {
            return Ok(None);
        }
        loop {
            self.cursor.blank();
            let name = self.cursor.name();
            let known = wait.parts().into_iter().map(|(part, _)| part).enumerate().find(|(_, part)| {
                name.strip_prefix(b"depctr_") == Some(part.name().as_bytes()) && Depctr::max(target, *part) > 0
            });
            let Some((number, part)) = known else { return Err(self.cursor.error(Kind::Name(Field::Simm16))) };
            if seen >> number & 1 == 1 {
                return Err(self.cursor.error(Kind::Duplicate(part)));
            }
            seen |= 1 << number;
            self.cursor.at += name.len();
            self.cursor.expect(b'(')?;
            let max = Depctr::max(target, part);
            let count = self.up_to(part, max.into())? as u8;
            wait.set(part, (count != max).then_some(count));
            self.cursor.expect(b')')?;
            if !self.next_counter()? {
                break;
            }
        }
        self.encoded(start, wait.encode(target))
    }

    /// Reads `instid0(VALU_DEP_1) | instskip(NEXT) | instid1(VALU_DEP_2)`.
    fn delay_alu(&mut self) -> Result<Option<i64>, ParseError> {
        let start = self.cursor.at;
        if self.cursor.name().is_empty() || !self.is_call() {
            return Ok(None);
        }
        let mut all = DelayAlu::default();
        loop {
            self.cursor.blank();
            let name = self.cursor.name();
            let (field, part, names) = match name {
                b"instid0" => (Field::Instid0, &mut all.instid0, self.text.names.instid),
                b"instskip" => (Field::Instskip, &mut all.instskip, self.text.names.instskip),
                b"instid1" => (Field::Instid1, &mut all.instid1, self.text.names.instid),
                _ => return Err(self.cursor.error(Kind::Name(Field::Simm16))),
            };
            self.cursor.at += name.len();
            self.cursor.expect(b'(')?;
            self.cursor.blank();
            let word = self.cursor.name();
            let value = self.named(names, word).ok_or_else(|| self.cursor.error(Kind::Name(field)))?;
            // If the text has a part twice, the bits of both values are set, as in LLVM's assembler.
            *part |= value as u8;
            self.cursor.at += word.len();
            self.cursor.expect(b')')?;
            if !self.cursor.eat(b'|') {
                break;
            }
        }
        self.encoded(start, all.encode(self.words.target))
    }
}
