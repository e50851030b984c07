//! The rules that `differences.txt` names: each as narrow as possible, from the word's bits and both answers.

// The directory is that of this file, also where another program includes it.
#[path = "classes/images.rs"]
mod images;
#[path = "classes/newer.rs"]
mod newer;

use images::*;
use newer::*;

use crate::compare::Case;
use crate::oracle::{Answer, Word};
use crate::ours::{self, Ours};

pub type Rule = fn(&Case) -> bool;

pub fn rule(name: &str) -> Option<Rule> {
    let rule: Rule = match name {
        "crash_on_literal_in_wide_format" => crash_on_literal_in_wide_format,
        "we_refuse_literal_in_wide_format" => we_refuse_literal_in_wide_format,
        "crash_on_cut_off_literal" => crash_on_cut_off_literal,
        "crash_on_reserved_sdwa_select" => crash_on_reserved_sdwa_select,
        "crash_on_scalar_1024_bit_source" => crash_on_scalar_1024_bit_source,
        "crash_on_scalar_f8f6f4_source" => crash_on_scalar_f8f6f4_source,
        "llvm_lacks_f8f6f4_near_the_end" => llvm_lacks_f8f6f4_near_the_end,
        "we_refuse_second_half_of_scaled" => we_refuse_second_half_of_scaled,
        "crash_on_madmk_f16_literal_255" => crash_on_madmk_f16_literal_255,
        "comment_register_class" => comment_register_class,
        "comment_invalid_immediate" => comment_invalid_immediate,
        "we_refuse_register_of_other_class" => we_refuse_register_of_other_class,
        "we_refuse_immediate_for_register" => we_refuse_immediate_for_register,
        "we_refuse_dpp_ctrl_hole" => we_refuse_dpp_ctrl_hole,
        "we_refuse_literal64" => we_refuse_literal64,
        "we_refuse_literal32" => we_refuse_literal32,
        "constant_of_packed_f16" => constant_of_packed_f16,
        "crash_on_scalar_matrix" => crash_on_scalar_matrix,
        "crash_on_unnamed_matrix_format" => crash_on_unnamed_matrix_format,
        "llvm_omits_suffix" => llvm_omits_suffix,
        "llvm_shows_third_op_sel" => llvm_shows_third_op_sel,
        "we_refuse_second_half_of_scaled_wmma" => we_refuse_second_half_of_scaled_wmma,
        "llvm_wants_v0_beside_scales" => llvm_wants_v0_beside_scales,
        "message_of_cdna5" => message_of_cdna5,
        "we_refuse_reserved_source" => we_refuse_reserved_source,
        "we_refuse_null_resource" => we_refuse_null_resource,
        "we_refuse_scalar_half" => we_refuse_scalar_half,
        "we_refuse_bits_of_gfx1250" => we_refuse_bits_of_gfx1250,
        "llvm_lacks_idle_ray_address" => llvm_lacks_idle_ray_address,
        "we_refuse_null_for_vgpr" => we_refuse_null_for_vgpr,
        "we_refuse_vgprs_past_the_end" => we_refuse_vgprs_past_the_end,
        "we_refuse_sgprs_past_the_end" => we_refuse_sgprs_past_the_end,
        "we_refuse_read_only_register" => we_refuse_read_only_register,
        "mandatory_literal_as_source_code" => mandatory_literal_as_source_code,
        "llvm_lacks_agpr_atomic" => llvm_lacks_agpr_atomic,
        "we_refuse_accvgpr" => we_refuse_accvgpr,
        "gather_with_tfe_and_d16" => gather_with_tfe_and_d16,
        "misaligned_image_data" => misaligned_image_data,
        "we_refuse_image_data_past_the_end" => we_refuse_image_data_past_the_end,
        "we_refuse_flat_offset" => we_refuse_flat_offset,
        "we_refuse_scratch_without_address" => we_refuse_scratch_without_address,
        "we_refuse_literal_buffer_offset" => we_refuse_literal_buffer_offset,
        "flat_tfe" => flat_tfe,
        "we_refuse_exec_base" => we_refuse_exec_base,
        "we_refuse_exec_base_of_flat" => we_refuse_exec_base_of_flat,
        "llvm_lacks_opcode" => llvm_lacks_opcode,
        "llvm_lacks_newer_opcode" => llvm_lacks_newer_opcode,
        "nop_with_extension" => nop_with_extension,
        "we_refuse_vector_mask" => we_refuse_vector_mask,
        "literal_of_two" => literal_of_two,
        "small_literal_of_double" => |case| small_literal_of_double(case) && !between_bars(case),
        "small_literal_of_absolute_double" => |case| small_literal_of_double(case) && between_bars(case),
        "negative_literal64" => negative_literal64,
        "two_blanks" => |case| nsa(case) && one_blank_more(case),
        "tensor_stop" => tensor_stop,
        "we_refuse_short_nsa" => we_refuse_short_nsa,
        "image_size_that_llvm_lacks" => image_size_that_llvm_lacks,
        "literal_with_dpp" => literal_with_dpp,
        "we_refuse_op_sel" => we_refuse_op_sel,
        "we_refuse_dpp_scalar" => we_refuse_dpp_scalar,
        "we_refuse_literal_register" => we_refuse_literal_register,
        "dpp_ctrl_as_source_code" => dpp_ctrl_as_source_code,
        "we_refuse_null_vgpr" => we_refuse_null_vgpr,
        "we_refuse_null_tensor" => we_refuse_null_tensor,
        "wmma_inverse_two_pi" => wmma_inverse_two_pi,
        "pk_fmac_literal" => pk_fmac_literal,
        "fmac_dpp_constant" => fmac_dpp_constant,
        "bars_around_two" => bars_around_two,
        "dpp8_as_source_code" => dpp8_as_source_code,
        "we_refuse_literal_lane" => we_refuse_literal_lane,
        "we_refuse_scalar_movrels" => we_refuse_scalar_movrels,
        "delay_without_name" => delay_without_name,
        "scalar_half_constant" => scalar_half_constant,
        "scalar_half_literal" => scalar_half_literal,
        "we_refuse_barrier_register" => we_refuse_barrier_register,
        "crash_on_literal_barrier" => crash_on_literal_barrier,
        "we_refuse_scalar_memory_of_gfx1250" => we_refuse_scalar_memory_of_gfx1250,
        "crash_on_three_trap_registers" => crash_on_three_trap_registers,
        "we_refuse_illegal" => we_refuse_illegal,
        "we_refuse_mix_of_gfx9" => we_refuse_mix_of_gfx9,
        "float_of_half_integer" => |case| float_of_half_integer(case) && !has_cut_literal(case),
        "comma_of_export" => comma_of_export,
        "we_refuse_unused_source_of_pair" => we_refuse_unused_source_of_pair,
        "we_refuse_signs_of_matrices" => we_refuse_signs_of_matrices,
        "size_beside_unnamed_format" => size_beside_unnamed_format,
        "we_refuse_moved_opcode" => we_refuse_moved_opcode,
        "we_refuse_dropped_opcode" => we_refuse_dropped_opcode,
        "llvm_refuses_runs_into_vcc" => llvm_refuses_runs_into_vcc,
        "half_of_packed_shift" => half_of_packed_shift,
        "braces_of_wait_event" => braces_of_wait_event,
        "decimal_number" => decimal_number,
        "llvm_wants_format" => llvm_wants_format,
        "llvm_lacks_opcode_of_24" => llvm_lacks_opcode_of_24,
        "eight_trap_registers" => eight_trap_registers,
        "llvm_lacks_literal64_beside_literal64" => llvm_lacks_literal64_beside_literal64,
        "signed_dot_product" => signed_dot_product,
        "constant_literal_of_double" => |case| constant_literal_of_double(case) && !between_bars(case),
        "constant_literal_of_absolute_double" => |case| constant_literal_of_double(case) && between_bars(case),
        "constant_literal_of_double_of_cdna5" => constant_literal_of_double,
        "float_of_half_integer_beside_literal" => |case| float_of_half_integer(case) && has_cut_literal(case),
        _ => return None,
    };
    Some(rule)
}

