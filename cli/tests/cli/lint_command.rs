//! The use of `lint`: several files, sources, baselines, and the list of rules.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use super::asm_file::directory;
use super::run;
use super::samples::*;

/// A kernel in which a macro uses a load that one path does not wait for.
const SOURCE: &str = "\t.amdgcn_target \"amdgcn-amd-amdhsa--gfx942\"
.macro use reg
\tv_add_f32 v2, \\reg, v2
.endm
\t.text
\t.p2align 8
\t.globl k
\t.type k,@function
k:
\tglobal_load_dword v0, v1, s[0:1]
\ts_cbranch_scc1 over
\ts_waitcnt vmcnt(0)
over:
\tuse v0
\ts_endpgm
\t.rodata
\t.p2align 6
\t.amdhsa_kernel k
\t.amdhsa_next_free_vgpr 8
\t.amdhsa_next_free_sgpr 8
\t.amdhsa_accum_offset 8
\t.end_amdhsa_kernel
";

fn write(directory: &Path, name: &str, contents: impl AsRef<[u8]>) -> String {
    let path = directory.join(name);
    std::fs::write(&path, contents).unwrap();
    path.to_str().unwrap().into()
}

/// The code object of a source.
fn assembled(directory: &Path, name: &str, source: &str) -> String {
    let path = directory.join(name).to_str().unwrap().to_string();
    run(&["asm", "-", "-o", &path], source.as_bytes()).ok();
    path
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line is an object")).collect()
}

#[test]
fn several_files_have_one_summary_and_none_hides_another() {
    let work = directory("lint-several");
    let bad = assembled(&work, "bad.co", SOURCE);
    let clean = assembled(&work, "clean.co", &SOURCE.replace("\ts_cbranch_scc1 over\n", ""));
    let run_on = |files: &[&str]| run(&[&["lint"], files].concat(), b"");
    let two = run_on(&[&clean, &clean]);
    assert!(two.err.starts_with("2 files, 2 functions checked: 0 errors, 0 warnings"), "{}", two.err);
    assert_eq!((two.code, two.out.as_str()), (Some(0), ""));
    let three = run_on(&[&clean, &bad, "there/is/none", &clean]);
    assert!(three.out.contains(&format!("// {bad}: k+0x10 (gfx942, .text)")), "{}", three.out);
    assert!(three.err.contains("error: cannot read there/is/none"), "{}", three.err);
    let summary = "error: 4 files, 3 functions checked: 1 error, 0 warnings";
    assert!(three.err.contains(summary) && three.err.contains("; 1 file not checked whole"), "{}", three.err);
    assert_eq!(three.code, Some(1));
    // A damaged file fails, too.
    let damaged = write(&work, "cut.co", &std::fs::read(&clean).unwrap()[..200]);
    let run = run_on(&[&damaged, &clean]);
    assert!(
        run.code == Some(1) && run.err.contains("cut.co: ") && run.err.contains("2 files, 1 function"),
        "{}",
        run.err
    );
    let json = super::run(&["lint", "--json", &bad, &clean], b"");
    assert_eq!(objects(&json.out)[0]["file"], bad);
    let usage = super::run(&["lint", "--fix", "-o", "-", &bad, &clean], b"").fails(2);
    assert!(usage.contains("--fix and --trim change one file"), "{usage}");
}

#[test]
fn several_files_are_listed_one_after_the_other() {
    let work = directory("dis-several");
    let one = assembled(&work, "one.co", SOURCE);
    let two = assembled(&work, "two.co", SOURCE);
    let alone = |file: &str| run(&["dis", file], b"").ok();
    assert_eq!(run(&["dis", &one, &two], b"").ok(), alone(&one) + &alone(&two));
    let some = run(&["dis", "there/is/none", &two], b"");
    assert_eq!((some.out.clone(), some.code), (alone(&two), Some(1)));
    assert!(some.fails(1).contains("cannot read there/is/none"));
    let files: BTreeSet<String> = objects(&run(&["dis", "--json", &one, &two], b"").ok())
        .iter()
        .map(|line| line["file"].as_str().expect("a name").to_string())
        .collect();
    assert_eq!(files, BTreeSet::from([one.clone(), two.clone()]));
    assert!(run(&["dis", "--asm", &one, &two], b"").fails(2).contains("--asm makes a source of one file"));
}

