//! Registers before and after an instruction, from files that are not part of the project.
//!
//! `AMDGPU_ISA_VECTORS=FOLDER cargo test --release -p amdgpu-eval --test eval -- vectors --ignored --nocapture` reads
//! `gfx950.tsv`, `gfx1100.tsv` and `gfx1200.tsv` there, with the columns mnemonic, format, variant, text, words, mode,
//! set, lane, inputs, outputs, status.

use std::collections::BTreeMap;
use std::path::Path;

use amdgpu_eval::Evaluator;
use amdgpu_eval::lines::{Line, answers};

/// The share of rows that must be right, in thousandths, by status. Rows with another status are approximate, or only
/// hints.
const NEEDED: [(&str, usize); 4] = [("=", 999), ("n", 999), ("M", 999), ("m", 999)];

#[test]
#[ignore = "needs the folder that AMDGPU_ISA_VECTORS names"]
fn vectors_of_a_folder_give_the_same_results() {
    let folder = std::env::var_os("AMDGPU_ISA_VECTORS").expect("AMDGPU_ISA_VECTORS names a folder");
    for target in ["gfx950", "gfx1100", "gfx1200"] {
        let text = std::fs::read_to_string(Path::new(&folder).join(format!("{target}.tsv"))).unwrap();
        let counts = compare(target, &text);
        for (status, (right, all)) in &counts {
            println!("{target} {status}: {right} of {all}");
            let needed = NEEDED.iter().find(|(name, _)| name == status).map_or(0, |(_, part)| *part);
            assert!(right * 1000 >= all * needed, "{target}, rows of status {status}");
        }
    }
}

/// The numbers of right rows and of all rows, by status.
fn compare(target: &str, text: &str) -> BTreeMap<String, (usize, usize)> {
    let mut evaluator = Evaluator::default();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split('\t').collect()).collect();
    let read = |row: &Vec<&str>| {
        let line = format!("{target}\t{}\t{}\t{}\t{}", row[4], row[5], row[7], row[8]);
        Line::read(&line).unwrap_or_else(|reason| panic!("{line}: {reason}"))
    };
    let mut first = 0;
    while first < rows.len() {
        let mut wave = vec![read(&rows[first])];
        while let Some(row) = rows.get(first + wave.len()) {
            let line = read(row);
            if !line.continues(&wave[wave.len() - 1]) {
                break;
            }
            wave.push(line);
        }
        for (row, answer) in rows[first..].iter().zip(answers(&mut evaluator, &wave)) {
            let count = counts.entry(row[10].to_string()).or_default();
            count.1 += 1;
            count.0 += usize::from(answer.is_ok_and(|answer| same(row[9], &answer)));
        }
        first += wave.len();
    }
    counts
}

/// Whether an answer has all expected values, where all NaNs are equal.
fn same(expected: &str, answer: &str) -> bool {
    let answered: BTreeMap<&str, &str> = answer.split([';', ' ']).filter_map(|value| value.split_once('=')).collect();
    let mut values = expected.split(';').filter_map(|value| value.split_once('='));
    values.all(|(name, value)| answered.get(name).is_some_and(|other| equal(value, other)))
}

fn equal(a: &str, b: &str) -> bool {
    let digits = |text: &str| u64::from_str_radix(text, 16).ok();
    if a == b || a.len() != b.len() {
        return a == b;
    }
    match (digits(a), digits(b)) {
        (Some(a), Some(b)) if a >> 32 == 0 && b >> 32 == 0 => alike(a as u32, b as u32),
        (Some(a), Some(b)) => {
            let is_nan = |bits: u64| f64::from_bits(bits).is_nan();
            is_nan(a) && is_nan(b) || alike(a as u32, b as u32) && alike((a >> 32) as u32, (b >> 32) as u32)
        }
        _ => false,
    }
}

/// Whether two dwords are equal, where all NaNs of 32 bits, or of 16 bits in the halves, are equal.
fn alike(a: u32, b: u32) -> bool {
    let half = |a: u32, b: u32| {
        let is_nan = |bits: u32| bits & 0x7fff > 0x7c00;
        let is_brain = |bits: u32| bits & 0x7fff > 0x7f80;
        a == b || is_nan(a) && is_nan(b) || is_brain(a) && is_brain(b)
    };
    let is_nan = |bits: u32| f32::from_bits(bits).is_nan();
    a == b || is_nan(a) && is_nan(b) || half(a & 0xffff, b & 0xffff) && half(a >> 16, b >> 16)
}
