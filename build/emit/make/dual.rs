//! Writes dual instructions (VOPD, VOPD3): a function for each operation, and a function that joins two of them.
//! `src/make/dual.rs` has the types.

use std::collections::BTreeMap;

use crate::build::emit::camel;
use crate::build::emit::make::{Shared, computes, field, operand, roster};
use crate::build::kind::{NumberKind, OperandKind};
use crate::build::lower::encoding::encoding;
use crate::build::lower::{NONE, OpcodeSpace, OperandDesc, Operation, Target};
use crate::build::model::error::Result;
use crate::build::model::{Access, Format, Meanings};
use crate::build::shared::marks;
use crate::build::writer::{put, putln};

/// The two forms of an operation: as the first and as the second operation.
#[derive(Default)]
struct Forms<'a> {
    number: usize,
    first: Option<&'a Operation>,
    second: Option<&'a Operation>,
}

/// The modules `vopd` and `vopd3` of a target, and its functions with these names, if it has such dual instructions.
///
/// `tables` receives the same data for the builder.
pub fn modules(
    (t, meanings): (&Target, &Meanings),
    rules: &str,
    shared: &mut Shared,
    roster: &mut Vec<roster::Dual>,
    tables: &mut Vec<String>,
) -> Result<String> {
    let mut out = String::new();
    for (space, second) in t.opcode_spaces.iter().filter_map(|space| Some((space, space.second()?))) {
        out += &module((t, meanings), (space, second), rules, shared, roster, tables)?;
    }
    Ok(out)
}

fn module(
    (t, meanings): (&Target, &Meanings),
    (space, second): (&OpcodeSpace, usize),
    rules: &str,
    shared: &mut Shared,
    roster: &mut Vec<roster::Dual>,
    tables: &mut Vec<String>,
) -> Result<String> {
    let format = space.formats[0];
    let def = t.formats[format].def;
    let (kind, name) = (camel(&def.name), def.name.to_lowercase());
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
        let operation = forms.first.or(forms.second).expect("it has a form");
        let (text, constant) = function((t, meanings), def, forms, operation, shared, roster)?;
        out += &text;
        let opcode = camel(&operation.mnemonic);
        let alone = match alone(t, operation) {
            Some(other) => format!("Some(crate::opcode::Opcode::{})", camel(&other.mnemonic)),
            None => "None".into(),
        };
        let (first, second) = (forms.first.is_some(), forms.second.is_some());
        put!(
            operations,
            "(crate::opcode::Opcode::{opcode}, Part {{ first: {first}, second: {second} }}, {alone}, &signatures::{constant}), "
        );
    }
    let bits = encoding(t, format, 0);
    let place = |name: &str| {
        let found = t.formats[format].fields.iter().find(|(field, _)| field.name == name);
        found.map_or(NONE, |(_, bits)| bits.pieces[0].lsb)
    };
    let fields = |half: &str| {
        // A field that the format lacks is not used by any operation, so its name here does not matter.
        let at = |name: &str| match place(name) {
            NONE => format!("(Field::Reserved, {NONE})"),
            lsb => format!("({}, {lsb})", field(name)),
        };
        let both = |name: &str| at(&format!("{name}{half}"));
        format!(
            "Fields {{ opcode: {}, src0: {}, src1: {}, src2: {}, dst: {}, neg: {}, table: {} }}",
            place(&format!("op{half}")),
            both("src0"),
            both("vsrc1"),
            both("vsrc2"),
            both("vdst"),
            both("neg"),
            at("bitop3"),
        )
    };
    let letters = def.dual.as_ref().expect("the space has two operations");
    let key = format!("[Fields; 2] = [{}, {}]", fields(&letters[0]), fields(&letters[1]));
    let fields = shared.signatures.name("V", key, |name, key| format!("pub(crate) const {name}: {key};\n"));
    let dwords = def.bits / 32;
    // In the short format, the lowest bit of one destination is the inverse of the lowest bit of the other.
    let long = t.formats[format].fields.iter().all(|(field, _)| field.operand_type != "vdsty");
    let may = format!(
        "crate::check::Freedom {{ moves: {}, equal: {}, long: {long} }}",
        t.row.has("dual-moves"),
        t.row.has("dual-equal")
    );
    tables.push(format!(
        "super::dual::Duals {{ target: crate::target::Target::{}, format: crate::opcode::Format::{kind}, bits: {bits:#x}, dwords: {dwords}, fields: &signatures::{fields}, may: {may}, operations: &[{operations}] }}",
        camel(&t.row.name)
    ));
    let mut module = String::new();
    putln!(
        module,
        "/// The operations of dual instructions ({}).\npub mod {name} {{\nuse super::*;\nuse crate::make::{{Dual, dual::{{Either, OnlyFirst, OnlySecond, {kind}}}}};\n{out}}}",
        def.name
    );
    let literal = if def.literals(&t.row.name).next().is_some() { " They have one literal together." } else { "" };
    putln!(
        module,
        "/// A dual instruction: two operations, which the functions of the module `{name}` make. Registers of the two must be in different banks: see [`BuildError::Banks`](crate::make::BuildError::Banks).{literal}\n///\n/// Source: {}.\n#[inline]\npub const fn {name}<P: crate::make::dual::First, Q: crate::make::dual::Second>(x: crate::make::Dual<P, crate::make::dual::{kind}>, y: crate::make::Dual<Q, crate::make::dual::{kind}>) -> Code<crate::make::dual::{kind}> {{ Code::new({bits:#x}, {dwords}).dual(&{rules}, &{fields}, {may}, x, y) }}",
        def.source.text(&t.row.name)
    );
    Ok(module)
}

