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

/// The encodings that slow tests try: all, or those of an eighth of the operations where the target only stands for waves of the other size.
/// It differs from the target of its processor's name in the width of lane masks.
#[allow(dead_code)]
pub fn encodings_to_try(target: Target) -> Vec<(Format, u16, Opcode)> {
    let share = if is_of_other_size(target) { 8 } else { 1 };
    shared::encodings(target).into_iter().filter(|(.., op)| *op as usize % share == 0).collect()
}

/// Whether the target only stands for waves of the other size.
#[allow(dead_code)]
pub fn is_of_other_size(target: Target) -> bool {
    target.name() != target.processor()
}

/// Whether it is a target of RDNA, whatever the generation.
#[allow(dead_code)]
pub fn is_rdna(target: Target) -> bool {
    target.processor().starts_with("gfx1")
}

/// Whether tuples of vector registers begin at even ones: LLVM's FeatureRequiresAlignedVGPRs. It is
/// written down again, as the next one is.
#[allow(dead_code)]
pub fn has_even_tuples(target: Target) -> bool {
    has_unified_registers(target) || ["gfx1250", "gfx1251"].contains(&target.name())
}

/// Whether VGPRs and AccVGPRs are one file, in which tuples begin at even registers: LLVM's FeatureGFX90AInsts. This is
/// written down here again because it is what tests of the library's own knowledge compare with.
#[allow(dead_code)]
pub fn has_unified_registers(target: Target) -> bool {
    ["gfx90a", "gfx942", "gfx9-4-generic", "gfx950"].contains(&target.name())
}
