//! `explain`: diagrams of words.

use super::run;

#[test]
fn a_word_is_drawn_bit_by_bit() {
    let out = run(&["explain", "--target", "gfx942", "0xbf820012"], b"").ok();
    assert!(out.starts_with("s_branch 18\n"), "{out}");
    // The frame contains all 32 bits, whatever the fields are.
    let row = out.lines().find(|l| l.ends_with("bf820012")).expect("a row of bits");
    let bits: String = row.chars().take(65).filter(|c| "01".contains(*c)).collect();
    assert_eq!(u32::from_str_radix(&bits, 2), Ok(0xbf82_0012));
    assert!(out.lines().all(|l| l.chars().count() <= 80), "{out}");
}

#[test]
fn literals_belong_to_their_instruction() {
    for words in [&["0xbe8000ff", "0x12345678"][..], &["ff0080be78563412"], &["ff:00:80:be", "78,56,34,12"]] {
        let out = run(&[&["explain", "--target", "gfx942"], words].concat(), b"").ok();
        assert!(out.starts_with("s_mov_b32 s0, 0x12345678\n"), "{out}");
        assert!(out.contains("│  12345678\n"), "{out}");
    }
}

#[test]
fn several_instructions_are_drawn_one_below_the_other() {
    let value = |word: &str| run(&["explain", "--target", "gfx942", word], b"").ok();
    assert!(value("bf800009").contains("simm16     15:0  9 ") && value("bf80000a").contains("simm16     15:0  0xa "));
    let out = run(&["explain", "--target", "gfx942", "bf800000", "bf810000"], b"").ok();
    assert!(out.contains("s_nop 0\n") && out.contains("\ns_endpgm\n"), "{out}");
}

#[test]
fn both_operations_of_a_dual_instruction_are_named() {
    let out = run(&["explain", "--target", "gfx1100", "c8e00202", "04060702"], b"").ok();
    assert!(out.starts_with("v_dual_mul_f32 v4, s2, v1 :: v_dual_add_nc_u32 v7, v2, v3\n"), "{out}");
    let op = out.lines().find(|l| l.trim_start().starts_with("op ")).expect("the opcode's line");
    assert!(op.ends_with("v_dual_mul_f32 :: v_dual_add_nc_u32"), "{op}");
}

#[test]
fn what_is_no_instruction_is_drawn_and_refused() {
    let run = run(&["explain", "--target", "gfx942", "bfff0000", "bf810000"], b"");
    assert!(run.out.starts_with(".long 0xbfff0000\n") && run.out.contains("s_endpgm"), "{}", run.out);
    assert!(run.fails(1).contains("0xbfff0000 is not an instruction of gfx942"));
}

#[test]
fn words_that_cannot_be_read_are_a_wrong_command_line() {
    for word in ["xyz", "0x", "", "123", "80:41:80", "0x123456789", "0x1", "+1234567"] {
        run(&["explain", "--target", "gfx942", word], b"").fails(2);
    }
    // The argument was meant as the upper half of a dword; with zeros before it, it is v_cndmask_b32.
    let message = run(&["explain", "--target", "gfx942", "0xbf81"], b"").fails(2);
    assert!(message.contains("a dword has eight digits, and this has 4: write 0x0000bf81"), "{message}");
    let whole = run(&["explain", "--target", "gfx942", "0x0000bf81"], b"").ok();
    assert!(whole.contains("0000bf81"), "{whole}");
}

#[test]
fn target_ids_are_taken_as_by_dis() {
    let plain = run(&["explain", "--target", "gfx942", "0xbf820012"], b"").ok();
    for id in ["gfx942:xnack+", "gfx942:sramecc+:xnack-", "mi300x:xnack+"] {
        assert_eq!(run(&["explain", "--target", id, "0xbf820012"], b"").ok(), plain, "{id}");
    }
    for bad in ["gfx942:xnack", "gfx9999:xnack+", ":xnack+"] {
        run(&["explain", "--target", bad, "0xbf820012"], b"").fails(2);
    }
}

#[test]
fn a_picture_goes_to_stdout_or_a_file() {
    let svg = run(&["explain", "--target", "gfx942", "--svg", "-", "0xbf820012"], b"").ok();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("s_branch 18"));
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("explain.svg");
    let name = path.to_str().expect("a path that is text");
    assert_eq!(run(&["explain", "--target", "gfx942", "--svg", name, "0xbf820012"], b"").ok(), "");
    assert_eq!(std::fs::read_to_string(&path).expect("the picture was written"), svg);
    let message = run(&["explain", "--target", "gfx942", "--svg", "no/such/dir/x.svg", "0xbf820012"], b"").fails(1);
    assert!(message.contains("cannot write no/such/dir/x.svg"), "{message}");
}
