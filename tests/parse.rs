//! Text is the third inverse: what the library prints, it parses to the same words.
#![cfg(feature = "text")]

#[path = "llvm/assembler.rs"]
#[allow(dead_code)] // Another test compares what is printed.
mod assembler;
#[path = "parse/llvm.rs"]
mod llvm;
mod words;

use std::collections::BTreeMap;

use amdgpu_isa::{Field, Format, Inst, Target, parse};
use words::{Rng, encodings_to_try, legal};

/// What went wrong with a text, and examples.
#[derive(Default)]
struct Failures(BTreeMap<String, (usize, String)>);

impl Failures {
    fn add(&mut self, what: String, example: String) {
        self.0.entry(what).or_insert((0, example)).0 += 1;
    }

    fn report(&self) {
        for (what, (count, example)) in &self.0 {
            eprintln!("{count:7} {what}: {example}");
        }
        assert!(self.0.is_empty(), "{} texts in {} classes", self.0.values().map(|f| f.0).sum::<usize>(), self.0.len());
    }
}

/// Whether an operand code is an inline float.
fn is_inline_float(code: Option<u32>) -> bool {
    matches!(code, Some(240..=248))
}

/// Whether two instructions differ only in what the text does not show, which has no effect.
fn is_the_same(inst: &Inst, parsed: &Inst) -> bool {
    if parsed.opcode() != inst.opcode() {
        return false;
    }
    let differs = |field: &Field| inst.get(*field) != parsed.get(*field);
    let text = inst.to_string();
    if parsed.to_string() != text {
        // LLVM prints the lower half of a literal without `lit` although an inline constant has its value.
        let halves = [inst, parsed].map(|inst| inst.get(Field::Literal).map(|literal| literal >> 16));
        if matches!(halves, [Some(1..), None | Some(0)]) {
            return true;
        }
        // Two bit masks for the same permutation of lanes.
        let lanes = |inst: &Inst| inst.operands().map(|o| o.value).collect::<Vec<_>>();
        return inst.mnemonic() == "ds_swizzle_b32" && lanes(inst) == lanes(parsed);
    }
    // LLVM prints no suffix of an encoding for operations without operands.
    if text == "v_nop" || text == "v_clrexcp" || text == "v_pipeflush" {
        return true;
    }
    let mut fields: Vec<Field> = inst.fields().map(|held| held.info.field).filter(differs).collect();
    if !inst.is_canonical() {
        return true;
    }
    let mnemonic = inst.mnemonic();
    fields.retain(|field| match field {
        // Whether an atomic operation returns, where its hint is to all caches.
        Field::Th => !text.contains("th:TH_ATOMIC_CASCADE"),
        // The text does not show the field: `off`, no result, no second scalar.
        _ if inst.field_text(*field).to_string().is_empty() => false,
        // An assembler sets the bits of sources that the operation does not have.
        Field::OpSelHi => inst.field_text(*field).to_string() != parsed.field_text(*field).to_string(),
        // `off`, or the vcc of SDWA, whatever the field holds.
        Field::Vaddr | Field::Addr if text.contains(" off,") => false,
        Field::Sdst if inst.extension() == Some(Format::Sdwab) => false,
        // The half of a literal that a 16-bit operand does not read.
        Field::Literal => inst.get(Field::Literal).unwrap() as u16 != parsed.get(Field::Literal).unwrap() as u16,
        // Bits that belong to no part of the constant.
        Field::Simm16 | Field::Ssrc0 => {
            !(mnemonic.starts_with("s_waitcnt") || mnemonic.starts_with("s_sendmsg") || mnemonic == "s_delay_alu")
        }
        // The rotation of ds_swizzle has bits without a meaning.
        Field::Offset | Field::Offset0 | Field::Offset1 if text.contains("swizzle(") => false,
        // A register as the only offset is in either of two fields.
        Field::Offset => inst.format() != Format::Smem,
        // An integer source shows the bits of an inline float, which are a literal in text.
        Field::Src0 | Field::Src1 | Field::Src2 => {
            parsed.get(Field::Literal).is_none() || !is_inline_float(inst.get(*field))
        }
        _ => true,
    });
    fields.is_empty()
}

fn check(inst: &Inst, failures: &mut Failures) {
    let text = inst.to_string();
    let name = || format!("{} {:?}", inst.target(), inst.format());
    match (parse(inst.target(), &text), inst.check()) {
        (Ok(parsed), Ok(())) => {
            if parsed.words() != inst.words() && !is_the_same(inst, &parsed) {
                let words = format!("{text}: {:08x?} became {:08x?} {parsed}", inst.words(), parsed.words());
                failures.add(format!("{} differs", name()), words);
            }
        }
        (Err(_), Err(_)) => {}
        (Ok(parsed), Err(rule)) => {
            // The text shows an aligned tuple, whatever the words hold.
            if parsed.words() == inst.words() {
                failures.add(format!("{} accepted although {rule}", name()), text);
            }
        }
        (Err(error), Ok(())) => {
            let span = error.span.start as usize..error.span.end as usize;
            failures.add(format!("{} refused: {error}", name()), format!("{text} at {:?}", text.get(span)));
        }
    }
}

#[test]
fn what_is_printed_parses_to_the_same_words() {
    let count = std::env::var("AMDGPU_ISA_WORDS").map_or(8, |words| words.parse::<usize>().unwrap() / 1000 + 1);
    let mut rng = Rng(19);
    let mut failures = Failures::default();
    for &target in Target::ALL {
        for encoding in encodings_to_try(target) {
            legal(target, encoding, count, &mut rng).iter().for_each(|inst| check(inst, &mut failures));
        }
    }
    failures.report();
}
