//! The results of `lint --fix` and `lint --trim` are clean, many are equal to the code before an instruction was
//! removed or added, and all addresses are right.

use std::path::{Path, PathBuf};
use std::process::Command;

use amdgpu_isa::flow::Flow;
use amdgpu_isa::{Decoder, Inst, Target};
use object::read::elf::ElfFile64;
use object::{LittleEndian, Object as _, ObjectSection as _, ObjectSymbol as _};

use super::asm_file::{directory, llvm};
use super::run;
use super::samples::*;

const LOAD: [u32; 2] = [0xdc50_8000, 0x0000_0001]; // global_load_dword v0, v1, s[0:1]
const OTHER: [u32; 2] = [0xdc50_8000, 0x0100_0001]; // global_load_dword v1, v1, s[0:1]
const ADD: u32 = 0x0204_0500; // v_add_f32_e32 v2, v0, v2
const WAIT: u32 = 0xbf8c_0f70; // s_waitcnt vmcnt(0)
const COMPARE: [u32; 2] = [0xd0c9_0000, 0x0002_0300]; // v_cmp_lt_u32_e64 s[0:1], v0, v1
const BARRIER: u32 = 0xbf8a_0000;
const STORE: [u32; 2] = [0xdc70_8000, 0x0000_0301]; // global_store_dword v1, v3, s[0:1]
const TRIPLE: &str = "amdgcn-amd-amdhsa--";

/// The result of `--fix` or `--trim` for some words.
#[track_caller]
pub fn changed(option: &str, target: &str, words: &[u32]) -> Vec<u32> {
    changed_with(option, &[], target, words)
}

/// The result of `--fix` or `--trim`, with more options.
#[track_caller]
fn changed_with(option: &str, more: &[&str], target: &str, words: &[u32]) -> Vec<u32> {
    let name = format!("lint{option}-{}", std::thread::current().name().unwrap_or_default().replace(':', "-"));
    let out = directory(&name).join("out.bin");
    let args = ["lint", "--raw", "--target", target, option, "-o", out.to_str().unwrap(), "-"];
    let run = run(&[&args[..], more].concat(), &bytes(words));
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    let bytes = std::fs::read(&out).unwrap();
    bytes.chunks_exact(4).map(|four| u32::from_le_bytes(four.try_into().unwrap())).collect()
}

#[test]
fn what_is_missing_is_inserted() {
    let words = [LOAD[0], LOAD[1], ADD, S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &words), [LOAD[0], LOAD[1], WAIT, ADD, S_ENDPGM]);
    // The other load may stay outstanding: vmcnt(1) is enough.
    let words = [LOAD[0], LOAD[1], OTHER[0], OTHER[1], ADD, S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &words)[4..], [WAIT | 1, ADD, S_ENDPGM]);
    // An existing wait becomes stronger: lgkmcnt(0).
    let words = [LOAD[0], LOAD[1], 0xbf8c_c07f, ADD, S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &words)[2..], [0xbf8c_0070, ADD, S_ENDPGM]);
    // Five wait states are needed. An existing s_nop becomes longer.
    let words = [&COMPARE[..], &LOAD, &[S_ENDPGM]].concat();
    assert_eq!(changed("--fix", "gfx942", &words)[2..], [S_NOP | 4, LOAD[0], LOAD[1], S_ENDPGM]);
    let words = [&COMPARE[..], &[S_NOP], &LOAD, &[S_ENDPGM]].concat();
    assert_eq!(changed("--fix", "gfx942", &words)[2..], [S_NOP | 4, LOAD[0], LOAD[1], S_ENDPGM]);
    // Clean code stays as it is.
    let words = [LOAD[0], LOAD[1], WAIT, ADD, S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &words), words);
}

#[test]
fn what_options_demand_is_inserted() {
    // v_cmpx_eq_u32_e32 vcc, v0, v1; global_load_dword v2, v0, s[0:1]
    let masked = [0x7db4_0300, 0xdc50_8000, 0x0200_0000, S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &masked), masked);
    let words = changed_with("--fix", &["--strict"], "gfx942", &masked);
    assert_eq!(words, [masked[0], S_NOP | 4, masked[1], masked[2], masked[3]]);
    // global_load_dword v38, v[38:39], off; global_load_dword v39, v[40:41], off
    let loads = [0xdc50_8000, 0x267f_0026, 0xdc50_8000, 0x277f_0028, S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &loads), loads);
    assert_eq!(changed_with("--fix", &["--assume", "xnack=on"], "gfx942", &loads).len(), loads.len() + 1);
}

