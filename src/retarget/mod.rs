//! Conversion of an instruction to another target.
//!
//! The module does not depend on a generation. The operation's encodings are looked up on the target. Each field is
//! stored in the target's field of the same name, with the code or value of the same name. The words are then decoded
//! and compared, operand by operand and modifier by modifier, before they are returned.

#[cfg(feature = "fast")]
mod alike;
mod compare;
mod dual;
mod error;
mod hwreg;
mod names;

use crate::code::{AGPR, INT};
use crate::codec::{
    Address, EncodedOperand, Words, access, descs, encode, is_conditional, is_signed, modifier, modifier_bits,
    put_modifier, read, sign_extended, unit, value,
};
use crate::compare::image_address_of;
use crate::error::DecodeError;
use crate::form::{Form, Unmade};
use crate::imm::Imm;
use crate::inst::Inst;
use crate::kind::{ListStyle, ModifierKind, OffsetKind, OperandKind};
use crate::opcode::{Field, Format, Special};
use crate::operation::OpcodeEntry;
use crate::table::generated::{ECC, FNUZ, NOP_BITS, SMALL_FLOATS, SUCCESSORS};
use crate::table::{FormSignature, OperandDesc, Purpose};
use crate::target::Target;
use crate::value::{Access, Operand, Value};

use compare::{compare, fixed, silent};

pub use error::RetargetError;

impl Inst {
    /// The instruction for another target: the same operation with the same operands and modifiers, in the same format
    /// or in its successor or predecessor (SMEM for SMRD). A branch keeps its distance.
    ///
    /// Values that the target encodes differently are converted: a scalar load's offset in dwords or bytes, the
    /// counters of `s_waitcnt`, and registers, messages and constants whose numbers have changed. Bits that the
    /// hardware ignores become zero, except in sources that the operation does not have: see [`Inst::canonical`].
    /// Implicit registers may differ: DS reads `m0` before gfx9. A dual instruction (VOPD) remains a dual instruction,
    /// and is an error if the target lacks one of its operations, or has no dual instructions.
    ///
    /// A source 0 becomes `null`, or the reverse, where the target accepts only one of them. A hardware register
    /// becomes the register of the same name, or of the name that RDNA4 gave to it. If the target has a field of the
    /// register in another place, the result names that place. Bits that have another meaning on the target, or a
    /// meaning on only one of the targets, are an error. An output modifier (`mul:2`, `div:2`) has the same meaning
    /// where the mode flushes denormal results. In other modes it does nothing before RDNA4. The dual maximum and
    /// minimum of floats have other names from RDNA4m on. Before RDNA4m, the mode decides whether they quiet NaN, as
    /// with `v_max_f32`.
    ///
    /// A load of half a register is an error if only one of the targets can have memory with ECC, where such a load
    /// clears the other half.
    ///
    /// If the waves of one target have 32 lanes and those of the other 64, instructions that read or write a mask of
    /// lanes as wide as the wave are errors. Other instructions are converted as usual, and the caller has to check
    /// those that count lanes or name a part of a mask: `v_readlane_b32` of lane 40, `v_mbcnt_hi_u32_b32`,
    /// `s_mov_b32 exec_lo`.
    ///
    /// # Errors
    /// The target lacks something; the error names it.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx600"))] {
    /// use amdgpu_isa::convert::RetargetError;
    /// use amdgpu_isa::{Field, Target, decode_words};
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
        if let Some(second) = self.second_opcode() {
            return dual::retarget(&from, second, target);
        }
        let entries = || self.opcode().entries(target);
        let same = |entry: &OpcodeEntry| entry.signature.format == self.format();
        // Another format is used only if the target lacks the operation in the instruction's format.
        let related = |entry: &OpcodeEntry| Names::between(self.format(), entry.signature.format).is_some();
        match entries().find(same).or_else(|| entries().find(related)) {
            Some(entry) => {
                has_same_floats(&from, target)?;
                has_same_halves(&from, target)?;
                has_same_cycles(&from, target)?;
                let made = retarget(&from, target, &entry)?;
                if has_status(&from) {
                    // A load that fails keeps its destination. This hides that only one target keeps a half, so the
                    // load is also converted without its fail status.
                    retarget(&without_status(&from), target, &entry).map_err(|error| with_status(&from, error))?;
                }
                Ok(made)
            }
            None if entries().next().is_none() => Err(RetargetError::Opcode(self.opcode())),
            None => Err(RetargetError::Form { format: self.format(), extension: self.extension() }),
        }
    }
}

