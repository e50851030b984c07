//! Operands of a signature, and the values that they accept.

use core::fmt;

use super::{Immediate, ImmediateKind, Signature, Takes};
use crate::codec::code::{AGPR, LITERAL, LITERAL64, VGPR, neither, off, scalar_align};
use crate::codec::{
    ADDRESS_PARTS, HALF, MATRIX_FORMAT, REGISTER, SCALAR, address_field, address_fields, address_lsb,
    address_part_dwords, fits_its_fields, has_both, image_address_access, image_address_size, is_conditional,
    is_image_data, matrix_dwords_of, mimg_dwords, range,
};
use crate::decode::probe::Probe;
use crate::shared::{flag, image};
use crate::table::{NONE, OperandDesc, OperandType};
use crate::{Access, Field};

/// The data type of an operand, which decides how constants read and print. Packed types hold two components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[allow(missing_docs)]
pub enum DataType {
    /// Untyped bits; [`OperandSignature::bits`] gives their number.
    Bits,
    I16,
    I32,
    I64,
    F16,
    F32,
    F64,
    PkI16,
    PkF16,
    PkBf16,
    Bf16,
    PkI32,
    PkF32,
}

impl DataType {
    /// The name, such as `pk_f16`; `b` for bits.
    pub const fn name(self) -> &'static str {
        match self {
            DataType::Bits => "b",
            DataType::I16 => "i16",
            DataType::I32 => "i32",
            DataType::I64 => "i64",
            DataType::F16 => "f16",
            DataType::F32 => "f32",
            DataType::F64 => "f64",
            DataType::PkI16 => "pk_i16",
            DataType::PkF16 => "pk_f16",
            DataType::PkBf16 => "pk_bf16",
            DataType::Bf16 => "bf16",
            DataType::PkI32 => "pk_i32",
            DataType::PkF32 => "pk_f32",
        }
    }

    /// The bits of one value, which includes both components of a packed type; `None` for [`DataType::Bits`]. An operand
    /// can hold several values: a matrix does.
    pub const fn bits(self) -> Option<u16> {
        Some(match self {
            DataType::Bits => return None,
            DataType::I16 | DataType::F16 | DataType::Bf16 => 16,
            DataType::I32 | DataType::F32 | DataType::PkI16 | DataType::PkF16 | DataType::PkBf16 => 32,
            DataType::I64 | DataType::F64 | DataType::PkI32 | DataType::PkF32 => 64,
        })
    }
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// An operand of a [`Signature`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct OperandSignature {
    /// The field that names it: its role. [`Field::Vcc`] stands for a vcc that the text shows and no field names.
    pub field: Field,
    /// Its data type.
    pub ty: DataType,
    /// Its width in bits, as in [`Operand::bits`](crate::Operand::bits). Registers count with all their bits, even if
    /// the value uses fewer; an operand that only accepts a constant in its field has the width of the field. If other
    /// fields determine the number of registers, this is the least width.
    pub bits: u16,
    /// The greatest width in bits.
    pub most_bits: u16,
    /// Read, written or both. With `returned`, an operand that is read and written may also be only read.
    pub access: Access,
    /// The operand is written only if this field's lowest bit is set: the instruction then returns something.
    pub returned: Option<Field>,
    /// Whether some instructions of the form lack the operand: those that return nothing, loads to LDS, addresses
    /// without a second register.
    pub optional: bool,
    /// The values that it accepts.
    pub takes: Takes,
    /// The divisor between operand code and field: the field holds the code minus `first`, divided by this.
    pub scale: u8,
    /// The operand code for a field value of zero. If another field selects an accumulation register, the code is 256
    /// higher. The same holds if another field selects a vector register (SDWA).
    pub first: u16,
    signature: Signature,
    desc: &'static OperandDesc,
}

/// The most operands that one descriptor stands for.
pub(super) const MOST_PARTS: u8 = ADDRESS_PARTS;

