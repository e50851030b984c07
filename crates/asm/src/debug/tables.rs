//! The tables of lines.

use std::collections::HashMap;

use amdgpu_object::elf::{SHF_MERGE, SHF_STRINGS, SHT_PROGBITS};

use super::{File, Line};
use crate::assembler::{Assembler, FixupKind};
use crate::expr::{Expr, Variant};
use crate::flaw::{Flaw, Result, Span};
use crate::leb::{signed, unsigned};
use crate::table::{Def, SymbolId};

/// The unit of addresses in bytes. The length of every instruction is a multiple of it.
const UNIT: u64 = 4;
const LINE_BASE: i64 = -5;
const LINE_RANGE: u64 = 14;
const OPCODE_BASE: u8 = 13;
/// The numbers of operands of the standard opcodes.
const OPERANDS: [u8; 12] = [0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1];
/// The greatest number of address units that a special opcode adds.
const MOST: u64 = (255 - OPCODE_BASE as u64) / LINE_RANGE;

const COPY: u8 = 1;
const ADVANCE_PC: u8 = 2;
const ADVANCE_LINE: u8 = 3;
const SET_FILE: u8 = 4;
const SET_COLUMN: u8 = 5;
const NEGATE_STMT: u8 = 6;
const SET_BASIC_BLOCK: u8 = 7;
const CONST_ADD_PC: u8 = 8;
const SET_PROLOGUE_END: u8 = 10;
const SET_EPILOGUE_BEGIN: u8 = 11;
const SET_ISA: u8 = 12;
const END_SEQUENCE: u8 = 1;
const SET_ADDRESS: u8 = 2;
const SET_DISCRIMINATOR: u8 = 4;

/// The forms of values in version 5: an offset in the table of strings, a number, 16 bytes.
const LINE_STRP: u8 = 0x1f;
const UDATA: u8 = 0x0f;
const DATA16: u8 = 0x1e;
/// The kinds of parts of an entry: a path, the number of a directory, the file's checksum.
const PATH: u8 = 1;
const DIRECTORY: u8 = 2;
const MD5: u8 = 5;
/// The part of an entry with the text of a file: `DW_LNCT_LLVM_source`.
const SOURCE: u64 = 0x2001;

const POINTER: u8 = 8;

/// The bytes of a table, with the offset, the width and the value of each place that a linker fills in.
#[derive(Default)]
pub struct Bytes {
    pub bytes: Vec<u8>,
    pub open: Vec<(u64, u8, Expr)>,
}

impl Bytes {
    pub fn push(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub fn number(&mut self, value: u64, width: u8) {
        self.bytes.extend(value.to_le_bytes().iter().take(width.into()));
    }

    pub fn text(&mut self, text: &str) {
        self.bytes.extend(text.bytes().chain([0]));
    }

    pub fn open(&mut self, width: u8, of: SymbolId, addend: u64) {
        let parts = (Expr::Symbol(of, Variant::None), Expr::Int(addend as i64));
        self.open.push((self.bytes.len() as u64, width, Expr::Binary("+", Box::new(parts), 1)));
        self.number(0, width);
    }

    /// Writes the length of the bytes after a length field at `at` into this field.
    pub fn measure(&mut self, at: usize) {
        let len = (self.bytes.len() - at - 4) as u32;
        if let Some(there) = self.bytes.get_mut(at..at + 4) {
            there.copy_from_slice(&len.to_le_bytes());
        }
    }
}

/// The table of strings to which the table of lines refers.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    known: HashMap<String, u64>,
}

impl Strings {
    fn add(&mut self, text: &str) -> u64 {
        let next = self.bytes.len() as u64;
        let known = *self.known.entry(text.to_string()).or_insert(next);
        if known == next {
            self.bytes.extend(text.bytes().chain([0]));
        }
        known
    }
}

impl Assembler {
    /// Writes the tables, once all code has its place.
    pub fn write_debug(&mut self) -> Result<()> {
        if let Some(frame) = &self.debug.frame {
            return Err(Flaw::new(frame.place, "no .cfi_endproc follows"));
        }
        self.write_frames()?;
        let files = &self.debug.files;
        if let Some(gap) = (1..files.len()).find(|n| files[*n].is_none()) {
            let end = self.source.files.first().map_or(0, |file| file.text.len());
            let place = Span { file: 0, start: end, end };
            return Err(Flaw::new(place, format!("there is no .file {gap}, but one with a greater number")));
        }
        if !self.debug.lines.is_empty() || self.debug.files.iter().any(Option::is_some) {
            self.write_lines()?;
        }
        Ok(())
    }