/// Fails if the operation has floats of 8 bits, which mean other numbers on the target.
fn has_same_floats(from: &Inst, target: Target) -> Result<(), RetargetError> {
    let is_fnuz = |target: Target| FNUZ >> target as u32 & 1 == 1;
    match is_fnuz(from.target()) != is_fnuz(target) && SMALL_FLOATS.binary_search(&from.opcode()).is_ok() {
        true => Err(RetargetError::Floats(from.opcode())),
        false => Ok(()),
    }
}

/// Fails if the instruction loads half a register, and only one of the targets clears the other half if the memory has
/// ECC.
fn has_same_halves(from: &Inst, target: Target) -> Result<(), RetargetError> {
    let has_ecc = |target: Target| ECC >> target as u32 & 1 == 1;
    if has_ecc(from.target()) == has_ecc(target) || !from.flags().is_load() {
        return Ok(());
    }
    let keeps = |operand: &Operand| operand.access == Access::ReadWrite && operand.is_vector();
    let kept = without_status(from).operands().find(keeps).and_then(|operand| operand.role);
    kept.map_or(Ok(()), |field| Err(RetargetError::Half(field)))
}

/// The fields with which a load returns its fail status.
const STATUS: [Field; 2] = [Field::Tfe, Field::Lwe];

/// Whether the instruction is a load that returns its fail status.
fn has_status(inst: &Inst) -> bool {
    inst.flags().is_load() && STATUS.iter().any(|field| inst.get(*field) == Some(1))
}

/// Converts the error for the load without its fail status to the error for the load itself, whose destination can have
/// one more register.
fn with_status(load: &Inst, error: RetargetError) -> RetargetError {
    match error {
        RetargetError::Operand { field, bits, bits_there } => {
            let held = load.operands().find(|operand| operand.role == Some(field)).map_or(bits, |operand| operand.bits);
            let more = held.saturating_sub(bits);
            RetargetError::Operand { field, bits: held, bits_there: bits_there.saturating_add(more) }
        }
        other => other,
    }
}

/// The load without its fail status. (A load with a fail status keeps its whole destination if it fails.)
fn without_status(load: &Inst) -> Inst {
    STATUS.iter().fold(*load, |load, field| load.with(*field, 0).unwrap_or(load))
}

/// Fails if the instruction is an `s_nop` that takes another number of cycles on the target, because the target uses
/// more or fewer bits of the constant.
fn has_same_cycles(from: &Inst, target: Target) -> Result<(), RetargetError> {
    let bits = |target: Target| NOP_BITS.get(target as usize).copied().map(u32::from);
    let (here, there) = (bits(from.target()), bits(target));
    if here == there || from.opcode().purpose() != Some(Purpose::Nop) {
        return Ok(());
    }
    let field = Field::Simm16;
    match from.get(field) {
        Some(value) if here.map(|bits| value & bits) != there.map(|bits| value & bits) => {
            Err(RetargetError::Value { field, value: value.into() })
        }
        _ => Ok(()),
    }
}

