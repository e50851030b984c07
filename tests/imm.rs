//! Constants with parts are exact inverses, fit or are refused by name, and print as LLVM 22 writes them.
#![cfg(all(has_target, feature = "text"))]

use amdgpu_isa::{Counter, Encoding, Field, GprIdx, Hwreg, Imm, Inst, Opcode, Sendmsg, Target, Waitcnt, decode_words};

/// An instruction that holds the constant, found through the operation; `None` if the target lacks it.
fn inst(target: Target, name: &str, value: u16) -> Option<Inst> {
    let opcode = Opcode::ALL.iter().find(|op| op.name() == name)?;
    let Encoding { format, number, .. } = opcode.encodings(target).next()?;
    let layout = target.layouts().iter().find(|l| l.format == format).expect("the target has the format");
    let mut word = 0;
    for f in layout.fields {
        let field = match f.field {
            Field::Op => number,
            // In s_set_gpr_idx_on the constant is the second operand.
            Field::Simm16 | Field::Ssrc1 => value,
            _ => f.fixed.unwrap_or(0),
        };
        word |= u32::from(field) << f.lsb;
    }
    Some(decode_words(target, &[word, 0]).unwrap_or_else(|e| panic!("{target} {name} {value}: {e}")))
}

const OPERATIONS: [&str; 6] =
    ["s_waitcnt", "s_getreg_b32", "s_setreg_b32", "s_sendmsg", "s_set_gpr_idx_on", "s_set_gpr_idx_mode"];

#[test]
fn every_value_comes_back_from_its_parts() {
    for &target in Target::ALL {
        let mut counted = 0;
        for name in OPERATIONS {
            let last = if name == "s_set_gpr_idx_on" { 255 } else { u16::MAX };
            for value in 0..=last {
                let Some(inst) = inst(target, name, value) else { break };
                let imm = inst.imm().unwrap_or_else(|| panic!("{inst:?}"));
                assert_eq!(imm.encode(target), Ok(value), "{target} {name} {imm:?}");
                counted += 1;
            }
        }
        assert!(counted >= 4 * 65536, "{target}: {counted}");
    }
}

