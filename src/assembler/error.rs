//! Errors of the assembler.

use core::fmt;

use super::Label;
use crate::compose::ComposeError;
use crate::error::{DecodeError, FieldError};
use crate::opcode::Opcode;
use crate::target::Target;

/// A buffer of the caller that can be too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Room {
    /// The buffer for the code.
    Code,
    /// The slots for labels.
    Labels,
    /// The slots for fix-ups: one for each branch to a label, each alignment, each loaded address of a label, and each
    /// literal that the linker fills in (two for the address of a symbol).
    Fixups,
}

/// The reason why the assembler refuses a request, and the position. After an error the code is incomplete.
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::asm::{AssembleErrorKind, Assembler, FixupSlot, LabelSlot};
/// use amdgpu_isa::{Opcode, Target};
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
    /// The reason.
    pub kind: AssembleErrorKind,
    /// Offset in the code, in bytes from its start. `None` if the error concerns no particular place.
    pub offset: Option<u64>,
    /// The operation that was to be emitted at the offset, if known.
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

/// Conversion of an error kind to an error without an offset or an opcode.
impl<E: Into<AssembleErrorKind>> From<E> for AssembleError {
    fn from(error: E) -> Self {
        AssembleError { kind: error.into(), offset: None, opcode: None }
    }
}

/// The reason why the assembler refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AssembleErrorKind {
    /// The caller's buffer, or a slice for labels or fix-ups, is full.
    Room(Room),
    /// The words are not an instruction.
    Decode(DecodeError),
    /// A value does not fit in a field.
    Field(FieldError),
    /// The arguments of a constructor or a [`Builder`](crate::make::Builder) do not make an instruction.
    #[cfg(feature = "make")]
    Build(crate::make::BuildError),
    /// More words were given than the instruction has.
    Size {
        /// Number of dwords of the first instruction in the given words.
        dwords: u8,
        /// Number of dwords that were given.
        given: u8,
    },
    /// The instruction belongs to this other target.
    Target(Target),
    /// The target lacks an operation that the request needs.
    Lacks,
    /// The operation does not branch to a label, or has other operands too: see
    /// [`Assembler::branch`](crate::asm::Assembler::branch).
    NotABranch(Opcode),
    /// The label was never bound.
    Unbound(Label),
    /// The label is already bound.
    Bound(Label),
    /// The label belongs to another assembler.
    UnknownLabel(Label),
    /// The target is out of a branch's range, and either no [`Far`](crate::asm::Far) registers are set or the operation
    /// has no long form. Both addresses are in bytes.
    Distance {
        /// The address of the branch.
        from: u64,
        /// The address of the branch's target. A branch can only reach a multiple of 4.
        to: u64,
    },
    /// The target has no such scalar register, the register cannot begin a pair, or [`Far::scc`](crate::asm::Far::scc)
    /// is a register of the pair.
    Register(u8),
    /// The alignment is not a power of two from 4 to 65536.
    Alignment(u64),
    /// The address of the code is not a multiple of 4.
    Base(u64),
    /// The instruction has no literal that could hold a symbol's address.
    NoLiteral(Opcode),
    /// Code that reads its own address (`s_getpc_b64` or `s_add_pc_i64`, at this address) cannot be moved.
    ReadsPc(u64),
    /// A branch in code to be moved goes to this address, which is inside that code but not at the start of an
    /// instruction.
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
            AssembleErrorKind::Base(address) => write!(f, "the address of the code, {address}, is not a multiple of 4"),
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

impl From<ComposeError> for AssembleErrorKind {
    fn from(error: ComposeError) -> Self {
        match error {
            ComposeError::Lacks => AssembleErrorKind::Lacks,
            ComposeError::Decode(error) => AssembleErrorKind::Decode(error),
            ComposeError::Register(register) => AssembleErrorKind::Register(register),
        }
    }
}

impl From<DecodeError> for AssembleErrorKind {
    fn from(error: DecodeError) -> Self {
        AssembleErrorKind::Decode(error)
    }
}
