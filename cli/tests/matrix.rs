//! `cli/tests/matrix.tsv` has the opcode number and the spelling of every operation on every target, as
//! `amdgpu-isa matrix` prints them. When a commit changes tables, the diff of that file shows the effect on each
//! target.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const SNAPSHOT: &str = include_str!("matrix.tsv");
const RENEW: &str = "cargo run --release -p amdgpu-isa-cli -- matrix --tsv >cli/tests/matrix.tsv";

fn matrix(args: &[&str]) -> (bool, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_amdgpu-isa"));
    let output = command.arg("matrix").args(args).env_remove("CLICOLOR_FORCE").output().expect("the tool starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

/// Cells by format and mnemonic, and then by target.
type Matrix<'a> = BTreeMap<(&'a str, &'a str), BTreeMap<&'a str, &'a str>>;

fn read(tsv: &str) -> Matrix<'_> {
    let mut lines = tsv.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let targets = lines.next().unwrap_or_default();
    let row = |cells: Vec<_>| ((cells[0], cells[1]), targets.iter().copied().zip(cells).skip(2).collect());
    lines.map(row).collect()
}

fn targets<'a>(matrix: &Matrix<'a>) -> BTreeSet<&'a str> {
    matrix.values().flat_map(|cells| cells.keys().copied()).collect()
}

/// The changes, with a line for each operation, and a line for each new or deleted target.
fn changes(old: &str, new: &str) -> Vec<String> {
    let (old, new) = (read(old), read(new));
    let (before, now) = (targets(&old), targets(&new));
    let columns = before.symmetric_difference(&now);
    let mut lines: Vec<String> =
        columns.map(|t| format!("{t} {}", if now.contains(t) { "is new" } else { "is gone" })).collect();
    let keys: BTreeSet<_> = old.keys().chain(new.keys()).collect();
    for key in keys {
        let cell =
            |matrix: &Matrix, target| matrix.get(key).and_then(|c| c.get(target)).map_or("-".into(), |c| c.to_string());
        let both = before.intersection(&now).map(|t| (t, cell(&old, *t), cell(&new, *t)));
        let changed: Vec<String> = both.filter(|(_, a, b)| a != b).map(|(t, a, b)| format!("{t} {a} -> {b}")).collect();
        if !changed.is_empty() {
            lines.push(format!("{} {}: {}", key.0, key.1, changed.join(", ")));
        }
    }
    lines
}

#[test]
fn the_snapshot_is_what_the_tool_prints() {
    let (ok, printed, err) = matrix(&["--tsv"]);
    assert!(ok, "{err}");
    if printed != SNAPSHOT {
        let changes = changes(SNAPSHOT, &printed);
        let what = if changes.is_empty() { "the order of lines, or a line".into() } else { changes.join("\n") };
        panic!("cli/tests/matrix.tsv is not what the tables say; if the change is meant:\n{RENEW}\n{what}");
    }
}

/// The table in columns has the same cells, and each option omits the right ones.
#[test]
fn columns_and_options_agree_with_the_snapshot() {
    let all = read(SNAPSHOT);
    let (ok, printed, err) = matrix(&[]);
    assert!(ok, "{err}");
    let (mut format, mut heads, mut found) = ("", Vec::new(), Matrix::new());
    for block in printed.split("\n\n") {
        for (n, line) in block.lines().enumerate() {
            let cells: Vec<&str> = line.split_whitespace().collect();
            if n == 0 {
                (format, heads) = (cells[0], cells[1..].to_vec());
                continue;
            }
            assert_eq!(cells.len(), heads.len() + 1, "{line}");
            found.insert((format, cells[0]), heads.iter().copied().zip(cells[1..].to_vec()).collect());
        }
        let widths: BTreeSet<usize> = block.lines().map(str::len).collect();
        assert_eq!(widths.len(), 1, "{format} is not aligned");
    }
    assert!(found == all, "the columns have other cells than the lines of --tsv");

    let (_, some, _) = matrix(&["--tsv", "--format", "vop2", "--target", "gfx906", "--target", "MI300X"]);
    assert!(some.starts_with("format\tmnemonic\tgfx906\tgfx942\n"), "{some}");
    let expected =
        all.iter().filter(|(key, cells)| key.0 == "VOP2" && (cells["gfx906"] != "-" || cells["gfx942"] != "-"));
    let expected: BTreeSet<_> = expected.map(|(key, _)| key.1).collect();
    assert_eq!(read(&some).keys().map(|key| key.1).collect::<BTreeSet<_>>(), expected);

    let (ok, _, err) = matrix(&["--format", "VOP9"]);
    assert!(!ok && err.contains("unknown format \"VOP9\"; the targets have DS, "), "{err}");
}

#[test]
fn changes_are_told_by_operation_and_target() {
    let old = "format\tmnemonic\tgfx1\tgfx2\nVOP2\tv_a\t1\t1\nVOP2\tv_b\t2\t-\n";
    let new = "format\tmnemonic\tgfx1\tgfx3\nVOP2\tv_a\t1\t7\nVOP2\tv_b\t3:v_c\t-\nVOP2\tv_d\t9\t-\n";
    let expected = ["gfx2 is gone", "gfx3 is new", "VOP2 v_b: gfx1 2 -> 3:v_c", "VOP2 v_d: gfx1 - -> 9"];
    assert_eq!(changes(old, new), expected);
    assert!(changes(old, old).is_empty());
}
