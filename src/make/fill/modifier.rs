//! Modifiers, and numbers in fields.

use super::{Filling, refused};
use crate::Field;
use crate::codec::{default, encode_number, hold};
use crate::make::argument::Argument;
use crate::make::{BuildError, Given};
use crate::table::{Item, Kind};

impl Filling<'_> {
    pub(super) fn number(&mut self, item: &Item, argument: Argument) -> Result<(), BuildError> {
        let given = argument.given(self.rules);
        let value = argument.integer().ok_or(BuildError::Operand { field: item.field, given })?;
        encode_number(item, value, &mut self.words).map_err(|error| refused(item, error, given, value))
    }

    /// A number of which only some have a meaning, a bit each.
    pub(super) fn named(&mut self, item: &Item, set: [u64; 1], argument: Argument) -> Result<(), BuildError> {
        self.number(item, argument)?;
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
        let fits = |error| refused(item, error, Given::Int(0), 0);
        if let Some((mask, first)) = signs {
            return self.words.item(item, u32::from(mask >> first & item.used)).map_err(fits);
        }
        if item.kind == Kind::None && item.field != Field::Nfmt {
            return Ok(());
        }
        let Some(argument) = self.take(item.field) else {
            // A flag may have been set by the operand that it belongs to.
            return match default(item).ok_or(BuildError::Missing(item.field))? {
                0 => Ok(()),
                value => self.words.item(item, value).map_err(fits),
            };
        };
        if matches!(item.kind, Kind::List | Kind::ListAll | Kind::ListOnes | Kind::ListAlways | Kind::ListNegLo) {
            let bits = argument.integer().unwrap_or(i64::MAX);
            if bits & !i64::from(item.used) != 0 {
                return Err(BuildError::Unknown(item.field));
            }
        }
        if item.kind == Kind::Bitop3 {
            let table = argument.integer().and_then(|table| u8::try_from(table).ok());
            let table = table.ok_or(BuildError::Unknown(item.field))?;
            return hold(item, table.into(), &mut self.words).map_err(fits);
        }
        // What a flag means to others is looked at by them; here it is only a bit.
        self.number(item, argument)
    }

    pub(super) fn flag(&self, field: Field) -> bool {
        self.builder.find(field).is_some_and(|(_, argument)| argument.integer() == Some(1))
    }
}
