//! The values that a field could have: the decoder is asked about each.

use amdgpu_isa::layout::FieldInfo;
use amdgpu_isa::{Field, Inst, Target, decode_words};
use serde::Serialize;

/// The greatest number of bits of a field whose values are listed. Wider fields are numbers.
const WIDEST: u32 = 10;

/// The length of the longest instruction in dwords.
const MOST: usize = 5;

/// A run of values, and the meanings of the first and last.
#[derive(Serialize)]
pub struct Run {
    pub first: u32,
    pub last: u32,
    pub text: [String; 2],
}

/// The bits of a field within an instruction.
#[derive(Clone)]
pub struct Place {
    pub field: Field,
    pub pieces: Vec<(u32, u32)>,
}

impl Place {
    pub fn new(info: &FieldInfo, first_bit: u32) -> Place {
        let pieces = [(info.lsb, info.width), (info.hi, info.hi_width)].into_iter().filter(|(_, width)| *width > 0);
        Place {
            field: info.field,
            pieces: pieces.map(|(lsb, width)| (first_bit + u32::from(lsb), u32::from(width))).collect(),
        }
    }

    pub fn width(&self) -> u32 {
        self.pieces.iter().map(|(_, width)| width).sum()
    }

    pub fn read(&self, words: &[u32]) -> u32 {
        self.bits().enumerate().fold(0, |value, (n, bit)| {
            let word = words.get(bit as usize / 32).copied().unwrap_or(0);
            value | (word >> (bit % 32) & 1) << n
        })
    }

    pub fn write(&self, words: &mut [u32], value: u32) {
        for (n, bit) in self.bits().enumerate() {
            if let Some(word) = words.get_mut(bit as usize / 32) {
                *word = *word & !(1 << (bit % 32)) | (value >> n & 1) << (bit % 32);
            }
        }
    }

    fn bits(&self) -> impl Iterator<Item = u32> {
        self.pieces.iter().flat_map(|&(lsb, width)| lsb..lsb + width).take(32)
    }
}

/// The values of a field of the first instruction; none if it has no such field, or one wider than `WIDEST`.
pub fn of(target: Target, words: &[u32], field: &str) -> Vec<Run> {
    let Ok(inst) = decode_words(target, words) else { return Vec::new() };
    let held = inst.fields().find(|held| held.info.field.name() == field && held.info.fixed.is_none());
    held.map_or(Vec::new(), |held| runs(target, words, &Place::new(held.info, held.first_bit.into())))
}

/// The values of some bits that the decoder accepts while all other bits stay.
pub fn runs(target: Target, words: &[u32], place: &Place) -> Vec<Run> {
    if place.width() > WIDEST {
        return Vec::new();
    }
    let mut probe = padded(words);
    let mut runs: Vec<Run> = Vec::new();
    for value in 0..1 << place.width() {
        place.write(&mut probe, value);
        let Ok(inst) = decode_words(target, &probe) else { continue };
        if place.field == Field::Encoding || place.read(&probe) != value {
            continue;
        }
        let text = meaning(&inst, place.field);
        match runs.last_mut() {
            Some(run) if run.last + 1 == value && follows(&run.text[1], &text) => {
                run.last = value;
                run.text[1] = text;
            }
            _ => runs.push(Run { first: value, last: value, text: [text.clone(), text] }),
        }
    }
    runs
}

/// The words with zeros after them, so that no value is refused because a dword is missing.
pub fn padded(words: &[u32]) -> [u32; MOST] {
    std::array::from_fn(|n| words.get(n).copied().unwrap_or(0))
}

fn meaning(inst: &Inst, field: Field) -> String {
    if field == Field::Op {
        return inst.mnemonic().into();
    }
    inst.field_text(field).to_string()
}

/// Whether a text is the next one of a run: equal, apart from its numbers, which are all greater by one.
fn follows(before: &str, after: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    let others = |text: &str| text.split(is_digit).filter(|s| !s.is_empty()).map(String::from).collect::<Vec<_>>();
    let numbers = |text: &str| text.split(|c| !is_digit(c)).filter_map(|s| s.parse().ok()).collect::<Vec<u64>>();
    let (a, b) = (numbers(before), numbers(after));
    others(before) == others(after)
        && a.len() == b.len()
        && (a.iter().zip(&b).all(|(a, b)| a + 1 == *b) || a.is_empty())
}
