//! Finds the machine code of AMD GPUs in the bytes of a file: recognizes the container, and visits its contents.
//!
//! The files are code objects (ELF files for `amdgpu`, linked or not), clang's offload bundles, compressed or not,
//! offload binaries, archives, and host programs of Linux and Windows that hold any of these; [`scan`] finds code
//! objects and bundles anywhere in other files. [`visit`] gives each code object as an [`Image`]: sections with code,
//! symbols, kernel descriptors, relocations, and a map of addresses. The package needs an allocator, but no operating
//! system.
//!
//! No header is trusted. Offsets are checked against the existing bytes, parts of a container may not overlap (so that
//! a small file cannot name the same bytes a million times), and decompression stops at a limit for the whole file.
//! Damage to one part is reported, and does not hide the other parts.
//!
//! ```
//! use amdgpu_object::{Error, Part};
//!
//! /// The names of all kernels of a file, with their targets.
//! fn kernels(file: &[u8]) -> Result<Vec<String>, Error> {
//!     let mut all = Vec::new();
//!     amdgpu_object::visit(file, None, |part| {
//!         match part {
//!             Part::Image(image) => {
//!                 let target = image.target.as_ref().map_or("unknown".into(), |id| id.to_string());
//!                 all.extend(image.kernels().map(|kernel| format!("{} for {target}", kernel.name)));
//!             }
//!             Part::Damaged(error) => return Err(error),
//!             _ => {}
//!         }
//!         Ok(())
//!     })?;
//!     Ok(all)
//! }
//!
//! let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
//! assert!(kernels(file)?.contains(&"saxpy for gfx942".to_string()));
//! assert!(kernels(b"text").is_err());
//! # Ok::<(), Error>(())
//! ```
//!
//! # Features
//! `zlib` and `zstd`, both on by default, decompress bundles; `zstd` needs Rust 1.87.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

mod address_map;
mod archive;
mod bundle;
mod bundles;
mod code_object;
mod compressed;
mod decoding;
pub mod elf;
mod error;
mod functions;
mod host;
mod image;
mod kernel_code;
mod metadata;
mod name;
mod nesting;
mod notes;
mod offload;
mod pe;
pub mod relocation_kinds;
mod relocations;
mod replace;
mod scan;
mod symbols;
mod target_id;

pub use address_map::{AddressMap, Argument};
pub use bundles::unpack;
pub use decoding::{TargetError, decoding_target};
pub use error::{Container, ElfFault, ElfPart, Error, ErrorKind, Step};
pub use image::{Image, NewerVersion, Part, Relocation, Section, SkipReason, Symbol, SymbolKind};
pub use name::Name;
pub use replace::{CannotReplace, Refusal, replace, replace_all};
pub use target_id::{TargetId, TargetIdError, is_amdgpu};

use nesting::{Budget, Nesting};

/// A function that is called for each part, in the order of the file. Parts are given one by one, so that only one
/// decompressed bundle is in memory.
type Visitor<'v> = dyn FnMut(Part<'_>) -> Result<()> + 'v;

/// The reason why a visit ends early.
enum Stop {
    /// The part that is being read is damaged.
    Damage(Error),
    /// The visitor ended the visit; [`start`] keeps the visitor's own error.
    Visitor,
}

impl From<ErrorKind> for Stop {
    fn from(kind: ErrorKind) -> Stop {
        Stop::Damage(kind.into())
    }
}

type Result<T, E = Stop> = core::result::Result<T, E>;

/// The value of `e_machine` in ELF files for AMD GPUs.
pub const EM_AMDGPU: u16 = 224;

