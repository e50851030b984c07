//! Finishes assembling: decides which branches must be long, assigns the final addresses, and moves the code there.

use super::far::reaches;
use super::slots::{Fixup, FixupKind, FixupSlot, Label, LabelPlace};
use super::{AssembleError, AssembleErrorKind, Assembler, Room};
use crate::assembler::Relocation;
use crate::buffer::Buffer;
use crate::compose::{Plain, plain};
use crate::decode::decode_words;
use crate::inst::Inst;

/// Growth in dwords of a branch that gets an `s_nop`. Long branches grow by more.
const PADDED: usize = 1;

impl<B: Buffer + ?Sized> Assembler<'_, B> {
    /// Makes short branches long until all branches reach their targets. A long branch is never made short again, so
    /// the loop ends. Addresses only grow, even after an alignment.
    pub(super) fn relax(&mut self) -> Result<(), AssembleError> {
        loop {
            self.shift = 0;
            for n in 0..self.fixup_count {
                let shift = self.shift;
                let Some(FixupSlot(fixup)) = self.fixups.get_mut(n) else { break };
                fixup.shift = shift;
                if let FixupKind::Align(log, _) = fixup.kind {
                    fixup.growth = padding(self.base, fixup.at + shift, log);
                }
                self.shift = shift.checked_add(fixup.growth).ok_or(AssembleErrorKind::Room(Room::Code))?;
            }
            if !self.grow()? {
                return Ok(());
            }
        }
    }

    /// Gives the long form to branches that do not reach their targets, and room for an `s_nop` to branches that the
    /// hardware would execute wrongly. Returns whether any branch grew.
    fn grow(&mut self) -> Result<bool, AssembleError> {
        let mut grown = false;
        for n in 0..self.fixup_count {
            let Some(&FixupSlot(fixup)) = self.fixups.get(n) else { break };
            let label = match fixup.kind {
                FixupKind::Branch(label) | FixupKind::Address(label) => label,
                _ => continue,
            };
            let from = self.address_of(fixup.at + fixup.shift);
            let to = self.address(label).map_err(|kind| self.at(&fixup, kind))?;
            if fixup.growth > 0 || matches!(fixup.kind, FixupKind::Address(_)) {
                continue;
            }
            let reaches = reaches(from, to);
            if reaches && !self.target.has_broken_branches() {
                continue;
            }
            let branch = self.inst_at(fixup.at).map_err(|kind| self.at(&fixup, kind))?;
            if reaches {
                let is_broken = branch.with_branch_target(from, to).is_ok_and(|branch| branch.is_broken_branch());
                if let Some(FixupSlot(slot)) = self.fixups.get_mut(n).filter(|_| is_broken) {
                    slot.growth = PADDED;
                    grown = true;
                }
                continue;
            }
            let long = self.far.filter(|_| to & 3 == 0).and_then(|far| far.dwords(&branch));
            let dwords = long.ok_or_else(|| self.at(&fixup, AssembleErrorKind::Distance { from, to }))?;
            if let Some(FixupSlot(slot)) = self.fixups.get_mut(n) {
                slot.growth = dwords - 1;
                grown = true;
            }
        }
        Ok(grown)
    }

    /// Moves all code to its final place, starting at the end, and resolves the fix-ups.
    pub(super) fn spread(&mut self) -> Result<(), AssembleError> {
        let all = self.len.checked_add(self.shift).filter(|&all| self.out.room(all));
        let all = all.ok_or(AssembleErrorKind::Room(Room::Code))?;
        let mut end = self.len;
        for n in (0..self.fixup_count).rev() {
            let Some(&FixupSlot(fixup)) = self.fixups.get(n) else { break };
            let inst = match fixup.kind {
                FixupKind::Branch(_) => Some(self.inst_at(fixup.at).map_err(|kind| self.at(&fixup, kind))?),
                _ => None,
            };
            let (first, shift) = (fixup.at + fixup.kind.dwords(), fixup.shift + fixup.growth);
            if shift > 0 {
                for at in (first..end).rev() {
                    let word = self.out.dword(at).unwrap_or(0);
                    self.out.set_dword(at + shift, word);
                }
            }
            end = fixup.at;
            self.fill(&fixup, inst).map_err(|kind| self.at(&fixup, kind))?;
        }
        (self.len, self.shift) = (all, 0);
        Ok(())
    }

    fn fill(&mut self, fixup: &Fixup, branch: Option<Inst>) -> Result<(), AssembleErrorKind> {
        let mut at = fixup.at + fixup.shift;
        let from = self.address_of(at);
        match (fixup.kind, branch) {
            (FixupKind::Branch(label), Some(branch)) => {
                let to = self.address(label)?;
                let distance = AssembleErrorKind::Distance { from, to };
                if fixup.growth <= PADDED {
                    let mut there = branch.with_branch_target(from, to).map_err(|_| distance)?;
                    if fixup.growth == PADDED {
                        let nop = plain(self.target, Plain::Nop)?;
                        // An `s_nop` after the branch leaves the branch at `from`. If the branch is still executed
                        // wrongly at `from`, because its target did not move, the `s_nop` comes before the branch.
                        let in_front = there.is_broken_branch();
                        nop.words().iter().for_each(|&word| _ = self.out.set_dword(at + usize::from(!in_front), word));
                        if in_front {
                            there = branch.with_branch_target(from.wrapping_add(4), to).map_err(|_| distance)?;
                            at += 1;
                        }
                    }
                    there.words().iter().for_each(|&word| _ = self.out.set_dword(at, word));
                    return Ok(());
                }
                self.far.ok_or(distance)?.write(&branch, (from, to), &mut |word| {
                    self.out.set_dword(at, word);
                    at += 1;
                })
            }
            (FixupKind::Align(_, unreached), _) => {
                let nop = plain(self.target, Plain::Nop);
                let pad = if unreached { plain(self.target, Plain::CodeEnd).or(nop) } else { nop };
                let pad = if fixup.growth > 0 { pad?.words().first().copied() } else { None };
                (at..at + fixup.growth).for_each(|at| _ = self.out.set_dword(at, pad.unwrap_or(0)));
                Ok(())
            }
            (FixupKind::Address(label), _) => {
                let to = self.address(label)?;
                at += 1;
                let distance = to.wrapping_sub(self.address_of(at));
                // The last dword of each addition is its literal.
                for half in [distance as u32, (distance >> 32) as u32] {
                    at += self.inst_at(at)?.words().len();
                    self.out.set_dword(at - 1, half);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// An error at a fix-up.
    #[cold]
    pub(super) fn at(&self, fixup: &Fixup, kind: AssembleErrorKind) -> AssembleError {
        let opcode = match fixup.kind {
            FixupKind::Align(..) => None,
            _ => self.inst_at(fixup.at).ok().map(|inst| inst.opcode()),
        };
        AssembleError { kind, offset: Some((fixup.at + fixup.shift) as u64 * 4), opcode }
    }

    /// The address of a dword, in bytes.
    pub(super) fn address_of(&self, dword: usize) -> u64 {
        self.base.wrapping_add(dword as u64 * 4)
    }

    /// A label's address with the growth known so far.
    pub(super) fn address(&self, label: Label) -> Result<u64, AssembleErrorKind> {
        match self.labels.get(label.0 as usize).filter(|_| (label.0 as usize) < self.label_count).map(|slot| slot.0) {
            None => Err(AssembleErrorKind::UnknownLabel(label)),
            Some(LabelPlace::Unbound) => Err(AssembleErrorKind::Unbound(label)),
            Some(LabelPlace::Address(address)) => Ok(address),
            Some(LabelPlace::Here { dword, fixups }) => {
                let next = self.fixups.get(fixups).filter(|_| fixups < self.fixup_count);
                let all = self.grown;
                Ok(self.address_of(dword + next.map_or(all.unwrap_or(self.shift), |slot| slot.0.shift)))
            }
        }
    }

    /// The instruction at a dword.
    pub(super) fn inst_at(&self, at: usize) -> Result<Inst, AssembleErrorKind> {
        let mut words = [0; crate::table::MAX_DWORDS];
        words.iter_mut().enumerate().for_each(|(n, word)| *word = self.out.dword(at + n).unwrap_or(0));
        Ok(decode_words(self.target, &words)?)
    }

    /// The relocation that a fix-up describes, if any.
    pub(super) fn relocation(&self, slot: &FixupSlot) -> Option<Relocation> {
        match slot.0.kind {
            FixupKind::Symbol(relocation) => {
                Some(Relocation { offset: (slot.0.at + slot.0.shift) as u64 * 4, ..relocation })
            }
            _ => None,
        }
    }
}

/// Number of dwords from a dword to the next multiple of 2^`log` bytes.
pub(super) fn padding(base: u64, dword: usize, log: u8) -> usize {
    let address = base.wrapping_add(dword as u64 * 4);
    (address.wrapping_neg() & ((1u64 << (log & 31)) - 1)) as usize / 4
}
