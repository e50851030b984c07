//! Image data and image addresses.

use super::{NONE, Position};

/// A kind of image data or image address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageKind {
    /// Image data. `data`, `dmask`, `tfe` and `d16` determine the number of registers, and `acc` the register file.
    Data { data: ImageData, dmask: Position, tfe: Position, d16: Position, acc: Position },
    /// An image address. `shape`, the dimension at `dim` and the bit `a16` determine the number of registers, to which
    /// `OperandDesc::dwords - 1` are added. The registers are one run, or each has a field: the first has the operand's
    /// own field, the fifth the one at `fifth`, the others those from `second` on.
    Address {
        shape: AddressShape,
        dim: Position,
        a16: Position,
        second: Position,
        fifth: Position,
        fields: AddressFields,
    },
}

/// A kind of operation, on which the number of registers of image data depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageData {
    /// Operations with one register for each component.
    Components,
    /// Operations with four components.
    Gather,
    Atomic,
    CompareAndSwap,
}

/// The parts of an image address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressShape {
    Coordinates,
    /// Coordinates, then a level of detail or a limit of it.
    CoordinatesLod,
    /// Gradients of 32 bits each, then the coordinates.
    Gradients,
    GradientsLod,
    /// Gradients of 16 bits each, then the coordinates.
    Gradients16,
    Gradients16Lod,
    /// A level of detail, without coordinates.
    Lod,
    /// A ray, whose two directions are six components that a16 packs.
    Ray,
    RayDual,
    Ray8,
}

/// The number of fields that can name registers of an image address, and whether the last one starts a run of all
/// remaining registers.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct AddressFields(u8);

impl AddressFields {
    const RUN: u8 = 1 << 7;

    pub const fn new(count: u8, is_run: bool) -> AddressFields {
        AddressFields(count | if is_run { AddressFields::RUN } else { 0 })
    }

    pub const fn count(self) -> u8 {
        self.0 & !AddressFields::RUN
    }

    /// Whether the last field starts a run of all remaining registers.
    pub const fn is_run(self) -> bool {
        self.0 & AddressFields::RUN != 0
    }
}

/// Writes the call that constructs the value, for generated tables.
impl core::fmt::Debug for AddressFields {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "AddressFields::new({}, {})", self.count(), self.is_run())
    }
}

impl ImageKind {
    /// The names of these kinds in `isa/operands.isa`.
    pub const NAMES: [(&'static str, ImageKind); 14] = [
        ("mimg_data", data_of(ImageData::Components)),
        ("mimg_gather", data_of(ImageData::Gather)),
        ("mimg_atomic", data_of(ImageData::Atomic)),
        ("mimg_cmpswap", data_of(ImageData::CompareAndSwap)),
        ("img_addr", address(AddressShape::Coordinates)),
        ("img_addr_lod", address(AddressShape::CoordinatesLod)),
        ("img_grad", address(AddressShape::Gradients)),
        ("img_grad_lod", address(AddressShape::GradientsLod)),
        ("img_grad16", address(AddressShape::Gradients16)),
        ("img_grad16_lod", address(AddressShape::Gradients16Lod)),
        ("img_lod", address(AddressShape::Lod)),
        ("img_ray", address(AddressShape::Ray)),
        ("img_ray_dual", address(AddressShape::RayDual)),
        ("img_ray8", address(AddressShape::Ray8)),
    ];

    pub(super) const fn at(self, [a, b, c, d]: [Position; 4]) -> ImageKind {
        match self {
            ImageKind::Data { data, .. } => ImageKind::Data { data, dmask: a, tfe: b, d16: c, acc: d },
            ImageKind::Address { shape, fields, .. } => {
                ImageKind::Address { shape, dim: a, a16: b, second: c, fifth: d, fields }
            }
        }
    }

    pub(super) const fn positions(self) -> [Position; 4] {
        match self {
            ImageKind::Data { dmask, tfe, d16, acc, .. } => [dmask, tfe, d16, acc],
            ImageKind::Address { dim, a16, second, fifth, .. } => [dim, a16, second, fifth],
        }
    }

    /// The kind without positions.
    pub(super) const fn bare(self) -> ImageKind {
        match self {
            ImageKind::Data { data, .. } => data_of(data),
            ImageKind::Address { shape, .. } => address(shape),
        }
    }
}

const fn data_of(data: ImageData) -> ImageKind {
    ImageKind::Data { data, dmask: NONE, tfe: NONE, d16: NONE, acc: NONE }
}

const fn address(shape: AddressShape) -> ImageKind {
    let fields = AddressFields::new(1, true);
    ImageKind::Address { shape, dim: NONE, a16: NONE, second: NONE, fifth: NONE, fields }
}
