//! Register files, sources and destinations.

use super::{NONE, Position, one};

/// The positions of the bits that change the sign of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signs {
    /// The bit for negation.
    pub neg: Position,
    /// The bit for the absolute value.
    pub abs: Position,
    /// The bit for sign extension.
    pub sext: Position,
}

impl Signs {
    pub const ABSENT: Signs = Signs { neg: NONE, abs: NONE, sext: NONE };

    pub const fn positions(self) -> [Position; 3] {
        [self.neg, self.abs, self.sext]
    }

    pub(super) const fn and(self, other: Position) -> [Position; 4] {
        [self.neg, self.abs, self.sext, other]
    }
}

/// A kind of register file, source or destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterKind {
    /// An operand code.
    Code { signs: Signs },
    /// An operand code; if it is a vector register, bit 7 of the field selects the half.
    Half { signs: Signs },
    /// An operand code; if it is a vector register, the bit `half` selects the half.
    HalfSelected { signs: Signs, half: Position },
    /// The low eight bits of an operand code, which is a scalar if the bit `scalar` is set, otherwise a VGPR.
    Sdwa { signs: Signs, scalar: Position },
    /// An AGPR.
    Agpr,
    /// An AGPR; codes below those of vector registers are constants.
    AgprOrConstant,
    /// A VGPR, or an AGPR if the bit `acc` is set; codes below those of vector registers are constants.
    Vector { acc: Position },
    /// A VGPR or AGPR; the format of a matrix, in the field `format` and the bit `format_high`, determines the length.
    Matrix { acc: Position, format: Position, format_high: Position },
    /// Data of a buffer or of memory: absent if the data goes to LDS, and one register longer with a fail status.
    Data { acc: Position, lds: Position, tfe: Position },
    /// A scalar destination if the bit `named` is set, otherwise VCC.
    NamedOrVcc { named: Position },
    /// VCC, which no field names.
    Vcc,
    /// A destination register. The lowest bit of its number is the inverse of the bit `other`, the lowest bit of the
    /// number of the other destination.
    OppositeParity { other: Position },
}

impl RegisterKind {
    /// A plain operand code.
    pub const CODE: RegisterKind = RegisterKind::Code { signs: Signs::ABSENT };