impl OperandSignature {
    /// Operand number `part` of a descriptor, counted from zero.
    pub(super) fn new(signature: &Signature, desc: &'static OperandDesc, part: u8) -> Option<OperandSignature> {
        let reading = Reading { signature, probe: &signature.probe, desc };
        let access = desc.access?;
        let (field, (least, most), optional) = reading.part(part)?;
        let bits = |dwords: u16| match desc.operand_type {
            OperandType::Half | OperandType::HalfSel => 16,
            _ if dwords == 0 => u16::from(desc.width),
            _ => dwords * 32,
        };
        let returns = is_conditional(desc);
        let access = match access {
            _ if desc.operand_type.is_image_address() => image_address_access(desc, part),
            Access::Read if returns => Access::ReadWrite,
            access => access,
        };
        Some(OperandSignature {
            field,
            ty: desc.ty,
            bits: bits(least),
            most_bits: bits(most),
            access,
            returned: if returns { signature.field_at(desc.cond) } else { None },
            optional,
            takes: reading.takes(part, least),
            scale: 1 << (desc.shift & 7),
            first: desc.add,
            signature: *signature,
            desc,
        })
    }

    #[cfg(feature = "text")]
    pub(crate) fn signature(&self) -> &Signature {
        &self.signature
    }

    #[cfg(feature = "text")]
    pub(crate) fn desc(&self) -> &'static OperandDesc {
        self.desc
    }

    /// The number of values of its type: 16 for an `f32` operand of 512 bits. 1 for [`DataType::Bits`].
    pub fn count(&self) -> u16 {
        // A value of 16 bits takes a whole register.
        self.ty.bits().map_or(1, |bits| (self.bits / bits.max(32)).max(1))
    }

    /// A tuple of scalar registers must begin at a multiple of this number: [`Inst::check`](crate::Inst::check) demands
    /// it. 1 if it accepts none.
    pub fn scalar_alignment(&self) -> u8 {
        let dwords = if self.takes.sgprs() || self.takes.ttmps() { self.bits.div_ceil(32) } else { 1 };
        scalar_align(dwords) as u8
    }

    /// A tuple of two or more vector registers, and the single register of some GWS operations, must begin at a multiple
    /// of this number: [`Inst::check`](crate::Inst::check) demands it. 1 if it accepts none.
    pub fn vector_alignment(&self) -> u8 {
        let facts = self.signature.facts();
        let runs = (self.most_bits > 32 || facts & const { flag("even") } != 0)
            && !(facts & const { flag("odd") } != 0 && self.access.writes());
        let tuples = runs && (self.takes.vgprs() || self.takes.agprs());
        if tuples && self.signature.target().aligned_vgprs() { 2 } else { 1 }
    }

    /// Other fields that affect the operand, with possible repetitions: those for the kind and number of registers, the
    /// sign, and whether the operand is present.
    pub fn others(&self) -> impl Iterator<Item = Field> + use<> {
        let (signature, own) = (self.signature, self.field);
        let bits = self.desc.aux.into_iter().chain([self.desc.cond]).filter(|bit| *bit != NONE);
        bits.filter_map(move |bit| signature.field_at(bit)).filter(move |field| *field != own)
    }
}

impl fmt::Debug for OperandSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperandSignature")
            .field("field", &self.field)
            .field("ty", &self.ty)
            .field("bits", &self.bits)
            .field("access", &self.access)
            .field("takes", &self.takes)
            .finish_non_exhaustive()
    }
}

/// Reads a descriptor as src/codec does, but for all instructions of a form at once.
struct Reading<'a> {
    signature: &'a Signature,
    probe: &'a Probe,
    desc: &'static OperandDesc,
}

