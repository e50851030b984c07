//! Which of the registers beyond v255 instructions access: follows what `s_set_vgpr_msb` sets through a section.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::Place;
use super::walk::walk;
use crate::isa::{Inst, Invalid, Opcode, VgprMsb};

/// What a section's code says about the upper bits of register numbers.
///
/// Where a function begins, and by the compiler's convention where paths meet, they are zero. If the code reaches a label with
/// something else, nothing is known there, and the text is the same.
pub struct Msb {
    /// Offsets of functions.
    starts: HashSet<usize>,
    /// What holds before the first line of each piece of the listing.
    pieces: Vec<VgprMsb>,
}

/// Where a walk is.
pub struct State<'a> {
    starts: &'a HashSet<usize>,
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
        let starts = place.section.functions(0).map(|function| function.start).collect();
        let (mut state, mut pieces) = (State { starts: &starts, msb: VgprMsb::UNKNOWN }, Vec::new());
        _ = walk(place, 0, |offset, item| {
            while pieces.len() * piece <= offset / 4 {
                pieces.push(state.msb);
            }
            state.step(offset, is_label(offset / 4), item);
            ControlFlow::Continue(())
        });
        Some(Msb { starts, pieces })
    }

    /// The walk through a piece of the listing.
    pub fn piece(&self, number: usize) -> State<'_> {
        State { starts: &self.starts, msb: self.pieces.get(number).copied().unwrap_or(VgprMsb::UNKNOWN) }
    }
}

impl State<'_> {
    /// What holds at an offset, before what is there: an instruction, or something behind which nothing is known.
    pub fn step(&mut self, offset: usize, label: bool, item: Result<&Inst, &Invalid>) -> VgprMsb {
        let msb = if label || self.starts.contains(&offset) { VgprMsb::ENTRY } else { self.msb };
        self.msb = match item {
            Ok(inst) if !inst.flags().no_fallthrough() => msb.after(inst),
            _ => VgprMsb::UNKNOWN,
        };
        msb
    }
}
