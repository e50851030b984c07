//! Walks a kernel in flash, patches a copy of it in RAM, and reports the changes, as firmware would do before it gives
//! code to the GPU. No heap, no `core::fmt`, and nothing can panic.
#![no_std]
#![no_main]

use amdgpu_isa::patch::{DecoderMut, InstMut};
use amdgpu_isa::text::TextBuffer;
use amdgpu_isa::{Decoded, Decoder, Field, Opcode, Target, Value};
use amdgpu_isa_cortex_m::{exit, print, print_number};

const TARGET: Target = Target::Gfx942;

/// A code object of this repository, unchanged from the compiler.
static KERNEL: &[u8] = include_bytes!("../../../../tests/samples/gfx942/mixed.co");

/// The size of the copy in bytes.
const ROOM: usize = 4096;

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    let good = report();
    print(if good.is_some() { b"done\n" } else { b"failed\n" });
    exit(good.is_some())
}

fn report() -> Option<()> {
    let code = text_section(KERNEL)?;
    #[cfg(feature = "plant-panic")]
    line(b"a byte that may not be there", code[code.len() / 2].into());
    let (good, bad) = count(code);
    line(b"instructions in flash", good);
    line(b"words that are none", bad);

    let mut ram = [0; ROOM];
    let ram = ram.get_mut(..code.len())?;
    ram.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    let mut text = TextBuffer::new();

    // Changes a literal.
    patch(ram, &mut text, |inst| inst.set_literal(0x1234_5678).is_ok())?;
    // Changes an inline constant: 63 becomes 31.
    patch(ram, &mut text, |inst| {
        let masks = inst.opcode() == Opcode::VAndB32 && inst.get(Field::Src0) == Some(128 + 63);
        masks && inst.set_operand(Field::Src0, Value::Int(31)).is_ok()
    })?;
    // Changes a branch target: one dword farther.
    patch(ram, &mut text, |inst| {
        let target = inst.branch_target(0);
        target.is_some_and(|target| inst.set_branch_target(0, target.wrapping_add(4)).is_ok())
    })?;
    // Changes an operation.
    patch(ram, &mut text, |inst| inst.opcode() == Opcode::SLshlB64 && inst.set_opcode(Opcode::SLshrB64).is_ok())?;

    let (good, bad) = count(ram);
    line(b"instructions in RAM", good);
    line(b"words that are none", bad);
    let changed = code.iter().zip(ram.iter()).filter(|(a, b)| a != b).count();
    line(b"bytes that differ", changed as u32);
    Some(())
}

/// Patches the first instruction that `change` accepts, and prints it before and after.
fn patch(code: &mut [u8], text: &mut TextBuffer, change: impl Fn(&mut InstMut<'_, [u8]>) -> bool) -> Option<()> {
    for Decoded { offset: at, inst } in DecoderMut::new(TARGET, code) {
        let mut inst = inst.ok()?;
        let before = *inst;
        if change(&mut inst) {
            print_number(at as u32);
            print(b": ");
            print(text.print(&before));
            print(b" -> ");
            print(text.print(&inst));
            print(b"\n");
            return Some(());
        }
    }
    None
}

fn count(code: &[u8]) -> (u32, u32) {
    Decoder::new(TARGET, code).fold((0, 0), |(good, bad), decoded| match decoded.inst {
        Ok(_) => (good + 1, bad),
        Err(_) => (good, bad + 1),
    })
}

fn line(name: &[u8], n: u32) {
    print(name);
    print(b": ");
    print_number(n);
    print(b"\n");
}

/// The executable section of an ELF file of 64 bits.
fn text_section(elf: &[u8]) -> Option<&[u8]> {
    let number = |at: usize, len: usize| -> Option<usize> {
        let bytes = elf.get(at..at.checked_add(len)?)?;
        Some(bytes.iter().rev().fold(0, |n, &byte| n << 8 | usize::from(byte)))
    };
    // The numbers are offsets in the 64-bit ELF header and section header. Addresses fit in 32 bits here.
    let (first, size, sections) = (number(0x28, 4)?, number(0x3a, 2)?, number(0x3c, 2)?);
    for n in 0..sections {
        let header = first.checked_add(n.checked_mul(size)?)?;
        let executable = number(header.checked_add(8)?, 4)? & 4 != 0;
        if executable {
            let (offset, len) = (number(header.checked_add(0x18)?, 4)?, number(header.checked_add(0x20)?, 4)?);
            return elf.get(offset..offset.checked_add(len)?);
        }
    }
    None
}
