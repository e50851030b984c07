//! The errors of texts that are not instructions: the kind of the error, its place, and the values that are allowed.

use super::cursor::Cursor;
use super::error::Kind;
use super::register::Registers;
use super::{Candidate, Descs, Held, ParseError, Parser, Reading, Span, fill_unused, reach};
use crate::check::{RuleError, bus_reads, limits};
use crate::codec::{EncodedOperand, descs, is_conditional};
use crate::error::DecodeError;
use crate::form::{Form, Unmade};
use crate::inst::Inst;
use crate::kind::{AddressKind, OperandKind, RegisterKind};
use crate::opcode::Field;
use crate::table::OperandDesc;
use crate::target::{DESCS, Target};
use crate::value::Access;

/// The error of an unknown name, if the name is that of a register in the place of a number, or `off`.
#[cold]
pub(super) fn misplaced(target: Target, cursor: Cursor, error: ParseError) -> ParseError {
    let here = Cursor { at: error.span.start as usize, ..cursor };
    let kind = match error.kind {
        Kind::Symbol if Registers::of(target).is_here(&here) => Kind::NotNumber,
        Kind::Symbol if here.name() == b"off" => Kind::Off,
        kind => kind,
    };
    ParseError::new(error.span, kind)
}

/// The error of an operand whose text and words differ. `is_off`: one of the two is `off`.
#[cold]
pub(super) fn mismatch(desc: &OperandDesc, is_off: bool) -> Kind {
    match desc.kind {
        // The words do not hold the parity of this register, which another register implies.
        OperandKind::Register(RegisterKind::OppositeParity { .. }) => Kind::Parity(desc.field),
        OperandKind::Address(AddressKind::Buffer { .. }) if is_off => Kind::BufferAddress(desc.field),
        _ => Kind::Operand(desc.field),
    }
}

impl Candidate<'_, '_> {
    /// The error with the range of numbers that the operation can have, if its field can hold more of them.
    pub(super) fn narrowed(&self, error: ParseError) -> ParseError {
        let Kind::Range { field, min, max } = error.kind else { return error };
        let Some((least, most)) = limits(self.target, self.entry.op_index.into(), field) else { return error };
        let kind = Kind::Range { field, min: min.max(least.into()), max: max.min(most.into()) };
        ParseError::new(error.span, kind)
    }

    /// Looks for a more helpful error for an operation that returns a value only with a modifier: that the modifier or
    /// the destination is missing, or an error further on in the text. Returns `error` if there is no such error.
    #[cold]
    pub(super) fn explain(&self, error: ParseError) -> ParseError {
        let &Candidate { target, cursor, symbols, opcode, entry, signature, implied } = self;
        let is_result = |desc: &&OperandDesc| is_conditional(desc) && desc.access == Some(Access::Write);
        let Some(result) = descs(target, signature).find(is_result) else { return error };
        let Some(form) = Form::new(target, opcode, entry, signature) else { return error };
        let descs = Descs { all: DESCS[target as usize], lists: [DESCS[target as usize].list_of(signature), &[]] };
        let mut parser = Parser::new(cursor, symbols, form, entry.op_index, Reading::OtherReturn);
        fill_unused(&parser.form, descs.iter(), &mut parser.words);
        parser.implied = implied;
        match parser.all(descs) {
            Ok(()) => parser.wrong_return(cursor, result).unwrap_or(error),
            Err(other) if reach(&other) > reach(&error) => other,
            Err(_) => error,
        }
    }
}

impl Parser<'_, '_> {
    /// The error of a destination without the modifier that returns a value, or of this modifier without a destination.
    fn wrong_return(&mut self, start: Cursor, result: &OperandDesc) -> Option<ParseError> {
        let field = self.form.descs().find(|other| other.access.is_none() && other.lsb == result.write_if_bit)?.field;
        match self.span_of(result.field) {
            Some(span) => Some(ParseError::new(span, Kind::Returns(field))),
            None => {
                let (at, _) = start.words().find(|(_, word)| *word == field.name().as_bytes())?;
                Some(Cursor { at, ..start }.error(Kind::NoResult(field)))
            }
        }
    }

    /// The error about text after the last modifier.
    #[cold]
    pub(super) fn rest(&self) -> ParseError {
        let name = self.cursor.name();
        let is_register = self.registers().is_here(&self.cursor);
        let field = Field::ALL.iter().find(|field| field.name().as_bytes() == name && !is_register);
        self.cursor.error(field.map_or(Kind::Unexpected, |field| Kind::Lacks(*field)))
    }

    /// The error of a broken rule. `all`: the place of the whole text.
    #[cold]
    pub(super) fn broken(&self, rule: RuleError, inst: &Inst, all: Span) -> ParseError {
        let place = self.place_of(rule, bus_reads(inst).excess).unwrap_or(all);
        ParseError::new(place, self.range_of(rule).unwrap_or(Kind::Rule(rule)))
    }

