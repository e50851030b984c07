//! The rules of words that the library and LLVM accept with different texts, and of words that only the library
//! accepts. The comment of a rule describes these words.

use super::*;

/// A matrix operation near the last register: LLVM first looks for a tuple of eight registers, and none begins there.
pub fn llvm_lacks_f8f6f4_near_the_end(case: &Case) -> bool {
    let first = if is_scaled(case) { 64 } else { 0 };
    let near = [32, 41].iter().any(|lsb| field(case, first + lsb, 8) > 248);
    let lacks = match (&case.ours, &case.llvm) {
        (Ours::Inst { .. }, Answer::Reject) => true,
        (Ours::Inst { len: 16, .. }, Answer::Text { len: 8, text, .. }) => text.starts_with("v_mfma_ld_scale_b32 "),
        _ => false,
    };
    lacks && is_f8f6f4(case, first) && near
}

/// LLVM's text has a comment about a tuple. The rule excludes comments about single registers, because the library
/// refuses words with these.
pub fn comment_register_class(case: &Case) -> bool {
    let Answer::Text { text, .. } = &case.llvm else { return false };
    let tuples_only = text.match_indices("/*Invalid register").all(|(at, _)| text[..at].ends_with(']'));
    tuples_only && equal_but_for_comments(case, "/*Invalid register")
}

pub fn comment_invalid_immediate(case: &Case) -> bool {
    equal_but_for_comments(case, "/*Invalid immediate")
}

