//! The findings of lint about compiled programs when one of their waits is missing or weaker.
//! `tests/deleted/deleted.txt` states how often lint reports an error, and the reasons when it does not.
//!
//! Each wait, `s_nop` and `v_nop` that the compiler writes is deleted, and each of its counters raised by one, one at a
//! time. If lint then reports no error, there is a reason:
//!
//! | column | reason |
//! |---|---|
//! | hint | lint reports a wait that may be missing: a flat access, whose memory is unknown |
//! | own | it is from inline assembly, whose author may know more |
//! | order | it is between accesses and a barrier, a release or an acquire: it orders other waves, and not registers |
//! | unneeded | LLVM's passes would not insert it again either |
//! | call | at the beginning or the end of a function, or before a call or a trap: the calling convention |
//! | full | the counter cannot be greater: LLVM then waits for one less than the maximum, which is always reached |
//! | disputed | one source demands it and another denies it; `Hazards::strict` demands it |
//! | replay | only if an access can be repeated after a page fault (XNACK) |
//! | masks | masks of lanes on RDNA3, a rule that `docs/hazards.md` leaves |
//! | bank | its function selects banks of registers with `s_set_vgpr_msb` |
//! | gap | none |
//!
//! The test needs clang-22 and llc-22: `cargo test --release -p amdgpu-isa-cli --test tool deleted:: -- --ignored`.
//! `AMDGPU_ISA_RENEW=1` writes the file anew. `AMDGPU_ISA_TARGET=gfx1200` only prints the file's lines for one target,
//! and `AMDGPU_ISA_SHOW=1` each variant without an error.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use amdgpu_isa::hazards::{Hazards, Pending};
use amdgpu_isa::{Inst, Target, parse};
use amdgpu_lint::check::{self, Severity};
use amdgpu_object::Part;

const FILE: &str = "deleted.txt";
const RENEW: &str = "AMDGPU_ISA_RENEW=1 cargo test --release -p amdgpu-isa-cli --test tool deleted:: -- --ignored";

/// The samples of each target that are tested in addition to the programs of this test.
const TARGETS: [(&str, &[&str]); 15] = [
    ("gfx600", &["mixed", "reduce"]),
    ("gfx700", &["mixed"]),
    ("gfx803", &["mixed", "reduce"]),
    ("gfx900", &["mixed", "reduce"]),
    ("gfx908", &["mixed", "matrix908"]),
    ("gfx90a", &["mixed", "matrix90a"]),
    ("gfx942", &["mixed", "reduce", "matmul"]),
    ("gfx950", &["mixed", "matrix950"]),
    ("gfx1010", &["mixed", "reduce"]),
    ("gfx1030", &["mixed", "rays"]),
    ("gfx1100", &["mixed", "matrix1100"]),
    ("gfx1100-wave64", &["mixed", "reduce"]),
    ("gfx1150", &["mixed"]),
    ("gfx1200", &["mixed", "matrix1200"]),
    ("gfx1250", &["mixed", "matrix1250", "wide"]),
];
/// The programs of this test for each target.
const OWN: [&str; 2] = ["calls", "order"];

/// The result of a variant: a column of the file.
const COLUMNS: [&str; 12] =
    ["error", "hint", "own", "order", "unneeded", "call", "full", "disputed", "replay", "masks", "bank", "gap"];
const GAP: usize = 11;
/// The number of instructions before and after a wait among which its reason is sought.
const NEAR: usize = 24;

/// Options with which LLVM makes the same machine code whether it prints its machine IR or not.
const OPTIONS: [&str; 1] = ["-enable-ipra=0"];
/// The passes that insert waits.
const PASSES: &str = "-run-pass=si-insert-waitcnts,post-RA-hazard-rec,amdgpu-wait-sgpr-hazards";

/// A program for a target, compiled.
struct Program {
    target: Target,
    processor: &'static str,
    name: String,
    text: Vec<String>,
    /// The program as LLVM's machine IR, for LLVM's passes.
    mir: Vec<String>,
    scratch: PathBuf,
}

/// A change of one line of the text.
struct Variant {
    line: usize,
    /// The new line; `None` if it is deleted.
    inst: Option<Inst>,
}

/// The numbers of errors, and of hints about waits that may be missing.
type Counts = (usize, usize);

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

