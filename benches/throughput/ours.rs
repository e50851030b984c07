//! The library at work.

use crate::table::Done;
use amdgpu_isa::{Decoder, Inst, Target, TextBuffer};
use std::fmt::Write;
use std::hint::black_box;

/// The length of each instruction and nothing else.
pub fn lengths(target: Target, code: &[u8]) -> Done {
    let (mut instructions, mut at) = (0, 0);
    while let Some(rest) = code.get(at..).filter(|rest| rest.len() >= 4) {
        at += amdgpu_isa::length(target, rest).unwrap_or(4);
        instructions += 1;
    }
    Done { instructions, bytes: black_box(at) as u64 }
}

fn walk(target: Target, code: &[u8], mut each: impl FnMut(&Inst)) -> Done {
    let mut instructions = 0;
    for (_, item) in Decoder::new(target, code) {
        instructions += 1;
        if let Ok(inst) = &item {
            each(inst);
        }
    }
    Done { instructions, bytes: code.len() as u64 }
}

pub fn decode(target: Target, code: &[u8]) -> Done {
    walk(target, code, |inst| {
        black_box(inst);
    })
}

pub fn operands(target: Target, code: &[u8]) -> Done {
    walk(target, code, |inst| {
        inst.operands().for_each(|operand| _ = black_box(&operand));
    })
}

pub fn text(target: Target, code: &[u8]) -> Done {
    let mut text = TextBuffer::new();
    walk(target, code, |inst| {
        black_box(text.print(inst));
    })
}

pub fn display(target: Target, code: &[u8]) -> Done {
    let mut text = String::with_capacity(256);
    walk(target, code, |inst| {
        text.clear();
        let _ = write!(text, "{inst}");
        black_box(&text);
    })
}

/// Instructions that fit in the cache, and their words.
pub fn some(target: Target, code: &[u8]) -> (Vec<Inst>, Vec<([u32; 5], usize)>) {
    let insts: Vec<Inst> = Decoder::new(target, code).filter_map(|(_, item)| item.ok()).take(4096).collect();
    let words = insts.iter().map(|inst| {
        let mut words = [0; 5];
        words[..inst.words().len()].copy_from_slice(inst.words());
        (words, inst.words().len())
    });
    let words = words.collect();
    (insts, words)
}

pub fn encode(insts: &[Inst], out: &mut [u8], bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while done.bytes < bytes as u64 {
        let mut at = 0;
        for inst in insts {
            let Some(Ok(len)) = out.get_mut(at..).map(|out| inst.encode(out)) else { break };
            at += len;
        }
        black_box(&mut *out);
        done.instructions += insts.len() as u64;
        done.bytes += at as u64;
    }
    done
}
