//! Fills a base form of one or two dwords if, as is nearly always so, each operand is a register, a constant or a
//! number that needs no second look. Everything else, and all errors, are left to [`fill`](super::fill).

use super::modifier::sign;
use crate::check::{bus_is_implied, bus_reads, can_overlap, excluded, has_bus, has_only};
use crate::code::{FLOAT, FLOAT_LAST, LITERAL, VGPR, int_of};
use crate::codec::{default, global_addr_dwords, is_conditional, range};
use crate::decode::canonical::filled;
use crate::decode::decode_words;
use crate::form::{number_in, start_of};
use crate::inst::Inst;
use crate::kind::{AddressKind, ListStyle, ModifierKind, NONE, NumberKind, OffsetKind, OperandKind, RegisterKind};
use crate::make::argument::Argument;
use crate::make::arguments::Fields;
use crate::make::builder::Builder;
use crate::make::generated::RULES;
use crate::make::op;
use crate::make::resolve::Rules;
use crate::opcode::Field;
use crate::operation::{OpcodeEntry, info, scalar_limit};
use crate::shared::flag;
use crate::table::{Layout, OperandDesc};
use crate::target::DESCS;
use crate::value::Access;

/// The reason why a form was not filled.
pub(in crate::make) enum Left {
    /// The form cannot hold the arguments: [`fill`](super::fill) returns an error.
    Refused,
    /// Only `fill` can tell whether the form holds the arguments.
    Unsure,
}

/// The flags that determine whether memory data have an operand, and the length of this operand.
const DATA: Fields = Fields::of(&[Field::Lds, Field::Tfe]);

struct Plain<'a> {
    builder: &'a Builder,
    rules: &'static Rules,
    bits: u64,
    literal: Option<u32>,
    /// Arguments that are still to be used, one bit each.
    rest: u32,
    /// Negations, absolute values and sign extensions that are still to be used: a bit for each source.
    signs: [u8; 3],
    /// An upper bound of the number of named operands that the constant bus delivers.
    scalars: u8,
}

/// Makes the instruction in the base form of an entry. The result, if any, is the instruction that `fill` would make.
pub(in crate::make) fn plain(builder: &Builder, entry: &OpcodeEntry, layout: &Layout) -> Result<Inst, Left> {
    let (target, signature) = (builder.target, entry.signature);
    let facts = info(target, entry.op_index.into()).flags;
    if facts & const { flag("even") } != 0 || can_overlap(layout.format) || layout.bits > 64 {
        return Err(Left::Unsure);
    }
    let start = start_of(target, layout.format);
    let [low, high, ..] = start.dwords;
    let mut plain = Plain {
        builder,
        rules: RULES[target as usize],
        bits: (u64::from(high) << 32 | u64::from(low)) | filled(target, signature),
        literal: None,
        rest: builder.arguments().all(),
        signs: [builder.neg, builder.abs, builder.sext],
        scalars: 0,
    };
    if let Some(op) = start.op {
        let number = u64::from(number_in(target, entry, low));
        plain.put(op.lsb, number & ((1 << (op.width & 63)) - 1));
        plain.put(op.hi, number >> (op.width & 63) & ((1 << (op.hi_width & 63)) - 1));
    }
    let tables = DESCS[target as usize];
    for (n, at) in tables.list_of(signature).iter().enumerate() {
        if n >= usize::from(signature.needed) && plain.is_done() {
            break;
        }
        let Some(desc) = tables.descs.get(usize::from(*at)) else { break };
        match desc.access {
            Some(access) => plain.operand(desc, access)?,
            None => plain.modifier(desc).ok_or(Left::Unsure)?,
        }
    }
    if !plain.is_done() {
        return Err(plain.left());
    }
    let words = [plain.bits as u32, (plain.bits >> 32) as u32, 0];
    let (words, len) = match (plain.literal, layout.bits) {
        (None, 32) => (words, 1),
        (None, _) => (words, 2),
        (Some(literal), 32) => ([words[0], literal, 0], 2),
        (Some(literal), _) => ([words[0], words[1], literal], 3),
    };
    let inst = decode_words(target, words.get(..len).unwrap_or(&words)).map_err(|_| Left::Unsure)?;
    let is_it = inst.op_index() == usize::from(entry.op_index) && inst.form() == 0 && inst.words().len() == len;
    // An operation reads at most one scalar that no field names.
    let scalars = if has_bus(layout.format) { plain.scalars } else { 0 };
    let limit = scalar_limit(target, facts);
    let is_near = scalars > limit || scalars == limit && signature.implied && bus_is_implied(&inst);
    let is_excluded = || has_only(layout.format) && excluded(&inst).is_some();
    if !is_it || is_near && bus_reads(&inst).excess.is_some() || is_excluded() {
        return Err(Left::Unsure);
    }
    Ok(inst)
}

