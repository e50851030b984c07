//! `.amd_kernel_code_t`: the descriptor before a kernel's code, which runtimes other than HSA's read.

use amdgpu_isa::kernel::{KernelCodeProperties, PgmRsrc1, PgmRsrc2};

use super::assembler::Assembler;
use super::flaw::{Flaw, Result, Span};
use super::kernel;
use super::scan::Scan;

const SIZE: usize = 256;
const END: &str = ".end_amd_kernel_code_t";
/// A field of older descriptors that has no effect any more.
const IGNORED: &str = "max_scratch_backing_memory_byte_size";
/// The field with the base-2 logarithm of a wave's lanes.
const LANES: &str = "wavefront_size";
const IS_NARROW: &str = "enable_wavefront_size32";
/// The place of a field.
#[derive(Clone, Copy)]
enum FieldPlace {
    /// The first bit, and the number of bits.
    Bits(usize, usize),
    /// A field of `compute_pgm_rsrc1`, given by a function that tells whether any of its bits is set.
    Rsrc1(fn(PgmRsrc1) -> bool),
    /// A field of `compute_pgm_rsrc2`, given by a function as for `Rsrc1`.
    Rsrc2(fn(PgmRsrc2) -> bool),
    /// A field of the kernel code properties, given by a function as for `Rsrc1`.
    Properties(fn(KernelCodeProperties) -> bool),
}

use FieldPlace::{Bits, Properties, Rsrc1, Rsrc2};

impl FieldPlace {
    /// The range of bits, counted from the beginning of the descriptor.
    fn bits(self) -> std::ops::Range<usize> {
        let of = |first: usize, is_set: &dyn Fn(u32) -> bool| {
            let mut set = (0..u32::BITS as usize).filter(|n| is_set(1 << n)).map(|n| first + n);
            let from = set.next().unwrap_or(first);
            from..set.last().unwrap_or(from) + 1
        };
        match self {
            Bits(first, len) => first..first + len,
            Rsrc1(is_set) => of(384, &|bits| is_set(PgmRsrc1::from_bits(bits))),
            Rsrc2(is_set) => of(416, &|bits| is_set(PgmRsrc2::from_bits(bits))),
            Properties(is_set) => of(448, &|bits| is_set(KernelCodeProperties::from_bits(bits as u16))),
        }
    }
}

fn has_float_mode(word: PgmRsrc1) -> bool {
    let rounds = word.float_round_mode_32() | word.float_round_mode_16_64();
    rounds | word.float_denorm_mode_32() | word.float_denorm_mode_16_64() != 0
}

/// The setting whose directive exists only for targets whose work-groups run in WGP mode or in CU mode.
const GROUP_MODE: &str = "workgroup_processor_mode";

