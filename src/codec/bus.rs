//! The constant bus: how many different scalars a vector operation can read.

use crate::common::BUS;
use crate::target::FACTS;
use crate::{Field, Inst, Operand, Reg, Special, Value};

/// An instruction's reads over the constant bus.
pub(crate) struct Reads {
    /// Number of different scalars.
    pub count: u8,
    /// The target's limit.
    pub limit: u8,
    /// The first operand over the limit. Implicit reads count first.
    pub excess: Option<Field>,
}

pub(crate) fn reads(inst: &Inst) -> Reads {
    let mut reads = Reads { count: 0, limit: FACTS[inst.target() as usize].bus, excess: None };
    if !BUS.get(inst.format() as usize).is_some_and(|bus| *bus) {
        return reads;
    }
    // vcc and its lower half have one code, and equal scalars count once.
    let key = |value: Value| match value {
        Value::Reg(Reg::Vcc) => Some(Value::Reg(Reg::VCC_LO)),
        Value::Reg(Reg::M0) => Some(Value::Reg(Reg::Special(Special::M0))),
        Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_)) | Value::Literal(_) => Some(value),
        _ => None,
    };
    let is_implied = |operand: &Operand| operand.role.is_none_or(|role| role == Field::Vcc);
    let of = |implied: bool| inst.operands().filter(move |o| o.access.reads() && is_implied(o) == implied);
    let scalars = || of(true).chain(of(false)).filter_map(|o| Some((o.role, key(o.value)?)));
    for (n, (role, scalar)) in scalars().enumerate() {
        if scalars().take(n).any(|(_, before)| before == scalar) {
            continue;
        }
        reads.count += 1;
        if reads.count > reads.limit && reads.excess.is_none() {
            reads.excess = role;
        }
    }
    reads
}
