//! Addresses that code computes from the program counter, and the numbers that the code adds to compute them.
//!
//! [`Addresses`] tracks the values of scalar registers from instruction to instruction. [`AddressStep`], which is the
//! column `address=` of the tables, says what an operation does to an address. This analysis serves control flow,
//! listings, the rewriting of code, and assembler sources made from code.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::addresses::{Addresses, PartKind};
//! use amdgpu_isa::{Target, decode_words};
//! // s_getpc_b64 s[0:1]; s_add_u32 s0, s0, 0x40; s_addc_u32 s1, s1, 0
//! let (mut addresses, mut at, mut made) = (Addresses::NONE, 0x100, None);
//! for words in [&[0xbe80_1c00][..], &[0x8000_ff00, 0x40], &[0x8201_8001]] {
//!     let inst = decode_words(Target::Gfx942, words).unwrap();
//!     made = addresses.step(&inst, at);
//!     at += inst.len() as u64;
//! }
//! let made = made.unwrap();
//! assert_eq!((made.from, made.address.offset), (0x104, 0x144));
//! assert_eq!(made.parts[0].map(|part| (part.address, part.kind)), Some((0x104, PartKind::Low)));
//! # }
//! ```

use crate::code::INT;
use crate::inst::Inst;
use crate::registers::RegSet;
use crate::table::AddressStep;
use crate::target::Target;
use crate::value::{Operand, Reg, Value};

const REGISTERS: usize = INT as usize;

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// No base: the offset is a number that does not depend on the place of the code.
    Number,
    /// The program counter; the number is the value that an instruction read from it. The offset is the whole address.
    Pc(u64),
    /// A pointer of unknown value. The number is the one by which the caller of the analysis identifies the pointer.
    Given(u8),
}

/// An address or a number in two registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownAddress {
    /// The base.
    pub base: Base,
    /// For [`Base::Pc`] the whole address, for [`Base::Number`] the number, for [`Base::Given`] the distance from the
    /// pointer.
    pub offset: u64,
    /// The code address from which on the value is known. The value is still known at a later instruction if no branch
    /// leads to a place between `since` and that instruction.
    pub since: u64,
}

/// A number that an instruction adds to an address, or to half of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The address of the instruction with the number.
    pub address: u64,
    /// The place of the number in the instruction, and the half of the address to which it is added.
    pub kind: PartKind,
    /// The number that code adds to this number before it adds the sum to the address; usually 0.
    pub bias: u32,
}

/// The place and the meaning of a number that is added to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A number for the lower half, in the second dword; if it is the only part, it is sign-extended to both halves.
    Low,
    /// A number for the upper half, in the second dword.
    High,
    /// A number for both halves, in the second and third dword.
    Whole,
    /// A number for the lower half, as an inline constant or in a register whose value comes from no known literal.
    Fixed,
    /// A number for the upper half, as an inline constant such as 0 or -1 or in a register; also any number that is
    /// subtracted from the upper half.
    Sign,
    /// A number in the second dword that is subtracted from the lower half.
    Less,
}

/// An address that an instruction finishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The address.
    pub address: KnownAddress,
    /// The offset of the address before the numbers are added to it.
    pub from: u64,
    /// The address of the earlier instruction that computed the lower half; `None` if one instruction computed both.
    pub low: Option<u64>,
    /// The numbers: one for each half, or one for both.
    pub parts: [Option<Part>; 2],
}

/// A literal dword of the instruction at `address`: a register's value is the sum of the literal and `bias`.
#[derive(Clone, Copy)]
struct Literal {
    address: u64,
    bias: u32,
    /// Whether the value is the negative of this sum.
    is_negated: bool,
}

/// The value of a register: a number, or a half of an address. After an addition to the lower half only, the upper half
/// of `of.offset` has no meaning.
#[derive(Clone, Copy)]
struct Known {
    of: KnownAddress,
    is_high: bool,
    literal: Option<Literal>,
}

/// An addition to a lower half, or a subtraction from it.
#[derive(Clone, Copy)]
struct Low {
    /// The half before the addition.
    from: Known,
    number: u32,
    carry: bool,
    since: u64,
    part: Part,
    is_less: bool,
    /// The address of the instruction that adds or subtracts.
    at: u64,
}

/// The scalar registers with known values.
#[derive(Clone)]
pub struct Addresses {
    values: [Known; REGISTERS],
    /// Bit sets of registers: `known` has those with a value in `values`, `halves` those with a half of an address.
    known: u128,
    halves: u128,
    carry: Option<Low>,
    written: u128,
}

impl Known {
    const fn number(value: u32, since: u64) -> Known {
        Known { of: KnownAddress { base: Base::Number, offset: value as u64, since }, is_high: false, literal: None }
    }

