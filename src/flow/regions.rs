//! Regions of a group of functions: parts of its order of blocks to which no path leads from later blocks.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::Flow;

/// Consecutive blocks of a group, to which no path leads from blocks after them.
pub(super) struct Region {
    /// The blocks, as indices in the group.
    pub places: Range<usize>,
    /// Whether a path leads from a block of the region back to that block or to an earlier one. Without such a path,
    /// the region is one block.
    pub repeats: bool,
}

/// An iterator over the regions of a group. `last_from` has, for each place, the last place from which a path leads
/// back to it.
pub(super) struct Regions {
    last_from: Vec<Option<usize>>,
    next: usize,
}

impl Regions {
    /// The regions of a group. `place` returns the index of a block in the group.
    pub(super) fn new(flow: &Flow<'_>, group: &[usize], place: impl Fn(usize) -> usize) -> Regions {
        let mut regions = Regions { last_from: vec![None; group.len()], next: 0 };
        let ends = function_ends(flow, group);
        // The place at which the state for each block is kept: for a block at which no paths meet, the place of the
        // predecessor's state.
        let mut heads: Vec<usize> = Vec::with_capacity(group.len());
        for (at, &block) in group.iter().enumerate() {
            let before = flow.predecessors(block).first().filter(|_| !flow.is_meeting(block));
            let head = before.and_then(|before| heads.get(place(*before)).copied()).unwrap_or(at);
            heads.push(head);
            for next in flow.successors(block).iter().filter(|next| flow.is_meeting(**next)) {
                regions.connect(place(*next), head);
            }
            // Paths lead from the end of a function back to its callers.
            if let Some(callee) = flow.callee(block) {
                let end = ends.get(&flow.function_of(callee)).copied().unwrap_or(group.len());
                regions.connect(head.min(place(callee)), head.max(end));
            }
        }
        regions
    }

    /// Notes a path from a place back to itself or to an earlier place, and ignores other paths.
    fn connect(&mut self, to: usize, from: usize) {
        if let Some(last) = self.last_from.get_mut(to).filter(|_| to <= from) {
            *last = (*last).max(Some(from));
        }
    }
}

impl Iterator for Regions {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        let start = self.next;
        let mut last = *self.last_from.get(start)?;
        let repeats = last.is_some();
        while self.next <= last.unwrap_or(start) && self.next < self.last_from.len() {
            last = last.max(self.last_from.get(self.next).copied().flatten());
            self.next += 1;
        }
        Some(Region { places: start..self.next, repeats })
    }
}

/// The last place of each function of a group; empty if none of them is called.
fn function_ends(flow: &Flow<'_>, group: &[usize]) -> BTreeMap<usize, usize> {
    if group.iter().all(|block| flow.callee(*block).is_none()) {
        return BTreeMap::new();
    }
    group.iter().enumerate().map(|(place, block)| (flow.function_of(*block), place)).collect()
}
