//! Arbitrary bytes give legal instructions, of every target and nearly every operation, and never much more than they
//! need. Run with `cargo test --features arbitrary`.
#![cfg(feature = "arbitrary")]

#[path = "words/mod.rs"]
mod words;

use amdgpu_isa::{Inst, Target, decode_words};
use arbitrary::{Arbitrary, Unstructured};
use std::collections::BTreeSet;
use words::Rng;

#[test]
fn arbitrary_bytes_give_legal_instructions_of_all_kinds() {
    let mut rng = Rng(1);
    let (mut operations, mut extensions) = (BTreeSet::new(), BTreeSet::new());
    let all: usize = Target::ALL.iter().map(|t| words::encodings(*t).len()).sum();
    for _ in 0..all * 20 {
        let bytes: Vec<u8> = (0..32).map(|_| rng.next() as u8).collect();
        let mut u = Unstructured::new(&bytes);
        let inst = Inst::arbitrary(&mut u).unwrap_or_else(|e| panic!("{bytes:02x?}: {e}"));
        assert_eq!(decode_words(inst.target(), inst.words()), Ok(inst));
        assert!(32 - u.len() <= Inst::size_hint(0).1.unwrap(), "{inst:?} took {} bytes", 32 - u.len());
        operations.insert((inst.target(), inst.format(), inst.opcode()));
        extensions.insert((inst.target(), inst.extension()));
    }
    assert!(operations.len() * 100 > all * 98, "only {} of {all} operations", operations.len());
    for &target in Target::ALL {
        assert!(extensions.contains(&(target, None)), "{target}");
        assert!(
            extensions.iter().any(|(t, e)| *t == target && e.is_some()),
            "{target}: nothing with a dword behind it"
        );
    }
}

#[test]
fn no_bytes_give_an_instruction_too() {
    let inst = Inst::arbitrary(&mut Unstructured::new(&[])).unwrap();
    assert_eq!(decode_words(inst.target(), inst.words()), Ok(inst));
}
