//! Words for tests: those that `amdgpu-isa prove` tries.

#[path = "../../src/bin/amdgpu-isa/prove/words.rs"]
mod shared;

use amdgpu_isa::{Format, Inst, Opcode, Target};
pub use shared::*;

/// Up to `count` different instructions of an opcode, and at least one.
#[allow(dead_code)] // Each test uses a part of it.
pub fn legal(target: Target, encoding: (Format, u16, Opcode), count: usize, rng: &mut Rng) -> Vec<Inst> {
    let found = shared::legal(target, encoding, count, rng);
    assert!(!found.is_empty(), "{target}: no words of {encoding:?} decode");
    found
}

/// Whether it is a target of RDNA, whatever the generation.
#[allow(dead_code)]
pub fn is_rdna(target: Target) -> bool {
    target.processor().starts_with("gfx1")
}
