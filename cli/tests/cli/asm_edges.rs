//! `asm FILE` on sources with faults, and on unusual ones: the command gives a message with the place of the fault and
//! an exit code, and ends.

use super::asm_file::directory;
use super::{measure, run};

fn fails(source: &[u8]) -> String {
    run(&["asm", "-c", "-", "gfx942", "-o", "-"], source).err
}

#[test]
fn faults_are_shown_with_line_column_and_caret() {
    let run = run(
        &["asm", "-c", "-", "gfx942", "-o", "-"],
        b"s_nop 0\n  v_ad_f32 v0, v1, v2\ns_mov_b32 s0, v1 // no\n.long\n.foo 1\n",
    );
    assert_eq!(run.code, Some(1));
    let err = run.err;
    for expected in [
        "error: unknown mnemonic on gfx942",
        "standard input:2:3",
        "  v_ad_f32 v0, v1, v2",
        "^^^^^^^^",
        "v_add_f32 is similar",
        "standard input:3:15",
        "error: there is no directive .foo",
        "standard input:5:1",
        "error: standard input: 3 errors",
    ] {
        assert!(err.contains(expected), "{expected}: {err}");
    }
    assert!(!err.contains('\x1b') && run.out.is_empty(), "{err}");
}

#[test]
fn faults_are_told_as_json() {
    let run = run(&["asm", "-c", "-", "gfx942", "-o", "-", "--json"], b".macro m x\ns_nop \\x\n.endm\n\nm 99999999\n");
    assert_eq!(run.code, Some(1));
    let line: serde_json::Value = serde_json::from_str(run.out.lines().next().unwrap()).unwrap();
    assert_eq!((line["line"].as_u64(), line["column"].as_u64()), (Some(1), Some(7)), "{line}");
    assert_eq!(line["severity"], "error");
    assert_eq!(line["from"][0]["line"].as_u64(), Some(5), "{line}");
    assert_eq!(line["from"][0]["in"], "the macro m");
    assert!(!run.err.contains("99999999"), "once is enough: {}", run.err);
}

/// The package describes the error, and the command names the option that helps.
#[test]
fn faults_name_the_option_that_helps() {
    let cases: [(&[&str], &str, &str); 5] = [
        (
            &[],
            "s_nop 0",
            "which processor is this for? `.amdgcn_target` says it; \
             so does an argument: `asm FILE PROCESSOR` or `lint --target PROCESSOR FILE`",
        ),
        (
            &[],
            ".byte 1",
            "no processor is named: `.amdgcn_target` names one; \
             so does an argument: `asm FILE PROCESSOR` or `lint --target PROCESSOR FILE`",
        ),
        (&["gfx942"], ".long x", "`x` is not defined: `-c` makes an object for a linker"),
        (
            &["gfx942"],
            ".amdgpu_lds x, 4\n.long x",
            "`x` is in a workgroup's memory, where a linker has to place it: `-c` makes an object for one",
        ),
        (
            &["gfx942"],
            "s_branch x\n.zero 0x40000\nx:",
            "= `asm --long-branches s[N:N+1]` goes there through two registers whose values nothing needs",
        ),
    ];
    for (target, source, expected) in cases {
        let args = [&["asm", "-", "-o", "-"], target].concat();
        let shown = run(&args, source.as_bytes()).err;
        assert!(shown.contains(expected), "{shown}");
        let json = run(&[&*args, &["--json"]].concat(), source.as_bytes()).out;
        let line: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
        let texts = [&line["message"], &line["note"]].map(|text| text.as_str().unwrap_or(""));
        assert!(texts.contains(&expected.trim_start_matches("= ")), "{line}");
    }
}

#[test]
fn recursion_ends_and_its_chain_is_shown() {
    let err = fails(b".macro again\nagain\n.endm\nagain\n");
    assert!(err.contains("nested deeper than 64") && err.contains("in the macro again"), "{err}");
    let work = directory("asm-recursion");
    let path = work.join("own.s");
    std::fs::write(&path, format!(".include {:?}\n", path.to_str().unwrap())).unwrap();
    let err = run(&["asm", "-c", path.to_str().unwrap(), "gfx942", "-o", "-"], b"").err;
    assert!(err.contains("nested deeper than 64"), "{err}");
    let err = fails(b".set a, b\n.set b, a\n.long a\n");
    assert!(err.contains("depends on itself"), "{err}");
}

