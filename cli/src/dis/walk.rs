//! Steps through a section, instruction by instruction, and recovers after bytes that are not one.

use std::ops::{ControlFlow, Range};

use super::Place;
use crate::isa::{Decoded, Decoder, Inst, Invalid};
use amdgpu_object::{Section, SymbolKind};

/// Calls `each` with the offset of every instruction and of every dword that is not one, starting at `from`, until it
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
    for function in functions(place.section, from) {
        let start = function.start;
        let code = place.section.bytes.get(function).unwrap_or_default();
        for Decoded { offset, inst: item } in Decoder::new(place.target_at(start), code) {
            each(start + offset, item.as_ref())?;
        }
    }
    ControlFlow::Continue(())
}

/// The offsets of functions, the first one starting at `from`.
pub fn functions<'a>(section: &'a Section<'a>, from: usize) -> impl Iterator<Item = Range<usize>> + 'a {
    let len = section.bytes.len();
    let from = from.min(len);
    let address = section.address.saturating_add(from as u64);
    let behind = section.symbols.partition_point(|s| s.address <= address);
    let starts = section.symbols.get(behind..).unwrap_or_default().iter().filter_map(move |symbol| {
        let offset = usize::try_from(symbol.address.checked_sub(section.address)?).ok()?;
        (offset % 4 == 0 && offset < len && symbol.kind != SymbolKind::Other).then_some(offset)
    });
    let mut start = from;
    starts.chain([len]).filter_map(move |end| {
        let function = start..end;
        start = end;
        (!function.is_empty()).then_some(function)
    })
}
