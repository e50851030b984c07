//! Words to try: random numbers, and valid words of any opcode of any target, which the decoder helps to find. The
//! tests (`tests/words/`) use them too.

use amdgpu_isa::layout::{Extension, FieldInfo, Layout};
use amdgpu_isa::{DecodeError, Format, Inst, Opcode, Target, decode_words};

/// A generator of pseudo-random numbers, the same on every run: SplitMix64 (Steele, Lea, Flood 2014).
pub struct Rng(pub u64);

impl Rng {
    /// The next pseudo-random number, of 64 bits.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// The next pseudo-random dword.
    pub fn word(&mut self) -> u32 {
        self.number() as u32
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.number() % n as u64) as usize
    }

    /// One of several values.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}

/// The bytes of words in memory.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Every operation of a target, with each of its formats and its number in the format.
pub fn encodings(target: Target) -> Vec<(Format, u16, Opcode)> {
    let of = |&op: &Opcode| op.encodings(target).map(move |e| (e.format, e.number, op)).collect::<Vec<_>>();
    Opcode::ALL.iter().flat_map(of).collect()
}

/// The layout of a format on a target.
///
/// # Panics
/// The target does not have the format.
pub fn layout(target: Target, format: Format) -> &'static Layout {
    let mut all = target.layouts().iter();
    all.find(|l| l.format == format).unwrap_or_else(|| panic!("{target} has no {format}"))
}

/// A run of bits in words.
pub struct FieldBits {
    /// The lowest bit, counted from bit 0 of the first word.
    pub lsb: u8,
    /// The number of bits.
    pub width: u8,
}

impl FieldBits {
    /// The value of the bits in words.
    pub fn get(&self, words: &[u32]) -> u32 {
        let bit = |i: u8| words[usize::from(i / 32)] >> (i % 32) & 1;
        (0..self.width).fold(0, |v, i| v | bit(self.lsb + i) << i)
    }

    /// Sets the bits in words to a value.
    pub fn set(&self, words: &mut [u32], value: u32) {
        for i in 0..self.width {
            let at = self.lsb + i;
            let word = &mut words[usize::from(at / 32)];
            *word = *word & !(1 << (at % 32)) | (value >> i & 1) << (at % 32);
        }
    }
}

/// The one or two runs of bits of a field, with the lower part of its value first.
pub fn pieces(field: &FieldInfo) -> impl Iterator<Item = FieldBits> {
    let all = [(field.lsb, field.width), (field.hi, field.hi_width)];
    all.into_iter().filter(|(_, width)| *width > 0).map(|(lsb, width)| FieldBits { lsb, width })
}

/// Puts a value into a field of words.
pub fn set(words: &mut [u32], field: &FieldInfo, value: u32) {
    let mut rest = u64::from(value);
    for piece in pieces(field) {
        piece.set(words, rest as u32);
        rest >>= piece.width;
    }
}

/// The kinds of values for the fields of an attempt, from values that almost every operation accepts to any values.
#[derive(Clone, Copy, PartialEq)]
pub enum Filling {
    /// Zeros.
    Zero,
    /// Zeros, and v0 for sources.
    Vgprs,
    /// Values that most operations accept.
    Typical,
    /// Any values.
    Random,
}

fn value(filling: Filling, width: u8, rng: &mut Rng) -> u32 {
    let any = rng.word();
    match (filling, width) {
        (Filling::Zero, _) => 0,
        // A field of nine bits is a source that can be a vector register.
        (Filling::Vgprs, 9) => 256,
        (Filling::Vgprs, _) => 0,
        (Filling::Typical, 9) => {
            rng.pick(&[256 + any % 224, 256 + any % 224, 128, 240, 255, 249, 250, 233, (any % 96) & !3])
        }
        (Filling::Typical, 8) => rng.pick(&[0, (any % 96) & !3, 128, 255, any & 224]),
        (Filling::Typical, 5..=7) => rng.pick(&[0, (any % 96) & !3, 106, 126, 127]),
        (Filling::Typical, 1) => any,
        (Filling::Typical, 2..=4) => rng.pick(&[0, 0, 0, any]),
        _ => any,
    }
}

