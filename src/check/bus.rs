//! The constant bus: how many different scalars a vector operation can read.

use crate::inst::Inst;
use crate::opcode::{BUS, Field, Format, Special};
use crate::operation::scalar_limit;
use crate::value::{Operand, Reg, Value};

/// An instruction's reads over the constant bus.
pub(crate) struct Reads {
    /// The number of different scalars.
    pub count: u8,
    /// The limit of the target, or of the operation.
    pub limit: u8,
    /// The first operand over the limit. Implicit reads are counted first.
    pub excess: Option<Field>,
}

/// The number of different scalars that an instruction can read over the bus.
pub(crate) fn limit(inst: &Inst) -> u8 {
    scalar_limit(inst.target(), inst.info().flags)
}

/// An upper bound of the number of scalars that an instruction reads over the bus.
#[cfg(all(feature = "text", feature = "fast"))]
pub(crate) fn scalars(inst: &Inst) -> u8 {
    inst.operands().filter(|operand| operand.access.reads() && key(operand).is_some()).count() as u8
}

/// Whether an instruction reads, over the bus, a scalar that no field names.
#[cfg(feature = "make")]
pub(crate) fn is_implied(inst: &Inst) -> bool {
    let is_read = |o: &Operand| is_unnamed(o) && o.access.reads() && key(o).is_some();
    // Counting all such operands is faster than looking for the first one, because the iterator keeps its state in
    // registers.
    inst.operands().filter(is_read).count() > 0
}

/// Whether no field names the operand. `Field::Vcc` is not a field of the words: it stands for a vcc that only the text
/// names.
fn is_unnamed(operand: &Operand) -> bool {
    operand.role.is_none_or(|role| role == Field::Vcc)
}

/// A key that distinguishes scalars on the bus; `None` if the operand does not use the bus.
///
/// Equal scalars count once. A register and the pair that begins with it count as two, as in LLVM's assembler; so do
/// the 32-bit and the 64-bit read of a literal. A vcc that no field names counts as the pair, also in waves of 32
/// lanes. Neither data from LDS nor the null register uses the bus.
fn key(operand: &Operand) -> Option<(Value, bool)> {
    let is_vcc = matches!(operand.value, Value::Reg(Reg::Vcc | Reg::VCC_LO));
    let is_pair = operand.bits > 32 || is_vcc && is_unnamed(operand);
    match operand.value {
        Value::Reg(Reg::Special(Special::SrcLdsDirect | Special::Null)) => None,
        // Read-only registers have one name for all widths.
        Value::Reg(Reg::Special(special)) if special as usize >= Special::WRITTEN => Some((operand.value, false)),
        Value::Literal(_) | Value::Literal64 => Some((operand.value, is_pair)),
        Value::Reg(Reg::Vcc) => Some((Value::Reg(Reg::VCC_LO), is_pair)),
        Value::Reg(Reg::M0) => Some((Value::Reg(Reg::Special(Special::M0)), is_pair)),
        Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_)) => Some((operand.value, is_pair)),
        _ => None,
    }
}

/// Whether operations of the format read over the bus.
#[inline]
pub(crate) fn has_bus(format: Format) -> bool {
    BUS.get(format as usize).is_some_and(|bus| *bus)
}

/// The greatest number of scalars that `reads` can hold: no operation reads as many.
const MOST: usize = 8;

pub(crate) fn reads(inst: &Inst) -> Reads {
    let mut reads = Reads { count: 0, limit: limit(inst), excess: None };
    if !has_bus(inst.format()) {
        return reads;
    }
    // As in LLVM's assembler, v_writelane_b32 reads m0 as its lane select without the bus. No other operation that can
    // read several scalars is convergent, ignores exec and reads m0 as its second source.
    let is_lane = |operand: &Operand| {
        let is_second = matches!(operand.role, Some(Field::Vsrc1 | Field::Src1));
        let is_m0 = operand.value == Value::Reg(Reg::Special(Special::M0));
        let ignores_exec = || !inst.operands().any(|o| o.value == Value::Reg(Reg::Exec));
        is_second && is_m0 && inst.flags().is_convergent() && ignores_exec()
    };
    // Reads without a field come first, the others after them.
    let (mut scalars, mut implied, mut all) = ([None; MOST], 0, 0);
    inst.operands().for_each(|operand| {
        if !operand.access.reads() {
            return;
        }
        let (Some(scalar), Some(place)) = (key(&operand), scalars.get_mut(all)) else { return };
        if is_lane(&operand) {
            return;
        }
        *place = Some((operand.role, scalar));
        if is_unnamed(&operand) {
            for n in (implied..all).rev() {
                if let Some([read, last]) = scalars.get_mut(n..n + 2) {
                    core::mem::swap(read, last);
                }
            }
            implied += 1;
        }
        all += 1;
    });
    let scalars = scalars.get(..all).unwrap_or_default();
    for (n, (role, scalar)) in scalars.iter().flatten().enumerate() {
        if scalars.iter().take(n).flatten().any(|(_, before)| before == scalar) {
            continue;
        }
        reads.count += 1;
        if reads.count > reads.limit && reads.excess.is_none() {
            reads.excess = *role;
        }
    }
    reads
}
