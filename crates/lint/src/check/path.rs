//! Ways through the code, for messages.

use alloc::collections::VecDeque;
use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::Inst;
use amdgpu_isa::flow::Flow;
use amdgpu_isa::hazards::Pending;

/// How many blocks are searched: the way is for the reader.
const MOST: usize = 10_000;

/// Where blocks begin on a way from one instruction to another on which the first one is still outstanding: the shortest
/// one. Empty if both are in the same block, or no way was found.
pub fn outstanding(flow: &Flow<'_>, producer: u64, consumer: u64) -> Vec<u64> {
    let Some(first) = block_of(flow, producer) else { return Vec::new() };
    let mut state = Pending::new(flow.target());
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::new();
    let mut from = producer;
    let mut block = first;
    for _ in 0..MOST {
        for (address, inst) in flow.insts(block).filter(|(address, _)| *address >= from) {
            let needs = state.needs(&inst);
            if address == consumer && needs.iter().any(|wait| wait.producer == 1) {
                return way(flow, &before, first, block);
            }
            state.issue(&inst, (address == producer).into());
        }
        for &next in flow.successors(block) {
            if let Entry::Vacant(place) = before.entry(next) {
                place.insert(block);
                open.push_back((next, state));
            }
        }
        let Some((next, its)) = open.pop_front() else { return Vec::new() };
        (block, state, from) = (next, its, 0);
    }
    Vec::new()
}

/// The last place in front of an address of a block where an instruction is, and the beginnings of the blocks from there on.
pub fn back(flow: &Flow<'_>, block: usize, address: u64, producer: &Inst) -> Option<(u64, Vec<u64>)> {
    let mut after: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::from([(block, address)]);
    for _ in 0..MOST {
        let (here, end) = open.pop_front()?;
        let found = flow.insts(here).filter(|(at, inst)| *at < end && inst == producer).last();
        if let Some((at, _)) = found {
            let mut path = vec![flow.blocks().get(here)?.start];
            let mut next = here;
            // The block itself comes first in a loop.
            while let Some(&to) = after.get(&next) {
                path.push(flow.blocks().get(to)?.start);
                next = to;
                if next == block {
                    break;
                }
            }
            return Some((at, if path.len() > 1 { path } else { Vec::new() }));
        }
        for &from in flow.predecessors(here) {
            if let Entry::Vacant(place) = after.entry(from) {
                place.insert(here);
                open.push_back((from, u64::MAX));
            }
        }
    }
    None
}

fn way(flow: &Flow<'_>, before: &BTreeMap<usize, usize>, first: usize, last: usize) -> Vec<u64> {
    let mut blocks = vec![last];
    let mut block = last;
    while let Some(&from) = before.get(&block) {
        blocks.push(from);
        block = from;
        if block == first || blocks.len() > MOST {
            break;
        }
    }
    if blocks.len() == 1 {
        return Vec::new();
    }
    blocks.iter().rev().filter_map(|block| Some(flow.blocks().get(*block)?.start)).collect()
}

/// The block that an instruction is in.
fn block_of(flow: &Flow<'_>, address: u64) -> Option<usize> {
    let behind = flow.blocks().partition_point(|block| block.start <= address);
    // Blocks may overlap; the nearest one that has the instruction.
    (0..behind).rev().take(64).find(|n| flow.insts(*n).any(|(at, _)| at == address))
}
