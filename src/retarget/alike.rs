//! Conversion of an instruction whose form has the same operands and modifiers, in the same bits, on both targets.

use super::{names, translate};
use crate::code::{LITERAL, LITERAL64};
use crate::codec::{EncodedOperand, Words, access, code_in, descs, encode, held, hold, modifier, read, value};
use crate::form::Form;
use crate::inst::Inst;
use crate::kind::{NONE, OperandKind, RegisterKind};
use crate::table::{FormSignature, OperandDesc};
use crate::target::Target;
use crate::value::Operand;

/// The instruction in `form`, if the form's descriptors are equal and all operands and modifiers have the same codes on
/// the form's target. `None` otherwise: the caller then looks for the partner of each operand, and converts the
/// instruction or finds the error.
pub(super) fn retarget(from: &Inst, form: &Form) -> Option<Inst> {
    let (target, signature) = (from.target(), from.signature());
    if form.extension.is_some() || !are_alike((target, signature), (form.target, form.signature)) {
        return None;
    }
    let all = || descs(target, signature);
    let mut words = form.start();
    // Modifiers come first, because the positions of some operands depend on them.
    for desc in all().filter(|desc| desc.access.is_none()) {
        let bits = held(desc, from);
        let same = || names::value(target, form.target, Some(desc), desc.field, bits) == Some(bits);
        if modifier(desc, from) >= 0 && !same() {
            return None;
        }
        hold(desc, bits, &mut words).ok()?;
    }
    for desc in all().filter(|desc| desc.access.is_some()) {
        match is_plain(from, desc, form.target) {
            true => words.desc(desc, value(desc, from)).ok()?,
            false => operand(from, desc, form.target, &mut words)?,
        }
    }
    let made = form.finish(&mut words).ok()?.canonical().filled_as(from);
    let named = |operand: &Operand| operand.role.is_some();
    let (mut others, mut same) = (made.operands().filter(named), true);
    from.operands().filter(named).for_each(|operand| same &= others.next() == Some(operand));
    (same && others.next().is_none()).then_some(made)
}

type Signature = (Target, &'static FormSignature);

/// Whether both signatures have the same formats, and equal descriptors.
#[cfg(feature = "fast")]
fn are_alike((_, a): Signature, (_, b): Signature) -> bool {
    a.alike == b.alike
}

#[cfg(not(feature = "fast"))]
fn are_alike((here, a): Signature, (there, b): Signature) -> bool {
    (a.format, a.extension) == (b.format, b.extension) && descs(here, a).eq(descs(there, b))
}

/// Whether the operand is a register or a constant that depends on no other bits, with the same code on the target.
fn is_plain(from: &Inst, desc: &OperandDesc, target: Target) -> bool {
    let code = code_in(desc, from);
    match desc.kind {
        OperandKind::Register(RegisterKind::Code { .. } | RegisterKind::Vector { acc: NONE }) => {
            !matches!(code, LITERAL | LITERAL64) && names::code(from.target(), target, code) == Some(code)
        }
        _ => false,
    }
}

/// Encodes an operand that has the same code on the target.
fn operand(from: &Inst, desc: &OperandDesc, target: Target, words: &mut Words) -> Option<()> {
    if let OperandKind::Image(_) | OperandKind::Second = desc.kind {
        return None;
    }
    let coded = access(desc, from).and_then(|_| Some(read(desc, from)?.0));
    // Bits that other bits make meaningless are kept, except in a scalar address.
    let meaningless = matches!(coded, None | Some(EncodedOperand::Off | EncodedOperand::Vcc));
    if meaningless && !desc.kind.is_scalar_address() {
        words.desc(desc, value(desc, from)).ok()?;
    }
    let Some(coded) = coded else { return Some(()) };
    if translate((from, desc), (target, desc), coded).ok()? != coded {
        return None;
    }
    encode(desc, coded, words).ok()
}
