//! Iteration over a buffer covers every byte, and continues after a dword that is not an instruction.

use crate::words::{Rng, bytes, encodings, legal};
use amdgpu_isa::errors::Invalid;
use amdgpu_isa::{Decoded, Decoder, Target, decode};

/// Iterates over code and checks the invariants. Returns the numbers of instructions, and of dwords that are not
/// instructions.
fn walk(target: Target, code: &[u8]) -> (usize, usize) {
    let (mut at, mut good, mut bad) = (0, 0, 0);
    let mut decoder = Decoder::new(target, code);
    for Decoded { offset, inst: item } in &mut decoder {
        assert_eq!(offset, at, "{target} {code:02x?}");
        let rest = &code[at..];
        match (item, decode(target, rest)) {
            (Ok(inst), again) => {
                assert_eq!(again, Ok(inst), "{target} {code:02x?}: at {at}");
                at += inst.len();
                good += 1;
            }
            (Err(Invalid { word, len, error, .. }), again) => {
                assert_eq!(again, Err(error), "{target} {code:02x?}: at {at}");
                assert_eq!(usize::from(len), rest.len().min(4), "{target} {code:02x?}: at {at}");
                let mut there = [0; 4];
                there[..usize::from(len)].copy_from_slice(&rest[..usize::from(len)]);
                assert_eq!(word, u32::from_le_bytes(there), "{target} {code:02x?}: at {at}");
                at += usize::from(len);
                bad += 1;
            }
        }
    }
    assert_eq!(at, code.len(), "{target} {code:02x?}: bytes are left");
    assert!(decoder.next().is_none(), "the walk ends once");
    (good, bad)
}

#[test]
fn random_buffers_are_walked_to_the_last_byte() {
    let mut rng = Rng(4);
    for &target in Target::ALL {
        let (mut good, mut bad) = (0, 0);
        for _ in 0..20_000 {
            let len = rng.below(90);
            let code: Vec<u8> = (0..len).map(|_| rng.number() as u8).collect();
            let (g, b) = walk(target, &code);
            (good, bad) = (good + g, bad + b);
        }
        assert!(good > 1000 && bad > 1000, "{target}: {good} instructions, {bad} other words");
    }
}

/// The iterator finds all instructions between dwords without a format, even if the code is cut off at any byte.
#[test]
fn the_walk_finds_its_way_back_after_a_word_that_is_none() {
    let mut rng = Rng(5);
    for &target in Target::ALL {
        let all = encodings(target);
        let junk: Vec<u32> = (0..512u32)
            .map(|top| top << 23)
            .filter(|w| matches!(decode(target, &w.to_le_bytes()), Err(amdgpu_isa::DecodeError::UnknownEncoding)))
            .collect();
        assert!(!junk.is_empty(), "{target}: every encoding is taken?");
        for _ in 0..300 {
            let mut code = Vec::new();
            let mut expected = Vec::new();
            for _ in 0..12 {
                if rng.below(3) == 0 {
                    let word = rng.pick(&junk);
                    expected.push((code.len(), Err(word)));
                    code.extend(word.to_le_bytes());
                } else {
                    let encoding = rng.pick(&all);
                    let found = legal(target, encoding, 2, &mut rng);
                    let inst = rng.pick(&found);
                    expected.push((code.len(), Ok(inst)));
                    code.extend(bytes(inst.words()));
                }
            }
            let found: Vec<_> = Decoder::new(target, &code)
                .map(|Decoded { offset: at, inst: item }| (at, item.map_err(|i| i.word)))
                .collect();
            assert_eq!(found, expected, "{target}");
            let cut = rng.below(code.len());
            walk(target, &code[..cut]);
        }
    }
}
