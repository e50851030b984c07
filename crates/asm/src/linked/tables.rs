//! The tables with which a loader finds symbols.

use std::collections::BTreeMap;

use amdgpu_object::elf::wide::{RELOCATION, SYMBOL};
use amdgpu_object::relocation_kinds::RELATIVE64;
use object::elf::{
    DT_FINI_ARRAY, DT_FINI_ARRAYSZ, DT_INIT_ARRAY, DT_INIT_ARRAYSZ, DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ,
};
use object::elf::{DT_GNU_HASH, DT_HASH, DT_NULL, DT_RELA, DT_RELACOUNT, DT_RELAENT, DT_RELASZ, DT_STRSZ, DT_STRTAB};
use object::elf::{DT_SYMENT, DT_SYMTAB, STB_GLOBAL, STB_WEAK, STV_DEFAULT, STV_PROTECTED, gnu_hash, hash};

use super::layout::Layout;
use super::{Chunk, RELOCATIONS};
use crate::elf::{SymbolEntry, symbol_table};
use crate::resolve::{DefinedIn, Symbol};

/// The tables of functions that a loader calls, each with the tags of its address and its size.
const ARRAYS: [(&str, i64, i64); 3] = [
    (".preinit_array", DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ),
    (".init_array", DT_INIT_ARRAY, DT_INIT_ARRAYSZ),
    (".fini_array", DT_FINI_ARRAY, DT_FINI_ARRAYSZ),
];

/// The tags of the tables of functions in a file, each with its value.
pub fn arrays(chunks: &[Chunk]) -> Vec<(i64, u64)> {
    let found = ARRAYS.iter().filter_map(|tags| Some((tags, chunks.iter().find(|chunk| chunk.name == tags.0)?)));
    found.flat_map(|((_, place, size), chunk)| [(*place, chunk.address), (*size, chunk.len)]).collect()
}

/// The number of tags in the table that a loader reads first, including the tag that ends it.
pub fn tags(chunks: &[Chunk], has_relocations: bool, has_relative: bool) -> usize {
    7 + arrays(chunks).len() + if has_relocations { 3 + usize::from(has_relative) } else { 0 }
}

/// The table that a loader reads first: tags, each with an address or a size. `arrays` are the tags of tables of
/// functions.
pub fn dynamic(layout: &Layout, dynamic: &Dynamic, loaded: u64, relative: u64, arrays: Vec<(i64, u64)>) -> Vec<u8> {
    let address = |name: &str| layout.addresses.get(name).copied().unwrap_or(0);
    let mut tags = Vec::new();
    if loaded > 0 {
        let size = loaded * RELOCATION as u64;
        tags.extend([(DT_RELA, address(RELOCATIONS)), (DT_RELASZ, size), (DT_RELAENT, RELOCATION as u64)]);
        tags.extend((relative > 0).then_some((DT_RELACOUNT, relative)));
    }
    tags.extend([(DT_SYMTAB, address(".dynsym")), (DT_SYMENT, SYMBOL as u64)]);
    tags.extend([(DT_STRTAB, address(".dynstr")), (DT_STRSZ, dynamic.strings.len() as u64)]);
    tags.extend([(DT_GNU_HASH, address(".gnu.hash")), (DT_HASH, address(".hash"))]);
    tags.extend(arrays);
    tags.push((DT_NULL, 0));
    tags.iter().flat_map(|(tag, value)| [*tag as u64, *value]).flat_map(u64::to_le_bytes).collect()
}

/// The table of relocations for the loader, as LLVM's linker sorts it. A relocation is an address, a kind, a symbol and
/// an addend.
pub fn relocations(loaded: Vec<(u64, u32, u32, i64)>) -> Vec<u8> {
    let is_relative = |(_, kind, ..): &(u64, u32, u32, i64)| *kind == RELATIVE64;
    let (mut relative, mut others): (Vec<_>, Vec<_>) = loaded.into_iter().partition(is_relative);
    relative.sort_by_key(|(place, ..)| *place);
    others.sort_by_key(|(place, _, symbol, _)| (*symbol, *place));
    let all = relative.into_iter().chain(others);
    let words = |(place, kind, symbol, addend)| [place, u64::from(symbol) << 32 | u64::from(kind), addend as u64];
    all.flat_map(words).flat_map(u64::to_le_bytes).collect()
}

