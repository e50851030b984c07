//! The meanings of names and constants on a target.

use crate::kind::{ModifierList, NumberList};
use crate::opcode::{Field, Format};

/// The meanings of names on the target. A name is identified by the number of its row, which is the same on all
/// targets.
pub(crate) struct NameTables {
    /// Names of operand codes.
    pub codes: &'static [Named],
    pub hwreg: &'static [Named],
    pub sendmsg: &'static [Named],
    pub gs_op: &'static [Named],
    pub sysmsg_op: &'static [Named],
    pub instid: &'static [Named],
    pub instskip: &'static [Named],
    #[allow(dead_code)] // A version means the same on all targets.
    pub version: &'static [Named],
    #[allow(dead_code)] // No target gives a bit another name.
    pub wait_event: &'static [Named],
    pub dfmt: &'static [Named],
    pub nfmt: &'static [Named],
    pub buf_fmt: &'static [Named],
    pub sdwa_sel: &'static [Named],
    pub dst_unused: &'static [Named],
    pub omod: &'static [Named],
    pub dpp_ctrl: &'static [Named],
    pub exp_tgt: &'static [Named],
    pub swizzle: &'static [Named],
    pub interp_param: &'static [Named],
    pub dim: &'static [Named],
    pub matrix_fmt: &'static [Named],
    pub matrix_scale: &'static [Named],
    pub matrix_scale_fmt: &'static [Named],
    pub scope: &'static [Named],
    #[allow(dead_code)] // Stores have all the values of loads and of atomic operations.
    pub th_load: &'static [Named],
    #[allow(dead_code)]
    pub th_load_system: &'static [Named],
    pub th_store: &'static [Named],
    #[allow(dead_code)]
    pub th_store_system: &'static [Named],
    #[allow(dead_code)]
    pub th_atomic: &'static [Named],
}

impl NameTables {
    /// The names for the numbers of an operand.
    pub fn of_number(&self, list: NumberList) -> &'static [Named] {
        match list {
            NumberList::ExportTarget => self.exp_tgt,
            NumberList::InterpParam => self.interp_param,
        }
    }

    /// The names for the values of a modifier.
    pub fn of_modifier(&self, list: ModifierList) -> &'static [Named] {
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

/// A format that replaced another one, and the fields that were renamed.
pub(crate) struct Successor {
    pub old: Format,
    pub new: Format,
    pub renames: &'static [(Field, Field)],
}

/// A run of codes or values with one name.
pub(crate) struct Named {
    pub first: u16,
    pub last: u16,
    pub row: u8,
}

/// The parts of the constants of `src/imm.rs`.
pub(crate) struct ImmTables {
    pub waitcnt: [Part; 3],
    pub hwreg: [Part; 3],
    pub sendmsg: [Part; 3],
    pub gpr_idx: [Part; 4],
    pub depctr: [Part; 7],
    pub delay_alu: [Part; 3],
}

/// The position of a part of a constant, its low bits first. A part that the target lacks has no bits.
pub(crate) struct Part {
    pub lsb: u8,
    pub width: u8,
    pub hi: u8,
    pub hi_width: u8,
}
