//! Every kind of file that can hold GPU code. `tests/cli/files` has files made by LLVM's tools, with the commands.

use super::run;
use super::samples::*;

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
    assert!(run.err.contains("note:") && run.err.contains("turks"), "{}", run.err);
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
    let mut file = offload("amdgcn-amd-amdhsa", "turks", &code_object(TURKS));
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
    let one = super::samples::bundle(&[("hip-amdgcn-amd-amdhsa--gfx942:xnack+", &code_object(GFX942))]);
    let message = run(&["dis", "--target", "gfx942:xnack-", "-"], &one).fails(1);
    assert!(message.contains("holds gfx942:xnack+, not gfx942:xnack-"), "{message}");
    // The code leaves SRAM-ECC open, so it runs with either setting.
    assert_eq!((count("gfx942:sramecc+"), count("gfx942:sramecc-:xnack+")), (2, 1));
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
    // The target in the entry of a bundle is used, too.
    assert!(run(&["dis", "-"], &bundle(&[(ID_942, &object)])).ok().contains("s_nop 0"));
}

#[test]
fn the_number_of_an_unknown_processor_is_named() {
    let file = code_object_flags(0x17f, &[S_NOP], &[]);
    for command in ["dis", "lint"] {
        let run = run(&[command, "-"], &file);
        assert!(
            run.err.contains("is for processor 0x7f, which this build does not know; use --target TARGET"),
            "{}",
            run.err
        );
    }
    let source = run(&["dis", "--asm", "-"], &file);
    assert!(
        source.err.contains("the code object is for processor 0x7f, which this build does not know"),
        "{}",
        source.err
    );
    assert!(run(&["dis", "--target", "gfx942", "-"], &file).ok().contains("s_nop 0"));
}

#[test]
fn bitcode_is_named_as_such() {
    let message = run(&["dis", "-"], &bundle(&[(ID_942, b"BC\xc0\xde____")])).fails(1);
    assert!(message.contains("bitcode"), "{message}");
}

/// The headers of a listing, without the sizes of sections, and the number of instructions below each.
fn parts(listing: &str) -> Vec<(String, usize)> {
    let mut parts: Vec<(String, usize)> = Vec::new();
    for line in listing.lines() {
        if let Some(header) = line.strip_prefix("standard input: ") {
            parts.push((header.split(", section").next().unwrap_or(header).into(), 0));
        } else if line.starts_with('\t') {
            parts.last_mut().expect("a header comes first").1 += 1;
        }
    }
    parts
}

#[test]
fn what_the_tools_of_llvm_make_is_read() {
    const HIP: &str = "hipv4-amdgcn-amd-amdhsa--gfx942: target gfx942";
    const PHOENIX: &str = "hip-amdgcn-amd-amdhsa--gfx1103: target gfx1103";
    let archive = [
        format!("host.o: {HIP}"),
        format!("host.o: {PHOENIX}"),
        "host.o: amdgcn-amd-amdhsa--gfx942: target gfx942".into(),
        "graphics_pipeline.o: target gfx1103".into(),
    ];
    let archive: Vec<&str> = archive.iter().map(String::as_str).collect();
    for (file, headers) in [
        (&include_bytes!("files/v4")[..], &["target gfx942"][..]),
        (include_bytes!("files/v5"), &["target gfx942"]),
        (include_bytes!("files/v6"), &["target gfx9-4-generic"]),
        (include_bytes!("files/gfx1103"), &["target gfx1103"]),
        (include_bytes!("files/pal"), &["target gfx1103"]),
        (include_bytes!("files/bundle"), &[HIP, PHOENIX]),
        (include_bytes!("files/bundle-v2"), &[HIP, PHOENIX]),
        (include_bytes!("files/bundle-v3"), &[HIP, PHOENIX]),
        (include_bytes!("files/offload"), &["amdgcn-amd-amdhsa--gfx942: target gfx942"]),
        (include_bytes!("files/archive-gnu"), &archive),
        (include_bytes!("files/archive-bsd"), &archive),
    ] {
        let run = run(&["dis", "-"], file);
        assert_eq!(run.err, "");
        let expected: Vec<_> = headers.iter().map(|header| (header.to_string(), 2)).collect();
        assert_eq!(parts(&run.ok()), expected);
    }
}

/// Only the metadata of a PAL pipeline says how many lanes its waves have.
#[test]
fn pal_metadata_gives_the_size_of_waves() {
    let out = run(&["dis", "-"], include_bytes!("files/pal")).ok();
    assert!(out.contains("<_amdgpu_cs_main>:") && out.contains("// kernel"), "{out}");
    assert!(out.contains("v_cmp_lt_f32_e64 s[4:5], v1, v1"), "{out}");
}