/// The translation of field names from one format to another.
#[derive(Clone, Copy)]
enum Names {
    Same,
    /// The other format is the successor; each pair is the old name and the new name.
    Newer(&'static [(Field, Field)]),
    /// The other format is the predecessor; the pairs are as in `Newer`.
    Older(&'static [(Field, Field)]),
}

impl Names {
    /// The translation between two formats; `None` if the formats are unrelated.
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

/// The descriptors of a signature.
#[derive(Clone, Copy)]
struct Descs {
    target: Target,
    signature: &'static FormSignature,
    /// The bit that makes the operation return a value.
    returns: Option<u8>,
}

impl Descs {
    fn new(target: Target, signature: &'static FormSignature) -> Descs {
        let returns = descs(target, signature).find(|i| is_conditional(i)).map(|i| i.write_if_bit);
        Descs { target, signature, returns }
    }

    fn of(inst: &Inst) -> Descs {
        Descs::new(inst.target(), inst.signature())
    }

    fn all(self) -> impl Iterator<Item = &'static OperandDesc> {
        descs(self.target, self.signature)
    }

    /// The modifier that begins at a bit.
    fn modifier_at(self, bit: u8) -> Option<Field> {
        self.all().find(|i| i.access.is_none() && i.lsb == bit).map(|i| i.field)
    }

    /// The descriptor in `self` that corresponds to `desc`, a descriptor of the other target in `others`.
    fn partner(self, others: Descs, desc: &OperandDesc, names: Names) -> Option<&'static OperandDesc> {
        // The name of the bit that makes the operation return the old value depends on the generation.
        if desc.access.is_none() && others.returns == Some(desc.lsb) {
            let bit = self.returns;
            return self.all().find(|i| i.access.is_none() && Some(i.lsb) == bit);
        }
        let (field, operand) = (names.of(desc.field), desc.access.is_some());
        // vcc can be listed twice: as read and as written.
        let same = |i: &&OperandDesc| i.field == field && i.access.is_some() == operand;
        let other = self.all().find(|i| same(i) && i.access == desc.access).or_else(|| self.all().find(same));
        // A compare writes vcc, or the register that a field names, if the form has such a field.
        let vcc = |i: &&OperandDesc| i.kind.is_vcc() && i.access == desc.access;
        other.or_else(|| if vcc(&desc) { self.all().find(vcc) } else { None })
    }
}

fn retarget(from: &Inst, target: Target, entry: &OpcodeEntry) -> Result<Inst, RetargetError> {
    #[cfg(feature = "fast")]
    if let Some(made) = alike::retarget(from, target, entry) {
        return made;
    }
    // The form on the target must have the same trailing dword, or a related one. A literal does not count as a
    // trailing dword.
    let extension = from.extension().filter(|e| !e.is_literal());
    let is_same = |form: &&FormSignature| match (extension, form.extension.filter(|e| !e.is_literal())) {
        (Some(extension), Some(there)) => Names::between(extension, there).is_some(),
        (extension, there) => extension.is_none() && there.is_none(),
    };
    let forms = || core::iter::once(entry.signature).chain(entry.forms(target));
    let error = match forms().find(is_same) {
        Some(signature) => match retarget_as(from, target, entry, signature, None) {
            Ok(inst) => return Ok(inst),
            Err(error @ RetargetError::Register { field, value: Value::Int(0) }) => {
                let read_null = retarget_as(from, target, entry, signature, Some(field));
                return read_null.map_err(|_| error);
            }
            Err(error) => error,
        },
        None => lacks(from),
    };
    // The set of dwords that name the registers of an image address depends on the generation.
    let mut others = forms().filter(|form| image_address_of(from).is_some() && !is_same(form));
    others.find_map(|signature| retarget_as(from, target, entry, signature, None).ok()).ok_or(error)
}

/// The error of an instruction for which the target has no form.
fn lacks(from: &Inst) -> RetargetError {
    RetargetError::Form { format: from.format(), extension: from.extension() }
}

/// Converts the instruction to this form. `null` is the field whose source, the constant 0, becomes the null register.
fn retarget_as(
    from: &Inst,
    target: Target,
    entry: &OpcodeEntry,
    signature: &'static FormSignature,
    null: Option<Field>,
) -> Result<Inst, RetargetError> {
    let names = Names::between(from.format(), entry.signature.format).ok_or_else(|| lacks(from))?;
    let form = Form::new(target, from.opcode(), entry, signature).ok_or_else(|| lacks(from))?;
    let conversion = Conversion { from, descs: Descs::of(from), there: Descs::new(target, signature), names };
    let mut words = form.start_as(from);
    // Modifiers come first, because the positions of some operands depend on them.
    conversion.modifiers(&mut words)?;
    conversion.operands(null, &mut words)?;
    let inst = form.finish(&mut words).map_err(|unmade| conversion.error(unmade))?;
    // A field that was copied may have no effect on the target, such as the destination of an operation that returns
    // nothing. The canonical form clears such fields.
    let inst = inst.canonical().filled_as(from);
    compare(from, &inst, names)?;
    follows(from, inst)
}

/// A conversion from the form of an instruction to a form of another target.
struct Conversion<'a> {
    from: &'a Inst,
    /// The descriptors of the instruction's form.
    descs: Descs,
    /// The descriptors of the target's form.
    there: Descs,
    names: Names,
}

