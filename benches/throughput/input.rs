//! The code that is decoded.

use amdgpu_isa::layout::{FieldInfo, Layout};
use amdgpu_isa::{DecodeError, Decoded, Decoder, Inst, Target, decode};
use amdgpu_llvm::{Answer, Word, known_difference};
use object::{Object, ObjectSection, SectionKind};
use std::path::Path;

const DIRECTORY: &str = "AMDGPU_ISA_OBJECTS";

/// The code of all objects for the target, without repeated `s_nop`s and `s_code_end`s, which fill the space between
/// functions (a third of small kernels, and decoded too fast by every decoder); empty if there are no objects.
pub fn kernels(target: Target) -> Result<Vec<u8>, String> {
    let mut code = Vec::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/samples");
    if own.is_dir() {
        find(&own, target, &mut code)?;
    }
    if let Some(other) = std::env::var_os(DIRECTORY) {
        find(Path::new(&other), target, &mut code)?;
    }
    let words: Vec<u32> = code.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let again = |n: usize| n > 0 && words[n] == words[n - 1] && [0xbf80, 0xbf9f].contains(&(words[n] >> 16));
    Ok((0..words.len()).filter(|&n| !again(n)).flat_map(|n| words[n].to_le_bytes()).collect())
}

fn find(directory: &Path, target: Target, code: &mut Vec<u8>) -> Result<(), String> {
    let error = |e: &dyn std::fmt::Display| format!("{}: {e}", directory.display());
    let entries = std::fs::read_dir(directory).map_err(|e| error(&e))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            find(&path, target, code)?;
        } else if path.extension().is_some_and(|e| e == "co") {
            let bytes = std::fs::read(&path).map_err(|e| error(&e))?;
            let file = object::File::parse(&*bytes).map_err(|e| error(&e))?;
            let object::FileFlags::Elf { e_flags, .. } = file.flags() else { continue };
            // No file contains its wave size: the name of the file or of its directory has it.
            let other = path.to_string_lossy().contains("wave64") || path.to_string_lossy().ends_with(".w64.co");
            let of = Target::from_e_flags(e_flags);
            let is_wave = |name: &str| if other { name.ends_with(":wave64") } else { !name.contains(':') };
            if of.map(Target::processor) != Some(target.processor()) || !is_wave(target.name()) {
                continue;
            }
            for section in file.sections().filter(|s| s.kind() == SectionKind::Text) {
                code.extend_from_slice(section.data().map_err(|e| error(&e))?);
            }
        }
    }
    Ok(())
}

/// Code with every opcode of every format that has an opcode field, each opcode four times with random fields, in an
/// unpredictable order.
pub fn mix(target: Target) -> Vec<u8> {
    const EACH: usize = 4;
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut all: Vec<Vec<u8>> = Vec::new();
    for layout in target.layouts().iter().filter(|l| !l.extension) {
        let Some(op) = layout.fields.iter().find(|f| f.field.name() == "op") else { continue };
        for number in 0..1u64 << (op.width + op.hi_width) {
            for _ in 0..EACH {
                all.extend(one(target, layout, op, number, &mut random));
            }
        }
    }
    for i in (1..all.len()).rev() {
        all.swap(i, (random.next() % (i as u64 + 1)) as usize);
    }
    all.concat()
}

/// An instruction with this opcode and random fields. It breaks no rule, because assemblers refuse instructions that
/// break one, and LLVM is not known to crash at it.
fn one(target: Target, layout: &Layout, op: &FieldInfo, number: u64, random: &mut Random) -> Option<Vec<u8>> {
    let mut tries = (0..100).map_while(|_| any(target, layout, op, number, random));
    let bytes = |inst: &Inst| inst.words().iter().flat_map(|dword| dword.to_le_bytes()).collect::<Vec<_>>();
    let crashes =
        |inst: &Inst| known_difference(target, Word::new(&bytes(inst)), Answer::Crash, amdgpu_llvm::USUAL).is_some();
    tries.find(|inst| inst.check().is_ok() && !crashes(inst)).as_ref().map(bytes)
}

/// An instruction with this opcode and random fields. Fields that the decoder refuses get another value.
fn any(target: Target, layout: &Layout, op: &FieldInfo, number: u64, random: &mut Random) -> Option<Inst> {
    let (high, low) = (random.next(), random.next());
    let mut bits = u128::from(high) << 64 | u128::from(low);
    for f in layout.fields {
        if let Some(value) = f.fixed {
            put(&mut bits, f, value.into());
        }
    }
    put(&mut bits, op, number);
    for _ in 0..1000 {
        let bytes = bits.to_le_bytes();
        match decode(target, &bytes) {
            Ok(inst) if inst.format() == layout.format => return Some(inst),
            Ok(_) | Err(DecodeError::UnknownOpcode { .. } | DecodeError::UnknownEncoding) => return None,
            Err(DecodeError::ReservedBits { bit, .. }) => bits ^= 1 << bit,
            Err(DecodeError::ReservedValue { lsb, width, .. }) => {
                let mask = ((1u128 << width) - 1) << lsb;
                bits = bits & !mask | u128::from(random.next()) << lsb & mask;
            }
            Err(_) => return None,
        }
    }
    None
}

fn put(bits: &mut u128, f: &FieldInfo, value: u64) {
    let mut piece = |lsb: u8, width: u8, value: u64| {
        let mask = ((1u128 << width) - 1) << lsb;
        *bits = *bits & !mask | u128::from(value) << lsb & mask;
    };
    piece(f.lsb, f.width, value);
    if f.hi_width > 0 {
        piece(f.hi, f.hi_width, value >> f.width);
    }
}

/// The code in pieces of a few instructions, in an order that no branch predictor learns: real programs do not repeat
/// this much code.
pub fn pieces(target: Target, once: &[u8], bytes: usize) -> Vec<u8> {
    const INSTRUCTIONS: usize = 16;
    let mut ends: Vec<usize> =
        Decoder::new(target, once).map(|Decoded { offset: at, inst: _ }| at).step_by(INSTRUCTIONS).skip(1).collect();
    ends.push(once.len());
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let mut all = Vec::with_capacity(bytes + once.len());
    while all.len() < bytes {
        let n = (random.next() % ends.len() as u64) as usize;
        let start = n.checked_sub(1).map_or(0, |n| ends[n]);
        all.extend_from_slice(&once[start..ends[n]]);
    }
    all
}

/// Repeats the code in whole copies to at least `bytes`.
pub fn repeat(once: &[u8], bytes: usize) -> Vec<u8> {
    once.repeat(bytes.div_ceil(once.len()))
}

/// A generator of pseudo-random numbers: xorshift64*.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}
