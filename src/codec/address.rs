//! Addresses of memory and images, image data, and exports: what other fields than their own have a say in.

use super::code::{AGPR, VGPR, coded, is_inside, off};
use super::register::{matrix_dwords, put_code};
use super::{Coded, Refused, Words, bits, code_in, flag};
use crate::common::{COORDINATES, GRADIENTS};
use crate::shared::image;
use crate::table::{Item, Kind, NONE};
use crate::target::OPERANDS;
use crate::{Access, DecodeError, Field, Inst, Operand, Reg, Value};

/// Bits of a scalar address, and of the number of a vector register.
const SADDR: u8 = 7;
const REGISTER: u8 = 8;

pub(super) fn read(item: &Item, inst: &Inst) -> Option<(Coded, u16)> {
    let code = code_in(item, inst);
    let dwords = match item.kind {
        _ if is_image_data(item) => mimg_item_dwords(item, inst),
        Kind::GlobalAddr => global_addr_dwords(bits(inst, item.aux[0], SADDR) as u16 == off(inst.target())),
        Kind::BufVaddr => {
            let [offen, idxen, addr64, _] = item.aux;
            buf_vaddr_dwords([flag(inst, offen), flag(inst, idxen), flag(inst, addr64)])
        }
        Kind::ExpSrc => 1,
        _ => item.dwords.into(),
    };
    let coded = match item.kind {
        Kind::BufVaddr if dwords == 0 => return Some((Coded::Off, item.dwords.into())),
        Kind::ScratchAddr if !scratch_addr_used(item, inst) => Coded::Off,
        Kind::Saddr if code == off(inst.target()) => Coded::Off,
        Kind::ExpSrc if !flag(inst, item.aux[0]) => Coded::Off,
        Kind::ExpSrc => Coded::Code(VGPR + bits(inst, export_lsb(item, flag(inst, item.aux[1])), REGISTER) as u16),
        _ if is_image_data(item) && flag(inst, item.aux[3]) => Coded::Code(code - VGPR + AGPR),
        _ => coded(inst, code),
    };
    Some((coded, dwords))
}

pub(super) fn encode(item: &Item, coded: Coded, words: &mut Words) -> Result<(), Refused> {
    let code = match (item.kind, coded) {
        // Flags that are modifiers say it.
        (Kind::BufVaddr, Coded::Off) => return Ok(()),
        (Kind::ScratchAddr | Kind::ExpSrc, Coded::Off) => {
            words.set(item.aux[0], false);
            return Ok(());
        }
        (Kind::Saddr, Coded::Off) => return put_code(item, off(words.target), words),
        // The code has another meaning elsewhere.
        (Kind::Saddr, Coded::Code(code)) if code == off(words.target) => return Err(Refused::Operand),
        (_, Coded::Code(code)) => code,
        _ => return Err(Refused::Operand),
    };
    match item.kind {
        Kind::ScratchAddr => words.set(item.aux[0], true),
        Kind::ExpSrc => return encode_export(item, code, words),
        _ if is_image_data(item) => {
            words.decide(item.aux[3], code >= AGPR)?;
            return put_code(item, if code >= AGPR { code - AGPR + VGPR } else { code }, words);
        }
        _ => {}
    }
    put_code(item, code, words)
}

/// Image data, which a bit can make accumulation registers.
pub(crate) fn is_image_data(item: &Item) -> bool {
    matches!(item.kind, Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap)
}

/// Dwords of a global address: 64 bits when there is no scalar base.
#[inline]
pub(crate) const fn global_addr_dwords(alone: bool) -> u16 {
    if alone { 2 } else { 1 }
}

/// Registers of a buffer address: index and offset each take one, a 64-bit address two.
#[inline]
pub(crate) const fn buf_vaddr_dwords([offen, idxen, addr64]: [bool; 3]) -> u16 {
    if addr64 { 2 } else { offen as u16 + idxen as u16 }
}

/// A scratch address VGPR is used when sve says so; without that bit, when there is no scalar address.
fn scratch_addr_used(item: &Item, inst: &Inst) -> bool {
    match item.aux[0] {
        NONE => bits(inst, item.aux[1], SADDR) as u16 == off(inst.target()),
        sve => flag(inst, sve),
    }
}

/// Where the register of an export source lies. Compressed sources share registers by twos.
fn export_lsb(item: &Item, compressed: bool) -> u8 {
    let n = export_number(item);
    if compressed { item.lsb - REGISTER * n + REGISTER * (n / 2) } else { item.lsb }
}

/// Which of the sources it is.
fn export_number(item: &Item) -> u8 {
    match item.field {
        Field::Vsrc0 => 0,
        Field::Vsrc1 => 1,
        Field::Vsrc2 => 2,
        _ => 3,
    }
}

fn encode_export(item: &Item, code: u16, words: &mut Words) -> Result<(), Refused> {
    let compressed = words.is_set(item.aux[1]);
    let register = u32::from(code.checked_sub(VGPR).ok_or(Refused::Operand)?);
    let lsb = export_lsb(item, compressed);
    // The enable bits of two sources that share a register lie side by side.
    let shared = compressed && export_number(item) % 2 == 1 && words.is_set(item.aux[0] - 1);
    if shared && words.get(lsb, REGISTER) != register || register >> REGISTER != 0 {
        return Err(Refused::Operand);
    }
    words.set(item.aux[0], true);
    words.put(lsb, REGISTER, register);
    Ok(())
}

