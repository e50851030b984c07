//! Operands: from an argument to what its bits say, which `src/codec/` encodes.

use super::{Filling, refused};
use crate::codec::code::{LITERAL, vcc};
use crate::codec::{Coded, buf_vaddr_dwords, encode, global_addr_dwords, is_conditional};
use crate::make::argument::Argument;
use crate::make::resolve::{narrow_float, resolve};
use crate::make::{BuildError, op};
use crate::table::{Item, Kind, NONE, Ty};
use crate::{Access, Field};

impl Filling<'_> {
    pub(super) fn operand(&mut self, item: &Item, lacks: BuildError) -> Result<(), BuildError> {
        let b = self.builder;
        match item.kind {
            Kind::Vcc => return Ok(()),
            // What goes to LDS is no operand.
            Kind::BufData if item.aux[1] != NONE && self.flag(Field::Lds) => return Ok(()),
            _ => {}
        }
        // Written only when the operation returns something.
        if is_conditional(item) && item.access == Some(Access::Write) {
            let returns = self.form.items().find(|i| i.access.is_none() && i.lsb == item.cond).map(|i| i.field);
            match b.find(item.field) {
                None if !returns.is_some_and(|f| self.flag(f)) => return Ok(()),
                _ => self.words.set(item.cond, true),
            }
        }
        let missing = BuildError::Missing(item.field);
        let optional = matches!(
            item.kind,
            Kind::Endpgm | Kind::BufVaddr | Kind::ScratchAddr | Kind::Saddr | Kind::ExpSrc | Kind::SmemOffset
        );
        let argument = match self.take(item.field) {
            Some(argument) => argument,
            None if item.kind == Kind::Endpgm => return Ok(()),
            // A register can be added to a constant, and stand alone too.
            None if item.kind == Kind::SmemOffset && b.find(Field::Soffset).is_none() => Argument::ZERO,
            None if optional => Argument::new(op::OFF, 0),
            None => return Err(missing),
        };
        let cannot = BuildError::Operand { field: item.field, given: argument.given(self.rules) };
        let is_off = argument.code == op::OFF;
        let coded = match item.kind {
            Kind::Code | Kind::Acc | Kind::Agpr | Kind::AgprOrConst | Kind::BufData | Kind::SdwaSrc => {
                self.resolve(item, item.dwords.into(), argument)?
            }
            // As long as modifiers say: `accept` looks at it.
            Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap | Kind::AccSized => {
                self.resolve(item, 1, Argument { dwords: 0, ..argument })?
            }
            Kind::SdstOrVcc => match self.resolve(item, item.dwords.into(), argument)? {
                Coded::Code(code) if code == vcc(b.target) => Coded::Vcc,
                coded => coded,
            },
            Kind::Saddr | Kind::ExpSrc if is_off => Coded::Off,
            Kind::Saddr => self.resolve(item, item.dwords.into(), argument)?,
            Kind::ExpSrc => {
                self.words.set(item.aux[1], self.flag(Field::Compr));
                self.resolve(item, 1, argument)?
            }
            Kind::GlobalAddr => self.resolve(item, global_addr_dwords(b.is_off(Field::Saddr)), argument)?,
            Kind::ScratchAddr if item.aux[0] == NONE && is_off == b.is_off(Field::Saddr) => return Err(cannot),
            Kind::ScratchAddr if is_off => Coded::Off,
            Kind::ScratchAddr => self.resolve(item, item.dwords.into(), argument)?,
            Kind::BufVaddr => {
                let dwords = buf_vaddr_dwords([Field::Offen, Field::Idxen, Field::Addr64].map(|f| self.flag(f)));
                match (dwords, is_off) {
                    (0, true) => Coded::Off,
                    (0, false) => return Err(cannot),
                    (_, true) => return Err(missing),
                    _ => self.resolve(item, dwords, argument)?,
                }
            }
            Kind::SmemOffset => self.scalar_offset(item, argument)?,
            Kind::SmrdOffset => match argument.integer() {
                Some(n) => Coded::Number(n),
                None => self.resolve(item, 1, argument)?,
            },
            Kind::Literal => Coded::Literal(self.literal(item, argument).ok_or(BuildError::Constant(item.field))?),
            Kind::Hex | Kind::Int16 if item.width == 16 => {
                // It may be signed or not.
                let value = argument.integer().ok_or(cannot)?;
                let (min, max) = (i16::MIN.into(), u16::MAX.into());
                if !(min..=max).contains(&value) {
                    return Err(BuildError::Range { field: item.field, value, min, max });
                }
                Coded::Number((value as u16).into())
            }
            Kind::Label => {
                let value = argument.integer().ok_or(cannot)?;
                let (min, max) = (i16::MIN.into(), i16::MAX.into());
                let range = BuildError::Range { field: item.field, value, min, max };
                Coded::Label(value.try_into().map_err(|_| range)?)
            }
            Kind::Attr => {
                self.number(item, argument)?;
                let channel = self.take(Field::Attrchan).ok_or(BuildError::Missing(Field::Attrchan))?;
                let channel = channel.integer().filter(|n| (0..4).contains(n));
                let channel = channel.ok_or(BuildError::Unknown(Field::Attrchan))?;
                Coded::Attr(argument.value as i64, channel as u8)
            }
            Kind::InterpParam => return self.named(item, self.rules.interp_params, argument),
            Kind::ExpTgt => return self.named(item, self.rules.exp_targets, argument),
            Kind::Hex | Kind::Int16 | Kind::Endpgm | Kind::Hwreg | Kind::Sendmsg | Kind::Waitcnt | Kind::GprIdx => {
                return self.number(item, argument);
            }
            _ => return Err(lacks),
        };
        if let Coded::Literal(_) = coded {
            self.literal_of = item.field;
        }
        let given = match coded {
            Coded::Code(code) => op::given(self.rules, code, 0),
            _ => argument.given(self.rules),
        };
        let value = argument.integer().unwrap_or(0);
        encode(item, coded, &mut self.words).map_err(|error| refused(item, error, given, value))
    }

    /// The code of an argument, which is of `dwords`. What class it may be of the decoder says.
    fn resolve(&self, item: &Item, dwords: u16, argument: Argument) -> Result<Coded, BuildError> {
        let (field, dwords) = (item.field, dwords as u8);
        if argument.dwords != 0 && argument.dwords != dwords {
            return Err(BuildError::Width { field, dwords, given: argument.dwords });
        }
        let Argument { code, value, .. } = argument;
        let any = u16::MAX;
        let (code, literal) = resolve(self.rules, field, any, item.ty, dwords.into(), code, value)?;
        match code {
            op::OFF => Err(BuildError::Operand { field, given: op::given(self.rules, code, 0) }),
            LITERAL => Ok(Coded::Literal(literal)),
            _ => Ok(Coded::Code(code)),
        }
    }

    fn literal(&self, item: &Item, argument: Argument) -> Option<u32> {
        match argument.code {
            op::INT => {
                let value = argument.value as i64;
                (i64::from(i32::MIN)..=i64::from(u32::MAX)).contains(&value).then_some(value as u32)
            }
            op::FLOAT => narrow_float(argument.value, matches!(item.ty, Ty::F16)),
            LITERAL => Some(argument.value as u32),
            _ => None,
        }
    }

    /// A constant, a register, or both: then the register is `soffset`, or the offset that a constant was added to.
    fn scalar_offset(&mut self, item: &Item, argument: Argument) -> Result<Coded, BuildError> {
        let soffset_en = item.aux[1];
        let register = match self.builder.find(Field::Soffset) {
            Some(_) if soffset_en != NONE => self.take(Field::Soffset),
            _ => None,
        };
        match (argument.integer(), register) {
            (Some(n), None) => Ok(Coded::Number(n)),
            (Some(n), Some(register)) => Ok(Coded::Both(self.scalar(Field::Soffset, register)?, n)),
            (None, None) => Ok(Coded::Code(self.scalar(item.field, argument)?)),
            (None, Some(register)) if argument.code == op::OFF => {
                Ok(Coded::Code(self.scalar(Field::Soffset, register)?))
            }
            (None, Some(_)) => Err(BuildError::Unknown(Field::Soffset)),
        }
    }

    /// One scalar register.
    fn scalar(&self, field: Field, argument: Argument) -> Result<u16, BuildError> {
        let class = op::class::SGPR | op::class::SYS | op::class::TTMP | op::class::M0 | op::class::EXEC;
        if argument.dwords > 1 {
            return Err(BuildError::Width { field, dwords: 1, given: argument.dwords });
        }
        let (code, _) = resolve(self.rules, field, class, Ty::B, 1, argument.code, argument.value)?;
        Ok(code)
    }
}
