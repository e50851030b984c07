//! Fills one form of an operation with a [`Builder`]'s arguments, one descriptor at a time, and checks the result with
//! the decoder.

mod modifier;
mod operand;
mod plain;
mod step;

use crate::check::{bus_reads, can_overlap, excluded, has_bus, has_only, overlap};
use crate::code::LITERAL;
use crate::codec::code::vcc;
use crate::codec::{Address, EncodedOperand, Refused, Words, read};
use crate::error::DecodeError;
use crate::form::{Form, Unmade};
use crate::inst::Inst;
use crate::kind::{ImageKind, OperandKind, RegisterKind};
use crate::make::argument::Argument;
use crate::make::arguments::role;
use crate::make::builder::Builder;
use crate::make::generated::RULES;
use crate::make::resolve::{Rules, given};
use crate::make::{BuildError, Given};
use crate::opcode::{Field, Format};
use crate::operation::{OpcodeEntry, info, layout, scalar_limit};
use crate::shared::flag;
use crate::table::{FormSignature, Layout, OperandDesc};
use crate::value::Access;

pub(super) use plain::{Left, plain};

/// A form under construction.
struct Filling<'a> {
    builder: &'a Builder,
    rules: &'a Rules,
    form: Form,
    words: Words,
    /// Flags of the operation.
    facts: u32,
    /// The field of the operand that uses the literal.
    literal_of: Field,
    /// Arguments that have been used, one bit each.
    used: u32,
    /// An upper bound of the number of operands that the constant bus delivers.
    scalars: u8,
    /// The sources that can be negated, those whose absolute value can be taken, and those that can be sign-extended,
    /// with a bit for each source.
    signs: [u8; 3],
    /// Whether `accept` has something to check.
    is_sized: bool,
}

/// Makes the instruction in one form, if the form has room for every argument.
pub(super) fn fill(
    builder: &Builder,
    entry: &OpcodeEntry,
    signature: &'static FormSignature,
) -> Result<Inst, BuildError> {
    let extension = signature.extension.filter(|e| !e.is_literal());
    let lacks = BuildError::Encoding { format: Some(signature.format), extension };
    let form = Form::new(builder.target, builder.opcode, entry, signature).ok_or(lacks)?;
    let rules = RULES[builder.target as usize];
    let words = form.start();
    let facts = info(builder.target, entry.op_index.into()).flags;
    let (literal_of, is_sized) = (Field::Literal, facts & const { flag("even") } != 0);
    let (used, scalars, signs) = (0, 0, [0; 3]);
    let mut filling = Filling { builder, rules, form, words, facts, literal_of, used, scalars, signs, is_sized };
    for desc in filling.form.descs() {
        let filled = match desc.access {
            None => filling.modifier(desc),
            Some(_) => filling.operand(desc, lacks),
        };
        if let Err(error) = filled {
            // A caller that confuses two fields leaves one missing and gives one that is unknown. The unknown one is
            // reported, because this is more helpful.
            return Err(match (error, unknown(builder, filling.form.layout, extension)) {
                (BuildError::Missing(_), Some(field)) => BuildError::Unknown(field),
                (error, _) => error,
            });
        }
    }
    filling.refuse_unused()?;
    let inst = filling.form.finish(&mut filling.words).map_err(|error| filling.refused(error, lacks))?;
    if filling.is_sized {
        filling.accept(&inst)?;
    }
    let format = signature.format;
    if let Some((field, value, _)) = has_only(format).then(|| excluded(&inst)).flatten() {
        return Err(BuildError::Excluded { field, value });
    }
    if let Some(field) = can_overlap(format).then(|| overlap(&inst)).flatten() {
        return Err(BuildError::Overlap(field));
    }
    // An operation reads at most one scalar that no field names, so an exact count is needed only near the limit.
    let is_near = has_bus(format) && filling.scalars + 1 > scalar_limit(builder.target, facts);
    match is_near.then(|| bus_reads(&inst).excess).flatten() {
        Some(field) => Err(BuildError::ConstantBus(field)),
        None => Ok(inst),
    }
}

/// Converts the reason why a field cannot hold its argument. `value` is the argument, if it is a number.
fn refused(desc: &OperandDesc, refused: Refused, given: Given, value: i64) -> BuildError {
    let field = desc.field;
    match refused {
        Refused::Operand => BuildError::Operand { field, given },
        Refused::Range { min, max } => BuildError::Range { field, value, min, max },
        Refused::TwoLiterals => BuildError::TwoLiterals(field),
    }
}

/// The first given field that the format lacks.
fn unknown(builder: &Builder, base: &Layout, extension: Option<Format>) -> Option<Field> {
    let added = extension.and_then(|format| layout(builder.target, format));
    let fields = || base.fields.iter().chain(added.into_iter().flat_map(|layout| layout.fields));
    let known = |field: Field| fields().any(|info| role(info.field) == role(field));
    let mut given = builder.arguments().fields().iter().copied();
    // The text names this `vcc`, but no field holds it.
    let implied = |field: &Field| [Field::Vdst, Field::Sdst, Field::Src2].contains(field) && builder.is_vcc(*field);
    // With DPP8, the code that announces the dword holds `fi`.
    let announced = |field: &Field| *field == Field::Fi && extension == Some(Format::Dpp8);
    given.find(|field| !known(*field) && *field != Field::Literal && !implied(field) && !announced(field))
}

