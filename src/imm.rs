//! The constants of `s_waitcnt`, `s_getreg`, `s_setreg`, `s_sendmsg` and `s_set_gpr_idx`, taken apart. Where the parts
//! lie is in the tables (`bits` in `isa/enums.isa`); the printer and re-targeting use the same types.

use crate::codec::value;
use crate::table::{Kind, Part};
use crate::target::{IMMS, ITEMS};
use crate::{Field, FieldError, Inst, Target};

/// `?`, which cannot stand in a `const fn`.
macro_rules! check {
    ($result:expr) => {
        match $result {
            Ok(value) => value,
            Err(error) => return Err(error),
        }
    };
}

impl Part {
    const fn low(&self) -> u16 {
        ((1u32 << self.width) - 1) as u16
    }

    const fn high(&self) -> u16 {
        ((1u32 << self.hi_width) - 1) as u16
    }

    /// The bits that hold it.
    const fn mask(&self) -> u16 {
        self.low() << self.lsb | self.high() << self.hi
    }

    /// The greatest value.
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
const fn used(parts: &[Part]) -> u16 {
    let (mut mask, mut i) = (0, 0);
    while i < parts.len() {
        mask |= parts[i].mask();
        i += 1;
    }
    mask
}

/// `rest`, which must keep off the bits of the parts.
const fn start(rest: u16, parts: &[Part]) -> Result<u16, FieldError> {
    let used = used(parts);
    if rest & used != 0 {
        return Err(FieldError { field: Field::Rest, value: rest as i64, width: used.count_zeros() as u8 });
    }
    Ok(rest)
}

/// What `s_waitcnt` waits for: until a counter is at or below its number. At its maximum it waits for nothing.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "gfx803"))] {
/// use amdgpu_isa::{Target, Waitcnt};
/// let wait = Waitcnt { lgkmcnt: 0, ..Waitcnt::nothing(Target::Gfx942) };
/// assert_eq!(wait.encode(Target::Gfx942), Ok(0xc07f));
/// let many = Waitcnt { vmcnt: 20, ..wait };
/// assert_eq!(many.encode(Target::Gfx942), Ok(0x4074));
/// let error = many.encode(Target::Gfx803).unwrap_err();
/// assert_eq!((error.field.name(), error.value, error.width), ("vmcnt", 20, 4));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Waitcnt {
    /// Vector memory operations: up to 15, or 63 from gfx9 on.
    pub vmcnt: u8,
    /// Exports, and stores that read their data: up to 7.
    pub expcnt: u8,
    /// LDS, GDS, scalar memory and messages: up to 15.
    pub lgkmcnt: u8,
    /// Bits of simm16 that hold no counter, where they lie. Ignored, and not printed.
    pub rest: u16,
}

impl Waitcnt {
    /// Every counter at the target's maximum.
    pub const fn nothing(target: Target) -> Waitcnt {
        let [vmcnt, expcnt, lgkmcnt] = &IMMS[target as usize].waitcnt;
        Waitcnt { vmcnt: vmcnt.max() as u8, expcnt: expcnt.max() as u8, lgkmcnt: lgkmcnt.max() as u8, rest: 0 }
    }

    /// From simm16. No bit is lost: [`Waitcnt::encode`] gives it back.
    pub const fn decode(target: Target, simm16: u16) -> Waitcnt {
        let parts = &IMMS[target as usize].waitcnt;
        let [vmcnt, expcnt, lgkmcnt] = parts;
        Waitcnt {
            vmcnt: vmcnt.get(simm16) as u8,
            expcnt: expcnt.get(simm16) as u8,
            lgkmcnt: lgkmcnt.get(simm16) as u8,
            rest: simm16 & !used(parts),
        }
    }

