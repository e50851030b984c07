//! The rules of words that LLVM 22 and LLVM 23 print differently, or that only one of them knows. The comment of a rule
//! describes these words.

use super::*;

/// Whether the texts differ only in inline floats, which LLVM's text shows as their bits.
pub fn floats_are_bits(ours: &str, llvm: &str) -> bool {
    let (ours, llvm): (Vec<_>, Vec<_>) = (ours.split([' ', ',']).collect(), llvm.split([' ', ',']).collect());
    // A float can be in `neg()` or `sext()`.
    let is = |a: &str, b: &str| FLOATS.iter().any(|(float, bits)| a.contains(float) && b == a.replacen(float, bits, 1));
    let alike = |(a, b): (&&str, &&str)| a == b || is(a, b);
    ours != llvm && ours.len() == llvm.len() && ours.iter().zip(&llvm).all(alike)
}

/// A vector operation on integers of 16 bits with an inline float: LLVM prints the bits of the float.
pub fn float_of_half_integer(case: &Case) -> bool {
    let vector = field(case, 31, 1) == 0 || [0b110100, 0b110101].contains(&field(case, 26, 6));
    vector && texts(case).is_some_and(|(ours, llvm)| floats_are_bits(ours, llvm))
}

/// VOP3 with a literal whose lower half is an inline integer. The texts show only this half.
pub fn has_cut_literal(case: &Case) -> bool {
    let literal = field(case, 64, 32);
    let vop3 = field(case, 26, 6) == 0b110101 && [32, 41, 50].iter().any(|lsb| field(case, *lsb, 9) == LITERAL);
    vop3 && literal >> 16 != 0 && (-16..=64).contains(&(literal as u16 as i16))
}

pub fn between_bars(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, _)| ours.contains("|lit("))
}

/// The inline constant of 64 bits whose upper half has these bits, and whose lower half is zero.
pub fn constant_with_upper_half(half: u128) -> Option<&'static str> {
    let sign = if half >> 31 == 0 { 0 } else { 1 };
    Some(match half & 0x7fff_ffff {
        0 if sign == 0 => "0",
        0x3fe0_0000 => ["0.5", "-0.5"][sign],
        0x3ff0_0000 => ["1.0", "-1.0"][sign],
        0x4000_0000 => ["2.0", "-2.0"][sign],
        0x4010_0000 => ["4.0", "-4.0"][sign],
        _ => return None,
    })
}

/// A literal of 32 bits that is the upper half of an inline constant of 64 bits: LLVM prints the constant.
pub fn constant_literal_of_double(case: &Case) -> bool {
    let Some((ours, llvm)) = texts(case) else { return false };
    // LLVM marks each misaligned tuple with a comment.
    let llvm = without_comments(case, "/*Invalid register").unwrap_or(llvm.into());
    let spelled = |literal: u128| {
        let Some(constant) = constant_with_upper_half(literal) else { return false };
        let written = format!("lit({literal:#x})");
        let parts: Vec<&str> = ours.split(&written).collect();
        // An operand of 32 bits can have the same literal, for which LLVM's text is right.
        (1u32..1 << (parts.len() - 1).min(4)).any(|these| {
            let mut text = String::new();
            for (n, part) in parts.iter().enumerate() {
                text += part;
                if n + 1 < parts.len() {
                    match these >> n & 1 {
                        0 => text += &written,
                        _ if text.ends_with('-') => {
                            text.truncate(text.len() - 1);
                            text += &format!("neg({constant})");
                        }
                        _ => text += constant,
                    }
                }
            }
            text == llvm
        })
    };
    [32, 64].into_iter().any(|lsb| spelled(field(case, lsb, 32)))
}

/// EXP: LLVM has a comma after the target of the export.
pub fn comma_of_export(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        let comma = |mnemonic: &str| {
            let (target, values) = ours.strip_prefix(mnemonic)?.split_once(' ')?;
            Some(format!("{mnemonic}{target}, {values}"))
        };
        ["exp ", "export "].iter().any(|mnemonic| comma(mnemonic).as_deref() == Some(llvm))
    })
}

