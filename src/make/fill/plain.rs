//! Fills a base form of one or two dwords if each operand is a register, a constant or a number in a simple encoding,
//! as in nearly all instructions. All other forms, and all errors, are left to [`fill`](super::fill).

use super::step::{Step, StepKind, step};
use crate::check::{bus_is_implied, bus_reads, can_overlap, excluded, has_bus, has_only};
use crate::code::{FLOAT, FLOAT_LAST, LITERAL, VGPR, VGPR_LAST, int_of, of_int};
use crate::codec::{default, global_addr_dwords};
use crate::decode::canonical::filled;
use crate::decode::decode_pair;
use crate::form::Start;
use crate::inst::Inst;
use crate::kind::{ModifierKind, NumberKind, OffsetKind, OperandKind};
use crate::make::arguments::Fields;
use crate::make::builder::Builder;
use crate::make::generated::RULES;
use crate::make::op;
use crate::make::resolve::Rules;
use crate::opcode::Field;
use crate::operation::{OpcodeEntry, info, scalar_limit};
use crate::shared::flag;
use crate::table::OperandDesc;
use crate::target::DESCS;

/// The reason why a form was not filled.
pub(in crate::make) enum Left {
    /// The form cannot hold the arguments: [`fill`](super::fill) returns an error.
    Refused,
    /// Only `fill` can tell whether the form holds the arguments.
    Unsure,
}

use Left::{Refused, Unsure};

/// The flags that determine whether memory data have an operand, and the length of this operand.
const DATA: Fields = Fields::of(&[Field::Lds, Field::Tfe]);
/// The register of a scalar offset.
const SOFFSET: Fields = Fields::of(&[Field::Soffset]);

/// Bits that arguments decide, and arguments that are still to be used.
#[derive(Clone, Copy)]
struct Filled {
    bits: u64,
    literal: Option<u32>,
    /// An upper bound of the number of named operands that the constant bus delivers.
    scalars: u8,
    /// A bit for each argument that is still to be used.
    rest: u32,
    /// The signs that are still to be used, a bit for each source: negations from bit 0 on, absolute values from bit 8
    /// on, and sign extensions from bit 16 on.
    signs: u32,
}

/// Makes the instruction in the base form of an entry. `start` has the bits of the form without operands. If there is a
/// result, it is the instruction that `fill` would make.
pub(in crate::make) fn plain(builder: &Builder, entry: &OpcodeEntry, start: &Start) -> Result<Inst, Left> {
    let (target, signature, format) = (builder.target, entry.signature, entry.signature.format);
    let facts = info(target, entry.op_index.into()).flags;
    if facts & const { flag("even") } != 0 || can_overlap(format) || !matches!(start.bits, 32 | 64) {
        return Err(Unsure);
    }
    let Filled { bits, literal, scalars, .. } = operands(builder, entry)?;
    let [low, high, ..] = start.dwords;
    let mut bits = bits | u64::from(high) << 32 | u64::from(low) | filled(target, signature);
    if let Some(op) = start.op {
        let number = u64::from(start.number(target, entry));
        bits |= (number & ((1 << (op.width & 63)) - 1)) << (op.lsb & 63);
        if op.hi_width != 0 {
            bits |= (number >> (op.width & 63) & ((1 << (op.hi_width & 63)) - 1)) << (op.hi & 63);
        }
    }
    let dwords = start.bits / 32;
    let inst = decode_pair(target, bits, dwords.into(), literal).ok_or(Unsure)?;
    if !inst.is_base(entry.op_index, dwords + u8::from(literal.is_some())) {
        return Err(Unsure);
    }
    if has_bus(format) {
        // An operation reads at most one scalar that no field names, so an exact count is needed only near the limit.
        let limit = scalar_limit(target, facts);
        let is_near = scalars > limit || scalars == limit && signature.implied && bus_is_implied(&inst);
        if is_near && bus_reads(&inst).excess.is_some() {
            return Err(Unsure);
        }
    }
    if has_only(format) && excluded(&inst).is_some() { Err(Unsure) } else { Ok(inst) }
}

