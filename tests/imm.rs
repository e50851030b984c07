//! Encoding and decoding of constants with parts are exact inverses. A part fits, or is refused by its name, and
//! constants print as LLVM 22 writes them.
#![cfg(all(has_target, feature = "text"))]

use crate::generations::{is_from_rdna3, is_from_rdna4};

use amdgpu_isa::facts::{Counter, Encoding};
use amdgpu_isa::imm::{GprIdx, Hwreg, Imm, Sendmsg, Waitcnt};
use amdgpu_isa::{Field, Inst, Opcode, Target, decode_words};

/// An instruction of an operation with a constant; `None` if the target lacks the operation.
fn inst(target: Target, name: &str, value: u16) -> Option<Inst> {
    Some(with(target, word(target, name)?, value))
}

/// The word of an operation without its constant, and the lowest bit of the constant.
fn word(target: Target, name: &str) -> Option<(u32, u8)> {
    let opcode = Opcode::ALL.iter().find(|op| op.name() == name)?;
    let Encoding { format, number, .. } = opcode.encodings(target).next()?;
    let layout = target.layouts().iter().find(|l| l.format == format).expect("the target has the format");
    let (mut word, mut place) = (0, 0);
    for f in layout.fields {
        let field = match f.field {
            Field::Op => number,
            // In s_set_gpr_idx_on the constant is the second operand.
            Field::Simm16 | Field::Ssrc1 => {
                place = f.lsb;
                0
            }
            _ => f.fixed.unwrap_or(0),
        };
        word |= u32::from(field) << f.lsb;
    }
    Some((word, place))
}

fn with(target: Target, (word, place): (u32, u8), value: u16) -> Inst {
    let words = [word | u32::from(value) << place, 0];
    decode_words(target, &words).unwrap_or_else(|e| panic!("{target} {words:08x?}: {e}"))
}

const OPERATIONS: [&str; 6] =
    ["s_waitcnt", "s_getreg_b32", "s_setreg_b32", "s_sendmsg", "s_set_gpr_idx_on", "s_set_gpr_idx_mode"];

#[test]
fn every_value_comes_back_from_its_parts() {
    for &target in Target::ALL {
        let mut counted = 0;
        for name in OPERATIONS {
            let last = if name == "s_set_gpr_idx_on" { 255 } else { u16::MAX };
            let Some(word) = word(target, name) else { continue };
            for value in 0..=last {
                let inst = with(target, word, value);
                let imm = inst.imm().unwrap_or_else(|| panic!("{inst:?}"));
                assert_eq!(imm.encode(target), Ok(value), "{target} {name} {imm:?}");
                counted += 1;
            }
        }
        let least = if inst(target, "s_waitcnt", 0).is_some() { 4 } else { 3 };
        assert!(counted >= least * 65536, "{target}: {counted}");
    }
}

/// The bits of a part: runs of bits, each with its lowest bit and its number of bits.
type Part = &'static [(u16, u16)];

/// The bits of the counters in `s_waitcnt`, written independently of the library. RDNA4's manual has an operation for
/// each counter instead of `s_waitcnt`. LLVM has both.
fn counters(target: Target) -> &'static [(Counter, Part)] {
    match target.processor() {
        _ if is_from_rdna3(target) => {
            &[(Counter::Vmcnt, &[(10, 6)]), (Counter::Expcnt, &[(0, 3)]), (Counter::Lgkmcnt, &[(4, 6)])]
        }
        name if name.starts_with("gfx10") => {
            &[(Counter::Vmcnt, &[(0, 4), (14, 2)]), (Counter::Expcnt, &[(4, 3)]), (Counter::Lgkmcnt, &[(8, 6)])]
        }
        name if name.starts_with("gfx9") => {
            &[(Counter::Vmcnt, &[(0, 4), (14, 2)]), (Counter::Expcnt, &[(4, 3)]), (Counter::Lgkmcnt, &[(8, 4)])]
        }
        _ => &[(Counter::Vmcnt, &[(0, 4)]), (Counter::Expcnt, &[(4, 3)]), (Counter::Lgkmcnt, &[(8, 4)])],
    }
}

