//! Decoding and encoding are exact inverses, for every target: a sample of all first dwords on every run, iteration
//! over buffers, printing, and operands inside the register files. The tests try arbitrary bytes, not only real code.
#![cfg(has_target)]

mod operands;
#[cfg(feature = "text")]
mod printing;
mod walk;
use crate::words;
use amdgpu_prove::check;

use amdgpu_isa::{DecodeError, Format, Inst, Target, decode, decode_words};
use std::hash::{BuildHasher, RandomState};
use words::{Rng, bytes, is_rdna};

/// Low halves of the first dword for every high half: zeros, ones, and the codes that announce a trailing dword.
const LOW_HALVES: [u32; 6] = [0x0000, 0xffff, 0x00ff, 0x02f9, 0x02fa, 0x8180];

/// Calls `each` with words of every possible beginning: every value of the upper 16 bits with some lower halves, and a
/// random sample. `each` gets the five dwords of one in `step` of these words, and in the quick run only a third of
/// those. The dwords after the first are random, with some zeros and ones.
fn slice_of_all_words(target: Target, step: usize, mut each: impl FnMut([u32; 5])) {
    let step = if words::is_full() { step } else { 3 * step };
    let seed = std::env::var("AMDGPU_ISA_SEED").map_or(0x942, |s| s.parse().expect("AMDGPU_ISA_SEED is a number"));
    println!("{target}: seed {seed} (AMDGPU_ISA_SEED)");
    let mut rng = Rng(seed);
    let systematic = (0..=0xffff).flat_map(|high: u32| LOW_HALVES.map(|low| high << 16 | low));
    for first in systematic.map(Some).chain((0..150_000).map(|_| None)).step_by(step) {
        let first = first.unwrap_or_else(|| rng.word());
        let mut words = [first, 0, 0, 0, 0];
        words[1..].iter_mut().for_each(|w| *w = rng.word());
        // Zeros are valid more often than other values.
        words[1] = [words[1], words[1] & rng.word() & rng.word(), 0, u32::MAX][rng.below(4)];
        each(words);
    }
}

/// Makes the checks that `amdgpu-isa prove` makes of all words.
fn comes_back(target: Target, words: &[u32; 5], inst: &Inst) {
    let checked = check::instruction(&check::Library, target, words, inst);
    let checked = checked.and_then(|()| check::besides(&check::Library, target, words, inst));
    checked.unwrap_or_else(|fault| panic!("{target} {words:08x?}: {inst:?}: {fault}"));
}

#[test]
fn every_word_is_refused_or_comes_back_bit_for_bit() {
    let hasher = RandomState::new();
    for &target in Target::ALL {
        let mut accepted = 0;
        slice_of_all_words(target, 1, |words| match decode(target, &check::bytes(&words)) {
            Err(error) => check::refusal(&check::Library, target, &words, error)
                .unwrap_or_else(|fault| panic!("{target} {words:08x?}: {error}: {fault}")),
            Ok(inst) => {
                accepted += 1;
                comes_back(target, &words, &inst);
                // The instruction does not depend on the dwords after it.
                let again = decode_words(target, inst.words()).unwrap_or_else(|e| panic!("{target} {inst:?}: {e}"));
                assert_eq!(hasher.hash_one(again), hasher.hash_one(inst));
            }
        });
        assert!(accepted > 5_000, "{target}: only {accepted} words were instructions");
    }
}

#[test]
fn too_few_bytes_say_how_many_are_needed() {
    for &target in Target::ALL {
        slice_of_all_words(target, 11, |words| {
            let code = bytes(&words);
            let whole = decode(target, &code);
            assert!(!matches!(whole, Err(DecodeError::Truncated { .. })), "{target} {code:02x?}: more than 20 bytes?");
            for n in 0..code.len() {
                match decode(target, &code[..n]) {
                    Err(DecodeError::Truncated { needed }) => {
                        let needed = usize::from(needed);
                        assert!(needed > n && needed <= code.len(), "{target} {code:02x?}: {n} bytes, {needed} needed");
                        let enough = decode(target, &code[..needed]);
                        let still = matches!(enough, Err(DecodeError::Truncated { .. }));
                        // Whether a third dword is needed is only known with the second one.
                        let known = if is_rdna(target) { 8 } else { 4 };
                        assert!(!still || n < known, "{target} {code:02x?}: {needed} bytes were not enough");
                        assert!(still || enough == whole, "{target} {code:02x?}: {n} bytes");
                    }
                    other => assert_eq!(other, whole, "{target} {code:02x?}: {n} bytes"),
                }
            }
            if let Ok(inst) = whole {
                let short = decode(target, &code[..inst.len() - 1]);
                let needed = if inst.len() == 4 { 4 } else { inst.len() as u8 };
                assert_eq!(short, Err(DecodeError::Truncated { needed }), "{target} {inst:?}");
                let mut out = [0; 20];
                let error = inst.encode(&mut out[..inst.len() - 1]).unwrap_err();
                assert_eq!(usize::from(error.needed), inst.len());
                let mut out = [0; 5];
                let error = inst.encode_words(&mut out[..inst.len() / 4 - 1]).unwrap_err();
                assert_eq!(usize::from(error.needed), inst.len() / 4);
                assert_eq!(inst.encode_words(&mut out), Ok(inst.len() / 4));
                assert_eq!(&out[..inst.len() / 4], inst.words());
            }
        });
    }
}

/// The sample above contains few words of the wide formats, so this tests every opcode, with fields filled until it
/// decodes.
#[test]
fn every_opcode_comes_back_bit_for_bit() {
    let mut rng = Rng(64);
    for &target in Target::ALL {
        for encoding in words::encodings(target) {
            for inst in words::legal(target, encoding, 12, &mut rng) {
                let mut words = [0x5555_aaaa; 5];
                words[..inst.len() / 4].copy_from_slice(inst.words());
                comes_back(target, &words, &inst);
                let listed: Vec<_> = inst.opcode().encodings(target).map(|e| e.format).collect();
                assert!(listed.contains(&inst.format()), "{inst:?}: {listed:?}");
            }
        }
    }
}

/// v_nop has no operands, and so ignores every field of the dword that SDWA adds.
#[test]
fn a_nop_ignores_the_fields_of_its_extension() {
    let sdwa = |target: &Target| target.layouts().iter().find(|layout| layout.format == Format::Sdwa);
    for (&target, layout) in Target::ALL.iter().filter_map(|target| Some((target, sdwa(target)?))) {
        for field in layout.fields.iter().filter(|field| field.field.name() != "reserved") {
            for bit in field.lsb..field.lsb + field.width {
                let nop = decode_words(target, &[0x7e00_00f9, 1 << bit]).map(|inst| (inst.opcode().name(), inst.len()));
                assert_eq!(nop, Ok(("v_nop", 8)), "{target}: bit {bit}, {:?}", field.field);
            }
        }
    }
}
