//! `asm FILE` on a source for each directive and form that LLVM's assembler takes: both make the same object, or both
//! refuse it in the same line.

use std::path::Path;
use std::process::{Command, Stdio};

use super::asm_file::{directory, same, sources};
use super::run;

const HSA: &str = "amdgcn-amd-amdhsa";

/// A source from a file of sources, and the target for which it is assembled.
struct Form {
    text: String,
    cpu: String,
    features: String,
    /// The triple without the processor.
    triple: &'static str,
}

/// The sources of a file. A line with `//!` begins each source, and names its processor and features, or a runtime
/// other than HSA.
fn forms(file: &str) -> Vec<Form> {
    let text = std::fs::read_to_string(sources().join(file)).unwrap();
    let parts = text.split("//! ").skip(1);
    let form = |part: &str| {
        let (head, text) = part.split_once('\n').unwrap_or((part, ""));
        let (cpu, features) = head.trim().split_once(' ').unwrap_or((head.trim(), ""));
        let (features, triple) = match features {
            "mesa3d" => ("", "amdgcn-mesa-mesa3d"),
            "none" => ("", "amdgcn-unknown-unknown"),
            "amdpal" => ("", "amdgcn-amd-amdpal"),
            _ => (features, HSA),
        };
        Form { text: text.into(), cpu: cpu.into(), features: features.into(), triple }
    };
    parts.map(form).collect()
}

/// The answer of LLVM's assembler to a source: whether it takes it, its messages, and the object.
fn llvm(form: &Form, work: &Path) -> (bool, String, Vec<u8>) {
    let (source, object) = (work.join("a.s"), work.join("l.o"));
    std::fs::write(&source, &form.text).unwrap();
    let _ = std::fs::remove_file(&object);
    let output = Command::new("timeout")
        .args(["20", "llvm-mc-22", "-filetype=obj", "-o", "l.o", "a.s"])
        .arg(format!("-triple={}", form.triple))
        .args([format!("-mcpu={}", form.cpu), format!("-mattr={}", form.features)])
        .current_dir(work)
        .stdin(Stdio::null())
        .output();
    let output = output.expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said, std::fs::read(&object).unwrap_or_default())
}

/// The processor and the options of `asm` for the features of LLVM.
fn arguments(form: &Form) -> (String, Vec<&'static str>) {
    let (mut cpu, mut more) = (form.cpu.clone(), Vec::new());
    for feature in form.features.split(',').filter(|feature| !feature.is_empty()) {
        match feature {
            "+wavefrontsize64" => more.extend(["--wave", "64"]),
            _ => cpu += &format!(":{}{}", &feature[1..], &feature[..1]),
        }
    }
    if form.triple != HSA {
        cpu = format!("{}--{cpu}", form.triple);
    }
    (cpu, more)
}

#[test]
fn what_llvm_takes_becomes_what_llvm_makes() {
    let work = directory("asm-forms");
    for name in ["some.bin", "part.inc"] {
        std::fs::write(work.join(name), "hello\0world").unwrap();
    }
    let all = forms("forms.s");
    assert!(all.len() > 200, "{}", all.len());
    for form in all {
        let (is_good, said, theirs) = llvm(&form, &work);
        assert!(is_good, "{}: {said}", form.text);
        let ours = work.join("o.o");
        let (cpu, more) = arguments(&form);
        let (source, include) = (work.join("a.s"), work.to_str().unwrap());
        let paths = [source.to_str().unwrap(), ours.to_str().unwrap()];
        let args = [&["asm", "-c", paths[0], &cpu, "-I", include, "-o", paths[1]][..], &more].concat();
        let made = run(&args, b"");
        assert_eq!(made.code, Some(0), "{}: {}", form.text, made.err);
        let ours = std::fs::read(&ours).unwrap();
        same(&ours, &theirs, &form.text);
    }
}

#[test]
fn what_llvm_refuses_is_refused_in_the_same_line() {
    let work = directory("asm-refused");
    let all = forms("refused.s");
    assert!(all.len() > 100, "{}", all.len());
    for form in all {
        let (is_good, said, _) = llvm(&form, &work);
        assert!(!is_good, "{}", form.text);
        let theirs = said.lines().find(|line| line.contains(": error: ")).unwrap_or_default();
        let theirs: usize = theirs.split(':').nth(1).and_then(|line| line.parse().ok()).unwrap_or_default();
        let (cpu, more) = arguments(&form);
        let made = run(&[&["asm", "-c", "-", &cpu, "-o", "-", "--json"][..], &more].concat(), form.text.as_bytes());
        assert_eq!(made.code, Some(1), "{}", form.text);
        let lines = made.out.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let ours = lines.filter(|line| line["severity"] == "error").find_map(|line| line["line"].as_u64());
        assert_eq!(ours, Some(theirs as u64), "{}: {said}{}", form.text, made.out);
    }
}
