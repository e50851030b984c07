//! Values that another target encodes differently, one case for each reason.

use amdgpu_isa::convert::RetargetError;
use amdgpu_isa::facts::Counter;
use amdgpu_isa::operands::{InlineFloat, Special};
use amdgpu_isa::{Field, Format, Inst, Reg, Target, Value, decode_words, parse};

const TARGETS: [(&str, Target); 12] = [
    ("gfx600", Target::Gfx600),
    ("gfx700", Target::Gfx700),
    ("gfx803", Target::Gfx803),
    ("gfx900", Target::Gfx900),
    ("gfx906", Target::Gfx906),
    ("gfx908", Target::Gfx908),
    ("gfx90a", Target::Gfx90a),
    ("gfx942", Target::Gfx942),
    ("gfx950", Target::Gfx950),
    ("gfx1100", Target::Gfx1100),
    ("gfx1200", Target::Gfx1200),
    ("gfx1250", Target::Gfx1250),
];

fn inst(target: &str, words: &[u32]) -> Inst {
    let target = TARGETS.iter().find(|t| t.0 == target).expect("a target").1;
    decode_words(target, words).unwrap_or_else(|e| panic!("{target} {words:08x?}: {e}"))
}

/// One target, the words and the text on it; another target, the words and the text on that one.
type Case = (&'static str, &'static [u32], &'static str, &'static str, &'static [u32], &'static str);

#[rustfmt::skip]
const CASES: &[Case] = &[
    // Opcodes and fields that have moved.
    ("gfx600", &[0xbe80_0301], "s_mov_b32 s0, s1", "gfx942", &[0xbe80_0001], "s_mov_b32 s0, s1"),
    ("gfx700", &[0xd206_0805, 0x4002_0501], "v_add_f32_e64 v5, v1, -v2 clamp", "gfx900",
               &[0xd101_8005, 0x4002_0501], "v_add_f32_e64 v5, v1, -v2 clamp"),
    ("gfx900", &[0x3202_0400], "v_add_co_u32_e32 v1, vcc, s0, v2", "gfx600", &[0x4a02_0400], "v_add_i32_e32 v1, vcc, s0, v2"),
    // Offsets in dwords and in bytes; the literal of GCN 1.1 is in dwords too.
    ("gfx600", &[0xc002_8310], "s_load_dword s5, s[2:3], 0x10", "gfx803", &[0xc002_0141, 0x40], "s_load_dword s5, s[2:3], 0x40"),
    ("gfx803", &[0xc002_0141, 0x1000], "s_load_dword s5, s[2:3], 0x1000", "gfx700", &[0xc002_82ff, 0x400], "s_load_dword s5, s[2:3], 0x400"),
    ("gfx803", &[0xc000_0141, 6], "s_load_dword s5, s[2:3], s6", "gfx600", &[0xc002_8206], "s_load_dword s5, s[2:3], s6"),
    // Registers whose codes have moved.
    ("gfx700", &[0xbe80_0368], "s_mov_b32 s0, flat_scratch_lo", "gfx900", &[0xbe80_0066], "s_mov_b32 s0, flat_scratch_lo"),
    ("gfx803", &[0xbe80_0072], "s_mov_b32 s0, ttmp2", "gfx900", &[0xbe80_006e], "s_mov_b32 s0, ttmp2"),
    // Constants with parts.
    ("gfx803", &[0xbf8c_0070], "s_waitcnt vmcnt(0) lgkmcnt(0)", "gfx900", &[0xbf8c_0070], "s_waitcnt vmcnt(0) lgkmcnt(0)"),
    ("gfx803", &[0xbf8c_007f], "s_waitcnt lgkmcnt(0)", "gfx900", &[0xbf8c_c07f], "s_waitcnt lgkmcnt(0)"),
    ("gfx600", &[0xbf90_0022], "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)", "gfx942", &[0xbf90_0022], "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 0)"),
    ("gfx600", &[0xb900_1801], "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)", "gfx942", &[0xb880_1801], "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)"),
    // A branch keeps its distance.
    ("gfx600", &[0xbf82_fffe], "s_branch 65534", "gfx942", &[0xbf82_fffe], "s_branch 65534"),
    // The bit that makes an atomic return.
    ("gfx906", &[0xdd09_8000, 0x0000_0201], "global_atomic_add v0, v1, v2, s[0:1] glc", "gfx942",
               &[0xdd09_8000, 0x0000_0201], "global_atomic_add v0, v1, v2, s[0:1] sc0"),
    // The bit that gives a scratch address a VGPR.
    ("gfx900", &[0xdc50_4000, 0x017f_0002], "scratch_load_dword v1, v2, off", "gfx942",
               &[0xdc50_6000, 0x017f_0002], "scratch_load_dword v1, v2, off"),
    // Another format, because the operation has left its own.
    ("gfx600", &[0x0200_0501], "v_readlane_b32 s0, v1, s2", "gfx803", &[0xd289_0000, 0x0000_0501], "v_readlane_b32 s0, v1, s2"),
    ("gfx803", &[0xd289_0000, 0x0000_0501], "v_readlane_b32 s0, v1, s2", "gfx600", &[0x0200_0501], "v_readlane_b32 s0, v1, s2"),
    // Two operations in one instruction. The second one could also be the first.
    ("gfx1100", &[0xc8c6_0300, 0x0000_0300], "v_dual_mul_f32 v0, v0, v1 :: v_dual_mul_f32 v1, v0, v1", "gfx1200",
                &[0xc8c6_0300, 0x0000_0300], "v_dual_mul_f32 v0, v0, v1 :: v_dual_mul_f32 v1, v0, v1"),
    // Flat memory, which can have a scalar address on CDNA5.
    ("gfx1200", &[0xec05_007c, 0x0000_0001, 0x0000_0002], "flat_load_b32 v1, v[2:3]", "gfx1250",
                &[0xec05_007c, 0x0000_0001, 0x0000_0002], "flat_load_b32 v1, v[2:3]"),
    ("gfx1250", &[0xec05_007c, 0x0000_0001, 0x0000_0002], "flat_load_b32 v1, v[2:3]", "gfx942",
                &[0xdc50_0000, 0x0100_0002], "flat_load_dword v1, v[2:3]"),
];

