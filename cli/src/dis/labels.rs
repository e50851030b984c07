//! Labels: names for the targets of branches.

use std::ops::{ControlFlow, Range};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::thread;

use amdgpu_explain::hex;

use super::Place;
use super::pieces;
use super::provenance::{Found, Note, Watch};
use super::walk::walk;
use crate::escape;
use amdgpu_object::{Section, Symbol};

/// A set of the dwords of a section, with one bit for each dword. Two sets take a sixteenth of the size of their
/// section. All cores set bits at the same time.
struct Bits(Vec<AtomicU64>);

impl Bits {
    fn for_dwords(count: usize) -> Self {
        Bits((0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect())
    }

    fn set(&self, i: usize) {
        self.add(i / 64, 1 << (i % 64));
    }

    /// Sets bits in a 64-bit word.
    fn add(&self, word: usize, bits: u64) {
        if let Some(word) = self.0.get(word) {
            word.fetch_or(bits, Relaxed);
        }
    }

    fn get(&self, i: usize) -> bool {
        self.0.get(i / 64).is_some_and(|word| word.load(Relaxed) >> (i % 64) & 1 != 0)
    }
}

impl Piece {
    /// The symbols of the section after the address of the last line before the piece.
    pub fn symbols<'a>(&self, section: &'a Section<'a>) -> std::slice::Iter<'a, Symbol<'a>> {
        let before = self.before.map(|offset| section.address.saturating_add(offset as u64));
        let shown = section.symbols.partition_point(|s| before.is_some_and(|before| s.address <= before));
        section.symbols.get(shown..).unwrap_or_default().iter()
    }
}

pub struct Labels<'a> {
    section: &'a Section<'a>,
    /// The dwords that begin a line and are the target of a branch: only these can show a label.
    wanted: Bits,
    /// The dwords that begin a line of the listing.
    begins: Bits,
    /// The origins of constants, by address.
    pub notes: Vec<(u64, Note<'a>)>,
}

/// The number of dwords in a piece of the listing.
const PIECE: usize = 16 * 1024;

/// A piece of a section: the lines that begin in some of its dwords.
pub struct Piece {
    /// The offset of the first line; the end of the section if there is none.
    pub first: usize,
    /// The offset before which all lines of the piece begin.
    pub end: usize,
    /// The offset of the line before the piece, if there is one.
    pub before: Option<usize>,
}

impl<'a> Labels<'a> {
    /// The labels of a section. `watch`: whether the origins of constants are found.
    pub fn new(place: &'a Place<'a>, watch: bool) -> Self {
        let section = place.section;
        let dwords = section.bytes.len().div_ceil(4);
        let (wanted, begins) = (Bits::for_dwords(dwords), Bits::for_dwords(dwords));
        let runs = runs(section);
        let next = AtomicUsize::new(0);
        let all = Mutex::new(Vec::new());
        let work = || loop {
            let n = next.fetch_add(1, Relaxed);
            let Some(run) = runs.get(n) else { return };
            let mut found = mark(place, run, &wanted, &begins, watch);
            if !found.is_empty() {
                all.lock().into_iter().for_each(|mut all| all.push((n, found.split_off(0))));
            }
        };
        let cores = pieces::cores().min(runs.len());
        thread::scope(|scope| {
            (1..cores).for_each(|_| _ = thread::Builder::new().spawn_scoped(scope, work));
            work();
        });
        wanted.0.iter().zip(&begins.0).for_each(|(w, b)| _ = w.fetch_and(b.load(Relaxed), Relaxed));
        let mut labels = Labels { section, wanted, begins, notes: Vec::new() };
        let mut found = all.into_inner().unwrap_or_default();
        found.sort_by_key(|(run, _)| *run);
        labels.notes = labels.sure(found.into_iter().flat_map(|(_, found)| found));
        labels
    }

