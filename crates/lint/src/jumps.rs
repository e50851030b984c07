//! Jumps to addresses in registers that cannot be followed. Code that such a jump may reach must stay where it is.

mod lanes;

use alloc::collections::BTreeSet;

use amdgpu_isa::addresses::scalars;
use amdgpu_isa::facts::AddressStep;
use amdgpu_isa::flow::{Exit, Flow};
use amdgpu_isa::{Decoded, Decoder, Inst, Operand, Reg, Target, Value};

use crate::edits::Edits;
use crate::functions::Functions;
use lanes::{Lanes, Origin};

/// The jumps of a section to addresses in registers, as far as the control flow of the section knows them.
#[derive(Default)]
pub struct Jumps {
    /// The addresses of jumps and calls whose target is known.
    known: BTreeSet<u64>,
    /// The addresses of jumps that a kernel reaches without a call, which therefore are not returns.
    in_kernels: BTreeSet<u64>,
    /// The addresses at which functions begin.
    starts: BTreeSet<u64>,
}

impl Jumps {
    /// Adds the jumps of one control flow.
    pub fn add(&mut self, flow: &Flow<'_>, functions: &Functions<'_, '_>) {
        let jump = |block: usize| flow.insts(block).last().filter(|(_, inst)| inst.flags().is_indirect_branch());
        let mut any_unknown = false;
        for (n, block) in flow.blocks().iter().enumerate() {
            match block.exit {
                Exit::Jump | Exit::Branch | Exit::Outside { .. } => self.known.extend(jump(n).map(|(at, _)| at)),
                Exit::Call { function: Some(_) } => self.known.extend(flow.insts(n).last().map(|(at, _)| at)),
                Exit::Indirect { .. } => any_unknown = true,
                _ => {}
            }
        }
        self.starts.extend(functions.iter().map(|symbol| symbol.address));
        self.starts.extend(flow.entries().iter().filter_map(|entry| Some(flow.blocks().get(*entry)?.start)));
        let kernels = functions.kernels().filter(|_| any_unknown);
        for first in kernels.filter_map(|kernel| flow.block_at(kernel.address)) {
            self.in_kernels.extend(flow.function(first).into_iter().filter_map(jump).map(|(at, _)| at));
        }
    }

    /// The first jump or call with an unknown target whose function, or the code after it, would move. Returns do not
    /// count. Calls of addresses that were loaded do not count either, because a relocation changes these addresses.
    /// The code of a function is read in the order of addresses, not along its paths.
    pub fn first_unknown(&self, functions: &Functions<'_, '_>, target: Target, edits: &Edits) -> Option<u64> {
        let section = functions.section();
        let end = section.address.saturating_add(section.bytes.len() as u64);
        let (mut made, mut start) = (Made::default(), section.address);
        let mut read = None;
        for Decoded { offset, inst } in Decoder::new(target, section.bytes) {
            let address = section.address.wrapping_add(offset as u64);
            // A call whose target is the next instruction only reads the program counter, so no function begins at that
            // target.
            if self.starts.contains(&address) && read != Some(address) {
                (made, start) = (Made::default(), address);
            }
            let Ok(inst) = inst else { continue };
            let is_open = |pair: &u8| match inst.flags().is_call() {
                // If the address of a function is loaded from memory, a relocation changes the address in memory.
                true => made.is_sum(*pair),
                false if made.is_followed(*pair) => false,
                false => self.in_kernels.contains(&address) || !made.is_given(*pair),
            };
            let jump = pair_of(&inst).filter(|_| !self.known.contains(&address));
            if jump.filter(is_open).is_some() && edits.moves(section.address, start..end) {
                return Some(address);
            }
            made.step(&inst, address);
            read = inst.reads_pc(address).then_some(address.wrapping_add(inst.len() as u64));
        }
        None
    }
}

/// The register pair with the target of a jump or call; `None` for other instructions and for returns.
fn pair_of(inst: &Inst) -> Option<u8> {
    let flags = inst.flags();
    if !(flags.is_indirect_branch() || flags.is_call())
        || flags.is_return()
        || inst.address_step() == Some(AddressStep::Jump)
    {
        return None;
    }
    let read = inst.operands().find(|operand| operand.access.reads() && operand.bits == 64)?;
    Some(bits(inst, &read).map_or(u8::MAX, |(first, _)| first))
}

/// The origin of each scalar register's value: a bit in one of these sets. A register in none of them has the value
/// that the caller gave. A copy has the origin of its source. A value that is read from a lane has the origin that
/// `lanes` knows, or else counts as given by the caller. Calls are assumed to leave all registers unchanged, except for
/// the vector registers in which functions return values.
#[derive(Default)]
struct Made {
    /// Addresses that code makes from its own address: they follow when code moves.
    followed: u128,
    /// Values that were loaded, and constants.
    loaded: u128,
    /// Values that were computed from others.
    sums: u128,
    /// The values in vector registers.
    lanes: Lanes,
}

