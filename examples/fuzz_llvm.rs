//! Fuzzes LLVM's disassembler: passes instructions that are valid by construction to `llvm-mc-22`, and compares its
//! output with the text that this library prints. To fuzz another decoder, change `disassemble`.
//!
//! LLVM 22 differs in 9 of the 10,000 instructions, all in two classes of `crates/llvm/src/differences.txt`: it reads
//! the literal of `v_fmamk` and similar operations as an inline constant, and refuses atomics that return a float to
//! AccVGPRs.
//!
//! `cargo run --release --features arbitrary --example fuzz_llvm` (Debian's package `llvm-22`)

use amdgpu_isa::{Inst, Target, arbitrary::valid};
use arbitrary::Unstructured;
use std::collections::HashSet;
use std::io::Write;
use std::process::{Command, Stdio};

const TARGET: Target = Target::Gfx942;

/// The number of `s_nop`s after each instruction, which absorb an instruction that LLVM reads with another length.
/// After them comes a mark with the instruction's number, which lets the reader find its place again.
const GAP: usize = 5;
const NOP: &str = "0x00 0x00 0x80 0xbf ";

/// `s_mov_b32 s0, MARK + number`; no instruction that is tried has a literal like that.
const MARK: u32 = 0x4717_0000;

/// LLVM's result for one instruction.
enum Answer {
    Text(String),
    Refused,
    /// LLVM reads another length: the text that it prints for the instruction and the `s_nop`s.
    Length(String),
}

/// Asks LLVM for the text of each instruction. Returns `Err` if LLVM crashes.
fn disassemble(insts: &[Inst]) -> Result<Vec<Answer>, ()> {
    let line = |(n, inst): (u32, &Inst)| -> String {
        let hex = |words: &[u32]| words.iter().flat_map(|w| w.to_le_bytes()).map(|b| format!("{b:#04x} ")).collect();
        let (bytes, mark): (String, String) = (hex(inst.words()), hex(&[0xbe80_00ff, MARK + n]));
        // Two lines for each instruction, because LLVM's messages give the line.
        format!("{bytes}\n{}{mark}\n", NOP.repeat(GAP))
    };
    let input: String = (0..).zip(insts).map(line).collect();
    let mut command = Command::new("llvm-mc-22");
    command.args(["--disassemble", "--triple=amdgcn", "--mcpu", TARGET.name()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("llvm-mc-22 is installed");
    let mut stdin = child.stdin.take().expect("piped");
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("it ends");
    let _ = writer.join();
    // A crash is a signal, and has no exit code.
    output.status.code().ok_or(())?;
    // `<stdin>:LINE:COLUMN: warning: invalid instruction encoding`
    let warnings = String::from_utf8_lossy(&output.stderr);
    let number = |l: &str| l.strip_prefix("<stdin>:")?.split(':').next()?.parse::<usize>().ok();
    let refused: HashSet<usize> = warnings.lines().filter_map(number).map(|line| (line - 1) / 2).collect();
    let text = String::from_utf8_lossy(&output.stdout).replace('\t', " ");
    let mut printed: Vec<Vec<&str>> = vec![Vec::new(); insts.len()];
    let mut lines = Vec::new();
    for line in text.lines().map(|l| l.split("//").next().unwrap_or("").trim()) {
        let literal = line.strip_prefix("s_mov_b32 s0, 0x").and_then(|hex| u32::from_str_radix(hex, 16).ok());
        // The lines before a mark belong to the mark's instruction, whatever happened to the instruction before.
        match literal.and_then(|n| printed.get_mut(n.checked_sub(MARK)? as usize)) {
            Some(place) => *place = std::mem::take(&mut lines),
            None if line.is_empty() || line.starts_with(".amdgcn_target") => {}
            None => lines.push(line),
        }
    }
    let answer = |(n, lines): (usize, Vec<&str>)| match &lines[..] {
        _ if refused.contains(&n) => Answer::Refused,
        [text, nops @ ..] if nops.len() == GAP && nops.iter().all(|l| *l == "s_nop 0") => {
            Answer::Text(text.to_string())
        }
        lines => Answer::Length(lines.join("; ")),
    };
    Ok(printed.into_iter().enumerate().map(answer).collect())
}

/// Finds the instructions on which LLVM and this library differ; if LLVM crashes, by bisection.
fn compare(insts: &[Inst], report: &mut impl FnMut(&Inst, &str)) {
    match disassemble(insts) {
        Err(()) if insts.len() == 1 => report(&insts[0], "LLVM crashes"),
        Err(()) => insts.chunks(insts.len().div_ceil(2)).for_each(|half| compare(half, report)),
        Ok(answers) => insts.iter().zip(answers).for_each(|(inst, answer)| match answer {
            Answer::Text(text) if text == inst.to_string() => {}
            Answer::Text(text) => report(inst, &text),
            Answer::Refused => report(inst, "LLVM refuses"),
            Answer::Length(text) => report(inst, &format!("LLVM reads another length: {text}")),
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