#[test]
fn branches_follow() {
    // The branches go over the inserted instructions, and back to a place before them: a loop needs the wait in each
    // iteration.
    let words = [s_cbranch_scc1(4), LOAD[0], LOAD[1], ADD, s_cbranch_scc1(-2), s_branch(-6), S_ENDPGM];
    let wanted = [s_cbranch_scc1(5), LOAD[0], LOAD[1], WAIT, ADD, s_cbranch_scc1(-3), s_branch(-7), S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &words), wanted);
    // The load at the end of the loop is needed at its beginning.
    let words = [ADD, LOAD[0], LOAD[1], s_cbranch_scc1(-4), S_ENDPGM];
    assert_eq!(changed("--fix", "gfx942", &words), [WAIT, ADD, LOAD[0], LOAD[1], s_cbranch_scc1(-5), S_ENDPGM]);
    let far: Vec<u32> = [&LOAD[..], &[s_branch(0x7fff), ADD], &[S_NOP; 0x7ffe], &[S_ENDPGM]].concat();
    assert_eq!(changed("--fix", "gfx942", &far), far, "what nothing reaches stays");
    let far: Vec<u32> = [&LOAD[..], &[s_cbranch_scc1(0x7fff), ADD], &[S_NOP; 0x7ffe], &[S_ENDPGM]].concat();
    let run = run(&["lint", "--raw", "--target", "gfx942", "--fix", "-o", "-", "-"], &bytes(&far));
    assert!(run.fails(1).contains("the branch at 0x8 cannot follow"));
}

#[test]
fn what_only_another_instruction_ends_gets_that() {
    for (target, text, wanted) in [
        ("gfx1010", "ds_read_b32 v8, v9; s_mov_b32 exec_lo, s4", "s_waitcnt_depctr depctr_vm_vsrc(0)"),
        ("gfx1010", "s_load_dword s8, s[4:5], 0x0; v_readfirstlane_b32 s4, v0", "s_mov_b32 null, 0"),
        ("gfx1010", "s_mov_b64 s[4:5], exec; v_cmpx_eq_u32_e32 v0, v1", "s_waitcnt_depctr depctr_sa_sdst(0)"),
        ("gfx1010", "v_cmpx_eq_u32_e32 v0, v1; v_permlane16_b32 v2, v3, s4, s5", "v_mov_b32_e32 v2, v2"),
        ("gfx1200", "v_add_f32_e32 v0, s4, v1; s_mov_b32 s5, s9; s_mov_b32 s0, s5", "s_wait_alu depctr_sa_sdst(0)"),
        ("gfx1250", "s_mov_b32 s2, s3; s_getreg_b32 s1, hwreg(HW_REG_XNACK_MASK)", "s_wait_idle"),
        ("gfx900", "s_mov_b32 vcc_lo, s0; s_cbranch_vccz 1; s_nop 0; s_nop 0", "s_mov_b64 vcc, vcc"),
    ] {
        let Ok(id) = target.parse::<Target>() else { continue };
        let words = |text: &str| -> Vec<u32> {
            let insts =
                text.split("; ").map(|text| amdgpu_isa::parse(id, text).unwrap_or_else(|e| panic!("{text}: {e}")));
            insts.flat_map(|inst| inst.words().to_vec()).collect()
        };
        let new = changed("--fix", target, &words(&format!("{text}; s_endpgm")));
        let insts: Vec<String> = Decoder::new(id, &bytes(&new)).map(|found| found.inst.unwrap().to_string()).collect();
        let old = text.split("; ").count() + 1;
        assert!(insts.len() == old + 1 && insts.iter().any(|inst| inst == wanted), "{target} {text}: {insts:?}");
    }
}

/// The instructions of a clause must be of one kind: the clause ends before the wait.
#[test]
fn clauses_become_shorter() {
    let Ok(target) = "gfx1200".parse::<Target>() else { return };
    let text =
        "s_clause 0x2; global_load_b32 v0, v9, s[0:1]; global_load_b32 v1, v9, s[0:1]; global_load_b32 v2, v0, s[0:1]";
    let inst = |text: &str| amdgpu_isa::parse(target, text).unwrap();
    let words = |text: &str| text.split("; ").flat_map(|text| inst(text).words().to_vec()).collect::<Vec<u32>>();
    let wanted = text.replace("0x2", "0x1").replace("global_load_b32 v2", "s_wait_loadcnt 0x1; global_load_b32 v2");
    let end = "; s_endpgm";
    assert_eq!(changed("--fix", "gfx1200", &words(&format!("{text}{end}"))), words(&format!("{wanted}{end}")));
    // A wait for the first instruction of a clause is inserted before the clause.
    let first = "global_load_b32 v9, v9, s[0:1]";
    let (old, new) = (format!("{first}; {text}{end}"), format!("{first}; s_wait_loadcnt 0x0; {wanted}{end}"));
    assert_eq!(changed("--fix", "gfx1200", &words(&old)), words(&new));
}

/// The target of bare code says whether accesses are repeated after page faults.
#[test]
fn bare_code_is_mended_for_its_setting_of_xnack() {
    if "gfx942".parse::<Target>().is_err() {
        return;
    }
    // global_load_dword v38, v[38:39], off; global_load_dword v39, v[40:41], off; s_endpgm
    let loads = [0xdc50_8000, 0x267f_0026, 0xdc50_8000, 0x277f_0028, S_ENDPGM];
    let waits = [&loads[..2], &[S_NOP], &loads[2..]].concat();
    let fixed = |target: &str| changed("--fix", target, &loads);
    assert_eq!(fixed("gfx942:xnack-"), loads);
    assert_eq!(fixed("gfx942:xnack+"), waits);
    for target in ["gfx942:xnack-", "gfx942:xnack+"] {
        assert_eq!(changed("--trim", target, &waits), waits, "{target}");
    }
}

