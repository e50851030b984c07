//! Addresses of memory and images, image data, and exports: operands that depend on other fields than their own.

use super::code::{AGPR, VGPR, coded, is_inside, neither, off};
use super::register::{matrix_dwords, put_code};
use super::{Coded, Refused, Words, bits, code_in, flag};
use crate::common::limits::{RAY, RAY_DUAL, RAY8};
use crate::common::{COORDINATES, GRADIENTS};
use crate::decode::MAX_DWORDS;
use crate::shared::{ADDRESS_RUN, image};
use crate::table::{NONE, OperandDesc, OperandType};
use crate::target::OPERANDS;
use crate::{Access, DecodeError, Field, Inst, Operand, Reg, Target, Value};

/// Bits of a scalar address, and of a vector register's number.
pub(crate) const SADDR: u8 = 7;
pub(crate) const REGISTER: u8 = 8;

pub(super) fn read(desc: &OperandDesc, inst: &Inst) -> Option<(Coded, u16)> {
    if desc.operand_type.is_image_address() {
        return None;
    }
    let code = code_in(desc, inst);
    let dwords = match desc.operand_type {
        _ if is_image_data(desc) => mimg_desc_dwords(desc, inst),
        OperandType::GlobalAddr => global_addr_dwords(bits(inst, desc.aux[0], SADDR) as u16 == off(inst.target())),
        OperandType::BufVaddr => {
            let [offen, idxen, addr64, _] = desc.aux;
            buf_vaddr_dwords([flag(inst, offen), flag(inst, idxen), flag(inst, addr64)])
        }
        OperandType::ExpSrc => 1,
        _ => desc.dwords.into(),
    };
    let coded = match desc.operand_type {
        OperandType::BufVaddr if dwords == 0 => return Some((Coded::Off, desc.dwords.into())),
        OperandType::ScratchAddr if !scratch_addr_used(desc, inst) => Coded::Off,
        OperandType::Saddr if is_off(code, inst.target()) => Coded::Off,
        OperandType::ExpSrc if !flag(inst, desc.aux[0]) => Coded::Off,
        OperandType::ExpSrc => {
            Coded::Code(VGPR + bits(inst, export_lsb(desc, flag(inst, desc.aux[1])), REGISTER) as u16)
        }
        _ if is_image_data(desc) && flag(inst, desc.aux[3]) => Coded::Code(code - VGPR + AGPR),
        _ => coded(inst, code),
    };
    Some((coded, dwords))
}

/// Of an image address it sets the first register: [`encode_image_address`] sets all.
pub(super) fn encode(desc: &OperandDesc, coded: Coded, words: &mut Words) -> Result<(), Refused> {
    let code = match (desc.operand_type, coded) {
        // Flags that are modifiers express this.
        (OperandType::BufVaddr, Coded::Off) => return Ok(()),
        (OperandType::ScratchAddr | OperandType::ExpSrc, Coded::Off) => {
            words.set(desc.aux[0], false);
            if scratch_saddr(desc, words) == Some(off(words.target)) {
                words.put(desc.aux[1], SADDR, neither(words.target).into());
            }
            return Ok(());
        }
        // The vector address has decided it.
        (OperandType::Saddr, Coded::Off) if is_off(code_of(desc, words), words.target) => return Ok(()),
        // Without a vector address either, a scratch operation has a code of its own.
        (OperandType::Saddr, Coded::Off) if desc.dwords == 1 && neither(words.target) != u16::MAX => {
            return put_code(desc, neither(words.target), words);
        }
        (OperandType::Saddr, Coded::Off) => return put_code(desc, off(words.target), words),
        // In other operands these codes have another meaning.
        (OperandType::Saddr, Coded::Code(code)) if is_off(code, words.target) => return Err(Refused::Operand),
        (_, Coded::Code(code)) => code,
        _ => return Err(Refused::Operand),
    };
    match desc.operand_type {
        OperandType::ScratchAddr => {
            words.set(desc.aux[0], true);
            if scratch_saddr(desc, words).is_some() {
                words.put(desc.aux[1], SADDR, off(words.target).into());
            }
        }
        OperandType::ExpSrc => return encode_export(desc, code, words),
        _ if is_image_data(desc) => {
            words.decide(desc.aux[3], code >= AGPR)?;
            return put_code(desc, if code >= AGPR { code - AGPR + VGPR } else { code }, words);
        }
        _ => {}
    }
    put_code(desc, code, words)
}

