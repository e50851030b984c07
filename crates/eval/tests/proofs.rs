//! The changes that the library makes to an instruction keep its results: shorter and longer encodings, swapped
//! sources, cleared bits, other targets, and two operations in one instruction.

mod cases;
mod compare;
mod tally;
pub mod values;

use amdgpu_eval::Evaluator;
use amdgpu_isa::convert::Form;
use amdgpu_isa::{Access, Field, Inst, Target, parse};

use cases::{cases, duals, instructions, with_ignored_bits};
use compare::{Nan, Terms, compare};
use tally::Tally;
use values::Rng;

/// The number of instructions that are made of each operation of each target, in hundredths.
const USUAL: usize = 6;

/// The terms of a comparison of an instruction with another that has to compute the same bits.
fn terms(inst: &Inst) -> Terms {
    // A wave of a vector instruction has different values in all lanes, so fewer waves are enough.
    let waves = if inst.format().is_vector_alu() { 2 } else { 16 };
    Terms { nan: Nan::Exact, flushes: false, waves }
}

/// Compares instructions of all targets with the results of `other`, which changes an instruction.
fn prove(what: &str, nan: Nan, other: impl Fn(&Inst, &mut Rng) -> Option<Inst>) {
    let (mut tally, mut evaluator, mut rng) = (Tally::default(), Evaluator::default(), Rng(1));
    for &target in Target::ALL {
        for inst in instructions(target, cases(USUAL), &mut rng) {
            let Some(other) = other(&inst, &mut rng).filter(|other| *other != inst) else { continue };
            let pair: [&[Inst]; 2] = [&[inst], &[other]];
            let outcome = compare(&mut evaluator, pair, &Terms { nan, ..terms(&inst) }, &mut rng);
            tally.count(outcome, pair, "");
        }
    }
    tally.finish(what);
}

#[test]
fn instructions_with_swapped_sources_compute_the_same() {
    // Few short encodings can have the first source in the place of the second, so longer ones are tried, too.
    let swapped = |inst: &Inst| inst.commuted().or_else(|_| inst.expand()?.commuted()).ok();
    prove("swapped sources", Nan::Any, |inst, _| swapped(inst));
}

#[test]
fn shortest_encodings_compute_the_same() {
    prove("shortest", Nan::Exact, |inst, _| inst.shrink().ok());
}

#[test]
fn long_encodings_compute_the_same() {
    prove("long", Nan::Exact, |inst, _| inst.expand().ok());
}

#[test]
fn other_encodings_compute_the_same() {
    prove("other encodings", Nan::Exact, |inst, rng| {
        let forms: Vec<Form> = inst.opcode().forms(inst.target()).collect();
        let form = rng.choose(&forms);
        inst.reencode(form.format, form.extension).ok()
    });
}

/// The evaluator clears ignored bits first, so this tests that an instruction stays the same if they are cleared.
#[test]
fn ignored_bits_change_nothing() {
    prove("ignored bits", Nan::Exact, with_ignored_bits);
}

/// Whether one target clears the other half of the register of a 16-bit result and the other one keeps it, although the
/// tables say that both keep it: the tables follow LLVM for GFX9, and the evaluator follows AMD
/// (docs/manual-errata.md).
fn half_is_unsure(clears: &Inst, keeps: &Inst) -> bool {
    let is_kept = |inst: &Inst| inst.operands().any(|operand| operand.access == Access::ReadWrite);
    !clears.target().keeps_halves() && keeps.target().keeps_halves() && is_kept(clears)
}

#[test]
fn other_targets_compute_the_same() {
    let (mut tally, mut evaluator, mut rng) = (Tally::default(), Evaluator::default(), Rng(2));
    for &target in Target::ALL {
        let others = Target::ALL.iter().copied().filter(|t| *t != target && t.wave_size() == target.wave_size());
        let others: Vec<Target> = others.collect();
        for inst in instructions(target, cases(USUAL), &mut rng) {
            let to = rng.choose(&others);
            let Ok(other) = inst.retarget(to) else { continue };
            if half_is_unsure(&inst, &other) || half_is_unsure(&other, &inst) {
                continue;
            }
            let pair: [&[Inst]; 2] = [&[inst], &[other]];
            // On some targets the output modifier works only in a mode that flushes denormals, and on others in all
            // modes.
            let flushes = target.omod_flushes() != to.omod_flushes() && inst.get(Field::Omod).unwrap_or(0) != 0;
            let outcome = compare(&mut evaluator, pair, &Terms { flushes, ..terms(&inst) }, &mut rng);
            tally.count(outcome, pair, &differences([target, to]));
        }
    }
    tally.finish("other targets");
}

/// A property of the arithmetic of a target.
type Rule = fn(Target) -> bool;

/// The names of the properties in which the arithmetic of two targets differs.
fn differences([from, to]: [Target; 2]) -> String {
    let all: [(&str, Rule); 3] =
        [("halves", Target::keeps_halves), ("fnuz", Target::has_fnuz), ("omod", Target::omod_flushes)];
    let names: Vec<&str> = all.into_iter().filter(|(_, has)| has(from) != has(to)).map(|(name, _)| name).collect();
    names.join(" ")
}

#[test]
fn dual_instructions_are_their_two_operations() {
    let (mut tally, mut evaluator, mut rng) = (Tally::default(), Evaluator::default(), Rng(3));
    for &target in Target::ALL {
        for inst in duals(target, 40 * cases(USUAL), &mut rng) {
            let Some(two) = halves(&inst) else { continue };
            let pair: [&[Inst]; 2] = [&[inst], &two];
            tally.count(compare(&mut evaluator, pair, &terms(&inst), &mut rng), pair, "");
        }
    }
    tally.finish("dual");
}

/// The two operations of a dual instruction as instructions, if the second one does not read what the first one writes.
fn halves(inst: &Inst) -> Option<[Inst; 2]> {
    inst.second_opcode()?;
    let text = inst.to_string();
    let (first, second) = text.split_once("::")?;
    let alone = |text: &str| parse(inst.target(), &text.trim().replacen("v_dual_", "v_", 1)).ok();
    let (first, second) = (alone(first)?, alone(second)?);
    (!second.reads().intersects(&first.writes())).then_some([first, second])
}
