//! Fills one form of an operation with what a [`Builder`] was given, item by item, and has the decoder look at it.

use super::argument::Argument;
use super::builder::{Builder, role};
use super::generated::RULES;
use super::resolve::{Rules, narrow_float, resolve};
use super::{BuildError, op};
use crate::common::Place;
use crate::decode::MAX_DWORDS;
use crate::inst::layout;
use crate::operand::mimg_item_dwords;
use crate::table::{Item, Kind, NONE, Shape, Ty};
use crate::target::ITEMS;
use crate::{Access, DecodeError, Field, Format, Inst, Layout, Reg, Value, decode_words};

/// Operand codes that have meanings of their own.
const VCC: u16 = 106;
const LITERAL: u16 = 255;
const NO_SADDR: u16 = 127;

/// Words in the making.
struct Filling<'a> {
    builder: &'a Builder,
    rules: &'a Rules,
    list: &'static [u16],
    bits: u128,
    literal: Option<u32>,
    /// AccVGPR bits that an operand has decided.
    decided: u128,
    /// Arguments that have found their place.
    used: u32,
}

/// The instruction of one form, if everything that was given has a place in it.
pub(super) fn fill(builder: &Builder, place: &Place, shape: &'static Shape) -> Result<Inst, BuildError> {
    let target = builder.target;
    let extension = shape.extension.filter(|&e| e != Format::Literal);
    let lacks = BuildError::Encoding { format: Some(place.shape.format), extension };
    let base = layout(target, place.shape.format).ok_or(lacks)?;
    let list = ITEMS[target as usize].list_of(shape);
    let rules = RULES[target as usize];
    let mut filling = Filling { builder, rules, list, bits: 0, literal: None, decided: 0, used: 0 };
    filling.encode(base, place.number, extension);
    for item in filling.items() {
        match item.access {
            None => filling.modifier(item)?,
            Some(_) => filling.operand(item, lacks)?,
        }
    }
    filling.nothing_is_left()?;
    let inst = filling.decode(base, extension, lacks)?;
    if inst.format().name().starts_with("VOP") {
        constant_bus(&inst)?;
    }
    Ok(inst)
}

