//! The parser, with any text, and the suggestions for wrong texts.

use crate::{Sink, used};
use amdgpu_isa::signature::{ModifierSignature, OperandSignature};
use amdgpu_isa::text::{Integer, ParseError, Suggestion, Symbols, TextBuffer, expression, parse_with, signatures};
use amdgpu_isa::{Inst, Opcode, Target, VgprMsb, parse};
use core::fmt::Write;

/// Symbols whose values the compiler cannot know.
struct Any(i64);

impl Symbols for Any {
    fn value(&self, name: &str) -> Option<Integer> {
        (name.len() % 2 == 1).then_some(Integer { value: self.0, open: name.len() % 3 == 1 })
    }
}

pub fn all(target: Target, text: &str, inst: &Inst) {
    told(target, text, parse(target, text));
    let symbols = Any(text.len() as i64);
    told(target, text, parse_with(target, text, &symbols));
    used(expression::operator(text).map(|(name, _)| expression::result(name, symbols.0, text.len() as i64)));
    used((expression::combined(text, symbols.0, 7), expression::character(text)));
    match Opcode::parse(target, text) {
        Ok(opcode) => used(opcode),
        Err(error) => drop(write!(Sink, "{error}{error:?}")),
    }
    used((Opcode::from_mnemonic(target, text), Opcode::mnemonic(inst.opcode(), target, inst.format())));
    for signature in signatures(target, text) {
        for operand in signature.operands() {
            told(target, text, OperandSignature::parse(&operand, text));
        }
        for modifier in signature.modifiers() {
            told(target, text, ModifierSignature::parse(&modifier, text));
        }
    }
    used(Suggestion::of(target, text));
    let mut buffer = TextBuffer::new();
    used(TextBuffer::print_small(&mut buffer, inst).len());
    used(TextBuffer::print_with(&mut buffer, inst, VgprMsb::new(text.len() as u8)).len());
    used(TextBuffer::as_bytes(&buffer).len());
}

fn told<T>(target: Target, text: &str, result: Result<T, ParseError>) {
    match result {
        Ok(value) => used(value),
        Err(error) => {
            let _ = write!(Sink, "{error}");
            let suggestion = Suggestion::for_error(target, text, &error);
            used(suggestion.encodings.is_empty());
            used(suggestion);
        }
    }
}
