//! Every error says how to correct it, and has the right exit code: 1 for bad input, 2 for a wrong command line.

use super::run;
use super::samples::*;

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
    // Section headers are at the end. Those of the three sections after `.text` become copies of its header.
    let table = object.len() - 6 * 64;
    let text = object[table + 64..table + 128].to_vec();
    (2..5).for_each(|i| object[table + 64 * i..table + 64 * (i + 1)].copy_from_slice(&text));
    is_damaged(&object, 0, &["section .text overlaps others"]);
}

#[test]
fn nothing_for_a_gpu() {
    bad_input(&host(vec![]), "neither a section `.hip_fatbin`");
    bad_input(&bundle(&[(HOST_ID, b"x")]), "no code for a GPU");
    bad_input(&bundle(&[]), "no code for a GPU");
    bad_input(&code_object(TURKS), "turks, which this build cannot decode; it knows gfx600");
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

/// Checks that the code in a damaged file is listed, that the message has the place of the damage, and that the exit
/// code is 1.
fn is_damaged(input: &[u8], kernels: usize, expected: &[&str]) {
    let run = run(&["dis", "-"], input);
    assert_eq!(run.out.matches("// kernel").count(), kernels, "{}{}", run.out, run.err);
    let message = run.fails(1);
    assert!(expected.iter().all(|part| message.contains(part)), "{expected:?} is not in {message}");
    assert!(message.contains("error: standard input: "), "{message}");
}

#[test]
fn damage_to_one_bundle_hides_no_other() {
    let good = usual_bundle();
    let mut bad = good.clone();
    // The place is that of the length of the second entry's id.
    let at = 32 + 24 + HOST_ID.len() + 16;
    bad[at..at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let place = format!("offload bundle at {:#x}: entry 1 of 4", good.len());
    for chain in [[&good[..], &bad, &good].concat(), [&good[..], &bad, &[0; 99], &good].concat()] {
        is_damaged(&chain, 2, &[&place, "an entry's id needs 18446744073709551615 bytes"]);
        is_damaged(&host(chain.clone()), 2, &["section .hip_fatbin at 0x40: offload bundle at 0x", ": entry 1 of 4"]);
        is_damaged(
            &archive(&[("a.o", &host(chain.clone())), ("b.o", &host(good.clone()))]),
            3,
            &["member a.o at 0x44"],
        );
    }
    let packed = compress(3, Method::Zstd, &good);
    let mut bad = packed.clone();
    bad[40..60].fill(0x5a);
    let place = format!("compressed bundle at {:#x}", packed.len());
    is_damaged(&[&packed[..], &bad, &packed].concat(), 2, &[&place]);
    is_damaged(&[&packed[..], b"CCOBjunk", &good].concat(), 2, &[&place, "is not known"]);
    is_damaged(&[&good[..], b"junk", &packed].concat(), 2, &["should hold another offload bundle"]);
    let image = offload("amdgcn-amd-amdhsa", "gfx942", &code_object(GFX942));
    let mut bad = image.clone();
    bad[16] = 0xff;
    bad[17] = 0xff;
    is_damaged(&[&image[..], &bad, &image].concat(), 2, &[&format!("offload binary at {:#x}", image.len())]);
}

#[test]
fn damage_to_one_entry_hides_no_other() {
    let code = code_object(GFX942);
    let id = "hip-amdgcn-amd-amdhsa--gfx942";
    let mut middle = bundle(&[(ID_942, &code), (id, b"junk"), (ID_942, &code)]);
    is_damaged(
        &middle,
        2,
        &["offload bundle at 0x0: entry hip-amdgcn-amd-amdhsa--gfx942 at 0x", ": neither an ELF file"],
    );
    // The offset of an entry is not in the bundle.
    let at = 32 + 24 + ID_942.len();
    middle[at..at + 8].copy_from_slice(&0xffff_ff00u64.to_le_bytes());
    is_damaged(&middle, 2, &["entry hip-amdgcn-amd-amdhsa--gfx942 at 0xffffff00: cut off: it claims 0x4 bytes"]);
    let packed = compress(2, Method::Zlib, &middle);
    is_damaged(&packed, 2, &["compressed bundle at 0x0: offload bundle at 0x0 of the decompressed data: entry hip-"]);
    let several = offload_v2(&[
        ("amdgcn-amd-amdhsa", "gfx942", &code),
        ("amdgcn-amd-amdhsa", "gfx942", b"junk"),
        ("amdgcn-amd-amdhsa", "gfx942", &code),
    ]);
    is_damaged(&several, 2, &["offload binary at 0x0: entry amdgcn-amd-amdhsa--gfx942 at 0x"]);
}

#[test]
fn damage_to_an_archive_hides_no_member() {
    let code = code_object(GFX942);
    let file = archive(&[("a.o", &code), ("b.o", &code[..70]), ("text", b"not a code object"), ("c.o", &code)]);
    is_damaged(&file, 2, &["member b.o at 0x", ": the ELF file is damaged or cut off: the section headers at 0x"]);
    let mut bad = archive(&[("a.o", &code), ("b.o", &code), ("c.o", &code)]);
    let second = 8 + 60 + code.len().next_multiple_of(2);
    bad[second + 50] = b'x';
    is_damaged(&bad, 2, &[&format!("there is no header of a member at {second:#x}")]);
    let good = archive(&[("a.o", &code), ("c.o", &code)]);
    is_damaged(&good[..good.len() - 2], 2, &["member c.o at 0x", "cut off: it claims"]);
    bad_input(b"!<thin>\n", "a thin archive");
    bad_input(b"!<arch>\n", "no code for a GPU");
    // A symbol table is not a member, whatever it holds.
    for table in ["/SYM64", ""] {
        bad_input(&archive(&[(table, &code)]), "no code for a GPU");
    }
}

#[test]
fn what_a_cut_off_code_object_still_holds_is_shown() {
    let file = include_bytes!("files/v5");
    let code = |shown: &str| shown.lines().filter(|line| line.starts_with('\t')).count();
    for (len, expected) in [
        (file.len() - 1, "the section headers at 0x"),
        // Without section headers, the program headers show the code.
        (0x308, "the section headers at 0x"),
        (0x304, "an executable segment: 8 bytes are claimed at 0x300, and the file has 0x304"),
    ] {
        let run = run(&["dis", "-"], &file[..len]);
        assert_eq!(code(&run.out), if len == 0x304 { 1 } else { 2 }, "{len:#x}: {}{}", run.out, run.err);
        assert!(run.fails(1).contains(expected), "{len:#x}");
    }
    // The header of the symbol table leads outside of the file.
    let mut object = code_object(GFX942);
    let table = object.len() - 6 * 64;
    object[table + 3 * 64 + 24..table + 3 * 64 + 32].copy_from_slice(&0xffff_0000u64.to_le_bytes());
    let run = run(&["dis", "-"], &object);
    assert!(run.out.contains("s_mov_b32 s0, 0x12345678"), "{}", run.out);
    assert!(run.fails(1).contains("symbols at 0xffff0000: 96 bytes are claimed at 0xffff0000, and the file has 0x"));
}
