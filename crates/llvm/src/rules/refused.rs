//! The rules of words that the library refuses and LLVM reads. The comment of a rule describes these words.

use super::*;

pub fn we_refuse_literal_in_wide_format(case: &Case) -> bool {
    refused_text(case).is_some() && literal_in_wide_format(case)
}

pub fn we_refuse_second_half_of_scaled(case: &Case) -> bool {
    is_scaled(case) && refused_text(case).is_some_and(|text| text.starts_with("v_mfma_ld_scale_b32 "))
}

pub fn we_refuse_register_of_other_class(case: &Case) -> bool {
    refused_with_comment(case, "/*Invalid register")
}

pub fn we_refuse_immediate_for_register(case: &Case) -> bool {
    refused_with_comment(case, "/*Invalid immediate")
}

pub fn we_refuse_dpp_ctrl_hole(case: &Case) -> bool {
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

/// Codes that LLVM's decoder names but its assembler does not accept on the target.
pub fn we_refuse_reserved_source(case: &Case) -> bool {
    let rdna3 = ["gfx11", "gfx12", "gfx13"].iter().any(|g| case.target.name().starts_with(g));
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

/// The bounds of private memory, whose codes CDNA5 reserves.
pub fn we_refuse_private_bounds(case: &Case) -> bool {
    let name = match refused_code(case) {
        Some(237) => "src_private_base",
        Some(238) => "src_private_limit",
        _ => return false,
    };
    refused_text(case).is_some_and(|text| text.contains(name))
}

/// The eleven matrix products that CDNA5 has with other names and sizes.
pub fn we_refuse_wmma_of_rdna4(case: &Case) -> bool {
    let kinds = ["f32_16x16x16_", "f16_16x16x16_", "bf16_16x16x16_", "i32_16x16x16_", "i32_16x16x32_iu4"];
    let is_one =
        |text: &str| text.strip_prefix("v_wmma_").is_some_and(|rest| kinds.iter().any(|k| rest.starts_with(k)));
    refused_text(case).is_some_and(is_one)
}

/// A dot product as one of two operations in an instruction.
pub fn we_refuse_dual_dot(case: &Case) -> bool {
    refused_text(case).is_some_and(|text| text.contains("v_dual_dot2acc_"))
}

/// Null as the resource of a buffer, or as the resource or sampler of an image.
pub fn we_refuse_null_resource(case: &Case) -> bool {
    let names = ["srsrc ", "ssamp ", "rsrc ", "samp "];
    let ours = matches!(&case.ours, Ours::Refused(reason) if names.iter().any(|name| reason.starts_with(name)));
    let of = ["image_", "buffer_", "tbuffer_"];
    ours && refused_text(case).is_some_and(|text| of.iter().any(|of| text.starts_with(of)) && text.contains(", null"))
}

/// A memory operation of three dwords with a bit that only gfx1250 has: `nv` or `scale_offset`.
pub fn we_refuse_bits_of_gfx1250(case: &Case) -> bool {
    let bits = [("(nv)", " nv"), ("(scale_offset)", " scale_offset")];
    let named = |text: &str| {
        let reason = |name: &str| matches!(&case.ours, Ours::Refused(reason) if reason.contains(name));
        bits.iter().any(|(name, word)| reason(name) && text.contains(word))
    };
    refused_text(case).is_some_and(named)
}

/// VINTERP with a source below 256 where a half of a VGPR is required.
pub fn we_refuse_scalar_half(case: &Case) -> bool {
    let scalar = [32, 50].iter().any(|&lsb| field(case, lsb, 9) < 256);
    // From RDNA4 on, two more bits belong to other fields.
    let width = if is_rdna4_or_later(case) { 5 } else { 7 };
    let f16 = (2..6).contains(&field(case, 16, width));
    field(case, 24, 8) == 0b11001101 && f16 && scalar && refused_text(case).is_some()
}

/// Operations of VOP1 and VOP3 with null as a source that must be a VGPR.
pub fn we_refuse_null_for_vgpr(case: &Case) -> bool {
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

pub fn we_refuse_vgprs_past_the_end(case: &Case) -> bool {
    refused_text(case).is_some_and(|text| ['v', 'a'].iter().any(|&file| last_registers(text, file).any(|r| r > 255)))
}

pub fn we_refuse_sgprs_past_the_end(case: &Case) -> bool {
    // There are 12 trap registers before gfx9, and 16 later. From RDNA on, there are 106 scalar registers.
    let traps = if case.target.name().starts_with("gfx8") { 11 } else { 15 };
    let last = if case.target.name().starts_with("gfx1") { 105 } else { 101 };
    refused_text(case)
        .is_some_and(|text| last_registers(text, 's').any(|r| r > last) || last_registers(text, 'p').any(|r| r > traps))
}

/// A read-only scalar (shared base, vccz, ...) as a destination or where only VGPRs are allowed.
pub fn we_refuse_read_only_register(case: &Case) -> bool {
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

/// VGPRs as the condition mask of an operation of VOP3.
pub fn we_refuse_vector_mask(case: &Case) -> bool {
    let vop3 = [0b110100, 0b110101].contains(&field(case, 26, 6)) && field(case, 50, 9) >= 256;
    vop3 && refused_text(case).is_some_and(|text| {
        let masked =
            ["v_cndmask_b", "v_addc_", "v_subb_", "v_subbrev_", "v_add_co_ci_", "v_sub_co_ci_", "v_subrev_co_ci_"];
        masked.iter().any(|m| text.starts_with(m))
    })
}

/// Bits that only gfx1250 assigns: nv (20), and the scale of the offset (56).
pub fn we_refuse_scalar_memory_of_gfx1250(case: &Case) -> bool {
    let reason = |bit: u32| format!("reserved bit {bit} of SMEM (reserved) is wrong");
    let is = |bit: u32| field(case, bit, 1) == 1 && matches!(&case.ours, Ours::Refused(why) if *why == reason(bit));
    is_scalar_memory(case) && (is(20) || is(56)) && refused_text(case).is_some()
}

/// A barrier whose number is neither m0 nor an integer.
pub fn we_refuse_barrier_register(case: &Case) -> bool {
    let good = field(case, 0, 8) == 125 || (128..=208).contains(&field(case, 0, 8));
    is_barrier(case) && !good && refused_text(case).is_some()
}

/// Four bytes of zero.
pub fn we_refuse_illegal(case: &Case) -> bool {
    field(case, 0, 32) == 0 && refused_text(case) == Some("v_illegal")
}

/// v_fma_mix_f32, v_fma_mixlo_f16 and v_fma_mixhi_f16 with the encoding of VOP3P that gfx9 has.
pub fn we_refuse_mix_of_gfx9(case: &Case) -> bool {
    let vop3p = field(case, 23, 9) == 0b1_1010_0111 && (32..=34).contains(&field(case, 16, 7));
    vop3p && refused_text(case).is_some_and(|text| text.starts_with("v_fma_mix"))
}

/// v_readlane_b32 and v_writelane_b32 of RDNA with a literal as the number of the lane.
pub fn we_refuse_literal_lane(case: &Case) -> bool {
    let lane = field(case, 26, 6) == 0b110101 && [864, 865].contains(&field(case, 16, 10));
    lane && field(case, 41, 9) == LITERAL && refused_text(case).is_some_and(|text| text.contains("lane_b32 "))
}

/// v_movrels_b32, v_movrelsd_b32 or v_movrelsd_2_b32 with SDWA and its bit s0 (55).
pub fn we_refuse_scalar_movrels(case: &Case) -> bool {
    let sdwa = field(case, 31, 1) == 0 && field(case, 0, 9) == SDWA && field(case, 55, 1) == 1;
    sdwa && refused_text(case).is_some_and(|text| text.starts_with("v_movrels"))
}

pub fn we_refuse_op_sel(case: &Case) -> bool {
    let ours = matches!(&case.ours, Ours::Refused(reason) if reason.contains("(op_sel)"));
    ours && field(case, 26, 6) == 0b110101 && field(case, 11, 4) != 0 && refused_text(case).is_some()
}

/// VOP3 or VOP3P with a literal as src2.
pub fn we_refuse_literal_register(case: &Case) -> bool {
    let wide = [0b110101, 0b110011].contains(&field(case, 26, 6)) && field(case, 50, 9) == LITERAL;
    let names = ["v_wmma_", "v_cndmask_b16"];
    wide && refused_text(case).is_some_and(|text| names.iter().any(|name| text.starts_with(name)))
}

/// A tensor operation with null as its first or second part, or as exactly one of its third and fourth parts.
pub fn we_refuse_null_tensor(case: &Case) -> bool {
    let nulls = [64, 72, 80, 88].map(|lsb| field(case, lsb, 8) == 124);
    let wrong = nulls[0] || nulls[1] || nulls[2] != nulls[3];
    let ours = matches!(&case.ours, Ours::Refused(reason) if reason.starts_with("vaddr"));
    ours && wrong && refused_text(case).is_some_and(|text| text.starts_with("tensor_") && text.contains("null"))
}

/// VOP1, VOP3 or VOP3P of an operation on VGPRs with null (124; up to RDNA2 125) as one of its sources.
pub fn we_refuse_null_vgpr(case: &Case) -> bool {
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

/// VOP3 or VOP3P with DPP or DPP8 whose src1 (49:41) is not a VGPR.
pub fn we_refuse_dpp_scalar(case: &Case) -> bool {
    let dpp = [0b110101, 0b110011].contains(&field(case, 26, 6)) && [233, 234, 250].contains(&field(case, 32, 9));
    dpp && field(case, 41, 9) < 256 && refused_text(case).is_some()
}

/// LLVM names an accumulation register on a target without such registers.
pub fn we_refuse_accvgpr(case: &Case) -> bool {
    let none = case.target.name().starts_with("gfx8")
        || ["gfx900", "gfx904", "gfx906", "gfx9-generic", "gfx908"].contains(&case.target.name());
    let register =
        |word: &str| word.strip_prefix('a').is_some_and(|n| n.starts_with(|c: char| c.is_ascii_digit() || c == '['));
    none && refused_text(case).is_some_and(|text| text.split([' ', ',']).any(register))
}

/// FLAT of gfx803 with bits 15:0 set.
pub fn we_refuse_flat_offset(case: &Case) -> bool {
    let flat = case.target.name().starts_with("gfx8") && field(case, 26, 6) == 0b110111 && field(case, 0, 16) != 0;
    flat && refused_text(case).is_some_and(|text| text.contains("offset:"))
}

/// GLOBAL with lds (13) and exec (126) as saddr.
pub fn we_refuse_exec_base(case: &Case) -> bool {
    let lds = field(case, 26, 6) == 0b110111 && field(case, 14, 2) == 2 && field(case, 13, 1) == 1;
    lds && field(case, 48, 7) == 126
        && refused_text(case).is_some_and(|text| text.contains(", exec") && text.ends_with(" lds"))
}

/// Atomic operations and prefetches of VFLAT with exec (126) as saddr.
pub fn we_refuse_exec_base_of_flat(case: &Case) -> bool {
    let flat = field(case, 24, 8) == 0b1110_1100 && field(case, 0, 7) == 126;
    let names = ["flat_atomic_", "flat_prefetch_b8 "];
    // LLVM marks exec as invalid in all other operations.
    let takes =
        |text: &str| text.contains(", exec") && !text.contains("exec/*") && names.iter().any(|n| text.starts_with(n));
    flat && refused_text(case).is_some_and(takes)
}

/// SCRATCH with lds and saddr 127.
pub fn we_refuse_scratch_without_address(case: &Case) -> bool {
    let lds = field(case, 26, 6) == 0b110111 && field(case, 14, 2) == 1 && field(case, 13, 1) == 1;
    lds && field(case, 48, 7) == 127 && refused_text(case).is_some()
}

/// MUBUF and MTBUF with a soffset of 255.
pub fn we_refuse_literal_buffer_offset(case: &Case) -> bool {
    let buffer = [0b111000, 0b111010].contains(&field(case, 26, 6)) && field(case, 56, 8) == LITERAL;
    buffer && case.word.bytes().len() >= 8 && (refused_text(case).is_some() || refused_crash(case))
}

pub fn we_refuse_literal64(case: &Case) -> bool {
    refuses_code(case, 254)
}

pub fn we_refuse_literal32(case: &Case) -> bool {
    let vop3d = field(case, 24, 8) == 0b1100_1111;
    // The operation is v_fmamk_f64 or v_fmaak_f64.
    let long = field(case, 31, 1) == 0 && long_constant_opcodes(case).contains(&field(case, 25, 6));
    // A literal of 64 bits is another source.
    let scalar = field(case, 30, 2) == 0b10 && [0, 8].iter().any(|lsb| field(case, *lsb, 8) == 254);
    // The literal is a scale of a matrix operation.
    let scales = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    refuses_code(case, 255) && (vop3d || long || scalar || scales)
}

pub fn we_refuse_second_half_of_scaled_wmma(case: &Case) -> bool {
    let first = [0xcc35, 0xcc3a].contains(&field(case, 16, 16));
    let second = [0xcc33, 0xcc88].contains(&field(case, 80, 16));
    first && second && refused_text(case).is_some_and(|text| text.starts_with("v_wmma_ld_scale"))
}
