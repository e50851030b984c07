//! Parser of the text that [`Display`](core::fmt::Display) prints, and of the text that LLVM's assembler accepts as one
//! instruction.
//!
//! The mnemonic selects the forms of an operation: its encodings, with each trailing dword. The forms are tried in
//! LLVM's order, the shortest first. A form's descriptors determine the operands and modifiers that must follow, in the
//! order in which the printer writes them. The text of a descriptor becomes an [`EncodedOperand`], which `src/codec/`
//! encodes. Finally the words are decoded, and the result must match the text.

mod constant;
mod cursor;
mod decimal;
mod error;
mod explain;
pub mod expression;
#[cfg(feature = "fast")]
mod fast;
mod format;
mod fragments;
mod imm;
mod literal64;
mod modifier;
mod operand;
mod operation;
mod register;
mod suggest;
mod symbols;

use crate::check::{RuleError, bus_limit, excluded, is_packed};
use crate::code::{FLOAT, FLOAT_LAST, VGPR, int_of};
use crate::codec::{Address, EncodedOperand, Words, descs, read, value};
use crate::constraint::second_index;
use crate::form::Form;
use crate::inst::Inst;
use crate::kind::{ModifierKind, NONE, OperandKind, RegisterKind};
use crate::opcode::{BUS, Field, Format, Opcode};
use crate::operation::OpcodeEntry;
use crate::table::{DataType, DescTables, FormSignature, Implied, OperandDesc, OperandTables, TextTables};
use crate::target::{DECODE, DESCS, OPERANDS, TEXT, Target};

use cursor::Cursor;
use error::Kind;
pub use error::{ParseError, ParseErrorKind, Span, Suffixes};
use explain::{mismatch, misplaced};
use format::DEFAULT_FORMAT;
pub use fragments::{MnemonicError, OperandText, signatures};
use operation::{Operations, Rank, is_second};
pub use suggest::Suggestion;
use symbols::NoSymbols;
pub use symbols::{Integer, Symbols};

/// Parses one instruction in the syntax of LLVM 22's assembler for the target.
///
/// Every text that [`Inst`] prints is parsed to the words that it was printed from, without the bits that the hardware
/// ignores. A mnemonic without the suffix of an encoding gets the first of these encodings that accepts its operands:
/// 32 bits, 64 bits, SDWA, DPP. Comments are ignored.
///
/// # Errors
/// The text is not an instruction of the target, or the instruction breaks a rule of [`Inst::check`]. The error has the
/// position in the text.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{Target, parse};
/// let add = parse(Target::Gfx942, "s_add_u32 s4, s1, 4*(8+2) // comment").unwrap();
/// assert_eq!(add.words(), [0x8004_a801]);
/// assert_eq!(add.to_string(), "s_add_u32 s4, s1, 40");
///
/// let error = parse(Target::Gfx942, "v_add_f32 v0, v1, s[2:3]").unwrap_err();
/// assert_eq!((error.span.start, error.span.end), (18, 24));
/// assert_eq!(error.to_string(), "vsrc1: 1 register expected, not 2");
/// # }
/// ```
#[doc(alias = "assemble")]
#[doc(alias = "MCAsmParser")]
pub fn parse(target: Target, text: &str) -> Result<Inst, ParseError> {
    instruction(target, text, &NoSymbols)
}

/// Parses one instruction as [`parse`] does, and looks up names in expressions in `symbols`.
///
/// # Errors
/// The errors of [`parse`]. A symbol whose value is not fixed is also an error outside of a literal.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// use amdgpu_isa::text::{Integer, Symbols, parse_with};
/// struct Size;
/// impl Symbols for Size {
///     fn value(&self, name: &str) -> Option<Integer> {
///         (name == "size").then_some(Integer { value: 12, open: false })
///     }
/// }
/// let add = parse_with(Target::Gfx942, "s_add_u32 s4, s1, 2*size", &Size).unwrap();
/// assert_eq!(add.to_string(), "s_add_u32 s4, s1, 24");
/// # }
/// ```
pub fn parse_with(target: Target, text: &str, symbols: &dyn Symbols) -> Result<Inst, ParseError> {
    instruction(target, text, symbols)
}

