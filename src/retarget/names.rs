//! Translation of codes and values to another target, through the table rows that name them.

use super::{RetargetError, hwreg};
#[cfg(feature = "fast")]
use crate::code::{FLOAT, FLOAT_LAST, LITERAL};
use crate::code::{INT, NEGATIVE_LAST, VGPR, VGPR_LAST};
use crate::imm::{DelayAlu, Depctr, Imm, Sendmsg, Waitcnt};
use crate::kind::{ModifierKind, NumberKind, OperandKind};
use crate::opcode::Field;
use crate::table::{Counter, NameTables, Named, OperandDesc};
use crate::target::{COUNTS, FACTS, IMMS, NAMES, OPERANDS, Target};

fn row_of(names: &[Named], value: u16) -> Option<&Named> {
    names.iter().find(|n| (n.first..=n.last).contains(&value))
}

/// The value with the same name, and the same position in its run. A number without a name is unchanged, unless the
/// other target has a name for it.
fn moved(from: &[Named], to: &[Named], value: u16) -> Option<u16> {
    let Some(name) = row_of(from, value) else { return row_of(to, value).is_none().then_some(value) };
    let there = to.iter().find(|n| n.row == name.row)?;
    let moved = there.first + (value - name.first);
    (moved <= there.last).then_some(moved)
}

/// The last code of scalar registers; the first is 0.
pub(super) fn last_scalar(target: Target) -> u16 {
    OPERANDS[target as usize].sgpr_last
}

/// Whether a code means the same register or constant on all targets that have it.
#[cfg(feature = "fast")]
#[inline]
pub(super) fn is_everywhere(code: u16) -> bool {
    matches!(code, VGPR..=VGPR_LAST | INT..=NEGATIVE_LAST | FLOAT..=FLOAT_LAST | LITERAL)
}

/// The code of the same register or constant.
pub(super) fn code(from: Target, to: Target, code: u16) -> Option<u16> {
    // Nearly all operands have these codes.
    if let VGPR..=VGPR_LAST | INT..=NEGATIVE_LAST = code {
        return Some(code);
    }
    if code <= last_scalar(from).min(last_scalar(to)) {
        return Some(code);
    }
    let (from, to) = (NAMES[from as usize].codes, NAMES[to as usize].codes);
    row_of(from, code)?;
    moved(from, to, code)
}

