//! The findings of `lint`, and their text and JSON. Compiled code is clean.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::asm_file::directory;
use super::run;
use super::samples::*;

use amdgpu_prove::known;

/// `global_load_dword v0, v1, s[0:1]`
const LOAD: [u32; 2] = [0xdc50_8000, 0x0000_0001];
/// `v_add_f32_e32 v2, v0, v2`
const ADD: u32 = 0x0204_0500;
/// `s_waitcnt vmcnt(0)`
const WAIT: u32 = 0xbf8c_0f70;
/// `s_setpc_b64 s[4:5]`
const JUMP: u32 = 0xbe80_1d04;

fn lint(args: &[&str], words: &[u32]) -> super::Run {
    run(&[&["lint", "--raw", "--target", "gfx942", "-"], args].concat(), &bytes(words))
}

fn json(words: &[u32]) -> Vec<Value> {
    let run = lint(&["--hints", "--format", "json"], words);
    run.out.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

#[test]
fn a_missing_wait_is_an_error_with_its_reason() {
    let run = lint(&["--base", "0x1900"], &[LOAD[0], LOAD[1], S_NOP, ADD, S_ENDPGM]);
    let wanted = "error[missing-wait]: v0 is used before it is loaded\n  \
                  insert s_waitcnt vmcnt(0) before 0x190c\n  \
                  00000000190C  v_add_f32_e32 v2, v0, v2    //  (gfx942, (raw))\n  \
                  000000001900  global_load_dword v0, v1, s[0:1]    // what it depends on\n  \
                  source: Vega ISA 4.4; CDNA1 to CDNA4 ISA 4.4; RDNA1 and RDNA2 ISA 4.4; RDNA3 ISA 5.6\n";
    assert_eq!(run.out, wanted);
    let message = run.fails(1);
    assert!(message.contains("standard input: 1 function checked: 1 error, 0 warnings, 0 hints"), "{message}");
    let run = lint(&[], &[LOAD[0], LOAD[1], WAIT, ADD, S_ENDPGM]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert!(run.err.contains("0 errors"), "{}", run.err);
}

#[test]
fn only_text_has_colours() {
    let escapes = |format| {
        let args = ["--color", "always", "--format", format];
        lint(&args, &[LOAD[0], LOAD[1], ADD, S_ENDPGM]).out.contains('\x1b')
    };
    assert!(escapes("text") && !escapes("json"));
}

#[test]
fn the_way_from_the_producer_is_shown() {
    // Only the path without the wait is wrong: load; branch over the wait; add.
    let words = [LOAD[0], LOAD[1], s_cbranch_scc1(1), WAIT, ADD, S_ENDPGM];
    let found = json(&words);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["path"], serde_json::json!([0, 16]));
    assert_eq!((&found[0]["address"], &found[0]["producer"]["address"]), (&16.into(), &0.into()));
    // In this loop the load is after the add.
    let words = [ADD, LOAD[0], LOAD[1], s_cbranch_scc1(-4), S_ENDPGM];
    let found = json(&words);
    assert_eq!((&found[0]["rule"], &found[0]["path"]), (&"missing-wait".into(), &serde_json::json!([0, 0])));
}

#[test]
fn hazards_are_errors_with_their_rule() {
    // v_cmp_lt_u32_e64 s[0:1], v0, v1; global_load_dword v0, v1, s[0:1] need five wait states.
    let words = [0xd0c9_0000, 0x0002_0300, LOAD[0], LOAD[1], S_ENDPGM];
    let found = json(&words);
    assert_eq!((&found[0]["severity"], &found[0]["rule"]), (&"error".into(), &"F01".into()), "{found:?}");
    assert_eq!(found[0]["producer"]["instruction"], "v_cmp_lt_u32_e64 s[0:1], v0, v1");
    let message = "5 wait states are missing after v_cmp_lt_u32 (s0): A vector operation writes a scalar register that a vector \
                   memory instruction reads";
    assert_eq!((&found[0]["message"], &found[0]["advice"]), (&message.into(), &"insert s_nop 4 before 0x8".into()));
    // s_nop 4 is five wait states.
    let words = [0xd0c9_0000, 0x0002_0300, S_NOP | 4, LOAD[0], LOAD[1], S_ENDPGM];
    assert_eq!(json(&words), [] as [Value; 0]);
}

#[test]
fn each_conflict_has_its_words_and_what_to_insert() {
    let said = |target: &str, text: &str| -> Vec<(String, String)> {
        let target: amdgpu_isa::Target = target.parse().unwrap();
        let words = text.split("; ").flat_map(|text| amdgpu_isa::parse(target, text).expect(text).words().to_vec());
        let words: Vec<u32> = words.collect();
        let run = run(&["lint", "--raw", "--target", target.name(), "--format", "json", "-"], &bytes(&words));
        let found = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
        found.map(|f| (f["message"].to_string(), f["advice"].as_str().unwrap_or("-").to_string())).collect()
    };
    for (target, text, message, advice) in [
        (
            "gfx942",
            "global_load_dword v0, v1, s[0:1]; v_mov_b32 v0, 0; s_endpgm",
            "v0 is overwritten before its load is done",
            "insert s_waitcnt vmcnt(0) before 0x8",
        ),
        (
            "gfx600",
            "buffer_store_dword v3, off, s[4:7], s0; v_mov_b32 v3, 0; s_endpgm",
            "v3 is overwritten while a store still reads it",
            "insert s_waitcnt expcnt(0) before 0x8",
        ),
        (
            "gfx1030",
            "exp mrt0 v0, v1, v2, v3; v_mov_b32 v2, 0; s_endpgm",
            "v2 is overwritten while an export still reads it",
            "insert s_waitcnt expcnt(0) before 0x8",
        ),
        (
            "gfx1200",
            "s_load_b32 s4, s[0:1], 0x0; s_mov_b32 s5, s4; s_endpgm",
            "s4 is used before it is loaded",
            "insert s_wait_kmcnt 0x0 before 0x8",
        ),
        (
            "gfx1010",
            "ds_read_b32 v8, v9; s_mov_b32 exec_lo, s4; s_endpgm",
            "it comes too soon after ds_read_b32 (exec_lo): An LDS instruction reads",
            "insert s_waitcnt_depctr depctr_vm_vsrc(0) before 0x8",
        ),
        (
            "gfx1100",
            "v_rcp_f32 v0, v1; v_mov_b32 v2, v0; s_endpgm",
            "6 vector instructions are missing after v_rcp_f32 (v0): A vector operation reads the result",
            "insert s_waitcnt_depctr depctr_va_vdst(0) before 0x4",
        ),
    ] {
        let found = said(target, text);
        let [(found, advised)] = &found[..] else { panic!("{target} {text}: {found:?}") };
        assert!(found.contains(message) && !found.contains('!') && !found.contains(".;"), "{found}");
        assert_eq!(advised, advice, "{text}");
    }
}

#[test]
fn hints_are_shown_on_request() {
    let words = [WAIT, S_ENDPGM];
    let run = lint(&[], &words);
    assert!(run.out.is_empty() && run.err.contains("1 hint, shown with --hints"), "{}{}", run.out, run.err);
    let found = json(&words);
    assert_eq!(found[0]["message"], "it waits for nothing: vmcnt is at most 0 here");
    // The result of global_load_dword v1, v1, s[0:1] is not needed yet.
    let words = [LOAD[0], LOAD[1], LOAD[0], 0x0100_0001, WAIT, ADD, S_ENDPGM];
    let found = json(&words);
    assert_eq!((found.len(), &found[0]["rule"]), (1, &"strong-wait".into()), "{found:?}");
    assert_eq!(found[0]["message"], "it waits for more than is needed: vmcnt(1) is enough for 0x14");
    // vmcnt(1) does not wait for more than needed, nor does a wait before a barrier.
    assert_eq!(json(&[LOAD[0], LOAD[1], LOAD[0], 0x0100_0001, WAIT | 1, ADD, S_ENDPGM]), [] as [Value; 0]);
    assert_eq!(json(&[LOAD[0], LOAD[1], LOAD[0], 0x0100_0001, WAIT, 0xbf8a_0000, ADD, S_ENDPGM]), [] as [Value; 0]);
    assert_eq!(json(&[JUMP])[0]["rule"], "unknown-jump");
    // s_swappc_b64 s[6:7], s[4:5]
    assert_eq!(json(&[0xbe86_1e04, S_ENDPGM])[0]["rule"], "unknown-call");
    // flat_load_dword v0, v[2:3]; s_waitcnt vmcnt(0); v_add
    let found = json(&[0xdc50_0000, 0x0000_0002, WAIT, ADD, S_ENDPGM]);
    assert_eq!((&found[0]["rule"], &found[0]["severity"]), (&"perhaps-missing-wait".into(), &"hint".into()));
}

/// Where paths with different upper bits of vector registers' numbers meet, a missing distance between registers that
/// may be in one bank is a hint, and nothing is inserted. Where both paths have the same bits, it is an error.
#[test]
fn distances_of_unknown_banks_are_hints() {
    let source = |between: &str| {
        format!(
            "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1250\"\n\tv_wmma_f32_16x16x32_bf16 v[0:7], v[8:15], v[16:23], v[0:7]\n\
             \ts_cbranch_scc0 1f\n\t{between}\n1:\n\tv_mov_b32 v8, 0\n\ts_endpgm\n"
        )
    };
    let found = |source: &str| -> Vec<(String, String)> {
        let run = run(&["lint", "--hints", "--format", "json", "-"], source.as_bytes());
        let found = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
        found.map(|f| (f["rule"].as_str().unwrap().into(), f["message"].as_str().unwrap().into())).collect()
    };
    let unknown = source("s_set_vgpr_msb 0x40");
    let hints = found(&unknown);
    assert!(hints.len() == 1 && hints[0].0 == "perhaps-hazard", "{hints:?}");
    let (start, by) =
        ("4 vector instructions are perhaps missing after v_wmma", "by Y03w-D8 if the registers are in one bank");
    assert!(hints[0].1.starts_with(start) && hints[0].1.contains(by), "{hints:?}");
    let same = found(&source("s_nop 0"));
    assert!(same.iter().any(|(rule, _)| rule == "Y03w-D8"), "{same:?}");
    let path = super::asm_file::directory("unknown-banks").join("code.co");
    let path = path.to_str().unwrap();
    run(&["asm", "-", "-o", path], unknown.as_bytes()).ok();
    let (before, repaired) = (std::fs::read(path).unwrap(), format!("{path}.repaired"));
    run(&["lint", "--fix", "-o", &repaired, path], &[]).ok();
    assert!(before == std::fs::read(&repaired).unwrap(), "something was inserted");
}

#[test]
fn registers_that_nothing_wrote_are_a_hint() {
    // The descriptor gives a value to the first vector register only. s_mov_b32 s0, s20 reads another register.
    let object = code_object_properties(GFX942, 0, &[0xbe80_0014, S_ENDPGM], &[S_ENDPGM]);
    let run = run(&["lint", "--hints", "--format", "json", "-"], &object);
    let found: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    assert!(
        found.iter().any(|f| f["rule"] == "unwritten-register" && f["message"] == "it reads s20, which nothing wrote"),
        "{found:?}"
    );
    // v_mov_b32 v2, v0; v_mov_b32 v2, v1; v_cndmask_b32 v2, v0, v0; s_mov_b32 s0, ttmp0: the first vector register,
    // exec, and the registers of trap handlers have values at the beginning.
    let words = [0x7e04_0300, 0x7e04_0301, 0x0004_0100, 0xbe80_006c, S_ENDPGM];
    let object = code_object_properties(GFX942, 0, &words, &[S_ENDPGM]);
    let run = super::run(&["lint", "--hints", "--format", "json", "-"], &object);
    let found: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let unwritten = found.iter().filter(|f| f["rule"] == "unwritten-register");
    let said: Vec<_> = unwritten.map(|f| f["message"].as_str().unwrap()).collect();
    assert_eq!(said, ["it reads v1, which nothing wrote", "it reads vcc_lo, vcc_hi, which nothing wrote"]);
}

#[test]
fn what_is_no_instruction_is_a_warning_and_the_rest_is_checked() {
    let words = [s_cbranch_scc1(1), BAD, LOAD[0], LOAD[1], ADD, S_ENDPGM];
    let run = lint(&[], &words);
    assert!(
        run.out.contains("warning[no-instruction]: the code continues with bytes that are not an instruction"),
        "{}",
        run.out
    );
    assert!(run.out.contains("error[missing-wait]"), "{}", run.out);
    let run = lint(&[], &[s_branch(100)]);
    assert!(
        run.out.contains("warning[leaves-section]: the code continues at 0x194, outside of the section"),
        "{}",
        run.out
    );
    assert_eq!(run.code, Some(0));
}

#[test]
fn sarif_is_one_document() {
    let run = lint(&["--format", "sarif"], &[LOAD[0], LOAD[1], ADD, S_ENDPGM]);
    let document: Value = serde_json::from_str(&run.out).expect("a document");
    assert_eq!(document["version"], "2.1.0");
    let result = &document["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"missing-wait".into(), &"error".into()));
    let address = |location: &Value| location["physicalLocation"]["address"]["absoluteAddress"].clone();
    assert_eq!((address(&result["locations"][0]), address(&result["relatedLocations"][0])), (8.into(), 0.into()));
    let rule = &document["runs"][0]["tool"]["driver"]["rules"][0];
    assert_eq!((&rule["id"], &rule["name"]), (&"missing-wait".into(), &"MissingWait".into()));
    assert_eq!(rule["shortDescription"]["text"], "A wait for a counter is missing");
    for text in ["fullDescription", "help"] {
        assert!(rule[text]["text"].as_str().is_some_and(|text| text.len() > 40), "{rule}");
    }
    let clean = lint(&["--format", "sarif"], &[S_ENDPGM]).ok();
    assert_eq!(serde_json::from_str::<Value>(&clean).expect("a document")["runs"][0]["results"], serde_json::json!([]));
}

#[test]
fn files_without_code_have_a_message() {
    assert!(lint(&[], &[]).fails(1).contains("the file is empty"));
    assert!(run(&["lint", "-"], b"nonsense\0").fails(1).contains("neither an ELF file"));
    // A text file is treated as a source.
    assert!(run(&["lint", "-"], b"nonsense").fails(1).contains("`lint --target PROCESSOR FILE`"));
    assert!(run(&["lint", "--target", "gfx1100", "-"], &code_object(GFX942)).fails(1).contains("nothing to check"));
}

/// The code of compilers is clean, except for known faults.
#[test]
fn samples_have_no_error() {
    let mut open = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/samples"))];
    open.extend(std::env::var_os("AMDGPU_ISA_CORPUS").map(PathBuf::from));
    let mut samples = 0;
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(dir).expect("the samples are there") {
            let path = entry.expect("it can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|x| x == "co") && is_known(&path) {
                let run = run(&["lint", "--format", "json", &path.display().to_string()], b"");
                let found = run.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
                let found: Vec<Value> = found.filter(|f: &Value| f["severity"] == "error" && !is_fault(f)).collect();
                assert!(found.is_empty(), "{}: {found:#?}{}", path.display(), run.err);
                assert!(run.err.contains(" checked: "), "{}: {}", path.display(), run.err);
                samples += 1;
            }
        }
    }
    assert!(samples > 0);
}

/// Whether a finding is about a hazard that LLVM is known to leave in compiled code.
fn is_fault(finding: &Value) -> bool {
    let [rule, message, text] = ["rule", "message", "instruction"].map(|key| finding[key].as_str().expect("a text"));
    known::is_fault(include_str!("../../../tests/hazards/faults.txt"), rule, known::register_of(message), text)
}

/// Whether the target of a sample is in this build: its directory has the name of the target.
fn is_known(path: &Path) -> bool {
    let name = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).expect("it is in a directory");
    let name = name.trim_end_matches("-wave64");
    amdgpu_isa::Target::ALL.iter().any(|target| target.name() == name)
}

