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

/// Why code is not repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// Nothing that could be inserted in front of an instruction gives it what it needs.
    Helpless,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Helpless => f.write_str("no instruction helps that could be inserted"),
        }
    }
}

impl core::error::Error for Error {}
