//! `completions` and `man`: scripts and pages that are made from the description of the command line, so that they
//! cannot differ from it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;

use crate::error::{Error, Result};
use crate::escape;

/// Print a script that makes a shell complete this command's arguments
#[derive(clap::Args)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Write a man page for this command, and one for each subcommand
#[derive(clap::Args)]
pub struct Pages {
    /// The directory for the pages
    directory: PathBuf,
}

pub fn completions(args: &Completions, mut command: Command) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "amdgpu-isa", &mut script);
    io::stdout().write_all(&script).map_err(Error::Output)
}

pub fn pages(args: &Pages, mut command: Command) -> Result<()> {
    let failed = |path: &Path, error: io::Error| Error::input(format!("cannot write {}: {error}", escape::path(path)));
    std::fs::create_dir_all(&args.directory).map_err(|error| failed(&args.directory, error))?;
    command.build();
    let subcommands = command.get_subcommands().filter(|sub| sub.get_name() != "help" && !sub.is_hide_set()).cloned();
    let named = |sub: Command| {
        // The page of `dis` is that of `amdgpu-isa dis`, under the name amdgpu-isa-dis.
        let name = format!("amdgpu-isa-{}", sub.get_name());
        sub.name(name).version(env!("CARGO_PKG_VERSION"))
    };
    let all: Vec<Command> = subcommands.map(named).collect();
    for command in std::iter::once(command).chain(all) {
        let path = args.directory.join(format!("{}.1", command.get_name()));
        let mut page = Vec::new();
        Man::new(command).render(&mut page).and_then(|()| std::fs::write(&path, page)).map_err(|e| failed(&path, e))?;
    }
    Ok(())
}
