//! Debug information: `.file`, `.loc` and `.cfi_` directives become tables of lines and of frames (DWARF, versions 4
//! and 5), with the same bytes that LLVM's assembler writes.

mod frames;
mod tables;

use std::collections::HashMap;

use super::assembler::Assembler;
use super::flaw::{Flaw, Result, Span};
use super::scan::Scan;
use super::table::SymbolId;
use frames::Frame;

/// The limit of file numbers: each is below it.
const FILES: usize = 1 << 16;

/// The contents of the directives for debuggers so far.
#[derive(Default)]
pub struct Debug {
    files: Vec<Option<File>>,
    directories: Vec<String>,
    /// The numbers of the directories, by name.
    known: HashMap<String, usize>,
    /// The directory in which the compiler ran.
    home: String,
    /// Whether the source has a file 0, as only version 5 allows.
    is_new: bool,
    /// The line of the next instruction, if it is not in `lines` yet.
    next: Option<Line>,
    /// Whether the last line does not begin a statement.
    is_not_stmt: bool,
    /// The lines of each section with their offsets, in the order of the sections' first lines.
    lines: Vec<(usize, Vec<(u64, Line)>)>,
    /// Whether frames become the section `.eh_frame`, and whether they become `.debug_frame`; `None` if no directive
    /// (`.cfi_sections`) states it.
    frame_tables: Option<(bool, bool)>,
    /// The frame that is being read, and the finished frames.
    frame: Option<Frame>,
    frames: Vec<Frame>,
}

#[derive(Clone)]
struct File {
    directory: usize,
    name: String,
    md5: Option<u128>,
    /// The text of the file.
    source: Option<String>,
}

/// The line that `.loc` gives to the instructions after it.
#[derive(Clone, Copy, Default)]
struct Line {
    file: u64,
    line: u64,
    column: u64,
    isa: u64,
    discriminator: u64,
    is_stmt: bool,
    basic_block: bool,
    prologue_end: bool,
    epilogue_begin: bool,
    /// The symbol that `.loc_label` puts into the table instead of a line.
    label: Option<SymbolId>,
}

impl Assembler {
    /// Handles a directive for debuggers. Returns whether `word` is one.
    pub fn debug_directive(&mut self, word: &str, place: Span, scan: &mut Scan<'_>) -> Result<bool> {
        match word {
            ".file" => self.file(place, scan)?,
            ".loc" => self.loc(place, scan)?,
            ".loc_label" => {
                let (id, place) = self.symbol_name(scan)?;
                self.not_defined(id, place)?;
                self.table.get_mut(id).place = place;
                self.add_line(Line { label: Some(id), ..Line::default() });
            }
            _ => return self.frame_directive(word, place, scan),
        }
        Ok(true)
    }

    /// Reads `.file NUMBER ["DIRECTORY"] "NAME" [md5 CHECKSUM] [source "TEXT"]`.
    fn file(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        if !scan.peek().is_ascii_digit() {
            // `.file` without a number names only the source, and no table needs that name.
            return scan.string().map(drop);
        }
        let number = self.number(scan)?;
        let number = usize::try_from(number).ok().filter(|n| *n < FILES);
        let number = number.ok_or_else(|| Flaw::new(place, format!("files have numbers below {FILES}")))?;
        let text = |scan: &mut Scan<'_>| scan.string().map(|text| String::from_utf8_lossy(&text).into_owned());
        let (mut directory, mut name) = (String::new(), text(scan)?);
        scan.blank();
        if scan.peek() == b'"' {
            (directory, name) = (name, text(scan)?);
        }
        let (mut md5, mut source) = (None, None);
        while !scan.is_done() {
            if scan.eat("md5") {
                scan.blank();
                let from = scan.at;
                let number = super::data::wide(scan.word());
                md5 = Some(number.ok_or_else(|| scan.since(from, "a number of 128 bits expected"))?);
            } else if scan.eat("source") {
                scan.blank();
                source = Some(text(scan)?);
            } else {
                return Err(scan.fault("`md5` or `source` expected"));
            }
        }
        let debug = &mut self.debug;
        if debug.files.get(number).is_some_and(Option::is_some) {
            return Err(Flaw::new(place, format!("there is a file {number} already")));
        }
        if number == 0 {
            (debug.home, debug.is_new) = (std::mem::take(&mut directory), true);
        } else if directory.is_empty() {
            if let Some((before, last)) = name.rsplit_once('/').filter(|(_, last)| !last.is_empty()) {
                (directory, name) = (before.to_string(), last.to_string());
            }
        }
        let directory = match directory {
            directory if directory.is_empty() || directory == debug.home => 0,
            directory => debug.directory(directory),
        };
        debug.files.resize(debug.files.len().max(number + 1), None);
        debug.files[number] = Some(File { directory, name, md5, source });
        Ok(())
    }

