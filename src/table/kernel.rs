//! The layouts of kernel descriptors.

use crate::opcode::DescriptorPart;

/// The layout of a target's kernel descriptors, and how they count registers: see `isa/descriptor.isa`.
pub(crate) struct KernelTables {
    pub vgpr_granule: u16,
    pub accum_granule: u16,
    pub lds: u16,
    pub second_entry: u16,
    pub flat_scratch: u16,
    pub xnack_mask: u16,
    pub agprs: u16,
    pub sgpr_granule: u16,
    pub sgprs: u16,
    pub sgprs_are_all: u16,
    pub with_vcc: u16,
    pub with_xnack_mask: u16,
    pub with_flat_scratch: u16,
    pub xnack: u16,
    pub sramecc: u16,
    pub directives: &'static [Directive],
}

/// A directive that sets a part of a kernel descriptor.
#[derive(Debug)]
pub struct Directive {
    pub(crate) part: DescriptorPart,
    /// The lowest bit of the part in the descriptor.
    pub(crate) at: u16,
    pub(crate) len: u8,
    pub(crate) default: u32,
    pub(crate) sgprs: u8,
}

impl Directive {
    /// The part that the directive sets.
    pub fn part(&self) -> DescriptorPart {
        self.part
    }

    /// The directive's name, after `.amdhsa_`.
    pub fn name(&self) -> &'static str {
        self.part.name()
    }

    /// The greatest value that the directive can set.
    pub fn max(&self) -> u32 {
        u32::MAX >> (32 - u32::from(self.len)).min(31)
    }

    /// The value of the part if the directive is missing.
    pub fn default(&self) -> u32 {
        self.default
    }

    /// The number of user SGPRs that the part takes if its value is 1; 0 for a part that takes none.
    pub fn user_sgprs(&self) -> u8 {
        self.sgprs
    }
}
