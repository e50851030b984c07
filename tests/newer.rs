//! Targets and operations that LLVM 22 does not know, compared with the answers of LLVM 24's assembler and LLVM 23's
//! disassembler for a sample of texts. `newer/*.tsv` has the answers and their origin.
#![cfg(feature = "all-targets")]

mod passes;

use std::collections::HashSet;

use amdgpu_isa::check::RuleError;
use amdgpu_isa::{Field, Filler, Inst, Opcode, Target, decode, parse};

const SAMPLES: &[(&str, &str)] = &[
    ("gfx1170", include_str!("newer/gfx1170.tsv")),
    ("gfx1251", include_str!("newer/gfx1251.tsv")),
    ("gfx12-5-generic", include_str!("newer/gfx12-5-generic.tsv")),
    ("gfx1310", include_str!("newer/gfx1310.tsv")),
];

/// The library prints the bytes that LLVM 24 makes of a text as that text, and parses the text to the same bytes. On
/// gfx1251, which LLVM 22 knows, the test has to ask for the newer filler of unused sources.
#[test]
fn texts_and_bytes_are_those_of_newer_llvms() {
    let mut wrong = Vec::new();
    for &(name, lines) in SAMPLES {
        for line in lines.lines().filter(|line| !line.starts_with('#')) {
            let (hex, text) = line.split_once('\t').expect("a tab");
            let (waves, hex) = hex.split_once(' ').unwrap_or(("", hex));
            let target: Target = format!("{name}{waves}").parse().expect(name);
            let found = parse(target, text);
            let filled = |inst: Inst| if name == "gfx1251" { inst.with_filler(Filler::Llvm23) } else { inst };
            if hex == "!" {
                if let Ok(inst) = found {
                    wrong.push(format!("{target} takes {text} as {:08x?}", inst.words()));
                }
                continue;
            }
            let bytes: Vec<u8> =
                (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..][..2], 16).unwrap()).collect();
            let read = match decode(target, &bytes) {
                Ok(inst) => inst,
                Err(error) => {
                    wrong.push(format!("{target} {hex} {text}: {error}"));
                    continue;
                }
            };
            if read.to_string() != text || read.words().len() * 4 != bytes.len() {
                wrong.push(format!("{target} {hex} {text}: is {read}"));
            }
            match found {
                Ok(inst) if filled(inst).words() == read.words() => {}
                Ok(inst) => wrong.push(format!("{target} {hex} {text}: becomes {:08x?}", inst.words())),
                Err(error) => wrong.push(format!("{target} {hex} {text}: {error}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Each target has the forms of an older one, except for as many added and removed forms as LLVM 24 says. Forms of one
/// operation that have another name count as the same, except for those of dual operations, which are operations of
/// their own.
#[test]
fn they_differ_from_older_targets_by_as_many_forms_as_llvm_says() {
    for (newer, older, added, removed) in [
        ("gfx1170", "gfx1150", 52, 5),
        ("gfx1251", "gfx1250", 9, 0),
        // CDNA5's manual leaves out eleven matrix operations that LLVM 24 lacks, too, and the dot products of dual
        // instructions, which LLVM 24 has.
        ("gfx12-5-generic", "gfx1250", 4, 57 - 11),
        ("gfx1310", "gfx1250", 638 + 4, 661 - 11),
    ] {
        let forms = |name: &str| -> HashSet<_> {
            let target: Target = name.parse().expect(name);
            Opcode::ALL.iter().flat_map(|op| op.encodings(target).map(move |form| (*op, form))).collect()
        };
        let (new, old) = (forms(newer), forms(older));
        let found = (new.difference(&old).count(), old.difference(&new).count());
        assert_eq!(found, (added, removed), "{newer}, {older}");
    }
}

/// Texts that LLVM 22 reads otherwise or refuses, on targets that it knows, and what LLVM 24 makes of them.
const OLDER: &[(&str, &str, &str)] = &[
    // Tuples of scalar registers may end in vcc.
    ("gfx1010", "s_load_dwordx4 [s104,s105,vcc_lo,vcc_hi], s[58:59], 0x0", "1d1a08f4000000fa"),
    (
        "gfx1030",
        "image_load v0, v1, [s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi] dmask:0x1 dim:SQ_RSRC_IMG_1D",
        "000100f001001900",
    ),
    ("gfx1100", "s_load_b256 [s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi], s[58:59], 0x0", "1d190cf4000000f8"),
    ("gfx1200", "s_load_b96 [s104,s105,vcc_lo], s[2:3], 0x0", "01ba00f4000000f8"),
    (
        "gfx1250",
        "s_load_b512 [s92,s93,s94,s95,s96,s97,s98,s99,s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi], s[2:3], 0x0",
        "019700f4000000f8",
    ),
    // One of the longest texts.
    (
        "gfx1030",
        "image_sample_c_d_cl_o v[252:254], [v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v110], [s100,s101,s102,s103,s104,s105,vcc_lo,vcc_hi], [s104,s105,vcc_lo,vcc_hi] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA_ARRAY unorm glc slc dlc r128 tfe lwe d16",
        "bebfeff264fc598365666768696a6b6c6d6e0000",
    ),
    // Tuples of vector registers continue after v255.
    ("gfx1250", "ds_load_b128 v[254:257], v0", "0000fcdb000000fe"),
    ("gfx1250", "global_store_b128 v0, v[254:257], s[0:1]", "004007ee0000007f00000000"),
    ("gfx1310", "global_load_b64 v[255:256], v142, s[74:75]", "4a4003eeff0000008e000000"),
    ("gfx1310", "image_load v[254:257], v0, s[0:7] dmask:0xf dim:SQ_RSRC_IMG_1D", "0000c0d3fe00000000000000"),
    ("gfx1310", "flat_store_b64 v[255:256], v[0:1]", "7c4007ec00000000ff000000"),
    // Names of dot products that mark their sources as signed.
    ("gfx1100", "v_dot4_i32_i8 v0, v1, v2, v3", "004016cc01050e7c"),
    ("gfx1200", "v_dot8_i32_i4 v0, v1, v2, v3", "004018cc01050e7c"),
    ("gfx1100", "v_dot4_i32_i8 v0, v1, v2, v3 neg_lo:[1,1,0] clamp", "00c016cc01050e7c"),
    ("gfx1030", "v_dot4_i32_i8 v0, v1, v2, v3", "004016cc01050e1c"),
    // Doubles with the bits of inline integers, and operations of messages with a number.
    ("gfx1100", "s_and_b64 s[0:1], 4.9e-324, s[2:3]", "8102808b"),
    ("gfx942", "v_lshlrev_b64 v[0:1], 1, 4.9e-324", "00008fd281020100"),
    ("gfx1100", "s_sendmsg sendmsg(2, GS_OP_EMIT_CUT,1)", "3201b6bf"),
    // Names of cleared flags in operations that lack these flags.
    ("gfx1200", "ds_add_u32 v0, v1 offset:4 nogds", "040000d800010000"),
    ("gfx1310", "ds_read_i16 v255, v0 offset:4 nogds", "0400ecd8000000ff"),
    (
        "gfx1200",
        "buffer_atomic_swap_b32 v2, v4, s[12:15], s8 offen th:TH_ATOMIC_RETURN nonv",
        "08c00cc40218904004000000",
    ),
    ("gfx1250", "buffer_load_b32 v0, off, s[0:3], s0 noscale_offset", "000005c40000800000000000"),
    ("gfx12-5-generic", "tensor_load_to_lds s[0:3], s[4:11] noscale_offset", "010071d00000007c00047c7c"),
    // Events with names.
    ("gfx1170", "s_wait_event { dont_wait_export_ready: 0 }", "00008bbf"),
    ("gfx1150", "s_wait_event {dont_wait_export_ready:1}", "01008bbf"),
    ("gfx1100", "s_wait_event { }", "00008bbf"),
    // Hints with names of the system's scope.
    ("gfx1250", "global_load_b32 v0, v[0:1], off th:TH_LOAD_BYPASS scope:SCOPE_SYS", "7c0005ee00003c0000000000"),
    ("gfx1310", "s_load_b32 s0, s[2:3], 0 scope:SCOPE_SYS th:TH_LOAD_BYPASS", "0100e0f5000000f8"),
    // The hint that is 0, by its names in other operations.
    ("gfx1310", "global_load_u8 v2, v4, s[8:9] th:TH_STORE_RT", "080002ee0200000004000000"),
    ("gfx1250", "buffer_atomic_add_u32 v5, off, s[8:11], s3 th:TH_DEFAULT", "03400dc40510800000000000"),
    (
        "gfx1250",
        "buffer_atomic_add_u32 v5, off, s[8:11], s3 th:TH_ATOMIC_RT scope:SCOPE_SYS",
        "03400dc405108c0000000000",
    ),
    // The cache policy of prefetches.
    ("gfx1200", "s_prefetch_data s[2:3], 0x10, s0, 1 th:TH_LOAD_NT scope:SCOPE_DEV", "41c0c4f410000000"),
    ("gfx1250", "s_prefetch_data s[2:3], 0x10, s0, 1 scope:SCOPE_SYS th:TH_LOAD_BYPASS nv", "41c0f4f510000000"),
    ("gfx1250", "s_buffer_prefetch_data s[4:7], 0x10, s0, 1 th:TH_LOAD_NT scope:SCOPE_DEV", "42e0c4f410000000"),
    ("gfx1310", "s_prefetch_data s[2:3], 0x10, s0, 1 th:TH_LOAD_NT scope:SCOPE_DEV", "4180c5f410000000"),
    ("gfx1250", "s_prefetch_inst s[2:3], 0x10, s0, 1 nv", "418014f410000000"),
    ("gfx1250", "s_prefetch_inst s[2:3], 0x10, s0, 1 nonv", "418004f410000000"),
    // The half that a packed shift writes.
    ("gfx1250", "v_ashr_pk_u8_i32 v2.h, v4, v6, v8", "024091d6040d2204"),
    ("gfx1250", "v_ashr_pk_u8_i32 v2, v4, v6, v8", "020091d6040d2204"),
    ("gfx1251", "v_ashr_pk_i8_i32_e64_dpp v2.h, v4, v6, v8 row_mirror", "024090d6fa0c2204044001ff"),
    // Suffixes of halves, together with an op_sel that selects the same halves, or none.
    ("gfx1200", "v_add_f16_e64_dpp v255.h, v255.l, v2.h op_sel:[0,1,1] row_mirror", "ff5032d5fa040200ff4001ff"),
    ("gfx1250", "v_max3_num_f16 v255.h, -1, exec_hi, src_scc op_sel:[0,0,0,0]", "ff402cd6c1fef403"),
    // Literals of 32 bits as if they had 64.
    ("gfx1250", "v_add_f32 v1, lit64(1), v3", "ff06020601000000"),
    ("gfx1170", "v_mov_b32 v0, lit64(0x12345)", "ff02007e45230100"),
    ("gfx1170", "s_add_f32 s0, lit64(1), s1", "ff0100a001000000"),
    ("gfx1250", "v_rsq_f16_e32 v5.l, |-3|", "ffac0a7efd7f0000"),
    ("gfx1170", "s_setreg_imm32_b32 hwreg(1), lit64(5)", "01f880b905000000"),
    ("gfx1250", "s_setreg_imm32_b32 hwreg(1), lit64(-5)", "01f880b9fbffffff"),
    // Floats of 16 bits in `lit(...)`.
    ("gfx1250", "v_pk_add_bf16 v2, v3, lit(1.0)", "024023cc03ff0118803f0000"),
    ("gfx1250", "v_rcp_bf16_e32 v2.l, lit(0.1)", "fff2047ecd3d0000"),
    ("gfx1170", "v_dot2_bf16_bf16 v2.l, v4, v5, lit(0.1)", "020067d6040bfe03cd3d0000"),
    // Lists with one bit more than the operation has sources, where the default of a bit is one.
    ("gfx1250", "v_pk_add_f16 v2, v4, v6 op_sel_hi:[1,1,1]", "02400fcc040d0218"),
    ("gfx1170", "v_pk_fma_f16 v2, v4, v6, v8 op_sel_hi:[0,1,1,1]", "02400ecc040d2214"),
    // Two numbers of 32 bits.
    ("gfx1251", "v_pk_lshl_add_u64 v[0:3], v[4:7], 0x3f800000, v[12:15]", "00407ecc04e5311c"),
    ("gfx1251", "v_pk_lshl_add_u64 v[0:3], v[4:7], 0.25, v[12:15]", "00407ecc04ff311c0000803e"),
    ("gfx1251", "v_pk_lshl_add_u64 v[0:3], v[4:7], 0xffffffff, v[12:15]", "00407ecc0483311c"),
    // Formats of scales.
    (
        "gfx1250",
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[6:13], v[20:27], v[40:47], v[60:67], v2, v4 matrix_a_fmt:MATRIX_FMT_FP4 \
         matrix_b_fmt:MATRIX_FMT_FP4 matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3",
        "000235cc02090244066033cc1451f204",
    ),
    (
        "gfx1250",
        "v_wmma_scale16_f32_16x16x128_f8f6f4 v[6:13], v[20:35], v[40:47], v[60:67], v[2:3], v[4:5] \
         matrix_b_fmt:MATRIX_FMT_FP4 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3",
        "00013acc02090204064033cc1451f204",
    ),
];

/// Texts that LLVM 24 refuses.
const REFUSED: &[(&str, &str)] = &[
    ("gfx1200", "ds_add_u32 v0, v1 gds"),
    ("gfx1170", "ds_bpermute_b32 v0, v1, v2 nogds"),
    ("gfx1170", "buffer_load_b32 v0, off, s[0:3], s0 nonv"),
    ("gfx1200", "s_dcache_inv nonv"),
    ("gfx1170", "s_wait_event { export_ready: 1 }"),
    ("gfx1170", "s_wait_event { dont_wait_export_ready: 2 }"),
    ("gfx1170", "s_wait_event { dont_wait_export_ready: 1, dont_wait_export_ready: 1 }"),
    ("gfx1170", "s_wait_event { dont_wait_export_ready: 1"),
    ("gfx1170", "s_nop { dont_wait_export_ready: 1 }"),
    // Each hint has another name at the system's scope.
    ("gfx1250", "global_load_b32 v0, v[0:1], off th:TH_LOAD_BYPASS"),
    ("gfx1250", "global_load_b32 v0, v[0:1], off scope:SCOPE_DEV th:TH_LOAD_BYPASS"),
    ("gfx1310", "global_load_b32 v0, v[0:1], off scope:SCOPE_SYS th:TH_LOAD_LU"),
    ("gfx1310", "global_load_b32 v0, v[0:1], off th:TH_LOAD_LU scope:SCOPE_SYS"),
    ("gfx1200", "global_store_b32 v[0:1], v0, off scope:SCOPE_SYS th:TH_STORE_WB"),
    ("gfx1200", "flat_store_b32 v[3:4], v0 th:TH_STORE_BYPASS"),
    ("gfx12-5-generic", "s_buffer_load_b32 s12, s[8:11], s13 offset:0x0 th:TH_LOAD_BYPASS"),
    // Suffixes of halves, together with an op_sel that selects other halves.
    ("gfx1200", "v_med3_num_f16_e64_dpp v156.h, v1.l, -|v2.l|, -|0.5| op_sel:[0,0,1,0] dpp8:[7,6,5,4,3,2,1,0]"),
    ("gfx1250", "v_add_nc_i16 v255.h, 0.5, m0 op_sel:[1,0,0]"),
    ("gfx1250", "v_xor_b16_e64_dpp v255.h, v1.h, v255.l op_sel:[0,0,1] row_mirror"),
    ("gfx1170", "v_cmp_le_u16_e64 s5, v1.h, v255.h op_sel:[0,1,0]"),
    // Literals of 32 bits as if they had 64, in encodings of 64 bits, and on a target without 64-bit literals.
    ("gfx1250", "v_mov_b32_e64 v0, lit64(1)"),
    ("gfx1310", "v_add_f64_e64 v[0:1], lit64(1.0), v[2:3]"),
    ("gfx1310", "v_pk_add_f16 v0, lit64(1), v1"),
    ("gfx1250", "v_dual_mov_b32 v0, lit64(1) :: v_dual_mov_b32 v1, v3"),
    ("gfx1250", "v_fmaak_f32 v0, v1, v2, lit64(1)"),
    ("gfx1170", "v_add_f16 v0.l, lit64(1), v1.l"),
    ("gfx1170", "v_ceil_f64_e32 v[0:1], lit64(1.0)"),
    // Formats of scales that exclude each other.
    (
        "gfx1250",
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[6:13], v[20:35], v[40:55], v[60:67], v2, v4 \
         matrix_a_scale_fmt:MATRIX_SCALE_FMT_E5M3",
    ),
    (
        "gfx1250",
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[6:13], v[20:27], v[40:51], v[60:67], v2, v4 matrix_a_fmt:MATRIX_FMT_FP4 \
         matrix_b_fmt:MATRIX_FMT_BF6 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E4M3",
    ),
    (
        "gfx1250",
        "v_wmma_scale_f32_16x16x128_f8f6f4 v[6:13], v[20:27], v[40:47], v[60:67], v2, v4 matrix_a_fmt:MATRIX_FMT_FP4 \
         matrix_b_fmt:MATRIX_FMT_FP4 matrix_a_scale_fmt:MATRIX_SCALE_FMT_E4M3",
    ),
    (
        "gfx1250",
        "v_wmma_scale16_f32_16x16x128_f8f6f4 v[6:13], v[20:27], v[40:47], v[60:67], v[2:3], v[4:5] \
         matrix_a_fmt:MATRIX_FMT_FP4 matrix_b_fmt:MATRIX_FMT_FP4 matrix_b_scale_fmt:MATRIX_SCALE_FMT_E5M3",
    ),
    // An absent scalar address that the text of FLAT does not show.
    ("gfx1250", "flat_load_b32 v1, v[2:3], off"),
    ("gfx1251", "flat_atomic_add_u32 v0, v[2:3], v1, off th:TH_ATOMIC_RETURN"),
    ("gfx1310", "flat_store_b32 v[2:3], v1, off offset:4"),
    // Signs of constants, in operations that no encoding gives bits for them.
    ("gfx1170", "v_cvt_pk_f32_fp8_e32 v[2:3], abs(1)"),
    ("gfx1200", "v_cvt_pk_f32_bf8_e32 v[2:3], |1.0|"),
    ("gfx1310", "v_cvt_pk_f32_fp8 v[2:3], neg(1)"),
    // Floats that are rounded to 0, and lists of more bits than an encoding has.
    ("gfx1250", "v_sin_f32_e64 v2, lit(2.5e-310)"),
    ("gfx1250", "v_pk_mul_lo_u16 v2, v3, 1e-45"),
    ("gfx1250", "v_pk_add_bf16 v2, v3, 1e-46"),
    ("gfx1250", "v_exp_bf16_e32 v2.l, 1e-46"),
    ("gfx1250", "v_pk_fma_f16 v2, v4, v6, v8 op_sel_hi:[1,1,1,0,0]"),
    // Numbers with a sign that do not fit.
    ("gfx1170", "v_rsq_f32_e32 v5, |0x123456789a|"),
    ("gfx1250", "v_rsq_f16_e32 v5.l, -|0xffffffff|"),
    ("gfx1200", "v_add_f16 v5.l, |-65536|, v1.l"),
    ("gfx1170", "s_cmpk_lt_u32 s0, -1"),
    ("gfx900", "s_cmpk_lg_u32 s0, -1"),
    ("gfx1170", "s_setreg_b32 -5, s15"),
    ("gfx1310", "s_getreg_b32 s15, -5"),
    ("gfx1170", "s_wait_event -5"),
    // Floats for 16-bit integers, out of the range of floats of 16 bits.
    ("gfx1250", "v_mov_b16 v2.l, 70000.0"),
    ("gfx1170", "v_not_b16_e64 v2.l, 1e-10"),
    ("gfx1310", "v_not_b16_e64 v2, 1e10"),
    // A prefetch of a target without nv.
    ("gfx1200", "s_prefetch_data s[2:3], 0x10, s0, 1 nv"),
    // Bits of a float of 32 bits, which would be another number as a float of 16 bits.
    ("gfx1170", "s_cmp_lg_f16 0x3f000000, s2"),
    ("gfx1310", "s_cmp_o_f16 -4.0, 0x3e22f983"),
];

/// Texts that LLVM 24 turns into an instruction that does something else: see docs/llvm-differences.md.
const MISREAD: &[(&str, &str)] = &[
    ("gfx1200", "buffer_store_byte v1, off, s[12:15], src_scc"),
    ("gfx1250", "scratch_load_u8 v5, off, src_flat_scratch_base_lo"),
    ("gfx1310", "flat_atomic_inc_u32 v0, v0, exec"),
    ("gfx1170", "v_cmp_ge_f32_e64 src_scc, v1, v2"),
    ("gfx1250", "v_trunc_f64_e64 v[2:3], src_flat_scratch_base_hi"),
    ("gfx1200", "v_s_exp_f32 s8, v75"),
    ("gfx1310", "v_mov_b32_dpp v0, v1 row_mirror row_mask:16"),
    ("gfx1310", "v_mov_b32_dpp v0, v1 row_mirror row_mask:4294967296"),
    ("gfx12-5-generic", "v_mov_b32_dpp v0, v1 row_mirror fi:2"),
    ("gfx1170", "buffer_load_b32 v5, off, s[8:11], s3 offset:0x1000"),
    ("gfx1170", "s_trap -32769"),
    ("gfx1310", "v_cmp_gt_f64_e32 vcc_lo, (-4.0), v[2:3]"),
    ("gfx1310", "s_sethalt 0.5"),
    ("gfx1250", "v_pk_max_u16 v1, v2, v3 neg_hi:[0,0,1]"),
    ("gfx1310", "s_wait_event { export_ready: 1 }"),
    ("gfx1250", "s_prefetch_inst s[2:3], 0x0, s0, 0 scope:SCOPE_SE"),
    ("gfx1310", "v_dual_add_f32 v8, v2, v6 :: v_dual_dot2acc_f32_bf16 v40, v4, v10"),
    ("gfx1250", "v_and_b16_e64_dpp v0.l, v3.l, 0xffff row_mirror"),
];

#[test]
fn texts_that_llvm_24_refuses_or_misreads_are_refused() {
    let taken = |(target, text): &&(&str, &str)| parse(target.parse().expect(target), text).is_ok();
    let all: Vec<_> = REFUSED.iter().chain(MISREAD).filter(taken).collect();
    assert!(all.is_empty(), "{all:#?}");
}

#[test]
fn texts_for_older_targets_become_the_bytes_of_llvm_24() {
    for &(target, text, hex) in OLDER {
        let target: Target = target.parse().expect(target);
        let inst = parse(target, text).unwrap_or_else(|error| panic!("{target} {text}: {error}"));
        let bytes: Vec<u8> = inst.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        let found: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, hex, "{target} {text}");
        assert_eq!(parse(target, &inst.to_string()), Ok(inst), "{target} {inst}");
    }
    let contrary = parse("gfx1100".parse().unwrap(), "v_dot4_i32_i8 v0, v1, v2, v3 neg_lo:[0,1,0]").unwrap_err();
    assert_eq!(contrary.to_string(), "the name of the operation implies another value");
}

/// Scales of two matrices of 4-bit elements may have the same format; the manual's table has no row for two different
/// formats.
#[test]
fn formats_of_scales_can_exclude_each_other() {
    let target: Target = "gfx1250".parse().unwrap();
    let read = |words: [u32; 4]| decode(target, &words.map(u32::to_le_bytes).concat()).unwrap();
    let valid = [0xcc35_0200, 0x4202_0902, 0xcc33_6006, 0x04f2_5114];
    assert_eq!(read(valid).check(), Ok(()));
    let excluded = |words, field| {
        let rule = read(words).check();
        matches!(rule, Err(RuleError::Value { field: wrong, value: 2, allowed }) if wrong == field && !allowed.contains(2))
    };
    assert!(excluded([0xcc35_0000, valid[1], valid[2], valid[3]], Field::MatrixAScaleFmt));
    // Elements of 8 bits have one format only.
    assert!(excluded([valid[0], 0x0202_0902, 0xcc33_0006, valid[3]], Field::MatrixBScaleFmt));
}

/// A tuple that continues after the last code of its operand consists of registers with the same names as single
/// registers.
#[test]
fn runs_past_the_last_code_have_all_their_registers() {
    let set = |target: &str, text: &str| {
        let inst = parse(target.parse().unwrap(), text).unwrap();
        let written: Vec<String> = inst.writes().iter().map(|reg| reg.to_string()).collect();
        written.join(" ")
    };
    assert_eq!(set("gfx1100", "s_load_b128 [s104,s105,vcc_lo,vcc_hi], s[2:3], 0x0"), "s104 s105 vcc_lo vcc_hi");
    assert_eq!(set("gfx1250", "ds_load_b128 v[254:257], v0"), "v254 v255 v256 v257");
    assert_eq!(set("gfx1310", "ds_load_b64 v[255:256], v0"), "v255 v256");
    assert_eq!(set("gfx1200", "ds_load_b64 v[254:255], v0"), "v254 v255");
    assert!(parse("gfx1200".parse().unwrap(), "ds_load_b64 v[255:256], v0").is_err());
    assert!(parse("gfx942".parse().unwrap(), "s_load_dwordx4 [s104,s105,vcc_lo,vcc_hi], s[2:3], 0x0").is_err());
}