#[test]
fn what_is_superfluous_is_taken_away() {
    let trimmed = |words: &[u32]| changed("--trim", "gfx942", words);
    // The first wait waits for nothing. The second one waits for more than is needed, and another wait follows.
    assert_eq!(trimmed(&[WAIT, S_ENDPGM]), [S_ENDPGM]);
    let strong = |wait: u32| [&LOAD[..], &OTHER, &[wait, ADD, WAIT, 0x0204_0301, S_ENDPGM]].concat();
    assert_eq!(trimmed(&strong(WAIT)), strong(WAIT | 1)[..]);
    // Operations that are outstanding at a barrier, or stored values, may be the reason for a wait.
    let order = [&LOAD[..], &OTHER, &[WAIT, ADD, BARRIER, WAIT, S_ENDPGM]].concat();
    assert_eq!(trimmed(&order), [&order[..order.len() - 2], &[S_ENDPGM]].concat());
    let store = [&STORE[..], &LOAD, &[WAIT, S_ENDPGM]].concat();
    assert_eq!(trimmed(&store), store);
    // One s_nop is too long, and nothing needs the other one.
    let nop = |states: &[u32]| [&COMPARE[..], states, &LOAD, &[S_ENDPGM]].concat();
    assert_eq!(trimmed(&nop(&[S_NOP | 7])), nop(&[S_NOP | 4]));
    assert_eq!(trimmed(&nop(&[S_NOP | 7, S_NOP | 4])), nop(&[S_NOP | 4]));
    // An s_nop that no rule explains stays.
    assert_eq!(trimmed(&[S_NOP | 3, S_ENDPGM]), [S_NOP | 3, S_ENDPGM]);
    // s_wait_loadcnt 0 stays: after s_setreg_b32 hwreg(HW_REG_WAVE_MODE), s0 it is unknown which registers are meant.
    if let Ok(target) = "gfx1250".parse::<Target>() {
        let (wait, end) = (0xbfc0_0000, 0xbfb0_0000);
        assert_eq!(changed("--trim", "gfx1250", &[wait, end]), [end]);
        let mode = amdgpu_isa::parse(target, "s_setreg_b32 hwreg(HW_REG_WAVE_MODE), s0").unwrap();
        let banked = [mode.words(), &[wait, wait, end]].concat();
        assert_eq!(changed("--trim", "gfx1250", &banked), banked);
    }
}

pub fn source_of(path: &Path) -> Vec<String> {
    let listed = run(&["dis", "--asm", path.to_str().unwrap()], b"").ok();
    listed.lines().map(String::from).collect()
}

pub fn assembled(source: &str, path: &Path) {
    run(&["asm", "-", "-o", path.to_str().unwrap()], source.as_bytes()).ok();
}

/// The instructions of all functions, without the targets of branches.
fn instructions(path: &Path) -> Vec<String> {
    let data = std::fs::read(path).unwrap();
    let file = ElfFile64::<LittleEndian>::parse(&*data).unwrap();
    let code = file.section_by_name(".text").unwrap();
    let target = target_of(&file, path);
    let entries = kernels(&file);
    let flow = Flow::new(target, code.data().unwrap(), code.address(), &entries);
    let insts = (0..flow.blocks().len()).flat_map(|block| flow.insts(block));
    let name = |inst: &Inst| match inst.branch_target(0) {
        Some(_) => inst.mnemonic().to_string(),
        None => inst.to_string(),
    };
    insts.map(|(_, inst)| name(&inst)).collect()
}

fn target_of(file: &ElfFile64<'_, LittleEndian>, path: &Path) -> Target {
    let object::FileFlags::Elf { e_flags, .. } = file.flags() else { panic!() };
    let target = Target::from_e_flags(e_flags).unwrap();
    let is_wide = path.to_str().unwrap().contains("wave64");
    if is_wide { target.with_wave_size(64).unwrap() } else { target }
}

pub fn kernels(file: &ElfFile64<'_, LittleEndian>) -> Vec<u64> {
    let symbols = || file.symbols().chain(file.dynamic_symbols());
    let is_kernel = |name: &str| symbols().any(|symbol| symbol.name() == Ok(&format!("{name}.kd")));
    let all = symbols().filter(|symbol| symbol.name().is_ok_and(is_kernel));
    all.map(|symbol| symbol.address()).collect()
}

/// Checks that each kernel begins where hardware needs it, and that its descriptor leads to it.
pub fn descriptors_lead_to_kernels(path: &Path) {
    let data = std::fs::read(path).unwrap();
    let file = ElfFile64::<LittleEndian>::parse(&*data).unwrap();
    let mut found = 0;
    // A stripped file has only the symbols that a loader needs.
    let symbols = || file.symbols().chain(file.dynamic_symbols());
    for descriptor in symbols() {
        let Some(name) = descriptor.name().unwrap().strip_suffix(".kd") else { continue };
        let kernel = symbols().find(|symbol| symbol.name() == Ok(name)).unwrap();
        let section = file.section_by_index(descriptor.section_index().unwrap()).unwrap();
        let at = (descriptor.address() - section.address()) as usize;
        let entry = i64::from_le_bytes(section.data().unwrap()[at + 16..at + 24].try_into().unwrap());
        assert_eq!(descriptor.address().wrapping_add_signed(entry), kernel.address(), "{name} of {}", path.display());
        assert_eq!(kernel.address() % 256, 0, "{name} of {}", path.display());
        found += 1;
    }
    assert!(found > 0);
}

