//! Walks code and asks for the targets of branches.
#![no_std]
#![no_main]

use amdgpu_isa_cortex_m::{exit, keep, walk};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    walk(|pc, inst| keep(inst.branch_target(pc).unwrap_or(0) as u32));
    exit(true)
}