/// Whether it is image data, which a bit can turn into accumulation registers.
pub(crate) fn is_image_data(desc: &OperandDesc) -> bool {
    matches!(
        desc.operand_type,
        OperandType::MimgData | OperandType::MimgGather | OperandType::MimgAtomic | OperandType::MimgCmpswap
    )
}

/// Dwords of a global address: two without a scalar base, else one.
#[inline]
pub(crate) const fn global_addr_dwords(alone: bool) -> u16 {
    if alone { 2 } else { 1 }
}

/// Registers of a buffer address: index and offset take one each, a 64-bit address two.
#[inline]
pub(crate) const fn buf_vaddr_dwords([offen, idxen, addr64]: [bool; 3]) -> u16 {
    if addr64 { 2 } else { offen as u16 + idxen as u16 }
}

/// Whether a scratch address uses its VGPR: the bit sve decides; without that bit, the absence of a scalar address
/// does.
fn scratch_addr_used(desc: &OperandDesc, inst: &Inst) -> bool {
    match desc.aux[0] {
        NONE => bits(inst, desc.aux[1], SADDR) as u16 == off(inst.target()),
        sve => flag(inst, sve),
    }
}

/// The code in a scalar address's field.
fn code_of(desc: &OperandDesc, words: &Words) -> u16 {
    words.get(desc.lsb, SADDR) as u16
}

/// Whether a code says that there is no scalar address.
fn is_off(code: u16, target: Target) -> bool {
    code == off(target) || code == neither(target)
}

/// The code of the scalar address, where it also says whether there is a vector address.
fn scratch_saddr(desc: &OperandDesc, words: &Words) -> Option<u16> {
    let [sve, saddr, ..] = desc.aux;
    let there = desc.operand_type == OperandType::ScratchAddr && sve == NONE && neither(words.target) != u16::MAX;
    there.then(|| words.get(saddr, SADDR) as u16)
}

/// The lowest bit of an export source's register. Compressed sources share registers in pairs.
fn export_lsb(desc: &OperandDesc, compressed: bool) -> u8 {
    let n = export_number(desc);
    if compressed { desc.lsb - REGISTER * n + REGISTER * (n / 2) } else { desc.lsb }
}

/// The number of an export source.
fn export_number(desc: &OperandDesc) -> u8 {
    match desc.field {
        Field::Vsrc0 => 0,
        Field::Vsrc1 => 1,
        Field::Vsrc2 => 2,
        _ => 3,
    }
}

fn encode_export(desc: &OperandDesc, code: u16, words: &mut Words) -> Result<(), Refused> {
    let compressed = words.is_set(desc.aux[1]);
    let register = u32::from(code.checked_sub(VGPR).ok_or(Refused::Operand)?);
    let lsb = export_lsb(desc, compressed);
    // The enable bits of two sources that share a register are adjacent.
    let shared = compressed && export_number(desc) % 2 == 1 && words.is_set(desc.aux[0] - 1);
    if shared && words.get(lsb, REGISTER) != register || register >> REGISTER != 0 {
        return Err(Refused::Operand);
    }
    words.set(desc.aux[0], true);
    words.put(lsb, REGISTER, register);
    Ok(())
}

/// Registers of image data, for the kind of operation (`image::*`), its components and its flags.
pub(crate) const fn mimg_dwords(what: u8, dmask: u16, tfe: bool, d16: bool) -> u16 {
    let components = match (dmask & 15).count_ones() as u16 {
        _ if what & image::GATHER != 0 => 4,
        0 => 1,
        n => n,
    };
    let packed = if what & image::D16 != 0 && d16 { components.div_ceil(2) } else { components };
    let dwords = packed + tfe as u16;
    // Atomics take one or two components, or twice that with a comparison value; other masks mean the least of these.
    match dwords {
        4.. if what & image::ATOMIC != 0 => 1,
        1 if what & image::CMPSWAP != 0 => 2,
        n => n,
    }
}

