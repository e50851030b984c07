//! Errors of the parser.

use core::fmt;

use crate::check::RuleError;
use crate::codec::Refused;
use crate::error::{DecodeError, FieldError};
use crate::opcode::Field;
use crate::value::Reg;

pub(super) use ParseErrorKind as Kind;

/// A range of bytes in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl Span {
    pub(super) fn new(start: usize, end: usize) -> Span {
        let limited = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span { start: limited(start), end: limited(end) }
    }
}

/// The reason why a text is not an instruction of a target, and the position in the text: see [`parse`](crate::parse).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseError {
    /// The bytes that the problem is about. The span can be empty if the problem is at the end of the text.
    pub span: Span,
    /// The kind of the problem.
    pub kind: ParseErrorKind,
}

impl ParseError {
    pub(super) fn new(span: Span, kind: Kind) -> ParseError {
        ParseError { span, kind }
    }
}

/// The suffixes of encodings that an operation can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Suffixes(u8);

impl Suffixes {
    /// The suffixes in the order in which [`parse`](crate::parse) tries the encodings.
    const NAMES: [&'static str; 5] = ["_e32", "_e64", "_sdwa", "_dpp", "_e64_dpp"];

    /// The empty set.
    pub(super) const NONE: Suffixes = Suffixes(0);

    /// The set with one more suffix, given by its number in the order of `NAMES`.
    pub(super) fn with(self, number: usize) -> Suffixes {
        Suffixes(self.0 | 1 << number)
    }

    /// Whether the set has no suffix.
    pub fn is_empty(self) -> bool {
        self == Suffixes::NONE
    }

    /// The suffixes, in the order of encodings that [`parse`](crate::parse) tries.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        Suffixes::NAMES.into_iter().enumerate().filter(move |(n, _)| self.0 >> n & 1 == 1).map(|(_, name)| name)
    }
}

impl fmt::Display for Suffixes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|name| write!(f, " {name}"))
    }
}

