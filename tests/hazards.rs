//! The shortest programs that break each rule about distances, with an increasing distance between the two
//! instructions.
#![cfg(feature = "text")]

mod compiled;
mod programs;
mod sequences;

use amdgpu_isa::hazards::{Hazards, Modes, Need, Rule, Unit};
use amdgpu_isa::{Inst, Reg, Target, parse};
pub use programs::machine_ir;
use programs::{Distances, EVENT, Program, programs};

/// Rows for which the library has no rule, or a rule of another kind, each with its reason.
const OTHERS: &str = include_str!("hazards/others.txt");

/// The rule in `isa/` for a row. Rows for several numbers of passes have one rule in `isa/`.
fn rule_of(row: &str) -> &str {
    let rule = row.split_once("-P").map_or(row, |(rule, _)| rule);
    match rule {
        // `isa/` has one rule for the rows M01 and M13, and one for M60 and M61.
        "M13" => "M01",
        "M61" => "M60",
        rule => rule,
    }
}

/// The distances between producer and consumer that all rules of the unit together need, and that this rule needs;
/// `EVENT` if no distance is enough.
fn measure(mut hazards: Hazards, [producer, consumer]: &[Inst; 2], unit: Unit, rule: &str) -> (u8, u8) {
    let filler = if unit == Unit::Valu { "v_nop" } else { "s_nop 0" };
    let filler = parse(producer.target(), filler).unwrap();
    hazards.issue(producer);
    let mut enough = (EVENT, EVENT);
    for between in 0..=80 {
        let (mut any, mut this) = (false, false);
        hazards.each(consumer, |need: Need| {
            // The filler itself can break a rule, as any instruction can.
            if need.producer != *producer && unit != Unit::Event {
                return;
            }
            let same = need.rule.id().trim_end_matches(|c: char| c.is_ascii_lowercase()) == rule;
            any |= need.rule.unit() == unit;
            this |= need.rule.unit() == unit && same;
        });
        enough = (if any { EVENT } else { enough.0.min(between) }, if this { EVENT } else { enough.1.min(between) });
        hazards.issue(&filler);
    }
    enough
}

/// The unit of a rule; `None` if there is no such rule.
fn unit_of(rule: &str, target: &str) -> Option<Unit> {
    let rules = Rule::all();
    let mut units =
        rules.filter(|r| r.id().trim_end_matches(|c: char| c.is_ascii_lowercase()) == rule).map(|r| r.unit());
    let first = units.next()?;
    // From RDNA3 on, a v_nop is enough before v_permlane.
    Some(if rule == "T04" && target >= "gfx11" { Unit::Valu } else { first })
}

/// An instruction needs nothing because of a preceding one if the two are of different targets.
#[test]
fn another_target_needs_nothing() {
    let (Ok(here), Ok(there)) = ("gfx90a".parse::<Target>(), "gfx942".parse::<Target>()) else { return };
    let [producer, consumer] = ["v_readfirstlane_b32 s4, v0", "v_readlane_b32 s0, v1, s4"];
    let needs = |target: Target| {
        let mut hazards = Hazards::new(here);
        hazards.issue(&parse(here, producer).unwrap());
        let mut count = 0;
        hazards.each(&parse(target, consumer).unwrap(), |_| count += 1);
        count
    };
    assert!(needs(here) > 0);
    assert_eq!(needs(there), 0);
}

/// A wait for translations ends the rules about addresses and data that memory instructions still read: nothing has to
/// wait until all is idle.
#[test]
fn a_wait_for_translations_is_enough() {
    let Ok(target) = "gfx1250".parse::<Target>() else { return };
    let mut hazards = Hazards::strict(target);
    hazards.issue(&parse(target, "global_store_b32 v2, v4, s[0:1]").unwrap());
    let enders = |text: &str| hazards.enders(&parse(target, text).unwrap()).map(|inst| inst.to_string());
    assert_eq!(enders("v_mov_b32_e32 v4, 0").next().as_deref(), Some("s_wait_xcnt 0x0"));
    assert_eq!(enders("s_mov_b32 s0, 0").next().as_deref(), Some("s_wait_xcnt 0x0"));
}

