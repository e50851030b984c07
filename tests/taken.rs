//! The builder accepts for an operand the arguments that the parser accepts in its place, and both make the same words:
//! registers of every file, alignment and width, special registers and constants, in every form of every operation.
//! `tests/parse` compares the parser with LLVM's assembler. So this compares the builder with LLVM indirectly, also on
//! targets without a column in `tests/operands/facts.tsv`.
//!
//! `cargo test --release --features all-targets,text,make --test constructors taken -- --nocapture` prints the numbers.

mod compare;

use std::collections::{BTreeMap, BTreeSet};

use crate::refused::base;
use crate::words::{self, Rng};
use amdgpu_isa::{Format, Opcode, Target};

/// The counts of a target: kinds of differences between the builder and the parser, arguments that both take, and
/// arguments that both refuse.
struct Compared {
    wrong: usize,
    taken: usize,
    refused: usize,
}

fn compared(target: Target) -> Compared {
    let mut rng = Rng(2026);
    let mut wrong: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut unmade = BTreeSet::new();
    let (mut taken, mut refused) = (0, 0);
    let is_tried = |encoding: &(Format, u16, Opcode)| words::is_tried(target, encoding.2, 48);
    let encodings = words::encodings_to_try(target).into_iter().filter(|e| compare::has_builder(e.0));
    for encoding in encodings.filter(is_tried) {
        let mut both = Vec::new();
        let (bases, missing) = base::bases(target, encoding, if words::is_full() { 2 } else { 1 }, &mut rng);
        bases.iter().filter(|base| compare::is_plain(base)).for_each(|base| compare::compared(base, &mut both));
        unmade.extend(missing.iter().map(|form| (form.name(), encoding.2.name())));
        // These operations need a literal of 64 bits, which no `Value` can have.
        let is_made = !bases.is_empty() || ["v_fmamk_f64", "v_fmaak_f64"].contains(&encoding.2.name());
        assert!(is_made, "{target}: no builder makes {encoding:?}");
        for case in both {
            match case.refused {
                (true, true) => refused += 1,
                (false, false) if case.same => taken += 1,
                // In text, `null` is another name of `off` in a scalar address; for the builder there is `off()` alone.
                (true, false) if case.what.starts_with("saddr null;") => {}
                (built, parsed) => {
                    let what = case.what.split(';').next().unwrap_or("").to_string();
                    let key = format!("{:?} {what}: builder refuses {built}, parser {parsed}", encoding.0);
                    wrong.entry(key).or_insert((0, case.what)).0 += 1;
                }
            }
        }
    }
    println!(
        "{target}: the builder takes {taken} as the parser does, and refuses {refused}; {} forms were not made",
        unmade.len()
    );
    for (key, (n, example)) in &wrong {
        println!("  {n} x {key}: {example}");
    }
    // The known forms: lists of one register, lists for which a builder has no room, a dword without effect, and
    // literals of 64 bits.
    let is_known = |(form, name): &(&str, &str)| form.starts_with("NSA") || *name == "v_nop" || name.ends_with("k_f64");
    assert!(unmade.iter().all(is_known), "{target}: {unmade:?}");
    // The sample has only few operations of a target that shares its operations with others.
    let least = if words::is_full() { 1000 } else { 0 };
    assert!(taken >= least && refused >= least, "{target}: only {taken} and {refused}");
    Compared { wrong: wrong.len(), taken, refused }
}

#[test]
fn the_builder_takes_what_the_parser_takes() {
    let all: Vec<Compared> = Target::ALL.iter().map(|&target| compared(target)).collect();
    let sum = |count: fn(&Compared) -> usize| all.iter().map(count).sum::<usize>();
    assert_eq!(sum(|of| of.wrong), 0, "kinds of differences");
    let least = 10_000.min(all.len() * 10_000);
    assert!(sum(|of| of.taken) >= least && sum(|of| of.refused) >= least);
}
