//! The properties of operations.

use core::fmt;

use crate::shared::flag;

/// The properties of an operation: a set of [`Flag`]s.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Flags(pub(crate) u32);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident $flag:ident $text:literal = $name_in_isa:literal;)*) => {
        /// One of the properties in [`Flags`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u8)]
        pub enum Flag {
            $($(#[$doc])* $flag = flag($name_in_isa).trailing_zeros() as u8,)*
        }
        impl Flag {
            /// Every flag.
            pub const ALL: &'static [Flag] = &[$(Flag::$flag),*];

            /// The name, such as `commutable`.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Flag::$flag => $text,)*
                }
            }
        }
        impl Flags {
            $($(#[$doc])* pub const fn $name(self) -> bool { self.contains(Flag::$flag) })*
        }
    };
}

impl Flags {
    pub(crate) const LOAD: u32 = flag("load");
    pub(crate) const STORE: u32 = flag("store");

    /// Whether the flag is set.
    pub const fn contains(self, flag: Flag) -> bool {
        self.0 >> flag as u32 & 1 == 1
    }

    /// Whether no flag is set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The flags that are set.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::facts::Flag;
    /// use amdgpu_isa::{Target, decode_words};
    /// let branch = decode_words(Target::Gfx942, &[0xbf82_fffe]).unwrap(); // s_branch
    /// assert!(branch.flags().iter().eq([Flag::Branch, Flag::Terminator, Flag::NoFallthrough]));
    /// let names: Vec<&str> = branch.flags().iter().map(Flag::name).collect();
    /// assert_eq!(names, ["branch", "terminator", "no_fallthrough"]);
    /// # }
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.iter().copied().filter(move |flag| self.contains(*flag))
    }

    /// Whether the operation branches under a condition, and otherwise continues with the next instruction.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let is_conditional = |word| decode_words(Target::Gfx942, &[word]).unwrap().flags().is_conditional_branch();
    /// assert!(is_conditional(0xbf84_fffe) && !is_conditional(0xbf82_fffe)); // s_cbranch_scc0, s_branch
    /// # }
    /// ```
    pub const fn is_conditional_branch(self) -> bool {
        self.is_branch() && !self.no_fallthrough()
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Debug for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

// The last string is the name in `isa/`.
flags! {
    /// Whether the first two sources can be swapped: see [`Inst::commuted`](crate::Inst::commuted).
    is_commutable Commutable "commutable" = "commute";
    /// Whether the lanes work together, so that moving the instruction into other control flow changes its meaning.
    is_convergent Convergent "convergent" = "convergent";
    /// Whether the operation can raise a floating-point exception.
    may_raise_fp MayRaiseFp "may_raise_fp" = "fpexcept";
    /// Whether the operation runs in the transcendental unit.
    is_trans Trans "trans" = "trans";
    /// Whether the operation works on packed values.
    is_packed Packed "packed" = "packed";
    /// Whether the operation is a dot product.
    is_dot Dot "dot" = "dot";
    /// Whether the operation is a matrix multiply-add, or loads the scales for one (`v_mfma_ld_scale_b32`).
    is_mfma Mfma "mfma" = "mfma";
    /// Whether the operation is a sparse matrix multiply-add.
    is_smfmac Smfmac "smfmac" = "smfmac";
    /// Whether the operation is a comparison.
    is_compare Compare "compare" = "compare";
    /// Whether the operation reads memory.
    is_load Load "load" = "load";
    /// Whether the operation writes memory or exports data.
    is_store Store "store" = "store";
    /// Whether the operation accesses memory atomically.
    is_atomic Atomic "atomic" = "atomic";
    /// Whether the operation is a branch, to a label or to an address that an operand determines.
    is_branch Branch "branch" = "branch";
    /// Whether the operation branches to an address that an operand other than a label determines.
    is_indirect_branch IndirectBranch "indirect_branch" = "indirect";
    /// Whether the operation ends a basic block.
    is_terminator Terminator "terminator" = "terminator";
    /// Whether the operation calls a function.
    is_call Call "call" = "call";
    /// Whether the operation ends the program or returns from a trap handler. `s_setpc_b64`, with which functions
    /// return, does not have this flag.
    is_return Return "return" = "return";
    /// Whether the operation ends the program.
    is_program_end ProgramEnd "program_end" = "endpgm";
    /// Whether control never reaches the next instruction: an unconditional branch, or the end of the program.
    no_fallthrough NoFallthrough "no_fallthrough" = "no_next";
    /// Whether the operation is on a barrier for waves: it waits, signals, or changes the barrier.
    is_wave_barrier WaveBarrier "wave_barrier" = "wave_barrier";
    /// Whether the operation waits for counters or events.
    is_wait Wait "wait" = "wait";
    /// Whether the operation has effects other than on operands and memory.
    has_side_effects SideEffects "side_effects" = "effects";
}