/// The single operation with the same effect: the instruction of 32 bits with the same name.
fn alone<'a>(t: &'a Target, dual: &Operation) -> Option<&'a Operation> {
    let name = |operation: &'a Operation| operation.spelling.as_deref().unwrap_or(&operation.mnemonic);
    let wanted = dual.spelling.as_deref().unwrap_or(&dual.mnemonic).replacen("dual_", "", 1);
    let short = |operation: &&Operation| t.formats[operation.format].def.bits == 32;
    t.operations.iter().flatten().filter(short).find(|operation| name(operation) == wanted)
}

fn is_literal(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Number(NumberKind::Literal { .. }))
}

/// Writes the function of one operation, and the constant with its facts.
fn function(
    (t, meanings): (&Target, &Meanings),
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
    let literal = descs.iter().any(|i| is_literal(i));
    let third = of("vsrc2");
    // The second source of a multiplication by a constant is the addend.
    let scaled = descs.iter().position(|i| is_literal(i)).is_some_and(|at| at + 1 < descs.len());
    let addend = match vdst.access {
        Some(Access::ReadWrite) => "Dst",
        _ if scaled => "Src1",
        _ if third.is_some() => "Src2",
        _ => "None",
    };
    let info = &t.infos[operation.info];
    let n = vdst.dwords;
    let place = |desc: &OperandDesc, mask: u16| {
        let bus = if mask & operand::BUS != 0 { t.row.bus } else { 0 };
        format!(
            "Place {{ field: {}, lsb: {}, shift: {}, add: {}, allowed: {mask}, ty: DataType::{}, literal: {}, bus: {bus}, odd: false, acc: {NONE} }}",
            field(&desc.field),
            desc.lsb,
            desc.shift,
            desc.add,
            camel(&desc.ty),
            def.bits / 32,
        )
    };
    let third = match third {
        Some(desc) => Some((desc, operand::allowed(t, constraints, desc)?)),
        None => None,
    };
    let modifier = |name: &str| descs.iter().find(|i| i.access.is_none() && i.field.starts_with(name));
    let neg = modifier("neg").map_or(0, |i| i.used_bits & 7);
    let table = modifier("bitop3").is_some();
    let key = format!(
        "Operation {{ opcode: {}, src0: {}, src1: {}, literal: {literal}, addend: Addend::{addend}, reads_vcc: {}, dwords: {n}, src2: {}, neg: {neg}, table: {table} }}",
        forms.number,
        place(src0, mask),
        of("vsrc1").is_some(),
        info.reads.iter().any(|r| r == "vcc"),
        third.map_or("None".into(), |(desc, mask)| format!("Some({})", place(desc, mask))),
    );
    let constant =
        shared.signatures.name("D", key, |name, key| format!("pub(crate) const {name}: Operation = {key};\n"));
    let bound = operand::trait_name(&mut shared.traits, mask);
    let mut generics = format!("A: {bound}");
    let vector = format!("Vgpr<{n}>");
    let mut parameters: Vec<(&str, String)> = Vec::new();
    let mut calls = String::new();
    for desc in descs.iter().filter(|desc| desc.access.is_some()) {
        let (parameter, ty) = match desc.field.as_str() {
            _ if is_literal(desc) => ("literal", "u32".into()),
            field if field.starts_with("vdst") => ("vdst", vector.clone()),
            field if field.starts_with("src0") => ("src0", format!("Op<A, {n}>")),
            field if field.starts_with("vsrc1") => ("vsrc1", vector.clone()),
            field if field.starts_with("vsrc2") => match third {
                Some((_, mask)) if mask != operand::VGPR => {
                    generics += &format!(", B: {}", operand::trait_name(&mut shared.traits, mask));
                    ("vsrc2", format!("Op<B, {n}>"))
                }
                _ => ("vsrc2", vector.clone()),
            },
            _ => continue,
        };
        let at = format!("&format!(\"{parameter}{{half}}\")");
        match parameter {
            "literal" => calls += "case.dual_literal(), ",
            "src0" => put!(calls, "case.dual_source({at}, \"{mask} dual {n} true {}\"), ", desc.ty),
            "vsrc2" if ty != vector => {
                let mask = third.map_or(0, |third| third.1);
                put!(calls, "case.dual_source({at}, \"{mask} dual {n} true {}\"), ", desc.ty);
            }
            _ => put!(calls, "case.dual_register({at}), "),
        }
        parameters.push((parameter, ty));
    }
    let list: Vec<String> = parameters.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
    let names: Vec<&str> = parameters.iter().map(|p| p.0).collect();
    let has = |name: &str, or: String| if names.contains(&name) { name.to_string() } else { or };
    let (kind, place) = match (forms.first, forms.second) {
        (Some(_), Some(_)) => ("Either", "either operation"),
        (Some(_), None) => ("OnlyFirst", "the first operation"),
        _ => ("OnlySecond", "the second operation"),
    };
    roster.push(roster::Dual {
        target: camel(&t.row.name),
        module: roster::module(t.row),
        format: def.name.to_lowercase(),
        name: name.into(),
        arguments: calls,
        first: forms.first.is_some(),
        second: forms.second.is_some(),
        neg,
        table,
    });
    let modifiers = match (neg, table) {
        (0, false) => "",
        (0, true) => " Modifiers: `bitop3`.",
        _ => " Modifiers: `neg`.",
    };
    let computes = computes(meanings, t, operation).replace('\n', "\n/// ").replace("/// \n", "///\n");
    let none = format!("Vgpr::<{n}>::new(0, 0)");
    let text = format!(
        "/// `{name} {}`: {place} of {}, opcode {}\n///\n/// Source: {}.{modifiers}{computes}\n#[inline]\npub const fn {name}<{generics}>({}) -> Dual<{kind}, {}> {{ Dual::new(&{constant}, vdst, src0, {}, {}, {}) }}\n",
        names.join(", "),
        def.name,
        forms.number,
        def.source.text(&t.row.name),
        list.join(", "),
        camel(&def.name),
        has("vsrc1", none.clone()),
        has("vsrc2", none),
        has("literal", "0".into()),
    );
    Ok((text, constant))
}
