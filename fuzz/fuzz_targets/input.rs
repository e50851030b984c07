//! The meaning of an input's first byte.

use amdgpu_isa::Target;

/// The target that the first byte selects, whether the byte is the target's number in ELF headers, and the remaining
/// bytes.
pub fn split(data: &[u8]) -> Option<(Target, bool, &[u8])> {
    let (&first, rest) = data.split_first()?;
    let any = Target::ALL[usize::from(first) % Target::ALL.len()];
    let known = Target::from_e_flags(first.into());
    Some((known.unwrap_or(any), known.is_some(), rest))
}
