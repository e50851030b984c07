//! The facts about an instruction in the C interface.

use core::ffi::c_char;

use crate::facts::{Counter, Space};
use crate::flags::Flag;
use crate::registers::RegSet;
use crate::value::{Access, Reg, Value};

use super::{amdgpu_isa_inst, amdgpu_isa_kind, inst_of, kind_of, print, room_of, text};

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum amdgpu_isa_space {
    /// Memory through the scalar cache.
    Scalar,
    /// Memory through a buffer resource.
    Buffer,
    /// Memory through an image resource.
    Image,
    /// An address whose value determines whether it is in memory, LDS or scratch.
    Flat,
    /// Global memory.
    Global,
    /// Private memory of the lane.
    Scratch,
    /// The local data share.
    Lds,
    /// The global data share.
    Gds,
    /// An export: pixel colours, positions, parameters.
    Export,
}

/// An access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct amdgpu_isa_access {
    /// The kind of memory.
    pub space: amdgpu_isa_space,
    /// Whether the instruction reads the memory.
    pub is_read: bool,
    /// Whether the instruction writes the memory.
    pub is_written: bool,
    /// Whether the memory is read, changed and written at once.
    pub is_atomic: bool,
}

/// Consecutive registers of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct amdgpu_isa_run {
    /// The kind of the registers.
    pub kind: amdgpu_isa_kind,
    /// The number of the first register.
    pub first: u32,
    /// The number of registers; 1 for the kinds SPECIAL and IMPLICIT.
    pub count: u32,
}

/// The number of the flag with this name ("branch", "convergent", ...), or -1. Numbers may change with the version of
/// the library.
///
/// # Safety
/// `name` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_flag(name: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    Flag::ALL.iter().find(|flag| flag.name() == name).map_or(-1, |flag| *flag as i32)
}

/// Returns the flags of the instruction: flag number n is bit n. Returns 0 if `inst` is not an instruction.
///
/// # Safety
/// `inst` is null or an instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_flags(inst: *const amdgpu_isa_inst) -> u64 {
    // SAFETY: the caller's promise.
    let Some(inst) = (unsafe { inst_of(inst) }) else { return 0 };
    inst.flags().iter().fold(0, |all, flag| all | 1 << flag as u32)
}

/// Writes up to `room` accesses to memory, and returns the number of all accesses.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_memory(
    inst: *const amdgpu_isa_inst,
    out: *mut amdgpu_isa_access,
    room: usize,
) -> usize {
    // SAFETY: the caller's promise.
    let (inst, out) = unsafe { (inst_of(inst), room_of(out, room)) };
    let Some(inst) = inst else { return 0 };
    for (place, access) in out.iter_mut().zip(inst.memory()) {
        place.write(amdgpu_isa_access {
            space: space_of(access.space),
            is_read: access.access != Access::Write,
            is_written: access.access != Access::Read,
            is_atomic: access.atomic,
        });
    }
    inst.memory().count()
}

fn space_of(space: Space) -> amdgpu_isa_space {
    match space {
        Space::Scalar => amdgpu_isa_space::Scalar,
        Space::Buffer => amdgpu_isa_space::Buffer,
        Space::Image => amdgpu_isa_space::Image,
        Space::Flat => amdgpu_isa_space::Flat,
        Space::Global => amdgpu_isa_space::Global,
        Space::Scratch => amdgpu_isa_space::Scratch,
        Space::Lds => amdgpu_isa_space::Lds,
        Space::Gds => amdgpu_isa_space::Gds,
        Space::Export => amdgpu_isa_space::Export,
    }
}

/// The number of the counter with this name ("vmcnt", "dscnt", ...), or -1. Numbers may change with the version of the
/// library.
///
/// # Safety
/// `name` is null or ends in a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_counter(name: *const c_char) -> i32 {
    // SAFETY: the caller's promise.
    let name = unsafe { text(name) };
    Counter::ALL.iter().find(|counter| counter.name() == name).map_or(-1, |counter| *counter as i32)
}

