//! Names for the places that branches go to.

use std::fmt::Write as _;

use super::Place;
use super::walk::{Item, Walk};
use crate::container::{Section, Symbol};

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

pub struct Labels<'a> {
    section: &'a Section<'a>,
    /// Dwords that a branch goes to and that begin an instruction: a label elsewhere would have no line to stand on.
    wanted: Bits,
}

impl<'a> Labels<'a> {
    pub fn new(place: &'a Place<'a>) -> Self {
        let section = place.section;
        let dwords = section.bytes.len().div_ceil(4);
        let (mut wanted, mut begins) = (Bits::for_dwords(dwords), Bits::for_dwords(dwords));
        for (offset, _, item) in Walk::new(place) {
            begins.set(offset / 4);
            let Item::Inst(inst) = item else { continue };
            let target = inst.branch_target(section.address.wrapping_add(offset as u64));
            if let Some(dword) = target.and_then(|t| dword(section, t)) {
                wanted.set(dword);
            }
        }
        wanted.0.iter_mut().zip(&begins.0).for_each(|(w, b)| *w &= b);
        Labels { section, wanted }
    }

    /// Whether the listing has a line for `address` that needs a name.
    pub fn is_wanted(&self, address: u64) -> bool {
        dword(self.section, address).is_some_and(|d| self.wanted.get(d))
    }

    /// Puts the name of `address` into `name`, if it is the place of a label or of a symbol.
    pub fn name(&self, address: u64, name: &mut String) -> bool {
        name.clear();
        if !self.is_wanted(address) {
            return false;
        }
        match self.before(address) {
            Some(symbol) if symbol.address == address => name.push_str(&symbol.name),
            _ => write_local(name, address),
        }
        true
    }

    /// Puts `<symbol+0x10>` into `name`, as objdump prints beside a branch.
    pub fn relative(&self, address: u64, name: &mut String) {
        name.clear();
        // Writing to a String cannot fail.
        let _ = match self.before(address) {
            Some(s) if s.address == address => write!(name, "<{}>", s.name),
            Some(s) => write!(name, "<{}+{:#x}>", s.name, address - s.address),
            None => write!(name, "<{address:#x}>"),
        };
    }

    /// The last symbol at or before an address; of several, the first by name.
    fn before(&self, address: u64) -> Option<&Symbol<'a>> {
        let symbols = &self.section.symbols;
        let last = symbols.partition_point(|s| s.address <= address).checked_sub(1)?;
        let at = symbols.get(last)?.address;
        symbols.get(symbols.partition_point(|s| s.address < at))
    }
}

pub fn write_local(name: &mut String, address: u64) {
    let _ = write!(name, "L{address:x}");
}

fn dword(section: &Section<'_>, address: u64) -> Option<usize> {
    let offset = usize::try_from(address.checked_sub(section.address)?).ok()?;
    (offset % 4 == 0 && offset < section.bytes.len()).then_some(offset / 4)
}
