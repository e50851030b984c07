//! Converts an instruction to another encoding (32-bit, VOP3, SDWA, DPP), or swaps its sources. The conversion to
//! another target is in src/retarget/.
//!
//! All encodings of an operation have its operands in the same order, so each operand moves to the corresponding
//! operand of the other encoding. The new words are decoded and compared before they are returned. Nothing here depends
//! on a generation.

mod commute;

use core::fmt;

use crate::check::RuleError;
use crate::code::VGPR;
use crate::codec::code::vcc;
use crate::codec::{Address, EncodedOperand, descs, encode, modifier_bits, neutral_of, put_modifier, read};
use crate::compare::{image_address_of, same_image_address, same_operands, shown};
use crate::error::DecodeError;
use crate::form::Unmade;
use crate::inst::Inst;
use crate::kind::{ModifierKind, OperandKind, RegisterKind};
use crate::opcode::{Field, Format, Opcode};
use crate::operation::{OpcodeEntry, layout};
use crate::table::{FormSignature, OperandDesc};
use crate::target::Target;
use crate::value::{Operand, Reg, Value};

pub use crate::retarget::RetargetError;

/// The reason why an instruction cannot be converted: see [`Inst::shrink`] and [`Inst::commuted`].
///
/// ```
/// # #[cfg(all(feature = "gfx942", feature = "text"))] {
/// use amdgpu_isa::convert::ConvertError;
/// use amdgpu_isa::{Field, Target, decode_words};
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
        /// The base format; `None` if the operation has no other encoding.
        format: Option<Format>,
        /// The format of the trailing dword, if there is one.
        extension: Option<Format>,
    },
    /// The sources of the operation cannot be swapped.
    NotCommutable(Opcode),
    /// The other encoding has no room for this field's operand: a scalar where only a vector register is allowed, a
    /// literal, a register other than vcc, ...
    Operand(Field),
    /// The encoding lacks a modifier that has an effect in this instruction.
    Modifier {
        /// The field.
        field: Field,
        /// The value of the field.
        value: u32,
    },
    /// The result would break a rule that the original instruction follows.
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
            ConvertError::NotCommutable(opcode) => write!(f, "the sources of {opcode:?} cannot be swapped"),
            ConvertError::Operand(field) => write!(f, "the encoding has no room for {field}"),
            ConvertError::Modifier { field, value } => write!(f, "the encoding has no room for {field} = {value}"),
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

/// One form of an operation: see [`Opcode::forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Form {
    /// The base format.
    pub format: Format,
    /// The format of the trailing dword, if there is one.
    pub extension: Option<Format>,
}

impl Opcode {
    /// The forms of the operation on a target: base formats, alone and with the possible trailing dwords (SDWA, DPP,
    /// DPP8; a literal does not make another form).
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
        self.entries(target).flat_map(move |entry| {
            let format = entry.signature.format;
            let forms = entry.forms(target).map(move |signature| Form { format, extension: signature.extension });
            core::iter::once(Form { format, extension: None }).chain(forms)
        })
    }
}

impl Inst {
    /// Returns the instruction in its shortest encoding. VOP3 becomes the 32-bit encoding if no modifier has an effect,
    /// the second source is a vector register, and a mask is in vcc. SDWA and DPP become the plain encoding if they
    /// select whole registers of the same lane. The instruction is unchanged if it is already in that encoding, or has
    /// no other.
    ///
    /// Bits that the hardware ignores become zero.
    ///
    /// # Errors
    /// The shorter encoding cannot express an operand or modifier.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "text"))] {
    /// use amdgpu_isa::convert::ConvertError;
    /// use amdgpu_isa::{Field, Target, decode_words};
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

    /// Returns the instruction in its 64-bit encoding, VOP3, which accepts more operands and modifiers. The instruction
    /// is unchanged if the operation has no other encoding.
    ///
    /// Bits that the hardware ignores become zero.
    ///
    /// # Errors
    /// The 64-bit encoding cannot express an operand or modifier, for example a literal up to gfx9.
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

    /// Returns the instruction unchanged if the error says that it has only one encoding, otherwise the error.
    fn if_alone(&self, error: ConvertError) -> Result<Inst, ConvertError> {
        match error {
            ConvertError::Form { format: None, .. } => Ok(*self),
            error => Err(error),
        }
    }

    /// Returns the instruction in another encoding: one of [`Opcode::forms`].
    ///
    /// Bits that the hardware ignores become zero.
    ///
    /// # Errors
    /// The other encoding does not exist, or cannot express an operand or modifier.
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
        let own = self.extension().filter(|e| !e.is_literal());
        if (format, extension) == (self.format(), own) {
            return Ok(*self);
        }
        let lacks = ConvertError::Form { format: Some(format), extension };
        let mut entries = self.opcode().entries(self.target()).filter(|entry| entry.signature.format == format);
        let made = entries.find_map(|entry| {
            let signature = match extension {
                None => entry.signature,
                Some(_) => entry.forms(self.target()).find(|signature| signature.extension == extension)?,
            };
            Some(convert(&self.canonical(), &entry, signature))
        });
        made.unwrap_or(Err(lacks))
    }

    /// Returns the instruction in the encoding whose base words have this many bits.
    fn of_size(&self, bits: u8) -> Result<Inst, ConvertError> {
        let target = self.target();
        let size = |format| layout(target, format).map_or(0, |l| l.bits);
        if self.second_opcode().is_some() {
            return Err(ConvertError::Form { format: None, extension: None });
        }
        let mut formats = self.opcode().entries(target).map(|entry| entry.signature.format);
        let found =
            formats.find(|&format| size(format) == bits && (size(self.format()) != bits || format == self.format()));
        match found {
            Some(format) => self.reencode(format, None),
            None => Err(ConvertError::Form { format: None, extension: None }),
        }
    }

    fn all_descs(&self) -> impl Iterator<Item = &'static OperandDesc> + use<> {
        descs(self.target(), self.signature())
    }
}

