//! Any bytes, for any target: instructions that decode encode to the same bytes, and the iterator covers every byte.
#![no_main]

mod input;

use amdgpu_isa::errors::Invalid;
use amdgpu_isa::layout::HeldField;
use amdgpu_isa::{DecodeError, Decoded, Decoder, Inst, Target, decode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Some((target, _, code)) = input::split(data) else { return };
    let mut at = 0;
    for Decoded { offset, inst: item } in Decoder::new(target, code) {
        assert_eq!(offset, at, "the walk left bytes out");
        match item {
            Ok(inst) => {
                inverse(target, &inst, &code[at..]);
                at += inst.len();
            }
            Err(Invalid { word, len, error, .. }) => {
                let len = usize::from(len);
                assert_eq!(len, (code.len() - at).min(4));
                assert_eq!(word.to_le_bytes()[..len], code[at..at + len]);
                refused(target, error, &code[at..]);
                at += len;
            }
        }
    }
    assert_eq!(at, code.len(), "the walk stopped early");
});

fn inverse(target: Target, inst: &Inst, code: &[u8]) {
    let mut out = [0; 20];
    let len = inst.encode(&mut out).expect("20 bytes are enough");
    assert_eq!(len, inst.len());
    assert_eq!(out[..len], code[..len], "{inst:?}");
    assert_eq!(decode(target, &out[..len]), Ok(*inst));
    let short = decode(target, &out[..len - 4]);
    assert!(matches!(short, Err(DecodeError::Truncated { .. })), "{inst:?}: {short:?}");
    // No query panics, and the answers are consistent.
    assert!(inst.operands().all(|o| o.bits > 0));
    for HeldField { info, value, .. } in inst.fields() {
        assert!(u64::from(value) >> (info.width + info.hi_width) == 0, "{inst:?}: {} = {value}", info.field);
        assert!(inst.get(info.field).is_some());
    }
    assert!(inst.branch_target(u64::MAX).is_some() == inst.branch_target(0).is_some());
    assert!(inst.opcode().encodings(target).any(|e| e.format == inst.format()));
}

/// Checks that an error asks for more bytes only if there are too few.
fn refused(target: Target, error: DecodeError, code: &[u8]) {
    if let DecodeError::Truncated { needed } = error {
        assert!(usize::from(needed) > code.len() && needed <= 20 && needed % 4 == 0, "{target} {code:02x?}: {needed}");
    }
}
