//! Features of RDNA that older generations lack: the null register, counters inside the wave, scalar memory offsets
//! with a constant and a register that are always added, delays, and scalar operations on floats. Texts are LLVM 22's.
#![cfg(all(feature = "all-targets", feature = "text"))]

use amdgpu_isa::convert::RetargetError;
use amdgpu_isa::facts::{Counter, RegSet};
use amdgpu_isa::imm::{DelayAlu, Depctr, Hwreg, Imm, Sendmsg, Waitcnt};
use amdgpu_isa::operands::Special;
use amdgpu_isa::{Field, Inst, Opcode, Reg, Target, Value, decode_words, parse};

const RDNA: [Target; 2] = [Target::Gfx1010, Target::Gfx1030];

fn inst(target: Target, words: &[u32], text: &str) -> Inst {
    let inst = decode_words(target, words).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
    assert_eq!(inst.to_string(), text, "{target}");
    inst
}

#[test]
fn nothing_is_read_or_written_through_null() {
    for target in RDNA {
        let read = inst(target, &[0xbe80_047d], "s_mov_b64 s[0:1], null");
        assert!(read.reads().is_empty() && read.writes().iter().eq([Reg::Sgpr(0), Reg::Sgpr(1)]));
        // The code after that of null is exec, and must not count as the pair's second register.
        let written = inst(target, &[0xbefd_0400], "s_mov_b64 null, s[0:1]");
        assert!(written.writes().is_empty() && !written.writes().contains(Reg::Exec));
        let load = inst(target, &[0xf408_1f41, 0xfa00_0010], "s_load_dwordx4 null, s[2:3], 0x10");
        assert!(load.writes().is_empty() && load.reads().iter().eq([Reg::Sgpr(2), Reg::Sgpr(3)]));
        let all = load.operands().map(|operand| (operand.role, operand.value, operand.bits));
        let null = Value::Reg(Reg::Special(Special::Null));
        assert_eq!(all.clone().next(), Some((Some(Field::Sdata), null, 128)));
        assert_eq!(load.counters().iter().collect::<Vec<_>>(), [Counter::Lgkmcnt]);
    }
}

/// A modifier that the text omits because it has its usual value can also be written. The words are LLVM's.
#[test]
fn usual_values_have_names() {
    let cases: [(Target, &str, &[u32]); 2] = [
        (
            Target::Gfx1030,
            "tbuffer_load_format_x v0, off, s[0:3], 0 format:[BUF_FMT_8_UNORM]",
            &[0xe808_0000, 0x8000_0000],
        ),
        (
            Target::Gfx1250,
            "v_wmma_f32_16x16x128_f8f6f4 v[0:7], v[8:23], v[24:39], v[40:47] matrix_a_fmt:MATRIX_FMT_FP8 matrix_b_fmt:MATRIX_FMT_BF8",
            &[0xcc33_0000, 0x0ca2_3108],
        ),
    ];
    for (target, text, words) in cases {
        assert_eq!(parse(target, text).unwrap_or_else(|e| panic!("{text}: {e}")).words(), words, "{text}");
    }
}

#[test]
fn scalar_operations_touch_as_much_of_exec_as_they_save() {
    let both = [Reg::EXEC_LO, Reg::EXEC_HI];
    for target in [Target::Gfx1010, Target::Gfx1010Wave64] {
        for (word, exec) in [(0xbe82_2400, &both[..]), (0xbe82_3c00, &both[..1])] {
            let save = decode_words(target, &[word]).unwrap();
            for set in [save.reads(), save.writes()] {
                let there = both.iter().copied().filter(|half| set.contains(*half));
                assert!(there.eq(exec.iter().copied()), "{target} {save}: {set:?}");
            }
        }
    }
}

/// The other half of a 16-bit result stays, unless SDWA fills it.
#[test]
fn sdwa_says_what_becomes_of_the_other_half() {
    const DWORD: u32 = 6;
    const PRESERVE: u32 = 2;
    for target in RDNA {
        let v_add_f16 = inst(target, &[0x6400_0302], "v_add_f16_e32 v0, v2, v1");
        assert!(v_add_f16.reads().contains(Reg::Vgpr(0)));
        for (part, rest) in (0..=DWORD).flat_map(|part| (0..=PRESERVE).map(move |rest| (part, rest))) {
            let reads = |base| {
                let sdwa = decode_words(target, &[base, 0x0606_0002 | part << 8 | rest << 11]).unwrap();
                assert_eq!(sdwa.writes().iter().collect::<Vec<_>>(), [Reg::Vgpr(0)], "{target} {sdwa}");
                sdwa.reads().contains(Reg::Vgpr(0))
            };
            let (add_f16, add_f32) = (0x6400_02f9, 0x0600_02f9);
            assert_eq!(reads(add_f16), rest == PRESERVE || part == DWORD, "{target} f16: {part} {rest}");
            assert_eq!(reads(add_f32), rest == PRESERVE && part != DWORD, "{target} f32: {part} {rest}");
        }
    }
}