impl Program {
    fn compile(target: &'static str, name: &str, scratch: &Path) -> Program {
        let processor = target.trim_end_matches("-wave64");
        let of = |directory: &str| tests().join(directory).join(format!("{name}.cl"));
        let source = [of("deleted"), of("samples")].into_iter().find(|path| path.exists()).expect("a source");
        let file = |extension: &str| scratch.join(format!("{target}-{name}.{extension}"));
        let mut clang = Command::new("clang-22");
        clang.args(["-target", "amdgcn-amd-amdhsa", "-nogpulib", "-x", "cl", "-cl-std=CL2.0", "-w", "-O2", "-S"]);
        clang.args(["-emit-llvm", &format!("-mcpu={processor}")]);
        if processor != target {
            clang.arg("-mwavefrontsize64");
        }
        run(clang.arg(source).arg("-o").arg(file("ll")));
        let llc = || {
            let mut llc = Command::new("llc-22");
            llc.args(OPTIONS).arg(format!("-mcpu={processor}")).arg(file("ll")).arg("-o");
            llc
        };
        run(llc().arg(file("s")));
        run(llc().arg(file("mir")).arg("-stop-before=branch-relaxation"));
        let lines = |path: PathBuf| {
            std::fs::read_to_string(path).expect("what was written").lines().map(str::to_string).collect::<Vec<_>>()
        };
        let program = Program {
            target: target.replace("-wave64", ":wave64").parse().expect("a target"),
            processor,
            name: name.to_string(),
            text: lines(file("s")),
            mir: lines(file("mir")).iter().filter_map(|line| readable(line)).collect(),
            scratch: scratch.to_path_buf(),
        };
        let (waits, of_llvm) = (program.compiled().len(), places(&program.mir).len());
        assert_eq!(waits, of_llvm, "{target} {name}: the text and the machine IR have different waits");
        program
    }

    /// The lines of the text with waits that the compiler wrote.
    fn compiled(&self) -> Vec<usize> {
        let mut is_own = false;
        let lines = self.text.iter().enumerate().filter(|(_, line)| {
            is_own = (is_own || line.contains(";#ASMSTART")) && !line.contains(";#ASMEND");
            !is_own && is_wait(line)
        });
        lines.map(|(n, _)| n).collect()
    }

    fn waits(&self) -> Vec<usize> {
        (0..self.text.len()).filter(|n| is_wait(&self.text[*n])).collect()
    }

    /// All variants: each wait deleted, and each of its counters raised.
    fn variants(&self) -> Vec<Variant> {
        let mut all = Vec::new();
        for line in self.waits() {
            all.push(Variant { line, inst: None });
            let text = code(&self.text[line]);
            let inst = parse(self.target, text).unwrap_or_else(|error| panic!("{text}: {error}"));
            all.extend(weaker(self.target, &inst).into_iter().map(|inst| Variant { line, inst: Some(inst) }));
        }
        all
    }

    /// The findings of lint about the text with a variant.
    fn lint(&self, variant: Option<&Variant>) -> Counts {
        let mut text = String::new();
        for (n, line) in self.text.iter().enumerate() {
            match variant.filter(|variant| variant.line == n) {
                None => text += line,
                Some(Variant { inst: Some(inst), .. }) => text += &inst.to_string(),
                Some(Variant { inst: None, .. }) => {}
            }
            text.push('\n');
        }
        let options = amdgpu_asm::Options::default();
        let assembly = amdgpu_asm::assemble("input", &text, &options).unwrap_or_else(|faults| panic!("{faults}"));
        let file = assembly.to_code_object(false).unwrap_or_else(|faults| panic!("{faults}"));
        let (mut errors, mut hints) = (0, 0);
        amdgpu_object::visit(&file, None, |part| {
            let Part::Image(image) = part else { return Ok(()) };
            for finding in check::image(&image, self.target) {
                errors += usize::from(finding.severity() == Severity::Error);
                hints += usize::from(finding.rule() == "perhaps-missing-wait");
            }
            Ok::<(), amdgpu_object::Error>(())
        })
        .expect("a code object");
        (errors, hints)
    }