    fn is_number(&self) -> bool {
        self.of.base == Base::Number
    }

    fn value(&self) -> u32 {
        (if self.is_high { self.of.offset >> 32 } else { self.of.offset }) as u32
    }
}

impl KnownAddress {
    /// The address or number of two halves, if they belong together.
    fn of([low, high]: [Option<Known>; 2]) -> Option<KnownAddress> {
        let (low, high) = (low?, high?);
        let since = low.of.since.min(high.of.since);
        if low.is_number() && high.is_number() {
            let offset = u64::from(high.value()) << 32 | u64::from(low.value());
            return Some(KnownAddress { base: Base::Number, offset, since });
        }
        let is_one = low.of.base == high.of.base && low.of.offset as u32 == high.of.offset as u32;
        (is_one && !low.is_high && high.is_high).then_some(KnownAddress { since, ..high.of })
    }

    fn halves(self) -> [Option<Known>; 2] {
        [false, true].map(|is_high| {
            let half = Known { of: self, is_high, literal: None };
            Some(if half.is_number() { Known::number(half.value(), self.since) } else { half })
        })
    }

    /// The sum of the address and a number, or their difference.
    fn plus(self, number: u64, is_less: bool, since: u64) -> KnownAddress {
        let number = if is_less { number.wrapping_neg() } else { number };
        KnownAddress { offset: self.offset.wrapping_add(number), since: self.since.min(since), ..self }
    }
}

/// The scalar registers of an operand, as a set of bits: bit `n` is the register with the operand code `n`.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{Target, addresses::scalars, decode_words};
/// let target = Target::Gfx942;
/// let inst = decode_words(target, &[0xbeea_0104]).unwrap(); // s_mov_b64 vcc, s[4:5]
/// assert!(inst.operands().map(|operand| scalars(target, &operand)).eq([3 << 106, 3 << 4]));
/// # }
/// ```
pub fn scalars(target: Target, operand: &Operand) -> u128 {
    run(target, operand).map_or(0, |(first, count)| ((1 << count) - 1) << first)
}

fn run(target: Target, operand: &Operand) -> Option<(usize, usize)> {
    let (first, count) = match operand.value {
        Value::Reg(Reg::Sgpr(n)) => (n.into(), operand.bits.div_ceil(32).into()),
        Value::Reg(_) if !operand.is_vector() => RegSet::run(target, operand),
        _ => return None,
    };
    (count > 0 && first + count <= REGISTERS && count < REGISTERS).then_some((first, count))
}

impl Addresses {
    /// The state in which no register has a known value.
    pub const NONE: Addresses =
        Addresses { values: [Known::number(0, 0); REGISTERS], known: 0, halves: 0, carry: None, written: 0 };

    /// Whether no address is known.
    pub fn is_empty(&self) -> bool {
        self.halves == 0
    }

    /// Whether the values of all these registers are known. `registers` is a set of bits like that of [`scalars`].
    pub fn knows(&self, registers: u128) -> bool {
        self.known & registers == registers
    }

    /// Forgets all values, but not which registers were written.
    pub fn clear(&mut self) {
        (self.known, self.halves, self.carry) = (0, 0, None);
    }

    /// The registers that instructions have written, as a set of bits like that of [`scalars`].
    pub fn written(&self) -> u128 {
        self.written
    }

    /// Records an address that two scalar registers hold, the first of which has the number `first`.
    pub fn set(&mut self, first: u8, address: KnownAddress) {
        self.put(first.into(), 2, address.halves());
    }

    /// The address or number in the registers of an operand.
    pub fn address_in(&self, target: Target, operand: &Operand) -> Option<KnownAddress> {
        KnownAddress::of(self.registers(target, operand))
    }

    /// The value in the two registers of an operand; `None` if it is not known, or depends on a given pointer.
    pub fn value_in(&self, target: Target, operand: &Operand) -> Option<u64> {
        let value = |half: Known| (!matches!(half.of.base, Base::Given(_))).then(|| half.value());
        let [low, high] = self.registers(target, operand).map(|half| half.and_then(value));
        Some(u64::from(high?) << 32 | u64::from(low?))
    }

    fn put(&mut self, first: usize, count: usize, halves: [Option<Known>; 2]) {
        for (n, half) in (first..first + count).zip(halves) {
            let (Some(place), Some(half)) = (self.values.get_mut(n), half) else { continue };
            *place = half;
            self.known |= 1 << n;
            self.halves |= u128::from(!half.is_number()) << n;
        }
    }

    fn registers(&self, target: Target, operand: &Operand) -> [Option<Known>; 2] {
        let Some((first, count)) = run(target, operand) else { return [None; 2] };
        [0, 1].map(|half| {
            let value = self.values.get(first + half).filter(|_| half < count);
            value.copied().filter(|_| self.known >> (first + half) & 1 != 0)
        })
    }

