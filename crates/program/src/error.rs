//! Reasons why code cannot be changed.

use alloc::boxed::Box;
use alloc::string::String;
use core::fmt;

use amdgpu_isa::patch::PatchError;
use amdgpu_object::ErrorKind;

/// The reason why code cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An instruction reads its own address, and bare code does not show how the address is used.
    ReadsAddress {
        /// The address of the instruction.
        address: u64,
    },
    /// An instruction reads its own address, and the code uses this address in a way that cannot be followed.
    UnknownAddress {
        /// The address of the instruction.
        address: u64,
    },
    /// A branch does not reach its target any more.
    Branch {
        /// The address of the branch.
        address: u64,
        /// The reason why the branch does not reach its target.
        reason: PatchError,
    },
    /// The second entry of a kernel, for hardware that has already read the arguments, would not be at the distance
    /// from the first entry that hardware expects.
    SecondEntry {
        /// The address of the kernel.
        address: u64,
    },
    /// A change is at an address where no instruction begins, as when code jumps into the middle of an instruction.
    JumpsIntoInstructions,
    /// A file that was linked to fixed addresses has no relocations, and has a number that may be a pointer to
    /// something that moves.
    Pointer {
        /// The address of the number, or of the instruction with this number.
        address: u64,
    },
    /// The relocation of a place that a linker fills in cannot be adapted to the change.
    Relocation {
        /// The address of the place.
        address: u64,
    },
    /// The reason concerns one section of an object for a linker. The addresses in `reason` are offsets in this
    /// section.
    InSection {
        /// The name of the section, with U+FFFD in place of bytes that are not UTF-8.
        section: String,
        /// The reason itself.
        reason: Box<Error>,
    },
    /// A section is of a type that this package does not read, and may hold addresses.
    UnknownSection {
        /// The name of the section, with U+FFFD in place of bytes that are not UTF-8.
        name: String,
        /// The type of the section, `sh_type`.
        kind: u32,
    },
    /// The file has no table of sections, so the parts that have to move with its code are not known.
    NoSections,
    /// The file is damaged.
    Damaged(ErrorKind),
    /// The file is an object for a linker, whose contents have no addresses yet: [`Placed`](crate::Placed) gives them
    /// addresses.
    Relocatable,
    /// The file has kernel descriptors among its code, as code objects of version 2 do.
    Version2,
    /// The layout of the file does not allow code to become longer or shorter.
    Layout,
}

impl Error {
    /// The error with another address in place of its own.
    pub(crate) fn at(self, other: impl FnOnce(u64) -> u64) -> Error {
        match self {
            Error::ReadsAddress { address } => Error::ReadsAddress { address: other(address) },
            Error::UnknownAddress { address } => Error::UnknownAddress { address: other(address) },
            Error::Branch { address, reason } => Error::Branch { address: other(address), reason },
            Error::SecondEntry { address } => Error::SecondEntry { address: other(address) },
            Error::Pointer { address } => Error::Pointer { address: other(address) },
            Error::Relocation { address } => Error::Relocation { address: other(address) },
            Error::JumpsIntoInstructions
            | Error::InSection { .. }
            | Error::UnknownSection { .. }
            | Error::NoSections
            | Error::Damaged(_)
            | Error::Relocatable
            | Error::Version2
            | Error::Layout => self,
        }
    }
}

impl From<ErrorKind> for Error {
    fn from(kind: ErrorKind) -> Error {
        Error::Damaged(kind)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::ReadsAddress { address } => {
                write!(f, "the code at {address:#x} reads its address, so bare code cannot be changed")
            }
            Error::UnknownAddress { address } => write!(
                f,
                "the code at {address:#x} reads its address and does something unknown with it, so no code can be moved"
            ),
            Error::Branch { address, reason } => write!(f, "the branch at {address:#x} cannot follow: {reason}"),
            Error::SecondEntry { address } => write!(
                f,
                "the kernel at {address:#x} has a second entry, which cannot stay at its distance from the first one"
            ),
            Error::JumpsIntoInstructions => f.write_str("code that jumps into its own instructions cannot be changed"),
            Error::Pointer { address } => write!(
                f,
                "the number at {address:#x} may be a pointer to something that moves, and a file at fixed addresses has no relocations: link it with -shared"
            ),
            Error::Relocation { address } => {
                write!(f, "the relocation of the place at {address:#x} cannot follow the code that moves")
            }
            Error::InSection { section, reason } => write!(f, "in section {section}, {reason}"),
            Error::UnknownSection { name, kind } => {
                write!(f, "section {name} is of the unknown type {kind:#x}: if it holds addresses, they cannot follow")
            }
            Error::NoSections => {
                f.write_str("the file has no table of sections, so what moves with its code is not known")
            }
            Error::Damaged(kind) => kind.fmt(f),
            Error::Relocatable => {
                f.write_str("an object for a linker has no addresses yet, which changes to its code need")
            }
            Error::Version2 => f.write_str("only code objects of version 3 and later can be changed"),
            Error::Layout => f.write_str("the layout of the file does not allow its code to change its length"),
        }
    }
}

impl core::error::Error for Error {}