#[test]
fn strict_demands_what_sources_disagree_about() {
    // v_cmpx_eq_u32_e32 vcc, v0, v1; global_load_dword v2, v0, s[0:1]
    let words = [0x7db4_0300, 0xdc50_8000, 0x0200_0000, S_ENDPGM];
    let lint =
        |args: &[&str]| run(&[&["lint", "--raw", "--target", "gfx942", "--json", "-"], args].concat(), &bytes(&words));
    assert_eq!(lint(&[]).ok(), "");
    let strict = lint(&["--strict"]);
    assert_eq!(objects(&strict.out)[0]["rule"], "F02");
    assert_eq!(strict.code, Some(1));
}

/// The rules that a source breaks.
fn broken(target: &str, source: &str, assumptions: &[&str]) -> Vec<String> {
    let assumptions: Vec<&str> = assumptions.iter().flat_map(|one| ["--assume", one]).collect();
    let args = [&["lint", "--target", target, "--json", "-"], &assumptions[..]].concat();
    let found = objects(&run(&args, source.as_bytes()).out);
    let errors = found.iter().filter(|finding| finding["severity"] == "error");
    errors.map(|finding| finding["rule"].as_str().expect("a name").to_string()).collect()
}

#[test]
fn what_no_file_says_is_assumed() {
    let function = |code: &str| format!("k: {code}\n s_endpgm\n.type k,@function\n");
    let expert = function("v_add_f32 v5, v1, v2\n global_load_b32 v0, v5, s[0:1]");
    assert_eq!(broken("gfx1200", &expert, &[]), [""; 0]);
    assert_eq!(broken("gfx1200", &expert, &["expert=on"]), ["Y14"]);
    assert_eq!(broken("gfx1200", &expert, &["expert=on", "expert=off"]), [""; 0]);

    let xnack = function("global_load_dword v38, v[38:39], off\n global_load_dword v39, v[40:41], off");
    assert_eq!(broken("gfx942", &xnack, &[]), ["F27w"], "it has to run either way");
    assert_eq!(broken("gfx942", &xnack, &["xnack=on"]), ["F27w"]);
    assert_eq!(broken("gfx942", &xnack, &["xnack=off"]), [""; 0]);
    assert_eq!(broken("gfx942:xnack+", &xnack, &["xnack=off"]), ["F27w"], "the file says it");
    assert_eq!(broken("gfx942:xnack-", &xnack, &["xnack=on"]), [""; 0], "the file says it");
    let bare = [0xdc50_8000, 0x267f_0026, 0xdc50_8000, 0x277f_0028, S_ENDPGM];
    let raw =
        |args: &[&str]| run(&[&["lint", "--raw", "--target", "gfx942", "--json", "-"], args].concat(), &bytes(&bare));
    assert_eq!(raw(&[]).ok(), "");
    assert_eq!(objects(&raw(&["--assume", "xnack=on"]).out)[0]["rule"], "F27w");

    let masks = function("v_cndmask_b32_e64 v9, v1, v2, s[0:1]\n s_mov_b32 s0, 0\n s_mov_b32 s5, s0");
    assert_eq!(broken("gfx1100", &masks, &["wave=64"]), ["U03"]);
    let carries = [0xd501_0009, 0x0002_0501, 0xbe80_0080, 0xbe85_0000, 0xbfb0_0000];
    let raw =
        |wave: &str| run(&["lint", "--raw", "--target", "gfx1100", "--json", "--assume", wave, "-"], &bytes(&carries));
    assert_eq!(raw("wave=32").ok(), "");
    assert_eq!(objects(&raw("wave=64").out)[0]["rule"], "U03");
    let fails = run(&["lint", "--raw", "--target", "gfx942", "--assume", "wave=32", "-"], &bytes(&bare)).fails(1);
    assert!(fails.contains("gfx942 has no waves of 32 lanes: leave out --assume wave=32"), "{fails}");
    let fails = run(&["lint", "--raw", "--target", "gfx942", "--assume", "xnack=any", "-"], &bytes(&bare)).fails(2);
    assert!(fails.contains("use xnack=on, xnack=off, expert=on, expert=off, wave=32 or wave=64"), "{fails}");
    let both = ["--assume", "xnack=on", "--assume", "xnack=off"];
    let fails = run(&[&["lint", "--raw", "--target", "gfx942", "-"], &both[..]].concat(), &bytes(&bare)).fails(2);
    assert!(fails.contains("--assume xnack= is given with two values: give one"), "{fails}");
}

