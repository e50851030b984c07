//! What the command promises: a module for each promise. `src/bin/amdgpu-isa/` has tests of its parts beside them.
#![cfg(feature = "cli")]

mod clang;
mod cli;
mod matrix;
mod prove;
mod readme;

#[path = "hazards/faults.rs"]
mod faults;
