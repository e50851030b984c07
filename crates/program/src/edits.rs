//! Changes to code that have not been made yet: instructions that will be inserted or replaced.

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

/// The change at an instruction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// Instructions that run before the instruction, on every path to it.
    pub before: Vec<Inst>,
    /// Instructions that run in place of the instruction; empty to remove it, `None` to keep it.
    pub instead: Option<Vec<Inst>>,
    /// The growth of the code, in bytes.
    grows: i64,
}

/// Changes to code, by the addresses of the instructions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits {
    edits: BTreeMap<u64, Edit>,
    /// The number of padding bytes that are added before the labels at an address.
    pads: BTreeMap<u64, u64>,
    /// The number of padding bytes that are removed, from an address on.
    gaps: BTreeMap<u64, u64>,
    sums: [Sums; 3],
}

/// The addresses with changes of one kind, each with the sum of the changes up to this address. A new change clears the
/// list, and the next query computes the list again.
#[derive(Clone, Debug, Default)]
struct Sums(OnceCell<Vec<(u64, i64)>>);

/// Compares all sums as equal, because sums follow from the changes, and `Edits` compares the changes.
impl PartialEq for Sums {
    fn eq(&self, _: &Sums) -> bool {
        true
    }
}

impl Sums {
    /// The sum of the changes before an address. `all` are the changes with their addresses, in order.
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

/// A position in the edited code: before the instruction at an address, or in place of this instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The inserted instruction with this number, from 0, before the address.
    Before(u64, usize),
    /// The instruction at this address, or its replacement.
    At(u64),
}

/// The distance from a kernel's entry to its second entry, at which hardware begins if it has already read arguments
/// into registers; `None` if there is no second entry. The code between the two entries reads the arguments if the
/// firmware cannot do so.
pub fn second_entry(target: Target, kernel: &KernelDescriptor) -> Option<u64> {
    target.second_entry().filter(|_| kernel.preload().length() > 0)
}

fn bytes(insts: &[Inst]) -> i64 {
    insts.iter().map(|inst| inst.len() as i64).sum()
}

impl Edits {
    /// Whether there are no changes.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The number of addresses with a change.
    pub fn len(&self) -> usize {
        self.edits.len()
    }

    /// The change at an address.
    pub fn at(&self, address: u64) -> Option<&Edit> {
        self.edits.get(&address)
    }

    /// The address of the first change after an address.
    pub fn next(&self, address: u64) -> Option<u64> {
        let from = address.saturating_add(1)..;
        let edit = self.edits.range(from.clone()).next().map(|(next, _)| *next);
        let gap = self.gaps.range(from).next().map(|(next, _)| *next);
        edit.into_iter().chain(gap).min()
    }

    /// Inserts instructions before the one at an address, after any that have already been inserted there.
    pub fn insert(&mut self, address: u64, insts: &[Inst]) {
        self.sums = Default::default();
        let edit = self.edits.entry(address).or_default();
        edit.before.extend_from_slice(insts);
        edit.grows += bytes(insts);
    }

    /// Replaces an instruction by another one, or removes it if `new` is `None`. `old` is the instruction at the slot's
    /// address, before all changes.
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

    /// The instructions that run at the address of the instruction `inst`, including those inserted before it, with
    /// their positions.
    pub fn run(&self, address: u64, inst: &Inst) -> Vec<(Slot, Inst)> {
        let Some(edit) = self.at(address) else { return vec![(Slot::At(address), *inst)] };
        let before = edit.before.iter().enumerate().map(|(n, inst)| (Slot::Before(address, n), *inst));
        let instead = match &edit.instead {
            Some(instead) => instead.clone(),
            None => vec![*inst],
        };
        before.chain(instead.into_iter().map(|inst| (Slot::At(address), inst))).collect()
    }