    /// The two halves of the value of a source; the instruction is at `address`.
    fn source(&self, inst: &Inst, operand: &Operand, address: u64) -> [Option<Known>; 2] {
        let Some(value) = inst.constant(operand) else { return self.registers(inst.target(), operand) };
        let is_literal = matches!(operand.value, Value::Literal(_) | Value::Literal64);
        let literal = is_literal.then_some(Literal { address, bias: 0, is_negated: false });
        [value, value >> 32].map(|value| Some(Known { literal, ..Known::number(value as u32, u64::MAX) }))
    }

    /// Updates the values after the instruction at `address`. Returns the address that this instruction finishes.
    pub fn step(&mut self, inst: &Inst, address: u64) -> Option<Made> {
        let pc = address.wrapping_add(inst.len() as u64);
        let own = || KnownAddress { base: Base::Pc(pc), offset: pc, since: pc }.halves();
        let Some(step) = inst.address_step() else {
            self.forget(inst);
            if inst.flags().is_call() {
                self.clear();
                let to = inst.operands().find(|to| to.access.writes()).filter(|_| inst.reads_pc(address));
                if let Some((first, count)) = to.and_then(|to| run(inst.target(), &to)) {
                    self.put(first, count, own());
                }
            }
            return None;
        };
        let mut operands = inst.operands();
        let to = operands.next().filter(|to| to.access.writes()).and_then(|to| run(inst.target(), &to));
        let sources = [operands.next(), operands.next()];
        let [a, b] = sources.map(|from| from.map_or([None; 2], |from| self.source(inst, &from, address)));
        let carry = self.carry;
        self.forget(inst);
        let (first, count) = to?;
        let is_less = matches!(step, AddressStep::LowLess | AddressStep::HighLess);
        let mut made = None;
        let halves = match step {
            AddressStep::Pc => own(),
            AddressStep::Copy => a.map(|half| Some(Known { literal: None, ..half? })),
            AddressStep::Sign8 | AddressStep::Sign16 => [extended(step, a[0]?), None],
            AddressStep::Shift => match (b[0].filter(Known::is_number)?.value() & 63, KnownAddress::of(a)) {
                (32, _) => [a[1], Some(Known::number(0, pc))],
                (by, Some(KnownAddress { base: Base::Number, offset, since })) => {
                    KnownAddress { base: Base::Number, offset: offset >> by, since }.halves()
                }
                _ => return None,
            },
            AddressStep::Distance => [distance(a[0]?, b[0]?), None],
            AddressStep::Absolute => {
                let from = a[0].filter(Known::is_number)?;
                let value = from.value() as i32;
                let negate = |old: Literal| Literal { is_negated: old.is_negated != (value < 0), ..old };
                let literal = from.literal.map(negate);
                [Some(Known { literal, ..Known::number(value.unsigned_abs(), from.of.since) }), None]
            }
            AddressStep::Sum => {
                let sum = whole_sum([KnownAddress::of(a)?, KnownAddress::of(b)?], &sources, address)?;
                made = Some(sum);
                sum.address.halves()
            }
            AddressStep::Low | AddressStep::LowLess => {
                let low = Low::new((address, is_less), a[0]?, b[0]?)?;
                self.carry = Some(low);
                let (sum, _) = sum(low.from.value(), low.number, false, is_less);
                [
                    Some(Known {
                        of: KnownAddress { offset: sum.into(), since: low.since, ..low.from.of },
                        ..low.from
                    }),
                    None,
                ]
            }
            AddressStep::High | AddressStep::HighLess => {
                let (half, finished) = carry?.finish((address, is_less), a[0]?, b[0]?)?;
                made = finished;
                [Some(half), None]
            }
            AddressStep::Jump | AddressStep::Select => return None,
        };
        // A register holds a constant only from the next instruction on, although the constant never changes.
        let stored = |half: Known| Known { of: KnownAddress { since: half.of.since.min(pc), ..half.of }, ..half };
        self.put(first, count, halves.map(|half| half.map(stored)));
        made.filter(|made| made.address.base != Base::Number)
    }

    /// Forgets the registers that an instruction writes.
    pub fn forget(&mut self, inst: &Inst) {
        let mut written = 0;
        for operand in inst.operands().filter(|operand| operand.access.writes()) {
            match operand.value {
                Value::Reg(Reg::Scc) => self.carry = None,
                _ => written |= scalars(inst.target(), &operand),
            }
        }
        self.written |= written;
        self.known &= !written;
        self.halves &= !written;
    }
}

