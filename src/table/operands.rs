//! What the operands of each instruction are.

use super::OperandDesc;
#[cfg(not(feature = "fast"))]
use super::paged_from;
#[cfg(feature = "fast")]
use crate::operand::values::ready::Values;
use crate::shared::places::NO_SHIFT;
use crate::target::generated::OperandList;
#[cfg(feature = "fast")]
use crate::target::generated::{FAST_OPERANDS, OP_INDICES};
use crate::{Access, Field, Inst, Operand, Value};

/// What the operand iterator needs. Its descriptors are without what only text tells apart.
pub(crate) struct OperandTables {
    /// Which of `lists` is that of each opcode index's base form.
    #[cfg(feature = "fast")]
    pub list_of: [u16; OP_INDICES],
    /// The same in pages, and what is added to the numbers in each.
    #[cfg(not(feature = "fast"))]
    pub pages: &'static [(u8, u16)],
    #[cfg(not(feature = "fast"))]
    pub list_of: &'static [u8],
    /// The operands of a form: numbers in `rows`, a byte each, the first one lowest. Zero is the end.
    pub lists: &'static [OperandList],
    /// The same of most words, in the same order; behind these, those that `FastOperands::next` names.
    #[cfg(feature = "fast")]
    pub fast: [FastOperands; FAST_OPERANDS],
    /// Which of `forms` is that of each list.
    pub forms_of: &'static [u8],
    /// Lists (plus one) of the SDWA and DPP forms.
    pub forms: &'static [[u16; 2]],
    /// Lists (plus one) of further forms: the list of the base form, the form, and its list.
    pub others: &'static [(u16, u8, u16)],
    pub rows: Rows,
    /// That of src/operand/values/ready.rs.
    #[cfg(feature = "fast")]
    pub values: &'static Values,
    /// What rows of the kind `How::Other` are.
    pub descs: &'static [OperandDesc],
    pub sgpr_last: u16,
    pub ttmp_first: u16,
    pub ttmp_last: u16,
    /// What stands in the place of a scalar address when there is none.
    pub off: u16,
    /// Bits of vcc and exec.
    pub lanes: u8,
}

/// Where bytes do not count, there is a row for every number.
#[cfg(feature = "fast")]
pub(crate) type Rows = [Row; 256];
#[cfg(not(feature = "fast"))]
pub(crate) type Rows = &'static [Row];

/// The operands of words in which some bits have some value, and behind which there is no literal.
#[cfg(feature = "fast")]
#[derive(Clone, Copy)]
pub(crate) struct FastOperands {
    /// As in `OperandTables::lists`.
    pub list: OperandList,
    /// The bits, and their value.
    pub marks: u64,
    pub unmarked: u64,
    /// `Inst::meta`, as far as it tells the form and the dwords; and `VARIED`.
    pub length: u32,
    /// Where to look if the words are others; 0: nowhere.
    pub next: u16,
}

/// Stands where no number leads.
#[cfg(feature = "fast")]
pub(crate) const NO_FAST_OPERANDS: FastOperands = FastOperands { list: 0, marks: 0, unmarked: 1, length: 0, next: 0 };

/// Beside a length: there are no operands, or not all are of `How::Value`.
#[cfg(feature = "fast")]
pub(crate) const VARIED: u32 = 1;

/// An operand.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    pub how: How,
    /// The words are turned so far to the right that the masked bits are the value of the field.
    pub turn: u8,
    /// The words shifted so far to the right have a bit at `VECTOR`, which makes a vector register an accumulation
    /// register. `NO_SHIFT`: none has. Of `How::If`: to the lowest bit.
    pub acc: u8,
    /// Shifted so far they have a scalar address in the lowest seven bits, and if it is 127, the operand is twice as long.
    pub address: u8,
    pub mask: Number,
    /// What the field's value and this add up to is a place in the table of src/operand/values.rs. Of `How::Other`: which
    /// descriptor it is.
    pub add: Number,
    like: Like,
}

/// They fit in 16 bits, but are used as they are where bytes do not count.
#[cfg(feature = "fast")]
type Number = u32;
#[cfg(not(feature = "fast"))]
type Number = u16;

/// An operand but for its value. Where bytes do not count it is a whole one, so that it is copied as a whole.
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

    /// A descriptor.
    pub(crate) const fn desc(number: Number) -> Row {
        Row::new(How::Other, [0, NO_SHIFT, NO_SHIFT], [0, number], (None, 0, Access::Read))
    }

    /// The operand with this value; twice as long if it is `alone`.
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

