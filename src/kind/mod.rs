//! Operand kinds: how the bits of an operand or of a modifier are read, and which other bits change how they are read.
//! The library and the generator in `build/` share this file; `isa/operands.isa` names the kind of each operand type in
//! its column `as`.
//!
//! A kind belongs to a group, and each group has a file that reads, encodes and describes its operands:
//!
//! | group | file | kinds |
//! |---|---|---|
//! | [`RegisterKind`] | `codec/register.rs` | register files, sources, destinations |
//! | [`AddressKind`] | `codec/address.rs` | addresses of memory, sources of exports |
//! | [`ImageKind`] | `codec/image.rs` | image data and image addresses |
//! | [`OffsetKind`] | `codec/offset.rs` | offsets of scalar memory |
//! | [`NumberKind`] | `codec/number.rs` | constants in a field, literals |
//! | [`ModifierKind`] | `codec/modifier.rs` | modifiers |

mod address;
mod image;
mod modifier;
mod names;
mod number;
mod offset;
mod register;

pub use address::AddressKind;
pub use image::{AddressFields, AddressShape, ImageData, ImageKind};
pub use modifier::{ListStyle, ModifierKind};
pub use names::{ModifierList, NumberList};
pub use number::{Notation, NumberKind, PartsKind};
pub use offset::OffsetKind;
pub use register::{RegisterKind, Signs};

/// The position of a bit, or of the lowest bit of a field, counted from the first bit of the words; [`NONE`] if the
/// form lacks it.
pub type Position = u8;

/// A missing position.
pub const NONE: Position = 0xff;

/// The kind of an operand or a modifier, which determines how its bits are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OperandKind {
    Register(RegisterKind),
    Address(AddressKind),
    Image(ImageKind),
    Offset(OffsetKind),
    Number(NumberKind),
    Modifier(ModifierKind),
    /// The mark between the two operations of a dual instruction.
    Second,
}

impl OperandKind {
    /// A plain operand code.
    pub const CODE: OperandKind = OperandKind::Register(RegisterKind::CODE);

    /// The kind with a name in `isa/operands.isa`, without the positions of other bits.
    pub fn named(name: &str) -> Option<OperandKind> {
        OperandKind::names().find(|(known, _)| *known == name).map(|(_, kind)| kind)
    }

