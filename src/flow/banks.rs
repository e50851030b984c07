//! The upper bits of the numbers of vector registers before each instruction of code.

use alloc::vec::Vec;

use crate::inst::Inst;
use crate::vgpr_msb::VgprMsb;

/// The upper bits of the numbers of vector registers, which `s_set_vgpr_msb` sets, before each instruction of some
/// code.
///
/// The bits are known where all paths that lead to an instruction agree. They are zero at the beginning of a function
/// and, by the compilers' convention, at a label that no followed path reaches. They are unknown after data, and after
/// an instruction that does not continue with the next one, up to the next label. The work is linear in the code size.
///
/// ```
/// # #[cfg(feature = "gfx1250")] {
/// use amdgpu_isa::{Decoder, Target, VgprMsb};
/// use amdgpu_isa::flow::BanksBuilder;
/// // s_set_vgpr_msb 0x41; s_cbranch_scc0 L; v_mov_b32 v1, v2; L: v_mov_b32 v1, v2; s_endpgm
/// let code = [0xbf86_0041u32, 0xbfa1_0001, 0x7e02_0302, 0x7e02_0302, 0xbfb0_0000];
/// let bytes: Vec<u8> = code.iter().flat_map(|word| word.to_le_bytes()).collect();
/// let mut builder = BanksBuilder::default();
/// for step in Decoder::new(Target::Gfx1250, &bytes) {
///     builder.step(step.offset as u64, step.inst.as_ref().ok());
/// }
/// let banks = builder.finish([0]).unwrap();
/// assert_eq!(banks.at(0), VgprMsb::ENTRY);
/// assert_eq!(banks.at(12), VgprMsb::new(0x41));
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Banks {
    /// The sorted addresses of entries and of branch targets, with the state at each; `None` if not reached yet.
    labels: Vec<(u64, Option<VgprMsb>)>,
    steps: BanksBuilder,
}

/// A builder of [`Banks`]. [`BanksBuilder::step`] adds each instruction of the code.
#[derive(Clone, Debug, Default)]
pub struct BanksBuilder {
    /// The addresses of data, and of instructions after which the state does not depend on the state before, with the
    /// state after each; `None` if the code does not continue there.
    changes: Vec<(u64, Option<VgprMsb>)>,
    /// The addresses of branches and of their targets.
    branches: Vec<(u64, u64)>,
    /// Whether an instruction sets the bits.
    sets: bool,
}

impl BanksBuilder {
    /// Adds the instruction at an address, or, with `None`, bytes that are not an instruction. Addresses must increase.
    pub fn step(&mut self, address: u64, inst: Option<&Inst>) {
        let Some(inst) = inst else { return self.changes.push((address, None)) };
        let flags = inst.flags();
        if let Some(to) = inst.branch_target(address).filter(|_| !flags.is_call()) {
            self.branches.push((address, to));
        }
        let after = VgprMsb::ENTRY.after(inst);
        if flags.no_fallthrough() {
            self.changes.push((address, None));
        } else if after == VgprMsb::UNKNOWN.after(inst) {
            self.changes.push((address, Some(after)));
            self.sets |= after != VgprMsb::UNKNOWN;
        }
    }

    /// The states before all instructions; `None` if no instruction sets the bits. `entries` are the addresses at which
    /// functions begin.
    pub fn finish(self, entries: impl IntoIterator<Item = u64>) -> Option<Banks> {
        if !self.sets {
            return None;
        }
        let targets = self.branches.iter().map(|(_, to)| (*to, None));
        let mut labels: Vec<_> =
            entries.into_iter().map(|entry| (entry, Some(VgprMsb::ENTRY))).chain(targets).collect();
        // An entry that is a target, too, has two labels: the one with a state comes first and is kept.
        labels.sort_by_key(|(address, state)| (*address, state.is_none()));
        labels.dedup_by_key(|(address, _)| *address);
        let mut banks = Banks { labels, steps: self };
        let entries: Vec<usize> = (0..banks.labels.len()).filter(|n| banks.state(*n).is_some()).collect();
        banks.follow(entries);
        for label in 0..banks.labels.len() {
            if banks.state(label).is_none() {
                banks.reach(label, VgprMsb::ENTRY);
                banks.follow([label].into());
            }
        }
        Some(banks)
    }
}

impl Banks {
    /// The state before the instruction at an address.
    pub fn at(&self, address: u64) -> VgprMsb {
        let last = self.labels.partition_point(|(label, _)| *label <= address).checked_sub(1);
        let Some((label, state)) = last.and_then(|last| self.labels.get(last)) else { return VgprMsb::UNKNOWN };
        let change = self.steps.changes.partition_point(|(at, _)| *at < address).checked_sub(1);
        match change.and_then(|change| self.steps.changes.get(change)) {
            Some((at, after)) if at >= label => after.unwrap_or(VgprMsb::UNKNOWN),
            _ => state.unwrap_or(VgprMsb::UNKNOWN),
        }
    }

    fn state(&self, label: usize) -> Option<VgprMsb> {
        self.labels.get(label)?.1
    }

    /// Joins a state to that of a label. Returns whether the label's state has changed, which happens at most twice.
    fn reach(&mut self, label: usize, state: VgprMsb) -> bool {
        let Some((_, old)) = self.labels.get_mut(label) else { return false };
        let joined = old.map_or(state, |old| old.joined(state));
        old.replace(joined) != Some(joined)
    }

    /// Follows the code from labels until no state changes.
    fn follow(&mut self, mut open: Vec<usize>) {
        while let Some(label) = open.pop() {
            let (Some((start, Some(state))), next) = (self.labels.get(label).copied(), label + 1) else { continue };
            let end = self.labels.get(next).map_or(u64::MAX, |(end, _)| *end);
            let mut state = Some(state);
            let mut change = self.steps.changes.partition_point(|(at, _)| *at < start);
            let mut branch = self.steps.branches.partition_point(|(at, _)| *at < start);
            // A branch is handled before a change at the same address.
            while let Some(now) = state {
                let (at, after) = self.steps.changes.get(change).copied().unwrap_or((u64::MAX, None));
                match self.steps.branches.get(branch) {
                    Some((from, to)) if *from < end && *from <= at => {
                        branch += 1;
                        let target = self.labels.binary_search_by_key(to, |(label, _)| *label);
                        open.extend(target.ok().filter(|target| self.reach(*target, now)));
                    }
                    _ if at < end => {
                        change += 1;
                        state = after;
                    }
                    _ => {
                        open.extend(Some(next).filter(|next| self.reach(*next, now)));
                        break;
                    }
                }
            }
        }
    }
}
