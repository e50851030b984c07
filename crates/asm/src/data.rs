//! Directives of data and padding.

use amdgpu_object::elf::{SHF_EXECINSTR, SHT_NOBITS};

use super::Kind;
use super::assembler::{Assembler, FixupKind};
use super::expr::Expr;
use super::flaw::{Flaw, Result, Span};
use super::leb;
use super::real;
use super::scan::Scan;

/// The bytes of `s_nop 0`, with which code is padded, on all targets.
pub const NOP: [u8; 4] = 0xbf80_0000_u32.to_le_bytes();

/// Directives of data, with the size of a value in bytes. A value of `.dc` has two bytes, and a value of `.dc.a` has
/// the eight bytes of an address.
const WIDTHS: [(&str, u8); 14] = [
    (".byte", 1),
    (".short", 2),
    (".2byte", 2),
    (".value", 2),
    (".long", 4),
    (".4byte", 4),
    (".int", 4),
    (".quad", 8),
    (".8byte", 8),
    (".dc", 2),
    (".dc.a", 8),
    (".dc.b", 1),
    (".dc.l", 4),
    (".dc.w", 2),
];

/// Directives that repeat a value a number of times, with the size of the value in bytes.
const FILLS: [(&str, usize); 4] = [(".dcb", 2), (".dcb.b", 1), (".dcb.l", 4), (".dcb.w", 2)];

/// Directives that repeat a zero a number of times, with its size in bytes.
const SPACES: [(&str, usize); 8] =
    [(".ds", 2), (".ds.b", 1), (".ds.d", 8), (".ds.l", 4), (".ds.p", 12), (".ds.s", 4), (".ds.w", 2), (".ds.x", 12)];

impl Assembler {
    /// Handles a directive of data or padding. Returns whether `word` is one.
    pub fn data(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let is_known = self.integers(word, scan)? || self.values(word, scan)? || self.padding(word, scan)?;
        if is_known {
            scan.end()?;
        }
        Ok(is_known)
    }