const LITERAL: u128 = 255;
const SDWA: u128 = 249;

fn field(case: &Case, lsb: u32, width: u32) -> u128 {
    case.word.bits() >> lsb & ((1 << width) - 1)
}

fn is_rdna(case: &Case) -> bool {
    case.target.name.starts_with("gfx1")
}

fn is_gfx13(case: &Case) -> bool {
    case.target.name.starts_with("gfx13")
}

fn is_rdna4_or_later(case: &Case) -> bool {
    case.target.name.starts_with("gfx12") || is_gfx13(case)
}

/// Both refuse, LLVM by crashing.
fn refused_crash(case: &Case) -> bool {
    case.llvm == Answer::Crash && matches!(case.ours, Ours::Refused(_))
}

/// VOP3* with a source of 255, MUBUF and MTBUF with a soffset of 255.
fn literal_in_wide_format(case: &Case) -> bool {
    let source = match field(case, 26, 6) {
        0b110100 => [32, 41, 50].iter().any(|&lsb| field(case, lsb, 9) == LITERAL) || field(case, 0, 8) == LITERAL,
        0b111000 | 0b111010 => field(case, 56, 8) == LITERAL,
        _ => false,
    };
    let scaled = is_scaled(case) && [96, 105, 114].iter().any(|&lsb| field(case, lsb, 9) == LITERAL);
    case.word.bytes().len() >= 8 && (source || scaled)
}

fn crash_on_literal_in_wide_format(case: &Case) -> bool {
    refused_crash(case) && literal_in_wide_format(case)
}

fn we_refuse_literal_in_wide_format(case: &Case) -> bool {
    refused_text(case).is_some() && literal_in_wide_format(case)
}

