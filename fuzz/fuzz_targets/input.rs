//! What the first byte of an input says.

use amdgpu_isa::Target;

/// The target, which is that of the ELF number or else any; whether it is an ELF number; and the other bytes.
pub fn split(data: &[u8]) -> Option<(Target, bool, &[u8])> {
    let (&first, rest) = data.split_first()?;
    let any = Target::ALL[usize::from(first) % Target::ALL.len()];
    let known = Target::from_e_flags(first.into());
    Some((known.unwrap_or(any), known.is_some(), rest))
}
