//! The promises of the command: a module for each. `src/` has tests of its parts beside them.

mod clang;
mod cli;
mod deleted;
mod matrix;
mod packages;
mod prove;
mod readme;
