//! The rules that `differences.txt` names: each as narrow as can be, from the word's bits and both answers.

use crate::compare::Case;
use crate::oracle::Answer;
use crate::ours::Ours;

pub type Rule = fn(&Case) -> bool;

pub fn rule(name: &str) -> Option<Rule> {
    let rule: Rule = match name {
        "crash_on_literal_in_wide_format" => crash_on_literal_in_wide_format,
        "crash_on_cut_off_literal" => crash_on_cut_off_literal,
        "crash_on_reserved_sdwa_select" => crash_on_reserved_sdwa_select,
        "crash_on_scalar_1024_bit_source" => crash_on_scalar_1024_bit_source,
        "crash_on_madmk_f16_literal_255" => crash_on_madmk_f16_literal_255,
        "comment_register_class" => comment_register_class,
        "comment_invalid_immediate" => comment_invalid_immediate,
        "we_refuse_register_of_other_class" => we_refuse_register_of_other_class,
        "we_refuse_immediate_for_register" => we_refuse_immediate_for_register,
        "we_refuse_dpp_ctrl_hole" => we_refuse_dpp_ctrl_hole,
        _ => return None,
    };
    Some(rule)
}

const LITERAL: u128 = 255;
const SDWA: u128 = 249;

fn field(case: &Case, lsb: u32, width: u32) -> u128 {
    case.word.bits() >> lsb & ((1 << width) - 1)
}

/// Both refuse, LLVM by crashing.
fn refused_crash(case: &Case) -> bool {
    case.llvm == Answer::Crash && matches!(case.ours, Ours::Refused(_))
}

/// VOP3* with a source of 255, MUBUF and MTBUF with a soffset of 255.
fn crash_on_literal_in_wide_format(case: &Case) -> bool {
    let source = match field(case, 26, 6) {
        0b110100 => [32, 41, 50].iter().any(|&lsb| field(case, lsb, 9) == LITERAL) || field(case, 0, 8) == LITERAL,
        0b111000 | 0b111010 => field(case, 56, 8) == LITERAL,
        _ => false,
    };
    refused_crash(case) && case.word.bytes().len() >= 8 && source
}

/// A 32-bit format with room for itself but not for its literal.
fn crash_on_cut_off_literal(case: &Case) -> bool {
    let scalar = field(case, 30, 2) == 0b10 && (field(case, 0, 8) == LITERAL || field(case, 8, 8) == LITERAL);
    let vector = field(case, 31, 1) == 0 && field(case, 0, 9) == LITERAL;
    refused_crash(case) && (4..8).contains(&case.word.bytes().len()) && (scalar || vector)
}

/// SDWA with dst_sel, src0_sel or src1_sel 7, or dst_unused 3.
fn crash_on_reserved_sdwa_select(case: &Case) -> bool {
    let sdwa = field(case, 31, 1) == 0 && field(case, 0, 9) == SDWA;
    let reserved = [40, 48, 56].iter().any(|&lsb| field(case, lsb, 3) == 7) || field(case, 43, 2) == 3;
    refused_crash(case) && sdwa && reserved
}

/// VOP3P-MAI whose 1024-bit src2 is neither VGPRs nor an inline constant.
fn crash_on_scalar_1024_bit_source(case: &Case) -> bool {
    let src2 = field(case, 50, 9);
    let mai = field(case, 23, 9) == 0b1_1010_0111 && field(case, 16, 7) >= 64;
    let no_register = src2 < 128 || (209..240).contains(&src2) || (249..256).contains(&src2);
    refused_crash(case) && mai && no_register
}

/// v_madmk_f16 (VOP2 opcode 36) and v_madak_f16 (37) with the literal 255.
fn crash_on_madmk_f16_literal_255(case: &Case) -> bool {
    let opcode = field(case, 31, 1) == 0 && [36, 37].contains(&field(case, 25, 6));
    case.llvm == Answer::Crash
        && matches!(case.ours, Ours::Inst { len: 8, .. })
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

/// Same length and text, except for the comments.
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

fn comment_register_class(case: &Case) -> bool {
    equal_but_for_comments(case, "/*Invalid register")
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
    ["/* Invalid dpp_ctrl", "/* row_xmask is not supported", "/* DP ALU dpp only supports row_newbcast"]
        .iter()
        .any(|start| refused_with_comment(case, start))
}
