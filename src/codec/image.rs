//! Image data and image addresses, whose registers depend on other fields and on the operation.

use super::accept::{Accepted, InForm, Lengths};
use super::address::REGISTER;
use super::code::coded;
use super::register::{matrix_dwords, put_code};
use super::{EncodedOperand, Refused, Words, bits, code_in, flag};
use crate::code::{AGPR, VGPR, is_inside};
use crate::constraint::image::image_data_dwords;
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::kind::{AddressFields, AddressShape, ImageData, ImageKind, NONE, OperandKind, Position, RegisterKind};
use crate::opcode::limits::{RAY, RAY_DUAL, RAY8};
use crate::opcode::{COORDINATES, Field, GRADIENTS};
use crate::shared::image;
use crate::table::sizes::ANY_IMAGE_ADDRESS;
use crate::table::{MAX_DWORDS, OperandDesc};
use crate::target::OPERANDS;
use crate::value::{Access, Operand, Reg, Value};

/// Reads image data; `None` for image addresses, which are several operands.
pub(super) fn read(kind: ImageKind, desc: &OperandDesc, inst: &Inst) -> Option<(EncodedOperand, u16)> {
    let ImageKind::Data { data, dmask, tfe, d16, acc } = kind else { return None };
    let code = code_in(desc, inst);
    let coded = if flag(inst, acc) { EncodedOperand::Code(code - VGPR + AGPR) } else { coded(inst, code) };
    let what = image_data(data, inst.has_d16());
    Some((coded, image_data_dwords(what, bits(inst, dmask, 4) as u16, flag(inst, tfe), flag(inst, d16))))
}

/// Sets the field of image data, or the first register of an image address; [`Address::encode`] sets all registers.
pub(super) fn encode(
    kind: ImageKind,
    desc: &OperandDesc,
    coded: EncodedOperand,
    words: &mut Words,
) -> Result<(), Refused> {
    let EncodedOperand::Code(code) = coded else { return Err(Refused::Operand) };
    match kind {
        ImageKind::Data { acc, .. } => {
            words.decide(acc, code >= AGPR)?;
            put_code(desc, if code >= AGPR { code - AGPR + VGPR } else { code }, words)
        }
        ImageKind::Address { .. } => put_code(desc, code, words),
    }
}

/// Adds the registers that part `part` of the operand accepts. `dwords` is the part's least length.
pub(super) fn accept(kind: ImageKind, form: &InForm<'_>, (part, dwords): (u8, u16), add: &mut impl FnMut(Accepted)) {
    let begins = |code: &u16| is_inside(code - VGPR, dwords, form.target.vgprs());
    let registers = (VGPR..AGPR).filter(begins);
    match kind {
        ImageKind::Data { acc, .. } => registers.for_each(|code| form.vector(code, acc, add)),
        ImageKind::Address { .. } => {
            // An operation can demand that a field in the first three dwords is zero.
            let lsb = Address::of(form.desc).map_or(NONE, |address| address.lsb(part));
            let possible = |code: &u16| {
                lsb >= 96 || (0..REGISTER).all(|bit| form.can_be(lsb + bit, (code - VGPR) >> bit & 1 == 1))
            };
            registers.filter(possible).for_each(|code| add(Accepted::Code(code)));
        }
    }
}

/// The lengths that part `part` of the operand can have, and whether it can be absent; `None` if there is no such part.
pub(super) fn lengths(kind: ImageKind, form: &InForm<'_>, part: u8) -> Option<(Lengths, bool)> {
    let (mut lengths, mut is_optional) = ((u16::MAX, 0), false);
    let mut add = |dwords: u16| lengths = (lengths.0.min(dwords), lengths.1.max(dwords));
    match kind {
        ImageKind::Data { .. } if part > 0 => return None,
        ImageKind::Data { data, tfe: at_tfe, d16: at_d16, .. } => {
            let what = image_data(data, form.probe.has_d16());
            for n in 0..64u16 {
                let (dmask, tfe, d16) = (n & 15, n & 16 != 0, n & 32 != 0);
                if form.can_be(at_tfe, tfe) && form.can_be(at_d16, d16) {
                    add(image_data_dwords(what, dmask, tfe, d16));
                }
            }
        }
        ImageKind::Address { .. } => {
            let address = Address::of(form.desc).filter(|address| part < address.fields.count())?;
            for n in 0..16 {
                let (dim, a16) = (n & 7, n & 8 != 0);
                let all = address.size(dim, a16);
                if form.can_be(address.a16, a16) && address.fits_its_fields(all) {
                    match address.part_dwords(all, part) {
                        Some(dwords) => add(dwords),
                        None => is_optional = true,
                    }
                }
            }
        }
    }
    (lengths.1 > 0).then_some((lengths, is_optional))
}

