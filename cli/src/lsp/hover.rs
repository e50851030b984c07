//! Explanations of instructions, directives and names, as Markdown.

use std::fmt::Write;
use std::ops::Range;

use amdgpu_asm::outline::{DefinitionKind, Part, PartKind};
use amdgpu_asm::{Options, Processor, known};
use amdgpu_explain::{Diagram, hex};
use amdgpu_isa::text::signatures;
use amdgpu_isa::{Access, Inst, Target, decode};

use super::analysis::Analysis;
use super::document::Document;
use super::settings::Settings;

/// The greatest number of instructions of a macro that are shown.
const MOST: usize = 32;

/// The text about the place of a byte, and the range that it is about.
pub fn hover(
    document: &Document,
    analysis: Option<&Analysis>,
    settings: &Settings,
    at: usize,
) -> Option<(String, Range<usize>)> {
    if document.is_comment(at) {
        return None;
    }
    let part = document.part(at).filter(|part| at <= part.rest.end.max(part.word.end))?;
    if at > part.word.end || part.kind == PartKind::Label {
        if let Some(found) = name(document, at) {
            return Some(found);
        }
    }
    let text = match part.kind {
        PartKind::Directive => directive(document, settings, part)?,
        PartKind::Instruction => instruction(document, analysis, settings, part)?,
        _ => return None,
    };
    Some((text, part.word.start..part.rest.end.max(part.word.end)))
}

/// The line that defines the name at a byte, unless the byte is in this line.
fn name(document: &Document, at: usize) -> Option<(String, Range<usize>)> {
    let outline = document.outline();
    let range = outline.name_at(at)?;
    let definition = outline.defined_at(at)?;
    let line = document.text.line_at(definition.place.start);
    if line.contains(&at) {
        return None;
    }
    let kind = match definition.kind {
        DefinitionKind::Function => "function",
        DefinitionKind::Kernel => "kernel",
        DefinitionKind::Macro => "macro",
        DefinitionKind::Value => "value",
        DefinitionKind::Variable => "variable",
        _ => "label",
    };
    let number = document.text.source_line(definition.place.start);
    let mut text = format!("{kind} of line {number}\n");
    fence(&mut text, document.text.get(line).trim());
    Some((text, range))
}

fn directive(document: &Document, settings: &Settings, part: &Part) -> Option<String> {
    let word = document.text.get(part.word.clone());
    if let Some(meaning) = known::meaning(word) {
        return Some(format!("`{word}` {meaning}."));
    }
    let name = word.to_ascii_lowercase();
    let name = name.strip_prefix(".amdhsa_")?;
    let target = document.target(settings)?;
    let directive = target.directives().iter().find(|directive| directive.name() == name)?;
    let mut text = format!(
        "`{word}` sets a part of the kernel descriptor of {}: 0 to {}, {} by default.",
        target.processor(),
        directive.max(),
        directive.default()
    );
    match directive.user_sgprs() {
        0 => {}
        1 => text += " It fills 1 of a wave's first scalar registers.",
        count => _ = write!(text, " It fills {count} of a wave's first scalar registers."),
    }
    Some(text)
}

fn instruction(document: &Document, analysis: Option<&Analysis>, settings: &Settings, part: &Part) -> Option<String> {
    let line = document.text.source_line(part.word.start);
    let known = analysis.and_then(|analysis| analysis.code.get(&line)).cloned();
    let processor = document.outline().processor.or(settings.target);
    let mut text = match known.or_else(|| alone(document, processor?, part)).as_deref() {
        Some([inst]) => of_inst(inst),
        Some(all @ [_, ..]) => of_several(all),
        _ => of_mnemonic(processor?.target(), document.text.get(part.word.clone()))?,
    };
    let is_here = |range: &Range<usize>| document.text.source_line(range.start) == line;
    for note in analysis.into_iter().flat_map(|analysis| &analysis.notes) {
        let rule = note.code.map(|code| format!("**{code}**: ")).unwrap_or_default();
        if is_here(&note.range) {
            _ = write!(text, "\n\n{rule}{}", note.message.replace('\n', "  \n"));
        } else if note.producer.as_ref().is_some_and(|(range, _)| is_here(range)) {
            let there = document.text.source_line(note.range.start);
            _ = write!(text, "\n\n{rule}line {there} depends on this: {}", note.message.replace('\n', "  \n"));
        }
    }
    Some(text)
}

