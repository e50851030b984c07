//! Reads the parts of a source, line by line.

use std::collections::HashMap;
use std::ops::Range;

use super::{Block, BlockKind, Definition, DefinitionKind, Outline, Part, PartKind};
use crate::macros;
use crate::scan::{Head, Scan};
use crate::source::{DOCUMENTS, Line, Source};
use crate::target::Processor;

/// Pairs of directives that begin and end blocks.
const PAIRS: [(&[&str], &[&str]); 4] = [
    (&[".amdhsa_kernel"], &[".end_amdhsa_kernel"]),
    (&[".macro"], &[".endm", ".endmacro"]),
    (&[".rept", ".rep", ".irp", ".irpc"], &[".endr"]),
    (&macros::CONDITIONS, &[".endif"]),
];

/// Directives at which a function ends, because they change the section or describe the function.
const ENDS: [&str; 7] = [".section", ".text", ".data", ".rodata", ".bss", ".amdhsa_kernel", ".amdgpu_metadata"];

/// The outline of a source.
pub fn read(text: &str) -> Outline {
    let mut source = Source::default();
    // Only a limit on included texts refuses a text, and this one is not included.
    let _ = source.push(String::new(), text, None, false, 0);
    let mut reader = Reader::default();
    while let Some(line) = source.next_line() {
        if reader.outline.code.is_empty() {
            reader.outline.code = line.code.to_string();
        }
        if let Some(end) = reader.line(&line) {
            let block = source.block(&[], &[end]);
            let last = block.map_or(text.len(), |block| block.range.end + end.len());
            let range = line.whole().start..last.min(text.len());
            reader.outline.blocks.push(Block { kind: BlockKind::Directive, range });
        }
    }
    reader.finish(text)
}

/// The parts of the outline that have been read so far.
#[derive(Default)]
struct Reader {
    outline: Outline,
    /// Blocks without an end so far: the position in [`PAIRS`], the first byte, and the number of the definition, if
    /// there is one.
    open: Vec<(usize, usize, Option<usize>)>,
    /// The names of functions.
    functions: Vec<String>,
    /// The byte at which each function ends, by the function's name. `ends` has the first bytes of lines at which any
    /// function ends.
    sizes: HashMap<String, usize>,
    ends: Vec<usize>,
}

