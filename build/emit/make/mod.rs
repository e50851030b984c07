//! Writes the functions that make instructions: one for each form of each row, for every enabled target.
//!
//! Rows with the same signature call one function, which encodes the operands. Code that is the same on several targets
//! is written once. `src/make/` contains the functions that the generated functions call.

mod dual;
mod form;
mod modifier_set;
mod operand;
pub mod pages;
mod test_index;

use crate::build::emit::types::HIDDEN;
use crate::build::emit::{apart, camel};
use crate::build::lower::encoding::number_of;
use crate::build::lower::{Operation, Target};
use crate::build::model::error::Result;
use crate::build::model::*;
use crate::build::writer::{put, putln};
use dual::Lists;
use form::Function;
use pages::Pages;
use std::collections::{BTreeMap, HashMap};

/// A pool of source texts: each text is written once and gets a name.
#[derive(Default)]
pub struct Pool {
    names: HashMap<String, String>,
    counts: HashMap<String, usize>,
    text: String,
}

impl Pool {
    /// The name of a text. For a new text, `make` writes it under the name `prefix` plus a number.
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

/// The source texts that functions share.
#[derive(Default)]
pub struct Shared {
    /// The positions of operands, the rules of targets, and the functions that rows of one signature call.
    pub signatures: Pool,
    pub sets: Pool,
    /// The names of the traits for sets of classes that operands accept.
    pub traits: BTreeMap<u16, String>,
}

/// The functions of the targets so far, and what the targets share.
#[derive(Default)]
struct Written {
    shared: Shared,
    modules: String,
    /// The rules of each target.
    rules: String,
    index: Vec<test_index::Entry>,
    duals: Vec<test_index::Dual>,
    /// The tables of dual instructions: one for each format of each target.
    tables: Vec<String>,
    /// The greatest number of dwords of an instruction.
    longest: u8,
    files: Vec<(String, String)>,
    /// The module and the position in `index` of each function, by its text.
    functions: HashMap<String, (String, usize)>,
}

impl Written {
    /// Adds the functions of a target. A function that another target has with the same text is not written again.
    fn target(&mut self, isa: &Isa, t: &Target, meanings: &Meanings) -> Result<()> {
        let name = &t.row.name;
        let rule = operand::rules(isa, t, &mut self.shared.signatures)?;
        put!(self.rules, "&signatures::{rule}, ");
        if t.row.bus > 2 {
            return t.row.at.err(format!("the constant bus carries {}, and src/make counts up to two", t.row.bus));
        }
        let mut module = String::from("use super::*;\nuse super::signatures::*;\n");
        let mut others: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut names: HashMap<String, String> = HashMap::new();
        let mut pages = Pages::default();
        // The target's own spellings, for the names of functions.
        let mut spellings: BTreeMap<String, String> = BTreeMap::new();
        for (number, operation) in t.operations.iter().enumerate() {
            let Some(operation) = operation else { continue };
            let number = number_of(t, number, operation);
            let computes = computes(meanings, t, operation);
            for function in form::functions((isa, &computes), t, operation, number, &rule, &mut self.shared)? {
                self.longest = self.longest.max(function.dwords);
                pages.add(t, operation, number, &computes, &function);
                let rest = function.name.strip_prefix(&operation.mnemonic);
                if let Some((spelling, rest)) = operation.spelling.as_ref().zip(rest) {
                    spellings.insert(format!("{spelling}{rest}"), function.name.clone());
                }
                if let Some(other) = names.insert(function.name.clone(), operation.mnemonic.clone()) {
                    return t
                        .row
                        .at
                        .err(format!("{} and {other} would both be made by {}", operation.mnemonic, function.name));
                }
                match self.functions.get(&function.text) {
                    Some((other, number)) => {
                        self.index[*number].is_also_of(t);
                        others.entry(other.clone()).or_default().push(function.name);
                    }
                    None => {
                        self.index.push(test_index::Entry::new(t, operation, &function));
                        module += &function.text;
                        self.functions.insert(function.text, (name.clone(), self.index.len() - 1));
                    }
                }
            }
        }
        for (other, names) in others {
            putln!(module, "{HIDDEN}\npub use super::{other}::{{{}}};", names.join(", "));
        }
        // A spelling that is the name of another operation is left out.
        for (spelling, name) in spellings.iter().filter(|(spelling, _)| !names.contains_key(*spelling)) {
            putln!(module, "{HIDDEN}\npub use self::{name} as {spelling};");
        }
        self.modules += "#[allow(unused_imports)]\n";
        let mut head = format!("pub mod {name} {{\n");
        operand::specials(&mut head, t);
        let lists =
            Lists { index: &mut self.duals, tables: &mut self.tables, pages: &mut pages, files: &mut self.files };
        head += &dual::modules((t, meanings), &rule, &mut self.shared, lists)?;
        self.modules += &add_apart(&mut self.files, &head, format!("make_{name}.rs"), module);
        pages.files(t, &mut self.files);
        Ok(())
    }
}

/// The generated source files of the library and of its tests.
pub fn all(isa: &Isa, targets: &[Target], meanings: &Meanings) -> Result<Vec<(String, String)>> {
    let mut written = Written { longest: 2, ..Written::default() };
    for t in targets {
        written.target(isa, t, meanings)?;
    }
    let Written { shared, modules, rules, index, duals, tables, longest, mut files, .. } = written;
    let mut out = String::from(
        "#[allow(unused_imports)]\nuse super::{BufferAddress, Code, Dual, GlobalBase, Half, ImageAddress, MatrixOrConst, Op, VectorData, kind::{Any, Exec, Lds, M0, ReadOnly, Sys}, op::{Agpr, Vgpr}};\n",
    );
    out += "/// Traits of the kinds of operands that an instruction accepts, where it accepts several.\npub mod operands {\nuse super::super::{Kind, kind::*};\n";
    out += &operand::traits(&shared.traits);
    out += "}\n";
    putln!(out, "pub(crate) const LONGEST: usize = {longest};");
    putln!(
        out,
        "/// The sets of modifiers that instructions have. They determine which methods a [`Code`] has.\n{HIDDEN}"
    );
    let sets = "use super::super::modifiers::*;\n#[allow(unused_imports)]\nuse crate::kind::AddressShape;\n";
    out += &add_apart(&mut files, "pub mod sets {", "make_sets.rs".into(), format!("{sets}{}", shared.sets.text));
    let signatures = "use super::*;\nuse super::operands::*;\nuse crate::opcode::Field;\nuse crate::table::DataType;\nuse crate::kind::{AddressFields, AddressShape};\nuse crate::table::Part;\nuse super::super::image::AddressPlace;\nuse super::super::operand::Place;\n#[allow(unused_imports)]\nuse super::super::dual::{Addend, Fields, Operation};\nuse super::super::resolve::Rules;\n";
    let signatures = format!("{signatures}{}", shared.signatures.text);
    out += "#[allow(unused_imports)]\n";
    out += &add_apart(&mut files, "pub(crate) mod signatures {", "make_signatures.rs".into(), signatures);
    let count = targets.len();
    putln!(
        out,
        "#[allow(unused_imports)]\nuse super::dual::Part;\npub(crate) static DUALS: [super::dual::Duals; {}] = [{}];",
        tables.len(),
        tables.join(", ")
    );
    putln!(out, "pub(crate) static RULES: [&super::resolve::Rules; {count}] = [{rules}];");
    out += "#[allow(unused_imports)]\nuse operands::*;\n";
    out += &modules;
    let all = test_index::all(index.iter(), &shared.sets);
    let signatures = test_index::all(test_index::workers(&index), &shared.sets);
    files.extend([
        ("make.rs".into(), out),
        ("make_roster.rs".into(), all),
        ("make_shapes_roster.rs".into(), signatures),
        ("make_dual_roster.rs".into(), test_index::duals(&duals)),
    ]);
    Ok(files)
}

/// Adds the file with a module's items, and returns the module: its head, and the inclusion of the file.
fn add_apart(files: &mut Vec<(String, String)>, head: &str, file: String, items: String) -> String {
    let (module, file) = apart(head, file, items);
    files.push(file);
    module
}

/// The source text of a function with its doc comment.
pub fn documented(function: &Function, doc: &str, body: &str) -> String {
    let mut out = String::new();
    for line in doc.lines() {
        putln!(out, "/// {line}");
    }
    let Function { name, signature, .. } = function;
    putln!(out, "{HIDDEN}\n#[inline]\npub const fn {name}{signature} {{ {body} }}");
    out
}

/// The meaning of an operation as a paragraph of a doc comment; empty if it is not known.
pub fn computes(meanings: &Meanings, t: &Target, operation: &Operation) -> String {
    let Some((_, text)) = meanings.get(&operation.mnemonic).and_then(|cells| cells.of(&t.row.name)) else {
        return String::new();
    };
    let (statements, sentence) = text.split_once('"').unwrap_or((text, ""));
    // Markdown would read these characters as links, tags and emphasis.
    let escaped = |c| if matches!(c, '[' | '<' | '*' | '_') { vec!['\\', c] } else { vec![c] };
    let sentence: String = sentence.trim_end_matches('"').chars().flat_map(escaped).collect();
    match (statements.trim(), sentence.as_str()) {
        ("", sentence) => format!("\n\nIt {sentence}."),
        (statements, "") => format!("\n\nComputes `{statements}`."),
        (statements, remark) => format!("\n\nComputes `{statements}`; {remark}."),
    }
}

/// A field's name as a variant of `Field`.
pub fn field(name: &str) -> String {
    format!("Field::{}", camel(name))
}
