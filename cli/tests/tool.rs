//! The promises of the command, with a module for each. Tests of its parts are in `src/`.

mod clang;
mod cli;
mod deleted;
mod matrix;
mod packages;
mod prove;
mod readme;
