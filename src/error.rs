//! Error types. Errors are small values; a message is formatted only when it is printed.

use core::fmt;

use crate::opcode::{Field, Format};

/// The reason why bytes are not an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeError {
    /// The slice ends before the instruction does.
    Truncated {
        /// Number of bytes that the instruction needs, as far as the available bytes determine it. With this number of
        /// bytes, decoding can still ask for more: `needed` is 4 while the first dword is incomplete, and from RDNA1 on
        /// the second dword can announce others.
        needed: u8,
    },
    /// No format of the target has these encoding bits.
    UnknownEncoding,
    /// The format has no operation with this opcode.
    UnknownOpcode {
        /// The format.
        format: Format,
        /// The number in the opcode field.
        opcode: u16,
    },
    /// Bits that must have a fixed value have another value.
    ReservedBits {
        /// The base format, or for bits of the trailing dword the format of that dword.
        format: Format,
        /// The field, if the bits belong to a field.
        field: Option<Field>,
        /// The lowest wrong bit, counted from the start of the instruction.
        bit: u8,
    },
    /// A field holds a code that its operand does not accept, a register that does not exist, or a reserved value.
    ReservedValue {
        /// The field.
        field: Field,
        /// The value of the field.
        value: u16,
        /// The lowest bit of the field, counted from the start of the instruction.
        lsb: u8,
        /// The width of the field in bits.
        width: u8,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            DecodeError::Truncated { needed } => write!(f, "truncated: {needed} bytes needed"),
            DecodeError::UnknownEncoding => f.write_str("unknown encoding"),
            DecodeError::UnknownOpcode { format, opcode } => write!(f, "unknown {format} opcode {opcode}"),
            DecodeError::ReservedBits { format, field, bit } => {
                write!(f, "reserved bit {bit} of {format}")?;
                match field {
                    Some(field) => write!(f, " ({field}) is wrong"),
                    None => f.write_str(" is wrong"),
                }
            }
            DecodeError::ReservedValue { field, value, lsb, width } => {
                write!(f, "{field} [{}:{lsb}] = {value} is reserved", u16::from(lsb) + u16::from(width) - 1)
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// The error that a slice is too short for the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodeError {
    /// Number of elements (bytes or dwords, depending on the slice) that are needed.
    pub needed: u8,
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no room: {} elements needed", self.needed)
    }
}

impl core::error::Error for EncodeError {}

/// The error that a value does not fit in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FieldError {
    /// The field.
    pub field: Field,
    /// The given value.
    pub value: i64,
    /// Width of the field in bits; 0 if the target has no such field.
    pub width: u8,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.width {
            0 => write!(f, "the target has no {}, and {} was given", self.field, self.value),
            width => write!(f, "{} does not fit in the {width} bits of {}", self.value, self.field),
        }
    }
}

impl core::error::Error for FieldError {}
