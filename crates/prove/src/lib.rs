//! The proof that decoding and encoding are inverses, for every first dword and for the fields of every form of every
//! operation. Parts of it are public for tests: [`words`] to try, and the [`check`]s of an instruction.
//!
//! ```no_run
//! use amdgpu_isa::Target;
//! use amdgpu_prove::{Options, Pass, prove};
//!
//! let target: Target = "gfx942".parse().unwrap();
//! let summary = prove(&Options::default(), target, Pass::Fields, |done| println!("{done:?}")).unwrap();
//! assert_eq!(summary.tally.faults, 0);
//! ```
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod check;
mod first;
mod forms;
pub mod known;
pub mod parsed;
mod plan;
mod sweeps;
mod tally;
#[cfg(test)]
mod tests;
mod values;
pub mod words;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{fmt, io};

use amdgpu_isa::Target;
use check::{Library, Subject};
use first::{Hand, Walk};
use sweeps::Sweeps;
use tally::Rows;
pub use tally::{REASONS, Row, Tally};

/// One of the two walks through the words of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Tries every first dword.
    Words,
    /// Tries the fields of each form of each operation.
    Fields,
}

/// The numbers that are `k` modulo `n`. In text, `k` counts from one: the first of a hundred parts is `1/100`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    k: u64,
    n: u64,
}

impl Part {
    /// The part that has all numbers.
    pub const ALL: Part = Part { k: 0, n: 1 };

    /// The numbers of this part among `count` numbers from `first` on.
    fn of(self, first: u64, count: u64) -> impl Iterator<Item = u64> {
        let skip = (self.k + self.n - first % self.n) % self.n;
        (first + skip..first + count).step_by(self.n as usize)
    }
}

impl FromStr for Part {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Part, &'static str> {
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse::<u32>().ok()?, n.parse::<u32>().ok()?)));
        match numbers {
            Some((k, n)) if (1..=n).contains(&k) => Ok(Part { k: u64::from(k) - 1, n: n.into() }),
            _ => Err("a part is K/N with K from 1 to N, such as 3/100"),
        }
    }
}

/// The extent of a proof.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The part of the words that is tried.
    pub part: Part,
    /// One in this many instructions has its text compared, where not all texts are compared; at least 1.
    pub text: u64,
    /// The number of threads; `None`: one for each core.
    pub threads: Option<u16>,
}

impl Default for Options {
    /// The proof of all words, with one text in 127, and a thread for each core.
    fn default() -> Options {
        Options { part: Part::ALL, text: 127, threads: None }
    }
}

/// The progress of a pass.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The target and the pass.
    pub what: &'a str,
    /// The work that is done, of `total`, in units that take about the same time.
    pub done: u64,
    /// The whole work, in the same units.
    pub total: u64,
}

/// The result of a pass.
#[derive(Clone)]
pub struct Summary {
    /// The target that was tried.
    pub target: Target,
    /// A description of the words that were tried.
    pub what: String,
    /// The counts, and the first faults.
    pub tally: Tally,
}

/// The error that the system starts no more threads.
#[derive(Debug)]
pub struct TooFewThreads {
    /// The number of threads that have started.
    pub started: u16,
    /// The number of threads that were wanted.
    pub wanted: u16,
    /// The system's error for the next thread.
    pub reason: io::Error,
}

impl fmt::Display for TooFewThreads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system gives {} of {} threads: {}", self.started, self.wanted, self.reason)
    }
}

impl core::error::Error for TooFewThreads {}

/// Tries the words of one pass. `progress` is called until all threads are done: every 5 ms in the first second, then
/// every 200 ms.
///
/// # Errors
/// The system starts fewer threads than are wanted.
pub fn prove(
    options: &Options,
    target: Target,
    pass: Pass,
    progress: impl FnMut(Progress<'_>),
) -> Result<Summary, TooFewThreads> {
    prove_subject(options, &Library, target, pass, progress)
}

fn prove_subject(
    options: &Options,
    subject: &impl Subject,
    target: Target,
    pass: Pass,
    progress: impl FnMut(Progress<'_>),
) -> Result<Summary, TooFewThreads> {
    let rows = Rows::new(target);
    let (part, print) = (options.part, options.text.max(1));
    let mut workers = Workers { threads: options.threads, target, progress };
    let (tally, what) = match pass {
        Pass::Words => {
            let walk = Walk { subject, target, rows: &rows, print };
            let each = |number, hand: &mut Hand, tally: &mut Tally| walk.block(number, part, hand, tally);
            (workers.run("first dwords", &[1; first::BLOCKS as usize], each)?, "first dwords".to_string())
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
            (workers.run("fields", &sizes, each)?, what)
        }
    };
    Ok(Summary { target, what, tally })
}

/// The threads that do the work of a pass.
struct Workers<P> {
    /// The number of threads; `None`: one for each core.
    threads: Option<u16>,
    target: Target,
    progress: P,
}

impl<P: FnMut(Progress<'_>)> Workers<P> {
    /// Does pieces of work on all threads. `sizes` has the approximate size of each piece, relative to the others.
    fn run(
        &mut self,
        what: &str,
        sizes: &[u64],
        each: impl Fn(u64, &mut Hand, &mut Tally) + Sync,
    ) -> Result<Tally, TooFewThreads> {
        let target = self.target;
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get() as u16);
        let threads = self.threads.unwrap_or_else(cores);
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
                workers.push(spawned.map_err(|reason| {
                    // The threads that already run then find no more work.
                    next.store(sizes.len() as u64, Relaxed);
                    TooFewThreads { started, wanted: threads, reason }
                })?);
            }
            let (what, total, started) = (format!("{target} {what}"), sizes.iter().sum(), Instant::now());
            while workers.iter().any(|worker| !worker.is_finished()) {
                (self.progress)(Progress { what: &what, done: done.load(Relaxed), total });
                // The interval is short at first, so that a short run does not wait for it.
                let pause = if started.elapsed() < Duration::from_secs(1) { 5 } else { 200 };
                std::thread::sleep(Duration::from_millis(pause));
            }
            let mut all = Tally::new(target);
            for worker in workers {
                // Workers catch panics, so this always succeeds.
                if let Ok(tally) = worker.join() {
                    all.merge(tally);
                }
            }
            Ok(all)
        })
    }
}