#[test]
fn scalar_memory_adds_a_constant_and_a_register() {
    let both = [(Field::Soffset, Value::Reg(Reg::Sgpr(5))), (Field::Offset, Value::Imm(-4))];
    for target in RDNA {
        let offsets = |words: &[u32], text, expected: &[(Field, Value)]| {
            let inst = inst(target, words, text);
            let there = inst.operands().filter(|o| matches!(o.role, Some(Field::Soffset | Field::Offset)));
            let there: Vec<_> = there.map(|o| (o.role.unwrap(), o.value)).collect();
            assert_eq!(there, expected, "{target} {text}");
            inst
        };
        let load = offsets(&[0xf400_0001, 0x0a1f_fffc], "s_load_dword s0, s[2:3], s5 offset:-0x4", &both);
        offsets(&[0xf400_0001, 0xfa1f_fffc], "s_load_dword s0, s[2:3], -0x4", &both[1..]);
        offsets(&[0xf400_4001, 0x0a00_0000], "s_load_dword s0, s[2:3], s5 dlc", &both[..1]);
        // The words name null for the register, and LLVM prints it.
        let zero = (Field::Offset, Value::Imm(0));
        let none = offsets(&[0xf400_0001, 0xfa00_0000], "s_load_dword s0, s[2:3], null", &[zero]);
        let other = none.with_operand(Field::Offset, Value::Imm(8)).unwrap();
        assert_eq!(other.to_string(), "s_load_dword s0, s[2:3], 0x8");
        let other = load.with_operand(Field::Offset, Value::Imm(8)).unwrap();
        assert_eq!(other.to_string(), "s_load_dword s0, s[2:3], s5 offset:0x8");
        let m0 = Value::Reg(Reg::Special(Special::M0));
        let other = load.with_operand(Field::Soffset, m0).unwrap();
        assert_eq!(other.to_string(), "s_load_dword s0, s[2:3], m0 offset:-0x4");
        let null = load.with_operand(Field::Soffset, Value::Reg(Reg::Special(Special::Null)));
        assert!(null.is_err(), "without a register there is no such operand");
    }
}

#[test]
fn the_constant_of_waitcnt_depctr_has_parts() {
    let opcode = *Opcode::ALL.iter().find(|op| op.name() == "s_waitcnt_depctr").expect("the library has it");
    for target in RDNA {
        for simm16 in 0..=u16::MAX {
            let inst = decode_words(target, &[0xbfa3_0000 | u32::from(simm16)]).unwrap();
            assert_eq!(inst.opcode(), opcode);
            let imm = inst.imm().expect("it has parts");
            assert_eq!((imm.encode(target), imm), (Ok(simm16), Imm::Depctr(Depctr::decode(target, simm16))));
            // The parts of the constant by bit arithmetic, independently of the library.
            let part = |lsb: u16, most: u16| {
                let n = simm16 >> lsb & most;
                (n != most).then_some(n as u8)
            };
            let hold = target == Target::Gfx1030;
            let expected = Depctr {
                hold_cnt: part(7, 1).filter(|_| hold),
                sa_sdst: part(0, 1),
                va_vdst: part(12, 15),
                va_sdst: part(9, 7),
                va_ssrc: part(8, 1),
                va_vcc: part(1, 1),
                vm_vsrc: part(2, 7),
                rest: simm16 & if hold { 0x60 } else { 0xe0 },
            };
            assert_eq!(imm, Imm::Depctr(expected), "{target} {simm16:#x}");
        }
        let nothing = Depctr::default();
        let text = |wait: Depctr| {
            let word = 0xbfa3_0000 | u32::from(wait.encode(target).unwrap());
            decode_words(target, &[word]).unwrap().to_string()
        };
        assert_eq!(
            text(Depctr { va_vdst: Some(3), vm_vsrc: Some(0), ..nothing }),
            "s_waitcnt_depctr depctr_va_vdst(3) depctr_vm_vsrc(0)"
        );
        assert_eq!(text(Depctr { rest: 0x20, ..nothing }), format!("s_waitcnt_depctr {:#x}", text_bits(target) | 0x20));
        let refused = |wait: Depctr, field: &str, value: i64, width: u8| {
            let error = wait.encode(target).expect_err("it does not fit");
            assert_eq!((error.field.name(), error.value, error.width), (field, value, width), "{target}");
        };
        refused(Depctr { va_vdst: Some(16), ..nothing }, "va_vdst", 16, 4);
        refused(Depctr { va_vcc: Some(2), ..nothing }, "va_vcc", 2, 1);
        refused(Depctr { rest: 1, ..nothing }, "rest", 1, if target == Target::Gfx1030 { 2 } else { 3 });
    }
    let hold = Depctr { hold_cnt: Some(0), ..Depctr::default() };
    let error = hold.encode(Target::Gfx1010).expect_err("RDNA1 has no such part");
    assert_eq!((error.field, error.width), (Field::HoldCnt, 0));
    let word = 0xbfa3_0000 | u32::from(hold.encode(Target::Gfx1030).unwrap());
    let error = decode_words(Target::Gfx1030, &[word]).unwrap().retarget(Target::Gfx1010);
    assert_eq!(error, Err(RetargetError::Value { field: Field::HoldCnt, value: 0 }));
    let wait = decode_words(Target::Gfx1010, &[0xbfa3_0f1f]).unwrap().retarget(Target::Gfx1030).unwrap();
    assert_eq!(wait.to_string(), "s_waitcnt_depctr depctr_va_vdst(0)");
    // Compilers write ones in the bits between the parts.
    let wait = decode_words(Target::Gfx1030, &[0xbfa3_ffe3]).unwrap().retarget(Target::Gfx1010).unwrap();
    assert_eq!(wait.words(), [0xbfa3_ff63]);
}

