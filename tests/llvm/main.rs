//! The promise: this library and LLVM's disassembler either both refuse a word, or both accept it with the same length
//! and text. Every other word falls in a class of the reviewed list `crates/llvm/src/differences.txt`.
//!
//! LLVM 22 is the `libLLVM` of the Rust toolchain, which the package `amdgpu-llvm` calls. Without a `libLLVM`, these
//! tests fail.
//!
//! ```text
//! run="cargo test --release --features all-targets --test llvm"
//! $run                                           # a slice of 7,000 words of each kind
//! AMDGPU_ISA_WORDS=10000000 $run -- random       # the full run of random words
//! AMDGPU_ISA_WORDS=all $run -- systematic        # every value of every field
//! ```
//! LLVM 23 disassembles the targets that LLVM 22 lacks: `.ci/run full-llvm23` compares them. This step also shows
//! which classes, and which lines of `docs/llvm-differences.md`, still hold for LLVM 23. The libraries that `libLLVM`
//! needs are beside it, or in `LD_LIBRARY_PATH`:
//!
//! ```text
//! AMDGPU_ISA_LLVM=23 AMDGPU_ISA_LIBLLVM=PATH/libLLVM.so $run
//! ```
//! When something differs, the largest groups are printed and all of them are in `target/llvm-<target>-<test>.txt`.
//! Further options, for whoever works on the list (environment variable in brackets):
//!
//! ```text
//! --words N|all    [AMDGPU_ISA_WORDS]     how many words
//! --format NAME    [AMDGPU_ISA_FORMAT]    only formats whose name contains NAME: VOP3, SMEM, VOP2+SDWA
//! --seed N         [AMDGPU_ISA_SEED]      another set of random words
//! --groups N       [AMDGPU_ISA_GROUPS]    groups to print (20)
//! --examples N     [AMDGPU_ISA_EXAMPLES]  examples of each (3)
//! --jobs N         [AMDGPU_ISA_JOBS]      LLVM processes (2)
//! --target T                              only this target, which may be any that the version of LLVM knows
//! --corpus FILE                           compare the hex words of FILE (one on each line) instead of the tests
//! --word HEX                              show what both say about one word; may be repeated
//! ```

#![forbid(unsafe_code)]

#[allow(dead_code)] // Another test uses the rest.
mod assembler;
mod known;
mod ours;
mod page;
mod report;
mod reread;
mod samples;
mod words;

use amdgpu_isa::Target;
use amdgpu_llvm::{Answer, Case, Classes, Oracle, Ours, USUAL, Word, find_library, version};
use report::Report;
use std::cell::RefCell;
use std::io::{IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};
use words::{Random, Source, Survey, Systematic};

const BATCH: usize = 2048;

struct Options {
    words: Option<u64>,
    format: String,
    seed: u64,
    groups: usize,
    examples: usize,
    jobs: usize,
    target: Option<String>,
    corpus: Option<String>,
    hex: Vec<String>,
    list: bool,
    ignored: bool,
    exact: bool,
    filters: Vec<String>,
    skip: Vec<String>,
}

/// The number of words of each kind and target. There are 20 to 90 million words of the systematic kind.
const DEFAULT_WORDS: u64 = 7_000;