fn convert(from: &Inst, entry: &OpcodeEntry, signature: &'static FormSignature) -> Result<Inst, ConvertError> {
    let extension = signature.extension.filter(|e| !e.is_literal());
    let lacks = ConvertError::Form { format: Some(signature.format), extension };
    let form = crate::form::Form::new(from.target(), from.opcode(), entry, signature).ok_or(lacks)?;
    let mut words = form.start_as(from);
    // Any modifier that has an effect must be encoded. Modifiers are encoded first, because operands set bits of some
    // modifiers.
    let is_half = |desc: &OperandDesc| match read(desc, from) {
        Some((EncodedOperand::Code(code), _)) => code >= VGPR,
        coded => matches!(coded, Some((EncodedOperand::High(_), _))),
    };
    let selector = |desc: &OperandDesc| match desc.kind {
        OperandKind::Register(RegisterKind::HalfSelected { half, .. }) => Some(half),
        _ => None,
    };
    let halves = |bit| from.all_descs().any(|desc| selector(desc) == Some(bit) && is_half(desc));
    let of_operands =
        |desc: &OperandDesc| (0..desc.lo_width).filter(|n| halves(desc.lsb + n)).fold(0, |all, n| all | 1 << n);
    for desc in form.descs().filter(|desc| !is_operand(desc)) {
        put_modifier(desc, neutral_of(desc), &mut words).map_err(|_| lacks)?;
    }
    for desc in from.all_descs().filter(|desc| !is_operand(desc)) {
        let held = modifier_bits(desc, from) & !of_operands(desc);
        if held == neutral_of(desc) {
            continue;
        }
        let refused = ConvertError::Modifier { field: desc.field, value: held };
        let same = |other: &&OperandDesc| {
            (other.field, other.kind.bare(), other.access) == (desc.field, desc.kind.bare(), None)
        };
        match form.descs().find(same) {
            Some(other) => put_modifier(other, held, &mut words).map_err(|_| refused)?,
            // Without DPP no lane is out of range.
            None if desc.kind == OperandKind::Modifier(ModifierKind::DppBound) => {}
            None => return Err(refused),
        }
    }
    // The operands are encoded in the order of the text.
    let mut theirs = form.descs().filter(is_operand);
    for desc in from.all_descs().filter(is_operand) {
        let other = theirs.next().ok_or(lacks)?;
        let Some((coded, _)) = read(desc, from) else { continue };
        let coded = match coded {
            // A vcc destination that the encoding implies needs no field.
            EncodedOperand::Code(code) if code == vcc(from.target()) && other.kind.is_named_or_vcc() => {
                EncodedOperand::Vcc
            }
            coded => coded,
        };
        encode(other, coded, &mut words).map_err(|_| ConvertError::Operand(desc.field))?;
    }
    if theirs.next().is_some() {
        return Err(lacks);
    }
    if let Some(address) = image_address_of(from) {
        let other = form.descs().find_map(Address::of).ok_or(lacks)?;
        other.encode(address.registers(from), &mut words).map_err(|_| ConvertError::Operand(address.desc.field))?;
    }
    let literal = from.operands().find(|operand| matches!(operand.value, Value::Literal(_)));
    let refused = literal.and_then(|operand| operand.role).map_or(lacks, ConvertError::Operand);
    let made = form.finish(&mut words).map_err(|error| match error {
        Unmade::Decode(DecodeError::ReservedValue { field, .. }) => ConvertError::Operand(field),
        _ => refused,
    })?;
    compare(from, &made)?;
    kept(from, made.filled_as(from))
}

fn is_operand(desc: &&'static OperandDesc) -> bool {
    desc.access.is_some()
}

/// Fails unless both instructions have the same operands, and read and write the same registers.
fn compare(a: &Inst, b: &Inst) -> Result<(), ConvertError> {
    let value = |operand: &Operand| match operand.value {
        Value::Reg(Reg::Vcc) => Value::Reg(Reg::VCC_LO),
        value => value,
    };
    // A constant has the width of its field, which differs between encodings.
    let bits = |operand: &Operand| if matches!(operand.value, Value::Imm(_)) { 0 } else { operand.bits };
    // Of an operand's access, only writes are compared: modifiers of an encoding can determine whether the instruction
    // keeps, and so reads, the rest of a destination. The sets of registers that are read are compared below.
    let said = |operand: &Operand| (value(operand), operand.access.writes(), bits(operand));
    same_operands(shown(a), shown(b), |x, y| said(x) == said(y)).map_err(|difference| {
        let role = difference.0.or(difference.1).and_then(|operand| operand.role);
        ConvertError::Operand(role.unwrap_or(Field::Vcc))
    })?;
    if !same_image_address(a, b) {
        return Err(ConvertError::Operand(image_address_of(a).map_or(Field::Vaddr, |address| address.desc.field)));
    }
    match a.reads() == b.reads() && a.writes() == b.writes() {
        true => Ok(()),
        false => Err(ConvertError::Form { format: Some(b.format()), extension: b.extension() }),
    }
}

/// Fails if the new instruction breaks a rule that the old one follows.
fn kept(from: &Inst, made: Inst) -> Result<Inst, ConvertError> {
    match (from.check(), made.check()) {
        (Ok(()), Err(rule)) => Err(ConvertError::Rule(rule)),
        _ => Ok(made),
    }
}
