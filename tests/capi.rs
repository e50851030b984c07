//! The C interface agrees with the library for random words of every target, for any buffer size, and handles null
//! pointers. It is called from Rust here, and from C in `capi/program.rs`. `examples/c/check.sh` covers C++, clang and
//! valgrind.
#![cfg(all(feature = "capi", has_target))]

#[cfg(unix)]
mod program;
use crate::words;

use std::ffi::{CString, c_char};
use std::ptr::{null, null_mut};

use amdgpu_isa::capi::*;
use amdgpu_isa::facts::{Counter, Flag, RegSet};
use amdgpu_isa::patch::PatchError;
use amdgpu_isa::{Access, DecodeError, Decoder, Field, Opcode, Reg, Target, decode, length, parse};
use words::{Rng, bytes, encodings};

const EMPTY: amdgpu_isa_inst = amdgpu_isa_inst { words: [0; 5], len: 0, target: 0 };

/// Calls `look` with many kinds of words: valid ones of each operation, truncated ones, and random ones.
fn each(mut look: impl FnMut(Target, &[u8], &mut Rng)) {
    let mut rng = Rng(31);
    for &target in Target::ALL {
        for encoding in encodings(target) {
            for inst in words::legal(target, encoding, 2, &mut rng) {
                let code = bytes(inst.words());
                look(target, &code, &mut rng);
                look(target, &code[..code.len() - 1], &mut rng);
            }
        }
        for _ in 0..10_000 {
            let code = bytes(&[rng.word(), rng.word(), rng.word()]);
            look(target, &code, &mut rng);
        }
    }
}

/// The number of a target in the C interface.
fn number_of(target: Target) -> u32 {
    let is_default = target.name() == target.processor();
    target.mach() + if is_default { 0 } else { 256 * u32::from(target.wave_size()) }
}

/// The bytes that a text function writes into a buffer of this size, and its result.
fn written(room: usize, print: impl FnOnce(*mut c_char, usize) -> usize) -> (Vec<u8>, usize) {
    let mut out = vec![0x55u8; room + 8];
    let len = print(out.as_mut_ptr().cast(), room);
    assert!(out[room..].iter().all(|&byte| byte == 0x55), "more was written than there is room");
    let end = out[..room].iter().position(|&byte| byte == 0).unwrap_or(0);
    out.truncate(end);
    (out, len)
}

/// The number 0x57 is that of gfx1154, which has the instructions of gfx1150 and another filler.
#[cfg(feature = "gfx1150")]
#[test]
fn sources_that_an_operation_lacks_are_filled_as_for_the_processor() {
    // SAFETY: texts end in a zero, and instructions are writable.
    let parsed = |mach: u32| unsafe {
        let mut inst = EMPTY;
        let status = amdgpu_isa_parse(mach, c"v_add_f32_e64 v0, v1, v2".as_ptr(), &mut inst, null_mut());
        assert_eq!((status, inst.target), (amdgpu_isa_status::Ok, 0x43));
        inst
    };
    // SAFETY: as above.
    let name = |inst: &amdgpu_isa_inst| written(16, |out, room| unsafe { amdgpu_isa_filler(inst, out, room) }).0;
    let (mut old, new) = (parsed(0x43), parsed(0x57));
    assert_eq!((old.words[1], name(&old)), (0x0002_0501, b"llvm22".to_vec()));
    assert_eq!((new.words[1], name(&new)), (0x0202_0501, b"llvm23".to_vec()));
    // SAFETY: as above.
    unsafe {
        assert_eq!(amdgpu_isa_fill(&mut old, c"llvm21".as_ptr()), amdgpu_isa_status::Missing);
        assert_eq!(amdgpu_isa_fill(&mut old, null()), amdgpu_isa_status::Missing);
        assert_eq!(amdgpu_isa_fill(null_mut(), c"llvm23".as_ptr()), amdgpu_isa_status::NoInstruction);
        assert_eq!(amdgpu_isa_fill(&mut old, c"llvm23".as_ptr()), amdgpu_isa_status::Ok);
    }
    assert_eq!(old, new);
    assert_eq!(name(&EMPTY), b"");
}

