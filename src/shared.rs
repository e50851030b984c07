//! What the library and the generator in `build/` must agree on: both include this file.

/// Whether words that keep to a class's masks and sets are still refused, because several fields do not fit together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum RuleKind {
    /// The field names the first of `Rule::n` registers, and the last of them must exist.
    Room,
    /// The field must hold the code of a scalar register.
    Scalar,
    /// The words are refused.
    Never,
    /// The field names the first register of image data, and the last one must exist. `Rule::n` is what the operation is,
    /// as `image::*`. The rule does not ask for values; it looks at dmask, tfe and d16, of which the last two may be
    /// missing.
    Image,
}

impl RuleKind {
    /// The bit of this kind in a set of kinds.
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// What else a class says of its words.
pub mod marks {
    /// The row has the lds bit: what goes to LDS is no operand.
    pub const LDS: u8 = 1;
    /// The row has the d16 bit, and it packs two components in a register.
    pub const D16: u8 = 1 << 1;
    /// A tuple is as long as other fields say: every operand must be asked for its size.
    pub const SIZED: u8 = 1 << 2;
    /// There is something in `DecodeTables::wide`.
    pub const WIDE: u8 = 1 << 3;
    /// There is something in `DecodeTables::more` or `ones`.
    pub const FURTHER: u8 = 1 << 4;
    /// With these marks the masks and sets do not say everything.
    pub const CLOSER: u8 = SIZED | WIDE | FURTHER;
}

/// How many registers image data take.
pub mod image {
    /// As many as there are components.
    pub const DATA: u8 = 1;
    /// Four components.
    pub const GATHER: u8 = 1 << 1;
    pub const ATOMIC: u8 = 1 << 2;
    pub const CMPSWAP: u8 = 1 << 3;
    /// The d16 bit packs two components in a register.
    pub const D16: u8 = 1 << 4;
}