#[test]
fn descriptors_in_front_of_code_are_not_code() {
    let run = run(&["dis", "--no-fold", "-"], include_bytes!("files/mesa"));
    assert_eq!(run.err, "");
    let out = run.ok();
    // 64 instructions up to the next descriptor, most of them padding.
    let headers = [("target gfx900:xnack+".to_string(), 64), ("target gfx900:xnack+".to_string(), 2)];
    assert_eq!(parts(&out), headers);
    for line in ["0000000000000100 <k>:", "0000000000000300 <k2>:"] {
        assert!(out.lines().any(|l| l.starts_with(line) && l.ends_with("// kernel")), "{out}");
    }
    assert!(!out.contains(".long") && !out.contains("v_cndmask"), "{out}");
}

#[test]
fn the_id_of_an_entry_names_the_target_in_every_spelling() {
    let unsaid = code_object_flags(0, &[S_NOP], &[]);
    for id in [
        "hip-amdgcn-amd-amdhsa--gfx942:xnack+",
        "hipv4-amdgcn-amd-amdhsa--gfx942:xnack+",
        "openmp-amdgcn-amd-amdhsa-gfx942:xnack+",
        "hip-amdgpu-amd-amdhsa--gfx942:xnack+",
        "hipv4-amdgpu9.42-amd-amdhsa--:xnack+",
        "hipv4-amdgpu9.42-amd-amdhsa:xnack+",
        "hipv4-amdgpu9.42-amd-amdhsa--gfx942:xnack+",
        "hipv4-amdgpu9.42-amd-amdhsa--amdgpu9.42:xnack+",
    ] {
        let bundle = bundle(&[(HOST_ID, b""), (id, &unsaid)]);
        for file in [
            bundle.clone(),
            compress(3, Method::Zstd, &bundle),
            host(bundle.clone()),
            host_section(".llvm.offloading", bundle.clone()),
            archive(&[("a.o", &host(bundle))]),
        ] {
            let out = run(&["dis", "-"], &file).ok();
            assert!(out.contains(&format!("{id}: target gfx942:xnack+, section .text")), "{id}: {out}");
            for name in ["gfx942", "mi300x", "amdgpu9.42", "AMDGPU9.42:xnack+", "gfx942:xnack+"] {
                assert!(run(&["dis", "--target", name, "-"], &file).ok().contains("s_nop 0"), "{id} {name}");
            }
        }
    }
    for (triple, arch) in
        [("amdgpu9.42-amd-amdhsa", ""), ("amdgpu-amd-amdhsa", "gfx942"), ("amdgcn-amd-amdhsa", "amdgpu9.42")]
    {
        for file in [offload(triple, arch, &unsaid), offload_v2(&[(triple, arch, &unsaid)])] {
            let out = run(&["dis", "-"], &file).ok();
            assert!(out.contains(&format!("{triple}--{arch}: target gfx942, section .text")), "{out}");
        }
    }
}

#[test]
fn an_entry_whose_id_cannot_be_read_hides_no_other() {
    let code = code_object(GFX942);
    for (id, shown) in [
        (
            "hip-amdgcn-amd-amdhsa--gfx942\u{7}",
            "hip-amdgcn-amd-amdhsa--gfx942\\x07: skipped, because its id is not text",
        ),
        ("gibberish", "gibberish: skipped, because its id names no AMD GPU"),
        ("hip-nvptx64-nvidia-cuda--sm_70", "hip-nvptx64-nvidia-cuda--sm_70: skipped, because its id names no AMD GPU"),
        (
            "hip-amdgcn-amd-amdhsa--gfx9999",
            "hip-amdgcn-amd-amdhsa--gfx9999: holds gfx9999, which this build cannot decode",
        ),
    ] {
        let unsaid = code_object_flags(0, &[S_NOP], &[]);
        let run =
            run(&["dis", "-"], &bundle(&[(ID_942, &code), (id, &unsaid), ("hip-amdgcn-amd-amdhsa--gfx942", &code)]));
        assert!(run.err.starts_with(&format!("note: standard input: {shown}")), "{}", run.err);
        assert_eq!(run.ok().matches("// kernel").count(), 2, "{id}");
    }
    // The id in the name of a section is used, too.
    let section = |name| Section { name, kind: 1, flags: 2, data: code.clone(), ..Section::default() };
    let name = "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx942";
    let object = elf(62, 1, 0, &[section("__CLANG_OFFLOAD_BUNDLE__\u{9b}"), section(name)]);
    let run = run(&["dis", "-"], &object);
    assert!(run.err.contains("\\u{9b}: skipped, because its id is not text"), "{}", run.err);
    assert_eq!(run.ok().matches("// kernel").count(), 1);
}

