//! Why code is not assembled.

use core::fmt;

use super::Label;
use crate::{DecodeError, FieldError, Opcode, Target};

/// What there is no room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Room {
    /// Dwords of code.
    Code,
    /// Labels.
    Labels,
    /// Fix-ups: one for each branch to a label and each alignment, two for the address of a symbol.
    Fixups,
}

/// Why the assembler refuses something, and where. After an error the code is not whole.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::{AssembleErrorKind, Assembler, FixupSlot, LabelSlot, Opcode, Target};
/// let mut code = [0u32; 4];
/// let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
/// let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
/// asm.emit([0xbf80_0000]).unwrap(); // s_nop 0
/// let nowhere = asm.label().unwrap();
/// asm.jump(Opcode::SBranch, nowhere).unwrap();
/// let error = asm.finish().unwrap_err();
/// assert_eq!((error.kind, error.offset, error.opcode), (AssembleErrorKind::Unbound(nowhere), Some(4), Some(Opcode::SBranch)));
/// assert_eq!(error.to_string(), "s_branch at offset 0x4: label 0 is not bound");
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AssembleError {
    /// Why.
    pub kind: AssembleErrorKind,
    /// Where in the code, in bytes from its start. `None` if it is about no place in it.
    pub offset: Option<u64>,
    /// The operation that was to be emitted there, if it is known.
    pub opcode: Option<Opcode>,
}

impl fmt::Display for AssembleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.opcode, self.offset) {
            (Some(opcode), Some(offset)) => write!(f, "{opcode:?} at offset {offset:#x}: ")?,
            (Some(opcode), None) => write!(f, "{opcode:?}: ")?,
            (None, Some(offset)) => write!(f, "at offset {offset:#x}: ")?,
            (None, None) => {}
        }
        self.kind.fmt(f)
    }
}

impl core::error::Error for AssembleError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        self.kind.source()
    }
}

/// Everything that is a kind of error is an error about no place.
impl<E: Into<AssembleErrorKind>> From<E> for AssembleError {
    fn from(error: E) -> Self {
        AssembleError { kind: error.into(), offset: None, opcode: None }
    }
}

/// Why the assembler refuses something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AssembleErrorKind {
    /// The buffer or a slice is full.
    Room(Room),
    /// The words are no instruction.
    Decode(DecodeError),
    /// A value does not fit in a field.
    Field(FieldError),
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

impl fmt::Display for AssembleErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            AssembleErrorKind::Room(Room::Code) => f.write_str("no room for more code"),
            AssembleErrorKind::Room(Room::Labels) => f.write_str("no room for more labels"),
            AssembleErrorKind::Room(Room::Fixups) => f.write_str("no room for more fix-ups"),
            #[cfg(feature = "make")]
            AssembleErrorKind::Build(error) => error.fmt(f),
            AssembleErrorKind::Field(error) => error.fmt(f),
            AssembleErrorKind::Decode(error) => write!(f, "no instruction: {error}"),
            AssembleErrorKind::Size { dwords, given } => {
                write!(f, "{given} dwords, of which the instruction has {dwords}")
            }
            AssembleErrorKind::Target(target) => write!(f, "the instruction is of {target}"),
            AssembleErrorKind::Lacks => f.write_str("the target lacks an operation that this needs"),
            AssembleErrorKind::NotABranch(opcode) => write!(f, "{opcode:?} does not go to a label, or needs operands"),
            AssembleErrorKind::Unbound(label) => write!(f, "{label} is not bound"),
            AssembleErrorKind::Bound(label) => write!(f, "{label} is bound already"),
            AssembleErrorKind::UnknownLabel(label) => write!(f, "{label} is another assembler's"),
            AssembleErrorKind::Distance { from, to } => write!(f, "a branch at {from:#x} does not reach {to:#x}"),
            AssembleErrorKind::Register(n) => write!(f, "s{n} cannot be used here"),
            AssembleErrorKind::Alignment(bytes) => write!(f, "cannot align to {bytes} bytes"),
            AssembleErrorKind::NoLiteral(opcode) => write!(f, "{opcode:?} has no literal here"),
            AssembleErrorKind::ReadsPc(at) => write!(f, "the code at {at:#x} reads its own address"),
            AssembleErrorKind::Boundary(at) => write!(f, "a branch goes to {at:#x}, where no instruction begins"),
        }
    }
}

impl core::error::Error for AssembleErrorKind {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            AssembleErrorKind::Decode(error) => Some(error),
            AssembleErrorKind::Field(error) => Some(error),
            #[cfg(feature = "make")]
            AssembleErrorKind::Build(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FieldError> for AssembleErrorKind {
    fn from(error: FieldError) -> Self {
        AssembleErrorKind::Field(error)
    }
}

#[cfg(feature = "make")]
impl From<crate::make::BuildError> for AssembleErrorKind {
    fn from(error: crate::make::BuildError) -> Self {
        AssembleErrorKind::Build(error)
    }
}

impl From<DecodeError> for AssembleErrorKind {
    fn from(error: DecodeError) -> Self {
        AssembleErrorKind::Decode(error)
    }
}
