//! The C interface: cbindgen generates `include/amdgpu_isa.h` from this file and those in `capi`.
//!
//! ```sh
//! cargo rustc --release --features capi,all-targets --crate-type staticlib   # libamdgpu_isa.a
//! ```
//!
//! Nothing is allocated, there is no global state, and no pointer of the caller is kept: every function may be called
//! from every thread. Targets are given by their EF_AMDGPU_MACH number in the ELF header, such as 0x4c for gfx942;
//! fields by the number that `amdgpu_isa_field` returns. Lengths are in bytes.
//!
//! A pointer may be null if its length is 0, and where the function says so. In general, a pointer with a length must
//! point to that many readable (or writable) elements, and any other pointer to one element.
#![allow(non_camel_case_types)]

mod facts;
mod make;
mod memory;

pub use facts::*;
pub use make::*;
use memory::{give, print, room_of, slice, slice_mut, text};

use core::ffi::c_char;

use crate::decode::{decode, decode_words};
use crate::error::DecodeError;
use crate::inst::Inst;
use crate::opcode::{Field, Opcode, Special};
use crate::patch::{InstMut, PatchError};
use crate::processor::Processor;
use crate::table::Filler;
use crate::target::Target;
use crate::value::{Access, Reg, Value};

/// The result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum amdgpu_isa_status {
    /// Success.
    Ok,
    /// The library was built without this target, or the number is not a target.
    UnknownTarget,
    /// The bytes end before the instruction does.
    Truncated,
    /// The bytes are not an instruction.
    NoInstruction,
    /// The instruction has no such field or branch target, or there is no such operation or filler.
    Missing,
    /// The text is not an instruction, the instruction cannot be replaced, or the value does not fit, is reserved, or
    /// would change the instruction's length or form.
    Refused,
}

/// An instruction with its target. `amdgpu_isa_decode` and `amdgpu_isa_parse` make it. Every function decodes it again,
/// so any contents are safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct amdgpu_isa_inst {
    /// The dwords, base word first; zeros after `len` bytes.
    pub words: [u32; 5],
    /// The length in bytes: 4 to 20.
    pub len: u32,
    /// The target, as `amdgpu_isa_target` returns it: `EF_AMDGPU_MACH` of the ELF header, and in the second byte the
    /// lanes of a wave, 0 for the processor's default.
    pub target: u32,
}

/// The kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum amdgpu_isa_kind {
    /// Scalar registers; the value is the number of the first one.
    Sgpr,
    /// Vector registers.
    Vgpr,
    /// The upper half of a vector register.
    VgprHigh,
    /// Accumulation registers.
    Agpr,
    /// Trap handler temporaries.
    Ttmp,
    /// Another scalar register, by the number that `amdgpu_isa_special` returns: vcc_lo, exec_lo, m0, ...
    Special,
    /// A register that no field names: 0 scc, 1 vcc, 2 exec, 3 m0, 4 mode, 5 flat_scratch, 6 xnack_mask, 7 trapsts.
    Implicit,
    /// An inline integer.
    Int,
    /// An inline floating-point constant: the bits of its value as a `double`.
    Float,
    /// A literal: its 32 bits as an unsigned number, or its 64 bits.
    Literal,
    /// A constant in the instruction.
    Imm,
    /// A branch distance in dwords, from the next instruction.
    Label,
    /// No register.
    Off,
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct amdgpu_isa_operand {
    /// The kind of the operand.
    pub kind: amdgpu_isa_kind,
    /// The number of the first register, or the constant.
    pub value: i64,
    /// The field that names the operand, or -1.
    pub field: i32,
    /// The width in bits.
    pub bits: u32,
    /// Whether the instruction reads the operand.
    pub is_read: bool,
    /// Whether the instruction writes the operand.
    pub is_written: bool,
}

/// A run of bits in one dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct amdgpu_isa_piece {
    /// The dword, counted from the first.
    pub dword: u32,
    /// The lowest bit.
    pub bit: u32,
    /// The number of bits.
    pub width: u32,
}

/// The number of a target in the C interface: its number in the ELF header, with the lanes of a wave in the second byte
/// if they are not the processor's default.
pub fn number_of(target: Target) -> u32 {
    let is_default = Target::from_e_flags(target.mach()) == Some(target);
    target.mach() | if is_default { 0 } else { u32::from(target.wave_size()) << 8 }
}

