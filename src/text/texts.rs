//! Precomputed texts of operands.

/// The texts of operand codes, such as `s5, `, `v[4:5], ` and `-5, `, with the length in the last of 16 bytes. The
/// length is `MISSING` for codes without a precomputed text, such as codes that differ between targets.
/// build/emit/operand_texts.rs assigns the indices.
pub(super) static TEXTS: Aligned<[Text; COUNT]> = Aligned(split(include_bytes!(concat!(env!("OUT_DIR"), "/texts"))));

pub(super) type Text = [u8; 16];
/// The number of entries, enough for any index that is a 16-bit number divided by the size of a text.
const COUNT: usize = 1 << 12;

const fn split(mut bytes: &[u8]) -> [Text; COUNT] {
    let mut all = [[0; 16]; COUNT];
    let mut n = 0;
    while let Some((text, rest)) = bytes.split_first_chunk() {
        all[n] = *text;
        bytes = rest;
        n += 1;
    }
    all
}

/// A table whose alignment keeps each text within one cache line.
#[repr(align(64))]
pub(super) struct Aligned<T>(pub T);

/// The length of a missing text. The lowest four bits of this length are zero, so the text takes no space.
pub(super) const MISSING: u8 = 0x40;
