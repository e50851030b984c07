//! Completion: the texts that can be at a place of a source.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;

use amdgpu_asm::known;
use amdgpu_asm::outline::{DefinitionKind, Part, PartKind};
use amdgpu_isa::processor::Processor;
use amdgpu_isa::text::signatures;
use amdgpu_isa::{Format, Opcode, Target};
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, TextEdit};

use super::document::Document;
use super::operands::{self, Choice};
use super::settings::Settings;

/// The range that is replaced, and the texts that can replace it.
type Choices = (Range<usize>, Vec<Choice>);

pub fn complete(document: &Document, settings: &Settings, at: usize) -> Vec<CompletionItem> {
    if document.is_comment(at) {
        return Vec::new();
    }
    let part = document.part(at).filter(|part| part.kind != PartKind::Label && at > part.word.end);
    let found = match part {
        None => Some(beginnings(document, settings, at)),
        Some(part) => match part.kind {
            PartKind::Directive => Some(of_directive(document, part, at)),
            PartKind::Instruction => document.target(settings).map(|target| of_instruction(document, target, part, at)),
            _ => Some((word(document, part, at), symbols(document, |_| true))),
        },
    };
    found.map_or(Vec::new(), |(range, choices)| items(document, at, range, choices))
}

fn choice(text: impl Into<String>, kind: CompletionItemKind, detail: impl Into<String>, rank: u8) -> Choice {
    Choice { text: text.into(), kind, detail: detail.into(), rank }
}

/// Mnemonics, directives and macros.
fn beginnings(document: &Document, settings: &Settings, at: usize) -> Choices {
    let range = document.outline().name_at(at).map_or(at..at, |name| name.start..at);
    let word = document.text.get(range.clone());
    let target = document.target(settings);
    let mut choices = Vec::new();
    if word.is_empty() || word.starts_with('.') {
        for name in target.into_iter().flat_map(known::of_kernels) {
            let meaning = known::meaning(&name).unwrap_or("sets a part of the kernel descriptor");
            choices.push(choice(name, CompletionItemKind::KEYWORD, meaning, 2));
        }
        for (name, meaning) in known::DIRECTIVES {
            choices.push(choice(*name, CompletionItemKind::KEYWORD, *meaning, 1));
        }
    }
    if !word.starts_with('.') {
        choices.extend(symbols(document, |kind| kind == DefinitionKind::Macro));
        choices.extend(target.into_iter().flat_map(|target| mnemonics(target, |_| true)));
    }
    (range, choices)
}

/// The mnemonics of a target that have a form in a wanted format.
fn mnemonics(target: Target, is_wanted: impl Fn(Format) -> bool) -> impl Iterator<Item = Choice> {
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let forms = Opcode::ALL.iter().flat_map(|opcode| opcode.signatures(target));
    for form in forms.filter(|form| is_wanted(form.format())) {
        let formats = all.entry(form.mnemonic()).or_default();
        if !formats.contains(&form.format().name()) {
            formats.push(form.format().name());
        }
    }
    all.into_iter().map(|(name, formats)| choice(name, CompletionItemKind::FUNCTION, formats.join(", "), 0))
}

/// The names that the source defines.
fn symbols(document: &Document, is_wanted: impl Fn(DefinitionKind) -> bool) -> Vec<Choice> {
    let mut seen = HashSet::new();
    let definitions = document.outline().definitions.iter();
    let named = definitions.filter(|definition| is_wanted(definition.kind) && seen.insert(&definition.name));
    let symbol = |kind| match kind {
        DefinitionKind::Function => (CompletionItemKind::FUNCTION, "function"),
        DefinitionKind::Kernel => (CompletionItemKind::STRUCT, "kernel"),
        DefinitionKind::Macro => (CompletionItemKind::MODULE, "macro"),
        DefinitionKind::Value => (CompletionItemKind::CONSTANT, "value"),
        DefinitionKind::Variable => (CompletionItemKind::VARIABLE, "variable"),
        _ => (CompletionItemKind::REFERENCE, "label"),
    };
    let choices = named.map(|definition| {
        let (kind, detail) = symbol(definition.kind);
        choice(&definition.name, kind, detail, if kind == CompletionItemKind::CONSTANT { 1 } else { 0 })
    });
    choices.collect()
}

/// The range of the word before a byte, after the first word of a statement.
fn word(document: &Document, part: &Part, at: usize) -> Range<usize> {
    document.outline().name_at(at).map_or(at..at, |name| name.start.max(part.word.end)..at)
}

fn of_directive(document: &Document, part: &Part, at: usize) -> Choices {
    let directive = document.text.get(part.word.clone()).to_ascii_lowercase();
    let range = word(document, part, at);
    match directive.as_str() {
        ".amdgcn_target" => {
            let rest = document.text.get(part.word.end..at);
            let start = at - rest.trim_start().len();
            let name = |processor: Processor| format!("\"amdgcn-amd-amdhsa--{}\"", processor.name());
            let names = Processor::all().map(name).map(|text| choice(text, CompletionItemKind::VALUE, "", 0));
            (start..at, names.collect())
        }
        ".type" => {
            let mut choices = symbols(document, |kind| kind != DefinitionKind::Macro);
            choices.extend(["@function", "@object"].map(|text| choice(text, CompletionItemKind::KEYWORD, "", 1)));
            (range, choices)
        }
        _ => (range, symbols(document, |_| true)),
    }
}

