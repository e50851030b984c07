//! Register files, sources and destinations, and the flags beside them.

use super::code::{AGPR, LITERAL, VGPR, coded, vcc};
use super::{Coded, Refused, Words, bits, code_in, flag, value};
use crate::Inst;
use crate::table::{Item, Kind, NONE};

/// The bit of a field that says which half of a register is meant, where one does.
pub(crate) const HALF: u16 = 0x80;
/// The bits of a code that an SDWA source has; above them the flag says whether it is a scalar.
const SDWA_BITS: u16 = 0xff;

pub(super) fn read(item: &Item, inst: &Inst) -> Option<(Coded, u16)> {
    let code = code_in(item, inst);
    let dwords = item.dwords.into();
    Some((
        match item.kind {
            Kind::Agpr => Coded::Code(code - VGPR + AGPR),
            Kind::AgprOrConst if code >= VGPR => Coded::Code(code - VGPR + AGPR),
            Kind::AccSized => {
                let register = if flag(inst, item.aux[0]) { code - VGPR + AGPR } else { code };
                return Some((Coded::Code(register), matrix_dwords(item, inst)));
            }
            Kind::BufData if flag(inst, item.aux[1]) && inst.has_lds() => return None,
            Kind::Acc | Kind::BufData if code >= VGPR && flag(inst, item.aux[0]) => {
                let tfe = item.kind == Kind::BufData && tfe(item, inst);
                return Some((Coded::Code(code - VGPR + AGPR), dwords + u16::from(tfe)));
            }
            Kind::BufData => return Some((Coded::Code(code), dwords + u16::from(tfe(item, inst)))),
            // Without the flag (before gfx9) a source is always a VGPR.
            Kind::SdwaSrc if flag(inst, item.cond) => coded(inst, code),
            Kind::SdwaSrc => Coded::Code(code | VGPR),
            Kind::Half | Kind::HalfSel => {
                let (register, high) = match item.kind {
                    Kind::Half if code >= VGPR => (code & !HALF, code & HALF != 0),
                    Kind::Half => (code, false),
                    _ => (code, code >= VGPR && flag(inst, item.aux[3])),
                };
                return Some((if high { Coded::High(register) } else { coded(inst, register) }, 1));
            }
            // The second of two destinations: it is odd where the first one is even.
            Kind::Vdsty => Coded::Code(item.add + (value(item, inst) as u16) * 2 + u16::from(!flag(inst, item.aux[0]))),
            Kind::SdstOrVcc if !flag(inst, item.aux[0]) => Coded::Vcc,
            Kind::Vcc => Coded::Vcc,
            _ => coded(inst, code),
        },
        dwords,
    ))
}

pub(super) fn encode(item: &Item, coded: Coded, words: &mut Words) -> Result<(), Refused> {
    let (code, high) = match coded {
        Coded::Vcc if item.kind == Kind::SdstOrVcc => {
            words.set(item.aux[0], false);
            return Ok(());
        }
        Coded::Vcc => (vcc(words.target), false),
        Coded::Code(code) => (code, false),
        Coded::High(code) => (code, true),
        Coded::Literal(dword) => {
            words.put_literal(dword)?;
            (LITERAL, false)
        }
        _ => return Err(Refused::Operand),
    };
    let is_agpr = code >= AGPR;
    let has_agprs = matches!(item.kind, Kind::Agpr | Kind::AgprOrConst | Kind::Acc | Kind::AccSized | Kind::BufData);
    let has_halves = matches!(item.kind, Kind::Half | Kind::HalfSel);
    if is_agpr && !has_agprs || high && !has_halves {
        return Err(Refused::Operand);
    }
    let vector = if is_agpr { code - AGPR + VGPR } else { code };
    match item.kind {
        Kind::Vcc if code == vcc(words.target) => Ok(()),
        Kind::Vcc => Err(Refused::Operand),
        Kind::Agpr if !is_agpr => Err(Refused::Operand),
        Kind::AgprOrConst if !is_agpr && code >= VGPR => Err(Refused::Operand),
        Kind::Acc | Kind::AccSized | Kind::BufData => {
            // A constant says nothing of the flag, which another operand may have too.
            if code >= VGPR {
                words.decide(item.aux[0], is_agpr)?;
            }
            put_code(item, vector, words)
        }
        Kind::SdwaSrc => {
            if code < VGPR && item.cond == NONE {
                return Err(Refused::Operand);
            }
            words.set(item.cond, code < VGPR);
            words.item(item, (code & SDWA_BITS).into())
        }
        Kind::Half if code >= VGPR && code & HALF != 0 => Err(Refused::Operand),
        Kind::Half => put_code(item, code | if high { HALF } else { 0 }, words),
        Kind::HalfSel => {
            words.set(item.aux[3], high);
            put_code(item, code, words)
        }
        Kind::Vdsty => {
            let register = code.checked_sub(item.add).ok_or(Refused::Operand)?;
            words.item(item, (register / 2).into())
        }
        Kind::SdstOrVcc => {
            words.set(item.aux[0], true);
            put_code(item, code, words)
        }
        _ => put_code(item, vector, words),
    }
}

/// Registers of a matrix by the format of its elements: of 8 bits, 6 or 4. LLVM takes the numbers without a meaning for 8.
pub(super) fn matrix_dwords(item: &Item, inst: &Inst) -> u16 {
    matrix_dwords_of(bits(inst, item.aux[1], MATRIX_FORMAT))
}

/// Bits of the format of a matrix.
pub(crate) const MATRIX_FORMAT: u8 = 3;

pub(crate) const fn matrix_dwords_of(format: u32) -> u16 {
    match format {
        2 | 3 => 6,
        4 => 4,
        _ => 8,
    }
}

/// A code in the field of an item.
pub(super) fn put_code(item: &Item, code: u16, words: &mut Words) -> Result<(), Refused> {
    let value = code.checked_sub(item.add).filter(|n| n % (1 << item.shift) == 0).ok_or(Refused::Operand)?;
    words.item(item, (value >> item.shift).into())
}

/// One register more for the fail status.
fn tfe(item: &Item, inst: &Inst) -> bool {
    flag(inst, item.aux[2])
}
