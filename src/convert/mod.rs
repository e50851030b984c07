//! The same instruction in another encoding: the 32-bit one, VOP3, SDWA, DPP; and with its sources swapped.
//!
//! Operands stand in the same order in every encoding of an operation: each is put where the other encoding has its
//! own. The words are decoded and compared before anybody gets them. Nothing here knows a generation.

mod commute;

use core::fmt;

use crate::common::Place;
use crate::decode::MAX_DWORDS;
use crate::inst::layout;
use crate::operand::{bits, code, flag, sdwa_code, value};
use crate::retarget::Words;
use crate::table::{Item, Kind, NONE, Shape};
use crate::target::{FACTS, ITEMS};
use crate::{
    DecodeError, Extension, Field, Format, HeldField, Inst, Opcode, Operand, Reg, RuleError, Target, Value,
    decode_words,
};

/// Why an instruction cannot be encoded in another way; see [`Inst::shrink`] and [`Inst::commuted`].
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::{ConvertError, Field, Target, decode_words};
/// let add = decode_words(Target::Gfx942, &[0xd101_0002, 0x0000_0901]).unwrap();
/// assert_eq!(add.to_string(), "v_add_f32_e64 v2, v1, s4");
/// // As the second source of VOP2 only a vector register can stand.
/// assert_eq!(add.shrink(), Err(ConvertError::Operand(Field::Src1)));
/// assert_eq!(add.commuted().unwrap().shrink().unwrap().to_string(), "v_add_f32_e32 v2, s4, v1");
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConvertError {
    /// The target does not have the operation in this form.
    Form {
        /// The base format; `None`: no such one.
        format: Option<Format>,
        /// That of the dword behind it.
        extension: Option<Format>,
    },
    /// The sources of the operation cannot change places.
    NotCommutable(Opcode),
    /// The operand that this field names has no place there: a scalar where only a vector register can stand, a literal,
    /// another register than vcc, ...
    Operand(Field),
    /// The encoding lacks the modifier, which says something here.
    Modifier {
        /// The field.
        field: Field,
        /// What it holds.
        value: u32,
    },
    /// The instruction would break a rule that it keeps here.
    Rule(RuleError),
}

impl fmt::Display for ConvertError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ConvertError::Form { format: None, .. } => f.write_str("the operation has no such encoding"),
            ConvertError::Form { format: Some(format), extension: None } => {
                write!(f, "the operation has no encoding as {format}")
            }
            ConvertError::Form { format: Some(format), extension: Some(extension) } => {
                write!(f, "the operation has no encoding as {format} with {extension}")
            }
            ConvertError::NotCommutable(opcode) => write!(f, "the sources of {opcode:?} cannot change places"),
            ConvertError::Operand(field) => write!(f, "{field} has no place there"),
            ConvertError::Modifier { field, value } => write!(f, "{field} = {value} has no place there"),
            ConvertError::Rule(rule) => write!(f, "there {rule}"),
        }
    }
}

impl core::error::Error for ConvertError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            ConvertError::Rule(error) => Some(error),
            _ => None,
        }
    }
}

/// One form of an operation; see [`Opcode::forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Form {
    /// The base format.
    pub format: Format,
    /// The format of the dword behind the base words.
    pub extension: Option<Format>,
}

impl Opcode {
    /// The forms that a target gives the operation: base formats, and what can stand behind them (SDWA, DPP; a literal is
    /// no form).
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Format, Opcode, Target};
    /// let all = Opcode::VMinU32.forms(Target::Gfx942).map(|form| (form.format, form.extension));
    /// let short = (Format::Vop2, None);
    /// assert!(all.eq([short, (Format::Vop2, Some(Format::Sdwa)), (Format::Vop2, Some(Format::Dpp)), (Format::Vop3a, None)]));
    /// # }
    /// ```
    pub fn forms(self, target: Target) -> impl Iterator<Item = Form> {
        self.places(target).flat_map(move |place| {
            let format = place.shape.format;
            let mut forms = place.forms(target).map(|shape| Form { format, extension: shape.extension });
            // Up to two: SDWA and DPP.
            [Some(Form { format, extension: None }), forms.next(), forms.next()].into_iter().flatten()
        })
    }
}

