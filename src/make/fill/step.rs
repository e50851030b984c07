//! Steps: the actions of [`plain`](super::plain()) for each descriptor, computed by the compiler.

use super::modifier::sign;
use crate::codec::{has_default, is_conditional, is_signed};
use crate::kind::{AddressKind, ListStyle, ModifierKind, NONE, OffsetKind, OperandKind, RegisterKind};
use crate::make::arguments::{Arguments, role};
use crate::opcode::Field;
use crate::table::OperandDesc;
use crate::target::{DESCS, Target};
use crate::value::Access;

/// The kinds of steps.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum StepKind {
    /// A vector register.
    Vector,
    /// A register or a constant.
    Code,
    /// Memory data: a vector register, unless a flag removes the operand or changes its length.
    Data,
    /// A vector address, which has two registers if there is no scalar address.
    Global,
    /// A scalar address, which may be missing.
    Scalar,
    /// The constant of an address in scalar memory, which may be missing.
    Offset,
    /// A constant.
    Number,
    /// A modifier that is zero if it is missing.
    Value,
    /// Any other modifier.
    Modifier,
    /// Negations, absolute values or sign extensions.
    Sign,
    /// Nothing to fill in.
    Nothing,
    /// A descriptor that only `fill` can handle.
    Unsure,
}

/// A descriptor in one number: the kind of step, and the position of the field's bits. The role of the field and the
/// width in dwords have the same positions as in an argument, so that one comparison finds the expected argument.
#[derive(Clone, Copy)]
pub(super) struct Step(u64);

/// A part of a step: its lowest bit and its width.
type Part = (u32, u32);

const LSB: Part = (0, 6);
const WIDTH: Part = (6, 6);
/// The lowest bit of the upper part of a field in two parts.
const HI: Part = (12, 6);
/// The width of the lower part of a field in two parts; otherwise 0.
const LO_WIDTH: Part = (18, 5);
/// The number that is subtracted from the code of a register.
const ADD: Part = (23, 10);
const SHIFT: Part = (33, 4);
/// The position of the first sign in `Filled::signs`.
const FIRST: Part = (23, 5);
/// The mask of the signs that the operation uses.
const USED: Part = (28, 8);
const KIND: Part = (37, 4);
const READS: Part = (41, 1);
/// Whether numbers have a sign.
const SIGNED: Part = (42, 1);
const DWORDS: Part = (Arguments::DWORDS_AT, 8);
const ROLE: Part = (Arguments::ROLE_AT, 8);

impl Step {
    /// The bits of the role in a key.
    pub const ROLE_ONLY: u32 = !(u8::MAX as u32);

    #[inline(always)]
    const fn part(self, (at, width): Part) -> u32 {
        (self.0 >> at) as u32 & ((1 << width) - 1)
    }

    /// The kind, which is stored as a number.
    #[inline(always)]
    pub fn kind(self) -> StepKind {
        use StepKind::*;
        const ALL: [StepKind; 16] = [
            Vector, Code, Data, Global, Scalar, Offset, Number, Value, Modifier, Sign, Nothing, Unsure, Unsure, Unsure,
            Unsure, Unsure,
        ];
        ALL[self.part(KIND) as usize % ALL.len()]
    }

    /// Whether the step is a register or a constant.
    #[inline(always)]
    pub fn is_register(self) -> bool {
        self.part(KIND) <= StepKind::Data as u32
    }

    /// The role of the field, as a number.
    #[inline(always)]
    pub fn role(self) -> u8 {
        self.part(ROLE) as u8
    }

    #[inline(always)]
    pub fn dwords(self) -> u16 {
        self.part(DWORDS) as u16
    }

    /// The role and the width, as [`Arguments::key`] has them.
    #[inline(always)]
    pub fn key(self) -> u32 {
        (self.0 >> Arguments::DWORDS_AT) as u32
    }

    /// Whether the operation reads the operand.
    #[inline(always)]
    pub fn reads(self) -> bool {
        self.part(READS) != 0
    }

    /// The position and the mask of the signs.
    #[inline(always)]
    pub fn signs(self) -> (u32, u32) {
        (self.part(FIRST), self.part(USED))
    }

    /// The value of a field that holds a code; too great for the field if the field cannot hold the code.
    #[inline(always)]
    pub fn value(self, code: u16) -> u32 {
        u32::from(code).wrapping_sub(self.part(ADD)).rotate_right(self.part(SHIFT))
    }

    /// The value of a field that holds a number; `None` if the number is out of range.
    #[inline(always)]
    pub fn number(self, n: i64) -> Option<u32> {
        let width = self.part(WIDTH);
        let least = if self.part(SIGNED) != 0 { -(1i64 << width >> 1) } else { 0 };
        let above = n.wrapping_sub(least) as u64;
        (above >> width == 0).then_some(n as u32 & ((1u64 << width) - 1) as u32)
    }

    /// The bits of a field with this value; `None` if it does not fit.
    #[inline(always)]
    pub fn bits(self, value: u32) -> Option<u64> {
        let value = u64::from(value);
        if value >> self.part(WIDTH) != 0 {
            return None;
        }
        let low = self.part(LO_WIDTH);
        if low == 0 {
            return Some(value << self.part(LSB));
        }
        Some((value & ((1 << low) - 1)) << self.part(LSB) | value >> low << self.part(HI))
    }