impl Conversion<'_> {
    /// The descriptor of the target's form that corresponds to one of the instruction's form.
    fn partner(&self, desc: &OperandDesc) -> Option<&'static OperandDesc> {
        self.there.partner(self.descs, desc, self.names)
    }

    /// Whether only the target's form has this descriptor.
    fn is_new(&self, desc: &OperandDesc) -> bool {
        self.descs.partner(self.there, desc, self.names.reversed()).is_none()
    }

    /// Encodes the modifiers.
    fn modifiers(&self, words: &mut Words) -> Result<(), RetargetError> {
        let Conversion { from, descs, there, .. } = *self;
        for desc in there.all().filter(|i| i.access.is_none() && self.is_new(i)) {
            words.put_value(desc, silent(from.opcode(), desc)).map_err(|_| lacks(from))?;
        }
        for desc in descs.all().filter(|i| i.access.is_none()) {
            let refused = || refused(from, desc);
            let Some(other) = self.partner(desc) else {
                match modifier(desc, from) {
                    _ if fixed(from.opcode(), desc).is_some() => continue,
                    value if value == i64::from(silent(from.opcode(), desc)) => continue,
                    value => return Err(RetargetError::Modifier { field: desc.field, value }),
                }
            };
            // CDNA3 uses the bits of `blgp` as signs of doubles, and older targets do not.
            let is_sign = |desc: &OperandDesc| desc.kind == OperandKind::Modifier(ModifierKind::List(ListStyle::Neg));
            if is_sign(desc) != is_sign(other) && modifier(desc, from) != 0 {
                return Err(refused());
            }
            let value = match modifier(desc, from) {
                // Fields of signed numbers differ in width.
                number if number < 0 => negative(other, number).ok_or_else(refused)?,
                _ => modifier_there((descs, desc), (there, other), modifier_bits(desc, from)).ok_or_else(refused)?,
            };
            put_modifier(other, value, words).map_err(|_| refused())?;
        }
        Ok(())
    }

    /// Encodes the operands. `null` is the field whose source, the constant 0, becomes the null register.
    fn operands(&self, null: Option<Field>, words: &mut Words) -> Result<(), RetargetError> {
        let Conversion { from, descs, there, .. } = *self;
        // A scalar address that only the target's form has is encoded as absent.
        for desc in there.all().filter(|i| i.kind.is_scalar_address() && self.is_new(i)) {
            encode(desc, EncodedOperand::Off, words).map_err(|_| lacks(from))?;
        }
        for desc in descs.all().filter(|i| i.access.is_some()) {
            let Some(other) = self.partner(desc) else { continue };
            let coded = access(desc, from).and_then(|_| Some(read(desc, from)?.0));
            // A register number that other bits make meaningless is kept, except in a scalar address, where it has a
            // meaning.
            let is_absent = matches!(coded, None | Some(EncodedOperand::Off | EncodedOperand::Vcc));
            if is_absent && !desc.kind.is_scalar_address() && desc.kind.bare() == other.kind.bare() {
                words.put_value(other, value(desc, from)).map_err(|_| refused(from, desc))?;
            }
            let Some(coded) = coded else { continue };
            let coded = match Special::Null.code(there.target) {
                Some(code) if null == Some(desc.field) && coded == EncodedOperand::Code(INT) => {
                    EncodedOperand::Code(code.into())
                }
                _ => translate((from, desc), (there.target, other), coded)?,
            };
            encode(other, coded, words).map_err(|_| refused(from, desc))?;
        }
        if let Some(address) = image_address_of(from) {
            let refused = RetargetError::Address(address.desc.field);
            let other = self.partner(address.desc).and_then(Address::of).ok_or(refused)?;
            other.encode(address.registers(from), words).map_err(|_| refused)?;
        }
        Ok(())
    }

    /// The error for words that are not an instruction of the target's form, with the field of `from` that causes it.
    fn error(&self, unmade: Unmade) -> RetargetError {
        let Unmade::Decode(
            DecodeError::ReservedValue { field, .. } | DecodeError::ReservedBits { field: Some(field), .. },
        ) = unmade
        else {
            return lacks(self.from);
        };
        let returns = self.there.returns.filter(|&bit| self.there.modifier_at(bit) == Some(field));
        let field = match (returns, self.descs.returns) {
            // The name of the bit that makes the operation return the old value depends on the generation.
            (Some(_), Some(bit)) => self.descs.modifier_at(bit).unwrap_or(field),
            _ => self.names.reversed().of(field),
        };
        match (self.descs.all().find(|desc| desc.field == field), self.from.get(field)) {
            (Some(desc), _) => refused(self.from, desc),
            (None, Some(value)) => RetargetError::Value { field, value: value.into() },
            (None, None) => lacks(self.from),
        }
    }
}

