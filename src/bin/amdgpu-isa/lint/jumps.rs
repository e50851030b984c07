//! Jumps to addresses in registers that nobody knows. What they may lead to cannot be moved.

use std::collections::BTreeSet;

use super::edits::Edits;
use crate::container::{Section, Symbol, SymbolKind};
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

    /// The first jump that is no return, whose target is not known, and in or behind whose function code moves.
    pub fn first_unknown(&self, section: &Section<'_>, target: Target, edits: &Edits) -> Option<u64> {
        let end = section.address.saturating_add(section.bytes.len() as u64);
        let (mut made, mut start) = (Made::default(), section.address);
        for Decoded { offset, inst } in Decoder::new(target, section.bytes) {
            let address = section.address.wrapping_add(offset as u64);
            if self.starts.contains(&address) {
                (made, start) = (Made::default(), address);
            }
            let Ok(inst) = inst else { continue };
            let jump = pair_of(&inst).filter(|_| !self.known.contains(&address));
            let is_return = |pair| !self.in_kernels.contains(&address) && !made.has(pair);
            if jump.is_some_and(|pair| !is_return(pair)) && edits.moves(start..end) {
                return Some(address);
            }
            made.step(&inst);
        }
        None
    }
}

/// The pair of registers whose address an instruction jumps to, if it is no return by itself.
fn pair_of(inst: &Inst) -> Option<u8> {
    let flags = inst.flags();
    if !flags.is_indirect_branch() || flags.is_return() || inst.address_step() == Some(AddressStep::Jump) {
        return None;
    }
    let read = inst.operands().find(|operand| operand.access.reads() && operand.bits == 64)?;
    match read.value {
        Value::Reg(Reg::Sgpr(n)) => Some(n),
        // An address that is no pair of general registers is as unknown.
        _ => Some(u8::MAX),
    }
}

/// Scalar registers that have something else than what a function got from its caller. Copies of registers, and of lanes of
/// vector registers, to which compilers save them, are what was copied; and a call leaves what it was given.
#[derive(Default)]
struct Made(u128);

impl Made {
    fn has(&self, pair: u8) -> bool {
        self.0.checked_shr(pair.into()).is_none_or(|rest| rest & 3 != 0)
    }

    /// The instruction has run.
    fn step(&mut self, inst: &Inst) {
        let is_kept = inst.flags().is_call() || reads_lane(inst);
        let from = inst.operands().find(|operand| operand.access.reads()).and_then(|operand| bits(&operand));
        let copied = from.filter(|_| inst.address_step() == Some(AddressStep::Copy));
        for (first, mask) in inst.operands().filter(|operand| operand.access.writes()).filter_map(|to| bits(&to)) {
            let is_made = match copied {
                Some((from, _)) => self.0 >> from & mask,
                None if is_kept => 0,
                None => mask,
            };
            self.0 = self.0 & !(mask << first) | is_made << first;
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
