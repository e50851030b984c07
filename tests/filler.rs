//! Sources that an operation lacks have a filler that depends on the assembler. The text does not show it, the bits are
//! kept, and either filler can be selected.
#![cfg(feature = "all-targets")]

use amdgpu_isa::{Field, Filler, Inst, Target, decode_words, parse};

const V_MOV: &str = "v_mov_b32_e64 v0, v1";

fn inst(target: &str, text: &str) -> Inst {
    parse(target.parse().unwrap(), text).unwrap_or_else(|error| panic!("{target} {text}: {error}"))
}

fn bytes(inst: &Inst) -> String {
    inst.words().iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

/// Targets and texts, with the bytes that LLVM 22 and LLVM 24 make of them.
const BOTH: &[(&str, &str, &str, &str)] = &[
    ("gfx1030", "v_nop_e64", "000080d500000000", "000080d580000102"),
    ("gfx1100", "v_nop_e64", "000080d500000000", "000080d580000102"),
    ("gfx1100", V_MOV, "000081d501010000", "000081d501010102"),
    ("gfx1100", "v_readlane_b32 s2, v2, 5", "020060d7020b0100", "020060d7020b0102"),
    ("gfx1100", "v_add_co_u32 v0, s1, v2, v3", "000100d702070200", "000100d702070202"),
    ("gfx1100", "v_pk_add_f16 v0, v1, v2", "00400fcc01050218", "00400fcc0105021a"),
    ("gfx1100", "v_add_f32_e64 v0, v1, 0x1234", "000003d501ff010034120000", "000003d501ff010234120000"),
    ("gfx1100", "v_cmpx_gt_f32_e64_dpp v1, v2 row_ror:15", "7e0094d4fa040200012f01ff", "7e0094d4fa040202012f01ff"),
    ("gfx1200", "v_s_exp_f32 s0, s1", "000080d601000000", "000080d601000102"),
    ("gfx1250", "v_wmma_ld_scale_paired_b32 v1, v2", "000035cc01050204", "000035cc01050202"),
    (
        "gfx1250",
        "v_wmma_scale_f32_32x16x128_f4 v[0:15], v[8:23], v[0:7], v[0:15], s0, s0",
        "000035cc00000004004088cc0801021c",
        "000035cc00000002004088cc0801021c",
    ),
];

/// Texts whose words are the same in all assemblers.
const ONE: &[(&str, &str)] = &[
    ("gfx942", V_MOV),
    ("gfx1100", "v_mov_b32_e32 v0, v1"),
    ("gfx1100", "v_cmp_gt_f32_e64_dpp s0, v1, v2 row_shr:1"),
    ("gfx1100", "v_bfrev_b32_e64_dpp v1, v2 dpp8:[0,1,2,3,4,5,6,7]"),
    ("gfx1100", "v_fma_f32 v0, v1, v2, v3"),
    ("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v1, v2"),
    ("gfx1310", "v_permlane16_b32 v0, v1, s1, s2"),
];

#[test]
fn both_fillers_are_made_and_read_and_print_alike() {
    for &(target, text, old, new) in BOTH {
        let made = inst(target, text);
        let (older, newer) = (made.with_filler(Filler::Llvm22), made.with_filler(Filler::Llvm23));
        assert_eq!((bytes(&older), bytes(&newer)), (old.into(), new.into()), "{target} {text}");
        assert_eq!((older.filler(), newer.filler()), (Some(Filler::Llvm22), Some(Filler::Llvm23)));
        assert_eq!((older.to_string(), newer.to_string()), (made.to_string(), made.to_string()));
        for one in [older, newer] {
            assert_eq!(decode_words(one.target(), one.words()), Ok(one));
            assert!(one.canonical().is_canonical() && one.canonical().filler() == one.filler(), "{one:?}");
        }
    }
    for &(target, text) in ONE {
        let made = inst(target, text);
        assert_eq!((made.filler(), made.with_filler(Filler::Llvm23)), (None, made), "{target} {text}");
    }
}

#[test]
fn what_is_made_from_nothing_has_the_filler_of_the_first_llvm_that_knows_the_target() {
    for &target in Target::ALL {
        let newer = ["gfx1170", "gfx12-5-generic", "gfx1310"].contains(&target.processor());
        assert_eq!(target.filler(), if newer { Filler::Llvm23 } else { Filler::Llvm22 }, "{target}");
        let text =
            if target.generation() == "gfx6" { "v_ceil_f32_e64 v0, |v1|" } else { "v_ceil_f32_e64 v0, |v1| clamp" };
        let made = parse(target, text).unwrap();
        assert!(made.is_canonical() && made.filler().is_none_or(|filler| filler == target.filler()), "{made:?}");
        let expanded = parse(target, "v_ceil_f32_e32 v0, v1").unwrap().expand().unwrap();
        assert_eq!(expanded.filler(), made.filler(), "{expanded:?}");
    }
}

#[test]
fn patches_and_conversions_keep_the_filler() {
    let add = inst("gfx1100", "v_add_f32_e64 v0, v1, s2").with_filler(Filler::Llvm23);
    assert_eq!(add.with(Field::Vdst, 9).unwrap().filler(), Some(Filler::Llvm23));
    assert_eq!(add.commuted().unwrap().filler(), Some(Filler::Llvm23));
    assert_eq!(add.retarget("gfx1200".parse().unwrap()).unwrap().filler(), Some(Filler::Llvm23));
    assert_eq!(add.retarget("gfx1310".parse().unwrap()).unwrap().filler(), Some(Filler::Llvm23));
    let add = inst("gfx1310", "v_add_f32_e64 v0, v1, s2");
    assert_eq!(add.retarget("gfx1200".parse().unwrap()).unwrap().filler(), Some(Filler::Llvm22));
}

#[test]
fn sources_that_hold_something_else_are_not_canonical() {
    let target: Target = "gfx1100".parse().unwrap();
    let made = decode_words(target, &[0xd581_0000, 0x0002_0701]).unwrap();
    assert_eq!((made.to_string().as_str(), made.filler(), made.is_canonical()), (V_MOV, None, false));
    assert_eq!((bytes(&made.canonical()), made.with_filler(Filler::Llvm23)), ("000081d501010000".into(), made));
    // One of two sources is filled as by older assemblers, and the other one as by newer ones.
    let mixed = decode_words(target, &[0xd581_0000, 0x0200_0101]).unwrap();
    assert_eq!((mixed.filler(), mixed.is_canonical()), (None, false));
}
