//! Words for tests, from the generator of `amdgpu-isa prove`.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use amdgpu_isa::{Format, Inst, Opcode, Target};
use amdgpu_prove::words as shared;
pub use amdgpu_prove::words::*;

/// Up to `count` different instructions of an opcode, and at least one.
#[allow(dead_code)] // Each test uses a part of it.
pub fn legal(target: Target, encoding: (Format, u16, Opcode), count: usize, rng: &mut Rng) -> Vec<Inst> {
    let found = shared::legal(target, encoding, count, rng);
    assert!(!found.is_empty(), "{target}: no words of {encoding:?} decode");
    found
}

/// Whether tests try everything, as `AMDGPU_ISA_FULL=1` asks and `.ci/run full` does. Otherwise slow tests take a
/// sample, which is the same each time.
#[allow(dead_code)]
pub fn is_full() -> bool {
    static FULL: OnceLock<bool> = OnceLock::new();
    *FULL.get_or_init(|| std::env::var_os("AMDGPU_ISA_FULL").is_some_and(|value| value != "0"))
}

/// Whether slow tests try an operation on a target: with `AMDGPU_ISA_FULL=1` always, otherwise on the first target that
/// has it, and on every `step`th target, starting at a different one for each operation.
#[allow(dead_code)]
pub fn is_tried(target: Target, opcode: Opcode, step: usize) -> bool {
    static BEFORE: OnceLock<HashMap<(usize, Opcode), usize>> = OnceLock::new();
    let count = || {
        let (mut before, mut seen) = (HashMap::new(), HashMap::<Opcode, usize>::new());
        for &target in Target::ALL {
            let all: HashSet<Opcode> = shared::encodings(target).into_iter().map(|(.., opcode)| opcode).collect();
            for opcode in all {
                let seen = seen.entry(opcode).or_default();
                before.insert((target as usize, opcode), *seen);
                *seen += 1;
            }
        }
        before
    };
    if is_full() {
        return true;
    }
    let before = BEFORE.get_or_init(count).get(&(target as usize, opcode)).copied();
    before.is_some_and(|before| before == 0 || (before + opcode as usize) % step == 0)
}

/// The encodings that slow tests try: all of them, or those of an eighth of the operations if the target is its
/// processor's second one, for the other size of waves. The second target differs from the first one only in the width
/// of lane masks.
#[allow(dead_code)]
pub fn encodings_to_try(target: Target) -> Vec<(Format, u16, Opcode)> {
    let share = if is_of_other_size(target) { 8 } else { 1 };
    shared::encodings(target).into_iter().filter(|(.., op)| *op as usize % share == 0).collect()
}

/// Whether the target is its processor's second one, for the other size of waves.
#[allow(dead_code)]
pub fn is_of_other_size(target: Target) -> bool {
    target.name() != target.processor()
}

/// Whether a target is of RDNA, GFX13 or CDNA5: the name of its processor begins with `gfx1`.
#[allow(dead_code)]
pub fn is_rdna(target: Target) -> bool {
    target.processor().starts_with("gfx1")
}

/// Whether tuples of vector registers begin at even ones: LLVM's FeatureRequiresAlignedVGPRs. The list is written here
/// independently of the library, as is the next one.
#[allow(dead_code)]
pub fn has_even_tuples(target: Target) -> bool {
    has_unified_registers(target) || ["gfx1250", "gfx1251", "gfx12-5-generic"].contains(&target.name())
}

/// Whether VGPRs and AccVGPRs are one file, in which tuples begin at even registers: LLVM's FeatureGFX90AInsts. The
/// list is written here again because tests compare the library with it.
#[allow(dead_code)]
pub fn has_unified_registers(target: Target) -> bool {
    ["gfx90a", "gfx942", "gfx9-4-generic", "gfx950"].contains(&target.name())
}