/// The target with this number in the C interface; `None` if there is none.
pub fn target_of(number: u32) -> Option<Target> {
    let target = Target::from_e_flags(number & 0xff)?;
    match u16::try_from(number >> 8).ok()? {
        0 => Some(target),
        lanes => target.with_wave_size(lanes).filter(|&other| other != target),
    }
}

/// The usual filler of the processor with this number.
fn filler_of(number: u32) -> Option<Filler> {
    Processor::from_e_flags(number & 0xff).map(Processor::filler)
}

/// # Safety
/// `inst` is null or an instruction.
unsafe fn inst_of(inst: *const amdgpu_isa_inst) -> Option<Inst> {
    // SAFETY: the caller's promise.
    let inst = unsafe { inst.as_ref() }?;
    let words = inst.words.get(..inst.len as usize / 4)?;
    decode_words(target_of(inst.target)?, words).ok()
}

fn inst_to(inst: &Inst) -> amdgpu_isa_inst {
    let mut words = [0; 5];
    words.iter_mut().zip(inst.words()).for_each(|(to, &from)| *to = from);
    amdgpu_isa_inst { words, len: inst.len() as u32, target: number_of(inst.target()) }
}

fn field_of(number: i32) -> Option<Field> {
    usize::try_from(number).ok().and_then(|n| Field::ALL.get(n).copied())
}

fn status(error: DecodeError) -> amdgpu_isa_status {
    match error {
        DecodeError::Truncated { .. } => amdgpu_isa_status::Truncated,
        _ => amdgpu_isa_status::NoInstruction,
    }
}

/// The number of the target with this name ("gfx942", "mi300x", "gfx1100:wave64", ...), or 0.
///
/// # Safety
/// `name` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_target(name: *const c_char) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { text(name) }.parse().map_or(0, number_of)
}

/// The number of the field with this name ("simm16", "vdst", ...), or -1. Numbers may change with the version of the
/// library.
///
/// # Safety
/// `name` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_field(name: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    Field::ALL.iter().position(|field| field.name() == name).map_or(-1, |n| n as i32)
}

/// The number of the special register with this name ("vcc_lo", "m0", ...), or -1. The number is the same on every
/// target, but may change with the version of the library.
///
/// # Safety
/// `name` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_special(name: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    Special::ALL.iter().position(|special| special.name() == name).map_or(-1, |n| n as i32)
}

/// The length in bytes of the instruction that begins with these bytes, which are not checked; 0 if the length is
/// unknown.
///
/// # Safety
/// `bytes` has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_length(target: u32, bytes: *const u8, len: usize) -> usize {
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice(bytes, len) };
    target_of(target).and_then(|target| crate::length::length(target, bytes)).unwrap_or(0)
}

/// Decodes the first instruction in the bytes, which are little-endian dwords.
///
/// # Safety
/// `bytes` has `len` readable bytes; `inst` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_decode(
    target: u32,
    bytes: *const u8,
    len: usize,
    inst: *mut amdgpu_isa_inst,
) -> amdgpu_isa_status {
    let Some(target) = target_of(target) else { return amdgpu_isa_status::UnknownTarget };
    // SAFETY: the caller's promise.
    match decode(target, unsafe { slice(bytes, len) }) {
        Ok(decoded) => {
            // SAFETY: the caller's promise.
            unsafe { give(inst, inst_to(&decoded)) };
            amdgpu_isa_status::Ok
        }
        Err(error) => status(error),
    }
}

/// Writes the reason why the bytes are not an instruction, like `amdgpu_isa_text`. Writes an empty text if they are an
/// instruction.
///
/// # Safety
/// `bytes` has `len` readable bytes, `out` `room` writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_why(
    target: u32,
    bytes: *const u8,
    len: usize,
    out: *mut c_char,
    room: usize,
) -> usize {
    let error = match target_of(target) {
        // SAFETY: the caller's promise.
        Some(target) => decode(target, unsafe { slice(bytes, len) }).err(),
        // SAFETY: the caller's promise.
        None => return unsafe { print(out, room, format_args!("{}", crate::target::UnknownTarget)) },
    };
    match error {
        // SAFETY: the caller's promise.
        Some(error) => unsafe { print(out, room, format_args!("{error}")) },
        // SAFETY: the caller's promise.
        None => unsafe { print(out, room, format_args!("")) },
    }
}