/// A 32-bit format with room for itself but not for its literal.
fn crash_on_cut_off_literal(case: &Case) -> bool {
    let scalar = field(case, 30, 2) == 0b10 && (field(case, 0, 8) == LITERAL || field(case, 8, 8) == LITERAL);
    let vector = field(case, 31, 1) == 0 && field(case, 0, 9) == LITERAL;
    // LLVM reads the destination of v_readfirstlane_b32 (VOP1 2) like a source.
    let destination = field(case, 25, 7) == 0b0111111 && field(case, 9, 8) == 2 && field(case, 17, 8) == LITERAL;
    let short = (4..8).contains(&case.word.bytes().len()) && (scalar || vector || destination);
    // From RDNA on VOP3, VOP3P and VOPD have literals too.
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
fn crash_on_reserved_sdwa_select(case: &Case) -> bool {
    let sdwa = field(case, 31, 1) == 0 && field(case, 0, 9) == SDWA;
    let reserved = [40, 48, 56].iter().any(|&lsb| field(case, lsb, 3) == 7) || field(case, 43, 2) == 3;
    refused_crash(case) && sdwa && reserved
}

/// VOP3P-MAI whose 1024-bit src2 is neither VGPRs nor an inline constant.
fn crash_on_scalar_1024_bit_source(case: &Case) -> bool {
    let mai = field(case, 23, 9) == 0b1_1010_0111 && field(case, 16, 7) >= 64;
    // Conversions of 32 elements in a row, which take up to 32 registers.
    let convert = case.target.name == "gfx950" && [0xd254, 0xd260].contains(&(field(case, 16, 16) & !3));
    let source = if convert { field(case, 32, 9) } else { field(case, 50, 9) };
    let no_register = source < 128 || (209..240).contains(&source) || (249..256).contains(&source);
    refused_crash(case) && (mai || convert) && no_register
}

/// Whether 64 bits are a matrix operation of CDNA4 on elements of 8, 6 or 4 bits.
fn is_f8f6f4(case: &Case, first: u32) -> bool {
    field(case, first + 23, 9) == 0b1_1010_0111 && [45, 46].contains(&field(case, first + 16, 7))
}

/// v_mfma_ld_scale_b32 with scales in VGPRs, before a matrix operation that takes scales.
fn is_scaled(case: &Case) -> bool {
    let scales = field(case, 16, 16) == 0xd3ac && field(case, 40, 1) == 1 && field(case, 49, 1) == 1;
    scales && is_f8f6f4(case, 64) && field(case, 75, 4) == 1
}

fn crash_on_scalar_f8f6f4_source(case: &Case) -> bool {
    let first = if is_scaled(case) { 64 } else { 0 };
    let scalar = [32, 41].iter().any(|lsb| field(case, first + lsb, 9) < 256);
    refused_crash(case) && is_f8f6f4(case, first) && scalar
}

/// LLVM first looks for a tuple of eight registers, and none begins so near the end.
fn llvm_lacks_f8f6f4_near_the_end(case: &Case) -> bool {
    let first = if is_scaled(case) { 64 } else { 0 };
    let near = [32, 41].iter().any(|lsb| field(case, first + lsb, 8) > 248);
    let lacks = match (&case.ours, &case.llvm) {
        (Ours::Inst { .. }, Answer::Reject) => true,
        (Ours::Inst { len: 16, .. }, Answer::Text { len: 8, text, .. }) => text.starts_with("v_mfma_ld_scale_b32 "),
        _ => false,
    };
    lacks && is_f8f6f4(case, first) && near
}

fn we_refuse_second_half_of_scaled(case: &Case) -> bool {
    is_scaled(case) && refused_text(case).is_some_and(|text| text.starts_with("v_mfma_ld_scale_b32 "))
}

/// v_madmk_f16 (VOP2 opcode 36) and v_madak_f16 (37), or v_fmamk_f16 (RDNA: 55) and v_fmaak_f16 (56), with the literal
/// 255, whatever src0 holds.
fn crash_on_madmk_f16_literal_255(case: &Case) -> bool {
    let opcodes = if is_rdna(case) { [55, 56] } else { [36, 37] };
    let opcode = field(case, 31, 1) == 0 && opcodes.contains(&field(case, 25, 6));
    case.llvm == Answer::Crash
        && matches!(case.ours, Ours::Inst { len: 8, .. } | Ours::Refused(_))
        && opcode
        && field(case, 32, 32) == LITERAL
}

/// LLVM's text without the comments that start like `start`; `None` if there are none.
fn without_comments(case: &Case, start: &str) -> Option<String> {
    let Answer::Text { text, .. } = &case.llvm else { return None };
    let mut out = text.clone();
    while let Some(from) = out.find(start) {
        let to = from + out[from..].find("*/")? + 2;
        out.replace_range(from..to, "");
    }
    (out != *text).then_some(out)
}

/// Whether length and text are equal, except for the comments.
fn equal_but_for_comments(case: &Case, start: &str) -> bool {
    match (&case.ours, &case.llvm) {
        (Ours::Inst { len, text, .. }, Answer::Text { len: llvm_len, .. }) => {
            len == llvm_len && without_comments(case, start).as_ref() == Some(text)
        }
        _ => false,
    }
}

fn refused_with_comment(case: &Case, start: &str) -> bool {
    matches!(case.ours, Ours::Refused(_)) && without_comments(case, start).is_some()
}

/// The comment is on a tuple: the library refuses single registers on which LLVM comments.
fn comment_register_class(case: &Case) -> bool {
    let Answer::Text { text, .. } = &case.llvm else { return false };
    let tuples_only = text.match_indices("/*Invalid register").all(|(at, _)| text[..at].ends_with(']'));
    tuples_only && equal_but_for_comments(case, "/*Invalid register")
}

fn comment_invalid_immediate(case: &Case) -> bool {
    equal_but_for_comments(case, "/*Invalid immediate")
}

fn we_refuse_register_of_other_class(case: &Case) -> bool {
    refused_with_comment(case, "/*Invalid register")
}

fn we_refuse_immediate_for_register(case: &Case) -> bool {
    refused_with_comment(case, "/*Invalid immediate")
}

fn we_refuse_dpp_ctrl_hole(case: &Case) -> bool {
    [
        "/* Invalid dpp_ctrl",
        "/* row_xmask is not supported",
        "/* DP ALU dpp only supports row_newbcast",
        "/* DP ALU dpp only supports row_share",
        "/* row_newbcast/row_share is not",
        "/* row_bcast is not",
        "/* wave_",
    ]
    .iter()
    .any(|start| refused_with_comment(case, start))
}

/// LLVM's text, if we refuse what it accepts.
fn refused_text(case: &Case) -> Option<&str> {
    match (&case.ours, &case.llvm) {
        (Ours::Refused(_), Answer::Text { text, .. }) => Some(text),
        _ => None,
    }
}

/// Codes that LLVM's decoder names but its assembler does not accept on the target.
fn we_refuse_reserved_source(case: &Case) -> bool {
    let rdna3 = ["gfx11", "gfx12", "gfx13"].iter().any(|g| case.target.name.starts_with(g));
    let name = match refused_code(case) {
        Some(104 | 105) if !is_rdna(case) => "xnack_mask",
        // From RDNA on, there is a null register.
        Some(125) if !is_rdna(case) => "null",
        Some(230 | 231) => "src_flat_scratch_base_",
        Some(239) if rdna3 => "src_pops_exiting_wave_id",
        Some(251) if rdna3 => "src_vccz",
        Some(252) if rdna3 => "src_execz",
        Some(254) => "src_lds_direct",
        _ => return false,
    };
    refused_text(case).is_some_and(|text| text.contains(name))
}

/// The resource of a buffer, or the resource or sampler of an image.
fn we_refuse_null_resource(case: &Case) -> bool {
    let names = ["srsrc ", "ssamp ", "rsrc ", "samp "];
    let ours = matches!(&case.ours, Ours::Refused(reason) if names.iter().any(|name| reason.starts_with(name)));
    let of = ["image_", "buffer_", "tbuffer_"];
    ours && refused_text(case).is_some_and(|text| of.iter().any(|of| text.starts_with(of)) && text.contains(", null"))
}

/// Bits 7 and 48 of memory operations of three dwords.
fn we_refuse_bits_of_gfx1250(case: &Case) -> bool {
    let bits = [("(nv)", " nv"), ("(scale_offset)", " scale_offset")];
    let named = |text: &str| {
        let reason = |name: &str| matches!(&case.ours, Ours::Refused(reason) if reason.contains(name));
        bits.iter().any(|(name, word)| reason(name) && text.contains(word))
    };
    refused_text(case).is_some_and(named)
}

/// VINTERP with a source below 256 where a half of a VGPR must stand.
fn we_refuse_scalar_half(case: &Case) -> bool {
    let scalar = [32, 50].iter().any(|&lsb| field(case, lsb, 9) < 256);
    // From RDNA4 on two bits more belong to other fields.
    let width = if is_rdna4_or_later(case) { 5 } else { 7 };
    let f16 = (2..6).contains(&field(case, 16, width));
    field(case, 24, 8) == 0b11001101 && f16 && scalar && refused_text(case).is_some()
}

/// Operations of VOP1 and VOP3 with null as a source that must be a VGPR.
fn we_refuse_null_for_vgpr(case: &Case) -> bool {
    let code = if is_gfx10(case) { 125 } else { 124 };
    let source = |reason: &str| reason.starts_with("src") && reason.ends_with(&format!("= {code} is reserved"));
    let names = [
        "v_interp_",
        "v_movrel",
        "v_mqsad_u32_u8 ",
        "v_permlane",
        "v_cvt_scale",
        "v_readfirstlane_b32 ",
        "v_readlane_b32 ",
        "v_swap",
    ];
    let named = |text: &str| names.iter().any(|name| text.starts_with(name)) && text.contains("null");
    is_rdna(case)
        && matches!(&case.ours, Ours::Refused(reason) if source(reason))
        && refused_text(case).is_some_and(named)
}

/// The last register of the tuples of a register file in a text: `v[254:257]` gives 257.
fn last_registers(text: &str, file: char) -> impl Iterator<Item = u32> + '_ {
    let start = format!("{file}[");
    text.match_indices(&start).map(|(at, _)| at).collect::<Vec<_>>().into_iter().filter_map(move |at| {
        let inside = text[at + 2..].split(']').next()?;
        inside.split(':').nth(1)?.parse().ok()
    })
}

