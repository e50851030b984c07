//! The parts of the constants of `s_waitcnt`, `s_getreg`, `s_setreg`, `s_sendmsg`, `s_set_gpr_idx_on`,
//! `s_waitcnt_depctr` and `s_delay_alu`. The tables hold the positions of the parts (`bits` in `isa/enums.isa`); the
//! printer and re-targeting use the same types. The types for waits are in files of their own.

use crate::codec::value;
use crate::error::FieldError;
use crate::inst::Inst;
use crate::kind::PartsKind;
use crate::opcode::Field;
use crate::table::Part;
use crate::target::{IMMS, Target};

/// A replacement for the `?` operator, which cannot be used in a `const fn`.
macro_rules! check {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Err(error),
        }
    };
}

mod depctr;
mod waitcnt;

pub use depctr::Depctr;
pub use waitcnt::Waitcnt;

impl Part {
    const fn low(&self) -> u16 {
        ((1u32 << self.width) - 1) as u16
    }

    const fn high(&self) -> u16 {
        ((1u32 << self.hi_width) - 1) as u16
    }

    /// The bits of the part.
    const fn mask(&self) -> u16 {
        self.low() << self.lsb | self.high() << self.hi
    }

    /// The greatest value of the part.
    const fn max(&self) -> u16 {
        self.low() | self.high() << self.width
    }

    const fn get(&self, from: u16) -> u16 {
        from >> self.lsb & self.low() | (from >> self.hi & self.high()) << self.width
    }

    const fn put(&self, field: Field, value: u16, to: u16) -> Result<u16, FieldError> {
        if value > self.max() {
            return Err(FieldError { field, value: value as i64, width: self.width + self.hi_width });
        }
        Ok(to | (value & self.low()) << self.lsb | (value >> self.width & self.high()) << self.hi)
    }
}

/// All bits that belong to one of the parts.
const fn used_bits(parts: &[Part]) -> u16 {
    let (mut mask, mut i) = (0, 0);
    while i < parts.len() {
        mask |= parts[i].mask();
        i += 1;
    }
    mask
}

/// Returns `rest` if it has no bit that belongs to a part.
const fn checked_rest(rest: u16, parts: &[Part]) -> Result<u16, FieldError> {
    let used = used_bits(parts);
    if rest & used != 0 {
        return Err(FieldError { field: Field::Rest, value: rest as i64, width: used.count_zeros() as u8 });
    }
    Ok(rest)
}

/// A range of bits of a hardware register, for `s_getreg` and `s_setreg`. The parts use all bits of simm16.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::imm::Hwreg;
/// use amdgpu_isa::{Target, gfx942::hwreg};
/// // The rounding mode of single precision.
/// let round = Hwreg { id: hwreg::HW_REG_MODE as u8, offset: 0, size: 2 };
/// assert_eq!(round.encode(Target::Gfx942), Ok(0x0801));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "s_getreg")]
#[doc(alias = "s_setreg")]
pub struct Hwreg {
    /// The register: one of the constants of the target's `hwreg` module, 0 to 63.
    pub id: u8,
    /// Lowest bit, 0 to 31.
    pub offset: u8,
    /// Number of bits, 1 to 32; simm16 holds one less.
    pub size: u8,
}

impl Hwreg {
    /// Decodes simm16 without loss: [`Hwreg::encode`] restores it.
    pub const fn decode(target: Target, simm16: u16) -> Hwreg {
        let [id, offset, size] = &IMMS[target as usize].hwreg;
        Hwreg { id: id.get(simm16) as u8, offset: offset.get(simm16) as u8, size: size.get(simm16) as u8 + 1 }
    }

    /// Encodes the parts as simm16.
    ///
    /// # Errors
    /// A part does not fit, or the size is 0 or above 32.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        self.encode_in(&IMMS[target as usize].hwreg)
    }

    pub(crate) const fn encode_in(self, parts: &[Part; 3]) -> Result<u16, FieldError> {
        let [id, offset, size] = parts;
        let simm16 = check!(id.put(Field::Id, self.id as u16, 0));
        let simm16 = check!(offset.put(Field::Offset, self.offset as u16, simm16));
        match size.put(Field::Size, (self.size as u16).wrapping_sub(1), simm16) {
            Err(error) => Err(FieldError { value: self.size as i64, ..error }),
            good => good,
        }
    }
}

/// A message, for `s_sendmsg` and `s_sendmsg_rtn`. The parts are numbers: constants of the target's modules `sendmsg`,
/// `gs_op` and `sysmsg_op`. From RDNA3 on, a message has no operation and no stream.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::gfx942::{gs_op, sendmsg};
/// use amdgpu_isa::imm::Sendmsg;
/// use amdgpu_isa::Target;
/// let emit = Sendmsg { message: sendmsg::MSG_GS as u8, op: gs_op::GS_OP_EMIT as u8, stream: 1, rest: 0 };
/// assert_eq!(emit.encode(Target::Gfx942), Ok(0x0122));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias = "s_sendmsg")]
pub struct Sendmsg {
    /// The message, 0 to 15; from RDNA3 on, 0 to 255.
    pub message: u8,
    /// The operation of a geometry shader or system message, 0 to 7.
    pub op: u8,
    /// Stream of a geometry shader message, 0 to 3.
    pub stream: u8,
    /// Bits of simm16 that do not belong to a part, at their positions. The text shows them only if the message has no
    /// name, or does not take the operation or the stream.
    pub rest: u16,
}

