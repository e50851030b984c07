//! Parser of single parts of an instruction (a mnemonic, an operand, a modifier), built on the parser of whole
//! instructions.

use core::fmt;

use super::cursor::Cursor;
use super::operation::{self, Operations, Rank};
use super::{Held, Kind, NoSymbols, ParseError, Parser, Reading, misplaced};
use crate::codec::{EncodedOperand, REGISTER, bits_of, put_modifier};
use crate::form::Form;
use crate::inst::Inst;
use crate::kind::{NONE, Signs};
use crate::opcode::Opcode;
use crate::operation::OpcodeEntry;
use crate::signature::{ModifierSignature, OperandSignature, Signature};
use crate::table::OperandDesc;
use crate::target::Target;
use crate::value::{Reg, Value};

/// The reason why a text is not the mnemonic of one operation: see [`Opcode::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MnemonicError {
    /// The target has no operation of this name.
    Unknown,
    /// The target has the operation, but not in the encoding that the suffix names.
    Encoding(Opcode),
    /// Several operations have the name. Their operands determine which one is meant.
    Ambiguous(Opcode, Opcode),
}

impl fmt::Display for MnemonicError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MnemonicError::Unknown => f.write_str("unknown mnemonic"),
            MnemonicError::Encoding(opcode) => write!(f, "{opcode} has no such encoding"),
            MnemonicError::Ambiguous(a, b) => write!(f, "it could be {a} or {b}"),
        }
    }
}

impl core::error::Error for MnemonicError {}

/// The meaning of a text as an operand: see [`OperandSignature::parse`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OperandText {
    /// The register (the first one of several), or the constant. [`OperandText::literal64`] has the value of a literal
    /// of 64 bits.
    pub value: Value,
    /// Width in bits, as in [`Operand::bits`](crate::Operand::bits).
    pub bits: u16,
    /// Whether the text has a `-` or `neg(...)` that is stored in a field. In some operations, the sign makes the
    /// constant negative instead.
    pub neg: bool,
    /// Whether the text has an `|...|` or `abs(...)` that is stored in a field.
    pub abs: bool,
    /// Whether the text has a `sext(...)` that is stored in a field.
    pub sext: bool,
    /// The value of a literal of 64 bits.
    pub literal64: Option<u64>,
}

impl Opcode {
    /// The operation that a mnemonic names in a target's assembler, with or without the suffix of an encoding. Older
    /// names that LLVM's assembler accepts are also found; case is ignored.
    ///
    /// # Errors
    /// The target has no operation of this name, the operation lacks the encoding of the suffix, or several operations
    /// have the name: [`signatures`] yields the forms of all of them.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::text::MnemonicError;
    /// use amdgpu_isa::{Opcode, Target};
    /// assert_eq!(Opcode::parse(Target::Gfx942, "v_add_f32_e64"), Ok(Opcode::VAddF32));
    /// assert_eq!(Opcode::parse(Target::Gfx942, "V_ADD_F32"), Ok(Opcode::VAddF32));
    /// assert_eq!(Opcode::parse(Target::Gfx942, "s_nop_e64"), Err(MnemonicError::Encoding(Opcode::SNop)));
    /// assert_eq!(Opcode::parse(Target::Gfx942, "v_ad_f32"), Err(MnemonicError::Unknown));
    /// # }
    /// ```
    pub fn parse(target: Target, mnemonic: &str) -> Result<Opcode, MnemonicError> {
        let name = mnemonic.trim_ascii().as_bytes();
        let operations = Operations::find(target, name);
        let Some(&(first, _)) = operations.iter().next() else {
            // Some operations exist only as the second one of a dual instruction.
            return operation::all(target, name).next().map(|(opcode, _)| opcode).ok_or(MnemonicError::Unknown);
        };
        match operations.iter().find(|(other, _)| *other != first) {
            Some((other, _)) => Err(MnemonicError::Ambiguous(first, *other)),
            None if all(target, &operations).next().is_none() => Err(MnemonicError::Encoding(first)),
            None => Ok(first),
        }
    }
}