#[test]
fn it_says_what_the_library_says() {
    let (mut good, mut bad) = (0, 0);
    each(|target, code, rng| {
        let mach = number_of(target);
        let mut inst = EMPTY;
        // SAFETY: pointers and lengths are those of slices.
        let (status, len) = unsafe {
            let status = amdgpu_isa_decode(mach, code.as_ptr(), code.len(), &mut inst);
            (status, amdgpu_isa_length(mach, code.as_ptr(), code.len()))
        };
        assert_eq!(len, length(target, code).unwrap_or(0));
        let room = rng.below(100);
        let wanted = match decode(target, code) {
            Ok(wanted) => wanted,
            Err(error) => {
                bad += 1;
                let truncated = matches!(error, DecodeError::Truncated { .. });
                let kind = if truncated { amdgpu_isa_status::Truncated } else { amdgpu_isa_status::NoInstruction };
                assert_eq!((status, inst), (kind, EMPTY));
                // SAFETY: as above.
                let why = |out, room| unsafe { amdgpu_isa_why(mach, code.as_ptr(), code.len(), out, room) };
                let text = error.to_string();
                assert_eq!(written(200, why), (text.clone().into_bytes(), text.len()));
                return;
            }
        };
        good += 1;
        assert_eq!(status, amdgpu_isa_status::Ok);
        assert_eq!(
            (&inst.words[..wanted.len() / 4], inst.len as usize, inst.target),
            (wanted.words(), wanted.len(), mach)
        );
        let text = wanted.to_string();
        // SAFETY: as above.
        let print = |out, room| unsafe { amdgpu_isa_text(&inst, out, room) };
        let shown = text.as_bytes()[..text.len().min(room.saturating_sub(1))].to_vec();
        assert_eq!(written(room, print), (shown, text.len()));
        // SAFETY: as above.
        let opcode = written(64, |out, room| unsafe { amdgpu_isa_opcode(&inst, out, room) });
        assert_eq!(opcode.0, wanted.opcode().name().as_bytes());
        #[cfg(feature = "meaning")]
        {
            let meaning = wanted.opcode().meaning(target).unwrap_or("");
            // SAFETY: as above.
            let found = written(meaning.len() + 1, |out, room| unsafe { amdgpu_isa_meaning(&inst, out, room) });
            assert_eq!(found, (meaning.as_bytes().to_vec(), meaning.len()));
        }

        let nothing = amdgpu_isa_operand {
            kind: amdgpu_isa_kind::Off,
            value: 0,
            field: -1,
            bits: 0,
            is_read: false,
            is_written: false,
        };
        let mut operands = [nothing; 24];
        let room = rng.below(24);
        // SAFETY: as above.
        let count = unsafe { amdgpu_isa_operands(&inst, operands.as_mut_ptr(), room) };
        let all: Vec<_> = wanted.operands().collect();
        assert_eq!(count, all.len());
        for (ours, operand) in operands[..room].iter().zip(&all) {
            assert_eq!(ours.field, operand.role.map_or(-1, |role| role as i32));
            assert_eq!(
                (ours.bits, ours.is_read, ours.is_written),
                (operand.bits.into(), operand.access != Access::Write, operand.access != Access::Read)
            );
        }
        assert!(operands[room..].iter().all(|operand| *operand == nothing));

        let mut out = [0; 20];
        // SAFETY: as above.
        let encoded = unsafe { amdgpu_isa_encode(&inst, out.as_mut_ptr(), rng.below(21)) };
        assert!(encoded == 0 && out == [0; 20] || encoded == wanted.len() && out[..encoded] == code[..encoded]);

        // Sets a field in the value and in the bytes.
        let all: Vec<_> = wanted.fields().map(|held| (held.info.field, held.value)).collect();
        let (field, _) = rng.pick(&all);
        let value = rng.word() & rng.word() & 0x1ff;
        let (mut changed, mut memory) = (inst, code.to_vec());
        let mut got = 0;
        // SAFETY: as above.
        let (set, patched, read) = unsafe {
            let set = amdgpu_isa_set(&mut changed, field as i32, value);
            let patched = amdgpu_isa_patch(mach, memory.as_mut_ptr(), memory.len(), field as i32, value);
            (set, patched, amdgpu_isa_get(&changed, field as i32, &mut got))
        };
        assert_eq!((set, read), (patched, amdgpu_isa_status::Ok));
        match wanted.with(field, value) {
            Ok(other) => {
                assert_eq!((set, got), (amdgpu_isa_status::Ok, value));
                assert_eq!(memory[..wanted.len()], bytes(other.words()));
            }
            Err(error) => {
                let missing = matches!(error, PatchError::NoField(_));
                assert_eq!(set, if missing { amdgpu_isa_status::Missing } else { amdgpu_isa_status::Refused });
                assert_eq!((changed, &memory[..]), (inst, code));
            }
        }
        let mut pieces = [amdgpu_isa_piece { dword: 9, bit: 9, width: 9 }; 2];
        // SAFETY: as above.
        let count = unsafe { amdgpu_isa_locate(&inst, field as i32, pieces.as_mut_ptr()) };
        let there = wanted.locate(field);
        assert_eq!(count, there.map_or(0, |at| 1 + usize::from(at.high.is_some())));
        assert!(
            there.is_none_or(|at| pieces[0].width == u32::from(at.low.width) && pieces[0].bit == u32::from(at.low.bit))
        );

        // Compares targets of branches, and changes of them and of operations.
        let (mut to, mut branch) = (1, inst);
        // SAFETY: as above.
        let status = unsafe { amdgpu_isa_branch_target(&inst, 0x1000, &mut to) };
        let target_there = wanted.branch_target(0x1000);
        assert_eq!((status == amdgpu_isa_status::Ok, to), (target_there.is_some(), target_there.unwrap_or(1)));
        // SAFETY: as above.
        let status = unsafe { amdgpu_isa_set_branch_target(&mut branch, 0x1000, 0x2000) };
        let there = wanted.with_branch_target(0x1000, 0x2000);
        assert_eq!(status == amdgpu_isa_status::Ok, there.is_ok());
        assert_eq!(branch.words[0], there.map_or(wanted.words()[0], |there| there.words()[0]));
        let (opcode, mut other) = (rng.pick(Opcode::ALL), inst);
        let name = CString::new(opcode.name()).expect("no zero in it");
        // SAFETY: as above.
        let status = unsafe { amdgpu_isa_set_opcode(&mut other, name.as_ptr()) };
        let there = wanted.with_opcode(opcode);
        assert_eq!(status == amdgpu_isa_status::Ok, there.is_ok());
        assert_eq!(other.words[0], there.map_or(wanted.words()[0], |there| there.words()[0]));
    });
    println!("{good} instructions, {bad} that are none");
    assert!(good > 1_000 && bad > 1_000);
}

