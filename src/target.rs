//! GPU targets by name, alias and ELF number.

use core::fmt;
use core::str::FromStr;

use crate::codec::Freedom;
use crate::descriptor::{Directive, KernelTables};
use crate::hazards::table::HazardTables;
use crate::processor::{Processor, ProcessorInfo, parts};
#[cfg(all(feature = "text", feature = "fast"))]
use crate::table::FastText;
use crate::table::{
    CountTables, DecodeTables, DescTables, EntryTables, FactTables, ImmTables, InfoTables, Layout, LayoutTables,
    LengthTables, NameTables, OpTables, OperandTables,
};
#[cfg(feature = "text")]
use crate::table::{MnemonicTable, TextTables};

#[cfg(feature = "fast")]
use crate::decode::fast::FastDecode;

pub(crate) struct TargetInfo {
    name: &'static str,
    processor: &'static str,
    generation: &'static str,
    mach: &'static [u32],
    aligned_vgprs: bool,
    low_scalars: bool,
    offset_3f: bool,
    dual: [bool; 2],
    #[cfg_attr(not(feature = "text"), allow(dead_code))]
    bound_ctrl_zero: bool,
    aliases: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/targets.rs"));

pub(crate) mod generated {
    // Some sets of targets do not need all of these.
    #![allow(clippy::all, unused_imports)]
    #[cfg(feature = "fast")]
    use crate::Inst;
    #[cfg(feature = "fast")]
    use crate::decode::fast::{
        FastConstraints, FastDecode, FastOpcodeSpace, NO_CONSTRAINTS as NO_FAST_CONSTRAINTS,
        NO_OPCODE_SPACE as NO_FAST_OPCODE_SPACE,
    };
    use crate::hazards::Unit;
    use crate::hazards::table::{
        Accessed, ByFile, Condition, Differs, Ender, HazardClass, HazardRow, HazardTables, Overlap, Side, Upto,
    };
    use crate::kind::{
        AddressFields, AddressKind, AddressShape, ImageData, ImageKind, ListStyle, ModifierKind, NumberKind,
        OffsetKind, OperandKind, RegisterKind, Signs,
    };
    #[cfg(feature = "fast")]
    use crate::operand::values::ready::{Values, values};
    use crate::shared::RuleKind;
    use crate::table::{
        Announcer, Bits, Check, Codes, Constraints, CountTables, DecodeTables, DescTables, EntryTables, Event,
        FactTables, FieldMap, FormSignature, Forms, Holds, How, IN_SECOND_DWORD, ImmTables, Info, InfoTables, Joined,
        Layout, LayoutTables, LengthList, LengthTables, NO_OPCODE_SPACE, NO_ROW, NameTables, Named, OpTables,
        OpcodeSpace, OperandDesc, OperandTables, Other, Part, Row, Rule, SizedOperand, Trailing, When, Which, Wide,
        operand_list, padded,
    };
    #[cfg(all(feature = "text", feature = "fast"))]
    use crate::table::{FastModifier, FastSignature, FastText, ModifierWay, NO_FAST, TextKind};
    #[cfg(feature = "fast")]
    use crate::table::{FastOperands, NO_FAST_OPERANDS, VARIED};
    #[cfg(feature = "text")]
    use crate::table::{MnemonicTable, TextTables};
    use crate::{Access, Counter, DataType, Extension, Field, FieldInfo, Format, Opcode, Space, Target};

    include!(concat!(env!("OUT_DIR"), "/tables.rs"));
}
use generated::*;

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

    /// Whether a branch with offset 0x3f (63 dwords) jumps to the wrong address.
    pub(crate) fn offset_3f(self) -> bool {
        TARGETS[self as usize].offset_3f
    }

    /// The registers and banks that two operations in one instruction may share. `long`: in VOPD3.
    pub(crate) fn dual_freedom(self, long: bool) -> Freedom {
        let [moves, equal] = TARGETS[self as usize].dual;
        Freedom { moves, equal, long }
    }

    /// Whether `bound_ctrl:0` in text means that the bit is set.
    #[cfg(feature = "text")]
    pub(crate) fn bound_ctrl_zero(self) -> bool {
        TARGETS[self as usize].bound_ctrl_zero
    }

    /// The number of lanes of a wave, 32 or 64: the width in bits of `vcc`, `exec` and every lane mask.
    ///
    /// It is the processor's default unless [`Target::with_wave_size`] or a name such as `gfx1100:wave64` selects
    /// another size.
    pub fn wave_size(self) -> u16 {
        OPERANDS[self as usize].lanes.into()
    }

    /// The target of the same processor whose waves have this many lanes; `None` if it has no such waves. From gfx10
    /// on, processors have waves of 32 and of 64 lanes, and a kernel descriptor selects one of them.
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
    /// [`Processor::from_e_flags`](crate::Processor::from_e_flags) returns the processor that the code object is for.
    pub fn from_e_flags(e_flags: u32) -> Option<Target> {
        Target::ALL.iter().copied().find(|&t| TARGETS[t as usize].mach.contains(&(e_flags & 0xff)))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No target of this build has this name.
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

/// Parses a name of any processor that decodes like the target (see [`Processor`](crate::Processor)), optionally with
/// the size of its waves: `gfx1103:wave64`.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::Target;
/// assert_eq!("gfx942".parse(), Ok(Target::Gfx942));
/// assert_eq!("MI300X".parse(), Ok(Target::Gfx942));
/// assert_eq!("amdgpu9.42".parse(), Ok(Target::Gfx942));
/// assert!("gfx1".parse::<Target>().is_err());
/// # }
/// ```
impl FromStr for Target {
    type Err = UnknownTarget;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let (name, lanes) = match parts(s, s.bytes().rposition(|byte| byte == b':')) {
            Some((name, wave)) if wave.eq_ignore_ascii_case("wave32") => (name, Some(32)),
            Some((name, wave)) if wave.eq_ignore_ascii_case("wave64") => (name, Some(64)),
            _ => (s, None),
        };
        let target = name.parse::<Processor>().ok().and_then(Processor::target);
        target.and_then(|target| lanes.map_or(Some(target), |lanes| target.with_wave_size(lanes))).ok_or(UnknownTarget)
    }
}