/// The forms that a mnemonic can have on a target, in the order in which [`parse`](crate::parse) tries them: the
/// instruction has the first form that accepts the operands. The iterator is empty if the target lacks the mnemonic.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{Format, Target, Value};
/// use amdgpu_isa::text::signatures;
/// let formats: Vec<Format> = signatures(Target::Gfx942, "v_add_f32").map(|form| form.format()).collect();
/// assert_eq!(formats, [Format::Vop2, Format::Vop3a, Format::Vop2, Format::Vop2]); // the last two: SDWA, DPP
/// let long = signatures(Target::Gfx942, "v_add_f32_e64").next().unwrap();
/// let source = long.operands().nth(1).unwrap().parse("-|v1|").unwrap();
/// assert!(source.neg && source.abs);
/// # }
/// ```
pub fn signatures(target: Target, mnemonic: &str) -> impl Iterator<Item = Signature> + use<> {
    all(target, &Operations::find(target, mnemonic.trim_ascii().as_bytes()))
}

fn all(target: Target, operations: &Operations) -> impl Iterator<Item = Signature> + use<> {
    let found = operations.found();
    let ranks = operations.ranks();
    let of = move |rank: Rank, (opcode, entry): (Opcode, OpcodeEntry)| {
        let forms = opcode.signatures(target).filter(move |form| form.op_index() == entry.op_index);
        forms.filter(move |form| Rank::of(form.form()) == rank)
    };
    ranks.flat_map(move |rank| found.into_iter().flatten().flat_map(move |operation| of(rank, operation)))
}

impl OperandSignature {
    /// Parses the text of this operand alone: `s[2:3]`, `-1.0`, `vcc`, `|v1|`, `lit(1)`, `hwreg(HW_REG_MODE)`, ...
    ///
    /// Rules that concern several operands are not checked, such as how many different constants an instruction has.
    ///
    /// # Errors
    /// The operand does not accept the value; the error has the position in the text. Properties that other fields
    /// determine, such as the number of registers of an image address, are not known here, so any number is accepted.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::operands::InlineFloat;
    /// use amdgpu_isa::{Opcode, Reg, Target, Value};
    /// let add = Opcode::VAddF64.signatures(Target::Gfx942).next().unwrap();
    /// let source = add.operands().nth(1).unwrap();
    /// let vector = source.parse("|v[2:3]|").unwrap();
    /// assert_eq!((vector.value, vector.bits, vector.abs), (Value::Reg(Reg::Vgpr(2)), 64, true));
    /// assert_eq!(source.parse("-1.0").unwrap().value, Value::Float(InlineFloat::NegOne));
    /// assert_eq!(source.parse("vcc").unwrap().value, Value::Reg(Reg::VCC_LO));
    /// assert_eq!(source.parse("s2").unwrap_err().to_string(), "src0: 2 registers expected, not 1");
    /// # }
    /// ```
    pub fn parse(&self, text: &str) -> Result<OperandText, ParseError> {
        let usual = self.parse_as(text, Reading::Usual);
        let parsed = usual.or_else(|error| self.parse_as(text, Reading::Halves).map_err(|_| error));
        parsed.map_err(|error| misplaced(self.signature().target(), 0, Cursor::new(text), &NoSymbols, error))
    }

    fn parse_as(&self, text: &str, reading: Reading) -> Result<OperandText, ParseError> {
        let desc = self.desc();
        let mut parser = parser(self.signature(), text, reading)?;
        parser.present(desc)?;
        parser.end()?;
        let found = parser.found(desc)?;
        let is_vector = |value| matches!(value, Value::Reg(Reg::Vgpr(_) | Reg::VgprHigh(_) | Reg::Agpr(_)));
        // `takes` knows only the shortest run of registers.
        let is_longer = found.bits > self.bits && is_vector(found.value);
        match self.takes.value(found.value) || is_longer {
            true => Ok(found),
            false => Err(parser.cursor.error_since(0, Kind::Operand(self.field))),
        }
    }
}

impl ModifierSignature {
    /// Parses the text of this modifier alone, and returns the value of its field: `clamp`, `offset:16`,
    /// `quad_perm:[0,1,2,3]`.
    ///
    /// # Errors
    /// The text is another modifier, or the modifier has no such value; the error has the position in the text.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Field, Opcode, Target};
    /// let load = Opcode::GlobalLoadDword.signatures(Target::Gfx942).next().unwrap();
    /// let offset = load.modifiers().find(|modifier| modifier.field == Field::Offset).unwrap();
    /// assert_eq!(offset.parse("offset:-8"), Ok(0x1ff8));
    /// assert_eq!(offset.parse("offset:9999").unwrap_err().span.start, 7);
    /// # }
    /// ```
    pub fn parse(&self, text: &str) -> Result<u32, ParseError> {
        let desc = self.desc();
        let mut parser = parser(self.signature(), text, Reading::Usual)?;
        let parsed = parser.one_modifier(desc).and_then(|()| parser.end());
        parsed.map_err(|error| misplaced(self.signature().target(), 0, Cursor::new(text), &NoSymbols, error))?;
        Ok(match self.other_lsb() {
            Some(lsb) => parser.words.get(lsb, self.bits),
            None => parser.words.value(desc),
        })
    }
}

