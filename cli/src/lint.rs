//! `lint`: reports missing waits, violated distances and uninitialized registers, and repairs code.

mod assume;
mod change;
mod progress;
mod report;
mod rules;
mod sarif;
pub mod source;
mod threads;

use std::fmt;
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};

use amdgpu_lint::Settings;
use amdgpu_lint::baseline::Baseline;
use amdgpu_lint::check::{Checker, Finding, Severity};
use amdgpu_object::{Image, Part};

use crate::dis::{self, Messages, Selection};
use crate::error::{Error, Result};
use crate::escape;
use crate::isa::Target;
use crate::out::{BOLD, Out, RED};
use assume::Assumption;
use progress::Progress;
use report::Report;
use source::Source;

/// Check machine code over its control flow: waits for counters and distances between instructions that are missing
#[derive(clap::Args)]
pub struct Args {
    /// The files to read: code objects and containers of them, or sources, which are assembled in memory; `-` is
    /// standard input
    #[arg(value_name = "FILE", required_unless_present = "rules")]
    files: Vec<PathBuf>,
    /// Check only the code for this processor (such as gfx942, mi300x); with --raw, the target of the words; for
    /// sources that name no processor, their processor
    #[arg(long, value_parser = dis::selection)]
    target: Option<Selection>,
    /// The files are bare machine code without a container, which begins with a kernel
    #[arg(long, requires = "target")]
    raw: bool,
    /// Address of the first byte of bare machine code
    #[arg(long, requires = "raw", value_parser = dis::address, default_value = "0")]
    base: u64,
    /// `json`: an object for each finding in a line of its own; `sarif`: one document for tools that show findings
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Show hints too: needless or too strong waits and s_nop, registers that nothing wrote, code that may be wrong,
    /// and jumps that cannot be followed
    #[arg(long)]
    hints: bool,
    /// Also check rules that one source states and another one denies
    #[arg(long)]
    strict: bool,
    /// Assume a setting that neither code nor file states: xnack=on or off, expert=on or off (the mode of scheduling at
    /// the beginning of each function), wave=32 or 64 (where no descriptor states it)
    #[arg(long, value_name = "KEY=VALUE", value_parser = assume::parse)]
    assume: Vec<Assumption>,
    /// List the rules instead, for the targets of the files or for --target, and the faults that are not checked
    #[arg(long, conflicts_with_all = ["fix", "trim", "hints", "baseline", "write_baseline"])]
    rules: bool,
    /// Omit the findings in this file, and fail only because of others. --write-baseline writes the file, which has
    /// functions, rules and registers, but no addresses
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to this file, and do not fail because of them
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Insert the waits and distances that are missing
    #[arg(long, requires = "output")]
    fix: bool,
    /// Remove s_nop and waits, or make them weaker, where no later instruction depends on them
    #[arg(long, requires = "output")]
    trim: bool,
    /// With --fix and --trim: move code although the targets of jumps are not known. You vouch that only branches,
    /// relocations, and addresses that code makes relative to itself point into the code
    #[arg(long)]
    trust_jumps: bool,
    /// Write the result of --fix and --trim to this file, and check the result; `-` is standard output, without
    /// findings
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Search this directory for files that a source includes, after the current directory
    #[arg(short = 'I', long, value_name = "DIRECTORY")]
    include: Vec<PathBuf>,
    /// Look for code objects and bundles at every byte of a file of any kind
    #[arg(long, conflicts_with_all = ["raw", "fix", "trim"])]
    scan: bool,
    /// Refuse a file if all its compressed data together has more than SIZE bytes when decompressed, such as 4G; by
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

impl Args {
    fn format(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// The settings of checks and repairs.
    fn settings(&self) -> Settings {
        let unchanged = Settings { strict: self.strict, ..Settings::default() };
        self.assume.iter().fold(unchanged, |settings, assumption| assumption.add_to(settings))
    }

    fn changes(&self) -> bool {
        self.fix || self.trim
    }
}

/// The number of findings of each severity, and of known findings, which the baseline has.
#[derive(Default)]
struct Counts {
    errors: usize,
    warnings: usize,
    hints: usize,
    known: usize,
}

struct Job<'a, W: Write> {
    args: &'a Args,
    color_of_errors: bool,
    /// The name of the file that is being checked.
    file: String,
    out: Out<W>,
    progress: Progress,
    counts: Counts,
    /// The findings for a SARIF document, which is written at the end.
    kept: Vec<Report>,
    /// The reasons why files were not checked, or only partly, for the same document.
    troubles: Vec<String>,
    /// The numbers of functions that were checked, in all files and in the current file.
    functions: usize,
    functions_here: usize,
    passed: Messages,
    damage: Messages,
    /// The error of the file, if the command has only one file.
    error: Option<Error>,
    /// The number of files that could not be checked, or only partly, if there are several files.
    failed: usize,
    baseline: Option<Baseline>,
    written: Baseline,
}

pub fn run(args: &Args, color: bool, color_of_errors: bool) -> Result<()> {
    if args.rules {
        return rules::run(args, color, color_of_errors);
    }
    if args.output.is_some() && !args.changes() {
        return Err(Error::Usage("--output writes what --fix or --trim make: give one of them".into()));
    }
    if args.trust_jumps && !args.changes() {
        return Err(Error::Usage("--trust-jumps is for --fix and --trim: give one of them".into()));
    }
    if args.changes() && args.files.len() != 1 {
        return Err(Error::Usage("--fix and --trim change one file".into()));
    }
    assume::check(&args.assume).map_err(Error::Usage)?;
    let progress = Progress::new();
    let out = Out::new(progress.hiding(io::stdout()), color && args.format() == Format::Text);
    let mut job = Job {
        args,
        color_of_errors,
        file: String::new(),
        out,
        progress,
        counts: Counts::default(),
        kept: Vec::new(),
        troubles: Vec::new(),
        functions: 0,
        functions_here: 0,
        passed: Messages::default(),
        damage: Messages::default(),
        error: None,
        failed: 0,
        baseline: args.baseline.as_deref().map(read_baseline).transpose()?,
        written: Baseline::default(),
    };
    for path in &args.files {
        let result = job.file(path);
        if let Err(error) = job.end_of_file(result) {
            return Err(job.give_up(error));
        }
    }
    job.finish()
}

/// Reads a file. Returns its name and its bytes.
fn input(path: &Path) -> Result<(String, Vec<u8>)> {
    let name = if path.as_os_str() == "-" { "standard input".into() } else { escape::path(path) };
    let bytes = dis::read(path).map_err(|e| Error::input(format!("cannot read {name}: {e}")))?;
    Ok((name, bytes))
}

/// The target for which the code of an image is read, with the wave size that `--assume` states.
fn target_of(args: &Args, image: &Image<'_>) -> std::result::Result<Target, String> {
    dis::target_of(image, args.target.as_ref()).and_then(|target| assume::wave(&args.assume, target))
}

fn read_baseline(path: &Path) -> Result<Baseline> {
    let (name, bytes) = input(path)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::input(format!("{name} is not UTF-8")))?;
    text.parse().map_err(|error| Error::input(format!("{name}: {error}")))
}

