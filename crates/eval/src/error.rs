//! Why nothing is computed.

use std::fmt;

use amdgpu_isa::Reg;
use amdgpu_isa::meaning::SyntaxError;

/// Why an instruction is not evaluated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EvalError {
    /// The tables have no formula of the operation on the target.
    NoMeaning,
    /// The tables have only a sentence.
    Sentence(&'static str),
    /// The operation accesses memory, which a wave here does not have.
    Memory,
    /// The value of a register or constant is not known here.
    Unknown(Reg),
    /// An operand of the formula is not one of the instruction.
    Operand,
    /// The formula names something that has no value here, such as the address of the code.
    Place(&'static str),
    /// Two values of different types, or a number of a type that an operation does not have.
    Type,
    /// An index leads to no register of the file.
    Index,
    /// The value of the modifier is not computed.
    Modifier(amdgpu_isa::Field),
    /// The scale is a constant that no manual describes.
    Scale,
    /// The formula is none.
    Syntax(SyntaxError),
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EvalError::NoMeaning => f.write_str("the tables do not say what the operation computes"),
            EvalError::Sentence(text) => write!(f, "no formula: the operation {}", text.trim_matches('"')),
            EvalError::Memory => f.write_str("the operation accesses memory"),
            EvalError::Unknown(reg) => write!(f, "the value of {reg} is not known"),
            EvalError::Operand => f.write_str("the instruction lacks an operand of the formula"),
            EvalError::Place(name) => write!(f, "{name} is not known"),
            EvalError::Type => f.write_str("values of different types"),
            EvalError::Index => f.write_str("the index leads to no register"),
            EvalError::Modifier(field) => write!(f, "this value of {field} is not computed"),
            EvalError::Scale => f.write_str("a constant as a scale is only known if it is 0"),
            EvalError::Syntax(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EvalError {}
