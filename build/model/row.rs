//! Rows of operations.

use super::*;

/// One word of a row's operand column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Token {
    /// An operand: `sdst=b32`, `src0.vgpr9:f32x2`, `vdst=b32@rtn`, `vdst=b32&gfx10`.
    Operand {
        name: String,
        operand_type: Option<String>,
        access: Access,
        ty: String,
        on_return: bool,
        /// `&gfx10`: the targets on which the destination keeps a part of its old value, and so is also read. Before
        /// `resolve`, the list has the generations as written in the row.
        kept: Vec<String>,
        /// The targets on which the row has the operand; empty if all do.
        only: Vec<String>,
    },
    /// A modifier: `clamp`, `abs[0,1]`, `dpp_ctrl.dpp_ctrl64`.
    Modifier {
        name: String,
        operand_type: Option<String>,
        bits: Option<Vec<u8>>,
        /// `dlc@gfx11`: the targets on which the row has the modifier; empty if all do. Before `resolve`, the list has
        /// the generations as written in the row.
        only: Vec<String>,
    },
    /// `any:abs[1]`: these bits are ignored, whether or not the field is marked `~`.
    Any { name: String, bits: Option<Vec<u8>> },
    /// `zero:gds`: the bits must be zero, whether or not the field is marked `~`; `one:gds`: they must be one.
    Must { name: String, bits: Option<Vec<u8>>, ones: bool },
    /// The start of the second of two operations. The tables do not contain this token; it is added where the halves
    /// are joined.
    Second,
    /// `only:x`: the row is in this half of a dual format only.
    Only(String),
    /// `sdwa:FF`: the row also has a form with this extension, and the macro `FF` of the extension's format lists its
    /// fields.
    Form { format: String, macro_name: String },
    /// Any other name, which may be a macro of the format.
    Word(String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Access {
    Read,
    Write,
    ReadWrite,
}

impl Access {
    pub fn of(reads: bool, writes: bool) -> Option<Access> {
        match (reads, writes) {
            (true, true) => Some(Access::ReadWrite),
            (true, false) => Some(Access::Read),
            (false, true) => Some(Access::Write),
            (false, false) => None,
        }
    }

    pub fn reads(self) -> bool {
        self != Access::Write
    }

    pub fn writes(self) -> bool {
        self != Access::Read
    }
}

#[derive(Debug)]
pub struct Row {
    pub at: SourceLine,
    pub mnemonic: String,
    pub tokens: Vec<Token>,
    pub reads: Vec<String>,
    pub writes: Vec<String>,
    pub flags: Vec<String>,
    /// `passes=8,gfx950=16`: the number of passes of the matrix core; in `4/8`, the second number applies to factors of
    /// 8 bits.
    pub passes: Option<Cells<(u8, u8)>>,
    /// `address=pc`: the operation's step in computing an address, one of `ADDRESS_STEPS`.
    pub address: Option<String>,
    /// `purpose=nop`: the purpose for which code uses the operation, one of `PURPOSES`. One of the operation's rows has
    /// it.
    pub purpose: Option<String>,
    /// The opcode number, and the target's own spelling of the mnemonic.
    pub opcode: Cells<(u16, Option<String>)>,
}
