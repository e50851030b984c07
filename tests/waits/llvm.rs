//! The waits that LLVM's pass inserts.

use amdgpu_isa::imm::Waitcnt;
use amdgpu_isa::{Target, parse};

use super::both;
use super::operations::{Item, Program};

/// The waits that LLVM inserts before each instruction of each program.
pub fn inserted(target: Target, name: &str, programs: &[Program]) -> Vec<Vec<Waitcnt>> {
    let file = std::env::temp_dir().join(format!("waits-{name}-{}.mir", std::process::id()));
    let functions = programs.iter().enumerate().map(|(n, program)| function(n, program));
    std::fs::write(&file, functions.collect::<String>()).unwrap();
    let mut llc = std::process::Command::new("llc-22");
    let llc = llc.args(["-mtriple=amdgcn", "-run-pass=si-insert-waitcnts", "-simplify-mir", "-o", "-"]);
    let output = llc.arg(format!("-mcpu={name}")).arg(&file).output().expect("llc-22 of LLVM 22 is needed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(&file).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let bodies = text.split("\nname: ").skip(1).map(|function| function.split_once("body: ").unwrap().1);
    bodies.zip(programs).map(|(body, program)| waits(target, body, program)).collect()
}

fn function(n: usize, program: &Program) -> String {
    let mut text = format!("---\nname: f{n}\nmachineFunctionInfo:\n  isEntryFunction: true\nbody: |\n  bb.0:\n");
    let labels: Vec<(usize, u8)> = (0..)
        .zip(&program.items)
        .filter_map(|(at, item)| if let Item::Label(n) = item { Some((at, *n)) } else { None })
        .collect();
    // The successors of a block: the next one, and the target of its branch.
    let successors = |from: usize| {
        let end = labels.iter().find(|(at, _)| *at > from);
        let next = end.map(|(_, n)| format!("%bb.{n}"));
        let items = &program.items[from..end.map_or(program.items.len(), |(at, _)| *at)];
        let branch = items.iter().find_map(|item| match item {
            Item::Inst(op) if op.name == "branch" => op.mir.split([' ', ',']).nth(1).map(str::to_string),
            _ => None,
        });
        let all: Vec<String> = branch.into_iter().chain(next).collect();
        if all.is_empty() { String::new() } else { format!("    successors: {}\n", all.join(", ")) }
    };
    text += &successors(0);
    for (at, item) in program.items.iter().enumerate() {
        match item {
            Item::Inst(op) => text += &format!("    {}\n", op.mir),
            Item::Label(n) => text += &format!("  bb.{n}:\n{}", successors(at + 1)),
        }
    }
    text + "...\n"
}

fn waits(target: Target, body: &str, program: &Program) -> Vec<Waitcnt> {
    let mut insts = program.items.iter().filter_map(|item| match item {
        Item::Inst(op) => Some(op.mir.split_once(" = ").map_or(op.mir.as_str(), |(_, rest)| rest)),
        Item::Label(_) => None,
    });
    let (mut all, mut before) = (Vec::new(), Waitcnt::new());
    for line in body.lines().skip(1).map(str::trim).take_while(|line| *line != "...") {
        let line = line.split_once(" = ").map_or(line, |(_, rest)| rest);
        let opcode = line.split(' ').next().unwrap_or_default();
        if line.is_empty() || line.starts_with("bb.") || line.starts_with("successors:") {
            continue;
        }
        if opcode.starts_with("S_WAIT") {
            let operand = line.rsplit(' ').next().unwrap();
            let null = if opcode == "S_WAITCNT_VSCNT" { "null, " } else { "" };
            let text = format!("{} {null}{operand}", opcode.to_lowercase().trim_end_matches("_soft"));
            let wait = parse(target, &text).unwrap_or_else(|error| panic!("{text}: {error}"));
            before = both(before, &wait.waits());
        } else {
            let expected = insts.next().unwrap_or_else(|| panic!("{line} is too much in {}", program.text()));
            assert_eq!(expected.split(' ').next(), Some(opcode), "in {body}");
            all.push(std::mem::replace(&mut before, Waitcnt::new()));
        }
    }
    all
}
