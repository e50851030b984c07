//! Words become instructions and words again, their operands are read and changed: with the feature `fast` and without
//! it.
#![cfg(has_target)]

mod inverse;
#[cfg(feature = "all-targets")]
mod kept;
mod length;
mod opcodes;
mod operands;
mod patch;

mod words;