fn we_refuse_vgprs_past_the_end(case: &Case) -> bool {
    refused_text(case).is_some_and(|text| ['v', 'a'].iter().any(|&file| last_registers(text, file).any(|r| r > 255)))
}

fn we_refuse_sgprs_past_the_end(case: &Case) -> bool {
    // Before gfx9 there are 12 trap registers, later 16; from RDNA on, there are 106 scalar registers.
    let traps = if case.target.name.starts_with("gfx8") { 11 } else { 15 };
    let last = if case.target.name.starts_with("gfx1") { 105 } else { 101 };
    refused_text(case)
        .is_some_and(|text| last_registers(text, 's').any(|r| r > last) || last_registers(text, 'p').any(|r| r > traps))
}

/// A read-only scalar (shared base, vccz, ...) as a destination or where only VGPRs are allowed.
fn we_refuse_read_only_register(case: &Case) -> bool {
    let name = match refused_code(case) {
        Some(235) => "src_shared_base",
        Some(236) => "src_shared_limit",
        Some(237) => "src_private_base",
        Some(238) => "src_private_limit",
        Some(239) => "src_pops_exiting_wave_id",
        Some(251) => "src_vccz",
        Some(252) => "src_execz",
        Some(253) => "src_scc",
        _ => return false,
    };
    refused_text(case).is_some_and(|text| text.contains(name))
}

/// The code of an operand that we refuse.
fn refused_code(case: &Case) -> Option<u32> {
    let Ours::Refused(reason) = &case.ours else { return None };
    let value: u32 = reason.strip_suffix(" is reserved")?.rsplit_once("= ")?.1.parse().ok()?;
    // This field counts pairs.
    Some(if reason.starts_with("sbase ") { 2 * value } else { value })
}

/// v_nop and v_clrexcp (VOP1 0 and 53) with the source code of an extension dword.
fn nop_with_extension(case: &Case) -> bool {
    let vop1 = field(case, 25, 7) == 0b0111111 && [0, 53].contains(&field(case, 9, 8));
    let llvm = match (&case.ours, &case.llvm) {
        (Ours::Inst { len: 8 | 12, text: ours, .. }, Answer::Text { len: 4, text, .. }) => {
            ours.split(' ').next() == Some(text) && ["v_nop", "v_clrexcp"].contains(&text.as_str())
        }
        (Ours::Refused(_), Answer::Text { len: 4, text, .. }) => ["v_nop", "v_clrexcp"].contains(&text.as_str()),
        _ => false,
    };
    let announced = [249, 250].contains(&field(case, 0, 9)) || is_rdna(case) && [233, 234].contains(&field(case, 0, 9));
    vop1 && announced && llvm
}

/// VGPRs as the condition mask of an operation of VOP3.
fn we_refuse_vector_mask(case: &Case) -> bool {
    let vop3 = [0b110100, 0b110101].contains(&field(case, 26, 6)) && field(case, 50, 9) >= 256;
    vop3 && refused_text(case).is_some_and(|text| {
        let masked =
            ["v_cndmask_b", "v_addc_", "v_subb_", "v_subbrev_", "v_add_co_ci_", "v_sub_co_ci_", "v_subrev_co_ci_"];
        masked.iter().any(|m| text.starts_with(m))
    })
}

fn is_scalar_memory(case: &Case) -> bool {
    field(case, 26, 6) == 0b111101
}

/// Bits that only gfx1250 assigns: nv (20), and the scale of the offset (56).
fn we_refuse_scalar_memory_of_gfx1250(case: &Case) -> bool {
    let reason = |bit: u32| format!("reserved bit {bit} of SMEM (reserved) is wrong");
    let is = |bit: u32| field(case, bit, 1) == 1 && matches!(&case.ours, Ours::Refused(why) if *why == reason(bit));
    is_scalar_memory(case) && (is(20) || is(56)) && refused_text(case).is_some()
}

/// s_load_b96 (5) and s_buffer_load_b96 (21) to ttmp0 and up.
fn crash_on_three_trap_registers(case: &Case) -> bool {
    let load = is_scalar_memory(case) && [5, 21].contains(&field(case, 13, 6));
    load && (108..124).contains(&field(case, 6, 7)) && case.llvm == Answer::Crash
}

/// SOP1 with the number of a barrier: s_barrier_signal (78), s_barrier_signal_isfirst, s_get_barrier_state,
/// s_barrier_init, s_barrier_join (82) and s_wakeup_barrier (87).
fn is_barrier(case: &Case) -> bool {
    let sop1 = field(case, 23, 9) == 0b1_0111_1101 && (78..=82).chain([87]).any(|op| field(case, 8, 8) == op);
    sop1 && matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("ssrc0 "))
}

/// The number is neither m0 nor an integer.
fn we_refuse_barrier_register(case: &Case) -> bool {
    let good = field(case, 0, 8) == 125 || (128..=208).contains(&field(case, 0, 8));
    is_barrier(case) && !good && refused_text(case).is_some()
}

fn crash_on_literal_barrier(case: &Case) -> bool {
    is_barrier(case) && field(case, 0, 8) == LITERAL && case.llvm == Answer::Crash
}

/// s_delay_alu with a number that has no name.
fn delay_without_name(case: &Case) -> bool {
    let comments = ["/* invalid instid value */", "/* invalid instskip value */"];
    texts(case).is_some_and(|(ours, llvm)| {
        let whole = format!("s_delay_alu {:#x}", field(case, 0, 16));
        ours == whole && llvm.starts_with("s_delay_alu ") && comments.iter().any(|comment| llvm.contains(comment))
    })
}

