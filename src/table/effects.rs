//! What operations access, and how they compute addresses.

/// The memory that an instruction accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Space {
    /// Memory through the scalar cache.
    Scalar,
    /// Memory through a buffer resource.
    Buffer,
    /// Memory through an image resource.
    Image,
    /// An address whose value determines whether it is in memory, LDS or scratch.
    Flat,
    /// Global memory.
    Global,
    /// Private memory of the lane.
    Scratch,
    /// The local data share.
    Lds,
    /// The global data share.
    Gds,
    /// An export: pixel colours, positions, parameters.
    Export,
}

/// The effect of a scalar operation in computing the address of code or data; see
/// [`Inst::address_step`](crate::Inst::address_step). Moving code, and following it without running it, depend on these
/// effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AddressStep {
    /// The address after the instruction: `s_getpc_b64`, `s_get_pc_i64`.
    Pc,
    /// A jump to the address after the instruction plus a number of bytes: `s_add_pc_i64`.
    Jump,
    /// An addition to the lower half, which leaves the carry in SCC.
    Low,
    /// An addition of a number and the carry to the upper half.
    High,
    /// An addition to both halves.
    Sum,
    /// A copy of one half, or of both.
    Copy,
    /// A copy of one of two values, or none, by SCC.
    Select,
    /// An extension of the lowest 8 bits of the upper half with their sign.
    Sign8,
    /// An extension of the lowest 16 bits of the upper half with their sign.
    Sign16,
}
