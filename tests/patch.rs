//! A change of an instruction in memory takes effect as requested, or is refused and leaves the memory untouched: for
//! every operation of every target, every field and every operand. The test determines what may be refused without the
//! library's patcher, by setting bits one by one and decoding.
#![cfg(has_target)]

use crate::words;

use std::collections::BTreeMap;

use amdgpu_isa::check::RuleError;
use amdgpu_isa::errors::FieldError;
use amdgpu_isa::facts::{AddressStep, Encoding};
use amdgpu_isa::imm::Imm;
use amdgpu_isa::layout::{FieldInfo, HeldField};
use amdgpu_isa::operands::{InlineFloat, Special};
use amdgpu_isa::patch::{DecoderMut, InstMut, Location, PatchError};
use amdgpu_isa::{Decoded, Field, Format, Inst, Opcode, Operand, Reg, Target, Value, WordDecoder, decode_words};
use words::{Rng, bytes, encodings};

/// The number of different instructions of each encoding.
const FILLINGS: usize = 2;

/// Calls `look` for some instructions of every encoding, each on a few of the targets that have it, or on all in the
/// full run.
fn each(mut look: impl FnMut(&Inst, &mut Rng)) {
    let mut rng = Rng(7);
    for &target in Target::ALL {
        for encoding in words::encodings_to_try(target).into_iter().filter(|e| words::is_tried(target, e.2, 48)) {
            for inst in words::legal(target, encoding, FILLINGS, &mut rng) {
                look(&inst, &mut rng);
            }
        }
    }
}

