//! The modules of the library are layers: no two modules at the top of `src/`, or within a directory, use each other,
//! except for the few of [`KNOWN`].
//!
//! `use` lines and paths show the dependencies of a file: a module always follows `crate::`, so that a reader sees
//! them, too. Names at the root of the crate are for its users. To see the layers, bottom first: `cargo test --release
//! --test library -- layers --nocapture`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Modules of a directory that use each other, and the reason.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["hazards::owed", "hazards::pair", "hazards::past", "hazards::room", "hazards::state", "hazards::steps"],
        "a state, what it stores, and how an instruction changes it",
    ),
    (&["make::builder", "make::dual", "make::fill"], "a builder builds dual instructions, which are two builders"),
];

/// The path of a module, such as `["hazards", "state"]`.
type Module = Vec<String>;
/// The modules that each module uses.
type Uses = BTreeMap<Module, BTreeSet<Module>>;

#[test]
fn no_module_uses_one_that_uses_it() {
    let files = files();
    let mut circles = Vec::new();
    for parent in parents(&files) {
        let uses = uses_of_children(&files, &parent);
        if parent.is_empty() {
            println!("{}", layers(&uses).join("\n"));
        }
        circles.extend(knots(&uses));
    }
    let known: Vec<Vec<String>> =
        KNOWN.iter().map(|(names, _)| names.iter().map(|name| name.to_string()).collect()).collect();
    assert_eq!(circles, known, "modules that use each other; the right side is the known ones");
}

#[test]
fn a_path_from_the_root_begins_with_a_module() {
    let files = files();
    let modules: BTreeSet<&str> = files.keys().map(|path| path[0].as_str()).collect();
    for (module, code) in &files {
        for path in paths(code).filter(|path| path[0] == "crate") {
            let first = path.get(1).map_or("", String::as_str);
            assert!(modules.contains(first), "{}: {}: write the module's name", module.join("::"), path.join("::"));
        }
    }
}

