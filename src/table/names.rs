//! The meanings of names and constants on a target.

use crate::kind::{ModifierList, NumberList};
use crate::opcode::{Field, Format};

/// The names of codes and values on a target: `C` for a name of operand codes, `N` for a name of other values. Each
/// list but `codes` is an enum of the same name in `isa/`.
#[allow(dead_code)] // Re-targeting needs only some of the lists, and without text they have no other use.
pub(crate) struct Names<C: 'static, N: 'static> {
    /// Names of operand codes.
    pub codes: &'static [C],
    pub hwreg: &'static [N],
    pub sendmsg: &'static [N],
    pub gs_op: &'static [N],
    pub sysmsg_op: &'static [N],
    pub instid: &'static [N],
    pub instskip: &'static [N],
    pub version: &'static [N],
    pub wait_event: &'static [N],
    pub dfmt: &'static [N],
    pub nfmt: &'static [N],
    pub buf_fmt: &'static [N],
    pub sdwa_sel: &'static [N],
    pub dst_unused: &'static [N],
    pub omod: &'static [N],
    pub dpp_ctrl: &'static [N],
    pub exp_tgt: &'static [N],
    pub swizzle: &'static [N],
    pub interp_param: &'static [N],
    pub dim: &'static [N],
    pub matrix_fmt: &'static [N],
    pub matrix_scale: &'static [N],
    pub matrix_scale_fmt: &'static [N],
    pub scope: &'static [N],
    pub th_load: &'static [N],
    pub th_load_system: &'static [N],
    pub th_store: &'static [N],
    pub th_store_system: &'static [N],
    pub th_atomic: &'static [N],
}

/// The meanings of names on the target. A name is identified by the number of its row, which is the same on all
/// targets.
pub(crate) type NameTables = Names<Named, Named>;

impl<C, N> Names<C, N> {
    /// The names for the numbers of an operand.
    pub fn of_number(&self, list: NumberList) -> &'static [N] {
        match list {
            NumberList::ExportTarget => self.exp_tgt,
            NumberList::InterpParam => self.interp_param,
        }
    }

    /// The names for the values of a modifier.
    pub fn of_modifier(&self, list: ModifierList) -> &'static [N] {
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

/// A run of bits of a hardware register that belongs to a field.
pub(crate) struct HwregField {
    /// The register's number.
    pub register: u8,
    /// The bit of the register at which the run begins.
    pub lsb: u8,
    pub width: u8,
    /// The number of the field's name, which is the same on all targets and in all registers.
    pub name: u8,
    /// The bit of the field at which the run begins.
    pub index: u8,
}

impl HwregField {
    /// The bits of the register.
    pub fn bits(&self) -> core::ops::Range<u8> {
        self.lsb..self.lsb + self.width
    }
}

/// The fields of a target's hardware registers.
pub(crate) type HwregTables = &'static [HwregField];

/// The parts of the constants of `src/imm.rs`, and the operations of messages.
pub(crate) struct ImmTables {
    pub waitcnt: [Part; 3],
    pub hwreg: [Part; 3],
    pub sendmsg: [Part; 3],
    pub gpr_idx: [Part; 4],
    pub depctr: [Part; 7],
    pub delay_alu: [Part; 3],
    #[allow(dead_code)] // Text and re-targeting need it.
    pub messages: &'static [MessageOperations],
}

/// A list of operations of messages, which is an enum of the same name in `isa/`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationList {
    GsOp,
    SysmsgOp,
}

/// The operations of a message that has some, or that has some on other targets.
#[allow(dead_code)] // Text and re-targeting need it.
pub(crate) struct MessageOperations {
    /// The number of the message.
    pub message: u8,
    pub list: OperationList,
    /// Whether the message can be sent without an operation.
    pub is_optional: bool,
    /// Whether the target has the message.
    pub exists: bool,
}

#[allow(dead_code)] // Text and re-targeting need it.
impl MessageOperations {
    /// Whether a stream number follows this operation.
    pub fn has_stream(&self, op: u8) -> bool {
        self.list == OperationList::GsOp && op != 0
    }

    /// Whether the message can be sent with this operation.
    pub fn accepts(&self, op: u8) -> bool {
        self.list != OperationList::GsOp || self.is_optional || op != 0
    }
}

#[allow(dead_code)] // Text and re-targeting need it.
impl ImmTables {
    /// The operations of a message; `None` if it has none on this target.
    pub fn operations_of(&self, message: u8) -> Option<&'static MessageOperations> {
        self.messages.iter().find(|row| row.exists && row.message == message)
    }

    /// The operations whose names assemblers accept after the number of a message, even if the message has
    /// no operations.
    pub fn operations_after(&self, message: u8) -> OperationList {
        self.messages.iter().find(|row| row.message == message).map_or(OperationList::GsOp, |row| row.list)
    }
}

#[allow(dead_code)] // Text and re-targeting need it.
impl<C, N> Names<C, N> {
    /// The names of the operations of messages.
    pub fn of_operations(&self, list: OperationList) -> &'static [N] {
        match list {
            OperationList::GsOp => self.gs_op,
            OperationList::SysmsgOp => self.sysmsg_op,
        }
    }
}

/// The position of a part of a constant: of its low bits, then of its high bits. A part that the target lacks has no
/// bits.
pub(crate) struct Part {
    pub lsb: u8,
    pub width: u8,
    pub hi: u8,
    pub hi_width: u8,
}
