//! Modifiers.

use super::{ModifierList, NONE, Position, one};

/// A kind of modifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ModifierKind {
    /// A modifier that the text omits, or that the text of another operand or modifier includes.
    Hidden,
    /// A list of bits: `name:[a,b,...]`.
    List(ListStyle),
    /// A number such as `byte_sel:2`, in any of the fields that can hold it; 0 is not printed.
    ByteSel,
    /// A flag, whose text is the name of the field if the bit is set.
    Flag {
        /// Whether the assembler also accepts `no` and the name for a clear bit. It does not if the flag selects
        /// another form of the operation.
        deniable: bool,
    },
    Omod,
    /// A truth table in three fields: this field has the high bits, and the fields at `middle` and `low` have the bits
    /// below. Without these two positions, the table is in one field.
    Bitop3 {
        middle: Position,
        low: Position,
    },
    /// A number as `name:value`, printed unless it is zero.
    Named,
    /// A number as `name:value`, printed even if it is zero.
    Wait,
    /// A signed number as `name:value`, printed unless it is zero.
    Signed,
    /// `name:NAME`, or a number.
    Choice(ModifierList),
    DppCtrl,
    DppBound,
    DppMask,
    Swizzle,
    /// A data format, with the number format at `nfmt`.
    MtbufFormat {
        nfmt: Position,
    },
    /// A data format and a number format as one number.
    BufferFormat,
    Dmask,
    /// A temporal hint, whose names depend on the scope at `scope`.
    TemporalHint {
        scope: Position,
    },
    /// A list of eight lanes. The code at `code`, which announces the trailing dword, is even if `fi` is 1.
    Dpp8 {
        code: Position,
    },
}

/// A style of lists of bits: the condition under which the text has the list, and the bits that the list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ListStyle {
    /// A list that is printed unless all bits are zero.
    Plain,
    /// A list as `Plain`, with the name `neg_lo`.
    NegLo,
    /// A list as `Plain`, with the name `neg`.
    Neg,
    /// A list as `Plain`, which shows bits that the operation does not use as 0.
    All,
    /// A list that is printed unless all bits are one.
    Ones,
    /// A list that is always printed, and shows bits that the operation does not use as 0.
    Always,
}

impl ModifierKind {
    /// The names of these kinds in `isa/operands.isa`.
    pub const NAMES: [(&'static str, ModifierKind); 31] = [
        ("none", ModifierKind::Hidden),
        ("list", ModifierKind::List(ListStyle::Plain)),
        ("list_neg_lo", ModifierKind::List(ListStyle::NegLo)),
        ("list_neg", ModifierKind::List(ListStyle::Neg)),
        ("list_all", ModifierKind::List(ListStyle::All)),
        ("list_ones", ModifierKind::List(ListStyle::Ones)),
        ("list_always", ModifierKind::List(ListStyle::Always)),
        ("byte_sel", ModifierKind::ByteSel),
        ("flag", ModifierKind::Flag { deniable: true }),
        ("switch", ModifierKind::Flag { deniable: false }),
        ("omod", ModifierKind::Omod),
        ("bitop3", ModifierKind::Bitop3 { middle: NONE, low: NONE }),
        ("named", ModifierKind::Named),
        ("wait", ModifierKind::Wait),
        ("signed", ModifierKind::Signed),
        ("sdwa_sel", ModifierKind::Choice(ModifierList::SdwaSel)),
        ("dst_unused", ModifierKind::Choice(ModifierList::DstUnused)),
        ("dpp_ctrl", ModifierKind::DppCtrl),
        ("dpp_bound", ModifierKind::DppBound),
        ("dpp_mask", ModifierKind::DppMask),
        ("swizzle", ModifierKind::Swizzle),
        ("mtbuf_format", ModifierKind::MtbufFormat { nfmt: NONE }),
        ("buf_fmt", ModifierKind::BufferFormat),
        ("dmask", ModifierKind::Dmask),
        ("dim", ModifierKind::Choice(ModifierList::Dim)),
        ("scope", ModifierKind::Choice(ModifierList::Scope)),
        ("matrix_fmt", ModifierKind::Choice(ModifierList::MatrixFormat)),
        ("matrix_scale", ModifierKind::Choice(ModifierList::MatrixScale)),
        ("matrix_scale_fmt", ModifierKind::Choice(ModifierList::MatrixScaleFormat)),
        ("th", ModifierKind::TemporalHint { scope: NONE }),
        ("dpp8", ModifierKind::Dpp8 { code: NONE }),
    ];

    /// Whether the text may omit the modifier, which then is zero or has the field's default.
    pub const fn is_optional(self) -> bool {
        use ModifierKind::{Dmask, Dpp8, DppCtrl, List};
        !matches!(self, List(ListStyle::Ones) | DppCtrl | Dpp8 { .. } | Dmask)
    }

    pub(super) const fn at(self, [a, b, ..]: [Position; 4]) -> ModifierKind {
        match self {
            ModifierKind::Bitop3 { .. } => ModifierKind::Bitop3 { middle: a, low: b },
            ModifierKind::MtbufFormat { .. } => ModifierKind::MtbufFormat { nfmt: a },
            ModifierKind::TemporalHint { .. } => ModifierKind::TemporalHint { scope: a },
            ModifierKind::Dpp8 { .. } => ModifierKind::Dpp8 { code: a },
            _ => self,
        }
    }

    pub(super) const fn positions(self) -> [Position; 4] {
        match self {
            ModifierKind::Bitop3 { middle, low } => [middle, low, NONE, NONE],
            ModifierKind::MtbufFormat { nfmt: at }
            | ModifierKind::TemporalHint { scope: at }
            | ModifierKind::Dpp8 { code: at } => one(at),
            _ => [NONE; 4],
        }
    }
}