/// Visits all machine code in the bytes of a file, part by part.
///
/// All decompressed data together may have `max_decompressed` bytes. `None` stands for 64 MiB, plus 256 bytes for each
/// byte of the file.
///
/// # Errors
/// The damage to the file as a whole, or the error of `each`, which ends the visit. Damage to parts of the file is
/// given to `each`.
pub fn visit<E: From<Error>>(
    bytes: &[u8],
    max_decompressed: Option<u64>,
    each: impl FnMut(Part<'_>) -> core::result::Result<(), E>,
) -> core::result::Result<(), E> {
    start(bytes, max_decompressed, |bytes, nesting, each| visit_part(bytes, "", nesting, each), each)
}

/// Visits the code objects and bundles that begin anywhere in the bytes of a file of any kind, even in a place where
/// [`visit`] does not look. The label of an image contains the offset. Compressed data is searched only if it is a
/// compressed bundle. Code objects inside of another code object are not found.
///
/// ```
/// use amdgpu_object::{Error, Part, scan, visit};
///
/// let sample = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
/// let file = [b"a file of another kind", &sample[..], b"and its end", &sample[..]].concat();
/// assert!(visit(&file, None, |_| Ok::<(), Error>(())).is_err());
/// let mut found = Vec::new();
/// scan(&file, None, |part| {
///     if let Part::Image(image) = part {
///         found.push((image.offset, image.bytes.len()));
///     }
///     Ok::<(), Error>(())
/// })?;
/// assert_eq!(found, [(Some(22), sample.len()), (Some(33 + sample.len() as u64), sample.len())]);
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
/// The errors of [`visit`].
pub fn scan<E: From<Error>>(
    bytes: &[u8],
    max_decompressed: Option<u64>,
    each: impl FnMut(Part<'_>) -> core::result::Result<(), E>,
) -> core::result::Result<(), E> {
    start(bytes, max_decompressed, scan::visit, each)
}

/// Calls `read` for a file, and returns the damage or the visitor's own error.
fn start<E: From<Error>>(
    bytes: &[u8],
    max_decompressed: Option<u64>,
    read: impl FnOnce(&[u8], Nesting<'_>, &mut Visitor<'_>) -> Result<()>,
    mut each: impl FnMut(Part<'_>) -> core::result::Result<(), E>,
) -> core::result::Result<(), E> {
    let mut stopped = None;
    let mut each = |part: Part<'_>| {
        each(part).map_err(|error| {
            stopped = Some(error);
            Stop::Visitor
        })
    };
    let budget = Budget::new(bytes.len(), max_decompressed);
    let nesting = Nesting { depth: 0, base: 0, is_decompressed: false, path: None, outer: "", budget: &budget };
    let result = match bytes.is_empty() {
        true => Err(ErrorKind::Empty.into()),
        false => read(bytes, nesting, &mut each),
    };
    match (stopped, result) {
        (Some(error), _) => Err(error),
        (None, Err(Stop::Damage(error))) => Err(error.into()),
        (None, _) => Ok(()),
    }
}

fn visit_part(bytes: &[u8], label: &str, nesting: Nesting<'_>, each: &mut Visitor<'_>) -> Result<()> {
    if nesting.depth > Nesting::MAX_DEPTH {
        return Err(ErrorKind::TooDeep.into());
    }
    if elf::is_elf(bytes) {
        let file = elf::File::parse(bytes)?;
        match file.machine {
            EM_AMDGPU => code_object::visit(&file, label, nesting, each),
            _ => host::visit(&file, label, false, nesting, each),
        }
    } else if bundles::is_any(bytes) {
        bundles::visit(bytes, label, nesting, each)
    } else if pe::is_pe(bytes) {
        pe::visit(bytes, label, nesting, each)
    } else if archive::is_archive(bytes) {
        archive::visit(bytes, Nesting { outer: label, ..nesting }, each)
    } else if is_bitcode(bytes) {
        each(Part::Skipped { label, reason: SkipReason::Bitcode })
    } else {
        Err(ErrorKind::UnknownFormat.into())
    }
}

/// Whether the bytes are a container or a part of one.
fn is_known(bytes: &[u8]) -> bool {
    elf::is_elf(bytes) || bundles::is_any(bytes) || pe::is_pe(bytes) || archive::is_archive(bytes) || is_bitcode(bytes)
}

fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b")
}

/// Visits the images of an entry that states their target.
fn visit_as(
    entry: Option<TargetId>,
    each: &mut Visitor<'_>,
    visit: impl FnOnce(&mut Visitor<'_>) -> Result<()>,
) -> Result<()> {
    visit(&mut |part| {
        each(match part {
            Part::Image(image) => {
                let target = TargetId::merge(image.target, entry.clone());
                Part::Image(Image { target, ..image })
            }
            other => other,
        })
    })
}