impl Filling<'_> {
    #[inline]
    fn take(&mut self, field: Field) -> Option<Argument> {
        let (n, argument) = self.builder.find(field)?;
        self.used |= 1 << n;
        Some(argument)
    }

    fn refuse_unused(&mut self) -> Result<(), BuildError> {
        let b = self.builder;
        let is_all = self.used == (1 << b.arguments().fields().len()) - 1;
        if is_all && (b.neg, b.abs, b.sext) == (0, 0, 0) {
            return Ok(());
        }
        let descs = || self.form.descs();
        // A vcc that the encoding implies may be named.
        let implies = |written: bool| {
            descs().any(|i| {
                i.kind == OperandKind::Register(RegisterKind::Vcc) && (i.access == Some(Access::Write)) == written
            })
        };
        let used = self.used;
        let is_left = |(n, _): &(usize, (Field, Argument))| used >> n & 1 == 0;
        for (_, (field, argument)) in b.arguments().iter().enumerate().filter(is_left) {
            let implied = argument.code == vcc(b.target)
                && match field {
                    Field::Vdst | Field::Sdst => implies(true),
                    Field::Src2 => implies(false),
                    _ => false,
                };
            if !implied {
                return Err(BuildError::Unknown(field));
            }
        }
        let [neg, abs, sext] = self.signs;
        for (given, there, field) in
            [(b.neg, neg, Field::Neg), (b.abs, abs, Field::Abs), (b.sext, sext, Field::Src0Sext)]
        {
            if given & !there != 0 {
                return Err(BuildError::NoModifier { field, source: (given & !there).trailing_zeros() as u8 });
            }
        }
        Ok(())
    }

    /// Converts the reason why the words are not the wanted instruction.
    fn refused(&self, error: Unmade, lacks: BuildError) -> BuildError {
        match error {
            Unmade::Literal => BuildError::NoLiteral { field: self.literal_of, format: self.form.extension },
            Unmade::Decode(DecodeError::ReservedValue { field, value, lsb, .. }) => {
                let desc = self.form.descs().find(|i| i.field == field && i.lsb == lsb);
                match desc.map_or(value, |i| (value << i.shift) + i.add) {
                    LITERAL => BuildError::NoLiteral { field, format: Some(self.form.layout.format) },
                    code => BuildError::Operand { field, given: given(self.rules, code, 0) },
                }
            }
            Unmade::Decode(error) => BuildError::Refused(error),
            Unmade::Other => lacks,
        }
    }

    /// Checks operands whose width depends on other fields, and single registers that must be even.
    fn accept(&self, inst: &Inst) -> Result<(), BuildError> {
        for address in self.form.descs().filter_map(Address::of) {
            // An argument without a width has as many registers as the part of the address that its field names.
            let (mut all, mut parts) = (0, 0);
            for part in 0..address.fields.count() {
                let field = address.field(part);
                let Some((_, argument)) = self.builder.find(field) else { break };
                let dwords = address.part(inst, part).map_or(0, |part| part.dwords as u8);
                let given = if argument.dwords == 0 { dwords.max(1) } else { argument.dwords };
                if dwords != 0 && dwords != given {
                    return Err(BuildError::Width { field, dwords, given });
                }
                (all, parts) = (all + u16::from(given), parts + 1);
            }
            let dwords = address.dwords(inst);
            let missing = address.part(inst, parts).is_some();
            if missing || all != dwords {
                return Err(BuildError::Width { field: address.desc.field, dwords: dwords as u8, given: all as u8 });
            }
        }
        for desc in self.form.descs() {
            let even = desc.access.is_some() && self.facts & const { flag("even") } != 0;
            // With the fail status, one register becomes two.
            let status = matches!(desc.kind, OperandKind::Register(RegisterKind::Data { .. })) && desc.dwords == 1;
            let sized = match desc.kind {
                OperandKind::Register(RegisterKind::Matrix { .. }) | OperandKind::Image(ImageKind::Data { .. }) => true,
                OperandKind::Register(RegisterKind::Vector { .. }) => even,
                _ => status && self.rules.aligned,
            };
            if !sized {
                continue;
            }
            let Some((EncodedOperand::Code(code), dwords)) = read(desc, inst) else { continue };
            let (field, dwords) = (desc.field, dwords as u8);
            if self.rules.aligned && (dwords > 1 || even) && code % 2 == 1 {
                return Err(BuildError::Registers { field, given: given(self.rules, code, 0), dwords });
            }
            let given = self.builder.find(field).map_or(0, |(_, argument)| argument.dwords);
            if given != 0 && given != dwords && !status {
                return Err(BuildError::Width { field, dwords, given });
            }
        }
        Ok(())
    }
}
