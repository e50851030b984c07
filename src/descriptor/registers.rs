//! The number of registers of a kernel.

use super::{DescriptorError, KernelDescriptor, directive};
use crate::opcode::DescriptorPart;
use crate::registers::RegSet;
use crate::table::KernelTables;
use crate::target::{KERNELS, Target};
use crate::value::Reg;

/// The registers that a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Registers {
    /// The number of the first free vector register. If accumulation registers follow in the same file, they count too.
    pub vgprs: u16,
    /// The number of vector registers before the accumulation registers, on targets on which they share a file: a
    /// multiple of 4.
    pub accum_offset: u16,
    /// The number of the first free accumulation register. If accumulation registers share a file with the vector
    /// registers, `vgprs` must count them too.
    pub agprs: u16,
    /// The number of the first free scalar register.
    pub sgprs: u16,
    /// Whether the kernel uses vcc.
    pub vcc: bool,
    /// Whether the kernel uses flat_scratch.
    pub flat_scratch: bool,
    /// Whether the kernel uses xnack_mask, or could be resumed after a failed access.
    pub xnack_mask: bool,
}

impl Registers {
    /// The registers of an empty kernel: only the special registers, which assemblers assume to be used.
    pub fn new(target: Target) -> Registers {
        let xnack_mask = target.has_xnack();
        Registers { vgprs: 0, accum_offset: 4, agprs: 0, sgprs: 0, vcc: true, flat_scratch: true, xnack_mask }
    }

    /// The registers in a set. A set made from instructions can lack registers that hold arguments.
    ///
    /// flat_scratch counts as used even if it is not in the set: clear [`Registers::flat_scratch`] if the kernel does
    /// not write it.
    pub fn of(target: Target, set: &RegSet) -> Registers {
        let mut found = Registers { vcc: false, ..Registers::new(target) };
        let mut accumulation = 0;
        for reg in set.iter() {
            match reg {
                Reg::Vgpr(n) => found.vgprs = found.vgprs.max(n + 1),
                Reg::Agpr(n) => accumulation = accumulation.max(u16::from(n) + 1),
                Reg::Sgpr(n) => found.sgprs = found.sgprs.max(u16::from(n) + 1),
                _ => {}
            }
        }
        found.agprs = accumulation;
        found.vcc = set.contains(Reg::Vcc);
        match tables(target).map(|tables| tables.accum_granule) {
            Some(granule @ 1..) => {
                found.accum_offset = found.vgprs.max(1).next_multiple_of(granule);
                if accumulation > 0 {
                    found.vgprs = found.accum_offset + accumulation;
                }
            }
            _ => found.vgprs = found.vgprs.max(accumulation),
        }
        found
    }

    /// The number of special registers, which follow the scalar registers and are counted with them.
    pub fn special(&self, target: Target) -> u16 {
        tables(target).map_or(0, |tables| tables.special(target, self))
    }
}

/// The numbers of registers as metadata state them.
#[cfg(feature = "alloc")]
pub(crate) struct Counts {
    pub vgprs: u32,
    /// The accumulation registers; `None` on targets without them.
    pub agprs: Option<u16>,
    /// The scalar registers, with the special ones.
    pub sgprs: u32,
}

#[cfg(feature = "alloc")]
impl Registers {
    pub(crate) fn counts(&self, target: Target) -> Counts {
        let has_agprs = tables(target).is_some_and(|tables| tables.agprs > 0);
        let after = if target.accum_granule().is_some() { self.vgprs.saturating_sub(self.accum_offset) } else { 0 };
        Counts {
            vgprs: self.vgprs.max(self.agprs).into(),
            agprs: has_agprs.then_some(self.agprs.max(after)),
            sgprs: u32::from(self.sgprs) + u32::from(self.special(target)),
        }
    }
}

fn tables(target: Target) -> Option<&'static KernelTables> {
    KERNELS.get(target as usize)
}

/// Number of granules, minus one.
fn granules(count: u32, granule: u16) -> u32 {
    match granule {
        0 => 0,
        granule => count.max(1).div_ceil(granule.into()) - 1,
    }
}

impl KernelTables {
    /// The number of special registers after a kernel's own registers.
    fn special(&self, target: Target, registers: &Registers) -> u16 {
        // Targets whose scratch memory needs no registers of the kernel still reserve the place of flat_scratch.
        let always = directive(target, DescriptorPart::EnablePrivateSegment).is_some();
        let of = |used: bool, count: u16| if used { count } else { 0 };
        of(registers.vcc, self.with_vcc)
            .max(of(registers.xnack_mask, self.with_xnack_mask))
            .max(of(registers.flat_scratch || always, self.with_flat_scratch))
    }
}