impl Filling<'_> {
    fn items(&self) -> impl Iterator<Item = &'static Item> + use<> {
        let tables = ITEMS[self.builder.target as usize];
        self.list.iter().filter_map(|&n| tables.items.get(usize::from(n)))
    }

    fn put(&mut self, lsb: u8, width: u8, value: u32) {
        let mask = (1u128 << width) - 1;
        self.bits = self.bits & !(mask << lsb) | (u128::from(value) & mask) << lsb;
    }

    /// Nothing, for a bit that is not there.
    fn set(&mut self, bit: u8) {
        if bit < 128 {
            self.put(bit, 1, 1);
        }
    }

    fn is_set(&self, bit: u8) -> bool {
        bit < 128 && self.bits >> bit & 1 == 1
    }

    fn put_item(&mut self, item: &Item, value: u32) {
        self.put(item.lsb, item.lo_width, value);
        if item.hi != NONE {
            self.put(item.hi, item.width - item.lo_width, value >> item.lo_width);
        }
    }

    /// Encoding bits, opcode, and the code that announces what stands behind.
    fn encode(&mut self, base: &Layout, number: u16, extension: Option<Format>) {
        for info in base.fields {
            let announced = base.extends.iter().find(|(f, _, e)| *f == info.field && Some(*e) == extension);
            let value = match (info.fixed, announced) {
                (Some(fixed), _) => fixed,
                (None, Some(&(_, code, _))) => code,
                _ if info.field == Field::Op => number,
                _ => continue,
            };
            self.put(info.lsb, info.width, value.into());
            if info.hi_width > 0 {
                self.put(info.hi, info.hi_width, u32::from(value) >> info.width);
            }
        }
    }

    fn take(&mut self, field: Field) -> Option<Argument> {
        let (n, argument) = self.builder.find(field)?;
        self.used |= 1 << n;
        Some(argument)
    }

    fn number(&mut self, item: &Item, signed: bool, argument: Argument) -> Result<(), BuildError> {
        let field = role(item.field);
        let value = argument.integer().ok_or(BuildError::Operand { field, code: argument.code })?;
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
    fn named(&mut self, item: &Item, set: [u64; 1], argument: Argument) -> Result<(), BuildError> {
        self.number(item, false, argument)?;
        match argument.integer() {
            Some(value @ 0..=63) if set[0] >> value & 1 == 1 => Ok(()),
            _ => Err(BuildError::Operand { field: role(item.field), code: argument.value as u16 }),
        }
    }

    fn modifier(&mut self, item: &Item) -> Result<(), BuildError> {
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
        if matches!(item.kind, Kind::List | Kind::ListAll | Kind::ListOnes | Kind::ListNegLo) {
            let bits = argument.integer().unwrap_or(i64::MAX);
            if bits & !i64::from(item.used) != 0 {
                return Err(BuildError::Unknown(item.field));
            }
        }
        // What a flag means to others is looked at by them; here it is only a bit.
        self.number(item, item.kind == Kind::Signed, argument)
    }

    fn flag(&self, field: Field) -> bool {
        self.builder.find(field).is_some_and(|(_, argument)| argument.integer() == Some(1))
    }

    fn operand(&mut self, item: &Item, lacks: BuildError) -> Result<(), BuildError> {
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
        let missing = BuildError::Missing(role(item.field));
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
            Kind::Code | Kind::Acc | Kind::Agpr | Kind::BufData => self.coded(item, item.dwords, argument),
            Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap => {
                self.coded(item, item.dwords, Argument { dwords: 0, ..argument })
            }
            Kind::SdwaSrc => {
                let code = self.resolve(item, item.dwords, argument)?;
                if code < 256 {
                    if item.cond == NONE {
                        return Err(BuildError::Operand { field: role(item.field), code });
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
                    return Err(BuildError::Operand { field: item.field, code });
                }
                self.insert(item, code)
            }
            Kind::GlobalAddr => {
                let dwords = if b.is_off(Field::Saddr) { 2 } else { 1 };
                self.coded(item, dwords, argument)
            }
            Kind::ScratchAddr => {
                if item.aux[0] == NONE && off == b.is_off(Field::Saddr) {
                    return Err(BuildError::Operand { field: item.field, code: argument.code });
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
                    (0, false) => Err(BuildError::Operand { field: item.field, code: argument.code }),
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
                let value = argument.integer().ok_or(BuildError::Operand { field: item.field, code: argument.code })?;
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
        let field = role(item.field);
        if argument.dwords != 0 && argument.dwords != dwords {
            return Err(BuildError::Width { field, dwords, given: argument.dwords });
        }
        let Argument { code, value, .. } = argument;
        let any = u16::MAX;
        let (code, literal) = resolve(self.rules, field, any, item.ty, dwords.into(), code, value)?;
        if code == op::OFF {
            return Err(BuildError::Operand { field, code });
        }
        if code == LITERAL {
            self.literal(field, literal)?;
        }
        if (256..768).contains(&code) && item.kind != Kind::Agpr {
            let acc = if matches!(item.kind, Kind::Acc | Kind::BufData) { item.aux[0] } else { NONE };
            let is_acc = code >= op::AGPR;
            let bit = if acc == NONE { 0 } else { 1u128 << acc };
            // Operands that share the bit are all of one kind.
            let other = self.decided & bit != 0 && self.is_set(acc) != is_acc;
            if is_acc && acc == NONE || other {
                return Err(BuildError::Operand { field, code });
            }
            self.decided |= bit;
            if is_acc {
                self.set(acc);
            }
        }
        match (item.kind, code) {
            (Kind::Agpr, op::AGPR..) => Ok(code - 256),
            (Kind::Agpr, code) => Err(BuildError::Operand { field, code }),
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
            None => Err(BuildError::Operand { field: role(item.field), code }),
        }
    }

    fn literal(&mut self, field: Field, literal: u32) -> Result<(), BuildError> {
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
                let room = base.is_some_and(|l| l.extends.iter().any(|(f, ..)| *f == item.field));
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
            return Err(BuildError::Operand { field: role(item.field), code });
        }
        let n = (item.lsb / 8) % 4;
        if !self.flag(Field::Compr) {
            self.set(item.aux[0]);
            return self.insert(item, code);
        }
        let lsb = item.lsb - 8 * n + 8 * (n / 2);
        let other = self.is_set(item.aux[0] ^ 1) && n % 2 == 1;
        if other && (self.bits >> lsb) as u8 != code as u8 {
            return Err(BuildError::Operand { field: role(item.field), code });
        }
        self.set(item.aux[0]);
        self.put(lsb, 8, u32::from(code) & 255);
        Ok(())
    }

    fn nothing_is_left(&mut self) -> Result<(), BuildError> {
        let b = self.builder;
        // A vcc that the encoding implies may be named.
        let vcc =
            |written: bool| self.items().any(|i| i.kind == Kind::Vcc && (i.access == Some(Access::Write)) == written);
        for (n, &(field, argument)) in b.arguments().iter().enumerate() {
            let implied = argument.code == VCC
                && match field {
                    Field::Vdst | Field::Sdst => vcc(true),
                    Field::Src2 => vcc(false),
                    _ => false,
                };
            if self.used >> n & 1 == 0 && !implied {
                return Err(BuildError::Unknown(field));
            }
        }
        let taken = |field: &[Field], kind: Option<Kind>| {
            let fits = |i: &&Item| field.contains(&i.field) && (i.kind == Kind::None || Some(i.kind) == kind);
            self.items().filter(|i| i.access.is_none()).filter(fits).fold(0u8, |mask, i| {
                let second = [Field::Src1Neg, Field::Src1Abs, Field::Src1Sext].contains(&i.field);
                mask | i.used << u8::from(second)
            })
        };
        let neg = taken(&[Field::Neg, Field::Src0Neg, Field::Src1Neg, Field::Blgp], Some(Kind::ListNeg));
        let abs = taken(&[Field::Abs, Field::NegHi, Field::Src0Abs, Field::Src1Abs], None);
        let sext = taken(&[Field::Src0Sext, Field::Src1Sext], None);
        for (given, there, field) in
            [(b.neg, neg, Field::Neg), (b.abs, abs, Field::Abs), (b.sext, sext, Field::Src0Sext)]
        {
            if given & !there != 0 {
                return Err(BuildError::Unknown(field));
            }
        }
        Ok(())
    }

    /// What the decoder makes of the words.
    fn decode(&mut self, base: &Layout, extension: Option<Format>, lacks: BuildError) -> Result<Inst, BuildError> {
        let mut dwords = usize::from(base.bits / 32) + usize::from(extension.is_some());
        if let Some(literal) = self.literal {
            if extension.is_some() {
                return Err(BuildError::Operand { field: Field::Literal, code: LITERAL });
            }
            self.bits |= u128::from(literal).checked_shl(32 * dwords as u32).unwrap_or(0);
            dwords += 1;
        }
        // Some rows demand bits that no modifier of theirs is: as many as a word has.
        for _ in 0..32 {
            let mut words = [0u32; MAX_DWORDS];
            for (n, word) in words.iter_mut().take(4).enumerate() {
                *word = (self.bits >> (32 * n)) as u32;
            }
            match decode_words(self.builder.target, words.get(..dwords).unwrap_or(&words)) {
                Ok(inst) => return self.accept(inst, dwords, extension, lacks),
                Err(DecodeError::ReservedBits { bit, .. }) if bit < 128 && !self.is_set(bit) => self.set(bit),
                Err(DecodeError::ReservedValue { field, value, lsb, .. }) => {
                    let item = self.items().find(|i| i.field == field && i.lsb == lsb);
                    let code = item.map_or(value, |i| (value << i.shift) + i.add);
                    return Err(BuildError::Operand { field: role(field), code });
                }
                Err(error) => return Err(BuildError::Refused(error)),
            }
        }
        Err(lacks)
    }

    fn accept(
        &self,
        inst: Inst,
        dwords: usize,
        extension: Option<Format>,
        lacks: BuildError,
    ) -> Result<Inst, BuildError> {
        let behind = inst.extension().filter(|&e| e != Format::Literal);
        if inst.opcode() != self.builder.opcode || inst.len() != dwords * 4 || behind != extension {
            return Err(lacks);
        }
        for item in self.items() {
            if !matches!(item.kind, Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap) {
                continue;
            }
            let given = self.builder.find(item.field).map_or(0, |(_, argument)| argument.dwords);
            let dwords = mimg_item_dwords(item, &inst) as u8;
            if given != 0 && given != dwords {
                return Err(BuildError::Width { field: item.field, dwords, given });
            }
        }
        Ok(inst)
    }
}

/// Up to gfx9 one scalar goes over the bus. What is read without a field counts first.
fn constant_bus(inst: &Inst) -> Result<(), BuildError> {
    let key = |value: Value| match value {
        Value::Reg(Reg::Sgpr(n)) => Some((0, u32::from(n))),
        Value::Reg(Reg::Ttmp(n)) => Some((1, n.into())),
        Value::Reg(Reg::Vcc) => Some((2, VCC.into())),
        Value::Reg(Reg::Special(n)) => Some((2, n.into())),
        Value::Literal(dword) => Some((3, dword)),
        _ => None,
    };
    let reads = || inst.operands().filter(|o| o.access.reads());
    let implied = |role: Option<Field>| role.is_none_or(|f| f == Field::Vcc);
    let mut first = reads().filter(|o| implied(o.role)).find_map(|o| key(o.value));
    for operand in reads().filter(|o| !implied(o.role)) {
        match (first, key(operand.value), operand.role) {
            (None, some, _) => first = some,
            (Some(one), Some(two), Some(field)) if one != two => return Err(BuildError::ConstantBus(role(field))),
            _ => {}
        }
    }
    Ok(())
}
