//! A fuzzer of another decoder: instructions that are valid by construction, their neighbours, and the exact reason why
//! bytes are invalid. The "other decoder" here computes lengths, by the most obvious rule.
//!
//! `cargo run --release --example fuzz_decoder`

use amdgpu_isa::facts::Encoding;
use amdgpu_isa::layout::{FieldInfo, Layout};
use amdgpu_isa::{DecodeError, Format, Inst, Opcode, Target, decode, decode_words};
use std::collections::BTreeMap;

const TARGET: Target = Target::Gfx942;

/// The decoder under test: the length in bytes.
fn other_decoder(words: &[u32; 5]) -> usize {
    let word = words[0];
    match word >> 30 {
        // VOP1, VOP2, VOPC: a second dword for SDWA, DPP and literals.
        0 | 1 => 4 + 4 * usize::from([249, 250, 255].contains(&(word & 0x1ff))),
        // SOP*: a literal, if the code of a source announces it.
        2 => 4 + 4 * usize::from(word & 0xff == 255 || word >> 8 & 0xff == 255),
        _ => 8,
    }
}

/// Random numbers, the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }
}

/// Stores a value in a field, which may be in two pieces.
fn put(words: &mut [u32; 5], field: &FieldInfo, value: u32) {
    let mut all = u64::from(words[0]) | u64::from(words[1]) << 32;
    let mut set = |lsb: u8, width: u8, value: u64| {
        let mask = (1u64 << width) - 1;
        all = all & !(mask << lsb) | (value & mask) << lsb;
    };
    set(field.lsb, field.width, value.into());
    if field.hi_width > 0 {
        set(field.hi, field.hi_width, u64::from(value) >> field.width);
    }
    (words[0], words[1]) = (all as u32, (all >> 32) as u32);
}

/// Random words with the encoding and opcode from the tables, and the instruction, or the reason why they are not one.
fn generate(random: &mut Random, format: Format, number: u16) -> ([u32; 5], Result<Inst, DecodeError>) {
    let layout: &Layout = TARGET.layouts().iter().find(|l| l.format == format).expect("the target has the format");
    let mut words = [(); 5].map(|()| random.next());
    for field in layout.fields {
        match field.fixed {
            Some(value) => put(&mut words, field, value.into()),
            None if field.field.name() == "op" => put(&mut words, field, number.into()),
            None => {}
        }
    }
    // The codes that announce trailing dwords are rare in random words.
    if let Some(extension) = layout.extends.get(random.next() as usize % 8) {
        let field = layout.fields.iter().find(|f| f.field == extension.field).expect("the field is the layout's");
        put(&mut words, field, extension.code.into());
    }
    (words, decode_words(TARGET, &words))
}

fn main() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let all: Vec<Encoding> = Opcode::ALL.iter().flat_map(|op| op.encodings(TARGET)).collect();
    let (mut valid, mut near_valid) = (0u32, 0u32);
    let mut reasons: BTreeMap<&str, (u32, DecodeError)> = BTreeMap::new();
    let mut found = BTreeMap::new();

    for round in 0..200_000 {
        let Encoding { format, number, .. } = all[round % all.len()];
        let (mut words, mut result) = generate(&mut random, format, number);
        // A neighbour of a valid instruction differs in one bit.
        if result.is_ok() && round % 4 == 0 {
            words[0] ^= 1 << (random.next() % 32);
            result = decode_words(TARGET, &words);
            near_valid += u32::from(result.is_err());
        }
        match result {
            Ok(inst) => {
                valid += 1;
                // The instruction encodes to the same bytes, and one byte less is not enough.
                let mut bytes = [0; 20];
                let len = inst.encode(&mut bytes).expect("20 bytes are enough for any instruction");
                assert_eq!(decode(TARGET, &bytes[..len]), Ok(inst));
                assert_eq!(decode(TARGET, &bytes[..len - 1]), Err(DecodeError::Truncated { needed: len as u8 }));
                if other_decoder(&words) != len {
                    found.entry(inst.opcode().name()).or_insert((inst, other_decoder(&words)));
                }
            }
            Err(error) => {
                let kind = match error {
                    DecodeError::ReservedBits { .. } => "reserved bits",
                    DecodeError::ReservedValue { .. } => "reserved value",
                    DecodeError::UnknownOpcode { .. } => "unknown opcode",
                    DecodeError::UnknownEncoding => "unknown encoding",
                    _ => "other",
                };
                reasons.entry(kind).or_insert((0, error)).0 += 1;
            }
        }
    }

    println!("{} encodings of {TARGET}", all.len());
    println!("{valid} valid instructions, {near_valid} invalid words one bit beside a valid one; refused were:");
    for (kind, (count, example)) in &reasons {
        println!("{count:8} {kind:17} such as: {example}");
    }
    println!("{} operations whose length the other decoder gets wrong, such as:", found.len());
    for (inst, other) in found.values().take(8) {
        println!("    {} bytes, not {other}: {inst}", inst.len());
    }
    assert!(found.contains_key("v_fmamk_f32"), "the other decoder does not know that a literal always follows");
}
