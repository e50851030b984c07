//! Jumps to addresses in registers that nobody knows. What they may lead to cannot be moved.

use std::collections::BTreeSet;

use amdgpu_lint::edits::Edits;

use crate::container::{Section, Symbol, SymbolKind};
use crate::dis::constant;
use crate::isa::flow::{Exit, Flow};
use crate::isa::{AddressStep, Decoded, Decoder, Format, Inst, Operand, Reg, Target, Value};

/// What the control flow of a section says of its jumps to addresses in registers.
#[derive(Default)]
pub struct Jumps {
    /// Those that lead to a known place.
    known: BTreeSet<u64>,
    /// Those that a kernel reaches without a call: they are no returns.
    in_kernels: BTreeSet<u64>,
    /// Where functions begin.
    starts: BTreeSet<u64>,
}

impl Jumps {
    /// Adds what is known of the functions of one control flow.
    pub fn add(&mut self, flow: &Flow<'_>, functions: &[&Symbol<'_>]) {
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
        let kernels = functions.iter().filter(|symbol| symbol.kind == SymbolKind::Kernel && any_unknown);
        for first in kernels.filter_map(|kernel| flow.block_at(kernel.address)) {
            self.in_kernels.extend(flow.function(first).into_iter().filter_map(jump).map(|(at, _)| at));
        }
    }

    /// The first jump that is no return, or call of a sum, whose target is not known, and in or behind whose function code moves.
    pub fn first_unknown(&self, section: &Section<'_>, target: Target, edits: &Edits) -> Option<u64> {
        let end = section.address.saturating_add(section.bytes.len() as u64);
        let (mut made, mut start) = (Made::default(), section.address);
        let mut read = None;
        for Decoded { offset, inst } in Decoder::new(target, section.bytes) {
            let address = section.address.wrapping_add(offset as u64);
            // What is called only for its address begins no function.
            if self.starts.contains(&address) && read != Some(address) {
                (made, start) = (Made::default(), address);
            }
            let Ok(inst) = inst else { continue };
            let is_open = |pair: &u8| match inst.flags().is_call() {
                // The address of a function in memory is in a relocation.
                true => made.is_sum(*pair),
                false if made.is_followed(*pair) => false,
                false => self.in_kernels.contains(&address) || !made.is_given(*pair),
            };
            let jump = pair_of(&inst).filter(|_| !self.known.contains(&address));
            if jump.filter(is_open).is_some() && edits.moves(start..end) {
                return Some(address);
            }
            made.step(&inst, address);
            read = inst.reads_pc(address).then_some(address.wrapping_add(inst.len() as u64));
        }
        None
    }
}

/// The pair of registers whose address an instruction jumps to or calls, if it is no return by itself.
fn pair_of(inst: &Inst) -> Option<u8> {
    let flags = inst.flags();
    if !(flags.is_indirect_branch() || flags.is_call())
        || flags.is_return()
        || inst.address_step() == Some(AddressStep::Jump)
    {
        return None;
    }
    let read = inst.operands().find(|operand| operand.access.reads() && operand.bits == 64)?;
    match read.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n),
        // An address that is no pair of general registers is as unknown.
        _ => Some(u8::MAX),
    }
}

/// What is in scalar registers: a bit for each register and each of these; none: what a function got from its caller. Copies of
/// registers, and of lanes of vector registers, to which compilers save them, are what was copied; and a call leaves what it
/// was given.
#[derive(Default)]
struct Made {
    /// An address that code makes from its own: wherever the code comes to be, it is the same place.
    followed: u128,
    /// What was loaded, or is a constant.
    loaded: u128,
    /// What was computed of anything else.
    sums: u128,
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

    fn is_given(&self, pair: u8) -> bool {
        pair < 127 && Made::has(self.followed | self.loaded | self.sums, pair) == 0
    }

    /// The instruction at an address has run.
    fn step(&mut self, inst: &Inst, address: u64) {
        let step = inst.address_step();
        let mut reads = inst.operands().filter(|operand| operand.access.reads());
        let sources = [reads.next(), reads.next()];
        let is_number =
            |source: &Option<Operand>| source.as_ref().is_some_and(|source| constant(inst, source).is_some());
        let registers = sources.each_ref().map(|source| source.as_ref().and_then(bits));
        // What the result is, if nothing else gets into it.
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
        for (to, mask) in inst.operands().filter(|operand| operand.access.writes()).filter_map(|to| bits(&to)) {
            let any = |set: u128| of.iter().flatten().fold(0, |all, (from, _)| all | set >> from & mask);
            let alone = |is_it: bool| if of == [None; 2] && is_it { mask } else { 0 };
            let (mut loaded, mut sums) = (any(self.loaded) | alone(is_loaded), any(self.sums));
            sums |= alone(!is_own && !is_loaded && !is_kept);
            let followed = any(self.followed) & !loaded & !sums | alone(is_own);
            if is_added {
                (loaded, sums) = (0, mask & !followed);
            }
            for (set, new) in [(&mut self.followed, followed), (&mut self.loaded, loaded), (&mut self.sums, sums)] {
                *set = *set & !(mask << to) | new << to;
            }
        }
    }
}

/// The first of the scalar registers of an operand, and a bit for each of them.
fn bits(operand: &Operand) -> Option<(u8, u128)> {
    match operand.value {
        Value::Reg(Reg::Sgpr(n)) if n < 128 => Some((n, (1 << operand.bits.div_ceil(32)) - 1)),
        _ => None,
    }
}

/// Whether a vector operation writes a scalar register.
fn reads_lane(inst: &Inst) -> bool {
    let is_vector = matches!(inst.format(), Format::Vop1 | Format::Vop2 | Format::Vop3a);
    let mut reads = inst.operands().filter(|operand| operand.access.reads());
    is_vector && !inst.flags().is_compare() && reads.any(|read| matches!(read.value, Value::Reg(Reg::Vgpr(_))))
}
