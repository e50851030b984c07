//! What the assembler and lint say about a source.

use std::collections::{BTreeMap, btree_map::Entry};
use std::ops::Range;

use amdgpu_asm::outline::Outline;
use amdgpu_asm::{Fault, Faults, Kind, Place, Statement};
use amdgpu_isa::Inst;
use amdgpu_lint::check::{Checker, Finding, Severity};
use amdgpu_object::{Image, Part};
use lsp_types::DiagnosticSeverity;

use super::settings::Settings;
use super::text::Text;
use crate::dis;
use crate::error::Error;
use crate::lint::source::{Assembled, Source};

/// The name that places have for the document.
const DOCUMENT: &str = "";

/// Something about a range of the source.
pub struct Note {
    pub range: Range<usize>,
    pub severity: DiagnosticSeverity,
    /// The rule of lint.
    pub code: Option<&'static str>,
    pub message: String,
    /// The instruction that a finding depends on, and what to say about it.
    pub producer: Option<(Range<usize>, String)>,
}

/// What is known about a version of a document.
#[derive(Default)]
pub struct Analysis {
    pub notes: Vec<Note>,
    /// The instructions that statements became, by the lines of the assembler.
    pub code: BTreeMap<usize, Vec<Inst>>,
}

/// Assembles a source, and checks the code.
pub fn analyze(text: &Text, settings: &Settings, directory: Option<std::path::PathBuf>) -> Analysis {
    let processor = Outline::of(text.as_str()).processor;
    let options = settings.options(processor, directory);
    let mut analysis = Analysis::default();
    match Assembled::of(DOCUMENT, text.as_str(), &options) {
        Err(faults) => analysis.faults(text, &faults),
        Ok(assembled) => {
            analysis.faults(text, &assembled.warnings());
            let mut source = assembled.source();
            // The assembler has just made the file, so that nothing in it can be damaged.
            let _ = amdgpu_object::visit(&assembled.bytes, None, |part| {
                if let Part::Image(image) = part {
                    analysis.image(text, settings, &image, &mut source);
                }
                Ok::<(), Error>(())
            });
        }
    }
    analysis
}

impl Analysis {
    fn faults(&mut self, text: &Text, faults: &Faults) {
        let is_unknown = |fault: &&Fault| fault.kind == Kind::NoProcessor;
        // Each instruction lacks the processor. One error is enough.
        let missing = faults.all().iter().find(is_unknown);
        let others = faults.all().iter().filter(|fault| !is_unknown(fault));
        let notes = missing.into_iter().chain(others).map(|fault| of_fault(text, fault));
        self.notes.extend(notes);
    }

    fn image(&mut self, text: &Text, settings: &Settings, image: &Image<'_>, source: &mut Source<'_>) {
        let Ok(target) = dis::target_of(image, None) else { return };
        for section in &image.sections {
            let name = section.name.to_text();
            let checkers: Vec<Checker<'_, '_>> = Checker::in_image(section, image, target).collect();
            let mut place = |address: u64| source.at(&name, address.wrapping_sub(section.address));
            for checker in &checkers {
                for finding in checker.check(&checker.groups()) {
                    self.finding(text, settings, &finding, &mut place);
                }
            }
            for finding in Checker::of_all(&checkers) {
                self.finding(text, settings, &finding, &mut place);
            }
            let mut code = BTreeMap::new();
            for flow in checkers.iter().map(Checker::flow) {
                code.extend((0..flow.blocks().len()).flat_map(|block| flow.insts(block)));
            }
            for (address, inst) in code {
                if let Some(at) = place(address).map(|statement| statement.in_file).filter(is_document) {
                    match self.code.entry(at.line) {
                        Entry::Vacant(line) => drop(line.insert(vec![inst])),
                        Entry::Occupied(line) => line.into_mut().push(inst),
                    }
                }
            }
        }
    }

    fn finding(
        &mut self,
        text: &Text,
        settings: &Settings,
        finding: &Finding<'_>,
        place: &mut dyn FnMut(u64) -> Option<Statement>,
    ) {
        let severity = match finding.severity() {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Hint if settings.hints => DiagnosticSeverity::HINT,
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
        let range = statement.as_ref().map_or(0..0, |statement| in_document(text, statement));
        let producer = finding.producer.as_ref().and_then(|at| {
            let range = in_document(text, &place(at.address)?);
            Some((range, format!("it depends on `{}`", at.inst)))
        });
        self.notes.push(Note { range, severity, code: Some(finding.rule()), message, producer });
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

/// The place in the document of a statement: in an included file, that of the directive.
fn in_document(text: &Text, statement: &Statement) -> Range<usize> {
    let from = statement.from.iter().map(|from| &from.place);
    let found = std::iter::once(&statement.in_file).chain(from).find(|place| is_document(place));
    found.map_or(0..0, |place| range(text, place))
}

fn range(text: &Text, place: &Place) -> Range<usize> {
    text.source_offset(place.line, place.column)..text.source_offset(place.end_line, place.end_column)
}