    /// The name of the kind in `isa/operands.isa`, for any positions.
    pub fn name(self) -> Option<&'static str> {
        OperandKind::names().find(|(_, known)| known.bare() == self.bare()).map(|(name, _)| name)
    }

    fn names() -> impl Iterator<Item = (&'static str, OperandKind)> {
        let registers = RegisterKind::NAMES.into_iter().map(|(name, kind)| (name, OperandKind::Register(kind)));
        let addresses = AddressKind::NAMES.into_iter().map(|(name, kind)| (name, OperandKind::Address(kind)));
        let images = ImageKind::NAMES.into_iter().map(|(name, kind)| (name, OperandKind::Image(kind)));
        let offsets = OffsetKind::NAMES.into_iter().map(|(name, kind)| (name, OperandKind::Offset(kind)));
        let numbers = NumberKind::NAMES.into_iter().map(|(name, kind)| (name, OperandKind::Number(kind)));
        let modifiers = ModifierKind::NAMES.into_iter().map(|(name, kind)| (name, OperandKind::Modifier(kind)));
        registers.chain(addresses).chain(images).chain(offsets).chain(numbers).chain(modifiers)
    }

    /// The kind with these positions, in the order of the column `uses` of `isa/operands.isa`. `own` is the lowest bit
    /// of the operand's own field.
    pub const fn at(self, positions: [Position; 4], own: Position) -> OperandKind {
        match self {
            OperandKind::Register(kind) => OperandKind::Register(kind.at(positions)),
            OperandKind::Address(kind) => OperandKind::Address(kind.at(positions, own)),
            OperandKind::Image(kind) => OperandKind::Image(kind.at(positions)),
            OperandKind::Offset(kind) => OperandKind::Offset(kind.at(positions)),
            OperandKind::Number(kind) => OperandKind::Number(kind.at(positions)),
            OperandKind::Modifier(kind) => OperandKind::Modifier(kind.at(positions)),
            OperandKind::Second => self,
        }
    }

    /// The positions of other bits that change how the operand is read.
    pub const fn positions(self) -> [Position; 4] {
        match self {
            OperandKind::Register(kind) => kind.positions(),
            OperandKind::Address(kind) => kind.positions(),
            OperandKind::Image(kind) => kind.positions(),
            OperandKind::Offset(kind) => kind.positions(),
            OperandKind::Number(kind) => kind.positions(),
            OperandKind::Modifier(kind) => kind.positions(),
            OperandKind::Second => [NONE; 4],
        }
    }

    /// The kind without positions, which is the same on all targets.
    pub const fn bare(self) -> OperandKind {
        match self.with_signs(Signs::ABSENT) {
            OperandKind::Image(kind) => OperandKind::Image(kind.bare()),
            kind => kind.at([NONE; 4], NONE),
        }
    }

    /// The sign bits of a source that has them: negation, absolute value, sign extension.
    pub const fn signs(self) -> Option<Signs> {
        if let OperandKind::Register(kind) = self { kind.signs() } else { None }
    }

    /// The kind with other sign bits if it is that of a source; otherwise the same kind.
    pub const fn with_signs(self, signs: Signs) -> OperandKind {
        if let OperandKind::Register(kind) = self { OperandKind::Register(kind.with_signs(signs)) } else { self }
    }

    /// Whether the operand is one half of a vector register.
    pub const fn is_half(self) -> bool {
        matches!(self, OperandKind::Register(kind) if kind.is_half())
    }

    /// The bit that turns a vector register into an accumulation register.
    pub const fn acc(self) -> Position {
        match self {
            OperandKind::Register(kind) => kind.acc(),
            OperandKind::Image(ImageKind::Data { acc, .. }) => acc,
            _ => NONE,
        }
    }

    /// Whether the operand is VCC, or can be.
    pub const fn is_vcc(self) -> bool {
        matches!(self, OperandKind::Register(kind) if kind.is_vcc())
    }

    /// Whether the operand is VCC, without a field, unless a bit is set.
    pub const fn is_named_or_vcc(self) -> bool {
        matches!(self, OperandKind::Register(RegisterKind::NamedOrVcc { .. }))
    }

    /// Whether the operand is a scalar address.
    pub const fn is_scalar_address(self) -> bool {
        matches!(self, OperandKind::Address(AddressKind::Scalar { .. }))
    }

    /// Whether the operand is an image address, which can be several operands.
    pub const fn is_image_address(self) -> bool {
        matches!(self, OperandKind::Image(ImageKind::Address { .. }))
    }

    /// The parts of an image address; `Coordinates` for other kinds.
    pub const fn shape(self) -> AddressShape {
        match self {
            OperandKind::Image(ImageKind::Address { shape, .. }) => shape,
            _ => AddressShape::Coordinates,
        }
    }

    /// The kind with another shape if it is that of an image address; otherwise the same kind.
    pub const fn with_shape(self, shape: AddressShape) -> OperandKind {
        match self {
            OperandKind::Image(ImageKind::Address { dim, a16, second, fifth, fields, .. }) => {
                OperandKind::Image(ImageKind::Address { shape, dim, a16, second, fifth, fields })
            }
            _ => self,
        }
    }

    /// Whether the operand is an offset that always adds a constant and a register.
    pub const fn is_sum(self) -> bool {
        matches!(self, OperandKind::Offset(OffsetKind::Sum { .. }))
    }

    /// Whether the operand is an offset in dwords, which a literal can hold.
    pub const fn is_in_dwords(self) -> bool {
        matches!(self, OperandKind::Offset(OffsetKind::Dwords { .. }))
    }

    /// Whether one descriptor can be read as several operands.
    pub const fn has_parts(self) -> bool {
        match self {
            OperandKind::Offset(kind) => !matches!(kind, OffsetKind::Dwords { .. }),
            _ => self.is_image_address(),
        }
    }

    /// The kind of a constant that has parts.
    pub const fn parts(self) -> Option<PartsKind> {
        if let OperandKind::Number(NumberKind::Parts(kind)) = self { Some(kind) } else { None }
    }

    /// Whether the value is the number in the field.
    pub const fn is_number(self) -> bool {
        matches!(self, OperandKind::Number(kind) if kind.is_field())
    }

    /// Whether other fields determine the number of registers, and `check_length` in codec/image.rs checks it.
    pub const fn is_sized(self) -> bool {
        match self {
            OperandKind::Register(kind) => kind.is_sized(),
            _ => self.is_image_address(),
        }
    }
}

const fn one(at: Position) -> [Position; 4] {
    [at, NONE, NONE, NONE]
}
