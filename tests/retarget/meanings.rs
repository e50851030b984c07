//! Bits that mean something else on another target, and meanings that have other bits there.

use amdgpu_isa::convert::RetargetError;
use amdgpu_isa::{Field, Inst, Target, decode_words, parse};

fn inst(target: &str, text: &str) -> Inst {
    let target: Target = target.parse().expect("a target");
    parse(target, text).unwrap_or_else(|error| panic!("{target} {text}: {error}"))
}

/// The text on another target, or the message.
fn there(from: &str, text: &str, to: &str) -> Result<String, String> {
    match inst(from, text).retarget(to.parse().expect("a target")) {
        Ok(there) => Ok(there.to_string()),
        Err(error) => Err(error.to_string()),
    }
}

#[track_caller]
fn all(cases: &[(&str, &str, &str, Result<&str, &str>)]) {
    for &(from, text, to, expected) in cases {
        let got = there(from, text, to);
        assert_eq!(got.as_deref().map_err(|error| error.as_str()), expected, "{text} from {from} to {to}");
    }
}

#[rustfmt::skip]
#[test]
fn bits_of_hardware_registers_keep_their_meaning() {
    all(&[
        ("gfx1100", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s0", "gfx1200", Ok("s_setreg_b32 hwreg(HW_REG_WAVE_MODE, 0, 8), s0")),
        ("gfx1200", "s_setreg_b32 hwreg(HW_REG_WAVE_MODE, 0, 8), s0", "gfx900", Ok("s_setreg_b32 hwreg(HW_REG_MODE, 0, 8), s0")),
        ("gfx1100", "s_setreg_b32 hwreg(HW_REG_MODE, 8, 1), s0", "gfx1200", Err("bit 8 (dx10_clamp here) means nothing on the target")),
        ("gfx1100", "s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s0", "gfx1200", Err("bit 8 (dx10_clamp here) means nothing on the target")),
        ("gfx1100", "s_setreg_b32 hwreg(HW_REG_MODE, 12, 7), s0", "gfx1200", Err("bits 18:12 (excp_en here) mean nothing on the target")),
        ("gfx900", "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 1", "gfx1100", Err("bit 28 (vskip here) means nothing on the target")),
        ("gfx1200", "s_setreg_b32 hwreg(HW_REG_WAVE_MODE, 24, 1), s0", "gfx1100", Err("bit 24 (scalar_prefetch_en here) means nothing on the target")),
        ("gfx1200", "s_setreg_b32 hwreg(HW_REG_WAVE_MODE, 24, 1), s0", "gfx900", Err("bit 24 (scalar_prefetch_en here) is pops_packer0 on the target")),
        ("gfx1100", "s_setreg_b32 hwreg(HW_REG_MODE, 28, 1), s0", "gfx900", Err("bit 28 means nothing here, and is vskip on the target")),
        // Fields that are elsewhere.
        ("gfx900", "s_setreg_b32 hwreg(HW_REG_MODE, 26, 1), s0", "gfx1100", Ok("s_setreg_b32 hwreg(HW_REG_MODE, 27, 1), s0")),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)", "gfx1200", Ok("s_getreg_b32 s0, hwreg(HW_REG_WAVE_STATE_PRIV, 9, 1)")),
        ("gfx1200", "s_getreg_b32 s0, hwreg(HW_REG_WAVE_STATE_PRIV, 9, 1)", "gfx1030", Ok("s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)")),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 3)", "gfx1200", Ok("s_getreg_b32 s0, hwreg(HW_REG_WAVE_STATE_PRIV, 9, 3)")),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 6)", "gfx1200", Err("the target has no HW_REG_STATUS (id)")),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 7)", "gfx1200", Ok("s_getreg_b32 s0, hwreg(HW_REG_WAVE_EXCP_FLAG_USER, 0, 7)")),
        // Layouts.
        ("gfx906", "s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 8, 6)", "gfx942", Ok("s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 6, 6)")),
        ("gfx906", "s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC)", "gfx942", Err("bits 7:6 mean nothing here, and are vgpr_size on the target")),
        ("gfx1030", "s_getreg_b32 s0, hwreg(HW_REG_IB_STS)", "gfx1100", Err("bits 3:0 (load_cnt here) are ib_sts_rdna3 on the target")),
        ("gfx942", "s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 12, 9)", "gfx950", Ok("s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 12, 9)")),
        ("gfx942", "s_getreg_b32 s0, hwreg(HW_REG_LDS_ALLOC, 0, 9)", "gfx950", Err("bit 8 means nothing here, and is lds_base on the target")),
        ("gfx900", "s_getreg_b32 s0, hwreg(HW_REG_MODE)", "gfx906", Ok("s_getreg_b32 s0, hwreg(HW_REG_MODE)")),
        ("gfx1100", "s_getreg_b32 s0, hwreg(HW_REG_MODE)", "gfx1150", Ok("s_getreg_b32 s0, hwreg(HW_REG_MODE)")),
    ]);
}