    /// The names of these kinds in `isa/operands.isa`.
    pub const NAMES: [(&'static str, RegisterKind); 11] = [
        ("code", RegisterKind::CODE),
        ("half", RegisterKind::Half { signs: Signs::ABSENT }),
        ("half_sel", RegisterKind::HalfSelected { signs: Signs::ABSENT, half: NONE }),
        ("sdwa_src", RegisterKind::Sdwa { signs: Signs::ABSENT, scalar: NONE }),
        ("agpr", RegisterKind::Agpr),
        ("agpr_or_const", RegisterKind::AgprOrConstant),
        ("acc", RegisterKind::Vector { acc: NONE }),
        ("acc_sized", RegisterKind::Matrix { acc: NONE, format: NONE, format_high: NONE }),
        ("buf_data", RegisterKind::Data { acc: NONE, lds: NONE, tfe: NONE }),
        ("sdst_or_vcc", RegisterKind::NamedOrVcc { named: NONE }),
        ("vdsty", RegisterKind::OppositeParity { other: NONE }),
    ];

    /// The sign bits of a source; `None` for other kinds.
    pub const fn signs(self) -> Option<Signs> {
        match self {
            RegisterKind::Code { signs }
            | RegisterKind::Half { signs }
            | RegisterKind::HalfSelected { signs, .. }
            | RegisterKind::Sdwa { signs, .. } => Some(signs),
            _ => None,
        }
    }

    /// The kind with other sign bits if it is that of a source; otherwise the same kind.
    pub const fn with_signs(self, signs: Signs) -> RegisterKind {
        match self {
            RegisterKind::Code { .. } => RegisterKind::Code { signs },
            RegisterKind::Half { .. } => RegisterKind::Half { signs },
            RegisterKind::HalfSelected { half, .. } => RegisterKind::HalfSelected { signs, half },
            RegisterKind::Sdwa { scalar, .. } => RegisterKind::Sdwa { signs, scalar },
            _ => self,
        }
    }

    /// Whether the operand is one half of a vector register.
    pub const fn is_half(self) -> bool {
        matches!(self, RegisterKind::Half { .. } | RegisterKind::HalfSelected { .. })
    }

    /// The bit that turns a vector register into an accumulation register.
    pub const fn acc(self) -> Position {
        match self {
            RegisterKind::Vector { acc } | RegisterKind::Matrix { acc, .. } | RegisterKind::Data { acc, .. } => acc,
            _ => NONE,
        }
    }

    /// Whether vector registers in this operand are always accumulation registers.
    pub const fn is_agpr(self) -> bool {
        matches!(self, RegisterKind::Agpr | RegisterKind::AgprOrConstant)
    }

    /// Whether the operand can be an accumulation register.
    pub const fn has_agprs(self) -> bool {
        self.is_agpr()
            || matches!(self, RegisterKind::Vector { .. } | RegisterKind::Matrix { .. } | RegisterKind::Data { .. })
    }

    /// Whether the operand is always a vector or accumulation register.
    pub const fn is_vector(self) -> bool {
        matches!(self, RegisterKind::Agpr | RegisterKind::Matrix { .. } | RegisterKind::Data { .. })
    }

    /// Whether a field of the instruction determines the number of registers.
    pub const fn is_sized(self) -> bool {
        matches!(self, RegisterKind::Matrix { .. })
    }

    /// Whether the operand is VCC, or can be.
    pub const fn is_vcc(self) -> bool {
        matches!(self, RegisterKind::Vcc | RegisterKind::NamedOrVcc { .. })
    }

    /// Whether a bit decides if the field holds the code of a scalar, on targets that have the bit.
    pub const fn is_flagged(self) -> bool {
        matches!(self, RegisterKind::Sdwa { .. } | RegisterKind::NamedOrVcc { .. })
    }

    /// The bit that decides if the field holds the code of a scalar; `NONE` for other kinds.
    pub const fn flag(self) -> Position {
        match self {
            RegisterKind::Sdwa { scalar: flag, .. } | RegisterKind::NamedOrVcc { named: flag } => flag,
            _ => NONE,
        }
    }

    pub(super) const fn at(self, [a, b, c, _]: [Position; 4]) -> RegisterKind {
        match self {
            RegisterKind::HalfSelected { signs, .. } => RegisterKind::HalfSelected { signs, half: a },
            RegisterKind::Sdwa { signs, .. } => RegisterKind::Sdwa { signs, scalar: a },
            RegisterKind::Vector { .. } => RegisterKind::Vector { acc: a },
            RegisterKind::Matrix { .. } => RegisterKind::Matrix { acc: a, format: b, format_high: c },
            RegisterKind::Data { .. } => RegisterKind::Data { acc: a, lds: b, tfe: c },
            RegisterKind::NamedOrVcc { .. } => RegisterKind::NamedOrVcc { named: a },
            RegisterKind::OppositeParity { .. } => RegisterKind::OppositeParity { other: a },
            RegisterKind::Code { .. }
            | RegisterKind::Half { .. }
            | RegisterKind::Agpr
            | RegisterKind::AgprOrConstant
            | RegisterKind::Vcc => self,
        }
    }

    pub(super) const fn positions(self) -> [Position; 4] {
        match self {
            RegisterKind::Code { signs } | RegisterKind::Half { signs } => signs.and(NONE),
            RegisterKind::HalfSelected { signs, half: at } | RegisterKind::Sdwa { signs, scalar: at } => signs.and(at),
            RegisterKind::Vector { acc: at }
            | RegisterKind::NamedOrVcc { named: at }
            | RegisterKind::OppositeParity { other: at } => one(at),
            RegisterKind::Matrix { acc, format, format_high } => [acc, format, format_high, NONE],
            RegisterKind::Data { acc, lds, tfe } => [acc, lds, tfe, NONE],
            RegisterKind::Agpr | RegisterKind::AgprOrConstant | RegisterKind::Vcc => [NONE; 4],
        }
    }
}