/// VOPD or VOPD3 that the library refuses because bits of sources are set that the operations lack. Without these bits
/// both texts are equal, or the word belongs to a class of differences in other sources.
pub fn we_refuse_unused_source_of_pair(case: &Case) -> bool {
    let Some(llvm) = refused_text(case) else { return false };
    let (mut word, mut ours) = (case.word, case.ours.clone());
    loop {
        match ours {
            Ours::Inst { ref text, .. } => {
                let llvm = without_comments(case, "/*Invalid register").unwrap_or(llvm.into());
                let is_same = *text == llvm;
                let other = Case { target: case.target, word, ours, llvm: case.llvm.clone(), version: case.version };
                return is_same || mandatory_literal_as_source_code(&other) || literal_of_two(&other);
            }
            Ours::Refused(reason) => {
                let bit = reason.strip_prefix("reserved bit ").and_then(|rest| rest.split_once(" of VOPD"));
                let Some((bit, rest)) = bit else {
                    let other = Case {
                        target: case.target,
                        word,
                        ours: Ours::Refused(reason),
                        llvm: case.llvm.clone(),
                        version: case.version,
                    };
                    let rules = [we_refuse_reserved_source, we_refuse_literal32, we_refuse_literal64];
                    return word != case.word && rules.iter().any(|rule| rule(&other));
                };
                let Ok(bit) = bit.parse::<usize>() else { return false };
                let source = ["(vsrc1x)", "(vsrc1y)", "(vsrc2x)", "(vsrc2y)"].iter().any(|field| rest.contains(field));
                let mut bytes = word.bytes().to_vec();
                if !source || bytes.get(bit / 8).is_none_or(|byte| byte >> (bit % 8) & 1 == 0) {
                    return false;
                }
                bytes[bit / 8] ^= 1 << (bit % 8);
                word = Word::new(&bytes);
                ours = Ours::decode(case.target, word.bytes());
            }
        }
    }
}

/// VOP3 with the opcode that v_med3_f32 (543) or v_med3_f16 (591) has on RDNA3.
pub fn we_refuse_moved_opcode(case: &Case) -> bool {
    let vop3 = field(case, 26, 6) == 0b110101 && [543, 591].contains(&field(case, 16, 10));
    let unknown = matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("unknown VOP3A opcode "));
    let names = ["v_med3_f32", "v_med3_f16"];
    vop3 && unknown && refused_text(case).is_some_and(|text| names.iter().any(|name| text.starts_with(name)))
}

/// ds_add_f64, ds_add_rtn_f64, ds_load_tr4_b64 and ds_load_tr6_b96.
pub fn we_refuse_dropped_opcode(case: &Case) -> bool {
    let unknown = matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("unknown DS opcode "));
    let names = ["ds_add_f64 ", "ds_add_rtn_f64 ", "ds_load_tr4_b64 ", "ds_load_tr6_b96 "];
    unknown && refused_text(case).is_some_and(|text| names.iter().any(|name| text.starts_with(name)))
}

/// Scalar registers and VCC in one tuple.
pub fn llvm_refuses_runs_into_vcc(case: &Case) -> bool {
    let Ours::Inst { text, .. } = &case.ours else { return false };
    matches!(case.llvm, Answer::Reject) && text.contains("s105,vcc_lo")
}

/// A scalar prefetch whose scope, temporal hint and nv LLVM does not print.
pub fn policy_of_prefetch(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        let policy = ours.strip_prefix(llvm).unwrap_or("");
        let is_policy = |word: &str| word == "nv" || word.starts_with("th:") || word.starts_with("scope:");
        llvm.contains("_prefetch_") && policy.starts_with(' ') && policy.split_whitespace().all(is_policy)
    })
}

/// v_ashr_pk_i8_i32 and v_ashr_pk_u8_i32, whose destination is a whole register in LLVM's text.
pub fn half_of_packed_shift(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        let whole = |half: &str| ours.replacen(half, ",", 1) == llvm;
        ours.starts_with("v_ashr_pk_") && [".l,", ".h,"].iter().any(|half| whole(half))
    })
}

/// s_wait_event with 0, or with the one bit that its operation reads.
pub fn braces_of_wait_event(case: &Case) -> bool {
    let (bit, name) = if is_rdna4_or_later(case) { (2, "export_ready") } else { (1, "dont_wait_export_ready") };
    let number = field(case, 0, 16);
    let theirs = format!("s_wait_event {{ {name}: {} }}", u8::from(number != 0));
    [0, bit].contains(&number)
        && texts(case).is_some_and(|(ours, llvm)| ours == format!("s_wait_event {number:#x}") && llvm == theirs)
}

/// s_wakeup and s_barrier_leave with a number up to 64.
pub fn decimal_number(case: &Case) -> bool {
    let number = field(case, 0, 16);
    let is = |name: &str, (ours, llvm): (&str, &str)| {
        ours == format!("{name} {number:#x}") && llvm == format!("{name} {number}")
    };
    number <= 64 && texts(case).is_some_and(|both| is("s_wakeup", both) || is("s_barrier_leave", both))
}