/// The kind of operation, as one of the constants in `image`.
pub(crate) const fn image_data(data: ImageData, packs_d16: bool) -> u8 {
    let what = match data {
        ImageData::Components => image::DATA,
        ImageData::Gather => image::GATHER,
        ImageData::Atomic => image::ATOMIC,
        ImageData::CompareAndSwap => image::CMPSWAP,
    };
    what | if packs_d16 { image::D16 } else { 0 }
}

/// The number of address components that a16 packs, two in a register, and the number of registers with gradients.
const fn image_components(shape: AddressShape, dim: usize) -> (u16, u16) {
    const fn count(table: &[u8], dim: usize) -> u16 {
        if dim < table.len() { table[dim] as u16 } else { 0 }
    }
    let coordinates = count(&COORDINATES, dim);
    let packed = match shape {
        AddressShape::Coordinates | AddressShape::Gradients | AddressShape::Gradients16 => coordinates,
        AddressShape::CoordinatesLod | AddressShape::GradientsLod | AddressShape::Gradients16Lod => coordinates + 1,
        AddressShape::Lod => 1,
        AddressShape::Ray => RAY[0],
        AddressShape::RayDual => RAY_DUAL[0],
        AddressShape::Ray8 => RAY8[0],
    };
    let gradients = match shape {
        AddressShape::Gradients | AddressShape::GradientsLod => count(&GRADIENTS, dim),
        // The gradients of each of the two directions begin at a new register.
        AddressShape::Gradients16 | AddressShape::Gradients16Lod => 2 * (count(&GRADIENTS, dim) / 2).div_ceil(2),
        AddressShape::Coordinates
        | AddressShape::CoordinatesLod
        | AddressShape::Lod
        | AddressShape::Ray
        | AddressShape::RayDual
        | AddressShape::Ray8 => 0,
    };
    (packed, gradients)
}

/// The number of registers of an image address. `more`: the components besides coordinates and gradients. `run`:
/// whether the registers are one run, in which more than 12 count as 16.
pub(crate) const fn img_dwords(shape: AddressShape, dim: usize, a16: bool, more: u8, run: bool) -> u16 {
    let (components, gradients) = image_components(shape, dim);
    let packed = if a16 { components.div_ceil(2) } else { components };
    let dwords = packed + gradients + more as u16;
    if dwords > 12 && run { 16 } else { dwords }
}

/// An image address: its descriptor, and the contents of the descriptor's kind.
#[derive(Clone, Copy)]
pub(crate) struct Address<'d> {
    pub desc: &'d OperandDesc,
    pub shape: AddressShape,
    pub dim: Position,
    pub a16: Position,
    second: Position,
    fifth: Position,
    pub fields: AddressFields,
}

