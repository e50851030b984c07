//! A hooking tool: redirects the entry of every kernel of a code object through its own code, in a new segment after
//! the object's, and proves by decoding that nothing else has changed.
//!
//! `cargo run --example hook [-- IN.co [OUT.co]]`

use amdgpu_isa::patch::{InstMut, Trampoline};
use amdgpu_isa::{Decoded, Decoder, Field, Inst, Opcode, Target};

#[path = "code_object/mod.rs"]
mod code_object;
use code_object::{CodeObject, Kernel, Result, append_segment, read};

/// The code that every wave executes first: it raises the priority to the maximum. It needs no registers.
fn payload(target: Target) -> Result<Vec<u32>> {
    let mut words = [0xbf80_0000]; // s_nop 0, on all targets
    let mut inst = InstMut::new(target, &mut words[..])?;
    inst.set_opcode(Opcode::SSetprio)?;
    inst.set(Field::Simm16, 3)?;
    Ok(words.to_vec())
}

/// The result for one kernel.
pub struct Hooked {
    /// The address of the first displaced instruction, and the number of displaced bytes.
    pub hook: u64,
    pub displaced: usize,
    /// The address of the trampoline, the address of the displaced instructions in it, and its code.
    pub area: u64,
    pub copy: u64,
    pub code: Vec<u32>,
}

/// Hooks the entries of all kernels.
pub fn hook(bytes: &mut Vec<u8>) -> Result<Vec<Hooked>> {
    let CodeObject { target, kernels, text } = read(bytes)?;
    let mut code = bytes[text.offset..][..text.len].to_vec();
    let mut all = Vec::new();
    append_segment(bytes, |address| {
        let mut segment = Vec::new();
        for kernel in &kernels {
            let (hook, area) = (kernel.address, address + segment.len() as u64);
            // A branch reaches 128 KiB, so the jump needs no registers.
            let trampoline = Trampoline { target, hook, area, far: None };
            let mut words = [0u32; 64];
            let done = trampoline.install(&mut code[..], text.address, &payload(target)?, &mut words)?;
            let code = words[..done.len / 4].to_vec();
            segment.extend(code.iter().flat_map(|word| word.to_le_bytes()));
            all.push(Hooked { hook, displaced: done.displaced, area, copy: done.copy, code });
        }
        Ok(segment)
    })?;
    bytes[text.offset..][..text.len].copy_from_slice(&code);
    Ok(all)
}

/// An instruction with its address.
type Line = (u64, Inst);

fn lines(target: Target, code: &[u8], address: u64) -> Result<Vec<Line>> {
    let line = |Decoded { offset, inst }| match inst {
        Ok(inst) => Ok((address + offset as u64, inst)),
        Err(invalid) => Err(format!("{:#x}: {}", address + offset as u64, invalid.error).into()),
    };
    Decoder::new(target, code).map(line).collect()
}

/// The target of an unconditional branch.
fn jumps((pc, inst): &Line) -> Option<u64> {
    inst.branch_target(*pc).filter(|_| inst.opcode() == Opcode::SBranch)
}

/// The effect of an instruction: its operation and operands, and the target of a branch.
fn does(&(pc, inst): &Line) -> (Opcode, Vec<String>, Option<u64>) {
    let to = inst.branch_target(pc);
    let operands = inst.operands().filter(|_| to.is_none()).map(|operand| format!("{operand:?}"));
    (inst.opcode(), operands.collect(), to)
}

