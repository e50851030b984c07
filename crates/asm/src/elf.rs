//! Numbers that only ELF files of AMD GPUs have.

/// `st_shndx` of symbols in a workgroup's memory. Their value is their alignment in bytes.
pub const SHN_AMDGPU_LDS: u16 = 0xff00;

pub use amdgpu_object::relocation_kinds as kinds;