    /// To simm16.
    ///
    /// # Errors
    /// A counter that is past the target's maximum, or `rest` when it has a bit of a counter.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        let parts = &IMMS[target as usize].waitcnt;
        let [vmcnt, expcnt, lgkmcnt] = parts;
        let simm16 = check!(start(self.rest, parts));
        let simm16 = check!(vmcnt.put(Field::Vmcnt, self.vmcnt as u16, simm16));
        let simm16 = check!(expcnt.put(Field::Expcnt, self.expcnt as u16, simm16));
        lgkmcnt.put(Field::Lgkmcnt, self.lgkmcnt as u16, simm16)
    }
}

/// Bits of a hardware register, for `s_getreg` and `s_setreg`. It takes all bits of simm16.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{Hwreg, Target, gfx942::hwreg};
/// // The rounding mode of single precision.
/// let round = Hwreg { id: hwreg::HW_REG_MODE as u8, offset: 0, size: 2 };
/// assert_eq!(round.encode(Target::Gfx942), Ok(0x0801));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hwreg {
    /// The register: one of the constants of the target's `hwreg` module, 0 to 63.
    pub id: u8,
    /// Lowest bit, 0 to 31.
    pub offset: u8,
    /// Number of bits, 1 to 32; simm16 holds one less.
    pub size: u8,
}

impl Hwreg {
    /// From simm16. No bit is lost: [`Hwreg::encode`] gives it back.
    pub const fn decode(target: Target, simm16: u16) -> Hwreg {
        let [id, offset, size] = &IMMS[target as usize].hwreg;
        Hwreg { id: id.get(simm16) as u8, offset: offset.get(simm16) as u8, size: size.get(simm16) as u8 + 1 }
    }

    /// To simm16.
    ///
    /// # Errors
    /// A part that does not fit; a size of 0 or above 32.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        let [id, offset, size] = &IMMS[target as usize].hwreg;
        let simm16 = check!(id.put(Field::Id, self.id as u16, 0));
        let simm16 = check!(offset.put(Field::Offset, self.offset as u16, simm16));
        match size.put(Field::Size, (self.size as u16).wrapping_sub(1), simm16) {
            Err(error) => Err(FieldError { value: self.size as i64, ..error }),
            good => good,
        }
    }
}

/// A message, for `s_sendmsg`. The parts are numbers: constants of the target's modules `sendmsg`, `gs_op` and
/// `sysmsg_op`.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::gfx942::{gs_op, sendmsg};
/// use amdgpu_isa::{Sendmsg, Target};
/// let emit = Sendmsg { message: sendmsg::MSG_GS as u8, op: gs_op::GS_OP_EMIT as u8, stream: 1, rest: 0 };
/// assert_eq!(emit.encode(Target::Gfx942), Ok(0x0122));
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sendmsg {
    /// What is sent, 0 to 15.
    pub message: u8,
    /// What a geometry shader or system message asks for, 0 to 7.
    pub op: u8,
    /// Stream of a geometry shader message, 0 to 3.
    pub stream: u8,
    /// Bits of simm16 that belong to no part, where they lie. Text shows them only with a message that has no name.
    pub rest: u16,
}

impl Sendmsg {
    /// From simm16. No bit is lost: [`Sendmsg::encode`] gives it back.
    pub const fn decode(target: Target, simm16: u16) -> Sendmsg {
        let parts = &IMMS[target as usize].sendmsg;
        let [message, op, stream] = parts;
        Sendmsg {
            message: message.get(simm16) as u8,
            op: op.get(simm16) as u8,
            stream: stream.get(simm16) as u8,
            rest: simm16 & !used(parts),
        }
    }

    /// To simm16.
    ///
    /// # Errors
    /// A part that does not fit, or `rest` when it has a bit of another part.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        let parts = &IMMS[target as usize].sendmsg;
        let [message, op, stream] = parts;
        let simm16 = check!(start(self.rest, parts));
        let simm16 = check!(message.put(Field::Message, self.message as u16, simm16));
        let simm16 = check!(op.put(Field::Op, self.op as u16, simm16));
        stream.put(Field::Stream, self.stream as u16, simm16)
    }
}

