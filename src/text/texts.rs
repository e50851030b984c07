//! Ready-made texts of operands.

/// `s5, `, `v[4:5], ` and `-5, ` by operand codes, with their lengths in the last of 16 bytes; that is `MISSING` where a
/// code is something else, or not the same on all targets. Their numbers are in build/emit/operand_texts.rs.
pub(super) static TEXTS: Aligned<[Text; COUNT]> = Aligned(split(include_bytes!(concat!(env!("OUT_DIR"), "/texts"))));

pub(super) type Text = [u8; 16];
/// As many as any number that is made of 16 bits and a text's size.
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

/// No text lies in two lines of the cache.
#[repr(align(64))]
pub(super) struct Aligned<T>(pub T);

/// In the place of the length of a text that is not there: its lowest four bits are zero, so that nothing is put down.
pub(super) const MISSING: u8 = 0x40;