impl Sendmsg {
    /// Decodes simm16 without loss: [`Sendmsg::encode`] restores it.
    pub const fn decode(target: Target, simm16: u16) -> Sendmsg {
        let parts = &IMMS[target as usize].sendmsg;
        let [message, op, stream] = parts;
        Sendmsg {
            message: message.get(simm16) as u8,
            op: op.get(simm16) as u8,
            stream: stream.get(simm16) as u8,
            rest: simm16 & !used_bits(parts),
        }
    }

    /// Encodes the parts as simm16.
    ///
    /// # Errors
    /// A part does not fit, or `rest` has a bit of a part.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        self.encode_in(&IMMS[target as usize].sendmsg)
    }

    pub(crate) const fn encode_in(self, parts: &[Part; 3]) -> Result<u16, FieldError> {
        let [message, op, stream] = parts;
        let simm16 = check!(checked_rest(self.rest, parts));
        let simm16 = check!(message.put(Field::Message, self.message as u16, simm16));
        let simm16 = check!(op.put(Field::Op, self.op as u16, simm16));
        stream.put(Field::Stream, self.stream as u16, simm16)
    }
}

/// The operands that `s_set_gpr_idx_on` and `s_set_gpr_idx_mode` index. Only targets from gfx8 to gfx950 have these
/// instructions.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::imm::GprIdx;
/// use amdgpu_isa::Target;
/// let index = GprIdx { src0: true, dst: true, ..GprIdx::default() };
/// assert_eq!(index.encode(Target::Gfx942), Ok(0b1001));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "s_set_gpr_idx_on")]
pub struct GprIdx {
    /// Whether the first source is indexed.
    pub src0: bool,
    /// Whether the second source is indexed.
    pub src1: bool,
    /// Whether the third source is indexed.
    pub src2: bool,
    /// Whether the destination is indexed.
    pub dst: bool,
    /// Bits of the field that do not belong to a part, at their positions. If any is set, the text shows the whole
    /// constant as a number.
    pub rest: u16,
}

impl GprIdx {
    /// Decodes the constant without loss: [`GprIdx::encode`] restores it.
    pub const fn decode(target: Target, imm: u16) -> GprIdx {
        let parts = &IMMS[target as usize].gpr_idx;
        let [src0, src1, src2, dst] = parts;
        GprIdx {
            src0: src0.get(imm) != 0,
            src1: src1.get(imm) != 0,
            src2: src2.get(imm) != 0,
            dst: dst.get(imm) != 0,
            rest: imm & !used_bits(parts),
        }
    }

    /// Encodes the parts as the constant.
    ///
    /// # Errors
    /// The target lacks a part, or `rest` has a bit of a part.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        self.encode_in(&IMMS[target as usize].gpr_idx)
    }

    pub(crate) const fn encode_in(self, parts: &[Part; 4]) -> Result<u16, FieldError> {
        let [src0, src1, src2, dst] = parts;
        let imm = check!(checked_rest(self.rest, parts));
        let imm = check!(src0.put(Field::Src0, self.src0 as u16, imm));
        let imm = check!(src1.put(Field::Src1, self.src1 as u16, imm));
        let imm = check!(src2.put(Field::Src2, self.src2 as u16, imm));
        dst.put(Field::Dst, self.dst as u16, imm)
    }
}

/// The dependencies of one or two instructions after `s_delay_alu` on the results of earlier instructions:
/// `s_delay_alu` delays the later instructions accordingly. The parts are numbers: constants of the target's modules
/// `instid` and `instskip`. RDNA3 and later have this instruction.
///
/// ```
/// # #[cfg(feature = "gfx1100")] {
/// use amdgpu_isa::gfx1100::{instid, instskip};
/// use amdgpu_isa::imm::DelayAlu;
/// use amdgpu_isa::Target;
/// let delay = DelayAlu {
///     instid0: instid::VALU_DEP_1 as u8,
///     instskip: instskip::NEXT as u8,
///     instid1: instid::SALU_CYCLE_1 as u8,
///     rest: 0,
/// };
/// assert_eq!(delay.encode(Target::Gfx1100), Ok(0x0491));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "s_delay_alu")]
pub struct DelayAlu {
    /// The dependency of the next instruction, 0 to 11; 0 if there is none.
    pub instid0: u8,
    /// The distance from the next instruction to the one that `instid1` applies to, 0 to 5; 0 if both are the same.
    pub instskip: u8,
    /// The dependency of the other instruction, 0 to 11; 0 if there is none.
    pub instid1: u8,
    /// Bits of simm16 that do not belong to a part, at their positions. The hardware ignores them, and the text omits
    /// them if all parts have names.
    pub rest: u16,
}

