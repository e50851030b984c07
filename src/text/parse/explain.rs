//! The errors of texts that are not instructions: the kind of the error, its place, and the values that are allowed.

use super::cursor::Cursor;
use super::error::{Kind, Suffixes};
use super::operation::{Operations, Rank};
use super::register::{Registers, is_spelling};
use super::symbols::NoSymbols;
use super::{Candidate, Descs, Held, ParseError, Parser, Reading, Span, Symbols, fill_unused, first_of};
use crate::check::{RuleError, bus_reads, limits};
use crate::codec::{EncodedOperand, descs, is_conditional, read};
use crate::error::DecodeError;
use crate::form::Unmade;
use crate::inst::Inst;
use crate::kind::{AddressKind, OperandKind, RegisterKind};
use crate::opcode::{Field, Special};
use crate::table::OperandDesc;
use crate::target::Target;
use crate::value::Access;

/// The error of the form that accepts the longest part of the text, because that form was probably meant; `None` if
/// there is no form.
#[cold]
pub(super) fn best(
    target: Target,
    cursor: Cursor,
    symbols: &dyn Symbols,
    operations: &Operations,
) -> Option<ParseError> {
    // Whether this form lacks the modifier at the error, and another form has it. A form that itself lacks a modifier
    // of the text, or whose lanes the text lacks, does not count as another form.
    let is_of_other = |error: &ParseError| {
        let place = error.span.start as usize;
        let is_meant = |candidate: &Candidate| candidate.has_modifier(place) && !lacks(&candidate.error());
        matches!(error.kind, Kind::Unexpected | Kind::Lacks(_))
            && first_of(target, cursor, symbols, operations, |candidate| is_meant(candidate).then_some(())).is_some()
    };
    let mut best: Option<(u32, ParseError)> = None;
    first_of::<()>(target, cursor, symbols, operations, |candidate| {
        let error = candidate.error();
        let reach = if is_of_other(&error) { 0 } else { reach(&error) };
        if best.is_none_or(|(most, _)| reach > most) {
            best = Some((reach, error));
        }
        None
    });
    best.map(|(_, error)| error)
}

/// The encodings that accept the operands after a mnemonic with the suffix of another encoding.
pub(super) fn other_encodings(target: Target, cursor: Cursor, name: &[u8]) -> Suffixes {
    let mut encodings = Suffixes::default();
    if let Some(operations) = Operations::find(target, name).in_all_encodings() {
        first_of::<()>(target, cursor, &NoSymbols, &operations, |candidate| {
            let rank = Rank::of(candidate.signature);
            let number = Rank::ALL.iter().position(|other| *other == rank)?;
            if candidate.parse().is_some() {
                encodings = encodings.with(number);
            }
            None
        });
    }
    encodings
}

/// Whether the form lacks a modifier of the text, or the text lacks the modifier that only this form has.
fn lacks(error: &ParseError) -> bool {
    matches!(error.kind, Kind::Unexpected | Kind::Lacks(_) | Kind::Missing(Field::Sel | Field::DppCtrl))
}

/// A measure of the part of the text that a form has accepted: twice the length of that part, plus 1 unless another
/// form could have the rest of the text. The measure is 0 if the text lacks the lanes of a DPP form, because then
/// another form was meant.
fn reach(error: &ParseError) -> u32 {
    match error.kind {
        Kind::Missing(Field::Sel | Field::DppCtrl) => 0,
        // The form accepted all of the text.
        Kind::Rule(_) => u32::MAX,
        // Another form could have the modifier that this form lacks, or any register in the place of vcc.
        Kind::Unexpected | Kind::Lacks(_) | Kind::Operand(Field::Vcc) => 2 * error.span.start,
        _ => 2 * error.span.start + 1,
    }
}

