//! Walks code and prints it.
#![no_std]
#![no_main]

use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Decoded, Decoder};
use amdgpu_isa_cortex_m::{code, exit, keep, print, target};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    let mut text = TextBuffer::new();
    for Decoded { inst: item, .. } in Decoder::new(target(), code()) {
        match item {
            Ok(inst) => print(text.print(&inst)),
            Err(invalid) => keep(invalid.word),
        }
    }
    exit(true)
}
