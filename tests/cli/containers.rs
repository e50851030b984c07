//! Every kind of file that can hold GPU code.

use crate::run;
use crate::samples::*;

/// The instruction lines of a listing, without headers, which name the container.
fn code(listing: &str) -> Vec<&str> {
    listing.lines().filter(|l| !l.starts_with("standard input") && !l.is_empty()).collect()
}

fn assert_holds_the_code(input: &[u8]) {
    let want = run(&["dis", "-"], &code_object(GFX942)).ok();
    let got = run(&["dis", "-"], input).ok();
    assert_eq!(code(&got), code(&want));
    let got = run(&["dis", "--target", "gfx942", "-"], input).ok();
    assert_eq!(code(&got), code(&want));
}

#[test]
fn bundles() {
    let run = run(&["dis", "-"], &usual_bundle());
    assert!(run.err.contains("note:") && run.err.contains("gfx1250"), "{}", run.err);
    assert!(run.out.starts_with(&format!("standard input: {ID_942}: target gfx942:sramecc+:xnack-")), "{}", run.out);
    assert_holds_the_code(&usual_bundle());
}

#[test]
fn compressed_bundles_of_every_version_and_method() {
    for version in 1..=3 {
        for method in [Method::Zlib, Method::Zstd] {
            assert_holds_the_code(&compress(version, method, &usual_bundle()));
        }
    }
}

/// The output of `clang-offload-bundler` 22 with `-compress` for an empty host entry and one for gfx942 with the eight
/// bytes `BC C0 DE 0 0 0 0`, the beginning of bitcode. The variable COMPRESSED_BUNDLE_FORMAT_VERSION selected the
/// version.
#[test]
fn samples_written_by_clang_are_read() {
    let samples = [
        "43434f4202000100990000009c000000dfd1d7852d1b4b7028b52ffd209cc5030034065f5f434c414e475f4f46464c4f4144\
             5f42554e444c455f5f020094001e00686f73742d7838365f36342d756e6b6e6f776e2d6c696e75782d676e752d0826697076\
             342d616d6467636e6873612d2d6766783934323a786e61636b2b4243c0de000000000800bb002ac10161200bb3220e0c1848\
             2c06c6",
        "43434f4203000100a1000000000000009c00000000000000dfd1d7852d1b4b7028b52ffd209cc5030034065f5f434c414e47\
             5f4f46464c4f41445f42554e444c455f5f020094001e00686f73742d7838365f36342d756e6b6e6f776e2d6c696e75782d67\
             6e752d0826697076342d616d6467636e6873612d2d6766783934323a786e61636b2b4243c0de000000000800bb002ac10161\
             200bb3220e0c18482c06c6",
    ];
    for hex in samples {
        let digits: Vec<char> = hex.chars().collect();
        let byte = |pair: &[char]| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("hex digits");
        let input: Vec<u8> = digits.chunks(2).map(byte).collect();
        let message = run(&["dis", "-"], &input).fails(1);
        assert!(message.contains("hipv4-amdgcn-amd-amdhsa--gfx942:xnack+: LLVM bitcode"), "{message}");
    }
}

#[test]
fn host_programs_with_bundles_one_after_the_other() {
    assert_holds_the_code(&host(usual_bundle()));
    assert_holds_the_code(&host(compress(3, Method::Zstd, &usual_bundle())));
    for version in 1..=3 {
        let mut section = compress(version, Method::Zstd, &usual_bundle());
        section.resize(section.len().next_multiple_of(4096), 0);
        section.extend(usual_bundle());
        section.resize(section.len().next_multiple_of(4096), 0);
        section.extend(compress(version, Method::Zlib, &usual_bundle()));
        section.extend([0; 100]);
        let out = run(&["dis", "-"], &host(section)).ok();
        assert_eq!(out.matches("target gfx942").count(), 3, "version {version}: {out}");
        assert_eq!(out.matches("// kernel").count(), 3, "version {version}: {out}");
    }
}

#[test]
fn offload_binaries() {
    let mut file = offload("amdgcn-amd-amdhsa", "gfx1250", &code_object(GFX1250));
    file.resize(file.len().next_multiple_of(8), 0);
    file.extend(offload("nvptx64-nvidia-cuda", "sm_70", b"whatever"));
    file.resize(file.len().next_multiple_of(8), 0);
    file.extend(offload("amdgcn-amd-amdhsa", "gfx942:xnack+", &code_object(GFX942)));
    assert_holds_the_code(&file);
    assert_holds_the_code(&host_section(".llvm.offloading", file.clone()));
    let out = run(&["dis", "--target", "gfx942:xnack+", "-"], &file).ok();
    assert!(out.starts_with("standard input: amdgcn-amd-amdhsa--gfx942:xnack+: target gfx942:xnack+,"), "{out}");
}

#[test]
fn the_target_selects() {
    let bundle = bundle(&[
        ("hip-amdgcn-amd-amdhsa--gfx942:xnack+", &code_object(GFX942)),
        ("hip-amdgcn-amd-amdhsa--gfx942:xnack-", &code_object(GFX942)),
    ]);
    let count = |target| run(&["dis", "--target", target, "-"], &bundle).ok().matches("// kernel").count();
    assert_eq!(count("gfx942"), 2);
    assert_eq!(count("mi300x"), 2);
    assert_eq!(count("gfx942:xnack+"), 1);
    let message = run(&["dis", "--target", "gfx942:sramecc+", "-"], &bundle).fails(1);
    assert!(message.contains("holds gfx942:xnack+, not gfx942:sramecc+"), "{message}");
}

#[test]
fn features_come_from_the_flags_of_the_code_object() {
    for (flags, name) in [
        (0x54c, "gfx942"),
        (0x74c, "gfx942:xnack+"),
        (0x64c, "gfx942:xnack-"),
        (0xe4c, "gfx942:sramecc+:xnack-"),
        (0xb4c, "gfx942:sramecc-:xnack+"),
        (0x04c, "gfx942"),
    ] {
        let out = run(&["dis", "-"], &code_object_flags(flags, &[S_NOP], &[])).ok();
        assert!(out.starts_with(&format!("standard input: target {name}, ")), "{flags:#x}: {out}");
    }
}

#[test]
fn version_3_flags_mean_something_else() {
    let mut object = code_object_flags(0x14c, &[S_NOP], &[]);
    object[8] = 1;
    let out = run(&["dis", "-"], &object).ok();
    assert!(out.contains("target gfx942:xnack+,"), "{out}");
}

#[test]
fn a_code_object_that_does_not_know_its_target_can_be_told() {
    let object = code_object_flags(0, &[S_NOP], &[]);
    assert!(run(&["dis", "-"], &object).fails(1).contains("--target"));
    assert!(run(&["dis", "--target", "gfx942", "-"], &object).ok().contains("s_nop 0"));
    // The entry of a bundle determines it too.
    assert!(run(&["dis", "-"], &bundle(&[(ID_942, &object)])).ok().contains("s_nop 0"));
}

#[test]
fn bitcode_is_named_as_such() {
    let message = run(&["dis", "-"], &bundle(&[(ID_942, b"BC\xc0\xde____")])).fails(1);
    assert!(message.contains("bitcode"), "{message}");
}
