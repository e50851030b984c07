//! A walk through a section, instruction by instruction, which continues after bytes that are not an instruction.

use std::ops::ControlFlow;

use super::Place;
use crate::isa::{Decoded, Decoder, Inst, Invalid};

/// Calls `each` with the offset of every instruction, and of every dword that is not one, from `from` on, until `each`
/// breaks off. The lengths add up to the length of the section.
///
/// An instruction never reaches into the next function; words that seem to are padding or data. A walk that starts at
/// any instruction of the section gives the same steps from there on as a walk through the whole section.
#[inline(always)]
pub fn walk(
    place: &Place<'_>,
    from: usize,
    mut each: impl FnMut(usize, Result<&Inst, &Invalid>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for function in place.section.functions(from) {
        let start = function.start;
        let code = place.section.bytes.get(function).unwrap_or_default();
        for Decoded { offset, inst: item } in Decoder::new(place.target_at(start), code) {
            each(start + offset, item.as_ref())?;
        }
    }
    ControlFlow::Continue(())
}
