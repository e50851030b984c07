//! Makes two instructions with constructors: the image has only the constructors that it calls.
#![no_std]
#![no_main]

use amdgpu_isa::gfx942;
use amdgpu_isa::make::{int, off, s, v};
use amdgpu_isa_cortex_m::{code, exit, keep};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    for &byte in code() {
        let add = gfx942::s_add_u32(s(byte), s(byte), int(1)).words();
        let load = gfx942::global_load_dwordx4(v(byte), v(byte), off()).offset(16).words();
        for made in [add, load] {
            match made {
                Ok(words) => words.padded().into_iter().for_each(keep),
                Err(_) => keep(0),
            }
        }
    }
    exit(true)
}
