//! Search for blocks and their edges.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use super::order::set;
use super::{Block, Exit, Flow, Lists};
use crate::addresses::Addresses;
use crate::decode::decode;
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::table::AddressStep;
use crate::target::Target;
use crate::value::{Operand, Reg, Value};

/// The greatest number of times that jumps through registers are resolved again after new code was found.
const ROUNDS: usize = 8;
/// The greatest number of blocks in which the address of a jump through registers is computed, the jump's own included.
const BEFORE: usize = 8;

/// A set of dwords of the code.
struct Dwords(Vec<u64>);

impl Dwords {
    fn new(len: usize) -> Dwords {
        Dwords(vec![0; len.div_ceil(64)])
    }

    fn has(&self, n: usize) -> bool {
        self.0.get(n / 64).is_some_and(|word| word >> (n % 64) & 1 == 1)
    }

    /// Adds a dword, and returns whether it is new.
    fn insert(&mut self, n: usize) -> bool {
        let Some(word) = self.0.get_mut(n / 64) else { return false };
        let is_new = *word >> (n % 64) & 1 == 0;
        *word |= 1 << (n % 64);
        is_new
    }

    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(n, word)| {
            let mut rest = *word;
            core::iter::from_fn(move || {
                let bit = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
                rest &= rest - 1;
                Some(n * 64 + bit)
            })
        })
    }
}

/// The effect of an instruction on the control flow.
enum Step {
    Next,
    Exit { exit: Exit, to: Option<u64>, falls: bool },
}

struct Finder<'c> {
    target: Target,
    code: &'c [u8],
    address: u64,
    /// The dwords at which instructions begin, or bytes that are not an instruction.
    seen: Dwords,
    /// The dwords at which blocks begin.
    leaders: Dwords,
    /// The dwords at which functions begin.
    entries: Dwords,
    /// The dwords at the entries that the caller gave.
    roots: Dwords,
    /// The targets of jumps and calls through registers, by the address of the instruction.
    known: BTreeMap<u64, u64>,
    open: Vec<usize>,
}

pub(super) fn flow<'c>(target: Target, code: &'c [u8], address: u64, entries: &[u64]) -> Flow<'c> {
    let dwords = code.len() / 4;
    let new = || Dwords::new(dwords);
    let (seen, leaders, known) = (new(), new(), BTreeMap::new());
    let mut finder =
        Finder { target, code, address, seen, leaders, entries: new(), roots: new(), known, open: Vec::new() };
    for entry in entries {
        finder.enter(*entry);
        if let Some(dword) = finder.dword(*entry) {
            finder.roots.insert(dword);
        }
    }
    finder.walk_all();
    for _ in 0..ROUNDS {
        let flow = finder.blocks();
        if !finder.resolve(&flow) {
            return with_calls(flow);
        }
    }
    with_calls(finder.blocks())
}

