//! Damaged and malicious files: the tool ends, soon, with exit code 0 or 1, and never panics (`run` checks that).

#[cfg(target_os = "linux")]
use super::measure;
use amdgpu_object::Refusal;

use super::samples::*;
use super::{Run, run};

fn survives(input: &[u8]) {
    let run = run(&["dis", "-"], input);
    assert!(matches!(run.code, Some(0 | 1)), "{:?}: {}", run.code, run.err);
}

/// The lengths of all prefixes, or of a third of them.
fn prefixes(len: usize) -> impl Iterator<Item = usize> {
    let step = if super::is_full() { 1 } else { 3 };
    (0..len).step_by(step)
}

#[test]
fn every_prefix_of_a_code_object() {
    let file = code_object(GFX942);
    prefixes(file.len()).for_each(|n| survives(&file[..n]));
}

#[test]
fn every_prefix_of_a_bundle() {
    let file = bundle(&[(HOST_ID, b""), (ID_942, &code_object_flags(GFX942, &[S_NOP], &[S_ENDPGM]))]);
    for n in prefixes(file.len()) {
        assert_eq!(run(&["dis", "-"], &file[..n]).code, Some(1), "{n} bytes");
    }
}

#[test]
fn every_prefix_of_an_offload_binary() {
    let file = offload("amdgcn-amd-amdhsa", "gfx942", &code_object_flags(GFX942, &[S_NOP], &[]));
    for n in prefixes(file.len()) {
        assert_eq!(run(&["dis", "-"], &file[..n]).code, Some(1), "{n} bytes");
    }
}

#[test]
fn every_prefix_of_compressed_bundles() {
    for version in 1..=3 {
        for method in [Method::Zlib, Method::Zstd] {
            let file = compress(version, method, &bundle(&[(ID_942, &code_object(GFX942))]));
            for n in prefixes(file.len()).filter(|n| *n < 48 || n % 7 == 0 || n + 12 > file.len()) {
                assert_eq!(run(&["dis", "-"], &file[..n]).code, Some(1), "{version} {method:?} {n} bytes");
            }
        }
    }
}

/// A generator of pseudo-random numbers, the same on every run: SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }

    /// Changes a few bytes, often to values at the limits of arithmetic.
    fn mutate(&mut self, file: &[u8]) -> Vec<u8> {
        let mut file = file.to_vec();
        for _ in 0..=self.below(4) {
            let at = self.below(file.len());
            match self.below(4) {
                0 => file[at] ^= 1 << self.below(8),
                1 => file[at] = self.below(256) as u8,
                2 => file[at..].iter_mut().take(8).for_each(|b| *b = 0xff),
                _ => file[at..].iter_mut().take(4).for_each(|b| *b = 0),
            }
        }
        file
    }
}

#[test]
fn random_damage() {
    let code_object = code_object(GFX942);
    let bundle = usual_bundle();
    let files = [
        host(bundle.clone()),
        compress(1, Method::Zstd, &bundle),
        compress(2, Method::Zlib, &bundle),
        compress(3, Method::Zstd, &bundle),
        offload("amdgcn-amd-amdhsa", "gfx942", &code_object),
        bundle,
        code_object,
    ];
    let mut random = Random(942);
    for i in 0..if super::is_full() { 1500 } else { 500 } {
        survives(&random.mutate(&files[i % files.len()]));
    }
}

#[test]
fn a_bomb_stops_at_its_own_promise_or_at_the_limit() {
    // A bundle of 1 MiB of zeros in few bytes, which claims to have another size.
    let zeros = vec![0u8; 1 << 20];
    for method in [Method::Zlib, Method::Zstd] {
        let packed = pack(method, &zeros);
        for size in [100, 1 << 19, (1 << 20) - 1, 1 << 30, u64::from(u32::MAX)] {
            for version in 1..=3 {
                run(&["dis", "-"], &compressed(version, method as u16, &packed, size)).fails(1);
            }
        }
    }
}

