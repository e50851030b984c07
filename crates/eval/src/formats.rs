//! The formats that a product of matrices chooses for its factors and their scales.

use amdgpu_isa::meaning::{Expr, FloatType, Formula, Type};
use amdgpu_isa::{Field, Inst};

use crate::compute::{self, Names, Value};
use crate::error::EvalError;
use crate::float::{Number, Rules};
use crate::words;

type Result<T> = std::result::Result<T, EvalError>;

/// The formats of the two factors and of their scales, which are errors if the tables have none.
pub struct Formats {
    factors: [Result<FloatType>; 2],
    scales: [Result<Expr>; 2],
}

impl Formats {
    pub fn of(inst: &Inst) -> Formats {
        Formats {
            factors: [[Field::MatrixAFmt, Field::Cbsz], [Field::MatrixBFmt, Field::Blgp]].map(|all| factor(inst, all)),
            scales: [Field::MatrixAScaleFmt, Field::MatrixBScaleFmt].map(|field| scale(inst, field)),
        }
    }

    /// The small float that a factor consists of.
    pub fn factor(&self, n: u8) -> Result<FloatType> {
        self.factors.get(usize::from(n)).cloned().unwrap_or(Err(EvalError::Operand))
    }

    /// The number that a byte is as a scale of a factor.
    pub fn scale(&self, n: u8, byte: u32) -> Result<Number> {
        let formula = self.scales.get(usize::from(n)).ok_or(EvalError::Operand)?.as_ref().map_err(EvalError::clone)?;
        let rules = Rules { mode: Default::default(), fnuz: false };
        match compute::named(formula, &Names { bits: byte, ..Names::default() }, &rules)? {
            Value::Float(number) => Ok(number),
            _ => Err(EvalError::Type),
        }
    }
}

/// The float of a factor: the first of these fields that the instruction has chooses it.
fn factor(inst: &Inst, fields: [Field; 2]) -> Result<FloatType> {
    let field = fields.into_iter().find(|&field| inst.get(field).is_some()).ok_or(EvalError::Operand)?;
    match words::meaning(inst, "matrix_fmt", field)? {
        Some(Expr::Place(place)) => match place.ty {
            Some(Type::Float(float)) => Ok(float),
            _ => Err(EvalError::Type),
        },
        _ => Err(EvalError::Modifier(field)),
    }
}

/// The value of a scale: the field chooses it, or there is but one.
fn scale(inst: &Inst, field: Field) -> Result<Expr> {
    if let Some(formula) = words::meaning(inst, "matrix_scale_fmt", field)? {
        return Ok(formula);
    }
    let text = inst.target().value_meaning("matrix_scale_fmt", None).ok_or(EvalError::Scale)?;
    Formula::read_value(text).map_err(EvalError::Syntax)
}