#[test]
fn wait_states_that_nothing_needs_are_a_hint() {
    // v_cmp_lt_u32_e64 s[0:1], v0, v1; s_nop; global_load_dword v0, v1, s[0:1] need five wait states.
    let words = |states: u32| [0xd0c9_0000, 0x0002_0300, S_NOP | states, LOAD[0], LOAD[1], S_ENDPGM];
    assert_eq!(json(&words(4)), [] as [Value; 0]);
    let found = json(&words(6));
    assert_eq!((&found[0]["rule"], &found[0]["severity"]), (&"superfluous-nop".into(), &"hint".into()), "{found:?}");
    assert_eq!(found[0]["message"], "it is longer than anything needs: s_nop 4 is enough");
    // One of the two `s_nop`s is enough. An `s_nop` that no rule explains may have a reason that no rule covers.
    let found = json(&[0xd0c9_0000, 0x0002_0300, S_NOP | 4, S_NOP | 4, LOAD[0], LOAD[1], S_ENDPGM]);
    assert_eq!(found[0]["message"], "nothing needs the wait states");
    assert_eq!(json(&[S_NOP, S_ENDPGM]), [] as [Value; 0]);
}

/// A code object whose kernel has these numbers of registers, and this code.
fn kernel(vgprs: u32, accum_offset: u32, sgprs: u32, lines: &str) -> Vec<u8> {
    kernel_of("gfx942", vgprs, accum_offset, sgprs, lines)
}

