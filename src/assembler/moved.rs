//! Moves code from another address.

use super::slots::{FixupSlot, LabelPlace, LabelSlot};
use super::{AssembleError, AssembleErrorKind, Assembler};
use crate::buffer::{Buffer, Memory};
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::table::AddressStep;
use crate::target::Target;

impl<B: Buffer + ?Sized> Assembler<'_, B> {
    /// Emits the instructions of `code`, which is at the address `from`, so that they have the same effect at the new
    /// address.
    ///
    /// Branches keep their targets, except that branches into the middle of the code go to the copy. Calls return into
    /// the copy. Each branch needs a label and a fix-up, and becomes long if necessary.
    ///
    /// # Errors
    /// There is no room, the words are not an instruction, no instruction begins at the target of a branch within the
    /// code, or the code reads its own address: the uses of the result of `s_getpc_b64` cannot be traced, and
    /// `s_add_pc_i64` has no form with a label.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::asm::{AssembleErrorKind, Assembler, FixupSlot, LabelSlot};
    /// use amdgpu_isa::{Target, decode_words};
    /// let mut code = [0u32; 8];
    /// let (mut labels, mut fixups) = ([LabelSlot::EMPTY; 1], [FixupSlot::EMPTY; 1]);
    /// let mut asm = Assembler::new(Target::Gfx942, &mut code, &mut labels, &mut fixups);
    /// asm.base(0x4000).unwrap();
    /// let old = [0x8004_0501u32, 0xbf84_0010]; // s_add_u32 s4, s1, s5; s_cbranch_scc0
    /// asm.moved(&old[..], 0x1000).unwrap();
    /// let refused = asm.moved(&[0xbe84_1c00u32][..], 0x1008).unwrap_err(); // s_getpc_b64
    /// assert_eq!(refused.kind, AssembleErrorKind::ReadsPc(0x1008));
    /// asm.finish().unwrap();
    /// let branch = decode_words(Target::Gfx942, &code[1..]).unwrap();
    /// assert_eq!(branch.branch_target(0x4004), Some(0x1048));
    /// # }
    /// ```
    pub fn moved<C: Memory + ?Sized>(&mut self, code: &C, from: u64) -> Result<(), AssembleError> {
        let target = self.target;
        let copy = Moved { start: self.len, labels: self.label_count, fixups: self.fixup_count };
        let mut inside = 0;
        let mut walk = Walk { target, code, at: 0 };
        while let Some((at, inst)) = walk.next().map_err(|error| self.here_is(error.into(), None))? {
            let pc = from.wrapping_add(at as u64 * 4);
            if matches!(inst.address_step(), Some(AddressStep::Pc | AddressStep::Jump)) {
                return Err(self.here_is(AssembleErrorKind::ReadsPc(pc), Some(inst.opcode())));
            }
            let Some(to) = inst.branch_target(pc) else {
                self.emit(inst)?;
                continue;
            };
            let place = match usize::try_from(to.wrapping_sub(from) / 4) {
                // Before anything has grown, the copy has the layout of the original. The number of fix-ups before the
                // target is known only after all fix-ups have been recorded.
                Ok(dword) if dword > 0 && dword < code.dwords() => {
                    inside += 1;
                    LabelPlace::Here { dword: copy.start + dword, fixups: copy.fixups }
                }
                _ => LabelPlace::Address(to),
            };
            let label = self.new_label(place).map_err(|kind| self.here_is(kind, Some(inst.opcode())))?;
            self.branch(inst, label)?;
        }
        if inside == 0 {
            return Ok(());
        }
        let wrong = self.landings(&copy).place(Walk { target, code, at: 0 });
        match wrong.map_err(|error| self.here_is(error.into(), None))? {
            None => Ok(()),
            Some(Landing { branch, dword }) => {
                let to = from.wrapping_add((dword - copy.start) as u64 * 4);
                let kind = AssembleErrorKind::Boundary(to);
                let fixup = self.fixups.get(copy.fixups + branch);
                Err(fixup.map_or(kind.into(), |slot| self.at(&slot.0, kind)))
            }
        }
    }

    /// The labels and fix-ups of the branches of the copy that was emitted last.
    fn landings(&mut self, copy: &Moved) -> Landings<'_> {
        let (labels, fixups) = (self.label_count, self.fixup_count);
        Landings {
            start: copy.start,
            before: copy.fixups,
            labels: self.labels.get_mut(copy.labels..labels).unwrap_or_default(),
            fixups: self.fixups.get_mut(copy.fixups..fixups).unwrap_or_default(),
        }
    }
}

/// The start of a copy: the numbers of its first dword, label and fix-up.
struct Moved {
    start: usize,
    labels: usize,
    fixups: usize,
}