impl Options {
    fn read(arguments: &[String]) -> Result<Options, String> {
        let variable = |name: &str| std::env::var(format!("AMDGPU_ISA_{name}")).ok();
        let number = |text: &str| text.replace('_', "").parse().map_err(|_| format!("{text} is no number"));
        let mut options = Options {
            words: None,
            format: variable("FORMAT").unwrap_or_default(),
            seed: 0,
            groups: 20,
            examples: 3,
            jobs: std::thread::available_parallelism().map_or(1, |n| n.get().min(2)),
            target: None,
            corpus: None,
            hex: Vec::new(),
            list: false,
            ignored: false,
            exact: false,
            filters: Vec::new(),
            skip: Vec::new(),
        };
        let names = ["words", "seed", "groups", "examples", "jobs"];
        let from_environment =
            names.iter().filter_map(|name| Some([format!("--{name}"), variable(&name.to_uppercase())?])).flatten();
        let mut arguments = from_environment.chain(arguments.iter().cloned());
        let mut given_words = None;
        while let Some(argument) = arguments.next() {
            let (key, inline) = match argument.split_once('=') {
                Some((key, value)) if key.starts_with("--") => (key.to_owned(), Some(value.to_owned())),
                _ => (argument, None),
            };
            let mut value = || inline.clone().or_else(|| arguments.next()).ok_or(format!("{key} needs a value"));
            match &*key {
                "--words" => given_words = Some(value()?),
                "--format" => options.format = value()?,
                "--seed" => options.seed = number(&value()?)?,
                "--groups" => options.groups = number(&value()?)? as usize,
                "--examples" => options.examples = number(&value()?)? as usize,
                "--jobs" => options.jobs = number(&value()?)?.clamp(1, 64) as usize,
                "--target" => options.target = Some(value()?),
                "--corpus" => options.corpus = Some(value()?),
                "--word" => options.hex.push(value()?),
                "--skip" => options.skip.push(value()?),
                // Users of `cargo test` and test runners pass these options to every test executable.
                "--list" => options.list = true,
                "--ignored" => options.ignored = true,
                "--exact" => options.exact = true,
                "--test-threads" | "--color" | "-Z" => drop(value()?),
                "--format=terse" | "--nocapture" | "--no-capture" | "--quiet" | "-q" | "--show-output" => {}
                "--include-ignored" => {}
                _ if key.starts_with('-') => return Err(format!("unknown option {key}; see tests/llvm/main.rs")),
                _ => options.filters.push(key),
            }
        }
        options.words = match given_words.as_deref() {
            Some("all") => Some(u64::MAX),
            Some(text) => Some(number(text)?),
            None => None,
        };
        // Runners ask for `--list --format terse`.
        if options.list && options.format == "terse" {
            options.format.clear();
        }
        Ok(options)
    }

    fn wants(&self, test: &str) -> bool {
        let hit = |filter: &String| if self.exact { test == filter } else { test.contains(filter.as_str()) };
        (self.filters.is_empty() || self.filters.iter().any(hit)) && !self.skip.iter().any(hit) && !self.ignored
    }

    fn targets(&self) -> Vec<Target> {
        let wanted = |target: &Target| self.target.as_ref().is_none_or(|name| name == target.name());
        let all = if self.target.is_some() { ours::known() } else { ours::targets() };
        all.into_iter().filter(wanted).collect()
    }
}

type Outcome = Result<String, String>;
type Test<'a> = (String, Box<dyn Fn(usize) -> Outcome + Send + Sync + 'a>);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    amdgpu_llvm::run_as_child();
    match Options::read(&arguments).and_then(|options| run(&options)) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(101),
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(101)
        }
    }
}

/// Runs the tests. Returns whether all of them passed.
fn run(options: &Options) -> Result<bool, String> {
    if !options.hex.is_empty() {
        return show(options);
    }
    let classes = Classes::load()?;
    let tests: Vec<Test> = all_tests(options, &classes).into_iter().filter(|(name, _)| options.wants(name)).collect();
    if options.list {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return Ok(true);
    }
    if version() != USUAL {
        let names: Vec<&str> = options.targets().iter().map(|target| target.name()).collect();
        let library = find_library()?;
        println!("LLVM {}, {}: all samples of classes and lines of the page,", version(), library.display());
        println!("and words of {}", names.join(", "));
    }
    println!("\nrunning {} tests", tests.len());
    // One or two tests run one after the other, with all LLVM processes. Of more tests, several run at a time, with a
    // process each. The tests of one target run one after the other, because they share a survey.
    let (workers, jobs) = if tests.len() > 2 { (options.jobs, 1) } else { (1, options.jobs) };
    let target = |name: &str| name.split_once('_').map_or(String::new(), |(_, target)| target.to_owned());
    let groups: Vec<&[Test]> = tests.chunk_by(|(a, _), (b, _)| target(a) == target(b)).collect();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(group) = groups.get(next.fetch_add(1, Relaxed)) {
            for (name, test) in *group {
                let started = Instant::now();
                let outcome = catch_unwind(AssertUnwindSafe(|| test(jobs))).unwrap_or_else(|_| Err("panicked".into()));
                let seconds = started.elapsed().as_secs_f32();
                match outcome {
                    Ok(note) => println!("test {name} ... ok ({seconds:.1} s) {note}"),
                    Err(message) => {
                        println!("test {name} ... FAILED ({seconds:.1} s)\n{message}\n");
                        failed.lock().expect("no worker panics").push(name.as_str());
                    }
                }
            }
        }
    };
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    let failed = failed.into_inner().expect("no worker panics");
    let verdict = if failed.is_empty() { "ok" } else { "FAILED" };
    println!("\ntest result: {verdict}. {} passed; {} failed", tests.len() - failed.len(), failed.len());
    failed.iter().for_each(|name| println!("    {name}"));
    Ok(failed.is_empty())
}

