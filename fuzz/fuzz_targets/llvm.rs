//! Any words, and words that are valid or nearly so by construction: LLVM 22 accepts or refuses them like this library,
//! with the same length and text, or they fall in a class of `crates/llvm/src/differences.txt`. LLVM runs in a child
//! process, which is this program started again.
#![no_main]

mod hashes;
mod input;

use amdgpu_isa::arbitrary::{near_valid, valid};
use amdgpu_isa::{Decoded, Decoder, Target};
use amdgpu_llvm::{Case, Classes, Oracle, USUAL, Verdict, Word, disassembles, run_as_child};
use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use std::cell::RefCell;
use std::collections::HashMap;

/// The greatest number of words of an input: LLVM takes a few microseconds for each.
const MOST: usize = 64;

thread_local! {
    static ORACLES: RefCell<HashMap<&'static str, Oracle>> = RefCell::default();
    static CLASSES: Classes = Classes::load().unwrap_or_else(|e| panic!("{e}"));
}

fuzz_target!(
    init: {
        run_as_child();
    },
    |data: &[u8]| {
        let Some((target, code, rest)) = input::split(data) else { return };
        if !disassembles(USUAL, target) {
            return;
        }
        let words = if code { stream(target, rest) } else { made(target, rest) };
        ORACLES.with_borrow_mut(|oracles| {
            let start = || Oracle::start(target).unwrap_or_else(|e| panic!("{e}"));
            let oracle = oracles.entry(target.name()).or_insert_with(start);
            for (&word, llvm) in words.iter().zip(oracle.ask(&words)) {
                let case = Case::new(target, word, llvm, USUAL);
                if let Verdict::Disagree(kind) = CLASSES.with(|classes| classes.judge(&case)) {
                    let (ours, llvm) = (case.ours.line(), case.llvm.line());
                    panic!("{} {} {}\nours  {ours}\nllvm  {llvm}", kind.name(), target.name(), word.hex());
                }
            }
        });
    }
);

/// The words that begin at each instruction of the code. As in memory, they go on with the words of the next
/// instruction.
fn stream(target: Target, code: &[u8]) -> Vec<Word> {
    Decoder::new(target, code).take(MOST).map(|Decoded { offset: at, inst: _ }| Word::new(&code[at..])).collect()
}

fn made(target: Target, data: &[u8]) -> Vec<Word> {
    let mut u = Unstructured::new(data);
    let mut words = Vec::new();
    while words.len() < MOST && !u.is_empty() {
        let bytes = match u.arbitrary::<bool>() {
            Ok(true) => near_valid(target, &mut u).map(|near| near.bytes().to_vec()),
            _ => valid(target, &mut u).map(|inst| inst.words().iter().flat_map(|w| w.to_le_bytes()).collect()),
        };
        words.extend(bytes.ok().map(|bytes: Vec<u8>| Word::new(&bytes)));
    }
    words
}
