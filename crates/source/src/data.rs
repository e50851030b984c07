//! Writes sections without code.

use std::fmt::Write as _;

use amdgpu_isa::kernel::KernelDescriptor;
use amdgpu_object::relocation_kinds as kinds;
use object::elf::{self, STV_DEFAULT};

use crate::code_object::{CodeObject, Relocation, Section};
use crate::symbols::{Symbol, name};

impl CodeObject<'_> {
    pub fn data(&self, section: &Section<'_>, out: &mut String) {
        let symbols = self.symbols_at(section);
        let relocation = self.relocations(section);
        let (mut at, mut next) = (0u64, 0usize);
        let end = section.size;
        loop {
            while let Some(&(offset, n)) = symbols.get(next).filter(|(offset, _)| *offset <= at || at >= end) {
                next += 1;
                let distance = offset.wrapping_sub(at) as i64;
                self.define(n, (distance != 0).then_some(distance as u64), true, out);
                if let Some((_, code, descriptor)) = self.kernels.iter().find(|(of, ..)| *of == n) {
                    if distance == 0 {
                        self.descriptor(n, *code, descriptor, out);
                        at += KernelDescriptor::SIZE as u64;
                    }
                }
            }
            if at >= end {
                return;
            }
            let stop = symbols.get(next).map_or(end, |(offset, _)| (*offset).min(end));
            match relocation(at, stop) {
                Some((place, of)) if place == at => at += value(of, stop - at, out),
                Some((place, _)) => at = plain(section, at, place, out),
                None => at = plain(section, at, stop, out),
            }
        }
    }

    fn descriptor(&self, n: usize, code: usize, descriptor: &KernelDescriptor, out: &mut String) {
        let (Some(own), Some(symbol)) = (self.symbols.get(n), self.symbols.get(code)) else { return };
        let target = self.target.with_wave_size(descriptor.wave_size(self.target)).unwrap_or(self.target);
        // The assembler gives the descriptor the visibility that the code has here.
        self.visibility(&Symbol { name: symbol.name.clone(), ..own.clone() }, out);
        let _ = writeln!(out, "\t.amdhsa_kernel {}", name(&symbol.name));
        let _ = write!(out, "{}", descriptor.directives(target, false));
        out.push_str("\t.end_amdhsa_kernel\n");
        if own.visibility != STV_DEFAULT && own.visibility != symbol.visibility {
            self.visibility(symbol, out);
        }
    }
}

/// Writes a value that a linker or loader fills in. Returns its length.
pub fn value(of: &Relocation, room: u64, out: &mut String) -> u64 {
    let (directive, text, len) = match (of.kind, kinds::modifier(of.kind)) {
        (kinds::ABS64, _) => ("quad", of.of.clone(), 8),
        (kinds::REL64, Some(modifier)) => ("quad", variant_of(&of.of, modifier), 8),
        (kinds::REL32, _) => ("long", format!("{}-.", of.of), 4),
        (kinds::ABS32, _) => ("long", of.of.clone(), 4),
        (kinds::RELATIVE64, _) => {
            out.push_str("\t.error \"this pointer leads to no section that a source can have\"\n");
            return room.min(8);
        }
        (_, Some(modifier)) => ("long", variant_of(&of.of, modifier), 4),
        (kind, None) => {
            let _ = writeln!(out, "\t.error \"a relocation of type {kind} is here\"");
            return room.min(4);
        }
    };
    let _ = writeln!(out, "\t.{directive} {text}");
    len
}

/// A symbol with a modifier, before the number that is added: `name@rel32@lo+4`.
pub fn variant_of(text: &str, variant: &str) -> String {
    let after = if text.starts_with('"') { text.rfind('"').map_or(text.len(), |at| at + 1) } else { 0 };
    let at = text.get(after..).and_then(|rest| rest.find(['+', '-'])).map_or(text.len(), |at| after + at);
    let (name, addend) = text.split_at(at);
    format!("{name}@{variant}{addend}")
}

/// Writes bytes as numbers and texts. Returns the offset of their end.
fn plain(section: &Section<'_>, from: u64, to: u64, out: &mut String) -> u64 {
    if section.kind == elf::SHT_NOBITS {
        let _ = writeln!(out, "\t.zero {}", to - from);
        return to;
    }
    let range = usize::try_from(from).unwrap_or(0)..usize::try_from(to).unwrap_or(0);
    let mut bytes = section.bytes.get(range).unwrap_or(&[]);
    while !bytes.is_empty() {
        let zeros = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
        if zeros >= 8 {
            let _ = writeln!(out, "\t.zero {zeros}");
            bytes = bytes.get(zeros..).unwrap_or(&[]);
            continue;
        }
        let (line, rest) = bytes.split_at(bytes.len().min(16));
        let longs = line.chunks_exact(4);
        let odd = longs.remainder();
        let number = |four: &[u8]| format!("0x{:08x}", u32::from_le_bytes(four.try_into().unwrap_or([0; 4])));
        let longs: Vec<String> = longs.map(number).collect();
        if !longs.is_empty() {
            let _ = writeln!(out, "\t.long {}", longs.join(", "));
        }
        if !odd.is_empty() {
            let odd: Vec<String> = odd.iter().map(|byte| format!("0x{byte:02x}")).collect();
            let _ = writeln!(out, "\t.byte {}", odd.join(", "));
        }
        bytes = rest;
    }
    to
}
