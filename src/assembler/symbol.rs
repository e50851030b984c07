//! Symbols: the dwords that the linker fills in, as ELF files for AMD GPUs describe them.

use core::fmt;

/// The type of a relocation, which states the value that the linker stores in a dword. The variants are the types of
/// the AMD GPU ELF format that code needs. The discriminant is the type's number.
///
/// Source: LLVM's AMDGPU usage guide, "Relocation Records". `S`: the symbol's address, `A`: the addend, `P`: the
/// address of the dword, `G`: the offset of the symbol's entry in the global offset table, `GOT`: the address of that
/// table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u32)]
pub enum RelocationKind {
    /// The low half of S + A: `sym@abs32@lo`.
    Abs32Lo = 1,
    /// The high half of S + A: `sym@abs32@hi`.
    Abs32Hi = 2,
    /// S + A - P.
    Rel32 = 4,
    /// S + A, 32 bits.
    Abs32 = 6,
    /// The low half of G + GOT + A - P: `sym@gotpcrel32@lo`.
    GotPcRel32Lo = 8,
    /// The high half of G + GOT + A - P: `sym@gotpcrel32@hi`.
    GotPcRel32Hi = 9,
    /// The low half of S + A - P: `sym@rel32@lo`.
    Rel32Lo = 10,
    /// The high half of S + A - P: `sym@rel32@hi`.
    Rel32Hi = 11,
}

impl RelocationKind {
    /// The type's number in the ELF file.
    pub const fn number(self) -> u32 {
        self as u32
    }
}

impl fmt::Display for RelocationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            RelocationKind::Abs32Lo => "R_AMDGPU_ABS32_LO",
            RelocationKind::Abs32Hi => "R_AMDGPU_ABS32_HI",
            RelocationKind::Rel32 => "R_AMDGPU_REL32",
            RelocationKind::Abs32 => "R_AMDGPU_ABS32",
            RelocationKind::GotPcRel32Lo => "R_AMDGPU_GOTPCREL32_LO",
            RelocationKind::GotPcRel32Hi => "R_AMDGPU_GOTPCREL32_HI",
            RelocationKind::Rel32Lo => "R_AMDGPU_REL32_LO",
            RelocationKind::Rel32Hi => "R_AMDGPU_REL32_HI",
        })
    }
}

/// A dword that the linker fills in: an entry of `.rela.text`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Relocation {
    /// Offset in bytes from the start of the code.
    pub offset: u64,
    /// The value to store at the offset.
    pub kind: RelocationKind,
    /// The symbol, as any number that the caller assigns to it.
    pub symbol: u32,
    /// The addend.
    pub addend: i64,
}
