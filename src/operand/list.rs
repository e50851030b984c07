//! The list of an instruction's operands.

use crate::inst::Inst;
#[cfg(feature = "fast")]
use crate::table::sizes::{FAST_OPERANDS, OP_INDICES};
use crate::table::sizes::{OperandList, ROW_BITS};
#[cfg(feature = "fast")]
use crate::table::{FastOperands, VARIED};
use crate::table::{How, OperandTables, first_row};

#[cfg(feature = "fast")]
impl FastOperands {
    /// Whether there are operands and all are `How::Value`; `None` if the words do not match.
    #[inline(always)]
    fn is_plain(&self, inst: &Inst) -> Option<bool> {
        if inst.bits() & self.match_mask != self.match_value {
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
    /// The list of an instruction.
    pub(crate) fn list_of(&self, inst: &Inst) -> OperandList {
        let list = self.list(inst.op_index(), inst.form());
        match inst.second_index() {
            Some(second) => self.joined(list, self.list(second, 0)),
            None => list,
        }
    }

    /// The operands of two operations: first those that fields name, then the registers that no field names, each once.
    /// In both arguments, the operands that fields name come first.
    #[cold]
    fn joined(&self, first: OperandList, second: OperandList) -> OperandList {
        let (mut all, mut end) = (0, 0);
        let mut add = |list: OperandList| {
            all |= (first_row(list) as OperandList) << (end % OperandList::BITS);
            end += ROW_BITS;
        };
        let mut implicit = [first, second];
        for list in &mut implicit {
            while *list != 0 && self.is_named(*list) {
                add(*list);
                *list >>= ROW_BITS;
            }
        }
        let [first, mut second] = implicit;
        let mut rest = first;
        while rest != 0 {
            add(rest);
            rest >>= ROW_BITS;
        }
        // In most pairs, both operations have the same implicit registers.
        while second != 0 && second != first {
            let mut others = first;
            while others != 0 && first_row(others) != first_row(second) {
                others >>= ROW_BITS;
            }
            if others == 0 {
                add(second);
            }
            second >>= ROW_BITS;
        }
        all
    }

    /// Whether a field names the first operand of a list.
    fn is_named(&self, list: OperandList) -> bool {
        let row = self.first(list);
        row.how == How::Other || row.role().is_some()
    }

    /// The list of an instruction. The second value is true only if the list is not empty, all its operands are
    /// `How::Value` and none is a literal.
    #[cfg(feature = "fast")]
    #[inline(always)]
    pub(crate) fn of(&self, inst: &Inst) -> (OperandList, bool) {
        let fast = self.fast(self.list_of[inst.op_index() % OP_INDICES]);
        match fast.is_plain(inst) {
            Some(plain) => (fast.list, plain),
            None => self.of_others(inst),
        }
    }

    /// Does the work of [`OperandTables::of`] if the first entry does not match. This function looks that entry up
    /// again, so that the common path need not keep the entry in a register.
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
}
