//! Errors of making an instruction.

use core::fmt;

use crate::error::{DecodeError, FieldError};
use crate::opcode::{Field, Format, Opcode};
use crate::value::{InlineFloat, Reg};

/// The reason why an instruction cannot be made. The error names the field and the value given for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BuildError {
    /// The target lacks the operation.
    Opcode(Opcode),
    /// The target has the operation, but not in the requested encoding.
    Encoding {
        /// The base format, if one was requested.
        format: Option<Format>,
        /// The format of the trailing dword, if one was requested.
        extension: Option<Format>,
    },
    /// An operand is missing.
    Missing(Field),
    /// The operation has no such operand or modifier in this encoding.
    Unknown(Field),
    /// The operand does not accept the given value: a scalar where only a vector register is allowed, an AccVGPR where
    /// none is allowed, a literal in an encoding without room for one, ...
    Operand {
        /// The operand.
        field: Field,
        /// The given value.
        given: Given,
    },
    /// The operand does not accept a literal: the encoding has no room for one on this target.
    NoLiteral {
        /// The operand.
        field: Field,
        /// The base format that was tried, if known.
        format: Option<Format>,
    },
    /// The source cannot be negated, or have its absolute value taken, or be sign extended.
    NoModifier {
        /// The modifier.
        field: Field,
        /// The source, counted from 0.
        source: u8,
    },
    /// `op_sel` selects another half of a register than the operand names. Operands are counted from 0; 3 is the
    /// destination.
    OtherHalf {
        /// The bit of `op_sel`.
        operand: u8,
    },
    /// A part of a constant does not fit: see [`Waitcnt`](crate::imm::Waitcnt).
    Value(FieldError),
    /// A run of registers does not exist or is misaligned. Scalar registers must begin at a multiple of two (64 bits)
    /// or four (wider), vector registers on some targets at an even number. The single register of some GWS operations
    /// must be even, too.
    Registers {
        /// The operand.
        field: Field,
        /// The first register of the run.
        given: Given,
        /// The length of the run in dwords.
        dwords: u8,
    },
    /// The operand and the given value have different widths.
    Width {
        /// The operand.
        field: Field,
        /// The operand's width in dwords.
        dwords: u8,
        /// The width of the given value in dwords.
        given: u8,
    },
    /// Neither an inline constant nor a literal has this value for the operand.
    Constant(Field),
    /// The instruction would need a second literal with another value, but has room for only one.
    TwoLiterals(Field),
    /// The operation would read more scalar registers and literals than the constant bus carries. The error names the
    /// first excess operand; an implicit read of vcc or m0 counts first.
    ConstantBus(Field),
    /// The field can hold the value, but the operation cannot use it; see
    /// [`RuleError::Value`](crate::check::RuleError::Value).
    Excluded {
        /// The field.
        field: Field,
        /// The given value.
        value: u32,
    },
    /// The third source of a matrix operation shares some but not all of the destination's registers.
    Overlap(Field),
    /// The two operations of a dual instruction use registers of the same bank where this is not allowed: see
    /// [`RuleError::Banks`](crate::check::RuleError::Banks). The numbers of the two destinations must also differ: in
    /// bit 0 for VOPD, in any bit for VOPD3.
    Banks {
        /// The operand of the first operation.
        x: Field,
        /// The operand of the second operation.
        y: Field,
    },
    /// A value does not fit.
    Range {
        /// The field.
        field: Field,
        /// The given value.
        value: i64,
        /// The least value that fits.
        min: i64,
        /// The greatest value that fits.
        max: i64,
    },
    /// There are more operands and modifiers than any instruction has.
    TooMany,
    /// Every argument fits, but the target has no such instruction.
    Refused(DecodeError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            BuildError::Opcode(opcode) => write!(f, "the target lacks {opcode:?}"),
            BuildError::Encoding { format, extension } => {
                f.write_str("the target lacks the operation")?;
                format.map_or(Ok(()), |format| write!(f, " as {format}"))?;
                extension.map_or(Ok(()), |extension| write!(f, " with {extension}"))
            }
            BuildError::Missing(field) => write!(f, "{field} is missing"),
            BuildError::Unknown(field) => write!(f, "the operation has no {field} in this encoding"),
            BuildError::Operand { field, given } => write!(f, "{field}: {given} is not allowed here"),
            BuildError::NoLiteral { field, format: Some(format) } => {
                write!(f, "{field}: no literal in {format} on this target")
            }
            BuildError::NoLiteral { field, format: None } => write!(f, "{field}: no literal here on this target"),
            BuildError::NoModifier { field, source } => write!(f, "source {source} has no {field}"),
            BuildError::OtherHalf { operand: 3 } => {
                f.write_str("op_sel selects another half of the destination than the operand")
            }
            BuildError::OtherHalf { operand } => {
                write!(f, "op_sel selects another half of source {operand} than the operand")
            }
            BuildError::Value(error) => error.fmt(f),
            BuildError::Registers { field, given, dwords } => {
                write!(f, "{field}: the {dwords} registers from {given} on are misaligned or do not exist")
            }
            BuildError::Width { field, dwords, given } => {
                let plural = if dwords == 1 { "" } else { "s" };
                write!(f, "{field} has {dwords} dword{plural}, but {given} were given")
            }
            BuildError::Constant(field) => write!(f, "{field}: no constant of the operand has this value"),
            BuildError::TwoLiterals(field) => write!(f, "{field} would be a second literal"),
            BuildError::ConstantBus(field) => write!(f, "{field} is more than the constant bus carries"),
            BuildError::Excluded { field, value } => write!(f, "{field} of the operation cannot be {value:#x}"),
            BuildError::Overlap(field) => write!(f, "{field} overlaps a part of the destination"),
            BuildError::Banks { x, y } => write!(f, "{x} and {y} are in one bank"),
            BuildError::Range { field, value, min, max } => write!(f, "{field}: {value} is not in {min}..={max}"),
            BuildError::TooMany => f.write_str("more operands and modifiers than any instruction has"),
            BuildError::Refused(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            BuildError::Value(error) => Some(error),
            BuildError::Refused(error) => Some(error),
            _ => None,
        }
    }
}

impl From<FieldError> for BuildError {
    fn from(error: FieldError) -> Self {
        BuildError::Value(error)
    }
}

impl From<DecodeError> for BuildError {
    fn from(error: DecodeError) -> Self {
        BuildError::Refused(error)
    }
}

/// The value given for an operand, in the form that errors show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Given {
    /// A register; for a run, the first one.
    Reg(Reg),
    /// An integer.
    Int(i64),
    /// A floating-point number.
    Float {
        /// The bits of the number as an `f64`.
        bits: u64,
    },
    /// A literal dword.
    Literal(u32),
    /// No register: `off`.
    Off,
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Given::Reg(reg) => reg.fmt(f),
            Given::Int(n) => n.fmt(f),
            // A linker cannot rule out that core's float formatting panics.
            Given::Float { bits } => match InlineFloat::from_f64(f64::from_bits(bits)) {
                Some(float) => float.fmt(f),
                None => write!(f, "the float of the bits {bits:#018x}"),
            },
            Given::Literal(dword) => write!(f, "the literal {dword:#x}"),
            Given::Off => f.write_str("off"),
        }
    }
}
