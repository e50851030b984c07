//! The tables that the operand iterator reads.

use super::OperandDesc;
#[cfg(not(feature = "fast"))]
use super::paged_from;
#[cfg(not(feature = "fast"))]
use super::sizes::ListIndex;
#[cfg(feature = "fast")]
use super::sizes::{FAST_OPERANDS, OP_INDICES};
use super::sizes::{OperandList, ROW_BITS, StoredList};
#[cfg(feature = "fast")]
use super::values::value_table::Values;
use crate::opcode::Field;
use crate::value::{Access, Operand, Value};

/// The tables that the operand iterator reads. The descriptors here omit differences that matter only to text.
pub(crate) struct OperandTables {
    /// Index in `lists` for the base form of each opcode index.
    #[cfg(feature = "fast")]
    pub list_of: [u16; OP_INDICES],
    /// Pages of `list_of`, each with the base that its entries are relative to.
    #[cfg(not(feature = "fast"))]
    pub pages: &'static [(u8, u16)],
    #[cfg(not(feature = "fast"))]
    pub list_of: &'static [ListIndex],
    /// The operands of each form, as indices in `rows`, the first operand in the lowest bits. Zero ends a list.
    pub lists: &'static [StoredList],
    /// Lists for common words. Entry n is the first to try for list n; after these entries come those that
    /// `FastOperands::next` names.
    #[cfg(feature = "fast")]
    pub fast: [FastOperands; FAST_OPERANDS],
    /// The lists of forms with a trailing dword, sorted by `base` and `first`.
    pub forms: &'static [Forms],
    pub rows: Rows,
    /// The table of values: see src/table/values/value_table.rs.
    #[cfg(feature = "fast")]
    pub values: &'static Values,
    /// The descriptors of rows with `How::Other`. Each row holds the number of dwords itself, so that rows can share a
    /// descriptor.
    pub descs: &'static [OperandDesc],
    /// Terms: conditions under which instructions keep a part of an operand's old value. A row names a run of terms.
    pub kept: &'static [Term],
    pub sgpr_last: u16,
    pub ttmp_first: u16,
    pub ttmp_last: u16,
    /// The code that means "no scalar address".
    pub off: u16,
    /// The code that means "neither a scalar nor a vector address"; `u16::MAX` if there is none.
    pub neither: u16,
    /// Whether a code announces a literal of 64 bits.
    pub has_literal64: bool,
    /// Width of vcc and exec in bits.
    pub lanes: u8,
}

/// The lists of consecutive forms of an operation: `list` for the form `first`, the next list for the next form, and so
/// on.
pub(crate) struct Forms {
    /// The list of the base form.
    pub base: u16,
    /// The first form, and the number of forms.
    pub first: u8,
    pub count: u8,
    /// The list of the first form.
    pub list: u16,
}

/// The index in `rows` of the first operand of a list.
#[inline(always)]
pub(crate) const fn first_row(list: OperandList) -> usize {
    list as usize % (1 << ROW_BITS)
}

/// The rows. With the feature `fast` there is a row for every number, so that no index needs a bounds check.
#[cfg(feature = "fast")]
pub(crate) type Rows = [Row; 1 << ROW_BITS];
#[cfg(not(feature = "fast"))]
pub(crate) type Rows = &'static [Row];

/// A list of operands for words that have no literal and in which some bits have a given value.
#[cfg(feature = "fast")]
#[derive(Clone, Copy)]
pub(crate) struct FastOperands {
    /// The list, as in `OperandTables::lists`.
    pub list: OperandList,
    /// Mask of the bits that must have a given value, and that value.
    pub match_mask: u64,
    pub match_value: u64,
    /// The form and the number of dwords, as in `Inst::meta`, and the flag `VARIED`.
    pub length: u32,
    /// Index of the entry to try if the words do not match this one; 0 if there is none.
    pub next: u16,
}

/// Padding, which no words match.
#[cfg(feature = "fast")]
pub(crate) const NO_FAST_OPERANDS: FastOperands =
    FastOperands { list: 0, match_mask: 0, match_value: 1, length: 0, next: 0 };

/// A flag in `FastOperands::length`: there are no operands, or some are not `How::Value`.
#[cfg(feature = "fast")]
pub(crate) const VARIED: u32 = 1;

/// A condition on the words: the bits under a mask have a value.
pub(crate) struct Term {
    pub mask: [u32; 4],
    pub value: [u32; 4],
}

/// A row of the tables: one operand.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub how: How,
    /// The number of bits by which the words are rotated right; under `mask` they are then the value of the field. From
    /// 64 on, for `How::Varied`: the field is in the third dword. For `How::Other`: the dwords of the descriptor.
    pub turn: u8,
    /// The number of bits by which the words are shifted right; the bit at `VECTOR` then makes a vector register an
    /// accumulation register. `NO_SHIFT`: there is no such bit. For `How::If`: the position of the bit that decides.
    /// For `How::Hwreg`: the lowest number of a hardware register. For `How::Kept` and `How::Other`: the first term in
    /// `OperandTables::kept`.
    pub acc: u8,
    /// The number of bits by which the words are shifted right; the lowest seven bits are then a scalar address. If the
    /// address is `OperandTables::off`, the operand is twice as long. For `How::Hwreg`: the highest number of a
    /// hardware register. For `How::Kept` and `How::Other`: the number of terms.
    pub address: u8,
    pub mask: Number,
    /// Number that is added to the field's value to give an index in the table of src/table/values.rs. For
    /// `How::Other`: the index of the descriptor.
    pub add: Number,
    like: Like,
}

