//! Every error says what to do and has the right exit code: 1 for bad input, 2 for a wrong command line.

use crate::run;
use crate::samples::*;

fn bad_input(input: &[u8], expected: &str) {
    let message = run(&["dis", "-"], input).fails(1);
    assert!(message.contains(expected), "{expected:?} is not in {message:?}");
    assert!(message.contains("standard input"), "{message}");
}

#[test]
fn unreadable_files() {
    let message = run(&["dis", "there/is/no.such.file"], b"").fails(1);
    assert!(message.contains("cannot read there/is/no.such.file"), "{message}");
    assert!(run(&["dis", env!("CARGO_MANIFEST_DIR")], b"").fails(1).contains("cannot read"));
}

#[test]
fn empty_and_unknown_input() {
    bad_input(b"", "empty");
    assert!(run(&["dis", "--raw", "--target", "gfx942", "-"], b"").fails(1).contains("empty"));
    bad_input(b"hello world", "--raw --target");
    bad_input(&[0; 64], "--raw --target");
}

#[test]
fn damaged_elf_files() {
    bad_input(b"\x7fELF", "cut off");
    bad_input(&code_object(GFX942)[..100], "cut off");
    let object = code_object(GFX942);
    bad_input(&object[..object.len() - 1], "damaged or cut off");
}

#[test]
fn code_sections_that_overlap() {
    let mut object = code_object_flags(GFX942, &[S_NOP; 200], &[]);
    // Section headers are at the end; all five become `.text`.
    let table = object.len() - 6 * 64;
    let text = object[table + 64..table + 128].to_vec();
    (2..5).for_each(|i| object[table + 64 * i..table + 64 * (i + 1)].copy_from_slice(&text));
    bad_input(&object, "its code sections overlap");
}

#[test]
fn nothing_for_a_gpu() {
    bad_input(&host(vec![]), "neither a section `.hip_fatbin`");
    bad_input(&bundle(&[(HOST_ID, b"x")]), "no code for a GPU");
    bad_input(&bundle(&[]), "no code for a GPU");
    bad_input(&code_object(GFX1250), "gfx1250, which this build cannot decode; it knows gfx600");
    bad_input(&code_object_flags(GFX942, &[], &[]), "no executable section");
}

#[test]
fn damaged_bundles() {
    let good = usual_bundle();
    bad_input(&good[..good.len() - 1], "cut off");
    let mut junk = good.clone();
    junk.extend(b"junk");
    bad_input(&junk, "another offload bundle");
    bad_input(&bundle(&[(ID_942, b"junk")]), "neither an ELF file");
    let mut overlap = bundle(&[(ID_942, &[1; 100]), (ID_942, &[1; 100])]);
    let size = 32 + 8;
    overlap[size..size + 8].copy_from_slice(&200u64.to_le_bytes());
    let end = overlap.len() as u64;
    let second = 32 + 24 + ID_942.len();
    overlap[second..second + 8].copy_from_slice(&(end - 200).to_le_bytes());
    overlap[second + 8..second + 16].copy_from_slice(&200u64.to_le_bytes());
    bad_input(&overlap, "overlap");
}

#[test]
fn damaged_compressed_bundles() {
    let plain = usual_bundle();
    let size = plain.len() as u64;
    let packed = pack(Method::Zstd, &plain);
    bad_input(&compressed(4, 1, &packed, size), "version 4 is not known");
    bad_input(&compressed(3, 7, &packed, size), "method 7 is not known");
    bad_input(&compressed(3, 0, &packed, size), "cannot decompress");
    bad_input(&compressed(3, 1, &packed, size + 1), "promises");
    bad_input(&compressed(3, 1, &packed, size - 1), "promises");
    bad_input(&compressed(3, 1, &packed, u64::MAX), "beyond the limit");
    bad_input(&compressed(3, 1, &packed[..packed.len() / 2], size), "cannot decompress");
    let whole = compressed(3, 1, &packed, size);
    bad_input(&whole[..whole.len() - 1], "cut off");
    bad_input(&compress(3, Method::Zlib, &compress(3, Method::Zlib, &plain)), "inside a compressed bundle");
}

#[test]
fn wrong_command_lines() {
    for args in [
        &["dis"][..],
        &["dis", "--raw", "-"],
        &["dis", "--base", "4", "-"],
        &["dis", "--target", "gfx942:xnack", "-"],
        &["dis", "--color", "sometimes", "-"],
        &["explain", "--target", "gfx942"],
        &["explain", "0xbf800000"],
        &["nonsense"],
    ] {
        run(args, b"").fails(2);
    }
    for command in ["dis", "explain"] {
        let message = run(&[command, "--target", "gfx9999", "0xbf800000"], b"").fails(2);
        assert!(message.contains("unknown target \"gfx9999\"; this build knows gfx600, gfx700, gfx803"), "{message}");
    }
}

#[test]
fn help_names_the_commands_and_targets() {
    let help = run(&["--help"], b"").ok();
    assert!(["dis", "explain", "batch", "gfx942"].iter().all(|word| help.contains(word)), "{help}");
    assert!(run(&["--version"], b"").ok().starts_with("amdgpu-isa "));
}
