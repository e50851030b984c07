//! The values that an operand accepts.

use super::{CodeSet, known};
use crate::code::{AGPR, LITERAL, LITERAL64, VECTOR_LAST, VGPR};
use crate::codec::code::{has_literal64, meaning};
use crate::target::Target;
use crate::value::{Reg, Value};

/// The values that an operand accepts.
///
/// These are the values that decoding accepts if the other fields make the operand present and as short as possible:
/// longer tuples can begin at fewer registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Takes {
    /// The operand codes of registers, inline constants and literals.
    ///
    /// Tuples of scalar registers can begin anywhere, but the hardware reads the aligned tuple: see
    /// [`OperandSignature::scalar_alignment`](super::OperandSignature::scalar_alignment).
    pub codes: CodeSet,
    /// Whether the upper halves of the vector registers are also accepted, besides the lower halves.
    pub halves: bool,
    /// Whether the operand may be the implicit vcc, which no field names. If it accepts nothing else, it is always vcc.
    pub vcc: bool,
    /// Whether the operand may be absent: `off`.
    pub off: bool,
    /// The constant that the field may hold, if any.
    pub immediate: Option<Immediate>,
    pub(super) target: Target,
    pub(super) dwords: u16,
}

/// A constant in the operand's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Immediate {
    /// The width of the field in bits.
    pub bits: u8,
    /// The least value, in the form of [`Value::Imm`] or [`Value::Label`].
    pub min: i32,
    /// The greatest value.
    pub max: i32,
    /// The kind of constant.
    pub kind: ImmediateKind,
}

/// The kind of a constant in an operand's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ImmediateKind {
    /// A number. If the operation reads 16 bits as a signed number, the value is still given as 0 to 65535.
    Number,
    /// A branch distance in dwords, from the next instruction.
    Label,
    /// A part of a hardware register: see [`Hwreg`](crate::imm::Hwreg).
    Hwreg,
    /// A message: see [`Sendmsg`](crate::imm::Sendmsg).
    Sendmsg,
    /// The counters to wait for: see [`Waitcnt`](crate::imm::Waitcnt).
    Waitcnt,
    /// The operands to index: see [`GprIdx`](crate::imm::GprIdx).
    GprIdx,
    /// The counters inside a wave to wait for: see [`Depctr`](crate::imm::Depctr).
    Depctr,
    /// The dependencies on results of earlier instructions: see [`DelayAlu`](crate::imm::DelayAlu).
    DelayAlu,
    /// The number of an attribute. Its channel is another field.
    Attribute,
    /// A parameter of an attribute.
    InterpParam,
    /// The target of an export.
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
            ImmediateKind::Depctr => "depctr",
            ImmediateKind::DelayAlu => "delay_alu",
            ImmediateKind::Attribute => "attribute",
            ImmediateKind::InterpParam => "interp_param",
            ImmediateKind::ExportTarget => "export_target",
        }
    }
}

impl Takes {
    /// The empty set of values.
    pub(super) fn new(target: Target, dwords: u16) -> Takes {
        let codes = CodeSet::EMPTY;
        Takes { codes, halves: false, vcc: false, off: false, immediate: None, target, dwords }
    }

    /// Whether scalar registers are accepted.
    pub fn sgprs(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Reg(Reg::Sgpr(_))))
    }

    /// Whether temporaries of the trap handler are accepted.
    pub fn ttmps(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Reg(Reg::Ttmp(_))))
    }

    /// Whether any other scalar codes are accepted: vcc, exec, m0, src_shared_base, ...
    pub fn specials(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Reg(Reg::Special(_))))
    }

    /// Whether inline integer constants are accepted.
    pub fn ints(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Int(_)))
    }

    /// Whether inline floating-point constants are accepted.
    pub fn floats(&self) -> bool {
        self.values().any(|value| matches!(value, Value::Float(_)))
    }

    /// Whether a literal of 32 bits after the base words is accepted.
    pub fn literal(&self) -> bool {
        self.codes.contains(LITERAL)
    }

    /// Whether a literal of 64 bits after the base words is accepted.
    pub fn literal64(&self) -> bool {
        has_literal64(self.target) && self.codes.contains(LITERAL64)
    }

    /// Whether vector registers are accepted.
    pub fn vgprs(&self) -> bool {
        (VGPR..AGPR).any(|code| self.codes.contains(code))
    }

    /// Whether accumulation registers are accepted.
    pub fn agprs(&self) -> bool {
        (AGPR..=AGPR + VECTOR_LAST).any(|code| self.codes.contains(code))
    }

    /// Whether the operand accepts a value. The number of a literal does not matter.
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
            Value::Literal64 => self.literal64(),
            Value::Off => self.off,
            Value::Reg(Reg::Vcc) => self.vcc,
            Value::Reg(Reg::Vgpr(n)) => n < VGPR && self.codes.contains(VGPR + n),
            Value::Reg(Reg::VgprHigh(n)) => self.halves && self.codes.contains(VGPR + u16::from(n)),
            Value::Reg(Reg::Agpr(n)) => self.codes.contains(AGPR + u16::from(n)),
            _ => self.values().any(|other| other == value),
        }
    }

    /// The meanings of the codes of scalar registers and constants, a value for each. A tuple of registers begins at
    /// the aligned register, as in [`Operand::value`](crate::Operand::value).
    fn values(&self) -> impl Iterator<Item = Value> {
        let target = known(self.target);
        let is_literal = move |code| code == LITERAL || code == LITERAL64 && has_literal64(target);
        let codes = (0..VGPR).filter(move |&code| !is_literal(code) && self.codes.contains(code));
        codes.map(move |code| meaning(target, code, self.dwords))
    }
}
