//! Texts that people write, right and wrong, mean the same to LLVM's assembler, or `written.txt` has the reason.

use std::collections::{BTreeMap, BTreeSet};

use amdgpu_isa::parse;
use amdgpu_isa::{Inst, Target};

use crate::llvm_mc::{assemble, targets};
use crate::words::{Rng, encodings_to_try, legal};

fn bytes(inst: Inst) -> Vec<u8> {
    inst.words().iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The kind of difference between LLVM's answer and the library's: the first character of a line of `written.txt`.
fn sign(target: Target, text: &str, llvm: &Result<Vec<u8>, String>) -> char {
    match (parse(target, text).map(bytes), llvm) {
        (Ok(ours), Ok(llvm)) if ours == *llvm => '=',
        (Err(_), Err(_)) => '=',
        (Ok(_), Err(_)) => '+',
        (Err(_), Ok(_)) => '-',
        (Ok(_), Ok(_)) => '~',
    }
}

#[test]
fn what_people_write_means_the_same_to_llvm() {
    let lines = include_str!("written.txt").lines().filter(|line| !line.starts_with('#'));
    let lines: Vec<(&str, &str)> = lines.map(|line| line.split_at(2)).collect();
    let texts: Vec<String> = lines.iter().map(|(_, rest)| rest.split(" // ").next().unwrap().to_string()).collect();
    let mut signs = vec![BTreeSet::new(); lines.len()];
    for target in targets() {
        for ((signs, text), llvm) in signs.iter_mut().zip(&texts).zip(assemble(target, &texts)) {
            signs.insert(sign(target, text, &llvm));
        }
    }
    let mut wrong = Vec::new();
    for ((said, rest), mut signs) in lines.iter().zip(signs) {
        signs.remove(&'=');
        let found: String = if signs.is_empty() { "=".to_string() } else { signs.into_iter().collect() };
        let has_reason = rest.contains(" // ");
        if found != said.trim() || has_reason == (found == "=") {
            wrong.push(format!("{found} {rest}"));
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

/// Operations of GCN 1.1 that LLVM accepts on GCN 1.0, too, although the manual of GCN 1.0 lacks them.
const NOT_YET: &[&str] = &[
    "s_cbranch_cdbgsys",
    "s_cbranch_cdbgsys_and_user",
    "s_cbranch_cdbgsys_or_user",
    "s_cbranch_cdbguser",
    "s_setkill",
];

/// Names of signed dot products. On RDNA3 and later, LLVM 22 takes these names for the unsigned operations, and LLVM 24
/// takes them for the signed ones.
const SIGNED: &[&str] = &["v_dot4_i32_i8", "v_dot8_i32_i4"];

/// Whether an operation is one that the manual of CDNA5 lacks and that LLVM 22 accepts on CDNA5
/// (docs/manual-errata.md).
fn is_gone(target: Target, name: &str) -> bool {
    let is_matrix = ["v_wmma_f32_16x16x16_", "v_wmma_f16_16x16x16_", "v_wmma_bf16_16x16x16_", "v_wmma_i32_16x16x"];
    let starts = is_matrix.iter().chain(&["v_dual_dot2acc_"]);
    target.generation() == "CDNA5" && starts.into_iter().any(|start| name.starts_with(start))
}

/// Parses each name of an operation on the targets that do not print this name: isa/synonyms.isa has the operation for
/// which LLVM takes the name.
#[test]
fn names_of_other_targets_mean_what_llvm_says() {
    let mut rng = Rng(7);
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut own: BTreeSet<(&str, String)> = BTreeSet::new();
    for &target in Target::ALL {
        for encoding in encodings_to_try(target) {
            for inst in legal(target, encoding, 1, &mut rng) {
                let text = inst.to_string();
                let name = inst.mnemonic().to_string();
                own.insert((target.processor(), name.clone()));
                let known = texts.entry(name).or_default();
                if known.len() < 12 {
                    known.insert(text);
                }
            }
        }
    }
    let (mut wrong, mut accepted) = (Vec::new(), 0);
    for target in targets() {
        let is_other = |name: &String| !own.contains(&(target.processor(), name.clone()));
        let others: Vec<String> =
            texts.iter().filter(|(name, _)| is_other(name)).flat_map(|(_, texts)| texts.clone()).collect();
        for (text, llvm) in others.iter().zip(assemble(target, &others)) {
            let found = sign(target, text, &llvm);
            accepted += usize::from(llvm.is_ok());
            // Other targets have other operands and modifiers, so only the name counts.
            let unknown = ["invalid instruction", "instruction not supported on this GPU"];
            let is_name = llvm.as_ref().err().is_none_or(|said| unknown.iter().any(|message| said.contains(message)));
            let name = text.split(' ').next().unwrap_or("");
            let is_early = target.name() == "gfx600" && NOT_YET.contains(&name);
            let is_gone = found == '-' && text.split(" :: ").any(|half| is_gone(target, half));
            let is_signed = found == '~' && SIGNED.contains(&name);
            if found != '=' && is_name && !is_early && !is_gone && !is_signed {
                wrong.push(format!("{target} {found} {text}"));
            }
        }
    }
    println!("LLVM takes {accepted} texts with names of other targets");
    assert!(wrong.is_empty() && accepted > 1000, "{accepted}, {}:\n{}", wrong.len(), wrong.join("\n"));
}
