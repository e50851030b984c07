//! Walks a kernel that lies in flash, patches a copy of it in RAM, and reports: what a firmware would do before it hands
//! code to the GPU. No heap, no `core::fmt`, and nothing in it can panic.
#![no_std]
#![no_main]

use amdgpu_isa::gfx942::{Sop2, Sop2Op, Sopp, Vop2, Vop2Op};
use amdgpu_isa::{Decoder, Inst, Microcode, Opcode, Target, TextBuffer, decode, decode_words};
use amdgpu_isa_cortex_m::{exit, print, print_number};

const TARGET: Target = Target::Gfx942;

/// A code object of this repository, as it came from the compiler.
static KERNEL: &[u8] = include_bytes!("../../../../tests/samples/gfx942/mixed.co");

/// Room for its code.
const ROOM: usize = 4096;

#[unsafe(no_mangle)]
extern "C" fn app() -> ! {
    let good = report();
    print(if good.is_some() { b"done\n" } else { b"failed\n" });
    exit(good.is_some())
}

fn report() -> Option<()> {
    let code = text_section(KERNEL)?;
    let (good, bad) = count(code);
    line(b"instructions in flash", good);
    line(b"words that are none", bad);

    let mut ram = [0; ROOM];
    let ram = ram.get_mut(..code.len())?;
    ram.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    let mut text = TextBuffer::new();

    // A literal.
    patch(ram, &mut text, |inst, words| match words {
        [_, literal] if inst.extension() == Some(amdgpu_isa::Format::Literal) => {
            *literal = 0x1234_5678;
            true
        }
        _ => false,
    })?;
    // An inline constant: 63 becomes 31.
    patch(ram, &mut text, |inst, words| match (Vop2::of(inst), words) {
        (Some(and), [word]) if and.op() == Ok(Vop2Op::VAndB32) && and.src0() == 128 + 63 => {
            let Ok(and) = and.with_src0(128 + 31) else { return false };
            [*word] = and.to_words();
            true
        }
        _ => false,
    })?;
    // A branch target: one instruction farther.
    patch(ram, &mut text, |inst, words| match (Sopp::of(inst), words) {
        (Some(branch), [word]) if inst.flags().is_branch() => {
            [*word] = branch.with_simm16(branch.simm16().wrapping_add(1)).to_words();
            true
        }
        _ => false,
    })?;
    // An operation.
    patch(ram, &mut text, |inst, words| match (Sop2::of(inst), words) {
        (Some(shift), [word]) if inst.opcode() == Opcode::SLshlB64 => {
            [*word] = shift.with_op(Sop2Op::SLshrB64).to_words();
            true
        }
        _ => false,
    })?;

    let (good, bad) = count(ram);
    line(b"instructions in RAM", good);
    line(b"words that are none", bad);
    let changed = code.iter().zip(ram.iter()).filter(|(a, b)| a != b).count();
    line(b"bytes that differ", changed as u32);
    Some(())
}

/// Patches the first instruction that `change` takes, and prints it as it was and as it is.
fn patch(code: &mut [u8], text: &mut TextBuffer, change: impl Fn(&Inst, &mut [u32]) -> bool) -> Option<()> {
    let mut at = 0;
    loop {
        let rest = code.get_mut(at..)?;
        let inst = decode(TARGET, rest).ok()?;
        let mut words = [0; 5];
        let dwords = inst.encode_words(&mut words).ok()?;
        let words = words.get_mut(..dwords)?;
        if change(&inst, words) {
            let changed = decode_words(TARGET, words).ok()?;
            changed.encode(rest).ok()?;
            print_number(at as u32);
            print(b": ");
            print(text.print(&inst));
            print(b" -> ");
            print(text.print(&changed));
            print(b"\n");
            return Some(());
        }
        at += inst.len();
    }
}

fn count(code: &[u8]) -> (u32, u32) {
    Decoder::new(TARGET, code).fold((0, 0), |(good, bad), (_, item)| match item {
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
    // Offsets of the 64-bit ELF header and section header; addresses fit in 32 bits here.
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