#[test]
fn claims_beyond_the_file_allocate_nothing() {
    let mut file = b"__CLANG_OFFLOAD_BUNDLE__".to_vec();
    file.extend(u64::MAX.to_le_bytes());
    run(&["dis", "-"], &file).fails(1);
    for field in 0..3 {
        let mut entry = [0u64, 0, 4];
        entry[field] = u64::MAX - 7;
        let mut bad = file.clone();
        entry.iter().for_each(|f| bad.extend(f.to_le_bytes()));
        bad.extend(b"xxxx");
        run(&["dis", "-"], &bad).fails(1);
    }
}

#[test]
fn containers_in_containers_end() {
    let mut file = code_object(GFX942);
    for _ in 0..20 {
        file = bundle(&[(ID_942, &file)]);
    }
    assert!(run(&["dis", "-"], &file).fails(1).contains("nested too deeply"));
}

/// Characters that a terminal obeys or shows as something else are escaped in each name that comes from a file or its
/// user.
#[test]
fn names_cannot_command_the_terminal() {
    let clean = |run: Run| {
        let shown = run.out + &run.err;
        assert!(!shown.chars().any(|c| c.is_control() && !"\n\t".contains(c)), "{shown:?}");
        assert!(!shown.contains('\u{202e}'), "{shown:?}");
        shown
    };
    let mut file = code_object(GFX942);
    let replace = |file: &mut [u8], name: &[u8], by: &[u8]| {
        let at = file.windows(name.len()).rposition(|w| w == name).expect("the name");
        file[at..at + by.len()].copy_from_slice(by);
    };
    replace(&mut file, b"second\0", b"\x1bec\xe2\x80\xae");
    replace(&mut file, b".text\0", b"\x9bt\xc2\x9bx");
    let out = clean(run(&["dis", "-"], &file));
    assert!(out.contains("\\x1bec\\u{202e}") && out.contains("\\x9bt\\u{9b}x"), "{out}");
    // JSON has the names unchanged, except for bytes that are not text.
    let out = clean(run(&["dis", "--json", "-"], &file));
    assert!(out.contains("\\u001bec\\u202e") && out.contains("\u{fffd}t\\u009bx"), "{out}");

    // The id of an entry is the name of a section, or is in a bundle.
    let name = "__CLANG_OFFLOAD_BUNDLE__hip-amdgcn-amd-amdhsa--gfx942\x1b[31m";
    let refused = clean(run(&["dis", "-"], &host_section(name, code_object(GFX942))));
    assert!(refused.contains("gfx942\\x1b[31m: skipped, because its id is not text"), "{refused}");
    let bundled = bundle(&[("hip-amdgcn-amd-amdhsa--gfx942:\u{202e}+", &code_object(GFX942))]);
    assert!(clean(run(&["dis", "-"], &bundled)).contains("is not text"));
    let offload = offload("amdgcn-amd-amdhsa", "gfx942:\u{202e}+", &code_object(GFX942));
    assert!(clean(run(&["dis", "-"], &offload)).contains("is not text"));

    // A member of an archive is whole, or damaged.
    let member = |data: &[u8]| archive(&[("a\x1b[31m\u{202e}", data)]);
    let shown = clean(run(&["dis", "-"], &member(&code_object(GFX942))));
    assert!(shown.contains("standard input: a\\x1b[31m\\u{202e}: target gfx942"), "{shown}");
    let shown = clean(run(&["dis", "-"], &member(b"\x7fELF")));
    assert!(shown.contains("member a\\x1b[31m\\u{202e} at 0x44: the ELF file is damaged"), "{shown}");

    // The names are those of files, and of arguments that messages quote.
    let name = "no/such\x1b[31m\u{202e}/file";
    assert!(clean(run(&["dis", name], b"")).contains("cannot read no/such\\x1b[31m\\u{202e}/file"));
    let explain = ["explain", "--target", "gfx942", "--svg", name, "0xbf820012"];
    assert!(clean(run(&explain, b"")).contains("cannot write no/such\\x1b[31m\\u{202e}/file"));
    for args in [&["dis", "a", name][..], &["dis", "--target", name, "-"], &["prove", "--threads", name], &[name]] {
        assert!(clean(run(args, b"")).contains("\\u{202e}"), "{args:?}");
    }
    #[cfg(unix)]
    {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("a\x1b[31mb\u{202e}.co");
        std::fs::write(&path, code_object(GFX942)).expect("a file in the directory for tests");
        let listing = clean(run(&["dis", path.to_str().expect("text")], b""));
        assert!(listing.contains("a\\x1b[31mb\\u{202e}.co: target gfx942"), "{listing}");
        std::fs::write(&path, b"junk").expect("the file again");
        assert!(clean(run(&["dis", path.to_str().expect("text")], b"")).contains("b\\u{202e}.co: neither an ELF"));
        std::fs::remove_file(&path).expect("it is there");
    }
}

