//! Checks and repairs of AMD GPU machine code along its control flow.
//!
//! [`check`] finds waits and distances between instructions that are missing, kernel descriptors that provide too
//! little, and superfluous instructions. Each is a [`Finding`](check::Finding) with the instruction, the one that it
//! depends on, the path between them, and the instructions to insert. [`rules`] lists the rules, and a [`baseline`]
//! holds findings that are known. [`repair`] plans changes that make code clean or shorter, and makes a code object
//! with them, which is proved to be the same program. Checks and repairs take code as `amdgpu-object` finds it in
//! files. The package needs an allocator, but not `std`.
//!
//! ```
//! use amdgpu_isa::Target;
//! use amdgpu_lint::check::{self, Severity, What};
//! use amdgpu_lint::repair::{self, Repair};
//! use amdgpu_object::{Image, TargetId};
//!
//! // global_load_dword v0, v1, s[0:1]; v_add_f32_e32 v2, v0, v2; s_endpgm
//! let words = [0xdc50_8000u32, 0x0000_0001, 0x0204_0500, 0xbf81_0000].map(u32::to_le_bytes);
//! let (target, code) = (Target::Gfx942, words.as_flattened());
//! let image = Image::bare(TargetId::parse("gfx942"), 0x1000, code);
//!
//! let found = check::image(&image, target);
//! assert_eq!((found.len(), found[0].severity(), found[0].address), (1, Severity::Error, 0x1008));
//! assert!(matches!(&found[0].what, What::MissingWait(wait) if wait.at_most == 0));
//! assert_eq!(found[0].producer.unwrap().inst.to_string(), "global_load_dword v0, v1, s[0:1]");
//! assert_eq!(found[0].what.to_string(), "v0 is used before it is loaded");
//! assert_eq!(found[0].advice().unwrap(), "insert s_waitcnt vmcnt(0) before 0x1008");
//!
//! let edits = repair::image(&image, target, Repair::Fix)?.followed()?;
//! assert_eq!(edits.at(0x1008).unwrap().before[0].to_string(), "s_waitcnt vmcnt(0)");
//! let repaired = edits.apply(target, code, 0x1000)?;
//! assert_eq!(check::image(&Image::bare(TargetId::parse("gfx942"), 0x1000, &repaired), target), []);
//! # Ok::<(), amdgpu_lint::Error>(())
//! ```
//!
//! Repairs consist of changes to the code of one control flow, [`plan`], to one instruction, [`change`], and to
//! branches, [`branches`]. [`edits`] follows code as if the changes were made.
#![no_std]
#![forbid(unsafe_code)]
#![warn(missing_docs)]

extern crate alloc;

pub mod baseline;
pub mod branches;
pub mod change;
pub mod check;
pub mod edits;
mod functions;
mod jumps;
pub mod plan;
pub mod repair;
pub mod rules;
mod settings;
mod trim;

use alloc::string::String;
use core::fmt;

use amdgpu_program::Difference;

pub use settings::Settings;

/// The reason why code is not repaired.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// An instruction has needs that no change before it can meet.
    Helpless,
    /// The target of the jump at this address is not known, and code that it may lead to would move.
    UnknownJump {
        /// Address of the jump.
        address: u64,
        /// The name of the section in which the address is an offset, in an object for a linker.
        section: Option<String>,
    },
    /// The code cannot be changed.
    Program(amdgpu_program::Error),
    /// The changed code object could not be proved to be the same program.
    NotProved(Difference),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Helpless => f.write_str("no instruction that could be inserted helps"),
            Error::UnknownJump { address, section } => {
                write!(f, "it is not known where the jump at {address:#x}")?;
                section.as_ref().map_or(Ok(()), |section| write!(f, " of section {section}"))?;
                f.write_str(" leads, and code that it may lead to would move")
            }
            Error::Program(why) => why.fmt(f),
            Error::NotProved(why) => write!(f, "the changed code is not proved to be the same program: {why}"),
        }
    }
}

impl core::error::Error for Error {}

impl From<amdgpu_program::Error> for Error {
    fn from(why: amdgpu_program::Error) -> Error {
        Error::Program(why)
    }
}
