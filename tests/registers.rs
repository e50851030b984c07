//! The examples' report of used registers, for every sample object: no kernel uses more registers than the compiler has
//! written into its descriptor, and up to 256 vector registers, both have the same number of granules.
#![cfg(all(feature = "all-targets", feature = "text"))]

#[path = "../examples/registers.rs"]
mod tool;
use crate::words;

use amdgpu_isa::Target;
use std::path::Path;
use tool::code_object::read;

#[test]
fn kernels_use_what_their_descriptors_say() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let mut kernels = 0;
    for &target in Target::ALL {
        let directory = root.join(target.name().replace(':', "-"));
        for entry in std::fs::read_dir(directory).expect("each target has samples") {
            let path = entry.expect("an entry").path();
            let bytes = std::fs::read(&path).expect("it is there");
            let object = read(&bytes).expect("a code object");
            assert_eq!(object.target, target);
            for kernel in &object.kernels {
                kernels += 1;
                let used = tool::used(&object, &bytes, kernel).expect("it decodes");
                // LLVM's AMDGPU usage guide, "Kernel Descriptor": compute_pgm_rsrc1 at byte 48, rsrc3 at byte 44.
                let word = |at: usize| u32::from_le_bytes(kernel.descriptor[at..at + 4].try_into().expect("4 bytes"));
                let (rsrc1, rsrc3) = (word(48), word(44));
                let unified = words::has_unified_registers(target);
                // CDNA5 has 1024 registers. Instructions can name 256 of them without s_set_vgpr_msb.
                let many = target.generation() == "CDNA5";
                let granule = if many {
                    16
                } else if unified || target.wave_size() == 32 {
                    8
                } else {
                    4
                };
                let granted = (rsrc1 & 63) as u16 + 1;
                if many && granted * granule > 256 {
                    assert!(used.vgprs > 240, "{target} {}: {used:?}", kernel.name);
                    continue;
                }
                let needed = match unified {
                    true if used.agprs > 0 => {
                        let offset = ((rsrc3 & 63) as u16 + 1) * 4;
                        assert!(offset >= used.vgprs, "{}: {used:?}", kernel.name);
                        offset + used.agprs
                    }
                    _ => used.vgprs,
                };
                assert_eq!(needed.div_ceil(granule).max(1), granted, "{target} {}: {used:?}", kernel.name);
                // From RDNA on the field of scalar registers is reserved, and each wave has all 106 registers.
                let all = target.with_wave_size(32).is_some();
                assert!(!all || rsrc1 >> 6 & 15 == 0, "{target} {}: {rsrc1:#x}", kernel.name);
                let sgprs = if all { 106 } else { ((rsrc1 >> 6 & 15) as u16 + 1) * 8 };
                assert!(used.sgprs <= sgprs, "{target} {}: {used:?}, and {sgprs} scalar registers", kernel.name);
            }
        }
    }
    println!("{kernels} kernels");
    assert!(kernels >= 130);
}
