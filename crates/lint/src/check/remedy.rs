//! The instructions that are missing before another one, for messages.

use alloc::vec::Vec;

use amdgpu_isa::hazards::{Need, Unit};
use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::{Field, Inst};

use super::{Finding, What};
use crate::change;
use crate::edits::MachineState;

/// Sets, for each finding about `inst`, the instructions that are missing before `inst`. `before`: the earlier
/// instructions of the block of `inst`, with their addresses.
pub fn repair(found: &mut [Finding<'_>], inst: &Inst, before: &[(u64, Inst)], now: &MachineState) {
    for finding in found {
        finding.repair = match &finding.what {
            What::MissingWait(wait) | What::EarlyReturn(wait) if wait.is_sure() => {
                change::waits(inst.target(), &Waitcnt::new().with(wait.counter, wait.at_most)).unwrap_or_default()
            }
            What::Hazard(need) if need.is_sure() => distance(need, inst, now),
            _ => Vec::new(),
        };
        finding.clause = if finding.repair.is_empty() { None } else { clause(before) };
    }
}

/// The address of the `s_clause` whose clause continues after these instructions.
fn clause(before: &[(u64, Inst)]) -> Option<u64> {
    // A clause has at most 64 instructions, so an earlier `s_clause` has ended.
    let (after, (at, inst)) =
        before.iter().rev().take(64).enumerate().find(|(_, (_, inst))| change::is_clause(inst))?;
    let more = inst.get(Field::Simm16).unwrap_or(0) & 63;
    (after as u32 <= more).then_some(*at)
}

fn distance(need: &Need, inst: &Inst, now: &MachineState) -> Vec<Inst> {
    let mut hazards = now.hazards.clone();
    if need.rule.unit() == Unit::Event {
        // The waits that the instruction itself needs come before the inserted instruction.
        let mut pending = now.pending.clone();
        pending.assume(&pending.needs(inst).waitcnt());
        return hazards.enders(inst).find(|ender| pending.needs(ender).is_empty()).into_iter().collect();
    }
    let mut all = Vec::new();
    match hazards.protect(inst, |inst| all.push(*inst)) {
        Ok(()) => all.pop(),
        Err(_) => return Vec::new(),
    };
    all
}
