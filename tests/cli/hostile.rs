//! Damaged and malicious files: the tool ends, soon, with exit code 0 or 1, and never panics (`run` checks that).

use crate::run;
use crate::samples::*;

fn survives(input: &[u8]) {
    let run = run(&["dis", "-"], input);
    assert!(matches!(run.code, Some(0 | 1)), "{:?}: {}", run.code, run.err);
}

#[test]
fn every_prefix_of_a_code_object() {
    let file = code_object(GFX942);
    (0..file.len()).for_each(|n| survives(&file[..n]));
}

#[test]
fn every_prefix_of_a_bundle() {
    let file = bundle(&[(HOST_ID, b""), (ID_942, &code_object_flags(GFX942, &[S_NOP], &[S_ENDPGM]))]);
    for n in 0..file.len() {
        assert_eq!(run(&["dis", "-"], &file[..n]).code, Some(1), "{n} bytes");
    }
}

#[test]
fn every_prefix_of_an_offload_binary() {
    let file = offload("amdgcn-amd-amdhsa", "gfx942", &code_object_flags(GFX942, &[S_NOP], &[]));
    for n in 0..file.len() {
        assert_eq!(run(&["dis", "-"], &file[..n]).code, Some(1), "{n} bytes");
    }
}

#[test]
fn every_prefix_of_compressed_bundles() {
    for version in 1..=3 {
        for method in [Method::Zlib, Method::Zstd] {
            let file = compress(version, method, &bundle(&[(ID_942, &code_object(GFX942))]));
            for n in (0..file.len()).filter(|n| *n < 48 || n % 7 == 0 || n + 12 > file.len()) {
                assert_eq!(run(&["dis", "-"], &file[..n]).code, Some(1), "{version} {method:?} {n} bytes");
            }
        }
    }
}

/// SplitMix64: random enough, and the same on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % n as u64) as usize
    }

    /// Changes a few bytes, towards the values that break arithmetic.
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
    for i in 0..1500 {
        survives(&random.mutate(&files[i % files.len()]));
    }
}

#[test]
fn a_bomb_stops_at_its_own_promise_or_at_the_limit() {
    // 1 GiB of zeros in a few bytes. Whatever size it claims, it must not be decompressed completely.
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

#[test]
fn names_cannot_command_the_terminal() {
    let mut file = code_object(GFX942);
    let at = file.windows(7).position(|w| w == b"second\0").expect("the symbol's name");
    file[at] = 0x1b;
    let out = run(&["dis", "-"], &file).ok();
    assert!(!out.contains('\x1b') && out.contains("<\\x1becond>"), "{out}");
}
