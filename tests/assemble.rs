//! GCN 1.0 and 1.1, which LLVM assembles but does not disassemble: from every text that the library prints,
//! `llvm-mc-22` makes the original bytes, or the case falls in one of the classes of tests/llvm/assembler.rs.
//!
//! The texts have every opcode and every value of every field on its own (a sample for wide immediates), with several
//! fillings of the other fields: two million texts for each target. The tests take every thirty-first text. The full
//! run:
//!
//! ```text
//! AMDGPU_ISA_WORDS=all cargo test --release --features all-targets --test library assemble::
//! ```
#![cfg(all(feature = "text", any(feature = "gfx600", feature = "gfx700")))]

use crate::llvm_mc;

use std::collections::BTreeMap;

use amdgpu_isa::layout::Layout;
use amdgpu_isa::{Target, decode, decode_words};
use llvm_mc::{CLASSES, assemble};

/// Bytes, LLVM's text of them, and the library's text. The two texts differ, except in the last row.
///
/// The number of address registers of an image instruction depends on the image, its dimensions and offsets, which are
/// not in the words before gfx10. LLVM's assembler accepts any number and drops it. The library prints the least number
/// that the operation reads, as LLVM's disassembler does for the next generation.
const IMAGE_ADDRESSES: &[(&str, &str, &str)] = &[
    (
        "000780f0090f4000",
        "image_sample v[15:17], v[9:10], s[0:7], s[8:11] dmask:0x7",
        "image_sample v[15:17], v9, s[0:7], s[8:11] dmask:0x7",
    ),
    (
        "0041a0f00b044000",
        "image_sample_c v4, v[11:14], s[0:7], s[8:11] dmask:0x1 da",
        "image_sample_c v4, v[11:12], s[0:7], s[8:11] dmask:0x1 da",
    ),
    (
        "00021cf109004000",
        "image_gather4_lz v[0:3], v[9:10], s[0:7], s[8:11] dmask:0x2",
        "image_gather4_lz v[0:3], v9, s[0:7], s[8:11] dmask:0x2",
    ),
    (
        "001700f0050e0000",
        "image_load v[14:16], v[5:6], s[0:7] dmask:0x7 unorm",
        "image_load v[14:16], v5, s[0:7] dmask:0x7 unorm",
    ),
    (
        "001f20f004000000",
        "image_store v[0:3], v[4:5], s[0:7] dmask:0xf unorm",
        "image_store v[0:3], v4, s[0:7] dmask:0xf unorm",
    ),
    (
        "003144f004070000",
        "image_atomic_add v7, v[4:5], s[0:7] dmask:0x1 unorm glc",
        "image_atomic_add v7, v4, s[0:7] dmask:0x1 unorm glc",
    ),
    // Before gfx8 1/(2*pi) is not an inline constant, so the literal is unambiguous, and both texts are the same.
    ("ff0e161083f9223e", "v_mul_f32_e32 v11, 0x3e22f983, v7", "v_mul_f32_e32 v11, 0x3e22f983, v7"),
];

/// A generator of pseudo-random numbers that are the same on every run.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Stores a value in a field.
fn place(bits: &mut u64, lsb: u8, width: u8, value: u64) {
    let mask = ((1u64 << width) - 1) << lsb;
    *bits = (*bits & !mask) | (value << lsb) & mask;
}