pub fn mixed_samples() -> Vec<PathBuf> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/samples"));
    let all = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    let files = all.flat_map(|path| std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
    let is_mixed = |path: &PathBuf| path.file_name().unwrap() == "mixed.co" && is_known(path);
    let mut files: Vec<PathBuf> = files.filter(is_mixed).collect();
    files.sort();
    files
}

fn is_known(path: &Path) -> bool {
    let directory = path.parent().and_then(Path::file_name).and_then(|name| name.to_str()).unwrap();
    Target::ALL.iter().any(|target| target.name() == directory.trim_end_matches("-wave64"))
}

/// Waits and s_nop are removed from samples one at a time. The repaired file is clean, and repairing it again changes
/// nothing.
#[test]
fn samples_are_mended() {
    // The full run removes all waits and `s_nop`s, the quick run some of each sample.
    let step = if super::is_full() { 1 } else { 9 };
    let directory = directory("lint-repaired");
    let at = |name: &str| directory.join(name);
    let (mut broken, mut repaired, mut restored) = (0, 0, 0);
    for (n, sample) in mixed_samples().into_iter().enumerate() {
        let source = source_of(&sample);
        let original = instructions(&sample);
        let is_wait = |line: &String| line.starts_with("\ts_wait") || line.starts_with("\ts_nop");
        let lines: Vec<usize> = (0..source.len()).filter(|n| is_wait(&source[*n])).collect();
        for line in lines.into_iter().skip(n % step).step_by(step) {
            let without = [&source[..line], &source[line + 1..]].concat().join("\n") + "\n";
            let wave = if sample.to_str().unwrap().contains("wave64") { "-wave64" } else { "" };
            let files = ["broken", "repaired", "again"].map(|name| at(&format!("{name}{wave}.co")));
            let [broken_file, repaired_file, again_file] = &files;
            assembled(&without, broken_file);
            let fix = |from: &Path, to: &Path| {
                run(&["lint", "--fix", "-o", to.to_str().unwrap(), from.to_str().unwrap()], b"")
            };
            let run = fix(broken_file, repaired_file);
            assert_eq!(run.code, Some(0), "{}: {}: {}{}", sample.display(), source[line], run.out, run.err);
            fix(repaired_file, &again_file.clone());
            let [broken_bytes, bytes, again] = files.clone().map(|file| std::fs::read(file).unwrap());
            assert!(bytes == again, "{}: {}", sample.display(), source[line]);
            broken += 1;
            if bytes != broken_bytes {
                repaired += 1;
                restored += usize::from(instructions(repaired_file) == original);
            }
        }
    }
    println!("{broken} broken, {repaired} repaired, {restored} as before");
    assert!(
        repaired > broken / 2 && restored > repaired / 3,
        "{broken} broken, {repaired} repaired, {restored} as before"
    );
}

/// Instructions that are added to a sample although it does not need them are removed again.
#[test]
fn samples_are_trimmed() {
    let directory = directory("lint-trimmed");
    let mut samples = mixed_samples();
    samples.retain(|path| !path.to_str().unwrap().contains("wave64"));
    for sample in samples {
        let [plain, more, less] = ["plain", "more", "less"].map(|name| directory.join(format!("{name}.co")));
        let trim = |from: &Path, to: &Path| {
            let run = run(&["lint", "--trim", "-o", to.to_str().unwrap(), from.to_str().unwrap()], b"");
            // Known faults of the compiler stay.
            let is_fault = run.code == Some(1) && (run.out.contains("[Y07]") || run.out.contains("[T01"));
            assert!(run.code == Some(0) || is_fault, "{}: {}{}", sample.display(), run.out, run.err);
        };
        trim(&sample, &plain);
        descriptors_lead_to_kernels(&plain);
        let source = source_of(&plain);
        // Each wait is written twice.
        let put = |line: &String| match line {
            line if line.starts_with("\ts_waitcnt vmcnt") || line.starts_with("\ts_wait_loadcnt") => {
                vec![line.clone(); 2]
            }
            line => vec![line.clone()],
        };
        let source: Vec<String> = source.iter().flat_map(put).collect();
        assembled(&(source.join("\n") + "\n"), &more);
        trim(&more, &less);
        let (before, between, after) = (instructions(&plain), instructions(&more), instructions(&less));
        assert!(between.len() > before.len(), "{}", sample.display());
        let differs = after.iter().zip(&before).find(|(after, before)| after != before);
        assert!(after == before, "{}: {differs:?}, {} and {}", sample.display(), after.len(), before.len());
    }
}

