//! Addresses that code makes relative to itself: an instruction reads the program counter, and later instructions add
//! to the result.
//!
//! The column `address=` of the tables, [`AddressStep`], says which step of this sequence an instruction is.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::facts::{AddressStep, Purpose};
use amdgpu_isa::{Inst, Opcode, Operand, Reg, Target, Value, decode};

/// The number of instructions, after the one that reads the program counter, that are searched for the end of the
/// sequence.
const NEAR: usize = 40;
/// The number of instructions after a finished address that are searched for its use on each path; `ON_ALL_PATHS` is
/// the number on all paths together.
const AFTER: usize = 64;
const ON_ALL_PATHS: usize = 4 * AFTER;

/// An address that code makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeAddress {
    /// The address of the instruction that reads the program counter.
    pub reader: u64,
    /// The value that this instruction reads: the address of the next instruction.
    pub pc: u64,
    /// The finished address.
    pub goal: u64,
    /// The numbers that are added to `pc`, with the instructions that add them.
    pub parts: Vec<Part>,
    /// Whether code computes with the address, or accesses memory there. If the code then changes, the address itself
    /// is adjusted, but the results may be wrong.
    pub goes_on: bool,
}

/// A number that an instruction adds to an address, or to half of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The address of the instruction that adds the number.
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
    /// A number for the upper half that is an inline constant: 0 or -1.
    Sign,
    /// A number that is subtracted from the lower half, in the second dword.
    Less,
}

/// The numbers that are added to an address, and their sum.
struct Distance {
    parts: Vec<Part>,
    value: u64,
}

impl MadeAddress {
    /// The address that code makes from the program counter that `inst` reads, or `None` if the code cannot be
    /// followed. `after` is the code after the instruction.
    ///
    /// ```
    /// use amdgpu_isa::{Target, decode};
    /// use amdgpu_program::addresses::MadeAddress;
    /// let words = [0xbe80_1c00u32, 0x8000_ff00, 0x40, 0x8201_8001]; // s_getpc_b64 s[0:1]; s_add_u32 s0, s0, 0x40; s_addc_u32 s1, s1, 0
    /// let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    /// let inst = decode(Target::Gfx942, &code).unwrap();
    /// let made = MadeAddress::new(&inst, 0x100, &code[4..]).unwrap();
    /// assert_eq!((made.pc, made.goal), (0x104, 0x144));
    /// ```
    pub fn new(inst: &Inst, address: u64, after: &[u8]) -> Option<MadeAddress> {
        let pc = address.wrapping_add(inst.len() as u64);
        let pair = written(inst)?;
        let (distance, rest) = distance(inst.target(), pair, pc, after)?;
        Some(MadeAddress {
            reader: address,
            pc,
            goal: pc.wrapping_add(distance.value),
            goes_on: goes_on(inst.target(), pair, rest),
            parts: distance.parts,
        })
    }
}

/// Whether code takes only the upper half of the program counter that `inst` reads: it overwrites the lower half
/// before it reads it. The upper half is the same for code that moves a little. LLVM does so for PAL, whose tables have
/// 32-bit addresses beside the code. `after` is the code after the instruction.
pub fn takes_upper_half(inst: &Inst, mut after: &[u8]) -> bool {
    let Some(low) = written(inst) else { return false };
    let target = inst.target();
    for _ in 0..NEAR {
        let Ok(inst) = decode(target, after) else { return false };
        after = after.get(inst.len()..).unwrap_or_default();
        let flags = inst.flags();
        let leaves = flags.is_terminator() || flags.is_branch() || flags.is_call();
        if leaves || inst.reads().contains(Reg::Sgpr(low)) {
            return false;
        }
        if inst.writes().contains(Reg::Sgpr(low)) {
            return true;
        }
    }
    false
}

/// The first scalar register that an instruction writes.
fn written(inst: &Inst) -> Option<u8> {
    inst.operands().filter(|operand| operand.access.writes()).find_map(|operand| register(&operand))
}

fn register(operand: &Operand) -> Option<u8> {
    match operand.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n),
        _ => None,
    }
}

