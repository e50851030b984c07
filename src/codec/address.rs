//! Memory addresses and export sources: operands that depend on other fields than their own.

use super::accept::{Accepted, InForm, Lengths};
use super::code::{coded, neither, off};
use super::register::put_code;
use super::{EncodedOperand, Refused, Words, bits, code_in, flag};
use crate::code::VGPR;
use crate::inst::Inst;
use crate::kind::{AddressKind, NONE, Position};
use crate::opcode::Field;
use crate::table::OperandDesc;
use crate::target::Target;

/// Widths in bits of a scalar address, and of a vector register's number.
pub(crate) const SADDR: u8 = 7;
pub(crate) const REGISTER: u8 = 8;

pub(super) fn read(kind: AddressKind, desc: &OperandDesc, inst: &Inst) -> (EncodedOperand, u16) {
    let code = code_in(desc, inst);
    match kind {
        AddressKind::Buffer { offen, idxen, addr64 } => {
            match buf_vaddr_dwords([offen, idxen, addr64].map(|bit| flag(inst, bit))) {
                0 => (EncodedOperand::Off, desc.dwords.into()),
                dwords => (coded(inst, code), dwords),
            }
        }
        AddressKind::Global { saddr } => {
            (coded(inst, code), global_addr_dwords(bits(inst, saddr, SADDR) as u16 == off(inst.target())))
        }
        AddressKind::Scratch { sve, saddr } => {
            // The bit `sve` selects a vector address; without this bit, the absence of a scalar address does.
            let is_used = match sve {
                NONE => bits(inst, saddr, SADDR) as u16 == off(inst.target()),
                sve => flag(inst, sve),
            };
            (if is_used { coded(inst, code) } else { EncodedOperand::Off }, desc.dwords.into())
        }
        AddressKind::Scalar { .. } if is_off(code, inst.target()) => (EncodedOperand::Off, desc.dwords.into()),
        AddressKind::Scalar { .. } => (coded(inst, code), desc.dwords.into()),
        AddressKind::ExportSource { enable, .. } if !flag(inst, enable) => (EncodedOperand::Off, 1),
        AddressKind::ExportSource { compr, .. } => {
            (EncodedOperand::Code(VGPR + bits(inst, export_lsb(desc, flag(inst, compr)), REGISTER) as u16), 1)
        }
    }
}

pub(super) fn encode(
    kind: AddressKind,
    desc: &OperandDesc,
    coded: EncodedOperand,
    words: &mut Words,
) -> Result<(), Refused> {
    let code = match coded {
        EncodedOperand::Code(code) => Some(code),
        EncodedOperand::Off => None,
        _ => return Err(Refused::Operand),
    };
    let (off, neither) = (off(words.target), neither(words.target));
    match (kind, code) {
        // Modifiers state that there is no address.
        (AddressKind::Buffer { .. }, None) => Ok(()),
        (AddressKind::Buffer { .. } | AddressKind::Global { .. }, Some(code)) => put_code(desc, code, words),
        (AddressKind::Global { .. }, None) => Err(Refused::Operand),
        (AddressKind::Scratch { sve, saddr }, code) => {
            words.set(sve, code.is_some());
            // Without the bit `sve`, the code of the scalar address determines whether there is a vector address.
            let decides = sve == NONE && neither != u16::MAX;
            match code {
                Some(_) if decides => words.put(saddr, SADDR, off.into()),
                None if decides && words.get(saddr, SADDR) as u16 == off => words.put(saddr, SADDR, neither.into()),
                _ => {}
            }
            code.map_or(Ok(()), |code| put_code(desc, code, words))
        }
        // The vector address has already set this code.
        (AddressKind::Scalar { .. }, None) if is_off(words.get(desc.lsb, SADDR) as u16, words.target) => Ok(()),
        // A scratch operation with neither address has a code of its own.
        (AddressKind::Scalar { .. }, None) if desc.dwords == 1 && neither != u16::MAX => put_code(desc, neither, words),
        (AddressKind::Scalar { .. }, None) => put_code(desc, off, words),
        // The codes for an absent address are registers in other operands.
        (AddressKind::Scalar { .. }, Some(code)) if is_off(code, words.target) => Err(Refused::Operand),
        (AddressKind::Scalar { .. }, Some(code)) => put_code(desc, code, words),
        (AddressKind::ExportSource { enable, .. }, None) => {
            words.set(enable, false);
            Ok(())
        }
        (AddressKind::ExportSource { enable, compr }, Some(code)) => encode_export([enable, compr], desc, code, words),
    }
}

