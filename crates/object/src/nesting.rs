//! The place of a part in a file, and the budget that is left for reading the file.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;

use crate::error::{Container, ElfFault, ElfPart, Error, ErrorKind, Step};
use crate::{Part, Result, Stop, Visitor};

/// The default limit on decompressed bytes for a number of compressed bytes. The limit applies to a single bundle, so
/// that the bundle fits in memory, and to all bundles of a file together, so that a chain of bundles ends. Real bundles
/// grow five- to twentyfold (many similar targets); files made to fill the memory, or to keep a reader busy, grow more.
pub fn usual_limit(compressed: usize) -> u64 {
    const FLOOR: u64 = 64 << 20;
    const PER_BYTE: u64 = 256;
    (compressed as u64).saturating_mul(PER_BYTE).saturating_add(FLOOR)
}

/// The number of bytes to which compressed bundles may still decompress.
pub struct Budget {
    limit: u64,
    left: Cell<u64>,
    /// Whether the default limit applies, because the caller has set none.
    is_usual: bool,
}

impl Budget {
    /// The budget for a file of `len` bytes.
    pub fn new(len: usize, max_decompressed: Option<u64>) -> Budget {
        let limit = max_decompressed.unwrap_or(usual_limit(len));
        Budget { limit, left: Cell::new(limit), is_usual: max_decompressed.is_none() }
    }

    /// Subtracts the decompressed size that a bundle's header states, in bytes, from the budget. Called before
    /// decompression, which makes at most one byte more than stated. `compressed` is the size of the bundle in bytes.
    pub fn spend(&self, bytes: u64, compressed: usize) -> Result<(), ErrorKind> {
        let most = usual_limit(compressed);
        if self.is_usual && bytes > most {
            return Err(ErrorKind::TooMuch { limit: most });
        }
        self.left.set(self.left.get().checked_sub(bytes).ok_or(ErrorKind::TooMuch { limit: self.limit })?);
        Ok(())
    }
}

/// The number of bytes that the names of an ELF file may still have together, which limits the time for reading them: a
/// damaged table can make every name as long as the file.
pub struct NameBudget(usize);

impl NameBudget {
    /// The length of the longest name in bytes. Longer names exist only in files made to waste time.
    const MAX_NAME: usize = 64 * 1024;

    pub fn of(file: &[u8]) -> Self {
        NameBudget(file.len().saturating_mul(4))
    }

    /// Subtracts the name's length from the budget. Returns the name, or its beginning if it is too long.
    pub fn spend<'a>(&mut self, name: &'a [u8]) -> Result<&'a [u8], ErrorKind> {
        let left = self.0.checked_sub(name.len());
        self.0 = left.ok_or(ErrorKind::elf(ElfPart::File, ElfFault::NamesTooLong))?;
        Ok(name.get(..Self::MAX_NAME).unwrap_or(name))
    }
}

/// The containers of a part, from the inside out.
pub struct Path<'a> {
    outer: Option<&'a Path<'a>>,
    step: Step,
}

/// The place of a part in the file.
#[derive(Clone, Copy)]
pub struct Nesting<'a> {
    pub depth: u8,
    /// The offset of the part in the file, or in the decompressed data.
    pub base: u64,
    pub is_decompressed: bool,
    /// The containers of the part, for errors.
    pub path: Option<&'a Path<'a>>,
    /// The label of the archive member, or of the place in a scanned file, that contains the part; empty if there is
    /// none.
    pub outer: &'a str,
    pub budget: &'a Budget,
}

impl<'a> Nesting<'a> {
    /// The greatest depth of a part that is read. The deepest nesting of real files is archive -> host object ->
    /// section -> compressed bundle -> bundle -> code object.
    pub const MAX_DEPTH: u8 = 7;

    /// The path of a container that begins at byte `at` of this part.
    pub fn path(self, container: Container, at: usize) -> Path<'a> {
        let step = Step { container, offset: self.offset(at), is_decompressed: self.is_decompressed };
        Path { outer: self.path, step }
    }

    /// The place of a part that begins at byte `at` of this part.
    pub fn inside<'b>(self, at: usize, path: &'b Path<'b>) -> Nesting<'b>
    where
        'a: 'b,
    {
        Nesting { depth: self.depth + 1, base: self.offset(at), path: Some(path), ..self }
    }

    /// The offset of a byte of the part in the file, or in the decompressed data.
    pub fn offset(self, at: usize) -> u64 {
        self.base.saturating_add(at as u64)
    }

    /// The label of an entry.
    pub fn label(self, id: &str) -> String {
        if self.outer.is_empty() { id.into() } else { format!("{}: {id}", self.outer) }
    }

    /// The containers of the part, from the outside in.
    fn steps(self) -> Vec<Step> {
        let inwards = core::iter::successors(self.path, |path| path.outer);
        let mut steps: Vec<Step> = inwards.map(|path| path.step.clone()).collect();
        steps.reverse();
        steps
    }

    /// Reports damage to the part.
    pub fn report(self, error: impl Into<Error>, each: &mut Visitor<'_>) -> Result<()> {
        each(Part::Damaged(error.into().within(self.steps())))
    }

    /// Reports damage, so that other parts are still visited. Only a stop by the visitor is returned as an error.
    pub fn contain(self, result: Result<()>, each: &mut Visitor<'_>) -> Result<()> {
        match result {
            Err(Stop::Damage(error)) => self.report(error, each),
            other => other,
        }
    }
}