/// A code object with these sections before a symbol table, and these symbols: name, section, address.
fn with_symbols(mut sections: Vec<Section>, strings: Vec<u8>, symbols: &[(u32, u16, u64)]) -> Vec<u8> {
    let mut table = vec![0; 24];
    for &(name, section, address) in symbols {
        table.extend(name.to_le_bytes());
        table.extend([0x12, 0]);
        table.extend(section.to_le_bytes());
        table.extend(address.to_le_bytes());
        table.extend(4u64.to_le_bytes());
    }
    let link = sections.len() as u32 + 2;
    sections.push(Section { name: ".symtab", kind: 2, data: table, link, entry: 24, ..Section::default() });
    sections.push(Section { name: ".strtab", kind: 3, data: strings, ..Section::default() });
    elf(224, 3, 0x54c, &sections)
}

fn text_section(name: &'static str, address: u64, words: &[u32]) -> Section {
    Section { name, kind: 1, flags: 6, address, data: bytes(words), ..Section::default() }
}

/// A file of 190 KB has 32,000 branches to a symbol whose name has 65,000 characters: lines, output and memory stay in
/// bounds.
#[cfg(target_os = "linux")]
#[test]
fn a_long_name_is_not_shown_at_each_branch() {
    let code: Vec<u32> = (0..32_000).map(|n| s_branch(-1 - n as i16)).collect();
    let name = ["\0", &"x".repeat(65_000), "\0"].concat();
    let file = with_symbols(vec![text_section(".text", BASE, &code)], name.into_bytes(), &[(1, 1, BASE)]);
    for options in [&["dis", "-"][..], &["dis", "--json", "-"]] {
        let taken = measure(options, &file);
        assert_eq!(taken.code, 0);
        assert!(taken.longest_line > 65_000, "the definition has all of it: {}", taken.longest_line);
        assert!(taken.bytes < 32_000 * 1000, "{options:?}: {} bytes", taken.bytes);
        assert!(taken.kib < 128 * 1024, "{options:?}: {} KiB", taken.kib);
    }
    let listing = run(&["dis", "-"], &file).ok();
    let cut = format!("{}...", "x".repeat(256));
    assert!(listing.contains(&format!("\ts_branch {cut} ")) && listing.contains(&format!("<{cut}>\n")));
    let json = run(&["dis", "--json", "-"], &file).ok();
    assert!(json.contains(&format!("\"label\":\"{cut}\"")));
}

/// 65,000 sections and 300,000 kernel descriptors, in 14 MB: sections and descriptors are not compared one by one.
#[cfg(target_os = "linux")]
#[test]
fn sections_and_descriptors_take_time_for_each_and_not_for_each_pair() {
    const SECTIONS: u64 = 65_000;
    const DESCRIPTORS: u64 = 300_000;
    let mut sections: Vec<_> = (0..SECTIONS).map(|n| text_section("", BASE + 8 * n, &[S_NOP])).collect();
    // The descriptors overlap, and each leads to an entry.
    let rodata = (0..DESCRIPTORS + 8).flat_map(|_| 0x100_0000u64.to_le_bytes()).collect();
    let address = 0x1000_0000;
    sections.push(Section { name: ".rodata", kind: 1, flags: 2, address, data: rodata, ..Section::default() });
    let symbols: Vec<_> = (0..DESCRIPTORS).map(|n| (1, SECTIONS as u16 + 1, address + 8 * n)).collect();
    let file = with_symbols(sections, b"\0a.kd\0".to_vec(), &symbols);
    let taken = measure(&["dis", "-"], &file);
    assert_eq!(taken.code, 0);
    assert!(taken.seconds < 15, "{} s", taken.seconds);
}

