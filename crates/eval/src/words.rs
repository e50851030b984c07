//! The names of fields, and the words of the tables for their values.

use amdgpu_isa::{Field, Inst, Target};

use crate::error::EvalError;

/// The word for a value of a set of values, such as `BYTE_1` for 1 of `sdwa_sel`; `None` if the value has none.
pub fn of(target: Target, set: &str, value: u32) -> Option<&'static str> {
    let values = target.enumerations().find(|enumeration| enumeration.name == set)?.values;
    values.iter().find(|(of, _)| u32::from(*of) == value).map(|(_, word)| *word)
}

/// The field with a name.
pub fn field(name: &str) -> Option<Field> {
    Field::ALL.iter().copied().find(|field| field.name() == name)
}

/// The value of the field that a formula names.
pub fn value(inst: &Inst, name: &str) -> Result<u32, EvalError> {
    field(name).and_then(|field| inst.get(field)).ok_or(EvalError::Operand)
}