fn all_tests<'a>(options: &'a Options, classes: &'a Classes) -> Vec<Test<'a>> {
    let mut tests: Vec<Test> = Vec::new();
    if let Some(path) = &options.corpus {
        for target in options.targets() {
            tests.push((
                format!("corpus_{}", target.name()),
                Box::new(move |jobs| {
                    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
                    compare_all(
                        target,
                        "corpus",
                        words::corpus(&text)?.into_iter(),
                        options,
                        jobs,
                        classes,
                        &layouts(target),
                    )
                }),
            ));
        }
        return tests;
    }
    tests.push(("differences_are_current".into(), Box::new(move |_| differences_are_current(classes))));
    if version() == USUAL {
        tests.push(("oracle_survives_crashes".into(), Box::new(|_| oracle_survives_crashes())));
        tests.push(("reserved_is_true".into(), Box::new(|_| page::reserved_is_true())));
    }
    tests.push(("page_is_true".into(), Box::new(move |_| page::is_true(classes))));
    tests.push(("samples".into(), Box::new(move |jobs| compare_samples(options, jobs, classes))));
    tests.extend(options.targets().into_iter().flat_map(|target| of_target(target, options, classes)));
    tests
}

/// The tests of systematic and of random words.
fn of_target<'a>(target: Target, options: &'a Options, classes: &'a Classes) -> Vec<Test<'a>> {
    let mut tests: Vec<Test> = Vec::new();
    tests.push((
        format!("systematic_{}", target.name()),
        Box::new(move |jobs| {
            let survey = survey(target, options, jobs)?;
            let (layouts, opcodes) = (survey.layouts().to_vec(), survey.opcodes());
            let source = Systematic::new(survey, options.words.unwrap_or(DEFAULT_WORDS));
            let note = compare_all(target, "systematic", source, options, jobs, classes, &layouts)?;
            if opcodes == 0 {
                return Err("there is no opcode to try: the format layouts are missing".into());
            }
            Ok(format!("{opcodes} opcodes; {note}"))
        }),
    ));
    tests.push((
        format!("random_{}", target.name()),
        Box::new(move |jobs| {
            let survey = survey(target, options, jobs)?;
            let layouts = survey.layouts().to_vec();
            let words = options.words.unwrap_or(DEFAULT_WORDS);
            let source = Random::new(survey, options.seed, words, options.format.is_empty());
            compare_all(target, "random", source, options, jobs, classes, &layouts)
        }),
    ));
    tests
}

fn layouts(target: Target) -> Vec<words::FormatLayout> {
    words::with_extensions(&ours::layouts(target), &ours::extensions(target))
}

