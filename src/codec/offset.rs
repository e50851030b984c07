//! Offsets of scalar memory: a constant, a register, or both.

use super::code::{LITERAL, coded, off};
use super::number::range;
use super::register::put_code;
use super::{Coded, Refused, Words, bits, flag, value};
use crate::Inst;
use crate::table::{NONE, OperandDesc, OperandType};

/// Bits of a scalar register's number in an offset.
pub(crate) const SCALAR: u8 = 7;

pub(super) fn read(desc: &OperandDesc, inst: &Inst) -> Coded {
    let [imm, soffset_en, soffset, _] = desc.aux;
    let raw = value(desc, inst);
    if desc.operand_type == OperandType::SmrdOffset {
        // GCN 1.0 and 1.1: a constant, an SGPR, or a literal.
        return if flag(inst, imm) { Coded::Number(raw.into()) } else { coded(inst, raw as u16) };
    }
    let number = if is_signed(desc) { sign_extended(raw, desc.width) } else { raw.into() };
    let register = || if soffset == NONE { 0 } else { bits(inst, soffset, SCALAR) as u16 };
    if has_both(desc) {
        return match (register(), number) {
            (code, _) if code == off(inst.target()) => Coded::Number(number),
            (code, 0) => Coded::Soffset(code),
            (code, _) => Coded::Both(code, number),
        };
    }
    match (flag(inst, imm), flag(inst, soffset_en)) {
        (true, true) => Coded::Both(register(), number),
        (true, false) => Coded::Number(number),
        (false, true) => Coded::Soffset(register()),
        (false, false) => Coded::Code(bits(inst, desc.lsb, SCALAR) as u16),
    }
}

pub(super) fn encode(desc: &OperandDesc, coded: Coded, words: &mut Words) -> Result<(), Refused> {
    let [imm, soffset_en, soffset, _] = desc.aux;
    if desc.operand_type == OperandType::SmrdOffset {
        words.set(imm, matches!(coded, Coded::Number(_)));
        return match coded {
            Coded::Number(n) => match (range(desc), u32::try_from(n)) {
                ((_, most), _) if (0..=most).contains(&n) => words.desc(desc, n as u32),
                // A greater number becomes a literal, if the format has room for one.
                (_, Ok(dword)) if words.layout.extends.iter().any(|e| e.field == desc.field) => {
                    encode(desc, Coded::Literal(dword), words)
                }
                ((min, max), _) => Err(Refused::Range { min, max }),
            },
            Coded::Literal(dword) => {
                words.put_literal(dword)?;
                put_code(desc, LITERAL, words)
            }
            Coded::Code(code) | Coded::Soffset(code) => put_code(desc, code, words),
            _ => Err(Refused::Operand),
        };
    }
    if has_both(desc) {
        let none = off(words.target);
        let (code, number) = match coded {
            Coded::Number(n) => (none, n),
            Coded::Soffset(code) | Coded::Code(code) if code != none => (code, 0),
            Coded::Both(code, n) if code != none => (code, n),
            _ => return Err(Refused::Operand),
        };
        if code >> SCALAR != 0 {
            return Err(Refused::Operand);
        }
        words.put(soffset, SCALAR, code.into());
        return super::encode_number(desc, number, words);
    }
    // Only some targets can add a register with a field of its own.
    let (register, number) = match coded {
        Coded::Soffset(code) if soffset_en == NONE => return encode(desc, Coded::Code(code), words),
        Coded::Soffset(code) => (Some(code), None),
        Coded::Both(code, n) if soffset_en != NONE => (Some(code), Some(n)),
        Coded::Number(n) => (None, Some(n)),
        Coded::Code(code) if code >> SCALAR == 0 => {
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
    match number {
        Some(n) => super::encode_number(desc, n, words),
        None => Ok(()),
    }
}

/// The unit of the field's number, in bytes.
pub(crate) fn unit(desc: &OperandDesc) -> i64 {
    if desc.operand_type == OperandType::SmrdOffset { 4 } else { 1 }
}

/// Whether a field is signed: an offset if a second register can be added to it (gfx9 and later), and those of types
/// `Signed` and `SignedHex`.
pub(crate) fn is_signed(desc: &OperandDesc) -> bool {
    matches!(desc.operand_type, OperandType::Signed | OperandType::SignedHex)
        || desc.operand_type == OperandType::SmemOffset && desc.aux[2] != NONE
}

/// Whether constant and register are always added, without a bit for either (gfx10 and later): the register can be null.
pub(crate) fn has_both(desc: &OperandDesc) -> bool {
    desc.operand_type == OperandType::SmemOffset && desc.aux[0] == NONE
}

/// Whether the text shows the constant even if it is zero, also beside a register (gfx12).
#[cfg(feature = "text")]
pub(crate) fn shows_both(desc: &OperandDesc) -> bool {
    has_both(desc) && desc.aux[3] != NONE
}

pub(crate) fn sign_extended(value: u32, width: u8) -> i64 {
    let up = 64 - u32::from(width).clamp(1, 32);
    (i64::from(value) << up) >> up
}