/// All bits of the constant that have a meaning.
fn text_bits(target: Target) -> u16 {
    if target == Target::Gfx1030 { 0xff9f } else { 0xff1f }
}

#[test]
fn a_hardware_register_can_hold_the_address_of_scratch() {
    for target in RDNA {
        let id = |id| u32::from(Hwreg { id, offset: 0, size: 32 }.encode(target).unwrap());
        for half in [20, 21] {
            let set = decode_words(target, &[0xb980_0000 | id(half)]).unwrap();
            assert!(set.writes().iter().eq([Reg::FlatScratch]), "{target} {set}");
            let get = decode_words(target, &[0xb900_0000 | id(half)]).unwrap();
            assert!(get.reads().contains(Reg::FlatScratch) && !get.writes().contains(Reg::FlatScratch));
        }
        let xnack = decode_words(target, &[0xb980_0000 | id(22)]).unwrap();
        assert_eq!(xnack.writes().contains(Reg::XnackMask), target == Target::Gfx1010);
        let mode = decode_words(target, &[0xb980_0000 | id(1)]).unwrap();
        assert!(mode.writes().iter().eq([Reg::Mode]));
    }
}

#[test]
fn waits_have_a_wider_counter() {
    for target in RDNA {
        let wait = inst(target, &[0xbf8c_e07f], "s_waitcnt lgkmcnt(32)");
        assert_eq!(wait.imm(), Some(Imm::Waitcnt(Waitcnt::new().with_lgkmcnt(32))));
        assert_eq!(Waitcnt::max(target, Counter::Lgkmcnt), Some(63));
        assert_eq!(Waitcnt::max(target, Counter::Vscnt), None);
        inst(target, &[0xbbfd_0000], "s_waitcnt_vscnt null, 0x0");
    }
}

#[test]
fn a_version_is_printed_by_name() {
    for target in RDNA {
        for (simm16, text) in [
            (0x4004, "UC_VERSION_GFX10|UC_VERSION_W32_BIT"),
            (0xe008, "((8|UC_VERSION_W64_BIT)|UC_VERSION_W32_BIT)|UC_VERSION_MDP_BIT"),
            (0x0007, "7"),
            (0x2100, "0x2100"),
        ] {
            inst(target, &[0xb080_0000 | simm16], &format!("s_version {text}"));
        }
    }
}

/// On gfx942 the register of the offset can be in another field than on RDNA.
#[cfg(feature = "gfx942")]
#[test]
fn scalar_loads_move_to_rdna() {
    for (words, text) in [
        (&[0xc000_0001, 5][..], "s_load_dword s0, s[2:3], s5"),
        (&[0xc000_4001, 0x0a00_0000], "s_load_dword s0, s[2:3], s5"),
        (&[0xc002_4001, 0x0a00_0010], "s_load_dword s0, s[2:3], s5 offset:0x10"),
        (&[0xc003_0001, 0x10], "s_load_dword s0, s[2:3], 0x10 glc"),
    ] {
        let old = decode_words(Target::Gfx942, words).unwrap();
        assert_eq!(old.to_string(), text);
        let new = old.retarget(Target::Gfx1030).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(new.to_string(), text);
        assert_eq!(new.retarget(Target::Gfx942).map(|back| back.to_string()), Ok(text.to_string()));
    }
}

const RDNA3: [Target; 2] = [Target::Gfx1100, Target::Gfx1150];

