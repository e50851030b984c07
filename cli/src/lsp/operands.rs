//! The texts that operands and modifiers of an operation can have. Only texts that the parser of the library accepts
//! are offered.

use std::collections::BTreeMap;

use amdgpu_isa::signature::{Enumeration, ImmediateKind, ModifierSignature, OperandSignature, Signature};
use amdgpu_isa::{Field, Inst, Reg, Target, Value, parse};
use lsp_types::CompletionItemKind;

/// A text, and its place in a list.
pub struct Choice {
    pub text: String,
    pub kind: CompletionItemKind,
    pub detail: String,
    /// The rank in the list: small numbers come first.
    pub rank: u8,
}

/// The number of values of an enumeration that are always tried. The other values are tried only if one of these fits.
const PROBES: usize = 4;

/// Adds the texts of an operand, except numbers, to `choices`.
pub fn of_operand(form: &Signature, operand: &OperandSignature, choices: &mut Vec<Choice>) {
    let target = form.target();
    let detail = operand.field.name();
    let mut add = |text: String, kind: CompletionItemKind, rank: u8| {
        if !text.is_empty() && operand.parse(&text).is_ok_and(|found| is_aligned(operand, &found.value)) {
            choices.push(Choice { text, kind, detail: detail.into(), rank });
            return true;
        }
        false
    };
    if operand.takes.immediate.is_some() {
        for all in target.enumerations() {
            enumeration(&all, &mut |text| add(text, CompletionItemKind::ENUM_MEMBER, 0));
        }
        for text in printed(form, operand) {
            add(text, CompletionItemKind::ENUM_MEMBER, 0);
        }
    }
    if operand.takes.off {
        add("off".into(), CompletionItemKind::KEYWORD, 0);
    }
    let count = usize::from(operand.bits.div_ceil(32).max(1));
    for run in target.operand_codes() {
        if run.first == run.last {
            for name in [run.name, run.pair] {
                let is_number = name.starts_with(|c: char| c.is_ascii_digit() || c == '-');
                let kind = if is_number { CompletionItemKind::CONSTANT } else { CompletionItemKind::VARIABLE };
                add(name.into(), kind, if is_number { 3 } else { 1 });
            }
        } else if run.name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            for first in 0..=usize::from(run.last - run.first) {
                let text = match count {
                    1 => format!("{}{first}", run.name),
                    _ => format!("{}[{first}:{}]", run.name, first + count - 1),
                };
                for half in [".l", ".h"].iter().filter(|_| operand.takes.halves) {
                    add(format!("{text}{half}"), CompletionItemKind::VARIABLE, 2);
                }
                add(text, CompletionItemKind::VARIABLE, 2);
            }
        }
    }
}

/// The texts of a constant that has names in one pair of parentheses, as the printer writes them: for each set of names
/// the shortest, such as `vmcnt(0)`, `sendmsg(MSG_GS, GS_OP_CUT, 0)` and `hwreg(HW_REG_MODE)`.
fn printed(form: &Signature, operand: &OperandSignature) -> Vec<String> {
    let Some(zero) = with_zero(form, operand) else { return Vec::new() };
    let mut all: BTreeMap<Vec<String>, String> = BTreeMap::new();
    for value in 0..=u32::from(u16::MAX) >> 16u16.saturating_sub(operand.bits) {
        let Ok(inst) = zero.with(operand.field, value) else { continue };
        let text = inst.field_text(operand.field).to_string();
        let names = names(&text);
        if names.is_empty() || text.matches('(').count() != 1 {
            continue;
        }
        let known = all.entry(names).or_insert_with(|| text.clone());
        if text.len() < known.len() {
            *known = text;
        }
    }
    all.into_values().collect()
}

/// An instruction of a form, with 0 as its constant.
fn with_zero(form: &Signature, operand: &OperandSignature) -> Option<Inst> {
    let of = |other: OperandSignature| {
        if other.field == operand.field {
            return Some("0".to_string());
        }
        let count = other.bits.div_ceil(32).max(1);
        let first = |name: &str| if count == 1 { format!("{name}0") } else { format!("{name}[0:{}]", count - 1) };
        let texts = form.target().operand_codes().map(|run| first(run.name));
        texts.into_iter().find(|text| other.parse(text).is_ok())
    };
    let texts: Vec<String> = form.operands().map(of).collect::<Option<_>>()?;
    parse(form.target(), &format!("{} {}", form.mnemonic(), texts.join(", "))).ok()
}

