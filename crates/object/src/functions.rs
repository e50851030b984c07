//! The functions of a section: the range of bytes of each function, and the lanes of the waves that run the function.

use core::ops::Range;

use amdgpu_isa::Target;

use crate::{Section, Symbol, SymbolKind};

impl<'a> Section<'a> {
    /// The pieces of the section that are decoded one by one, as ranges of offsets without gaps: the first begins at
    /// `from`, and each later one at a kernel or function whose offset is a multiple of four.
    ///
    /// An instruction never reaches into the next function: words that seem to reach into it are padding or data.
    ///
    /// ```
    /// use amdgpu_isa::{Decoder, Target};
    /// use amdgpu_object::{Error, Part, Section};
    ///
    /// /// How many instructions a section has.
    /// fn count(section: &Section<'_>, target: Target) -> usize {
    ///     let piece = |piece: std::ops::Range<usize>| {
    ///         // The waves of each function are its own.
    ///         let target = section.target_at(target, piece.start);
    ///         Decoder::new(target, &section.bytes[piece]).filter(|step| step.inst.is_ok()).count()
    ///     };
    ///     section.functions(0).map(piece).sum()
    /// }
    ///
    /// let file = include_bytes!("../../../tests/samples/gfx942/saxpy.co");
    /// amdgpu_object::visit(file, None, |part| {
    ///     if let Part::Image(image) = part {
    ///         assert_eq!(count(&image.sections[0], Target::Gfx942), 18);
    ///     }
    ///     Ok::<(), Error>(())
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    pub fn functions(&self, from: usize) -> impl Iterator<Item = Range<usize>> + use<'_, 'a> {
        let len = self.bytes.len();
        let from = from.min(len);
        let address = self.address.saturating_add(from as u64);
        let next = self.symbols.partition_point(|symbol| symbol.address <= address);
        let starts = self.symbols.get(next..).unwrap_or_default().iter().filter_map(move |symbol| {
            let offset = self.offset(symbol.address)?;
            (offset % 4 == 0 && offset < len && symbol.kind != SymbolKind::Other).then_some(offset)
        });
        let mut start = from;
        starts.chain([len]).filter_map(move |end| {
            let function = start..end;
            start = end;
            (!function.is_empty()).then_some(function)
        })
    }

    /// The lanes of the waves that run the code at an offset: as the last symbol at or before the offset states them
    /// or, if there is none, the first symbol after it. `None` if the file does not say.
    pub fn lanes_at(&self, offset: usize) -> Option<u16> {
        let address = self.address.saturating_add(offset as u64);
        let (before, after) = self.symbols.split_at(self.symbols.partition_point(|symbol| symbol.address <= address));
        before.last().or(after.first()).and_then(|symbol| symbol.lanes)
    }

    /// The target with as many lanes as [`Section::lanes_at`] states for an offset; `target` itself if `target` has no
    /// variant with this number of lanes.
    pub fn target_at(&self, target: Target, offset: usize) -> Target {
        self.lanes_at(offset).and_then(|lanes| target.with_wave_size(lanes)).unwrap_or(target)
    }

    /// All symbols in their order, each with the range of offsets of its bytes: as many as the symbol's size, or up to
    /// the next kernel or function if the size is 0. The range is `None` for a symbol outside of the section.
    pub fn extents(&self) -> impl Iterator<Item = (&Symbol<'a>, Option<Range<usize>>)> {
        let end = self.address.saturating_add(self.bytes.len() as u64);
        // The search for the function after a symbol begins at the function after the previous symbol.
        let mut next = 0;
        self.symbols.iter().map(move |symbol| {
            let is_next = |next: &Symbol<'_>| next.address > symbol.address && next.kind != SymbolKind::Other;
            while self.symbols.get(next).is_some_and(|other| !is_next(other)) {
                next += 1;
            }
            let stop = match symbol.size {
                0 => self.symbols.get(next).map_or(end, |next| next.address.min(end)),
                size => symbol.address.saturating_add(size).min(end),
            };
            let range = self.offset(symbol.address).zip(self.offset(stop));
            (symbol, range.map(|(from, to)| from..to).filter(|range| range.start <= range.end))
        })
    }

    fn offset(&self, address: u64) -> Option<usize> {
        usize::try_from(address.checked_sub(self.address)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::Name;

    fn symbol(address: u64, size: u64, kind: SymbolKind, lanes: Option<u16>) -> Symbol<'static> {
        Symbol { name: Name::from("name"), address, size, kind, lanes, descriptor: None }
    }

    /// A section with a label, a kernel with waves of 32 lanes, a label in this kernel, a kernel with waves of 64
    /// lanes, a function at an offset that is not a multiple of four, and a function outside of the section.
    fn section(bytes: &[u8]) -> Section<'_> {
        let mut section = Section::new(Name::from(".text"), 0x100, bytes);
        section.symbols = Vec::from([
            symbol(0x104, 0, SymbolKind::Other, Some(32)),
            symbol(0x108, 0, SymbolKind::Kernel, Some(32)),
            symbol(0x10c, 0, SymbolKind::Other, Some(32)),
            symbol(0x110, 4, SymbolKind::Kernel, Some(64)),
            symbol(0x116, 0, SymbolKind::Function, Some(64)),
            symbol(0x900, 4, SymbolKind::Function, Some(64)),
        ]);
        section
    }

    #[test]
    fn a_symbol_ends_at_the_next_function_or_at_the_end_of_the_section() {
        let mut section = section(&[0; 0x20]);
        section.symbols.insert(5, symbol(0x120, 0, SymbolKind::Other, None));
        let extents: Vec<_> = section.extents().map(|(_, range)| range).collect();
        let expected = [4..8, 8..0x10, 0xc..0x10, 0x10..0x14, 0x16..0x20, 0x20..0x20].map(Some);
        assert_eq!(extents[..6], expected);
        assert_eq!(extents[6..], [None]);
    }

    #[test]
    fn pieces_begin_with_functions() {
        let section = section(&[0; 0x20]);
        let pieces = |from| section.functions(from).collect::<Vec<_>>();
        assert_eq!(pieces(0), [0..8, 8..0x10, 0x10..0x20]);
        assert_eq!(pieces(0xc), [0xc..0x10, 0x10..0x20]);
        assert_eq!(pieces(0x20), []);
        assert_eq!(pieces(0x30), []);
    }

    #[test]
    fn each_function_has_its_own_waves() {
        let section = section(&[0; 0x20]);
        let lanes: Vec<_> = section.functions(0).map(|piece| section.lanes_at(piece.start)).collect();
        assert_eq!(lanes, [Some(32), Some(32), Some(64)]);
        assert_eq!(Section::new(Name::from(".text"), 0, &[0; 4]).lanes_at(0), None);
        // CDNA has no waves of 32 lanes.
        assert_eq!(section.target_at(Target::Gfx942, 8), Target::Gfx942);
    }

    #[test]
    fn code_goes_on_to_its_end_or_to_the_next_function() {
        let section = section(&[0; 0x20]);
        let extents: Vec<_> = section.extents().map(|(_, range)| range).collect();
        assert_eq!(extents, [Some(4..8), Some(8..16), Some(12..16), Some(16..20), Some(0x16..0x20), None]);
    }
}
