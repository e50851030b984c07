//! The floor: the least work that visits every instruction.

use crate::table::Done;
use amdgpu_isa::Target;
use std::hint::black_box;

pub fn copy(from: &[u8], to: &mut [u8]) -> Done {
    to.copy_from_slice(from);
    black_box(to);
    Done { instructions: 0, bytes: from.len() as u64 }
}

/// The targets that the scan below supports.
pub fn knows(target: Target) -> bool {
    target.name().starts_with("gfx9")
}

/// Walks the code of a gfx9 (GCN 5, CDNA) by the lengths of instructions, without checking opcodes.
pub fn scan(code: &[u8]) -> Done {
    let (mut instructions, mut at) = (0, 0);
    while let Some(bytes) = code.get(at..at + 4) {
        at += length(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
        instructions += 1;
    }
    Done { instructions, bytes: black_box(at) as u64 }
}

/// Branches instead of a table: a table makes each step wait for two loads of the one before, while a branch is
/// predicted.
#[inline(always)]
fn length(word: u32) -> usize {
    let literal = |code: u32| code == 255;
    if word >> 31 == 0 {
        // VOP2 with its constants in madmk and madak. The encodings of VOP1 and VOPC are part of its range.
        let constant = matches!(word >> 25, 23 | 24 | 36 | 37);
        let more = matches!(word & 0x1ff, 249 | 250 | 255);
        return if constant || more { 8 } else { 4 };
    }
    if word >> 30 == 0b11 {
        return 8;
    }
    let source = literal(word & 255);
    let two_dwords = match word >> 23 {
        // SOP1
        0b1_0111_1101 => source,
        // SOPC
        0b1_0111_1110 => source || literal(word >> 8 & 255),
        // SOPP
        0b1_0111_1111 => false,
        // SOPK: only s_setreg_imm32_b32 has a constant.
        0b1_0110_0000..=0b1_0111_1111 => word >> 23 & 31 == 20,
        // SOP2
        _ => source || literal(word >> 8 & 255),
    };
    if two_dwords { 8 } else { 4 }
}

/// Stores words that were computed in advance; `words` has those of each instruction.
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
