//! `asm`: the assembler.

use std::io;

use crate::batch;
use crate::error::Result;
use crate::lines::Count;

/// Assemble instructions: with --lines, answer lines of `target<TAB>text` on stdin with `hex` or `ERR<TAB>column<TAB>message`
#[derive(clap::Args)]
pub struct Args {
    /// Answer each line of standard input with a line
    #[arg(long, required = true)]
    lines: bool,
}

pub fn run(_: &Args) -> Result<Count> {
    batch::assemble(io::stdin().lock(), io::stdout().lock())
}
