//! What is wrong in a source, with its place: for people as lines with carets, for programs as JSON.

use std::collections::HashMap;
use std::io::Write;
use std::ops::Range;

use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Config};

use super::source::File;
use crate::escape;

/// A range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    pub file: usize,
    pub start: usize,
    pub end: usize,
}

/// An error or a warning.
#[derive(Clone, Debug)]
pub struct Fault {
    pub place: Place,
    pub message: String,
    pub note: Option<String>,
    pub is_warning: bool,
}

impl Fault {
    pub fn new(place: Place, message: impl Into<String>) -> Fault {
        Fault { place, message: message.into(), note: None, is_warning: false }
    }

    pub fn note(self, note: impl Into<String>) -> Fault {
        Fault { note: Some(note.into()), ..self }
    }
}

pub type Result<T, E = Fault> = std::result::Result<T, E>;

/// Faults that are shown. A source can have millions.
pub const SHOWN: usize = 100;
/// The longest line of a source that is shown whole.
const LONGEST: usize = 400;

/// Where the lines of files begin, of which each is searched once: there can be many faults in a long one.
#[derive(Default)]
struct Lines(HashMap<usize, Vec<usize>>);

impl Lines {
    /// The line and the column of a place, from 1 on, and the line's range.
    fn position(&mut self, files: &[File], file: usize, at: usize) -> (usize, usize, Range<usize>) {
        let text = files.get(file).map_or("", |file| &file.text);
        let starts = self.0.entry(file).or_insert_with(|| {
            let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            std::iter::once(0).chain(ends.map(|(end, _)| end + 1)).collect()
        });
        let at = at.min(text.len());
        let line = starts.partition_point(|start| *start <= at);
        let start = line.checked_sub(1).and_then(|line| starts.get(line)).copied().unwrap_or(0);
        let end = starts.get(line).map_or(text.len(), |next| next - 1);
        (line, at - start + 1, start..end)
    }
}

/// The characters of a place: an error of a parser can be about a part of one.
fn whole(text: &str, place: Place) -> Place {
    let at = |at: usize, step: isize| {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at = at.saturating_add_signed(step);
        }
        at
    };
    Place { start: at(place.start, -1), end: at(place.end.max(place.start), 1), ..place }
}

/// Where the text of a place was asked for, from the inside out.
fn chain(files: &[File], place: Place) -> impl Iterator<Item = (Place, &str)> {
    let mut next = files.get(place.file);
    std::iter::from_fn(move || {
        let (from, name) = (next?.from?, next?.name.as_str());
        next = files.get(from.file);
        Some((from, name))
    })
}

/// Lines `{"severity":…,"message":…,"file":…,"line":…,"column":…}`.
pub fn json(faults: &[Fault], files: &[File], out: &mut impl Write) -> std::io::Result<()> {
    let mut lines = Lines::default();
    for fault in faults {
        let Some(file) = files.get(fault.place.file) else { continue };
        let place = whole(&file.text, fault.place);
        let (line, column, _) = lines.position(files, place.file, place.start);
        let (end_line, end_column, _) = lines.position(files, place.file, place.end);
        let from: Vec<_> = chain(files, fault.place)
            .map(|(from, name)| {
                let file = files.get(from.file);
                let (line, column, _) = lines.position(files, from.file, from.start);
                serde_json::json!({ "in": name, "file": file.map(|f| &f.name), "line": line, "column": column })
            })
            .collect();
        let value = serde_json::json!({
            "severity": if fault.is_warning { "warning" } else { "error" },
            "message": fault.message, "note": fault.note, "file": file.name,
            "line": line, "column": column, "end_line": end_line, "end_column": end_column, "from": from,
        });
        writeln!(out, "{value}")?;
    }
    Ok(())
}

/// Lines of the source with carets.
pub fn show(faults: &[Fault], files: &[File], color: bool) -> String {
    let (mut out, mut lines) = (String::new(), Lines::default());
    for fault in faults {
        let severity = if fault.is_warning { Severity::Warning } else { Severity::Error };
        let mut shown = Excerpts::default();
        let mut labels = Vec::new();
        let mut add = |place: Place, message: Option<String>| {
            let Some(file) = files.get(place.file) else { return };
            let place = whole(&file.text, place);
            let (line, column, range) = lines.position(files, place.file, place.start);
            let text = file.text.get(range.clone()).unwrap_or("");
            let name = escape::name(file.name.as_bytes()).into_owned();
            if range.len() > LONGEST || !text.chars().all(|c| !c.is_control() || c == '\t') {
                let place = format!("{name}:{line}:{column}");
                labels.push((shown.0.len(), 0..0, message));
                shown.0.push(Excerpt { name: place, text: "", line: 1 });
                return;
            }
            let from = column - 1;
            let len = place.end.min(range.end).saturating_sub(place.start);
            labels.push((shown.0.len(), from..from + len, message));
            shown.0.push(Excerpt { name, text, line });
        };
        add(fault.place, None);
        for (from, name) in chain(files, fault.place).take(8) {
            add(from, Some(format!("in {name}")));
        }
        let labels = labels.into_iter().enumerate().map(|(n, (id, range, message))| {
            let label = if n == 0 { Label::primary(id, range) } else { Label::secondary(id, range) };
            label.with_message(message.unwrap_or_default())
        });
        let diagnostic = Diagnostic::new(severity)
            .with_message(escape::message(&fault.message))
            .with_labels(labels.collect())
            .with_notes(fault.note.iter().map(|note| escape::message(note).to_string()).collect());
        let config = Config { display_style: term::DisplayStyle::Rich, ..Config::default() };
        let mut buffer = if color { term::termcolor::Buffer::ansi() } else { term::termcolor::Buffer::no_color() };
        // Into memory, with files that are there: it cannot fail.
        let _ = term::emit_to_write_style(&mut buffer, &config, &shown, &diagnostic);
        out += &String::from_utf8_lossy(buffer.as_slice());
    }
    out
}

/// Lines of files, each as a file of its own.
#[derive(Default)]
struct Excerpts<'t>(Vec<Excerpt<'t>>);

struct Excerpt<'t> {
    name: String,
    text: &'t str,
    /// Its number in the file.
    line: usize,
}

impl<'t> Excerpts<'t> {
    fn of(&self, id: usize) -> Result<&Excerpt<'t>, Error> {
        self.0.get(id).ok_or(Error::FileMissing)
    }
}

impl<'a> Files<'a> for Excerpts<'a> {
    type FileId = usize;
    type Name = String;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<String, Error> {
        self.of(id).map(|excerpt| excerpt.name.clone())
    }

    fn source(&'a self, id: usize) -> Result<&'a str, Error> {
        self.of(id).map(|excerpt| excerpt.text)
    }

    fn line_index(&'a self, _: usize, _: usize) -> Result<usize, Error> {
        Ok(0)
    }

    fn line_number(&'a self, id: usize, _: usize) -> Result<usize, Error> {
        self.of(id).map(|excerpt| excerpt.line)
    }

    fn line_range(&'a self, id: usize, _: usize) -> Result<Range<usize>, Error> {
        self.of(id).map(|excerpt| 0..excerpt.text.len())
    }
}