    /// The waits, and barriers, after LLVM's passes have seen the machine IR with a variant.
    fn passed(&self, variant: Option<&Variant>) -> Vec<String> {
        let mut mir = self.mir.clone();
        if let Some(variant) = variant {
            let n = self.compiled().iter().position(|line| *line == variant.line).expect("a wait of the compiler");
            let line = places(&mir)[n];
            match variant.inst {
                None => _ = mir.remove(line),
                Some(inst) => mir[line] = with_operand(&mir[line], inst.get(amdgpu_isa::Field::Simm16).unwrap_or(0)),
            }
        }
        let thread = format!("{:?}", std::thread::current().id()).replace(['(', ')'], "");
        let file = |extension: &str| self.scratch.join(format!("{thread}.{extension}"));
        std::fs::write(file("mir"), mir.join("\n") + "\n").expect("it can be written");
        let mut llc = Command::new("llc-22");
        llc.args([PASSES, &format!("-mcpu={}", self.processor)]);
        run(llc.arg(file("mir")).arg("-o").arg(file("out")));
        let out = std::fs::read_to_string(file("out")).expect("it was written");
        // In a second run, a pass may overlook its own wait after an instruction, and insert it twice.
        let lines: Vec<&str> = out.lines().map(str::trim).collect();
        let again = lines.iter().zip(std::iter::once(&"").chain(&lines));
        let once = again
            .filter(|(line, before)| line != before || !line.starts_with("S_WAITCNT_DEPCTR"))
            .map(|(line, _)| line.to_string());
        once.filter(|line| is_place(line) || is_barrier(line)).collect()
    }

    /// The reason why there is no error, as the number of a column. `whole` has the waits that LLVM's passes leave
    /// without a variant.
    fn reason(&self, variant: &Variant, whole: &[String]) -> usize {
        let column = |name: &str| COLUMNS.iter().position(|column| *column == name).expect("a column");
        if !self.compiled().contains(&variant.line) {
            return column("own");
        }
        let (before, after) = (self.neighbour(variant.line, -1), self.neighbour(variant.line, 1));
        let is_order = |line: &str| {
            let starts = ["s_barrier", "buffer_gl", "buffer_wb", "buffer_inv", "global_inv", "global_wb", "s_dcache"];
            starts.iter().any(|start| line.starts_with(start))
        };
        let passed = self.passed(Some(variant));
        let is_unneeded = match variant.inst {
            None => is_without_one(&passed, whole),
            Some(_) => passed != whole && passed.len() == whole.len(),
        };
        let is_for_barrier = before_barriers(&passed) != before_barriers(whole);
        let is_atomic = |line: &str| line.contains("_atomic_") || line.contains("_store_") || line.contains("_load_");
        if is_order(before)
            || is_order(after)
            || is_for_barrier
            || is_unneeded && (is_atomic(before) || is_atomic(after))
        {
            column("order")
        } else if is_unneeded {
            column("unneeded")
        } else if self.is_first(variant.line)
            || after.starts_with("s_setpc")
            || after.starts_with("s_set_pc")
            || is_call(after)
            || after.starts_with("s_trap")
        {
            column("call")
        } else if self.is_full(variant.line) {
            column("full")
        } else if self.has_flat(variant.line) {
            column("hint")
        } else if self.is_disputed(variant) {
            column("disputed")
        } else if self.is_for_replay(variant.line) {
            column("replay")
        } else if self.is_for_masks(variant.line) {
            column("masks")
        } else if self.has_banks(variant.line) {
            column("bank")
        } else {
            GAP
        }
    }

    /// The nearest instruction before or after a line, apart from waits and `s_delay_alu`, if it is in the same block.
    fn neighbour(&self, line: usize, step: isize) -> &str {
        let lines = std::iter::successors(line.checked_add_signed(step), |line| line.checked_add_signed(step));
        let mut codes = lines.map_while(|line| self.text.get(line)).map(|line| code(line));
        let found = codes.find(|code| !code.is_empty() && !is_wait(code) && !code.starts_with("s_delay_alu"));
        found.filter(|code| !code.ends_with(':') && !code.starts_with('.')).unwrap_or_default()
    }

    /// The instructions of a block before or after a line, the next one first.
    fn near(&self, line: usize, step: isize) -> Vec<Inst> {
        let lines = std::iter::successors(line.checked_add_signed(step), |line| line.checked_add_signed(step));
        let codes = lines.map_while(|line| self.text.get(line)).map(|line| code(line)).filter(|code| !code.is_empty());
        let inside = codes.take_while(|code| !code.ends_with(':') && !code.starts_with('.'));
        // A branch to a label does not parse without its label, so the instructions end there.
        inside.take(NEAR).map_while(|code| parse(self.target, code).ok()).collect()
    }