/// VBUFFER whose format (61:55) is not 1, though the operation has none.
pub fn llvm_wants_format(case: &Case) -> bool {
    let untyped = matches!(&case.ours, Ours::Inst { text, .. } if text.starts_with("buffer_"));
    untyped && case.llvm == Answer::Reject && field(case, 26, 6) == 0b110001 && field(case, 55, 7) != 1
}

/// v_cvt_pk_fp8_f16, v_cvt_pk_bf8_f16 and global_load_async_to_lds.
pub fn llvm_lacks_opcode_of_24(case: &Case) -> bool {
    let names = ["v_cvt_pk_fp8_f16", "v_cvt_pk_bf8_f16", "global_load_async_to_lds_b"];
    let ours = matches!(&case.ours, Ours::Inst { text, .. } if names.iter().any(|name| text.starts_with(name)));
    ours && case.llvm == Answer::Reject
}

/// s_load_b96 and s_buffer_load_b96 to trap registers, for which LLVM names eight registers, or refuses the word if
/// there are fewer.
pub fn eight_trap_registers(case: &Case) -> bool {
    let comment = "/*Invalid register, operand has 'SReg_96' register class*/";
    // Tuples begin at multiples of four.
    let first = field(case, 6, 7).wrapping_sub(108) & !3;
    let names = ["s_load_b96 ", "s_buffer_load_b96 "];
    let ours = matches!(&case.ours, Ours::Inst { text, .. } if names.iter().any(|name| text.starts_with(name)));
    let load = is_scalar_memory(case) && ours;
    let refused = || case.ours.size() == Some(8) && case.llvm == Answer::Reject && first == 12;
    load && refused()
        || texts(case).is_some_and(|(ours, llvm)| {
            let (three, eight) =
                (format!("ttmp[{first}:{}]", first + 2), format!("ttmp[{first}:{}]{comment}", first + 7));
            is_scalar_memory(case) && first < 16 && llvm == ours.replacen(&three, &eight, 1)
        })
}

/// v_fmamk_f64 or v_fmaak_f64 whose first source is its literal, too.
pub fn llvm_lacks_literal64_beside_literal64(case: &Case) -> bool {
    let long = field(case, 31, 1) == 0 && long_constant_opcodes(case).contains(&field(case, 25, 6));
    long && field(case, 0, 9) == 254 && case.ours.size() == Some(12) && case.llvm == Answer::Reject
}

/// v_dot4_i32_iu8 and v_dot8_i32_iu4 with signs of the first two sources only: LLVM prints the mnemonic of the
/// operation without signs.
pub fn signed_dot_product(case: &Case) -> bool {
    texts(case).is_some_and(|(ours, llvm)| {
        let signed = [("v_dot4_i32_iu8", "v_dot4_i32_i8"), ("v_dot8_i32_iu4", "v_dot8_i32_i4")]
            .iter()
            .any(|(unsigned, signed)| ours.replacen(unsigned, signed, 1).replacen(" neg_lo:[1,1,0]", "", 1) == llvm);
        signed && ours.contains(" neg_lo:[1,1,0]")
    })
}

/// Signs of the first two matrices of an operation on f32, f16 or bf16 of CDNA5 (VOP3P 93 to 100).
pub fn we_refuse_signs_of_matrices(case: &Case) -> bool {
    let matrix = field(case, 24, 8) == 0xcc && (93..=100).contains(&field(case, 16, 8));
    let signs = field(case, 61, 2) != 0 || field(case, 8, 2) != 0;
    let ours = matches!(&case.ours, Ours::Refused(reason) if reason.contains("(neg)") || reason.contains("(neg_hi)"));
    matrix && signs && (ours && refused_text(case).is_some_and(|text| text.starts_with("v_wmma_")))
}

/// v_wmma_f32_16x16x128_f8f6f4 whose formats (13:11, and 14 above 60:59) are one from 2 to 4 and one above 4: the texts
/// differ in the last register of a matrix.
pub fn size_beside_unnamed_format(case: &Case) -> bool {
    let formats = [field(case, 11, 3), field(case, 14, 1) << 2 | field(case, 59, 2)];
    let one = formats.iter().any(|format| *format > 4) && formats.iter().any(|format| (2..=4).contains(format));
    let alike = |(ours, llvm): (&str, &str)| {
        let (ours, llvm): (Vec<_>, Vec<_>) = (ours.split([' ', ',']).collect(), llvm.split([' ', ',']).collect());
        let first = |tuple: &str| tuple.split(':').next().map(str::to_owned);
        let equal = |(a, b): (&&str, &&str)| a == b || a.starts_with("v[") && first(a) == first(b);
        ours.len() == llvm.len() && ours.iter().zip(&llvm).all(equal)
    };
    one && field(case, 16, 16) == 0xcc33 && texts(case).is_some_and(alike)
}
