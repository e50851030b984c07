//! Repaired programs of any instructions: no wait or distance is missing in them, and a second repair changes nothing.

use amdgpu_isa::arbitrary::valid;
use amdgpu_isa::facts::{AddressStep, Purpose};
use amdgpu_isa::flow::{Flow, State};
use amdgpu_isa::{Inst, Target};
use amdgpu_lint::edits::{EditedWalk, Edits, MachineState};
use amdgpu_lint::plan;
use arbitrary::{Result, Unstructured};
use core::cell::RefCell;

/// The most instructions of a program.
const MOST: usize = 60;
const BASE: u64 = 0x1000;

/// A program whose branches lead to its instructions.
fn program(target: Target, u: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut insts = Vec::new();
    while insts.len() < MOST && !u.is_empty() {
        // Not every choice of bytes is an instruction.
        let Ok(inst) = valid(target, u) else { continue };
        // Waits after another bank of registers is selected are never certain. An instruction that reads its own
        // address cannot be moved, and one that adds to its address reaches only a few other instructions.
        let selects_banks = inst.opcode().purpose() == Some(Purpose::VgprMsb);
        let adds_to_pc = inst.address_step() == Some(AddressStep::Jump);
        if !selects_banks && !adds_to_pc && !inst.reads_pc(BASE) {
            insts.push(inst);
        }
    }
    insts.extend(amdgpu_isa::parse(target, "s_endpgm").ok());
    let mut starts = vec![BASE];
    starts.extend(insts.iter().scan(BASE, |at, inst| {
        *at += inst.len() as u64;
        Some(*at)
    }));
    starts.pop();
    for (inst, at) in insts.iter_mut().zip(&starts) {
        if inst.branch_target(*at).is_some() {
            let goal = starts[u.choose_index(starts.len()).unwrap_or(0)];
            let goes_to = |goal| inst.with_branch_target(*at, goal).expect("it is near");
            // A call of the next instruction reads its own address, too.
            *inst = Some(goes_to(goal)).filter(|moved| !moved.reads_pc(*at)).unwrap_or_else(|| goes_to(*at));
        }
    }
    Ok(insts.iter().flat_map(|inst| inst.words()).flat_map(|word| word.to_le_bytes()).collect())
}

fn fixes(target: Target, code: &[u8]) -> Edits {
    let flow = Flow::new(target, code, BASE, &[BASE]);
    let mut edits = Edits::default();
    plan::fix(&flow, BASE, &|_| start(target), &|_| None, &mut edits);
    edits
}

fn start(target: Target) -> MachineState {
    MachineState::new(target)
}

/// The waits and distances that are missing in code, as text.
fn missing(target: Target, code: &[u8]) -> Vec<String> {
    let (edits, mut all) = (RefCell::new(Edits::default()), Vec::new());
    let flow = Flow::new(target, code, BASE, &[BASE]);
    flow.follow(
        |_| EditedWalk { now: start(target), edits: &edits, base: BASE },
        |block, before| {
            let mut run = before.clone();
            for (address, inst) in flow.insts(block) {
                let waits = run.now.pending.needs(&inst);
                all.extend(
                    waits.iter().filter(|wait| wait.is_sure()).map(|wait| format!("{address:#x} {inst}: {wait:?}")),
                );
                run.now.hazards.each(&inst, |need| all.push(format!("{address:#x} {inst}: {need:?}")));
                run.step(&inst, flow.offset_of(address));
            }
        },
    );
    all
}

/// Checks the repairs of a program. Returns whether anything was missing in it.
pub fn check(target: Target, u: &mut Unstructured<'_>) -> Result<bool> {
    let code = program(target, u)?;
    let edits = fixes(target, &code);
    let repaired = edits.apply(target, &code, BASE).expect("branches are short");
    let left = missing(target, &repaired);
    assert!(left.is_empty(), "{target}: {left:#?}\nin {}", list(target, &repaired));
    assert_eq!(fixes(target, &repaired), Edits::default(), "{target}: {}", list(target, &repaired));
    assert_eq!(edits.is_empty(), missing(target, &code).is_empty());
    Ok(!edits.is_empty())
}

fn list(target: Target, code: &[u8]) -> String {
    let insts = amdgpu_isa::Decoder::new(target, code).filter_map(|found| found.inst.ok());
    insts.map(|inst: Inst| format!("{inst}\n")).collect()
}
