//! Operands that other fields than their own have a say in, and what items have in common.

use super::{Access, Operand, Reg, Value};
use crate::shared::image;
use crate::table::{Item, Kind, NONE, OperandTables};
use crate::target::OPERANDS;
use crate::target::generated::ANY_WIDE;
use crate::{DecodeError, Field, InlineFloat, Inst, Special};

/// The raw value of an item's field.
#[inline]
pub(crate) fn value(item: &Item, inst: &Inst) -> u32 {
    let low = bits(inst, item.lsb, item.lo_width);
    if item.hi == NONE { low } else { low | bits(inst, item.hi, item.width - item.lo_width) << item.lo_width }
}

/// Bits of the words; `lsb` counts from the start of the instruction.
#[inline]
pub(crate) fn bits(inst: &Inst, lsb: u8, width: u8) -> u32 {
    let all = if ANY_WIDE && lsb >= 64 { inst.high_bits() } else { inst.bits() };
    ((all >> (lsb & 63)) & ((1u64 << width) - 1)) as u32
}

/// One bit of the words; a position of `NONE` is 0.
#[inline]
pub(crate) fn flag(inst: &Inst, bit: u8) -> bool {
    bit != NONE && bits(inst, bit, 1) == 1
}

/// The operand code of an item: what its value means as a source or destination.
#[inline]
pub(crate) fn code(item: &Item, inst: &Inst) -> u16 {
    ((value(item, inst) as u16) << item.shift) + item.add
}

/// Reads an item as an operand; `None` for modifiers, and for operands that this instruction leaves out.
pub(crate) fn read(t: &OperandTables, item: &Item, inst: &Inst) -> Option<Operand> {
    let mut access = item.access.unwrap_or(Access::Read);
    if item.cond != NONE && item.kind != Kind::SdwaSrc {
        match (flag(inst, item.cond), access) {
            (true, Access::Read) => access = Access::ReadWrite,
            (false, Access::Write) => return None,
            _ => {}
        }
    }
    let mut dwords = u16::from(item.dwords);
    let of_code = |code: u16, dwords: u16| register_or_constant(t, code, dwords, inst);
    let value = match item.kind {
        Kind::Code => of_code(code(item, inst), dwords),
        Kind::Agpr => Value::Reg(Reg::Agpr(code(item, inst) as u8)),
        Kind::AgprOrConst => match code(item, inst) {
            c @ 256.. => Value::Reg(Reg::Agpr(c as u8)),
            c => of_code(c, dwords),
        },
        Kind::Acc => match code(item, inst) {
            c @ 256.. if flag(inst, item.aux[0]) => Value::Reg(Reg::Agpr(c as u8)),
            c => of_code(c, dwords),
        },
        Kind::AccSized => {
            dwords = matrix_dwords(item, inst);
            let code = code(item, inst);
            if flag(inst, item.aux[0]) { Value::Reg(Reg::Agpr(code as u8)) } else { of_code(code, dwords) }
        }
        Kind::BufData if flag(inst, item.aux[1]) && inst.has_lds() => return None,
        Kind::BufData => {
            dwords += u16::from(tfe(item, inst));
            match flag(inst, item.aux[0]) {
                true => Value::Reg(Reg::Agpr(code(item, inst) as u8)),
                false => of_code(code(item, inst), dwords),
            }
        }
        Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap => {
            dwords = mimg_item_dwords(item, inst);
            match flag(inst, item.aux[3]) {
                true => Value::Reg(Reg::Agpr(code(item, inst) as u8)),
                false => of_code(code(item, inst), dwords),
            }
        }
        Kind::ExpSrc => match exp_source(item, inst) {
            Some(code) => of_code(code, 1),
            None => Value::Off,
        },
        Kind::SmrdOffset => match smrd_offset(item, inst) {
            SmemOffset::Reg(code) => of_code(code, 1),
            SmemOffset::Imm(n) | SmemOffset::Both(_, n) => Value::Imm(n),
        },
        Kind::SdwaSrc => of_code(sdwa_code(item, inst), dwords),
        Kind::Half | Kind::HalfSel => match half(item, inst) {
            (code @ 256.., true) => Value::Reg(Reg::VgprHigh(code as u8)),
            (code, _) => of_code(code, 1),
        },
        Kind::Vdsty => of_code(vdsty(item, inst), dwords),
        Kind::SdstOrVcc if flag(inst, sd_bit(item)) => of_code(code(item, inst), dwords),
        Kind::SdstOrVcc | Kind::Vcc => Value::Reg(Reg::Vcc),
        Kind::BufVaddr => match buf_vaddr_dwords(item, inst) {
            0 => Value::Off,
            n => {
                dwords = n;
                of_code(code(item, inst), n)
            }
        },
        Kind::GlobalAddr => {
            dwords = global_addr_dwords(item, inst);
            of_code(code(item, inst), dwords)
        }
        Kind::ScratchAddr if scratch_addr_used(item, inst) => of_code(code(item, inst), dwords),
        Kind::ScratchAddr => Value::Off,
        Kind::Saddr => match code(item, inst) {
            127 => Value::Off,
            c => of_code(c, dwords),
        },
        Kind::SmemOffset => match smem_offset(item, inst) {
            SmemOffset::Imm(n) | SmemOffset::Both(_, n) => Value::Imm(n),
            SmemOffset::Reg(code) => of_code(code, 1),
        },
        Kind::Literal => Value::Literal(inst.words().last().copied().unwrap_or(0)),
        Kind::Label => Value::Label(value(item, inst) as u16 as i16),
        kind if kind.is_number() && item.access.is_some() => Value::Imm(value(item, inst) as i32),
        _ => return None,
    };
    let bits = match value {
        Value::Imm(_) | Value::Label(_) => u16::from(item.width),
        _ if matches!(item.kind, Kind::Half | Kind::HalfSel) => 16,
        _ => dwords * 32,
    };
    let role = match (item.kind, value) {
        (Kind::SmemOffset, Value::Reg(_)) if flag(inst, item.aux[1]) => Field::Soffset,
        _ => item.field,
    };
    Some(Operand { role: Some(role), value, bits, access })
}

