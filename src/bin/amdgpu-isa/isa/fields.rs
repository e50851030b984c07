//! The fields of an instruction, as the `explain` pictures want them.

use super::Inst;

/// One named field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldView {
    /// Name as in the manual, such as `ssrc0`.
    pub name: String,
    /// `(lsb, width)` in bits of the whole instruction, from the low end of the value to its high end.
    /// More than one piece is a split field.
    pub pieces: Vec<(u32, u32)>,
    pub value: u64,
    /// What the value stands for, such as `s[4:5]`; empty when there is nothing to add.
    pub meaning: String,
}

pub fn fields(inst: &Inst) -> Vec<FieldView> {
    // Until the library names its fields: whole dwords, and SOPP as a sample.
    let field = |name: &str, lsb, width, value, meaning: &str| FieldView {
        name: name.into(),
        pieces: vec![(lsb, width)],
        value,
        meaning: meaning.into(),
    };
    let words = inst.words();
    let first = u64::from(words.first().copied().unwrap_or(0));
    let mut views = if first >> 23 == 0x17f {
        vec![
            field("encoding", 23, 9, first >> 23, "SOPP"),
            field("op", 16, 7, first >> 16 & 0x7f, ""),
            field("simm16", 0, 16, first & 0xffff, ""),
        ]
    } else {
        vec![field("dword0", 0, 32, first, "")]
    };
    views
        .extend(words.iter().zip(0..).skip(1).map(|(&w, i)| field(&format!("dword{i}"), 32 * i, 32, u64::from(w), "")));
    views
}