/// The dynamic symbols, in the order that GNU's hash table needs.
pub struct Dynamic {
    /// The numbers of the symbols in the image, undefined symbols first.
    order: Vec<usize>,
    /// The number of each symbol in the table, by its number in the image.
    numbers: BTreeMap<usize, u32>,
    undefined: usize,
    names: Vec<(u32, String)>,
    pub strings: Vec<u8>,
    buckets: u32,
}

pub fn dynamic_symbols(symbols: &[Symbol]) -> Dynamic {
    let is_seen = |symbol: &Symbol| {
        [STB_GLOBAL, STB_WEAK].contains(&symbol.bind) && [STV_DEFAULT, STV_PROTECTED].contains(&symbol.visibility)
    };
    let seen: Vec<usize> = (0..symbols.len()).filter(|n| is_seen(&symbols[*n])).collect();
    // The names in the table of strings keep the order of the source.
    let (mut starts, mut strings) = (BTreeMap::new(), vec![0]);
    for n in &seen {
        starts.insert(*n, strings.len() as u32);
        strings.extend(symbols[*n].name.as_bytes());
        strings.push(0);
    }
    let (mut order, mut defined): (Vec<usize>, Vec<usize>) =
        seen.into_iter().partition(|n| symbols[*n].at == DefinedIn::Undefined);
    let undefined = order.len();
    let buckets = (defined.len() as u32 / 4).max(1);
    defined.sort_by_key(|n| gnu_hash(symbols[*n].name.as_bytes()) % buckets);
    order.extend(defined);
    let names = order.iter().map(|n| (starts.get(n).copied().unwrap_or(0), symbols[*n].name.clone())).collect();
    let numbers = order.iter().copied().zip(1..).collect();
    Dynamic { order, numbers, undefined, names, strings, buckets }
}

impl Dynamic {
    /// The number of a symbol of the image in the table of dynamic symbols.
    pub fn number(&self, of: usize) -> Option<u32> {
        self.numbers.get(&of).copied()
    }

    pub fn symbols_len(&self) -> usize {
        (self.order.len() + 1) * SYMBOL
    }

    pub fn symbols(&self, all: &[Symbol], layout: &Layout) -> Vec<u8> {
        let entry = |(n, (name, _)): (&usize, &(u32, String))| SymbolEntry { name: *name, ..layout.entry(&all[*n]) };
        symbol_table(&self.order.iter().zip(&self.names).map(entry).collect::<Vec<_>>()).0
    }

    /// The hash table of System V: buckets and chains.
    pub fn hash(&self) -> Vec<u8> {
        let count = self.order.len() + 1;
        let (mut buckets, mut chains) = (vec![0u32; count], vec![0u32; count]);
        for (n, (_, name)) in self.names.iter().enumerate() {
            let bucket = hash(name.as_bytes()) as usize % count;
            chains[n + 1] = std::mem::replace(&mut buckets[bucket], n as u32 + 1);
        }
        let head = [count as u32, count as u32];
        head.iter().chain(&buckets).chain(&chains).flat_map(|n| n.to_le_bytes()).collect()
    }

    /// GNU's hash table: a filter, buckets, and the hashes of the defined symbols.
    pub fn gnu_hash(&self) -> Vec<u8> {
        const SHIFT: u32 = 26;
        let defined = self.names.get(self.undefined..).unwrap_or(&[]);
        let words = (defined.len() * 12 / 64 + 1).next_power_of_two();
        let (mut filter, mut buckets) = (vec![0u64; words], vec![0u32; self.buckets as usize]);
        let hashes: Vec<u32> = defined.iter().map(|(_, name)| gnu_hash(name.as_bytes())).collect();
        let mut values = Vec::new();
        for (n, hash) in hashes.iter().enumerate() {
            filter[*hash as usize / 64 % words] |= 1 << (hash % 64) | 1 << ((hash >> SHIFT) % 64);
            let bucket = hash % self.buckets;
            let first = &mut buckets[bucket as usize];
            if *first == 0 {
                *first = (self.undefined + 1 + n) as u32;
            }
            let is_last = hashes.get(n + 1).is_none_or(|next| next % self.buckets != bucket);
            values.push(hash & !1 | u32::from(is_last));
        }
        let head = [self.buckets, self.undefined as u32 + 1, words as u32, SHIFT];
        let mut out: Vec<u8> = head.iter().flat_map(|n| n.to_le_bytes()).collect();
        out.extend(filter.iter().flat_map(|n| n.to_le_bytes()));
        out.extend(buckets.iter().chain(&values).flat_map(|n| n.to_le_bytes()));
        out
    }
}