/// A code object like that of `kernel`, for another processor that has accumulation registers.
fn kernel_of(processor: &str, vgprs: u32, accum_offset: u32, sgprs: u32, lines: &str) -> Vec<u8> {
    let source = format!(
        "\t.amdgcn_target \"amdgcn-amd-amdhsa--{processor}:xnack-\"
\t.text
\t.p2align 8
\t.globl k
\t.type k,@function
k:
{lines}
\ts_endpgm
\t.rodata
\t.p2align 6
\t.amdhsa_kernel k
\t.amdhsa_next_free_vgpr {vgprs}
\t.amdhsa_next_free_sgpr {sgprs}
\t.amdhsa_accum_offset {accum_offset}
\t.amdhsa_reserve_vcc 0
\t.amdhsa_reserve_xnack_mask 0
\t.end_amdhsa_kernel
"
    );
    let path = super::asm_file::directory(&format!("lint-{processor}-{vgprs}-{accum_offset}-{sgprs}-{}", lines.len()))
        .join("k.co");
    run(&["asm", "-", "-o", path.to_str().unwrap()], source.as_bytes()).ok();
    std::fs::read(path).unwrap()
}

/// Only a read of the last register that the descriptor provides is a finding, and only if the other operation of the
/// dual instruction is on 64 bits.
#[test]
fn the_last_register_beside_a_pair_is_a_hint() {
    let hints = |vgprs: u8, code: &str| -> Vec<String> {
        let source = format!(
            "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx1250\"\n\t.text\n\t.p2align 8\n\t.globl k\n\t.type k,@function\n\
             k:\n\tv_mov_b32 v15, 0\n\tv_mov_b32 v4, 0\n\tv_mov_b32 v5, 0\n\tv_mov_b32 v8, 0\n\tv_mov_b32 v9, 0\n\
             \t{code}\n\ts_endpgm\n\t.rodata\n\t.p2align 6\n\t.amdhsa_kernel k\n\t.amdhsa_next_free_vgpr {vgprs}\n\
             \t.amdhsa_next_free_sgpr 8\n\t.end_amdhsa_kernel\n"
        );
        let run = run(&["lint", "--hints", "--format", "json", "-"], source.as_bytes());
        let found = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
        found.filter(|f| f["rule"] == "last-vgpr").map(|f| f["message"].as_str().unwrap().to_string()).collect()
    };
    let none: [&str; 0] = [];
    let code = "v_dual_add_f64 v[0:1], v[4:5], v[8:9] :: v_dual_mov_b32 v7, v15";
    let wanted = [
        "v15 is the last register that the descriptor gives, but beside an operation on 64 bits the hardware may read two",
    ];
    assert_eq!(hints(16, code), wanted);
    assert_eq!(hints(17, code), none);
    assert_eq!(hints(16, "v_dual_add_f32 v0, v4, v8 :: v_dual_mov_b32 v7, v15"), none);
    assert_eq!(hints(16, "v_dual_add_f64 v[0:1], v[4:5], v[8:9] :: v_dual_mov_b32 v15, v8"), none);
}

