//! Names for the places that branches go to.

use std::ops::ControlFlow;

use super::Place;
use super::walk::walk;
use crate::container::{Section, Symbol};
use crate::hex;

/// One bit for each dword, so that a section of any size costs a sixteenth of itself here.
struct Bits(Vec<u64>);

impl Bits {
    fn for_dwords(count: usize) -> Self {
        Bits(vec![0; count.div_ceil(64)])
    }

    fn set(&mut self, i: usize) {
        if let Some(word) = self.0.get_mut(i / 64) {
            *word |= 1 << (i % 64);
        }
    }

    fn get(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word >> (i % 64) & 1 != 0)
    }
}

impl Piece {
    /// The section's symbols that no line before the piece stands behind.
    pub fn symbols<'a>(&self, section: &'a Section<'a>) -> std::slice::Iter<'a, Symbol<'a>> {
        let before = self.before.map(|offset| section.address.saturating_add(offset as u64));
        let shown = section.symbols.partition_point(|s| before.is_some_and(|before| s.address <= before));
        section.symbols.get(shown..).unwrap_or_default().iter()
    }
}

pub struct Labels<'a> {
    section: &'a Section<'a>,
    /// Dwords that a branch goes to and that begin an instruction: a label elsewhere would have no line to stand on.
    wanted: Bits,
    /// Dwords that begin a line of the listing.
    begins: Bits,
}

/// Dwords of a piece of the listing.
const PIECE: usize = 8 * 1024;

/// A piece of a section: the lines that begin in some of its dwords.
pub struct Piece {
    /// Offset of the first line; behind the section if there is none.
    pub first: usize,
    /// Offset behind the last line's beginning.
    pub end: usize,
    /// Offset of the line before, if there is one.
    pub before: Option<usize>,
}

impl<'a> Labels<'a> {
    pub fn new(place: &'a Place<'a>) -> Self {
        let section = place.section;
        let dwords = section.bytes.len().div_ceil(4);
        let (mut wanted, mut begins) = (Bits::for_dwords(dwords), Bits::for_dwords(dwords));
        _ = walk(place, 0, |offset, item| {
            begins.set(offset / 4);
            let target = item.ok().and_then(|inst| inst.branch_target(section.address.wrapping_add(offset as u64)));
            if let Some(dword) = target.and_then(|t| dword(section, t)) {
                wanted.set(dword);
            }
            ControlFlow::Continue(())
        });
        wanted.0.iter_mut().zip(&begins.0).for_each(|(w, b)| *w &= b);
        Labels { section, wanted, begins }
    }

    pub fn pieces(&self) -> usize {
        self.section.bytes.len().div_ceil(4 * PIECE)
    }

    pub fn piece(&self, number: usize) -> Piece {
        let (start, end) = (number * PIECE, (number + 1) * PIECE);
        let last = self.section.bytes.len().div_ceil(4);
        let first = (start..last).find(|&dword| self.begins.get(dword)).unwrap_or(last);
        let before = (0..start).rev().find(|&dword| self.begins.get(dword));
        Piece { first: first * 4, end: end * 4, before: before.map(|dword| dword * 4) }
    }

    /// Whether the listing has a line for `address` that needs a name.
    pub fn is_wanted(&self, address: u64) -> bool {
        dword(self.section, address).is_some_and(|d| self.wanted.get(d))
    }

    /// Puts the name of `address` into `name`, if it is the place of a label or of a symbol.
    pub fn name(&self, address: u64, name: &mut Vec<u8>) -> bool {
        name.clear();
        if !self.is_wanted(address) {
            return false;
        }
        match self.before(address) {
            Some(symbol) if symbol.address == address => name.extend_from_slice(symbol.name.as_bytes()),
            _ => write_local(name, address),
        }
        true
    }

    /// Puts `<symbol+0x10>` down, as objdump prints beside a branch.
    pub fn relative(&self, address: u64, out: &mut Vec<u8>) {
        out.push(b'<');
        let symbol = self.before(address);
        if let Some(symbol) = symbol {
            out.extend_from_slice(symbol.name.as_bytes());
        }
        match address - symbol.map_or(0, |s| s.address) {
            0 if symbol.is_some() => {}
            offset => {
                out.extend_from_slice(if symbol.is_some() { b"+0x" } else { b"0x" });
                hex::lower(out, offset, 1);
            }
        }
        out.push(b'>');
    }

    /// The last symbol at or before an address; of several, the first by name.
    fn before(&self, address: u64) -> Option<&Symbol<'a>> {
        let symbols = &self.section.symbols;
        let last = symbols.partition_point(|s| s.address <= address).checked_sub(1)?;
        let at = symbols.get(last)?.address;
        symbols.get(symbols.partition_point(|s| s.address < at))
    }
}

pub fn write_local(out: &mut Vec<u8>, address: u64) {
    out.push(b'L');
    hex::lower(out, address, 1);
}

fn dword(section: &Section<'_>, address: u64) -> Option<usize> {
    let offset = usize::try_from(address.checked_sub(section.address)?).ok()?;
    (offset % 4 == 0 && offset < section.bytes.len()).then_some(offset / 4)
}
