//! Fills one form of an operation with what a [`Builder`] was given, item by item, and has the decoder look at it.

mod modifier;
mod operand;

use crate::common::Place;
use crate::decode::MAX_DWORDS;
use crate::inst::layout;
use crate::make::argument::Argument;
use crate::make::builder::{Builder, role};
use crate::make::generated::RULES;
use crate::make::resolve::Rules;
use crate::make::{BuildError, op};
use crate::operand::mimg_item_dwords;
use crate::table::{Item, Kind, NONE, Shape};
use crate::target::ITEMS;
use crate::{Access, DecodeError, Field, Format, Inst, Layout, Reg, Special, Value, decode_words};

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
    /// The operand that needs it.
    literal_of: Field,
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
    let mut filling =
        Filling { builder, rules, list, bits: 0, literal: None, literal_of: Field::Literal, decided: 0, used: 0 };
    filling.encode(base, place.number, extension);
    let mut items = filling.items();
    let filled = items.try_for_each(|item| match item.access {
        None => filling.modifier(item),
        Some(_) => filling.operand(item, lacks),
    });
    // Who takes one field for another leaves the right one out: the wrong one says more.
    match (filled, unknown(builder, base, extension)) {
        (Err(BuildError::Missing(_)), Some(field)) => return Err(BuildError::Unknown(field)),
        (filled, _) => filled?,
    }
    filling.nothing_is_left()?;
    let inst = filling.decode(base, extension, lacks)?;
    if inst.format().name().starts_with("VOP") {
        constant_bus(&inst)?;
    }
    Ok(inst)
}

/// The first field that was given, and that the format has not.
fn unknown(builder: &Builder, base: &Layout, extension: Option<Format>) -> Option<Field> {
    let behind = extension.and_then(|format| layout(builder.target, format));
    let fields = || base.fields.iter().chain(behind.into_iter().flat_map(|layout| layout.fields));
    let known = |field: Field| fields().any(|info| role(info.field) == role(field));
    let mut given = builder.arguments().iter().map(|(field, _)| *field);
    // A `vcc` that the text names.
    let implied = |field: &Field| [Field::Vdst, Field::Sdst, Field::Src2].contains(field) && builder.is_vcc(*field);
    given.find(|field| !known(*field) && *field != Field::Literal && !implied(field))
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
            let announced = base.extends.iter().find(|e| e.field == info.field && Some(e.format) == extension);
            let value = match (info.fixed, announced) {
                (Some(fixed), _) => fixed,
                (None, Some(announced)) => announced.code,
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
                return Err(BuildError::NoModifier { field, source: (given & !there).trailing_zeros() as u8 });
            }
        }
        Ok(())
    }

    /// What the decoder makes of the words.
    fn decode(&mut self, base: &Layout, extension: Option<Format>, lacks: BuildError) -> Result<Inst, BuildError> {
        let mut dwords = usize::from(base.bits / 32) + usize::from(extension.is_some());
        if let Some(literal) = self.literal {
            if extension.is_some() {
                return Err(BuildError::NoLiteral { field: self.literal_of, format: extension });
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
                    if code == LITERAL {
                        return Err(BuildError::NoLiteral { field, format: Some(base.format) });
                    }
                    return Err(BuildError::Operand { field, given: op::given(self.rules, code, 0) });
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
        Value::Reg(Reg::Vcc) => Some((2, Special::VccLo as u32)),
        Value::Reg(Reg::M0) => Some((2, Special::M0 as u32)),
        Value::Reg(Reg::Special(special)) => Some((2, special as u32)),
        Value::Literal(dword) => Some((3, dword)),
        _ => None,
    };
    let reads = || inst.operands().filter(|o| o.access.reads());
    let implied = |role: Option<Field>| role.is_none_or(|f| f == Field::Vcc);
    let mut first = reads().filter(|o| implied(o.role)).find_map(|o| key(o.value));
    for operand in reads().filter(|o| !implied(o.role)) {
        match (first, key(operand.value), operand.role) {
            (None, some, _) => first = some,
            (Some(one), Some(two), Some(field)) if one != two => return Err(BuildError::ConstantBus(field)),
            _ => {}
        }
    }
    Ok(())
}
