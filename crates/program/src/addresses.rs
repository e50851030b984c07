//! Addresses that code makes relative to itself: an instruction reads the program counter, and later instructions add
//! to the result.
//!
//! The column `address=` of the tables, [`AddressStep`], says which step of this sequence an instruction is.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use amdgpu_isa::addresses::{Addresses, Made, scalars};
use amdgpu_isa::facts::{AddressStep, Purpose};
use amdgpu_isa::{Access, Inst, Opcode, Target, decode};

pub use amdgpu_isa::addresses::{Part, PartKind};

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
    /// The numbers that are added to `pc`, with the instructions that have them.
    pub parts: Vec<Part>,
    /// Whether code computes with the address, or accesses memory there. If the code then changes, the address itself
    /// is adjusted, but the results may be wrong.
    pub goes_on: bool,
}

impl MadeAddress {
    /// The addresses that code makes from the program counter that `inst` reads, or `None` if the code cannot be
    /// followed. `after` is the code after the instruction. The last of several addresses is the program counter itself
    /// if code keeps it.
    ///
    /// ```
    /// use amdgpu_isa::{Target, decode};
    /// use amdgpu_program::addresses::MadeAddress;
    /// let words = [0xbe80_1c00u32, 0x8000_ff00, 0x40, 0x8201_8001]; // s_getpc_b64 s[0:1]; s_add_u32 s0, s0, 0x40; s_addc_u32 s1, s1, 0
    /// let code: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    /// let inst = decode(Target::Gfx942, &code).unwrap();
    /// let all = MadeAddress::all(&inst, 0x100, &code[4..]).unwrap();
    /// assert!(all.iter().map(|made| (made.pc, made.goal)).eq([(0x104, 0x144)]));
    /// ```
    pub fn all(inst: &Inst, reader: u64, after: &[u8]) -> Option<Vec<MadeAddress>> {
        let (target, pc) = (inst.target(), reader.wrapping_add(inst.len() as u64));
        let (mut values, mut all) = (Addresses::NONE, Vec::new());
        values.step(inst, reader);
        let made = |goal: u64, parts: Vec<Part>, halves: u128, rest: &[u8]| {
            let goes_on = goes_on(target, halves, rest);
            MadeAddress { reader, pc, goal, parts, goes_on }
        };
        // The registers with the program counter, and the one with a lower half whose upper half is not made yet.
        let (mut own, mut begun) = (registers(inst, Access::writes), 0);
        let (mut at, mut rest) = (pc, after);
        for _ in 0..NEAR {
            let Ok(inst) = decode(target, rest) else { break };
            if leaves(&inst) {
                break;
            }
            let [reads, writes] = [Access::reads, Access::writes].map(|is_it| registers(&inst, is_it));
            let step = values.step(&inst, at);
            (at, rest) = (at.wrapping_add(inst.len() as u64), rest.get(inst.len()..)?);
            let is_read = reads & own != 0;
            own &= !writes;
            match step {
                Some(Made { address, from, low, parts }) if from == pc && low.is_some() == (begun & !writes != 0) => {
                    all.push(made(address.offset, parts.into_iter().flatten().collect(), begun | writes, rest));
                    begun = 0;
                }
                _ if (reads | writes) & begun != 0 => return None,
                _ if !is_read => {}
                None if writes != 0 && values.knows(writes) => match inst.address_step() {
                    Some(AddressStep::Low | AddressStep::LowLess) if begun == 0 => begun = writes,
                    Some(AddressStep::Low | AddressStep::LowLess) => return None,
                    _ => own |= writes,
                },
                _ => return None,
            }
            if own | begun == 0 {
                return Some(all);
            }
        }
        let is_kept = begun == 0 && !all.is_empty();
        is_kept.then(|| {
            all.push(made(pc, Vec::new(), own, rest));
            all
        })
    }
}

/// Whether code takes only the upper half of the program counter that `inst` reads: it overwrites the lower half
/// without reading it. The upper half is the same for code that moves a little. LLVM does so for PAL, whose tables have
/// 32-bit addresses beside the code. `after` is the code after the instruction.
pub fn takes_upper_half(inst: &Inst, mut after: &[u8]) -> bool {
    let (target, pair) = (inst.target(), registers(inst, Access::writes));
    let low = pair & pair.wrapping_neg();
    for _ in 0..NEAR {
        let Ok(inst) = decode(target, after) else { return false };
        after = after.get(inst.len()..).unwrap_or_default();
        if leaves(&inst) || registers(&inst, Access::reads) & low != 0 {
            return false;
        }
        if registers(&inst, Access::writes) & low != 0 {
            return true;
        }
    }
    false
}

fn leaves(inst: &Inst) -> bool {
    let flags = inst.flags();
    flags.is_terminator() || flags.is_branch() || flags.is_call()
}

/// The scalar registers that an instruction reads, or writes.
fn registers(inst: &Inst, is_it: fn(Access) -> bool) -> u128 {
    let all = inst.operands().filter(|operand| is_it(operand.access));
    all.fold(0, |all, operand| all | scalars(inst.target(), &operand))
}

/// Whether code computes with an address, or accesses memory there. `halves` are the registers with the address before
/// the code `rest`. Branches in `rest` are followed.
fn goes_on(target: Target, halves: u128, rest: &[u8]) -> bool {
    let mut left = ON_ALL_PATHS;
    // The offsets at which paths begin, each with the scalar registers that hold a half of the address there.
    let mut paths = vec![(0, halves)];
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
        let is_read = registers(&inst, Access::reads) & halves != 0;
        // A shift to the right makes no other address: its result is the upper half, or a number that is followed
        // further.
        let copies = matches!(inst.address_step(), Some(AddressStep::Copy | AddressStep::Select | AddressStep::Shift));
        if is_read && !copies && computes(&inst) {
            return true;
        }
        let written = registers(&inst, Access::writes);
        halves = if is_read && copies { halves | written } else { halves & !written };
        if halves == 0 {
            return false;
        }
    }
    false
}

/// Whether an instruction that reads an address, and does not copy it, computes another address from it or accesses
/// memory there.
fn computes(inst: &Inst) -> bool {
    let is_sum = |opcode: Opcode| opcode.purpose() == Some(Purpose::Sum);
    let has_sum = || is_sum(inst.opcode()) || inst.second_opcode().is_some_and(is_sum);
    let is_memory = inst.memory().next().is_some();
    is_memory || has_sum() || !inst.flags().is_compare() && registers(inst, Access::writes) != 0
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