/// The registers of runs, one by one.
fn registers(runs: &[amdgpu_isa_run]) -> Vec<(amdgpu_isa_kind, u32)> {
    runs.iter().flat_map(|run| (run.first..run.first + run.count).map(|number| (run.kind, number))).collect()
}

/// The registers of a set, as the C interface numbers them.
fn wanted(set: &RegSet) -> Vec<(amdgpu_isa_kind, u32)> {
    let number = |reg| match reg {
        Reg::Sgpr(n) => (amdgpu_isa_kind::Sgpr, n.into()),
        Reg::Vgpr(n) => (amdgpu_isa_kind::Vgpr, n.into()),
        Reg::VgprHigh(n) => (amdgpu_isa_kind::VgprHigh, n.into()),
        Reg::Agpr(n) => (amdgpu_isa_kind::Agpr, n.into()),
        Reg::Ttmp(n) => (amdgpu_isa_kind::Ttmp, n.into()),
        Reg::Special(special) => (amdgpu_isa_kind::Special, special as u32),
        other => {
            const IMPLICIT: [Reg; 8] =
                [Reg::Scc, Reg::Vcc, Reg::Exec, Reg::M0, Reg::Mode, Reg::FlatScratch, Reg::XnackMask, Reg::TrapStatus];
            let place = IMPLICIT.iter().position(|reg| *reg == other);
            (amdgpu_isa_kind::Implicit, place.expect("all are listed") as u32)
        }
    };
    set.iter().map(number).collect()
}

