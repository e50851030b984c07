//! Operands as values: registers and constants, independent of a generation's codes.

use core::fmt;

use crate::code::floats::{F16_BITS, F32_BITS, F64_BITS};
use crate::code::{FLOAT, LITERAL};
use crate::opcode::{Field, SPECIAL_NAMES, Special};

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
    /// Vector register; for an operand of 16 bits, its lower half. Fields name the first 256. On CDNA5, other registers
    /// have numbers with upper bits, which [`VgprMsb`](crate::VgprMsb) tracks.
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
    /// A run of registers, by its first register; [`Operand::bits`] has the width of the run.
    Reg(Reg),
    /// An inline integer constant.
    Int(i8),
    /// An inline floating-point constant.
    Float(InlineFloat),
    /// A 32-bit literal.
    Literal(u32),
    /// The 64-bit literal after the base word: [`Inst::literal64`](crate::Inst::literal64) has its value.
    Literal64,
    /// A number that a field itself holds, such as `simm16` or an offset.
    Imm(i32),
    /// A branch distance in dwords, from the next instruction.
    Label(i16),
    /// No register: `off`.
    Off,
}

/// The access of an instruction to an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Access {
    /// Read only.
    Read,
    /// Write only.
    Write,
    /// Read and write.
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
    /// Whether the operand is read, written or both. A destination that is written only in part counts as read, too,
    /// for the part that stays: lanes that DPP leaves out, bytes that SDWA preserves, data that a load with `tfe` or
    /// `lwe` does not fetch. If `bits` is 16, the operand is a half of a register, and `access` is for this half;
    /// [`Inst::reads`](crate::Inst::reads) has the whole register. A load of half a register (`d16`) counts as one that
    /// reads its destination, although on targets whose memory can have ECC (gfx906, CDNA, CDNA5) such a load clears
    /// the other half while ECC is on.
    pub access: Access,
}

impl Operand {
    pub(crate) fn is_vector(&self) -> bool {
        matches!(self.value, Value::Reg(Reg::Vgpr(_) | Reg::VgprHigh(_) | Reg::Agpr(_)))
    }
}

impl Special {
    /// The assembler's name, such as `vcc_lo`.
    pub const fn name(self) -> &'static str {
        SPECIAL_NAMES[self as usize]
    }
}

/// The code of literals, which stands for a missing register in lists of the codes of registers.
pub(crate) const NO_SPECIAL: u8 = LITERAL as u8;

/// The register with this code; `codes` lists the code of each register.
pub(crate) const fn find(codes: &[u8], code: u16) -> Option<Special> {
    let mut n = 0;
    while n < codes.len() && n < Special::ALL.len() {
        if codes[n] as u16 == code && codes[n] != NO_SPECIAL {
            return Some(Special::ALL[n]);
        }
        n += 1;
    }
    None
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Reg {
    /// The lower half of vcc; as an operand of 64 bits, all of vcc.
    pub const VCC_LO: Reg = Reg::Special(Special::VccLo);
    /// The upper half of vcc.
    pub const VCC_HI: Reg = Reg::Special(Special::VccHi);
    /// The lower half of the exec mask; as an operand of 64 bits, all of exec.
    pub const EXEC_LO: Reg = Reg::Special(Special::ExecLo);
    /// The upper half of the exec mask.
    pub const EXEC_HI: Reg = Reg::Special(Special::ExecHi);
    /// The register that reads as zero and keeps nothing, at any width. Targets from gfx10 on have it.
    pub const NULL: Reg = Reg::Special(Special::Null);
}

/// Prints the register's own name; for a run, the name of its first register. [`Inst`](crate::Inst) has the length of
/// runs and prints them in full (`v[4:5]`).
///
/// ```
/// use amdgpu_isa::operands::Special;
/// use amdgpu_isa::Reg;
/// let all = [Reg::Sgpr(7), Reg::Vgpr(5), Reg::Agpr(3), Reg::Ttmp(2), Reg::VCC_HI, Reg::Special(Special::M0), Reg::Scc];
/// assert_eq!(all.map(|reg| reg.to_string()), ["s7", "v5", "a3", "ttmp2", "vcc_hi", "m0", "scc"]);
/// ```
impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reg::Sgpr(n) => write!(f, "s{n}"),
            Reg::Vgpr(n) => write!(f, "v{n}"),
            Reg::VgprHigh(n) => write!(f, "v{n}.h"),
            Reg::Agpr(n) => write!(f, "a{n}"),
            Reg::Ttmp(n) => write!(f, "ttmp{n}"),
            Reg::Special(special) => special.fmt(f),
            Reg::Scc => f.pad("scc"),
            Reg::Vcc => f.pad("vcc"),
            Reg::Exec => f.pad("exec"),
            Reg::M0 => f.pad("m0"),
            Reg::Mode => f.pad("mode"),
            Reg::FlatScratch => f.pad("flat_scratch"),
            Reg::XnackMask => f.pad("xnack_mask"),
            Reg::TrapStatus => f.pad("trapsts"),
        }
    }
}

