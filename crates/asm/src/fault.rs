//! The faults of a source, with lines and columns.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use crate::flaw::{Flaw, Flaws, Span};
use crate::source::File;

/// The length in bytes of the longest line whose text a [`Place`] contains.
const LONGEST_LINE: usize = 400;

/// A place in a source, in an included file, or in the expansion of a macro or a repetition.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// The name of the file; `the macro NAME` or `a repetition` for an expansion.
    pub file: String,
    /// The line in which the place begins, from 1 on.
    pub line: usize,
    /// The number of the byte, from 1 on, at which the place begins in its first line. A place never begins inside of a
    /// character.
    pub column: usize,
    /// The line in which the place ends, from 1 on.
    pub end_line: usize,
    /// The number of the byte, from 1 on, before which the place ends in its last line. A place never ends inside of a
    /// character.
    pub end_column: usize,
    /// The text of the line in which the place begins, without the newline; `None` if it is longer than 400 bytes.
    pub text: Option<String>,
}

/// The reason why a text was read: its name, and the statement that asks for it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Origin {
    /// The name of the text: the name of an included file, `the macro NAME`, or `a repetition`.
    pub name: String,
    /// The directive or the call that asks for the text.
    pub place: Place,
}

/// Kinds of faults. For most, the caller can do something: set an option, or ask for another kind of file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Neither the source nor [`Options::target`](crate::Options::target) names the processor.
    NoProcessor,
    /// A branch does not reach its target, but would with [`Options::long_branches`](crate::Options::long_branches).
    TooFar,
    /// A code object would need a symbol that the source does not define: only
    /// [`to_object`](crate::Assembly::to_object) can leave the symbol open.
    Undefined,
    /// A code object would need the place of a variable that a linker has to place, such as one in a workgroup's
    /// memory: only [`to_object`](crate::Assembly::to_object) can leave the place open.
    Shared,
    /// The text that macros, repetitions and included files become is longer than
    /// [`Options::longest_expansion`](crate::Options::longest_expansion).
    Expansion,
    /// A section would become longer, or be aligned to more bytes, than
    /// [`Options::longest_section`](crate::Options::longest_section).
    Section,
    /// A kernel does not begin at an address at which hardware can start it. This is a warning for the source, and an
    /// error if the source becomes a code object: only [`to_object`](crate::Assembly::to_object) can leave the
    /// alignment to a linker.
    Misaligned,
    /// Any other fault: the source has to change.
    #[default]
    Other,
}

/// An error in a source, or a warning.
///
/// Messages contain texts from the source, such as names of symbols, unchanged. So a program that shows a fault on a
/// terminal has to escape control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The place of the fault; `None` for an error that is not in a source.
    pub place: Option<Place>,
    /// The reasons why the text of the place was read, from the inside out: calls of macros, and directives.
    pub from: Vec<Origin>,
    /// The message.
    pub message: String,
    /// Advice, or more about the fault.
    pub note: Option<String>,
    /// Whether the source is assembled in spite of the fault.
    pub is_warning: bool,
    /// The kind of the fault, for a caller that can do something about it.
    pub kind: Kind,
}

impl fmt::Display for Fault {
    /// Writes `FILE:LINE:COLUMN: SEVERITY: MESSAGE (NOTE)`, where `SEVERITY` is `error` or `warning`. A fault without a
    /// place is only `MESSAGE (NOTE)`. If there is no note, nothing follows the message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.place {
            let severity = if self.is_warning { "warning" } else { "error" };
            write!(f, "{}:{}:{}: {severity}: ", place.file, place.line, place.column)?;
        }
        f.write_str(&self.message)?;
        self.note.iter().try_for_each(|note| write!(f, " ({note})"))
    }
}

/// The faults of a source: errors and warnings, in the order in which they were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    all: Vec<Fault>,
    hidden: usize,
    errors: usize,
}

