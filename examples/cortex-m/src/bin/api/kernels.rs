//! Kernel descriptors.

use crate::{Sink, used};
use amdgpu_isa::Target;
use amdgpu_isa::facts::RegSet;
use amdgpu_isa::kernel::{DescriptorPart, Directive, KernelDescriptor, Registers};
use core::fmt::Write;

/// Uses every field of a descriptor, and its registers. `n` is any number.
pub fn all(target: Target, code: &[u8], set: &RegSet, n: u16) {
    let mut bytes = [0; 64];
    bytes.iter_mut().zip(code).for_each(|(to, from)| *to = *from);
    for mut descriptor in [KernelDescriptor::new(target), KernelDescriptor::from_bytes(bytes)] {
        for directive in Target::directives(target) {
            let part = Directive::part(directive);
            told(KernelDescriptor::set(&mut descriptor, target, part, n.into()));
            used((KernelDescriptor::get(&descriptor, target, part), KernelDescriptor::bits(&descriptor, directive)));
            used((DescriptorPart::name(part), Directive::name(directive).parse::<DescriptorPart>()));
            used((Directive::max(directive), Directive::default(directive), Directive::user_sgprs(directive)));
        }
        let mut registers = Registers::of(target, set);
        told(KernelDescriptor::set_registers(&mut descriptor, target, registers));
        registers.vgprs = n;
        told(KernelDescriptor::set_registers(&mut descriptor, target, registers));
        registers = Registers { accum_offset: n, sgprs: n, ..Registers::new(target) };
        told(KernelDescriptor::set_registers(&mut descriptor, target, registers));
        used((Registers::special(&registers, target), KernelDescriptor::registers(&descriptor, target)));
        KernelDescriptor::set_entry(&mut descriptor, n.into());
        used((KernelDescriptor::entry(&descriptor), KernelDescriptor::count_user_sgprs(&mut descriptor, target)));
        let words = (descriptor.rsrc1(), descriptor.rsrc2(), descriptor.rsrc3());
        let _ = write!(Sink, "{words:?}{:?}{:?}", descriptor.properties(), descriptor.preload());
        if let Ok(word) = words.0.with_granulated_workitem_vgpr_count(n as u8) {
            descriptor.set_rsrc1(word);
        }
        descriptor.set_rsrc2(words.1);
        descriptor.set_rsrc3(words.2);
        used((KernelDescriptor::wave_size(&descriptor, target), KernelDescriptor::words(&descriptor)));
        let _ = write!(Sink, "{}", KernelDescriptor::directives(&descriptor, target, n & 1 == 1));
        used((KernelDescriptor::is_text(&descriptor, target), KernelDescriptor::to_bytes(&descriptor)));
    }
    used(Target::second_entry(target));
    used(target.reserves_flat_scratch());
    used(target.lds_size());
    used(target.states_xnack_mask());
    used((Target::accum_granule(target), Target::has_xnack(target), Target::has_sramecc(target)));
}

fn told(result: Result<(), amdgpu_isa::kernel::DescriptorError>) {
    if let Err(error) = result {
        let _ = write!(Sink, "{error}");
    }
}
