//! Parser of operands: registers and constants, with their signs.

use super::constant::is_float;
use super::register::{Half, Run};
use super::{Cursor, Kind, ParseError, Parser, Reading, literal64, operation};
use crate::check::RuleError;
use crate::code::*;
use crate::codec::code::*;
use crate::codec::inline_constant::Number;
use crate::codec::{ADDRESS_PARTS, Address, EncodedOperand, REGISTER, descs, is_conditional, is_second_export};
use crate::kind::{
    AddressKind, ImageKind, ModifierKind, NONE, Notation, NumberKind, OffsetKind, OperandKind, RegisterKind, Signs,
};
use crate::opcode::{ADDRESSES, Field, Format};
use crate::operation::OpcodeEntry;
use crate::signature::Signature;
use crate::table::{DataType, OperandDesc};
use crate::value::{Access, Reg};

/// A register or a number.
#[derive(Clone, Copy)]
enum Primary {
    Run(Run),
    Number(Number),
    /// A number that must be a literal.
    Literal(Number),
    /// A number that must be a literal of 64 bits if the operand can be one.
    Long(Number),
}

/// The signs of an operand, and their spelling.
#[derive(Clone, Copy, Default)]
struct WrittenSigns {
    neg: bool,
    abs: bool,
    sext: bool,
    /// Whether the negation is `neg(...)`, not `-`.
    call: bool,
    /// Whether the absolute value is `|...|`, not `abs(...)`.
    bar: bool,
}

/// The number of bits of a float of this type. An integer in the place of a float gives these bits.
fn width(ty: DataType) -> u32 {
    match ty {
        DataType::F64 => 64,
        DataType::F32 => 32,
        _ => 16,
    }
}

/// Whether the number is an integer with more bits than a float of this type.
fn is_too_wide(ty: DataType, number: Number) -> bool {
    let width = width(ty);
    matches!(number, Number::Int(n) if width < 64 && !(-(1i64 << (width - 1))..1i64 << width).contains(&n))
}

/// The number with the signs applied, for an operand of this type.
fn signed(ty: DataType, number: Number, WrittenSigns { neg, abs, .. }: WrittenSigns) -> Number {
    let apply = |bits: u64, sign: u64| (if abs { bits & !sign } else { bits }) ^ if neg { sign } else { 0 };
    let width = width(ty);
    match number {
        Number::Int(n) => Number::Int((apply(n as u64, 1 << (width - 1)) & (u64::MAX >> (64 - width))) as i64),
        Number::Float(bits) => Number::Float(apply(bits, 1 << 63)),
    }
}

impl Parser<'_, '_> {
    /// Parses the text of an operand, if this instruction has the operand.
    pub(super) fn operand(&mut self, desc: &'static OperandDesc) -> Result<(), ParseError> {
        let absent = match desc.kind {
            OperandKind::Second => {
                let skipped = self.cursor.eat_all(b"::");
                self.cursor.blank();
                self.cursor.at += if skipped { self.cursor.name().len() } else { 0 };
                return if skipped { Ok(()) } else { Err(self.cursor.error(Kind::SecondOperation)) };
            }
            OperandKind::Register(_) if self.goes_to_lds(desc) => self.reading != Reading::OtherReturn,
            OperandKind::Number(NumberKind::Plain(Notation::Endpgm)) => self.cursor.is_done(),
            _ => {
                let is_result = is_conditional(desc) && desc.access == Some(Access::Write);
                is_result && self.returns(desc) == (self.reading == Reading::OtherReturn)
            }
        };
        if absent { Ok(()) } else { self.present(desc) }
    }

    /// Whether an operand is data that goes to LDS, so that it has no register.
    pub(super) fn goes_to_lds(&self, desc: &OperandDesc) -> bool {
        let can_go = matches!(desc.kind, OperandKind::Register(RegisterKind::Data { lds, .. }) if lds != NONE);
        let is_flag = |other: &OperandDesc| matches!(other.kind, OperandKind::Modifier(ModifierKind::Flag { .. }));
        can_go
            && self.cursor.has_name(b"lds")
            && self.form.descs().any(|other| other.field == Field::Lds && is_flag(other))
    }