#[test]
fn a_delay_names_what_it_waits_for() {
    for target in RDNA3 {
        for simm16 in 0..=u16::MAX {
            let inst = decode_words(target, &[0xbf87_0000 | u32::from(simm16)]).unwrap();
            // The parts of the delay by bit arithmetic, independently of the library.
            let delay = DelayAlu {
                instid0: (simm16 & 15) as u8,
                instskip: (simm16 >> 4 & 7) as u8,
                instid1: (simm16 >> 7 & 15) as u8,
                rest: simm16 & 0xf800,
            };
            assert_eq!((inst.imm(), delay.encode(target)), (Some(Imm::DelayAlu(delay)), Ok(simm16)));
            let named = delay.instid0 < 12 && delay.instskip < 6 && delay.instid1 < 12;
            let number = format!("s_delay_alu {simm16:#x}");
            assert_eq!(inst.to_string() == number, !named, "{target} {inst}");
        }
        for (simm16, text) in [
            (0x0491, "instid0(VALU_DEP_1) | instskip(NEXT) | instid1(SALU_CYCLE_1)"),
            (0x0005, "instid0(TRANS32_DEP_1)"),
            (0x0000, "0"),
            (0xf801, "instid0(VALU_DEP_1)"),
            (0x000c, "0xc"),
        ] {
            inst(target, &[0xbf87_0000 | simm16], &format!("s_delay_alu {text}"));
        }
        let nothing = DelayAlu::default();
        for (delay, field, value, width) in [
            (DelayAlu { instid0: 16, ..nothing }, "instid0", 16, 4),
            (DelayAlu { instskip: 8, ..nothing }, "instskip", 8, 3),
            (DelayAlu { instid1: 99, ..nothing }, "instid1", 99, 4),
            (DelayAlu { rest: 0x400, ..nothing }, "rest", 0x400, 5),
        ] {
            let error = delay.encode(target).expect_err("it does not fit");
            assert_eq!((error.field.name(), error.value, error.width), (field, value, width), "{target}");
        }
        let error = DelayAlu { instid1: 1, ..nothing }.encode(Target::Gfx1030).expect_err("RDNA2 has no delays");
        assert_eq!((error.field, error.width), (Field::Instid1, 0));
    }
    let delay = decode_words(Target::Gfx1100, &[0xbf87_fc91]).unwrap();
    let there = delay.retarget(Target::Gfx1150).unwrap();
    assert_eq!((there.to_string(), there.imm().unwrap().encode(Target::Gfx1150)), (delay.to_string(), Ok(0x0491)));
    assert!(delay.retarget(Target::Gfx1030).is_err());
}

#[test]
fn the_counters_of_rdna3_lie_elsewhere() {
    for target in RDNA3 {
        for simm16 in 0..=u16::MAX {
            let [expcnt, lgkmcnt, vmcnt] = [simm16 & 7, simm16 >> 4 & 63, simm16 >> 10].map(|count| count as u8);
            let mut wait = Waitcnt::new().with_rest(simm16 & 8);
            for (counter, count, max) in
                [(Counter::Expcnt, expcnt, 7), (Counter::Lgkmcnt, lgkmcnt, 63), (Counter::Vmcnt, vmcnt, 63)]
            {
                wait = if count < max { wait.with(counter, count) } else { wait };
            }
            assert_eq!((Waitcnt::decode(target, simm16), wait.encode(target)), (wait, Ok(simm16)), "{target}");
        }
        inst(target, &[0xbf89_0e07], "s_waitcnt vmcnt(3) lgkmcnt(32)");
        let moved = inst(Target::Gfx1030, &[0xbf8c_2073], "s_waitcnt vmcnt(3) lgkmcnt(32)").retarget(target).unwrap();
        assert_eq!(moved.to_string(), "s_waitcnt vmcnt(3) lgkmcnt(32)");
        inst(target, &[0xbf88_ff1f], "s_waitcnt_depctr depctr_hold_cnt(0)");
    }
}

