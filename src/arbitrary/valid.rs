//! Instructions that follow every rule, from few bytes.

use ::arbitrary::{Error, Result, Unstructured};

use super::{encode, layout, legal, operation, put};
use crate::check::{RuleError, smallest};
use crate::code::{INT, VGPR};
use crate::decode::decode_words;
use crate::inst::{HeldField, Inst};
use crate::opcode::Field;
use crate::table::{Extension, FieldInfo, Layout, MAX_DWORDS};
use crate::target::Target;
use crate::value::{Reg, Value};

type Words = [u32; MAX_DWORDS];

/// The greatest number of repairs, more than any instruction has needed so far.
const MAX_REPAIRS: usize = 64;

/// An instruction of the target that decodes and follows the rules beyond decoding, such as aligned register tuples and
/// the limit of the constant bus: [`Inst::check`] is `Ok`. Ignored bits are zero, except in sources that the operation
/// does not have, which hold [`Target::filler`].
///
/// Every operation of the target can occur, in each of its forms (literal, SDWA, DPP). The function takes 8 bytes on
/// average and 24 at most; without bytes, the result is the simplest instruction.
///
/// # Errors
/// Errors of [`Unstructured`]; no bytes are known to cause one.
pub fn valid(target: Target, u: &mut Unstructured<'_>) -> Result<Inst> {
    let (base, number) = operation(target, u)?;
    let plan = Plan(u.arbitrary()?);
    let mut words = [0; MAX_DWORDS];
    encode(base, number, &mut words);
    fill(base, 0, plan, &mut words, u)?;
    let inst = match base.extends.get(plan.form(base.extends.len())) {
        Some(&Extension { field, code, format: extension }) => {
            if let Some(info) = base.fields.iter().find(|f| f.field == field) {
                put(&mut words, info.lsb, info.width, |_| code.into());
            }
            fill(layout(target, extension)?, base.bits, plan, &mut words, u)?;
            legal(target, &mut words, MAX_DWORDS, |_| Ok(0), u)?
        }
        // The base form. `constant` gives the dwords that the words announce, such as a literal.
        None => {
            let constant =
                |u: &mut Unstructured| if plan.wide() { u.arbitrary() } else { Ok(u.arbitrary::<u8>()?.into()) };
            legal(target, &mut words, usize::from(base.bits / 32), constant, u)?
        }
    };
    keep_rules(inst)
}

/// One byte that determines how fields are filled, so that common instructions take few bytes. Zero is the simplest
/// plan.
#[derive(Clone, Copy)]
struct Plan(u8);

impl Plan {
    /// Whether modifiers are arbitrary; otherwise they are zero.
    fn modifiers(self) -> bool {
        self.0 & 1 != 0
    }

    /// Whether offsets and constants are arbitrary; otherwise they are zero or small.
    fn wide(self) -> bool {
        self.0 & 2 != 0
    }

    /// 1 if source number `n` among the sources of nine bits is a vector register, otherwise 0.
    fn vector(self, n: u32) -> u32 {
        u32::from(self.0) >> (2 + n % 3) & 1
    }

    /// The index of the form among the `extensions`; `extensions` itself stands for the base form.
    fn form(self, extensions: usize) -> usize {
        (usize::from(self.0 >> 5) + extensions) % (extensions + 1)
    }
}

/// Fills the fields of a format that begins at bit `first`.
fn fill(layout: &Layout, first: u8, plan: Plan, words: &mut Words, u: &mut Unstructured<'_>) -> Result<()> {
    let (mut sources, mut pool, mut left) = (0, 0u32, 0);
    let free = |f: &&FieldInfo| f.fixed.is_none() && !f.overlay && f.field != Field::Op && f.field.name() != "reserved";
    for field in layout.fields.iter().filter(free) {
        let width = field.width + field.hi_width;
        let value = match width {
            0..=4 if plan.modifiers() => {
                if left < width {
                    pool |= u32::from(u.arbitrary::<u8>()?) << left;
                    left += 8;
                }
                let value = pool;
                (pool, left) = (pool >> width, left - width);
                value
            }
            0..=4 => 0,
            5..=8 => u.arbitrary::<u8>()?.into(),
            9 => {
                sources += 1;
                plan.vector(sources - 1) << 8 | u32::from(u.arbitrary::<u8>()?)
            }
            10..=16 if plan.wide() => u.arbitrary::<u16>()?.into(),
            _ if plan.wide() => u.arbitrary()?,
            32 => u.arbitrary::<u8>()?.into(),
            _ => 0,
        };
        put(words, first + field.lsb, field.width, |_| value);
        if field.hi_width > 0 {
            put(words, first + field.hi, field.hi_width, |_| value >> field.width);
        }
    }
    Ok(())
}