    /// Whether a rule on which the sources disagree demands the wait.
    fn is_disputed(&self, variant: &Variant) -> bool {
        let before = self.near(variant.line, -1).into_iter().rev();
        let all: Vec<Inst> = before.chain(variant.inst).chain(self.near(variant.line, 1)).collect();
        let needs = |mut hazards: Hazards| {
            let count = |inst: &Inst| {
                let mut count = 0;
                hazards.each(inst, |need| count += usize::from(need.missing));
                hazards.issue(inst);
                count
            };
            all.iter().map(count).sum::<usize>()
        };
        needs(Hazards::strict(self.target)) > needs(Hazards::new(self.target))
    }

    fn is_for_replay(&self, line: usize) -> bool {
        let is_access = |code: &str| {
            ["s_load", "s_buffer", "global_", "flat_", "buffer_", "scratch_"]
                .iter()
                .any(|start| code.starts_with(start))
        };
        let wait = code(&self.text[line]);
        wait.starts_with("s_wait_xcnt")
            || wait == "s_nop 0" && is_access(self.neighbour(line, -1)) && is_access(self.neighbour(line, 1))
    }

    fn is_for_masks(&self, line: usize) -> bool {
        let wait = code(&self.text[line]);
        self.processor.starts_with("gfx11")
            && wait.starts_with("s_waitcnt_depctr")
            && ["sa_sdst", "va_sdst", "va_vcc", "0xfff"].iter().any(|field| wait.contains(field))
    }

    /// Whether the function selects banks of registers.
    fn has_banks(&self, line: usize) -> bool {
        self.has(line, "s_set_vgpr_msb")
    }

    /// Whether the function has flat accesses, about which there may be hints even without the change.
    fn has_flat(&self, line: usize) -> bool {
        code(&self.text[line]).starts_with("s_waitcnt ") && self.has(line, "flat_")
    }

    /// Whether the function of a line has an instruction that begins with a text.
    fn has(&self, line: usize, start: &str) -> bool {
        let before = self.text[..line].iter().rev().take_while(|line| !line.contains("; @"));
        let after = self.text[line..].iter().take_while(|line| !line.contains(".Lfunc_end"));
        before.chain(after).any(|line| code(line).starts_with(start))
    }

    /// Whether the wait is for one less than the counter's maximum, and for nothing else.
    fn is_full(&self, line: usize) -> bool {
        let mut pending = Pending::new(self.target);
        pending.clear();
        let Ok(inst) = parse(self.target, code(&self.text[line])) else { return false };
        let wait = inst.waits();
        let is_full =
            |counter| pending.follows(counter) && wait.get(counter).is_some_and(|n| n + 1 == pending.most(counter));
        !wait.counters().is_empty() && wait.counters().iter().all(is_full)
    }

    /// Whether the line is in the first block of a function, with only waits before it.
    fn is_first(&self, line: usize) -> bool {
        let before = self.text[..line].iter().rev();
        let mut before = before.filter(|line| !code(line).is_empty() && !is_wait(line));
        before.next().is_some_and(|line| line.contains("; @"))
    }

    fn function(&self, line: usize) -> &str {
        let mut before = self.text[..line].iter().rev().filter(|line| line.contains("; @"));
        before.next().and_then(|line| line.split(':').next()).unwrap_or("?")
    }

    fn show(&self, variant: &Variant) -> String {
        let weaker = |inst: Inst| match inst.to_string() {
            long if long.contains("depctr_hold_cnt") => format!("{} {:#x}", inst.mnemonic(), inst.words()[0] & 0xffff),
            text => text,
        };
        let became = variant.inst.map_or("deleted".to_string(), weaker);
        let function = self.function(variant.line).trim_start_matches("__clang_ocl_kern_imp_");
        let [before, after] = [-1, 1].map(|step| match self.neighbour(variant.line, step) {
            "" => "a label",
            code => code,
        });
        let wait = code(&self.text[variant.line]);
        format!("{} | {} {function} | {wait} -> {became} | {before} | {after}", self.target, self.name)
    }
}

/// The instruction of a line, or a label or a directive.
fn code(line: &str) -> &str {
    line.split(';').next().unwrap_or_default().trim()
}

