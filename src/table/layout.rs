//! The positions of the fields of the formats.

use crate::opcode::{Field, Format};

pub(crate) struct LayoutTables {
    /// The number of each format in `formats`, from 1; 0 if the target lacks it.
    pub numbers: [u8; Format::ALL.len()],
    pub formats: &'static [Layout],
    /// For each of `formats`, the number of the last field with each name, from 1; 0 if there is none.
    #[cfg(feature = "fast")]
    pub places: &'static [[u8; Field::ALL.len()]],
}

impl LayoutTables {
    /// The index of a format in `formats`.
    #[inline]
    pub fn place(&self, format: Format) -> Option<usize> {
        usize::from(*self.numbers.get(format as usize)?).checked_sub(1)
    }

    /// The layout of a format.
    #[inline]
    pub fn of(&self, format: Format) -> Option<&'static Layout> {
        self.formats.get(self.place(format)?)
    }

    /// The last field with this name in the format at an index of `formats`.
    #[cfg(feature = "fast")]
    #[inline]
    pub fn field(&self, place: usize, field: Field) -> Option<&'static FieldInfo> {
        let number = *self.places.get(place)?.get(field as usize)?;
        self.formats.get(place)?.fields.get(usize::from(number).checked_sub(1)?)
    }

    #[cfg(not(feature = "fast"))]
    pub fn field(&self, place: usize, field: Field) -> Option<&'static FieldInfo> {
        self.formats.get(place)?.fields.iter().rfind(|info| info.field == field)
    }
}

/// The bits of a microcode format; see [`Target::layouts`](crate::Target::layouts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Layout {
    /// The name of the format.
    pub format: Format,
    /// Size in bits: of the base words, or 32 for a trailing dword.
    pub bits: u8,
    /// Whether this is a trailing dword, which follows the words of another format.
    pub extension: bool,
    /// Index in `ABOUTS`, like `about` in [`FieldInfo`].
    pub(crate) source: u16,
    /// The fields of the format, whose bit numbers count from its start.
    pub fields: &'static [FieldInfo],
    /// The dwords that can follow the words of this format.
    pub extends: &'static [Extension],
}

/// A dword that can follow the words of a format; see [`Layout::extends`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Extension {
    /// The field that announces the dword.
    pub field: Field,
    /// The value of that field when the dword follows.
    pub code: u16,
    /// The format of the dword.
    pub format: Format,
}

/// The bits of a field in its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FieldInfo {
    /// The name of the field.
    pub field: Field,
    /// Lowest bit of the low part of the value.
    pub lsb: u8,
    /// Width of the low part in bits.
    pub width: u8,
    /// Lowest bit of the high part of a split field, or 255.
    pub hi: u8,
    /// Width of the high part in bits.
    pub hi_width: u8,
    /// The value, if it is the same in all instructions of the format.
    pub fixed: Option<u16>,
    /// Whether the field combines other fields and shares its bits with them.
    pub overlay: bool,
    /// Index in `ABOUTS`. A program that never asks for the strings does not link them.
    pub(crate) about: u16,
}