fn fill(layout: &Layout, words: &mut [u32], filling: Filling, rng: &mut Rng) {
    for field in layout.fields.iter().filter(|f| !f.overlay) {
        let free = if filling == Filling::Random && rng.below(3) > 0 { Filling::Typical } else { filling };
        let value = field.fixed.map_or_else(|| value(free, field.width + field.hi_width, rng), u32::from);
        set(words, field, value);
    }
}

/// A field of the base words, the code in it that announces a dword after them, and the format of that dword.
pub type Announced = Extension;

/// Words that may be an instruction of the format with the opcode `number`. The dword after the base words is
/// `extension`, or the one that the random fields announce.
pub fn attempt(
    target: Target,
    base: &Layout,
    number: u16,
    extension: Option<&Announced>,
    filling: Filling,
    rng: &mut Rng,
) -> [u32; 5] {
    let mut words = [0; 5];
    fill(base, &mut words, filling, rng);
    // A format with a single operation has no opcode field.
    if let Some(op) = base.fields.iter().find(|f| f.field.name() == "op") {
        set(&mut words, op, number.into());
    }
    let info = |field| base.fields.iter().find(|f| f.field == field).expect("it is a field of the format");
    if let Some(extension) = extension {
        set(&mut words, info(extension.field), extension.code.into());
    }
    let size = usize::from(base.bits / 32);
    words[size..].iter_mut().for_each(|w| *w = rng.word());
    let holds = |e: &&Announced| {
        let info = info(e.field);
        FieldBits { lsb: info.lsb, width: info.width }.get(&words) == u32::from(e.code)
    };
    if let Some(extension) = base.extends.iter().find(holds).map(|e| e.format) {
        let filling = if filling == Filling::Zero { Filling::Zero } else { Filling::Random };
        fill(layout(target, extension), &mut words[size..], filling, rng);
    }
    words
}

/// Decodes, and changes the bits that the error names until the words decode. `None` if 60 attempts are not enough, or
/// the error names no bits.
pub fn repair(target: Target, words: &mut [u32; 5], rng: &mut Rng) -> Option<Inst> {
    repair_from(0, target, words, rng)
}

/// Repairs words as [`repair`] does, without changes of the first dword.
pub fn repair_after_base(target: Target, words: &mut [u32; 5], rng: &mut Rng) -> Option<Inst> {
    repair_from(32, target, words, rng)
}

fn repair_from(first: u8, target: Target, words: &mut [u32; 5], rng: &mut Rng) -> Option<Inst> {
    for _ in 0..60 {
        match decode_words(target, words) {
            Ok(inst) => return Some(inst),
            Err(DecodeError::ReservedBits { bit, .. }) if bit >= first => {
                words[usize::from(bit / 32)] ^= 1 << (bit % 32);
            }
            Err(DecodeError::ReservedValue { lsb, width, .. }) if lsb >= first => {
                let piece = FieldBits { lsb, width };
                let value = value(rng.pick(&[Filling::Vgprs, Filling::Typical, Filling::Random]), width, rng);
                piece.set(words, value);
            }
            Err(_) => return None,
        }
    }
    None
}

/// Up to `count` different instructions of an opcode, the simplest first.
pub fn legal(
    target: Target,
    (format, number, opcode): (Format, u16, Opcode),
    count: usize,
    rng: &mut Rng,
) -> Vec<Inst> {
    let base = layout(target, format);
    let mut found: Vec<Inst> = Vec::new();
    for round in 0..count * 4 + 20 {
        let filling = match round {
            0 => Filling::Zero,
            1 => Filling::Vgprs,
            _ => rng.pick(&[Filling::Typical, Filling::Random]),
        };
        let Some(inst) = repair(target, &mut attempt(target, base, number, None, filling, rng), rng) else { continue };
        // The repair may have changed a bit that distinguishes formats of the same encoding.
        let operation = inst.opcode() == opcode || inst.second_opcode() == Some(opcode);
        if inst.format() == format && operation && !found.contains(&inst) {
            found.push(inst);
        }
        if found.len() == count {
            break;
        }
    }
    found
}
