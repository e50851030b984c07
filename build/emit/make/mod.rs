//! Writes the functions that make instructions: one for each form of each row, for every target that is whole.
//!
//! Rows of the same shape call one function, which knows the operands; what is the same on several targets is written
//! once. `src/make/` has what these functions call.

mod form;
mod operand;
mod roster;
mod set;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use crate::build::emit::camel;
use crate::build::lower::{Seg, Slot, Target};
use crate::build::model::error::Result;
use crate::build::model::*;
use form::Function;

/// Texts that are written once, by the names that they got.
#[derive(Default)]
pub struct Pool {
    names: HashMap<String, String>,
    counts: HashMap<String, usize>,
    text: String,
}

impl Pool {
    /// The name of a text. `make` writes it once it has a name: `prefix` and a number.
    pub fn name(&mut self, prefix: &str, key: String, make: impl FnOnce(&str, &str) -> String) -> String {
        if let Some(name) = self.names.get(&key) {
            return name.clone();
        }
        let count = self.counts.entry(prefix.to_string()).or_default();
        *count += 1;
        let name = format!("{prefix}{count}");
        self.text += &make(&name, &key);
        self.names.insert(key, name.clone());
        name
    }
}

/// All that is shared.
#[derive(Default)]
pub struct Shared {
    /// Places of operands, rules of targets, and what the functions of one shape call.
    pub shapes: Pool,
    pub sets: Pool,
    /// What operands can be: the classes, and the name of the trait.
    pub traits: BTreeMap<u16, String>,
}

/// The generated source: the library's, and what the tests are written with.
pub fn all(isa: &Isa, targets: &[Target]) -> Result<Vec<(String, String)>> {
    let mut shared = Shared::default();
    let mut modules = String::new();
    let mut rules = String::new();
    let mut roster: Vec<roster::Entry> = Vec::new();
    // Where a function of this text is: the module, and the number in the roster.
    let mut written: HashMap<String, (String, usize)> = HashMap::new();
    for t in targets {
        let name = &t.row.name;
        let rule = operand::rules(isa, t, &mut shared.shapes)?;
        write!(rules, "&shapes::{rule}, ").unwrap();
        if t.row.feature() != t.row.name {
            continue;
        }
        if t.row.bus != 1 {
            return t.row.at.err(format!("the constant bus carries {}, and src/make counts up to one", t.row.bus));
        }
        writeln!(modules, "#[allow(unused_imports)]\npub mod {name} {{\nuse super::*;\nuse super::shapes::*;").unwrap();
        operand::specials(&mut modules, t);
        let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut names: HashMap<String, String> = HashMap::new();
        for (number, slot) in t.slots.iter().enumerate() {
            let Some(slot) = slot else { continue };
            for function in form::functions(isa, t, slot, number_of(t, number, slot), &rule, &mut shared)? {
                if let Some(other) = names.insert(function.name.clone(), slot.mnemonic.clone()) {
                    return t
                        .row
                        .at
                        .err(format!("{} and {other} would both be made by {}", slot.mnemonic, function.name));
                }
                match written.get(&function.text) {
                    Some((module, number)) => {
                        roster[*number].is_also_of(t);
                        others.entry(module.clone()).or_default().push(function.name);
                    }
                    None => {
                        roster.push(roster::Entry::new(t, slot, &function));
                        modules += &function.text;
                        written.insert(function.text, (name.clone(), roster.len() - 1));
                    }
                }
            }
        }
        for (module, names) in others {
            writeln!(modules, "pub use super::{module}::{{{}}};", names.join(", ")).unwrap();
        }
        writeln!(modules, "}}").unwrap();
    }
    // A row of three dwords is a partial target's, and those have no constructors.
    let made = targets.iter().filter(|t| t.row.feature() == t.row.name).flat_map(|t| &t.formats);
    let longest = made.map(|f| f.def.bits / 32).filter(|&n| n != 3).max().unwrap_or(2).max(2);
    let mut out = String::from(
        "#[allow(unused_imports)]\nuse super::{BufferAddress, Code, GlobalBase, MatrixOrConst, Op, VectorData, kind::{Any, Exec, Lds, M0, ReadOnly, Sys}, op::{Agpr, Vgpr}};\n",
    );
    out += "/// Where an operand can be of several kinds: a trait of those.\npub mod operands {\nuse super::super::{Kind, kind::*};\n";
    out += &operand::traits(&shared.traits);
    out += "}\n";
    writeln!(out, "pub(crate) const LONGEST: usize = {longest};").unwrap();
    out += "/// The sets of modifiers that instructions have: what [`Code`] has methods by.\npub mod sets {\nuse super::super::modifiers::*;\n";
    out += &shared.sets.text;
    out += "}\n#[allow(unused_imports)]\npub(crate) mod shapes {\nuse super::*;\nuse super::operands::*;\nuse crate::Field;\nuse crate::table::{Part, Ty};\nuse super::super::operand::Place;\nuse super::super::resolve::Rules;\n";
    out += &shared.shapes.text;
    let count = targets.len();
    writeln!(out, "}}\npub(crate) static RULES: [&super::resolve::Rules; {count}] = [{rules}];").unwrap();
    out += "#[allow(unused_imports)]\nuse operands::*;\n";
    out += &modules;
    let all = roster::all(roster.iter(), &shared.sets);
    let shapes = roster::all(roster::shapes(&roster), &shared.sets);
    Ok(vec![("make.rs".into(), out), ("make_roster.rs".into(), all), ("make_shapes_roster.rs".into(), shapes)])
}

/// The number in the opcode field of a slot.
fn number_of(t: &Target, slot_number: usize, slot: &Slot) -> u64 {
    let family = &t.families[t.formats[slot.format].family];
    let slot_in_family = slot_number - family.base;
    let width = match family.seg_is {
        Seg::Opcode => family.op.width + family.seg.map_or(0, |s| s.width),
        _ => family.op.width,
    };
    (slot_in_family & ((1 << width) - 1)) as u64
}

/// Encoding bits and opcode.
fn encoding(t: &Target, format: usize, number: u64) -> u128 {
    let mut bits = 0u128;
    for (field, at) in &t.formats[format].fields {
        let mut value = match (at.fixed, field.kind.as_str()) {
            (Some(fixed), _) => fixed,
            (None, "op") => number,
            _ => continue,
        };
        for piece in &at.pieces {
            bits |= u128::from(value & ((1 << piece.width) - 1)) << piece.lsb;
            value >>= piece.width;
        }
    }
    bits
}

/// The words of a function that stand before its name.
pub fn documented(function: &Function, doc: &str, body: &str) -> String {
    let mut out = String::new();
    for line in doc.lines() {
        writeln!(out, "/// {line}").unwrap();
    }
    let Function { name, signature, .. } = function;
    writeln!(out, "#[inline]\npub const fn {name}{signature} {{ {body} }}").unwrap();
    out
}

/// A field's name as a variant of `Field`.
pub fn field(name: &str) -> String {
    format!("Field::{}", camel(name))
}