#[test]
fn offload_binaries_of_version_2_hold_several_images() {
    let file = offload_v2(&[
        ("amdgcn-amd-amdhsa", "turks", &code_object(TURKS)),
        ("nvptx64-nvidia-cuda", "sm_70", b"whatever"),
        ("amdgcn-amd-amdhsa", "gfx942:xnack+", &code_object(GFX942)),
    ]);
    assert_holds_the_code(&file);
    assert_holds_the_code(&host_section(".llvm.offloading", [file.clone(), file[..0].to_vec()].concat()));
    let chain = [file.clone(), offload("amdgcn-amd-amdhsa", "gfx942", &code_object(GFX942)), file].concat();
    assert_eq!(run(&["dis", "-"], &chain).ok().matches("// kernel").count(), 3);
}

/// A file for one of several processors with the same instructions is shown, and chosen, under its own name.
#[test]
fn files_keep_the_name_of_their_processor() {
    let (all, phoenix) = (["gfx1100", "gfx1101", "gfx1102", "gfx1103", "gfx11-generic"], code_object(0x44));
    let ids: Vec<String> = all.iter().map(|name| format!("hip-amdgcn-amd-amdhsa--{name}")).collect();
    let machs = [0x41, 0x46, 0x47, 0x44, 0x0100_0054];
    let objects: Vec<_> = machs.iter().map(|mach| code_object_flags(*mach, &[S_NOP], &[])).collect();
    let entries: Vec<_> = ids.iter().zip(&objects).map(|(id, object)| (id.as_str(), object.as_slice())).collect();
    let file = bundle(&entries);
    let headers =
        |args: &[&str]| parts(&run(args, &file).ok()).into_iter().map(|(header, _)| header).collect::<Vec<_>>();
    let expected: Vec<_> = ids.iter().zip(all).map(|(id, name)| format!("{id}: target {name}")).collect();
    assert_eq!(headers(&["dis", "-"]), expected);
    for (name, at) in [("gfx1103", 3), ("phoenix", 3), ("amdgpu11.03", 3), ("RX 7900 XTX", 0), ("gfx11-generic", 4)] {
        assert_eq!(headers(&["dis", "--target", name, "-"]), expected[at..=at], "{name}");
    }
    let wide = run(&["dis", "--json", "--target", "gfx1103:wave64", "-"], &phoenix).ok();
    assert!(wide.contains("\"target\":\"gfx1103:wave64\""), "{wide}");
    assert!(run(&["dis", "--json", "-"], &phoenix).ok().contains("\"target\":\"gfx1103\""));
}

#[test]
fn a_newer_version_of_a_generic_processor_is_shown_with_a_note() {
    let run_of = |version: u32| run(&["dis", "-"], &code_object_flags(version << 24 | 0x54, &[S_NOP], &[]));
    assert_eq!(run_of(1).err, "");
    let newer = run_of(2);
    assert!(newer.err.contains("note: standard input: for version 2 of its generic processor"), "{}", newer.err);
    assert!(newer.ok().contains("target gfx11-generic"));
}

/// Files of version 2 have bits in their flags, and not the number of a processor: a note names the target.
#[test]
fn notes_name_the_target_if_the_flags_do_not() {
    let version = |numbers: [u32; 3]| {
        let mut note: Vec<u8> = [4u16, 7].iter().flat_map(|n| n.to_le_bytes()).collect();
        numbers.iter().for_each(|n| note.extend(n.to_le_bytes()));
        note.extend(b"AMD\0AMDGPU\0");
        note
    };
    let metadata =
        b"\x82\xaeamdhsa.version\x92\x01\x02\xadamdhsa.target\xd9\x26amdgcn-amd-amdhsa--gfx90a:xnack+\0\0\0\0\0\0";
    for (flags, abi, name, kind, contents, target) in [
        (0, 0, "AMD", 3, version([8, 0, 3]), "gfx803"),
        (1, 0, "AMD", 3, version([9, 0, 0]), "gfx900:xnack+"),
        (0, 0, "AMD", 3, version([9, 0, 10]), "gfx90a"),
        (0, 0, "AMD", 11, b"amdgcn-amd-amdhsa--gfx906+xnack".to_vec(), "gfx906+xnack"),
        (0, 0, "AMD", 11, b"amdgcn-amd-amdhsa--gfx906:xnack+".to_vec(), "gfx906:xnack+"),
        (0, 2, "AMDGPU", 32, metadata.to_vec(), "gfx90a:xnack+"),
        // The flags have precedence.
        (0x4c, 2, "AMDGPU", 32, metadata.to_vec(), "gfx942"),
        (0x2c, 0, "AMD", 3, version([8, 0, 3]), "gfx900"),
    ] {
        let file = noted(flags, abi, note(name, kind, &contents));
        let run = run(&["dis", "-"], &file);
        let shown = run.out + &run.err;
        assert!(shown.contains(&format!("target {target},")) || shown.contains(&format!("holds {target},")), "{shown}");
    }
}

