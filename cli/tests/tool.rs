//! What the command promises: a module for each promise. `src/` has tests of its parts beside them.

mod clang;
mod cli;
mod deleted;
mod matrix;
mod prove;
mod readme;