#[test]
fn what_is_written_differently_means_the_same() {
    for &(from, words, text, to, words_there, text_there) in CASES {
        let here = inst(from, words);
        assert_eq!(here.to_string(), text, "{from}");
        let there = here.retarget(inst(to, words_there).target()).unwrap_or_else(|e| panic!("{text} to {to}: {e}"));
        assert_eq!(
            (there.words(), there.to_string().as_str()),
            (words_there, text_there),
            "{text} from {from} to {to}"
        );
    }
}

#[test]
fn what_is_missing_is_named() {
    let value = |field, value| RetargetError::Value { field, value };
    let name = |target, field, value| RetargetError::Name { target, field, value };
    let register = |field, value: Value| RetargetError::Register { field, value };
    let form = |format, extension| RetargetError::Form { format, extension: Some(extension) };
    #[rustfmt::skip]
    let cases: &[(&str, &[u32], &str, Target, RetargetError)] = &[
        ("gfx900", &[0xbf8c_4f74], "s_waitcnt vmcnt(20)", Target::Gfx803, value(Field::Vmcnt, 20)),
        // The maximum of gfx803 means no wait.
        ("gfx900", &[0xbf8c_0f7f], "s_waitcnt vmcnt(15)", Target::Gfx803, value(Field::Vmcnt, 15)),
        // For `s_nop`, four bits of the constant count, on gfx6 three, and on gfx12 seven. For the waits of gfx1100,
        // the other target has several counters instead of one.
        ("gfx900", &[0xbf80_000f], "s_nop 15", Target::Gfx600, value(Field::Simm16, 15)),
        ("gfx1200", &[0xbf80_0064], "s_nop 0x64", Target::Gfx1100, value(Field::Simm16, 100)),
        ("gfx1100", &[0xbf89_fc07], "s_waitcnt lgkmcnt(0)", Target::Gfx1200, RetargetError::Counter(Counter::Lgkmcnt)),
        ("gfx1100", &[0xbf89_03f7], "s_waitcnt vmcnt(0)", Target::Gfx1200, RetargetError::Counter(Counter::Vmcnt)),
        ("gfx1100", &[0xbf89_fff0], "s_waitcnt expcnt(0)", Target::Gfx1200, RetargetError::Counter(Counter::Expcnt)),
        // RDNA4 waits for everything, whatever the constant says.
        ("gfx1200", &[0xbf89_fff7], "s_waitcnt vmcnt(63) expcnt(7) lgkmcnt(63)", Target::Gfx1100, RetargetError::Counter(Counter::Expcnt)),
        ("gfx942", &[0xb880_f814], "s_getreg_b32 s0, hwreg(HW_REG_XCC_ID)", Target::Gfx906, name(Target::Gfx942, Field::Id, 20)),
        // A number without a name on one target is another register on the other.
        ("gfx906", &[0xb880_f814], "s_getreg_b32 s0, hwreg(20)", Target::Gfx942, name(Target::Gfx906, Field::Id, 20)),
        ("gfx900", &[0xbf90_0009], "s_sendmsg sendmsg(MSG_GS_ALLOC_REQ)", Target::Gfx803, name(Target::Gfx900, Field::Message, 9)),
        ("gfx803", &[0xbf90_003f], "s_sendmsg sendmsg(MSG_SYSMSG, SYSMSG_OP_HOST_TRAP_ACK)", Target::Gfx900, name(Target::Gfx803, Field::Op, 3)),
        ("gfx803", &[0x7e00_02f8], "v_mov_b32_e32 v0, 0.15915494", Target::Gfx700, register(Field::Src0, InlineFloat::InvTwoPi.into())),
        ("gfx700", &[0xbe80_0368], "s_mov_b32 s0, flat_scratch_lo", Target::Gfx600, register(Field::Ssrc0, Reg::Special(Special::FlatScratchLo).into())),
        ("gfx600", &[0xbe80_0366], "s_mov_b32 s0, s102", Target::Gfx803, register(Field::Ssrc0, Reg::Sgpr(102).into())),
        ("gfx803", &[0xc002_0141, 0x1002], "s_load_dword s5, s[2:3], 0x1002", Target::Gfx700, value(Field::Offset, 0x1002)),
        ("gfx803", &[0xc002_0141, 0x1000], "s_load_dword s5, s[2:3], 0x1000", Target::Gfx600, value(Field::Offset, 0x1000)),
        ("gfx900", &[0xc002_0141, 0x001f_fff0], "s_load_dword s5, s[2:3], -0x10", Target::Gfx803, value(Field::Offset, -16)),
        ("gfx900", &[0xdc51_8000, 0x0000_0001], "global_load_dword v0, v1, s[0:1] glc", Target::Gfx942, RetargetError::Modifier { field: Field::Glc, value: 1 }),
        ("gfx90a", &[0xe050_0000, 0x0382_0500], "buffer_load_dword a5, off, s[8:11], s3", Target::Gfx900, register(Field::Vdata, Reg::Agpr(5).into())),
        ("gfx90a", &[0xf001_1100, 0x0002_0502], "image_load a5, v2, s[8:15] dmask:0x1 unorm", Target::Gfx900, register(Field::Vdata, Reg::Agpr(5).into())),
        ("gfx900", &[0x7e00_02f9, 0x0006_0601], "v_mov_b32_sdwa v0, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD",
                   Target::Gfx700, form(Format::Vop1, Format::Sdwa)),
        // The fail status keeps the whole destination on both; without it, only gfx908 keeps the other half.
        ("gfx803", &[0xe020_647c, 0x009e_4ca0], "buffer_load_format_d16_x v[76:77], v160, ttmp[8:11], s0 idxen offset:1148 glc tfe",
                   Target::Gfx908, RetargetError::Operand { field: Field::Vdata, bits: 64, bits_there: 64 }),
    ];
    for (from, words, text, to, error) in cases {
        let here = inst(from, words);
        assert_eq!(here.to_string(), *text, "{from}");
        assert_eq!(here.retarget(*to), Err(*error), "{text} from {from} to {to}");
    }
}

