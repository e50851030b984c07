//! Versions of LLVM, and the targets that each of them knows.

use amdgpu_isa::Target;

/// The version of LLVM in the Rust toolchain of this repository. For this version the list of differences is complete.
pub const USUAL: u32 = 22;

/// The environment variable that names a version of LLVM other than [`USUAL`].
const VERSION_VARIABLE: &str = "AMDGPU_ISA_LLVM";

/// The version of LLVM with which to compare: the value of the environment variable `AMDGPU_ISA_LLVM`, or 22.
///
/// # Panics
/// If the variable is not a number.
pub fn version() -> u32 {
    let parse =
        |version: String| version.parse().unwrap_or_else(|_| panic!("{VERSION_VARIABLE}={version} is not a version"));
    std::env::var(VERSION_VARIABLE).map_or(USUAL, parse)
}

/// Processors that LLVM 22 does not know.
pub const NEWER: &[&str] = &["gfx1170", "gfx12-5-generic", "gfx1310"];

/// Operations of gfx1251 that LLVM 22 does not know.
pub const NEWER_OPERATIONS: &[&str] = &[
    "v_pk_add_f64",
    "v_pk_add_nc_u64",
    "v_pk_fma_f64",
    "v_pk_lshl_add_u64",
    "v_pk_max_num_f64",
    "v_pk_min_num_f64",
    "v_pk_mul_f64",
    "v_pk_sub_nc_u64",
    "v_wmma_f64_16x16x4_f64",
];

/// Whether a version of LLVM can disassemble for the target: not for the first two generations, and not for targets
/// that are newer than the version.
pub fn disassembles(version: u32, target: Target) -> bool {
    let first = ["gfx6", "gfx7"].iter().any(|generation| target.name().starts_with(generation));
    !first && knows(version, target.processor())
}

/// Whether a version of LLVM knows a processor.
pub(crate) fn knows(version: u32, processor: &str) -> bool {
    version > USUAL || !NEWER.contains(&processor)
}

/// LLVM's `-mattr` for the target. From RDNA3 on, halves of registers have their own names; on some targets LLVM knows
/// them only with a feature.
pub fn features(target: Target) -> &'static str {
    match (target.processor().starts_with("gfx1"), target.wave_size()) {
        (true, 64) => "+real-true16,+wavefrontsize64",
        (true, _) => "+real-true16",
        _ => "",
    }
}
