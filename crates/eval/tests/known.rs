//! Every operation of every target has a formula or a sentence; operations of the ALU have formulas, but for a list.

use std::collections::BTreeMap;

use amdgpu_isa::meaning::Formula;
use amdgpu_isa::{Opcode, Target};

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

/// Operations of the vector ALU that have a sentence alone, by the beginnings of their names, and why.
const SENTENCES: &[(&str, &str)] = &[
    ("v_nop", "it computes nothing"),
    ("v_pipeflush", "it computes nothing"),
    ("v_clrexcp", "exceptions are not in the registers of a wave"),
    ("v_movrel", "the register that is meant is not one of the operands"),
    ("v_swaprel", "the register that is meant is not one of the operands"),
    ("v_screen_partition", "no manual says how the screen is cut"),
    ("v_interp_", "the data of attributes are in the LDS"),
    ("v_mfma_ld_scale_", "it goes with the instruction that follows"),
    ("v_wmma_ld_scale", "it goes with the instruction that follows"),
];

/// The format of the operation's shortest form, and whether it has statements.
fn formula_of(opcode: Opcode) -> Option<(amdgpu_isa::Format, bool)> {
    let target = Target::ALL.iter().copied().find(|&target| opcode.forms(target).next().is_some())?;
    let text = opcode.meaning(target)?;
    let form = opcode.forms(target).next()?;
    Some((form.format, !Formula::read(text).unwrap().statements.is_empty()))
}

/// Also prints how many operations of each format have statements, and how many a sentence alone.
#[test]
fn operations_of_the_alu_have_formulas() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut unused: Vec<&str> = SENTENCES.iter().map(|(name, _)| *name).collect();
    for &opcode in Opcode::ALL {
        let Some((format, has)) = formula_of(opcode) else { continue };
        let count = counts.entry(format.name()).or_default();
        *if has { &mut count.0 } else { &mut count.1 } += 1;
        if !has && format.is_vector_alu() {
            let known = SENTENCES.iter().find(|(name, _)| opcode.name().starts_with(name));
            let (name, _) = known.unwrap_or_else(|| panic!("{opcode} has only a sentence"));
            unused.retain(|other| other != name);
        }
    }
    for (format, (formulas, sentences)) in &counts {
        println!("{format}: {formulas} with a formula, {sentences} with a sentence");
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
