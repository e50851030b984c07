//! The enums that all targets share (operations, formats, fields), and the properties of operations.

include!(concat!(env!("OUT_DIR"), "/common.rs"));

use core::fmt;
use core::str::FromStr;

use crate::shared::flag;
use crate::table::FormSignature;
use crate::target::{DECODE, DESCS, ENTRIES};
use crate::{Space, Target};

impl Opcode {
    /// The mnemonic, in LLVM's spelling, without the suffix of an encoding.
    #[cfg(feature = "text")]
    pub fn name(self) -> &'static str {
        let at = self as usize;
        let (Some(&a), Some(&b)) = (MNEMONICS_AT.get(at), MNEMONICS_AT.get(at + 1)) else { return "" };
        MNEMONICS.get(usize::from(a)..usize::from(b)).unwrap_or("")
    }

    /// The name followed by other text, and its length: copying a fixed size is cheaper than copying the exact size.
    #[cfg(feature = "text")]
    #[inline]
    pub(crate) fn padded_name(self) -> (&'static [u8; 48], usize) {
        let at = self as usize;
        let (Some(&a), Some(&b)) = (MNEMONICS_AT.get(at), MNEMONICS_AT.get(at + 1)) else { return (&[0; 48], 0) };
        match MNEMONICS.as_bytes().get(usize::from(a)..).and_then(|rest| rest.first_chunk()) {
            Some(name) => (name, usize::from(b - a)),
            None => (&[0; 48], 0),
        }
    }

    /// The formats and opcode numbers of the operation on a target; none if the target lacks it.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Format, Opcode, Target};
    /// let all: Vec<_> = Opcode::VAddF32.encodings(Target::Gfx942).collect();
    /// assert_eq!(all.iter().map(|e| (e.format, e.number)).collect::<Vec<_>>(), [(Format::Vop2, 1), (Format::Vop3a, 257)]);
    /// # }
    /// ```
    pub fn encodings(self, target: Target) -> impl Iterator<Item = Encoding> {
        self.entries(target).map(|entry| Encoding { format: entry.signature.format, number: entry.number })
    }

    /// The operation with this mnemonic in a target's assembler, without the suffix of an encoding; case is ignored.
    /// `None` if the target has no such operation.
    ///
    /// Some targets have their own spelling of an operation, as [`Inst::mnemonic`](crate::Inst::mnemonic) shows. Such a
    /// spelling can be the name of another operation on other targets. [`Opcode::from_str`] accepts only the name that
    /// all targets share.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx600"))] {
    /// use amdgpu_isa::{Opcode, Target};
    /// // Up to GCN 1.2 this is the addition that writes a carry.
    /// assert_eq!(Opcode::from_mnemonic(Target::Gfx600, "v_add_i32"), Some(Opcode::VAddCoU32));
    /// assert_eq!(Opcode::from_mnemonic(Target::Gfx942, "v_add_i32"), Some(Opcode::VAddI32));
    /// assert_eq!(Opcode::from_mnemonic(Target::Gfx942, "V_ADD_CO_U32"), Some(Opcode::VAddCoU32));
    /// assert_eq!(Opcode::from_mnemonic(Target::Gfx600, "global_load_dword"), None);
    /// # }
    /// ```
    #[cfg(feature = "text")]
    pub fn from_mnemonic(target: Target, mnemonic: &str) -> Option<Opcode> {
        let spellings = crate::target::TEXT[target as usize].spellings;
        if let Some((op_index, _)) = spellings.iter().find(|(_, spelling)| spelling.eq_ignore_ascii_case(mnemonic)) {
            return crate::target::OPS[target as usize].opcode((*op_index).into());
        }
        let opcode: Opcode = mnemonic.parse().ok()?;
        // If the target has its own spelling for an operation, the shared name does not work there.
        let respelled = |entry: OpcodeEntry| spellings.iter().any(|(op_index, _)| *op_index == entry.op_index);
        let mut entries = opcode.entries(target).peekable();
        entries.peek()?;
        (!entries.all(respelled)).then_some(opcode)
    }

    /// The target's spelling of the operation in a format, without the suffix of an encoding. It is usually the
    /// opcode's name. `None` if the target lacks the operation in that format.
    ///
    /// ```
    /// # #[cfg(feature = "gfx600")] {
    /// use amdgpu_isa::{Format, Opcode, Target};
    /// assert_eq!(Opcode::VAddCoU32.mnemonic(Target::Gfx600, Format::Vop2), Some("v_add_i32"));
    /// assert_eq!(Opcode::VAddCoU32.mnemonic(Target::Gfx600, Format::Vop1), None);
    /// # }
    /// ```
    #[cfg(feature = "text")]
    pub fn mnemonic(self, target: Target, format: Format) -> Option<&'static str> {
        let entry = self.entries(target).find(|entry| entry.signature.format == format)?;
        Some(own_spelling(target, entry.op_index.into()).unwrap_or_else(|| self.name()))
    }

    pub(crate) fn entries(self, target: Target) -> impl Iterator<Item = OpcodeEntry> {
        let entries = ENTRIES[target as usize];
        let at = self as usize;
        let range = match (entries.first.get(at), entries.first.get(at + 1)) {
            (Some(&a), Some(&b)) => usize::from(a)..usize::from(b),
            _ => 0..0,
        };
        let op_indices = entries.op_indices.get(range).unwrap_or(&[]);
        op_indices.iter().filter_map(move |&op_index| OpcodeEntry::new(target, op_index))
    }
}