/// Each bit of each hardware register is converted between all pairs of targets: the result converts back to the same
/// bit.
#[test]
fn each_bit_comes_back() {
    let (mut taken, mut refused) = (0, 0);
    for &from in Target::ALL {
        let words = (0..64u32).flat_map(|id| (0..32u32).map(move |bit| id | bit << 6));
        let get = words.filter_map(|constant| {
            let first = parse(from, "s_getreg_b32 s0, hwreg(1)").ok()?;
            let inst = decode_words(from, &[first.words()[0] & !0xffff | constant]).ok()?;
            inst.to_string().contains("HW_REG_").then_some(inst)
        });
        for inst in get {
            for &to in Target::ALL {
                let Ok(there) = inst.retarget(to) else {
                    refused += 1;
                    continue;
                };
                taken += 1;
                assert_eq!(
                    there.retarget(from).map(|back| back.to_string()),
                    Ok(inst.to_string()),
                    "{inst} {from} -> {to}"
                );
            }
        }
    }
    assert!(taken > 100_000 && refused > 100_000, "{taken} {refused}");
}

#[rustfmt::skip]
#[test]
fn loads_of_half_a_register_depend_on_ecc() {
    const KEPT: Result<&str, &str> = Err("with ECC, one of the two targets clears the half of vdst that is not loaded");
    all(&[
        ("gfx900", "global_load_short_d16 v0, v[2:3], off", "gfx942", KEPT),
        ("gfx900", "ds_read_u16_d16_hi v0, v1", "gfx90a", KEPT),
        ("gfx942", "global_load_short_d16_hi v0, v[2:3], off", "gfx1100", KEPT),
        ("gfx1100", "ds_load_u16_d16 v0, v1", "gfx950", KEPT),
        ("gfx1200", "global_load_d16_b16 v0, v[2:3], off", "gfx1250", KEPT),
        ("gfx90a", "global_load_short_d16 v0, v[2:3], off", "gfx942", Ok("global_load_short_d16 v0, v[2:3], off")),
        ("gfx1030", "global_load_short_d16 v0, v[2:3], off", "gfx1100", Ok("global_load_d16_b16 v0, v[2:3], off")),
        ("gfx900", "global_load_ushort v0, v[2:3], off", "gfx942", Ok("global_load_ushort v0, v[2:3], off")),
        ("gfx900", "global_store_short_d16_hi v[2:3], v0, off", "gfx942", Ok("global_store_short_d16_hi v[2:3], v0, off")),
        // A load that may fail keeps its whole destination on both targets.
        ("gfx900", "buffer_load_dword v[0:1], off, s[4:7], 0 tfe", "gfx908", Ok("buffer_load_dword v[0:1], off, s[4:7], 0 tfe")),
        ("gfx900", "buffer_load_short_d16 v[0:1], off, s[4:7], 0 tfe", "gfx908", Err("with ECC, one of the two targets clears the half of vdata that is not loaded")),
        ("gfx1250", "buffer_load_b32 v[0:1], off, s[4:7], null tfe", "gfx1200", Ok("buffer_load_b32 v[0:1], off, s[4:7], null tfe")),
        ("gfx900", "image_load v[0:1], v4, s[0:7] dmask:0x3 unorm lwe", "gfx908", Ok("image_load v[0:1], v4, s[0:7] dmask:0x3 unorm lwe")),
        ("gfx900", "image_load v[0:2], v4, s[0:7] dmask:0x7 unorm tfe d16", "gfx908", Err("with ECC, one of the two targets clears the half of vdata that is not loaded")),
        ("gfx900", "image_load v[0:2], v4, s[0:7] dmask:0xf unorm tfe d16", "gfx908", Ok("image_load v[0:2], v4, s[0:7] dmask:0xf unorm tfe d16")),
    ]);
}

