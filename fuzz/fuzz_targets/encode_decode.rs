//! Instructions from arbitrary bytes: all of them decode from their bytes again, valid ones keep all rules, and nearly
//! valid ones are refused for the stated reason.
#![no_main]

mod input;

use amdgpu_isa::arbitrary::{Broken, near_valid_bytes, valid};
use amdgpu_isa::{Inst, decode, length};
use arbitrary::{Arbitrary, Unstructured};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((target, _, rest)) = input::split(data) else { return };
    let mut u = Unstructured::new(rest);
    // Any bytes make an instruction.
    while !u.is_empty() {
        match u.arbitrary::<u8>().unwrap_or(0) % 4 {
            0 => comes_back(&Inst::arbitrary(&mut u).unwrap_or_else(|e| panic!("{e}"))),
            1 => {
                let near = near_valid_bytes(target, &mut u).unwrap_or_else(|e| panic!("{target}: {e}"));
                let found = decode(target, near.bytes());
                match near.broken {
                    Broken::Decode(error) => assert_eq!(found, Err(error), "{near:?}"),
                    Broken::Rule(error) => assert_eq!(found.map(|inst| inst.check()), Ok(Err(error)), "{near:?}"),
                }
            }
            _ => {
                let inst = valid(target, &mut u).unwrap_or_else(|e| panic!("{target}: {e}"));
                assert_eq!((inst.check(), inst.is_canonical()), (Ok(()), true), "{inst:?}");
                comes_back(&inst);
            }
        }
    }
});

fn comes_back(inst: &Inst) {
    let mut out = [0; 20];
    let len = inst.encode(&mut out).expect("20 bytes are enough");
    assert_eq!(decode(inst.target(), &out[..len]), Ok(*inst));
    assert_eq!(decode(inst.target(), &out), Ok(*inst));
    assert_eq!(length(inst.target(), &out), Some(len), "{inst:?}");
}
