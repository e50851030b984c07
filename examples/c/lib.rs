//! The C interface as a static library, made from the same build of the crate that the tests use. C programs elsewhere
//! use the library that the command in the README makes.
pub use amdgpu_isa::capi::*;
