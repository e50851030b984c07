//! The listing for people, in the format of objdump:
//!
//! ```text
//! 0000000000002100 <saxpy>:                                   // kernel
//!     s_load_dwordx2 s[4:5], s[0:1], 0x10                        // 000000002100: C0060100 00000010
//! ```

use std::fmt::{self, Write as _};
use std::io::{self, Write};
use std::ops::ControlFlow;

use amdgpu_explain::hex;

use super::Place;
use super::labels::{Labels, Piece, write_local, write_reference};
use super::msb;
use super::pieces::{self, Page};
use super::provenance::Provenance;
use super::walk::walk;
use crate::escape;
use crate::isa::{Banks, Inst, Invalid, Purpose, TextBuffer, VgprMsb};
use crate::out::{BOLD, DIM, LABEL, Out, RED};
use amdgpu_object::{Symbol, SymbolKind, TargetId};

/// The column of the comments, counted after the tab, as in objdump.
const COMMENT: usize = 59;

pub fn header(out: &mut Out<impl Write>, file: &str, target: Option<&TargetId>, place: &Place<'_>) -> io::Result<()> {
    let section = place.section;
    out.begin(BOLD);
    out.str(file);
    if !place.image.is_empty() {
        out.str(": ");
        out.str(&escape::name(place.image.as_bytes()));
    }
    match target {
        Some(id) => _ = write!(out, ": target {id}"),
        None => _ = write!(out, ": target {} (as told)", place.name),
    }
    _ = write!(out, ", section {}, {} bytes", escape::name(section.name.as_bytes()), section.bytes.len());
    out.end(BOLD);
    out.line()
}

/// The parts that a listing shows.
#[derive(Clone, Copy)]
pub struct Shown {
    /// Whether the dwords of each instruction are shown.
    pub encoding: bool,
    /// Whether the descriptors of kernels are shown.
    pub descriptors: bool,
    /// Whether each dword of padding is shown; otherwise many equal ones are one line.
    pub padding: bool,
    /// Whether the origins of constants are shown.
    pub sources: bool,
}

/// The least number of equal dwords of padding that become one line.
const FOLDED: usize = 8;

/// Whether an instruction is one that compilers put between functions.
fn is_filler(inst: &Inst) -> bool {
    matches!(inst.opcode().purpose(), Some(Purpose::Nop | Purpose::Filler))
}

pub fn section(out: &mut Out<impl Write + Send>, place: &Place<'_>, shown: &Shown) -> io::Result<()> {
    let section = place.section;
    if section.symbols.first().is_none_or(|s| s.address > section.address) {
        out.newline();
    }
    let labels = Labels::new(place, shown.sources);
    let banks = msb::banks(place);
    let relocations = if shown.sources { &section.relocations[..] } else { &[] };
    pieces::in_order(out, labels.pieces(), |number, page| {
        let piece = labels.piece(number);
        let from = section.address.wrapping_add(piece.first as u64);
        let listing = Listing {
            page,
            labels: &labels,
            banks: banks.as_ref(),
            shown: *shown,
            provenance: Provenance::from(&labels.notes, relocations, place.addresses, from),
            line: TextBuffer::new(),
            name: Vec::new(),
            near: 0,
            high: (0, hex::dword(0)),
        };
        listing.piece(place, &piece)
    })?;
    out.line()
}

struct Listing<'a, 'b> {
    page: &'a mut Page<'b>,
    labels: &'a Labels<'a>,
    /// The upper bits that `s_set_vgpr_msb` has set, if the section has such an instruction.
    banks: Option<&'a Banks>,
    shown: Shown,
    provenance: Provenance<'a>,
    line: TextBuffer,
    /// A buffer for names, reused so that a line does not allocate memory.
    name: Vec<u8>,
    /// The number of the symbol that was found last.
    near: usize,
    /// The bits above the low 16 of the last address, and the digits of these bits, which rarely change.
    high: (u64, [u8; 8]),
}

