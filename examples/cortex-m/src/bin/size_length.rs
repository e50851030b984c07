//! Walks code by its lengths.
#![no_std]
#![no_main]

use amdgpu_isa::length;
use amdgpu_isa_cortex_m::{code, exit, keep, target};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    let mut rest = code();
    while let Some(len) = length(target(), rest) {
        keep(len as u32);
        rest = rest.get(len..).unwrap_or(&[]);
    }
    exit(true)
}