/// Addresses that code makes relative to itself lead to the same places as before, and so do descriptors and pointers
/// in data.
#[test]
fn what_is_relative_follows() {
    if "gfx942".parse::<Target>().is_err() {
        return;
    }
    let source = format!(
        "\t.amdgcn_target \"{TRIPLE}gfx942\"
\t.text
\t.globl first
\t.p2align 8
\t.type first,@function
first:
\tglobal_load_dword v0, v1, s[0:1]
\tv_add_f32_e32 v2, v0, v2
\ts_getpc_b64 s[4:5]
\tglobal_load_dword v0, v1, s[0:1]
\tv_add_f32_e32 v2, v0, v2
\ts_add_u32 s4, s4, table@rel32@lo+16
\ts_addc_u32 s5, s5, table@rel32@hi+24
\ts_getpc_b64 s[6:7]
\ts_add_u32 s6, s6, callee@rel32@lo+4
\ts_addc_u32 s7, s7, callee@rel32@hi+12
\ts_swappc_b64 s[30:31], s[6:7]
\ts_getpc_b64 s[8:9]
\ts_sext_i32_i16 s9, s9
\ts_add_u32 s8, s8, table@rel32@lo+8
\ts_addc_u32 s9, s9, 0
\ts_endpgm
\t.size first, .-first
\t.p2align 8
\t.globl second
\t.type second,@function
second:
\ts_mov_b32 s4, s5
\tglobal_load_dword v0, v1, s[0:1]
\tv_add_f32_e32 v2, v0, v2
\ts_endpgm
\t.size second, .-second
\t.type callee,@function
callee:
\ts_waitcnt vmcnt(0) lgkmcnt(0)
\tglobal_load_dword v0, v1, s[0:1]
\tv_add_f32_e32 v2, v0, v2
\ts_setpc_b64 s[30:31]
\t.size callee, .-callee
\t.data
\t.type table,@object
table:
\t.long 7
\t.quad callee
\t.size table, 12
\t.rodata
\t.p2align 6
{}{}",
        descriptor("first"),
        descriptor("second")
    );
    let directory = directory("lint-relative");
    let [broken, repaired] = ["broken", "repaired"].map(|name| directory.join(format!("{name}.co")));
    assembled(&source, &broken);
    let run = run(&["lint", "--fix", "-o", repaired.to_str().unwrap(), broken.to_str().unwrap()], b"");
    assert_eq!(run.code, Some(0), "{}{}", run.out, run.err);
    assert!(run.err.contains("4 inserted, 0 changed, 0 removed"), "{}", run.err);
    descriptors_lead_to_kernels(&repaired);
    for path in [&broken, &repaired] {
        let data = std::fs::read(path).unwrap();
        let file = ElfFile64::<LittleEndian>::parse(&*data).unwrap();
        let symbol = |name: &str| file.symbols().find(|symbol| symbol.name() == Ok(name)).unwrap();
        let code = file.section_by_name(".text").unwrap();
        let mut made = Vec::new();
        let mut pc = 0;
        for found in Decoder::new(target_of(&file, path), code.data().unwrap()) {
            let Ok(inst) = found.inst else { continue };
            let end = code.address() + (found.offset + inst.len()) as u64;
            match inst.mnemonic() {
                "s_getpc_b64" => pc = end,
                "s_add_u32" => made.push(pc.wrapping_add_signed((inst.words()[1] as i32).into())),
                _ => {}
            }
        }
        let table = symbol("table").address();
        assert_eq!(made, [table, symbol("callee").address(), table], "{}", path.display());
        // Inserted instructions take the place of padding.
        assert_eq!(symbol("second").address() - symbol("first").address(), 256, "{}", path.display());
        let relocations: Vec<_> = file.dynamic_relocations().unwrap().collect();
        assert_eq!((relocations.len(), relocations[0].0), (1, symbol("table").address() + 4));
        assert_eq!(relocations[0].1.addend() as u64, symbol("callee").address(), "{}", path.display());
        let end = symbol("callee").address() + symbol("callee").size();
        assert_eq!(end, code.address() + code.size(), "{}", path.display());
    }
}

fn descriptor(name: &str) -> String {
    format!(
        "\t.amdhsa_kernel {name}
\t.amdhsa_next_free_vgpr 8
\t.amdhsa_next_free_sgpr 40
\t.amdhsa_accum_offset 8
\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t.end_amdhsa_kernel
"
    )
}

#[test]
fn what_cannot_be_changed_has_a_message() {
    let directory = directory("lint-refused");
    let out = directory.join("out.co");
    let out = out.to_str().unwrap();
    assert!(run(&["lint", "--fix", "-"], b"").fails(2).contains("--output"));
    // s_getpc_b64 s[4:5]; s_setpc_b64 s[4:5]
    let words = [LOAD[0], LOAD[1], ADD, 0xbe84_1c00, 0xbe80_1d04];
    let message = run(&["lint", "--fix", "--raw", "--target", "gfx942", "-o", out, "-"], &bytes(&words)).fails(1);
    assert!(message.contains("the code at 0xc reads its address"), "{message}");
    let object = code_object_properties(GFX942, 0, &words, &[S_ENDPGM]);
    let message = run(&["lint", "--fix", "-o", out, "-"], &object).fails(1);
    assert!(message.contains("the layout of the file") || message.contains("reads its address"), "{message}");
    // Half of an address is overwritten before a distance is added.
    let source = format!(
        "\t.amdgcn_target \"{TRIPLE}gfx942\"\n\t.text\n\t.globl k\n\t.p2align 8\n\t.type k,@function\nk:
\tglobal_load_dword v0, v1, s[0:1]\n\tv_add_f32_e32 v2, v0, v2\n\ts_getpc_b64 s[4:5]\n\ts_mov_b32 s5, s9
\ts_add_u32 s4, s4, k@rel32@lo+8\n\ts_addc_u32 s5, s5, k@rel32@hi+16\n\ts_endpgm\n\t.rodata\n\t.p2align 6\n{}",
        descriptor("k")
    );
    let broken = directory.join("broken.co");
    assembled(&source, &broken);
    let message = run(&["lint", "--fix", "-o", out, broken.to_str().unwrap()], b"").fails(1);
    assert!(message.contains("c reads its address and does something unknown with it"), "{message}");
    assert!(!Path::new(out).exists());
}

