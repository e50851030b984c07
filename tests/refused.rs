//! The builder refuses invalid arguments with the right error: every rule is broken for every operation of every target
//! in all its forms. LLVM (`tests/operands/facts.tsv`), not the library, decides which operands are valid.
//!
//! `cargo test --release --features all-targets,make --test constructors refused -- --nocapture` prints how often each
//! rule was broken.

pub mod base;
#[path = "operands/facts.rs"]
#[allow(dead_code)] // Another test uses the rest.
mod facts;
mod rules;

use std::collections::BTreeMap;

use crate::words::{self, Rng};
use amdgpu_isa::{Format, Opcode, Target};
use facts::Row;
use rules::{Case, Cases, RULES, Rule};

/// The number of valid instructions to start from, for each form of an operation.
fn most_bases() -> usize {
    if words::is_full() { 3 } else { 1 }
}

/// The columns of the facts that hold for a target, the most similar target first: a target without a column is like
/// another one.
fn columns(target: &str) -> Vec<&str> {
    match target {
        "gfx801" | "gfx810" => vec!["gfx803"],
        "gfx904" => vec!["gfx900", "gfx906"],
        "gfx9-generic" => vec!["gfx900"],
        "gfx9-4-generic" => vec!["gfx942"],
        target => vec![target],
    }
}

/// The operation whose facts apply: for an operation that LLVM lacks, a similar one.
fn like(name: &str) -> &str {
    match name {
        "s_mov_regrd_b32" | "s_mov_fed_b32" => "s_mov_b32",
        "s_getreg_regrd_b32" => "s_getreg_b32",
        name => name,
    }
}

fn row(rows: &[Row], (format, number, opcode): (Format, u16, Opcode)) -> &Row {
    let name = like(opcode.name());
    let of =
        |r: &&Row| r.format == format.name() && (r.number == number && name == opcode.name() || r.mnemonic == name);
    rows.iter().find(of).unwrap_or_else(|| panic!("no facts of {format} {number} {opcode:?}"))
}

/// Breaks the rules in all operations of a target. Returns the number of distinct faults.
fn refused(target: Target) -> usize {
    let rows: Vec<Row> = columns(target.name()).into_iter().flat_map(facts::rows).collect();
    let mut formats: Vec<Format> = Target::ALL.iter().flat_map(|t| t.layouts()).map(|l| l.format).collect();
    formats.sort_unstable_by_key(|f| *f as u8);
    formats.dedup();
    let mut rng = Rng(2026);
    let mut first: BTreeMap<&str, base::Base> = BTreeMap::new();
    let mut counts = BTreeMap::new();
    let mut wrong: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut look = |name: &str, given: &str, case: &Case| {
        *counts.entry(case.rule).or_insert(0usize) += 1;
        let field = case.what.split(['=', ' ']).next().unwrap_or("");
        let key = match (&case.result, case.told) {
            (Ok(_), _) => format!("{:?} {field} is not refused", case.rule),
            (_, false) => format!("{:?} {field} is refused with another reason", case.rule),
            _ => return,
        };
        let entry =
            wrong.entry(key).or_insert_with(|| (0, format!("{name} {}: {:?}; {given}", case.what, case.result)));
        entry.0 += 1;
    };
    let (mut forms, mut bases) = (0, 0);
    for encoding in words::encodings(target) {
        let (found, missing) = base::bases(target, encoding, most_bases(), &mut rng);
        assert!(!found.is_empty() && missing.is_empty(), "{target}: no builder makes {encoding:?} as {missing:?}");
        bases += found.len();
        let mut seen: Vec<Format> = found.iter().map(|b| b.form).collect();
        seen.dedup();
        forms += seen.len();
        // The quick run breaks the rules of each operation on few targets.
        for base in found.iter().filter(|_| words::is_tried(target, encoding.2, 16)) {
            let mut cases = Cases { base, row: row(&rows, encoding), out: Vec::new() };
            cases.all();
            for case in &cases.out {
                look(encoding.2.name(), &format!("{} {:08x?}", base.form, base.inst.words()), case);
            }
        }
        first.entry(encoding.2.name()).or_insert(found.into_iter().next().expect("one"));
    }
    for &opcode in Opcode::ALL {
        for case in rules::encodings(target, first.get(opcode.name()), opcode, &formats) {
            look(opcode.name(), "", &case);
        }
    }
    let total: usize = counts.values().sum();
    println!("{target}: {total} illegal ones, of {bases} legal ones in {forms} forms; {counts:?}");
    for (key, (n, example)) in &wrong {
        println!("  {n} x {key}: {example}");
    }
    // AccVGPRs are refused on all targets, so all rules but that about matrices occur on all of them.
    let has_matrices = target.layouts().iter().any(|l| l.format == Format::Vop3pMai);
    let expected = RULES.iter().filter(|rule| has_matrices || **rule != Rule::Overlap);
    let unmet: Vec<_> = expected.filter(|r| !counts.contains_key(r)).collect();
    assert!(unmet.is_empty(), "{target}: never broken: {unmet:?}");
    wrong.len()
}

#[test]
fn what_is_illegal_is_refused() {
    // `tests/operands/facts.tsv` has operands for these targets only. `tests/taken` tests all targets.
    let known = Target::ALL.iter().filter(|target| !target.processor().starts_with("gfx1"));
    let faults: usize = known.map(|&target| refused(target)).sum();
    assert_eq!(faults, 0, "kinds of faults");
}
