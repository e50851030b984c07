//! `pictures`: the tables as pictures, for the book.

mod formats;
mod opcodes;
mod tree;

use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::escape;
use crate::isa::Target;

/// Draw the tables: the bits of each format, the numbers of all operations, and the tree of generations
///
/// For each target, DIRECTORY gets formats-TARGET.svg and opcodes-TARGET.svg; tree.svg shows what each generation
/// added.
#[derive(clap::Args)]
pub struct Args {
    /// The directory for the pictures
    directory: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    let failed =
        |path: &Path, error: std::io::Error| Error::input(format!("cannot write {}: {error}", escape::path(path)));
    let write = |name: String, picture: String| {
        let path = args.directory.join(name);
        std::fs::write(&path, picture).map_err(|error| failed(&path, error))
    };
    std::fs::create_dir_all(&args.directory).map_err(|error| failed(&args.directory, error))?;
    // The tables for waves of 64 lanes have the same numbers and nearly the same fields, so they get no pictures.
    for target in Target::ALL.iter().filter(|target| target.name() == target.processor()) {
        write(format!("formats-{target}.svg"), formats::draw(*target))?;
        write(format!("opcodes-{target}.svg"), opcodes::draw(*target))?;
    }
    write("tree.svg".into(), tree::draw())
}
