//! Does one kind of work on a fixed input, so that `instructions.sh` can count its machine instructions.
//!
//! `instructions WORK ROUNDS` prints the number of GPU instructions in a round.

use amdgpu_isa::hazards::Guard;
use amdgpu_isa::patch::InstMut;
use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Decoded, Decoder, Field, Inst, Target, Value, length, parse};
use std::fmt::Write;
use std::hint::black_box;

#[cfg(feature = "make")]
use amdgpu_isa_instructions::built;

const TARGET: Target = Target::Gfx942;
/// The code of compiled kernels for gfx942: floating point, integers, atomics, matrices.
const CODE: &[u8] = include_bytes!("gfx942.bin");

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let (Some(work), Some(rounds)) = (arguments.next(), arguments.next()) else {
        println!("instructions WORK ROUNDS, under callgrind: see benches/instructions.sh");
        return Ok(());
    };
    let rounds: usize = rounds.parse().map_err(|e| format!("{rounds}: {e}"))?;
    let insts: Vec<Inst> = Decoder::new(TARGET, CODE).filter_map(|Decoded { inst: item, .. }| item.ok()).collect();
    let texts: Vec<String> = if work == "parse" { insts.iter().map(Inst::to_string).collect() } else { Vec::new() };
    let mut patches = if work == "patch" { patches(&insts) } else { Vec::new() };
    let mut text = String::with_capacity(256);
    let mut out = vec![0; CODE.len()];
    for _ in 0..rounds {
        match work.as_str() {
            "length" => lengths(),
            "decode" => decode(|inst| _ = black_box(inst)),
            "operands" => decode(|inst| inst.operands().for_each(|operand| _ = black_box(&operand))),
            "text" => {
                let mut text = TextBuffer::new();
                decode(|inst| _ = black_box(text.print(inst)));
            }
            "display" => decode(|inst| {
                text.clear();
                let _ = write!(text, "{inst}");
                black_box(&text);
            }),
            "encode" => {
                let mut at = 0;
                for inst in &insts {
                    at += inst.encode(&mut out[at..]).unwrap_or(4);
                }
                black_box(&out);
            }
            "parse" => texts.iter().for_each(|text| _ = black_box(parse(TARGET, black_box(text)))),
            #[cfg(feature = "make")]
            "build" => (0..=u8::MAX).for_each(|n| built(TARGET, black_box(n), |inst| _ = black_box(inst))),
            "patch" => patches.iter_mut().for_each(|(code, field, value)| {
                if let Ok(mut inst) = InstMut::new(TARGET, black_box(&mut code[..])) {
                    _ = black_box(inst.set(*field, *value));
                }
            }),
            "guard" => {
                let mut guard = Guard::new(TARGET);
                for inst in &insts {
                    let _ = guard.before(inst, |extra| _ = black_box(extra));
                }
            }
            // instructions.sh does not count this work, because it needs a build with both targets.
            #[cfg(feature = "gfx950")]
            "retarget" => insts.iter().for_each(|inst| _ = black_box(inst.retarget(Target::Gfx950))),
            _ => return Err(format!("no such work: {work}")),
        }
    }
    #[cfg(feature = "make")]
    if work == "build" {
        let mut count = 0;
        (0..=u8::MAX).for_each(|n| built(TARGET, n, |inst| count += usize::from(inst.is_some())));
        println!("{count}");
        return Ok(());
    }
    println!("{}", if work == "patch" { patches.len() } else { insts.len() });
    Ok(())
}

/// The words of each instruction that has a register, the field of its first register, and the value of this field.
fn patches(insts: &[Inst]) -> Vec<(Vec<u32>, Field, u32)> {
    let patch = |inst: &Inst| {
        let field = inst.operands().find_map(|o| matches!(o.value, Value::Reg(_)).then_some(o.role?))?;
        Some((inst.words().to_vec(), field, inst.get(field)?))
    };
    insts.iter().filter_map(patch).collect()
}

// Decodes the code. This is a function of its own, so that other code does not take its machine registers.
#[inline(never)]
fn decode(mut each: impl FnMut(&Inst)) {
    for Decoded { inst: item, .. } in Decoder::new(TARGET, black_box(CODE)) {
        if let Ok(inst) = &item {
            each(inst);
        }
    }
}

#[inline(never)]
fn lengths() {
    let mut at = 0;
    while let Some(rest) = black_box(CODE).get(at..).filter(|rest| !rest.is_empty()) {
        at += length(TARGET, rest).unwrap_or(4);
    }
    black_box(at);
}
