//! The promises of the library about instructions, operands, text and programs, with a module for each.
//!
//! `codec.rs` has the promises that must hold without the feature `fast`, too, `constructors.rs` those of the feature
//! `make`, `tool.rs` those of the command, and `tables.rs` those of the build. `tests/README.md` lists
//! all of them.
#![cfg(all(has_target, feature = "text"))]
#![allow(clippy::duplicate_mod)] // Examples that stand alone share a file.

mod api;
#[cfg(feature = "arbitrary")]
mod arbitrary;
mod assemble;
mod assembler;
mod capi;
mod chapter13;
mod check;
mod convert;
mod counters;
mod descriptor;
mod emitted;
mod facts;
mod facts_stay_in_tables;
mod faults;
mod filler;
mod flat;
mod flow;
mod gcn_pages;
mod generations;
mod hazards;
mod hook;
mod image;
mod imm;
mod kept;
mod kernel;
mod layers;
mod limits;
mod loadable;
mod manuals;
mod metadata;
#[cfg(feature = "alloc")]
mod model;
mod names;
mod newer;
mod nops;
mod packages;
mod parse;
mod rdna;
mod registers;
mod regset;
mod retarget;
mod signature;
mod targets;
mod trampoline;
mod typed;
mod waits;

mod jumps;
#[allow(dead_code)] // With few targets a part of it is enough.
#[path = "llvm/assembler.rs"]
mod llvm_mc;
#[cfg(feature = "alloc")]
mod programs;
mod words;
