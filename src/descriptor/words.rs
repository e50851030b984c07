//! The words of a kernel descriptor whose bits have names. If a bit has two names, the second one is the name on later
//! targets.

use bitfield_struct::bitfield;

use super::DescriptorError;

/// Makes the setters of fields that have fewer bits than their type. The setters of `bitfield` would panic.
macro_rules! setters {
    ($ty:ident($word:ident): $($with:ident($field:ident, $int:ident, $at:ident, $width:ident);)*) => {
        impl $ty {
            $(
                #[doc = concat!("Sets `", stringify!($field), "`.")]
                ///
                /// # Errors
                /// The value does not fit.
                pub const fn $with(self, value: $int) -> Result<Self, DescriptorError> {
                    const MAX: $int = (1 << $ty::$width) - 1;
                    if value > MAX {
                        return Err(DescriptorError::Range { max: MAX as u32 });
                    }
                    let mask = (MAX as $word) << Self::$at;
                    Ok(Self::from_bits(self.into_bits() & !mask | (value as $word) << Self::$at))
                }
            )*
        }
    };
}

/// COMPUTE_PGM_RSRC1.
#[bitfield(u32)]
#[derive(PartialEq, Eq, Hash)]
pub struct PgmRsrc1 {
    /// Granules of vector registers, minus one.
    #[bits(6, access = RO)]
    pub granulated_workitem_vgpr_count: u8,
    /// Granules of scalar registers, minus one; 0 on targets on which every wave has all of them.
    #[bits(4, access = RO)]
    pub granulated_wavefront_sgpr_count: u8,
    #[bits(2, access = RO)]
    pub priority: u8,
    #[bits(2, access = RO)]
    pub float_round_mode_32: u8,
    #[bits(2, access = RO)]
    pub float_round_mode_16_64: u8,
    #[bits(2, access = RO)]
    pub float_denorm_mode_32: u8,
    #[bits(2, access = RO)]
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
    #[bits(2, access = RO)]
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
    #[bits(5, access = RO)]
    pub user_sgpr_count: u8,
    /// ENABLE_TRAP_HANDLER; the high bit of the number of user SGPRs.
    pub trap_handler: bool,
    pub sgpr_workgroup_id_x: bool,
    pub sgpr_workgroup_id_y: bool,
    pub sgpr_workgroup_id_z: bool,
    pub sgpr_workgroup_info: bool,
    #[bits(2, access = RO)]
    pub vgpr_workitem_id: u8,
    pub exception_address_watch: bool,
    pub exception_memory: bool,
    #[bits(9, access = RO)]
    pub granulated_lds_size: u16,
    #[bits(7, access = RO)]
    pub exceptions: u8,
    pub reserved: bool,
}

/// COMPUTE_PGM_RSRC3, which has one meaning on CDNA2 to CDNA4, and another on RDNA and CDNA5.
#[bitfield(u32)]
#[derive(PartialEq, Eq, Hash)]
pub struct PgmRsrc3 {
    /// On CDNA2 to CDNA4, ACCUM_OFFSET: granules of four registers, minus one. On RDNA1 to RDNA3, SHARED_VGPR_COUNT.
    /// From RDNA3 on, and on CDNA5, also the low bits of INST_PREF_SIZE.
    #[bits(6, access = RO)]
    pub accum_offset: u8,
    #[bits(10, access = RO)]
    pub middle: u16,
    pub tg_split: bool,
    #[bits(15, access = RO)]
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
    #[bits(3, access = RO)]
    pub reserved: u8,
    pub wavefront_size32: bool,
    pub uses_dynamic_stack: bool,
    #[bits(4, access = RO)]
    pub reserved1: u8,
}

/// Number of dwords of the kernel's arguments that are preloaded into scalar registers, and the offset of the first
/// one.
#[bitfield(u16)]
#[derive(PartialEq, Eq, Hash)]
pub struct KernargPreload {
    #[bits(7, access = RO)]
    pub length: u8,
    #[bits(9, access = RO)]
    pub offset: u16,
}

setters! {
    PgmRsrc1(u32):
    with_granulated_workitem_vgpr_count(granulated_workitem_vgpr_count, u8, GRANULATED_WORKITEM_VGPR_COUNT_OFFSET, GRANULATED_WORKITEM_VGPR_COUNT_BITS);
    with_granulated_wavefront_sgpr_count(granulated_wavefront_sgpr_count, u8, GRANULATED_WAVEFRONT_SGPR_COUNT_OFFSET, GRANULATED_WAVEFRONT_SGPR_COUNT_BITS);
    with_priority(priority, u8, PRIORITY_OFFSET, PRIORITY_BITS);
    with_float_round_mode_32(float_round_mode_32, u8, FLOAT_ROUND_MODE_32_OFFSET, FLOAT_ROUND_MODE_32_BITS);
    with_float_round_mode_16_64(float_round_mode_16_64, u8, FLOAT_ROUND_MODE_16_64_OFFSET, FLOAT_ROUND_MODE_16_64_BITS);
    with_float_denorm_mode_32(float_denorm_mode_32, u8, FLOAT_DENORM_MODE_32_OFFSET, FLOAT_DENORM_MODE_32_BITS);
    with_float_denorm_mode_16_64(float_denorm_mode_16_64, u8, FLOAT_DENORM_MODE_16_64_OFFSET, FLOAT_DENORM_MODE_16_64_BITS);
    with_reserved(reserved, u8, RESERVED_OFFSET, RESERVED_BITS);
}

setters! {
    PgmRsrc2(u32):
    with_user_sgpr_count(user_sgpr_count, u8, USER_SGPR_COUNT_OFFSET, USER_SGPR_COUNT_BITS);
    with_vgpr_workitem_id(vgpr_workitem_id, u8, VGPR_WORKITEM_ID_OFFSET, VGPR_WORKITEM_ID_BITS);
    with_granulated_lds_size(granulated_lds_size, u16, GRANULATED_LDS_SIZE_OFFSET, GRANULATED_LDS_SIZE_BITS);
    with_exceptions(exceptions, u8, EXCEPTIONS_OFFSET, EXCEPTIONS_BITS);
}

setters! {
    PgmRsrc3(u32):
    with_accum_offset(accum_offset, u8, ACCUM_OFFSET_OFFSET, ACCUM_OFFSET_BITS);
    with_middle(middle, u16, MIDDLE_OFFSET, MIDDLE_BITS);
    with_high(high, u16, HIGH_OFFSET, HIGH_BITS);
}

setters! {
    KernelCodeProperties(u16):
    with_reserved(reserved, u8, RESERVED_OFFSET, RESERVED_BITS);
    with_reserved1(reserved1, u8, RESERVED1_OFFSET, RESERVED1_BITS);
}

setters! {
    KernargPreload(u16):
    with_length(length, u8, LENGTH_OFFSET, LENGTH_BITS);
    with_offset(offset, u16, OFFSET_OFFSET, OFFSET_BITS);
}