    /// Parses the text of an operand that the instruction has.
    pub(super) fn present(&mut self, desc: &'static OperandDesc) -> Result<(), ParseError> {
        self.cursor.blank();
        if desc.field == Field::Soffset {
            self.early_format()?;
        }
        let start = self.cursor.at;
        match desc.kind {
            OperandKind::Register(RegisterKind::Vcc) => {
                if !self.implied_vcc(desc)? {
                    return Ok(());
                }
            }
            OperandKind::Register(RegisterKind::NamedOrVcc { .. }) => {
                let run = self.run(desc)?;
                let is_vcc = run.code == vcc(self.words.target);
                let coded = if is_vcc { EncodedOperand::Vcc } else { EncodedOperand::Code(run.code) };
                self.hold(desc, coded, run.dwords, start)?;
            }
            OperandKind::Register(_) => {
                let (coded, dwords) = self.source(desc)?;
                self.hold(desc, coded, dwords, start)?;
            }
            OperandKind::Address(kind) => {
                // The text of FLAT and tensor operations does not show that the address is absent.
                let is_silent = matches!(kind, AddressKind::Scalar { is_silent: true, .. });
                let is_absent = if is_silent { !self.is_register_ahead() } else { self.cursor.eat_name(b"off") };
                if is_absent || self.eat_null(kind) {
                    self.hold(desc, EncodedOperand::Off, 0, start)?;
                } else {
                    if let AddressKind::ExportSource { compr, .. } = kind {
                        self.words.set(compr, self.cursor.has_name(b"compr"));
                    }
                    let run = self.run(desc)?;
                    let is_vector = run.code.wrapping_sub(VGPR) <= VECTOR_LAST;
                    let first = self.first_of_two(kind, desc).filter(|_| is_vector);
                    self.hold(desc, first.unwrap_or(EncodedOperand::Code(run.code)), run.dwords, start)?;
                }
            }
            OperandKind::Image(ImageKind::Data { .. }) => {
                let run = self.run(desc)?;
                self.hold(desc, EncodedOperand::Code(run.code), run.dwords, start)?;
            }
            OperandKind::Image(ImageKind::Address { .. }) => self.image_address(desc)?,
            OperandKind::Offset(kind) => self.scalar_offset(kind, desc)?,
            OperandKind::Number(NumberKind::Literal { .. }) => {
                let coded = self.mandatory_literal(desc)?;
                self.hold(desc, coded, 0, start)?;
            }
            OperandKind::Number(_) | OperandKind::Modifier(_) | OperandKind::Second => {
                let coded = self.immediate(desc)?;
                self.hold(desc, coded, 0, start)?;
            }
        }
        self.cursor.eat(b',');
        Ok(())
    }

    /// The first of two export sources that share a register, if this operand is the second one: LLVM's assembler uses
    /// the first one for both. `None` for other operands, and if the first source is `off`.
    fn first_of_two(&mut self, kind: AddressKind, desc: &OperandDesc) -> Option<EncodedOperand> {
        let AddressKind::ExportSource { compr, .. } = kind else { return None };
        let is_second = is_second_export(desc) && compr != NONE && self.cursor.has_name(b"compr");
        let first = (*self.held.get(self.len.checked_sub(1)?)?)?.coded;
        Some(first).filter(|first| is_second && matches!(first, EncodedOperand::Code(_)))
    }

    /// Whether the text can omit the implicit vcc of this form, as in LLVM's assembler: always on targets with the
    /// trait `silent-vcc`. On other targets, the form must have no trailing dword, and must not write a carry to vcc.
    /// With the trait `silent-carry`, it may write a carry if it does not read vcc.
    fn can_omit_vcc(&self) -> bool {
        let target = self.words.target;
        let is_vcc = |desc: &OperandDesc| desc.kind == OperandKind::Register(RegisterKind::Vcc);
        let has = |vcc: bool, access| self.form.descs().any(|desc| is_vcc(desc) == vcc && desc.access == Some(access));
        let is_carry = has(true, Access::Write) && has(false, Access::Write);
        let omits_carry = target.omits_carry() && !has(true, Access::Read);
        target.omits_vcc() || self.form.extension.is_none() && (!is_carry || omits_carry)
    }

