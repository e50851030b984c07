//! Modifiers, and numbers in fields.

use super::Filling;
use crate::Field;
use crate::make::BuildError;
use crate::make::argument::Argument;
use crate::table::{Item, Kind};

impl Filling<'_> {
    pub(super) fn number(&mut self, item: &Item, signed: bool, argument: Argument) -> Result<(), BuildError> {
        let field = item.field;
        let value = argument.integer().ok_or(BuildError::Operand { field, given: argument.given(self.rules) })?;
        let width = u32::from(item.width);
        let (min, max) = match signed {
            true => (-(1i64 << (width - 1)), (1i64 << (width - 1)) - 1),
            false => (0, (1i64 << width) - 1),
        };
        if !(min..=max).contains(&value) {
            return Err(BuildError::Range { field, value, min, max });
        }
        self.put_item(item, value as u32);
        Ok(())
    }

    /// A number of which only some have a meaning, a bit each.
    pub(super) fn named(&mut self, item: &Item, set: [u64; 1], argument: Argument) -> Result<(), BuildError> {
        self.number(item, false, argument)?;
        match argument.integer() {
            Some(value @ 0..=63) if set[0] >> value & 1 == 1 => Ok(()),
            _ => Err(BuildError::Operand { field: item.field, given: argument.given(self.rules) }),
        }
    }

    pub(super) fn modifier(&mut self, item: &Item) -> Result<(), BuildError> {
        let b = self.builder;
        // Signs of sources: a bit each, or fields of their own.
        let signs = match (item.kind, item.field) {
            (Kind::None, Field::Neg) | (Kind::ListNeg, _) => Some((b.neg, 0)),
            (Kind::None, Field::Abs | Field::NegHi) => Some((b.abs, 0)),
            (Kind::None, Field::Src0Neg) => Some((b.neg, 0)),
            (Kind::None, Field::Src1Neg) => Some((b.neg, 1)),
            (Kind::None, Field::Src0Abs) => Some((b.abs, 0)),
            (Kind::None, Field::Src1Abs) => Some((b.abs, 1)),
            (Kind::None, Field::Src0Sext) => Some((b.sext, 0)),
            (Kind::None, Field::Src1Sext) => Some((b.sext, 1)),
            _ => None,
        };
        if let Some((mask, first)) = signs {
            self.put_item(item, u32::from(mask >> first & item.used));
            return Ok(());
        }
        let default = match item.kind {
            Kind::None if item.field != Field::Nfmt => return Ok(()),
            // Of all, and keep the rest: what LLVM's assembler takes if nothing is said.
            Kind::SdwaSel => Some(6),
            Kind::DstUnused => Some(2),
            Kind::DppMask => Some(15),
            Kind::ListOnes => Some(u32::from(item.used)),
            Kind::DppCtrl | Kind::Dmask => None,
            _ => Some(0),
        };
        let Some(argument) = self.take(item.field) else {
            let value = default.ok_or(BuildError::Missing(item.field))?;
            // A flag may have been set by the operand that it belongs to.
            if value != 0 {
                self.put_item(item, value);
            }
            return Ok(());
        };
        if matches!(item.kind, Kind::List | Kind::ListAll | Kind::ListOnes | Kind::ListAlways | Kind::ListNegLo) {
            let bits = argument.integer().unwrap_or(i64::MAX);
            if bits & !i64::from(item.used) != 0 {
                return Err(BuildError::Unknown(item.field));
            }
        }
        if item.kind == Kind::Bitop3 {
            let table = argument.integer().filter(|table| (0..=255).contains(table));
            let table = table.ok_or(BuildError::Unknown(item.field))? as u32;
            self.put_item(item, table >> 6);
            self.put(item.aux[0], 3, table >> 3 & 7);
            self.put(item.aux[1], 3, table & 7);
            return Ok(());
        }
        // What a flag means to others is looked at by them; here it is only a bit.
        self.number(item, item.kind == Kind::Signed, argument)
    }

    pub(super) fn flag(&self, field: Field) -> bool {
        self.builder.find(field).is_some_and(|(_, argument)| argument.integer() == Some(1))
    }
}
