//! The floor: the least work that visits every instruction.

use crate::table::Done;
use amdgpu_isa::Target;
use std::hint::black_box;

pub fn copy(from: &[u8], to: &mut [u8]) -> Done {
    to.copy_from_slice(from);
    black_box(to);
    Done { instructions: 0, bytes: from.len() as u64 }
}

/// A walk over code by the lengths of instructions, without checking opcodes; `None` for generations without such a
/// walk.
pub fn scan(target: Target) -> Option<fn(&[u8]) -> Done> {
    match target.name().split(':').next()? {
        name if name.starts_with("gfx9") => Some(|code| walk(code, |first, _| gfx9(first))),
        name if name.starts_with("gfx11") => Some(|code| walk(code, gfx11)),
        name if name.starts_with("gfx120") => Some(|code| walk(code, gfx12)),
        _ => None,
    }
}

#[inline(always)]
fn walk(code: &[u8], length: impl Fn(u32, u32) -> usize) -> Done {
    let (mut instructions, mut at) = (0, 0);
    let dword = |at: usize| {
        let bytes = code.get(at..at + 4)?;
        Some(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    };
    while let Some(first) = dword(at) {
        at += length(first, dword(at + 4).unwrap_or(0));
        instructions += 1;
    }
    Done { instructions, bytes: black_box(at) as u64 }
}

fn literal(code: u32) -> bool {
    code == 255
}

/// The length of an instruction of RDNA3.
#[inline(always)]
fn gfx11(first: u32, second: u32) -> usize {
    match first >> 26 {
        // MIMG: a bit announces a dword with more addresses.
        0b11_1100 => 8 + (first as usize & 1) * 4,
        _ => rdna(first, second),
    }
}

/// The length of an instruction of RDNA4. Memory operations have three dwords.
#[inline(always)]
fn gfx12(first: u32, second: u32) -> usize {
    match first >> 26 {
        // VIMAGE, VBUFFER, VSAMPLE, VFLAT, VGLOBAL and VSCRATCH.
        0b11_0001 | 0b11_0100 | 0b11_1001 | 0b11_1011 => 12,
        _ => rdna(first, second),
    }
}

/// The length of an instruction in the formats that RDNA3 and RDNA4 have in common.
#[inline(always)]
fn rdna(first: u32, second: u32) -> usize {
    let extended = |src0: u32| matches!(src0, 233 | 234 | 250 | 255);
    if first >> 31 == 0 {
        let constant = matches!(first >> 25, 44 | 45 | 55 | 56);
        return if constant || extended(first & 0x1ff) { 8 } else { 4 };
    }
    if first >> 30 == 0b10 {
        // s_fmaak_f32 and s_fmamk_f32 have a constant, too.
        return if matches!(first >> 23, 0b1_0100_0101 | 0b1_0100_0110) || scalar(first, 19) { 8 } else { 4 };
    }
    let more = match first >> 24 {
        // VINTERP, and LDSDIR with one dword
        0xcd => false,
        0xce => return 4,
        // VOP3P, VOP3
        0xcc | 0xd4..=0xd7 => extended(second & 0x1ff) || literal(second >> 9 & 0x1ff) || literal(second >> 18 & 0x1ff),
        // VOPD; opcodes 1 and 2 have a constant.
        0xc8..=0xcb => {
            let constant = |op: u32| matches!(op, 1 | 2);
            let has = constant(first >> 22 & 15) || constant(first >> 17 & 31);
            has || literal(first & 0x1ff) || literal(second & 0x1ff)
        }
        _ => false,
    };
    if more { 12 } else { 8 }
}

/// The length of an instruction of GFX9. Branches are faster than a table: with a table each step waits for two loads
/// of the step before, while a branch is predicted.
#[inline(always)]
fn gfx9(word: u32) -> usize {
    if word >> 31 == 0 {
        // The VOP2 operations with a constant are madmk and madak. The encodings of VOP1 and VOPC are in the range of
        // VOP2.
        let constant = matches!(word >> 25, 23 | 24 | 36 | 37);
        let more = matches!(word & 0x1ff, 249 | 250 | 255);
        return if constant || more { 8 } else { 4 };
    }
    if word >> 30 == 0b11 {
        return 8;
    }
    if scalar(word, 20) { 8 } else { 4 }
}

/// Whether a scalar operation has a constant. `setreg`: the number of s_setreg_imm32_b32.
#[inline(always)]
fn scalar(word: u32, setreg: u32) -> bool {
    let source = literal(word & 255);
    match word >> 23 {
        // SOP1
        0b1_0111_1101 => source,
        // SOPC
        0b1_0111_1110 => source || literal(word >> 8 & 255),
        // SOPP
        0b1_0111_1111 => false,
        // SOPK: only s_setreg_imm32_b32 has a constant.
        0b1_0110_0000..=0b1_0111_1111 => word >> 23 & 31 == setreg,
        // SOP2
        _ => source || literal(word >> 8 & 255),
    }
}

/// Stores words that were computed in advance. `words` has the words of each instruction, and their number.
pub fn store(words: &[([u32; 5], usize)], out: &mut [u8], bytes: usize) -> Done {
    let mut done = Done { instructions: 0, bytes: 0 };
    while done.bytes < bytes as u64 {
        let mut at = 0;
        for (words, dwords) in words {
            let Some(out) = out.get_mut(at..at + 4 * dwords) else { break };
            for (to, word) in out.chunks_exact_mut(4).zip(words) {
                to.copy_from_slice(&word.to_le_bytes());
            }
            at += 4 * dwords;
        }
        black_box(&mut *out);
        done.instructions += words.len() as u64;
        done.bytes += at as u64;
    }
    done
}