#[test]
fn descriptors_give_what_is_used() {
    let errors = |object: &[u8]| -> Vec<String> {
        let run = run(&["lint", "--format", "json", "-"], object);
        let found = run.out.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
        found.map(|f| format!("{}: {}", f["rule"].as_str().unwrap(), f["message"].as_str().unwrap())).collect()
    };
    let none: [&str; 0] = [];
    let code = "\tv_mov_b32 v3, 0\n\tv_mov_b32 v15, 0\n\ts_mov_b32 s20, 0";
    assert_eq!(errors(&kernel(16, 16, 21, code)), none);
    let wanted = ["few-vgprs: it uses v15, but accumulation registers begin at 8"];
    assert_eq!(errors(&kernel(16, 8, 21, code)), wanted);
    let accumulation = "\tv_accvgpr_write_b32 a8, 0";
    assert_eq!(errors(&kernel(24, 8, 8, accumulation)), none);
    let wanted = ["few-vgprs: it uses 17 vector registers, and the descriptor gives 16"];
    assert_eq!(errors(&kernel(16, 8, 8, accumulation)), wanted);
    let sgprs = errors(&kernel(16, 16, 8, code));
    assert!(sgprs.len() == 1 && sgprs[0].starts_with("few-sgprs: it uses 21 scalar registers"), "{sgprs:?}");
    // The address of this sample has up to three registers, but the kernel may sample an image with fewer dimensions.
    assert_eq!(errors(&kernel_of("gfx90a", 8, 4, 16, "\timage_sample v[0:3], v2, s[0:7], s[8:11] dmask:0xf")), none);
    let wanted = ["no-scratch: it accesses scratch memory, and the descriptor gives none"];
    assert_eq!(errors(&kernel(8, 8, 8, "\tscratch_store_dword off, v0, s0")), wanted);
}

