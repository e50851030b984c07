//! Code that no path through a section reaches, or that two paths decode differently.

use alloc::vec;
use alloc::vec::Vec;

use super::{Checker, Finding, What};
use crate::change;

/// The findings that are about a whole section.
pub fn find<'a>(checkers: &[Checker<'_, 'a>]) -> Vec<Finding<'a>> {
    let mut found: Vec<_> = checkers.iter().flat_map(split).collect();
    found.extend(unreached(checkers));
    found
}

/// The finding about code that no known path reaches.
fn unreached<'a>(checkers: &[Checker<'_, 'a>]) -> Option<Finding<'a>> {
    let checker = checkers.first()?;
    let section = checker.section();
    let mut reached = vec![false; section.bytes.len().div_ceil(4)];
    for block in checkers.iter().flat_map(|checker| checker.flow.blocks()) {
        let dword = |address: u64| (address.wrapping_sub(section.address) / 4) as usize;
        if let Some(dwords) = reached.get_mut(dword(block.start)..dword(block.end)) {
            dwords.fill(true);
        }
    }
    let mut parts = Vec::new();
    let mut at = 0;
    for run in reached.chunk_by(|a, b| a == b) {
        if run.first() == Some(&false) {
            parts.extend(without_padding(checker, at, at + run.len()));
        }
        at += run.len();
    }
    let first = parts.first()?.0;
    let bytes = parts.iter().map(|(start, end)| end - start).sum();
    Some(checker.finding(first, checker.inst(first), What::Unreached { bytes, parts }))
}

/// The addresses of some dwords without the padding at both ends: repeated dwords, zeros, and instructions that do
/// nothing.
fn without_padding(checker: &Checker<'_, '_>, first: usize, end: usize) -> Option<(u64, u64)> {
    let section = checker.section();
    let words: Vec<&[u8]> = section.bytes.get(first * 4..(end * 4).min(section.bytes.len()))?.chunks(4).collect();
    let address = |n: usize| section.address + ((first + n) * 4) as u64;
    let is_filler = |n: usize| {
        let word = words.get(n);
        let is_again = n.checked_sub(1).is_some_and(|before| words.get(before) == word) || words.get(n + 1) == word;
        is_again || word.is_none_or(|word| word.iter().all(|byte| *byte == 0)) || is_neutral(checker, address(n))
    };
    let start = (0..words.len()).find(|n| !is_filler(*n))?;
    let last = (start..words.len()).rev().find(|n| !is_filler(*n))?;
    Some((address(start), address(last + 1).min(section.address + section.bytes.len() as u64)))
}

fn is_neutral(checker: &Checker<'_, '_>, address: u64) -> bool {
    checker.inst(address).is_some_and(|inst| inst.words().len() == 1 && change::is_neutral(&inst))
}

/// The findings about paths into the middle of instructions.
fn split<'a>(checker: &Checker<'_, 'a>) -> Vec<Finding<'a>> {
    let flow = &checker.flow;
    let mut found = Vec::new();
    for (n, pair) in flow.blocks().windows(2).enumerate() {
        let [block, next] = pair else { continue };
        if block.end <= next.start {
            continue;
        }
        let whole = flow.insts(n).find(|(at, inst)| (*at + 1..*at + inst.len() as u64).contains(&next.start));
        let Some((whole, _)) = whole else { continue };
        for from in flow.predecessors(n + 1) {
            let Some((at, inst)) = flow.insts(*from).last() else { continue };
            found.push(checker.finding(at, Some(inst), What::SplitInstruction { whole, part: next.start }));
        }
    }
    found
}