/// Fails if the new instruction breaks a rule that the old one follows.
fn follows(from: &Inst, made: Inst) -> Result<Inst, RetargetError> {
    match made.check() {
        Err(rule) if from.check().is_ok() => Err(RetargetError::Rule(rule)),
        _ => Ok(made),
    }
}

/// The bits of a negative number in a modifier of the target.
fn negative(other: &OperandDesc, number: i64) -> Option<u32> {
    let bits = (number & ((1 << other.width) - 1)) as u32;
    (is_signed(other) && sign_extended(bits, other.width) == number).then_some(bits)
}

/// The value with the same meaning in a modifier of the target.
fn modifier_there(
    (here, desc): (Descs, &OperandDesc),
    (there, other): (Descs, &OperandDesc),
    value: u32,
) -> Option<u32> {
    // The lowest bit of a temporal hint makes an atomic return the old value. Other targets have a field for this bit.
    let returns = here.returns == Some(desc.lsb) && there.returns == Some(other.lsb);
    match desc.kind.bare() == other.kind.bare() {
        false if returns => Some(value),
        false if names::are_named(desc) || names::are_named(other) => None,
        _ => names::value(here.target, there.target, Some(desc), desc.field, value),
    }
}

/// The error for a value that the target lacks.
fn refused(from: &Inst, desc: &OperandDesc) -> RetargetError {
    let register = |field: Field, coded: EncodedOperand| RetargetError::Register {
        field,
        value: coded.value(from.target(), desc.dwords.into()),
    };
    let value = match (desc.kind, read(desc, from)) {
        // Offsets of scalar loads are reported in bytes, for any unit.
        (OperandKind::Offset(_), Some((EncodedOperand::Number(n), _))) => n * unit(desc),
        (OperandKind::Offset(OffsetKind::Dwords { .. }), Some((EncodedOperand::Literal(n), _))) => {
            i64::from(n) * unit(desc)
        }
        (
            OperandKind::Offset(_),
            Some((EncodedOperand::RegisterPlusOffset(code, _) | EncodedOperand::Soffset(code), _)),
        ) => {
            return register(Field::Soffset, EncodedOperand::Code(code));
        }
        (
            _,
            Some((
                coded @ (EncodedOperand::Code(_)
                | EncodedOperand::High(_)
                | EncodedOperand::Vcc
                | EncodedOperand::Off
                | EncodedOperand::Literal(_)
                | EncodedOperand::Literal64(_)),
                _,
            )),
        ) => {
            return register(desc.field, coded);
        }
        _ => modifier(desc, from),
    };
    match u16::try_from(value) {
        Ok(value) if names::is_named(from.target(), desc, value) => {
            RetargetError::Name { target: from.target(), field: desc.field, value }
        }
        _ => RetargetError::Value { field: desc.field, value },
    }
}