#[test]
fn strange_sources_have_a_message() {
    let long = |what: &str| what.repeat(100_000 / what.len());
    let cases: Vec<(Vec<u8>, &str)> = vec![
        (b"s_nop \xff".to_vec(), "expression expected"),
        (b".globl \"\xff\"".to_vec(), "the name is not UTF-8"),
        (b".include \"no such file\"".to_vec(), "cannot read \"no such file\""),
        (b".if 1".to_vec(), "the condition has no .endif"),
        (b".if 1\n.end\n".to_vec(), "the condition has no .endif"),
        (b".endif".to_vec(), ".endif without an .if above"),
        (b".macro m\ns_nop 0".to_vec(), "no .endm follows"),
        (b".rept 3\ns_nop 0".to_vec(), "no .endr follows"),
        (b".rept 1000000000\n.rept 1000000000\ns_nop 0\n.endr\n.endr".to_vec(), "more than 16777216 bytes"),
        (b".rept -1\n.endr".to_vec(), "negative"),
        (
            [b".irp x,".to_vec(), long("1,").into_bytes(), b"\n.byte \\x".repeat(1000), b"\n.endr".to_vec()].concat(),
            "`--max-expansion BYTES` changes this limit",
        ),
        (b".zero 0x7fffffffffffffff".to_vec(), "more than"),
        (b".fill 0x7fffffff, 8, 1".to_vec(), "more than"),
        (b".p2align 63".to_vec(), "a power of two"),
        (b"s_branch nowhere_.L\n.long .Lnowhere".to_vec(), "is not defined"),
        (b"a:\na:".to_vec(), "is defined already"),
        (b".long 1/0".to_vec(), "the divisor is zero"),
        (b".byte 256".to_vec(), "does not fit"),
        (b".error \"\"".to_vec(), "error: .error was reached"),
        (b".byte -129".to_vec(), "does not fit"),
        (b".amdhsa_kernel k".to_vec(), "no .end_amdhsa_kernel"),
        (b".amdhsa_kernel k\n.amdhsa_wavefront_size32 1".to_vec(), "gfx1310 has it"),
        (b".amdhsa_kernel k\n.end_amdhsa_kernel".to_vec(), ".amdhsa_next_free_vgpr is missing"),
        (b".amdgpu_metadata\n- [\n.end_amdgpu_metadata".to_vec(), "not YAML"),
        (b".amdgpu_metadata\na: 1\nb: *c\n.end_amdgpu_metadata".to_vec(), "input:3:4\n"),
        (b".amdgpu_metadata\n".to_vec(), "no .end_amdgpu_metadata"),
        (b".ascii \"abc".to_vec(), "the string has no end"),
        (b".ascii \"a\\q\"".to_vec(), "input:1:10\n"),
        (b".long max(1, 2".to_vec(), "`)` expected"),
        (b".section x,\"aM\",@progbits 4".to_vec(), "`,` expected"),
        (b".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"".to_vec(), "another processor"),
        (b"s_branch far\n.zero 0x40000\nfar:".to_vec(), "s_branch far"),
        (long("(").into_bytes(), ""),
        ([b".long ".to_vec(), long("(").into_bytes()].concat(), "nested deeper"),
        ([b".long a".to_vec(), long("+a").into_bytes()].concat(), "more than 4096 operators"),
        (b"s_branch to\n.byte 1\nto:".to_vec(), "not a multiple of 4 bytes away"),
        ([b".long ".to_vec(), long("-").into_bytes()].concat(), "nested deeper"),
        ([b"s_mov_b32 s0, ".to_vec(), long("x").into_bytes(), b"\n.foo".to_vec()].concat(), "no directive"),
        (long("a: ").into_bytes(), "is defined already"),
    ];
    for (source, expected) in cases {
        let run = run(&["asm", "-c", "-", "gfx942", "-o", "-"], &source);
        let start = String::from_utf8_lossy(&source[..source.len().min(60)]).into_owned();
        assert_eq!(run.code, Some(1), "{start}");
        assert!(run.err.contains(expected), "{start}: {}", &run.err[..run.err.len().min(2000)]);
    }
}

#[test]
fn data_of_other_processors_names_what_has_its_size() {
    for directive in [".half", ".hword", ".word"] {
        let err = fails(format!("{directive} 1\n").as_bytes());
        assert!(err.contains(&format!("there is no directive {directive} for AMD GPUs")), "{err}");
        assert!(err.contains("`.short` has 2 bytes, and `.long` has 4"), "{err}");
    }
}

#[test]
fn empty_sources_and_long_lines_are_sources() {
    assert_eq!(run(&["asm", "--hex", "-", "gfx942"], b"").ok(), "\n");
    let nops = format!("s_nop 0 ;{}\n", "x".repeat(100_000));
    assert_eq!(run(&["asm", "--hex", "-", "gfx942"], nops.as_bytes()).ok(), "000080bf\n");
    let sum = format!(".set a, 0{}\ns_nop a-99990\n", "+1".repeat(99_999));
    assert_eq!(run(&["asm", "--hex", "-", "gfx942"], sum.as_bytes()).ok(), "090080bf\n");
    let sum = format!(".long a{}\n.set a, 1", "+a".repeat(1022));
    assert_eq!(run(&["asm", "--hex", "-", "gfx942"], sum.as_bytes()).ok(), "ff030000\n");
    assert!(run(&["asm", "-", "-o", "-"], b"").fails(1).contains("no processor is named"));
    // The output does not replace the source.
    let source = super::asm_file::directory("asm-same").join("a.s");
    std::fs::write(&source, "s_endpgm\n").unwrap();
    let path = source.to_str().unwrap();
    assert!(run(&["asm", path, "gfx942", "-o", path], b"").fails(2).contains("is the source"));
    assert_eq!(std::fs::read(&source).unwrap(), b"s_endpgm\n");
}

#[test]
#[cfg(target_os = "linux")]
fn many_lines_take_little_memory() {
    let source = "s_nop 0\n".repeat(1_000_000);
    let taken = measure(&["asm", "--hex", "-", "gfx942"], source.as_bytes());
    assert_eq!((taken.code, taken.bytes), (0, 8_000_001));
    assert!(taken.kib < 120_000, "{} KiB", taken.kib);
    let faults = "nonsense\n".repeat(200_000);
    let taken = measure(&["asm", "--hex", "-", "gfx942"], faults.as_bytes());
    assert_eq!(taken.code, 1);
    assert!(taken.kib < 120_000, "{} KiB", taken.kib);
}

/// The test would take minutes if the assembler searched the whole source for the line of each fault, searched for the
/// end of the source at each character, or compared each parameter with all others.
#[test]
fn faults_in_long_sources_and_long_macros_take_no_longer() {
    let mut source = "s_nop 0\n".repeat(1_000_000);
    source += &"nonsense\n".repeat(100);
    let fault = |args: &[&str]| run(&[&["asm", "--hex", "-", "gfx942"], args].concat(), source.as_bytes());
    assert!(fault(&[]).fails(1).contains("standard input:1000100:1\n"));
    let told = fault(&["--json"]).out;
    assert!(told.lines().last().is_some_and(|line| line.contains("\"line\":1000100,")), "{told}");
    let count = 200_000;
    let list = |of: &dyn Fn(usize) -> String| (0..count).map(of).collect::<Vec<_>>().join(",");
    let (heads, uses) = (list(&|n| format!("p{n}")), list(&|n| format!("\\p{n}")));
    let (named, values) = (list(&|n| format!("p{}={n}", count - 1 - n)), list(&|n| n.to_string()));
    let source = format!(".macro m {heads}\n.long {uses}\n.endm\nm {named}\nm {values}\n");
    let hex = run(&["asm", "--hex", "-", "gfx942"], source.as_bytes()).ok();
    assert_eq!(hex.len(), 16 * count + 1);
    assert_eq!((&hex[..16], &hex[8 * count..8 * count + 16]), ("3f0d03003e0d0300", "0000000001000000"));
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_device_is_an_error() {
    let run = run(&["asm", "-", "gfx942", "-o", "/dev/full"], b"s_nop 0\n");
    assert!(run.fails(1).contains("cannot write /dev/full"));
}

#[test]
fn damaged_code_objects_have_no_source_but_a_message() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/samples/gfx942/saxpy.co");
    let bytes = std::fs::read(path).unwrap();
    for at in (0..bytes.len()).step_by(97) {
        // The file is cut off, or has a wrong byte.
        run(&["dis", "--asm", "-"], &bytes[..at]);
        let mut wrong = bytes.clone();
        wrong[at] ^= 0xff;
        run(&["dis", "--asm", "-"], &wrong);
    }
}

#[test]
fn damaged_sources_have_an_end_and_perhaps_a_message() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/sources");
    let include = root.to_str().unwrap();
    for name in ["directives.s", "kernel.s"] {
        let source = std::fs::read_to_string(root.join(name)).unwrap();
        let lines: Vec<&str> = source.lines().collect();
        let assemble = |text: String| run(&["asm", "--hex", "-", "gfx1100", "-I", include], text.as_bytes()).code;
        for n in 0..lines.len() {
            let without: Vec<&str> = lines.iter().enumerate().filter(|(m, _)| *m != n).map(|(_, line)| *line).collect();
            assemble(without.join("\n"));
            // One line is cut, and others are replaced.
            let mut cut = lines.clone();
            cut[n] = &cut[n][..cut[n].len() / 2];
            assemble(cut.join("\n"));
            let mut other = lines.clone();
            (other[n], other[(n * 7 + 3) % lines.len()]) =
                (lines[(n * 5 + 1) % lines.len()], "\\@ ( \" 'x .macro .rept 3, @");
            assemble(other.join("\n"));
        }
    }
}

/// Waves have a size that the processor's waves can have, whoever names the processor.
#[test]
fn waves_have_a_size_of_the_processor() {
    let asm = |lanes, target: &[&str], source: &str| {
        run(&[&["asm", "--hex", "--wave", lanes, "-"], target].concat(), source.as_bytes())
    };
    assert_eq!(asm("64", &["gfx942"], "s_nop 0").ok(), asm("32", &["gfx1100"], "s_nop 0").ok());
    let refused = asm("32", &["gfx942"], "s_nop 0").fails(1);
    assert!(refused.contains("gfx942 has no waves of 32 lanes"), "{refused}");
    let refused = asm("32", &[], "s_nop_ 0\n.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"\ns_nop 0").err;
    assert!(refused.contains("gfx942 has no waves of 32 lanes"), "{refused}");
}
