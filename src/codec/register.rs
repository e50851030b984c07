//! Register files, sources and destinations, and their flags.

use super::code::{AGPR, LITERAL, LITERAL64, VGPR, coded, vcc};
use super::{Coded, Refused, Words, bits, code_in, flag, value};
use crate::Inst;
use crate::table::{NONE, OperandDesc, OperandType};

/// The bit that selects the upper half of a register, in fields with such a bit.
pub(crate) const HALF: u16 = 0x80;
/// The bits of an SDWA source's code; a flag distinguishes scalars from vector registers.
const SDWA_BITS: u16 = 0xff;

pub(super) fn read(desc: &OperandDesc, inst: &Inst) -> Option<(Coded, u16)> {
    let code = code_in(desc, inst);
    let dwords = desc.dwords.into();
    Some((
        match desc.operand_type {
            OperandType::Agpr => Coded::Code(code - VGPR + AGPR),
            OperandType::AgprOrConst if code >= VGPR => Coded::Code(code - VGPR + AGPR),
            OperandType::AccSized => {
                let register = if flag(inst, desc.aux[0]) { code - VGPR + AGPR } else { code };
                return Some((Coded::Code(register), matrix_dwords(desc, inst)));
            }
            OperandType::BufData if flag(inst, desc.aux[1]) && inst.has_lds() => return None,
            OperandType::Acc | OperandType::BufData if code >= VGPR && flag(inst, desc.aux[0]) => {
                let tfe = desc.operand_type == OperandType::BufData && tfe(desc, inst);
                return Some((Coded::Code(code - VGPR + AGPR), dwords + u16::from(tfe)));
            }
            OperandType::BufData => return Some((Coded::Code(code), dwords + u16::from(tfe(desc, inst)))),
            // Without the flag (before gfx9), a source is always a VGPR.
            OperandType::SdwaSrc if flag(inst, desc.cond) => coded(inst, code),
            OperandType::SdwaSrc => Coded::Code(code | VGPR),
            OperandType::Half | OperandType::HalfSel => {
                let (register, high) = match desc.operand_type {
                    OperandType::Half if code >= VGPR => (code & !HALF, code & HALF != 0),
                    OperandType::Half => (code, false),
                    _ => (code, code >= VGPR && flag(inst, desc.aux[3])),
                };
                return Some((if high { Coded::High(register) } else { coded(inst, register) }, 1));
            }
            // The second of two destinations: one is odd, the other is even.
            OperandType::Vdsty => {
                Coded::Code(desc.add + (value(desc, inst) as u16) * 2 + u16::from(!flag(inst, desc.aux[0])))
            }
            OperandType::SdstOrVcc if !flag(inst, desc.aux[0]) => Coded::Vcc,
            OperandType::Vcc => Coded::Vcc,
            _ => coded(inst, code),
        },
        dwords,
    ))
}

pub(super) fn encode(desc: &OperandDesc, coded: Coded, words: &mut Words) -> Result<(), Refused> {
    let (code, high) = match coded {
        Coded::Vcc if desc.operand_type == OperandType::SdstOrVcc => {
            words.set(desc.aux[0], false);
            return Ok(());
        }
        Coded::Vcc => (vcc(words.target), false),
        Coded::Code(code) => (code, false),
        Coded::High(code) => (code, true),
        Coded::Literal(dword) => {
            words.put_literal(dword)?;
            (LITERAL, false)
        }
        Coded::Literal64(bits) => {
            words.put_literal64(bits)?;
            (LITERAL64, false)
        }
        _ => return Err(Refused::Operand),
    };
    let is_agpr = code >= AGPR;
    let has_agprs = matches!(
        desc.operand_type,
        OperandType::Agpr | OperandType::AgprOrConst | OperandType::Acc | OperandType::AccSized | OperandType::BufData
    );
    let has_halves = matches!(desc.operand_type, OperandType::Half | OperandType::HalfSel);
    if is_agpr && !has_agprs || high && !has_halves {
        return Err(Refused::Operand);
    }
    let vector = if is_agpr { code - AGPR + VGPR } else { code };
    match desc.operand_type {
        OperandType::Vcc if code == vcc(words.target) => Ok(()),
        OperandType::Vcc => Err(Refused::Operand),
        OperandType::Agpr if !is_agpr => Err(Refused::Operand),
        OperandType::AgprOrConst if !is_agpr && code >= VGPR => Err(Refused::Operand),
        OperandType::Acc | OperandType::AccSized | OperandType::BufData => {
            // A constant leaves the flag alone, because another operand may use it.
            if code >= VGPR {
                words.decide(desc.aux[0], is_agpr)?;
            }
            put_code(desc, vector, words)
        }
        OperandType::SdwaSrc => {
            if code < VGPR && desc.cond == NONE {
                return Err(Refused::Operand);
            }
            words.set(desc.cond, code < VGPR);
            words.desc(desc, (code & SDWA_BITS).into())
        }
        OperandType::Half if code >= VGPR && code & HALF != 0 => Err(Refused::Operand),
        OperandType::Half => put_code(desc, code | if high { HALF } else { 0 }, words),
        OperandType::HalfSel => {
            // For a constant or a scalar it is a modifier, as in operations without halves.
            if code >= VGPR {
                words.set(desc.aux[3], high);
            }
            put_code(desc, code, words)
        }
        OperandType::Vdsty => {
            let register = code.checked_sub(desc.add).ok_or(Refused::Operand)?;
            words.desc(desc, (register / 2).into())
        }
        OperandType::SdstOrVcc => {
            words.set(desc.aux[0], true);
            put_code(desc, code, words)
        }
        _ => put_code(desc, vector, words),
    }
}

/// Registers of a matrix, from the format of its elements: 8, 6 or 4 bits. LLVM treats formats without a meaning as 8
/// bits.
pub(super) fn matrix_dwords(desc: &OperandDesc, inst: &Inst) -> u16 {
    let high = u32::from(flag(inst, desc.aux[2]));
    matrix_dwords_of(bits(inst, desc.aux[1], MATRIX_FORMAT - 1) | high << (MATRIX_FORMAT - 1), desc.dwords.into())
}

/// Bits of a matrix's format. The highest may lie apart.
pub(crate) const MATRIX_FORMAT: u8 = 3;

/// Registers of a matrix that has `most` with elements of 8 bits.
pub(crate) const fn matrix_dwords_of(format: u32, most: u16) -> u16 {
    match format {
        2 | 3 => most / 8 * 6,
        4 => most / 2,
        _ => most,
    }
}

/// Stores a code in the field of a descriptor.
pub(super) fn put_code(desc: &OperandDesc, code: u16, words: &mut Words) -> Result<(), Refused> {
    let value = code.checked_sub(desc.add).filter(|n| n % (1 << desc.shift) == 0).ok_or(Refused::Operand)?;
    words.desc(desc, (value >> desc.shift).into())
}

/// Whether the fail status takes one more register.
fn tfe(desc: &OperandDesc, inst: &Inst) -> bool {
    flag(inst, desc.aux[2])
}