fn is_wait(line: &str) -> bool {
    ["s_wait", "s_nop", "v_nop"].iter().any(|start| code(line).starts_with(start))
}

fn is_call(code: &str) -> bool {
    ["s_swap_pc", "s_swappc", "s_call"].iter().any(|start| code.starts_with(start))
}

/// A line of machine IR as LLVM's parser accepts it: without the stack slot of the
/// register scavenger, which no longer exists, and with VCC only as a whole.
fn readable(line: &str) -> Option<String> {
    if line.contains("scavengeFI:") {
        return None;
    }
    let mut words: Vec<&str> = line.split(' ').collect();
    for n in 1..words.len() {
        let is_implicit = words[..n].iter().rev().take(4).any(|word| word.starts_with("implicit"));
        let follows = ["dead", "killed", "undef", "renamable", "implicit", "implicit-def"].contains(&words[n - 1]);
        match words[n] {
            "$vcc_lo" if is_implicit && follows => words[n] = "$vcc",
            "$vcc_lo," if is_implicit && follows => words[n] = "$vcc,",
            _ => {}
        }
    }
    Some(words.join(" "))
}

/// The lines of machine IR with waits.
fn places(mir: &[String]) -> Vec<usize> {
    (0..mir.len()).filter(|n| is_place(&mir[*n])).collect()
}

fn is_place(line: &str) -> bool {
    ["S_WAIT", "S_NOP", "V_NOP"].iter().any(|start| line.trim_start().starts_with(start))
}

/// An instruction of machine IR with another constant.
fn with_operand(line: &str, value: u32) -> String {
    let start = line.find(" S_").map_or(0, |at| at + 1);
    let numbers = line[start..].char_indices().filter(|(at, c)| {
        let before = line[..start + at].chars().next_back();
        (c.is_ascii_digit() || *c == '-') && matches!(before, Some(' '))
    });
    let at = numbers.map(|(at, _)| start + at).next().expect("a constant");
    let rest = line[at..].trim_start_matches(|c: char| c == '-' || c.is_ascii_digit());
    format!("{}{value}{rest}", &line[..at])
}

fn is_barrier(line: &str) -> bool {
    line.starts_with("S_BARRIER")
}

/// The last wait before each barrier.
fn before_barriers(lines: &[String]) -> Vec<&str> {
    lines.windows(2).filter(|pair| is_barrier(&pair[1])).map(|pair| pair[0].as_str()).collect()
}

/// Whether one wait is missing, and the others are the same.
fn is_without_one(passed: &[String], whole: &[String]) -> bool {
    let same = passed.iter().zip(whole).take_while(|(a, b)| a == b).count();
    passed.len() + 1 == whole.len() && passed[same..] == whole[same + 1..]
}

/// The weaker waits: for each counter of the wait, one whose value is greater by one.
fn weaker(target: Target, inst: &Inst) -> Vec<Inst> {
    let text = inst.to_string();
    let mut all = Vec::new();
    let mut raise = |text: String| {
        if let Ok(weaker) = parse(target, &text) {
            if weaker.words() != inst.words() {
                all.push(weaker);
            }
        }
    };
    let (name, operands) = text.split_once(' ').unwrap_or((&text, ""));
    if name == "s_nop" {
        let n: u32 = operands.parse().unwrap_or(0);
        n.checked_sub(1).into_iter().for_each(|n| raise(format!("s_nop {n}")));
        return all;
    }
    // The operands of a wait: `vmcnt(0) lgkmcnt(1)`, or a number after everything else.
    for (at, _) in text.match_indices('(') {
        let end = at + text[at..].find(')').unwrap_or(0);
        if let Ok(n) = text[at + 1..end].parse::<u32>() {
            raise(format!("{}{}{}", &text[..=at], n + 1, &text[end..]));
        }
    }
    let last = operands.rsplit(' ').next().unwrap_or_default();
    if let Some(n) = last.strip_prefix("0x").and_then(|hex| u32::from_str_radix(hex, 16).ok()) {
        let front = text.strip_suffix(last).unwrap_or_default();
        let fields: &[u32] = match name {
            "s_wait_loadcnt_dscnt" | "s_wait_storecnt_dscnt" => &[1, 0x100],
            "s_waitcnt" | "s_waitcnt_depctr" | "s_wait_alu" => &[],
            _ => &[1],
        };
        fields.iter().for_each(|one| raise(format!("{front}{:#x}", n + one)));
    }
    all
}

