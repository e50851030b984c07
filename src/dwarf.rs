//! The numbers of registers in the tables for debuggers (DWARF).

use crate::opcode::{DWARF, DwarfNumber};
use crate::target::{OPERANDS, Target};

/// The number of a register in tables for debuggers, such as `.debug_frame`: the number for waves of 64 lanes, which
/// LLVM's assembler uses for all waves. `None` if the name is not that of a register with such a number, or if it is
/// that of a scalar register which the target lacks.
///
/// ```
/// # #[cfg(feature = "gfx942")] {
/// use amdgpu_isa::{Target, operands::dwarf_register};
/// assert_eq!(dwarf_register(Target::Gfx942, "s64"), Some(1088));
/// assert_eq!(dwarf_register(Target::Gfx942, "pc"), Some(16));
/// assert_eq!(dwarf_register(Target::Gfx942, "s102"), None);
/// # }
/// ```
pub fn dwarf_register(target: Target, name: &str) -> Option<u16> {
    let last = OPERANDS[target as usize].sgpr_last;
    DWARF.iter().find_map(|&DwarfNumber { name: known, registers, number }| {
        let Some((first, end, is_scalar)) = registers else { return (known == name).then_some(number) };
        let digits = name.strip_prefix(known).filter(|digits| digits.bytes().all(|c| c.is_ascii_digit()))?;
        let register = digits.parse::<u16>().ok().filter(|n| (first..=end).contains(n))?;
        (!is_scalar || register <= last).then(|| number + (register - first))
    })
}
