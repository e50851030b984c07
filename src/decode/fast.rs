//! Decoder of nearly all instructions. Its common path has no branch that depends on the instruction.
//!
//! Real code is unpredictable: a decoder that branches on the words mispredicts about once per instruction, and that
//! costs more than all the table look-ups. So `look` makes the same look-ups for all words, and accepts most
//! instructions of one or two dwords. `any` reads most of the other valid instructions of one to three dwords, with
//! branches: those with a literal, with two operations, with three dwords, or with fields that a rule ties. `reference`
//! reads all other words.

use super::find;
use crate::constraint::{broken, further, is_in_set, mask, op_index, opcode_space, refused_by, second_index};
use crate::inst::Inst;
use crate::shared::constraint_flags;
use crate::table::fast_decode::{FastConstraints, FastDecode, FastOpcodeSpace};
use crate::table::sizes::{
    ANY_THIRD, BaseConstraintIndex, CHECKED_FIELDS, CONSTRAINT_FLAGS, ConstraintIndex, FAST_CONSTRAINTS, OP_INDICES,
    OPCODE_SPACES,
};
use crate::table::{Constraints, DecodeTables, trailing};
use crate::target::{DECODE, FAST_DECODE, Target};

/// A valid instruction of one to three dwords.
pub(crate) struct Fast {
    /// The value of `Inst::meta`.
    pub meta: u32,
    /// The mask of the instruction's bits in the first two dwords.
    pub all: u64,
    /// The size of the dwords after the first one, in bytes: 0, 4 or 8.
    pub more: u32,
}

/// The result of looking words up in the tables.
struct Lookup<'a> {
    demands: &'a FastConstraints,
    /// The value of `Inst::meta`.
    meta: u32,
    /// The groups of codes in checked fields that are not allowed; zero if all codes are allowed.
    bad: u32,
}

/// Looks words up. The groups of codes that `good` returns are allowed, too.
#[inline(always)]
fn place<'a>(
    t: &'a FastDecode,
    opcode_space: &FastOpcodeSpace,
    bits: u64,
    good: impl Fn(BaseConstraintIndex) -> [u32; 4],
) -> Lookup<'a> {
    let gathered = u64::from(bits as u32 & opcode_space.op).wrapping_mul(opcode_space.gather);
    let meta = opcode_space.meta.wrapping_add((gathered >> 32) as u32 & opcode_space.op_mask);
    let constraints = t.constraints_of[meta as usize % OP_INDICES];
    let demands = &t.constraints[usize::from(constraints) % FAST_CONSTRAINTS];
    let good = good(constraints);
    let mut bad = 0;
    for (((lsb, groups), refused), good) in opcode_space.lsb.iter().zip(&t.groups).zip(demands.bad).zip(good) {
        bad |= groups[(bits >> (lsb & 63)) as usize % 512] & refused & !good;
    }
    Lookup { demands, meta, bad }
}

/// The table entry of the top nine bits, and the opcode space.
#[inline(always)]
fn lead(t: &FastDecode, bits: u64) -> (u16, &FastOpcodeSpace) {
    let lead = t.leads[(bits as u32 >> 23) as usize];
    (lead, &t.opcode_spaces[usize::from(lead >> 5) % 32])
}

#[inline(always)]
pub(crate) fn look(t: &FastDecode, bits: u64) -> Option<Fast> {
    let (lead, opcode_space) = lead(t, bits);
    let Lookup { demands, meta, bad } = place(t, opcode_space, bits, |_| [0; 4]);
    // `more` comes from the first table, so that the next instruction need not wait for the other look-ups.
    (u64::from(bad) | bits & demands.zeros == 0).then_some(Fast {
        meta,
        all: opcode_space.all,
        more: u32::from(lead) & 4,
    })
}

impl Inst {
    /// Whether `look` accepts these bits as the same operation with the same length.
    #[inline(always)]
    pub(crate) fn is_with(&self, bits: u64) -> bool {
        look(FAST_DECODE[self.target() as usize], bits).is_some_and(|fast| Inst::of(bits, 0, fast.meta).is_like(self))
    }
}

/// Decodes words that `look` did not accept; `None` if `reference` must decode them. `third` is the third dword, if
/// there is one.
#[inline(never)]
pub(super) fn any(target: Target, bits: u64, third: Option<u32>) -> Option<Fast> {
    let t = FAST_DECODE[target as usize];
    let (lead, opcode_space) = lead(t, bits);
    if ANY_THIRD && lead == 1 {
        return long(target, bits, third);
    }
    literal(target, bits, third, (lead, opcode_space)).or_else(|| other(target, bits))
}

