//! Nearly all instructions, without a branch that depends on which.
//!
//! A walk over real code cannot be predicted: what is decided by branches is decided wrongly once an instruction, and
//! that takes longer than to look up all that there is. So every word is looked up in the same way, and the answer is
//! either that it is an instruction of one dword or two with all in order, or that somebody else must look at it: a
//! code announces a further dword, a rule ties fields, or something is wrong.

use super::{broken, find, further, is_in_set, opcode_space, refused_by, zeros};
use crate::shared::marks;
use crate::table::{Constraints, DecodeTables};
use crate::target::generated::OP_INDICES;
use crate::target::{DECODE, FAST_DECODE};
use crate::{Inst, Target};

/// What `look` needs. Where bytes count more than time there is none.
pub(crate) struct FastDecode {
    /// What the top nine bits of the first dword say: the number of the opcode space, above five bits that are the bytes of
    /// the second dword (4, or 0).
    pub leads: [u16; 512],
    pub opcode_spaces: [FastOpcodeSpace; 32],
    /// Constraints of each opcode index; the first is that of no operation.
    pub constraints_of: [u8; OP_INDICES],
    pub constraints: [FastConstraints; 256],
    /// Kinds of codes in the checked fields of each constraints that announce a literal.
    pub literals: [[u32; 4]; 256],
    /// For each checked field of what kind a code is, a bit each: codes that no constraints tells apart there are of one kind. A checked field is
    /// nine bits, whatever the width of the field in it: what is above the field tells nothing.
    pub kinds: [[u32; 512]; 4],
    /// Opcode indices whose instructions have a branch distance, a bit each.
    pub branches: [u64; OP_INDICES / 64],
}

/// Where the fields lie.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastOpcodeSpace {
    /// Lowest bits of the checked fields.
    pub lsb: [u8; 4],
    /// Bits of the opcode. The first dword under this mask, times `gather`, has the opcode in its upper half, under
    /// `op_mask`: each of the pieces in which it lies has a bit in `gather` that shifts it to where it belongs.
    pub op: u32,
    pub gather: u64,
    pub op_mask: u32,
    /// `Inst::meta` of the first opcode index in the opcode space.
    pub meta: u32,
    /// All bits of the instruction.
    pub all: u64,
}

/// What words must be to need no further look.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastConstraints {
    /// Bits that are zero.
    pub zeros: u64,
    /// Kinds that the codes in the checked fields must not be.
    pub bad: [u32; 4],
}

/// No words are of it.
pub(crate) const NO_CONSTRAINTS: FastConstraints = FastConstraints { zeros: 0, bad: [u32::MAX; 4] };

/// Its only opcode index is one that no operation has.
pub(crate) const NO_OPCODE_SPACE: FastOpcodeSpace =
    FastOpcodeSpace { lsb: [0; 4], op: 0, op_mask: 0, meta: OP_INDICES as u32 - 1, gather: 0, all: 0 };

/// What the words are, if nobody else must look at them.
pub(crate) struct Fast {
    /// As in `Inst`.
    pub meta: u32,
    /// All bits of the instruction.
    pub all: u64,
    /// Bytes of the second dword: 4, or 0.
    pub more: u32,
}

/// A word in the tables.
struct Lookup<'a> {
    lead: u16,
    opcode_space: &'a FastOpcodeSpace,
    /// `Inst::meta`.
    meta: u32,
    /// Bits that should be zero.
    wrong: u64,
}

/// Where the words are in the tables, and what is wrong: as bits, and as kinds in the checked fields without some that are good.
#[inline(always)]
fn place(t: &FastDecode, bits: u64, good: impl Fn(u8) -> [u32; 4]) -> (Lookup<'_>, u32) {
    let word = bits as u32;
    let lead = t.leads[(word >> 23) as usize];
    let opcode_space = &t.opcode_spaces[usize::from(lead >> 5) % 32];
    let gathered = u64::from(word & opcode_space.op).wrapping_mul(opcode_space.gather);
    let meta = opcode_space.meta.wrapping_add((gathered >> 32) as u32 & opcode_space.op_mask);
    let constraints = t.constraints_of[meta as usize % OP_INDICES];
    let demands = &t.constraints[usize::from(constraints)];
    let good = good(constraints);
    let mut bad = 0;
    for (((lsb, kinds), refused), good) in opcode_space.lsb.iter().zip(&t.kinds).zip(demands.bad).zip(good) {
        bad |= kinds[(bits >> (lsb & 63)) as usize % 512] & refused & !good;
    }
    (Lookup { lead, opcode_space, meta, wrong: bits & demands.zeros }, bad)
}

#[inline(always)]
pub(crate) fn look(t: &FastDecode, bits: u64) -> Option<Fast> {
    let (place, bad) = place(t, bits, |_| [0; 4]);
    // From the table that is looked into first: the next instruction need not wait for the others.
    (u64::from(bad) | place.wrong == 0).then_some(Fast {
        meta: place.meta,
        all: place.opcode_space.all,
        more: u32::from(place.lead) & 4,
    })
}

/// What `look` leaves to others, if it has one dword or two and all is in order.
#[inline(never)]
pub(super) fn any(target: Target, bits: u64) -> Option<Fast> {
    literal(target, bits).or_else(|| other(target, bits))
}

/// One dword and a literal. Nothing is announced where all is in order but for the codes that announce literals, and
/// `look` found something.
#[inline(always)]
fn literal(target: Target, bits: u64) -> Option<Fast> {
    let t = FAST_DECODE[target as usize];
    let (place, bad) = place(t, bits, |constraints| t.literals[usize::from(constraints)]);
    let op_index = place.meta % OP_INDICES as u32;
    let meta = Inst::meta_of(target, 2) | Inst::meta(op_index, 0);
    (u64::from(bad) | place.wrong == 0).then_some(Fast { meta, all: u64::MAX, more: 4 })
}

#[inline(never)]
fn other(target: Target, bits: u64) -> Option<Fast> {
    let t = DECODE[target as usize];
    let opcode_space = opcode_space(t, bits as u32);
    let found = find(t, bits, opcode_space).filter(|found| found.dwords <= 2 && found.second == 0)?;
    let constraints = t.constraints.get(usize::from(found.constraints))?;
    // A table says nothing of bits behind the instruction.
    let checked = usize::from(opcode_space.checked);
    let good = bits & zeros(t, constraints) == 0
        && (0..4).all(|n| is_in_set(t, constraints, checked, n, bits))
        && (constraints.rules == 0 && constraints.marks & marks::CLOSER == 0
            || rare(t, found.constraints, constraints, bits));
    let two = u32::from(found.dwords) - 1;
    good.then(|| Fast {
        meta: found.meta() | Inst::meta_of(target, 1 + two),
        all: u64::MAX >> (32 - 32 * two),
        more: 4 * two,
    })
}

/// What few constraints demand.
#[cold]
fn rare(t: &DecodeTables, number: u8, constraints: &Constraints, bits: u64) -> bool {
    let (ones, more) = further(t, number, constraints);
    constraints.marks & (marks::SIZED | marks::WIDE) == 0
        && bits & ones == ones
        && refused_by(t, more, bits).is_none()
        && broken(t, constraints, &[bits, 0, 0]).is_none()
}
