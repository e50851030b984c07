//! The contestants that use this library.

use crate::table::Done;
use amdgpu_isa::hazards::{Guard, Hazards, Pending};
use amdgpu_isa::patch::InstMut;
use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Decoded, Decoder, Field, Inst, Target, Value};
#[cfg(feature = "make")]
use amdgpu_isa_instructions::built;
use std::fmt::Write;
use std::hint::black_box;

/// Finds only the length of each instruction.
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
    for Decoded { inst: item, .. } in Decoder::new(target, code) {
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

/// Finds waits and distances together, for code without waits and `s_nop`s of its own, as an emitter has it. The time
/// for decoding does not count.
pub fn guard(target: Target, insts: &[Inst], bytes: usize) -> Done {
    let is_wait = |inst: &Inst| inst.flags().is_wait() || inst.opcode() == amdgpu_isa::Opcode::SNop;
    let emitted: Vec<Inst> = insts.iter().filter(|inst| !is_wait(inst)).copied().collect();
    let mut done = Done { instructions: 0, bytes: 0 };
    while !emitted.is_empty() && done.bytes < bytes as u64 {
        let mut guard = Guard::new(target);
        for inst in &emitted {
            _ = black_box(guard.before(inst, |extra| _ = black_box(extra)));
            done.bytes += inst.len() as u64;
        }
        done.instructions += emitted.len() as u64;
    }
    done
}

/// Finds the waits that instructions need, without the distances.
pub fn pending(target: Target, insts: &[Inst], bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while !insts.is_empty() && done.bytes < bytes as u64 {
        let mut pending = Pending::new(target);
        for inst in insts {
            black_box(pending.step(inst, 0));
            done.bytes += inst.len() as u64;
        }
        done.instructions += insts.len() as u64;
    }
    done
}

pub fn hazards(target: Target, insts: &[Inst], bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while !insts.is_empty() && done.bytes < bytes as u64 {
        let mut hazards = Hazards::new(target);
        for inst in insts {
            black_box(hazards.needs(inst));
            hazards.issue(inst);
            done.bytes += inst.len() as u64;
        }
        done.instructions += insts.len() as u64;
    }
    done
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

/// The texts of instructions. Data between kernels can decode to instructions whose texts are refused: by the library's
/// parser, or by LLVM's assembler (exports to targets without a name). These texts are left out.
pub fn texts(target: Target, code: &[u8]) -> Vec<String> {
    let insts = Decoder::new(target, code).filter_map(|Decoded { inst: item, .. }| item.ok());
    let texts = insts.map(|inst| inst.to_string());
    texts.filter(|text| !text.contains("invalid_target") && amdgpu_isa::parse(target, text).is_ok()).collect()
}

pub fn parse(target: Target, texts: &[String], bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while done.bytes < bytes as u64 {
        for text in texts {
            done.bytes += black_box(amdgpu_isa::parse(target, text)).map_or(0, |inst| inst.len() as u64);
        }
        done.instructions += texts.len() as u64;
    }
    done
}

/// As many of the first instructions as fit in the cache, and their words.
pub fn some(target: Target, code: &[u8]) -> (Vec<Inst>, Vec<([u32; 5], usize)>) {
    let insts: Vec<Inst> =
        Decoder::new(target, code).filter_map(|Decoded { inst: item, .. }| item.ok()).take(4096).collect();
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

/// The words of instructions, and for each one with a register its position, the register's field and the value of the
/// field.
pub struct Patches {
    code: Vec<u32>,
    fields: Vec<(usize, Field, u32)>,
}

pub fn patches(insts: &[Inst]) -> Patches {
    let (mut code, mut fields) = (Vec::new(), Vec::new());
    for inst in insts {
        let register = inst.operands().find_map(|o| matches!(o.value, Value::Reg(_)).then_some(o.role?));
        if let Some((field, value)) = register.and_then(|field| Some((field, inst.get(field)?))) {
            fields.push((code.len(), field, value));
        }
        code.extend(inst.words());
    }
    Patches { code, fields }
}

/// Decodes each instruction and changes a field of it.
pub fn patch(target: Target, patches: &mut Patches, bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while done.bytes < bytes as u64 {
        for &(at, field, value) in &patches.fields {
            let Some(Ok(mut inst)) = patches.code.get_mut(at..).map(|code| InstMut::new(target, code)) else { break };
            _ = black_box(inst.set(field, value));
        }
        done.instructions += patches.fields.len() as u64;
        done.bytes += 4 * patches.code.len() as u64;
    }
    done
}

/// The enabled target to which the greatest number of the instructions can be re-targeted, and this number; `None` if
/// there is no other target.
pub fn destination(insts: &[Inst]) -> Option<(Target, usize)> {
    let from = insts.first()?.target();
    let others = Target::ALL.iter().filter(|t| **t != from);
    others.map(|&t| (t, insts.iter().filter(|inst| inst.retarget(t).is_ok()).count())).max_by_key(|(_, count)| *count)
}

pub fn retarget(insts: &[Inst], to: Target, bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while done.bytes < bytes as u64 {
        for inst in insts {
            _ = black_box(inst.retarget(to));
            done.bytes += inst.len() as u64;
        }
        done.instructions += insts.len() as u64;
    }
    done
}

/// Whether the target has all of the dozen instructions that `build` makes.
#[cfg(feature = "make")]
pub fn can_build(target: Target) -> bool {
    let mut all = true;
    built(target, 0, |inst| all &= inst.is_some());
    all
}

#[cfg(feature = "make")]
pub fn build(target: Target, bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while done.bytes < bytes as u64 {
        for n in 0..=u8::MAX {
            built(target, black_box(n), |inst| {
                done.instructions += 1;
                done.bytes += black_box(inst).map_or(0, |inst| inst.len() as u64);
            });
        }
    }
    done
}