fn instruction(target: Target, text: &str, symbols: &dyn Symbols) -> Result<Inst, ParseError> {
    let mut cursor = Cursor::new(text);
    cursor.lines();
    let start = cursor.at;
    let name = cursor.name();
    cursor.at += name.len();
    #[cfg(feature = "fast")]
    if let Some(inst) = fast::parse(target, cursor, name) {
        return Ok(inst);
    }
    described(target, cursor, start, name, symbols)
}

/// Parses the operands after a mnemonic by their descriptors.
fn described(
    target: Target,
    cursor: Cursor,
    start: usize,
    name: &[u8],
    symbols: &dyn Symbols,
) -> Result<Inst, ParseError> {
    let operations = Operations::find(target, name);
    if operations.is_empty() {
        let is_known = operation::all(target, operation::stem(name).0).next().is_some();
        return Err(cursor.error_since(start, if is_known { Kind::NotFirst } else { Kind::Mnemonic }));
    }
    let parsed = operands(target, cursor, symbols, &operations);
    let parsed = match parsed {
        Err(None) => {
            Operations::synonym(target, name).map_or(parsed, |others| operands(target, cursor, symbols, &others))
        }
        _ => parsed,
    };
    parsed.map_err(|error| {
        let variant = || cursor.error_since(start, Kind::Variant(suffixes(target, &operations)));
        error.map_or_else(variant, |error| misplaced(target, start, cursor, symbols, error))
    })
}

/// Parses the operands of the first form that accepts them. The error is `None` if the suffix of the mnemonic allows no
/// form.
fn operands(
    target: Target,
    cursor: Cursor,
    symbols: &dyn Symbols,
    operations: &Operations,
) -> Result<Inst, Option<ParseError>> {
    first_of(target, cursor, symbols, operations, |candidate| candidate.parse())
        .ok_or_else(|| explain::best(target, cursor, symbols, operations))
}

/// The first result of `f` for the forms of operations, in the order in which they are tried.
#[inline(always)]
fn first_of<T>(
    target: Target,
    cursor: Cursor,
    symbols: &dyn Symbols,
    operations: &Operations,
    mut f: impl FnMut(&Candidate) -> Option<T>,
) -> Option<T> {
    let (implied, is_named) = (operations.implied, operations.has_suffix());
    for rank in operations.ranks() {
        for &(opcode, ref entry) in operations.iter() {
            for signature in rank.forms(target, entry) {
                let candidate = Candidate { target, cursor, symbols, opcode, entry, signature, implied, is_named };
                if let Some(result) = f(&candidate) {
                    return Some(result);
                }
            }
        }
    }
    None
}

/// The suffixes of the encodings that operations have.
fn suffixes(target: Target, operations: &Operations) -> Suffixes {
    let has = |rank: &Rank| operations.iter().any(|(_, entry)| rank.forms(target, entry).next().is_some());
    let ranks = Rank::ALL.into_iter().enumerate().filter(|(_, rank)| has(rank));
    ranks.fold(Suffixes::default(), |suffixes, (number, _)| suffixes.with(number))
}

/// The reading of a text that can have two meanings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// The reading of LLVM's assembler.
    Usual,
    /// A 16-bit integer with the bits of an inline float becomes that inline float, because there is no room for a
    /// literal. The printer writes such inline floats as their bits.
    Halves,
    /// A vcc in the text is a source; the text omits the implicit vcc.
    OmittedVcc,
    /// The text shows the implicit vcc. This reading finds the place where the text lacks vcc.
    ShownVcc,
    /// The operation returns a value, although its temporal hint does not say so.
    Returns,
    /// The text has a destination although its modifiers say that the operation returns nothing, or the reverse. Such a
    /// text has an error, which this reading identifies.
    OtherReturn,
}