/// Fills in operands and modifiers.
#[inline(always)]
fn operands(builder: &Builder, entry: &OpcodeEntry) -> Result<Filled, Left> {
    let (target, signature, arguments) = (builder.target, entry.signature, builder.arguments());
    let (rules, has_data) = (RULES[target as usize], arguments.has_any(&DATA));
    let signs = u32::from_le_bytes([builder.neg, builder.abs, builder.sext, 0]);
    let mut filled = Filled { bits: 0, literal: None, scalars: 0, rest: arguments.all(), signs };
    let list = DESCS[target as usize].list_of(signature);
    for (n, at) in list.iter().enumerate() {
        if n >= usize::from(signature.needed) && filled.rest | filled.signs == 0 {
            break;
        }
        let step = step(target, *at).ok_or(Unsure)?;
        let (kind, next) = (step.kind(), filled.rest.trailing_zeros());
        // The next argument is nearly always the one for this operand.
        let (code, key) = arguments.key(next);
        let bits = match kind {
            _ if key != step.key() && key != step.key() & Step::ROLE_ONLY => None,
            StepKind::Data if has_data => None,
            StepKind::Scalar if code < VGPR => None,
            StepKind::Code if code == op::INT => {
                of_int(arguments.low(next).into()).and_then(|code| step.bits(step.value(code)))
            }
            StepKind::Vector | StepKind::Code | StepKind::Data | StepKind::Scalar => match code {
                VGPR..=VGPR_LAST if step.dwords() <= 1 => step.bits(step.value(code)),
                _ => rules.plain(code, step.dwords()).and_then(|code| {
                    filled.scalars += u8::from(step.reads() && is_scalar(code));
                    step.bits(step.value(code))
                }),
            },
            StepKind::Value if code == op::INT => {
                step.number(arguments.low(next).into()).and_then(|value| step.bits(value))
            }
            _ => None,
        };
        if let Some(bits) = bits {
            filled.rest &= filled.rest.wrapping_sub(1);
            filled.bits |= bits;
            continue;
        }
        match kind {
            StepKind::Nothing => continue,
            StepKind::Value if !arguments.has(step.role()) => continue,
            StepKind::Sign => {
                let (first, used) = step.signs();
                let held = filled.signs >> first & used;
                filled.signs &= !(held << first);
                filled.bits |= step.bits(held).ok_or(Unsure)?;
                continue;
            }
            _ => {}
        }
        // The call gets a copy, so that the state itself stays in registers.
        let mut copy = filled;
        other(builder, &mut copy, step, *at)?;
        filled = copy;
    }
    if filled.rest | filled.signs == 0 { Ok(filled) } else { Err(left(builder, rules, filled.rest)) }
}

/// Whether a code is read as a scalar.
#[inline]
fn is_scalar(code: u16) -> bool {
    code < VGPR && int_of(code).is_none() && !(FLOAT..=FLOAT_LAST).contains(&code)
}