/// The operand or the modifier of an instruction that a byte is in.
struct Place {
    /// The number of the operand.
    operand: usize,
    /// The byte at which the text of the operand or modifier begins.
    start: usize,
    /// Whether a text comes before the word in this operand, so that the word is a modifier.
    is_modifier: bool,
}

impl Place {
    /// The place at the end of a text after a mnemonic. `first`: the byte at which the text begins.
    fn of(text: &str, first: usize) -> Place {
        let (mut place, mut depth) = (Place { operand: 0, start: first, is_modifier: false }, 0i32);
        let mut is_word = false;
        for (n, c) in text.char_indices() {
            let next = first + n + c.len_utf8();
            match c {
                '(' | '[' => depth += 1,
                ')' | ']' => depth -= 1,
                _ if depth > 0 => continue,
                ',' => place = Place { operand: place.operand + 1, start: next, is_modifier: false },
                ' ' | '\t' | '&' => {
                    place = Place { start: next, is_modifier: place.is_modifier || is_word, ..place };
                }
                '|' | '-' => place.start = next,
                _ => {}
            }
            is_word = !matches!(c, ' ' | '\t' | '&' | ',' | '|' | '-');
        }
        place
    }
}

fn of_instruction(document: &Document, target: Target, part: &Part, at: usize) -> Choices {
    let mut text = document.outline().code.get(part.word.end..at).unwrap_or("");
    let mut mnemonic = document.text.get(part.word.clone());
    if let Some((_, second)) = text.rsplit_once("::") {
        let second = second.trim_start();
        let Some(end) = second.find([' ', '\t']) else {
            let formats: Vec<Format> = signatures(target, mnemonic).map(|form| form.format()).collect();
            let choices = mnemonics(target, |format| formats.contains(&format)).collect();
            return (at - second.len()..at, choices);
        };
        (mnemonic, text) = second.split_at(end);
    }
    let place = Place::of(text, at - text.len());
    let mut choices = Vec::new();
    for form in signatures(target, mnemonic) {
        let all: Vec<_> = form.operands().collect();
        // Names such as counters are in one operand, with blanks between them.
        let is_combined = place.is_modifier && place.operand == 0 && all.len() == 1;
        if let Some(operand) = all.get(place.operand).filter(|_| !place.is_modifier || is_combined) {
            operands::of_operand(&form, operand, &mut choices);
            choices.extend(symbols(document, |kind| match kind {
                DefinitionKind::Label | DefinitionKind::Function => operands::is_label(operand),
                DefinitionKind::Value | DefinitionKind::Variable => operands::is_symbol(operand),
                _ => false,
            }));
        }
        if place.is_modifier || place.operand >= all.len() || all.is_empty() {
            for modifier in form.modifiers() {
                operands::of_modifier(target, &form, &modifier, &mut choices);
            }
        }
    }
    if choices.is_empty() && signatures(target, mnemonic).next().is_none() {
        choices = symbols(document, |_| true);
    }
    (place.start..at, choices)
}

/// The items of a list without repetitions.
fn items(document: &Document, at: usize, range: Range<usize>, choices: Vec<Choice>) -> Vec<CompletionItem> {
    let mut seen = HashSet::new();
    let next = document.text.as_str().get(at..).and_then(|rest| rest.chars().next());
    let new = choices.into_iter().filter(|choice| seen.insert(choice.text.clone()));
    let item = |(n, Choice { text, kind, detail, rank }): (usize, Choice)| {
        // Editors write the other bracket or quotation mark themselves.
        let closes = next.is_some_and(|c| matches!(c, ')' | ']' | '"') && text.ends_with(c));
        let range = document.text.range(&(range.start..at + usize::from(closes)));
        CompletionItem {
            label: text.clone(),
            kind: Some(kind),
            detail: Some(detail).filter(|detail| !detail.is_empty()),
            sort_text: Some(format!("{rank}{n:05}")),
            filter_text: Some(text.clone()),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, text))),
            ..CompletionItem::default()
        }
    };
    new.enumerate().map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_in_an_instruction() {
        let of = |text: &str| {
            let place = Place::of(text, 0);
            (place.operand, text[place.start..].to_string(), place.is_modifier)
        };
        assert_eq!(of(" v"), (0, "v".into(), false));
        assert_eq!(of(" v0, s[0:1], -|v"), (2, "v".into(), false));
        assert_eq!(of(" hwreg(HW_REG, 1"), (0, "hwreg(HW_REG, 1".into(), false));
        assert_eq!(of(" vmcnt(0) & lg"), (0, "lg".into(), true));
        assert_eq!(of(" v0, v1 offset:16 gl"), (1, "gl".into(), true));
        assert_eq!(of(" v0, "), (1, String::new(), false));
    }
}
