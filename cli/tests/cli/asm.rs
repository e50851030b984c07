//! `asm --lines`: one answer for each line, in order, whatever the line.

use super::run;

fn answers(input: &[u8]) -> Vec<String> {
    run(&["asm", "--lines"], input).ok().lines().map(String::from).collect()
}

#[test]
fn texts_are_answered_with_bytes() {
    let input = b"gfx942\ts_mov_b32 s0, 4*(8+2)\ngfx1100:wavefrontsize64\ts_mov_b64 exec, vcc // all\r\n";
    assert_eq!(answers(input), ["a80080be", "6a01febe"]);
}

#[test]
fn what_is_no_instruction_is_answered_with_the_column_and_the_reason() {
    let input = b"gfx942\tv_ad_f32 v0, v1, v2\ngfx942\ts_wait_loadcnt 0\ngfx942\ts_mov_b32 s0, v1\nnonsense\n\
        gfx1\ts_nop 0\ngfx942\ts_nop \xff\ngfx942\t\ngfx942\ts_nop 0";
    assert_eq!(
        answers(input),
        [
            "ERR\t1\tunknown mnemonic on gfx942; v_add_f32 is similar",
            "ERR\t1\tunknown mnemonic on gfx942; gfx1200 has it",
            "ERR\t15\tssrc0 cannot be this",
            "ERR\t1\tmalformed line: expected target<TAB>text",
            &format!("ERR\t1\t{}", unknown_target()),
            "ERR\t7\tnot UTF-8",
            "ERR\t1\tunknown mnemonic on gfx942",
            "000080bf",
        ]
    );
}

#[test]
fn labels_before_an_instruction_are_skipped() {
    let input = b"gfx942\tfoo: s_nop 0\ngfx942\t 1: .L$2 : s_nop 1\ngfx942\tfoo: s_mov_b32 s0, v1\ngfx942\tfoo:\n\
        gfx942\t: s_nop 0\n";
    assert_eq!(
        answers(input),
        [
            "000080bf",
            "010080bf",
            "ERR\t20\tssrc0 cannot be this",
            "ERR\t5\tunknown mnemonic on gfx942",
            "ERR\t1\tunknown mnemonic on gfx942",
        ]
    );
}

/// The answer of `batch` to an unknown target.
fn unknown_target() -> String {
    let answer = run(&["batch"], b"gfx1\t000080bf\n").ok().to_string();
    answer.trim().trim_start_matches("ERR\t").to_string()
}

/// The filler is the value of sources that an operation lacks: `--fill` and `.amdgpu_isa_fill` set it, and `dis --asm`
/// writes it.
#[test]
fn sources_keep_the_filler_of_their_words() {
    let hex = |args: &[&str], source: &str| run(args, source.as_bytes()).ok().trim().to_string();
    let (old, new) = ("000003d501050200", "000003d501050202");
    let add = "v_add_f32_e64 v0, v1, v2\n";
    assert_eq!(hex(&["asm", "--hex", "-", "gfx1100"], add), old);
    assert_eq!(hex(&["asm", "--hex", "--fill", "llvm23", "-", "gfx1100"], add), new);
    assert_eq!(hex(&["asm", "--lines", "--fill", "llvm23"], &format!("gfx1100\t{add}")), new);
    assert_eq!(hex(&["asm", "--hex", "-", "gfx1170"], add), new);
    assert_eq!(hex(&["asm", "--hex", "--fill", "llvm22", "-", "gfx1170"], add), old);

    // LLVM 22 does not know gfx1154, which has the instructions of gfx1150.
    assert_eq!(hex(&["asm", "--hex", "-", "gfx1150"], add), old);
    assert_eq!(hex(&["asm", "--hex", "-", "gfx1154"], add), new);
    assert_eq!(hex(&["asm", "--lines"], &format!("gfx1154\t{add}")), new);
    let mixed = format!("{add}.amdgpu_isa_fill llvm23\n{add}{add}.amdgpu_isa_fill llvm22\n{add}");
    let work = super::asm_file::directory("asm-fill");
    let (first, again) = (work.join("first.co"), work.join("again.co"));
    let [first, again] = [&first, &again].map(|path| path.to_str().unwrap());
    for (processor, changes) in [("gfx1100", 2), ("gfx1154", 1)] {
        run(&["asm", "-", processor, "-o", first], mixed.as_bytes()).ok();
        let apart = run(&["dis", "--asm", first], b"").ok();
        assert_eq!(
            (apart.matches(".amdgpu_isa_fill").count(), apart.matches(".long").count()),
            (changes, 0),
            "{apart}"
        );
        run(&["asm", "-", "-o", again], apart.as_bytes()).ok();
        assert!(std::fs::read(first).unwrap() == std::fs::read(again).unwrap());
    }

    let err = run(&["asm", "--hex", "-", "gfx1100"], b".amdgpu_isa_fill llvm21\n").err;
    assert!(err.contains("`llvm22` or `llvm23` expected"), "{err}");
}
