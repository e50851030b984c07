//! Descriptions and sources of formats and fields.

use super::generated::ABOUTS;
use super::layout::{FieldInfo, Layout};

impl Layout {
    /// The place of the format in the target's manual: the tables of its fields and operations. If no manual is known
    /// to describe the format, the result is the source of the facts.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Format, Target};
    /// let layouts = Target::Gfx942.layouts();
    /// let sop2 = layouts.iter().find(|layout| layout.format == Format::Sop2).unwrap();
    /// assert_eq!(sop2.source(), "CDNA3 ISA 13.1.1, tables 64 and 65");
    /// # }
    /// ```
    pub fn source(&self) -> &'static str {
        text(self.source)
    }
}

impl FieldInfo {
    /// A short description of the field.
    pub fn about(&self) -> &'static str {
        text(self.about)
    }
}

fn text(index: u16) -> &'static str {
    ABOUTS.get(usize::from(index)).copied().unwrap_or("")
}