#[test]
fn sources_are_checked_where_their_lines_are() {
    let work = directory("lint-source");
    let path = write(&work, "kernel.s", SOURCE);
    let run_on = |args: &[&str]| run(&[&["lint"], args].concat(), SOURCE.as_bytes());
    let found = objects(&run_on(&["--json", &path]).out);
    let [finding] = &found[..] else { panic!("{found:?}") };
    let place = |value: &Value| (value["file"].as_str().unwrap().to_string(), value["line"].as_u64().unwrap());
    assert_eq!(place(&finding["place"]), ("the macro use".into(), 1));
    assert_eq!(place(&finding["place"]["from"][0]), (path.clone(), 14));
    assert_eq!(place(&finding["producer"]["place"]), (path.clone(), 10));
    let text = run_on(&[&path]).out;
    assert!(text.contains(&format!("    at the macro use:1:2, which {path}:14:2 asks for\n")), "{text}");
    assert!(text.contains(&format!("    at {path}:10:2\n")), "{text}");
    // A text file is a source, whatever its name. SARIF has the source's lines.
    let run = run_on(&["--format", "sarif", "-"]);
    let document: Value = serde_json::from_str(&run.out).expect("a document");
    let result = &document["runs"][0]["results"][0];
    let line = |location: &Value| location["physicalLocation"]["region"]["startLine"].clone();
    assert_eq!((line(&result["locations"][0]), line(&result["relatedLocations"][0])), (14.into(), 10.into()));
    assert_eq!(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "standard%20input");
    assert_eq!(result["message"]["text"], "v0 is used before it is loaded; insert s_waitcnt vmcnt(0) before 0x1310");
    // A symbol can be left for a linker to define.
    let open = SOURCE.replace("\ts_waitcnt vmcnt(0)\n", "\ts_mov_b32 s0, other@rel32@lo\n");
    let found = objects(&super::run(&["lint", "--json", "-"], open.as_bytes()).out);
    assert_eq!((&found[0]["rule"], place(&found[0]["place"]["from"][0]).1), (&"missing-wait".into(), 14));
    // SARIF has the place in an included file.
    let included = write(&work, "part.inc", "\tglobal_load_dword v0, v1, s[0:1]\n\tv_mov_b32 v1, v0\n");
    let main = write(&work, "main.s", format!("\ts_nop 0\n\t.include \"{included}\"\n\ts_endpgm\n"));
    let run = run_on(&["--format", "sarif", "--target", "gfx942", &main]);
    let document: Value = serde_json::from_str(&run.out).expect("a document");
    let place = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&included.as_str().into(), &2.into())
    );
    // SARIF has columns in code units of UTF-16, and JSON has them in bytes.
    let wide = "\tglobal_load_dword v0, v1, s[0:1]\n/* \u{e4}\u{1d11e} */ v_mov_b32 v1, v0\n\ts_endpgm\n";
    let wide = write(&work, "wide.s", wide);
    let run = run_on(&["--format", "sarif", "--target", "gfx942", &wide]);
    let document: Value = serde_json::from_str(&run.out).expect("a document");
    assert_eq!(document["runs"][0]["columnKind"], "utf16CodeUnits");
    let region = &document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!(*region, serde_json::json!({ "startLine": 2, "startColumn": 11 }));
    let found = objects(&run_on(&["--json", "--target", "gfx942", &wide]).out);
    assert_eq!(found[0]["place"]["column"], 14);
    let latin = write(&work, "latin.s", b"s_nop 0 // \xe9\ns_endpgm\n");
    run_on(&["--target", "gfx942", &latin]).ok();
    // `--target` gives the processor. Faults in the source have the messages of `asm`.
    let bare = "v_mov_b32 v0, v1\ns_endpgm\n";
    super::run(&["lint", "--target", "gfx1100", "-"], bare.as_bytes()).ok();
    let run = super::run(&["lint", "--target", "gfx1100", "-"], b"v_ad_f32 v0, v1, v2\n");
    assert!(run.err.contains("v_add_f32 is similar") && run.err.contains("standard input:1:1"), "{}", run.err);
    assert!(run.fails(1).contains("standard input: 1 error"));
    let run = super::run(&["lint", "--fix", "-o", "-", &path], b"");
    assert!(run.fails(1).contains("and this is a source: make a code object of it first"));
    // Options about changes need --fix or --trim.
    assert!(
        super::run(&["lint", "-o", "-", &path], b"").fails(2).contains("--output writes what --fix or --trim make")
    );
    assert!(
        super::run(&["lint", "--trust-jumps", &path], b"").fails(2).contains("--trust-jumps is for --fix and --trim")
    );
}

