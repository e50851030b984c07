//! Walks code and asks for the targets of branches.
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
                keep(inst.branch_target(offset as u64).unwrap_or(0) as u32);
            }
            Err(invalid) => keep(invalid.word),
        }
    }
    exit(true)
}