impl Inst {
    /// The same instruction in its shortest encoding: of VOP3 the 32-bit one, if modifiers say nothing, the second
    /// source is a vector register, and a mask is in vcc; of SDWA and DPP the plain one, if they select whole registers of the
    /// same lane. Unchanged if it is already there, or has no other.
    ///
    /// Bits that hardware ignores become zero.
    ///
    /// # Errors
    /// What cannot be said there.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::{ConvertError, Field, Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0xd101_0002, 0x0002_0501]).unwrap();
    /// assert_eq!(add.to_string(), "v_add_f32_e64 v2, v1, v2");
    /// assert_eq!(add.shrink().unwrap().words(), [0x0204_0501]); // v_add_f32_e32 v2, v1, v2
    /// let clamped = add.with(Field::Clamp, 1).unwrap();
    /// assert_eq!(clamped.shrink(), Err(ConvertError::Modifier { field: Field::Clamp, value: 1 }));
    /// # }
    /// ```
    pub fn shrink(&self) -> Result<Inst, ConvertError> {
        self.of_size(32).or_else(|error| self.if_alone(error))
    }

    /// The same instruction in its 64-bit encoding, VOP3, which takes more operands and modifiers. Unchanged if it has no
    /// other.
    ///
    /// Bits that hardware ignores become zero.
    ///
    /// # Errors
    /// What cannot be said there: up to gfx9 a literal.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::{Reg, Field, Target, Value, decode_words};
    /// let compare = decode_words(Target::Gfx942, &[0x7d98_0005]).unwrap(); // v_cmp_gt_u32_e32 vcc, s5, v0
    /// let compare = compare.expand().unwrap();
    /// assert_eq!(compare.to_string(), "v_cmp_gt_u32_e64 vcc, s5, v0");
    /// let compare = compare.with_operand(Field::Vdst, Value::Reg(Reg::Sgpr(8))).unwrap();
    /// assert_eq!(compare.to_string(), "v_cmp_gt_u32_e64 s[8:9], s5, v0");
    /// assert!(compare.shrink().is_err());
    /// # }
    /// ```
    pub fn expand(&self) -> Result<Inst, ConvertError> {
        self.of_size(64).or_else(|error| self.if_alone(error))
    }

    /// What has no other encoding is as short and as long as it can be.
    fn if_alone(&self, error: ConvertError) -> Result<Inst, ConvertError> {
        match error {
            ConvertError::Form { format: None, .. } => Ok(*self),
            error => Err(error),
        }
    }

    /// The same instruction in another encoding: one of [`Opcode::forms`].
    ///
    /// Bits that hardware ignores become zero.
    ///
    /// # Errors
    /// What cannot be said there.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::{Format, Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x6804_0501]).unwrap(); // v_add_u32_e32 v2, v1, v2
    /// let sdwa = add.reencode(Format::Vop2, Some(Format::Sdwa)).unwrap();
    /// let text = "v_add_u32_sdwa v2, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD";
    /// assert_eq!(sdwa.to_string(), text);
    /// assert_eq!(sdwa.shrink(), Ok(add));
    /// # }
    /// ```
    pub fn reencode(&self, format: Format, extension: Option<Format>) -> Result<Inst, ConvertError> {
        let behind = self.extension().filter(|e| *e != Format::Literal);
        if (format, extension) == (self.format(), behind) {
            return Ok(*self);
        }
        let lacks = ConvertError::Form { format: Some(format), extension };
        let mut places = self.opcode().places(self.target()).filter(|place| place.shape.format == format);
        let made = places.find_map(|place| {
            let shape = match extension {
                None => place.shape,
                Some(_) => place.forms(self.target()).find(|shape| shape.extension == extension)?,
            };
            Some(convert(&self.canonical(), &place, shape, extension))
        });
        made.unwrap_or(Err(lacks))
    }

    /// In the encoding whose base words have so many bits.
    fn of_size(&self, bits: u8) -> Result<Inst, ConvertError> {
        let target = self.target();
        let size = |format| layout(target, format).map_or(0, |l| l.bits);
        if self.second_opcode().is_some() {
            return Err(ConvertError::Form { format: None, extension: None });
        }
        let mut formats = self.opcode().places(target).map(|place| place.shape.format);
        let found =
            formats.find(|&format| size(format) == bits && (size(self.format()) != bits || format == self.format()));
        match found {
            Some(format) => self.reencode(format, None),
            None => Err(ConvertError::Form { format: None, extension: None }),
        }
    }

    fn all_items(&self) -> impl Iterator<Item = &'static Item> + use<> {
        items(self.target(), self.shape())
    }
}

fn items(target: Target, shape: &Shape) -> impl Iterator<Item = &'static Item> + use<> {
    let tables = ITEMS[target as usize];
    tables.list_of(shape).iter().filter_map(|&n| tables.items.get(usize::from(n)))
}

