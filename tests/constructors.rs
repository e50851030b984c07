//! The promises of the feature `make`: the builder and the parser accept the same arguments, invalid arguments are
//! refused, pairs become dual instructions, and random structs are those that setters make.
//!
//! `make/` compares the constructors of all operations with LLVM, in a program of its own.
#![cfg(all(has_target, feature = "alloc", feature = "arbitrary", feature = "make", feature = "text"))]

mod built;
mod generations;
mod guard;
mod pair;
mod refused;
mod repaired;
mod setters;
mod taken;

mod words;
