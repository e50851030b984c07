//! Fields by their names, and the formulas of the tables for their values.

use amdgpu_isa::meaning::{Expr, Formula};
use amdgpu_isa::{Field, Inst};

use crate::error::EvalError;

/// The formula for the value of a field, from a set of values such as `sdwa_sel`; `None` if the instruction lacks the
/// field.
pub fn meaning(inst: &Inst, set: &str, field: Field) -> Result<Option<Expr>, EvalError> {
    let Some(value) = inst.get(field) else { return Ok(None) };
    let text = inst.target().value_meaning(set, Some(value)).ok_or(EvalError::Modifier(field))?;
    Formula::read_value(text).map(Some).map_err(EvalError::Syntax)
}

/// The field with a name.
pub fn field(name: &str) -> Option<Field> {
    Field::ALL.iter().copied().find(|field| field.name() == name)
}

/// The value of the field that a formula names.
pub fn value(inst: &Inst, name: &str) -> Result<u32, EvalError> {
    field(name).and_then(|field| inst.get(field)).ok_or(EvalError::Operand)
}
