//! A use in firmware: iterates over code and patches it in place, without a heap. Everything except `main` is `no_std`.
//!
//! `cargo run --example firmware`

#![no_std]

extern crate std;

use amdgpu_isa::patch::{DecoderMut, InstMut, Location, PatchError};
use amdgpu_isa::{DecodeError, Decoded, Decoder, Field, Format, Inst, Opcode, Target};
use std::println;

const TARGET: Target = Target::Gfx942;

/// The reason why a patch failed. In that case nothing was written.
#[derive(Debug, PartialEq)]
enum Error {
    /// The bytes at the offset are not an instruction.
    Decode { offset: usize, error: DecodeError },
    /// The change cannot be made.
    Patch(PatchError),
    /// The code contains nothing to patch.
    NotFound,
}

/// The first instruction that matches, and its offset in bytes.
fn find(code: &mut [u8], wanted: impl Fn(&Inst) -> bool) -> Result<(usize, InstMut<'_, [u8]>), Error> {
    for Decoded { offset, inst } in DecoderMut::new(TARGET, code) {
        let inst = inst.map_err(|invalid| Error::Decode { offset, error: invalid.error })?;
        if wanted(&inst) {
            return Ok((offset, inst));
        }
    }
    Err(Error::NotFound)
}

/// Changes a literal: the first `s_mov_b32` that holds `from` gets `to`.
fn replace_literal(code: &mut [u8], from: u32, to: u32) -> Result<(), Error> {
    let holds = |inst: &Inst| inst.opcode() == Opcode::SMovB32 && inst.get(Field::Literal) == Some(from);
    let (_, mut mov) = find(code, holds)?;
    mov.set_literal(to).map_err(Error::Patch)
}

/// Changes an immediate: the first `s_sleep` gets the shortest time.
fn shorten_sleep(code: &mut [u8]) -> Result<(), Error> {
    let (_, mut sleep) = find(code, |inst| inst.opcode() == Opcode::SSleep)?;
    sleep.set(Field::Simm16, 0).map_err(Error::Patch)
}

/// Changes an opcode and a branch target: the first conditional branch becomes unconditional, to the byte offset `to`.
fn force_branch(code: &mut [u8], to: u64) -> Result<(), Error> {
    let conditional = |inst: &Inst| inst.flags().is_branch() && !inst.flags().no_fallthrough();
    let (offset, mut branch) = find(code, conditional)?;
    branch.set_branch_target(offset as u64, to).map_err(Error::Patch)?;
    branch.set_opcode(Opcode::SBranch).map_err(Error::Patch)
}

/// The bits of the immediate of `s_sleep`. For a known instruction, a constant gives the bits, and no table is needed.
const SLEEP_TIME: Location = Location::of(TARGET, Format::Sopp, Field::Simm16).unwrap();

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

    for Decoded { offset, inst: item } in Decoder::new(TARGET, &code) {
        println!("{offset:4x}  {}", item.expect("patched code is code"));
    }
    let mut words: [u32; 5] = [0xbe8000ff, 0x1000, 0xbf8e0000, 0xbf820000, 0xbf810000];
    assert!(code.chunks_exact(4).zip(words).all(|(bytes, word)| bytes == word.to_le_bytes()));

    SLEEP_TIME.put(&mut words[2..], 5).expect("it fits");
    assert_eq!(words[2], 0xbf8e0005);

    // A truncated literal or a branch out of range is an error with this reason, and nothing is written.
    let error = replace_literal(&mut code[..4], 0x1000, 0).unwrap_err();
    assert_eq!(error, Error::Decode { offset: 0, error: DecodeError::Truncated { needed: 8 } });
    println!("the first dword alone: {error:?}");
    code[14] = 0x85;
    let before = code;
    let error = force_branch(&mut code, 0x100_0000).unwrap_err();
    assert_eq!((error, code), (Error::Patch(PatchError::Distance(0x100_0000 - 16)), before));
}
