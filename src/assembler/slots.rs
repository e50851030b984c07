//! Memory that the caller lends the assembler: slots for labels and fix-ups.

use core::fmt;

use super::Relocation;

/// A position in the code, perhaps not bound yet, or an address. A label belongs to one assembler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Label(pub(super) u32);

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "label {}", self.0)
    }
}

/// Room for one label.
#[derive(Clone, Copy, Debug, Default)]
pub struct LabelSlot(pub(super) LabelPlace);

impl LabelSlot {
    /// An empty slot: `[LabelSlot::EMPTY; 16]` is room for sixteen labels.
    pub const EMPTY: LabelSlot = LabelSlot(LabelPlace::Unbound);
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) enum LabelPlace {
    #[default]
    Unbound,
    /// A position before this dword and after this many fix-ups. Growth of fix-ups is not counted.
    Here { dword: usize, fixups: usize },
    /// A position at an address, in bytes.
    Address(u64),
}

/// Room for one fix-up, which the assembler resolves at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixupSlot(pub(super) Fixup);

impl FixupSlot {
    /// An empty slot: `[FixupSlot::EMPTY; 16]` is room for sixteen fix-ups.
    pub const EMPTY: FixupSlot = FixupSlot(Fixup { at: 0, shift: 0, growth: 0, kind: FixupKind::Align(0, false) });
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Fixup {
    /// The dword of the fix-up, counted without growth.
    pub at: usize,
    /// Growth of the code before the fix-up, in dwords.
    pub shift: usize,
    /// Growth of the fix-up itself, in dwords.
    pub growth: usize,
    pub kind: FixupKind,
}

impl Default for Fixup {
    fn default() -> Self {
        FixupSlot::EMPTY.0
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum FixupKind {
    /// A branch to a label: one dword, perhaps with an `s_nop`, or the long form.
    Branch(Label),
    /// Padding to a multiple of 2 to the power of this number, in bytes, and whether execution never reaches the
    /// padding.
    Align(u8, bool),
    /// `s_getpc_b64` and the two instructions that add the distance to a label.
    Address(Label),
    /// A dword that the linker fills in. The offset of this relocation is 0.
    Symbol(Relocation),
}

impl FixupKind {
    /// Number of dwords at the fix-up that are written again at their final place instead of being moved there.
    pub fn dwords(&self) -> usize {
        usize::from(matches!(self, FixupKind::Branch(_)))
    }
}
