//! The rules of words on which LLVM crashes. The comment of a rule describes these words.

use super::*;

pub fn crash_on_literal_in_wide_format(case: &Case) -> bool {
    refused_crash(case) && literal_in_wide_format(case)
}

/// A literal that is cut off: that of a 32-bit format or, on RDNA, of VOP3, VOP3P or VOPD.
pub fn crash_on_cut_off_literal(case: &Case) -> bool {
    let scalar = field(case, 30, 2) == 0b10 && (field(case, 0, 8) == LITERAL || field(case, 8, 8) == LITERAL);
    let vector = field(case, 31, 1) == 0 && field(case, 0, 9) == LITERAL;
    // LLVM reads the destination of v_readfirstlane_b32 (VOP1 2) like a source.
    let destination = field(case, 25, 7) == 0b0111111 && field(case, 9, 8) == 2 && field(case, 17, 8) == LITERAL;
    let short = (4..8).contains(&case.word.bytes().len()) && (scalar || vector || destination);
    // From RDNA on, VOP3, VOP3P and VOPD have literals, too.
    let long = is_rdna(case)
        && match field(case, 26, 6) {
            // LLVM reads the scalar destination of a compare like a source, too.
            0b110101 | 0b110011 => {
                [32, 41, 50].iter().any(|&lsb| field(case, lsb, 9) == LITERAL) || field(case, 0, 8) == LITERAL
            }
            0b110010 => [0, 32].iter().any(|&lsb| field(case, lsb, 9) == LITERAL),
            _ => false,
        };
    refused_crash(case) && (short || long && (8..16).contains(&case.word.bytes().len()))
}

/// SDWA with dst_sel, src0_sel or src1_sel 7, or dst_unused 3.
pub fn crash_on_reserved_sdwa_select(case: &Case) -> bool {
    let sdwa = field(case, 31, 1) == 0 && field(case, 0, 9) == SDWA;
    let reserved = [40, 48, 56].iter().any(|&lsb| field(case, lsb, 3) == 7) || field(case, 43, 2) == 3;
    refused_crash(case) && sdwa && reserved
}

/// VOP3P-MAI, or a conversion on gfx950, whose source of 1024 bits is neither VGPRs nor an inline constant.
pub fn crash_on_scalar_1024_bit_source(case: &Case) -> bool {
    let mai = field(case, 23, 9) == 0b1_1010_0111 && field(case, 16, 7) >= 64;
    // Conversions of 32 elements take up to 32 registers.
    let convert = case.target.name() == "gfx950" && [0xd254, 0xd260].contains(&(field(case, 16, 16) & !3));
    let source = if convert { field(case, 32, 9) } else { field(case, 50, 9) };
    let no_register = source < 128 || (209..240).contains(&source) || (249..256).contains(&source);
    refused_crash(case) && (mai || convert) && no_register
}

pub fn crash_on_scalar_f8f6f4_source(case: &Case) -> bool {
    let first = if is_scaled(case) { 64 } else { 0 };
    let scalar = [32, 41].iter().any(|lsb| field(case, first + lsb, 9) < 256);
    refused_crash(case) && is_f8f6f4(case, first) && scalar
}

/// v_madmk_f16 (VOP2 opcode 36) and v_madak_f16 (37), or v_fmamk_f16 (RDNA: 55) and v_fmaak_f16 (56), with the literal
/// 255, whatever src0 holds.
pub fn crash_on_madmk_f16_literal_255(case: &Case) -> bool {
    let opcodes = if is_rdna(case) { [55, 56] } else { [36, 37] };
    let opcode = field(case, 31, 1) == 0 && opcodes.contains(&field(case, 25, 6));
    case.llvm == Answer::Crash
        && matches!(case.ours, Ours::Inst { len: 8, .. } | Ours::Refused(_))
        && opcode
        && field(case, 32, 32) == LITERAL
}

/// s_load_b96 (5) and s_buffer_load_b96 (21) to ttmp0 and up.
pub fn crash_on_three_trap_registers(case: &Case) -> bool {
    let load = is_scalar_memory(case) && [5, 21].contains(&field(case, 13, 6));
    load && (108..124).contains(&field(case, 6, 7)) && case.llvm == Answer::Crash
}

pub fn crash_on_literal_barrier(case: &Case) -> bool {
    is_barrier(case) && field(case, 0, 8) == LITERAL && case.llvm == Answer::Crash
}

/// v_wmma_f32_16x16x128_f8f6f4, alone or after scales, with a format above 4 (in its bits 13:11, or 14 above 60:59).
pub fn crash_on_unnamed_matrix_format(case: &Case) -> bool {
    let scaled = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    let first = if scaled { 64 } else { 0 };
    let formats = [field(case, first + 11, 3), field(case, first + 14, 1) << 2 | field(case, first + 59, 2)];
    let len = if scaled { 16 } else { 8 };
    case.ours.size() == Some(len)
        && case.llvm == Answer::Crash
        && field(case, first + 16, 16) == 0xcc33
        && formats.iter().any(|format| *format > 4)
}

/// A matrix operation of CDNA5, or a conversion of a part of a matrix, that the library refuses. LLVM crashes on a
/// source that is neither VGPRs nor a constant.
pub fn crash_on_scalar_matrix(case: &Case) -> bool {
    let matrix = [0xcc33, 0xcc88].iter().any(|op| [16, 80].iter().any(|lsb| field(case, *lsb, 16) == *op));
    let convert = field(case, 26, 6) == 0b110101 && (663..=728).contains(&field(case, 16, 10));
    refused_crash(case) && (matrix || convert)
}
