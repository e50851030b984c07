//! `lint` has no error about the code that clang makes of the samples' sources at each level of optimization, except
//! for known faults of LLVM.
//!
//! It needs clang-22 and lld-22, which the other tests do not:
//! `cargo test --release -p amdgpu-isa-cli --test tool clang:: -- --ignored`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use amdgpu_prove::known::{is_fault, register_of};

/// Errors of the sources themselves: rule, source, and level.
const OWN: [(&str, &str, &str); 2] = [
    // The s_nop of the inline assembly is after the loop, but without optimization the loop itself uses the result.
    ("M45", "matmul", "-O0"),
    // An access to vector memory is in a function, and one to LDS after its call: LLVM considers each function alone
    // (docs/hazards.md).
    ("T05g", "reduce", "-O0"),
];
/// Sources on which clang 22 itself fails with "Cannot select".
const CANNOT: [(&str, &str, &str); 1] = [("gfx600", "mixed", "-O0")];
const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

/// A source, its level of optimization, and its directory of samples: a target's name, or one with `-wave64`.
struct Job {
    directory: String,
    source: String,
    level: &'static str,
}

struct Error {
    rule: String,
    message: String,
    instruction: String,
}

fn samples() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/samples"))
}

/// The sources that `build.sh` compiles for targets of this build, at each level.
fn jobs() -> Vec<Job> {
    let script = std::fs::read_to_string(samples().join("build.sh")).unwrap();
    let lines = script.lines().filter_map(|line| line.strip_prefix("build "));
    let mut jobs = Vec::new();
    for line in lines {
        let (directory, sources) = line.split_once(' ').expect("build TARGET KERNEL...");
        if directory.trim_end_matches("-wave64").parse::<amdgpu_isa::Target>().is_err() {
            continue;
        }
        for source in sources.split(' ') {
            let job = |level| Job { directory: directory.into(), source: source.into(), level };
            jobs.extend(LEVELS.map(job));
        }
    }
    jobs
}

impl Job {
    /// The errors in the compiled code.
    fn errors(&self, work: &Path) -> Vec<Error> {
        let Job { directory, source, level } = self;
        let object = work.join(format!("{directory}-{source}{level}.co"));
        let mut clang = Command::new("clang-22");
        clang.args(["-target", "amdgcn-amd-amdhsa", "-nogpulib", "-x", "cl", "-cl-std=CL2.0", "-w", level]);
        clang.arg("-fno-crash-diagnostics");
        let processor = directory.trim_end_matches("-wave64");
        clang.arg(format!("-mcpu={processor}"));
        if processor != directory {
            clang.arg("-mwavefrontsize64");
        }
        let clang = clang.arg("-o").arg(&object).arg(samples().join(format!("{source}.cl")));
        let output = clang.output().expect("clang-22 is needed");
        let fails = CANNOT.contains(&(directory, source, level));
        assert_eq!(output.status.success(), !fails, "{}", String::from_utf8_lossy(&output.stderr));
        if fails {
            return Vec::new();
        }
        let mut lint = Command::new(env!("CARGO_BIN_EXE_amdgpu-isa"));
        let output = lint.args(["lint", "--format", "json"]).arg(&object).output().unwrap();
        let checked = String::from_utf8_lossy(&output.stderr);
        assert!(checked.contains("checked: "), "{checked}");
        std::fs::remove_file(&object).unwrap();
        let findings = String::from_utf8(output.stdout).unwrap();
        let findings = findings.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let errors = findings.filter(|finding| finding["severity"] == "error").map(|finding| {
            let text = |key: &str| finding[key].as_str().unwrap_or_default().to_string();
            Error { rule: text("rule"), message: text("message"), instruction: text("instruction") }
        });
        errors.collect()
    }

    fn is_known(&self, error: &Error) -> bool {
        is_fault(
            include_str!("../../tests/hazards/faults.txt"),
            &error.rule,
            register_of(&error.message),
            &error.instruction,
        ) || OWN.contains(&(&error.rule, &self.source, self.level))
    }
}

#[test]
#[ignore = "needs clang-22 and lld-22"]
fn what_clang_compiles_has_no_errors() {
    let work = std::env::temp_dir().join(format!("amdgpu-isa-clang-{}", std::process::id()));
    std::fs::create_dir_all(&work).unwrap();
    let jobs = jobs();
    let (open, found) = (Mutex::new(jobs.iter()), Mutex::new(BTreeMap::<_, usize>::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let Some(job) = open.lock().unwrap().next() else { break };
                    for error in job.errors(&work) {
                        let place = [&job.directory, &job.source, job.level, &error.instruction].join(" ");
                        let key = (job.is_known(&error), error.rule, place);
                        *found.lock().unwrap().entry(key).or_default() += 1;
                    }
                }
            });
        }
    });
    std::fs::remove_dir_all(&work).unwrap();
    let found = found.into_inner().unwrap();
    let unknown: Vec<_> = found.iter().filter(|((is_known, ..), _)| !is_known).collect();
    assert!(unknown.is_empty(), "{unknown:#?}");
    // Every rule in the list `OWN` occurs.
    let known: BTreeSet<&str> = found.keys().map(|(_, rule, _)| rule.as_str()).collect();
    assert!(OWN.iter().all(|(rule, ..)| known.contains(rule)), "{known:?}");
    let count = |rule: &str| found.iter().filter(|((_, name, _), _)| name == rule).map(|(_, n)| n).sum::<usize>();
    let counts: Vec<_> = known.iter().map(|rule| format!("{rule} {}", count(rule))).collect();
    println!("{} objects; {}", jobs.len(), counts.join(", "));
}
