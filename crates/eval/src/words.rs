//! The words of the tables for the values of fields.

use amdgpu_isa::Target;

/// The word for a value of a set of values, such as `BYTE_1` for 1 of `sdwa_sel`; `None` if the value has none.
pub fn of(target: Target, set: &str, value: u32) -> Option<&'static str> {
    let values = target.enumerations().find(|enumeration| enumeration.name == set)?.values;
    values.iter().find(|(of, _)| u32::from(*of) == value).map(|(_, word)| *word)
}