/// The parts as bit arithmetic, written independently of the library.
#[test]
fn parts_lie_where_the_manual_has_them() {
    for &target in Target::ALL {
        let rdna = target.name().starts_with("gfx1");
        let gfx9 = target.name().starts_with("gfx9") || rdna;
        for value in 0..=u16::MAX {
            let (vmcnt, rest) = if gfx9 { (value & 15 | value >> 10 & 48, 0x3080) } else { (value & 15, 0xf080) };
            let (most, rest) = if rdna { (63, 0x80) } else { (15, rest) };
            let (vmcnt, expcnt, lgkmcnt) = (vmcnt as u8, (value >> 4 & 7) as u8, (value >> 8 & most) as u8);
            let mut wait = Waitcnt::new().with_rest(value & rest);
            // The maximum means no wait.
            for (counter, count, max) in [
                (Counter::Vmcnt, vmcnt, if gfx9 { 63 } else { 15 }),
                (Counter::Expcnt, expcnt, 7),
                (Counter::Lgkmcnt, lgkmcnt, most as u8),
            ] {
                wait = if count < max { wait.with(counter, count) } else { wait };
                assert_eq!(Waitcnt::max(target, counter), Some(max));
            }
            assert_eq!(Waitcnt::decode(target, value), wait, "{target} {value:#x}");
            let hwreg =
                Hwreg { id: (value & 63) as u8, offset: (value >> 6 & 31) as u8, size: (value >> 11) as u8 + 1 };
            assert_eq!(Hwreg::decode(target, value), hwreg);
            let message = Sendmsg {
                message: (value & 15) as u8,
                op: (value >> 4 & 7) as u8,
                stream: (value >> 8 & 3) as u8,
                rest: value & 0xfc80,
            };
            assert_eq!(Sendmsg::decode(target, value), message);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_by_name() {
    for &target in Target::ALL {
        let refused = |imm: Imm, field: &str, value: i64, width: u8| {
            let error = imm.encode(target).expect_err("it does not fit");
            assert_eq!((error.field.name(), error.value, error.width), (field, value, width), "{target} {imm:?}");
        };
        let nothing = Waitcnt::new();
        assert!(nothing.with_rest(0x80).encode(target).is_ok());
        let most = Waitcnt::max(target, Counter::Vmcnt).expect("every target counts them");
        let bits = if most == 63 { 6 } else { 4 };
        // Giving the maximum explicitly means no wait too.
        assert_eq!(nothing.with_vmcnt(most).encode(target), nothing.encode(target));
        refused(Imm::Waitcnt(nothing.with_vmcnt(most + 1)), "vmcnt", 1 << bits, bits);
        refused(Imm::Waitcnt(nothing.with_expcnt(8)), "expcnt", 8, 3);
        let lgkm = if Waitcnt::max(target, Counter::Lgkmcnt) == Some(63) { 6 } else { 4 };
        refused(Imm::Waitcnt(nothing.with_lgkmcnt(1 << lgkm)), "lgkmcnt", 1 << lgkm, lgkm);
        refused(Imm::Waitcnt(nothing.with_rest(1)), "rest", 1, 16 - 3 - lgkm - bits);
        for &counter in &Counter::ALL[3..] {
            refused(Imm::Waitcnt(nothing.with(counter, 1)), counter.name(), 1, 0);
            assert_eq!(Waitcnt::max(target, counter), None);
        }
        let whole = Hwreg { id: 1, offset: 0, size: 32 };
        assert_eq!(whole.encode(target), Ok(0xf801));
        refused(Imm::Hwreg(Hwreg { id: 64, ..whole }), "id", 64, 6);
        refused(Imm::Hwreg(Hwreg { offset: 32, ..whole }), "offset", 32, 5);
        refused(Imm::Hwreg(Hwreg { size: 0, ..whole }), "size", 0, 5);
        refused(Imm::Hwreg(Hwreg { size: 33, ..whole }), "size", 33, 5);
        let message = Sendmsg { message: 2, op: 1, stream: 0, rest: 0 };
        refused(Imm::Sendmsg(Sendmsg { message: 16, ..message }), "message", 16, 4);
        refused(Imm::Sendmsg(Sendmsg { op: 8, ..message }), "op", 8, 3);
        refused(Imm::Sendmsg(Sendmsg { stream: 4, ..message }), "stream", 4, 2);
        refused(Imm::Sendmsg(Sendmsg { rest: 0x10, ..message }), "rest", 16, 7);
        let index = GprIdx { src2: true, ..GprIdx::default() };
        match inst(target, "s_set_gpr_idx_on", 0) {
            Some(_) => assert_eq!(index.encode(target), Ok(4)),
            None => refused(Imm::GprIdx(index), "src2", 1, 0),
        }
    }
}

/// Parts, their encoded number, and the printed text.
#[test]
fn parts_print_as_names() {
    let text = |target, name, imm: Imm| inst(target, name, imm.encode(target).unwrap()).unwrap().to_string();
    for &target in Target::ALL {
        let nothing = Waitcnt::new();
        let wait = |w| text(target, "s_waitcnt", Imm::Waitcnt(w));
        assert_eq!(wait(nothing.with_vmcnt(0).with_lgkmcnt(3)), "s_waitcnt vmcnt(0) lgkmcnt(3)");
        assert_eq!(wait(nothing.with_expcnt(2)), "s_waitcnt expcnt(2)");
        let [vmcnt, lgkmcnt] = [Counter::Vmcnt, Counter::Lgkmcnt].map(|c| Waitcnt::max(target, c).unwrap_or(0));
        let all = format!("s_waitcnt vmcnt({vmcnt}) expcnt(7) lgkmcnt({lgkmcnt})");
        assert_eq!(wait(nothing), all);
        let hwreg = |id, offset, size| text(target, "s_getreg_b32", Imm::Hwreg(Hwreg { id, offset, size }));
        assert_eq!(hwreg(1, 0, 32), "s_getreg_b32 s0, hwreg(HW_REG_MODE)");
        assert_eq!(hwreg(7, 4, 2), "s_getreg_b32 s0, hwreg(HW_REG_IB_STS, 4, 2)");
        assert_eq!(hwreg(62, 31, 1), "s_getreg_b32 s0, hwreg(62, 31, 1)");
        let send =
            |message, op, stream, rest| text(target, "s_sendmsg", Imm::Sendmsg(Sendmsg { message, op, stream, rest }));
        assert_eq!(send(3, 2, 1, 0), "s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_EMIT, 1)");
        assert_eq!(send(15, 1, 0, 0), "s_sendmsg sendmsg(MSG_SYSMSG, SYSMSG_OP_ECC_ERR_INTERRUPT)");
        assert_eq!(send(1, 0, 0, 0), "s_sendmsg sendmsg(MSG_INTERRUPT)");
        assert_eq!(send(1, 1, 0, 0), "s_sendmsg sendmsg(1, 1, 0)");
        assert_eq!(send(14, 0, 0, 0x400), "s_sendmsg 1038");
        if inst(target, "s_set_gpr_idx_on", 0).is_some() {
            let index = GprIdx { src0: true, dst: true, ..GprIdx::default() };
            assert_eq!(text(target, "s_set_gpr_idx_on", Imm::GprIdx(index)), "s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)");
        }
    }
}
