//! The promises of the features `make` and `arbitrary`: the builder and the parser accept the same arguments, invalid
//! arguments are refused, pairs become dual instructions, random instructions are valid.
//!
//! `make/` compares the constructors of all operations with LLVM, in a program of its own.
#![cfg(all(has_target, feature = "alloc", feature = "arbitrary", feature = "make", feature = "text"))]

mod arbitrary;
mod built;
mod guard;
mod mend;
mod pair;
mod refused;
mod taken;

mod words;
