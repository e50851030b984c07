//! Places of values: what the codes of operands are, in a table of what they mean or without one.

#[cfg(not(target_os = "none"))]
pub(crate) mod ready;

use super::{Reg, Value};
use crate::codec::code::VGPR;

/// The bit that the codes of vector registers have, and scalar ones have not; accumulation registers are as far behind
/// them.
pub(super) const VECTOR: usize = VGPR as usize;
/// As many numbers has each section of the table: that of single registers, that of pairs, and that of longer tuples.
/// `SECTION` in build/operands.rs.
const SECTION: usize = 1024;
/// The last numbers of a section are those of scalar addresses. `ADDRESSES` there.
const ADDRESSES: usize = 768;
/// Bits of a scalar address.
pub(super) const ADDRESS: usize = 0x7f;
/// Behind the sections are the registers that no field names.
pub(super) const IMPLICIT: usize = 3 * SECTION;
/// In the order of `IMPLICIT` in build/check.rs.
const IMPLICIT_REGISTERS: [Reg; 8] =
    [Reg::Scc, Reg::Vcc, Reg::Exec, Reg::M0, Reg::Mode, Reg::FlatScratch, Reg::XnackMask, Reg::TrapStatus];

/// The code that stands at a place in the table.
pub(super) const fn code_at(index: usize) -> u16 {
    let code = index % SECTION;
    (if code < ADDRESSES { code } else { code - ADDRESSES }) as u16
}

/// The register at a place behind the sections.
pub(super) const fn implicit(index: usize) -> Value {
    Value::Reg(IMPLICIT_REGISTERS[index % IMPLICIT_REGISTERS.len()])
}

/// A scalar address that is no register, which has the code `off`, stands at this place.
pub(super) const fn is_off(index: usize, off: u16) -> bool {
    index % SECTION == ADDRESSES + off as usize
}
