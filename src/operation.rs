//! Operations on a target: their formats, numbers and signatures, and the facts that do not depend on operands.

use crate::opcode::{Field, Format, Opcode};
use crate::shared::flag;
use crate::table::generated::{INFOS, PURPOSES};
use crate::table::{FormSignature, Info, Layout, NO_INFO, Purpose, paged};
use crate::target::{DECODE, DESCS, ENTRIES, FACTS, INFO_OF, LAYOUT, Target};
#[cfg(feature = "text")]
use crate::target::{OPS, TEXT};

impl Opcode {
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
        self.entries(target).map(move |entry| Encoding { format: entry.signature.format, number: entry.number(target) })
    }

    /// The purpose for which code uses the operation; `None` if it has no purpose that tools need to know.
    ///
    /// ```
    /// # #[cfg(feature = "gfx942")] {
    /// use amdgpu_isa::Opcode;
    /// use amdgpu_isa::facts::Purpose;
    /// assert_eq!(Opcode::SNop.purpose(), Some(Purpose::Nop));
    /// assert_eq!(Opcode::VMovB32.purpose(), Some(Purpose::Copy));
    /// assert_eq!(Opcode::SSleep.purpose(), None);
    /// # }
    /// ```
    pub fn purpose(self) -> Option<Purpose> {
        let found = PURPOSES.binary_search_by_key(&self, |(opcode, _)| *opcode);
        PURPOSES.get(found.ok()?).map(|(_, purpose)| *purpose)
    }

    /// Whether a target has an operation with this purpose.
    ///
    /// ```
    /// # #[cfg(all(feature = "gfx942", feature = "gfx1100"))] {
    /// use amdgpu_isa::{Opcode, Target};
    /// use amdgpu_isa::facts::Purpose;
    /// assert!(Opcode::has_purpose(Target::Gfx1100, Purpose::Clause));
    /// assert!(!Opcode::has_purpose(Target::Gfx942, Purpose::Clause));
    /// # }
    /// ```
    pub fn has_purpose(target: Target, purpose: Purpose) -> bool {
        let mut all = PURPOSES.iter().filter(|(_, other)| *other == purpose);
        all.any(|(opcode, _)| opcode.encodings(target).next().is_some())
    }

    /// The operation with this mnemonic in a target's assembler, without the suffix of an encoding; case is ignored.
    /// `None` if the target has no such operation.
    ///
    /// Some targets have their own spelling of an operation, as [`Inst::mnemonic`](crate::Inst::mnemonic) shows. Such a
    /// spelling can be the name of another operation on other targets.
    /// [`Opcode::from_str`](core::str::FromStr::from_str) accepts only the name that all targets share.
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
        let spellings = TEXT[target as usize].spellings;
        if let Some((op_index, _)) = spellings.iter().find(|(_, spelling)| spelling.eq_ignore_ascii_case(mnemonic)) {
            return OPS[target as usize].opcode((*op_index).into());
        }
        let opcode: Opcode = mnemonic.parse().ok()?;
        // If the target has its own spelling for an operation, the shared name does not work there.
        let respelled = |entry: OpcodeEntry| spellings.iter().any(|(op_index, _)| *op_index == entry.op_index);
        let mut entries = opcode.entries(target).peekable();
        entries.peek()?;
        (!entries.all(respelled)).then_some(opcode)
    }

    /// The target's spelling of the operation in a format, without the suffix of an encoding. The spelling is usually
    /// the opcode's name. `None` if the target lacks the operation in that format.
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

    pub(crate) fn entries(self, target: Target) -> impl Iterator<Item = OpcodeEntry> + Clone {
        self.op_indices(target).iter().map(move |&op_index| OpcodeEntry::new(target, op_index))
    }

    /// The operation's opcode indices on a target.
    #[inline]
    pub(crate) fn op_indices(self, target: Target) -> &'static [u16] {
        let entries = ENTRIES[target as usize];
        let first = |at: usize| entries.first.get(at).copied().map(usize::from);
        let range = self.place().and_then(|at| Some(first(at)?..first(at + 1)?)).unwrap_or(0..0);
        entries.op_indices.get(range).unwrap_or(&[])
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

/// An operation on a target, in one of its formats.
#[derive(Clone, Copy)]
pub(crate) struct OpcodeEntry {
    pub signature: &'static FormSignature,
    pub op_index: u16,
}

/// The mnemonic of an opcode index, if the target has a spelling of its own.
#[cfg(feature = "text")]
pub(crate) fn own_spelling(target: Target, op_index: usize) -> Option<&'static str> {
    let spellings = TEXT[target as usize].spellings;
    let found = spellings.binary_search_by_key(&op_index, |s| s.0.into()).ok()?;
    spellings.get(found).map(|s| s.1)
}

impl OpcodeEntry {
    /// The operation with an opcode index.
    #[inline]
    pub(crate) fn new(target: Target, op_index: u16) -> OpcodeEntry {
        OpcodeEntry { signature: DESCS[target as usize].signature(op_index.into(), 0), op_index }
    }

    /// The number in the format's opcode field.
    pub(crate) fn number(&self, target: Target) -> u16 {
        number(target, self.signature.format, self.in_space(target))
    }

    /// The opcode index relative to the start of its opcode space; for the second of two operations, its opcode shifted
    /// left by the width of the first one's. [`number`] takes this value.
    pub(crate) fn in_space(&self, target: Target) -> u16 {
        let op_index = self.op_index;
        let mut opcode_spaces = DECODE[target as usize].opcode_spaces.iter().rev();
        let Some(opcode_space) = opcode_spaces.find(|f| f.base <= op_index) else { return 0 };
        match op_index.checked_sub(opcode_space.second_op_base) {
            // A second operation: its opcode is in the bits above the first operation's opcode.
            Some(opcode) if opcode_space.second_op_base != 0 => opcode << opcode_space.op_mask.count_ones(),
            _ => op_index - opcode_space.base,
        }
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
    let op = layout(target, format).and_then(|l| l.fields.iter().find(|f| f.field == Field::Op));
    op.map_or(0, |op| op_index & ((1u32 << (op.width + op.hi_width)) - 1) as u16)
}

/// The facts of the operation with this opcode index.
#[inline]
pub(crate) fn info(target: Target, op_index: usize) -> &'static Info {
    let t = INFO_OF[target as usize];
    let number = paged(t.pages, t.info_of, op_index).unwrap_or(0);
    INFOS.get(usize::from(number)).unwrap_or(&NO_INFO)
}

/// The number of different scalars that an operation with these flags can read over the constant bus.
pub(crate) fn scalar_limit(target: Target, flags: u32) -> u8 {
    let has_one = flags & const { flag("one_scalar") } != 0;
    if has_one { 1 } else { FACTS[target as usize].bus }
}

/// The layout of a format on a target.
pub(crate) fn layout(target: Target, format: Format) -> Option<&'static Layout> {
    LAYOUT[target as usize].of(format)
}