impl DelayAlu {
    /// Decodes simm16 without loss: [`DelayAlu::encode`] restores it.
    pub const fn decode(target: Target, simm16: u16) -> DelayAlu {
        let parts = &IMMS[target as usize].delay_alu;
        let [instid0, instskip, instid1] = parts;
        DelayAlu {
            instid0: instid0.get(simm16) as u8,
            instskip: instskip.get(simm16) as u8,
            instid1: instid1.get(simm16) as u8,
            rest: simm16 & !used_bits(parts),
        }
    }

    /// Encodes the parts as simm16.
    ///
    /// # Errors
    /// A part does not fit, the target lacks it, or `rest` has a bit of a part. Numbers without a name are not
    /// errors: 12 to 15 fit in `instid0`.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        self.encode_in(&IMMS[target as usize].delay_alu)
    }

    pub(crate) const fn encode_in(self, parts: &[Part; 3]) -> Result<u16, FieldError> {
        let [instid0, instskip, instid1] = parts;
        let simm16 = check!(checked_rest(self.rest, parts));
        let simm16 = check!(instid0.put(Field::Instid0, self.instid0 as u16, simm16));
        let simm16 = check!(instskip.put(Field::Instskip, self.instskip as u16, simm16));
        instid1.put(Field::Instid1, self.instid1 as u16, simm16)
    }
}

/// A constant that has parts: see [`Inst::imm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Imm {
    /// The constant of `s_waitcnt`.
    Waitcnt(Waitcnt),
    /// The constant of `s_getreg` and `s_setreg`.
    Hwreg(Hwreg),
    /// The constant of `s_sendmsg` and `s_sendmsg_rtn`.
    Sendmsg(Sendmsg),
    /// The constant of `s_set_gpr_idx_on` and `s_set_gpr_idx_mode`.
    GprIdx(GprIdx),
    /// The constant of `s_waitcnt_depctr`.
    Depctr(Depctr),
    /// The constant of `s_delay_alu`.
    DelayAlu(DelayAlu),
}

impl Imm {
    pub(crate) fn decode(target: Target, kind: PartsKind, value: u16) -> Imm {
        match kind {
            PartsKind::Waitcnt => Imm::Waitcnt(Waitcnt::decode(target, value)),
            PartsKind::Hwreg => Imm::Hwreg(Hwreg::decode(target, value)),
            PartsKind::Sendmsg => Imm::Sendmsg(Sendmsg::decode(target, value)),
            PartsKind::GprIdx => Imm::GprIdx(GprIdx::decode(target, value)),
            PartsKind::Depctr => Imm::Depctr(Depctr::decode(target, value)),
            PartsKind::DelayAlu => Imm::DelayAlu(DelayAlu::decode(target, value)),
        }
    }

    /// The kind of the constant.
    pub(crate) const fn kind(&self) -> PartsKind {
        match self {
            Imm::Waitcnt(_) => PartsKind::Waitcnt,
            Imm::Hwreg(_) => PartsKind::Hwreg,
            Imm::Sendmsg(_) => PartsKind::Sendmsg,
            Imm::GprIdx(_) => PartsKind::GprIdx,
            Imm::Depctr(_) => PartsKind::Depctr,
            Imm::DelayAlu(_) => PartsKind::DelayAlu,
        }
    }

    /// Encodes the constant as the number in the instruction.
    ///
    /// # Errors
    /// A part does not fit, the target lacks it, or `rest` has a bit of a part.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        match self {
            Imm::Waitcnt(parts) => parts.encode(target),
            Imm::Hwreg(parts) => parts.encode(target),
            Imm::Sendmsg(parts) => parts.encode(target),
            Imm::GprIdx(parts) => parts.encode(target),
            Imm::Depctr(parts) => parts.encode(target),
            Imm::DelayAlu(parts) => parts.encode(target),
        }
    }
}

impl Inst {
    /// The instruction's constant, if it has a constant with parts.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::imm::{Imm, Waitcnt};
    /// use amdgpu_isa::{Target, decode};
    /// let inst = decode(Target::Gfx942, &[0x7f, 0xc0, 0x8c, 0xbf]).unwrap(); // s_waitcnt lgkmcnt(0)
    /// assert_eq!(inst.imm(), Some(Imm::Waitcnt(Waitcnt::new().with_lgkmcnt(0))));
    /// # }
    /// ```
    pub fn imm(&self) -> Option<Imm> {
        let mut all = self.descs();
        all.find_map(|desc| Some(Imm::decode(self.target(), desc.kind.parts()?, value(desc, self) as u16)))
    }
}
