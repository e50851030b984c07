//! Constants in a field, and literals.

use super::{NONE, NumberList, Position, one};

/// A kind of constant in a field, or of literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberKind {
    /// The literal after the base words: one dword, or two, with the upper one in the field at `high`.
    Literal { high: Position },
    /// The distance of a branch.
    Label,
    /// An attribute of an interpolation, with its channel in the field `channel` if there is such a field.
    Attribute { channel: Position },
    /// A number.
    Plain(Notation),
    /// A number whose values have names.
    Choice(NumberList),
    /// A number that consists of parts.
    Parts(PartsKind),
}

/// The notation of a number in text, and the numbers that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Notation {
    /// A number in hexadecimal.
    Hex,
    /// A signed number in hexadecimal.
    SignedHex,
    /// A number in hexadecimal that must not have a sign.
    Unsigned,
    /// A number of 16 bits, in decimal if it is small.
    Int16,
    /// A number in decimal, which the text omits if it is zero.
    Endpgm,
    /// A sum of names.
    Version,
    /// A set of bits in hexadecimal; some bits have names.
    Events,
}

/// Kinds of constants that have parts, as in `src/imm.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PartsKind {
    DelayAlu,
    Depctr,
    GprIdx,
    Hwreg,
    Sendmsg,
    Waitcnt,
}

impl NumberKind {
    /// The names of these kinds in `isa/operands.isa`.
    pub const NAMES: [(&'static str, NumberKind); 18] = [
        ("literal", NumberKind::Literal { high: NONE }),
        ("label", NumberKind::Label),
        ("attr", NumberKind::Attribute { channel: NONE }),
        ("hex", NumberKind::Plain(Notation::Hex)),
        ("signed_hex", NumberKind::Plain(Notation::SignedHex)),
        ("unsigned", NumberKind::Plain(Notation::Unsigned)),
        ("int16", NumberKind::Plain(Notation::Int16)),
        ("endpgm", NumberKind::Plain(Notation::Endpgm)),
        ("version", NumberKind::Plain(Notation::Version)),
        ("events", NumberKind::Plain(Notation::Events)),
        ("interp_param", NumberKind::Choice(NumberList::InterpParam)),
        ("exp_tgt", NumberKind::Choice(NumberList::ExportTarget)),
        ("delay_alu", NumberKind::Parts(PartsKind::DelayAlu)),
        ("depctr", NumberKind::Parts(PartsKind::Depctr)),
        ("gpr_idx", NumberKind::Parts(PartsKind::GprIdx)),
        ("hwreg", NumberKind::Parts(PartsKind::Hwreg)),
        ("sendmsg", NumberKind::Parts(PartsKind::Sendmsg)),
        ("waitcnt", NumberKind::Parts(PartsKind::Waitcnt)),
    ];

    pub(super) const fn at(self, [a, ..]: [Position; 4]) -> NumberKind {
        match self {
            NumberKind::Literal { .. } => NumberKind::Literal { high: a },
            NumberKind::Attribute { .. } => NumberKind::Attribute { channel: a },
            NumberKind::Label | NumberKind::Plain(_) | NumberKind::Choice(_) | NumberKind::Parts(_) => self,
        }
    }

    pub(super) const fn positions(self) -> [Position; 4] {
        match self {
            NumberKind::Literal { high: at } | NumberKind::Attribute { channel: at } => one(at),
            NumberKind::Label | NumberKind::Plain(_) | NumberKind::Choice(_) | NumberKind::Parts(_) => [NONE; 4],
        }
    }

    /// Whether the value is the number in the field.
    pub const fn is_field(self) -> bool {
        !matches!(self, NumberKind::Literal { .. } | NumberKind::Label) && !self.is_signed()
    }

    /// Whether the field holds a number in two's complement.
    pub const fn is_signed(self) -> bool {
        matches!(self, NumberKind::Plain(Notation::SignedHex))
    }

    /// Whether a caller may also give a negative number for a field of 16 bits.
    pub const fn has_both_signs(self) -> bool {
        matches!(self, NumberKind::Plain(Notation::Hex | Notation::Int16))
    }
}
