//! Rows of the listing, decoded when they become visible.

use std::fmt::Write as _;

use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Inst, VgprMsb, decode};
use serde::Serialize;

use super::CodeObject;
use super::file::Region;
use super::index::{LABEL, dword_at, row_of};
use super::origin::Origins;
use crate::explain::{Card, card};
use crate::refused;

#[derive(Serialize)]
pub struct Row {
    address: String,
    /// The name, if the row is a label.
    label: Option<String>,
    is_kernel: bool,
    target: &'static str,
    words: String,
    text: String,
    /// The row of the branch target, and the target's name, which is at the end of the text.
    to: Option<(usize, String)>,
    error: Option<String>,
}

impl Row {
    /// Whether the address, the name or the text contains a part, which is in lower case.
    pub fn holds(&self, part: &str) -> bool {
        let label = self.label.as_deref().unwrap_or_default();
        [&*self.address, label, &*self.text].iter().any(|text| text.to_lowercase().contains(part))
    }
}

/// An instruction, and its relations to others.
#[derive(Serialize)]
pub struct Detail {
    #[serde(flatten)]
    card: Card,
    #[serde(flatten)]
    origins: Origins,
}

impl CodeObject {
    pub fn row_at(&self, address: u64) -> Option<usize> {
        let dword = dword_at(&self.regions, address)?;
        // The row of a label comes before that of its instruction.
        let label = |row: usize| row.checked_sub(1).filter(|&before| self.index.rows[before] == dword | LABEL);
        row_of(&self.index.rows, dword).map(|row| label(row).unwrap_or(row))
    }

    pub fn row(&self, row: usize) -> Row {
        let entry = self.index.rows.get(row).copied().unwrap_or(0);
        let (region, address, bytes) = self.place(entry & !LABEL);
        let mut shown = Row {
            address: format!("{address:012X}"),
            label: None,
            is_kernel: false,
            target: region.target.name(),
            words: String::new(),
            text: String::new(),
            to: None,
            error: None,
        };
        if entry & LABEL != 0 {
            shown.is_kernel = region.is_kernel && region.address == address;
            shown.label = Some(self.name(address));
            return shown;
        }
        match decode(region.target, bytes) {
            Ok(inst) => self.show(row, &inst, address, &mut shown),
            Err(error) => {
                let word = word(bytes);
                shown.words = format!("{word:08X}");
                shown.text = format!(".long {word:#010x}");
                shown.error = Some(error.to_string());
            }
        }
        shown
    }

    fn show(&self, row: usize, inst: &Inst, address: u64, shown: &mut Row) {
        for word in inst.words() {
            let gap = if shown.words.is_empty() { "" } else { " " };
            let _ = write!(shown.words, "{gap}{word:08X}");
        }
        let dword = self.index.rows.get(row).copied().unwrap_or_default();
        let msb = self.index.banks.as_ref().map_or(VgprMsb::UNKNOWN, |banks| banks.at(u64::from(dword) * 4));
        shown.text = String::from_utf8_lossy(TextBuffer::new().print_with(inst, msb)).into_owned();
        let to = inst.branch_target(address).and_then(|to| Some((self.row_at(to)?, self.name(to))));
        if let Some((_, name)) = &to {
            // The label replaces the offset, which is always the last operand.
            let start = shown.text.rfind(' ').map_or(0, |space| space + 1);
            shown.text.replace_range(start.., name);
        }
        shown.to = to;
    }

    /// The facts about an instruction.
    pub fn about_row(&self, row: usize) -> Option<Detail> {
        let entry = self.index.rows.get(row).copied().filter(|entry| entry & LABEL == 0)?;
        let (region, _, bytes) = self.place(entry);
        Some(match decode(region.target, bytes) {
            Ok(inst) => Detail { card: card(&inst), origins: self.origins(row, &inst) },
            Err(error) => {
                Detail { card: refused::card(region.target, &[word(bytes)], error), origins: Origins::default() }
            }
        })
    }

    /// The region of a dword, its address, and the bytes from there on.
    pub fn place(&self, dword: u32) -> (&Region, u64, &[u8]) {
        let start = dword as usize * 4;
        let region = self.regions.partition_point(|region| region.start <= start).saturating_sub(1);
        let region = &self.regions[region];
        let bytes = self.code.get(start..region.end).unwrap_or_default();
        (region, region.address.wrapping_add((start - region.start) as u64), bytes)
    }

    fn name(&self, address: u64) -> String {
        let named = self.regions.iter().find(|region| region.address == address && !region.names.is_empty());
        named.and_then(|region| region.names.first().cloned()).unwrap_or_else(|| format!("L{address:x}"))
    }
}

fn word(bytes: &[u8]) -> u32 {
    let mut word = [0; 4];
    word.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    u32::from_le_bytes(word)
}