/// The register to which an instruction adds a number, or from which it subtracts one, and the operand with the number.
fn addition(inst: &Inst) -> Option<(u8, Operand)> {
    let mut operands = inst.operands();
    let (to, a, b) = (operands.next()?, operands.next()?, operands.next()?);
    let is_same = |from: &Operand| (register(&to), to.bits) == (register(from), from.bits);
    let is_less = matches!(inst.address_step(), Some(AddressStep::LowLess | AddressStep::HighLess));
    let number = if is_same(&a) { b } else { Some(a).filter(|_| !is_less && is_same(&b))? };
    Some((register(&to).filter(|_| to.access.writes())?, number))
}

/// Whether an instruction sign-extends the low bits of the high half, which does not change a near address.
fn extends(inst: &Inst, high: u8) -> bool {
    let is_step = matches!(inst.address_step(), Some(AddressStep::Sign8 | AddressStep::Sign16));
    is_step && inst.operands().take(2).all(|operand| register(&operand) == Some(high))
}

fn touches(inst: &Inst, pair: u8) -> bool {
    let touched = inst.reads() | inst.writes();
    touched.contains(Reg::Sgpr(pair)) || touched.contains(Reg::Sgpr(pair.saturating_add(1)))
}

/// The distance that is added to the address in a pair of registers, and the code after the last addition. `address` is
/// the address of the first instruction of `rest`.
fn distance(target: Target, pair: u8, mut address: u64, mut rest: &[u8]) -> Option<(Distance, &[u8])> {
    let mut search = Search { pair, high: pair.checked_add(1)?, number: None, low: None };
    for _ in 0..NEAR {
        let inst = decode(target, rest).ok()?;
        rest = rest.get(inst.len()..)?;
        match search.step(&inst, address) {
            Step::Finished(distance) => return Some((distance, rest)),
            Step::Lost => return None,
            Step::Followed => {}
        }
        let flags = inst.flags();
        if flags.is_terminator() || flags.is_branch() || flags.is_call() {
            return None;
        }
        address = address.wrapping_add(inst.len() as u64);
    }
    None
}

/// The search for the numbers that are added to the address in a pair of registers.
struct Search {
    pair: u8,
    high: u8,
    number: Option<Number>,
    low: Option<Low>,
}

/// A distance in a scalar register, which code made of a literal.
#[derive(Clone, Copy)]
struct Number {
    register: u8,
    part: Part,
    value: u32,
    /// Whether the value is the negative of the literal and its bias.
    is_negated: bool,
}

/// A number that has been added to the lower half of the address, or subtracted from it.
#[derive(Clone, Copy)]
struct Low {
    part: Part,
    value: u32,
    is_less: bool,
}

/// The result of a step of the search.
enum Step {
    Followed,
    Finished(Distance),
    /// The code cannot be followed.
    Lost,
}

impl Search {
    /// Follows the instruction at an address.
    fn step(&mut self, inst: &Inst, address: u64) -> Step {
        let step = inst.address_step();
        let part = |kind| Part { address, kind, bias: 0 };
        match (step, addition(inst).filter(|(to, _)| *to == self.pair || *to == self.high)) {
            (Some(AddressStep::Sum), Some((to, number))) if to == self.pair && self.low.is_none() => {
                whole(inst, &number)
                    .map_or(Step::Lost, |(kind, value)| Step::Finished(Distance { parts: vec![part(kind)], value }))
            }
            (Some(AddressStep::Low | AddressStep::LowLess), Some((to, number)))
                if to == self.pair && self.low.is_none() =>
            {
                self.low = self.lower(inst, &number, address);
                if self.low.is_some() { Step::Followed } else { Step::Lost }
            }
            (Some(AddressStep::High | AddressStep::HighLess), Some((to, number))) if to == self.high => {
                self.upper(inst, &number, address).map_or(Step::Lost, Step::Finished)
            }
            _ if extends(inst, self.high) => Step::Followed,
            _ => self.pass(inst, address),
        }
    }