impl KernelDescriptor {
    /// Sets the numbers of registers. The size of a register granule depends on the size of the waves, so `target` must
    /// be the one with the kernel's wave size.
    ///
    /// # Errors
    /// The target has fewer registers, or the accumulation registers do not fit.
    pub fn set_registers(&mut self, target: Target, registers: Registers) -> Result<(), DescriptorError> {
        let tables = tables(target).ok_or(DescriptorError::Vgprs)?;
        if registers.agprs > 0 && tables.agprs == 0 {
            return Err(DescriptorError::Vgprs);
        }
        // If accumulation registers have a file of their own, a wave gets as many registers in either file.
        let vgprs = granules(registers.vgprs.max(registers.agprs).into(), tables.vgpr_granule);
        if vgprs > 63 {
            return Err(DescriptorError::Vgprs);
        }
        let mut sgprs = 0;
        if tables.sgpr_granule > 0 {
            // The user SGPRs that hold preloaded arguments must be allocated.
            let user = if self.preload().length() > 0 { self.rsrc2().user_sgpr_count() } else { 0 };
            let own = u32::from(registers.sgprs.max(user.into()));
            let all = own + u32::from(tables.special(target, &registers));
            let counted = if tables.sgprs_are_all != 0 { all } else { own };
            if counted > tables.sgprs.into() {
                return Err(DescriptorError::Sgprs);
            }
            sgprs = granules(all, tables.sgpr_granule);
        }
        let mut rsrc3 = self.rsrc3();
        if tables.accum_granule > 0 {
            let offset = registers.accum_offset;
            let has_place = offset <= registers.vgprs.max(1).next_multiple_of(tables.accum_granule);
            let is_granule = (1..=64).contains(&(offset / tables.accum_granule)) && offset % tables.accum_granule == 0;
            let has_all = registers.agprs == 0 || registers.agprs <= registers.vgprs.saturating_sub(offset);
            if !is_granule || !has_place || !has_all {
                return Err(DescriptorError::AccumOffset);
            }
            rsrc3 = rsrc3.with_accum_offset(granules(offset.into(), tables.accum_granule) as u8)?;
        }
        let sgprs = u8::try_from(sgprs).map_err(|_| DescriptorError::Sgprs)?;
        let word = self.rsrc1().with_granulated_workitem_vgpr_count(vgprs as u8)?;
        self.set_rsrc1(word.with_granulated_wavefront_sgpr_count(sgprs).map_err(|_| DescriptorError::Sgprs)?);
        self.set_rsrc3(rsrc3);
        Ok(())
    }

    /// Raises the numbers of vector and scalar registers to those of `registers`, and sets `accum_offset`.
    #[cfg(feature = "alloc")]
    pub(crate) fn raise_registers(&mut self, target: Target, registers: Registers) -> Result<(), DescriptorError> {
        let old = self.rsrc1();
        self.set_registers(target, registers)?;
        let new = self.rsrc1();
        let vgprs = old.granulated_workitem_vgpr_count().max(new.granulated_workitem_vgpr_count());
        let sgprs = old.granulated_wavefront_sgpr_count().max(new.granulated_wavefront_sgpr_count());
        let word = new.with_granulated_workitem_vgpr_count(vgprs)?;
        self.set_rsrc1(word.with_granulated_wavefront_sgpr_count(sgprs)?);
        Ok(())
    }

    /// Whether every set bit has a meaning on the target, because it belongs to a directive, to the numbers of
    /// registers or to the distance to the code.
    #[cfg(feature = "alloc")]
    pub(crate) fn is_of(&self, target: Target) -> bool {
        let Some(tables) = tables(target) else { return false };
        let mut known = KernelDescriptor::from_bytes([0; 64]);
        for directive in target.directives() {
            known.set_bits(directive, self.bits(directive));
        }
        known.set_entry(self.entry());
        let (word, rsrc1) = (self.rsrc1(), known.rsrc1());
        let rsrc1 = rsrc1.with_granulated_workitem_vgpr_count(word.granulated_workitem_vgpr_count());
        let sgprs = if tables.sgpr_granule > 0 { word.granulated_wavefront_sgpr_count() } else { 0 };
        let Ok(rsrc1) = rsrc1.and_then(|word| word.with_granulated_wavefront_sgpr_count(sgprs)) else { return false };
        known.set_rsrc1(rsrc1);
        if tables.accum_granule > 0 {
            let Ok(rsrc3) = known.rsrc3().with_accum_offset(self.rsrc3().accum_offset()) else { return false };
            known.set_rsrc3(rsrc3);
        }
        known == *self
    }

    /// Returns the greatest numbers of registers that give this descriptor. Some descriptors have numbers of granules
    /// that no registers give: then [`set_registers`](KernelDescriptor::set_registers) with the result makes other
    /// words.
    pub fn registers(&self, target: Target) -> Registers {
        let mut registers = Registers::new(target);
        let Some(tables) = tables(target) else { return registers };
        let count = |granules: u8, granule: u16| (u16::from(granules) + 1).wrapping_mul(granule);
        let word = self.rsrc1();
        registers.vgprs = count(word.granulated_workitem_vgpr_count(), tables.vgpr_granule);
        let special = tables.special(target, &registers);
        let most = if tables.sgprs_are_all != 0 { tables.sgprs.saturating_sub(special) } else { tables.sgprs };
        let all = count(word.granulated_wavefront_sgpr_count(), tables.sgpr_granule);
        registers.sgprs = all.saturating_sub(special).min(most);
        if tables.accum_granule > 0 {
            registers.accum_offset = count(self.rsrc3().accum_offset(), tables.accum_granule);
            registers.agprs = registers.vgprs.saturating_sub(registers.accum_offset);
        }
        registers
    }
}