#[test]
fn it_knows_the_facts_that_the_library_knows() {
    let counters = Counter::ALL.iter().map(|counter| {
        let name = CString::new(counter.name()).expect("no zero in it");
        // SAFETY: the name ends in a zero.
        (*counter, unsafe { amdgpu_isa_counter(name.as_ptr()) })
    });
    let counters: Vec<_> = counters.collect();
    let flags = Flag::ALL.iter().map(|flag| {
        let name = CString::new(flag.name()).expect("no zero in it");
        // SAFETY: the name ends in a zero.
        (*flag, unsafe { amdgpu_isa_flag(name.as_ptr()) })
    });
    let flags: Vec<_> = flags.collect();
    let (mut accesses, mut waits, mut broken) = (0, 0, 0);
    each(|target, code, rng| {
        // Only an eighth of the words are tried, so that the test takes seconds.
        if rng.below(8) > 0 {
            return;
        }
        let (mach, mut inst) = (number_of(target), EMPTY);
        // SAFETY: pointers and lengths are those of slices.
        let step = unsafe { amdgpu_isa_next(mach, code.as_ptr(), code.len(), &mut inst) };
        let first = Decoder::new(target, code).next().expect("there are bytes");
        assert_eq!(step, first.inst.as_ref().map_or_else(|invalid| invalid.len.into(), |inst| inst.len()));
        let Ok(inst_there) = first.inst else {
            assert_eq!((inst.len, inst.words), (0, [0; 5]));
            return;
        };
        // SAFETY: an instruction.
        let (bits, raised) = unsafe { (amdgpu_isa_flags(&inst), amdgpu_isa_counters(&inst)) };
        for &(flag, number) in &flags {
            assert_eq!(bits >> number & 1 == 1, inst_there.flags().contains(flag), "{inst_there}: {flag:?}");
        }
        for &(counter, number) in &counters {
            assert_eq!(raised >> number & 1 == 1, inst_there.counters().iter().any(|other| other == counter));
            // SAFETY: an instruction.
            let wait = unsafe { amdgpu_isa_wait(&inst, number) };
            assert_eq!(wait, inst_there.waits().get(counter).map_or(-1, i32::from));
            waits += usize::from(wait >= 0);
        }
        let none =
            amdgpu_isa_access { space: amdgpu_isa_space::Export, is_read: false, is_written: false, is_atomic: false };
        let (mut memory, room) = ([none; 4], rng.below(4));
        // SAFETY: as above.
        let count = unsafe { amdgpu_isa_memory(&inst, memory.as_mut_ptr(), room) };
        assert_eq!(count, inst_there.memory().count());
        for (ours, access) in memory[..room].iter().zip(inst_there.memory()) {
            assert_eq!(format!("{:?}", ours.space), format!("{:?}", access.space));
            assert_eq!(ours.is_read, access.access != Access::Write);
            assert_eq!(ours.is_written, access.access != Access::Read);
            assert_eq!(ours.is_atomic, access.atomic);
            accesses += 1;
        }
        let mut runs = [amdgpu_isa_run { kind: amdgpu_isa_kind::Off, first: 0, count: 0 }; 32];
        // SAFETY: as above.
        let count = unsafe { amdgpu_isa_reads(&inst, runs.as_mut_ptr(), runs.len()) };
        assert_eq!(registers(&runs[..count]), wanted(&inst_there.reads()), "{inst_there}");
        // SAFETY: as above.
        let count = unsafe { amdgpu_isa_writes(&inst, runs.as_mut_ptr(), runs.len()) };
        assert_eq!(registers(&runs[..count]), wanted(&inst_there.writes()), "{inst_there}");
        // SAFETY: as above.
        let rule = written(200, |out, room| unsafe { amdgpu_isa_check(&inst, out, room) }).0;
        let rule_there = inst_there.check().err().map_or(String::new(), |rule| rule.to_string());
        assert_eq!(rule, rule_there.as_bytes());
        broken += usize::from(!rule.is_empty());

        // Compares texts and other encodings.
        let text = inst_there.to_string();
        let (mut again, mut column) = (EMPTY, u32::MAX);
        let source = CString::new(&*text).expect("no zero in it");
        // SAFETY: as above.
        let status = unsafe { amdgpu_isa_parse(mach, source.as_ptr(), &mut again, &mut column) };
        // SAFETY: as above.
        let why = written(300, |out, room| unsafe { amdgpu_isa_parse_why(mach, source.as_ptr(), out, room) }).0;
        match parse(target, &text) {
            Ok(parsed) => {
                assert_eq!((status, column, why.len()), (amdgpu_isa_status::Ok, u32::MAX, 0));
                assert_eq!(&again.words[..parsed.words().len()], parsed.words());
            }
            Err(error) => {
                assert_eq!((status, column, again), (amdgpu_isa_status::Refused, error.span.start, EMPTY));
                assert_eq!(why, error.to_string().as_bytes());
            }
        }
        let other = rng.pick(Target::ALL);
        let (mut short, mut long, mut there) = (inst, inst, inst);
        // SAFETY: as above.
        let changed = unsafe {
            [
                (amdgpu_isa_shrink(&mut short), short, inst_there.shrink().ok()),
                (amdgpu_isa_expand(&mut long), long, inst_there.expand().ok()),
                (amdgpu_isa_retarget(&mut there, number_of(other)), there, inst_there.retarget(other).ok()),
            ]
        };
        for (status, ours, wanted) in changed {
            assert_eq!(status == amdgpu_isa_status::Ok, wanted.is_some());
            match wanted {
                Some(wanted) => {
                    assert_eq!(&ours.words[..ours.len as usize / 4], wanted.words());
                    assert_eq!(ours.target, number_of(wanted.target()));
                }
                None => assert_eq!(ours, inst),
            }
        }
        // SAFETY: as above.
        let why = |out, room| unsafe { amdgpu_isa_retarget_why(&inst, number_of(other), out, room) };
        let why_there = inst_there.retarget(other).err().map_or(String::new(), |error| error.to_string());
        assert_eq!(written(300, why).0, why_there.as_bytes());
    });
    println!("{accesses} accesses, {waits} waits, {broken} broken rules");
    assert!(accesses > 100 && waits > 0);
}

