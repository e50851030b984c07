//! Which of the registers beyond v255 instructions access: follows what `s_set_vgpr_msb` sets through a section.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::Place;
use super::walk::{functions, walk};
use crate::isa::{Inst, Opcode, VgprMsb};

/// What a section's code says about the upper bits of register numbers.
///
/// Where a function begins, and by the compiler's convention where paths meet, they are zero. Labels that the code reaches
/// with something else are the exception: there nothing is known.
pub struct Msb {
    /// Offsets of functions.
    starts: HashSet<usize>,
    /// The dwords of these labels.
    unknown: HashSet<usize>,
    /// What holds before the first line of each piece of the listing.
    pieces: Vec<VgprMsb>,
}

/// Where a walk is.
pub struct State<'a> {
    of: &'a Msb,
    msb: VgprMsb,
}

impl Msb {
    /// `None` if no instruction sets the bits. `piece`: dwords of a piece.
    pub fn new(place: &Place<'_>, is_label: impl Fn(usize) -> bool, piece: usize) -> Option<Msb> {
        Opcode::SSetVgprMsb.encodings(place.target).next()?;
        let sets = walk(place, 0, |_, item| match item {
            Ok(inst) if inst.opcode() == Opcode::SSetVgprMsb => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        });
        sets.is_break().then_some(())?;
        let starts: HashSet<usize> = functions(place.section, 0).map(|function| function.start).collect();
        let mut all = Msb { starts, unknown: HashSet::new(), pieces: Vec::new() };
        // Each round finds labels that the code reaches with something else than zero, until there are no more.
        loop {
            let known = all.unknown.len();
            all.round(place, &is_label, piece);
            if all.unknown.len() == known {
                return Some(all);
            }
        }
    }

    fn round(&mut self, place: &Place<'_>, is_label: &impl Fn(usize) -> bool, piece: usize) {
        let section = place.section;
        self.pieces.clear();
        // `None`: nothing comes here from the line before.
        let mut before: Option<VgprMsb> = None;
        _ = walk(place, 0, |offset, item| {
            let (dword, label) = (offset / 4, is_label(offset / 4));
            if label && !self.starts.contains(&offset) && before.is_some_and(|before| before != VgprMsb::ENTRY) {
                self.unknown.insert(dword);
            }
            let msb = self.at(offset, label).or(before).unwrap_or(VgprMsb::UNKNOWN);
            while self.pieces.len() * piece <= dword {
                self.pieces.push(msb);
            }
            let Ok(inst) = item else {
                before = None;
                return ControlFlow::Continue(());
            };
            let address = section.address.wrapping_add(offset as u64);
            let target =
                inst.branch_target(address).and_then(|to| usize::try_from(to.checked_sub(section.address)?).ok());
            if let Some(target) = target.filter(|_| msb != VgprMsb::ENTRY) {
                self.unknown.insert(target / 4);
            }
            before = (!inst.flags().no_fallthrough()).then(|| msb.after(inst));
            ControlFlow::Continue(())
        });
    }

    /// What holds where a function begins or a label is.
    fn at(&self, offset: usize, label: bool) -> Option<VgprMsb> {
        let msb = if self.unknown.contains(&(offset / 4)) { VgprMsb::UNKNOWN } else { VgprMsb::ENTRY };
        (label || self.starts.contains(&offset)).then_some(msb)
    }

    /// The walk through a piece of the listing.
    pub fn piece(&self, number: usize) -> State<'_> {
        State { of: self, msb: self.pieces.get(number).copied().unwrap_or(VgprMsb::UNKNOWN) }
    }
}

impl State<'_> {
    /// What holds before the instruction at an offset.
    pub fn step(&mut self, offset: usize, label: bool, inst: &Inst) -> VgprMsb {
        let msb = self.of.at(offset, label).unwrap_or(self.msb);
        self.msb = if inst.flags().no_fallthrough() { VgprMsb::UNKNOWN } else { msb.after(inst) };
        msb
    }
}
