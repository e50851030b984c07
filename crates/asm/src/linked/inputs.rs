//! Sections of a linked file, from the sections of a source.

use std::collections::{BTreeSet, HashMap};

use amdgpu_object::elf::{SHF_EXCLUDE, SHF_GROUP, SHT_NOBITS};

use super::Chunk;
use crate::resolve::{DefinedIn, Image, Referent};

/// Prefixes of names: all sections with the same prefix become parts of one section.
const MERGED: [&str; 8] = [".data.rel.ro", ".text", ".rodata", ".data", ".bss.rel.ro", ".bss", ARRAYS[0], ARRAYS[1]];
/// Tables of functions. The number after the name is a priority: functions with smaller priorities come first.
const ARRAYS: [&str; 2] = [".init_array", ".fini_array"];

fn name(name: &str) -> &str {
    let is_of = |whole: &&&str| name.strip_prefix(**whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    MERGED.iter().find(is_of).copied().unwrap_or(name)
}

/// The numbers of the sections of the source, in their order. The sections of each table of functions are sorted by
/// their priorities.
fn order(image: &Image) -> Vec<usize> {
    let mut order: Vec<usize> = (0..image.sections.len()).collect();
    for table in ARRAYS {
        let named = |n: &usize| image.sections.get(*n).map_or("", |output| output.section.name.as_str());
        let places: Vec<usize> = order.iter().copied().filter(|n| name(named(n)) == table).collect();
        let mut sorted = places.clone();
        sorted.sort_by_key(|n| named(n).rsplit('.').next().and_then(|last| last.parse::<u32>().ok()).unwrap_or(65536));
        places.into_iter().zip(sorted).for_each(|(place, n)| order[place] = n);
    }
    order
}

/// Whether a table of frames ends with an entry without contents.
fn is_ended(frames: &[u8]) -> bool {
    let mut rest = frames;
    while let Some((len, after)) = rest.split_first_chunk::<4>() {
        match u32::from_le_bytes(*len) as usize {
            0 => return after.is_empty(),
            len => rest = after.get(len..).unwrap_or(&[]),
        }
    }
    false
}

/// The sections of the file, in the order of the source, without sections that are only for a linker.
pub fn inputs(image: &Image) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut places = HashMap::new();
    for n in order(image) {
        let output = &image.sections[n];
        let section = &output.section;
        if section.name == ".note.GNU-stack" || section.flags & SHF_EXCLUDE != 0 {
            continue;
        }
        let name = name(&section.name);
        let flags = section.flags & !SHF_GROUP;
        let at = *places.entry(name).or_insert_with(|| {
            chunks.push(Chunk::new(name, section.kind, flags, 1, section.entry, ""));
            chunks.len() - 1
        });
        let chunk = &mut chunks[at];
        chunk.flags |= flags;
        if chunk.entry != section.entry {
            chunk.entry = 0;
        }
        let start = chunk.len.next_multiple_of(section.align);
        if section.kind != SHT_NOBITS || chunk.kind != SHT_NOBITS {
            // A section without contents (NOBITS) becomes a section with contents when a section with contents is added
            // to it.
            chunk.kind = if chunk.kind == SHT_NOBITS { section.kind } else { chunk.kind };
            chunk.data.resize(start as usize, 0);
            chunk.data.extend(&section.data);
            chunk.data.resize((start + section.len) as usize, 0);
        }
        chunk.align = chunk.align.max(section.align);
        chunk.len = start + section.len;
        chunk.inputs.push((n, start));
    }
    // An entry without contents ends the table of frames. A table that already ends with one, as in the source of a
    // linked file, gets no second one.
    let is_unended =
        |chunk: &&mut Chunk| chunk.name == ".eh_frame" && chunk.kind != SHT_NOBITS && !is_ended(&chunk.data);
    for chunk in chunks.iter_mut().filter(is_unended) {
        chunk.data.extend([0; 4]);
        chunk.len += 4;
    }
    chunks.retain(|chunk| chunk.len > 0 || chunk.name != ".text" || is_named(chunk, image));
    chunks
}

/// Whether a symbol or a relocation names a place in one of the sections.
fn is_named(chunk: &Chunk, image: &Image) -> bool {
    let inputs: BTreeSet<usize> = chunk.inputs.iter().map(|(n, _)| *n).collect();
    let has = |section: usize| inputs.contains(&section);
    let mut relocations = image.sections.iter().flat_map(|output| &output.relocations);
    image.symbols.iter().any(|symbol| matches!(symbol.at, DefinedIn::Section(n) if has(n)))
        || relocations.any(|relocation| matches!(relocation.of, Referent::Section(n) if has(n)))
}
