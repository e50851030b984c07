//! The tables with which a loader finds symbols.

use std::collections::BTreeMap;

use amdgpu_object::elf::wide::SYMBOL;
use object::elf::{SHN_ABS, STB_GLOBAL, STB_WEAK, STV_DEFAULT, STV_PROTECTED, gnu_hash, hash};

use super::Chunk;
use crate::resolve::{At, Symbol};

/// The tables of functions that a loader calls, each with the tags of its address and its size.
const ARRAYS: [(&str, u64, u64); 3] = [(".preinit_array", 32, 33), (".init_array", 25, 27), (".fini_array", 26, 28)];

/// The tags of the tables of functions in a file, each with its value.
pub fn arrays(chunks: &[Chunk]) -> Vec<(u64, u64)> {
    let found = ARRAYS.iter().filter_map(|tags| Some((tags, chunks.iter().find(|chunk| chunk.name == tags.0)?)));
    found.flat_map(|((_, place, size), chunk)| [(*place, chunk.address), (*size, chunk.len)]).collect()
}

/// The dynamic symbols, in the order that GNU's hash table needs.
pub struct Dynamic {
    /// The numbers of the symbols in the image, undefined symbols first.
    order: Vec<usize>,
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
        seen.into_iter().partition(|n| symbols[*n].at == At::Undefined);
    let undefined = order.len();
    let buckets = (defined.len() as u32 / 4).max(1);
    defined.sort_by_key(|n| gnu_hash(symbols[*n].name.as_bytes()) % buckets);
    order.extend(defined);
    let names = order.iter().map(|n| (starts.get(n).copied().unwrap_or(0), symbols[*n].name.clone())).collect();
    Dynamic { order, undefined, names, strings, buckets }
}

impl Dynamic {
    /// The number of a symbol of the image in the table of dynamic symbols.
    pub fn number(&self, of: usize) -> Option<u32> {
        self.order.iter().position(|n| *n == of).map(|n| n as u32 + 1)
    }

    pub fn symbols_len(&self) -> usize {
        (self.order.len() + 1) * SYMBOL
    }

    pub fn symbols(&self, all: &[Symbol], value: impl Fn(usize) -> u64, indices: &BTreeMap<usize, u16>) -> Vec<u8> {
        let mut out = vec![0; SYMBOL];
        for (n, (name, _)) in self.order.iter().zip(&self.names) {
            let symbol = &all[*n];
            let section = match symbol.at {
                At::Section(section) => indices.get(&section).copied().unwrap_or(0),
                At::Absolute => SHN_ABS,
                At::Undefined | At::Shared | At::Common | At::Group(_) => 0,
            };
            out.extend(name.to_le_bytes());
            out.extend([symbol.bind << 4 | symbol.kind, symbol.visibility]);
            out.extend(section.to_le_bytes());
            out.extend(value(*n).to_le_bytes());
            out.extend(symbol.size.to_le_bytes());
        }
        out
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