/// The survey of a target, which its two tests share.
fn survey(target: Target, options: &Options, jobs: usize) -> Result<Survey, String> {
    thread_local!(static LAST: RefCell<Option<(&'static str, Survey)>> = const { RefCell::new(None) });
    LAST.with_borrow_mut(|last| match last {
        Some((name, survey)) if *name == target.name() => Ok(survey.clone()),
        _ => {
            let survey = new_survey(target, options, jobs)?;
            *last = Some((target.name(), survey.clone()));
            Ok(survey)
        }
    })
}

fn new_survey(target: Target, options: &Options, jobs: usize) -> Result<Survey, String> {
    // With more steps the survey would take longer than the tests that use it.
    let steps = if options.words.is_some_and(|words| words > DEFAULT_WORDS) { 40 } else { 8 };
    let mut oracles = start(target, jobs)?;
    let known = known::words(target);
    let mut survey = Survey::take(layouts(target), &known, steps, |words| {
        let share = words.len().div_ceil(oracles.len()).max(1);
        let ask = |(oracle, part): (&mut Oracle, &[Word])| {
            let answers = oracle.ask(part);
            answers.iter().map(|answer| matches!(answer, Answer::Text { text, .. } if !text.contains("/*"))).collect()
        };
        std::thread::scope(|scope| {
            let parts = oracles.iter_mut().zip(words.chunks(share));
            let threads: Vec<_> = parts.map(|part| scope.spawn(move || -> Vec<bool> { ask(part) })).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("asking LLVM")).collect()
        })
    });
    survey.keep(&options.format);
    Ok(survey)
}

fn start(target: Target, jobs: usize) -> Result<Vec<Oracle>, String> {
    (0..jobs).map(|_| Oracle::start(target)).collect()
}

/// Compares all words of a source, with several LLVMs at once.
fn compare_all(
    target: Target,
    test: &str,
    source: impl Source,
    options: &Options,
    jobs: usize,
    classes: &Classes,
    layouts: &[words::FormatLayout],
) -> Outcome {
    let progress = Progress::new(test, source.remaining());
    let shared = Mutex::new((source, progress));
    let mut report = Report::new(target, classes);
    let work = |mut oracle: Oracle| {
        let mut report = Report::new(target, classes);
        let mut batch = Vec::new();
        loop {
            batch.clear();
            {
                let (source, progress) = &mut *shared.lock().expect("a worker panicked");
                source.fill(&mut batch, BATCH);
                progress.advance(batch.len() as u64);
            }
            if batch.is_empty() {
                return report;
            }
            for (&word, llvm) in batch.iter().zip(oracle.ask(&batch)) {
                report.add(&Case::new(target, word, llvm, version()), classes, layouts);
            }
        }
    };
    let oracles = start(target, jobs)?;
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = oracles.into_iter().map(|oracle| scope.spawn(move || work(oracle))).collect();
        for thread in threads {
            report.merge(thread.join().map_err(|_| "a worker panicked")?);
        }
        Ok::<(), String>(())
    })?;
    shared.into_inner().map_err(|_| "a worker panicked")?.1.clear();
    // The assembler is that of LLVM 22.
    let (faults, assembled) =
        if version() == USUAL { report.texts.faults(target, classes) } else { (String::new(), 0) };
    let totals = report.totals(classes);
    let file = report.save(test, classes);
    if report.disagreements() > 0 {
        return Err(format!("{}\n{totals}\nall of it: {file}", report.text(options.groups, options.examples)));
    }
    if !faults.is_empty() {
        return Err(format!("{faults}Not as the classes of differences.txt say."));
    }
    Ok(format!("{totals}; {assembled} texts of classes assembled"))
}

/// A line with a counter, if stderr is a terminal.
struct Progress {
    name: String,
    total: u64,
    done: u64,
    started: Instant,
    shown: Instant,
    terminal: bool,
}

impl Progress {
    fn new(name: &str, total: u64) -> Progress {
        let now = Instant::now();
        let terminal = std::io::stderr().is_terminal();
        Progress { name: name.into(), total, done: 0, started: now, shown: now, terminal }
    }

    fn advance(&mut self, words: u64) {
        self.done += words;
        if self.terminal && self.shown.elapsed() > Duration::from_millis(200) {
            self.shown = Instant::now();
            let rate = self.done as f64 / self.started.elapsed().as_secs_f64() / 1000.0;
            eprint!("\r\x1b[K{}: {} of {} words, {rate:.0}k/s", self.name, self.done, self.total);
            let _ = std::io::stderr().flush();
        }
    }

    fn clear(&self) {
        if self.terminal {
            eprint!("\r\x1b[K");
        }
    }
}

