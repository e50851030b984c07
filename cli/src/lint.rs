//! `lint`: what a kernel leaves to luck: waits and distances that are missing, and registers that nothing wrote.

mod change;
mod report;
mod sarif;
mod threads;

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;

use amdgpu_lint::check::{Checker, Finding, Severity};
use amdgpu_object::{Image, Part};

use crate::dis::{self, Messages, Selection};
use crate::error::{Error, Result};
use crate::escape;
use crate::isa::Target;
use crate::out::{BOLD, Out};
use report::Report;

/// Check machine code over its control flow: waits for counters and distances between instructions that are missing
#[derive(clap::Args)]
pub struct Args {
    /// The file to read; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Check only the code for this processor (such as gfx942, mi300x); with --raw, the target of the words
    #[arg(long, value_parser = dis::selection)]
    target: Option<Selection>,
    /// The file is bare machine code without a container, which begins with a kernel
    #[arg(long, requires = "target")]
    raw: bool,
    /// Address of the first byte of bare machine code
    #[arg(long, requires = "raw", value_parser = dis::address, default_value = "0")]
    base: u64,
    /// `json`: an object for each finding in a line of its own; `sarif`: one document for tools that show findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Show hints too: s_nop and waits for nothing or for more than is needed, registers that nothing wrote, what is perhaps wrong, and what cannot be
    /// known
    #[arg(long)]
    hints: bool,
    /// Insert the waits and distances that are missing
    #[arg(long, requires = "output")]
    fix: bool,
    /// Take away s_nop and waits, or make them weaker, where nothing that follows can tell
    #[arg(long, requires = "output")]
    trim: bool,
    /// With --fix and --trim: move code although it is not known where jumps lead. Nothing points into code but branches,
    /// relocations, and addresses that code makes of its own
    #[arg(long)]
    trust_jumps: bool,
    /// Write what --fix and --trim make to this file, and check that; `-` is standard output, without findings
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Refuse the file if all its compressed data together has more than SIZE bytes when decompressed, such as 4G; by
    /// default 64M, plus 256 bytes for each byte of the file
    #[arg(long, value_name = "SIZE", value_parser = dis::size, conflicts_with = "raw")]
    max_unpacked: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Json,
    Sarif,
}

/// How many findings there are of each severity.
#[derive(Default)]
struct Counts {
    errors: usize,
    warnings: usize,
    hints: usize,
}

struct Job<'a, W: Write> {
    args: &'a Args,
    file: String,
    out: Out<W>,
    counts: Counts,
    /// Those of a SARIF document, which is written as a whole.
    kept: Vec<Report>,
    /// Functions that were checked.
    functions: usize,
    passed: Messages,
    damage: Messages,
}

pub fn run(args: &Args, color: bool) -> Result<()> {
    let name = if args.file.as_os_str() == "-" { "standard input".into() } else { escape::path(&args.file) };
    let bytes = dis::read(&args.file).map_err(|e| Error::input(format!("cannot read {name}: {e}")))?;
    let bytes = change::change(args, &name, &bytes)?;
    let out = Out::new(io::stdout(), color && args.format == Format::Text);
    let (passed, damage) = (Messages::default(), Messages::default());
    let (counts, kept) = (Counts::default(), Vec::new());
    let mut job = Job { args, file: name, out, counts, kept, functions: 0, passed, damage };
    let visited = match (&args.target, args.raw) {
        (Some(selection), true) => job.raw(selection, &bytes),
        _ => amdgpu_object::visit(&bytes, args.max_unpacked, |part| job.part(part)),
    };
    match visited {
        Err(error @ (Error::Input(_) | Error::TooMuch { .. })) => job.damage.add(|| error.to_string()),
        other => other?,
    }
    if args.format == Format::Sarif {
        let document = sarif::document(&job.file, &job.kept);
        job.out.bytes(document.as_bytes());
        job.out.line()?;
    }
    job.out.flush()?;
    job.finish()
}

impl<W: Write> Job<'_, W> {
    fn raw(&mut self, selection: &Selection, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Err(Error::input("the file is empty"));
        }
        let image = Image::bare(selection.id.clone(), self.args.base, bytes);
        self.image(&image, selection.target)
    }

    fn part(&mut self, part: Part<'_>) -> Result<()> {
        match part {
            Part::Image(image) => match dis::target_of(&image, self.args.target.as_ref()) {
                Ok(target) => self.image(&image, target),
                Err(reason) => {
                    self.pass(image.label, &reason);
                    Ok(())
                }
            },
            Part::Skipped { label, reason } => {
                self.pass(label, &reason);
                Ok(())
            }
            Part::Damaged(error) => {
                self.damage.add(|| Error::from(error).to_string());
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn pass(&mut self, label: &str, reason: &dyn fmt::Display) {
        self.passed.add(|| dis::about(label, reason));
    }

    fn image(&mut self, image: &Image<'_>, target: Target) -> Result<()> {
        for checker in image.sections.iter().flat_map(|section| Checker::of(section, target)) {
            self.functions += checker.count();
            let check = |groups: &[Vec<usize>]| checker.check(groups);
            threads::in_order(&checker.groups(), check, &mut |found: Vec<Finding<'_>>| {
                found.iter().try_for_each(|finding| self.finding(image.label, finding))
            })?;
        }
        Ok(())
    }

    fn finding(&mut self, label: &str, finding: &Finding<'_>) -> io::Result<()> {
        let severity = finding.severity();
        match severity {
            Severity::Error => self.counts.errors += 1,
            Severity::Warning => self.counts.warnings += 1,
            Severity::Hint => self.counts.hints += 1,
        }
        if severity == Severity::Hint && !self.args.hints {
            return Ok(());
        }
        let report = Report::new(label, finding);
        match self.args.format {
            Format::Text => report::text(&mut self.out, &report),
            Format::Json => report::json(&mut self.out, &report),
            Format::Sarif => {
                self.kept.push(report);
                Ok(())
            }
        }
    }

    /// Says on stderr what was passed over, and how much was found. Errors in the code or damage to the file are an error.
    fn finish(self) -> Result<()> {
        let Job { args, file, functions, counts, passed, damage, .. } = self;
        let (passed, damage) = (passed.all(), damage.all());
        let mut stderr = anstream::stderr();
        if functions == 0 && damage.is_empty() {
            let reasons: String = passed.iter().map(|reason| format!("\n  {reason}")).collect();
            return Err(Error::input(format!("{file}: nothing to check{reasons}")));
        }
        if args.target.is_none() {
            for note in &passed {
                let _ = writeln!(stderr, "{}note:{} {file}: {note}", BOLD.render(), BOLD.render_reset());
            }
        }
        let Counts { errors, warnings, hints } = counts;
        let hidden = if hints > 0 && !args.hints { ", shown with --hints" } else { "" };
        let functions = counted(functions, "function");
        let all = format!("{}, {}, {}", counted(errors, "error"), counted(warnings, "warning"), counted(hints, "hint"));
        let all = format!("{file}: {functions} checked: {all}{hidden}");
        match (&damage[..], errors) {
            ([], 0) => {
                let _ = writeln!(stderr, "{all}");
                Ok(())
            }
            ([], _) => Err(Error::Input(all)),
            (damage, _) => Err(Error::Input(damage.iter().fold(all, |all, one| all + "\n  " + one))),
        }
    }
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