/// The fields: a name, for some a second name, and the place.
const FIELDS: [(&str, &str, FieldPlace); 68] = [
    ("amd_code_version_major", "kernel_code_version_major", Bits(0, 32)),
    ("amd_code_version_minor", "kernel_code_version_minor", Bits(32, 32)),
    ("amd_machine_kind", "", Bits(64, 16)),
    ("amd_machine_version_major", "", Bits(80, 16)),
    ("amd_machine_version_minor", "", Bits(96, 16)),
    ("amd_machine_version_stepping", "", Bits(112, 16)),
    ("kernel_code_entry_byte_offset", "", Bits(128, 64)),
    ("kernel_code_prefetch_byte_size", "", Bits(256, 64)),
    (
        "granulated_workitem_vgpr_count",
        "compute_pgm_rsrc1_vgprs",
        Rsrc1(|word| word.granulated_workitem_vgpr_count() != 0),
    ),
    (
        "granulated_wavefront_sgpr_count",
        "compute_pgm_rsrc1_sgprs",
        Rsrc1(|word| word.granulated_wavefront_sgpr_count() != 0),
    ),
    ("priority", "compute_pgm_rsrc1_priority", Rsrc1(|word| word.priority() != 0)),
    ("float_mode", "compute_pgm_rsrc1_float_mode", Rsrc1(has_float_mode)),
    ("priv", "compute_pgm_rsrc1_priv", Rsrc1(|word| word.privileged())),
    ("enable_dx10_clamp", "compute_pgm_rsrc1_dx10_clamp", Rsrc1(|word| word.dx10_clamp())),
    ("debug_mode", "compute_pgm_rsrc1_debug_mode", Rsrc1(|word| word.debug_mode())),
    ("enable_ieee_mode", "compute_pgm_rsrc1_ieee_mode", Rsrc1(|word| word.ieee_mode())),
    ("enable_wgp_mode", "compute_pgm_rsrc1_wgp_mode", Rsrc1(|word| word.wgp_mode())),
    ("enable_mem_ordered", "compute_pgm_rsrc1_mem_ordered", Rsrc1(|word| word.mem_ordered())),
    ("enable_fwd_progress", "compute_pgm_rsrc1_fwd_progress", Rsrc1(|word| word.fwd_progress())),
    (
        "enable_sgpr_private_segment_wave_byte_offset",
        "compute_pgm_rsrc2_scratch_en",
        Rsrc2(|word| word.enable_private_segment()),
    ),
    ("user_sgpr_count", "compute_pgm_rsrc2_user_sgpr", Rsrc2(|word| word.user_sgpr_count() != 0)),
    ("enable_trap_handler", "compute_pgm_rsrc2_trap_handler", Rsrc2(|word| word.trap_handler())),
    ("enable_sgpr_workgroup_id_x", "compute_pgm_rsrc2_tgid_x_en", Rsrc2(|word| word.sgpr_workgroup_id_x())),
    ("enable_sgpr_workgroup_id_y", "compute_pgm_rsrc2_tgid_y_en", Rsrc2(|word| word.sgpr_workgroup_id_y())),
    ("enable_sgpr_workgroup_id_z", "compute_pgm_rsrc2_tgid_z_en", Rsrc2(|word| word.sgpr_workgroup_id_z())),
    ("enable_sgpr_workgroup_info", "compute_pgm_rsrc2_tg_size_en", Rsrc2(|word| word.sgpr_workgroup_info())),
    ("enable_vgpr_workitem_id", "compute_pgm_rsrc2_tidig_comp_cnt", Rsrc2(|word| word.vgpr_workitem_id() != 0)),
    (
        "enable_exception_msb",
        "compute_pgm_rsrc2_excp_en_msb",
        Rsrc2(|word| word.exception_address_watch() || word.exception_memory()),
    ),
    ("granulated_lds_size", "compute_pgm_rsrc2_lds_size", Rsrc2(|word| word.granulated_lds_size() != 0)),
    ("enable_exception", "compute_pgm_rsrc2_excp_en", Rsrc2(|word| word.exceptions() != 0)),
    ("enable_sgpr_private_segment_buffer", "", Properties(|word| word.private_segment_buffer())),
    ("enable_sgpr_dispatch_ptr", "", Properties(|word| word.dispatch_ptr())),
    ("enable_sgpr_queue_ptr", "", Properties(|word| word.queue_ptr())),
    ("enable_sgpr_kernarg_segment_ptr", "", Properties(|word| word.kernarg_segment_ptr())),
    ("enable_sgpr_dispatch_id", "", Properties(|word| word.dispatch_id())),
    ("enable_sgpr_flat_scratch_init", "", Properties(|word| word.flat_scratch_init())),
    ("enable_sgpr_private_segment_size", "", Properties(|word| word.private_segment_size())),
    ("enable_sgpr_grid_workgroup_count_x", "", Bits(455, 1)),
    ("enable_sgpr_grid_workgroup_count_y", "", Bits(456, 1)),
    ("enable_sgpr_grid_workgroup_count_z", "", Bits(457, 1)),
    (IS_NARROW, "", Properties(|word| word.wavefront_size32())),
    ("enable_ordered_append_gds", "", Bits(464, 1)),
    ("private_element_size", "", Bits(465, 2)),
    ("is_ptr64", "", Bits(467, 1)),
    ("is_dynamic_callstack", "", Bits(468, 1)),
    ("is_debug_enabled", "", Bits(469, 1)),
    ("is_xnack_enabled", "", Bits(470, 1)),
    ("workitem_private_segment_byte_size", "", Bits(480, 32)),
    ("workgroup_group_segment_byte_size", "", Bits(512, 32)),
    ("gds_segment_byte_size", "", Bits(544, 32)),
    ("kernarg_segment_byte_size", "", Bits(576, 64)),
    ("workgroup_fbarrier_count", "", Bits(640, 32)),
    ("wavefront_sgpr_count", "", Bits(672, 16)),
    ("workitem_vgpr_count", "", Bits(688, 16)),
    ("reserved_vgpr_first", "", Bits(704, 16)),
    ("reserved_vgpr_count", "", Bits(720, 16)),
    ("reserved_sgpr_first", "", Bits(736, 16)),
    ("reserved_sgpr_count", "", Bits(752, 16)),
    ("debug_wavefront_private_segment_offset_sgpr", "", Bits(768, 16)),
    ("debug_private_segment_buffer_sgpr", "", Bits(784, 16)),
    ("kernarg_segment_alignment", "", Bits(800, 8)),
    ("group_segment_alignment", "", Bits(808, 8)),
    ("private_segment_alignment", "", Bits(816, 8)),
    (LANES, "", Bits(824, 8)),
    ("call_convention", "", Bits(832, 32)),
    ("runtime_loader_kernel_symbol", "", Bits(960, 64)),
    // Entries without a name: the bits that LLVM's assembler sets by default for targets with WGP mode and CU mode.
    // Entries with names above have these bits, too.
    ("", "", Rsrc1(|word| word.wgp_mode() || word.mem_ordered() || word.fwd_progress())),
    ("", "", Rsrc2(|_| true)),
];

