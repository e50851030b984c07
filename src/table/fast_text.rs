//! The types of the tables of precomputed texts.

/// The tables for printing common instructions.
pub(crate) struct FastText {
    /// For each opcode index: the position of its mnemonic in the list of all mnemonics (16 bits), the mnemonic's
    /// length (6), and the index of its first entry in `signatures` (10), or 0 if it has none.
    pub rows: &'static [u32],
    /// For each opcode index: the first dword of its instructions without operands and modifiers. `NO_FIRST` if
    /// there is no row, or if each instruction is two operations.
    pub first: &'static [u32],
    /// The signatures with precomputed texts. Entry 0 is for opcode indices without such a signature.
    pub signatures: &'static [FastSignature],
    /// Index in `signatures` from which on all entries are for instructions of three dwords or of two operations.
    pub special: usize,
    pub modifiers: &'static [FastModifier],
}

impl FastText {
    pub const NO_FIRST: u32 = u32::MAX;
}

/// The texts of the instructions of a signature whose operands have precomputed texts.
#[repr(align(64))]
pub(crate) struct FastSignature {
    /// Bits that have the value `match_value` if every operand has its usual text; otherwise an operand has another
    /// text or none.
    pub match_mask: u64,
    pub match_value: u64,
    /// Bits that have the value `modifier_default` if no modifier is printed.
    pub modifier_mask: u64,
    pub modifier_default: u64,
    /// The text after the mnemonic, and its length in the last byte.
    pub suffix: [u8; 8],
    /// Index of the first modifier in `FastText::modifiers`.
    pub modifiers: u16,
    /// The computation of the index of each text: rotate the words right by `rotations`, apply `masks`, and add `adds`.
    /// In instructions of three dwords, 128 bits are rotated.
    pub rotations: [u8; FastSignature::TEXTS],
    pub masks: [u16; FastSignature::TEXTS],
    pub adds: [u16; FastSignature::TEXTS],
    pub kind: TextKind,
    /// Distance to the entry to try if the words do not match this signature; 0 if there is none.
    pub next_delta: u8,
}

impl FastSignature {
    /// Number of texts in one entry. Instructions with more texts are rare.
    pub const TEXTS: usize = 4;
}

/// The kind of texts that a signature has. The enabled targets decide which of these occur.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// One text for each operand.
    Operands,
    /// One text for each operand; the texts of the remaining operands are in the next entry.
    MoreOperands,
    /// One text for each of the first operands; the others are printed by their descriptors.
    FirstOperands,
    /// Texts of the parts of the only operand. No part may be missing.
    Parts,
    /// Texts of the parts of the only operand; the next entry has more.
    MoreParts,
}

/// A signature that no words match.
pub(crate) const NO_FAST: FastSignature = FastSignature {
    match_mask: 0,
    match_value: 1,
    modifier_mask: 0,
    modifier_default: 0,
    suffix: [0; 8],
    modifiers: 0,
    rotations: [0; FastSignature::TEXTS],
    masks: [0; FastSignature::TEXTS],
    adds: [0; FastSignature::TEXTS],
    kind: TextKind::Operands,
    next_delta: 0,
};

pub(crate) struct FastModifier {
    /// Mask of the modifier's bits in the first two dwords. If the modifier is not printed, these bits are as in
    /// `FastSignature::modifier_default`.
    pub mask: u64,
    /// Mask of the modifier's bits in the third dword, which are zero if the modifier is not printed.
    pub third: u32,
    /// The text before the value, and its length in the last byte.
    pub label: [u8; 16],
    /// The two pieces of the value. Each is the words rotated right by the first number, under the second number as a
    /// mask.
    pub low: [u16; 2],
    pub high: [u16; 2],
    /// Index in `DescTables::descriptors`.
    pub desc: u16,
    /// Number of bits of the value that are used.
    pub width: u8,
    pub way: ModifierWay,
}

/// The kind of text after a modifier's label.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModifierWay {
    /// No value.
    Flag,
    Number,
    Signed,
    /// A signed number in the third dword, from bit `low[0]` on.
    Third,
    /// Two bits or three, in brackets.
    List,
    /// The text that the descriptor determines, without a label.
    Descriptor,
}
