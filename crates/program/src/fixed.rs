//! Pointers to code in files that were linked to fixed addresses, and that therefore have no relocations.

use amdgpu_isa::{Decoded, Decoder, Target, Value};
use amdgpu_object::{Image, elf};

use crate::Error;
use crate::layout::Layout;

/// Checks that, in a file at fixed addresses, no number in data and no literal in code may be a pointer to a byte that
/// moves. Other files pass, because they have relocations for their pointers.
///
/// # Errors
/// [`Error::Pointer`]: the first number that may be such a pointer.
pub fn check(layout: &Layout<'_, '_>, image: &Image<'_>, target: Target) -> Result<(), Error> {
    if layout.file.kind != elf::ET_EXEC {
        return Ok(());
    }
    let moves = |address: u64| layout.is_loaded(address) && layout.address(address) != address;
    let kinds = [elf::SHT_PROGBITS, elf::SHT_INIT_ARRAY, elf::SHT_FINI_ARRAY];
    let is_data = |section: &&elf::Section| section.is_loaded() && !section.is_code() && kinds.contains(&section.kind);
    for section in layout.sections.iter().filter(is_data) {
        let words = layout.file.contents(section).bytes.windows(8).step_by(4);
        let is_pointer = |word: &[u8]| word.try_into().is_ok_and(|word| moves(u64::from_le_bytes(word)));
        if let Some(number) = words.clone().position(is_pointer) {
            return Err(Error::Pointer { address: section.address.wrapping_add(4 * number as u64) });
        }
    }
    // Such files lie in the lowest 4 GB, so an address is a number of 32 bits in code.
    let is_pointer = |value: Value| matches!(value, Value::Literal(literal) if moves(literal.into()));
    for section in &image.sections {
        for Decoded { offset, inst } in Decoder::new(target, section.bytes) {
            if inst.is_ok_and(|inst| inst.operands().any(|operand| is_pointer(operand.value))) {
                return Err(Error::Pointer { address: section.address.wrapping_add(offset as u64) });
            }
        }
    }
    Ok(())
}