    pub fn label_at(&mut self, section: usize, offset: u64) -> SymbolId {
        (self.table.section, self.table.offset) = (section, offset);
        self.table.here()
    }

    /// Appends a table to a section.
    pub fn append(&mut self, section: usize, table: &Bytes) -> Result<()> {
        self.switch(section);
        let start = self.here().len;
        self.emit(&table.bytes, Span::default())?;
        for (at, width, expr) in &table.open {
            let (offset, expr) = (start + at, expr.clone());
            let (kind, place) = (FixupKind::Data(*width), Span::default());
            self.here_mut().fixups.push(crate::assembler::Fixup { offset, kind, expr, place });
        }
        Ok(())
    }

    fn write_lines(&mut self) -> Result<()> {
        let own = self.section(".debug_line", SHT_PROGBITS, 0, 0);
        let before = self.here().len;
        let (mut table, mut strings) = (Bytes::default(), Strings::default());
        let version = if self.debug.is_new { 5 } else { 4 };
        table.number(0, 4);
        table.number(version, 2);
        if version == 5 {
            // The length of an address, and 0 for no segments.
            table.bytes.extend([POINTER, 0]);
        }
        let start = table.bytes.len();
        table.number(0, 4);
        table.bytes.extend([UNIT as u8, 1, 1, LINE_BASE as u8, LINE_RANGE as u8, OPCODE_BASE]);
        table.bytes.extend(OPERANDS);
        if version == 5 {
            let texts = self.section(".debug_line_str", SHT_PROGBITS, SHF_MERGE | SHF_STRINGS, 1);
            let texts_start = self.label_at(texts, 0);
            self.files(&mut table, &mut strings, texts_start);
            self.switch(texts);
            self.emit(&strings.bytes, Span::default())?;
        } else {
            self.old_files(&mut table);
        }
        table.measure(start);
        for (section, lines) in std::mem::take(&mut self.debug.lines) {
            let end = self.sections[section].len;
            for part in lines.split_inclusive(|(_, line)| line.label.is_some()) {
                let label = part.last().and_then(|(offset, line)| Some((*offset, line.label?)));
                let lines = part.get(..part.len() - usize::from(label.is_some())).unwrap_or(&[]);
                if let Some((start, _)) = lines.first() {
                    let first = self.label_at(section, *start);
                    sequence(&mut table, first, lines, label.map_or(end, |(offset, _)| offset));
                }
                if let Some((_, id)) = label {
                    self.not_defined(id, self.table.get(id).place)?;
                    self.table.register(id);
                    let offset = before + table.bytes.len() as u64;
                    self.table.get_mut(id).def = Def::Label { section: own, offset };
                }
            }
        }
        table.measure(0);
        self.append(own, &table)
    }

    /// Writes the directories and files of version 5.
    fn files(&self, table: &mut Bytes, strings: &mut Strings, texts: SymbolId) {
        let debug = &self.debug;
        let mut text = |table: &mut Bytes, text: &str| table.open(4, texts, strings.add(text));
        table.bytes.extend([1, PATH, LINE_STRP]);
        unsigned(debug.directories.len() as u64 + 1, &mut table.bytes);
        for directory in [&debug.home].into_iter().chain(&debug.directories) {
            text(table, directory);
        }
        let has_md5 = debug.files.iter().flatten().all(|file| file.md5.is_some());
        let has_source = debug.files.iter().flatten().any(|file| file.source.is_some());
        let columns = 2 + u8::from(has_md5) + u8::from(has_source);
        table.bytes.extend([columns, PATH, LINE_STRP, DIRECTORY, UDATA]);
        if has_md5 {
            table.bytes.extend([MD5, DATA16]);
        }
        if has_source {
            unsigned(SOURCE, &mut table.bytes);
            table.push(LINE_STRP);
        }
        unsigned(debug.files.len() as u64, &mut table.bytes);
        let none = File { directory: 0, name: String::new(), md5: Some(0), source: None };
        for file in debug.files.iter().map(|file| file.as_ref().unwrap_or(&none)) {
            text(table, &file.name);
            unsigned(file.directory as u64, &mut table.bytes);
            if let Some(md5) = file.md5.filter(|_| has_md5) {
                table.bytes.extend(md5.to_be_bytes());
            }
            if has_source {
                text(table, file.source.as_deref().unwrap_or(""));
            }
        }
    }

