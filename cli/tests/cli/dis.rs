//! `dis`: the shape of the listing.

use super::samples::*;
use super::{run, tool};

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn the_listing_shows_symbols_labels_encodings_and_reasons() {
    let out = run(&["dis", "-"], &code_object(GFX942)).ok();
    let lines = lines(&out);
    assert_eq!(lines[0], "standard input: target gfx942, section .text, 36 bytes");
    assert_eq!(lines[1], "");
    assert_eq!(lines[2], format!("{:67}// kernel", "0000000000001900 <first>:"));
    assert_eq!(lines[3], format!("\t{:59}// 000000001900: BF800000", "s_nop 0"));
    assert_eq!(lines[4], format!("\t{:59}// 000000001904: BF850001 <first+0xc>", "s_cbranch_scc1 L190c"));
    // A branch leads to the dword that is not an instruction. The dword has a line, so it gets a label.
    assert_eq!(lines[5], "L1908:");
    assert!(lines[6].starts_with(&format!("\t{:59}// 000000001908: ", ".long 0xbfff0000")), "{}", lines[6]);
    assert_eq!(lines[7], "L190c:");
    assert_eq!(lines[8], format!("\t{:59}// 00000000190C: BE8000FF 12345678", "s_mov_b32 s0, 0x12345678"));
    assert!(lines[9].starts_with("\ts_branch L1908 "), "{}", lines[9]);
    assert!(out.contains("000000000000191c <second>:\n"), "{out}");
    assert!(out.contains("\ts_branch first "), "{out}");
}

#[test]
fn branches_into_the_middle_or_outside_keep_their_number() {
    let words = [s_branch(1), S_MOV[0], S_MOV[1], s_branch(100), s_branch(-1)];
    let out = run(&["dis", "--raw", "--target", "gfx942", "-"], &bytes(&words)).ok();
    assert!(out.contains("\ts_branch 1 "), "{out}");
    assert!(out.contains("\ts_branch 100 "), "{out}");
    assert!(out.contains("BF82FFFF <0x10>"), "{out}");
    assert!(out.contains("L10:\n\ts_branch L10 "), "{out}");
}

#[test]
fn bare_words_start_where_they_are_told() {
    let args = ["dis", "--raw", "--target", "mi300x", "--base", "0x12340", "-"];
    let out = run(&args, &bytes(&[S_NOP, s_branch(-2)])).ok();
    assert!(out.contains("L12340:\n\ts_nop 0"), "{out}");
    assert!(out.contains("// 000000012344: BF82FFFE"), "{out}");
}

/// A kernel descriptor has the number of lanes of its kernel's waves; the function after the kernel has the same.
#[test]
fn waves_are_those_of_the_kernel_descriptor() {
    // v_cmp_lt_f32_e32
    let code = [0x7c22_0301];
    for (properties, vcc) in [(1 << 10, "vcc_lo"), (0, "vcc")] {
        let object = code_object_properties(0x41, properties, &code, &code);
        for target in [&[][..], &["--target", "gfx1100"], &["--target", "gfx1100:wave64"]] {
            let out = run(&[&["dis"], target, &["-"]].concat(), &object).ok();
            assert_eq!(out.matches(&format!("v_cmp_lt_f32_e32 {vcc}, v1, v1")).count(), 2, "{properties}: {out}");
        }
    }
    // Bare words have no descriptor.
    for (target, vcc) in [("gfx1100", "vcc_lo"), ("gfx1100:wave64", "vcc")] {
        let out = run(&["dis", "--raw", "--target", target, "-"], &bytes(&code)).ok();
        assert!(out.contains(&format!("v_cmp_lt_f32_e32 {vcc}, v1, v1 ")), "{out}");
    }
    let refused = run(&["dis", "--raw", "--target", "gfx942:wave32", "-"], &bytes(&code)).fails(2);
    assert!(refused.contains("gfx942:wave32"), "{refused}");
}

