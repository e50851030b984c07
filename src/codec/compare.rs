//! Compares a converted instruction with the original.

use super::modifier;
use crate::table::OperandDesc;
use crate::{Inst, Operand};

/// The first pair of operands that differ; `None` for an instruction that has no further operand.
pub(crate) type Difference = (Option<Operand>, Option<Operand>);

/// Compares the operands of two instructions in order.
pub(crate) fn same_operands(
    here: impl Iterator<Item = Operand>,
    mut there: impl Iterator<Item = Operand>,
    same: impl Fn(&Operand, &Operand) -> bool,
) -> Result<(), Difference> {
    for operand in here {
        match there.next() {
            Some(other) if same(&operand, &other) => {}
            other => return Err((Some(operand), other)),
        }
    }
    there.next().map_or(Ok(()), |other| Err((None, Some(other))))
}

/// The operands that fields name.
pub(crate) fn shown(inst: &Inst) -> impl Iterator<Item = Operand> {
    inst.operands().filter(|operand| operand.role.is_some())
}

/// Compares the modifiers of one instruction with those of another, and returns the first that differs.
///
/// `partner`: the corresponding modifier; if there is none, the modifier must have its value without effect, `silent`.
/// `expected`: the value that the partner must have.
pub(crate) fn same_modifiers<'a>(
    (here, there): (&Inst, &Inst),
    modifiers: impl Iterator<Item = &'a OperandDesc>,
    partner: impl Fn(&OperandDesc) -> Option<&'a OperandDesc>,
    expected: impl Fn(&OperandDesc, i64) -> Option<i64>,
    silent: impl Fn(&OperandDesc) -> i64,
) -> Result<(), &'a OperandDesc> {
    for desc in modifiers.filter(|desc| desc.access.is_none()) {
        let held = modifier(desc, here);
        let good = match partner(desc) {
            Some(other) => expected(desc, held) == Some(modifier(other, there)),
            None => held == silent(desc),
        };
        if !good {
            return Err(desc);
        }
    }
    Ok(())
}