/// Which operands `s_set_gpr_idx_on` and `s_set_gpr_idx_mode` index. Targets before gfx8 have none of it.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{GprIdx, Target};
/// let index = GprIdx { src0: true, dst: true, ..GprIdx::default() };
/// assert_eq!(index.encode(Target::Gfx942), Ok(0b1001));
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GprIdx {
    /// The first source.
    pub src0: bool,
    /// The second source.
    pub src1: bool,
    /// The third source.
    pub src2: bool,
    /// The destination.
    pub dst: bool,
    /// Bits of the field that belong to no part, where they lie. With one of them text shows a number.
    pub rest: u16,
}

impl GprIdx {
    /// From the constant. No bit is lost: [`GprIdx::encode`] gives it back.
    pub const fn decode(target: Target, imm: u16) -> GprIdx {
        let parts = &IMMS[target as usize].gpr_idx;
        let [src0, src1, src2, dst] = parts;
        GprIdx {
            src0: src0.get(imm) != 0,
            src1: src1.get(imm) != 0,
            src2: src2.get(imm) != 0,
            dst: dst.get(imm) != 0,
            rest: imm & !used(parts),
        }
    }

    /// To the constant.
    ///
    /// # Errors
    /// A part that the target lacks, or `rest` when it has a bit of another part.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        let parts = &IMMS[target as usize].gpr_idx;
        let [src0, src1, src2, dst] = parts;
        let imm = check!(start(self.rest, parts));
        let imm = check!(src0.put(Field::Src0, self.src0 as u16, imm));
        let imm = check!(src1.put(Field::Src1, self.src1 as u16, imm));
        let imm = check!(src2.put(Field::Src2, self.src2 as u16, imm));
        dst.put(Field::Dst, self.dst as u16, imm)
    }
}

/// A constant that has parts; see [`Inst::imm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Imm {
    /// Of `s_waitcnt`.
    Waitcnt(Waitcnt),
    /// Of `s_getreg` and `s_setreg`.
    Hwreg(Hwreg),
    /// Of `s_sendmsg`.
    Sendmsg(Sendmsg),
    /// Of `s_set_gpr_idx_on` and `s_set_gpr_idx_mode`.
    GprIdx(GprIdx),
}

impl Imm {
    pub(crate) fn decode(target: Target, kind: Kind, value: u16) -> Option<Imm> {
        Some(match kind {
            Kind::Waitcnt => Imm::Waitcnt(Waitcnt::decode(target, value)),
            Kind::Hwreg => Imm::Hwreg(Hwreg::decode(target, value)),
            Kind::Sendmsg => Imm::Sendmsg(Sendmsg::decode(target, value)),
            Kind::GprIdx => Imm::GprIdx(GprIdx::decode(target, value)),
            _ => return None,
        })
    }

    /// The number that the instruction holds.
    ///
    /// # Errors
    /// A part that does not fit, or that the target lacks.
    pub const fn encode(self, target: Target) -> Result<u16, FieldError> {
        match self {
            Imm::Waitcnt(parts) => parts.encode(target),
            Imm::Hwreg(parts) => parts.encode(target),
            Imm::Sendmsg(parts) => parts.encode(target),
            Imm::GprIdx(parts) => parts.encode(target),
        }
    }
}

impl Inst {
    /// The constant, if it is one that has parts.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Imm, Target, Waitcnt, decode};
    /// let inst = decode(Target::Gfx942, &[0x7f, 0xc0, 0x8c, 0xbf]).unwrap(); // s_waitcnt lgkmcnt(0)
    /// assert_eq!(inst.imm(), Some(Imm::Waitcnt(Waitcnt { vmcnt: 63, expcnt: 7, lgkmcnt: 0, rest: 0 })));
    /// # }
    /// ```
    pub fn imm(&self) -> Option<Imm> {
        let mut all = ITEMS[self.target() as usize].of(self);
        all.find_map(|item| Imm::decode(self.target(), item.kind, value(item, self) as u16))
    }
}
