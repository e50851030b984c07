//! The generations of targets, by the names of their processors. Programs of tests share this file.

use amdgpu_isa::Target;

/// Whether a target is of RDNA3 or a later generation, or of CDNA5.
#[allow(dead_code)] // Some programs need only the other function.
pub fn is_from_rdna3(target: Target) -> bool {
    target.processor().starts_with("gfx11") || is_from_rdna4(target)
}

/// Whether a target is of RDNA4 or a later generation, or of CDNA5.
pub fn is_from_rdna4(target: Target) -> bool {
    ["gfx12", "gfx13"].iter().any(|start| target.processor().starts_with(start))
}