    /// Reads the implicit vcc, which no field names, if the text shows it.
    fn implied_vcc(&mut self, desc: &OperandDesc) -> Result<bool, ParseError> {
        let start = self.cursor.at;
        let found = self.registers().read(&mut self.cursor, self.symbols);
        let is_vcc = |run: &Run| run.code == vcc(self.words.target) && run.dwords == u16::from(desc.dwords);
        let omitted = self.reading == Reading::OmittedVcc;
        let is_here = matches!(found, Ok(Some(run)) if is_vcc(&run)) && !omitted;
        if !is_here {
            self.cursor.at = start;
        }
        if !is_here && (self.reading == Reading::ShownVcc || !self.can_omit_vcc()) {
            return Err(self.missing(desc.field));
        }
        match *self.vcc.get_or_insert(is_here) == is_here {
            true => Ok(is_here),
            false => Err(self.missing(desc.field)),
        }
    }

    /// Skips `null` in place of `off`, if the code of `null` stands for an absent scalar address.
    fn eat_null(&mut self, kind: AddressKind) -> bool {
        // If the code also tells whether there is a vector address, `null` has another meaning.
        let is_free = |desc: &OperandDesc| match desc.kind {
            OperandKind::Address(AddressKind::Scratch { sve, .. }) => sve != NONE,
            OperandKind::Address(kind) => !kind.is_vector(),
            _ => true,
        };
        let mut ahead = self.cursor;
        let code = off(self.words.target);
        let is_null = matches!(kind, AddressKind::Scalar { is_silent: false, .. })
            && ahead.name() == b"null"
            && self.form.descs().all(is_free)
            && matches!(self.registers().read(&mut ahead, self.symbols), Ok(Some(run)) if run.code == code);
        if is_null {
            self.cursor = ahead;
        }
        is_null
    }

    /// Whether registers come next.
    pub(super) fn is_register_ahead(&mut self) -> bool {
        let mut ahead = self.cursor;
        matches!(self.registers().read(&mut ahead, self.symbols), Ok(Some(_)))
    }

    /// Whether the modifiers make the operation return a value, so that it has a destination.
    fn returns(&mut self, desc: &OperandDesc) -> bool {
        let flag = self.form.descs().find(|other| other.access.is_none() && other.lsb == desc.write_if_bit);
        match flag.map(|flag| (flag.kind, flag.field)) {
            Some((OperandKind::Modifier(ModifierKind::TemporalHint { .. }), _)) => self.hint_ahead() & 1 == 1,
            Some((_, field)) => self.cursor.has_name(field.name().as_bytes()),
            None => false,
        }
    }

    /// Reads registers, for an operand that accepts nothing else.
    fn run(&mut self, desc: &OperandDesc) -> Result<Run, ParseError> {
        let start = self.cursor.at;
        let found = self.registers().read(&mut self.cursor, self.symbols)?;
        let Some(run) = found.filter(|run| run.half.is_none()) else {
            self.cursor.at = start;
            return Err(self.missing(desc.field));
        };
        match self.is_aligned(&run, run.dwords) {
            true => Ok(run),
            false => Err(self.cursor.error_since(start, Kind::Alignment(scalar_align(run.dwords) as u8))),
        }
    }

    fn missing(&mut self, field: Field) -> ParseError {
        let kind = if self.cursor.is_done() { Kind::Missing(field) } else { Kind::Operand(field) };
        self.cursor.error(kind)
    }

    /// Whether signs are applied to a number if the instruction has no bits for them. As in LLVM's assembler, an
    /// operation accepts no signs if none of its forms has bits for them.
    fn folds(&self, desc: &OperandDesc) -> bool {
        let target = self.words.target;
        let is_long = |form: &Signature| target.layouts().iter().any(|l| l.format == form.format() && l.bits == 64);
        let mut long_forms = self.form.opcode.signatures(target).filter(is_long);
        self.is_float_without_signs(desc) && long_forms.any(|form| form.descs().any(literal64::can_be_negated))
    }

    /// Whether the operand is a float of a format that lacks bits for signs, or has bits only for negation.
    pub(super) fn is_float_without_signs(&self, desc: &OperandDesc) -> bool {
        let is_source = desc.kind.is_half() || matches!(desc.kind, OperandKind::Register(RegisterKind::Code { .. }));
        is_source && is_float(desc.ty) && operation::assembler_facts(self.form.signature.format).folds_signs
    }

