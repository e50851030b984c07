//! Hazards: instructions that software has to keep apart because the hardware does not.
//!
//! [`Hazards`] follows instructions in the order in which they are issued and reports the needs of the next one: the
//! number of missing wait states (`s_nop`) or vector instructions (`v_nop`), or another instruction that has to come
//! first, each with the [`Rule`] that demands it. Where paths meet, [`Hazards::join`] takes the worse of two states.
//!
//! ```
//! # #[cfg(feature = "gfx942")] {
//! use amdgpu_isa::hazards::Hazards;
//! use amdgpu_isa::{Target, decode_words};
//! let cmp = decode_words(Target::Gfx942, &[0xd0c9_0004, 0x0002_0300]).unwrap(); // v_cmp_lt_u32_e64 s[4:5], v0, v1
//! let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0004_0000]).unwrap(); // global_load_dword v0, v0, s[4:5]
//! let mut hazards = Hazards::new(Target::Gfx942);
//! hazards.issue(&cmp);
//! let need = hazards.needs(&load).states.unwrap();
//! assert_eq!((need.missing, need.rule.id(), need.producer), (5, "F01", cmp));
//! # }
//! ```

mod calls;
mod guard;
mod in_flight;
mod indexed;
mod join;
mod looked_up;
mod modes;
mod need;
mod next;
mod owed;
mod pair;
mod past;
mod pending;
mod protect;
mod room;
mod rule;
mod state;
mod steps;
pub(crate) mod table;
mod uses;

pub use guard::{Guard, GuardError};
pub use modes::Modes;
pub use next::Next;
pub use pending::Pending;
#[cfg(feature = "alloc")]
pub use room::Unbounded;
pub use room::{Bounded, Capacity};

use core::fmt;

use crate::inst::Inst;
use crate::value::Reg;

pub use crate::table::hazards::{Certainty, Mode, Unit};

pub use need::{Conflict, Doubt, Wait, Waits};
pub use rule::{Distance, Rule, Unchecked};
pub use state::Hazards;

/// The needs of an instruction: for each unit, the greatest certain need, or the greatest need if none is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Needs {
    /// Missing wait states. Each instruction counts as one wait state, and `s_nop N` as N + 1.
    pub states: Option<Need>,
    /// Missing vector instructions, such as `v_nop`.
    pub valu: Option<Need>,
    /// A missing instruction: one of those that [`Rule::ends`] describes.
    pub event: Option<Need>,
}

/// A distance or an instruction that is missing, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Need {
    /// The rule.
    pub rule: Rule,
    /// The number of wait states or vector instructions that are missing; 1 if the rule has no distance.
    pub missing: u8,
    /// The earlier instruction that the rule is about; the first one if the rule is about two earlier instructions.
    pub producer: Inst,
    /// The place that [`Hazards::issue_at`] got for the producer; 0 if none.
    pub place: u32,
    /// A register that the producer and the next instruction access, if the rule is about registers.
    pub register: Option<Reg>,
    /// The reason why the need is not certain: [`Doubt::Bank`] or [`Doubt::Dimensions`]; `None` if the need is certain.
    pub doubt: Option<Doubt>,
}

impl Need {
    /// Whether the need is certain, that is, there is no [`doubt`](Need::doubt).
    pub const fn is_sure(&self) -> bool {
        self.doubt.is_none()
    }
}

/// Text with the rule, the number that is missing, and the instructions that end the rule: `M36: A matrix operation ...
/// (3 missing, or ...)`.
impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({} missing", self.rule.id(), self.rule.text(), self.missing)?;
        match self.rule.ends() {
            "" => f.write_str(")"),
            ends => write!(f, ", or {ends})"),
        }
    }
}

impl core::error::Error for Need {}

impl Needs {
    /// Whether nothing is missing.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::hazards::Hazards;
    /// use amdgpu_isa::{Target, decode_words};
    /// let end = decode_words(Target::Gfx942, &[0xbf81_0000]).unwrap(); // s_endpgm
    /// assert!(Hazards::new(Target::Gfx942).needs(&end).is_empty());
    /// # }
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.states.is_none() && self.valu.is_none() && self.event.is_none()
    }

    /// Adds a need, if it is the greatest of its unit; a certain one counts as greater than an uncertain one.
    fn add(&mut self, need: Need) {
        let most = match need.rule.unit() {
            Unit::States => &mut self.states,
            Unit::Valu => &mut self.valu,
            Unit::Event => &mut self.event,
        };
        if most.as_ref().is_none_or(|most| (most.is_sure(), most.missing) < (need.is_sure(), need.missing)) {
            *most = Some(need);
        }
    }

    /// The needs, at most one for each unit.
    pub fn iter(&self) -> impl Iterator<Item = Need> + use<> {
        [self.states, self.valu, self.event].into_iter().flatten()
    }
}