/// The sum of an address and a number that the instruction at `address` computes; `None` if neither is a number.
fn whole_sum([a, b]: [KnownAddress; 2], sources: &[Option<Operand>; 2], address: u64) -> Option<Made> {
    let (from, number) = if b.base == Base::Number { (a, b) } else { (b, a) };
    let part = |kind| Some(Part { address, kind, bias: 0 });
    let parts = match sources.iter().flatten().find(|source| !matches!(source.value, Value::Reg(_))) {
        // A literal of 32 bits is sign-extended.
        Some(Operand { value: Value::Literal(_), .. }) => [part(PartKind::Low), None],
        Some(Operand { value: Value::Literal64, .. }) => [part(PartKind::Whole), None],
        _ => [part(PartKind::Fixed), part(PartKind::Sign)],
    };
    let sum = from.plus(number.offset, false, number.since);
    (number.base == Base::Number).then_some(Made { address: sum, from: from.offset, low: None, parts })
}

/// The sign extension of a number. An upper half of an address stays as it is, because its upper bits are all equal.
fn extended(step: AddressStep, from: Known) -> Option<Known> {
    let value = from.value();
    let number = if step == AddressStep::Sign8 { i32::from(value as i8) } else { i32::from(value as i16) };
    match from.is_number() {
        true => Some(Known::number(number as u32, from.of.since)),
        false => Some(from).filter(|from| from.is_high),
    }
}

/// The sum of two numbers, one of which can be a literal.
fn distance(a: Known, b: Known) -> Option<Known> {
    let literal = match (a.literal, b.literal) {
        (Some(literal), None) => Some((literal, b.value())),
        (None, Some(literal)) => Some((literal, a.value())),
        _ => None,
    };
    let literal = literal.filter(|(literal, _)| !literal.is_negated);
    let literal = literal.map(|(old, more)| Literal { bias: old.bias.wrapping_add(more), ..old });
    let sum = Known::number(a.value().wrapping_add(b.value()), a.of.since.min(b.of.since));
    (a.is_number() && b.is_number()).then_some(Known { literal, ..sum })
}

/// The sum or difference of two numbers and a carry, and the carry out of it.
fn sum(a: u32, b: u32, carry: bool, is_less: bool) -> (u32, bool) {
    let of = |a: u32, b: u32| if is_less { a.overflowing_sub(b) } else { a.overflowing_add(b) };
    let ((first, one), carry) = (of(a, b), carry.into());
    let (value, other) = of(first, carry);
    (value, one || other)
}

/// Sorts two operands: first a half of an address (or a number), then the number to add to it or subtract from it.
fn ordered(is_less: bool, a: Known, b: Known) -> Option<(Known, Known)> {
    match (a.is_number(), b.is_number()) {
        (_, true) => Some((a, b)),
        (true, false) if !is_less => Some((b, a)),
        _ => None,
    }
}

impl Low {
    fn new((at, is_less): (u64, bool), a: Known, b: Known) -> Option<Low> {
        let (from, number) = ordered(is_less, a, b).filter(|(from, _)| !from.is_high)?;
        let kind = |is_negated: bool| if is_less != is_negated { PartKind::Less } else { PartKind::Low };
        let of =
            |literal: Literal| Part { address: literal.address, kind: kind(literal.is_negated), bias: literal.bias };
        let part = number.literal.map_or(Part { address: at, kind: PartKind::Fixed, bias: 0 }, of);
        let (_, carry) = sum(from.value(), number.value(), false, is_less);
        let since = from.of.since.min(number.of.since);
        Some(Low { from: Known { literal: None, ..from }, number: number.value(), carry, since, part, is_less, at })
    }

    /// The upper half after the addition or subtraction that finishes the address, and the finished address.
    fn finish(&self, (at, is_less): (u64, bool), a: Known, b: Known) -> Option<(Known, Option<Made>)> {
        let (half, number) = ordered(is_less, a, b)?;
        let since = self.since.min(number.of.since);
        if half.is_number() && self.from.is_number() {
            let (value, _) = sum(half.value(), number.value(), self.carry, is_less);
            return Some((Known::number(value, since.min(half.of.since)), None));
        }
        let fits =
            (self.from.of.base, self.from.value(), self.is_less) == (half.of.base, half.of.offset as u32, is_less);
        let address = half.of.plus(u64::from(number.value()) << 32 | u64::from(self.number), is_less, since);
        let is_own = number.literal.is_some_and(|literal| literal.address == at && !is_less);
        let part = Part { address: at, kind: if is_own { PartKind::High } else { PartKind::Sign }, bias: 0 };
        let made = Made { address, from: half.of.offset, low: Some(self.at), parts: [Some(self.part), Some(part)] };
        (fits && half.is_high).then_some((Known { of: address, is_high: true, literal: None }, Some(made)))
    }
}