pub(crate) fn mimg_desc_dwords(desc: &OperandDesc, inst: &Inst) -> u16 {
    let what = match desc.operand_type {
        OperandType::MimgGather => image::GATHER,
        OperandType::MimgAtomic => image::ATOMIC,
        OperandType::MimgCmpswap => image::CMPSWAP,
        _ => image::DATA,
    };
    let d16 = if inst.has_d16() { image::D16 } else { 0 };
    let dmask = bits(inst, desc.aux[0], 4) as u16;
    mimg_dwords(what | d16, dmask, flag(inst, desc.aux[1]), flag(inst, desc.aux[2]))
}

/// Components of an image address that a16 packs, two in a register, and registers that hold gradients.
const fn image_components(of: OperandType, dim: usize) -> (u16, u16) {
    use OperandType::*;
    const fn count(table: &[u8], dim: usize) -> u16 {
        if dim < table.len() { table[dim] as u16 } else { 0 }
    }
    let packed = match of {
        ImgLod => 1,
        ImgRay => RAY[0],
        ImgRayDual => RAY_DUAL[0],
        ImgRay8 => RAY8[0],
        ImgAddrLod | ImgGradLod | ImgGrad16Lod => count(&COORDINATES, dim) + 1,
        _ => count(&COORDINATES, dim),
    };
    let gradients = match of {
        ImgGrad | ImgGradLod => count(&GRADIENTS, dim),
        // Each of the two directions begins at a register.
        ImgGrad16 | ImgGrad16Lod => 2 * (count(&GRADIENTS, dim) / 2).div_ceil(2),
        _ => 0,
    };
    (packed, gradients)
}

/// Registers of an image address. `more`: components of the row in addition to coordinates and gradients. `run`: no
/// dword names further registers, so that more than 12 count as 16.
pub(crate) const fn img_dwords(of: OperandType, dim: usize, a16: bool, more: u8, run: bool) -> u16 {
    let (components, gradients) = image_components(of, dim);
    let packed = if a16 { components.div_ceil(2) } else { components };
    let dwords = packed + gradients + more as u16;
    if dwords > 12 && run { 16 } else { dwords }
}

/// Registers of an image address: coordinates (two per register with a16), gradients, and the row's additional
/// components.
pub(crate) fn image_address_dwords(desc: &OperandDesc, inst: &Inst) -> u16 {
    image_address_size(desc, bits(inst, desc.aux[0], 3) as usize, flag(inst, desc.aux[1]))
}

/// The same for a dimension, with or without a16.
pub(crate) fn image_address_size(desc: &OperandDesc, dim: usize, a16: bool) -> u16 {
    img_dwords(desc.operand_type, dim, a16, desc.dwords - 1, desc.aux[2] == NONE)
}

/// The most parts of an image address.
pub(crate) const ADDRESS_PARTS: u8 = ADDRESS_FIELDS.len() as u8;

/// The fields that name the registers of an image address, after the first.
const ADDRESS_FIELDS: [Field; 13] = [
    Field::Vaddr,
    Field::Vaddr1,
    Field::Vaddr2,
    Field::Vaddr3,
    Field::Vaddr4,
    Field::Vaddr5,
    Field::Vaddr6,
    Field::Vaddr7,
    Field::Vaddr8,
    Field::Vaddr9,
    Field::Vaddr10,
    Field::Vaddr11,
    Field::Vaddr12,
];

/// How many fields name the registers of an image address, and whether the last one starts a run of all that remain.
pub(crate) fn address_fields(desc: &OperandDesc) -> (u16, bool) {
    (u16::from(desc.used & !ADDRESS_RUN), desc.used & ADDRESS_RUN != 0)
}

/// The field of a part of an image address.
pub(crate) fn address_field(desc: &OperandDesc, part: u8) -> Field {
    let field = ADDRESS_FIELDS.get(usize::from(part)).copied().filter(|_| part > 0);
    field.unwrap_or(desc.field)
}

