//! Facts about an instruction that its operands do not show, as text.

use amdgpu_isa::convert::Form;
use amdgpu_isa::facts::Flag;
use amdgpu_isa::{Access, Format, Inst};

/// The heading and the text of each line. Lines without facts are omitted.
pub fn facts(inst: &Inst) -> Vec<(&'static str, String)> {
    let accesses = inst.memory().map(|m| {
        let how = match m.access {
            Access::Read => "reads",
            Access::Write => "writes",
            Access::ReadWrite => "reads and writes",
        };
        format!("{how} {}", format!("{:?}", m.space).to_lowercase())
    });
    let raised = inst.counters().iter().map(|counter| counter.to_string());
    // The line about memory accesses shows loads and stores.
    let flags = inst.flags().iter().filter(|flag| ![Flag::Load, Flag::Store].contains(flag));
    let flags = flags.map(|flag| flag.name().replace('_', " "));
    let own = inst.extension().filter(|e| *e != Format::Literal);
    let others =
        inst.opcode().forms(inst.target()).filter(|form| (form.format, form.extension) != (inst.format(), own));
    let others = others.map(|Form { format, extension, .. }| match extension {
        Some(extension) => format!("{format} with {extension}"),
        None => format.to_string(),
    });
    let operations = std::iter::once(inst.opcode()).chain(inst.second_opcode());
    let computes = operations.filter_map(|opcode| opcode.meaning(inst.target())).map(plain);
    let computes: Vec<&str> = computes.collect();
    let lines: [(&str, Vec<String>); 5] = [
        ("computes", Vec::from_iter((!computes.is_empty()).then(|| computes.join(" :: ")))),
        ("memory", accesses.collect()),
        ("raises", raised.collect()),
        ("flags", flags.collect()),
        ("also as", others.collect()),
    ];
    let there = lines.into_iter().filter(|(_, list)| !list.is_empty());
    there.map(|(about, list)| (about, list.join(", "))).collect()
}

/// The meaning of an operation, without the quotes around a sentence that stands alone.
pub fn plain(meaning: &str) -> &str {
    if meaning.starts_with('"') { meaning.trim_matches('"') } else { meaning }
}
