//! Words become instructions, and instructions become the same words again. Operands are read and changed. All this
//! holds with the feature `fast` and without it.
#![cfg(has_target)]

mod generations;
mod inverse;
#[cfg(feature = "all-targets")]
mod kept;
mod length;
mod opcodes;
mod operands;
mod patch;

mod words;