    /// The number that an instruction adds to the lower half of the address, or subtracts from it.
    fn lower(&self, inst: &Inst, number: &Operand, address: u64) -> Option<Low> {
        let is_less = inst.address_step() == Some(AddressStep::LowLess);
        let kind = |is_negated: bool| if is_less != is_negated { PartKind::Less } else { PartKind::Low };
        match (number.value, self.number) {
            (Value::Literal(value), _) => {
                Some(Low { part: Part { address, kind: kind(false), bias: 0 }, value, is_less })
            }
            (_, Some(known)) if register(number) == Some(known.register) => {
                let part = Part { kind: kind(known.is_negated), ..known.part };
                Some(Low { part, value: known.value, is_less })
            }
            _ => None,
        }
    }

    /// The distance, if an instruction adds a number to the upper half of the address after one to the lower half. The
    /// number that is subtracted from the upper half is known if it is 0.
    fn upper(&self, inst: &Inst, number: &Operand, address: u64) -> Option<Distance> {
        let (low, value) = (self.low?, inst.constant(number)?);
        let is_less = inst.address_step() == Some(AddressStep::HighLess);
        let kind = match number.value {
            Value::Literal(_) if !is_less => PartKind::High,
            Value::Int(_) if !is_less || value == 0 => PartKind::Sign,
            _ => return None,
        };
        let value = value << 32 | u64::from(low.value);
        let value = if is_less { value.wrapping_neg() } else { value };
        let parts = vec![low.part, Part { address, kind, bias: 0 }];
        (is_less == low.is_less).then_some(Distance { parts, value })
    }

    /// Passes an instruction that does not change the address, and may make a distance.
    fn pass(&mut self, inst: &Inst, address: u64) -> Step {
        let is_carry_lost = self.low.is_some() && inst.writes().contains(Reg::Scc);
        if touches(inst, self.pair) || is_carry_lost {
            return Step::Lost;
        }
        let is_kept = |number: &Number| !inst.writes().contains(Reg::Sgpr(number.register));
        let number = made(inst, address).or_else(|| self.number.and_then(|number| absolute(inst, number)));
        self.number = number.or(self.number.filter(is_kept));
        Step::Followed
    }
}

/// The place and the value of a number that is added to both halves of an address.
fn whole(inst: &Inst, number: &Operand) -> Option<(PartKind, u64)> {
    let kind = match number.value {
        // A literal of 32 bits is extended with its sign.
        Value::Literal(_) => PartKind::Low,
        Value::Literal64 => PartKind::Whole,
        _ => return None,
    };
    Some((kind, inst.constant(number)?))
}

/// The distance that an instruction makes of a literal and an inline constant.
fn made(inst: &Inst, address: u64) -> Option<Number> {
    let mut operands = inst.operands().filter(|_| inst.address_step() == Some(AddressStep::Distance));
    let (to, a, b) = (operands.next()?, operands.next()?, operands.next()?);
    let is_literal = |operand: &Operand| matches!(operand.value, Value::Literal(_));
    let (literal, bias) = if is_literal(&a) { (a, b) } else { (b, a) };
    let (value, bias) = (inst.constant(&literal)? as u32, inst.constant(&bias)? as u32);
    let part = Part { address, kind: PartKind::Low, bias };
    is_literal(&literal).then_some(Number {
        register: register(&to)?,
        part,
        value: value.wrapping_add(bias),
        is_negated: false,
    })
}

/// The distance that remains if an instruction takes the absolute value of one.
fn absolute(inst: &Inst, number: Number) -> Option<Number> {
    let mut operands = inst.operands().filter(|_| inst.address_step() == Some(AddressStep::Absolute));
    let is_it = |operand: Operand| register(&operand) == Some(number.register);
    let is_same = is_it(operands.next()?) && is_it(operands.next()?);
    let value = number.value as i32;
    is_same.then_some(Number { value: value.unsigned_abs(), is_negated: number.is_negated != (value < 0), ..number })
}

/// Whether code computes with a finished address, or accesses memory there. `rest` is the code after the last addition.
/// Branches in `rest` are followed.
fn goes_on(target: Target, pair: u8, rest: &[u8]) -> bool {
    let mut left = ON_ALL_PATHS;
    // The offsets at which paths begin, each with the scalar registers that hold a half of the address there.
    let mut paths = vec![(0, 3u128 << pair.min(126))];
    let mut known: BTreeMap<usize, u128> = BTreeMap::new();
    while let Some((start, halves)) = paths.pop() {
        let before = known.entry(start).or_default();
        if *before | halves != *before {
            *before |= halves;
            if goes_on_from(target, rest, (start, halves), &mut paths, &mut left) {
                return true;
            }
        }
    }
    false
}

