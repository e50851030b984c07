//! The reasons why an instruction cannot be converted to another target.

use core::fmt;

use crate::check::RuleError;
use crate::opcode::{Field, Format, Opcode};
use crate::table::Counter;
use crate::table::generated::HWREG_FIELD_NAMES;
use crate::target::Target;
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
    /// The target has no value of this name, or no such hardware register.
    Name {
        /// The target of the instruction.
        target: Target,
        /// The modifier, the operand, or the part of a constant (`id`, `message`, ...).
        field: Field,
        /// The value in the instruction.
        value: u16,
    },
    /// Bits of a hardware register mean something else on the target, or mean something on one of the two targets only.
    Bits {
        /// The lowest bit.
        first: u8,
        /// The highest bit.
        last: u8,
        /// The number of the field that has these bits in the instruction: see [`RetargetError::bit_fields`].
        field: Option<u8>,
        /// The number of the field that has these bits on the target.
        field_there: Option<u8>,
    },
    /// The operation has floats of 8 bits, which mean other numbers on the target.
    Floats(Opcode),
    /// A load of half a register keeps the other half of this operand on one of the two targets. On the other target
    /// the load clears that half if the memory has ECC.
    Half(Field),
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
    /// The counter's number is ignored on one of the two targets: the counters of `s_waitcnt` are split there, other
    /// instructions wait for them, and `s_waitcnt` waits for everything.
    Counter(Counter),
    /// The result would break a rule that the original instruction follows.
    Rule(RuleError),
}

fn field_name(field: Option<u8>) -> Option<&'static str> {
    HWREG_FIELD_NAMES.get(usize::from(field?)).copied()
}

/// Writes that the target lacks a value, with the value's name in the text of the instruction.
#[cfg(feature = "text")]
fn name(target: Target, field: Field, value: u16, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match crate::value_name::ValueName::of(target, field, value) {
        Some(name) => write!(f, "the target has no {name} ({field})"),
        None => write!(f, "the target has no value of {field} with the meaning of {value}"),
    }
}

#[cfg(not(feature = "text"))]
fn name(_: Target, field: Field, value: u16, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "the target has no value of {field} with the meaning of {value}")
}

impl RetargetError {
    /// The names of the fields of a hardware register that the error is about: the field of these bits in the
    /// instruction, and the one on the target.
    pub fn bit_fields(&self) -> [Option<&'static str>; 2] {
        match *self {
            RetargetError::Bits { field, field_there, .. } => [field, field_there].map(field_name),
            _ => [None; 2],
        }
    }
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
                write!(f, "the target has no value of {field} with the meaning of {value}")
            }
            RetargetError::Name { target, field, value } => name(target, field, value, f),
            RetargetError::Bits { first, last, field, field_there } => {
                let (means, is) = if first == last { ("means", "is") } else { ("mean", "are") };
                match first == last {
                    true => write!(f, "bit {first}")?,
                    false => write!(f, "bits {last}:{first}")?,
                }
                match (field_name(field), field_name(field_there)) {
                    (Some(here), Some(there)) => write!(f, " ({here} here) {is} {there} on the target"),
                    (Some(here), None) => write!(f, " ({here} here) {means} nothing on the target"),
                    (None, Some(there)) => write!(f, " {means} nothing here, and {is} {there} on the target"),
                    (None, None) => write!(f, " {means} something else on the target"),
                }
            }
            RetargetError::Floats(opcode) => {
                write!(f, "the 8-bit floats of {opcode:?} are other numbers on the target")
            }
            RetargetError::Half(field) => {
                write!(f, "with ECC, one of the two targets clears the half of {field} that is not loaded")
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
                write!(f, "the target's operation accesses {field} in another way, or as another type")
            }
            RetargetError::Operand { field, bits, bits_there } => {
                write!(f, "{field} has {bits} bits here, and {bits_there} bits on the target")
            }
            RetargetError::Counter(counter) => {
                write!(f, "one of the two targets ignores the number for {counter}, and has other waits")
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