/// v_nop and v_clrexcp (VOP1 0 and 53) with the source code of an extension dword.
pub fn nop_with_extension(case: &Case) -> bool {
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

/// s_delay_alu with a number that has no name.
pub fn delay_without_name(case: &Case) -> bool {
    let comments = ["/* invalid instid value */", "/* invalid instskip value */"];
    texts(case).is_some_and(|(ours, llvm)| {
        let whole = format!("s_delay_alu {:#x}", field(case, 0, 16));
        ours == whole && llvm.starts_with("s_delay_alu ") && comments.iter().any(|comment| llvm.contains(comment))
    })
}

/// Scalar compares of 16-bit floats: LLVM prints the bits of an inline float. One of the two texts may have only the
/// lower half of a literal.
pub fn scalar_half_constant(case: &Case) -> bool {
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
pub fn scalar_half_literal(case: &Case) -> bool {
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

/// VOP2 (23, 24, 36, 37; RDNA: 32, 33, 44, 45, 55, 56) or SOP2 (69, 70) whose mandatory literal is also the code of an
/// inline constant; and VOPD with such an operation (1 or 2 in either half).
pub fn mandatory_literal_as_source_code(case: &Case) -> bool {
    let vop2 = field(case, 31, 1) == 0 && [23, 24, 32, 33, 36, 37, 44, 45, 55, 56].contains(&field(case, 25, 6));
    let sop2 = field(case, 30, 2) == 0b10 && [69, 70].contains(&field(case, 23, 7));
    let dual =
        field(case, 26, 6) == 0b110010 && [field(case, 22, 4), field(case, 17, 5)].iter().any(|op| (1..3).contains(op));
    let literal = field(case, if dual { 64 } else { 32 }, 32);
    // The texts differ only in the literal.
    let hex = format!("{literal:#x}");
    let only_there = texts(case).is_some_and(|(ours, llvm)| {
        let (ours, llvm): (Vec<_>, Vec<_>) = (ours.split([' ', ',']).collect(), llvm.split([' ', ',']).collect());
        ours.len() == llvm.len() && ours.iter().zip(&llvm).all(|(a, b)| a == b || a.contains(&hex))
    });
    (vop2 || sop2 || dual) && only_there && is_inline_constant(literal)
}

/// DPP8 of VOP1 or VOP2 whose 24 bits are also the code of an inline constant or of a literal.
pub fn dpp8_as_source_code(case: &Case) -> bool {
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

/// VOPD of v_dual_fmamk_f32 and another operation with a literal, whose src0y (40:32) is 255.
pub fn literal_of_two(case: &Case) -> bool {
    let dual = field(case, 26, 6) == 0b110010 && field(case, 22, 4) == 2 && [1, 2].contains(&field(case, 17, 5));
    let equal = texts(case).is_some_and(|(ours, llvm)| {
        let Some((before, rest)) = ours.rsplit_once("lit(") else { return false };
        let Some((_, after)) = rest.split_once(')') else { return false };
        llvm.starts_with(before) && llvm.ends_with(after)
    });
    dual && field(case, 32, 9) == LITERAL && equal
}

/// A literal of 32 bits from 1 to 64 that is the upper half of a double.
pub fn small_literal_of_double(case: &Case) -> bool {
    let Some((ours, llvm)) = texts(case) else { return false };
    // LLVM marks each misaligned tuple with a comment.
    let llvm = without_comments(case, "/*Invalid register").unwrap_or(llvm.into());
    let spelled = |literal: u128| {
        let written = format!("{literal:#x}");
        let ours_writes = [format!("lit({written})"), format!("{written}00000000")];
        // Another operand with the same literal can have 32 bits.
        ours_writes.iter().any(|mine| {
            ours.contains(mine) && [ours.replace(mine, &written), ours.replacen(mine, &written, 1)].contains(&llvm)
        })
    };
    [32, 64].into_iter().map(|lsb| field(case, lsb, 32)).any(|literal| (1..=64).contains(&literal) && spelled(literal))
}

/// A literal of 64 bits that is a double with zeros in its lower half.
pub fn upper_half_literal64(case: &Case) -> bool {
    let Some((ours, llvm)) = texts(case) else { return false };
    let literal = field(case, 32, 64);
    let upper = format!("{:#x}", literal >> 32);
    literal as u32 == 0 && ours.replace(&format!("lit64({literal:#x})"), &upper) == llvm
}

/// A literal of 64 bits that is a negative number of 32 bits.
pub fn negative_literal64(case: &Case) -> bool {
    let Some((ours, llvm)) = texts(case) else { return false };
    let llvm = without_comments(case, "/*Invalid register").unwrap_or(llvm.into());
    let literal = field(case, 32, 64);
    let written = format!("{literal:#x}");
    let plain = |text: &str| ours.replace(&format!("lit64({written})"), text) == llvm;
    i32::try_from(literal as i64).is_ok_and(|n| n < 0 && (plain(&written) || n >= -16 && plain(&n.to_string())))
}

/// A literal of 32 bits with its highest bit set, in an operand of 64 bits.
pub fn literal_that_grows(case: &Case) -> bool {
    let Some((ours, llvm)) = texts(case) else { return false };
    let llvm = without_comments(case, "/*Invalid register").unwrap_or(llvm.into());
    let literal = field(case, 32, 32);
    let written = format!("{literal:#x}");
    let short = format!("lit({written})");
    // Another source can have 32 bits, where LLVM writes `lit(...)` for a number that is an inline constant.
    let one = |(at, _): (usize, &str)| format!("{}{written}{}", &ours[..at], &ours[at + short.len()..]) == llvm;
    literal >> 31 == 1 && (ours.replace(&short, &written) == llvm || ours.match_indices(&short).any(one))
}

/// tensor_stop, the only operation without operands that has a blank before its modifiers.
pub fn tensor_stop(case: &Case) -> bool {
    one_blank_more(case) && texts(case).is_some_and(|(ours, _)| ours.starts_with("tensor_stop "))
}

/// v_fma_mixlo_f16, v_fma_mixhi_f16, v_cvt_pk_fp8_f32 or v_cvt_pk_bf8_f32 with DPP or DPP8, whose dpp_ctrl (80:72) or
/// lanes (95:72) are also the code of an inline constant or of a literal.
pub fn dpp_ctrl_as_source_code(case: &Case) -> bool {
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

pub fn wmma_inverse_two_pi(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        ours.starts_with("v_wmma_") && ours == llvm.replace("0.15915494309189532", "0.15915494")
    })
}

/// v_pk_fmac_f16 with a literal, which only one of the two texts has as `lit(...)`.
pub fn pk_fmac_literal(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        let literal = format!("{:#x}", field(case, 32, 32));
        let marked = format!("lit({literal})");
        let plain = |text: &str| text.replace(&marked, &literal);
        ours.starts_with("v_pk_fmac_f16 ")
            && ours.contains(&marked) != llvm.contains(&marked)
            && plain(ours) == plain(llvm)
    })
}

/// v_fmac_f32, v_fmac_f16 or v_fmac_f64 in VOP3 with DPP or DPP8 whose src1 (49:41) is an inline constant or 255. The
/// texts differ only in the constant; the library refuses 255.
pub fn fmac_dpp_constant(case: &Case) -> bool {
    let dpp = field(case, 26, 6) == 0b110101 && [233, 234, 250].contains(&field(case, 32, 9));
    let code = field(case, 41, 9);
    let hex = format!("{code:#x}");
    let fmac = dpp && [279, 299, 310].contains(&field(case, 16, 10));
    if fmac && code == LITERAL {
        return refused_text(case).is_some_and(|text| text.contains(&hex));
    }
    // A misaligned tuple in the same text has a comment.
    let without = without_comments(case, "/*Invalid register");
    fmac && is_inline_constant(code)
        && texts(case).is_some_and(|(ours, llvm)| {
            let llvm = without.as_deref().unwrap_or(llvm);
            let (ours, llvm): (Vec<_>, Vec<_>) = (ours.split([' ', ',']).collect(), llvm.split([' ', ',']).collect());
            let differ: Vec<_> = ours.iter().zip(&llvm).filter(|(a, b)| a != b).collect();
            ours.len() == llvm.len() && differ.len() == 1 && differ[0].1.contains(&hex)
        })
}

pub fn bars_around_two(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| ours == llvm.replace(", vcc_lo|", "|, vcc_lo").replace(", vcc|", "|, vcc"))
}

