//! Walks code and asks for the operations.
#![no_std]
#![no_main]

use amdgpu_isa_cortex_m::{exit, walk};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    walk(|_, _| {});
    exit(true)
}