/// Fields, other than those of the two register words, whose values may be known only at the end of the source because
/// they depend on the code.
const COUNTED: [&str; 4] =
    ["is_dynamic_callstack", "workitem_private_segment_byte_size", "wavefront_sgpr_count", "workitem_vgpr_count"];

/// A descriptor that is being read.
pub struct KernelCode {
    bytes: [u8; SIZE],
    /// The place of the directive that begins the descriptor.
    pub place: Span,
}

impl KernelCode {
    fn set(&mut self, at: FieldPlace, value: i64) {
        for (n, bit) in at.bits().enumerate() {
            let (at, mask) = (bit / 8, 1 << (bit % 8));
            if let Some(byte) = self.bytes.get_mut(at) {
                *byte = if value >> n.min(63) & 1 == 1 { *byte | mask } else { *byte & !mask };
            }
        }
    }

    fn set_named(&mut self, name: &str, value: i64) {
        if let Some((.., at)) = FIELDS.iter().find(|field| field.0 == name) {
            self.set(*at, value);
        }
    }
}

impl Assembler {
    /// Begins a descriptor at `.amd_kernel_code_t`, with default values.
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
            unnamed.for_each(|(.., at)| new.set(*at, -1));
        }
        self.kernel_code = Some(new);
        Ok(())
    }

    /// Reads a line of the descriptor: `NAME = VALUE`, or the end. An error ends the descriptor, too.
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
        let &(field, _, at) = known
            .ok_or_else(|| Flaw::new(place, format!("the descriptor has no field {name:?}, and {END} ends it")))?;
        scan.expect("=")?;
        scan.blank();
        let from = scan.at;
        let expr = self.expression(scan)?;
        let of = scan.place(from);
        scan.end()?;
        let value = match matches!(at, Rsrc1(_) | Rsrc2(_)) || COUNTED.contains(&field) {
            true => self.later(expr, of)?,
            false => self.known(&expr, of)?,
        };
        // A value of a field in [`COUNTED`] has to fit, unless the field is a single bit. As in LLVM's assembler, a
        // value of any other field loses the bits that do not fit.
        let len = at.bits().len().min(62);
        let all = -1 << (len - 1)..1 << len;
        if COUNTED.contains(&field) && len > 1 && !all.contains(&value) {
            return Err(Flaw::new(of, format!("{value}: a number from 0 to {} expected", all.end - 1)));
        }
        self.allows(field, value, of)?;
        code.set(at, value);
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
            (IS_NARROW, _) if value & 1 == 0 => 64,
            (IS_NARROW, _) | (LANES, 5) => 32,
            (LANES, 6) => 64,
            _ => return Ok(()),
        };
        match target.wave_size() == lanes {
            true => Ok(()),
            false => Err(Flaw::new(place, format!("the code is for waves of {} lanes", target.wave_size()))),
        }
    }
}
