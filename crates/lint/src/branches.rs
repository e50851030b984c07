//! Branches over 63 dwords, which RDNA1 does not execute correctly: an `s_nop` after the branch makes it go over 64.

use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::Inst;
use amdgpu_isa::flow::Flow;

use crate::edits::Edits;

/// The greatest number of bytes from the beginning of a broken branch to its target.
const REACH: u64 = 64 * 4;

/// A branch of the code.
struct Branch {
    at: u64,
    inst: Inst,
    goal: u64,
    /// The addresses of the branch and of its target after all other changes.
    moved: (u64, u64),
}

impl Branch {
    /// The address after the branch, where an `s_nop` repairs it.
    fn after(&self) -> u64 {
        self.at.wrapping_add(self.inst.len() as u64)
    }
}

/// Puts an `s_nop` after each branch that would be broken after the changes. An inserted `s_nop` makes the branches
/// over it longer, so it can break earlier branches, or repair others; it makes no branch shorter.
pub fn repair(flow: &Flow<'_>, edits: &mut Edits) {
    repair_counted(flow, edits);
}

/// Does the work of [`repair()`], and returns the number of branches that it looked at.
fn repair_counted(flow: &Flow<'_>, edits: &mut Edits) -> usize {
    let target = flow.target();
    let Some(nop) = Inst::nop(target).filter(|_| target.has_broken_branches()) else { return 0 };
    let insts = (0..flow.blocks().len()).flat_map(|block| flow.insts(block));
    let mut branches: Vec<Branch> = insts
        .filter_map(|(at, inst)| {
            let goal = inst.branch_target(at)?;
            Some(Branch { at, inst, goal, moved: (edits.moved_inst(at), edits.moved(goal)) })
        })
        .collect();
    branches.sort_by_key(|branch| branch.at);
    let places: Vec<u64> = branches.iter().map(Branch::after).collect();
    let mut added = Counts(vec![0; places.len() + 1]);
    // The number of bytes that are added before an address.
    let more = |added: &Counts, address: u64| 4 * added.before(places.partition_point(|place| *place < address));
    let (mut n, mut steps) = (0, 0);
    while let Some(branch) = branches.get(n) {
        steps += 1;
        let from = branch.moved.0.wrapping_add(more(&added, branch.at.saturating_add(1)));
        let to = branch.moved.1.wrapping_add(more(&added, branch.goal));
        n += 1;
        if !branch.inst.with_branch_target(from, to).is_ok_and(|there| there.is_broken_branch()) {
            continue;
        }
        added.add(n - 1);
        // Only branches that begin at most `REACH` bytes before this one can be broken by its `s_nop`.
        let first = from.saturating_sub(REACH);
        let is_near =
            |before: &&Branch| before.moved.0.wrapping_add(more(&added, before.at.saturating_add(1))) >= first;
        n -= branches.get(..n).unwrap_or_default().iter().rev().take_while(is_near).count();
    }
    for (n, place) in places.iter().enumerate().filter(|(n, _)| added.before(n + 1) > added.before(*n)) {
        let nops = added.before(n + 1) - added.before(n);
        (0..nops).for_each(|_| edits.insert(*place, &[nop]));
    }
    steps
}

/// A Fenwick tree: counts by place, with the sum of all counts before a place.
struct Counts(Vec<u64>);

impl Counts {
    /// Adds one to the count of a place.
    fn add(&mut self, place: usize) {
        let mut at = place + 1;
        while let Some(sum) = self.0.get_mut(at) {
            *sum += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// The sum of the counts before a place.
    fn before(&self, place: usize) -> u64 {
        let (mut at, mut sum) = (place, 0);
        while at > 0 {
            sum += self.0.get(at).copied().unwrap_or(0);
            at &= at - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;

    use super::*;
    use amdgpu_isa::Target;

    fn code(texts: impl Iterator<Item = String>, target: Target) -> Vec<u8> {
        let words = texts.flat_map(|text| amdgpu_isa::parse(target, &text).expect(&text).words().to_vec());
        words.flat_map(u32::to_le_bytes).collect()
    }

    /// Every second instruction is a branch over 63 dwords, so that the `s_nop` of one repairs others. The number of
    /// steps stays small.
    #[test]
    fn many_broken_branches_take_few_steps() {
        let target = Target::Gfx1010;
        let count = 200_000;
        let line = |n: usize| if n % 2 == 0 && n + 70 < count { "s_cbranch_scc1 63" } else { "s_nop 0" };
        let code = code((0..count).map(|n| line(n).into()).chain(["s_endpgm".into()]), target);
        let (base, mut edits) = (0x1000, Edits::default());
        let flow = Flow::new(target, &code, base, &[base]);
        let steps = repair_counted(&flow, &mut edits);
        let (inserted, ..) = edits.counts();
        assert!(inserted > 1000, "{inserted}");
        assert!(steps <= count / 2 + 64 * inserted, "{steps} steps for {inserted}");
        for (at, inst) in (0..flow.blocks().len()).flat_map(|block| flow.insts(block)) {
            let Some(goal) = inst.branch_target(at) else { continue };
            let there = inst.with_branch_target(edits.moved_inst(at), edits.moved(goal)).expect("it reaches");
            assert!(!there.is_broken_branch(), "{at:#x}");
        }
    }
}
