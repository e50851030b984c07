//! Edits of any code in place: each is refused and changes nothing, or only the named field changes, to the requested
//! value, and the code decodes again. Trampolines only change the displaced instructions.
#![no_main]

mod input;

use amdgpu_isa::asm::Far;
use amdgpu_isa::imm::{Imm, Waitcnt};
use amdgpu_isa::operands::{InlineFloat, Special};
use amdgpu_isa::patch::{InstMut, Location, PatchError, Trampoline};
use amdgpu_isa::{Decoded, Decoder, Field, Inst, Opcode, Reg, Target, Value, decode};
use libfuzzer_sys::fuzz_target;

/// Bytes at the end of an input that select the edit of the code before them.
const EDIT: usize = 16;

fuzz_target!(|data: &[u8]| {
    let Some((target, _, rest)) = input::split(data) else { return };
    let Some((code, edit)) = rest.split_last_chunk::<EDIT>() else { return };
    let insts: Vec<(usize, Inst)> = Decoder::new(target, code)
        .filter_map(|Decoded { offset: at, inst: item }| item.ok().map(|inst| (at, inst)))
        .collect();
    let number = u32::from_le_bytes([edit[4], edit[5], edit[6], edit[7]]);
    let address = u64::from_le_bytes([edit[8], edit[9], edit[10], edit[11], edit[12], edit[13], edit[14], edit[15]]);
    if insts.is_empty() {
        return;
    }
    let (at, inst) = insts[usize::from(edit[0]) % insts.len()];
    let fields: Vec<Field> = inst.fields().map(|held| held.info.field).chain([Field::Literal]).collect();
    let field = fields[usize::from(edit[1]) % fields.len()];
    match edit[2] % 9 {
        0 => {
            let done = change(target, code, at, |i| i.set(field, number));
            named_field(&inst, done, field, Some(number));
        }
        1 => {
            let done = change(target, code, at, |i| i.set_signed(field, number as i32));
            named_field(&inst, done, field, None);
        }
        2 => {
            let done = change(target, code, at, |i| i.set_literal(number));
            named_field(&inst, done, Field::Literal, Some(number));
        }
        3 => operand(target, code, at, &inst, field, value(edit[3], number)),
        4 => {
            let done = change(target, code, at, |i| i.set_branch_target(address, address.wrapping_add(number.into())));
            let label = |i: &Inst| i.operands().find(|o| matches!(o.value, Value::Label(_))).and_then(|o| o.role);
            if let Some(there) = done {
                assert_eq!(there.branch_target(address), Some(address.wrapping_add(number.into())), "{inst:?}");
                named_field(&inst, Some(there), label(&inst).expect("it is a branch"), None);
            }
        }
        5 => {
            let opcode = Opcode::ALL[number as usize % Opcode::ALL.len()];
            let done = change(target, code, at, |i| i.set_opcode(opcode));
            assert!(done.is_none_or(|there| there.opcode() == opcode));
            named_field(&inst, done, Field::Op, None);
        }
        6 => {
            let imm = Imm::Waitcnt(Waitcnt::decode(target, number as u16));
            let done = change(target, code, at, |i| i.set_imm(imm));
            assert!(done.is_none_or(|there| there.imm() == Some(imm)), "{inst:?}");
            named_field(&inst, done, Field::Simm16, None);
        }
        7 => located(&inst, field, number),
        _ => trampoline(target, code, at as u64, number, address, edit[3]),
    }
});

/// Applies the edit to bytes and to dwords; returns the new instruction, or `None` if the edit was refused.
fn change(
    target: Target,
    code: &[u8],
    at: usize,
    edit: impl Fn(&mut dyn Edit) -> Result<(), PatchError>,
) -> Option<Inst> {
    let mut bytes = code.to_vec();
    let mut patched = InstMut::new(target, &mut bytes[at..]).expect("it was decoded");
    let before = *patched;
    let result = edit(&mut patched);
    let seen = *patched;
    let end = at + before.len();
    assert!(bytes[..at] == code[..at] && bytes[end..] == code[end..], "{before:?}: others are changed");
    // The memory agrees with the returned instruction.
    assert_eq!(decode(target, &bytes[at..]), Ok(seen), "{before:?}");
    assert_eq!(seen.len(), before.len());
    let mut words = before.words().to_vec();
    let mut patched = InstMut::new(target, &mut words[..]).expect("it was decoded");
    assert_eq!(edit(&mut patched), result);
    assert_eq!(words, seen.words());
    match result {
        Ok(()) => Some(seen),
        Err(_) => {
            assert_eq!(bytes, code, "{before:?}: refused, and changed");
            None
        }
    }
}

/// An `InstMut` of bytes or of dwords.
trait Edit {
    fn set(&mut self, field: Field, value: u32) -> Result<(), PatchError>;
    fn set_signed(&mut self, field: Field, value: i32) -> Result<(), PatchError>;
    fn set_literal(&mut self, literal: u32) -> Result<(), PatchError>;
    fn set_operand(&mut self, field: Field, value: Value) -> Result<(), PatchError>;
    fn set_branch_target(&mut self, pc: u64, to: u64) -> Result<(), PatchError>;
    fn set_opcode(&mut self, opcode: Opcode) -> Result<(), PatchError>;
    fn set_imm(&mut self, imm: Imm) -> Result<(), PatchError>;
}