/// The counts of each program, and the variants without a reason.
#[derive(Default)]
struct Found {
    counts: BTreeMap<(usize, &'static str), [usize; COLUMNS.len()]>,
    shortest: BTreeMap<usize, String>,
    gaps: Vec<String>,
}

fn measure(n: usize, target: &'static str, name: &'static str, scratch: &Path, found: &Mutex<Found>) {
    let program = Program::compile(target, name, scratch);
    let (errors, hints) = program.lint(None);
    let whole = program.passed(None);
    let mut counts = [0; COLUMNS.len()];
    for variant in program.variants() {
        let (now, perhaps) = program.lint(Some(&variant));
        let column = match (now > errors, perhaps > hints) {
            (true, _) => 0,
            (_, true) => 1,
            _ => program.reason(&variant, &whole),
        };
        counts[column] += 1;
        let mut found = found.lock().unwrap();
        let example = program.show(&variant);
        if column > 0 && std::env::var_os("AMDGPU_ISA_SHOW").is_some() {
            println!("{}: {example}", COLUMNS[column]);
        }
        if column == GAP {
            found.gaps.push(example);
        } else if column > 0
            && found.shortest.get(&column).is_none_or(|old| (example.len(), &example) < (old.len(), old))
        {
            found.shortest.insert(column, example);
        }
    }
    found.lock().unwrap().counts.insert((n, name), counts);
}

fn table(found: &Found) -> String {
    let mut text = String::from(
        "# What lint says about compiled programs without one of their waits: cli/tests/deleted.rs explains it.\n\n",
    );
    let mut line = |cells: [String; 2], counts: [String; COLUMNS.len()]| {
        let counts: String = counts.iter().map(|count| format!(" {count:>8}")).collect();
        writeln!(text, "{:15} {:11}{counts}", cells[0], cells[1]).expect("it fits");
    };
    line(["target".into(), "program".into()], COLUMNS.map(String::from));
    let mut all = [0; COLUMNS.len()];
    for ((n, name), counts) in &found.counts {
        line([TARGETS[*n].0.into(), name.to_string()], counts.map(|count| count.to_string()));
        (0..all.len()).for_each(|n| all[n] += counts[n]);
    }
    line(["all".into(), String::new()], all.map(|count| count.to_string()));
    text += "\n# An example of each reason: target | program, function | wait -> what it became | instruction before | after.\n";
    for (column, example) in &found.shortest {
        writeln!(text, "{}: {example}", COLUMNS[*column]).expect("it fits");
    }
    let mut gaps = found.gaps.clone();
    gaps.sort();
    text += "\n# All gaps.\n";
    gaps.iter().for_each(|gap| writeln!(text, "{gap}").expect("it fits"));
    text
}

#[test]
#[ignore = "needs clang-22 and llc-22"]
fn lint_misses_waits_for_known_reasons_only() {
    let scratch = std::env::temp_dir().join(format!("amdgpu-isa-deleted-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).unwrap();
    let only = std::env::var("AMDGPU_ISA_TARGET").ok();
    let targets = TARGETS.iter().enumerate().filter(|(_, (name, _))| only.as_ref().is_none_or(|only| only == name));
    let jobs: Vec<_> =
        targets.flat_map(|(n, (target, own))| OWN.iter().chain(*own).map(move |name| (n, *target, *name))).collect();
    let (open, found) = (Mutex::new(jobs.iter()), Mutex::new(Found::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let Some(&(n, target, name)) = open.lock().unwrap().next() else { break };
                    measure(n, target, name, &scratch, &found);
                }
            });
        }
    });
    std::fs::remove_dir_all(&scratch).unwrap();
    let now = table(&found.into_inner().unwrap());
    let path = tests().join("deleted").join(FILE);
    if only.is_some() {
        println!("{now}");
    } else if std::env::var_os("AMDGPU_ISA_RENEW").is_some() {
        std::fs::write(path, now).unwrap();
    } else {
        let known = std::fs::read_to_string(path).unwrap();
        let new: Vec<&str> = now.lines().filter(|line| !known.lines().any(|old| old == *line)).collect();
        let gone: Vec<&str> = known.lines().filter(|line| !now.lines().any(|new| new == *line)).collect();
        assert!(known == now, "if this is meant: {RENEW}\nnew: {new:#?}\ngone: {gone:#?}");
    }
}
