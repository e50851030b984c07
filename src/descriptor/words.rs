//! The words of a kernel descriptor whose bits have names. If a bit has two names, the second one is the name on later
//! targets.

use bitfield_struct::bitfield;

/// COMPUTE_PGM_RSRC1.
#[bitfield(u32)]
#[derive(PartialEq, Eq, Hash)]
pub struct PgmRsrc1 {
    /// Granules of vector registers, minus one.
    #[bits(6)]
    pub granulated_workitem_vgpr_count: u8,
    /// Granules of scalar registers, minus one; 0 on targets on which every wave has all of them.
    #[bits(4)]
    pub granulated_wavefront_sgpr_count: u8,
    #[bits(2)]
    pub priority: u8,
    #[bits(2)]
    pub float_round_mode_32: u8,
    #[bits(2)]
    pub float_round_mode_16_64: u8,
    #[bits(2)]
    pub float_denorm_mode_32: u8,
    #[bits(2)]
    pub float_denorm_mode_16_64: u8,
    pub privileged: bool,
    /// ENABLE_DX10_CLAMP; ENABLE_WG_RR_EN.
    pub dx10_clamp: bool,
    pub debug_mode: bool,
    /// ENABLE_IEEE_MODE; DISABLE_PERF.
    pub ieee_mode: bool,
    pub bulky: bool,
    pub cdbg_user: bool,
    pub fp16_ovfl: bool,
    #[bits(2)]
    pub reserved: u8,
    pub wgp_mode: bool,
    pub mem_ordered: bool,
    pub fwd_progress: bool,
}

/// COMPUTE_PGM_RSRC2.
#[bitfield(u32)]
#[derive(PartialEq, Eq, Hash)]
pub struct PgmRsrc2 {
    pub enable_private_segment: bool,
    #[bits(5)]
    pub user_sgpr_count: u8,
    /// ENABLE_TRAP_HANDLER; the high bit of the number of user SGPRs.
    pub trap_handler: bool,
    pub sgpr_workgroup_id_x: bool,
    pub sgpr_workgroup_id_y: bool,
    pub sgpr_workgroup_id_z: bool,
    pub sgpr_workgroup_info: bool,
    #[bits(2)]
    pub vgpr_workitem_id: u8,
    pub exception_address_watch: bool,
    pub exception_memory: bool,
    #[bits(9)]
    pub granulated_lds_size: u16,
    #[bits(7)]
    pub exceptions: u8,
    pub reserved: bool,
}

/// COMPUTE_PGM_RSRC3, which has one meaning on CDNA and another on RDNA.
#[bitfield(u32)]
#[derive(PartialEq, Eq, Hash)]
pub struct PgmRsrc3 {
    /// ACCUM_OFFSET, in granules of four registers, minus one; SHARED_VGPR_COUNT and the low bits of INST_PREF_SIZE.
    #[bits(6)]
    pub accum_offset: u8,
    #[bits(10)]
    pub middle: u16,
    pub tg_split: bool,
    #[bits(15)]
    pub high: u16,
}

/// The kernel code properties.
#[bitfield(u16)]
#[derive(PartialEq, Eq, Hash)]
pub struct KernelCodeProperties {
    pub private_segment_buffer: bool,
    pub dispatch_ptr: bool,
    pub queue_ptr: bool,
    pub kernarg_segment_ptr: bool,
    pub dispatch_id: bool,
    pub flat_scratch_init: bool,
    pub private_segment_size: bool,
    #[bits(3)]
    pub reserved: u8,
    pub wavefront_size32: bool,
    pub uses_dynamic_stack: bool,
    #[bits(4)]
    pub reserved1: u8,
}

/// Number of dwords of the kernel's arguments that are preloaded into scalar registers, and the offset of the first
/// one.
#[bitfield(u16)]
#[derive(PartialEq, Eq, Hash)]
pub struct KernargPreload {
    #[bits(7)]
    pub length: u8,
    #[bits(9)]
    pub offset: u16,
}
