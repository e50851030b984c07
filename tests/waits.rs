//! The waits that `lint --fix` inserts are those that LLVM's pass `si-insert-waitcnts` inserts into the same
//! instructions. Each operation that raises a counter is tried by itself, with each other one, in loops, after joins,
//! and until the counter is full.
#![cfg(all(feature = "alloc", feature = "text", has_target))]

mod llvm;
mod operations;
use crate::programs;
mod reasons;

use amdgpu_isa::Target;
use amdgpu_isa::flow::Flow;
use amdgpu_isa::imm::Waitcnt;
use amdgpu_lint::edits::{Edits, MachineState};
use amdgpu_lint::plan;
use operations::{Item, Program, Table};
use reasons::Reasons;

/// The programs without branches for a target. Each instruction is a text and LLVM's machine IR.
#[cfg(feature = "all-targets")]
pub fn with_machine_ir(target: &str) -> Vec<Vec<(String, String)>> {
    let programs = Table::read().programs(target);
    let of = |item: &Item| match item {
        Item::Inst(op) if op.name != "end" => Some((op.text.clone(), op.mir.clone())),
        _ => None,
    };
    let straight = programs.iter().filter(|program| ["one", "two", "again"].contains(&program.shape));
    straight.map(|program| program.items.iter().filter_map(of).collect()).collect()
}

/// The combination of two waits: the smaller number for each counter.
fn both(one: Waitcnt, other: &Waitcnt) -> Waitcnt {
    other.counters().iter().fold(one, |all, counter| {
        let count = other.get(counter).unwrap_or(0);
        all.with(counter, all.get(counter).map_or(count, |old| old.min(count)))
    })
}

/// The waits that `lint --fix` puts before each instruction.
fn ours(target: Target, program: &Program) -> Vec<Waitcnt> {
    let code = programs::assemble(target, &program.text());
    let flow = Flow::new(target, &code, 0, &[0]);
    let start = MachineState::new(target);
    let mut edits = Edits::default();
    plan::fix(&flow, 0, &|_| start.clone(), &|_| None, &mut edits);
    let decoded = amdgpu_isa::Decoder::new(target, &code);
    let waits = decoded.map(|found| {
        let before = edits.at(found.offset as u64).map_or(&[][..], |edit| &edit.before);
        before.iter().fold(Waitcnt::new(), |all, inst| both(all, &inst.waits()))
    });
    waits.collect()
}

#[test]
fn llvm_waits_for_the_same() {
    let table = Table::read();
    let reasons = Reasons::read(&table.targets);
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for name in &table.targets {
        let Ok(target) = name.parse::<Target>() else { continue };
        let programs = table.programs(name);
        let theirs = llvm::inserted(target, name, &programs);
        assert_eq!(theirs.len(), programs.len(), "{name}");
        for (program, theirs) in programs.iter().zip(theirs) {
            let ours = ours(target, program);
            let insts = program.items.iter().filter(|item| matches!(item, Item::Inst(_)));
            assert_eq!(
                (ours.len(), theirs.len()),
                (insts.clone().count(), insts.clone().count()),
                "{}",
                program.text()
            );
            compared += 1;
            for ((ours, theirs), item) in ours.iter().zip(&theirs).zip(insts) {
                let Item::Inst(inst) = item else { continue };
                if ours != theirs && !reasons.explain(name, program, inst.name, ours, theirs) {
                    wrong.push(format!("{name} {program} | {} | {} | {}", inst.name, show(ours), show(theirs)));
                }
            }
        }
    }
    let some: Vec<_> = wrong.iter().take(40).collect();
    assert!(wrong.is_empty(), "{} of {compared}: {some:#?}", wrong.len());
    assert!(compared > 0);
    if table.targets.iter().all(|name| name.parse::<Target>().is_ok()) {
        assert_eq!(reasons.unused(), Vec::<String>::new(), "lines of differences.txt that no longer hold");
    }
}

/// A wait as the table of differences writes it.
fn show(wait: &Waitcnt) -> String {
    let all: Vec<String> =
        wait.counters().iter().map(|counter| format!("{counter}({})", wait.get(counter).unwrap_or(0))).collect();
    if all.is_empty() { "-".into() } else { all.join(" ") }
}
