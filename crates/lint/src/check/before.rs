//! The state before an instruction.

use amdgpu_isa::facts::RegSet;
use amdgpu_isa::flow::{Flow, State};
use amdgpu_isa::hazards::Next;
use amdgpu_isa::kernel::{DescriptorPart, KernelDescriptor};
use amdgpu_isa::{Access, Inst, Reg, Target};

use super::lds::Lds;
use crate::edits::MachineState;
use crate::functions::Functions;

/// The state of the machine, and the registers that have a value.
#[derive(Clone)]
pub struct Before<'g> {
    pub now: MachineState,
    /// The result of [`general_registers`], which takes long to make.
    general: &'g RegSet,
    /// The registers that were written on at least one path.
    pub written: RegSet,
    /// The accesses to LDS that may still be outstanding.
    pub lds: Lds,
}

impl<'g> Before<'g> {
    /// The state before the first instruction of a kernel, or of a function that unknown callers may call. `general`:
    /// the result of [`general_registers`].
    pub fn function(flow: &Flow<'_>, functions: &Functions<'_, '_>, block: usize, general: &'g RegSet) -> Before<'g> {
        let target = flow.target();
        let descriptor = functions.kernel(flow, block).0.and_then(|symbol| symbol.descriptor);
        let written = descriptor.map_or(*general, |descriptor| initial_registers(target, &descriptor));
        Before { now: functions.entry(flow, block, false), general, written, lds: Lds::NOTHING }
    }

    /// Does the work of [`State::step`] for an instruction that has been looked up.
    pub fn step_next(&mut self, next: &Next<'_>, offset: u32) {
        next.insert_into(&mut self.written, Access::writes);
        self.now.issue_next(next, offset);
        self.lds.step(next, offset);
    }
}

impl State for Before<'_> {
    fn step(&mut self, inst: &Inst, offset: u32) {
        self.step_next(&Next::new(inst, self.now.pending.msb()), offset);
    }

    fn join(&mut self, other: &Self) -> bool {
        let known = self.written;
        self.written |= other.written;
        self.now.join(&other.now) | self.lds.join(&other.lds) | (self.written != known)
    }

    fn join_again(&mut self, other: &Self) -> bool {
        let known = self.written;
        self.written |= other.written;
        self.now.join_again(&other.now) | self.lds.join(&other.lds) | (self.written != known)
    }

    fn returned(&mut self) {
        self.written = *self.general;
        self.now.returned();
        self.lds = Lds::NOTHING;
    }

    fn enter(&mut self) {
        self.now.enter();
        self.lds.enter();
    }

    fn leave(&mut self) {
        self.now.leave();
        self.lds.leave();
    }

    fn returned_from(&mut self, exit: &Self) {
        self.written |= exit.written;
        self.now.returned_from(&exit.now);
        // LDS has the state from the end of the callee. It lacks the caller's operations, because the callee is assumed
        // to wait for them.
        self.lds = exit.lds;
        self.lds.leave();
    }
}

/// All general registers and VCC. Of these registers, only those that the descriptor provides have a value at the
/// beginning of a kernel.
pub fn general_registers(target: Target) -> RegSet {
    let (mut codes, mut all) = (RegSet::new(target), RegSet::new(target));
    (0..1024).map(Reg::Vgpr).for_each(|reg| codes.insert(reg));
    (0..=u8::MAX).flat_map(|n| [Reg::Sgpr(n), Reg::Agpr(n)]).for_each(|reg| codes.insert(reg));
    // Codes above the last scalar register stand for other registers, such as EXEC.
    let general = codes.iter().filter(|reg| matches!(reg, Reg::Sgpr(_) | Reg::Vgpr(_) | Reg::Agpr(_)));
    general.chain([Reg::Vcc]).for_each(|reg| all.insert(reg));
    all
}

/// The registers that the descriptor of a kernel provides: user SGPRs, system SGPRs, and the VGPRs with the ID of the
/// work-item.
fn initial_registers(target: Target, descriptor: &KernelDescriptor) -> RegSet {
    let field = |name| descriptor.get(target, name).unwrap_or(0);
    let users = field(DescriptorPart::UserSgprCount);
    // System SGPRs: the IDs of the work-group, its size, and the offset of scratch memory.
    let system = target.directives().iter().filter(|directive| directive.name().starts_with("system_sgpr_"));
    let system: u32 = system.map(|directive| descriptor.bits(directive)).sum();
    let items = field(DescriptorPart::SystemVgprWorkitemId) + 1;
    let mut given = RegSet::new(target);
    (0..users + system).for_each(|n| given.insert(Reg::Sgpr(n as u8)));
    (0..items).for_each(|n| given.insert(Reg::Vgpr(n as u16)));
    given
}