    /// Writes the directories and files of version 4, which numbers both from 1 on.
    fn old_files(&self, table: &mut Bytes) {
        self.debug.directories.iter().for_each(|directory| table.text(directory));
        table.push(0);
        for file in self.debug.files.iter().skip(1) {
            let (name, directory) = file.as_ref().map_or(("", 0), |file| (file.name.as_str(), file.directory));
            table.text(name);
            unsigned(directory as u64, &mut table.bytes);
            // The time of the last change and the length, which are not known.
            table.bytes.extend([0, 0]);
        }
        table.push(0);
    }
}

/// Writes successive lines of a section, from the place `first` up to the offset `end`.
fn sequence(table: &mut Bytes, first: SymbolId, lines: &[(u64, Line)], end: u64) {
    let mut now = Line { file: 1, line: 1, is_stmt: true, ..Line::default() };
    let mut before = None;
    for (offset, line) in lines {
        let mut set = |opcode: u8, old: u64, new: u64| {
            if old != new {
                table.push(opcode);
                unsigned(new, &mut table.bytes);
            }
        };
        set(SET_FILE, now.file, line.file);
        set(SET_COLUMN, now.column, line.column);
        if line.discriminator != 0 {
            let mut number = Vec::new();
            unsigned(line.discriminator, &mut number);
            table.push(0);
            unsigned(number.len() as u64 + 1, &mut table.bytes);
            table.push(SET_DISCRIMINATOR);
            table.bytes.extend(number);
        }
        if now.isa != line.isa {
            table.push(SET_ISA);
            unsigned(line.isa, &mut table.bytes);
        }
        let flags = [
            (NEGATE_STMT, now.is_stmt != line.is_stmt),
            (SET_BASIC_BLOCK, line.basic_block),
            (SET_PROLOGUE_END, line.prologue_end),
            (SET_EPILOGUE_BEGIN, line.epilogue_begin),
        ];
        table.bytes.extend(flags.iter().filter(|(_, is_set)| *is_set).map(|(opcode, _)| opcode));
        let units = match before {
            Some(before) => offset.saturating_sub(before) / UNIT,
            None => {
                table.bytes.extend([0, POINTER + 1, SET_ADDRESS]);
                table.open(POINTER, first, 0);
                0
            }
        };
        advance(line.line as i64 - now.line as i64, units, &mut table.bytes);
        (now, before) = (*line, Some(*offset));
    }
    let units = end.saturating_sub(before.unwrap_or(end)) / UNIT;
    if units == MOST {
        table.push(CONST_ADD_PC);
    } else if units > 0 {
        table.push(ADVANCE_PC);
        unsigned(units, &mut table.bytes);
    }
    table.bytes.extend([0, 1, END_SEQUENCE]);
}

/// Writes opcodes that add to the line and to the address, and make a row of the table.
fn advance(lines: i64, units: u64, out: &mut Vec<u8>) {
    let is_special = (LINE_BASE..LINE_BASE + LINE_RANGE as i64).contains(&lines);
    let rest = if is_special { lines } else { 0 };
    if !is_special {
        out.push(ADVANCE_LINE);
        signed(lines, out);
    }
    if rest == 0 && units == 0 {
        out.push(COPY);
        return;
    }
    let special = (rest - LINE_BASE) as u64 + u64::from(OPCODE_BASE);
    let with = |units: u64| u8::try_from(units.saturating_mul(LINE_RANGE).saturating_add(special)).ok();
    if let Some(opcode) = with(units) {
        out.push(opcode);
    } else if let Some(opcode) = units.checked_sub(MOST).and_then(with) {
        out.extend([CONST_ADD_PC, opcode]);
    } else {
        out.push(ADVANCE_PC);
        unsigned(units, out);
        out.push(if is_special { special as u8 } else { COPY });
    }
}