/// A number in a row: 16 bits are enough, but 32 are faster.
#[cfg(feature = "fast")]
type Number = u32;
#[cfg(not(feature = "fast"))]
type Number = u16;

/// An operand without its value. With the feature `fast` it is a complete `Operand`, so that copying it is one
/// operation.
#[derive(Clone, Copy)]
struct Like {
    #[cfg(feature = "fast")]
    operand: Operand,
    #[cfg(not(feature = "fast"))]
    operand: (Option<Field>, u16, Access),
}

impl Like {
    const fn new(role: Option<Field>, bits: u16, access: Access) -> Like {
        #[cfg(feature = "fast")]
        let operand = Operand { role, value: Value::Off, bits, access };
        #[cfg(not(feature = "fast"))]
        let operand = (role, bits, access);
        Like { operand }
    }
}

impl Row {
    pub(crate) const fn new(
        how: How,
        [turn, acc, address]: [u8; 3],
        [mask, add]: [Number; 2],
        (role, bits, access): (Option<Field>, u16, Access),
    ) -> Row {
        Row { how, turn, acc, address, mask, add, like: Like::new(role, bits, access) }
    }

    /// A row that refers to a descriptor, and to some terms.
    pub(crate) const fn desc(number: Number, dwords: u8, [first, count]: [u8; 2]) -> Row {
        Row::new(How::Other, [dwords, first, count], [0, number], (None, 0, Access::Read))
    }

    /// The operand with this value; twice as long if `alone`.
    #[cfg(feature = "fast")]
    #[inline(always)]
    pub(crate) fn with(&self, value: &Value, alone: bool) -> Operand {
        let like = &self.like.operand;
        Operand { value: *value, bits: like.bits << u32::from(alone), ..*like }
    }

    #[cfg(not(feature = "fast"))]
    pub(crate) fn with(&self, value: &Value, alone: bool) -> Operand {
        let (role, bits, access) = self.like.operand;
        Operand { role, value: *value, bits: bits << u32::from(alone), access }
    }

    pub(crate) fn role(&self) -> Option<Field> {
        self.with(&Value::Off, false).role
    }
}

/// The ways to read an operand, in the order in which the operand iterator tests them. The enabled targets determine
/// which of these occur.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum How {
    /// A look-up in the table of values.
    Value,
    /// A look-up in the table of values, where other fields determine the register file or the length.
    Varied,
    /// A constant.
    Imm,
    /// A branch distance.
    Label,
    /// A look-up in the table of values if a bit is set; otherwise no operand.
    If,
    /// A look-up in the table of values if the constant in the lowest bits names a hardware register with a number from
    /// `acc` to `address`; otherwise no operand.
    Hwreg,
    /// A look-up in the table of values; words that match a term of the row keep a part of the operand's old value.
    Kept,
    /// An operand that is read as its descriptor states.
    Other,
}

/// The row with index 0, and padding.
pub(crate) const NO_ROW: Row = Row::desc(Number::MAX, 0, [0, 0]);

impl OperandTables {
    /// The list of a form of an opcode index.
    pub(crate) fn list(&self, op_index: usize, form: u8) -> OperandList {
        #[cfg(feature = "fast")]
        let number = self.list_of.get(op_index).copied();
        #[cfg(not(feature = "fast"))]
        let number = paged_from(self.pages, self.list_of, op_index);
        let further = |number: u16| {
            if form == 0 {
                return Some(number);
            }
            let after = self.forms.partition_point(|forms| (forms.base, forms.first) <= (number, form));
            let forms = self.forms.get(after.checked_sub(1)?).filter(|forms| forms.base == number)?;
            let at = form - forms.first;
            (at < forms.count).then_some(forms.list + u16::from(at))
        };
        let number = number.and_then(further);
        number.and_then(|number| self.lists.get(usize::from(number))).map_or(0, |list| OperandList::from(*list))
    }

    /// The first row of a list; `NO_ROW` if the list is empty.
    #[inline(always)]
    pub(crate) fn first(&self, list: OperandList) -> &Row {
        self.rows.get(first_row(list)).unwrap_or(&NO_ROW)
    }

    /// The rows of a list.
    pub(crate) fn rows_of(&self, mut list: OperandList) -> impl Iterator<Item = &Row> {
        core::iter::from_fn(move || {
            let row = (list != 0).then(|| self.first(list));
            list >>= ROW_BITS;
            row
        })
    }

    /// The terms of a row with `How::Kept` or `How::Other`: words that match one keep a part of the operand's old
    /// value.
    pub(crate) fn kept_of(&self, row: &Row) -> &'static [Term] {
        let after = self.kept.get(usize::from(row.acc)..).unwrap_or_default();
        after.get(..usize::from(row.address)).unwrap_or_default()
    }

    /// The descriptor of a row with `How::Other`.
    pub(crate) fn desc(&self, row: &Row) -> Option<OperandDesc> {
        let desc = self.descs.get(row.add as usize).filter(|_| row.how == How::Other)?;
        Some(OperandDesc { dwords: row.turn, ..*desc })
    }
}
