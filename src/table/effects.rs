//! The memory that operations access, their purposes, and the steps in which they compute addresses.

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
    /// Flat memory: the value of the address determines whether the data is in memory, LDS or scratch.
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

/// The purpose for which code uses an operation, if tools that change or follow code have to know it; see
/// [`Opcode::purpose`](crate::Opcode::purpose).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Purpose {
    /// Wait states, one more than the constant: `s_nop`.
    Nop,
    /// Padding after code, which is never executed: `s_code_end`.
    Filler,
    /// The beginning of a clause, whose number of instructions is bits 5:0 of the constant, plus 1: `s_clause`.
    Clause,
    /// A change of the number of the wave's vector registers: `s_alloc_vgpr`.
    VgprCount,
    /// A change of the upper bits of the numbers of vector registers: `s_set_vgpr_msb`.
    VgprMsb,
    /// A mode in which an index is added to the numbers of vector registers: `s_set_gpr_idx_on`, `s_set_gpr_idx_mode`.
    VgprIndex,
    /// A copy of vector registers: `v_mov_b32`. For scalar registers, see [`AddressStep::Copy`].
    Copy,
    /// A sum of integers in vector registers, which can be an address or a half of it: `v_add_u32`, `v_add3_u32`. For
    /// scalar registers, see [`AddressStep::Sum`], [`AddressStep::Low`] and [`AddressStep::High`].
    Sum,
    /// A signal to the other waves of the work-group that this wave has arrived, and a wait for them: `s_barrier`.
    Barrier,
    /// A signal to the other waves that this wave has arrived: `s_barrier_signal`.
    BarrierSignal,
    /// A wait until the other waves have arrived: `s_barrier_wait`.
    BarrierWait,
}

/// The effect of a scalar operation in computing the address of code or data; see
/// [`Inst::address_step`](crate::Inst::address_step). Tools use these effects to move or to trace code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AddressStep {
    /// The address after the instruction: `s_getpc_b64`, `s_get_pc_i64`.
    Pc,
    /// A jump to the address after the instruction plus a number of bytes: `s_add_pc_i64`.
    Jump,
    /// An addition to the lower half of an address, which leaves the carry in SCC.
    Low,
    /// An addition of a number and the carry to the upper half of an address.
    High,
    /// A subtraction from the lower half, which leaves the borrow in SCC.
    LowLess,
    /// A subtraction of a number and the borrow from the upper half.
    HighLess,
    /// An addition to both halves.
    Sum,
    /// An addition of two numbers, whose sum is a distance to an address: `s_add_i32`.
    Distance,
    /// The absolute value of a distance: `s_abs_i32`.
    Absolute,
    /// A copy of one half, or of both.
    Copy,
    /// A copy of one of two values (`s_cselect_b64`), or of one value or none (`s_cmov_b64`), as SCC decides.
    Select,
    /// A shift of both halves to the right: by 32, it moves the upper half to the lower one.
    Shift,
    /// An extension of the lowest 8 bits of the upper half with their sign.
    Sign8,
    /// An extension of the lowest 16 bits of the upper half with their sign.
    Sign16,
}