/// The code of an SDWA source: a VGPR, or a scalar if the flag is set.
#[inline]
pub(crate) fn sdwa_code(item: &Item, inst: &Inst) -> u16 {
    let low = value(item, inst) as u16;
    // Without the flag (before gfx9) a source is always a VGPR.
    if flag(inst, item.cond) { low } else { low | 256 }
}

#[inline]
pub(crate) fn sd_bit(item: &Item) -> u8 {
    item.aux[0]
}

/// Dwords of a global address: 64 bits when there is no scalar base.
#[inline]
pub(crate) fn global_addr_dwords(item: &Item, inst: &Inst) -> u16 {
    if bits(inst, item.aux[0], 7) == 127 { 2 } else { 1 }
}

/// Registers of a buffer address: index and offset each take one, a 64-bit address two.
#[inline]
pub(crate) fn buf_vaddr_dwords(item: &Item, inst: &Inst) -> u16 {
    if flag(inst, item.aux[2]) {
        return 2;
    }
    u16::from(flag(inst, item.aux[0])) + u16::from(flag(inst, item.aux[1]))
}

/// A scratch address VGPR is used when sve says so; without that bit, when there is no scalar address.
#[inline]
pub(crate) fn scratch_addr_used(item: &Item, inst: &Inst) -> bool {
    if item.aux[0] == NONE { bits(inst, item.aux[1], 7) == 127 } else { flag(inst, item.aux[0]) }
}

/// One register more for the fail status.
#[inline]
pub(crate) fn tfe(item: &Item, inst: &Inst) -> bool {
    flag(inst, item.aux[2])
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

/// The truth table of `v_bitop3`, which lies in the bits of modifiers that have no meaning for it.
#[cfg(feature = "text")]
pub(crate) fn bitop3(item: &Item, inst: &Inst) -> u32 {
    value(item, inst) << 6 | bits(inst, item.aux[0], 3) << 3 | bits(inst, item.aux[1], 3)
}

/// Registers of a matrix by the format of its elements: of 8 bits, 6 or 4. LLVM takes the numbers without a meaning for 8.
pub(crate) fn matrix_dwords(item: &Item, inst: &Inst) -> u16 {
    match bits(inst, item.aux[1], 3) {
        2 | 3 => 6,
        4 => 4,
        _ => 8,
    }
}

/// The register that holds a half, or a scalar, and whether it is the upper half.
pub(crate) fn half(item: &Item, inst: &Inst) -> (u16, bool) {
    let code = code(item, inst);
    match item.kind {
        Kind::Half if code >= 256 => (code & !128, code & 128 != 0),
        Kind::Half => (code, false),
        _ => (code, flag(inst, item.aux[3])),
    }
}

/// The second of two destinations: it is odd where the first one is even.
pub(crate) fn vdsty(item: &Item, inst: &Inst) -> u16 {
    let odd = u16::from(!flag(inst, item.aux[0]));
    item.add + (value(item, inst) as u16) * 2 + odd
}

/// Registers of an image address: coordinates, two in a register with a16, gradients, and what else the row has.
pub(crate) fn image_address_dwords(item: &Item, inst: &Inst) -> u16 {
    // By `dim`: 1D, 2D, 3D, cube, arrays of 1D and 2D, multisampled 2D and its array.
    const COORDINATES: [u8; 8] = [1, 2, 3, 3, 2, 3, 3, 4];
    const GRADIENTS: [u8; 8] = [2, 4, 6, 4, 2, 4, 4, 4];
    let dim = bits(inst, item.aux[0], 3) as usize % 8;
    let coordinates = u16::from(COORDINATES[dim]);
    let packed = if flag(inst, item.aux[1]) { coordinates.div_ceil(2) } else { coordinates };
    let gradients = if item.kind == Kind::ImgAddrGrad { u16::from(GRADIENTS[dim]) } else { 0 };
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
        2 => (Field::Vaddr2, item.aux[2] + 8),
        3 => (Field::Vaddr3, item.aux[2] + 16),
        _ => (Field::Vaddr4, item.aux[3]),
    };
    let dwords = if u16::from(part) == fields - 1 { all - u16::from(part) } else { 1 };
    Some(AddressPart { field, lsb, register: bits(inst, lsb, 8) as u16, dwords })
}