/// Reads both objects from their bytes, and fails if they differ in anything that the hooks do not explain.
pub fn prove(before: &[u8], after: &[u8], hooked: &[Hooked]) -> Result<()> {
    let (old, new) = (read(before)?, read(after)?);
    let header = {
        let mut copy = before.to_vec();
        append_segment(&mut copy, |_| Ok(Vec::new()))?.header
    };
    let covers = |h: &Hooked, at: u64| (h.hook..h.hook + h.displaced as u64).contains(&at);
    for (n, (a, b)) in before.iter().zip(after).enumerate() {
        let address = (n as u64).wrapping_sub(old.text.offset as u64).wrapping_add(old.text.address);
        let explained = header.contains(&n) || hooked.iter().any(|h| covers(h, address));
        if a != b && !explained {
            return Err(format!("byte {n:#x} of the file has changed").into());
        }
    }
    // The code is read kernel by kernel: the space between kernels, which was compared above, need not contain
    // instructions. On RDNA, this space is zero.
    let text = |bytes: &[u8], object: &CodeObject| -> Result<Vec<Line>> {
        let mut all = Vec::new();
        for Kernel { address, size, .. } in &object.kernels {
            let at = object.text.offset + (address - object.text.address) as usize;
            all.extend(lines(object.target, &bytes[at..][..*size as usize], *address)?);
        }
        Ok(all)
    };
    let (was, is) = (text(before, &old)?, text(after, &new)?);
    let stays = |line: &&Line| !hooked.iter().any(|h| covers(h, line.0));
    if !was.iter().filter(stays).eq(is.iter().filter(stays)) {
        return Err("an instruction that no hook covers has changed".into());
    }
    for h in hooked {
        let code: Vec<u8> = h.code.iter().flat_map(|word| word.to_le_bytes()).collect();
        let there = lines(old.target, &code, h.area)?;
        // The jump to the trampoline and the jump back, both without a condition.
        let jump = is.iter().find(|line| line.0 == h.hook).and_then(jumps);
        let back = there.last().and_then(jumps);
        if jump != Some(h.area) || back != Some(h.hook + h.displaced as u64) {
            return Err(format!("the jumps of {:#x} go to {jump:x?} and {back:x?}", h.hook).into());
        }
        // The rest of the displaced code, after the jump, is never reached.
        let mut rest = is.iter().filter(|line| covers(h, line.0) && line.0 > h.hook);
        if rest.any(|(_, inst)| inst.opcode() != Opcode::SNop || inst.get(Field::Simm16) != Some(0)) {
            return Err(format!("the jump at {:#x} is followed by something other than s_nop", h.hook).into());
        }
        let displaced: Vec<&Line> = was.iter().filter(|line| covers(h, line.0)).collect();
        let copies: Vec<&Line> = there.iter().filter(|line| line.0 >= h.copy).collect();
        let same = displaced.iter().zip(&copies).all(|(old, new)| does(old) == does(new));
        if !same || copies.len() != displaced.len() + 1 {
            return Err(format!("the instructions displaced at {:#x} have another effect", h.hook).into());
        }
    }
    Ok(())
}

/// Prints the first lines of a kernel.
fn listing(target: Target, code: &[u8], address: u64, count: usize) {
    for Decoded { offset, inst } in Decoder::new(target, code).take(count) {
        let text = inst.map_or_else(|invalid| invalid.error.to_string(), |inst| inst.to_string());
        println!("  {:08x}  {text}", address + offset as u64);
    }
}

#[allow(dead_code)] // tests/hook.rs has a main of its own.
fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let input = arguments.next().unwrap_or("tests/samples/gfx942/saxpy.co".into());
    let before = std::fs::read(&input)?;
    let mut after = before.clone();
    let hooked = hook(&mut after)?;
    prove(&before, &after, &hooked)?;

    let CodeObject { target, kernels, text } = read(&after)?;
    for (Kernel { name, address, .. }, h) in kernels.iter().zip(&hooked) {
        println!("{name}, for {target}:");
        let entry = (address - text.address) as usize + text.offset;
        listing(target, &after[entry..], *address, 2);
        println!("and there:");
        let code: Vec<u8> = h.code.iter().flat_map(|word| word.to_le_bytes()).collect();
        listing(target, &code, h.area, h.code.len());
    }
    println!("nothing else has changed");
    if let Some(output) = arguments.next() {
        std::fs::write(output, after)?;
    }
    Ok(())
}
