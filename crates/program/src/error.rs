//! Reasons for not changing code.

use core::fmt;

use amdgpu_isa::patch::PatchError;
use amdgpu_object::ErrorKind;

/// The reason why code is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The instruction at this address reads its own address, and bare code does not show how the address is used.
    ReadsAddress {
        /// The address of the instruction.
        address: u64,
    },
    /// The instruction at this address reads its own address, and the code does something with it that cannot be
    /// followed.
    UnknownAddress {
        /// The address of the instruction.
        address: u64,
    },
    /// The branch at this address does not reach its target any more.
    Branch {
        /// The address of the branch.
        address: u64,
        /// The reason.
        reason: PatchError,
    },
    /// The kernel at this address begins in two places, for hardware that has read its arguments and for hardware that
    /// has not, and the second one would not be at the distance that hardware expects.
    SecondEntry {
        /// The address of the kernel.
        address: u64,
    },
    /// A change is in the middle of an instruction, because code jumps there.
    JumpsIntoInstructions,
    /// The file is damaged.
    Damaged(ErrorKind),
    /// The file is a relocatable object, whose contents have no addresses yet.
    Relocatable,
    /// The file has descriptors among its code, as version 2 has them.
    Version2,
    /// The file has several sections of code.
    ManySections,
    /// The layout of the file does not allow code to become longer or shorter.
    Layout,
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
                "the kernel at {address:#x} begins in a second place once its arguments are read, which cannot stay where it has to be"
            ),
            Error::JumpsIntoInstructions => f.write_str("code that jumps into its own instructions cannot be changed"),
            Error::Damaged(kind) => kind.fmt(f),
            Error::Relocatable => {
                f.write_str("only a code object for a loader can be changed, not an object for a linker")
            }
            Error::Version2 => f.write_str("only code objects of version 3 and later can be changed"),
            Error::ManySections => f.write_str("a code object with several sections of code cannot be changed"),
            Error::Layout => f.write_str("the parts of the file lie so that its code cannot change its length"),
        }
    }
}

impl core::error::Error for Error {}
