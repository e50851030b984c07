//! Nearly all instructions, without a branch that depends on which.
//!
//! A walk over real code cannot be predicted: what is decided by branches is decided wrongly once an instruction, and
//! that takes longer than to look up all that there is. So every word is looked up in the same way, and the answer is
//! either that it is an instruction of one dword or two with all in order, or that somebody else must look at it: a
//! code announces a further dword, a rule ties fields, or something is wrong.

use super::{broken, family, find, further, in_lane, refused_by, zeros};
use crate::shared::marks;
use crate::table::{Class, DecodeTables};
use crate::target::generated::SLOTS;
use crate::target::{DECODE, FAST_DECODE};
use crate::{Inst, Target};

/// What `look` needs. Where bytes count more than time there is none.
pub(crate) struct FastDecode {
    /// What the top nine bits of the first dword say: the number of the family, above five bits that are the bytes of
    /// the second dword (4, or 0).
    pub leads: [u16; 512],
    pub families: [FastFamily; 32],
    /// Class of each slot; the first is that of no operation.
    pub class_of: [u8; SLOTS],
    pub classes: [FastClass; 256],
    /// Kinds of codes in the lanes of each class that announce a literal.
    pub literals: [[u32; 4]; 256],
    /// For each lane of what kind a code is, a bit each: codes that no class tells apart there are of one kind. A lane is
    /// nine bits, whatever the width of the field in it: what is above the field tells nothing.
    pub kinds: [[u32; 512]; 4],
    /// Slots whose instructions have a branch distance, a bit each.
    pub branches: [u64; SLOTS / 64],
}

/// Where the fields lie.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastFamily {
    /// Lowest bits of the lanes.
    pub lsb: [u8; 4],
    /// Bits of the opcode. The first dword under this mask, times `gather`, has the opcode in its upper half, under
    /// `op_mask`: each of the pieces in which it lies has a bit in `gather` that shifts it to where it belongs.
    pub op: u32,
    pub gather: u64,
    pub op_mask: u32,
    /// `Inst::meta` of the first slot in the family.
    pub meta: u32,
    /// All bits of the instruction.
    pub all: u64,
}

/// What words must be to need no further look.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastClass {
    /// Bits that are zero.
    pub zeros: u64,
    /// Kinds that the codes in the lanes must not be.
    pub bad: [u32; 4],
}

/// No words are of it.
pub(crate) const NO_CLASS: FastClass = FastClass { zeros: 0, bad: [u32::MAX; 4] };

/// Its only slot is one that no operation has.
pub(crate) const NO_FAMILY: FastFamily =
    FastFamily { lsb: [0; 4], op: 0, op_mask: 0, meta: SLOTS as u32 - 1, gather: 0, all: 0 };

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
struct Place<'a> {
    lead: u16,
    family: &'a FastFamily,
    /// `Inst::meta`.
    meta: u32,
    /// Bits that should be zero.
    wrong: u64,
}

/// Where the words are in the tables, and what is wrong: as bits, and as kinds in the lanes without some that are good.
#[inline(always)]
fn place(t: &FastDecode, bits: u64, good: impl Fn(u8) -> [u32; 4]) -> (Place<'_>, u32) {
    let word = bits as u32;
    let lead = t.leads[(word >> 23) as usize];
    let family = &t.families[usize::from(lead >> 5) % 32];
    let gathered = u64::from(word & family.op).wrapping_mul(family.gather);
    let meta = family.meta.wrapping_add((gathered >> 32) as u32 & family.op_mask);
    let class = t.class_of[meta as usize % SLOTS];
    let demands = &t.classes[usize::from(class)];
    let good = good(class);
    let mut bad = 0;
    for (((lsb, kinds), refused), good) in family.lsb.iter().zip(&t.kinds).zip(demands.bad).zip(good) {
        bad |= kinds[(bits >> (lsb & 63)) as usize % 512] & refused & !good;
    }
    (Place { lead, family, meta, wrong: bits & demands.zeros }, bad)
}

#[inline(always)]
pub(crate) fn look(t: &FastDecode, bits: u64) -> Option<Fast> {
    let (place, bad) = place(t, bits, |_| [0; 4]);
    // From the table that is looked into first: the next instruction need not wait for the others.
    (u64::from(bad) | place.wrong == 0).then_some(Fast {
        meta: place.meta,
        all: place.family.all,
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
    let (place, bad) = place(t, bits, |class| t.literals[usize::from(class)]);
    let slot = place.meta % SLOTS as u32;
    let meta = Inst::meta_of(target, 2) | Inst::meta(slot, 0);
    (u64::from(bad) | place.wrong == 0).then_some(Fast { meta, all: u64::MAX, more: 4 })
}

#[inline(never)]
fn other(target: Target, bits: u64) -> Option<Fast> {
    let t = DECODE[target as usize];
    let family = family(t, bits as u32);
    let found = find(t, bits, family).filter(|found| found.dwords <= 2)?;
    let class = t.classes.get(usize::from(found.class))?;
    // A table says nothing of bits behind the instruction.
    let lanes = usize::from(family.lanes);
    let good = bits & zeros(t, class) == 0
        && (0..4).all(|n| in_lane(t, class, lanes, n, bits))
        && (class.rules == 0 && class.marks & marks::CLOSER == 0 || rare(t, found.class, class, bits));
    let two = u32::from(found.dwords) - 1;
    good.then(|| Fast {
        meta: found.meta() | Inst::meta_of(target, 1 + two),
        all: u64::MAX >> (32 - 32 * two),
        more: 4 * two,
    })
}

/// What few classes demand.
#[cold]
fn rare(t: &DecodeTables, number: u8, class: &Class, bits: u64) -> bool {
    let (ones, more) = further(t, number, class);
    class.marks & (marks::SIZED | marks::WIDE) == 0
        && bits & ones == ones
        && refused_by(t, more, bits).is_none()
        && broken(t, class, &[bits, 0, 0]).is_none()
}