/// At the beginning of a called function, any hazard of its caller may be open: on RDNA4, vector operations may have
/// read any scalar register.
#[test]
fn functions_begin_with_the_worst() {
    if "gfx1200".parse::<amdgpu_isa::Target>().is_err() {
        return;
    }
    // The second of the two functions is not a kernel: s_mov_b32 s5, s9; s_mov_b32 s0, s5
    let words = [0xbe85_0009, 0xbe80_0005, 0xbfb0_0000];
    let object = code_object_flags(0x500 | 0x48, &words, &words);
    let run = run(&["lint", "--format", "json", "-"], &object);
    let found: Vec<Value> = run.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let of = |f: &Value| (f["rule"].as_str().unwrap().to_string(), f["function"].as_str().unwrap().to_string());
    assert_eq!(found.iter().map(of).collect::<Vec<_>>(), [("W03".to_string(), "second+0x4".to_string())], "{found:?}");
}

/// The source of a kernel, and of a function after it.
fn source_with_function(kernel: &str, function: &str) -> String {
    format!(
        ".p2align 8\nk: {kernel}\n s_endpgm\n.p2align 4\nf: {function}\n s_setpc_b64 s[30:31]\n\
         .type k,@function\n.type f,@function\n.section .rodata\n.amdhsa_kernel k\n.amdhsa_next_free_vgpr 8\n\
         .amdhsa_next_free_sgpr 32\n.amdhsa_accum_offset 8\n.end_amdhsa_kernel\n"
    )
}

