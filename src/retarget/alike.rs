//! Converts an instruction whose form has the same operands and modifiers, in the same bits, on both targets.

use super::{Descs, names, translate};
use crate::codec::{EncodedOperand, Words, access, encode, held, hold, modifier, read, value};
use crate::form::Form;
use crate::inst::Inst;
use crate::kind::OperandKind;
use crate::table::OperandDesc;
use crate::target::Target;
use crate::value::Operand;

/// Returns the instruction in such a form of the target, if all its operands and modifiers have the same codes there.
/// `None` leaves it to the search for the partner of each operand, which finds the errors too.
pub(super) fn retarget(from: &Inst, form: &Form, (descs, there): (Descs, Descs)) -> Option<Inst> {
    let signature = from.signature();
    let formats = (signature.format, signature.extension, signature.descs);
    if form.extension.is_some() || formats != (form.signature.format, form.signature.extension, form.signature.descs) {
        return None;
    }
    let pairs = || descs.all().zip(there.all());
    if !pairs().all(|(desc, other)| desc == other) {
        return None;
    }
    let mut words = form.start();
    // Modifiers first: the positions of some operands depend on them.
    for (desc, other) in pairs().filter(|(desc, _)| desc.access.is_none()) {
        let bits = held(desc, from);
        let same = || names::value(from.target(), there.target, Some(desc), desc.field, bits) == Some(bits);
        if modifier(desc, from) >= 0 && !same() {
            return None;
        }
        hold(other, bits, &mut words).ok()?;
    }
    for (desc, other) in pairs().filter(|(desc, _)| desc.access.is_some()) {
        operand(from, desc, (there.target, other), &mut words)?;
    }
    let made = form.finish(&mut words).ok()?.canonical().filled_as(from);
    let named = |operand: &Operand| operand.role.is_some();
    let (mut others, mut same) = (made.operands().filter(named), true);
    from.operands().filter(named).for_each(|operand| same &= others.next() == Some(operand));
    (same && others.next().is_none()).then_some(made)
}

/// Encodes an operand that has the same code on the target.
fn operand(from: &Inst, desc: &OperandDesc, (target, other): (Target, &OperandDesc), words: &mut Words) -> Option<()> {
    if let OperandKind::Image(_) | OperandKind::Second = desc.kind {
        return None;
    }
    let coded = access(desc, from).and_then(|_| Some(read(desc, from)?.0));
    // Bits that other bits make meaningless are kept, but for those of a scalar address, as for any form.
    let meaningless = matches!(coded, None | Some(EncodedOperand::Off | EncodedOperand::Vcc));
    if meaningless && !desc.kind.is_scalar_address() {
        words.desc(other, value(desc, from)).ok()?;
    }
    let Some(coded) = coded else { return Some(()) };
    if translate((from, desc), (target, other), coded).ok()? != coded {
        return None;
    }
    encode(other, coded, words).ok()
}