pub(super) fn image_address(item: &Item, inst: &Inst, part: u8) -> Option<Operand> {
    let AddressPart { field, register, dwords, .. } = image_address_part(item, inst, part)?;
    let value = Value::Reg(Reg::Vgpr(register as u8));
    Some(Operand { role: Some(field), value, bits: dwords * 32, access: Access::Read })
}

/// Refuses tuples that run past the last register, where other fields say how long they are.
#[cold]
pub(crate) fn sizes(inst: &Inst) -> Result<(), DecodeError> {
    let inside = |field, lsb, register: u16, dwords: u16| match register + dwords > 256 {
        true => Err(DecodeError::ReservedValue { field, value: register, lsb, width: 8 }),
        false => Ok(()),
    };
    let tables = OPERANDS[inst.target() as usize];
    let list = tables.list(inst.slot(), inst.form());
    for item in tables.rows_of(list).filter_map(|row| tables.item(row)) {
        match item.kind {
            Kind::AccSized => {
                inside(item.field, item.lsb, code(item, inst) & 255, matrix_dwords(item, inst))?;
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

/// The register of an export source, if it is enabled. Compressed sources share registers by twos.
pub(crate) fn exp_source(item: &Item, inst: &Inst) -> Option<u16> {
    if !flag(inst, item.aux[0]) {
        return None;
    }
    let n = match item.field {
        Field::Vsrc0 => 0,
        Field::Vsrc1 => 1,
        Field::Vsrc2 => 2,
        _ => 3,
    };
    let at = if flag(inst, item.aux[1]) { n / 2 } else { n };
    Some(256 + bits(inst, item.lsb - 8 * n + 8 * at, 8) as u16)
}

/// GCN 1.0 and 1.1: a constant, an SGPR, or (255) a literal.
pub(crate) fn smrd_offset(item: &Item, inst: &Inst) -> SmemOffset {
    match (flag(inst, item.aux[0]), value(item, inst)) {
        (true, n) => SmemOffset::Imm(n as i32),
        (false, code) => SmemOffset::Reg(code as u16),
    }
}

/// What the offset of a scalar memory instruction is.
pub(crate) enum SmemOffset {
    Imm(i32),
    Reg(u16),
    Both(u16, i32),
}

pub(crate) fn smem_offset(item: &Item, inst: &Inst) -> SmemOffset {
    let (imm, soffset_en) = (flag(inst, item.aux[0]), flag(inst, item.aux[1]));
    let signed = |v: u32| (v << (32 - item.width)) as i32 >> (32 - item.width);
    // The offset is signed where a second register can be added to it (gfx9 and later).
    let offset = if item.aux[1] == NONE { value(item, inst) as i32 } else { signed(value(item, inst)) };
    let soffset = if item.aux[2] == NONE { 0 } else { bits(inst, item.aux[2], 7) as u16 };
    match (imm, soffset_en) {
        (true, true) => SmemOffset::Both(soffset, offset),
        (true, false) => SmemOffset::Imm(offset),
        (false, true) => SmemOffset::Reg(soffset),
        (false, false) => SmemOffset::Reg(value(item, inst) as u16 & 0x7f),
    }
}

/// What an operand code means. Scalar tuples begin at the aligned register, as the hardware reads them.
#[inline(never)]
pub(super) fn register_or_constant(t: &OperandTables, code: u16, dwords: u16, inst: &Inst) -> Value {
    let align = |n: u16| (n & !(dwords.next_power_of_two().min(4) - 1)) as u8;
    match code {
        256.. => Value::Reg(Reg::Vgpr(code as u8)),
        255 => Value::Literal(inst.words().last().copied().unwrap_or(0)),
        240..=248 => Value::Float(InlineFloat::of(code)),
        128..=192 => Value::Int((code - 128) as i8),
        193..=208 => Value::Int(-((code - 192) as i8)),
        _ if code <= t.sgpr_last => Value::Reg(Reg::Sgpr(align(code))),
        _ if code >= t.ttmp_first && code <= t.ttmp_last => Value::Reg(Reg::Ttmp(align(code - t.ttmp_first))),
        // No instruction has a code that is nothing.
        _ => Special::of(inst.target(), code).map_or(Value::Off, |special| Value::Reg(Reg::Special(special))),
    }
}
