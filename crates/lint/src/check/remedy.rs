//! What is missing in front of an instruction, for messages.

use alloc::vec::Vec;

use amdgpu_isa::Inst;
use amdgpu_isa::hazards::{Need, Unit};
use amdgpu_isa::imm::Waitcnt;

use super::{Finding, What};
use crate::edits::Now;
use crate::mend;

/// Adds to the findings about an instruction what each of them misses, each by itself.
pub fn repair(found: &mut [Finding<'_>], inst: &Inst, now: &Now) {
    for finding in found {
        finding.repair = match &finding.what {
            What::MissingWait(wait) if wait.sure => {
                mend::waits(inst.target(), &Waitcnt::new().with(wait.counter, wait.at_most)).unwrap_or_default()
            }
            What::Hazard(need) => distance(need, inst, now),
            _ => Vec::new(),
        };
    }
}

fn distance(need: &Need, inst: &Inst, now: &Now) -> Vec<Inst> {
    let mut hazards = now.hazards.clone();
    if need.rule.unit() == Unit::Event {
        // What it needs to be loaded is waited for by then.
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