macro_rules! edits {
    ($($memory:ty)*) => {
        $(impl Edit for InstMut<'_, $memory> {
            fn set(&mut self, field: Field, value: u32) -> Result<(), PatchError> {
                self.set(field, value)
            }
            fn set_signed(&mut self, field: Field, value: i32) -> Result<(), PatchError> {
                self.set_signed(field, value)
            }
            fn set_literal(&mut self, literal: u32) -> Result<(), PatchError> {
                self.set_literal(literal)
            }
            fn set_operand(&mut self, field: Field, value: Value) -> Result<(), PatchError> {
                self.set_operand(field, value)
            }
            fn set_branch_target(&mut self, pc: u64, to: u64) -> Result<(), PatchError> {
                self.set_branch_target(pc, to)
            }
            fn set_opcode(&mut self, opcode: Opcode) -> Result<(), PatchError> {
                self.set_opcode(opcode)
            }
            fn set_imm(&mut self, imm: Imm) -> Result<(), PatchError> {
                self.set_imm(imm)
            }
        })*
    };
}
edits! { [u8] [u32] }

/// Checks that only the bits of the field have changed, to the requested value.
fn named_field(before: &Inst, after: Option<Inst>, field: Field, value: Option<u32>) {
    let Some(after) = after else { return };
    let place = before.locate(field).expect("it was changed");
    assert!(value.is_none_or(|value| after.get(field) == Some(value)), "{before:?}: {field}");
    only_there(before.words(), after.words(), place);
}

fn only_there(before: &[u32], after: &[u32], place: Location) {
    let mut cleared = [before.to_vec(), after.to_vec()];
    for words in &mut cleared {
        place.put(words, 0).expect("it lies in them");
    }
    assert_eq!(cleared[0], cleared[1], "{before:08x?} to {after:08x?}, and not only at {place:?}");
}

fn located(inst: &Inst, field: Field, number: u32) {
    let Some(place) = inst.locate(field) else { return };
    let mut words = inst.words().to_vec();
    match place.put(&mut words, number) {
        Ok(()) => {
            assert_eq!(place.get(&words), Some(number));
            only_there(inst.words(), &words, place);
        }
        Err(_) => assert!(u64::from(number) >> place.width() != 0 && words == inst.words()),
    }
}

fn value(kind: u8, number: u32) -> Value {
    let n = number as u8;
    match kind % 11 {
        0 => Value::Reg(Reg::Sgpr(n)),
        1 => Value::Reg(Reg::Vgpr(n.into())),
        2 => Value::Reg(Reg::Agpr(n)),
        3 => Value::Reg(Reg::Ttmp(n)),
        4 => Value::Reg(Reg::Special(Special::ALL[usize::from(n) % Special::ALL.len()])),
        5 => Value::Int(n as i8),
        6 => Value::Float(InlineFloat::ALL[usize::from(n) % InlineFloat::ALL.len()]),
        7 => Value::Literal(number),
        8 => Value::Imm(number as i32),
        9 => Value::Label(number as i16),
        _ => Value::Off,
    }
}

/// Checks that the operand has the requested value, and that the other operands are unchanged.
fn operand(target: Target, code: &[u8], at: usize, inst: &Inst, field: Field, value: Value) {
    let Some(there) = change(target, code, at, |i| i.set_operand(field, value)) else { return };
    assert!(there.operands().any(|o| o.role == Some(field) && o.value == value), "{inst:?}: {field} = {value:?}");
    assert_eq!(inst.operands().count(), there.operands().count(), "{inst:?}");
    for (old, new) in inst.operands().zip(there.operands()) {
        let named = old.role == Some(field);
        assert!(named || (old.role, old.value) == (new.role, new.value), "{inst:?}: {field} = {value:?} to {there:?}");
    }
}

fn trampoline(target: Target, code: &[u8], at: u64, number: u32, address: u64, far: u8) {
    let base = address & !3;
    let pair = far & 0x7e;
    let far = (far & 1 == 1).then_some(Far { pair, scc: (far & 2 == 2).then_some(pair ^ 64) });
    let area = base.wrapping_add((number as i32 as i64 as u64) & !3);
    let hook = base.wrapping_add(at);
    let mut there = code.to_vec();
    let mut room = [0u8; 512];
    let done = Trampoline { target, hook, area, far }.install(&mut there[..], base, &[0xbf80_0000], &mut room);
    let Ok(done) = done else {
        assert_eq!(there, code, "refused, and changed");
        return;
    };
    let (from, to) = (at as usize, at as usize + done.displaced);
    assert!(there[..from] == code[..from] && there[to..] == code[to..], "others are changed");
    assert!(done.len <= room.len() && done.copy == area.wrapping_add(4));
    for Decoded { inst: item, .. } in
        Decoder::new(target, &there[from..to]).chain(Decoder::new(target, &room[..done.len]))
    {
        item.expect("all of it is instructions");
    }
}
