//! Register files, sources and destinations, and their flags.

use super::accept::{Accepted, InForm, Lengths};
use super::code::{coded, vcc};
use super::{EncodedOperand, Refused, Words, bits, code_in, flag, value};
use crate::code::{AGPR, LITERAL, LITERAL64, VGPR, is_inside};
use crate::inst::Inst;
use crate::kind::{NONE, Position, RegisterKind};
use crate::table::OperandDesc;

/// The bit that selects the upper half of a register, in fields with such a bit.
pub(crate) const HALF: u16 = 0x80;
/// The bits of an SDWA source's code; a flag distinguishes scalars from vector registers.
const SDWA_BITS: u16 = 0xff;

pub(super) fn read(kind: RegisterKind, desc: &OperandDesc, inst: &Inst) -> Option<(EncodedOperand, u16)> {
    let code = code_in(desc, inst);
    let agpr = || EncodedOperand::Code(code - VGPR + AGPR);
    let mut dwords = desc.dwords.into();
    let coded = match kind {
        RegisterKind::Code { .. } => coded(inst, code),
        RegisterKind::Half { .. } if code >= VGPR && code & HALF != 0 => EncodedOperand::High(code & !HALF),
        RegisterKind::Half { .. } => coded(inst, code),
        RegisterKind::HalfSelected { half, .. } if code >= VGPR && flag(inst, half) => EncodedOperand::High(code),
        RegisterKind::HalfSelected { .. } => coded(inst, code),
        // Without the flag (before gfx9), a source is always a vector register.
        RegisterKind::Sdwa { scalar, .. } if flag(inst, scalar) => coded(inst, code),
        RegisterKind::Sdwa { .. } => EncodedOperand::Code(code | VGPR),
        RegisterKind::Agpr => agpr(),
        RegisterKind::AgprOrConstant if code >= VGPR => agpr(),
        RegisterKind::AgprOrConstant => coded(inst, code),
        RegisterKind::Vector { acc } if code >= VGPR && flag(inst, acc) => agpr(),
        RegisterKind::Vector { .. } => coded(inst, code),
        RegisterKind::Matrix { acc, format, format_high } => {
            dwords = matrix_dwords([format, format_high], desc, inst);
            if flag(inst, acc) { agpr() } else { EncodedOperand::Code(code) }
        }
        RegisterKind::Data { lds, .. } if flag(inst, lds) && inst.has_lds() => return None,
        RegisterKind::Data { acc, tfe, .. } => {
            // The fail status takes one more register.
            dwords += u16::from(flag(inst, tfe));
            if flag(inst, acc) { agpr() } else { EncodedOperand::Code(code) }
        }
        RegisterKind::NamedOrVcc { named } if flag(inst, named) => coded(inst, code),
        RegisterKind::NamedOrVcc { .. } | RegisterKind::Vcc => EncodedOperand::Vcc,
        // The second of two destinations. One of them has an odd number, and the other an even one.
        RegisterKind::OppositeParity { other } => {
            EncodedOperand::Code(desc.add + (value(desc, inst) as u16) * 2 + u16::from(!flag(inst, other)))
        }
    };
    // Half a register counts as one dword.
    Some((coded, if desc.kind.is_half() { 1 } else { dwords }))
}

pub(super) fn encode(
    kind: RegisterKind,
    desc: &OperandDesc,
    coded: EncodedOperand,
    words: &mut Words,
) -> Result<(), Refused> {
    let (code, high) = match coded {
        EncodedOperand::Vcc => match kind {
            RegisterKind::NamedOrVcc { named } => {
                words.set(named, false);
                return Ok(());
            }
            _ => (vcc(words.target), false),
        },
        EncodedOperand::Code(code) => (code, false),
        EncodedOperand::High(code) => (code, true),
        EncodedOperand::Literal(dword) => {
            words.put_literal(dword)?;
            (LITERAL, false)
        }
        EncodedOperand::Literal64(bits) => {
            words.put_literal64(bits)?;
            (LITERAL64, false)
        }
        _ => return Err(Refused::Operand),
    };
    let is_agpr = code >= AGPR;
    if is_agpr && !kind.has_agprs() || high && !desc.kind.is_half() {
        return Err(Refused::Operand);
    }
    let vector = if is_agpr { code - AGPR + VGPR } else { code };
    match kind {
        RegisterKind::Code { .. } => put_code(desc, code, words),
        RegisterKind::Half { .. } if code >= VGPR && code & HALF != 0 => Err(Refused::Operand),
        RegisterKind::Half { .. } => put_code(desc, code | if high { HALF } else { 0 }, words),
        RegisterKind::HalfSelected { half, .. } => {
            // For a constant or a scalar, the bit is a modifier, as in operations without halves.
            if code >= VGPR {
                words.set(half, high);
            }
            put_code(desc, code, words)
        }
        RegisterKind::Sdwa { scalar, .. } => {
            if code < VGPR && scalar == NONE {
                return Err(Refused::Operand);
            }
            words.set(scalar, code < VGPR);
            words.put_value(desc, (code & SDWA_BITS).into())
        }
        RegisterKind::Agpr if !is_agpr => Err(Refused::Operand),
        RegisterKind::AgprOrConstant if !is_agpr && code >= VGPR => Err(Refused::Operand),
        RegisterKind::Agpr | RegisterKind::AgprOrConstant => put_code(desc, vector, words),
        RegisterKind::Vector { acc } | RegisterKind::Matrix { acc, .. } | RegisterKind::Data { acc, .. } => {
            // A constant does not change the flag, because another operand may have set the flag.
            if code >= VGPR {
                words.decide(acc, is_agpr)?;
            }
            put_code(desc, vector, words)
        }
        RegisterKind::NamedOrVcc { named } => {
            words.set(named, true);
            put_code(desc, code, words)
        }
        RegisterKind::Vcc if code == vcc(words.target) => Ok(()),
        RegisterKind::Vcc => Err(Refused::Operand),
        RegisterKind::OppositeParity { .. } => {
            let register = code.checked_sub(desc.add).ok_or(Refused::Operand)?;
            words.put_value(desc, (register / 2).into())
        }
    }
}