    /// Reads `.loc FILE [LINE [COLUMN]] [OPTION...]`.
    fn loc(&mut self, place: Span, scan: &mut Scan<'_>) -> Result<()> {
        // The line of the previous `.loc` gets an entry even if no instruction has it.
        self.line_entry();
        let file = self.natural(scan)?;
        // The line and the column are optional.
        scan.blank();
        let line = if scan.peek().is_ascii_digit() { plain(scan)? } else { 0 };
        scan.blank();
        let column = if scan.peek().is_ascii_digit() { plain(scan)? } else { 0 };
        let mut next = Line { file, line, column, is_stmt: !self.debug.is_not_stmt, ..Line::default() };
        while !scan.is_done() {
            let from = scan.at;
            if scan.peek() == b'-' {
                return Err(scan.fault("lines and columns are not negative"));
            }
            match scan.word() {
                "basic_block" => next.basic_block = true,
                "prologue_end" => next.prologue_end = true,
                "epilogue_begin" => next.epilogue_begin = true,
                "is_stmt" => {
                    scan.blank();
                    let from = scan.at;
                    next.is_stmt = match self.natural(scan)? {
                        value @ 0..=1 => value == 1,
                        _ => return Err(scan.since(from, "`is_stmt` is 0 or 1")),
                    };
                }
                "isa" => next.isa = self.natural(scan)?,
                "discriminator" => next.discriminator = self.natural(scan)?,
                _ => return Err(scan.since(from, "no such property of a line")),
            }
        }
        let has_file = usize::try_from(file).ok().and_then(|n| self.debug.files.get(n)).is_some_and(Option::is_some);
        if !has_file {
            return Err(Flaw::new(place, format!("no `.file {file}` is above")));
        }
        self.debug.is_not_stmt = !next.is_stmt;
        self.debug.next = Some(next);
        Ok(())
    }

    fn natural(&mut self, scan: &mut Scan<'_>) -> Result<u64> {
        scan.blank();
        let from = scan.at;
        let number = self.number(scan)?;
        u32::try_from(number).map(u64::from).map_err(|_| scan.since(from, "a number of 32 bits expected"))
    }

    /// Gives the line of the last `.loc` to the next bytes.
    pub fn line_entry(&mut self) {
        if let Some(line) = self.debug.next.take() {
            self.add_line(line);
        }
    }

    fn add_line(&mut self, line: Line) {
        let (section, offset) = (self.table.section, self.here().len);
        match self.debug.lines.iter_mut().find(|(of, _)| *of == section) {
            Some((_, lines)) => lines.push((offset, line)),
            None => self.debug.lines.push((section, vec![(offset, line)])),
        }
    }
}

/// Reads a number that is not an expression.
fn plain(scan: &mut Scan<'_>) -> Result<u64> {
    let from = scan.at;
    let number = super::expr::number(scan.word()).and_then(|number| u32::try_from(number).ok());
    number.map(u64::from).ok_or_else(|| scan.since(from, "a number of 32 bits expected"))
}

impl Debug {
    /// Forgets the line of the last `.loc` if no bytes have it yet. As in LLVM's assembler, a line is not carried into
    /// another section.
    pub fn leave_line(&mut self) {
        self.next = None;
    }

    /// Moves lines and frames with their sections; `moved` has the new number of each section, and its offset there.
    pub fn join(&mut self, moved: &[(usize, u64)]) {
        let there = |section: usize| moved.get(section).copied().unwrap_or_default();
        let mut joined: Vec<(usize, Vec<(u64, Line)>)> = Vec::new();
        for (section, lines) in std::mem::take(&mut self.lines) {
            let (section, base) = there(section);
            let lines = lines.into_iter().map(|(offset, line)| (offset + base, line));
            match joined.iter_mut().find(|(of, _)| *of == section) {
                Some((_, all)) => all.extend(lines),
                None => joined.push((section, lines.collect())),
            }
        }
        joined.iter_mut().for_each(|(_, lines)| lines.sort_by_key(|(offset, _)| *offset));
        self.lines = joined;
        self.frames.iter_mut().for_each(|frame| {
            let (section, base) = there(frame.section);
            frame.move_to(section, base);
        });
    }

    /// Returns the number of a directory. A new directory gets the next number. (0 is the directory in which the
    /// compiler ran.)
    fn directory(&mut self, name: String) -> usize {
        *self.known.entry(name).or_insert_with_key(|name| {
            self.directories.push(name.clone());
            self.directories.len()
        })
    }
}