impl<W: Write> Job<'_, W> {
    fn file(&mut self, path: &Path) -> Result<()> {
        let args = self.args;
        let (name, bytes) = input(path)?;
        self.progress.file(&name);
        self.file.clone_from(&name);
        self.functions_here = 0;
        let assembled = source::assemble(args, &name, &bytes, self.color_of_errors)?;
        let visited = match (&args.target, assembled) {
            (_, Some(assembled)) => {
                let mut source = assembled.source();
                amdgpu_object::visit(&assembled.bytes, None, |part| self.part(part, &mut source))
            }
            (Some(selection), _) if args.raw => {
                let target = assume::wave(&args.assume, selection.target).map_err(Error::Input)?;
                let bytes = change::change(args, &name, &bytes)?;
                self.raw(selection, target, &bytes)
            }
            _ => {
                let bytes = change::change(args, &name, &bytes)?;
                let mut none = Source::none();
                dis::visit(args.scan, &bytes, args.max_unpacked, |part| self.part(part, &mut none))
            }
        };
        match visited {
            Err(error @ (Error::Input(_) | Error::TooMuch { .. })) => self.damage.add(|| error.to_string()),
            other => other?,
        }
        Ok(())
    }

    fn raw(&mut self, selection: &Selection, target: Target, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Err(Error::input("the file is empty"));
        }
        let image = Image::bare(selection.id.clone(), self.args.base, bytes);
        self.image(&image, target, &mut Source::none())
    }

    fn part(&mut self, part: Part<'_>, source: &mut Source<'_>) -> Result<()> {
        match part {
            Part::Image(image) => match target_of(self.args, &image) {
                Ok(target) => self.image(&image, target, source),
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

    fn image(&mut self, image: &Image<'_>, target: Target, source: &mut Source<'_>) -> Result<()> {
        for section in &image.sections {
            let settings = self.args.settings();
            let checkers = Checker::in_image(section, image, target).map(|checker| checker.with(settings));
            let checkers: Vec<Checker<'_, '_>> = checkers.collect();
            for checker in &checkers {
                self.functions += checker.count();
                self.functions_here += checker.count();
                let groups = checker.groups();
                self.progress.more(groups.len());
                let check = |groups: &[Vec<usize>]| (groups.len(), checker.check(groups));
                threads::in_order(&groups, check, &mut |(count, found): (usize, Vec<Finding<'_>>)| {
                    self.progress.done(count);
                    let base = section.address;
                    found.iter().try_for_each(|finding| self.finding(image.label, finding, base, source))
                })?;
            }
            for finding in Checker::of_all(&checkers) {
                self.finding(image.label, &finding, section.address, source)?;
            }
        }
        Ok(())
    }

    /// Reports a finding about a section. `base`: the address of the section.
    fn finding(&mut self, label: &str, finding: &Finding<'_>, base: u64, source: &mut Source<'_>) -> io::Result<()> {
        let severity = finding.severity();
        let is_shown = severity != Severity::Hint || self.args.hints;
        if self.baseline.as_mut().is_some_and(|baseline| baseline.take(finding)) {
            self.counts.known += usize::from(is_shown);
            if is_shown {
                self.written.add(finding);
            }
            return Ok(());
        }
        match severity {
            Severity::Error => self.counts.errors += 1,
            Severity::Warning => self.counts.warnings += 1,
            Severity::Hint => self.counts.hints += 1,
        }
        if !is_shown {
            return Ok(());
        }
        self.written.add(finding);
        let section = finding.section.to_text();
        let mut place = |address: u64| source.at(&section, address.wrapping_sub(base));
        let report = Report::new(&self.file, label, finding, &mut place);
        match self.args.format() {
            Format::Text => report::text(&mut self.out, &report, self.args.files.len() > 1),
            Format::Json => report::json(&mut self.out, &report),
            Format::Sarif => {
                self.kept.push(report);
                Ok(())
            }
        }
    }

    /// Reports on stderr which parts were skipped, unless `--target` is given, and, if there are several files, the
    /// damage in this one.
    fn end_of_file(&mut self, result: Result<()>) -> Result<()> {
        let is_alone = self.args.files.len() == 1;
        let (passed, damage) = (mem::take(&mut self.passed).all(), mem::take(&mut self.damage).all());
        let file = &self.file;
        let error = match result {
            Err(error @ (Error::Input(_) | Error::TooMuch { .. })) if !is_alone => Some(error),
            Err(error) => return Err(error),
            Ok(()) if self.functions_here == 0 && damage.is_empty() => {
                let reasons: String = passed.iter().map(|reason| format!("\n  {reason}")).collect();
                Some(Error::input(format!("{file}: nothing to check{reasons}")))
            }
            Ok(()) => {
                if self.args.target.is_none() {
                    for note in &passed {
                        self.progress.say(&format!("{}note:{} {file}: {note}", BOLD.render(), BOLD.render_reset()));
                    }
                }
                match &damage[..] {
                    [] => None,
                    // If there is only one file, its damage is reported after the findings.
                    damage if is_alone => {
                        Some(Error::input(damage.iter().fold(String::new(), |all, one| all + "\n  " + one)))
                    }
                    [one] => Some(Error::input(format!("{file}: {one}"))),
                    several => {
                        let all = format!("{file}: it is damaged in several places");
                        Some(Error::input(several.iter().fold(all, |all, one| all + "\n  " + one)))
                    }
                }
            }
        };
        self.troubles.extend(error.as_ref().map(|error| error.to_string().trim_start().to_string()));
        if is_alone {
            self.error = error;
        } else if let Some(error) = error {
            self.failed += 1;
            self.out.flush()?;
            let message = escape::message(&error.to_string());
            self.progress.say(&format!("{}error:{} {message}", RED.render(), RED.render_reset()));
        }
        Ok(())
    }

    /// Writes the document with the reason why the only file could not be checked. Returns the error of the command.
    fn give_up(mut self, error: Error) -> Error {
        if matches!(error, Error::Input(_) | Error::TooMuch { .. }) {
            self.troubles.push(error.to_string());
            if let Err(error) = self.document() {
                return error.into();
            }
        }
        error
    }

    /// Writes the SARIF document, if it was asked for.
    fn document(&mut self) -> io::Result<()> {
        if self.args.format() == Format::Sarif {
            sarif::write(&mut self.out.buf, &self.kept, &self.troubles)?;
            self.out.line()?;
        }
        self.out.flush()
    }

    /// Prints the summary on stderr. Fails if the code has errors or a file is damaged.
    fn finish(mut self) -> Result<()> {
        let args = self.args;
        self.document()?;
        let Job { file, functions, counts, error, progress, failed, baseline, written, .. } = self;
        drop(progress);
        let mut stderr = anstream::stderr();
        let note = |text: &str| {
            let _ = writeln!(anstream::stderr(), "{}note:{} {text}", BOLD.render(), BOLD.render_reset());
        };
        if let (Some(path), Some(gone)) = (&args.baseline, baseline.map(|left| left.len()).filter(|left| *left > 0)) {
            let (name, are) = (escape::path(path), if gone == 1 { "is" } else { "are" });
            note(&format!("{name}: {} of it {are} gone: --write-baseline writes it anew", counted(gone, "finding")));
        }
        if let Some(path) = &args.write_baseline {
            let shown = escape::path(path);
            std::fs::write(path, written.to_string())
                .map_err(|e| Error::input(format!("cannot write {shown}: {e}")))?;
            note(&format!("{shown}: {} written", counted(written.len(), "finding")));
        }
        if functions == 0 && args.files.len() == 1 {
            if let Some(error) = error {
                return Err(match error {
                    // A text that begins with a line break continues a line with the name of the file, which has not
                    // been printed yet.
                    Error::Input(text) if text.starts_with('\n') => {
                        Error::input(format!("{file}: {}{text}", summary(args, 0, &counts)))
                    }
                    error => error,
                });
            }
        }
        let of = if args.files.len() == 1 {
            format!("{file}: ")
        } else {
            format!("{}, ", counted(args.files.len(), "file"))
        };
        let mut all = of + &summary(args, functions, &counts);
        let is_wrong = counts.errors > 0 && args.write_baseline.is_none();
        if failed > 0 {
            all += &format!("; {} not checked whole", counted(failed, "file"));
        }
        match error {
            Some(error) => Err(Error::input(format!("{all}{error}"))),
            None if is_wrong || failed > 0 => Err(Error::Input(all)),
            None => {
                let _ = writeln!(stderr, "{all}");
                Ok(())
            }
        }
    }
}

/// The summary, such as `12 functions checked: 1 error, 0 warnings, 2 hints, shown with --hints`.
fn summary(args: &Args, functions: usize, counts: &Counts) -> String {
    let &Counts { errors, warnings, hints, known } = counts;
    let hidden = if hints > 0 && !args.hints { ", shown with --hints" } else { "" };
    let known = if known > 0 { format!("; {known} more in the baseline") } else { String::new() };
    let functions = counted(functions, "function");
    let all = format!("{}, {}, {}", counted(errors, "error"), counted(warnings, "warning"), counted(hints, "hint"));
    format!("{functions} checked: {all}{hidden}{known}")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}