/// Adds the codes that the operand, of at least `dwords`, accepts. `returned`: whether the operand is absent unless
/// a bit is set.
pub(super) fn accept(
    kind: RegisterKind,
    form: &InForm<'_>,
    (dwords, returned): (u16, bool),
    add: &mut impl FnMut(Accepted),
) {
    match kind {
        RegisterKind::Code { .. } => form.codes(returned, |code| add(Accepted::Code(code))),
        RegisterKind::Half { .. } => {
            add(Accepted::Halves);
            form.codes(returned, |code| add(Accepted::Code(if code >= VGPR { code & !HALF } else { code })));
        }
        RegisterKind::HalfSelected { half, .. } => {
            if form.can_be(half, true) {
                add(Accepted::Halves);
            }
            form.codes(returned, |code| add(Accepted::Code(code)));
        }
        RegisterKind::Sdwa { scalar, .. } => {
            if form.can_be(scalar, false) {
                form.codes(false, |code| add(Accepted::Code(code | VGPR)));
            }
            if form.can_be(scalar, true) {
                form.codes(true, |code| add(Accepted::Code(code)));
            }
        }
        RegisterKind::Agpr | RegisterKind::AgprOrConstant => form.codes(returned, |code| {
            add(Accepted::Code(if code >= VGPR { code - VGPR + AGPR } else { code }));
        }),
        RegisterKind::Data { acc, .. } | RegisterKind::Vector { acc } | RegisterKind::Matrix { acc, .. } => {
            // `Probe` does not check a length that another field determines.
            let vgprs = form.target.vgprs();
            form.codes(returned, |code| match code {
                VGPR.. if !is_inside(code - VGPR, dwords, vgprs) => {}
                VGPR.. => form.vector(code, acc, add),
                _ => add(Accepted::Code(code)),
            });
        }
        RegisterKind::NamedOrVcc { named } => {
            if form.can_be(named, false) {
                add(Accepted::Vcc);
            }
            if form.can_be(named, true) {
                form.codes(true, |code| add(Accepted::Code(code)));
            }
        }
        RegisterKind::Vcc => add(Accepted::Vcc),
        RegisterKind::OppositeParity { .. } => form.vgprs(dwords, add),
    }
}

/// The lengths that the operand can have, and whether it can be absent.
pub(super) fn lengths(kind: RegisterKind, form: &InForm<'_>) -> (Lengths, bool) {
    let (least, most) = form.length();
    match kind {
        RegisterKind::Data { lds, tfe, .. } => {
            let to_lds = form.probe.has_lds() && form.can_be(lds, true);
            ((least, most + u16::from(form.can_be(tfe, true))), to_lds)
        }
        RegisterKind::Matrix { format, format_high, .. } => {
            let can_be = |of: &u32| {
                (0..MATRIX_FORMAT).all(|n| {
                    let bit = if n + 1 == MATRIX_FORMAT { format_high } else { format.saturating_add(n) };
                    form.can_be(bit, of >> n & 1 == 1)
                })
            };
            let sizes = || (0..1 << MATRIX_FORMAT).filter(can_be).map(|format| matrix_dwords_of(format, most));
            ((sizes().min().unwrap_or(0), sizes().max().unwrap_or(0)), false)
        }
        _ => ((least, most), false),
    }
}

/// The number of registers of a matrix, from the format of its elements: 8, 6 or 4 bits. LLVM treats reserved formats
/// as 8 bits.
pub(super) fn matrix_dwords([format, format_high]: [Position; 2], desc: &OperandDesc, inst: &Inst) -> u16 {
    let high = u32::from(flag(inst, format_high));
    matrix_dwords_of(bits(inst, format, MATRIX_FORMAT - 1) | high << (MATRIX_FORMAT - 1), desc.dwords.into())
}

/// Width in bits of a matrix's format. The highest bit may be at another position.
pub(crate) const MATRIX_FORMAT: u8 = 3;

/// The number of registers of a matrix that has `most` registers if its elements have 8 bits.
pub(crate) const fn matrix_dwords_of(format: u32, most: u16) -> u16 {
    match format {
        2 | 3 => most / 8 * 6,
        4 => most / 2,
        _ => most,
    }
}

/// Stores a code in the field of a descriptor.
#[inline]
pub(crate) fn put_code(desc: &OperandDesc, code: u16, words: &mut Words) -> Result<(), Refused> {
    let value = code.checked_sub(desc.add).filter(|n| n % (1 << desc.shift) == 0).ok_or(Refused::Operand)?;
    words.put_value(desc, (value >> desc.shift).into())
}