    /// The range of a number that breaks a rule about its value. Its words can be those of another number, because
    /// they do not show that it is negative.
    fn range_of(&self, rule: RuleError) -> Option<Kind> {
        let RuleError::Value { field, allowed, .. } = rule else { return None };
        let is_number =
            |held: &Held| matches!(held.coded, EncodedOperand::Number(_) | EncodedOperand::RegisterPlusOffset(..));
        let mut numbers = self.held.iter().flatten().filter(|held| held.desc.field == field && is_number(held));
        let (min, max) = numbers.next().and_then(|_| allowed.range())?;
        Some(Kind::Range { field, min: min.into(), max: max.into() })
    }

    /// The error of words that are not an instruction. `all`: the place of the whole text.
    #[cold]
    pub(super) fn unmade(&self, unmade: Unmade, all: Span) -> ParseError {
        match unmade {
            Unmade::Literal => ParseError::new(self.literal.unwrap_or(all), Kind::NoLiteral),
            Unmade::Decode(DecodeError::ReservedValue { field, lsb, value, .. }) => {
                let held = self.held.iter().flatten().find(|held| held.desc.field == field && held.desc.lsb == lsb);
                let span = held.map_or(all, |held| held.span);
                match held.map(|held| held.coded) {
                    Some(EncodedOperand::Literal(_) | EncodedOperand::Literal64(_)) => {
                        ParseError::new(span, Kind::NoLiteral)
                    }
                    None => ParseError::new(span, Kind::Value { field, value }),
                    Some(_) => ParseError::new(span, Kind::Operand(field)),
                }
            }
            Unmade::Decode(DecodeError::ReservedBits { field: Some(field), bit, .. }) => self.reserved(field, bit, all),
            Unmade::Decode(error) => ParseError::new(all, Kind::Decode(error)),
            Unmade::Other => ParseError::new(all, Kind::Encoding),
        }
    }

    /// The error of an operand or a modifier whose value sets a reserved bit of its field.
    fn reserved(&self, field: Field, bit: u8, all: Span) -> ParseError {
        let held = self.held.iter().flatten().find(|held| held.desc.field == field);
        let modifier = self.modifier_of(field);
        match (held, modifier) {
            (Some(held), _) if matches!(held.coded, EncodedOperand::Number(_)) => {
                ParseError::new(held.span, self.limit(held.desc, bit).unwrap_or(Kind::Operand(field)))
            }
            (Some(held), Some(modifier)) if matches!(held.coded, EncodedOperand::RegisterPlusOffset(..)) => {
                ParseError::new(modifier, self.limit(held.desc, bit).unwrap_or(Kind::Name(field)))
            }
            (Some(held), _) => ParseError::new(held.span, Kind::Operand(field)),
            (None, Some(modifier)) => ParseError::new(modifier, Kind::Name(field)),
            (None, None) => ParseError::new(all, Kind::Value { field, value: self.words.get(bit, 1) as u16 }),
        }
    }

    /// The range of an unsigned number whose upper bits, up to `bit`, are reserved; `None` if not all of the bits below
    /// `bit` are a part of the number.
    fn limit(&self, desc: &OperandDesc, bit: u8) -> Option<Kind> {
        let width = bit.checked_sub(desc.lsb).filter(|width| *width < desc.width)?;
        let is_reserved = |n: &u8| {
            let mut words = self.words.clone();
            (0..=width).for_each(|other| words.set(desc.lsb + other, other == *n));
            let made = self.form.finish(&mut words);
            matches!(made, Err(Unmade::Decode(DecodeError::ReservedBits { bit, .. })) if bit == desc.lsb + n)
        };
        let bits = (0..=width).find(is_reserved)?;
        Some(Kind::Range { field: desc.field, min: 0, max: (1 << bits) - 1 })
    }

    /// The position of the operand that breaks a rule. `excess` is the first operand over the limit of the constant
    /// bus.
    fn place_of(&self, rule: RuleError, excess: Option<Field>) -> Option<Span> {
        let field = match rule {
            RuleError::MisalignedScalar { field, .. } | RuleError::MisalignedVector { field, .. } => field,
            RuleError::Overlap { field } | RuleError::UpperHalf { field } => field,
            RuleError::Value { field, .. } => return self.span_of(field).or_else(|| self.modifier_of(field)),
            RuleError::Banks { y, .. } => y,
            RuleError::ConstantBus { .. } => excess?,
        };
        self.span_of(field)
    }

    /// The position of the modifier that has the name of a field.
    fn modifier_of(&self, field: Field) -> Option<Span> {
        let mut all = self.cursor;
        all.at = 0;
        let (at, word) = all.words().find(|(_, word)| word.starts_with(field.name().as_bytes()))?;
        Some(Span::new(at, at + word.len()))
    }

    fn span_of(&self, field: Field) -> Option<Span> {
        self.held.iter().flatten().find(|held| held.desc.field == field).map(|held| held.span)
    }
}