/// Writes the instruction's bytes and returns their number; 0 if there is no room, or `inst` is not an instruction.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_encode(inst: *const amdgpu_isa_inst, out: *mut u8, room: usize) -> usize {
    // SAFETY: the caller's promise.
    let (inst, out) = unsafe { (inst_of(inst), room_of(out, room)) };
    let mut bytes = [0; 20];
    let len = inst.and_then(|inst| inst.encode(&mut bytes).ok()).filter(|&len| len <= out.len()).unwrap_or(0);
    for (to, &byte) in out.iter_mut().zip(bytes.iter().take(len)) {
        to.write(byte);
    }
    len
}

/// Writes the instruction as LLVM prints it. Like `snprintf`, returns the length without the terminating zero: if that
/// is `room` or more, the text was truncated. Returns 0 if `inst` is not an instruction.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_text(inst: *const amdgpu_isa_inst, out: *mut c_char, room: usize) -> usize {
    // SAFETY: the caller's promise.
    match unsafe { inst_of(inst) } {
        // SAFETY: the caller's promise.
        Some(inst) => unsafe { print(out, room, format_args!("{inst}")) },
        // SAFETY: the caller's promise.
        None => unsafe { print(out, room, format_args!("")) },
    }
}

/// Writes the operation's name, like `amdgpu_isa_text`. The name is the same for all encodings and targets.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_opcode(inst: *const amdgpu_isa_inst, out: *mut c_char, room: usize) -> usize {
    // SAFETY: the caller's promise.
    let name = unsafe { inst_of(inst) }.map_or("", |inst| inst.opcode().name());
    // SAFETY: the caller's promise.
    unsafe { print(out, room, format_args!("{name}")) }
}

/// Writes what the operation computes, like `amdgpu_isa_text`: a formula such as `D.f32 = S0.f32 + S1.f32`, or a
/// sentence in quotes; for a dual instruction, that of the first operation. Returns 0 if `inst` is not an instruction.
///
/// The header declares this function if `AMDGPU_ISA_MEANING` is defined; the library has it with the feature `meaning`.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable bytes.
#[cfg(feature = "meaning")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_meaning(inst: *const amdgpu_isa_inst, out: *mut c_char, room: usize) -> usize {
    // SAFETY: the caller's promise.
    let meaning = unsafe { inst_of(inst) }.and_then(|inst| inst.opcode().meaning(inst.target())).unwrap_or("");
    // SAFETY: the caller's promise.
    unsafe { print(out, room, format_args!("{meaning}")) }
}

/// Writes up to `room` operands: first those in the text, in the order of the text, then the implicit ones. Returns the
/// number of all operands.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_operands(
    inst: *const amdgpu_isa_inst,
    out: *mut amdgpu_isa_operand,
    room: usize,
) -> usize {
    // SAFETY: the caller's promise.
    let (inst, out) = unsafe { (inst_of(inst), room_of(out, room)) };
    let Some(inst) = inst else { return 0 };
    let mut count = 0;
    for operand in inst.operands() {
        if let Some(place) = out.get_mut(count) {
            let (kind, value) = match operand.value {
                Value::Literal64 => (amdgpu_isa_kind::Literal, inst.literal64().unwrap_or(0) as i64),
                value => kind_of(value),
            };
            place.write(amdgpu_isa_operand {
                kind,
                value,
                field: operand.role.map_or(-1, |field| field as i32),
                bits: operand.bits.into(),
                is_read: operand.access != Access::Write,
                is_written: operand.access != Access::Read,
            });
        }
        count += 1;
    }
    count
}

fn kind_of(value: Value) -> (amdgpu_isa_kind, i64) {
    use amdgpu_isa_kind as Kind;
    match value {
        Value::Reg(Reg::Sgpr(n)) => (Kind::Sgpr, n.into()),
        Value::Reg(Reg::Vgpr(n)) => (Kind::Vgpr, n.into()),
        Value::Reg(Reg::VgprHigh(n)) => (Kind::VgprHigh, n.into()),
        Value::Reg(Reg::Agpr(n)) => (Kind::Agpr, n.into()),
        Value::Reg(Reg::Ttmp(n)) => (Kind::Ttmp, n.into()),
        Value::Reg(Reg::Special(special)) => (Kind::Special, special as i64),
        Value::Reg(Reg::Scc) => (Kind::Implicit, 0),
        Value::Reg(Reg::Vcc) => (Kind::Implicit, 1),
        Value::Reg(Reg::Exec) => (Kind::Implicit, 2),
        Value::Reg(Reg::M0) => (Kind::Implicit, 3),
        Value::Reg(Reg::Mode) => (Kind::Implicit, 4),
        Value::Reg(Reg::FlatScratch) => (Kind::Implicit, 5),
        Value::Reg(Reg::XnackMask) => (Kind::Implicit, 6),
        Value::Reg(Reg::TrapStatus) => (Kind::Implicit, 7),
        Value::Int(n) => (Kind::Int, n.into()),
        Value::Float(float) => (Kind::Float, float.to_f64().to_bits() as i64),
        Value::Literal(n) => (Kind::Literal, n.into()),
        // `Literal64` does not hold its value: `amdgpu_isa_operands` takes it from the instruction.
        Value::Literal64 => (Kind::Literal, 0),
        Value::Imm(n) => (Kind::Imm, n.into()),
        Value::Label(n) => (Kind::Label, n.into()),
        Value::Off => (Kind::Off, 0),
    }
}

