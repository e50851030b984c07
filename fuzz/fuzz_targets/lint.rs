//! Programs of any valid instructions: `lint --fix` inserts what is missing, then nothing is, and mended again they stay.
#![no_main]

#[path = "../../tests/mend/check.rs"]
mod check;
#[allow(dead_code)] // The tool uses more of it.
#[path = "../../src/bin/amdgpu-isa/lint/edits.rs"]
mod edits;
mod input;
#[path = "../../src/bin/amdgpu-isa/lint/mend.rs"]
mod mend;
#[allow(dead_code)]
#[path = "../../src/bin/amdgpu-isa/lint/plan.rs"]
mod plan;

/// What the tool has of the library.
mod isa {
    pub use amdgpu_isa::facts::Counter;
    pub use amdgpu_isa::imm::Waitcnt;
    pub use amdgpu_isa::{Field, Inst, Target, decode, flow, hazards, parse};
}

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((target, _, rest)) = input::split(data) else { return };
    // Running out of bytes is not an error.
    let _ = check::check(target, &mut Unstructured::new(rest));
});
