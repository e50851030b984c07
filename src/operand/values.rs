//! Places of values: what the codes of operands are, in a table of what they mean or without one.

#[cfg(feature = "fast")]
pub(crate) mod ready;

use super::{Reg, Value};

/// The bit that the codes of vector registers have, and scalar ones have not.
pub(super) const VECTOR: usize = 256;
/// The first of the numbers of accumulation registers.
pub(super) const AGPR: u16 = 2 * VECTOR as u16;
/// As many numbers has each section of the table: that of single registers, that of pairs, and that of longer tuples.
/// `SECTION` in build/emit/operands.rs.
const SECTION: usize = 1024;
/// The last numbers of a section are those of scalar addresses. `ADDRESSES` there.
const ADDRESSES: usize = 768;
/// The code that is no register as a scalar address.
pub(super) const OFF: usize = 127;
/// Behind the sections are the registers that no field names.
pub(super) const IMPLICIT: usize = 3 * SECTION;
/// In the order of `IMPLICIT` in build/check/mod.rs.
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

/// A scalar address that is no register stands at this place.
pub(super) const fn is_off(index: usize) -> bool {
    index % SECTION == ADDRESSES + OFF
}
