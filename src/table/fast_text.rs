//! What the tables of ready-made texts are made of.

/// What the common instructions are printed with.
pub(crate) struct FastText {
    /// Of each opcode index where its mnemonic stands in the list of all (16 bits), its length (6), and which of
    /// `signatures` it is (10), counted from one; 0: it has none.
    pub rows: &'static [u32],
    /// The first is that of what has none.
    pub signatures: &'static [FastSignature],
    pub modifiers: &'static [FastModifier],
}

/// How a signature is printed while its operands have ready-made texts.
#[repr(align(64))]
pub(crate) struct FastSignature {
    /// If these bits have another value than `unmarked`, some operand has another text, or none.
    pub marks: u64,
    pub unmarked: u64,
    /// No modifier is printed if these bits have the value `quiet`.
    pub loud: u64,
    pub quiet: u64,
    /// What stands behind the mnemonic, and its length in the last byte.
    pub suffix: [u8; 8],
    /// The first of `FastText::modifiers`.
    pub modifiers: u16,
    /// The number of an operand's text: the words are turned so far to the right, masked, and this is added.
    pub turns: [u8; FastSignature::TEXTS],
    pub masks: [u16; FastSignature::TEXTS],
    pub adds: [u16; FastSignature::TEXTS],
    /// There are more operands, which are printed by their descriptors.
    pub more: bool,
    /// If it is not that, the next signature may be.
    pub another: bool,
}

impl FastSignature {
    /// Instructions with more than that are rare.
    pub const TEXTS: usize = 4;
}

/// No words are of it.
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
    more: false,
    another: false,
};

pub(crate) struct FastModifier {
    /// Its bits: nothing is printed if they have the value that `FastSignature::quiet` has there.
    pub loud: u64,
    /// What stands before the value, and its length in the last byte.
    pub label: [u8; 16],
    /// The pieces of the value: the words turned so far to the right, and masked.
    pub low: [u16; 2],
    pub high: [u16; 2],
    /// Which of `DescTables::descriptors`.
    pub desc: u16,
    /// Bits of the value that are used.
    pub width: u8,
    pub way: ModifierWay,
}

/// What stands behind a modifier's label.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModifierWay {
    /// Nothing.
    Flag,
    Number,
    Signed,
    /// Two bits or three, in brackets.
    List,
    /// There is no label: all is as the descriptor says.
    OperandDesc,
}
