//! What may stand as an operand.

use super::{CodeSet, known};
use crate::codec::code::{AGPR, LITERAL, VECTOR_LAST, VGPR, meaning};
use crate::{Reg, Target, Value};

/// What may stand as an operand.
///
/// It is what decoding accepts while the other fields are such that the operand can be there and is as short as it can be:
/// a longer tuple has fewer places to begin at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Takes {
    /// The operand codes of registers, inline constants and literals.
    ///
    /// Tuples of scalar registers can begin anywhere, but the hardware reads the aligned tuple: see
    /// [`FormSignature::scalar_alignment`](super::FormSignature::scalar_alignment).
    pub codes: CodeSet,
    /// The upper halves of the vector registers may stand too, besides the lower ones.
    pub halves: bool,
    /// The vcc that no field names may stand; it does if nothing else can.
    pub vcc: bool,
    /// No register may stand: `off`.
    pub off: bool,
    /// A constant in the field.
    pub immediate: Option<Immediate>,
    pub(super) target: Target,
    pub(super) dwords: u16,
}

/// A constant in the operand's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Immediate {
    /// Width of the field in bits.
    pub bits: u8,
    /// The least value, as [`Value::Imm`] or [`Value::Label`] has it.
    pub min: i32,
    /// The greatest value.
    pub max: i32,
    /// What it is.
    pub kind: ImmediateKind,
}

/// What a constant in an operand's field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ImmediateKind {
    /// A number. Where the operation takes 16 bits as a signed number, it is still given as 0 to 65535.
    Number,
    /// A distance of a branch: in dwords, from the next instruction.
    Label,
    /// Which part of which hardware register; see [`Hwreg`](crate::Hwreg).
    Hwreg,
    /// A message; see [`Sendmsg`](crate::Sendmsg).
    Sendmsg,
    /// The counters to wait for; see [`Waitcnt`](crate::Waitcnt).
    Waitcnt,
    /// What is indexed; see [`GprIdx`](crate::GprIdx).
    GprIdx,
    /// The number of an attribute. Its channel is in another field.
    Attribute,
    /// Which parameter of an attribute.
    InterpParam,
    /// Where an export goes.
    ExportTarget,
}

impl ImmediateKind {
    /// A short name, such as `hwreg`.
    pub const fn name(self) -> &'static str {
        match self {
            ImmediateKind::Number => "number",
            ImmediateKind::Label => "label",
            ImmediateKind::Hwreg => "hwreg",
            ImmediateKind::Sendmsg => "sendmsg",
            ImmediateKind::Waitcnt => "waitcnt",
            ImmediateKind::GprIdx => "gpr_idx",
            ImmediateKind::Attribute => "attribute",
            ImmediateKind::InterpParam => "interp_param",
            ImmediateKind::ExportTarget => "export_target",
        }
    }
}

impl Takes {
    /// Nothing.
    pub(super) fn new(target: Target, dwords: u16) -> Takes {
        let codes = CodeSet::EMPTY;
        Takes { codes, halves: false, vcc: false, off: false, immediate: None, target, dwords }
    }

    /// Scalar registers.
    pub fn sgprs(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Reg(Reg::Sgpr(_))))
    }

    /// Temporaries of the trap handler.
    pub fn ttmps(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Reg(Reg::Ttmp(_))))
    }

    /// Some of the other scalar codes: vcc, exec, m0, src_shared_base, ...
    pub fn specials(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Reg(Reg::Special(_))))
    }

    /// Inline integer constants.
    pub fn ints(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Int(_)))
    }

    /// Inline floating-point constants.
    pub fn floats(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Float(_)))
    }

    /// A literal behind the base words.
    pub fn literal(&self) -> bool {
        self.codes.contains(LITERAL)
    }

    /// Vector registers.
    pub fn vgprs(&self) -> bool {
        (VGPR..AGPR).any(|code| self.codes.contains(code))
    }

    /// Accumulation registers.
    pub fn agprs(&self) -> bool {
        (AGPR..=AGPR + VECTOR_LAST).any(|code| self.codes.contains(code))
    }

    /// The value may stand as the operand. Any literal does if one can.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Opcode, Reg, Target, Value};
    /// let mfma = Opcode::VMfmaF32_32x32x2F32.signatures(Target::Gfx942).next().unwrap();
    /// let [vdst, .., src2] = [0, 1, 2, 3].map(|n| mfma.operands().nth(n).unwrap());
    /// assert!(vdst.takes.value(Value::Reg(Reg::Agpr(240))) && src2.takes.value(Value::Int(0)));
    /// // There is no a[241:256].
    /// assert!(!vdst.takes.value(Value::Reg(Reg::Agpr(241))));
    /// # }
    /// ```
    pub fn value(&self, value: Value) -> bool {
        let within = |n: i32| self.immediate.is_some_and(|imm| (imm.min..=imm.max).contains(&n));
        let is_label = self.immediate.is_some_and(|imm| imm.kind == ImmediateKind::Label);
        match value {
            Value::Imm(n) => !is_label && within(n),
            Value::Label(n) => is_label && within(n.into()),
            Value::Literal(_) => self.literal(),
            Value::Off => self.off,
            Value::Reg(Reg::Vcc) => self.vcc,
            Value::Reg(Reg::Vgpr(n)) => self.codes.contains(VGPR + u16::from(n)),
            Value::Reg(Reg::VgprHigh(n)) => self.halves && self.codes.contains(VGPR + u16::from(n)),
            Value::Reg(Reg::Agpr(n)) => self.codes.contains(AGPR + u16::from(n)),
            _ => self.values().any(|other| other == value),
        }
    }

    /// What the codes of scalar registers and constants mean, a value for each; a tuple of registers begins at the aligned
    /// one, as in [`Operand::value`](crate::Operand::value).
    fn values(&self) -> impl Iterator<Item = Value> {
        let target = known(self.target);
        let codes = (0..VGPR).filter(|&code| code != LITERAL && self.codes.contains(code));
        codes.map(move |code| meaning(target, code, self.dwords))
    }
}
