//! Fuzzes LLVM's disassembler: instructions that are valid by construction go into `llvm-mc-22`, and what comes out must
//! be the text that this library prints. Other decoders are fuzzed the same way: change `disassemble`.
//!
//! `cargo run --release --features arbitrary --example fuzz_llvm` (Debian's package `llvm-22`)

use amdgpu_isa::{Inst, Target, arbitrary::valid};
use arbitrary::Unstructured;
use std::io::Write;
use std::process::{Command, Stdio};

const TARGET: Target = Target::Gfx942;

/// Stands behind each instruction, so that one that LLVM reads in another length does not shift the others.
const MARK: (&str, &str) = ("0x17 0x47 0x80 0xbf", "s_nop 0x4717");

/// LLVM's text for each instruction, empty for those that it refuses; or `Err` if it crashes.
fn disassemble(insts: &[Inst]) -> Result<Vec<String>, ()> {
    let line = |inst: &Inst| -> String {
        let bytes = inst.words().iter().flat_map(|w| w.to_le_bytes());
        bytes.map(|b| format!("{b:#04x} ")).chain([format!("\n{}\n", MARK.0)]).collect()
    };
    let input: String = insts.iter().map(line).collect();
    let mut command = Command::new("llvm-mc-22");
    command.args(["--disassemble", "--triple=amdgcn", "--mcpu", TARGET.name()]).stderr(Stdio::null());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("llvm-mc-22 is installed");
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    let _ = writer.join();
    // A crash is a signal, and has no exit code.
    output.status.code().ok_or(())?;
    let text = String::from_utf8_lossy(&output.stdout).replace('\t', " ").replace(" .amdgcn_target", "//");
    let line = |l: &str| l.split("//").next().unwrap_or("").trim().to_string();
    let parts = text.split(MARK.1).map(|part| part.lines().map(line).collect::<Vec<_>>().concat());
    Ok(parts.take(insts.len()).collect())
}

/// Finds the instructions on which the two differ; where LLVM crashes, by halving.
fn compare(insts: &[Inst], report: &mut impl FnMut(&Inst, &str)) {
    match disassemble(insts) {
        Err(()) if insts.len() == 1 => report(&insts[0], "LLVM crashes"),
        Err(()) => insts.chunks(insts.len().div_ceil(2)).for_each(|half| compare(half, report)),
        Ok(texts) => insts.iter().zip(texts).for_each(|(inst, text)| {
            if text != inst.to_string() {
                report(inst, if text.is_empty() { "LLVM refuses" } else { &text });
            }
        }),
    }
}

fn main() {
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed as u8
    };
    let (mut total, mut found) = (0, 0);
    for _ in 0..10 {
        let bytes: Vec<u8> = (0..8000).map(|_| random()).collect();
        let mut u = Unstructured::new(&bytes);
        let insts: Vec<Inst> = (0..1000).map_while(|_| valid(TARGET, &mut u).ok()).collect();
        total += insts.len();
        compare(&insts, &mut |inst, what| {
            found += 1;
            println!("{:08x?} {inst}\n    {what}", inst.words());
        });
    }
    println!("{total} instructions, {found} differences");
}
