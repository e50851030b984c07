//! Operands of a signature, and the values that they accept.

use super::{Immediate, ImmediateKind, Signature, Takes};
use crate::code::scalar_align;
use crate::codec::{ADDRESS_PARTS, Accepted, Address, InForm, accept, is_conditional, lengths, range};
use crate::constraint::probe::Probe;
use crate::kind::{NONE, NumberKind, NumberList, OperandKind, PartsKind};
use crate::opcode::Field;
use crate::shared::flag;
use crate::table::{DataType, OperandDesc};
use crate::value::Access;

use core::fmt;

/// An operand of a [`Signature`].
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct OperandSignature {
    /// The field that names the operand: its role. [`Field::Vcc`] stands for a vcc that the text shows, but no field
    /// names.
    pub field: Field,
    /// The data type of the operand.
    pub ty: DataType,
    /// The width in bits, as in [`Operand::bits`](crate::Operand::bits). Registers count with all their bits, even if
    /// the value uses fewer; an operand that only accepts a constant in its field has the width of the field. If other
    /// fields determine the number of registers, this is the least width.
    pub bits: u16,
    /// The greatest width in bits.
    pub most_bits: u16,
    /// Whether the operand is read, written or both. With `returned`, an operand that is read and written may also be
    /// only read. An instruction also reads a destination that it writes only in part: see
    /// [`Operand::access`](crate::Operand::access).
    pub access: Access,
    /// The field whose lowest bit must be set so that the operand is written: the instruction then returns a value.
    pub returned: Option<Field>,
    /// Whether some instructions of the form lack the operand: those that return nothing, loads to LDS, and those whose
    /// address has no second register.
    pub optional: bool,
    /// The values that the operand accepts.
    pub takes: Takes,
    /// The divisor of operand codes: the field holds the code minus `first`, divided by `scale`.
    pub scale: u8,
    /// The operand code for a field value of zero. If another field selects an accumulation register, the code is 256
    /// higher; the same is true if another field selects a vector register (SDWA).
    pub first: u16,
    signature: Signature,
    desc: &'static OperandDesc,
}

/// The greatest number of operands of one descriptor.
pub(super) const MOST_PARTS: u8 = ADDRESS_PARTS;

impl OperandSignature {
    /// Operand number `part` of a descriptor, counted from zero.
    pub(super) fn new(signature: &Signature, desc: &'static OperandDesc, part: u8) -> Option<OperandSignature> {
        let access = desc.access?;
        let (field, (least, most), optional) =
            lengths(&InForm { target: signature.target(), probe: &signature.probe, desc }, part)?;
        let returns = is_conditional(desc);
        let optional =
            optional || returns && access == Access::Write && signature.probe.can_be(desc.write_if_bit, false);
        let bits = |dwords: u16| match desc.kind {
            kind if kind.is_half() => 16,
            _ if dwords == 0 => u16::from(desc.width),
            _ => dwords * 32,
        };
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
            takes: takes(signature, desc, part, least),
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

    /// The number of values of the type `ty`: 16 for an `f32` operand of 512 bits; 1 for [`DataType::Bits`].
    pub fn count(&self) -> u16 {
        // A value of 16 bits occupies a whole register.
        self.ty.bits().map_or(1, |bits| (self.bits / bits.max(32)).max(1))
    }

    /// The alignment of a scalar tuple: the number of its first register must be a multiple of this number, as
    /// [`Inst::check`](crate::Inst::check) requires; 1 if the operand accepts no scalar registers.
    pub fn scalar_alignment(&self) -> u8 {
        let dwords = if self.takes.sgprs() || self.takes.ttmps() { self.bits.div_ceil(32) } else { 1 };
        scalar_align(dwords) as u8
    }

    /// The alignment of a tuple of two or more vector registers, and of the single register of some GWS operations: the
    /// number of the first register must be a multiple of this number, as [`Inst::check`](crate::Inst::check) requires;
    /// 1 if the operand accepts no such registers, or if they need not be aligned.
    pub fn vector_alignment(&self) -> u8 {
        let facts = self.signature.facts();
        let runs = (self.most_bits > 32 || facts & const { flag("even") } != 0)
            && !(facts & const { flag("odd") } != 0 && self.access.writes());
        let tuples = runs && (self.takes.vgprs() || self.takes.agprs());
        if tuples && self.signature.target().aligned_vgprs() { 2 } else { 1 }
    }

    /// Other fields that affect the operand, with possible repetitions: they determine the kind and number of
    /// registers, the sign, and whether the operand is present.
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

/// The values that part `part` of an operand accepts if the part has its least length, `dwords`.
fn takes(signature: &Signature, desc: &'static OperandDesc, part: u8, dwords: u16) -> Takes {
    let mut takes = Takes::new(signature.target(), dwords.max(1));
    accept(&InForm { target: signature.target(), probe: &signature.probe, desc }, (part, dwords), &mut |accepted| {
        match accepted {
            Accepted::Code(code) => takes.codes.insert(code),
            Accepted::Halves => takes.halves = true,
            Accepted::Vcc => takes.vcc = true,
            Accepted::Off => takes.off = true,
            Accepted::Number => takes.immediate = Some(immediate(&signature.probe, desc)),
        }
    });
    takes
}

/// The constant that an operand accepts in its field.
fn immediate(probe: &Probe, desc: &OperandDesc) -> Immediate {
    let kind = match desc.kind {
        OperandKind::Number(kind) => immediate_kind(kind),
        _ => ImmediateKind::Number,
    };
    let (min, max) = match kind {
        ImmediateKind::Label => (i16::MIN.into(), i16::MAX.into()),
        _ => range(desc),
    };
    let is_signed = min < 0;
    // Some operations do not accept negative numbers.
    let sign = if desc.hi == NONE { desc.lsb + desc.width } else { desc.hi + desc.width - desc.lo_width };
    let min = if is_signed && !probe.can_be(sign - 1, true) { 0 } else { min };
    // Some operations demand that upper bits are zero.
    let free = (0..desc.lo_width).rev().take_while(|&n| !probe.can_be(desc.lsb + n, true)).count();
    let max = if is_signed || desc.hi != NONE { max } else { max >> free };
    let [min, max] = [min, max].map(|n| n.clamp(i32::MIN.into(), i32::MAX.into()) as i32);
    Immediate { bits: desc.width, min, max, kind }
}

fn immediate_kind(kind: NumberKind) -> ImmediateKind {
    match kind {
        NumberKind::Plain(_) | NumberKind::Literal { .. } => ImmediateKind::Number,
        NumberKind::Parts(kind) => match kind {
            PartsKind::Hwreg => ImmediateKind::Hwreg,
            PartsKind::Sendmsg => ImmediateKind::Sendmsg,
            PartsKind::Waitcnt => ImmediateKind::Waitcnt,
            PartsKind::GprIdx => ImmediateKind::GprIdx,
            PartsKind::Depctr => ImmediateKind::Depctr,
            PartsKind::DelayAlu => ImmediateKind::DelayAlu,
        },
        NumberKind::Attribute { .. } => ImmediateKind::Attribute,
        NumberKind::Choice(NumberList::InterpParam) => ImmediateKind::InterpParam,
        NumberKind::Choice(NumberList::ExportTarget) => ImmediateKind::ExportTarget,
        NumberKind::Label => ImmediateKind::Label,
    }
}