/// Adds the functions and the blocks after their calls to the flow.
fn with_calls(mut flow: Flow<'_>) -> Flow<'_> {
    flow.functions = flow.find_functions();
    for call in 0..flow.blocks.len() {
        let function = flow.callee(call).and_then(|callee| flow.functions.get(callee).copied());
        if let Some(function) = function {
            let sites = flow.successors.of(call);
            sites.iter().for_each(|site| set(&mut flow.meetings, *site, true));
            flow.return_sites.entry(function).or_default().extend_from_slice(sites);
        }
    }
    flow
}

impl<'c> Finder<'c> {
    /// The number of the dword at an address.
    fn dword(&self, address: u64) -> Option<usize> {
        let offset = usize::try_from(address.checked_sub(self.address)?).ok()?;
        (offset % 4 == 0 && offset < self.code.len() / 4 * 4).then_some(offset / 4)
    }

    fn at(&self, dword: usize) -> u64 {
        self.address.wrapping_add(dword as u64 * 4)
    }

    fn inst(&self, dword: usize) -> Result<Inst, DecodeError> {
        decode(self.target, self.code.get(dword * 4..).unwrap_or(&[]))
    }

    fn lead(&mut self, address: u64) {
        if let Some(dword) = self.dword(address) {
            self.leaders.insert(dword);
            if !self.seen.has(dword) {
                self.open.push(dword);
            }
        }
    }

    fn enter(&mut self, address: u64) {
        if let Some(dword) = self.dword(address) {
            self.entries.insert(dword);
            self.lead(address);
        }
    }

    fn walk_all(&mut self) {
        while let Some(dword) = self.open.pop() {
            self.walk(dword);
        }
    }

    /// Follows the instructions from a dword on, up to an instruction that does not just continue with the next one.
    fn walk(&mut self, first: usize) {
        let mut dword = first;
        loop {
            if !self.seen.insert(dword) {
                // A second path leads here, or the code has ended.
                self.leaders.insert(dword);
                return;
            }
            let Ok(inst) = self.inst(dword) else { return };
            let address = self.at(dword);
            let next = dword + inst.words().len();
            let mut step = self.step(&inst, address);
            if let Step::Exit { exit: Exit::Indirect { .. } | Exit::Call { function: None }, .. } = step {
                if let Some(to) = self.target_since(first, address, &inst) {
                    self.known.insert(address, to);
                    step = self.step(&inst, address);
                }
            }
            if let Step::Exit { exit, to, falls } = step {
                if let Exit::Call { function: Some(function) } = exit {
                    self.enter(function);
                }
                if let Some(to) = to {
                    self.lead(to);
                }
                if falls {
                    self.lead(self.at(next));
                }
                return;
            }
            dword = next;
        }
    }

    /// The target of a jump or call through registers, if the straight-line code from a dword up to the jump determines
    /// it. [`Finder::resolve`] looks for targets that several blocks determine.
    fn target_since(&self, mut dword: usize, address: u64, jump: &Inst) -> Option<u64> {
        let pair = jumps_to(jump)?;
        let mut addresses = Addresses::NONE;
        while self.at(dword) != address {
            let inst = self.inst(dword).ok()?;
            addresses.step(&inst, self.at(dword));
            dword += inst.words().len();
        }
        target_of(jump, address, addresses.value_in(self.target, &pair))
    }

    fn step(&self, inst: &Inst, address: u64) -> Step {
        let flags = inst.flags();
        let known = || self.known.get(&address).copied();
        let falls = !flags.no_fallthrough();
        if flags.is_call() {
            let function = inst.branch_target(address).or_else(known);
            return Step::Exit { exit: Exit::Call { function }, to: None, falls: true };
        }
        if flags.is_return() {
            return Step::Exit { exit: Exit::End, to: None, falls: false };
        }
        if let Some(to) = inst.branch_target(address) {
            let exit = if falls { Exit::Branch } else { Exit::Jump };
            return Step::Exit { exit, to: Some(to), falls };
        }
        if flags.is_indirect_branch() {
            let exit = match known() {
                Some(_) if falls => Exit::Branch,
                Some(_) => Exit::Jump,
                None => Exit::Indirect { pair: pair_of(inst).and_then(|pair| general(&pair)) },
            };
            return Step::Exit { exit, to: known(), falls };
        }
        if !falls {
            return Step::Exit { exit: Exit::End, to: None, falls };
        }
        Step::Next
    }

    /// The block that begins at a dword, and the addresses of its successors.
    fn block(&self, first: usize) -> (Block, [Option<u64>; 2]) {
        let (start, mut dword) = (self.at(first), first);
        let is_entry = self.entries.has(first);
        let block = |end: u64, exit: Exit| Block { start, end, exit, is_entry };
        loop {
            let address = self.at(dword);
            if dword > first && self.leaders.has(dword) {
                return (block(address, Exit::Next), [Some(address), None]);
            }
            if dword >= self.code.len() / 4 {
                return (block(address, Exit::Outside { address }), [None; 2]);
            }
            let inst = match self.inst(dword) {
                Ok(inst) => inst,
                Err(error) => return (block(address, Exit::Invalid(error)), [None; 2]),
            };
            let next = dword + inst.words().len();
            if let Step::Exit { exit, to, falls } = self.step(&inst, address) {
                let end = self.at(next);
                let after = falls.then_some(end);
                let outside = [to, after].into_iter().flatten().find(|to| self.dword(*to).is_none());
                let exit = match (outside, exit) {
                    (Some(address), Exit::Jump | Exit::Branch | Exit::Call { .. }) => Exit::Outside { address },
                    (_, exit) => exit,
                };
                return (block(end, exit), [to, after]);
            }
            dword = next;
        }
    }

    fn blocks(&self) -> Flow<'c> {
        let firsts = self.leaders.iter().filter(|dword| self.seen.has(*dword));
        let (blocks, targets): (Vec<Block>, Vec<[Option<u64>; 2]>) = firsts.map(|dword| self.block(dword)).unzip();
        let number = |address: u64| blocks.binary_search_by_key(&address, |block: &Block| block.start).ok();
        let mut successors = Lists::default();
        let mut counts = vec![0usize; blocks.len()];
        for of_block in &targets {
            let before = successors.items.len();
            for to in of_block.iter().flatten().filter_map(|address| number(*address)) {
                // A branch to the next instruction has one successor.
                if successors.items.get(before) != Some(&to) || successors.items.len() == before {
                    successors.items.push(to);
                    if let Some(count) = counts.get_mut(to) {
                        *count += 1;
                    }
                }
            }
            successors.ends.push(successors.items.len());
        }
        let predecessors = reversed(&successors, &counts);
        let meetings = blocks.iter().zip(&counts).map(|(block, count)| block.is_entry || *count != 1).collect();
        let entries = (0..blocks.len()).filter(|n| blocks.get(*n).is_some_and(|block| block.is_entry)).collect();
        let (target, code, address) = (self.target, self.code, self.address);
        let is_root = |block: &Block| self.dword(block.start).is_some_and(|dword| self.roots.has(dword));
        let roots = (0..blocks.len()).filter(|n| blocks.get(*n).is_some_and(is_root)).collect();
        let (functions, return_sites) = (Vec::new(), BTreeMap::new());
        Flow {
            target,
            code,
            address,
            blocks,
            successors,
            predecessors,
            meetings,
            entries,
            roots,
            functions,
            return_sites,
        }
    }

    /// Looks for the target addresses of jumps and calls through registers. Returns whether any became known, changed,
    /// or is no longer known.
    fn resolve(&mut self, flow: &Flow<'_>) -> bool {
        let mut changed = false;
        let any_known = !self.known.is_empty();
        let is_of_interest = |exit: Exit| match exit {
            Exit::Indirect { .. } | Exit::Call { .. } => true,
            // An exit of these kinds may be a jump or call through registers whose target was known.
            Exit::Jump | Exit::Branch | Exit::Outside { .. } => any_known,
            _ => false,
        };
        for (n, _) in flow.blocks.iter().enumerate().filter(|(_, block)| is_of_interest(block.exit)) {
            let Some((address, inst)) = flow.insts(n).last() else { continue };
            let Some(pair) = jumps_to(&inst) else { continue };
            let to = target_of(&inst, address, address_in(flow, n, address, &pair));
            if to != self.known.get(&address).copied() {
                changed = true;
                match to {
                    Some(to) => self.known.insert(address, to),
                    None => self.known.remove(&address),
                };
                match to {
                    Some(to) if inst.flags().is_call() => self.enter(to),
                    Some(to) => self.lead(to),
                    None => {}
                }
            }
        }
        self.walk_all();
        changed
    }
}