/// A program of functions in sections of their own, data that points to them, and two kernels.
const FUNCTIONS: &str = r#"
#define GLOBAL __attribute__((address_space(1)))
#define OTHER extern __attribute__((visibility("default")))
OTHER float outer(float);
OTHER GLOBAL int counter[];
static const int steps[4] = { 1, 2, 3, 4 };
GLOBAL float cell = 3;
__attribute__((noinline, visibility("hidden"))) float f(float x, GLOBAL float *p) { return x * p[3] + outer(x); }
static __attribute__((noinline)) float g(float x, GLOBAL float *p) { return f(x, p + 1) - p[7]; }
typedef float (*function)(float, GLOBAL float *);
function functions[3] = { f, g, f };
struct { function a, b; } table = { g, f };
__attribute__((amdgpu_kernel)) void one(GLOBAL float *p, int n) {
    p[n] = g(p[n + 1], p) + steps[n & 3] + counter[n] + cell;
}
__attribute__((amdgpu_kernel)) void two(GLOBAL float *p, int n) {
    p[2] = functions[n](p[0], p) + table.a(p[1], p);
    p[7] = (n ? f : g)(p[5], p);
}
"#;

/// An object for a linker can be repaired before or after linking, with the same result. Relocations that the linker
/// keeps follow the code, too.
#[test]
fn objects_for_a_linker_are_repaired_as_linked_files_are() {
    let work = directory("lint-objects");
    let path = |name: &str| work.join(name).to_str().unwrap().to_string();
    std::fs::write(path("a.c"), FUNCTIONS).unwrap();
    let linked = |object: &str, out: &str, more: &[&str]| {
        llvm("ld.lld-22", &[&["-shared", &path(object), "-o", &path(out)], more].concat(), &work);
    };
    let fixed = |file: &str, out: &str| {
        let run = run(&["lint", "--fix", "-o", &path(out), &path(file)], b"");
        assert!(run.err.contains("inserted") && run.code == Some(0), "{}{}", run.out, run.err);
        std::fs::read(path(out)).unwrap()
    };
    let code = |file: &[u8]| {
        let file = ElfFile64::<LittleEndian>::parse(file).unwrap();
        let loaded = file.sections().filter(|section| section.address() != 0);
        loaded.map(|section| (section.address(), section.data().unwrap().to_vec())).collect::<Vec<_>>()
    };
    for cpu in ["gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200", "gfx1250"] {
        for options in [&["-O2"][..], &["-O0"], &["-O2", "-g", "-ffunction-sections"]] {
            let cpu_flag = format!("-mcpu={cpu}");
            let flags = ["-target", "amdgcn-amd-amdhsa", "-nogpulib", "-w", &cpu_flag];
            llvm("clang-22", &[&flags[..], options, &["-S", "a.c", "-o", "a.s"]].concat(), &work);
            let source = std::fs::read_to_string(path("a.s")).unwrap();
            // With `-ffunction-sections`, each `s_wait_alu` stays. Without those between the instructions that make an
            // address, the distances of its halves would differ, and a hazard between functions in two sections shows
            // only in a linked file.
            let is_apart = options.contains(&"-ffunction-sections");
            let is_wait = |line: &&str| line.starts_with("\ts_wait") && !(is_apart && line.starts_with("\ts_wait_alu"));
            let without: Vec<&str> = source.lines().filter(|line| !is_wait(line)).collect();
            assert!(without.len() < source.lines().count());
            std::fs::write(path("b.s"), without.join("\n") + "\n").unwrap();
            llvm("clang-22", &[&flags[..], &["-c", "b.s", "-o", "b.o"]].concat(), &work);
            let what = format!("{cpu} {options:?}");
            fixed("b.o", "f.o");
            linked("f.o", "f.co", &[]);
            linked("b.o", "b.co", &[]);
            let [first, second] = [std::fs::read(path("f.co")).unwrap(), fixed("b.co", "g.co")];
            run(&["lint", &path("f.co")], b"").ok();
            // The linker aligns each section again.
            if is_apart {
                continue;
            }
            // The repair keeps parts of the file apart that the linker would put closer together.
            assert!(code(&first).iter().zip(code(&second)).all(|(a, b)| a.1 == b.1 || a.0 != b.0), "{what}");
            assert_eq!(code(&first).len(), code(&second).len(), "{what}");
            linked("b.o", "k.co", &["--emit-relocs"]);
            linked("f.o", "l.co", &["--emit-relocs"]);
            let [kept, again] = [fixed("k.co", "m.co"), std::fs::read(path("l.co")).unwrap()];
            assert_eq!(relocations(&kept), relocations(&again), "{what}");
            linked("b.o", "p.co", &["-z", "pack-relative-relocs"]);
            linked("f.o", "q.co", &["-z", "pack-relative-relocs"]);
            let [packed, again] = [fixed("p.co", "s.co"), std::fs::read(path("q.co")).unwrap()];
            assert_eq!(pointers(&packed), pointers(&again), "{what}");
        }
    }
}

