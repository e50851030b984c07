//! The rules that `differences.txt` names. Each is as narrow as possible, and uses the word's bits and both answers.
//! The comment of a rule describes the words to which it applies.

mod crashes;
mod images;
mod newer;
mod refused;
mod texts;

use crashes::*;
use images::*;
use newer::*;
use refused::*;
use texts::*;

use crate::answer::Answer;
use crate::case::{Case, Ours};
use crate::versions::NEWER_OPERATIONS;
use crate::word::Word;

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
        "we_refuse_wmma_of_rdna4" => we_refuse_wmma_of_rdna4,
        "we_refuse_dual_dot" => we_refuse_dual_dot,
        "we_refuse_private_bounds" => we_refuse_private_bounds,
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
        "literal_that_grows" => literal_that_grows,
        "negative_literal64" => negative_literal64,
        "upper_half_literal64" => upper_half_literal64,
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
        "policy_of_prefetch" => policy_of_prefetch,
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
    case.target.name().starts_with("gfx1")
}

fn is_gfx13(case: &Case) -> bool {
    case.target.name().starts_with("gfx13")
}

fn is_rdna4_or_later(case: &Case) -> bool {
    case.target.name().starts_with("gfx12") || is_gfx13(case)
}

/// Whether the library refuses a word, and LLVM crashes on it.
fn refused_crash(case: &Case) -> bool {
    case.llvm == Answer::Crash && matches!(case.ours, Ours::Refused(_))
}

/// Whether a word is VOP3 or VOP3P with an operand of 255, or MUBUF or MTBUF with a `soffset` of 255.
fn literal_in_wide_format(case: &Case) -> bool {
    let source = match field(case, 26, 6) {
        0b110100 => [32, 41, 50].iter().any(|&lsb| field(case, lsb, 9) == LITERAL) || field(case, 0, 8) == LITERAL,
        0b111000 | 0b111010 => field(case, 56, 8) == LITERAL,
        _ => false,
    };
    let scaled = is_scaled(case) && [96, 105, 114].iter().any(|&lsb| field(case, lsb, 9) == LITERAL);
    case.word.bytes().len() >= 8 && (source || scaled)
}

/// Whether the bits from `first` on are a matrix operation of CDNA4 on elements of 8, 6 or 4 bits.
fn is_f8f6f4(case: &Case, first: u32) -> bool {
    field(case, first + 23, 9) == 0b1_1010_0111 && [45, 46].contains(&field(case, first + 16, 7))
}

/// Whether a word is v_mfma_ld_scale_b32 with scales in VGPRs, before a matrix operation that takes scales.
fn is_scaled(case: &Case) -> bool {
    let scales = field(case, 16, 16) == 0xd3ac && field(case, 40, 1) == 1 && field(case, 49, 1) == 1;
    scales && is_f8f6f4(case, 64) && field(case, 75, 4) == 1
}

/// LLVM's text without the comments that begin with `start`; `None` if there are none.
fn without_comments(case: &Case, start: &str) -> Option<String> {
    let Answer::Text { text, .. } = &case.llvm else { return None };
    let mut out = text.clone();
    while let Some(from) = out.find(start) {
        let to = from + out[from..].find("*/")? + 2;
        out.replace_range(from..to, "");
    }
    (out != *text).then_some(out)
}

/// Whether length and text are equal, except for LLVM's comments that begin with `start`.
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

/// LLVM's text of a word that the library refuses and LLVM accepts.
fn refused_text(case: &Case) -> Option<&str> {
    match (&case.ours, &case.llvm) {
        (Ours::Refused(_), Answer::Text { text, .. }) => Some(text),
        _ => None,
    }
}

/// The numbers of the last registers of tuples of a register file in a text: `v[254:257]` gives 257.
fn last_registers(text: &str, file: char) -> impl Iterator<Item = u32> + '_ {
    let start = format!("{file}[");
    text.match_indices(&start).map(|(at, _)| at).collect::<Vec<_>>().into_iter().filter_map(move |at| {
        let inside = text[at + 2..].split(']').next()?;
        inside.split(':').nth(1)?.parse().ok()
    })
}

/// The code of an operand for which the library refuses a word.
fn refused_code(case: &Case) -> Option<u32> {
    let Ours::Refused(reason) = &case.ours else { return None };
    let value: u32 = reason.strip_suffix(" is reserved")?.rsplit_once("= ")?.1.parse().ok()?;
    // The field `sbase` counts pairs.
    Some(if reason.starts_with("sbase ") { 2 * value } else { value })
}

fn is_scalar_memory(case: &Case) -> bool {
    field(case, 26, 6) == 0b111101
}

/// Whether the library refuses the number of a barrier in SOP1: s_barrier_signal (78), s_barrier_signal_isfirst,
/// s_get_barrier_state, s_barrier_init, s_barrier_join (82) or s_wakeup_barrier (87).
fn is_barrier(case: &Case) -> bool {
    let sop1 = field(case, 23, 9) == 0b1_0111_1101 && (78..=82).chain([87]).any(|op| field(case, 8, 8) == op);
    sop1 && matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("ssrc0 "))
}

/// The operands of a text.
fn operands(text: &str) -> Vec<&str> {
    text.split_once(' ').map_or(Vec::new(), |(_, operands)| operands.split(", ").collect())
}

/// Inline floats, and their bits as floats of 16 bits.
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

fn is_inline_constant(code: u128) -> bool {
    (128..=208).contains(&code) || (240..=248).contains(&code)
}

/// The texts of the library and of LLVM, if both accept the word and agree on its length.
fn texts(case: &Case) -> Option<(&str, &str)> {
    match (&case.ours, &case.llvm) {
        (Ours::Inst { len: a, text: ours, .. }, Answer::Text { len: b, text: llvm, .. }) if a == b => {
            Some((ours, llvm))
        }
        _ => None,
    }
}

fn is_gfx10(case: &Case) -> bool {
    case.target.name().starts_with("gfx10")
}

fn one_blank_more(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| ours == llvm.replacen("  ", " ", 1))
}

/// Whether the library refuses this value of a field, and LLVM accepts the word.
fn refuses_code(case: &Case, code: u32) -> bool {
    let reason = format!(" = {code} is reserved");
    matches!(&case.ours, Ours::Refused(text) if text.ends_with(&reason)) && refused_text(case).is_some()
}

/// The opcodes of v_fmamk_f64 and v_fmaak_f64 in VOP2.
fn long_constant_opcodes(case: &Case) -> [u128; 2] {
    if is_gfx13(case) { [32, 33] } else { [35, 36] }
}
