//! Dual instructions (VOPD): a function for each operation, and one that joins two of them. `src/make/dual.rs` has the
//! types.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::build::emit::camel;
use crate::build::emit::make::{Shared, encoding, field, operand, roster};
use crate::build::lower::{NONE, OperandDesc, Operation, Target};
use crate::build::model::error::Result;
use crate::build::model::{Access, Format};
use crate::build::shared::marks;

/// The two forms of an operation: as the first and as the second one.
#[derive(Default)]
struct Forms<'a> {
    number: usize,
    first: Option<&'a Operation>,
    second: Option<&'a Operation>,
}

/// The module `vopd` of a target and its function `vopd`, if the target has dual instructions.
///
/// `tables`: the same for the builder.
pub fn module(
    t: &Target,
    rules: &str,
    shared: &mut Shared,
    roster: &mut Vec<roster::Dual>,
    tables: &mut Vec<String>,
) -> Result<String> {
    let Some((space, second)) = t.opcode_spaces.iter().find_map(|space| Some((space, space.second()?))) else {
        return Ok(String::new());
    };
    let format = space.formats[0];
    let def = t.formats[format].def;
    let mut all: BTreeMap<usize, Forms> = BTreeMap::new();
    for (index, operation) in t.operations.iter().enumerate().skip(space.base).take(space.size) {
        let Some(operation) = operation else { continue };
        let is_first = t.constraints[t.signatures[operation.signature - 1].constraints].marks & marks::DUAL != 0;
        let number = if is_first { index - space.base } else { index - second };
        let forms = all.entry(number).or_default();
        forms.number = number;
        *if is_first { &mut forms.first } else { &mut forms.second } = Some(operation);
    }
    let (mut out, mut operations) = (String::new(), String::new());
    for forms in all.values() {
        let operation = forms.second.expect("what can be the first operation is also lowered as a second one");
        let (text, constant) = function(t, def, forms, operation, shared, roster)?;
        out += &text;
        let opcode = camel(&operation.mnemonic);
        let alone = match alone(t, operation) {
            Some(other) => format!("Some(crate::Opcode::{})", camel(&other.mnemonic)),
            None => "None".into(),
        };
        let is_first = forms.first.is_some();
        write!(operations, "(crate::Opcode::{opcode}, {is_first}, {alone}, &signatures::{constant}), ").unwrap();
    }
    let bits = encoding(t, format, 0);
    let moves = t.row.has("dual-moves");
    let place = |name: &str| {
        let found = t.formats[format].fields.iter().find(|(field, _)| field.name == name);
        found.map_or(NONE, |(_, bits)| bits.pieces[0].lsb)
    };
    let fields = |half: &str| {
        let both = |name: &str| format!("({}, {})", field(&format!("{name}{half}")), place(&format!("{name}{half}")));
        format!(
            "Fields {{ opcode: {}, src0: {}, src1: {}, dst: {} }}",
            place(&format!("op{half}")),
            both("src0"),
            both("vsrc1"),
            both("vdst")
        )
    };
    let letters = def.dual.as_ref().expect("the space has two operations");
    let key = format!("[Fields; 2] = [{}, {}]", fields(&letters[0]), fields(&letters[1]));
    let fields = shared.signatures.name("V", key, |name, key| format!("pub(crate) const {name}: {key};\n"));
    let dwords = def.bits / 32;
    tables.push(format!(
        "super::dual::Duals {{ target: crate::Target::{}, bits: {bits:#x}, dwords: {dwords}, fields: &signatures::{fields}, moves: {moves}, operations: &[{operations}] }}",
        camel(&t.row.name)
    ));
    let mut module = String::new();
    writeln!(module, "/// The operations of dual instructions.\npub mod vopd {{\nuse super::*;\nuse super::super::{{Dual, Either, OnlySecond}};\n{out}}}").unwrap();
    writeln!(
        module,
        "/// A dual instruction: two operations, which the functions of the module `vopd` make. Registers of the two must be in different banks: see [`BuildError::Banks`](crate::make::BuildError::Banks). They have one literal together.\n///\n/// Source: {}.\n#[inline]\npub const fn vopd<P>(x: super::Dual<super::Either>, y: super::Dual<P>) -> Code<Vopd> {{ Code::new({bits:#x}, {dwords}).dual(&{rules}, &{fields}, {moves}, x, y) }}",
        def.source
    )
    .unwrap();
    Ok(module)
}

