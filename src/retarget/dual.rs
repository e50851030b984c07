//! Conversion of dual instructions (VOPD).

use super::RetargetError;
use crate::codec::Words;
use crate::decode::decode_words;
use crate::inst::Inst;
use crate::opcode::{Field, Opcode};
use crate::operation::layout;
use crate::table::generated::RENAMED;
use crate::target::Target;

/// The instruction of the target with the same two operations. A pair that the target lacks is not split: two
/// instructions are longer, and the second one might read a result of the first one.
pub(super) fn retarget(from: &Inst, second: Opcode, target: Target) -> Result<Inst, RetargetError> {
    let (format, first) = (from.format(), from.opcode());
    let lacks = RetargetError::Form { format, extension: from.extension() };
    let [first, second] = [renamed(first, target)?, renamed(second, target)?];
    let layout = layout(target, format).ok_or(lacks)?;
    let op = layout.fields.iter().find(|info| info.field == Field::Op).ok_or(lacks)?;
    // The low piece of the opcode is the first operation, and the high piece the second.
    let low = (1u16 << op.width) - 1;
    let numbers =
        |op: Opcode| op.entries(target).filter(|entry| entry.signature.format == format).map(|e| e.number(target));
    // An operation that can be first has its number in the low piece.
    let as_second = |n: u16| if n <= low { n << op.width } else { n };
    let (x, y) = (numbers(first).find(|&n| n <= low), numbers(second).map(as_second).next());
    let (Some(x), Some(y)) = (x, y) else { return Err(lacks) };
    let mut words = Words::new(target, layout);
    words.dwords.iter_mut().zip(from.words()).for_each(|(to, &dword)| *to = dword);
    for info in layout.fields {
        if let Some(fixed) = info.fixed {
            words.put_field(0, info, fixed.into());
        }
    }
    words.put_field(0, op, (x | y).into());
    let inst = decode_words(target, words.dwords.get(..from.words().len()).unwrap_or(&words.dwords));
    let inst = inst.map_err(|_| lacks)?;
    if (inst.opcode(), inst.second_opcode(), inst.len()) != (first, Some(second), from.len()) {
        return Err(lacks);
    }
    // The fields have the same positions, so they must name the same operands.
    let mut there = inst.operands();
    if let Some(operand) = from.operands().find(|operand| there.next() != Some(*operand)) {
        return Err(operand.role.map_or(lacks, |field| RetargetError::Register { field, value: operand.value }));
    }
    match (from.check(), inst.check()) {
        (Ok(()), Err(rule)) => Err(RetargetError::Rule(rule)),
        _ => Ok(inst),
    }
}

/// The name of the operation on the target: the same one, or another one with the same meaning.
fn renamed(opcode: Opcode, target: Target) -> Result<Opcode, RetargetError> {
    let is_there = |op: &Opcode| op.entries(target).next().is_some();
    let others = || {
        let both = RENAMED.iter().flat_map(|&(old, new)| [(old, new), (new, old)]);
        both.filter(|(here, _)| *here == opcode).map(|(_, there)| there)
    };
    core::iter::once(opcode).chain(others()).find(is_there).ok_or(RetargetError::Opcode(opcode))
}
