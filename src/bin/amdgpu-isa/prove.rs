//! `prove`: checks that decoding and encoding are inverses, for every first dword and for every form of longer
//! instructions.

mod check;
mod first;
mod forms;
mod parsed;
mod progress;
mod summary;
mod sweeps;
mod tally;
mod words;

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
/// Fields: each form of each operation that is longer than a dword (64-bit formats, literals, SDWA, DPP), starting from
/// up to six sets of words: every value of every single field (for fields wider than 12 bits, all values with the first
/// set and a thousand with each other one; for a literal, all values of each half, and inline constants). With one set
/// also all pairs of operand codes, and all values of the modifiers together, up to 22 bits of them. The checks are
/// those of the first pass.
///
/// Texts are compared for every value of every single field of up to 12 bits, and for one in N of all other
/// instructions: both printers, and one of them again with different bytes after the instruction, must give the same
/// plain text, and the text must parse to the same words, apart from bits that it does not show. (With `--text 1`, all.)
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
    /// Fields of longer instructions
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
            (in_threads(args, target, "first dwords", first::BLOCKS, each)?, "first dwords".to_string())
        }
        Pass::Fields => {
            let forms = forms::forms(target);
            let sweeps = Sweeps { subject, target, rows: &rows, forms: &forms, print };
            let each = |number, hand: &mut Hand, tally: &mut Tally| sweeps.form(number, part, hand, tally);
            let what = format!("fields of {} forms", forms.len());
            (in_threads(args, target, "fields", forms.len() as u64, each)?, what)
        }
    };
    Ok(Summary { target, what, tally })
}

/// Does `count` pieces of work on all cores.
fn in_threads(
    args: &Args,
    target: Target,
    what: &str,
    count: u64,
    each: impl Fn(u64, &mut Hand, &mut Tally) + Sync,
) -> Result<Tally> {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = args.threads.map_or(cores, usize::from);
    let (next, done) = (AtomicU64::new(0), AtomicU64::new(0));
    let worker = || {
        let (mut hand, mut tally) = (Hand::default(), Tally::new(target));
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                return tally;
            }
            // `hand` has the words that caused the panic. The rest of the piece is skipped.
            if catch_unwind(AssertUnwindSafe(|| each(number, &mut hand, &mut tally))).is_err() {
                let words = hand.words;
                tally.fault(&words, "the library panics");
            }
            done.fetch_add(1, Relaxed);
        }
    };
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for started in 0..threads {
            let spawned = std::thread::Builder::new().spawn_scoped(scope, worker);
            workers.push(spawned.map_err(|e| {
                // The threads that already run then find no more work.
                next.store(count, Relaxed);
                let fewer = started.max(1);
                Error::input(format!("the system gives {started} of {threads} threads: {e}; use `--threads {fewer}`"))
            })?);
        }
        let mut progress = Progress::new(&format!("{target} {what}"), count);
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
