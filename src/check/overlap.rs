//! Check of the destination and the addend of a matrix operation: they must be the same registers, or have none in
//! common.

use crate::inst::Inst;
use crate::opcode::limits::MATRIX_FREE;
use crate::opcode::{APART, Field, Format};
use crate::registers::RegSet;
use crate::value::{Access, Operand};

/// The greatest number of destination registers with which a matrix operation reads all sources before it writes.
const FREE: u16 = MATRIX_FREE[0];

/// Whether matrix operations of the format can break the rule.
#[inline]
pub(crate) fn can_overlap(format: Format) -> bool {
    APART.get(format as usize).is_some_and(|is_apart| *is_apart)
}

/// The third source, if it shares some but not all of the destination's registers.
pub(crate) fn overlap(inst: &Inst) -> Option<Field> {
    if !can_overlap(inst.format()) || !inst.flags().is_mfma() {
        return None;
    }
    let of = |field: Field, access| inst.operands().find(|o| o.role == Some(field) && o.access == access);
    let written = of(Field::Vdst, Access::Write).filter(|o| o.bits / 32 > FREE)?;
    let added = of(Field::Src2, Access::Read)?;
    let set = |operand: &Operand| {
        let mut set = RegSet::new(inst.target());
        set.insert_operand(operand);
        set
    };
    let partly = written.value != added.value && set(&written).intersects(&set(&added));
    partly.then_some(Field::Src2)
}