impl Plain<'_> {
    #[inline(always)]
    fn take(&mut self, field: Field) -> Option<Argument> {
        let n = self.builder.arguments().position_from(self.rest.trailing_zeros(), field)?;
        self.rest &= !(1 << n);
        Some(self.builder.arguments().at(n))
    }

    /// Whether all arguments and signs have been used.
    #[inline(always)]
    fn is_done(&self) -> bool {
        self.rest == 0 && self.signs == [0; 3]
    }

    /// The reason why arguments or signs are left.
    #[cold]
    fn left(&self) -> Left {
        // A vcc that the encoding implies may be named.
        let mut all = self.builder.arguments().iter().enumerate();
        let is_named = all.any(|(n, (_, argument))| self.rest >> n & 1 == 1 && argument.code == self.rules.vcc);
        if is_named { Left::Unsure } else { Left::Refused }
    }

    /// Stores bits in a place that is still zero.
    #[inline(always)]
    fn put(&mut self, lsb: u8, value: u64) {
        self.bits |= value << (lsb & 63);
    }

    /// Stores the raw value of a descriptor's field, if it fits.
    #[inline(always)]
    fn desc(&mut self, desc: &OperandDesc, value: u32) -> Option<()> {
        let value = u64::from(value);
        if value >> (desc.width & 63) != 0 {
            return None;
        }
        if desc.hi == NONE {
            self.put(desc.lsb, value);
        } else {
            self.put(desc.lsb, value & ((1 << (desc.lo_width & 63)) - 1));
            self.put(desc.hi, value >> (desc.lo_width & 63));
        }
        Some(())
    }

    #[inline(always)]
    fn code(&mut self, desc: &OperandDesc, code: u16) -> Option<()> {
        let value = code.checked_sub(desc.add).filter(|n| n & ((1 << (desc.shift & 15)) - 1) == 0)?;
        self.desc(desc, (value >> (desc.shift & 15)).into())
    }

    /// Stores a number in a descriptor's field, if it fits.
    fn number(&mut self, desc: &OperandDesc, n: i64) -> Option<()> {
        let (min, max) = range(desc);
        if n < min || n > max {
            return None;
        }
        self.desc(desc, (n as u64 & ((1 << (desc.width & 63)) - 1)) as u32)
    }

    #[inline(always)]
    fn operand(&mut self, desc: &OperandDesc, access: Access) -> Result<(), Left> {
        let (is_register, is_scalar, dwords) = match desc.kind {
            OperandKind::Register(RegisterKind::Code { .. } | RegisterKind::Vector { .. }) => {
                (true, false, desc.dwords.into())
            }
            OperandKind::Register(RegisterKind::Data { .. }) if !self.builder.arguments().has_any(&DATA) => {
                (true, false, desc.dwords.into())
            }
            OperandKind::Register(RegisterKind::Vcc) => return Ok(()),
            OperandKind::Address(AddressKind::Global { .. }) => {
                (false, false, global_addr_dwords(self.builder.is_off(Field::Saddr)))
            }
            OperandKind::Address(AddressKind::Scalar { .. }) if desc.dwords == 2 => (false, true, 2),
            OperandKind::Offset(kind) => return self.offset(desc, kind).ok_or(Left::Unsure),
            OperandKind::Number(kind) => return self.constant(desc, kind).ok_or(Left::Unsure),
            _ => return Err(Left::Unsure),
        };
        let argument = match self.take(desc.field) {
            Some(argument) => argument,
            None if is_scalar => Argument::new(op::OFF, 0),
            None => return Err(Left::Unsure),
        };
        let is_wide = argument.dwords != 0 && u16::from(argument.dwords) != dwords;
        if is_wide || is_conditional(desc) && access == Access::Write {
            return Err(Left::Unsure);
        }
        let code = match argument.code {
            op::INT | op::FLOAT => self.literal(desc, dwords, argument),
            op::OFF if is_scalar => Some(self.rules.off),
            code if is_register || code >= VGPR => self.rules.plain(code, dwords),
            _ => None,
        };
        let code = code.ok_or(Left::Unsure)?;
        if code < VGPR && access.reads() && int_of(code).is_none() && !(FLOAT..=FLOAT_LAST).contains(&code) {
            self.scalars += 1;
        }
        self.code(desc, code).ok_or(if is_register { Left::Refused } else { Left::Unsure })
    }

    /// The code of a constant; a literal's value is stored.
    #[inline]
    fn literal(&mut self, desc: &OperandDesc, dwords: u16, argument: Argument) -> Option<u16> {
        let OperandKind::Register(RegisterKind::Code { .. }) = desc.kind else { return None };
        let (code, literal) = self.rules.constant(desc.ty, dwords, argument.code, argument.value)?;
        if code == LITERAL {
            if dwords > 1 || self.literal.is_some_and(|other| other != literal) {
                return None;
            }
            self.literal = Some(literal);
        }
        Some(code)
    }

    /// Fills in a scalar offset that is a constant.
    fn offset(&mut self, desc: &OperandDesc, kind: OffsetKind) -> Option<()> {
        if self.builder.arguments().position(Field::Soffset).is_some() {
            return None;
        }
        match kind {
            OffsetKind::Bytes { imm, .. } => self.put(imm, 1),
            OffsetKind::Sum { soffset: NONE, .. } | OffsetKind::Dwords { .. } => return None,
            OffsetKind::Sum { soffset, .. } => self.put(soffset, self.rules.off.into()),
        }
        let n = self.take(desc.field).unwrap_or(Argument::ZERO).integer()?;
        self.number(desc, n)
    }

    fn constant(&mut self, desc: &OperandDesc, kind: NumberKind) -> Option<()> {
        let n = self.take(desc.field)?.integer()?;
        match kind {
            _ if desc.width == 16 && n < 0 && kind.has_both_signs() => {
                self.desc(desc, u32::from(i16::try_from(n).ok()? as u16))
            }
            NumberKind::Plain(_) | NumberKind::Parts(_) => self.number(desc, n),
            NumberKind::Literal { .. } | NumberKind::Label | NumberKind::Attribute { .. } | NumberKind::Choice(_) => {
                None
            }
        }
    }

    /// Fills in negations, absolute values or sign extensions, if the modifier holds them.
    #[inline]
    fn sign(&mut self, desc: &OperandDesc) -> Option<()> {
        if self.signs == [0; 3] {
            return Some(());
        }
        let Some((sign, first)) = sign(desc) else { return Some(()) };
        let given = self.signs.get_mut(sign)?;
        let held = *given >> first & desc.used_bits;
        *given &= !(held << first);
        self.desc(desc, held.into())
    }

    #[inline]
    fn modifier(&mut self, desc: &OperandDesc) -> Option<()> {
        let OperandKind::Modifier(kind) = desc.kind else { return None };
        let is_list = match kind {
            ModifierKind::Hidden | ModifierKind::List(ListStyle::Neg) if desc.field != Field::Nfmt => {
                return self.sign(desc);
            }
            ModifierKind::Bitop3 { .. } | ModifierKind::Dpp8 { .. } => return None,
            ModifierKind::List(_) => true,
            _ => false,
        };
        let Some(argument) = self.take(desc.field) else {
            return match default(desc)? {
                0 => Some(()),
                value => self.desc(desc, value),
            };
        };
        let n = argument.integer()?;
        if is_list && n & !i64::from(desc.used_bits) != 0 {
            return None;
        }
        self.number(desc, n)
    }
}
