//! Walks code and gives branches other targets.
#![no_std]
#![no_main]

use amdgpu_isa::{Decoded, Decoder};
use amdgpu_isa_cortex_m::{code, exit, keep, target};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    for Decoded { offset, inst: item } in Decoder::new(target(), code()) {
        keep(offset as u32);
        match item {
            Ok(inst) => {
                keep(inst.opcode() as u32);
                match inst.with_branch_target(offset as u64, 0) {
                    Ok(there) => keep(there.words().first().copied().unwrap_or(0)),
                    Err(_) => keep(1),
                }
            }
            Err(invalid) => keep(invalid.word),
        }
    }
    exit(true)
}
