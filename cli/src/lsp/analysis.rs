//! The analysis of a source by the assembler and lint.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use amdgpu_asm::outline::Outline;
use amdgpu_asm::{Fault, Faults, Kind, Place, Statement};
use amdgpu_isa::Inst;
use amdgpu_lint::check::{Checker, Finding, Severity};
use amdgpu_object::{Image, Part, Section};
use lsp_types::DiagnosticSeverity;

use super::settings::Settings;
use super::text::Text;
use crate::dis;
use crate::error::Error;
use crate::lint::source::{Assembled, Source};

/// The file name that places in the document have.
const DOCUMENT: &str = "";

/// An error, a warning or a hint about a range of the source.
#[derive(Clone)]
pub struct Note {
    pub range: Range<usize>,
    pub severity: DiagnosticSeverity,
    /// The rule of lint, if the message is a finding.
    pub code: Option<&'static str>,
    pub message: String,
    /// The earlier instruction on which the instruction of a finding depends, and a message about it.
    pub producer: Option<(Range<usize>, String)>,
}

/// The results about a version of a document.
#[derive(Clone, Default)]
pub struct Analysis {
    pub notes: Vec<Note>,
    /// The instructions that statements became, by the lines of the statements, as the assembler counts lines.
    pub code: Arc<BTreeMap<usize, Vec<Inst>>>,
}

/// A function that gets the results so far before each part of the work that can take long, and returns whether to
/// continue.
pub type Watch<'a> = dyn FnMut(&Analysis) -> bool + 'a;

/// Assembles a source, and checks the code.
pub fn analyze(text: &Text, settings: &Settings, directory: Option<PathBuf>, watch: &mut Watch<'_>) -> Analysis {
    let processor = Outline::of(text.as_str()).processor;
    let options = settings.options(processor, directory);
    let mut analyzer = Analyzer { text, hints: settings.hints, watch, analysis: Analysis::default() };
    match Assembled::of(DOCUMENT, text.as_str(), &options) {
        Err(faults) => analyzer.faults(&faults),
        Ok(assembled) => {
            analyzer.faults(&assembled.warnings());
            let mut source = assembled.source();
            // The assembler has just made the file, so that nothing in it can be damaged.
            let _ = amdgpu_object::visit(&assembled.bytes, None, |part| {
                if let Part::Image(image) = part {
                    analyzer.image(&image, &mut source);
                }
                Ok::<(), Error>(())
            });
        }
    }
    analyzer.analysis
}

struct Analyzer<'a, 'w> {
    text: &'a Text,
    /// Whether hints are reported.
    hints: bool,
    watch: &'a mut Watch<'w>,
    analysis: Analysis,
}

impl Analyzer<'_, '_> {
    fn faults(&mut self, faults: &Faults) {
        let is_unknown = |fault: &&Fault| fault.kind == Kind::NoProcessor;
        // Without a processor, every instruction is an error. Only the first of these errors is shown.
        let missing = faults.all().iter().find(is_unknown);
        let others = faults.all().iter().filter(|fault| !is_unknown(fault));
        let notes = missing.into_iter().chain(others).map(|fault| of_fault(self.text, fault));
        self.analysis.notes.extend(notes);
    }