/// Profiles of calls have relocations that only name functions; a linker makes room for common variables.
#[test]
fn profiles_and_common_variables_do_not_stop_a_repair() {
    let work = directory("lint-profile");
    let source = format!(
        "\t.amdgcn_target \"{TRIPLE}gfx942\"\n\t.text\n\t.globl k\n\t.type k,@function\nk:\n\ts_getpc_b64 s[4:5]
\ts_add_u32 s4, s4, shared@rel32@lo+4\n\ts_addc_u32 s5, s5, shared@rel32@hi+12\n\tglobal_load_dword v0, v1, s[4:5]
\tv_add_f32_e32 v2, v0, v2\n\ts_endpgm\n\t.size k, .-k\n\t.globl f\n\t.type f,@function\nf:\n\ts_waitcnt 0
\ts_setpc_b64 s[30:31]\n\t.size f, .-f\n\t.cg_profile k, f, 12\n\t.comm shared,8,4\n"
    );
    std::fs::write(work.join("p.s"), source).unwrap();
    let args = ["-triple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj", "p.s", "-o", "p.o"];
    llvm("llvm-mc-22", &args, &work);
    let [old, new] = ["p.o", "fixed.o"].map(|name| work.join(name).to_str().unwrap().to_string());
    run(&["lint", "--fix", "-o", &new, &old], b"").ok();
    let listing = run(&["dis", &new], b"").ok();
    assert!(listing.contains("s_waitcnt vmcnt(0)") && listing.contains("<shared@rel32@lo+0x4>"), "{listing}");
}

/// The pointers of a packed table: the section and the offset of each, and the name to which it leads.
fn pointers(file: &[u8]) -> Vec<(String, u64, String)> {
    let parsed = amdgpu_object::elf::File::parse(file).unwrap();
    let (sections, names) = (parsed.sections().0, parsed.section_names(&parsed.sections().0));
    let table = sections.iter().find(|section| section.kind == amdgpu_object::elf::SHT_RELR).unwrap();
    let mut all = Vec::new();
    amdgpu_object::visit(file, None, |part| {
        if let amdgpu_object::Part::Image(image) = part {
            for place in parsed.packed_relocations(parsed.contents(table).bytes) {
                let section = sections.iter().find(|s| (s.address..s.address + s.size).contains(&place)).unwrap();
                let name = amdgpu_object::elf::text(names, section.name).unwrap();
                let (to, offset) = image.addresses.pointer(place).unwrap();
                assert_eq!(offset, 0);
                let name = String::from_utf8_lossy(name).into_owned();
                all.push((name, place - section.address, String::from_utf8_lossy(to.as_bytes()).into_owned()));
            }
        }
        Ok::<(), amdgpu_object::Error>(())
    })
    .unwrap();
    assert!(all.len() > 4);
    all
}

/// The relocations that a linker has kept for code and loaded data: section, place, kind and addend.
fn relocations(file: &[u8]) -> Vec<(String, u64, u32, i64)> {
    let file = ElfFile64::<LittleEndian>::parse(file).unwrap();
    let mut all = Vec::new();
    for section in file.sections().filter(|section| section.address() != 0) {
        for (place, relocation) in section.relocations() {
            let object::RelocationFlags::Elf { r_type } = relocation.flags() else { panic!() };
            let place = place - section.address();
            all.push((section.name().unwrap().to_string(), place, r_type, relocation.addend()));
        }
    }
    assert!(all.len() > 10);
    all
}

