//! Operands: each kind has its own way into the words.

use super::{Filling, LITERAL, NO_SADDR, VCC};
use crate::inst::layout;
use crate::make::argument::Argument;
use crate::make::resolve::{narrow_float, resolve};
use crate::make::{BuildError, op};
use crate::table::{Item, Kind, NONE, Ty};
use crate::{Access, Field, Format};

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
        if item.cond != NONE && item.access == Some(Access::Write) && item.kind != Kind::SdwaSrc {
            let returns = self.items().find(|i| i.access.is_none() && i.lsb == item.cond).map(|i| i.field);
            match b.find(item.field) {
                None if !returns.is_some_and(|f| self.flag(f)) => return Ok(()),
                _ => self.set(item.cond),
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
        let off = argument.code == op::OFF;
        match item.kind {
            Kind::Code | Kind::Acc | Kind::Agpr | Kind::AgprOrConst | Kind::BufData => {
                self.coded(item, item.dwords, argument)
            }
            // As long as modifiers say: `accept` looks at it.
            Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap | Kind::AccSized => {
                self.coded(item, 1, Argument { dwords: 0, ..argument })
            }
            Kind::SdwaSrc => {
                let code = self.resolve(item, item.dwords, argument)?;
                if code < 256 {
                    if item.cond == NONE {
                        return Err(BuildError::Operand { field: item.field, given: op::given(self.rules, code, 0) });
                    }
                    self.set(item.cond);
                }
                self.put_item(item, u32::from(code) & 255);
                Ok(())
            }
            Kind::SdstOrVcc => {
                let code = self.resolve(item, item.dwords, argument)?;
                match code {
                    VCC => Ok(()),
                    _ => {
                        self.set(item.aux[0]);
                        self.insert(item, code)
                    }
                }
            }
            Kind::Saddr if off => {
                self.put_item(item, NO_SADDR.into());
                Ok(())
            }
            Kind::Saddr => {
                let code = self.resolve(item, item.dwords, argument)?;
                if code == NO_SADDR {
                    return Err(BuildError::Operand { field: item.field, given: op::given(self.rules, code, 0) });
                }
                self.insert(item, code)
            }
            Kind::GlobalAddr => {
                let dwords = if b.is_off(Field::Saddr) { 2 } else { 1 };
                self.coded(item, dwords, argument)
            }
            Kind::ScratchAddr => {
                if item.aux[0] == NONE && off == b.is_off(Field::Saddr) {
                    return Err(BuildError::Operand { field: item.field, given: argument.given(self.rules) });
                }
                if off {
                    return Ok(());
                }
                self.set(item.aux[0]);
                self.coded(item, item.dwords, argument)
            }
            Kind::BufVaddr => {
                let flags = [Field::Offen, Field::Idxen].map(|f| u8::from(self.flag(f)));
                let dwords = if self.flag(Field::Addr64) { 2 } else { flags[0] + flags[1] };
                match (dwords, off) {
                    (0, true) => Ok(()),
                    (0, false) => Err(BuildError::Operand { field: item.field, given: argument.given(self.rules) }),
                    (_, true) => Err(missing),
                    _ => self.coded(item, dwords, argument),
                }
            }
            Kind::SmemOffset => self.smem_offset(item, argument),
            Kind::SmrdOffset => self.smrd_offset(item, argument),
            Kind::ExpSrc if off => Ok(()),
            Kind::ExpSrc => self.export(item, argument),
            Kind::Literal => {
                let code = self.resolve_literal(item, argument).ok_or(BuildError::Constant(item.field))?;
                self.literal(item.field, code)
            }
            Kind::Hex | Kind::Int16 if item.width == 16 => {
                let value = argument
                    .integer()
                    .ok_or(BuildError::Operand { field: item.field, given: argument.given(self.rules) })?;
                if !(-0x8000..=0xffff).contains(&value) {
                    return Err(BuildError::Range { field: item.field, value, min: -0x8000, max: 0xffff });
                }
                self.put_item(item, value as u16 as u32);
                Ok(())
            }
            Kind::Label => self.number(item, true, argument),
            Kind::Attr => {
                self.number(item, false, argument)?;
                let channel = self.take(Field::Attrchan).ok_or(BuildError::Missing(Field::Attrchan))?;
                let channel = channel.integer().filter(|n| (0..4).contains(n));
                let value = channel.ok_or(BuildError::Unknown(Field::Attrchan))?;
                self.put(item.aux[0], 2, value as u32);
                Ok(())
            }
            Kind::Hex | Kind::Int16 | Kind::Endpgm | Kind::Hwreg | Kind::Sendmsg | Kind::Waitcnt | Kind::GprIdx => {
                self.number(item, false, argument)
            }
            Kind::InterpParam => self.named(item, self.rules.interp_params, argument),
            Kind::ExpTgt => self.named(item, self.rules.exp_targets, argument),
            _ => Err(lacks),
        }
    }

    /// The code of an argument, which is of `dwords`. What class it may be of the decoder says.
    fn resolve(&mut self, item: &Item, dwords: u8, argument: Argument) -> Result<u16, BuildError> {
        let field = item.field;
        if argument.dwords != 0 && argument.dwords != dwords {
            return Err(BuildError::Width { field, dwords, given: argument.dwords });
        }
        let Argument { code, value, .. } = argument;
        let any = u16::MAX;
        let (code, literal) = resolve(self.rules, field, any, item.ty, dwords.into(), code, value)?;
        if code == op::OFF {
            return Err(BuildError::Operand { field, given: op::given(self.rules, code, 0) });
        }
        if code == LITERAL {
            self.literal(field, literal)?;
        }
        if (256..768).contains(&code) && !matches!(item.kind, Kind::Agpr | Kind::AgprOrConst) {
            let acc = match item.kind {
                Kind::Acc | Kind::AccSized | Kind::BufData => item.aux[0],
                Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap => item.aux[3],
                _ => NONE,
            };
            let is_acc = code >= op::AGPR;
            let bit = if acc == NONE { 0 } else { 1u128 << acc };
            // Operands that share the bit are all of one kind.
            let other = self.decided & bit != 0 && self.is_set(acc) != is_acc;
            if is_acc && acc == NONE || other {
                return Err(BuildError::Operand { field, given: op::given(self.rules, code, 0) });
            }
            self.decided |= bit;
            if is_acc {
                self.set(acc);
            }
        }
        match (item.kind, code) {
            (Kind::Agpr | Kind::AgprOrConst, op::AGPR..) => Ok(code - 256),
            (Kind::AgprOrConst, ..256) => Ok(code),
            (Kind::Agpr | Kind::AgprOrConst, code) => {
                Err(BuildError::Operand { field, given: op::given(self.rules, code, 0) })
            }
            (_, op::AGPR..) => Ok(code - 256),
            _ => Ok(code),
        }
    }

    fn coded(&mut self, item: &Item, dwords: u8, argument: Argument) -> Result<(), BuildError> {
        let code = self.resolve(item, dwords, argument)?;
        self.insert(item, code)
    }

    fn insert(&mut self, item: &Item, code: u16) -> Result<(), BuildError> {
        let value = code.checked_sub(item.add).map(|v| v >> item.shift);
        match value.filter(|v| u32::from(*v) < 1 << item.width) {
            Some(value) => {
                self.put_item(item, value.into());
                Ok(())
            }
            None => Err(BuildError::Operand { field: item.field, given: op::given(self.rules, code, 0) }),
        }
    }

    fn literal(&mut self, field: Field, literal: u32) -> Result<(), BuildError> {
        self.literal_of = field;
        match self.literal.replace(literal) {
            Some(other) if other != literal => Err(BuildError::TwoLiterals(field)),
            _ => Ok(()),
        }
    }

    fn resolve_literal(&self, item: &Item, argument: Argument) -> Option<u32> {
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
    fn smem_offset(&mut self, item: &Item, argument: Argument) -> Result<(), BuildError> {
        let [imm, soffset_en, soffset, _] = item.aux;
        let constant = argument.integer().is_some();
        if constant {
            self.number(item, soffset_en != NONE, argument)?;
            self.set(imm);
        }
        let register = match self.builder.find(Field::Soffset) {
            Some(_) if soffset_en == NONE => None,
            Some(_) => self.take(Field::Soffset),
            None => None,
        };
        match register {
            Some(register) if constant || argument.code == op::OFF => {
                let code = self.scalar(Field::Soffset, register)?;
                match constant {
                    true => {
                        self.put(soffset, 7, code.into());
                        self.set(soffset_en);
                    }
                    false => self.put(item.lsb, 7, code.into()),
                }
                Ok(())
            }
            Some(_) => Err(BuildError::Unknown(Field::Soffset)),
            None if constant => Ok(()),
            None => {
                let code = self.scalar(item.field, argument)?;
                self.put(item.lsb, 7, code.into());
                Ok(())
            }
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

    /// A constant of eight bits, a literal behind what has room for one, or a register.
    fn smrd_offset(&mut self, item: &Item, argument: Argument) -> Result<(), BuildError> {
        match argument.integer() {
            Some(value @ 0..=255) => {
                self.put_item(item, value as u32);
                self.set(item.aux[0]);
                Ok(())
            }
            Some(value) => {
                let range = BuildError::Range { field: item.field, value, min: 0, max: 255 };
                let literal = u32::try_from(value).map_err(|_| range)?;
                let base = layout(self.builder.target, Format::Smrd);
                let room = base.is_some_and(|l| l.extends.iter().any(|e| e.field == item.field));
                if !room {
                    return Err(range);
                }
                self.put_item(item, LITERAL.into());
                self.literal(item.field, literal)
            }
            None => self.coded(item, 1, argument),
        }
    }

    /// Compressed sources share registers by twos.
    fn export(&mut self, item: &Item, argument: Argument) -> Result<(), BuildError> {
        let code = self.resolve(item, 1, argument)?;
        if code < 256 {
            return Err(BuildError::Operand { field: item.field, given: op::given(self.rules, code, 0) });
        }
        let n = (item.lsb / 8) % 4;
        if !self.flag(Field::Compr) {
            self.set(item.aux[0]);
            return self.insert(item, code);
        }
        let lsb = item.lsb - 8 * n + 8 * (n / 2);
        let other = self.is_set(item.aux[0] ^ 1) && n % 2 == 1;
        if other && (self.bits >> lsb) as u8 != code as u8 {
            return Err(BuildError::Operand { field: item.field, given: op::given(self.rules, code, 0) });
        }
        self.set(item.aux[0]);
        self.put(lsb, 8, u32::from(code) & 255);
        Ok(())
    }
}
