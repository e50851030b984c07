//! Code objects of AMD GPUs as sources, from which `amdgpu-asm` makes the same files again.
//!
//! A [`Source`] has labels at the places to which branches, pointers and addresses that code makes lead. So it can be
//! edited: the labels move with the code. Kernels have directives, metadata is a document, and the symbols keep the
//! order of their table. If the assembler would not make the same bytes of an instruction's text, the line has the
//! bytes as numbers, and the text as a comment.
//!
//! ```
//! use amdgpu_asm::Options;
//! use amdgpu_source::Source;
//!
//! let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
//! let source = Source::new(file)?;
//! let text = source.to_string();
//! assert!(text.contains("\ts_load_dwordx2 s[4:5], s[0:1], 0x10\n"));
//!
//! let mut options = Options::default();
//! options.sorted_names = source.has_sorted_names();
//! let again = amdgpu_asm::assemble("saxpy.s", &text, &options).unwrap();
//! assert_eq!(again.to_code_object(source.is_stripped()).unwrap(), file);
//! # Ok::<(), amdgpu_source::Error>(())
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod code;
mod code_object;
mod data;
mod elf;
mod error;
mod lacking;
mod relative;
mod symbols;

use std::fmt;

pub use error::Error;

use code_object::{CodeObject, Section};

/// The source of a code object, or of an object for a linker. `Display` writes all of it.
pub struct Source<'a> {
    object: CodeObject<'a>,
    sections: Vec<Section<'a>>,
}

impl<'a> Source<'a> {
    /// Reads a file: one code object, not in a container.
    ///
    /// # Errors
    /// The file is not a code object, is damaged, or has no source: see [`Error`].
    pub fn new(file: &'a [u8]) -> Result<Source<'a>, Error> {
        let mut object = CodeObject::new(file)?;
        let sections = object.sections()?;
        object.find_kernels(&sections);
        object.find_addresses(&sections);
        Ok(Source { object, sections })
    }

    /// Whether the file lacks the table of symbols that no loader reads: the argument `strip` of
    /// `Assembly::to_code_object` in `amdgpu-asm`. The text of a stripped file has a comment about it.
    pub fn is_stripped(&self) -> bool {
        self.object.is_stripped()
    }

    /// Whether the names in a linked file are sorted: the setting `Options::sorted_names` of `amdgpu-asm`. The text of
    /// a file with sorted names has a comment about it.
    pub fn has_sorted_names(&self) -> bool {
        self.object.has_sorted_names()
    }

    /// The text in parts: first the text before the sections, then the text of each section. Only one part is in memory
    /// at a time.
    pub fn parts(&self) -> impl Iterator<Item = String> + use<'_, 'a> {
        let mut filler = self.object.filler();
        let sections = self.sections.iter().map(move |section| self.object.part(section, &mut filler));
        std::iter::once(self.object.begin(&self.sections)).chain(sections)
    }
}

impl fmt::Display for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().try_for_each(|part| f.write_str(&part))
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("target", &self.object.target()).finish_non_exhaustive()
    }
}