/// A baseline does not have addresses, so that code may move, and each known finding matches only one.
#[test]
fn a_baseline_fails_on_new_findings_only() {
    let work = directory("lint-baseline");
    let path = |name: &str| work.join(name).to_str().unwrap().to_string();
    let (bad, known) = (assembled(&work, "bad.co", SOURCE), path("known.txt"));
    let run_on = |args: &[&str]| run(&[&["lint"], args].concat(), b"");
    let written = run_on(&["--write-baseline", &known, &bad]);
    assert!(written.code == Some(0) && written.err.contains("1 finding written"), "{}", written.err);
    let text = std::fs::read_to_string(&known).unwrap();
    assert_eq!(text, "# Known findings: COUNT RULE REGISTER TARGET FUNCTION\n1 missing-wait v0 gfx942 k\n");
    let run = run_on(&["--baseline", &known, &bad]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), ""));
    assert!(run.err.contains("0 errors") && run.err.contains("; 1 more in the baseline"), "{}", run.err);
    let moved = assembled(&work, "moved.co", &SOURCE.replace("k:\n", "k:\n\ts_nop 0\n\ts_nop 0\n"));
    assert_eq!(run_on(&["--baseline", &known, &moved]).code, Some(0));
    // A second finding like the known one is new, and so is a finding about another register.
    let second = SOURCE.replace("\tuse v0\n", "\tuse v0\n\tglobal_load_dword v0, v1, s[0:1]\n\tuse v0\n");
    let run = run_on(&["--baseline", &known, &assembled(&work, "second.co", &second)]);
    assert!(run.code == Some(1) && run.err.contains("1 error") && run.err.contains("1 more"), "{}", run.err);
    let other = SOURCE.replace("v0, v1, s[0:1]", "v3, v1, s[0:1]").replace("use v0", "use v3");
    let run = run_on(&["--baseline", &known, &assembled(&work, "other.co", &other)]);
    assert!(run.code == Some(1) && run.out.contains("v3 is used before it is loaded"), "{}{}", run.out, run.err);
    assert!(run.err.contains("1 finding of it is gone"), "{}", run.err);
    let wrong = write(&work, "wrong.txt", "# a comment\n\n1 missing-wait v0\n");
    assert!(run_on(&["--baseline", &wrong, &bad]).fails(1).contains("wrong.txt: line 3 is not COUNT RULE"));
}