/// Whether code computes with the address, or accesses memory there, on the path from an offset to the first jump or
/// call. Adds the targets of branches to `paths`, and subtracts the instructions from `left`.
fn goes_on_from(
    target: Target,
    rest: &[u8],
    (mut at, mut halves): (usize, u128),
    paths: &mut Vec<(usize, u128)>,
    left: &mut usize,
) -> bool {
    for _ in 0..AFTER.min(*left) {
        *left -= 1;
        let Ok(inst) = decode(target, rest.get(at..).unwrap_or(&[])) else { return false };
        let flags = inst.flags();
        let goal = inst.branch_target(at as u64).and_then(|goal| usize::try_from(goal).ok());
        paths.extend(goal.filter(|goal| *goal < rest.len() && !flags.is_call()).map(|goal| (goal, halves)));
        at += inst.len();
        if flags.is_terminator() || flags.is_call() || flags.no_fallthrough() || flags.is_indirect_branch() {
            return false;
        }
        let is_read = inst.operands().any(|operand| operand.access.reads() && scalars(&operand) & halves != 0);
        // No shift to the right makes another address: it takes the upper half, or a number that can be followed on.
        let copies = matches!(inst.address_step(), Some(AddressStep::Copy | AddressStep::Select | AddressStep::Shift));
        if is_read && !copies && computes(&inst) {
            return true;
        }
        let written = inst.operands().filter(|operand| operand.access.writes());
        let written = written.fold(0, |all, operand| all | scalars(&operand));
        halves = if is_read && copies { halves | written } else { halves & !written };
        if halves == 0 {
            return false;
        }
    }
    false
}

/// The scalar registers of an operand, one bit for each.
fn scalars(operand: &Operand) -> u128 {
    let count = u32::from(operand.bits.div_ceil(32)).clamp(1, 127);
    register(operand).map_or(0, |n| ((1u128 << count) - 1).checked_shl(n.into()).unwrap_or(0))
}

/// Whether an instruction that reads an address, and does not copy it, computes another address from it or accesses
/// memory there.
fn computes(inst: &Inst) -> bool {
    let is_scalar = |operand: Operand| operand.access.writes() && register(&operand).is_some();
    let is_sum = |opcode: Opcode| opcode.purpose() == Some(Purpose::Sum);
    let has_sum = || is_sum(inst.opcode()) || inst.second_opcode().is_some_and(is_sum);
    let is_memory = inst.memory().next().is_some();
    is_memory || has_sum() || !inst.flags().is_compare() && inst.operands().any(is_scalar)
}

#[cfg(test)]
mod tests {
    use amdgpu_isa::parse;

    use super::*;

    #[test]
    fn sums_of_integers_make_addresses_of_an_address() {
        let makes = |target: Target, text: &str| computes(&parse(target, text).unwrap());
        for (processor, text, is_sum) in [
            ("gfx942", "v_lshl_add_u64 v[0:1], v[2:3], 3, s[4:5]", true),
            ("gfx942", "v_add_co_u32_e32 v0, vcc, s4, v1", true),
            ("gfx942", "v_mov_b32 v0, s4", false),
            ("gfx942", "s_cmp_eq_u32 s4, s5", false),
            // The name of this instruction contains neither `add` nor `mad`.
            ("gfx1100", "v_xad_u32 v0, v1, v2, s4", true),
            // The sum is the second operation of a pair.
            ("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_add_nc_u32 v3, s4, v2", true),
            ("gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_and_b32 v3, s4, v2", false),
            // A sum of floats is not an address.
            ("gfx1100", "v_add_f32_e32 v0, s4, v1", false),
        ] {
            if let Ok(target) = processor.parse::<Target>() {
                assert_eq!(makes(target, text), is_sum, "{text}");
            }
        }
    }
}
