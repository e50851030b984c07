//! Operand kinds: reading the bits of each kind, and encoding values.
//!
//! Each [`OperandKind`] is read as an [`EncodedOperand`], which is independent of the target; `code.rs` maps codes to
//! their meanings on a target. [`read`] and [`encode`] are inverses, and are next to each other in the file of each
//! group. src/kind/ lists the groups.
//!
//! The operand iterator and the printer call `read`. [`Builder`](crate::make::Builder), patching, conversion between
//! encodings and re-targeting call `encode`. Each of these four decodes the new words before it returns them, and
//! [`same_operands`](crate::compare::same_operands) compares the result with the request.

mod accept;
mod address;
pub(crate) mod code;
mod image;
#[cfg(any(feature = "make", feature = "text"))]
pub(crate) mod inline_constant;
mod modifier;
mod number;
mod offset;
mod register;
mod words;

pub(crate) use accept::{Accepted, InForm, Lengths};
#[cfg(any(feature = "make", feature = "text"))]
pub(crate) use address::*;
pub(crate) use image::*;
pub(crate) use modifier::*;
pub(crate) use number::*;
pub(crate) use offset::*;
#[cfg(feature = "make")]
pub(crate) use register::{HALF, matrix_dwords_of};
pub(crate) use words::{Refused, Words};

use crate::inst::Inst;
use crate::kind::{NONE, NumberKind, OffsetKind, OperandKind};
use crate::opcode::Field;
use crate::table::{FormSignature, OperandDesc};
use crate::target::{DESCS, Target};
use crate::value::{Access, Operand};

/// The meaning of an operand's bits, before a target interprets the codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EncodedOperand {
    /// An operand code; the codes of accumulation registers begin at [`code::AGPR`].
    Code(u16),
    /// The upper half of the vector register with this code.
    High(u16),
    /// The implicit vcc, which no field names.
    Vcc,
    /// No register.
    Off,
    /// A constant in the field.
    Number(i64),
    /// A branch distance.
    Label(i16),
    /// The dword after the base words.
    Literal(u32),
    /// The two dwords after the base word.
    Literal64(u64),
    /// The scalar offset register with a field of its own, without a constant.
    Soffset(u16),
    /// A scalar offset register plus a constant.
    RegisterPlusOffset(u16, i64),
    /// An attribute of an interpolation, and its channel.
    Attr(i64, u8),
}

/// The operand that a descriptor's bits encode, and its width in dwords; `None` for modifiers, for operands that this
/// instruction lacks, and for image addresses, which are several operands.
pub(crate) fn read(desc: &OperandDesc, inst: &Inst) -> Option<(EncodedOperand, u16)> {
    match desc.kind {
        OperandKind::Register(kind) => register::read(kind, desc, inst),
        OperandKind::Address(kind) => Some(address::read(kind, desc, inst)),
        OperandKind::Image(kind) => image::read(kind, desc, inst),
        OperandKind::Offset(kind) => Some((offset::read(kind, desc, inst), 1)),
        OperandKind::Number(kind) if desc.access.is_some() => {
            let coded = number::read(kind, desc, inst);
            let long = matches!(coded, EncodedOperand::Literal64(_));
            Some((coded, 1 + u16::from(long)))
        }
        OperandKind::Number(_) | OperandKind::Modifier(_) | OperandKind::Second => None,
    }
}

/// Sets a descriptor's bits, and the flags that belong to it. Other fields are not checked: the caller must decode the
/// words and read them again.
pub(crate) fn encode(desc: &OperandDesc, coded: EncodedOperand, words: &mut Words) -> Result<(), Refused> {
    match desc.kind {
        OperandKind::Register(kind) => register::encode(kind, desc, coded, words),
        OperandKind::Address(kind) => address::encode(kind, desc, coded, words),
        OperandKind::Image(kind) => image::encode(kind, desc, coded, words),
        OperandKind::Offset(kind) => offset::encode(kind, desc, coded, words),
        OperandKind::Number(kind) if desc.access.is_some() => number::encode(kind, desc, coded, words),
        OperandKind::Number(_) | OperandKind::Modifier(_) | OperandKind::Second => Err(Refused::Operand),
    }
}

/// Passes the values that part `part` of an operand accepts to `add`. `dwords` is the operand's least length.
pub(crate) fn accept(form: &InForm<'_>, (part, dwords): (u8, u16), add: &mut impl FnMut(Accepted)) {
    // Such an operand is absent if the bit at `write_if_bit` is not set.
    let returned = is_conditional(form.desc) && form.desc.access == Some(Access::Write);
    match form.desc.kind {
        OperandKind::Register(kind) => register::accept(kind, form, (dwords, returned), add),
        OperandKind::Address(kind) => address::accept(kind, form, dwords, add),
        OperandKind::Image(kind) => image::accept(kind, form, (part, dwords), add),
        OperandKind::Offset(kind) => offset::accept(kind, form, part, add),
        OperandKind::Number(kind) => number::accept(kind, form.desc, add),
        OperandKind::Modifier(_) | OperandKind::Second => {}
    }
}