/// The operands of a text.
fn operands(text: &str) -> Vec<&str> {
    text.split_once(' ').map_or(Vec::new(), |(_, operands)| operands.split(", ").collect())
}

/// Inline floats, and their bits in 16 bits.
const FLOATS: [(&str, &str); 9] = [
    ("0.5", "0x3800"),
    ("-0.5", "0xb800"),
    ("1.0", "0x3c00"),
    ("-1.0", "0xbc00"),
    ("2.0", "0x4000"),
    ("-2.0", "0xc000"),
    ("4.0", "0x4400"),
    ("-4.0", "0xc400"),
    ("0.15915494", "0x3118"),
];

/// Scalar compares of 16-bit floats: LLVM prints the bits of an inline float. It drops the upper half of a literal
/// where we print it, and prints it where we drop it.
fn scalar_half_constant(case: &Case) -> bool {
    let compare = field(case, 23, 9) == 0b1_0111_1110 && (81..=94).contains(&field(case, 16, 7));
    let literal = field(case, 32, 32);
    let (whole, half) = (format!("lit({literal:#x})"), format!("{:#x}", literal & 0xffff));
    let equal = |(ours, llvm): (&&str, &&str)| {
        let is_literal =
            (*ours, *llvm) == (whole.as_str(), half.as_str()) || (*ours, *llvm) == (half.as_str(), whole.as_str());
        ours == llvm || FLOATS.contains(&(ours, llvm)) || is_literal
    };
    compare
        && texts(case).is_some_and(|(ours, llvm)| {
            let (ours, llvm) = (operands(ours), operands(llvm));
            ours.len() == llvm.len() && ours.iter().zip(&llvm).all(equal)
        })
}

/// SOP1 with a 16-bit float as the source, which is a literal: s_cvt_f32_f16 (105), s_ceil_f16, s_floor_f16,
/// s_trunc_f16, s_rndne_f16 (107 to 110).
fn scalar_half_literal(case: &Case) -> bool {
    let half = field(case, 23, 9) == 0b1_0111_1101 && [105, 107, 108, 109, 110].contains(&field(case, 8, 8));
    let literal = field(case, 32, 32);
    let one_of = |text: &str, all: &[String]| all.iter().any(|one| one == text);
    half && field(case, 0, 8) == LITERAL
        && texts(case).is_some_and(|(ours, llvm)| match (&operands(ours)[..], &operands(llvm)[..]) {
            ([a, ours], [b, llvm]) => {
                let whole = format!("{literal:#x}");
                a == b
                    && one_of(ours, &[format!("{:#x}", literal & 0xffff), format!("lit({whole})")])
                    && one_of(llvm, &[whole.clone(), format!("lit({whole})")])
            }
            _ => false,
        })
}

/// Four bytes of zero.
fn we_refuse_illegal(case: &Case) -> bool {
    field(case, 0, 32) == 0 && refused_text(case) == Some("v_illegal")
}

/// v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16 with the encoding of VOP3P that gfx9 has.
fn we_refuse_mix_of_gfx9(case: &Case) -> bool {
    let vop3p = field(case, 23, 9) == 0b1_1010_0111 && (32..=34).contains(&field(case, 16, 7));
    vop3p && refused_text(case).is_some_and(|text| text.starts_with("v_fma_mix"))
}

/// VOP2 with a mandatory literal (23, 24, 36, 37; RDNA: 32, 33, 44, 45, 55, 56) or SOP2 (69, 70) that is also the code
/// of an inline constant; and VOPD with such an operation (1 or 2 in either half).
fn mandatory_literal_as_source_code(case: &Case) -> bool {
    let vop2 = field(case, 31, 1) == 0 && [23, 24, 32, 33, 36, 37, 44, 45, 55, 56].contains(&field(case, 25, 6));
    let sop2 = field(case, 30, 2) == 0b10 && [69, 70].contains(&field(case, 23, 7));
    let dual =
        field(case, 26, 6) == 0b110010 && [field(case, 22, 4), field(case, 17, 5)].iter().any(|op| (1..3).contains(op));
    let literal = field(case, if dual { 64 } else { 32 }, 32);
    // Only the literal differs.
    let hex = format!("{literal:#x}");
    let only_there = texts(case).is_some_and(|(ours, llvm)| {
        let (ours, llvm): (Vec<_>, Vec<_>) = (ours.split([' ', ',']).collect(), llvm.split([' ', ',']).collect());
        ours.len() == llvm.len() && ours.iter().zip(&llvm).all(|(a, b)| a == b || a.contains(&hex))
    });
    (vop2 || sop2 || dual) && only_there && is_inline_constant(literal)
}

fn is_inline_constant(code: u128) -> bool {
    (128..=208).contains(&code) || (240..=248).contains(&code)
}

/// DPP8 of VOP1 or VOP2 whose 24 bits are also the code of an inline constant or of a literal.
fn dpp8_as_source_code(case: &Case) -> bool {
    let dpp8 = field(case, 31, 1) == 0 && [233, 234].contains(&field(case, 0, 9));
    let lanes = field(case, 40, 24);
    let Ours::Inst { len: 8, text, .. } = &case.ours else { return false };
    let equal = |llvm: &str| text.split_once("dpp8:").map(|t| t.0) == llvm.split_once("dpp8:").map(|t| t.0);
    dpp8 && match &case.llvm {
        Answer::Text { len: 8, text: llvm, .. } => is_inline_constant(lanes) && equal(llvm),
        Answer::Text { len: 12, text: llvm, .. } => lanes == LITERAL && equal(llvm),
        Answer::Crash => lanes == LITERAL && case.word.bytes().len() < 12,
        _ => false,
    }
}

/// v_readlane_b32 and v_writelane_b32 of RDNA with a literal as the number of the lane.
fn we_refuse_literal_lane(case: &Case) -> bool {
    let lane = field(case, 26, 6) == 0b110101 && [864, 865].contains(&field(case, 16, 10));
    lane && field(case, 41, 9) == LITERAL && refused_text(case).is_some_and(|text| text.contains("lane_b32 "))
}

/// v_movrels_b32, v_movrelsd_b32 or v_movrelsd_2_b32 with SDWA and s0.
fn we_refuse_scalar_movrels(case: &Case) -> bool {
    let sdwa = field(case, 31, 1) == 0 && field(case, 0, 9) == SDWA && field(case, 55, 1) == 1;
    sdwa && refused_text(case).is_some_and(|text| text.starts_with("v_movrels"))
}

