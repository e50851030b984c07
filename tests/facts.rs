//! facts
#![cfg(all(feature = "all-targets", feature = "text"))]

#[path = "words/mod.rs"]
mod words;

use amdgpu_isa::{Field, Format, Inst, Target};
use std::fmt::Write;
use words::{Filling, Rng, attempt, encodings, layout, legal, repair};

/// An instruction of every operation in every form that facts can depend on, and what the form is called.
fn all(target: Target) -> Vec<(String, Inst)> {
    let mut rng = Rng(1);
    let mut found = Vec::new();
    for (format, number, opcode) in encodings(target) {
        let tries = legal(target, (format, number, opcode), 40, &mut rng);
        let inst = *tries.iter().find(|i| i.check().is_ok()).unwrap_or(&tries[0]);
        // LLVM wants as many components as an atomic has data.
        let double = inst.operands().next().is_some_and(|data| data.bits == 64);
        let inst = inst.with(Field::Dmask, if double { 3 } else { 1 }).unwrap_or(inst);
        let mut add = |form: &str, inst: Inst| found.push((format!("{format}{form} {opcode}"), inst));
        add("", inst);
        // Bits that make another access of it.
        for field in [Field::Lds, Field::Gds] {
            if let Ok(other) = inst.with(field, 1) {
                add(&format!(".{field}"), other);
            }
        }
        let base = layout(target, format);
        for behind in base.extends.iter().filter(|e| e.2 != Format::Literal) {
            let tries = (0..40).map(|n| if n == 0 { Filling::Zero } else { Filling::Typical });
            let made = tries.filter_map(|filling| {
                let mut words = attempt(target, base, number, Some(behind), filling, &mut rng);
                repair(target, &mut words, &mut rng)
            });
            let of_form = |i: &Inst| i.opcode() == opcode && i.extension() == Some(behind.2);
            if let Some(inst) = made.filter(of_form).next() {
                add(&format!("+{}", behind.2), inst);
            }
        }
    }
    found
}

/// What tests/facts/describe.sh asks LLVM about.
#[test]
#[ignore = "writes a file for tests/facts/describe.sh"]
fn words_for_llvm() {
    let mut text = String::new();
    for &target in Target::ALL {
        for (form, inst) in all(target) {
            let bytes: String = words::bytes(inst.words()).iter().map(|b| format!("{b:02x}")).collect();
            writeln!(text, "{form}\t{target}\t{bytes}\t{inst}").unwrap();
        }
    }
    std::fs::write(std::env::var("AMDGPU_ISA_FACTS").expect("the file's name"), text).unwrap();
}
