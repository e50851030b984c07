//! Writes dual instructions (VOPD, VOPD3): a function for each operation, and a function that joins two of them.
//! `src/make/dual.rs` has the types.

use std::collections::BTreeMap;

use crate::build::emit::camel;
use crate::build::emit::make::pages::Pages;
use crate::build::emit::make::{Shared, add_apart, computes, field, operand, test_index};
use crate::build::emit::types::HIDDEN;
use crate::build::kind::{NumberKind, OperandKind};
use crate::build::lower::encoding::encoding;
use crate::build::lower::{NONE, OpcodeSpace, OperandDesc, Operation, Target};
use crate::build::model::error::Result;
use crate::build::model::{Access, Format, Meanings};
use crate::build::shared::constraint_flags;
use crate::build::writer::{put, putln};

/// The two forms of an operation: as the first and as the second operation.
#[derive(Default)]
struct Forms<'a> {
    number: usize,
    first: Option<&'a Operation>,
    second: Option<&'a Operation>,
}

/// The lists to which the operations of dual instructions add lines.
pub struct Lists<'a> {
    pub index: &'a mut Vec<test_index::Dual>,
    /// The tables of the builder, with the same data as `index`.
    pub tables: &'a mut Vec<String>,
    pub pages: &'a mut Pages,
    pub files: &'a mut Vec<(String, String)>,
}

/// The modules `vopd` and `vopd3` of a target, and its functions with these names, if it has such dual instructions.
pub fn modules(
    (t, meanings): (&Target, &Meanings),
    rules: &str,
    shared: &mut Shared,
    mut lists: Lists,
) -> Result<String> {
    let mut out = String::new();
    for (space, second) in t.opcode_spaces.iter().filter_map(|space| Some((space, space.second_op_base()?))) {
        out += &module((t, meanings), (space, second), rules, shared, &mut lists)?;
    }
    Ok(out)
}

fn module(
    (t, meanings): (&Target, &Meanings),
    (space, second): (&OpcodeSpace, usize),
    rules: &str,
    shared: &mut Shared,
    lists: &mut Lists,
) -> Result<String> {
    let format = space.formats[0];
    let def = t.formats[format].def;
    let (kind, name) = (camel(&def.name), def.name.to_lowercase());
    let (mut out, mut operations) = (String::new(), String::new());
    for forms in forms(t, space, second).values() {
        let half = Half::new(t, def, forms)?;
        let (text, constant) = half.function(meanings, shared, lists);
        out += &text;
        let operation = half.operation;
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
    let letters = def.dual.as_ref().expect("the space has two operations");
    let key = format!("[Fields; 2] = [{}, {}]", fields(t, format, &letters[0]), fields(t, format, &letters[1]));
    let fields = shared.signatures.name("V", key, |name, key| format!("pub(crate) const {name}: {key};\n"));
    let dwords = def.bits / 32;
    // In the short format, the lowest bit of one destination is the inverse of the lowest bit of the other.
    let long = t.formats[format].fields.iter().all(|(field, _)| field.operand_type != "vdsty");
    let may = format!(
        "crate::check::Freedom {{ moves: {}, equal: {}, long: {long} }}",
        t.row.has("dual-moves"),
        t.row.has("dual-equal")
    );
    lists.tables.push(format!(
        "super::dual::Duals {{ target: crate::target::Target::{}, format: crate::opcode::Format::{kind}, bits: {bits:#x}, dwords: {dwords}, fields: &signatures::{fields}, may: {may}, operations: &[{operations}] }}",
        camel(&t.row.name)
    ));
    let mut module = String::new();
    putln!(module, "/// The operations of dual instructions ({}).", def.name);
    let uses = format!("use super::*;\nuse crate::make::{{Dual, dual::{{Either, OnlyFirst, OnlySecond, {kind}}}}};\n");
    let file = format!("make_{}_{name}.rs", t.row.name);
    module += &add_apart(lists.files, &format!("pub mod {name} {{"), file, uses + &out);
    let literal = if def.literals(&t.row.name).next().is_some() { " They have one literal together." } else { "" };
    putln!(
        module,
        "/// A dual instruction: two operations, which the functions of the module `{name}` make. Registers of the two must be in different banks: see [`BuildError::Banks`](crate::make::BuildError::Banks).{literal}\n///\n/// Source: {}.\n#[inline]\npub const fn {name}<P: crate::make::dual::First, Q: crate::make::dual::Second>(x: crate::make::Dual<P, crate::make::dual::{kind}>, y: crate::make::Dual<Q, crate::make::dual::{kind}>) -> Code<crate::make::dual::{kind}> {{ Code::new({bits:#x}, {dwords}).dual(&{rules}, &{fields}, {may}, x, y) }}",
        def.source.text(&t.row.name)
    );
    Ok(module)
}

/// The operations of an opcode space by their numbers. Those from the opcode index `second` on are second operations.
fn forms<'a>(t: &'a Target, space: &OpcodeSpace, second: usize) -> BTreeMap<usize, Forms<'a>> {
    let mut all: BTreeMap<usize, Forms> = BTreeMap::new();
    for (index, operation) in t.operations.iter().enumerate().skip(space.base).take(space.size) {
        let Some(operation) = operation else { continue };
        let is_first =
            t.constraints[t.signatures[operation.signature - 1].constraints].flags & constraint_flags::DUAL != 0;
        let number = if is_first { index - space.base } else { index - second };
        let forms = all.entry(number).or_default();
        forms.number = number;
        *if is_first { &mut forms.first } else { &mut forms.second } = Some(operation);
    }
    all
}

