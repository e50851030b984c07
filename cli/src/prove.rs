//! `prove`: checks that decoding and encoding are inverses, for every first dword and for the fields of every form of
//! every operation.

mod progress;
mod summary;

use std::io;

use amdgpu_prove::{Options, Part, Pass, prove};

use crate::error::{Error, Result};
use crate::isa::{self, Target};
use crate::out::Out;
use progress::Bar;

/// Check the library's guarantees on all words, in two passes for each target
///
/// First dwords: each of the 2^32 is decoded with zeros after it, or, if these are refused, with dwords that a similar
/// instruction accepted; one in 13 of the longer instructions also with random dwords. An instruction must encode to
/// the same bytes, these bytes alone must decode to the same instruction, and `length` must agree. One in 13 is also
/// decoded as dwords and with other bytes after it, and refused words must be refused for the same reason.
///
/// Fields: each form of each operation (base words, literals, SDWA, DPP, NSA, two operations), starting from up to six
/// sets of words: every value of every single field of up to 12 bits; of wider fields each bit alone, the values of
/// inline constants, and a thousand others. With one set also every pair of fields with the values at which their
/// meaning changes.
///
/// Products of fields are tried once for all forms that the same table entries decode (a class, as the number of
/// classes in the output says): all pairs of operand codes, all codes of an operand with all values of a modifier, all
/// values of the fields that a rule ties, all values of the modifiers together (up to 22 bits of them), and all values
/// of fields of up to 17 bits; of a literal, all values of each half. All values of other wide fields (the lanes of
/// DPP8, offsets of 20 bits and more) are tried once for each format. The checks are those of the first pass. So a
/// fault in the product of two fields of one operation alone is not found, if it is in no entry of the tables.
///
/// Texts are compared for every value of every single field of up to 12 bits, for the products of instructions of one
/// dword, and for one in N of all other instructions: both printers, and one of them again with different bytes after
/// the instruction, must give the same plain text, and the text must parse to the same words, apart from bits that it
/// does not show. (With `--text 1`, all.)
///
/// A fault is printed as a line for `batch`, after a comment that states the fault, and the exit code is 1.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
pub struct Args {
    /// Only this target, such as gfx942; may be repeated
    #[arg(long, value_parser = crate::dis::target)]
    target: Vec<Target>,
    /// Only every N-th word, beginning with the K-th; the N parts together are all words
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    part: Part,
    /// Only this pass
    #[arg(long, value_enum)]
    pass: Option<Only>,
    /// Compare the text of one in N of the instructions whose texts are not all compared
    #[arg(long, value_name = "N", default_value = "127", value_parser = clap::value_parser!(u64).range(1..))]
    text: u64,
    /// Number of threads, 1 to 1024; by default the number of cores
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<u16>,
    /// Number of faults to show
    #[arg(long, value_name = "N", default_value = "20")]
    faults: usize,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Only {
    /// Every first dword
    Words,
    /// Fields of each form of each operation
    Fields,
}

/// The greatest number of threads. More threads are not faster on any machine, and the system may refuse them.
const MOST_THREADS: u16 = 1024;

fn threads(text: &str) -> std::result::Result<u16, String> {
    let number = text.parse().ok().filter(|n| (1..=MOST_THREADS).contains(n));
    number.ok_or_else(|| format!("give 1 to {MOST_THREADS} threads, or leave the option out for one on each core"))
}

pub fn run(args: &Args, color: bool) -> Result<()> {
    let all = isa::Target::ALL.to_vec();
    let targets = if args.target.is_empty() { &all } else { &args.target };
    let passes: &[Pass] = match args.pass {
        None => &[Pass::Words, Pass::Fields],
        Some(Only::Words) => &[Pass::Words],
        Some(Only::Fields) => &[Pass::Fields],
    };
    let options = Options { part: args.part, text: args.text, threads: args.threads };
    let mut out = Out::new(io::stdout().lock(), color);
    let mut faults = 0;
    for &target in targets {
        for &pass in passes {
            let bar = Bar::new();
            let summary = prove(&options, target, pass, |progress| bar.show(progress))
                .map_err(|error| Error::input(format!("{error}; use `--threads {}`", error.started.max(1))))?;
            bar.clear();
            faults += summary.tally.faults;
            summary::write(&summary, &mut out, bar.started.elapsed(), args.faults)?;
            out.flush()?;
        }
    }
    match faults {
        0 => Ok(()),
        n => Err(Error::input(format!("{n} words break the guarantees"))),
    }
}