/// A form that the text may have.
struct Candidate<'t, 's> {
    target: Target,
    /// The position after the mnemonic.
    cursor: Cursor<'t>,
    symbols: &'s dyn Symbols,
    opcode: Opcode,
    entry: &'s OpcodeEntry,
    signature: &'static FormSignature,
    implied: Implied,
    /// Whether the suffix of the mnemonic names the encoding.
    is_named: bool,
}

impl Candidate<'_, '_> {
    /// Parses the text as this form.
    fn parse(&self) -> Option<Inst> {
        self.read(Reading::Usual).or_else(|error| self.read(self.other_reading(&error).ok_or(error)?)).ok()
    }

    /// The other reading that the text can have. `error`: the error of the usual reading.
    fn other_reading(&self, error: &ParseError) -> Option<Reading> {
        match error.kind {
            Kind::NoLiteral | Kind::TwoLiterals | Kind::Rule(RuleError::ConstantBus { .. }) => Some(Reading::Halves),
            _ if self.has_vcc() => Some(Reading::OmittedVcc),
            _ => {
                let is_hint = |word: &[u8]| word.windows(7).any(|part| part == b"CASCADE");
                self.cursor.words().any(|(_, word)| is_hint(word)).then_some(Reading::Returns)
            }
        }
    }

    /// Whether the form has an implicit vcc.
    fn has_vcc(&self) -> bool {
        descs(self.target, self.signature).any(|desc| desc.kind == OperandKind::Register(RegisterKind::Vcc))
    }

    /// Parses the operands and modifiers.
    fn read(&self, reading: Reading) -> Result<Inst, ParseError> {
        let (mut parser, mut descs) = self.parser(reading)?;
        let second = if parser.is_dual() { Some(parser.second()?) } else { None };
        if let Some(entry) = &second {
            descs.lists[1] = descs.all.list_of(entry.signature);
        }
        fill_unused(&parser.form, descs.iter(), &mut parser.words);
        parser.all(descs)?;
        parser.finish(descs, second.as_ref())
    }

    /// The parser at the first operand, and the descriptors of the form.
    #[inline(always)]
    fn parser(&self, reading: Reading) -> Result<(Parser<'_, '_>, Descs), ParseError> {
        let &Candidate { target, cursor, symbols, opcode, entry, signature, implied, .. } = self;
        let lacks = || cursor.error_since(0, Kind::Encoding);
        let form = Form::new(target, opcode, entry, signature).ok_or_else(lacks)?;
        let mut parser = Parser::new(cursor, symbols, form, entry.op_index, reading);
        parser.implied = implied;
        let all = DESCS[target as usize];
        Ok((parser, Descs { all, lists: [all.list_of(signature), &[]] }))
    }
}

/// Sets fields that LLVM's assembler sets even in operations that do not use them: all bits of op_sel_hi, and the
/// default format of a buffer. Moves from and to accumulation registers have the format of matrix operations, with abid
/// and acc in the bits of op_sel_hi. A field is not set if a modifier, such as one of CDNA5's matrices, uses its bits.
fn fill_unused(form: &Form, descs: impl Iterator<Item = &'static OperandDesc> + Clone, words: &mut Words) {
    let is_move = || !descs.clone().any(|desc| desc.field == Field::Src1);
    let fields: &[(Field, u32)] = match form.signature.format {
        Format::Vop3p | Format::Vbuffer => &[(Field::OpSelHi, u32::MAX), (Field::Format, DEFAULT_FORMAT)],
        Format::Vop3pMai if is_move() => &[(Field::Abid, 8), (Field::Acc, 3)],
        _ => return,
    };
    for &(field, value) in fields {
        let Some(info) = form.layout.fields.iter().find(|info| info.field == field) else { continue };
        let is_part = |bit: u8| bit.wrapping_sub(info.lsb) < info.width || bit.wrapping_sub(info.hi) < info.hi_width;
        let is_used = |desc: &OperandDesc| desc.field == field || is_part(desc.lsb) || is_part(desc.hi);
        if !descs.clone().any(is_used) {
            words.put_field(0, info, value);
        }
    }
}

