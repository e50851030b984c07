//! Indices in the table of values, which holds the meanings of operand codes.

#[cfg(feature = "fast")]
pub(crate) mod value_table;

use crate::code::VGPR;
use crate::shared::{self, value_table as indices};
use crate::value::{Reg, Value};

/// The bit that distinguishes the codes of vector registers from the codes of scalars, and the distance between the
/// codes of vector and accumulation registers.
pub(crate) const VECTOR: usize = VGPR as usize;
const SECTION: usize = indices::SECTION as usize;
const ADDRESSES: usize = indices::ADDRESSES as usize;
/// Mask of the bits of a scalar address.
pub(crate) const ADDRESS: usize = 0x7f;
pub(crate) const IMPLICIT: usize = indices::IMPLICIT as usize;

/// The registers of `shared::IMPLICIT`.
const IMPLICIT_REGISTERS: [Reg; shared::IMPLICIT.len()] = {
    let mut all = [Reg::Scc; shared::IMPLICIT.len()];
    let mut n = 0;
    while n < all.len() {
        all[n] = match shared::IMPLICIT[n].as_bytes() {
            b"scc" => Reg::Scc,
            b"vcc" => Reg::Vcc,
            b"exec" => Reg::Exec,
            b"m0" => Reg::M0,
            b"mode" => Reg::Mode,
            b"flat_scr" => Reg::FlatScratch,
            b"xnack" => Reg::XnackMask,
            b"trapsts" => Reg::TrapStatus,
            // The compiler evaluates this function. Every name has a register, so this is never reached.
            _ => panic!("a name without a register"),
        };
        n += 1;
    }
    all
};

/// The code at an index of the table.
pub(crate) const fn code_at(index: usize) -> u16 {
    let code = index % SECTION;
    (if code < ADDRESSES { code } else { code - ADDRESSES }) as u16
}

/// The register at an index from `IMPLICIT` on. No field names these registers.
pub(crate) const fn implicit(index: usize) -> Value {
    Value::Reg(IMPLICIT_REGISTERS[index % IMPLICIT_REGISTERS.len()])
}

/// Whether this is the index of a scalar address with the code `off`, which means that there is no scalar address.
pub(crate) const fn is_off(index: usize, off: u16) -> bool {
    index % SECTION == ADDRESSES + off as usize
}