/// The code of each file of `src/` without comments, strings and tests.
fn files() -> BTreeMap<Module, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let (mut all, mut folders) = (BTreeMap::new(), vec![root.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let within = path.strip_prefix(&root).unwrap().with_extension("");
            let mut module: Module = within.iter().map(|part| part.to_str().unwrap().to_string()).collect();
            if module.last().is_some_and(|name| name == "mod") {
                module.pop();
            }
            // `lib` lists the modules, and `book` and `capi` use the crate as its users do.
            if !["lib", "book", "capi"].contains(&module[0].as_str()) {
                all.insert(module, code(&std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    all
}

/// The code before the tests, without comments and strings.
fn code(text: &str) -> String {
    let end = text.find("\n#[cfg(all(test").or_else(|| text.find("\n#[cfg(test)]")).unwrap_or(text.len());
    let mut code = String::new();
    for line in text[..end].lines() {
        let line = line.split("//").next().unwrap_or("");
        for (n, part) in line.split('"').enumerate() {
            code += if n % 2 == 0 { part } else { "" };
        }
        code.push('\n');
    }
    code
}

/// The paths of `use` lines and of expressions that begin with `crate`, `super` or `self`; and those of `use` lines
/// that begin with another name.
fn paths(code: &str) -> impl Iterator<Item = Module> {
    let mut all = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let at = statement.find("use ").filter(|at| {
            let before = statement[..*at].rsplit('\n').next().unwrap_or("").trim();
            before.is_empty() || before.starts_with("pub")
        });
        match at {
            Some(at) => {
                rest += &statement[..at];
                leaves(statement[at + 4..].trim_end_matches(';').trim(), &[], &mut all);
            }
            None => rest += statement,
        }
    }
    for first in ["crate::", "super::", "self::"] {
        for (at, _) in rest.match_indices(first) {
            if !rest[..at].ends_with(|c: char| c.is_alphanumeric() || "_:$".contains(c)) {
                let path = rest[at..].split(|c: char| !c.is_alphanumeric() && !"_:".contains(c)).next().unwrap_or("");
                all.push(path.split("::").filter(|part| !part.is_empty()).map(str::to_string).collect());
            }
        }
    }
    all.into_iter()
}

/// Adds the paths of a tree of `use` to `all`.
fn leaves(tree: &str, before: &[String], all: &mut Vec<Module>) {
    let Some((head, inner)) = tree.split_once('{') else {
        let path = tree.split_whitespace().next().unwrap_or("");
        let own = path.split("::").filter(|part| !part.is_empty()).map(str::to_string);
        all.push(before.iter().cloned().chain(own).collect());
        return;
    };
    let head: Module = before
        .iter()
        .cloned()
        .chain(head.split("::").map(|part| part.trim().to_string()).filter(|p| !p.is_empty()))
        .collect();
    let (mut depth, mut first) = (0, 0);
    let inner = &inner[..inner.rfind('}').unwrap_or(inner.len())];
    for (at, c) in inner.char_indices().chain([(inner.len(), ',')]) {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[first..at].trim().is_empty() {
                    leaves(inner[first..at].trim(), &head, all);
                }
                first = at + 1;
            }
            _ => {}
        }
    }
}

/// The modules that have children, the root first.
fn parents(files: &BTreeMap<Module, String>) -> BTreeSet<Module> {
    files.keys().flat_map(|module| (0..module.len()).map(|n| module[..n].to_vec())).collect()
}

/// The uses between the children of a module, each with everything in it.
fn uses_of_children(files: &BTreeMap<Module, String>, parent: &[String]) -> Uses {
    let depth = parent.len() + 1;
    let mut uses = Uses::new();
    for (module, code) in files.iter().filter(|(module, _)| module.len() >= depth && module.starts_with(parent)) {
        let mine = uses.entry(module[..depth].to_vec()).or_default();
        for path in paths(code) {
            let Some(other) = resolved(files, module, &path, 0) else { continue };
            if other.len() >= depth && other.starts_with(parent) && other[..depth] != module[..depth] {
                mine.insert(other[..depth].to_vec());
            }
        }
    }
    uses
}

/// The module in which an item is defined, as seen from another one. Modules that only export it again are skipped.
fn resolved(files: &BTreeMap<Module, String>, module: &[String], path: &[String], depth: usize) -> Option<Module> {
    let full: Module = match path[0].as_str() {
        "crate" => path[1..].to_vec(),
        "self" => [module, &path[1..]].concat(),
        "super" => {
            let up = path.iter().take_while(|part| *part == "super").count();
            [module.get(..module.len().checked_sub(up)?)?, &path[up..]].concat()
        }
        name => {
            let child = [module, &[name.to_string()]].concat();
            files.contains_key(&child).then(|| [module, path].concat())?
        }
    };
    let known = (1..=full.len()).rev().find(|n| files.contains_key(&full[..*n]))?;
    let (home, name) = (full[..known].to_vec(), full.get(known));
    let code = &files[&home];
    let defines = |code: &str, name: &str| {
        ["struct", "enum", "trait", "fn", "type", "const", "static", "mod"].iter().any(|kind| {
            code.match_indices(&format!("{kind} {name}"))
                .any(|(at, found)| !code[at + found.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        })
    };
    let passed_on = name.filter(|name| depth < 4 && !defines(code, name)).and_then(|name| {
        paths(code).find_map(|path| {
            let last = path.last()?;
            match last.as_str() {
                "*" => {
                    let other = resolved(files, &home, &path[..path.len() - 1], depth + 1)?;
                    defines(files.get(&other)?, name).then_some(other)
                }
                last if last == name => resolved(files, &home, &path, depth + 1),
                _ => None,
            }
        })
    });
    passed_on.or(Some(home))
}

/// The groups of modules that use each other.
fn knots(uses: &Uses) -> Vec<Vec<String>> {
    let reach = |from: &Module| {
        let (mut seen, mut next) = (BTreeSet::new(), vec![from.clone()]);
        while let Some(module) = next.pop() {
            for other in uses.get(&module).into_iter().flatten() {
                if seen.insert(other.clone()) {
                    next.push(other.clone());
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> = uses.keys().map(|module| (module, reach(module))).collect();
    let mut knots = BTreeSet::new();
    for (module, reaches) in &reached {
        let both = |other: &&Module| reached.get(other).is_some_and(|back| back.contains(*module));
        let knot: Vec<String> = reaches.iter().filter(both).map(|module| module.join("::")).collect();
        if reaches.contains(*module) {
            knots.insert(knot);
        }
    }
    knots.into_iter().collect()
}

/// The modules in an order in which each uses only earlier ones: a line for each, with the modules that it uses.
fn layers(uses: &Uses) -> Vec<String> {
    let (mut left, mut lines) = (uses.clone(), Vec::new());
    while let Some(module) = left
        .iter()
        .find(|(_, uses)| uses.iter().all(|other| !left.contains_key(other)))
        .map(|(module, _)| module.clone())
    {
        let used = left.remove(&module).unwrap_or_default();
        let used: Vec<String> = used.iter().map(|other| other.join("::")).collect();
        lines.push(format!("{:12} uses {}", module.join("::"), used.join(", ")));
    }
    lines.extend(left.keys().map(|module| format!("{:12} in a circle, or above one", module.join("::"))));
    lines
}
