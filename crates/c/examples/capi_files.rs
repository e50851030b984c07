//! The C interface with whole files as a static library, made from the same build that the tests use.
pub use amdgpu_isa_c::*;
