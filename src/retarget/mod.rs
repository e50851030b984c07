//! The same instruction for another target.
//!
//! Nothing here knows a generation. The operation's encodings on the target are looked up; each field is put where the
//! target's layout has the field of that name, with the code or value that has the same name there; and the words are
//! decoded and compared, operand by operand and modifier by modifier, before anybody gets them.

mod compare;
mod names;
mod offset;

use core::fmt;

use crate::common::{Place, SUCCESSORS};
use crate::decode::MAX_DWORDS;
use crate::imm::Imm;
use crate::inst::layout;
use crate::operand::{SmemOffset, code, flag, scratch_addr_used, sdwa_code, smem_offset, smrd_offset};
use crate::table::{Item, Kind, NONE};
use crate::target::ITEMS;
use crate::{DecodeError, Field, FieldInfo, Format, Inst, Opcode, RuleError, Target, decode_words};
use compare::compare;
use offset::ScalarOffset;

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

impl core::error::Error for RetargetError {}

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
    list: &'static [u16],
}

impl Items {
    fn of(inst: &Inst) -> Items {
        Items { target: inst.target(), list: ITEMS[inst.target() as usize].list_of(inst.shape()) }
    }

    fn all(self) -> impl Iterator<Item = &'static Item> {
        let tables = ITEMS[self.target as usize];
        self.list.iter().filter_map(|&n| tables.items.get(usize::from(n)))
    }

    fn at(self, field: Field, lsb: u8) -> Option<&'static Item> {
        self.all().find(|i| i.field == field && i.lsb == lsb)
    }

    /// The bit that says whether the operation returns something.
    fn returns(self) -> Option<u8> {
        self.all().find(|i| i.cond != NONE && i.kind != Kind::SdwaSrc).map(|i| i.cond)
    }

    fn named_at(self, bit: u8) -> Option<Field> {
        self.all().find(|i| i.access.is_none() && i.lsb == bit).map(|i| i.field)
    }

    fn scratch(self) -> Option<&'static Item> {
        self.all().find(|i| i.kind == Kind::ScratchAddr)
    }

    /// What the field says is said in another way on other targets, or it says nothing because another bit is zero.
    fn needs_no_field(self, inst: &Inst, field: Field, bit: u8) -> bool {
        let silent = |i: &Item| match i.kind {
            Kind::ScratchAddr => i.aux[0] == bit,
            Kind::SdstOrVcc => i.field == field && !flag(inst, i.aux[0]),
            Kind::SmemOffset => field == Field::Soffset && !flag(inst, i.aux[1]),
            // Whether the register is one there is compared in the end.
            Kind::Acc => i.aux[0] == bit,
            _ => false,
        };
        self.returns() == Some(bit) || self.all().any(silent)
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

/// Words in the making.
pub(crate) struct Words(pub(crate) [u32; MAX_DWORDS]);

impl Words {
    pub(crate) fn put(&mut self, lsb: u8, width: u8, value: u32) {
        let mask = ((1u64 << width) - 1) as u32;
        if let Some(word) = self.0.get_mut(usize::from(lsb / 32)) {
            *word = *word & !(mask << (lsb % 32)) | (value & mask) << (lsb % 32);
        }
    }

    /// `first`: the first bit of the field's format.
    pub(crate) fn field(&mut self, first: u8, info: &FieldInfo, value: u32) {
        self.put(first + info.lsb, info.width, value);
        if info.hi_width > 0 {
            self.put(first + info.hi, info.hi_width, value >> info.width);
        }
    }
}

fn retarget(from: &Inst, target: Target, place: &Place) -> Result<Inst, RetargetError> {
    let lacks = RetargetError::Form { format: from.format(), extension: from.extension() };
    let shape = place.shape;
    let names = Names::between(from.format(), shape.format).ok_or(lacks)?;
    let (here, there) = match (layout(from.target(), from.format()), layout(target, shape.format)) {
        (Some(here), Some(there)) => (here, there),
        _ => return Err(lacks),
    };
    // What stands behind the base words: the form that has it, and the code that announces it.
    let behind = from.extension().filter(|&e| e != Format::Literal);
    let (shape, extension) = match behind {
        None => (shape, from.extension()),
        Some(extension) => {
            let form = place.forms(target).find_map(|s| {
                let format = s.extension.filter(|&e| Names::between(extension, e).is_some())?;
                Some((s, Some(format)))
            });
            form.ok_or(lacks)?
        }
    };
    let (items, items_there) = (Items::of(from), Items { target, list: ITEMS[target as usize].list_of(shape) });
    let mut words = Words([0; MAX_DWORDS]);
    for info in there.fields {
        match info.fixed {
            Some(bits) => words.field(0, info, bits.into()),
            None if info.field == Field::Op => words.field(0, info, place.number.into()),
            None => {}
        }
    }
    let offset = ScalarOffset::between(from, items, items_there);
    for (format, first, info, value) in from.fields() {
        if info.fixed.is_some() || info.overlay || [Field::Op, Field::Reserved].contains(&info.field) {
            continue;
        }
        let is_base = first == 0;
        if offset.is_some() && (!is_base || ScalarOffset::FIELDS.contains(&info.field)) {
            continue;
        }
        let announces = |&&(field, code, after): &&(Field, u16, Format)| {
            is_base && field == info.field && u32::from(code) == value && Some(after) == behind
        };
        let (to, names, first_there) = match (is_base, extension) {
            (true, _) => (there, names, 0),
            (false, Some(e)) => (layout(target, e).ok_or(lacks)?, Names::between(format, e).ok_or(lacks)?, there.bits),
            (false, None) => return Err(lacks),
        };
        let name = names.of(info.field);
        let info_there = to.fields.iter().find(|f| f.field == name && f.fixed.is_none() && !f.overlay);
        if here.extends.iter().any(|e| announces(&e)) {
            let announcement = there.extends.iter().find(|(f, _, e)| *f == name && Some(*e) == extension);
            match (announcement, info_there) {
                (Some(&(_, code, _)), Some(info)) => words.field(0, info, code.into()),
                _ => return Err(lacks),
            }
            continue;
        }
        let item = items.at(info.field, first + info.lsb);
        let refused = RetargetError::Value { field: info.field, value: shown(item, info, value) };
        let Some(info_there) = info_there else {
            match value == 0 || items.needs_no_field(from, info.field, first + info.lsb) {
                true => continue,
                false => return Err(refused),
            }
        };
        let item_there = items_there.at(name, first_there + info_there.lsb);
        let new = translate(from, target, (item, item_there), info.field, value)?.ok_or(refused)?;
        let width = u32::from(info_there.width + info_there.hi_width);
        let range = match item_there {
            Some(i) if is_signed(i) => -(1i64 << (width - 1))..1 << (width - 1),
            _ => 0..1 << width,
        };
        let signed = item.filter(|i| is_signed(i)).map_or(new.into(), |i| extended(new, i.width));
        if !range.contains(&signed) {
            return Err(refused);
        }
        words.field(first_there, info_there, signed as u32);
    }
    let mut dwords = usize::from(there.bits / 32) + usize::from(extension.is_some());
    if let Some(offset) = &offset {
        dwords =
            usize::from(there.bits / 32) + usize::from(offset.put(from.target(), items_there, there, &mut words)?);
    }
    if let (Some(here), Some(there)) = (items.returns(), items_there.returns()) {
        words.put(there, 1, flag(from, here).into());
    }
    // On CDNA1 no bit says that a register is an AccVGPR.
    for item in items.all().filter(|i| matches!(i.kind, Kind::Agpr | Kind::AgprOrConst) && code(i, from) >= 256) {
        if let Some(other) = items_there.partner(items, item, names).filter(|o| o.kind == Kind::Acc && o.aux[0] != NONE)
        {
            words.put(other.aux[0], 1, 1);
        }
    }
    if let (Some(here), Some(there)) = (items.scratch(), items_there.scratch()) {
        if there.aux[0] != NONE {
            words.put(there.aux[0], 1, scratch_addr_used(here, from).into());
        }
    }
    let named = |field: Field| {
        let field = match (names.reversed().of(field), items.returns()) {
            // The bit that returns the old value has another name here.
            (Field::Glc | Field::Sc0, Some(bit)) => items.named_at(bit).unwrap_or(field),
            (field, _) => field,
        };
        RetargetError::Value { field, value: from.get(field).unwrap_or(0).into() }
    };
    let inst = decode_words(target, words.0.get(..dwords).unwrap_or(&words.0)).map_err(|e| match e {
        DecodeError::ReservedValue { field, .. } | DecodeError::ReservedBits { field: Some(field), .. } => named(field),
        _ => lacks,
    })?;
    if inst.opcode() != from.opcode() || inst.extension().is_some() != extension.is_some() && offset.is_none() {
        return Err(lacks);
    }
    // A field that nothing is in, as the destination of what does not return, need not be one there.
    let inst = inst.canonical();
    compare(from, &inst, names)?;
    match (from.check(), inst.check()) {
        (Ok(()), Err(rule)) => Err(RetargetError::Rule(rule)),
        _ => Ok(inst),
    }
}

fn is_signed(item: &Item) -> bool {
    // A scalar memory offset is signed where a second register can be added to it.
    item.kind == Kind::Signed || item.kind == Kind::SmemOffset && item.aux[1] != NONE
}

fn extended(value: u32, width: u8) -> i64 {
    let up = 64 - u32::from(width).clamp(1, 32);
    (i64::from(value) << up) >> up
}

/// A value as an error shows it.
fn shown(item: Option<&Item>, info: &FieldInfo, value: u32) -> i64 {
    let signed = item.is_some_and(is_signed);
    if signed { extended(value, info.width + info.hi_width) } else { value.into() }
}

/// The field's value on the target; `None` if there is none.
fn translate(
    from: &Inst,
    target: Target,
    (item, item_there): (Option<&Item>, Option<&Item>),
    field: Field,
    value: u32,
) -> Result<Option<u32>, RetargetError> {
    let here = from.target();
    let Some(item) = item else { return Ok(names::value(here, target, None, field, value)) };
    if let Some(imm) = Imm::decode(here, item.kind, value as u16) {
        let lost = |(field, value): (Field, u16)| RetargetError::Value { field, value: value.into() };
        let imm = names::imm(here, target, imm).map_err(lost)?;
        let encoded = imm.encode(target).map_err(|e| RetargetError::Value { field: e.field, value: e.value })?;
        return Ok(Some(encoded.into()));
    }
    let there = item_there.unwrap_or(item);
    let code = match item.kind {
        Kind::SdwaSrc => sdwa_code(item, from),
        // It names nothing when vcc is written.
        Kind::SdstOrVcc if !flag(from, item.aux[0]) => return Ok(Some(value)),
        Kind::Code | Kind::Acc | Kind::SdstOrVcc => code(item, from),
        Kind::Saddr if !is_off(item, from) => code(item, from),
        Kind::SmrdOffset if matches!(smrd_offset(item, from), SmemOffset::Reg(code) if code != 255) => value as u16,
        Kind::SmemOffset if matches!(smem_offset(item, from), SmemOffset::Reg(_)) && !flag(from, item.aux[1]) => {
            // Only seven bits are the register, and hardware ignores the others.
            return Ok(names::code(here, target, value as u16 & 0x7f).map(u32::from));
        }
        _ => return Ok(names::value(here, target, Some(item), field, value)),
    };
    let moved = names::code(here, target, code).and_then(|code| match item.kind {
        Kind::SdwaSrc => Some(code & 255),
        _ => code.checked_sub(there.add).filter(|c| c % (1 << there.shift) == 0).map(|c| c >> there.shift),
    });
    Ok(moved.map(u32::from))
}

/// No scalar address.
fn is_off(item: &Item, inst: &Inst) -> bool {
    code(item, inst) == 127
}