/// The positions of the fields of one operation, as source text. The names of its fields end in `letter`.
fn fields(t: &Target, format: usize, letter: &str) -> String {
    let place = |name: &str| {
        let found = t.formats[format].fields.iter().find(|(field, _)| field.name == name);
        found.map_or(NONE, |(_, bits)| bits.pieces[0].lsb)
    };
    // A field that the format lacks is not used by any operation, so its name here does not matter.
    let at = |name: &str| match place(name) {
        NONE => format!("(Field::Reserved, {NONE})"),
        lsb => format!("({}, {lsb})", field(name)),
    };
    let both = |name: &str| at(&format!("{name}{letter}"));
    format!(
        "Fields {{ opcode: {}, src0: {}, src1: {}, src2: {}, dst: {}, neg: {}, table: {} }}",
        place(&format!("op{letter}")),
        both("src0"),
        both("vsrc1"),
        both("vsrc2"),
        both("vdst"),
        both("neg"),
        at("bitop3"),
    )
}

/// The single operation with the same effect: the instruction of 32 bits with the same name, but without `dual_`.
fn alone<'a>(t: &'a Target, dual: &Operation) -> Option<&'a Operation> {
    let name = |operation: &'a Operation| operation.spelling.as_deref().unwrap_or(&operation.mnemonic);
    let wanted = dual.spelling.as_deref().unwrap_or(&dual.mnemonic).replacen("dual_", "", 1);
    let short = |operation: &&Operation| t.formats[operation.format].def.bits == 32;
    t.operations.iter().flatten().filter(short).find(|operation| name(operation) == wanted)
}

fn is_literal(desc: &OperandDesc) -> bool {
    matches!(desc.kind, OperandKind::Number(NumberKind::Literal { .. }))
}

