//! The facts and fields that the command shows: its own code.

pub use amdgpu_isa::Inst;
pub use facts::facts;
pub use fields::{FieldView, fields};

#[path = "../../src/bin/amdgpu-isa/isa/facts.rs"]
mod facts;
#[path = "../../src/bin/amdgpu-isa/isa/fields.rs"]
mod fields;
