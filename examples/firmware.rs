//! In firmware: code is walked and patched where it lies, without a heap. Everything but `main` is `no_std`.
//!
//! `cargo run --example firmware`

#![no_std]

extern crate std;

use amdgpu_isa::gfx942::{Sopp, SoppOp};
use amdgpu_isa::{DecodeError, Decoder, Inst, Microcode, Opcode, Target, decode};
use core::ops::ControlFlow;
use std::println;

const TARGET: Target = Target::Gfx942;

/// What a patch that failed tells its caller.
#[derive(Debug, PartialEq)]
enum PatchError {
    /// Bytes that are no instruction, and where.
    Decode { offset: usize, error: DecodeError },
    /// Nothing in the code is to be patched.
    NotFound,
}

/// Calls `patch` with each instruction and its words, and writes them back, until it breaks.
fn walk(code: &mut [u8], mut patch: impl FnMut(&Inst, &mut [u32]) -> ControlFlow<()>) -> Result<(), PatchError> {
    let mut offset = 0;
    while let Some(rest) = code.get_mut(offset..).filter(|rest| !rest.is_empty()) {
        let inst = decode(TARGET, rest).map_err(|error| PatchError::Decode { offset, error })?;
        let mut buffer = [0; 5];
        let Some(words) = inst.encode_words(&mut buffer).ok().and_then(|dwords| buffer.get_mut(..dwords)) else {
            break;
        };
        let flow = patch(&inst, words);
        for (to, word) in rest.chunks_exact_mut(4).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        if flow.is_break() {
            return Ok(());
        }
        offset += inst.len();
    }
    Err(PatchError::NotFound)
}

/// A literal: the first `s_mov_b32` that holds `from` shall hold `to`.
fn replace_literal(code: &mut [u8], from: u32, to: u32) -> Result<(), PatchError> {
    walk(code, |inst, words| match words {
        [_, literal] if inst.opcode() == Opcode::SMovB32 && *literal == from => {
            *literal = to;
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
}

/// An immediate: the first `s_sleep` becomes as short as it can be.
fn shorten_sleep(code: &mut [u8]) -> Result<(), PatchError> {
    walk(code, |inst, words| match (Sopp::of(inst), words) {
        (Some(sopp), [word]) if inst.opcode() == Opcode::SSleep => {
            [*word] = sopp.with_simm16(0).to_words();
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
}

/// An opcode and a branch target: the first conditional branch is always taken, to the byte offset `to`.
fn force_branch(code: &mut [u8], to: i32) -> Result<(), PatchError> {
    let mut offset = 0;
    walk(code, |inst, words| {
        let next = offset + inst.len() as i32;
        offset = next;
        match (Sopp::of(inst), words) {
            (Some(sopp), [word]) if inst.flags().is_branch() && inst.opcode() != Opcode::SBranch => {
                let forced = sopp.with_op(SoppOp::SBranch).with_simm16(((to - next) / 4) as u16);
                [*word] = forced.to_words();
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        }
    })
}

fn main() {
    // s_mov_b32 s0, 0x12345678; s_sleep 127; s_cbranch_scc1 to the start; s_endpgm
    let words: [u32; 5] = [0xbe8000ff, 0x12345678, 0xbf8e007f, 0xbf85fffc, 0xbf810000];
    let mut code = [0; 20];
    for (to, word) in code.chunks_exact_mut(4).zip(words) {
        to.copy_from_slice(&word.to_le_bytes());
    }

    replace_literal(&mut code, 0x12345678, 0x1000).expect("the constant is there");
    shorten_sleep(&mut code).expect("it sleeps");
    force_branch(&mut code, 16).expect("there is a branch");

    for (offset, item) in Decoder::new(TARGET, &code) {
        println!("{offset:4x}  {}", item.expect("patched code is code"));
    }
    let words: [u32; 5] = [0xbe8000ff, 0x1000, 0xbf8e0000, 0xbf820000, 0xbf810000];
    assert!(code.chunks_exact(4).zip(words).all(|(bytes, word)| bytes == word.to_le_bytes()));

    // A literal that is cut off is an error with the number of bytes that are needed, and nothing was written.
    let error = replace_literal(&mut code[..4], 0x1000, 0).unwrap_err();
    assert_eq!(error, PatchError::Decode { offset: 0, error: DecodeError::Truncated { needed: 8 } });
    println!("the first dword alone: {error:?}");
}
