//! `.amd_kernel_code_t`: the descriptor in front of a kernel's code that the runtimes other than HSA's read.

use super::assembler::Assembler;
use super::flaw::{Flaw, Result, Span};
use super::kernel;
use super::scan::Scan;

const SIZE: usize = 256;
const END: &str = ".end_amd_kernel_code_t";
/// A field of older descriptors, which the descriptor has no more.
const IGNORED: &str = "max_scratch_backing_memory_byte_size";
/// The lanes of a wave as a power of two.
const LANES: &str = "wavefront_size";
const IS_NARROW: &str = "enable_wavefront_size32";
/// The setting whose directive shows whether a target has modes of work-groups.
const GROUP_MODE: &str = "workgroup_processor_mode";

/// Fields by their names, of which some have two: the first bit, and the number of bits.
const FIELDS: [(&str, &str, usize, usize); 68] = [
    ("amd_code_version_major", "kernel_code_version_major", 0, 32),
    ("amd_code_version_minor", "", 32, 32),
    ("amd_machine_kind", "", 64, 16),
    ("amd_machine_version_major", "", 80, 16),
    ("amd_machine_version_minor", "", 96, 16),
    ("amd_machine_version_stepping", "", 112, 16),
    ("kernel_code_entry_byte_offset", "", 128, 64),
    ("kernel_code_prefetch_byte_size", "", 256, 64),
    ("granulated_workitem_vgpr_count", "compute_pgm_rsrc1_vgprs", 384, 6),
    ("granulated_wavefront_sgpr_count", "compute_pgm_rsrc1_sgprs", 390, 4),
    ("priority", "compute_pgm_rsrc1_priority", 394, 2),
    ("float_mode", "compute_pgm_rsrc1_float_mode", 396, 8),
    ("priv", "compute_pgm_rsrc1_priv", 404, 1),
    ("enable_dx10_clamp", "compute_pgm_rsrc1_dx10_clamp", 405, 1),
    ("debug_mode", "compute_pgm_rsrc1_debug_mode", 406, 1),
    ("enable_ieee_mode", "compute_pgm_rsrc1_ieee_mode", 407, 1),
    ("enable_wgp_mode", "compute_pgm_rsrc1_wgp_mode", 413, 1),
    ("enable_mem_ordered", "compute_pgm_rsrc1_mem_ordered", 414, 1),
    ("enable_fwd_progress", "compute_pgm_rsrc1_fwd_progress", 415, 1),
    ("enable_sgpr_private_segment_wave_byte_offset", "compute_pgm_rsrc2_scratch_en", 416, 1),
    ("user_sgpr_count", "compute_pgm_rsrc2_user_sgpr", 417, 5),
    ("enable_trap_handler", "compute_pgm_rsrc2_trap_handler", 422, 1),
    ("enable_sgpr_workgroup_id_x", "compute_pgm_rsrc2_tgid_x_en", 423, 1),
    ("enable_sgpr_workgroup_id_y", "compute_pgm_rsrc2_tgid_y_en", 424, 1),
    ("enable_sgpr_workgroup_id_z", "compute_pgm_rsrc2_tgid_z_en", 425, 1),
    ("enable_sgpr_workgroup_info", "compute_pgm_rsrc2_tg_size_en", 426, 1),
    ("enable_vgpr_workitem_id", "compute_pgm_rsrc2_tidig_comp_cnt", 427, 2),
    ("enable_exception_msb", "compute_pgm_rsrc2_excp_en_msb", 429, 2),
    ("granulated_lds_size", "compute_pgm_rsrc2_lds_size", 431, 9),
    ("enable_exception", "compute_pgm_rsrc2_excp_en", 440, 7),
    ("enable_sgpr_private_segment_buffer", "", 448, 1),
    ("enable_sgpr_dispatch_ptr", "", 449, 1),
    ("enable_sgpr_queue_ptr", "", 450, 1),
    ("enable_sgpr_kernarg_segment_ptr", "", 451, 1),
    ("enable_sgpr_dispatch_id", "", 452, 1),
    ("enable_sgpr_flat_scratch_init", "", 453, 1),
    ("enable_sgpr_private_segment_size", "", 454, 1),
    ("enable_sgpr_grid_workgroup_count_x", "", 455, 1),
    ("enable_sgpr_grid_workgroup_count_y", "", 456, 1),
    ("enable_sgpr_grid_workgroup_count_z", "", 457, 1),
    (IS_NARROW, "", 458, 1),
    ("enable_ordered_append_gds", "", 464, 1),
    ("private_element_size", "", 465, 2),
    ("is_ptr64", "", 467, 1),
    ("is_dynamic_callstack", "", 468, 1),
    ("is_debug_enabled", "", 469, 1),
    ("is_xnack_enabled", "", 470, 1),
    ("workitem_private_segment_byte_size", "", 480, 32),
    ("workgroup_group_segment_byte_size", "", 512, 32),
    ("gds_segment_byte_size", "", 544, 32),
    ("kernarg_segment_byte_size", "", 576, 64),
    ("workgroup_fbarrier_count", "", 640, 32),
    ("wavefront_sgpr_count", "", 672, 16),
    ("workitem_vgpr_count", "", 688, 16),
    ("reserved_vgpr_first", "", 704, 16),
    ("reserved_vgpr_count", "", 720, 16),
    ("reserved_sgpr_first", "", 736, 16),
    ("reserved_sgpr_count", "", 752, 16),
    ("debug_wavefront_private_segment_offset_sgpr", "", 768, 16),
    ("debug_private_segment_buffer_sgpr", "", 784, 16),
    ("kernarg_segment_alignment", "", 800, 8),
    ("group_segment_alignment", "", 808, 8),
    ("private_segment_alignment", "", 816, 8),
    (LANES, "", 824, 8),
    ("call_convention", "", 832, 32),
    ("runtime_loader_kernel_symbol", "", 960, 64),
    // Bits that have no name: as LLVM's assembler sets them where work-groups have modes.
    ("", "", 413, 3),
    ("", "", 416, 32),
];