    /// The notes that certainly hold. A note does not if a branch leads to a place between `since` and the note's
    /// instruction, because the registers could then have other values.
    fn sure(&self, all: impl Iterator<Item = Found<'a>>) -> Vec<(u64, Note<'a>)> {
        let (mut next, mut last) = (0, None);
        let mut is_sure = |found: &Found<'_>| {
            let dword = found.offset / 4;
            last = (next..=dword).rev().find(|dword| self.wanted.get(*dword)).or(last);
            next = next.max(dword + 1);
            last.is_none_or(|last| last * 4 < found.since)
        };
        let address = |offset: usize| self.section.address.wrapping_add(offset as u64);
        all.filter(|found| is_sure(found)).map(|found| (address(found.offset), found.note)).collect()
    }

    pub fn pieces(&self) -> usize {
        self.section.bytes.len().div_ceil(4 * PIECE)
    }

    pub fn piece(&self, number: usize) -> Piece {
        let (start, end) = (number * PIECE, (number + 1) * PIECE);
        let last = self.section.bytes.len().div_ceil(4);
        let first = (start..last).find(|&dword| self.begins.get(dword)).unwrap_or(last);
        let before = (0..start).rev().find(|&dword| self.begins.get(dword));
        Piece { first: first * 4, end: end * 4, before: before.map(|dword| dword * 4) }
    }

    /// Whether an address needs a label: a line of the listing begins there, and a branch leads to it.
    pub fn is_wanted(&self, address: u64) -> bool {
        dword(self.section, address).is_some_and(|d| self.wanted.get(d))
    }

    /// Whether the listing has a label at a dword, or could have one.
    pub fn is_label(&self, dword: usize) -> bool {
        self.wanted.get(dword)
    }

    /// Puts the name of an address that needs a label into `name`: a symbol's, or else one made from the address.
    /// Returns whether the address needs one. `write` writes the name of a symbol.
    pub fn name(
        &self,
        address: u64,
        near: &mut usize,
        name: &mut Vec<u8>,
        write: fn(&mut Vec<u8>, &Symbol<'_>),
    ) -> bool {
        name.clear();
        if !self.is_wanted(address) {
            return false;
        }
        match self.before(address, near) {
            Some(symbol) if symbol.address == address => write(name, symbol),
            _ => write_local(name, address),
        }
        true
    }

    /// Writes an address as `<symbol+0x10>`, as objdump does for the target of a branch.
    pub fn relative(&self, address: u64, near: &mut usize, out: &mut Vec<u8>) {
        out.push(b'<');
        let symbol = self.before(address, near);
        if let Some(symbol) = symbol {
            write_reference(out, symbol);
        }
        match address - symbol.map_or(0, |s| s.address) {
            0 if symbol.is_some() => {}
            offset => {
                out.extend_from_slice(if symbol.is_some() { b"+0x" } else { b"0x" });
                hex::lower(out, offset, 1);
            }
        }
        out.push(b'>');
    }

    /// The last symbol at or before an address; if there are several, the first by name. Most branches stay in a
    /// function, so `near`, the symbol that was found last, is tried first.
    fn before(&self, address: u64, near: &mut usize) -> Option<&Symbol<'a>> {
        let symbols = &self.section.symbols;
        let found = symbols.get(*near).filter(|s| s.address <= address);
        let is_last = symbols.get(*near + 1).is_none_or(|next| next.address > address);
        let is_first =
            *near == 0 || found.is_some_and(|s| symbols.get(*near - 1).is_some_and(|l| l.address < s.address));
        if found.is_none() || !is_last || !is_first {
            let last = symbols.partition_point(|s| s.address <= address).checked_sub(1)?;
            let at = symbols.get(last)?.address;
            *near = symbols.partition_point(|s| s.address < at);
        }
        symbols.get(*near)
    }
}

/// Writes a symbol's name where another line refers to it. Long names are cut.
pub fn write_reference(out: &mut Vec<u8>, symbol: &Symbol<'_>) {
    let (name, more) = escape::reference(symbol.name.as_bytes());
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(more.as_bytes());
}

pub fn write_local(out: &mut Vec<u8>, address: u64) {
    out.push(b'L');
    hex::lower(out, address, 1);
}

/// The number of bytes of functions that one core walks through at a time.
const RUN: usize = 256 * 1024;

/// Divides the section into runs of whole functions. A walk starts again at each function, so another core can continue
/// there.
fn runs(section: &Section<'_>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for function in section.functions(0) {
        match runs.last_mut() {
            Some(run) if run.len() < RUN => run.end = function.end,
            _ => runs.push(function),
        }
    }
    runs
}

/// Marks the dwords at which the lines of a run begin, and the targets of the run's branches. Returns the notes about
/// the run.
fn mark<'a>(place: &'a Place<'a>, run: &Range<usize>, wanted: &Bits, begins: &Bits, watch: bool) -> Vec<Found<'a>> {
    let section = place.section;
    // The bits of a 64-bit word are collected before they are stored, because most bits are in the same word as the
    // previous bit.
    let (mut word, mut bits) = (run.start / 256, 0);
    let mut watch = watch.then(|| Watch::new(place, run.start));
    _ = walk(place, run.start, |offset, item| {
        if offset >= run.end {
            return ControlFlow::Break(());
        }
        if offset / 256 != word {
            begins.add(word, bits);
            (word, bits) = (offset / 256, 0);
        }
        bits |= 1 << (offset / 4 % 64);
        let target = item.ok().and_then(|inst| inst.branch_target(section.address.wrapping_add(offset as u64)));
        if let Some(dword) = target.and_then(|t| dword(section, t)) {
            wanted.set(dword);
        }
        if let Some(watch) = &mut watch {
            watch.step(offset, item.ok(), target);
        }
        ControlFlow::Continue(())
    });
    begins.add(word, bits);
    watch.map_or_else(Vec::new, Watch::finish)
}

fn dword(section: &Section<'_>, address: u64) -> Option<usize> {
    let offset = usize::try_from(address.checked_sub(section.address)?).ok()?;
    (offset % 4 == 0 && offset < section.bytes.len()).then_some(offset / 4)
}