#[test]
fn rules_are_listed_for_the_target_of_a_file() {
    let work = directory("lint-rules");
    let file = assembled(&work, "k.co", SOURCE);
    let text = run(&["lint", "--rules", &file], b"").ok();
    assert!(text.starts_with("gfx942: "), "{text}");
    let f01 = "\nerror[F01]: wait states are missing between two instructions (5 wait states)\n  A vector operation writes a scalar \
               register that a vector memory instruction reads.\n  source: ";
    assert!(text.contains(f01), "{text}");
    assert!(text.contains("\nnot checked\n  Whether memory or LDS is stored before it is loaded, "), "{text}");
    assert!(text.contains("\n  F20: ") && !text.contains("\n  T11: "), "RDNA1 has T11: {text}");
    assert!(!text.contains("[F02]"), "only --strict demands it");
    let strict = run(&["lint", "--rules", "--strict", "--target", "gfx942"], b"").ok();
    assert!(
        strict.contains("error[F02]: wait states are missing between two instructions (wait states: 0 (5 if strict))")
    );
    let all = objects(&run(&["lint", "--rules", "--json", "--target", "gfx942"], b"").ok());
    let rule = all.iter().find(|rule| rule["id"] == "F01").expect("F01");
    assert_eq!(
        (&rule["unit"], &rule["distance"], &rule["needs"]),
        (&"states".into(), &"5".into(), &"5 wait states".into())
    );
    assert_eq!((&rule["severity"], &rule["certainty"]), (&"error".into(), &"agreed".into()));
    assert!(all.iter().any(|line| line["unchecked"].is_string() && line["target"] == "gfx942"));
    // Without a target, all rules are listed.
    assert!(run(&["lint", "--rules"], b"").ok().starts_with("all targets: "));
    assert!(run(&["lint", "--rules", "--format", "sarif"], b"").fails(2).contains("--json"));
}

#[test]
fn a_mended_file_whose_lines_are_wrong_has_a_note() {
    let work = directory("lint-lines");
    let line = "\t.file 1 \"a.cl\"\n\t.loc 1 1 0\n";
    let debug = assembled(&work, "debug.co", &SOURCE.replace("k:\n", &format!("k:\n{line}")));
    let plain = assembled(&work, "plain.co", SOURCE);
    let out = work.join("out.co");
    let fix = |file: &str| run(&["lint", "--fix", "-o", out.to_str().unwrap(), file], b"").err;
    let note = "its tables for debuggers (.debug_line) are still those of the code before";
    assert!(fix(&debug).contains(note), "{}", fix(&debug));
    assert!(!fix(&plain).contains(note), "{}", fix(&plain));
}

/// SARIF is always a document: files that could not be checked, or only partly, are notifications in it.
#[test]
fn sarif_says_what_was_not_checked() {
    let work = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sarif");
    std::fs::create_dir_all(&work).unwrap();
    let bad = write(&work, "bad.s", "v_ad_f32 v0, v1, v2\n");
    let good = write(&work, "good.s", "k: s_endpgm\n");
    let missing = format!("{bad}.missing");
    let told = |files: &[&str], code: i32| {
        let run = run(&[&["lint", "--format", "sarif", "--target", "gfx942"], files].concat(), b"");
        assert_eq!(run.code, Some(code), "{}", run.err);
        let document: Value = serde_json::from_str(&run.out).expect("a document");
        let invocation = document["runs"][0]["invocations"][0].clone();
        let notes = invocation["toolExecutionNotifications"].as_array().expect("a list").clone();
        assert_eq!(invocation["executionSuccessful"], notes.is_empty());
        notes.iter().map(|note| note["message"]["text"].as_str().expect("a text").to_string()).collect::<Vec<String>>()
    };
    assert_eq!(told(&[&good], 0), [""; 0]);
    assert_eq!(told(&[&bad], 1), [format!("{bad}: 1 error")]);
    let notes = told(&[&missing], 1);
    assert!(notes.len() == 1 && notes[0].contains("cannot read"), "{notes:?}");
    let notes = told(&[&missing, &good, &bad], 1);
    assert!(notes.len() == 2 && notes[1] == format!("{bad}: 1 error"), "{notes:?}");
}
