//! What RDNA1 and RDNA2 have that older generations lack: the null register, counters inside the wave, and scalar memory
//! whose constant and register are always added. Texts are LLVM 22's.
#![cfg(all(feature = "unstable-rdna", feature = "text"))]

use amdgpu_isa::{
    Counter, Depctr, Field, Hwreg, Imm, Inst, Opcode, Reg, RetargetError, Special, Target, Value, Waitcnt, decode_words,
};

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
        // exec has the code behind that of null.
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

/// The other half of a 16-bit result stays, but where SDWA fills it.
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
        // The words name null, and LLVM prints it.
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
            // The parts as bit arithmetic, written independently of the library.
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
}

/// All bits that are part of the constant.
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

/// The register is in another field there.
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