/// Sample objects are listed for the target and the waves of their directory, and only zeros between their functions
/// are not instructions.
#[test]
fn every_sample_is_listed() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/samples");
    let entries = |path: &std::path::Path| {
        let all = std::fs::read_dir(path).expect("a directory").map(|e| e.expect("an entry").path());
        all.collect::<Vec<_>>()
    };
    let (mut objects, mut compares) = (0, [0, 0]);
    for directory in entries(&root).into_iter().filter(|path| path.is_dir()) {
        let name = directory.file_name().and_then(|name| name.to_str()).expect("a target's name");
        let wide = name.strip_suffix("-wave64");
        let target = wide.unwrap_or(name);
        let mask = if wide.is_none() && target.starts_with("gfx1") { " vcc_lo," } else { " vcc," };
        for path in entries(&directory) {
            let path = path.to_str().expect("a path in UTF-8");
            let out = run(&["dis", path], &[]).ok();
            let head = lines(&out)[0];
            assert!(head.starts_with(&format!("{path}: target {target}, section .text, ")), "{head}");
            assert!(out.contains("// kernel\n"), "{path} has no kernel");
            for line in lines(&out) {
                assert!(!line.contains("\t.") || line.contains("\t.long 0x00000000 "), "{path}: {line}");
                if line.contains("\tv_cmp_") && line.contains("_e32 ") {
                    assert!(line.contains(mask), "{path}: {line}");
                    compares[usize::from(mask == " vcc,")] += 1;
                }
            }
            objects += 1;
        }
    }
    assert!(objects >= 35 && compares.iter().all(|n| *n >= 10), "{objects} objects, {compares:?} comparisons");
}

#[test]
fn odd_bytes_at_the_end_are_shown() {
    let mut input = bytes(&[S_NOP]);
    input.extend([1, 0xab]);
    let out = run(&["dis", "--raw", "--target", "gfx942", "-"], &input).ok();
    assert!(out.contains("\t.byte 0x01, 0xab "), "{out}");
}

#[test]
fn a_cut_literal_is_data() {
    let out = run(&["dis", "--raw", "--target", "gfx942", "-"], &bytes(&S_MOV[..1])).ok();
    assert!(out.contains("\t.long 0xbe8000ff "), "{out}");
}

#[test]
fn an_instruction_does_not_reach_into_the_next_function() {
    let object = code_object_flags(GFX942, &[S_NOP, S_MOV[0]], &[S_ENDPGM]);
    let out = run(&["dis", "-"], &object).ok();
    assert!(out.contains("\t.long 0xbe8000ff "), "{out}");
    assert!(out.contains("<second>:\n\ts_endpgm "), "{out}");
}

#[test]
fn the_encoding_can_be_left_out() {
    let out = run(&["dis", "--no-encoding", "-"], &code_object(GFX942)).ok();
    assert!(out.contains("// 000000001900\n"), "{out}");
    assert!(!out.contains("BF800000"), "{out}");
}

#[test]
fn json_is_one_object_per_line_with_the_exact_text() {
    let out = run(&["dis", "--json", "-"], &usual_bundle()).ok();
    let parse = |line| serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON");
    let lines: Vec<_> = out.lines().map(parse).collect();
    assert_eq!(lines.len(), 8);
    assert_eq!(lines[0]["image"], ID_942);
    assert_eq!(lines[0]["target"], "gfx942");
    assert_eq!(lines[0]["section"], ".text");
    assert_eq!(lines[0]["address"], 0x1900);
    assert_eq!(lines[0]["label"], "first");
    assert_eq!(lines[0]["bytes"], "000080bf");
    assert_eq!(lines[0]["text"], "s_nop 0");
    assert_eq!(lines[1]["text"], "s_cbranch_scc1 1");
    assert_eq!(lines[1]["branch"]["address"], 0x190c);
    assert_eq!(lines[1]["branch"]["label"], "L190c");
    assert_eq!(lines[2]["label"], "L1908");
    assert_eq!(lines[2]["text"], ".long 0xbfff0000");
    assert!(lines[2]["reason"].is_string());
    assert_eq!(lines[3]["label"], "L190c");
    assert_eq!(lines[3]["bytes"], "ff0080be78563412");
    assert_eq!(lines[6]["label"], "second");
    assert_eq!(lines[6]["branch"]["label"], "first");
}

