//! Source lines of the bytes of sections.

use crate::fault::{Lines, Origin, Place};
use crate::flaw::Span;
use crate::linked::inputs;
use crate::{Assembly, File};

/// A map from the bytes of sections to their places in the source; see [`Assembly::places`].
pub struct Places<'a> {
    lines: Lines<'a>,
    spans: &'a [Vec<(u64, Span)>],
    sections: Vec<Part>,
}

/// A section of the source that is a part of a section of the file.
struct Part {
    name: String,
    /// The offset of the part's first byte in the section of the file.
    start: u64,
    /// The number of the section in the source.
    number: usize,
}

/// The statement that bytes are from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statement {
    /// The place of the statement.
    pub place: Place,
    /// The place in a file: the place of the statement, or of the nearest call of a macro or repetition around it that
    /// is in a file.
    pub in_file: Place,
    /// The reasons why the text of the place was read, from the inside out: calls of macros, and directives.
    pub from: Vec<Origin>,
}

impl<'a> Places<'a> {
    fn new(files: &'a [File], spans: &'a [Vec<(u64, Span)>], sections: Vec<Part>) -> Places<'a> {
        Places { lines: Lines::new(files), spans, sections }
    }

    /// Returns the statement that a byte of a section of the file is from; for padding after a section of the source,
    /// the last statement before it. `None` if no statement comes before the byte.
    pub fn at(&mut self, section: &str, offset: u64) -> Option<Statement> {
        let parts = self.sections.iter().filter(|part| part.name == section && part.start <= offset);
        let part = parts.max_by_key(|part| part.start)?;
        let spans = self.spans.get(part.number)?;
        let next = spans.partition_point(|(start, _)| *start <= offset - part.start);
        let (_, span) = *spans.get(next.checked_sub(1)?)?;
        let mut in_file = span;
        while let Some(from) =
            self.lines.files().get(in_file.file).filter(|file| file.is_made).and_then(|file| file.from)
        {
            in_file = from;
        }
        let in_file = self.lines.place(in_file)?;
        Some(Statement { place: self.lines.place(span)?, in_file, from: self.lines.origins(span) })
    }
}

impl Assembly {
    /// Source lines of the bytes of the sections of [`to_code_object`](Assembly::to_code_object). Without
    /// [`Options::keeps_places`](crate::Options::keeps_places), no byte has a place.
    ///
    /// ```
    /// use amdgpu_asm::{Options, assemble};
    /// let mut options = Options::default();
    /// options.target = Some("gfx942".parse()?);
    /// options.keeps_places = true;
    /// let source = ".macro two\n s_nop 1\n s_nop 2\n.endm\n s_nop 0\n two";
    /// let assembly = assemble("input", source, &options)?;
    /// let mut places = assembly.places();
    /// assert_eq!(places.at(".text", 0).unwrap().place.line, 5);
    /// let statement = places.at(".text", 8).unwrap();
    /// assert_eq!((&*statement.place.file, statement.place.line), ("the macro two", 2));
    /// assert_eq!((&*statement.in_file.file, statement.in_file.line), ("input", 6));
    /// assert_eq!((&*statement.from[0].place.file, statement.from[0].place.line), ("input", 6));
    /// # Ok::<(), amdgpu_asm::Faults>(())
    /// ```
    pub fn places(&self) -> Places<'_> {
        let chunks = inputs::inputs(&self.image);
        let parts = chunks.iter().flat_map(|chunk| {
            chunk.inputs.iter().map(|(number, start)| Part { name: chunk.name.clone(), start: *start, number: *number })
        });
        Places::new(&self.files, &self.spans, parts.collect())
    }

    /// Source lines of the bytes of the sections of [`to_object`](Assembly::to_object).
    pub fn places_in_object(&self) -> Places<'_> {
        let sections = self.image.sections.iter().enumerate();
        let part = |(number, output): (usize, &crate::resolve::Output)| Part {
            name: output.section.name.clone(),
            start: 0,
            number,
        };
        Places::new(&self.files, &self.spans, sections.map(part).collect())
    }
}
