//! The types of the tables of text.

use crate::code::VGPR;
use crate::kind::{ModifierList, NumberList};
use crate::opcode::Field;

pub(crate) struct TextTables {
    /// Code, name, and name as a 64-bit operand, of all codes except plain registers and integers.
    pub codes: &'static [(u16, &'static str, &'static str)],
    /// Index in `codes` for each code, counted from one; 0 if there is none.
    pub code_at: [u8; VGPR as usize],
    /// Opcode indices whose mnemonic has its own spelling on the target, with that mnemonic.
    pub spellings: &'static [(u16, &'static str)],
    pub hwreg: &'static [(u16, &'static str)],
    pub sendmsg: &'static [(u16, &'static str)],
    pub gs_op: &'static [(u16, &'static str)],
    pub sysmsg_op: &'static [(u16, &'static str)],
    pub instid: &'static [(u16, &'static str)],
    pub instskip: &'static [(u16, &'static str)],
    pub version: &'static [(u16, &'static str)],
    pub wait_event: &'static [(u16, &'static str)],
    pub dfmt: &'static [(u16, &'static str)],
    pub nfmt: &'static [(u16, &'static str)],
    pub buf_fmt: &'static [(u16, &'static str)],
    pub sdwa_sel: &'static [(u16, &'static str)],
    pub dst_unused: &'static [(u16, &'static str)],
    pub omod: &'static [(u16, &'static str)],
    pub dpp_ctrl: &'static [(u16, &'static str)],
    pub exp_tgt: &'static [(u16, &'static str)],
    pub swizzle: &'static [(u16, &'static str)],
    pub interp_param: &'static [(u16, &'static str)],
    pub dim: &'static [(u16, &'static str)],
    pub matrix_fmt: &'static [(u16, &'static str)],
    pub matrix_scale: &'static [(u16, &'static str)],
    pub matrix_scale_fmt: &'static [(u16, &'static str)],
    pub scope: &'static [(u16, &'static str)],
    pub th_load: &'static [(u16, &'static str)],
    pub th_load_system: &'static [(u16, &'static str)],
    pub th_store: &'static [(u16, &'static str)],
    pub th_store_system: &'static [(u16, &'static str)],
    pub th_atomic: &'static [(u16, &'static str)],
}

impl TextTables {
    /// The names for the numbers of an operand.
    pub fn of_number(&self, list: NumberList) -> &'static [(u16, &'static str)] {
        match list {
            NumberList::ExportTarget => self.exp_tgt,
            NumberList::InterpParam => self.interp_param,
        }
    }

    /// The names for the values of a modifier.
    pub fn of_modifier(&self, list: ModifierList) -> &'static [(u16, &'static str)] {
        match list {
            ModifierList::DstUnused => self.dst_unused,
            ModifierList::Dim => self.dim,
            ModifierList::MatrixFormat => self.matrix_fmt,
            ModifierList::MatrixScale => self.matrix_scale,
            ModifierList::MatrixScaleFormat => self.matrix_scale_fmt,
            ModifierList::Scope => self.scope,
            ModifierList::SdwaSel => self.sdwa_sel,
        }
    }
}

/// Opcode indices by mnemonic.
pub(crate) struct MnemonicTable {
    /// Slots of a hash table; their number is a power of two. A slot holds an opcode index counted from one, or 0 if it
    /// is empty. Each opcode index is in the slot of its mnemonic's hash or after it; an empty slot ends the search.
    pub slots: &'static [u16],
    /// Synonyms, sorted by their lower-case letters.
    pub synonyms: &'static [Synonym],
}

/// A name, the name that the tables use, and the modifier that the name implies.
pub(crate) type Synonym = (&'static str, &'static str, Implied);

/// A field and its value.
pub(crate) type Implied = Option<(Field, u32)>;
