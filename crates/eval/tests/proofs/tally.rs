//! Counts of proved instructions, and the differences that are found.

use std::collections::BTreeMap;

use amdgpu_isa::{Inst, Target};

use super::compare::Outcome;

#[derive(Default)]
pub struct Tally {
    proved: BTreeMap<String, usize>,
    not_run: BTreeMap<String, usize>,
    found: BTreeMap<String, (usize, String)>,
}

impl Tally {
    /// Counts an outcome. `kind`: the kind of a difference between targets.
    pub fn count(&mut self, outcome: Outcome, [a, b]: [&[Inst]; 2], kind: &str) {
        match outcome {
            Outcome::Same => *self.proved.entry(generation(a[0].target())).or_default() += 1,
            Outcome::NotRun(error) => *self.not_run.entry(error.to_string()).or_default() += 1,
            Outcome::Different(what) => {
                let text = |insts: &[Inst]| insts.iter().map(|i| format!("{i} {:08x?}", i.words())).collect::<Vec<_>>();
                let example = format!("{}: {:?} {}: {:?} {what}", a[0].target(), text(a), b[0].target(), text(b));
                self.found.entry(format!("{:?} {kind}", a[0].opcode())).or_insert((0, example)).0 += 1;
            }
        }
    }

    /// Prints the counts, and fails if anything differs.
    pub fn finish(&self, what: &str) {
        println!("{what}: {} proved, {:?}", self.proved.values().sum::<usize>(), self.proved);
        println!("{what}: not run: {:?}", self.not_run);
        let found: Vec<String> =
            self.found.iter().map(|(kind, (n, example))| format!("{kind} ({n}): {example}")).collect();
        assert!(found.is_empty(), "{what}: {} kinds of differences:\n{}", found.len(), found.join("\n"));
        assert!(self.proved.values().sum::<usize>() > 0, "nothing was compared");
    }
}

/// The major version in the name of a target: `gfx10`, `gfx9`.
fn generation(target: Target) -> String {
    let name = target.to_string();
    let digits = name.trim_start_matches("gfx").split([':', '-']).next().unwrap_or("");
    let length = if digits.len() > 3 { digits.len() - 2 } else { 1 };
    format!("gfx{}", &digits[..length])
}