/// VOPD of v_dual_fmamk_f32 and another operation with a literal, whose src0y (40:32) is 255.
fn literal_of_two(case: &Case) -> bool {
    let dual = field(case, 26, 6) == 0b110010 && field(case, 22, 4) == 2 && [1, 2].contains(&field(case, 17, 5));
    let equal = texts(case).is_some_and(|(ours, llvm)| {
        let Some((before, rest)) = ours.rsplit_once("lit(") else { return false };
        let Some((_, after)) = rest.split_once(')') else { return false };
        llvm.starts_with(before) && llvm.ends_with(after)
    });
    dual && field(case, 32, 9) == LITERAL && equal
}

/// A literal of 32 bits from 1 to 64, which is the upper half of a double.
fn small_literal_of_double(case: &Case) -> bool {
    let Some((ours, llvm)) = texts(case) else { return false };
    // LLVM marks each misaligned tuple with a comment.
    let llvm = without_comments(case, "/*Invalid register").unwrap_or(llvm.into());
    let spelled = |literal: u128| {
        let written = format!("{literal:#x}");
        let ours_writes = [format!("lit({written})"), format!("{written}00000000")];
        // The other operand of the same literal can have 32 bits.
        ours_writes.iter().any(|mine| {
            ours.contains(mine) && [ours.replace(mine, &written), ours.replacen(mine, &written, 1)].contains(&llvm)
        })
    };
    [32, 64].into_iter().map(|lsb| field(case, lsb, 32)).any(|literal| (1..=64).contains(&literal) && spelled(literal))
}

/// A literal of 64 bits that is a negative number of 32 bits.
fn negative_literal64(case: &Case) -> bool {
    let Some((ours, llvm)) = texts(case) else { return false };
    let llvm = without_comments(case, "/*Invalid register").unwrap_or(llvm.into());
    let literal = field(case, 32, 64);
    let written = format!("{literal:#x}");
    let plain = |text: &str| ours.replace(&format!("lit64({written})"), text) == llvm;
    i32::try_from(literal as i64).is_ok_and(|n| n < 0 && (plain(&written) || n >= -16 && plain(&n.to_string())))
}

/// The texts of both, if both accept and agree on the length.
fn texts(case: &Case) -> Option<(&str, &str)> {
    match (&case.ours, &case.llvm) {
        (Ours::Inst { len: a, text: ours, .. }, Answer::Text { len: b, text: llvm, .. }) if a == b => {
            Some((ours, llvm))
        }
        _ => None,
    }
}

fn is_gfx10(case: &Case) -> bool {
    case.target.name.starts_with("gfx10")
}

fn one_blank_more(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| ours == llvm.replacen("  ", " ", 1))
}

/// The operation is the only one without operands that has a blank before its modifiers.
fn tensor_stop(case: &Case) -> bool {
    one_blank_more(case) && texts(case).is_some_and(|(ours, _)| ours.starts_with("tensor_stop "))
}

fn we_refuse_op_sel(case: &Case) -> bool {
    let ours = matches!(&case.ours, Ours::Refused(reason) if reason.contains("(op_sel)"));
    ours && field(case, 26, 6) == 0b110101 && field(case, 11, 4) != 0 && refused_text(case).is_some()
}

/// VOP3 or VOP3P with a literal as src2.
fn we_refuse_literal_register(case: &Case) -> bool {
    let wide = [0b110101, 0b110011].contains(&field(case, 26, 6)) && field(case, 50, 9) == LITERAL;
    let names = ["v_wmma_", "v_cndmask_b16"];
    wide && refused_text(case).is_some_and(|text| names.iter().any(|name| text.starts_with(name)))
}

/// A tensor whose first or second part is null, or one of the others alone.
fn we_refuse_null_tensor(case: &Case) -> bool {
    let nulls = [64, 72, 80, 88].map(|lsb| field(case, lsb, 8) == 124);
    let wrong = nulls[0] || nulls[1] || nulls[2] != nulls[3];
    let ours = matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("vaddr"));
    ours && wrong && refused_text(case).is_some_and(|text| text.starts_with("tensor_") && text.contains("null"))
}

/// VOP1, VOP3 or VOP3P of an operation on VGPRs with null (124; up to RDNA2 125) as one of its sources.
fn we_refuse_null_vgpr(case: &Case) -> bool {
    let null = |lsb: &u32| (124..=125).contains(&field(case, *lsb, 9));
    let place: &[u32] = match field(case, 26, 6) {
        0b110101 | 0b110011 => &[32, 41, 50],
        _ if field(case, 25, 7) == 0b0111111 => &[0],
        _ => return false,
    };
    let names = [
        "v_mqsad_u32_u8 ",
        "v_movrels",
        "v_swap",
        "v_permlane",
        "v_readfirstlane_b32 ",
        "v_readlane_b32 ",
        "v_wmma_",
        "v_swmmac_",
        "v_dot4_f32_",
        "v_fma_mix",
        "v_interp_",
    ];
    place.iter().any(null)
        && refused_text(case).is_some_and(|text| {
            let sources = text.split_once(", ").map_or("", |t| t.1);
            sources.contains("null") && names.iter().any(|name| text.starts_with(name))
        })
}

/// v_fma_mixlo_f16, v_fma_mixhi_f16, v_cvt_pk_fp8_f32 or v_cvt_pk_bf8_f32 with DPP or DPP8, whose dpp_ctrl (80:72) or
/// lanes (95:72) are also the code of an inline constant.
fn dpp_ctrl_as_source_code(case: &Case) -> bool {
    let mix = field(case, 23, 9) == 0b1_1001_1000 && [33, 34, 62, 63].contains(&field(case, 16, 7));
    let packs = if is_gfx13(case) { [890, 891] } else { [873, 874] };
    let pack = field(case, 26, 6) == 0b110101 && packs.contains(&field(case, 16, 10));
    let code = match field(case, 32, 9) {
        250 => field(case, 72, 9),
        233 | 234 => field(case, 72, 24),
        _ => return false,
    };
    let before = |text: &str| {
        let controls = [" quad_perm:", " /* Invalid dpp_ctrl", " dpp8:"];
        controls.iter().find_map(|control| text.split_once(control).map(|t| t.0.to_string()))
    };
    let Ours::Inst { len: 12, text: ours, .. } = &case.ours else { return false };
    (mix || pack)
        && match &case.llvm {
            Answer::Text { len, text: llvm, .. } => {
                let known = if *len == 16 { code == LITERAL } else { *len == 12 && is_inline_constant(code) };
                known && before(ours).is_some() && before(ours) == before(llvm)
            }
            Answer::Crash => code == LITERAL && case.word.bytes().len() < 16,
            _ => false,
        }
}