impl Reading<'_> {
    fn can_be(&self, bit: u8, value: bool) -> bool {
        self.probe.can_be(bit, value)
    }

    /// Whether the descriptor's auxiliary bit number `n` can have this value; a missing bit is zero.
    fn aux(&self, n: usize, value: bool) -> bool {
        self.desc.aux.get(n).is_some_and(|&bit| self.can_be(bit, value))
    }

    /// The field, the least and greatest number of dwords (0: not a register), and whether the operand can be absent.
    fn part(&self, part: u8) -> Option<(Field, (u16, u16), bool)> {
        let desc = self.desc;
        let dwords = u16::from(desc.dwords);
        let one = |n: u16| (n, n);
        match desc.operand_type {
            OperandType::Second => return None,
            OperandType::SmemOffset if desc.aux[2] != NONE => {
                return match part {
                    0 => Some((Field::Soffset, one(1), true)),
                    1 if has_both(desc) => Some((desc.field, one(0), true)),
                    // A register alone uses the constant's field.
                    1 => Some((desc.field, one(1), self.aux(0, false) && self.aux(1, true))),
                    _ => None,
                };
            }
            ty if ty.is_image_address() => return self.image_address(part),
            _ if part > 0 => return None,
            _ => {}
        }
        let size = match desc.operand_type {
            OperandType::SignedHex | OperandType::Label => one(0),
            ty if ty.is_number() => one(0),
            OperandType::BufData => (dwords, dwords + u16::from(self.aux(2, true))),
            OperandType::BufVaddr if self.aux(2, true) || self.aux(0, true) && self.aux(1, true) => (1, 2),
            OperandType::GlobalAddr => (1, 2),
            OperandType::AccSized => self.matrix(),
            _ if is_image_data(desc) => self.image_data(),
            _ => one(dwords),
        };
        let unreturned = desc.access == Some(Access::Write) && is_conditional(desc) && self.can_be(desc.cond, false);
        let to_lds = desc.operand_type == OperandType::BufData && self.probe.has_lds() && self.aux(1, true);
        Some((desc.field, size, unreturned || to_lds))
    }

    fn image_data(&self) -> (u16, u16) {
        let what = match self.desc.operand_type {
            OperandType::MimgGather => image::GATHER,
            OperandType::MimgAtomic => image::ATOMIC,
            OperandType::MimgCmpswap => image::CMPSWAP,
            _ => image::DATA,
        };
        let what = what | if self.probe.has_d16() { image::D16 } else { 0 };
        let mut size = (u16::MAX, 0);
        for n in 0..64u16 {
            let (dmask, tfe, d16) = (n & 15, n & 16 != 0, n & 32 != 0);
            if self.aux(1, tfe) && self.aux(2, d16) {
                let dwords = mimg_dwords(what, dmask, tfe, d16);
                size = (size.0.min(dwords), size.1.max(dwords));
            }
        }
        size
    }

    /// A matrix, whose format determines its size.
    fn matrix(&self) -> (u16, u16) {
        let can_be = |format: &u32| {
            (0..MATRIX_FORMAT).all(|n| {
                let high = n + 1 == MATRIX_FORMAT;
                let bit = if high { self.desc.aux[2] } else { self.desc.aux[1].saturating_add(n) };
                self.can_be(bit, format >> n & 1 == 1)
            })
        };
        let sizes =
            || (0..1 << MATRIX_FORMAT).filter(can_be).map(|format| matrix_dwords_of(format, self.desc.dwords.into()));
        (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0))
    }

    /// A part of an image address: its field, its least and its greatest length, and whether it can be missing.
    fn image_address(&self, part: u8) -> Option<(Field, (u16, u16), bool)> {
        let desc = self.desc;
        if u16::from(part) >= address_fields(desc).0 {
            return None;
        }
        let (mut size, mut optional) = ((u16::MAX, 0), false);
        for n in 0..16 {
            let (dim, a16) = (n & 7, n & 8 != 0);
            let all = image_address_size(desc, dim, a16);
            if self.aux(1, a16) && fits_its_fields(desc, all) {
                match address_part_dwords(desc, all, part) {
                    Some(dwords) => size = (size.0.min(dwords), size.1.max(dwords)),
                    None => optional = true,
                }
            }
        }
        (size.1 > 0).then(|| (address_field(desc, part), size, optional))
    }

    /// The values that the operand accepts.
    fn takes(&self, part: u8, dwords: u16) -> Takes {
        let desc = self.desc;
        let mut takes = Takes::new(self.signature.target(), dwords.max(1));
        let immediate = |kind: ImmediateKind| {
            let (min, max) = range(desc);
            // Some operations take no negative numbers.
            let sign = if desc.hi == NONE { desc.lsb + desc.width } else { desc.hi + desc.width - desc.lo_width };
            let min = if min < 0 && !self.can_be(sign - 1, true) { 0 } else { min };
            // Others leave the upper bits free.
            let free = (0..desc.lo_width).rev().take_while(|&n| !self.can_be(desc.lsb + n, true)).count();
            let max = if range(desc).0 == 0 && desc.hi == NONE { max >> free } else { max };
            let [min, max] = [min, max].map(|n| n.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
            Some(Immediate { bits: desc.width, min, max, kind })
        };
        // Without the flag the operand is absent, or is something else.
        let flagged = desc.cond != NONE && desc.access == Some(Access::Write);
        match desc.operand_type {
            OperandType::Code | OperandType::BufData | OperandType::Acc | OperandType::AccSized => {
                let acc = if desc.operand_type == OperandType::Code { NONE } else { desc.aux[0] };
                // If another field determines the length, no check of this field knows it.
                let end = if desc.operand_type == OperandType::Code { AGPR } else { AGPR.saturating_sub(dwords) };
                self.fields(flagged, |code| match code {
                    VGPR.. => {
                        if code <= end {
                            self.vector(&mut takes, code, acc);
                        }
                    }
                    _ => takes.codes.insert(code),
                });
            }
            OperandType::Agpr | OperandType::AgprOrConst => self.fields(flagged, |code| match code {
                VGPR.. => takes.codes.insert(code - VGPR + AGPR),
                _ => takes.codes.insert(code),
            }),
            OperandType::Half => {
                takes.halves = true;
                self.fields(flagged, |code| takes.codes.insert(if code >= VGPR { code & !HALF } else { code }));
            }
            OperandType::HalfSel => {
                takes.halves = self.aux(3, true);
                self.fields(flagged, |code| takes.codes.insert(code));
            }
            OperandType::SdwaSrc => {
                if self.can_be(desc.cond, false) {
                    self.fields(false, |code| takes.codes.insert(code | VGPR));
                }
                if self.can_be(desc.cond, true) {
                    self.fields(true, |code| takes.codes.insert(code));
                }
            }
            OperandType::SdstOrVcc => {
                takes.vcc = self.aux(0, false);
                if self.aux(0, true) {
                    self.fields(true, |code| takes.codes.insert(code));
                }
            }
            OperandType::Vcc => takes.vcc = true,
            OperandType::Saddr => self.fields(false, |code| match code {
                _ if [off, neither].iter().any(|of| code == of(self.signature.target())) => takes.off = true,
                _ => takes.codes.insert(code),
            }),
            OperandType::SmrdOffset => {
                if self.aux(0, false) {
                    self.fields(false, |code| takes.codes.insert(code));
                }
                takes.immediate = if self.aux(0, true) { immediate(ImmediateKind::Number) } else { None };
            }
            OperandType::SmemOffset => {
                let second = desc.aux[2] != NONE && part == 0;
                let (none, both) = (off(self.signature.target()), has_both(desc));
                // As the only offset, a register is possible where no other register is added.
                if second || !both && self.aux(0, false) && self.aux(1, false) {
                    let scalars =
                        (0..1 << SCALAR).filter(|&code| self.probe.is_scalar(code) && !(both && code == none));
                    scalars.for_each(|code| takes.codes.insert(code));
                }
                if !second && (both || self.aux(0, true)) {
                    takes.immediate = immediate(ImmediateKind::Number);
                }
            }
            OperandType::BufVaddr => {
                takes.off = (0..3).all(|n| self.aux(n, false));
                self.vgprs(&mut takes, dwords);
            }
            OperandType::ScratchAddr => {
                takes.off = desc.aux[0] == NONE || self.aux(0, false);
                if desc.aux[0] == NONE || self.aux(0, true) {
                    self.vgprs(&mut takes, dwords);
                }
            }
            OperandType::ExpSrc => {
                takes.off = self.aux(0, false);
                self.vgprs(&mut takes, dwords);
            }
            OperandType::GlobalAddr | OperandType::Vdsty => self.vgprs(&mut takes, dwords),
            ty if ty.is_image_address() => {
                // A row can demand that a field is zero. The probe knows nothing of the dwords behind the base words.
                let lsb = address_lsb(desc, part);
                let possible = |code: &u16| {
                    lsb >= 96 || (0..REGISTER).all(|bit| self.can_be(lsb + bit, (code - VGPR) >> bit & 1 == 1))
                };
                (VGPR..=AGPR.saturating_sub(dwords)).filter(possible).for_each(|code| takes.codes.insert(code));
            }
            _ if is_image_data(desc) => {
                let acc = desc.aux[3];
                (VGPR..=AGPR.saturating_sub(dwords)).for_each(|code| self.vector(&mut takes, code, acc));
            }
            OperandType::Literal => takes.codes.insert(if desc.dwords == 2 { LITERAL64 } else { LITERAL }),
            OperandType::Label => {
                let label = immediate(ImmediateKind::Label);
                takes.immediate = label.map(|all| Immediate { min: i16::MIN.into(), max: i16::MAX.into(), ..all });
            }
            ty => takes.immediate = immediate_kind(ty).and_then(immediate),
        }
        takes
    }

    /// Passes each operand code that the field may hold to `each`.
    fn fields(&self, flag: bool, mut each: impl FnMut(u16)) {
        let desc = self.desc;
        // These fields have at most nine bits, because operand codes have nine.
        for value in 0..1u32 << desc.width.min(9) {
            if self.probe.accepts(desc, value, flag) {
                each(((value as u16) << desc.shift) + desc.add);
            }
        }
    }

    /// Adds a vector register, and the accumulation register of the same number if a bit can select it.
    fn vector(&self, takes: &mut Takes, code: u16, acc: u8) {
        if self.can_be(acc, false) {
            takes.codes.insert(code);
        }
        if self.can_be(acc, true) {
            takes.codes.insert(code - VGPR + AGPR);
        }
    }

    /// Adds all vector registers at which a tuple can begin.
    fn vgprs(&self, takes: &mut Takes, dwords: u16) {
        (VGPR..=AGPR.saturating_sub(dwords)).for_each(|code| takes.codes.insert(code));
    }
}

fn immediate_kind(ty: OperandType) -> Option<ImmediateKind> {
    Some(match ty {
        OperandType::Hex | OperandType::Int16 | OperandType::Endpgm | OperandType::Version | OperandType::SignedHex => {
            ImmediateKind::Number
        }
        OperandType::Hwreg => ImmediateKind::Hwreg,
        OperandType::Sendmsg => ImmediateKind::Sendmsg,
        OperandType::Waitcnt => ImmediateKind::Waitcnt,
        OperandType::GprIdx => ImmediateKind::GprIdx,
        OperandType::Depctr => ImmediateKind::Depctr,
        OperandType::DelayAlu => ImmediateKind::DelayAlu,
        OperandType::Attr => ImmediateKind::Attribute,
        OperandType::InterpParam => ImmediateKind::InterpParam,
        OperandType::ExpTgt => ImmediateKind::ExportTarget,
        _ => return None,
    })
}
