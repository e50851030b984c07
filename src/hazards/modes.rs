//! Modes that the code does not show, and that some rules depend on.

use crate::table::hazards::HazardTables;

/// Modes of the hardware that some rules depend on: whether code runs with XNACK is in the header of its file
/// (`EF_AMDGPU_FEATURE_XNACK_*`), and the expert mode of scheduling is one that code turns on.
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
    /// Memory accesses are repeated after a page fault (XNACK): they are; they are not; `None`: the code has to run
    /// either way.
    pub xnack: Option<bool>,
    /// The expert mode of scheduling is on from the beginning. Code that turns it on needs no word: [`Hazards`] sees
    /// that.
    ///
    /// [`Hazards`]: crate::hazards::Hazards
    pub expert: bool,
}

impl Modes {
    /// None of them is on: what [`Hazards::new`](crate::hazards::Hazards::new) assumes.
    pub const NEITHER: Modes = Modes { xnack: Some(false), expert: false };

    /// The rows that hold.
    pub(crate) fn rows(self, tables: &HazardTables) -> u128 {
        let xnack = if self.xnack == Some(false) { tables.xnack } else { 0 };
        let expert = if self.expert { 0 } else { tables.expert };
        !(xnack | expert)
    }

    /// The worse of both.
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
