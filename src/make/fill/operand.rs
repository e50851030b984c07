//! Fills in operands: converts arguments to [`EncodedOperand`], which `src/codec/` encodes.

use super::{Filling, refused};
use crate::code::{AGPR_LAST, FLOAT, FLOAT_LAST, LITERAL, LITERAL64, VGPR, VGPR_LAST, int_of, is_inside};
use crate::codec::code::{neither, vcc};
use crate::codec::inline_constant::narrow_float;
use crate::codec::{Address, EncodedOperand, SADDR, buf_vaddr_dwords, encode, global_addr_dwords, is_conditional};
use crate::kind::{AddressKind, ImageKind, NONE, Notation, NumberKind, OffsetKind, OperandKind, RegisterKind};
use crate::make::argument::Argument;
use crate::make::resolve::{given, resolve};
use crate::make::{BuildError, op};
use crate::opcode::Field;
use crate::shared::flag;
use crate::table::{DataType, OperandDesc};
use crate::target::OPERANDS;
use crate::value::Access;

/// The bits of a 64-bit literal that the operation always has.
fn literal64(argument: Argument) -> Option<u64> {
    match argument.code {
        op::INT | op::FLOAT | op::LONG => Some(argument.value),
        _ => None,
    }
}

impl Filling<'_> {
    /// Fills in an operand. `lacks` is the error for an operand that no argument can give.
    pub(super) fn operand(&mut self, desc: &OperandDesc, lacks: BuildError) -> Result<(), BuildError> {
        let b = self.builder;
        self.is_sized |= match desc.kind {
            OperandKind::Register(kind) => kind.is_sized() || matches!(kind, RegisterKind::Data { .. }),
            OperandKind::Image(_) => true,
            _ => false,
        };
        match desc.kind {
            OperandKind::Register(RegisterKind::Vcc) => return Ok(()),
            // Data that goes to LDS has no register operand.
            OperandKind::Register(RegisterKind::Data { lds, .. }) if lds != NONE && self.flag(Field::Lds) => {
                return Ok(());
            }
            _ => {}
        }
        // The operand exists only if the operation returns a value.
        if is_conditional(desc) && desc.access == Some(Access::Write) {
            let returns = self.form.descs().find(|i| i.access.is_none() && i.lsb == desc.write_if_bit).map(|i| i.field);
            match b.find(desc.field) {
                // The lowest bit of a temporal hint is this flag.
                None if !returns.is_some_and(|f| self.flag(f) || f == Field::Th && self.is_odd(f)) => return Ok(()),
                _ => self.words.set(desc.write_if_bit, true),
            }
        }
        if let Some(address) = Address::of(desc) {
            return self.image_address(address);
        }
        let Some(argument) = self.argument(desc)? else { return Ok(()) };
        let coded = match desc.kind {
            OperandKind::Register(RegisterKind::OppositeParity { .. }) => return Err(lacks),
            OperandKind::Register(kind) => self.register(kind, desc, argument)?,
            OperandKind::Image(ImageKind::Data { .. }) => self.resolve(desc, 1, Argument { dwords: 0, ..argument })?,
            OperandKind::Address(kind) => self.address(kind, desc, argument)?,
            OperandKind::Offset(OffsetKind::Dwords { .. }) => match argument.integer() {
                Some(n) => EncodedOperand::Number(n),
                None => self.resolve(desc, 1, argument)?,
            },
            OperandKind::Offset(kind) => self.scalar_offset(kind, desc, argument)?,
            OperandKind::Number(kind) => match self.encoded_number(kind, desc, argument)? {
                Some(coded) => coded,
                None => return Ok(()),
            },
            OperandKind::Image(ImageKind::Address { .. }) | OperandKind::Modifier(_) | OperandKind::Second => {
                return Err(lacks);
            }
        };
        self.encode(desc, coded, argument)
    }

    /// The argument of an operand, or the value that stands for a missing one; `None` if the operand can be missing.
    fn argument(&mut self, desc: &OperandDesc) -> Result<Option<Argument>, BuildError> {
        Ok(match (self.take(desc.field), desc.kind) {
            (Some(argument), _) => Some(argument),
            (None, OperandKind::Number(NumberKind::Plain(Notation::Endpgm))) => None,
            (None, OperandKind::Offset(OffsetKind::Bytes { .. } | OffsetKind::Sum { .. })) => {
                // The offset may be a register without a constant.
                match self.builder.find(Field::Soffset) {
                    Some(_) => Some(Argument::new(op::OFF, 0)),
                    None => Some(Argument::ZERO),
                }
            }
            (None, OperandKind::Address(AddressKind::Global { .. })) => return Err(BuildError::Missing(desc.field)),
            (None, OperandKind::Address(_)) => Some(Argument::new(op::OFF, 0)),
            (None, _) => return Err(BuildError::Missing(desc.field)),
        })
    }

    fn register(
        &self,
        kind: RegisterKind,
        desc: &OperandDesc,
        argument: Argument,
    ) -> Result<EncodedOperand, BuildError> {
        Ok(match argument.code {
            op::VGPR_HIGH..=op::VGPR_HIGH_LAST if kind.is_half() => {
                EncodedOperand::High(argument.code - op::VGPR_HIGH + VGPR)
            }
            // Modifiers determine the width, which `accept` checks.
            _ if kind.is_sized() => self.resolve(desc, 1, Argument { dwords: 0, ..argument })?,
            _ => match self.resolve(desc, desc.dwords.into(), argument)? {
                EncodedOperand::Code(code) if code == vcc(self.builder.target) && kind.is_vcc() => EncodedOperand::Vcc,
                coded => coded,
            },
        })
    }

    fn address(
        &mut self,
        kind: AddressKind,
        desc: &OperandDesc,
        argument: Argument,
    ) -> Result<EncodedOperand, BuildError> {
        let b = self.builder;
        let is_off = argument.code == op::OFF;
        let cannot = || BuildError::Operand { field: desc.field, given: argument.given(self.rules) };
        let dwords = match kind {
            AddressKind::Scalar { .. } | AddressKind::ExportSource { .. } if is_off => return Ok(EncodedOperand::Off),
            AddressKind::Scalar { .. } => desc.dwords.into(),
            AddressKind::ExportSource { compr, .. } => {
                self.words.set(compr, self.flag(Field::Compr));
                1
            }
            AddressKind::Global { .. } => global_addr_dwords(b.is_off(Field::Saddr)),
            AddressKind::Scratch { sve: NONE, saddr } if is_off == b.is_off(Field::Saddr) => {
                let neither = neither(b.target);
                if !is_off || neither == u16::MAX {
                    return Err(cannot());
                }
                self.words.put(saddr, SADDR, neither.into());
                return Ok(EncodedOperand::Off);
            }
            AddressKind::Scratch { .. } if is_off => return Ok(EncodedOperand::Off),
            AddressKind::Scratch { .. } => desc.dwords.into(),
            AddressKind::Buffer { .. } => {
                let dwords = buf_vaddr_dwords([Field::Offen, Field::Idxen, Field::Addr64].map(|f| self.flag(f)));
                match (dwords, is_off) {
                    (0, true) => return Ok(EncodedOperand::Off),
                    (0, false) => return Err(cannot()),
                    (_, true) => return Err(BuildError::Missing(desc.field)),
                    _ => dwords,
                }
            }
        };
        self.resolve(desc, dwords, argument)
    }

    /// Converts a number to the operand that is encoded; `None` if this function has written the number to its field.
    fn encoded_number(
        &mut self,
        kind: NumberKind,
        desc: &OperandDesc,
        argument: Argument,
    ) -> Result<Option<EncodedOperand>, BuildError> {
        let field = desc.field;
        let cannot = || BuildError::Operand { field, given: argument.given(self.rules) };
        Ok(Some(match kind {
            NumberKind::Literal { .. } if desc.dwords == 2 => {
                EncodedOperand::Literal64(literal64(argument).ok_or(BuildError::Constant(field))?)
            }
            NumberKind::Literal { .. } => {
                EncodedOperand::Literal(self.literal(desc, argument).ok_or(BuildError::Constant(field))?)
            }
            _ if desc.width == 16 && kind.has_both_signs() => {
                // Signed and unsigned values are both accepted.
                let value = argument.integer().ok_or_else(cannot)?;
                let (min, max) = (i16::MIN.into(), u16::MAX.into());
                if !(min..=max).contains(&value) {
                    return Err(BuildError::Range { field, value, min, max });
                }
                EncodedOperand::Number((value as u16).into())
            }
            NumberKind::Label => {
                let value = argument.integer().ok_or_else(cannot)?;
                let range = BuildError::Range { field, value, min: i16::MIN.into(), max: i16::MAX.into() };
                EncodedOperand::Label(value.try_into().map_err(|_| range)?)
            }
            NumberKind::Attribute { .. } => {
                self.number(desc, argument)?;
                let channel = self.take(Field::Attrchan).ok_or(BuildError::Missing(Field::Attrchan))?;
                let channel = channel.integer().filter(|n| (0..4).contains(n));
                let channel = channel.ok_or(BuildError::Unknown(Field::Attrchan))?;
                EncodedOperand::Attr(argument.value as i64, channel as u8)
            }
            NumberKind::Choice(list) => {
                self.named(desc, self.rules.members(list), argument)?;
                return Ok(None);
            }
            NumberKind::Plain(_) | NumberKind::Parts(_) => {
                self.number(desc, argument)?;
                return Ok(None);
            }
        }))
    }

    /// Encodes an operand, and counts it if it uses the constant bus.
    fn encode(&mut self, desc: &OperandDesc, coded: EncodedOperand, argument: Argument) -> Result<(), BuildError> {
        if let EncodedOperand::Literal(_) | EncodedOperand::Literal64(_) = coded {
            self.literal_of = desc.field;
        }
        let is_inline = |code| int_of(code).is_some() || (FLOAT..=FLOAT_LAST).contains(&code);
        // Destinations also count, because the number is only an upper bound.
        let is_on_bus = match coded {
            EncodedOperand::Code(code) => code < VGPR && !is_inline(code),
            EncodedOperand::Number(_) | EncodedOperand::Off | EncodedOperand::High(_) => false,
            _ => true,
        };
        self.scalars += u8::from(is_on_bus);
        encode(desc, coded, &mut self.words).map_err(|error| {
            let given = match coded {
                EncodedOperand::Code(code) => given(self.rules, code, 0),
                _ => argument.given(self.rules),
            };
            refused(desc, error, given, argument.integer().unwrap_or(0))
        })
    }

    /// Fills in the registers of an image address: `vaddr`, and also `vaddr1` and so on if dwords after the base words
    /// name further registers. `accept` checks their number.
    fn image_address(&mut self, address: Address<'_>) -> Result<(), BuildError> {
        for part in 0..address.fields.count() {
            let field = address.field(part);
            let argument = match self.take(field) {
                Some(argument) => argument,
                None if part == 0 => return Err(BuildError::Missing(field)),
                None => break,
            };
            let desc = OperandDesc { field, ..*address.desc };
            let dwords = argument.dwords.max(1).into();
            let EncodedOperand::Code(code) = self.resolve(&desc, dwords, argument)? else {
                return Err(BuildError::Operand { field, given: argument.given(self.rules) });
            };
            if !(VGPR..=VGPR_LAST).contains(&code) {
                return Err(BuildError::Operand { field, given: given(self.rules, code, 0) });
            }
            self.words.put(address.lsb(part), 8, (code - VGPR).into());
        }
        Ok(())
    }

    /// Resolves an argument of `dwords` dwords to its code. The decoder checks later whether the operand accepts the
    /// code.
    fn resolve(&self, desc: &OperandDesc, dwords: u16, argument: Argument) -> Result<EncodedOperand, BuildError> {
        let (field, dwords) = (desc.field, dwords as u8);
        if argument.dwords != 0 && argument.dwords != dwords {
            return Err(BuildError::Width { field, dwords, given: argument.dwords });
        }
        let Argument { code, value, .. } = argument;
        let is_vector = (VGPR..=AGPR_LAST).contains(&code);
        if self.facts & const { flag("odd") } != 0
            && desc.access == Some(Access::Write)
            && is_vector
            && is_inside(code % VGPR, dwords.into(), self.rules.vgprs)
        {
            return Ok(EncodedOperand::Code(code));
        }
        let any = u16::MAX;
        let (code, literal) = resolve(self.rules, field, any, desc.ty, dwords.into(), code, value)?;
        match code {
            op::OFF => Err(BuildError::Operand { field, given: given(self.rules, code, 0) }),
            LITERAL => Ok(EncodedOperand::Literal(literal as u32)),
            LITERAL64 if self.has_literal64() => Ok(EncodedOperand::Literal64(literal)),
            _ => Ok(EncodedOperand::Code(code)),
        }
    }

    /// Whether the target has literals of 64 bits.
    fn has_literal64(&self) -> bool {
        OPERANDS[self.builder.target as usize].has_literal64
    }

    fn literal(&self, desc: &OperandDesc, argument: Argument) -> Option<u32> {
        match argument.code {
            op::INT => {
                let value = argument.value as i64;
                (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&value).then_some(value as u32)
            }
            op::FLOAT => narrow_float(argument.value, matches!(desc.ty, DataType::F16)),
            LITERAL => Some(argument.value as u32),
            _ => None,
        }
    }

    /// Fills in a scalar offset: a constant, a register, or both. If there are both, the register is `soffset`.
    fn scalar_offset(
        &mut self,
        kind: OffsetKind,
        desc: &OperandDesc,
        argument: Argument,
    ) -> Result<EncodedOperand, BuildError> {
        let register = match self.builder.find(Field::Soffset) {
            Some(_) if kind.soffset() != NONE => self.take(Field::Soffset),
            _ => None,
        };
        match (argument.integer(), register) {
            (Some(n), None) => Ok(EncodedOperand::Number(n)),
            (Some(n), Some(register)) => {
                Ok(EncodedOperand::RegisterPlusOffset(self.scalar(Field::Soffset, register)?, n))
            }
            (None, None) => Ok(EncodedOperand::Code(self.scalar(desc.field, argument)?)),
            (None, Some(register)) if argument.code == op::OFF => {
                Ok(EncodedOperand::Code(self.scalar(Field::Soffset, register)?))
            }
            (None, Some(_)) => Err(BuildError::Unknown(Field::Soffset)),
        }
    }

    /// The code of one scalar register.
    fn scalar(&self, field: Field, argument: Argument) -> Result<u16, BuildError> {
        let class = op::class::SGPR | op::class::SYS | op::class::TTMP | op::class::M0 | op::class::EXEC;
        if argument.dwords > 1 {
            return Err(BuildError::Width { field, dwords: 1, given: argument.dwords });
        }
        let (code, _) = resolve(self.rules, field, class, DataType::Bits, 1, argument.code, argument.value)?;
        Ok(code)
    }
}