#[test]
fn a_message_can_return_data() {
    for target in RDNA3 {
        for simm16 in 0..=u16::MAX {
            let sent = Sendmsg { message: simm16 as u8, op: 0, stream: 0, rest: simm16 & 0xff00 };
            assert_eq!((Sendmsg::decode(target, simm16), sent.encode(target)), (sent, Ok(simm16)));
        }
        let error =
            Sendmsg { message: 0, op: 1, stream: 0, rest: 0 }.encode(target).expect_err("there is no operation");
        assert_eq!((error.field, error.width), (Field::Op, 0));
        inst(target, &[0xbfb6_4003], "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)");
        inst(target, &[0xbfb6_0004], "s_sendmsg sendmsg(4, 0, 0)");
        inst(target, &[0xbfb6_010f], "s_sendmsg 271");
        let time = inst(target, &[0xbe84_4d83], "s_sendmsg_rtn_b64 s[4:5], sendmsg(MSG_RTN_GET_REALTIME)");
        assert_eq!(time.imm(), Some(Imm::Sendmsg(Sendmsg { message: 131, op: 0, stream: 0, rest: 0 })));
        assert!(time.writes().iter().eq([Reg::Sgpr(4), Reg::Sgpr(5)]) && time.reads().is_empty());
        assert!(time.counters().iter().eq([Counter::Lgkmcnt]));
    }
    // On RDNA3, number 3 is another message. Message 10 returns data, for which RDNA3 has another operation.
    for simm16 in [3, 10] {
        let sent = decode_words(Target::Gfx1030, &[0xbf90_0000 | simm16]).unwrap();
        let error = sent.retarget(Target::Gfx1100);
        let name = RetargetError::Name { target: Target::Gfx1030, field: Field::Message, value: simm16 as u16 };
        assert_eq!(error, Err(name), "{sent}");
    }
}

#[test]
fn scalar_memory_of_rdna3_is_what_rdna2_has() {
    for target in RDNA3 {
        let text = "s_load_b128 s[4:7], s[2:3], s5 offset:-0x4 glc dlc";
        let load = inst(target, &[0xf408_6101, 0x0a1f_fffc], text);
        let old = load.retarget(Target::Gfx1030).unwrap();
        assert_eq!(old.to_string(), "s_load_dwordx4 s[4:7], s[2:3], s5 offset:-0x4 glc dlc");
        assert_eq!(old.retarget(target).unwrap(), load);
        // An operation that invalidates a cache has no cache policy.
        inst(target, &[0xf484_0000, 0], "s_dcache_inv");
        for policy in [1 << 13, 1 << 14] {
            let error = decode_words(target, &[0xf484_0000 | policy, 0]);
            assert!(error.is_err(), "{target} {error:?}");
        }
    }
}

#[test]
fn scalar_operations_on_floats() {
    let target = Target::Gfx1150;
    for (words, text) in [
        (&[0xa280_0201, 0x3f00_0000][..], "s_fmaak_f32 s0, s1, s2, 0x3f000000"),
        (&[0xbe80_6a01], "s_cvt_hi_f32_f16 s0, s1"),
        (&[0xa480_f001], "s_add_f16 s0, s1, 0.5"),
        (&[0xbf41_f201], "s_cmp_lt_f32 s1, 1.0"),
        (&[0xa700_0201], "s_fmac_f16 s0, s1, s2"),
    ] {
        let inst = decode_words(target, words).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(inst.to_string(), text);
        assert!(inst.reads().contains(Reg::Mode) && inst.flags().may_raise_fp(), "{text}");
        let first = inst.operands().find(|o| o.role == Some(Field::Ssrc0)).unwrap();
        assert_eq!(first.value, Value::Reg(Reg::Sgpr(1)), "{text}");
        assert!(decode_words(Target::Gfx1100, words).is_err(), "RDNA3 lacks {text}");
    }
    let accumulates = decode_words(target, &[0xa700_0201]).unwrap();
    assert!(accumulates.reads().contains(Reg::Sgpr(0)));
    let swapped = decode_words(target, &[0xbf41_0201]).unwrap().commuted().map(|inst| inst.to_string());
    assert_eq!(swapped.as_deref(), Ok("s_cmp_gt_f32 s2, s1"));
}

#[test]
fn the_last_counter_of_rdna4_is_of_scalar_memory_and_messages() {
    let target = Target::Gfx1200;
    for (word, text, counters) in [
        (0xbe84_4c80, "s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)", &[Counter::Kmcnt][..]),
        (0xbfb6_0003, "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)", &[Counter::Kmcnt]),
        (0xbe84_50c1, "s_get_barrier_state s4, -1", &[Counter::Kmcnt]),
        (0xbe80_4ec1, "s_barrier_signal -1", &[]),
    ] {
        let inst = inst(target, &[word], text);
        assert!(inst.counters().iter().eq(counters.iter().copied()), "{text}: {}", inst.counters());
    }
    // The number of a barrier is in m0.
    let join = inst(target, &[0xbe80_527d], "s_barrier_join m0");
    assert!(join.reads().iter().eq([Reg::Special(Special::M0)]) && join.flags().is_convergent());
    // A register with another layout cannot be converted; a register with the same layout can, and has a new name.
    let status = inst(Target::Gfx1100, &[0xb881_f802], "s_getreg_b32 s1, hwreg(HW_REG_STATUS)");
    let name = RetargetError::Name { target: Target::Gfx1100, field: Field::Id, value: 2 };
    assert_eq!(status.retarget(target), Err(name));
    let old = inst(Target::Gfx1100, &[0xb881_3801], "s_getreg_b32 s1, hwreg(HW_REG_MODE, 0, 8)");
    assert_eq!(old.retarget(target).unwrap().to_string(), "s_getreg_b32 s1, hwreg(HW_REG_WAVE_MODE, 0, 8)");
    let mode = inst(target, &[0xb901_f801], "s_setreg_b32 hwreg(HW_REG_WAVE_MODE), s1");
    assert!(mode.writes().iter().eq([Reg::Mode]));
    let scc = inst(target, &[0xb881_0244], "s_getreg_b32 s1, hwreg(HW_REG_WAVE_STATE_PRIV, 9, 1)");
    assert!(scc.reads().contains(Reg::Scc));
}