/// The pair of registers with the target of a jump or a call through registers; `None` for returns and all else.
fn jumps_to(inst: &Inst) -> Option<Operand> {
    let flags = inst.flags();
    let jumps = (flags.is_indirect_branch() || flags.is_call()) && !flags.is_return();
    if jumps { pair_of(inst) } else { None }
}

/// The target of a jump or call through registers with this value: an address, or a distance from the next instruction.
fn target_of(inst: &Inst, address: u64, value: Option<u64>) -> Option<u64> {
    let is_distance = inst.address_step() == Some(AddressStep::Jump);
    let base = if is_distance { address.wrapping_add(inst.len() as u64) } else { 0 };
    value.map(|to| base.wrapping_add(to))
}

/// The pair of registers that a jump or call through registers reads.
fn pair_of(inst: &Inst) -> Option<Operand> {
    inst.operands().find(|operand| operand.access.reads() && operand.bits == 64)
}

/// The number of the first register, if it is a general one.
fn general(pair: &Operand) -> Option<u8> {
    match pair.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n),
        _ => None,
    }
}

/// The value of a pair of registers before the last instruction of a block, if the instructions on the only path to the
/// block determine it.
fn address_in(flow: &Flow<'_>, block: usize, last: u64, pair: &Operand) -> Option<u64> {
    let mut chain = [block; BEFORE];
    let mut len = 1;
    let mut first = block;
    while len < BEFORE {
        let (false, [before]) = (flow.blocks.get(first)?.is_entry, flow.predecessors(first)) else { break };
        if chain.contains(before) {
            break;
        }
        first = *before;
        *chain.get_mut(len)? = first;
        len += 1;
    }
    let mut addresses = Addresses::NONE;
    for block in chain.iter().take(len).rev() {
        for (address, inst) in flow.insts(*block) {
            if address == last {
                return addresses.value_in(flow.target, pair);
            }
            addresses.step(&inst, address);
        }
    }
    None
}

/// The lists of the reversed edges. `counts` has, for each block, the number of lists that contain the block.
fn reversed(lists: &Lists, counts: &[usize]) -> Lists {
    let mut end = 0;
    // The index for the next item of each list; after the loop, the end of the list.
    let mut next: Vec<usize> = counts
        .iter()
        .map(|count| {
            end += count;
            end - count
        })
        .collect();
    let mut items = vec![0; end];
    for from in 0..lists.ends.len() {
        for to in lists.of(from) {
            let Some(place) = next.get_mut(*to) else { continue };
            if let Some(item) = items.get_mut(*place) {
                *item = from;
            }
            *place += 1;
        }
    }
    Lists { ends: next, items }
}
