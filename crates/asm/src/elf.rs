//! Numbers that only ELF files of AMD GPUs have.

/// `st_shndx` of symbols in a workgroup's memory. Their value is their alignment in bytes.
pub const SHN_AMDGPU_LDS: u16 = 0xff00;

/// Kinds of relocations, as `r_type` has them. `S` is the symbol's address, `A` what is added, `P` the place, `G` the
/// place of the symbol's entry in the table of addresses (GOT).
pub mod kinds {
    /// Nothing.
    pub const NONE: u32 = 0;
    /// The lower 32 bits of `S + A`.
    pub const ABS32_LO: u32 = 1;
    /// The upper 32 bits of `S + A`.
    pub const ABS32_HI: u32 = 2;
    /// `S + A`, 64 bits.
    pub const ABS64: u32 = 3;
    /// `S + A - P`, 32 bits.
    pub const REL32: u32 = 4;
    /// `S + A - P`, 64 bits.
    pub const REL64: u32 = 5;
    /// `S + A`, 32 bits.
    pub const ABS32: u32 = 6;
    /// `G + A - P`, 32 bits.
    pub const GOTPCREL: u32 = 7;
    /// The lower 32 bits of `G + A - P`.
    pub const GOTPCREL32_LO: u32 = 8;
    /// The upper 32 bits of `G + A - P`.
    pub const GOTPCREL32_HI: u32 = 9;
    /// The lower 32 bits of `S + A - P`.
    pub const REL32_LO: u32 = 10;
    /// The upper 32 bits of `S + A - P`.
    pub const REL32_HI: u32 = 11;
    /// The address at which the file is loaded, and `A`: 64 bits.
    pub const RELATIVE64: u32 = 13;
    /// `(S + A - P - 4) / 4`, 16 bits: the distance of a branch in dwords.
    pub const REL16: u32 = 14;
}
