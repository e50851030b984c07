//! The waits and distances on targets that LLVM 22 does not know are those that LLVM 24's passes insert, or
//! `passes.txt` has the reason. The programs are those of the tests of older targets, if the newer target has all of
//! their instructions.
//!
//! `AMDGPU_ISA_LLC` names the program that runs the passes: `.ci/run full-llvm24` fetches it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::process::Command;

use amdgpu_isa::facts::{MemoryAccess, Space};
use amdgpu_isa::flow::Flow;
use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::{Access, Decoder, Inst, Target, parse};
use amdgpu_lint::edits::{Edits, MachineState};
use amdgpu_lint::plan;

/// The newer targets, each with the older one whose programs it takes.
const TARGETS: [(&str, &str); 6] = [
    ("gfx1170", "gfx1100"),
    ("gfx1170:wave64", "gfx1100:wave64"),
    ("gfx12-5-generic", "gfx1250"),
    ("gfx1310", "gfx1200"),
    ("gfx1310:wave64", "gfx1200"),
    ("gfx1310", "gfx1250"),
];

/// An instruction as assembler text, and as LLVM's machine IR.
type Op = (String, String);
type Program = Vec<Op>;

/// The instructions that are inserted before an instruction of a program: waits for counters, and the texts of other
/// instructions.
#[derive(Clone, Debug, Default, PartialEq)]
struct Inserted {
    waits: BTreeMap<String, u8>,
    others: Vec<String>,
}

impl Inserted {
    fn add(&mut self, inst: &Inst) {
        let waits = inst.waits();
        for counter in waits.counters().iter() {
            let count = waits.get(counter).unwrap_or(0);
            let least = self.waits.entry(counter.to_string()).or_insert(count);
            *least = count.min(*least);
        }
        if waits == Waitcnt::new() {
            self.others.push(inst.to_string());
        }
    }
}

impl fmt::Display for Inserted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let waits = self.waits.iter().map(|(counter, count)| format!("{counter}({count})"));
        let others = self.others.chunk_by(|a, b| a == b).map(|equal| match equal {
            [one] => one.clone(),
            all => format!("{} {}", all.len(), all[0]),
        });
        let all: Vec<String> = waits.chain(others).collect();
        f.write_str(if all.is_empty() { "-" } else { "" })?;
        f.write_str(&all.join(" "))
    }
}

