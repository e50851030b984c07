//! Image addresses: a run of registers, or a list.

use super::modifiers::{AddressSize, ModifierSet};
use super::{BuildError, Code, Given, Vgpr};
use crate::code::{VGPR, is_inside};
use crate::codec::{REGISTER, img_dwords, part_dwords};
use crate::kind::{AddressFields, AddressShape, NONE};
use crate::opcode::Field;
use crate::value::Reg;

/// The address of an image operation on RDNA: consecutive registers, or a list of registers and runs.
///
/// The number of registers depends on the operation, its `dim` and `a16`. The lists differ between generations. On
/// RDNA1 and RDNA2, every register has a field of its own. From RDNA3 on there are four or five fields, and the last
/// one can name the first of all remaining registers. The fields of a ray name the start of the node, of the extent,
/// and of each vector.
///
/// ```
/// # #[cfg(feature = "gfx1100")] {
/// use amdgpu_isa::{gfx1100, make::*};
/// // image_bvh_intersect_ray v[4:7], [v9, v10, v[11:13], v[14:16], v[17:19]], s[4:7]
/// let ray = address(v::<1>(9)).and(v::<1>(10)).and(v::<3>(11)).and(v::<3>(14)).and(v::<3>(17));
/// let code = gfx1100::image_bvh_intersect_ray(v::<4>(4), ray, s(4));
/// assert_eq!(*code.words().unwrap(), [0xf064_8f81, 0x0001_0409, 0x110e_0b0a]);
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageAddress {
    /// The first register of each part.
    pub(crate) registers: [u8; ImageAddress::MAX],
    pub(crate) lengths: [u8; ImageAddress::MAX],
    /// Number of parts; greater than [`ImageAddress::MAX`] if there were too many.
    pub(crate) parts: u8,
}

impl ImageAddress {
    /// The greatest number of registers that need not be consecutive.
    pub const MAX: usize = 13;

    /// The address with one more register, or run of registers, at its end.
    pub const fn and<const N: usize>(mut self, next: Vgpr<N>) -> ImageAddress {
        if (self.parts as usize) < ImageAddress::MAX {
            self.registers[self.parts as usize] = (next.code % VGPR) as u8;
            self.lengths[self.parts as usize] = if N > u8::MAX as usize { u8::MAX } else { N as u8 };
        }
        self.parts = self.parts.saturating_add(1);
        self
    }

    /// Number of all registers.
    pub(crate) const fn dwords(&self) -> u16 {
        let (mut n, mut dwords) = (0, 0);
        while n < self.parts as usize && n < ImageAddress::MAX {
            dwords += self.lengths[n] as u16;
            n += 1;
        }
        dwords
    }
}

/// An image address in consecutive registers: `address(v::<3>(4))` is `v[4:6]`.
pub const fn address<const N: usize>(first: Vgpr<N>) -> ImageAddress {
    let none = [0; ImageAddress::MAX];
    ImageAddress { registers: none, lengths: none, parts: 0 }.and(first)
}

/// An image address in registers that need not be consecutive: `addresses([v(4), v(9)])` is `[v4, v9]`. Before
/// RDNA4, such an address needs more dwords than [`address`].
///
/// More than [`ImageAddress::MAX`] registers do not compile.
pub const fn addresses<const N: usize>(all: [Vgpr<1>; N]) -> ImageAddress {
    const { assert!(N >= 1 && N <= ImageAddress::MAX, "an image address has 1 to 13 registers") }
    let (mut list, mut n) = (address(all[0]), 1);
    while n < N {
        list = list.and(all[n]);
        n += 1;
    }
    list
}

/// The fields that name the registers of an image address.
pub(crate) struct AddressPlace {
    pub field: Field,
    pub of: AddressShape,
    pub lsb: u8,
    /// Number of components in addition to coordinates and gradients.
    pub more: u8,
    /// The fields of the base words, and the fields with as many further dwords as possible.
    pub fields: [AddressFields; 2],
    /// The position of the field with the number of dwords that name further registers, if such dwords can follow.
    pub nsa: u8,
    /// Positions of the second and the fifth register. The registers between them follow the second, and later ones
    /// follow the fifth.
    pub second: u8,
    pub fifth: u8,
    /// The greatest number of parts that the operation can have, if that is less than the number of fields.
    pub parts: u8,
    /// The number of vector registers that runs can reach.
    pub vgprs: u16,
}

impl AddressPlace {
    const fn lsb(&self, part: u8) -> u8 {
        match part {
            0 => self.lsb,
            4 => self.fifth,
            _ => self.second + REGISTER * (part - 1),
        }
    }
}

impl<M: ModifierSet> Code<M> {
    /// Encodes an image address. The number of its registers is checked when all modifiers are known.
    pub(crate) const fn image_address(mut self, at: &AddressPlace, address: ImageAddress) -> Self {
        let all = address.dwords();
        self.address = if all > u8::MAX as u16 { u8::MAX } else { all as u8 };
        let [base, most] = at.fields;
        let is_run = address.parts == 1;
        let fields = if is_run { base } else { most };
        let (mut n, mut before) = (0, 0);
        // A run of registers whose fields are separate has one part for each field.
        while let Some(dwords) = part_dwords(at.of, at.more, fields, all, n) {
            let part = if is_run { 0 } else { n as usize % ImageAddress::MAX };
            let (length, register) = (address.lengths[part] as u16, address.registers[part] as u16);
            let (dwords, register) = if is_run { (dwords, register + before) } else { (dwords, register) };
            if !is_run && (n >= address.parts || length != dwords) {
                let given = if n >= address.parts { 0 } else { length as u8 };
                return self.fail(BuildError::Width { field: at.field, dwords: dwords as u8, given });
            }
            if !is_inside(register % VGPR, dwords, at.vgprs) || register >= VGPR {
                let given = Given::Reg(Reg::Vgpr(register));
                return self.fail(BuildError::Registers { field: at.field, given, dwords: dwords as u8 });
            }
            if n >= at.parts {
                return self.fail(BuildError::Width { field: at.field, dwords: at.parts, given: self.address });
            }
            let lsb = at.lsb(n);
            // The fifth dword is stored separately.
            match u8::checked_sub(lsb, 4 * 32) {
                None => self = self.put(lsb, register as u64),
                Some(at) => self.last |= (register as u32) << at,
            }
            before += dwords;
            n += 1;
        }
        if !is_run && n != address.parts {
            return self.fail(BuildError::Width { field: at.field, dwords: n, given: address.parts });
        }
        if at.nsa != NONE && !is_run {
            let more = (address.parts - 1).div_ceil(4);
            self.dwords += more;
            self = self.put(at.nsa, more as u64);
        }
        self
    }

    /// Checks that an image address has as many registers as the operation, dim and a16 require.
    pub(crate) const fn image_address_size(self, size: &AddressSize) -> Self {
        let (dim, a16) = (self.bits >> size.dim & 7, size.a16 != NONE && self.bits >> size.a16 & 1 == 1);
        let run = self.dwords == 2;
        let dwords = img_dwords(size.of, dim as usize, a16, size.more, run) as u8;
        if self.address != dwords {
            return self.fail(BuildError::Width { field: size.field, dwords, given: self.address });
        }
        self
    }
}
