//! The same instruction for another target.
//!
//! Nothing here knows a generation. The operation's encodings on the target are looked up; each field is put where the
//! target's layout has the field of that name, with the code or value that has the same name there; and the words are
//! decoded and compared, operand by operand and modifier by modifier, before anybody gets them.

mod compare;
mod names;

use core::fmt;

use crate::codec::code::AGPR;
use crate::codec::{
    Coded, Form, Unmade, encode, held, hold, is_conditional, is_image_data, items, modifier, read, unit, value,
};
use crate::common::{Place, SUCCESSORS};
use crate::decode::MAX_DWORDS;
use crate::imm::Imm;
use crate::table::{Item, Kind, Shape};
use crate::{DecodeError, Field, Format, HeldField, Inst, Opcode, RuleError, Target, decode_words};
use compare::{compare, silent};

/// Why an instruction is none for another target; see [`Inst::retarget`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RetargetError {
    /// The target lacks the operation.
    Opcode(Opcode),
    /// The target has the operation, but not in this form.
    Form {
        /// The base format.
        format: Format,
        /// That of the dword behind it.
        extension: Option<Format>,
    },
    /// The target lacks the operand or the modifier: the field, the register or the value.
    Value {
        /// The field, or the part of a constant (`vmcnt`, `id`, ...).
        field: Field,
        /// What it holds in the instruction; an offset in bytes.
        value: i64,
    },
    /// The operand has another width or another access there.
    Operand {
        /// The field that names it.
        field: Field,
        /// Its width in bits here; 0: it is not there.
        bits: u16,
        /// Its width in bits there.
        bits_there: u16,
    },
    /// The instruction would break a rule that it keeps here.
    Rule(RuleError),
}

impl fmt::Display for RetargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            RetargetError::Opcode(opcode) => write!(f, "the target lacks {opcode:?}"),
            RetargetError::Form { format, extension: None } => write!(f, "the target lacks the operation as {format}"),
            RetargetError::Form { format, extension: Some(extension) } => {
                write!(f, "the target lacks the operation as {format} with {extension}")
            }
            RetargetError::Value { field, value } => write!(f, "the target lacks {field} = {value}"),
            RetargetError::Operand { field, bits, bits_there } => {
                write!(f, "{field} has {bits} bits, and {bits_there} or another access on the target")
            }
            RetargetError::Rule(rule) => write!(f, "on the target {rule}"),
        }
    }
}

impl core::error::Error for RetargetError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            RetargetError::Rule(error) => Some(error),
            _ => None,
        }
    }
}

impl Inst {
    /// The same instruction for another target: the same operation with the same operands and modifiers, in the same
    /// format, or in the one that took its place (SMEM that of SMRD). A branch keeps its distance.
    ///
    /// What is written differently there is written so: a scalar load's offset in dwords or bytes, the counters of
    /// `s_waitcnt`, registers, messages and constants whose numbers have moved. Bits that hardware ignores become zero.
    /// Implicit registers may differ: DS reads `m0` before gfx9.
    ///
    /// # Errors
    /// What the target lacks, by its name.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx600"))] {
    /// use amdgpu_isa::{Field, RetargetError, Target, decode_words};
    /// // s_load_dword s5, s[2:3], 0x10: sixteen dwords on GCN 1.0
    /// let load = decode_words(Target::Gfx600, &[0xc002_8310]).unwrap();
    /// let load = load.retarget(Target::Gfx942).unwrap();
    /// assert_eq!(load.words(), [0xc002_0141, 0x40]);
    ///
    /// // s_waitcnt vmcnt(20)
    /// let wait = decode_words(Target::Gfx942, &[0xbf8c_4f74]).unwrap();
    /// let error = wait.retarget(Target::Gfx600).unwrap_err();
    /// assert_eq!(error, RetargetError::Value { field: Field::Vmcnt, value: 20 });
    /// # }
    /// ```
    pub fn retarget(&self, target: Target) -> Result<Inst, RetargetError> {
        if target == self.target() {
            return Ok(*self);
        }
        let from = self.canonical();
        let places = || self.opcode().places(target);
        let same = |place: &Place| place.shape.format == self.format();
        // Another format only where the operation has left its own.
        let related = |place: &Place| Names::between(self.format(), place.shape.format).is_some();
        match places().find(same).or_else(|| places().find(related)) {
            Some(place) => retarget(&from, target, &place),
            None if places().next().is_none() => Err(RetargetError::Opcode(self.opcode())),
            None => Err(RetargetError::Form { format: self.format(), extension: self.extension() }),
        }
    }

    /// Without the bits that hardware ignores.
    pub(crate) fn canonical(&self) -> Inst {
        let mut words = [0; MAX_DWORDS];
        words.iter_mut().zip(self.words()).for_each(|(to, &from)| *to = from);
        let (low, high) = self.ignored();
        let ignored = [low as u32, (low >> 32) as u32, high as u32, (high >> 32) as u32];
        words.iter_mut().zip(ignored).for_each(|(word, ignored)| *word &= !ignored);
        decode_words(self.target(), words.get(..self.len() / 4).unwrap_or(&words)).unwrap_or(*self)
    }
}

