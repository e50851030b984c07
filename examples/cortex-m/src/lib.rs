//! The parts that a program on a bare Cortex-M needs: its start, its end, and text output to the debugger. The only
//! `unsafe` code of these programs is here.
#![no_std]

use core::arch::{asm, global_asm};

#[allow(dead_code)] // The assembly below calls it.
unsafe extern "C" {
    /// The entry of the program.
    fn app() -> !;
}

// The vectors: the stack, and the address of the first instruction, whose lowest bit selects Thumb.
global_asm!(
    ".section .vectors, \"a\"",
    ".word stack_top",
    ".word reset",
    ".section .text.reset, \"ax\"",
    ".global reset",
    ".thumb_func",
    "reset:",
    "b app",
);

/// Makes a request to the debugger by Arm semihosting. The debugger is qemu.
fn ask(operation: u32, argument: *const u8) {
    // SAFETY: the breakpoint hands both registers to the debugger, which reads the memory that the argument points to.
    unsafe { asm!("bkpt 0xab", inout("r0") operation => _, in("r1") argument) }
}

/// Prints a text.
pub fn print(text: &[u8]) {
    for byte in text {
        ask(3, byte); // SYS_WRITEC
    }
}

/// Prints a number in decimal.
pub fn print_number(mut n: u32) {
    let mut digits = [b'0'; 10];
    let mut first = digits.len();
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (n % 10) as u8;
        n /= 10;
        first -= 1;
        if n == 0 {
            break;
        }
    }
    print(digits.get(first..).unwrap_or(&[]));
}

/// Ends the program. qemu ends with exit code 0 or 1.
pub fn exit(good: bool) -> ! {
    // ADP_Stopped_ApplicationExit, or a run-time error.
    let reason: usize = if good { 0x20026 } else { 0x20023 };
    loop {
        ask(0x18, reason as *const u8); // SYS_EXIT
    }
}

/// Keeps a value, and the code that computes it, from being optimised away.
#[inline(never)]
pub fn keep(value: u32) {
    // SAFETY: does nothing.
    unsafe { asm!("", in("r0") value) }
}

/// Code that is opaque to the compiler.
#[inline(never)]
pub fn code() -> &'static [u8] {
    let (mut at, mut len) = (0x1000_0000usize, 0x1000usize);
    // SAFETY: it changes nothing, although the compiler must assume that it does. The programs that call it are
    // measured, not run.
    unsafe {
        asm!("", inout("r0") at, inout("r1") len);
        core::slice::from_raw_parts(at as *const u8, len)
    }
}

/// Code like that of [`code`], which can be changed.
#[inline(never)]
pub fn code_mut() -> &'static mut [u8] {
    let (mut at, mut len) = (0x1001_0000usize, 0x1000usize);
    // SAFETY: as in `code`.
    unsafe {
        asm!("", inout("r0") at, inout("r1") len);
        core::slice::from_raw_parts_mut(at as *mut u8, len)
    }
}

/// Decodes all of the code, keeps each result, and passes each instruction on with its address.
#[inline(always)]
pub fn walk(each: impl Fn(u64, amdgpu_isa::Inst)) {
    for amdgpu_isa::Decoded { offset, inst: item } in amdgpu_isa::Decoder::new(target(), code()) {
        keep(offset as u32);
        match item {
            Ok(inst) => {
                keep(inst.opcode() as u32);
                each(offset as u64, inst);
            }
            Err(invalid) => keep(invalid.word),
        }
    }
}

/// The number of bytes of stack that a call uses. Fills the memory below the stack with a pattern before the call, and
/// searches it afterwards.
#[inline(never)]
pub fn stack_of(call: impl FnOnce()) -> usize {
    const DEPTH: usize = 8192;
    const PATTERN: u32 = 0xdead_beef;
    let sp: usize;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) sp) }
    let words = |from: usize| (from..sp).step_by(4);
    // SAFETY: nothing uses the memory below the stack, and there is more of it than `DEPTH`.
    words(sp - DEPTH).for_each(|at| unsafe { (at as *mut u32).write_volatile(PATTERN) });
    call();
    // SAFETY: as above.
    let used = words(sp - DEPTH).find(|&at| unsafe { (at as *const u32).read_volatile() } != PATTERN);
    sp - used.unwrap_or(sp)
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    panic_is_reached()
}

/// An image with this symbol can panic.
#[unsafe(no_mangle)]
#[inline(never)]
extern "C" fn panic_is_reached() -> ! {
    exit(false)
}

/// A target that is opaque to the compiler, so that all enabled targets stay in the image.
#[inline(never)]
pub fn target() -> amdgpu_isa::Target {
    let mut number = 0usize;
    // SAFETY: it changes nothing, although the compiler must assume that it does.
    unsafe { asm!("", inout("r0") number) }
    amdgpu_isa::Target::ALL.get(number).copied().unwrap_or(amdgpu_isa::Target::ALL[0])
}
