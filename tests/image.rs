//! The image for a bare Cortex-M, in which nothing can panic, calls every public function, except for those of a list
//! with reasons.
//!
//! The public functions are read from the source: those of the types, and free functions, that the crate's root or one
//! of its public modules exports. Left out are the functions of `capi`, which the image calls by their names in C, the
//! constructors of `make`, which it calls through a generated list, formulas (`meaning`), and modules that need a heap.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The directories and files that are left out.
const OTHERS: [&str; 9] =
    ["flow", "loadable", "arbitrary", "capi", "make", "book", "formula", "meaning", "table/generated"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// All files with code below a directory.
fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let paths: BTreeSet<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    paths.into_iter().flat_map(below).filter(|path| path.extension().is_some_and(|ext| ext == "rs")).collect()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The name of the function that a line with this indentation declares as public.
fn declared<'a>(line: &'a str, indentation: &str) -> Option<&'a str> {
    let rest = line.strip_prefix(indentation)?.strip_prefix("pub ")?;
    let rest = rest.strip_prefix("const ").unwrap_or(rest);
    words(rest.strip_prefix("fn ")?).next()
}

/// The names that the root and the public modules export.
fn exported(src: &Path) -> BTreeSet<String> {
    let lib = read(&src.join("lib.rs"));
    let module = |line: &str| Some(line.strip_prefix("pub mod ")?.strip_suffix(';')?.to_string());
    let roots = lib.lines().filter_map(module).chain(["microcode".to_string()]);
    let path = |name: String| [src.join(&name).join("mod.rs"), src.join(name + ".rs")].into_iter().find(|p| p.exists());
    let mut names = BTreeSet::new();
    for text in roots.filter_map(path).map(|path| read(&path)).chain([lib.clone()]) {
        for list in text.split("pub use ").skip(1).filter_map(|list| list.split(';').next()) {
            names.extend(words(list).map(str::to_string));
        }
        let items = ["pub struct ", "pub enum ", "pub trait ", "pub fn ", "pub const fn "];
        let named = |line: &str| {
            items
                .iter()
                .find_map(|item| line.strip_prefix(item))
                .and_then(|rest| words(rest).next().map(str::to_string))
        };
        names.extend(text.lines().filter_map(named));
    }
    names
}

/// The names of public functions, such as `Inst::get` and `decode`.
fn functions(src: &Path) -> BTreeSet<String> {
    let (exported, mut found) = (exported(src), BTreeSet::new());
    let is_other = |path: &PathBuf| {
        let path = path.strip_prefix(src).expect("it is below");
        let is = |other: &&str| path.starts_with(other) || path.with_extension("") == Path::new(other);
        OTHERS.iter().any(is) && path != Path::new("make/builder.rs")
    };
    for path in files(src).into_iter().filter(|path| !is_other(path)) {
        let mut of: Option<String> = None;
        for line in read(&path).lines() {
            if let Some(rest) = line.strip_prefix("impl") {
                // The generic parameters of `impl` are cut off: `<'a, C: Memory + ?Sized>` of `InstMut<'a, C> {`.
                let name = match rest.starts_with('<') {
                    true => rest.split_once("> ").map_or("", |(_, name)| name),
                    false => rest.trim_start(),
                };
                let is_trait = name.contains(" for ");
                of = words(name).next().filter(|name| !is_trait && exported.contains(*name)).map(str::to_string);
            }
            if let (Some(of), Some(name)) = (&of, declared(line, "    ")) {
                found.insert(format!("{of}::{name}"));
            }
            found.extend(declared(line, "").filter(|name| exported.contains(*name)).map(str::to_string));
            if line.starts_with('}') {
                of = None;
            }
        }
    }
    found
}

#[test]
fn every_public_function_is_in_the_image_that_cannot_panic() {
    let functions = functions(&root().join("src"));
    let bin = root().join("examples/cortex-m/src/bin");
    let image: String = files(&bin.join("api")).iter().chain([&bin.join("api.rs")]).map(|path| read(path)).collect();
    let list = read(&root().join("examples/cortex-m/left-out.txt"));
    let left_out: BTreeMap<&str, &str> = list
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(" | ").expect("a reason"))
        .collect();
    assert!(left_out.values().all(|reason| reason.len() > 10), "each has a reason");

    let of_name = |name: &str| functions.iter().filter(|f| f.rsplit("::").next() == Some(name)).count();
    let called = |function: &str| match function.split_once("::") {
        None => image.contains(&format!("{function}(")),
        // A call `.name(` also counts, if only one type has a method of this name and no type of `core` has one.
        Some((_, name)) => {
            let of_core = ["get", "set", "iter", "contains", "len", "is_empty", "next", "take", "with", "new", "find"];
            image.contains(&format!("{function}("))
                || image.contains(&format!("{function})"))
                || image.contains(&format!("{function},"))
                || of_name(name) == 1 && !of_core.contains(&name) && image.contains(&format!(".{name}("))
        }
    };
    let (mut missing, mut obsolete) = (Vec::new(), Vec::new());
    for function in &functions {
        match (called(function), left_out.contains_key(function.as_str())) {
            (false, false) => missing.push(function),
            (true, true) => obsolete.push(function),
            _ => {}
        }
    }
    assert!(missing.is_empty(), "neither called nor listed with a reason: {missing:?}");
    assert!(obsolete.is_empty(), "listed, although called: {obsolete:?}");
    let gone: Vec<_> = left_out.keys().filter(|name| !functions.contains(**name)).collect();
    assert!(gone.is_empty(), "listed, although there is no such function: {gone:?}");
    println!("{} public functions, {} of them left out", functions.len(), left_out.len());
    assert!(functions.len() > 300, "only {}", functions.len());
}