/// Registers of image data, from what the row is (`image::*`), its components and its flags.
pub(crate) const fn mimg_dwords(what: u8, dmask: u16, tfe: bool, d16: bool) -> u16 {
    let components = match (dmask & 15).count_ones() as u16 {
        _ if what & image::GATHER != 0 => 4,
        0 => 1,
        n => n,
    };
    let packed = if what & image::D16 != 0 && d16 { components.div_ceil(2) } else { components };
    let dwords = packed + tfe as u16;
    // Atomics take one or two components, with what they compare twice that; other masks mean the least of these.
    match dwords {
        4.. if what & image::ATOMIC != 0 => 1,
        1 if what & image::CMPSWAP != 0 => 2,
        n => n,
    }
}

pub(crate) fn mimg_item_dwords(item: &Item, inst: &Inst) -> u16 {
    let what = match item.kind {
        Kind::MimgGather => image::GATHER,
        Kind::MimgAtomic => image::ATOMIC,
        Kind::MimgCmpswap => image::CMPSWAP,
        _ => image::DATA,
    };
    let d16 = if inst.has_d16() { image::D16 } else { 0 };
    let dmask = bits(inst, item.aux[0], 4) as u16;
    mimg_dwords(what | d16, dmask, flag(inst, item.aux[1]), flag(inst, item.aux[2]))
}

/// Registers of an image address: coordinates, two in a register with a16, gradients, and what else the row has.
pub(crate) fn image_address_dwords(item: &Item, inst: &Inst) -> u16 {
    let dim = bits(inst, item.aux[0], 3) as usize;
    let of = |table: &[u8]| u16::from(table.get(dim).copied().unwrap_or(0));
    let coordinates = of(&COORDINATES);
    let packed = if flag(inst, item.aux[1]) { coordinates.div_ceil(2) } else { coordinates };
    let gradients = if item.kind == Kind::ImgAddrGrad { of(&GRADIENTS) } else { 0 };
    let dwords = packed + gradients + u16::from(item.dwords) - 1;
    // One run of more than 12 registers is counted as 16.
    if dwords > 12 && item.aux[2] == NONE { 16 } else { dwords }
}

/// A part of an image address: a field that names the first of a run of registers.
pub(crate) struct AddressPart {
    pub field: Field,
    pub lsb: u8,
    pub register: u16,
    pub dwords: u16,
}

/// Without address fields of its own an image address is one run; else each register has a field, and the last field
/// has all that are left.
pub(crate) fn image_address_part(item: &Item, inst: &Inst, part: u8) -> Option<AddressPart> {
    let all = image_address_dwords(item, inst);
    let fields = match (item.aux[2], item.aux[3]) {
        (NONE, _) => 1,
        (_, NONE) => 4,
        _ => 5,
    };
    if u16::from(part) >= all.min(fields) {
        return None;
    }
    let (field, lsb) = match part {
        0 => (item.field, item.lsb),
        1 => (Field::Vaddr1, item.aux[2]),
        2 => (Field::Vaddr2, item.aux[2] + REGISTER),
        3 => (Field::Vaddr3, item.aux[2] + 2 * REGISTER),
        _ => (Field::Vaddr4, item.aux[3]),
    };
    let dwords = if u16::from(part) == fields - 1 { all - u16::from(part) } else { 1 };
    Some(AddressPart { field, lsb, register: bits(inst, lsb, REGISTER) as u16, dwords })
}

pub(crate) fn image_address(item: &Item, inst: &Inst, part: u8) -> Option<Operand> {
    let AddressPart { field, register, dwords, .. } = image_address_part(item, inst, part)?;
    let value = Value::Reg(Reg::Vgpr(register as u8));
    Some(Operand { role: Some(field), value, bits: dwords * 32, access: Access::Read })
}

/// Refuses tuples that run past the last register, where other fields say how long they are.
#[cold]
pub(crate) fn sizes(inst: &Inst) -> Result<(), DecodeError> {
    let inside = |field, lsb, register: u16, dwords: u16| match is_inside(register, dwords) {
        true => Ok(()),
        false => Err(DecodeError::ReservedValue { field, value: register, lsb, width: REGISTER }),
    };
    let tables = OPERANDS[inst.target() as usize];
    let list = tables.list(inst.slot(), inst.form());
    for item in tables.rows_of(list).filter_map(|row| tables.item(row)) {
        match item.kind {
            Kind::AccSized => {
                // The field says more than the register's number.
                let (value, lsb, width) = (code_in(item, inst), item.lsb, item.width);
                if !is_inside(value % VGPR, matrix_dwords(item, inst)) {
                    return Err(DecodeError::ReservedValue { field: item.field, value: value - item.add, lsb, width });
                }
            }
            Kind::ImgAddr | Kind::ImgAddrGrad => {
                for part in (0..5).map_while(|part| image_address_part(item, inst, part)) {
                    inside(part.field, part.lsb, part.register, part.dwords)?;
                }
            }
            _ => {}
        }
    }
    Ok(())
}
