//! Decodes nearly all instructions without a branch that depends on the instruction.
//!
//! Real code is unpredictable: a decoder that branches on the words mispredicts about once per instruction, and that
//! costs more than all the table look-ups. So every word takes the same look-ups, with one of two results. Either it is
//! a valid instruction of one or two dwords, or other code must decide, because a code announces another dword, a rule
//! ties fields, or the words are invalid.

use super::{broken, find, further, is_in_set, mask, opcode_space, refused_by};
use crate::shared::marks;
use crate::table::{Constraints, DecodeTables};
use crate::target::generated::{BaseConstraintIndex, ConstraintIndex, FAST_CONSTRAINTS, MARKS, OP_INDICES};
use crate::target::{DECODE, FAST_DECODE};
use crate::{Inst, Target};

/// The tables of `look`. They exist only with the feature `fast`.
pub(crate) struct FastDecode {
    /// For each value of the top nine bits of the first dword: the number of the opcode space in the bits from 5 up,
    /// and below it the size of the second dword in bytes, 4 or 0.
    pub leads: [u16; 512],
    pub opcode_spaces: [FastOpcodeSpace; 32],
    /// Constraints of each opcode index. The first constraints are those of unused opcode indices; no words satisfy
    /// them.
    pub constraints_of: [BaseConstraintIndex; OP_INDICES],
    pub constraints: [FastConstraints; FAST_CONSTRAINTS],
    /// For all constraints, the groups of codes that announce a literal in each checked field.
    pub literals: [[u32; 4]; FAST_CONSTRAINTS],
    /// For each checked field, the group of each code, as one bit. Codes that no constraints distinguish in that field
    /// are in the same group. The index is nine bits, however wide the field is; the group does not depend on the bits
    /// above the field.
    pub groups: [[u32; 512]; 4],
    /// Opcode indices whose instructions have a branch distance, one bit each.
    pub branches: [u64; OP_INDICES / 64],
}

/// Where the fields of an opcode space are.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastOpcodeSpace {
    /// Lowest bits of the checked fields.
    pub lsb: [u8; 4],
    /// Mask of the opcode's bits. The first dword under this mask, multiplied by `gather`, has the opcode in its upper
    /// half, under `op_mask`. `gather` has one bit for each piece of the opcode, which shifts the piece to its place.
    pub op: u32,
    pub gather: u64,
    pub op_mask: u32,
    /// `Inst::meta` of the first opcode index in the opcode space.
    pub meta: u32,
    /// Mask of the instruction's bits.
    pub all: u64,
}

/// The constraints that words must satisfy for `look` to accept them.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastConstraints {
    /// Bits that must be zero.
    pub zeros: u64,
    /// For each checked field, the groups of codes that it must not hold.
    pub bad: [u32; 4],
}

/// No words satisfy these.
pub(crate) const NO_CONSTRAINTS: FastConstraints = FastConstraints { zeros: 0, bad: [u32::MAX; 4] };

/// Its only opcode index is unused.
pub(crate) const NO_OPCODE_SPACE: FastOpcodeSpace =
    FastOpcodeSpace { lsb: [0; 4], op: 0, op_mask: 0, meta: OP_INDICES as u32 - 1, gather: 0, all: 0 };

/// A valid instruction of one or two dwords.
pub(crate) struct Fast {
    /// As in `Inst`.
    pub meta: u32,
    /// Mask of the instruction's bits.
    pub all: u64,
    /// Size of the second dword in bytes: 4 or 0.
    pub more: u32,
}

/// The result of looking words up in the tables.
struct Lookup<'a> {
    lead: u16,
    opcode_space: &'a FastOpcodeSpace,
    /// `Inst::meta`.
    meta: u32,
    /// Bits that are set but must be zero.
    wrong: u64,
}

/// Looks words up. The second result is zero if each checked field holds an allowed code; groups in `good` are allowed
/// in addition.
#[inline(always)]
fn place(t: &FastDecode, bits: u64, good: impl Fn(BaseConstraintIndex) -> [u32; 4]) -> (Lookup<'_>, u32) {
    let word = bits as u32;
    let lead = t.leads[(word >> 23) as usize];
    let opcode_space = &t.opcode_spaces[usize::from(lead >> 5) % 32];
    let gathered = u64::from(word & opcode_space.op).wrapping_mul(opcode_space.gather);
    let meta = opcode_space.meta.wrapping_add((gathered >> 32) as u32 & opcode_space.op_mask);
    let constraints = t.constraints_of[meta as usize % OP_INDICES];
    let demands = &t.constraints[usize::from(constraints) % FAST_CONSTRAINTS];
    let good = good(constraints);
    let mut bad = 0;
    for (((lsb, groups), refused), good) in opcode_space.lsb.iter().zip(&t.groups).zip(demands.bad).zip(good) {
        bad |= groups[(bits >> (lsb & 63)) as usize % 512] & refused & !good;
    }
    (Lookup { lead, opcode_space, meta, wrong: bits & demands.zeros }, bad)
}

#[inline(always)]
pub(crate) fn look(t: &FastDecode, bits: u64) -> Option<Fast> {
    let (place, bad) = place(t, bits, |_| [0; 4]);
    // `more` comes from the first table, so that the next instruction need not wait for the other look-ups.
    (u64::from(bad) | place.wrong == 0).then_some(Fast {
        meta: place.meta,
        all: place.opcode_space.all,
        more: u32::from(place.lead) & 4,
    })
}

/// Decodes words that `look` did not accept, if they are a valid instruction of one or two dwords.
#[inline(never)]
pub(super) fn any(target: Target, bits: u64) -> Option<Fast> {
    literal(target, bits).or_else(|| other(target, bits))
}

/// Decodes one dword with a literal. `look` refused the words. If they are valid apart from codes that announce a
/// literal, such a code must be the reason, so a literal follows.
#[inline(always)]
fn literal(target: Target, bits: u64) -> Option<Fast> {
    let t = FAST_DECODE[target as usize];
    let (place, bad) = place(t, bits, |constraints| t.literals[usize::from(constraints) % FAST_CONSTRAINTS]);
    let op_index = place.meta % OP_INDICES as u32;
    let meta = Inst::meta_of(target, 2) | Inst::meta(op_index, 0);
    (u64::from(bad) | place.wrong == 0).then_some(Fast { meta, all: u64::MAX, more: 4 })
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
                && (constraints.rules == 0 && constraints.marks & (marks::CLOSER & !marks::DUAL) == 0
                    || rare(t, number, constraints, bits))
        })
    };
    let good = is_good(found.constraints) && (MARKS & marks::DUAL == 0 || found.second == 0 || is_good(found.second));
    let two = u32::from(found.dwords) - 1;
    good.then(|| Fast {
        meta: found.meta() | Inst::meta_of(target, 1 + two),
        all: u64::MAX >> (32 - 32 * two),
        more: 4 * two,
    })
}

/// Checks what only a few constraints demand.
#[cold]
fn rare(t: &DecodeTables, number: ConstraintIndex, constraints: &Constraints, bits: u64) -> bool {
    let (ones, more) = further(t, number, constraints);
    constraints.marks & (marks::SIZED | marks::WIDE) == 0
        && bits & ones == ones
        && refused_by(t, more, bits).is_none()
        && broken(t, constraints, &[bits, 0, 0]).is_none()
}
