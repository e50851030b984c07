//! Operands: the registers and constants that an instruction reads and writes.

mod iter;
pub(crate) mod values;

use crate::{Field, InlineFloat, Special};
pub use iter::Operands;
pub(crate) use iter::code_of;

/// A register: a file and a number in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[doc(alias = "SGPR")]
#[doc(alias = "VGPR")]
#[doc(alias = "AGPR")]
#[doc(alias = "TTMP")]
#[doc(alias = "AccVGPR")]
pub enum Reg {
    /// Scalar register.
    Sgpr(u8),
    /// Vector register; for an operand of 16 bits, its lower half. Fields name the first 256. On CDNA5, the numbers of
    /// the others have upper bits that [`VgprMsb`](crate::VgprMsb) tracks.
    Vgpr(u16),
    /// The upper half of a vector register.
    VgprHigh(u8),
    /// Accumulation register.
    Agpr(u8),
    /// Trap handler temporary.
    Ttmp(u8),
    /// Any other scalar register or source that a field names: vcc, exec, m0, flat_scratch, src_shared_base, ...
    Special(Special),
    /// The condition code bit.
    Scc,
    /// The whole vcc, if no field names it.
    Vcc,
    /// The whole exec mask, if no field names it.
    Exec,
    /// m0, if no field names it.
    M0,
    /// The MODE register: rounding, denormals, exceptions.
    Mode,
    /// The flat scratch base.
    FlatScratch,
    /// The XNACK mask.
    XnackMask,
    /// The trap status register.
    TrapStatus,
}

/// The value of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Value {
    /// A run of registers; the number of dwords is in [`Operand::bits`].
    Reg(Reg),
    /// An inline integer constant.
    Int(i8),
    /// An inline floating-point constant.
    Float(InlineFloat),
    /// A 32-bit literal.
    Literal(u32),
    /// The 64-bit literal after the base word: [`Inst::literal64`](crate::Inst::literal64) has its value.
    Literal64,
    /// A constant in the instruction.
    Imm(i32),
    /// A branch distance in dwords, from the next instruction.
    Label(i16),
    /// No register: `off`.
    Off,
}

/// Whether an operand is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Read.
    Read,
    /// Written.
    Write,
    /// Read and written.
    ReadWrite,
}

impl Access {
    /// Whether the operand is read.
    pub const fn reads(self) -> bool {
        !matches!(self, Access::Write)
    }

    /// Whether the operand is written.
    pub const fn writes(self) -> bool {
        !matches!(self, Access::Read)
    }
}

/// One operand of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Operand {
    /// The field that names the operand: its role. `None` for implicit operands.
    pub role: Option<Field>,
    /// The register, or the constant.
    pub value: Value,
    /// Width in bits.
    pub bits: u16,
    /// Read, written or both.
    pub access: Access,
}
