//! GPU targets by name, alias and ELF number.

use core::fmt;

#[allow(unused_imports)] // A build without targets does not use it.
use crate::opcode::DescriptorPart;
#[cfg(all(feature = "text", feature = "fast"))]
use crate::table::FastText;
use crate::table::generated::*;
use crate::table::hazards::HazardTables;
#[cfg(feature = "fast")]
use crate::table::{Branches, fast_decode::FastDecode};
use crate::table::{
    CountTables, DecodeTables, DescTables, Directive, EntryTables, FactTables, Filler, HwregTables, ImmTables,
    InfoTables, KernelTables, Layout, LayoutTables, LengthTables, MoveTables, NameTables, OpTables, OperandTables,
    PlainWords,
};
#[cfg(feature = "text")]
use crate::table::{MnemonicTable, TextTables};

pub(crate) struct TargetInfo {
    name: &'static str,
    processor: &'static str,
    generation: &'static str,
    mach: &'static [u32],
    aligned_vgprs: bool,
    low_scalars: bool,
    halves: bool,
    offset_3f: bool,
    /// `Freedom::moves` and `Freedom::equal` of dual instructions.
    pub(crate) dual: [bool; 2],
    #[cfg_attr(not(feature = "text"), allow(dead_code))]
    bound_ctrl_zero: bool,
    /// Whether text can omit every implicit vcc, and whether it can omit a vcc that takes the carry.
    #[cfg_attr(not(feature = "text"), allow(dead_code))]
    omits: [bool; 2],
    filler: Filler,
    aliases: &'static [&'static str],
}

pub(crate) struct ProcessorInfo {
    pub(crate) name: &'static str,
    pub(crate) mach: u32,
    pub(crate) generic: Option<u8>,
    pub(crate) target: Option<Target>,
    pub(crate) filler: Filler,
    pub(crate) aliases: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/targets.rs"));

/// Whether [`Target::has_broken_branches`] of any target is true.
pub(crate) const ANY_BROKEN_BRANCHES: bool = {
    let (mut any, mut n) = (false, 0);
    while n < TARGETS.len() {
        any |= TARGETS[n].offset_3f;
        n += 1;
    }
    any
};

impl Target {
    /// The name, such as `gfx942`: LLVM's name of the processor. If the target's waves do not have the processor's
    /// default size, the name includes the size: `gfx1100:wave64`.
    pub fn name(self) -> &'static str {
        TARGETS[self as usize].name
    }

    /// LLVM's name of the processor, such as `gfx942`.
    pub fn processor(self) -> &'static str {
        TARGETS[self as usize].processor
    }

    /// The generation, such as `CDNA3`.
    pub fn generation(self) -> &'static str {
        TARGETS[self as usize].generation
    }

    /// Other names of this target: product names, code names, and all names of processors that decode the same code.
    pub fn aliases(self) -> &'static [&'static str] {
        TARGETS[self as usize].aliases
    }

    /// Whether tuples of vector registers must begin at even registers.
    pub(crate) fn aligned_vgprs(self) -> bool {
        TARGETS[self as usize].aligned_vgprs
    }

    /// Whether packed operations on floats of 32 bits read only one register of a scalar source.
    pub(crate) fn low_scalars(self) -> bool {
        TARGETS[self as usize].low_scalars
    }

    /// Whether operands of 16 bits are halves of vector registers, `v1.l` and `v1.h`: from RDNA3 on. LLVM calls this
    /// feature `real-true16`.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx1100"))] {
    /// use amdgpu_isa::Target;
    /// assert_eq!([Target::Gfx942, Target::Gfx1100].map(Target::has_halves), [false, true]);
    /// # }
    /// ```
    pub fn has_halves(self) -> bool {
        TARGETS[self as usize].halves
    }

    /// Whether a branch with the offset 0x3f (63 dwords) jumps to a wrong address; see
    /// [`Inst::is_broken_branch`](crate::Inst::is_broken_branch).
    pub fn has_broken_branches(self) -> bool {
        ANY_BROKEN_BRANCHES && TARGETS[self as usize].offset_3f
    }

    /// Whether `bound_ctrl:0` in text means that the bit is set.
    #[cfg(feature = "text")]
    pub(crate) fn bound_ctrl_zero(self) -> bool {
        TARGETS[self as usize].bound_ctrl_zero
    }

    /// Whether the text of every operation can omit the implicit vcc.
    #[cfg(feature = "text")]
    pub(crate) fn omits_vcc(self) -> bool {
        TARGETS[self as usize].omits[0]
    }

    /// Whether the text of an operation can omit the implicit vcc that takes its carry.
    #[cfg(feature = "text")]
    pub(crate) fn omits_carry(self) -> bool {
        TARGETS[self as usize].omits[1]
    }

    /// The filler of instructions that are made from text or operands: that of LLVM 22, or of LLVM 23 if LLVM 22 does
    /// not know the target.
    pub fn filler(self) -> Filler {
        TARGETS[self as usize].filler
    }

    /// The number of lanes of a wave, 32 or 64: the width in bits of `vcc`, `exec` and every lane mask.
    ///
    /// The number is the processor's default unless [`Target::with_wave_size`] or a name such as `gfx1100:wave64`
    /// selects another size.
    pub fn wave_size(self) -> u16 {
        OPERANDS[self as usize].lanes.into()
    }

    /// The target of the same processor whose waves have this many lanes; `None` if the processor has no such waves.
    /// From gfx10 on, processors except those of CDNA5 have waves of both sizes, and a kernel descriptor selects one.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Target;
    /// assert_eq!(Target::Gfx942.with_wave_size(64), Some(Target::Gfx942));
    /// assert_eq!(Target::Gfx942.with_wave_size(32), None);
    /// # }
    /// ```
    pub fn with_wave_size(self, lanes: u16) -> Option<Target> {
        let is_it = |t: &Target| t.processor() == self.processor() && t.wave_size() == lanes;
        Target::ALL.iter().copied().find(is_it)
    }

    /// The target's own value of `EF_AMDGPU_MACH` in the flags of an ELF header.
    pub fn mach(self) -> u32 {
        TARGETS[self as usize].mach[0]
    }

    /// All values of `EF_AMDGPU_MACH` for the target: first its own, then those of processors that decode the same
    /// code.
    pub fn machs(self) -> &'static [u32] {
        TARGETS[self as usize].mach
    }

    /// The formats of the target, with all their fields.
    pub fn layouts(self) -> &'static [Layout] {
        LAYOUT[self as usize].formats
    }

    /// The target of a code object, from the `e_flags` of its ELF header; `None` if this build has no such target.
    /// [`Processor::from_e_flags`](crate::processor::Processor::from_e_flags) returns the processor that the code
    /// object is for.
    pub fn from_e_flags(e_flags: u32) -> Option<Target> {
        Target::ALL.iter().copied().find(|&t| TARGETS[t as usize].mach.contains(&(e_flags & 0xff)))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The error that no target of this build has the name or number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownTarget;

impl fmt::Display for UnknownTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown target; known are ")?;
        for (i, t) in Target::ALL.iter().enumerate() {
            f.write_str(if i == 0 { "" } else { ", " })?;
            f.write_str(t.name())?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownTarget {}