/// Decodes base words of one or two dwords that `look` refused, if a literal follows them. If the words are valid apart
/// from codes that announce a literal, one of these codes is the reason for the refusal, so a literal follows.
#[inline(always)]
fn literal(
    target: Target,
    bits: u64,
    third: Option<u32>,
    (lead, opcode_space): (u16, &FastOpcodeSpace),
) -> Option<Fast> {
    let t = FAST_DECODE[target as usize];
    let literals = |constraints| t.literals[usize::from(constraints) % FAST_CONSTRAINTS];
    let Lookup { demands, meta, bad } = place(t, opcode_space, bits, literals);
    let dwords = if ANY_THIRD { 2 + (u32::from(lead) >> 2 & 1) } else { 2 };
    (u64::from(bad) | bits & demands.zeros == 0 && (dwords == 2 || third.is_some()))
        .then(|| whole(target, meta % OP_INDICES as u32, dwords))
}

/// An instruction that uses all bits of its two or three dwords.
#[inline(always)]
fn whole(target: Target, op_index: u32, dwords: u32) -> Fast {
    Fast { meta: Inst::meta_of(target, dwords) | Inst::meta(op_index, 0), all: u64::MAX, more: 4 * (dwords - 1) }
}

/// Decodes an instruction of three dwords, or a dual instruction.
#[inline(always)]
fn long(target: Target, bits: u64, third: Option<u32>) -> Option<Fast> {
    let (t, small) = (FAST_DECODE[target as usize], DECODE[target as usize]);
    let number = small.opcode_space_of[(bits as u32 >> 23) as usize];
    if CONSTRAINT_FLAGS & constraint_flags::DUAL != 0
        && small.opcode_spaces[usize::from(number) % OPCODE_SPACES].second_op_base != 0
    {
        return dual(target, bits, third);
    }
    let Lookup { demands, meta, bad } = place(t, &t.opcode_spaces[usize::from(number) % 32], bits, |_| [0; 4]);
    let (third, [zeros, last]) = (third?, demands.third);
    let wrong = bits & demands.zeros | u64::from(third & zeros | bad);
    (wrong == 0 && third & last != last).then(|| whole(target, meta % OP_INDICES as u32, 3))
}

/// Decodes a dual instruction, with or without a literal.
#[inline(always)]
fn dual(target: Target, bits: u64, third: Option<u32>) -> Option<Fast> {
    let (t, small) = (FAST_DECODE[target as usize], DECODE[target as usize]);
    let opcode_space = opcode_space(small, bits as u32);
    let first = op_index(opcode_space, bits);
    let checked = &CHECKED_FIELDS[usize::from(opcode_space.checked) % CHECKED_FIELDS.len()];
    let (mut wrong, mut announced) = (0, 0);
    for op_index in [first, second_index(small, bits as u32)?] {
        let constraints = usize::from(t.constraints_of[usize::from(op_index) % OP_INDICES]) % FAST_CONSTRAINTS;
        let demands = &t.constraints[constraints];
        wrong |= bits & demands.zeros;
        // Dual instructions use only two of the four checked fields.
        for (n, (lsb, _)) in checked.iter().take(2).enumerate() {
            let (group, literal) = (t.groups[n][(bits >> (lsb & 63)) as usize % 512], t.literals[constraints][n]);
            wrong |= u64::from(group & demands.bad[n] & !literal);
            announced |= group & literal;
        }
        let all = small.constraints.get(constraints)?;
        // VOPD3 has three dwords without a literal.
        if all.flags & constraint_flags::WIDE != 0 {
            return None;
        }
        announced |= u32::from(all.trailing & trailing::ALWAYS);
    }
    let dwords = 2 + u32::from(announced != 0);
    (wrong == 0 && (dwords == 2 || third.is_some())).then(|| whole(target, first.into(), dwords))
}

#[inline(never)]
fn other(target: Target, bits: u64) -> Option<Fast> {
    let t = DECODE[target as usize];
    let opcode_space = opcode_space(t, bits as u32);
    let found = find(t, bits, opcode_space).filter(|found| found.dwords <= 2)?;
    // The tables' masks do not cover bits after the instruction.
    let checked = usize::from(opcode_space.checked);
    let is_good = |number: ConstraintIndex| {
        t.constraints.get(usize::from(number)).is_some_and(|constraints| {
            bits & mask(t, constraints.zeros) == 0
                && (0..4).all(|n| is_in_set(t, constraints, checked, n, bits))
                && (constraints.rules == 0 && constraints.flags & constraint_flags::CLOSER == 0
                    || rare(t, number, constraints, bits))
        })
    };
    let good = is_good(found.constraints);
    let two = u32::from(found.dwords) - 1;
    good.then(|| Fast {
        meta: found.meta() | Inst::meta_of(target, 1 + two),
        all: u64::MAX >> (32 - 32 * two),
        more: 4 * two,
    })
}

/// Checks the demands that only a few constraints have.
#[cold]
fn rare(t: &DecodeTables, number: ConstraintIndex, constraints: &Constraints, bits: u64) -> bool {
    let (ones, more) = further(t, number, constraints);
    constraints.flags & (constraint_flags::SIZED | constraint_flags::WIDE) == 0
        && bits & ones == ones
        && refused_by(t, more, bits).is_none()
        && broken(t, constraints, &[bits, 0, 0]).is_none()
}
