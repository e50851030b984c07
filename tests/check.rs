//! `Inst::check` refuses what LLVM's assembler refuses by the rules that it knows, and nothing else: on random operands of
//! every operation of every target, both ways. LLVM's assembler is `llvm-mc-22`.
//!
//! A misaligned tuple of scalar registers cannot be asked for, since its text names the aligned one.
#![cfg(all(feature = "all-targets", feature = "text"))]

#[path = "llvm/assembler.rs"]
#[allow(dead_code)] // Another test uses the rest.
mod assembler;
#[path = "words/mod.rs"]
mod words;

use std::collections::BTreeMap;

use amdgpu_isa::{Field, Format, Inst, RuleError, Target, Value};
use words::{Rng, encodings, legal};

/// What LLVM's assembler says of each rule.
const MESSAGES: [(&str, &str); 7] = [
    ("src0 operands must use different VGPR banks", "banks"),
    ("src1 operands must use different VGPR banks", "banks"),
    ("src2 operands must use different VGPR banks", "banks"),
    ("invalid operand (violates constant bus restrictions)", "constant bus"),
    ("source 2 operand must not partially overlap with dst", "overlap"),
    ("vgpr must be even aligned", "vector"),
    ("invalid register class: vgpr tuples must be 64 bit aligned", "vector"),
];

fn name(rule: RuleError) -> &'static str {
    match rule {
        RuleError::ConstantBus { .. } => "constant bus",
        RuleError::Overlap { .. } => "overlap",
        RuleError::MisalignedVector { .. } => "vector",
        RuleError::Banks { .. } => "banks",
        other => panic!("{other:?}"),
    }
}

/// Words of an operation, and the same with a parameter from LDS in the place of the first source.
fn instances(target: Target, rng: &mut Rng) -> Vec<Inst> {
    let mut all = Vec::new();
    for encoding in encodings(target) {
        let matrix = matches!(encoding.0, Format::Vop3pMai | Format::Vop3px);
        for inst in legal(target, encoding, if matrix { 60 } else { 10 }, rng) {
            let vector = encoding.0.name().starts_with("VOP");
            all.push(inst);
            all.extend(inst.with(Field::Src0, 254).ok().filter(|_| vector));
            // Three scalars: random words of RDNA, which can read two, seldom have them.
            let sources = [(Field::Src0, 2), (Field::Src1, 4), (Field::Src2, 6)];
            let scalars = sources.into_iter().try_fold(inst, |inst, (field, code)| inst.with(field, code));
            all.extend(scalars.ok().filter(|_| vector && words::is_rdna(target)));
        }
    }
    // What bits that are ignored say no text shows. A float as the constant of an operation on integers prints as a number
    // that LLVM's assembler takes for a literal.
    let is_number =
        |inst: &Inst| inst.operands().any(|o| matches!(o.value, Value::Float(_))) && inst.to_string().contains("0x");
    let misaligned = |inst: &Inst| matches!(inst.check(), Err(RuleError::MisalignedScalar { .. }));
    all.retain(|inst| inst.is_canonical() && !misaligned(inst) && !is_number(inst));
    all
}

#[test]
fn check_refuses_what_llvm_refuses() {
    for &target in Target::ALL.iter().filter(|target| !target.is_partial()) {
        let mut rng = Rng(5);
        let all = instances(target, &mut rng);
        let texts: Vec<String> = all.iter().map(Inst::to_string).collect();
        let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
        for ((inst, text), answer) in all.iter().zip(&texts).zip(assembler::assemble(target, &texts)) {
            let ours = inst.check().err().map(name);
            let theirs = match &answer {
                Ok(_) => None,
                Err(message) => match MESSAGES.iter().find(|(said, _)| message.contains(said)) {
                    Some((_, rule)) => Some(*rule),
                    // Something else that no text can say: LLVM does not come to the rules.
                    None => {
                        *counts.entry("not asked").or_insert(0) += 1;
                        continue;
                    }
                },
            };
            // LLVM's assembler forgets the rule where it looks at the formats of the elements, and for RDNA's matrices;
            // its compiler keeps to it.
            let name = inst.opcode().name();
            let forgets = name.ends_with("_f8f6f4") || name.starts_with("v_wmma_") || name.starts_with("v_swmmac_");
            let forgotten = forgets && ours == Some("overlap") && theirs.is_none();
            // An instruction can break several rules.
            let both = ours.is_some() && theirs.is_some();
            if ours != theirs && !both && !forgotten {
                wrong.push(format!("{text}: {ours:?}, {theirs:?}"));
            }
            *counts.entry(if forgotten { "forgotten" } else { theirs.unwrap_or("fine") }).or_insert(0) += 1;
        }
        println!("{target}: {counts:?}");
        assert!(wrong.is_empty(), "{target}: {} {:#?}", wrong.len(), wrong.iter().take(20).collect::<Vec<_>>());
        let met = |rule| counts.get(rule).is_some_and(|n: &usize| *n > 20);
        let has_matrices = target.layouts().iter().any(|l| l.format == Format::Vop3pMai);
        assert_eq!(met("overlap"), has_matrices, "{target}: {counts:?}");
        assert_eq!(met("banks"), target.layouts().iter().any(|l| l.format == Format::Vopd), "{target}: {counts:?}");
        assert_eq!(
            met("vector"),
            ["gfx90a", "gfx942", "gfx9-4-generic", "gfx950"].contains(&target.name()),
            "{target}: {counts:?}"
        );
        assert!(met("constant bus") && met("fine") && counts["fine"] > 5_000, "{target}: {counts:?}");
        let wmma = ["gfx11", "gfx12"].iter().any(|start| target.name().starts_with(start));
        assert!(wmma || counts.contains_key("forgotten") == (target.name() == "gfx950"), "{target}: {counts:?}");
    }
}

/// Tuples that are misaligned by one register, and the single registers that must be even: all that the words can say.
#[test]
fn one_register_that_must_be_even() {
    for (target, words, good) in [
        (Target::Gfx908, [0xd933_0000, 1], true), // ds_gws_init v1 gds
        (Target::Gfx90a, [0xd933_0000, 2], true),
        (Target::Gfx90a, [0xd933_0000, 1], false),
        (Target::Gfx942, [0xd937_0000, 3], false),   // ds_gws_sema_br v3 gds
        (Target::Gfx942, [0xd93b_0000, 255], false), // ds_gws_barrier v255 gds
        (Target::Gfx942, [0xd935_0000, 0], true),    // ds_gws_sema_v gds
        (Target::Gfx950, [0xd933_0000, 1], false),
        (Target::Gfx950, [0xd81a_0000, 1], true), // ds_write_b32 v1, v0
    ] {
        let inst = amdgpu_isa::decode_words(target, &words).expect("it is an instruction");
        let register = amdgpu_isa::Reg::Vgpr(inst.get(Field::Addr).expect("it has one") as u8);
        let expected = if good { Ok(()) } else { Err(RuleError::MisalignedVector { field: Field::Addr, register }) };
        assert_eq!(inst.check(), expected, "{inst}");
    }
}
