//! Kernel descriptors of version 2 and of Mesa, `amd_kernel_code_t`, each of which precedes its kernel in the code.

use alloc::vec::Vec;
use core::ops::Range;
use core::{iter, mem};

use crate::Section;

/// The size of `amd_kernel_code_t` in bytes.
const KERNEL_CODE: u64 = 256;
/// The offsets of the bytes of the field `kernel_code_entry_byte_offset`.
const KERNEL_CODE_ENTRY: Range<usize> = 16..24;
/// The first bytes of the descriptor: the major version 1. `KERNEL_CODE_MACHINE` is the kind of machine that is an AMD
/// GPU.
const KERNEL_CODE_MAJOR: [u8; 4] = [1, 0, 0, 0];
const KERNEL_CODE_MACHINE: [u8; 2] = [1, 0];
/// The offset in bytes of the field `wavefront_size`, which is the base-2 logarithm of the lanes.
const KERNEL_CODE_WAVE: usize = 103;

/// The `len` bytes of a section from an address on.
fn at_address<'a>(section: &Section<'a>, address: u64, len: u64) -> Option<&'a [u8]> {
    let from = usize::try_from(address.checked_sub(section.address)?).ok()?;
    section.bytes.get(from..from.checked_add(usize::try_from(len).ok()?)?)
}

/// The address of a kernel's code and its lanes, from the descriptor at an address to which the kernel's symbol points.
pub fn kernel_code(section: &Section<'_>, address: u64) -> Option<(u64, Option<u16>)> {
    let descriptor = at_address(section, address, KERNEL_CODE)?;
    if !descriptor.starts_with(&KERNEL_CODE_MAJOR) || descriptor.get(8..10)? != KERNEL_CODE_MACHINE {
        return None;
    }
    let entry = u64::from_le_bytes(descriptor.get(KERNEL_CODE_ENTRY)?.try_into().ok()?);
    let lanes = match descriptor.get(KERNEL_CODE_WAVE)? {
        5 => Some(32),
        6 => Some(64),
        _ => None,
    };
    let end = section.address.saturating_add(section.bytes.len() as u64);
    let start = address.checked_add(entry).filter(|start| entry >= KERNEL_CODE && *start <= end)?;
    Some((start, lanes))
}

/// Takes the descriptors, which are data, out of the sections: each run of code without descriptors becomes a section.
pub fn split(sections: &mut Vec<Section<'_>>, descriptors: Vec<Vec<Range<u64>>>) {
    if descriptors.iter().all(Vec::is_empty) {
        return;
    }
    let mut pieces = Vec::new();
    for (section, mut holes) in mem::take(sections).into_iter().zip(descriptors) {
        holes.sort_by_key(|hole| hole.start);
        let end = section.address.saturating_add(section.bytes.len() as u64);
        let mut symbols = section.symbols.into_iter().peekable();
        let mut from = section.address;
        for hole in holes.into_iter().chain(iter::once(end..end)) {
            let offsets = usize::try_from(from - section.address)
                .ok()
                .zip(usize::try_from(hole.start.max(from) - section.address).ok());
            let bytes = offsets.and_then(|(from, to)| section.bytes.get(from..to)).unwrap_or_default();
            // A symbol that points into a descriptor does not name code.
            while symbols.next_if(|symbol| symbol.address < from).is_some() {}
            let mut its = Vec::new();
            while let Some(symbol) = symbols.next_if(|symbol| symbol.address < hole.start) {
                its.push(symbol);
            }
            if !bytes.is_empty() {
                let (name, relocations) = (section.name, section.relocations.clone());
                pieces.push(Section { name, address: from, bytes, symbols: its, relocations, filled: None });
            }
            from = from.max(hole.end);
        }
    }
    *sections = pieces;
}