impl ModifierSignature {
    /// An instruction of this form in which the modifier has this value, and other fields are 0 where possible. `None`
    /// if the form cannot hold the value. [`Inst::field_text`] gives the text of the modifier.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// # extern crate std; use std::string::ToString;
    /// use amdgpu_isa::{Field, Opcode, Target};
    /// let load = Opcode::GlobalLoadDword.signatures(Target::Gfx942).next().unwrap();
    /// let offset = load.modifiers().find(|modifier| modifier.field == Field::Offset).unwrap();
    /// let text = |value| offset.example(value).unwrap().field_text(Field::Offset).to_string();
    /// assert_eq!([text(0x1ff8), text(0)], ["offset:-8", ""]); // instructions do not show 0
    /// # }
    /// ```
    pub fn example(&self, value: u32) -> Option<Inst> {
        let mut parser = parser(self.signature(), "", Reading::Usual).ok()?;
        match self.other_lsb() {
            Some(lsb) => parser.words.put(lsb, self.bits, value),
            None => put_modifier(self.desc(), value, &mut parser.words).ok()?,
        }
        let inst = parser.form.finish(&mut parser.words).ok()?;
        (inst.get(self.field) == Some(value)).then_some(inst)
    }
}

/// A parser for a part of an instruction of this form.
fn parser<'t>(signature: &Signature, text: &'t str, reading: Reading) -> Result<Parser<'t, 'static>, ParseError> {
    let (target, mut cursor) = (signature.target(), Cursor::new(text));
    cursor.lines();
    let lacks = || cursor.error_since(0, Kind::Encoding);
    let entry = OpcodeEntry::new(target, signature.op_index());
    let (opcode, form) = (signature.opcode(), signature.form());
    let form = Form::new(target, opcode, &entry, form).ok_or_else(lacks)?;
    Ok(Parser::new(cursor, &NoSymbols, form, entry.op_index, reading))
}

impl Parser<'_, '_> {
    /// Fails unless the end of the text has been reached.
    fn end(&mut self) -> Result<(), ParseError> {
        if self.cursor.is_done() { Ok(()) } else { Err(self.cursor.error(Kind::Unexpected)) }
    }

    /// The operand that has been parsed; an error for a list of registers.
    fn found(&self, desc: &OperandDesc) -> Result<OperandText, ParseError> {
        let target = self.words.target;
        let flag = |bit: u8| bit != NONE && self.words.is_set(bit);
        let [neg, abs, sext] = desc.kind.signs().unwrap_or(Signs::ABSENT).positions().map(flag);
        let plain = OperandText { value: Value::Off, bits: 0, neg, abs, sext, literal64: self.words.literal64() };
        if let Some(address) = &self.address {
            // A list of registers has no value as an operand.
            let held = self.words.get(desc.lsb, REGISTER) as u16;
            return match address.parts {
                1 => Ok(OperandText { value: Value::Reg(Reg::Vgpr(held)), bits: address.dwords * 32, ..plain }),
                _ => Err(ParseError::new(address.span, Kind::Operand(desc.field))),
            };
        }
        let dwords = |given: u16| if given == 0 { u16::from(desc.dwords) } else { given };
        match self.held.iter().flatten().next() {
            Some(Held { coded, dwords: given, .. }) => {
                // A scalar offset that is too great for its field is a literal.
                let coded = match (coded, self.words.literal) {
                    (EncodedOperand::Number(_), Some(literal)) => &EncodedOperand::Literal(literal),
                    (coded, _) => coded,
                };
                let bits = bits_of(desc, *coded, dwords(*given));
                Ok(OperandText { value: coded.value(target, dwords(*given)), bits, ..plain })
            }
            // The implicit vcc, which no field names.
            None => Ok(OperandText { value: Value::Reg(Reg::Vcc), bits: dwords(0) * 32, ..plain }),
        }
    }
}
