//! `length` returns the length of every instruction that `decode` accepts, and every text fits in its buffer.
#![cfg(feature = "text")]

use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Target, decode, length};

/// Tries every value of the upper 16 bits, with lower bits that announce literals, SDWA and DPP, and with random ones.
#[test]
fn length_is_that_of_decode() {
    let mut random = 0x2545_f491_4f6c_dd1du64;
    let mut text = TextBuffer::new();
    for &target in Target::ALL {
        let (mut accepted, mut longest) = (0, 0);
        for top in 0..=0xffffu32 {
            for low in [0u32, 0x00ff, 0xff00, 0x01ff, 0x00f9, 0x00fa, 0x1234].into_iter().chain(0..4) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let low = if low < 4 { random as u32 & 0xffff } else { low };
                let mut bytes = [0; 20];
                bytes[..4].copy_from_slice(&(top << 16 | low).to_le_bytes());
                bytes[4..12].copy_from_slice(&(random & random.rotate_left(21)).to_le_bytes());
                if let Ok(inst) = decode(target, &bytes) {
                    assert_eq!(length(target, &bytes), Some(inst.len()), "{target} {inst:?}");
                    longest = longest.max(text.print(&inst).len());
                    accepted += 1;
                }
            }
        }
        let expected = if target.processor().starts_with("gfx1") { 10_000 } else { 100_000 };
        assert!(accepted > expected, "{target}: {accepted}");
        assert!(longest <= 256, "{target}: a text of {longest} bytes");
    }
}
