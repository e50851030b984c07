//! The index of the listing: the beginning of each row. One pass over the code makes it, and it takes four bytes for
//! each row.

use amdgpu_isa::flow::{Banks, BanksBuilder};
use amdgpu_isa::{Decoded, Decoder};

use super::arrows::{self, Arrow};
use super::file::Region;

/// The bit that marks a row as a label. The other bits are the number of the dword.
pub const LABEL: u32 = 1 << 31;

pub struct Index {
    pub rows: Vec<u32>,
    pub instructions: usize,
    /// The numbers of the dwords of each branch and of its target.
    pub branches: Vec<(u32, u32)>,
    pub arrows: Vec<Arrow>,
    /// The upper bits of the numbers of vector registers, if the code sets them. They are found by the place of an
    /// instruction in the code of all sections together.
    pub banks: Option<Banks>,
}

impl Index {
    pub fn new(code: &[u8], regions: &[Region]) -> Index {
        let (mut begins, mut branches, mut banks) = (Vec::new(), Vec::new(), BanksBuilder::default());
        for region in regions {
            for Decoded { offset, inst } in Decoder::new(region.target, &code[region.start..region.end]) {
                let dword = ((region.start + offset) / 4) as u32;
                begins.push(dword);
                banks.step(u64::from(dword) * 4, inst.as_ref().ok());
                let pc = region.address.wrapping_add(offset as u64);
                let target = inst.ok().and_then(|inst| inst.branch_target(pc));
                if let Some(to) = target.and_then(|target| dword_at(regions, target)) {
                    branches.push((dword, to));
                }
            }
        }
        // Only the first dword of a row can have a label.
        branches.retain(|(_, to)| begins.binary_search(to).is_ok());
        let rows = with_labels(&begins, &branches, regions);
        let row = |dword: u32| row_of(&rows, dword).map(|row| row as u32);
        let ends = branches.iter().filter_map(|&(from, to)| Some((row(from)?, row(to)?)));
        let arrows = arrows::in_lanes(ends.collect());
        let banks = banks.finish(regions.iter().map(|region| region.start as u64));
        Index { rows, instructions: begins.len(), branches, arrows, banks }
    }
}

/// The row of an instruction.
pub fn row_of(rows: &[u32], dword: u32) -> Option<usize> {
    // A label comes before its instruction, with the same number.
    rows.binary_search_by_key(&(dword, true), |row| (row & !LABEL, row & LABEL == 0)).ok()
}

/// The number of the dword at an address.
pub fn dword_at(regions: &[Region], address: u64) -> Option<u32> {
    let size = |region: &Region| (region.end - region.start) as u64;
    let region =
        regions.iter().rev().find(|r| address.checked_sub(r.address).is_some_and(|offset| offset < size(r)))?;
    let offset = region.start as u64 + (address - region.address);
    offset.is_multiple_of(4).then_some((offset / 4) as u32)
}

fn with_labels(begins: &[u32], branches: &[(u32, u32)], regions: &[Region]) -> Vec<u32> {
    let named = regions.iter().filter(|region| !region.names.is_empty()).map(|region| (region.start / 4) as u32);
    let mut labels: Vec<u32> = branches.iter().map(|(_, to)| *to).chain(named).collect();
    labels.sort_unstable();
    labels.dedup();
    let mut rows = Vec::with_capacity(begins.len() + labels.len());
    let mut labels = labels.into_iter().peekable();
    for &dword in begins {
        rows.extend(labels.next_if(|label| *label <= dword).map(|label| label | LABEL));
        rows.push(dword);
    }
    rows
}
