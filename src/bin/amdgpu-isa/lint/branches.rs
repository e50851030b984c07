//! Branches over 63 dwords, which RDNA1 cannot: an `s_nop` behind such a branch makes it one over 64.

use super::edits::Edits;
use crate::isa::flow::Flow;
use crate::isa::{Inst, parse};

/// Puts an `s_nop` behind the branches that would be broken after the changes. That makes others longer, never shorter.
pub fn mend(flow: &Flow<'_>, edits: &mut Edits) {
    let text = |text| parse(flow.target(), text).ok();
    let (Some(branch), Some(nop)) = (text("s_branch 63"), text("s_nop 0")) else { return };
    if !branch.is_broken_branch() {
        return;
    }
    let insts = || (0..flow.blocks().len()).flat_map(|block| flow.insts(block));
    let branches: Vec<(u64, Inst, u64)> =
        insts().filter_map(|(at, inst)| Some((at, inst, inst.branch_target(at)?))).collect();
    let is_broken = |edits: &Edits, (at, inst, goal): &(u64, Inst, u64)| {
        let there = inst.with_branch_target(edits.moved_inst(*at), edits.moved(*goal));
        there.is_ok_and(|there| there.is_broken_branch())
    };
    while let Some((at, inst, _)) = branches.iter().find(|branch| is_broken(edits, branch)) {
        edits.insert(at.wrapping_add(inst.len() as u64), &[nop]);
    }
}