impl Listing<'_, '_> {
    fn piece(mut self, place: &Place<'_>, piece: &Piece) -> io::Result<()> {
        let section = place.section;
        let mut symbols = piece.symbols(section).peekable();
        let (mut result, mut folded) = (Ok(()), 0);
        _ = walk(place, piece.first, |offset, item| {
            if offset >= piece.end {
                return ControlFlow::Break(());
            }
            if offset < folded {
                return ControlFlow::Continue(());
            }
            let pc = section.address.wrapping_add(offset as u64);
            let mut named = false;
            while let Some(symbol) = symbols.next_if(|s| s.address <= pc) {
                self.symbol(place, symbol, !named);
                named |= symbol.address == pc;
                result = self.page.line();
                if result.is_err() {
                    return ControlFlow::Break(());
                }
            }
            if !named && self.labels.is_wanted(pc) {
                self.label(pc);
            }
            let count = if !self.shown.padding && is_repeated(section.bytes, offset) {
                let rest = section.bytes.get(offset..piece.end.min(section.bytes.len())).unwrap_or_default();
                self.padding(offset, item, room(rest, pc, symbols.peek()))
            } else {
                1
            };
            let msb = self.banks.map(|banks| banks.at(offset as u64));
            match item {
                Ok(inst) => self.inst(pc, inst, msb),
                Err(invalid) => self.not_inst(pc, invalid),
            }
            if count > 1 {
                folded = offset + count * 4;
                self.repeated(count, section.address.wrapping_add(folded as u64));
            }
            result = self.page.line();
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result
    }

    /// The number of equal dwords of padding that one line shows; 1 if they are few. `room`: the bytes up to the next
    /// symbol.
    #[cold]
    fn padding(&self, offset: usize, item: Result<&Inst, &Invalid>, room: &[u8]) -> usize {
        let word = room.first_chunk::<4>();
        let is_padding = match item {
            Ok(inst) => inst.len() == 4 && (word == Some(&[0; 4]) || is_filler(inst)),
            Err(invalid) => invalid.len == 4,
        };
        if !is_padding {
            return 1;
        }
        let is_label = |n: usize| n > 0 && self.labels.is_label(offset / 4 + n);
        let equal =
            room.chunks_exact(4).enumerate().take_while(|(n, dword)| word.is_some_and(|w| w == dword) && !is_label(*n));
        let count = equal.count();
        // The last of the equal dwords could begin an instruction that continues in the dwords after them.
        let after = if item.is_err() && count < room.len() / 4 { crate::isa::MAX_BYTES / 4 } else { 0 };
        let count = count.saturating_sub(after);
        if count >= FOLDED { count } else { 1 }
    }

    /// Adds to the last line the number of equal dwords that it represents.
    fn repeated(&mut self, count: usize, end: u64) {
        self.page.text.buf.pop();
        self.page.text.begin(DIM);
        _ = write!(self.page.text, ", {count} times, to ");
        hex::upper(&mut self.page.text.buf, end, 12);
        self.page.text.end(DIM);
        self.page.text.newline();
    }

    fn symbol(&mut self, place: &Place<'_>, symbol: &Symbol<'_>, gap: bool) {
        if gap {
            self.page.text.newline();
        }
        let name = escape::name(symbol.name.as_bytes());
        if let Some(descriptor) = symbol.descriptor.filter(|_| self.shown.descriptors) {
            let offset = usize::try_from(symbol.address.wrapping_sub(place.section.address)).unwrap_or(usize::MAX);
            let target = place.target_at(offset);
            _ = writeln!(self.page.text, "\t.amdhsa_kernel {name}");
            _ = write!(self.page.text, "{}", descriptor.directives(target, false));
            if !descriptor.is_text(target) {
                self.page.text.str("\t\t// Some bits of the descriptor have no directive.\n");
            }
            self.page.text.str("\t.end_amdhsa_kernel\n");
        }
        self.page.text.begin(LABEL);
        let start = self.page.text.buf.len();
        hex::lower(&mut self.page.text.buf, symbol.address, 16);
        _ = write!(self.page.text, " <{name}>:");
        let width = self.page.text.buf.len() - start;
        self.page.text.end(LABEL);
        if symbol.kind == SymbolKind::Kernel {
            // The line needs eight more columns, because no tab is at its beginning.
            self.pad(width, COMMENT + 8);
            self.page.text.styled(DIM, "// kernel");
        }
        self.page.text.newline();
    }

    fn label(&mut self, pc: u64) {
        self.page.text.begin(LABEL);
        write_local(&mut self.page.text.buf, pc);
        self.page.text.str(":");
        self.page.text.end(LABEL);
        self.page.text.newline();
    }

    fn inst(&mut self, pc: u64, inst: &Inst, msb: Option<VgprMsb>) {
        let target = inst.branch_target(pc);
        let has_source = self.provenance.next < pc.saturating_add(inst.len() as u64);
        let mut text = match msb {
            Some(msb) => self.line.print_with(inst, msb),
            None => self.line.print(inst),
        };
        let mut name = &[][..];
        if target.is_some_and(|t| self.labels.name(t, &mut self.near, &mut self.name, write_reference)) {
            // The label replaces the offset, which is always the last operand.
            let operand = text.iter().rposition(|&b| b == b' ').map_or(text.len(), |at| at + 1);
            (text, name) = (text.get(..operand).unwrap_or(text), &self.name);
        }
        let buf = &mut self.page.text.buf;
        let start = buf.len();
        let fits = !self.page.text.color && text.len() + name.len() < COMMENT && pc >> 48 == 0;
        if fits {
            buf.resize(start + LINE, b' ');
        }
        if let Some(line) = buf.get_mut(start..).and_then(|line| line.first_chunk_mut()) {
            if self.high.0 != pc >> 16 {
                self.high = (pc >> 16, hex::dword((pc >> 16) as u32));
            }
            plain(line, text, name, &self.high.1, pc);
            let end = if self.shown.encoding { words(line, inst.words()) } else { COMMENT_END };
            if target.is_none() && !has_source {
                line[end % LINE] = b'\n';
                buf.truncate(start + end + 1);
                return;
            }
            buf.truncate(start + end);
        } else {
            let width = text.len() + name.len();
            self.page.text.bytes(b"\t");
            self.page.text.bytes(text);
            if !name.is_empty() {
                self.page.text.begin(LABEL);
                self.page.text.bytes(name);
                self.page.text.end(LABEL);
            }
            self.comment(width, pc);
            if self.shown.encoding {
                self.page.text.str(":");
                for word in inst.words() {
                    self.page.text.str(" ");
                    self.page.text.bytes(&hex::dword(*word));
                }
            }
        }
        if let Some(target) = target {
            self.page.text.str(" ");
            self.labels.relative(target, &mut self.near, &mut self.page.text.buf);
        }
        if has_source {
            self.provenance.write(pc, inst.len(), &mut self.page.text.buf);
        }
        self.page.text.end(DIM);
        self.page.text.newline();
    }

    fn not_inst(&mut self, pc: u64, invalid: &Invalid) {
        self.page.text.str("\t");
        self.page.text.begin(RED);
        let start = self.page.text.buf.len();
        write_data(&mut self.page.text.buf, invalid);
        let width = self.page.text.buf.len() - start;
        self.page.text.end(RED);
        self.comment(width, pc);
        self.page.text.str(": ");
        _ = write_reason(&mut self.page.text, invalid);
        if self.provenance.next < pc.saturating_add(invalid.len.into()) {
            self.provenance.write(pc, invalid.len.into(), &mut self.page.text.buf);
        }
        self.page.text.end(DIM);
        self.page.text.newline();
    }

    /// Begins the comment of a line. The caller ends its style.
    fn comment(&mut self, width: usize, pc: u64) {
        self.pad(width, COMMENT);
        self.page.text.begin(DIM);
        self.page.text.str("// ");
        hex::upper(&mut self.page.text.buf, pc, 12);
    }

    fn pad(&mut self, width: usize, column: usize) {
        let len = self.page.text.buf.len() + column.saturating_sub(width).max(1);
        self.page.text.buf.resize(len, b' ');
    }
}

/// Whether a dword is followed by an equal one.
#[inline(always)]
fn is_repeated(bytes: &[u8], offset: usize) -> bool {
    let two = bytes.get(offset..).and_then(|bytes| bytes.first_chunk());
    two.is_some_and(|two| u64::from_le_bytes(*two).rotate_left(32) == u64::from_le_bytes(*two))
}

/// The bytes up to the next symbol.
fn room<'a>(bytes: &'a [u8], pc: u64, next: Option<&&Symbol<'_>>) -> &'a [u8] {
    let len = next.and_then(|symbol| usize::try_from(symbol.address - pc).ok());
    len.and_then(|len| bytes.get(..len)).unwrap_or(bytes)
}

/// The positions in a line where the comment begins, and where the address in it begins and ends.
const COMMENT_START: usize = COMMENT + 1;
const ADDRESS: usize = COMMENT_START + 3;
const COMMENT_END: usize = ADDRESS + 12;

/// A length in bytes that is greater than the length of any line up to the end of its dwords.
const LINE: usize = 128;

/// Writes a line of the usual format up to the address in its comment. The compiler knows the positions of all parts
/// except `name`, which makes this three times faster. `line` consists of blanks before the call.
#[inline(always)]
fn plain(line: &mut [u8; LINE], text: &[u8], name: &[u8], high: &[u8; 8], pc: u64) {
    line[0] = b'\t';
    put(line, 1, text);
    if !name.is_empty() {
        put(line, 1 + text.len(), name);
    }
    line[COMMENT_START] = b'/';
    line[COMMENT_START + 1] = b'/';
    put(line, ADDRESS, high);
    let [.., a, b, c, d] = hex::dword((pc as u32) & 0xffff);
    put(line, ADDRESS + 8, &[a, b, c, d]);
}

/// Writes the dwords after the address. Returns their end. The blanks between them are in `line` already.
#[inline(always)]
fn words(line: &mut [u8; LINE], words: &[u32]) -> usize {
    line[COMMENT_END] = b':';
    let mut end = COMMENT_END + 1;
    let mut rest = words;
    // Nearly all instructions have one or two dwords, whose positions the compiler knows.
    if let [first, others @ ..] = rest {
        put(line, COMMENT_END + 2, &hex::dword(*first));
        (end, rest) = (COMMENT_END + 10, others);
    }
    if let [second, others @ ..] = rest {
        put(line, COMMENT_END + 11, &hex::dword(*second));
        (end, rest) = (COMMENT_END + 19, others);
    }
    for word in rest {
        put(line, end + 1, &hex::dword(*word));
        end += 9;
    }
    end
}

#[inline(always)]
fn put(line: &mut [u8; LINE], at: usize, bytes: &[u8]) {
    if let Some(to) = line.get_mut(at..at + bytes.len()) {
        to.copy_from_slice(bytes);
    }
}

/// Writes a directive for bytes that are not an instruction: a dword, or the odd bytes at the end.
pub fn write_data(out: &mut Vec<u8>, invalid: &Invalid) {
    if invalid.len == 4 {
        out.extend_from_slice(b".long 0x");
        hex::lower(out, invalid.word.into(), 8);
        return;
    }
    out.extend_from_slice(b".byte ");
    for (i, byte) in invalid.word.to_le_bytes().into_iter().take(invalid.len.into()).enumerate() {
        out.extend_from_slice(if i == 0 { b"0x" } else { b", 0x" });
        hex::lower(out, byte.into(), 2);
    }
}

/// Writes the reason why bytes are not an instruction.
pub fn write_reason(out: &mut impl fmt::Write, invalid: &Invalid) -> fmt::Result {
    match invalid.len {
        4 => write!(out, "{}", invalid.error),
        _ => out.write_str("fewer than four bytes are left"),
    }
}
