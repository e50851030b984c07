//! Errors of the evaluation.

use std::fmt;

use amdgpu_isa::Reg;
use amdgpu_isa::meaning::SyntaxError;

/// The reason why an instruction is not evaluated.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum EvalError {
    /// The tables have no formula of the operation on the target.
    NoMeaning,
    /// The tables describe the operation by a sentence, not by a formula.
    Sentence(&'static str),
    /// The operation accesses memory, which a [`Wave`](crate::Wave) does not have.
    Memory,
    /// The value of a register is not in a [`Wave`](crate::Wave).
    Unknown(Reg),
    /// The instruction lacks an operand of the formula.
    Operand,
    /// The formula needs a value that is not in a [`Wave`](crate::Wave), such as the address of the code.
    Place(&'static str),
    /// The formula combines values of different types, or applies a function to a type for which it is not defined.
    Type,
    /// An index leads to a register that does not exist.
    Index,
    /// The value of this field, a modifier, has no formula.
    Modifier(amdgpu_isa::Field),
    /// The scale is a constant other than 0, which no manual describes.
    Scale,
    /// The text in the tables is not a formula.
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
