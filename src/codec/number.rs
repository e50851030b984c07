//! Constants in a field, and modifiers.

use super::code::last_dword;
use super::{Coded, Refused, Words, bits, is_signed, sign_extended, value};
use crate::common::{DEFAULTS, NEUTRALS};
use crate::table::{Item, Kind, NONE};
use crate::{Field, Inst};

/// Bits of the channel of an interpolation parameter.
const CHANNEL: u8 = 2;
/// Bits of each of the lower parts of a truth table.
pub(crate) const TABLE: u8 = 3;

pub(super) fn read(item: &Item, inst: &Inst) -> Option<Coded> {
    let raw = value(item, inst);
    Some(match item.kind {
        Kind::Literal => Coded::Literal(last_dword(inst)),
        Kind::Label => Coded::Label(raw as u16 as i16),
        Kind::Attr if item.aux[0] != NONE => Coded::Attr(raw.into(), bits(inst, item.aux[0], CHANNEL) as u8),
        kind if kind.is_number() => Coded::Number(raw.into()),
        _ => return None,
    })
}

pub(super) fn encode(item: &Item, coded: Coded, words: &mut Words) -> Result<(), Refused> {
    match (item.kind, coded) {
        (Kind::Literal, Coded::Literal(dword)) => words.put_literal(dword),
        (Kind::Label, Coded::Label(distance)) => words.item(item, u32::from(distance as u16)),
        (Kind::Attr, Coded::Attr(n, channel)) => {
            words.put(item.aux[0], CHANNEL, channel.into());
            encode_number(item, n, words)
        }
        (kind, Coded::Number(n)) if kind.is_number() => encode_number(item, n, words),
        _ => Err(Refused::Operand),
    }
}

/// A number in the field of an item, whose bits it must fit.
pub(crate) fn encode_number(item: &Item, n: i64, words: &mut Words) -> Result<(), Refused> {
    let (min, max) = range(item);
    if !(min..=max).contains(&n) {
        return Err(Refused::Range { min, max });
    }
    words.item(item, (n as u64 & ((1u64 << item.width) - 1)) as u32)
}

/// The least number that fits in an item's field, and the greatest.
pub(crate) fn range(item: &Item) -> (i64, i64) {
    let values = 1i64 << item.width;
    if is_signed(item) { (-values / 2, values / 2 - 1) } else { (0, values - 1) }
}

/// The truth table of `v_bitop3`, which lies in the bits of modifiers that have no meaning for it.
pub(crate) fn bitop3(item: &Item, inst: &Inst) -> u32 {
    value(item, inst) << (2 * TABLE) | bits(inst, item.aux[0], TABLE) << TABLE | bits(inst, item.aux[1], TABLE)
}

/// What the bits of a modifier hold, all of them.
pub(crate) fn held(item: &Item, inst: &Inst) -> u32 {
    if item.kind == Kind::Bitop3 { bitop3(item, inst) } else { value(item, inst) }
}

/// Makes the bits of a modifier hold this.
pub(crate) fn hold(item: &Item, value: u32, words: &mut Words) -> Result<(), Refused> {
    if item.kind != Kind::Bitop3 {
        return words.item(item, value);
    }
    words.put(item.aux[0], TABLE, value >> TABLE);
    words.put(item.aux[1], TABLE, value);
    words.item(item, value >> (2 * TABLE))
}

/// The value of a modifier: of few bits those that the row uses.
pub(crate) fn modifier(item: &Item, inst: &Inst) -> i64 {
    let raw = held(item, inst);
    match item.kind {
        Kind::Bitop3 => raw.into(),
        _ if is_signed(item) => sign_extended(raw, item.width),
        _ if item.width < 8 => (raw & u32::from(item.used)).into(),
        _ => raw.into(),
    }
}

/// What a modifier holds when nothing is said; `None` if something has to be.
#[cfg(feature = "make")]
pub(crate) fn default(item: &Item) -> Option<u32> {
    match item.kind {
        Kind::ListOnes => Some(item.used.into()),
        Kind::DppCtrl | Kind::Dmask => None,
        _ => Some(default_of(item.field)),
    }
}

/// What a field holds when nothing is said.
pub(crate) fn default_of(field: Field) -> u32 {
    find(&DEFAULTS, field)
}

/// What a field holds when it changes nothing.
pub(crate) fn neutral(field: Field) -> u32 {
    find(&NEUTRALS, field)
}

/// What a modifier holds when it changes nothing.
pub(crate) fn neutral_of(item: &Item) -> u32 {
    match item.field {
        // That of permlane swaps is a part of op_sel.
        Field::BoundCtrl if item.kind != Kind::DppBound => 0,
        field => neutral(field),
    }
}

/// A modifier's value in a table of fields, of which others have 0.
fn find(table: &[(Field, u16)], field: Field) -> u32 {
    table.iter().find(|(of, _)| *of == field).map_or(0, |(_, value)| (*value).into())
}