/// The names of an enumerated field's values.
fn names(of: &'static NameTables, kind: Option<OperandKind>, field: Field) -> &'static [Named] {
    let kind = match kind {
        Some(OperandKind::Number(NumberKind::Choice(list))) => return of.of_number(list),
        Some(OperandKind::Modifier(kind)) => Some(kind),
        _ => None,
    };
    match (kind, field) {
        (Some(ModifierKind::MtbufFormat { .. }), _) => of.dfmt,
        (_, Field::Nfmt) => of.nfmt,
        (Some(ModifierKind::BufferFormat), _) => of.buf_fmt,
        (Some(ModifierKind::Choice(list)), _) => of.of_modifier(list),
        (Some(ModifierKind::Omod), _) => of.omod,
        (Some(ModifierKind::DppCtrl), _) => of.dpp_ctrl,
        // Stores have all values that loads and atomic operations have.
        (Some(ModifierKind::TemporalHint { .. }), _) => of.th_store,
        _ => &[],
    }
}

/// Whether values of a modifier can mean different things on two targets: whether [`value`] has more to do than to
/// return its argument.
#[cfg(feature = "fast")]
#[inline]
pub(super) fn can_differ(desc: &OperandDesc) -> bool {
    use ModifierKind::{Bitop3, ByteSel, Dmask, Dpp8, DppBound, DppMask, Flag, Hidden, List, Named, Signed, Wait};
    use ModifierKind::{BufferFormat, Choice, DppCtrl, MtbufFormat, Omod, Swizzle, TemporalHint};
    let OperandKind::Modifier(kind) = desc.kind else { return true };
    match kind {
        BufferFormat | Choice(_) | DppCtrl | MtbufFormat { .. } | Omod | Swizzle | TemporalHint { .. } => true,
        Bitop3 { .. }
        | ByteSel
        | Dmask
        | Dpp8 { .. }
        | DppBound
        | DppMask
        | Flag { .. }
        | Hidden
        | List(_)
        | Named
        | Signed
        | Wait => desc.field == Field::Nfmt,
    }
}

/// Whether a value of an operand or a modifier has a name.
pub(super) fn is_named(target: Target, desc: &OperandDesc, value: u16) -> bool {
    row_of(names(NAMES[target as usize], Some(desc.kind), desc.field), value).is_some()
}

/// Whether the values of a modifier have names.
pub(super) fn are_named(desc: &OperandDesc) -> bool {
    NAMES.iter().any(|of| !names(of, Some(desc.kind), desc.field).is_empty())
}

/// The mode that a swizzle offset selects: the mode of the nearest listed offset at or below it.
fn swizzle_mode(target: Target, offset: u16) -> Option<u8> {
    let modes = NAMES[target as usize].swizzle.iter().filter(|m| m.first <= offset);
    modes.max_by_key(|m| m.first).map(|m| m.row)
}

/// The value of a field that is not a register: unchanged, or the value with the same name.
pub(super) fn value(from: Target, to: Target, desc: Option<&OperandDesc>, field: Field, value: u32) -> Option<u32> {
    let Ok(short) = u16::try_from(value) else { return Some(value) };
    let kind = desc.map(|i| i.kind);
    if kind == Some(OperandKind::Modifier(ModifierKind::Swizzle)) {
        return (swizzle_mode(from, short) == swizzle_mode(to, short)).then_some(value);
    }
    let (a, b) = (names(NAMES[from as usize], kind, field), names(NAMES[to as usize], kind, field));
    moved(a, b, short).map(u32::from)
}

/// Whether `vmcnt` also counts stores.
fn counts_stores(target: Target) -> bool {
    FACTS[target as usize].returns.is_empty()
}

/// Whether `s_waitcnt` ignores its constant on the target, because a counter of the constant does not exist there.
fn ignores_waitcnt(target: Target) -> bool {
    Counter::ALL.iter().any(|counter| Waitcnt::max(target, *counter).is_some() && !has(target, *counter))
}

/// Whether the target has a counter.
fn has(target: Target, counter: Counter) -> bool {
    COUNTS[target as usize].max.get(counter as usize).is_some_and(|max| *max > 0)
}

/// The constant with the same meaning; an error names the part that has no equivalent on the other target.
pub(super) fn imm(from: Target, to: Target, imm: Imm) -> Result<Imm, RetargetError> {
    if let Imm::Waitcnt(wait) = imm {
        let (ignored, ignored_there) = (ignores_waitcnt(from), ignores_waitcnt(to));
        // If the constant is ignored, the wait is for everything, whatever the constant says.
        let is_part = |counter: &&Counter| Waitcnt::max(from, **counter).is_some() && has(from, **counter);
        let of_wait = if ignored { None } else { wait.counters().iter().next() };
        let first = of_wait.or_else(|| Counter::ALL.iter().find(is_part).copied());
        if let Some(counter) = first.filter(|_| ignored != ignored_there) {
            return Err(RetargetError::Counter(counter));
        }
    }
    if let Imm::Hwreg(reg) = imm {
        let named = moved(NAMES[from as usize].hwreg, NAMES[to as usize].hwreg, reg.id.into());
        let named = named.and_then(|id| u8::try_from(id).ok());
        return hwreg::there(from, to, reg, named).map(Imm::Hwreg);
    }
    part(from, to, imm).map_err(|(field, value)| match field {
        Field::Message | Field::Op | Field::Instid0 | Field::Instid1 | Field::Instskip => {
            RetargetError::Name { target: from, field, value }
        }
        _ => RetargetError::Value { field, value: value.into() },
    })
}

fn part(from: Target, to: Target, imm: Imm) -> Result<Imm, (Field, u16)> {
    let (a, b) = (NAMES[from as usize], NAMES[to as usize]);
    Ok(match imm {
        Imm::Waitcnt(wait) => {
            // The hardware ignores bits outside of the counters. A counter's maximum means no wait on the other target,
            // so only lower counts can be expressed.
            let mut there = Waitcnt::new();
            for counter in wait.counters().iter() {
                let count = wait.get(counter).unwrap_or(0);
                // Stores have a counter of their own on the other target.
                if counter == Counter::Vmcnt && counts_stores(from) && !counts_stores(to) {
                    return Err((counter.field(), count.into()));
                }
                match Waitcnt::max(to, counter) {
                    Some(max) if count < max => there = there.with(counter, count),
                    _ => return Err((counter.field(), count.into())),
                }
            }
            Imm::Waitcnt(there)
        }
        same @ Imm::Hwreg(_) => same,
        Imm::Sendmsg(sent) => {
            let unknown = (Field::Message, sent.message.into());
            let there = moved(a.sendmsg, b.sendmsg, sent.message.into()).ok_or(unknown)?;
            // The message determines the possible operations.
            let (ops, ops_there) = match IMMS[from as usize].operations_of(sent.message) {
                Some(row) => (a.of_operations(row.list), b.of_operations(row.list)),
                None => (&[][..], &[][..]),
            };
            let op = moved(ops, ops_there, sent.op.into()).ok_or((Field::Op, sent.op.into()))?;
            Imm::Sendmsg(Sendmsg { message: there as u8, op: op as u8, ..sent })
        }
        same @ Imm::GprIdx(_) => same,
        Imm::Depctr(wait) => {
            for (part, count) in wait.parts() {
                if let Some(count) = count.filter(|count| *count >= Depctr::max(to, part)) {
                    return Err((part, count.into()));
                }
            }
            // Compilers set the bits outside of the parts, which wait for nothing. Bits that belong to a part on the
            // other target are left to that part.
            Imm::Depctr(Depctr { rest: wait.rest & !Depctr::parts_of(to), ..wait })
        }
        Imm::DelayAlu(delay) => {
            let [instid0, instid1] = [(Field::Instid0, delay.instid0), (Field::Instid1, delay.instid1)]
                .map(|(field, id)| moved(a.instid, b.instid, id.into()).ok_or((field, id.into())));
            let skip = delay.instskip.into();
            let instskip = moved(a.instskip, b.instskip, skip).ok_or((Field::Instskip, skip))?;
            // The hardware ignores bits outside of these parts.
            Imm::DelayAlu(DelayAlu {
                instid0: instid0? as u8,
                instskip: instskip as u8,
                instid1: instid1? as u8,
                rest: 0,
            })
        }
    })
}
