//! The tables of the fast path of decoding: see src/decode/fast.rs.

use super::sizes::{BaseConstraintIndex, FAST_CONSTRAINTS, OP_INDICES};

/// The tables that `decode::fast` reads.
pub(crate) struct FastDecode {
    /// An entry for each value of the top nine bits of the first dword. The bits from 5 up are the number of the opcode
    /// space; the bits below are the size of the second dword in bytes, 4 or 0. The entry 1 stands for instructions
    /// of three dwords or of two operations, which `look` refuses and `long` reads.
    pub leads: [u16; 512],
    pub opcode_spaces: [FastOpcodeSpace; 32],
    /// Index in `constraints` for each opcode index. Unused opcode indices have entry 0, which no words satisfy.
    pub constraints_of: [BaseConstraintIndex; OP_INDICES],
    pub constraints: [FastConstraints; FAST_CONSTRAINTS],
    /// For each entry of `constraints`, the groups of codes that announce a literal in each checked field.
    pub literals: [[u32; 4]; FAST_CONSTRAINTS],
    /// For each checked field, the group of each code, as one bit. Codes that no constraints distinguish in that field
    /// are in the same group. The index is nine bits, however wide the field is; the group does not depend on the bits
    /// above the field.
    pub groups: [[u32; 512]; 4],
}

/// Positions of the fields of an opcode space.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastOpcodeSpace {
    /// Lowest bits of the checked fields.
    pub lsb: [u8; 4],
    /// Mask of the opcode's bits. The first dword under this mask is multiplied by `gather`; the upper 32 bits of the
    /// product, under `op_mask`, are the opcode. Each bit of `gather` shifts one piece of the opcode to its place.
    pub op: u32,
    pub gather: u64,
    pub op_mask: u32,
    /// `Inst::meta` of the first opcode index in the opcode space.
    pub meta: u32,
    /// Mask of the instruction's bits in its first two dwords.
    pub all: u64,
}

/// The constraints that words must satisfy for `look` to accept them.
#[derive(Clone, Copy)]
#[repr(align(32))]
pub(crate) struct FastConstraints {
    /// Bits that must be zero.
    pub zeros: u64,
    /// Bits of the third dword that must be zero, and bits of the third dword that must not all be set.
    pub third: [u32; 2],
    /// For each checked field, the groups of codes that the field must not hold.
    pub bad: [u32; 4],
}

/// Constraints that no words satisfy.
pub(crate) const NO_CONSTRAINTS: FastConstraints = FastConstraints { zeros: 0, third: [0; 2], bad: [u32::MAX; 4] };

/// An opcode space whose only opcode index is unused.
pub(crate) const NO_OPCODE_SPACE: FastOpcodeSpace =
    FastOpcodeSpace { lsb: [0; 4], op: 0, op_mask: 0, meta: OP_INDICES as u32 - 1, gather: 0, all: 0 };
