//! LLVM's constant folder.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use super::types::Ty;

/// A function of IR without arguments that returns bits.
pub struct Function {
    pub ty: Ty,
    pub body: String,
    pub flushes: bool,
}

/// The constants to which `opt-22` folds these functions; `None` for a function that it does not fold.
pub fn folded(functions: &[Function]) -> Vec<Option<u64>> {
    let mut module = String::from("target triple = \"amdgcn-amd-amdhsa\"\n");
    for (n, Function { ty, body, flushes }) in functions.iter().enumerate() {
        let attributes = if *flushes { "#0 #1" } else { "#0" };
        writeln!(module, "define i{} @f{n}() {attributes} {{\n {body}\n}}", ty.bits()).unwrap();
    }
    // The IEEE bit of MODE is off, as in shaders: the evaluator does not have it.
    module.push_str("attributes #1 = { \"denormal-fp-math\"=\"preserve-sign,preserve-sign\" }\n");
    module.push_str("attributes #0 = { \"amdgpu-ieee\"=\"false\" }\n");
    let mut child = Command::new("opt-22")
        .args(["-passes=instcombine,instsimplify", "-S"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("opt-22, of the Debian package llvm-22, starts");
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(module.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "opt-22 refuses the module");
    let text = String::from_utf8(output.stdout).unwrap();
    let mut all = vec![None; functions.len()];
    let mut number = None;
    for line in text.lines() {
        if let Some((_, name)) = line.strip_prefix("define ").and_then(|line| line.split_once("@f")) {
            number = name.split('(').next().and_then(|digits| digits.parse::<usize>().ok());
        } else if let (Some(n), Some(constant)) = (number, line.trim().strip_prefix("ret ")) {
            all[n] = constant.split(' ').nth(1).and_then(|word| number_of(word, functions[n].ty));
        }
    }
    all
}

fn number_of(word: &str, ty: Ty) -> Option<u64> {
    match word {
        "true" => Some(1),
        "false" => Some(0),
        digits => digits.parse::<i128>().ok().map(|n| n as u64 & ty.mask()),
    }
}