/// The bits of the settings of registers, and the other fields whose values may be known only at the end: those that
/// depend on what the code uses.
const RESOURCES: std::ops::Range<usize> = 384..448;
const COUNTED: [&str; 4] =
    ["is_dynamic_callstack", "workitem_private_segment_byte_size", "wavefront_sgpr_count", "workitem_vgpr_count"];

/// A descriptor that is being read.
pub struct KernelCode {
    bytes: [u8; SIZE],
    /// Its directive.
    pub place: Span,
}

impl KernelCode {
    fn set(&mut self, first: usize, len: usize, value: i64) {
        for n in 0..len {
            let (at, mask) = ((first + n) / 8, 1 << ((first + n) % 8));
            if let Some(byte) = self.bytes.get_mut(at) {
                *byte = if value >> n.min(63) & 1 == 1 { *byte | mask } else { *byte & !mask };
            }
        }
    }

    fn set_named(&mut self, name: &str, value: i64) {
        if let Some((.., first, len)) = FIELDS.iter().find(|field| field.0 == name) {
            self.set(*first, *len, value);
        }
    }
}

impl Assembler {
    /// `.amd_kernel_code_t`
    pub fn kernel_code_begin(&mut self, place: Span) -> Result<()> {
        let target = self.processor(place)?.target;
        let mut new = KernelCode { bytes: [0; SIZE], place };
        let [major, minor, stepping] = self.table.generation().unwrap_or_default();
        let is_wide = target.wave_size() == 64;
        let defaults = [
            ("amd_code_version_major", 1),
            ("amd_code_version_minor", 2),
            ("amd_machine_kind", 1),
            ("amd_machine_version_major", major),
            ("amd_machine_version_minor", minor),
            ("amd_machine_version_stepping", stepping),
            ("kernel_code_entry_byte_offset", SIZE as i64),
            ("kernarg_segment_alignment", 4),
            ("group_segment_alignment", 4),
            ("private_segment_alignment", 4),
            (LANES, if is_wide { 6 } else { 5 }),
            (IS_NARROW, i64::from(!is_wide)),
            ("call_convention", -1),
        ];
        defaults.iter().for_each(|(name, value)| new.set_named(name, *value));
        if kernel::has(target, GROUP_MODE) {
            let unnamed = FIELDS.iter().filter(|field| field.0.is_empty());
            unnamed.for_each(|(.., first, len)| new.set(*first, *len, -1));
        }
        self.kernel_code = Some(new);
        Ok(())
    }

    /// A line of the descriptor: `NAME = VALUE`, or its end. An error ends it, too.
    pub fn kernel_code_line(&mut self, mut code: KernelCode, scan: &mut Scan<'_>) -> Result<()> {
        scan.blank();
        let start = scan.at;
        let name = scan.word();
        let place = scan.place(start);
        if name == END {
            scan.end()?;
            return self.emit(&code.bytes, place);
        }
        if name == IGNORED {
            self.kernel_code = Some(code);
            return Ok(());
        }
        let known = FIELDS.iter().find(|field| !name.is_empty() && (field.0 == name || field.1 == name));
        let &(field, _, first, len) = known
            .ok_or_else(|| Flaw::new(place, format!("the descriptor has no field {name:?}, and {END} ends it")))?;
        scan.expect("=")?;
        scan.blank();
        let from = scan.at;
        let expr = self.expression(scan)?;
        let of = scan.place(from);
        scan.end()?;
        let value = match RESOURCES.contains(&first) || COUNTED.contains(&field) {
            true => self.later(expr, of)?,
            false => self.known(&expr, of)?,
        };
        self.allows(field, value, of)?;
        code.set(first, len, value);
        self.kernel_code = Some(code);
        Ok(())
    }

    /// Fails if the target cannot have this value of a field.
    fn allows(&self, field: &str, value: i64, place: Span) -> Result<()> {
        let target = self.processor(place)?.target;
        let of_groups = ["enable_wgp_mode", "enable_mem_ordered", "enable_fwd_progress"];
        if of_groups.contains(&field) && value != 0 && !kernel::has(target, GROUP_MODE) {
            return Err(Flaw::new(place, format!("{} has no such mode", target.processor())));
        }
        let lanes = match (field, value) {
            (IS_NARROW, 1) | (LANES, 5) => 32,
            (LANES, 6) => 64,
            _ => return Ok(()),
        };
        match target.wave_size() == lanes {
            true => Ok(()),
            false => Err(Flaw::new(place, format!("the code is for waves of {} lanes", target.wave_size()))),
        }
    }
}
