//! The addresses of all sections of a linked file.

use std::collections::BTreeMap;

use object::elf::SHN_ABS;

use super::Chunk;
use super::merged::{self, Moved};
use crate::elf::{EntrySection, SymbolEntry};
use crate::resolve::{DefinedIn, Referent, Symbol};

pub struct Layout {
    /// The addresses of sections that are not from the source, by name.
    pub addresses: BTreeMap<String, u64>,
    /// The addresses of the sections of the source; `indices` has the numbers of the file's sections that contain them.
    inputs: BTreeMap<usize, u64>,
    pub indices: BTreeMap<usize, u32>,
    /// The new offsets of the strings of merged sections.
    moved: BTreeMap<usize, Moved>,
}

impl Layout {
    pub fn of(chunks: &[Chunk], moved: BTreeMap<usize, Moved>) -> Layout {
        let mut layout =
            Layout { addresses: BTreeMap::new(), inputs: BTreeMap::new(), indices: BTreeMap::new(), moved };
        for (n, chunk) in chunks.iter().enumerate() {
            if chunk.is_made() {
                layout.addresses.insert(chunk.name.clone(), chunk.address);
            }
            for (input, start) in &chunk.inputs {
                layout.inputs.insert(*input, chunk.address + start);
                layout.indices.insert(*input, n as u32 + 1);
            }
        }
        layout
    }

    /// The address of an offset in a section of the source.
    fn place(&self, section: usize, offset: u64) -> u64 {
        let offset = self.moved.get(&section).map_or(offset, |moved| merged::place(moved, offset));
        self.inputs.get(&section).copied().unwrap_or(0).wrapping_add(offset)
    }

    pub fn value(&self, symbol: &Symbol) -> u64 {
        match symbol.at {
            DefinedIn::Section(section) => self.place(section, symbol.value),
            DefinedIn::Absolute => symbol.value,
            DefinedIn::Undefined | DefinedIn::Shared | DefinedIn::Common | DefinedIn::Group(_) => 0,
        }
    }

    /// The entry of a symbol of the source in a table of symbols, still without a name.
    pub fn entry(&self, symbol: &Symbol) -> SymbolEntry {
        let section = match symbol.at {
            DefinedIn::Absolute => EntrySection::Special(SHN_ABS),
            DefinedIn::Section(section) => EntrySection::Number(self.indices.get(&section).copied().unwrap_or(0)),
            DefinedIn::Undefined | DefinedIn::Shared | DefinedIn::Common | DefinedIn::Group(_) => {
                EntrySection::Number(0)
            }
        };
        SymbolEntry { value: self.value(symbol), ..SymbolEntry::of(symbol, section) }
    }

    /// The address that a relocation names: symbol or section plus addend.
    pub fn address(&self, of: Referent, addend: i64, symbols: &[Symbol]) -> u64 {
        match of {
            Referent::Section(section) => self.place(section, addend as u64),
            Referent::None => addend as u64,
            Referent::Symbol(n) => self.value(&symbols[n]).wrapping_add_signed(addend),
        }
    }
}
