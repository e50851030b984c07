//! The enums that all targets share: operations, formats, fields; and the facts of operations.

include!(concat!(env!("OUT_DIR"), "/common.rs"));

use core::fmt;

use crate::shared::flag;
use crate::table::Shape;
use crate::target::{DECODE, ITEMS, OPS};
use crate::{Space, Target};

impl Opcode {
    /// The mnemonic, in LLVM's spelling, without the suffix of an encoding.
    #[cfg(feature = "text")]
    pub fn name(self) -> &'static str {
        let at = self as usize;
        let (Some(&a), Some(&b)) = (MNEMONICS_AT.get(at), MNEMONICS_AT.get(at + 1)) else { return "" };
        MNEMONICS.get(usize::from(a)..usize::from(b)).unwrap_or("")
    }

    /// The name with what lies behind it, and its length: a copy of fixed size is cheaper than one of the right size.
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

    /// The formats and numbers that a target gives the operation; none if the target lacks it.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Format, Opcode, Target};
    /// let all: Vec<_> = Opcode::VAddF32.encodings(Target::Gfx942).collect();
    /// assert_eq!(all, [(Format::Vop2, 1), (Format::Vop3a, 257)]);
    /// # }
    /// ```
    pub fn encodings(self, target: Target) -> impl Iterator<Item = (Format, u16)> {
        self.places(target).map(|place| (place.shape.format, place.number))
    }

    pub(crate) fn places(self, target: Target) -> impl Iterator<Item = Place> {
        let (ops, tables) = (OPS[target as usize], DECODE[target as usize]);
        let at = self as usize;
        let range = match (ops.first.get(at), ops.first.get(at + 1)) {
            (Some(&a), Some(&b)) => usize::from(a)..usize::from(b),
            _ => 0..0,
        };
        let slots = ops.slots.get(range).unwrap_or(&[]);
        slots.iter().filter_map(move |&slot| {
            let family = tables.families.iter().rev().find(|f| f.base <= slot)?;
            let shape = ITEMS[target as usize].shape(slot.into(), 0);
            Some(Place { shape, number: number(target, shape.format, slot - family.base) })
        })
    }
}

/// Where a target has an operation: its number in a format, and how it looks there.
pub(crate) struct Place {
    pub shape: &'static Shape,
    pub number: u16,
}

impl Place {
    /// The forms with a dword behind the base words that is no literal.
    pub(crate) fn forms(&self, target: Target) -> impl Iterator<Item = &'static Shape> {
        ITEMS[target as usize].forms(self.shape)
    }
}

/// The number in a format's opcode field, from a slot counted from the first of its family. What lies above the field
/// tells formats apart (FLAT's segment); where the field is in two pieces, the upper one is part of the number.
pub(crate) fn number(target: Target, format: Format, slot: u16) -> u16 {
    let op = crate::inst::layout(target, format).and_then(|l| l.fields.iter().find(|f| f.field == Field::Op));
    op.map_or(0, |op| slot & ((1u32 << (op.width + op.hi_width)) - 1) as u16)
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

impl Format {
    /// The manual's name, such as `VOP3P-MAI`.
    pub fn name(self) -> &'static str {
        FORMAT_NAMES.get(self as usize).copied().unwrap_or("")
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

/// What an operation does besides its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flags(pub(crate) u32);

macro_rules! flags {
    ($($(#[$doc:meta])* $name:ident = $flag:literal;)*) => {
        impl Flags {
            $($(#[$doc])* pub const fn $name(self) -> bool {
                const { assert!(flag($flag) != 0) }
                self.0 & flag($flag) != 0
            })*
        }
        impl fmt::Debug for Flags {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut set = f.debug_set();
                $(if self.$name() { set.entry(&stringify!($name)); })*
                set.finish()
            }
        }
    };
}

impl Flags {
    pub(crate) const LOAD: u32 = flag("load");
    pub(crate) const STORE: u32 = flag("store");

    /// Branches to a label or goes on with the next instruction.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::{Target, decode_words};
    /// let is_conditional = |word| decode_words(Target::Gfx942, &[word]).unwrap().flags().is_conditional_branch();
    /// assert!(is_conditional(0xbf84_fffe) && !is_conditional(0xbf82_fffe)); // s_cbranch_scc0, s_branch
    /// # }
    /// ```
    pub const fn is_conditional_branch(self) -> bool {
        self.is_branch() && !self.is_barrier()
    }
}

// By the names in `isa/`.
flags! {
    /// The first two sources can change places: [`Inst::commuted`](crate::Inst::commuted).
    is_commutable = "commute";
    /// Lanes work together: moving it into other control flow changes its meaning.
    is_convergent = "convergent";
    /// Can raise a floating-point exception.
    may_raise_fp = "fpexcept";
    /// Runs in the transcendental unit.
    is_trans = "trans";
    /// Works on packed values.
    is_packed = "packed";
    /// Dot product.
    is_dot = "dot";
    /// Matrix multiply-add.
    is_mfma = "mfma";
    /// Sparse matrix multiply-add.
    is_smfmac = "smfmac";
    /// Compares.
    is_compare = "compare";
    /// Reads memory.
    is_load = "load";
    /// Writes memory.
    is_store = "store";
    /// Atomic memory access.
    is_atomic = "atomic";
    /// Branches to a label.
    is_branch = "branch";
    /// Branches to an address in a register.
    is_indirect_branch = "indirect";
    /// Ends a basic block.
    is_terminator = "terminator";
    /// Calls.
    is_call = "call";
    /// Returns.
    is_return = "return";
    /// Ends the program.
    is_program_end = "endpgm";
    /// Control does not reach the next instruction.
    is_barrier = "barrier";
    /// Waits for the other waves of the group.
    is_wave_barrier = "wave_barrier";
    /// Waits for counters.
    is_wait = "wait";
    /// Has effects that neither operands nor memory show.
    has_side_effects = "effects";
}
