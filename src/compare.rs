//! Compares a converted instruction with the original.

use crate::codec::{Address, descs, modifier};
use crate::inst::Inst;
use crate::opcode::Field;
use crate::table::OperandDesc;
use crate::value::Operand;

/// The first pair of operands that differ; `None` stands for the missing operand of an instruction that has fewer.
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

/// The operands that fields name, except for an image address, whose number of operands depends on the form.
pub(crate) fn shown(inst: &Inst) -> impl Iterator<Item = Operand> {
    let address = image_address_of(inst);
    let is_part = move |field: Field| address.is_some_and(|address| address.is_field(field));
    inst.operands().filter(move |operand| operand.role.is_some_and(|role| !is_part(role)))
}

/// The image address, which can be several operands.
pub(crate) fn image_address_of(inst: &Inst) -> Option<Address<'static>> {
    descs(inst.target(), inst.signature()).find_map(Address::of)
}

/// Whether both instructions have the same image address, or neither has one.
pub(crate) fn same_image_address(a: &Inst, b: &Inst) -> bool {
    match (image_address_of(a), image_address_of(b)) {
        (Some(x), Some(y)) => x.registers(a).eq(y.registers(b)),
        (None, None) => true,
        _ => false,
    }
}

/// Compares the modifiers of one instruction with those of another, and returns the first that differs.
///
/// `partner`: the corresponding modifier of the other instruction; if there is none, the modifier must have the value
/// that has no effect, `silent`. `expected`: the value that the partner must have.
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