/// The errors about a kernel, and a function after it.
fn with_function(kernel: &str, function: &str) -> Vec<String> {
    let source = source_with_function(kernel, function);
    let found = run(&["lint", "--format", "json", "--target", "gfx942", "-"], source.as_bytes()).out;
    let found = found.lines().map(|line| serde_json::from_str(line).expect("a line is an object"));
    let errors = found.filter(|finding: &Value| finding["severity"] == "error");
    let text = |finding: &Value, name: &str| finding[name].as_str().unwrap_or_default().to_string();
    errors.map(|finding| format!("{}: {}", text(&finding, "rule"), text(&finding, "message"))).collect()
}

#[test]
fn a_function_waits_before_it_returns_to_callers_that_are_not_known() {
    let load = "global_load_dword v0, v2, s[0:1]";
    let early =
        "early-return: the function returns before v0 is loaded, and callers outside of this code do not wait for that";
    assert_eq!(with_function("s_nop 0", load), [early]);
    assert_eq!(with_function("s_nop 0", &format!("{load}\n s_waitcnt vmcnt(0)")), [""; 0]);
    // A caller does not rely on a store having reached memory.
    assert_eq!(with_function("s_nop 0", "global_store_dword v2, v0, s[0:1]"), [""; 0]);
    // A caller in the same code continues with the state that the function leaves.
    assert_eq!(with_function("s_call_b64 s[30:31], f", load), [""; 0]);
    let used = with_function("s_call_b64 s[30:31], f\n v_add_f32 v1, v0, v0", load);
    assert_eq!(used, ["missing-wait: v0 is used before it is loaded"]);
}

