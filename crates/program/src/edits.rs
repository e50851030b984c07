//! Changes to code that are not made yet: what comes before instructions, and in place of them.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::cell::OnceCell;
use core::ops::Range;

use amdgpu_isa::facts::AddressStep;
use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_isa::{Inst, Target, decode};
use amdgpu_object::Symbol;

use crate::Error;

/// What changes at an instruction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// Runs before it, whatever way leads to it.
    pub before: Vec<Inst>,
    /// Runs in its place; nothing, if this is empty.
    pub instead: Option<Vec<Inst>>,
    /// By how many bytes the code becomes longer.
    grows: i64,
}

/// Changes by the addresses of the instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits {
    edits: BTreeMap<u64, Edit>,
    /// How many bytes of padding come in front of the labels at an address.
    pads: BTreeMap<u64, u64>,
    /// How many bytes of padding, from an address on, are taken away.
    gaps: BTreeMap<u64, u64>,
    sums: [Sums; 3],
}

/// The sums of some changes up to each of their addresses, which are made anew when they are asked for after a change.
#[derive(Clone, Debug, Default)]
struct Sums(OnceCell<Vec<(u64, i64)>>);

/// They follow from the changes.
impl PartialEq for Sums {
    fn eq(&self, _: &Sums) -> bool {
        true
    }
}

impl Sums {
    /// The sum of those in front of an address. `all`: each with its address, in order.
    fn before(&self, address: u64, all: impl Iterator<Item = (u64, i64)>) -> i64 {
        let sums = self.0.get_or_init(|| {
            let mut sum = 0i64;
            let add = |(address, more): (u64, i64)| {
                sum = sum.wrapping_add(more);
                (address, sum)
            };
            all.map(add).collect()
        });
        let count = sums.partition_point(|(at, _)| *at < address);
        count.checked_sub(1).and_then(|last| sums.get(last)).map_or(0, |(_, sum)| *sum)
    }
}

/// Where an instruction is that runs: in front of the one at an address, or there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The instruction with this number of those in front of the one at this address.
    Before(u64, usize),
    /// The one at this address, or what runs in its place.
    At(u64),
}

/// How far behind a kernel's entry its code begins for hardware that has read arguments into registers already; `None` if there is
/// no such place. What is in front of it reads them, for firmware that does not know how to.
pub fn second_entry(target: Target, kernel: &KernelDescriptor) -> Option<u64> {
    // Targets whose accumulation registers follow the vector registers have such firmware; later ones always read arguments.
    let has_prologue = kernel.preload().length() > 0 && target.accum_granule().is_some();
    has_prologue.then_some(KernelDescriptor::ENTRY_ALIGN)
}

fn bytes(insts: &[Inst]) -> i64 {
    insts.iter().map(|inst| inst.len() as i64).sum()
}

impl Edits {
    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// How many instructions change, by where they are.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// The change at an address.
    pub fn at(&self, address: u64) -> Option<&Edit> {
        self.edits.get(&address)
    }

    /// The first change behind an address.
    pub fn next(&self, address: u64) -> Option<u64> {
        let from = address.saturating_add(1)..;
        let edit = self.edits.range(from.clone()).next().map(|(next, _)| *next);
        let gap = self.gaps.range(from).next().map(|(next, _)| *next);
        edit.into_iter().chain(gap).min()
    }

    /// Adds instructions in front of one, behind those that are to be there already.
    pub fn insert(&mut self, address: u64, insts: &[Inst]) {
        self.sums = Default::default();
        let edit = self.edits.entry(address).or_default();
        edit.before.extend_from_slice(insts);
        edit.grows += bytes(insts);
    }

    /// Puts another instruction in place of one, or none. `old` is what the code has at the address.
    pub fn replace(&mut self, slot: Slot, old: &Inst, new: Option<Inst>) {
        let (Slot::Before(address, _) | Slot::At(address)) = slot;
        self.sums = Default::default();
        let edit = self.edits.entry(address).or_default();
        match slot {
            Slot::Before(_, n) => {
                let Some(place) = edit.before.get_mut(n) else { return };
                edit.grows -= place.len() as i64;
                edit.grows += new.as_ref().map_or(0, |new| new.len() as i64);
                match new {
                    Some(new) => *place = new,
                    None => drop(edit.before.remove(n)),
                }
            }
            Slot::At(_) => {
                edit.grows -= edit.instead.as_deref().map_or(old.len() as i64, bytes);
                let new: Vec<Inst> = new.into_iter().collect();
                edit.grows += bytes(&new);
                edit.instead = Some(new);
            }
        }
    }

    /// What runs where the code has an instruction.
    pub fn run(&self, address: u64, inst: &Inst) -> Vec<(Slot, Inst)> {
        let Some(edit) = self.at(address) else { return vec![(Slot::At(address), *inst)] };
        let before = edit.before.iter().enumerate().map(|(n, inst)| (Slot::Before(address, n), *inst));
        let instead = match &edit.instead {
            Some(instead) => instead.clone(),
            None => vec![*inst],
        };
        before.chain(instead.into_iter().map(|inst| (Slot::At(address), inst))).collect()
    }