/// Whether the field names a part of an image address.
pub(crate) fn is_address_field(desc: &OperandDesc, field: Field) -> bool {
    desc.field == field || ADDRESS_FIELDS.contains(&field)
}

/// The lowest bit of that field. The fourth after the first can lie elsewhere.
pub(crate) fn address_lsb(desc: &OperandDesc, part: u8) -> u8 {
    match part {
        0 => desc.lsb,
        4 => desc.aux[3],
        _ => desc.aux[2] + REGISTER * (part - 1),
    }
}

/// Adds the fields that could name registers of an image address, but are not needed for it, to masks of each dword.
pub(crate) fn idle_addresses(inst: &Inst, masks: &mut [u32; MAX_DWORDS]) {
    let tables = OPERANDS[inst.target() as usize];
    let descs = tables.rows_of(tables.list_of(inst)).filter_map(|row| tables.desc(row));
    for desc in descs.filter(|desc| desc.operand_type.is_image_address()) {
        let fields = address_fields(&desc).0 as u8;
        for part in (0..fields).filter(|&part| image_address_part(&desc, inst, part).is_none()) {
            let lsb = address_lsb(&desc, part);
            if let Some(mask) = masks.get_mut(usize::from(lsb / 32)) {
                *mask |= ((1 << REGISTER) - 1) << (lsb % 32);
            }
        }
    }
}

/// A part of an image address: a field that names the first of a run of registers.
pub(crate) struct AddressPart {
    pub field: Field,
    pub lsb: u8,
    pub register: u16,
    pub dwords: u16,
}

/// Registers of a part of an image address that has `all` registers; `None` if the address needs no such part.
///
/// Without extra address fields, an image address is one run. Else each register has a field, and the last field may
/// name the start of all remaining registers. Where it does, the fields of a ray name the start of the node, the ray's
/// extent, and vectors.
pub(crate) fn address_part_dwords(desc: &OperandDesc, all: u16, part: u8) -> Option<u16> {
    part_dwords(desc.operand_type, desc.dwords - 1, desc.used, all, part)
}

/// The registers of each part of an address, without the number of components in front.
const fn groups([_, node, extent, origin, direction, offset]: [u16; 6]) -> [u16; 5] {
    [node, extent, origin, direction, offset]
}

/// The same for a type, the row's additional components, and `OperandDesc::used`.
pub(crate) const fn part_dwords(of: OperandType, more: u8, used: u8, all: u16, part: u8) -> Option<u16> {
    let (fields, run) = ((used & !ADDRESS_RUN) as u16, used & ADDRESS_RUN != 0);
    let groups = match of {
        // The node is what the row has besides extent and origin. With a16, the last two vectors share three registers.
        OperandType::ImgRay if run && fields > 1 => {
            let [_, extent, origin, a, b] = RAY;
            Some([(more as u16).saturating_sub(extent + origin), extent, origin, a, b])
        }
        OperandType::ImgRayDual => Some(groups(RAY_DUAL)),
        OperandType::ImgRay8 => Some(groups(RAY8)),
        _ => None,
    };
    if let Some(groups) = groups {
        let (mut before, mut n) = (0, 0);
        while n < groups.len() && n < part as usize {
            before += groups[n];
            n += 1;
        }
        return if n < groups.len() && before < all { Some(groups[n]) } else { None };
    }
    let part = part as u16;
    if part >= fields || part >= all {
        None
    } else if run && part + 1 == fields {
        Some(all - part)
    } else {
        Some(1)
    }
}

pub(crate) fn image_address_part(desc: &OperandDesc, inst: &Inst, part: u8) -> Option<AddressPart> {
    let dwords = address_part_dwords(desc, image_address_dwords(desc, inst), part)?;
    let lsb = address_lsb(desc, part);
    Some(AddressPart { field: address_field(desc, part), lsb, register: bits(inst, lsb, REGISTER) as u16, dwords })
}

pub(crate) fn image_address(desc: &OperandDesc, inst: &Inst, part: u8) -> Option<Operand> {
    let AddressPart { field, register, dwords, .. } = image_address_part(desc, inst, part)?;
    let value = Value::Reg(Reg::Vgpr(register));
    Some(Operand { role: Some(field), value, bits: dwords * 32, access: image_address_access(desc, part) })
}

