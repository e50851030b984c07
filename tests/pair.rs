//! Two instructions become a dual instruction (VOPD) if it has the same effect; otherwise the error names the rule that
//! forbids it. The test tries random pairs on every target that has dual instructions.
#![cfg(all(feature = "make", feature = "text", feature = "gfx1100"))]

use crate::words;

use std::collections::{BTreeMap, BTreeSet};

use amdgpu_isa::make::BuildError;
use amdgpu_isa::make::dual::{PairError, pair};
use amdgpu_isa::{Format, Inst, Target, Value, decode_words};
use words::{Rng, encodings, legal};

/// The operands of an operation, in the order of its text, without the mask of v_cndmask, which is always vcc.
fn values(inst: &Inst) -> Vec<Value> {
    let named = inst.operands().filter(|o| o.role.is_some_and(|role| role.name() != "vcc"));
    named.map(|o| o.value).collect()
}

/// The name of an operation in a text of LLVM. For a part of a dual instruction, it is the name of the single
/// instruction.
fn name(text: &str) -> String {
    let mnemonic = text.split(' ').next().expect("a mnemonic");
    mnemonic.trim_end_matches("_e32").trim_end_matches("_e64").replace("v_dual_", "v_")
}

#[test]
fn a_pair_does_what_both_do() {
    for &target in Target::ALL.iter().filter(|t| t.layouts().iter().any(|l| l.format == Format::Vopd)) {
        let mut rng = Rng(31);
        let short = [Format::Vop1, Format::Vop2, Format::Vop3a];
        let all: Vec<Inst> = encodings(target)
            .into_iter()
            .filter(|encoding| short.contains(&encoding.0))
            .flat_map(|encoding| legal(target, encoding, 30, &mut rng))
            .filter(|inst| inst.check().is_ok() && inst.is_canonical())
            .collect();
        // Most pairs consist of operations that a dual instruction can have.
        let dual: BTreeSet<String> = encodings(target)
            .iter()
            .filter(|(format, _, _)| *format == Format::Vopd)
            .filter_map(|(format, _, op)| op.mnemonic(target, *format).map(name))
            .collect();
        let single =
            |inst: &&Inst| dual.contains(inst.opcode().mnemonic(target, inst.format()).expect("it is the target's"));
        let likely: Vec<&Inst> = all.iter().filter(single).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for n in 0..if words::is_full() { 200_000 } else { 40_000 } {
            let mut pick = || if n % 8 == 0 { &all[rng.below(all.len())] } else { likely[rng.below(likely.len())] };
            let (a, b) = (pick(), pick());
            let depends = b.reads().intersects(&a.writes()) || b.writes().intersects(&a.writes());
            let outcome = match pair(a, b) {
                Ok(both) => {
                    assert_eq!(decode_words(target, both.words()), Ok(both));
                    assert!(both.check().is_ok() && both.format() == Format::Vopd, "{both}: {:?}", both.check());
                    assert!(!depends, "{a} and {b}");
                    assert_eq!(both.reads(), a.reads() | b.reads(), "{a} and {b}: {both}");
                    assert_eq!(both.writes(), a.writes() | b.writes(), "{a} and {b}: {both}");
                    // Names and operands must be those of the pair in one of its orders.
                    let text = both.to_string();
                    let parts: Vec<&str> = text.split(" :: ").collect();
                    let orders = [[a, b], [b, a]];
                    let same = |order: &[&Inst; 2]| {
                        let names = order.iter().zip(&parts).all(|(inst, part)| name(&inst.to_string()) == name(part));
                        let operands: Vec<Value> = order.iter().flat_map(|inst| values(inst)).collect();
                        names && operands == values(&both)
                    };
                    assert!(orders.iter().any(same), "{a} and {b}: {both}");
                    "paired"
                }
                Err(PairError::Dependent) => {
                    assert!(depends, "{a} and {b}");
                    "dependent"
                }
                Err(PairError::Operation(_)) => "operation",
                Err(PairError::BothSecond) => "both second",
                Err(PairError::Build(BuildError::Banks { .. })) => "banks",
                Err(PairError::Build(BuildError::TwoLiterals(_))) => "literals",
                Err(PairError::Build(BuildError::ConstantBus(_))) => "constant bus",
                Err(other) => panic!("{a} and {b}: {other:?}"),
            };
            *counts.entry(outcome).or_insert(0) += 1;
        }
        println!("{target}: {counts:?}");
        assert!(counts.len() == 7 && counts["paired"] > 1_000 && counts["both second"] > 50, "{target}: {counts:?}");
    }
}