impl Reader {
    /// Reads a line. Returns the directive that ends a document, if a document begins here.
    fn line(&mut self, line: &Line) -> Option<&'static str> {
        let mut scan = Scan::new(line);
        while !scan.is_done() {
            let at = |range: &Range<usize>| line.range.start + range.start..line.range.start + range.end;
            let (head, range) = scan.head().ok()?;
            let word = at(&range);
            let rest = at(&(scan.at..line.text().trim_end().len().max(scan.at)));
            match head {
                Head::Label(name) => {
                    self.outline.parts.push(Part {
                        kind: PartKind::Label,
                        word: word.clone(),
                        rest: word.end..word.end,
                    });
                    self.define(name, DefinitionKind::Label, word);
                }
                Head::Assignment(name) => {
                    self.outline.parts.push(Part { kind: PartKind::Assignment, word: word.clone(), rest });
                    self.define(name, DefinitionKind::Value, word);
                    return None;
                }
                Head::Word(name) if name.starts_with('.') => {
                    self.outline.parts.push(Part { kind: PartKind::Directive, word, rest });
                    return self.directive(&name.to_ascii_lowercase(), line, scan);
                }
                Head::Word(_) => {
                    self.outline.parts.push(Part { kind: PartKind::Instruction, word, rest });
                    return None;
                }
            }
        }
        None
    }

    fn define(&mut self, name: String, kind: DefinitionKind, place: Range<usize>) -> usize {
        let number = self.outline.definitions.len();
        // Editors do not show a symbol with an empty name.
        let name = if name.is_empty() { "\"\"".to_string() } else { name };
        self.outline.numbers.entry(name.clone()).or_default().push(number);
        self.outline.definitions.push(Definition { name, kind, whole: place.clone(), place });
        number
    }

    fn directive(&mut self, word: &str, line: &Line, mut scan: Scan<'_>) -> Option<&'static str> {
        let whole = line.whole();
        if ENDS.contains(&word) {
            self.ends.push(whole.start);
        }
        let name = {
            let mut scan = scan.clone();
            scan.blank();
            let start = scan.at;
            scan.name().ok().map(|name| (name, scan.place(start)))
        };
        let mut defined = None;
        let defines = match word {
            ".set" | ".equ" | ".equiv" => Some(DefinitionKind::Value),
            ".comm" | ".common" | ".lcomm" | ".amdgpu_lds" => Some(DefinitionKind::Variable),
            ".macro" => Some(DefinitionKind::Macro),
            ".amdhsa_kernel" => Some(DefinitionKind::Kernel),
            _ => None,
        };
        if let (Some(kind), Some((name, place))) = (defines, &name) {
            defined = Some(self.define(name.clone(), kind, place.start..place.end));
        }
        match (word, name) {
            (".amdgcn_target" | ".amd_amdgpu_isa", _) => {
                let text = scan.string().ok().and_then(|text| String::from_utf8(text).ok());
                let processor = text.and_then(|text| Processor::parse(&text).ok());
                self.outline.processor = self.outline.processor.or(processor);
            }
            (".type", Some((name, _))) if line.text().trim_end().ends_with("function") => self.functions.push(name),
            (".amdhsa_kernel" | ".amdgpu_hsa_kernel", Some((name, _))) => self.functions.push(name),
            (".size", Some((name, _))) => drop(self.sizes.insert(name, whole.end)),
            _ => {}
        }
        if let Some(pair) = PAIRS.iter().position(|(opens, _)| opens.contains(&word)) {
            self.open.push((pair, whole.start, defined));
        }
        if let Some(pair) = PAIRS.iter().position(|(_, closes)| closes.contains(&word)) {
            self.close(pair, whole.end);
        }
        DOCUMENTS.iter().find(|(first, _)| *first == word).map(|(_, last)| *last)
    }

    fn close(&mut self, pair: usize, end: usize) {
        let Some(at) = self.open.iter().rposition(|(open, ..)| *open == pair) else { return };
        let Some(&(_, start, defined)) = self.open.get(at) else { return };
        self.open.truncate(at);
        self.outline.blocks.push(Block { kind: BlockKind::Directive, range: start..end });
        if let Some(definition) = defined.and_then(|number| self.outline.definitions.get_mut(number)) {
            definition.whole = start..end;
        }
    }

    fn finish(mut self, text: &str) -> Outline {
        self.bound_functions(text);
        self.comments(text);
        self.outline.blocks.sort_by_key(|block| (block.range.start, std::cmp::Reverse(block.range.end)));
        self.outline
    }

    /// Finds the ends of functions, and adds their blocks.
    fn bound_functions(&mut self, text: &str) {
        let Outline { code, definitions, numbers, blocks, .. } = &mut self.outline;
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for name in self.functions.drain(..) {
            for number in numbers.get(&name).into_iter().flatten() {
                if let Some(label) = definitions.get_mut(*number).filter(|d| d.kind == DefinitionKind::Label) {
                    label.kind = DefinitionKind::Function;
                    starts.push((label.place.start, *number));
                }
            }
        }
        starts.sort_unstable();
        for (n, &(start, number)) in starts.iter().enumerate() {
            let next = starts.get(n + 1).map_or(text.len(), |(next, _)| *next);
            let end = self.ends.get(self.ends.partition_point(|end| *end < start)).map_or(next, |end| next.min(*end));
            let Some(definition) = definitions.get_mut(number) else { continue };
            let size = self.sizes.get(&definition.name).copied().filter(|size| *size > start && *size <= end);
            // Comments before the next function belong to that function.
            let code = code.get(start..end).map_or(end, |code| start + code.trim_end().len());
            definition.whole = start..size.unwrap_or(code).max(definition.place.end);
            blocks.push(Block { kind: BlockKind::Function, range: definition.whole.clone() });
        }
    }

    /// Finds comments of several lines, and adds their blocks.
    fn comments(&mut self, text: &str) {
        let (mut at, mut block): (usize, Option<(Range<usize>, usize)>) = (0, None);
        for line in text.split_inclusive('\n').chain([""]) {
            let range = at..at + line.trim_end().len();
            at += line.len();
            let is_code = self.outline.code.get(range.clone()).is_none_or(|code| !code.trim().is_empty());
            if !range.is_empty() && !is_code {
                let start = range.end - line.trim().len();
                let (first, lines) = block.take().unwrap_or((start..range.end, 0));
                block = Some((first.start..range.end, lines + 1));
            } else if let Some((range, 2..)) = block.take() {
                self.outline.blocks.push(Block { kind: BlockKind::Comment, range });
            }
        }
    }
}