#[test]
fn scalar_memory_of_rdna4_adds_a_register_and_24_bits() {
    let target = Target::Gfx1200;
    let offsets = |inst: &Inst| {
        let there = inst.operands().filter(|o| matches!(o.role, Some(Field::Soffset | Field::Offset)));
        there.map(|o| (o.role.unwrap(), o.value)).collect::<Vec<_>>()
    };
    let register = (Field::Soffset, Value::Reg(Reg::Sgpr(5)));
    let imm = |n| (Field::Offset, Value::Imm(n));
    // An offset of zero is shown with a register and without one.
    let sum = inst(target, &[0xf400_0001, 0x0a00_0000], "s_load_b32 s0, s[2:3], s5 offset:0x0");
    assert_eq!(offsets(&sum), [register]);
    let zero = inst(target, &[0xf400_0001, 0xf800_0000], "s_load_b32 s0, s[2:3], 0x0");
    assert_eq!(offsets(&zero), [imm(0)]);
    let text = "s_load_b32 s0, s[2:3], -0x800000 th:TH_LOAD_BYPASS scope:SCOPE_SYS";
    let least = inst(target, &[0xf5e0_0001, 0xf880_0000], text);
    assert_eq!(offsets(&least), [imm(-0x80_0000)]);
    let both = inst(target, &[0xf400_0001, 0x0aff_fffc], "s_load_b32 s0, s[2:3], s5 offset:-0x4");
    assert_eq!(offsets(&both), [register, imm(-4)]);
    let other = both.with_operand(Field::Offset, Value::Imm(0x7f_ffff)).unwrap();
    assert_eq!(other.to_string(), "s_load_b32 s0, s[2:3], s5 offset:0x7fffff");
    assert!(sum.counters().iter().eq([Counter::Kmcnt]));
    // Buffers have no negative offsets.
    let buffer = inst(target, &[0xf402_0002, 0xf800_0004], "s_buffer_load_b32 s0, s[4:7], 0x4");
    assert!(decode_words(target, &[0xf402_0002, 0xf880_0004]).is_err());
    assert!(buffer.with_operand(Field::Offset, Value::Imm(-4)).is_err());
    let most = buffer.with_operand(Field::Offset, Value::Imm(0x7f_ffff)).unwrap();
    assert_eq!(most.to_string(), "s_buffer_load_b32 s0, s[4:7], 0x7fffff");
    // Offsets of earlier targets have 21 bits, and the cache policies are others.
    let old = inst(Target::Gfx1100, &[0xf400_0001, 0x0a00_0000], "s_load_b32 s0, s[2:3], s5");
    assert_eq!((old.retarget(target), sum.retarget(Target::Gfx1100)), (Ok(sum), Ok(old)));
    assert!(least.retarget(Target::Gfx1100).is_err());

    let prefetch = inst(target, &[0xf404_c101, 0x0aff_fffc], "s_prefetch_data s[2:3], -0x4, s5, 4");
    assert_eq!(offsets(&prefetch), [imm(-4), register]);
    assert!(prefetch.counters().is_empty() && prefetch.writes().is_empty() && prefetch.flags().has_side_effects());
    let other = prefetch.with_operand(Field::Offset, Value::Imm(-0x80_0000)).unwrap();
    assert_eq!(other.to_string(), "s_prefetch_data s[2:3], -0x800000, s5, 4");
    assert!(prefetch.with_operand(Field::Offset, Value::Imm(0x80_0000)).is_err());
    assert!(prefetch.with_operand(Field::Sdata, Value::Imm(32)).is_err());
    assert_eq!(prefetch.retarget(target), Ok(prefetch));
    inst(target, &[0xf404_a100, 0x0a00_0004], "s_prefetch_inst_pc_rel 0x4, s5, 4");
}

