//! GCN 1.0 and 1.1, which LLVM assembles but does not disassemble: every text that the library prints assembles with
//! `llvm-mc-22` to the bytes that it was printed from, or the case falls in a class of the list below.
//!
//! Every opcode, every value of every field on its own (of wide immediates a sample), the others at several fillings:
//! two million texts a target, of which the tests take each eleventh. All of them:
//!
//! ```text
//! AMDGPU_ISA_WORDS=all cargo test --release --features all-targets --test assemble
//! ```
#![cfg(all(feature = "text", any(feature = "gfx600", feature = "gfx700")))]

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use amdgpu_isa::{Inst, Layout, Target, decode, decode_words};

/// Why a text may fail to come back: the format (empty: any), what the assembler says or in which fields its bytes
/// differ, and the reason why that is right.
const CLASSES: &[(&str, &str, &str)] = &[
    // Rules beyond decoding, which `llvm-mc` enforces and a disassembler must not.
    ("", "violates constant bus", "two different scalars in one vector operation"),
    ("", "lds_direct", "lds_direct where the operation cannot take it"),
    ("", "alignment", "a misaligned tuple is printed as the aligned one that hardware reads"),
    ("EXP", "invalid exp target", "a target that does not exist is shown by its number"),
    ("MIMG", "image data size does not match", "a dmask that an atomic does not have"),
    ("MIMG", "invalid atomic image dmask", "a dmask that an atomic does not have"),
    ("MIMG", "invalid image_gather dmask", "a gather with other than one component"),
    ("MUBUF", "TFE modifier has no meaning", "a store with tfe"),
    ("VINTRP", "invalid interpolation slot", "a parameter that does not exist is shown by its number"),
    ("VINTRP", "out of bounds interpolation attribute", "attributes 33 to 63 can be encoded"),
    // What the assembler lacks.
    ("FLAT", "invalid operand for instruction", "LLVM has no tfe for FLAT"),
    ("SOP1", "invalid operand for instruction", "vccz, execz and scc as a 64-bit source"),
    ("SOP2", "invalid operand for instruction", "s_cbranch_g_fork with a literal"),
    ("VOP3A", "integer clamping is not supported", "the clamp bit of a compare: signalling"),
    ("VOP3A", "literal operands are not supported", "a constant as a 16-bit source before GCN 1.2"),
    ("SOP1", "invalid instruction", "s_mov_regrd_b32 and s_mov_fed_b32 of the GCN page"),
    ("SOPK", "invalid instruction", "s_getreg_regrd_b32 of the GCN page"),
    // Words that mean the same: the text does not show what is not read.
    ("DS", "another offset0 offset1", "a bit mask of ds_swizzle_b32 has several encodings"),
    ("EXP", "another vsrc", "a source that is off"),
    ("EXP", "another en vsrc", "with compr two enable bits show one source"),
    ("FLAT", "another vdst", "the destination of an atomic that returns nothing"),
    ("MTBUF", "another vaddr", "an address that is off"),
    ("MUBUF", "another vaddr", "an address that is off"),
    ("MUBUF", "another vdata", "data that goes to LDS"),
    ("SOPP", "another simm16", "bits of s_waitcnt that no counter has"),
    ("VOP1", "another literal", "the upper half of a 16-bit literal"),
    ("VOP3A", "another encoding (VOP1 4 bytes)", "v_nop and v_clrexcp look alike in both encodings"),
];

/// Where the same bytes have another text in LLVM's listings than here: bytes, LLVM's text, ours.
///
/// How many address registers an image instruction reads depends on the image, its dimensions and offsets, which the
/// words do not tell; from gfx10 on they do. LLVM's assembler takes any number and drops it; here, as in LLVM's
/// disassembler of the next generation, it is the least that the operation reads.
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
    // No difference: before gfx8 1/(2*pi) is no inline constant, so there is nothing to tell the literal from.
    ("ff0e161083f9223e", "v_mul_f32_e32 v11, 0x3e22f983, v7", "v_mul_f32_e32 v11, 0x3e22f983, v7"),
];

/// Numbers that look random and are the same on every run.
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

/// Puts a value at the field's place.
fn place(bits: &mut u64, lsb: u8, width: u8, value: u64) {
    let mask = ((1u64 << width) - 1) << lsb;
    *bits = (*bits & !mask) | (value << lsb) & mask;
}

/// The words of one format: every opcode, every value of every field.
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
                    // Registers and small constants: fillings that most fields take.
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

