//! Why code is not assembled.

use core::fmt;

use super::Label;
use crate::{DecodeError, Opcode, Target};

/// What there is no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Room {
    /// Dwords of code.
    Code,
    /// Labels.
    Labels,
    /// Fix-ups: one for each branch to a label and each alignment, two for the address of a symbol.
    Fixups,
}

/// Why the assembler refuses something. After an error the code is not whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AssembleError {
    /// The buffer or a slice is full.
    Room(Room),
    /// The words are no instruction.
    Decode(DecodeError),
    /// What a constructor or a [`Builder`](crate::make::Builder) was given makes no instruction.
    #[cfg(feature = "make")]
    Build(crate::make::BuildError),
    /// The words are more than an instruction, or an instruction and what is no part of it.
    Size {
        /// Dwords of the first instruction in them.
        dwords: u8,
        /// Dwords that were given.
        given: u8,
    },
    /// The instruction is of this other target.
    Target(Target),
    /// The target lacks an operation that this needs.
    Lacks,
    /// The operation goes to no label, or needs operands besides: see [`Assembler::branch`](crate::Assembler::branch).
    NotABranch(Opcode),
    /// The label was never bound.
    Unbound(Label),
    /// The label was bound before.
    Bound(Label),
    /// The label is another assembler's.
    UnknownLabel(Label),
    /// A branch does not reach, and there is no [`Far`](crate::Far) to go through, or the operation has no such form.
    /// Addresses in bytes.
    Distance {
        /// The branch's own address.
        from: u64,
        /// Where it shall go: a multiple of 4.
        to: u64,
    },
    /// No such scalar register, or none that a pair can begin with.
    Register(u8),
    /// No power of two from 4 to 65536, or the address of the code is no multiple of it.
    Alignment(u64),
    /// The instruction has no literal that a symbol's address could be put in.
    NoLiteral(Opcode),
    /// Code that reads its own address cannot be moved: `s_getpc_b64`, at this address.
    ReadsPc(u64),
    /// A branch in code that is to be moved goes to this address, which is within that code but not where an instruction
    /// begins.
    Boundary(u64),
}

impl fmt::Display for AssembleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AssembleError::Room(Room::Code) => f.write_str("no room for more code"),
            AssembleError::Room(Room::Labels) => f.write_str("no room for more labels"),
            AssembleError::Room(Room::Fixups) => f.write_str("no room for more fix-ups"),
            #[cfg(feature = "make")]
            AssembleError::Build(error) => error.fmt(f),
            AssembleError::Decode(error) => write!(f, "no instruction: {error}"),
            AssembleError::Size { dwords, given } => {
                write!(f, "{given} dwords, of which the instruction has {dwords}")
            }
            AssembleError::Target(target) => write!(f, "the instruction is of {target}"),
            AssembleError::Lacks => f.write_str("the target lacks an operation that this needs"),
            AssembleError::NotABranch(opcode) => write!(f, "{opcode:?} does not go to a label, or needs operands"),
            AssembleError::Unbound(label) => write!(f, "{label:?} is not bound"),
            AssembleError::Bound(label) => write!(f, "{label:?} is bound already"),
            AssembleError::UnknownLabel(label) => write!(f, "{label:?} is another assembler's"),
            AssembleError::Distance { from, to } => write!(f, "a branch at {from:#x} does not reach {to:#x}"),
            AssembleError::Register(n) => write!(f, "s{n} cannot be used here"),
            AssembleError::Alignment(bytes) => write!(f, "cannot align to {bytes} bytes"),
            AssembleError::NoLiteral(opcode) => write!(f, "{opcode:?} has no literal here"),
            AssembleError::ReadsPc(at) => write!(f, "the code at {at:#x} reads its own address"),
            AssembleError::Boundary(at) => write!(f, "a branch goes to {at:#x}, where no instruction begins"),
        }
    }
}

impl core::error::Error for AssembleError {}

#[cfg(feature = "make")]
impl From<crate::make::BuildError> for AssembleError {
    fn from(error: crate::make::BuildError) -> Self {
        AssembleError::Build(error)
    }
}

impl From<DecodeError> for AssembleError {
    fn from(error: DecodeError) -> Self {
        AssembleError::Decode(error)
    }
}
