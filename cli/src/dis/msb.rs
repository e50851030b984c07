//! The upper bits of register numbers: follows the settings of `s_set_vgpr_msb` through a section.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::Place;
use super::walk::walk;
use crate::isa::{Inst, Invalid, Opcode, Purpose, VgprMsb};

/// The upper bits of register numbers in a section's code.
///
/// They are zero at the beginning of a function and, by the compiler's convention, where paths meet. At a label that
/// the code reaches with other bits they are unknown, and registers are shown as without them.
pub struct Msb {
    /// Offsets of functions.
    starts: HashSet<usize>,
    /// The bits before the first line of each piece of the listing.
    pieces: Vec<VgprMsb>,
}

/// The position of a walk.
pub struct State<'a> {
    starts: &'a HashSet<usize>,
    msb: VgprMsb,
}

impl Msb {
    /// Follows the section; `None` if no instruction sets the bits. `piece` is the number of dwords of a piece.
    pub fn new(place: &Place<'_>, is_label: impl Fn(usize) -> bool, piece: usize) -> Option<Msb> {
        Opcode::has_purpose(place.target, Purpose::VgprMsb).then_some(())?;
        let sets = walk(place, 0, |_, item| match item {
            Ok(inst) if inst.opcode().purpose() == Some(Purpose::VgprMsb) => ControlFlow::Break(()),
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
    /// The bits before the instruction at an offset. After data they are unknown.
    pub fn step(&mut self, offset: usize, label: bool, item: Result<&Inst, &Invalid>) -> VgprMsb {
        let msb = if label || self.starts.contains(&offset) { VgprMsb::ENTRY } else { self.msb };
        self.msb = match item {
            Ok(inst) if !inst.flags().no_fallthrough() => msb.after(inst),
            _ => VgprMsb::UNKNOWN,
        };
        msb
    }
}