/// The field of part `part` of an operand, its least and greatest number of dwords (0: a constant in the field), and
/// whether the values of other fields can make it absent; `None` if there is no such part.
pub(crate) fn lengths(form: &InForm<'_>, part: u8) -> Option<(Field, Lengths, bool)> {
    let field = form.desc.field;
    match form.desc.kind {
        OperandKind::Offset(kind) => offset::lengths(kind, form, part),
        OperandKind::Image(kind) => {
            let field = Address::of(form.desc).map_or(field, |address| address.field(part));
            image::lengths(kind, form, part).map(|(lengths, is_optional)| (field, lengths, is_optional))
        }
        _ if part > 0 => None,
        OperandKind::Register(kind) => {
            let (lengths, is_optional) = register::lengths(kind, form);
            Some((field, lengths, is_optional))
        }
        OperandKind::Address(kind) => Some((field, address::lengths(kind, form), false)),
        OperandKind::Number(NumberKind::Literal { .. }) => Some((field, form.length(), false)),
        OperandKind::Number(_) => Some((field, (0, 0), false)),
        OperandKind::Modifier(_) | OperandKind::Second => None,
    }
}

impl EncodedOperand {
    /// The requested value, completed from the old operand: with the register that is added to a constant, or with the
    /// channel.
    pub(crate) fn completed(self, desc: &OperandDesc, inst: &Inst) -> EncodedOperand {
        match (self, read(desc, inst)) {
            (EncodedOperand::Number(n), Some((EncodedOperand::RegisterPlusOffset(code, _), _))) => {
                EncodedOperand::RegisterPlusOffset(code, n)
            }
            (EncodedOperand::Number(n), Some((EncodedOperand::Attr(_, channel), _))) => {
                EncodedOperand::Attr(n, channel)
            }
            _ => self,
        }
    }
}

/// The operands and modifiers of a signature.
pub(crate) fn descs(
    target: Target,
    signature: &FormSignature,
) -> impl Iterator<Item = &'static OperandDesc> + Clone + use<> {
    let tables = DESCS[target as usize];
    tables.list_of(signature).iter().filter_map(|&n| tables.descs.get(usize::from(n)))
}

/// The access of an instruction to a descriptor's operand; `None` if the operand is absent because the operation
/// returns nothing.
pub(crate) fn access(desc: &OperandDesc, inst: &Inst) -> Option<Access> {
    let access = desc.access.unwrap_or(Access::Read);
    if !is_conditional(desc) {
        return Some(access);
    }
    match (flag(inst, desc.write_if_bit), access) {
        (true, Access::Read) => Some(Access::ReadWrite),
        (false, Access::Write) => None,
        _ => Some(access),
    }
}

/// Whether the operand is written, or exists, only if a bit is set that makes the operation return a value.
pub(crate) const fn is_conditional(desc: &OperandDesc) -> bool {
    desc.write_if_bit != NONE
}

/// Whether the descriptor's field holds a number; false only for an offset without a constant.
pub(crate) fn has_number(desc: &OperandDesc, inst: &Inst) -> bool {
    match desc.kind {
        OperandKind::Offset(OffsetKind::Dwords { imm } | OffsetKind::Bytes { imm, .. }) => flag(inst, imm),
        _ => true,
    }
}

/// The operand of a descriptor; `None` for modifiers, for operands that this instruction lacks, and for image
/// addresses.
pub(crate) fn operand(desc: &OperandDesc, inst: &Inst) -> Option<Operand> {
    let access = access(desc, inst)?;
    let (coded, dwords) = read(desc, inst)?;
    let bits = bits_of(desc, coded, dwords);
    let role = if let EncodedOperand::Soffset(_) = coded { Field::Soffset } else { desc.field };
    Some(Operand { role: Some(role), value: coded.value(inst.target(), dwords), bits, access })
}

/// The width of an operand: the width of its field, or of its registers.
pub(crate) fn bits_of(desc: &OperandDesc, coded: EncodedOperand, dwords: u16) -> u16 {
    match coded {
        EncodedOperand::Number(_)
        | EncodedOperand::RegisterPlusOffset(..)
        | EncodedOperand::Attr(..)
        | EncodedOperand::Label(_) => desc.width.into(),
        _ if desc.kind.is_half() => 16,
        _ => dwords * 32,
    }
}

/// The raw value of a descriptor's field.
#[inline]
pub(crate) fn value(desc: &OperandDesc, inst: &Inst) -> u32 {
    let low = bits(inst, desc.lsb, desc.lo_width);
    if desc.hi == NONE { low } else { low | bits(inst, desc.hi, desc.width - desc.lo_width) << desc.lo_width }
}

/// The value of bits of the words; `lsb` counts from the start of the instruction.
#[inline]
pub(crate) fn bits(inst: &Inst, lsb: u8, width: u8) -> u32 {
    let all = match lsb / 64 {
        2.. if crate::table::sizes::ANY_WIDE => inst.last_bits(),
        1 if crate::table::sizes::ANY_WIDE => inst.high_bits(),
        _ => inst.bits(),
    };
    ((all >> (lsb & 63)) & ((1u64 << width) - 1)) as u32
}

/// One bit of the words; 0 for the position `NONE`.
#[inline]
pub(crate) fn flag(inst: &Inst, bit: u8) -> bool {
    bit != NONE && bits(inst, bit, 1) == 1
}

/// The operand code of a descriptor's field.
#[inline]
pub(crate) fn code_in(desc: &OperandDesc, inst: &Inst) -> u16 {
    ((value(desc, inst) as u16) << desc.shift) + desc.add
}
