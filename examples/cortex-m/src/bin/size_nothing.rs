//! The floor: a program that does nothing with its code.
#![no_std]
#![no_main]

use amdgpu_isa_cortex_m::{code, exit, keep};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    keep(code().len() as u32);
    exit(true)
}
