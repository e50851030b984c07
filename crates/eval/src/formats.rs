//! The formats of the factors of a matrix product, and of the factors' scales. Fields of the instruction choose them.

use amdgpu_isa::meaning::{Expr, FloatType, Formula, Type};
use amdgpu_isa::{Field, Inst};

use crate::compute::{self, Names, Value};
use crate::error::EvalError;
use crate::float::{Number, Rules};
use crate::words;

type Result<T> = std::result::Result<T, EvalError>;

/// The formats of the two factors, and of their scales; errors if the tables have none.
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

    /// The type of the elements of a factor.
    pub fn factor(&self, n: u8) -> Result<FloatType> {
        self.factors.get(usize::from(n)).cloned().unwrap_or(Err(EvalError::Operand))
    }

    /// The value of a byte as a scale of a factor.
    pub fn scale(&self, n: u8, byte: u32) -> Result<Number> {
        let formula = self.scales.get(usize::from(n)).ok_or(EvalError::Operand)?.as_ref().map_err(EvalError::clone)?;
        let rules = Rules { mode: Default::default(), fnuz: false };
        match compute::named(formula, &Names { bits: byte, ..Names::default() }, &rules)? {
            Value::Float(number) => Ok(number),
            _ => Err(EvalError::Type),
        }
    }
}

/// The type of a factor's elements, chosen by the first of these fields that the instruction has.
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

/// The formula for the value of a scale, chosen by the field; if the instruction lacks the field, the only formula of
/// the target.
fn scale(inst: &Inst, field: Field) -> Result<Expr> {
    if let Some(formula) = words::meaning(inst, "matrix_scale_fmt", field)? {
        return Ok(formula);
    }
    let text = inst.target().value_meaning("matrix_scale_fmt", None).ok_or(EvalError::Scale)?;
    Formula::read_value(text).map_err(EvalError::Syntax)
}