impl<'d> Address<'d> {
    /// The image address of a descriptor; `None` for other kinds of operands.
    pub fn of(desc: &'d OperandDesc) -> Option<Address<'d>> {
        match desc.kind {
            // The code for image addresses is left out if no enabled target has them.
            OperandKind::Image(ImageKind::Address { shape, dim, a16, second, fifth, fields }) if ANY_IMAGE_ADDRESS => {
                Some(Address { desc, shape, dim, a16, second, fifth, fields })
            }
            _ => None,
        }
    }

    /// The number of components besides coordinates and gradients.
    fn more(&self) -> u8 {
        self.desc.dwords - 1
    }

    /// The number of registers of the address in an instruction: coordinates (two per register with a16), gradients,
    /// and the further components.
    pub fn dwords(&self, inst: &Inst) -> u16 {
        self.size(bits(inst, self.dim, 3) as usize, flag(inst, self.a16))
    }

    /// The number of registers of the address for a dimension, with or without a16.
    pub fn size(&self, dim: usize, a16: bool) -> u16 {
        img_dwords(self.shape, dim, a16, self.more(), self.second == NONE)
    }

    /// The field of a part.
    pub fn field(&self, part: u8) -> Field {
        let field = ADDRESS_FIELDS.get(usize::from(part)).copied().filter(|_| part > 0);
        field.unwrap_or(self.desc.field)
    }

    /// Whether the field names a part of an image address.
    pub fn is_field(&self, field: Field) -> bool {
        self.desc.field == field || ADDRESS_FIELDS.contains(&field)
    }

    /// The lowest bit of the field of a part. The field of part 4 has a position of its own.
    pub fn lsb(&self, part: u8) -> Position {
        match part {
            0 => self.desc.lsb,
            4 => self.fifth,
            _ => self.second + REGISTER * (part - 1),
        }
    }

    /// The number of registers of a part of an address that has `all` registers; `None` if the address does not need
    /// the part.
    ///
    /// Without extra address fields, an image address is one run. Otherwise each register has a field, except that
    /// in some formats the last field names the start of all remaining registers. In these formats, the fields of a ray
    /// name the start of the node, of the extent, and of each vector.
    pub fn part_dwords(&self, all: u16, part: u8) -> Option<u16> {
        part_dwords(self.shape, self.more(), self.fields, all, part)
    }

    /// A part of the address in an instruction; `None` if the address does not need the part.
    pub fn part(&self, inst: &Inst, part: u8) -> Option<AddressPart> {
        let dwords = self.part_dwords(self.dwords(inst), part)?;
        let lsb = self.lsb(part);
        Some(AddressPart { field: self.field(part), lsb, register: bits(inst, lsb, REGISTER) as u16, dwords })
    }

    /// The parts of the address in an instruction.
    pub fn parts(self, inst: &Inst) -> impl Iterator<Item = AddressPart> + Clone {
        (0..ADDRESS_PARTS).map_while(move |part| self.part(inst, part))
    }

    /// A part of the address as an operand; `None` if the address does not need the part.
    pub fn operand(&self, inst: &Inst, part: u8) -> Option<Operand> {
        let AddressPart { field, register, dwords, .. } = self.part(inst, part)?;
        let value = Value::Reg(Reg::Vgpr(register));
        Some(Operand { role: Some(field), value, bits: dwords * 32, access: self.access(part) })
    }

    /// The access of the operation to a part of the address.
    pub fn access(&self, part: u8) -> Access {
        // Operations of these shapes return the origin and the direction of the ray in the registers from which they
        // read them.
        let returns = matches!(self.shape, AddressShape::RayDual | AddressShape::Ray8) && [2, 3].contains(&part);
        if returns { Access::ReadWrite } else { Access::Read }
    }

    /// The registers of the address in an instruction, one for each dword. A run can extend beyond v255.
    pub fn registers(self, inst: &Inst) -> impl Iterator<Item = u16> + Clone {
        // A run of 13 to 15 registers is encoded as 16; only the first `needed` are the address.
        let needed = img_dwords(self.shape, bits(inst, self.dim, 3) as usize, flag(inst, self.a16), self.more(), false);
        self.parts(inst).flat_map(|part| (0..part.dwords).map(move |n| part.register + n)).take(needed.into())
    }

    /// Encodes an address with one dword in each of these registers.
    pub fn encode(&self, mut registers: impl Iterator<Item = u16> + Clone, words: &mut Words) -> Result<(), Refused> {
        let all = registers.clone().count() as u16;
        for part in 0..ADDRESS_PARTS {
            let Some(dwords) = self.part_dwords(all, part) else { break };
            let first = registers.next().ok_or(Refused::Operand)?;
            // A field names the first register of a run.
            if first >= 1 << REGISTER || !(1..dwords).all(|n| registers.next() == Some(first + n)) {
                return Err(Refused::Operand);
            }
            words.put(self.lsb(part), REGISTER, first.into());
        }
        if registers.next().is_some() { Err(Refused::Operand) } else { Ok(()) }
    }

    /// Whether the fields can name an address of `all` registers. A ray must use at least one field of each dword.
    pub fn fits_its_fields(&self, all: u16) -> bool {
        /// The number of registers that a dword after the base words names.
        const DWORD: u16 = 4;
        let fields = u16::from(self.fields.count());
        let idle = self.shape == AddressShape::Ray && fields >= all + DWORD;
        self.fields.is_run() || all <= fields && !idle
    }

    /// Refuses an address with more registers than fields, and a ray with dwords whose fields name no register.
    fn check_fields(&self, inst: &Inst) -> Result<(), DecodeError> {
        if self.fits_its_fields(self.dwords(inst)) {
            return Ok(());
        }
        let (lsb, width) = crate::constraint::place(inst.target(), inst.format(), Field::Nsa).unwrap_or((0, 0));
        Err(DecodeError::ReservedValue { field: Field::Nsa, value: bits(inst, lsb, width) as u16, lsb, width })
    }
}

/// The greatest number of parts of an image address.
pub(crate) const ADDRESS_PARTS: u8 = ADDRESS_FIELDS.len() as u8;

/// The fields that name the parts of an image address. The first part may have another field.
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

/// Adds to the masks of each dword the fields that could name registers of an image address, but are not needed for it.
pub(crate) fn idle_addresses(inst: &Inst, masks: &mut [u32; MAX_DWORDS]) {
    let tables = OPERANDS[inst.target() as usize];
    let descs = tables.rows_of(tables.list_of(inst)).filter_map(|row| tables.desc(row));
    for desc in descs {
        let Some(address) = Address::of(&desc) else { continue };
        for part in (0..address.fields.count()).filter(|&part| address.part(inst, part).is_none()) {
            let lsb = address.lsb(part);
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

/// The number of registers of each part of a ray's address: the argument without its first entry, which is the number
/// of components.
const fn groups([_, node, extent, origin, direction, offset]: [u16; 6]) -> [u16; 5] {
    [node, extent, origin, direction, offset]
}

/// The same as [`Address::part_dwords`], but a constant function, which constructors call. `more`: the components
/// besides coordinates and gradients.
pub(crate) const fn part_dwords(
    shape: AddressShape,
    more: u8,
    fields: AddressFields,
    all: u16,
    part: u8,
) -> Option<u16> {
    let (fields, run) = (fields.count() as u16, fields.is_run());
    let groups = match shape {
        // The node has the remaining components of `more`, after those of extent and origin. With a16, the last two
        // vectors share three registers.
        AddressShape::Ray if run && fields > 1 => {
            let [_, extent, origin, a, b] = RAY;
            Some([(more as u16).saturating_sub(extent + origin), extent, origin, a, b])
        }
        AddressShape::RayDual => Some(groups(RAY_DUAL)),
        AddressShape::Ray8 => Some(groups(RAY8)),
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

/// Refuses an operand whose length depends on other fields if it runs past the last register, or if its fields cannot
/// name it.
#[cold]
pub(crate) fn check_length(inst: &Inst, desc: &OperandDesc) -> Result<(), DecodeError> {
    let vgprs = inst.target().vgprs();
    if let OperandKind::Register(RegisterKind::Matrix { format, format_high, .. }) = desc.kind {
        // The field has more bits than a register number.
        let (value, lsb, width) = (code_in(desc, inst), desc.lsb, desc.width);
        return match is_inside(value % VGPR, matrix_dwords([format, format_high], desc, inst), vgprs) {
            true => Ok(()),
            false => Err(DecodeError::ReservedValue { field: desc.field, value: value - desc.add, lsb, width }),
        };
    }
    let Some(address) = Address::of(desc) else { return Ok(()) };
    address.check_fields(inst)?;
    address.parts(inst).try_for_each(|AddressPart { field, lsb, register, dwords }| {
        match is_inside(register, dwords, vgprs) {
            true => Ok(()),
            false => Err(DecodeError::ReservedValue { field, value: register, lsb, width: REGISTER }),
        }
    })
}