    fn image(&mut self, image: &Image<'_>, source: &mut Source<'_>) {
        let Ok(target) = dis::target_of(image, None) else { return };
        let in_section = |section| Checker::in_image(section, image, target).collect();
        let sections: Vec<(&Section<'_>, Vec<Checker<'_, '_>>)> =
            image.sections.iter().map(|section| (section, in_section(section))).collect();
        let mut code = BTreeMap::new();
        for (section, checkers) in &sections {
            self::code(&mut code, checkers, &mut |address| at(source, section, address));
        }
        self.analysis.code = Arc::new(code);
        for (section, checkers) in &sections {
            let mut place = |address| at(source, section, address);
            for checker in checkers {
                for group in checker.groups().chunks(1) {
                    if !(self.watch)(&self.analysis) {
                        return;
                    }
                    for finding in checker.check(group) {
                        self.finding(&finding, &mut place);
                    }
                }
            }
            for finding in Checker::of_all(checkers) {
                self.finding(&finding, &mut place);
            }
        }
    }

    fn finding(&mut self, finding: &Finding<'_>, place: &mut dyn FnMut(u64) -> Option<Statement>) {
        let severity = match finding.severity() {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint if self.hints => DiagnosticSeverity::HINT,
            Severity::Hint => return,
        };
        let mut message = finding.what.to_string();
        if let Some(advice) = advice(finding, place) {
            message = format!("{message}\n{advice}");
        }
        let statement = place(finding.address);
        if let Some(Statement { place, .. }) = statement.as_ref().filter(|statement| !is_document(&statement.place)) {
            message = format!("{message}\nin {}, line {}", place.file, place.line);
        }
        let range = statement.as_ref().map_or(0..0, |statement| in_document(self.text, statement));
        let producer = finding.producer.as_ref().and_then(|at| {
            let range = in_document(self.text, &place(at.address)?);
            Some((range, format!("it depends on `{}`", at.inst)))
        });
        self.analysis.notes.push(Note { range, severity, code: Some(finding.rule()), message, producer });
    }
}

/// The statement that made the code at an address.
fn at(source: &mut Source<'_>, section: &Section<'_>, address: u64) -> Option<Statement> {
    source.at(&section.name.to_text(), address.wrapping_sub(section.address))
}

/// Adds the instructions that checkers know to the lines of the statements that made them.
fn code(
    lines: &mut BTreeMap<usize, Vec<Inst>>,
    checkers: &[Checker<'_, '_>],
    place: &mut dyn FnMut(u64) -> Option<Statement>,
) {
    let mut code = BTreeMap::new();
    for flow in checkers.iter().map(Checker::flow) {
        code.extend((0..flow.blocks().len()).flat_map(|block| flow.insts(block)));
    }
    for (address, inst) in code {
        if let Some(at) = place(address).map(|statement| statement.in_file).filter(is_document) {
            lines.entry(at.line).or_default().push(inst);
        }
    }
}

/// The instructions to insert, with lines instead of addresses.
fn advice(finding: &Finding<'_>, place: &mut dyn FnMut(u64) -> Option<Statement>) -> Option<String> {
    let repair: Vec<String> = finding.repair.iter().map(Inst::to_string).collect();
    if repair.is_empty() {
        return None;
    }
    let clause = finding.clause.and_then(place).map(|statement| statement.in_file.line);
    let end = clause.map_or(String::new(), |line| format!(", and end the clause of line {line} there"));
    Some(format!("insert `{}` before it{end}", repair.join("; ")))
}

fn of_fault(text: &Text, fault: &Fault) -> Note {
    let mut message = fault.message.clone();
    if fault.kind == Kind::NoProcessor {
        message += ", or the setting `target` of this server";
    }
    if let Some(note) = &fault.note {
        message = format!("{message}\n{note}");
    }
    if let Some(place) = fault.place.as_ref().filter(|place| !is_document(place)) {
        message = format!("{message}\nin {}, line {}, column {}", place.file, place.line, place.column);
    }
    let places = fault.place.iter().chain(fault.from.iter().map(|from| &from.place));
    let range = places.into_iter().find(|place| is_document(place)).map_or(0..0, |place| range(text, place));
    let severity = if fault.is_warning { DiagnosticSeverity::WARNING } else { DiagnosticSeverity::ERROR };
    Note { range, severity, code: None, message, producer: None }
}

fn is_document(place: &Place) -> bool {
    place.file == DOCUMENT
}

/// The place of a statement in the document: if it is in an included file, the place of the directive.
fn in_document(text: &Text, statement: &Statement) -> Range<usize> {
    let from = statement.from.iter().map(|from| &from.place);
    let found = std::iter::once(&statement.in_file).chain(from).find(|place| is_document(place));
    found.map_or(0..0, |place| range(text, place))
}

fn range(text: &Text, place: &Place) -> Range<usize> {
    text.source_offset(place.line, place.column)..text.source_offset(place.end_line, place.end_column)
}