/// `==` ends a search over loops: if it were too strict, the search would not end, and if it were too lax, the search
/// would miss a need.
#[test]
fn equal_states_need_the_same_and_all_become_equal() {
    for program in programs(&Distances::read().targets) {
        let Ok(target) = program.target.parse::<Target>() else { continue };
        let Ok([producer, consumer]) = program.instructions(target) else { continue };
        let filler = parse(target, "v_nop").unwrap();
        let mut hazards = Hazards::new(target);
        hazards.issue(&producer);
        for between in 0..=80 {
            let before = hazards;
            hazards.issue(&filler);
            let is_same = before == hazards;
            assert!(is_same || between < 80, "{target}: {producer} and ever more");
            assert!(
                !is_same || before.needs(&consumer) == hazards.needs(&consumer),
                "{target}: {producer}; {consumer}"
            );
        }
        // An old producer does not hide a new one of the same kind.
        let mut again = Hazards::new(target);
        for hazards in [&mut hazards, &mut again] {
            hazards.issue(&producer);
        }
        assert_eq!(hazards.needs(&consumer), again.needs(&consumer), "{target}: {producer}, twice; {consumer}");
    }
}

#[test]
fn each_distance_is_needed_and_enough() {
    let distances = Distances::read();
    let mut wrong = Vec::new();
    let mut tested = 0;
    for program in programs(&distances.targets) {
        let Ok(target) = program.target.parse::<Target>() else { continue };
        let Program { rule, producer, consumer, .. } = program;
        let instructions = match program.instructions(target) {
            Ok(instructions) => instructions,
            Err(error) => {
                wrong.push(error);
                continue;
            }
        };
        let (agreed, most) = distances.of(rule, program.target);
        let Some(unit) = unit_of(rule_of(rule), program.target) else {
            wrong.push(format!("there is no rule {rule}"));
            continue;
        };
        // The number of vector operations that end a hazard: one before v_permlane on RDNA3, and six for the rule U01.
        let number = |distance| match (distance, unit, rule) {
            (EVENT, Unit::Valu, "U01") => 6,
            (EVENT, Unit::Valu, _) => 1,
            (distance, ..) => distance,
        };
        for (hazards, expected) in [(Hazards::new(target), number(agreed)), (Hazards::strict(target), number(most))] {
            // Another rule may demand more, or exactly this distance instead of the rule of the row.
            let found = measure(hazards, &instructions, unit, rule_of(rule));
            if found.0 != expected && !(found.0 > expected && found.1 == expected) {
                wrong.push(format!("{rule} {target}: {found:?} instead of {expected}: {producer}; {consumer}"));
            }
        }
        tested += 1;
    }
    assert!(wrong.is_empty(), "{} of {tested}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(tested > 0);
}

#[test]
fn each_row_has_a_program_or_a_reason() {
    let distances = Distances::read();
    let programs = programs(&distances.targets);
    let reason = |row: &str, target: &str| {
        OTHERS.lines().filter(|line| !line.starts_with('#')).any(|line| {
            let (place, reason) = line.split_once(": ").unwrap();
            let (id, only) = place.split_once(' ').unwrap_or((place, target));
            assert!(!reason.is_empty());
            id == row && only.split(' ').any(|t| t == target)
        })
    };
    let lacks = |(row, target): &(&str, &str)| {
        !programs.iter().any(|p| p.rule == *row && p.target == *target) && !reason(row, target)
    };
    let missing: Vec<_> = distances.all().filter(lacks).collect();
    assert!(missing.is_empty(), "no program for {missing:?}");
}

/// The instructions that LLVM's pass inserts between the two of each program: wait states, vector operations, others.
#[cfg(feature = "text")]
fn inserted(target: &str, programs: &[(&str, &str)]) -> Vec<(u8, u8, u8)> {
    let functions = programs.iter().enumerate().map(|(n, (producer, consumer))| {
        format!("---\nname: f{n}\nbody: |\n  bb.0:\n    {producer}\n    {consumer}\n    S_ENDPGM 0\n...\n")
    });
    let file = std::env::temp_dir().join(format!("hazards-{target}-{}.mir", std::process::id()));
    std::fs::write(&file, functions.collect::<String>()).unwrap();
    let mut llc = std::process::Command::new("llc-22");
    let llc = llc.args(["-mtriple=amdgcn", "-run-pass=post-RA-hazard-rec", "-o", "-"]);
    let output = llc.arg(format!("-mcpu={target}")).arg(&file).output().expect("llc-22 of LLVM 22 is needed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_file(&file).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let bodies = text.split("\nname: ").skip(1).map(|function| function.split_once("body: ").unwrap().1);
    let count = |body: &str| {
        let lines: Vec<&str> = body.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let end = lines.iter().position(|line| line.starts_with("S_ENDPGM")).unwrap();
        // The lines after `bb.0:` and the producer, up to the consumer.
        let start = lines.iter().position(|line| line.starts_with("bb.0")).unwrap() + 2;
        lines[start..end - 1].iter().fold((0, 0, 0), |(states, valu, others), line| {
            match line.split_once(' ').unwrap_or((line, "0")) {
                ("S_NOP", n) => (states + n.parse::<u8>().unwrap() + 1, valu, others),
                ("V_NOP_e32", _) => (states, valu + 1, others),
                _ => (states, valu, others + 1),
            }
        })
    };
    bodies.map(count).collect()
}

/// The programs of a target, each instruction as text and as LLVM's machine IR.
#[cfg(feature = "all-targets")]
pub fn with_machine_ir(target: &'static str) -> Vec<Vec<(String, String)>> {
    let mir = machine_ir(include_str!("hazards/mir.txt"));
    let of = |text: &'static str| Some((text.to_string(), mir.get(&(target, text))?.to_string()));
    let all = programs(&Distances::read().targets);
    let pairs = all.iter().filter(|program| program.target == target);
    let pairs = pairs.filter_map(|program| Some(vec![of(program.producer)?, of(program.consumer)?]));
    pairs.chain(sequences::with_machine_ir(target)).collect()
}

#[test]
fn llvm_inserts_the_same() {
    let distances = Distances::read();
    let mir = machine_ir(include_str!("hazards/mir.txt"));
    let known = include_str!("hazards/llvm-differences.txt").lines().filter(|line| !line.starts_with('#'));
    let known: Vec<(&str, &str)> =
        known.map(|line| line.split_once(": ").expect("a difference has a reason")).collect();
    let (mut wrong, mut used) = (Vec::new(), std::collections::BTreeSet::new());
    let mut compared = 0;
    let all = programs(&distances.targets);
    for name in &distances.targets {
        let Ok(target) = name.parse::<Target>() else { continue };
        let mine = || all.iter().filter(|p| p.target == *name);
        let ir = |text| *mir.get(&(*name, text)).unwrap_or_else(|| panic!("{name}: mir.txt lacks {text}"));
        let pairs: Vec<(&str, &str)> = mine().map(|p| (ir(p.producer), ir(p.consumer))).collect();
        let found = inserted(name, &pairs);
        assert_eq!(found.len(), pairs.len());
        for (program, (states, valu, others)) in mine().zip(found) {
            let Ok(instructions) = program.instructions(target) else { continue };
            let ours = |unit| measure(Hazards::new(target), &instructions, unit, "").0;
            let ours = (ours(Unit::States), ours(Unit::Valu), u8::from(ours(Unit::Event) == EVENT));
            compared += 1;
            if ours == (states, valu, others.min(1)) {
                continue;
            }
            let place = format!("{} {name} {ours:?} {:?}", program.rule, (states, valu, others.min(1)));
            let is_known = known.iter().position(|(line, _)| {
                let (rule, rest) = line.split_once(' ').unwrap();
                let (targets, numbers) = rest.split_once(" (").unwrap();
                rule == program.rule
                    && targets.split(' ').any(|t| t == *name)
                    && format!("({numbers}") == format!("{ours:?} {:?}", (states, valu, others.min(1)))
            });
            match is_known {
                Some(n) => {
                    used.insert(n);
                }
                None => wrong.push(format!("{place}: {}; {}", program.producer, program.consumer)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 0);
    if distances.targets.iter().all(|name| name.parse::<Target>().is_ok()) {
        assert_eq!(used.len(), known.len(), "a line of llvm-differences.txt no longer holds");
    }
}

/// The needs of the last of several instructions, by unit; `None` if the target is not in the build.
fn after(start: fn(Target) -> Hazards, target: &str, texts: &[&str]) -> Option<[u8; 3]> {
    let target: Target = target.parse().ok()?;
    let mut hazards = start(target);
    let insts: Vec<Inst> =
        texts.iter().map(|text| parse(target, text).unwrap_or_else(|e| panic!("{text}: {e}"))).collect();
    let (last, before) = insts.split_last()?;
    before.iter().for_each(|inst| hazards.issue(inst));
    let needs = hazards.needs(last);
    Some([needs.states, needs.valu, needs.event].map(|need| need.map_or(0, |need| need.missing)))
}

#[track_caller]
fn check(target: &str, texts: &[&str], expected: [u8; 3]) {
    if let Some(needs) = after(Hazards::new, target, texts) {
        assert_eq!(needs, expected, "{target}: {texts:?}");
    }
}

#[track_caller]
fn strictly(target: &str, texts: &[&str], expected: [u8; 3]) {
    if let Some(needs) = after(Hazards::strict, target, texts) {
        assert_eq!(needs, expected, "{target}: {texts:?}");
    }
}

/// A need that is only a caution belongs to another rule than the need that is sure.
#[test]
fn cautions_say_why() {
    let rules = |target: &str, texts: &[&str]| {
        let target: Target = target.parse().ok()?;
        let (mut hazards, mut rules) = (Hazards::new(target), Vec::new());
        for text in texts {
            let inst = parse(target, text).unwrap();
            rules.clear();
            hazards.each(&inst, |need| rules.push((need.rule.id(), need.rule.caution().is_some())));
            hazards.issue(&inst);
        }
        Some(rules)
    };
    let check = |target, texts: &[&str], expected| {
        assert!(rules(target, texts).is_none_or(|found| found == [expected]), "{:?}", rules(target, texts));
    };
    let (write, read) = ("v_readfirstlane_b32 s4, v0", "v_add_u32_e32 v1, s4, v2");
    check("gfx942", &[write, read], ("C01", false));
    check("gfx942", &[write, "s_mov_b32 s5, s9", read], ("C01", false));
    check("gfx942", &[write, "s_mov_b32 s4, s9", read], ("C01s", true));
    let mov = "v_mov_b32_e32 v0, v1";
    check("gfx942", &[mov, "v_add_f32_dpp v2, v0, v3 row_shr:1 row_mask:0xf bank_mask:0xf"], ("F06", false));
    check("gfx942", &[mov, "v_add_f32_dpp v2, v3, v0 row_shr:1 row_mask:0xf bank_mask:0xf"], ("F06s", true));
    check("gfx900", &["s_mov_b32 m0, s0", "ds_read_addtid_b32 v1"], ("F14", true));
}

#[test]
fn rules_about_three() {
    let (mov, load) = ("v_mov_b32_e32 v2, v1", "global_load_dword v4, v2, s[0:1]");
    // The rule M15.
    check("gfx908", &[mov, load], [0, 0, 0]);
    check("gfx908", &[mov, "v_accvgpr_write_b32 a0, v9", load], [1, 0, 0]);
    check("gfx908", &[mov, "s_nop 0", "v_accvgpr_write_b32 a0, v9", load], [0, 0, 0]);
    check("gfx908", &["v_accvgpr_write_b32 a0, v9", mov, load], [0, 0, 0]);
    // The rule M67.
    let dgemm = "v_mfma_f64_4x4x4f64 v[10:11], v[12:13], v[14:15], v[10:11]";
    check("gfx90a", &[mov, dgemm, load], [1, 0, 0]);
    check("gfx90a", &[mov, dgemm, "s_nop 0", load], [0, 0, 0]);
    check("gfx90a", &[dgemm, mov, load], [0, 0, 0]);
    // The rule T05.
    let (lds, branch, wait) = ("ds_read_b32 v8, v9", "s_branch 0", "s_waitcnt_vscnt null, 0x0");
    check("gfx1010", &[lds, load], [0, 0, 0]);
    check("gfx1010", &[lds, branch, load], [0, 0, 1]);
    check("gfx1010", &[lds, branch, wait, load], [0, 0, 0]);
    check("gfx1010", &[load, branch, lds], [0, 0, 1]);
    check("gfx1010", &[lds, load, branch, load], [0, 0, 0]);
    check("gfx1010", &[lds, branch, lds, load], [0, 0, 0]);
    check("gfx1030", &[lds, branch, load], [0, 0, 0]);
    check("gfx1010", &[lds, wait, branch, load], [0, 0, 0]);
    check("gfx1010", &[lds, branch, "s_waitcnt_vscnt null, 0x1", load], [0, 0, 1]);
    check("gfx1010", &[lds, branch, "s_waitcnt vmcnt(0) lgkmcnt(0)", load], [0, 0, 1]);
    // LLVM counts flat instructions as vector memory, and Mesa does not. So flat instructions end this hazard, but only
    // strict rules count them as one of its two accesses.
    let flat = "flat_load_dword v4, v[2:3]";
    check("gfx1010", &[lds, flat, branch, load], [0, 0, 0]);
    check("gfx1010", &[lds, branch, flat, load], [0, 0, 0]);
    check("gfx1010", &[lds, branch, flat], [0, 0, 0]);
    strictly("gfx1010", &[lds, branch, flat], [0, 0, 1]);
    strictly("gfx1010", &[flat, branch, lds], [0, 0, 1]);
}

#[test]
fn fields_say_the_distance() {
    let (add, other) = ("v_add_f32_e32 v2, v3, v4", "v_add_f32_e32 v9, v8, v8");
    for (target, load, field) in
        [("gfx1100", "lds_direct_load", "wait_vdst"), ("gfx1200", "ds_direct_load", "wait_va_vdst")]
    {
        let load = |n: u8| format!("{load} v2 {field}:{n}");
        check(target, &[add, &load(0)], [0, 0, 0]);
        check(target, &[add, &load(3)], [0, 3, 0]);
        check(target, &[add, other, other, &load(3)], [0, 1, 0]);
        check(target, &[add, other, other, other, &load(3)], [0, 0, 0]);
        check(target, &[add, "v_exp_f32_e32 v9, v8", other, other, &load(3)], [0, 1, 0]);
        check(target, &[add, "ds_load_b32 v9, v8", &load(3)], [0, 0, 0]);
    }
}

#[test]
fn two_transcendental_operations_are_enough() {
    let (exp, read, other) = ("v_exp_f32_e32 v0, v1", "v_mov_b32_e32 v2, v0", "v_exp_f32_e32 v8, v9");
    check("gfx1100", &[exp, read], [0, 6, 0]);
    check("gfx1100", &[exp, other, read], [0, 5, 0]);
    check("gfx1100", &[exp, other, "v_exp_f32_e32 v6, v7", read], [0, 0, 0]);
    check("gfx1100", &[exp, "s_waitcnt_depctr 0xfff", read], [0, 0, 0]);
    check("gfx1150", &[exp, read], [0, 0, 0]);
}

#[test]
fn a_later_matrix_operation_replaces_an_earlier_one() {
    let (long, short) = (
        "v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]",
        "v_mfma_f32_4x4x4_16b_f16 v[0:3], v[8:9], v[10:11], v[0:3]",
    );
    let store = "global_store_dwordx4 v12, v[0:3], s[0:1]";
    check("gfx942", &[long, store], [7, 0, 0]);
    check("gfx942", &[long, short, store], [5, 0, 0]);
}

#[test]
fn registers_near_vector_operations() {
    let (read, write) = ("v_add_f32_e32 v0, s4, v1", "s_mov_b32 s5, s9");
    check("gfx1200", &[read, write, "s_mov_b32 s0, s5"], [0, 0, 1]);
    check("gfx1200", &[read, write, "v_add_f32_e32 v0, s5, v1"], [0, 0, 1]);
    check("gfx1200", &[read, write, "s_wait_alu 0xfffe", "s_mov_b32 s0, s5"], [0, 0, 0]);
    check("gfx1200", &[read, "s_mov_b32 s6, s9", "s_mov_b32 s0, s6"], [0, 0, 0]);
    let write = "v_readfirstlane_b32 s4, v3";
    check("gfx1200", &[read, write, "v_add_f32_e32 v0, s4, v1"], [0, 0, 1]);
    check("gfx1200", &[read, write, "s_wait_alu 0xf1ff", "v_add_f32_e32 v0, s4, v1"], [0, 0, 0]);
    check("gfx1200", &[read, write, "s_mov_b32 s0, s4"], [0, 0, 0]);
    let (read, write) = ("v_cndmask_b32_e32 v0, v1, v2, vcc_lo", "v_cmp_eq_u32_e32 vcc_lo, v0, v1");
    check("gfx1200", &[read, write, read], [0, 0, 1]);
    check("gfx1200", &[read, write, "s_wait_alu 0xfffd", read], [0, 0, 0]);
    check("gfx1150", &[read, write, read], [0, 0, 0]);
}

#[test]
fn the_state_is_read_when_all_is_idle() {
    let (mov, read) = ("s_mov_b32 s2, s3", "s_getreg_b32 s1, hwreg(HW_REG_WAVE_STATE_PRIV)");
    check("gfx1250", &[mov, read], [0, 0, 1]);
    check("gfx1250", &[mov, "s_wait_alu 0x0", read], [0, 0, 0]);
    check("gfx1250", &[mov, "s_wait_idle", read], [0, 0, 0]);
    check("gfx1250", &[mov, "s_wait_alu 0xfffe", read], [0, 0, 1]);
    check("gfx1250", &["s_wait_idle", mov, read], [0, 0, 1]);
}

/// On CDNA5 every instruction is a producer of some rules. A state keeps only the latest of the producers that such a
/// rule cannot tell apart, so even many scalar operations leave room for other producers.
#[test]
fn the_latest_of_producers_that_are_alike_stands_for_all() {
    for &target in Target::ALL {
        let mut hazards = Hazards::new(target);
        for n in 0..100 {
            hazards.issue(&parse(target, &format!("s_mov_b32 s{n}, 0")).unwrap());
            assert!(!hazards.is_incomplete(), "{target}, after {n} operations");
        }
    }
    let (first, second) = ("s_mov_b32 s2, 0", "s_mov_b32 s3, 0");
    let Ok(target) = "gfx1250".parse::<Target>() else { return };
    let mode = parse(target, "s_setreg_b32 hwreg(HW_REG_WAVE_MODE), s1").unwrap();
    let mut hazards = Hazards::strict(target);
    [first, second].iter().for_each(|text| hazards.issue(&parse(target, text).unwrap()));
    let need = hazards.needs(&mode).valu.expect("two v_nop are missing");
    assert_eq!((need.missing, need.producer.to_string()), (2, second.to_string()));
}

/// Joining takes the worst of both states, in any order, and converges. A producer for which a state has no room makes
/// the state incomplete.
#[test]
fn states_join() {
    let Ok(target) = "gfx942".parse::<Target>() else { return };
    let inst = |text: &str| parse(target, text).unwrap();
    let state = |texts: &[String]| {
        let mut hazards = Hazards::new(target);
        texts.iter().for_each(|text| hazards.issue(&inst(text)));
        hazards
    };
    let load = inst("global_load_dword v1, v2, s[4:5]");
    let write = |n: usize| format!("v_readfirstlane_b32 s{n}, v0");
    let (near, far) = (state(&[write(4)]), state(&[write(4), "s_nop 2".into()]));
    let missing = |hazards: &Hazards| hazards.needs(&load).states.map_or(0, |need| need.missing);
    assert_eq!((missing(&near), missing(&far)), (5, 2));
    let (mut one, mut other) = (near, far);
    assert!(!one.join(&far) && one == near);
    assert!(other.join(&near) && other == near);
    assert!(!other.join(&near));
    // There are more paths than the state has room for.
    let mut all = Hazards::new(target);
    for n in 10..10 + 2 * Hazards::MOST {
        let changed = all.join(&state(&[write(n)]));
        assert!(changed || n >= 10 + Hazards::MOST);
    }
    assert!(all.is_incomplete());
    assert_eq!(missing(&all), 0, "nothing is reported that may not be");
    let mut inserted = 0;
    all.clone().protect(&load, |inst| inserted += u32::from(*inst != load)).unwrap();
    assert_eq!(inserted, 1, "who inserts waits too much");
    let mut again = all;
    for n in 10..10 + 2 * Hazards::MOST {
        assert!(!again.join(&state(&[write(n)])), "{n}");
    }
    assert_eq!(again, all);
    (0..5).for_each(|_| all.issue(&inst("s_nop 0")));
    assert_eq!((missing(&all), all), (0, Hazards::new(target)));
}

/// The instructions that `protect` inserts are enough, and one fewer is not.
#[test]
fn protected_programs_need_nothing() {
    let distances = Distances::read();
    let mut protected = 0;
    for program in programs(&distances.targets) {
        let Ok(target) = program.target.parse::<Target>() else { continue };
        let [producer, consumer] = program.instructions(target).unwrap();
        for start in [Hazards::new(target), Hazards::strict(target)] {
            let (mut hazards, mut code) = (start, Vec::new());
            hazards.protect(&producer, |inst| code.push(*inst)).unwrap();
            if let Err(need) = hazards.protect(&consumer, |inst| code.push(*inst)) {
                panic!("{} {target}: {producer}; {consumer}: {need:?}", program.rule);
            }
            protected += 1;
            let broken = |code: &[Inst]| {
                let mut hazards = start;
                code.iter().any(|inst| {
                    let broken = !hazards.needs(inst).is_empty();
                    hazards.issue(inst);
                    broken
                })
            };
            assert!(!broken(&code), "{} {target}: {code:?}", program.rule);
            if code.len() > 2 {
                let mut shorter = code.clone();
                let last = shorter.len() - 2;
                match shorter[last].get(amdgpu_isa::Field::Simm16).filter(|_| shorter[last].mnemonic() == "s_nop") {
                    None | Some(0) => drop(shorter.remove(last)),
                    Some(n) => shorter[last] = parse(target, &format!("s_nop {}", n - 1)).unwrap(),
                }
                assert!(broken(&shorter), "{} {target}: {shorter:?}", program.rule);
            }
        }
    }
    assert!(protected > 0);
}

/// Compilers keep the distances: all errors in compiled code are known faults, which `hazards/faults.txt` lists. Set
/// `AMDGPU_ISA_CORPUS` to check the objects below another directory, too.
#[test]
fn compiled_code_has_no_hazards() {
    let mut roots = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")];
    roots.extend(std::env::var_os("AMDGPU_ISA_CORPUS").map(Into::into));
    let objects = roots.iter().flat_map(|root| compiled::objects(root));
    let mut found = std::collections::BTreeMap::new();
    for path in objects {
        // The samples run with and without XNACK.
        let start = |target| Hazards::new(target).with(Modes { xnack: None, ..Modes::NEITHER });
        for (offset, inst, need) in compiled::errors(&path, start) {
            let register = need.register.map_or(String::new(), |register| match register {
                Reg::Special(special) => special.name().into(),
                other => format!("{other:?}").to_lowercase().replace("gpr(", ""),
            });
            if amdgpu_prove::known::is_fault(
                include_str!("hazards/faults.txt"),
                need.rule.id(),
                &register,
                &inst.to_string(),
            ) {
                continue;
            }
            let name = path.strip_prefix(path.parent().unwrap().parent().unwrap()).unwrap().display().to_string();
            let (count, _) = found.entry((need.rule.id(), inst.target().name())).or_insert((0, String::new()));
            *count += 1;
            if *count == 1 {
                let text = format!("{name} {offset:#x}: {inst}, {} missing after {}", need.missing, need.producer);
                found.get_mut(&(need.rule.id(), inst.target().name())).unwrap().1 = text;
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

/// The texts of a rule are complete: a sentence without a full stop, the instructions that end the hazard, and a
/// distance.
#[test]
fn rules_can_be_listed() {
    for target in Target::ALL {
        let rules: Vec<Rule> = Rule::of(*target).collect();
        assert!(rules.windows(2).all(|both| both[0] < both[1]), "{target}: in order, each once");
        for rule in rules {
            let (text, ends) = (rule.text(), rule.ends());
            let starts = text.starts_with(char::is_uppercase) || text.starts_with("s_") || text.starts_with("v_");
            assert!(starts && !text.ends_with('.') && !text.contains(". "), "{text}");
            assert!(rule.note().is_empty() || rule.note().ends_with('.'), "{}", rule.note());
            assert!(!ends.contains("simm16") && !ends.contains("upto") && !ends.contains('&'), "{ends}");
            let distance = rule.distance(*target);
            assert_eq!(distance.is_none(), rule.unit() == Unit::Event, "{rule:?}");
            assert!(distance.is_some() || !ends.is_empty(), "{rule:?}: nothing ends it");
            assert!(distance.is_none_or(|distance| distance.strict(16) > 0 || distance.strict(2) > 0), "{rule:?}");
            let strict_without = |other: &&Target| rule.is_strict(**other) && !Rule::of(**other).any(|of| of == rule);
            assert_eq!(Target::ALL.iter().find(strict_without), None, "{rule:?}");
        }
    }
    let ends = |target: &str, id: &str| {
        let target: Target = target.parse().ok()?;
        Some(Rule::of(target).find(|rule| rule.id() == id)?.ends())
    };
    let expected = "a vector operation, s_waitcnt 0, s_waitcnt_depctr vm_vsrc(0) or s_waitcnt_vscnt null, 0";
    assert!(ends("gfx1010", "T01w").is_none_or(|found| found == expected));
    assert!(ends("gfx1200", "W03").is_none_or(|found| found.starts_with("s_wait_alu depctr_sa_sdst(0), ")));
    let distance = |target: &str, id: &str| {
        let target: Target = target.parse().ok()?;
        Some(Rule::of(target).find(|rule| rule.id() == id)?.distance(target)?.to_string())
    };
    for (id, expected) in
        [("F01", "5"), ("M36", "passes + 3"), ("C02", "0 (2 if strict)"), ("M30", "2 with 2 passes, 0 with more")]
    {
        assert!(distance("gfx942", id).is_none_or(|found| found == expected), "{id} {:?}", distance("gfx942", id));
    }
    assert!(distance("gfx950", "M37").is_none_or(|found| found == "5 with 2 passes, passes + 4 with more"));
}