/// The words of one format: every opcode, with every value of every field, or a sample of the values of wide fields.
fn words(layout: &Layout, rng: &mut Rng) -> Vec<u64> {
    let mut out = Vec::new();
    let mut fixed = 0u64;
    for f in layout.fields {
        if let Some(v) = f.fixed {
            place(&mut fixed, f.lsb, f.width, v.into());
        }
    }
    let op = layout.fields.iter().find(|f| f.field.name() == "op");
    let numbers = op.map_or(1, |f| 1u64 << f.width);
    let free = || {
        layout
            .fields
            .iter()
            .filter(|f| f.fixed.is_none() && !f.overlay && !["op", "reserved"].contains(&f.field.name()))
    };
    for number in 0..numbers {
        for filling in 0..3 {
            let mut base = fixed;
            if let Some(f) = op {
                place(&mut base, f.lsb, f.width, number);
            }
            for f in free() {
                let value = match filling {
                    0 => 0,
                    // Registers and small constants, which most fields accept.
                    1 => (u64::from(f.width >= 7) * (2 + rng.next() % 8 * 2)) | (u64::from(f.width == 9) << 8),
                    _ => rng.next() % 128,
                };
                place(&mut base, f.lsb, f.width, value);
            }
            for f in free() {
                let all = 1u64 << f.width;
                let values: Vec<u64> = if all <= 512 {
                    (0..all).collect()
                } else {
                    (0..96).map(|i| if i < 32 { i } else { rng.next() }).collect()
                };
                for value in values {
                    let mut word = base;
                    place(&mut word, f.lsb, f.width, value);
                    out.push(word);
                }
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn check(target: Target) {
    let all = std::env::var("AMDGPU_ISA_WORDS").is_ok_and(|v| v == "all");
    let mut rng = Rng(0x5eed);
    let (mut insts, mut lines) = (Vec::new(), Vec::new());
    for layout in target.layouts().iter().filter(|l| !l.extension) {
        let step = if all { 1 } else { 31 };
        for word in words(layout, &mut rng).into_iter().step_by(step) {
            // A literal for which there is no inline constant.
            let dwords = [word as u32, if layout.bits > 32 { (word >> 32) as u32 } else { 0x1234_5678 }, 0x1234_5678];
            // Skip words with ignored bits, which the text does not show.
            let Ok(inst) = decode_words(target, &dwords) else { continue };
            if inst.is_canonical() {
                insts.push(inst);
                lines.push(inst.to_string());
            }
        }
    }
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for ((inst, line), result) in insts.iter().zip(&lines).zip(assemble(target, &lines)) {
        match llvm_mc::class(inst, result) {
            Ok(None) => {}
            Ok(Some(class)) => *classes.entry(class).or_default() += 1,
            Err(why) => {
                let key = format!("{}: {why}", inst.format());
                wrong.entry(key).or_insert((0, format!("{line} {:08x?}", inst.words()))).0 += 1;
            }
        }
    }
    let total: usize = wrong.values().map(|w| w.0).sum();
    eprintln!("{target}: {} texts, {total} wrong in {} groups; {classes:?}", lines.len(), wrong.len());
    for (key, (n, sample)) in wrong.iter().take(60) {
        eprintln!("  {n:6} {key}\n         {sample}");
    }
    assert!(lines.len() > 50_000, "too few words decode: {}", lines.len());
    assert_eq!(total, 0, "texts that do not come back");
    // GCN 1.0 has no FLAT, and a partial run need not reach the rare classes.
    let unused: Vec<_> = CLASSES.iter().filter(|class| class.format != "FLAT").map(|class| class.says).collect();
    let unused: Vec<_> = unused.into_iter().filter(|says| !classes.contains_key(says)).collect();
    assert!(!all || unused.is_empty(), "classes that no text falls in: {unused:?}");
}

#[cfg(feature = "gfx600")]
#[test]
fn gfx600_texts_assemble() {
    check(Target::Gfx600);
}

#[cfg(feature = "gfx700")]
#[test]
fn gfx700_texts_assemble() {
    check(Target::Gfx700);
}

/// LLVM assembles both texts to the same bytes.
#[test]
fn listings_differ_in_what_the_words_do_not_hold() {
    for &target in Target::ALL.iter().filter(|t| ["gfx600", "gfx700"].contains(&t.name())) {
        for &(hex, theirs, ours) in IMAGE_ADDRESSES {
            let bytes: Vec<u8> = (0..hex.len())
                .step_by(2)
                .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hex digits"))
                .collect();
            let inst = decode(target, &bytes).unwrap_or_else(|e| panic!("{target} {hex}: {e}"));
            assert_eq!(inst.to_string(), ours, "{target} {hex}");
            let both = [theirs.to_string(), ours.to_string()];
            assert_eq!(assemble(target, &both), [Ok(bytes.clone()), Ok(bytes)], "{target} {hex}");
        }
    }
}