    /// Reads the signs before an operand.
    fn open_signs(&mut self, [neg, abs, sext]: [u8; 3], folds: bool) -> WrittenSigns {
        let mut signs = WrittenSigns::default();
        if neg != NONE || folds {
            let mut after = self.cursor;
            let is_minus = after.eat(b'-');
            after.blank();
            let next = after.peek();
            // A minus before a number or a symbol is part of the number.
            let is_plain = match after.name() {
                [b'v' | b's', digits @ ..] => digits.iter().all(u8::is_ascii_digit) && !digits.is_empty(),
                _ => false,
            };
            let is_call = |name: &[u8]| after.clone().eat_call(name, b'(');
            let is_register = || is_plain || self.registers().is_here(&after) || is_call(b"abs") || is_call(b"lit");
            signs.neg = is_minus && (matches!(next, b'|' | b'[') || next.is_ascii_alphabetic() && is_register());
            if signs.neg {
                self.cursor = after;
            }
            signs.call = !signs.neg && self.cursor.eat_call(b"neg", b'(');
            signs.neg |= signs.call;
        }
        if abs != NONE || folds {
            signs.bar = self.cursor.eat(b'|');
            signs.abs = signs.bar || self.cursor.eat_call(b"abs", b'(');
        }
        signs.sext = sext != NONE && self.cursor.eat_call(b"sext", b'(');
        signs
    }

    /// Refuses the text of a sign that the operand does not have.
    fn no_more_signs(&self, field: Field) -> Result<(), ParseError> {
        let mut here = self.cursor;
        here.blank();
        let signs = [("neg", here.name() == b"neg"), ("abs", here.name() == b"abs" || here.peek() == b'|')];
        let signs = signs.into_iter().chain([("sext", here.name() == b"sext")]);
        let is_call = |sign: &str| here.peek() == b'|' || here.clone().eat_call(sign.as_bytes(), b'(');
        match signs.into_iter().find(|(sign, is_next)| *is_next && is_call(sign)) {
            Some((sign, _)) => Err(here.error(Kind::NoSign { field, sign })),
            None => Ok(()),
        }
    }

    /// Whether the operand of this dual instruction has a sign in another format.
    #[cold]
    fn has_sign_in_other_form(&self, desc: &OperandDesc) -> bool {
        let target = self.words.target;
        let mut text = Cursor { at: 0, ..self.cursor };
        let Some(second) = text.find_dual() else { return false };
        if !self.form.descs().any(|own| own == desc) {
            text.at = second + 2;
        }
        text.lines();
        let entries = operation::all(target, text.name()).map(|(_, op_index)| OpcodeEntry::new(target, op_index));
        let mut others = entries.flat_map(|entry| descs(target, entry.signature));
        others.any(|other| other.field == desc.field && literal64::can_be_negated(other))
    }

    /// Whether two minuses come next. The first one would be the sign of the operand, for which LLVM's assembler wants
    /// `neg(...)`.
    fn has_two_minuses(&self) -> bool {
        let mut ahead = self.cursor;
        let is_minus = ahead.eat(b'-');
        ahead.blank();
        is_minus && ahead.peek() == b'-'
    }

    /// The error of a minus before a register, if a minus and a register are at `start`; otherwise `error`.
    #[cold]
    fn sign_or(&mut self, field: Field, start: usize, error: ParseError) -> ParseError {
        let mut ahead = self.cursor;
        ahead.at = start;
        let is_sign = error.kind == Kind::Symbol && ahead.eat(b'-');
        ahead.blank();
        match is_sign && matches!(self.registers().read(&mut ahead, self.symbols), Ok(Some(_))) {
            true => ahead.error_since(start, Kind::Sign(field)),
            false => error,
        }
    }