/// Turns the error of a form into the error that users see. If the text ends before an operand or a modifier, or if an
/// image has no dimension, the error is about the operation, whose name is from `start` to the cursor. A register in
/// place of a number, and `off`, are reported as such, not as unknown names.
#[cold]
pub(super) fn misplaced(
    target: Target,
    start: usize,
    cursor: Cursor,
    symbols: &dyn Symbols,
    error: ParseError,
) -> ParseError {
    let error = later(target, cursor.between(start, cursor.at), cursor, symbols, &error).unwrap_or(error);
    let here = Cursor { at: error.span.start as usize, ..cursor };
    match error.kind {
        Kind::Missing(field) if field == Field::Dim || here.clone().is_done() => cursor.error_since(start, error.kind),
        Kind::Symbol if Registers::of(target).is_here(&here) => ParseError::new(error.span, Kind::NotNumber),
        Kind::Symbol if here.name() == b"off" => ParseError::new(error.span, Kind::Off),
        _ => error,
    }
}

/// The number of words of a text in which [`later`] looks for a wrong word. No instruction has more.
const MOST_WORDS: usize = 256;

/// The error of the first name, at or after `error`, that is wrong whatever operands come before it: the name of a
/// register that only other targets have, or of a modifier that no form of the operation `name` has. LLVM's assembler
/// reads all of a text before it compares the operands with the forms of an operation. Where a dimension is missing, a
/// flag that no form has is wrong, too.
fn later(target: Target, name: &[u8], cursor: Cursor, symbols: &dyn Symbols, error: &ParseError) -> Option<ParseError> {
    let is_compared = matches!(
        error.kind,
        Kind::Symbol
            | Kind::NotNumber
            | Kind::Missing(_)
            | Kind::Operand(_)
            | Kind::Width { .. }
            | Kind::Range { .. }
            | Kind::Rule(_)
            | Kind::Unexpected
            | Kind::Lacks(_)
    );
    // The text of a single operand or modifier has no mnemonic before it.
    if !is_compared || name.is_empty() {
        return None;
    }
    let find = || Operations::find(target, name);
    let operations = find().in_all_encodings().unwrap_or_else(find);
    let is_dual = cursor.find_dual().is_some();
    let is_special = |word: &[u8]| {
        let mut names = Special::ALL.iter().map(|special| special.name().as_bytes());
        names.any(|name| is_spelling(name, word) || name.strip_suffix(b"_lo") == Some(word))
    };
    let is_foreign = |here: &Cursor| {
        let name = core::str::from_utf8(here.name()).unwrap_or_default();
        is_special(here.name()) && !Registers::of(target).is_here(here) && symbols.value(name).is_none()
    };
    let is_modifier = |at: usize, word: &[u8]| {
        let has = |candidate: &Candidate| candidate.has_modifier(at).then_some(());
        // These words are parts of operands in some forms.
        let is_part = [Field::Dfmt, Field::Nfmt, Field::Offset].iter().any(|field| field.name().as_bytes() == word);
        is_part || first_of(target, cursor, symbols, &operations, has).is_some()
    };
    let is_dim = error.kind == Kind::Missing(Field::Dim);
    let (mut depth, mut is_value) = (0usize, false);
    cursor.words().take(MOST_WORDS).find_map(|(at, word)| {
        match word {
            b"[" | b"(" | b"{" => depth += 1,
            b"]" | b")" | b"}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        let was_value = core::mem::replace(&mut is_value, word == b":");
        let here = Cursor { at, ..cursor };
        if at < error.span.start as usize || here.name().is_empty() || was_value {
            return None;
        }
        let is_outside = depth == 0 && !is_dual;
        let mut after = Cursor { at: at + word.len(), ..cursor };
        let kind = match () {
            () if is_foreign(&here) => Kind::Symbol,
            () if is_outside && (is_dim || after.eat(b':')) && !is_modifier(at, word) => Kind::Unexpected,
            () => return None,
        };
        // An `error` at this name is kept, because it is more precise.
        Some(if at == error.span.start as usize && !is_dim { *error } else { here.error(kind) })
    })
}

/// The error of an operand whose text differs from the words. `is_off`: either the text or the words have `off`.
#[cold]
pub(super) fn mismatch(desc: &OperandDesc, is_off: bool) -> Kind {
    match desc.kind {
        // The words do not hold the parity of this register: another register implies it.
        OperandKind::Register(RegisterKind::OppositeParity { .. }) => Kind::Parity(desc.field),
        OperandKind::Address(AddressKind::Buffer { .. }) if is_off => Kind::BufferAddress(desc.field),
        _ => Kind::Operand(desc.field),
    }
}

impl Candidate<'_, '_> {
    /// The error of a text that does not have this form.
    fn error(&self) -> ParseError {
        let error = match self.read(Reading::Usual) {
            Ok(_) => self.cursor.error_since(0, Kind::Encoding),
            Err(error) if error.kind == Kind::SecondOperation => self.end_of_first().unwrap_or(error),
            Err(error) => self.earlier(error),
        };
        let error = if self.has_vcc() { self.wrong_vcc(error) } else { self.wrong_result(error) };
        self.narrowed(error)
    }

    /// The error of the first half of a dual instruction, if the text ends after that half.
    fn end_of_first(&self) -> Option<ParseError> {
        let (mut parser, descs) = self.parser(Reading::Usual).ok()?;
        let error = parser.all(descs).err().unwrap_or(parser.cursor.error(Kind::SecondOperation));
        let kind = if error.kind == Kind::Unexpected { Kind::SecondOperation } else { error.kind };
        Some(ParseError { kind, ..error })
    }

    /// The error of an operand before `error`, if the words refuse that operand whatever comes after it.
    fn earlier(&self, error: ParseError) -> ParseError {
        let Ok((mut parser, descs)) = self.parser(Reading::Usual) else { return error };
        if parser.is_dual() || parser.all(descs).is_ok() {
            return error;
        }
        let place = Span { end: error.span.start, ..error.span };
        match parser.form.finish(&mut parser.words) {
            Err(unmade @ (Unmade::Literal | Unmade::Decode(DecodeError::ReservedValue { .. }))) => {
                let other = parser.unmade(unmade, place);
                if other.span.end < place.end { other } else { error }
            }
            _ => error,
        }
    }

    /// The error of a text with another operand in the place of the implicit vcc. Such a text has as many operands as a
    /// text that shows vcc, and either its mnemonic has no suffix, or it is too long for a text that omits vcc.
    fn wrong_vcc(&self, error: ParseError) -> ParseError {
        let shown = descs(self.target, self.signature).filter(|desc| desc.access.is_some()).count();
        let is_shown = !self.is_named || matches!(error.kind, Kind::Unexpected | Kind::Lacks(_));
        let is_complete = is_shown && self.cursor.operands() >= shown;
        let error_of_shown = is_complete.then(|| self.read(Reading::ShownVcc).err()).flatten();
        error_of_shown.unwrap_or(error)
    }

    /// Narrows the range in an error to the numbers that the operation can have, if its field can hold more of them.
    fn narrowed(&self, error: ParseError) -> ParseError {
        let Kind::Range { field, min, max } = error.kind else { return error };
        let Some((least, most)) = limits(self.target, self.entry.op_index.into(), field) else { return error };
        let kind = Kind::Range { field, min: min.max(least.into()), max: max.min(most.into()) };
        ParseError::new(error.span, kind)
    }

    /// Looks for a more helpful error, for an operation in which a modifier decides whether there is a data register.
    /// This error says that the modifier or the register is missing, or is about the modifiers. Returns `error` if
    /// there is no such error.
    fn wrong_result(&self, error: ParseError) -> ParseError {
        let is_result = |desc: &OperandDesc| is_conditional(desc) && desc.access == Some(Access::Write);
        let Ok((mut parser, descs)) = self.parser(Reading::OtherReturn) else { return error };
        if !descs.operands().any(|desc| is_result(desc) || parser.goes_to_lds(desc)) {
            return error;
        }
        fill_unused(&parser.form, descs.iter(), &mut parser.words);
        match (parser.all(descs), descs.operands().find(|desc| is_result(desc))) {
            (Ok(()), Some(result)) => parser.wrong_return(self.cursor, result).unwrap_or(error),
            (Ok(()), None) => parser.flag(self.cursor, Field::Lds, Kind::ToLds).unwrap_or(error),
            (Err(other), _) if reach(&other) > reach(&error) && parser.is_in_modifiers(descs, &other) => other,
            (Err(_), _) => error,
        }
    }

    /// Whether the form has the modifier whose name is at a position.
    fn has_modifier(&self, at: usize) -> bool {
        self.parser(Reading::Usual).is_ok_and(|(mut parser, descs)| {
            parser.cursor.at = at;
            descs.modifiers().any(|desc| parser.is_here(desc))
        })
    }
}

impl Parser<'_, '_> {
    /// The error of a destination without the modifier that returns a value, or of this modifier without a destination.
    fn wrong_return(&mut self, start: Cursor, result: &OperandDesc) -> Option<ParseError> {
        let field = self.form.descs().find(|other| other.access.is_none() && other.lsb == result.write_if_bit)?.field;
        match self.span_of(result.field) {
            Some(span) => Some(ParseError::new(span, Kind::Returns(field))),
            None => self.flag(start, field, Kind::NoResult(field)),
        }
    }

    /// Whether an error is about text after the operands. If the text has one operand too few, a register at the error
    /// is the missing operand, and any other text comes after the operands.
    fn is_in_modifiers(&self, descs: Descs, error: &ParseError) -> bool {
        let here = Cursor { at: error.span.start as usize, ..self.cursor };
        match descs.operands().count().saturating_sub(self.len) {
            0 => true,
            1 => !self.registers().is_here(&here),
            _ => false,
        }
    }

    /// Makes an error of this kind at the modifier `field`, which has no value; `None` if the text lacks the modifier.
    fn flag(&self, start: Cursor, field: Field, kind: Kind) -> Option<ParseError> {
        let (at, _) = start.words().find(|(_, word)| *word == field.name().as_bytes())?;
        Some(Cursor { at, ..start }.error(kind))
    }

    /// The error of an operand that has `dwords` registers in the words. For some addresses, this number depends on
    /// other operands; if one of those is wrong, too, the error is about that operand.
    #[cold]
    pub(super) fn wrong_width(&self, inst: &Inst, held: &Held, dwords: u16) -> ParseError {
        let depends = |held: &Held| matches!(held.desc.kind, OperandKind::Address(AddressKind::Global { .. }));
        let all = self.held.iter().flatten().filter(|held| !depends(held));
        let mut wrong = all.filter_map(|held| {
            let (_, dwords) = read(held.desc, inst)?;
            (held.differs(dwords) && !self.is_longer_address(held.desc, held.dwords)).then_some((held, dwords))
        });
        let (held, dwords) = wrong.next().unwrap_or((held, dwords));
        let kind = Kind::Width { field: held.desc.field, dwords: dwords as u8, given: held.dwords };
        ParseError::new(held.span, kind)
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

    /// The allowed range, for a number that breaks a rule about its value. The rule's error can name another number
    /// than the text has, because the words do not show whether the number is negative.
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
                    None => ParseError::new(self.modifier_of(field).unwrap_or(all), Kind::Value { field, value }),
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

    /// The range of an unsigned number whose upper bits, up to `bit`, are reserved; `None` if `bit` is not one of the
    /// bits of the number.
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
            RuleError::Value { field, .. } => {
                // After a scalar register, the number stands in the modifier `offset:`.
                let is_sum = |held: &&Held| matches!(held.coded, EncodedOperand::RegisterPlusOffset(..));
                let held = self.held.iter().flatten().find(|held| held.desc.field == field);
                let span = held.filter(|held| !is_sum(held)).map(|held| held.span);
                return span.or_else(|| self.modifier_of(field));
            }
            RuleError::Banks { y, .. } => y,
            RuleError::ConstantBus { .. } => excess?,
        };
        self.span_of(field)
    }

    /// The position of the modifier that has the name of a field.
    fn modifier_of(&self, field: Field) -> Option<Span> {
        let mut all = Cursor { at: 0, ..self.cursor };
        all.lines();
        let (at, word) = all.words().skip(1).find(|(_, word)| word.starts_with(field.name().as_bytes()))?;
        Some(Span::new(at, at + word.len()))
    }

    fn span_of(&self, field: Field) -> Option<Span> {
        self.held.iter().flatten().find(|held| held.desc.field == field).map(|held| held.span)
    }
}