    /// Handles a directive of integers, whose name gives their size. Returns whether `word` is one.
    fn integers(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        let width = |all: &[(&str, usize)]| all.iter().find(|(name, _)| *name == word).map(|(_, width)| *width);
        if let Some((_, width)) = WIDTHS.iter().find(|(name, _)| *name == word) {
            self.list(scan, |this, scan| this.datum(*width, scan))?;
        } else if let Some(width) = width(&FILLS) {
            let count = self.count(scan, place)?;
            scan.expect(",")?;
            scan.blank();
            let from = scan.at;
            let value = self.number(scan)?;
            if !fits(value, width) {
                return Err(scan.since(from, format!("{value} does not fit in {width} bytes")));
            }
            let value = value.to_le_bytes();
            self.fill(count, value.get(..width).unwrap_or(&value), place)?;
        } else if let Some(width) = width(&SPACES) {
            let count = self.count(scan, place)?;
            self.fill(count, &[0; 12][..width], place)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Handles a directive of other numbers, or of texts. Returns whether `word` is one.
    fn values(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        match word {
            ".octa" => self.list(scan, |this, scan| {
                scan.blank();
                let from = scan.at;
                let value = wide(scan.word());
                let value = value.ok_or_else(|| scan.since(from, "a number of up to 128 bits expected"))?;
                this.emit(&value.to_le_bytes(), place)
            })?,
            ".uleb128" | ".sleb128" => self.list(scan, |this, scan| {
                scan.blank();
                let from = scan.at;
                let expr = this.expression(scan)?;
                let value = this.later(expr, scan.place(from))?;
                let mut bytes = Vec::new();
                match word {
                    ".sleb128" => leb::signed(value, &mut bytes),
                    _ => leb::unsigned(value as u64, &mut bytes),
                }
                this.emit(&bytes, scan.place(from))
            })?,
            ".float" | ".single" | ".double" | ".dc.s" | ".dc.d" => {
                let is_double = matches!(word, ".double" | ".dc.d");
                self.list(scan, |this, scan| {
                    let bytes = real::read(is_double, scan)?.to_le_bytes();
                    this.emit(&bytes[..if is_double { 8 } else { 4 }], place)
                })?;
            }
            ".ascii" | ".asciz" | ".string" => self.list(scan, |this, scan| {
                let mut text = scan.string()?;
                scan.blank();
                while word == ".ascii" && scan.peek() == b'"' {
                    text.extend(scan.string()?);
                    scan.blank();
                }
                if word != ".ascii" {
                    text.push(0);
                }
                this.emit(&text, place)
            })?,
            ".base64" => self.list(scan, |this, scan| {
                scan.blank();
                let from = scan.at;
                let text = scan.string()?;
                let bytes = base64(&text).filter(|_| !text.is_empty());
                let bytes = bytes.ok_or_else(|| scan.since(from, "not a text in Base64"))?;
                this.emit(&bytes, place)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Handles a directive of repetitions or padding. Returns whether `word` is one.
    fn padding(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<bool> {
        let place = scan.line.whole();
        match word {
            ".dcb.s" | ".dcb.d" => {
                let count = self.count(scan, place)?;
                scan.expect(",")?;
                let bytes = real::read(word == ".dcb.d", scan)?.to_le_bytes();
                self.fill(count, &bytes[..if word == ".dcb.d" { 8 } else { 4 }], place)?;
            }
            ".zero" | ".skip" | ".space" => {
                let count = self.count(scan, place)?;
                let value = if scan.eat(",") { self.number(scan)? } else { 0 };
                if count < 0 {
                    return Err(Flaw::new(place, format!("{count} bytes are not padding")));
                }
                self.fill(count, &[value as u8], place)?;
            }
            ".fill" => {
                let count = self.count(scan, place)?;
                let size = if scan.eat(",") { self.number(scan)? } else { 1 };
                let value = if scan.eat(",") { self.number(scan)? } else { 0 };
                if size < 0 {
                    self.warn(place, "a size below 0 has no effect");
                }
                if size > 8 {
                    self.warn(place, "the size is 8, the most that there is");
                }
                // A value has four bytes; any further bytes are zeros.
                let bytes = (value as u32 as u64).to_le_bytes();
                self.fill(count, bytes.get(..size.clamp(0, 8) as usize).unwrap_or(&bytes), place)?;
            }
            ".org" => {
                scan.blank();
                let from = scan.at;
                let to = self.expression(scan)?;
                let place = scan.place(from);
                let value = if scan.eat(",") { self.number(scan)? } else { 0 };
                self.advance(to, value, place)?;
            }
            ".p2align" | ".p2alignl" | ".p2alignw" | ".balign" | ".balignl" | ".balignw" | ".align" => {
                if word == ".p2align" && scan.is_done() {
                    self.warn(place, &format!("{word} without a number has no effect"));
                } else {
                    self.align(word, scan)?;
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads items that commas separate; there may be none.
    fn list(
        &mut self,
        scan: &mut Scan<'_>,
        mut read: impl FnMut(&mut Self, &mut Scan<'_>) -> Result<()>,
    ) -> Result<()> {
        if scan.is_done() {
            return Ok(());
        }
        read(self, scan)?;
        while scan.eat(",") {
            read(self, scan)?;
        }
        Ok(())
    }

    pub fn warn(&mut self, place: Span, message: &str) {
        self.fault(Flaw { is_warning: true, ..Flaw::new(place, message) });
    }

    /// Reads a number of repetitions, which may be known only at the end of the source.
    fn count(&mut self, scan: &mut Scan<'_>, place: Span) -> Result<i64> {
        let expr = self.expression(scan)?;
        self.later(expr, place)
    }

    /// Fills the section with `value` up to a later place, and continues there.
    pub fn advance(&mut self, to: Expr, value: i64, place: Span) -> Result<()> {
        self.sync();
        let section = self.table.section;
        let here = i64::try_from(self.table.offset).unwrap_or(i64::MAX);
        let is_known = self.table.linear(&to, super::expr::TOP).ok().and_then(|linear| self.table.place(&linear));
        let count = match is_known {
            Some((of, offset)) if of.is_none_or(|of| of == section) => offset.wrapping_sub(here),
            _ => {
                let from = Expr::Symbol(self.table.here(), None);
                self.later(Expr::Binary("-", Box::new((to, from)), 2), place)?
            }
        };
        if count < 0 {
            return Err(Flaw::new(place, format!("the place is {} bytes before this one", count.unsigned_abs())));
        }
        self.fill(count, &[value as u8], place)
    }

    fn datum(&mut self, width: u8, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let from = scan.at;
        let expr = self.expression(scan)?;
        let place = scan.place(from);
        let zeros = [0; 8];
        match self.table.value(&expr) {
            Ok(value) => {
                if !fits(value, width.into()) {
                    return Err(Flaw::new(place, format!("{value} does not fit in {width} bytes")));
                }
                let bytes = value.to_le_bytes();
                self.emit(bytes.get(..width.into()).unwrap_or(&bytes), place)
            }
            Err(_) => {
                self.emit_fixup(zeros.get(..width.into()).unwrap_or(&zeros), 0, FixupKind::Data(width), expr, place)
            }
        }
    }

    fn fill(&mut self, count: i64, bytes: &[u8], place: Span) -> Result<()> {
        let Ok(count) = u64::try_from(count) else {
            self.warn(place, "a number below 0 has no effect");
            return Ok(());
        };
        let len = count.saturating_mul(bytes.len() as u64);
        self.room(len, place)?;
        if self.here().kind == SHT_NOBITS && bytes.iter().all(|byte| *byte == 0) {
            self.here_mut().len += len;
            return Ok(());
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.emit_padding(&bytes.repeat(count as usize), place)
    }

    fn align(&mut self, word: &str, scan: &mut Scan<'_>) -> Result<()> {
        let place = scan.line.whole();
        let number = self.number(scan)?;
        let mut value = None;
        if scan.eat(",") {
            scan.blank();
            if scan.peek() != b',' {
                value = Some(self.number(scan)?);
            }
        }
        let most = if scan.eat(",") { self.number(scan)? } else { i64::MAX };
        let align = match word.starts_with(".p2") {
            true => u32::try_from(number).ok().filter(|n| *n < 32).map(|n| 1u64 << n),
            false => u64::try_from(number).ok().map(|n| n.max(1)).filter(|n| n.is_power_of_two() && *n <= 1 << 31),
        };
        let align = align.ok_or_else(|| Flaw::new(place, "an alignment is a power of two, up to 2^31"))?;
        // The alignment is limited because a file places each section at a multiple of its alignment.
        if align > self.longest {
            let message = format!("a section can be aligned to {} bytes at most", self.longest);
            return Err(Flaw::new(place, message).kind(Kind::Section));
        }
        if most < 1 {
            return Err(Flaw::new(place, format!("no padding has up to {most} bytes")));
        }
        let size = match word.as_bytes().last() {
            Some(b'l') => 4,
            Some(b'w') => 2,
            _ => 1,
        };
        let section = self.here_mut();
        section.align = section.align.max(align);
        let at = section.base + section.len;
        let count = at.next_multiple_of(align) - at;
        if count as i64 > most {
            return Ok(());
        }
        self.room(count, place)?;
        let count = count as usize;
        let section = self.here();
        let bytes = match value {
            None if section.flags & SHF_EXECINSTR != 0 => {
                // Bytes before the first whole instruction are zero.
                [vec![0; count % NOP.len()], NOP.repeat(count / NOP.len())].concat()
            }
            _ => {
                if count % size != 0 {
                    return Err(Flaw::new(place, format!("the {count} bytes of padding are not a multiple of {size}")));
                }
                let value = value.unwrap_or(0).to_le_bytes();
                value.get(..size).unwrap_or(&value).repeat(count / size)
            }
        };
        if section.kind == SHT_NOBITS {
            return self.fill(count as i64, &[0], place);
        }
        self.emit_padding(&bytes, place)
    }
}

/// The value of a number of 128 bits, as in C.
pub fn wide(word: &str) -> Option<u128> {
    let (digits, radix) = super::expr::digits(word)?;
    u128::from_str_radix(&digits, radix).ok()
}

/// Whether a number fits in a width in bytes, with a sign or without.
pub fn fits(value: i64, width: usize) -> bool {
    width >= 8 || (-1i64 << (8 * width - 1)..1i64 << (8 * width)).contains(&value)
}

/// The bytes that a text in Base64 stands for.
fn base64(text: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for group in text.chunks(4) {
        let (mut value, mut len) = (0u32, 0);
        for c in group.iter().copied().take_while(|c| *c != b'=') {
            let digit = match c {
                b'A'..=b'Z' => c - b'A',
                b'a'..=b'z' => c - b'a' + 26,
                b'0'..=b'9' => c - b'0' + 52,
                b'+' => 62,
                b'/' => 63,
                _ => return None,
            };
            value |= u32::from(digit) << (18 - 6 * len);
            len += 1;
        }
        if group.len() != 4 || len < 2 || !group.iter().skip(len).all(|c| *c == b'=') {
            return None;
        }
        bytes.extend(value.to_be_bytes().get(1..len)?);
    }
    Some(bytes)
}
