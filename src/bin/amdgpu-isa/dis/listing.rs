//! The listing for people, in the shape of objdump's:
//!
//! ```text
//! 0000000000002100 <saxpy>:                                   // kernel
//!     s_load_dwordx2 s[4:5], s[0:1], 0x10                        // 000000002100: C0060100 00000010
//! ```

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Place;
use super::labels::{Labels, write_local};
use super::walk::{Item, Walk};
use crate::container::{Image, Symbol, SymbolKind};
use crate::hex;
use crate::isa::Inst;
use crate::out::{BOLD, DIM, LABEL, Out, RED};

/// Column of the comments, counted behind the tab, as in objdump.
const COMMENT: usize = 59;

pub fn header(out: &mut Out<impl Write>, file: &str, image: &Image<'_>, place: &Place<'_>) -> io::Result<()> {
    let section = place.section;
    out.begin(BOLD);
    out.str(file);
    if !image.label.is_empty() {
        out.str(": ");
        out.str(image.label);
    }
    match &image.target {
        Some(id) => _ = write!(out, ": target {id}"),
        None => _ = write!(out, ": target {} (as told)", place.target.name()),
    }
    _ = write!(out, ", section {}, {} bytes", section.name, section.bytes.len());
    out.end(BOLD);
    out.line()
}

pub fn section(out: &mut Out<impl Write>, place: &Place<'_>, encoding: bool) -> io::Result<()> {
    let section = place.section;
    let mut listing = Listing { out, labels: &Labels::new(place), encoding, name: String::new() };
    let mut symbols = section.symbols.iter().peekable();
    if section.symbols.first().is_none_or(|s| s.address > section.address) {
        listing.out.line()?;
    }
    for (offset, length, item) in Walk::new(place) {
        let pc = section.address.wrapping_add(offset as u64);
        let mut named = false;
        while let Some(symbol) = symbols.next_if(|s| s.address <= pc) {
            listing.symbol(symbol, !named)?;
            named |= symbol.address == pc;
        }
        if !named && listing.labels.is_wanted(pc) {
            listing.label(pc)?;
        }
        let bytes = section.bytes.get(offset..offset + length).unwrap_or_default();
        match item {
            Item::Inst(inst) => listing.inst(pc, &inst)?,
            Item::Word(reason) => listing.not_inst(pc, bytes, &reason.to_string())?,
            Item::Tail => listing.not_inst(pc, bytes, "fewer than four bytes are left")?,
        }
    }
    listing.out.line()
}

struct Listing<'a, W: Write> {
    out: &'a mut Out<W>,
    labels: &'a Labels<'a>,
    encoding: bool,
    /// Reused for names, so that a line allocates nothing.
    name: String,
}

impl<W: Write> Listing<'_, W> {
    fn symbol(&mut self, symbol: &Symbol<'_>, gap: bool) -> io::Result<()> {
        if gap {
            self.out.line()?;
        }
        self.out.begin(LABEL);
        let start = self.out.buf.len();
        hex::lower(&mut self.out.buf, symbol.address, 16);
        _ = write!(self.out, " <{}>:", symbol.name);
        let width = self.out.buf.len() - start;
        self.out.end(LABEL);
        if symbol.kind == SymbolKind::Kernel {
            // Eight columns more, because there is no tab in front.
            self.pad(width, COMMENT + 8);
            self.out.styled(DIM, "// kernel");
        }
        self.out.line()
    }

    fn label(&mut self, pc: u64) -> io::Result<()> {
        self.name.clear();
        write_local(&mut self.name, pc);
        self.out.begin(LABEL);
        self.out.str(&self.name);
        self.out.str(":");
        self.out.end(LABEL);
        self.out.line()
    }

    fn inst(&mut self, pc: u64, inst: &Inst) -> io::Result<()> {
        self.out.str("\t");
        let start = self.out.buf.len();
        _ = write!(self.out, "{inst}");
        let target = inst.branch_target(pc);
        let mut width = self.out.buf.len() - start;
        if target.is_some_and(|t| self.labels.name(t, &mut self.name)) {
            // The label takes the place of the offset, which is always the last operand.
            let text = self.out.buf.get(start..).unwrap_or_default();
            let operand = text.iter().rposition(|&b| b == b' ').map_or(text.len(), |at| at + 1);
            self.out.buf.truncate(start + operand);
            self.out.styled(LABEL, &self.name);
            width = operand + self.name.len();
        }
        self.comment(width, pc);
        if self.encoding {
            self.out.str(":");
            for &word in inst.words() {
                self.out.buf.push(b' ');
                hex::upper(&mut self.out.buf, word.into(), 8);
            }
        }
        if let Some(target) = target {
            self.labels.relative(target, &mut self.name);
            self.out.str(" ");
            self.out.str(&self.name);
        }
        self.out.end(DIM);
        self.out.line()
    }

    fn not_inst(&mut self, pc: u64, bytes: &[u8], reason: &str) -> io::Result<()> {
        self.out.str("\t");
        self.out.begin(RED);
        let start = self.out.buf.len();
        write_data(&mut self.out.buf, bytes);
        let width = self.out.buf.len() - start;
        self.out.end(RED);
        self.comment(width, pc);
        self.out.str(": ");
        self.out.str(reason);
        self.out.end(DIM);
        self.out.line()
    }

    /// Begins the comment; the caller ends its style.
    fn comment(&mut self, width: usize, pc: u64) {
        self.pad(width, COMMENT);
        self.out.begin(DIM);
        self.out.str("// ");
        hex::upper(&mut self.out.buf, pc, 12);
    }

    fn pad(&mut self, width: usize, column: usize) {
        let len = self.out.buf.len() + column.saturating_sub(width).max(1);
        self.out.buf.resize(len, b' ');
    }
}

/// Assembler text that puts `bytes` back: a dword, or the odd bytes at the end.
pub fn write_data(out: &mut Vec<u8>, bytes: &[u8]) {
    if let Ok(dword) = <[u8; 4]>::try_from(bytes) {
        out.extend_from_slice(b".long 0x");
        hex::lower(out, u32::from_le_bytes(dword).into(), 8);
        return;
    }
    out.extend_from_slice(b".byte ");
    for (i, &byte) in bytes.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"0x" } else { b", 0x" });
        hex::lower(out, byte.into(), 2);
    }
}
