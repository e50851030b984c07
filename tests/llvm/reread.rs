//! LLVM's assembler on the words of listed classes: it refuses the words that the library refuses, as far as the class
//! says so, and never takes a text of the library for another instruction.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::assembler;
use amdgpu_isa::Target;
use amdgpu_llvm::{Answer, Assembler, Case, Classes, Ours, Word};

/// The number of words of each class that are tried, for each process.
const KEPT: usize = 200;

struct Text {
    word: Word,
    text: String,
    /// Whether the text is the library's, and not LLVM's.
    ours: bool,
}

/// Texts by the number of their class.
#[derive(Default)]
pub struct Texts(BTreeMap<usize, Vec<Text>>);

impl Texts {
    pub fn add(&mut self, class: usize, case: &Case) {
        let of_class = self.0.entry(class).or_default();
        let (text, ours) = match (&case.ours, &case.llvm) {
            (Ours::Inst { text, .. }, _) => (text.clone(), true),
            (_, Answer::Text { text, .. }) => (text.clone(), false),
            _ => return,
        };
        if of_class.len() < KEPT {
            of_class.push(Text { word: case.word, text, ours });
        }
    }

    pub fn merge(&mut self, other: Texts) {
        for (class, texts) in other.0 {
            self.0.entry(class).or_default().extend(texts);
        }
    }

    /// The contradictions to the classes, and the number of texts that were assembled.
    pub fn faults(&self, target: Target, classes: &Classes) -> (String, usize) {
        let all: Vec<(usize, &Text)> =
            self.0.iter().flat_map(|(class, texts)| texts.iter().map(|t| (*class, t))).collect();
        let lines: Vec<String> = all.iter().map(|(_, text)| text.text.clone()).collect();
        let mut out = String::new();
        for ((class, text), answer) in all.iter().zip(assembler::assemble(target, &lines)) {
            let class = &classes.list[*class];
            let Ok(bytes) = answer else { continue };
            let (good, made) = match Ours::decode(target, &bytes) {
                Ours::Inst { text: made, .. } => {
                    (class.assembler >= Assembler::Changes || text.ours && made == text.text, made)
                }
                Ours::Refused(reason) => (class.assembler >= Assembler::Agrees, reason),
            };
            if !good {
                let _ = writeln!(out, "{}: {} {}: LLVM assembles it: {made}", class.name, text.word.hex(), text.text);
            }
        }
        (out, all.len())
    }
}