/// The operation that does the same in an instruction of its own: the one of 32 bits with the same name.
fn alone<'a>(t: &'a Target, dual: &Operation) -> Option<&'a Operation> {
    let name = |operation: &'a Operation| operation.spelling.as_deref().unwrap_or(&operation.mnemonic);
    let wanted = dual.spelling.as_deref().unwrap_or(&dual.mnemonic).replacen("dual_", "", 1);
    let short = |operation: &&Operation| t.formats[operation.format].def.bits == 32;
    t.operations.iter().flatten().filter(short).find(|operation| name(operation) == wanted)
}

/// The function of one operation, and the constant with what it does.
fn function(
    t: &Target,
    def: &Format,
    forms: &Forms,
    operation: &Operation,
    shared: &mut Shared,
    roster: &mut Vec<roster::Dual>,
) -> Result<(String, String)> {
    let name = &operation.mnemonic;
    let signature = &t.signatures[operation.signature - 1];
    let constraints = &t.constraints[signature.constraints];
    let numbers = &t.desc_lists[signature.descs.0..signature.descs.0 + signature.descs.1];
    let descs: Vec<&OperandDesc> = numbers.iter().map(|&n| &t.descs[usize::from(n)]).collect();
    let of = |name: &str| descs.iter().find(|i| i.field.starts_with(name)).copied();
    let (Some(vdst), Some(src0)) = (of("vdst"), of("src0")) else {
        return def.at.err(format!("{name} has no destination or no source"));
    };
    let mask = operand::allowed(t, constraints, src0)?;
    let literal = descs.iter().any(|i| i.operand_type == "literal");
    // A multiplication by a constant has the addend as its second source.
    let scaled = descs.iter().position(|i| i.operand_type == "literal").is_some_and(|at| at + 1 < descs.len());
    let addend = match vdst.access {
        Some(Access::ReadWrite) => "Dst",
        _ if scaled => "Src1",
        _ => "None",
    };
    let info = &t.infos[operation.info];
    let key = format!(
        "Operation {{ opcode: {}, src0: Place {{ field: {}, lsb: {}, shift: {}, add: {}, allowed: {mask}, ty: DataType::{}, literal: {}, bus: {}, odd: false, acc: {NONE} }}, src1: {}, literal: {literal}, addend: Addend::{addend}, reads_vcc: {} }}",
        forms.number,
        field(&src0.field),
        src0.lsb,
        src0.shift,
        src0.add,
        camel(&src0.ty),
        def.bits / 32,
        t.row.bus,
        of("vsrc1").is_some(),
        info.reads.iter().any(|r| r == "vcc"),
    );
    let constant =
        shared.signatures.name("D", key, |name, key| format!("pub(crate) const {name}: Operation = {key};\n"));
    let bound = operand::trait_name(&mut shared.traits, mask);
    let mut parameters: Vec<(&str, &str)> = Vec::new();
    let mut calls = String::new();
    for desc in &descs {
        let (parameter, ty) = match desc.field.as_str() {
            _ if desc.operand_type == "literal" => ("literal", "u32"),
            field if field.starts_with("vdst") => ("vdst", "Vgpr<1>"),
            field if field.starts_with("src0") => ("src0", "Op<A, 1>"),
            field if field.starts_with("vsrc1") => ("vsrc1", "Vgpr<1>"),
            _ => continue,
        };
        parameters.push((parameter, ty));
        let at = format!("&format!(\"{parameter}{{half}}\")");
        match parameter {
            "literal" => calls += "case.dual_literal(), ",
            "src0" => write!(calls, "case.dual_source({at}, \"{mask} dual 1 true {}\"), ", desc.ty).unwrap(),
            _ => write!(calls, "case.dual_register({at}), ").unwrap(),
        }
    }
    let list: Vec<String> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    let names: Vec<&str> = parameters.iter().map(|p| p.0).collect();
    let has = |name: &str, or: &'static str| if names.contains(&name) { name.to_string() } else { or.to_string() };
    let (kind, place) = match forms.first {
        Some(_) => ("Either", "either operation"),
        None => ("OnlySecond", "the second operation"),
    };
    roster.push(roster::Dual::new(t, name, calls, forms.first.is_some()));
    let text = format!(
        "/// `{name} {}`: {place} of {}, opcode {}\n///\n/// Source: {}.\n#[inline]\npub const fn {name}<A: {bound}>({}) -> Dual<{kind}> {{ Dual::new(&{constant}, vdst, src0, {}, {}) }}\n",
        names.join(", "),
        def.name,
        forms.number,
        def.source,
        list.join(", "),
        has("vsrc1", "Vgpr::<1>::new(0, 0)"),
        has("literal", "0"),
    );
    Ok((text, constant))
}
