//! Whether two instructions say the same, each on its target.

use super::{Items, Names, RetargetError, names, refused, translate};
use crate::codec::{Coded, same_modifiers, same_operands, shown};
use crate::imm::Imm;
use crate::table::{Item, Kind};
use crate::{Field, Inst, Operand, Value};

/// Fails unless each operand and each modifier of one instruction is one of the other.
pub(super) fn compare(a: &Inst, b: &Inst, names: Names) -> Result<(), RetargetError> {
    let (items, there) = (Items::of(a), Items::of(b));
    // Addresses of several operands, and two operations in a word: not yet.
    let several = |i: &&Item| matches!(i.kind, Kind::ImgAddr | Kind::ImgAddrGrad | Kind::Second);
    if let Some(item) = items.all().find(several) {
        return Err(refused(a, item));
    }
    let pair = |x: &Operand| {
        let item = items.named(x)?;
        Some((item, there.partner(items, item, names)?))
    };
    let same = |x: &Operand, y: &Operand| {
        pair(x).is_some_and(|(item, other)| is_width((item, x), y) && same_value((a, item, x), (b, other, y)))
    };
    same_operands(shown(a), shown(b), same).map_err(|difference| {
        let (here, other) = difference;
        let bits = |operand: Option<Operand>| operand.map_or(0, |operand| operand.bits);
        let role = here.or(other).and_then(|operand| operand.role).unwrap_or(Field::Vcc);
        match (here.and_then(|x| Some((items.named(&x)?, x))), other) {
            (Some((item, x)), Some(y)) if is_width((item, &x), &y) => refused(a, item),
            _ => RetargetError::Operand { field: role, bits: bits(here), bits_there: bits(other) },
        }
    })?;
    let value = |item: &Item, held: i64| match u32::try_from(held) {
        Ok(n) => names::value(a.target(), b.target(), Some(item), item.field, n).map(i64::from),
        Err(_) => Some(held),
    };
    let usual = |item: &Item| silent(item).into();
    let partner = |item: &Item| there.partner(items, item, names);
    same_modifiers((a, b), items.all(), partner, value, usual).map_err(|item| refused(a, item))?;
    // What the target has besides must say nothing.
    let besides = there.all().filter(|item| items.partner(there, item, names.reversed()).is_none());
    same_modifiers((b, b), besides, |_| None, |_, _| None, usual).map_err(|item| refused(b, item))
}

/// What a modifier holds when nothing is said.
pub(super) fn silent(item: &Item) -> u32 {
    if item.kind == Kind::ListOnes { item.used.into() } else { 0 }
}

impl Items {
    /// The item that an operand is read from.
    fn named(self, operand: &Operand) -> Option<&'static Item> {
        let role = operand.role?;
        let is = |i: &&Item| i.field == role || i.kind == Kind::SmemOffset && role == Field::Soffset;
        let mut operands = self.all().filter(|i| i.access.is_some()).filter(is);
        let first = operands.next()?;
        // vcc can stand twice.
        Some(operands.find(|i| i.access == Some(operand.access) && first.access != i.access).unwrap_or(first))
    }
}

/// The width of a constant is that of a field or a literal, which says nothing. A scalar offset may be a register, always
/// of 32 bits.
fn is_width((item, x): (&Item, &Operand), y: &Operand) -> bool {
    let offset = matches!(item.kind, Kind::SmrdOffset | Kind::SmemOffset);
    let constant = offset || item.kind.is_number() || item.kind == Kind::Label;
    x.access == y.access && (constant || x.bits == y.bits)
}

type Side<'a> = (&'a Inst, &'a Item, &'a Operand);

fn same_value((a, item, x): Side, (b, other, y): Side) -> bool {
    let (from, to) = (a.target(), b.target());
    if let (Value::Imm(m), Value::Imm(n)) = (x.value, y.value) {
        if let Some(imm) = Imm::decode(from, item.kind, m as u16) {
            return names::imm(from, to, imm).ok() == Imm::decode(to, other.kind, n as u16);
        }
    }
    let there = Coded::of(from, x.value).map(|coded| translate((from, item), (to, other), coded, refused(a, item)));
    let Some(Ok(there)) = there else { return false };
    let bytes = |value: Value| match value {
        Value::Imm(n) => Some(i64::from(n)),
        Value::Literal(n) if other.kind == Kind::SmrdOffset => Some(n.into()),
        _ => None,
    };
    match there {
        Coded::Number(n) => bytes(y.value) == Some(n),
        there => there.value(to, y.bits / 32) == y.value,
    }
}