/// How fields are called in the other format.
#[derive(Clone, Copy)]
enum Names {
    Same,
    Newer(&'static [(Field, Field)]),
    Older(&'static [(Field, Field)]),
}

impl Names {
    /// `None`: the formats have nothing to do with each other.
    fn between(here: Format, there: Format) -> Option<Names> {
        if here == there {
            return Some(Names::Same);
        }
        SUCCESSORS.iter().find_map(|s| match (here, there) {
            _ if (s.old, s.new) == (here, there) => Some(Names::Newer(s.renames)),
            _ if (s.new, s.old) == (here, there) => Some(Names::Older(s.renames)),
            _ => None,
        })
    }

    fn of(self, field: Field) -> Field {
        let renamed = match self {
            Names::Same => None,
            Names::Newer(all) => all.iter().find(|r| r.0 == field).map(|r| r.1),
            Names::Older(all) => all.iter().find(|r| r.1 == field).map(|r| r.0),
        };
        renamed.unwrap_or(field)
    }

    fn reversed(self) -> Names {
        match self {
            Names::Same => Names::Same,
            Names::Newer(all) => Names::Older(all),
            Names::Older(all) => Names::Newer(all),
        }
    }
}

/// Items of a shape.
#[derive(Clone, Copy)]
struct Items {
    target: Target,
    shape: &'static Shape,
}

impl Items {
    fn of(inst: &Inst) -> Items {
        Items { target: inst.target(), shape: inst.shape() }
    }

    fn all(self) -> impl Iterator<Item = &'static Item> {
        items(self.target, self.shape)
    }

    /// The bit that says whether the operation returns something.
    fn returns(self) -> Option<u8> {
        self.all().find(|i| is_conditional(i)).map(|i| i.cond)
    }

    /// The modifier that begins at a bit.
    fn modifier_at(self, bit: u8) -> Option<Field> {
        self.all().find(|i| i.access.is_none() && i.lsb == bit).map(|i| i.field)
    }

    /// The item that an item of the other target answers to.
    fn partner(self, others: Items, item: &Item, names: Names) -> Option<&'static Item> {
        // The bit that returns the old value has a name of its own in each generation.
        if item.access.is_none() && others.returns() == Some(item.lsb) {
            let bit = self.returns();
            return self.all().find(|i| i.access.is_none() && Some(i.lsb) == bit);
        }
        let (field, operand) = (names.of(item.field), item.access.is_some());
        // vcc can stand twice: read and written.
        let same = |i: &&Item| i.field == field && i.access.is_some() == operand;
        let other = self.all().find(|i| same(i) && i.access == item.access).or_else(|| self.all().find(same));
        // A compare writes vcc, or what a field names if the form has one.
        let vcc = |i: &&Item| matches!(i.kind, Kind::Vcc | Kind::SdstOrVcc) && i.access == item.access;
        other.or_else(|| if vcc(&item) { self.all().find(vcc) } else { None })
    }
}

fn retarget(from: &Inst, target: Target, place: &Place) -> Result<Inst, RetargetError> {
    let lacks = RetargetError::Form { format: from.format(), extension: from.extension() };
    let names = Names::between(from.format(), place.shape.format).ok_or(lacks)?;
    // The form with what stands behind the base words; a literal is none.
    let shape = match from.extension().filter(|&e| e != Format::Literal) {
        None => place.shape,
        Some(behind) => {
            let is_same = |e: Format| Names::between(behind, e).is_some();
            place.forms(target).find(|form| form.extension.is_some_and(is_same)).ok_or(lacks)?
        }
    };
    let form = Form::new(target, from.opcode(), place, shape).ok_or(lacks)?;
    let (items, there) = (Items::of(from), Items { target, shape });
    let mut words = form.start();
    // Modifiers first: where some operands stand depends on them.
    for item in there.all().filter(|i| i.access.is_none() && items.partner(there, i, names.reversed()).is_none()) {
        words.item(item, silent(item)).map_err(|_| lacks)?;
    }
    for item in items.all().filter(|i| i.access.is_none()) {
        let refused = refused(from, item);
        let Some(other) = there.partner(items, item, names) else {
            match modifier(item, from) == i64::from(silent(item)) {
                true => continue,
                false => return Err(refused),
            }
        };
        // Of doubles the same bits are signs on CDNA3, and were not before.
        let is_sign = |item: &Item| item.kind == Kind::ListNeg;
        if is_sign(item) != is_sign(other) && modifier(item, from) != 0 {
            return Err(refused);
        }
        let value = names::value(from.target(), target, Some(item), item.field, held(item, from)).ok_or(refused)?;
        hold(other, value, &mut words).map_err(|_| refused)?;
    }
    for item in items.all().filter(|i| i.access.is_some()) {
        let Some(other) = there.partner(items, item, names) else { continue };
        let coded = read(item, from).map(|(coded, _)| coded);
        // A register that other bits make say nothing stays in its field.
        if matches!(coded, None | Some(Coded::Off | Coded::Vcc)) && item.kind == other.kind {
            words.item(other, value(item, from)).map_err(|_| refused(from, item))?;
        }
        let Some(coded) = coded else { continue };
        let coded = translate((from.target(), item), (target, other), coded, refused(from, item))?;
        encode(other, coded, &mut words).map_err(|_| refused(from, item))?;
    }
    let named = |field: Field| {
        let returns = there.returns().filter(|&bit| there.modifier_at(bit) == Some(field));
        let field = match (returns, items.returns()) {
            // The bit that returns the old value has a name of its own in each generation.
            (Some(_), Some(bit)) => items.modifier_at(bit).unwrap_or(field),
            _ => names.reversed().of(field),
        };
        RetargetError::Value { field, value: from.get(field).unwrap_or(0).into() }
    };
    let inst = form.finish(&mut words).map_err(|error| match error {
        Unmade::Decode(
            DecodeError::ReservedValue { field, .. } | DecodeError::ReservedBits { field: Some(field), .. },
        ) => named(field),
        _ => lacks,
    })?;
    // A field that nothing is in, as the destination of what does not return, need not be one there.
    let inst = inst.canonical();
    compare(from, &inst, names)?;
    match (from.check(), inst.check()) {
        (Ok(()), Err(rule)) => Err(RetargetError::Rule(rule)),
        _ => Ok(inst),
    }
}