/// One of the two operations of a dual instruction.
struct Half<'a> {
    t: &'a Target<'a>,
    def: &'a Format,
    forms: &'a Forms<'a>,
    operation: &'a Operation,
    descs: Vec<&'a OperandDesc>,
    vdst: &'a OperandDesc,
    /// The first source, and the classes of operands that it accepts.
    src0: (&'a OperandDesc, u16),
    /// The third source, if there is one.
    src2: Option<(&'a OperandDesc, u16)>,
    /// The operands that can be negated, as bits.
    neg: u8,
    /// Whether the operation has a truth table.
    table: bool,
}

/// The parameters of a function.
struct Parameters {
    generics: String,
    /// The names and types.
    list: Vec<(&'static str, String)>,
    /// The arguments with which the tests call the function, as source text.
    arguments: String,
}

impl<'a> Half<'a> {
    fn new(t: &'a Target<'a>, def: &'a Format, forms: &'a Forms<'a>) -> Result<Half<'a>> {
        let operation = forms.first.or(forms.second).expect("it has a form");
        let signature = &t.signatures[operation.signature - 1];
        let constraints = &t.constraints[signature.constraints];
        let numbers = &t.desc_lists[signature.descs.0..signature.descs.0 + signature.descs.1];
        let descs: Vec<&OperandDesc> = numbers.iter().map(|&n| &t.descs[usize::from(n)]).collect();
        let of = |name: &str| descs.iter().find(|i| i.field.starts_with(name)).copied();
        let (Some(vdst), Some(src0)) = (of("vdst"), of("src0")) else {
            return def.at.err(format!("{} has no destination or no source", operation.mnemonic));
        };
        let src0 = (src0, operand::allowed(t, constraints, src0)?);
        let src2 = match of("vsrc2") {
            Some(desc) => Some((desc, operand::allowed(t, constraints, desc)?)),
            None => None,
        };
        let modifier = |name: &str| descs.iter().find(|i| i.access.is_none() && i.field.starts_with(name));
        let neg = modifier("neg").map_or(0, |i| i.used_bits & 7);
        let table = modifier("bitop3").is_some();
        Ok(Half { t, def, forms, operation, vdst, src0, src2, neg, table, descs })
    }

    /// The facts of the operation, as source text.
    fn constant(&self) -> String {
        let place = |(desc, mask): (&OperandDesc, u16)| {
            let bus = if mask & operand::BUS != 0 { self.t.row.bus } else { 0 };
            format!(
                "Place {{ field: {}, lsb: {}, shift: {}, add: {}, allowed: {mask}, ty: DataType::{}, literal: {}, bus: {bus}, odd: false, acc: {NONE} }}",
                field(&desc.field),
                desc.lsb,
                desc.shift,
                desc.add,
                camel(&desc.ty),
                self.def.bits / 32,
            )
        };
        let literal = self.descs.iter().position(|i| is_literal(i));
        // The second source of a multiplication by a constant is the addend.
        let scaled = literal.is_some_and(|at| at + 1 < self.descs.len());
        let addend = match self.vdst.access {
            Some(Access::ReadWrite) => "Dst",
            _ if scaled => "Src1",
            _ if self.src2.is_some() => "Src2",
            _ => "None",
        };
        let reads_vcc = self.t.infos[self.operation.info].reads.iter().any(|r| r == "vcc");
        format!(
            "Operation {{ opcode: {}, src0: {}, src1: {}, literal: {}, addend: Addend::{addend}, reads_vcc: {reads_vcc}, dwords: {}, src2: {}, neg: {}, table: {} }}",
            self.forms.number,
            place(self.src0),
            self.descs.iter().any(|i| i.field.starts_with("vsrc1")),
            literal.is_some(),
            self.vdst.dwords,
            self.src2.map_or("None".into(), |source| format!("Some({})", place(source))),
            self.neg,
            self.table,
        )
    }

    fn parameters(&self, traits: &mut BTreeMap<u16, String>) -> Parameters {
        let n = self.vdst.dwords;
        let mask = self.src0.1;
        let mut all = Parameters {
            generics: format!("A: {}", operand::trait_name(traits, mask)),
            list: Vec::new(),
            arguments: String::new(),
        };
        let vector = format!("Vgpr<{n}>");
        let out = &mut all.arguments;
        for desc in self.descs.iter().filter(|desc| desc.access.is_some()) {
            let register = |name: &str| format!("case.dual_register(&format!(\"{name}{{half}}\")), ");
            let source = |name: &str, mask: u16| {
                format!("case.dual_source(&format!(\"{name}{{half}}\"), \"{mask} dual {n} true {}\"), ", desc.ty)
            };
            let (name, ty) = match desc.field.as_str() {
                _ if is_literal(desc) => {
                    *out += "case.dual_literal(), ";
                    ("literal", "u32".into())
                }
                field if field.starts_with("vdst") => {
                    *out += &register("vdst");
                    ("vdst", vector.clone())
                }
                field if field.starts_with("src0") => {
                    *out += &source("src0", mask);
                    ("src0", format!("Op<A, {n}>"))
                }
                field if field.starts_with("vsrc1") => {
                    *out += &register("vsrc1");
                    ("vsrc1", vector.clone())
                }
                field if field.starts_with("vsrc2") => match self.src2 {
                    Some((_, mask)) if mask != operand::VGPR => {
                        put!(all.generics, ", B: {}", operand::trait_name(traits, mask));
                        *out += &source("vsrc2", mask);
                        ("vsrc2", format!("Op<B, {n}>"))
                    }
                    _ => {
                        *out += &register("vsrc2");
                        ("vsrc2", vector.clone())
                    }
                },
                _ => continue,
            };
            all.list.push((name, ty));
        }
        all
    }

    /// Writes the function of the operation, and the constant with its facts. Returns the function and the constant's
    /// name.
    fn function(&self, meanings: &Meanings, shared: &mut Shared, lists: &mut Lists) -> (String, String) {
        let Half { t, def, forms, operation, .. } = *self;
        let name = &operation.mnemonic;
        let constant = shared
            .signatures
            .name("D", self.constant(), |name, key| format!("pub(crate) const {name}: Operation = {key};\n"));
        let Parameters { generics, list, arguments } = self.parameters(&mut shared.traits);
        lists.index.push(test_index::Dual {
            target: camel(&t.row.name),
            module: test_index::module(t.row),
            format: def.name.to_lowercase(),
            name: name.into(),
            arguments,
            first: forms.first.is_some(),
            second: forms.second.is_some(),
            neg: self.neg,
            table: self.table,
        });
        let names: Vec<&str> = list.iter().map(|(name, _)| *name).collect();
        let list: Vec<String> = list.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let has = |name: &str, or: String| if names.contains(&name) { name.to_string() } else { or };
        let (kind, place) = match (forms.first, forms.second) {
            (Some(_), Some(_)) => ("Either", "either operation"),
            (Some(_), None) => ("OnlyFirst", "the first operation"),
            _ => ("OnlySecond", "the second operation"),
        };
        let modifiers = match (self.neg, self.table) {
            (0, false) => "",
            (0, true) => " Modifiers: `bitop3`.",
            _ => " Modifiers: `neg`.",
        };
        let computes = computes(meanings, t, operation);
        let call = format!("`{name}<{generics}>({})`: {place}.{modifiers}", list.join(", "));
        lists.pages.add_dual(t, operation, forms.number as u64, &computes, call);
        let computes = computes.replace('\n', "\n/// ").replace("/// \n", "///\n");
        let none = format!("Vgpr::<{}>::new(0, 0)", self.vdst.dwords);
        let text = format!(
            "/// `{name} {}`: {place} of {}, opcode {}\n///\n/// Source: {}.{modifiers}{computes}\n{HIDDEN}\n#[inline]\npub const fn {name}<{generics}>({}) -> Dual<{kind}, {}> {{ Dual::new(&{constant}, vdst, src0, {}, {}, {}) }}\n",
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
        (text, constant)
    }
}
