//! Writes the code of a section with the changes made.

use alloc::vec::Vec;

use amdgpu_isa::{Inst, Target, decode};
use amdgpu_object::Section;

use crate::addresses::{MadeAddress, PartKind, takes_upper_half};
use crate::layout::{Code, Layout};
use crate::{Edits, Error, Slot};

/// A number that code adds to the program counter, before and after the changes.
pub type Number = (u64, u64);

/// The changed code of a section, in which the targets of branches and the addresses that code makes have been
/// adjusted.
pub struct Rewritten {
    /// The bytes of the changed code.
    pub bytes: Vec<u8>,
    /// The number of addresses at which changes were made.
    pub changes: usize,
    /// The numbers that make addresses, with the old addresses of their places in the code. If the halves of a number
    /// are in two places, each place is listed with the whole number.
    pub numbers: Vec<(u64, Number)>,
}

/// Writes the code of a section with the changes made.
pub fn rewrite(
    section: &Section<'_>,
    code: &Code,
    target: Target,
    layout: &Layout<'_, '_>,
) -> Result<Rewritten, Error> {
    let edits = layout.edits();
    let mut writer = Writer { section, code, target, layout, edits, out: Vec::new(), made: Vec::new(), changes: 0 };
    let mut at = 0;
    let functions: Vec<_> = section.functions(0).collect();
    for function in functions {
        let target = section.target_at(target, function.start);
        at = at.max(function.start);
        while at < function.end {
            at = writer.step(target, at, function.end)?;
        }
    }
    writer.pad(section.address.wrapping_add(section.bytes.len() as u64));
    let Writer { mut out, made, changes, .. } = writer;
    let mut numbers = Vec::new();
    for made in &made {
        let number = relate(code, layout, made, &mut out)?;
        let places = made.parts.iter().map(|part| part.address.wrapping_add(4));
        numbers.extend(places.map(|place| (place, number)));
    }
    Ok(Rewritten { bytes: out, changes, numbers })
}

struct Writer<'w, 'a> {
    section: &'w Section<'a>,
    code: &'w Code,
    target: Target,
    layout: &'w Layout<'w, 'w>,
    edits: &'w Edits,
    out: Vec<u8>,
    /// The addresses that the code makes.
    made: Vec<MadeAddress>,
    /// The number of addresses at which changes were made.
    changes: usize,
}

impl Writer<'_, '_> {
    /// Writes the instruction at an offset, and returns the offset of the next one.
    fn step(&mut self, target: Target, at: usize, end: usize) -> Result<usize, Error> {
        let address = self.section.address.wrapping_add(at as u64);
        if let Some(gap) = self.edits.gap(address) {
            return usize::try_from(gap).map(|gap| at + gap).map_err(|_| Error::Layout);
        }
        self.pad(address);
        let code = self.section.bytes.get(at..end).unwrap_or_default();
        let edit = self.edits.at(address);
        let Ok(inst) = decode(target, code) else {
            let len = code.len().min(4);
            self.out.extend_from_slice(code.get(..len).unwrap_or(code));
            return Ok(at + len);
        };
        self.changes += usize::from(edit.is_some());
        let goal = inst.branch_target(address);
        if inst.reads_pc(address) {
            let after = self.section.bytes.get(at + inst.len()..).unwrap_or_default();
            match MadeAddress::all(&inst, address, after) {
                Some(all) => self.made.extend(all),
                None if takes_upper_half(&inst, after) => {}
                None => return Err(Error::UnknownAddress { address }),
            }
        } else if inst.address_step() == Some(amdgpu_isa::facts::AddressStep::Jump) && goal.is_none() {
            return Err(Error::UnknownAddress { address });
        }
        for (slot, new) in self.edits.run(address, &inst) {
            match (slot, goal) {
                (Slot::At(_), Some(goal)) => self.branch(address, goal, &new)?,
                _ => self.inst(&new),
            }
        }
        Ok(at + inst.len())
    }