/// Returning float atomics (77 to 81) of FLAT and GLOBAL with the acc bit.
pub fn llvm_lacks_agpr_atomic(case: &Case) -> bool {
    let flat = field(case, 26, 6) == 0b110111 && [0, 2].contains(&field(case, 14, 2));
    let float = (77..=81).contains(&field(case, 18, 7));
    let form = field(case, 55, 1) == 1 && field(case, 16, 1) == 1;
    flat && float && form && case.llvm == Answer::Reject && matches!(case.ours, Ours::Inst { .. })
}

/// FLAT of gfx803 with tfe (bit 55).
pub fn flat_tfe(case: &Case) -> bool {
    let flat = case.target.name().starts_with("gfx8") && field(case, 26, 6) == 0b110111 && field(case, 55, 1) == 1;
    let mnemonic = |text: &str| text.split(' ').next().map(str::to_owned);
    // LLVM takes the bit for the one that selects AccVGPRs, although the target has no AccVGPRs.
    flat && texts(case).is_some_and(|(ours, llvm)| {
        ours.ends_with(" tfe") && !llvm.contains("tfe") && llvm.contains(" a") && mnemonic(ours) == mnemonic(llvm)
    })
}

/// Operations that the opcode tables of GCN in `tests/gcn_pages.rs` have, and that LLVM lacks.
pub fn llvm_lacks_opcode(case: &Case) -> bool {
    let names = ["s_mov_regrd_b32 ", "s_mov_fed_b32 ", "s_getreg_regrd_b32 "];
    let ours = matches!(&case.ours, Ours::Inst { text, .. } if names.iter().any(|n| text.starts_with(n)));
    ours && matches!(case.llvm, Answer::Reject | Answer::Crash)
}

/// Operations that only newer versions of LLVM have.
pub fn llvm_lacks_newer_opcode(case: &Case) -> bool {
    let ours = matches!(&case.ours, Ours::Inst { text, .. } if NEWER_OPERATIONS.contains(&text.split(' ').next().unwrap_or("")));
    ours && matches!(case.llvm, Answer::Reject | Answer::Crash)
}

/// VOP3 or VOP3P with DPP or DPP8 whose src1 or src2 is 255.
pub fn literal_with_dpp(case: &Case) -> bool {
    let wide = [0b110101, 0b110011].contains(&field(case, 26, 6));
    let dpp = wide && [233, 234, 250].contains(&field(case, 32, 9));
    let literal = [41, 50].iter().any(|&lsb| field(case, lsb, 9) == LITERAL);
    dpp && literal && matches!(case.ours, Ours::Refused(_)) && matches!(case.llvm, Answer::Text { len: 16, .. })
}

/// v_cvt_pk_f16_fp8 and v_cvt_pk_f16_bf8.
pub fn llvm_omits_suffix(case: &Case) -> bool {
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
pub fn llvm_shows_third_op_sel(case: &Case) -> bool {
    let (Ours::Inst { len, text, .. }, Answer::Text { len: llvm_len, text: theirs, .. }) = (&case.ours, &case.llvm)
    else {
        return false;
    };
    let third = ["0,1", "1,0", "1,1"]
        .iter()
        .any(|bits| text.replacen(&format!("op_sel:[{bits}]"), &format!("op_sel:[{bits},0]"), 1) == *theirs);
    third && len == llvm_len && theirs.starts_with("v_cvt_sr_")
}

/// v_wmma_ld_scale_paired_b32, v_wmma_ld_scale16_paired_b64, or an operation that begins with one of them, with a third
/// source that is not v0.
pub fn llvm_wants_v0_beside_scales(case: &Case) -> bool {
    let first = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    matches!(case.ours, Ours::Inst { .. }) && case.llvm == Answer::Reject && first && field(case, 50, 9) != 256
}

/// Messages whose low byte is 10 or 0x98.
pub fn message_of_cdna5(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        ours.starts_with("s_sendmsg")
            && (ours.contains("MSG_RTN_SAVE_WAVE_HAS_TDM") || llvm.contains("MSG_SAVEWAVE_HAS_TDM"))
    })
}

/// v_cvt_pk_fp8_f16 and v_cvt_pk_bf8_f16 of a constant.
pub fn constant_of_packed_f16(case: &Case) -> bool {
    let (Ours::Inst { len, .. }, Answer::Text { len: llvm_len, .. }) = (&case.ours, &case.llvm) else { return false };
    let operation = field(case, 26, 6) == 0b110101 && [882, 883].contains(&field(case, 16, 10));
    let source = field(case, 32, 9);
    operation && len == llvm_len && (source == LITERAL || is_inline_constant(source))
}