#[test]
fn nothing_is_taken_amiss() {
    let target = number_of(Target::ALL[0]);
    let name = |name: &str| CString::new(name).expect("no zero in it");
    // SAFETY: null pointers, and values of the types.
    unsafe {
        for &known in Target::ALL {
            assert_eq!(amdgpu_isa_target(name(known.name()).as_ptr()), number_of(known));
        }
        for &field in Field::ALL {
            assert_eq!(amdgpu_isa_field(name(field.name()).as_ptr()), field as i32);
        }
        assert_eq!((amdgpu_isa_target(null()), amdgpu_isa_field(null())), (0, -1));
        assert_eq!(amdgpu_isa_target(c"\xff".as_ptr()), 0);
        assert_eq!(amdgpu_isa_length(target, null(), 0), 0);
        // A negative length counts as empty.
        assert_eq!(amdgpu_isa_length(target, [0xbf80_0000u32].as_ptr().cast(), usize::MAX), 0);
        assert_eq!(amdgpu_isa_patch(target, [0u8; 4].as_mut_ptr(), usize::MAX, 0, 0), amdgpu_isa_status::Truncated);
        assert_eq!(amdgpu_isa_decode(target, null(), 0, null_mut()), amdgpu_isa_status::Truncated);
        for unknown in [0, 1, 0x100 + target, u32::MAX] {
            assert_eq!(amdgpu_isa_decode(unknown, null(), 0, null_mut()), amdgpu_isa_status::UnknownTarget);
            assert_eq!(amdgpu_isa_patch(unknown, null_mut(), 0, 0, 0), amdgpu_isa_status::UnknownTarget);
            assert!(amdgpu_isa_why(unknown, null(), 0, null_mut(), 0) > 0);
        }
        assert_eq!(amdgpu_isa_next(target, null(), 0, null_mut()), 0);
        assert_eq!(amdgpu_isa_next(1, [0u8; 4].as_ptr(), 4, null_mut()), 0);
        assert_eq!((amdgpu_isa_flag(null()), amdgpu_isa_counter(null())), (-1, -1));
        assert_eq!((amdgpu_isa_flags(null()), amdgpu_isa_counters(null()), amdgpu_isa_wait(null(), 0)), (0, 0, -1));
        assert_eq!(amdgpu_isa_memory(null(), null_mut(), 0), 0);
        assert_eq!(amdgpu_isa_reads(null(), null_mut(), 0) + amdgpu_isa_writes(null(), null_mut(), 0), 0);
        assert_eq!(amdgpu_isa_check(null(), null_mut(), 0), 0);
        assert_eq!(amdgpu_isa_parse(target, null(), null_mut(), null_mut()), amdgpu_isa_status::Refused);
        assert_eq!(amdgpu_isa_parse(1, null(), null_mut(), null_mut()), amdgpu_isa_status::UnknownTarget);
        assert!(amdgpu_isa_parse_why(target, null(), null_mut(), 0) > 0);
        assert_eq!(amdgpu_isa_shrink(null_mut()), amdgpu_isa_status::NoInstruction);
        assert_eq!(amdgpu_isa_expand(null_mut()), amdgpu_isa_status::NoInstruction);
        assert_eq!(amdgpu_isa_retarget(null_mut(), target), amdgpu_isa_status::NoInstruction);
        assert_eq!(amdgpu_isa_retarget(null_mut(), 1), amdgpu_isa_status::UnknownTarget);
        assert_eq!(amdgpu_isa_retarget_why(null(), target, null_mut(), 0), 0);
        assert_eq!(amdgpu_isa_text(null(), null_mut(), 0), 0);
        assert_eq!(amdgpu_isa_encode(null(), null_mut(), 0), 0);
        assert_eq!(amdgpu_isa_operands(null(), null_mut(), 0), 0);
        assert_eq!(amdgpu_isa_locate(null(), 0, null_mut()), 0);
        assert_eq!(amdgpu_isa_set(null_mut(), 0, 0), amdgpu_isa_status::NoInstruction);
        assert_eq!(amdgpu_isa_get(null(), 0, null_mut()), amdgpu_isa_status::NoInstruction);
        assert_eq!(amdgpu_isa_branch_target(null(), 0, null_mut()), amdgpu_isa_status::NoInstruction);
        for field in [-1, i32::MIN, i32::MAX, Field::ALL.len() as i32] {
            assert_eq!(amdgpu_isa_set(null_mut(), field, 0), amdgpu_isa_status::Missing);
        }
        // Instructions with any contents, which no decoder has made.
        let mut rng = Rng(2);
        for _ in 0..100_000 {
            let mut any = || rng.word() & rng.word();
            let words = [any(), any(), any(), any(), any()];
            let mut inst = amdgpu_isa_inst { words, len: any() & 31, target: target + (any() & any() & 1) };
            let mut out = [0; 64];
            amdgpu_isa_text(&inst, out.as_mut_ptr(), out.len());
            amdgpu_isa_set(&mut inst, (any() & 0x7f) as i32, any());
        }
    }
}