/// The operand on another target: registers, constants and numbers of the same name.
fn translate(
    (from, desc): (&Inst, &OperandDesc),
    (target, other): (Target, &OperandDesc),
    coded: EncodedOperand,
) -> Result<EncodedOperand, RetargetError> {
    let (here, refused) = (from.target(), || refused(from, desc));
    // A read of null gives 0.
    let is_null = |code: u16| Special::of(here, code) == Some(Special::Null) && desc.access == Some(Access::Read);
    let zero = |code: u16| is_null(code).then_some(INT).filter(|_| Special::Null.code(target).is_none());
    let code = |code: u16| match code {
        // Accumulation registers have the same codes on every target that has them.
        AGPR.. => Ok(code),
        _ => names::code(here, target, code).or_else(|| zero(code)).ok_or_else(refused),
    };
    let of_bytes = |bytes: i64| match bytes % unit(other) {
        0 => Ok(bytes / unit(other)),
        _ => Err(refused()),
    };
    Ok(match coded {
        EncodedOperand::Number(n) if matches!(desc.kind, OperandKind::Offset(_)) => {
            EncodedOperand::Number(of_bytes(n * unit(desc))?)
        }
        EncodedOperand::Literal(n) if desc.kind.is_in_dwords() => {
            EncodedOperand::Number(of_bytes(i64::from(n) * unit(desc))?)
        }
        EncodedOperand::Number(_) if matches!(desc.kind, OperandKind::Number(kind) if kind.is_signed()) => coded,
        EncodedOperand::Number(n) => {
            let raw = u32::try_from(n).map_err(|_| refused())?;
            if let Some(kind) = desc.kind.parts() {
                let imm = names::imm(here, target, Imm::decode(here, kind, raw as u16))?;
                let encoded =
                    imm.encode(target).map_err(|e| RetargetError::Value { field: e.field, value: e.value })?;
                return Ok(EncodedOperand::Number(encoded.into()));
            }
            EncodedOperand::Number(names::value(here, target, Some(desc), desc.field, raw).ok_or_else(refused)?.into())
        }
        EncodedOperand::Code(n) => EncodedOperand::Code(code(n)?),
        EncodedOperand::High(n) => EncodedOperand::High(code(n)?),
        // On targets where a bit selects the field that names the register, an offset that is only a register is in the
        // field of the constant.
        EncodedOperand::Soffset(n) if desc.kind.is_sum() && !other.kind.is_sum() => EncodedOperand::Code(code(n)?),
        EncodedOperand::Soffset(n) => EncodedOperand::Soffset(code(n)?),
        EncodedOperand::RegisterPlusOffset(n, bytes) => EncodedOperand::RegisterPlusOffset(code(n)?, of_bytes(bytes)?),
        // A target that lacks the operand refuses the result.
        EncodedOperand::Vcc
        | EncodedOperand::Off
        | EncodedOperand::Literal64(_)
        | EncodedOperand::Label(_)
        | EncodedOperand::Literal(_)
        | EncodedOperand::Attr(..) => coded,
    })
}
