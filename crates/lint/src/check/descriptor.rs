//! Kernel descriptors: whether they provide the registers and the memory that the code uses.

use amdgpu_isa::facts::{Purpose, RegSet, Space};
use amdgpu_isa::hazards::Next;
use amdgpu_isa::kernel::{DescriptorPart, KernelDescriptor, Registers};
use amdgpu_isa::{Inst, Operand, Reg, Value, VgprMsb};

use super::{Check, What};

impl Check<'_, '_, '_> {
    /// Compares the registers that a kernel and its known callees use with those that its descriptor provides.
    pub fn descriptor(&mut self, first: usize, descriptor: &KernelDescriptor) {
        let address = self.start(first);
        if address % KernelDescriptor::ENTRY_ALIGN != 0 {
            self.say_at(address, What::KernelAlignment);
        }
        let target = self.flow().target();
        let used = self.used(first, descriptor.registers(target).vgprs.checked_sub(1));
        self.few_registers(first, descriptor, &used);
        let given = descriptor.get(target, DescriptorPart::UserSgprCount).unwrap_or(0);
        let mut counted = *descriptor;
        let enabled = counted.count_user_sgprs(target);
        if given < enabled {
            self.say_at(address, What::FewUserSgprs { given, enabled });
        }
        let size = descriptor.get(target, DescriptorPart::PrivateSegmentFixedSize).unwrap_or(0);
        if size == 0 && !descriptor.properties().uses_dynamic_stack() && self.uses_scratch(first) {
            self.say_at(address, What::NoScratch);
        }
    }

    /// The registers that a function and its known callees access. Reports each dual instruction (VOPD) that reads the
    /// vector register `last` in one operation while the other operation is on 64 bits.
    fn used(&mut self, first: usize, last: Option<u16>) -> RegSet {
        let mut used = RegSet::new(self.flow().target());
        for block in self.flow().reached(first) {
            let mut msb = self.banked.get(&block).copied().unwrap_or(VgprMsb::ENTRY);
            for (address, inst) in self.flow().insts(block) {
                // Registers that belong to an image's address only if the resource says so do not count.
                Next::new(&inst, msb).insert_into(&mut used, |_| true);
                let is_it = |last: &u16| inst.second_opcode().is_some() && reads_beside_pair(&inst, msb, *last);
                // Several kernels can reach the same instruction, so `lasts` ensures that it is reported only once.
                if let Some(last) = last.filter(is_it).filter(|last| self.lasts.insert((address, *last))) {
                    self.say(address, &inst, What::LastVgpr { register: Reg::Vgpr(last) });
                }
                msb = msb.after(&inst);
            }
        }
        used
    }

    fn few_registers(&mut self, first: usize, descriptor: &KernelDescriptor, used: &RegSet) {
        let (target, address) = (self.flow().target(), self.start(first));
        let mut needed = Registers::of(target, used);
        // The descriptor need not provide registers that no instruction names.
        (needed.flat_scratch, needed.xnack_mask) = (false, false);
        if let Some(granule) = target.accum_granule() {
            let offset = (u16::from(descriptor.rsrc3().accum_offset()) + 1) * granule as u16;
            let own = count(used, |reg| if let Reg::Vgpr(n) = reg { Some(n) } else { None });
            let accumulation = count(used, |reg| if let Reg::Agpr(n) = reg { Some(n.into()) } else { None });
            if own > offset {
                return self.say_at(address, What::AccumOffset { last: own - 1, offset });
            }
            (needed.accum_offset, needed.vgprs) = (offset, offset + accumulation);
        }
        let mut enough = *descriptor;
        if let Err(why) = enough.set_registers(target, needed) {
            return self.say_at(address, What::FewRegisters(why));
        }
        let (given, wanted) = (descriptor.rsrc1(), enough.rsrc1());
        let has = descriptor.registers(target);
        if given.granulated_workitem_vgpr_count() < wanted.granulated_workitem_vgpr_count() && !self.allocates(first) {
            self.say_at(address, What::FewVgprs { used: needed.vgprs, given: has.vgprs });
        }
        if given.granulated_wavefront_sgpr_count() < wanted.granulated_wavefront_sgpr_count() {
            self.say_at(address, What::FewSgprs { used: needed.sgprs, given: has.sgprs });
        }
    }

    fn uses_scratch(&self, first: usize) -> bool {
        let blocks = self.flow().function(first);
        let mut insts = blocks.iter().flat_map(|block| self.flow().insts(*block));
        insts.any(|(_, inst)| inst.memory().any(|access| access.space == Space::Scratch))
    }

    /// Whether the code changes how many vector registers it has.
    fn allocates(&self, first: usize) -> bool {
        let blocks = self.flow().function(first);
        let mut insts = blocks.iter().flat_map(|block| self.flow().insts(*block));
        insts.any(|(_, inst)| inst.opcode().purpose() == Some(Purpose::VgprCount))
    }
}

/// Whether an instruction reads this vector register by itself, and has an operand that is a pair of vector registers.
fn reads_beside_pair(inst: &Inst, msb: VgprMsb, register: u16) -> bool {
    let mut operands = inst.operands().filter(|operand| matches!(operand.value, Value::Reg(Reg::Vgpr(_))));
    let is_it = |operand: Operand| {
        operand.access.reads() && operand.bits <= 32 && msb.register(inst, &operand) == Some(register)
    };
    inst.operands().any(is_it) && operands.any(|operand| operand.bits == 64)
}

/// One more than the highest number that `number` gives for a register; 0 if it gives none.
fn count(used: &RegSet, number: impl Fn(Reg) -> Option<u16>) -> u16 {
    used.iter().filter_map(number).map(|n| n + 1).max().unwrap_or(0)
}
