//! Constants in a field, and literals.

use super::{NONE, Position, one};

/// Constants in a field, and literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberKind {
    /// The literal after the base words: one dword, or two, with the upper one in the field at `high`.
    Literal {
        high: Position,
    },
    /// A signed number that is printed in hexadecimal.
    SignedHex,
    /// The distance of a branch.
    Label,
    /// A number that is printed in hexadecimal.
    Hex,
    /// A number without a sign that is printed in hexadecimal.
    Unsigned,
    /// A number of 16 bits that is printed with its sign.
    Int16,
    /// A number that is printed unless it is zero.
    Endpgm,
    Hwreg,
    Sendmsg,
    Waitcnt,
    GprIdx,
    Depctr,
    DelayAlu,
    Version,
    /// Bits, of which some have names. The number is printed in hexadecimal.
    Events,
    /// An attribute of an interpolation, and its channel in the field `channel`, if there is one.
    Attribute {
        channel: Position,
    },
    InterpParam,
    ExportTarget,
}

impl NumberKind {
    /// The names of these kinds in `isa/operands.isa`.
    pub const NAMES: [(&'static str, NumberKind); 18] = [
        ("literal", NumberKind::Literal { high: NONE }),
        ("signed_hex", NumberKind::SignedHex),
        ("label", NumberKind::Label),
        ("hex", NumberKind::Hex),
        ("unsigned", NumberKind::Unsigned),
        ("int16", NumberKind::Int16),
        ("endpgm", NumberKind::Endpgm),
        ("hwreg", NumberKind::Hwreg),
        ("sendmsg", NumberKind::Sendmsg),
        ("waitcnt", NumberKind::Waitcnt),
        ("gpr_idx", NumberKind::GprIdx),
        ("depctr", NumberKind::Depctr),
        ("delay_alu", NumberKind::DelayAlu),
        ("version", NumberKind::Version),
        ("events", NumberKind::Events),
        ("attr", NumberKind::Attribute { channel: NONE }),
        ("interp_param", NumberKind::InterpParam),
        ("exp_tgt", NumberKind::ExportTarget),
    ];

    pub(super) const fn at(self, [a, ..]: [Position; 4]) -> NumberKind {
        match self {
            NumberKind::Literal { .. } => NumberKind::Literal { high: a },
            NumberKind::Attribute { .. } => NumberKind::Attribute { channel: a },
            _ => self,
        }
    }

    pub(super) const fn positions(self) -> [Position; 4] {
        match self {
            NumberKind::Literal { high: at } | NumberKind::Attribute { channel: at } => one(at),
            _ => [NONE; 4],
        }
    }

    /// Whether the value is the number in the field.
    pub const fn is_field(self) -> bool {
        !matches!(self, NumberKind::Literal { .. } | NumberKind::SignedHex | NumberKind::Label)
    }
}
