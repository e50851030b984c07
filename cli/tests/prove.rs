//! `amdgpu-isa prove`: a part of it for every target, and its output. The full run takes minutes for each target: run
//! the command.

use amdgpu_isa::Target;
use std::process::{Command, Output};

use crate::cli::is_full;

fn prove(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_amdgpu-isa")).arg("prove").args(args).output().expect("the tool starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

/// The number before a word, without its commas.
fn number_before(line: &str, what: &str) -> u64 {
    let (before, _) = line.split_once(what).unwrap_or_else(|| panic!("no {what} in {line}"));
    let digits = before.trim().rsplit(' ').next().expect("a number").replace(',', "");
    digits.parse().unwrap_or_else(|_| panic!("no number before {what} in {line}"))
}

#[test]
fn a_part_of_all_words_has_no_fault() {
    // Four targets stand for all where only paths through the code matter (tests/README.md).
    let some = [Target::Gfx803, Target::Gfx942, Target::Gfx1100, Target::Gfx1250];
    let targets: Vec<Target> =
        Target::ALL.iter().copied().filter(|target| is_full() || some.contains(target)).collect();
    let names: Vec<&str> = targets.iter().flat_map(|target| ["--target", target.name()]).collect();
    let run = prove(&[&["--part", "499/15991"], &names[..]].concat());
    let out = text(&run.stdout);
    assert!(run.status.success() && run.stderr.is_empty(), "{out}{}", text(&run.stderr));
    for target in &targets {
        let begins = format!("{}, ", target.name());
        let lines: Vec<&str> = out.lines().filter(|line| line.starts_with(&begins)).collect();
        let [words, fields] = lines[..] else { panic!("two passes of {target}: {lines:?}") };
        assert_eq!(number_before(words, " words"), (498..1u64 << 32).step_by(15991).count() as u64, "{words}");
        assert!(number_before(fields, " forms") > 1_500 && number_before(fields, " classes") > 150, "{fields}");
        assert!(number_before(fields, " words") > 3_000, "{fields}");
    }
    let ends: Vec<&str> = out.lines().filter(|line| line.contains(" printed; ")).collect();
    assert_eq!(ends.len(), 2 * targets.len());
    for line in ends {
        assert!(line.ends_with("no fault"), "{line}");
        assert!(number_before(line, " decoded") > 2_000 && number_before(line, " printed") > 500, "{line}");
    }
    assert!(!out.contains('\x1b'), "colour without a terminal");
}

/// Each line of the table counts the words of a format, and the last line is the sum.
#[test]
fn every_word_is_in_the_table() {
    let run = prove(&["--target", "gfx900", "--pass", "words", "--part", "9/20001"]);
    let out = text(&run.stdout);
    let rows: Vec<Vec<u64>> = out.lines().filter(|line| line.starts_with("  ")).filter_map(cells).collect();
    let (sums, formats) = rows.split_last().expect("a table");
    assert!(formats.len() > 15, "{out}");
    for (column, sum) in sums.iter().enumerate() {
        assert_eq!(formats.iter().map(|row| row[column]).sum::<u64>(), *sum, "{out}");
    }
    let words = number_before(out.lines().next().expect("a line"), " words");
    assert!(out.contains(','), "{out}");
    for number in out.lines().skip(1).flat_map(|line| line.split(|c: char| !c.is_ascii_digit() && c != ',')) {
        let groups: Vec<usize> = number.trim_end_matches(',').split(',').map(str::len).collect();
        assert!(groups[0] <= 3 && groups[1..].iter().all(|len| *len == 3), "{number}: {out}");
    }
    assert_eq!(sums.iter().sum::<u64>(), words, "{out}");
}

/// The five numbers of a line of the table.
fn cells(line: &str) -> Option<Vec<u64>> {
    let number = |cell: &str| if cell == "-" { Some(0) } else { cell.replace(',', "").parse().ok() };
    let cells: Vec<&str> = line.split_whitespace().rev().take(5).collect();
    let cells: Option<Vec<u64>> = cells.into_iter().rev().map(number).collect();
    cells.filter(|cells| cells.len() == 5)
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    for bad in [&["--part", "3/2"][..], &["--part", "x"], &["--target", "gfx1"], &["--text", "0"]] {
        let run = prove(bad);
        assert_eq!(run.status.code(), Some(2), "{bad:?}");
        assert!(!run.stderr.is_empty());
    }
}

/// No system starts 65535 threads, so the tool accepts at most 1024. A thousand threads have the same result as one.
#[test]
fn threads_are_as_many_as_a_system_can_give() {
    let part = ["--target", "gfx900", "--pass", "words", "--part", "1/4000037"];
    let with = |threads: &str| prove(&[&part[..], &["--threads", threads]].concat());
    for bad in ["0", "1025", "65535", "65536", "-1", "x"] {
        let run = with(bad);
        assert_eq!(run.status.code(), Some(2), "{bad}: {}", text(&run.stderr));
        let message = "give 1 to 1024 threads, or leave the option out";
        assert!(bad == "-1" || text(&run.stderr).contains(message), "{}", text(&run.stderr));
    }
    let counted = |threads: &str| {
        let run = with(threads);
        assert!(run.status.success(), "{}", text(&run.stderr));
        // The first line, which has the time, is left out.
        text(&run.stdout).lines().skip(1).map(String::from).collect::<Vec<_>>()
    };
    assert_eq!(counted("1024"), counted("1"));
}
