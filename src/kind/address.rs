//! Memory addresses and export sources.

use super::{NONE, Position, one};

/// A kind of memory address or export source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressKind {
    /// The vector address of a buffer: an index, an offset, both, a 64-bit address, or nothing.
    Buffer { offen: Position, idxen: Position, addr64: Position },
    /// An address in a pair of vector registers, or in one if the field `saddr` names a scalar base.
    Global { saddr: Position },
    /// An address in a vector register, if the bit `sve` is set or, on targets without this bit, if the field `saddr`
    /// holds the code that means "no scalar address".
    Scratch { sve: Position, saddr: Position },
    /// A scalar address, which is printed as `off` if it is absent, or as nothing if `is_silent`. The operand at
    /// `other` is present if and only if this one is.
    Scalar { is_silent: bool, other: Position },
    /// A source of an export, if the bit `enable` is set; with `compr`, two sources share a register.
    ExportSource { enable: Position, compr: Position },
}

impl AddressKind {
    /// The names of these kinds in `isa/operands.isa`.
    pub const NAMES: [(&'static str, AddressKind); 5] = [
        ("buf_vaddr", AddressKind::Buffer { offen: NONE, idxen: NONE, addr64: NONE }),
        ("global_addr", AddressKind::Global { saddr: NONE }),
        ("scratch_addr", AddressKind::Scratch { sve: NONE, saddr: NONE }),
        ("saddr", AddressKind::Scalar { is_silent: false, other: NONE }),
        ("exp_src", AddressKind::ExportSource { enable: NONE, compr: NONE }),
    ];

    /// Whether the address is in vector registers and other fields can change its length.
    pub const fn is_vector(self) -> bool {
        match self {
            AddressKind::Buffer { .. } | AddressKind::Global { .. } | AddressKind::Scratch { .. } => true,
            AddressKind::Scalar { .. } | AddressKind::ExportSource { .. } => false,
        }
    }

    pub(super) const fn at(self, [a, b, c, _]: [Position; 4], own: Position) -> AddressKind {
        match self {
            AddressKind::Buffer { .. } => AddressKind::Buffer { offen: a, idxen: b, addr64: c },
            AddressKind::Global { .. } => AddressKind::Global { saddr: a },
            AddressKind::Scratch { .. } => AddressKind::Scratch { sve: a, saddr: b },
            AddressKind::Scalar { .. } => {
                AddressKind::Scalar { is_silent: a != NONE, other: if a == own { b } else { a } }
            }
            AddressKind::ExportSource { .. } => AddressKind::ExportSource { enable: a, compr: b },
        }
    }

    pub(super) const fn positions(self) -> [Position; 4] {
        match self {
            AddressKind::Buffer { offen, idxen, addr64 } => [offen, idxen, addr64, NONE],
            AddressKind::Global { saddr: at } | AddressKind::Scalar { other: at, .. } => one(at),
            AddressKind::Scratch { sve, saddr } => [sve, saddr, NONE, NONE],
            AddressKind::ExportSource { enable, compr } => [enable, compr, NONE, NONE],
        }
    }
}
