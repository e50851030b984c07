//! `docs/messages.md` shows the current messages of the library and of LLVM's assembler.

use amdgpu_isa::text::{ParseErrorKind, Suggestion};
use amdgpu_isa::{Target, parse};

use crate::llvm_mc::assemble;

/// The message of `asm --lines` about a wrong text, and its column.
fn ours(target: Target, text: &str) -> (String, String) {
    let error = parse(target, text).expect_err(text);
    let hint = Suggestion::for_error(target, text, &error);
    let place = if error.kind == ParseErrorKind::Mnemonic { format!(" on {target}") } else { String::new() };
    let hint = match (hint.elsewhere, hint.nearest) {
        (Some(other), _) => format!("; {other} has it"),
        (_, Some(name)) => format!("; {name} is similar"),
        _ => String::new(),
    };
    (format!("{error}{place}{hint}"), (error.span.start + 1).to_string())
}

#[test]
fn the_page_of_messages_is_current() {
    let page = include_str!("../../docs/messages.md");
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| gfx"))
        .map(|line| line.trim_matches('|').split(" | ").map(str::trim).collect())
        .collect();
    assert!(rows.len() >= 20, "{} pairs", rows.len());
    for row in rows {
        let [target, text, column, message, llvm] = row[..] else { panic!("{row:?}") };
        let target: Target = target.parse().unwrap();
        let text = text.trim_matches('`').to_string();
        let (said, at) = ours(target, &text);
        assert_eq!((said.as_str(), at.as_str()), (message, column), "{text}");
        let answer = assemble(target, std::slice::from_ref(&text)).remove(0).expect_err(&text);
        assert!(answer.contains(llvm), "{text}: {answer}");
    }
}

/// Messages that the page does not have give the place and the wrong name.
#[test]
fn messages_name_what_is_wrong() {
    let cases = [
        ("gfx942", "v_add_f32_e64 v0, v1, v2 clamp mul:2 clamp", "clamp is here twice", 38),
        ("gfx942", "v_add_f32_e64 v0, v1, v2 mul:2 clamp", "clamp has to stand before the other modifiers", 32),
        ("gfx90a", "ds_write2_b32 v0, a1, v2", "data1 cannot be this", 23),
        ("gfx90a", "ds_add_rtn_u32 a0, v1, v2", "data0 cannot be this", 24),
        // A name is not listed as similar to itself.
        ("gfx942", "s_mov_b32 s0, vmcnt", "unknown name", 15),
        ("gfx942", "s_mov_b32 s0, vmcmt", "unknown name; vmcnt is similar", 15),
    ];
    for (target, text, message, column) in cases {
        let Ok(target) = target.parse() else { continue };
        assert_eq!(ours(target, text), (message.to_string(), column.to_string()), "{text}");
    }
}

/// The time for a line is linear in its length, whatever the line has many of: otherwise this test takes minutes.
#[test]
fn long_lines_are_refused_soon() {
    const MANY: usize = 200_000;
    let cases = [
        ("gfx1100", "v_mov_b32 v0, v1", ", v0"),
        ("gfx1100", "v_mov_b32_e64 v0, v1", " clamp"),
        ("gfx1100", "v_mov_b32 v0, ", "("),
        ("gfx1100", "v_dual_mov_b32 v0, v1", " /*"),
        ("gfx1100", "v_dual_mov_b32 v0, v1", " : :"),
        ("gfx906", "exp mrt0 v1, v1, v2, v2", " /*"),
        ("gfx906", "exp mrt0 v1, v1, v2, v2 compr", " compr"),
        ("gfx906", "buffer_load_dword v1, off, s[0:3], 0", " /*"),
        ("gfx906", "s_mov_b64 [s0", ",s0"),
    ];
    for (target, text, more) in cases {
        let Ok(target) = target.parse() else { continue };
        assert!(parse(target, &format!("{text}{}", more.repeat(MANY))).is_err(), "{text}{more}");
    }
}
