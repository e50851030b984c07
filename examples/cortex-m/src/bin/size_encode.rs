//! Makes instructions of one format.
#![no_std]
#![no_main]

use amdgpu_isa::gfx942::{Sop2, Sop2Op};
use amdgpu_isa_cortex_m::{code, exit, keep};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    for &byte in code() {
        let made = Sop2::new().with_op(Sop2Op::SAddU32).with_sdst(byte).map(|s| s.with_ssrc0(byte).with_ssrc1(128));
        match made {
            Ok(sop2) => keep(sop2.to_words()[0]),
            Err(error) => keep(error.value as u32),
        }
    }
    exit(true)
}