/// A kind of problem in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The target has no operation of this name.
    Mnemonic,
    /// No encoding fits the text: for example, no format of dual instructions has both operations.
    Encoding,
    /// The target has the operation only in the encodings of these suffixes, not in the one that the suffix in the text
    /// names.
    Variant(Suffixes),
    /// The text lacks this character here.
    Character(char),
    /// The text lacks an expression here, or the expression is nested too deep or divides by zero.
    Expression,
    /// The text is not a number, or the number has more than 64 bits.
    Number,
    /// No register and no symbol has this name.
    Symbol,
    /// A number is needed here, and the text has a register.
    NotNumber,
    /// The operand cannot be `off`, which stands for an absent address or source.
    Off,
    /// The value of a symbol is not fixed, but a fixed value is needed here.
    Open,
    /// The register does not exist.
    Register,
    /// The register does not exist; the last one of its kind is given.
    Beyond(Reg),
    /// The last register of a run comes before the first one.
    Backward,
    /// The number of a register is negative.
    Negative,
    /// The run has this number of registers, more than any operand has.
    Length(u16),
    /// The destinations of two operations have to be an even and an odd register, but both are even or both are odd.
    Parity(Field),
    /// The run of scalar registers must begin at a multiple of this number.
    Alignment(u8),
    /// The registers of a list do not follow one another.
    NotConsecutive,
    /// The operand or modifier is missing.
    Missing(Field),
    /// The operand does not accept this value.
    Operand(Field),
    /// The operand cannot have this sign.
    Sign(Field),
    /// The operand has no such sign.
    NoSign {
        /// The operand's field.
        field: Field,
        /// The sign: `neg`, `abs` or `sext`.
        sign: &'static str,
    },
    /// The operand or modifier has no such value.
    Name(Field),
    /// The temporal hint belongs to another kind of operation; the hints of this operation begin with this text.
    Hint(&'static str),
    /// The temporal hint belongs to the system scope and the instruction has another scope, or the reverse.
    HintOfScope {
        /// Whether the hint belongs to the system scope.
        system: bool,
    },
    /// The modifier of this name, `mul` or `div`, has no such value.
    Factor(&'static str),
    /// The number does not fit in eight bits.
    Number8,
    /// The field has no such value.
    Value {
        /// The field.
        field: Field,
        /// The value of the field's bits.
        value: u16,
    },
    /// The number is too small or too great.
    Range {
        /// The field.
        field: Field,
        /// The least value.
        min: i64,
        /// The greatest value.
        max: i64,
    },
    /// The text has more or fewer registers than the operand.
    Width {
        /// The field.
        field: Field,
        /// The number of registers of the operand.
        dwords: u8,
        /// The number of registers in the text.
        given: u16,
    },
    /// The text has the registers of the address as a list, such as `[v1, v2]`, and the encoding takes one run, or the
    /// reverse.
    Pieces(Field),
    /// Some 16-bit registers of the instruction have a suffix `.l` or `.h` and this one lacks it, or others lack it and
    /// this one has it.
    Half(Field),
    /// The constant is not an inline constant, and the encoding has no room for a literal.
    NoLiteral,
    /// The constant does not fit in a literal.
    Constant(Field),
    /// No literal of 64 bits is possible here.
    NoLiteral64,
    /// The instruction already has another literal.
    TwoLiterals,
    /// A part of a constant does not fit.
    Part(FieldError),
    /// The instruction already has this modifier.
    Duplicate(Field),
    /// The modifier must come before modifiers that the text already has.
    Order(Field),
    /// No further text is allowed here, or there is no such modifier.
    Unexpected,
    /// The address of a buffer operation is a register without the modifiers that use it, or `off` with one of them.
    BufferAddress(Field),
    /// The text has a destination, but lacks the modifier with which the operation returns a value.
    Returns(Field),
    /// The text has the modifier with which the operation returns a value, but lacks a destination.
    NoResult(Field),
    /// The text has a register for data that goes to LDS because of this modifier.
    ToLds,
    /// The operation does not have this modifier.
    Lacks(Field),
    /// The name of the operation implies another value of the modifier.
    Implied,
    /// The operation can only be the second one of a dual instruction.
    NotFirst,
    /// The target has no such second operation of a dual instruction.
    NotSecond,
    /// The text lacks the second operation, after `::`.
    SecondOperation,
    /// The instruction breaks a rule.
    Rule(RuleError),
    /// The words are not an instruction.
    Decode(DecodeError),
}

impl ParseErrorKind {
    pub(super) fn of(field: Field, refused: Refused) -> Kind {
        match refused {
            Refused::Operand => Kind::Operand(field),
            Refused::Range { min, max } => Kind::Range { field, min, max },
            Refused::TwoLiterals => Kind::TwoLiterals,
        }
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Kind::Mnemonic => f.write_str("unknown mnemonic"),
            Kind::Encoding => f.write_str("the operation has no such encoding"),
            Kind::Variant(suffixes) => write!(f, "the operation has no such encoding, but{suffixes}"),
            Kind::Character(c) => write!(f, "`{c}` expected"),
            Kind::Expression => f.write_str("expression expected"),
            Kind::Number => f.write_str("not a number"),
            Kind::Symbol => f.write_str("unknown name"),
            Kind::NotNumber => f.write_str("a number expected, not a register"),
            Kind::Off => f.write_str("only an address or the source of an export can be off"),
            Kind::Open => f.write_str("the value has to be known here"),
            Kind::Register => f.write_str("no such register"),
            Kind::Beyond(last) => write!(f, "the last such register is {last}"),
            Kind::Backward => f.write_str("the last register of the run is before the first one"),
            Kind::Negative => f.write_str("registers have no negative numbers"),
            Kind::Length(dwords) => write!(f, "no operand has {dwords} registers"),
            Kind::Parity(field) => {
                write!(f, "{field} cannot be this: one destination has an even number, the other one an odd number")
            }
            Kind::Alignment(dwords) => write!(f, "the first register has to be a multiple of {dwords}"),
            Kind::NotConsecutive => f.write_str("the registers do not follow one another"),
            Kind::Missing(field) => write!(f, "{field} is missing"),
            Kind::Operand(field) => write!(f, "{field} cannot be this"),
            Kind::Sign(field) => write!(f, "{field} cannot have this sign"),
            Kind::NoSign { field, sign } => write!(f, "{field} has no {sign} in this operation"),
            Kind::Number8 => f.write_str("a number from 0 to 255 expected"),
            Kind::Factor(name) => write!(f, "{name} has no such value"),
            Kind::Name(field) => write!(f, "{field} has no such value"),
            Kind::Hint(prefix) => write!(f, "the hints of this operation begin with {prefix}"),
            Kind::HintOfScope { system: true } => f.write_str("a hint that needs scope:SCOPE_SYS"),
            Kind::HintOfScope { system: false } => f.write_str("a hint that has another name with scope:SCOPE_SYS"),
            Kind::Value { field, value } => write!(f, "{field} cannot be {value}"),
            Kind::Range { field, min, max } => write!(f, "{field}: a number from {min} to {max} expected"),
            Kind::Width { field, dwords, given } => {
                let s = if dwords == 1 { "" } else { "s" };
                write!(f, "{field}: {dwords} register{s} expected, not {given}")
            }
            Kind::Pieces(field) => {
                write!(f, "{field}: the encoding takes a list `[v1, v2]` where the text has a run, or the reverse")
            }
            Kind::Half(field) => write!(f, "{field}: either all 16-bit registers have the suffix .l or .h, or none"),
            Kind::NoLiteral => f.write_str("not an inline constant, and there is no room for a literal"),
            Kind::Constant(field) => write!(f, "{field}: the constant does not fit in a literal"),
            Kind::NoLiteral64 => f.write_str("no literal of 64 bits is possible here"),
            Kind::TwoLiterals => f.write_str("a second literal"),
            Kind::Part(error) => error.fmt(f),
            Kind::Duplicate(field) => write!(f, "{field} is here twice"),
            Kind::Order(field) => write!(f, "{field} has to come before the other modifiers"),
            Kind::Unexpected => f.write_str("unexpected"),
            Kind::BufferAddress(field) => {
                write!(f, "{field}: a register needs offen, idxen or addr64, and off excludes them")
            }
            Kind::Returns(Field::Th) => f.write_str("the operation returns a value only with th:TH_ATOMIC_RETURN"),
            Kind::Returns(field) => write!(f, "the operation returns a value only with {field}"),
            Kind::NoResult(field) => {
                write!(f, "the operation returns a value because of {field}: a destination expected")
            }
            Kind::ToLds => f.write_str("data that goes to LDS has no register"),
            Kind::Lacks(field) => write!(f, "the operation has no {field}"),
            Kind::Implied => f.write_str("the name of the operation implies another value"),
            Kind::NotFirst => f.write_str("not an operation that can be the first half of a dual instruction"),
            Kind::NotSecond => f.write_str("not an operation that can be the second half of a dual instruction"),
            Kind::SecondOperation => f.write_str("`::` and a second operation expected"),
            Kind::Rule(rule) => rule.fmt(f),
            Kind::Decode(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl core::error::Error for ParseError {}
