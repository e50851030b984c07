//! The destination of a matrix operation, and what it is added to: the same registers, or none in common.

use crate::common::limits::MATRIX_FREE;
use crate::{Access, Field, Format, Inst, Operand, RegSet};

/// Up to so many registers the operation has read everything before it writes.
const FREE: u16 = MATRIX_FREE[0];

/// The third source, if it has some registers of the destination and not the others.
pub(crate) fn overlap(inst: &Inst) -> Option<Field> {
    // Only of MFMA: LLVM's assembler takes any registers in WMMA.
    if !inst.flags().is_mfma() || !matches!(inst.format(), Format::Vop3pMai | Format::Vop3px) {
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
