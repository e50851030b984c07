//! `matrix`: prints the number of each operation on each target.

use std::io;

use crate::error::{Error, Result};
use crate::isa::{self, Operation, Target};
use crate::out::{self, Out};

/// Print the opcode of each operation on each target
///
/// Each operation of each format is a line: its name, and for each target its number, `number:mnemonic` if the target's
/// assembler spells it differently, or `-` if the target lacks it.
#[derive(clap::Args)]
pub struct Args {
    /// Only this format, such as VOP3P; may be repeated
    #[arg(long)]
    format: Vec<String>,
    /// Only this target, such as gfx942, and its operations; may be repeated
    #[arg(long, value_parser = crate::dis::target)]
    target: Vec<Target>,
    /// Separate the cells by tabs, and begin each line with the format
    #[arg(long)]
    tsv: bool,
}

pub fn run(args: &Args, color: bool) -> Result<()> {
    let targets = if args.target.is_empty() { Target::ALL.to_vec() } else { args.target.clone() };
    let mut operations = isa::operations(&targets);
    for format in &args.format {
        if !operations.iter().any(|o| o.format.eq_ignore_ascii_case(format)) {
            return Err(Error::Usage(unknown(format, &operations)));
        }
    }
    let wanted = |o: &Operation| args.format.iter().any(|f| f.eq_ignore_ascii_case(o.format));
    operations.retain(|o| args.format.is_empty() || wanted(o));
    let names: Vec<&str> = targets.iter().map(|t| t.name()).collect();
    let mut out = Out::new(io::stdout().lock(), color && !args.tsv);
    if args.tsv {
        out.str(&format!("format\tmnemonic\t{}", names.join("\t")));
        out.line()?;
        for o in &operations {
            out.str(&format!("{}\t{}\t{}", o.format, o.name, o.cells.join("\t")));
            out.line()?;
        }
    } else {
        for (n, group) in operations.chunk_by(|a, b| a.format == b.format).enumerate() {
            if n > 0 {
                out.line()?;
            }
            table(&mut out, &names, group)?;
        }
    }
    Ok(out.flush()?)
}

/// Writes the operations of one format in columns.
fn table<W: io::Write>(out: &mut Out<W>, targets: &[&str], operations: &[Operation]) -> io::Result<()> {
    let format = operations.first().map_or("", |o| o.format);
    let first = operations.iter().map(|o| o.name.len()).max().unwrap_or(0).max(format.len());
    let width =
        |column: usize| operations.iter().filter_map(|o| o.cells.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = targets.iter().enumerate().map(|(n, target)| width(n).max(target.len())).collect();
    out.styled(out::BOLD, &format!("{format:first$}"));
    for (target, width) in targets.iter().zip(&widths) {
        out.styled(out::BOLD, &format!(" {target:>width$}"));
    }
    out.line()?;
    for o in operations {
        out.styled(out::NAME, &format!("{:first$}", o.name));
        for (cell, width) in o.cells.iter().zip(&widths) {
            out.str(&format!(" {cell:>width$}"));
        }
        out.line()?;
    }
    Ok(())
}

fn unknown(format: &str, operations: &[Operation]) -> String {
    let mut known: Vec<&str> = operations.iter().map(|o| o.format).collect();
    known.dedup();
    format!("unknown format {:?}; the targets have {}", format.escape_debug().to_string(), known.join(", "))
}
