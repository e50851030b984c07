//! The upper bits of the numbers of vector registers in a section's code.

use std::ops::ControlFlow;

use super::Place;
use super::walk::walk;
use crate::isa::{Banks, BanksBuilder, Opcode, Purpose};

/// The upper bits in a section, by offset; `None` if no instruction sets them.
pub fn banks(place: &Place<'_>) -> Option<Banks> {
    Opcode::has_purpose(place.target, Purpose::VgprMsb).then_some(())?;
    let mut builder = BanksBuilder::default();
    _ = walk(place, 0, |offset, item| {
        builder.step(offset as u64, item.ok());
        ControlFlow::Continue(())
    });
    builder.finish(place.section.functions(0).map(|function| function.start as u64))
}