/// The descriptors of an instruction in the order of the text: first those of its operation, then those of the second
/// one.
#[derive(Clone, Copy)]
struct Descs {
    all: &'static DescTables,
    lists: [&'static [u16]; 2],
}

impl Descs {
    fn iter(self) -> impl Iterator<Item = &'static OperandDesc> + Clone {
        self.lists.into_iter().flatten().filter_map(move |&n| self.all.descs.get(usize::from(n)))
    }

    fn operands(self) -> impl Iterator<Item = &'static OperandDesc> {
        self.iter().filter(|desc| desc.access.is_some())
    }

    /// The modifiers that the text can show.
    fn modifiers(self) -> impl Iterator<Item = &'static OperandDesc> {
        self.iter().filter(|desc| desc.access.is_none() && desc.kind != OperandKind::Modifier(ModifierKind::Hidden))
    }
}

/// An upper bound of the number of operands of an instruction.
const MAX_HELD: usize = 16;

/// An operand that has been parsed.
#[derive(Clone, Copy)]
struct Held {
    desc: &'static OperandDesc,
    coded: EncodedOperand,
    /// The number of registers in the text; 0 if the text leaves the number to the operand.
    dwords: u16,
    span: Span,
}

impl Held {
    /// Whether the text has another number of registers than the words.
    fn differs(&self, dwords: u16) -> bool {
        self.dwords != 0 && self.coded != EncodedOperand::Off && self.dwords != dwords
    }
}

/// The parser of a form.
struct Parser<'t, 's> {
    cursor: Cursor<'t>,
    symbols: &'s dyn Symbols,
    form: Form,
    words: Words,
    operands: &'static OperandTables,
    text: &'static TextTables,
    held: [Option<Held>; MAX_HELD],
    len: usize,
    /// The position of the literal in the text.
    literal: Option<Span>,
    /// The image address, which is compared with the words at the end.
    address: Option<ParsedAddress>,
    op_index: usize,
    reading: Reading,
    /// The modifier that was found among the operands.
    early: Option<&'static OperandDesc>,
    /// Whether the text shows the implicit vcc, which no field names; `None` until the first place of vcc. A text shows
    /// vcc at each of these places or at none.
    vcc: Option<bool>,
    /// Whether halves of registers have suffixes in the text; `None` until the first one. Either all have a suffix, or
    /// none has.
    suffixes: Option<bool>,
    /// The modifier that the name of the operation implies.
    implied: Implied,
    /// The position of a temporal hint that has another name in the system scope, and whether the text uses that name.
    hint: Option<(usize, bool)>,
}

/// An image address that has been parsed.
struct ParsedAddress {
    address: Address<'static>,
    parts: u8,
    /// The number of registers of the address.
    dwords: u16,
    span: Span,
}

impl<'t, 's> Parser<'t, 's> {
    /// A parser at the first operand of a form.
    #[inline]
    fn new(cursor: Cursor<'t>, symbols: &'s dyn Symbols, form: Form, op_index: u16, reading: Reading) -> Self {
        let words = form.start();
        let target = words.target as usize;
        Parser {
            cursor,
            symbols,
            form,
            words,
            operands: OPERANDS[target],
            text: TEXT[target],
            held: [None; MAX_HELD],
            len: 0,
            literal: None,
            address: None,
            op_index: op_index.into(),
            reading,
            early: None,
            vcc: None,
            suffixes: None,
            implied: None,
            hint: None,
        }
    }
}

impl Parser<'_, '_> {
    /// Whether the form is that of a dual instruction.
    fn is_dual(&self) -> bool {
        second_index(DECODE[self.words.target as usize], self.words.get(0, 32)).is_some()
    }