/// Returns the counters that the instruction raises until it is done: counter number n is bit n. Returns 0 if `inst` is
/// not an instruction.
///
/// # Safety
/// `inst` is null or an instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_counters(inst: *const amdgpu_isa_inst) -> u32 {
    // SAFETY: the caller's promise.
    let Some(inst) = (unsafe { inst_of(inst) }) else { return 0 };
    inst.counters().iter().fold(0, |all, counter| all | 1 << counter as u32)
}

/// The greatest value of the counter at which the instruction stops waiting; -1 if it does not wait for that counter.
///
/// # Safety
/// `inst` is null or an instruction.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_wait(inst: *const amdgpu_isa_inst, counter: i32) -> i32 {
    let counter = Counter::ALL.iter().find(|other| **other as i32 == counter);
    // SAFETY: the caller's promise.
    let (Some(inst), Some(counter)) = (unsafe { inst_of(inst) }, counter) else { return -1 };
    inst.waits().get(*counter).map_or(-1, i32::from)
}

/// Writes up to `room` runs of the registers that the instruction reads, also those that no field names, and returns
/// the number of all runs.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_reads(
    inst: *const amdgpu_isa_inst,
    out: *mut amdgpu_isa_run,
    room: usize,
) -> usize {
    // SAFETY: the caller's promise.
    let Some(inst) = (unsafe { inst_of(inst) }) else { return 0 };
    // SAFETY: the caller's promise.
    unsafe { runs(&inst.reads(), out, room) }
}

/// Writes up to `room` runs of the registers that the instruction writes, like `amdgpu_isa_reads`.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_writes(
    inst: *const amdgpu_isa_inst,
    out: *mut amdgpu_isa_run,
    room: usize,
) -> usize {
    // SAFETY: the caller's promise.
    let Some(inst) = (unsafe { inst_of(inst) }) else { return 0 };
    // SAFETY: the caller's promise.
    unsafe { runs(&inst.writes(), out, room) }
}

/// # Safety
/// `out` is null or has `room` writable elements.
unsafe fn runs(registers: &RegSet, out: *mut amdgpu_isa_run, room: usize) -> usize {
    // SAFETY: the caller's promise.
    let out = unsafe { room_of(out, room) };
    let mut count = 0;
    let mut write = |run: amdgpu_isa_run| {
        if let Some(place) = out.get_mut(count) {
            place.write(run);
        }
        count += 1;
    };
    let mut last: Option<amdgpu_isa_run> = None;
    for reg in registers.iter() {
        let (kind, number) = kind_of(Value::Reg(reg));
        let is_single = matches!(reg, Reg::Special(_)) || kind == amdgpu_isa_kind::Implicit;
        last = match last {
            Some(run) if !is_single && run.kind == kind && i64::from(run.first + run.count) == number => {
                Some(amdgpu_isa_run { count: run.count + 1, ..run })
            }
            before => {
                before.into_iter().for_each(&mut write);
                Some(amdgpu_isa_run { kind, first: number as u32, count: 1 })
            }
        };
    }
    last.into_iter().for_each(&mut write);
    count
}

/// Writes the rule that the instruction breaks, like `amdgpu_isa_text`. Assemblers and `amdgpu_isa_parse` refuse such
/// an instruction. Writes an empty text if there is no such rule.
///
/// # Safety
/// `inst` is null or an instruction; `out` has `room` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn amdgpu_isa_check(inst: *const amdgpu_isa_inst, out: *mut c_char, room: usize) -> usize {
    // SAFETY: the caller's promise.
    let broken = unsafe { inst_of(inst) }.and_then(|inst| inst.check().err());
    match broken {
        // SAFETY: the caller's promise.
        Some(rule) => unsafe { print(out, room, format_args!("{rule}")) },
        // SAFETY: the caller's promise.
        None => unsafe { print(out, room, format_args!("")) },
    }
}