/// The floating-point numbers that have operand codes. An operation reads them at the width of its operand.
///
/// ```
/// use amdgpu_isa::operands::InlineFloat;
/// assert_eq!(InlineFloat::from_f64(-2.0), Some(InlineFloat::NegTwo));
/// assert_eq!(InlineFloat::from_f64(3.0), None);
/// assert_eq!((InlineFloat::Half.to_f32(), InlineFloat::One.to_f16_bits()), (0.5, 0x3c00));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum InlineFloat {
    /// 0.5
    Half,
    /// -0.5
    NegHalf,
    /// 1.0
    One,
    /// -1.0
    NegOne,
    /// 2.0
    Two,
    /// -2.0
    NegTwo,
    /// 4.0
    Four,
    /// -4.0
    NegFour,
    /// 1/(2π), rounded separately to each operand width: a conversion between widths would give other bits.
    /// Targets from GCN 1.2 on have it.
    InvTwoPi,
}

impl InlineFloat {
    /// Every inline floating-point constant.
    pub const ALL: &'static [InlineFloat] = &[
        InlineFloat::Half,
        InlineFloat::NegHalf,
        InlineFloat::One,
        InlineFloat::NegOne,
        InlineFloat::Two,
        InlineFloat::NegTwo,
        InlineFloat::Four,
        InlineFloat::NegFour,
        InlineFloat::InvTwoPi,
    ];

    /// The bits that a 16-bit operation reads.
    pub const fn to_f16_bits(self) -> u16 {
        F16_BITS[self as usize % F16_BITS.len()]
    }

    /// The value that a 32-bit operation reads.
    pub const fn to_f32(self) -> f32 {
        f32::from_bits(F32_BITS[self as usize % F32_BITS.len()])
    }

    /// The value that a 64-bit operation reads.
    pub const fn to_f64(self) -> f64 {
        f64::from_bits(F64_BITS[self as usize % F64_BITS.len()])
    }

    /// The constant that a 64-bit operation reads as this number; `None` if there is none.
    pub fn from_f64(value: f64) -> Option<InlineFloat> {
        InlineFloat::ALL.iter().copied().find(|float| float.to_f64() == value)
    }

    pub(crate) const fn code(self) -> u16 {
        FLOAT + self as u16
    }

    /// The constant with an operand code, `FLOAT` to `FLOAT_LAST`.
    pub(crate) const fn of(code: u16) -> InlineFloat {
        InlineFloat::ALL[code.wrapping_sub(FLOAT) as usize % InlineFloat::ALL.len()]
    }
}

impl fmt::Display for InlineFloat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(["0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.15915494"][*self as usize])
    }
}

/// Prints the register's own name, or the constant. [`Inst`](crate::Inst) prints operands in assembler syntax.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Value::Reg(reg) => reg.fmt(f),
            Value::Int(n) => n.fmt(f),
            Value::Float(float) => float.fmt(f),
            Value::Literal(dword) => write!(f, "{dword:#x}"),
            Value::Literal64 => f.pad("literal64"),
            Value::Imm(n) => n.fmt(f),
            Value::Label(n) => write!(f, "a distance of {n} dwords"),
            Value::Off => f.pad("off"),
        }
    }
}

impl From<Reg> for Value {
    fn from(reg: Reg) -> Value {
        Value::Reg(reg)
    }
}

impl From<InlineFloat> for Value {
    fn from(float: InlineFloat) -> Value {
        Value::Float(float)
    }
}
