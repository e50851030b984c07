//! The addresses of a code object: its sections, symbols and pointers, and the arguments of its kernels.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::ops::Range;

use crate::{Name, elf};

/// A map from the addresses of a code object to the sections, symbols and values there. A relocatable code object has
/// no addresses yet, so its map has only the arguments of kernels.
#[derive(Clone, Debug, Default)]
pub struct AddressMap<'a> {
    /// Sections, in the order of their addresses.
    sections: Vec<Extent<'a>>,
    /// Symbols, in the order of their addresses.
    symbols: Vec<Extent<'a>>,
    /// The addresses of places that a loader fills in, in order, each with the value that the loader writes there.
    pub(crate) pointers: Vec<(u64, Pointer<'a>)>,
    /// The addresses among the values of `pointers`, in order.
    goals: Vec<u64>,
    /// The arguments of kernels by the kernels' names, in the order of their offsets.
    pub(crate) arguments: BTreeMap<Name<'a>, Vec<Argument<'a>>>,
}

/// The address, size and name of a section or a symbol.
#[derive(Clone, Debug)]
struct Extent<'a> {
    address: u64,
    size: u64,
    name: Name<'a>,
}

/// A value that the loader writes to a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Pointer<'a> {
    /// The address of a symbol, and the number added to it.
    Symbol(Name<'a>, i64),
    Address(u64),
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Argument<'a> {
    /// The argument's number in the list of the metadata, from 0.
    pub index: u64,
    /// The argument's name, or its kind (`hidden_…`) if the runtime adds it.
    pub name: Option<Name<'a>>,
    /// The offset from the beginning of the kernel's arguments, in bytes.
    pub offset: u64,
    /// The size in bytes.
    pub size: u64,
}

impl<'a> AddressMap<'a> {
    /// The map of a linked code object with its sections; the map of any other code object is empty. The caller adds
    /// symbols one by one, and then calls [`AddressMap::sort`].
    pub(crate) fn of(file: &elf::File<'a>, headers: &[elf::Section], names: &'a [u8]) -> AddressMap<'a> {
        let mut map = AddressMap::default();
        if file.kind == elf::ET_REL {
            return map;
        }
        let loaded = |section: &&elf::Section| section.is_loaded() && section.size > 0;
        let part = |section: &elf::Section| {
            let name = elf::text(names, section.name)?.into();
            Some(Extent { address: section.address, size: section.size, name })
        };
        map.sections = headers.iter().filter(loaded).filter_map(part).collect();
        map
    }

    pub(crate) fn symbol(
        &mut self,
        file: &elf::File<'_>,
        section: &elf::Section,
        symbol: &elf::Symbol,
        name: &'a [u8],
    ) {
        if file.kind != elf::ET_REL && section.is_loaded() {
            self.symbols.push(Extent { address: symbol.address, size: symbol.size, name: name.into() });
        }
    }

    pub(crate) fn sort(&mut self) {
        self.sections.sort_by_key(|part| part.address);
        // If several symbols are at an address, the first one by name is used, as in the listing. Duplicates are
        // removed, because global symbols are in both symbol tables.
        self.symbols.sort_by(|a, b| (a.address, a.name).cmp(&(b.address, b.name)));
        self.symbols.dedup_by(|a, b| (a.address, a.name) == (b.address, b.name));
        self.pointers.sort_by_key(|(address, _)| *address);
        let goals = self.pointers.iter().filter_map(|(_, pointer)| match pointer {
            Pointer::Address(goal) => Some(*goal),
            Pointer::Symbol(..) => None,
        });
        self.goals = goals.collect();
        self.goals.sort_unstable();
        self.goals.dedup();
    }

    /// The name of the symbol that contains an address, or else of the section, and the distance from its beginning in
    /// bytes.
    pub fn name(&self, address: u64) -> Option<(Name<'a>, i64)> {
        let of = |part: &Extent<'a>| (part.address, part.size);
        let section = before(&self.sections, address).filter(|part| address - part.address <= part.size)?;
        let symbol = before(&self.symbols, address).filter(|symbol| symbol.address >= section.address);
        let (start, size) = symbol.map_or((0, 0), of);
        // A symbol without a size extends to the next one.
        let part = symbol.filter(|_| address == start || size == 0 || address - start < size).unwrap_or(section);
        Some((part.name, (address - part.address) as i64))
    }

    /// The arguments of a kernel, in the order of their offsets; `None` if the metadata does not list the kernel's
    /// arguments.
    pub fn arguments(&self, kernel: Name<'_>) -> Option<&[Argument<'a>]> {
        self.arguments.get(kernel.as_bytes()).map(Vec::as_slice)
    }

    /// The addresses in `range` to which pointers lead, in order: values that the loader writes to any place, as far as
    /// the code object itself states them.
    pub fn pointees(&self, range: Range<u64>) -> &[u64] {
        let at = |address: u64| self.goals.partition_point(|goal| *goal < address);
        self.goals.get(at(range.start)..at(range.end)).unwrap_or_default()
    }

    /// The value that the loader writes to an address: the address of a symbol or section, and the number of bytes
    /// added to it.
    pub fn pointer(&self, address: u64) -> Option<(Name<'a>, i64)> {
        let found = self.pointers.binary_search_by_key(&address, |(address, _)| *address).ok()?;
        match &self.pointers.get(found)?.1 {
            Pointer::Address(goal) => self.name(*goal),
            Pointer::Symbol(name, addend) => Some((*name, *addend)),
        }
    }
}

/// The last part that begins at or before an address; of several parts that begin at the same address, the first by
/// name.
fn before<'p, 'a>(parts: &'p [Extent<'a>], address: u64) -> Option<&'p Extent<'a>> {
    let last = parts.partition_point(|part| part.address <= address).checked_sub(1)?;
    let at = parts.get(last)?.address;
    parts.get(parts.partition_point(|part| part.address < at))
}