/// What an operand is: first those that are the meaning of a code. Which of these there are depends on the enabled
/// targets.
#[allow(dead_code)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
pub(crate) enum How {
    /// What the table of values says.
    Value,
    /// The same, which can be an accumulation register, or be as long as another field says.
    Varied,
    /// A constant.
    Imm,
    /// A branch distance.
    Label,
    /// What the table of values says, if a bit is set.
    If,
    /// A descriptor.
    Other,
}

/// Stands where no number leads, and at zero.
pub(crate) const NO_ROW: Row = Row::desc(Number::MAX);

#[cfg(feature = "fast")]
impl FastOperands {
    /// `None`: the words are others.
    #[inline(always)]
    fn is_plain(&self, inst: &Inst) -> Option<bool> {
        if inst.bits() & self.marks != self.unmarked {
            return None;
        }
        match inst.form_and_length() ^ self.length {
            0 => Some(true),
            VARIED => Some(false),
            _ => None,
        }
    }
}

impl OperandTables {
    /// The list of a form of an opcode index.
    pub(crate) fn list(&self, op_index: usize, form: u8) -> OperandList {
        #[cfg(feature = "fast")]
        let number = self.list_of.get(op_index).copied();
        #[cfg(not(feature = "fast"))]
        let number = paged_from(self.pages, self.list_of, op_index);
        let further = |number: u16| match form {
            0 => Some(number),
            1 | 2 => {
                let forms = self.forms.get(usize::from(*self.forms_of.get(usize::from(number))?))?;
                forms.get(usize::from(form) - 1)?.checked_sub(1)
            }
            _ => Some(self.others.iter().find(|o| (o.0, o.1) == (number, form))?.2),
        };
        let number = number.and_then(further);
        number.and_then(|number| self.lists.get(usize::from(number))).copied().unwrap_or(0)
    }

    /// The list of an instruction.
    pub(crate) fn list_of(&self, inst: &Inst) -> OperandList {
        let list = self.list(inst.op_index(), inst.form());
        match inst.second_index() {
            Some(second) => self.joined(list, self.list(second, 0)),
            None => list,
        }
    }

    /// The operands of two operations: those that fields name, and then the registers that no field names, each once.
    #[cold]
    fn joined(&self, first: OperandList, second: OperandList) -> OperandList {
        let (mut all, mut end) = (0, 0);
        for named in [true, false] {
            for mut list in [first, second] {
                while list != 0 {
                    let is_there = |n: u32| (all >> n) as u8 == list as u8;
                    let is_named = self.first(list).how == How::Other || self.first(list).role().is_some();
                    if is_named == named && (named || !(0..end).step_by(8).any(is_there)) {
                        all |= OperandList::from(list as u8) << (end % OperandList::BITS);
                        end += 8;
                    }
                    list >>= 8;
                }
            }
        }
        all
    }

    /// The list of an instruction; and whether all that it names is of `How::Value`, and no literal.
    #[cfg(feature = "fast")]
    #[inline(always)]
    pub(crate) fn of(&self, inst: &Inst) -> (OperandList, bool) {
        let fast = self.fast(self.list_of[inst.op_index() % OP_INDICES]);
        match fast.is_plain(inst) {
            Some(plain) => (fast.list, plain),
            None => self.of_others(inst),
        }
    }

    /// The same, if it is not the first one. Which that is is looked up again, so that others need not keep it.
    #[cfg(feature = "fast")]
    #[inline(never)]
    fn of_others(&self, inst: &Inst) -> (OperandList, bool) {
        let mut next = self.fast(self.list_of[inst.op_index() % OP_INDICES]).next;
        while next != 0 {
            let fast = self.fast(next);
            if let Some(plain) = fast.is_plain(inst) {
                return (fast.list, plain);
            }
            next = fast.next;
        }
        (self.list_of(inst), false)
    }

    #[cfg(feature = "fast")]
    #[inline(always)]
    fn fast(&self, number: u16) -> &FastOperands {
        &self.fast[usize::from(number) % FAST_OPERANDS]
    }

    #[cfg(not(feature = "fast"))]
    pub(crate) fn of(&self, inst: &Inst) -> (OperandList, bool) {
        (self.list_of(inst), false)
    }

    /// The first row of a list. An empty one leads to `NO_ROW`.
    #[inline(always)]
    pub(crate) fn first(&self, list: OperandList) -> &Row {
        self.rows.get(usize::from(list as u8)).unwrap_or(&NO_ROW)
    }

    /// The rows of a list.
    pub(crate) fn rows_of(&self, mut list: OperandList) -> impl Iterator<Item = &Row> {
        core::iter::from_fn(move || {
            let row = (list != 0).then(|| self.first(list));
            list >>= 8;
            row
        })
    }

    /// The descriptor of a row that is one.
    pub(crate) fn desc(&self, row: &Row) -> Option<&OperandDesc> {
        if row.how == How::Other { self.descs.get(row.add as usize) } else { None }
    }
}
