//! Every operation of every target has a formula or a sentence. Operations of the ALU have formulas, except for those
//! in a list.

use std::collections::BTreeMap;

use amdgpu_isa::meaning::Formula;
use amdgpu_isa::{Format, Opcode, Target};

#[test]
fn every_operation_says_what_it_computes() {
    let mut without = Vec::new();
    for &target in Target::ALL {
        for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.forms(target).next().is_some()) {
            if opcode.meaning(target).is_none() {
                without.push(format!("{target} {opcode}"));
            }
        }
    }
    assert!(without.is_empty(), "{} without: {:?}", without.len(), &without[..without.len().min(200)]);
}

/// Operations of the scalar and the vector ALU that have only a sentence, by the beginnings of their names, and the
/// reason.
const SENTENCES: &[(&str, &str)] = &[
    ("v_nop", "it computes nothing"),
    ("v_pipeflush", "it computes nothing"),
    ("s_version", "it computes nothing"),
    ("s_sleep_var", "it waits"),
    ("s_waitcnt_", "it waits"),
    ("s_barrier_", "barriers are not in the registers of a wave"),
    ("s_get_barrier_state", "barriers are not in the registers of a wave"),
    ("s_wakeup_barrier", "barriers are not in the registers of a wave"),
    ("s_sendmsg_rtn_", "the answer comes from outside"),
    ("s_alloc_vgpr", "the answer comes from outside"),
    ("s_get_shader_cycles", "the clock is outside"),
    ("s_getreg_", "hardware registers are not in the registers of a wave"),
    ("s_setreg_", "hardware registers are not in the registers of a wave"),
    ("s_mov_regrd", "no manual says what it does"),
    ("s_cbranch_", "the stack of forks is not in the registers of a wave"),
    ("s_subvector_loop_", "it branches, by the half of the wave that is on"),
    ("v_clrexcp", "exceptions are not in the registers of a wave"),
    ("v_mfma_ld_scale_", "it goes with the instruction that follows"),
    ("v_wmma_ld_scale", "it goes with the instruction that follows"),
];

/// The formats of the scalar ALU.
const SCALAR: [Format; 4] = [Format::Sop1, Format::Sop2, Format::Sopc, Format::Sopk];

/// The kinds of descriptions of an operation in the tables, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Said {
    Nothing,
    Sentence,
    Formula,
}

/// The format of an operation's first form, and the least description that it has on any target.
fn said(opcode: Opcode) -> Option<(Format, Said)> {
    let there = || Target::ALL.iter().copied().filter(|&target| opcode.forms(target).next().is_some());
    let format = opcode.forms(there().next()?).next()?.format;
    let on = |target| match opcode.meaning(target) {
        None => Said::Nothing,
        Some(text) if Formula::read(text).unwrap().statements.is_empty() => Said::Sentence,
        Some(_) => Said::Formula,
    };
    Some((format, there().map(on).min()?))
}

/// Prints how many operations of each format have a formula, how many only a sentence, and how many nothing.
#[test]
fn operations_of_the_alu_have_formulas() {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut unused: Vec<&str> = SENTENCES.iter().map(|(name, _)| *name).collect();
    for &opcode in Opcode::ALL {
        let Some((format, said)) = said(opcode) else { continue };
        counts.entry(format.name()).or_default()[said as usize] += 1;
        let is_alu = format.is_vector_alu() || SCALAR.contains(&format);
        if said != Said::Formula && is_alu {
            let known = SENTENCES.iter().find(|(name, _)| opcode.name().starts_with(name));
            let (name, _) = known.unwrap_or_else(|| panic!("{opcode} has only a sentence"));
            unused.retain(|other| other != name);
        }
    }
    println!("{:12}{:>8}{:>10}{:>8}", "format", "formula", "sentence", "nothing");
    for (format, [nothing, sentences, formulas]) in &counts {
        println!("{format:12}{formulas:8}{sentences:10}{nothing:8}");
    }
    assert!(unused.is_empty(), "every operation has a formula: {unused:?}");
}

#[test]
fn texts_that_are_too_deep_or_too_long_are_no_formulas() {
    let refused = |text: String| Formula::read(&text).unwrap_err().to_string();
    for opened in ["(", "-", "S0@", "S0["] {
        assert_eq!(refused(format!("D = {}", opened.repeat(100))), "nested deeper than 40", "{opened}");
    }
    assert_eq!(refused(format!("D = 1{}", " + 1".repeat(100_000))), "longer than 1000 words");
}
