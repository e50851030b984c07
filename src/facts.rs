//! The effects of an instruction besides its operands: registers as sets, memory, counters, control flow; and the
//! formats and numbers that encode an operation.

use crate::codec::flag;
use crate::inst::Inst;
use crate::shared::flag as flag_of;
use crate::table::generated::SPACES;
use crate::table::{NONE, When};
use crate::target::FACTS;
use crate::value::Access;

pub use crate::flags::{Flag, Flags};
pub use crate::operation::Encoding;
pub use crate::registers::RegSet;
pub use crate::table::{AddressStep, Counter, Counters, Purpose, Space};

/// One memory access of an instruction; see [`Inst::memory`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(alias = "mayLoad")]
#[doc(alias = "mayStore")]
pub struct MemoryAccess {
    /// The memory.
    pub space: Space,
    /// Whether the memory is read (a load), written (a store), or both.
    pub access: Access,
    /// Whether the access is a single read-modify-write operation.
    pub atomic: bool,
}

const VMCNT: u32 = flag_of("vmcnt");
const EXPCNT: u32 = flag_of("expcnt");
const LGKMCNT: u32 = flag_of("lgkmcnt");
const VSCNT: u32 = flag_of("vscnt");
const LDS: u32 = flag_of("lds");
const GDS: u32 = flag_of("gds");
const ALL_FLAGS: u32 = VMCNT - 1;

impl Flags {
    /// Selects the flags from the facts of an operation, which also have bits for counters and memory.
    pub(crate) fn of_facts(facts: u32) -> Flags {
        // A transfer from memory to LDS, or back, reads one and writes the other.
        let both = if facts & LDS == 0 { 0 } else { Flags::LOAD | Flags::STORE };
        Flags((facts | both) & ALL_FLAGS)
    }
}

impl Inst {
    /// The flags of the operation, as changed by fields and by a trailing dword.
    pub(crate) fn facts(&self) -> u32 {
        let format = self.format();
        let extension = if self.form() == 0 { None } else { self.extension() };
        let holds = |when: &&When| match when.bit {
            NONE => extension == Some(when.format),
            bit => format == when.format && flag(self, bit),
        };
        let whens = FACTS[self.target() as usize].whens.iter().filter(holds);
        whens.fold(self.info_flags(), |flags, when| flags & !when.clear | when.set)
    }

    /// The properties of the operation, with the effects of modifiers and of a trailing dword.
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
        Flags::of_facts(self.facts())
    }

    /// The operation's step in the computation of an address, whatever its operands are; `None` if code does not
    /// compute addresses with it.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::facts::AddressStep;
    /// use amdgpu_isa::{Target, decode_words};
    /// let step = |word| decode_words(Target::Gfx942, &[word]).unwrap().address_step();
    /// assert_eq!(step(0xbe84_1c00), Some(AddressStep::Pc)); // s_getpc_b64 s[4:5]
    /// assert_eq!(step(0x8004_0504), Some(AddressStep::Low)); // s_add_u32 s4, s4, s5
    /// assert_eq!(step(0xbf81_0000), None); // s_endpgm
    /// # }
    /// ```
    pub fn address_step(&self) -> Option<AddressStep> {
        self.info().address
    }

    /// Whether the instruction, at the byte address `pc`, gives code its own address: the instruction reads the
    /// address, or calls the next instruction, whose address then becomes the return address.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let reads_pc = |word| decode_words(Target::Gfx942, &[word]).unwrap().reads_pc(0x100);
    /// assert!(reads_pc(0xbe84_1c00) && reads_pc(0xba84_0000)); // s_getpc_b64 s[4:5], s_call_b64 s[4:5], 0
    /// assert!(!reads_pc(0xba84_0001)); // s_call_b64 s[4:5], 1
    /// # }
    /// ```
    pub fn reads_pc(&self, pc: u64) -> bool {
        let after = pc.wrapping_add(self.len() as u64);
        let calls_next = || self.flags().is_call() && self.branch_target(pc) == Some(after);
        self.address_step() == Some(AddressStep::Pc) || calls_next()
    }

    /// The memory that the instruction reads and writes: one access, or two if data is moved between LDS and other
    /// memory. Cache control and waits are not accesses, nor are `v_interp_*` and `src_lds_direct`, although they
    /// read LDS; `lds_param_load` and `lds_direct_load` are loads.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::facts::Space;
    /// use amdgpu_isa::{Access, Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xdc50_8000, 0x0000_0001]).unwrap(); // global_load_dword v0, v1, s[0:1]
    /// let access = load.memory().next().unwrap();
    /// assert_eq!((access.space, access.access, access.atomic), (Space::Global, Access::Read, false));
    /// // buffer_load_dword off, s[8:11], s3 lds
    /// let to_lds = decode_words(Target::Gfx942, &[0xe051_0000, 0x0302_0000]).unwrap();
    /// assert!(to_lds.memory().map(|m| (m.space, m.access)).eq([(Space::Buffer, Access::Read), (Space::Lds, Access::Write)]));
    /// # }
    /// ```
    pub fn memory(&self) -> impl Iterator<Item = MemoryAccess> + use<> {
        let facts = self.facts();
        let flags = Flags(facts);
        let space = self.space_of(facts);
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

    /// The memory that operations of the instruction's format access, even if the instruction itself accesses none.
    /// `facts` are the facts about the instruction.
    pub(crate) fn space_of(&self, facts: u32) -> Option<Space> {
        match SPACES.get(self.format() as usize).copied().flatten() {
            // Operations of the format can access GDS instead of LDS.
            Some(_) if facts & GDS != 0 => Some(Space::Gds),
            space => space,
        }
    }

    /// The counters that the instruction raises when it is issued, which code can wait for.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::facts::Counter;
    /// use amdgpu_isa::{Target, decode_words};
    /// let load = decode_words(Target::Gfx942, &[0xdc50_0000, 0x0000_0001]).unwrap(); // flat_load_dword v0, v[1:2]
    /// assert!(load.counters().iter().eq([Counter::Vmcnt, Counter::Lgkmcnt]));
    /// # }
    /// ```
    pub fn counters(&self) -> Counters {
        self.counters_of(self.facts())
    }

    /// [`Inst::counters`] of an instruction with these facts.
    pub(crate) fn counters_of(&self, facts: u32) -> Counters {
        const FIRST: u32 = VMCNT.trailing_zeros();
        let raised = if facts & VMCNT != 0 && facts & VSCNT != 0 {
            // An atomic operation raises the counter of loads if it returns a value, otherwise that of stores.
            facts & !if self.returns() { VSCNT } else { VMCNT }
        } else {
            facts
        };
        let raised = Counters(((raised & (VMCNT | EXPCNT | LGKMCNT | VSCNT)) >> FIRST) as u16);
        if raised.is_empty() {
            return raised;
        }
        match FACTS[self.target() as usize].counters.iter().find(|(format, _)| *format == self.format()) {
            Some((_, names)) => raised
                .iter()
                .fold(Counters::new(), |all, counter| names.get(counter as usize).map_or(all, |name| all.with(*name))),
            None => raised,
        }
    }

    /// Whether the instruction, an atomic operation, returns a value. Always false on targets without a separate
    /// counter for stores.
    fn returns(&self) -> bool {
        let mut all = FACTS[self.target() as usize].returns.iter();
        all.any(|&(format, bit)| format == self.format() && flag(self, bit))
    }
}
