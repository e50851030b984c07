//! The generator that `build.rs` calls: it reads `isa/`, checks it, and writes the library's tables and types.
//!
//! It is a pipeline: `parse` reads lines into the `model`, in which each target inherits from its generation; `check`
//! checks the tables as a whole; `lower` turns them into the data of one target; `emit` writes Rust.
//!
//! `tests/tables.rs` also includes this module, and gives it bad tables.

pub mod check;
pub mod emit;
#[cfg(any(feature = "meaning", test))]
#[path = "../src/formula/mod.rs"]
#[allow(dead_code, unused_imports)] // The library and the generator each use a part of this module.
pub mod formula;
#[path = "../src/kind/mod.rs"]
#[allow(dead_code)] // The library and the generator each use a part of this module.
pub mod kind;
pub mod lower;
pub mod model;
pub mod parse;
#[path = "../src/shared.rs"]
#[allow(dead_code)] // The library and the generator each use a part of this module.
pub mod shared;
pub mod writer;

use std::path::Path;

use model::error::{Error, Result};
use model::{Isa, Meanings, takes, tree};

/// Reads every `*.isa` file of a directory, in alphabetical order.
pub fn read(dir: &Path) -> Result<Isa> {
    let fail = |e: std::io::Error| Error { file: dir.display().to_string(), line: 0, message: e.to_string() };
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .map_err(fail)?
        .filter_map(|e| Some(e.ok()?.path()))
        .filter(|p| p.extension().is_some_and(|x| x == "isa"))
        .collect();
    files.sort();
    let mut texts = Vec::new();
    for path in files {
        let text = std::fs::read_to_string(&path).map_err(fail)?;
        texts.push((path.display().to_string(), text));
    }
    parse_all(texts.iter().map(|(n, t)| (n.as_str(), t.as_str())))
}

/// Reads tables from memory. The files can be in any order. In the result, formats that share the opcodes of another
/// format come after all other formats.
pub fn parse_all<'a>(files: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Result<Isa> {
    let mut isa = Isa::default();
    for (name, text) in files.clone() {
        parse::generations(&mut isa, name, text)?;
    }
    tree::targets(&mut isa)?;
    for (name, text) in files {
        parse::file(&mut isa, name, text)?;
    }
    tree::resolve(&mut isa)?;
    takes::all(&mut isa)?;
    isa.formats.sort_by_key(|f| f.shares.is_some());
    check::all(&isa)?;
    isa.swaps = lower::facts::swaps(&isa)?;
    Ok(isa)
}

/// The environment variable that asks for a list of every struct, instead of one for each layout. The argument
/// `enabled` of `generate` is called with this name, too, and returns whether the variable is set.
pub const EVERY_STRUCT: &str = "AMDGPU_ISA_STRUCTS";

/// The generated source files, as (file name, text).
///
/// `enabled` returns whether a feature of the crate is on.
pub fn generate(isa: &Isa, enabled: impl Fn(&str) -> bool) -> Result<Files> {
    let mut targets = Vec::new();
    for row in &isa.targets {
        if enabled(&row.feature()) || enabled(&row.processor) {
            targets.push(lower::target(isa, row)?);
        }
    }
    check::opcodes::check(isa)?;
    let mut files = emit::all(isa, &targets, enabled(EVERY_STRUCT))?;
    let (meanings, table) = if enabled("meaning") { formulas(isa, &targets)? } else { Default::default() };
    files.extend(table);
    if enabled("make") {
        files.extend(constructors(isa, &targets, &meanings)?);
    }
    Ok(files)
}

/// The names of generated files, with their texts.
type Files = Vec<(String, String)>;

/// The formulas of all operations, and the file with their table.
#[cfg(any(feature = "meaning", test))]
fn formulas(isa: &Isa, targets: &[lower::Target]) -> Result<(Meanings, Files)> {
    let meanings = lower::meaning::all(isa)?;
    let table = emit::meaning::table(isa, targets, &meanings)?;
    Ok((meanings, vec![("meaning.rs".to_string(), table)]))
}

#[cfg(not(any(feature = "meaning", test)))]
fn formulas(_: &Isa, _: &[lower::Target]) -> Result<(Meanings, Files)> {
    Ok(Default::default())
}

/// The files with the functions that make instructions.
#[cfg(any(feature = "make", test))]
fn constructors(isa: &Isa, targets: &[lower::Target], meanings: &Meanings) -> Result<Files> {
    emit::make::all(isa, targets, meanings)
}

#[cfg(not(any(feature = "make", test)))]
fn constructors(_: &Isa, _: &[lower::Target], _: &Meanings) -> Result<Files> {
    Ok(Vec::new())
}
