//! Offsets of scalar memory: a constant, a register, or both.

use super::accept::{Accepted, InForm, Lengths};
use super::code::{coded, off};
use super::number::range;
use super::register::put_code;
use super::{EncodedOperand, Refused, Words, bits, encode_number, flag, sign_extended, value};
use crate::code::LITERAL;
use crate::inst::Inst;
use crate::kind::{NONE, OffsetKind, OperandKind};
use crate::opcode::Field;
use crate::table::OperandDesc;

/// Width in bits of a scalar register's number in an offset.
pub(crate) const SCALAR: u8 = 7;

pub(super) fn read(kind: OffsetKind, desc: &OperandDesc, inst: &Inst) -> EncodedOperand {
    let raw = value(desc, inst);
    let number = if kind.is_signed() { sign_extended(raw, desc.width) } else { raw.into() };
    let register = |soffset| if soffset == NONE { 0 } else { bits(inst, soffset, SCALAR) as u16 };
    match kind {
        OffsetKind::Dwords { imm } if flag(inst, imm) => EncodedOperand::Number(number),
        OffsetKind::Dwords { .. } => coded(inst, raw as u16),
        OffsetKind::Bytes { imm, soffset_en, soffset } => match (flag(inst, imm), flag(inst, soffset_en)) {
            (true, true) => EncodedOperand::RegisterPlusOffset(register(soffset), number),
            (true, false) => EncodedOperand::Number(number),
            (false, true) => EncodedOperand::Soffset(register(soffset)),
            (false, false) => EncodedOperand::Code(bits(inst, desc.lsb, SCALAR) as u16),
        },
        OffsetKind::Sum { soffset, .. } => match (register(soffset), number) {
            (code, _) if code == off(inst.target()) => EncodedOperand::Number(number),
            (code, 0) => EncodedOperand::Soffset(code),
            (code, _) => EncodedOperand::RegisterPlusOffset(code, number),
        },
    }
}

pub(super) fn encode(
    kind: OffsetKind,
    desc: &OperandDesc,
    coded: EncodedOperand,
    words: &mut Words,
) -> Result<(), Refused> {
    match kind {
        OffsetKind::Dwords { imm } => {
            words.set(imm, matches!(coded, EncodedOperand::Number(_)));
            match coded {
                EncodedOperand::Number(n) => match (range(desc), u32::try_from(n)) {
                    ((_, most), _) if (0..=most).contains(&n) => words.put_value(desc, n as u32),
                    // A number that is too great for the field becomes a literal, if the format has room for one.
                    (_, Ok(dword)) if words.layout.extends.iter().any(|e| e.field == desc.field) => {
                        encode(kind, desc, EncodedOperand::Literal(dword), words)
                    }
                    ((min, max), _) => Err(Refused::Range { min, max }),
                },
                EncodedOperand::Literal(dword) => {
                    words.put_literal(dword)?;
                    put_code(desc, LITERAL, words)
                }
                EncodedOperand::Code(code) | EncodedOperand::Soffset(code) => put_code(desc, code, words),
                _ => Err(Refused::Operand),
            }
        }
        OffsetKind::Sum { soffset, .. } => {
            let none = off(words.target);
            let (code, number) = match coded {
                EncodedOperand::Number(n) => (none, n),
                EncodedOperand::Soffset(code) | EncodedOperand::Code(code) if code != none => (code, 0),
                EncodedOperand::RegisterPlusOffset(code, n) if code != none => (code, n),
                _ => return Err(Refused::Operand),
            };
            if code >> SCALAR != 0 {
                return Err(Refused::Operand);
            }
            words.put(soffset, SCALAR, code.into());
            encode_number(desc, number, words)
        }
        OffsetKind::Bytes { imm, soffset_en, soffset } => {
            // Only some targets can add a register with a field of its own.
            let (register, number) = match coded {
                EncodedOperand::Soffset(code) if soffset_en == NONE => {
                    return encode(kind, desc, EncodedOperand::Code(code), words);
                }
                EncodedOperand::Soffset(code) => (Some(code), None),
                EncodedOperand::RegisterPlusOffset(code, n) if soffset_en != NONE => (Some(code), Some(n)),
                EncodedOperand::Number(n) => (None, Some(n)),
                EncodedOperand::Code(code) if code >> SCALAR == 0 => {
                    words.set(imm, false);
                    words.set(soffset_en, false);
                    words.put(desc.lsb, desc.lo_width, code.into());
                    return Ok(());
                }
                _ => return Err(Refused::Operand),
            };
            words.set(imm, number.is_some());
            words.set(soffset_en, register.is_some());
            if let Some(code) = register {
                words.put(soffset, SCALAR, code.into());
            }
            number.map_or(Ok(()), |n| encode_number(desc, n, words))
        }
    }
}

/// Adds the values that part `part` of the operand accepts.
pub(super) fn accept(kind: OffsetKind, form: &InForm<'_>, part: u8, add: &mut impl FnMut(Accepted)) {
    let is_scalar = |code: &u16| form.probe.is_scalar(*code);
    let (is_register, is_number) = match kind {
        OffsetKind::Dwords { imm } => {
            if form.can_be(imm, false) {
                form.codes(false, |code| add(Accepted::Code(code)));
            }
            (false, form.can_be(imm, true))
        }
        // Part 0 is the register with a field of its own.
        OffsetKind::Bytes { soffset, .. } if soffset != NONE && part == 0 => (true, false),
        // A register in this field is the only offset: no constant and no other register is added.
        OffsetKind::Bytes { imm, soffset_en, .. } => {
            (form.can_be(imm, false) && form.can_be(soffset_en, false), form.can_be(imm, true))
        }
        OffsetKind::Sum { .. } => (part == 0, part != 0),
    };
    if is_register {
        let none = if let OffsetKind::Sum { .. } = kind { Some(off(form.target)) } else { None };
        let scalars = (0..1 << SCALAR).filter(is_scalar).filter(|&code| Some(code) != none);
        scalars.for_each(|code| add(Accepted::Code(code)));
    }
    if is_number {
        add(Accepted::Number);
    }
}

/// The field and the lengths of part `part` of the operand, and whether it can be absent; `None` if there is no such
/// part.
pub(super) fn lengths(kind: OffsetKind, form: &InForm<'_>, part: u8) -> Option<(Field, Lengths, bool)> {
    let field = form.desc.field;
    match (kind, part) {
        (OffsetKind::Dwords { .. } | OffsetKind::Bytes { soffset: NONE, .. }, 0) => Some((field, form.length(), false)),
        (OffsetKind::Dwords { .. } | OffsetKind::Bytes { soffset: NONE, .. }, _) => None,
        (_, 0) => Some((Field::Soffset, (1, 1), true)),
        // A register alone uses the constant's field.
        (OffsetKind::Bytes { imm, soffset_en, .. }, 1) => {
            Some((field, (1, 1), form.can_be(imm, false) && form.can_be(soffset_en, true)))
        }
        (OffsetKind::Sum { .. }, 1) => Some((field, (0, 0), true)),
        _ => None,
    }
}

/// The unit of the field's number, in bytes.
pub(crate) fn unit(desc: &OperandDesc) -> i64 {
    if let OperandKind::Offset(OffsetKind::Dwords { .. }) = desc.kind { 4 } else { 1 }
}