/// 40,000 symbols whose names begin in a megabyte without a zero byte: the end of the names is not searched for each
/// symbol.
#[cfg(target_os = "linux")]
#[test]
fn a_table_of_names_without_an_end_is_searched_once() {
    let symbols: Vec<_> = (0..40_000).map(|n| (n + 1, 1, BASE)).collect();
    let names = ["\0", &"x".repeat(1 << 20)].concat().into_bytes();
    let file = with_symbols(vec![text_section(".text", BASE, &[S_NOP])], names, &symbols);
    let taken = measure(&["dis", "-"], &file);
    assert!(taken.seconds < 10, "{} s", taken.seconds);
    let run = run(&["dis", "-"], &file);
    assert!(run.out.contains("s_nop 0"), "{}", run.err);
    assert!(run.fails(1).contains(": 40000 have names outside of the table of names"));
}

/// Thousands of sections with the same long name: the name is not shown or looked up a thousand times.
#[cfg(target_os = "linux")]
#[test]
fn names_of_sections_are_no_longer_than_the_file() {
    let name: &str = "n".repeat(300_000).leak();
    let find = |file: &[u8], number: usize| {
        let table = u64::from_le_bytes(file[0x28..0x30].try_into().expect("eight bytes")) as usize;
        table + 64 * number
    };
    for (machine, flags) in [(224, 6), (62, 2)] {
        let section =
            |n: u64| Section { flags, ..text_section(if n == 0 { name } else { "" }, BASE + 8 * n, &[S_NOP]) };
        let mut file = elf(machine, 3, 0x54c, &(0..3000).map(section).collect::<Vec<_>>());
        for number in 1..=3000 {
            let at = find(&file, number);
            file[at..at + 4].copy_from_slice(&1u32.to_le_bytes());
        }
        let taken = measure(&["dis", "-"], &file);
        assert!(taken.code == 1 && taken.bytes == 0, "{} bytes", taken.bytes);
        assert!(run(&["dis", "-"], &file).fails(1).contains("its names are longer than the file could hold"));
    }
}

/// The id of an entry is shown in the header of each section of its image, so longer ids than real ones are refused.
#[test]
fn ids_are_no_longer_than_any_real_one() {
    let id = |len: usize| format!("{}-gfx942", "hip-amdgcn-amd-amdhsa-".to_string() + &"i".repeat(len - 29));
    run(&["dis", "-"], &bundle(&[(&id(1024), &code_object(GFX942))])).ok();
    let message = run(&["dis", "-"], &bundle(&[(&id(1025), &code_object(GFX942))])).fails(1);
    assert!(message.contains("longer than 1024 bytes"), "{message}");
}

#[test]
fn chained_bundles_have_one_limit() {
    // Each bundle holds 32 MiB of zeros, in 1 KB.
    let mut plain = bundle(&[]);
    plain.resize(32 << 20, 0);
    let one = compress(3, Method::Zstd, &plain);
    let chain = one.repeat(40);
    let limit = (64 << 20) + 256 * chain.len();
    let message = run(&["dis", "-"], &chain).fails(1);
    let wanted = format!("beyond the limit of {limit} bytes; `--max-unpacked SIZE`");
    assert!(message.contains(&wanted), "{message}");
    assert!(run(&["dis", "--help"], b"").ok().contains("--max-unpacked <SIZE>"));
    // The limit of `--max-unpacked` holds to the byte.
    let fails = |size: &str, file: &[u8]| run(&["dis", "--max-unpacked", size, "-"], file).fails(1);
    let two = one.repeat(2);
    assert!(fails("67108864", &two).contains("no code for a GPU"));
    assert!(fails("64M", &two).contains("no code for a GPU"));
    assert!(fails("1G", &one.repeat(4)).contains("no code for a GPU"));
    assert!(fails("67108863", &two).contains("beyond the limit of 67108863 bytes"));
    assert!(fails("63M", &two).contains("compressed bundle at"));
    let usual = compress(2, Method::Zlib, &usual_bundle());
    assert!(fails("1K", &usual).contains("beyond the limit of 1024 bytes"));
    run(&["dis", "--max-unpacked", "64K", "-"], &usual).ok();
    for bad in ["", "x", "-1", "M", "1T", "18446744073709551615K"] {
        run(&["dis", &format!("--max-unpacked={bad}"), "-"], &usual).fails(2);
    }
}