    /// Reads a register or a constant with its signs (`-`, `|...|`, ...).
    fn source(&mut self, desc: &OperandDesc) -> Result<(EncodedOperand, u16), ParseError> {
        let start = self.cursor.at;
        let [neg, abs, sext] = desc.kind.signs().unwrap_or(Signs::ABSENT).positions();
        let folds = self.folds(desc);
        if self.has_two_minuses() && (neg != NONE || folds || self.has_sign_in_other_form(desc)) {
            return Err(self.cursor.error(Kind::Sign(desc.field)));
        }
        let signs = self.open_signs([neg, abs, sext], folds);
        self.no_more_signs(desc.field)?;
        // A negation can be a part of the constant; an absolute value needs a bit of the instruction.
        if signs.abs && abs == NONE && self.form.layout.bits != 32 {
            return Err(self.cursor.error_since(start, Kind::NoSign { field: desc.field, sign: "abs" }));
        }
        let found = self.primary(desc, if signs.bar { b'|' } else { 0 });
        let (mut primary, place) = found.map_err(|error| self.sign_or(desc.field, start, error))?;
        for (on, close) in [(signs.sext, b')'), (signs.abs, if signs.bar { b'|' } else { b')' }), (signs.call, b')')] {
            if on {
                self.cursor.expect(close)?;
            }
        }
        // As in LLVM's assembler, two bars are an operator, not the ends of two operands.
        if signs.bar && self.cursor.peek() == b'|' {
            return Err(self.cursor.error(Kind::Character(',')));
        }
        let mut folded = WrittenSigns::default();
        for (bit, on, folded) in [(neg, signs.neg, &mut folded.neg), (abs, signs.abs, &mut folded.abs)] {
            *folded = on && bit == NONE;
            if on {
                self.words.set(bit, true);
            }
        }
        if signs.sext {
            self.words.set(sext, true);
        }
        if folded.neg || folded.abs {
            primary = self.folded(desc, primary, folded, (start, place))?;
        }
        let coded = match primary {
            Primary::Run(run) => return self.source_registers(desc, &run, (start, place)),
            Primary::Number(number) => match self.constant(desc, number) {
                None | Some((LITERAL, _)) if self.takes_literal64(desc) => self.long_or_short(desc, number),
                Some((LITERAL, literal)) => Some(EncodedOperand::Literal(literal)),
                Some((code, _)) => Some(EncodedOperand::Code(code)),
                None => self.upper_half(desc, number),
            },
            Primary::Long(number) if self.takes_literal64(desc) => literal64::exactly(desc, number),
            Primary::Literal(number) | Primary::Long(number) => {
                self.forced_literal(desc, number).map(EncodedOperand::Literal)
            }
        };
        match coded {
            Some(coded) => Ok((coded, 0)),
            None => Err(self.cursor.error_since(place, self.no_constant(desc))),
        }
    }

    /// The number with signs for which the instruction has no bits. `start`: the position of the signs, and `place`:
    /// that of the number.
    fn folded(
        &self,
        desc: &OperandDesc,
        primary: Primary,
        signs: WrittenSigns,
        (start, place): (usize, usize),
    ) -> Result<Primary, ParseError> {
        Ok(match primary {
            // An integer could be the upper half of a double, or all of it.
            Primary::Number(Number::Int(_)) if desc.ty == DataType::F64 => {
                return Err(self.cursor.error_since(start, Kind::Operand(desc.field)));
            }
            Primary::Number(number) | Primary::Literal(number) | Primary::Long(number)
                if is_too_wide(desc.ty, number) =>
            {
                return Err(self.cursor.error_since(place, Kind::Constant(desc.field)));
            }
            Primary::Number(number) => Primary::Number(signed(desc.ty, number, signs)),
            Primary::Literal(number) => Primary::Literal(signed(desc.ty, number, signs)),
            Primary::Long(number) => Primary::Long(signed(desc.ty, number, signs)),
            Primary::Run(_) => return Err(self.cursor.error_since(start, Kind::Sign(desc.field))),
        })
    }

    /// The registers of a source, and their number. `start`: the position of the source, and `place`: that of the
    /// registers after the signs.
    fn source_registers(
        &mut self,
        desc: &OperandDesc,
        run: &Run,
        (start, place): (usize, usize),
    ) -> Result<(EncodedOperand, u16), ParseError> {
        let has_suffix = run.half.is_some();
        let is_half = desc.kind.is_half() && (VGPR..=VGPR_LAST).contains(&run.code);
        // Only vector registers can have a suffix. Without one, a register is the lower half, as in text for targets on
        // which LLVM does not split registers.
        if has_suffix && !is_half {
            return Err(self.cursor.error_since(place, Kind::Operand(desc.field)));
        }
        // Either all registers have a suffix, or none has.
        if is_half && *self.suffixes.get_or_insert(has_suffix) != has_suffix {
            return Err(self.cursor.error_since(place, Kind::Half(desc.field)));
        }
        self.fits(desc, run).map_err(|wrong| self.cursor.error_since(start, wrong))?;
        let coded = match run.half {
            Some(Half::High) => EncodedOperand::High(run.code),
            _ => EncodedOperand::Code(run.code),
        };
        Ok((coded, run.dwords))
    }

