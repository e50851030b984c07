//! Whether two instructions say the same, each on its target.

use super::offset::ScalarOffset;
use super::{Items, Names, RetargetError, extended, is_signed, names};
use crate::imm::Imm;
use crate::operand::{read, value};
use crate::table::{Item, Kind};
use crate::target::OPERANDS;
use crate::{Inst, Operand, Reg, Value};

/// Fails unless each operand and each modifier of one instruction is one of the other.
pub(super) fn compare(a: &Inst, b: &Inst, names: Names) -> Result<(), RetargetError> {
    let (items, there) = (Items::of(a), Items::of(b));
    // Addresses of several operands, and two operations in a word: not yet.
    let several = |i: &&Item| matches!(i.kind, Kind::ImgAddr | Kind::ImgAddrGrad | Kind::Second);
    if let Some(item) = items.all().find(several) {
        return Err(refused(a, item));
    }
    for item in items.all() {
        match there.partner(items, item, names) {
            Some(other) => same((a, item), (b, other))?,
            None => is_left_out(a, item)?,
        }
    }
    // What the target has besides must say nothing.
    for item in there.all() {
        if items.partner(there, item, names.reversed()).is_none() {
            is_left_out(b, item)?;
        }
    }
    Ok(())
}

fn operand(inst: &Inst, item: &Item) -> Option<Operand> {
    read(OPERANDS[inst.target() as usize], item, inst)
}

fn refused(inst: &Inst, item: &Item) -> RetargetError {
    RetargetError::Value { field: item.field, value: modifier(inst, item) }
}

/// The value of a modifier: the bits of it that the row uses.
fn modifier(inst: &Inst, item: &Item) -> i64 {
    let value = value(item, inst);
    match item.kind {
        _ if is_signed(item) => extended(value, item.width),
        _ if item.width < 8 => (value & u32::from(item.used)).into(),
        _ => value.into(),
    }
}

/// The instruction has no such operand, or the modifier says what goes without saying.
fn is_left_out(inst: &Inst, item: &Item) -> Result<(), RetargetError> {
    if item.access.is_some() {
        return match operand(inst, item) {
            Some(o) => Err(RetargetError::Operand { field: item.field, bits: o.bits, bits_there: 0 }),
            None => Ok(()),
        };
    }
    let usual = if item.kind == Kind::ListOnes { item.used.into() } else { 0 };
    if modifier(inst, item) == usual { Ok(()) } else { Err(refused(inst, item)) }
}

fn same((a, item): (&Inst, &Item), (b, other): (&Inst, &Item)) -> Result<(), RetargetError> {
    let bits_of = |o: &Option<Operand>| o.map_or(0, |o| o.bits);
    // Of doubles the same bits are signs on CDNA3, and were not before.
    let is_sign = |item: &Item| item.kind == Kind::ListNeg;
    if item.access.is_none() && is_sign(item) != is_sign(other) && modifier(a, item) != 0 {
        return Err(refused(a, item));
    }
    let good = if item.access.is_none() {
        let (here, there) = (modifier(a, item), modifier(b, other));
        match u32::try_from(here) {
            Ok(n) => names::value(a.target(), b.target(), Some(item), item.field, n).map(i64::from) == Some(there),
            Err(_) => here == there,
        }
    } else {
        let (here, there) = (operand(a, item), operand(b, other));
        match (here, there) {
            (None, None) => true,
            (Some(x), Some(y)) if x.access == y.access && (is_constant(item) || x.bits == y.bits) => {
                same_value((a, item, &x.value), (b, other, &y.value))
            }
            _ => {
                let (bits, bits_there) = (bits_of(&here), bits_of(&there));
                return Err(RetargetError::Operand { field: item.field, bits, bits_there });
            }
        }
    };
    if good { Ok(()) } else { Err(refused(a, item)) }
}

/// Its width is that of a field or a literal, which says nothing. A scalar offset may be a register, always of 32 bits.
fn is_constant(item: &Item) -> bool {
    use Kind::*;
    matches!(
        item.kind,
        SmrdOffset
            | SmemOffset
            | Hex
            | Int16
            | Endpgm
            | Label
            | Hwreg
            | Sendmsg
            | Waitcnt
            | GprIdx
            | Attr
            | InterpParam
            | ExpTgt
    )
}

type Side<'a> = (&'a Inst, &'a Item, &'a Value);

fn same_value((a, item, x): Side, (b, other, y): Side) -> bool {
    let (from, to) = (a.target(), b.target());
    let raw = |inst, item| value(item, inst) as u16;
    if let Some(imm) = Imm::decode(from, item.kind, raw(a, item)) {
        let there = Imm::decode(to, other.kind, raw(b, other));
        return names::imm(from, to, imm).ok() == there;
    }
    if matches!(item.kind, Kind::SmrdOffset | Kind::SmemOffset) {
        return match (ScalarOffset::of(item, a), ScalarOffset::of(other, b)) {
            (Some(ScalarOffset::Bytes(m)), Some(ScalarOffset::Bytes(n))) => m == n,
            (Some(ScalarOffset::Code(m)), Some(ScalarOffset::Code(n))) => names::code(from, to, m) == Some(n),
            // A register and a constant.
            (None, None) => x == y && same_register(a, item, b, other),
            _ => false,
        };
    }
    match (x, y) {
        (Value::Reg(Reg::Special(m)), Value::Reg(Reg::Special(n))) => {
            names::code(from, to, (*m).into()) == Some((*n).into())
        }
        (Value::Float(m), Value::Float(n)) => names::code(from, to, (*m).into()) == Some((*n).into()),
        // Enumerations that are printed as operands: the export's target, the parameter of an interpolation.
        (Value::Imm(m), Value::Imm(n)) => {
            let there = u32::try_from(*m).ok().and_then(|m| names::value(from, to, Some(item), item.field, m));
            there.map(|n| n as i32) == Some(*n)
        }
        _ => x == y,
    }
}

/// The register that is added to a constant offset.
fn same_register(a: &Inst, item: &Item, b: &Inst, other: &Item) -> bool {
    let code = |inst: &Inst, item: &Item| crate::operand::bits(inst, item.aux[2], 7) as u16;
    names::code(a.target(), b.target(), code(a, item)) == Some(code(b, other))
}
