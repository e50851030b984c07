//! Constants in a field, and literals.

use super::accept::Accepted;
use super::{EncodedOperand, Refused, Words, bits, value};
use crate::code::{LITERAL, LITERAL64};
use crate::inst::Inst;
use crate::kind::{ModifierKind, NONE, Notation, NumberKind, OperandKind};
use crate::table::OperandDesc;

/// Width in bits of the channel of an interpolation attribute.
const CHANNEL: u8 = 2;

pub(super) fn read(kind: NumberKind, desc: &OperandDesc, inst: &Inst) -> EncodedOperand {
    let raw = value(desc, inst);
    match kind {
        NumberKind::Literal { .. } if desc.dwords == 2 => EncodedOperand::Literal64(inst.last_two()),
        NumberKind::Literal { .. } => EncodedOperand::Literal(inst.last_dword()),
        NumberKind::Label => EncodedOperand::Label(raw as u16 as i16),
        NumberKind::Plain(Notation::SignedHex) => EncodedOperand::Number(sign_extended(raw, desc.width)),
        NumberKind::Attribute { channel } if channel != NONE => {
            EncodedOperand::Attr(raw.into(), bits(inst, channel, CHANNEL) as u8)
        }
        NumberKind::Attribute { .. } | NumberKind::Plain(_) | NumberKind::Choice(_) | NumberKind::Parts(_) => {
            EncodedOperand::Number(raw.into())
        }
    }
}

pub(super) fn encode(
    kind: NumberKind,
    desc: &OperandDesc,
    coded: EncodedOperand,
    words: &mut Words,
) -> Result<(), Refused> {
    match (kind, coded) {
        (NumberKind::Literal { .. }, EncodedOperand::Literal(dword)) => words.put_literal(dword),
        (NumberKind::Literal { .. }, EncodedOperand::Literal64(bits)) => words.put_literal64(bits),
        (NumberKind::Label, EncodedOperand::Label(distance)) => words.put_value(desc, u32::from(distance as u16)),
        (NumberKind::Literal { .. } | NumberKind::Label, _) => Err(Refused::Operand),
        (NumberKind::Attribute { channel: at }, EncodedOperand::Attr(n, channel)) => {
            words.put(at, CHANNEL, channel.into());
            encode_number(desc, n, words)
        }
        (_, EncodedOperand::Number(n)) => encode_number(desc, n, words),
        _ => Err(Refused::Operand),
    }
}

/// Adds the literal, or the number, that the operand accepts.
pub(super) fn accept(kind: NumberKind, desc: &OperandDesc, add: &mut impl FnMut(Accepted)) {
    add(match kind {
        NumberKind::Literal { .. } => Accepted::Code(if desc.dwords == 2 { LITERAL64 } else { LITERAL }),
        _ => Accepted::Number,
    });
}

/// Stores a number in the field of a descriptor, if it fits.
pub(crate) fn encode_number(desc: &OperandDesc, n: i64, words: &mut Words) -> Result<(), Refused> {
    let (min, max) = range(desc);
    if !(min..=max).contains(&n) {
        return Err(Refused::Range { min, max });
    }
    words.put_value(desc, (n as u64 & ((1u64 << desc.width) - 1)) as u32)
}

/// The least and the greatest number that fit in a descriptor's field.
pub(crate) fn range(desc: &OperandDesc) -> (i64, i64) {
    let values = 1i64 << desc.width;
    if is_signed(desc) { (-values / 2, values / 2 - 1) } else { (0, values - 1) }
}

/// Whether a descriptor's field holds a signed number.
pub(crate) const fn is_signed(desc: &OperandDesc) -> bool {
    match desc.kind {
        OperandKind::Offset(kind) => kind.is_signed(),
        OperandKind::Number(kind) => kind.is_signed(),
        OperandKind::Modifier(kind) => matches!(kind, ModifierKind::Signed),
        OperandKind::Register(_) | OperandKind::Address(_) | OperandKind::Image(_) | OperandKind::Second => false,
    }
}

pub(crate) fn sign_extended(value: u32, width: u8) -> i64 {
    let up = 64 - u32::from(width).clamp(1, 32);
    (i64::from(value) << up) >> up
}
