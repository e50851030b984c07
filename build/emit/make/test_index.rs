//! Lists every function that makes an instruction, for the tests. Each function is called with random operands by a
//! function of its own; a single function with all the calls would take minutes to compile.

use crate::build::emit::camel;
use crate::build::emit::make::Pool;
use crate::build::emit::make::form::Function;
use crate::build::emit::make::operand::{AGPR, VGPR};
use crate::build::lower::{Operation, Target};
use crate::build::model::{TargetRow, module_name};
use crate::build::writer::{put, putln};

/// A function, with the targets that have it.
pub struct Entry {
    module: String,
    name: String,
    targets: Vec<String>,
    worker: String,
    /// The properties of the function, for the tests.
    head: String,
    /// The arguments of each call.
    rest: Vec<String>,
}

/// The public module of a target: `gfx1100`; `gfx1100::wave64` for the other wave size.
pub fn module(row: &TargetRow) -> String {
    if row.is_other_wave() { format!("{}::wave{}", module_name(&row.processor), row.lanes()) } else { row.name.clone() }
}

impl Entry {
    pub fn new(t: &Target, operation: &Operation, function: &Function) -> Entry {
        let (opcode, format) = (camel(&operation.mnemonic), camel(&t.formats[operation.format].def.name));
        let head = format!(
            "name: {:?}, opcode: Opcode::{opcode}, format: Format::{format}, extension: {:?}",
            function.name, function.extension
        );
        // Some operands determine the widths of others, so there is a call for each width.
        let has = |what: &str| function.parameters.iter().any(|(_, kind)| kind.split(' ').next() == Some(what));
        let variants: &[&str] = match (has("global"), has("image")) {
            _ if has("matrix") => &["8", "6", "4"],
            (true, _) => &["2", "1"],
            (_, true) => &["1", "2", "3", "4", "5"],
            _ => &[""],
        };
        let rest = variants.iter().map(|variant| {
            let mut line = String::new();
            for (name, kind) in &function.parameters {
                let mut words = kind.split(' ');
                let what = words.next().expect("a kind has a name");
                let words: Vec<&str> = words.collect();
                let method = match what {
                    "op" if words[0] == VGPR.to_string() => "vgpr".into(),
                    "op" if words[0] == AGPR.to_string() => "agpr".into(),
                    // The parameter's kind states the number of registers of a matrix whose elements have 8 bits.
                    "matrix" => {
                        let most: usize = words[2].parse().expect("a number of registers");
                        let n = most / 8 * variant.parse::<usize>().expect("a number");
                        if words[0] == VGPR.to_string() { format!("vgpr::<{n}>") } else { format!("matrix{n}") }
                    }
                    "global" | "image" | "format" => format!("{what}{variant}"),
                    "saddr" if has("global") && *variant == "2" => "no_saddr".into(),
                    _ => what.into(),
                };
                put!(line, "case.{method}({name:?}, {:?}), ", words.join(" "));
            }
            line
        });
        let rest = rest.collect();
        Entry {
            module: module(t.row),
            name: function.name.clone(),
            targets: vec![camel(&t.row.name)],
            worker: function.worker.clone(),
            head,
            rest,
        }
    }

    pub fn is_also_of(&mut self, t: &Target) {
        self.targets.push(camel(&t.row.name));
    }
}

/// One entry for each worker, because the workers contain all the code of constructors.
pub fn workers(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    let mut seen = std::collections::HashSet::new();
    entries.iter().filter(move |entry| seen.insert(&entry.worker))
}

/// Writes a function for each call, the list of these functions, and `$then! { Vop3a1 [(flag clamp) ...] }` for each
/// set of modifiers.
pub fn all<'a>(entries: impl Iterator<Item = &'a Entry>, sets: &Pool) -> String {
    let (mut out, mut list, mut n) = (String::new(), String::new(), 0);
    for Entry { module, name, targets, head, rest, .. } in entries {
        let targets: Vec<String> = targets.iter().map(|t| format!("Target::{t}")).collect();
        for arguments in rest {
            putln!(
                out,
                "#[allow(unused_variables)]\nfn c{n}(case: &mut Case) -> Result<Words, BuildError> {{ let code = amdgpu_isa::{module}::{name}({arguments}); finish(code, case) }}"
            );
            putln!(list, "    Constructor {{ targets: &[{}], {head}, make: c{n} }},", targets.join(", "));
            n += 1;
        }
    }
    put!(
        out,
        "static CONSTRUCTORS: [Constructor; {n}] = [\n{list}];\nmacro_rules! every_set {{\n    ($then:ident) => {{\n"
    );
    let mut all: Vec<(&String, &str)> =
        sets.names.iter().map(|(key, name)| (name, key.split_once("//").map_or("", |k| k.1))).collect();
    all.sort();
    for (name, methods) in all {
        put!(out, "        $then! {{ {name} [");
        for method in methods.split(';').filter(|m| !m.is_empty()) {
            put!(out, "({method}) ");
        }
        out.push_str("] }\n");
    }
    out.push_str("    };\n}\n");
    out
}

/// An operation of dual instructions.
pub struct Dual {
    pub target: String,
    pub module: String,
    /// The module of the operation's function: `vopd`.
    pub format: String,
    pub name: String,
    pub arguments: String,
    pub first: bool,
    pub second: bool,
    /// The sources that can be negated, one bit each.
    pub neg: u8,
    pub table: bool,
}

/// Writes a function for each operation in each position, the lists of these functions, `VOPD` and `VOPD3`, and
/// `JOIN_VOPD` and `JOIN_VOPD3` with the functions that join two operations.
pub fn duals(all: &[Dual]) -> String {
    let mut out = String::new();
    for format in ["vopd", "vopd3"] {
        let (mut list, mut joins, kind) = (String::new(), std::collections::BTreeMap::new(), camel(format));
        let mine = all.iter().filter(|dual| dual.format == format);
        for (n, Dual { target, module, name, arguments, first, second, neg, table, .. }) in mine.clone().enumerate() {
            let modify = match (neg, table) {
                (0, false) => String::new(),
                _ => format!("let dual = modify(dual, case, half, {neg}, {table}); "),
            };
            let mut call = |there: bool, half: &str, part: &str, is_either: bool| {
                let into = if is_either { ".into()" } else { "" };
                let function = format!("{format}_{half}{n}");
                if !there {
                    return "None".into();
                }
                putln!(
                    out,
                    "fn {function}(case: &mut Case) -> Dual<{part}, {kind}> {{ let half = {half:?}; let dual = amdgpu_isa::{module}::{format}::{name}({arguments}); {modify}dual{into} }}"
                );
                format!("Some({function})")
            };
            let (x, y) = (call(*first, "x", "OnlyFirst", *second), call(*second, "y", "OnlySecond", *first));
            let opcode = camel(name);
            putln!(list, "    DualOperation {{ target: Target::{target}, opcode: Opcode::{opcode}, x: {x}, y: {y} }},");
            joins.insert(target, module);
        }
        let (n, upper) = (mine.count(), format.to_uppercase());
        putln!(out, "static {upper}: [DualOperation<{kind}>; {n}] = [\n{list}];");
        putln!(out, "static JOIN_{upper}: [Join<{kind}>; {}] = [", joins.len());
        for (target, module) in joins {
            putln!(out, "    (Target::{target}, |x, y| amdgpu_isa::{module}::{format}(x, y).words()),");
        }
        out += "];\n";
    }
    out
}
