//! Comparison of two instructions, each on its own target.

use super::{Descs, Names, RetargetError, modifier_there, names, refused, translate};
use crate::codec::{EncodedOperand, modifier};
use crate::compare::{same_image_address, same_modifiers, same_operands, shown};
use crate::imm::Imm;
use crate::inst::Inst;
use crate::kind::{ListStyle, ModifierKind, NumberKind, OffsetKind, OperandKind};
use crate::opcode::{Field, Format, Opcode};
use crate::table::OperandDesc;
use crate::table::generated::FIXED;
use crate::value::{Access, Operand, Reg, Value};

/// Fails unless each operand and each modifier of one instruction matches an operand or modifier of the other.
pub(super) fn compare(a: &Inst, b: &Inst, names: Names) -> Result<(), RetargetError> {
    let (descs, there) = (Descs::of(a), Descs::of(b));
    if !same_image_address(a, b) {
        let address =
            |desc: &&OperandDesc| there.partner(descs, desc, names).is_some_and(|other| other.kind.is_image_address());
        let lacks = RetargetError::Form { format: a.format(), extension: a.extension() };
        return Err(descs.all().find(address).map_or(lacks, |desc| RetargetError::Address(desc.field)));
    }
    let pair = |x: &Operand| {
        let desc = descs.named(x)?;
        Some((desc, there.partner(descs, desc, names)?))
    };
    let same = |x: &Operand, y: &Operand| {
        pair(x).is_some_and(|(desc, other)| {
            is_same_size(a, (desc, x), (other, y)) && same_value((a, desc, x), (b, other, y))
        })
    };
    // An absent operand needs no partner on the other target.
    let is_extra = |x: &Operand, (side, other): (Descs, Descs), names: Names| {
        x.value == Value::Off && side.named(x).is_some_and(|desc| other.partner(side, desc, names).is_none())
    };
    let here = shown(a).filter(|x| !is_extra(x, (descs, there), names));
    let others = shown(b).filter(|y| !is_extra(y, (there, descs), names.reversed()));
    same_operands(here, others, same).map_err(|difference| {
        let (here, other) = difference;
        let bits = |operand: Option<Operand>| operand.map_or(0, |operand| operand.bits);
        let role = here.or(other).and_then(|operand| operand.role).unwrap_or(Field::Vcc);
        match (here.and_then(|x| Some((pair(&x)?, x))), other) {
            (Some(((desc, other), x)), Some(y)) if is_same_size(a, (desc, &x), (other, &y)) => refused(a, desc),
            _ => RetargetError::Operand { field: role, bits: bits(here), bits_there: bits(other) },
        }
    })?;
    let value = |desc: &OperandDesc, held: i64| match (u32::try_from(held), there.partner(descs, desc, names)) {
        (Ok(n), Some(other)) => modifier_there((descs, desc), (there, other), n).map(i64::from),
        _ => Some(held),
    };
    let usual = |desc: &OperandDesc| silent(a.opcode(), desc).into();
    let partner = |desc: &OperandDesc| there.partner(descs, desc, names);
    // A modifier with only one meaningful value may be missing on the target: the target's operation then always has
    // this meaning.
    let compared = descs.all().filter(|desc| partner(desc).is_some() || fixed(a.opcode(), desc).is_none());
    same_modifiers((a, b), compared, partner, value, usual).map_err(|desc| match partner(desc) {
        Some(_) => refused(a, desc),
        None => RetargetError::Modifier { field: desc.field, value: modifier(desc, a) },
    })?;
    // Modifiers that only the target has must have no effect.
    let besides = there.all().filter(|desc| descs.partner(there, desc, names.reversed()).is_none());
    same_modifiers((b, b), besides, |_| None, |_, _| None, usual).map_err(|desc| refused(b, desc))
}

/// The only meaningful value of a modifier; `None` if it has several.
pub(super) fn fixed(opcode: Opcode, desc: &OperandDesc) -> Option<u32> {
    FIXED.iter().find(|fixed| (fixed.0, fixed.1) == (opcode, desc.field)).map(|fixed| fixed.2.into())
}

/// The value with which a modifier has no effect, or its only meaningful value.
pub(super) fn silent(opcode: Opcode, desc: &OperandDesc) -> u32 {
    let usual = match desc.kind {
        OperandKind::Modifier(ModifierKind::List(ListStyle::Ones)) => desc.used_bits.into(),
        _ => 0,
    };
    fixed(opcode, desc).unwrap_or(usual)
}

