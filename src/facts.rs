//! What an instruction does besides its operands: memory, counters, control flow.

use crate::codec::flag;
use crate::common::{Flags, SPACES};
use crate::table::{Codes, NONE, When};
use crate::target::FACTS;
use crate::{Access, Inst};

/// What a memory instruction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Memory through the scalar cache.
    Scalar,
    /// Memory through a buffer resource.
    Buffer,
    /// Memory through an image resource.
    Image,
    /// An address that says itself whether it is in memory, LDS or scratch.
    Flat,
    /// Memory.
    Global,
    /// Memory of the lane.
    Scratch,
    /// The local data share.
    Lds,
    /// The global data share.
    Gds,
    /// An export: pixel colours, positions, parameters.
    Export,
}

/// One memory access of an instruction; see [`Inst::memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryAccess {
    /// Where.
    pub space: Space,
    /// Whether memory is read (a load), written (a store), or both.
    pub access: Access,
    /// It is read and written at once.
    pub atomic: bool,
}

/// Counters that an instruction raises when it is issued, and that fall when it is done: what `s_waitcnt` waits for. See
/// [`Inst::counters`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counters {
    /// Vector memory.
    pub vmcnt: bool,
    /// Exports, and data that is still to be read from registers: of GDS, and of stores on GCN 1.0.
    pub expcnt: bool,
    /// LDS, GDS, scalar memory (constants) and messages.
    pub lgkmcnt: bool,
}

// The order of the last ones of FLAGS in build/tables.rs; those before are flags.
const VMCNT: u32 = 1 << 22;
const EXPCNT: u32 = 1 << 23;
const LGKMCNT: u32 = 1 << 24;
const LDS: u32 = 1 << 25;
const GDS: u32 = 1 << 26;
const ALL_FLAGS: u32 = VMCNT - 1;

impl Inst {
    /// The row's flags, with those that fields and a dword behind it add and take away.
    fn facts(&self) -> u32 {
        let format = self.format();
        let holds = |when: &&When| match when.bit {
            NONE => self.form() != 0 && self.extension() == Some(when.format),
            bit => format == when.format && flag(self, bit),
        };
        let whens = FACTS[self.target() as usize].whens.iter().filter(holds);
        whens.fold(self.info().flags, |flags, when| flags & !when.clear | when.set)
    }

    /// What the operation does besides its operands.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let branch = decode_words(Target::Gfx942, &[0xbf84_fffe]).unwrap(); // s_cbranch_scc0
    /// assert!(branch.flags().is_conditional_branch() && branch.flags().is_terminator());
    /// let compare = decode_words(Target::Gfx942, &[0x7d98_0005]).unwrap(); // v_cmp_gt_u32_e32 vcc, s5, v0
    /// assert!(compare.flags().is_compare() && compare.flags().is_commutable());
    /// # }
    /// ```
    pub fn flags(&self) -> Flags {
        let facts = self.facts();
        // What goes from memory to LDS, or back, reads one and writes the other.
        let both = if facts & LDS == 0 { 0 } else { Flags::LOAD | Flags::STORE };
        Flags((facts | both) & ALL_FLAGS)
    }

    /// The memory that it reads and writes: one access, or two where data goes between LDS and other memory. Cache
    /// control and waiting are none, nor are interpolation and `src_lds_direct`, which read parameters from LDS.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Access, MemoryAccess, Space, Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap(); // global_load_dword v0, v1, s[0:1]
    /// let access = MemoryAccess { space: Space::Global, access: Access::Read, atomic: false };
    /// assert!(load.memory().eq([access]));
    /// // buffer_load_dword off, s[8:11], s3 lds
    /// let to_lds = decode_words(Target::Gfx942, &[0xe051_0000, 0x0302_0000]).unwrap();
    /// assert!(to_lds.memory().map(|m| (m.space, m.access)).eq([(Space::Buffer, Access::Read), (Space::Lds, Access::Write)]));
    /// # }
    /// ```
    pub fn memory(&self) -> impl Iterator<Item = MemoryAccess> + use<> {
        let facts = self.facts();
        let flags = Flags(facts);
        let space = match SPACES.get(self.format() as usize).copied().flatten() {
            // Instead of LDS.
            Some(_) if facts & GDS != 0 => Some(Space::Gds),
            space => space,
        };
        let access = match (flags.is_load(), flags.is_store()) {
            (true, true) => Some((Access::ReadWrite, Access::ReadWrite)),
            (true, false) => Some((Access::Read, Access::Write)),
            (false, true) => Some((Access::Write, Access::Read)),
            (false, false) => None,
        };
        let both = space.zip(access);
        let atomic = flags.is_atomic();
        let main = both.map(|(space, (access, _))| MemoryAccess { space, access, atomic });
        let other = both.filter(|_| facts & LDS != 0);
        let other = other.map(|(_, (_, access))| MemoryAccess { space: Space::Lds, access, atomic: false });
        [main, other].into_iter().flatten()
    }

    /// The counters that it raises.
    ///
    /// On targets of the feature `unstable-rdna`, which have others, it says none.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Counters, Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xdc50_0000, 0x0000_0001]).unwrap(); // flat_load_dword v0, v[1:2]
    /// assert_eq!(load.counters(), Counters { vmcnt: true, expcnt: false, lgkmcnt: true });
    /// # }
    /// ```
    pub fn counters(&self) -> Counters {
        let facts = self.facts();
        Counters { vmcnt: facts & VMCNT != 0, expcnt: facts & EXPCNT != 0, lgkmcnt: facts & LGKMCNT != 0 }
    }
}

impl Counters {
    /// It raises none.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let add = decode_words(Target::Gfx942, &[0x0204_0501]).unwrap(); // v_add_f32 v2, v1, v2
    /// assert!(add.counters().is_empty());
    /// # }
    /// ```
    pub const fn is_empty(self) -> bool {
        !(self.vmcnt || self.expcnt || self.lgkmcnt)
    }
}

impl Codes {
    /// In the order of build/facts.rs.
    pub(crate) const fn new(codes: [u8; 9]) -> Codes {
        let [vcc, exec, m0, flat_scratch, xnack_mask, vccz, execz, scc, lds_direct] = codes;
        Codes { vcc, exec, m0, flat_scratch, xnack_mask, vccz, execz, scc, lds_direct }
    }
}
