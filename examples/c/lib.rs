//! The C interface as a static library, made from the same build of the crate that the tests use. C programs elsewhere
//! take what the README's command makes.
pub use amdgpu_isa::capi::*;
