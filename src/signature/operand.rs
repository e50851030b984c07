//! Operands of a signature, and the values that they accept.

use core::fmt;

use super::{Immediate, ImmediateKind, Signature, Takes};
use crate::codec::code::{AGPR, LITERAL, LITERAL64, VGPR, neither, off, scalar_align};
use crate::codec::{
    ADDRESS_PARTS, Address, HALF, MATRIX_FORMAT, REGISTER, SCALAR, image_data, is_conditional, matrix_dwords_of,
    mimg_dwords, range,
};
use crate::decode::probe::Probe;
use crate::kind::{
    AddressKind, ImageData, ImageKind, NONE, NumberKind, OffsetKind, OperandKind, Position, RegisterKind,
};
use crate::shared::flag;
use crate::table::OperandDesc;
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
        let bits = |dwords: u16| match desc.kind {
            kind if kind.is_half() => 16,
            _ if dwords == 0 => u16::from(desc.width),
            _ => dwords * 32,
        };
        let returns = is_conditional(desc);
        let access = match access {
            access if desc.kind.is_image_address() => Address::of(desc).map_or(access, |address| address.access(part)),
            Access::Read if returns => Access::ReadWrite,
            access => access,
        };
        Some(OperandSignature {
            field,
            ty: desc.ty,
            bits: bits(least),
            most_bits: bits(most),
            access,
            returned: if returns { signature.field_at(desc.write_if_bit) } else { None },
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
        let bits = self.desc.kind.positions().into_iter().chain([self.desc.write_if_bit]).filter(|bit| *bit != NONE);
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
    /// Whether a bit can have this value; a missing bit is zero.
    fn can_be(&self, bit: Position, value: bool) -> bool {
        self.probe.can_be(bit, value)
    }

    /// The field, the least and greatest number of dwords (0: not a register), and whether the operand can be absent.
    fn part(&self, part: u8) -> Option<(Field, (u16, u16), bool)> {
        let desc = self.desc;
        let dwords = u16::from(desc.dwords);
        let one = |n: u16| (n, n);
        match desc.kind {
            OperandKind::Second => return None,
            OperandKind::Offset(kind) if kind.soffset() != NONE => {
                return match (part, kind) {
                    (0, _) => Some((Field::Soffset, one(1), true)),
                    // A register alone uses the constant's field.
                    (1, OffsetKind::Bytes { imm, soffset_en, .. }) => {
                        Some((desc.field, one(1), self.can_be(imm, false) && self.can_be(soffset_en, true)))
                    }
                    (1, _) => Some((desc.field, one(0), true)),
                    _ => None,
                };
            }
            OperandKind::Image(ImageKind::Address { .. }) => return self.image_address(&Address::of(desc)?, part),
            _ if part > 0 => return None,
            _ => {}
        }
        let (size, to_lds) = match desc.kind {
            OperandKind::Number(NumberKind::Literal { .. }) => (one(dwords), false),
            OperandKind::Number(_) => (one(0), false),
            OperandKind::Register(RegisterKind::Data { lds, tfe, .. }) => {
                let to_lds = self.probe.has_lds() && self.can_be(lds, true);
                ((dwords, dwords + u16::from(self.can_be(tfe, true))), to_lds)
            }
            OperandKind::Register(RegisterKind::Matrix { format, format_high, .. }) => {
                (self.matrix([format, format_high]), false)
            }
            OperandKind::Address(AddressKind::Buffer { offen, idxen, addr64 })
                if self.can_be(addr64, true) || self.can_be(offen, true) && self.can_be(idxen, true) =>
            {
                ((1, 2), false)
            }
            OperandKind::Address(AddressKind::Global { .. }) => ((1, 2), false),
            OperandKind::Image(ImageKind::Data { data, tfe, d16, .. }) => (self.image_data(data, [tfe, d16]), false),
            _ => (one(dwords), false),
        };
        let unreturned =
            desc.access == Some(Access::Write) && is_conditional(desc) && self.can_be(desc.write_if_bit, false);
        Some((desc.field, size, unreturned || to_lds))
    }

    /// Image data, for all components and these two flags.
    fn image_data(&self, data: ImageData, [at_tfe, at_d16]: [Position; 2]) -> (u16, u16) {
        let what = image_data(data, self.probe.has_d16());
        let mut size = (u16::MAX, 0);
        for n in 0..64u16 {
            let (dmask, tfe, d16) = (n & 15, n & 16 != 0, n & 32 != 0);
            if self.can_be(at_tfe, tfe) && self.can_be(at_d16, d16) {
                let dwords = mimg_dwords(what, dmask, tfe, d16);
                size = (size.0.min(dwords), size.1.max(dwords));
            }
        }
        size
    }

    /// A matrix, whose format determines its size.
    fn matrix(&self, [low, high]: [Position; 2]) -> (u16, u16) {
        let can_be = |format: &u32| {
            (0..MATRIX_FORMAT).all(|n| {
                let bit = if n + 1 == MATRIX_FORMAT { high } else { low.saturating_add(n) };
                self.can_be(bit, format >> n & 1 == 1)
            })
        };
        let sizes =
            || (0..1 << MATRIX_FORMAT).filter(can_be).map(|format| matrix_dwords_of(format, self.desc.dwords.into()));
        (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0))
    }

    /// A part of an image address: its field, its least and its greatest length, and whether it can be missing.
    fn image_address(&self, address: &Address<'_>, part: u8) -> Option<(Field, (u16, u16), bool)> {
        if part >= address.fields.count() {
            return None;
        }
        let (mut size, mut optional) = ((u16::MAX, 0), false);
        for n in 0..16 {
            let (dim, a16) = (n & 7, n & 8 != 0);
            let all = address.size(dim, a16);
            if self.can_be(address.a16, a16) && address.fits_its_fields(all) {
                match address.part_dwords(all, part) {
                    Some(dwords) => size = (size.0.min(dwords), size.1.max(dwords)),
                    None => optional = true,
                }
            }
        }
        (size.1 > 0).then(|| (address.field(part), size, optional))
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
        let flagged = desc.write_if_bit != NONE && desc.access == Some(Access::Write);
        match desc.kind {
            OperandKind::Register(kind) => self.registers(kind, &mut takes, dwords, flagged),
            OperandKind::Address(kind) => self.address(kind, &mut takes, dwords),
            OperandKind::Image(ImageKind::Data { acc, .. }) => {
                (VGPR..=AGPR.saturating_sub(dwords)).for_each(|code| self.vector(&mut takes, code, acc));
            }
            OperandKind::Image(ImageKind::Address { .. }) => {
                // A row can demand that a field is zero. The probe knows nothing of the dwords after the base words.
                let lsb = Address::of(desc).map_or(NONE, |address| address.lsb(part));
                let possible = |code: &u16| {
                    lsb >= 96 || (0..REGISTER).all(|bit| self.can_be(lsb + bit, (code - VGPR) >> bit & 1 == 1))
                };
                (VGPR..=AGPR.saturating_sub(dwords)).filter(possible).for_each(|code| takes.codes.insert(code));
            }
            OperandKind::Offset(OffsetKind::Dwords { imm }) => {
                if self.can_be(imm, false) {
                    self.fields(false, |code| takes.codes.insert(code));
                }
                takes.immediate = if self.can_be(imm, true) { immediate(ImmediateKind::Number) } else { None };
            }
            OperandKind::Offset(kind @ (OffsetKind::Bytes { .. } | OffsetKind::Sum { .. })) => {
                let second = kind.soffset() != NONE && part == 0;
                // As the only offset, a register is possible where no other register is added.
                let (none, is_register, is_constant) = match kind {
                    OffsetKind::Bytes { imm, soffset_en, .. } => {
                        (None, self.can_be(imm, false) && self.can_be(soffset_en, false), self.can_be(imm, true))
                    }
                    _ => (Some(off(self.signature.target())), false, true),
                };
                if second || is_register {
                    let scalars = (0..1 << SCALAR).filter(|&code| self.probe.is_scalar(code) && Some(code) != none);
                    scalars.for_each(|code| takes.codes.insert(code));
                }
                if !second && is_constant {
                    takes.immediate = immediate(ImmediateKind::Number);
                }
            }
            OperandKind::Number(NumberKind::Literal { .. }) => {
                takes.codes.insert(if desc.dwords == 2 { LITERAL64 } else { LITERAL });
            }
            OperandKind::Number(NumberKind::Label) => {
                let label = immediate(ImmediateKind::Label);
                takes.immediate = label.map(|all| Immediate { min: i16::MIN.into(), max: i16::MAX.into(), ..all });
            }
            OperandKind::Number(kind) => takes.immediate = immediate_kind(kind).and_then(immediate),
            OperandKind::Modifier(_) | OperandKind::Second => {}
        }
        takes
    }

    fn registers(&self, kind: RegisterKind, takes: &mut Takes, dwords: u16, flagged: bool) {
        match kind {
            RegisterKind::Code { .. } => self.fields(flagged, |code| takes.codes.insert(code)),
            RegisterKind::Data { acc, .. } | RegisterKind::Vector { acc } | RegisterKind::Matrix { acc, .. } => {
                // If another field determines the length, no check of this field knows it.
                let end = AGPR.saturating_sub(dwords);
                self.fields(flagged, |code| match code {
                    VGPR.. => {
                        if code <= end {
                            self.vector(takes, code, acc);
                        }
                    }
                    _ => takes.codes.insert(code),
                });
            }
            RegisterKind::Agpr | RegisterKind::AgprOrConstant => self.fields(flagged, |code| match code {
                VGPR.. => takes.codes.insert(code - VGPR + AGPR),
                _ => takes.codes.insert(code),
            }),
            RegisterKind::Half { .. } => {
                takes.halves = true;
                self.fields(flagged, |code| takes.codes.insert(if code >= VGPR { code & !HALF } else { code }));
            }
            RegisterKind::HalfSelected { half, .. } => {
                takes.halves = self.can_be(half, true);
                self.fields(flagged, |code| takes.codes.insert(code));
            }
            RegisterKind::Sdwa { scalar, .. } => {
                if self.can_be(scalar, false) {
                    self.fields(false, |code| takes.codes.insert(code | VGPR));
                }
                if self.can_be(scalar, true) {
                    self.fields(true, |code| takes.codes.insert(code));
                }
            }
            RegisterKind::NamedOrVcc { named } => {
                takes.vcc = self.can_be(named, false);
                if self.can_be(named, true) {
                    self.fields(true, |code| takes.codes.insert(code));
                }
            }
            RegisterKind::Vcc => takes.vcc = true,
            RegisterKind::OppositeParity { .. } => self.vgprs(takes, dwords),
        }
    }

    fn address(&self, kind: AddressKind, takes: &mut Takes, dwords: u16) {
        match kind {
            AddressKind::Buffer { offen, idxen, addr64 } => {
                takes.off = [offen, idxen, addr64].iter().all(|&bit| self.can_be(bit, false));
                self.vgprs(takes, dwords);
            }
            AddressKind::Global { .. } => self.vgprs(takes, dwords),
            AddressKind::Scratch { sve, .. } => {
                takes.off = sve == NONE || self.can_be(sve, false);
                if sve == NONE || self.can_be(sve, true) {
                    self.vgprs(takes, dwords);
                }
            }
            AddressKind::Scalar { .. } => self.fields(false, |code| match code {
                _ if [off, neither].iter().any(|of| code == of(self.signature.target())) => takes.off = true,
                _ => takes.codes.insert(code),
            }),
            AddressKind::ExportSource { enable, .. } => {
                takes.off = self.can_be(enable, false);
                self.vgprs(takes, dwords);
            }
        }
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

fn immediate_kind(kind: NumberKind) -> Option<ImmediateKind> {
    Some(match kind {
        NumberKind::Hex | NumberKind::Int16 | NumberKind::Endpgm | NumberKind::Version | NumberKind::SignedHex => {
            ImmediateKind::Number
        }
        NumberKind::Hwreg => ImmediateKind::Hwreg,
        NumberKind::Sendmsg => ImmediateKind::Sendmsg,
        NumberKind::Waitcnt => ImmediateKind::Waitcnt,
        NumberKind::GprIdx => ImmediateKind::GprIdx,
        NumberKind::Depctr => ImmediateKind::Depctr,
        NumberKind::DelayAlu => ImmediateKind::DelayAlu,
        NumberKind::Attribute { .. } => ImmediateKind::Attribute,
        NumberKind::InterpParam => ImmediateKind::InterpParam,
        NumberKind::ExportTarget => ImmediateKind::ExportTarget,
        NumberKind::Label => ImmediateKind::Label,
        NumberKind::Literal { .. } => return None,
    })
}
