//! The repairs of `lint --fix` in random programs; `fuzz/fuzz_targets/lint.rs` tests more of them.
#![cfg(all(feature = "alloc", feature = "text", feature = "arbitrary", has_target))]

mod check;

use amdgpu_isa::Target;
use arbitrary::Unstructured;

#[test]
fn random_programs_are_mended() {
    let mut random = 0x9e37_79b9_7f4a_7c15u64;
    let (mut all, mut repaired) = (0, 0);
    for &target in Target::ALL {
        for _ in 0..12 {
            let bytes: Vec<u8> = (0..100)
                .flat_map(|_| {
                    random ^= random << 13;
                    random ^= random >> 7;
                    random ^= random << 17;
                    random.to_le_bytes()
                })
                .collect();
            let mut u = Unstructured::new(&bytes);
            all += 1;
            repaired += usize::from(check::check(target, &mut u).expect("there are bytes enough"));
        }
    }
    assert!(repaired > all / 2, "{repaired} of {all}");
}