#[test]
fn only_a_row_of_an_export_reads_m0() {
    let row = inst(Target::Gfx1100, &[0xf800_2801, 0x0403_0201], "exp mrt0 v1, off, off, off done row_en");
    let none = inst(Target::Gfx1100, &[0xf800_0801, 0x0403_0201], "exp mrt0 v1, off, off, off done");
    assert!(row.reads().contains(Reg::M0) && !none.reads().contains(Reg::M0));
    let row = inst(Target::Gfx1200, &[0xf800_2801, 0x0403_0201], "export mrt0 v1, off, off, off done row_en");
    assert!(row.reads().contains(Reg::M0) && row.counters().iter().eq([Counter::Expcnt]));
}

#[test]
fn the_lowest_bit_of_a_temporal_hint_returns_the_old_value() {
    let none = inst(Target::Gfx1200, &[0xee0d_407c, 0x0280_0000, 0x0000_0003], "global_atomic_add_u32 v[3:4], v5, off");
    assert!(none.writes().is_empty() && none.reads().contains(Reg::Vgpr(4)) && none.reads().contains(Reg::Vgpr(5)));
    assert!(none.counters().iter().eq([Counter::Storecnt]));
    let text = "global_atomic_add_u32 v6, v[3:4], v5, off th:TH_ATOMIC_RETURN";
    let returns = inst(Target::Gfx1200, &[0xee0d_407c, 0x0290_0006, 0x0000_0003], text);
    assert!(returns.writes().iter().eq([Reg::Vgpr(6)]) && returns.counters().iter().eq([Counter::Loadcnt]));
    // With a scalar address the vector address has one register.
    let scalar =
        inst(Target::Gfx1200, &[0xee0d_4008, 0x0280_0000, 0x0000_0003], "global_atomic_add_u32 v3, v5, s[8:9]");
    assert!(!scalar.reads().contains(Reg::Vgpr(4)) && scalar.reads().contains(Reg::Sgpr(9)));
}

#[test]
fn fields_of_a_ray_name_vectors() {
    let text = "image_bvh_intersect_ray v[4:7], [v2, v6, v[7:9], v[8:10], v[9:11]], s[8:11]";
    let ray = inst(Target::Gfx1100, &[0xf064_8f81, 0x0002_0402, 0x0908_0706], text);
    let address: Vec<u16> = ray.operands().skip(1).take(6).map(|operand| operand.bits).collect();
    assert_eq!(address, [32, 32, 96, 96, 96, 128]);
    assert!(ray.reads().contains(Reg::Vgpr(11)) && !ray.reads().contains(Reg::Vgpr(3)));
    // Without the additional dword, one tuple of registers has all addresses.
    let run = inst(Target::Gfx1100, &[0xf064_8f80, 0x0002_0e02], "image_bvh_intersect_ray v[14:17], v[2:12], s[8:11]");
    assert_eq!(run.operands().nth(1).map(|operand| operand.bits), Some(352));
    // The operation also returns the origin and the direction.
    let text = "image_bvh8_intersect_ray v[2:11], [v[14:15], v[16:17], v[18:20], v[22:24], v12], s[8:11]";
    let eight = inst(Target::Gfx1200, &[0xd3e0_4010, 0x0c00_1002, 0x1612_100e], text);
    assert!(eight.writes().contains(Reg::Vgpr(20)) && eight.writes().contains(Reg::Vgpr(22)));
    assert!(!eight.writes().contains(Reg::Vgpr(14)) && eight.reads().contains(Reg::Vgpr(18)));
    assert!(eight.counters().iter().eq([Counter::Bvhcnt]));
}

#[test]
fn rdna4_counts_apart_what_older_generations_count_together() {
    let counters = |words: &[u32], text| inst(Target::Gfx1200, words, text).counters().iter().collect::<Vec<_>>();
    let flat = counters(&[0xec05_007c, 0x0000_0002, 0x0000_0004], "flat_load_b32 v2, v[4:5]");
    assert_eq!(flat, [Counter::Loadcnt, Counter::Dscnt]);
    let text = "image_sample v2, v3, s[8:15], s[16:19] dim:SQ_RSRC_IMG_1D";
    assert_eq!(counters(&[0xe406_c000, 0x0800_1002, 0x0000_0003], text), [Counter::Samplecnt]);
    assert_eq!(counters(&[0xd800_0000, 0x0000_0302], "ds_add_u32 v2, v3"), [Counter::Dscnt]);
    assert_eq!(counters(&[0xee0b_007c, 0, 0], "global_wb"), [Counter::Storecnt]);
}

