//! Instructions for which the tables have a formula.

use amdgpu_isa::arbitrary::valid;
use amdgpu_isa::convert::Form;
use amdgpu_isa::{Format, Inst, Opcode, Target, decode_words};
use arbitrary::Unstructured;

use super::values::Rng;

/// The number of instructions to make of each operation, in hundredths: the environment variable `AMDGPU_ISA_CASES`, or
/// `usual`.
pub fn cases(usual: usize) -> usize {
    std::env::var("AMDGPU_ISA_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// The operations of a target whose formula needs only the registers of a wave, by their place in `Opcode::ALL`.
pub fn operations(target: Target) -> Vec<usize> {
    let has = |opcode: Opcode| {
        let text = opcode.meaning(target).unwrap_or("");
        !is_memory(text) && !text.is_empty() && !text.starts_with('"')
    };
    let exists = |opcode: Opcode| opcode.forms(target).next().is_some();
    (0..Opcode::ALL.len()).filter(|&n| exists(Opcode::ALL[n]) && has(Opcode::ALL[n])).collect()
}

fn is_memory(text: &str) -> bool {
    ["MEM", "LDS", "GDS", "PC", "MODE"].iter().any(|name| text.contains(name))
}

/// A random valid instruction of an operation.
pub fn made(target: Target, operation: usize, rng: &mut Rng) -> Option<Inst> {
    let mut bytes = [0u8; 48];
    bytes.iter_mut().for_each(|byte| *byte = rng.next() as u8);
    bytes[..2].copy_from_slice(&(operation as u16).to_be_bytes());
    let inst = valid(target, &mut Unstructured::new(&bytes)).ok()?;
    let chosen = Some(Opcode::ALL[operation]);
    let is_it = Some(inst.opcode()) == chosen || inst.second_opcode() == chosen;
    assert!(is_it, "the bytes choose another operation: {inst}");
    Some(inst)
}

/// Instructions of all operations of a target.
pub fn instructions(target: Target, hundredths: usize, rng: &mut Rng) -> Vec<Inst> {
    of_all(operations(target), target, hundredths, rng)
}

/// Dual instructions of a target, in which any operation can be the second one.
pub fn duals(target: Target, hundredths: usize, rng: &mut Rng) -> Vec<Inst> {
    let is_dual = |form: Form| matches!(form.format, Format::Vopd | Format::Vopd3);
    let has_dual = |&n: &usize| Opcode::ALL[n].forms(target).any(is_dual);
    let all = of_all(operations(target).into_iter().filter(has_dual).collect(), target, hundredths, rng);
    all.into_iter().map(|inst| with_other_second(&inst, rng).unwrap_or(inst)).collect()
}

/// The dual instruction with another second operation, found by random changes of bits in its first word.
fn with_other_second(inst: &Inst, rng: &mut Rng) -> Option<Inst> {
    (0..100).find_map(|_| {
        let mut words = inst.words().to_vec();
        words[0] ^= (rng.next() & rng.next()) as u32 & 0x00ff_ffff;
        let other = decode_words(inst.target(), &words).ok()?;
        let is_other = other.opcode() == inst.opcode() && other.second_opcode() != inst.second_opcode();
        (is_other && other.check().is_ok() && other.is_canonical()).then_some(other)
    })
}

fn of_all(operations: Vec<usize>, target: Target, hundredths: usize, rng: &mut Rng) -> Vec<Inst> {
    let mut all = Vec::new();
    for operation in operations {
        let count = hundredths / 100 + usize::from(rng.below(100) < hundredths % 100);
        all.extend((0..count).filter_map(|_| made(target, operation, rng)));
    }
    all
}

/// The instruction with some of the bits set that the hardware ignores; `None` if there are no such bits.
pub fn with_ignored_bits(inst: &Inst, rng: &mut Rng) -> Option<Inst> {
    let mut words = inst.words().to_vec();
    for bit in 0..words.len() * 32 {
        let flip = |words: &mut Vec<u32>| words[bit / 32] ^= 1 << (bit % 32);
        flip(&mut words);
        let is_same = |other: &Inst| other.words().len() == inst.words().len() && other.canonical() == *inst;
        let is_ignored = decode_words(inst.target(), &words).is_ok_and(|other| is_same(&other));
        if !is_ignored || rng.below(4) == 0 {
            flip(&mut words);
        }
    }
    let other = decode_words(inst.target(), &words).ok()?;
    (!other.is_canonical()).then_some(other)
}