fn wmma_inverse_two_pi(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        ours.starts_with("v_wmma_") && ours == llvm.replace("0.15915494309189532", "0.15915494")
    })
}

/// v_pk_fmac_f16 with a literal, which only one of the two prints as `lit(...)`.
fn pk_fmac_literal(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        let literal = format!("{:#x}", field(case, 32, 32));
        let marked = format!("lit({literal})");
        let plain = |text: &str| text.replace(&marked, &literal);
        ours.starts_with("v_pk_fmac_f16 ")
            && ours.contains(&marked) != llvm.contains(&marked)
            && plain(ours) == plain(llvm)
    })
}

/// v_fmac_f32, v_fmac_f16 or v_fmac_f64 in VOP3 with DPP or DPP8 whose src1 (49:41) is an inline constant, in which
/// alone the texts differ.
fn fmac_dpp_constant(case: &Case) -> bool {
    let dpp = field(case, 26, 6) == 0b110101 && [233, 234, 250].contains(&field(case, 32, 9));
    let code = field(case, 41, 9);
    let hex = format!("{code:#x}");
    let fmac = dpp && [279, 299, 310].contains(&field(case, 16, 10));
    if fmac && code == LITERAL {
        return refused_text(case).is_some_and(|text| text.contains(&hex));
    }
    // A misaligned tuple beside it has a comment, too.
    let without = without_comments(case, "/*Invalid register");
    fmac && is_inline_constant(code)
        && texts(case).is_some_and(|(ours, llvm)| {
            let llvm = without.as_deref().unwrap_or(llvm);
            let (ours, llvm): (Vec<_>, Vec<_>) = (ours.split([' ', ',']).collect(), llvm.split([' ', ',']).collect());
            let differ: Vec<_> = ours.iter().zip(&llvm).filter(|(a, b)| a != b).collect();
            ours.len() == llvm.len() && differ.len() == 1 && differ[0].1.contains(&hex)
        })
}

/// VOP3 or VOP3P with DPP or DPP8 whose src1 (49:41) is not a VGPR.
fn we_refuse_dpp_scalar(case: &Case) -> bool {
    let dpp = [0b110101, 0b110011].contains(&field(case, 26, 6)) && [233, 234, 250].contains(&field(case, 32, 9));
    dpp && field(case, 41, 9) < 256 && refused_text(case).is_some()
}

fn bars_around_two(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| ours == llvm.replace(", vcc_lo|", "|, vcc_lo").replace(", vcc|", "|, vcc"))
}

/// Returning float atomics (77 to 81) of FLAT and GLOBAL with the acc bit.
fn llvm_lacks_agpr_atomic(case: &Case) -> bool {
    let flat = field(case, 26, 6) == 0b110111 && [0, 2].contains(&field(case, 14, 2));
    let float = (77..=81).contains(&field(case, 18, 7));
    let form = field(case, 55, 1) == 1 && field(case, 16, 1) == 1;
    flat && float && form && case.llvm == Answer::Reject && matches!(case.ours, Ours::Inst { .. })
}

/// LLVM names an accumulation register on a target without them.
fn we_refuse_accvgpr(case: &Case) -> bool {
    let none = case.target.name.starts_with("gfx8")
        || ["gfx900", "gfx904", "gfx906", "gfx9-generic", "gfx908"].contains(&case.target.name);
    let register =
        |word: &str| word.strip_prefix('a').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit() || c == '['));
    none && refused_text(case).is_some_and(|text| text.split([' ', ',']).any(register))
}

/// FLAT of gfx803 with bits 15:0 set.
fn we_refuse_flat_offset(case: &Case) -> bool {
    let flat = case.target.name.starts_with("gfx8") && field(case, 26, 6) == 0b110111 && field(case, 0, 16) != 0;
    flat && refused_text(case).is_some_and(|text| text.contains("offset:"))
}

/// FLAT of gfx803 with tfe (bit 55).
fn flat_tfe(case: &Case) -> bool {
    let flat = case.target.name.starts_with("gfx8") && field(case, 26, 6) == 0b110111 && field(case, 55, 1) == 1;
    let mnemonic = |text: &str| text.split(' ').next().map(str::to_owned);
    // LLVM takes the bit for that of AccVGPRs, which the target lacks.
    flat && texts(case).is_some_and(|(ours, llvm)| {
        ours.ends_with(" tfe") && !llvm.contains("tfe") && llvm.contains(" a") && mnemonic(ours) == mnemonic(llvm)
    })
}

/// GLOBAL with lds (13) and exec (126) as saddr.
fn we_refuse_exec_base(case: &Case) -> bool {
    let lds = field(case, 26, 6) == 0b110111 && field(case, 14, 2) == 2 && field(case, 13, 1) == 1;
    lds && field(case, 48, 7) == 126
        && refused_text(case).is_some_and(|text| text.contains(", exec") && text.ends_with(" lds"))
}

/// Atomic operations and prefetches of VFLAT with exec (126) as saddr.
fn we_refuse_exec_base_of_flat(case: &Case) -> bool {
    let flat = field(case, 24, 8) == 0b1110_1100 && field(case, 0, 7) == 126;
    let names = ["flat_atomic_", "flat_prefetch_b8 "];
    // LLVM marks exec as invalid in all others.
    let takes =
        |text: &str| text.contains(", exec") && !text.contains("exec/*") && names.iter().any(|n| text.starts_with(n));
    flat && refused_text(case).is_some_and(takes)
}

/// SCRATCH with lds and saddr 127.
fn we_refuse_scratch_without_address(case: &Case) -> bool {
    let lds = field(case, 26, 6) == 0b110111 && field(case, 14, 2) == 1 && field(case, 13, 1) == 1;
    lds && field(case, 48, 7) == 127 && refused_text(case).is_some()
}

/// MUBUF and MTBUF with a soffset of 255.
fn we_refuse_literal_buffer_offset(case: &Case) -> bool {
    let buffer = [0b111000, 0b111010].contains(&field(case, 26, 6)) && field(case, 56, 8) == LITERAL;
    buffer && case.word.bytes().len() >= 8 && (refused_text(case).is_some() || refused_crash(case))
}