    /// Finds the second operation of a dual instruction, whose mnemonic is after `::`.
    fn second(&mut self) -> Result<OpcodeEntry, ParseError> {
        let place = self.cursor.find_dual().ok_or_else(|| self.cursor.error(Kind::SecondOperation))?;
        let mut after = Cursor { at: place + 2, ..self.cursor };
        after.blank();
        let name = after.name();
        let target = self.words.target;
        let format = self.form.signature.format;
        let found = || operation::all(target, name).map(|(_, op_index)| OpcodeEntry::new(target, op_index));
        let mut partners = found().filter(|entry| is_second(target, entry));
        // A target can have several formats of dual instructions. If another format has the operation, that format was
        // meant.
        let wrong = || match found().any(|entry| is_second(target, &entry)) {
            true => self.cursor.error_since(0, Kind::Encoding),
            false => after.error(Kind::NotSecond),
        };
        let entry = partners.find(|entry| entry.signature.format == format).ok_or_else(wrong)?;
        self.words = self.form.start_dual(entry.number(target));
        Ok(entry)
    }

    #[inline]
    fn all(&mut self, descs: Descs) -> Result<(), ParseError> {
        for desc in descs.operands() {
            self.operand(desc)?;
        }
        self.modifiers(descs)?;
        match self.cursor.is_done() {
            true => Ok(()),
            false => Err(self.rest()),
        }
    }

    /// Stores an operand for the comparison at the end, and encodes it.
    fn hold(
        &mut self,
        desc: &'static OperandDesc,
        coded: EncodedOperand,
        dwords: u16,
        start: usize,
    ) -> Result<(), ParseError> {
        let since = |cursor: &Cursor, kind| cursor.error_since(start, kind);
        let coded = self.merged(desc, coded);
        crate::codec::encode(desc, coded, &mut self.words)
            .map_err(|refused| since(&self.cursor, Kind::of(desc.field, refused)))?;
        let span = since(&self.cursor, Kind::Unexpected).span;
        if let EncodedOperand::Literal(_) | EncodedOperand::Literal64(_) = coded {
            self.literal = Some(span);
        }
        if let Some(place) = self.held.get_mut(self.len) {
            *place = Some(Held { desc, coded, dwords, span });
            self.len += 1;
        }
        Ok(())
    }

    /// Makes an operand and earlier operands share one literal where possible, and returns the operand. The text of a
    /// 16-bit operand shows only the lower half of a literal that a wider operand also has.
    fn merged(&mut self, desc: &OperandDesc, coded: EncodedOperand) -> EncodedOperand {
        let is_half = |desc: &OperandDesc| matches!(desc.ty, DataType::F16 | DataType::I16);
        let (EncodedOperand::Literal(new), Some(old)) = (coded, self.words.literal) else { return coded };
        if new as u16 != old as u16 || new == old {
            return coded;
        }
        let others = self.held.iter_mut().flatten().filter(|held| matches!(held.coded, EncodedOperand::Literal(_)));
        if is_half(desc) && !literal64::is_literal(desc) && new >> 16 == 0 {
            return EncodedOperand::Literal(old);
        }
        if old >> 16 == 0 {
            let mut narrow = true;
            for held in others {
                narrow &= is_half(held.desc);
                held.coded = coded;
            }
            self.words.literal = if narrow { None } else { Some(old) };
        }
        coded
    }

    /// Decodes the words, and compares the instruction with the text.
    fn finish(mut self, descs: Descs, second: Option<&OpcodeEntry>) -> Result<Inst, ParseError> {
        let all = self.cursor.error_since(0, Kind::Unexpected).span;
        let before = self.words.clone();
        let inst = match self.form.finish(&mut self.words) {
            Ok(inst) => inst,
            Err(unmade) => return Err(self.unmade(unmade, all)),
        };
        if second.is_some_and(|entry| inst.second_index() != Some(entry.op_index.into())) {
            return Err(ParseError::new(all, Kind::Encoding));
        }
        for held in self.held.iter().flatten() {
            let Held { desc, coded, dwords, span } = *held;
            let Some((there, there_dwords)) = read(desc, &inst) else { continue };
            if held.differs(there_dwords) && !self.is_longer_address(desc, dwords) {
                return Err(self.wrong_width(&inst, held, there_dwords));
            }
            if there != coded && !self.is_same(there, coded) {
                let kind = mismatch(desc, coded == EncodedOperand::Off || there == EncodedOperand::Off);
                return Err(ParseError::new(span, kind));
            }
        }
        if let Some(address) = &self.address {
            self.compare_address(address, &inst)?;
        }
        // The operation demands a bit that the text must show, but does not show.
        let base = usize::from(self.form.layout.bits / 32);
        if before.dwords.iter().zip(inst.words()).take(base).any(|(before, now)| before != now) {
            if let Some(desc) = descs.modifiers().find(|desc| value(desc, &inst) != before.value(desc)) {
                return Err(ParseError::new(all, Kind::Missing(desc.field)));
            }
        }
        let broken = match self.can_break_rules(&inst) {
            true => inst.check().err(),
            false => excluded(&inst).map(|(field, value, allowed)| RuleError::Value { field, value, allowed }),
        };
        match broken {
            None => Ok(inst),
            Some(rule) => Err(self.broken(rule, &inst, all)),
        }
    }

