//! Modes that rules depend on.

use crate::table::hazards::HazardTables;

/// Modes of the hardware that some rules depend on: XNACK, which the header of a file states
/// (`EF_AMDGPU_FEATURE_XNACK_*`), and the expert mode of scheduling, which code turns on.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::hazards::{Hazards, Modes};
/// use amdgpu_isa::{Target, decode_words};
/// let first = decode_words(Target::Gfx942, &[0xdc50_8000, 0x267f_0026]).unwrap(); // global_load_dword v38, v[38:39], off
/// let second = decode_words(Target::Gfx942, &[0xdc50_8000, 0x277f_0028]).unwrap(); // global_load_dword v39, v[40:41], off
/// let plain = Hazards::new(Target::Gfx942);
/// for (mut hazards, is_missing) in [(plain, false), (plain.with(Modes { xnack: None, ..Modes::NEITHER }), true)] {
///     hazards.issue(&first);
///     assert_eq!(hazards.needs(&second).event.is_some(), is_missing);
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modes {
    /// Whether memory accesses are repeated after a page fault (XNACK); `None` if the code must work in both cases.
    pub xnack: Option<bool>,
    /// Whether the expert mode of scheduling is on. [`Hazards`] follows the instructions that turn this mode on or
    /// off.
    ///
    /// [`Hazards`]: crate::hazards::Hazards
    pub expert: bool,
}

impl Modes {
    /// The modes that [`Hazards::new`](crate::hazards::Hazards::new) assumes: neither XNACK nor the expert mode.
    pub const NEITHER: Modes = Modes { xnack: Some(false), expert: false };

    /// The rows that hold in these modes, as a set of their numbers.
    pub(crate) fn rows(self, tables: &HazardTables) -> u128 {
        let xnack = if self.xnack == Some(false) { tables.xnack } else { 0 };
        let expert = if self.expert { 0 } else { tables.expert };
        !(xnack | expert)
    }

    /// The worse of both modes, for a place where paths with these modes meet.
    pub(crate) fn worse(self, other: Modes) -> Modes {
        let xnack = if self.xnack == other.xnack { self.xnack } else { None };
        Modes { xnack, expert: self.expert || other.expert }
    }
}

impl Default for Modes {
    fn default() -> Modes {
        Modes::NEITHER
    }
}