/// The labels and fix-ups of a copy's branches: one of each for every branch, in the order of the code.
///
/// The targets of the branches must be found among the starts of instructions, which only a walk over the code finds.
/// To make one walk suffice, the branches are visited in the order of their targets. That order is stored in the
/// fix-ups' `growth`, which has no other use until the assembler finishes, and is 0 again afterwards.
struct Landings<'a> {
    start: usize,
    /// Number of fix-ups before the copy.
    before: usize,
    labels: &'a mut [LabelSlot],
    fixups: &'a mut [FixupSlot],
}

/// A branch to an address at which no instruction begins.
struct Landing {
    branch: usize,
    dword: usize,
}

impl Landings<'_> {
    /// Stores the number of fix-ups before each label. Returns the first branch whose target is not the start of an
    /// instruction.
    fn place<C: Memory + ?Sized>(mut self, walk: Walk<'_, C>) -> Result<Option<Landing>, DecodeError> {
        (0..self.fixups.len()).for_each(|n| self.set(n, n));
        self.sort();
        let wrong = self.merge(walk);
        (0..self.fixups.len()).for_each(|n| self.set(n, 0));
        wrong
    }

    fn merge<C: Memory + ?Sized>(&mut self, mut walk: Walk<'_, C>) -> Result<Option<Landing>, DecodeError> {
        let (mut next, mut branches) = (0, 0);
        let mut wrong: Option<Landing> = None;
        while let Some((at, inst)) = walk.next()? {
            let (at, end) = (self.start + at, self.start + walk.at);
            // Branches to earlier dwords are done, so the loop takes the branches to dwords of this instruction.
            while let Some(dword) = self.to(next).filter(|&dword| dword < end) {
                let branch = self.branch(next);
                if dword != at {
                    let is_first = wrong.as_ref().is_none_or(|wrong| branch < wrong.branch);
                    wrong = if is_first { Some(Landing { branch, dword }) } else { wrong };
                } else if let Some(LabelSlot(LabelPlace::Here { fixups, .. })) = self.labels.get_mut(branch) {
                    *fixups = self.before + branches;
                }
                next += 1;
            }
            branches += usize::from(inst.label().is_some());
        }
        Ok(wrong)
    }

    /// The branch at a position in the order.
    fn branch(&self, n: usize) -> usize {
        self.fixups.get(n).map_or(0, |slot| slot.0.growth)
    }

    fn set(&mut self, n: usize, branch: usize) {
        if let Some(FixupSlot(fixup)) = self.fixups.get_mut(n) {
            fixup.growth = branch;
        }
    }

    /// The target dword of the branch at a position in the order, if it is in the copy.
    fn to(&self, n: usize) -> Option<usize> {
        match self.labels.get(self.branch(n)).filter(|_| n < self.fixups.len()) {
            Some(&LabelSlot(LabelPlace::Here { dword, .. })) => Some(dword),
            _ => None,
        }
    }

    /// The sort key: the target dword of a branch. Branches that leave the copy are last.
    fn key(&self, n: usize) -> usize {
        self.to(n).unwrap_or(usize::MAX)
    }

    /// Sorts by heapsort (Williams, Floyd 1964): it needs no memory, and at most time proportional to n log n.
    fn sort(&mut self) {
        let count = self.fixups.len();
        (0..count / 2).rev().for_each(|root| self.sift(root, count));
        for end in (1..count).rev() {
            self.swap(0, end);
            self.sift(0, end);
        }
    }

    /// Moves the entry at `root` down the heap until no entry below it is greater.
    fn sift(&mut self, mut root: usize, end: usize) {
        loop {
            let (left, right) = (2 * root + 1, 2 * root + 2);
            if left >= end {
                return;
            }
            let greater = if right < end && self.key(right) > self.key(left) { right } else { left };
            if self.key(greater) <= self.key(root) {
                return;
            }
            self.swap(root, greater);
            root = greater;
        }
    }

    fn swap(&mut self, a: usize, b: usize) {
        let (at_a, at_b) = (self.branch(a), self.branch(b));
        self.set(a, at_b);
        self.set(b, at_a);
    }
}

/// A walk over code that must consist of instructions.
pub(crate) struct Walk<'a, C: Memory + ?Sized> {
    pub target: Target,
    pub code: &'a C,
    pub at: usize,
}

impl<C: Memory + ?Sized> Walk<'_, C> {
    /// The next instruction and its dword; `None` at the end of the code.
    pub(crate) fn next(&mut self) -> Result<Option<(usize, Inst)>, DecodeError> {
        let (at, rest) = (self.at, self.code.from(self.at));
        let Some(rest) = rest.filter(|rest| rest.head().1 > 0) else { return Ok(None) };
        let inst = rest.first(self.target)?;
        self.at += inst.words().len();
        Ok(Some((at, inst)))
    }
}