/// Changes fields that break a rule until no rule is broken.
fn keep_rules(mut inst: Inst) -> Result<Inst> {
    for round in 0..MAX_REPAIRS {
        let mut words = padded(&inst);
        inst.settle_ignored(&mut words);
        match inst.check() {
            Ok(()) if inst.is_canonical() => return Ok(inst.with_filler(inst.target().filler())),
            Ok(()) => {}
            Err(RuleError::MisalignedScalar { field, .. } | RuleError::MisalignedVector { field, .. }) => {
                let Some((lsb, width, _)) = place(&inst, field) else { return Err(Error::IncorrectFormat) };
                put(&mut words, lsb, width, |code| match round {
                    // Each of the first 16 rounds clears the lowest set bit of the code; later rounds take the first
                    // scalar or the first vector register.
                    0..16 => code & code.wrapping_sub(1),
                    _ if round % 2 == 0 => 0,
                    _ => VGPR.into(),
                });
            }
            Err(RuleError::Banks { x, y }) => {
                // The neighbouring register is in another bank. A source is changed, as the field of a destination may
                // lack the lowest bit.
                let is_written = inst.operands().any(|o| o.role == Some(y) && o.access.writes());
                let field = if is_written { x } else { y };
                // An operation on 64 bits uses two banks.
                let is_pair = inst.operands().any(|o| (o.role == Some(x) || o.role == Some(y)) && o.bits > 32);
                let Some((lsb, width, _)) = place(&inst, field) else { return Err(Error::IncorrectFormat) };
                put(&mut words, lsb, width, |register| register ^ if is_pair { 2 } else { 1 });
            }
            Err(RuleError::Value { field, .. }) => {
                let place = inst.locate(field).ok_or(Error::IncorrectFormat)?;
                place.put(&mut words, smallest(&inst, field)).map_err(|_| Error::IncorrectFormat)?;
            }
            Err(rule) => match relieved(&inst, rule) {
                Some(better) => words = better,
                None => return Err(Error::IncorrectFormat),
            },
        }
        inst = decoded(inst.target(), &mut words)?;
    }
    Err(Error::IncorrectFormat)
}

/// Changes words until they decode; the array has room for all dwords that they can need.
fn decoded(target: Target, words: &mut Words) -> Result<Inst> {
    legal(target, words, MAX_DWORDS, |_| Ok(0), &mut Unstructured::new(&[]))
}

/// The words with one field changed so that they break no rule or read fewer scalars; `None` if no change does this.
fn relieved(inst: &Inst, rule: RuleError) -> Option<Words> {
    let reads = |rule| if let RuleError::ConstantBus { reads, .. } = rule { reads } else { u8::MAX };
    let before = (reads(rule), scalars(inst));
    let better = |lsb: u8, width: u8, value: u32| {
        let mut words = padded(inst);
        put(&mut words, lsb, width, |_| value);
        let changed = decode_words(inst.target(), &words).ok()?;
        let after = changed.check().map_or_else(|rule| (reads(rule), scalars(&changed)), |()| (0, 0));
        (after < before).then_some(words)
    };
    let roles = || inst.operands().filter(|o| o.access.reads()).filter_map(|o| place(inst, o.role?));
    // Make a source a vector register, the same scalar as another source, or zero; or flip a flag that selects vectors.
    let last_first = (0..roles().count()).rev().filter_map(|n| roles().nth(n));
    let sources = last_first.flat_map(|(lsb, width, value)| {
        let others = roles().filter(move |other| other.1 == width && other.2 != value).map(|other| other.2);
        let vector = (width == 9).then_some(value | u32::from(VGPR));
        vector.into_iter().chain(others).chain([INT.into()]).map(move |code| (lsb, width, code))
    });
    let flags = inst.fields().filter(|held| held.info.width == 1);
    let flags = flags.map(|held| (held.first_bit + held.info.lsb, 1, 1 - held.value));
    sources.chain(flags).find_map(|(lsb, width, value)| better(lsb, width, value))
}

/// The number of scalar operands.
fn scalars(inst: &Inst) -> usize {
    let scalar = |value| matches!(value, Value::Literal(_) | Value::Reg(Reg::Sgpr(_) | Reg::Ttmp(_) | Reg::Special(_)));
    inst.operands().filter(|operand| scalar(operand.value)).count()
}

/// The lowest bit of a field in the instruction, its width, and its value. For a split field, the bit and the width are
/// those of the low piece.
pub(super) fn place(inst: &Inst, field: Field) -> Option<(u8, u8, u32)> {
    let HeldField { first_bit: first, info, value, .. } =
        inst.fields().filter(|held| held.info.field == field).last()?;
    Some((first + info.lsb, info.width, value))
}

pub(super) fn padded(inst: &Inst) -> Words {
    let mut words = [0; MAX_DWORDS];
    words.iter_mut().zip(inst.words()).for_each(|(to, from)| *to = *from);
    words
}
