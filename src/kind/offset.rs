//! Offsets of scalar memory.

use super::{NONE, Position, one};

/// A kind of offset of scalar memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OffsetKind {
    /// A constant in dwords if the bit `imm` is set, otherwise a register or a literal.
    Dwords { imm: Position },
    /// A constant if the bit `imm` is set, otherwise a register in the same field. If `soffset_en` is set, the register
    /// at `soffset` is the offset, alone or added to a constant.
    Bytes { imm: Position, soffset_en: Position, soffset: Position },
    /// The sum of a constant and the register at `soffset`, which can be null. `is_shown`: whether the text has the
    /// constant even if it is zero.
    Sum { soffset: Position, is_shown: bool },
}

impl OffsetKind {
    /// The names in `isa/operands.isa`; `smem_offset` is `Bytes` or `Sum`.
    pub const NAMES: [(&'static str, OffsetKind); 2] = [
        ("smrd_offset", OffsetKind::Dwords { imm: NONE }),
        ("smem_offset", OffsetKind::Bytes { imm: NONE, soffset_en: NONE, soffset: NONE }),
    ];

    pub(super) const fn at(self, [a, b, c, d]: [Position; 4]) -> OffsetKind {
        match self {
            OffsetKind::Dwords { .. } => OffsetKind::Dwords { imm: a },
            // The constant and the register are always added if no bit selects one of them.
            OffsetKind::Bytes { .. } | OffsetKind::Sum { .. } if a == NONE => {
                OffsetKind::Sum { soffset: c, is_shown: d != NONE }
            }
            OffsetKind::Bytes { .. } | OffsetKind::Sum { .. } => {
                OffsetKind::Bytes { imm: a, soffset_en: b, soffset: c }
            }
        }
    }

    pub(super) const fn positions(self) -> [Position; 4] {
        match self {
            OffsetKind::Dwords { imm } => one(imm),
            OffsetKind::Bytes { imm, soffset_en, soffset } => [imm, soffset_en, soffset, NONE],
            OffsetKind::Sum { soffset, .. } => one(soffset),
        }
    }

    /// The position of the field of a register that can be added to the constant.
    pub const fn soffset(self) -> Position {
        match self {
            OffsetKind::Dwords { .. } => NONE,
            OffsetKind::Bytes { soffset, .. } | OffsetKind::Sum { soffset, .. } => soffset,
        }
    }

    /// Whether the constant is signed, as it is if a register can be added to it.
    pub const fn is_signed(self) -> bool {
        self.soffset() != NONE
    }
}