/// Operations of the GCN pages that LLVM lacks.
fn llvm_lacks_opcode(case: &Case) -> bool {
    let names = ["s_mov_regrd_b32 ", "s_mov_fed_b32 ", "s_getreg_regrd_b32 "];
    let ours = matches!(&case.ours, Ours::Inst { text, .. } if names.iter().any(|n| text.starts_with(n)));
    ours && matches!(case.llvm, Answer::Reject | Answer::Crash)
}

/// Operations that only newer versions of LLVM have.
fn llvm_lacks_newer_opcode(case: &Case) -> bool {
    let ours = matches!(&case.ours, Ours::Inst { text, .. } if !crate::assembler::has_mnemonic(text));
    ours && matches!(case.llvm, Answer::Reject | Answer::Crash)
}

/// VOP3 with DPP or DPP8 whose src1 or src2 is 255.
fn literal_with_dpp(case: &Case) -> bool {
    let wide = [0b110101, 0b110011].contains(&field(case, 26, 6));
    let dpp = wide && [233, 234, 250].contains(&field(case, 32, 9));
    let literal = [41, 50].iter().any(|&lsb| field(case, lsb, 9) == LITERAL);
    dpp && literal && matches!(case.ours, Ours::Refused(_)) && matches!(case.llvm, Answer::Text { len: 16, .. })
}

/// Whether the library refuses a field for this value, which LLVM prints.
fn refuses_code(case: &Case, code: u32) -> bool {
    let reason = format!(" = {code} is reserved");
    matches!(&case.ours, Ours::Refused(text) if text.ends_with(&reason)) && refused_text(case).is_some()
}

fn we_refuse_literal64(case: &Case) -> bool {
    refuses_code(case, 254)
}

/// v_fmamk_f64 and v_fmaak_f64 of VOP2.
fn long_constant_opcodes(case: &Case) -> [u128; 2] {
    if is_gfx13(case) { [32, 33] } else { [35, 36] }
}

fn we_refuse_literal32(case: &Case) -> bool {
    let vop3d = field(case, 24, 8) == 0b1100_1111;
    // v_fmamk_f64 and v_fmaak_f64.
    let long = field(case, 31, 1) == 0 && long_constant_opcodes(case).contains(&field(case, 25, 6));
    // Next to a literal of 64 bits.
    let scalar = field(case, 30, 2) == 0b10 && [0, 8].iter().any(|lsb| field(case, *lsb, 8) == 254);
    // The scales of a matrix operation.
    let scales = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    refuses_code(case, 255) && (vop3d || long || scalar || scales)
}

/// v_cvt_pk_f16_fp8 and v_cvt_pk_f16_bf8.
fn llvm_omits_suffix(case: &Case) -> bool {
    let (Ours::Inst { len, text, .. }, Answer::Text { len: llvm_len, text: theirs, .. }) = (&case.ours, &case.llvm)
    else {
        return false;
    };
    let bare = ["_e32 ", "_e64 "].iter().any(|suffix| {
        let bare = text.replacen(suffix, " ", 1);
        bare == *theirs || floats_are_bits(&bare, theirs)
    });
    bare && len == llvm_len && theirs.starts_with("v_cvt_pk_f16_")
}

/// v_cvt_sr_fp8_f16 and v_cvt_sr_bf8_f16.
fn llvm_shows_third_op_sel(case: &Case) -> bool {
    let (Ours::Inst { len, text, .. }, Answer::Text { len: llvm_len, text: theirs, .. }) = (&case.ours, &case.llvm)
    else {
        return false;
    };
    let third = ["0,1", "1,0", "1,1"]
        .iter()
        .any(|bits| text.replacen(&format!("op_sel:[{bits}]"), &format!("op_sel:[{bits},0]"), 1) == *theirs);
    third && len == llvm_len && theirs.starts_with("v_cvt_sr_")
}

fn we_refuse_second_half_of_scaled_wmma(case: &Case) -> bool {
    let first = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    let second = [0xcc33, 0xcc88].contains(&field(case, 80, 16));
    first && second && refused_text(case).is_some_and(|text| text.starts_with("v_wmma_ld_scale"))
}

/// v_wmma_ld_scale_paired_b32, v_wmma_ld_scale16_paired_b64, or an operation that begins so, with a third source that
/// is not v0.
fn llvm_wants_v0_beside_scales(case: &Case) -> bool {
    let first = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    matches!(case.ours, Ours::Inst { .. }) && case.llvm == Answer::Reject && first && field(case, 50, 9) != 256
}

/// Messages whose low byte is 10 or 0x98.
fn message_of_cdna5(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        ours.starts_with("s_sendmsg")
            && (ours.contains("MSG_RTN_SAVE_WAVE_HAS_TDM") || llvm.contains("MSG_SAVEWAVE_HAS_TDM"))
    })
}

/// A matrix operation with scales whose formats (77:75, and 78 above 124:123) are both above 4.
fn crash_on_unnamed_matrix_format(case: &Case) -> bool {
    let scaled = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    let first = if scaled { 64 } else { 0 };
    let formats = [field(case, first + 11, 3), field(case, first + 14, 1) << 2 | field(case, first + 59, 2)];
    let len = if scaled { 16 } else { 8 };
    case.ours.len() == Some(len)
        && case.llvm == Answer::Crash
        && field(case, first + 16, 16) == 0xcc33
        && formats.iter().any(|format| *format > 4)
}

/// v_cvt_pk_fp8_f16 and v_cvt_pk_bf8_f16 of a constant.
fn constant_of_packed_f16(case: &Case) -> bool {
    let (Ours::Inst { len, .. }, Answer::Text { len: llvm_len, .. }) = (&case.ours, &case.llvm) else { return false };
    let operation = field(case, 26, 6) == 0b110101 && [882, 883].contains(&field(case, 16, 10));
    let source = field(case, 32, 9);
    operation && len == llvm_len && (source == LITERAL || is_inline_constant(source))
}

/// A matrix of CDNA5, or a part of one, that is neither VGPRs nor a constant.
fn crash_on_scalar_matrix(case: &Case) -> bool {
    let matrix = [0xcc33, 0xcc88].iter().any(|op| [16, 80].iter().any(|lsb| field(case, *lsb, 16) == *op));
    let convert = field(case, 26, 6) == 0b110101 && (663..=728).contains(&field(case, 16, 10));
    refused_crash(case) && (matrix || convert)
}
