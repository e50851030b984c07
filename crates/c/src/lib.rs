//! The C interface of the packages above the library: whole files, the assembler, lint and repairs. cbindgen generates
//! `include/amdgpu_isa_files.h` from the files here; the library that C programs are linked with also has all functions
//! of `include/amdgpu_isa.h`.
//!
//! ```sh
//! cargo rustc --release --package amdgpu-isa-c --crate-type staticlib   # libamdgpu_isa_c.a
//! ```
//!
//! A function that returns a pointer gives the caller an object, which lives until it is freed, with everything that it
//! points to. There is no global state, and no pointer of the caller is kept, so every function may be called from
//! every thread. A function returns null only if its description says so.
#![deny(unsafe_code)]
#![warn(missing_docs)]
#![allow(non_camel_case_types)]

#[allow(unsafe_code)]
mod answer;
#[allow(unsafe_code)]
mod file;
#[allow(unsafe_code)]
mod memory;
#[allow(unsafe_code)]
mod source;

pub use amdgpu_isa::capi::*;
pub use answer::*;
pub use file::*;
pub use source::*;
