//! The offset of a scalar load, between formats that write it differently: SMRD in dwords, SMEM in bytes.

use super::{Items, RetargetError, Words, is_signed, names};
use crate::operand::{SmemOffset, smem_offset, smrd_offset};
use crate::table::{Item, Kind, NONE};
use crate::{Extension, Field, Format, Inst, Layout, Target};

pub(super) enum ScalarOffset {
    Bytes(i64),
    /// A register.
    Code(u16),
}

fn find(items: Items) -> Option<&'static Item> {
    items.all().find(|i| matches!(i.kind, Kind::SmrdOffset | Kind::SmemOffset))
}

impl ScalarOffset {
    /// The fields that say it.
    pub(super) const FIELDS: [Field; 4] = [Field::Offset, Field::Imm, Field::Soffset, Field::SoffsetEn];

    /// What the offset is; `None` if there are two, or none.
    pub(super) fn of(item: &Item, inst: &Inst) -> Option<ScalarOffset> {
        let dwords = item.kind == Kind::SmrdOffset;
        let (offset, unit) = if dwords { (smrd_offset(item, inst), 4) } else { (smem_offset(item, inst), 1) };
        match offset {
            SmemOffset::Imm(n) => Some(ScalarOffset::Bytes(i64::from(n) * unit)),
            SmemOffset::Reg(255) if dwords => {
                Some(ScalarOffset::Bytes(i64::from(inst.words().last().copied().unwrap_or(0)) * unit))
            }
            SmemOffset::Reg(code) => Some(ScalarOffset::Code(code)),
            SmemOffset::Both(..) => None,
        }
    }

    /// The offset, if the target writes it differently.
    pub(super) fn between(from: &Inst, items: Items, there: Items) -> Option<ScalarOffset> {
        let (item, there) = (find(items)?, find(there)?);
        // SMEM before gfx9 has one field for a register or a constant, later targets two fields.
        let two = |i: &Item| i.kind == Kind::SmemOffset && i.aux[1] != NONE;
        let same = item.kind == there.kind && (two(there) || !two(item));
        if same { None } else { ScalarOffset::of(item, from) }
    }

    /// Writes it, and says whether a literal follows.
    pub(super) fn put(
        &self,
        here: Target,
        there: Items,
        layout: &Layout,
        words: &mut Words,
    ) -> Result<bool, RetargetError> {
        let field = |name| layout.fields.iter().find(|f| f.field == name);
        let (Some(item), Some(offset), Some(imm)) = (find(there), field(Field::Offset), field(Field::Imm)) else {
            return Ok(false);
        };
        let refused = |value| RetargetError::Value { field: Field::Offset, value };
        let bytes = match *self {
            ScalarOffset::Bytes(bytes) => bytes,
            ScalarOffset::Code(code) => {
                let moved = names::code(here, there.target, code).ok_or(refused(code.into()))?;
                words.field(0, offset, moved.into());
                return Ok(false);
            }
        };
        let unit = if item.kind == Kind::SmrdOffset { 4 } else { 1 };
        let n = bytes / unit;
        let limit = 1i64 << (item.width - u8::from(is_signed(item)));
        let least = if is_signed(item) { -limit } else { 0 };
        if bytes % unit == 0 && (least..limit).contains(&n) {
            words.field(0, offset, n as u32);
            words.field(0, imm, 1);
            return Ok(false);
        }
        let literal = layout.extends.iter().find(|e| (e.field, e.format) == (Field::Offset, Format::Literal));
        match (literal, u32::try_from(n)) {
            (Some(&Extension { code, .. }), Ok(n)) if bytes % unit == 0 => {
                words.field(0, offset, code.into());
                words.put(layout.bits, 32, n);
                Ok(true)
            }
            _ => Err(refused(bytes)),
        }
    }
}
