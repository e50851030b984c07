//! Walks code and gives branches other targets.
#![no_std]
#![no_main]

use amdgpu_isa_cortex_m::{exit, keep, walk};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    walk(|pc, inst| match inst.with_branch_target(pc, 0) {
        Ok(there) => keep(there.words().first().copied().unwrap_or(0)),
        Err(_) => keep(1),
    });
    exit(true)
}