/// How an operation accesses a part of its image address.
pub(crate) fn image_address_access(desc: &OperandDesc, part: u8) -> Access {
    // These return the origin and the direction of the ray where they read them.
    let returns = matches!(desc.operand_type, OperandType::ImgRayDual | OperandType::ImgRay8) && [2, 3].contains(&part);
    if returns { Access::ReadWrite } else { Access::Read }
}

/// The registers of an image address, one for each dword.
pub(crate) fn image_address_registers(desc: &OperandDesc, inst: &Inst) -> impl Iterator<Item = u8> + Clone {
    let [dim, a16, ..] = desc.aux;
    // A run of 13 to 15 registers reads 16, and this many of them are the address.
    let needed = img_dwords(desc.operand_type, bits(inst, dim, 3) as usize, flag(inst, a16), desc.dwords - 1, false);
    let parts = (0..ADDRESS_PARTS).map_while(|part| image_address_part(desc, inst, part));
    parts.flat_map(|part| (0..part.dwords).map(move |n| (part.register + n) as u8)).take(needed.into())
}

/// Encodes an image address of which each dword is in one of these registers.
pub(crate) fn encode_image_address(
    desc: &OperandDesc,
    mut registers: impl Iterator<Item = u8> + Clone,
    words: &mut Words,
) -> Result<(), Refused> {
    let all = registers.clone().count() as u16;
    for part in 0..ADDRESS_PARTS {
        let Some(dwords) = address_part_dwords(desc, all, part) else { break };
        let first = registers.next().ok_or(Refused::Operand)?;
        // A field names the first of a run.
        if !(1..dwords).all(|n| registers.next().map(u16::from) == Some(u16::from(first) + n)) {
            return Err(Refused::Operand);
        }
        words.put(address_lsb(desc, part), REGISTER, first.into());
    }
    if registers.next().is_some() { Err(Refused::Operand) } else { Ok(()) }
}

/// Refuses a tuple that runs past the last register, of an operand whose length depends on other fields.
#[cold]
pub(crate) fn size(inst: &Inst, desc: &OperandDesc) -> Result<(), DecodeError> {
    let inside = |field, lsb, register: u16, dwords: u16| match is_inside(register, dwords) {
        true => Ok(()),
        false => Err(DecodeError::ReservedValue { field, value: register, lsb, width: REGISTER }),
    };
    match desc.operand_type {
        OperandType::AccSized => {
            // The field has more bits than a register number.
            let (value, lsb, width) = (code_in(desc, inst), desc.lsb, desc.width);
            match is_inside(value % VGPR, matrix_dwords(desc, inst)) {
                true => Ok(()),
                false => Err(DecodeError::ReservedValue { field: desc.field, value: value - desc.add, lsb, width }),
            }
        }
        ty if ty.is_image_address() => {
            check_fields(desc, inst)?;
            let mut parts = (0..ADDRESS_PARTS).map_while(|part| image_address_part(desc, inst, part));
            parts.try_for_each(|part| inside(part.field, part.lsb, part.register, part.dwords))
        }
        _ => Ok(()),
    }
}

/// Whether the fields can name an address of so many registers. Not all dwords of a ray may be idle.
pub(crate) fn fits_its_fields(desc: &OperandDesc, all: u16) -> bool {
    /// Registers that a dword behind the base words names.
    const DWORD: u16 = 4;
    let (fields, run) = address_fields(desc);
    let idle = desc.operand_type == OperandType::ImgRay && fields >= all + DWORD;
    run || all <= fields && !idle
}

/// Refuses an address with more registers than fields that name them, and a ray with dwords that name none.
fn check_fields(desc: &OperandDesc, inst: &Inst) -> Result<(), DecodeError> {
    if fits_its_fields(desc, image_address_dwords(desc, inst)) {
        return Ok(());
    }
    let (lsb, width) = crate::decode::place(inst.target(), inst.format(), Field::Nsa).unwrap_or((0, 0));
    Err(DecodeError::ReservedValue { field: Field::Nsa, value: bits(inst, lsb, width) as u16, lsb, width })
}