    /// Keeps a kernel's label at its offset from a multiple of [`KernelDescriptor::ENTRY_ALIGN`] bytes. `section` is
    /// the address of the first byte of its section, and `padding` the number of bytes before the label that may be
    /// removed.
    pub fn keep(&mut self, section: u64, address: u64, padding: u64) {
        const ALIGN: u64 = KernelDescriptor::ENTRY_ALIGN;
        let off = self.moved_in(section, address).wrapping_sub(address) % ALIGN;
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

    /// Keeps a kernel's second entry, if it has one, at its distance from the kernel's label. `section` is as in
    /// [`Edits::keep`], and `padding` gives the number of removable bytes before an address.
    pub fn keep_second_entry(
        &mut self,
        target: Target,
        section: u64,
        kernel: &Symbol<'_>,
        padding: impl Fn(u64) -> u64,
    ) {
        let Some(distance) = kernel.descriptor.and_then(|descriptor| second_entry(target, &descriptor)) else { return };
        let place = kernel.address.saturating_add(distance);
        // At most half of the distance may be removed as padding. If the code is then too short, padding is added.
        self.keep(section, place, padding(place).min(distance / 2));
    }

    /// The number of padding bytes that are added before the labels at an address.
    pub fn pad(&self, address: u64) -> u64 {
        self.pads.get(&address).copied().unwrap_or(0)
    }

    /// The number of padding bytes that are removed from an address on, if any.
    pub fn gap(&self, address: u64) -> Option<u64> {
        self.gaps.get(&address).copied()
    }

    /// The new address of a label at an address, if all changes are to the same section.
    pub fn moved(&self, address: u64) -> u64 {
        self.moved_in(0, address)
    }

    /// The new address of a label at an address of a section that begins at `section` and stays there.
    pub fn moved_in(&self, section: u64, address: u64) -> u64 {
        if self.edits.is_empty() {
            return address;
        }
        let [grows, pads, gaps] = &self.sums;
        let grows = |to| grows.before(to, self.edits.iter().map(|(at, edit)| (*at, edit.grows)));
        let pads = |to| pads.before(to, self.pads.iter().map(|(at, pad)| (*at, *pad as i64)));
        let gaps = |to| gaps.before(to, self.gaps.iter().map(|(at, gap)| (*at, *gap as i64)));
        let sum = |to: u64, label: u64| grows(to).wrapping_add(pads(label)).wrapping_sub(gaps(to));
        let before = if section == 0 { 0 } else { sum(section, section) };
        address.wrapping_add_signed(sum(address, address.saturating_add(1)).wrapping_sub(before))
    }

    /// Whether any code moves or changes its length in a range of addresses of a section that begins at `section`.
    pub fn moves(&self, section: u64, range: Range<u64>) -> bool {
        let grows = |at: u64| self.edits.range(at..range.end).any(|(_, edit)| edit.grows != 0);
        self.moved_in(section, range.start) != range.start || grows(range.start)
    }

    /// The new address of the instruction at an address, after the instructions inserted before it, if all changes are
    /// to the same section.
    pub fn moved_inst(&self, address: u64) -> u64 {
        self.moved(address).wrapping_add_signed(self.inserted(address))
    }

    /// The number of bytes of the instructions that are inserted before the instruction at an address.
    pub fn inserted(&self, address: u64) -> i64 {
        self.at(address).map_or(0, |edit| bytes(&edit.before))
    }

    /// The numbers of instructions that are inserted, replaced and removed.
    pub fn counts(&self) -> (usize, usize, usize) {
        let inserted = self.edits.values().map(|edit| edit.before.len()).sum();
        let replaced = || self.edits.values().filter_map(|edit| edit.instead.as_ref());
        let gone = replaced().filter(|instead| instead.is_empty()).count();
        (inserted, replaced().count() - gone, gone)
    }

    /// The bare code `code`, which begins at the address `base`, with the changes made, without padding. Branches keep
    /// their targets. Words that are not an instruction stay.
    ///
    /// # Errors
    /// A branch does not reach its target any more, an instruction reads its own address, or a change is not where an
    /// instruction begins.
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
