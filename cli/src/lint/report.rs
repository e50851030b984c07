//! Findings as text, and as lines of JSON.

use std::fmt::Write as _;
use std::io::{self, Write};

use amdgpu_asm::Statement;
use amdgpu_lint::check::{Finding, Place, Severity};
use serde::{Serialize, Serializer};

use crate::escape;
use crate::out::{BOLD, DIM, LABEL, NAME, Out, RED};

/// A finding, as it is in JSON. Names are not escaped.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    #[serde(serialize_with = "severity")]
    pub severity: Severity,
    pub rule: &'static str,
    pub message: String,
    pub file: String,
    /// The place in the source of the statement that made the instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Source>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub image: String,
    pub target: &'static str,
    pub section: String,
    pub function: String,
    pub address: u64,
    pub instruction: String,
    /// The earlier instruction on which this one depends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub producer: Option<Producer>,
    /// The addresses of the blocks on a path from the producer to the instruction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub path: Vec<u64>,
    /// The places of the statements with which these blocks begin.
    #[serde(skip)]
    pub path_places: Vec<Option<Source>>,
    /// Advice on how to repair the code, if there is any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<String>,
    /// The instructions that are missing before the instruction.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repair: Vec<String>,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub source: &'static str,
}

#[derive(Clone, Debug, Serialize)]
pub struct Producer {
    pub address: u64,
    pub instruction: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<Source>,
}

/// A place in a source.
#[derive(Clone, Debug, Serialize)]
pub struct Source {
    pub file: String,
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The column in code units of UTF-16, from 1; `None` if the line is so long that its text is not kept.
    #[serde(skip)]
    pub utf16_column: Option<usize>,
    /// The place in a file: if the source is a macro or a repetition, the place of the call.
    #[serde(skip)]
    pub in_file: Option<Box<Source>>,
    /// The places of the macro calls and `.include` directives that led to the source, from the inside out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub from: Vec<Source>,
}

impl Source {
    fn of(statement: &Statement) -> Source {
        let from = statement.from.iter().map(|origin| Source::at(&origin.place)).collect();
        let in_file = Some(Box::new(Source::at(&statement.in_file)));
        Source { from, in_file, ..Source::at(&statement.place) }
    }

    fn at(place: &amdgpu_asm::Place) -> Source {
        let (file, from) = (place.file.clone(), Vec::new());
        let before = place.text.as_ref().and_then(|text| text.get(..place.column.checked_sub(1)?));
        let utf16_column = before.map(|before| before.encode_utf16().count() + 1);
        Source { file, line: place.line, column: place.column, utf16_column, in_file: None, from }
    }

    /// The place in a file: the place of the call, if a macro made the code.
    pub fn in_file(&self) -> &Source {
        self.in_file.as_deref().unwrap_or(self)
    }
}

fn severity<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

impl Report {
    /// The report of a finding. `image`: the part of the file that the finding is in; `place`: the statement that made
    /// the code at an address.
    pub fn new(
        file: &str,
        image: &str,
        finding: &Finding<'_>,
        place: &mut dyn FnMut(u64) -> Option<Statement>,
    ) -> Report {
        let mut place = |address| place(address).as_ref().map(Source::of);
        let producer = finding.producer.as_ref().map(|at: &Place| Producer {
            address: at.address,
            instruction: at.inst.to_string(),
            place: place(at.address),
        });
        Report {
            file: file.into(),
            place: place(finding.address),
            severity: finding.severity(),
            rule: finding.rule(),
            message: finding.what.to_string(),
            image: image.into(),
            target: finding.target.name(),
            section: finding.section.to_string(),
            function: finding.function.map_or(String::new(), |function| function.to_string()),
            address: finding.address,
            instruction: finding.inst.map_or(String::new(), |inst| inst.to_string()),
            producer,
            path: finding.path.clone(),
            path_places: finding.path.iter().map(|address| place(*address)).collect(),
            advice: finding.advice(),
            repair: finding.repair.iter().map(ToString::to_string).collect(),
            source: finding.source(),
        }
    }
}

/// Writes a finding as text. `shows_file`: whether there are several files.
pub fn text(out: &mut Out<impl Write>, finding: &Report, shows_file: bool) -> io::Result<()> {
    let style = match finding.severity {
        Severity::Error => RED,
        Severity::Warning => LABEL,
        Severity::Hint => BOLD,
    };
    out.begin(style);
    let _ = write!(out, "{}[{}]:", finding.severity, finding.rule);
    out.end(style);
    let _ = write!(out, " {}", finding.message);
    out.line()?;
    if let Some(advice) = &finding.advice {
        let _ = write!(out, "  {advice}");
        out.line()?;
    }
    let Report { address, target, instruction, .. } = finding;
    let _ = write!(out, "  {address:012X}  {instruction}");
    let shown = |name: &str| escape::name(name.as_bytes()).into_owned();
    let file = if shows_file { format!("{}: ", finding.file) } else { String::new() };
    let image = if finding.image.is_empty() { String::new() } else { shown(&finding.image) + ", " };
    let (function, section) = (shown(&finding.function), shown(&finding.section));
    out.styled(NAME, &format!("    // {file}{function} ({image}{target}, {section})"));
    out.line()?;
    source(out, finding.place.as_ref())?;
    if let Some(producer) = &finding.producer {
        let _ = write!(out, "  {:012X}  {}", producer.address, producer.instruction);
        out.styled(NAME, "    // what it depends on");
        out.line()?;
        source(out, producer.place.as_ref())?;
    }
    if !finding.path.is_empty() {
        let path: Vec<String> = finding.path.iter().map(|address| format!("{address:X}")).collect();
        out.styled(DIM, &format!("  path: {}", path.join(", ")));
        out.line()?;
    }
    if !finding.source.is_empty() {
        out.styled(DIM, &format!("  source: {}", finding.source));
        out.line()?;
    }
    Ok(())
}

/// Writes the place in a source of the statement that made an instruction.
fn source(out: &mut Out<impl Write>, place: Option<&Source>) -> io::Result<()> {
    let Some(place) = place else { return Ok(()) };
    let shown =
        |Source { file, line, column, .. }: &Source| format!("{}:{line}:{column}", escape::name(file.as_bytes()));
    let from: String = place.from.iter().map(|from| format!(", which {} asks for", shown(from))).collect();
    out.styled(NAME, &format!("    at {}{from}", shown(place)));
    out.line()
}

pub fn json(out: &mut Out<impl Write>, finding: &Report) -> io::Result<()> {
    crate::json::write(&mut out.buf, finding)?;
    out.line()
}