impl Made {
    fn has(set: u128, pair: u8) -> u128 {
        set.checked_shr(pair.into()).unwrap_or(0) & 3
    }

    fn is_followed(&self, pair: u8) -> bool {
        Made::has(self.followed, pair) == 3
    }

    fn is_sum(&self, pair: u8) -> bool {
        Made::has(self.sums, pair) != 0
    }

    fn origin(&self, register: u8) -> Origin {
        let is_in = |set: u128| set.checked_shr(register.into()).unwrap_or(0) & 1 != 0;
        Origin { is_followed: is_in(self.followed), is_loaded: is_in(self.loaded), is_sum: is_in(self.sums) }
    }

    fn is_given(&self, pair: u8) -> bool {
        pair < 127 && Made::has(self.followed | self.loaded | self.sums, pair) == 0
    }

    /// Updates the origins for the instruction at an address.
    fn step(&mut self, inst: &Inst, address: u64) {
        let step = inst.address_step();
        let mut reads = inst.operands().filter(|operand| operand.access.reads());
        let sources = [reads.next(), reads.next()];
        let is_number =
            |source: &Option<Operand>| source.as_ref().is_some_and(|source| inst.constant(source).is_some());
        let registers = sources.each_ref().map(|source| source.as_ref().and_then(|source| bits(inst, source)));
        // The sources whose origins the result takes, and whether the instruction adds.
        let (of, is_added) = match (step, registers) {
            (Some(AddressStep::Copy | AddressStep::Sign8 | AddressStep::Sign16), [Some(a), _]) => {
                ([Some(a), None], false)
            }
            (Some(AddressStep::Select), [Some(a), Some(b)]) => ([Some(a), Some(b)], false),
            (Some(AddressStep::Low | AddressStep::High | AddressStep::Sum), all) => {
                (if sources.iter().any(is_number) { all } else { [None; 2] }, true)
            }
            _ => ([None; 2], false),
        };
        let is_kept = reads_lane(inst) || inst.flags().is_call();
        let is_loaded = step == Some(AddressStep::Copy) || inst.memory().next().is_some();
        let is_own = inst.reads_pc(address);
        let lane = if reads_lane(inst) { self.lanes.read(inst) } else { Origin::default() };
        let mut lanes = core::mem::take(&mut self.lanes);
        lanes.step(inst, |register| self.origin(register));
        self.lanes = lanes;
        for (to, mask) in inst.operands().filter(|operand| operand.access.writes()).filter_map(|to| bits(inst, &to)) {
            let any = |set: u128| of.iter().flatten().fold(0, |all, (from, _)| all | set >> from & mask);
            let alone = |is_it: bool| if of == [None; 2] && is_it { mask } else { 0 };
            let (mut loaded, mut sums) = (any(self.loaded) | alone(is_loaded || lane.is_loaded), any(self.sums));
            sums |= alone(!is_own && !is_loaded && !is_kept) | alone(lane.is_sum);
            let followed = any(self.followed) & !loaded & !sums | alone(is_own || lane.is_followed);
            if is_added {
                (loaded, sums) = (0, mask & !followed);
            }
            for (set, new) in [(&mut self.followed, followed), (&mut self.loaded, loaded), (&mut self.sums, sums)] {
                *set = *set & !(mask << to) | new << to;
            }
        }
    }
}

/// The number of the first scalar register of an operand, and a bit for each of its registers, from bit 0 on.
fn bits(inst: &Inst, operand: &Operand) -> Option<(u8, u128)> {
    let registers = scalars(inst.target(), operand);
    let first = registers.trailing_zeros();
    (registers != 0).then(|| (first as u8, registers >> first))
}

/// The numbers of the vector registers of an operand. Accumulation registers have numbers from `ACCUMULATORS` on.
fn vectors(operand: &Operand) -> core::ops::Range<u16> {
    const ACCUMULATORS: u16 = 0x8000;
    let first = match operand.value {
        Value::Reg(Reg::Vgpr(n)) => n,
        Value::Reg(Reg::Agpr(n)) => ACCUMULATORS | u16::from(n),
        _ => return 0..0,
    };
    first..first.saturating_add(operand.bits.div_ceil(32))
}

/// Whether an instruction that writes scalar registers copies them from lanes of a vector register.
fn reads_lane(inst: &Inst) -> bool {
    let mut reads = inst.operands().filter(|operand| operand.access.reads());
    inst.flags().is_convergent() && reads.any(|read| matches!(read.value, Value::Reg(Reg::Vgpr(_))))
}
