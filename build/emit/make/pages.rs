//! Writes the documentation of constructors: for each format of a target a module without items, whose documentation is
//! a table of its operations. A page for each of thousands of functions would be most of the crate's documentation.

use crate::build::emit::make::form::Function;
use crate::build::lower::{Operation, Target};
use crate::build::model::module_name;
use crate::build::writer::{put, putln};
use std::collections::BTreeMap;

/// The tables of a target: one for each format, by its name.
#[derive(Default)]
pub struct Pages(BTreeMap<String, Page>);

/// The table of a format.
struct Page {
    source: String,
    operations: BTreeMap<String, Row>,
    /// The modifiers of each set, by its name.
    sets: BTreeMap<String, String>,
}

/// The constructors of an operation.
struct Row {
    number: u64,
    spelling: Option<String>,
    computes: String,
    calls: Vec<String>,
}

impl Pages {
    /// Adds a constructor of an operation with this opcode.
    pub fn add(&mut self, t: &Target, operation: &Operation, number: u64, computes: &str, function: &Function) {
        let (call, set) = function.signature.split_once(" -> ").expect("a constructor has a result");
        let set = set.trim_start_matches("Code<sets::").trim_end_matches('>');
        let page = self.line(t, operation, number, computes, format!("`{}{call}`: {set}", function.name));
        page.sets.insert(set.to_string(), function.modifiers.clone());
    }

    /// Adds a constructor of an operation of a dual instruction. `call` is its cell in the table.
    pub fn add_dual(&mut self, t: &Target, operation: &Operation, number: u64, computes: &str, call: String) {
        self.line(t, operation, number, computes, call);
    }

    fn line(&mut self, t: &Target, operation: &Operation, number: u64, computes: &str, call: String) -> &mut Page {
        let format = t.formats[operation.format].def;
        let page = self.0.entry(format.name.clone()).or_insert_with(|| Page {
            source: format.source.text(&t.row.name),
            operations: BTreeMap::new(),
            sets: BTreeMap::new(),
        });
        let row = page.operations.entry(operation.mnemonic.clone()).or_insert_with(|| Row {
            number,
            spelling: operation.spelling.clone(),
            computes: computes.trim().to_string(),
            calls: Vec::new(),
        });
        if !row.calls.contains(&call) {
            row.calls.push(call);
        }
        page
    }

    /// Adds the files of a target: the module `constructors`, and the documentation of its modules.
    pub fn files(&self, t: &Target, files: &mut Vec<(String, String)>) {
        let (mut out, target) = (String::new(), &t.row.name);
        putln!(
            out,
            "/// The constructors of {}, in a table for each format. They are functions of the module of the target, and \
             not of these modules: see [`make`](crate::make).\npub mod constructors {{",
            module_name(&t.row.processor)
        );
        for (format, page) in &self.0 {
            let module = format.to_lowercase().replace('-', "_");
            let file = format!("constructors_{target}_{module}.md");
            putln!(out, "#[doc = include_str!({file:?})]\npub mod {module} {{}}");
            files.push((file, page.text(format)));
        }
        putln!(out, "}}");
        files.push((format!("constructors_{target}.rs"), out));
    }
}

impl Page {
    fn text(&self, format: &str) -> String {
        let mut out = String::new();
        putln!(out, "The constructors of {format} ({}).\n", self.source);
        putln!(
            out,
            "| operation | opcode | computes | constructors, with their sets of modifiers |\n|---|---|---|---|"
        );
        for (name, row) in &self.operations {
            let spelling = row.spelling.as_ref().map_or(String::new(), |other| format!(", `{other}`"));
            let calls = row.calls.join("<br>");
            putln!(out, "| `{name}`{spelling} | {} | {} | {calls} |", row.number, cell(&row.computes));
        }
        if !self.sets.is_empty() {
            put!(out, "\n| set | modifiers |\n|---|---|\n");
        }
        for (set, modifiers) in &self.sets {
            putln!(out, "| {set} | {modifiers} |");
        }
        out
    }
}

/// A text of one paragraph as a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