fn bits(part: Part) -> u8 {
    part.iter().map(|(_, width)| *width as u8).sum()
}

/// The value of a part, and its bits in the constant.
fn part_of(part: Part, value: u16) -> (u8, u16) {
    part.iter().rev().fold((0, 0), |(all, mask), &(lsb, width)| {
        let ones = (1 << width) - 1;
        (all << width | (value >> lsb & ones) as u8, mask | ones << lsb)
    })
}

/// Whether a message is a byte without other parts, as from RDNA3 on.
fn sends_bytes(target: Target) -> bool {
    is_from_rdna3(target)
}

#[test]
fn parts_lie_where_the_manual_has_them() {
    for &target in Target::ALL {
        for value in 0..=u16::MAX {
            let (mut wait, mut used) = (Waitcnt::new(), 0);
            for &(counter, part) in counters(target) {
                let (count, mask) = part_of(part, value);
                // The maximum means no wait.
                let max = (1 << bits(part)) - 1;
                wait = if count < max { wait.with(counter, count) } else { wait };
                used |= mask;
                assert_eq!(Waitcnt::max(target, counter), Some(max));
            }
            assert_eq!(Waitcnt::decode(target, value), wait.with_rest(value & !used), "{target} {value:#x}");
            let hwreg =
                Hwreg { id: (value & 63) as u8, offset: (value >> 6 & 31) as u8, size: (value >> 11) as u8 + 1 };
            assert_eq!(Hwreg::decode(target, value), hwreg);
            let message = match sends_bytes(target) {
                true => Sendmsg { message: value as u8, op: 0, stream: 0, rest: value & 0xff00 },
                false => Sendmsg {
                    message: (value & 15) as u8,
                    op: (value >> 4 & 7) as u8,
                    stream: (value >> 8 & 3) as u8,
                    rest: value & 0xfc80,
                },
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
        let used: u8 = counters(target).iter().map(|(_, part)| bits(part)).sum();
        for &(counter, part) in counters(target) {
            let (max, width) = ((1 << bits(part)) - 1, bits(part));
            // An explicit maximum means no wait, too.
            assert_eq!(nothing.with(counter, max).encode(target), nothing.encode(target));
            refused(Imm::Waitcnt(nothing.with(counter, max + 1)), counter.name(), 1 << width, width);
        }
        let rest =
            (0..16).map(|n| 1 << n).find(|&bit| Waitcnt::decode(target, bit).rest() == bit).expect("a bit is left");
        assert!(nothing.with_rest(rest).encode(target).is_ok());
        if let Some((_, part)) = counters(target).first() {
            let taken = 1 << part[0].0;
            refused(Imm::Waitcnt(nothing.with_rest(taken)), "rest", taken.into(), 16 - used);
        }
        for &counter in Counter::ALL.iter().filter(|other| counters(target).iter().all(|(c, _)| c != *other)) {
            refused(Imm::Waitcnt(nothing.with(counter, 1)), counter.name(), 1, 0);
            assert_eq!(Waitcnt::max(target, counter), None);
        }
        let whole = Hwreg { id: 1, offset: 0, size: 32 };
        assert_eq!(whole.encode(target), Ok(0xf801));
        refused(Imm::Hwreg(Hwreg { id: 64, ..whole }), "id", 64, 6);
        refused(Imm::Hwreg(Hwreg { offset: 32, ..whole }), "offset", 32, 5);
        refused(Imm::Hwreg(Hwreg { size: 0, ..whole }), "size", 0, 5);
        refused(Imm::Hwreg(Hwreg { size: 33, ..whole }), "size", 33, 5);
        let message = Sendmsg { message: 2, op: 0, stream: 0, rest: 0 };
        if sends_bytes(target) {
            refused(Imm::Sendmsg(Sendmsg { op: 1, ..message }), "op", 1, 0);
            refused(Imm::Sendmsg(Sendmsg { stream: 1, ..message }), "stream", 1, 0);
            refused(Imm::Sendmsg(Sendmsg { rest: 0x10, ..message }), "rest", 16, 8);
        } else {
            refused(Imm::Sendmsg(Sendmsg { message: 16, ..message }), "message", 16, 4);
            refused(Imm::Sendmsg(Sendmsg { op: 8, ..message }), "op", 8, 3);
            refused(Imm::Sendmsg(Sendmsg { stream: 4, ..message }), "stream", 4, 2);
            refused(Imm::Sendmsg(Sendmsg { rest: 0x10, ..message }), "rest", 16, 7);
        }
        let index = GprIdx { src2: true, ..GprIdx::default() };
        match inst(target, "s_set_gpr_idx_on", 0) {
            Some(_) => assert_eq!(index.encode(target), Ok(4)),
            None => refused(Imm::GprIdx(index), "src2", 1, 0),
        }
    }
}

/// Constants with parts print as LLVM's names.
#[test]
fn parts_print_as_names() {
    let text = |target, name, imm: Imm| inst(target, name, imm.encode(target).unwrap()).unwrap().to_string();
    for &target in Target::ALL {
        let rdna4 = is_from_rdna4(target);
        // CDNA5 has an operation for each counter instead of `s_waitcnt`.
        if inst(target, "s_waitcnt", 0).is_some() {
            let nothing = Waitcnt::new();
            let wait = |w| text(target, "s_waitcnt", Imm::Waitcnt(w));
            assert_eq!(wait(nothing.with_vmcnt(0).with_lgkmcnt(3)), "s_waitcnt vmcnt(0) lgkmcnt(3)");
            assert_eq!(wait(nothing.with_expcnt(2)), "s_waitcnt expcnt(2)");
            let [vmcnt, lgkmcnt] = [Counter::Vmcnt, Counter::Lgkmcnt].map(|c| Waitcnt::max(target, c).unwrap_or(0));
            let all = format!("s_waitcnt vmcnt({vmcnt}) expcnt(7) lgkmcnt({lgkmcnt})");
            assert_eq!(wait(nothing), all);
        }
        let hwreg = |id, offset, size| text(target, "s_getreg_b32", Imm::Hwreg(Hwreg { id, offset, size }));
        let wave = if rdna4 { "WAVE_" } else { "" };
        assert_eq!(hwreg(1, 0, 32), format!("s_getreg_b32 s0, hwreg(HW_REG_{wave}MODE)"));
        assert_eq!(hwreg(7, 4, 2), "s_getreg_b32 s0, hwreg(HW_REG_IB_STS, 4, 2)");
        assert_eq!(hwreg(62, 31, 1), "s_getreg_b32 s0, hwreg(62, 31, 1)");
        let send =
            |message, op, stream, rest| text(target, "s_sendmsg", Imm::Sendmsg(Sendmsg { message, op, stream, rest }));
        assert_eq!(send(1, 0, 0, 0), "s_sendmsg sendmsg(MSG_INTERRUPT)");
        assert_eq!(send(14, 0, 0, 0x400), "s_sendmsg 1038");
        if sends_bytes(target) {
            assert_eq!(send(3, 0, 0, 0), "s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)");
        } else {
            assert_eq!(send(3, 2, 1, 0), "s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_EMIT, 1)");
            assert_eq!(send(15, 1, 0, 0), "s_sendmsg sendmsg(MSG_SYSMSG, SYSMSG_OP_ECC_ERR_INTERRUPT)");
            assert_eq!(send(1, 1, 0, 0), "s_sendmsg sendmsg(1, 1, 0)");
        }
        if inst(target, "s_set_gpr_idx_on", 0).is_some() {
            let index = GprIdx { src0: true, dst: true, ..GprIdx::default() };
            assert_eq!(text(target, "s_set_gpr_idx_on", Imm::GprIdx(index)), "s_set_gpr_idx_on s0, gpr_idx(SRC0,DST)");
        }
    }
}