/// Whether the registers of an operand can begin with `first`.
fn is_aligned(operand: &OperandSignature, first: &Value) -> bool {
    let number = match *first {
        Value::Reg(Reg::Vgpr(number)) => number,
        Value::Reg(Reg::Agpr(number)) => number.into(),
        _ => return true,
    };
    number % u16::from(operand.vector_alignment().max(1)) == 0
}

/// Whether an operand can be a label.
pub fn is_label(operand: &OperandSignature) -> bool {
    operand.takes.immediate.is_some_and(|immediate| immediate.kind == ImmediateKind::Label)
}

/// Whether an operand can be a symbol: a constant of 32 bits, or a number.
pub fn is_symbol(operand: &OperandSignature) -> bool {
    operand.takes.literal() || operand.takes.immediate.is_some_and(|immediate| immediate.kind == ImmediateKind::Number)
}

/// Adds the texts of a modifier, as the printer writes them, to `choices`: all values with names, and one number.
pub fn of_modifier(target: Target, signature: &Signature, modifier: &ModifierSignature, choices: &mut Vec<Choice>) {
    let detail = about(signature, modifier.field);
    let named: Vec<&str> = target.enumerations().flat_map(|all| all.values.iter().map(|(_, name)| *name)).collect();
    let mut known: Vec<Vec<String>> = Vec::new();
    let mut add = |text: String| {
        let names = if named.contains(&text.as_str()) { vec![text.clone()] } else { names(&text) };
        if names.is_empty() || known.contains(&names) {
            return;
        }
        let is_number = names == [modifier.field.name()];
        let kind = if is_number { CompletionItemKind::PROPERTY } else { CompletionItemKind::ENUM_MEMBER };
        known.push(names);
        choices.push(Choice { text, kind, detail: detail.clone(), rank: 4 });
    };
    let mut pattern = None;
    for value in values(modifier) {
        let Some(inst) = modifier.example(value) else { continue };
        let text = inst.field_text(modifier.field).to_string();
        if pattern.is_none() {
            let name = names(&text).into_iter().find(|word| named.contains(&word.as_str()));
            pattern = name.map(|name| (text.clone(), name));
        }
        add(text);
    }
    // These texts lack the names of defaults, which the printer leaves out, and further names that the parser accepts.
    // So each name is tried in place of the name in the first text.
    if let Some((text, name)) = pattern {
        let others = named.iter().map(|other| text.replacen(&name, other, 1));
        others.filter(|text| modifier.parse(text).is_ok()).for_each(add);
    }
}

/// The values of a modifier whose texts are offered: all values up to 65535, or only 0 and 1 if the field has more than
/// nine bits and its texts have no names besides the modifier's own. The value without effect comes first: if several
/// texts differ only in their numbers, only the first of them is offered.
fn values(modifier: &ModifierSignature) -> impl Iterator<Item = u32> {
    let all = 1u32.checked_shl(modifier.bits.into()).map_or(u32::MAX, |all| all - 1);
    let is_number = |inst: Inst| names(&inst.field_text(modifier.field).to_string()).len() < 2;
    let last =
        if modifier.bits > 9 && modifier.example(1).is_some_and(is_number) { 1 } else { all.min(u32::from(u16::MAX)) };
    [modifier.neutral()].into_iter().chain(1..=last).chain([0])
}

/// The words of a text that are not numbers.
fn names(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic())).map(str::to_string).collect()
}

/// Calls `add` with the texts for each value of an enumeration. `add` returns whether a text fits.
fn enumeration(all: &Enumeration, add: &mut dyn FnMut(String) -> bool) {
    let mut fits = false;
    for (n, (_, value)) in all.values.iter().enumerate() {
        if n >= PROBES && !fits {
            return;
        }
        let name = all.name;
        let texts =
            [format!("{name}({value})"), format!("{name}0({value})"), format!("{name}1({value})"), value.to_string()];
        for text in texts {
            fits |= add(text);
        }
    }
}

/// The description of a field in the table of the format.
fn about(signature: &Signature, field: Field) -> String {
    let formats = [Some(signature.format()), signature.extension()];
    let layouts = signature.target().layouts().iter().filter(|layout| formats.contains(&Some(layout.format)));
    let found = layouts.flat_map(|layout| layout.fields).find(|info| info.field == field);
    found.map_or(String::new(), |info| info.about().to_string())
}