/// Each of 200,000 entries is damaged or skipped. Only the first messages are stored; the others are counted.
#[cfg(target_os = "linux")]
#[test]
fn many_faults_take_no_more_memory_than_none() {
    let code = code_object_flags(GFX942, &[S_NOP], &[]);
    let of = |id, data: &'static [u8]| {
        let mut entries = vec![(id, data); 200_000];
        entries.push(("hip-amdgcn-amd-amdhsa--gfx942", &code));
        bundle(&entries)
    };
    let taken = |file: &[u8], code| {
        let taken = measure(&["dis", "-"], file);
        assert!(taken.code == code && taken.bytes > 0);
        taken.kib
    };
    let good = taken(&of("hip-amdgcn-amd-amdhsa--gfx942", b""), 0);
    let damaged = of("hip-amdgcn-amd-amdhsa--gfx942", b"junk");
    for (file, code) in [(&damaged, 1), (&of("hip-a------------------gfx942", b"junk"), 0)] {
        let bad = taken(file, code);
        assert!(bad < good + 16 * 1024, "{bad} KiB for {} bytes, and {good} KiB without damage", file.len());
    }
    let run = run(&["dis", "-"], &damaged);
    assert!(run.out.contains("s_nop 0"), "{}", run.err);
    assert!(run.fails(1).trim_end().ends_with("and 199950 more"));
}

/// Code objects that cannot be replaced in their container are refused: in an offload binary without a size, in
/// archives in archives, and in a library for Windows, whose index has its low bytes first.
#[test]
fn what_cannot_be_replaced_is_refused() {
    let refusal = |file: &[u8], at, new: &[u8]| amdgpu_object::replace(file, at, new).err().map(|error| error.reason);
    let code = code_object(GFX942);
    let mut empty = offload("amdgcn-amd-amdhsa", "gfx942", &code);
    empty[8..16].fill(0);
    let at = empty.len() as u64 - code.len() as u64;
    assert_eq!(refusal(&empty, at, &code), Some(Refusal::Place));
    let alone_of = |code: &[u8]| archive(&[("k.co", code)]);
    let alone = alone_of(&code);
    let (magic, header) = (8, 60);
    let new = amdgpu_object::replace(&alone, magic + header, &[&code[..], b"more"].concat()).unwrap();
    assert!(new.windows(code.len()).any(|part| part == code));
    let mut nested = alone;
    for _ in 0..2000 {
        nested = archive(&[("a", &nested)]);
    }
    assert_eq!(refusal(&nested, 2001 * (magic + header), &code), Some(Refusal::Place));
    let table = [1u32.to_be_bytes(), 0u32.to_be_bytes()].concat();
    for (indexes, is_taken) in [(1, true), (2, false)] {
        let members = [vec![("", &table[..]); indexes], vec![("k.co", &code[..])]].concat();
        let at = magic + (header + table.len() as u64) * indexes as u64 + header;
        assert_eq!(refusal(&archive(&members), at, &code).is_none(), is_taken, "{indexes}");
    }
    // The new bytes are a whole code object of the same processor.
    assert_eq!(refusal(&alone_of(&code), magic + header, &code), None);
    for junk in [&b""[..], b"junk", b"\x7fELF", &code[..70], &code[..code.len() - 1]] {
        for (file, at) in [(alone_of(&code), magic + header), (code.clone(), 0)] {
            assert_eq!(refusal(&file, at, junk), Some(Refusal::NotCode), "{} bytes", junk.len());
        }
    }
    let other = code_object(0x41);
    let reason = Refusal::Processor { stated: "gfx942".into(), new: Some("gfx1100".into()) };
    assert_eq!(refusal(&alone_of(&code), magic + header, &other), Some(reason));
    // A host program at the offset is not a code object.
    let mut host = code.clone();
    host[18] = 62;
    assert_eq!(refusal(&host, 0, &code), Some(Refusal::Place));
}