/// The instruction of a statement that is assembled alone, while the source has errors.
fn alone(document: &Document, processor: Processor, part: &Part) -> Option<Vec<Inst>> {
    let mut options = Options::default();
    options.target = Some(processor);
    options.is_alone = true;
    let code = document.outline().code.get(part.word.start..part.rest.end)?;
    let assembly = amdgpu_asm::assemble("", code, &options).ok()?;
    let inst = assembly.code().find_map(|code| decode(processor.target(), code).ok())?;
    Some(vec![inst])
}

fn fence(text: &mut String, code: &str) {
    _ = write!(text, "```asm\n{code}\n```\n");
}

/// A cell of a table.
fn cell(text: &str) -> String {
    match text {
        "" => String::new(),
        text => format!("`{}`", text.replace('|', "\\|").replace('`', "'")),
    }
}

fn of_inst(inst: &Inst) -> String {
    let diagram = Diagram::of(inst);
    let mut text = String::new();
    fence(&mut text, &diagram.title);
    let mut bytes = vec![0; inst.len()];
    let _ = inst.encode(&mut bytes);
    let mut shown = Vec::new();
    hex::bytes(&mut shown, &bytes);
    let words: Vec<String> = diagram.words.iter().map(|word| format!("`{word:08x}`")).collect();
    _ = write!(
        text,
        "{}: words {}, in memory `{}`\n\n",
        diagram.subtitle,
        words.join(" "),
        String::from_utf8_lossy(&shown).trim()
    );
    operands(&mut text, inst);
    text += "| field | bits | value | meaning |\n|---|---|---|---|\n";
    for field in &diagram.fields {
        let (bits, value) = (Diagram::range(field), Diagram::value(field));
        _ = writeln!(text, "| {} | {bits} | {value} | {} |", cell(&field.name), cell(&field.meaning));
    }
    let waits = inst.waits().counters().iter().map(|counter| counter.to_string()).collect::<Vec<_>>();
    let waits = Some(("waits for", waits.join(", "))).filter(|(_, waits)| !waits.is_empty());
    for (n, (about, fact)) in diagram.facts.into_iter().chain(waits).enumerate() {
        text += if n == 0 { "\n" } else { "  \n" };
        _ = write!(text, "{about}: {fact}");
    }
    text
}

fn operands(text: &mut String, inst: &Inst) {
    *text += "| operand | access | value | bits |\n|---|---|---|---|\n";
    for operand in inst.operands() {
        let access = match operand.access {
            Access::Read => "read",
            Access::Write => "written",
            Access::ReadWrite => "read, written",
        };
        let (name, mut value) = match operand.role {
            Some(field) => (field.name(), inst.field_text(field).to_string()),
            None => ("implicit", String::new()),
        };
        if value.is_empty() {
            value = operand.value.to_string();
        }
        _ = writeln!(text, "| {} | {access} | {} | {} |", cell(name), cell(&value), operand.bits);
    }
    text.push('\n');
}

/// The instructions that the call of a macro became.
fn of_several(all: &[Inst]) -> String {
    let mut text = format!("{} instructions\n", all.len());
    let shown: Vec<String> = all.iter().take(MOST).map(Inst::to_string).collect();
    let more = if all.len() > MOST { "\n..." } else { "" };
    fence(&mut text, &(shown.join("\n") + more));
    text
}

/// The operands of the forms that a mnemonic has, while the instruction has errors.
fn of_mnemonic(target: Target, mnemonic: &str) -> Option<String> {
    let forms = signatures(target, mnemonic).map(|form| {
        let operands: Vec<&str> = form.operands().map(|operand| operand.field.name()).collect();
        let extension = form.extension().map(|extension| format!(" with {extension}")).unwrap_or_default();
        format!("{}{extension}: {} {}", form.format(), form.mnemonic(), operands.join(", "))
    });
    let forms: Vec<String> = forms.collect();
    if forms.is_empty() {
        return None;
    }
    let mut text = format!("{} on {}\n", mnemonic, target.name());
    fence(&mut text, &forms.join("\n"));
    Some(text)
}