/// One encoding of an operation: see [`Opcode::encodings`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Encoding {
    /// The base format.
    pub format: Format,
    /// The number in the format's opcode field. If the field holds the opcodes of two operations (VOPD), the other
    /// opcode is zero.
    pub number: u16,
}

/// An operation on a target: its number in a format, and its signature there.
#[derive(Clone, Copy)]
pub(crate) struct OpcodeEntry {
    pub signature: &'static FormSignature,
    pub op_index: u16,
    pub number: u16,
}

/// The mnemonic of an opcode index, if the target has a spelling of its own.
#[cfg(feature = "text")]
pub(crate) fn own_spelling(target: Target, op_index: usize) -> Option<&'static str> {
    let spellings = crate::target::TEXT[target as usize].spellings;
    let found = spellings.binary_search_by_key(&op_index, |s| s.0.into()).ok()?;
    spellings.get(found).map(|s| s.1)
}

impl OpcodeEntry {
    /// The operation with an opcode index.
    pub(crate) fn new(target: Target, op_index: u16) -> Option<OpcodeEntry> {
        let opcode_space = DECODE[target as usize].opcode_spaces.iter().rev().find(|f| f.base <= op_index)?;
        let signature = DESCS[target as usize].signature(op_index.into(), 0);
        let in_space = match op_index.checked_sub(opcode_space.second) {
            // A second operation, whose opcode is above the first one's.
            Some(opcode) if opcode_space.second != 0 => opcode << opcode_space.op_mask.count_ones(),
            _ => op_index - opcode_space.base,
        };
        Some(OpcodeEntry { signature, op_index, number: number(target, signature.format, in_space) })
    }

    /// The forms with a trailing dword other than a literal.
    pub(crate) fn forms(&self, target: Target) -> impl Iterator<Item = &'static FormSignature> + use<> {
        DESCS[target as usize].forms(self.op_index.into())
    }
}

/// The number in a format's opcode field, from an opcode index relative to the start of its opcode space. The bits
/// above the field distinguish formats (FLAT's segment); if the field is in two pieces, the upper piece is part of the
/// number.
pub(crate) fn number(target: Target, format: Format, op_index: u16) -> u16 {
    let op = crate::inst::layout(target, format).and_then(|l| l.fields.iter().find(|f| f.field == Field::Op));
    op.map_or(0, |op| op_index & ((1u32 << (op.width + op.hi_width)) - 1) as u16)
}

impl fmt::Debug for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        #[cfg(feature = "text")]
        return f.write_str(self.name());
        #[cfg(not(feature = "text"))]
        write!(f, "Opcode({})", *self as u16)
    }
}

