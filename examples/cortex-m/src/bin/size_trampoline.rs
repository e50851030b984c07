//! Walks code, and leads it through a trampoline within the reach of a branch.
#![no_std]
#![no_main]

use amdgpu_isa::patch::Trampoline;
use amdgpu_isa_cortex_m::{code_mut, exit, keep, target, walk};

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    walk(|hook, _| {
        let mut area = [0u32; 16];
        let trampoline = Trampoline { target: target(), hook, area: 0x8000, far: None };
        match trampoline.install_near(code_mut(), 0, &[0], &mut area) {
            Ok(installed) => keep(installed.len as u32),
            Err(_) => keep(1),
        }
        keep(area.iter().fold(0, |all, word| all ^ word));
    });
    exit(true)
}
