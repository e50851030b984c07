//! Repair of machine code along its control flow: which waits and distances are missing ([`plan::fix`]), which are
//! superfluous ([`plan::trim`]), and where all that comes to be that is changed ([`edits::Edits`]). Needs an allocator, and nothing else.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

pub mod edits;
pub mod mend;
pub mod plan;

use core::fmt;

use amdgpu_isa::patch::PatchError;

/// Why code is not repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Nothing that could be inserted in front of an instruction gives it what it needs.
    Helpless,
    /// The instruction at this address reads its own address, and bare code does not say what becomes of it.
    ReadsAddress {
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
    /// A change is in the middle of an instruction, because code jumps there.
    JumpsIntoInstructions,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Helpless => f.write_str("no instruction helps that could be inserted"),
            Error::ReadsAddress { address } => {
                write!(f, "the code at {address:#x} reads its address, so bare code cannot be changed")
            }
            Error::Branch { address, reason } => write!(f, "the branch at {address:#x} cannot follow: {reason}"),
            Error::JumpsIntoInstructions => f.write_str("code that jumps into its own instructions cannot be changed"),
        }
    }
}

impl core::error::Error for Error {}