/// What the target lacks.
fn refused(from: &Inst, item: &Item) -> RetargetError {
    let value = match (item.kind, read(item, from)) {
        // Offsets of scalar loads are told in bytes, whatever their unit is.
        (Kind::SmrdOffset | Kind::SmemOffset, Some((Coded::Number(n), _))) => n * unit(item),
        (Kind::SmrdOffset, Some((Coded::Literal(n), _))) => i64::from(n) * unit(item),
        (Kind::SmemOffset, Some((Coded::Both(code, _) | Coded::Soffset(code), _))) => {
            return RetargetError::Value { field: Field::Soffset, value: code.into() };
        }
        // What the target lacks is the bit that makes it an accumulation register.
        (_, Some((Coded::Code(AGPR..), _))) => {
            let bit = if is_image_data(item) { item.aux[3] } else { item.aux[0] };
            let mut fields = from.fields();
            let is_bit = |held: &HeldField| held.first_bit + held.info.lsb == bit;
            return match fields.find(is_bit) {
                Some(HeldField { info, value, .. }) => RetargetError::Value { field: info.field, value: value.into() },
                None => RetargetError::Value { field: item.field, value: modifier(item, from) },
            };
        }
        _ => modifier(item, from),
    };
    RetargetError::Value { field: item.field, value }
}

/// What an operand is on another target: registers, constants and numbers of the same name.
fn translate(
    (here, item): (Target, &Item),
    (target, other): (Target, &Item),
    coded: Coded,
    refused: RetargetError,
) -> Result<Coded, RetargetError> {
    let code = |code: u16| match code {
        // Accumulation registers are where they are on every target that has them.
        AGPR.. => Ok(code),
        _ => names::code(here, target, code).ok_or(refused),
    };
    let of_bytes = |bytes: i64| match bytes % unit(other) {
        0 => Ok(bytes / unit(other)),
        _ => Err(refused),
    };
    Ok(match coded {
        Coded::Number(n) if matches!(item.kind, Kind::SmrdOffset | Kind::SmemOffset) => {
            Coded::Number(of_bytes(n * unit(item))?)
        }
        Coded::Literal(n) if item.kind == Kind::SmrdOffset => Coded::Number(of_bytes(i64::from(n) * unit(item))?),
        Coded::Number(n) => {
            let raw = u32::try_from(n).map_err(|_| refused)?;
            if let Some(imm) = Imm::decode(here, item.kind, raw as u16) {
                let lost = |(field, value): (Field, u16)| RetargetError::Value { field, value: value.into() };
                let imm = names::imm(here, target, imm).map_err(lost)?;
                let encoded =
                    imm.encode(target).map_err(|e| RetargetError::Value { field: e.field, value: e.value })?;
                return Ok(Coded::Number(encoded.into()));
            }
            Coded::Number(names::value(here, target, Some(item), item.field, raw).ok_or(refused)?.into())
        }
        Coded::Code(n) => Coded::Code(code(n)?),
        Coded::High(n) => Coded::High(code(n)?),
        Coded::Soffset(n) => Coded::Soffset(code(n)?),
        Coded::Both(n, bytes) => Coded::Both(code(n)?, of_bytes(bytes)?),
        Coded::Vcc | Coded::Off | Coded::Label(_) | Coded::Literal(_) | Coded::Attr(..) => coded,
    })
}
