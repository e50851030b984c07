//! The paths through a function: its blocks as rows of the listing, and their successors.

use amdgpu_isa::flow::{Exit, Flow};
use amdgpu_isa::{Inst, decode};

use super::CodeObject;
use super::file::Region;
use super::index::LABEL;

/// The size in bytes of the longest function whose paths are found. In a longer function, this would take seconds, so
/// only the rows before a row are searched, as long as each only leads to the next one.
const LONGEST: usize = 4 << 20;

/// A run of rows that execute one after the other.
pub struct Block {
    /// The first row, and the row after the last one.
    pub rows: (usize, usize),
    pub before: Vec<usize>,
    pub after: Vec<usize>,
    /// Whether code outside of the function leads here.
    pub is_entry: bool,
    /// Whether the block ends with a call. The called function runs before the next block.
    pub calls: bool,
}

/// The blocks of a region.
pub struct Paths {
    /// The beginning of the region in the code.
    start: usize,
    blocks: Vec<Block>,
}

impl Paths {
    /// The block with a row; `None` for rows to which no path leads.
    pub fn block_of(&self, row: usize) -> Option<usize> {
        let next = self.blocks.partition_point(|block| block.rows.0 <= row);
        let last = next.checked_sub(1)?;
        self.blocks.get(last).filter(|block| row < block.rows.1).map(|_| last)
    }

    pub fn block(&self, number: usize) -> Option<&Block> {
        self.blocks.get(number)
    }
}

impl CodeObject {
    /// Calls `look` with the paths through the region of a row, which are kept for the next call.
    pub fn with_paths<R>(&self, row: usize, look: impl FnOnce(&Paths) -> R) -> R {
        let (region, ..) = self.place(self.index.rows.get(row).copied().unwrap_or(0) & !LABEL);
        let mut kept = self.paths.borrow_mut();
        let paths = match kept.take().filter(|paths| paths.start == region.start) {
            Some(paths) => paths,
            None => self.paths(region),
        };
        let result = look(&paths);
        *kept = Some(paths);
        result
    }

    fn paths(&self, region: &Region) -> Paths {
        let code = self.code.get(region.start..region.end).filter(|code| code.len() <= LONGEST).unwrap_or_default();
        let flow = Flow::new(region.target, code, region.address, &[region.address]);
        let row_at = |address: u64| {
            let dword = (region.start as u64 + address.wrapping_sub(region.address)) / 4;
            self.index.rows.partition_point(|row| u64::from(row & !LABEL) < dword)
        };
        let block = |(number, block): (usize, &amdgpu_isa::flow::Block)| Block {
            rows: (row_at(block.start), row_at(block.end)),
            before: flow.predecessors(number).to_vec(),
            after: flow.successors(number).to_vec(),
            is_entry: block.is_entry,
            calls: matches!(block.exit, Exit::Call { .. }),
        };
        Paths { start: region.start, blocks: flow.blocks().iter().enumerate().map(block).collect() }
    }

    /// The instruction in a row.
    pub fn inst(&self, row: usize) -> Option<Inst> {
        let entry = self.index.rows.get(row).copied().filter(|entry| entry & LABEL == 0)?;
        let (region, _, bytes) = self.place(entry);
        decode(region.target, bytes).ok()
    }
}