/// A library for Windows with a section `.hip_fat`, padded in the file, and one with pointers.
fn library(bundles: &[u8]) -> Vec<u8> {
    let mut file = vec![0; 0x40];
    file[..2].copy_from_slice(b"MZ");
    file[0x3c] = 0x40;
    file.extend(b"PE\0\0\x64\x86\x02\0");
    file.extend([0; 12]);
    file.extend([0, 0, 0x22, 0x20]); // no optional header
    let (from, size) = (0x200u32, bundles.len() as u32);
    for (name, size, used) in [(b".hipFatB", 0u32, 0u32), (b".hip_fat", size.next_multiple_of(512), size)] {
        file.extend(name);
        for number in [used, 0x1000, size, from, 0, 0, 0, 0x4000_0040] {
            file.extend(number.to_le_bytes());
        }
    }
    file.resize(from as usize, 0);
    file.extend(bundles);
    file.resize(file.len().next_multiple_of(512), 0);
    file
}

#[test]
fn libraries_of_windows() {
    assert_holds_the_code(&library(&usual_bundle()));
    assert_holds_the_code(&library(&compress(3, Method::Zlib, &usual_bundle())));
    let message = run(&["dis", "-"], &library(&usual_bundle())[..0x300]).fails(1);
    assert!(message.contains("section .hip_fat at 0x200"), "{message}");
    let mut other = library(&usual_bundle());
    let name = other.windows(8).position(|name| name == b".hip_fat").expect("the section");
    other[name..name + 8].copy_from_slice(b".rdata\0\0");
    assert!(run(&["dis", "-"], &other).fails(1).contains("a host program without GPU code"));
}

#[test]
fn a_scan_finds_code_anywhere() {
    let object = code_object(GFX942);
    let want = run(&["dis", "-"], &object).ok();
    for inside in [object.clone(), usual_bundle(), compress(2, Method::Zstd, &usual_bundle())] {
        let file = [b"a library of another kind \x7fELF", &inside[..], b"and its end"].concat();
        assert!(run(&["dis", "-"], &file).fails(1).contains("`--scan` looks for code inside"));
        let got = run(&["dis", "--scan", "-"], &file);
        assert_eq!(code(&got.out), code(&want));
        assert!(got.out.starts_with("standard input: 0x1e"), "{}", got.out);
        run(&["lint", "--scan", "-"], &file).ok();
    }
    // Several code objects, one of them damaged, and bytes that look like a compressed bundle.
    let damaged = &object[..object.len() - 100];
    let file = [&object[..], b"CCOB", &[0; 90], &object, damaged].concat();
    let got = run(&["dis", "--scan", "-"], &file);
    assert_eq!(code(&got.out).len(), 2 * code(&want).len(), "{}", got.out);
    assert!(got.err.contains(&format!("code object at {:#x}", 2 * object.len() + 94)), "{}", got.err);
    assert!(run(&["dis", "--scan", "-"], b"nothing").fails(1).contains("begins anywhere in the file"));
    // A header that does not refer to any other bytes.
    let mut header = object[..64].to_vec();
    header[32..48].fill(0);
    header[54..].fill(0);
    run(&["dis", "--scan", "-"], &[&header[..], &object].concat()).fails(1);
}

/// Headers that all refer to the rest of the file. Reading the rest for each of them would take hours.
#[test]
fn a_scan_of_many_headers_is_linear() {
    let mut header = code_object(GFX942)[..64].to_vec();
    header[40..48].copy_from_slice(&64u64.to_le_bytes());
    header[60..62].copy_from_slice(&0xfff0u16.to_le_bytes());
    let file = header.repeat(100_000);
    run(&["dis", "--scan", "-"], &file).fails(1);
}
