//! Compares the library with LLVM's disassembler on words that are instructions, or nearly, and prints the differences
//! that nobody has reviewed. LLVM crashes on some words, so it runs in a child process, which is this program started
//! again.
//!
//! `cargo run --release -p amdgpu-llvm --example beside_llvm [TARGET] [WORDS]`
//!
//! LLVM is the `libLLVM` of the Rust toolchain. To compare a decoder of your own, compare its answer about the word
//! with `case.ours`.

use std::collections::BTreeMap;
use std::error::Error;

use amdgpu_isa::Target;
use amdgpu_isa::arbitrary::{near_valid, valid};
use amdgpu_llvm::{Case, Oracle, USUAL, Word, known_difference, run_as_child};
use arbitrary::Unstructured;

fn main() -> Result<(), Box<dyn Error>> {
    // This call does not return in the child process.
    run_as_child();
    let mut arguments = std::env::args().skip(1);
    let target: Target = arguments.next().as_deref().unwrap_or("gfx942").parse()?;
    let count: usize = arguments.next().as_deref().unwrap_or("10000").parse()?;

    let words = words(target, count)?;
    let mut oracle = Oracle::start(target)?;
    let (mut known, mut unknown) = (BTreeMap::<&str, usize>::new(), 0);
    for (&word, llvm) in words.iter().zip(oracle.ask(&words)) {
        let case = Case::new(target, word, llvm.clone(), USUAL);
        match (case.difference(), known_difference(target, word, llvm, USUAL)) {
            (None, _) => {}
            (_, Some(class)) => *known.entry(&class.name).or_default() += 1,
            (Some(kind), None) => {
                unknown += 1;
                println!("{}: {}\n  ours  {}\n  llvm  {}", word.hex(), kind.name(), case.ours.line(), case.llvm.line());
            }
        }
    }
    println!("{} words of {target}, {unknown} differences that are not known; known ones:", words.len());
    known.iter().for_each(|(class, count)| println!("{count:8}  {class}"));
    if unknown == 0 { Ok(()) } else { Err("the library and LLVM differ".into()) }
}

/// Words that are instructions, and as many that break one rule.
fn words(target: Target, count: usize) -> Result<Vec<Word>, arbitrary::Error> {
    // A fuzzer would supply these bytes. Here a generator makes them (SplitMix64 without its last steps).
    let mut state = 1u64;
    let bytes: Vec<u8> = (0..count * 8)
        .flat_map(|_| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (mixed ^ mixed >> 27).to_le_bytes()
        })
        .collect();
    let mut u = Unstructured::new(&bytes);
    (0..count)
        .map(|n| {
            if n % 2 == 0 {
                return Ok(Word::new(near_valid(target, &mut u)?.bytes()));
            }
            let dwords: Vec<_> = valid(target, &mut u)?.words().iter().map(|word| word.to_le_bytes()).collect();
            Ok(Word::new(dwords.as_flattened()))
        })
        .collect()
}