/// The scalar offset of a buffer is a register, null or M0 on RDNA4; before RDNA4 it can also be a constant, and before
/// RDNA1 there is no null.
#[test]
fn zero_and_null_stand_for_each_other() {
    let load = |target: &str, soffset: &str| {
        let target: Target = target.parse().unwrap();
        let name = if target.name().starts_with("gfx1") { "b32" } else { "dword" };
        parse(target, &format!("buffer_load_{name} v1, v0, s[4:7], {soffset} offen")).unwrap()
    };
    let goes = |from, soffset, to: &str, there: &str| {
        let result = load(from, soffset).retarget(to.parse().unwrap()).unwrap_or_else(|error| panic!("{to}: {error}"));
        assert_eq!(result.to_string(), load(to, there).to_string(), "{from} {soffset} {to}");
    };
    goes("gfx1100", "0", "gfx1200", "null");
    goes("gfx900", "0", "gfx1200", "null");
    goes("gfx900", "0", "gfx1100", "0");
    goes("gfx1200", "null", "gfx1100", "null");
    goes("gfx1200", "null", "gfx900", "0");
    goes("gfx1250", "null", "gfx600", "0");
    let error = load("gfx1100", "1").retarget(Target::Gfx1200).unwrap_err();
    assert_eq!(error.to_string(), "soffset cannot be 1 on the target");
    let source = parse(Target::Gfx1030, "s_add_u32 s0, null, s1").unwrap();
    assert_eq!(source.retarget(Target::Gfx900).unwrap().to_string(), "s_add_u32 s0, 0, s1");
    let destination = parse(Target::Gfx1030, "s_mov_b32 null, s1").unwrap();
    let error = destination.retarget(Target::Gfx900).unwrap_err();
    assert_eq!(error.to_string(), "sdst cannot be null on the target");
}

/// The field of the offset has 13 bits on gfx942 and 12 bits on gfx1010: a negative offset sets the sign bit of each.
#[test]
fn negative_offsets_go_where_they_fit() {
    let text = "global_load_dword v1, v[2:3], off offset:-8";
    let (here, there) = (parse(Target::Gfx942, text).unwrap(), Target::Gfx1010);
    let on = here.retarget(there).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(on.to_string(), text);
    assert_eq!(on.retarget(Target::Gfx942), Ok(here));
    let far = parse(Target::Gfx942, &text.replace("-8", "-4096")).unwrap();
    assert_eq!(far.retarget(there), Err(RetargetError::Value { field: Field::Offset, value: -4096 }));
}