#[test]
fn colour_is_off_in_pipes_and_on_when_asked() {
    let object = code_object(GFX942);
    assert!(!run(&["dis", "-"], &object).ok().contains('\x1b'));
    assert!(!run(&["dis", "--color=never", "-"], &object).ok().contains('\x1b'));
    let plain = run(&["dis", "-"], &object).ok();
    let colored = run(&["--color", "always", "dis", "-"], &object).ok();
    assert!(colored.contains('\x1b'));
    // Without the escape codes, the text is the same.
    let mut stripped = String::new();
    for (i, part) in colored.split('\x1b').enumerate() {
        stripped += if i == 0 { part } else { part.split_once('m').expect("an SGR sequence").1 };
    }
    assert_eq!(stripped, plain);
}

#[test]
fn a_closed_pipe_is_no_error() {
    let words: Vec<u32> = std::iter::repeat_n(S_NOP, 1 << 20).collect();
    let mut child = tool(&["dis", "--raw", "--target", "gfx942", "-"]).spawn().expect("the tool starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    std::io::Write::write_all(&mut stdin, &bytes(&words)).expect("the tool reads all before it writes");
    drop(stdin);
    let output = child.wait_with_output().expect("the tool ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

/// Code of many units that branch to their own start, with a literal and a dword that is not an instruction.
fn units(count: usize) -> Vec<u32> {
    [S_NOP, S_MOV[0], S_MOV[1], s_branch(-4), BAD].repeat(count)
}

fn parts(options: &[&str], count: usize) -> String {
    let list = |base: usize, words: &[u32]| {
        let base = base.to_string();
        let args = [&["dis", "--raw", "--target", "gfx942", "--base", &base], options, &["-"]].concat();
        let out = run(&args, &bytes(words)).ok();
        // The header and the empty lines around the code are left out.
        out.lines()
            .filter(|line| line.starts_with(['\t', 'L', '{']))
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let whole = list(0, &units(count));
    let parts: String = (0..count / 1000).map(|n| list(n * 1000 * 20, &units(1000))).collect();
    assert!(whole == parts, "{options:?}: the listing of {count} units is not that of its parts");
    whole
}

// The tool makes long listings in pieces, on all cores. A long listing is the listings of the code's parts, one after
// the other.
#[test]
fn a_long_listing_is_that_of_its_parts() {
    let listing = parts(&[], 12_000);
    assert_eq!(listing.lines().count(), 12_000 * 5, "four lines and a label for each unit");
    let json = parts(&["--json"], 12_000);
    assert_eq!(json.lines().count(), 12_000 * 4);
}

#[test]
fn symbols_of_a_long_listing_stand_where_they_are() {
    // The lengths are around each power of two that could be the size of a piece.
    for len in (12..=15).flat_map(|n| (1 << n) - 2..=(1 << n) + 2) {
        let first: Vec<u32> = units(len / 5 + 1)[..len].to_vec();
        let object = code_object_flags(0x54c, &first, &[S_NOP, S_ENDPGM]);
        let out = run(&["dis", "-"], &object).ok();
        let at = BASE + 4 * len as u64;
        let wanted = format!("\n\n{at:016x} <second>:\n\t{:59}// {at:012X}: BF800000\n", "s_nop 0");
        assert_eq!(out.matches(&wanted).count(), 1, "{len} dwords");
        assert_eq!(out.matches("<second>:").count(), 1, "{len} dwords");
        assert_eq!(out.matches("<first>:").count(), 1, "{len} dwords");
    }
}

/// Registers beyond v255, whose numbers depend on `s_set_vgpr_msb`: as llvm-objdump shows them, in a compiled kernel.
#[test]
fn registers_beyond_v255_are_named_where_they_are_known() {
    let object = include_bytes!("../../../tests/samples/gfx1250/matrix1250.co");
    let out = run(&["dis", "--no-encoding", "-"], object).ok();
    let line = "\tv_pk_fma_f32 v[230:231], v[230:231], v[2:3] /*v[258:259]*/, v[134:135] ";
    assert!(out.contains(line), "{out}");
    assert_eq!(out.lines().filter(|line| line.contains(" /*v")).count(), 232);
    // s_set_vgpr_msb 1; v_mov_b32; s_set_vgpr_msb 0; s_cbranch_scc0 to the v_mov_b32, where paths with different bits
    // meet.
    let words: [u32; 5] = [0xbf86_0001, 0x7e00_0301, 0xbf86_0000, 0xbfa1_fffd, 0xbfb0_0000];
    let raw = words.map(u32::to_le_bytes).concat();
    let out = run(&["dis", "--raw", "--target", "gfx1250", "-"], &raw).ok();
    assert!(out.contains("\tv_mov_b32_e32 v0, v1 "), "{out}");
    let words: [u32; 3] = [0xbf86_0001, 0x7e00_0301, 0xbfb0_0000];
    let raw = words.map(u32::to_le_bytes).concat();
    let out = run(&["dis", "--raw", "--target", "gfx1250", "-"], &raw).ok();
    assert!(out.contains("\tv_mov_b32_e32 v0, v1 /*v257*/"), "{out}");
    // s_set_vgpr_msb 1; s_cbranch_scc0 over a v_mov_b32 to another: both paths have the same bits.
    let words: [u32; 5] = [0xbf86_0001, 0xbfa1_0001, 0x7e00_0301, 0x7e00_0302, 0xbfb0_0000];
    let raw = words.map(u32::to_le_bytes).concat();
    let out = run(&["dis", "--raw", "--target", "gfx1250", "-"], &raw).ok();
    assert!(out.contains("\tv_mov_b32_e32 v0, v2 /*v258*/"), "{out}");
    // After words that are not an instruction the bits are unknown, wherever a part of the listing begins.
    for len in [0, 16_381, 16_382, 16_383, 16_384] {
        let mut words = vec![0xbfb0_0000; len];
        words.extend([0xbf86_0001, 0x7e00_0301, 0xffff_ffff, 0x7e00_0301, 0xbfb0_0000]);
        let raw: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        let out = run(&["dis", "--raw", "--no-encoding", "--target", "gfx1250", "-"], &raw).ok();
        let moves = out.lines().filter_map(|line| line.split("//").next()).map(str::trim);
        let moves: Vec<&str> = moves.filter(|line| line.starts_with("v_mov_b32")).collect();
        assert_eq!(moves, ["v_mov_b32_e32 v0, v1 /*v257*/", "v_mov_b32_e32 v0, v1"], "{len}");
    }
}

#[test]
fn json_has_all_symbols_of_an_address() {
    let source = ".type a,@function\n.type b,@function\na:\nb:\nc:\n\ts_nop 0\nd:\n\ts_endpgm\n";
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("labels.o");
    let file = file.to_str().expect("a name");
    run(&["asm", "-c", "-", "gfx942", "-o", file], source.as_bytes()).ok();
    let out = run(&["dis", "--json", file], b"").ok();
    let parse = |line| serde_json::from_str::<serde_json::Value>(line).expect("each line is JSON");
    let lines: Vec<_> = out.lines().map(parse).collect();
    assert_eq!((&lines[0]["label"], &lines[0]["other_labels"]), (&"a".into(), &serde_json::json!(["b", "c"])));
    assert_eq!((&lines[1]["label"], lines[1].get("other_labels")), (&"d".into(), None));
}

#[test]
fn a_source_is_of_one_code_object() {
    let refused = run(&["dis", "--asm", "-"], &usual_bundle()).fails(1);
    assert!(refused.contains("--asm takes one code object") && refused.contains("clang-offload-bundler"), "{refused}");
    let begins: [(&[u8], &str); 3] = [
        (b"\x10\xff\x10\xad\x01", "`llvm-offload-binary`"),
        (b"!<arch>\n", "`ar x`"),
        (b"text", "and this is not one"),
    ];
    for (bytes, advice) in begins {
        assert!(run(&["dis", "--asm", "-"], bytes).fails(1).contains(advice), "{advice}");
    }
    let mut program = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/samples/gfx942/saxpy.co")).unwrap();
    program[18] = 62;
    let advice = "take it out of this container or program first, with `llvm-objdump --offloading`";
    assert!(run(&["dis", "--asm", "-"], &program).fails(1).contains(advice));
    assert!(run(&["dis", "--raw", "--target", "gfx942", "--base", "zz", "-"], b"").fails(2).contains("0x1000"));
}
