//! Errors in a source: lines with carets for people, JSON for programs. Both name the option of the command that helps.

use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;

use amdgpu_asm::{Fault, Kind, Place};
use codespan_reporting::diagnostic::{Diagnostic, Label, Severity};
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::{self, Config};

use crate::escape;

/// The message of a fault, with the option that helps.
pub fn message(fault: &Fault) -> Cow<'_, str> {
    let text = &fault.message;
    match fault.kind {
        Kind::NoProcessor => {
            format!("{text}; so does an argument: `asm FILE PROCESSOR` or `lint --target PROCESSOR FILE`").into()
        }
        Kind::Undefined => format!("{text}: `-c` makes an object for a linker").into(),
        Kind::Shared => format!("{text}: `-c` makes an object for one").into(),
        _ => text.into(),
    }
}

fn note(fault: &Fault) -> Option<&str> {
    match fault.kind {
        Kind::TooFar => {
            Some("`asm --long-branches s[N:N+1]` goes there through two registers whose values nothing needs")
        }
        Kind::Expansion => Some("`--max-expansion BYTES` changes this limit"),
        Kind::Section => Some("`--max-section BYTES` changes this limit"),
        _ => fault.note.as_deref(),
    }
}

/// Writes a line of JSON for each fault with a place: `{"severity":…,"message":…,"file":…,"line":…,"column":…}`.
pub fn json(faults: &[Fault], out: &mut impl Write) -> std::io::Result<()> {
    for fault in faults {
        let Some(place) = &fault.place else { continue };
        let from = fault.from.iter().map(|from| {
            let Place { file, line, column, .. } = &from.place;
            serde_json::json!({ "in": from.name, "file": file, "line": line, "column": column })
        });
        let value = serde_json::json!({
            "severity": if fault.is_warning { "warning" } else { "error" },
            "message": message(fault), "note": note(fault), "file": place.file,
            "line": place.line, "column": place.column, "end_line": place.end_line, "end_column": place.end_column,
            "from": from.collect::<Vec<_>>(),
        });
        writeln!(out, "{value}")?;
    }
    Ok(())
}

/// The faults as text: lines of the source with carets.
pub fn show(faults: &[Fault], color: bool) -> String {
    let mut out = String::new();
    for fault in faults {
        let severity = if fault.is_warning { Severity::Warning } else { Severity::Error };
        let mut shown = Excerpts::default();
        let mut labels: Vec<_> =
            fault.place.iter().map(|place| Label::primary(shown.len(), shown.add(place))).collect();
        for from in fault.from.iter().take(8) {
            let label = Label::secondary(shown.len(), shown.add(&from.place));
            labels.push(label.with_message(format!("in {}", from.name)));
        }
        let diagnostic = Diagnostic::new(severity)
            .with_message(escape::message(&message(fault)))
            .with_labels(labels)
            .with_notes(note(fault).iter().map(|note| escape::message(note)).collect());
        let config = Config { display_style: term::DisplayStyle::Rich, ..Config::default() };
        let mut buffer = if color { term::termcolor::Buffer::ansi() } else { term::termcolor::Buffer::no_color() };
        // The writer is in memory and the files exist, so this cannot fail.
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
    /// The number of the line in the file.
    line: usize,
}

impl<'t> Excerpts<'t> {
    fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds the line of a place. Returns the range of the place in the line. If the line cannot be shown, the name of
    /// the excerpt states the place.
    fn add(&mut self, place: &'t Place) -> Range<usize> {
        let (name, line) = (escape::name(place.file.as_bytes()), place.line);
        let Some(text) = place.text.as_deref().filter(|text| text.chars().all(|c| !c.is_control() || c == '\t')) else {
            let name = format!("{name}:{line}:{}", place.column);
            self.0.push(Excerpt { name, text: "", line: 1 });
            return 0..0;
        };
        let end = if place.end_line == line { place.end_column - 1 } else { text.len() };
        self.0.push(Excerpt { name: name.into_owned(), text, line });
        place.column - 1..end
    }

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
