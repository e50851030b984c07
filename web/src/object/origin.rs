//! Where the values come from that an instruction reads, and which operations a wait waits for: as far as the code in front of
//! it says without a branch in between.

use amdgpu_isa::facts::{Counter, Flag};
use amdgpu_isa::{Inst, decode};
use serde::Serialize;

use super::CodeObject;
use super::index::LABEL;
use crate::registers;

/// How many rows are looked at.
const FAR: usize = 400;

/// An earlier instruction, and what of it matters: registers, or a counter.
#[derive(Serialize)]
pub struct Origin {
    row: usize,
    address: String,
    what: String,
    mnemonic: &'static str,
}

impl CodeObject {
    /// The last writers of what the instruction of a row reads, the nearest first.
    pub fn sources(&self, row: usize, inst: &Inst) -> Vec<Origin> {
        let mut wanted = inst.reads();
        let mut found = Vec::new();
        for (row, earlier) in self.before(row) {
            if wanted.is_empty() {
                break;
            }
            let writes = earlier.writes();
            if wanted.intersects(&writes) {
                found.push(self.origin(row, &earlier, registers::text(wanted & writes)));
                wanted = wanted - writes;
            }
        }
        found
    }

    /// The operations that are done when a wait is over, and that no wait in between has waited for; the nearest first.
    pub fn awaited(&self, row: usize, inst: &Inst) -> Vec<Origin> {
        let waits = inst.waits();
        let counters = Counter::ALL.iter().filter_map(|counter| Some((*counter, usize::from(waits.get(*counter)?))));
        counters.flat_map(|(counter, left)| self.outstanding(row, counter).into_iter().skip(left)).collect()
    }

    /// The operations that have raised a counter and can be outstanding at a row, the nearest first.
    fn outstanding(&self, row: usize, counter: Counter) -> Vec<Origin> {
        let mut found = Vec::new();
        let mut most = usize::MAX;
        for (row, earlier) in self.before(row) {
            // What an earlier wait has left of the operations before it.
            if let Some(left) = earlier.waits().get(counter) {
                most = most.min(found.len() + usize::from(left));
            }
            if found.len() >= most {
                break;
            }
            if earlier.counters().contains(counter) {
                found.push(self.origin(row, &earlier, counter.to_string()));
            }
        }
        found
    }

    fn origin(&self, row: usize, inst: &Inst, what: String) -> Origin {
        let (_, address, _) = self.place(self.index.rows.get(row).copied().unwrap_or(0));
        Origin { row, address: format!("{address:X}"), what, mnemonic: inst.mnemonic() }
    }

    /// The instructions before a row, backwards, as long as each can only be followed by the next.
    fn before(&self, row: usize) -> impl Iterator<Item = (usize, Inst)> {
        let rows = &self.index.rows;
        let nearest = (row.saturating_sub(FAR)..row).rev();
        let of = move |row: usize| {
            let entry = rows.get(row).copied().filter(|entry| entry & LABEL == 0)?;
            let (region, _, bytes) = self.place(entry);
            let inst = decode(region.target, bytes).ok()?;
            // A called function writes and waits as it likes.
            let flags = inst.flags();
            (!flags.contains(Flag::NoFallthrough) && !flags.contains(Flag::Call)).then_some((row, inst))
        };
        nearest.map_while(of)
    }
}
