//! Instructions in words, with all their data for the page.

use amdgpu_explain::FieldView;
use amdgpu_isa::layout::{HeldField, Layout};
use amdgpu_isa::{Access, Inst, Target, decode_words};
use serde::Serialize;

use crate::{refused, registers};

/// An instruction, or a dword that is not one.
#[derive(Serialize)]
pub struct Card {
    pub words: Vec<u32>,
    pub text: String,
    pub format: &'static str,
    /// The places in the manual for the instruction's format, and for the formats of the dwords after it.
    pub sources: Vec<Source>,
    pub fields: Vec<Field>,
    pub operands: Vec<Operand>,
    pub facts: Vec<(&'static str, String)>,
    /// The rule that the instruction breaks, if there is one. Decoding does not check such rules.
    pub rule: Option<String>,
    pub refused: Option<refused::Refused>,
}

/// A field. `pieces`: the lowest bit of each, counted from the start of the instruction, and its width, the low piece
/// first.
#[derive(Serialize)]
pub struct Field {
    pub name: String,
    pub pieces: Vec<(u32, u32)>,
    pub value: u64,
    pub meaning: String,
    pub about: &'static str,
    /// The format that has the field.
    pub format: &'static str,
}

/// A format, and its place in the manual.
#[derive(Serialize, PartialEq)]
pub struct Source {
    format: &'static str,
    text: &'static str,
}

impl Source {
    pub fn new(layout: &Layout) -> Source {
        Source { format: layout.format.name(), text: layout.source() }
    }
}

#[derive(Serialize)]
pub struct Operand {
    field: Option<&'static str>,
    text: String,
    bits: u16,
    access: &'static str,
}

pub fn all(target: Target, words: &[u32]) -> Vec<Card> {
    let mut cards = Vec::new();
    let mut rest = words;
    while !rest.is_empty() {
        let card = match decode_words(target, rest) {
            Ok(inst) => card(&inst),
            Err(error) => refused::card(target, rest, error),
        };
        rest = rest.get(card.words.len().max(1)..).unwrap_or_default();
        cards.push(card);
    }
    cards
}

pub fn card(inst: &Inst) -> Card {
    Card {
        words: inst.words().to_vec(),
        text: inst.to_string(),
        format: inst.format().name(),
        sources: sources(inst),
        fields: fields(inst),
        operands: inst.operands().map(|operand| shown(inst, &operand)).collect(),
        facts: facts(inst),
        rule: inst.check().err().map(|error| error.to_string()),
        refused: None,
    }
}

pub fn fields(inst: &Inst) -> Vec<Field> {
    let held = inst.fields().filter(|held| !held.info.overlay);
    let field = |(view, held): (FieldView, HeldField)| Field {
        name: view.name,
        pieces: view.pieces,
        value: view.value,
        meaning: view.meaning,
        about: held.info.about(),
        format: held.format.name(),
    };
    amdgpu_explain::fields(inst).into_iter().zip(held).map(field).collect()
}

fn sources(inst: &Inst) -> Vec<Source> {
    let layouts = inst.target().layouts();
    let source = |format| layouts.iter().find(|layout| layout.format == format).map(Source::new);
    let mut sources: Vec<Source> = inst.fields().filter_map(|held| source(held.format)).collect();
    sources.dedup();
    sources
}

fn shown(inst: &Inst, operand: &amdgpu_isa::Operand) -> Operand {
    let text = operand.role.map(|field| inst.field_text(field).to_string()).filter(|text| !text.is_empty());
    Operand {
        field: operand.role.map(|field| field.name()),
        text: text.unwrap_or_else(|| operand.value.to_string()),
        bits: operand.bits,
        access: match operand.access {
            Access::Read => "reads",
            Access::Write => "writes",
            Access::ReadWrite => "reads and writes",
        },
    }
}

/// The facts that `explain` shows, and the registers that are read and written.
pub fn facts(inst: &Inst) -> Vec<(&'static str, String)> {
    let sets = [("reads", inst.reads()), ("writes", inst.writes())];
    let sets = sets.into_iter().filter(|(_, set)| !set.is_empty());
    sets.map(|(about, set)| (about, registers::text(set))).chain(amdgpu_explain::facts(inst)).collect()
}