    /// Keeps a kernel's label at the offset that it has from a multiple of [`KernelDescriptor::ENTRY_ALIGN`] bytes. `padding`: how many bytes in front of it
    /// can go.
    pub fn keep(&mut self, address: u64, padding: u64) {
        const ALIGN: u64 = KernelDescriptor::ENTRY_ALIGN;
        let off = self.moved(address).wrapping_sub(address) % ALIGN;
        if off == 0 {
            return;
        }
        let [_, pads, gaps] = &mut self.sums;
        match off <= padding {
            true => {
                *gaps = Sums::default();
                self.gaps.insert(address - off, off);
            }
            false => {
                *pads = Sums::default();
                self.pads.insert(address, ALIGN - off);
            }
        }
    }

    /// Keeps where a kernel begins for hardware that has read its arguments already, as far behind its label as it is, if it has
    /// such a place. `padding`: how many bytes in front of that can go.
    pub fn keep_second_entry(&mut self, target: Target, kernel: &Symbol<'_>, padding: impl Fn(u64) -> u64) {
        let Some(distance) = kernel.descriptor.and_then(|descriptor| second_entry(target, &descriptor)) else { return };
        let place = kernel.address.saturating_add(distance);
        // Code of less than half of the distance that becomes shorter gets padding.
        self.keep(place, padding(place).min(distance / 2));
    }

    /// Bytes of padding in front of the labels here.
    pub fn pad(&self, address: u64) -> u64 {
        self.pads.get(&address).copied().unwrap_or(0)
    }

    /// Bytes of padding from here on that go.
    pub fn gap(&self, address: u64) -> Option<u64> {
        self.gaps.get(&address).copied()
    }

    /// Where a label at this address comes to be.
    pub fn moved(&self, address: u64) -> u64 {
        if self.edits.is_empty() {
            return address;
        }
        let [grows, pads, gaps] = &self.sums;
        let grows = grows.before(address, self.edits.iter().map(|(at, edit)| (*at, edit.grows)));
        let pads = pads.before(address.saturating_add(1), self.pads.iter().map(|(at, pad)| (*at, *pad as i64)));
        let gaps = gaps.before(address, self.gaps.iter().map(|(at, gap)| (*at, *gap as i64)));
        address.wrapping_add_signed(grows.wrapping_add(pads).wrapping_sub(gaps))
    }

    /// Whether something in a range of addresses comes to be elsewhere.
    pub fn moves(&self, range: Range<u64>) -> bool {
        let grows = |at: u64| self.edits.range(at..range.end).any(|(_, edit)| edit.grows != 0);
        self.moved(range.start) != range.start || grows(range.start)
    }

    /// Where the instruction at this address comes to be, behind what is inserted.
    pub fn moved_inst(&self, address: u64) -> u64 {
        let before = self.at(address).map_or(0, |edit| bytes(&edit.before));
        self.moved(address).wrapping_add_signed(before)
    }

    /// How many instructions are inserted, changed and taken away.
    pub fn counts(&self) -> (usize, usize, usize) {
        let inserted = self.edits.values().map(|edit| edit.before.len()).sum();
        let replaced = || self.edits.values().filter_map(|edit| edit.instead.as_ref());
        let gone = replaced().filter(|instead| instead.is_empty()).count();
        (inserted, replaced().count() - gone, gone)
    }

    /// Bare code with the changes made, without padding. Branches lead where they led. What is no instruction stays.
    ///
    /// # Errors
    /// A branch does not reach its target any more, or a change is not where an instruction begins.
    pub fn apply(&self, target: Target, code: &[u8], base: u64) -> Result<Vec<u8>, Error> {
        let (mut out, mut at, mut left) = (Vec::with_capacity(code.len()), 0usize, self.len());
        while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
            let here = base.wrapping_add(at as u64);
            let Ok(inst) = decode(target, rest) else {
                let len = rest.len().min(4);
                out.extend_from_slice(rest.get(..len).unwrap_or(rest));
                at += len;
                continue;
            };
            left -= usize::from(self.at(here).is_some());
            let is_open = inst.address_step() == Some(AddressStep::Jump) && inst.branch_target(here).is_none();
            if (inst.reads_pc(here) || is_open) && !self.is_empty() {
                return Err(Error::ReadsAddress { address: here });
            }
            let goal = inst.branch_target(here);
            for (slot, new) in self.run(here, &inst) {
                let address = base.wrapping_add(out.len() as u64);
                let new = match (slot, goal) {
                    (Slot::At(_), Some(goal)) => {
                        let moved = new.with_branch_target(address, self.moved(goal));
                        moved.map_err(|reason| Error::Branch { address: here, reason })?
                    }
                    _ => new,
                };
                new.words().iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
            }
            at += inst.len();
        }
        match left {
            0 => Ok(out),
            _ => Err(Error::JumpsIntoInstructions),
        }
    }
}
