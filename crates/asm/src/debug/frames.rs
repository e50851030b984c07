//! The frames of functions: `.cfi_` directives become the tables `.eh_frame` and `.debug_frame`.

use amdgpu_isa::operands::dwarf_register;
use amdgpu_object::elf::{SHF_ALLOC, SHT_PROGBITS};

use super::tables::Bytes;
use crate::assembler::Assembler;
use crate::expr::Expr;
use crate::flaw::{Flaw, Result, Span};
use crate::leb::{signed, unsigned};
use crate::scan::Scan;
use crate::table::{Def, SymbolId};

/// The unit of code offsets in bytes. The length of every instruction is a multiple of it.
const UNIT: u64 = 4;
/// The unit of the offsets of saved registers in bytes.
const SLOT: i64 = 4;
/// The number of the register with the return address, if no directive names another.
const RETURN: u64 = 16;
/// The number of registers that fit into short opcodes.
const SHORT: u64 = 64;
const POINTER: u8 = 8;
/// The encoding of code addresses in `.eh_frame`: a signed distance of 4 bytes from the place where it is written.
const DISTANCE: u8 = 0x1b;

/// The flag of encodings in which an address is relative to the place where it is written.
const FROM_HERE: u8 = 0x10;
/// The encoding for a missing address.
const OMITTED: u8 = u8::MAX;

/// The operands of a directive about a frame.
enum Rule {
    /// A register.
    Register,
    /// A number.
    Number,
    /// A number that is added to the number of the last rule that set the offset.
    More,
    /// A register and a number.
    RegisterNumber,
    /// A register and two numbers.
    RegisterNumbers,
    /// Two registers.
    Registers,
    /// No operands.
    Plain,
    /// A register and its offset, a multiple of [`SLOT`]; with the opcode for offsets below 0.
    Slot(u8),
    /// A register and its offset as in [`Rule::Slot`], but counted from the stack pointer of the caller.
    RelativeSlot(u8),
}

/// The directives of rules, with their opcodes and operands.
const RULES: [(&str, u8, Rule); 15] = [
    (".cfi_def_cfa", 0x0c, Rule::RegisterNumber),
    (".cfi_def_cfa_register", 0x0d, Rule::Register),
    (".cfi_def_cfa_offset", 0x0e, Rule::Number),
    (".cfi_adjust_cfa_offset", 0x0e, Rule::More),
    (".cfi_offset", 0x05, Rule::Slot(0x11)),
    (".cfi_rel_offset", 0x05, Rule::RelativeSlot(0x11)),
    (".cfi_val_offset", 0x14, Rule::Slot(0x15)),
    (".cfi_undefined", 0x07, Rule::Register),
    (".cfi_same_value", 0x08, Rule::Register),
    (".cfi_register", 0x09, Rule::Registers),
    (".cfi_restore", 0x06, Rule::Register),
    (".cfi_remember_state", 0x0a, Rule::Plain),
    (".cfi_restore_state", 0x0b, Rule::Plain),
    (".cfi_window_save", 0x2d, Rule::Plain),
    (".cfi_llvm_def_aspace_cfa", 0x30, Rule::RegisterNumbers),
];

/// A frame.
pub struct Frame {
    pub section: usize,
    pub start: u64,
    pub end: u64,
    /// The place of the directive that begins the frame.
    pub place: Span,
    common: Common,
    /// The offsets at which rules begin to hold, with the rules' bytes, or with a label for the place in the table.
    rules: Vec<(u64, Vec<u8>, Option<SymbolId>)>,
    /// The offset in bytes that the last rule with an offset has set; [`Rule::More`] adds to it.
    offset: i64,
    /// The language-specific data, which the personality reads.
    data: Option<SymbolId>,
}

impl Frame {
    /// Moves the frame with its section, which has become a part of another section at the offset `base`.
    pub fn move_to(&mut self, section: usize, base: u64) {
        (self.section, self.start, self.end) = (section, self.start + base, self.end + base);
        self.rules.iter_mut().for_each(|(at, ..)| *at += base);
    }
}

/// The properties of a frame that several frames can share.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Common {
    /// The function that reads the language-specific data.
    personality: Option<SymbolId>,
    /// The encodings of the addresses of the personality and of its data.
    encodings: [u8; 2],
    is_signal: bool,
    is_simple: bool,
    /// The register with the return address, if a directive names it.
    register: Option<u64>,
}

/// Whether an encoding is supported: of a known length, absolute or relative to the place where it is written.
fn is_encoding(encoding: u8) -> bool {
    matches!(encoding & 0xf, 0 | 2..=4 | 8 | 10..=12) && encoding >> 4 & 7 <= FROM_HERE >> 4
}

/// The size of an encoded address in bytes.
fn width(encoding: u8) -> u8 {
    match encoding & 7 {
        2 => 2,
        3 => 4,
        _ => POINTER,
    }
}

