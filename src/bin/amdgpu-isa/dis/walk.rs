//! Steps through a section, instruction by instruction, and finds its feet again after what is none.

use super::Place;
use crate::container::SymbolKind;
use crate::isa::{self, DecodeError, Inst};

pub enum Item {
    Inst(Inst),
    /// A dword that begins no instruction.
    Word(DecodeError),
    /// Fewer than four bytes at the end of a section.
    Tail,
}

/// Yields `(offset in bytes, length in bytes, item)`; the lengths add up to the section.
pub struct Walk<'a> {
    place: &'a Place<'a>,
    at: usize,
    /// An instruction does not reach into the next function: what looks like it is padding or data.
    end: usize,
    /// Index of the first symbol behind `at`.
    next_symbol: usize,
}

impl<'a> Walk<'a> {
    pub fn new(place: &'a Place<'a>) -> Self {
        Walk { place, at: 0, end: 0, next_symbol: 0 }
    }

    fn next_function(&mut self) -> usize {
        let section = self.place.section;
        while let Some(symbol) = section.symbols.get(self.next_symbol) {
            let offset = symbol.address.checked_sub(section.address).and_then(|o| usize::try_from(o).ok());
            match offset {
                Some(o) if o > self.at && o % 4 == 0 && symbol.kind != SymbolKind::Other => {
                    return o.min(section.bytes.len());
                }
                _ => self.next_symbol += 1,
            }
        }
        section.bytes.len()
    }
}

impl Iterator for Walk<'_> {
    type Item = (usize, usize, Item);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.place.section.bytes;
        if self.at >= bytes.len() {
            return None;
        }
        if self.at >= self.end {
            self.end = self.next_function();
        }
        let at = self.at;
        let rest = bytes.get(at..self.end).unwrap_or_default();
        let (length, item) = match isa::decode(self.place.target, rest) {
            // A decoder that claims more than it got, or nothing, would make the walk leave the bytes or stand still.
            Ok(inst) => (inst.len().clamp(1, rest.len()), Item::Inst(inst)),
            Err(_) if rest.len() < 4 => (rest.len(), Item::Tail),
            Err(error) => (4, Item::Word(error)),
        };
        self.at += length;
        Some((at, length, item))
    }
}
