//! What LLVM's assembler does with a format.

/// What LLVM's assembler does with a format: the statement `assembler` in `isa/`.
pub(crate) struct AssemblerFacts {
    /// Whether the format is tried after shorter ones, and its mnemonics can end in `_e64`.
    pub is_long: bool,
    /// Whether the assembler itself applies signs to a float if the instruction has no bits for the signs.
    pub folds_signs: bool,
    pub open: Open,
}

/// The sources that can be a value which a linker fills in.
#[derive(Clone, Copy)]
pub(crate) enum Open {
    /// No source.
    None,
    /// Sources of 32 bits that are not floats.
    Integers,
    /// Sources of 32 bits.
    Words,
    /// Sources of 32 and of 64 bits.
    Wide,
}
