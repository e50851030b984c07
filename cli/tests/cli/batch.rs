//! `batch`: one answer for each line, in order, whatever the line.

use std::io::{BufRead, BufReader, Write};

use super::{run, tool};

/// The answers to `input`; each line must have one.
fn answers(input: &[u8]) -> Vec<String> {
    run(&["batch"], input).ok().lines().map(String::from).collect()
}

fn is_error(line: &str) -> bool {
    line.strip_prefix("ERR\t").is_some_and(|reason| !reason.is_empty())
}

#[test]
fn instructions_are_answered_with_length_text_and_bytes() {
    let input = b"gfx942\t000080bf\ngfx942\tff0080be78563412\ngfx942\tFF0080BE78563412000080bf\n";
    assert_eq!(
        answers(input),
        [
            "4\ts_nop 0\t000080bf",
            "8\ts_mov_b32 s0, 0x12345678\tff0080be78563412",
            "8\ts_mov_b32 s0, 0x12345678\tff0080be78563412"
        ]
    );
}

#[test]
fn a_line_that_makes_no_sense_gets_an_error_and_the_next_one_an_answer() {
    let bad: &[&[u8]] = &[
        b"",
        b"gfx942",
        b"gfx942\t",
        b"gfx942\t0",
        b"gfx942\t00008",
        b"gfx942\t000080bf\textra",
        b"gfx942\t0x000080bf",
        b"gfx942\t00 00 80 bf",
        b"gfx942\t00",
        b"gfx942\tff0080be",
        b"gfx942\t0000ffbf",
        b"gfx9999\t000080bf",
        b"gfx942:nonsense\t000080bf",
        b"gfx942:+wavefrontsize32\t000080bf",
        b"\t000080bf",
        b"\xff\xfe\t000080bf",
        b"gfx942\t\xc3\xa9",
        b"gfx942 000080bf",
        b"\0",
    ];
    for line in bad {
        let input = [line, &b"\ngfx942\t000080bf\n"[..]].concat();
        let answers = answers(&input);
        assert!(answers.len() == 2 && is_error(&answers[0]), "{line:?}: {answers:?}");
        assert_eq!(answers[1], "4\ts_nop 0\t000080bf");
    }
}

#[test]
fn line_ends_of_every_kind() {
    assert_eq!(answers(b"gfx942\t000080bf\r\ngfx942\t000081bf"), ["4\ts_nop 0\t000080bf", "4\ts_endpgm\t000081bf"]);
    assert_eq!(answers(b"gfx942\t000080bf\r"), ["4\ts_nop 0\t000080bf"]);
    assert!(answers(b"").is_empty());
    let blank = answers(b"\n\r\n");
    assert!(blank.len() == 2 && blank.iter().all(|a| is_error(a)));
}

#[test]
fn features_that_change_nothing_are_accepted() {
    for features in ["xnack", "+xnack,-sramecc", "sramecc+:xnack-", "tgsplit,cumode", "wavefrontsize64", "-real-true16"]
    {
        assert_eq!(answers(format!("gfx942:{features}\t000080bf").as_bytes()), ["4\ts_nop 0\t000080bf"], "{features}");
    }
}

#[test]
fn endless_lines_are_refused() {
    let mut input = b"gfx942\t".to_vec();
    input.extend(std::iter::repeat_n(b'0', 3 << 20));
    input.extend(b"\ngfx942\t000080bf\n");
    let answers = answers(&input);
    assert!(is_error(&answers[0]) && answers[0].contains("longer"), "{}", answers[0]);
    assert_eq!(answers[1], "4\ts_nop 0\t000080bf");
}

#[test]
fn the_number_of_errors_is_said_beside_the_answers() {
    let err = |input: &[u8]| run(&["batch"], input).err;
    let mut input = b"gfx942\t000080bf\ngfx942\t00\n\n".to_vec();
    assert_eq!(err(&input), "note: 2 of 3 lines were answered with ERR\n");
    input.extend(std::iter::repeat_n(b'0', 2 << 20));
    assert_eq!(err(&input), "note: 3 of 4 lines were answered with ERR\n");
    assert_eq!((err(b"gfx942\t000080bf\n"), err(b"")), (String::new(), String::new()));
}

#[test]
fn order_is_kept_over_many_lines() {
    let line = |i: u32| format!("gfx942\t{:02x}{:02x}80bf\n", i & 0xff, i >> 8 & 0xf);
    let input: String = (0..50_000).map(line).collect();
    let answers = answers(input.as_bytes());
    assert_eq!(answers.len(), 50_000);
    assert!(answers.iter().zip(0u32..).all(|(a, i)| a.ends_with(line(i).trim_end().trim_start_matches("gfx942"))));
}

#[test]
fn a_peer_that_waits_for_each_answer_gets_it() {
    let mut child = tool(&["batch"]).spawn().expect("the tool starts");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("stdout is a pipe"));
    for i in 0..100 {
        // The second half of a line comes only after the answer to the first line.
        stdin.write_all(b"gfx942\t000080bf\ngfx94").expect("the tool reads");
        let mut answer = String::new();
        stdout.read_line(&mut answer).expect("the tool answers");
        assert_eq!(answer, "4\ts_nop 0\t000080bf\n", "round {i}");
        stdin.write_all(b"2\t000081bf\n").expect("the tool reads");
        answer.clear();
        stdout.read_line(&mut answer).expect("the tool answers");
        assert_eq!(answer, "4\ts_endpgm\t000081bf\n", "round {i}");
    }
    drop(stdin);
    assert!(child.wait().expect("the tool ends").success());
}

#[test]
fn a_closed_pipe_is_no_error() {
    let mut child = tool(&["batch"]).spawn().expect("the tool starts");
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    // Writing fails once the tool has noticed that its output is closed.
    while stdin.write_all(b"gfx942\t000080bf\n").is_ok() {}
    drop(stdin);
    let output = child.wait_with_output().expect("the tool ends");
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}
