//! Fills one form of an operation with what a [`Builder`] was given, item by item, and has the decoder look at it.

mod modifier;
mod operand;

use crate::codec::code::{LITERAL, vcc};
use crate::codec::{Form, Refused, Unmade, Words, bus_reads, mimg_item_dwords};
use crate::common::Place;
use crate::make::BuildError;
use crate::make::argument::Argument;
use crate::make::builder::{Builder, role};
use crate::make::generated::RULES;
use crate::make::resolve::Rules;
use crate::table::{Item, Kind, Shape};
use crate::{Access, DecodeError, Field, Format, Inst};

/// A form in the making.
struct Filling<'a> {
    builder: &'a Builder,
    rules: &'a Rules,
    form: Form,
    words: Words,
    /// Arguments that have found their place.
    used: u32,
}

/// The instruction of one form, if everything that was given has a place in it.
pub(super) fn fill(builder: &Builder, place: &Place, shape: &'static Shape) -> Result<Inst, BuildError> {
    let extension = shape.extension.filter(|&e| e != Format::Literal);
    let lacks = BuildError::Encoding { format: Some(shape.format), extension };
    let form = Form::new(builder.target, builder.opcode, place, shape).ok_or(lacks)?;
    let rules = RULES[builder.target as usize];
    let words = form.start();
    let mut filling = Filling { builder, rules, form, words, used: 0 };
    for item in filling.form.items() {
        match item.access {
            None => filling.modifier(item)?,
            Some(_) => filling.operand(item, lacks)?,
        }
    }
    filling.nothing_is_left()?;
    let inst = filling.form.finish(&mut filling.words).map_err(|error| filling.refused(error, lacks))?;
    filling.accept(&inst)?;
    match bus_reads(&inst).excess {
        Some(field) => Err(BuildError::ConstantBus(role(field))),
        None => Ok(inst),
    }
}

/// Why something cannot stand in a field. `value`: what was given there, if it is a number.
fn refused(item: &Item, refused: Refused, code: u16, value: i64) -> BuildError {
    let field = role(item.field);
    match refused {
        Refused::Operand => BuildError::Operand { field, code },
        Refused::Range { min, max } => BuildError::Range { field, value, min, max },
        Refused::TwoLiterals => BuildError::TwoLiterals(field),
    }
}

impl Filling<'_> {
    fn take(&mut self, field: Field) -> Option<Argument> {
        let (n, argument) = self.builder.find(field)?;
        self.used |= 1 << n;
        Some(argument)
    }

    fn nothing_is_left(&mut self) -> Result<(), BuildError> {
        let b = self.builder;
        let items = || self.form.items();
        // A vcc that the encoding implies may be named.
        let implies =
            |written: bool| items().any(|i| i.kind == Kind::Vcc && (i.access == Some(Access::Write)) == written);
        for (n, &(field, argument)) in b.arguments().iter().enumerate() {
            let implied = self.rules.named(argument.code) == vcc(b.target)
                && match field {
                    Field::Vdst | Field::Sdst => implies(true),
                    Field::Src2 => implies(false),
                    _ => false,
                };
            if self.used >> n & 1 == 0 && !implied {
                return Err(BuildError::Unknown(field));
            }
        }
        let taken = |field: &[Field], kind: Option<Kind>| {
            let fits = |i: &&Item| field.contains(&i.field) && (i.kind == Kind::None || Some(i.kind) == kind);
            items().filter(|i| i.access.is_none()).filter(fits).fold(0u8, |mask, i| {
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

    /// Why the words are not what was wanted.
    fn refused(&self, error: Unmade, lacks: BuildError) -> BuildError {
        match error {
            Unmade::Literal => BuildError::Operand { field: Field::Literal, code: LITERAL },
            Unmade::Decode(DecodeError::ReservedValue { field, value, lsb, .. }) => {
                let item = self.form.items().find(|i| i.field == field && i.lsb == lsb);
                let code = item.map_or(value, |i| (value << i.shift) + i.add);
                BuildError::Operand { field: role(field), code }
            }
            Unmade::Decode(error) => BuildError::Refused(error),
            Unmade::Other => lacks,
        }
    }

    /// Image data are as long as flags say.
    fn accept(&self, inst: &Inst) -> Result<(), BuildError> {
        for item in self.form.items() {
            if !matches!(item.kind, Kind::MimgData | Kind::MimgGather | Kind::MimgAtomic | Kind::MimgCmpswap) {
                continue;
            }
            let given = self.builder.find(item.field).map_or(0, |(_, argument)| argument.dwords);
            let dwords = mimg_item_dwords(item, inst) as u8;
            if given != 0 && given != dwords {
                return Err(BuildError::Width { field: item.field, dwords, given });
            }
        }
        Ok(())
    }
}
