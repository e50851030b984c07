//! Paths through the code, for messages.

use alloc::collections::VecDeque;
use alloc::collections::btree_map::{BTreeMap, Entry};
use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::flow::{Exit, Flow};

use crate::edits::Pending;

/// The greatest number of blocks, and of instructions, that are searched. Paths are only shown to the user.
const MOST: usize = 10_000;

/// The addresses of the blocks on a short path from one instruction to another, along which the operation of the first
/// one stays outstanding. Empty if both are in the same block, or no path was found. `steps`: the number of
/// instructions that this search and later ones may look at.
pub fn outstanding(flow: &Flow<'_>, producer: u64, (last, consumer): (usize, u64), steps: &mut usize) -> Vec<u64> {
    if is_before(flow, producer, (last, consumer)) {
        return Vec::new();
    }
    let Some(first) = block_of(flow, producer) else { return Vec::new() };
    let mut state = Pending::unbounded(flow.target());
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::new();
    let mut from = producer;
    let mut block = first;
    let mut left = MOST;
    for _ in 0..MOST {
        for (address, inst) in flow.insts_from(block, from) {
            let (Some(fewer), true) = (left.checked_sub(1), take(steps)) else { return Vec::new() };
            left = fewer;
            if address == consumer && state.needs(&inst).iter().any(|wait| wait.producer == 1) {
                return path_between(flow, &before, first, block);
            }
            state.issue(&inst, (address == producer).into());
        }
        for next in next(flow, block) {
            if let Entry::Vacant(place) = before.entry(next) {
                place.insert(block);
                open.push_back((next, state.clone()));
            }
        }
        let Some((next, its)) = open.pop_front() else { return Vec::new() };
        (block, state, from) = (next, its, 0);
    }
    Vec::new()
}

/// The addresses of the blocks on the shortest path from one instruction to another. Empty if both are in the same
/// block, or no path was found. `steps`: the number of blocks that this search and later ones may look at.
pub fn shortest(flow: &Flow<'_>, producer: u64, (last, consumer): (usize, u64), steps: &mut usize) -> Vec<u64> {
    if is_before(flow, producer, (last, consumer)) {
        return Vec::new();
    }
    let Some(first) = block_of(flow, producer) else { return Vec::new() };
    let mut before: BTreeMap<usize, usize> = BTreeMap::new();
    let mut open = VecDeque::from([first]);
    for _ in 0..MOST {
        let Some(block) = open.pop_front().filter(|_| take(steps)) else { return Vec::new() };
        for next in next(flow, block) {
            if let Entry::Vacant(place) = before.entry(next) {
                place.insert(block);
                open.push_back(next);
            }
            if next == last {
                return path_between(flow, &before, first, last);
            }
        }
    }
    Vec::new()
}

/// Takes one of the steps that are left. Returns `false` if none is.
fn take(steps: &mut usize) -> bool {
    steps.checked_sub(1).map(|fewer| *steps = fewer).is_some()
}

/// Whether both instructions are in the block, and the producer comes first.
fn is_before(flow: &Flow<'_>, producer: u64, (block, consumer): (usize, u64)) -> bool {
    flow.blocks().get(block).is_some_and(|block| (block.start..consumer).contains(&producer))
}

/// The blocks that run next, also through calls: after the return of a function, the blocks after all its calls.
fn next<'f>(flow: &'f Flow<'_>, block: usize) -> impl Iterator<Item = usize> + 'f {
    let exit = flow.blocks().get(block).map(|block| block.exit);
    let returns = matches!(exit, Some(Exit::Indirect { .. })).then(|| flow.return_sites(block));
    flow.callee(block)
        .into_iter()
        .chain(flow.successors(block).iter().copied())
        .chain(returns.unwrap_or(&[]).iter().copied())
}

fn path_between(flow: &Flow<'_>, before: &BTreeMap<usize, usize>, first: usize, last: usize) -> Vec<u64> {
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
pub fn block_of(flow: &Flow<'_>, address: u64) -> Option<usize> {
    let after = flow.blocks().partition_point(|block| block.start <= address);
    // Blocks may overlap: the last one that contains the instruction is taken.
    let has = |n: &usize| flow.blocks().get(*n).is_some_and(|block| (block.start..block.end).contains(&address));
    (0..after).rev().take(64).find(has)
}