/// The known differences, each with five columns: the targets, the instructions that `lint --fix` inserts, those that
/// LLVM inserts, a part of the texts of the instructions around the place, and the reason. If the second column is `*`
/// and a text, the line is about all inserted instructions that end with this text.
fn differences() -> impl Iterator<Item = [&'static str; 5]> {
    let lines = include_str!("passes.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split(" | ").collect::<Vec<_>>().try_into().unwrap_or_else(|_| panic!("{line}")))
}

/// Removes the signs of A and B, which newer LLVMs no longer have, from a matrix operation of CDNA5 on floats. `None`
/// for any other instruction.
fn without_signs(mir: &str) -> Option<String> {
    let (name, operands) = mir.strip_suffix(", 0, 0, 0, 0, implicit $exec")?.split_once("addr 0, ")?;
    let [a, b, c] = operands.split(", 0, ").collect::<Vec<_>>().try_into().ok()?;
    Some(format!("{name}addr {a}, {b}, 0, {c}, 0, 0, 0, 0, implicit $exec"))
}

/// The instruction with machine IR that newer LLVMs can print. To print operations on LDS without M0, and comparisons
/// that write only EXEC, LLVM needs other names, which its passes do not need.
fn printable((text, mir): Op) -> Op {
    let lds = mir.find("DS_").filter(|_| mir.contains(", 0, implicit $m0, "));
    let end = lds.and_then(|at| Some(at + mir[at..].find(' ')?));
    let printed = match end {
        Some(end) => format!("{}_gfx9{}", &mir[..end], mir[end..].replace(" implicit $m0,", "")),
        None if mir.contains("V_WMMA_") => without_signs(&mir).unwrap_or(mir),
        None if mir.starts_with("V_CMPX_") => mir.replace("_e32 ", "_nosdst_e32 ").replace(" implicit-def $vcc,", ""),
        None => mir,
    };
    (text, printed)
}

/// The different programs of the older target whose instructions the newer target has.
fn programs(newer: Target, older: &'static str) -> Vec<Program> {
    let all = crate::hazards::with_machine_ir(older).into_iter().chain(crate::waits::with_machine_ir(older));
    let is_there = |program: &Program| program.iter().all(|(text, _)| parse(newer, text).is_ok());
    let mut seen = BTreeSet::new();
    let all = all.map(|program| program.into_iter().map(printable).collect());
    all.filter(|program: &Program| is_there(program) && seen.insert(program.clone())).collect()
}

/// The registers that a program writes: LLVM drops instructions whose results nothing uses.
fn results(program: &Program) -> BTreeSet<&str> {
    fn name(text: &str) -> &str {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or("")
    }
    let mut all = BTreeSet::new();
    for (_, mir) in program {
        let (results, rest) = mir.split_once(" = ").unwrap_or(("", mir));
        all.extend(results.split('$').skip(1).map(name));
        all.extend(rest.split("implicit-def ").skip(1).filter_map(|text| text.split('$').nth(1)).map(name));
    }
    all.retain(|name| !["exec", "exec_lo", "scc", "mode"].contains(name));
    all
}

/// The memory accesses of an instruction in LLVM's notation. Without this notation, LLVM would order the instruction
/// with all other accesses. Loads are marked as invariant, because LLVM orders other loads with stores.
fn memory(inst: &Inst) -> String {
    let note = |memory: MemoryAccess| {
        let kind = match memory.access {
            Access::Read => "invariant load",
            Access::Write => "store",
            Access::ReadWrite => "load store",
        };
        let space = if memory.space == Space::Lds { ", addrspace 3" } else { "" };
        format!("({kind} (s32){space})")
    };
    let notes: Vec<String> = inst.memory().map(note).collect();
    if notes.is_empty() { String::new() } else { format!(" :: {}", notes.join(", ")) }
}

fn function(target: Target, n: usize, program: &Program) -> String {
    let line = |(text, mir): &Op| format!("    {mir}{}\n", memory(&parse(target, text).expect("the target has it")));
    let body: String = program.iter().map(line).collect();
    let uses: String = results(program).iter().map(|name| format!(", implicit ${name}")).collect();
    format!(
        "---\nname: f{n}\nnoPhis: true\nisSSA: false\nnoVRegs: true\nmachineFunctionInfo:\n  isEntryFunction: true\n  \
         scratchRSrcReg: '$sgpr96_sgpr97_sgpr98_sgpr99'\n  stackPtrOffsetReg: '$sgpr32'\n  frameOffsetReg: '$sgpr33'\n\
         body: |\n  bb.0:\n{body}    S_ENDPGM 0{uses}\n...\n"
    )
}

/// Runs LLVM's passes on programs, and returns the assembly that LLVM prints; `None` if LLVM fails.
fn assembly(target: Target, programs: &[Program]) -> Option<String> {
    let llc = std::env::var_os("AMDGPU_ISA_LLC").expect("AMDGPU_ISA_LLC names the program that runs LLVM 24's passes");
    let declarations = (0..programs.len()).map(|n| format!("  define amdgpu_kernel void @f{n}() {{ ret void }}\n"));
    let module = format!("--- |\n  target triple = \"amdgcn-amd-amdhsa\"\n{}...\n", declarations.collect::<String>());
    let functions = programs.iter().enumerate().map(|(n, program)| function(target, n, program));
    let file = std::env::temp_dir().join(format!("passes-{}-{}.mir", target as usize, std::process::id()));
    std::fs::write(&file, module + &functions.collect::<String>()).unwrap();
    let features = if target.name() == target.processor() { "" } else { "+wavefrontsize64" };
    let mut command = Command::new(llc);
    let command = command.args([format!("--mcpu={}", target.processor()), format!("--mattr={features}")]).arg(&file);
    let output = command.output().expect("it starts");
    std::fs::remove_file(&file).unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// The instructions on which LLVM fails.
fn fatal(target: Target, all: &[Op]) -> BTreeSet<Op> {
    let alone: Vec<Program> = all.iter().map(|op| vec![op.clone()]).collect();
    if all.is_empty() || assembly(target, &alone).is_some() {
        return BTreeSet::new();
    }
    if let [one] = all {
        return [one.clone()].into();
    }
    let (first, second) = all.split_at(all.len() / 2);
    &fatal(target, first) | &fatal(target, second)
}

/// The instructions of each program after LLVM's passes; `None` for a program on which LLVM fails.
fn passed(target: Target, programs: &[Program]) -> Vec<Option<Vec<Inst>>> {
    let Some(text) = assembly(target, programs) else {
        let (first, second) = programs.split_at(programs.len() / 2);
        return if first.is_empty() { vec![None] } else { [passed(target, first), passed(target, second)].concat() };
    };
    let read = |line| parse(target, line).unwrap_or_else(|error| panic!("{target}: {line}: {error}"));
    let bodies = text.split("\n\t.type\tf").skip(1).map(|function| {
        let body = function.split_once(".Lfunc_end").map_or(function, |(body, _)| body);
        let lines = body.lines().skip(1).map(|line| line.split(';').next().unwrap_or("").trim());
        let insts = lines.filter(|line| !line.is_empty() && !line.ends_with(':') && !line.starts_with('.'));
        Some(insts.map(read).collect())
    });
    bodies.collect()
}

/// Whether an instruction only takes time: it writes nothing, or the register that it reads.
fn is_filler(inst: &Inst) -> bool {
    inst.writes().iter().all(|register| inst.reads().contains(register))
}

/// The instructions that LLVM inserts before each instruction of a program; `None` if LLVM changes the program in
/// another way. The prologue of a kernel, before the first instruction, does not count.
fn theirs(target: Target, program: &Program, passed: &[Inst]) -> Option<Vec<Inserted>> {
    let mut own = program.iter().map(|(text, _)| parse(target, text).expect("the target has it")).peekable();
    let (mut all, mut before) = (Vec::new(), Inserted::default());
    for inst in passed {
        if own.peek().is_some_and(|own| own.opcode() == inst.opcode()) {
            own.next();
            all.push(std::mem::take(&mut before));
        } else if own.peek().is_some() && !all.is_empty() {
            if !is_filler(inst) {
                return None;
            }
            before.add(inst);
        }
    }
    own.next().is_none().then_some(all)
}

/// The instructions that `lint --fix` inserts before each instruction of a program.
fn ours(target: Target, program: &Program) -> Vec<Inserted> {
    let lines: String = program.iter().map(|(text, _)| format!("{text}\n")).collect();
    let code = crate::programs::assemble(target, &(lines + "s_endpgm\n"));
    let flow = Flow::new(target, &code, 0, &[0]);
    let (start, mut edits) = (MachineState::new(target), Edits::default());
    plan::fix(&flow, 0, &|_| start.clone(), &|_| None, &mut edits);
    let insts = Decoder::new(target, &code).take(program.len());
    let inserted = insts.map(|found| {
        let mut inserted = Inserted::default();
        let edit = edits.at(found.offset as u64);
        edit.map_or(&[][..], |edit| &edit.before).iter().for_each(|inst| inserted.add(inst));
        inserted
    });
    inserted.collect()
}

#[test]
#[ignore = "needs LLVM 24: .ci/run full-llvm24"]
fn newer_passes_insert_the_same() {
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for (newer, older) in TARGETS {
        let target: Target = newer.parse().expect("a target");
        let mut programs = programs(target, older);
        let ops: BTreeSet<Op> = programs.iter().flatten().cloned().collect();
        let fatal = fatal(target, &Vec::from_iter(ops));
        programs.retain(|program| !program.iter().any(|op| fatal.contains(op)));
        let (mut compared, mut changed) = (0, 0);
        for (program, passed) in programs.iter().zip(passed(target, &programs)) {
            let Some(theirs) = passed.and_then(|passed| theirs(target, program, &passed)) else {
                changed += 1;
                continue;
            };
            compared += 1;
            for (n, (ours, theirs)) in ours(target, program).iter().zip(&theirs).enumerate() {
                if ours == theirs {
                    continue;
                }
                let texts: Vec<&str> = program.iter().map(|(text, _)| &**text).collect();
                let near = texts[n.saturating_sub(1)..=n].join("; ");
                let (ours, theirs) = (ours.to_string(), theirs.to_string());
                let known = differences().position(|[targets, a, b, part, _]| {
                    let is_ours = a.strip_prefix('*').map_or(a == ours, |end| ours.ends_with(end));
                    targets.split(' ').any(|name| name == newer) && is_ours && b == theirs && near.contains(part)
                });
                match known {
                    Some(line) => _ = used.insert(line),
                    None => wrong.push(format!("{newer} | {ours} | {theirs} | {n} | {texts:?}")),
                }
            }
        }
        println!(
            "{newer}: {compared} programs of {older}, and {changed} that LLVM changes otherwise, or at which it ends"
        );
        let fatal: Vec<&str> = fatal.iter().map(|(text, _)| &**text).collect();
        println!("{newer}: LLVM ends its process at {fatal:?}");
        assert!(compared >= 40 && changed * 4 < compared, "{newer}: {compared} programs, {changed} others");
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
    let unused: Vec<_> = differences().enumerate().filter(|(n, _)| !used.contains(n)).collect();
    assert!(unused.is_empty(), "{unused:?} no longer differ");
}
