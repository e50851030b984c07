//! The reasons why an instruction cannot be converted to another target.

use core::fmt;

use crate::check::RuleError;
use crate::opcode::{Field, Format, Opcode};
use crate::table::Counter;
use crate::value::Value;

/// The reason why an instruction cannot be converted to another target: see [`Inst::retarget`](crate::Inst::retarget).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetargetError {
    /// The target lacks the operation.
    Opcode(Opcode),
    /// The target has the operation, but not in this form.
    Form {
        /// The base format of the form.
        format: Format,
        /// The format of the trailing dword of the form.
        extension: Option<Format>,
    },
    /// The target's operation lacks the modifier.
    Modifier {
        /// The modifier.
        field: Field,
        /// The value of the modifier in the instruction.
        value: i64,
    },
    /// The target has no value with this meaning: the value does not fit, has no name there, or has an effect that the
    /// target's operation lacks.
    Value {
        /// The modifier, the constant, or a part of it (`vmcnt`, `id`, ...).
        field: Field,
        /// The value in the instruction; for an offset, in bytes.
        value: i64,
    },
    /// The target lacks the register or the constant, or its operation does not accept it in this operand.
    Register {
        /// The field that names the operand.
        field: Field,
        /// The register or the constant.
        value: Value,
    },
    /// The image address needs other registers on the target.
    Address(
        /// The field of the address's first register.
        Field,
    ),
    /// The operand has another width or another access on the target.
    Operand {
        /// The field that names the operand.
        field: Field,
        /// The width in bits in the instruction; 0 if the instruction has no such operand.
        bits: u16,
        /// The width in bits on the target; 0 if the target's operation has no such operand.
        bits_there: u16,
    },
    /// The wait for the counter does nothing on one of the two targets: the counters of `s_waitcnt` are split there,
    /// and other instructions wait for them.
    Counter(Counter),
    /// The result would break a rule that the original instruction follows.
    Rule(RuleError),
}

impl fmt::Display for RetargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RetargetError::Opcode(opcode) => write!(f, "the target lacks {opcode:?}"),
            RetargetError::Form { format, extension: None } => write!(f, "the target lacks the operation as {format}"),
            RetargetError::Form { format, extension: Some(extension) } => {
                write!(f, "the target lacks the operation as {format} with {extension}")
            }
            RetargetError::Modifier { field, .. } => write!(f, "the target's operation has no {field}"),
            RetargetError::Value { field, value } => {
                write!(f, "no value of {field} means on the target what {value} means here")
            }
            RetargetError::Register { field, value } => write!(f, "{field} cannot be {value} on the target"),
            RetargetError::Address(field) => {
                write!(f, "the image address that begins with {field} takes other registers on the target")
            }
            RetargetError::Operand { field, bits, bits_there: 0 } => {
                write!(f, "the target's operation has no {field}, which has {bits} bits here")
            }
            RetargetError::Operand { field, bits: 0, bits_there } => {
                write!(f, "the target's operation also has {field}, of {bits_there} bits")
            }
            RetargetError::Operand { field, bits, bits_there } if bits == bits_there => {
                write!(f, "the target's operation reads or writes {field} otherwise, or as another type")
            }
            RetargetError::Operand { field, bits, bits_there } => {
                write!(f, "{field} has {bits} bits here, and {bits_there} bits on the target")
            }
            RetargetError::Counter(counter) => {
                write!(f, "the wait for {counter} does nothing on one of the two targets, which has other waits")
            }
            RetargetError::Rule(rule) => write!(f, "on the target {rule}"),
        }
    }
}

impl core::error::Error for RetargetError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            RetargetError::Rule(error) => Some(error),
            _ => None,
        }
    }
}
