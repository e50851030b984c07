//! Fills in modifiers, and numbers in fields.

use super::{Filling, refused};
use crate::code::VGPR;
use crate::codec::{default, encode_number, put_modifier};
use crate::kind::{ListStyle, ModifierKind, OperandKind, RegisterKind};
use crate::make::argument::Argument;
use crate::make::{BuildError, Given};
use crate::opcode::Field;
use crate::table::OperandDesc;

/// The kind of signs that a modifier holds (0: negations, 1: absolute values, 2: sign extensions), and the first source
/// to which they apply; `None` for other modifiers.
pub(super) const fn sign(desc: &OperandDesc) -> Option<(usize, u8)> {
    match (desc.kind, desc.field) {
        (OperandKind::Modifier(ModifierKind::List(ListStyle::Neg)), _) => Some((0, 0)),
        (OperandKind::Modifier(ModifierKind::Hidden), field) => match field {
            Field::Neg | Field::Src0Neg => Some((0, 0)),
            Field::Src1Neg => Some((0, 1)),
            Field::Abs | Field::NegHi | Field::Src0Abs => Some((1, 0)),
            Field::Src1Abs => Some((1, 1)),
            Field::Src0Sext => Some((2, 0)),
            Field::Src1Sext => Some((2, 1)),
            _ => None,
        },
        _ => None,
    }
}

impl Filling<'_> {
    pub(super) fn number(&mut self, desc: &OperandDesc, argument: Argument) -> Result<(), BuildError> {
        let given = || argument.given(self.rules);
        let value = argument.integer().ok_or_else(|| BuildError::Operand { field: desc.field, given: given() })?;
        encode_number(desc, value, &mut self.words).map_err(|error| refused(desc, error, given(), value))
    }

    /// Fills in a number that has a meaning only for some values: `set` has a bit for each of these values.
    pub(super) fn named(&mut self, desc: &OperandDesc, set: [u64; 1], argument: Argument) -> Result<(), BuildError> {
        self.number(desc, argument)?;
        match argument.integer() {
            Some(value @ 0..=63) if set[0] >> value & 1 == 1 => Ok(()),
            _ => Err(BuildError::Operand { field: desc.field, given: argument.given(self.rules) }),
        }
    }

    pub(super) fn modifier(&mut self, desc: &OperandDesc) -> Result<(), BuildError> {
        let b = self.builder;
        let OperandKind::Modifier(kind) = desc.kind else { return Err(BuildError::Unknown(desc.field)) };
        let fits = |error| refused(desc, error, Given::Int(0), 0);
        if let Some((sign, first)) = sign(desc) {
            if let Some(there) = self.signs.get_mut(sign) {
                *there |= desc.used_bits << first;
            }
            let given = [b.neg, b.abs, b.sext].get(sign).map_or(0, |given| given >> first);
            return self.words.put_value(desc, u32::from(given & desc.used_bits)).map_err(fits);
        }
        let is_hidden = matches!(kind, ModifierKind::Hidden);
        if is_hidden && desc.field != Field::Nfmt {
            return Ok(());
        }
        if let ModifierKind::Dpp8 { code } = kind {
            if self.take(Field::Fi).and_then(Argument::integer) == Some(1) {
                // Code 234 announces the dword with `fi` set, and code 233 with `fi` clear.
                self.words.set(code, false);
                self.words.set(code + 1, true);
            }
        }
        let Some(argument) = self.take(desc.field) else {
            // The operand that a flag belongs to may have set the flag.
            return match default(desc).ok_or(BuildError::Missing(desc.field))? {
                0 => Ok(()),
                value => self.words.put_value(desc, value).map_err(fits),
            };
        };
        if let ModifierKind::List(_) = kind {
            let bits = argument.integer().unwrap_or(i64::MAX);
            if bits & !i64::from(desc.used_bits) != 0 {
                return Err(BuildError::Unknown(desc.field));
            }
            self.same_halves(desc, bits as u32)?;
        }
        // The old value of the memory is returned only if this bit is set.
        if matches!(kind, ModifierKind::TemporalHint { .. }) && self.words.is_set(desc.lsb) {
            return self.number(desc, Argument { value: argument.value | 1, ..argument });
        }
        if let ModifierKind::Bitop3 { .. } = kind {
            let table = argument.integer().and_then(|table| u8::try_from(table).ok());
            let table = table.ok_or(BuildError::Unknown(desc.field))?;
            return put_modifier(desc, table.into(), &mut self.words).map_err(fits);
        }
        // A flag only sets its bit here; operands that depend on it read the builder's argument.
        self.number(desc, argument)
    }

    /// Checks that op_sel selects the same halves of registers as the operands name.
    fn same_halves(&self, op_sel: &OperandDesc, bits: u32) -> Result<(), BuildError> {
        for desc in self.form.descs() {
            let OperandKind::Register(RegisterKind::HalfSelected { half, .. }) = desc.kind else { continue };
            let is_register = self.words.get(desc.lsb, desc.lo_width) + u32::from(desc.add) >= u32::from(VGPR);
            let operand = half.wrapping_sub(op_sel.lsb);
            let selects = bits >> (operand & 31) & 1 == 1;
            if is_register && op_sel.field == Field::OpSel && selects != self.words.is_set(half) {
                return Err(BuildError::OtherHalf { operand });
            }
        }
        Ok(())
    }

    pub(super) fn is_odd(&self, field: Field) -> bool {
        self.builder.find(field).and_then(|(_, argument)| argument.integer()).is_some_and(|n| n & 1 == 1)
    }

    pub(super) fn flag(&self, field: Field) -> bool {
        self.builder.find(field).is_some_and(|(_, argument)| argument.integer() == Some(1))
    }
}
