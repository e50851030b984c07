//! The types of the tables of text.

use crate::code::VGPR;
use crate::opcode::Field;
use crate::table::Names;

/// The texts of names. For operand codes other than plain registers and integers: the code, the name, and the name as a
/// 64-bit operand. For other values: the value and the name.
pub(crate) type TextNames = Names<(u16, &'static str, &'static str), (u16, &'static str)>;

pub(crate) struct TextTables {
    pub names: TextNames,
    /// Index in `names.codes` for each code, counted from one; 0 if there is none.
    pub code_at: [u8; VGPR as usize],
    /// Opcode indices whose mnemonic has its own spelling on the target, with that mnemonic.
    pub spellings: &'static [(u16, &'static str)],
}

/// Opcode indices by mnemonic.
pub(crate) struct MnemonicTable {
    /// Slots of a hash table; their number is a power of two. A slot holds an opcode index counted from one, or 0 if it
    /// is empty. Each opcode index is in the slot of its mnemonic's hash or after it; an empty slot ends the search.
    pub slots: &'static [u16],
    /// Synonyms, sorted by their lower-case letters.
    pub synonyms: &'static [Synonym],
}

/// A synonym: the name in sources, the name that the tables use, and the modifier that the name in sources implies.
pub(crate) type Synonym = (&'static str, &'static str, Implied);

/// The modifier that a synonym implies: its field and value.
pub(crate) type Implied = Option<(Field, u32)>;