/// Adds the codes that the operand accepts. `dwords` is the least length of the operand.
pub(super) fn accept(kind: AddressKind, form: &InForm<'_>, dwords: u16, add: &mut impl FnMut(Accepted)) {
    let (is_absent, is_register) = match kind {
        AddressKind::Buffer { offen, idxen, addr64 } => {
            ([offen, idxen, addr64].iter().all(|&bit| form.can_be(bit, false)), true)
        }
        AddressKind::Global { .. } => (false, true),
        AddressKind::Scratch { sve: NONE, .. } => (true, true),
        AddressKind::Scratch { sve: bit, .. } => (form.can_be(bit, false), form.can_be(bit, true)),
        AddressKind::ExportSource { enable, .. } => (form.can_be(enable, false), true),
        AddressKind::Scalar { .. } => {
            let target = form.target;
            return form.codes(false, |code| match is_off(code, target) {
                true => add(Accepted::Off),
                false => add(Accepted::Code(code)),
            });
        }
    };
    if is_absent {
        add(Accepted::Off);
    }
    if is_register {
        form.vgprs(dwords, add);
    }
}

/// The lengths that the operand can have.
pub(super) fn lengths(kind: AddressKind, form: &InForm<'_>) -> Lengths {
    match kind {
        AddressKind::Buffer { offen, idxen, addr64 } => {
            let is_pair = form.can_be(addr64, true) || form.can_be(offen, true) && form.can_be(idxen, true);
            if is_pair { (1, 2) } else { form.length() }
        }
        AddressKind::Global { .. } => (1, 2),
        AddressKind::Scratch { .. } | AddressKind::Scalar { .. } | AddressKind::ExportSource { .. } => form.length(),
    }
}

/// The number of dwords of a global address: two without a scalar base, otherwise one.
#[inline]
pub(crate) const fn global_addr_dwords(alone: bool) -> u16 {
    if alone { 2 } else { 1 }
}

/// The number of registers of a buffer address: index and offset take one each, a 64-bit address two.
#[inline]
pub(crate) const fn buf_vaddr_dwords([offen, idxen, addr64]: [bool; 3]) -> u16 {
    if addr64 { 2 } else { offen as u16 + idxen as u16 }
}

/// Whether a code means that there is no scalar address.
fn is_off(code: u16, target: Target) -> bool {
    code == off(target) || code == neither(target)
}

/// The lowest bit of an export source's register. Compressed sources share registers in pairs.
fn export_lsb(desc: &OperandDesc, compressed: bool) -> u8 {
    let n = export_number(desc);
    if compressed { desc.lsb - REGISTER * n + REGISTER * (n / 2) } else { desc.lsb }
}

/// Whether the operand is the second of two export sources that share a register if they are compressed.
#[cfg(feature = "text")]
pub(crate) fn is_second_export(desc: &OperandDesc) -> bool {
    export_number(desc) % 2 == 1
}

/// The number of an export source, from 0 to 3.
fn export_number(desc: &OperandDesc) -> u8 {
    match desc.field {
        Field::Vsrc0 => 0,
        Field::Vsrc1 => 1,
        Field::Vsrc2 => 2,
        _ => 3,
    }
}

fn encode_export(
    [enable, compr]: [Position; 2],
    desc: &OperandDesc,
    code: u16,
    words: &mut Words,
) -> Result<(), Refused> {
    let compressed = words.is_set(compr);
    let register = u32::from(code.checked_sub(VGPR).ok_or(Refused::Operand)?);
    let lsb = export_lsb(desc, compressed);
    // The enable bits of two sources that share a register are adjacent.
    let shared = compressed && export_number(desc) % 2 == 1 && words.is_set(enable - 1);
    if shared && words.get(lsb, REGISTER) != register || register >> REGISTER != 0 {
        return Err(Refused::Operand);
    }
    words.set(enable, true);
    words.put(lsb, REGISTER, register);
    Ok(())
}