/// The operand code that an item holds: of what no field names too.
fn code_of(inst: &Inst, item: &Item) -> Option<u16> {
    let vcc = FACTS[inst.target() as usize].codes.vcc;
    Some(match item.kind {
        Kind::Code => code(item, inst),
        Kind::SdwaSrc => sdwa_code(item, inst),
        Kind::SdstOrVcc if flag(inst, item.aux[0]) => code(item, inst),
        Kind::SdstOrVcc | Kind::Vcc => vcc.into(),
        _ => return None,
    })
}

/// Writes an operand code into an item's bits; `None` if it cannot stand there.
fn put_code(words: &mut Words, target: Target, item: &Item, code: u16) -> Option<()> {
    let vcc = u16::from(FACTS[target as usize].codes.vcc);
    let value = match item.kind {
        Kind::Vcc => return (code == vcc).then_some(()),
        Kind::SdstOrVcc if code == vcc => return Some(()),
        Kind::SdstOrVcc => {
            words.put(item.aux[0], 1, 1);
            code
        }
        Kind::SdwaSrc if code >= 256 || item.cond != NONE => {
            if item.cond != NONE {
                words.put(item.cond, 1, u32::from(code < 256));
            }
            code & 255
        }
        Kind::Code => {
            let value = code.checked_sub(item.add)?;
            if value % (1 << item.shift) != 0 {
                return None;
            }
            value >> item.shift
        }
        _ => return None,
    };
    put(words, item, value.into())
}

fn put(words: &mut Words, item: &Item, value: u32) -> Option<()> {
    if u64::from(value) >> item.width != 0 {
        return None;
    }
    words.put(item.lsb, item.lo_width, value);
    if item.hi != NONE {
        words.put(item.hi, item.width - item.lo_width, value >> item.lo_width);
    }
    Some(())
}

/// Bits of an attribute's channel.
const CHANNEL: u8 = 2;
/// The whole register.
const DWORD: u32 = 6;

/// What a modifier holds when it says nothing.
fn default(field: Field, overlay: bool) -> u32 {
    match field {
        Field::DstSel | Field::Src0Sel | Field::Src1Sel => DWORD,
        // Each lane reads itself, all are written, and none out of range keeps what it had.
        Field::DppCtrl => 0b11_10_01_00,
        Field::RowMask | Field::BankMask => 15,
        // That of permlane swaps is a part of op_sel.
        Field::BoundCtrl => u32::from(!overlay),
        _ => 0,
    }
}

fn convert(from: &Inst, place: &Place, shape: &Shape, extension: Option<Format>) -> Result<Inst, ConvertError> {
    let target = from.target();
    let lacks = ConvertError::Form { format: Some(shape.format), extension };
    let there = layout(target, shape.format).ok_or(lacks)?;
    let mut words = Words([0; MAX_DWORDS]);
    for info in there.fields.iter().filter(|info| !info.overlay) {
        match info.fixed {
            Some(bits) => words.field(0, info, bits.into()),
            None if info.field == Field::Op => words.field(0, info, place.number.into()),
            None => {}
        }
    }
    // The operands, in the order of the text.
    let (here, mut theirs) = (from.all_items().filter(is_operand), items(target, shape).filter(is_operand));
    for item in here {
        let other = theirs.next().ok_or(lacks)?;
        let put = match code_of(from, item) {
            Some(code) => put_code(&mut words, target, other, code),
            // No operand code: a parameter, a channel.
            None if item.kind == other.kind => {
                if item.kind == Kind::Attr {
                    words.put(other.aux[0], CHANNEL, bits(from, item.aux[0], CHANNEL));
                }
                put(&mut words, other, value(item, from))
            }
            None => None,
        };
        put.ok_or(ConvertError::Operand(item.field))?;
    }
    if theirs.next().is_some() {
        return Err(lacks);
    }
    // The modifiers: what says something must find a place.
    for item in items(target, shape).filter(|item| !is_operand(item)) {
        put(&mut words, item, default(item.field, item.kind != Kind::DppBound)).ok_or(lacks)?;
    }
    for HeldField { format, first_bit: first, info, value: held } in from.fields() {
        if info.fixed.is_some() || info.overlay || format == Format::Literal || info.field == Field::Op {
            continue;
        }
        let lies = |item: &&Item| item.lsb == first + info.lsb && item.field == info.field;
        let item = from.all_items().find(lies);
        if item.is_some_and(|item| is_operand(&item)) || belongs(from, first + info.lsb) {
            continue;
        }
        // A row can say which part is written: then it is no modifier.
        let is_default = held == default(info.field, info.overlay) || item.is_none() && held == 0;
        if is_default || info.field == Field::BoundCtrl && !info.overlay {
            continue;
        }
        let other = items(target, shape).find(|other| other.field == info.field && !is_operand(other));
        let refused = ConvertError::Modifier { field: info.field, value: held };
        other
            .filter(|o| item.is_some_and(|i| i.kind == o.kind))
            .and_then(|o| put(&mut words, o, held))
            .ok_or(refused)?;
    }
    // What stands behind the base words.
    let mut dwords = usize::from(there.bits / 32);
    if let Some(extension) = extension {
        let Extension { field, code, .. } = there.extends.iter().find(|e| e.format == extension).ok_or(lacks)?;
        let info = there.fields.iter().find(|info| info.field == *field).ok_or(lacks)?;
        words.field(0, info, (*code).into());
        dwords += 1;
    }
    let literal = from.operands().find(|operand| matches!(operand.value, Value::Literal(_)));
    if let Some(Operand { value: Value::Literal(literal), role: Some(field), .. }) = literal {
        let place = words.0.get_mut(dwords).filter(|_| extension.is_none());
        *place.ok_or(ConvertError::Operand(field))? = literal;
        dwords += 1;
    }
    let refused = literal.and_then(|operand| operand.role).map_or(lacks, ConvertError::Operand);
    let decode = |words: &Words| decode_words(target, words.0.get(..dwords).unwrap_or(&words.0));
    let made = decode(&words).or_else(|error| {
        let info = extension.and_then(|e| layout(target, e)?.fields.iter().find(|info| info.field == Field::DstSel));
        words.field(there.bits, info.ok_or(error)?, DWORD);
        decode(&words)
    });
    let made = made.map_err(|error| match error {
        DecodeError::ReservedValue { field, .. } => ConvertError::Operand(field),
        _ => refused,
    })?;
    if made.opcode() != from.opcode() || made.words().len() != dwords || made.format() != shape.format {
        return Err(refused);
    }
    compare(from, &made)?;
    kept(from, made)
}

