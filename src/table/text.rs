//! What the tables of text are made of.

/// What the common instructions are printed with.
pub(crate) struct QuickTables {
    /// Pages of `rows`.
    pub pages: &'static [u8],
    /// Of each slot where its mnemonic stands in the list of all (16 bits), its length (6), and which of
    /// `shapes` it is (10), counted from one; 0: it has none.
    pub rows: &'static [u32],
    pub shapes: &'static [QuickShape],
    pub operands: &'static [QuickOperand],
    pub modifiers: &'static [QuickModifier],
}

/// Operands, and modifiers behind them.
pub(crate) struct QuickShape {
    /// If one of these bits is set, operands are more than their codes say.
    pub marks: u64,
    /// No modifier is printed if these bits have the value `quiet`.
    pub loud: u64,
    pub quiet: u64,
    /// What stands behind the mnemonic: a blank, with `_e32` or `_e64` before it; its length is in the last byte.
    pub suffix: u64,
    /// Run of `QuickTables::operands`.
    pub first: u16,
    pub operands: u8,
    /// Run of `QuickTables::modifiers`.
    pub count: u8,
    pub modifiers: u16,
}

pub(crate) struct QuickModifier {
    /// Nothing is printed if these bits have the value `quiet`.
    pub loud: u64,
    pub quiet: u64,
    /// Which of `ItemTables::items`.
    pub item: u16,
    pub way: ModifierWay,
    /// What stands before the value, and its length in the last byte.
    pub label: [u8; 16],
}

/// What stands behind a modifier's label.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModifierWay {
    /// Nothing.
    Flag,
    Number,
    Signed,
    /// The bits that the row uses, in brackets.
    List,
    /// There is no label: all is as the item says.
    Item,
}

pub(crate) struct QuickOperand {
    /// The words are turned so far to the right that the masked bits are the number of the text, less what is added;
    /// for ways other than `Text` and `Number` the sum is `OTHER` more.
    pub turn: u8,
    pub way: Way,
    pub mask: u16,
    pub add: u16,
    pub dwords: u8,
    /// Which of `ItemTables::items`.
    pub item: u16,
    /// What some ways look at besides, or `NONE`.
    pub bit: u8,
}

/// How an operand is printed.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the text of its number; if there is none, by its code.
    Text,
    /// The same; the bit makes vector registers accumulation registers.
    AccText,
    /// The same; 127 in the seven bits from the bit on makes a register a pair.
    Address,
    /// More than two registers, by their code.
    Tuple,
    /// The same; the bit makes vector registers accumulation registers.
    AccTuple,
    /// A small number by its text, others as the item says.
    Number,
    /// A constant.
    Constant,
    /// The counters that are waited for.
    Waitcnt,
    /// As the item says.
    Item,
}

pub(crate) struct TextTables {
    /// Code, name, and name as a 64-bit operand, of all codes that are no plain register or integer.
    pub codes: &'static [(u16, &'static str, &'static str)],
    /// Which of `codes` is the code's, counted from one.
    pub code_at: [u8; 256],
    /// Slots whose mnemonic the target spells in its own way.
    pub spellings: &'static [(u16, &'static str)],
    pub hwreg: &'static [(u16, &'static str)],
    pub sendmsg: &'static [(u16, &'static str)],
    pub gs_op: &'static [(u16, &'static str)],
    pub sysmsg_op: &'static [(u16, &'static str)],
    pub dfmt: &'static [(u16, &'static str)],
    pub nfmt: &'static [(u16, &'static str)],
    pub sdwa_sel: &'static [(u16, &'static str)],
    pub dst_unused: &'static [(u16, &'static str)],
    pub omod: &'static [(u16, &'static str)],
    pub dpp_ctrl: &'static [(u16, &'static str)],
    pub exp_tgt: &'static [(u16, &'static str)],
    pub swizzle: &'static [(u16, &'static str)],
    pub interp_param: &'static [(u16, &'static str)],
    pub dim: &'static [(u16, &'static str)],
    pub scope: &'static [(u16, &'static str)],
    pub th: &'static [(u16, &'static str)],
}