#[rustfmt::skip]
#[test]
fn dot_products_of_cdna3_take_no_halves() {
    const PLAIN: &str = "v_dot2_f32_f16 v0, v1, v2, v3";
    const REFUSED: Result<&str, &str> = Err("on the target op_sel of the operation cannot be 0x1, only 0");
    all(&[
        ("gfx90a", PLAIN, "gfx942", Ok(PLAIN)),
        ("gfx942", PLAIN, "gfx1100", Ok(PLAIN)),
        ("gfx90a", "v_dot2_f32_f16 v0, v1, v2, v3 op_sel:[1,0,0]", "gfx942", REFUSED),
        ("gfx1100", "v_dot2_f32_bf16 v0, v1, v2, v3 op_sel:[1,0,0]", "gfx950", REFUSED),
        ("gfx906", "v_dot2_i32_i16 v0, v1, v2, v3 op_sel_hi:[0,1,1]", "gfx950", Err("on the target op_sel_hi of the operation cannot be 0x6, only 7")),
        ("gfx906", "v_dot2_i32_i16 v0, v1, v2, v3 op_sel:[1,0,0]", "gfx90a", Ok("v_dot2_i32_i16 v0, v1, v2, v3 op_sel:[1,0,0]")),
    ]);
}

#[rustfmt::skip]
#[test]
fn what_has_another_name_or_no_field_means_the_same() {
    const STORE: &str = "image_store v[0:3], [v4, v5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D";
    const OLD_STORE: &str = "image_store v[0:3], v[4:5], s[0:7] dmask:0xf dim:SQ_RSRC_IMG_2D unorm";
    const ATOMIC: &str = "image_atomic_add v0, v[4:5], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D unorm";
    const DUAL: &str = "v_dual_max_f32 v0, v1, v2 :: v_dual_min_f32 v3, v4, v5";
    const NEW_DUAL: &str = "v_dual_max_num_f32 v0, v1, v2 :: v_dual_min_num_f32 v3, v4, v5";
    const SHARE: &str = "v_add_f32_dpp v0, v1, v2 row_share:3 row_mask:0xf bank_mask:0xf";
    const BCAST: &str = "v_add_f32_dpp v0, v1, v2 row_newbcast:3 row_mask:0xf bank_mask:0xf";
    all(&[
        ("gfx1200", STORE, "gfx1100", Ok(OLD_STORE)),
        ("gfx1200", STORE, "gfx1030", Ok(OLD_STORE)),
        ("gfx1100", OLD_STORE, "gfx1200", Ok(STORE)),
        ("gfx1030", OLD_STORE, "gfx1100", Ok(OLD_STORE)),
        ("gfx1200", "image_atomic_add_uint v0, [v4, v5], s[0:7] dmask:0x1 dim:SQ_RSRC_IMG_2D", "gfx1100", Ok(ATOMIC)),
        ("gfx1100", "image_sample v[0:3], v[4:5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm", "gfx1200",
            Ok("image_sample v[0:3], [v4, v5], s[0:7], s[8:11] dmask:0xf dim:SQ_RSRC_IMG_2D unorm")),
        ("gfx1100", DUAL, "gfx1200", Ok(NEW_DUAL)),
        ("gfx1200", NEW_DUAL, "gfx1150", Ok(DUAL)),
        ("gfx90a", BCAST, "gfx1100", Ok(SHARE)),
        ("gfx1200", SHARE, "gfx942", Ok(BCAST)),
        ("gfx1100", SHARE, "gfx900", Err("the target has no row_share:3 (dpp_ctrl)")),
    ]);
}

#[test]
fn messages_have_names() {
    let cases = [
        (
            "gfx900",
            "v_add_f32_dpp v0, v1, v2 row_bcast:15 row_mask:0xf bank_mask:0xf",
            "gfx1030",
            "row_bcast:15 (dpp_ctrl)",
        ),
        (
            "gfx900",
            "v_add_f32_dpp v0, v1, v2 wave_shl:1 row_mask:0xf bank_mask:0xf",
            "gfx1030",
            "wave_shl:1 (dpp_ctrl)",
        ),
        ("gfx900", "s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)", "gfx1100", "MSG_GS_DONE (message)"),
        ("gfx1100", "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", "gfx900", "MSG_DEALLOC_VGPRS (message)"),
        ("gfx900", "exp param3 v0, v1, v2, v3 done", "gfx1100", "param3 (tgt)"),
        ("gfx900", "s_getreg_b32 s0, hwreg(HW_REG_HW_ID)", "gfx1100", "HW_REG_HW_ID (id)"),
    ];
    for (from, text, to, name) in cases {
        assert_eq!(there(from, text, to), Err(format!("the target has no {name}")));
    }
    let convert = inst("gfx942", "v_cvt_f32_fp8_sdwa v0, v1 src0_sel:BYTE_1");
    let error = convert.retarget(Target::Gfx950).expect_err("other floats");
    assert_eq!(error, RetargetError::Floats(convert.opcode()));
    let bits = inst("gfx1100", "s_setreg_b32 hwreg(HW_REG_MODE, 8, 1), s0").retarget(Target::Gfx1200);
    assert_eq!(bits.expect_err("no such bit").bit_fields(), [Some("dx10_clamp"), None]);
    assert_eq!(convert.get(Field::Simm16), None);
}
