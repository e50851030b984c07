//! Each `s_nop` and each wait for a unit in compiled code is made weaker or removed. Afterwards the code breaks a rule,
//! or it breaks one only with `Hazards::strict`, or `hazards/superfluous.txt` says why nothing needs the instruction.
#![cfg(all(feature = "alloc", feature = "text", has_target))]

use crate::programs;

use std::collections::{BTreeMap, BTreeSet};

use amdgpu_isa::flow::{Flow, State};
use amdgpu_isa::hazards::{Hazards, Modes};
use amdgpu_isa::{Field, Inst};
use programs::{own_samples, sample};

/// Code in which another instruction, or none, is at an offset.
#[derive(Clone)]
struct Changed {
    hazards: Hazards,
    at: u32,
    new: Option<Inst>,
}

impl State for Changed {
    fn step(&mut self, inst: &Inst, offset: u32) {
        match (offset == self.at, self.new) {
            (false, _) => self.hazards.issue(inst),
            (true, Some(new)) => self.hazards.issue(&new),
            (true, None) => {}
        }
    }

    fn join(&mut self, other: &Changed) -> bool {
        self.hazards.join(&other.hazards)
    }
}

/// The rules that the code breaks, and how often it breaks each rule.
fn broken(flow: &Flow<'_>, changed: &Changed) -> BTreeMap<&'static str, usize> {
    let mut rules = BTreeMap::new();
    flow.follow(
        |_| changed.clone(),
        |block, before| {
            let mut state = before.clone();
            for (address, inst) in flow.insts(block) {
                state.hazards.each(&inst, |need| *rules.entry(need.rule.id()).or_default() += 1);
                state.step(&inst, flow.offset_of(address));
            }
        },
    );
    rules
}

/// The waiting parts of the constant of `s_wait_alu` and `s_waitcnt_depctr`: the lowest bit and the greatest value of
/// each.
const UNITS: [(u32, u32); 6] = [(0, 1), (1, 1), (2, 7), (8, 1), (9, 7), (12, 15)];

/// The replacements of an instruction. For `s_nop`: a shorter one, or none. For a wait for units: none, or one that
/// waits less for one of the units or not at all.
fn weaker(inst: &Inst) -> Vec<Option<Inst>> {
    let simm16 = inst.get(Field::Simm16).unwrap_or(0);
    let with = |simm16| Some(inst.with(Field::Simm16, simm16).expect("it has room"));
    match inst.mnemonic() {
        "s_nop" if simm16 == 0 => vec![None],
        "s_nop" => vec![with(simm16 - 1)],
        "s_wait_alu" | "s_waitcnt_depctr" => {
            let waits = UNITS.iter().filter(|(lsb, max)| simm16 >> lsb & max < *max);
            let one = waits.flat_map(|(lsb, max)| {
                let value = simm16 >> lsb & max;
                [simm16 | max << lsb, simm16 & !(max << lsb) | (value + 1) << lsb]
            });
            let mut all: Vec<Option<Inst>> = one.map(with).collect();
            all.dedup();
            all.push(None);
            all
        }
        _ => Vec::new(),
    }
}

/// The instructions that no rule demands, each with its reason.
const SUPERFLUOUS: &str = include_str!("hazards/superfluous.txt");

/// The index of the line about a place: the path of a sample below the samples' directory, and the offset.
fn reason(name: &str, offset: u64) -> Option<usize> {
    SUPERFLUOUS.lines().position(|line| {
        let Some((place, reason)) = line.split_once(": ").filter(|_| !line.starts_with('#')) else { return false };
        let mut words = place.split(' ');
        assert!(!reason.is_empty());
        words.next().is_some_and(|sample| name.ends_with(sample)) && words.any(|word| word == format!("{offset:#x}"))
    })
}

#[test]
fn what_is_taken_away_is_missed() {
    let (mut missed, mut strict, mut unexplained) = (0, BTreeMap::<&str, usize>::new(), Vec::new());
    let mut used = BTreeSet::new();
    for sample in own_samples().iter().filter_map(|path| sample(path)) {
        let flow = Flow::new(sample.target, &sample.code, sample.address, &sample.kernels);
        let insts: Vec<(u64, Inst)> = (0..flow.blocks().len()).flat_map(|block| flow.insts(block)).collect();
        let start = |hazards: Hazards| Changed { hazards, at: u32::MAX, new: None };
        // The samples run with and without XNACK.
        let either = Modes { xnack: None, ..Modes::NEITHER };
        let starts = [Hazards::new(sample.target), Hazards::strict(sample.target)].map(|all| start(all.with(either)));
        let before = starts.clone().map(|start| broken(&flow, &start));
        for (address, inst) in insts {
            for new in weaker(&inst) {
                let changed = |start: &Changed| Changed { at: flow.offset_of(address), new, ..start.clone() };
                let [agreed, safe] = [0, 1].map(|n| broken(&flow, &changed(&starts[n])));
                if agreed != before[0] {
                    missed += 1;
                } else if let Some((rule, _)) = safe.iter().find(|(rule, count)| before[1].get(*rule) != Some(*count)) {
                    *strict.entry(rule).or_default() += 1;
                } else {
                    match reason(&sample.name, address - sample.address) {
                        Some(line) => drop(used.insert(line)),
                        None => unexplained.push(format!("{} {:#x}: {inst}", sample.name, address - sample.address)),
                    }
                }
            }
        }
    }
    println!("{missed} missed, only on the safe side {strict:?}");
    assert!(unexplained.is_empty(), "{missed} missed, {strict:?}, {}: {unexplained:#?}", unexplained.len());
    assert!(missed > 0);
    if cfg!(feature = "all-targets") {
        let reasons = SUPERFLUOUS.lines().filter(|line| !line.starts_with('#')).count();
        assert_eq!(used.len(), reasons, "a line of superfluous.txt no longer holds");
    }
}