    /// The error of a constant that does not fit. The error tells whether the operand takes any constants.
    #[cold]
    fn no_constant(&self, desc: &OperandDesc) -> Kind {
        let zero = EncodedOperand::Code(INT);
        let takes_some =
            desc.access == Some(Access::Read) && crate::codec::encode(desc, zero, &mut self.words.clone()).is_ok();
        if takes_some { Kind::Constant(desc.field) } else { Kind::Operand(desc.field) }
    }

    /// Checks that registers are aligned, and have the operand's length unless other fields determine this length.
    fn fits(&self, desc: &OperandDesc, run: &Run) -> Result<(), Kind> {
        let (field, dwords) = (desc.field, desc.dwords.into());
        let is_fixed =
            !matches!(desc.kind, OperandKind::Register(RegisterKind::Matrix { .. } | RegisterKind::Data { .. }));
        if self.is_longer_address(desc, run.dwords) {
            // The words do not have the length of the run, so no check of the words finds an odd register.
            let is_odd = self.words.target.aligned_vgprs() && run.code >= VGPR && run.code % 2 == 1;
            let register = Reg::Vgpr(run.code.wrapping_sub(VGPR));
            let broken = Kind::Rule(RuleError::MisalignedVector { field, register });
            return if is_odd { Err(broken) } else { Ok(()) };
        }
        if is_fixed && run.dwords != 0 && run.dwords != dwords {
            return Err(Kind::Width { field, dwords: desc.dwords, given: run.dwords });
        }
        if self.is_aligned(run, dwords) { Ok(()) } else { Err(Kind::Alignment(scalar_align(dwords) as u8)) }
    }

    /// Whether the operand is an address of a MIMG form without `dim`, and `dwords` exceeds the form's least number of
    /// registers. The operation's greatest number of registers is a limit, but a run of 4 or 8 is accepted in place of
    /// a shorter one, as in LLVM's assembler: early versions had no runs of other lengths.
    pub(super) fn is_longer_address(&self, desc: &OperandDesc, dwords: u16) -> bool {
        let is_code = matches!(desc.kind, OperandKind::Register(RegisterKind::Code { .. }));
        let is_address = is_code && desc.field == Field::Vaddr;
        if !is_address || self.form.signature.format != Format::Mimg || dwords <= desc.dwords.into() {
            return false;
        }
        let found = ADDRESSES.iter().find(|(opcode, _)| *opcode == self.form.opcode);
        let most = found.map_or(4, |(_, most)| u16::from(*most));
        dwords <= most || dwords == 4 && most < 4 || dwords == 8 && (5..8).contains(&most)
    }

    /// Whether a run of scalar registers is aligned as its length demands; `true` for other registers.
    fn is_aligned(&self, run: &Run, dwords: u16) -> bool {
        let t = self.operands;
        let first = match run.code {
            code if code <= t.sgpr_last => code,
            code if (t.ttmp_first..=t.ttmp_last).contains(&code) => code - t.ttmp_first,
            _ => return true,
        };
        aligned(first, dwords) == first
    }

    /// Reads a register or a number, and returns it with its position.
    fn primary(&mut self, desc: &OperandDesc, stop: u8) -> Result<(Primary, usize), ParseError> {
        self.cursor.blank();
        let start = self.cursor.at;
        if self.cursor.is_done() {
            return Err(self.cursor.error(Kind::Missing(desc.field)));
        }
        let is_lit64 = self.cursor.eat_call(b"lit64", b'(');
        if is_lit64 || self.cursor.eat_call(b"lit", b'(') {
            if is_lit64 && !self.may_say_lit64(desc) {
                return Err(self.cursor.error_since(start, Kind::NoLiteral64));
            }
            let number = self.known_number()?;
            self.cursor.expect(b')')?;
            return Ok((if is_lit64 { Primary::Long(number) } else { Primary::Literal(number) }, start));
        }
        if let Some(run) = self.registers().read(&mut self.cursor, self.symbols)? {
            return Ok((Primary::Run(run), start));
        }
        let (number, open) = self.number(stop)?;
        // A value that the linker may change can need as many bits as the operand has.
        Ok((
            match open {
                true if self.takes_literal64(desc) && desc.ty != DataType::F64 => Primary::Long(number),
                true => Primary::Literal(number),
                false => Primary::Number(number),
            },
            start,
        ))
    }

