//! Where the fields of the formats lie.

use crate::{Field, Format};

pub(crate) struct LayoutTables {
    pub formats: &'static [Layout],
}

/// The bits of a microcode format; see [`Target::layouts`](crate::Target::layouts).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Layout {
    /// Its name.
    pub format: Format,
    /// Its size in bits: that of the base words, or 32 for a dword that stands behind others.
    pub bits: u8,
    /// It stands behind the words of another format.
    pub extension: bool,
    /// Its fields. The bits are counted from its own start.
    pub fields: &'static [FieldInfo],
    /// What can stand behind it.
    pub extends: &'static [Extension],
}

/// A dword that can stand behind the words of a format; see [`Layout::extends`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Extension {
    /// The field that announces it.
    pub field: Field,
    /// What that field holds then.
    pub code: u16,
    /// The format of the dword.
    pub format: Format,
}

/// Where a field lies in its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct FieldInfo {
    /// Its name.
    pub field: Field,
    /// Lowest bit of the low part of the value.
    pub lsb: u8,
    /// Width of the low part in bits.
    pub width: u8,
    /// Lowest bit of the high part of a split field, or 255.
    pub hi: u8,
    /// Width of the high part in bits.
    pub hi_width: u8,
    /// The value of bits that are always the same.
    pub fixed: Option<u16>,
    /// The field lies over others, which are its parts.
    pub overlay: bool,
    /// Which of `ABOUTS`: the strings are linked only where somebody asks for them.
    pub(crate) about: u16,
}

impl FieldInfo {
    /// What the table says of it.
    pub fn about(&self) -> &'static str {
        crate::target::generated::ABOUTS.get(usize::from(self.about)).copied().unwrap_or("")
    }
}
