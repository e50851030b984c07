//! What the tables of ready-made texts are made of.

/// The tables for printing common instructions.
pub(crate) struct FastText {
    /// For each opcode index: the position of its mnemonic in the list of all mnemonics (16 bits), the mnemonic's
    /// length (6), and its entry of `signatures` (10), counted from one; 0: it has none.
    pub rows: &'static [u32],
    /// For each opcode index: the first dword of its instructions without operands and modifiers; `NO_FIRST`: there
    /// is no row, or two operations make an instruction.
    pub first: &'static [u32],
    /// Entry 0 is for opcode indices without a fast signature.
    pub signatures: &'static [FastSignature],
    /// From this entry on, signatures are of instructions with three dwords, or of one of two operations.
    pub special: usize,
    pub modifiers: &'static [FastModifier],
}

impl FastText {
    pub const NO_FIRST: u32 = u32::MAX;
}

/// How to print the instructions of a signature whose operands have ready-made texts.
#[repr(align(64))]
pub(crate) struct FastSignature {
    /// Unless these bits have the value `unmarked`, some operand has another text or none.
    pub marks: u64,
    pub unmarked: u64,
    /// No modifier is printed if these bits have the value `quiet`.
    pub loud: u64,
    pub quiet: u64,
    /// The text after the mnemonic, and its length in the last byte.
    pub suffix: [u8; 8],
    /// The first of `FastText::modifiers`.
    pub modifiers: u16,
    /// How to find the number of each text: rotate the words right by `turns`, apply `masks`, and add `adds`. In
    /// instructions of three dwords, 128 bits are rotated.
    pub turns: [u8; FastSignature::TEXTS],
    pub masks: [u16; FastSignature::TEXTS],
    pub adds: [u16; FastSignature::TEXTS],
    pub kind: TextKind,
    /// If the words do not match this signature, the entry that is so many further on may match; 0: none does.
    pub another: u8,
}

impl FastSignature {
    /// Texts in one entry. Instructions with more are rare.
    pub const TEXTS: usize = 4;
}

/// What the texts of a signature are. The enabled targets decide which of these occur.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// One for each operand.
    Operands,
    /// One for each operand, and the texts of further operands are in the next entry.
    MoreOperands,
    /// One for each of the first operands; descriptors print the others.
    FirstOperands,
    /// Parts of the only operand, none of which may be missing.
    Parts,
    /// Such parts, and the next entry has more.
    MoreParts,
}

/// No words match it.
pub(crate) const NO_FAST: FastSignature = FastSignature {
    marks: 0,
    unmarked: 1,
    loud: 0,
    quiet: 0,
    suffix: [0; 8],
    modifiers: 0,
    turns: [0; FastSignature::TEXTS],
    masks: [0; FastSignature::TEXTS],
    adds: [0; FastSignature::TEXTS],
    kind: TextKind::Operands,
    another: 0,
};

pub(crate) struct FastModifier {
    /// Mask of its bits. The modifier is not printed if they have their value in `FastSignature::quiet`.
    pub loud: u64,
    /// Mask of its bits in the third dword, which are zero if the modifier is not printed.
    pub third: u32,
    /// The text before the value, and its length in the last byte.
    pub label: [u8; 16],
    /// The two pieces of the value: the words rotated right by the first number, under the second as a mask.
    pub low: [u16; 2],
    pub high: [u16; 2],
    /// Which of `DescTables::descriptors`.
    pub desc: u16,
    /// Number of bits of the value that are used.
    pub width: u8,
    pub way: ModifierWay,
}

/// What is printed after a modifier's label.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModifierWay {
    /// Nothing.
    Flag,
    Number,
    Signed,
    /// A signed number in the third dword, from bit `low[0]` on.
    Third,
    /// Two bits or three, in brackets.
    List,
    /// No label: the descriptor determines the text.
    Descriptor,
}