fn is_operand(item: &&'static Item) -> bool {
    item.access.is_some()
}

/// The bit is a flag of an operand, and was read and written with it: scalar or vector (SDWA), sdst or vcc, a channel; or
/// it announces the dword behind the base words.
fn belongs(from: &Inst, bit: u8) -> bool {
    let of_item = |item: &Item| match item.kind {
        Kind::SdwaSrc => item.cond == bit,
        Kind::SdstOrVcc | Kind::Attr => item.aux[0] == bit,
        _ => false,
    };
    let announces = || {
        let base = layout(from.target(), from.format());
        let mut extends = base.into_iter().flat_map(|l| l.extends.iter().map(move |e| (l, e)));
        extends.any(|(l, e)| l.fields.iter().any(|info| info.field == e.field && info.lsb == bit))
    };
    from.all_items().any(of_item) || from.extension().is_some() && announces()
}

/// Fails unless both have the same operands, and read and write the same registers.
fn compare(a: &Inst, b: &Inst) -> Result<(), ConvertError> {
    let value = |operand: &Operand| match operand.value {
        Value::Reg(Reg::Vcc) => Value::Reg(Reg::VCC_LO),
        value => value,
    };
    // A constant has the width of its field.
    let bits = |operand: &Operand| if matches!(operand.value, Value::Imm(_)) { 0 } else { operand.bits };
    let (mut here, mut there) = (a.operands().filter(is_shown), b.operands().filter(is_shown));
    loop {
        match (here.next(), there.next()) {
            (None, None) => break,
            (Some(x), Some(y)) if value(&x) == value(&y) && x.access == y.access && bits(&x) == bits(&y) => {}
            (Some(Operand { role: Some(field), .. }), _) | (_, Some(Operand { role: Some(field), .. })) => {
                return Err(ConvertError::Operand(field));
            }
            _ => return Err(ConvertError::Operand(Field::Vcc)),
        }
    }
    match a.reads() == b.reads() && a.writes() == b.writes() {
        true => Ok(()),
        false => Err(ConvertError::Form { format: Some(b.format()), extension: b.extension() }),
    }
}

fn is_shown(operand: &Operand) -> bool {
    operand.role.is_some()
}

/// Rules that held must hold.
fn kept(from: &Inst, made: Inst) -> Result<Inst, ConvertError> {
    match (from.check(), made.check()) {
        (Ok(()), Err(rule)) => Err(ConvertError::Rule(rule)),
        _ => Ok(made),
    }
}