    fn inst(&mut self, inst: &Inst) {
        inst.words().iter().for_each(|word| self.out.extend_from_slice(&word.to_le_bytes()));
    }

    /// Writes a branch with the same target. A branch whose distance is unchanged keeps all its bits, even unused ones.
    fn branch(&mut self, address: u64, goal: u64, inst: &Inst) -> Result<(), Error> {
        let here = self.layout.address(self.section.address).wrapping_add(self.out.len() as u64);
        let there = self.layout.target_of(self.code, goal);
        if there.wrapping_sub(here) == goal.wrapping_sub(address) {
            self.inst(inst);
            return Ok(());
        }
        let moved = inst.with_branch_target(here, there).map_err(|reason| Error::Branch { address, reason })?;
        if moved.len() != inst.len() {
            return Err(Error::UnknownAddress { address });
        }
        self.inst(&moved);
        Ok(())
    }

    /// Writes the padding that an address needs: copies of the dword before the address, if the two dwords before the
    /// address are equal, or else `s_nop`.
    fn pad(&mut self, address: u64) {
        let pad = self.edits.pad(address);
        if pad == 0 {
            return;
        }
        let offset = usize::try_from(address.wrapping_sub(self.section.address)).unwrap_or(usize::MAX);
        let word = |back: usize| {
            let from = offset.checked_sub(back)?;
            self.section.bytes.get(from..)?.first_chunk::<4>().copied()
        };
        let nop = || {
            let nop = Inst::nop(self.target);
            nop.and_then(|nop| nop.words().first().copied()).unwrap_or(0).to_le_bytes()
        };
        let fill = word(4).filter(|last| word(8) == Some(*last)).unwrap_or_else(nop);
        (0..pad / 4).for_each(|_| self.out.extend_from_slice(&fill));
    }
}

/// Writes the number that makes an address, and returns its old and its new value.
fn relate(code: &Code, layout: &Layout<'_, '_>, made: &MadeAddress, out: &mut [u8]) -> Result<Number, Error> {
    let edits = layout.edits();
    let unknown = || Error::UnknownAddress { address: made.reader };
    // If code computes with an address of code, or accesses memory there, its further results may be wrong after a
    // change.
    if made.goes_on && layout.code_of(made.goal).is_some() && !edits.is_empty() {
        return Err(unknown());
    }
    let pc = layout.inst(code, made.reader).wrapping_add(made.pc.wrapping_sub(made.reader));
    let goal = layout.address(made.goal);
    let (old, new) = (made.goal.wrapping_sub(made.pc), goal.wrapping_sub(pc));
    if old == new {
        return Ok((old, new));
    }
    if !layout.is_loaded(made.goal) || made.parts.is_empty() {
        return Err(unknown());
    }
    for part in &made.parts {
        let at = layout.inst(code, part.address).wrapping_sub(layout.address(code.header.address)).wrapping_add(4);
        let at = usize::try_from(at).map_err(|_| unknown())?;
        let (low, high) = ((new as u32).wrapping_sub(part.bias), (new >> 32) as u32);
        let mut write = |at: usize, word: u32| {
            let to = out.get_mut(at..at.checked_add(4)?)?;
            to.copy_from_slice(&word.to_le_bytes());
            Some(())
        };
        let written = match part.kind {
            PartKind::Low => write(at, low),
            PartKind::High => write(at, high),
            PartKind::Whole => write(at, low).and_then(|()| write(at + 4, high)),
            PartKind::Less => write(at, (new as u32).wrapping_neg().wrapping_sub(part.bias)),
            PartKind::Fixed => (new as u32 == old as u32).then_some(()),
            PartKind::Sign => (new >> 32 == old >> 32).then_some(()),
        };
        written.ok_or_else(unknown)?;
        // A literal of 32 bits that is the only part is sign-extended.
        let is_alone = made.parts.len() == 1 && part.kind == PartKind::Low;
        if is_alone && i64::from(low as i32) != new as i64 {
            return Err(unknown());
        }
    }
    Ok((old, new))
}
