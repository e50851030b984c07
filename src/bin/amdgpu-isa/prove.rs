//! `prove`: checks that decoding and encoding are inverses, for every first dword and for the fields of every form of
//! every operation.

mod check;
mod first;
mod forms;
mod parsed;
mod plan;
mod progress;
mod summary;
mod sweeps;
mod tally;
mod values;
pub mod words;

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use crate::error::{Error, Result};
use crate::isa::{self, Target};
use crate::out::Out;
use check::{Library, Subject};
use first::{Hand, Walk};
use progress::Progress;
use summary::Summary;
use sweeps::Sweeps;
use tally::{Rows, Tally};

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
    #[arg(long, value_parser = isa::parse_target)]
    target: Vec<Target>,
    /// Only every N-th word, beginning with the K-th; the N parts together are all words
    #[arg(long, value_name = "K/N", default_value = "1/1")]
    part: Part,
    /// Only this pass
    #[arg(long, value_enum)]
    pass: Option<Pass>,
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

#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Pass {
    /// Every first dword
    Words,
    /// Fields of each form of each operation
    Fields,
}

/// The numbers that are `k` modulo `n`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    k: u64,
    n: u64,
}

impl Part {
    /// The numbers of this part among `count` numbers, starting at `first`.
    pub fn of(self, first: u64, count: u64) -> impl Iterator<Item = u64> {
        let skip = (self.k + self.n - first % self.n) % self.n;
        (first + skip..first + count).step_by(self.n as usize)
    }
}

impl FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Part, &'static str> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse::<u32>().ok()?, n.parse::<u32>().ok()?)));
        match numbers {
            Some((k, n)) if (1..=n).contains(&k) => Ok(Part { k: u64::from(k) - 1, n: n.into() }),
            _ => Err("a part is K/N with K from 1 to N, such as 3/100"),
        }
    }
}

/// More threads than this are no faster on any machine, and the system may refuse them.
const MOST_THREADS: u16 = 1024;

fn threads(text: &str) -> std::result::Result<u16, String> {
    let number = text.parse().ok().filter(|n| (1..=MOST_THREADS).contains(n));
    number.ok_or_else(|| format!("give 1 to {MOST_THREADS} threads, or leave the option out for one on each core"))
}

pub fn run(args: &Args, color: bool) -> Result<()> {
    let all = isa::Target::ALL.to_vec();
    let targets = if args.target.is_empty() { &all } else { &args.target };
    let mut out = Out::new(io::stdout().lock(), color);
    let mut faults = 0;
    for &target in targets {
        for pass in [Pass::Words, Pass::Fields] {
            if args.pass.is_none_or(|wanted| wanted == pass) {
                let started = Instant::now();
                let summary = prove(args, &Library, target, pass)?;
                faults += summary.tally.faults;
                summary.write(&mut out, started.elapsed(), args.faults)?;
                out.flush()?;
            }
        }
    }
    match faults {
        0 => Ok(()),
        n => Err(Error::input(format!("{n} words do not keep what is promised"))),
    }
}

fn prove(args: &Args, subject: &impl Subject, target: Target, pass: Pass) -> Result<Summary> {
    let rows = Rows::new(target);
    let (part, print) = (args.part, args.text);
    let (tally, what) = match pass {
        Pass::Words => {
            let walk = Walk { subject, target, rows: &rows, print };
            let each = |number, hand: &mut Hand, tally: &mut Tally| walk.block(number, part, hand, tally);
            (in_threads(args, target, "first dwords", &[1; first::BLOCKS as usize], each)?, "first dwords".to_string())
        }
        Pass::Fields => {
            let forms = forms::forms(target);
            let plan = plan::plan(&forms);
            let sizes: Vec<u64> = plan.iter().map(|&(form, sweep)| plan::size(&forms[form], sweep)).collect();
            let sweeps = Sweeps { subject, target, rows: &rows, forms: &forms, print };
            let each = |number: u64, hand: &mut Hand, tally: &mut Tally| {
                let sweep = plan[number as usize];
                sweeps.sweep(sweep, number, part, hand, tally);
            };
            let what = format!("fields of {} forms in {} classes", forms.len(), plan::classes(&forms));
            (in_threads(args, target, "fields", &sizes, each)?, what)
        }
    };
    Ok(Summary { target, what, tally })
}

/// Does pieces of work on all cores. `sizes`: about how large each of them is, compared with the others.
fn in_threads(
    args: &Args,
    target: Target,
    what: &str,
    sizes: &[u64],
    each: impl Fn(u64, &mut Hand, &mut Tally) + Sync,
) -> Result<Tally> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = args.threads.map_or(cores, usize::from);
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let worker = || {
        let (mut hand, mut tally) = (Hand::default(), Tally::new(target));
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(size) = sizes.get(number as usize) else { return tally };
            // `hand` has the words that caused the panic. The rest of the piece is skipped.
            if catch_unwind(AssertUnwindSafe(|| each(number, &mut hand, &mut tally))).is_err() {
                let words = hand.words;
                tally.fault(&words, "the library panics");
            }
            done.fetch_add(*size, Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for started in 0..threads {
            let spawned = std::thread::Builder::new().spawn_scoped(scope, worker);
            workers.push(spawned.map_err(|e| {
                // The threads that already run then find no more work.
                next.store(sizes.len() as u64, Relaxed);
                let fewer = started.max(1);
                Error::input(format!("the system gives {started} of {threads} threads: {e}; use `--threads {fewer}`"))
            })?);
        }
        let mut progress = Progress::new(&format!("{target} {what}"), sizes.iter().sum());
        while workers.iter().any(|worker| !worker.is_finished()) {
            progress.show(done.load(Relaxed));
        }
        progress.clear();
        let mut total = Tally::new(target);
        for worker in workers {
            // Workers catch panics, so this always succeeds.
            if let Ok(tally) = worker.join() {
                total.merge(tally);
            }
        }
        Ok(total)
    })
}

#[cfg(test)]
mod tests;