/// Fills in an operand or a modifier, except signs and descriptors that only `fill` can handle.
#[inline(never)]
fn other(builder: &Builder, filled: &mut Filled, step: Step, at: u16) -> Result<(), Left> {
    let (target, arguments) = (builder.target, builder.arguments());
    let (rules, kind) = (RULES[target as usize], step.kind());
    let desc = DESCS[target as usize].descs.get(usize::from(at)).ok_or(Unsure)?;
    let dwords = match kind {
        StepKind::Nothing | StepKind::Sign | StepKind::Unsure => return Err(Unsure),
        StepKind::Data if arguments.has_any(&DATA) => return Err(Unsure),
        StepKind::Global => global_addr_dwords(builder.is_off(Field::Saddr)),
        _ => step.dwords(),
    };
    let given = arguments.position_from(filled.rest.trailing_zeros(), step.role());
    if let Some(n) = given {
        filled.rest &= !(1 << n);
    }
    if let StepKind::Value | StepKind::Number | StepKind::Offset | StepKind::Modifier = kind {
        let n = match given {
            Some(n) => Some(arguments.integer(n).ok_or(Unsure)?),
            None => None,
        };
        let value = match (kind, n) {
            (StepKind::Value, Some(n)) => step.number(n),
            (StepKind::Offset, n) if !arguments.has_any(&SOFFSET) => {
                filled.bits |= offset(desc, rules);
                step.number(n.unwrap_or(0))
            }
            (StepKind::Number, Some(n)) => number(desc, step, n),
            (StepKind::Modifier, n) => modifier(desc, step, n),
            _ => None,
        };
        filled.bits |= value.and_then(|value| step.bits(value)).ok_or(Unsure)?;
        return Ok(());
    }
    let (code, width) = match given {
        Some(n) => arguments.code(n),
        None if kind == StepKind::Scalar => (op::OFF, 0),
        None => return Err(Unsure),
    };
    if width != 0 && u16::from(width) != dwords {
        return Err(Unsure);
    }
    let code = match code {
        op::INT | op::FLOAT if kind == StepKind::Code => {
            let value = given.map_or(0, |n| arguments.at(n as usize).value);
            let (code, value) = rules.constant(desc.ty, dwords, code, value).ok_or(Unsure)?;
            if code == LITERAL {
                if dwords > 1 || filled.literal.is_some_and(|other| other != value) {
                    return Err(Unsure);
                }
                filled.literal = Some(value);
            }
            code
        }
        op::INT | op::FLOAT => return Err(Unsure),
        op::OFF if kind == StepKind::Scalar => rules.off,
        code if step.is_register() || code >= VGPR => rules.plain(code, dwords).ok_or(Unsure)?,
        _ => return Err(Unsure),
    };
    filled.scalars += u8::from(step.reads() && is_scalar(code));
    let refused = if step.is_register() { Refused } else { Unsure };
    filled.bits |= step.bits(step.value(code)).ok_or(refused)?;
    Ok(())
}

/// The reason why arguments or signs are left.
#[cold]
fn left(builder: &Builder, rules: &Rules, rest: u32) -> Left {
    // A vcc that the encoding implies may be named.
    let mut all = builder.arguments().iter().enumerate();
    let is_named = all.any(|(n, (_, argument))| rest >> n & 1 == 1 && argument.code == rules.vcc);
    if is_named { Unsure } else { Refused }
}

/// The bits that mark a scalar offset as a constant.
#[inline(always)]
fn offset(desc: &OperandDesc, rules: &Rules) -> u64 {
    match desc.kind {
        OperandKind::Offset(OffsetKind::Bytes { imm, .. }) => 1 << (imm & 63),
        OperandKind::Offset(OffsetKind::Sum { soffset, .. }) => u64::from(rules.off) << (soffset & 63),
        _ => 0,
    }
}

/// The value of a field that holds a constant.
#[inline]
fn number(desc: &OperandDesc, step: Step, n: i64) -> Option<u32> {
    let OperandKind::Number(kind) = desc.kind else { return None };
    match kind {
        _ if desc.width == 16 && n < 0 && kind.has_both_signs() => Some(u32::from(i16::try_from(n).ok()? as u16)),
        NumberKind::Plain(_) | NumberKind::Parts(_) => step.number(n),
        NumberKind::Literal { .. } | NumberKind::Label | NumberKind::Attribute { .. } | NumberKind::Choice(_) => None,
    }
}

/// The value of a modifier whose default can be other than zero.
#[inline]
fn modifier(desc: &OperandDesc, step: Step, given: Option<i64>) -> Option<u32> {
    let Some(n) = given else { return default(desc) };
    let is_list = matches!(desc.kind, OperandKind::Modifier(ModifierKind::List(_)));
    if is_list && n & !i64::from(desc.used_bits) != 0 { None } else { step.number(n) }
}
