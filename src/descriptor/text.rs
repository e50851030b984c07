//! Prints kernel descriptors as directives.

use core::fmt;

use super::KernelDescriptor;
use crate::opcode::DescriptorPart;
use crate::target::{KERNELS, Target};

/// The `.amdhsa_` directives of a descriptor, one in each line: see [`KernelDescriptor::directives`].
#[derive(Clone, Copy, Debug)]
pub struct Directives {
    descriptor: KernelDescriptor,
    target: Target,
    all: bool,
}

impl KernelDescriptor {
    /// The directives that make this descriptor. Without `all`, directives that set a default value are left out,
    /// except those for numbers of registers and for the size of the waves. Bits that no directive sets are not in the
    /// text: see [`KernelDescriptor::is_text`].
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// use amdgpu_isa::kernel::{KernelDescriptor, DescriptorPart};
    /// let mut kernel = KernelDescriptor::new(Target::Gfx942);
    /// kernel.set(Target::Gfx942, DescriptorPart::KernargSize, 24).unwrap();
    /// assert!(kernel.directives(Target::Gfx942, false).to_string().contains("\t\t.amdhsa_kernarg_size 24\n"));
    /// # }
    /// ```
    pub fn directives(&self, target: Target, all: bool) -> Directives {
        Directives { descriptor: *self, target, all }
    }

    /// Whether the directives would make the same descriptor, except for the distance to the code.
    pub fn is_text(&self, target: Target) -> bool {
        let mut again = KernelDescriptor::new(target);
        for directive in target.directives() {
            again.set_bits(directive, self.bits(directive));
        }
        again.set_entry(self.entry());
        again.set_registers(target, self.registers(target)).is_ok() && again == *self
    }
}

impl fmt::Display for Directives {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Directives { descriptor, target, all } = self;
        let registers = descriptor.registers(*target);
        writeln!(f, "\t\t.amdhsa_next_free_vgpr {}", registers.vgprs)?;
        writeln!(f, "\t\t.amdhsa_next_free_sgpr {}", registers.sgprs)?;
        if KERNELS.get(*target as usize).is_some_and(|tables| tables.accum_granule > 0) {
            writeln!(f, "\t\t.amdhsa_accum_offset {}", registers.accum_offset)?;
        }
        for directive in target.directives() {
            let value = descriptor.bits(directive);
            // Without its directive, the number of user SGPRs would be the number that the enabled parts need. The
            // default size of the waves depends on the assembler's options.
            let is_stated = matches!(directive.part, DescriptorPart::UserSgprCount | DescriptorPart::WavefrontSize32);
            if *all || value != directive.default || is_stated {
                writeln!(f, "\t\t.amdhsa_{} {value}", directive.part)?;
            }
        }
        Ok(())
    }
}