impl Faults {
    /// The faults that are kept, at most a hundred: the first ones, but later errors take the place of warnings.
    pub fn all(&self) -> &[Fault] {
        &self.all
    }

    /// The number of faults that are not kept.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// The number of errors, including hidden ones.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// The faults of a single error that is not in a source.
    pub(crate) fn without_place(message: String) -> Faults {
        let (place, from, note, is_warning, kind) = (None, Vec::new(), None, false, Kind::Other);
        Faults { all: vec![Fault { place, from, message, note, is_warning, kind }], hidden: 0, errors: 1 }
    }

    pub(crate) fn new(flaws: &Flaws, files: &[File]) -> Faults {
        let mut lines = Lines::new(files);
        let all = flaws.shown.iter().map(|flaw| lines.fault(flaw)).collect();
        Faults { all, hidden: flaws.hidden, errors: flaws.errors() }
    }
}

impl fmt::Display for Faults {
    /// Writes a line for each fault, and, if there are hidden faults, a line with their number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (n, fault) in self.all.iter().enumerate() {
            f.write_str(if n == 0 { "" } else { "\n" })?;
            fault.fmt(f)?;
        }
        if self.hidden > 0 {
            write!(f, "\nand {} more", self.hidden)?;
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}

/// The offsets at which lines of files begin. Each file is searched once, because a long file can have many faults.
pub(crate) struct Lines<'f> {
    files: &'f [File],
    starts: HashMap<usize, Vec<usize>>,
}

impl<'f> Lines<'f> {
    pub fn new(files: &'f [File]) -> Lines<'f> {
        Lines { files, starts: HashMap::new() }
    }

    pub fn files(&self) -> &'f [File] {
        self.files
    }

    fn fault(&mut self, flaw: &Flaw) -> Fault {
        Fault {
            place: self.place(flaw.place),
            from: self.origins(flaw.place),
            message: flaw.message.clone(),
            note: flaw.note.clone(),
            is_warning: flaw.is_warning,
            kind: flaw.kind,
        }
    }

    /// The reasons why the text of a place was read, from the inside out.
    pub fn origins(&mut self, of: Span) -> Vec<Origin> {
        let mut from = Vec::new();
        let mut next = self.files.get(of.file);
        while let Some((file, asked)) = next.and_then(|file| Some((file, file.from?))) {
            let Some(place) = self.place(asked) else { break };
            from.push(Origin { name: file.name.clone(), place });
            next = self.files.get(asked.file);
        }
        from
    }

    pub fn place(&mut self, span: Span) -> Option<Place> {
        let file = self.files.get(span.file)?;
        let span = whole(&file.text, span);
        let (line, column, range) = self.position(span.file, &file.text, span.start);
        let (end_line, end_column, _) = self.position(span.file, &file.text, span.end);
        let text = file.text.get(range).filter(|text| text.len() <= LONGEST_LINE).map(str::to_string);
        let next = file.markers.partition_point(|marker| marker.next <= line);
        let marker = next.checked_sub(1).and_then(|last| file.markers.get(last));
        let number = |line: usize| marker.map_or(line, |marker| (line - marker.next).saturating_add(marker.line));
        let name = marker.map_or(&file.name, |marker| &marker.file);
        let (line, end_line) = (number(line), number(end_line));
        Some(Place { file: name.clone(), line, column, end_line, end_column, text })
    }

    /// The line and the column of a place, from 1 on, and the line's range.
    fn position(&mut self, file: usize, text: &str, at: usize) -> (usize, usize, Range<usize>) {
        let starts = self.starts.entry(file).or_insert_with(|| {
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

/// The place, widened to whole characters: an error of a parser can begin or end inside of a character.
fn whole(text: &str, place: Span) -> Span {
    let at = |at: usize, step: isize| {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at = at.saturating_add_signed(step);
        }
        at
    };
    Span { start: at(place.start, -1), end: at(place.end.max(place.start), 1), ..place }
}