impl Descs {
    /// The descriptor from which an operand is read.
    fn named(self, operand: &Operand) -> Option<&'static OperandDesc> {
        let role = operand.role?;
        let has_register =
            |i: &OperandDesc| matches!(i.kind, OperandKind::Offset(OffsetKind::Bytes { .. } | OffsetKind::Sum { .. }));
        let is = |i: &&OperandDesc| i.field == role || has_register(i) && role == Field::Soffset;
        let mut operands = self.all().filter(|i| i.access.is_some()).filter(is);
        let first = operands.next()?;
        // The operation can list vcc as two operands, one for each access.
        Some(operands.find(|i| i.access == Some(operand.access) && first.access != i.access).unwrap_or(first))
    }
}

/// Whether two operands have the same access and width, and both or neither keep the half of a register that is not
/// written.
fn is_same_size(a: &Inst, here: (&OperandDesc, &Operand), there: (&OperandDesc, &Operand)) -> bool {
    is_width(here, there) && same_half(a, here, there)
}

/// Whether two operands have the same access and width. The width of a number is that of its field, and is not
/// compared, except for a literal that the operation always has. The width of a scalar offset is not compared either.
fn is_width((desc, x): (&OperandDesc, &Operand), (other, y): (&OperandDesc, &Operand)) -> bool {
    let constant = match desc.kind {
        OperandKind::Offset(_) => true,
        OperandKind::Number(kind) => !matches!(kind, NumberKind::Literal { .. }),
        _ => false,
    };
    // One operand may be half a register where the other is a whole one, because a value of 16 bits is in the lower
    // half of its register. For a float constant this is true only if both operands have the same type, because the
    // constant has the width of its type.
    let types = !matches!(x.value, Value::Float(_)) || desc.ty == other.ty;
    let half = types && ([x.bits, y.bits] == [HALF, 2 * HALF] || [y.bits, x.bits] == [HALF, 2 * HALF]);
    kept(x) == kept(y) && (constant || half || x.bits == y.bits)
}

/// Whether both destinations keep the half of a register that is not written, or neither does. Only DPP needs this: in
/// the lanes that it leaves out, every destination counts as read, so the access does not show it.
fn same_half(a: &Inst, (desc, x): (&OperandDesc, &Operand), (other, y): (&OperandDesc, &Operand)) -> bool {
    let keeps = |desc: &OperandDesc, operand: &Operand| operand.bits == HALF || desc.access == Some(Access::ReadWrite);
    !x.access.writes() || keeps(desc, x) == keeps(other, y) || a.extension() != Some(Format::Dpp)
}

/// The width in bits of half a register.
const HALF: u16 = 16;

/// The access of an operand, where the half of a register that is not written counts as read.
fn kept(operand: &Operand) -> Access {
    if operand.bits == HALF && operand.access.writes() { Access::ReadWrite } else { operand.access }
}

type Side<'a> = (&'a Inst, &'a OperandDesc, &'a Operand);

fn same_value((a, desc, x): Side, (b, other, y): Side) -> bool {
    let (from, to) = (a.target(), b.target());
    let is_zero = |value: Value| matches!(value, Value::Int(0) | Value::Reg(Reg::NULL));
    if is_zero(x.value) && is_zero(y.value) && x.access == Access::Read {
        return true;
    }
    if let (Value::Imm(m), Value::Imm(n)) = (x.value, y.value) {
        if let Some(kind) = desc.kind.parts() {
            let there = other.kind.parts().map(|kind| Imm::decode(to, kind, n as u16));
            return names::imm(from, to, Imm::decode(from, kind, m as u16)).ok() == there;
        }
    }
    if let (Value::Literal64, Value::Literal64) = (x.value, y.value) {
        return a.literal64() == b.literal64();
    }
    let there = EncodedOperand::of(from, x.value).map(|coded| translate((a, desc), (to, other), coded));
    let Some(Ok(there)) = there else { return false };
    let bytes = |value: Value| match value {
        Value::Imm(n) => Some(i64::from(n)),
        Value::Literal(n) if other.kind.is_in_dwords() => Some(n.into()),
        _ => None,
    };
    match there {
        EncodedOperand::Number(n) => bytes(y.value) == Some(n),
        there => there.value(to, y.bits / 32) == y.value,
    }
}
