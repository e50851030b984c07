//! The next instruction, with its registers and rules.

use crate::facts::{Counters, Flags};
use crate::hazards::table::Classes;
use crate::hazards::uses::Uses;
use crate::inst::Inst;
use crate::registers::RegSet;
use crate::table::hazards::HazardTables;
use crate::value::Access;
use crate::vgpr_msb::VgprMsb;

/// The next instruction, with its registers and its rules, all looked up once for several calls of
/// [`Pending`](super::Pending) and [`Hazards`](super::Hazards).
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::hazards::{Hazards, Next, Pending};
/// use amdgpu_isa::{Target, decode_words};
/// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap(); // global_load_dword v0, v1, s[0:1]
/// let add = decode_words(Target::Gfx942, &[0x0204_0500]).unwrap(); // v_add_f32_e32 v2, v0, v2
/// let (mut pending, mut hazards) = (Pending::new(Target::Gfx942), Hazards::new(Target::Gfx942));
/// let mut needs = 0;
/// for (inst, offset) in [(load, 0), (add, 8)] {
///     let next = Next::new(&inst, pending.msb());
///     needs += pending.needs_next(&next).iter().count() + hazards.needs_next(&next).iter().count();
///     pending.issue_next(&next, offset);
///     hazards.issue_next(&next, offset);
/// }
/// assert_eq!(needs, 1); // s_waitcnt vmcnt(0) before v_add_f32_e32
/// # }
/// ```
pub struct Next<'i> {
    pub(crate) tables: &'static HazardTables,
    pub(crate) classes: Classes,
    pub(crate) uses: Uses<'i>,
}

impl<'i> Next<'i> {
    /// Looks the instruction up. `msb` is the upper bits of the numbers of its vector registers, such as
    /// [`Pending::msb`](super::Pending::msb); a state with other upper bits looks the instruction up again.
    pub fn new(inst: &'i Inst, msb: VgprMsb) -> Next<'i> {
        let tables = HazardTables::of(inst);
        // The operands are found in place, because copying their list is slow.
        let mut next = Next { tables, classes: tables.classes(inst), uses: Uses::none(inst, msb) };
        next.uses.find();
        next
    }

    /// The instruction.
    pub const fn inst(&self) -> &'i Inst {
        self.uses.inst
    }

    /// [`Inst::flags`] of the instruction.
    pub fn flags(&self) -> Flags {
        Flags::of_facts(self.uses.facts())
    }

    /// [`Inst::counters`] of the instruction.
    pub fn counters(&self) -> Counters {
        self.uses.inst.counters_of(self.uses.facts())
    }

    /// Adds to `set` the registers of the operands whose access `is` selects. With [`Access::writes`], for example, the
    /// registers are those of [`Inst::writes_in`].
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::facts::RegSet;
    /// use amdgpu_isa::hazards::Next;
    /// use amdgpu_isa::{Access, Target, VgprMsb, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x0204_0500]).unwrap(); // v_add_f32_e32 v2, v0, v2
    /// let mut written = RegSet::new(Target::Gfx942);
    /// Next::new(&add, VgprMsb::ENTRY).insert_into(&mut written, Access::writes);
    /// assert_eq!(written, add.writes());
    /// # }
    /// ```
    pub fn insert_into(&self, set: &mut RegSet, is: impl Fn(Access) -> bool) {
        for one in self.uses.iter().filter(|one| is(one.access)) {
            let (first, count) = one.run();
            set.insert_bits(first, count);
        }
    }
}