/// What the assembler makes of each line: its bytes, or its message.
fn assemble(target: &str, lines: &[String]) -> Vec<Result<Vec<u8>, String>> {
    let mut child = Command::new("llvm-mc-22")
        .args(["--triple=amdgcn-amd-amdhsa", &format!("--mcpu={target}"), "--show-encoding"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("llvm-mc-22 is needed: install the Debian package llvm-22");
    let mut stdin = child.stdin.take().expect("piped");
    let text = lines.join("\n") + "\n";
    let feeder = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("llvm-mc-22 runs");
    feeder.join().expect("no panic").expect("llvm-mc-22 reads its input");
    let mut results: Vec<Option<Result<Vec<u8>, String>>> = vec![None; lines.len()];
    for line in String::from_utf8_lossy(&output.stderr).lines() {
        let Some(rest) = line.strip_prefix("<stdin>:") else { continue };
        let mut parts = rest.splitn(3, ':');
        let (Some(n), Some(message)) = (parts.next().and_then(|n| n.parse::<usize>().ok()), parts.nth(1)) else {
            continue;
        };
        if message.contains("error:") {
            results[n - 1].get_or_insert(Err(message.trim().to_string()));
        }
    }
    let stdout = String::from_utf8_lossy(&output.stdout);
    let mut encodings = stdout.lines().filter_map(|l| l.split_once("encoding: [")).map(|(_, e)| {
        let bytes = e.trim_end_matches(']').split(',').map(|b| u8::from_str_radix(b.trim_start_matches("0x"), 16));
        bytes.collect::<Result<Vec<u8>, _>>().unwrap_or_default()
    });
    for r in results.iter_mut().filter(|r| r.is_none()) {
        *r = Some(Ok(encodings.next().unwrap_or_default()));
    }
    assert!(encodings.next().is_none(), "more encodings than lines");
    results.into_iter().map(|r| r.expect("filled")).collect()
}

fn check(target: Target) {
    let all = std::env::var("AMDGPU_ISA_WORDS").is_ok_and(|v| v == "all");
    let mut rng = Rng(0x5eed);
    let (mut insts, mut lines) = (Vec::new(), Vec::new());
    for layout in target.layouts().iter().filter(|l| !l.extension) {
        let step = if all { 1 } else { 11 };
        for word in words(layout, &mut rng).into_iter().step_by(step) {
            // A literal that no inline constant can stand for.
            let dwords = [word as u32, if layout.bits > 32 { (word >> 32) as u32 } else { 0x1234_5678 }, 0x1234_5678];
            // Ignored bits do not come back: text does not show them.
            let Ok(inst) = decode_words(target, &dwords) else { continue };
            if inst.is_canonical() {
                insts.push(inst);
                lines.push(inst.to_string());
            }
        }
    }
    let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for ((inst, line), result) in insts.iter().zip(&lines).zip(assemble(target.name(), &lines)) {
        let mut bytes = [0; 20];
        let len = inst.encode(&mut bytes).expect("20 bytes are enough");
        let why = match result {
            Ok(got) if got == bytes[..len] => continue,
            Ok(got) if got.len() == len && misaligned(&got, &bytes[..len]) => "alignment".to_string(),
            Ok(got) => differing_fields(inst, &got),
            Err(message) => message,
        };
        let format = inst.format().name();
        let class = CLASSES.iter().find(|(f, c, _)| (f.is_empty() || *f == format) && why.contains(c));
        match class {
            Some((_, c, _)) => *classes.entry(c).or_default() += 1,
            None => {
                let key = format!("{}: {why}", inst.format());
                let sample = format!("{line} {:02x?}", &bytes[..len]);
                wrong.entry(key).or_insert((0, sample)).0 += 1;
            }
        }
    }
    let total: usize = wrong.values().map(|w| w.0).sum();
    eprintln!("{target}: {} texts, {total} wrong in {} groups; {classes:?}", lines.len(), wrong.len());
    for (key, (n, sample)) in wrong.iter().take(60) {
        eprintln!("  {n:6} {key}\n         {sample}");
    }
    assert!(lines.len() > 100_000, "too few words decode: {}", lines.len());
    assert_eq!(total, 0, "texts that do not come back");
    // GCN 1.0 has no FLAT; a slice need not meet the rare ones.
    let unused: Vec<_> = CLASSES.iter().filter(|(f, c, _)| *f != "FLAT" && !classes.contains_key(c)).collect();
    assert!(!all || unused.is_empty(), "classes that no text falls in: {unused:?}");
}

/// The fields in which the assembled bytes differ from the instruction's.
fn differing_fields(inst: &Inst, got: &[u8]) -> String {
    let Ok(other) = decode(inst.target(), got) else { return "bytes that are no instruction".into() };
    if other.format() != inst.format() || other.len() != inst.len() || other.opcode() != inst.opcode() {
        return format!("another encoding ({} {} bytes)", other.format(), other.len());
    }
    let differ = inst.fields().zip(other.fields()).filter(|(a, b)| !a.2.overlay && a.3 != b.3);
    let names: Vec<&str> = differ.map(|(a, _)| a.2.field.name()).collect();
    format!("another {}", names.join(" "))
}

/// The bytes differ only in low bits of scalar register fields.
fn misaligned(got: &[u8], want: &[u8]) -> bool {
    let bits = |b: &[u8]| b.iter().rev().fold(0u128, |n, &b| n << 8 | u128::from(b));
    let difference = bits(got) ^ bits(want);
    // One to three low bits of a scalar code: never more than the code's lowest two.
    difference.count_ones() <= 4
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

/// Both texts mean the bytes.
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
            assert_eq!(assemble(target.name(), &both), [Ok(bytes.clone()), Ok(bytes)], "{target} {hex}");
        }
    }
}