/// Writes a value, if there is one.
///
/// # Safety
/// `to` is null or writable.
unsafe fn found<T>(value: Option<T>, to: *mut T) -> amdgpu_isa_status {
    let Some(value) = value else { return amdgpu_isa_status::Missing };
    // SAFETY: the caller's promise.
    unsafe { give(to, value) };
    amdgpu_isa_status::Ok
}

/// Writes the target address of a branch at `pc`. The status is AMDGPU_ISA_STATUS_MISSING if `inst` is not a branch.
///
/// # Safety
/// `inst` is null or an instruction; `to` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_branch_target(
    inst: *const amdgpu_isa_inst,
    pc: u64,
    to: *mut u64,
) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    let Some(inst) = (unsafe { inst_of(inst) }) else { return amdgpu_isa_status::NoInstruction };
    // SAFETY: the caller's promise.
    unsafe { found(inst.branch_target(pc), to) }
}

/// Reads a field's value.
///
/// # Safety
/// `inst` is null or an instruction; `value` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_get(
    inst: *const amdgpu_isa_inst,
    field: i32,
    value: *mut u32,
) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    let Some(inst) = (unsafe { inst_of(inst) }) else { return amdgpu_isa_status::NoInstruction };
    // SAFETY: the caller's promise.
    unsafe { found(field_of(field).and_then(|field| inst.get(field)), value) }
}

/// Writes the position of a field: one piece or two, the low one first. Returns the number of pieces, or 0 if the
/// instruction has no such field.
///
/// # Safety
/// `inst` is null or an instruction; `pieces` has two writable elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_locate(
    inst: *const amdgpu_isa_inst,
    field: i32,
    pieces: *mut amdgpu_isa_piece,
) -> usize {
    // SAFETY: the caller's promise.
    let (inst, out) = unsafe { (inst_of(inst), room_of(pieces, 2)) };
    let found = inst.zip(field_of(field)).and_then(|(inst, field)| inst.locate(field));
    let Some(found) = found else { return 0 };
    let all = [Some(found.low), found.high].into_iter().flatten();
    for (to, piece) in out.iter_mut().zip(all.clone()) {
        to.write(amdgpu_isa_piece { dword: piece.dword.into(), bit: piece.bit.into(), width: piece.width.into() });
    }
    all.count()
}

/// # Safety
/// `inst` is null or a writable instruction.
unsafe fn change(inst: *mut amdgpu_isa_inst, to: impl FnOnce(&Inst) -> Result<Inst, PatchError>) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    let Some(old) = (unsafe { inst_of(inst) }) else { return amdgpu_isa_status::NoInstruction };
    match to(&old) {
        Ok(new) => {
            // SAFETY: the caller's promise.
            unsafe { give(inst, inst_to(&new)) };
            amdgpu_isa_status::Ok
        }
        Err(PatchError::NoField(_) | PatchError::NotABranch(_) | PatchError::Opcode(_)) => amdgpu_isa_status::Missing,
        Err(_) => amdgpu_isa_status::Refused,
    }
}

/// Sets a field. If the status is not OK, the instruction stays as it was. `amdgpu_isa_encode` writes the instruction
/// to memory.
///
/// # Safety
/// `inst` is null or a writable instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_set(inst: *mut amdgpu_isa_inst, field: i32, value: u32) -> amdgpu_isa_status {
    let Some(field) = field_of(field) else { return amdgpu_isa_status::Missing };
    // SAFETY: the caller's promise.
    unsafe { change(inst, |inst| inst.with(field, value)) }
}

/// Sets the target of a branch or call at `pc` to the address `to`, like `amdgpu_isa_set`.
///
/// # Safety
/// `inst` is null or a writable instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_set_branch_target(
    inst: *mut amdgpu_isa_inst,
    pc: u64,
    to: u64,
) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    unsafe { change(inst, |inst| inst.with_branch_target(pc, to)) }
}

