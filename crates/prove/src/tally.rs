//! The counts of a proof, and the faults that were found.

use amdgpu_isa::layout::Layout;
use amdgpu_isa::{DecodeError, Format, Target};

use crate::check::{Fault, Words, bytes};

/// The number of faults that each thread keeps; further faults are only counted.
const KEPT: usize = 20;

/// The reasons for which words are refused, as the columns of the summary.
pub const REASONS: [&str; 4] = ["unknown opcode", "reserved bits", "reserved value", "unknown encoding"];

/// The counts of the words of one format.
#[derive(Clone, Copy, Default)]
pub struct Row {
    /// The number of words that are instructions.
    pub instructions: u64,
    /// The numbers of refused words, in the order of [`REASONS`].
    pub refused: [u64; 4],
}

/// Counts of one part of the proof.
#[derive(Clone)]
pub struct Tally {
    /// A row for each layout of the target, and one for words with unknown encoding bits.
    pub rows: Vec<Row>,
    /// The number of words tried.
    pub words: u64,
    /// The number of instructions decoded, including those with random dwords after the first.
    pub decoded: u64,
    /// The number of texts compared.
    pub texts: u64,
    /// The number of faults.
    pub faults: u64,
    /// The first faults, each with its words.
    pub kept: Vec<(Words, Fault)>,
}

impl Tally {
    /// A tally with all counts at 0.
    pub fn new(target: Target) -> Tally {
        let rows = vec![Row::default(); target.layouts().len() + 1];
        Tally { rows, words: 0, decoded: 0, texts: 0, faults: 0, kept: Vec::new() }
    }

    /// Adds the counts of another part.
    pub fn merge(&mut self, other: Tally) {
        for (mine, theirs) in self.rows.iter_mut().zip(other.rows) {
            mine.instructions += theirs.instructions;
            mine.refused.iter_mut().zip(theirs.refused).for_each(|(mine, theirs)| *mine += theirs);
        }
        self.words += other.words;
        self.decoded += other.decoded;
        self.texts += other.texts;
        self.faults += other.faults;
        self.kept.extend(other.kept);
    }

    /// Counts a fault, and keeps it if it is one of the first.
    #[cold]
    pub fn fault(&mut self, words: &Words, fault: Fault) {
        self.faults += 1;
        if self.kept.len() < KEPT {
            self.kept.push((*words, fault));
        }
    }

    /// Counts a word that was refused.
    #[inline(always)]
    pub fn refused(&mut self, row: usize, error: DecodeError) {
        let reason = match error {
            DecodeError::UnknownOpcode { .. } => 0,
            DecodeError::ReservedBits { .. } => 1,
            DecodeError::ReservedValue { .. } => 2,
            _ => 3,
        };
        if let Some(row) = self.rows.get_mut(row) {
            row.refused[reason] += 1;
        }
    }

    /// The first `wanted` faults as lines for `batch`, each after a line that states the fault.
    pub fn lines(&self, target: Target, wanted: usize) -> String {
        let line = |(words, fault): &(Words, Fault)| {
            let hex: String = bytes(words).iter().map(|byte| format!("{byte:02x}")).collect();
            format!("# {fault}\n{target}\t{hex}\n")
        };
        self.kept.iter().take(wanted).map(line).collect()
    }
}

/// The number of low bits of the first dword that are encoding bits in no format.
const UNTOLD: u8 = 14;

/// Finds the row of a word by its encoding bits.
pub struct Rows {
    of_top: Vec<u8>,
    of_format: Vec<u8>,
    none: u8,
}

impl Rows {
    pub fn new(target: Target) -> Rows {
        let layouts = target.layouts();
        let fixed = |layout: &Layout| {
            let bits = layout.fields.iter().filter(|field| field.lsb >= UNTOLD && field.lsb < 32);
            bits.filter_map(|f| Some((((1u32 << f.width) - 1) << f.lsb, u32::from(f.fixed?) << f.lsb)))
                .fold((0, 0), |(mask, value), (m, v)| (mask | m, value | v))
        };
        let all: Vec<(u32, u32)> = layouts.iter().map(fixed).collect();
        let none = layouts.len() as u8;
        let row = |top: u32| {
            let fits = |&(n, (mask, value)): &(usize, (u32, u32))| {
                mask != 0 && !layouts[n].extension && (top << UNTOLD) & mask == value
            };
            let best =
                all.iter().copied().enumerate().rev().filter(fits).max_by_key(|(_, (mask, _))| mask.count_ones());
            best.map_or(none, |(n, _)| n as u8)
        };
        let formats = layouts.iter().map(|layout| layout.format as usize + 1).max().unwrap_or(0);
        let number = |format| layouts.iter().position(|l| l.format as usize == format).map_or(none, |n| n as u8);
        Rows { of_top: (0..1 << (32 - UNTOLD)).map(row).collect(), of_format: (0..formats).map(number).collect(), none }
    }

    #[inline(always)]
    pub fn of_word(&self, word: u32) -> usize {
        self.of_top.get((word >> UNTOLD) as usize).copied().unwrap_or(self.none).into()
    }

    #[inline(always)]
    pub fn of_format(&self, format: Format) -> usize {
        self.of_format.get(format as usize).copied().unwrap_or(self.none).into()
    }
}
