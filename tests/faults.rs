//! The page about hazards lists faults that LLVM really has. The operations that end the rules about scalar registers
//! on RDNA4 are those of LLVM.
#![cfg(feature = "text")]

use amdgpu_isa::hazards::Hazards;
use amdgpu_isa::{Inst, Target, parse};

/// The bytes on the page about LLVM's faults break the rules that it names.
#[test]
fn the_page_is_right() {
    let page = include_str!("../docs/hazards.md");
    let mut rows = 0;
    for line in page.lines().filter(|line| line.contains(" | gfx")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`')).collect();
        rows += 1;
        let Ok(target) = cells[1].parse::<Target>() else { continue };
        let byte = |n: usize| u8::from_str_radix(&cells[2][n..n + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..cells[2].len()).step_by(2).map(byte).collect();
        let (mut hazards, mut broken) = (Hazards::new(target), Vec::new());
        for inst in amdgpu_isa::Decoder::new(target, &bytes) {
            let inst = inst.inst.unwrap();
            hazards.each(&inst, |need| broken.push(need.rule.id()));
            hazards.issue(&inst);
        }
        assert_eq!(broken, [cells[0]], "{line}");
    }
    assert!(rows > 0);
}

/// The number of instructions that a pass inserts into each program.
fn inserted(target: &str, pass: &str, programs: &[Vec<&str>]) -> Vec<usize> {
    let functions = programs.iter().enumerate().map(|(n, program)| {
        let body: String = program.iter().map(|inst| format!("    {inst}\n")).collect();
        format!("---\nname: f{n}\nbody: |\n  bb.0:\n{body}    S_ENDPGM 0\n...\n")
    });
    let file = std::env::temp_dir().join(format!("faults-{target}-{pass}-{}.mir", std::process::id()));
    std::fs::write(&file, functions.collect::<String>()).unwrap();
    let mut llc = std::process::Command::new("llc-22");
    let llc = llc.args(["-mtriple=amdgcn", "-simplify-mir", "-o", "-"]).arg(format!("-run-pass={pass}"));
    let output = llc.arg(format!("-mcpu={target}")).arg(&file).output().expect("llc-22 of LLVM 22 is needed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(&file).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let bodies = text.split("\nname: ").skip(1).map(|function| function.split_once("bb.0:\n").unwrap().1);
    let lines = |body: &str| {
        // A block begins after an empty line.
        let lines = body.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.take_while(|line| !line.starts_with("S_ENDPGM")).count()
    };
    bodies.zip(programs).map(|(body, program)| lines(body) - program.len()).collect()
}

/// LLVM inserts nothing where the page says so, and something if the program is slightly different.
#[test]
fn llvm_has_the_faults() {
    let lines = include_str!("hazards/faults.mir.txt").lines().filter(|line| !line.starts_with('#'));
    let (mut with, mut without) = (Vec::new(), Vec::new());
    for line in lines {
        let [rule, target, count, program] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        let found = inserted(target, "post-RA-hazard-rec", &[program.split(" ; ").collect()]);
        assert_eq!(found, [count.parse::<usize>().unwrap()], "{line}");
        if count == "0" { &mut without } else { &mut with }.push(rule);
    }
    assert!(with == without && !with.is_empty(), "each fault has a neighbour");
    let known = include_str!("hazards/faults.txt").lines().filter(|line| !line.starts_with('#'));
    for rule in known.filter_map(|line| line.split(' ').next()) {
        let name = rule.trim_end_matches(|c: char| c.is_ascii_lowercase());
        assert!(with.contains(&rule) || with.contains(&name), "{rule} has no program");
    }
}

/// LLVM counts `s_swappc_b64` among the operations that write a scalar register: it inserts a wait before a read of the
/// return address in the same function. The page lists reads in the called function.
#[test]
fn llvm_counts_the_write_of_a_call() {
    let read = "$vgpr9 = V_MOV_B32_e32 $sgpr30, implicit $exec";
    let call = "$sgpr30_sgpr31 = S_SWAPPC_B64 $sgpr0_sgpr1";
    let user = "$sgpr60 = S_MOV_B32 $sgpr30";
    let programs = [vec![read, call, user], vec![read, user]];
    assert_eq!(inserted("gfx1200", "amdgpu-wait-sgpr-hazards", &programs), [1, 0]);
}

/// In each program, a vector operation reads a register, the register is written, another operation follows, and the
/// register is read.
#[test]
fn what_ends_the_rules_of_scalar_registers() {
    let Ok(target) = "gfx1200".parse::<Target>() else { return };
    let cases = [
        // W01, W02, W03 before a vector operation and before a scalar one.
        [
            "v_mov_b32_e32 v9, s0 | $vgpr9 = V_MOV_B32_e32 $sgpr0, implicit $exec",
            "v_readlane_b32 s0, v2, 0 | $sgpr0 = V_READLANE_B32 $vgpr2, 0",
            "v_mov_b32_e32 v3, s0 | $vgpr3 = V_MOV_B32_e32 $sgpr0, implicit $exec",
        ],
        [
            "v_cndmask_b32_e32 v9, v1, v2, vcc_lo | $vgpr9 = V_CNDMASK_B32_e32 $vgpr1, $vgpr2, implicit $vcc, implicit $exec",
            "v_cmp_ne_u32_e32 vcc_lo, v1, v2 | V_CMP_NE_U32_e32 $vgpr1, $vgpr2, implicit-def $vcc, implicit $exec",
            "v_cndmask_b32_e32 v3, v1, v2, vcc_lo | $vgpr3 = V_CNDMASK_B32_e32 $vgpr1, $vgpr2, implicit $vcc, implicit $exec",
        ],
        [
            "v_mov_b32_e32 v9, s0 | $vgpr9 = V_MOV_B32_e32 $sgpr0, implicit $exec",
            "s_mov_b32 s0, 7 | $sgpr0 = S_MOV_B32 7",
            "v_mov_b32_e32 v3, s0 | $vgpr3 = V_MOV_B32_e32 $sgpr0, implicit $exec",
        ],
        [
            "v_mov_b32_e32 v9, s0 | $vgpr9 = V_MOV_B32_e32 $sgpr0, implicit $exec",
            "s_mov_b32 s0, 7 | $sgpr0 = S_MOV_B32 7",
            "s_mov_b32 s60, s0 | $sgpr60 = S_MOV_B32 $sgpr0",
        ],
    ];
    let between = include_str!("hazards/between.txt").lines().filter(|line| !line.starts_with('#'));
    let between: Vec<&str> = between.collect();
    let mut programs: Vec<Vec<&str>> = Vec::new();
    for [read, write, user] in cases {
        programs.push(vec![read, write, user]);
        programs.extend(between.iter().map(|inst| vec![read, write, inst, user]));
    }
    let mir = |program: &Vec<&'static str>| program.iter().map(|line| line.split_once(" | ").unwrap().1).collect();
    let mir: Vec<Vec<&str>> = programs.iter().map(mir).collect();
    let theirs = inserted("gfx1200", "amdgpu-wait-sgpr-hazards", &mir);
    assert_eq!(theirs.len(), programs.len());
    let mut wrong = Vec::new();
    for (program, theirs) in programs.iter().zip(theirs) {
        let texts = program.iter().map(|line| line.split_once(" | ").unwrap().0);
        let insts = texts.clone().map(|text| parse(target, text).unwrap_or_else(|error| panic!("{text}: {error}")));
        let insts: Vec<Inst> = insts.collect();
        let mut hazards = Hazards::new(target);
        let mut ours = 0;
        for inst in &insts {
            if hazards.needs(inst).event.is_some() {
                ours += 1;
                hazards.issue(&parse(target, "s_wait_alu 0x0").unwrap());
            }
            hazards.issue(inst);
        }
        if ours != theirs {
            wrong.push(format!("{ours} {theirs}: {}", texts.collect::<Vec<_>>().join("; ")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