#[test]
fn fix_lets_a_function_wait_before_it_returns() {
    let work = directory("lint-early-return");
    let (source, file, new) = (work.join("k.s"), work.join("k.co"), work.join("new.co"));
    let path = |path: &Path| path.to_str().expect("a text").to_string();
    let load = "global_load_dword v0, v2, s[0:1]\n s_load_dword s4, s[0:1], 0x0";
    let function = format!("{load}\n s_cbranch_scc0 f1\n s_setpc_b64 s[30:31]\nf1: s_nop 0");
    std::fs::write(&source, source_with_function("s_nop 0", &function)).expect("it can be written");
    run(&["asm", "-o", &path(&file), &path(&source), "gfx942"], &[]).ok();
    let rules = |file: &Path| run(&["lint", &path(file)], &[]).out.matches("error[early-return]").count();
    assert_eq!(rules(&file), 4, "two counters at each of two returns");
    run(&["lint", "--fix", "--trust-jumps", "-o", &path(&new), &path(&file)], &[]).ok();
    assert_eq!(rules(&new), 0);
    // Each return gets a wait, and `--trim` keeps it.
    let waits = |file: &Path| run(&["dis", &path(file)], &[]).out.matches("s_waitcnt vmcnt(0) lgkmcnt(0)").count();
    assert_eq!(waits(&new), 2);
    run(&["lint", "--trim", "--trust-jumps", "-o", &path(&file), &path(&new)], &[]).ok();
    assert_eq!(waits(&file), 2);
}