/// The table of symbols of an archive follows the members, so that a linker finds them.
#[test]
fn members_of_an_archive_are_changed_in_their_places() {
    let work = directory("lint-archive");
    let path = |name: &str| work.join(name).to_str().unwrap().to_string();
    let function = |name: &str, call: &str| {
        format!(
            "\t.amdgcn_target \"{TRIPLE}gfx942\"\n\t.text\n\t.globl {name}\n\t.p2align 8\n\t.type {name},@function
{name}:\n\tglobal_load_dword v0, v1, s[0:1]\n\tv_add_f32_e32 v2, v0, v2\n{call}\ts_endpgm\n\t.size {name}, .-{name}\n"
        )
    };
    let call = "\ts_getpc_b64 s[4:5]\n\ts_add_u32 s4, s4, second@gotpcrel32@lo+4\n\ts_addc_u32 s5, s5, \
                second@gotpcrel32@hi+12\n\ts_load_dwordx2 s[4:5], s[4:5], 0x0\n\ts_waitcnt lgkmcnt(0)\n";
    let kernel = function("first", call) + "\t.rodata\n\t.p2align 6\n" + &descriptor("first");
    for (name, source) in [("first.o", kernel), ("the second object.o", function("second", ""))] {
        run(&["asm", "-c", "-", "-o", &path(name)], source.as_bytes()).ok();
    }
    for format in ["gnu", "bsd"] {
        let (old, new) = (format!("{format}.a"), format!("{format}-fixed.a"));
        let flag = format!("--format={format}");
        llvm("llvm-ar-22", &[&flag, "rcs", &old, "first.o", "the second object.o"], &work);
        run(&["lint", "--fix", "-o", &path(&new), &path(&old)], b"").ok();
        let listed = |archive: &str| {
            let names = Command::new("llvm-nm-22").args(["--print-armap", archive]).current_dir(&work).output();
            let names = String::from_utf8(names.unwrap().stdout).unwrap();
            names.lines().take_while(|line| !line.is_empty()).map(String::from).collect::<Vec<_>>()
        };
        assert_eq!(listed(&new), listed(&old), "{format}");
        assert!(listed(&new).len() > 2, "{:?}", listed(&new));
        // The linker finds the second member by the table, because the first one needs it.
        llvm("ld.lld-22", &["-shared", "-u", "first", &new, "-o", "linked.co"], &work);
        let listing = run(&["dis", &path("linked.co")], b"").ok();
        assert_eq!(listing.matches("s_waitcnt vmcnt(0)").count(), 2, "{format}: {listing}");
    }
}

/// Entries of a bundle are changed in their places, and unchanged entries stay the same, byte for byte.
#[test]
fn entries_of_a_bundle_are_changed_in_their_places() {
    let directory = directory("lint-bundle");
    let (object, out) = (directory.join("k.co"), directory.join("out"));
    let text = |target: &str| {
        format!(
            "\t.amdgcn_target \"{TRIPLE}{target}\"\n\t.text\n\t.globl k\n\t.p2align 8\n\t.type k,@function\nk:
\tglobal_load_dword v0, v1, s[0:1]\n\tv_add_f32_e32 v2, v0, v2\n\ts_endpgm\n\t.rodata\n\t.p2align 6\n{}",
            descriptor("k")
        )
    };
    assembled(&text("gfx942"), &object);
    let (faulty, clean) = (std::fs::read(&object).unwrap(), code_object(GFX942));
    let out = out.to_str().unwrap();
    let ids =
        ["hipv4-amdgcn-amd-amdhsa--gfx942", "hipv4-amdgcn-amd-amdhsa--gfx942:xnack+", "host-x86_64-unknown-linux--"];
    let [first, second, host] = ids;
    let file = bundle(&[(host, b""), (first, &faulty), (second, &clean)]);
    run(&["lint", "--fix", "-o", out, "-"], &file).ok();
    let fixed = std::fs::read(out).unwrap();
    let alone = directory.join("alone");
    run(&["lint", "--fix", "-o", alone.to_str().unwrap(), object.to_str().unwrap()], b"").ok();
    let alone = std::fs::read(alone).unwrap();
    // The entries of the new bundle are the repaired object and the unchanged one.
    let find = |part: &[u8]| fixed.windows(part.len()).position(|window| window == part);
    assert!(find(&alone).is_some() && find(&clean).is_some());
    assert_eq!(run(&["lint", "-"], &fixed).ok().matches("error").count(), 0);
    // A compressed bundle becomes one that is not compressed.
    for method in [Method::Zstd, Method::Zlib] {
        let run = run(&["lint", "--fix", "-o", out, "-"], &compress(3, method, &file));
        assert!(run.code == Some(0) && run.err.contains("is written without compression"), "{}", run.err);
        assert!(std::fs::read(out).unwrap() == fixed);
    }
    // Code objects in offload binaries and archives are repaired, too.
    let binaries = [offload("amdgcn-amd-amdhsa", "gfx942", &faulty), offload("amdgcn-amd-amdhsa", "gfx942", &clean)];
    let padded = [binaries[1].clone(), vec![0; 8], binaries[0].clone()];
    let images = [("amdgcn-amd-amdhsa", "gfx942", &clean[..]), ("amdgcn-amd-amdhsa", "gfx942:xnack+", &faulty[..])];
    for other in [
        offload_v2(&images),
        binaries.concat(),
        padded.concat(),
        archive(&[("k.co", &faulty), ("l", b"a text"), ("a name of twenty.co", &clean)]),
    ] {
        run(&["lint", "--fix", "-o", out, "-"], &other).ok();
        let new = std::fs::read(out).unwrap();
        let ends_with = |part: &[u8]| new.windows(part.len()).any(|window| window == part);
        assert!(ends_with(&alone) && ends_with(&clean));
        assert_eq!(run(&["lint", "-"], &new).ok().matches("error").count(), 0);
    }
    // Code objects in a program for the host are not repaired.
    let message = run(&["lint", "--fix", "-o", out, "-"], &super::samples::host(file.clone())).fails(1);
    assert!(message.contains("in a bundle, an offload binary or an archive: take "), "{message}");
    // If nothing changes, the file stays the same.
    run(&["lint", "--fix", "-o", out, "-"], &bundle(&[(first, &clean)])).ok();
    assert_eq!(std::fs::read(out).unwrap(), bundle(&[(first, &clean)]));
}