    /// Reads a constant, a register, or a register and `offset:`.
    fn scalar_offset(&mut self, kind: OffsetKind, desc: &'static OperandDesc) -> Result<(), ParseError> {
        let start = self.cursor.at;
        let mut place = start;
        let found = self.registers().read(&mut self.cursor, self.symbols)?;
        let coded = match found {
            None if self.cursor.eat_call(b"lit64", b'(') => {
                let value = self.cursor.integer(self.symbols)?;
                self.cursor.expect(b')')?;
                EncodedOperand::Number(value)
            }
            None if self.cursor.eat_call(b"lit", b'(') => {
                let value = self.cursor.integer(self.symbols)?;
                self.cursor.expect(b')')?;
                match kind {
                    OffsetKind::Dwords { .. } => EncodedOperand::Literal(value as u32),
                    OffsetKind::Bytes { .. } | OffsetKind::Sum { .. } => EncodedOperand::Number(value),
                }
            }
            // A missing offset is 0.
            None if self.cursor.is_done() || !self.cursor.name().is_empty() => EncodedOperand::Number(0),
            None if self.cursor.is_list() => return Err(self.missing(desc.field)),
            None => EncodedOperand::Number(self.cursor.integer(self.symbols)?),
            Some(run) if run.dwords > 1 => {
                let kind = Kind::Width { field: desc.field, dwords: 1, given: run.dwords };
                return Err(self.cursor.error_since(start, kind));
            }
            Some(run) => {
                let mut after = self.cursor;
                after.eat(b',');
                let is_sum = matches!(kind, OffsetKind::Sum { .. });
                let both = !matches!(kind, OffsetKind::Dwords { .. }) && after.eat_call(b"offset", b':');
                let number = match both {
                    true => {
                        self.cursor = after;
                        self.cursor.blank();
                        place = self.cursor.at;
                        Some(self.cursor.integer(self.symbols)?)
                    }
                    false => None,
                };
                let is_null = is_sum && run.code == off(self.words.target);
                match number {
                    n if is_null => EncodedOperand::Number(n.unwrap_or(0)),
                    None if !is_sum => EncodedOperand::Code(run.code),
                    None => EncodedOperand::Soffset(run.code),
                    Some(0) if is_sum => EncodedOperand::Soffset(run.code),
                    Some(n) => EncodedOperand::RegisterPlusOffset(run.code, n),
                }
            }
        };
        let held = self.hold(desc, coded, 0, start);
        held.map_err(|error| match error.kind {
            Kind::Range { .. } => self.cursor.error_since(place, error.kind),
            _ => error,
        })
    }

    /// Reads consecutive registers, or a list of registers and runs, each of which has a field.
    fn image_address(&mut self, desc: &'static OperandDesc) -> Result<(), ParseError> {
        let Some(address) = Address::of(desc) else { return Err(self.missing(desc.field)) };
        let start = self.cursor.at;
        let is_list = self.cursor.eat(b'[');
        let (mut parts, mut all) = (0, 0);
        loop {
            let place = self.cursor.at;
            let field = address.field(parts);
            let run = self.registers().read(&mut self.cursor, self.symbols)?;
            let Some(run) = run.filter(|run| (VGPR..=VGPR_LAST).contains(&run.code) && run.half.is_none()) else {
                return Err(self.missing(field));
            };
            if parts >= address.fields.count().max(1) || parts >= ADDRESS_PARTS {
                return Err(self.cursor.error_since(place, Kind::Unexpected));
            }
            self.words.put(address.lsb(parts), REGISTER, (run.code - VGPR).into());
            (parts, all) = (parts + 1, all + run.dwords);
            if !is_list || !self.cursor.eat(b',') {
                break;
            }
        }
        if is_list {
            self.cursor.expect(b']')?;
        }
        // The number of registers can be checked only after all modifiers are known.
        let span = self.cursor.error_since(start, Kind::Unexpected).span;
        self.address = Some(super::ParsedAddress { address, parts, dwords: all, span });
        Ok(())
    }
}
