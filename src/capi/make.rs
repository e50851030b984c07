//! Instructions from text and from other instructions, and steps through code, in the C interface.

use core::convert::Infallible;
use core::ffi::c_char;

use crate::decode::{Decoded, Decoder};
use crate::inst::Inst;
use crate::table::Filler;
use crate::text::parse::{ParseError, parse};

use super::{amdgpu_isa_inst, amdgpu_isa_status, filler_of, give, inst_of, inst_to, print, slice, target_of, text};

/// Steps through code: decodes the first instruction in the bytes, and returns the distance to the next one. If the
/// bytes are not an instruction, `inst->len` is 0, and the distance is that to the next dword. Returns 0 at the end,
/// and for an unknown target.
///
/// # Safety
/// `bytes` has `len` readable bytes; `inst` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_next(
    target: u32,
    bytes: *const u8,
    len: usize,
    inst: *mut amdgpu_isa_inst,
) -> usize {
    // SAFETY: the caller's promise.
    let code = target_of(target).map(|target| Decoder::new(target, unsafe { slice(bytes, len) }));
    let Some(Decoded { inst: found, .. }) = code.and_then(|mut code| code.next()) else { return 0 };
    let nothing = amdgpu_isa_inst { words: [0; 5], len: 0, target };
    let (step, found) = match found {
        Ok(found) => (found.len(), inst_to(&found)),
        Err(invalid) => (invalid.len.into(), nothing),
    };
    // SAFETY: the caller's promise.
    unsafe { give(inst, found) };
    step
}

/// Reads an instruction from text, as LLVM writes it. If the status is AMDGPU_ISA_STATUS_REFUSED, `column` is the
/// position of the fault, in bytes from 0; `column` may be null. A branch has its distance instead of a label. Source
/// fields that the operation does not use hold the usual filler of the processor whose number `target` is: see
/// `amdgpu_isa_filler`.
///
/// # Safety
/// `source` is null or ends in a zero; `inst` is writable, and `column` is null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_parse(
    target: u32,
    source: *const c_char,
    inst: *mut amdgpu_isa_inst,
    column: *mut u32,
) -> amdgpu_isa_status {
    let filler = filler_of(target);
    let Some(target) = target_of(target) else { return amdgpu_isa_status::UnknownTarget };
    // SAFETY: the caller's promise.
    match parse(target, unsafe { text(source) }) {
        Ok(parsed) => {
            let filled = filler.map_or(parsed, |filler| parsed.with_filler(filler));
            // SAFETY: the caller's promise.
            unsafe { give(inst, inst_to(&filled)) };
            amdgpu_isa_status::Ok
        }
        Err(error) => {
            // SAFETY: the caller's promise.
            unsafe { give(column, error.span.start) };
            amdgpu_isa_status::Refused
        }
    }
}

/// Writes the reason why a text is refused, like `amdgpu_isa_text`. Writes an empty text if it is accepted.
///
/// # Safety
/// `source` is null or ends in a zero; `out` has `room` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_parse_why(
    target: u32,
    source: *const c_char,
    out: *mut c_char,
    room: usize,
) -> usize {
    let error: Option<ParseError> = match target_of(target) {
        // SAFETY: the caller's promise.
        Some(target) => parse(target, unsafe { text(source) }).err(),
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

/// Writes the name of the filler, the value of source fields that the operation does not use, like `amdgpu_isa_text`:
/// "llvm22" or "llvm23", after the assembler that writes this value. Writes an empty text if the operation uses all
/// source fields of its format, if all assemblers fill the unused ones alike, or if these hold something else.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_filler(inst: *const amdgpu_isa_inst, out: *mut c_char, room: usize) -> usize {
    // SAFETY: the caller's promise.
    let name = unsafe { inst_of(inst) }.and_then(|inst| inst.filler()).map_or("", Filler::name);
    // SAFETY: the caller's promise.
    unsafe { print(out, room, format_args!("{name}")) }
}

/// Gives the instruction the filler with this name: see `amdgpu_isa_filler`. An instruction without a filler stays as
/// it was.
///
/// # Safety
/// `inst` is null or a writable instruction; `filler` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_fill(inst: *mut amdgpu_isa_inst, filler: *const c_char) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    let Some(filler) = Filler::named(unsafe { text(filler) }) else { return amdgpu_isa_status::Missing };
    // SAFETY: the caller's promise.
    unsafe { replace(inst, |inst| Ok::<_, Infallible>(inst.with_filler(filler))) }
}

/// Replaces the instruction by the result of `to`.
///
/// # Safety
/// `inst` is null or a writable instruction.
unsafe fn replace<E>(inst: *mut amdgpu_isa_inst, to: impl FnOnce(&Inst) -> Result<Inst, E>) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    let Some(old) = (unsafe { inst_of(inst) }) else { return amdgpu_isa_status::NoInstruction };
    let Ok(new) = to(&old) else { return amdgpu_isa_status::Refused };
    // SAFETY: the caller's promise.
    unsafe { give(inst, inst_to(&new)) };
    amdgpu_isa_status::Ok
}

/// Replaces the instruction by its shortest encoding with the same meaning. If there is no shorter one, the instruction
/// is refused and stays as it was.
///
/// # Safety
/// `inst` is null or a writable instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_shrink(inst: *mut amdgpu_isa_inst) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    unsafe { replace(inst, Inst::shrink) }
}

/// Replaces the instruction by its encoding of 64 bits with the same meaning, like `amdgpu_isa_shrink`.
///
/// # Safety
/// `inst` is null or a writable instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_expand(inst: *mut amdgpu_isa_inst) -> amdgpu_isa_status {
    // SAFETY: the caller's promise.
    unsafe { replace(inst, Inst::expand) }
}

/// Replaces the instruction by the one of another target with the same meaning. If that target has none, the
/// instruction is refused and stays as it was; `amdgpu_isa_retarget_why` writes the reason.
///
/// # Safety
/// `inst` is null or a writable instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_retarget(inst: *mut amdgpu_isa_inst, target: u32) -> amdgpu_isa_status {
    let Some(target) = target_of(target) else { return amdgpu_isa_status::UnknownTarget };
    // SAFETY: the caller's promise.
    unsafe { replace(inst, |inst| inst.retarget(target)) }
}

/// Writes the reason why another target does not have the instruction, like `amdgpu_isa_text`. Writes an empty text if
/// the target has the instruction.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_retarget_why(
    inst: *const amdgpu_isa_inst,
    target: u32,
    out: *mut c_char,
    room: usize,
) -> usize {
    let Some(target) = target_of(target) else {
        // SAFETY: the caller's promise.
        return unsafe { print(out, room, format_args!("{}", crate::target::UnknownTarget)) };
    };
    // SAFETY: the caller's promise.
    let error = unsafe { inst_of(inst) }.and_then(|inst| inst.retarget(target).err());
    match error {
        // SAFETY: the caller's promise.
        Some(error) => unsafe { print(out, room, format_args!("{error}")) },
        // SAFETY: the caller's promise.
        None => unsafe { print(out, room, format_args!("")) },
    }
}
