//! Errors of changes to an instruction.

use core::fmt;

use crate::check::RuleError;
use crate::error::{DecodeError, FieldError};
use crate::opcode::{Field, Format, Opcode};
use crate::value::Value;

/// The reason why an instruction cannot be changed as requested. The instruction is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatchError {
    /// The instruction has no such field, or its bits are always the same.
    NoField(Field),
    /// The value does not fit in the field.
    Value(FieldError),
    /// The changed words are not an instruction: a reserved value, a register that does not exist, ...
    Decode(DecodeError),
    /// The change would alter the instruction's length: it adds or removes a literal, SDWA or DPP dword.
    Size {
        /// Number of dwords of the instruction.
        dwords: u8,
        /// Number of dwords that it would need.
        needed: u8,
    },
    /// The change would result in an instruction of another format, whose fields have other positions, or with another
    /// operation.
    Form {
        /// The format of the unchanged instruction.
        format: Format,
        /// The format of the trailing dword of the unchanged instruction, if there is one.
        extension: Option<Format>,
    },
    /// The operation does not exist in the instruction's format, or not with the instruction's trailing dword.
    Opcode(Opcode),
    /// The field cannot hold this operand: for example a vector register in a scalar field, or a constant without a
    /// code.
    Operand {
        /// The field that names the operand.
        field: Field,
        /// The operand.
        value: Value,
    },
    /// Another operand would change too: the two share a literal, or the bit that selects VGPR or AGPR.
    Shared {
        /// The field that was to be changed.
        field: Field,
        /// The field of the other operand; `None` if that operand is implicit.
        other: Option<Field>,
    },
    /// The change would misalign a tuple of registers.
    Rule(RuleError),
    /// The instruction is not a branch or call with an offset.
    NotABranch(Opcode),
    /// The branch does not reach its target, which is at this distance in bytes from the next instruction. Branch
    /// distances are multiples of 4 from -131072 to 131068; a constant that is added to the address is a multiple of 4
    /// that its operand can hold.
    Distance(i64),
    /// The new instruction belongs to another target.
    Target,
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            PatchError::NoField(field) => write!(f, "the instruction has no field {field} that can be set"),
            PatchError::Value(error) => error.fmt(f),
            PatchError::Decode(error) => write!(f, "the result is not an instruction: {error}"),
            PatchError::Size { dwords, needed } => {
                write!(f, "the instruction has {dwords} dwords, and would need {needed}")
            }
            PatchError::Form { format, extension: None } => write!(f, "it would no longer be {format}"),
            PatchError::Form { format, extension: Some(extension) } => {
                write!(f, "it would no longer be {format} with {extension}")
            }
            PatchError::Opcode(opcode) => write!(f, "{opcode:?} does not exist in this form"),
            PatchError::Operand { field, value } => write!(f, "{field} cannot hold {value}"),
            PatchError::Shared { field, other: Some(other) } => {
                write!(f, "a change of {field} would also change {other}")
            }
            PatchError::Shared { field, other: None } => {
                write!(f, "a change of {field} would also change an implicit operand")
            }
            PatchError::Rule(error) => error.fmt(f),
            PatchError::NotABranch(opcode) => write!(f, "{opcode:?} has no branch target"),
            PatchError::Distance(bytes) => write!(f, "a branch does not reach {bytes} bytes"),
            PatchError::Target => f.write_str("the instruction is of another target"),
        }
    }
}

impl core::error::Error for PatchError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            PatchError::Value(error) => Some(error),
            PatchError::Decode(error) => Some(error),
            PatchError::Rule(error) => Some(error),
            _ => None,
        }
    }
}

impl From<RuleError> for PatchError {
    fn from(error: RuleError) -> Self {
        PatchError::Rule(error)
    }
}

impl From<FieldError> for PatchError {
    fn from(error: FieldError) -> Self {
        PatchError::Value(error)
    }
}

impl From<DecodeError> for PatchError {
    fn from(error: DecodeError) -> Self {
        PatchError::Decode(error)
    }
}