/// A set contains whole registers: if only one half of a register is written, the register is also in the set of read
/// registers.
#[test]
fn the_half_that_is_not_written_is_read() {
    for target in RDNA3.into_iter().chain([Target::Gfx1200]) {
        for (words, text) in [
            (&[0x640b_0302][..], "v_add_f16_e32 v5.l, v2.l, v1.h"),
            (&[0x650b_0302], "v_add_f16_e32 v5.h, v2.l, v1.h"),
            (&[0xd533_0005, 0x0002_0302], "v_sub_f16_e64 v5.l, v2.l, v1.l"),
            (&[0xd533_5005, 0x2002_0302], "v_sub_f16_e64 v5.h, -v2.l, v1.h"),
        ] {
            let half = decode_words(target, words).unwrap_or_else(|e| panic!("{target} {text}: {e}"));
            assert!(half.to_string().starts_with(text), "{target} {half}");
            let vectors = |set: RegSet| set.iter().filter(|reg| matches!(reg, Reg::Vgpr(_))).collect::<Vec<_>>();
            assert_eq!(vectors(half.reads()), [1, 2, 5].map(Reg::Vgpr), "{target} {text}");
            assert_eq!(vectors(half.writes()), [Reg::Vgpr(5)], "{target} {text}");
        }
        let whole = inst(target, &[0x7e0a_1782], "v_cvt_f32_f16_e32 v5, v2.h");
        assert!(!whole.reads().contains(Reg::Vgpr(5)));
    }
    // The other half of each register of the matrix stays.
    let text = "v_wmma_f16_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[24:31]";
    let matrix = inst(Target::Gfx1100, &[0xcc42_4010, 0x1c62_1100], text);
    assert!((16..24).all(|n| matrix.reads().contains(Reg::Vgpr(n))) && matrix.flags().is_convergent());
}

/// In lanes that DPP leaves out, a vector register keeps its value; a compare writes all bits of its mask.
#[test]
fn a_compare_with_dpp_writes_its_whole_mask() {
    let masks = "quad_perm:[0,1,2,3] row_mask:0x3 bank_mask:0xf";
    for target in RDNA3 {
        let text = format!("v_cmp_eq_u32_e64_dpp s5, v1, v2 {masks}");
        let compare = inst(target, &[0xd44a_0005, 0x0002_04fa, 0x3f00_e401], &text);
        assert!(compare.writes().contains(Reg::Sgpr(5)) && !compare.reads().contains(Reg::Sgpr(5)));
        let text = format!("v_add_f32_e64_dpp v5, v1, v2 {masks}");
        let add = inst(target, &[0xd503_0005, 0x0002_04fa, 0x3f00_e401], &text);
        assert!(add.writes().contains(Reg::Vgpr(5)) && add.reads().contains(Reg::Vgpr(5)));
    }
}

#[test]
fn halves_of_registers_change_places() {
    for target in RDNA3.into_iter().chain([Target::Gfx1200]) {
        for (words, text) in [
            (&[0x660a_0382][..], "v_subrev_f16_e32 v5.l, v1.l, v2.h"),
            (&[0xd533_5005, 0x2002_0302], "v_subrev_f16_e64 v5.h, v1.h, -v2.l"),
        ] {
            let sub = decode_words(target, words).unwrap();
            let swapped = sub.commuted().unwrap_or_else(|e| panic!("{target} {sub}: {e}"));
            assert!(swapped.to_string().starts_with(text), "{target} {swapped}");
            assert_eq!(swapped.commuted(), Ok(sub), "{target}");
        }
        let scalar = inst(target, &[0x660a_0203], "v_sub_f16_e32 v5.l, s3, v1.l");
        assert!(scalar.commuted().is_err(), "the second source of this encoding is a vector");
    }
}

/// A dual instruction stays dual on a target that has both of its operations; otherwise the error names the missing
/// one.
#[test]
fn dual_instructions_go_to_other_targets() {
    let dual = |words: &[u32]| decode_words(Target::Gfx1100, words).unwrap();
    // v_dual_mul_f32 v4, s2, v1 :: v_dual_add_nc_u32 v7, v2, v3
    let pair = dual(&[0xc8e0_0202, 0x0406_0702]);
    let there = pair.retarget(Target::Gfx1200).unwrap();
    assert_eq!((there.target(), there.to_string()), (Target::Gfx1200, pair.to_string()));
    assert_eq!(there.retarget(Target::Gfx1100), Ok(pair));
    let lacks = |opcode| Err(RetargetError::Opcode(opcode));
    assert_eq!(pair.retarget(Target::Gfx1030), lacks(Opcode::VDualMulF32));
    assert_eq!(pair.retarget(Target::Gfx1200Wave64), lacks(Opcode::VDualMulF32));
    // v_dual_mul_f32 v4, s2, v1 :: v_dual_max_f32 v7, v2, v3: the second one has another name on RDNA4.
    let max = dual(&[0xc8d4_0202, 0x0406_0702]);
    assert_eq!(max.second_opcode(), Some(Opcode::VDualMaxF32));
    let there = max.retarget(Target::Gfx1200).expect("the same operation");
    assert_eq!((there.second_opcode(), there.words()), (Some(Opcode::VDualMaxNumF32), max.words()));
}
