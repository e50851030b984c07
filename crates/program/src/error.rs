//! Why code is not changed.

use core::fmt;

use amdgpu_isa::patch::PatchError;
use amdgpu_object::ErrorKind;

/// Why code is not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The instruction at this address reads its own address, and bare code does not say what becomes of it.
    ReadsAddress {
        /// Where the instruction is.
        address: u64,
    },
    /// The instruction at this address reads its own address, and code makes something of it that cannot be followed.
    UnknownAddress {
        /// Where the instruction is.
        address: u64,
    },
    /// The branch at this address does not reach its target any more.
    Branch {
        /// Where the branch was.
        address: u64,
        /// Why it cannot.
        reason: PatchError,
    },
    /// The kernel at this address begins in two places, for hardware that has read its arguments and for hardware that has not, and
    /// the second comes to be elsewhere than hardware takes it to be.
    SecondEntry {
        /// The address of the kernel.
        address: u64,
    },
    /// A change is in the middle of an instruction, because code jumps there.
    JumpsIntoInstructions,
    /// The file is damaged.
    Damaged(ErrorKind),
    /// The file is for a linker: what is in it has no addresses yet.
    Relocatable,
    /// The file has descriptors among its code, as version 2 has them.
    Version2,
    /// The file has several sections of code, and one of the first changes.
    ManySections,
    /// Parts of the file lie so that code cannot become longer or shorter.
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