/// Applies `change` to dwords and to bytes, with neighbours that must not change, and returns the instruction
/// afterwards.
fn changed<E: PartialEq + std::fmt::Debug>(
    inst: &Inst,
    in_dwords: impl FnOnce(&mut InstMut<'_, [u32]>) -> Result<(), E>,
    in_bytes: impl FnOnce(&mut InstMut<'_, [u8]>) -> Result<(), E>,
) -> Result<Inst, E> {
    const GUARD: u32 = 0x5a5a_a5a5;
    let (target, dwords) = (inst.target(), inst.words().len());
    // Arrays, because this runs about ten million times.
    let in_memory = |words: &[u32; 7]| -> [u8; 28] {
        let mut bytes = [0; 28];
        bytes.chunks_exact_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        bytes
    };
    let mut memory = [GUARD; 7];
    memory[1..=dwords].copy_from_slice(inst.words());
    let before = memory;
    let mut memory_bytes = in_memory(&memory);

    let mut patched = InstMut::new(target, &mut memory[1..]).expect("it was decoded");
    let result = in_dwords(&mut patched);
    let seen = *patched;
    assert!(memory[0] == GUARD && memory[dwords + 1..].iter().all(|&word| word == GUARD), "{inst:?}");
    let mut patched = InstMut::new(target, &mut memory_bytes[4..]).expect("it was decoded");
    let result_bytes = in_bytes(&mut patched);
    assert_eq!(result, result_bytes, "{inst:?}");
    assert_eq!(*patched, seen, "{inst:?}");
    assert_eq!(memory_bytes, in_memory(&memory), "{inst:?}");

    let there = decode_words(target, &memory[1..=dwords]);
    assert_eq!(there, Ok(seen), "{inst:?}: memory and InstMut say different things");
    match result {
        Ok(()) => Ok(seen),
        Err(error) => {
            assert_eq!(memory, before, "{inst:?}: {error:?} changed the memory");
            Err(error)
        }
    }
}

/// The field with positions counted from the start of the instruction.
fn moved(info: &FieldInfo, first: u8) -> FieldInfo {
    let mut moved = *info;
    moved.lsb += first;
    moved.hi = moved.hi.wrapping_add(first);
    moved
}

/// Whether a field holds a number that can be negative: a literal, a plain constant of 16 bits, and an offset that
/// shows a sign if its highest bit is set.
fn has_sign(inst: &Inst, field: Field) -> bool {
    let shows_sign = |inst: Inst| [" -0x", ":-", "+-"].iter().any(|sign| inst.to_string().contains(sign));
    match field {
        Field::Literal => true,
        Field::Simm16 => {
            let is_plain = |o: Operand| matches!(o.value, Value::Imm(_) | Value::Label(_));
            let operand = inst.operands().find(|o| o.role == Some(field));
            let has_parts = [
                "s_waitcnt",
                "s_waitcnt_depctr",
                "s_wait_alu",
                "s_sendmsg",
                "s_sendmsghalt",
                "s_getreg_b32",
                "s_getreg_regrd_b32",
                "s_setreg_b32",
                "s_setreg_imm32_b32",
                "s_set_gpr_idx_mode",
                "s_delay_alu",
                "s_version",
                "s_endpgm",
                "s_wait_event",
            ];
            let name = inst.opcode().name();
            let is_unsigned = name.starts_with("s_cmpk_") && name.ends_with("_u32");
            operand.is_some_and(is_plain) && !has_parts.contains(&name) && !is_unsigned
        }
        // Some forms have a register in the bits of the field, and the offsets of GCN 1.2 have no sign.
        Field::Offset if inst.format() == Format::Smem => {
            let has_offset = inst.operands().any(|o| matches!(o.role, Some(Field::Offset | Field::Soffset)));
            let has_number = inst.get(Field::Imm) != Some(0);
            has_offset && has_number && !inst.target().processor().starts_with("gfx8")
        }
        Field::Offset => {
            let info = inst.fields().filter(|held| held.info.field == field).last().expect("it has the field").info;
            inst.with(field, 1 << (info.width + info.hi_width - 1)).is_ok_and(shows_sign)
        }
        _ => false,
    }
}

/// Whether the field is a constant that has no sign of its own: its text is never negative, and it is not a distance.
fn is_bits(inst: &Inst, field: Field) -> bool {
    let operand = inst.operands().find(|operand| operand.role == Some(field));
    let is_constant = field == Field::Simm16 && operand.is_some_and(|o| matches!(o.value, Value::Imm(_)));
    let most = inst.with(field, 0xffff).map_or(String::new(), |inst| inst.to_string());
    is_constant && !most.contains(" -0x")
}

/// Values to try for a field: all of them, or the first, the last and some.
fn values(width: u8, all: bool, rng: &mut Rng) -> Vec<u32> {
    if width <= if all { 9 } else { 3 } {
        return (0..1 << width).collect();
    }
    let max = ((1u64 << width) - 1) as u32;
    let mut values = vec![0, 1, 127.min(max), 255.min(max), 249.min(max), max / 2, max / 2 + 1, max - 1, max];
    values.extend((0..8).map(|_| rng.word() & max));
    values
}

#[test]
fn a_field_holds_what_was_asked_or_nothing_changes() {
    let (mut done, mut refused) = (0u64, 0u64);
    let mut last = None;
    each(|inst, rng| {
        let first_of_kind = last != Some((inst.target(), inst.opcode(), inst.format()));
        last = Some((inst.target(), inst.opcode(), inst.format()));
        let fields: Vec<HeldField> = inst.fields().collect();
        for &HeldField { first_bit: first, info, value: held, .. } in &fields {
            // A field of the trailing dword can hide one of the base words.
            let hidden = fields.iter().any(|other| other.info.field == info.field && other.first_bit > first);
            let width = info.width + info.hi_width;
            if info.fixed.is_some() || info.field == Field::Reserved {
                let settable = |f: &FieldInfo| f.fixed.is_none() && f.field != Field::Reserved;
                let other = fields.iter().any(|held| held.info.field == info.field && settable(held.info));
                if !other {
                    assert_eq!(inst.with(info.field, 0), Err(PatchError::NoField(info.field)), "{inst:?}");
                }
                continue;
            }
            if hidden {
                continue;
            }
            for value in values(width, first_of_kind, rng) {
                let mut words = inst.words().to_vec();
                let moved = moved(info, first);
                words::set(&mut words, &moved, value);
                let model = decode_words(inst.target(), &words).ok().filter(|there| {
                    let same = (there.format(), there.extension()) == (inst.format(), inst.extension());
                    let opcode = there.opcode() == inst.opcode() || info.field == Field::Op;
                    same && there.len() == inst.len() && (opcode || inst.second_opcode().is_some())
                });
                let got = changed(inst, |i| i.set(info.field, value), |i| i.set(info.field, value));
                match (model, got) {
                    (Some(model), Ok(got)) => {
                        assert_eq!(got, model, "{inst:?}: {} = {value}", info.field);
                        assert_eq!(got.get(info.field), Some(value), "{inst:?}: {}", info.field);
                        assert_eq!(got.with(info.field, held), Ok(*inst), "{inst:?}: {} back", info.field);
                        let signed = (value << (32 - width)) as i32 >> (32 - width);
                        let number = if has_sign(&got, info.field) { signed.into() } else { i64::from(value) };
                        if let Ok(number) = i32::try_from(number) {
                            assert_eq!(inst.with_signed(info.field, number), Ok(got), "{inst:?}: {}", info.field);
                        }
                        done += 1;
                    }
                    (None, Err(PatchError::Decode(_) | PatchError::Size { .. } | PatchError::Form { .. })) => {
                        refused += 1;
                    }
                    (model, got) => panic!("{inst:?}: {} = {value}: {got:?}, not {model:?}", info.field),
                }
            }
            if width < 32 {
                // The numbers beyond the least and the greatest one.
                let (least, last) = match has_sign(inst, info.field) {
                    true if is_bits(inst, info.field) => (-1 << (width - 1), (1 << width) - 1),
                    true => (-1 << (width - 1), (1 << (width - 1)) - 1),
                    false => (0, (1 << width) - 1),
                };
                for value in [last + 1, least - 1, i32::MAX, i32::MIN] {
                    let error = FieldError { field: info.field, value: value.into(), width };
                    assert_eq!(inst.with_signed(info.field, value), Err(PatchError::Value(error)), "{inst:?}: {value}");
                }
                let error = inst.with(info.field, 1 << width).unwrap_err();
                let PatchError::Value(error) = error else { panic!("{inst:?}: {}: {error:?}", info.field) };
                assert_eq!((error.field, error.value, error.width), (info.field, 1 << width, width));
            }
        }
    });
    println!("{done} changes, {refused} refusals");
    let targets = Target::ALL.iter().filter(|&&target| !words::is_of_other_size(target)).count() as u64;
    assert!(done > 100_000 * targets && refused > 1_000 * targets);
}

#[test]
fn a_location_is_where_the_field_lies() {
    let mut split = 0;
    each(|inst, rng| {
        let fields: Vec<_> = inst.fields().collect();
        for &HeldField { format, first_bit: first, info, value, .. } in &fields {
            let hidden = fields.iter().any(|other| other.info.field == info.field && other.first_bit > first);
            let Some(at) = inst.locate(info.field).filter(|_| !hidden && info.fixed.is_none()) else { continue };
            for piece in [Some(at.low), at.high].into_iter().flatten() {
                assert!(piece.bit + piece.width <= 32, "{inst:?}: {} crosses a dword", info.field);
            }
            split += u32::from(at.high.is_some());
            assert_eq!(at.width(), info.width + info.hi_width);
            assert_eq!(at.get(inst.words()), Some(value), "{inst:?}: {}", info.field);
            let mut words = inst.words().to_vec();
            let mut model = words.clone();
            let value = (u64::from(rng.word()) & ((1 << at.width()) - 1)) as u32;
            at.put(&mut words, value).expect("it fits");
            let moved = moved(info, first);
            words::set(&mut model, &moved, value);
            assert_eq!(words, model, "{inst:?}: {}", info.field);
            // If there are too few words, none of them changes.
            let highest = at.high.map_or(at.low.dword, |high| high.dword.max(at.low.dword));
            let short = &mut words[..usize::from(highest)];
            assert!(matches!(at.put(short, 0), Err(PatchError::Size { .. })), "{inst:?}: {}", info.field);
            assert_eq!(*short, model[..usize::from(highest)]);
            if first == 0 {
                assert_eq!(Location::of(inst.target(), format, info.field), Some(at), "{inst:?}: {}", info.field);
            }
        }
        assert_eq!(inst.locate(Field::Reserved), None);
    });
    println!("{split} locations in two pieces");
}

/// Operands of all sorts.
fn operands() -> Vec<Value> {
    let registers = [0, 1, 2, 3, 4, 101, 102, 127, 128, 252, 255];
    let of = |make: fn(u8) -> Reg| registers.into_iter().map(move |n| Value::Reg(make(n)));
    let mut all: Vec<Value> = of(Reg::Sgpr).chain(of(|n| Reg::Vgpr(n.into()))).chain(of(Reg::Agpr)).collect();
    all.extend(of(Reg::VgprHigh).chain(of(Reg::Ttmp)));
    all.extend(Special::ALL.iter().map(|special| Value::Reg(Reg::Special(*special))));
    all.extend([Reg::Scc, Reg::Vcc, Reg::Exec, Reg::M0, Reg::Mode, Reg::FlatScratch].map(Value::Reg));
    all.extend((-128..=127).map(Value::Int));
    all.extend(InlineFloat::ALL.iter().map(|float| Value::Float(*float)));
    all.extend([-1, 0, 4, 0x7f, 0x1000, 0xffff, 0x10000, i32::MIN].map(Value::Imm));
    all.extend([-32768, -1, 0, 32767].map(Value::Label));
    all.extend([Value::Literal(0), Value::Literal(0xdead_beef), Value::Off]);
    all
}

#[test]
fn an_operand_reads_back_as_asked_or_nothing_changes() {
    let all = operands();
    let (mut done, mut refused) = (0u64, 0u64);
    let mut last = None;
    each(|inst, rng| {
        let before: Vec<_> = inst.operands().collect();
        // All operands for the first instruction of each encoding, some for the others.
        let this = Some((inst.target(), inst.opcode(), inst.format()));
        let step = if last == this { 7 } else { 1 };
        last = this;
        for role in before.iter().filter_map(|operand| operand.role) {
            for &value in all.iter().skip(rng.below(step)).step_by(step) {
                let got = changed(inst, |i| i.set_operand(role, value), |i| i.set_operand(role, value));
                let Ok(got) = got else {
                    refused += 1;
                    continue;
                };
                done += 1;
                let after: Vec<_> = got.operands().collect();
                assert_eq!(after.len(), before.len(), "{inst:?}: {role} = {value:?}: {got:?}");
                for (old, new) in before.iter().zip(&after) {
                    let wanted = if old.role == Some(role) { value } else { old.value };
                    assert_eq!((new.role, new.value), (old.role, wanted), "{inst:?}: {role} = {value:?}: {got:?}");
                }
            }
        }
        assert_eq!(inst.with_operand(Field::Reserved, Value::Int(0)), Err(PatchError::NoField(Field::Reserved)));
    });
    println!("{done} changes, {refused} refusals");
    let targets = Target::ALL.iter().filter(|&&target| !words::is_of_other_size(target)).count() as u64;
    assert!(done > 10_000 * targets && refused > 100_000);
}

/// An operand is not refused if some value of the field gives that operand and changes nothing else.
#[test]
fn every_operand_that_a_field_can_hold_can_be_set() {
    let mut held = 0u64;
    let mut missing: BTreeMap<String, (u32, String)> = BTreeMap::new();
    let mut last = None;
    each(|inst, rng| {
        let before: Vec<_> = inst.operands().collect();
        let this = Some((inst.target(), inst.opcode(), inst.format()));
        let first = last != this;
        last = this;
        for role in before.iter().filter_map(|operand| operand.role) {
            let Some(at) = inst.locate(role) else { continue };
            for value in values(at.width(), first, rng) {
                let Ok(other) = inst.with(role, value) else { continue };
                let after: Vec<_> = other.operands().collect();
                let only = before.len() == after.len()
                    && before
                        .iter()
                        .zip(&after)
                        .all(|(a, b)| a.role == b.role && a.access == b.access && (a.role == Some(role) || a == b));
                let Some(operand) = after.iter().find(|operand| operand.role == Some(role)).filter(|_| only) else {
                    continue;
                };
                held += 1;
                match inst.with_operand(role, operand.value) {
                    Ok(got) => assert_eq!(got.operands().collect::<Vec<_>>(), after, "{inst:?}: {role}"),
                    Err(PatchError::Rule(RuleError::MisalignedScalar { .. } | RuleError::MisalignedVector { .. })) => {
                        assert!(other.check().is_err(), "{inst:?}: {role}: {other:?} is aligned");
                    }
                    Err(error) => {
                        let kind = format!("{} {role} {error:?}", inst.format());
                        let entry = missing.entry(kind).or_insert((0, format!("{inst:?} -> {other:?}")));
                        entry.0 += 1;
                    }
                }
            }
        }
    });
    println!("{held} operands that a field can hold");
    assert!(missing.is_empty(), "{missing:#?}");
    assert!(held > 50_000);
}

#[test]
fn another_operation_keeps_all_other_bits() {
    let (mut done, mut refused) = (0u64, 0u64);
    let mut of_format: BTreeMap<(Target, Format), Vec<Opcode>> = BTreeMap::new();
    for &target in Target::ALL {
        for (format, _, opcode) in encodings(target) {
            of_format.entry((target, format)).or_default().push(opcode);
        }
    }
    let mut last = None;
    each(|inst, rng| {
        // One instruction of each encoding is tried.
        let this = Some((inst.target(), inst.opcode(), inst.format()));
        if last == this || inst.second_opcode().is_some() {
            return;
        }
        last = this;
        let Some(at) = inst.locate(Field::Op) else { return };
        let there = &of_format[&(inst.target(), inst.format())];
        for _ in 0..16 {
            let opcode = rng.pick(there);
            match changed(inst, |i| i.set_opcode(opcode), |i| i.set_opcode(opcode)) {
                Ok(got) => {
                    assert_eq!(got.opcode(), opcode, "{inst:?}");
                    let mut words = inst.words().to_vec();
                    at.put(&mut words, got.get(Field::Op).expect("it has one")).expect("it fits");
                    assert_eq!(got.words(), words, "{inst:?}: {got:?}");
                    done += 1;
                }
                Err(error) => {
                    // The operation cannot be set if none of its opcodes makes an instruction of the same form.
                    let numbers = opcode.encodings(inst.target()).filter(|e| e.format == inst.format());
                    for Encoding { number, .. } in numbers {
                        let mut words = inst.words().to_vec();
                        at.put(&mut words, number.into()).expect("it fits");
                        let same = decode_words(inst.target(), &words).is_ok_and(|x| {
                            let form = (x.format(), x.extension()) == (inst.format(), inst.extension());
                            form && x.len() == inst.len() && x.opcode() == opcode
                        });
                        assert!(!same, "{inst:?}: {opcode:?}: {error:?}");
                    }
                    refused += 1;
                }
            }
        }
        let elsewhere = Opcode::ALL.iter().find(|op| op.encodings(inst.target()).all(|e| e.format != inst.format()));
        if let Some(&opcode) = elsewhere {
            assert_eq!(inst.with_opcode(opcode), Err(PatchError::Opcode(opcode)), "{inst:?}");
        }
    });
    println!("{done} changes, {refused} refusals");
    assert!(done > 1_000);
}

#[test]
fn a_branch_goes_where_it_was_sent() {
    let (mut branches, mut others) = (0, 0);
    each(|inst, rng| {
        if inst.branch_target(0).is_none() {
            others += 1;
            assert_eq!(inst.with_branch_target(0, 0), Err(PatchError::NotABranch(inst.opcode())));
            return;
        }
        // The distance of a jump by bytes is as wide as its constant; a later test checks these jumps.
        if inst.address_step() == Some(AddressStep::Jump) {
            return;
        }
        for _ in 0..100 {
            branches += 1;
            let pc = rng.number() & !3;
            let next = pc.wrapping_add(inst.len() as u64);
            let any = i64::from(rng.word() as i16);
            let distance = rng.pick(&[-32768, -32769, 32767, 32768, 0, -1, 1, any]) * 4;
            let to = next.wrapping_add(distance as u64);
            let got = changed(inst, |i| i.set_branch_target(pc, to), |i| i.set_branch_target(pc, to));
            match i16::try_from(distance / 4) {
                Ok(_) => assert_eq!(got.expect("it reaches").branch_target(pc), Some(to), "{inst:?}"),
                Err(_) => assert_eq!(got, Err(PatchError::Distance(distance)), "{inst:?}"),
            }
            let odd = to.wrapping_add(rng.pick(&[1, 2, 3]));
            assert!(matches!(inst.with_branch_target(pc, odd), Err(PatchError::Distance(_))), "{inst:?}");
        }
    });
    assert!(branches >= 100 && others > 100);
}

/// An inline constant, a literal and a literal of 64 bits are three kinds of distances. Each stays of its kind, and
/// accepts the values that fit.
#[test]
fn a_jump_by_bytes_goes_where_it_was_sent() {
    let jumps = |target: &Target| decode_words(*target, &[0xbe80_4b94, 0, 0]).is_ok_and(|inst| inst.len() == 4);
    for target in Target::ALL.iter().copied().filter(jumps) {
        let jump = |words: &[u32]| decode_words(target, words).unwrap();
        let (int, literal, long) = (jump(&[0xbe80_4b94]), jump(&[0xbe80_4bff, 400]), jump(&[0xbe80_4bfe, 400, 0]));
        assert_eq!([int, literal, long].map(|inst| inst.address_step()), [Some(AddressStep::Jump); 3]);
        assert_eq!([int, literal, long].map(|inst| inst.branch_target(0x1000)), [0x1018, 0x1198, 0x119c].map(Some));
        assert_eq!(jump(&[0xbe80_4b04]).branch_target(0x1000), None, "a register");
        for (inst, most, least) in [(int, 64, -16), (literal, 0x7fff_fffc, 0), (long, i64::MAX & !3, i64::MIN)] {
            let pc = 0x7000_0000_1000u64;
            let sent = |distance: i64| {
                let to = pc.wrapping_add(inst.len() as u64).wrapping_add_signed(distance);
                (inst.with_branch_target(pc, to).map(|there| (there.branch_target(pc), there.len())), to)
            };
            for distance in [most, least, 0, 16] {
                let (there, to) = sent(distance);
                assert_eq!(there, Ok((Some(to), inst.len())), "{inst:?} {distance}");
            }
            for distance in [most.wrapping_add(4), least.wrapping_sub(4)].into_iter().filter(|_| inst.len() < 12) {
                assert_eq!(sent(distance).0, Err(PatchError::Distance(distance)), "{inst:?}");
            }
            assert_eq!(sent(2).0, Err(PatchError::Distance(2)), "{inst:?}");
        }
        // The branch target is unknown: the constant could be extended with zeros or with its sign.
        let signed = jump(&[0xbe80_4bff, 0x8000_0000]);
        assert_eq!((signed.branch_target(0), signed.with_branch_target(0, 8).is_err()), (None, true));
    }
}

#[test]
fn constants_with_parts_are_put_together_again() {
    let mut seen = 0;
    each(|inst, rng| {
        let Some(imm) = inst.imm() else { return };
        let value = rng.word() as u16;
        let Ok(other) = inst.with(Field::Simm16, value.into()) else { return };
        seen += 1;
        let there = other.imm().expect("it is the same operation");
        assert_eq!(changed(inst, |i| i.set_imm(there), |i| i.set_imm(there)), Ok(other));
        // A constant of another kind.
        let wrong = Imm::GprIdx(Default::default());
        if !matches!(imm, Imm::GprIdx(_)) {
            assert_eq!(inst.with_imm(wrong), Err(PatchError::NoField(Field::Simm16)));
        }
    });
    assert!(seen > 0);
}

#[test]
fn the_walk_is_the_decoders() {
    let mut rng = Rng(3);
    for &target in Target::ALL {
        let encodings = encodings(target);
        for cut in 0..40 {
            let mut code = Vec::new();
            for _ in 0..50 {
                let encoding = rng.pick(&encodings);
                code.extend(bytes(words::legal(target, encoding, 1, &mut rng)[0].words()));
                if rng.below(8) == 0 {
                    code.extend(rng.word().to_le_bytes());
                }
            }
            code.truncate(code.len() - cut % 8);
            let wanted: Vec<_> = amdgpu_isa::Decoder::new(target, &code).collect();
            let mut copy = code.clone();
            let plain = |d: Decoded<InstMut<'_, _>>| Decoded { offset: d.offset, inst: d.inst.map(|inst| *inst) };
            let walked: Vec<_> = DecoderMut::new(target, &mut copy[..]).map(plain).collect();
            assert_eq!(walked, wanted, "{target}");
            assert_eq!(copy, code);

            let mut dwords: Vec<u32> =
                code.chunks_exact(4).map(|c| u32::from_le_bytes(c.try_into().expect("4 bytes"))).collect();
            let whole = bytes(&dwords);
            let wanted: Vec<_> = amdgpu_isa::Decoder::new(target, &whole).collect();
            let walk = DecoderMut::new(target, &mut dwords[..]);
            let plain = |d: Decoded<InstMut<'_, _>>| Decoded { offset: d.offset, inst: d.inst.map(|inst| *inst) };
            assert_eq!(walk.map(plain).collect::<Vec<_>>(), wanted, "{target}");
            assert!(WordDecoder::new(target, &dwords).eq(wanted), "{target}");
        }
    }
}

/// Changes during an iteration over the instructions happen in place.
#[test]
fn a_walk_changes_what_it_meets() {
    for &target in Target::ALL {
        let Encoding { format, number, .. } = Opcode::SSleep.encodings(target).next().expect("every target sleeps");
        let base = words::layout(target, format);
        let mut words = [0u32];
        for info in base.fields {
            let value = info.fixed.map_or(if info.field == Field::Op { number.into() } else { 7 }, u32::from);
            words::set(&mut words, info, value);
        }
        let mut code = bytes(&words.repeat(5));
        for Decoded { inst, .. } in DecoderMut::new(target, &mut code[..]) {
            inst.expect("it sleeps").set(Field::Simm16, 3).expect("it fits");
        }
        for chunk in code.chunks(4) {
            assert_eq!(amdgpu_isa::decode(target, chunk).expect("it sleeps").get(Field::Simm16), Some(3));
        }
    }
}
