//! Tables of strings for debuggers, in which a linker keeps each string once.

use std::collections::{BTreeSet, HashMap};

use amdgpu_object::elf::{SHF_ALLOC, SHF_MERGE, SHF_STRINGS};
use twox_hash::XxHash3_64;

use super::Chunk;
use crate::resolve::{Image, Referent};

/// The number of parts into which LLVM's linker divides strings by their hashes, to use several cores. In each part,
/// strings keep their order.
const PARTS: usize = 32;

/// The old offset of each string in its section of the source, and its new offset in the file's section.
pub type Moved = Vec<(u64, u64)>;

/// Whether a section is a table of strings to which relocations refer. (References that are plain numbers would become
/// wrong.)
fn is_table(chunk: &Chunk, image: &Image) -> bool {
    let is_string = chunk.flags & (SHF_MERGE | SHF_STRINGS | SHF_ALLOC) == SHF_MERGE | SHF_STRINGS && chunk.entry == 1;
    let whole = |(n, _): &(usize, u64)| {
        let output = &image.sections[*n];
        output.relocations.is_empty() && output.section.align <= 1 && output.section.data.ends_with(&[0])
    };
    let inputs: BTreeSet<usize> = chunk.inputs.iter().map(|(n, _)| *n).collect();
    let mut relocations = image.sections.iter().flat_map(|output| &output.relocations);
    is_string
        && chunk.inputs.iter().all(whole)
        && relocations.any(|relocation| match relocation.of {
            Referent::Section(of) => inputs.contains(&of),
            Referent::Symbol(_) | Referent::None => false,
        })
}

/// Keeps each string of a table once, in the order of LLVM's linker. Returns the new offsets of the strings of each
/// input.
pub fn merge(chunk: &mut Chunk, image: &Image) -> Vec<(usize, Moved)> {
    if !is_table(chunk, image) {
        return Vec::new();
    }
    let mut parts = vec![Vec::new(); PARTS];
    let mut known: HashMap<&[u8], (usize, usize)> = HashMap::new();
    let mut strings = Vec::new();
    for (n, _) in &chunk.inputs {
        let mut old = 0;
        for string in image.sections[*n].section.data.split_inclusive(|byte| *byte == 0) {
            let (part, at) = *known.entry(string).or_insert_with(|| {
                let text = string.strip_suffix(&[0]).unwrap_or(string);
                // The number of the part is the highest five bits of the hash's lower half.
                let part = (XxHash3_64::oneshot(text) as u32 >> 27) as usize % PARTS;
                let at = parts[part].len();
                parts[part].extend_from_slice(string);
                (part, at)
            });
            strings.push((*n, old, part, at));
            old += string.len() as u64;
        }
    }
    let starts: Vec<usize> = (0..PARTS).map(|n| parts.iter().take(n).map(Vec::len).sum()).collect();
    let mut moved: Vec<(usize, Moved)> = chunk.inputs.iter().map(|(n, _)| (*n, Vec::new())).collect();
    let mut input = 0;
    for (n, old, part, at) in strings {
        while moved[input].0 != n {
            input += 1;
        }
        moved[input].1.push((old, (starts[part] + at) as u64));
    }
    chunk.data = parts.concat();
    chunk.len = chunk.data.len() as u64;
    chunk.inputs.iter_mut().for_each(|(_, start)| *start = 0);
    moved
}

/// The new offset of an old offset in a section.
pub fn place(moved: &Moved, offset: u64) -> u64 {
    let last = moved.partition_point(|(old, _)| *old <= offset).checked_sub(1).and_then(|n| moved.get(n));
    last.map_or(offset, |(old, new)| new + (offset - old))
}