/// Changes the operation to another of the same format, like `amdgpu_isa_set`. The name is one that `amdgpu_isa_opcode`
/// writes.
///
/// # Safety
/// `inst` is null or a writable instruction; `name` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_set_opcode(inst: *mut amdgpu_isa_inst, name: *const c_char) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    let opcode = Opcode::ALL.iter().find(|opcode| opcode.name() == name);
    let Some(&opcode) = opcode else { return amdgpu_isa_status::Missing };
    // SAFETY: the caller's promise.
    unsafe { change(inst, |inst| inst.with_opcode(opcode)) }
}

/// Sets a field of the first instruction in the bytes, in place. If the status is not OK, the bytes stay as they were.
///
/// # Safety
/// `bytes` has `len` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_patch(
    target: u32,
    bytes: *mut u8,
    len: usize,
    field: i32,
    value: u32,
) -> amdgpu_isa_status {
    let Some(target) = target_of(target) else { return amdgpu_isa_status::UnknownTarget };
    let Some(field) = field_of(field) else { return amdgpu_isa_status::Missing };
    // SAFETY: the caller's promise.
    let bytes = unsafe { slice_mut(bytes, len) };
    match InstMut::new(target, bytes).map(|mut inst| inst.set(field, value)) {
        Ok(Ok(())) => amdgpu_isa_status::Ok,
        Ok(Err(PatchError::NoField(_))) => amdgpu_isa_status::Missing,
        Ok(Err(_)) => amdgpu_isa_status::Refused,
        Err(error) => status(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::InlineFloat;

    /// Test of all kinds and numbers in the header, including those that only some builds use.
    #[test]
    fn every_value_has_its_kind_and_number() {
        use amdgpu_isa_kind as Kind;
        let wanted = [
            (Value::Reg(Reg::Sgpr(101)), Kind::Sgpr, 101),
            (Value::Reg(Reg::Vgpr(255)), Kind::Vgpr, 255),
            (Value::Reg(Reg::VgprHigh(3)), Kind::VgprHigh, 3),
            (Value::Reg(Reg::Agpr(7)), Kind::Agpr, 7),
            (Value::Reg(Reg::Ttmp(15)), Kind::Ttmp, 15),
            (Value::Reg(Reg::Scc), Kind::Implicit, 0),
            (Value::Reg(Reg::Vcc), Kind::Implicit, 1),
            (Value::Reg(Reg::Exec), Kind::Implicit, 2),
            (Value::Reg(Reg::M0), Kind::Implicit, 3),
            (Value::Reg(Reg::Mode), Kind::Implicit, 4),
            (Value::Reg(Reg::FlatScratch), Kind::Implicit, 5),
            (Value::Reg(Reg::XnackMask), Kind::Implicit, 6),
            (Value::Reg(Reg::TrapStatus), Kind::Implicit, 7),
            (Value::Int(-16), Kind::Int, -16),
            (Value::Literal(0xffff_ffff), Kind::Literal, 0xffff_ffff),
            (Value::Imm(-1), Kind::Imm, -1),
            (Value::Label(-32768), Kind::Label, -32768),
            (Value::Off, Kind::Off, 0),
        ];
        for (value, kind, number) in wanted {
            assert_eq!(kind_of(value), (kind, number), "{value:?}");
        }
        let floats = [
            (InlineFloat::Half, 0x3fe0_0000_0000_0000u64),
            (InlineFloat::NegHalf, 0xbfe0_0000_0000_0000),
            (InlineFloat::One, 0x3ff0_0000_0000_0000),
            (InlineFloat::NegOne, 0xbff0_0000_0000_0000),
            (InlineFloat::Two, 0x4000_0000_0000_0000),
            (InlineFloat::NegTwo, 0xc000_0000_0000_0000),
            (InlineFloat::Four, 0x4010_0000_0000_0000),
            (InlineFloat::NegFour, 0xc010_0000_0000_0000),
            (InlineFloat::InvTwoPi, 0x3fc4_5f30_6dc9_c882),
        ];
        assert_eq!(floats.map(|(float, _)| float), InlineFloat::ALL);
        for (float, bits) in floats {
            assert_eq!(kind_of(Value::Float(float)), (Kind::Float, bits as i64), "{float:?}");
        }
        for (n, &special) in Special::ALL.iter().enumerate() {
            assert_eq!(kind_of(Value::Reg(Reg::Special(special))), (Kind::Special, n as i64));
        }
    }
}
