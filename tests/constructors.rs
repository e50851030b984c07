//! What the features `make` and `arbitrary` promise: the builder and the parser take the same, illegal arguments are refused,
//! pairs become dual instructions, random instructions are legal.
//!
//! `make/` compares the constructors of all operations with LLVM, in a program of its own.
#![cfg(all(has_target, feature = "alloc", feature = "arbitrary", feature = "make", feature = "text"))]

mod arbitrary;
mod built;
mod mend;
mod pair;
mod refused;
mod taken;

mod words;

/// The parts of the library that the tool's repairs use, under the tool's name for them.
mod isa {
    pub use amdgpu_isa::facts::Counter;
    pub use amdgpu_isa::imm::Waitcnt;
    pub use amdgpu_isa::{Field, Inst, Target, decode, flow, hazards, parse};
}
