//! The processor that code is for, with its settings and the runtime.

use std::str::FromStr;

use amdgpu_isa::kernel::Registers;
use amdgpu_isa::{Target, processor};
use amdgpu_object::TargetId;

use crate::Faults;

/// The version of code objects, unless the source states another one.
pub(crate) const VERSION: u32 = 6;

/// A processor, the settings of XNACK and SRAM-ECC that its code requires, and the runtime that loads the code.
///
/// ```
/// use amdgpu_asm::Processor;
/// assert!("gfx942:xnack-".parse::<Processor>().is_ok());
/// assert!("amdgcn-amd-amdpal--gfx942".parse::<Processor>().is_ok());
/// assert_eq!("gfx942:fast+".parse::<Processor>().unwrap_err().to_string(), "gfx942 has no setting \"fast\"");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Processor {
    pub(crate) processor: processor::Processor,
    pub(crate) target: Target,
    /// The settings that code requires; `None` for any setting.
    pub(crate) xnack: Option<bool>,
    pub(crate) sramecc: Option<bool>,
    pub(crate) os: Os,
    /// Whether the source or the caller states the runtime.
    pub(crate) says_os: bool,
}

impl FromStr for Processor {
    type Err = Faults;

    /// Reads a name with settings for the runtime of HSA, such as `gfx942:xnack-` and `gfx1200:wave64`, or a triple as
    /// in `.amdgcn_target`: `amdgcn-amd-amdpal--gfx942`.
    ///
    /// # Errors
    /// A fault without a place: the text names no processor, this build does not have the processor, the processor does
    /// not have a setting, or the setting ends with neither `+` nor `-`.
    fn from_str(id: &str) -> Result<Processor, Faults> {
        let is_triple = id.contains("-amd-") || id.starts_with("amdgcn");
        let read = match is_triple {
            true => Processor::parse(id),
            false => Processor::of(&TargetId::parse(id), Os::Hsa).and_then(|new| {
                // The name can state the size of waves, too.
                let (_, target) = TargetId::read(id).map_err(|error| error.to_string())?;
                Ok(Processor { says_os: false, target, ..new })
            }),
        };
        read.map_err(Faults::without_place)
    }
}

/// The runtime that loads the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Os {
    Hsa,
    Pal,
    Mesa,
    None,
}

impl Os {
    /// The value of `EI_OSABI`.
    pub fn abi(self) -> u8 {
        match self {
            Os::Hsa => 64,
            Os::Pal => 65,
            Os::Mesa => 66,
            Os::None => 0,
        }
    }

    fn of(triple: &str) -> Os {
        ["amdhsa", "amdpal", "mesa3d"]
            .iter()
            .position(|os| triple.contains(os))
            .map_or(Os::None, |n| [Os::Hsa, Os::Pal, Os::Mesa].get(n).copied().unwrap_or(Os::None))
    }
}

impl Processor {
    /// The target whose instructions the processor has.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The value of `e_flags` that files for a triple have, unless `.amdgpu_isa_flags` states another one.
    ///
    /// ```
    /// use amdgpu_asm::Processor;
    /// assert_eq!(Processor::flags_of("amdgcn-amd-amdhsa--gfx942"), Some(0x54c));
    /// assert_eq!(Processor::flags_of("amdgcn-amd-amdhsa--gfx1"), None);
    /// ```
    pub fn flags_of(triple: &str) -> Option<u32> {
        Processor::parse(triple).ok().map(|processor| processor.flags(VERSION))
    }

    /// Reads a triple such as `amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-`.
    pub(crate) fn parse(triple: &str) -> Result<Processor, String> {
        let id = TargetId::in_triple(triple).ok_or_else(|| "no processor is named here".to_string())?;
        if let Some(setting) = triple.split(':').skip(1).find(|setting| !setting.ends_with(['+', '-'])) {
            return Err(format!("the setting {setting:?} ends with neither `+` nor `-`"));
        }
        Processor::of(&id, Os::of(triple))
    }

    /// The processor with waves of this size.
    pub(crate) fn with_waves(self, lanes: u16) -> Result<Processor, String> {
        let target = self.target.with_wave_size(lanes);
        let none = || format!("{} has no waves of {lanes} lanes", self.processor.name());
        Ok(Processor { target: target.ok_or_else(none)?, ..self })
    }

    fn of(id: &TargetId, os: Os) -> Result<Processor, String> {
        let processor: processor::Processor = id
            .processor
            .parse()
            .map_err(|_| format!("unknown processor {:?}", id.processor.escape_debug().to_string()))?;
        let target = processor.target().ok_or_else(|| format!("{} is not in this build", processor.name()))?;
        id.check_features(target).map_err(|error| error.to_string())?;
        let (xnack, sramecc) = (id.feature(TargetId::XNACK), id.feature(TargetId::SRAMECC));
        Ok(Processor { processor, target, xnack, sramecc, os, says_os: true })
    }

    /// The value of `e_flags` in code objects of a version.
    pub(crate) fn flags(&self, version: u32) -> u32 {
        let setting = |has: bool, value: Option<bool>, shift: u32| match (has, value) {
            (false, _) => 0,
            (_, None) => 1 << shift,
            (_, Some(false)) => 2 << shift,
            (_, Some(true)) => 3 << shift,
        };
        let mut flags = self.processor.mach();
        if self.os == Os::Hsa {
            flags |= setting(self.target.has_xnack(), self.xnack, 8);
            flags |= setting(self.target.has_sramecc(), self.sramecc, 10);
            // Code objects before version 6 have no version of their generic processor.
            let generic = self.processor.generic_version().filter(|_| version >= VERSION);
            flags |= u32::from(generic.unwrap_or(0)) << 24;
        } else {
            // As in version 3, a set bit means that the setting is not off.
            let bit = |has: bool, value: Option<bool>| u32::from(has && value != Some(false));
            flags |= bit(self.target.has_xnack(), self.xnack) << 8 | bit(self.target.has_sramecc(), self.sramecc) << 9;
        }
        flags
    }

    /// The number of vector registers together with the accumulation registers after them.
    pub(crate) fn total_vgprs(&self, agprs: i64, vgprs: i64) -> Option<i64> {
        match self.target.accum_granule() {
            Some(granule) if agprs > 0 => Some(vgprs.checked_add(granule - 1)? / granule * granule + agprs),
            _ => Some(vgprs.max(agprs)),
        }
    }

    /// The number of scalar registers that VCC, FLAT_SCRATCH and XNACK_MASK add to a kernel's own.
    pub(crate) fn extra_sgprs(&self, vcc: bool, flat_scratch: bool, xnack_mask: bool) -> i64 {
        let registers = Registers { vcc, flat_scratch, xnack_mask, ..Registers::new(self.target) };
        registers.special(self.target).into()
    }

    /// The number of cache lines that code of a length in bytes fills, up to the maximum of the descriptor's field.
    pub(crate) fn prefetch(&self, bytes: i64) -> i64 {
        const LINE: i64 = 128;
        let max = self.target.directives().iter().find(|d| d.name() == "inst_pref_size").map_or(0, |d| d.max());
        (bytes.max(0).saturating_add(LINE - 1) / LINE).min(max.into())
    }
}