impl Assembler {
    /// Handles a directive about frames. Returns whether `word` is one.
    pub fn frame_directive(&mut self, word: &str, place: Span, scan: &mut Scan<'_>) -> Result<bool> {
        match word {
            ".cfi_sections" => {
                let (mut is_eh, mut is_debug) = (false, false);
                let mut has_more = !scan.is_done();
                while has_more {
                    let name = scan.name()?;
                    is_eh |= name == ".eh_frame";
                    is_debug |= name == ".debug_frame";
                    has_more = scan.eat(",");
                }
                self.debug.frame_tables = Some((is_eh, is_debug));
            }
            ".cfi_startproc" => {
                if let Some(before) = &self.debug.frame {
                    return Err(Flaw::new(before.place, "no .cfi_endproc follows"));
                }
                let is_simple = scan.eat("simple");
                let common =
                    Common { personality: None, encodings: [0; 2], is_signal: false, is_simple, register: None };
                let (section, start) = (self.table.section, self.here().len);
                let (rules, data) = (Vec::new(), None);
                self.debug.frame = Some(Frame { section, start, end: start, place, common, rules, offset: 0, data });
            }
            ".cfi_endproc" => {
                let frame = self.debug.frame.take();
                let mut frame = frame.ok_or_else(|| Flaw::new(place, "no .cfi_startproc is above"))?;
                if frame.section != self.table.section {
                    return Err(Flaw::new(place, ".cfi_startproc is in another section"));
                }
                frame.end = self.here().len;
                self.debug.frames.push(frame);
            }
            _ if word.starts_with(".cfi_") => self.rule(word, place, scan)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Reads a directive between the beginning and the end of a frame.
    fn rule(&mut self, word: &str, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        let at = self.here().len;
        let mut frame = self.debug.frame.take().ok_or_else(|| Flaw::new(place, "no .cfi_startproc is above"))?;
        let read = match word {
            ".cfi_label" => self.frame_label(scan).map(|label| (Vec::new(), Some(label))),
            _ => self.read_rule(word, place, scan, &mut frame).map(|bytes| (bytes, None)),
        };
        if let Ok((bytes, label)) = &read {
            if !bytes.is_empty() || label.is_some() {
                frame.rules.push((at, bytes.clone(), *label));
            }
        }
        self.debug.frame = Some(frame);
        read.map(|_| ())
    }

    /// Reads the name of a label in the table of frames.
    fn frame_label(&mut self, scan: &mut Scan<'_>) -> Result<SymbolId> {
        let (id, place) = self.symbol_name(scan)?;
        self.not_defined(id, place)?;
        self.table.register(id);
        self.table.get_mut(id).place = place;
        Ok(id)
    }

    /// Reads a directive that is not in [`RULES`]. Returns its bytes, or no bytes if it is about the whole frame;
    /// `None` for all other directives.
    fn read_other(&mut self, word: &str, scan: &mut Scan<'_>, frame: &mut Frame) -> Result<Option<Vec<u8>>> {
        let mut bytes = Vec::new();
        match word {
            ".cfi_escape" => {
                bytes.push(self.number(scan)? as u8);
                while scan.eat(",") {
                    bytes.push(self.number(scan)? as u8);
                }
            }
            ".cfi_return_column" => {
                frame.common.register = Some(self.frame_register(scan)?);
            }
            ".cfi_signal_frame" => {
                frame.common.is_signal = true;
            }
            ".cfi_personality" | ".cfi_lsda" => {
                if let Some((encoding, of)) = self.encoded(scan)? {
                    let is_data = word == ".cfi_lsda";
                    frame.common.encodings[usize::from(is_data)] = encoding;
                    *(if is_data { &mut frame.data } else { &mut frame.common.personality }) = Some(of);
                }
            }
            _ => return Ok(None),
        }
        Ok(Some(bytes))
    }

    /// Reads a rule, or another directive, and returns its bytes.
    fn read_rule(&mut self, word: &str, place: Span, scan: &mut Scan<'_>, frame: &mut Frame) -> Result<Vec<u8>> {
        if let Some(bytes) = self.read_other(word, scan, frame)? {
            return Ok(bytes);
        }
        let mut bytes = Vec::new();
        let known = RULES.iter().find(|(name, ..)| *name == word);
        let (_, opcode, rule) = known.ok_or_else(|| {
            let names: Vec<&str> = RULES.iter().map(|(name, ..)| *name).collect();
            Flaw::new(place, format!("there is no directive {word}")).note(format!("known are {}", names.join(", ")))
        })?;
        let mut put = |opcode: u8, numbers: &[u64]| {
            bytes.push(opcode);
            numbers.iter().for_each(|number| unsigned(*number, &mut bytes));
        };
        match rule {
            Rule::Plain => put(*opcode, &[]),
            Rule::Register => match self.frame_register(scan)? {
                register if word == ".cfi_restore" && register < SHORT => put(0xc0 | register as u8, &[]),
                register => put(*opcode, &[register]),
            },
            Rule::Registers => {
                let register = self.frame_register(scan)?;
                scan.expect(",")?;
                put(*opcode, &[register, self.frame_register(scan)?]);
            }
            Rule::Number => {
                frame.offset = self.number(scan)?;
                put(*opcode, &[frame.offset as u64]);
            }
            Rule::More => {
                frame.offset = frame.offset.wrapping_add(self.number(scan)?);
                put(*opcode, &[frame.offset as u64]);
            }
            Rule::RegisterNumber | Rule::RegisterNumbers => {
                let register = self.frame_register(scan)?;
                scan.expect(",")?;
                frame.offset = self.number(scan)?;
                put(*opcode, &[register, frame.offset as u64]);
                if matches!(rule, Rule::RegisterNumbers) {
                    scan.expect(",")?;
                    let number = self.number(scan)?;
                    unsigned(number as u64, &mut bytes);
                }
            }
            Rule::Slot(below) | Rule::RelativeSlot(below) => {
                let register = self.frame_register(scan)?;
                scan.expect(",")?;
                let is_relative = matches!(rule, Rule::RelativeSlot(_));
                let number = self.number(scan)?.wrapping_sub(if is_relative { frame.offset } else { 0 }) / SLOT;
                if number < 0 {
                    put(*below, &[register]);
                    signed(number, &mut bytes);
                } else if register < SHORT && *below == 0x11 {
                    put(0x80 | register as u8, &[number as u64]);
                } else {
                    put(*opcode, &[register, number as u64]);
                }
            }
        }
        Ok(bytes)
    }

    /// Reads the encoding of an address, and the symbol whose address it is.
    fn encoded(&mut self, scan: &mut Scan<'_>) -> Result<Option<(u8, SymbolId)>> {
        scan.blank();
        let from = scan.at;
        let encoding = u8::try_from(self.number(scan)?).ok();
        if encoding == Some(OMITTED) {
            return Ok(None);
        }
        let encoding = encoding.filter(|encoding| is_encoding(*encoding));
        let encoding = encoding.ok_or_else(|| scan.since(from, "no encoding of addresses has this number"))?;
        scan.expect(",")?;
        let (of, _) = self.symbol_name(scan)?;
        Ok(Some((encoding, of)))
    }

    /// Appends the address of a symbol to the table.
    fn put_address(&mut self, table: &mut Bytes, place: (usize, u64), encoding: u8, of: SymbolId) {
        self.table.register(of);
        let expr = match encoding & FROM_HERE {
            0 => Expr::Symbol(of, None),
            _ => difference(of, self.label_at(place.0, place.1 + table.bytes.len() as u64)),
        };
        table.open.push((table.bytes.len() as u64, width(encoding), expr));
        table.number(0, width(encoding));
    }

    /// Reads a register, by name or by its DWARF number.
    fn frame_register(&mut self, scan: &mut Scan<'_>) -> Result<u64> {
        scan.blank();
        let from = scan.at;
        let mut named = scan.clone();
        let word = named.word();
        let target = self.table.target.map(|processor| processor.target);
        if let Some(number) = target.and_then(|target| dwarf_register(target, word)) {
            scan.at = named.at;
            return Ok(number.into());
        }
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(scan.since(from, "a register or its number for debuggers expected"));
        }
        let number = self.number(scan)?;
        u64::try_from(number).map_err(|_| scan.since(from, "the register's number is negative"))
    }

    /// Writes the tables of frames.
    pub fn write_frames(&mut self) -> Result<()> {
        let mut frames = std::mem::take(&mut self.debug.frames);
        // Frames with the same properties follow each other, in the order of the properties.
        frames.sort_by_cached_key(|frame| {
            let Common { personality, encodings, is_signal, is_simple, register } = frame.common;
            let name = personality.map(|of| self.table.get(of).name.clone()).unwrap_or_default();
            (name, encodings, is_signal, is_simple, register.unwrap_or(u64::MAX))
        });
        if frames.is_empty() {
            return Ok(());
        }
        let (is_eh, is_debug) = self.debug.frame_tables.unwrap_or((true, false));
        if is_eh {
            self.write_frame_table(&frames, true)?;
        }
        if is_debug {
            self.write_frame_table(&frames, false)?;
        }
        Ok(())
    }

    /// Writes one of the tables: `.eh_frame`, which is loaded with the code, or `.debug_frame`.
    fn write_frame_table(&mut self, frames: &[Frame], is_eh: bool) -> Result<()> {
        let (name, flags) = if is_eh { (".eh_frame", SHF_ALLOC) } else { (".debug_frame", 0) };
        let table_section = self.section(name, SHT_PROGBITS, flags, 0);
        let start = self.here().len.next_multiple_of(POINTER.into());
        let pad = start - self.here().len;
        self.emit(&vec![0; pad as usize], Span::default())?;
        self.here_mut().align = self.here().align.max(POINTER.into());
        let mut table = Bytes::default();
        let mut common: Option<(Common, usize)> = None;
        for (n, frame) in frames.iter().enumerate() {
            // All frames of `.debug_frame` share the entry of the first frame, as in LLVM.
            let known = common.filter(|(of, _)| !is_eh || *of == frame.common);
            let (_, common_at) = known.unwrap_or_else(|| {
                let at = table.bytes.len();
                self.write_common(&mut table, (table_section, start), frame, is_eh);
                (frame.common, at)
            });
            common = Some((frame.common, common_at));
            let at = table.bytes.len();
            table.number(0, 4);
            if is_eh {
                table.number((at + 4 - common_at) as u64, 4);
                let code = self.label_at(frame.section, frame.start);
                let here = self.label_at(table_section, start + table.bytes.len() as u64);
                table.open.push((table.bytes.len() as u64, 4, difference(code, here)));
                table.number(0, 4);
                table.number(frame.end - frame.start, 4);
                // The length of the augmentation data, which comes before the rules.
                table.push(frame.data.map_or(0, |_| width(frame.common.encodings[1])));
                if let Some(data) = frame.data {
                    self.put_address(&mut table, (table_section, start), frame.common.encodings[1], data);
                }
            } else {
                let common = self.label_at(table_section, start + common_at as u64);
                table.open(4, common, 0);
                let code = self.label_at(frame.section, frame.start);
                table.open(POINTER, code, 0);
                table.number(frame.end - frame.start, POINTER);
            }
            let mut before = frame.start;
            for (at, bytes, label) in &frame.rules {
                advance(&mut table, at.saturating_sub(before) / UNIT);
                table.bytes.extend(bytes);
                if let Some(label) = label {
                    let offset = start + table.bytes.len() as u64;
                    self.table.get_mut(*label).def = Def::Label { section: table_section, offset };
                }
                before = *at;
            }
            let align = if is_eh && n + 1 < frames.len() { 4 } else { POINTER };
            table.bytes.resize(table.bytes.len().next_multiple_of(align.into()), 0);
            table.measure(at);
        }
        self.append(table_section, &table)
    }

    /// Writes the entry that frames share: its version, segments, units of code and of data, the register with the
    /// return address, and the personality.
    fn write_common(&mut self, table: &mut Bytes, place: (usize, u64), frame: &Frame, is_eh: bool) {
        let (at, common) = (table.bytes.len(), frame.common);
        table.number(0, 4);
        let parts = [("z", true), ("P", common.personality.is_some()), ("L", frame.data.is_some())];
        let parts = parts.into_iter().chain([("R", true), ("S", common.is_signal)]);
        if is_eh {
            table.number(0, 4);
            table.push(1);
            table.text(&parts.filter(|(_, is_there)| *is_there).map(|(letter, _)| letter).collect::<String>());
        } else {
            table.number(u32::MAX.into(), 4);
            table.push(4);
            // The bytes are for no augmentation, the length of an address, and no segments.
            table.bytes.extend([0, POINTER, 0]);
        }
        table.bytes.extend([UNIT as u8, SLOT as u8]);
        let register = common.register.unwrap_or(RETURN);
        if is_eh {
            // In version 1, the number of the register has one byte.
            table.push(register as u8);
            let of_personality = common.personality.map_or(0, |_| 1 + width(common.encodings[0]));
            table.push(1 + of_personality + u8::from(frame.data.is_some()));
            if let Some(personality) = common.personality {
                table.push(common.encodings[0]);
                self.put_address(table, place, common.encodings[0], personality);
            }
            if frame.data.is_some() {
                table.push(common.encodings[1]);
            }
            table.push(DISTANCE);
        } else {
            unsigned(register, &mut table.bytes);
        }
        let align = if is_eh { 4 } else { POINTER };
        table.bytes.resize(table.bytes.len().next_multiple_of(align.into()), 0);
        table.measure(at);
    }
}

fn difference(code: usize, here: usize) -> Expr {
    Expr::Binary("-", Box::new((Expr::Symbol(code, None), Expr::Symbol(here, None))), 1)
}

/// Appends the opcode that advances by a number of code units.
fn advance(table: &mut Bytes, units: u64) {
    match units {
        0 => {}
        1..=0x3f => table.push(0x40 | units as u8),
        0x40..=0xff => table.bytes.extend([2, units as u8]),
        0x100..=0xffff => {
            table.push(3);
            table.number(units, 2);
        }
        _ => {
            table.push(4);
            table.number(units, 4);
        }
    }
}