/// Checks that each sample of the list still shows its class in the versions of LLVM that the list names, and only
/// there.
fn differences_are_current(classes: &Classes) -> Outcome {
    let version = version();
    let (mut stale, mut samples, mut gone) = (String::new(), 0, 0);
    for target in ours::known() {
        let mut oracle = Oracle::start(target)?;
        for class in &classes.list {
            for sample in class.samples.iter().filter(|sample| sample.target == target.name()) {
                let case = Case::new(target, sample.word, oracle.ask(&[sample.word]).remove(0), version);
                let (ours, llvm) = (case.ours.line(), case.llvm.line());
                let ours_fits = ours == sample.ours || sample.ours == "ERR" && matches!(case.ours, Ours::Refused(_));
                let differs = case.difference().is_some() && class.fits(&case) && llvm == sample.llvm;
                let is_shown = class.is_shown(sample, version);
                (samples, gone) = (samples + usize::from(is_shown), gone + usize::from(!is_shown));
                if ours_fits && differs == is_shown {
                    continue;
                }
                let hit = if class.fits(&case) { "" } else { " (the rule does not match)" };
                let hit = if differs && !is_shown { " (it is said that this version has it not)" } else { hit };
                stale += &format!("{}{hit}\n  sample:   {} {}\n", class.name, target.name(), sample.word.hex());
                stale += &format!("  ours:     {ours}\n  llvm:     {llvm}\n");
            }
        }
    }
    let has = classes.list.iter().filter(|class| class.versions.contains(&version)).count();
    if stale.is_empty() {
        Ok(format!("{has} classes, {samples} samples; {gone} samples of other versions"))
    } else {
        Err(format!("stale classes of crates/llvm/src/differences.txt, with what is true now:\n{stale}"))
    }
}

/// Checks that the oracle answers about the words before and after one on which LLVM crashes.
fn oracle_survives_crashes() -> Outcome {
    let mut oracle = Oracle::start(Target::Gfx942)?;
    let words = ["ff00807e", "0000807e", "010000d2ff000000", "0000807e", "010000d2ff000000", "ff000480", "ffffffff"];
    let words: Vec<Word> = words.iter().map(|hex| Word::from_hex(hex).expect("hex")).collect();
    let lines: Vec<String> = oracle.ask(&words).iter().map(Answer::line).collect();
    let ones: Vec<Word> = (0..5000).map(|i| words[i % 3]).collect();
    let crashes = oracle.ask(&ones).iter().filter(|answer| **answer == Answer::Crash).count();
    let expected = ["ERR", "ERR", "CRASH", "ERR", "CRASH", "CRASH", "ERR"];
    if lines == expected && crashes == 1666 {
        Ok(String::new())
    } else {
        Err(format!("{lines:?}, then {crashes} crashes; expected {expected:?}, then 1666"))
    }
}

/// Compares the code of every sample object, instruction by instruction.
fn compare_samples(options: &Options, jobs: usize, classes: &Classes) -> Outcome {
    let mut notes = Vec::new();
    let objects = samples::load()?;
    for target in options.targets() {
        let mut words = Vec::new();
        let mut oracle = Oracle::start(target)?;
        for object in objects.iter().filter(|o| (o.mach, o.lanes) == (target.mach(), target.wave_size())) {
            for section in &object.sections {
                words.extend(walk(section, &mut oracle));
            }
            println!("    {}", object.path.display());
        }
        if words.is_empty() {
            return Err(format!("tests/samples has no code for {}", target.name()));
        }
        notes.push(compare_all(target, "samples", words.into_iter(), options, jobs, classes, &layouts(target))?);
    }
    Ok(notes.join("; "))
}

/// The words at which an instruction starts for LLVM. After an invalid one, the next word is 4 bytes later.
fn walk(code: &[u8], oracle: &mut Oracle) -> Vec<Word> {
    // LLVM is asked about all dwords at once. The answers about dwords between the starts are ignored.
    let all: Vec<Word> = (0..code.len()).step_by(4).map(|at| Word::new(&code[at..])).collect();
    let answers = oracle.ask(&all);
    let mut at = 0;
    let mut words = Vec::new();
    while let Some(word) = all.get(at) {
        words.push(*word);
        at += match answers[at] {
            Answer::Text { len, .. } => len.div_ceil(4),
            _ => 1,
        };
    }
    words
}

/// `--word`: shows both answers about single words.
fn show(options: &Options) -> Result<bool, String> {
    for target in options.targets() {
        let mut oracle = Oracle::start(target)?;
        for hex in &options.hex {
            let word = Word::from_hex(hex).ok_or(format!("{hex} is no hex word"))?;
            let case = Case::new(target, word, oracle.ask(&[word]).remove(0), version());
            let format = layouts(target);
            let format = words::format_name(&format, &word).unwrap_or("?");
            println!("{} {hex} {format}\n  ours  {}\n  llvm  {}", target.name(), case.ours.line(), case.llvm.line());
            if let Answer::Text { comment, .. } = &case.llvm {
                if !comment.is_empty() {
                    println!("        {comment}");
                }
            }
        }
    }
    Ok(true)
}