#[cfg(feature = "text")]
impl fmt::Display for Opcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Parses the name, ignoring case. [`Opcode::from_mnemonic`] parses a target's own spelling.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::errors::UnknownName;
/// use amdgpu_isa::Opcode;
/// assert_eq!("v_add_f32".parse(), Ok(Opcode::VAddF32));
/// assert_eq!("V_ADD_F32".parse(), Ok(Opcode::VAddF32));
/// assert_eq!("v_add_f32_e32".parse::<Opcode>(), Err(UnknownName)); // the suffix is that of an encoding
/// # }
/// ```
#[cfg(feature = "text")]
impl FromStr for Opcode {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Opcode::ALL.iter().copied().find(|opcode| opcode.name().eq_ignore_ascii_case(s)).ok_or(UnknownName)
    }
}

/// No operation, format or field has this name in this build.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct UnknownName;

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown name")
    }
}

impl core::error::Error for UnknownName {}

/// Parses the manual's name, such as `VOP3P-MAI`, ignoring case.
impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Format::ALL.iter().copied().find(|format| format.name().eq_ignore_ascii_case(s)).ok_or(UnknownName)
    }
}

/// Parses the manual's name, such as `ssrc0`, ignoring case.
impl FromStr for Field {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Field::ALL.iter().copied().find(|field| field.name().eq_ignore_ascii_case(s)).ok_or(UnknownName)
    }
}

impl Format {
    /// The manual's name, such as `VOP3P-MAI`.
    pub fn name(self) -> &'static str {
        FORMAT_NAMES.get(self as usize).copied().unwrap_or("")
    }

    /// Whether it is the format of a literal, of 32 bits or of 64.
    pub(crate) fn is_literal(self) -> bool {
        matches!(self, Format::Literal | Format::Literal64)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Field {
    /// The manual's name, such as `ssrc0`.
    pub fn name(self) -> &'static str {
        FIELD_NAMES.get(self as usize).copied().unwrap_or("")
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

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

    /// Whether it branches to a label under a condition, and otherwise continues with the next instruction.
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
    /// The first two sources can be swapped: see [`Inst::commuted`](crate::Inst::commuted).
    is_commutable Commutable "commutable" = "commute";
    /// Its lanes work together, so moving it into other control flow changes its meaning.
    is_convergent Convergent "convergent" = "convergent";
    /// Can raise a floating-point exception.
    may_raise_fp MayRaiseFp "may_raise_fp" = "fpexcept";
    /// Runs in the transcendental unit.
    is_trans Trans "trans" = "trans";
    /// Works on packed values.
    is_packed Packed "packed" = "packed";
    /// Dot product.
    is_dot Dot "dot" = "dot";
    /// Matrix multiply-add.
    is_mfma Mfma "mfma" = "mfma";
    /// Sparse matrix multiply-add.
    is_smfmac Smfmac "smfmac" = "smfmac";
    /// Compares.
    is_compare Compare "compare" = "compare";
    /// Reads memory.
    is_load Load "load" = "load";
    /// Writes memory.
    is_store Store "store" = "store";
    /// Atomic memory access.
    is_atomic Atomic "atomic" = "atomic";
    /// Branches to a label.
    is_branch Branch "branch" = "branch";
    /// Branches to an address in a register.
    is_indirect_branch IndirectBranch "indirect_branch" = "indirect";
    /// Ends a basic block.
    is_terminator Terminator "terminator" = "terminator";
    /// Calls.
    is_call Call "call" = "call";
    /// Returns.
    is_return Return "return" = "return";
    /// Ends the program.
    is_program_end ProgramEnd "program_end" = "endpgm";
    /// Control never reaches the next instruction: an unconditional branch, or the end of the program.
    no_fallthrough NoFallthrough "no_fallthrough" = "no_next";
    /// Waits for the other waves of the group.
    is_wave_barrier WaveBarrier "wave_barrier" = "wave_barrier";
    /// Waits for counters.
    is_wait Wait "wait" = "wait";
    /// Has effects other than on operands and memory.
    has_side_effects SideEffects "side_effects" = "effects";
}