    pub const fn of(desc: &OperandDesc) -> Step {
        let kind = kind(desc);
        let reads = matches!(desc.access, Some(Access::Read | Access::ReadWrite));
        let (hi, low) = if desc.hi == NONE { (0, 0) } else { (desc.hi, desc.lo_width) };
        let mut all = put(KIND, kind as u64)
            | put(ROLE, role(desc.field) as u64)
            | put(LSB, desc.lsb as u64)
            | put(WIDTH, desc.width as u64)
            | put(HI, hi as u64)
            | put(LO_WIDTH, low as u64)
            | put(DWORDS, desc.dwords as u64)
            | put(READS, reads as u64)
            | put(SIGNED, is_signed(desc) as u64);
        match (kind, sign(desc)) {
            (StepKind::Sign, Some((sign, first))) => {
                all |= put(FIRST, 8 * sign as u64 + first as u64) | put(USED, desc.used_bits as u64);
            }
            _ => all |= put(ADD, desc.add as u64) | put(SHIFT, desc.shift as u64),
        }
        Step(all)
    }
}

/// The bits of a part.
const fn put((at, width): Part, value: u64) -> u64 {
    (value & ((1 << width) - 1)) << at
}

const fn kind(desc: &OperandDesc) -> StepKind {
    let fits = desc.lsb < 64 && (desc.hi < 64 || desc.hi == NONE) && desc.width <= 32 && desc.lo_width <= 32;
    let fits = fits && desc.add < 1 << ADD.1 && desc.shift < 1 << SHIFT.1;
    let is_split = desc.hi != NONE;
    if !fits || is_split && (desc.lo_width == 0 || desc.lo_width >= 1 << LO_WIDTH.1) {
        return StepKind::Unsure;
    }
    let is_returned = is_conditional(desc) && matches!(desc.access, Some(Access::Write));
    match (desc.kind, desc.access) {
        (OperandKind::Register(RegisterKind::Vcc), Some(_)) => StepKind::Nothing,
        _ if is_returned => StepKind::Unsure,
        (OperandKind::Register(RegisterKind::Code { .. }), Some(_)) => StepKind::Code,
        (OperandKind::Register(RegisterKind::Vector { .. }), Some(_)) => StepKind::Vector,
        (OperandKind::Register(RegisterKind::Data { .. }), Some(_)) => StepKind::Data,
        (OperandKind::Address(AddressKind::Global { .. }), Some(_)) => StepKind::Global,
        (OperandKind::Address(AddressKind::Scalar { .. }), Some(_)) if desc.dwords == 2 => StepKind::Scalar,
        (OperandKind::Offset(OffsetKind::Bytes { .. }), Some(_)) => StepKind::Offset,
        (OperandKind::Offset(OffsetKind::Sum { soffset, .. }), Some(_)) if soffset != NONE => StepKind::Offset,
        (OperandKind::Number(_), Some(_)) => StepKind::Number,
        (OperandKind::Modifier(kind), None) => modifier(desc, kind),
        _ => StepKind::Unsure,
    }
}

const fn modifier(desc: &OperandDesc, kind: ModifierKind) -> StepKind {
    let is_list = matches!(kind, ModifierKind::List(_));
    let is_sign = matches!(kind, ModifierKind::Hidden | ModifierKind::List(ListStyle::Neg));
    match kind {
        _ if is_sign && !matches!(desc.field, Field::Nfmt) => match sign(desc) {
            Some(_) => StepKind::Sign,
            None => StepKind::Nothing,
        },
        ModifierKind::Bitop3 { .. } | ModifierKind::Dpp8 { .. } => StepKind::Unsure,
        _ if is_list || !kind.is_optional() || has_default(desc.field) => StepKind::Modifier,
        _ => StepKind::Value,
    }
}

/// The number of descriptors of all targets together.
#[cfg(feature = "fast")]
const COUNT: usize = FIRST_OF[DESCS.len()];

/// The number of the first step of each target.
#[cfg(feature = "fast")]
const FIRST_OF: [usize; DESCS.len() + 1] = {
    let (mut first, mut n) = ([0; DESCS.len() + 1], 0);
    while n < DESCS.len() {
        first[n + 1] = first[n] + DESCS[n].descs.len();
        n += 1;
    }
    first
};

/// The steps of the descriptors of each target, one target after another.
#[cfg(feature = "fast")]
#[allow(long_running_const_eval)]
static STEPS: [Step; COUNT] = {
    let (mut all, mut target) = ([Step(0); COUNT], 0);
    while target < DESCS.len() {
        let (descs, mut n) = (DESCS[target].descs, 0);
        while n < descs.len() {
            all[FIRST_OF[target] + n] = Step::of(&descs[n]);
            n += 1;
        }
        target += 1;
    }
    all
};

/// The step of a target's descriptor.
#[cfg(feature = "fast")]
#[inline(always)]
pub(super) fn step(target: Target, desc: u16) -> Option<Step> {
    STEPS.get(FIRST_OF[target as usize] + usize::from(desc)).copied()
}

#[cfg(not(feature = "fast"))]
pub(super) fn step(target: Target, desc: u16) -> Option<Step> {
    DESCS[target as usize].descs.get(usize::from(desc)).map(Step::of)
}