    /// Whether the instruction could break a rule that `excluded` does not check. Most instructions cannot, and the
    /// complete check costs as much as all other work.
    fn can_break_rules(&self, inst: &Inst) -> bool {
        let held = || self.held.iter().map_while(|held| held.as_ref());
        // Misaligned runs of scalar registers have been refused already.
        let is_vector = |held: &Held| matches!(held.coded, EncodedOperand::Code(VGPR..)) || held.desc.dwords > 1;
        if inst.target().aligned_vgprs() && held().any(is_vector) || inst.second_index().is_some() {
            return true;
        }
        let is_scalar = |held: &&Held| match held.coded {
            EncodedOperand::Code(code) => {
                code < VGPR && int_of(code).is_none() && !(FLOAT..=FLOAT_LAST).contains(&code)
            }
            EncodedOperand::Literal(_)
            | EncodedOperand::Literal64(_)
            | EncodedOperand::Vcc
            | EncodedOperand::Soffset(_)
            | EncodedOperand::RegisterPlusOffset(..) => true,
            _ => false,
        };
        // A vcc that the text does not show also counts.
        let reads = held().filter(is_scalar).count() + 1;
        let uses_bus = BUS.get(inst.format() as usize).is_some_and(|bus| *bus);
        uses_bus && reads > bus_limit(inst).into() || inst.flags().is_mfma() || is_packed(inst)
    }

    /// Compares the registers of an image address with the registers of the words. If no `dim` determines their number,
    /// a run in the text can be longer.
    fn compare_address(&self, parsed: &ParsedAddress, inst: &Inst) -> Result<(), ParseError> {
        let ParsedAddress { address, parts, dwords, span } = *parsed;
        let all = address.dwords(inst);
        // LLVM accepts eight registers where five to seven are needed, because early versions had no runs of these
        // lengths.
        let is_longer = address.dim == NONE && dwords > all;
        let fits = dwords == all || is_longer || parts == 1 && dwords == 8 && (5..8).contains(&all);
        let has_parts = address.part(inst, parts).is_none()
            && parts.checked_sub(1).is_some_and(|last| address.part(inst, last).is_some());
        if fits && has_parts {
            return Ok(());
        }
        let kind = match dwords == all {
            true => Kind::Pieces(address.desc.field),
            false => Kind::Width { field: address.desc.field, dwords: all as u8, given: dwords },
        };
        Err(ParseError::new(span, kind))
    }

    /// Whether two values have the same bits.
    fn is_same(&self, a: EncodedOperand, b: EncodedOperand) -> bool {
        match (a, b) {
            (
                EncodedOperand::Soffset(a) | EncodedOperand::Code(a),
                EncodedOperand::Soffset(b) | EncodedOperand::Code(b),
            ) => a == b,
            // Without suffixes, op_sel selects the half.
            (EncodedOperand::High(a), EncodedOperand::Code(b)) => a == b && self.suffixes == Some(false),
            // A scalar offset that is too great for its field is a literal.
            (EncodedOperand::Literal(literal), EncodedOperand::Number(n)) => n == i64::from(literal),
            _ => false,
        }
    }
}
